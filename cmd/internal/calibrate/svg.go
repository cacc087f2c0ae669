package calibrate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// The measures of the picture, in its own units.
const (
	svgCell   = 100
	svgMargin = 40
	svgTop    = 122
	svgBoard  = 8 * svgCell
	svgWidth  = svgBoard + 2*svgMargin
	svgLine   = 20
	// svgChars is how many letters of the findings fit into a line.
	svgChars = 96
)

// svgStyle follows the reader's choice of light or dark. The colors are those of
// the lights: they stay apart for color-blind eyes, and every verdict is written
// out as well.
const svgStyle = `
  :root { color-scheme: light dark; }
  .paper { fill: #f7f3ea; } .ink { fill: #22262a; } .soft { fill: #565d63; }
  .cell { fill: #dfe7e2; stroke: #f7f3ea; stroke-width: 3; }
  .corrected .cell { fill: #cfe3f2; } .bad .cell { fill: #f6d3c2; } .note .cell { fill: #eeead0; }
  .edge { fill: none; stroke: none; stroke-width: 4; }
  .corrected .edge { stroke: #0072b2; stroke-dasharray: 9 5; } .bad .edge { stroke: #d55e00; } .note .edge { stroke: #7d7400; stroke-dasharray: 2 5; }
  text { font-family: system-ui, sans-serif; font-size: 13px; }
  .title { font-size: 22px; font-weight: 650; } .name { font-size: 15px; font-weight: 650; } .verdict { font-size: 13px; font-weight: 650; }
  .number { font-variant-numeric: tabular-nums; } .line { font-size: 15px; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #14171a; } .ink { fill: #ece7dc; } .soft { fill: #a3abb2; }
    .cell { fill: #263530; stroke: #14171a; } .corrected .cell { fill: #17364c; } .bad .cell { fill: #4d2613; } .note .cell { fill: #3a3715; }
    .corrected .edge { stroke: #56b4e9; } .bad .edge { stroke: #ff7a2e; } .note .edge { stroke: #f0e442; }
  }
`

// SVG returns the report as a picture: the board, what was measured of every
// square, and what was found.
func (r *Report) SVG() []byte {
	var text []string
	for _, f := range r.Findings {
		head := map[Severity]string{Bad: "To repair: ", Corrected: "Corrected: ", Note: "Note: "}[f.Severity]
		text = append(text, strings.Split(strings.ReplaceAll(wrap(head+f.Text, svgChars), "\n    ", "\n"), "\n")...)
		text = append(text, "")
	}
	boardEnd := svgTop + svgBoard + 30
	height := boardEnd + 2*svgLine + svgLine*len(text) + 30
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="t d">`+"\n",
		svgWidth, height, svgWidth, height)
	fmt.Fprintf(&b, "<title id=\"t\">Calibration of a %s board</title>\n<desc id=\"d\">%s</desc>\n", escape(r.Kind), escape(r.Summary))
	fmt.Fprintf(&b, "<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n", svgStyle)
	write(&b, svgMargin, 42, "ink title", "start", r.Summary)
	for i, line := range r.explained() {
		write(&b, svgMargin, 66+svgLine*i, "soft line", "start", line)
	}
	for i := range lines {
		middle := svgCell*i + svgCell/2
		write(&b, svgMargin+middle, svgTop-8, "soft name", "middle", string(rune('a'+i)))
		write(&b, svgMargin-16, svgTop+middle+5, "soft name", "middle", string(rune('1'+i)))
	}
	for i := range r.Squares {
		r.svgSquare(&b, i)
	}
	write(&b, svgMargin, boardEnd, "soft line", "start", svgLegend)
	for i, line := range text {
		if line != "" {
			write(&b, svgMargin, boardEnd+svgLine*(i+2), "ink line", "start", line)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svgSquare draws one square.
func (r *Report) svgSquare(b *bytes.Buffer, i int) {
	q := &r.Squares[i]
	x, y := svgMargin+svgCell*(i%8), svgTop+svgCell*(i/8)
	class := string(q.Severity)
	if class == "" {
		class = "good"
	}
	fmt.Fprintf(b, "<g class=\"%s\"><rect class=\"cell\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", class, x, y, svgCell, svgCell)
	fmt.Fprintf(b, "<rect class=\"edge\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x+4, y+4, svgCell-8, svgCell-8)
	write(b, x+12, y+22, "ink name", "start", q.Square)
	if q.Cell != q.Square {
		write(b, x+svgCell-12, y+22, "soft", "end", "cell "+q.Cell)
	}
	if q.Severity != "" {
		write(b, x+12, y+svgCell-12, "ink verdict", "start", q.Verdict)
	}
	for k, text := range q.numbers(r.Senses) {
		write(b, x+12, y+42+16*k, "ink number", "start", text)
	}
	b.WriteString("</g>\n")
}

// numbers returns what was measured, in at most two lines.
func (q *Quality) numbers(senses string) []string {
	switch senses {
	case "field":
		if !q.Black.Seen && !q.White.Seen {
			return nil
		}
		return []string{q.Black.measured() + " / " + q.White.measured(), fmt.Sprintf("\u00b1 %.1f mT", q.NeighborsMT)}
	case "presence":
		return []string{q.Black.share()}
	}
	return []string{q.Black.share() + "  " + q.White.share()}
}

// Short returns what was measured of a square in a few letters, a line for each
// side of the disc.
func (q *Quality) Short(senses string) string {
	switch senses {
	case "field":
		return q.Black.measured() + "\n" + q.White.measured()
	case "presence":
		return q.Black.share()
	}
	return q.Black.share() + "\n" + q.White.share()
}

// explained says what the picture is and what its numbers are.
func (r *Report) explained() []string {
	what := map[string]string{
		"field":    "Field with black up / white up, in mT; below, what the discs around do.",
		"presence": "In how many scans out of how many a disc was seen.",
		"poles":    "In how many scans out of how many black was seen, and white.",
	}[r.Senses]
	walk := "square by square"
	if r.Quick {
		walk = "quickly"
	}
	return []string{capital(r.Kind) + ", calibrated " + walk + ".", what}
}

const svgLegend = "Solid edge: to be repaired. Dashed: the calibration puts it right. Dotted: good to know."

// write writes a line of text.
func write(b *bytes.Buffer, x, y int, class, anchor, text string) {
	fmt.Fprintf(b, "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>", class, x, y, anchor, escape(text))
}

func escape(text string) string {
	var b bytes.Buffer
	// Writing to a buffer cannot fail.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
