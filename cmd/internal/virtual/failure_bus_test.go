package virtual_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
)

// boards are the profiles with chips on I2C, and a chip of each.
func boards() map[string]uint16 {
	return map[string]uint16{"hall-128": 0x24, "hall-128-mcp23017": 0x22, "hall-analog": 0x48}
}

// A chip that has lost count of the clocks holds SDA. Within three scans, each
// of which costs a timeout, the bus is given up and clocked free by the taps: its
// cells are unknown for a moment, no chip loses anything, and the move goes on
// where it was.
func TestFailureSDAHeld(t *testing.T) {
	for name, chip := range boards() {
		for _, clocks := range []int{1, 5, 9} {
			t.Run(fmt.Sprintf("%s, %d clocks", name, clocks), func(t *testing.T) {
				t.Parallel()
				b := rack(t, name, uint64(clocks))
				b.half(t)
				before := b.table.Health()
				b.sim.Bus().HoldSDA(chip, clocks)
				n := b.scansUntil(t, 3, func(h *app.Health) bool { return h.Buses[0].Deaths == 1 })
				t.Logf("found in scan %d", n)
				must(t, b.pass(time.Second))
				b.wantTrouble(t, true, map[string]engine.Bitboard{"bank_lost": cellsOf(&before, 0)})
				must(t, b.expectLights("FLIP d2 d3"))
				after := b.table.Health()
				bus := after.Buses[0]
				if bus.Dead || bus.Recoveries != 1 || bus.Unfreed != 0 {
					t.Errorf("the bus: %+v", bus)
				}
				for i, c := range after.Chips {
					if c.Resets != before.Chips[i].Resets {
						t.Errorf("a chip was reset: %+v", c)
					}
				}
				b.whole(t, "d2", "d3")
				b.recordIsTrue(t)
			})
		}
	}
}

// What no clock frees loses its supply for half a second: SDA held for ever, SCL
// held. All chips on the board are then as after power-on and are initialised
// before they are believed; hands that went on meanwhile are understood.
func TestFailureBusFreedByTheSupply(t *testing.T) {
	for name, chip := range boards() {
		for what, hold := range map[string]func(w *emu.Bus){
			"SDA": func(w *emu.Bus) { w.HoldSDA(chip, -1) },
			"SCL": func(w *emu.Bus) { w.HoldSCL(chip, true) },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				testFreedByTheSupply(t, name, hold)
			})
		}
	}
}

func testFreedByTheSupply(t *testing.T, name string, hold func(w *emu.Bus)) {
	t.Helper()
	b := rack(t, name, 3)
	b.half(t)
	before := b.table.Health()
	hold(b.sim.Bus())
	b.scansUntil(t, 3, func(h *app.Health) bool { return h.Buses[0].Deaths == 1 })
	b.turnOver(t, "d3") // Nobody can see it now.
	must(t, b.pass(1500*time.Millisecond))
	tr := b.trouble(t)
	if got := tr.failed["bank_lost"] | tr.failed["reset"]; got != all || len(tr.others) > 0 {
		t.Errorf("failed %v, others %q", tr.failed, tr.others)
	}
	if tr.back["bank_lost"] != tr.failed["bank_lost"] || tr.back["reset"] != tr.failed["reset"] {
		t.Errorf("of %v are back %v", tr.failed, tr.back)
	}
	after := b.table.Health()
	for i, c := range after.Chips {
		if c.State != "live" || c.Inits != before.Chips[i].Inits+1 {
			t.Errorf("chip %+v, before %+v", c, before.Chips[i])
		}
	}
	if bus := after.Buses[0]; bus.Dead || bus.Recoveries != 1 || bus.Unfreed != 0 {
		t.Errorf("the bus: %+v", bus)
	}
	must(t, b.expectLights("FLIP d2"))
	b.whole(t, "d2")
	b.recordIsTrue(t)
}

// Nothing frees a short, a bus without taps and supply switch, or one whose
// switch fails. The whole board says so and waits, whatever the hands do; the
// repair is found within six seconds and what the hands have done is then
// understood.
func TestFailureBusThatStaysDead(t *testing.T) {
	for what, c := range map[string]struct {
		change  []func(b *bench)
		trouble func(w *emu.Bus)
	}{
		"SDA shorted":          {nil, func(w *emu.Bus) { w.Short(false, true) }},
		"SCL shorted":          {nil, func(w *emu.Bus) { w.Short(true, false) }},
		"nothing to free it":   {[]func(b *bench){without}, func(w *emu.Bus) { w.HoldSDA(0x24, 3) }},
		"the switch fails":     {nil, func(w *emu.Bus) { w.HoldSCL(0x24, true); w.FailRail(errors.New("no such line")) }},
		"the taps fail":        {nil, func(w *emu.Bus) { w.HoldSDA(0x24, 3); w.FailTaps(errors.New("no such line")) }},
		"the controller hangs": {nil, func(w *emu.Bus) { w.FailAll(errors.New("connection timed out")) }},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "hall-128", 4, c.change...)
			b.half(t)
			c.trouble(b.sim.Bus())
			n := b.scansUntil(t, 3, func(h *app.Health) bool { return h.Scans.Lost == uint64(all) })
			t.Logf("found in scan %d", n)
			must(t, b.pass(time.Second))
			b.wantTrouble(t, false, map[string]engine.Bitboard{"bank_lost": all})
			must(t, b.expectLights("FLIP d2 d3, FAULT "+(all&^(1<<11|1<<19)).String()))
			b.stateIs(t, "problem bank_lost, ply 12, turn black, pending black d1 open d2 d3")
			b.saysSo(t)
			// The hands finish the move, nobody sees it.
			b.turnOver(t, "d2")
			b.turnOver(t, "d3")
			must(t, b.pass(30*time.Second))
			must(t, b.expectEvents(nil))
			b.stateIs(t, "ply 12, turn black")
			if h := b.table.Health(); !h.Buses[0].Dead || h.Buses[0].Error == "" || h.Scans.Error == "" {
				t.Errorf("%+v", h)
			}
			b.sim.Bus().Heal()
			must(t, b.pass(7*time.Second))
			tr := b.trouble(t)
			if tr.back["bank_lost"] != all || len(tr.others) != 1 || tr.others[0] != "move black d1 flips d2 d3" {
				t.Errorf("after the repair: %v, %q", tr.back, tr.others)
			}
			b.flashes = nil
			b.playOn(t, 3)
			b.recordIsTrue(t)
		})
	}
}
