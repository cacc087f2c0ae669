//go:build !race

package calibrate_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/hardware/emu"
)

// Whatever is wrong with a board of whatever kind, and however it is walked: just
// that is named. And whatever can be corrected is: every square that has not been
// left out reads what lies on it.
func TestRandomDefects(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlanting(rt)
		b := newBench(rt, p.setup)
		b.hand.Hurry()
		v, c := b.run(rt)
		if got, want := strings.Join(heard(v.Report), "\n"), strings.Join(p.want, "\n"); got != want {
			rt.Fatalf("%s quick %v discs %d turned %d, seed %d\n%s\nwant\n%s\n%s", p.profile, p.quick, p.discs, p.turned, p.seed, got, want, v.Report.Text())
		}
		p.readsRight(rt, b, &c)
	})
}

// A shorted diode that is not among the first four that are tried: it is found
// later on, and what it made of the others before is no riddle any more.
func TestDiodeThatIsFoundLate(t *testing.T) {
	t.Parallel()
	at := func(name string) engine.Square { return square(t, name) }
	p := &planting{
		setup:  setup{profile: "reed-64", seed: 1, discs: 64},
		reeds:  map[engine.Square]emu.ReedFault{at("g7"): emu.ReedGood},
		diodes: map[engine.Square]emu.DiodeFault{at("g7"): emu.DiodeShorted},
		swaps:  [][2]engine.Square{{at("b2"), at("d7")}, {at("d4"), at("c5")}},
		turned: 1,
	}
	p.build(t)
	b := newBench(t, p.setup)
	b.hand.Hurry()
	v, _ := b.run(t)
	if got := strings.Join(heard(v.Report), ", "); got != "diode g7, exchanged b2 d7, exchanged d4 c5, turned" {
		t.Errorf("%s\n%s", got, v.Report.Text())
	}
}
