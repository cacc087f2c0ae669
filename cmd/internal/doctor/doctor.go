package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/pi"
	"reversi-board/hardware/sim"
)

// Options say what is examined, and how.
type Options struct {
	// Config are the settings, Source where they are from: a file's name, or
	// "built-in settings".
	Config *configs.Config
	Source string
	// DataDir overrides the folder of the settings if it is not empty.
	DataDir string
	// Only names the checks to make, nil for all of them.
	Only []string
	// CycleRail lets the supply of the chips be switched off and on again.
	CycleRail bool
	// Hands is the person at the board, nil when there is nobody.
	Hands Hands
	// Clock is the time at the board; the zero value is the real one.
	Clock Clock
	// Sim is the simulated board, if the settings say that it is one; nil makes a
	// new one without a fault.
	Sim *sim.Board
	// Open opens the board's wires; nil means app.OpenRig.
	Open func(h *configs.Hardware, o app.RigOptions) (*app.Rig, error)
	// System is the computer; the zero value is the one the program runs on.
	System pi.System
	// Synced reports whether the system's clock is kept right; nil asks the
	// system.
	Synced func() bool
	// Began and Done, if not nil, are told when a check begins and what became of
	// it, in order.
	Began func(name string)
	Done  func(c *Check, r *Report)
}

// Clock is a time that passes. Everything that is measured or waited for at the
// board is on it; disks and networks have the real one.
type Clock struct {
	// Now returns the time since an arbitrary start.
	Now func() time.Duration
	// Sleep lets time pass while a driver waits, Wait while the doctor does: then
	// a person may do something. Both return early with the error of ctx.
	Sleep func(ctx context.Context, d time.Duration) error
	Wait  func(ctx context.Context, d time.Duration) error
	// Virtual says that the time is not the real one: nobody waits, and
	// everything happens on one goroutine.
	Virtual bool
}

// realClock returns the time of the world.
func realClock() Clock {
	start := time.Now()
	wait := func(ctx context.Context, d time.Duration) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return Clock{Now: func() time.Duration { return time.Since(start) }, Sleep: wait, Wait: wait}
}

// check is one of the checks.
type check struct {
	name string
	// about says in the help what it looks at.
	about string
	// wires says that it needs the board's wires.
	wires bool
	run   func(ctx context.Context, d *doctor, c *Check)
}

// checks are all of them, in their order.
func checks() []check {
	return []check{
		{"config", "the settings: what board they describe, and its pins", false, checkConfig},
		{"pi", "the Raspberry Pi: model and kernel", false, checkPi},
		{"access", "device files and groups", false, checkAccess},
		{"bus", "the I2C buses: lines, addresses, speed, supply", true, checkBus},
		{"chips", "the chips that read the cells", true, checkChips},
		{"cells", "the 64 cells", true, checkCells},
		{"leds", "the 64 lights", true, checkLEDs},
		{"display", "the small display", true, checkDisplay},
		{"buttons", "the buttons", true, checkButtons},
		{"buzzer", "the buzzer", true, checkBuzzer},
		{"power", "the supply and the heat of the Raspberry Pi", false, checkPower},
		{"clock", "whether the clock is right", false, checkClock},
		{"storage", "the data folder: room, rights, speed", false, checkStorage},
		{"broker", "the MQTT broker", false, checkBroker},
		{"page", "where the page will be", false, checkPage},
		{"opponent", "whether the program that plays is there", false, checkOpponent},
		{"calibration", "the calibration of the cells", false, checkCalibration},
	}
}

// Names lists the checks in their order, with what each looks at.
func Names() (names, about []string) {
	for _, c := range checks() {
		names = append(names, c.name)
		about = append(about, c.about)
	}
	return names, about
}

// ParseOnly reads names of checks, separated by commas.
func ParseOnly(text string) ([]string, error) {
	known, _ := Names()
	var only []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no check %.32q: want some of %s", name, strings.Join(known, ", "))
		}
		only = append(only, name)
	}
	return only, nil
}

// doctor is an examination that goes on.
type doctor struct {
	o      Options
	c      *configs.Config
	h      *configs.Hardware
	hands  Hands
	clock  Clock
	report Report
	// squares is what is known of the squares; seen says that anything is.
	squares [engine.Squares]Square
	seen    bool
	// dir is the data folder, dirErr why there is none. running says that another
	// program of this kind has it.
	dir     string
	dirErr  error
	running bool

	// opened says that the wires were tried; rig is nil if they cannot be had, and
	// refused says why. parts are those that cannot be had although the others
	// can.
	opened  bool
	rig     *app.Rig
	refused *Problem
	parts   map[string]error
	buses   []busFacts
	saved   []saved
}

// Run examines the board. The report is complete as far as it goes even if an
// error comes with it, which is only that of ctx. When it returns the lights are
// dark and the chips' registers are as they were.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Clock.Now == nil {
		o.Clock = realClock()
	}
	if o.Open == nil {
		o.Open = app.OpenRig
	}
	if o.Synced == nil {
		o.Synced = pi.ClockSynced
	}
	d := &doctor{o: o, c: o.Config, h: &o.Config.Hardware, hands: o.Hands, clock: o.Clock, parts: map[string]error{}}
	d.report = Report{
		V: Version, Board: d.c.Board.ID, Kind: d.h.Kind, Config: o.Source,
		Simulated: d.h.Simulation.Enabled, Hands: o.Hands != nil,
		Pins: pinsOf(d.h), Wiring: wiringOf(d.h),
	}
	for s := range engine.Square(engine.Squares) {
		d.squares[s].Square = s.String()
	}
	d.dir, d.dirErr = o.DataDir, nil
	if d.dir == "" {
		d.dir, d.dirErr = d.c.Data.Path()
	}
	d.running = d.dirErr == nil && inUse(d.dir)
	err := d.examine(ctx)
	d.leave(ctx)
	if d.seen {
		d.report.Squares = d.squares[:]
	}
	d.report.conclude()
	return &d.report, err
}

// examine makes the checks that are wanted.
func (d *doctor) examine(ctx context.Context) error {
	for _, k := range checks() {
		if d.o.Only != nil && !slices.Contains(d.o.Only, k.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped before %s: %w", k.name, err)
		}
		if d.o.Began != nil {
			d.o.Began(k.name)
		}
		c := Check{Name: k.name, Status: OK}
		began := d.clock.Now()
		if !k.wires || d.wires(ctx, &c) {
			k.run(ctx, d, &c)
		}
		c.Took = (d.clock.Now() - began).Milliseconds()
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped in %s: %w", k.name, err)
		}
		d.report.Checks = append(d.report.Checks, c)
		if d.o.Done != nil {
			d.o.Done(&d.report.Checks[len(d.report.Checks)-1], &d.report)
		}
	}
	return nil
}

// skip ends a check before it began.
func (c *Check) skip(format string, args ...any) {
	c.Status = Skip
	c.foundf(format, args...)
}

// look is how often cells are scanned.
func (d *doctor) look() time.Duration { return d.c.Sensing.Period() }

// pause lets time pass. It reports whether to go on.
func (d *doctor) pause(ctx context.Context, t time.Duration) bool {
	return d.clock.Wait(ctx, t) == nil
}

// brief returns the innermost cause of an error, for a sentence that says the
// rest.
func brief(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
