package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/engine/plaintext"
)

// doctorCommand examines a board.
func doctorCommand() command {
	checks, about := doctor.Names()
	c := command{
		name:    "doctor",
		summary: "Check chips, cells, lights and all around them; say what is wrong and what to do",
		usage: "doctor [--config FILE] [--simulate] [--no-hands] [--only NAME,...] [--cycle-rail]\n" +
			"    [--data DIR] [--json]",
		example: program + " doctor --config hall-128.yaml\n" +
			program + " doctor --config hall-128.yaml --no-hands --only bus,chips --json\n" +
			program + " doctor --simulate --break led:b3,reversed:c3,dead:h8",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		flags := newFlags(c)
		var f doctorFlags
		flags.StringVar(&f.config, "config", "", "examine the board of the settings in `FILE`; if there is no such file, of a built-in profile\nof that name: "+strings.Join(configs.ProfileNames(), ", "))
		flags.BoolVar(&f.simulate, "simulate", false, "examine a simulated board of these settings, with a simulated person at it")
		flags.BoolVar(&f.noHands, "no-hands", false, "ask nobody: what needs a disc, eyes or ears is left out")
		flags.StringVar(&f.only, "only", "", "make these checks only, `NAME,...`:\n"+describe(checks, about))
		flags.BoolVar(&f.cycle, "cycle-rail", false, "switch the chips' supply off and on again, and look whether they notice")
		flags.StringVar(&f.data, "data", "", "look at the data folder `DIR` instead of data.dir of the settings")
		flags.BoolVar(&f.json, "json", false, "print one JSON object. With and without it the status is 0 only if nothing is wrong, 1 otherwise;\nwarnings are not wrong")
		flags.StringVar(&f.breaks, "break", "", "break the simulated board, `FAULT,...`, to see what would be said:\n"+strings.Join(doctor.FaultKinds(), ", "))
		if code, done := parse(c, flags, args, stdout, stderr); done {
			return code
		}
		o, err := f.options()
		switch bad := (*wrongFlagError)(nil); {
		case errors.As(err, &bad):
			return usageError(stderr, c.name, bad.text)
		case err != nil:
			return fail(stderr, c.name, err)
		}
		return f.examine(ctx, o, stdin, stdout, stderr)
	}
	return c
}

// describe lists names with what they are about.
func describe(names, about []string) string {
	var lines []string
	for i, n := range names {
		lines = append(lines, fmt.Sprintf("  %-12s %s", n, about[i]))
	}
	return strings.Join(lines, "\n")
}

// doctorFlags are the flags of the command.
type doctorFlags struct {
	config, only, data, breaks     string
	simulate, noHands, cycle, json bool
}

// options turns the flags into what is to be examined.
func (f *doctorFlags) options() (doctor.Options, error) {
	o := doctor.Options{Config: configs.Default(), Source: "built-in settings", DataDir: f.data, CycleRail: f.cycle}
	var err error
	if f.only != "" {
		if o.Only, err = doctor.ParseOnly(f.only); err != nil {
			return o, &wrongFlagError{"--only: " + err.Error()}
		}
	}
	if f.config != "" {
		if o.Config, err = loadConfig(f.config); err != nil {
			return o, err
		}
		o.Source = f.config
	}
	if f.simulate {
		o.Config.Hardware.Simulation.Enabled = true
	}
	if !o.Config.Hardware.Simulation.Enabled {
		if f.breaks != "" {
			return o, &wrongFlagError{"--break is for simulated boards: add --simulate"}
		}
		return o, nil
	}
	var faults []doctor.Fault
	if f.breaks != "" {
		if faults, err = doctor.ParseFaults(f.breaks); err != nil {
			return o, &wrongFlagError{"--break: " + err.Error()}
		}
	}
	bench, err := doctor.Simulate(&o.Config.Hardware, faults)
	if err != nil {
		return o, &wrongFlagError{"--break: " + err.Error()}
	}
	o.Sim, o.Clock = bench.Sim, bench.Clock()
	if !f.noHands {
		o.Hands = bench.Person
	}
	return o, nil
}

// examine makes the checks and prints what they found.
func (f *doctorFlags) examine(ctx context.Context, o doctor.Options, stdin io.Reader, stdout, stderr io.Writer) int {
	if o.Hands == nil && !f.noHands {
		console := openConsole(stdin, stderr)
		if console == nil {
			complain(stderr, program+" doctor: there is no terminal, so nobody is asked (as with --no-hands)")
		} else {
			o.Hands = console
			defer func() { _ = console.Close() }() // The program ends in any case.
		}
	}
	printer := doctor.NewPrinter(stdout, isTerminal(stdout) && os.Getenv("NO_COLOR") == "")
	f.watch(&o, printer, stderr)
	report, err := doctor.Run(ctx, o)
	if err != nil {
		return fail(stderr, "doctor", err)
	}
	if err := f.conclude(report, printer, stdout); err != nil {
		return fail(stderr, "doctor", fmt.Errorf("write the report: %w", err))
	}
	if !report.OK {
		return exitError
	}
	return exitOK
}

// watch prints every check when it is made and, on a terminal, which one is being
// made.
func (f *doctorFlags) watch(o *doctor.Options, printer *doctor.Printer, stderr io.Writer) {
	progress := func(string, ...any) {}
	if isTerminal(stderr) {
		progress = func(format string, args ...any) { _, _ = fmt.Fprintf(stderr, "\r\x1b[K"+format, args...) }
	}
	o.Began = func(name string) { progress("... %s", name) }
	o.Done = func(check *doctor.Check, report *doctor.Report) {
		progress("")
		if !f.json {
			printer.Check(check, report)
		}
	}
}

// conclude prints what is left to be printed.
func (f *doctorFlags) conclude(report *doctor.Report, printer *doctor.Printer, stdout io.Writer) error {
	if !f.json {
		printer.End(report)
		return printer.Err()
	}
	object, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, plaintext.Escape(string(object))+"\n")
	return err
}

// openConsole returns the person at the terminal, nil if there is no terminal. It
// is opened anew: what was standard input does not survive the opening of pins on
// some models.
func openConsole(stdin io.Reader, stderr io.Writer) *doctor.Console {
	f, ok := stdin.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return doctor.NewConsole(tty, stderr)
}
