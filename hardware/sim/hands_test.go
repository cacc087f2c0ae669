package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware/sim"
)

// watchE6 advances millisecond by millisecond from 0 to the given time and
// returns what the outputs of e6 read, in order and without repetitions: "n",
// "s", "ns" for both, "-" for neither.
func watchE6(t *testing.T, b *sim.Board, until time.Duration) []string {
	t.Helper()
	var seen []string
	bus := b.I2C()
	for now := time.Duration(0); now <= until; now += ms {
		b.Advance(now)
		n, s := scan(t, bus)
		reading := [4]string{"-", "n", "s", "ns"}[n>>e6&1|s>>e6&1<<1]
		if len(seen) == 0 || seen[len(seen)-1] != reading {
			seen = append(seen, reading)
		}
	}
	return seen
}

func TestPlace(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Advance(0)
	rest := must(t)(b.Place(0, e6, sim.SouthUp))
	if rest < 120*ms || rest > 220*ms {
		t.Errorf("at rest after %s, want the time of a hand", rest)
	}
	if got := watchE6(t, b, rest+look); !slices.Equal(got, []string{"-", "s"}) {
		t.Errorf("e6 read %v", got)
	}
	expect(t, "placed", b, [64]sim.Face{e6: sim.SouthUp})
}

// TestBounce: a disc that bounces rests later, is now and then seen to leave the
// board again, and always ends up where it should.
func TestBounce(t *testing.T) {
	chatter := 0
	for seed := range uint64(60) {
		quiet, bouncing := sim.New(sim.Options{Seed: seed}), sim.New(sim.Options{Seed: seed, Bounce: true})
		quiet.Advance(0)
		bouncing.Advance(0)
		land := must(t)(quiet.Place(0, e6, sim.NorthUp))
		rest := must(t)(bouncing.Place(0, e6, sim.NorthUp))
		// Bounces of 1 and 15 mm take 2*sqrt(2h/g) = 29 and 111 ms, the next
		// ones half of that each.
		if d := rest - land; d < 28*ms || d > 210*ms {
			t.Errorf("seed %d: bounces for %s", seed, d)
		}
		seen := watchE6(t, bouncing, rest+look)
		if seen[len(seen)-1] != "n" {
			t.Errorf("seed %d: e6 read %v", seed, seen)
		}
		if len(seen) > 2 {
			chatter++
		}
	}
	if chatter == 0 || chatter > 30 {
		t.Errorf("%d of 60 discs were seen to leave the board again, want some", chatter)
	}
}

func TestLift(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Set([64]sim.Face{e6: sim.NorthUp, f6: sim.SouthUp})
	b.Advance(0)
	rest := must(t)(b.Lift(0, e6))
	if got := watchE6(t, b, rest+look); !slices.Equal(got, []string{"n", "-"}) {
		t.Errorf("e6 read %v", got)
	}
	expect(t, "lifted", b, [64]sim.Face{f6: sim.SouthUp})
}

// TestTurn: a quick hand shows one colour and then the other; a slow one, and
// one that picks the disc up, show an empty square in between.
func TestTurn(t *testing.T) {
	for _, c := range []struct {
		name  string
		style sim.TurnStyle
		takes time.Duration
		want  []string
	}{
		{"in place, within one look", sim.TurnInPlace, 10 * ms, []string{"n", "s"}},
		{"in place, slowly", sim.TurnInPlace, 400 * ms, []string{"n", "-", "s"}},
		{"through empty", sim.TurnThroughEmpty, 600 * ms, []string{"n", "-", "s"}},
		{"through empty, at a hand's pace", sim.TurnThroughEmpty, 0, []string{"n", "-", "s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := sim.New(exact())
			b.Set([64]sim.Face{e6: sim.NorthUp})
			b.Advance(0)
			rest := must(t)(b.Turn(0, e6, c.style, c.takes))
			if c.takes != 0 && rest != c.takes {
				t.Errorf("at rest after %s, want %s", rest, c.takes)
			}
			if got := watchE6(t, b, rest+look); !slices.Equal(got, c.want) {
				t.Errorf("e6 read %v, want %v", got, c.want)
			}
			expect(t, "turned", b, [64]sim.Face{e6: sim.SouthUp})
		})
	}
}

// TestSlidePassesSquares: a disc pushed from a1 along the rank and round a
// corner is seen on the squares it crosses, and on no others.
func TestSlidePassesSquares(t *testing.T) {
	b := sim.New(exact())
	b.Set([64]sim.Face{0: sim.NorthUp})
	b.Advance(0)
	rest := must(t)(b.Slide(0, 0, 26, sim.SlideOptions{Speed: 200, Via: []int{2, 10}})) // a1 c1 c2 c4
	if want := 5 * 40 * time.Second / 200; rest != want {
		t.Errorf("at rest after %s, want %s for 5 squares", rest, want)
	}
	var seen uint64
	for now := time.Duration(0); now <= rest+look; now += ms {
		b.Advance(now)
		n, s := scan(t, b.I2C())
		seen |= n
		if s != 0 {
			t.Fatalf("south %#x at %s", s, now)
		}
	}
	// a1, b1, c1, c2, c3, c4; at 200 mm/s a disc is over a sensor for 80 ms.
	if want := uint64(1<<0 | 1<<1 | 1<<2 | 1<<10 | 1<<18 | 1<<26); seen != want {
		t.Errorf("seen on %#x, want %#x", seen, want)
	}
	expect(t, "arrived", b, [64]sim.Face{26: sim.NorthUp})
}

// TestManyHands: a sleeve takes three discs while one hand turns a disc and
// another puts one down; nothing gets in another's way.
func TestManyHands(t *testing.T) {
	b := sim.New(sim.Options{Bounce: true})
	b.Set([64]sim.Face{0: sim.NorthUp, 1: sim.NorthUp, 2: sim.SouthUp, 3: sim.SouthUp, 4: sim.NorthUp})
	b.Advance(time.Second)
	now := time.Second
	rests := []time.Duration{
		must(t)(b.Lift(now, 0)), must(t)(b.Lift(now, 1)), must(t)(b.Lift(now, 2)),
		must(t)(b.Turn(now+30*ms, 3, sim.TurnInPlace, 0)),
		must(t)(b.Place(now+10*ms, 63, sim.SouthUp)),
		must(t)(b.Slide(now, 4, 12, sim.SlideOptions{})),
	}
	want := [64]sim.Face{3: sim.NorthUp, 12: sim.NorthUp, 63: sim.SouthUp}
	if b.Intended() != want {
		t.Errorf("intended %v", b.Intended())
	}
	if !b.Busy() || b.AtRest(now) {
		t.Error("the board is at rest while hands are at work")
	}
	last := slices.Max(rests)
	if b.RestAt() != last || b.AtRest(last-1) || !b.AtRest(last) {
		t.Errorf("at rest at %s, want %s", b.RestAt(), last)
	}
	b.Advance(now + 60*ms)
	if got, want := b.Faces(), ([64]sim.Face{}); got != want {
		t.Errorf("in the midst of it, %v lie on the board", got)
	}
	b.Advance(last + look)
	if b.Busy() || b.Faces() != want {
		t.Errorf("busy %t, %v", b.Busy(), b.Faces())
	}
	expect(t, "at rest", b, want)
}

// TestOneAfterAnother: what one hand puts down, another can take at once, in a
// single long step of time as well.
func TestOneAfterAnother(t *testing.T) {
	for _, step := range []time.Duration{ms, time.Minute} {
		b := sim.New(sim.Options{})
		b.Advance(0)
		other := must(t)(b.Place(0, 7, sim.SouthUp)) // so that the order of motions is mixed
		rest := must(t)(b.Place(0, e6, sim.NorthUp))
		rest = must(t)(b.Turn(rest, e6, sim.TurnInPlace, 0))
		rest = must(t)(b.Lift(rest, e6))
		rest = must(t)(b.Place(rest, e6, sim.NorthUp))
		rest = must(t)(b.Slide(rest, e6, f6, sim.SlideOptions{}))
		must(t)(b.Lift(other, 7))
		for now := time.Duration(0); now < rest+look+step; now += step {
			b.Advance(now)
		}
		expect(t, "one after another", b, [64]sim.Face{f6: sim.NorthUp})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *sim.Board) error
		want string
	}{
		{"place on a disc", func(b *sim.Board) error { _, err := b.Place(0, e6, sim.NorthUp); return err }, "place a disc on e6: a disc lies there already"},
		{"place nothing", func(b *sim.Board) error { _, err := b.Place(0, 0, sim.NoDisc); return err }, "place a disc on a1: no disc is no face"},
		{"place off the board", func(b *sim.Board) error { _, err := b.Place(0, 64, sim.NorthUp); return err }, "place a disc on cell 64: there is no such cell"},
		{"lift nothing", func(b *sim.Board) error { _, err := b.Lift(0, 63); return err }, "lift the disc from h8: no disc lies there"},
		{"lift off the board", func(b *sim.Board) error { _, err := b.Lift(0, -1); return err }, "lift the disc from cell -1: there is no such cell"},
		{"turn nothing", func(b *sim.Board) error { _, err := b.Turn(0, f6, sim.TurnInPlace, 0); return err }, "turn the disc on f6: no disc lies there"},
		{"slide nothing", func(b *sim.Board) error { _, err := b.Slide(0, f6, e6, sim.SlideOptions{}); return err }, "slide the disc from f6 to e6: no disc lies there"},
		{"slide onto a disc", func(b *sim.Board) error {
			_, err := b.Slide(0, e6, d4, sim.SlideOptions{})
			return err
		}, "slide the disc from e6 to d4: a disc lies there already"},
		{"slide over the edge", func(b *sim.Board) error {
			_, err := b.Slide(0, e6, f6, sim.SlideOptions{Via: []int{99}})
			return err
		}, "cell 99 on its way is not on the board"},
		{"two hands on one disc", func(b *sim.Board) error {
			if _, err := b.Turn(0, e6, sim.TurnInPlace, 300*ms); err != nil {
				return err
			}
			_, err := b.Lift(100*ms, e6)
			return err
		}, "lift the disc from e6: a hand is still at work there until 300ms"},
		{"fault off the board", func(b *sim.Board) error { return b.FailCell(64, sim.CellFault{}) }, "fail cell 64"},
		{"heal off the board", func(b *sim.Board) error { return b.HealCell(-1) }, "fail cell -1"},
		{"bank off the board", func(b *sim.Board) error { return b.FailBank(8, sim.BankNack) }, "fail bank 8"},
		{"heal bank off the board", func(b *sim.Board) error { return b.HealBank(-1) }, "heal bank -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := sim.New(sim.Options{})
			b.Set([64]sim.Face{e6: sim.NorthUp, d4: sim.SouthUp})
			b.Advance(0)
			err := c.do(b)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestHandsStartNow: a hand that is told to start in the past starts now.
func TestHandsStartNow(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Advance(time.Hour)
	if rest := must(t)(b.Place(0, e6, sim.NorthUp)); rest < time.Hour {
		t.Errorf("at rest at %s, before the hand was told", rest)
	}
	b.Advance(time.Minute) // back in time: nothing happens
	if b.Faces()[e6] != sim.NoDisc {
		t.Error("time went back")
	}
}

// TestHandsBeforeTheFirstAdvance: what hands were told before time began to move
// is done when it does, at the times it was told for.
func TestHandsBeforeTheFirstAdvance(t *testing.T) {
	b := sim.New(sim.Options{})
	rest := must(t)(b.Place(time.Second, e6, sim.NorthUp))
	must(t)(b.Place(time.Hour, f6, sim.NorthUp))
	b.Advance(rest + look)
	expect(t, "after the first hand", b, [64]sim.Face{e6: sim.NorthUp})
	b.Advance(b.RestAt() + look)
	expect(t, "after the second", b, [64]sim.Face{e6: sim.NorthUp, f6: sim.NorthUp})
}

// play lets hands do n things that the seed chooses, and returns the readings at
// every multiple of 20 ms.
func play(t testing.TB, o sim.Options, step time.Duration) []uint64 {
	b := sim.New(o)
	var trace []uint64
	bus := b.I2C()
	for now := time.Duration(0); now <= 4*time.Second; now += step {
		b.Advance(now)
		if now%(20*ms) != 0 {
			continue
		}
		n, s := scan(t, bus)
		trace = append(trace, n, s)
		if now%(100*ms) == 0 {
			c := int(now/(100*ms)) * 7 % 64
			if b.Intended()[c] == sim.NoDisc {
				must(t)(b.Place(now, c, sim.NorthUp))
			} else {
				must(t)(b.Turn(now, c, sim.TurnThroughEmpty, 0))
			}
		}
	}
	return trace
}

// TestDeterminism: the same seed gives the same readings, however finely time is
// cut, and another seed gives others.
func TestDeterminism(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := sim.Options{
			Seed: rapid.Uint64().Draw(rt, "seed"), Bounce: true, Spread: 1,
			Noise: rapid.SampledFrom([]float64{0, 0.3}).Draw(rt, "noise"),
		}
		coarse := play(t, o, 20*ms)
		if !slices.Equal(coarse, play(t, o, 20*ms)) {
			rt.Fatal("two runs differ")
		}
		if fine := play(t, o, 2*ms); !slices.Equal(coarse, fine) {
			rt.Fatal("steps of 2 ms give other readings than steps of 20 ms")
		}
		o.Seed++
		if slices.Equal(coarse, play(t, o, 20*ms)) {
			rt.Fatal("another seed gives the same readings")
		}
	})
}

func TestFaces(t *testing.T) {
	got := fmt.Sprint(sim.NoDisc, sim.NorthUp, sim.SouthUp, sim.Face(7))
	if want := "no disc north south Face(7)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b := sim.New(sim.Options{})
	b.Set([64]sim.Face{0: 9}) // no such face
	if b.Faces()[0] != sim.NoDisc {
		t.Error("a face that does not exist lies on the board")
	}
}

// A disc is placed on e6, and its neighbour turned while the first still falls.
func ExampleBoard() {
	b := sim.New(sim.Options{Seed: 1})
	b.Set([64]sim.Face{45: sim.SouthUp}) // f6
	b.Advance(0)

	placed, err := b.Place(0, 44, sim.NorthUp) // e6
	if err != nil {
		fmt.Println(err)
	}
	turned, err := b.Turn(50*time.Millisecond, 45, sim.TurnInPlace, 300*time.Millisecond)
	if err != nil {
		fmt.Println(err)
	}
	b.Advance(max(placed, turned))
	fmt.Println(b.Faces()[44], b.Faces()[45])

	b.Advance(b.RestAt() + 50*time.Millisecond) // the sensors have looked
	var ports [2]byte
	if err := b.I2C().Tx(0x25, []byte{0}, ports[:]); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%08b %08b\n", ports[0], ports[1])
	_, err = b.Lift(b.RestAt(), 0)
	fmt.Println(err)
	// Output:
	// north north
	// 11001111 11111111
	// lift the disc from a1: no disc lies there
}
