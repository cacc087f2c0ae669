package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// ruling is how a game with mistakes ended.
type ruling struct {
	winner side // bare for a draw
	// dark and light are the official score, darkDiscs and lightDiscs the discs.
	dark, light, darkDiscs, lightDiscs int
	why                                string
	// played says that the last move ended it, and nothing else.
	played bool
}

// said is an event in a form that can be compared: as the board announced it, or
// as the umpire expects it.
type said struct {
	what string
	by   side
	at   engine.Square
	// flipped, missed and extra are sets of discs; why is a reason or a status.
	flipped, missed, extra engine.Bitboard
	why                    string
	claimed                bool
	number, plies, to      int
	result                 ruling
	// ply and fp are the number of discs on record after it, and its fingerprint.
	ply int
	fp  string
}

// String is for people.
func (s said) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", s.what)
	if s.by != bare {
		fmt.Fprintf(&b, " by %v", s.by.color())
	}
	switch s.what {
	case "move":
		fmt.Fprintf(&b, " %v flips %v missed %v extra %v", s.at, s.flipped, s.missed, s.extra)
	case "illegal_move":
		fmt.Fprintf(&b, " %v", engine.Move(s.at))
	case "flip_error":
		fmt.Fprintf(&b, " of disc %d missed %v extra %v", s.number, s.missed, s.extra)
	case "undo":
		fmt.Fprintf(&b, " of %d to %d", s.plies, s.to)
	case "game_over":
		fmt.Fprintf(&b, " %+v", s.result)
	}
	if s.why != "" {
		fmt.Fprintf(&b, " (%s)", s.why)
	}
	if s.claimed {
		b.WriteString(" claimed")
	}
	fmt.Fprintf(&b, " at ply %d", s.ply)
	return b.String()
}

// want is an event that must come next.
type want struct {
	said
	// where are the squares of which the event names one; if there are none, it
	// names said.at, or none.
	where engine.Bitboard
	// when it is dated, give or take slack. Events without a date have no slack.
	when, slack time.Duration
	// perhaps says that it need not come, anyMistake that its reason does not matter.
	perhaps, anyMistake bool
	// lies says that the discs are counted as they lay at that time, see mayLie.
	lies bool
	// mover is whose clock runs from then on, board the record.
	mover side
	board board
	// then is what it does to the clocks.
	then func(at time.Duration)
}

// heard is an event of the board with its date and clocks, if it has any.
type heard struct {
	said
	dated bool
	when  time.Duration
	clock clock.Times
}

func sideOf(c engine.Color) side {
	switch c {
	case engine.Black:
		return dark
	case engine.White:
		return light
	case engine.None:
		return bare
	default:
		return bare
	}
}

// hearsay puts an event of the board into words that can be compared; payload is
// its published form.
func hearsay(ev referee.Event, payload []byte) (heard, error) {
	env, _, err := record.DecodeEvent(payload)
	if err != nil {
		return heard{}, err
	}
	h := heard{said: said{what: record.TypeOf(payload), by: bare, ply: env.Ply, fp: env.FP}}
	switch ev := ev.(type) {
	case referee.Moved:
		h.by, h.at, h.flipped, h.missed, h.extra = sideOf(ev.By), ev.Square, ev.Flipped, ev.Missed, ev.Extra
		h.why = ev.Improper.String()
		h.date(ev.At, ev.Clock)
	case referee.Passed:
		h.by = sideOf(ev.By)
		h.date(ev.At, ev.Clock)
	case referee.FlipError:
		h.missed, h.extra, h.why = ev.Missed, ev.Extra, ev.Status.String()
		h.number, h.claimed = ev.Ply, ev.Claimed
		h.date(ev.At, ev.Clock)
	case referee.Undone:
		h.by, h.plies, h.to, h.claimed = sideOf(ev.By), ev.Plies, ev.ToPly, ev.Claimed
		h.date(ev.At, ev.Clock)
	case referee.Illegal:
		h.by, h.at, h.why = sideOf(ev.By), ev.Square, ev.Reason.String()
	case referee.ClockFlag:
		h.by, h.why = sideOf(ev.Color), ev.Effect.String()
		h.date(ev.At, ev.Clock)
	case referee.GameResumed:
		h.why = ev.By
		h.date(ev.At, ev.Clock)
	case referee.GameOver:
		r := ev.Result
		h.result = ruling{
			winner: sideOf(r.Winner), dark: r.Black, light: r.White,
			darkDiscs: r.DiscsBlack, lightDiscs: r.DiscsWhite, why: string(r.Reason),
		}
		h.date(ev.At, ev.Clock)
	case referee.GameStarted:
		h.dated, h.when = true, ev.At
	case referee.Faulted, referee.Restored, referee.PowerRestored, referee.EngineLost,
		referee.Commanded, referee.Revised, referee.PositionSet, referee.ClockAdjusted, referee.GamePaused,
		referee.TimeStepped:
	}
	return h, nil
}

// date gives an event its date and what the clocks show then.
func (h *heard) date(at time.Duration, c clock.Times) { h.dated, h.when, h.clock = true, at, c }

// hears compares an event of the board with what must come. Flags fall by
// themselves, so that nobody expects them before.
func (u *umpire) hears(h heard) {
	if u.wrongs != "" {
		return
	}
	if h.what == "clock_flag" {
		u.flagFalls(h)
		return
	}
	u.preferExact(h)
	for len(u.wants) > 0 {
		w := u.wants[0]
		u.wants = u.wants[1:]
		if w.lies && h.what == w.what && u.mayLie(w.when, h.result) {
			w.result = h.result
		}
		if w.meets(h) {
			if h.what == "illegal_move" {
				u.heard = append(u.heard, h.why)
			}
			u.dates(&w, h)
			return
		}
		if !w.perhaps {
			u.fault("want %v, got %v", w.said, h.said)
			return
		}
	}
	u.fault("nothing was to be announced, but it was %v", h.said)
}

// preferExact brings the very event that is wanted before mistakes of any kind that
// need not be announced, so that those do not take its place.
func (u *umpire) preferExact(h heard) {
	for i := range u.wants {
		w := u.wants[i]
		switch {
		case w.anyMistake && w.perhaps:
			continue
		case i > 0 && w.meets(h):
			u.wants = slices.Insert(slices.Delete(u.wants, i, i+1), 0, w)
		}
		return
	}
}

// meets reports whether an event is the one that is wanted.
func (w *want) meets(h heard) bool {
	expected := w.said
	expected.result.played = false
	if w.anyMistake {
		return h.what == w.what
	}
	if h.what == "illegal_move" {
		// It names one of the squares, or none for a pass.
		if w.where == 0 && h.at != engine.Square(engine.PassMove) || w.where != 0 && !w.where.Has(h.at) {
			return false
		}
		expected.at = h.at
	}
	return h.said == expected
}

// doubtless drops what need not come.
func (u *umpire) doubtless() {
	u.wants = slices.DeleteFunc(u.wants, func(w want) bool { return w.perhaps })
}

// owes says what has still to be announced, empty when nothing has.
func (u *umpire) owes() string {
	for i := range u.wants {
		if !u.wants[i].perhaps {
			return u.wants[i].String()
		}
	}
	if u.must != "" && !slices.Contains(u.heard, u.must) {
		return "illegal_move (" + u.must + ")"
	}
	return ""
}

// quiet forgets what need not come any more: the board has been quiet for long.
func (u *umpire) quiet() {
	u.doubtless()
	u.heard, u.must = nil, ""
}

// dates compares when an event happened, and what the clocks then show.
func (u *umpire) dates(w *want, h heard) {
	u.mover, u.known, u.knownNumber = w.mover, w.board, w.ply
	if !h.dated {
		if w.then != nil {
			w.then(w.when)
		}
		return
	}
	if off := h.when - w.when; off > w.slack || -off > w.slack {
		u.fault("%v is dated %v, it happened at %v", h.said, h.when, w.when)
		return
	}
	if falls, ok := u.watch.falls(); ok && falls < h.when-exact {
		u.fault("%v at %v comes after the flag, which fell at %v", h.said, h.when, falls)
		return
	}
	u.watch.advance(h.when)
	if w.then != nil {
		w.then(h.when)
	}
	if h.what != "game_started" {
		u.compareClocks(h)
	}
}

// compareClocks compares what an event says of the clocks with the umpire's.
func (u *umpire) compareClocks(h heard) {
	left, periods := u.watch.shown()
	for n := range left {
		off := h.clock.Left[n] - left[n]
		if h.clock.Timed[n] != u.watch.timed() || off > exact || -off > exact || h.clock.Periods[n] != periods[n] {
			u.fault("the clock of %v with %v shows %v and %d periods, it should be %v and %d",
				engine.Color(n), h.said, h.clock.Left[n], h.clock.Periods[n], left[n], periods[n])
			return
		}
	}
}

// flagFalls checks that a flag has fallen in time, and says what follows.
func (u *umpire) flagFalls(h heard) {
	falls, ok := u.watch.falls()
	if off := h.when - falls; !ok || off > exact || -off > exact {
		u.fault("a flag fell at %v, the time is over at %v (%t)", h.when, falls, ok)
		return
	}
	by := u.watch.runs
	if len(u.wants) > 0 && u.wants[0].when != 0 && u.wants[0].when < falls-u.wants[0].slack {
		u.fault("the flag of %v fell at %v, before that there was %v at %v", by.color(), falls, u.wants[0].said, u.wants[0].when)
		return
	}
	effect, whose := u.law.flag, by
	switch {
	case u.watch.shared:
		// The flag is nobody's: nobody can have lost by it.
		if whose = bare; effect != flagNone {
			effect = flagCount
		}
	case effect == flagGrace && u.flags.graced[by.index()]:
		effect = flagLoss
	}
	w := said{what: "clock_flag", by: whose, why: string(effect), ply: h.ply, fp: h.fp}
	if h.said != w {
		u.fault("want %v, got %v", w, h.said)
		return
	}
	u.tally.add("flags", made)
	u.watch.advance(falls)
	n := u.watch.of(by)
	u.watch.left[n], u.watch.spare[n], u.watch.down[n] = 0, 0, true
	u.flagMeans(effect, by, falls)
	u.compareClocks(h)
}

// flagMeans does what a fallen flag means.
func (u *umpire) flagMeans(effect flagLaw, by side, at time.Duration) {
	switch effect {
	case flagNone:
	case flagLoss:
		u.stopped()
		r := u.counts64(by.other())
		u.ends(r, at, exact)
	case flagGrace:
		u.flags.graced[by.index()] = true
		n := u.watch.of(by)
		u.watch.left[n], u.watch.down[n] = 2*time.Minute, false
	case flagJof:
		u.flags.playOn, u.flags.fallen = true, by
		u.runs()
		u.advance(at, exact) // a pass that nobody has said
		if u.lastRest+settleSlack > at {
			// The hands are at work, or were a moment ago: what was nobody's business may be seen now.
			u.expect(want{said: said{what: "illegal_move"}, perhaps: true, anyMistake: true})
		}
		u.judgeAll(max(at, u.lastRest)) // nobody presses any more
		u.sure.why, u.sure.set = u.told, u.toldSet
	case flagCount:
		u.stopped()
		r := u.lying()
		r.why = "flag"
		u.ends(r, at, exact)
		u.wants[len(u.wants)-1].lies = !u.blind
	}
}

// counting reports whether the time is up and the discs are still to be counted.
func (u *umpire) counting() bool { return len(u.wants) > 0 && u.wants[0].lies }

// laid is the table at a time at which hands had moved a disc.
type laid struct {
	at    time.Duration
	table board
}

// keeps remembers how the table lies, for a time that may be up.
func (u *umpire) keeps(at time.Duration) {
	const enough = 64
	if len(u.lay) == enough {
		u.lay = slices.Delete(u.lay, 0, enough/2)
	}
	u.lay = append(u.lay, laid{at, u.table})
}

// mayLie reports whether discs counted when the time was up are some that may have
// lain there. What lay there at rest counts, and nothing that was done later; where
// hands were at work at that moment, what one of their next motions has left. A disc
// that was off the board then counts as it is put back.
func (u *umpire) mayLie(up time.Duration, r ruling) bool {
	var then, later []board
	last := -1
	for i := range u.lay {
		switch l := &u.lay[i]; {
		case l.at <= up-settleSlack:
			last = i
		case l.at <= up+settleSlack:
			then = append(then, l.table)
			later = append(later, l.table)
		default:
			later = append(later, l.table)
		}
	}
	if last >= 0 {
		then = append(then, u.lay[last].table)
	} else {
		then = append(then, u.start)
	}
	if len(then) > 1 {
		then = append(then, later...) // hands were at work
	}
	for i := range then {
		gone := differ(&u.final, &then[i]).gone
		if u.tallies(&then[i], r) {
			return true
		}
		for j := range later {
			filled := then[i]
			for s := range gone.All() {
				p := pointOf(s)
				filled[p.row][p.col] = later[j].at(p)
			}
			if u.tallies(&filled, r) {
				return true
			}
		}
	}
	return false
}

// tallies reports whether a board counts as said; no disc of the record may be off it.
func (u *umpire) tallies(b *board, r ruling) bool {
	if differ(&u.final, b).gone != 0 {
		return false
	}
	d, l := b.count(dark), b.count(light)
	winner := bare
	switch {
	case d > l:
		winner = dark
	case l > d:
		winner = light
	}
	if u.fewest() && winner != bare {
		winner = winner.other()
	}
	return r == ruling{winner: winner, dark: d, light: l, darkDiscs: d, lightDiscs: l, why: "flag"}
}

// stopped forgets what was expected: the game is over before that.
func (u *umpire) stopped() {
	if len(u.wants) > 0 {
		u.final, u.number = u.known, u.knownNumber
	}
	u.wants = nil
}

// lying counts the discs as they lie on record.
func (u *umpire) lying() ruling {
	r := ruling{darkDiscs: u.final.count(dark), lightDiscs: u.final.count(light), winner: bare}
	r.dark, r.light = r.darkDiscs, r.lightDiscs
	switch {
	case r.dark > r.light:
		r.winner = dark
	case r.light > r.dark:
		r.winner = light
	}
	if u.fewest() && r.winner != bare {
		r.winner = r.winner.other()
	}
	return r
}

func (u *umpire) fewest() bool { return u.variant == "reverse" }

// scored gives the winner and the loser their scores.
func (r ruling) scored(winner side, own, other int) ruling {
	r.winner, r.dark, r.light = winner, own, other
	if winner == light {
		r.dark, r.light = other, own
	}
	return r
}

// counted is the result of a game that the last move has ended.
func (u *umpire) counted() ruling {
	r := u.lying()
	r.why, r.played = "no_moves", true
	if r.darkDiscs == 0 || r.lightDiscs == 0 {
		r.why = "wipeout"
	}
	if empty := 64 - r.darkDiscs - r.lightDiscs; !u.law.lie && !u.historic {
		switch {
		case r.darkDiscs > r.lightDiscs:
			r.dark += empty
		case r.lightDiscs > r.darkDiscs:
			r.light += empty
		default:
			r.dark, r.light = 32, 32
		}
	}
	if loser := u.mayNotWin(); loser != bare && r.winner != loser.other() {
		r = u.atBest(r, loser.other())
		r.why = "flag"
	}
	return r
}

// mayNotWin returns who has lost the right to win by a fallen flag: the one who has
// had more time, if the other has not, and who let the other play on.
func (u *umpire) mayNotWin() side {
	g := u.flags.graced
	switch {
	case u.flags.playOn:
		return u.flags.fallen
	case g[0] && !g[1]:
		return dark
	case g[1] && !g[0]:
		return light
	default:
		return bare
	}
}

// atBest is 33-31 for a winner, the other way round where fewest discs win.
func (u *umpire) atBest(r ruling, winner side) ruling {
	if u.fewest() {
		return r.scored(winner, 31, 33)
	}
	return r.scored(winner, 33, 31)
}

// narrow is the result of a game that the opponent of the player without time
// does not want to play to its end.
func (u *umpire) narrow(winner side) ruling {
	r := u.atBest(u.lying(), winner)
	r.why = "flag"
	return r
}

// counts64 is 64-0.
func (u *umpire) counts64(winner side) ruling {
	r := u.lying().scored(winner, 64, 0)
	if u.fewest() {
		r = r.scored(winner, 0, 64)
	}
	r.why = "flag"
	return r
}

// givenUp is the result of a game that was given up: the empty squares are the
// winner's, and he wins by 33-31 at least. Where fewest discs win, they are the
// loser's.
func (u *umpire) givenUp(winner side) ruling {
	r := u.lying()
	r.why = "resign"
	own, other := r.darkDiscs, r.lightDiscs
	if winner == light {
		own, other = other, own
	}
	switch {
	case u.fewest() && own < 32:
		return r.scored(winner, own, 64-own)
	case !u.fewest() && other < 32:
		return r.scored(winner, 64-other, other)
	default:
		return u.atBest(r, winner)
	}
}
