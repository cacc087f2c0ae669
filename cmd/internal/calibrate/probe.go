package calibrate

import (
	"reversi-board/engine"
	"reversi-board/sensing"
)

// exposure is what one side of a disc on one square did.
type exposure struct {
	// asked says that the disc was asked for, seen that a cell responded.
	asked, seen bool
	// cell is the one that responded, with the pole that it showed.
	cell engine.Square
	pole pole
	// right of scans showed that pole alone.
	right, scans int
	// counts are the readings of all cells meanwhile, for Field.
	counts *sensing.Samples
}

// probe is what is known of a square: what it did with black up, and with white
// up. Without colors there is the first only.
type probe struct {
	face [2]exposure
	// others are cells that responded as well when there was one disc only.
	others engine.Bitboard
}

// seen reports whether any cell responded.
func (p *probe) seen() bool { return p.face[0].seen || p.face[1].seen }

// cell returns the cell that responded.
func (p *probe) cell() engine.Square {
	if p.face[0].seen {
		return p.face[0].cell
	}
	return p.face[1].cell
}

// torn reports that the two sides were seen by different cells.
func (p *probe) torn() bool {
	return p.face[0].seen && p.face[1].seen && p.face[0].cell != p.face[1].cell
}

// shared reports whether an ask tells something of several squares together.
func (a Ask) shared() bool { return a.Squares.Count() > 1 && !a.tidy }

// slot is the number of an ask's exposure in a probe.
func slot(a Ask) int {
	if a.Face == engine.White {
		return 1
	}
	return 0
}

// probes puts together what every square did. What was checked counts in place of
// what was walked before.
func (w *Walk) probes() (all [engine.Squares]probe) {
	w.attribute(w.walked, &all)
	for s := range w.again().All() {
		all[s] = probe{}
	}
	w.attribute(w.checked, &all)
	return all
}

// again returns the squares that have been looked at once more.
func (w *Walk) again() (squares engine.Bitboard) {
	for i := range w.checked {
		squares |= w.checked[i].ask.Squares
	}
	return squares
}

// attribute finds out which of the cells that responded to an ask belongs to
// which of its squares.
func (w *Walk) attribute(results []result, all *[engine.Squares]probe) {
	for i := range results {
		r := &results[i]
		if r.ask.Squares.Count() == 1 && !r.ask.tidy {
			s := r.ask.Squares.First()
			c, ok := w.strongest(r, s)
			all[s].note(r, s, c, ok)
			all[s].others |= r.cells &^ c.Bit()
		}
	}
	// Squares that shared their asks: every one was asked for twice, together with
	// others each time, and its cell is the one that responded both times.
	for s := range engine.Square(engine.Squares) {
		first, second := sharedBy(results, s)
		switch {
		case first == nil:
		case second == nil:
			all[s].alone(first, s)
		default:
			c, both := s, first.cells&second.cells
			if both != 0 && !both.Has(s) {
				c = both.First()
			}
			all[s].note(first, s, c, both != 0)
			all[s].note(second, s, c, both != 0)
		}
	}
	leftOver(results, all)
}

// alone gives a square its cell when it was asked for together with others only
// once: the one that answered when it was asked for by itself.
func (p *probe) alone(r *result, s engine.Square) {
	if p.seen() {
		p.note(r, s, p.cell(), r.cells.Has(p.cell()))
	}
}

// sharedBy returns the asks in which a square was one of several, without those
// that only clear the board.
func sharedBy(results []result, s engine.Square) (first, second *result) {
	for i := range results {
		r := &results[i]
		if !r.ask.Squares.Has(s) || !r.ask.shared() {
			continue
		}
		if first == nil {
			first = r
		} else if second == nil {
			second = r
		}
	}
	return first, second
}

// strongest returns the cell that responded to a single disc: that of the square
// if it did, else the one that shows most.
func (w *Walk) strongest(r *result, s engine.Square) (engine.Square, bool) {
	best, most := s, -1
	for c := range r.cells.All() {
		show := r.tally.north[c] + r.tally.south[c]
		if w.o.Senses == Field {
			show = max(int(r.tally.counts.Mean(c))-w.sight.null[c], w.sight.null[c]-int(r.tally.counts.Mean(c)))
		}
		if c == s {
			return s, true
		}
		if show > most {
			best, most = c, show
		}
	}
	return best, most >= 0
}

// note notes what a cell did, in the exposure that the ask is about.
func (p *probe) note(r *result, s, c engine.Square, seen bool) {
	e := &p.face[slot(r.ask)]
	if e.seen && !seen {
		return
	}
	*e = exposure{asked: true, seen: seen, cell: c, scans: r.tally.scans}
	if !seen {
		e.cell = s
		return
	}
	e.pole = pole(r.north>>c&1) | pole(r.south>>c&1)<<1
	switch e.pole {
	case north:
		e.right = r.tally.north[c]
	case south:
		e.right = r.tally.south[c]
	case nothing, both:
	}
	e.counts = &r.tally.counts
}

// leftOver gives cells that responded to only one of two shared asks to the
// squares that no cell has responded for: their own if that is one of them, or
// the only one.
func leftOver(results []result, all *[engine.Squares]probe) {
	var taken engine.Bitboard
	for s := range all {
		if p := &all[s]; p.seen() {
			taken |= p.face[0].cell.Bit() | p.face[1].cell.Bit()
		}
	}
	for i := range results {
		r := &results[i]
		if !r.ask.shared() {
			continue
		}
		var free engine.Bitboard
		for s := range r.ask.Squares.All() {
			if !all[s].seen() {
				free |= s.Bit()
			}
		}
		for c := range (r.cells &^ taken).All() {
			switch {
			case free.Has(c):
				all[c].note(r, c, c, true)
			case free.Count() == 1:
				all[free.First()].note(r, free.First(), c, true)
			}
		}
	}
}
