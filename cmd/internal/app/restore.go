package app

import (
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// restoring folds the records of a journal, some of which may be missing, into the
// state of the last game. Every record says in which position it was written: where
// some are missing, that decides whether the state is to be believed.
type restoring struct {
	// holed says that records of the game are missing.
	holed bool
	// headless says that its first one is among them: which rules and which clocks it
	// has is then taken from the settings.
	headless bool
	// unsure says that the position is not known.
	unsure bool
	// last is the envelope of the last record.
	last record.Envelope
}

// take folds the next record of a game, which is not its first; gap says that some
// are missing before it.
func (r *restoring) take(s *referee.State, env record.Envelope, ev referee.Event, gap bool) {
	r.last, r.holed = env, r.holed || gap
	switch {
	case !r.holed:
		referee.Apply(s, ev)
		return
	case r.unsure && moves(ev):
		return // it cannot be known what it leads to
	}
	before := *s
	fits := record.Misfit(s, ev) == ""
	if fits {
		referee.Apply(s, ev)
		fits = env.Shows(s)
	}
	switch {
	case fits && r.unsure:
		r.unsure = !rules(ev)
	case fits:
	case gap && bridge(s, &before, env, ev):
	default:
		r.unsure = true
		if moves(ev) {
			*s = before
		}
	}
}

// moves reports whether what an event does follows from the position before it.
func moves(ev referee.Event) bool {
	switch ev.(type) {
	case referee.Moved, referee.Passed, referee.Undone, referee.FlipError, referee.Revised:
		return true
	case referee.GameStarted, referee.Illegal, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.GameOver, referee.Faulted, referee.Restored,
		referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
	return false
}

// rules reports whether an event says what the position is from now on, or that
// somebody lets the game go on as it is on record.
func rules(ev referee.Event) bool {
	_, set := ev.(referee.PositionSet)
	_, resumed := ev.(referee.GameResumed)
	return set || resumed
}

// bridge finds the one move, pass or takeback between a position and the next record
// that leads to the position in which that was written. It reports whether there is
// one.
func bridge(s, before *referee.State, env record.Envelope, ev referee.Event) bool {
	for _, lost := range candidates(before, env) {
		try := *before
		if record.Misfit(&try, lost) != "" {
			continue
		}
		referee.Apply(&try, lost)
		if record.Misfit(&try, ev) != "" {
			continue
		}
		referee.Apply(&try, ev)
		if try.Ply() == env.Ply && env.Shows(&try) {
			*s = try
			return true
		}
	}
	return false
}

// candidates are the events that may have been lost.
func candidates(s *referee.State, env record.Envelope) (list []referee.Event) {
	g := &s.Game
	times := s.Clock.Times(env.Mono)
	for sq := range g.Legal().All() {
		list = append(list, referee.Moved{By: g.Turn, Square: sq, Flipped: g.Flips(sq), Clock: times, At: env.Mono})
	}
	list = append(list, referee.Passed{By: g.Turn, Clock: times, At: env.Mono})
	for plies := 1; plies <= s.Ply(); plies++ {
		list = append(list, referee.Undone{Plies: plies, ToPly: s.Ply() - plies, By: g.Turn, Clock: times, At: env.Mono})
	}
	return list
}
