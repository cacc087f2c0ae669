package ht16k33_test

import (
	"errors"
	"testing"
	"time"

	"periph.io/x/conn/v3/i2c"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/ht16k33"
)

// stand is a module on an emulated chip, on a clock that the test moves.
type stand struct {
	now    time.Duration
	chip   *emu.HT16K33
	bus    *emu.Bus
	matrix *ht16k33.Matrix
}

func newStand(t rapid.TB) *stand {
	t.Helper()
	s := &stand{now: time.Hour, chip: emu.NewHT16K33(0x70, emu.HTOptions{})}
	s.bus = emu.NewBus(s.chip)
	var order [ht16k33.Cells]int
	for i := range order {
		order[i] = i
	}
	c := ht16k33.Config{Brightness: 255, Now: func() time.Duration { return s.now }}
	c.Red, c.Green = ht16k33.Module(order)
	var err error
	if s.matrix, err = ht16k33.New(s.bus, c); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stand) show(t rapid.TB, red, green uint64) {
	t.Helper()
	if err := s.matrix.Show(red, green); err != nil {
		t.Fatal(err)
	}
}

// lit reads the module: green on ROW0 to ROW7, red on ROW8 to ROW15.
func (s *stand) lit() (red, green uint64) {
	for com, rows := range s.chip.Lit(s.now) {
		green |= uint64(rows&0xFF) << (8 * com)
		red |= uint64(rows>>8) << (8 * com)
	}
	return red, green
}

func TestLightsShowWhatWasSent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newStand(rt)
		for range rapid.IntRange(1, 5).Draw(rt, "frames") {
			red, green := rapid.Uint64().Draw(rt, "red"), rapid.Uint64().Draw(rt, "green")
			s.show(rt, red, green)
			if r, g := s.lit(); r != red || g != green || s.chip.Duty() != 16 {
				rt.Fatalf("red %016x green %016x at %d/16, want %016x %016x", r, g, s.chip.Duty(), red, green)
			}
			s.now += time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")) * time.Millisecond
		}
		if err := s.matrix.Dark(); err != nil {
			rt.Fatal(err)
		}
		if r, g := s.lit(); r|g != 0 {
			rt.Fatal("dark is not dark")
		}
	})
}

// watched is a bus that looks at the lights after each transfer.
type watched struct {
	i2c.Bus
	look func()
}

func (w *watched) Tx(addr uint16, b, r []byte) error {
	err := w.Bus.Tx(addr, b, r)
	w.look()
	return err
}

// The RAM of a chip that was just powered holds noise: nothing of it is ever
// seen, nor anything of the frame before.
func TestNoNoiseIsShown(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	const red, green = 0x00FF, 0x0FF0
	w := &watched{Bus: s.bus, look: func() {
		if r, g := s.lit(); r&^red != 0 || g&^green != 0 {
			t.Errorf("red %016x green %016x were lit", r, g)
		}
	}}
	var order [ht16k33.Cells]int
	for i := range order {
		order[i] = i
	}
	c := ht16k33.Config{Brightness: 255, Now: func() time.Duration { return s.now }}
	c.Red, c.Green = ht16k33.Module(order)
	m, err := ht16k33.New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		s.chip.PowerCycle()
		s.now += time.Second
		if err := m.Show(red, green); err != nil {
			t.Fatal(err)
		}
	}
	if r, g := s.lit(); r != red || g != green {
		t.Errorf("red %016x green %016x", r, g)
	}
}

// A chip that loses its supply, its settings or its RAM shows the frame again
// within two seconds, if Show is called once a second.
func TestResetHeals(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(*stand){
		"supply lost": func(s *stand) { s.chip.PowerCycle() },
		"brown-out":   func(s *stand) { s.chip.BrownOut() },
		"RAM":         func(s *stand) { s.chip.Disturb(5, 0xFF) },
		"all chips":   func(s *stand) { s.bus.BrownOut() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				s := newStand(rt)
				red, green := rapid.Uint64().Draw(rt, "red"), rapid.Uint64().Draw(rt, "green")
				s.show(rt, red, green)
				s.now += time.Duration(rapid.IntRange(0, 1000).Draw(rt, "ms")) * time.Millisecond
				trouble(s)
				for range 2 {
					s.now += time.Second
					s.show(rt, red, green)
				}
				if r, g := s.lit(); r != red || g != green || s.chip.Duty() != 16 {
					rt.Fatalf("red %016x green %016x at %d/16, want %016x %016x", r, g, s.chip.Duty(), red, green)
				}
			})
		})
	}
}

// A chip that is not there gives one error for one transfer, and one that comes
// back is started from scratch.
func TestMissingChip(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.bus.Detach(0x70)
	for range 3 {
		s.bus.ResetStats()
		err := s.matrix.Show(1, 2)
		if !errors.Is(err, emu.NoAck()) || s.bus.Stats().Transactions != 1 {
			t.Errorf("%d transfers and %v", s.bus.Stats().Transactions, err)
		}
	}
	if err := s.matrix.Dark(); !errors.Is(err, emu.NoAck()) {
		t.Errorf("dark: %v", err)
	}
	s.chip.PowerCycle()
	s.bus.Attach(s.chip)
	s.show(t, 1, 2)
	if r, g := s.lit(); r != 1 || g != 2 {
		t.Errorf("red %x green %x", r, g)
	}
}

// A frame costs what the page on bus arithmetic says, and the checks once a
// second a little more.
func TestWireTime(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.show(t, 0, 0)
	s.bus.ResetStats()
	for range 50 { // a second
		s.now += 20 * time.Millisecond
		s.show(t, 1, 1)
	}
	// 50 frames of 164 bits; one check of 1 + 16 bytes: 9*(2+17)+3 = 174.
	if got, want := s.bus.Stats().Bits, uint64(50*164+174); got != want {
		t.Errorf("%d bits in a second, want %d", got, want)
	}
}
