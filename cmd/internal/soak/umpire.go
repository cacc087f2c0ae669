package soak

import (
	"fmt"
	"slices"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/record"
)

// entry is a move or a pass on the umpire's record.
type entry struct {
	by    side
	pass  bool
	at    point
	wrong bool // not what the rules demand
	// flipped were really turned; missed and extra are what is wrong with that.
	flipped, missed, extra engine.Bitboard
	// kind is the mistake of the hands that it is from.
	kind string
	// improper says why it is no move at all, empty for one that is.
	improper string
	// before, used and flags are what was true before it.
	before board
	used   [2]int
	flags  flags
	// clock is what the players had when the turn began, earned what the mover got
	// for the move. Both are known once the event has been heard.
	clock  times
	earned time.Duration
}

// flags are those that have fallen and have not ended the game.
type flags struct {
	graced [2]bool
	// playOn: the opponent of fallen plays for both sides, and the clocks stand.
	playOn bool
	fallen side
}

// umpire is the oracle for games with mistakes. It is told by the hands what they
// do, when, and which square they mean, and says what the board must announce. It
// keeps its own record, officiates by its own table (law) and counts time by its
// own arithmetic (watch).
type umpire struct {
	oracle
	law   law
	watch watch
	rec   []*entry
	// table is what lies on the board, hands at rest; oracle.final is the board on
	// record.
	table board
	// meant is the square of the move that is being made, if its disc lies there;
	// given are its flips. did are the discs turned when it was last looked at.
	meant *point
	given engine.Bitboard
	did   engine.Bitboard
	// told is the mistake that was announced last and still lies there.
	told    string
	toldSet engine.Bitboard
	// sure is the same when the board was quiet last.
	sure struct {
		why string
		set engine.Bitboard
	}
	// open is the entry that may be claimed, claimed that it has been.
	open    *entry
	claimed bool
	// restoring: a claimed disc is still to be taken off.
	restoring bool
	flags     flags
	halted    bool
	began     times // the clocks when this turn began
	// missing says that discs have been off the board for long.
	missing bool

	// slack is how far from the rest of the discs a move may be dated.
	slack time.Duration
	wants []want
	ended bool
	tally *Tally
	// mover is whose clock has to run by the events that have been heard.
	mover side
	// known is the board on record by the events that have been heard.
	known       board
	knownNumber int
	// heard are the reasons of mistakes that were announced since the board was
	// quiet last, must is one that has to be among them.
	heard []string
	must  string
	// lastRest is when the table was touched last, lay how it lay lately.
	lastRest time.Duration
	lay      []laid
	// blind says that the board sees no faces.
	blind bool
	// perhaps says that what lies there now may be gone before the board is quiet:
	// mistakes may be announced, or not.
	perhaps bool
	// held is a press with a disc in the hand: it counts if that comes down soon.
	held *heldPress
	// doing is the kind of mistake that the hands are making.
	doing  string
	wrongs string // the first difference
}

// heldPress is a press that waits for a disc in the hand.
type heldPress struct {
	by side
	at time.Duration
}

// Slacks of the time at which a settled board says that a move was made: bounces
// of the last disc, settling and scans.
const (
	settleSlack = 700 * time.Millisecond
	exact       = time.Millisecond
)

func newUmpire(variant, start, event string, t timing, tally *Tally) (*umpire, error) {
	o, err := newOracle(variant, start)
	if err != nil {
		return nil, err
	}
	l, err := lawOf(event)
	if err != nil {
		return nil, err
	}
	u := &umpire{oracle: *o, law: l, watch: newWatch(t), slack: settleSlack, tally: tally}
	u.table = u.final
	u.began = u.watch.times
	return u, nil
}

// starts expects the game to begin: its start lies on the board since a time.
func (u *umpire) starts(at time.Duration) {
	u.expect(want{said: said{what: "game_started", by: bare}, when: at, slack: u.slack, then: func(at time.Duration) {
		u.watch.at = at
		u.runs()
	}})
}

// bits makes a set of points one of squares.
func bits(points []point) engine.Bitboard {
	var set engine.Bitboard
	for _, p := range points {
		set |= p.square().Bit()
	}
	return set
}

// set puts a disc, or nothing, on the table.
func (u *umpire) set(p point, s side) { u.table[p.row][p.col] = s }

// clockOf is the side whose clock has to run.
func (u *umpire) clockOf() side {
	switch {
	case u.claimed:
		return u.open.by
	default:
		return u.turn
	}
}

// runs lets the right clock run, if any does.
func (u *umpire) runs() {
	u.watch.runs = u.mover
	if u.halted || u.flags.playOn {
		u.watch.runs = bare
	}
}

// pressing reports whether a move ends with a press.
func (u *umpire) pressing() bool {
	return !u.flags.playOn && (u.law.press || u.law.pressIfTimed && u.watch.timed())
}

// counts reports whether a disc that is no move counts once it is pressed.
func (u *umpire) counts() bool { return u.law.improper && u.pressing() }

// passDue reports whether the player on turn must say that he passes.
func (u *umpire) passDue() bool {
	return !u.over && u.law.sayPass && !u.flags.playOn && len(u.moves(u.turn)) == 0 && len(u.moves(u.turn.other())) > 0
}

// turns lists what a disc of s on p turns on the board of record.
func (u *umpire) turns(p point, s side) engine.Bitboard {
	if len(u.opening()) > 0 || u.historic && u.used[s] == each {
		return 0
	}
	return bits(u.final.outflanked(p, s))
}

// legal reports whether a disc of s may go on p.
func (u *umpire) legal(p point, s side) bool { return slices.Contains(u.moves(s), p) }

// change is how the table differs from a board: discs more, fewer, turned over.
type difference struct{ placed, gone, turned engine.Bitboard }

func differ(b, table *board) difference {
	var d difference
	for row := range 8 {
		for col := range 8 {
			p := point{col, row}
			was, is := b.at(p), table.at(p)
			switch bit := p.square().Bit(); {
			case was == is:
			case was == bare:
				d.placed |= bit
			case is == bare:
				d.gone |= bit
			default:
				d.turned |= bit
			}
		}
	}
	return d
}

func (d difference) none() bool { return d.placed|d.gone|d.turned == 0 }

func first(set engine.Bitboard) point { return pointOf(set.First()) }

// on reports whether the table shows s on p.
func (u *umpire) shows(p point, s side) bool { return u.table.at(p) == s }

// rests judges the table: the last disc has come to rest at a time.
func (u *umpire) rests(at time.Duration) {
	u.missing = false
	u.lastRest = at
	u.keeps(at)
	for i := range u.wants {
		// The board dates what it sees by the last disc that has moved.
		if w := &u.wants[i]; w.slack > exact {
			w.slack = max(w.slack, at-w.when+settleSlack)
		}
	}
	if u.over {
		if u.laidOut(at); u.over {
			return
		}
	}
	if h := u.held; h != nil && differ(&u.final, &u.table).gone == 0 {
		u.held = nil
		u.presses(h.by, h.at)
	}
	u.judgeAll(at)
	if !u.perhaps {
		if u.told == "" {
			u.must = ""
		}
		u.sure.why, u.sure.set = u.told, u.toldSet
	}
}

// laidOut begins the next game when its start lies on the board.
func (u *umpire) laidOut(at time.Duration) {
	if other := exchanged(&u.start); u.eitherDiagonal() && u.table == other {
		u.start = other
	}
	if u.table != u.start || u.historic { // the empty board waits for its first disc
		return
	}
	if u.perhaps {
		return // hands that sweep the board may pass by the start
	}
	u.over, u.ended, u.open, u.rec = false, false, nil, nil
	u.final, u.turn, u.number, u.flags = u.start, u.first, 0, flags{}
	u.used = map[side]int{}
	u.watch = newWatch(u.watch.timing)
	u.began = u.watch.times
	u.starts(at)
}

// eitherDiagonal reports whether players may choose which diagonal of the first four
// discs is light.
func (u *umpire) eitherDiagonal() bool {
	return u.variant == "festival" && (u.startName == "" || u.startName == "standard" || u.startName == "inverted")
}

// exchanged returns a board with all discs turned over.
func exchanged(b *board) board {
	other := *b
	for row := range other {
		for col := range other[row] {
			if other[row][col] != bare {
				other[row][col] = other[row][col].other()
			}
		}
	}
	return other
}

// judgeAll judges the table until nothing more follows.
func (u *umpire) judgeAll(at time.Duration) {
	for again := true; again && !u.over; {
		again = u.judge(at)
	}
}

// judge looks at the table once; it reports whether the record has changed.
func (u *umpire) judge(at time.Duration) bool {
	if known, again := u.judgeMending(at); known {
		return again
	}
	d := differ(&u.final, &u.table)
	switch {
	case d.none():
		u.clear()
		u.meant, u.given, u.restoring = nil, 0, false
		return false
	case u.restoring:
		return false
	case d.placed != 0:
		return u.judgePlaced(d, at)
	default:
		return u.judgeTaken(d, at)
	}
}

// staysOff judges the table again: discs have been off it for long.
func (u *umpire) staysOff() {
	u.missing = true
	u.judgeAll(u.lastRest)
}

// clear forgets the mistake that lay on the table.
func (u *umpire) clear() { u.told, u.toldSet = "", 0 }

// tell expects that a mistake is announced: once, and again only when another
// square or another reason joins it, or when it was put right between.
func (u *umpire) tell(why string, by side, where engine.Bitboard) {
	before := u.toldSet
	if why != u.told {
		before = 0
	}
	u.told, u.toldSet = why, where
	fresh := where &^ before
	known := u.sure.why == why && where&^u.sure.set == 0
	switch {
	case fresh != 0:
		u.illegal(why, by, fresh)
		// It may still be known: that it was right between need not have been seen.
		u.wants[len(u.wants)-1].perhaps = u.perhaps || known
	case !u.perhaps && !known:
		u.must = why // it still lies there
	}
}

// illegal expects an illegal_move on one of some squares.
func (u *umpire) illegal(why string, by side, where engine.Bitboard) {
	u.tally.add(u.doing, refused)
	u.expect(want{said: said{what: "illegal_move", by: by, why: why}, where: where})
}

// mended is the board after the open entry as the rules demand it.
func (u *umpire) mended() board {
	b := u.open.before
	for _, f := range b.outflanked(u.open.at, u.open.by) {
		b[f.row][f.col] = u.open.by
	}
	b[u.open.at.row][u.open.at.col] = u.open.by
	return b
}

// judgeMending follows flips of the last move that are put right, after a claim or
// by the mover himself before the reply.
func (u *umpire) judgeMending(at time.Duration) (known, again bool) {
	if u.open == nil || u.open.improper != "" {
		return false, false
	}
	right := u.mended()
	if u.table == right {
		if u.claimed && u.law.moverMends && u.pressing() {
			return true, false // he presses
		}
		u.fixed(at, u.slack)
		return true, true
	}
	d := differ(&u.final, &u.table)
	wrong := u.open.missed | u.open.extra
	partly := d.placed == 0 && d.turned != 0 && (d.turned|d.gone)&^wrong == 0
	return u.claimed || partly, false
}

// ownDisc finds the disc of the move that is being made: the one that is meant,
// or else the only new one that is legal.
func (u *umpire) ownDisc(d difference) (p point, ok bool) {
	if u.meant != nil && d.placed.Has(u.meant.square()) && u.shows(*u.meant, u.turn) && u.legal(*u.meant, u.turn) {
		return *u.meant, true
	}
	n := 0
	for s := range d.placed.All() {
		if q := pointOf(s); u.shows(q, u.turn) && u.legal(q, u.turn) {
			p = q
			n++
		}
	}
	return p, n == 1
}

// judgePlaced looks at a table with new discs.
func (u *umpire) judgePlaced(d difference, at time.Duration) bool {
	p, ok := u.ownDisc(d)
	if !ok {
		return u.judgeWrong(d, at)
	}
	others := d.placed &^ p.square().Bit()
	turns := u.turns(p, u.turn)
	open, extra := u.undone(turns), d.turned&^turns
	if others == 0 || u.isReply(p, d) {
		u.playersGoOn(at, u.slack)
		u.tooLate(at, u.slack)
	}
	u.meant, u.given = &p, turns
	switch {
	case others == 0:
		u.did = d.turned
		switch {
		case extra != 0 && !u.law.stands:
			u.tell("extra_flip", u.turn, extra)
		case open|extra|d.gone == 0 && !u.pressing():
			u.move(p, turns, at, u.slack, "")
			return true
		default:
			u.clear()
		}
		return false
	case u.isReply(p, d):
		u.move(p, u.didBefore(turns, open, extra), at, u.slack, "")
		return true
	}
	by := u.turn
	why := "second_disc"
	if !u.anyShows(others, u.turn) {
		by = u.turn.other()
		if open != 0 || extra != 0 && u.law.stands {
			why = "flips_pending"
		}
	}
	where := others
	if !u.law.stands {
		where |= extra
	}
	u.tell(why, by, where)
	return false
}

// undone returns the discs of a set that do not show the side on turn.
func (u *umpire) undone(set engine.Bitboard) engine.Bitboard {
	var open engine.Bitboard
	for s := range set.All() {
		if !u.shows(pointOf(s), u.turn) {
			open |= s.Bit()
		}
	}
	return open
}

func (u *umpire) anyShows(set engine.Bitboard, s side) bool {
	for q := range set.All() {
		if u.shows(pointOf(q), s) {
			return true
		}
	}
	return false
}

// didBefore returns what the move on p has really turned when its reply lies
// there: all that the rules demand, or what it was when it was last looked at.
func (u *umpire) didBefore(turns, open, extra engine.Bitboard) engine.Bitboard {
	if open|extra == 0 || !u.law.stands || u.pressing() {
		return turns
	}
	return u.did
}

// isReply reports whether besides the move on p the opponent's next disc lies
// there, which ends the move: a finished one anywhere, one with wrong flips where
// those stand and nobody presses.
func (u *umpire) isReply(p point, d difference) bool {
	others := d.placed &^ p.square().Bit()
	if others.Count() != 1 {
		return false
	}
	turns := u.turns(p, u.turn)
	if u.did == turns && u.replies(p, turns, first(others)) {
		return true
	}
	return u.law.stands && !u.pressing() && u.replies(p, u.did, first(others))
}

// replies reports whether, the move on p having turned some discs, the one on r is
// a legal disc of whoever is then to move, with some of its flips done.
func (u *umpire) replies(p point, turned engine.Bitboard, r point) bool {
	next := *u
	next.final = after(&u.final, p, u.turn, turned)
	next.number++
	next.used = map[side]int{dark: u.used[dark], light: u.used[light]}
	next.used[u.turn]++
	next.turn = u.turn.other()
	if len(next.moves(next.turn)) == 0 {
		next.turn = u.turn
	}
	left := differ(&next.final, &u.table)
	return left.placed == r.square().Bit() && u.shows(r, next.turn) && next.legal(r, next.turn) &&
		(left.turned|left.gone)&^next.turns(r, next.turn) == 0
}

// after returns the board with a disc of s on p and some discs turned over.
func after(b *board, p point, s side, turned engine.Bitboard) board {
	next := *b
	for q := range turned.All() {
		f := pointOf(q)
		next[f.row][f.col] = b.at(f).other()
	}
	next[p.row][p.col] = s
	return next
}

// wrongness says why a disc that shows a face on p is no move of the side on turn.
func (u *umpire) wrongness(p point) (why string, by side) {
	by = u.turn
	switch {
	case u.shows(p, u.turn) && len(u.opening()) > 0:
		why = "off_center"
	case u.shows(p, u.turn):
		why = "no_flip"
	case u.legal(p, u.turn):
		why = "wrong_color"
	case u.number > 0 && u.legal(p, u.turn.other()):
		why, by = "out_of_turn", u.turn.other()
	default:
		why = "wrong_color"
	}
	return why, by
}

// judgeWrong looks at new discs of which none is a legal move.
func (u *umpire) judgeWrong(d difference, at time.Duration) bool {
	if d.placed.Count() > 1 {
		u.tell("second_disc", u.turn, d.placed)
		return false
	}
	p := first(d.placed)
	why, by := u.wrongness(p)
	switch {
	case u.passDue() && u.shows(p, u.turn.other()) && u.legal(p, u.turn.other()):
		// The pass was not said; the reply says it.
		u.tooLate(at, u.slack)
		u.pass(at, u.slack)
		return true
	case u.counts() && why != "out_of_turn":
		// Nobody says anything before the press, and nobody claims any more.
		u.playersGoOn(at, u.slack)
		u.tooLate(at, u.slack)
		u.clear()
	default:
		u.tell(why, by, d.placed)
	}
	return false
}

// judgeTaken looks at a table on which discs are missing or turned over.
func (u *umpire) judgeTaken(d difference, at time.Duration) bool {
	u.meant = nil
	if k, done := u.takenBack(d); k > 0 {
		u.clear()
		if done {
			u.undo(k, at)
		}
		return done
	}
	switch {
	case d.turned == 0, d.turned&^u.given == 0:
		u.clear() // discs in a hand, or the flips of a move that was withdrawn
	case u.counts() && (d.gone == 0 || !u.missing):
		u.clear()
	default:
		u.tell("extra_flip", u.turn, d.turned)
	}
	return false
}

// takenBack finds how many discs are being taken back, and whether that is done: an
// earlier board lies there, or one is on its way.
func (u *umpire) takenBack(d difference) (k int, done bool) {
	discs, under := 0, 0
	for n := len(u.rec) - 1; n >= 0 && discs < u.law.backs; n-- {
		e := u.rec[n]
		if e.pass {
			continue
		}
		if !u.shows(e.at, bare) {
			break
		}
		discs++
		back := differ(&e.before, &u.final)
		// A disc that has turned nothing is taken back when it stays away: for a
		// moment off the board it is only lifted.
		// So is one that may also be in a hand to be turned, for a later one.
		if u.table == e.before && (back.turned != 0 && under == 0 || u.missing) {
			return discs, true
		}
		if all := back.placed | back.turned; under == 0 && (d.gone|d.turned)&^all == 0 {
			under = discs
		}
	}
	return under, false
}

// undo expects a takeback of k discs.
func (u *umpire) undo(k int, at time.Duration) {
	e := u.cut(k)
	u.open, u.claimed, u.flags = nil, false, e.flags
	u.expect(want{
		said: said{what: "undo", by: e.by, plies: k, to: u.number}, when: at, slack: u.slack,
		then: func(at time.Duration) {
			u.watch.times = e.clock
			u.began = e.clock
			u.watch.at = at
			u.rise()
			u.runs()
		},
	})
}

// rise says which flags are down by what is left.
func (u *umpire) rise() {
	for n, left := range u.watch.left {
		u.watch.down[n] = left == 0
	}
}

// cut takes k discs and what came after each of them off the record, and returns
// the last one that went.
func (u *umpire) cut(k int) *entry {
	n := len(u.rec)
	for k > 0 {
		n--
		if !u.rec[n].pass {
			k--
			u.number--
		}
	}
	e := u.rec[n]
	u.rec = u.rec[:n]
	u.final, u.turn = e.before, e.by
	u.used[dark], u.used[light] = e.used[0], e.used[1]
	u.meant, u.given, u.did = nil, 0, 0
	u.clear()
	return e
}

// enter puts a move or a pass on record.
func (u *umpire) enter(e *entry) {
	e.by, e.before, e.flags = u.turn, u.final, u.flags
	e.used = [2]int{u.used[dark], u.used[light]}
	u.rec = append(u.rec, e)
	u.turn = u.turn.other()
	u.meant, u.given, u.did = nil, 0, 0
	u.missing, u.held = false, nil
	u.clear()
}

// move expects the move on p that really turned some discs, and what follows.
func (u *umpire) move(p point, turned engine.Bitboard, at, slack time.Duration, improper string) {
	by, face := u.turn, u.table.at(p)
	turns := u.turns(p, by)
	e := &entry{at: p, flipped: turned, missed: turns &^ turned, extra: turned &^ turns, improper: improper}
	e.wrong = e.missed|e.extra != 0 || improper != ""
	board := after(&u.final, p, face, turned)
	u.enter(e)
	u.final = board
	u.number++
	u.used[by]++
	u.open, u.claimed = nil, false
	reply := !u.pressing()
	u.expect(want{
		said: said{
			what: "move", by: by, at: p.square(), flipped: turned, missed: e.missed, extra: e.extra, why: improper,
		},
		when: at, slack: slack,
		then: func(time.Duration) {
			e.clock = u.began
			if u.watch.runs != bare {
				e.earned = u.watch.earn(by)
			}
			u.turnBegins()
		},
	})
	if e.wrong {
		e.kind = u.doing
		u.open = e
		if reply {
			u.closes(at, slack)
		} else {
			u.flipError(e, "open", false, at, slack, nil)
		}
	}
	u.advance(at, slack)
}

// turnBegins lets the clock of the side on turn run.
func (u *umpire) turnBegins() {
	u.began = u.watch.times
	u.runs()
}

// flipError expects word of wrong flips.
func (u *umpire) flipError(e *entry, status string, claimed bool, at, slack time.Duration, then func(time.Duration)) {
	u.expect(want{
		said: said{
			what: "flip_error", by: bare, missed: e.missed, extra: e.extra, why: status, claimed: claimed, number: u.numberOf(e),
		},
		when: at, slack: slack, then: then,
	})
}

// numberOf returns which disc an entry placed.
func (u *umpire) numberOf(e *entry) int {
	n := 0
	for _, o := range u.rec {
		if !o.pass {
			n++
		}
		if o == e {
			break
		}
	}
	return n
}

// tooLate makes what is wrong with the last move stand: the reply lies there.
func (u *umpire) tooLate(at, slack time.Duration) {
	if u.open != nil && !u.claimed {
		u.closes(at, slack)
	}
}

func (u *umpire) closes(at, slack time.Duration) {
	u.tally.add(u.open.kind, stood)
	u.flipError(u.open, "stands", false, at, slack, nil)
	u.open, u.claimed = nil, false
}

// playersGoOn lets the clocks run again after a finished game was opened by a
// claim.
func (u *umpire) playersGoOn(at, slack time.Duration) {
	if !u.halted {
		return
	}
	u.halted = false
	u.expect(want{said: said{what: "resumed", by: bare, why: "players"}, when: at, slack: slack, then: func(time.Duration) { u.runs() }})
}

// advance passes for a side that cannot move, or ends the game.
func (u *umpire) advance(at, slack time.Duration) {
	switch mine, theirs := len(u.moves(u.turn)), len(u.moves(u.turn.other())); {
	case mine > 0:
	case theirs == 0:
		if !u.law.afterEnd && u.open != nil {
			u.closes(at, slack)
		}
		u.ends(u.counted(), at, slack)
	case !u.passDue():
		u.pass(at, slack)
	}
}

// pass expects a pass.
func (u *umpire) pass(at, slack time.Duration) {
	by := u.turn
	e := &entry{pass: true}
	u.enter(e)
	u.expect(want{said: said{what: "pass", by: by}, when: at, slack: slack, then: func(time.Duration) {
		e.clock = u.began
		u.turnBegins()
	}})
}

// presses judges a press of the clock on somebody's side.
func (u *umpire) presses(by side, at time.Duration) {
	switch {
	case u.over:
		if u.law.afterEnd && u.open != nil && by == u.open.by.other() {
			u.claim(at)
		}
		return
	case u.flags.playOn:
		// He has seen enough.
		if by == u.flags.fallen.other() {
			u.ends(u.narrow(by), at, exact)
		}
		return
	}
	claimant := u.open != nil && !u.claimed && by == u.open.by.other()
	onTurn := u.turn
	if u.claimed {
		onTurn = u.open.by
	}
	if by != onTurn && !claimant {
		return // a clock that stands is no button
	}
	if u.claimed && u.open.improper == "" {
		u.pressMended(by, at)
		return
	}
	d := differ(&u.final, &u.table)
	switch {
	case d.gone != 0:
		u.held = &heldPress{by: by, at: at}
	case d.none() && claimant:
		u.claim(at)
	case d.none() && u.passDue():
		u.tooLate(at, exact)
		u.pass(at, exact)
	case d.none() && u.halted:
		u.playersGoOn(at, exact)
	case d.none():
		if u.pressing() { // elsewhere the button means nothing
			u.illegal("pass_not_allowed", by, 0)
		}
	case !u.restoring:
		u.pressMove(d, by, at)
	}
}

// pressMended judges the press of a mover who has been told to put his flips right.
func (u *umpire) pressMended(by side, at time.Duration) {
	right := u.mended()
	if u.table == right {
		u.fixed(at, exact)
		return
	}
	d := differ(&right, &u.table)
	u.illegal("flips_pending", by, d.placed|d.turned|d.gone)
}

// pressMove judges the press of the side on turn with something on the board.
func (u *umpire) pressMove(d difference, by side, at time.Duration) {
	if by != u.turn {
		return
	}
	p, ok := u.ownDisc(d)
	if !ok {
		if d.placed.Count() == 1 && u.counts() {
			if why, _ := u.wrongness(first(d.placed)); why != "out_of_turn" {
				u.playersGoOn(at, exact)
				u.move(first(d.placed), d.turned, at, exact, why)
			}
		}
		return
	}
	turns := u.turns(p, u.turn)
	open, extra := u.undone(turns), d.turned&^turns
	switch {
	case d.placed.Count() > 1:
	case open|extra == 0 || u.law.stands && u.pressing():
		u.playersGoOn(at, exact)
		u.move(p, d.turned, at, exact, "")
	case extra == 0 && u.pressing():
		u.illegal("flips_pending", by, p.square().Bit())
	}
}

// claim judges an objection to the last move.
func (u *umpire) claim(at time.Duration) {
	e := u.open
	u.tally.add(e.kind, healed)
	reopened := u.over
	back := func(time.Duration) {
		u.watch.left[u.watch.of(e.by)] = max(u.watch.left[u.watch.of(e.by)]-e.earned, 1)
		u.runs()
	}
	if reopened {
		u.halted = u.watch.timed()
	}
	if e.improper == "" {
		u.over = false
		u.claimed = true
		u.flipError(e, "open", true, at, exact, back)
		return
	}
	u.doing = e.kind
	u.illegal(e.improper, e.by, e.at.square().Bit())
	u.over = false
	k := u.number - u.numberOf(e) + 1
	u.cut(k)
	u.open, u.claimed, u.restoring = nil, false, true
	u.expect(want{
		said: said{what: "undo", by: e.by, plies: k, to: u.number, claimed: true}, when: at, slack: exact,
		then: func(at time.Duration) {
			back(at)
			u.turnBegins()
		},
	})
}

// fixed expects word that the flips of the open entry are right.
func (u *umpire) fixed(at, slack time.Duration) {
	e, claimed := u.open, u.claimed
	right := u.mended()
	n := slices.Index(u.rec, e)
	passed := len(u.rec) > n+1
	u.rec = u.rec[:n+1]
	if !claimed {
		u.tally.add(e.kind, healed)
	}
	u.final, u.turn = right, e.by.other()
	u.open, u.claimed = nil, false
	u.flipError(e, "fixed", false, at, slack, func(time.Duration) {
		if claimed && u.watch.runs != bare {
			e.earned = u.watch.earn(e.by)
		}
		if claimed || passed {
			u.turnBegins()
		}
	})
	e.flipped, e.missed, e.extra = bits(e.before.outflanked(e.at, e.by)), 0, 0
	u.meant, u.given = nil, 0
	u.clear()
	u.advance(at, slack)
}

// passOrdered judges the word "pass" of the side on turn, said at the button for it.
// It reports whether it was taken.
func (u *umpire) passOrdered(at time.Duration) bool {
	if u.claimed {
		return false
	}
	if !u.passDue() || u.meant != nil {
		u.illegal("pass_not_allowed", u.turn, 0)
		return false
	}
	u.expect(want{said: said{what: "command", by: bare}})
	u.tooLate(at, exact)
	u.pass(at, exact)
	return true
}

// claimOrdered judges a claim that is not made with the clock.
func (u *umpire) claimOrdered(at time.Duration) {
	u.expect(want{said: said{what: "command", by: bare}})
	u.claim(at)
}

// resigns expects that a side gives up.
func (u *umpire) resigns(by side, at time.Duration) {
	u.expect(want{said: said{what: "command", by: bare}})
	u.ends(u.givenUp(by.other()), at, exact)
}

// ends expects the end of the game.
func (u *umpire) ends(r ruling, at, slack time.Duration) {
	u.over = true
	u.halted = false
	u.must = ""
	u.clear()
	if !u.law.afterEnd || !r.played {
		u.open = nil // given up, or stopped by the time
	}
	u.claimed = false
	u.expect(want{said: said{what: "game_over", by: bare, result: r}, when: at, slack: slack, then: func(time.Duration) {
		u.watch.runs = bare
		u.ended = true
	}})
}

// expect adds what the board must say next.
func (u *umpire) expect(w want) {
	w.ply, w.mover, w.board = u.number, u.clockOf(), u.final
	onTurn := u.turn.color()
	if u.over {
		onTurn = engine.None
	}
	w.fp = record.Fingerprint(u.final.discs(), onTurn)
	u.wants = append(u.wants, w)
}

// fault notes the first thing that is wrong.
func (u *umpire) fault(format string, args ...any) {
	if u.wrongs == "" {
		u.wrongs = fmt.Sprintf(format, args...)
	}
}
