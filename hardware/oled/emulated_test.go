package oled_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/oled"
)

// emulated is a panel on an emulated chip and wire.
type emulated struct {
	*oled.Panel
	t    testing.TB
	chip *emu.SSD1306
	wire *emu.Bus
	now  time.Duration
	m    picture
}

func emulate(t testing.TB, c oled.Config) *emulated {
	t.Helper()
	e := &emulated{t: t, chip: emu.NewSSD1306(emu.OLEDOptions{Addr: c.Addr, SH1106: c.Controller == oled.SH1106})}
	e.wire = emu.NewBus(e.chip)
	e.Panel = open(t, owner(t, e.wire, func() time.Duration { return e.now }), c)
	for x := range e.m {
		e.m[x] = 0x8000_0000_0000_0001 | uint64(x)<<20 // A frame, and something in it.
	}
	e.Show(&e.m)
	return e
}

// run steps every 20 ms for a while and returns the errors.
func (e *emulated) run(d time.Duration) (failed int) {
	for end := e.now + d; e.now < end; e.now += 20 * ms {
		if _, err := e.Step(e.t.Context(), e.now); err != nil {
			failed++
		}
	}
	return failed
}

// seen reports whether the chip shows the picture.
func (e *emulated) seen() bool {
	screen := e.chip.Lit()
	for x, column := range e.m {
		for y := range oled.Height {
			if screen[y][x] != (column>>y&1 != 0) {
				return false
			}
		}
	}
	return true
}

func configs() []oled.Config {
	return []oled.Config{
		{},
		{Addr: oled.OtherAddr},
		{Controller: oled.SH1106},
		{Controller: oled.SH1106, Addr: oled.OtherAddr},
	}
}

// shows checks that the picture is there after a while without an error.
func (e *emulated) shows(when string, d time.Duration) {
	e.t.Helper()
	if failed := e.run(d); failed != 0 || !e.seen() || !e.Stats().Present {
		e.t.Errorf("%s: %d errors, %+v", when, failed, e.Stats())
	}
}

func TestEmulatedPanel(t *testing.T) {
	t.Parallel()
	for _, c := range configs() {
		e := emulate(t, c)
		e.shows("at first", time.Second)
		if _, unknown, _ := e.chip.Counts(); unknown != 0 {
			t.Errorf("%+v: %d commands are not known to the chip", c, unknown)
		}
		// The settings that decide about the picture; the others are voltages
		// and frequencies.
		want := emu.OLEDSetup{On: true, Pump: true, Remap: true, ScanDown: true, Lines: 64}
		got := e.chip.Setup()
		want.Mode, want.Contrast, want.ComPins = got.Mode, 0xFF, 0x12
		want.Clock, want.Precharge, want.Vcomh = got.Clock, got.Precharge, got.Vcomh
		if got != want {
			t.Errorf("%+v: %+v, want %+v", c, got, want)
		}
		e.chip.PowerCycle()
		e.shows("after a power cycle", 6*time.Second)
		e.chip.BrownOut()
		e.shows("after a brown-out", 6*time.Second)
		e.wire.Detach(e.chip.Address())
		if failed := e.run(time.Minute); failed == 0 || e.Stats().Present {
			t.Errorf("%+v without a panel: %d errors, %+v", c, failed, e.Stats())
		}
		e.chip.PowerCycle()
		e.wire.Attach(e.chip)
		e.shows("plugged in again", 7*time.Second)
		if err := e.Off(t.Context()); err != nil || e.chip.Lit() != (emu.Screen{}) {
			t.Errorf("%+v: the panel is still lit, %v", c, err)
		}
	}
}

// The figures of the package comment.
func TestBitsOnTheWire(t *testing.T) {
	t.Parallel()
	e := emulate(t, oled.Config{})
	measure := func(what string, transfers, bits uint64) {
		t.Helper()
		e.wire.ResetStats()
		if failed := e.run(20 * ms); failed != 0 {
			t.Errorf("%s: %+v", what, e.Stats())
		}
		if s := e.wire.Stats(); s.Transactions != transfers || s.Bits != bits {
			t.Errorf("%s: %d transfers, %d bits, want %d, %d", what, s.Transactions, s.Bits, transfers, bits)
		}
	}
	measure("initialisation, dark", 1, 299)
	for range 8 {
		measure("page", 2, 1219)
	}
	measure("order to light", 1, 29)
	measure("question", 1, 20)
	measure("nothing", 0, 0)
	e.m[13] ^= 1 << 40
	e.m[25] ^= 1 << 40
	e.Show(&e.m)
	measure("digit", 2, 184)
	for x := range e.m {
		e.m[x] ^= 1 << 50
	}
	e.Show(&e.m)
	measure("half a page", 2, 643)
	measure("half a page", 2, 643)
	measure("nothing", 0, 0)
	e.now += 5 * time.Minute
	e.run(20 * ms) // The question.
	measure("initialisation", 1, 308)
}

// Noise on the wire, bytes that are lost, chips that come and go: a second after
// a refresh, or after the last trouble, the panel shows the picture.
func TestEmulatedTrouble(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := emulate(t, rapid.SampledFrom(configs()).Draw(rt, "config"))
		for range rapid.IntRange(1, 8).Draw(rt, "troubles") {
			switch rapid.SampledFrom([]string{"cycle", "dip", "nack", "stuck", "corrupt", "change"}).Draw(rt, "trouble") {
			case "cycle":
				e.chip.PowerCycle()
			case "dip":
				e.chip.BrownOut()
			case "nack":
				e.wire.FailTimes(e.chip.Address(), rapid.IntRange(1, 20).Draw(rt, "times"), errNACK)
			case "stuck":
				e.wire.FailTimes(e.chip.Address(), rapid.IntRange(1, 20).Draw(rt, "times"), errStuck)
			case "corrupt":
				e.wire.Corrupt(e.chip.Address(), rapid.IntRange(1, 3).Draw(rt, "times"), 0x40)
			case "change":
				e.m[rapid.IntRange(0, oled.Width-1).Draw(rt, "x")] ^= rapid.Uint64().Draw(rt, "column")
				e.Show(&e.m)
			}
			e.run(time.Duration(rapid.IntRange(0, 3000).Draw(rt, "rest")) * ms)
		}
		e.wire.Heal()
		e.now += 5 * time.Minute
		if e.run(8 * time.Second); !e.seen() || !e.Stats().Present {
			rt.Errorf("the picture is not seen: %+v", e.Stats())
		}
	})
}
