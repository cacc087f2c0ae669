package hall128_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
)

// slowTick is a scan on a slow computer: ten a second.
const slowTick = 100 * time.Millisecond

// scanAfter scans once, a while after the last scan.
func (r *rig) scanAfter(d time.Duration) hardware.Frame {
	r.t.Helper()
	r.now += d
	if err := r.board.Scan(r.t.Context(), r.now, &r.frame); err != nil {
		r.t.Fatalf("at %v: %v", r.now, err)
	}
	return r.frame
}

// hand moves over a chip until stop is called: no two reads of it are equal.
func (r *rig) hand(chip int) (stop func()) {
	rng := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // Repeatable on purpose.
	north := r.north
	r.wire(chip).SetTiming(emu.Timing{Wire: true, Spend: func(time.Duration) {
		r.lay(north&^r.cells(chip)|rng.Uint64()&r.cells(chip), rng.Uint64()&r.cells(chip))
	}})
	return func() {
		r.wire(chip).SetTiming(emu.Timing{})
		r.lay(north, 0)
	}
}

// Ten scans a second, or one after the computer stood still for a second: a
// hand over a chip makes its reads contradict each other. No transfer fails, so
// no cell is lost; they are frozen until the hand rests.
func TestSlowScansAreNoLossWhileAHandMoves(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		for _, pause := range []time.Duration{slowTick, time.Second} {
			r.lay(1|1<<20, 0)
			r.scanAfter(slowTick)
			r.scanAfter(slowTick)
			r.scanAfter(slowTick)
			r.wantTruth("at rest")
			stop := r.hand(2)
			for scan := range 6 {
				f := r.scanAfter(pause)
				if f.Lost != 0 {
					t.Fatalf("a scan after %v, number %d: cells %x are lost, and no transfer failed", pause, scan, f.Lost)
				}
			}
			stop()
			r.scanAfter(slowTick)
			r.wantTruth("the hand rests")
		}
		for i, b := range r.board.Stats().Banks {
			if b.Failed != 0 {
				t.Errorf("chip %d: %d transfers failed", i, b.Failed)
			}
		}
	})
}

// A chip that was reset proves itself while a hand moves over it: it is reset,
// not lost.
func TestSlowScansAreNoLossWhileAChipProvesItself(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(1|1<<20, 0)
		for range 3 {
			r.scanAfter(slowTick)
		}
		floating(r.chips[2])
		r.wire(2).BrownOut(r.addr(2))
		for r.frame.Reset == 0 {
			r.scanAfter(slowTick)
		}
		r.drive(2)
		stop := r.hand(2)
		for scan := range 6 {
			if f := r.scanAfter(slowTick); f.Lost != 0 {
				t.Fatalf("scan %d after the reset: cells %x are lost while the chip proves itself", scan, f.Lost)
			}
		}
		stop()
		for range 3 {
			r.scanAfter(slowTick)
		}
		r.wantTruth("proved")
	})
}

// Frozen is not for ever: a chip that answers and never says the same twice is
// lost in the end, and so is one that does not answer, within four scans.
func TestSlowScansStillFindALoss(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(1|1<<20, 0)
		for range 3 {
			r.scanAfter(slowTick)
		}
		stop := r.hand(2)
		for scan := 1; r.frame.Lost == 0; scan++ {
			if scan > 25 {
				t.Fatalf("a chip that never says the same twice is believed for %d scans", scan)
			}
			r.scanAfter(slowTick)
		}
		stop()
		for range 4 {
			r.scanAfter(slowTick)
		}
		r.wantTruth("calm again")
		r.wire(2).Fail(r.addr(2), emu.NoAck())
		for range 4 {
			r.scanAfter(slowTick)
		}
		if r.frame.Lost != r.cells(2) {
			t.Errorf("a chip that does not answer: lost %x, want %x", r.frame.Lost, r.cells(2))
		}
	})
}
