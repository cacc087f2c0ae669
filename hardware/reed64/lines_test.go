package reed64_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/reed64"
)

// lines are the sixteen wires of a board without faults, written down from the
// circuit: a contact connects its column to its row, and its diode lets current
// through in that direction only. A column is low if a row that is low can draw
// from it.
type lines struct {
	closed [8]uint64 // by row, bit k for column k
	rows   uint64
	// down are columns with a short to ground.
	down uint64
	// did is the protocol: "rows fe", "wait 50µs", "read".
	did []string
	// outErr and readErr fail while they are set; failRow only with that row
	// low.
	outErr, readErr error
	failRow         int
}

func (l *lines) Out(bits, mask uint64) error {
	l.did = append(l.did, fmt.Sprintf("rows %02x of %02x", bits, mask))
	if l.outErr != nil {
		return l.outErr
	}
	l.rows = l.rows&^mask | bits&mask
	return nil
}

func (l *lines) Read(mask uint64) (uint64, error) {
	l.did = append(l.did, "read")
	if l.readErr != nil && (l.failRow < 0 || l.rows>>l.failRow&1 == 0) {
		return 0, l.readErr
	}
	levels := ^l.down
	for r, columns := range l.closed {
		if l.rows>>r&1 == 0 {
			levels &^= columns
		}
	}
	return levels & mask, nil
}

func (l *lines) wait(d time.Duration) { l.did = append(l.did, "wait "+d.String()) }

// put lays discs on crossings of rows and columns.
func (l *lines) put(crossings ...[2]int) {
	l.closed = [8]uint64{}
	for _, x := range crossings {
		l.closed[x[0]] |= 1 << x[1]
	}
}

// rig is a board behind such lines.
type rig struct {
	*lines
	t     testing.TB
	board *reed64.Board
	now   time.Duration
	frame hardware.Frame
}

func newRig(t testing.TB, c reed64.Config) *rig {
	t.Helper()
	r := &rig{lines: &lines{failRow: -1}, t: t}
	c.Wait = r.wait
	board, err := reed64.New(r.lines, r.lines, c)
	if err != nil {
		t.Fatal(err)
	}
	r.board = board
	return r
}

// scan scans once, 10 ms after the last time, and returns the protocol.
func (r *rig) scan() (did []string, err error) {
	r.now += 10 * time.Millisecond
	r.did = nil
	err = r.board.Scan(context.Background(), r.now, &r.frame)
	return r.did, err
}

func (r *rig) mustScan() {
	r.t.Helper()
	if _, err := r.scan(); err != nil {
		r.t.Fatal(err)
	}
}

func TestWiringMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		spoil func(c *reed64.Config)
		want  []string
	}{
		{"two cells at one crossing", func(c *reed64.Config) { c.Cells[36] = c.Cells[3] }, []string{"d1", "e5", "row 0", "column 3"}},
		{"no such row", func(c *reed64.Config) { c.Cells[63].Row = 8 }, []string{"h8", "row 8", "0 to 7"}},
		{"no such column", func(c *reed64.Config) { c.Cells[0].Column = -1 }, []string{"a1", "column -1", "0 to 7"}},
	} {
		c := reed64.Reference()
		tc.spoil(&c)
		_, err := reed64.New(&lines{}, &lines{}, c)
		if err == nil {
			t.Errorf("%s: accepted", tc.name)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not mention %q", tc.name, err, want)
			}
		}
	}
}

// The protocol of a scan: one row low at a time, each column read after the
// rows have been given time; sixteen calls of the kernel.
func TestCallsOfAScan(t *testing.T) {
	t.Parallel()
	var scan []string
	for _, rows := range []string{"fe", "fd", "fb", "f7", "ef", "df", "bf", "7f"} {
		scan = append(scan, "rows "+rows+" of ff", "wait 50µs", "read")
	}
	withCheck := append([]string{"rows ff of ff", "wait 50µs", "read"}, scan...)
	r := newRig(t, reed64.Reference())
	for i := range 130 {
		did, err := r.scan()
		if err != nil {
			t.Fatal(err)
		}
		want := scan
		if i%64 == 0 {
			want = withCheck
		}
		if !slices.Equal(did, want) {
			t.Fatalf("scan %d: %q\nwant %q", i, did, want)
		}
	}
	kernel := 0
	for _, did := range scan {
		if !strings.HasPrefix(did, "wait") {
			kernel++
		}
	}
	if kernel != 16 {
		t.Errorf("%d calls of the kernel in a scan, want 16", kernel)
	}
}

func TestDiscsAreReadWhereTheyLie(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	// d4, e4, d5, e5: ranks 4 and 5 are rows 3 and 4, files d and e columns 3
	// and 4.
	r.put([2]int{3, 3}, [2]int{3, 4}, [2]int{4, 3}, [2]int{4, 4})
	r.mustScan()
	if want := (hardware.Frame{North: 1<<27 | 1<<28 | 1<<35 | 1<<36}); r.frame != want {
		t.Errorf("the start position: %+v", r.frame)
	}
	r.put()
	r.mustScan()
	if r.frame != (hardware.Frame{}) {
		t.Errorf("the empty board: %+v", r.frame)
	}
}

// Any cell may be at any crossing.
func TestAnyWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		places := make([]int, 64)
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(rt, "crossings")
		var c reed64.Config
		for cell, at := range places {
			c.Cells[cell] = reed64.Cell{Row: at / 8, Column: at % 8}
		}
		r := newRig(t, c)
		discs := rapid.Uint64().Draw(rt, "discs")
		var crossings [][2]int
		for cell, at := range places {
			if discs>>cell&1 == 1 {
				crossings = append(crossings, [2]int{at / 8, at % 8})
			}
		}
		r.put(crossings...)
		r.mustScan()
		if r.frame != (hardware.Frame{North: discs}) {
			rt.Fatalf("%016x lie, read %+v", discs, r.frame)
		}
	})
}

func TestLinesThatFail(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such device")
	t.Run("the rows", func(t *testing.T) {
		t.Parallel()
		testFailure(t, cause, func(l *lines) { l.outErr = cause })
	})
	t.Run("the columns", func(t *testing.T) {
		t.Parallel()
		testFailure(t, cause, func(l *lines) { l.readErr = cause })
	})
}

func testFailure(t *testing.T, cause error, fail func(l *lines)) {
	t.Helper()
	r := newRig(t, reed64.Reference())
	expect := func(when string, want hardware.Frame) {
		t.Helper()
		if r.frame != want {
			t.Errorf("%s: %+v, want %+v", when, r.frame, want)
		}
	}
	failing := func() {
		t.Helper()
		did, err := r.scan()
		if !errors.Is(err, cause) {
			t.Fatalf("error %v, want the cause", err)
		}
		if len(did) > 3 {
			t.Fatalf("goes on after a failure: %q", did)
		}
	}
	fail(r.lines)
	failing()
	expect("before the first read", hardware.Frame{Lost: ^uint64(0)})
	r.outErr, r.readErr = nil, nil
	r.put([2]int{0, 0})
	r.mustScan()
	expect("the first read", hardware.Frame{North: 1})
	// From now on, 20 ms, it is known for 250 ms.
	fail(r.lines)
	r.put()
	for range 25 {
		failing()
		expect("frozen", hardware.Frame{North: 1, Stale: ^uint64(0)})
	}
	failing()
	expect("stale", hardware.Frame{North: 1, Lost: ^uint64(0)})
	if s := r.board.Stats(); s.Scans != 1 || s.Failed != 27 || !errors.Is(s.Err, cause) || s.LastGood != 20*time.Millisecond {
		t.Errorf("stats %+v", s)
	}
	r.outErr, r.readErr = nil, nil
	did, err := r.scan()
	if err != nil || did[0] != "rows ff of ff" {
		t.Errorf("healed: the scan begins with %q, error %v", did[0], err)
	}
	expect("healed", hardware.Frame{})
}

// A row that cannot be read leaves the others alone: only its cells are lost,
// and that is no error.
func TestOneRowFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	r.put([2]int{1, 0}, [2]int{5, 7})
	r.mustScan()
	r.readErr, r.failRow = errors.New("noise"), 5
	for range 100 {
		// Each scan ends at the row, the next one begins behind it.
		r.mustScan()
	}
	if want := (hardware.Frame{North: 1<<8 | 1<<47, Lost: 0xFF << 40}); r.frame != want {
		t.Errorf("%+v, want %+v", r.frame, want)
	}
	r.put([2]int{1, 1})
	r.mustScan()
	r.mustScan()
	if want := (hardware.Frame{North: 1<<9 | 1<<47, Lost: 0xFF << 40}); r.frame != want {
		t.Errorf("%+v, want %+v", r.frame, want)
	}
}

func TestScanAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f := hardware.Frame{North: 1}
	if err := r.board.Scan(ctx, 0, &f); !errors.Is(err, context.Canceled) || f != (hardware.Frame{Lost: ^uint64(0)}) {
		t.Errorf("%v, %+v", err, f)
	}
	if len(r.did) != 0 {
		t.Errorf("lines were used: %q", r.did)
	}
}

// A column that is low with all rows high says nothing; the eight cells on it
// are refused until the short is gone.
func TestColumnShortedToGround(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	r.put([2]int{3, 3})
	r.mustScan()
	r.down = 1 << 2 // c1 to c8
	file := uint64(0x0404040404040404)
	for range 64 {
		r.mustScan()
	}
	if want := (hardware.Frame{North: file | 1<<27, South: file}); r.frame != want {
		t.Errorf("%+v, want %+v", r.frame, want)
	}
	if s := r.board.Stats(); s.Held != file || s.Refused != file {
		t.Errorf("stats %+v", s)
	}
	r.down = 0
	for range 64 {
		r.mustScan()
	}
	if want := (hardware.Frame{North: 1 << 27}); r.frame != want {
		t.Errorf("mended: %+v, want %+v", r.frame, want)
	}
}

// A ghost may be read before its cause, when a contact closes between its own row
// and that of the ghost.
func TestGhostOneScanBeforeItsCause(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	b2, b7, g2, g7 := [2]int{1, 1}, [2]int{6, 1}, [2]int{1, 6}, [2]int{6, 6}
	r.put(b2, b7)
	r.mustScan()
	r.mustScan()
	r.put(b2, b7, g7)
	r.mustScan()
	r.put(b2, b7, g2, g7)
	for range 5 {
		r.mustScan()
		if r.frame.South>>54&1 == 0 {
			t.Fatalf("g7 is believed: %+v", r.frame)
		}
	}
}

// What has changed while nothing could be read did not happen in one moment.
func TestNoCoincidenceAcrossAFailure(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	r.put([2]int{3, 3}, [2]int{3, 4})
	r.mustScan()
	r.readErr = errors.New("noise")
	if _, err := r.scan(); err == nil {
		t.Fatal("no error")
	}
	r.readErr = nil
	r.put([2]int{3, 3}, [2]int{3, 4}, [2]int{4, 3}, [2]int{4, 4})
	for range 3 {
		r.mustScan()
		if want := (hardware.Frame{North: 1<<27 | 1<<28 | 1<<35 | 1<<36}); r.frame != want {
			t.Fatalf("%+v, want %+v", r.frame, want)
		}
	}
}

// A scan that breaks off may have seen a refused disc go.
func TestRefusedAndGoneInABrokenScan(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	d4, e4, d5, e5 := [2]int{3, 3}, [2]int{3, 4}, [2]int{4, 3}, [2]int{4, 4}
	r.put(d4, e4)
	r.mustScan()
	r.mustScan()
	r.put(d4, e4, d5, e5)
	r.mustScan()
	if r.frame.South != 1<<35|1<<36 {
		t.Fatalf("%+v, want d5 and e5 refused", r.frame)
	}
	r.put(d4, e4, e5)
	r.readErr, r.failRow = errors.New("noise"), 6
	r.mustScan()
	if want := (hardware.Frame{North: 1<<27 | 1<<28 | 1<<36, South: 1 << 36, Stale: 0xFFFF << 48}); r.frame != want {
		t.Errorf("%+v, want %+v", r.frame, want)
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	l := &plain{}
	board, err := reed64.New(l, l, reed64.Config{Cells: reed64.Reference().Cells, Wait: func(time.Duration) {}})
	if err != nil {
		t.Fatal(err)
	}
	var f hardware.Frame
	var now time.Duration
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		now += 10 * time.Millisecond
		l.n++
		if err := board.Scan(ctx, now, &f); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("a scan allocates %v times", n)
	}
}

func BenchmarkScan(b *testing.B) {
	l := &plain{}
	board, err := reed64.New(l, l, reed64.Config{Cells: reed64.Reference().Cells, Wait: func(time.Duration) {}})
	if err != nil {
		b.Fatal(err)
	}
	var f hardware.Frame
	var now time.Duration
	for b.Loop() {
		now += 10 * time.Millisecond
		l.n++
		if err := board.Scan(b.Context(), now, &f); err != nil {
			b.Fatal(err)
		}
	}
}

// plain are lines that show something else in every scan, without a protocol.
type plain struct{ n uint64 }

func (l *plain) Out(uint64, uint64) error { return nil }

func (l *plain) Read(uint64) (uint64, error) { return 0xFF &^ (l.n / 3 % 256), nil }
