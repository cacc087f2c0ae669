package tca9555_test

import (
	"testing"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/tca9555"
)

func TestInitAfterPowerOn(t *testing.T) {
	t.Parallel()
	chip := emu.NewTCA9555(0x20, emu.TCAOptions{})
	bus := emu.NewBus(chip)
	d := tca9555.New(bus, 0x20)
	if intact, err := d.Canary(); err != nil || intact {
		t.Fatalf("a chip just powered up has its canary: %v, %v", intact, err)
	}
	bus.ResetStats()
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if s := bus.Stats(); s.Transactions != 6 || s.Bits != 258 {
		t.Errorf("Init took %d transfers and %d clocks, documented are 6 and 258", s.Transactions, s.Bits)
	}
	chip.SetPins(0xBEEF, 0)
	bus.ResetStats()
	if v, err := d.ReadInputs(true); err != nil || v != 0xBEEF {
		t.Errorf("read %04X, %v", v, err)
	}
	if s := bus.Stats(); s.Bits != 48+20 {
		t.Errorf("a parked read took %d clocks, want 68", s.Bits)
	}
	if err := d.Verify(); err != nil {
		t.Error(err)
	}
	chip.PowerCycle()
	if intact, err := d.Canary(); err != nil || intact {
		t.Errorf("a reset was not seen: %v, %v", intact, err)
	}
}

// Parking exists for one reason: without it a PCA9555 drops its interrupt when
// another chip is read.
func TestParkingKeepsTheInterrupt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pca, park bool
		want      gpio.Level
	}{
		{pca: true, park: true, want: gpio.Low},
		{pca: true, park: false, want: gpio.High},
		{pca: false, park: false, want: gpio.Low},
	} {
		chip := emu.NewTCA9555(0x20, emu.TCAOptions{PCA9555: tc.pca})
		other := emu.NewTCA9555(0x21, emu.TCAOptions{PCA9555: tc.pca})
		bus := emu.NewBus(chip, other)
		first, second := tca9555.New(bus, 0x20), tca9555.New(bus, 0x21)
		if err := first.Init(); err != nil {
			t.Fatal(err)
		}
		if _, err := first.ReadInputs(tc.park); err != nil {
			t.Fatal(err)
		}
		chip.SetPins(0xFFFE, 0) // A sensor answers.
		if chip.INT() != gpio.Low {
			t.Fatal("the change raised no interrupt")
		}
		if _, err := second.ReadInputs(tc.park); err != nil {
			t.Fatal(err)
		}
		if got := chip.INT(); got != tc.want {
			t.Errorf("PCA9555 %v, parked %v: INT is %v after another chip was read, want %v", tc.pca, tc.park, got, tc.want)
		}
	}
}
