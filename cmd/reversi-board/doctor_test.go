package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/cmd/internal/doctor"
)

// examined runs the command as from a script: nobody is at a terminal.
func examined(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"doctor", "--data", filepath.Join(t.TempDir(), "data")}, args...)
	code = dispatch(t.Context(), commands(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// LED b3 dead, cell c3 reversed, cell h8 dead: exactly these three fail, on a map
// of both faces and of the lights, and the status says so.
func TestDoctorNamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	code, out, errs := examined(t, "--simulate", "--config", "hall-128.yaml", "--break", "led:b3,reversed:c3,dead:h8",
		"--only", "config,bus,chips,cells,leds,display,buttons")
	if code != exitError || errs != "" {
		t.Fatalf("status %d, %q", code, errs)
	}
	for _, want := range []string{
		"\n      fail  h8 ", "\n      fail  c3 ", "\n      fail  b3 ", "3 things are wrong.\n",
		"  3 . . R . . . . .     3 . . R . . . . .     3 . X . . . . . .\n",
		"  8 . . . . . . . X     8 . . . . . . . X     8 . . . . . . . .\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "      fail  "); n != 3 {
		t.Errorf("%d things are named in\n%s", n, out)
	}
	code, out, errs = examined(t, "--simulate", "--config", "hall-128.yaml", "--break", "led:b3,reversed:c3,dead:h8", "--json",
		"--only", "cells,leds")
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitError || errs != "" || r.OK || len(r.Problems()) != 3 {
		t.Errorf("status %d, %q, %v: %+v", code, errs, err, r.Problems())
	}
}

// All of a healthy board and of what is around it passes: also what is slow and
// what depends on the computer is only worth a look.
func TestDoctorOfHealthyBoard(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "board.yaml")
	// Ports that nobody has while many tests run.
	if err := os.WriteFile(file, []byte("web: {listen: none}\nmqtt: {embedded: {enabled: false}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := examined(t, "--config", file)
	if code != exitOK || errs != "" || !strings.Contains(out, "64 of 64 squares see both faces") || !strings.Contains(out, "64 of 64 lights") {
		t.Errorf("status %d, %q\n%s", code, errs, out)
	}
	code, out, errs = examined(t, "--config", file, "--no-hands", "--only", "cells,leds")
	if code != exitOK || errs != "" || !strings.Contains(out, "64 of 64 squares can be read") {
		t.Errorf("without hands: status %d, %q\n%s", code, errs, out)
	}
}

func TestDoctorUsage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--only", "led"}, exitUsage, "leds"},
		{[]string{"--break", "dead:h9"}, exitUsage, "h9"},
		{[]string{"--break", "shorted:b2"}, exitUsage, "contacts"},
		{[]string{"--config", "hall-128.yaml", "--break", "dead:h8"}, exitUsage, "--simulate"},
		{[]string{"--config", "missing.yaml"}, exitError, "missing.yaml"},
		{[]string{"--colour"}, exitUsage, "colour"},
		{[]string{"now"}, exitUsage, "now"},
	} {
		code, out, errs := examined(t, tc.args...)
		if code != tc.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, tc.want) {
			t.Errorf("%q: status %d, %q, %q", tc.args, code, out, errs)
		}
	}
}

// On a computer that is no Raspberry Pi a real board is refused in words, with what
// to do instead; and nobody is asked where there is no terminal.
func TestDoctorOfRealBoardElsewhere(t *testing.T) {
	t.Parallel()
	code, out, errs := examined(t, "--config", "reed-64.yaml", "--only", "pi,access,cells,leds")
	if code != exitError || !strings.Contains(out, "not a Raspberry Pi") || !strings.Contains(out, "--simulate") {
		t.Errorf("status %d\n%s", code, out)
	}
	if !strings.Contains(errs, "no terminal") {
		t.Errorf("%q", errs)
	}
	if !strings.Contains(out, "1 thing is wrong") {
		t.Errorf("it is said more than once:\n%s", out)
	}
}

func TestDoctorHelp(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := dispatch(t.Context(), commands(), []string{"help", "doctor"}, strings.NewReader(""), &out, &errs)
	names, _ := doctor.Names()
	for _, want := range append(names, "--no-hands", "--only", "--json", "--cycle-rail", "Example:") {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help does not mention %s", want)
		}
	}
	if code != exitOK || errs.Len() > 0 {
		t.Errorf("status %d, %q", code, errs.String())
	}
}
