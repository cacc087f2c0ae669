package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"reversi-board/engine/plaintext"
)

const (
	// width is how long lines are, margin where their text begins.
	width  = 96
	margin = 20
)

// Printer writes a report for people, check by check.
type Printer struct {
	w io.Writer
	// color says that statuses are colored.
	color bool
	err   error
}

// NewPrinter returns a printer. Colors are for terminals.
func NewPrinter(w io.Writer, color bool) *Printer { return &Printer{w: w, color: color} }

// Err returns why something could not be written, nil if everything was.
func (p *Printer) Err() error { return p.err }

// painted is a text with the codes of a terminal that this program puts there.
type painted string

// printf writes what comes from outside so that the terminal shows it and does nothing
// else.
func (p *Printer) printf(format string, args ...any) {
	if p.err != nil {
		return
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = plaintext.Escape(text)
		}
	}
	_, p.err = fmt.Fprintf(p.w, format, args...)
}

// status writes a status, as wide as the longest.
func (p *Printer) status(s Status) painted {
	text := fmt.Sprintf("%-4s", s)
	if !p.color {
		return painted(text)
	}
	code := "0"
	switch s {
	case OK:
		code = "32" // green
	case Warn:
		code = "33" // yellow
	case Fail:
		code = "31" // red
	case Skip:
		code = "2" // faint
	}
	return painted("\x1b[" + code + "m" + text + "\x1b[0m")
}

// Check writes what became of a check, and the pins after that of the settings.
func (p *Printer) Check(c *Check, r *Report) {
	p.printf("%s  %-12s  %s\n", p.status(c.Status), c.Name, wrap(c.Found, margin))
	if c.Next != "" {
		p.printf("%s-> %s\n", strings.Repeat(" ", margin), wrap(c.Next, margin+3))
	}
	for i := range c.Problems {
		q := &c.Problems[i]
		said := q.Found == c.Found && len(c.Problems) == 1
		if !said {
			p.printf("      %s  %-*s  %s\n", p.status(q.Status), margin-14, place(q.Where), wrap(q.Found, margin))
		}
		p.printf("%s-> %s\n", strings.Repeat(" ", margin), wrap(q.Next, margin+3))
	}
	if c.Name == "config" && r != nil {
		p.pins(r)
	}
}

// place shortens what does not fit beside the status: the sentence says it too.
func place(where string) string {
	if len(where) > margin-14 {
		return ""
	}
	return where
}

// pins writes the map of the header, and what is behind the buses.
func (p *Printer) pins(r *Report) {
	pad := strings.Repeat(" ", margin)
	for _, pin := range r.Pins {
		p.printf("%s%-7s pin %-3d %s\n", pad, pin.Pin, pin.Header, pin.Use)
	}
	for _, line := range r.Wiring {
		p.printf("%s%s\n", pad, wrap(line, margin+4))
	}
}

// wrap breaks a text into lines whose continuations are indented.
func wrap(text string, indent int) string {
	var b strings.Builder
	used := indent
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// End writes the maps of the squares, and the summary.
func (p *Printer) End(r *Report) {
	if len(r.Squares) > 0 {
		p.maps(r.Squares)
	}
	for _, left := range r.Left {
		p.printf("%s\n", wrap(left, 0))
	}
	p.printf("\n%s\n", r.Summary.Text)
}

// board is one map of the squares.
type board struct {
	title string
	at    func(q *Square) State
}

// boards are the maps that there is something in.
func boards(squares []Square) []board {
	all := []board{
		{"black up", func(q *Square) State { return q.Black }},
		{"white up", func(q *Square) State { return q.White }},
		{"a disc", func(q *Square) State { return q.Disc }},
		{"lights", func(q *Square) State { return q.LED }},
	}
	return slices.DeleteFunc(all, func(b board) bool {
		return !slices.ContainsFunc(squares, func(q Square) bool { return b.at(&q) != "" })
	})
}

// maps draws the boards side by side, with a legend of what is in them.
func (p *Printer) maps(squares []Square) {
	all := boards(squares)
	if len(all) == 0 {
		return
	}
	var titles, files string
	for _, b := range all {
		titles += fmt.Sprintf("    %-18s", b.title)
		files += "    a b c d e f g h   "
	}
	p.printf("\n%s\n%s\n", strings.TrimRight(titles, " "), strings.TrimRight(files, " "))
	used := map[byte]State{}
	for rank := range 8 {
		var line strings.Builder
		for _, b := range all {
			fmt.Fprintf(&line, "  %d", rank+1)
			for file := range 8 {
				state := b.at(&squares[8*rank+file])
				used[state.letter()] = state
				fmt.Fprintf(&line, " %c", state.letter())
			}
			line.WriteString("   ")
		}
		p.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
	var legend []string
	for _, s := range states() {
		if used[s.letter()] == s {
			legend = append(legend, string(s.letter())+" "+string(s))
		}
	}
	p.printf("    %s\n", wrap(strings.Join(legend, ", "), 4))
}

// states are all states, in the order of the legend.
func states() []State {
	return []State{
		Fine, Quiet, Occupied, Untested, Lost, Dead, Reversed, Elsewhere, Stuck, Both, Flapping, Weak, Noisy,
		Implausible, Open, Shorted, Suspect,
	}
}
