package virtual_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
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

// A select line that is stuck makes cells show others, without any error: the
// board no longer looks like the record. It says what it sees, and nothing is
// put on record; mended, the move goes on where it was.
func TestFailureStuckSelectLine(t *testing.T) {
	for line := range uint8(4) {
		for _, level := range []uint8{0, 0xF} {
			b := rack(t, "hall-analog", uint64(line)+4)
			b.half(t)
			b.sim.Select().Stick(level, 1<<line)
			must(t, b.pass(20*time.Second))
			tr := b.trouble(t)
			for _, e := range tr.others {
				if !strings.HasPrefix(e, "illegal_move ") {
					t.Errorf("line %d at %d: %q", line, level, e)
				}
			}
			if b.table.Core.State.Problem.Code == "" {
				t.Errorf("line %d at %d: nobody is told", line, level)
			}
			b.stateIs(t, "ply 12, turn black")
			b.sim.Select().Stick(0, 0)
			must(t, b.pass(5*time.Second))
			tr = b.trouble(t)
			if len(tr.others) > 0 {
				t.Errorf("line %d at %d, mended: %q", line, level, tr.others)
			}
			must(t, b.expectLights("FLIP d2 d3"))
			b.whole(t, "d2", "d3")
			b.recordIsTrue(t)
		}
	}
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

// A day, and a morning more, on which the sensors get up to 15 mV warmer or
// colder, each by its own, which is a tenth of what a disc makes: every disc is
// seen and no other, no cell is ever called sick, and the calibration stays what
// it is, byte by byte. The board is scanned every 20 s, so that this does not
// take an hour here.
func TestFailureDriftOfADay(t *testing.T) {
	b := rack(t, "hall-analog", 9)
	must(t, b.play(opening))
	must(t, b.pass(time.Second))
	lying := b.lying()
	before, err := b.table.Calibration().Encode()
	must(t, err)
	const day, amplitude = 30 * time.Hour, 0.0075
	start := b.now
	b.sim.Drift(func(cell int, t time.Duration) float64 {
		phase := float64(cell) / 64
		return amplitude * (math.Sin(2*math.Pi*(phase+(t-start).Hours()/24)) - math.Sin(2*math.Pi*phase))
	})
	for b.now < start+day {
		b.table.Skip(20 * time.Second)
		must(t, b.scan())
		if sensed := b.table.Core.State.Sensed; sensed != lying || b.table.Core.State.Unsure() != 0 {
			t.Fatalf("%v after the start: seen are %v, there lies %v", b.now-start, sensed, lying)
		}
	}
	must(t, b.expectEvents(nil))
	b.clock = b.now
	// In the end every disc is taken off, and its square is empty.
	for s := range lying.Occupied().All() {
		b.hands(t, "lift "+s.String())
		must(t, b.pass(b.reaction))
		lying = lying.With(s, engine.None)
		if sensed := b.table.Core.State.Sensed; sensed != lying {
			t.Errorf("%v was lifted: seen are %v, there lies %v", s, sensed, lying)
		}
	}
	after, err := b.table.Calibration().Encode()
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the calibration has changed")
	}
}
