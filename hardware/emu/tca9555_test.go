package emu_test

import (
	"bytes"
	"testing"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/devices/v3/tca95xx"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// transfer is one line of a hand-written dialogue.
type transfer struct {
	w []byte // bytes written
	r []byte // bytes that must come back
}

// talk runs a dialogue with the chip at 0x20.
func talk(t *testing.T, bus *emu.Bus, dialogue []transfer) {
	t.Helper()
	for i, d := range dialogue {
		r := make([]byte, len(d.r))
		if err := bus.Tx(0x20, d.w, r); err != nil {
			t.Fatalf("transfer %d (% x): %v", i, d.w, err)
		}
		if !bytes.Equal(r, d.r) {
			t.Errorf("transfer %d (% x): read % x, want % x", i, d.w, r, d.r)
		}
	}
}

func newChip(t *testing.T) (*emu.TCA9555, *emu.Bus) {
	t.Helper()
	chip := emu.NewTCA9555(0x20, emu.TCAOptions{})
	return chip, emu.NewBus(chip)
}

// TestRegisters writes down, transfer by transfer, what the register tables of
// SCPS200E section 9.6.1 and the bus diagrams of section 9.5.2.1 say.
func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		name     string
		levels   uint16
		undriven uint16
		dialogue []transfer
	}{
		{"power-on values", 0x0000, 0xFFFF, []transfer{
			{[]byte{0}, []byte{0xFF, 0xFF}}, // open pins: pull-ups
			{[]byte{2}, []byte{0xFF, 0xFF}},
			{[]byte{4}, []byte{0x00, 0x00}},
			{[]byte{6}, []byte{0xFF, 0xFF}},
		}},
		{"inputs by port", 0x3412, 0, []transfer{
			{[]byte{0}, []byte{0x12, 0x34}},
			{[]byte{1}, []byte{0x34, 0x12}}, // starts at port 1, then port 0
			{[]byte{0}, []byte{0x12}},
			{[]byte{1}, []byte{0x34}},
		}},
		{"open pins read 1", 0x0000, 0x8001, []transfer{
			{[]byte{0}, []byte{0x01, 0x80}},
		}},
		{"pair toggles on write and does not leave the pair", 0x0000, 0, []transfer{
			{[]byte{3, 0x11, 0x22, 0x33}, nil}, // 3, 2, 3
			{[]byte{2}, []byte{0x22, 0x33, 0x22}},
			{[]byte{6}, []byte{0xFF, 0xFF}}, // configuration untouched
		}},
		{"each pair toggles on read", 0x0000, 0, []transfer{
			{[]byte{4, 0xA1, 0xA2}, nil},
			{[]byte{5}, []byte{0xA2, 0xA1, 0xA2, 0xA1}},
			{[]byte{6, 0xB1, 0xB2}, nil},
			{[]byte{7}, []byte{0xB2, 0xB1, 0xB2}},
		}},
		{"command byte survives STOP", 0x3412, 0, []transfer{
			{[]byte{1}, nil},
			{nil, []byte{0x34, 0x12}},
			{nil, []byte{0x34, 0x12}}, // an even number of bytes: back where it was
			{nil, []byte{0x34}},
			{nil, []byte{0x12}}, // an odd number: the other register of the pair
			{[]byte{2, 0x77}, nil},
			{nil, []byte{0xFF}}, // after a write of register 2 the pointer is at 3
		}},
		{"only the low three bits of the command count", 0x3412, 0, []transfer{
			{[]byte{0xFA, 0x5A, 0xA5}, nil}, // = 2
			{[]byte{0x02}, []byte{0x5A, 0xA5}},
			{[]byte{0x08}, []byte{0x12, 0x34}}, // = 0
		}},
		{"inputs cannot be written", 0x3412, 0, []transfer{
			{[]byte{0, 0xEE, 0xEE}, nil},
			{[]byte{0}, []byte{0x12, 0x34}},
			{[]byte{2}, []byte{0xFF, 0xFF}},
		}},
		{"polarity inversion", 0x3412, 0, []transfer{
			{[]byte{4, 0x0F, 0xF0}, nil},
			{[]byte{0}, []byte{0x12 ^ 0x0F, 0x34 ^ 0xF0}},
		}},
		{"outputs read the level they drive", 0x0000, 0, []transfer{
			{[]byte{6, 0x0F, 0xFF}, nil}, // P0.4-7 outputs
			{[]byte{2, 0xA5}, nil},
			{[]byte{0}, []byte{0xA0, 0x00}},
			{[]byte{4, 0xFF}, nil}, // inverted like inputs
			{[]byte{0}, []byte{0x5F, 0x00}},
		}},
		{"output latch of an input holds any value", 0xFFFF, 0, []transfer{
			{[]byte{2, 0x5A, 0xA5}, nil},
			{[]byte{0}, []byte{0xFF, 0xFF}},
			{[]byte{2}, []byte{0x5A, 0xA5}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chip, bus := newChip(t)
			chip.SetPins(c.levels, c.undriven)
			talk(t, bus, c.dialogue)
		})
	}
}

func TestPowerCycle(t *testing.T) {
	chip, bus := newChip(t)
	chip.SetPins(0x1234, 0)
	talk(t, bus, []transfer{
		{[]byte{2, 0x5A, 0xA5}, nil}, {[]byte{4, 1, 2}, nil}, {[]byte{6, 3, 4}, nil},
	})
	// P0.0, P0.1 and P1.2 are inputs, and low outside; the others drive A55Ah.
	if got, want := chip.Pins(), uint16(0xA158); got != want {
		t.Errorf("pins %#04x, want %#04x", got, want)
	}
	chip.PowerCycle()
	// SCPS200E section 9.6.1: outputs 1, polarity 0, configuration 1.
	if got, want := chip.Registers(), [8]byte{0x34, 0x12, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF}; got != want {
		t.Errorf("registers % x, want % x", got, want)
	}
	if chip.INT() != gpio.High {
		t.Error("INT is low right after power-up")
	}
	if chip.Pointer() != 0 {
		t.Errorf("pointer %d", chip.Pointer())
	}
}

func TestAddresses(t *testing.T) {
	for a := uint16(0x20); a <= 0x27; a++ {
		if got := emu.NewTCA9555(a, emu.TCAOptions{}).Address(); got != a {
			t.Errorf("address %#x, want %#x", got, a)
		}
	}
	for _, a := range []uint16{0x1F, 0x28, 0x40} {
		mustPanic(t, "a chip at a wrong address", func() { emu.NewTCA9555(a, emu.TCAOptions{}) })
	}
}

// TestInterrupt follows SCPS200E section 9.3.3 step by step.
func TestInterrupt(t *testing.T) {
	chip, bus := newChip(t)
	chip.SetPins(0xFFFF, 0)
	read := func(cmd byte, n int) {
		t.Helper()
		if err := bus.Tx(0x20, []byte{cmd}, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, want gpio.Level) {
		t.Helper()
		if got := chip.INT(); got != want {
			t.Errorf("%s: INT is %s, want %s", what, got, want)
		}
	}
	expect("at rest", gpio.High)
	chip.SetPins(0xFFFE, 0)
	expect("P0.0 fell", gpio.Low)
	chip.SetPins(0xFFFF, 0)
	expect("P0.0 returned", gpio.High)
	chip.SetPins(0xFFFE, 0)
	read(1, 1)
	expect("port 1 was read, P0.0 still differs", gpio.Low)
	read(2, 2)
	expect("outputs were read", gpio.Low)
	read(0, 1)
	expect("port 0 was read", gpio.High)
	chip.SetPins(0x7FFE, 0)
	read(0, 1)
	expect("port 0 was read, P1.7 differs", gpio.Low)
	read(0, 2)
	expect("both were read", gpio.High)

	// Outputs never interrupt; polarity plays no part.
	talk(t, bus, []transfer{{[]byte{4, 0xFF, 0xFF}, nil}, {[]byte{6, 0xFE, 0xFF}, nil}})
	expect("polarity and configuration written", gpio.High)
	talk(t, bus, []transfer{{[]byte{2, 0x01}, nil}})
	expect("an output changed", gpio.High)
	talk(t, bus, []transfer{{[]byte{0}, []byte{0xFE ^ 0xFF ^ 0x01, 0x7F ^ 0xFF}}})

	// Output to input: the pin is 0 outside, 1 was last read.
	talk(t, bus, []transfer{{[]byte{6, 0xFF, 0xFF}, nil}})
	expect("an output became an input of another level", gpio.Low)
}

// TestErratum is SCPS131J section 8.4.1.1: the condition, each half of it
// missing, and the other family member.
func TestErratum(t *testing.T) {
	for _, c := range []struct {
		name    string
		pca     bool
		command []byte
		other   uint16
		read    bool
		want    gpio.Level
	}{
		{"command 00h, another chip is read", true, []byte{0}, 0x21, true, gpio.High},
		{"command parked at 02h", true, []byte{2}, 0x21, true, gpio.Low},
		{"command 01h", true, []byte{1}, 0x21, true, gpio.Low},
		{"another chip is only written", true, []byte{0}, 0x21, false, gpio.Low},
		{"nobody acknowledges", true, []byte{0}, 0x22, true, gpio.Low},
		{"TCA9555", false, []byte{0}, 0x21, true, gpio.Low},
	} {
		t.Run(c.name, func(t *testing.T) {
			chip := emu.NewTCA9555(0x20, emu.TCAOptions{PCA9555: c.pca})
			bus := emu.NewBus(chip, emu.NewTCA9555(0x21, emu.TCAOptions{PCA9555: c.pca}))
			if err := bus.Tx(0x20, c.command, nil); err != nil {
				t.Fatal(err)
			}
			chip.SetPins(0x0000, 0)
			if chip.INT() != gpio.Low {
				t.Fatal("no interrupt to lose")
			}
			var r []byte
			if c.read {
				r = make([]byte, 2)
			}
			_ = bus.Tx(c.other, []byte{0}, r) // 0x22 fails, as it should
			if got := chip.INT(); got != c.want {
				t.Errorf("INT is %s, want %s", got, c.want)
			}
		})
	}
}

// TestErratumAfterDetach: a chip that is off the bus hears nothing.
func TestErratumAfterDetach(t *testing.T) {
	chip := emu.NewTCA9555(0x20, emu.TCAOptions{PCA9555: true})
	bus := emu.NewBus(chip, emu.NewTCA9555(0x21, emu.TCAOptions{}))
	bus.Detach(0x20)
	chip.SetPins(0, 0)
	if err := bus.Tx(0x21, []byte{0}, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if chip.INT() != gpio.Low {
		t.Error("a detached chip lost its interrupt")
	}
}

// TestAgainstPeriphDriver lets periph's own driver for the family judge the
// emulator.
func TestAgainstPeriphDriver(t *testing.T) {
	chip := emu.NewTCA9555(0x23, emu.TCAOptions{})
	dev, err := tca95xx.New(emu.NewBus(chip), tca95xx.TCA9555, 0x23)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}()
	for port := range 2 {
		for pin := range 8 {
			useAsInput(t, chip, dev.Pins[port][pin], 1<<(8*port+pin))
			useAsOutput(t, chip, dev.Pins[port][pin], 1<<(8*port+pin))
		}
	}
}

// useAsInput reads a pin at both levels, plain and inverted.
func useAsInput(t *testing.T, chip *emu.TCA9555, p tca95xx.Pin, bit uint16) {
	t.Helper()
	for _, inverted := range []gpio.Level{false, true} {
		if err := p.SetPolarityInverted(bool(inverted)); err != nil {
			t.Fatal(err)
		}
		for _, level := range []gpio.Level{gpio.Low, gpio.High} {
			if chip.SetPins(bit, 0); level == gpio.Low {
				chip.SetPins(^bit, 0)
			}
			if got := p.Read(); got != level != inverted {
				t.Errorf("%s is %s outside, inverted %t: read %s", p, level, inverted, got)
			}
		}
	}
	if err := p.SetPolarityInverted(false); err != nil {
		t.Fatal(err)
	}
}

// useAsOutput drives a pin to both levels against the circuit around it, and
// then makes it an input again.
func useAsOutput(t *testing.T, chip *emu.TCA9555, p tca95xx.Pin, bit uint16) {
	t.Helper()
	for _, level := range []gpio.Level{gpio.High, gpio.Low} {
		if err := p.Out(level); err != nil {
			t.Fatal(err)
		}
		if chip.SetPins(bit, 0); level == gpio.High {
			chip.SetPins(^bit, 0)
		}
		if got := gpio.Level(chip.Pins()&bit != 0); got != level || p.Read() != level {
			t.Errorf("%s driven %s: is %s, reads %s", p, level, got, p.Read())
		}
	}
	if err := p.In(gpio.Float, gpio.NoEdge); err != nil {
		t.Fatal(err)
	}
	if p.Read() != gpio.High {
		t.Errorf("%s: an input again, it does not read what is outside", p)
	}
}

// TestNeverLeavesThePair checks, for any transfers, that the four pairs keep
// apart, that a bare read goes on in turns where the pointer is, and that
// reading changes no register.
func TestNeverLeavesThePair(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		chip := emu.NewTCA9555(0x20, emu.TCAOptions{})
		bus := emu.NewBus(chip)
		chip.SetPins(rapid.Uint16().Draw(rt, "levels"), rapid.Uint16().Draw(rt, "undriven"))
		for range rapid.IntRange(1, 20).Draw(rt, "transfers") {
			anyWrite(rt, bus, chip)
			anyRead(rt, bus, chip)
		}
	})
}

func anyWrite(rt *rapid.T, bus *emu.Bus, chip *emu.TCA9555) {
	cmd := rapid.Byte().Draw(rt, "command")
	data := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(rt, "data")
	before := chip.Registers()
	if err := bus.Tx(0x20, append([]byte{cmd}, data...), nil); err != nil {
		rt.Fatal(err)
	}
	after := chip.Registers()
	for reg := byte(2); reg < 8; reg++ { // the inputs may follow outputs
		if reg&6 != cmd&6 && before[reg] != after[reg] {
			rt.Fatalf("command %#x changed register %d", cmd, reg)
		}
	}
}

func anyRead(rt *rapid.T, bus *emu.Bus, chip *emu.TCA9555) {
	want, start := chip.Registers(), chip.Pointer()
	r := make([]byte, rapid.IntRange(0, 5).Draw(rt, "read"))
	if err := bus.Tx(0x20, nil, r); err != nil {
		rt.Fatal(err)
	}
	for i, v := range r {
		if reg := start ^ byte(i&1); v != want[reg] {
			rt.Fatalf("read %d gave %#x, register %d holds %#x", i, v, reg, want[reg])
		}
	}
	if chip.Registers() != want {
		rt.Fatal("reading changed a register")
	}
}
