package hardware_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
)

// stand is an emulated bus with two expanders on a switched supply, under the
// bus that is tested, on a clock that only waiting moves.
type stand struct {
	now   time.Duration
	wire  *emu.Bus
	chips [2]*emu.TCA9555
	taps  *hardware.Taps
	bus   *hardware.Bus
}

func newStand() *stand {
	s := &stand{now: time.Hour}
	for i := range s.chips {
		s.chips[i] = emu.NewTCA9555(0x20+uint16(i), emu.TCAOptions{})
	}
	s.wire = emu.NewBus(s.chips[0], s.chips[1])
	// A held line costs what it does on Linux once the adapter's timeout is set.
	s.wire.SetTiming(emu.Timing{Spend: func(d time.Duration) { s.now += d }, Timeout: 50 * time.Millisecond})
	s.wire.HideErrno(true)
	scl, sda := s.wire.Taps()
	clock := func() time.Duration { return s.now }
	wait := func(ctx context.Context, d time.Duration) error {
		s.now += d
		return ctx.Err()
	}
	s.taps = &hardware.Taps{
		SCL: scl, SDA: sda, Sleep: wait, Now: clock,
		// The chips' capacitors hold the supply up for a while.
		Rail: s.wire.Rail(emu.RailOptions{Now: clock, Discharge: 300 * time.Millisecond}),
	}
	s.bus = hardware.NewBus(s.wire, hardware.BusOptions{Now: clock, Sleep: wait, Inline: true, Recover: s.taps.Recover})
	return s
}

// mark writes the output registers of both chips, which a reset would undo.
func (s *stand) mark(t rapid.TB) {
	t.Helper()
	for i := range s.chips {
		if err := s.bus.Tx(0x20+uint16(i), []byte{2, 0x5A, 0xA5}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// marked tells which chips still have what mark wrote.
func (s *stand) marked() (m [2]bool) {
	for i, c := range s.chips {
		m[i] = c.Registers()[2] == 0x5A
	}
	return m
}

func (s *stand) read(addr uint16) error { return s.bus.Tx(addr, []byte{0}, make([]byte, 2)) }

// comeBack reads both chips, 50 times a second, until they answer, and returns
// how long that took.
func (s *stand) comeBack(t rapid.TB) time.Duration {
	t.Helper()
	begun := s.now
	for {
		err := errors.Join(s.read(0x20), s.read(0x21))
		switch {
		case err == nil:
			return s.now - begun
		case s.now-begun > 10*time.Second:
			t.Fatalf("after %v still %v", s.now-begun, err)
		}
		s.now += 20 * time.Millisecond
	}
}

// A chip that holds SDA is clocked free once three transfers in a row have met
// it, each of which costs a timeout; chips notice nothing.
func TestEmulatedChipIsClockedFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newStand()
		s.mark(rt)
		timeouts := 3
		if rapid.Bool().Draw(rt, "on a Pi 5") {
			s.wire.SetController(emu.DesignWare)
			timeouts = 3 * 4 // Lost arbitration is tried again at once.
		}
		n := rapid.IntRange(1, 9).Draw(rt, "clocks that the chip needs")
		s.wire.HoldSDA(0x21, n)
		s.wire.ResetStats()
		// The timeouts, and the first probe after 100 ms.
		if d, most := s.comeBack(rt), time.Duration(timeouts)*50*time.Millisecond+200*time.Millisecond; d > most {
			rt.Fatalf("it took %v, want %v at most", d, most)
		}
		if got := s.wire.Stats(); got.Failed != uint64(timeouts) {
			rt.Fatalf("%d transfers failed, want %d", got.Failed, timeouts)
		}
		if got := s.wire.TapStats(); got.Clocks != n+1 || got.Stops != 1 || got.DrivenHigh != 0 {
			rt.Fatalf("%+v, want %d clocks, one more for the STOP", got, n)
		}
		if s.marked() != [2]bool{true, true} {
			rt.Fatal("a chip was reset")
		}
		if st := s.bus.Stats(); st.Recoveries != 1 || st.Unfreed != 0 || st.RecoveryErr != nil {
			rt.Fatalf("the books say %d recoveries, %d in vain, %v", st.Recoveries, st.Unfreed, st.RecoveryErr)
		}
	})
}

// What no clock frees loses its supply, long enough for the chips to notice;
// both are then as after power-on.
func TestEmulatedChipLosesItsSupply(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(*emu.Bus){
		"SCL held":            func(b *emu.Bus) { b.HoldSCL(0x20, true) },
		"SDA held for ever":   func(b *emu.Bus) { b.HoldSDA(0x20, -1) },
		"SDA held for long":   func(b *emu.Bus) { b.HoldSDA(0x21, 30) },
		"both lines, by both": func(b *emu.Bus) { b.HoldSDA(0x20, 2); b.HoldSCL(0x21, true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand()
			s.mark(t)
			trouble(s.wire)
			// Three timeouts, half a second without supply, the first probe.
			if d := s.comeBack(t); d < 500*time.Millisecond || d > time.Second {
				t.Errorf("it took %v", d)
			}
			if s.marked() != [2]bool{} {
				t.Error("the chips kept their registers")
			}
			if s.wire.TapStats().DrivenHigh != 0 {
				t.Error("a line was driven high")
			}
		})
	}
}

// wantInVain wants all recoveries so far to have ended with want.
func (s *stand) wantInVain(t *testing.T, want error) {
	t.Helper()
	if st := s.bus.Stats(); st.Recoveries == 0 || st.Unfreed != st.Recoveries || !errors.Is(st.RecoveryErr, want) {
		t.Errorf("the books say %d recoveries, %d in vain, %v", st.Recoveries, st.Unfreed, st.RecoveryErr)
	}
}

// Nothing helps against a short, a switch that fails or taps that fail; the
// error says so, the lines are let go, and the bus comes back with the repair.
func TestEmulatedBusThatStaysDead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken part")
	for name, c := range map[string]struct {
		trouble func(*emu.Bus)
		want    error
	}{
		"SDA shorted": {func(b *emu.Bus) { b.Short(false, true) }, hardware.ErrHeld},
		"SCL shorted": {func(b *emu.Bus) { b.Short(true, false) }, hardware.ErrHeld},
		"a chip with its own supply": {func(b *emu.Bus) {
			b.Unswitched(0x21)
			b.HoldSDA(0x21, -1)
		}, hardware.ErrHeld},
		"the switch": {func(b *emu.Bus) { b.HoldSCL(0x20, true); b.FailRail(broken) }, broken},
		"the taps":   {func(b *emu.Bus) { b.HoldSDA(0x20, 1); b.FailTaps(broken) }, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand()
			c.trouble(s.wire)
			if err := s.taps.Recover(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			for range 5 {
				if err := s.read(0x20); err == nil {
					t.Fatal("a dead bus carried a transfer")
				}
			}
			s.wantInVain(t, c.want)
			s.wire.Heal()
			// The breakers wait for 5 s at most.
			if d := s.comeBack(t); d > 6*time.Second {
				t.Errorf("it came back %v after the repair", d)
			}
			if scl, sda := s.wire.Taps(); scl.Read() != gpio.High || sda.Read() != gpio.High {
				t.Error("a line is held")
			}
		})
	}
}

// Every kind of trouble comes in the words of each kind of adapter, and is
// taken for what it is.
func TestEmulatedTroubleIsClassified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trouble func(*emu.Bus)
		want    [3]hardware.Class // BCM2835, DesignWare, TinyUSB.
	}{
		"nobody answers": {
			func(b *emu.Bus) { b.Detach(0x20) },
			[3]hardware.Class{hardware.NACK, hardware.NACK, hardware.NACK},
		},
		"SDA held": {
			func(b *emu.Bus) { b.HoldSDA(0x21, -1) },
			[3]hardware.Class{hardware.Timeout, hardware.ArbLost, hardware.IO},
		},
		"SCL held": {
			func(b *emu.Bus) { b.HoldSCL(0x21, true) },
			[3]hardware.Class{hardware.Timeout, hardware.Timeout, hardware.IO},
		},
		"stretched clock": {
			func(b *emu.Bus) { b.Stretch(0x20, -1) },
			[3]hardware.Class{hardware.IO, hardware.Timeout, hardware.IO},
		},
	} {
		for k, want := range c.want {
			for _, hide := range []bool{false, true} {
				s := newStand()
				s.wire.SetController(emu.Controller(k))
				s.wire.HideErrno(hide)
				c.trouble(s.wire)
				if got := hardware.Classify(s.wire.Tx(0x20, []byte{0}, nil)); got != want {
					t.Errorf("%s, adapter %d, errno hidden %v: %v, want %v", name, k, hide, got, want)
				}
			}
		}
	}
}
