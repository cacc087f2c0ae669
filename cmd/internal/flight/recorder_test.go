package flight_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

// desk is a core on which a game is played by chance, without any board.
type desk struct {
	t        testing.TB
	core     *app.Core
	tape     *flight.Tape
	now      time.Duration
	games    int
	payloads [][]byte
	// wall is how far the wall clock is from where it should be.
	wall time.Duration
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, now: time.Second}
	wall := func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(d.now + d.wall) }
	d.core = app.NewCore(app.CoreOptions{
		Match: referee.Match{Rules: rules, Profile: referee.Home(), Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}}, JID: "01J00000000000000000000000",
		Stamp:   func() record.Stamp { return record.Stamp{TS: wall(), TSOK: true, Boot: 3, Mono: d.now} },
		NewGame: func() string { d.games++; return "01J0000000000000000000000" + string(rune('0'+d.games)) },
	})
	d.tape = flight.NewTape(flight.TapeOptions{About: flight.About{Program: "test", Sensing: flight.Sensing(sensing.DefaultConfig())}, Boot: 3, Wall: wall})
	d.core.Tape = d.tape
	d.tape.Start(d.now, flight.Place{JID: "01J00000000000000000000000"}, &d.core.State)
	return d
}

func (d *desk) do(in referee.Input) {
	d.t.Helper()
	out, err := d.core.Step(in)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range out.Facts {
		d.payloads = append(d.payloads, f.Payload)
	}
}

// see lets the board settle with these discs, a second later.
func (d *desk) see(discs engine.Discs) {
	d.t.Helper()
	d.now += time.Second
	d.tape.Frame(d.now-250*time.Millisecond, &flight.Frame{North: discs.Black, South: discs.White})
	d.do(referee.Seen{At: d.now, Changed: d.now - 250*time.Millisecond, Discs: discs})
}

// play plays n moves, and new games as the old ones end.
func (d *desk) play(n int) {
	d.t.Helper()
	for range n {
		s := &d.core.State
		if s.Phase != referee.Playing {
			d.see(engine.Discs{})
			d.see(s.Match.Rules.Start.Discs)
		}
		sq := s.Game.Legal().First()
		d.see(s.Game.With(sq, s.Game.Turn))
		d.see(s.Game.Place(sq).Discs)
	}
}

func (d *desk) recorder(o flight.RecorderOptions) *flight.Recorder {
	if o.MaxBytes == 0 {
		o.MaxBytes = 16 << 20
	}
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	return flight.NewRecorder(d.tape, o)
}

func TestGamesAreReplayedBitForBit(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	r := d.recorder(flight.RecorderOptions{Dir: dir})
	d.play(150)
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	payloads, _ := replayed(t, dir)
	if !slices.EqualFunc(payloads, d.payloads, bytes.Equal) {
		t.Fatalf("%d events are recorded, %d were announced", len(payloads), len(d.payloads))
	}
	// One segment begins with the program, and one with every game.
	names, err := files(dir)
	if err != nil || len(names) != 1+d.games || d.games < 3 {
		t.Fatalf("%d files of %d games: %v", len(names), d.games, err)
	}
	second, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	s, err := flight.ReadSegment("second", second)
	if err != nil {
		t.Fatal(err)
	}
	if s.Header.Reason != flight.GameBegins || !s.Header.Continues || s.State.Phase == referee.Playing {
		t.Errorf("the second segment begins with %+v in %v", s.Header, s.State.Phase)
	}
	if first := s.Records[0].Step; first == nil || !strings.Contains(string(first.Events[0].Payload), `"game_started"`) {
		t.Errorf("its first record is %+v, want the start of the game", s.Records[0])
	}
}

// A wall clock that jumps changes the stamps of the events and nothing else, and
// they are replayed as they were (scenario 24).
func TestWallClockStepsWhileRecording(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	r := d.recorder(flight.RecorderOptions{Dir: dir})
	d.play(3)
	for _, step := range []time.Duration{24 * time.Hour, -48 * time.Hour, -7 * 365 * 24 * time.Hour} {
		d.wall += step
		d.do(referee.WallStepped{At: d.now, By: step})
		s := &d.core.State
		sq := s.Game.Legal().First()
		d.see(s.Game.With(sq, s.Game.Turn)) // in mid-move
		d.wall -= step / 2
		d.see(s.Game.Place(sq).Discs)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	payloads, _ := replayed(t, dir)
	if !slices.EqualFunc(payloads, d.payloads, bytes.Equal) {
		t.Fatal("other events than were announced")
	}
	text := string(bytes.Join(payloads, nil))
	for _, want := range []string{`"time_stepped"`, `"ts":"2019-`, `"ts":"2026-05-02`} {
		if !strings.Contains(text, want) {
			t.Errorf("no event has %s", want)
		}
	}
}

// The ring never takes more room than it may, and what is left can be replayed.
func TestRingIsBounded(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	const most = 4 << 20
	r := d.recorder(flight.RecorderOptions{Dir: dir, MaxBytes: most})
	noise := uint64(1)
	for i := range 400 {
		d.play(2)
		// Somebody rattles the board: frames that do not compress.
		for range 400 {
			noise ^= noise << 13
			noise ^= noise >> 7
			noise ^= noise << 17
			d.now += 100 * time.Millisecond
			d.tape.Frame(d.now, &flight.Frame{North: engine.Bitboard(noise), South: ^engine.Bitboard(noise)})
		}
		flight.Drain(r)
		if size := sizeOf(t, dir); size > most {
			t.Fatalf("after %d rounds the recordings have %d bytes, at most %d may be there", i, size, most)
		}
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	names, err := files(dir)
	if err != nil || filepath.Base(names[0]) == "flight-00000001.rec" {
		t.Fatalf("the oldest is still there: %v %v", names, err)
	}
	if size := sizeOf(t, dir); size < most/2 {
		t.Errorf("only %d bytes are kept of %d", size, most)
	}
	if n := d.tape.Lost(); n != 0 {
		t.Errorf("%d records were lost", n)
	}
	payloads, _ := replayed(t, dir)
	if n := len(payloads); n == 0 || !slices.EqualFunc(payloads, d.payloads[len(d.payloads)-n:], bytes.Equal) {
		t.Errorf("the last %d events are others than were announced", n)
	}
}

// A cell that flaps at every scan does not fill the disk: two hours are below 700 kB, a
// day below 8 MB.
func TestFlappingIsLeftOut(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	disk := newMoody()
	r := d.recorder(flight.RecorderOptions{Dir: dir, FS: disk})
	d.see(engine.Start().Discs)
	for i := range 2 * 3600 * 50 {
		d.now += 20 * time.Millisecond
		d.tape.Frame(d.now, &flight.Frame{North: engine.Bitboard(i%2) << (i / 50 % 64)})
		if i%250 == 0 {
			flight.Drain(r)
		}
		if i%3000 == 0 {
			d.do(referee.Tick{At: d.now})
		}
	}
	t.Logf("%d bytes in two hours", disk.written)
	if disk.written > 700<<10 {
		t.Errorf("%d bytes were written in two hours", disk.written)
	}
	d.play(3)
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	payloads, _ := replayed(t, dir)
	if len(payloads) != len(d.payloads) {
		t.Errorf("%d events are recorded, %d were announced", len(payloads), len(d.payloads))
	}
}

// On a full disk the game goes on; what is lost is counted, and when there is room
// again the recording goes on with a segment of its own.
func TestFullDisk(t *testing.T) {
	for _, left := range []int{0, 10, 300, 2000, 2500, 3000} {
		d := newDesk(t)
		dir := t.TempDir()
		disk := newMoody()
		disk.room(left)
		r := d.recorder(flight.RecorderOptions{Dir: dir, FS: disk})
		for range 300 {
			d.play(1)
			flight.Drain(r)
		}
		if names, err := files(dir); err != nil || len(names) > 3 {
			t.Errorf("%d bytes left: the full disk holds %v, %v", left, names, err)
		}
		if s := r.Status(); s.Error == "" || !strings.Contains(s.Error, "no space") || s.Lost == 0 {
			t.Fatalf("%d bytes left: the status is %+v", left, s)
		}
		before := len(d.payloads)
		disk.room(-1)
		for range 330 {
			d.play(1)
			flight.Drain(r)
		}
		if err := r.Write(); err != nil {
			t.Fatalf("%d bytes left: %v", left, err)
		}
		tail := lastSegments(t, dir)
		if n := len(tail); n < 20 || n >= len(d.payloads) || !slices.EqualFunc(tail, d.payloads[len(d.payloads)-n:], bytes.Equal) {
			t.Errorf("%d bytes left: %d of %d events are recorded behind the gap, which ended at %d", left, n, len(d.payloads), before)
		}
	}
}

// lastSegments replays everything from the last gap on. Segments before it may be
// torn, and nothing that is read of them may differ.
func lastSegments(t *testing.T, dir string) (tail [][]byte) {
	t.Helper()
	names, err := files(dir)
	if err != nil {
		t.Fatal(err)
	}
	gaps := 0
	for i, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := flight.ReadSegment(name, b)
		if err != nil {
			continue // it could not even be begun
		}
		if s.Header.Reason == flight.Gap || !s.Header.Continues && i > 0 {
			gaps++
			tail = nil
			if s.Header.Lost == 0 {
				t.Errorf("%s comes behind a gap and says that nothing is lost", name)
			}
		}
		tail = append(tail, steps(t, s)...)
	}
	if gaps == 0 {
		t.Error("no segment says that there is a gap before it")
	}
	return tail
}

// A disk that hangs is waited for by nobody: the game goes on, the memory stays
// bounded, the end of the program comes, and the recording goes on afterwards.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		dir := t.TempDir()
		disk := newMoody()
		r := d.recorder(flight.RecorderOptions{Dir: dir, FS: disk})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Keep(ctx)
		}()
		d.play(5)
		release := disk.hang()
		time.Sleep(6 * time.Second) // the recorder's five, in the time of the bubble
		<-disk.waiting
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Flush(short); err == nil {
			t.Error("a disk that hangs was written")
		}
		d.play(4000)
		lost := d.tape.Lost()
		if lost == 0 {
			t.Error("a thousand games fit into the memory")
		}
		release()
		for range 5 {
			time.Sleep(6 * time.Second)
			synctest.Wait()
			d.play(20)
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if n := len(lastSegments(t, dir)); n < 80 {
			t.Errorf("%d events are recorded behind the gap", n)
		}
		// The program ends while the disk hangs once more.
		release = disk.hang()
		d.play(1)
		stop()
		<-done
		release()
		synctest.Wait()
	})
}

// What happens at every scan and at every step allocates nothing.
func TestRecordingDoesNotAllocate(t *testing.T) {
	d := newDesk(t)
	r := d.recorder(flight.RecorderOptions{Dir: t.TempDir()})
	d.play(5)
	flight.Drain(r)
	frames := [2]flight.Frame{{North: 1}, {North: 2}}
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		i++
		d.tape.Frame(d.now+time.Duration(i), &frames[i/8%2])
	}); n != 0 {
		t.Errorf("a scan allocates %v times", n)
	}
	flight.Drain(r)
	discs := d.core.State.Sensed
	var in referee.Input = referee.Seen{At: d.now + time.Second, Discs: discs}
	place := flight.Place{JID: "01J00000000000000000000000"}
	if n := testing.AllocsPerRun(1000, func() {
		d.tape.Before(place, &d.core.State, in)
		d.tape.After(0, nil, false)
	}); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// The next start of the program goes on in the same ring, and does not touch what
// is there.
func TestRestartGoesOn(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		d := newDesk(t)
		d.play(3)
		if err := d.recorder(flight.RecorderOptions{Dir: dir}).Write(); err != nil {
			t.Fatal(err)
		}
	}
	// Other files are left alone.
	other := filepath.Join(dir, "flight-notes.rec")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.play(3)
	if err := d.recorder(flight.RecorderOptions{Dir: dir, MaxBytes: 1}).Write(); err != nil {
		t.Fatal(err)
	}
	names, err := files(dir)
	if err != nil || len(names) != 2 || names[0] != filepath.Join(dir, "flight-00000008.rec") || names[1] != other {
		t.Fatalf("a ring without room has %v, want the last segment and the notes: %v", names, err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	d = newDesk(t)
	d.play(3)
	if err := d.recorder(flight.RecorderOptions{Dir: dir}).Write(); err != nil {
		t.Fatal(err)
	}
	payloads, _ := replayed(t, dir)
	if n := len(d.payloads); !slices.EqualFunc(payloads[len(payloads)-n:], d.payloads, bytes.Equal) || len(payloads) <= n {
		t.Errorf("%d events, want more than the last %d", len(payloads), n)
	}
}
