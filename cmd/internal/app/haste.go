package app

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/opponent"
	"reversi-board/engine/referee"
)

// handTime is what it takes to make one move of a program by hand: to see the
// light, to place the disc and to turn the others. The program's clock runs
// meanwhile, so that a program must not think it away.
const handTime = 6 * time.Second

// thinkingTime returns what an opponent is told of the clocks: what both sides
// have left, less what the hands need for the program's moves that are to come,
// but never less than half of it. limit bounds one move; 0 for no bound. Without
// clocks it is the zero value: the program takes the time that the settings give
// it.
func thinkingTime(c *clock.Clock, by engine.Color, empties int, limit, now time.Duration) opponent.Clock {
	side := by
	if c.Settings.Shared {
		side = engine.Black
	}
	control := c.Settings.Sides[side]
	if control.Mode() == clock.None {
		return opponent.Clock{}
	}
	told := opponent.Clock{Main: control.Main, Increment: control.Increment, Limit: limit}
	for _, color := range []engine.Color{engine.Black, engine.White} {
		told.Left[color] = c.Remaining(color, now)
	}
	moves := (empties + 1) / 2
	if c.Settings.Shared {
		moves = empties
	}
	told.Left[by] = lessHands(told.Left[by], time.Duration(moves)*max(0, handTime-control.Increment))
	if control.Mode() == clock.Byoyomi && c.Left[side] == 0 {
		// A period is for one move: what is not used of it is lost.
		period, _ := c.Shown(by, now)
		period = lessHands(period, handTime)
		told = opponent.Clock{Limit: period}
		if limit > 0 {
			told.Limit = min(period, limit)
		}
	}
	return told
}

// lessHands takes what the hands need from a time, and leaves half of it at least.
func lessHands(left, hands time.Duration) time.Duration { return max(left/2, left-hands) }

// limitOf returns how long an opponent may think about one move: the built-in
// player keeps to the settings, other programs know themselves.
func (a *App) limitOf(who referee.Opponent) time.Duration {
	if who.Kind == referee.Builtin {
		return a.config.Opponent.Time
	}
	return 0
}
