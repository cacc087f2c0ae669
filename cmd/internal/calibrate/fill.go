package calibrate

import (
	"slices"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// fill asks for discs on all squares that can be believed, to test the diodes.
func (w *Walk) fill() {
	w.first = w.judge()
	w.filled = true
	w.laid = 0
	w.enter(Filling)
	w.at, w.asks, w.unseen = 0, filling(w.first.masked), 0
	w.ask()
}

// cellsOf returns the cells of squares.
func (j *findings) cellsOf(squares engine.Bitboard) (cells engine.Bitboard) {
	for s := range squares.All() {
		cells |= j.cell(s).Bit()
	}
	return cells
}

// cell returns the cell of a square.
func (j *findings) cell(s engine.Square) engine.Square {
	return sensing.Turn(j.cells[s], 4-j.turned)
}

// inPlace returns the cells that are as a filling wants them; the driver may
// doubt those that are closed.
func (w *Walk) inPlace() engine.Bitboard {
	a := &w.asks[w.at]
	cells := w.first.cellsOf(a.Squares)
	if a.Do == Take {
		return cells &^ w.sight.rawNorth
	}
	return cells & w.sight.rawNorth
}

// layDown keeps the books of a filling.
func (w *Walk) layDown(r *result) {
	cells := w.first.cellsOf(r.ask.Squares)
	if r.ask.Do == Place {
		w.laid |= cells
		return
	}
	w.laid &^= cells
	if w.suspect == 0 {
		return
	}
	w.suspects++
	switch {
	case w.sight.rawNorth&w.faked == 0:
		w.diodes |= w.suspect
		w.faked, w.suspects = 0, 0
	case w.suspects >= maxSuspects:
		w.riddles = append(w.riddles, riddle{ghosts: w.faked, among: w.among})
		w.faked, w.suspects = 0, 0
	}
	w.suspect = 0
}

// riddle are cells that have seemed closed because of one diode among some.
type riddle struct{ ghosts, among engine.Bitboard }

// ghosts returns the cells that have seemed closed, and no diode was found later
// that was to blame.
func (w *Walk) ghosts() (left engine.Bitboard) {
	for _, r := range w.riddles {
		if r.among&w.diodes == 0 {
			left |= r.ghosts
		}
	}
	return left
}

// maxSuspects is how many discs are taken off, one after the other, to find the
// diode that is to blame.
const maxSuspects = 4

// together is how long after a contact those have closed that it has made seem
// closed; a hand is slower.
const together = 100 * time.Millisecond

// findDiode looks for contacts that seem to have closed together with the one on
// which a disc was just laid. They are in one line with it; the diode that lets
// them is in the other line of that contact, at the corner opposite to them. It
// reports whether there may be one; its disc is then to be taken off: for good, if
// they go with it, so that the rest can be tested.
func (w *Walk) findDiode() bool {
	a := w.asks[w.at]
	here := w.first.cell(a.Squares.First())
	if a.Do != Place || !w.sight.rawNorth.Has(here) {
		return false
	}
	if w.closed == 0 {
		w.closed = w.now
	}
	ghosts := w.sight.rawNorth &^ (w.laid | here.Bit() | w.sight.stuckNorth | w.before)
	if ghosts == 0 || w.faked == 0 && w.now-w.closed > together {
		w.faked = 0
		return false
	}
	again := []Ask{a}
	among := w.inLine(here.Bit()) &^ w.inLine(ghosts)
	guilty := w.likely(w.laid & among)
	if ghosts&w.inLine(here.Bit()) == 0 {
		// They are opposite to this one: it is its own diode.
		guilty, among, again = here.Bit(), here.Bit(), nil
	}
	if guilty == 0 {
		return false
	}
	w.suspect, w.among, w.faked = guilty, among, ghosts
	take := Ask{Do: Take, Squares: w.first.under(guilty), Face: engine.None, tidy: true}
	w.asks = slices.Concat(w.asks[:w.at], []Ask{take}, again, w.asks[w.at+1:])
	w.ask()
	return true
}

// likely returns the cell of a set whose diode is the most likely one to be
// shorted: one that the driver suspects, or else the one that was laid last, for
// those before have been tested more often.
func (w *Walk) likely(cells engine.Bitboard) engine.Bitboard {
	if accused := cells & w.accused; accused != 0 {
		return accused.First().Bit()
	}
	for i := w.at - 1; i >= 0; i-- {
		if w.asks[i].Do != Place {
			continue
		}
		if c := w.first.cellsOf(w.asks[i].Squares) & cells; c != 0 {
			return c
		}
	}
	return 0
}

// inLine returns the cells that share a row or column with one of some cells.
func (w *Walk) inLine(cells engine.Bitboard) (all engine.Bitboard) {
	for _, b := range w.o.Banks {
		if b.Cells&cells != 0 {
			all |= b.Cells
		}
	}
	return all
}
