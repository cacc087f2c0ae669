package led_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/display/led"
	"reversi-board/engine"
)

// blinking samples a1 on lights of one color for 4 s from 1 s on, 100 times a
// second.
func blinking(sc display.Scene) []byte {
	var series []byte
	for now := time.Second; now < 5*time.Second; now += 10 * ms {
		on, _ := led.RenderMono(&sc, now)
		series = append(series, ".#"[on&a1])
	}
	return series
}

// rhythm counts how often a series comes on and how many samples it is lit.
func rhythm(series []byte) (starts, lit int) {
	before := byte('.')
	for _, l := range series {
		if l == '#' {
			lit++
			if before == '.' {
				starts++
			}
		}
		before = l
	}
	return starts, lit
}

// The times that the table of patterns without brightness promises, for four
// seconds: how often it comes on, how long it is lit in all (in 10 ms).
func TestRhythmsOfOneColor(t *testing.T) {
	t.Parallel()
	all := scenes()
	type beat struct{ starts, lit int }
	want := map[display.Pattern]beat{
		display.Off:        {0, 0},
		display.Flip:       {1, 400},
		display.Wrong:      {16, 208}, // 125 ms are 12 or 13 samples
		display.PlaceBlack: {4, 100},
		display.PlaceWhite: {4, 300},
		display.OK:         {1, 30},
		display.Pass:       {1, 10},
		display.Fault:      {8, 80},
		display.Hint:       {2, 40},
		display.HintBest:   {6, 120},
		display.Identify:   {6, 150}, // for 3 s
		display.Ask:        {4, 200},
	}
	named := map[beat]display.Pattern{}
	for p := range display.Pattern(display.Patterns) {
		starts, lit := rhythm(blinking(all[p]))
		if got := (beat{starts, lit}); got != want[p] {
			t.Errorf("%v: %+v, want %+v", p, got, want[p])
		}
		if other, ok := named[beat{starts, lit}]; ok {
			t.Errorf("%v and %v have the same rhythm", p, other)
		}
		named[beat{starts, lit}] = p
	}
}

// Any two patterns differ for a fifth of a second or more; the sweep, by that it
// moves, for a tenth.
func TestPatternsDifferInOneColor(t *testing.T) {
	t.Parallel()
	all := scenes()
	for p := range display.Pattern(display.Patterns) {
		for q := range p {
			x, y := blinking(all[p]), blinking(all[q])
			least := 20
			if q == display.Pass || p == display.Pass {
				least = 10
			}
			if n := differ(x, y); n < least {
				t.Errorf("%v and %v differ in %d of %d samples:\n%s\n%s", p, q, n, len(x), x, y)
			}
		}
	}
}

// Red means that something is wrong, green that all is well or easy; all else
// is yellow. The rhythm is that of one color.
func TestTwoColors(t *testing.T) {
	t.Parallel()
	colors := map[display.Pattern]string{
		display.Flip: "green", display.OK: "green", display.Wrong: "red", display.Fault: "red",
		display.PlaceBlack: "yellow", display.PlaceWhite: "yellow", display.Pass: "yellow",
		display.Hint: "yellow", display.HintBest: "yellow", display.Identify: "yellow",
		display.Ask: "yellow",
	}
	for p, sc := range scenes() {
		for now := time.Second; now < 5*time.Second; now += 10 * ms {
			red, green, moves := led.RenderBicolor(&sc, now)
			on, moved := led.RenderMono(&sc, now)
			if red|green != on || moves != moved {
				t.Fatalf("%v at %v: red %v green %v, but in one color %v", p, now, red, green, on)
			}
			got := [4]string{"", "red", "green", "yellow"}[red&a1|green&a1<<1]
			if got != "" && got != colors[p] {
				t.Fatalf("%v is %s, want %s", p, got, colors[p])
			}
		}
	}
}

// Each square has the light of its own pattern, and a picture that is said not
// to move stays as it is.
func TestModulesShowEverySquare(t *testing.T) {
	t.Parallel()
	all := scenes()
	rapid.Check(t, func(rt *rapid.T) {
		var sc display.Scene
		for s := range sc.Lights {
			sc.Lights[s] = rapid.SampledFrom([]display.Pattern{
				display.Off, display.Flip, display.Wrong, display.PlaceBlack, display.PlaceWhite,
				display.Fault, display.Hint, display.HintBest, display.Ask,
			}).Draw(rt, fmt.Sprint(s))
		}
		now := time.Second + time.Duration(rapid.IntRange(0, 4000).Draw(rt, "ms"))*ms
		on, moves := led.RenderMono(&sc, now)
		for s, p := range sc.Lights {
			alone := all[p]
			want, _ := led.RenderMono(&alone, now)
			if on.Has(engine.Square(s)) != want.Has(0) {
				rt.Fatalf("square %d shows %v otherwise than alone", s, p)
			}
		}
		later := now + time.Duration(rapid.IntRange(0, 4000).Draw(rt, "later"))*ms
		if after, again := led.RenderMono(&sc, later); !moves && (again || after != on) {
			rt.Fatalf("said to be still at %v, but at %v it differs", now, later)
		}
	})
}

func TestModulesAllocateNothing(t *testing.T) {
	for p, sc := range scenes() {
		now := time.Duration(0)
		if n := testing.AllocsPerRun(200, func() {
			now += 20 * ms
			_, _ = led.RenderMono(&sc, now)
			_, _, _ = led.RenderBicolor(&sc, now)
		}); n != 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}

func BenchmarkRenderBicolor(b *testing.B) {
	sc := scenes()[display.Wrong]
	var now time.Duration
	for b.Loop() {
		now += 20 * ms
		_, _, _ = led.RenderBicolor(&sc, now)
	}
}
