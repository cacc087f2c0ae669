package app

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
)

// lined starts a program whose interrupt line is waited for by wait.
func lined(t *testing.T, wait func(ctx context.Context) error) *ward {
	t.Helper()
	w := &ward{}
	w.set(nil)
	w.free.Store(5 << 30)
	w.synced.Store(true)
	w.board, _ = runPrepared(t, t.TempDir(), nil, func(c *configs.Config) { c.Hardware.Interrupt = "GPIO17" }, func(a *App) {
		w.crier = &crier{app: a}
		a.synced, a.interrupt = w.synced.Load, wait
		a.nurse.out, a.nurse.files, a.nurse.flush = w.crier, w, func() {}
		a.nurse.free = func(string) (int64, bool) { return w.free.Load(), true }
	})
	return w
}

// scans returns how often the board was scanned in the coming time, a second.
func (w *ward) scansIn(d time.Duration) float64 {
	before := w.app.rig.scans.health().Scans
	time.Sleep(d)
	return float64(w.app.rig.scans.health().Scans-before) / d.Seconds()
}

// An interrupt line whose wait returns at once, because it is open or its chip is
// broken, asks for twice the scans at most, and that is told; a line that has
// come to its senses is told no more.
func TestInterruptLineThatNeverRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sound atomic.Bool
		var waits atomic.Int64
		w := lined(t, func(ctx context.Context) error {
			if sound.Load() || waits.Add(1) > 100_000 { // Or nothing else would ever run.
				<-ctx.Done()
			}
			return ctx.Err()
		})
		time.Sleep(2 * time.Second)
		if n := w.scansIn(10 * time.Second); n < 45 || n > 105 {
			t.Errorf("%.0f scans a second, want 100 at most", n)
		}
		all := codesOf(w.page().Alerts)
		if !strings.Contains(all["device_lost"], "interrupt line GPIO17 reports changes all the time") {
			t.Errorf("the alerts are %v", all)
		}
		sound.Store(true)
		time.Sleep(20 * time.Second)
		if all := codesOf(w.page().Alerts); len(all) != 0 {
			t.Errorf("the line is sound again: %v", all)
		}
		if waits.Load() > 5000 {
			t.Errorf("the line was waited for %d times", waits.Load())
		}
	})
}

// A line that never tells of a change although the cells change is told, until it
// does.
func TestInterruptLineThatIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(c *configs.Config) { c.Hardware.Interrupt = "GPIO17" })
		moves := movesOf(t, "f5f6e6f4e3d6g4d3c3d2c4f3")
		w.play(moves[:2])
		if all := codesOf(w.page().Alerts); len(all) != 0 {
			t.Errorf("a sound line: %v", all)
		}
		w.app.rig.Sim.LoseInterrupts(true)
		w.play(moves[2:10])
		time.Sleep(3 * time.Second)
		all := codesOf(w.page().Alerts)
		if !strings.Contains(all["device_lost"], "interrupt line GPIO17 does not tell of changes") {
			t.Errorf("the alerts are %v, the line %+v", all, w.app.rig.Health().Interrupts)
		}
		w.app.rig.Sim.LoseInterrupts(false)
		w.play(moves[10:])
		time.Sleep(3 * time.Second)
		if all := codesOf(w.page().Alerts); len(all) != 0 {
			t.Errorf("the line is sound again: %v", all)
		}
	})
}
