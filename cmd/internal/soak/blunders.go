package soak

import (
	"errors"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// The kinds of mistakes, as the table of figures names them.
const (
	kindHesitate   = "hesitates"
	kindSlide      = "slides over other squares"
	kindDrop       = "drops a disc, picks it up again"
	kindFidget     = "lifts a disc for nothing"
	kindHold       = "holds a disc for long"
	kindForget     = "forgets flips"
	kindExtra      = "turns too many discs"
	kindColor      = "wrong color up"
	kindSquare     = "wrong square"
	kindOutOfTurn  = "disc out of turn"
	kindEarly      = "replies before the flips are done"
	kindSecond     = "second disc"
	kindWithdraw   = "withdraws a move"
	kindTakeback   = "takes moves back"
	kindMayNot     = "takes moves back that must stay"
	kindNoClaim    = "claims what is no mistake"
	kindLate       = "waits for the lights to help"
	kindSleeve     = "knocks discs off"
	kindKnock      = "knocks discs over"
	kindButton     = "presses the wrong button"
	kindTwice      = "presses twice"
	kindForgets    = "forgets to press"
	kindTooEarly   = "presses with flips missing"
	kindInHand     = "presses with a disc in the hand"
	kindFalsePass  = "claims a false pass" //nolint:gosec // a pass of the game, no word of a gate
	kindSilentPass = "passes without saying so"
	kindQuickReply = "replies before the board is quiet"
	kindClaim      = "claims the opponent's mistake"
	kindMends      = "mends his own flips in time"
	kindOverClaim  = "claims after the end"
	kindOversleep  = "lets the flag fall"
	kindResign     = "resigns"
	kindEnough     = "ends it when the other's flag is down"
	kindSetUp      = "sets up the next game wrongly"
	kindSweep      = "sweeps the board after the end"
)

// kinds lists all of them.
func kinds() []string {
	return []string{
		kindHesitate, kindSlide, kindDrop, kindFidget, kindHold, kindForget, kindExtra, kindColor, kindSquare,
		kindOutOfTurn, kindEarly, kindSecond, kindWithdraw, kindTakeback, kindMayNot, kindNoClaim, kindLate, kindSleeve,
		kindKnock, kindButton, kindTwice, kindForgets, kindTooEarly, kindInHand, kindFalsePass, kindSilentPass,
		kindQuickReply, kindClaim, kindMends, kindOverClaim, kindOversleep, kindResign, kindEnough, kindSetUp, kindSweep,
	}
}

// did counts a mistake that is being made.
func (f *fumbler) did(kind string) {
	f.u.doing = kind
	f.u.tally.add(kind, made)
	f.note("-- %s", kind)
}

// undid counts a mistake that was put right.
func (f *fumbler) undid(kind string) { f.u.tally.add(kind, healed) }

// empties lists empty squares of the table for which a condition holds.
func (f *fumbler) empties(ok func(p point) bool) []point {
	var list []point
	for row := range 8 {
		for col := range 8 {
			if p := (point{col, row}); f.u.table.at(p) == bare && ok(p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// lying is the discs on the table.
func (f *fumbler) lying() engine.Bitboard { return occupied(&f.u.table) }

func occupied(b *board) engine.Bitboard {
	d := b.discs()
	return d.Occupied()
}

// opens reports whether the first discs of the historic game are being placed:
// they turn nothing, and one that stays away has been taken back.
func (f *fumbler) opens() bool {
	return f.u.historic && (f.u.number < 5 || len(f.u.opening()) > 0)
}

// mishaps are what people do before they make their move. Each leaves the board as
// it should be then.
func (f *fumbler) mishaps() []func() error {
	all := []func() error{
		f.fidget, f.wrongSquare, f.wrongSquare, f.wrongButton, f.falsePass, f.claimNothing,
	}
	if !f.blind {
		all = append(all, f.wrongColor, f.outOfTurn)
	}
	if f.opens() {
		all = append(all, f.takeBackFirst)
	} else {
		all = append(all, f.sleeve, f.takeBack, f.takeBack)
		if !f.blind {
			all = append(all, f.knockOver)
		}
	}
	return all
}

// fidget lifts a disc and puts it back unchanged.
func (f *fumbler) fidget() error {
	p, ok := f.pick(f.shuffled(f.lying() &^ f.telling()))
	if !ok {
		return nil
	}
	f.did(kindFidget)
	s := f.u.table.at(p)
	if err := f.lift(p); err != nil {
		return err
	}
	if err := f.hold(15); err != nil {
		return err
	}
	if err := f.put(p, s); err != nil {
		return err
	}
	f.undid(kindFidget)
	return f.look()
}

// claimable are discs that the last move has turned wrongly: turned, they are right.
func (f *fumbler) claimable() engine.Bitboard {
	if f.u.open == nil {
		return 0
	}
	return f.u.open.missed | f.u.open.extra
}

// telling are discs that say something when they are lifted and put back, on a board
// that sees no faces: the last one, which might be taken back.
func (f *fumbler) telling() engine.Bitboard {
	if _, lasts := f.u.back(1); f.blind && len(lasts) > 0 {
		return lasts[0].square().Bit()
	}
	return 0
}

// hold keeps what is off the board in the hands for a moment, or in so many of a
// hundred cases so long that the board asks for it.
func (f *fumbler) hold(percent int) error {
	if !f.often(percent) || f.opens() {
		f.pause(0, 900*time.Millisecond)
		return nil
	}
	f.did(kindHold)
	f.undid(kindHold)
	return f.holdLong()
}

// holdLong waits until the board has asked for what is missing.
func (f *fumbler) holdLong() error {
	if err := f.look(); err != nil {
		return err
	}
	off := f.t.Now()
	f.u.staysOff()
	if err := f.run(off + missingAfter + f.between(200*time.Millisecond, time.Second)); err != nil {
		return err
	}
	return f.expected(off)
}

// wrongSquare puts a disc where nothing would turn.
func (f *fumbler) wrongSquare() error {
	u := f.u
	p, ok := f.pick(f.empties(func(p point) bool { return !u.legal(p, u.turn) }))
	if !ok {
		return nil
	}
	f.did(kindSquare)
	if err := f.put(p, u.turn); err != nil {
		return err
	}
	if f.often(15) && !f.blind && !f.opens() {
		// He believes that it turns something.
		if err := f.turnAll(f.subset(f.lying()&^p.square().Bit(), 2)); err != nil {
			return err
		}
	}
	return f.misplaced(p, kindSquare)
}

// wrongColor puts a disc on a legal square with the other side up.
func (f *fumbler) wrongColor() error {
	u := f.u
	p, ok := f.pick(u.moves(u.turn))
	if !ok {
		return nil
	}
	f.did(kindColor)
	if err := f.put(p, u.turn.other()); err != nil {
		return err
	}
	return f.misplaced(p, kindColor)
}

// misplaced waits for what the board says about a disc that is no move, and puts it
// right; where it counts when it is pressed, it may be pressed.
func (f *fumbler) misplaced(p point, kind string) error {
	u := f.u
	if err := f.look(); err != nil {
		return err
	}
	if u.counts() && f.often(40) {
		if err := f.press(u.turn); err != nil {
			return err
		}
		if err := f.look(); err != nil {
			return err
		}
		return f.aftermath()
	}
	if u.pressing() && f.often(10) && !u.counts() {
		// Pressing does not make it better.
		if err := f.press(u.turn); err != nil {
			return err
		}
	}
	f.undid(kind)
	if u.told != "" && f.often(60) {
		return f.byLights()
	}
	if kind == kindColor && f.often(50) {
		f.early = &p
		return f.turn(p)
	}
	return f.clearAway()
}

// byLights heals what the lights show. If a move has been begun thereby, it is
// made to its end.
func (f *fumbler) byLights() error {
	n := len(f.u.rec)
	if err := f.followLights(); err != nil {
		return err
	}
	if len(f.u.rec) == n && f.u.meant != nil {
		f.early = f.u.meant
	}
	return nil
}

// clearAway makes the table as the record says.
func (f *fumbler) clearAway() error {
	if err := f.restore(&f.u.final); err != nil {
		return err
	}
	return f.look()
}

// restore makes the table like a board: discs off, turned, and back, in any order.
func (f *fumbler) restore(b *board) error {
	d := differ(b, &f.u.table)
	for _, p := range f.shuffled(d.placed | d.turned | d.gone) {
		var err error
		switch {
		case d.placed.Has(p.square()):
			err = f.lift(p)
		case d.turned.Has(p.square()):
			err = f.turn(p)
		default:
			err = f.put(p, b.at(p))
		}
		if err != nil {
			return err
		}
		f.pause(0, 150*time.Millisecond)
	}
	return nil
}

// outOfTurn lets the opponent put a disc where only he could.
func (f *fumbler) outOfTurn() error {
	u := f.u
	p, ok := f.pick(f.empties(func(p point) bool { return u.legal(p, u.turn.other()) && !u.legal(p, u.turn) }))
	if !ok || u.passDue() {
		return nil
	}
	f.did(kindOutOfTurn)
	if err := f.put(p, u.turn.other()); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	f.undid(kindOutOfTurn)
	if u.told != "" && f.often(50) {
		return f.byLights()
	}
	return f.clearAway()
}

// falsePass claims a pass although there is a move: with the clock, or with the
// button for it.
func (f *fumbler) falsePass() error {
	u := f.u
	if u.open != nil || u.passDue() || u.halted || u.flags.playOn {
		return nil
	}
	f.did(kindFalsePass)
	if f.often(50) {
		if err := f.press(u.turn); err != nil {
			return err
		}
	} else {
		u.passOrdered(f.t.Now())
		if _, err := f.order("pass", referee.PassPressed{By: u.turn.color()}); err != nil {
			return err
		}
	}
	return f.look()
}

// claimNothing objects to a move that is right: that is no order that is obeyed.
func (f *fumbler) claimNothing() error {
	u := f.u
	if u.open != nil {
		return nil
	}
	f.did(kindNoClaim)
	if err := f.run(f.ready()); err != nil {
		return err
	}
	refused, err := f.order("claim", referee.Claim{By: u.turn.color()})
	if err == nil && !refused {
		u.fault("a claim was taken although there is nothing to claim")
	}
	return errors.Join(err, f.look())
}

// wrongButton presses the other side of the clock.
func (f *fumbler) wrongButton() error {
	f.did(kindButton)
	if f.u.flags.playOn {
		return nil
	}
	if err := f.press(f.u.turn.other()); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	return f.afterClaim()
}

// sleeve takes several discs off the board and puts them back, perhaps not as they
// were.
func (f *fumbler) sleeve() error {
	u := f.u
	f.did(kindSleeve)
	// At least two discs stay, and the last move is not taken back by accident.
	set := f.subset(f.lying()&^(f.telling()|f.claimable()), max(1, min(5, f.lying().Count()-3)))
	wrongly := true
	if n := len(u.rec); n > 0 && u.law.backs > 0 {
		_, lasts := u.back(1)
		wrongly = len(lasts) == 0 || !set.Has(lasts[0].square())
	}
	for _, p := range f.shuffled(set) {
		if err := f.lift(p); err != nil {
			return err
		}
		f.free -= 80 * time.Millisecond
	}
	f.free = f.t.Sim.RestAt()
	if err := f.hold(25); err != nil {
		return err
	}
	for _, p := range f.shuffled(set & occupied(&u.final)) {
		s := u.final.at(p)
		if wrongly && f.often(12) && !f.blind {
			s = s.other()
		}
		if err := f.put(p, s); err != nil {
			return err
		}
	}
	if err := f.look(); err != nil {
		return err
	}
	f.undid(kindSleeve)
	if u.told != "" && f.often(60) {
		return f.byLights()
	}
	return f.clearAway()
}

// knockOver turns discs over.
func (f *fumbler) knockOver() error {
	f.did(kindKnock)
	if err := f.turnAll(f.subset(f.lying()&^f.claimable(), 4)); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	f.undid(kindKnock)
	if f.u.told != "" && f.often(60) {
		return f.byLights()
	}
	return f.clearAway()
}

// takeBack takes moves back with the discs, as far as the event allows it.
func (f *fumbler) takeBack() error {
	u := f.u
	most := min(u.law.backs, u.number, 5)
	if u.historic {
		most = min(most, u.number-4)
	}
	if u.halted {
		return nil
	}
	if most < 1 || u.law.backs < u.number && f.often(25) {
		return f.mayNotTakeBack()
	}
	k := 1 + f.rnd.IntN(most)
	if f.often(60) || f.blind {
		k = 1 // of several discs off at once nobody could tell which are to be turned
	}
	f.did(kindTakeback)
	target, lasts := u.back(k)
	if err := f.liftAll(lasts); err != nil {
		return err
	}
	if f.often(12) {
		// He changes his mind.
		return inTurn(func() error { return f.hold(0) }, f.clearAway)
	}
	if f.often(40) {
		if done, err := f.wayBack(); done || err != nil {
			return err
		}
	}
	if err := f.turnAll(differ(&target, &u.table).turned); err != nil {
		return err
	}
	if err := f.look(); err != nil || u.table == u.final {
		return err
	}
	return f.holdLong() // then it is no disc in a hand
}

// wayBack looks at the board when the discs are off, and perhaps does what the
// lights ask for. It reports whether the moves have been taken back thereby.
func (f *fumbler) wayBack() (done bool, err error) {
	if err := f.look(); err != nil {
		return false, err
	}
	if f.often(50) {
		return false, nil
	}
	err = f.followLights()
	return f.u.table == f.u.final, err
}

// liftAll takes discs off with a quick hand.
func (f *fumbler) liftAll(list []point) error {
	for _, p := range list {
		if err := f.lift(p); err != nil {
			return err
		}
		f.free -= 80 * time.Millisecond
	}
	f.free = f.t.Sim.RestAt()
	return nil
}

// inTurn does one thing after the other until one fails.
func inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mayNotTakeBack takes up more discs than may be taken back, perhaps turns some back,
// and puts everything as it was.
func (f *fumbler) mayNotTakeBack() error {
	u := f.u
	k := u.law.backs + 1
	if u.number < k || u.law.backs >= everything || f.blind || u.open != nil {
		return nil
	}
	f.did(kindMayNot)
	target, lasts := u.back(k)
	if err := f.liftAll(lasts); err != nil {
		return err
	}
	if f.often(50) {
		if err := f.holdLong(); err != nil {
			return err
		}
	}
	if d := differ(&target, &u.table); f.often(60) && d.turned != 0 {
		some := f.subset(d.turned, 2)
		if err := inTurn(func() error { return f.turnAll(some) }, f.look); err != nil {
			return err
		}
	}
	f.undid(kindMayNot)
	if u.told != "" && f.often(50) {
		return inTurn(f.holdLong, f.byLights) // until the missing discs are asked for
	}
	// The last disc comes first: without it the rest might be a takeback.
	if last := lasts[0]; u.shows(last, bare) {
		if err := f.put(last, u.final.at(last)); err != nil {
			return err
		}
	}
	return f.clearAway()
}

// takeBackFirst takes back one of the first discs of the historic game: it turns
// nothing, and counts when it has been off the board for long.
func (f *fumbler) takeBackFirst() error {
	u := f.u
	if u.number == 0 || u.number > 4 || u.law.backs < 1 || u.halted || u.rec[len(u.rec)-1].improper != "" || f.blind {
		return nil
	}
	f.did(kindTakeback)
	_, lasts := u.back(1)
	if err := f.lift(lasts[0]); err != nil {
		return err
	}
	return f.holdLong()
}

// back returns the board before the last k discs, and where these lie, the last
// one first.
func (u *umpire) back(k int) (before board, lasts []point) {
	for n := len(u.rec) - 1; n >= 0 && k > 0; n-- {
		if e := u.rec[n]; !e.pass {
			lasts = append(lasts, e.at)
			before = e.before
			k--
		}
	}
	return before, lasts
}
