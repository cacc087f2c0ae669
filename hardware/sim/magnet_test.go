package sim

import (
	"math"
	"testing"
)

// rounded compares with a value given to some decimals.
func rounded(t *testing.T, what string, got, want, step float64) {
	t.Helper()
	if math.Abs(got-want) > step/2+1e-9 {
		t.Errorf("%s: %.4f mT, want %g", what, got, want)
	}
}

// TestFieldTable compares with the worked examples for N35 magnets from which
// board builders choose magnet, gap and pitch: lateral distances in squares for
// the neighbours, in mm for a disc off the centre of its own square.
func TestFieldTable(t *testing.T) {
	for _, c := range []struct {
		name                string
		diameter, thickness float64
		gap, pitch          float64
		own, orth, diag     float64
		eight, all          float64
		off4, off8, off12   float64
	}{
		{"8x2 mm, gap 5, pitch 40", 8, 2, 5, 40, 51.1, -0.13, -0.05, -0.73, -1.04, 27.1, 2.5, -1.3},
		{"8x2 mm, gap 10, pitch 40", 8, 2, 10, 40, 11.8, -0.10, -0.04, -0.59, -0.89, 8.8, 3.7, 1.0},
		{"8x2 mm, gap 10, pitch 30", 8, 2, 10, 30, 11.8, -0.185, -0.09, -1.10, -1.79, 8.8, 3.7, 1.0},
		{"6x2 mm, gap 8, pitch 40", 6, 2, 8, 40, 12.6, -0.07, -0.03, -0.37, -0.54, 7.9, 2.2, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(Magnet{Diameter: c.diameter, Thickness: c.thickness, Remanence: 1170}, c.gap, c.pitch)
			k := f.kernel
			rounded(t, "own", k[0][0], c.own, 0.1)
			rounded(t, "orthogonal", k[0][1], c.orth, 0.01)
			rounded(t, "diagonal", k[1][1], c.diag, 0.01)
			rounded(t, "eight neighbours", 4*k[0][1]+4*k[1][1], c.eight, 0.01)
			rounded(t, "all 63", f.around(27), c.all, 0.01) // d4
			rounded(t, "4 mm off centre", f.at(4, 0), c.off4, 0.1)
			rounded(t, "8 mm off centre", f.at(8, 0), c.off8, 0.1)
			rounded(t, "12 mm off centre", f.at(12, 0), c.off12, 0.1)
		})
	}
}

// around sums the field at a cell with equal discs on all other cells.
func (f *field) around(cell int) float64 {
	var sum float64
	for d := range cells {
		if d != cell {
			dy, dx := max(d>>3-cell>>3, cell>>3-d>>3), max(d&7-cell&7, cell&7-d&7)
			sum += f.kernel[dy][dx]
		}
	}
	return sum
}
