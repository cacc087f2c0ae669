package sensing_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// analog is a board with 64 linear sensors, none like the other, on a table
// where it gets warmer and colder.
type analog struct {
	rng   *rand.Rand
	m     magnet
	gap   float64
	pitch float64
	noise float64 // Counts.

	sensors [engine.Squares]sensing.Sensor
	turned  [engine.Squares]bool // Soldered the other way round.
	// discs are +1 for north at the sensor, -1 for south; off is how far each lies
	// from the centre, in mm.
	discs [engine.Squares]float64
	off   [engine.Squares]float64
	warm  float64 // Counts that all nulls are off.
	now   time.Duration
	// still are the sensors' readings without noise and warmth, since place.
	still [engine.Squares]float64
}

// place says that discs have been put down or taken away.
func (a *analog) place() {
	for s := range a.still {
		field := a.field(s)
		if a.turned[s] {
			field = -field
		}
		a.still[s] = float64(a.sensors[s].Counts(field))
	}
}

// field returns the field in mT at a square's sensor, south positive.
func (a *analog) field(s int) float64 {
	var sum float64
	for k, d := range a.discs {
		if d == 0 {
			continue
		}
		if k == s {
			// At 5 mm a disc 4 mm beside the sensor makes 53 % of what it makes above
			// it; at more it is less steep.
			sum -= d * a.m.onAxis(a.gap) * (1 - 0.47*(a.off[k]/4)*(a.off[k]/4))
			continue
		}
		r := a.pitch * math.Hypot(float64(k%8-s%8), float64(k/8-s/8))
		sum -= d * a.m.beside(r, a.gap+a.m.thickness/2)
	}
	return sum
}

func (a *analog) counts() (out [engine.Squares]uint16) {
	for s := range out {
		out[s] = uint16(a.still[s] + a.warm + math.Round(a.noise*a.rng.NormFloat64()))
	}
	return out
}

// calibrate asks for one disc after the other, as a person would be.
func (a *analog) calibrate(t *rapid.T) [engine.Squares]sensing.Levels {
	t.Helper()
	var empty, north, south sensing.Samples
	add := func(to *sensing.Samples, squares engine.Bitboard) {
		a.place()
		for range sensing.MinSamples {
			c := a.counts()
			to.Add(squares, &c)
		}
	}
	add(&empty, ^engine.Bitboard(0))
	var levels [engine.Squares]sensing.Levels
	for s := range engine.Square(engine.Squares) {
		a.discs[s] = 1
		add(&north, s.Bit())
		a.discs[s] = -1
		add(&south, s.Bit())
		a.discs[s] = 0
		var err error
		if levels[s], err = sensing.Calibrate(s, &empty, &north, &south); err != nil {
			t.Fatal(err)
		}
		if levels[s].Reversed() != a.turned[s] {
			t.Fatalf("square %s: reversed %v, soldered the other way round %v", s, levels[s].Reversed(), a.turned[s])
		}
	}
	return levels
}

// Boards within the rules (squares of 35 mm and more, gaps of 8 mm and less),
// with any parts, calibrated once, then played on for a while in changing
// temperature: what the board reads is what lies there.
func TestCalibratedBoardReadsWhatLiesThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := newAnalog(rt)
		th, err := sensing.NewThreshold(a.calibrate(rt), sensing.DRV5055A4())
		if err != nil {
			rt.Fatal(err)
		}
		p := sensing.New(sensing.Config{Debounce: 120 * ms, Settle: 250 * ms, NorthIsBlack: true})
		hour := rapid.Float64Range(-300, 300).Draw(rt, "warming, counts an hour")
		var last engine.Discs
		failed := 0
		for range rapid.IntRange(1, 12).Draw(rt, "moves") {
			want := a.play()
			for end := a.now + time.Duration(1+a.rng.IntN(20))*time.Second; a.now < end; a.now += 106 * ms {
				// What temperature may do here: the null of a square with a disc is not
				// followed.
				a.warm = min(max(hour*a.now.Hours(), -60), 60)
				out := a.look(th, p)
				if out.Settled {
					last = out.Reading.Discs
				}
				failed += len(out.Failed.List())
			}
			if last != want || failed > 0 {
				rt.Fatalf("read %v\nwant %v\n%d faults", last, want, failed)
			}
		}
		if s, m := weakest(th); m.Known && m.Percent < 0 {
			rt.Fatalf("square %s: margin %d %%", s, m.Percent)
		}
	})
}

// weakest returns the square with the smallest margin.
func weakest(th *sensing.Threshold) (at engine.Square, least sensing.Margin) {
	for s := range engine.Square(engine.Squares) {
		h := th.Health(s)
		if m := h.Weakest(); m.Known && (!least.Known || m.Percent < least.Percent) {
			at, least = s, m
		}
	}
	return at, least
}

// look reads the board once.
func (a *analog) look(th *sensing.Threshold, p *sensing.Pipeline) sensing.Output {
	counts := a.counts()
	var f sensing.Frame
	f.North, f.South = th.Step(a.now, &counts, 0)
	return p.Step(a.now, f)
}

// newAnalog is an empty board of any parts.
func newAnalog(rt *rapid.T) *analog {
	seed := rapid.Uint64().Draw(rt, "seed")
	a := &analog{
		rng:   rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // Repeatable on purpose.
		m:     magnet{8, 2},
		gap:   rapid.Float64Range(4, 8).Draw(rt, "gap"),
		pitch: rapid.Float64Range(35, 50).Draw(rt, "pitch"),
		noise: rapid.Float64Range(0, 6).Draw(rt, "noise"),
	}
	for s := range a.sensors {
		p := sensing.DRV5055A4()
		p.Null += p.NullError * (2*a.rng.Float64() - 1)
		p.Sensitivity *= 0.9 + 0.2*a.rng.Float64()
		a.sensors[s], a.turned[s] = p, a.rng.IntN(5) == 0
	}
	return a
}

// play puts discs down, turns and takes away some, and returns what lies there.
func (a *analog) play() (lies engine.Discs) {
	for s := range a.discs {
		if a.rng.IntN(3) == 0 { // Most stay as they are.
			a.discs[s] = float64(a.rng.IntN(3) - 1)
			a.off[s] = 4 * a.rng.Float64()
		}
		lies = lies.With(engine.Square(s), [...]engine.Color{engine.White, engine.None, engine.Black}[int(a.discs[s])+1])
	}
	a.place()
	return lies
}
