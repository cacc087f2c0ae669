package soak

import (
	"slices"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// habits are how often people do what they should not, in percent.
type habits struct {
	// mishap: something goes wrong before the move. flips: wrong flips. incident:
	// something happens while the discs are turned. clumsy: the disc is not placed
	// straight away.
	mishap, flips, incident, clumsy int
	// press: the clock is handled wrongly. claim: a mistake is claimed.
	press, claim int
}

// habitsAt returns the habits of the people who come to an event: children, people
// at home with the lights to help them, players who have only their own eyes.
func habitsAt(event string) habits {
	switch event {
	case "festival":
		return habits{mishap: 14, flips: 12, incident: 12, clumsy: 20}
	case "home":
		return habits{mishap: 12, flips: 8, incident: 10, clumsy: 15, press: 4}
	case "club":
		return habits{mishap: 10, flips: 8, incident: 8, clumsy: 12, press: 12, claim: 50}
	default:
		return habits{mishap: 8, flips: 10, incident: 6, clumsy: 10, press: 14, claim: 55}
	}
}

// turnOf is one turn of the player on turn.
func (f *fumbler) turnOf(h habits) error {
	u := f.u
	if f.early == nil && len(u.wants) > 0 {
		if err := f.look(); err != nil {
			return err
		}
	}
	if f.early == nil {
		f.early = u.meant // what lies there already
	}
	if f.early == nil {
		if other, err := f.before(h); other || err != nil {
			return err
		}
	}
	if u.passDue() {
		return f.sayPass()
	}
	moves := u.moves(u.turn)
	if len(moves) == 0 {
		u.fault("%v is on turn and cannot move", u.turn.color())
		return errWrong
	}
	p := moves[f.rnd.IntN(len(moves))]
	if f.early != nil {
		p = *f.early
	}
	return f.makeMove(p, h)
}

// before is what happens before the disc of a move is in the hand. It reports
// whether it is another's turn after that.
func (f *fumbler) before(h habits) (other bool, err error) {
	u := f.u
	f.think()
	n, number := len(u.rec), u.number
	for range 2 {
		if f.early != nil || !f.often(h.mishap) {
			break
		}
		list := f.mishaps()
		if err := list[f.rnd.IntN(len(list))](); err != nil {
			return false, err
		}
		if len(u.rec) != n || u.number != number {
			f.early = nil
			return true, nil // it may be another's turn
		}
	}
	if u.flags.playOn && f.often(8) {
		f.did(kindEnough)
		f.pause(0, time.Second)
		return true, f.press(u.flags.fallen.other())
	}
	if u.watch.runs != bare && f.often(3) {
		return false, f.oversleep()
	}
	return false, nil
}

// think draws how long a player thinks.
func (f *fumbler) think() {
	switch n := f.rnd.IntN(20); {
	case n < 14:
		f.pause(50*time.Millisecond, 400*time.Millisecond)
	case n < 19:
		f.pause(400*time.Millisecond, 1200*time.Millisecond)
	default:
		f.u.tally.add(kindHesitate, made)
		f.pause(1200*time.Millisecond, 4*time.Second)
	}
}

// longestNap is for how long somebody sleeps at a board at most.
const longestNap = 100 * time.Second

// oversleep lets a flag fall.
func (f *fumbler) oversleep() error {
	falls, ok := f.u.watch.falls()
	if !ok || falls-f.t.Now() > longestNap {
		return nil
	}
	f.did(kindOversleep)
	return f.run(falls + f.between(350*time.Millisecond, 2*time.Second))
}

// sayPass passes with a press, with the button, or by letting the opponent go on.
func (f *fumbler) sayPass() error {
	u := f.u
	switch n := f.rnd.IntN(10); {
	case n < 6 || u.open != nil || f.blind:
		if err := f.press(u.turn); err != nil {
			return err
		}
		if err := f.look(); err != nil {
			return err
		}
		return f.afterClaim()
	case n < 8:
		if u.passOrdered(f.t.Now()) {
			if _, err := f.order("pass", referee.PassPressed{By: u.turn.other().color()}); err != nil {
				return err
			}
		}
		return f.look()
	default:
		f.did(kindSilentPass)
		p, _ := f.pick(u.moves(u.turn.other()))
		if err := f.put(p, u.turn.other()); err != nil {
			return err
		}
		f.early = &p
		return f.look()
	}
}

// makeMove makes a move on p, whose disc may lie there already.
func (f *fumbler) makeMove(p point, h habits) error {
	u := f.u
	if f.early == nil {
		if err := f.bring(p, h); err != nil {
			return err
		}
	}
	f.early = nil
	if f.hurried {
		// A mistake in the same breath as a quick reply is more than a board can tell
		// apart; nor does a third disc follow.
		h.flips, h.incident = 0, 0
	}
	by, rec := u.turn, len(u.rec)
	u.meant = &p
	turns := u.turns(p, by)
	todo := u.undone(turns)
	forgotten, extra := f.wrongFlips(p, todo, turns, h)
	list := f.inOrder(todo&^forgotten, extra)
	at := -1
	if f.often(h.incident) {
		at = f.rnd.IntN(len(list) + 1)
	}
	for i, q := range list {
		if i == at {
			if err := f.incident(p, q); err != nil || len(u.rec) != rec || u.meant == nil {
				return err
			}
		}
		if u.table.at(q) != u.final.at(q) {
			continue // it is turned already
		}
		f.pause(0, 200*time.Millisecond)
		if err := f.turn(q); err != nil {
			return err
		}
	}
	if u.pressing() {
		return f.finishByPress(p, h)
	}
	return f.finish(p, rec, forgotten|extra)
}

// wrongFlips draws which flips of a move are forgotten, and which discs are turned
// although they should not be.
func (f *fumbler) wrongFlips(p point, todo, turns engine.Bitboard, h habits) (forgotten, extra engine.Bitboard) {
	switch {
	case f.blind || !f.often(h.flips) || todo == 0 && !f.u.pressing():
	case f.often(60):
		forgotten = f.subset(todo, 2)
		f.did(kindForget)
	default:
		extra = f.subset(f.lying()&^(turns|p.square().Bit()), 2)
		f.did(kindExtra)
	}
	return forgotten, extra
}

// inOrder shuffles discs that are to be turned and some that are not. The last one
// is right, or the move would be done before the wrong ones are turned.
func (f *fumbler) inOrder(right, wrong engine.Bitboard) []point {
	list := f.shuffled(right | wrong)
	for i, p := range list {
		if last := len(list) - 1; right.Has(p.square()) {
			list[i], list[last] = list[last], list[i]
			break
		}
	}
	return list
}

// bring puts the disc of a move on its square, straight or not.
func (f *fumbler) bring(p point, h habits) error {
	u := f.u
	if !f.often(h.clumsy) || f.opens() {
		return f.put(p, u.turn)
	}
	// What closes the window for a claim, or lets the clocks go on, must be seen.
	mustBeSeen := u.open != nil || u.halted
	other, ok := f.pick(f.empties(func(q point) bool { return q != p }))
	switch n := f.rnd.IntN(3); {
	case n == 0 || !ok || f.blind:
		return f.drop(p, mustBeSeen)
	case n == 1 && !mustBeSeen:
		// He may rest on the other square for too short to be seen, or not.
		f.did(kindSlide)
		if err := f.put(other, u.turn); err != nil {
			return err
		}
		f.pause(0, 60*time.Millisecond)
	default:
		f.did(kindSlide)
		if err := inTurn(func() error { return f.put(other, u.turn) }, f.look); err != nil {
			return err
		}
	}
	f.undid(kindSlide)
	return f.slide(other, p)
}

// drop puts a disc down, picks it up again, and puts it back.
func (f *fumbler) drop(p point, mustBeSeen bool) error {
	s := f.u.turn
	f.did(kindDrop)
	f.undid(kindDrop)
	if err := f.put(p, s); err != nil {
		return err
	}
	if mustBeSeen {
		if err := f.look(); err != nil {
			return err
		}
	}
	f.pause(0, 300*time.Millisecond)
	if err := f.lift(p); err != nil {
		return err
	}
	f.pause(0, 300*time.Millisecond)
	return f.put(p, s)
}

// incident is what happens while discs are turned; q is the next one.
func (f *fumbler) incident(p, q point) error {
	switch f.rnd.IntN(6) {
	case 0:
		return f.holdDisc(q)
	case 1:
		return f.tooEarlyReply(p)
	case 2:
		return f.secondDisc(p)
	case 3:
		return f.withdraw(p)
	case 4:
		return f.pressTooEarly()
	default:
		f.u.tally.add(kindHesitate, made)
		return f.look()
	}
}

// holdDisc turns a disc over with a long way through the air.
func (f *fumbler) holdDisc(q point) error {
	s := f.u.table.at(q)
	if f.blind {
		return f.look()
	}
	if err := f.lift(q); err != nil {
		return err
	}
	if err := f.hold(60); err != nil {
		return err
	}
	return f.put(q, s.other())
}

// tooEarlyReply lets the opponent put his disc down before the flips are done.
func (f *fumbler) tooEarlyReply(p point) error {
	u := f.u
	if f.blind {
		return nil
	}
	q, ok := f.pick(f.empties(func(q point) bool { return u.legal(q, u.turn.other()) && !u.legal(q, u.turn) }))
	if !ok {
		return nil
	}
	if u.law.stands && !u.pressing() {
		// There it would end the move, if it is a legal reply to what lies there.
		return nil
	}
	if err := f.look(); err != nil {
		return err
	}
	f.did(kindEarly)
	if err := f.put(q, u.turn.other()); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	if u.meant == nil || *u.meant != p {
		return nil
	}
	f.undid(kindEarly)
	if err := f.lift(q); err != nil {
		return err
	}
	return f.look()
}

// secondDisc puts down another disc of the mover.
func (f *fumbler) secondDisc(p point) error {
	u := f.u
	if f.blind {
		return nil // it would be the opponent's
	}
	if err := f.look(); err != nil {
		return err
	}
	q, ok := f.pick(f.empties(func(point) bool { return true }))
	if !ok || u.meant == nil || *u.meant != p {
		return nil
	}
	f.did(kindSecond)
	if err := f.put(q, u.turn); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	f.undid(kindSecond)
	if err := f.lift(q); err != nil {
		return err
	}
	return f.look()
}

// withdraw picks the disc of the move up again and turns back what was turned.
// The move is then made anew, here or elsewhere.
func (f *fumbler) withdraw(p point) error {
	u := f.u
	if err := f.look(); err != nil {
		return err
	}
	if u.meant == nil || *u.meant != p {
		return nil
	}
	f.did(kindWithdraw)
	f.undid(kindWithdraw)
	if err := f.lift(p); err != nil {
		return err
	}
	if f.often(50) {
		if err := f.look(); err != nil {
			return err
		}
	}
	if err := f.restore(&u.final); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	u.meant = nil
	return nil
}

// pressTooEarly presses before all discs are turned.
func (f *fumbler) pressTooEarly() error {
	if !f.u.watch.timed() || f.u.flags.playOn {
		return f.look()
	}
	if err := f.look(); err != nil {
		return err
	}
	if f.u.meant == nil {
		return nil
	}
	f.did(kindTooEarly)
	rec := len(f.u.rec)
	if err := f.press(f.u.turn); err != nil {
		return err
	}
	if err := f.look(); err != nil || len(f.u.rec) == rec {
		return err
	}
	return f.aftermath()
}

// finish ends a move where a quiet board does. What is wrong must be put right
// before, or stands with the reply.
func (f *fumbler) finish(p point, rec int, wrong engine.Bitboard) error {
	u := f.u
	if wrong == 0 && len(u.rec) > rec && f.often(8) && !f.blind && !f.hurried {
		return f.reply(kindQuickReply)
	}
	if err := f.look(); err != nil {
		return err
	}
	if len(u.rec) != rec || u.meant == nil {
		return nil
	}
	if u.law.stands && f.often(50) {
		return f.replyAnyway(p)
	}
	kind := u.doing
	f.undid(kind)
	if u.law.shows == showsLate && f.often(30) {
		f.did(kindLate)
		if err := f.run(f.rested + lightsLate + f.settle + time.Second); err != nil {
			return err
		}
		return f.byLights()
	}
	if f.often(60) && u.law.shows == showsAlways || u.told != "" && f.often(50) {
		return f.byLights()
	}
	if err := f.restore(f.should(p)); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	if len(u.rec) == rec && !u.over && u.meant != nil {
		f.early = u.meant // it is no move yet: again
	}
	return nil
}

// should is the board after the move on p.
func (f *fumbler) should(p point) *board {
	b := after(&f.u.final, p, f.u.turn, f.u.turns(p, f.u.turn))
	return &b
}

// reply lets the opponent put his next disc down before the board is quiet.
func (f *fumbler) reply(kind string) error {
	u := f.u
	if u.over || u.passDue() || len(u.moves(u.turn)) == 0 {
		return f.look()
	}
	if len(u.wants) > 1 {
		return f.look() // a pass is being shown
	}
	// A reply that turns back what has just been turned looks like one to a move
	// that was never finished.
	fresh := u.rec[len(u.rec)-1].flipped | u.rec[len(u.rec)-1].at.square().Bit()
	p, ok := f.pick(slices.DeleteFunc(u.moves(u.turn), func(p point) bool { return u.turns(p, u.turn)&fresh != 0 }))
	if !ok {
		return f.look()
	}
	f.did(kind)
	f.hurried = true
	f.pause(20*time.Millisecond, 150*time.Millisecond)
	if err := f.put(p, u.turn); err != nil {
		return err
	}
	f.early = &p
	return nil
}

// replyAnyway lets the opponent reply to a move with wrong flips, which then stand.
func (f *fumbler) replyAnyway(p point) error {
	u := f.u
	by := u.turn.other()
	next := *u
	next.final = after(&u.final, p, u.turn, differ(&u.final, &u.table).turned)
	next.turn, next.number = by, u.number+1
	q, ok := f.pick(next.moves(by))
	if !ok || differ(&u.final, &u.table).gone != 0 {
		return f.byKnowledge(p)
	}
	if err := f.put(q, by); err != nil {
		return err
	}
	f.early = &q
	return f.look()
}

func (f *fumbler) byKnowledge(p point) error {
	if err := f.restore(f.should(p)); err != nil {
		return err
	}
	return f.look()
}

// finishByPress ends a move with a press of the clock, or tries to.
func (f *fumbler) finishByPress(p point, h habits) error {
	u := f.u
	rec := len(u.rec)
	quiet := f.often(60)
	if quiet {
		if err := f.look(); err != nil {
			return err
		}
		if len(u.rec) != rec || !u.pressing() {
			return nil // the flag has fallen meanwhile
		}
	}
	twice := false
	if quiet && f.often(h.press) {
		var done bool
		var err error
		if twice, done, err = f.pressTrouble(p, rec); done || err != nil {
			return err
		}
	}
	by := u.turn
	f.pause(20*time.Millisecond, 300*time.Millisecond)
	if err := f.press(by); err != nil {
		return err
	}
	if twice {
		f.did(kindTwice)
		f.pause(30*time.Millisecond, 250*time.Millisecond)
		if u.open != nil {
			f.pause(f.wait, f.wait+time.Second) // a wrong move takes the board a moment
		}
		if err := f.press(by); err != nil {
			return err
		}
	}
	return inTurn(f.look, f.aftermath)
}

// pressTrouble is what goes wrong with the clock at a board that is quiet. It reports
// whether the press is to be made twice, and whether the turn is over.
func (f *fumbler) pressTrouble(p point, rec int) (twice, done bool, err error) {
	switch f.rnd.IntN(4) {
	case 0:
		f.did(kindForgets)
		done, err = f.forgetToPress(p)
	case 1:
		f.did(kindButton)
		err = f.press(f.u.turn.other())
		f.pause(0, time.Second)
	case 2:
		err = f.pressInHand(p)
		if done = len(f.u.rec) != rec; done && err == nil {
			err = f.aftermath()
		}
	default:
		twice = true
	}
	return twice, done, err
}

// forgetToPress leaves the move lying: the opponent replies, which ends it, or the
// mover presses after a while. It reports whether the turn is over.
func (f *fumbler) forgetToPress(p point) (done bool, err error) {
	u := f.u
	d := differ(&u.final, &u.table)
	right := d.placed == p.square().Bit() && *f.should(p) == u.table
	if !right || f.often(40) {
		return false, f.run(f.ready() + f.between(time.Second, 8*time.Second))
	}
	next := *u
	next.final, next.turn, next.number = u.table, u.turn.other(), u.number+1
	if u.historic {
		next.used = map[side]int{u.turn: u.used[u.turn] + 1, u.turn.other(): u.used[u.turn.other()]}
	}
	q, ok := f.pick(next.moves(next.turn))
	if !ok {
		return false, nil
	}
	if err := f.put(q, next.turn); err != nil {
		return false, err
	}
	f.early = &q
	return true, f.look()
}

// pressInHand takes up a disc that was to be turned, and presses before it lies
// there again.
func (f *fumbler) pressInHand(p point) error {
	u := f.u
	q, ok := f.pick(f.shuffled(u.turns(p, u.turn) &^ u.undone(u.turns(p, u.turn))))
	if !ok || u.meant == nil {
		return nil
	}
	f.did(kindInHand)
	s := u.table.at(q)
	if err := f.lift(q); err != nil {
		return err
	}
	if err := f.look(); err != nil {
		return err
	}
	if err := f.press(u.turn); err != nil {
		return err
	}
	f.pause(0, 400*time.Millisecond)
	if err := f.put(q, s); err != nil {
		return err
	}
	return f.look()
}

// aftermath is what happens to a move that was pressed with a mistake: the opponent
// claims it, the mover puts his flips right in time, or it is left for the reply.
func (f *fumbler) aftermath() error {
	u := f.u
	if u.open == nil || u.claimed || u.over {
		return f.afterClaim()
	}
	f.pause(100*time.Millisecond, 2*time.Second)
	if err := f.run(f.ready()); err != nil {
		return err
	}
	switch n := f.rnd.IntN(100); {
	case n < 35:
		f.did(kindClaim)
		if err := f.press(u.open.by.other()); err != nil {
			return err
		}
	case n < 50:
		f.did(kindClaim)
		by := u.open.by.other()
		u.claimOrdered(f.t.Now())
		if _, err := f.order("claim", referee.Claim{By: by.color()}); err != nil {
			return err
		}
	case n < 65 && u.open.improper == "" && !f.blind: // unasked, nobody would see it
		f.did(kindMends)
		right := u.mended()
		if err := f.restore(&right); err != nil {
			return err
		}
	default:
		return nil
	}
	if err := f.look(); err != nil {
		return err
	}
	return f.afterClaim()
}

// afterClaim puts right what has been claimed.
func (f *fumbler) afterClaim() error {
	u := f.u
	switch {
	case u.restoring:
		if f.often(50) {
			return f.followLights()
		}
		return f.clearAway()
	case !u.claimed:
		return nil
	}
	mover := u.open.by
	if u.law.moverMends && f.often(10) && u.pressing() {
		f.did(kindTooEarly)
		if err := f.press(mover); err != nil {
			return err
		}
		if err := f.look(); err != nil {
			return err
		}
	}
	right := u.mended()
	if f.often(50) {
		if err := f.followLights(); err != nil {
			return err
		}
	} else if err := f.restore(&right); err != nil {
		return err
	}
	if err := f.look(); err != nil || !u.claimed {
		return err
	}
	if err := f.press(mover); err != nil {
		return err
	}
	return f.look()
}

// giveUp resigns for a side.
func (f *fumbler) giveUp(by side) error {
	f.u.resigns(by, f.t.Now())
	_, err := f.order("resign", referee.Resign{Color: by.color()})
	return err
}
