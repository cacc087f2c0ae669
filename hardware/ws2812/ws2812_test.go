package ws2812

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/conn/v3/spi/spitest"
	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/pixel"
)

// frame returns what a frame looks like on the wire: the lights' bits (WS2812B
// sheet, "Composition of 24bit data": G7..G0 R7..R0 B7..B0), each drawn as four
// SPI bits, with three bytes of silence before and after.
func frame(colors map[int]hardware.RGB) []byte {
	var levels strings.Builder
	levels.WriteString(strings.Repeat("0", 24))
	for led := range 64 {
		c := colors[led]
		for _, v := range []uint8{c.G, c.R, c.B} {
			for bit := 7; bit >= 0; bit-- {
				levels.WriteString(map[uint8]string{0: "1000", 1: "1110"}[v>>bit&1])
			}
		}
	}
	levels.WriteString(strings.Repeat("0", 24))
	s := levels.String()
	out := make([]byte, len(s)/8)
	for i, l := range s {
		out[i/8] = out[i/8]<<1 | byte(l-'0')
	}
	return out
}

func open(t rapid.TB, c Config) (*Strip, *bytes.Buffer) {
	t.Helper()
	var wire bytes.Buffer
	s, err := New(spitest.NewRecordRaw(&wire), c)
	if err != nil {
		t.Fatal(err)
	}
	return s, &wire
}

func TestFrameOnTheWire(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: pixel.RowByRow(), Brightness: 255})
	px := [Cells]hardware.RGB{0: {R: 0x56, G: 0xB4, B: 0xE9}, 63: {R: 1}} // FLIP, and the last light.
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if wire.Len() != 774 {
		t.Errorf("a frame has %d bytes, want 774", wire.Len())
	}
	// B4 = 10110100, 56 = 01010110, E9 = 11101001; 1 is E, 0 is 8.
	head := []byte{
		0, 0, 0,
		0xE8, 0xEE, 0x8E, 0x88,
		0x8E, 0x8E, 0x8E, 0xE8,
		0xEE, 0xE8, 0xE8, 0x8E,
		0x88, 0x88,
	}
	if !bytes.HasPrefix(wire.Bytes(), head) {
		t.Errorf("sent % X, want % X", wire.Bytes()[:len(head)], head)
	}
	if want := frame(map[int]hardware.RGB{0: px[0], 63: px[63]}); !bytes.Equal(wire.Bytes(), want) {
		t.Errorf("sent\n% X\nwant\n% X", wire.Bytes(), want)
	}
}

// Any colors, in any order of the strip, with any brightness, go out as the
// bits of the sheet.
func TestAnyFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		order := pixel.RowByRow()
		perm := rapid.Permutation(order[:]).Draw(rt, "order")
		c := Config{LEDs: [Cells]int(perm), Brightness: 255, MaxMilliamps: 4000}
		s, wire := open(rt, c)
		channels := rapid.SliceOfN(rapid.Byte(), 3*Cells, 3*Cells).Draw(rt, "channels")
		var px [Cells]hardware.RGB
		want := map[int]hardware.RGB{}
		for i := range px {
			px[i] = hardware.RGB{R: channels[3*i], G: channels[3*i+1], B: channels[3*i+2]}
			want[perm[i]] = px[i]
		}
		if err := s.Show(&px); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(wire.Bytes(), frame(want)) {
			rt.Fatal("the frame on the wire is another")
		}
	})
}

func TestBrightnessAndCap(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: pixel.RowByRow(), MaxMilliamps: 20})
	s.SetBrightness(51) // A fifth.
	px := [Cells]hardware.RGB{{R: 255, G: 100, B: 1}}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if want := frame(map[int]hardware.RGB{0: {R: 51, G: 20, B: 1}}); !bytes.Equal(wire.Bytes(), want) {
		t.Error("a fifth of the brightness did not arrive")
	}
	// 20 mA are one channel at 255; two of them share it.
	wire.Reset()
	s.SetBrightness(255)
	px = [Cells]hardware.RGB{{R: 255}, {B: 255}}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if want := frame(map[int]hardware.RGB{0: {R: 127}, 1: {B: 127}}); !bytes.Equal(wire.Bytes(), want) {
		t.Error("40 mA were not scaled to 20 mA")
	}
}

func TestDark(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: pixel.RowByRow(), Brightness: 255})
	px := [Cells]hardware.RGB{5: {R: 9}}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	wire.Reset()
	if err := s.Dark(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(wire.Bytes(), frame(nil)) {
		t.Error("some light is still on")
	}
	wire.Reset()
	if err := s.Show(&px); err != nil || !bytes.Equal(wire.Bytes(), frame(map[int]hardware.RGB{5: {R: 9}})) {
		t.Errorf("after Dark a frame does not show, %v", err)
	}
}

var errPort = errors.New("port trouble")

// port is a SPI port that fails on request and remembers how it was connected.
type port struct {
	spitest.RecordRaw
	speed     physic.Frequency
	bits      int
	connected bool
}

func (p *port) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	if p.connected {
		return nil, errPort
	}
	p.connected, p.speed, p.bits = true, f, bits
	return p.RecordRaw.Connect(f, mode, bits)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errPort }

func TestErrorsOfThePortComeBack(t *testing.T) {
	t.Parallel()
	p := &port{}
	p.W = brokenWriter{}
	s, err := New(p, Config{LEDs: pixel.RowByRow(), Brightness: 255})
	if err != nil {
		t.Fatal(err)
	}
	if p.speed != 2500*physic.KiloHertz || p.bits != 8 {
		t.Errorf("connected at %s with %d bits, want 2.5MHz and 8", p.speed, p.bits)
	}
	var px [Cells]hardware.RGB
	if err := s.Show(&px); !errors.Is(err, errPort) {
		t.Errorf("Show: %v", err)
	}
	if err := s.Dark(); !errors.Is(err, errPort) {
		t.Errorf("Dark: %v", err)
	}
	if _, err := New(p, Config{LEDs: pixel.RowByRow()}); !errors.Is(err, errPort) {
		t.Errorf("New on a port that is taken: %v", err)
	}
	if _, err := New(&port{}, Config{}); err == nil || !strings.Contains(err.Error(), "a1") {
		t.Errorf("64 cells on one light: %v", err)
	}
}

func TestShowAllocatesNothing(t *testing.T) {
	s, err := New(spitest.NewRecordRaw(io.Discard), Config{LEDs: pixel.Serpentine(), Brightness: 128, MaxMilliamps: 100})
	if err != nil {
		t.Fatal(err)
	}
	px := [Cells]hardware.RGB{{R: 255}, {G: 200}, {B: 7}}
	if n := testing.AllocsPerRun(200, func() {
		if err := s.Show(&px); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if n := testing.AllocsPerRun(200, func() {
		if err := s.Dark(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations to go dark", n)
	}
}

func BenchmarkShow(b *testing.B) {
	s, err := New(spitest.NewRecordRaw(io.Discard), Config{LEDs: pixel.Serpentine(), Brightness: 128})
	if err != nil {
		b.Fatal(err)
	}
	var px [Cells]hardware.RGB
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Show(&px); err != nil {
			b.Fatal(err)
		}
	}
}
