package calibrate

import (
	"slices"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// crossing is what the neighbors do to a square.
type crossing struct {
	// sum is what all eight neighbors together do to the empty square, in counts,
	// one disc each: measured one by one. most is the most that was measured at
	// once.
	sum, most int
	// felt are the neighbors whose disc made the cell respond.
	felt engine.Bitboard
}

// judgeStrength takes the levels of all squares, and names weak ones.
func (w *Walk) judgeStrength(j *findings) {
	var strengths []int
	for s := range (j.known &^ j.masked).All() {
		l, err := w.levelsOf(j, s)
		if err != nil {
			j.odd |= s.Bit()
			j.masked |= s.Bit()
			j.add(Unsteady, Bad, s.Bit(), "%s. It is left out of play.", capital(err.Error()))
			continue
		}
		j.levels[s] = l
		strengths = append(strengths, strength(l))
	}
	if len(strengths) == 0 {
		return
	}
	slices.Sort(strengths)
	j.usual = strengths[len(strengths)/2]
	usual := w.o.Sensor.Field(j.usual)
	if usual < weakField {
		j.add(WeakDiscs, Bad, j.known&^j.masked, "Discs make %.1f mT only, at least %.0f are wanted: take stronger magnets, "+
			"or bring the sensors closer to the discs.", usual, weakField)
		return
	}
	for s := range (j.known &^ j.masked).All() {
		if n := strength(j.levels[s]); n*100 < j.usual*weakPercent {
			j.odd |= s.Bit()
			j.add(WeakCell, Bad, s.Bit(), "On %v every disc is weak: %.1f mT, where %.1f are usual. "+
				"Check how the sensor lies; it plays on with little to spare.", s, w.o.Sensor.Field(n), usual)
		}
	}
}

// strength is the smaller full scale of a square, in counts.
func strength(l sensing.Levels) int {
	n, s := int(l.North)-int(l.Null), int(l.South)-int(l.Null)
	return min(max(n, -n), max(s, -s))
}

// levelsOf computes the levels of a square from what its cell has shown.
func (w *Walk) levelsOf(j *findings, s engine.Square) (sensing.Levels, error) {
	p := &j.probes[s]
	var empty, black, white sensing.Samples
	empty.Take(s, &w.empty.counts, p.cell())
	black.Take(s, p.face[0].counts, p.face[0].cell)
	white.Take(s, p.face[1].counts, p.face[1].cell)
	if w.o.NorthIsBlack {
		return sensing.Calibrate(s, &empty, &black, &white)
	}
	return sensing.Calibrate(s, &empty, &white, &black)
}

// judgeDiscs names discs that were odd on squares that are not.
func (w *Walk) judgeDiscs(j *findings) {
	if w.first == nil || !w.o.many() {
		return
	}
	good := w.again() &^ j.odd
	for s := range (good & w.first.said(Dead, WeakCell)).All() {
		j.add(WeakDisc, Bad, s.Bit(), "The disc that lay on %v was hardly seen or not at all, another one was: its magnet is weak, or missing. "+
			"Change it.", s)
	}
	for s := range (good & w.first.said(Reversed, Half)).All() {
		j.add(OddDisc, Note, s.Bit(), "The disc that lay on %v was seen wrong side up, another one was not: "+
			"it lay that way, or its magnet is the wrong way round.", s)
	}
}

// judgeNeighbors finds out what discs do to the squares beside them.
func (w *Walk) judgeNeighbors(j *findings) {
	// What was looked at once more does not count: a disc may have lain on the
	// square beside.
	again := w.again()
	for i := range w.walked {
		if r := &w.walked[i]; r.ask.Squares&^again != 0 {
			w.feelNeighbors(j, r)
		}
	}
	for i := range w.checked {
		w.feelNeighbors(j, &w.checked[i])
	}
	var felt engine.Bitboard
	// Where a disc is weak, its neighbors are felt the more; that is said already.
	for s := range (j.known &^ j.masked &^ j.said(WeakCell, WeakDiscs)).All() {
		c := &j.cross[s]
		switch {
		case c.felt != 0:
			felt |= s.Bit()
			j.add(Crosstalk, Bad, s.Bit(), "%v responds to a disc on %s: the squares are too close to each other, or the magnets too strong.",
				s, list(c.felt.Names()))
		case w.o.Senses == Field && w.crossShare(j, s) > crossPercent:
			felt |= s.Bit()
		}
	}
	if weak := felt &^ j.said(Crosstalk); weak != 0 {
		s := w.mostCrossed(j, weak)
		j.add(Crosstalk, Bad, weak, "The discs around a square are felt too much, most on %v with %d %% of a disc, where %d are allowed: "+
			"take weaker magnets, or bring the sensors closer to the discs.", s, w.crossShare(j, s), crossPercent)
	}
}

func (w *Walk) mostCrossed(j *findings, squares engine.Bitboard) engine.Square {
	worst := squares.First()
	for s := range squares.All() {
		if w.crossShare(j, s) > w.crossShare(j, worst) {
			worst = s
		}
	}
	return worst
}

// crossShare returns what the neighbors do to a square, in percent of its full
// scale, rounded up.
func (w *Walk) crossShare(j *findings, s engine.Square) int {
	full := strength(j.levels[s])
	if full == 0 {
		return 0
	}
	return (max(j.cross[s].sum, -j.cross[s].sum, j.cross[s].most)*100 + full - 1) / full
}

// feelNeighbors notes what one ask has done to empty squares.
func (w *Walk) feelNeighbors(j *findings, r *result) {
	single := engine.Square(engine.Squares)
	if r.ask.Squares.Count() == 1 && r.ask.Do != Take {
		single = r.ask.Squares.First()
	}
	for s := range (j.known &^ j.masked).All() {
		cell := j.cell(s)
		if single < engine.Squares && s != single && r.cells.Has(cell) && !w.explains(j, single, cell) {
			j.cross[s].felt |= single.Bit()
		}
		if w.o.Senses != Field || r.lying.Has(cell) || r.tally.counts.Count(cell) == 0 {
			continue
		}
		away := int(r.tally.counts.Mean(cell)) - w.sight.null[cell]
		c := &j.cross[s]
		c.most = max(c.most, away, -away)
		if single < engine.Squares && r.ask.Face == engine.Black && beside(single, s) {
			c.sum += away
		}
	}
}

// explains reports whether a cell is the one of the disc itself.
func (w *Walk) explains(j *findings, s, cell engine.Square) bool {
	p := &j.probes[s]
	return p.face[0].seen && p.face[0].cell == cell || p.face[1].seen && p.face[1].cell == cell
}

// beside reports whether two squares touch.
func beside(a, b engine.Square) bool {
	f, r := a.File()-b.File(), a.Rank()-b.Rank()
	return a != b && f*f <= 1 && r*r <= 1
}

// many reports whether more than one disc is used.
func (o *Options) many() bool { return o.Quick && o.Senses != Presence }

// checks returns what must be looked at once more.
func (w *Walk) checks(j *findings) []Ask {
	odd := j.odd &^ j.said(BankLost, BankDead, Stuck, Flapping, NoDisc)
	if odd == 0 {
		return nil
	}
	var order []engine.Square
	if good := j.known &^ j.odd &^ j.masked; good != 0 && w.o.many() {
		// Is the disc itself a good one?
		order = append(order, w.best(j, good))
		w.reference = true
	}
	for s := range odd.All() {
		if order = append(order, s); len(order) > maxChecks {
			break
		}
	}
	if w.o.Senses == Presence {
		if good := j.known &^ j.odd &^ j.masked; good != 0 {
			// In the end the disc lies where it can be seen.
			order = append(order, good.First())
		}
		return touches(order)
	}
	return singles(order, engine.Black)
}

// more adds checks of the squares whose cells have answered for squares that were
// checked, if they have not been checked themselves.
func (w *Walk) more() bool {
	j := w.judge()
	done, cells := w.again(), engine.Bitboard(0)
	for s := range (done & j.said(Crossed, Shared)).All() {
		p := &j.probes[s]
		cells |= p.face[0].cell.Bit() | p.face[1].cell.Bit()
	}
	var order []engine.Square
	for s := range (j.under(cells) &^ done).All() {
		order = append(order, s)
	}
	if w.o.Senses == Presence {
		w.asks = append(w.asks, touches(order)...)
	} else {
		w.asks = append(w.asks, singles(order, engine.Black)...)
	}
	return len(order) > 0
}

// best returns the square that sees discs best.
func (w *Walk) best(j *findings, squares engine.Bitboard) engine.Square {
	best := squares.First()
	for s := range squares.All() {
		if strength(j.levels[s]) > strength(j.levels[best]) {
			best = s
		}
	}
	return best
}

// retry begins the checks again with another disc when the one at hand is weak
// on a square that is good.
func (w *Walk) retry() {
	if w.stage != Checking || !w.reference || w.at != 2 || w.tries >= maxTries {
		return
	}
	j := w.judge()
	s := w.asks[0].Squares.First()
	if j.known.Has(s) && (w.o.Senses != Field || strength(j.levels[s])*100 >= w.first.usual*weakPercent) {
		return
	}
	w.tries++
	w.checked, w.at, w.unseen = nil, 0, 0
}
