package app

import (
	"context"
	"time"

	"github.com/oklog/ulid/v2"

	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/mqtt"
)

// watchButtons runs until ctx ends.
func (a *App) watchButtons(ctx context.Context) {
	if len(a.rig.Buttons) > 0 {
		button.Watch(ctx, button.Options{Now: a.now}, a.presses, a.rig.Buttons...)
	}
}

// pressed does what a button at the board asks for. A game that runs is given up
// only when the button is held.
func (a *App) pressed(e button.Event) {
	if a.calibrator.pressed(e) {
		return
	}
	running := a.core.State.Phase == referee.Playing || a.core.State.Phase == referee.Paused
	switch {
	case e.Kind == button.Stuck || e.Kind == button.Recovered:
		a.stuckButton(e)
	case e.Button == ClockBlack && e.Kind == button.Pressed:
		a.clockPressed(engine.Black, e.At)
	case e.Button == ClockWhite && e.Kind == button.Pressed:
		a.clockPressed(engine.White, e.At)
	case e.Button == Pass && e.Kind == button.Pressed:
		a.byButton("pass")
	case e.Button == Hint && e.Kind == button.Pressed:
		a.byButton(hintCommand)
	case e.Button == NewGame && (e.Kind == button.Pressed && !running || e.Kind == button.Held && running):
		a.byButton("new")
	}
}

// clockPressed tells the referee that a player has pressed the clock: the time
// counts from the press, what lies on the board from when it has settled.
func (a *App) clockPressed(by engine.Color, at time.Duration) {
	wait := a.config.Sensing.Settle + 2*a.config.Sensing.Period()
	a.step(referee.Pressed{At: at, By: by, Wait: wait})
	a.sound(buzzer.Click)
}

// byButton gives a command as the player who sits at the board.
func (a *App) byButton(name string) {
	code, text := a.carryOut(string(mqtt.Arbiter), "button", web.Command{Name: name, ID: ulid.Make().String()})
	if code != "" {
		a.log.Info("a button asked for what is not possible now", "command", name, "why", text)
		a.sound(buzzer.Error)
		return
	}
	a.sound(buzzer.Click)
}

// stuckButton keeps the list of buttons that do not come up again.
func (a *App) stuckButton(e button.Event) {
	if a.stuck == nil {
		a.stuck = map[string]bool{}
	}
	if e.Kind == button.Stuck {
		a.stuck[e.Button] = true
		a.log.Warn("a button does not come up again and is left out", "button", e.Button)
	} else {
		delete(a.stuck, e.Button)
	}
	a.nurse.buttons(a.stuck)
}

// sound plays a rhythm, if there is a buzzer.
func (a *App) sound(s buzzer.Sound) {
	if a.rig.Buzzer != nil {
		a.rig.Buzzer.Play(s)
	}
}

// keepBuzzer runs until ctx ends and leaves the buzzer silent.
func (a *App) keepBuzzer(ctx context.Context) {
	if a.rig.Buzzer == nil {
		return
	}
	if err := a.rig.Buzzer.Run(ctx); err != nil {
		a.log.Warn("buzzer", "error", err)
	}
}

// soundOf returns what an event sounds like.
func soundOf(ev referee.Event) buzzer.Sound {
	switch ev.(type) {
	case referee.Moved, referee.GameStarted:
		return buzzer.OK
	case referee.Illegal, referee.ClockFlag:
		return buzzer.Error
	case referee.GameOver:
		return buzzer.GameOver
	case referee.Passed, referee.Undone, referee.Revised, referee.PositionSet, referee.GamePaused, referee.GameResumed:
		return buzzer.Click
	case referee.FlipError, referee.ClockAdjusted, referee.Faulted, referee.Restored, referee.PowerRestored,
		referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
	return buzzer.Silence
}
