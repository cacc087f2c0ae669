package doctor

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/configs"
	"reversi-board/engine"
)

// Any two lights differ in at least one picture, and every light is lit in one and
// dark in one.
func TestPicturesTellLightsApart(t *testing.T) {
	t.Parallel()
	for s := range engine.Square(engine.Squares) {
		for other := range s {
			differ := false
			for k := range pictures {
				differ = differ || picture(k).Has(s) != picture(k).Has(other)
			}
			if !differ {
				t.Errorf("%v and %v look the same", s, other)
			}
		}
		if !picture(allLit).Has(s) || picture(allDark).Has(s) {
			t.Errorf("%v", s)
		}
	}
}

// What each question names is what is lit, as somebody would check it at the
// board.
func TestQuestionsNameWhatIsLit(t *testing.T) {
	t.Parallel()
	for k := range pictures {
		q := pictureQuestion(k)
		for s := range engine.Square(engine.Squares) {
			want := k == allLit
			if rest, ok := strings.CutPrefix(q.Text, "Do the files "); ok {
				want = named(rest, string(rune('a'+s.File())))
			}
			if rest, ok := strings.CutPrefix(q.Text, "Do the ranks "); ok {
				want = named(rest, string(rune('1'+s.Rank())))
			}
			if q.Lit.Has(s) != want {
				t.Errorf("%q: %v is lit: %v", q.Text, s, q.Lit.Has(s))
			}
		}
	}
}

// named reports whether "b, d, f and h shine..." or "e to h shine..." names one.
func named(text, one string) bool {
	text, _, _ = strings.Cut(text, " shine")
	if from, to, ok := strings.Cut(text, " to "); ok {
		return from <= one && one <= to
	}
	return slices.Contains(strings.FieldsFunc(strings.ReplaceAll(text, " and ", ", "), func(r rune) bool { return r == ',' || r == ' ' }), one)
}

// Lights in any order, some of them dead, some that never go out: each is found
// for what it is. A light that never goes out hides which one it is.
func TestLightsAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Permutation(numbers()).Draw(t, "at")
		if rapid.Bool().Draw(t, "in order") {
			at = numbers()
		}
		dead := engine.Bitboard(rapid.Uint64().Draw(t, "dead")) & engine.Bitboard(rapid.Uint64().Draw(t, "and"))
		stuck := engine.Bitboard(rapid.Uint64().Draw(t, "stuck")) & engine.Bitboard(rapid.Uint64().Draw(t, "and")) &^ dead
		g := looked(at, dead, stuck)
		states, of := g.judge()
		for s := range engine.Square(engine.Squares) {
			want := Fine
			switch {
			case dead.Has(s):
				want = Dead
			case stuck.Has(s):
				want = Stuck
			case at[s] != int(s):
				want = Elsewhere
			}
			if states[s] != want || want == Elsewhere && int(of[s]) != at[s] {
				t.Fatalf("%v: %v of %v, want %v of %v", s, states[s], of[s], want, engine.Square(at[s]))
			}
		}
	})
}

// looked returns what is seen of lights when beside square s is the light of
// square at[s].
func looked(at []int, dead, stuck engine.Bitboard) (g glances) {
	for k := range pictures {
		var lit engine.Bitboard
		for s, n := range at {
			lit |= picture(k) >> n & 1 << s
		}
		lit = lit&^dead | stuck
		r := Reply{Said: These, Squares: lit ^ picture(k)}
		if r.Squares == 0 {
			r = Reply{Said: Yes}
		}
		g.note(k, r)
	}
	return g
}

func numbers() []int {
	all := make([]int, engine.Squares)
	for i := range all {
		all[i] = i
	}
	return all
}

// Questions that were left out make things less certain, not wrong.
func TestLightsLeftOut(t *testing.T) {
	t.Parallel()
	var g glances
	g.note(allLit, Reply{Said: These, Squares: 1 << 9})
	for k := 1; k < pictures; k++ {
		g.note(k, Reply{Said: Leave})
	}
	states, _ := g.judge()
	for s, state := range states {
		if want := map[bool]State{true: Dead, false: Fine}[s == 9]; state != want {
			t.Errorf("%v: %v, want %v", engine.Square(s), state, want)
		}
	}
	g = glances{}
	if states, _ := g.judge(); states[0] != Untested {
		t.Errorf("nothing asked: %v", states[0])
	}
	// Dark in the first picture, but not in another one: a joint that comes and goes.
	g.note(allLit, Reply{Said: These, Squares: 1 << 63})
	for k := 1; k < pictures; k++ {
		g.note(k, Reply{Said: Yes})
	}
	if states, _ := g.judge(); states[63] != Suspect || states[62] != Fine {
		t.Errorf("comes and goes: %v, %v", states[63], states[62])
	}
}

// A strip that was laid to and fro is one mistake, and the setting is named; so is
// any other order.
func TestOrderOfLights(t *testing.T) {
	t.Parallel()
	rows, serpentine := numbers(), numbers()
	for s := range serpentine {
		if s/8%2 == 1 {
			serpentine[s] = s/8*8 + 7 - s%8
		}
	}
	turned := numbers()
	slices.Reverse(turned)
	for _, tc := range []struct {
		name          string
		told, is      []int
		where, remedy string
		problems      int
	}{
		{"right", rows, rows, "", "", 0},
		{"laid to and fro", rows, serpentine, "hardware.leds.order", "to serpentine", 1},
		{"not laid to and fro", serpentine, rows, "hardware.leds.order", "to rows", 1},
		{"begins at the other end", rows, turned, "hardware.leds.order", "[63, 62, 61", 1},
	} {
		d := &doctor{h: &configs.Hardware{LEDs: configs.LEDs{Driver: configs.MAX7219}}}
		copy(d.h.LEDs.Order[:], tc.told)
		var g glances
		for k := range pictures {
			var wrong engine.Bitboard
			for s := range engine.Square(engine.Squares) {
				// The light that is lit for square n has the number told[n]; beside s is
				// the one with the number is[s].
				n := engine.Square(slices.Index(tc.told, tc.is[s]))
				if picture(k).Has(n) != picture(k).Has(s) {
					wrong |= s.Bit()
				}
			}
			g.note(k, Reply{Said: These, Squares: wrong})
		}
		c := Check{Status: OK}
		d.sayLights(&g, &c)
		if len(c.Problems) != tc.problems {
			t.Errorf("%s: %+v", tc.name, c.Problems)
			continue
		}
		if tc.problems == 1 && (c.Problems[0].Where != tc.where || !strings.Contains(c.Problems[0].Next, tc.remedy)) {
			t.Errorf("%s: %+v", tc.name, c.Problems[0])
		}
	}
}

// Two lights that were exchanged are named with their numbers.
func TestExchangedLights(t *testing.T) {
	t.Parallel()
	d := &doctor{h: &configs.Hardware{LEDs: configs.LEDs{Driver: configs.APA102}}}
	copy(d.h.LEDs.Order[:], numbers())
	var g glances
	for k := range pictures {
		var wrong engine.Bitboard
		if picture(k).Has(3) != picture(k).Has(12) {
			wrong = 1<<3 | 1<<12
		}
		g.note(k, Reply{Said: These, Squares: wrong})
	}
	c := Check{Status: OK}
	d.sayLights(&g, &c)
	if len(c.Problems) != 2 || c.Problems[0].Where != "d1" || c.Problems[1].Where != "e2" ||
		!strings.Contains(c.Problems[0].Next, "number 12") || !strings.Contains(c.Problems[1].Next, "number 3 ") {
		t.Errorf("%+v", c.Problems)
	}
}

// Where no light shines the pins of the settings are named, with their places on
// the header.
func TestNoLightShines(t *testing.T) {
	t.Parallel()
	for driver, pins := range map[string][]string{
		configs.APA102:  {"GPIO10 (pin 19", "GPIO11 (pin 23", "74AHCT125", "5 V", "ground", "DI"},
		configs.WS2812:  {"GPIO10 (pin 19", "5 V", "ground"},
		configs.MAX7219: {"GPIO10 (pin 19", "GPIO11 (pin 23", "GPIO8 (pin 24"},
		configs.HT16K33: {"SDA", "0x70"},
	} {
		d := &doctor{h: &configs.Hardware{LEDs: configs.LEDs{Driver: driver, Port: "SPI0.0", Address: 0x70}}}
		var g glances
		g.note(allLit, Reply{Said: No})
		c := Check{Status: OK}
		d.sayLights(&g, &c)
		if len(c.Problems) != 1 || c.Problems[0].Cause != "dark" {
			t.Fatalf("%s: %+v", driver, c.Problems)
		}
		for _, p := range pins {
			if !strings.Contains(c.Problems[0].Next, p) {
				t.Errorf("%s: %q does not mention %q", driver, c.Problems[0].Next, p)
			}
		}
	}
}
