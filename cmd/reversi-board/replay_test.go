package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

// story records two moves and a mistake into a data folder and returns it.
func story(t *testing.T) (dir string) {
	t.Helper()
	now := time.Duration(0)
	wall := func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(now) }
	core := app.NewCore(app.CoreOptions{
		Match: referee.Match{
			Rules: classic(t), Profile: referee.Home(), Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")},
			Clock: clock.Same(clock.Control{Main: 5 * time.Minute}),
		},
		JID:     "01J00000000000000000000000",
		Stamp:   func() record.Stamp { return record.Stamp{TS: wall(), TSOK: true, Boot: 2, Mono: now} },
		NewGame: func() string { return "01J00000000000000000000001" },
	})
	tape := flight.NewTape(flight.TapeOptions{
		About: flight.About{Program: "v1.2.3", Board: "rv-b07", Kind: "hall-128", ScanHz: 50, Sensing: flight.Sensing(sensing.DefaultConfig())}, Boot: 2, Wall: wall,
	})
	core.Tape = tape
	tape.Start(0, flight.Place{JID: "01J00000000000000000000000"}, &core.State)
	do := func(in referee.Input) {
		t.Helper()
		if _, err := core.Step(in); err != nil {
			t.Fatal(err)
		}
	}
	see := func(d engine.Discs) {
		t.Helper()
		now += 10 * time.Second
		tape.Frame(now-200*time.Millisecond, &flight.Frame{North: d.Black, South: d.White})
		do(referee.Seen{At: now, Discs: d})
	}
	square := func(name string) engine.Square {
		t.Helper()
		q, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	see(engine.Start().Discs) // 0:10, event 1
	f5 := core.State.Game.Place(square("f5")).Discs
	see(core.State.Game.With(square("f5"), engine.Black)) // 0:20
	see(f5)                                               // 0:30, event 2
	see(f5.With(square("a1"), engine.White))              // 0:40, event 3
	see(f5)                                               // 0:50
	now += 10 * time.Second
	do(referee.Command{At: now, Audit: referee.Audit{Role: "arbiter", Name: "undo", ID: plaintext.Const("1"), Order: referee.Undo{Plies: 9}}}) // 1:00
	do(referee.Command{At: now, Audit: referee.Audit{Role: "arbiter", Name: "pause", ID: plaintext.Const("2"), Order: referee.Pause{Reason: plaintext.Const("tea")}}})
	dir = t.TempDir()
	if err := flight.NewRecorder(tape, flight.RecorderOptions{Dir: filepath.Join(dir, flight.Folder), MaxBytes: 1 << 24}).Write(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReplayTellsWhatHappened(t *testing.T) {
	got := call(t.Context(), "replay", story(t))
	want := `flight-00000001.rec: board rv-b07 (hall-128), reversi-board v1.2.3, start 2, 2026-05-01 12:00:00; the program starts
flight-00000002.rec: board rv-b07 (hall-128), reversi-board v1.2.3, start 2, 2026-05-01 12:00:10; a game begins
   0:10.000 12:00:10.000Z  hands  black put on e4 d5; white put on d4 e5
   0:10.000 12:00:10.000Z  #1     a game of classic begins, Ann (black) against Ben (white), profile home
   0:20.000 12:00:20.000Z  hands  black put on f5
   0:30.000 12:00:30.000Z  hands  e5 turned to black
   0:30.000 12:00:30.000Z  #2     black plays f5, 1 turned
   0:40.000 12:00:40.000Z  hands  white put on a1
   0:40.000 12:00:40.000Z  #3     white a1 is no move: no flip
   0:50.000 12:00:50.000Z  hands  a1 taken up
   1:00.000 12:01:00.000Z  told   arbiter orders undo (Undo)
`
	if !strings.HasPrefix(got.stdout, want) {
		t.Errorf("it says\n%s\nwant\n%s", got.stdout, want)
	}
	for _, want := range []string{
		"  answer no: ", "  told   arbiter orders pause (Pause)\n", "command pause by arbiter\n", "paused by arbiter (tea)\n",
		"\n7 inputs and 5 events of 2 segments replayed: all the same, bit for bit\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, got.stdout)
		}
	}
	if got.code != 0 || got.stderr != "" {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

func TestReplayPrintsAPart(t *testing.T) {
	dir := story(t)
	for _, c := range []struct {
		args  []string
		lines int
		has   string
	}{
		{[]string{"--from", "15s", "--to", "30s"}, 3, "black plays f5"},
		{[]string{"--from", "3", "--to", "3"}, 5, "no move"},
		{[]string{"--from", "50s", "--to", "50s", "--states"}, 2, "state  playing to_move: "},
		{[]string{"--from", "19s", "--to", "19.9s", "--frames"}, 1, "cells  f5 north"},
	} {
		got := call(t.Context(), append([]string{"replay", dir}, c.args...)...)
		n := strings.Count(got.stdout, "\n") - 3 // two titles and the sum
		if got.code != 0 || n != c.lines || !strings.Contains(got.stdout, c.has) {
			t.Errorf("%v: exit %d, %d lines, want %d with %q:\n%s", c.args, got.code, n, c.lines, c.has, got.stdout)
		}
	}
}

func TestReplayJSON(t *testing.T) {
	got := call(t.Context(), "replay", story(t), "--json", "--states")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 0 || len(lines) != 8 {
		t.Fatalf("exit %d, %d lines:\n%s", got.code, len(lines), got.stdout)
	}
	type line struct {
		Input, Order, Hands, Sentence string
		MonoNS                        int64 `json:"mono_ns"`
		Events                        []struct {
			Seq  int
			Type string
		}
		Differences, Events2 *int
	}
	third := decode[line](t, []byte(lines[2]))
	if third.Input != "Seen" || third.Hands != "e5 turned to black" || third.MonoNS != int64(30*time.Second) || len(third.Events) != 1 ||
		third.Events[0].Seq != 2 || third.Events[0].Type != "move" || third.Sentence == "" {
		t.Errorf("%+v", third)
	}
	if undo := decode[line](t, []byte(lines[5])); undo.Input != "Command" || undo.Order != "Undo" {
		t.Errorf("%+v", undo)
	}
	sum := decode[struct {
		Inputs, Events, Differences int
		Problems                    []string
	}](t, []byte(lines[7]))
	if sum.Inputs != 7 || sum.Events != 5 || sum.Differences != 0 || sum.Problems == nil {
		t.Errorf("%+v", sum)
	}
}

// The board is drawn at every change, and somebody at the keyboard goes on.
func TestReplayShows(t *testing.T) {
	dir := story(t)
	for _, args := range [][]string{{"replay", dir, "--show"}, {"replay", dir, "--show", "--speed", "100000"}} {
		var stdout, stderr bytes.Buffer
		code := dispatch(t.Context(), commands(), args, strings.NewReader("\n\n\n\n\n\n\n\n\n"), &stdout, &stderr)
		want := "    a  b  c  d  e  f  g  h\n 1  .  .  .  .  .  .  .  . \n 2  .  .  .  .  .  .  .  . \n 3  .  .  .  .  .  .  .  . \n" +
			" 4  .  .  .  o  x  .  .  . \n 5  .  .  .  x  o* x  .  . \n 6  .  .  .  .  .  .  .  . \n 7  .  .  .  .  .  .  .  . \n" +
			" 8  .  .  .  .  .  .  .  . \n     black 4:50.0  white 5:00.0\n"
		if n := strings.Count(stdout.String(), "a  b  c"); code != 0 || n != 6 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%v: exit %d, %d boards, want 6 and among them\n%s\ngot\n%s%s", args, code, n, want, stdout.String(), stderr.String())
		}
	}
}

// The readings come from the cells again; one that does not is told.
func TestReplaySenses(t *testing.T) {
	dir := story(t)
	got := call(t.Context(), "replay", dir, "--sense", "--from", "9h")
	if got.code != 0 || !strings.Contains(got.stdout, "\n5 readings were recorded; 5 of them come from the cells again, and 0 others\n") {
		t.Errorf("%+v", got)
	}
	recording, err := flight.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := recording.Segment(1)
	if err != nil {
		t.Fatal(err)
	}
	s.Header.Reason, s.Header.Continues = flight.Started, false
	s.Records = slices.DeleteFunc(s.Records, func(r flight.Record) bool { return r.Frame != nil && r.At > 35*time.Second })
	var stdout bytes.Buffer
	r := replayer{stdout: &stdout, stderr: &stdout, sense: true, first: bound{at: time.Hour}}
	r.senser.Sense(s)
	if err := r.sensed(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), "   0:40.000  a reading was recorded and does not come again: ") {
		t.Errorf("it says\n%s", stdout.String())
	}
}

// A bug report can be replayed as it is, as can one file.
func TestReplayReportAndFile(t *testing.T) {
	dir := story(t)
	path := filepath.Join(t.TempDir(), "bug.zip")
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, name := range []string{"flight/flight-00000001.rec", "flight/flight-00000002.rec"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, filepath.Join(dir, "flight"), filepath.Join(dir, "flight/flight-00000002.rec")} {
		got := call(t.Context(), "replay", file)
		if got.code != 0 || !strings.Contains(got.stdout, "7 inputs and 5 events") {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// What cannot be replayed is one clear line, and what is before it is replayed all
// the same.
func TestReplayOfDamagedRecordings(t *testing.T) {
	dir := story(t)
	file := filepath.Join(dir, "flight/flight-00000002.rec")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want, out string
		b               []byte
	}{
		{"a torn end", "is torn after record ", "segments replayed: all the same, bit for bit; 1 of the segments are not whole\n", whole[:len(whole)-3]},
		{"another version", "was made by another version of the program", "0 inputs and 0 events of 0 segments", []byte("reversi-board flight recording 7\nxyz")},
		{"a letter", "this is not a flight recording", "0 inputs", []byte("Dear board, what have you done?\n")},
		{"nothing", "is torn in its first line", "0 inputs", nil},
	} {
		if err := os.WriteFile(file, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := call(t.Context(), "replay", file)
		if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, c.want) || !strings.Contains(got.stdout, c.out) {
			t.Errorf("%s: exit %d\n%s%s", c.name, got.code, got.stdout, got.stderr)
		}
	}
	if got := call(t.Context(), "replay", filepath.Join(dir, "nowhere")); got.code != 2 || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

func TestReplayUsage(t *testing.T) {
	for _, args := range [][]string{
		{"replay"},
		{"replay", "a", "b"},
		{"replay", "a", "--from", "soon"},
		{"replay", "a", "--to", "-3s"},
		{"replay", "a", "--speed", "2"},
		{"replay", "a", "--show", "--json"},
		{"replay", "a", "--show", "--speed", "-1"},
		{"soak", "--record-failed"},
	} {
		if got := call(t.Context(), args...); got.code != 2 || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// Whoever changes what a recording holds is found out.
func TestReplayFindsDifferences(t *testing.T) {
	dir := story(t)
	recording, err := flight.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := recording.Segment(1)
	if err != nil {
		t.Fatal(err)
	}
	s.Records[0].Step.Events[0].Payload = json.RawMessage(`{"v":1}`)
	var stdout, stderr bytes.Buffer
	r := replayer{stdout: &stdout, stderr: &stderr}
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	if err := r.segment(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if r.sum.Differences != 1 || !strings.Contains(stdout.String(), "DIFFERENCE at record 1 of flight-00000002.rec (referee.Seen at 10s): another event: recorded was {\"v\":1}, now it is {\"v\":1,\"ts\"") {
		t.Errorf("%d differences:\n%s", r.sum.Differences, stdout.String())
	}
}

// checkReplay replays what a data folder has recorded, also of boards that were
// killed: nothing may come out otherwise, and at least so many segments and events
// must be there.
func checkReplay(t *testing.T, dir string, segments, events int) {
	t.Helper()
	got := call(context.WithoutCancel(t.Context()), "replay", dir, "--json")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	sum := decode[replaySum](t, []byte(lines[len(lines)-1]))
	t.Logf("replayed: %s", lines[len(lines)-1])
	if sum.Differences > 0 || sum.Segments < segments || sum.Events < events {
		t.Errorf("replayed: %s, want %d segments with %d events, all the same", lines[len(lines)-1], segments, events)
	}
	for _, p := range sum.Problems {
		if !strings.Contains(p, flight.ErrTorn.Error()) {
			t.Errorf("the recording: %s", p)
		}
	}
}

// checkRecorded replays what was recorded in a data folder, if anything was: every
// test that runs the program looks in this way whether it can be replayed.
func checkRecorded(t *testing.T, dir string) {
	t.Helper()
	if names, err := filepath.Glob(filepath.Join(dir, flight.Folder, "*.rec")); err == nil && len(names) > 0 {
		checkReplay(t, dir, 0, 0)
	}
}
