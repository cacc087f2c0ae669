//go:build !race

package virtual_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// These take minutes under the race detector, which has nothing to find in them:
// there is one goroutine.

// A select line that is stuck makes cells show others, without any error: the
// board no longer looks like the record. It says what it sees, and nothing is
// put on record; mended, the move goes on where it was.
func TestFailureStuckSelectLine(t *testing.T) {
	for line, level := range []uint8{0, 0xF, 0, 0xF} {
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

// Scenario 10: a day, and a morning more, on which the sensors get up to 15 mV warmer or
// colder, each by its own, which is a tenth of what a disc makes: every disc is
// seen and no other, no cell is ever called sick, and the calibration stays what
// it is, byte by byte. The board is scanned every 30 s, so that this does not
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
		b.table.Skip(30 * time.Second)
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

// A sensor that drifts much further is told of long before its square is misread:
// the game goes on, the square is still in play, and in a room as it was when the
// board was calibrated all is well again.
func TestFailureDriftTooFar(t *testing.T) {
	b := rack(t, "hall-analog", 10)
	must(t, b.play(opening))
	must(t, b.pass(time.Second))
	const a1, e1 = 0, 4
	l := b.table.Calibration().Levels[a1]
	full := min(math.Abs(float64(l.North)-float64(l.Null)), math.Abs(float64(l.South)-float64(l.Null))) * 125e-6
	target := 0.25 * full
	start := b.now
	b.sim.Drift(func(cell int, at time.Duration) float64 {
		share := min(1, (at-start).Hours()/24)
		switch cell {
		case a1:
			return target * share
		case e1: // As far as warm days bring others.
			return full * 0.1 * share
		}
		return 0
	})
	for b.now < start+25*time.Hour {
		b.table.Skip(30 * time.Second)
		must(t, b.scan())
	}
	b.clock = b.now
	must(t, b.pass(20*time.Second))
	b.wantTrouble(t, false, map[string]engine.Bitboard{"drift": 1 << a1})
	b.stateIs(t, "sensed a1 -, problem none")
	must(t, b.expectLights("none"))
	b.hands(t, "place d1 black")
	must(t, b.pass(b.reaction))
	b.whole(t, "d2", "d3")

	target, start = 0, b.now
	must(t, b.pass(30*time.Second))
	if tr := b.trouble(t); tr.back["drift"] != 1<<a1 || len(tr.failed)+len(tr.others) > 0 {
		t.Errorf("in a colder room: %+v", tr)
	}
	b.recordIsTrue(t)
}

// The same for a square on which a disc lies all the time, whose null nobody can
// track: its drift is told while the disc is still seen, with margin to spare.
func TestFailureDriftUnderADisc(t *testing.T) {
	b := rack(t, "hall-analog", 11)
	must(t, b.play(opening))
	must(t, b.pass(10*time.Second))
	const e4 = 28
	l := b.table.Calibration().Levels[e4]
	disc := l.North
	if b.sim.Faces()[e4] == sim.SouthUp { // What is up is away from the sensor.
		disc = l.South
	}
	towards := (float64(l.Null) - float64(disc)) * 125e-6
	const hours = 8
	start, target := b.now, 0.9
	b.sim.Drift(func(cell int, at time.Duration) float64 {
		if cell != e4 {
			return 0
		}
		return towards * target * min(1, (at-start).Hours()/hours)
	})
	lying, margin := b.lying(), uint8(0)
	for b.now < start+hours*time.Hour && len(b.events) == 0 {
		b.table.Skip(30 * time.Second)
		must(t, b.scan())
		margin = b.table.Checkup().Cells[e4].Margin
	}
	b.clock = b.now
	if sensed := b.table.Core.State.Sensed; sensed != lying || margin < 20 {
		t.Errorf("told %v after the start, with a margin of %d: seen are %v, there lies %v", b.now-start, margin, sensed, lying)
	}
	b.wantTrouble(t, false, map[string]engine.Bitboard{"drift": 1 << e4})
	// The room is as before.
	target = 0
	must(t, b.pass(30*time.Second))
	if tr := b.trouble(t); tr.back["drift"] != 1<<e4 || len(tr.failed)+len(tr.others) > 0 {
		t.Errorf("in a colder room: %+v", tr)
	}
	b.recordIsTrue(t)
}
