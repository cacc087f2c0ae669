package record

import (
	"fmt"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// Misfit says why an event of the journal cannot follow on a state, empty when it
// can: referee.Apply takes for granted that it does, and a journal may have lost
// records.
func Misfit(s *referee.State, ev referee.Event) string {
	switch ev := ev.(type) {
	case referee.Moved:
		return misfitMove(s, ev)
	case referee.Passed:
		if closed(s) || s.Game.Turn != ev.By || !s.Game.MustPass() {
			return fmt.Sprintf("%v may not pass", ev.By)
		}
	case referee.Undone:
		if ev.Plies < 0 || ev.Plies > s.Ply() || ev.Plies == 0 && !s.Ended {
			return fmt.Sprintf("takes back %d plies of %d", ev.Plies, s.Ply())
		}
	case referee.FlipError:
		if ev.Ply < 1 || ev.Ply != s.Ply() {
			return fmt.Sprintf("is about the flips of ply %d of %d", ev.Ply, s.Ply())
		}
	case referee.Revised:
		if ev.FromPly < 1 || ev.FromPly > s.Ply()+1 || s.Len+ev.Len > referee.MaxEntries {
			return fmt.Sprintf("revises from ply %d of %d", ev.FromPly, s.Ply())
		}
	case referee.PositionSet:
		if s.Len == referee.MaxEntries {
			return "is one ruling too many"
		}
	case referee.GameStarted, referee.GameOver, referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed,
		referee.Commanded, referee.Illegal, referee.Faulted, referee.Restored, referee.PowerRestored, referee.TimeStepped,
		referee.EngineLost:
	}
	return ""
}

// closed reports whether nothing can be added to the game.
func closed(s *referee.State) bool { return s.Ended || s.Len == referee.MaxEntries }

// misfitMove says why a move cannot be one, empty when it can. One that is no move
// by the rules counts if the event says so.
func misfitMove(s *referee.State, ev referee.Moved) string {
	g := &s.Game
	possible := g.Legal()
	if ev.Improper != referee.NoReason {
		possible = g.Empty()
	}
	if closed(s) || g.Turn != ev.By || !possible.Has(ev.Square) || ev.Flipped&^g.Occupied() != 0 {
		return fmt.Sprintf("%v cannot play %v", ev.By, ev.Square)
	}
	return ""
}

// Shows reports whether the position of a state is the one that an event was
// written with: a record that is missing before it does not go unseen.
func (e Envelope) Shows(s *referee.State) bool {
	if e.FP == "" {
		return true
	}
	for _, turn := range [...]engine.Color{engine.Black, engine.White, engine.None} {
		if Fingerprint(s.Game.Discs, turn) == e.FP {
			return true
		}
	}
	return false
}
