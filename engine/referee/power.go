package referee

import "reversi-board/engine"

// powerOn takes up the game where it was left. The clocks stand.
func (t *turn) powerOn(in PowerOn) {
	s := t.s
	m := &s.memory
	m.resumed = s.Phase == Playing || s.Phase == Paused
	m.gap, m.before = in.Gap, s.Game.Discs
	if in.SeenOK {
		m.before, m.faces = in.Seen, in.Seen
	}
	if !m.resumed {
		return
	}
	m.count = counting{kept: in.Seen, seen: in.SeenOK}
	times := s.Clock.Times(s.Clock.At)
	if in.ClockOK {
		times = in.Clock
	}
	s.halt(times, in.At)
}

// powerIsBack reports what changed on the board while the program was away. If
// the change cannot be a move on its way, nothing is judged before the board
// equals the record again.
func (t *turn) powerIsBack(at Time) {
	s := t.s
	s.memory.resumed = false
	s.believe()
	changed := s.memory.before.Diff(s.Sensed) &^ s.Unsure()
	t.announce(PowerRestored{Changed: changed, Gap: s.memory.gap, Clock: s.Clock.Times(at), At: at})
	if !s.Flags.TimeUp && s.Clock.On() && s.Clock.Flagged(s.Game.Turn) && s.flagRule(s.Game.Turn) == FlagCount {
		// The time was up when the power went, and nobody had been told.
		count := s.memory.count
		t.flagFalls(s.Game.Turn, at)
		s.memory.count = count
	}
	if v := s.judge(); !s.Flags.TimeUp && !v.onItsWay(changed) {
		s.memory.restoring = restoringPower
	}
}

// onItsWay reports whether the board is as on record but for a move and its
// flips, the way it lies when the power fails in the middle of one. What is no move
// may have been put there as one; but whatever else has changed without power is
// not its player's work.
func (v *verdict) onItsWay(changed engine.Bitboard) bool {
	switch v.kind {
	case same, frozen, moved, mending, mended:
		return true
	case improper:
		return v.missing == 0 && v.turned&changed == 0
	case moving:
		return v.pending.Extra == 0
	case lifted, withdrawn, takingBack, tookBack, passing, mistaken:
		return false
	default:
		return false
	}
}

// goOn lets the clocks that stand since a power cut run again, once the player
// on turn places a disc.
func (t *turn) goOn(v verdict) {
	s := t.s
	if s.Halted && t.touched && v.pending.Active && v.kind != mistaken {
		t.playersGoOn(s.boardTime())
	}
}

// playersGoOn starts the clocks that stand without an order.
func (t *turn) playersGoOn(at Time) {
	t.announce(GameResumed{By: byPlayers, Clock: t.s.Clock.Times(at), At: at})
}

// byPlayers is who resumes a game without an order.
const byPlayers = "players"
