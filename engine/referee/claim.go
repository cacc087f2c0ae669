package referee

import (
	"reversi-board/engine"
	"reversi-board/engine/clock"
)

// claimant is who may object to the last move: the opponent of its mover.
func (s *State) claimant() engine.Color {
	if !s.Objection.Open {
		return engine.None
	}
	return s.Entries[s.Objection.Entry].By.Opponent()
}

// claim takes the opponent's objection. Wrong flips are put right on the time of
// the mover; a disc that was no move goes back, and he is to move again.
func (t *turn) claim(at Time) {
	s := t.s
	e := s.Entries[s.Objection.Entry]
	times := s.unearned(&e, at)
	if e.Improper == NoReason {
		t.announce(FlipError{
			Ply: s.plyOf(s.Objection.Entry), Missed: e.Missed, Extra: e.Extra, Status: FlipsOpen, Claimed: true, Clock: times, At: at,
		})
		return
	}
	plies := s.Ply() - s.plyOf(s.Objection.Entry) + 1
	t.announce(Illegal{By: e.By, Square: square(&e), Reason: e.Improper})
	t.announce(Undone{Plies: plies, ToPly: s.Ply() - plies, By: e.By, Claimed: true, Clock: times, At: at})
}

// unearned returns the clocks at a time without what the mover got for a move
// that is not finished after all: an increment, or a new period of byo-yomi.
// Somebody who has used that up already loses his flag at once.
func (s *State) unearned(e *Entry, at Time) clock.Times {
	times := s.Clock.Times(at)
	for c := range engine.None {
		if c == e.By || s.Match.Clock.Shared {
			times.Left[c] = max(times.Left[c]-e.Earned, min(times.Left[c], 1))
		}
	}
	return times
}

// plyOf returns the number of the disc that an entry placed.
func (s *State) plyOf(entry int) int {
	ply := 0
	for i := range entry + 1 {
		if s.Entries[i].Move != engine.PassMove {
			ply++
		}
	}
	return ply
}

// fixed says that the flips of the last move have been put right. After a claim
// that ends the mover's turn.
func (t *turn) fixed(at Time) {
	s := t.s
	e := s.Entries[s.Objection.Entry]
	c := s.Clock
	if c.Advance(at); s.Objection.Claimed && c.Running != engine.None {
		c.Credit(e.By)
	}
	t.announce(FlipError{
		Ply: s.plyOf(s.Objection.Entry), Missed: e.Missed, Extra: e.Extra, Status: FlipsFixed, Clock: c.Times(at), At: at,
	})
	t.advance(at)
}

// replyCloses makes what is wrong with the last move stand once the next disc
// lies there: it is too late to claim then.
func (t *turn) replyCloses(v verdict) {
	s := t.s
	if v.pending.Active && v.kind != mistaken || v.kind == passing {
		t.closeObjection(s.boardTime())
	}
}

// closeObjection makes what is wrong with the last move stand.
func (t *turn) closeObjection(at Time) {
	s := t.s
	if !s.Objection.Open || s.Objection.Claimed {
		return
	}
	e := s.Entries[s.Objection.Entry]
	t.announce(FlipError{
		Ply: s.plyOf(s.Objection.Entry), Missed: e.Missed, Extra: e.Extra, Status: FlipsLeft, Clock: s.Clock.Times(at), At: at,
	})
}
