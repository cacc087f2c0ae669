package virtual_test

import (
	"testing"
	"time"

	"reversi-board/hardware/sim"
)

// On a computer that manages ten scans a second, hands move over chips that have
// just been reset and prove themselves. No transfer fails, so the record says
// reset and nothing else: no bank was lost.
func TestSlowComputerLosesNoBank(t *testing.T) {
	for _, name := range []string{"hall-128", "hall-128-mcp23017"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slowWithoutLoss(t, name)
		})
	}
}

func slowWithoutLoss(t *testing.T, name string) {
	t.Helper()
	b := rack(t, name, 7, func(b *bench) { b.config.Sensing.ScanHz, b.config.Sensing.Debounce = 10, 200*time.Millisecond })
	b.half(t)
	// A hand that cannot make up its mind is over the board all the time.
	for range 12 {
		for i := range chipsOf(b) {
			must(t, b.sim.FailBank(i, sim.BankReset))
		}
		for range 3 {
			b.hands(t, "lift d1")
			b.hands(t, "place d1 black")
		}
	}
	must(t, b.pass(3*time.Second))
	tr := b.trouble(t)
	if tr.failed["reset"] == 0 {
		t.Error("no chip was reset: this shows nothing")
	}
	delete(tr.failed, "reset")
	if len(tr.failed) > 0 || len(tr.others) > 0 {
		t.Errorf("failed %v, other events %q, want resets alone", tr.failed, tr.others)
	}
	for _, c := range b.table.Health().Chips {
		if c.Failed != 0 {
			t.Errorf("a transfer failed: %+v", c)
		}
	}
	b.whole(t, "d2", "d3")
	b.recordIsTrue(t)
}
