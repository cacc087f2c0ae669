package virtual

import (
	"context"
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware/emu"
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
	// Wire makes transfers on the buses take the time of their bits. A line that
	// is held costs the timeout of the kernel in any case.
	Wire bool
}

const (
	// heldFor is how long a transfer over a held line takes to fail.
	heldFor = 50 * time.Millisecond
	// retryLEDs is how soon LEDs that did not answer are told again.
	retryLEDs = time.Second
)

// Table is a board on a virtual clock. It is used by one goroutine.
type Table struct {
	// Sim is the table for hands and faults.
	Sim *sim.Board
	// Core is the referee.
	Core *app.Core
	// OnFact, if not nil, is told about every event once it is journaled.
	OnFact func(f app.Fact, now time.Duration)

	// wall notices steps of the wall clock; set is by how much it was set.
	wall app.WallWatch
	set  time.Duration

	rig         *app.Rig
	eyes        *app.Eyes
	doubts      app.Doubts
	doubted     app.Doubted
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
	// ledErr is why the LEDs show nothing new; they are told again at ledAgain.
	ledErr   error
	ledAgain time.Duration
	screen   *screen
	// listens says that the interrupt line of the cells is looked at.
	listens bool
}

// New builds a table. Nothing has been scanned yet: call Run.
func New(o Options) (*Table, error) {
	t := &Table{
		journal: o.Journal, now: o.Start, next: o.Start, period: o.Config.Sensing.Period(),
		cues: display.Cues{PassBy: engine.None},
	}
	t.wall.Look = t.clocks
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
	t.listens = o.Config.Hardware.Kind == configs.Hall128 && o.Config.Hardware.Interrupt != ""
	timing := emu.Timing{Spend: t.spend, Wire: o.Wire, Timeout: heldFor}
	t.Sim.Bus().SetTiming(timing)
	t.Sim.SecondBus().SetTiming(timing)
	if t.rig.OLED != nil {
		if t.screen, err = newScreen(t.rig.OLED); err != nil {
			return nil, errors.Join(err, t.rig.Close())
		}
	}
	if t.calibration = o.Calibration; t.calibration == nil && o.Sim == nil {
		if t.calibration, err = app.CalibrateSimulated(o.Config); err != nil {
			return nil, errors.Join(err, t.rig.Close())
		}
	}
	if t.eyes, err = t.rig.CalibratedEyes(o.Config, t.calibration); err != nil {
		return nil, errors.Join(err, t.rig.Close())
	}
	t.Core = app.NewCore(app.CoreOptions{
		Match: match, Presence: o.Config.Hardware.Kind == configs.Reed64, Lag: app.Lag(o.Config), JID: o.JID, Stamp: t.stamp, NewGame: t.newGame,
	})
	if o.Sim == nil {
		t.Lay(match.Rules.Start.Discs)
	}
	return t, nil
}

// Asked returns the squares of which the players are asked whether a disc lies
// there that is not seen.
func (t *Table) Asked() engine.Bitboard { return t.doubted.Ask }

// Confirm says that a disc of the player to move lies on a square that Asked
// names.
func (t *Table) Confirm(sq engine.Square) error {
	for _, in := range app.Confirmed(&t.Core.State, sq, t.now) {
		if _, err := t.Do(in); err != nil {
			return err
		}
	}
	t.eyes.Doubt(sq.Bit())
	return nil
}

// Moving reports whether the board is not quiet now.
func (t *Table) Moving() bool { return t.eyes.Moving(t.now) }

// Doubt says that what these cells show is wrong.
func (t *Table) Doubt(squares engine.Bitboard) { t.eyes.Doubt(squares) }

// Checkup returns how the cells were lately.
func (t *Table) Checkup() app.Checkup { return t.eyes.Checkup() }

// Calibration returns the calibration of the board, nil if it has none.
func (t *Table) Calibration() *sensing.Calibration { return t.calibration }

// Now returns the virtual time.
func (t *Table) Now() time.Duration { return t.now }

// sleep lets the retries of the bus wait without anybody waiting.
func (t *Table) sleep(ctx context.Context, d time.Duration) error {
	t.spend(d)
	return ctx.Err()
}

// spend lets time go by during a transfer.
func (t *Table) spend(d time.Duration) {
	t.now += d
	t.Sim.Advance(t.now)
}

// clocks reads the wall clock, which starts with the virtual one on New Year's
// day of 2026.
func (t *Table) clocks() (wall time.Time, mono time.Duration) {
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(t.now + t.set), t.now
}

// SetWall sets the wall clock, as somebody does who is root.
func (t *Table) SetWall(wall time.Time) {
	now, _ := t.clocks()
	t.set += wall.Sub(now)
}

// Wall returns what the wall clock says.
func (t *Table) Wall() time.Time {
	wall, _ := t.clocks()
	return wall
}

func (t *Table) stamp() record.Stamp {
	wall, mono := t.clocks()
	return record.Stamp{TS: wall, TSOK: true, Boot: 1, Mono: mono}
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

// Skip lets d pass without a scan, as when the program is stopped for a while. A
// test of a whole day takes only as many scans as it needs.
func (t *Table) Skip(d time.Duration) {
	t.spend(d)
	t.next = t.now
}

// scan is one turn of the loop of a running board.
func (t *Table) scan() error {
	// A scan that takes longer than the period is followed by the next at once.
	t.next = max(t.next+t.period, t.now)
	t.now = t.next
	t.Sim.Advance(t.now)
	if t.listens && t.Sim.INT() == gpio.Low {
		t.rig.Interrupted()
	}
	if by, ok := t.wall.Step(); ok {
		if _, err := t.Do(referee.WallStepped{At: t.now, By: by}); err != nil {
			return err
		}
	}
	// A bus that cannot be read shows as lost cells.
	inputs, _ := t.eyes.Look(context.Background(), t.now)
	for _, in := range inputs {
		if _, err := t.Do(in); err != nil {
			return err
		}
	}
	if t.wake > 0 && t.now >= t.wake {
		t.wake = 0
		if _, err := t.Do(referee.Tick{At: t.now, Moving: t.eyes.Moving(t.now)}); err != nil {
			return err
		}
	}
	if t.doubted = t.doubts.Look(&t.Core.State, t.now); t.doubted.Dead != 0 {
		t.eyes.Doubt(t.doubted.Dead)
	}
	if t.screen != nil {
		t.screen.step(&t.Core.State, t.now)
	}
	t.light()
	return nil
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

// light shows the scene on the emulated LEDs. Nothing else waits for them.
func (t *Table) light() {
	t.cues.Now = t.now
	t.scene = display.Compose(&t.Core.State, t.cues)
	if t.rig.Lights == nil || t.ledErr != nil && t.now < t.ledAgain {
		return
	}
	var sent bool
	if sent, _, t.ledErr = t.rig.Lights.Show(&t.scene, t.now); sent {
		t.litAt = t.now
	}
	t.ledAgain = t.now + retryLEDs
}

// Scene returns what the LEDs mean now.
func (t *Table) Scene() *display.Scene { return &t.scene }

// LEDs returns why the LEDs do not show the scene, nil if they do as far as
// anybody can tell.
func (t *Table) LEDs() error { return t.ledErr }

// Health returns what is known of the parts of the board.
func (t *Table) Health() app.Health { return t.rig.Health() }

// LitAt returns when the LEDs last changed on the wire.
func (t *Table) LitAt() time.Duration { return t.litAt }

// Close releases the buses.
func (t *Table) Close() error { return t.rig.Close() }
