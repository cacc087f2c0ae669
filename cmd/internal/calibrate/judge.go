package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"reversi-board/engine"
	"reversi-board/sensing"
)

const (
	// weakPercent of what is usual on a board is little: below it a disc or a
	// cell is weak. A disc that lies 4 mm beside the sensor still makes two
	// thirds (8 x 2 mm at 8 mm), a sensor of the lowest sensitivity 85 %.
	weakPercent = 50
	// weakField is what is little for a whole board, in mT: the threshold, 30 %
	// of it, comes near what neighbors and drift do.
	weakField = 6.0
	// crossPercent of full scale is the most that neighbors may do to an empty
	// square for it to be surely empty, see sensing.Threshold.
	crossPercent = 10
	// unsteadyPercent is how much of the scans of a disc at rest must be right.
	unsteadyPercent = 95
	// most is how much of the board must agree that the board is turned, or
	// reversed, as a whole: three quarters.
	mostOf, mostIn = 3, 4
	// fewest is how many squares must have been seen to say so.
	fewest = 8
	// maxChecks is how many squares are looked at once more, at most: the two
	// ranks of two chips that have been exchanged, and some.
	maxChecks = 20
	// maxTries is how often another disc is asked for.
	maxTries = 3
)

// findings is what all measurements amount to.
type findings struct {
	probes [engine.Squares]probe
	list   []Finding
	// known are the squares whose cell has responded. own are those of which
	// nothing odd is known.
	known engine.Bitboard
	// turned, cells, reversed and masked are as in a calibration with all
	// corrections.
	turned   int
	cells    [engine.Squares]engine.Square
	reversed engine.Bitboard
	masked   engine.Bitboard
	levels   [engine.Squares]sensing.Levels
	// odd are squares to be looked at once more.
	odd engine.Bitboard
	// usual is the full scale that is usual, in counts.
	usual int
	cross [engine.Squares]crossing
}

// judge finds out what all measurements so far amount to.
func (w *Walk) judge() *findings {
	j := &findings{probes: w.probes()}
	for s := range engine.Square(engine.Squares) {
		if j.probes[s].seen() {
			j.known |= s.Bit()
		}
	}
	j.turn()
	w.place(j)
	w.judgeEmpty(j)
	w.judgeBanks(j)
	w.judgeSight(j)
	w.judgePoles(j)
	if w.o.Senses == Field {
		w.judgeStrength(j)
	}
	w.judgeSteady(j)
	w.judgeDiscs(j)
	w.judgeNeighbors(j)
	w.judgeEnd(j)
	return j
}

func (j *findings) add(k Kind, sev Severity, squares engine.Bitboard, format string, args ...any) {
	j.list = append(j.list, Finding{Kind: k, Severity: sev, Squares: squares, Text: fmt.Sprintf(format, args...)})
}

// said returns the squares of which something bad has been said that explains
// that they see nothing, or only half.
func (j *findings) said(kinds ...Kind) (set engine.Bitboard) {
	for _, f := range j.list {
		if slices.Contains(kinds, f.Kind) {
			set |= f.Squares
		}
	}
	return set
}

// turn finds out whether the whole board is mounted turned.
func (j *findings) turn() {
	var votes [4]int
	for s := range j.known.All() {
		for k := range votes {
			if sensing.Turn(j.probes[s].cell(), k) == s {
				votes[k]++
			}
		}
	}
	best := 0
	for k, n := range votes {
		if n > votes[best] {
			best = k
		}
	}
	n := j.known.Count()
	if best == 0 || n < fewest || votes[best]*mostIn < n*mostOf {
		return
	}
	j.turned = best
	j.add(Turned, Corrected, j.known,
		"The cells come back turned by %d degrees clockwise: the board of cells was mounted turned against the squares. "+
			"The calibration can put that right; or mount it the other way.", 90*best)
}

// place gives every square its cell, and names those that are exchanged.
func (w *Walk) place(j *findings) {
	var taken, displaced, shared engine.Bitboard
	// First the squares whose own cell has responded: nobody takes it from them.
	for _, own := range []bool{true, false} {
		for s := range j.known.All() {
			cell := sensing.Turn(j.probes[s].cell(), j.turned)
			switch {
			case (cell == s) != own:
			case taken.Has(cell):
				shared |= s.Bit()
			default:
				taken |= cell.Bit()
				j.cells[s] = cell
				if !own {
					displaced |= s.Bit()
				}
			}
		}
	}
	for s := range shared.All() {
		j.add(Shared, Bad, s.Bit(), "A disc on %v is seen on %v, which sees its own discs as well: look for a wire or a bridge "+
			"between the two, and for the wires of %v's sensor.", s, sensing.Turn(j.probes[s].cell(), j.turned), s)
	}
	j.masked |= shared
	j.odd |= shared | displaced
	left := ^taken
	for s := range (^j.known | shared).All() {
		cell := left.First()
		if left.Has(s) {
			cell = s
		}
		left &^= cell.Bit()
		j.cells[s] = cell
	}
	w.nameExchanged(j, displaced&^shared)
}

// nameExchanged names circles of squares that have each other's cells, whole
// chips first.
func (w *Walk) nameExchanged(j *findings, displaced engine.Bitboard) {
	const fix = "The calibration can put that right; or exchange the wires, or hardware.cells in the settings."
	for a := range w.o.Banks {
		for b := range w.o.Banks[:a] {
			first, second := w.squaresOf(j, b), w.squaresOf(j, a)
			if first.Count() < 2 || !j.exchanged(first, second, displaced) || !j.exchanged(second, first, displaced) {
				continue
			}
			both := (first | second) & displaced
			j.add(Exchanged, Corrected, both, "%s and %s are exchanged: each has the squares of the other (%s and %s). "+
				"The calibration can put that right; or exchange their addresses or wires.",
				capital(w.o.Banks[b].Name), w.o.Banks[a].Name, span(first), span(second))
			displaced &^= both
		}
	}
	for displaced != 0 {
		s := displaced.First()
		circle := s.Bit()
		names := []string{s.String()}
		for c := j.cells[s]; displaced.Has(c) && !circle.Has(c); c = j.cells[c] {
			circle |= c.Bit()
			names = append(names, c.String())
		}
		displaced &^= circle
		switch len(names) {
		case 1:
			j.add(Exchanged, Corrected, circle, "A disc on %v is seen on %v. %s", s, j.cells[s], fix)
		case 2:
			j.add(Exchanged, Corrected, circle, "%s and %s are exchanged: a disc on one is seen on the other. %s", names[0], names[1], fix)
		default:
			j.add(Exchanged, Corrected, circle, "%s are exchanged in a circle: a disc on %s is seen on %s, and so on. %s",
				list(names), names[0], names[1], fix)
		}
	}
}

// squaresOf returns the squares that a bank should have.
func (w *Walk) squaresOf(j *findings, bank int) (squares engine.Bitboard) {
	for c := range w.o.Banks[bank].Cells.All() {
		squares |= sensing.Turn(c, j.turned).Bit()
	}
	return squares
}

// exchanged reports whether all squares of one set that have been seen have
// their cells in the other.
func (j *findings) exchanged(from, to, displaced engine.Bitboard) bool {
	seen := from & j.known
	if seen.Count() < 2 || seen&^displaced != 0 {
		return false
	}
	for s := range seen.All() {
		if !to.Has(j.cells[s]) {
			return false
		}
	}
	return true
}

// under returns the squares under which cells lie, as far as is known.
func (j *findings) under(cells engine.Bitboard) (squares engine.Bitboard) {
	for s := range engine.Square(engine.Squares) {
		if cells.Has(j.cell(s)) {
			squares |= s.Bit()
		}
	}
	return squares
}

// judgeEmpty names what was wrong on the empty board.
func (w *Walk) judgeEmpty(j *findings) {
	s := &w.sight
	for sq := range j.under(s.stuckNorth | s.stuckSouth).All() {
		c := j.cell(sq)
		var text string
		switch n, so := s.stuckNorth.Has(c), s.stuckSouth.Has(c); {
		case w.o.Senses == Presence:
			text = fmt.Sprintf("The contact of %v is always closed: look for a bridge, or change the contact.", sq)
		case w.o.Senses == Field && n:
			text = fmt.Sprintf("The sensor of %v reads the lower end of its range: check its supply and for a short to ground.", sq)
		case w.o.Senses == Field:
			text = fmt.Sprintf("The sensor of %v reads the upper end of its range: check for a short to the supply.", sq)
		case n && so:
			text = fmt.Sprintf("Both outputs of %v are always active: check the sensor's supply, and look for bridges to ground.", sq)
		case n:
			text = fmt.Sprintf("The north output of %v is always active: look for a bridge to ground, or change the sensor.", sq)
		default:
			text = fmt.Sprintf("The south output of %v is always active: look for a bridge to ground, or change the sensor.", sq)
		}
		j.list = append(j.list, Finding{Stuck, Bad, sq.Bit(), text})
	}
	for sq := range j.under(w.shaky).All() {
		j.add(Flapping, Bad, sq.Bit(), "%v is not steady on the empty board: look for a bad joint, and for something that moves near it.", sq)
	}
	j.masked |= j.under(s.stuckNorth | s.stuckSouth | w.shaky)
}

// judgeBanks names chips of which nothing is seen.
func (w *Walk) judgeBanks(j *findings) {
	blind := j.under(w.sight.stuckNorth | w.sight.stuckSouth | w.sight.blind)
	lost := j.under(w.sight.lost)
	j.masked |= lost
	for i, b := range w.o.Banks {
		squares := w.squaresOf(j, i)
		if squares.Count() < 2 || squares&^j.said(BankLost, BankDead) == 0 {
			continue
		}
		switch {
		case squares&^lost == 0:
			j.add(BankLost, Bad, squares&^j.said(BankLost), "%s does not answer, so that %s cannot be read: "+
				"check its supply, its address and its wires, then calibrate again.", capital(b.Name), span(squares))
		case squares&(j.known|blind|lost) == 0 && j.known != 0:
			j.add(BankDead, Bad, squares, "%s answers, but sees no disc on %s: check the supply of its sensors and its inputs.",
				capital(b.Name), span(squares))
		}
	}
	if rest := lost &^ j.said(BankLost); rest != 0 {
		j.add(BankLost, Bad, rest, "%s cannot be read: check the chips and wires there, then calibrate again.", capital(list(rest.Names())))
	}
}

// judgeSight names squares that see nothing, or not everything.
func (w *Walk) judgeSight(j *findings) {
	explained := j.said(BankLost, BankDead, Stuck, Flapping, Shared)
	if j.known == 0 && explained == ^engine.Bitboard(0) {
		return
	}
	if j.known == 0 {
		j.add(NoDisc, Bad, ^explained, "No square has seen a disc: check that there is a magnet in it, that the board is this one, "+
			"and the supply of the sensors.")
		j.masked = ^engine.Bitboard(0)
		return
	}
	for s := range (^explained).All() {
		p := &j.probes[s]
		switch {
		case !p.seen():
			j.masked |= s.Bit()
			j.odd |= s.Bit()
			j.add(Dead, Bad, s.Bit(), "%v has seen no disc: %s It is left out of play until it is repaired.", s, w.deadAdvice(j, s))
		case p.torn():
			j.masked |= s.Bit()
			j.odd |= s.Bit()
			j.add(Crossed, Bad, s.Bit(), "With black up a disc on %v is seen on %v, with white up on %v: "+
				"one of the two wires of the sensor ends in the wrong place. Put it right, or hardware.cells in the settings.",
				s, sensing.Turn(p.face[0].cell, j.turned), sensing.Turn(p.face[1].cell, j.turned))
		case w.o.Senses != Presence && (!p.face[0].seen || !p.face[1].seen):
			j.masked |= s.Bit()
			j.odd |= s.Bit()
			j.add(Half, Bad, s.Bit(), "%s", halfText(s, p))
		}
	}
}

func (w *Walk) deadAdvice(j *findings, s engine.Square) string {
	switch w.o.Senses {
	case Presence:
		return "check the contact, and its diode, which may be missing or the wrong way round."
	case Field:
		c := j.cell(s)
		return fmt.Sprintf("it reads %.2f V all the time; check the sensor and its wire to the multiplexer.",
			float64(w.sight.null[c])/sensing.CountsPerVolt)
	case Poles:
	}
	return "check the sensor, its supply and its two wires."
}

func halfText(s engine.Square, p *probe) string {
	side := engine.Black
	if p.face[0].seen {
		side = engine.White
	}
	return fmt.Sprintf("%v does not see a disc with %v up: check the wire of that output.", s, side)
}

// judgePoles names squares that take each pole for the other.
func (w *Walk) judgePoles(j *findings) {
	if w.o.Senses == Presence {
		return
	}
	var inverted, right engine.Bitboard
	for s := range j.known.All() {
		expected := south
		if w.o.NorthIsBlack {
			expected = north
		}
		e := j.probes[s].face[0]
		if !e.seen {
			e, expected = j.probes[s].face[1], north+south-expected
		}
		if e.pole == expected {
			right |= s.Bit()
			continue
		}
		if e.pole != both {
			inverted |= s.Bit()
		}
	}
	w.nameReversed(j, inverted, right)
}

// nameReversed names squares that take each pole for the other, all of them at
// once if most do.
func (w *Walk) nameReversed(j *findings, inverted, right engine.Bitboard) {
	severity, cure, mend := Corrected, "The calibration can put that right; or exchange its two wires.", "The calibration can put that right; or"
	if w.o.Senses == Field {
		severity, cure, mend = Note, "Its levels take care of that.", "The levels take care of that; or"
	}
	seen := inverted.Count() + right.Count()
	all := seen >= fewest && inverted.Count()*mostIn >= seen*mostOf
	where := "than it should be"
	j.reversed = inverted
	if all {
		color := "white"
		if !w.o.NorthIsBlack {
			color = "black"
		}
		j.add(AllReversed, severity, inverted, "All squares see black for white: the magnets are the other way round in the discs, "+
			"or all sensors are. %s say north_is: %s in the settings, and calibrate again.", mend, color)
		// What is right is the exception.
		inverted, where = right, "than the others"
	}
	j.odd |= inverted
	for s := range inverted.All() {
		j.add(Reversed, severity, s.Bit(), "The sensor of %v lies the other way round %s, so that it sees black for white. %s", s, where, cure)
	}
}

// judgeSteady names squares where a disc at rest does not look so.
func (w *Walk) judgeSteady(j *findings) {
	for s := range (j.known &^ j.masked).All() {
		for i, e := range j.probes[s].face {
			if !e.seen || e.right*100 >= e.scans*unsteadyPercent {
				continue
			}
			j.odd |= s.Bit()
			j.masked |= s.Bit()
			j.add(Unsteady, Bad, s.Bit(), "%v saw a disc at rest with %v up in %d of %d scans only: "+
				"look for a bad joint, or a sensor that lies too deep. It is left out of play.", s, engine.Color(i), e.right, e.scans)
			break
		}
	}
}

// judgeEnd names what remains.
func (w *Walk) judgeEnd(j *findings) {
	for s := range (j.under(w.sticky) &^ j.masked).All() {
		j.add(Sticky, Bad, s.Bit(), "%v still showed a disc after it was taken: its sensor lets go too late. "+
			"Take a weaker magnet, or another sensor.", s)
	}
	for s := range j.under(w.diodes).All() {
		j.add(Diode, Bad, s.Bit(), "The diode of %v is shorted: where discs fill a rectangle, it makes the opposite corner look like a disc. "+
			"Change it.", s)
	}
	if ghosts := j.under(w.ghosts()); ghosts != 0 {
		j.add(Diode, Bad, ghosts, "%s looked like a disc when another one was laid: a diode is shorted somewhere in the rectangle of the two.",
			capital(span(ghosts)))
	}
	if w.o.Senses == Presence && !w.filled && w.first != nil {
		j.add(Untested, Note, ^j.masked, "The diodes were not tested: that takes 64 discs and a walk that is not quick.")
	}
}

// span names squares: a rank or file by its ends, others one by one.
func span(squares engine.Bitboard) string {
	first, last := squares.First(), squares.First()
	for s := range squares.All() {
		last = s
	}
	switch {
	case squares == rankOf(first.Rank()), squares == fileOf(first.File()):
		return fmt.Sprintf("%v to %v", first, last)
	case squares == rankOf(first.Rank())|rankOf(first.Rank()+1):
		return fmt.Sprintf("ranks %d and %d", first.Rank()+1, first.Rank()+2)
	case squares == ^engine.Bitboard(0):
		return "all squares"
	case squares.Count() > lines:
		return fmt.Sprintf("%d squares", squares.Count())
	}
	return list(squares.Names())
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
