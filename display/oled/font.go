package oled

import (
	"fmt"
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

const (
	// lineHeight and letterWidth are the size of a letter of the words.
	lineHeight  = 16
	letterWidth = Width / Letters
	// baseline is where the letters of a line stand, counted from its top.
	baseline = 12

	// scoreSize and clockSize are the sizes of the numbers in pixels per em.
	scoreSize = 30
	clockSize = 23
)

// letters are the words' glyphs, from the blank to the tilde.
type letters [1 + '~' - ' ']glyph

// numerals are the glyphs of times and scores. All digits are equally wide.
type numerals struct {
	digits            [10]glyph
	colon, dot, hours glyph
	// height is that of the digits in rows.
	height int
}

// glyph returns that of a character of a time or a score.
func (n *numerals) glyph(b byte) *glyph {
	switch b {
	case ':':
		return &n.colon
	case '.':
		return &n.dot
	case 'h':
		return &n.hours
	default:
		return &n.digits[(b-'0')%10]
	}
}

// width returns how wide a line is written.
func (n *numerals) width(l *Line) int {
	width := 0
	for _, b := range l.text[:l.n] {
		width += n.glyph(b).advance
	}
	return width
}

// write draws a line with its upper left corner at x, y.
func (n *numerals) write(m *Image, l *Line, x, y int) {
	for _, b := range l.text[:l.n] {
		g := n.glyph(b)
		m.put(g, x, y)
		x += g.advance
	}
}

// loadLetters turns the font of the words into pixels.
func loadLetters() letters {
	var all letters
	for i := range all {
		all[i] = pixels(inconsolata.Bold8x16, rune(' '+i), baseline, letterCover)
		all[i].advance = letterWidth
	}
	return all
}

// loadNumerals turns the font of the numbers into pixels, at a size in pixels
// per em.
func loadNumerals(size float64) (numerals, error) {
	var n numerals
	outlines, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return n, fmt.Errorf("read the font of the numbers: %w", err)
	}
	face, err := opentype.NewFace(outlines, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return n, fmt.Errorf("scale the font of the numbers: %w", err)
	}
	bounds, _, _ := face.GlyphBounds('7')
	n.height = -bounds.Min.Y.Floor()
	for i := range n.digits {
		n.digits[i] = pixels(face, rune('0'+i), n.height, numberCover)
	}
	n.colon = pixels(face, ':', n.height, numberCover)
	n.dot = pixels(face, '.', n.height, numberCover)
	n.hours = pixels(face, 'h', n.height, numberCover)
	return n, face.Close()
}

// How much of a pixel an outline must cover to light it, of 65535: half for the
// letters, which are thin; more for the numbers, whose curves would end in single
// pixels.
const (
	letterCover = 0x8000
	numberCover = 0x9800
)

// pixels turns a letter of a font into a glyph whose baseline is the given
// number of rows below its top. It keeps the blank at the letter's left.
func pixels(face font.Face, r rune, baseline int, cover uint32) glyph {
	var g glyph
	box, mask, at, advance, ok := face.Glyph(fixed.P(0, baseline), r)
	if !ok {
		return g
	}
	g.advance = advance.Round()
	for x := box.Min.X; x < box.Max.X; x++ {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			if !image.Pt(x, y).In(image.Rect(0, 0, maxGlyph, lineHeight*2)) {
				continue
			}
			_, _, _, alpha := mask.At(at.X+x-box.Min.X, at.Y+y-box.Min.Y).RGBA()
			if alpha >= cover {
				g.columns[x] |= 1 << y
				g.width = max(g.width, x+1)
			}
		}
	}
	return g
}
