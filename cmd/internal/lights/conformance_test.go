package lights_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/engine"
)

const ms = time.Millisecond

// film shows a scene for four seconds and returns what each light did.
func film(t rapid.TB, m *module, sc *display.Scene, from time.Duration) *[engine.Squares][samples]light {
	t.Helper()
	var out [engine.Squares][samples]light
	for i := range samples {
		now := from + time.Duration(i*step)*ms
		if err := m.show(sc, now); err != nil {
			t.Fatal(err)
		}
		for cell, l := range m.look(now) {
			out[cell][i] = l
		}
	}
	return &out
}

// lasting are the patterns that a square can show for longer.
func lasting() []display.Pattern {
	return []display.Pattern{
		display.Off, display.Flip, display.Wrong, display.PlaceBlack, display.PlaceWhite,
		display.Fault, display.Hint, display.HintBest, display.Ask,
	}
}

// Every meaning is read from exactly its squares, whatever the others show.
func TestMeanings(t *testing.T) {
	t.Parallel()
	const scenes = 25 // of 64 squares each, each filmed for four seconds
	squares := rapid.SliceOfN(rapid.SampledFrom(lasting()), engine.Squares, engine.Squares)
	offset := rapid.IntRange(0, 5000)
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		for seed := range scenes {
			m := open(t)
			sc := display.Scene{Lights: [engine.Squares]display.Pattern(squares.Example(seed))}
			seen := film(t, m, &sc, time.Hour+time.Duration(offset.Example(seed))*ms)
			for s, p := range sc.Lights {
				if got := m.read(seen[s][:]); got != p.String() {
					t.Errorf("scene %d: %v is %v and looks like %s", seed, engine.Square(s), p, got)
				}
			}
		}
	})
}

// A committed move flashes once on its squares, for 300 ms.
func TestFlash(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		const squares = engine.Bitboard(0x8100_0000_1830_0001)
		sc := display.Scene{OK: squares, OKUntil: time.Hour + 300*ms}
		seen := film(t, open(t), &sc, time.Hour)
		for s := range engine.Square(engine.Squares) {
			starts, lit := rhythm(seen[s][:])
			if on := starts == 1 && lit == 300; on != squares.Has(s) || starts > 0 != squares.Has(s) {
				t.Errorf("%v comes on %d times for %d ms", s, starts, lit)
			}
		}
	})
}

// A pass is a sweep: 100 ms on each rank, from the one who passes to the one who
// moves. Black sits at rank 8.
func TestSweep(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		for by, first := range map[engine.Color]int{engine.Black: 7, engine.White: 0} {
			sc := display.Scene{Passing: true, PassBy: by, PassAt: time.Hour}
			seen := film(t, open(t), &sc, time.Hour)
			for s := range engine.Square(engine.Squares) {
				turn := max(s.Rank()-first, first-s.Rank())
				starts, lit := rhythm(seen[s][:])
				if starts != 1 || lit != 100 || !seen[s][turn*100/step].lit() {
					t.Errorf("%v passes: %v comes on %d times for %d ms", by, s, starts, lit)
				}
			}
		}
	})
}

// A board that is looked for blinks twice a second, all of it.
func TestIdentify(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		sc := display.Scene{IdentifyUntil: time.Hour + 3*time.Second}
		seen := film(t, open(t), &sc, time.Hour)
		for s := range seen {
			// 250 ms are 12 or 13 samples.
			if starts, lit := rhythm(seen[s][:]); starts != 6 || lit < 6*240 || lit > 6*260 {
				t.Errorf("%v comes on %d times for %d ms", engine.Square(s), starts, lit)
			}
		}
	})
}

// all is a scene of one pattern.
func all(p display.Pattern) *display.Scene {
	var sc display.Scene
	for s := range sc.Lights {
		sc.Lights[s] = p
	}
	return &sc
}

// lit returns which squares are lit.
func lit(m *module, now time.Duration) (on engine.Bitboard) {
	for cell, l := range m.look(now) {
		if l.lit() {
			on |= engine.Square(cell).Bit()
		}
	}
	return on
}

const everything = ^engine.Bitboard(0)

func TestDark(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		m := open(t)
		if err := m.dark(); err != nil || lit(m, 0) != 0 {
			t.Errorf("dark from the start: %v are lit, %v", lit(m, 0), err)
		}
		now := time.Hour
		for range 2 {
			if err := m.show(all(display.Flip), now); err != nil || lit(m, now) != everything {
				t.Errorf("%v are lit, %v", lit(m, now), err)
			}
			if err := m.dark(); err != nil || lit(m, now) != 0 {
				t.Errorf("dark: %v are lit, %v", lit(m, now), err)
			}
			now += 40 * ms
		}
	})
}

// A transfer that fails is reported, as itself; the next frame is right.
func TestErrors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		m := open(t)
		trouble := errors.New("the wire is cut")
		now := time.Hour
		if err := m.show(all(display.Flip), now); err != nil {
			t.Fatal(err)
		}
		m.fail(trouble)
		for range 3 {
			now += time.Second
			if err := m.show(all(display.Off), now); !errors.Is(err, trouble) {
				t.Errorf("got %v", err)
			}
			if err := m.dark(); !errors.Is(err, trouble) {
				t.Errorf("dark: got %v", err)
			}
		}
		m.fail(nil)
		now += 40 * ms
		if err := m.show(all(display.Flip), now); err != nil || lit(m, now) != everything {
			t.Errorf("afterwards %v are lit, %v", lit(m, now), err)
		}
	})
}

// Lights that lost their supply are back within two seconds, if a frame is shown
// every second.
func TestReset(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, open func(t rapid.TB) *module) {
		t.Helper()
		rapid.Check(t, func(rt *rapid.T) {
			m := open(rt)
			now := time.Hour
			show := func() {
				if err := m.show(all(display.Flip), now); err != nil {
					rt.Fatal(err)
				}
			}
			show()
			now += time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")) * ms
			m.reset()
			if lit(m, now) == everything {
				rt.Fatal("the lights survived a loss of supply")
			}
			for range 2 {
				now += time.Second
				show()
			}
			if lit(m, now) != everything {
				rt.Fatalf("only %v are lit", lit(m, now))
			}
		})
	})
}

// No scene draws more than the cap of a strip, at 20 mA for each channel.
func TestCurrent(t *testing.T) {
	t.Parallel()
	const milliamps = 600
	strips := 0
	for name, open := range modules() {
		m := open(t, milliamps)
		if !m.strip {
			continue // The chips limit the current themselves.
		}
		strips++
		if most := draws(t, m); most > milliamps || most < milliamps*0.95 {
			t.Errorf("%s: a scene draws %.0f mA, want just below %d", name, most, milliamps)
		}
	}
	if strips != 2 {
		t.Errorf("%d strips", strips)
	}
}

// draws returns the most that one second of any pattern on all squares draws, in
// milliamps.
func draws(t *testing.T, m *module) (most float64) {
	t.Helper()
	for _, p := range lasting() {
		for now := time.Hour; now < time.Hour+time.Second; now += step * ms {
			if err := m.show(all(p), now); err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, l := range m.look(now) {
				sum += l.r + l.g + l.b
			}
			most = max(most, float64(sum)/255*20)
		}
	}
	return most
}

func TestNothingIsAllocated(t *testing.T) {
	for name, open := range modules() {
		m := open(t, uncapped)
		now, sc := time.Hour, all(display.Wrong)
		if n := testing.AllocsPerRun(200, func() {
			now += step * ms
			if err := m.show(sc, now); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations per frame", name, n)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	for name, open := range modules() {
		b.Run(name, func(b *testing.B) {
			m := open(b, uncapped)
			now, sc := time.Hour, all(display.Wrong)
			b.ReportAllocs()
			for b.Loop() {
				now += step * ms
				if err := m.show(sc, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
