package flight_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

// small is a recording of a few moves, in several blocks.
func small(t testing.TB) (file []byte, events [][]byte) {
	t.Helper()
	d := newDesk(t)
	dir := t.TempDir()
	r := d.recorder(flight.RecorderOptions{Dir: dir})
	for range 3 {
		d.play(1)
		d.tape.Doubted(d.now, 1<<9)
		flight.Drain(r)
	}
	config := sensing.DefaultConfig()
	d.tape.Renewed(d.now, &config)
	d.do(referee.Command{At: d.now, Audit: referee.Audit{Role: "player", Name: "undo", Order: referee.Undo{Plies: 70}}})
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	names, err := files(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The first segment ends where the game begins.
	if file, err = os.ReadFile(names[len(names)-1]); err != nil {
		t.Fatal(err)
	}
	return file, d.payloads
}

func TestCutAtEveryByte(t *testing.T) {
	file, events := small(t)
	whole, err := flight.ReadSegment("whole", file)
	if err != nil || whole.Torn != nil {
		t.Fatal(err, whole)
	}
	if n := len(steps(t, whole)); n != len(events) {
		t.Fatalf("%d events, want %d", n, len(events))
	}
	records := -1
	for n := range file {
		s, err := flight.ReadSegment("cut", file[:n])
		if err != nil {
			if !errors.Is(err, flight.ErrTorn) || records >= 0 {
				t.Fatalf("%d bytes, %d records before: %v, want that it is torn", n, records, err)
			}
			continue
		}
		if s.Torn != nil && !errors.Is(s.Torn, flight.ErrTorn) || len(s.Records) < records {
			t.Fatalf("%d bytes: %d records, %d before: %v", n, len(s.Records), records, s.Torn)
		}
		if len(s.Records) > records || n%97 == 0 {
			begin(t, steps(t, s), events)
		}
		records = len(s.Records)
	}
	if records <= 0 {
		t.Fatal("no cut file could be read")
	}
}

// begin checks that events are the first of those that were announced.
func begin(t *testing.T, got, events [][]byte) {
	t.Helper()
	for i := range got {
		if !bytes.Equal(got[i], events[i]) {
			t.Fatalf("event %d is another one", i)
		}
	}
}

// A flipped bit is found, wherever it is, and what stands before its block is
// replayed.
func TestFlippedBits(t *testing.T) {
	file, events := small(t)
	for i := range file {
		for bit := range 8 {
			bad := bytes.Clone(file)
			bad[i] ^= 1 << bit
			s, err := flight.ReadSegment("bad", bad)
			if err != nil {
				continue
			}
			if s.Torn == nil {
				t.Fatalf("bit %d of byte %d is flipped and nobody sees it", bit, i)
			}
			if bit == 0 {
				begin(t, steps(t, s), events)
			}
		}
	}
}

func TestOtherFiles(t *testing.T) {
	file, _ := small(t)
	for _, c := range []struct {
		name string
		b    []byte
		is   error
		want string
	}{
		{"nothing", nil, flight.ErrTorn, "first line"},
		{"a journal", []byte("\x10\x00\x00\x00abcd{\"v\":1}"), flight.ErrNoRecording, "not a flight recording"},
		{"a text", []byte("Dear board,\n"), flight.ErrNoRecording, "not a flight recording"},
		{"another format", append([]byte("reversi-board flight recording 9\n"), file[33:]...), flight.ErrVersion, `format "9"`},
		{
			"another referee", inHeader(t, file, `"snapshot":`, `"snapshot":9`), flight.ErrVersion,
			"replay it with reversi-board test",
		},
	} {
		_, err := flight.ReadSegment("x.rec", c.b)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.name, err, c.want)
		}
	}
}

// inHeader changes the header of a recording.
func inHeader(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	line := bytes.IndexByte(file, '\n') + 1
	n := int(binary.LittleEndian.Uint32(file[line:]))
	header := strings.Replace(string(file[line+8:line+8+n]), from, to, 1)
	out := bytes.Clone(file[:line])
	out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum([]byte(header), crc32.MakeTable(crc32.Castagnoli)))
	return append(append(out, header...), file[line+8+n:]...)
}

// A core that does something else is found out.
func TestDifferencesAreFound(t *testing.T) {
	file, _ := small(t)
	s, err := flight.ReadSegment("x.rec", file)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Records, func(r flight.Record) bool { return r.Step != nil && len(r.Step.Events) > 0 })
	step := s.Records[i].Step
	good := *step
	for name, spoil := range map[string]func(){
		"another payload": func() { step.Events = []flight.Event{{Stamp: good.Events[0].Stamp, Payload: []byte("{}")}} },
		"one more":        func() { step.Events = append([]flight.Event{{}}, good.Events...) },
		"one less":        func() { step.Events = nil },
		"another wake":    func() { step.Wake++ },
		"a refusal":       func() { step.Refused = &referee.Refuse{Code: "x", Text: "y"} },
		"a failure":       func() { step.Failed = true },
	} {
		spoil()
		var found []int
		n, err := flight.Replay(s, app.Again(s), func(r *flight.Ran) error {
			if r.Difference != "" {
				found = append(found, r.Number)
			}
			return nil
		})
		// What follows may be otherwise because of it.
		if err != nil || n != len(found) || n == 0 || found[0] != i+1 {
			t.Errorf("%s in record %d: differences in %v, %d counted, %v", name, i+1, found, n, err)
		}
		*step = good
	}
}

// Every frame comes back, whatever the cells say.
func TestFramesComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDesk(t)
		d.see(engine.Start().Discs)
		want := []flight.Frame{}
		last := flight.Frame{North: engine.Start().Black, South: engine.Start().White}
		for range rapid.IntRange(1, 40).Draw(r, "frames") {
			f := flight.Frame{
				North: engine.Bitboard(rapid.Uint64Range(0, 3).Draw(r, "north")), South: engine.Bitboard(rapid.Uint64().Draw(r, "south")),
				Lost: engine.Bitboard(rapid.Uint64Range(0, 1).Draw(r, "lost")), Reset: engine.Bitboard(rapid.Uint64Range(0, 1).Draw(r, "reset")),
			}
			d.now += time.Duration(rapid.IntRange(0, 1e9).Draw(r, "pause"))
			d.tape.Frame(d.now, &f)
			if f != last {
				want = append(want, f)
			}
			last = f
		}
		if got := d.frames(); !slices.Equal(got[1:], want) { // without the start position
			r.Fatalf("the frames are %+v, want %+v", got[1:], want)
		}
	})
}

// frames writes the tape and returns the frames of it.
func (d *desk) frames() (list []flight.Frame) {
	d.t.Helper()
	dir := d.t.TempDir()
	if err := d.recorder(flight.RecorderOptions{Dir: dir}).Write(); err != nil {
		d.t.Fatal(err)
	}
	recording, err := flight.Open(dir)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range recording.Names {
		s, err := recording.Segment(i)
		if err != nil || s.Torn != nil {
			d.t.Fatal(err, s)
		}
		for _, r := range s.Records {
			if r.Frame != nil {
				list = append(list, *r.Frame)
			}
		}
	}
	return list
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	zip := filepath.Join(dir, "report.zip")
	if err := os.WriteFile(zip, []byte("PK\x03\x04 and then nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "there is none in",
		zip:                        "open the bug report",
	} {
		if _, err := flight.Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Whatever is in a file, reading and replaying it ends, and in order.
func FuzzReadSegment(f *testing.F) {
	file, _ := small(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte("reversi-board flight recording 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := flight.ReadSegment("x", b)
		if err != nil {
			return
		}
		if _, err := flight.Replay(s, app.Again(s), func(*flight.Ran) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}

// The same without the checksums and the compression, which no chance gets past.
func FuzzRecord(f *testing.F) {
	file, _ := small(f)
	for _, r := range flight.RawRecords(file) {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := flight.ReadRecord(b); err == nil && r.Step == nil && r.Frame == nil && r.Doubt == nil && r.Renewed == nil && r.Left == 0 {
			t.Fatal("a record that is nothing")
		}
	})
}

// A secret that was typed as a name is overwritten, and what was recorded replays as
// before, with the overwritten name.
func TestRedactedSegmentsReplay(t *testing.T) {
	const secret = `tok"en <é…𝄞>` //nolint:gosec // of this test alone
	d := newDesk(t)
	m := d.core.State.Match
	m.Players[0] = plaintext.Const(secret)
	d.do(referee.Command{At: d.now, Audit: referee.Audit{Role: "arbiter", Name: "new", Order: referee.NewGame{Match: m}}})
	dir := t.TempDir()
	r := d.recorder(flight.RecorderOptions{Dir: dir})
	d.play(70)
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	names, err := files(dir)
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %v", names, err)
	}
	steps := 0
	for _, name := range names {
		steps += replaysRedacted(t, name, secret)
	}
	if steps < 100 {
		t.Errorf("only %d steps", steps)
	}
}

// replaysRedacted overwrites a secret in a file and replays it; it returns the number of
// steps.
func replaysRedacted(t *testing.T, name, secret string) (steps int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = flight.Redact(b, []string{"abc", secret}); err != nil {
		t.Fatal(err)
	}
	s, err := flight.ReadSegment(name, b)
	if err != nil || s.Torn != nil {
		t.Fatal(err, s.Torn)
	}
	n, err := flight.Replay(s, app.Again(s), func(r *flight.Ran) error {
		steps++
		for _, p := range r.Made.Payloads {
			if bytes.Contains(p, []byte("tok")) || bytes.Contains(p, []byte("Ann")) {
				t.Errorf("it replays to %s", p)
			}
		}
		return nil
	})
	if err != nil || n != 0 || s.State.Match.Players[0].String() == secret {
		t.Errorf("%s: %d differences, %v", name, n, err)
	}
	return steps
}
