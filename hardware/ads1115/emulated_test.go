package ads1115_test

import (
	"errors"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware/ads1115"
	"reversi-board/hardware/emu"
)

// bench is an emulated chip with 0.5 V, 1 V, 2 V and 3 V at its inputs, on
// virtual time.
type bench struct {
	now  time.Duration
	chip *emu.ADS1115
	wire *emu.Bus
	dev  *ads1115.Dev
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{}
	b.chip = emu.NewADS1115(0x49, emu.ADS1115Options{Now: func() time.Duration { return b.now }})
	for k, v := range []float64{0.5, 1, 2, 3} {
		b.chip.SetInput(k, func(time.Duration) float64 { return v })
	}
	b.wire = emu.NewBus(b.chip)
	b.wire.SetTiming(emu.Timing{Spend: func(d time.Duration) { b.now += d }, Wire: true})
	b.dev = ads1115.New(b.wire, 0x49)
	return b
}

func (b *bench) convert(input int) (int16, error) {
	if err := b.dev.Start(input); err != nil {
		return 0, err
	}
	b.now += ads1115.Conversion
	return b.dev.Result()
}

func TestInitAfterPowerOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if intact, err := b.dev.Canary(); err != nil || intact {
		t.Fatalf("a chip just powered up has its canary: %v, %v", intact, err)
	}
	b.wire.ResetStats()
	if err := b.dev.Init(); err != nil {
		t.Fatal(err)
	}
	if s := b.wire.Stats(); s.Transactions != 6 || s.Bits != 258 {
		t.Errorf("Init took %d transfers and %d clocks, documented are 6 and 258", s.Transactions, s.Bits)
	}
	if intact, err := b.dev.Canary(); err != nil || !intact {
		t.Errorf("no canary after Init: %v, %v", intact, err)
	}
	if b.chip.Conversions() != 0 {
		t.Error("Init started a conversion")
	}
	b.chip.PowerCycle()
	if intact, err := b.dev.Canary(); err != nil || intact {
		t.Errorf("a reset was not seen: %v, %v", intact, err)
	}
}

// 125 µV a count, whatever the chip's clock does within and beyond its
// tolerance; the transfers are as documented while it is within.
func TestConversions(t *testing.T) {
	t.Parallel()
	for _, pace := range []float64{0.9, 1, 1.1, 1.5, 1.9} {
		b := newBench(t)
		b.chip.SetPace(pace)
		if err := b.dev.Init(); err != nil {
			t.Fatal(err)
		}
		b.wire.ResetStats()
		for i, input := range []int{3, 0, 2, 1, 1, 3, 0} {
			v, err := b.convert(input)
			if want := []int16{4000, 8000, 16000, 24000}[input]; err != nil || v != want {
				t.Errorf("pace %v, conversion %d: AIN%d is %d, %v, want %d", pace, i, input, v, err, want)
			}
		}
		if s := b.wire.Stats(); pace <= 1.1 && s.Bits != 7*(38+48+48) {
			t.Errorf("pace %v: %d clocks, want %d", pace, s.Bits, 7*(38+48+48))
		}
	}
}

// ALERT/RDY works as "conversion ready", for whoever connects it: low while the
// chip is idle.
func TestReadyPin(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.dev.Init(); err != nil {
		t.Fatal(err)
	}
	if err := b.dev.Start(2); err != nil {
		t.Fatal(err)
	}
	if b.chip.RDY() != gpio.High {
		t.Error("the pin says ready while a conversion is under way")
	}
	b.now += 2 * ads1115.Conversion
	if b.chip.RDY() != gpio.Low {
		t.Error("the pin does not say ready")
	}
}

// A conversion that ends after it was given up must not be taken for the next
// one, and the chip works again when it does.
func TestStalledConversion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.dev.Init(); err != nil {
		t.Fatal(err)
	}
	b.chip.SetPace(2.9)
	if _, err := b.convert(0); !errors.Is(err, ads1115.ErrSlow) {
		t.Fatalf("%v", err)
	}
	b.chip.SetPace(1)
	if v, err := b.convert(3); err != nil || v != 24000 {
		t.Errorf("%d, %v, want 24000", v, err)
	}
	b.chip.Stall(true)
	for range 3 {
		if _, err := b.convert(1); !errors.Is(err, ads1115.ErrSlow) {
			t.Errorf("%v", err)
		}
	}
	b.chip.Stall(false)
	if v, err := b.convert(2); err != nil || v != 16000 {
		t.Errorf("%d, %v, want 16000", v, err)
	}
}

// Another program has used the chip before: of other inputs, in another range,
// slowly, and once or continuously.
func TestAfterAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, config := range [][]byte{
		{1, 0xBB, 0x03}, // AIN2 to AIN3, 0.256 V, once, 8 a second.
		{1, 0x3A, 0x03}, // The same, continuously.
	} {
		b := newBench(t)
		if err := b.wire.Tx(0x49, config, nil); err != nil {
			t.Fatal(err)
		}
		b.now += 10 * time.Millisecond
		if err := b.dev.Init(); err != nil {
			t.Fatal(err)
		}
		if v, err := b.convert(1); err == nil && v != 8000 {
			t.Errorf("% X: AIN1 is %d although the old conversion had not ended", config, v)
		}
		b.now += 130 * time.Millisecond
		for input, want := range []int16{4000, 8000, 16000, 24000} {
			if v, err := b.convert(input); err != nil || v != want {
				t.Errorf("% X: AIN%d is %d, %v, want %d", config, input, v, err, want)
			}
		}
	}
}
