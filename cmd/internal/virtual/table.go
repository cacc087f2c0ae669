package virtual

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// Journal stores events. *archive.Journal is one.
type Journal interface {
	Append(seq uint64, payload []byte) error
}

// Options say what stands on the table.
type Options struct {
	// Config is the whole configuration; hardware.simulation must be enabled.
	Config *configs.Config
	// Journal may be nil: events are then kept nowhere.
	Journal Journal
	// JID names the journal.
	JID string
	// Sim, if not nil, is a table that has been played on before: its discs
	// stay where they are. Otherwise the start position is laid out.
	Sim *sim.Board
	// Calibration is that of the board. Without one, a board that measures and
	// has not been played on is calibrated first; others are as the settings say.
	Calibration *sensing.Calibration
	// Start is where the virtual clock begins.
	Start time.Duration
}

// Table is a board on a virtual clock. It is used by one goroutine.
type Table struct {
	// Sim is the table for hands and faults.
	Sim *sim.Board
	// Core is the referee.
	Core *app.Core
	// OnFact, if not nil, is told about every event once it is journaled.
	OnFact func(f app.Fact, now time.Duration)

	rig         *app.Rig
	eyes        *app.Eyes
	calibration *sensing.Calibration
	journal     Journal
	cues        display.Cues
	scene       display.Scene
	now         time.Duration
	period      time.Duration
	// next is when the last scan began.
	next  time.Duration
	wake  time.Duration
	games int
	// litAt is when the LEDs were last sent something new.
	litAt time.Duration
}

// New builds a table. Nothing has been scanned yet: call Run.
func New(o Options) (*Table, error) {
	t := &Table{
		journal: o.Journal, now: o.Start, next: o.Start, period: o.Config.Sensing.Period(),
		cues: display.Cues{PassBy: engine.None},
	}
	match, err := o.Config.Game.Match()
	if err != nil {
		return nil, err
	}
	t.rig, err = app.OpenRig(&o.Config.Hardware, app.RigOptions{
		Sim: o.Sim, Now: t.Now, Sleep: t.sleep, Inline: true,
	})
	if err != nil {
		return nil, err
	}
	t.Sim = t.rig.Sim
	if t.calibration = o.Calibration; t.calibration == nil && t.rig.Analog != nil && o.Sim == nil {
		if t.calibration, err = t.calibrate(o.Config); err != nil {
			return nil, errors.Join(err, t.rig.Close())
		}
	}
	if t.eyes, err = t.rig.CalibratedEyes(o.Config, t.calibration); err != nil {
		return nil, errors.Join(err, t.rig.Close())
	}
	t.Core = app.NewCore(app.CoreOptions{
		Match: match, Presence: o.Config.Hardware.Kind == configs.Reed64, JID: o.JID, Stamp: t.stamp, NewGame: t.newGame,
	})
	if o.Sim == nil {
		t.Lay(match.Rules.Start.Discs)
	}
	return t, nil
}

// calibrate reads the levels of the board from whole boards, through the real
// driver.
func (t *Table) calibrate(c *configs.Config) (*sensing.Calibration, error) {
	faces := map[calibrate.Lying]sim.Face{
		calibrate.Nothing: sim.NoDisc, calibrate.NorthDown: sim.NorthUp, calibrate.SouthDown: sim.SouthUp,
	}
	scan := func() (f hardware.Frame) {
		t.next = max(t.next+t.period, t.now)
		t.now = t.next
		t.Sim.Advance(t.now)
		// What could not be read is lost, and waited for.
		_ = t.rig.Matrix.Scan(context.Background(), t.now, &f)
		return f
	}
	levels, err := calibrate.Whole(func(l calibrate.Lying) {
		var all [engine.Squares]sim.Face
		for s := range all {
			all[s] = faces[l]
		}
		t.Sim.Set(all)
		// The scan that runs has begun before.
		scan()
	}, scan)
	if err != nil {
		return nil, fmt.Errorf("calibrate the board: %w", err)
	}
	cal := sensing.Identity(app.WiringOf(&c.Hardware))
	cal.Measured, cal.Levels = true, levels
	return &cal, nil
}

// Calibration returns the calibration of the board, nil if it has none.
func (t *Table) Calibration() *sensing.Calibration { return t.calibration }

// Now returns the virtual time.
func (t *Table) Now() time.Duration { return t.now }

// sleep lets the retries of the bus wait without anybody waiting.
func (t *Table) sleep(ctx context.Context, d time.Duration) error {
	t.now += d
	t.Sim.Advance(t.now)
	return ctx.Err()
}

// stamp gives events a wall clock that starts with the virtual one.
func (t *Table) stamp() record.Stamp {
	epoch := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	return record.Stamp{TS: epoch.Add(t.now), TSOK: true, Boot: 1, Mono: t.now}
}

// newGame numbers the games in the form of a ULID.
func (t *Table) newGame() string {
	t.games++
	return fmt.Sprintf("01J%023d", t.games)
}

// Face returns the face that shows c.
func Face(c engine.Color) sim.Face {
	switch c {
	case engine.Black:
		return sim.NorthUp
	case engine.White:
		return sim.SouthUp
	case engine.None:
		return sim.NoDisc
	default:
		return sim.NoDisc
	}
}

// Lay puts exactly these discs on the table at once.
func (t *Table) Lay(d engine.Discs) {
	var faces [engine.Squares]sim.Face
	for s := range engine.Square(engine.Squares) {
		faces[s] = Face(d.At(s))
	}
	t.Sim.Set(faces)
}

// Run lets d pass, one scan after the other.
func (t *Table) Run(d time.Duration) error {
	for until := t.now + d; t.now < until; {
		if err := t.scan(); err != nil {
			return err
		}
	}
	return nil
}

// scan is one turn of the loop of a running board.
func (t *Table) scan() error {
	// A scan that takes longer than the period is followed by the next at once.
	t.next = max(t.next+t.period, t.now)
	t.now = t.next
	t.Sim.Advance(t.now)
	// A bus that cannot be read shows as lost cells.
	inputs, _ := t.eyes.Look(context.Background(), t.now)
	for _, in := range inputs {
		if _, err := t.Do(in); err != nil {
			return err
		}
	}
	if t.wake > 0 && t.now >= t.wake {
		t.wake = 0
		if _, err := t.Do(referee.Tick{At: t.now}); err != nil {
			return err
		}
	}
	return t.light()
}

// Do feeds the referee, journals what follows and then shows it.
func (t *Table) Do(in referee.Input) (*referee.Refuse, error) {
	out, err := t.Core.Step(in)
	if err != nil {
		return nil, err
	}
	for _, f := range out.Facts {
		if t.journal != nil {
			if err := t.journal.Append(f.Seq, f.Payload); err != nil {
				return nil, fmt.Errorf("journal event %d: %w", f.Seq, err)
			}
		}
		app.Cue(&t.cues, f.Event, t.now)
		if t.OnFact != nil {
			t.OnFact(f, t.now)
		}
	}
	if out.Wake > 0 {
		t.wake = out.Wake
	}
	return out.Refused, nil
}

// light shows the scene on the emulated LEDs.
func (t *Table) light() error {
	t.cues.Now = t.now
	t.scene = display.Compose(&t.Core.State, t.cues)
	if t.rig.Lights == nil {
		return nil
	}
	sent, _, err := t.rig.Lights.Show(&t.scene, t.now)
	if sent {
		t.litAt = t.now
	}
	return err
}

// Scene returns what the LEDs mean now.
func (t *Table) Scene() *display.Scene { return &t.scene }

// LitAt returns when the LEDs last changed on the wire.
func (t *Table) LitAt() time.Duration { return t.litAt }

// Close releases the buses.
func (t *Table) Close() error { return t.rig.Close() }
