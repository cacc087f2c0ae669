package doctor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/doctor"
)

// golden compares a text with a file, or, with UPDATE_GOLDEN=1, writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it was (UPDATE_GOLDEN=1 writes it):\n%s", path, got)
	}
}

// print writes a report as a terminal shows it.
func printed(t *testing.T, r *doctor.Report, color bool) string {
	t.Helper()
	var b bytes.Buffer
	p := doctor.NewPrinter(&b, color)
	for i := range r.Checks {
		p.Check(&r.Checks[i], r)
	}
	p.End(r)
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	return b.String()
}

// The report for people, to be read: of a board with many faults of all kinds, and
// of one that sees no colors.
func TestText(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{
		profile: "hall-128", only: "config," + boardOnly,
		broken: "led:b3,reversed:c3,dead:h8,stuck:a1,both:e4,flapping:g2,exchanged:c6-d6,missing:0x26,display,button:hint",
	})
	golden(t, "faults.txt", printed(t, x.report, false))
	x = examine(t, setup{profile: "reed-64", only: "config," + boardOnly, broken: "shorted:b2,closed:g7"})
	golden(t, "contacts.txt", printed(t, x.report, false))
	x = examine(t, setup{profile: "hall-128", only: boardOnly, alone: true})
	golden(t, "alone.txt", printed(t, x.report, false))
}

// Lines fit on a terminal, and hold nothing that is no text unless colors are
// wanted; colors change nothing but that.
func TestTextIsPlain(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", broken: "led:b3,reversed:c3,dead:h8,slow"})
	plain, colored := printed(t, x.report, false), printed(t, x.report, true)
	for line := range strings.Lines(plain) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 96 {
			t.Errorf("%d characters: %q", n, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) {
			t.Errorf("not plain: %q", line)
		}
	}
	codes := regexp.MustCompile("\x1b\\[[0-9]+m")
	if !codes.MatchString(colored) || codes.ReplaceAllString(colored, "") != plain {
		t.Error("colors change more than colors")
	}
}

// full is a writer on which there is no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestTextThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := doctor.NewPrinter(full{}, false)
	p.Check(&doctor.Check{}, nil)
	p.End(&doctor.Report{})
	if p.Err() == nil {
		t.Error("nobody noticed")
	}
}

// The JSON form is a promise: its keys are these, whatever is found.
func TestJSON(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", broken: "led:b3,reversed:c3,dead:h8", only: boardOnly + ",config,pi"})
	r := *x.report
	for i := range r.Checks {
		r.Checks[i].Took = 0
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", string(text)+"\n")
	var back doctor.Report
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("it does not come back: %v", err)
	}
}

// Names of checks are read strictly.
func TestNames(t *testing.T) {
	t.Parallel()
	names, about := doctor.Names()
	if want := []string{
		"config", "pi", "access", "bus", "chips", "cells", "leds", "display", "buttons", "buzzer", "power", "clock", "storage",
		"broker", "page", "opponent", "calibration",
	}; !slices.Equal(names, want) || len(about) != len(names) {
		t.Errorf("%v, %v", names, about)
	}
	if only, err := doctor.ParseOnly("leds, cells"); err != nil || !slices.Equal(only, []string{"leds", "cells"}) {
		t.Errorf("%v, %v", only, err)
	}
	for _, text := range []string{"", "led", "leds,", "LEDs", ",", "leds cells"} {
		if only, err := doctor.ParseOnly(text); err == nil || !strings.Contains(err.Error(), "calibration") {
			t.Errorf("%q: %v, %v", text, only, err)
		}
	}
}

// Faults are read strictly, and never make anything fall.
func FuzzParseFaults(f *testing.F) {
	for _, kind := range doctor.FaultKinds() {
		f.Add(kind)
	}
	for _, text := range []string{"", "dead", "dead:", "dead:h9", "exchanged:a1", "exchanged:a1-a1-a1", "moved:0x23", "missing:35", "leds:a1", "dead:h8,led:b3", "button:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := doctor.ParseFaults(text)
		if err != nil {
			return
		}
		for _, fault := range faults {
			if fault.Square > 63 || fault.Other > 63 || fault.Addr > 0x7F || fault.Moved > 0x7F || fault.Kind == "" {
				t.Errorf("%q: %+v", text, fault)
			}
		}
	})
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	for _, kind := range doctor.FaultKinds() {
		if _, err := doctor.ParseFaults(kind); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, text := range []string{
		"", "dead", "dead:", "dead:h9", "dead:a1-b1", "exchanged:a1", "moved:0x23", "missing:35", "missing:0x100", "leds:a1", "button:", "nonsense:a1", "dead:h8,",
	} {
		if faults, err := doctor.ParseFaults(text); err == nil {
			t.Errorf("%q: %+v", text, faults)
		}
	}
	// What a board does not have cannot be broken.
	for profile, text := range map[string]string{
		"hall-128": "shorted:b2", "reed-64": "reversed:c3", "hall-analog": "missing:0x20", "default": "moved:0x20-0x21",
	} {
		faults, err := doctor.ParseFaults(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := doctor.Simulate(&settings(t, profile).Hardware, faults); err == nil {
			t.Errorf("%s was broken on %s", text, profile)
		}
	}
}

// A person takes minutes, the simulated one a moment.
func TestVirtualTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	x := examine(t, setup{profile: "hall-128", slow: true})
	if took := check(t, x.report, "cells").Took; took < 60_000 || took > 600_000 {
		t.Errorf("the cells took a person %d ms", took)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %v", took)
	}
}
