package app

import (
	"time"

	"reversi-board/display"
	"reversi-board/engine/referee"
)

// forgetHint ends the suggestion of a move when the game goes on.
func forgetHint(c *display.Cues, ev referee.Event) {
	switch ev.(type) {
	case referee.GameStarted, referee.Moved, referee.Passed, referee.Undone, referee.Revised, referee.PositionSet, referee.GameOver:
		c.Hints, c.Best = 0, 0
	case referee.FlipError, referee.Illegal, referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed,
		referee.Faulted, referee.Restored, referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
}

// Cue notes what a durable event shows on the LEDs for a moment: the flash of a
// committed move, the sweep of a pass, the blinking of identify.
func Cue(c *display.Cues, ev referee.Event, now time.Duration) {
	switch ev := ev.(type) {
	case referee.Moved:
		c.OK, c.OKAt = ev.Flipped|ev.Square.Bit(), now
	case referee.Passed:
		c.PassBy, c.PassAt = ev.By, now
	case referee.Commanded:
		if ev.Audit.Name == "identify" {
			c.IdentifyUntil = now + display.IdentifyFor
		}
	case referee.GameStarted, referee.FlipError, referee.Undone, referee.Revised, referee.PositionSet, referee.Illegal,
		referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed, referee.GameOver,
		referee.Faulted, referee.Restored, referee.PowerRestored, referee.TimeStepped, referee.EngineLost:
	}
}
