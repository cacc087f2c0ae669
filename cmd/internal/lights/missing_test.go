package lights_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/ht16k33"
)

// shared is a module on the bus of the sensors, as in the program, on a clock
// that only waiting moves.
type shared struct {
	now    time.Duration
	wire   *emu.Bus
	chip   *emu.HT16K33
	sensor *emu.TCA9555
	bus    *hardware.Bus
	matrix *ht16k33.Matrix
}

func newShared(t *testing.T) *shared {
	t.Helper()
	s := &shared{
		now:    time.Hour,
		chip:   emu.NewHT16K33(ht16k33.DefaultAddr, emu.HTOptions{}),
		sensor: emu.NewTCA9555(0x20, emu.TCAOptions{}),
	}
	s.wire = emu.NewBus(s.chip, s.sensor)
	s.wire.HideErrno(true)
	s.wire.SetTiming(emu.Timing{Spend: func(d time.Duration) { s.now += d }, Wire: true, Timeout: 50 * time.Millisecond})
	clock := func() time.Duration { return s.now }
	scl, sda := s.wire.Taps()
	sleep := func(ctx context.Context, d time.Duration) error {
		s.now += d
		return ctx.Err()
	}
	taps := &hardware.Taps{SCL: scl, SDA: sda, Rail: s.wire.Rail(emu.RailOptions{}), Sleep: sleep}
	s.bus = hardware.NewBus(s.wire, hardware.BusOptions{Now: clock, Inline: true, Recover: taps.Recover, Sleep: sleep})
	t.Cleanup(func() {
		if err := s.bus.Close(); err != nil {
			t.Error(err)
		}
	})
	c := ht16k33.Config{Brightness: 255, Now: clock}
	c.Red, c.Green = ht16k33.Module(order())
	var err error
	if s.matrix, err = ht16k33.New(s.bus.At(hardware.PrioLED), c); err != nil {
		t.Fatal(err)
	}
	return s
}

// show returns the error of a frame and how long it took.
func (s *shared) show() (time.Duration, error) {
	begun := s.now
	err := s.matrix.Show(1, 2)
	return s.now - begun, err
}

// A module that is not soldered costs the 26 ms of its retries once, then
// nothing but a probe now and then; the error says what to look at, and the
// sensors beside it are read as if nothing were.
func TestMissingModule(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.wire.Detach(ht16k33.DefaultAddr)
	d, err := s.show()
	if err == nil || d > 30*time.Millisecond {
		t.Fatalf("%v after %v", err, d)
	}
	for _, want := range []string{"ht16k33 at 0x70", "no answer", "solder joints"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not mention %q", err, want)
		}
	}
	s.wire.ResetStats()
	for range 250 { // ten seconds of frames
		s.now += 40 * time.Millisecond
		if d, again := s.show(); again == nil || again.Error() != err.Error() || d > time.Millisecond {
			t.Fatalf("%v after %v", again, d)
		}
		if err := s.bus.Tx(0x20, []byte{0}, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if failed := s.wire.Stats().Failed; failed < 2 || failed > 10 {
		t.Errorf("%d probes in ten seconds", failed)
	}
	// Soldered at last: noticed at the next probe.
	s.wire.Attach(s.chip)
	s.now += 5 * time.Second
	if _, err := s.show(); err != nil {
		t.Fatal(err)
	}
	if lit := s.chip.Lit(s.now); lit == [8]uint16{} {
		t.Error("it stays dark")
	}
}

// A module that hangs the bus costs three timeouts; it is reset with the supply
// and shows the scene again.
func TestModuleThatHangsTheBus(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	if _, err := s.show(); err != nil {
		t.Fatal(err)
	}
	s.wire.HoldSDA(ht16k33.DefaultAddr, -1)
	begun := s.now
	for {
		s.now += 40 * time.Millisecond
		d, err := s.show()
		if err == nil {
			break
		}
		if d > 700*time.Millisecond { // a timeout, and the supply off for half a second
			t.Errorf("a frame took %v", d)
		}
		if s.now-begun > 2*time.Second {
			t.Fatalf("after %v still %v", s.now-begun, err)
		}
	}
	if lit := s.chip.Lit(s.now); lit == [8]uint16{} {
		t.Error("it stays dark")
	}
}
