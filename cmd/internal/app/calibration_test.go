package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/hardware/button"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// calibrationOf returns a calibration of the board of these settings that changes
// nothing.
func calibrationOf(c *configs.Config) sensing.Calibration {
	cal := sensing.Identity(WiringOf(&c.Hardware))
	cal.Made = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	return cal
}

// store puts a calibration into a data folder.
func store(t *testing.T, dir string, cal *sensing.Calibration) string {
	t.Helper()
	if err := SaveCalibration(dir, cal); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, simulatedCalibrationFile)
}

// A calibration that cannot be read, or is one of another board: the board plays
// without, and everybody is told why.
func TestCalibrationThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]spoilt{
		"broken": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, simulatedCalibrationFile), "{")
		}, "read the calibration"},
		"empty": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, simulatedCalibrationFile), "")
		}, "read the calibration"},
		"huge": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, simulatedCalibrationFile), strings.Repeat(" ", 1<<20))
		}, "bytes"},
		"of another kind": {func(t *testing.T, dir string) {
			t.Helper()
			other := configs.Default()
			other.Hardware.Kind = configs.Reed64
			cal := calibrationOf(other)
			store(t, dir, &cal)
		}, "simulated reed-64 board"},
		"of another wiring": {func(t *testing.T, dir string) {
			t.Helper()
			other := configs.Default()
			other.Hardware.Cells[0], other.Hardware.Cells[1] = other.Hardware.Cells[1], other.Hardware.Cells[0]
			cal := calibrationOf(other)
			store(t, dir, &cal)
		}, "hardware.cells"},
		"a folder": {func(t *testing.T, dir string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Join(dir, simulatedCalibrationFile), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "directory"},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, c.play) })
	}
}

// spoilt is a data folder with a calibration that is of no use.
type spoilt struct {
	spoil func(t *testing.T, dir string)
	says  string
}

// play plays on a board with it.
func (c *spoilt) play(t *testing.T) {
	dir := t.TempDir()
	c.spoil(t, dir)
	b, stop := run(t, dir, nil)
	for _, sq := range movesOf(t, "f5d6c3") {
		b.move(sq)
	}
	seen := b.page()
	if seen.State.Transcript != "f5d6c3" || len(seen.Alerts) != 1 {
		t.Fatalf("%+v", seen)
	}
	al := seen.Alerts[0]
	if al.Code != "storage" || !strings.Contains(al.Text, "plays without one") || !strings.Contains(al.Text, c.says) {
		t.Errorf("the alert is %+v, want one that says %q", al, c.says)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// byHand makes a move as b.move does, but looks at the record alone; the disc goes
// on the square at.
func (b *board) byHand(at, sq engine.Square) {
	b.t.Helper()
	table := b.app.rig.Sim
	rest, err := table.Place(b.app.now(), int(at), b.app.hands.face(b.game.Turn))
	if err != nil {
		b.t.Fatal(err)
	}
	for s := range b.game.Flips(sq).All() {
		if rest, err = table.Turn(rest, int(s), sim.TurnInPlace, 0); err != nil {
			b.t.Fatal(err)
		}
	}
	time.Sleep(rest - b.app.now() + time.Second)
	b.game = b.game.Place(sq)
}

// The board plays with the calibration that is stored: a cell that is another
// square's, one that is to be left out. The file stays as it is.
func TestCalibrationIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		cal := calibrationOf(configs.Default())
		f5, h8 := movesOf(t, "f5")[0], engine.Square(63)
		cal.Cells[f5], cal.Cells[h8] = h8, f5
		cal.Masked = 1
		path := store(t, dir, &cal)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b, stop := run(t, dir, nil)
		b.byHand(h8, f5)
		if seen := b.page(); seen.State.Transcript != "f5" || b.app.core.State.Masked != 1 {
			t.Errorf("%+v, masked %v", seen, b.app.core.State.Masked)
		}
		if at := b.app.eyes.Calibrated(); !at.Equal(cal.Made) {
			t.Errorf("calibrated at %v", at)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("the file has changed: %v", err)
		}
	})
}

// press pushes a button for a while.
func (b *board) press(name string, d time.Duration) {
	b.app.rig.Sim.Button(name).Press(true)
	time.Sleep(d)
	b.app.rig.Sim.Button(name).Press(false)
	time.Sleep(100 * time.Millisecond)
}

// calibrateByButtons follows the lights of a walk that has begun, and says with
// buttons what has to be said, until there is a report. Once it starts again.
func (b *board) calibrateByButtons() {
	b.t.Helper()
	hand := calibrate.NewHand(b.app.rig.Sim, true, false)
	// Between two scans, and two looks at the buttons: who is first at the same
	// moment would be left to chance.
	time.Sleep(3 * time.Millisecond)
	for restarted := false; ; time.Sleep(20 * time.Millisecond) {
		b.app.calibrator.mu.Lock()
		v := b.app.calibrator.view
		b.app.calibrator.mu.Unlock()
		if v.Stage == calibrate.Deciding {
			return
		}
		if b.app.now() > time.Hour {
			b.t.Fatalf("%v %q %q", v.Stage, v.Text, v.Note)
		}
		if v.Done == 2 && !restarted {
			restarted = true
			b.press(NewGame, 1500*time.Millisecond) // Held: again.
			continue
		}
		a, err := hand.Look(b.app.now(), &v)
		if err != nil {
			b.t.Fatal(err)
		}
		if a == calibrate.Next {
			b.press(map[bool]string{true: NewGame, false: Hint}[v.Stage == calibrate.Clearing], 100*time.Millisecond)
		}
	}
}

// The board is calibrated with lights and buttons alone. Nothing is stored before
// the end is confirmed; then it is used, and a game can be played at once.
func TestCalibrateByButtons(t *testing.T) { synctest.Test(t, testCalibrateByButtons) }

func testCalibrateByButtons(t *testing.T) {
	dir := t.TempDir()
	b, stop := runWith(t, dir, nil, func(c *configs.Config) {
		c.Hardware.Buttons.Hint, c.Hardware.Buttons.NewGame = "GPIO5", "GPIO6"
	})
	if err := b.app.rig.Sim.FailCell(63, sim.CellFault{Kind: sim.Dead}); err != nil {
		t.Fatal(err)
	}
	if err := b.app.calibrator.Do(t.Context(), web.CalibrationAct{Do: web.CalibrationStart, Quick: true, Discs: 64}); err != nil {
		t.Fatal(err)
	}
	b.calibrateByButtons()
	v, _ := b.app.calibrator.View()
	if v.Stage != "deciding" || v.Report == nil || len(v.Report.Findings) != 1 || v.Report.Verdicts[63] != "dead" {
		t.Fatalf("%+v", v)
	}
	if _, err := os.Stat(filepath.Join(dir, simulatedCalibrationFile)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("stored before the end was confirmed: %v", err)
	}
	b.press(NewGame, 100*time.Millisecond)
	time.Sleep(time.Second)
	cal, err := LoadCalibration(dir, &b.app.config.Hardware)
	if err != nil || cal == nil || cal.Masked != 1<<63 {
		t.Fatalf("%v %+v", err, cal)
	}
	b.app.hands.lay(b.game.Discs)
	time.Sleep(2 * time.Second)
	for _, sq := range movesOf(t, "f5d6c3") {
		b.byHand(sq, sq)
	}
	if seen := b.page(); seen.State.Transcript != "f5d6c3" {
		t.Errorf("%+v", seen)
	}
	if b.app.core.State.Masked != 1<<63 {
		t.Errorf("masked is %v", b.app.core.State.Masked)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}

// What the page may ask for, and when.
func TestCalibratorRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := run(t, t.TempDir(), nil)
		c := b.app.calibrator
		do := func(what string) string {
			err := c.Do(t.Context(), web.CalibrationAct{Do: what, Discs: 64})
			return fmt.Sprint(err)
		}
		if got := do(web.CalibrationNext); got != "the board is not being calibrated" {
			t.Error(got)
		}
		// Two pages at once.
		if got := do(web.CalibrationStart) + ", " + do(web.CalibrationStart) + ", " + do(web.CalibrationAbort) + ", " + do(web.CalibrationForget); got != "<nil>, the board is being calibrated already, <nil>, <nil>" {
			t.Error(got)
		}
		time.Sleep(2 * time.Second)
		b.move(movesOf(t, "f5")[0])
		if got := do(web.CalibrationStart); got != "a game is running: finish it first" {
			t.Error(got)
		}
		if v, _ := c.View(); v.Stage != "idle" || v.Refusal == "" {
			t.Errorf("%+v", v)
		}
		if r := b.app.core.State; r.Phase != referee.Playing {
			t.Errorf("%v", r.Phase)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestButtonsInACalibration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  button.Kind
		stage calibrate.Stage
		want  calibrate.Answer
	}{
		{Hint, button.Pressed, calibrate.Clearing, calibrate.Next},
		{Hint, button.Pressed, calibrate.Walking, calibrate.Next},
		{Hint, button.Held, calibrate.Walking, calibrate.Silence},
		{Hint, button.Pressed, calibrate.Deciding, calibrate.Silence},
		{NewGame, button.Pressed, calibrate.Clearing, calibrate.Next},
		{NewGame, button.Pressed, calibrate.Walking, calibrate.Silence},
		{NewGame, button.Held, calibrate.Walking, calibrate.Again},
		{NewGame, button.Pressed, calibrate.Deciding, calibrate.Store},
		{NewGame, button.Held, calibrate.Deciding, calibrate.Silence},
		{Pass, button.Pressed, calibrate.Walking, calibrate.Silence},
	} {
		if got := CalibrationAnswer(button.Event{Button: c.name, Kind: c.kind}, c.stage); got != c.want {
			t.Errorf("%s %v while %v: %v, want %v", c.name, c.kind, c.stage, got, c.want)
		}
	}
}

// A full or read-only disk, or a folder that is none: the calibration is not
// stored, the old one stays, and the reason is said.
func TestCalibrationThatCannotBeStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cal := calibrationOf(configs.Default())
	path := store(t, dir, &cal)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := cal
	bad.Turned = 7
	if err := SaveCalibration(dir, &bad); err == nil {
		t.Error("a calibration that is none was stored")
	}
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, "")
	if err := SaveCalibration(blocked, &cal); err == nil || !strings.Contains(err.Error(), "store the calibration in "+blocked) {
		t.Errorf("%v", err)
	}
	// The name is taken by a folder: the new file cannot take its place, and is
	// not left lying around.
	taken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(taken, simulatedCalibrationFile, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := SaveCalibration(taken, &cal); err == nil {
		t.Error("stored over a folder")
	}
	if list, err := os.ReadDir(taken); err != nil || len(list) != 1 {
		t.Errorf("%v %v", err, list)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the stored one has changed: %v", err)
	}
}

// What a calibration depends on has a fingerprint of its own, and what it does
// not depend on has not.
func TestWiringOf(t *testing.T) {
	t.Parallel()
	base := configs.Default()
	kind, plain := WiringOf(&base.Hardware)
	if kind != "simulated hall-128" || len(plain) != 16 {
		t.Errorf("%q %q", kind, plain)
	}
	for name, change := range map[string]func(h *configs.Hardware){
		"cells": func(h *configs.Hardware) {
			h.Cells[0].NorthPin, h.Cells[0].SouthPin = h.Cells[0].SouthPin, h.Cells[0].NorthPin
		},
		"addresses": func(h *configs.Hardware) {
			h.Expanders.Addresses = []uint16{0x21, 0x20, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27}
		},
		"chip":     func(h *configs.Hardware) { h.Expanders.Chip = configs.PCA9555 },
		"north_is": func(h *configs.Hardware) { h.NorthIsBlack = false },
		"real":     func(h *configs.Hardware) { h.Simulation.Enabled = false },
		"seed":     func(h *configs.Hardware) { h.Simulation.Seed++ },
		"kind":     func(h *configs.Hardware) { h.Kind = configs.Reed64 },
	} {
		c := configs.Default()
		change(&c.Hardware)
		if _, got := WiringOf(&c.Hardware); got == plain {
			t.Errorf("%s makes no difference", name)
		}
	}
	for name, change := range map[string]func(h *configs.Hardware){
		"leds":    func(h *configs.Hardware) { h.LEDs.Brightness = 1 },
		"buttons": func(h *configs.Hardware) { h.Buttons.Hint = "GPIO5" },
		"speed":   func(h *configs.Hardware) { h.I2C.Hertz = 100_000 },
		"adcs":    func(h *configs.Hardware) { h.Analog.ADCs = []uint16{0x49} },
	} {
		c := configs.Default()
		change(&c.Hardware)
		if _, got := WiringOf(&c.Hardware); got != plain {
			t.Errorf("%s makes a difference", name)
		}
	}
}

// drifting is a board that measures in a room that gets warm and cold.
type drifting struct {
	levels [engine.Squares]sensing.Levels
	lie    engine.Discs
	warm   float64
}

func (d *drifting) Scan(_ context.Context, _ time.Duration, f *hardware.Frame) error {
	*f = hardware.Frame{Analog: true}
	for s, l := range d.levels {
		c := l.Null
		switch square := engine.Square(s); {
		case d.lie.Black.Has(square):
			c = l.North
		case d.lie.White.Has(square):
			c = l.South
		}
		f.Counts[s] = uint16(float64(c) + d.warm)
	}
	return nil
}

// at lets it be that late. Warm by day, cold at night, a lamp that is switched on
// and off: 90 counts, 11 mV, are 1.5 mT. Every ten minutes other discs lie there.
func (d *drifting) at(now time.Duration) {
	d.warm = 70*math.Sin(2*math.Pi*now.Hours()/24) + 20*math.Sin(2*math.Pi*now.Hours())
	if now%discsFor >= driftPeriod {
		return
	}
	d.lie = engine.Discs{}
	for s := range engine.Square(engine.Squares) {
		d.lie = d.lie.With(s, [...]engine.Color{engine.Black, engine.White, engine.None}[(int(now/discsFor)+int(s)*5)%3])
	}
}

const (
	driftPeriod = 110 * time.Millisecond
	discsFor    = 10 * time.Minute
)

// pass looks at a drifting board for some hours and returns how far the nulls have
// been tracked at most.
func (d *drifting) pass(t *testing.T, eyes *Eyes, during time.Duration) (most int) {
	t.Helper()
	var read engine.Discs
	for now := time.Duration(0); now < during; now += driftPeriod {
		d.at(now)
		inputs, err := eyes.Look(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range inputs {
			if seen, ok := in.(referee.Seen); ok {
				read = seen.Discs
			}
		}
		if now%discsFor > 5*time.Second && read != d.lie {
			t.Fatalf("after %v, %.0f counts off: read\n%v\nlies\n%v", now, d.warm, read, d.lie)
		}
		if now%time.Minute >= driftPeriod {
			continue
		}
		for s := range engine.Square(engine.Squares) {
			h := eyes.threshold.Health(s)
			if most = max(most, h.Drift, -h.Drift); h.Drift > h.DriftLimit || -h.Drift > h.DriftLimit {
				t.Fatalf("the null of %v has gone %d counts, %d are allowed", s, h.Drift, h.DriftLimit)
			}
		}
	}
	return most
}

// Scenario 10, the morning; see TestDayOfDrift.
func TestHoursOfDrift(t *testing.T) {
	t.Parallel()
	drift(t, 3*time.Hour)
}

// drift lets the sensors drift to and fro for some hours. What lies there is read
// all the time, the tracked nulls stay within their bounds, and the stored
// calibration is what it was, byte by byte: nothing is ever written.
func drift(t *testing.T, during time.Duration) {
	t.Helper()
	c := configs.Default()
	c.Hardware.Kind = configs.HallAnalog
	cal := calibrationOf(c)
	cal.Measured = true
	for s := range cal.Levels {
		null := uint16(13000 + 7*s)
		cal.Levels[s] = sensing.Levels{Null: null, North: null - 1200, South: null + 1100}
	}
	dir := t.TempDir()
	path := store(t, dir, &cal)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := LoadCalibration(dir, &c.Hardware)
	if err != nil {
		t.Fatal(err)
	}
	board := &drifting{levels: cal.Levels}
	threshold, err := stored.Threshold(SensorOf(&c.Hardware))
	if err != nil {
		t.Fatal(err)
	}
	eyes := NewEyes(board, SensingOf(c), threshold)
	eyes.lens = stored.Lens()
	if most := board.pass(t, eyes, during); most < 30 {
		t.Errorf("the nulls were hardly tracked: %d counts", most)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, text) || after.ModTime() != before.ModTime() {
		t.Errorf("the stored calibration has changed: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("something was written: %v %v", err, list)
	}
}

// A board that starts removes what was left of files when it was killed.
func TestStartSweepsUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left, tried := filepath.Join(dir, "calibration.json.123"+unfinished), filepath.Join(dir, "doctor-123.tmp")
	hourAgo := time.Now().Add(-time.Hour)
	for _, path := range []string{left, tried} {
		if err := errors.Join(os.WriteFile(path, []byte("half"), 0o600), os.Chtimes(path, hourAgo, hourAgo)); err != nil {
			t.Fatal(err)
		}
	}
	a := newApp(Options{Config: configs.Default(), Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	if err := a.openJournal(dir); err != nil {
		t.Fatal(err)
	}
	if err := a.closeJournal(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{left, tried} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}
