package emu_test

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/apa102"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

func connect(t testing.TB, a *emu.APA102) spi.Conn {
	t.Helper()
	c, err := a.Connect(4*physic.MegaHertz, spi.Mode3, 8)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func send(t testing.TB, c spi.Conn, b ...byte) {
	t.Helper()
	if err := c.Tx(b, nil); err != nil {
		t.Fatal(err)
	}
}

// TestFrame sends the bytes of the sheet's figure: start frame, E0h|brightness
// blue green red for each LED, end frame.
func TestFrame(t *testing.T) {
	a := emu.NewAPA102(2)
	send(t, connect(t, a),
		0, 0, 0, 0,
		0xE0|31, 1, 2, 3,
		0xE0|5, 0x10, 0x20, 0x30,
		0xFF, 0xFF, 0xFF, 0xFF)
	want := []emu.LED{{Bright: 31, B: 1, G: 2, R: 3}, {Bright: 5, B: 0x10, G: 0x20, R: 0x30}}
	if got := a.LEDs(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if a.Frames() != 1 || a.Bytes() != 16 {
		t.Errorf("%d frames, %d bytes, want 1 and 16", a.Frames(), a.Bytes())
	}
	if got, want := a.WireTime(), 32*time.Microsecond; got != want { // 128 bits at 4 MHz
		t.Errorf("on the wire for %s, want %s", got, want)
	}
	if a.Len() != 2 {
		t.Errorf("%d LEDs", a.Len())
	}
}

// TestMalformed is what measurements of real chains show for streams that are
// not quite right.
func TestMalformed(t *testing.T) {
	red, blue, dark := emu.LED{Bright: 1, R: 9}, emu.LED{Bright: 2, B: 8}, emu.LED{}
	redF, blueF := []byte{0xE1, 0, 0, 9}, []byte{0xE2, 8, 0, 0}
	start, end := []byte{0, 0, 0, 0}, []byte{0xFF, 0xFF, 0xFF, 0xFF}
	for _, c := range []struct {
		name   string
		stream [][]byte
		want   []emu.LED // of three
		frames uint64
	}{
		{"no start frame: nothing happens", [][]byte{end, redF, blueF, end}, []emu.LED{dark, dark, dark}, 0},
		{"31 zero bits are too few", [][]byte{{0x80, 0, 0, 0}, redF, blueF, end}, []emu.LED{dark, dark, dark}, 0},
		{"more zeros do not matter", [][]byte{start, start, {0}, redF, blueF, end, {0xFF}}, []emu.LED{red, blue, {Bright: 31, B: 255, G: 255, R: 255}}, 1},
		{"too few frames: the rest keep their colour", [][]byte{start, redF, start}, []emu.LED{red, dark, dark}, 1},
		{"too many frames: the surplus falls out", [][]byte{start, redF, redF, redF, blueF, end}, []emu.LED{red, red, red}, 1},
		{"an end frame of zeros works too", [][]byte{start, redF, blueF, redF, start}, []emu.LED{red, blue, red}, 1},
		{"the two bits after the first one are ignored", [][]byte{start, {0x81, 0, 0, 9}, blueF, start}, []emu.LED{red, blue, dark}, 1},
		{"a zero byte before a frame shifts nothing", [][]byte{start, redF, {0}, blueF, start}, []emu.LED{red, blue, dark}, 1},
		{"two updates in one transfer", [][]byte{start, redF, redF, redF, start, blueF, blueF, blueF, end}, []emu.LED{blue, blue, blue}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := emu.NewAPA102(3)
			send(t, connect(t, a), slices.Concat(c.stream...)...)
			if got := a.LEDs(); !slices.Equal(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if a.Frames() != c.frames {
				t.Errorf("%d frames, want %d", a.Frames(), c.frames)
			}
		})
	}
}

// TestEndClocks: LED k gets its data k/2 clocks late (rounded up, as an odd
// LED cannot wait half a clock here), so that its frame is complete after
// 32*(k+2) + k/2 clocks. The end frame must bring n/2 clocks: the sheet's 32 do
// for 64 LEDs and not for 200. Clocks that come later serve as well.
func TestEndClocks(t *testing.T) {
	for _, c := range []struct{ n, end, lit int }{
		{64, 0, 63},
		{64, 3, 63},
		{64, 4, 64},
		{200, 0, 196}, // LED 195 at 6304+98, LED 196 at 6336+98 of 6432 clocks
		{200, 4, 197},
		{200, 12, 199},
		{200, 13, 200},
	} {
		a := emu.NewAPA102(c.n)
		conn := connect(t, a)
		lit := func() int {
			dark := func(l emu.LED) bool { return l == emu.LED{} }
			return len(slices.DeleteFunc(a.LEDs(), dark))
		}
		stream := append(make([]byte, 4), slices.Repeat([]byte{0xFF, 1, 2, 3}, c.n)...)
		send(t, conn, append(stream, slices.Repeat([]byte{0xFF}, c.end)...)...)
		if got := lit(); got != c.lit {
			t.Errorf("%d LEDs, %d end bytes: %d are lit, want %d", c.n, c.end, got, c.lit)
		}
		send(t, conn, make([]byte, 13)...) // the next update pushes the rest
		if got := lit(); got != c.n {
			t.Errorf("%d LEDs, %d end bytes and more clocks: %d are lit", c.n, c.end, got)
		}
	}
}

// TestAgainstPeriphStrip lets periph's own driver light the chain.
func TestAgainstPeriphStrip(t *testing.T) {
	a := emu.NewAPA102(64)
	if err := a.LimitSpeed(4 * physic.MegaHertz); err != nil {
		t.Fatal(err)
	}
	opts := apa102.PassThruOpts
	opts.NumPixels = 64
	dev, err := apa102.New(a, &opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Speed(); got != 4*physic.MegaHertz {
		t.Errorf("speed %s, want the port's limit", got)
	}
	rapid.Check(t, func(rt *rapid.T) {
		rgb := rapid.SliceOfN(rapid.Byte(), 192, 192).Draw(rt, "rgb")
		if _, err := dev.Write(rgb); err != nil {
			rt.Fatal(err)
		}
		for i, l := range a.LEDs() {
			want := emu.LED{Bright: 31, R: rgb[3*i], G: rgb[3*i+1], B: rgb[3*i+2]}
			if l != want {
				rt.Fatalf("LED %d shows %+v, want %+v", i, l, want)
			}
		}
	})
	if got := a.Bytes() / a.Frames(); got != 265 {
		t.Errorf("%d bytes per update, want 265", got)
	}
	if err := dev.Halt(); err != nil {
		t.Fatal(err)
	}
	for i, l := range a.LEDs() {
		if l.R|l.G|l.B != 0 {
			t.Errorf("LED %d is lit after Halt", i)
		}
	}
}

// TestShortWay: well-formed updates are taken without shifting bits. Any mix of
// them and of arbitrary bytes must leave the same lights as a chain that is fed
// byte by byte, where the short way is never open.
func TestShortWay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(rt, "n")
		whole, bytewise := emu.NewAPA102(n), emu.NewAPA102(n)
		cw, cb := connect(t, whole), connect(t, bytewise)
		for range rapid.IntRange(1, 6).Draw(rt, "transfers") {
			var w []byte
			if rapid.IntRange(0, 3).Draw(rt, "kind") > 0 {
				w = []byte{0, 0, 0, 0}
				for range n {
					f := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(rt, "frame")
					f[0] |= 0x80
					w = append(w, f...)
				}
				end := rapid.IntRange(0, n/16+2).Draw(rt, "end")
				w = append(w, slices.Repeat([]byte{0xFF}, end)...)
			} else {
				w = rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 0, 0, 1, 0x80, 0xE0, 0xFF}), 0, 80).Draw(rt, "noise")
			}
			send(t, cw, w...)
			for _, v := range w {
				send(t, cb, v)
			}
			if !slices.Equal(whole.LEDs(), bytewise.LEDs()) {
				rt.Fatalf("after % x: whole %v, bytewise %v", w, whole.LEDs(), bytewise.LEDs())
			}
			if whole.Frames() != bytewise.Frames() {
				rt.Fatalf("frames: whole %d, bytewise %d", whole.Frames(), bytewise.Frames())
			}
		}
	})
}

func TestConnect(t *testing.T) {
	for _, c := range []struct {
		name  string
		speed physic.Frequency
		mode  spi.Mode
		bits  int
		want  physic.Frequency // 0: refused
	}{
		{"mode 0", physic.MegaHertz, spi.Mode0, 8, physic.MegaHertz},
		{"mode 3, no chip select", 20 * physic.MegaHertz, spi.Mode3 | spi.NoCS, 8, 10 * physic.MegaHertz},
		{"no speed named", 0, spi.Mode3, 8, 10 * physic.MegaHertz},
		{"negative speed", -1, spi.Mode3, 8, 0},
		{"mode 1", physic.MegaHertz, spi.Mode1, 8, 0},
		{"mode 2", physic.MegaHertz, spi.Mode2, 8, 0},
		{"least significant bit first", physic.MegaHertz, spi.Mode3 | spi.LSBFirst, 8, 0},
		{"16 bits", physic.MegaHertz, spi.Mode3, 16, 0},
	} {
		a := emu.NewAPA102(1)
		if err := a.LimitSpeed(10 * physic.MegaHertz); err != nil {
			t.Fatal(err)
		}
		_, err := a.Connect(c.speed, c.mode, c.bits)
		if (err != nil) != (c.want == 0) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && a.Speed() != c.want {
			t.Errorf("%s: speed %s, want %s", c.name, a.Speed(), c.want)
		}
	}
	a := emu.NewAPA102(1)
	if err := a.LimitSpeed(0); err == nil {
		t.Error("a limit of 0 was accepted")
	}
	if err := a.Tx([]byte{0}, nil); err == nil {
		t.Error("Tx works without Connect")
	}
	connect(t, a)
	if _, err := a.Connect(0, spi.Mode3, 8); err == nil {
		t.Error("a second Connect was accepted")
	}
}

func TestTxLimits(t *testing.T) {
	a := emu.NewAPA102(1)
	conn := connect(t, a)
	if err := conn.Tx(make([]byte, a.MaxTxSize()), nil); err != nil {
		t.Errorf("a full transfer: %v", err)
	}
	if err := conn.Tx(make([]byte, a.MaxTxSize()+1), nil); err == nil {
		t.Error("a transfer over the limit was accepted")
	}
	if err := conn.Tx(make([]byte, 2), make([]byte, 3)); err == nil {
		t.Error("different lengths were accepted")
	}
	r := []byte{1, 2}
	if err := conn.Tx(nil, r); err != nil || r[0]|r[1] != 0 {
		t.Errorf("a read gives %v, %v, want zeros", r, err)
	}
	if err := conn.TxPackets([]spi.Packet{{W: []byte{0}, BitsPerWord: 9}}); err == nil {
		t.Error("9-bit words were accepted")
	}
	err := conn.TxPackets([]spi.Packet{
		{W: []byte{0, 0, 0, 0}, KeepCS: true}, {W: []byte{0xE7, 1, 2, 3}, KeepCS: true}, {W: []byte{0xFF}},
	})
	if want := (emu.LED{Bright: 7, B: 1, G: 2, R: 3}); err != nil || a.LEDs()[0] != want {
		t.Errorf("packets: %v, %+v, want %+v", err, a.LEDs()[0], want)
	}

	a.Fail(syscall.EIO)
	before := a.Bytes()
	if err := conn.Tx([]byte{0}, nil); !errors.Is(err, syscall.EIO) || a.Bytes() != before {
		t.Errorf("failing port: %v after %d bytes", err, a.Bytes()-before)
	}
	a.Fail(nil)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conn.Tx([]byte{0}, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed port: %v", err)
	}
	if err := a.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if _, err := a.Connect(0, spi.Mode3, 8); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Connect on a closed port: %v", err)
	}
	a.Reopen()
	connect(t, a)
	if a.String() == "" || a.Duplex() == 0 {
		t.Error("the port has no name or duplex")
	}
}

func TestLEDsDoNotAllocate(t *testing.T) {
	a := emu.NewAPA102(64)
	conn := connect(t, a)
	w := append(make([]byte, 4), slices.Repeat([]byte{0xFF, 1, 2, 3}, 64)...)
	w = append(w, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)
	var leds [64]emu.LED
	if n := testing.AllocsPerRun(50, func() {
		_ = conn.Tx(w, nil)
		a.CopyLEDs(leds[:])
	}); n != 0 {
		t.Errorf("an update allocates %v times", n)
	}
	if leds[63] != (emu.LED{Bright: 31, B: 1, G: 2, R: 3}) {
		t.Errorf("LED 63 shows %+v", leds[63])
	}
}

// BenchmarkUpdate is the update that a driver sends for 64 LEDs.
func BenchmarkUpdate(b *testing.B) {
	a := emu.NewAPA102(64)
	conn := connect(b, a)
	w := append(make([]byte, 4), slices.Repeat([]byte{0xFF, 1, 2, 3}, 64)...)
	w = append(w, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)
	b.ReportAllocs()
	for b.Loop() {
		send(b, conn, w...)
	}
}

// A chain that is pulled off its plug is dark, hears nothing, and nobody is told;
// put back it is dark until it is sent the next frame.
func TestAPA102Unplugged(t *testing.T) {
	t.Parallel()
	a := emu.NewAPA102(3)
	conn := connect(t, a)
	frame := []byte{0, 0, 0, 0, 0xFF, 1, 2, 3, 0xFF, 4, 5, 6, 0xFF, 7, 8, 9, 0xFF}
	dark := make([]emu.LED, 3)
	send(t, conn, frame...)
	lit := a.LEDs()
	a.Unplug(true)
	if got := a.LEDs(); !slices.Equal(got, dark) {
		t.Errorf("unplugged it shows %v", got)
	}
	send(t, conn, frame[:7]...)
	a.Unplug(false)
	send(t, conn, frame[7:]...)
	if got := a.LEDs(); !slices.Equal(got, dark) {
		t.Errorf("half a frame shows %v", got)
	}
	send(t, conn, frame...)
	if got := a.LEDs(); !slices.Equal(got, lit) || a.Bytes() != 3*uint64(len(frame)) {
		t.Errorf("back it shows %v, want %v", got, lit)
	}
}

// BenchmarkUpdateBitwise is the same with an end frame of zeros, which takes
// the long way.
func BenchmarkUpdateBitwise(b *testing.B) {
	a := emu.NewAPA102(64)
	conn := connect(b, a)
	w := append(make([]byte, 4), slices.Repeat([]byte{0xFF, 1, 2, 3}, 64)...)
	w = append(w, 0, 0, 0, 0)
	for b.Loop() {
		send(b, conn, w...)
	}
}

// FuzzAPA102 feeds any bytes; the chain must take them all and stay a chain.
func FuzzAPA102(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0xFF, 1, 2, 3, 0xFF})
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1, 0xE0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, w []byte) {
		if len(w) > 4096 {
			return
		}
		a := emu.NewAPA102(3)
		conn := connect(t, a)
		send(t, conn, w...)
		if got := a.Bytes(); got != uint64(len(w)) {
			t.Fatalf("%d bytes counted, %d sent", got, len(w))
		}
		// Whatever came before, a gap of zeros and a proper update are obeyed.
		send(t, conn, make([]byte, 16)...)
		send(t, conn, 0xE1, 1, 1, 1, 0xE2, 2, 2, 2, 0xE3, 3, 3, 3, 0xFF)
		want := []emu.LED{{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}
		if got := a.LEDs(); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
