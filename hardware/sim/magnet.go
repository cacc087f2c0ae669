package sim

import "math"

// Magnet is the disc magnet in every playing disc: one axial magnet, so that
// turning the disc turns the sign of the field.
type Magnet struct {
	// Diameter and Thickness are in millimetres.
	Diameter, Thickness float64
	// Remanence is Br in millitesla; 1170 is an ordinary N35.
	Remanence float64
}

// OnAxis returns the field in mT on the axis, z mm from the face:
//
//	B = Br/2 * ((z+L)/hypot(R, z+L) - z/hypot(R, z))
func (m Magnet) OnAxis(z float64) float64 {
	r, far := m.Diameter/2, z+m.Thickness
	return m.Remanence / 2 * (far/math.Hypot(r, far) - z/math.Hypot(r, z))
}

// Dipole returns the vertical field in mT that the magnet, taken as a point,
// makes r mm beside and h mm below its centre:
//
//	Bz = (u0*m/4pi) * (3h²/(r²+h²) - 1) / (r²+h²)^1.5, m = Br*V/u0
//
// Beyond r = 1.4 h the sign turns. It is right from a few diameters on, which
// is what a neighbouring square is.
func (m Magnet) Dipole(r, h float64) float64 {
	volume := math.Pi * m.Diameter * m.Diameter / 4 * m.Thickness
	d2 := r*r + h*h
	return m.Remanence * volume / (4 * math.Pi) * (3*h*h/d2 - 1) / (d2 * math.Sqrt(d2))
}

const (
	ringNodes  = 4 // Gauss nodes over the area of a pole face
	angleNodes = 8 // midpoints over half a turn; the other half mirrors it
	faceNodes  = ringNodes * angleNodes
)

// node is a patch of a pole face: where it is, in mm from the axis, and what
// share of the face's field it makes.
type node struct {
	x, yy  float64 // yy is y squared
	weight float64
}

// field computes the field of one kind of magnet over one kind of board. It is
// immutable.
type field struct {
	magnet Magnet
	gap    float64 // mm from the face of a resting disc to the sensor
	pitch  float64 // mm from square to square
	near2  float64 // square of the distance beyond which a magnet is a point
	nodes  [faceNodes]node
	// kernel[dy][dx] is the field of a resting disc that far away, in squares.
	kernel [8][8]float64
}

func newField(m Magnet, gap, pitch float64) *field {
	f := &field{magnet: m, gap: gap, pitch: pitch}
	radius := m.Diameter / 2
	near := min(7.5*radius, 0.9*pitch)
	f.near2 = near * near
	// Gauss-Legendre nodes and weights on [0, 1]: in the square of the radius
	// every patch has an area equal to its weight.
	rings := [ringNodes]struct{ u, w float64 }{
		{0.0694318442029737, 0.1739274225687269},
		{0.3300094782075719, 0.3260725774312731},
		{0.6699905217924281, 0.3260725774312731},
		{0.9305681557970263, 0.1739274225687269},
	}
	area := math.Pi * radius * radius
	for i, ring := range rings {
		for j := range angleNodes {
			sin, cos := math.Sincos(math.Pi * (float64(j) + 0.5) / angleNodes)
			rho := radius * math.Sqrt(ring.u)
			f.nodes[i*angleNodes+j] = node{
				x: rho * cos, yy: rho * sin * rho * sin,
				weight: m.Remanence / (4 * math.Pi) * area * ring.w / angleNodes,
			}
		}
	}
	for dy := range 8 {
		for dx := range 8 {
			f.kernel[dy][dx] = f.at(pitch*math.Hypot(float64(dx), float64(dy)), 0)
		}
	}
	return f
}

// at returns the vertical field in mT of a disc that lies with its magnet
// towards the sensor's north side, r mm beside the sensor's axis and lifted by
// lift mm.
func (f *field) at(r, lift float64) float64 {
	z := f.gap + lift
	if r == 0 {
		return f.magnet.OnAxis(z)
	}
	if h := z + f.magnet.Thickness/2; r*r+h*h > f.near2 {
		return f.magnet.Dipole(r, h)
	}
	return f.face(r, z) - f.face(r, z+f.magnet.Thickness)
}

// face returns the field of one pole face, r mm beside and d mm below it: the
// charge on the face is summed patch by patch. The dipole formula is wrong by a
// third at the distance of a disc from its own sensor.
func (f *field) face(r, d float64) float64 {
	var sum float64
	for i := range f.nodes {
		n := &f.nodes[i]
		dx := r - n.x
		d2 := dx*dx + n.yy + d*d
		sum += n.weight / (d2 * math.Sqrt(d2))
	}
	return sum * d
}
