package sim

import (
	"math"
	"time"
)

// Range is a parameter of a part: typical value and limits.
type Range struct {
	Min, Typ, Max float64
}

// share returns a value of the range: x from -1 to 1 goes from one limit to the
// other by way of the typical value.
func (r Range) share(x float64) float64 {
	if x < 0 {
		return r.Typ + x*(r.Typ-r.Min)
	}
	return r.Typ + x*(r.Max-r.Typ)
}

// HallSpec describes a unipolar digital Hall sensor with one output for each
// pole; fields in mT.
type HallSpec struct {
	// Operate is the field above which an output becomes active.
	Operate Range
	// Hysteresis is how far below that the field must fall for it to release.
	Hysteresis Range
	// ReleaseMin is the lowest release point of any part.
	ReleaseMin float64
}

// DRV5032DU returns the part of the default board (SLVSDC7H; see the package
// comment for what is certain).
func DRV5032DU() HallSpec {
	return HallSpec{
		Operate:    Range{Min: 1.2, Typ: 2.5, Max: 3.9},
		Hysteresis: Range{Min: 0.1, Typ: 0.7, Max: 1.9},
		ReleaseMin: 0.9,
	}
}

// samplePeriod is the time between two looks of a sensor: 20 Hz.
const samplePeriod = 50 * time.Millisecond

// reedPeriod is how often a contact is looked at: it follows the field by
// itself, within about a millisecond.
const reedPeriod = 4 * time.Millisecond

// threshold is one output's switching points in mT.
type threshold struct {
	operate, release float64
}

// hall is one sensor: its two outputs' thresholds and when it looks.
type hall struct {
	north, south threshold
	phase        time.Duration // of its samples, in [0, samplePeriod)
}

// newHall draws a part. spread is the part of the range used, 0 to 1.
func newHall(spec HallSpec, spread float64, rnd *random) hall {
	draw := func() threshold {
		operate := spec.Operate.share(spread * (2*rnd.float() - 1))
		hysteresis := spec.Hysteresis.share(spread * (2*rnd.float() - 1))
		typical := spec.Operate.Typ - spec.Hysteresis.Typ
		lowest := typical - spread*(typical-spec.ReleaseMin)
		return threshold{operate: operate, release: max(operate-hysteresis, lowest)}
	}
	return hall{
		north: draw(), south: draw(),
		phase: time.Duration(rnd.float() * float64(samplePeriod)),
	}
}

// edge returns the field at which an output in the given state changes it.
func (t threshold) edge(active bool) float64 {
	if active {
		return t.release
	}
	return t.operate
}

// next returns the state of an output after a look at field b.
func (t threshold) next(active bool, b float64) bool {
	if active {
		return b >= t.release
	}
	return b > t.operate
}

// random is a small deterministic generator (splitmix64). It is no secret and
// must not become one: the same seed gives the same board for ever.
type random struct {
	state uint64
}

// mix is the output function of the generator.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// golden is the increment of the generator.
const golden = 0x9E3779B97F4A7C15

func (r *random) next() uint64 {
	r.state += golden
	return mix(r.state)
}

// float returns a number in [0, 1).
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// between returns a time in [lo, hi).
func (r *random) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(r.float()*float64(hi-lo))
}

// maxSigmas bounds gauss: -2*ln(2^-53) is the longest tail that its 53 bits
// give.
const maxSigmas = 8.6

// gauss returns a normal deviate that depends on its arguments alone: the noise
// of one look of one sensor does not depend on who asked for others before.
func gauss(seed, cell, look uint64) float64 {
	r := random{state: mix(seed^cell*golden) ^ mix(look)}
	u := 1 - r.float() // (0, 1]
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*r.float())
}
