package app

import (
	"context"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"reversi-board/display"
	"reversi-board/display/oled"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/mqtt"
)

// clockHold is for how long a clock's button is held by a player who gives up:
// hands rest on clocks.
const clockHold = 3 * time.Second

// watchButtons runs until ctx ends.
func (a *App) watchButtons(ctx context.Context) {
	var clocks, others []button.Button
	for _, b := range a.rig.Buttons {
		if b.Name == ClockBlack || b.Name == ClockWhite {
			clocks = append(clocks, b)
		} else {
			others = append(others, b)
		}
	}
	var watches sync.WaitGroup
	watches.Go(func() { button.Watch(ctx, button.Options{Now: a.now, Hold: clockHold}, a.presses, clocks...) })
	watches.Go(func() { button.Watch(ctx, button.Options{Now: a.now}, a.presses, others...) })
	watches.Wait()
}

// pressed does what a button at the board asks for.
func (a *App) pressed(e button.Event) {
	switch {
	case a.calibrator.pressed(e):
	case e.Kind == button.Stuck || e.Kind == button.Recovered:
		a.stuckButton(e)
	case e.Kind == button.Pressed && a.answersQuestion(e):
	case e.Kind == button.Pressed:
		a.shortPress(e)
	case e.Kind == button.Held:
		a.longPress(e)
	}
}

// shortPress does what needs no second thought: what can be taken back, or is no
// loss.
func (a *App) shortPress(e button.Event) {
	switch s := &a.core.State; e.Button {
	case ClockBlack:
		a.clockPressed(engine.Black, e.At)
	case ClockWhite:
		a.clockPressed(engine.White, e.At)
	case Pass:
		a.byButton("pass", "")
	case Hint:
		a.byButton(hintCommand, "")
	case NewGame:
		switch running := s.Phase == referee.Playing || s.Phase == referee.Paused; {
		case s.Restart.Active:
			a.clockPressed(s.Game.Turn, e.At) // yes, another game
		case !running:
			a.byButton("new", "")
		}
	}
}

// longPress does what gives something up. Who gives up himself is asked whether he
// means it.
func (a *App) longPress(e button.Event) {
	s := &a.core.State
	running := s.Phase == referee.Playing || s.Phase == referee.Paused
	switch {
	case !running:
	case e.Button == NewGame && !s.Restart.Active:
		a.byButton("new", "")
	case e.Button == Undo && s.Match.Profile.Takeback != referee.TakebackFree:
		// What may be taken back before the reply is taken back with the discs: the
		// opponent sees that.
		a.refuse("undo", "the rules of this event let no button take a move back")
	case e.Button == Undo:
		a.byButton("undo", undoArgs(s))
	case e.Button == ClockBlack:
		a.askResign(e.Button, engine.Black)
	case e.Button == ClockWhite:
		a.askResign(e.Button, engine.White)
	case e.Button == Resign:
		a.askResign(e.Button, s.Game.Turn)
	}
}

// undoArgs asks for the last move to be taken back; against a program, for the last
// one of the player, with the program's reply.
func undoArgs(s *referee.State) string {
	if last, ok := s.Last(); ok && s.Ply() > 1 && s.Match.Opponent.Plays(last.By) && !s.OpponentLost {
		return `{"plies":2}`
	}
	return ""
}

// clockPressed tells the referee that a player has pressed the clock: the time
// counts from the press, what lies on the board from when it has settled.
func (a *App) clockPressed(by engine.Color, at time.Duration) {
	a.step(referee.Pressed{At: at, By: by, Wait: Lag(a.config), Moving: a.eyes.Moving(at)})
	a.sound(buzzer.Click)
}

// byButton gives a command as a player who sits at the board, and may do no more
// than players may.
func (a *App) byButton(name, args string) {
	c := web.Command{Name: name, ID: ulid.Make().String()}
	if args != "" {
		c.Args = []byte(args)
	}
	code, text := a.carryOut(string(mqtt.Player), fromButton, c)
	if code != "" {
		a.refuse(name, text)
		return
	}
	a.sound(buzzer.Click)
}

// refuse says that a button was of no use, and why.
func (a *App) refuse(name, why string) {
	a.log.Info("a button asked for what is not possible now", "command", name, "why", why)
	a.sound(buzzer.Error)
	a.say(note{text: display.Refused(why), short: oled.Refused(name)}, noteTime)
}

// fromButton is who gives the commands of buttons.
const fromButton = "button"

// note is what is said for a moment: a question, or why a button was of no use.
type note struct {
	text  string
	short oled.Note
	until time.Duration
	// button asks whether who gives up, empty for what is no question.
	button string
	who    engine.Color
}

// noteTime is for how long somebody is told why a button was of no use, askTime
// how long he has to say that he gives up.
const (
	noteTime = 4 * time.Second
	askTime  = 5 * time.Second
)

// say tells something for a moment.
func (a *App) say(n note, during time.Duration) {
	n.until = a.now() + during
	a.note = n
	time.AfterFunc(during, func() { nudge(a.touched) })
}

// told returns what is said at the moment, with empty texts for nothing.
func (a *App) told() note {
	if a.now() >= a.note.until {
		a.note = note{}
	}
	return a.note
}

// askResign asks whether a player gives up, on every display that there is: one
// press by accident must not lose a game.
func (a *App) askResign(by string, who engine.Color) {
	a.say(note{text: display.GivesUp(who), short: oled.GivesUp(who), button: by, who: who}, askTime)
	a.cues.Ask, a.cues.AskUntil = a.core.State.Game.Of(who), a.note.until
	a.sound(buzzer.Ask)
}

// answersQuestion takes a press for the answer to a question, if there is one: the
// same button says yes, any other one no, and does what else it does.
func (a *App) answersQuestion(e button.Event) (yes bool) {
	n := a.told()
	if n.button == "" {
		return false
	}
	a.note, a.cues.Ask = note{}, 0
	if e.Button != n.button {
		return false
	}
	a.byButton("resign", `{"color":"`+n.who.String()+`"}`)
	return true
}

// newRefused returns why a role may not begin another game, empty when it may. A
// game that counts is ended by its players only by playing, or by giving up; and
// where an event keeps suggestions away, a game under other rules is no way to
// get them.
func (a *App) newRefused(role string, next *referee.Profile) string {
	s := &a.core.State
	running := s.Phase == referee.Playing || s.Phase == referee.Paused
	locked := a.match.Profile.Hints == referee.HintsLocked || running && s.Match.Profile.Hints == referee.HintsLocked
	switch {
	case role == string(mqtt.Arbiter):
	case running && role == string(mqtt.HA):
		return "a game is running: only the arbiter may start another"
	case running && s.Match.Pairing != "":
		return "a tournament waits for this game: only an arbiter may end it for another one"
	case running && s.Match.Profile.Takeback != referee.TakebackFree:
		return "the rules of this event let only an arbiter end a game for another one"
	case locked && next.Hints != referee.HintsLocked:
		return "suggestions are locked for this event: only an arbiter may begin a game in which they are not"
	}
	return ""
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
	for told := false; ; told = true {
		err := a.rig.Buzzer.Run(ctx)
		if err != nil && !told {
			a.log.Warn("the buzzer is silent until its pin works", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(buzzerRetry):
		}
		a.rig.Buzzer.Play(buzzer.Silence) // What it missed is over.
	}
}

// buzzerRetry is how long a buzzer whose pin failed is left alone.
const buzzerRetry = time.Second

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
