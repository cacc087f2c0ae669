package referee

import "reversi-board/engine"

// end closes the record.
func (t *turn) end(r Result, at Time) {
	t.announce(GameOver{Result: r, Clock: t.s.Clock.Times(at), At: at})
	t.s.memory.untouched = true
}

// The best result of a player who may not win any more.
const (
	narrowWin  = 33
	narrowLoss = 31
)

// counted is the result of a game that has come to its end, or that a player may
// end because the other's flag is down: the discs, the empty squares as the
// profile says, and what a fallen flag makes of it.
func (s *State) counted() Result {
	r := s.asTheyLie()
	r.Reason = NoMoves
	if r.DiscsBlack == 0 || r.DiscsWhite == 0 {
		r.Reason = Wipeout
	}
	if s.Match.Empties() == EmptiesToWinner {
		r.Black, r.White = r.WithEmpties()
		r.Counts = CountsWithEmpties
	}
	for c := range engine.None {
		if s.mayNotWin(c) {
			r = r.atLeast(c.Opponent(), s.Game.Rules.Goal)
		}
	}
	return r
}

// narrowly is the result of a game that the opponent of a player without time
// does not want to play to its end.
func (s *State) narrowly(winner engine.Color) Result {
	r := s.asTheyLie()
	r.Winner = winner
	return r.share(winner, s.Game.Rules.Goal, narrowWin, narrowLoss)
}

// mayNotWin reports whether a fallen flag keeps a player from winning. When both
// have had their two minutes more, neither has lost by it, and the discs decide:
// the rules say nothing of this case.
func (s *State) mayNotWin(c engine.Color) bool {
	f := s.Flags
	return f.PlayOn && f.Fallen == c || f.Graced[c] && !f.Graced[c.Opponent()]
}

// asTheyLie is the result of a game that the time has stopped: the discs as they
// lie, and the empty squares to nobody.
func (s *State) asTheyLie() Result {
	r := Result{Winner: s.Game.Rules.Winner(s.Game.Discs), Reason: FlagFell, Counts: CountsDiscs}
	r.DiscsBlack, r.DiscsWhite = s.Game.Black.Count(), s.Game.White.Count()
	r.Black, r.White = r.DiscsBlack, r.DiscsWhite
	return r
}

// atLeast makes a player win, 33–31 if the discs do not say so themselves. Where
// fewest discs win it is the other way round.
func (r Result) atLeast(winner engine.Color, goal engine.Goal) Result {
	if r.Winner == winner {
		return r
	}
	r.Winner, r.Reason = winner, FlagFell
	return r.share(winner, goal, narrowWin, narrowLoss)
}

// share gives a winner and a loser their scores, in the terms of the goal.
func (r Result) share(winner engine.Color, goal engine.Goal, won, lost int) Result {
	if goal == engine.Fewest {
		won, lost = lost, won
	}
	r.Counts = CountsAwarded
	r.Black, r.White = won, lost
	if winner == engine.White {
		r.Black, r.White = lost, won
	}
	return r
}

// awarded is the result of a game that one side has lost otherwise than by the
// discs. A flag is 0–64. Who resigns leaves the empty squares to the winner, and
// 33–31 if that is not enough to win; the rules say only that the position is
// kept.
func awarded(g *engine.Game, winner engine.Color, reason EndReason) Result {
	r := Result{Winner: winner, Reason: reason}
	r.DiscsBlack, r.DiscsWhite = g.Black.Count(), g.White.Count()
	loser := winner.Opponent()
	won := engine.Squares - g.Of(loser).Count()
	switch {
	case reason == FlagFell:
		return r.share(winner, g.Rules.Goal, engine.Squares, 0)
	case g.Rules.Goal == engine.Most && won > engine.Squares/2:
		return r.share(winner, engine.Most, won, engine.Squares-won)
	case g.Rules.Goal == engine.Fewest && g.Of(winner).Count() < engine.Squares/2:
		own := g.Of(winner).Count()
		return r.share(winner, engine.Most, own, engine.Squares-own)
	default:
		return r.share(winner, g.Rules.Goal, narrowWin, narrowLoss)
	}
}
