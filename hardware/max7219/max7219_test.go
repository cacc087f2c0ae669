package max7219

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"pgregory.net/rapid"
)

var errPort = errors.New("port trouble")

// wire is a port that remembers each transfer: chip select goes up after it.
type wire struct {
	sent      []string
	speed     physic.Frequency
	mode      spi.Mode
	connected bool
	fail      int // transfers until one fails; negative for none
}

func (w *wire) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	if w.connected || bits != 8 {
		return nil, errPort
	}
	w.connected, w.speed, w.mode = true, f, mode
	return w, nil
}

func (w *wire) Tx(b, _ []byte) error {
	if w.fail == 0 {
		return errPort
	}
	w.fail--
	w.sent = append(w.sent, fmt.Sprintf("%X", b))
	return nil
}

func (*wire) TxPackets([]spi.Packet) error { return errPort }
func (*wire) Duplex() conn.Duplex          { return conn.Full }
func (*wire) String() string               { return "SPI0.0" }

func (w *wire) take() []string {
	s := w.sent
	w.sent = nil
	return s
}

func upright() [Cells]int {
	var order [Cells]int
	for i := range order {
		order[i] = i
	}
	return order
}

func open(t rapid.TB, c Config) (*Matrix, *wire) {
	t.Helper()
	w := &wire{fail: -1}
	m, err := New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return m, w
}

// frame is what a frame looks like on the wire (Maxim 19-4452, tables 2 to 10).
func frame(intensity string, rows ...string) []string {
	s := []string{"0F00", "0900", "0B07", "0A0" + intensity}
	for i, r := range rows {
		s = append(s, fmt.Sprintf("%02d%s", i+1, r))
	}
	return append(s, "0C01")
}

func TestWords(t *testing.T) {
	t.Parallel()
	m, w := open(t, Config{Dots: Module(upright()), Brightness: 255})
	if w.take() != nil || w.speed != physic.MegaHertz || w.mode != spi.Mode0 {
		t.Errorf("New sent something, or connected at %s in %s", w.speed, w.mode)
	}
	// a1 is DP of digit 0, h1 its G; c2 is B (bit 5) of digit 1; h8 G of digit 7.
	want := frame("F", "81", "20", "00", "00", "00", "00", "00", "01")
	for range 2 { // no word is left out the second time
		if err := m.Show(1 | 1<<7 | 1<<10 | 1<<63); err != nil {
			t.Fatal(err)
		}
		if got := w.take(); !slices.Equal(got, want) {
			t.Errorf("sent %v, want %v", got, want)
		}
	}
	for b, nibble := range map[uint8]string{1: "0", 15: "0", 16: "1", 128: "8", 255: "F"} {
		m.SetBrightness(b)
		if err := m.Show(0); err != nil {
			t.Fatal(err)
		}
		if got := w.take(); !slices.Equal(got, frame(nibble, "00", "00", "00", "00", "00", "00", "00", "00")) {
			t.Errorf("brightness %d: %v", b, got)
		}
	}
	m.SetBrightness(0)
	if err := m.Show(^uint64(0)); err != nil {
		t.Fatal(err)
	}
	if got := w.take(); !slices.Equal(got, frame("0", "00", "00", "00", "00", "00", "00", "00", "00")) {
		t.Errorf("brightness 0: %v", got)
	}
}

func TestDark(t *testing.T) {
	t.Parallel()
	m, w := open(t, Config{Dots: Module(upright()), Brightness: 255})
	if err := m.Show(5); err != nil {
		t.Fatal(err)
	}
	w.take()
	if err := m.Dark(); err != nil {
		t.Fatal(err)
	}
	want := []string{"0F00", "0100", "0200", "0300", "0400", "0500", "0600", "0700", "0800", "0C00"}
	if got := w.take(); !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

// Whatever the wiring, each light lands on its segment and nowhere else.
func TestWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var all []Dot
		for digit := range uint8(8) {
			for segment := range uint8(8) {
				all = append(all, Dot{digit, segment})
			}
		}
		dots := rapid.Permutation(all).Draw(rt, "dots")
		m, w := open(rt, Config{Dots: [Cells]Dot(dots), Brightness: 255})
		on := rapid.Uint64().Draw(rt, "on")
		if err := m.Show(on); err != nil {
			rt.Fatal(err)
		}
		var rows [8]int
		for i, d := range dots {
			rows[d.Digit] += int(on>>i&1) << d.Segment
		}
		var text []string
		for _, r := range rows {
			text = append(text, fmt.Sprintf("%02X", r))
		}
		if got, want := w.take(), frame("F", text...); !slices.Equal(got, want) {
			rt.Fatalf("sent %v, want %v", got, want)
		}
	})
}

// A failure ends the frame and names port, register and cause; the next Show
// sends everything.
func TestErrors(t *testing.T) {
	t.Parallel()
	for n, reg := range []byte{0x0F, 0x09, 0x0B, 0x0A, 1, 2, 3, 4, 5, 6, 7, 8, 0x0C} {
		m, w := open(t, Config{Dots: Module(upright()), Brightness: 255})
		w.fail = n
		err := m.Show(1)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Register != reg || !errors.Is(err, errPort) || len(w.take()) != n {
			t.Fatalf("word %d: %v", n, err)
		}
		if want := fmt.Sprintf("max7219 on SPI0.0: write register %02Xh: port trouble", reg); err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		w.fail = -1
		if err := m.Show(1); err != nil || len(w.take()) != 13 {
			t.Errorf("after an error: %v", err)
		}
	}
	for n := range 10 {
		m, w := open(t, Config{Dots: Module(upright()), Brightness: 255})
		w.fail = n
		if err := m.Dark(); !errors.Is(err, errPort) {
			t.Errorf("dark, word %d: %v", n, err)
		}
	}
	taken := &wire{connected: true}
	if _, err := New(taken, Config{Dots: Module(upright())}); !errors.Is(err, errPort) {
		t.Errorf("a port that is taken: %v", err)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spoil func(c *Config)
		want  []string
	}{
		{func(c *Config) { c.Dots[63] = Dot{8, 0} }, []string{"h8", "digit 8"}},
		{func(c *Config) { c.Dots[9] = Dot{0, 8} }, []string{"b2", "bit 8"}},
		{func(c *Config) { c.Dots[9] = c.Dots[7] }, []string{"h1", "b2", "digit 0 bit 0"}},
	} {
		c := Config{Dots: Module(upright())}
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

// quiet is a connection that takes everything.
type quiet struct{ wire }

func (q *quiet) Connect(physic.Frequency, spi.Mode, int) (spi.Conn, error) { return q, nil }
func (*quiet) Tx(_, _ []byte) error                                        { return nil }

func TestShowAllocatesNothing(t *testing.T) {
	m, err := New(&quiet{}, Config{Dots: Module(upright()), Brightness: 255})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(200, func() {
		if err := m.Show(0x55); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
