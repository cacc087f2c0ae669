package emu_test

import (
	"bytes"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// two returns a bus with two echoing chips, at 0x20 and 0x21.
func two() *emu.Bus { return emu.NewBus(&echo{addr: 0x20}, &echo{addr: 0x21}) }

func ask(b *emu.Bus, addr uint16) error { return b.Tx(addr, []byte{0}, make([]byte, 2)) }

// TestWordsOfControllers: what i2c-bcm2835, i2c-designware and i2c-tiny-usb
// return for the same trouble, in the kernel's words.
func TestWordsOfControllers(t *testing.T) {
	const (
		remoteIO = "sysfs-i2c: remote I/O error"
		noDevice = "sysfs-i2c: no such device or address"
		timedOut = "sysfs-i2c: connection timed out"
		again    = "sysfs-i2c: resource temporarily unavailable"
		io       = "sysfs-i2c: input/output error"
	)
	for _, c := range []struct {
		name    string
		trouble func(*emu.Bus)
		want    [3]string // BCM2835, DesignWare, TinyUSB
	}{
		{"nobody there", func(b *emu.Bus) { b.Detach(0x20) }, [3]string{remoteIO, remoteIO, noDevice}},
		{"no acknowledge", func(b *emu.Bus) { b.Fail(0x20, emu.NoAck()) }, [3]string{remoteIO, remoteIO, noDevice}},
		{"by chance", func(b *emu.Bus) { b.SetNoise(emu.AnyAddress, emu.Noise{Nacks: 1}) }, [3]string{remoteIO, remoteIO, noDevice}},
		{"another chip holds SDA", func(b *emu.Bus) { b.HoldSDA(0x21, 3) }, [3]string{timedOut, again, io}},
		{"a chip that hangs", func(b *emu.Bus) { b.HoldSDA(0x21, -7) }, [3]string{timedOut, again, io}},
		{"another chip holds SCL", func(b *emu.Bus) { b.HoldSCL(0x21, true) }, [3]string{timedOut, timedOut, io}},
		{"both", func(b *emu.Bus) { b.HoldSDA(0x21, 3); b.HoldSCL(0x20, true) }, [3]string{timedOut, timedOut, io}},
		{"SDA shorted", func(b *emu.Bus) { b.Short(false, true) }, [3]string{timedOut, again, io}},
		{"SCL shorted", func(b *emu.Bus) { b.Short(true, false) }, [3]string{timedOut, timedOut, io}},
		{"stretched clock", func(b *emu.Bus) { b.Stretch(0x20, -1) }, [3]string{io, timedOut, io}},
		{"no supply", func(b *emu.Bus) { _ = b.Rail(emu.RailOptions{})(false) }, [3]string{remoteIO, remoteIO, noDevice}},
	} {
		for k, want := range c.want {
			for _, hide := range []bool{false, true} {
				b := two()
				b.SetController(emu.Controller(k))
				b.HideErrno(hide)
				if err := ask(b, 0x20); err != nil {
					t.Fatal(err)
				}
				c.trouble(b)
				if err := ask(b, 0x20); err == nil || err.Error() != want {
					t.Errorf("%s, controller %d: %v, want %s", c.name, k, err, want)
				}
			}
		}
	}
}

func TestStretchEnds(t *testing.T) {
	b := two()
	b.Stretch(0x20, 2)
	for i, fails := range []bool{true, true, false} {
		if err := ask(b, 0x20); (err != nil) != fails {
			t.Errorf("transfer %d: %v", i, err)
		}
		if err := ask(b, 0x21); err != nil {
			t.Errorf("the other chip: %v", err)
		}
	}
}

// pulse is one clock sent with a tap.
func pulse(t rapid.TB, scl *emu.Tap) {
	t.Helper()
	if err := errors.Join(scl.Out(gpio.Low), scl.In(gpio.PullNoChange, gpio.NoEdge)); err != nil {
		t.Fatal(err)
	}
}

// A chip that lost count gives SDA back after its clocks, not before, and a
// STOP can be sent.
func TestTapsClockAChipFree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(rt, "clocks that the chip needs")
		b := two()
		scl, sda := b.Taps()
		b.HoldSDA(0x21, n)
		for i := range n {
			if sda.Read() != gpio.Low || scl.Read() != gpio.High {
				rt.Fatalf("after %d clocks: SDA %s SCL %s", i, sda.Read(), scl.Read())
			}
			pulse(rt, scl)
		}
		if sda.Read() != gpio.High {
			rt.Fatalf("SDA is low after %d clocks", n)
		}
		if err := ask(b, 0x20); err != nil {
			rt.Fatal(err)
		}
		if got, want := b.TapStats(), (emu.TapStats{Clocks: n}); got != want {
			rt.Fatalf("%+v, want %+v", got, want)
		}
	})
}

func TestTaps(t *testing.T) {
	b := two()
	scl, sda := b.Taps()
	low := func(tap *emu.Tap) {
		t.Helper()
		if err := tap.Out(gpio.Low); err != nil {
			t.Fatal(err)
		}
	}
	free := func(tap *emu.Tap) {
		t.Helper()
		if err := tap.In(gpio.PullNoChange, gpio.NoEdge); err != nil {
			t.Fatal(err)
		}
	}
	// START, clock, STOP; while the taps hold a line nothing else gets through.
	low(sda)
	if err := ask(b, 0x20); err == nil || sda.Read() != gpio.Low || scl.Read() != gpio.High {
		t.Errorf("SDA pulled: %v", err)
	}
	low(scl)
	free(sda)
	if err := ask(b, 0x20); err == nil || sda.Read() != gpio.High || scl.Read() != gpio.Low {
		t.Errorf("SCL pulled: %v", err)
	}
	low(sda)
	free(scl)
	free(sda)
	if err := ask(b, 0x20); err != nil {
		t.Errorf("both released: %v", err)
	}
	if got, want := b.TapStats(), (emu.TapStats{Clocks: 1, Starts: 1, Stops: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := scl.Out(gpio.High); err != nil || b.TapStats().DrivenHigh != 1 {
		t.Error("a line driven high was not noticed")
	}
	// No edges while SCL is held by a chip.
	b.HoldSCL(0x20, true)
	b.HoldSDA(0x21, 1)
	pulse(t, scl)
	if scl.Read() != gpio.Low || sda.Read() != gpio.Low || b.TapStats().Clocks != 1 {
		t.Errorf("clocked although SCL is held: %+v", b.TapStats())
	}
	b.HoldSCL(0x20, false)
	pulse(t, scl)
	if sda.Read() != gpio.High {
		t.Error("SDA is held after the clock")
	}
	trouble := errors.New("pin trouble")
	b.FailTaps(trouble)
	if err := scl.Out(gpio.Low); !errors.Is(err, trouble) {
		t.Errorf("got %v", err)
	}
	if err := sda.In(gpio.PullNoChange, gpio.NoEdge); !errors.Is(err, trouble) {
		t.Errorf("got %v", err)
	}
	b.Heal()
	pulse(t, scl)
}

// Only the supply frees a bus from a chip that hangs, and not even it from a
// short; whoever has its own supply does not notice.
func TestRail(t *testing.T) {
	now := time.Duration(0)
	chip, other := emu.NewTCA9555(0x20, emu.TCAOptions{}), emu.NewTCA9555(0x21, emu.TCAOptions{})
	b := emu.NewBus(chip, other)
	b.Unswitched(0x21)
	rail := b.Rail(emu.RailOptions{Now: func() time.Duration { return now }, Discharge: 500 * time.Millisecond})
	scl, sda := b.Taps()
	for a := uint16(0x20); a <= 0x21; a++ {
		if err := b.Tx(a, []byte{2, 0x5A, 0xA5}, nil); err != nil {
			t.Fatal(err)
		}
	}
	output := func(c *emu.TCA9555) byte { return c.Registers()[2] }
	cycle := func(off time.Duration) {
		t.Helper()
		if err := rail(false); err != nil {
			t.Fatal(err)
		}
		withoutSupply(t, b)
		now += off
		if err := rail(true); err != nil {
			t.Fatal(err)
		}
	}
	b.HoldSCL(0x20, true)
	b.HoldSDA(0x20, -1)
	cycle(499 * time.Millisecond)
	if scl.Read() != gpio.Low || output(chip) != 0x5A {
		t.Error("too short an interruption freed the bus")
	}
	cycle(500 * time.Millisecond)
	if scl.Read() != gpio.High || sda.Read() != gpio.High || output(chip) != 0xFF {
		t.Errorf("SCL %s SDA %s output %02X after a rail cycle", scl.Read(), sda.Read(), output(chip))
	}
	if output(other) != 0x5A {
		t.Error("a chip with its own supply was reset")
	}
	if err := ask(b, 0x20); err != nil {
		t.Error(err)
	}
}

// withoutSupply looks at a bus while 0x20 has no supply and 0x21 its own.
func withoutSupply(t *testing.T, b *emu.Bus) {
	t.Helper()
	scl, sda := b.Taps()
	if scl.Read() != gpio.High || sda.Read() != gpio.High {
		t.Error("a chip without supply holds a line")
	}
	if err := ask(b, 0x20); !errors.Is(err, emu.NoAck()) {
		t.Errorf("a chip without supply answers: %v", err)
	}
	if err := ask(b, 0x21); err != nil {
		t.Errorf("a chip with its own supply: %v", err)
	}
}

// What the switch cannot do.
func TestRailIsNoHelp(t *testing.T) {
	b := two()
	b.Unswitched(0x21)
	rail := b.Rail(emu.RailOptions{})
	scl, sda := b.Taps()
	cycle := func() {
		t.Helper()
		if err := errors.Join(rail(true), rail(false), rail(false), rail(true)); err != nil {
			t.Fatal(err)
		}
	}
	b.HoldSDA(0x21, -1)
	if cycle(); sda.Read() != gpio.Low {
		t.Error("a chip with its own supply lost it")
	}
	b.Heal()
	b.Short(true, true)
	if cycle(); scl.Read() != gpio.Low || sda.Read() != gpio.Low {
		t.Error("the rail ended a short")
	}
	b.Short(false, false)
	trouble := errors.New("switch trouble")
	b.FailRail(trouble)
	if err := rail(false); !errors.Is(err, trouble) {
		t.Errorf("got %v", err)
	}
	if err := ask(b, 0x20); err != nil {
		t.Errorf("a switch that fails switched: %v", err)
	}
}

// A brown-out tells nobody; chips that hold a line let go.
func TestBrownOut(t *testing.T) {
	chips := []*emu.TCA9555{emu.NewTCA9555(0x20, emu.TCAOptions{}), emu.NewTCA9555(0x21, emu.TCAOptions{})}
	mcp := emu.NewMCP23017(0x22)
	b := emu.NewBus(chips[0], chips[1], mcp, &echo{addr: 0x3C})
	fill := func() {
		t.Helper()
		for a := uint16(0x20); a <= 0x22; a++ {
			if err := b.Tx(a, []byte{2, 1, 2}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill()
	b.HoldSDA(0x21, -1)
	b.BrownOut(0x21, 0x22)
	if chips[0].Registers()[2] != 1 || chips[1].Registers()[2] != 0xFF || mcp.Registers()[2] != 0 {
		t.Error("a brown-out of two chips did not reset just them")
	}
	if err := ask(b, 0x21); err != nil {
		t.Error(err)
	}
	fill()
	b.BrownOut()
	if chips[0].Registers()[2] != 0xFF || chips[1].Registers()[2] != 0xFF || mcp.Registers()[2] != 0 {
		t.Error("a brown-out of all left some")
	}
}

const noisyReads, noisyBytes = 2000, 4

// noisy reads 0x20, and 0x21 which has no noise, and returns the inverted bits,
// the transfers that were not acknowledged, and everything that was read.
func noisy(t *testing.T, seed uint64, n emu.Noise) (flips, nacks int, log []byte) {
	t.Helper()
	b := two()
	b.Seed(seed)
	b.SetNoise(0x20, n)
	for range noisyReads {
		if err := ask(b, 0x21); err != nil {
			t.Fatalf("the quiet chip: %v", err)
		}
		r := make([]byte, noisyBytes)
		if err := b.Tx(0x20, []byte{0}, r); err != nil {
			nacks++
			log = append(log, 'N')
			continue
		}
		for _, v := range r {
			flips += bits.OnesCount8(v ^ 0xA5)
		}
		log = append(log, r...)
	}
	if got := b.Stats().Disturbed; got != uint64(flips+nacks) {
		t.Errorf("the bus counts %d disturbances, there were %d bits and %d transfers", got, flips, nacks)
	}
	return flips, nacks, log
}

// The rates of noise are what was asked for (within five standard deviations),
// and the same seed gives the same noise.
func TestNoise(t *testing.T) {
	within := func(what string, got int, n, p float64) {
		t.Helper()
		if want, sigma := n*p, math.Sqrt(n*p*(1-p)); math.Abs(float64(got)-want) > 5*sigma {
			t.Errorf("%s: %d of %v, want about %v", what, got, n, want)
		}
	}
	for _, p := range []float64{0, 1e-3, 0.1, 0.5, 1} {
		flips, nacks, _ := noisy(t, 1, emu.Noise{Flips: p})
		within("bits", flips, 8*noisyReads*noisyBytes, p)
		if nacks != 0 {
			t.Errorf("%d transfers were not acknowledged", nacks)
		}
		_, nacks, _ = noisy(t, 1, emu.Noise{Nacks: p})
		within("transfers", nacks, noisyReads, p)
	}
	_, _, a := noisy(t, 7, emu.Noise{Flips: 0.01, Nacks: 0.1})
	_, _, again := noisy(t, 7, emu.Noise{Flips: 0.01, Nacks: 0.1})
	_, _, other := noisy(t, 8, emu.Noise{Flips: 0.01, Nacks: 0.1})
	if !bytes.Equal(a, again) || bytes.Equal(a, other) {
		t.Error("noise does not follow its seed")
	}
	b := two()
	b.SetNoise(emu.AnyAddress, emu.Noise{Flips: 1, Nacks: 1})
	b.Heal()
	r := []byte{0}
	if err := b.Tx(0x20, []byte{0}, r); err != nil || r[0] != 0xA5 {
		t.Errorf("healed: %x, %v", r, err)
	}
}

// Transfers take the time that the wire, the chip and the kernel take.
func TestTiming(t *testing.T) {
	b := two()
	var spent []time.Duration
	spend := func(d time.Duration) {
		_ = b.Stats() // the bus can be looked at meanwhile
		spent = append(spent, d)
	}
	b.SetTiming(emu.Timing{Spend: spend, Wire: true, Timeout: time.Second})
	if err := b.SetSpeed(100 * physic.KiloHertz); err != nil {
		t.Fatal(err)
	}
	b.Slow(0x21, 3*time.Millisecond)
	_ = ask(b, 0x20) // w1+r2: 48 bits
	_ = ask(b, 0x21)
	_ = ask(b, 0x33) // nobody: 11 bits
	_ = ask(b, 0x80) // no address
	b.HoldSDA(0x21, 1)
	_ = ask(b, 0x20)
	b.Heal()
	b.SetTiming(emu.Timing{Spend: spend})
	_ = ask(b, 0x20)
	_ = ask(b, 0x21)
	b.SetTiming(emu.Timing{})
	_ = ask(b, 0x21)
	want := []time.Duration{
		480 * time.Microsecond, 3480 * time.Microsecond, 110 * time.Microsecond, time.Second, 3 * time.Millisecond,
	}
	if !slices.Equal(spent, want) {
		t.Errorf("spent %v, want %v", spent, want)
	}
}

func TestInterruptLine(t *testing.T) {
	a, c := emu.NewTCA9555(0x20, emu.TCAOptions{}), emu.NewMCP23017(0x21)
	l := emu.NewInterruptLine(a.INT, c.INTA)
	expect := func(what string, want gpio.Level) {
		t.Helper()
		if got := l.Level(); got != want {
			t.Errorf("%s: %s", what, got)
		}
	}
	expect("at rest", gpio.High)
	a.SetPins(0xFFFE, 0)
	expect("one chip pulls", gpio.Low)
	l.Lose(true)
	expect("cut", gpio.High)
	l.Stick(true)
	expect("cut and shorted", gpio.Low)
	l.Lose(false)
	a.SetPins(0xFFFF, 0)
	expect("shorted", gpio.Low)
	l.Stick(false)
	expect("mended", gpio.High)
}

// A fault does not cost allocations, nor does a healthy bus after one.
func TestTroubleDoesNotAllocate(t *testing.T) {
	b := two()
	w, r := []byte{0}, make([]byte, 2)
	b.SetNoise(emu.AnyAddress, emu.Noise{Flips: 0.01, Nacks: 0.01})
	if n := testing.AllocsPerRun(200, func() { _ = b.Tx(0x20, w, r) }); n != 0 {
		t.Errorf("a noisy transfer allocates %v times", n)
	}
	if !strings.Contains(b.String(), "I2C") {
		t.Error("the bus has no name")
	}
}

// BenchmarkNoisyTx is BenchmarkTx with noise on the wire.
func BenchmarkNoisyTx(b *testing.B) {
	bus := emu.NewBus(emu.NewTCA9555(0x20, emu.TCAOptions{}))
	bus.SetNoise(emu.AnyAddress, emu.Noise{Flips: 1e-4, Nacks: 1e-3})
	w, r := []byte{0}, make([]byte, 2)
	b.ReportAllocs()
	for b.Loop() {
		_ = bus.Tx(0x20, w, r)
	}
}
