package referee

import (
	"time"

	"reversi-board/engine"
)

// Restart is the question whether another game is to begin than the one that is
// expected: while a game is to be set up, one from the usual start (see usualStart);
// in the middle of a game it asks whether that is to be given up for another one,
// which players ask by setting up the start in the middle of it: after the board
// has been swept clean, or after a power cut. It is answered by the discs: left
// alone for RestartAfter they begin the next game. A press of a clock says so at
// once, an order as well. Moving any disc takes the question back.
type Restart struct {
	Active bool
	// At is when the discs will have been left alone for long enough. It is zero
	// when nobody has touched them since the program knows: what was laid out
	// without power waits until a disc has been lifted, or for a press.
	At Time
}

// RestartAfter is for how long the discs of a start must be left alone in the
// middle of a game: longer than hands rest that are putting back what has been
// knocked off the board.
const RestartAfter = 5 * time.Second

// restarts asks whether another game is to begin, begins it, or takes the
// question back. It reports whether the reading is thereby explained.
//
// Where moves are taken back freely a board that equals the start is also what is
// left of a game whose moves have all been taken back; the two are told apart by
// whether the board was empty in between.
func (t *turn) restarts(at Time) bool {
	s := t.s
	m := &s.memory
	s.noteCleared()
	asked := m.cleared || m.restoring == restoringPower
	if !asked || !s.mayRestart() || !s.startLies() {
		s.Restart = Restart{}
		return m.cleared && t.settingUp(at)
	}
	s.Restart.Active = true
	if t.touched {
		t.touched = false
		s.Restart.At = at + RestartAfter
	}
	if due := s.Restart.At; due != 0 && at >= due {
		t.beginAnew(at)
		return true
	}
	s.Pending, s.Guide, s.Step = Pending{}, Guide{}, Correcting
	s.setProblem(NoProblem, NoReason, 0, at)
	return true
}

// noteCleared notes that every disc has been off the board. Quick hands put the
// first discs of the start down before the board has been quiet without any.
func (s *State) noteCleared() {
	if !s.mayRestart() || s.Lost != 0 {
		return
	}
	const first = 2
	m := &s.memory
	c := compare(&s.Game, s.Sensed, 0, s.Masked)
	m.off |= c.gone
	left := s.Sensed.Occupied() &^ s.Masked
	m.cleared = m.cleared || left.Count() <= first && s.Game.Occupied()&^(m.off|c.turned|s.Masked) == 0
}

// settingUp shows nothing but that discs are off the board while the start is being
// laid out, or perhaps the position on record, of which those discs may be a part.
// What lies there is no move, and so no mistake either. It reports whether that is
// what is going on: somebody who stops in between is led back to the record. After
// a power cut nobody knows who has taken the discs off, and what is missing is said
// at once.
func (t *turn) settingUp(at Time) bool {
	s := t.s
	start, seen, known := s.asLaidOut(s.Match.Rules).Start.Discs, s.Sensed, ^s.Masked
	if s.memory.missing || s.memory.restoring == restoringPower || known&(seen.Black&^start.Black|seen.White&^start.White) != 0 {
		return false
	}
	c := compare(&s.Game, seen, s.Lost, s.Masked)
	t.show(verdict{kind: lifted, missing: c.gone | c.turned}, at)
	return true
}

// mayRestart reports whether the players themselves may give a game up for
// another one: where it counts for nothing, so that they may take back whatever
// they like, and no tournament waits for its result. The empty board is no wish for a game that begins on it.
func (s *State) mayRestart() bool {
	return s.Phase == Playing && s.Len > 0 && s.Match.Profile.Takeback == TakebackFree &&
		s.Match.Pairing == "" && s.Match.Rules.Start.Occupied() != 0
}

// MayRestart reports whether the players themselves may give the game up for
// another one now.
func (s *State) MayRestart() bool { return s.mayRestart() }

// startLies reports whether the discs lie as at the start. Where faces are not
// seen the players have to look themselves.
func (s *State) startLies() bool {
	start := s.asLaidOut(s.Match.Rules).Start.Discs
	if s.Lost != 0 {
		return false
	}
	if s.Presence {
		return (start.Occupied()^s.Sensed.Occupied())&^s.Masked == 0
	}
	return start.Diff(s.Sensed)&^s.Masked == 0
}

// usualRules returns the game from the usual start that is played instead of one
// with a start of its own; other is false where it has none.
func usualRules(r engine.Rules) (usual engine.Game, other bool) {
	name := r.Name
	if name == engine.Custom {
		name = engine.Classic
	}
	rules, err := engine.Variant(name)
	if err != nil || rules.Opening != 0 || rules.Start.Discs == r.Start.Discs {
		return engine.Game{}, false
	}
	if either, ok := rules.OtherDiagonal(); ok && either.Start.Discs == r.Start.Discs {
		return engine.Game{}, false
	}
	return engine.NewGame(rules), true
}

// usualStart asks whether the next game is to begin from the usual start, begins
// it, or takes the question back: players who have played from another start and
// now set up the four discs want no more of them. But those four may also be the
// first ones of that other start, so that leaving them alone is no answer: a disc is
// lifted and put back, or a clock is pressed. It reports whether the reading is
// thereby explained.
func (t *turn) usualStart(at Time) bool {
	s := t.s
	m := &s.memory
	usual, other := usualRules(s.Match.Rules)
	if !m.inherited || !other {
		return false
	}
	c := compare(&usual, s.Sensed, s.Lost, s.Masked)
	if lies := c.none() || s.Presence && c.placed|c.gone == 0; !lies || s.Lost != 0 {
		s.Restart = Restart{}
		m.usual = m.usual && c.placed == 0
		return false
	}
	again := m.usual && t.touched
	s.Restart.Active, m.usual = true, true
	if again {
		t.touched = false
		s.Restart.At = at + RestartAfter
	}
	if due := s.Restart.At; due != 0 && at >= due {
		t.beginAsUsual(at)
		return true
	}
	s.setProblem(NoProblem, NoReason, 0, at)
	return true
}

// beginAsUsual begins the game from the usual start that lies there.
func (t *turn) beginAsUsual(at Time) {
	s := t.s
	usual, _ := usualRules(s.Match.Rules)
	s.Match.Rules, s.Restart = usual.Rules, Restart{}
	t.judge(at)
}

// beginAnew gives the game up and begins the next one with what lies there.
func (t *turn) beginAnew(at Time) {
	t.abort(at)
	t.judge(at)
}

// abort ends a game that has no result.
func (t *turn) abort(at Time) {
	r := t.s.asTheyLie()
	r.Winner, r.Void, r.Reason = engine.None, true, Aborted
	r.Counts = CountsAwarded
	r.Black, r.White = 0, 0 // an unfinished game has no score
	t.end(r, at)
}
