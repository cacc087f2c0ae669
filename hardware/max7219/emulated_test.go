package max7219_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/max7219"
)

func open(t rapid.TB, brightness uint8) (*max7219.Matrix, *emu.MAX7219) {
	t.Helper()
	chip := emu.NewMAX7219(1)
	var order [max7219.Cells]int
	for i := range order {
		order[i] = i
	}
	m, err := max7219.New(chip, max7219.Config{Dots: max7219.Module(order), Brightness: brightness})
	if err != nil {
		t.Fatal(err)
	}
	return m, chip
}

// lit reads the module: column 0 of line r is DP of digit r.
func lit(chip *emu.MAX7219) (on uint64) {
	for r, row := range chip.Lit(0) {
		for c := range 8 {
			on |= uint64(row>>(7-c)&1) << (8*r + c)
		}
	}
	return on
}

// Whatever the chip has been through, one Show is enough.
func TestOneShowIsEnough(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(*max7219.Matrix, *emu.MAX7219){
		"power-on":          func(*max7219.Matrix, *emu.MAX7219) {},
		"dark":              func(m *max7219.Matrix, _ *emu.MAX7219) { _ = m.Dark() },
		"supply lost":       func(_ *max7219.Matrix, c *emu.MAX7219) { c.PowerCycle() },
		"display test":      func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x0F, 1) },
		"decoding":          func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x09, 0xFF) },
		"one digit scanned": func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x0B, 0) },
		"shutdown":          func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x0C, 0) },
		"a digit":           func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x03, 0xFF) },
		"intensity":         func(_ *max7219.Matrix, c *emu.MAX7219) { c.Disturb(0, 0x0A, 0) },
		"words garbled": func(m *max7219.Matrix, c *emu.MAX7219) {
			c.Corrupt(13, 0x55)
			_ = m.Show(7)
		},
		"port failing": func(m *max7219.Matrix, c *emu.MAX7219) {
			trouble := errors.New("port trouble")
			c.Fail(trouble)
			if err := m.Show(1); !errors.Is(err, trouble) {
				t.Errorf("a port that fails: %v", err)
			}
			c.Fail(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				m, chip := open(rt, 255)
				if err := m.Show(rapid.Uint64().Draw(rt, "before")); err != nil {
					rt.Fatal(err)
				}
				trouble(m, chip)
				on := rapid.Uint64().Draw(rt, "on")
				if err := m.Show(on); err != nil {
					rt.Fatal(err)
				}
				if got := lit(chip); got != on || chip.Duty(0) != 31 {
					rt.Fatalf("%016x at %d/32, want %016x at 31/32", got, chip.Duty(0), on)
				}
			})
		})
	}
}

func TestDarkIsDark(t *testing.T) {
	t.Parallel()
	m, chip := open(t, 255)
	if err := m.Show(^uint64(0)); err != nil {
		t.Fatal(err)
	}
	chip.Disturb(0, 0x0F, 1) // display test lights everything
	if err := m.Dark(); err != nil || lit(chip) != 0 {
		t.Errorf("%016x are lit, %v", lit(chip), err)
	}
}

func TestBrightness(t *testing.T) {
	t.Parallel()
	for b, duty := range map[uint8]int{1: 1, 128: 17, 255: 31} { // Maxim 19-4452, table 7
		m, chip := open(t, b)
		if err := m.Show(1); err != nil {
			t.Fatal(err)
		}
		if got := chip.Duty(0); got != duty {
			t.Errorf("brightness %d: %d/32, want %d/32", b, got, duty)
		}
	}
}
