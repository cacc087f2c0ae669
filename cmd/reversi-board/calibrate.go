package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/engine/plaintext"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
)

// calibrateCommand finds out what the cells of a board do.
func calibrateCommand() command {
	c := command{
		name:    "calibrate",
		summary: "Find out, with discs, what every cell does, and store it",
		usage: "calibrate [--config FILE] [--data DIR] [--quick [--discs N]] [--simulate [--break FAULT,...]]\n" +
			"    [--yes] [--report FILE.svg] [--json]",
		example: program + " calibrate --config hall-analog.yaml\n" +
			program + " calibrate --config hall-128.yaml --quick --report board.svg\n" +
			program + " calibrate --config hall-analog.yaml --simulate --break reversed:c3,weak:d4 --data /tmp/try",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		flags := newFlags(c)
		var f calibrateFlags
		flags.StringVar(&f.config, "config", "", "calibrate the board of the settings in `FILE`; if there is no such file, of a built-in profile\nof that name: "+strings.Join(configs.ProfileNames(), ", "))
		flags.StringVar(&f.data, "data", "", "store the calibration in `DIR` instead of data.dir of the settings")
		flags.BoolVar(&f.quick, "quick", false, "use many discs at once: rank by rank, then file by file; a board that sees no colors is\nwalked once, and its diodes are not tested")
		flags.IntVar(&f.discs, "discs", 64, "there are `N` discs, 8 to 64")
		flags.BoolVar(&f.simulate, "simulate", false, "simulate the board, and a person who follows its lights")
		flags.StringVar(&f.breaks, "break", "", "break the simulated board, `FAULT,...`, to see what would be said:\n"+strings.Join(doctor.FaultKinds(), ", "))
		flags.BoolVar(&f.yes, "yes", false, "agree to all corrections and store the calibration without asking")
		flags.StringVar(&f.report, "report", "", "write the report as a picture to `FILE`, an SVG")
		flags.BoolVar(&f.json, "json", false, "print one JSON object; the status is 0 if every square is read right")
		if code, done := parse(c, flags, args, stdout, stderr); done {
			return code
		}
		if f.discs < 8 || f.discs > 64 {
			return usageError(stderr, c.name, fmt.Sprintf("--discs %d: want 8 to 64", f.discs))
		}
		w, err := f.prepare(stdin, stderr)
		switch bad := (*wrongFlagError)(nil); {
		case errors.As(err, &bad):
			return usageError(stderr, c.name, bad.text)
		case err != nil:
			return fail(stderr, c.name, err)
		}
		well, err := w.calibrate(ctx, stdout)
		if err = errors.Join(err, w.close()); err != nil {
			return fail(stderr, c.name, err)
		}
		if !well {
			return exitError
		}
		return exitOK
	}
	return c
}

// calibrateFlags are the flags of the command.
type calibrateFlags struct {
	config, data, breaks, report string
	quick, simulate, yes, json   bool
	discs                        int
}

// calibration is a walk with everything around it.
type calibration struct {
	*calibrateFlags
	settings *configs.Config
	dir      string
	rig      *app.Rig
	walk     *calibrate.Walk
	session  *calibrate.Session
	clock    doctor.Clock
	// hand is the simulated person, keys and presses are the real one.
	hand    *calibrate.Hand
	keys    *keyboard
	presses chan button.Event
	told    teller
	// done is when the walk was over.
	done time.Duration
	// unwritten is why the picture could not be written.
	unwritten error
}

// prepare opens the board.
func (f *calibrateFlags) prepare(stdin io.Reader, stderr io.Writer) (c *calibration, err error) {
	c = &calibration{calibrateFlags: f, settings: configs.Default(), told: teller{out: stderr, terminal: isTerminal(stderr)}}
	if f.config != "" {
		if c.settings, err = loadConfig(f.config); err != nil {
			return nil, err
		}
	}
	h := &c.settings.Hardware
	h.Simulation.Enabled = h.Simulation.Enabled || f.simulate
	if f.breaks != "" && !h.Simulation.Enabled {
		return nil, &wrongFlagError{"--break is for simulated boards: add --simulate"}
	}
	if c.dir = f.data; c.dir == "" {
		if c.dir, err = c.settings.Data.Path(); err != nil {
			return nil, err
		}
	}
	if err := c.mayWrite(); err != nil {
		return nil, err
	}
	o := app.WalkOptions(c.settings)
	o.Quick, o.Discs = f.quick, f.discs
	if c.walk, err = calibrate.New(o); err != nil {
		return nil, err
	}
	if h.Simulation.Enabled {
		err = c.openSimulated(o)
	} else {
		err = c.openReal(stdin)
	}
	if err != nil {
		return nil, err
	}
	accused := func() uint64 { return 0 }
	if c.rig.Reed != nil {
		accused = func() uint64 { return c.rig.Reed.Stats().Shorted }
	}
	c.session = calibrate.NewSession(c.walk, c.rig.Matrix, c.rig.Lights, accused)
	return c, nil
}

// mayWrite finds out before the first of many steps whether what comes of them can
// be written: to a folder that no running board reads its calibration from, and to
// the file of the picture.
func (c *calibration) mayWrite() error {
	switch running, err := archive.OpenFiles(c.dir); {
	case errors.Is(err, archive.ErrInUse):
		return fmt.Errorf("a board is running with %s: calibrate it on its page, or end it first; "+
			"to try the command, name another folder with --data", c.dir)
	case err == nil:
		if err := running.Close(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		// The folder cannot be read. That matters when something is stored.
	}
	app.SweepUp(c.dir)
	if c.report == "" {
		return nil
	}
	f, err := os.OpenFile(c.report, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("the picture cannot be written, choose another file with --report: %w", err)
	}
	return f.Close()
}

// openSimulated simulates the board and the person.
func (c *calibration) openSimulated(o calibrate.Options) error {
	h := &c.settings.Hardware
	var faults []doctor.Fault
	if c.breaks != "" {
		var err error
		if faults, err = doctor.ParseFaults(c.breaks); err != nil {
			return &wrongFlagError{"--break: " + err.Error()}
		}
	}
	bench, err := doctor.Simulate(h, faults)
	if err != nil {
		return &wrongFlagError{"--break: " + err.Error()}
	}
	c.clock = bench.Clock()
	c.rig, err = app.OpenRig(h, app.RigOptions{Sim: bench.Sim, Now: c.clock.Now, Sleep: c.clock.Sleep, Inline: true})
	c.hand = calibrate.NewHand(bench.Sim, h.NorthIsBlack, !c.quick || o.Senses == calibrate.Presence)
	return err
}

// openReal opens the board of the settings, and the keyboard.
func (c *calibration) openReal(stdin io.Reader) (err error) {
	start := time.Now()
	c.clock = doctor.Clock{
		Now: func() time.Duration { return time.Since(start) },
		Wait: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
	}
	if c.rig, err = app.OpenRig(&c.settings.Hardware, app.RigOptions{Now: c.clock.Now}); err != nil {
		return err
	}
	c.presses = make(chan button.Event, 16)
	c.keys = openKeyboard(stdin)
	return nil
}

// calibrate walks, asks, stores and reports. It says whether every square is read
// right now.
func (c *calibration) calibrate(ctx context.Context, stdout io.Writer) (well bool, err error) {
	inner, stop := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	if c.presses != nil {
		helpers.Go(func() { button.Watch(inner, button.Options{Now: c.clock.Now}, c.presses, c.rig.Buttons...) })
	}
	if c.rig.Buzzer != nil && c.hand == nil {
		helpers.Go(func() { _ = c.rig.Buzzer.Run(inner) }) // Silence is no reason to stop.
	}
	v, err := c.stroll(ctx, stdout)
	stop()
	helpers.Wait()
	if c.rig.Lights != nil {
		_ = c.rig.Lights.Dark() // Whoever looks at the board sees it.
	}
	c.told.end()
	if err != nil {
		return false, err
	}
	return c.finish(v, stdout)
}

// stroll turns the walk until it is over.
func (c *calibration) stroll(ctx context.Context, stdout io.Writer) (*calibrate.View, error) {
	period := c.settings.Sensing.Period()
	v := c.walk.View()
	c.told.tell(&v, c.keys != nil)
	for next := c.clock.Now(); ; {
		next = max(next+period, c.clock.Now())
		if err := c.clock.Wait(ctx, next-c.clock.Now()); err != nil {
			return nil, errors.New("interrupted: nothing was stored")
		}
		answer, err := c.answer(&v)
		if err != nil {
			return nil, err
		}
		// LEDs that do not light are a nuisance: everything is said as well.
		now, changed, _ := c.session.Turn(ctx, c.clock.Now(), answer)
		if !changed {
			continue
		}
		c.sound(&v, now)
		if now.Stage == calibrate.Deciding && v.Stage != calibrate.Deciding {
			c.done = c.clock.Now()
			if err := c.show(now, stdout); err != nil {
				return nil, err
			}
		}
		v = *now
		if v.Stage >= calibrate.Agreed {
			return &v, nil
		}
		c.told.tell(&v, c.keys != nil)
	}
}

// answer returns what somebody says.
func (c *calibration) answer(v *calibrate.View) (calibrate.Answer, error) {
	if c.yes && v.Stage == calibrate.Deciding {
		return calibrate.Store, nil
	}
	if c.hand != nil {
		return c.hand.Look(c.clock.Now(), v)
	}
	select {
	case e := <-c.presses:
		return app.CalibrationAnswer(e, v.Stage), nil
	default:
	}
	line, state := c.keys.typed()
	switch {
	case state == keyTyped:
		return typed(line, v.Stage), nil
	case state == keyClosed && len(c.rig.Buttons) == 0 && (v.Stage == calibrate.Clearing || v.Stage == calibrate.Deciding):
		return calibrate.Silence, errors.New("there is nobody to ask, neither at a keyboard nor at buttons: nothing was stored")
	}
	return calibrate.Silence, nil
}

// typed is what a line means.
func typed(line string, stage calibrate.Stage) calibrate.Answer {
	deciding := stage == calibrate.Deciding
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "":
		if !deciding {
			return calibrate.Next
		}
	case "a":
		return calibrate.Again
	case "q", "n":
		return calibrate.Abort
	case "y":
		if deciding {
			return calibrate.Store
		}
	case "w":
		if deciding {
			return calibrate.StorePlain
		}
	}
	return calibrate.Silence
}

// sound lets the board say that something was taken note of.
func (c *calibration) sound(before, now *calibrate.View) {
	if c.rig.Buzzer == nil || c.hand != nil {
		return
	}
	switch {
	case now.Stage == calibrate.Deciding && before.Stage != now.Stage:
		c.rig.Buzzer.Play(buzzer.OK)
	case now.Done > before.Done:
		c.rig.Buzzer.Play(buzzer.Click)
	}
}

// show prints the report and writes the picture, before anything is asked. A picture
// that cannot be written is said at the end: the calibration is worth more.
func (c *calibration) show(v *calibrate.View, stdout io.Writer) error {
	c.told.end()
	if c.report != "" {
		if err := os.WriteFile(c.report, v.Report.SVG(), 0o600); err != nil {
			c.unwritten = fmt.Errorf("write the picture: %w", err)
		}
	}
	if c.json {
		return nil
	}
	if _, err := io.WriteString(stdout, plaintext.Escape(v.Report.Text())); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// finish stores the calibration, if that was agreed to, and says so.
func (c *calibration) finish(v *calibrate.View, stdout io.Writer) (well bool, err error) {
	result := struct {
		Stored  bool    `json:"stored"`
		File    string  `json:"file,omitempty"`
		Seconds float64 `json:"seconds"`
		*calibrate.Report
	}{Seconds: c.done.Seconds(), Report: v.Report}
	text := v.Text + "\n"
	if v.Stage == calibrate.Agreed {
		made, err := c.walk.Calibration(time.Now())
		if err != nil {
			return false, err
		}
		if err := app.SaveCalibration(c.dir, &made); err != nil {
			return false, err
		}
		result.Stored, result.File = true, app.CalibrationPath(c.dir, &c.settings.Hardware)
		text = fmt.Sprintf("\nStored in %s after %v at the board.\n", result.File, c.done.Round(time.Second))
	}
	if c.json {
		b, err := json.MarshalIndent(result, "", "  ")
		if err != nil {
			return false, err
		}
		text = string(b) + "\n"
	}
	if _, err := io.WriteString(stdout, plaintext.Escape(text)); err != nil {
		return false, fmt.Errorf("write the report: %w", err)
	}
	return result.Stored && c.walk.Well(), c.unwritten
}

// close gives everything back.
func (c *calibration) close() error {
	c.keys.close()
	return c.rig.Close()
}

// teller says on standard error what to do.
type teller struct {
	out      io.Writer
	terminal bool
	last     string
	helped   bool
}

// tell says what is new. Nobody may be there to hear it, which is no mistake.
func (t *teller) tell(v *calibrate.View, keys bool) {
	if keys && !t.helped {
		t.helped = true
		_, _ = fmt.Fprint(t.out, "Light and text lead you. Enter: done, go on. a: start again. q: end, and store nothing.\n"+
			"If a light is not on the square that is named, correct hardware.leds.order first.\n")
	}
	line := v.Text
	if asking := v.Stage == calibrate.Walking || v.Stage == calibrate.Checking || v.Stage == calibrate.Filling; asking {
		line = fmt.Sprintf("[%d/%d] %s", v.Done+1, v.All, line)
	}
	if v.Taking && !t.terminal {
		return
	}
	if v.Note != "" {
		line += " " + v.Note
	}
	if v.Stage == calibrate.Deciding {
		line = v.Note
		if keys && v.Report.Corrections > 0 {
			line += " [y: with, w: without, n: store nothing]"
		} else if keys {
			line += " [y/n]"
		}
	}
	if line == t.last {
		return
	}
	t.last = line
	if t.terminal {
		_, _ = fmt.Fprintf(t.out, "\r\x1b[K%s ", line)
		return
	}
	_, _ = fmt.Fprintln(t.out, line)
}

// end leaves the line.
func (t *teller) end() {
	if t.terminal && t.last != "" {
		_, _ = fmt.Fprint(t.out, "\r\x1b[K")
	}
	t.last = ""
}

// keyboard reads lines without anybody waiting for them.
type keyboard struct {
	in    io.Reader
	lines chan string
	stop  chan struct{}
	done  sync.WaitGroup
}

// keyState says what came of looking at the keyboard.
type keyState uint8

const (
	keySilent keyState = iota
	keyTyped
	keyClosed
)

// openKeyboard returns nil if there is none.
func openKeyboard(in io.Reader) *keyboard {
	if in == nil {
		return nil
	}
	k := &keyboard{in: in, lines: make(chan string), stop: make(chan struct{})}
	k.done.Go(func() {
		defer close(k.lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case k.lines <- s.Text():
			case <-k.stop:
				return
			}
		}
	})
	return k
}

// typed returns the next line, if one has been typed.
func (k *keyboard) typed() (string, keyState) {
	if k == nil {
		return "", keyClosed
	}
	select {
	case line, open := <-k.lines:
		if !open {
			return "", keyClosed
		}
		return line, keyTyped
	default:
		return "", keySilent
	}
}

// close ends the reading. A file that cannot be told so (a terminal that is not
// polled) is left to the end of the program.
func (k *keyboard) close() {
	if k == nil {
		return
	}
	close(k.stop)
	f, ok := k.in.(interface{ SetReadDeadline(t time.Time) error })
	if ok && f.SetReadDeadline(time.Unix(1, 0)) == nil {
		k.done.Wait()
	}
}
