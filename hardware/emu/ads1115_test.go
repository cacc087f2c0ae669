package emu_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/devices/v3/ads1x15"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// steady is a voltage that does not change.
func steady(v float64) emu.Voltage { return func(time.Duration) float64 { return v } }

// bench is a chip at 0x48 on a clock that only the test moves.
type bench struct {
	t    testing.TB
	now  time.Duration
	chip *emu.ADS1115
	bus  *emu.Bus
}

func newBench(t testing.TB, inputs ...emu.Voltage) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Hour}
	o := emu.ADS1115Options{Now: func() time.Duration { return b.now }}
	copy(o.Inputs[:], inputs)
	b.chip = emu.NewADS1115(0x48, o)
	b.bus = emu.NewBus(b.chip)
	return b
}

func (b *bench) write(w ...byte) {
	b.t.Helper()
	if err := b.bus.Tx(0x48, w, nil); err != nil {
		b.t.Fatal(err)
	}
}

// register reads a register.
func (b *bench) register(p byte) uint16 {
	b.t.Helper()
	var r [2]byte
	if err := b.bus.Tx(0x48, []byte{p}, r[:]); err != nil {
		b.t.Fatal(err)
	}
	return uint16(r[0])<<8 | uint16(r[1])
}

func (b *bench) expect(what string, p byte, want uint16) {
	b.t.Helper()
	if got := b.register(p); got != want {
		b.t.Errorf("%s: register %d is %04X, want %04X", what, p, got, want)
	}
}

// TestADSRegisters: SBAS444 tables 8-1 to 8-5.
func TestADSRegisters(t *testing.T) {
	b := newBench(t)
	want := [4]uint16{0x0000, 0x8583, 0x8000, 0x7FFF}
	if got := b.chip.Registers(); got != want {
		t.Errorf("after power-on %04X, want %04X", got, want)
	}
	for p, v := range want {
		b.expect("after power-on", byte(p), v)
	}
	b.write(2, 0x12, 0x34)
	b.write(3, 0x80, 0x01)
	b.expect("Lo_thresh", 2, 0x1234)
	b.expect("Hi_thresh", 3, 0x8001)
	b.write(0, 0xAA, 0xAA)
	b.expect("the Conversion register is read only", 0, 0)
	b.write(1, 0x45, 0x60) // OS 0: nothing starts; 16 SPS, queue of 1
	b.expect("Config", 1, 0xC560)
	b.write(1, 0x12)
	b.expect("half a word", 1, 0xC560)
	b.write(3, 0x11, 0x22, 0x33)
	b.expect("a third byte", 3, 0x1122)
	b.write(3)
	r := make([]byte, 4)
	for range 2 { // the pointer stays
		if err := b.bus.Tx(0x48, nil, r); err != nil || !slices.Equal(r, []byte{0x11, 0x22, 0xFF, 0xFF}) {
			t.Errorf("bare read: % X, %v", r, err)
		}
	}
	b.chip.PowerCycle()
	if got := b.chip.Registers(); got != want {
		t.Errorf("after a brown-out %04X, want %04X", got, want)
	}
	for a := uint16(0x48); a <= 0x4B; a++ {
		if got := emu.NewADS1115(a, emu.ADS1115Options{Now: func() time.Duration { return 0 }}).Address(); got != a {
			t.Errorf("address %#x", got)
		}
	}
	mustPanic(t, "address 0x47", func() { emu.NewADS1115(0x47, emu.ADS1115Options{Now: func() time.Duration { return 0 }}) })
	mustPanic(t, "no clock", func() { emu.NewADS1115(0x48, emu.ADS1115Options{}) })
	mustPanic(t, "pace 0", func() { b.chip.SetPace(0) })
}

// TestADSSingleShot converts AIN_k at 860 SPS (Config C3E3h + k*1000h, as
// computed from table 8-3) and looks at the moments around the end: 1/860 s and
// 25 µs.
func TestADSSingleShot(t *testing.T) {
	const takes = time.Second/860 + 25*time.Microsecond
	// 4.096 V full scale: 125 µV a step.
	b := newBench(t, steady(1.65), steady(0.125), steady(3.3), steady(-0.001))
	before := uint16(0)
	for k, want := range []uint16{13200, 1000, 26400, 0xFFF8} {
		b.write(1, 0xC3+byte(k)<<4, 0xE3)
		b.expect("at once: busy", 1, 0x43E3+uint16(k)<<12)
		b.expect("at once: the value before", 0, before)
		b.now += takes - time.Nanosecond
		b.expect("a moment before: busy", 1, 0x43E3+uint16(k)<<12)
		b.expect("a moment before: the value before", 0, before)
		b.now += time.Nanosecond
		b.expect("done", 0, want)
		b.expect("done: idle", 1, 0xC3E3+uint16(k)<<12)
		before = want
	}
	if got := b.chip.Conversions(); got != 4 {
		t.Errorf("%d conversions", got)
	}
	b.now += time.Hour
	if got := b.chip.Conversions(); got != 4 {
		t.Errorf("a single-shot chip went on: %d conversions", got)
	}
}

// TestADSRates: SBAS444 table 8-3, bits 7:5, and the variation of 10 %.
func TestADSRates(t *testing.T) {
	for dr, rate := range []float64{8, 16, 32, 64, 128, 250, 475, 860} {
		for _, pace := range []float64{0.9, 1, 1.1} {
			b := newBench(t, steady(1))
			b.chip.SetPace(pace)
			b.write(1, 0xC3, byte(dr)<<5|3)
			ends := time.Duration(pace/rate*1e9) + 25*time.Microsecond
			b.now += ends - time.Microsecond
			if b.register(1)&0x8000 != 0 {
				t.Errorf("%v SPS, pace %v: done too early", rate, pace)
			}
			b.now += 2 * time.Microsecond
			if b.register(1)&0x8000 == 0 || b.register(0) != 8000 {
				t.Errorf("%v SPS, pace %v: not done after %v", rate, pace, ends)
			}
		}
	}
}

// TestADSGainAndInputs: SBAS444 table 8-3, bits 14:9.
func TestADSGainAndInputs(t *testing.T) {
	for _, c := range []struct {
		mux, pga byte
		inputs   [4]float64
		want     int16
	}{
		{4, 0, [4]float64{3}, 16000},
		{4, 1, [4]float64{3}, 24000},
		{4, 2, [4]float64{1}, 16000},
		{4, 3, [4]float64{1}, 32000},
		{4, 4, [4]float64{0.25}, 16000},
		{4, 5, [4]float64{0.125}, 16000},
		{4, 6, [4]float64{0.125}, 16000},
		{4, 7, [4]float64{0.125}, 16000},
		{4, 2, [4]float64{3.3}, 32767}, // beyond full scale
		{0, 2, [4]float64{0, 3.3}, -32768},
		{0, 1, [4]float64{2, 1.5}, 4000},
		{1, 1, [4]float64{2, 0, 0, 1.5}, 4000},
		{2, 1, [4]float64{0, 2, 0, 1.5}, 4000},
		{3, 1, [4]float64{0, 0, 1, 1.5}, -4000},
		{5, 1, [4]float64{9, 1, 9, 9}, 8000},
		{6, 1, [4]float64{9, 9, 1, 9}, 8000},
		{7, 1, [4]float64{9, 9, 9, 1}, 8000},
	} {
		b := newBench(t)
		for k, v := range c.inputs {
			b.chip.SetInput(k, steady(v))
		}
		b.write(1, 0x80|c.mux<<4|c.pga<<1|1, 0xE3)
		b.now += 2 * time.Millisecond
		if got := int16(b.register(0)); got != c.want {
			t.Errorf("MUX %d PGA %d: %d, want %d", c.mux, c.pga, got, c.want)
		}
	}
	b := newBench(t) // nothing connected: GND
	b.write(1, 0x85, 0xE3)
	b.now += 2 * time.Millisecond
	b.expect("open inputs", 0, 0)
}

// A conversion keeps what it began with, and a second start does nothing.
func TestADSWritesWhileBusy(t *testing.T) {
	b := newBench(t, steady(1), steady(2))
	b.write(1, 0xC3, 0xE3)
	b.now += time.Millisecond
	b.write(1, 0xD3, 0xE3) // AIN1, start
	b.now += 200 * time.Microsecond
	b.expect("the first conversion's result", 0, 8000)
	b.expect("the second was not started", 1, 0xD3E3)
	b.now += time.Hour
	b.expect("not even later", 0, 8000)

	// Stalled: never done, like a chip that hangs.
	b.chip.Stall(true)
	b.write(1, 0xD3, 0xE3)
	b.now += time.Hour
	b.expect("stalled", 1, 0x53E3)
	b.chip.Stall(false)
	b.now += 2 * time.Millisecond
	b.expect("no longer stalled", 0, 16000)
}

// The input is averaged over the conversion: a step in the middle of it gives a
// value between the two.
func TestADSAveragesOverTheConversion(t *testing.T) {
	b := newBench(t)
	step := b.now + 25*time.Microsecond + time.Second/860/2
	b.chip.SetInput(0, func(at time.Duration) float64 {
		if at < step {
			return 1
		}
		return 2
	})
	b.write(1, 0xC3, 0xE3)
	b.now += time.Second // whoever reads late reads the same
	b.expect("half of each", 0, 12000)
}

func TestADSContinuous(t *testing.T) {
	b := newBench(t)
	volts := 1.0
	b.chip.SetInput(0, func(time.Duration) float64 { return volts })
	b.write(1, 0x42, 0xE3) // MODE 0, OS 0
	b.expect("OS reads 0 while it converts", 1, 0x42E3)
	b.now += 25*time.Microsecond + time.Second/860
	b.expect("first", 0, 8000)
	volts = 2
	b.expect("until the next is done", 0, 8000)
	b.now += time.Second / 860
	b.expect("second", 0, 16000)
	b.now += time.Second
	if got := b.chip.Conversions(); got < 860 || got > 863 {
		t.Errorf("%d conversions in a second at 860 SPS", got)
	}
	b.write(1, 0xD3, 0xE3) // single shot on AIN1: the one that runs is the last
	b.expect("busy", 1, 0x53E3)
	before := b.chip.Conversions()
	b.now += time.Second
	b.expect("idle", 1, 0xD3E3)
	if got := b.chip.Conversions(); got != before+1 {
		t.Errorf("%d conversions after the end", got-before)
	}
}

// TestADSReadyPin: Hi_thresh's top bit set and Lo_thresh's clear.
func TestADSReadyPin(t *testing.T) {
	b := newBench(t, steady(1))
	pin := func(what string, want gpio.Level) {
		t.Helper()
		if got := b.chip.RDY(); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	b.write(2, 0x00, 0x00)
	b.write(3, 0x80, 0x00)
	pin("disabled by COMP_QUE 11", gpio.High)
	b.write(1, 0xC3, 0xE0) // COMP_QUE 00
	pin("converting", gpio.High)
	b.now += 2 * time.Millisecond
	pin("done", gpio.Low)
	b.now += time.Second
	pin("still done", gpio.Low)
	b.write(1, 0xC3, 0xE8) // COMP_POL 1
	pin("active high: converting", gpio.Low)
	b.now += 2 * time.Millisecond
	pin("active high: done", gpio.High)

	b.write(1, 0x42, 0xE0) // continuous
	b.now += 25*time.Microsecond + time.Second/860 - time.Microsecond
	pin("first conversion runs", gpio.High)
	b.now += time.Microsecond
	pin("pulse", gpio.Low)
	b.now += 8*time.Microsecond - time.Nanosecond
	pin("pulse ends", gpio.Low)
	b.now += time.Nanosecond
	pin("after the pulse", gpio.High)
	b.now += time.Second/860 - 8*time.Microsecond
	pin("next pulse", gpio.Low)
	b.now += time.Second/860 + 20*time.Microsecond
	pin("who looks late misses a pulse", gpio.High)
	b.chip.PowerCycle()
	pin("reset", gpio.High)
}

// TestADSComparator: SBAS444 section 7.3.7, by a list of voltages, one a
// conversion, with thresholds of 1 V and 2 V (8000 and 16000).
func TestADSComparator(t *testing.T) {
	for _, c := range []struct {
		name   string
		config byte // low byte: 860 SPS and the comparator's bits
		volts  []float64
		want   string // after each conversion: L low, H high, r a read before
		read   int    // read the conversion after this many, 0 never
	}{
		{"traditional, one", 0xE0, []float64{0.5, 1.5, 2.5, 1.5, 1.001, 0.9, 2.5}, "HHLLLHL", 0},
		{"traditional, two", 0xE1, []float64{2.5, 1.5, 2.5, 2.5, 2.5, 0.5}, "HHHLLH", 0},
		{"traditional, four", 0xE2, []float64{2.5, 2.5, 2.5, 2.5, 0.5}, "HHHLH", 0},
		{"window", 0xF0, []float64{0.5, 1.5, 2.5, 1.5, 0.5}, "LHLHL", 0},
		{"latching", 0xE4, []float64{2.5, 0.5, 0.5, 0.5}, "LLHH", 2},
		{"latching window, and it is so again", 0xF4, []float64{2.5, 1.5, 0.5}, "LLL", 2},
		{"active high", 0xE8, []float64{0.5, 2.5, 0.5}, "LHL", 0},
		{"off", 0xE3, []float64{2.5, 2.5}, "HH", 0},
	} {
		b := newBench(t)
		volts := 0.0
		b.chip.SetInput(0, func(time.Duration) float64 { return volts })
		b.write(2, 0x1F, 0x40) // 8000
		b.write(3, 0x3E, 0x80) // 16000
		got := ""
		for i, v := range c.volts {
			if c.read != 0 && i == c.read {
				b.register(0)
			}
			volts = v
			b.write(1, 0xC3, c.config)
			b.now += 2 * time.Millisecond
			got += map[gpio.Level]string{gpio.Low: "L", gpio.High: "H"}[b.chip.RDY()]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestADSAgainstPeriphDriver lets periph's own driver judge the emulator, on
// the clock that the driver sleeps on. It waits exactly 1/DR, so a part that is
// not fast gives it the value of the channel before: the known symptom.
func TestADSAgainstPeriphDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		chip := emu.NewADS1115(0x48, emu.ADS1115Options{
			Now:    func() time.Duration { return time.Since(start) },
			Inputs: [4]emu.Voltage{steady(0.5), steady(1), steady(1.5), steady(2)},
		})
		dev, err := ads1x15.NewADS1115(emu.NewBus(chip), &ads1x15.Opts{I2cAddress: 0x48})
		if err != nil {
			t.Fatal(err)
		}
		read := func(c ads1x15.Channel, q ads1x15.ConversionQuality) physic.ElectricPotential {
			t.Helper()
			pin, err := dev.PinForChannel(c, 4*physic.Volt, 100*physic.Hertz, q)
			if err != nil {
				t.Fatal(err)
			}
			s, err := pin.Read()
			if err != nil {
				t.Fatal(err)
			}
			return s.V
		}
		chip.SetPace(0.9)
		for _, q := range []ads1x15.ConversionQuality{ads1x15.SaveEnergy, ads1x15.BestQuality} {
			for c, want := range map[ads1x15.Channel]physic.ElectricPotential{
				ads1x15.Channel0: 500 * physic.MilliVolt, ads1x15.Channel1: physic.Volt,
				ads1x15.Channel2: 1500 * physic.MilliVolt, ads1x15.Channel3: 2 * physic.Volt,
				ads1x15.Channel0Minus1: -500 * physic.MilliVolt, ads1x15.Channel0Minus3: -1500 * physic.MilliVolt,
				ads1x15.Channel1Minus3: -physic.Volt, ads1x15.Channel2Minus3: -500 * physic.MilliVolt,
			} {
				if got := read(c, q); got < want-physic.MilliVolt || got > want+physic.MilliVolt {
					t.Errorf("channel %v, quality %v: %v, want %v", c, q, got, want)
				}
			}
		}
		_ = read(ads1x15.Channel0, ads1x15.SaveEnergy)
		chip.SetPace(1.05)
		if got := read(ads1x15.Channel3, ads1x15.SaveEnergy); got > 501*physic.MilliVolt {
			t.Errorf("a slow part gave the right value, %v, to a driver that does not ask", got)
		}
	})
}

// Any voltage within range comes out within half a step.
func TestADSCodes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float64Range(-0.3, 3.6).Draw(rt, "volts")
		b := newBench(t, steady(v))
		b.write(1, 0xC3, 0xE3)
		b.now += 2 * time.Millisecond
		if got := float64(int16(b.register(0))) * 125e-6; math.Abs(got-v) > 62.6e-6 {
			rt.Fatalf("%v V reads %v V", v, got)
		}
	})
}

// newMux returns a multiplexer whose channel k carries k*0.1 V, on a clock that
// the test moves.
func newMux(now *time.Duration, gap, settle time.Duration) *emu.CD74HC4067 {
	o := emu.MuxOptions{Now: func() time.Duration { return *now }, Gap: gap, Settle: settle}
	for k := range o.Channels {
		o.Channels[k] = steady(float64(k) / 10)
	}
	return emu.NewCD74HC4067(o)
}

func TestMuxSelects(t *testing.T) {
	now := time.Duration(0)
	m := newMux(&now, 0, 0)
	bank := emu.NewMuxBank(m)
	for k := range 16 {
		if err := bank.Select(k); err != nil {
			t.Fatal(err)
		}
		if got := m.Common(now); math.Abs(got-float64(k)/10) > 1e-9 {
			t.Errorf("channel %d: %v V", k, got)
		}
		if c, on := m.Channel(); c != k || !on {
			t.Errorf("channel %d is selected, %v, want %d", c, on, k)
		}
	}
	// Line by line.
	if err := bank.Out(0b0000, 0b1111); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.1, 0.3, 0.7, 1.5} {
		if err := bank.Out(0xF, 1<<i); err != nil || math.Abs(m.Common(now)-want) > 1e-9 {
			t.Errorf("S0 to S%d high: %v V, %v", i, m.Common(now), err)
		}
	}
	if bank.Writes() != 16+1+4 {
		t.Errorf("%d writes", bank.Writes())
	}
	for _, k := range []int{-1, 16} {
		if err := bank.Select(k); err == nil {
			t.Errorf("channel %d was accepted", k)
		}
	}
	if err := bank.Out(0, 1<<4); err == nil {
		t.Error("a fifth line was accepted")
	}
	mustPanic(t, "no clock", func() { emu.NewCD74HC4067(emu.MuxOptions{}) })
}

// Switched off, or onto an open channel, the common pin keeps what it had.
func TestMuxFloats(t *testing.T) {
	now := time.Duration(0)
	m := newMux(&now, 0, 0)
	m.SetChannel(3, nil)
	m.SetLines(7)
	m.SetE(gpio.High)
	m.SetLines(9)
	now += time.Second
	if got := m.Common(now); math.Abs(got-0.7) > 1e-9 {
		t.Errorf("switched off: %v V, want what was there", got)
	}
	m.SetE(gpio.Low)
	if got := m.Common(now); math.Abs(got-0.9) > 1e-9 {
		t.Errorf("switched on: %v V", got)
	}
	m.SetLines(3)
	now += time.Second
	if got := m.Common(now); math.Abs(got-0.9) > 1e-9 {
		t.Errorf("an open channel shows %v V, want the channel before", got)
	}
}

// A change breaks before it makes, then the pin follows with its time constant:
// 1/e of the difference is left after it, nothing to speak of after ten.
func TestMuxSettles(t *testing.T) {
	now := time.Duration(0)
	m := newMux(&now, time.Microsecond, 4*time.Microsecond)
	m.SetLines(15)
	for _, c := range []struct {
		at   time.Duration
		want float64
	}{
		{0, 0},
		{999 * time.Nanosecond, 0},
		{5 * time.Microsecond, 1.5 * (1 - 1/math.E)},
		{41 * time.Microsecond, 1.5},
	} {
		now = c.at
		if got := m.Common(now); math.Abs(got-c.want) > 1e-3 {
			t.Errorf("after %v: %v V, want %v", c.at, got, c.want)
		}
	}
	m.SetLines(5)
	now += 50 * time.Microsecond
	m.SetLines(0)
	now += 50 * time.Microsecond
	// The past can be asked about.
	for _, c := range []struct {
		ago  time.Duration
		want float64
	}{{0, 0}, {51 * time.Microsecond, 0.5}, {100 * time.Microsecond, 1.5}, {101 * time.Microsecond, 1.5}} {
		if got := m.Common(now - c.ago); math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%v ago: %v V, want %v", c.ago, got, c.want)
		}
	}
}

func TestMuxFaults(t *testing.T) {
	now := time.Duration(0)
	m := newMux(&now, 0, 0)
	bank := emu.NewMuxBank(m)
	bank.Stick(0, 1<<2) // S2 is at GND
	for k := range 16 {
		if err := bank.Select(k); err != nil {
			t.Fatal(err)
		}
		if c, _ := m.Channel(); c != k&^4 {
			t.Errorf("channel %d selects %d", k, c)
		}
	}
	bank.Stick(0, 0)
	if c, _ := m.Channel(); c != 15 {
		t.Errorf("mended: channel %d", c)
	}
	bank.FailOuts(1, emu.NoAck())
	if err := bank.Select(3); err == nil {
		t.Error("no error")
	}
	if c, _ := m.Channel(); c != 15 {
		t.Errorf("a write that failed selected channel %d", c)
	}
	if err := bank.Select(3); err != nil {
		t.Error(err)
	}
}

// muxed is four multiplexers before a converter, as on a board: voltage
// 0.05*(16k+ch)+0.1 at channel ch of multiplexer k.
type muxed struct {
	*bench
	bank *emu.MuxBank
}

func newMuxed(t *testing.T, settle time.Duration) *muxed {
	t.Helper()
	m := &muxed{bench: &bench{t: t}}
	clock := func() time.Duration { return m.now }
	o := emu.ADS1115Options{Now: clock}
	var muxes []*emu.CD74HC4067
	for k := range 4 {
		mo := emu.MuxOptions{Now: clock, Gap: 100 * time.Nanosecond, Settle: settle}
		for ch := range mo.Channels {
			mo.Channels[ch] = steady(muxedVolts(k, ch))
		}
		muxes = append(muxes, emu.NewCD74HC4067(mo))
		o.Inputs[k] = muxes[k].Common
	}
	m.bank = emu.NewMuxBank(muxes...)
	m.chip = emu.NewADS1115(0x48, o)
	m.bus = emu.NewBus(m.chip)
	return m
}

func muxedVolts(k, channel int) float64 { return 0.05*float64(16*k+channel) + 0.1 }

// convert returns AINk in volts; it polls OS.
func (m *muxed) convert(k int) float64 {
	m.write(1, 0xC3+byte(k)<<4, 0xE3)
	for m.register(1)&0x8000 == 0 {
		m.now += 100 * time.Microsecond
	}
	return float64(m.register(0)) * 125e-6
}

// TestADSBehindMux scans 64 voltages as a board does: channel by channel, four
// conversions each; whoever starts before the multiplexer has settled gets some
// of the channel before.
func TestADSBehindMux(t *testing.T) {
	for _, c := range []struct {
		settle, wait time.Duration
		good         bool
	}{
		{5 * time.Microsecond, 50 * time.Microsecond, true},
		{time.Millisecond, 0, false}, // a slow wire
	} {
		m := newMuxed(t, c.settle)
		wrong := 0
		for i := range 64 {
			ch, k := i/4, i%4
			if k == 0 {
				if err := m.bank.Select(ch); err != nil {
					t.Fatal(err)
				}
				m.now += c.wait
			}
			if math.Abs(m.convert(k)-muxedVolts(k, ch)) > 1e-3 {
				wrong++
			}
		}
		if (wrong == 0) != c.good {
			t.Errorf("settles in %v, waited %v: %d of 64 values are wrong", c.settle, c.wait, wrong)
		}
	}
}

func TestADSDoesNotAllocate(t *testing.T) {
	now := time.Duration(0)
	m := newMux(&now, time.Nanosecond, time.Microsecond)
	b := &bench{t: t, chip: emu.NewADS1115(0x48, emu.ADS1115Options{
		Now: func() time.Duration { return now }, Inputs: [4]emu.Voltage{m.Common},
	})}
	b.bus = emu.NewBus(b.chip)
	start, point, r := []byte{1, 0xC3, 0xE3}, []byte{0}, make([]byte, 2)
	if n := testing.AllocsPerRun(100, func() {
		m.SetLines(uint8(now / time.Millisecond))
		_ = b.bus.Tx(0x48, start, nil)
		now += 2 * time.Millisecond
		_ = b.bus.Tx(0x48, point, r)
	}); n != 0 {
		t.Errorf("a conversion allocates %v times", n)
	}
}
