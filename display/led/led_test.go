package led_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/display/led"
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

const ms = time.Millisecond

// playing returns a game in which the guide says what change does.
func playing(change func(*referee.State)) *referee.State {
	s := &referee.State{Phase: referee.Playing, Step: referee.ToMove}
	change(s)
	return s
}

// a1 is the square that all tests look at.
const a1 = engine.Bitboard(1)

// scenes returns one scene a pattern, in which a1 shows it from the time 1 s.
func scenes() map[display.Pattern]display.Scene {
	const at = time.Second
	idle := func(*referee.State) {}
	compose := func(change func(*referee.State), c display.Cues) display.Scene {
		c.Now = at
		return display.Compose(playing(change), c)
	}
	none := display.Cues{}
	return map[display.Pattern]display.Scene{
		display.Off:        compose(idle, none),
		display.Flip:       compose(func(s *referee.State) { s.Guide.Flip = a1 }, none),
		display.Wrong:      compose(func(s *referee.State) { s.Guide.Turn = a1 }, none),
		display.PlaceBlack: compose(func(s *referee.State) { s.Guide.PlaceBlack = a1 }, none),
		display.PlaceWhite: compose(func(s *referee.State) { s.Guide.PlaceWhite = a1 }, none),
		display.OK:         compose(idle, display.Cues{OK: a1, OKAt: at}),
		display.Pass:       compose(idle, display.Cues{PassBy: engine.White, PassAt: at}),
		display.Fault:      compose(func(s *referee.State) { s.Masked = a1 }, none),
		display.Hint:       compose(idle, display.Cues{Hints: a1}),
		display.HintBest:   compose(idle, display.Cues{Best: a1}),
		display.Identify:   compose(idle, display.Cues{IdentifyUntil: at + 3*time.Second}),
		display.Ask:        compose(idle, display.Cues{Ask: a1, AskUntil: at + time.Minute}),
	}
}

// luminance returns what an eye without color sees, 0 to 255 (the weights of
// ITU-R BT.709).
func luminance(c led.RGB) int {
	return (2126*int(c.R) + 7152*int(c.G) + 722*int(c.B)) / 10000
}

// levels samples a1 for 2 s, 100 times a second, as dark, dim, medium, bright.
func levels(sc display.Scene) []byte {
	var series []byte
	var px [engine.Squares]led.RGB
	for now := time.Second; now < 3*time.Second; now += 10 * ms {
		led.Render(&sc, now, &px)
		switch l := luminance(px[0]); {
		case l == 0:
			series = append(series, '.')
		case l < 30:
			series = append(series, '-')
		case l < 70:
			series = append(series, '+')
		default:
			series = append(series, '#')
		}
	}
	return series
}

// Every meaning can be told without seeing colors: over two seconds any two
// patterns differ in brightness for a quarter of a second or more, and the sweep
// by that it moves.
func TestPatternsDifferWithoutColor(t *testing.T) {
	t.Parallel()
	all := scenes()
	if len(all) != display.Patterns {
		t.Fatalf("%d of %d patterns have a scene", len(all), display.Patterns)
	}
	for p := range display.Pattern(display.Patterns) {
		for q := range p {
			x, y := levels(all[p]), levels(all[q])
			least := 25
			if q == display.Pass || p == display.Pass {
				least = 10 // one step of the sweep
			}
			if n := differ(x, y); n < least {
				t.Errorf("%v and %v differ in %d of %d samples:\n%s\n%s", p, q, n, len(x), x, y)
			}
		}
	}
}

// differ counts the samples in which two series differ.
func differ(x, y []byte) int {
	n := 0
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

// runs writes how long a1 is lit and dark in turn, in milliseconds.
func runs(t *testing.T, sc display.Scene, from, to time.Duration) []int {
	t.Helper()
	var px [engine.Squares]led.RGB
	var out []int
	lit := true
	for now := from; now < to; now += 5 * ms {
		led.Render(&sc, now, &px)
		if on := px[0] != (led.RGB{}); on != lit || len(out) == 0 {
			lit = on
			out = append(out, 0)
		}
		out[len(out)-1] += 5
	}
	return out
}

// The times that the table of patterns promises.
func TestRhythms(t *testing.T) {
	t.Parallel()
	all := scenes()
	for _, c := range []struct {
		pattern display.Pattern
		want    []int // lit, dark, lit ... for one second from 1 s on
	}{
		{display.Flip, []int{1000}},
		{display.Wrong, []int{125, 125, 125, 125, 125, 125, 125, 125}}, // 4 Hz
		{display.OK, []int{300, 700}},
		{display.Pass, []int{100, 900}},
		{display.Fault, []int{100, 100, 100, 700}},
		{display.Identify, []int{250, 250, 250, 250}},
		{display.Hint, []int{1000}},
	} {
		if got := runs(t, all[c.pattern], time.Second, 2*time.Second); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v ms, want %v", c.pattern, got, c.want)
		}
	}
}

// The pulse of 1 Hz reaches both full brightness and darkness, without a jump;
// a black disc's light is mostly dark, a white one's mostly light.
func TestPulse(t *testing.T) {
	t.Parallel()
	all := scenes()
	for _, p := range []display.Pattern{display.PlaceBlack, display.PlaceWhite} {
		sc := all[p]
		var px [engine.Squares]led.RGB
		low, high, sum, last := 255, 0, 0, -1
		for now := 5 * time.Second; now < 6*time.Second; now += ms {
			if !led.Render(&sc, now, &px) {
				t.Fatalf("%v does not move", p)
			}
			l := luminance(px[0])
			low, high, sum = min(low, l), max(high, l), sum+l
			if last >= 0 && max(l-last, last-l) > 4 {
				t.Errorf("%v jumps from %d to %d at %v", p, last, l, now)
			}
			last = l
			before := px[0]
			led.Render(&sc, now+time.Second, &px)
			if px[0] != before {
				t.Errorf("%v is not periodic at %v", p, now)
			}
		}
		if low != 0 || high < 150 {
			t.Errorf("%v pulses between %d and %d", p, low, high)
		}
		if mostly := sum/1000 > high/2; mostly != (p == display.PlaceWhite) {
			t.Errorf("%v: mean %d of %d", p, sum/1000, high)
		}
	}
}

// The colors of the Okabe–Ito set (Color Universal Design, 2008).
func TestColors(t *testing.T) {
	t.Parallel()
	all := scenes()
	for p, want := range map[display.Pattern]string{
		display.Flip: "56B4E9", display.Wrong: "D55E00", display.OK: "009E73",
		display.Pass: "F0E442", display.Fault: "CC79A7", display.Off: "000000",
	} {
		sc := all[p]
		var px [engine.Squares]led.RGB
		led.Render(&sc, time.Second, &px)
		if got := fmt.Sprintf("%02X%02X%02X", px[0].R, px[0].G, px[0].B); got != want {
			t.Errorf("%v is #%s, want #%s", p, got, want)
		}
	}
	// White for discs: warm has more red than blue, cold the reverse.
	var px [engine.Squares]led.RGB
	warm, cold := all[display.PlaceBlack], all[display.PlaceWhite]
	if led.Render(&warm, 1750*ms, &px); px[0].R <= px[0].B {
		t.Errorf("black's white is not warm: %v", px[0])
	}
	if led.Render(&cold, 1250*ms, &px); px[0].R >= px[0].B {
		t.Errorf("white's white is not cold: %v", px[0])
	}
}

// A picture of which Render says that it does not move stays as it is.
func TestStillPicturesStayStill(t *testing.T) {
	t.Parallel()
	all := scenes()
	rapid.Check(t, func(rt *rapid.T) {
		p := display.Pattern(rapid.IntRange(0, display.Patterns-1).Draw(rt, "pattern"))
		now := time.Duration(rapid.IntRange(1000, 6000).Draw(rt, "ms")) * ms
		later := now + time.Duration(rapid.IntRange(0, 6000).Draw(rt, "later"))*ms
		sc := all[p]
		var a, b [engine.Squares]led.RGB
		if !led.Render(&sc, now, &a) && (led.Render(&sc, later, &b) || a != b) {
			rt.Fatalf("%v was said to be still at %v, but at %v it differs", p, now, later)
		}
	})
}

func TestRenderAllocatesNothing(t *testing.T) {
	all := scenes()
	var px [engine.Squares]led.RGB
	for p, sc := range all {
		now := time.Duration(0)
		if n := testing.AllocsPerRun(200, func() {
			now += 20 * ms
			led.Render(&sc, now, &px)
		}); n != 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	s := playing(func(s *referee.State) {
		s.Guide = referee.Guide{Flip: 0xFF00, PlaceBlack: 0xFF0000, Turn: 0xFF}
		s.Masked = 0xFF << 32
	})
	sc := display.Compose(s, display.Cues{PassBy: engine.White, PassAt: 1, Now: 1})
	var px [engine.Squares]led.RGB
	var now time.Duration
	for b.Loop() {
		now += 20 * ms
		led.Render(&sc, now, &px)
	}
}

func ExampleRender() {
	scene := display.Compose(
		&referee.State{Phase: referee.Playing, Guide: referee.Guide{Flip: a1}},
		display.Cues{},
	)
	var px [engine.Squares]led.RGB
	moves := led.Render(&scene, 0, &px)
	fmt.Println(px[0], moves)
	// Output: {86 180 233} false
}
