package virtual_test

import (
	"errors"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// quad puts four converters on an analog board.
func quad(b *bench) {
	b.config.Hardware.Analog.ADCs = []uint16{0x48, 0x49, 0x4A, 0x4B}
	for i := range b.config.Hardware.Taps {
		b.config.Hardware.Taps[i] = configs.Tap{ADC: i / 16, Channel: i % 16}
	}
}

// A converter with a clock as slow as the sheet allows, or slower by a third, is
// waited for: never does a cell show the voltage of another one.
func TestFailureSlowConverter(t *testing.T) {
	for name, pace := range map[string]float64{"10 % slow": 1.1, "a third slow": 1.33} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// To ask takes time, in which the conversion goes on.
			b := rack(t, "hall-analog", 1, func(b *bench) { b.wire = true })
			b.sim.ADC(0).SetPace(pace)
			b.half(t)
			b.whole(t, "d2", "d3")
			if h := b.table.Health(); h.Chips[0].Slow > 0 || h.Scans.Failed > 0 {
				t.Errorf("%+v", h)
			}
			b.recordIsTrue(t)
		})
	}
}

// A converter that does not finish any more: its cells are unknown within three
// scans, the cells of the other converters play on, and it is back within six
// seconds after the repair.
func TestFailureStalledConverter(t *testing.T) {
	for name, change := range map[string]func(b *bench){"one of one": func(*bench) {}, "one of four": quad} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "hall-analog", 2, change)
			b.half(t)
			chips := chipsOf(b)
			gone := chips[len(chips)-1] // ranks 7 and 8, or everything
			must(t, b.sim.FailBank(len(chips)-1, sim.BankFrozen))
			n := b.scansUntil(t, 4, func(h *app.Health) bool { return h.Scans.Lost == uint64(gone) })
			t.Logf("unknown after %d scans", n)
			b.wantTrouble(t, false, map[string]engine.Bitboard{"bank_lost": gone})
			b.turnOver(t, "d2")
			b.turnOver(t, "d3")
			must(t, b.pass(5*time.Second))
			done := []string{"move black d1 flips d2 d3"}
			if len(chips) == 1 {
				must(t, b.expectEvents(nil))
			} else {
				must(t, b.expectEvents(done))
				done = nil
			}
			must(t, b.sim.HealBank(len(chips)-1))
			must(t, b.pass(7*time.Second))
			if tr := b.trouble(t); tr.back["bank_lost"] != gone || len(tr.others) != len(done) {
				t.Errorf("%+v", tr)
			}
			if c := b.table.Health().Chips[len(chips)-1]; c.Slow == 0 || c.State != "live" {
				t.Errorf("%+v", c)
			}
			b.flashes = nil
			b.playOn(t, 3)
			b.recordIsTrue(t)
		})
	}
}

// The select lines cannot be driven: no cell can be known, and none shows what
// the channel before it had.
func TestFailureSelectLines(t *testing.T) {
	b := rack(t, "hall-analog", 3)
	b.half(t)
	b.sim.Select().FailOuts(-1, errors.New("no such line"))
	b.scansUntil(t, 4, func(h *app.Health) bool { return h.Scans.Lost == uint64(all) })
	b.wantTrouble(t, false, map[string]engine.Bitboard{"bank_lost": all})
	b.turnOver(t, "d2")
	b.turnOver(t, "d3")
	must(t, b.pass(5*time.Second))
	must(t, b.expectEvents(nil))
	b.saysSo(t)
	if h := b.table.Health(); h.Scans.Failed == 0 || h.Scans.Error == "" {
		t.Errorf("%+v", h.Scans)
	}
	b.sim.Select().FailOuts(0, nil)
	must(t, b.pass(2*time.Second))
	if tr := b.trouble(t); tr.back["bank_lost"] != all || len(tr.others) != 1 || tr.others[0] != "move black d1 flips d2 d3" {
		t.Errorf("%+v", tr)
	}
	b.flashes = nil
	b.playOn(t, 3)
	b.recordIsTrue(t)
}

// A sensor without supply, or an open input, is a fault that masks one cell.
func TestFailureOpenSensor(t *testing.T) {
	for name, kind := range map[string]sim.CellFaultKind{"no supply": sim.Dead, "at the upper end": sim.BothActive} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "hall-analog", 8)
			b.half(t)
			must(t, b.sim.FailCell(63, sim.CellFault{Kind: kind}))
			must(t, b.pass(2*time.Second))
			b.wantTrouble(t, false, map[string]engine.Bitboard{"stuck": 1 << 63})
			must(t, b.expectLights("FLIP d2 d3, FAULT h8"))
			b.stateIs(t, "sensed h8 ?, problem sensor_fault")
			b.whole(t, "d2", "d3")
			must(t, b.sim.HealCell(63))
			must(t, b.pass(2*time.Second))
			if tr := b.trouble(t); tr.back["stuck"] != 1<<63 || len(tr.failed)+len(tr.others) > 0 {
				t.Errorf("mended: %+v", tr)
			}
			b.recordIsTrue(t)
		})
	}
}
