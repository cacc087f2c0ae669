package doctor

import (
	"context"
	"fmt"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// stroll is a walk over the cells, with what was left out of it.
type stroll struct {
	walk *calibrate.Walk
	// left are squares that the person left out, enough says that nothing more is
	// to be asked.
	left   engine.Bitboard
	enough bool
	// lying are squares on which a disc lay when something was left out: it was
	// not asked for to be taken, and is no fault of theirs.
	lying engine.Bitboard
}

// byHand asks for a disc on every square, and says what the cells made of it. The
// procedure is that of a calibration, of which nothing is stored.
func (d *doctor) byHand(ctx context.Context, w *watched, c *Check) {
	walk, err := calibrate.New(app.WalkOptions(d.c))
	if err != nil {
		c.foundf("The cells could not be tried by hand: %s.", brief(err))
		c.worsen(Fail)
		return
	}
	s := &stroll{walk: walk}
	ear := d.listen(ctx)
	v := d.stroll(ctx, s, ear)
	ear.stop()
	if s.enough {
		d.hands = nil
	}
	if d.rig.Lights != nil && d.lightable() {
		_ = d.rig.Lights.Dark() // The check of the lights says what is wrong with them.
	}
	if v.Report == nil {
		return // ctx has ended.
	}
	d.markWalked(v.Report, s)
	d.heard(ear, c)
	known, tried := d.calibrated(), 0
	for i := range v.Report.Findings {
		f := &v.Report.Findings[i]
		if !s.concerns(f) || d.explained(f) || corrected(f, known) {
			continue
		}
		if p, ok := d.problemOf(f, w); ok {
			c.blame(p)
		}
	}
	for i := range d.squares {
		if q := &d.squares[i]; q.Disc == Fine || q.Black == Fine && q.White == Fine {
			tried++
		}
	}
	sides := "both faces"
	if d.h.Kind == configs.Reed64 {
		sides = "a disc"
	}
	c.foundf("%d of 64 squares see %s.", tried, sides)
	if s.left != 0 {
		c.Found += fmt.Sprintf(" %s left out.", counted(s.left.Count(), "square was", "squares were"))
	}
	if known != nil {
		c.Found += " What the calibration puts right is not held against them."
	}
}

// stroll walks until everything was asked for, or ctx ends.
func (d *doctor) stroll(ctx context.Context, s *stroll, e *ear) calibrate.View {
	var f hardware.Frame
	v := s.walk.View()
	for v.Stage < calibrate.Deciding && d.pause(ctx, d.look()) {
		now := d.clock.Now()
		e.look()
		// Cells that cannot be read come as lost ones.
		_ = d.rig.Matrix.Scan(ctx, now, &f)
		if d.rig.Reed != nil {
			s.walk.Accuse(engine.Bitboard(d.rig.Reed.Stats().Shorted))
		}
		s.walk.Step(now, &f, calibrate.Silence)
		v = s.walk.View()
		d.show(&v.Scene)
		if a := d.say(s, &v, now); a != calibrate.Silence {
			s.walk.Step(now, nil, a)
			v = s.walk.View()
		}
	}
	return v
}

// say returns the person's answer to what the walk asks for.
func (d *doctor) say(s *stroll, v *calibrate.View, now time.Duration) calibrate.Answer {
	asking := asks(v.Stage)
	if asking && v.Missing != 0 && (s.enough || v.Ask.Squares&^s.left == 0) {
		s.leave(v)
		return calibrate.Next
	}
	if s.enough && (v.Stage == calibrate.Clearing || v.Stage == calibrate.Tidying) {
		s.lying |= v.Seen.Occupied()
		return calibrate.Next
	}
	switch r := d.hands.Follow(now, v); r.Said {
	case Yes:
		return calibrate.Next
	case Leave:
		if asking {
			s.leave(v)
		}
		return calibrate.Next
	case Enough:
		s.enough = true
	case Nothing, No, These:
	}
	return calibrate.Silence
}

// leave leaves out what is asked for.
func (s *stroll) leave(v *calibrate.View) {
	s.left |= v.Ask.Squares
	s.lying |= v.Seen.Occupied()
}

// concerns reports whether a finding is about anything that was tried.
func (s *stroll) concerns(f *calibrate.Finding) bool {
	switch {
	case f.Squares == 0 || withoutDisc(f.Kind):
		return true
	case f.Kind == calibrate.Sticky:
		return f.Squares&^(s.left|s.lying) != 0
	}
	return f.Squares&^s.left != 0
}

// withoutDisc reports whether a finding was made on the empty board.
func withoutDisc(k calibrate.Kind) bool {
	return k == calibrate.Stuck || k == calibrate.Flapping || k == calibrate.BankLost
}

// asks reports whether discs are asked for in a stage.
func asks(s calibrate.Stage) bool {
	switch s {
	case calibrate.Walking, calibrate.Checking, calibrate.Filling:
		return true
	case calibrate.Clearing, calibrate.Measuring, calibrate.Tidying, calibrate.Deciding, calibrate.Agreed, calibrate.Aborted:
	}
	return false
}

// calibrated returns the calibration of this board, nil if there is none.
func (d *doctor) calibrated() *sensing.Calibration {
	if d.dirErr != nil {
		return nil
	}
	cal, err := app.LoadCalibration(d.dir, d.h)
	if err != nil {
		return nil // The check of the calibration says why.
	}
	return cal
}

// corrected reports whether a calibration puts right what was found.
func corrected(f *calibrate.Finding, cal *sensing.Calibration) bool {
	if cal == nil || f.Severity == calibrate.Bad {
		return false
	}
	switch f.Kind {
	case calibrate.Reversed, calibrate.AllReversed:
		// Levels that were measured say it themselves.
		return cal.Measured || f.Squares&^cal.Reversed == 0
	case calibrate.Turned:
		return cal.Turned != 0
	case calibrate.Exchanged:
		for s := range f.Squares.All() {
			if cal.Cells[s] == s {
				return false
			}
		}
		return true
	case calibrate.BankLost, calibrate.BankDead, calibrate.Dead, calibrate.Half, calibrate.Stuck, calibrate.Flapping,
		calibrate.Unsteady, calibrate.Crossed, calibrate.Shared, calibrate.WeakCell, calibrate.WeakDisc, calibrate.WeakDiscs,
		calibrate.OddDisc, calibrate.Crosstalk, calibrate.Sticky, calibrate.Diode, calibrate.Untested, calibrate.NoDisc:
	}
	return false
}

// explained reports whether an earlier check has said why these squares are lost,
// or stray.
func (d *doctor) explained(f *calibrate.Finding) bool {
	if f.Kind == calibrate.BankLost {
		return d.blamed("bus", "chip", "board")
	}
	strays := f.Kind == calibrate.Flapping || f.Kind == calibrate.Unsteady || f.Kind == calibrate.Crosstalk
	return strays && f.Squares&^d.unstable() == 0
}

// unstable returns the squares of chips whose values do not come back as they
// were sent: what those say is not the cells' fault.
func (d *doctor) unstable() (set engine.Bitboard) {
	for _, p := range d.report.Problems() {
		if p.Cause != "unstable" {
			continue
		}
		for _, e := range d.expected() {
			if placeName(d.h, e.bus, e.addr) == p.Where {
				set |= d.cellsOf(e)
			}
		}
	}
	return set
}

// markWalked notes what is known of every square.
func (d *doctor) markWalked(r *calibrate.Report, s *stroll) {
	for i := range r.Squares {
		q, square := &r.Squares[i], engine.Square(i)
		d.mark(square, blackFace, sideState(q.Black, s.left.Has(square)))
		if d.h.Kind != configs.Reed64 {
			d.mark(square, whiteFace, sideState(q.White, s.left.Has(square)))
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		state, ok := stateOf(f.Kind)
		if !ok || !s.concerns(f) {
			continue
		}
		squares := f.Squares
		if !withoutDisc(f.Kind) {
			squares &^= s.left
		}
		for square := range squares.All() {
			d.markBoth(square, state)
		}
	}
}

// sideState says what one side of a disc did on a square that may have been left
// out.
func sideState(side calibrate.Side, left bool) State {
	switch {
	case left:
		return Untested
	case side.Seen:
		return Fine
	}
	return Dead
}

// stateOf returns the state of the squares of a finding; ok is false if they keep
// theirs.
func stateOf(k calibrate.Kind) (state State, ok bool) {
	switch k {
	case calibrate.BankLost:
		return Lost, true
	case calibrate.BankDead, calibrate.Dead, calibrate.NoDisc:
		return Dead, true
	case calibrate.Stuck, calibrate.Sticky:
		return Stuck, true
	case calibrate.Flapping, calibrate.Unsteady:
		return Flapping, true
	case calibrate.Reversed, calibrate.AllReversed:
		return Reversed, true
	case calibrate.Exchanged, calibrate.Turned, calibrate.Crossed, calibrate.Shared:
		return Elsewhere, true
	case calibrate.WeakCell, calibrate.WeakDiscs:
		return Weak, true
	case calibrate.Crosstalk:
		return Suspect, true
	case calibrate.Diode:
		return Shorted, true
	case calibrate.Half, calibrate.WeakDisc, calibrate.OddDisc, calibrate.Untested:
	}
	return "", false
}

// problemOf says what a finding means for whoever mends the board; ok is false
// if it means nothing.
func (d *doctor) problemOf(f *calibrate.Finding, w *watched) (p Problem, ok bool) {
	s := f.Squares.First()
	p = Problem{Part: "cell", Where: names(f.Squares), Cause: string(f.Kind), Found: firstSentence(f.Text)}
	// A calibration is at ease with a sensor that measures the other way round; a
	// board without one is not.
	if f.Severity == calibrate.Note && f.Kind != calibrate.Reversed {
		p.Status = Warn
	}
	one := f.Squares.Count() == 1
	switch f.Kind {
	case calibrate.Dead:
		p.Found = fmt.Sprintf("%v sees no disc.", s)
		p.Next = d.mendDead(s)
	case calibrate.Half:
		d.half(s, &p)
	case calibrate.Reversed:
		p.Found = fmt.Sprintf("%v sees black for white.", s)
		p.Next = d.mendReversed(s)
	case calibrate.Stuck:
		d.stuckCell(s, w, &p)
	case calibrate.Flapping:
		p.Found = fmt.Sprintf("%v comes and goes by itself.", s)
		p.Next = "Resolder its sensor, and look at the wire to " + wiredTo(d.h, s) + "."
	case calibrate.Unsteady:
		p.Found = fmt.Sprintf("%v does not see a disc at rest all the time.", s)
		p.Next = "Resolder its sensor, and bring it closer to the disc."
	case calibrate.Exchanged:
		d.exchangedCells(f, &p)
	case calibrate.Crossed:
		p.Next = "Put the wires right at " + wiredTo(d.h, s) + ", or say under hardware.cells how they are."
	case calibrate.WeakCell:
		p.Cause = "weak"
		p.Next = "Look how the sensor of " + s.String() + " lies: it must be flat under the middle of the square."
	case calibrate.WeakDiscs, calibrate.NoDisc, calibrate.AllReversed, calibrate.Turned:
		p.Part, p.Where = "board", "all cells"
		p.Next = d.mendAll(f.Kind)
	case calibrate.BankLost, calibrate.BankDead:
		d.bank(f, &p)
	case calibrate.WeakDisc:
		p.Part = "disc"
		p.Next = "Change that disc's magnet."
	case calibrate.Sticky:
		p.Next = "Take a weaker magnet, or another sensor."
	case calibrate.Shared:
		p.Next = "Look for a bridge between the wires of the two, at " + wiredTo(d.h, s) + "."
	case calibrate.Crosstalk:
		p.Next = "Take weaker magnets, or bring the sensors closer to the discs."
	case calibrate.Diode:
		d.diode(f, &p, one)
	case calibrate.OddDisc, calibrate.Untested:
		return p, false // It lay wrong side up, most likely; or nothing is known.
	}
	return p, true
}

func (d *doctor) mendDead(s engine.Square) string {
	at := wiredTo(d.h, s)
	switch d.h.Kind {
	case configs.Reed64:
		return "Look at its contact, and at its diode, which may be missing or the wrong way round: " + at + "."
	case configs.HallAnalog:
		return "Look at its sensor, and at the wire to " + at + "."
	default:
		return "Look at the supply and the joints of its sensor, and at the wires to " + at + "."
	}
}

func (d *doctor) mendReversed(s engine.Square) string {
	if d.h.Kind == configs.HallAnalog {
		return "Turn its sensor over, or let reversi-board calibrate put it right."
	}
	return "Exchange its two wires at " + wiredTo(d.h, s) + ", turn the sensor over, or let reversi-board calibrate put it right."
}

// half is about a cell that sees one face only.
func (d *doctor) half(s engine.Square, p *Problem) {
	if d.h.Kind == configs.Reed64 {
		p.Cause = "sticks"
		p.Found = fmt.Sprintf("%v still shows a disc after it was taken.", s)
		p.Next = "Change its contact."
		return
	}
	blind := whiteFace
	if d.squares[s].Black != Fine {
		blind = blackFace
	}
	p.Cause = "blind_" + blind.String()
	p.Found = fmt.Sprintf("%v does not see a disc with %v up.", s, blind)
	p.Next = "Look at the wire to " + wiredTo(d.h, s) + "."
	if d.h.Kind == configs.Hall128 {
		p.Next = "Look at the wire of that output, to " + pinOf(d.h, s, d.outputOf(blind)) + "."
	}
}

// stuckCell tells one output from both.
func (d *doctor) stuckCell(s engine.Square, w *watched, p *Problem) {
	switch {
	case d.h.Kind == configs.Reed64:
		p.Cause = "closed"
		p.Found = fmt.Sprintf("The contact of %v is always closed.", s)
		p.Next = "Look for a bridge, or change the contact: " + wiredTo(d.h, s) + "."
	case d.h.Kind == configs.HallAnalog:
		if state, q := d.judgeCounts(s, w); state != "" {
			*p = q
			d.markBoth(s, state)
		}
	case w.both[s] > w.scans/2:
		_, *p = d.judgeQuiet(s, w)
		d.markBoth(s, Both)
	default:
		stuck := blackFace
		if w.white[s] > w.black[s] {
			stuck = whiteFace
		}
		other := blackFace + whiteFace - stuck
		d.mark(s, stuck, Stuck)
		d.mark(s, other, Untested)
		p.Cause = "stuck_" + stuck.String()
		p.Found = fmt.Sprintf("%v always reports a disc with %v up.", s, stuck)
		p.Next = "Look for a bridge to ground at " + pinOf(d.h, s, d.outputOf(stuck)) + ", or change the sensor."
	}
}

// exchangedCells is about squares that have each other's cells.
func (d *doctor) exchangedCells(f *calibrate.Finding, p *Problem) {
	p.Next = "Put the wires right, say under hardware.cells how they are, or let reversi-board calibrate put it right."
	if f.Squares.Count() != 2 {
		return
	}
	a := f.Squares.First()
	b := (f.Squares &^ a.Bit()).First()
	p.Found = fmt.Sprintf("%v and %v are exchanged: a disc on one is seen on the other.", a, b)
	p.Next = fmt.Sprintf("Exchange the wires at %s with those at %s, or let reversi-board calibrate put it right.", wiredTo(d.h, a), wiredTo(d.h, b))
}

func (d *doctor) mendAll(k calibrate.Kind) string {
	color := "white"
	if !d.h.NorthIsBlack {
		color = "black"
	}
	text := map[calibrate.Kind]string{
		calibrate.AllReversed: "Set hardware.north_is to " + color + ".",
		calibrate.Turned:      "Mount the board of cells the other way, or let reversi-board calibrate put it right.",
		calibrate.WeakDiscs:   "Take stronger magnets, or bring the sensors closer to the discs.",
	}[k]
	if text == "" {
		text = "Look whether there is a magnet in the disc, and at the supply of the sensors."
	}
	return text
}

// bank is about a chip, or a wire of a matrix, with all its cells.
func (d *doctor) bank(f *calibrate.Finding, p *Problem) {
	p.Part = "chip"
	if d.h.Kind == configs.Reed64 {
		p.Part = "wire"
	}
	for _, e := range d.expected() {
		if e.cells && d.cellsOf(e)&^f.Squares == 0 {
			p.Where = placeName(d.h, e.bus, e.addr)
		}
	}
	if f.Kind == calibrate.BankLost {
		p.Cause = "missing"
		p.Found = fmt.Sprintf("The chip at %s does not answer, so %s cannot be read.", p.Where, span(f.Squares))
		p.Next = "Look at its supply, ground, SDA and SCL, and at the joints of its address pins."
		return
	}
	p.Cause = "blind"
	p.Found = fmt.Sprintf("The chip at %s answers, but none of its squares sees a disc: %s.", p.Where, span(f.Squares))
	p.Next = "Look at the supply of its sensors; if that is right change the chip."
	if d.h.Kind != configs.Reed64 {
		return
	}
	s := f.Squares.First()
	x := d.h.Crossings[s]
	if last := (f.Squares &^ s.Bit()).First(); d.h.Crossings[last].Row == x.Row {
		p.Where = "row " + d.h.Matrix.Rows[x.Row]
	} else {
		p.Where = "column " + d.h.Matrix.Columns[x.Column]
	}
	p.Found = fmt.Sprintf("No disc is seen on %s: %s.", p.Where, span(f.Squares))
	p.Next = "Look at this wire, from the Raspberry Pi to the first contact."
}

// diode is about diodes that do not block.
func (d *doctor) diode(f *calibrate.Finding, p *Problem, one bool) {
	p.Cause = "shorted"
	p.Next = "Change the diode: " + wiredTo(d.h, f.Squares.First()) + "."
	if one {
		p.Found = fmt.Sprintf("The diode of %v is shorted, so that other squares seem to hold discs.", f.Squares.First())
		return
	}
	p.Next = "Measure the diodes in the rectangles of these squares."
}
