package calibrate

import (
	"fmt"
	"strings"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// Report is what a walk has found, for people and programs.
type Report struct {
	// Well says that the board, calibrated with all corrections, reads every
	// square right.
	Well bool `json:"well"`
	// Summary is one sentence.
	Summary string `json:"summary"`
	Kind    string `json:"kind"`
	// Senses is poles, presence or field.
	Senses string `json:"senses"`
	Quick  bool   `json:"quick"`
	// Turned is by how many degrees clockwise the cells are mounted.
	Turned int `json:"turned"`
	// Corrections counts the findings that the calibration puts right.
	Corrections int       `json:"corrections"`
	Findings    []Finding `json:"findings"`
	Squares     []Quality `json:"squares"` // a1 to h8
}

// Quality is what was measured of one square. What a board does not measure is
// left out.
type Quality struct {
	Square string `json:"square"`
	// Cell is the square under which the settings say that its cell lies.
	Cell string `json:"cell"`
	// Verdict is "good", or what is wrong in a word.
	Verdict  string   `json:"verdict"`
	Severity Severity `json:"severity,omitempty"`
	// Black and White are the two sides of a disc; without colors Black is a disc.
	Black Side `json:"black"`
	White Side `json:"white"`
	// Null is what the empty cell reads, Noise how far its readings lie apart, in
	// counts.
	Null  int `json:"null,omitempty"`
	Noise int `json:"noise,omitempty"`
	// Neighbors is what the discs around do, in percent of full scale and in mT;
	// Felt names those that make the cell respond.
	Neighbors   int      `json:"neighbors_percent"`
	NeighborsMT float64  `json:"neighbors_mt"`
	Felt        []string `json:"felt,omitempty"`
	// Margin is what is left in the worst case before something is misread, in
	// percent of full scale and in mT; for boards that measure.
	Margin   int     `json:"margin_percent,omitempty"`
	MarginMT float64 `json:"margin_mt,omitempty"`
}

// Side is what one side of a disc did.
type Side struct {
	Seen bool `json:"seen"`
	// Right of Scans showed it.
	Right int `json:"right"`
	Scans int `json:"scans"`
	// Counts and Field are how far the reading was from the empty cell's, in
	// counts and mT.
	Counts int     `json:"counts,omitempty"`
	Field  float64 `json:"mt,omitempty"`
}

// report returns the report on what was found.
func (w *Walk) report() *Report {
	j := w.found
	r := &Report{
		Well: true, Kind: w.o.Kind, Quick: w.o.Quick, Turned: 90 * j.turned, Findings: j.list,
		Senses: [...]string{Poles: "poles", Presence: "presence", Field: "field"}[w.o.Senses],
	}
	bad := 0
	for _, f := range j.list {
		switch f.Severity {
		case Bad:
			bad++
			r.Well = false
		case Corrected:
			r.Corrections++
		case Note:
		}
	}
	switch {
	case bad == 0 && r.Corrections == 0:
		r.Summary = "All 64 squares are good."
	case bad == 0:
		r.Summary = fmt.Sprintf("All 64 squares are good with %s.", plural(r.Corrections, "correction"))
	default:
		r.Summary = fmt.Sprintf("%s to be repaired", plural(bad, "thing"))
		if r.Corrections > 0 {
			r.Summary += fmt.Sprintf(", %s", plural(r.Corrections, "correction"))
		}
		if n := j.masked.Count(); n > 0 {
			r.Summary += fmt.Sprintf("; %s left out of play", plural(n, "square"))
		}
		r.Summary += "."
	}
	for s := range engine.Square(engine.Squares) {
		r.Squares = append(r.Squares, w.quality(s))
	}
	return r
}

// quality returns what was measured of a square.
func (w *Walk) quality(s engine.Square) Quality {
	j := w.found
	cell := j.cell(s)
	q := Quality{Square: s.String(), Cell: cell.String(), Verdict: "good", Felt: j.cross[s].felt.Names()}
	p := &j.probes[s]
	q.Black, q.White = w.side(&p.face[0]), w.side(&p.face[1])
	for _, f := range j.list {
		if f.Squares.Has(s) && worse(f.Severity, q.Severity) && f.Kind != Turned {
			q.Verdict, q.Severity = f.Kind.words(), f.Severity
		}
	}
	if w.o.Senses != Field {
		return q
	}
	q.Null, q.Noise = w.sight.null[cell], w.sight.spread[cell]
	full := strength(j.levels[s])
	if full == 0 {
		return q
	}
	cross := max(j.cross[s].sum, -j.cross[s].sum, j.cross[s].most)
	q.Neighbors, q.NeighborsMT = w.crossShare(j, s), w.o.Sensor.Field(cross)
	q.Margin = sensing.Spare(full, cross+(q.Noise+1)/2)
	q.MarginMT = w.o.Sensor.Field(full) * float64(q.Margin) / 100
	return q
}

func (w *Walk) side(e *exposure) Side {
	out := Side{Seen: e.seen, Right: e.right, Scans: e.scans}
	if w.o.Senses == Field && e.seen {
		out.Counts = int(e.counts.Mean(e.cell)) - w.sight.null[e.cell]
		out.Field = w.o.Sensor.Field(max(out.Counts, -out.Counts))
	}
	return out
}

// worse reports whether a severity is worse than another; none is best.
func worse(a, b Severity) bool {
	rank := map[Severity]int{"": 0, Note: 1, Corrected: 2, Bad: 3}
	return rank[a] > rank[b]
}

// Text returns the report for a terminal: a summary, what was found, a map, and a
// table of all squares.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Summary)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %s %s\n", map[Severity]string{Bad: "!", Corrected: "*", Note: "-"}[f.Severity], wrap(f.Text, 74))
	}
	b.WriteString("\n" + r.board() + "\n" + r.table())
	return b.String()
}

// wrap breaks a text into lines, indented by four.
func wrap(text string, width int) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case used+1+len(word) > width:
			b.WriteString("\n    ")
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String()
}

// board draws the 64 squares with a sign for each.
func (r *Report) board() string {
	var b strings.Builder
	b.WriteString("    a b c d e f g h\n")
	legend := map[byte]string{}
	for i, q := range r.Squares {
		if i%8 == 0 {
			fmt.Fprintf(&b, "  %d", i/8+1)
		}
		c := sign(&q)
		if q.Verdict != "good" {
			legend[c] = q.Verdict
		}
		fmt.Fprintf(&b, " %c", c)
		if i%8 == 7 {
			fmt.Fprintf(&b, " %d\n", i/8+1)
		}
	}
	b.WriteString("    a b c d e f g h\n")
	for _, c := range []byte("BDHSFUR<X=W~Yd?") {
		if what, ok := legend[c]; ok {
			fmt.Fprintf(&b, "  %c %s\n", c, what)
		}
	}
	return b.String()
}

// sign is what stands for a verdict on the map.
func sign(q *Quality) byte {
	signs := map[string]byte{
		"good": '.', BankLost.words(): 'B', BankDead.words(): 'B', "dead": 'D', Half.words(): 'H', "stuck": 'S',
		"flapping": 'F', "unsteady": 'U', "reversed": 'R', "exchanged": '<', "crossed": 'X', "shared": '=',
		"weak": 'W', "crosstalk": '~', "sticky": 'Y', "diode": 'd',
	}
	if c, ok := signs[q.Verdict]; ok {
		return c
	}
	return '?'
}

// table lists all squares.
func (r *Report) table() string {
	var b strings.Builder
	switch r.Senses {
	case "field":
		b.WriteString("  square cell   black mT  white mT  around %  margin %  margin mT  verdict\n")
	case "presence":
		b.WriteString("  square cell   disc     verdict\n")
	default:
		b.WriteString("  square cell   black    white    felt     verdict\n")
	}
	for _, q := range r.Squares {
		fmt.Fprintf(&b, "  %-6s %-5s  ", q.Square, q.Cell)
		switch r.Senses {
		case "field":
			fmt.Fprintf(&b, "%8s  %8s  %8d  %8d  %9.1f  ", q.Black.measured(), q.White.measured(), q.Neighbors, q.Margin, q.MarginMT)
		case "presence":
			fmt.Fprintf(&b, "%-8s ", q.Black.share())
		default:
			fmt.Fprintf(&b, "%-8s %-8s %-8s ", q.Black.share(), q.White.share(), strings.Join(append(q.Felt, "")[:max(len(q.Felt), 1)], " "))
		}
		b.WriteString(q.Verdict + "\n")
	}
	return b.String()
}

func (s Side) share() string {
	if !s.Seen {
		return "no"
	}
	return fmt.Sprintf("%d/%d", s.Right, s.Scans)
}

func (s Side) measured() string {
	if !s.Seen {
		return "no"
	}
	return fmt.Sprintf("%.1f", s.Field)
}
