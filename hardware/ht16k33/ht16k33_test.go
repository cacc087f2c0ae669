package ht16k33

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"
)

// The transfers below are written down from the datasheet's "Command Summary"
// and its tables of the display RAM, not from the driver.

var (
	errNoAck = errors.New("remote I/O error")
	errHeld  = errors.New("connection timed out")
)

// wire remembers what is sent, as hexadecimal bytes, and answers reads with the
// RAM that was written last.
type wire struct {
	sent []string
	ram  [16]byte
	fail func(n int) error // of transfer n since reset
	n    int
}

func (w *wire) Tx(addr uint16, b, r []byte) error {
	if w.fail != nil {
		if err := w.fail(w.n); err != nil {
			w.n++
			return err
		}
	}
	w.n++
	s := fmt.Sprintf("%02X: %X", addr, b)
	if len(r) > 0 {
		s += fmt.Sprintf(" read %d", len(r))
		copy(r, w.ram[:])
	}
	if len(b) == 17 && b[0] == 0 {
		copy(w.ram[:], b[1:])
	}
	w.sent = append(w.sent, s)
	return nil
}

func (*wire) String() string                  { return "wire" }
func (*wire) SetSpeed(physic.Frequency) error { return nil }

// take returns what was sent since the last time.
func (w *wire) take() []string {
	s := w.sent
	w.sent, w.n = nil, 0
	return s
}

// ram is a RAM write with some bytes other than 0.
func ram(bytesAt map[int]byte) string {
	var b [16]byte
	for at, v := range bytesAt {
		b[at] = v
	}
	return fmt.Sprintf("70: 00%X", b)
}

func upright() [Cells]int {
	var order [Cells]int
	for i := range order {
		order[i] = i
	}
	return order
}

func open(t rapid.TB, brightness uint8) (*Matrix, *wire, *time.Duration) {
	t.Helper()
	w, now := &wire{}, time.Hour
	c := Config{Brightness: brightness, Now: func() time.Duration { return now }}
	c.Red, c.Green = Module(upright())
	m, err := New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return m, w, &now
}

func show(t rapid.TB, m *Matrix, red, green uint64) {
	t.Helper()
	if err := m.Show(red, green); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, what string, w *wire, want ...string) {
	t.Helper()
	if got := w.take(); !slices.Equal(got, want) {
		t.Errorf("%s: sent\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The order of a start: oscillator, ROW15, RAM, brightness, and only then
// light; afterwards a frame is one burst; what cannot be read is sent again.
func TestTransfers(t *testing.T) {
	t.Parallel()
	m, w, now := open(t, 255)
	if len(w.take()) != 0 {
		t.Error("New sent something")
	}
	// a1 red: COM0 ROW8. h8 green: COM7 ROW7. b2 yellow: COM1 ROW1 and ROW9.
	show(t, m, 1|1<<9, 1<<63|1<<9)
	frame := ram(map[int]byte{1: 0x01, 14: 0x80, 2: 0x02, 3: 0x02})
	expect(t, "start", w, "70: 21", "70: A0", frame, "70: EF", "70: 81")
	*now += 40 * time.Millisecond
	show(t, m, 0, 0)
	expect(t, "frame", w, ram(nil))
	show(t, m, 0, 0)
	expect(t, "the same frame: no write is left out", w, ram(nil))
	*now += 960 * time.Millisecond
	show(t, m, 1<<7, 0)
	expect(t, "after 1 s", w, "70: 00 read 16", ram(map[int]byte{1: 0x80}))
	*now += time.Second
	show(t, m, 1<<7, 0)
	expect(t, "after 2 s", w, "70: 00 read 16", ram(map[int]byte{1: 0x80}), "70: 21", "70: A0", "70: EF", "70: 81")
	if got, want := m.Stats(), (Stats{Starts: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := m.Dark(); err != nil {
		t.Fatal(err)
	}
	expect(t, "dark", w, ram(nil), "70: 80", "70: 20")
	show(t, m, 0, 1)
	expect(t, "after dark", w, "70: 21", "70: A0", ram(map[int]byte{0: 0x01}), "70: EF", "70: 81")
}

// A RAM that is not the last frame: the chip was reset and is started again.
func TestLostRAM(t *testing.T) {
	t.Parallel()
	m, w, now := open(t, 1)
	show(t, m, 1, 0)
	w.take()
	w.ram[5] = 0x10
	*now += time.Second
	show(t, m, 2, 0)
	expect(t, "lost", w, "70: 00 read 16", "70: 21", "70: A0", ram(map[int]byte{1: 0x02}), "70: E0", "70: 81")
	if got, want := m.Stats(), (Stats{Starts: 2, Resets: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestBrightness(t *testing.T) {
	t.Parallel()
	for b, want := range map[uint8]string{1: "70: E0", 15: "70: E0", 16: "70: E1", 128: "70: E8", 255: "70: EF"} {
		m, w, _ := open(t, b)
		show(t, m, 0, 0)
		if got := w.take(); got[3] != want {
			t.Errorf("brightness %d: %s, want %s", b, got[3], want)
		}
	}
	m, w, _ := open(t, 255)
	show(t, m, 0, 0)
	m.SetBrightness(255)
	w.take()
	show(t, m, 1, 0)
	expect(t, "not changed", w, ram(map[int]byte{1: 0x01}))
	m.SetBrightness(64)
	show(t, m, 1, 0)
	expect(t, "changed", w, ram(map[int]byte{1: 0x01}), "70: 21", "70: A0", "70: E4", "70: 81")
	m.SetBrightness(0)
	show(t, m, 1, 1)
	expect(t, "nothing", w, ram(nil), "70: 21", "70: A0", "70: E0", "70: 81")
}

// After an error at any point the next Show starts over, and the error names
// chip, command and cause.
func TestErrors(t *testing.T) {
	t.Parallel()
	for n, command := range []byte{0x21, 0xA0, 0x00, 0xEF, 0x81} {
		m, w, _ := open(t, 255)
		w.fail = func(k int) error {
			if k == n {
				return errNoAck
			}
			return nil
		}
		err := m.Show(1, 0)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Addr != 0x70 || e.Command != command || e.Op != "write" || !errors.Is(err, errNoAck) {
			t.Fatalf("transfer %d: %v", n, err)
		}
		if want := fmt.Sprintf("ht16k33 at 0x70: write command %02Xh: remote I/O error", command); err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if len(w.take()) != n {
			t.Error("it went on after an error")
		}
		w.fail = nil
		show(t, m, 1, 0)
		expect(t, "after an error", w, "70: 21", "70: A0", ram(map[int]byte{1: 1}), "70: EF", "70: 81")
	}
	// The frame, the check and the settings of a chip that runs; dark.
	for _, c := range []struct {
		after time.Duration
		n     int
		op    string
	}{{0, 0, "write"}, {time.Second, 0, "read"}, {time.Second, 1, "write"}, {2 * time.Second, 4, "write"}} {
		m, w, now := open(t, 255)
		show(t, m, 1, 0)
		w.take()
		*now += c.after
		w.fail = func(k int) error {
			if k == c.n {
				return errHeld
			}
			return nil
		}
		if e, ok := errors.AsType[*Error](m.Show(2, 0)); !ok || e.Op != c.op || !errors.Is(e, errHeld) {
			t.Errorf("%v later, transfer %d: %v", c.after, c.n, e)
		}
		w.take()
		w.fail = nil
		show(t, m, 1, 0)
		expect(t, "after an error", w, "70: 21", "70: A0", ram(map[int]byte{1: 1}), "70: EF", "70: 81")
		w.fail = func(int) error { return errNoAck }
		if err := m.Dark(); !errors.Is(err, errNoAck) {
			t.Errorf("dark: %v", err)
		}
	}
}

// Whatever the wiring, each light lands on its crossing and nowhere else.
func TestWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := make([]Dot, 128)
		for i := range all {
			all[i] = Dot{Com: uint8(i / 16), Row: uint8(i % 16)}
		}
		dots := rapid.Permutation(all).Draw(rt, "dots")
		c := Config{Addr: 0x75, Brightness: 255, Red: [Cells]Dot(dots[:64]), Green: [Cells]Dot(dots[64:])}
		w := &wire{}
		m, err := New(w, c)
		if err != nil {
			rt.Fatal(err)
		}
		red, green := rapid.Uint64().Draw(rt, "red"), rapid.Uint64().Draw(rt, "green")
		show(rt, m, red, green)
		// "byte 2n = COMn ROW0-7, 2n+1 = ROW8-15"
		var want [16]byte
		for i, d := range dots {
			on := red
			if i >= 64 {
				on = green
			}
			if on>>(i%64)&1 == 1 {
				at := 2 * d.Com
				if d.Row >= 8 {
					at++
				}
				want[at] |= 1 << (d.Row & 7)
			}
		}
		if !bytes.Equal(w.ram[:], want[:]) || !strings.HasPrefix(w.take()[0], "75: ") {
			rt.Fatalf("RAM % X, want % X", w.ram, want)
		}
	})
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spoil func(c *Config)
		want  []string
	}{
		{func(c *Config) { c.Addr = 0x6F }, []string{"0x6F", "0x70 to 0x77"}},
		{func(c *Config) { c.Addr = 0x78 }, []string{"0x78"}},
		{func(c *Config) { c.Red[63] = Dot{8, 0} }, []string{"red of h8", "COM8"}},
		{func(c *Config) { c.Green[9] = Dot{0, 16} }, []string{"green of b2", "ROW16"}},
		{func(c *Config) { c.Green[9] = c.Red[7] }, []string{"red of h1", "green of b2", "COM0 ROW15"}},
	} {
		c := Config{}
		c.Red, c.Green = Module(upright())
		tc.spoil(&c)
		_, err := New(&wire{}, c)
		if err == nil {
			t.Errorf("accepted, want an error with %q", tc.want)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not mention %q", err, want)
			}
		}
	}
}

// quiet is a bus that takes everything.
type quiet struct{ wire }

func (*quiet) Tx(uint16, []byte, []byte) error { return nil }

func TestShowAllocatesNothing(t *testing.T) {
	now := time.Duration(0)
	c := Config{Brightness: 255, Now: func() time.Duration { return now }}
	c.Red, c.Green = Module(upright())
	m, err := New(&quiet{}, c)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(200, func() {
		now += 100 * time.Millisecond
		if err := m.Show(0x55, 0xAA); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
