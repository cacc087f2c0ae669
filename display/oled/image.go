package oled

// The size of a picture in pixels.
const (
	Width  = 128
	Height = 64
)

// Image is a picture: bit y of element x is the pixel in column x and row y,
// counted from the upper left, lit when it is set.
type Image [Width]uint64

// Lit reports whether a pixel is lit; outside of the picture none is.
func (m *Image) Lit(x, y int) bool {
	return uint(x) < Width && uint(y) < Height && m[x]>>y&1 != 0
}

// glyph is a small picture, column by column like an Image. Its columns begin
// at bit 0 with the top row.
type glyph struct {
	columns [maxGlyph]uint32
	width   int
	// advance is where the next glyph begins.
	advance int
}

// maxGlyph is the width of the widest glyph in pixels.
const maxGlyph = 20

// put adds a glyph with its upper left corner at x, y. What lies outside of the
// picture is lost.
func (m *Image) put(g *glyph, x, y int) {
	for i, column := range g.columns[:g.width] {
		if at := x + i; uint(at) < Width {
			m[at] |= uint64(column) << y
		}
	}
}

// reverse turns lit into dark and dark into lit in columns x0 to x1-1 and rows
// y0 to y1-1.
func (m *Image) reverse(x0, x1, y0, y1 int) {
	rows := uint64(1)<<y1 - uint64(1)<<y0
	for x := x0; x < x1; x++ {
		m[x] ^= rows
	}
}

// disc draws a disc of the given radius, filled or as a ring of two pixels, in
// the square of 2*radius pixels whose upper left corner is x, y.
func (m *Image) disc(x, y, radius int, filled bool) {
	for i := range 2 * radius {
		for j := range 2 * radius {
			// Distances are from the middle, which lies between pixels, in half
			// pixels.
			dx, dy := 2*i+1-2*radius, 2*j+1-2*radius
			d, outer, inner := dx*dx+dy*dy, 4*radius*radius, 4*(radius-2)*(radius-2)
			if d <= outer && (filled || d > inner) {
				m[x+i] |= 1 << (y + j)
			}
		}
	}
}
