package emu_test

import (
	"slices"
	"testing"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/devices/v3/mcp23xxx"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

func newMCP(t testing.TB) (*emu.MCP23017, *emu.Bus) {
	t.Helper()
	chip := emu.NewMCP23017(0x20)
	return chip, emu.NewBus(chip)
}

// TestMCPRegisters writes down, transfer by transfer, what DS20001952C says:
// table 3-5 for the addresses and power-on values, section 3.2.1 for the
// pointer, registers 3-1 to 3-11 for the bits.
func TestMCPRegisters(t *testing.T) {
	for _, c := range []struct {
		name     string
		levels   uint16
		undriven uint16
		dialogue []transfer
	}{
		{"power-on values", 0x0000, 0, []transfer{
			{[]byte{0x00}, append([]byte{0xFF, 0xFF}, make([]byte, 20)...)},
		}},
		{"the pointer rolls over from 15h to 00h", 0x3412, 0, []transfer{
			{[]byte{0x12}, []byte{0x12, 0x34, 0x00, 0x00, 0xFF, 0xFF, 0x00}},
		}},
		{"rolls over while writing", 0x0000, 0, []transfer{
			{[]byte{0x14, 0xA1, 0xB1, 0x7F}, nil}, // OLATA, OLATB, IODIRA
			{[]byte{0x14}, []byte{0xA1, 0xB1, 0x7F, 0xFF}},
		}},
		{"the pointer survives STOP", 0x3412, 0, []transfer{
			{[]byte{0x12}, nil},
			{nil, []byte{0x12}},
			{nil, []byte{0x34}},
			{nil, []byte{0x00}}, // OLATA
			{[]byte{0x05, 0x0F}, nil},
			{nil, []byte{0x00}}, // DEFVALA
		}},
		{"open pins follow the pull-ups", 0x0000, 0xFFFF, []transfer{
			{[]byte{0x12}, []byte{0x00, 0x00}}, // floating, and 0 at present
			{[]byte{0x0C, 0x7F, 0x80}, nil},
			{[]byte{0x12}, []byte{0x7F, 0x80}},
		}},
		{"a floating pin shows what is about", 0x0100, 0xFFFF, []transfer{
			{[]byte{0x12}, []byte{0x00, 0x01}},
		}},
		{"input polarity", 0x3412, 0, []transfer{
			{[]byte{0x02, 0x0F, 0xF0}, nil},
			{[]byte{0x12}, []byte{0x12 ^ 0x0F, 0x34 ^ 0xF0}},
		}},
		{"writing GPIO writes OLAT, reading it reads the pins", 0x3412, 0, []transfer{
			{[]byte{0x12, 0x5A, 0xA5}, nil},
			{[]byte{0x14}, []byte{0x5A, 0xA5}},
			{[]byte{0x12}, []byte{0x12, 0x34}}, // still inputs
			{[]byte{0x00, 0x0F, 0xFF}, nil},    // GPA4-7 outputs
			{[]byte{0x12}, []byte{0x52, 0x34}},
		}},
		{"IOCON has two addresses, its bit 0 reads 0", 0x0000, 0, []transfer{
			{[]byte{0x0B, 0x47}, nil},
			{[]byte{0x0A}, []byte{0x46, 0x46}},
		}},
		{"INTF and INTCAP cannot be written", 0x0000, 0, []transfer{
			{[]byte{0x0E, 1, 2, 3, 4}, nil},
			{[]byte{0x0E}, []byte{0, 0, 0, 0}},
		}},
		{"byte mode toggles between the ports", 0x3412, 0, []transfer{
			{[]byte{0x0A, 0x20}, nil}, // SEQOP
			{[]byte{0x12}, []byte{0x12, 0x34, 0x12, 0x34}},
			{[]byte{0x13}, []byte{0x34, 0x12, 0x34}},
			{[]byte{0x14, 1, 2, 3}, nil},
			{[]byte{0x14}, []byte{3, 2}},
			{[]byte{0x00}, []byte{0xFF, 0xFF, 0xFF}},
		}},
		{"BANK moves the registers apart", 0x3412, 0, []transfer{
			{[]byte{0x02, 0x01, 0x02}, nil}, // IPOL
			{[]byte{0x0A, 0x80}, nil},       // and the pointer is at 0Bh, where nothing is
			{nil, []byte{0}},
			{[]byte{0x01}, []byte{0x01}},             // IPOLA
			{[]byte{0x11}, []byte{0x02}},             // IPOLB
			{[]byte{0x05}, []byte{0x80}},             // IOCON
			{[]byte{0x15}, []byte{0x80}},             // IOCON
			{[]byte{0x09}, []byte{0x13, 0x00}},       // GPIOA, OLATA
			{[]byte{0x19}, []byte{0x36, 0x00, 0xFF}}, // GPIOB, OLATB, and over to IODIRA
			{[]byte{0x1A, 0x77, 0x0F}, nil},
			{[]byte{0x00}, []byte{0x0F}},
			{[]byte{0x1A}, []byte{0x77}},
			{[]byte{0x15, 0x00}, nil}, // and back
			{[]byte{0x14}, []byte{0x00, 0x77, 0x0F}},
		}},
		{"byte mode with BANK stays where it is", 0x3412, 0, []transfer{
			{[]byte{0x0A, 0xA0}, nil},
			{[]byte{0x09}, []byte{0x12, 0x12, 0x12}},
			{[]byte{0x19}, []byte{0x34, 0x34}},
			{[]byte{0x0A, 1, 2, 3}, nil},
			{[]byte{0x0A}, []byte{3, 3}},
		}},
		{"addresses without a register", 0x3412, 0, []transfer{
			{[]byte{0x16, 0x55}, nil},
			{[]byte{0x16}, []byte{0}},
			{[]byte{0xFF}, []byte{0}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chip, bus := newMCP(t)
			chip.SetPins(c.levels, c.undriven)
			talk(t, bus, c.dialogue)
		})
	}
}

// readMCP returns n bytes from an address of the chip at 0x20.
func readMCP(t *testing.T, bus *emu.Bus, at byte, n int) []byte {
	t.Helper()
	r := make([]byte, n)
	if err := bus.Tx(0x20, []byte{at}, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMCPChange follows sections 3.6.2, 3.6.4 and 3.6.5 for pins that are
// compared with their last level.
func TestMCPChange(t *testing.T) {
	chip, bus := newMCP(t)
	expect := func(what string, wantA, wantB gpio.Level) {
		t.Helper()
		if a, b := chip.INTA(), chip.INTB(); a != wantA || b != wantB {
			t.Errorf("%s: INTA %s INTB %s, want %s %s", what, a, b, wantA, wantB)
		}
	}
	flags := func(what string, want ...byte) {
		t.Helper()
		r := chip.Registers()
		if got := r[0x0E:0x12]; !slices.Equal(got, want) {
			t.Errorf("%s: INTF, INTCAP % x, want % x", what, got, want)
		}
	}
	chip.SetPins(0xFFFF, 0)
	expect("no pin enabled", gpio.High, gpio.High)
	chip.SetPins(0xFF7F, 0)
	talk(t, bus, []transfer{{[]byte{0x04, 0x8F, 0xFF}, nil}}) // GPINTEN
	expect("enabled at rest", gpio.High, gpio.High)

	chip.SetPins(0xFF6F, 0)
	expect("GPA4 changed, which is not enabled", gpio.High, gpio.High)
	chip.SetPins(0xFF6E, 0)
	expect("GPA0 fell", gpio.Low, gpio.High)
	flags("GPA0 fell", 0x01, 0x00, 0x6E, 0x00)
	chip.SetPins(0xFF6F, 0)
	expect("GPA0 returned: the event stays", gpio.Low, gpio.High)
	chip.SetPins(0xFF6D, 0)
	flags("GPA1 fell: INTF and INTCAP are frozen", 0x01, 0x00, 0x6E, 0x00)
	if got := readMCP(t, bus, 0x0E, 2); !slices.Equal(got, []byte{1, 0}) {
		t.Errorf("INTF % x", got)
	}
	expect("INTF was read", gpio.Low, gpio.High)
	talk(t, bus, []transfer{{[]byte{0x10, 0, 0, 0, 0}, nil}})
	expect("INTCAP and GPIO were written", gpio.Low, gpio.High)
	if got := readMCP(t, bus, 0x11, 1); got[0] != 0 {
		t.Errorf("INTCAPB %x", got)
	}
	expect("the other port was read", gpio.Low, gpio.High)
	if got := readMCP(t, bus, 0x10, 1); got[0] != 0x6E {
		t.Errorf("INTCAPA %x, want 6e", got)
	}
	expect("INTCAPA was read: what came later is lost", gpio.High, gpio.High)
	if got := readMCP(t, bus, 0x12, 1); got[0] != 0x6D {
		t.Errorf("GPIOA %x", got)
	}

	chip.SetPins(0x7F6D, 0)
	expect("GPB7 fell", gpio.High, gpio.Low)
	flags("GPB7 fell", 0x00, 0x80, 0x6E, 0x7F)
	_ = readMCP(t, bus, 0x13, 1)
	expect("GPIOB was read", gpio.High, gpio.High)

	talk(t, bus, []transfer{{[]byte{0x00, 0xFE}, nil}}) // GPA0 an output, low like the latch
	talk(t, bus, []transfer{{[]byte{0x14, 0x01}, nil}})
	expect("an output changed", gpio.High, gpio.High)
}

// TestMCPDefault: pins that are compared with DEFVAL (section 3.6.3) interrupt
// as long as they differ, however often they are read.
func TestMCPDefault(t *testing.T) {
	chip, bus := newMCP(t)
	chip.SetPins(0xFFFF, 0)
	talk(t, bus, []transfer{
		{[]byte{0x06, 0xFF, 0xFF}, nil}, // DEFVAL
		{[]byte{0x08, 0xFF, 0xFF}, nil}, // INTCON
		{[]byte{0x04, 0xFF, 0xFF}, nil}, // GPINTEN
	})
	if chip.INTA() != gpio.High {
		t.Fatal("an interrupt at rest")
	}
	chip.SetPins(0xFFFE, 0)
	for range 3 {
		if chip.INTA() != gpio.Low || chip.INTB() != gpio.High {
			t.Fatal("GPA0 differs from DEFVAL and INTA is high, or INTB low")
		}
		_ = readMCP(t, bus, 0x12, 1)
	}
	chip.SetPins(0xFFFD, 0)
	_ = readMCP(t, bus, 0x10, 1)
	if r := chip.Registers(); r[0x0E] != 0x02 || r[0x10] != 0xFD {
		t.Errorf("raised again: INTF %x INTCAP %x, want 02 fd", r[0x0E], r[0x10])
	}
	chip.SetPins(0xFFFF, 0)
	if chip.INTA() != gpio.Low {
		t.Error("it ended without a read")
	}
	_ = readMCP(t, bus, 0x12, 1)
	if chip.INTA() != gpio.High {
		t.Error("nothing differs and GPIO was read, but INTA is low")
	}
	// Enabled when it already differs: at once.
	talk(t, bus, []transfer{{[]byte{0x07, 0x00}, nil}})
	if chip.INTB() != gpio.Low {
		t.Error("port B differs from a new DEFVAL and INTB is high")
	}
}

// TestMCPInterruptPins: MIRROR, ODR and INTPOL of register 3-6.
func TestMCPInterruptPins(t *testing.T) {
	for _, c := range []struct {
		iocon       byte
		idle, a, b  gpio.Level
		description string
	}{
		{0x00, gpio.High, gpio.Low, gpio.High, "as after power-on: active low"},
		{0x40, gpio.High, gpio.Low, gpio.Low, "mirrored"},
		{0x02, gpio.Low, gpio.High, gpio.Low, "active high"},
		{0x42, gpio.Low, gpio.High, gpio.High, "active high, mirrored"},
		{0x04, gpio.High, gpio.Low, gpio.High, "open drain"},
		{0x06, gpio.High, gpio.Low, gpio.High, "open drain overrides the polarity"},
	} {
		chip, bus := newMCP(t)
		chip.SetPins(0xFFFF, 0)
		talk(t, bus, []transfer{{[]byte{0x0A, c.iocon}, nil}, {[]byte{0x04, 0xFF, 0xFF}, nil}})
		if a, b := chip.INTA(), chip.INTB(); a != c.idle || b != c.idle {
			t.Errorf("%s: at rest %s %s", c.description, a, b)
		}
		chip.SetPins(0xFFFE, 0)
		if a, b := chip.INTA(), chip.INTB(); a != c.a || b != c.b {
			t.Errorf("%s: INTA %s INTB %s, want %s %s", c.description, a, b, c.a, c.b)
		}
	}
}

// TestMCPBurst is the scan of one chip: INTF, INTCAP and GPIO in one transfer.
func TestMCPBurst(t *testing.T) {
	chip, bus := newMCP(t)
	chip.SetPins(0xFFFF, 0)
	talk(t, bus, []transfer{{[]byte{0x04, 0x7F, 0x7F}, nil}})
	chip.SetPins(0xFEFD, 0)
	bus.ResetStats()
	if got := readMCP(t, bus, 0x0E, 6); !slices.Equal(got, []byte{0x02, 0x01, 0xFD, 0xFE, 0xFD, 0xFE}) {
		t.Errorf("% x", got)
	}
	if chip.INTA() != gpio.High || chip.INTB() != gpio.High {
		t.Error("a burst left an interrupt")
	}
	if got := 8 * bus.Stats().Bits; got != 672 {
		t.Errorf("eight chips take %d bits, want 672", got)
	}
}

func TestMCPPowerCycle(t *testing.T) {
	chip, bus := newMCP(t)
	chip.SetPins(0xFFFF, 0)
	talk(t, bus, []transfer{
		{[]byte{0x00, 0x7F, 0x7F, 1, 2, 0x7F, 0x7F, 3, 4, 5, 6, 0x44, 0x44, 7, 8}, nil},
		{[]byte{0x14, 9, 10}, nil},
	})
	chip.SetPins(0, 0)
	chip.PowerCycle()
	want := [22]byte{0: 0xFF, 1: 0xFF}
	if got := chip.Registers(); got != want {
		t.Errorf("registers % x, want % x", got, want)
	}
	if chip.Pointer() != 0 || chip.INTA() != gpio.High || chip.INTB() != gpio.High {
		t.Error("pointer or interrupts survived")
	}
	mustPanic(t, "an MCP23017 at 0x28", func() { emu.NewMCP23017(0x28) })
	if got := emu.NewMCP23017(0x27).Address(); got != 0x27 {
		t.Errorf("address %#x", got)
	}
}

// TestMCPPin7 is the silicon of 2022 and later: a change on GPA7 or GPB7, used
// as an input, ends the transfer that shifts it out.
func TestMCPPin7(t *testing.T) {
	chip, bus := newMCP(t)
	chip.SetPins(0x0000, 0)
	chip.DisturbReads(1)
	if got := readMCP(t, bus, 0x0E, 6); !slices.Equal(got, []byte{0, 0, 0, 0, 0x7F, 0xFF}) {
		t.Errorf("disturbed: % x", got)
	}
	if got := readMCP(t, bus, 0x12, 2); !slices.Equal(got, []byte{0, 0}) {
		t.Errorf("the next read: % x", got)
	}
	chip.DisturbReads(1)
	talk(t, bus, []transfer{{[]byte{0x00, 0x7F, 0x7F}, nil}}) // bit 7 of both IODIR clear
	if got := readMCP(t, bus, 0x12, 2); !slices.Equal(got, []byte{0, 0}) {
		t.Errorf("pins 7 are outputs and still disturb: % x", got)
	}
	talk(t, bus, []transfer{{[]byte{0x00, 0x7F, 0xFF}, nil}})
	if got := readMCP(t, bus, 0x12, 2); !slices.Equal(got, []byte{0, 0x7F}) {
		t.Errorf("GPB7 alone is an input: % x", got)
	}
}

func TestMCPFrozenInputs(t *testing.T) {
	chip, bus := newMCP(t)
	chip.SetPins(0x1234, 0)
	talk(t, bus, []transfer{{[]byte{0x04, 0xFF, 0xFF}, nil}})
	chip.Freeze(true)
	chip.Freeze(true)
	chip.SetPins(0xFFFF, 0)
	talk(t, bus, []transfer{{[]byte{0x12}, []byte{0x34, 0x12}}})
	if chip.INTA() != gpio.High {
		t.Error("a frozen input raised an interrupt")
	}
	chip.Freeze(false)
	if chip.INTA() != gpio.Low {
		t.Error("the pins changed and no interrupt came")
	}
	talk(t, bus, []transfer{{[]byte{0x12}, []byte{0xFF, 0xFF}}})
}

// TestMCPAgainstPeriphDriver lets periph's own driver for the family judge the
// emulator.
func TestMCPAgainstPeriphDriver(t *testing.T) {
	chip := emu.NewMCP23017(0x24)
	dev, err := mcp23xxx.NewI2C(emu.NewBus(chip), mcp23xxx.MCP23017, 0x24)
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
			useMCPPin(t, chip, dev.Pins[port][pin], 1<<(8*port+pin))
		}
	}
}

// useMCPPin reads a pin at both levels, open with its pull-up, inverted, and
// drives it.
func useMCPPin(t *testing.T, chip *emu.MCP23017, p mcp23xxx.Pin, bit uint16) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, want gpio.Level) {
		t.Helper()
		if got := p.Read(); got != want {
			t.Errorf("%s %s: read %s, want %s", p, what, got, want)
		}
	}
	ok(p.In(gpio.PullUp, gpio.NoEdge))
	chip.SetPins(bit, 0)
	expect("high", gpio.High)
	chip.SetPins(^bit, 0)
	expect("low", gpio.Low)
	chip.SetPins(0, 0xFFFF)
	expect("open", gpio.High)
	ok(p.In(gpio.Float, gpio.NoEdge))
	expect("floating", gpio.Low)
	ok(p.SetPolarityInverted(true))
	expect("inverted", gpio.High)
	ok(p.SetPolarityInverted(false))
	for _, l := range []gpio.Level{gpio.High, gpio.Low} {
		ok(p.Out(l))
		if got := gpio.Level(chip.Pins()&bit != 0); got != l {
			t.Errorf("%s driven %s is %s", p, l, got)
		}
	}
	ok(p.In(gpio.Float, gpio.NoEdge))
}

// TestMCPPointer compares the way of the pointer, for any transfers, with the
// list of registers that section 3.2.1 describes.
func TestMCPPointer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		banked, bytewise := rapid.Bool().Draw(rt, "BANK"), rapid.Bool().Draw(rt, "SEQOP")
		iocon, last := byte(0), 0x15
		if banked {
			iocon, last = 0x80, 0x1A
		}
		if bytewise {
			iocon |= 0x20
		}
		chip := emu.NewMCP23017(0x20)
		bus := emu.NewBus(chip)
		if err := bus.Tx(0x20, []byte{0x0A, iocon}, nil); err != nil {
			rt.Fatal(err)
		}
		start := rapid.IntRange(0, last).Draw(rt, "address")
		n := rapid.IntRange(0, 60).Draw(rt, "bytes")
		if err := bus.Tx(0x20, []byte{byte(start)}, make([]byte, n)); err != nil {
			rt.Fatal(err)
		}
		want := (start + n) % (last + 1)
		switch {
		case bytewise && banked:
			want = start
		case bytewise:
			want = start ^ n&1
		}
		if got := int(chip.Pointer()); got != want {
			rt.Fatalf("%d bytes from %02x: pointer %02x, want %02x", n, start, got, want)
		}
	})
}

func TestMCPDoesNotAllocate(t *testing.T) {
	chip, bus := newMCP(t)
	w, r := []byte{0x0E}, make([]byte, 6)
	n := uint16(0)
	if got := testing.AllocsPerRun(100, func() {
		n++
		chip.SetPins(n, 0)
		_ = bus.Tx(0x20, w, r)
	}); got != 0 {
		t.Errorf("a scan of one chip allocates %v times", got)
	}
}
