package emu_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/devices/v3/ht16k33"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// matrix returns a chip whose oscillator runs, with an empty RAM and the
// display on.
func matrix(t testing.TB, o emu.HTOptions) (*emu.HT16K33, *emu.Bus) {
	t.Helper()
	chip := emu.NewHT16K33(0x70, o)
	bus := emu.NewBus(chip)
	for _, w := range [][]byte{{0x21}, make([]byte, 17), {0x81}} {
		if err := bus.Tx(0x70, w, nil); err != nil {
			t.Fatal(err)
		}
	}
	return chip, bus
}

func htWrite(t testing.TB, bus *emu.Bus, b ...byte) {
	t.Helper()
	if err := bus.Tx(0x70, b, nil); err != nil {
		t.Fatal(err)
	}
}

func htRead(t testing.TB, bus *emu.Bus, from byte, n int) []byte {
	t.Helper()
	r := make([]byte, n)
	if err := bus.Tx(0x70, []byte{from}, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMatrixPlaces: byte 2n of the RAM is ROW0 to ROW7 on COMn, byte 2n+1 is
// ROW8 to ROW15, bit 0 the first (v1.10, "Display Memory", p. 13).
func TestMatrixPlaces(t *testing.T) {
	chip, bus := matrix(t, emu.HTOptions{})
	for com := range 8 {
		for row := range 16 {
			w := make([]byte, 17)
			w[1+2*com+row/8] = 1 << (row % 8)
			htWrite(t, bus, w...)
			var want [8]uint16
			want[com] = 1 << row
			if got := chip.Lit(0); got != want {
				t.Fatalf("COM%d ROW%d: lit %04x, want %04x", com, row, got, want)
			}
		}
	}
}

// TestMatrixPackages: the small packages have fewer ROW pins, and INT takes
// the last one away.
func TestMatrixPackages(t *testing.T) {
	for _, c := range []struct {
		pins         int
		row, withINT uint16
	}{{28, 0xFFFF, 0x7FFF}, {24, 0x0FFF, 0x07FF}, {20, 0x00FF, 0x007F}} {
		chip, bus := matrix(t, emu.HTOptions{Pins: c.pins})
		htWrite(t, bus, append([]byte{0}, bytes.Repeat([]byte{0xFF}, 16)...)...)
		if got := chip.Lit(0); got[0] != c.row || got[7] != c.row {
			t.Errorf("%d pins: lit %04x, want rows %04x", c.pins, got, c.row)
		}
		htWrite(t, bus, 0xA1)
		if got := chip.Lit(0); got[0] != c.withINT {
			t.Errorf("%d pins with INT: lit %04x, want %04x", c.pins, got[0], c.withINT)
		}
	}
	for _, c := range []struct {
		addr uint16
		pins int
	}{{0x6F, 28}, {0x78, 28}, {0x74, 24}, {0x71, 20}, {0x70, 16}} {
		mustPanic(t, "an HT16K33 that does not exist", func() { emu.NewHT16K33(c.addr, emu.HTOptions{Pins: c.pins}) })
	}
	for _, c := range []struct {
		addr uint16
		pins int
	}{{0x77, 0}, {0x73, 24}, {0x70, 20}} {
		if got := emu.NewHT16K33(c.addr, emu.HTOptions{Pins: c.pins}).Address(); got != c.addr {
			t.Errorf("address %#x, want %#x", got, c.addr)
		}
	}
}

func TestMatrixRAMPointer(t *testing.T) {
	_, bus := matrix(t, emu.HTOptions{})
	htWrite(t, bus, 0x0E, 1, 2, 3, 4) // 0Eh, 0Fh, 00h, 01h
	if got := htRead(t, bus, 0x0E, 4); !slices.Equal(got, []byte{1, 2, 3, 4}) {
		t.Errorf("read over the end: % x", got)
	}
	r := make([]byte, 2)
	if err := bus.Tx(0x70, nil, r); err != nil { // The pointer stays where it was.
		t.Fatal(err)
	}
	if !slices.Equal(r, []byte{0, 0}) {
		t.Errorf("read on from 02h: % x", r)
	}
	htWrite(t, bus, 0x05)
	htWrite(t, bus, 0xEF, 0x77) // A command takes no data.
	if got := htRead(t, bus, 0x00, 16); !slices.Equal(got, append([]byte{3, 4}, append(make([]byte, 12), 1, 2)...)) {
		t.Errorf("RAM % x", got)
	}
}

// TestMatrixBlink looks at the middle of every eighth of a second: 2 Hz is
// four changes a second.
func TestMatrixBlink(t *testing.T) {
	chip, bus := matrix(t, emu.HTOptions{})
	htWrite(t, bus, 0x00, 0x01)
	for setup, changesIn4s := range map[byte]int{0x81: 0, 0x83: 15, 0x85: 7, 0x87: 3} {
		htWrite(t, bus, setup)
		changes, lit := 0, 0
		var last bool
		for i := range 32 {
			now := chip.Lit(time.Duration(i)*125*time.Millisecond + 60*time.Millisecond)[0] != 0
			if i > 0 && now != last {
				changes++
			}
			if last = now; now {
				lit++
			}
		}
		if changes != changesIn4s || lit != 16 && changesIn4s > 0 || lit != 32 && changesIn4s == 0 {
			t.Errorf("setup %#x: %d changes in 4 s, lit in %d of 32 looks", setup, changes, lit)
		}
	}
	htWrite(t, bus, 0x82) // Blinking, but off.
	if chip.Lit(0)[0] != 0 {
		t.Error("lit with the display off")
	}
}

func TestMatrixDimming(t *testing.T) {
	chip, bus := matrix(t, emu.HTOptions{})
	if chip.Duty() != 16 {
		t.Errorf("duty after power-on %d/16, want 16/16", chip.Duty())
	}
	for n := range 16 {
		htWrite(t, bus, 0xE0|byte(n))
		if chip.Duty() != n+1 {
			t.Errorf("command %Xh: duty %d/16, want %d/16", 0xE0|n, chip.Duty(), n+1)
		}
	}
}

// TestMatrixPower: what a driver meets after power-on, and after a dip that
// the RAM survives.
func TestMatrixPower(t *testing.T) {
	chip := emu.NewHT16K33(0x70, emu.HTOptions{})
	bus := emu.NewBus(chip)
	dark := [8]uint16{}
	noise := chip.RAM()
	htWrite(t, bus, 0x81) // Standby: taken for nothing.
	htWrite(t, bus, 0x00, 0xAA, 0xAA)
	if chip.Lit(0) != dark || chip.RAM() != noise {
		t.Fatal("a chip in standby took commands")
	}
	htWrite(t, bus, 0x21)
	if chip.Lit(0) != dark {
		t.Fatal("the display is on although only the oscillator was started")
	}
	htWrite(t, bus, 0x81)
	if chip.Lit(0) == dark {
		t.Fatal("the RAM of a chip just powered up is all zeros: nobody would notice a driver that does not write it")
	}
	htWrite(t, bus, append([]byte{0}, bytes.Repeat([]byte{0x5A}, 16)...)...)
	htWrite(t, bus, 0xE3)

	chip.BrownOut()
	if got := htRead(t, bus, 0, 16); !slices.Equal(got, bytes.Repeat([]byte{0x5A}, 16)) {
		t.Errorf("a dip changed the RAM: % x", got)
	}
	if chip.Lit(0) != dark || chip.Duty() != 16 {
		t.Error("a dip did not reset the registers")
	}
	chip.PowerCycle()
	if got := htRead(t, bus, 0, 16); slices.Equal(got, bytes.Repeat([]byte{0x5A}, 16)) {
		t.Error("the RAM survived a power cycle")
	}
	before := chip.RAM()
	chip.Disturb(3, 0x10)
	if after := chip.RAM(); after[3] != before[3]^0x10 {
		t.Errorf("disturbed byte is %x, was %x", after[3], before[3])
	}
}

// TestMatrixKeys follows the sheet's page on the key RAM (v1.10, p. 21).
func TestMatrixKeys(t *testing.T) {
	chip, bus := matrix(t, emu.HTOptions{})
	flag := func() byte { return htRead(t, bus, 0x60, 1)[0] }
	if chip.INT() != gpio.High {
		t.Error("a ROW pin interrupts")
	}
	htWrite(t, bus, 0xA1) // INT, active low.
	chip.SetKeys([3]uint16{1 << 0, 1 << 12, 1<<7 | 1<<8 | 1<<13})
	if chip.INT() != gpio.Low || flag() != 0xFF {
		t.Error("keys raised no interrupt")
	}
	htWrite(t, bus, 0xA3) // Active high.
	if chip.INT() != gpio.High {
		t.Error("active high INT is low")
	}
	htWrite(t, bus, 0x40, 0xFF) // Read only.
	want := []byte{0x01, 0x00, 0x00, 0x10, 0x80, 0x01}
	if got := htRead(t, bus, 0x40, 6); !slices.Equal(got, want) {
		t.Errorf("keys % x, want % x", got, want)
	}
	if chip.INT() != gpio.Low || flag() != 0 {
		t.Error("INT stays although all keys were read")
	}
	if got := htRead(t, bus, 0x40, 6); !slices.Equal(got, make([]byte, 6)) {
		t.Errorf("held keys are reported again: % x", got)
	}
	chip.SetKeys([3]uint16{})
	chip.SetKeys([3]uint16{0, 1, 0})
	if got := htRead(t, bus, 0x40, 3); !slices.Equal(got, []byte{0, 0, 1}) {
		t.Errorf("pressed again: % x", got)
	}
	if flag() != 0xFF {
		t.Error("the flag is gone before all keys were read")
	}
	htWrite(t, bus, 0x20) // Standby clears them.
	if got := htRead(t, bus, 0x40, 6); !slices.Equal(got, make([]byte, 6)) {
		t.Errorf("keys after standby: % x", got)
	}
}

// TestMatrixAgainstPeriph lets periph's own driver write columns.
func TestMatrixAgainstPeriph(t *testing.T) {
	chip := emu.NewHT16K33(0x72, emu.HTOptions{})
	dev, err := ht16k33.NewI2C(emu.NewBus(chip), 0x72)
	if err != nil {
		t.Fatal(err)
	}
	if chip.Duty() != 16 || chip.Lit(0) == [8]uint16{} {
		t.Error("periph's driver switches the display on at full brightness")
	}
	rapid.Check(t, func(rt *rapid.T) {
		columns := [8]uint16(rapid.SliceOfN(rapid.Uint16(), 8, 8).Draw(rt, "columns"))
		for i, v := range columns {
			if err := dev.WriteColumn(i, v); err != nil {
				rt.Fatal(err)
			}
		}
		n := rapid.IntRange(0, 15).Draw(rt, "brightness")
		if err := dev.SetBrightness(n); err != nil {
			rt.Fatal(err)
		}
		if chip.Lit(0) != columns || chip.Duty() != n+1 {
			rt.Fatalf("lit %04x at %d/16, want %04x", chip.Lit(0), chip.Duty(), columns)
		}
	})
	if err := dev.SetBlink(ht16k33.Blink1Hz); err != nil {
		t.Fatal(err)
	}
	if err := dev.WriteColumn(0, 1); err != nil {
		t.Fatal(err)
	}
	if chip.Lit(0)[0] != 1 || chip.Lit(500 * time.Millisecond)[0] != 0 || chip.Lit(time.Second)[0] != 1 {
		t.Error("1 Hz is half a second lit, half a second dark")
	}
}

// FuzzHT16K33 sends anything: nothing breaks, and a chip that is initialised
// afterwards shows what it is sent.
func FuzzHT16K33(f *testing.F) {
	f.Add([]byte{0x21}, []byte{0x00, 0xFF}, uint8(3))
	f.Add([]byte{0x45, 0x01}, []byte{0xA1}, uint8(9))
	f.Fuzz(func(t *testing.T, a, b []byte, n uint8) {
		chip := emu.NewHT16K33(0x70, emu.HTOptions{})
		bus := emu.NewBus(chip)
		for _, w := range [][]byte{a, b, a} {
			if err := bus.Tx(0x70, w, make([]byte, n%32)); err != nil {
				t.Fatal(err)
			}
			chip.SetKeys([3]uint16{uint16(n), 0, 0})
			chip.Lit(time.Duration(n) * time.Millisecond)
		}
		htWrite(t, bus, 0x21)
		htWrite(t, bus, 0xA0)
		htWrite(t, bus, append([]byte{0x00}, bytes.Repeat([]byte{0x81}, 16)...)...)
		htWrite(t, bus, 0xE0|n&15)
		htWrite(t, bus, 0x81)
		if got := chip.Lit(0); got[0] != 0x8181 || got[7] != 0x8181 || chip.Duty() != int(n&15)+1 {
			t.Fatalf("lit %04x at %d/16", got, chip.Duty())
		}
	})
}
