package sensing_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// hands play on a board whose 20 Hz sensors each sample in their own time.
type hands struct {
	*table
	t    *testing.T
	rng  *rand.Rand
	true engine.Discs
	// phase is when in each 50 ms a sensor samples.
	phase [engine.Squares]time.Duration
}

// pass lets time go by, scan by scan.
func (h *hands) pass(d time.Duration) {
	for end := h.now + d; h.now < end; {
		for s := range engine.Square(engine.Squares) {
			if (h.now+h.phase[s])%(50*ms) < scan {
				face := h.true.At(s).String()
				if face == "none" {
					face = "empty"
				}
				h.show(s.Bit(), face)
			}
		}
		h.scan(h.t)
	}
}

func (h *hands) between(low, high int) time.Duration {
	return time.Duration(low+h.rng.IntN(high-low+1)) * ms
}

// put makes a square show c, often with bounces, each too short for a sensor to
// sample it twice.
func (h *hands) put(s engine.Square, c engine.Color) {
	old := h.true.At(s)
	for range h.rng.IntN(3) {
		h.true = h.true.With(s, c)
		h.pass(h.between(10, 40))
		h.true = h.true.With(s, old)
		h.pass(h.between(10, 40))
	}
	h.true = h.true.With(s, c)
	h.pass(h.between(80, 250)) // as fast as a hand gets to its next action
}

// turn turns a disc over, in place or by lifting it.
func (h *hands) turn(s engine.Square) {
	c := h.true.At(s).Opponent()
	if h.rng.IntN(2) == 0 {
		h.put(s, engine.None)
	}
	h.put(s, c)
}

// play makes a move, sometimes with up to three changes of mind before it.
func (h *hands) play(g engine.Game, sq engine.Square) {
	flips := g.Flips(sq)
	for range max(0, h.rng.IntN(8)-4) { // 0 to 3 times
		h.put(sq, g.Turn)
		done := engine.Bitboard(0)
		if h.rng.IntN(2) == 0 {
			done = flips & engine.Bitboard(h.rng.Uint64())
		}
		for s := range done.All() {
			h.turn(s)
		}
		h.pass(h.between(0, 300))
		for s := range done.All() {
			h.turn(s)
		}
		h.put(sq, engine.None)
	}
	h.put(sq, g.Turn)
	for s := range flips.All() {
		h.turn(s)
	}
	if h.rng.IntN(4) == 0 { // nudge a disc: lift it and put it back
		s := flips.First()
		h.put(s, engine.None)
		h.put(s, g.Turn)
	}
}

// People who play fast, bounce their discs and change their minds are read
// right after every move, and no cell is ever masked because of them.
func TestFastHandsAreNeverMasked(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		h := &hands{
			table: newTable(sensing.DefaultConfig()), t: t,
			rng:  rand.New(rand.NewPCG(seed, 8)), //nolint:gosec // hands that can be repeated, not a secret
			true: engine.Start().Discs,
		}
		for s := range h.phase {
			h.phase[s] = h.between(0, 49)
		}
		rules, err := engine.Variant("classic")
		if err != nil {
			t.Fatal(err)
		}
		g := engine.NewGame(rules)
		for !g.Over() {
			if g.MustPass() {
				g = g.Pass()
				continue
			}
			moves := g.Legal()
			for range h.rng.IntN(moves.Count()) {
				moves &= moves - 1
			}
			h.play(g, moves.First())
			g = g.Place(moves.First())
			// At most 50 ms to the sample, 20 ms to the scan, 200 ms to settle,
			// 20 ms to the scan after that.
			h.pass(290 * ms)
			if h.last.Discs != g.Discs {
				t.Fatalf("seed %d, ply %d: read\n%v, lies\n%v", seed, g.Ply(), h.last.Discs, g.Discs)
			}
		}
		if h.faults != 0 {
			t.Fatalf("seed %d: %q", seed, h.said)
		}
	}
}

// Three changes of mind as fast as a hand can go: the disc alone, or with its
// flip, which is turned and turned back by lifting it or in place.
func TestTakingBackThreeTimesIsNotFlapping(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"e6 black, e6 empty",
		"e6 black, d5 black, d5 white, e6 empty",
		"e6 black, d5 empty, d5 black, d5 empty, d5 white, e6 empty",
	} {
		for _, pause := range []time.Duration{40 * ms, 80 * ms, 150 * ms, 220 * ms, 300 * ms, 500 * ms, 700 * ms} {
			tb := newTable(sensing.DefaultConfig())
			tb.play(t, "show d5 white\nwait 1s")
			once := ""
			for action := range strings.SplitSeq(change, ", ") {
				once += "show " + action + "\nwait " + pause.String() + "\n"
			}
			tb.play(t, once+once+once+"show e6 black\nwait 1s")
			if tb.faults != 0 {
				t.Errorf("%s, pause %v: %q", change, pause, tb.said)
			}
		}
	}
}
