package emu_test

import (
	"bytes"
	"image"
	"image/color"
	"slices"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/nrzled"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// chain returns a chain of LEDs and its connection, at 2.5 MHz.
func chain(t testing.TB, n int, o emu.WSOptions) (*emu.WS2812, spi.Conn) {
	t.Helper()
	c := emu.NewWS2812(n, o)
	conn, err := c.Connect(2500*physic.KiloHertz, spi.Mode3, 8)
	if err != nil {
		t.Fatal(err)
	}
	return c, conn
}

// pulses writes down what goes over the wire for the bytes v: 1000 for a 0,
// 1110 for a 1, two to a byte.
func pulses(v ...byte) []byte {
	var out []byte
	for _, b := range v {
		for i := 7; i > 0; i -= 2 {
			two := byte(0x88)
			if b>>i&1 != 0 {
				two |= 0x60
			}
			if b>>(i-1)&1 != 0 {
				two |= 0x06
			}
			out = append(out, two)
		}
	}
	return out
}

// TestPulsesByHand sends bytes that were written down bit by bit: green A5h =
// 10100101.
func TestPulsesByHand(t *testing.T) {
	c, conn := chain(t, 1, emu.WSOptions{})
	send(t, conn,
		0xE8, 0xE8, 0x8E, 0x8E, // 10 10 01 01
		0x88, 0x88, 0x88, 0x8E, // 00 00 00 01
		0xEE, 0xEE, 0xEE, 0xEE) // 11 11 11 11
	if got := c.LEDs()[0]; got != (emu.RGB{G: 0xA5, R: 0x01, B: 0xFF}) {
		t.Errorf("shows %+v", got)
	}
	if c.WireTime() != 12*8*400*time.Nanosecond {
		t.Errorf("on the wire for %v", c.WireTime())
	}
	if c.Pulses() != 24 || c.Latches() != 1 || c.Transfers() != 1 || c.Bytes() != 12 {
		t.Errorf("%d pulses, %d latches, %d transfers, %d bytes", c.Pulses(), c.Latches(), c.Transfers(), c.Bytes())
	}
	c.PowerCycle()
	if got := c.LEDs()[0]; got != (emu.RGB{}) {
		t.Errorf("shows %+v after a power cycle", got)
	}
}

func TestMalformedPulses(t *testing.T) {
	red, green := emu.RGB{R: 9}, emu.RGB{G: 7}
	redF, greenF := pulses(0, 9, 0), pulses(7, 0, 0)
	low := func(us int) []byte { return make([]byte, us*10/32) } // 3.2 us a byte.
	for _, tc := range []struct {
		name   string
		o      emu.WSOptions
		stream [][]byte
		want   []emu.RGB
	}{
		{"too few: the rest keep their color", emu.WSOptions{}, [][]byte{redF}, []emu.RGB{red, {}}},
		{"too many fall out at the end", emu.WSOptions{}, [][]byte{redF, greenF, redF, redF}, []emu.RGB{red, green}},
		{"half an LED shows nothing", emu.WSOptions{}, [][]byte{redF, greenF[:8]}, []emu.RGB{red, {}}},
		{"a pause that is no latch does not matter", emu.WSOptions{}, [][]byte{redF, low(200), greenF}, []emu.RGB{red, green}},
		{"a latch starts anew", emu.WSOptions{}, [][]byte{redF, low(300), greenF}, []emu.RGB{green, {}}},
		{"an older chain latches after 50 us", emu.WSOptions{Latch: 50 * time.Microsecond}, [][]byte{redF, low(64), greenF}, []emu.RGB{green, {}}},
		{"zeros in front do not matter", emu.WSOptions{}, [][]byte{{0, 0, 0}, redF, greenF, {0, 0, 0}}, []emu.RGB{red, green}},
		{"a line that rests high gives a bit of its own", emu.WSOptions{IdleHigh: true}, [][]byte{{0, 0, 0}, pulses(0, 0, 0), pulses(0, 0, 0), low(300)}, []emu.RGB{{G: 0x80}, {}}},
		{"a line that stays high is one pulse", emu.WSOptions{}, [][]byte{bytes.Repeat([]byte{0xFF}, 12)}, []emu.RGB{{}, {}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, conn := chain(t, 2, tc.o)
			send(t, conn, slices.Concat(tc.stream...)...)
			if got := c.LEDs(); !slices.Equal(got, tc.want) {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

// TestUpdateInTwoTransfers: a pause of the program between them is a latch,
// unless it is very short.
func TestUpdateInTwoTransfers(t *testing.T) {
	for _, tc := range []struct {
		gap  time.Duration
		want []emu.RGB
	}{
		{0, []emu.RGB{{G: 2}, {}}},
		{-1, []emu.RGB{{G: 1}, {G: 2}}},
		{100 * time.Microsecond, []emu.RGB{{G: 1}, {G: 2}}},
	} {
		c, conn := chain(t, 2, emu.WSOptions{Gap: tc.gap})
		send(t, conn, pulses(1, 0, 0)...)
		send(t, conn, pulses(2, 0, 0)...)
		send(t, conn, make([]byte, 100)...)
		if got := c.LEDs(); !slices.Equal(got, tc.want) {
			t.Errorf("gap %v: %+v, want %+v", tc.gap, got, tc.want)
		}
	}
}

// TestClockOfThePi: a clock that has gone down with the core clock makes a 0
// (400 ns) a pulse of 640 ns.
func TestClockOfThePi(t *testing.T) {
	c, conn := chain(t, 1, emu.WSOptions{})
	for part, want := range map[float64]emu.RGB{1: {}, 0.625: {R: 255, G: 255, B: 255}, 1.2: {}} {
		c.Drift(part)
		send(t, conn, pulses(0, 0, 0)...)
		if got := c.LEDs()[0]; got != want {
			t.Errorf("clock at %v: dark is shown as %+v, want %+v", part, got, want)
		}
	}
	c.Drift(10) // 40 ns: the chip sees no pulse.
	before := c.Pulses()
	send(t, conn, pulses(0, 0, 0)...)
	if c.Pulses() != before {
		t.Error("spikes were taken for pulses")
	}
	mustPanic(t, "a clock that stands still", func() { c.Drift(0) })
}

// TestChainAgainstPeriph lets periph's own driver light the chain.
func TestChainAgainstPeriph(t *testing.T) {
	c := emu.NewWS2812(64, emu.WSOptions{})
	dev, err := nrzled.NewSPI(c, &nrzled.Opts{NumPixels: 64, Channels: 3, Freq: 2500 * physic.KiloHertz})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		img := image.NewNRGBA(image.Rect(0, 0, 64, 1))
		want := make([]emu.RGB, 64)
		for x := range want {
			want[x] = emu.RGB{R: rapid.Byte().Draw(rt, "r"), G: rapid.Byte().Draw(rt, "g"), B: rapid.Byte().Draw(rt, "b")}
			img.SetNRGBA(x, 0, color.NRGBA{R: want[x].R, G: want[x].G, B: want[x].B, A: 255})
		}
		before := c.Bytes()
		if err := dev.Draw(dev.Bounds(), img, image.Point{}); err != nil {
			rt.Fatal(err)
		}
		if got := c.LEDs(); !slices.Equal(got, want) {
			rt.Fatalf("%+v, want %+v", got, want)
		}
		if n := c.Bytes() - before; n != 774 {
			rt.Fatalf("%d bytes on the wire, want 774", n)
		}
	})
	if err := dev.Halt(); err != nil {
		t.Fatal(err)
	}
	if got := c.LEDs(); !slices.Equal(got, make([]emu.RGB, 64)) {
		t.Errorf("halted: %+v", got)
	}
}

func TestChainDoesNotAllocate(t *testing.T) {
	c, conn := chain(t, 64, emu.WSOptions{})
	w := pulses(make([]byte, 192)...)
	var leds [64]emu.RGB
	if n := testing.AllocsPerRun(20, func() {
		if err := conn.Tx(w, nil); err != nil {
			t.Fatal(err)
		}
		c.CopyLEDs(leds[:])
	}); n != 0 {
		t.Errorf("%v allocations per update", n)
	}
}

// FuzzWS2812 sends anything, in any transfers: nothing breaks, and no LED shows
// what was not sent (a chain that gets no 1 shows none).
func FuzzWS2812(f *testing.F) {
	f.Add([]byte{0, 0, 0}, pulses(1, 2, 3), false)
	f.Add(pulses(255, 255, 255), []byte{0xFF, 0x80, 0x01}, true)
	f.Fuzz(func(t *testing.T, a, b []byte, high bool) {
		c := emu.NewWS2812(3, emu.WSOptions{IdleHigh: high})
		conn, err := c.Connect(2500*physic.KiloHertz, spi.Mode0, 8)
		if err != nil {
			t.Fatal(err)
		}
		a, b = a[:min(len(a), 4096)], b[:min(len(b), 4096)]
		for _, w := range [][]byte{a, b, make([]byte, 100), pulses(1, 2, 3, 4, 5, 6, 7, 8, 9), make([]byte, 100)} {
			if err := conn.Tx(w, nil); err != nil {
				t.Fatal(err)
			}
		}
		// Whatever came before, a well-formed update after a latch is shown.
		want := []emu.RGB{{G: 1, R: 2, B: 3}, {G: 4, R: 5, B: 6}, {G: 7, R: 8, B: 9}}
		if got := c.LEDs(); !high && !slices.Equal(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
