package notation

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"reversi-board/engine"
)

// Diagram is a drawing of a board: black discs are filled, white ones are rings,
// so that the two can be told apart in print and by everybody. Rank 1 is on top.
type Diagram struct {
	// Discs are what lies on the board.
	Discs engine.Discs
	// Numbers are written on the discs, 0 for none.
	Numbers [engine.Squares]uint8
	// Turn is shown as a small disc in the corner; None for nobody.
	Turn engine.Color
	// Title is a name for those who cannot see the drawing.
	Title string
}

// PositionDiagram draws a position.
func PositionDiagram(p engine.Position) Diagram {
	title := fmt.Sprintf("Position with %d black and %d white discs, %v to move", p.Black.Count(), p.White.Count(), p.Turn)
	return Diagram{Discs: p.Discs, Turn: p.Turn, Title: title}
}

// GameDiagram draws a whole game as books do: every disc shows who placed it and
// at which ply, and is never turned. Discs of the start have no number. The
// error is a *MoveError.
func GameDiagram(g *Game) (Diagram, error) {
	d := Diagram{Discs: g.Rules.Start.Discs, Turn: engine.None}
	at := engine.NewGame(g.Rules)
	i := 0
	for after, err := range g.replay() {
		if err != nil {
			return Diagram{}, err
		}
		if s, isDisc := g.Plays[i].Move.Square(); isDisc {
			d.Discs = d.Discs.With(s, at.Turn)
			d.Numbers[s] = uint8(after.Ply())
		}
		at = after
		i++
	}
	d.Title = fmt.Sprintf("%s, %d plies", g.title(), at.Ply())
	return d, nil
}

// The layout, in parts of a square's side.
const (
	margin     = 0.75 // left and top, with the names
	border     = 0.2  // right and bottom
	discRadius = 0.45
	discLine   = 0.06
	nameHeight = 0.44
	dotRadius  = 0.07
)

// units is the side of the drawing in squares.
const units = margin + engine.Squares/8 + border

// The sizes of a PNG, in pixels.
const (
	MinPNG = 64
	MaxPNG = 4096
)

// SVG writes the drawing, which has no size of its own and fits where it is put.
func (d Diagram) SVG() string {
	var b strings.Builder
	side := 100 * units
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" font-family="sans-serif" text-anchor="middle">`, side, side)
	fmt.Fprintf(&b, "\n<title>%s</title>\n", svgText(d.Title))
	fmt.Fprintf(&b, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", side, side)
	fmt.Fprintf(&b, "<rect x=\"%g\" y=\"%g\" width=\"800\" height=\"800\" fill=\"#cfe6cd\"/>\n", 100*margin, 100*margin)
	for i := range 9 {
		at := 100 * (margin + float64(i))
		fmt.Fprintf(&b, "<path d=\"M%g %gV%gM%g %gH%g\" stroke=\"#222\" stroke-width=\"3\" stroke-linecap=\"square\"/>\n",
			at, 100*margin, 100*(margin+8), 100*margin, at, 100*(margin+8))
	}
	for _, dot := range dots() {
		fmt.Fprintf(&b, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"#222\"/>\n", 100*dot[0], 100*dot[1], 100*dotRadius)
	}
	for i := range 8 {
		at := 100 * (margin + float64(i) + 0.5)
		fmt.Fprintf(&b, "<text x=\"%g\" y=\"56\" font-size=\"52\">%c</text>", at, 'a'+i)
		fmt.Fprintf(&b, "<text x=\"%g\" y=\"%g\" font-size=\"52\">%d</text>\n", 50*margin, at+18, i+1)
	}
	if d.Turn != engine.None {
		svgDisc(&b, 50*margin, 50*margin, 0.5, d.Turn)
		b.WriteByte('\n')
	}
	for s := range d.Discs.Occupied().All() {
		x, y := center(s)
		svgDisc(&b, 100*x, 100*y, 1, d.Discs.At(s))
		if n := d.Numbers[s]; n != 0 {
			fill := "#000"
			if d.Discs.At(s) == engine.Black {
				fill = "#fff"
			}
			fmt.Fprintf(&b, "<text x=\"%g\" y=\"%g\" font-size=\"50\" font-weight=\"bold\" fill=\"%s\">%d</text>", 100*x, 100*y+18, fill, n)
		}
		b.WriteByte('\n')
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svgDisc writes a disc.
func svgDisc(b *strings.Builder, x, y, scale float64, c engine.Color) {
	fill := "#fff"
	if c == engine.Black {
		fill = "#000"
	}
	fmt.Fprintf(b, "<circle cx=\"%g\" cy=\"%g\" r=\"%.4g\" fill=\"%s\" stroke=\"#000\" stroke-width=\"%.4g\"/>",
		x, y, scale*100*(discRadius-discLine/2), fill, scale*100*discLine)
}

// svgText escapes text.
func svgText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}

// center returns the middle of a square, in squares.
func center(s engine.Square) (x, y float64) {
	return margin + float64(s.File()) + 0.5, margin + float64(s.Rank()) + 0.5
}

// dots returns the four points that boards are marked with.
func dots() [4][2]float64 {
	const near, far = margin + 2, margin + 6
	return [4][2]float64{{near, near}, {far, near}, {near, far}, {far, far}}
}

// PNG writes the drawing as a square picture of size pixels, MinPNG to MaxPNG;
// from 200 on the numbers can be read.
func (d Diagram) PNG(w io.Writer, size int) error {
	if size < MinPNG || size > MaxPNG {
		return fmt.Errorf("a picture of %d pixels: want %d to %d", size, MinPNG, MaxPNG)
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(w, indexed(d.image(size))); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// inks returns the colors of a PNG; all others in it are edges between them.
func inks() (black, white, line, board color.RGBA) {
	return color.RGBA{A: 255}, color.RGBA{255, 255, 255, 255}, color.RGBA{34, 34, 34, 255}, color.RGBA{207, 230, 205, 255}
}

// indexed returns the picture in a few colors, which makes the file a quarter as
// long: the four that are painted with, and what lies between dark and light.
func indexed(from *image.RGBA) *image.Paletted {
	const steps = 16
	black, white, line, board := inks()
	colors := color.Palette{white, board, black, line}
	for _, light := range []color.RGBA{white, board} {
		for step := 1; step < steps; step++ {
			colors = append(colors, mixed(light, black, float64(step)/steps))
		}
	}
	to := image.NewPaletted(from.Bounds(), colors)
	known := make(map[color.RGBA]uint8)
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			c := from.RGBAAt(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(colors.Index(c))
				known[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	return to
}

// mixed returns a color that is partly covered by another one.
func mixed(under, ink color.RGBA, cover float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*cover)) }
	return color.RGBA{mix(under.R, ink.R), mix(under.G, ink.G), mix(under.B, ink.B), 255}
}

// image draws the picture.
func (d Diagram) image(size int) *image.RGBA {
	black, white, line, board := inks()
	c := canvas{image.NewRGBA(image.Rect(0, 0, size, size)), float64(size) / units}
	c.segment(point{0, units / 2}, point{units, units / 2}, 2*units, white)
	for row := range 8 {
		y := margin + float64(row) + 0.5
		c.bar(margin, y-0.5, margin+8, y+0.5, board)
	}
	// Never thinner than a pixel.
	width := max(0.03, 1/c.scale)
	for i := range 9 {
		at := margin + float64(i)
		c.bar(at-width/2, margin-width/2, at+width/2, margin+8+width/2, line)
		c.bar(margin-width/2, at-width/2, margin+8+width/2, at+width/2, line)
	}
	for _, dot := range dots() {
		c.segment(dot, dot, 2*dotRadius, line)
	}
	for i := range 8 {
		at := margin + float64(i) + 0.5
		c.text(string(rune('a'+i)), at, margin/2-0.05, nameHeight, black)
		c.text(strconv.Itoa(i+1), margin/2, at, nameHeight, black)
	}
	if d.Turn != engine.None {
		c.disc(margin/2, margin/2, 0.5, d.Turn)
	}
	for s := range d.Discs.Occupied().All() {
		x, y := center(s)
		c.disc(x, y, 1, d.Discs.At(s))
		if n := d.Numbers[s]; n != 0 {
			ink := black
			if d.Discs.At(s) == engine.Black {
				ink = white
			}
			c.text(strconv.Itoa(int(n)), x, y, nameHeight, ink)
		}
	}
	return c.RGBA
}

// point is a place in the drawing, in squares.
type point = [2]float64

// canvas is a picture that is painted on with smooth edges.
type canvas struct {
	*image.RGBA
	// scale is the number of pixels of a square's side.
	scale float64
}

// blend paints a pixel with a color that covers a part of it.
func (c canvas) blend(x, y int, ink color.RGBA, cover float64) {
	c.SetRGBA(x, y, mixed(c.RGBAAt(x, y), ink, cover))
}

// segment paints a line with round ends; from a point to itself it is a disc.
func (c canvas) segment(from, to point, width float64, ink color.RGBA) {
	scaled := func(p point) point { return point{p[0] * c.scale, p[1] * c.scale} }
	a, b, reach := scaled(from), scaled(to), width*c.scale/2
	area := image.Rect(
		int(min(a[0], b[0])-reach-1), int(min(a[1], b[1])-reach-1),
		int(max(a[0], b[0])+reach+2), int(max(a[1], b[1])+reach+2),
	).Intersect(c.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			d := distance(point{float64(x) + 0.5, float64(y) + 0.5}, a, b)
			if cover := min(1, reach+0.5-d); cover > 0 {
				c.blend(x, y, ink, cover)
			}
		}
	}
}

// distance returns how far p is from the line between a and b.
func distance(p, a, b point) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = max(0, min(1, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/length))
	}
	return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
}

// bar paints a rectangle whose edges are whole pixels, so that lines are crisp.
func (c canvas) bar(x0, y0, x1, y1 float64, ink color.RGBA) {
	px := func(v float64) int { return int(math.Round(v * c.scale)) }
	area := image.Rect(px(x0), px(y0), max(px(x1), px(x0)+1), max(px(y1), px(y0)+1)).Intersect(c.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c.SetRGBA(x, y, ink)
		}
	}
}

// disc paints a disc: a black one, with a white one inside if it is white.
func (c canvas) disc(x, y, scale float64, side engine.Color) {
	at := point{x, y}
	c.segment(at, at, 2*scale*discRadius, color.RGBA{A: 255})
	if side == engine.White {
		c.segment(at, at, 2*scale*(discRadius-max(discLine, 1/c.scale)), color.RGBA{255, 255, 255, 255})
	}
}

// text paints digits and the letters a to h around a point.
func (c canvas) text(text string, x, y, height float64, ink color.RGBA) {
	const step = 6 // four wide, two between
	unit := height / 6
	// Two digits are narrower: they must not touch the edge of their disc.
	wide := unit * (1 - 0.14*float64(len(text)-1))
	left := x - wide*(step*float64(len(text))-2)/2
	width := max(0.062, 1.2/c.scale)
	for _, r := range text {
		for _, line := range glyph(r) {
			points := line
			for i := range len(points) - 1 {
				place := func(p point) point { return point{left + p[0]*wide, y + (p[1]-3)*unit} }
				c.segment(place(points[i]), place(points[i+1]), width, ink)
			}
		}
		left += step * wide
	}
}

// glyph returns the lines of a character, four wide and six high with y
// downwards.
func glyph(r rune) [][]point {
	switch r {
	case '0':
		return [][]point{{{1, 0}, {3, 0}, {4, 1}, {4, 5}, {3, 6}, {1, 6}, {0, 5}, {0, 1}, {1, 0}}}
	case '1':
		return [][]point{{{0.8, 1.2}, {2.2, 0}, {2.2, 6}}}
	case '2':
		return [][]point{{{0, 1}, {1, 0}, {3, 0}, {4, 1}, {4, 2}, {0, 6}, {4, 6}}}
	case '3':
		return [][]point{{{0, 0.8}, {1, 0}, {3, 0}, {4, 1}, {4, 2}, {3, 3}, {4, 4}, {4, 5}, {3, 6}, {1, 6}, {0, 5.2}}, {{1.5, 3}, {3, 3}}}
	case '4':
		return [][]point{{{3, 6}, {3, 0}, {0, 4}, {4.2, 4}}}
	case '5':
		return [][]point{{{4, 0}, {0.4, 0}, {0, 3}, {1, 2.4}, {3, 2.4}, {4, 3.4}, {4, 5}, {3, 6}, {1, 6}, {0, 5.2}}}
	case '6':
		return [][]point{{{3.2, 0}, {0.8, 2.6}, {0, 4}, {0, 5}, {1, 6}, {3, 6}, {4, 5}, {4, 4}, {3, 3}, {1, 3}, {0, 4}}}
	case '7':
		return [][]point{{{0, 0}, {4, 0}, {1.5, 6}}}
	case '8':
		return [][]point{
			{{1, 0}, {3, 0}, {4, 0.9}, {4, 2}, {3, 2.9}, {1, 2.9}, {0, 2}, {0, 0.9}, {1, 0}},
			{{1, 2.9}, {0, 3.9}, {0, 5}, {1, 6}, {3, 6}, {4, 5}, {4, 3.9}, {3, 2.9}},
		}
	case '9':
		return [][]point{{{0.8, 6}, {3.2, 3.4}, {4, 2}, {4, 1}, {3, 0}, {1, 0}, {0, 1}, {0, 2}, {1, 3}, {3, 3}, {4, 2}}}
	}
	return letterGlyph(r)
}

// letterGlyph is glyph for the names of the files.
func letterGlyph(r rune) [][]point {
	bowl := []point{{4, 3}, {3, 2}, {1, 2}, {0, 3}, {0, 5}, {1, 6}, {3, 6}, {4, 5}}
	stem := func(x float64) []point { return []point{{x, 0}, {x, 6}} }
	switch r {
	case 'a':
		return [][]point{bowl, {{4, 2}, {4, 6}}}
	case 'b':
		return [][]point{stem(0), {{0, 3}, {1, 2}, {3, 2}, {4, 3}, {4, 5}, {3, 6}, {1, 6}, {0, 5}}}
	case 'c':
		return [][]point{bowl}
	case 'd':
		return [][]point{bowl, stem(4)}
	case 'e':
		return [][]point{{{0, 4}, {4, 4}, {4, 3}, {3, 2}, {1, 2}, {0, 3}, {0, 5}, {1, 6}, {3, 6}, {4, 5.3}}}
	case 'f':
		return [][]point{{{4, 0.2}, {3, 0}, {2, 1}, {2, 6}}, {{0.6, 2.4}, {3.6, 2.4}}}
	case 'g':
		return [][]point{bowl, {{4, 2}, {4, 6.6}, {3, 7.6}, {1, 7.6}, {0.2, 7}}}
	case 'h':
		return [][]point{stem(0), {{0, 3}, {1, 2}, {3, 2}, {4, 3}, {4, 6}}}
	}
	return nil
}
