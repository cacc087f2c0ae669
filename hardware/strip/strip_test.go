package strip

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
)

// frame returns what a frame looks like on the wire after the APA102 product
// sheet: 32 zero bits, per light 111 and 5 brightness bits, blue, green, red,
// then at least one clock for every two lights.
func frame(colors map[int]hardware.RGB) []byte {
	b := make([]byte, 4, 4+4*64+5)
	for led := range 64 {
		c := colors[led]
		b = append(b, 0xFF, c.B, c.G, c.R)
	}
	return append(b, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)
}

func open(t *testing.T, c Config) (*Strip, *bytes.Buffer) {
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
	s, wire := open(t, Config{LEDs: RowByRow(), Brightness: 255})
	var px [Cells]hardware.RGB
	px[0] = hardware.RGB{R: 0x56, G: 0xB4, B: 0xE9} // FLIP.
	px[63] = hardware.RGB{R: 1}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if want := frame(map[int]hardware.RGB{0: px[0], 63: px[63]}); !bytes.Equal(wire.Bytes(), want) {
		t.Errorf("sent\n% X\nwant\n% X", wire.Bytes(), want)
	}
	if wire.Len() != 265 {
		t.Errorf("a frame has %d bytes, want 265", wire.Len())
	}
}

// Colors must arrive as given: no gamma, no white balance, at any level.
func TestEveryLevelPassesThrough(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: RowByRow(), Brightness: 255})
	for level := range 256 {
		wire.Reset()
		var px [Cells]hardware.RGB
		px[7] = hardware.RGB{R: uint8(level), G: uint8(255 - level), B: uint8(level)}
		if err := s.Show(&px); err != nil {
			t.Fatal(err)
		}
		if want := frame(map[int]hardware.RGB{7: px[7]}); !bytes.Equal(wire.Bytes(), want) {
			t.Fatalf("level %d: light 7 got % X", level, wire.Bytes()[4+4*7:][:4])
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	order := Serpentine()
	// a1..h1, then back h2..a2, then a3...
	for cell, want := range map[int]int{0: 0, 7: 7, 15: 8, 8: 15, 16: 16, 63: 56, 56: 63} {
		if order[cell] != want {
			t.Errorf("serpentine: cell %d on light %d, want %d", cell, order[cell], want)
		}
	}
	s, wire := open(t, Config{LEDs: order, Brightness: 255})
	var px [Cells]hardware.RGB
	px[8] = hardware.RGB{G: 200}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if want := frame(map[int]hardware.RGB{15: px[8]}); !bytes.Equal(wire.Bytes(), want) {
		t.Error("a2 did not light the 16th light of the strip")
	}
}

func TestBrightness(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: RowByRow(), Brightness: 51}) // A fifth.
	px := [Cells]hardware.RGB{{R: 255, G: 100, B: 1}}
	for _, tc := range []struct {
		set  func()
		want hardware.RGB
	}{
		{func() {}, hardware.RGB{R: 51, G: 20, B: 1}},
		{func() { s.SetBrightness(0) }, hardware.RGB{}},
		{func() { s.SetBrightness(255) }, px[0]},
	} {
		tc.set()
		wire.Reset()
		if err := s.Show(&px); err != nil {
			t.Fatal(err)
		}
		if want := frame(map[int]hardware.RGB{0: tc.want}); !bytes.Equal(wire.Bytes(), want) {
			t.Errorf("light 0 got % X, want %v", wire.Bytes()[4:8], tc.want)
		}
	}
}

// milliamps is the current of a frame on the wire.
func milliamps(wire []byte) float64 {
	sum := 0
	for led := range 64 {
		for _, v := range wire[4+4*led+1:][:3] {
			sum += int(v)
		}
	}
	return float64(sum) / 255 * 20
}

func TestCurrentIsCapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4000).Draw(t, "mA")
		bright := rapid.Byte().Draw(t, "brightness")
		var px [Cells]hardware.RGB
		channels := rapid.SliceOfN(rapid.Byte(), 3*Cells, 3*Cells).Draw(t, "channels")
		for i := range px {
			px[i] = hardware.RGB{R: channels[3*i], G: channels[3*i+1], B: channels[3*i+2]}
		}
		var capped, free bytes.Buffer
		for wire, mA := range map[*bytes.Buffer]int{&capped: limit, &free: 1 << 30} {
			s, err := New(spitest.NewRecordRaw(wire), Config{LEDs: RowByRow(), Brightness: bright, MaxMilliamps: mA})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Show(&px); err != nil {
				t.Fatal(err)
			}
		}
		got, wanted := milliamps(capped.Bytes()), milliamps(free.Bytes())
		if got > float64(limit) {
			t.Fatalf("%.1f mA with a cap of %d", got, limit)
		}
		if wanted <= float64(limit) && !bytes.Equal(capped.Bytes(), free.Bytes()) {
			t.Fatalf("a frame of %.1f mA was changed by a cap of %d", wanted, limit)
		}
		// Rounding down costs at most one step per channel, 15.1 mA in all.
		if wanted > float64(limit) && got < float64(limit)-15.2 {
			t.Fatalf("only %.1f of %d mA used", got, limit)
		}
	})
}

func TestFullWhiteStaysWithinTheDefaultCap(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: RowByRow(), Brightness: 255})
	var px [Cells]hardware.RGB
	for i := range px {
		px[i] = hardware.RGB{R: 255, G: 255, B: 255}
	}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if mA := milliamps(wire.Bytes()); mA > 1500 || mA < 1480 {
		t.Errorf("full white draws %.0f mA, want just below 1500", mA)
	}
}

func TestDark(t *testing.T) {
	t.Parallel()
	s, wire := open(t, Config{LEDs: RowByRow(), Brightness: 255})
	px := [Cells]hardware.RGB{5: {R: 9}}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	wire.Reset()
	if err := s.Dark(); err != nil {
		t.Fatal(err)
	}
	if milliamps(wire.Bytes()) != 0 {
		t.Error("some light is still on")
	}
	wire.Reset()
	if err := s.Show(&px); err != nil || wire.Bytes()[4+4*5+3] != 9 {
		t.Errorf("after Dark a frame shows % X, %v", wire.Bytes()[4+4*5:][:4], err)
	}
}

func TestMistakesComeBack(t *testing.T) {
	t.Parallel()
	_, err := New(spitest.NewRecordRaw(io.Discard), Config{})
	if err == nil || !strings.Contains(err.Error(), "a1") {
		t.Errorf("64 cells on one light: %v", err)
	}
}

var errPort = errors.New("port trouble")

// port is a SPI port that fails on request and remembers its speed.
type port struct {
	spitest.RecordRaw
	speed     physic.Frequency
	connected bool
}

func (p *port) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	if p.connected {
		return nil, errPort
	}
	p.connected = true
	p.speed = f
	return p.RecordRaw.Connect(f, mode, bits)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errPort }

func TestErrorsOfThePortComeBack(t *testing.T) {
	t.Parallel()
	p := &port{}
	p.W = brokenWriter{}
	s, err := New(p, Config{LEDs: RowByRow(), Brightness: 255})
	if err != nil {
		t.Fatal(err)
	}
	if p.speed != 4*physic.MegaHertz {
		t.Errorf("connected at %s, want 4MHz", p.speed)
	}
	var px [Cells]hardware.RGB
	if err := s.Show(&px); !errors.Is(err, errPort) {
		t.Errorf("Show: %v", err)
	}
	if err := s.Dark(); !errors.Is(err, errPort) {
		t.Errorf("Dark: %v", err)
	}
	if _, err := New(p, Config{LEDs: RowByRow()}); !errors.Is(err, errPort) {
		t.Errorf("New on a port that is taken: %v", err)
	}
}

func TestShowAllocatesNothing(t *testing.T) {
	s, err := New(spitest.NewRecordRaw(io.Discard), Config{LEDs: Serpentine(), Brightness: 128, MaxMilliamps: 100})
	if err != nil {
		t.Fatal(err)
	}
	var px [Cells]hardware.RGB
	for i := range px {
		px[i] = hardware.RGB{R: uint8(i), G: 200, B: 7}
	}
	if n := testing.AllocsPerRun(200, func() {
		if err := s.Show(&px); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func BenchmarkShow(b *testing.B) {
	s, err := New(spitest.NewRecordRaw(io.Discard), Config{LEDs: Serpentine(), Brightness: 128})
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
