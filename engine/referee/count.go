package referee

import (
	"time"

	"reversi-board/engine"
)

// counting is the count of a game that the time has stopped, under way.
type counting struct {
	// begun says that lay is known; open that a reading of what lay there when the
	// time was up may still be on its way.
	begun, open bool
	// at is when the time was up, zero after a restart; next is when to look again.
	at, next Time
	// lay are the discs as they lay then, kept those that were seen last before a
	// restart, seen says that they are known. Of the squares in asked it is not known
	// what counts.
	lay, kept engine.Discs
	seen      bool
	asked     engine.Bitboard
}

// lookAgain is how often a board at which hands are at work is looked at, at most.
const lookAgain = 50 * time.Millisecond

// beginCount keeps what lay on the board when the time was up, as far as it was at
// rest. If this step has read the board, that lies there since later.
func (t *turn) beginCount(at Time) {
	s := t.s
	n := counting{begun: true, open: true, at: at, next: at + s.Lag, lay: s.Sensed}
	if t.reading {
		n.lay = t.before
	}
	n.lay, n.asked = s.readable(n.lay)
	s.memory.count = n
}

// readable returns the discs that lie with those that follow from the record, and
// the squares of which nobody knows what counts: cells that cannot be read, and
// discs that are off the board, in a hand that turns them. A masked cell has the
// disc on record, unless the move that lies there unfinished may have changed it.
func (s *State) readable(lay engine.Discs) (known engine.Discs, asked engine.Bitboard) {
	c := compare(&s.Game, lay, s.Lost, s.Masked)
	asked = s.Lost | c.gone
	masked := s.Masked
	switch own := c.placed & lay.Of(s.Game.Turn) & s.Game.Legal(); {
	case c.none():
	case c.placed.Count() == 1 && own != 0 && (c.turned|c.gone)&^s.Game.Flips(own.First()) == 0:
		asked |= masked & s.Game.Flips(own.First())
	default:
		asked |= masked
	}
	masked &^= asked
	known.Black = lay.Black&^(masked|asked) | s.Game.Black&masked
	known.White = lay.White&^(masked|asked) | s.Game.White&masked
	return known, asked
}

// count counts the discs of a game whose time is up, once it is known what lay there
// then. What lay there at rest counts, whatever hands have done since; where they
// were at work at that moment, what they leave. What cannot be read is asked for.
// Where no colors are seen there is nothing to count but the record.
func (t *turn) count(at Time) {
	s := t.s
	n := &s.memory.count
	s.Pending, s.Wish = Pending{}, Wish{}
	if s.Presence {
		r := s.asTheyLie()
		r.Stop.By = CountedRecord
		t.stop(r, s.Sensed, at)
		return
	}
	switch {
	case !n.begun:
		n.begun = true
		n.lay, n.asked = s.readable(s.Sensed)
		if n.seen {
			n.lay, n.asked = s.readable(n.kept)
		}
	case t.reading && t.began <= n.at:
		n.lay, n.asked = s.readable(s.Sensed)
		n.open = n.open && s.memory.changed <= n.at
	case t.reading:
		s.answer(s.Sensed, n.asked&^s.Unsure()&(s.Sensed.Occupied()|s.Game.Empty()))
		n.open = false
	case t.ticking && at >= n.next:
		n.open, n.next = t.moving, at+max(s.Lag, lookAgain)
	}
	if n.open || n.asked != 0 {
		s.askToCount(at)
		return
	}
	r := s.asTheyLie()
	r.Winner = s.Game.Rules.Winner(n.lay)
	r.DiscsBlack, r.DiscsWhite = n.lay.Black.Count(), n.lay.White.Count()
	r.Black, r.White = r.DiscsBlack, r.DiscsWhite
	r.Stop.By = CountedBoard
	t.stop(r, n.lay, at)
}

// answer takes what lies on squares of which that was not known.
func (s *State) answer(discs engine.Discs, squares engine.Bitboard) {
	n := &s.memory.count
	n.lay.Black = n.lay.Black&^squares | discs.Black&squares
	n.lay.White = n.lay.White&^squares | discs.White&squares
	n.asked &^= squares
}

// stop ends a game whose time is up with the discs that lay there.
func (t *turn) stop(r Result, lay engine.Discs, at Time) {
	s := t.s
	r.Stop.Lay, r.Stop.Differ = lay, lay.Diff(s.Game.Discs)
	r.Stop.RecordBlack, r.Stop.RecordWhite = s.Game.Black.Count(), s.Game.White.Count()
	if n := &s.memory.count; n.at != 0 {
		at = n.at
	}
	t.end(r, at)
}

// askToCount shows what keeps the discs from being counted: discs in a hand, which
// are to be put back, and cells that cannot be read, about which an arbiter says what
// lies there.
func (s *State) askToCount(at Time) {
	n := &s.memory.count
	unread := n.asked & s.Unsure()
	missing := n.asked &^ unread
	s.Guide = Guide{PlaceBlack: missing & s.Game.Black, PlaceWhite: missing & s.Game.White}
	s.Step = Correcting
	switch {
	case unread&s.Lost != 0:
		s.setProblem(BankLost, NoReason, unread, at)
	case unread != 0:
		s.setProblem(SensorFault, NoReason, unread, at)
	case missing != 0:
		s.setProblem(IllegalPosition, NoReason, missing, at)
	default:
		s.Step = InProgress
		s.setProblem(NoProblem, NoReason, 0, at)
	}
}

// Asked returns the squares of a game whose time is up of which it is not known what
// counts: their cells cannot be read, or their discs are off the board.
func (s *State) Asked() engine.Bitboard {
	if s.Phase != Playing || !s.Flags.TimeUp {
		return 0
	}
	return s.memory.count.asked
}

// countAsRuled takes what an arbiter says about squares of a game whose time is up.
func (t *turn) countAsRuled(in Command, discs engine.Discs, squares engine.Bitboard) {
	t.obey(in)
	t.s.answer(discs, squares)
	t.again(in.At)
}
