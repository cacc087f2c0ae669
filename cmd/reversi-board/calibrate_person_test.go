package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/hardware/button"
	"reversi-board/sensing"
)

// hearer is where a command says things on its way. It looks at every line.
type hearer struct {
	bytes.Buffer
	look func(line string)
}

func (s *hearer) Write(p []byte) (int, error) {
	s.look(string(p))
	return s.Buffer.Write(p)
}

// earlier stores a calibration of the built-in board, and returns the file and
// what is in it.
func earlier(t *testing.T, dir string) (path string, text []byte) {
	t.Helper()
	h := &configs.Default().Hardware
	h.Simulation.Enabled = true
	c := sensing.Identity(app.WiringOf(h))
	c.Made, c.Masked = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC), 1<<63
	if err := app.SaveCalibration(dir, &c); err != nil {
		t.Fatal(err)
	}
	path = app.CalibrationPath(dir, h)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

// untouched wants a folder to hold that calibration and nothing else.
func untouched(t *testing.T, path string, text []byte) {
	t.Helper()
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the stored calibration has changed: %v", err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
}

// Ctrl-C in the middle: the calibration that is stored stays as it is, and that
// nothing was stored is said.
func TestCalibrateInterrupted(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"Leave the board alone", "[1/", "[9/", "[16/"} {
		dir := t.TempDir()
		path, text := earlier(t, dir)
		ctx, stop := context.WithCancel(t.Context())
		said := &hearer{look: func(line string) {
			if strings.Contains(line, at) {
				stop()
			}
		}}
		var stdout strings.Builder
		code := dispatch(ctx, commands(), []string{"calibrate", "--quick", "--data", dir}, strings.NewReader(""), &stdout, said)
		if code != exitError || !strings.HasSuffix(said.String(), "interrupted: nothing was stored\n") || stdout.Len() > 0 {
			t.Errorf("at %q: status %d, %q, %q", at, code, said.String(), stdout.String())
		}
		untouched(t, path, text)
		stop()
	}
}

// seat is a person at a simulated board who has no simulated answers: what is
// said goes through the keyboard, or the buttons, as at a real board.
type seat struct {
	*calibration
	t    *testing.T
	body *calibrate.Hand
	// keys are what is typed on, and read lines; nil where there are buttons. What
	// has been read is handed on at once, as the clock is a virtual one.
	keys *io.PipeWriter
	read *keyboard
	said bytes.Buffer
	// lines are typed instead of what the body says, by stage; the last of them
	// again and again.
	lines map[calibrate.Stage][]string
	// answers counts the answers, by stage.
	answers map[calibrate.Stage]int
}

func takeSeat(t *testing.T, dir string, atKeys bool, faults string) *seat {
	t.Helper()
	s := &seat{t: t, lines: map[calibrate.Stage][]string{}, answers: map[calibrate.Stage]int{}}
	f := &calibrateFlags{config: "hall-128.yaml", data: dir, quick: true, discs: 64, simulate: true, breaks: faults}
	c, err := f.prepare(nil, &s.said)
	if err != nil {
		t.Fatal(err)
	}
	s.calibration, s.body, c.hand = c, c.hand, nil
	if atKeys {
		in, out := io.Pipe()
		s.keys, s.read = out, openKeyboard(in)
		c.keys = &keyboard{lines: make(chan string, 1), stop: make(chan struct{})}
	} else {
		c.presses = make(chan button.Event, 16)
	}
	wait := c.clock.Wait
	c.clock.Wait = func(ctx context.Context, d time.Duration) error {
		s.turn()
		return wait(ctx, d)
	}
	t.Cleanup(func() {
		if s.keys != nil {
			must(t, s.keys.Close())
			s.read.done.Wait()
			s.read.close()
		}
		must(t, c.close())
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// turn lets the person look at the board, move discs and say something.
func (s *seat) turn() {
	v := s.walk.View()
	a, err := s.body.Look(s.clock.Now(), &v)
	must(s.t, err)
	if a == calibrate.Silence {
		return
	}
	s.answers[v.Stage]++
	if s.keys == nil {
		name := app.Hint
		if v.Stage == calibrate.Clearing || v.Stage == calibrate.Deciding {
			name = app.NewGame
		}
		s.presses <- button.Event{Button: name, Kind: button.Pressed}
		return
	}
	line := ""
	if v.Stage == calibrate.Deciding {
		line = "y"
	}
	if own := s.lines[v.Stage]; len(own) > 0 {
		line = own[min(s.answers[v.Stage], len(own))-1]
	}
	_, err = io.WriteString(s.keys, line+"\n")
	must(s.t, err)
	s.calibration.keys.lines <- <-s.read.lines
}

// do calibrates and returns what the command would print.
func (s *seat) do() (well bool, stdout string, err error) {
	var out strings.Builder
	well, err = s.calibrate(s.t.Context(), &out)
	return well, out.String(), err
}

// At a keyboard: nonsense is not taken for an answer, and y stores.
func TestCalibrateAtTheKeyboard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := takeSeat(t, dir, true, "dead:e4")
	s.lines[calibrate.Clearing] = []string{"hello", "y", ""}
	s.lines[calibrate.Deciding] = []string{"", "yes please", "y"}
	well, stdout, err := s.do()
	if err != nil || well || !strings.Contains(stdout, "E4 ") && !strings.Contains(stdout, "e4 ") || !strings.Contains(stdout, "Stored in "+dir) {
		t.Errorf("well %v, %v, %s", well, err, stdout)
	}
	if s.answers[calibrate.Clearing] != 3 || s.answers[calibrate.Deciding] != 3 {
		t.Errorf("it was asked %v times", s.answers)
	}
	cal, err := app.LoadCalibration(dir, &s.settings.Hardware)
	if err != nil || cal == nil || cal.Masked != 1<<28 {
		t.Errorf("%+v, %v", cal, err)
	}
	if !strings.Contains(s.said.String(), "q: end, and store nothing") || !strings.Contains(s.said.String(), "[y/n]") {
		t.Errorf("it says %s", s.said.String())
	}
}

// q on the way, or n at the end: nothing is stored, what was stored stays, and
// the status says that the board has not been calibrated.
func TestCalibrateEndedAtTheKeyboard(t *testing.T) {
	t.Parallel()
	for stage, line := range map[calibrate.Stage]string{calibrate.Clearing: "q", calibrate.Walking: "q", calibrate.Deciding: "n"} {
		dir := t.TempDir()
		path, text := earlier(t, dir)
		s := takeSeat(t, dir, true, "dead:e4") // For it the walk asks.
		s.lines[stage] = []string{line}
		well, stdout, err := s.do()
		if err != nil || well || !strings.Contains(stdout, "Nothing was stored.") {
			t.Errorf("%q while %v: well %v, %v, %q", line, stage, well, err, stdout)
		}
		untouched(t, path, text)
	}
}

// Without a keyboard: the buttons do.
func TestCalibrateByButtonsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := takeSeat(t, dir, false, "")
	well, stdout, err := s.do()
	if err != nil || !well || !strings.Contains(stdout, "Stored in "+dir) {
		t.Errorf("well %v, %v, %s", well, err, stdout)
	}
	if strings.Contains(s.said.String(), "Enter") {
		t.Errorf("it speaks of keys: %s", s.said.String())
	}
}

// Nobody at a keyboard and no buttons: it does not wait for ever.
func TestCalibrateWithoutAnybody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, text := earlier(t, dir)
	s := takeSeat(t, dir, false, "")
	s.presses, s.rig.Buttons = nil, nil
	s.clock.Wait = func(context.Context, time.Duration) error { return nil }
	if _, _, err := s.do(); err == nil || !strings.Contains(err.Error(), "there is nobody to ask") {
		t.Errorf("%v", err)
	}
	untouched(t, path, text)
}

// Two at once, as from two terminals: both come to their end, and what is stored
// is whole.
func TestCalibrateTwoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, _ := earlier(t, dir)
	var both sync.WaitGroup
	var got [2]outcome
	for i := range got {
		both.Go(func() { got[i] = call(t.Context(), "calibrate", "--quick", "--yes", "--data", dir) })
	}
	both.Wait()
	for _, o := range got {
		if o.code != exitOK || !strings.Contains(o.stdout, "Stored in "+path) {
			t.Errorf("%+v", o)
		}
	}
	now, err := os.ReadFile(path)
	must(t, err)
	if c, err := sensing.DecodeCalibration(now); err != nil || c.Masked != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	untouched(t, path, now)
}

// A real board that is running, or is not there: it is said, in one line.
func TestCalibrateRealBoards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "my.yaml")
	must(t, os.WriteFile(config, []byte("hardware:\n  kind: hall-128\n  i2c: {bus: /dev/i2c-250}\n  simulation: {enabled: false}\n"), 0o600))
	args := []string{"calibrate", "--config", config, "--data", filepath.Join(dir, "data")}
	if got := call(t.Context(), args...); got.code != exitError || !strings.Contains(got.stderr, "/dev/i2c-250") || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("no board: %+v", got)
	}
	j, _, err := archive.Open(archive.Options{Dir: filepath.Join(dir, "data")})
	must(t, err)
	if got := call(t.Context(), args...); got.code != exitError || !strings.Contains(got.stderr, "a board is running with") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a running board: %+v", got)
	}
	if got := call(t.Context(), append(args, "--simulate", "--quick")...); got.code != exitError || !strings.Contains(got.stderr, "a board is running with") || !strings.Contains(got.stderr, "--data") {
		t.Errorf("a simulation in the folder of a running board: %+v", got)
	}
	must(t, errors.Join(j.Close()))
}
