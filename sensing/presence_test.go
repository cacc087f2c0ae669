package sensing_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// presence are the times of a board that knows presence only.
func presence() sensing.Config {
	c := sensing.DefaultConfig()
	c.Presence = true
	return c
}

// The scripts are those of TestScripts; "black" is a disc, whose face the cells
// cannot see.
func TestPresenceScripts(t *testing.T) {
	t.Parallel()
	const start = `
		show d4 e4 d5 e5 black
		wait 220ms
		> settled occupied d4 e4 d5 e5
		wait 1s
		>`
	for _, c := range []struct{ name, script string }{
		{"a disc placed", start + `
			show f5 black
			wait 200ms
			>
			wait 20ms
			> settled occupied d4 e4 d5 e5 f5`},
		{"a disc turned by a slow hand is seen off and on", start + `
			show e5 empty
			wait 220ms
			> settled occupied d4 e4 d5
			show e5 black
			wait 220ms
			> settled occupied d4 e4 d5 e5`},
		{"a disc turned by a quick hand is not lost", start + `
			show e5 empty
			wait 120ms
			show e5 black
			wait 200ms
			>
			wait 20ms
			> settled occupied d4 e4 d5 e5 lifted e5
			wait 5s
			>`},
		{"a disc pushed aside for a moment is not lifted", start + `
			show e5 empty
			wait 40ms
			show e5 black
			wait 1s
			>`},
		{"off for the debounce time is lifted", start + `
			show e5 empty
			wait 80ms
			show e5 black
			wait 300ms
			> settled occupied d4 e4 d5 e5 lifted e5`},
		{"two hands at once: both are listed in one reading", start + `
			show d4 empty
			wait 80ms
			show e5 empty
			wait 60ms
			show d4 black
			wait 100ms
			show e5 black
			wait 220ms
			> settled occupied d4 e4 d5 e5 lifted d4 e5`},
		{"placed and turned before the board is at rest", start + `
			show f5 black
			wait 100ms
			show e5 empty
			wait 100ms
			show e5 black
			wait 220ms
			> settled occupied d4 e4 d5 e5 f5 lifted e5`},
		{"a disc that was not there before is no lifted one", start + `
			show f5 black
			wait 100ms
			show f5 empty
			wait 100ms
			show f5 black
			wait 220ms
			> settled occupied d4 e4 d5 e5 f5`},
		{"a disc that is still off is not put back", start + `
			show e5 empty
			wait 100ms
			show e5 black
			wait 100ms
			show e5 empty
			wait 300ms
			> settled occupied d4 e4 d5`},
		{"lifted while another cell is restless: listed when the board rests", start + `
			show e5 empty
			wait 100ms
			show e5 black
			wait 60ms
			flap g2 black 5Hz
			wait 2s
			>
			steady g2 empty
			wait 300ms
			> settled occupied d4 e4 d5 e5 lifted e5`},
		{"either output means a disc", `
			show d4 white
			show e4 black
			wait 220ms
			> settled occupied d4 e4`},
		{"a cell that may be a ghost is masked", start + `
			show g7 both
			wait 60ms
			>
			wait 20ms
			> failed ghost g7; settled occupied d4 e4 d5 e5 masked g7
			show g7 empty
			wait 1020ms
			> back ghost g7; settled occupied d4 e4 d5 e5`},
		{"a disc that becomes a ghost of itself has not been lifted", start + `
			show e5 both
			wait 300ms
			> failed ghost e5; settled occupied d4 e4 d5 e5 masked e5
			show e5 black
			wait 1020ms
			> back ghost e5; settled occupied d4 e4 d5 e5`},
		{"a lost cell has not been lifted, whatever happened meanwhile", start + `
			show e5 empty
			wait 80ms
			lose e5
			show e5 black
			wait 300ms
			> failed bank_lost e5; settled occupied d4 e4 d5 lost e5
			return e5
			wait 400ms
			> back bank_lost e5; settled occupied d4 e4 d5 e5`},
		{"lifted and put back just before its bank is lost: nothing may be decided from it", start + `
			show e5 empty
			wait 80ms
			show e5 black
			wait 80ms
			lose e5
			wait 20ms
			> failed bank_lost e5; settled occupied d4 e4 d5 e5 lost e5`},
		{"lifted before its bank was lost, back after: told with the reading", start + `
			show e5 empty
			wait 80ms
			show e5 black
			wait 80ms
			lose a1
			wait 60ms
			> failed bank_lost a1
			wait 300ms
			> settled occupied d4 e4 d5 e5 lost a1 lifted e5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			newTable(presence()).play(t, c.script)
		})
	}
}

// Lifting the same disc at an easy pace is not flapping.
func TestLiftingADiscFourTimesIsNotFlapping(t *testing.T) {
	t.Parallel()
	tb := newTable(presence())
	tb.play(t, "show e5 black\nwait 6s")
	for range 4 {
		tb.play(t, "show e5 empty\nwait 350ms\nshow e5 black\nwait 350ms")
	}
	if tb.faults != 0 {
		t.Errorf("%q", tb.said)
	}
}

// Whatever happens, the discs that are listed are those that were off their
// square for the debounce time or longer between two readings with them.
func TestLiftedDiscsAreListed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(presence())
		lying := engine.Bitboard(rapid.Uint64().Draw(rt, "discs"))
		tb.show(lying, "black")
		tb.wait(t, 300*ms)
		var lifted engine.Bitboard
		for range rapid.IntRange(1, 20).Draw(rt, "lifts") {
			s := engine.Square(rapid.IntRange(0, 63).Draw(rt, "square"))
			if !lying.Has(s) {
				continue
			}
			off := rapid.IntRange(1, 9).Draw(rt, "scans off")
			tb.show(s.Bit(), "empty")
			tb.wait(t, time.Duration(off)*scan)
			tb.show(s.Bit(), "black")
			tb.wait(t, time.Duration(rapid.IntRange(1, 9).Draw(rt, "scans on"))*scan)
			// 60 ms are three scans after the first one that sees it off.
			if off >= 4 {
				lifted |= s.Bit()
			}
		}
		tb.said = nil
		tb.wait(t, 300*ms)
		want := "[]"
		if lifted != 0 {
			want = fmt.Sprintf("[settled occupied %v lifted %v]", lying, lifted)
		}
		if got := fmt.Sprint(tb.said); got != want || tb.faults != 0 {
			rt.Fatalf("said %s, want %s", got, want)
		}
	})
}

func TestPresenceStepAllocatesNothing(t *testing.T) {
	p := sensing.New(presence())
	i := 0
	if n := testing.AllocsPerRun(5000, func() {
		p.Step(time.Duration(i)*scan, busy(i))
		i++
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
