package calibrate

import (
	"fmt"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/sensing"
)

// okFor is how long squares flash whose discs have been taken note of.
const okFor = 300 * time.Millisecond

// View is everything that there is to see of a walk.
type View struct {
	Stage Stage
	// Scene is what the lights show.
	Scene display.Scene
	// Text says what to do, Note what else is to be known; both are sentences,
	// Note may be empty.
	Text, Note string
	// Ask is what is asked for while Walking and Checking. Missing are the squares
	// where it has not been seen yet.
	Ask     Ask
	Missing engine.Bitboard
	// Taking says that it has been seen, and note is taken of it.
	Taking bool
	// Done of All asks are done. In a check they count anew.
	Done, All int
	// Seen is what the cells show: discs, by the pole that faces them, as the
	// settings name squares. Doubtful are those that are not to be believed.
	Seen     engine.Discs
	Doubtful engine.Bitboard
	// Report is there from Deciding on.
	Report *Report
}

// View returns what there is to see now.
func (w *Walk) View() View {
	v := View{
		Stage: w.stage, Done: w.at, All: len(w.asks), Seen: w.seen(),
		Doubtful: w.sight.lost | w.sight.blind | w.sight.north&w.sight.south,
	}
	if w.o.Senses == Presence {
		v.Seen.Black = w.sight.occupied()
	}
	switch w.stage {
	case Clearing:
		v.Text = "Take all discs off the board."
		if left := w.sight.occupied(); left != 0 {
			v.Note = fmt.Sprintf("Something is seen on %s.", span(left))
			light(&v.Scene, left, display.Wrong)
		}
	case Measuring:
		v.Text = "Leave the board alone: it is being measured."
	case Walking, Checking, Filling:
		w.viewAsk(&v)
	case Tidying:
		v.Text = "Take all discs off the board again."
		light(&v.Scene, w.sight.occupied(), display.Wrong)
	case Deciding, Agreed, Aborted:
		w.viewEnd(&v)
	}
	return v
}

// viewAsk shows what is asked for.
func (w *Walk) viewAsk(v *View) {
	a := w.asks[w.at]
	v.Ask, v.Text = a, a.String()
	v.Missing = w.missing(a)
	if w.stage == Filling {
		v.Note = "Leave the discs there: the board is filled."
	}
	if w.stage == Checking {
		v.Note = "Once more, to be sure."
		if w.o.many() {
			v.Note = "Once more with one disc, to be sure."
		}
		if w.tries > 0 {
			v.Note = "That disc was weak itself: take another one."
		}
	}
	if w.sampling {
		v.Missing, v.Taking = 0, true
		v.Note = "Seen."
		v.Scene.OK, v.Scene.OKUntil = a.Squares, w.begun+okFor
		return
	}
	pattern := display.Flip
	switch {
	case a.Do == Take:
		pattern = display.Wrong
	case a.Do == Place && a.Face == engine.White:
		pattern = display.PlaceWhite
	case a.Do == Place:
		pattern = display.PlaceBlack
	}
	light(&v.Scene, v.Missing, pattern)
	if !w.late() {
		return
	}
	if extra := w.responded() &^ a.Squares; extra != 0 {
		v.Note = fmt.Sprintf("It is seen on %s instead. If it is done, go on.", span(extra))
	} else {
		v.Note = fmt.Sprintf("Nothing is seen on %s yet. If it is done, go on.", span(v.Missing))
	}
}

// missing returns the squares of an ask that are to be lit. While somebody is
// laying many discs, all of them: which cell belongs to which square is not known
// yet, and a light that goes out too soon would be believed.
func (w *Walk) missing(a Ask) engine.Bitboard {
	got := w.responded()
	if w.stage == Filling {
		got = w.first.under(got)
	}
	if !w.late() || got&^a.Squares != 0 {
		return a.Squares
	}
	return a.Squares &^ got
}

// viewEnd shows what was found.
func (w *Walk) viewEnd(v *View) {
	if w.stage == Aborted {
		v.Text = "Ended. Nothing was stored."
		return
	}
	v.Report = w.report()
	var bad engine.Bitboard
	for _, f := range w.found.list {
		if f.Severity == Bad {
			bad |= f.Squares
		}
	}
	light(&v.Scene, bad, display.Fault)
	v.Text = v.Report.Summary
	if w.stage == Agreed {
		return
	}
	switch {
	case v.Report.Corrections > 0:
		v.Note = fmt.Sprintf("Store the calibration with %s, or without?", plural(v.Report.Corrections, "correction"))
	default:
		v.Note = "Store the calibration?"
	}
}

// seen returns the discs by their color.
func (w *Walk) seen() engine.Discs {
	n, s := w.sight.north, w.sight.south
	if !w.o.NorthIsBlack {
		n, s = s, n
	}
	return engine.Discs{Black: n &^ s, White: s &^ n}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func light(sc *display.Scene, squares engine.Bitboard, p display.Pattern) {
	for s := range squares.All() {
		sc.Lights[s] = p
	}
}

// Calibration returns what is to be stored once the walk is Agreed, stamped with
// the time.
func (w *Walk) Calibration(made time.Time) (sensing.Calibration, error) {
	c := sensing.Identity(w.o.Kind, w.o.Wiring)
	if w.stage != Agreed {
		return c, fmt.Errorf("there is no calibration to store: the walk is %v", w.stage)
	}
	c.Made = made.UTC().Truncate(time.Second)
	j := w.found
	c.Measured = w.o.Senses == Field
	if w.fix {
		c.Turned, c.Cells, c.Masked = j.turned, j.cells, j.masked
		if !c.Measured {
			c.Reversed = j.reversed
		}
	}
	if c.Measured {
		w.levels(&c)
	}
	return c, c.Validate()
}

// Well reports whether the board reads every square right with the calibration
// that was agreed to.
func (w *Walk) Well() bool {
	if w.stage != Agreed {
		return false
	}
	r := w.report()
	return r.Well && (w.fix || r.Corrections == 0)
}

// levels gives every square the levels of the cell that it has in c.
func (w *Walk) levels(c *sensing.Calibration) {
	var of [engine.Squares]sensing.Levels
	for s := range engine.Square(engine.Squares) {
		of[w.found.cell(s)] = w.found.levels[s]
	}
	for s := range engine.Square(engine.Squares) {
		l := of[c.Cell(s)]
		if l == (sensing.Levels{}) && !c.Masked.Has(s) {
			l = w.o.Sensor.DefaultLevels()
		}
		c.Levels[s] = l
	}
}
