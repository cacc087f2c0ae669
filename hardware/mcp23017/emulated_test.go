package mcp23017_test

import (
	"errors"
	"testing"

	"periph.io/x/conn/v3/gpio"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/mcp23017"
)

func TestInitAfterPowerOn(t *testing.T) {
	t.Parallel()
	chip := emu.NewMCP23017(0x20)
	chip.SetPins(0, 0x8080)
	bus := emu.NewBus(chip)
	d := mcp23017.New(bus, 0x20)
	if intact, err := d.Canary(); err != nil || intact {
		t.Fatalf("a chip just powered up has its canary: %v, %v", intact, err)
	}
	bus.ResetStats()
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if s := bus.Stats(); s.Transactions != 9 || s.Bits != 579 {
		t.Errorf("Init took %d transfers and %d clocks, documented are 9 and 579", s.Transactions, s.Bits)
	}
	chip.SetPins(0x2B5C, 0x8080)
	bus.ResetStats()
	if v, err := d.ReadInputs(); err != nil || v != 0x2B5C {
		t.Errorf("read %04X, %v", v, err)
	}
	if s := bus.Stats(); s.Bits != 48 {
		t.Errorf("a read took %d clocks, want 48", s.Bits)
	}
	bus.ResetStats()
	if alive, err := d.Pulse(); err != nil || !alive {
		t.Errorf("a sound chip: alive %v, %v", alive, err)
	}
	if s := bus.Stats(); s.Bits != 124 {
		t.Errorf("a pulse took %d clocks, want 124", s.Bits)
	}
	if v, err := d.ReadInputs(); err != nil || v != 0x2B5C {
		t.Errorf("read after a pulse %04X, %v", v, err)
	}
	if err := d.Verify(); err != nil {
		t.Error(err)
	}
	chip.PowerCycle()
	if intact, err := d.Canary(); err != nil || intact {
		t.Errorf("a reset was not seen: %v, %v", intact, err)
	}
	if _, err := d.ReadInputs(); !errors.Is(err, mcp23017.ErrPattern) {
		t.Errorf("a read of a chip that was reset: %v", err)
	}
}

// Whatever a disturbance has left in the registers, BANK and SEQOP included,
// Init brings the chip back.
func TestInitFromAnyState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		chip := emu.NewMCP23017(0x20)
		chip.SetPins(0x7F7F, 0x8080)
		bus := emu.NewBus(chip)
		for range rapid.IntRange(0, 6).Draw(t, "writes") {
			w := rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "bytes")
			w[0] = rapid.SampledFrom([]byte{0, 5, 0xA, 0xB, 0x14, w[0]}).Draw(t, "register")
			if err := bus.Tx(0x20, w, nil); err != nil {
				t.Fatal(err)
			}
		}
		d := mcp23017.New(bus, 0x20)
		if err := d.Init(); err != nil {
			t.Fatal(err)
		}
		chip.SetPins(0x1234, 0x8080)
		if v, err := d.ReadInputs(); err != nil || v != 0x1234 {
			t.Fatalf("read %04X, %v", v, err)
		}
		if regs := chip.Registers(); regs[0] != 0x7F || regs[1] != 0x7F {
			t.Fatalf("pin 7 is an input: % X", regs)
		}
	})
}

// Before Init pin 7 is an input, and a level that moves there spoils reads;
// after it, none.
func TestPin7CannotDisturb(t *testing.T) {
	t.Parallel()
	chip := emu.NewMCP23017(0x20)
	chip.SetPins(0x1234, 0)
	bus := emu.NewBus(chip)
	chip.DisturbReads(1)
	d := mcp23017.New(bus, 0x20)
	if _, err := d.ReadInputs(); !errors.Is(err, mcp23017.ErrPattern) {
		t.Errorf("a disturbed read: %v", err)
	}
	chip.DisturbReads(10)
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if v, err := d.ReadInputs(); err != nil || v != 0x1234 {
			t.Fatalf("read %04X, %v", v, err)
		}
	}
}

func TestInterruptLine(t *testing.T) {
	t.Parallel()
	chip := emu.NewMCP23017(0x20)
	chip.SetPins(0x7F7F, 0x8080)
	bus := emu.NewBus(chip)
	d := mcp23017.New(bus, 0x20)
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReadInputs(); err != nil {
		t.Fatal(err)
	}
	for _, pins := range []uint16{0x7F7E, 0x3F7E, 0x7F7F} {
		if chip.INTA() != gpio.High || chip.INTB() != gpio.High {
			t.Fatal("an interrupt without a change")
		}
		chip.SetPins(pins, 0x8080)
		if chip.INTA() != gpio.Low || chip.INTB() != gpio.Low {
			t.Errorf("pins %04X: INTA %v, INTB %v, want both low", pins, chip.INTA(), chip.INTB())
		}
		if v, err := d.ReadInputs(); err != nil || v != pins {
			t.Errorf("read %04X, %v", v, err)
		}
	}
	if _, err := d.Pulse(); err != nil {
		t.Fatal(err)
	}
	if chip.INTA() != gpio.High {
		t.Error("the chip's own outputs interrupt")
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	bus := emu.NewBus(emu.NewMCP23017(0x20))
	d := mcp23017.New(bus, 0x20)
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := d.ReadInputs(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Intact(0); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Pulse(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
