package calibrate_test

import (
	"strings"
	"testing"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

func square(t fataler, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	must(t, err)
	return s
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// case of a board with something wrong with it.
type illness struct {
	name     string
	profiles string
	solder   func(w *sim.Wiring)
	plant    func(b *sim.Board)
	options  func(o *sim.Options)
	weak     map[int]float64
	// only is "quick" or "single" where it is about one kind of walk.
	only string
	// want are the findings, says is in the text of one of them.
	want, says string
}

// Mistakes of builders, faults of parts and weak discs, and what must be said
// about them: that, and nothing else.
func TestIllnesses(t *testing.T) {
	t.Parallel()
	fail := func(at string, f sim.CellFault) func(b *sim.Board) {
		return func(b *sim.Board) { must(t, b.FailCell(int(square(t, at)), f)) }
	}
	bank := func(n int, how sim.BankFault) func(b *sim.Board) {
		return func(b *sim.Board) { must(t, b.FailBank(n, how)) }
	}
	exchange := func(names ...string) func(w *sim.Wiring) {
		return func(w *sim.Wiring) {
			for i := 1; i < len(names); i++ {
				calibrate.Exchange(w, square(t, names[0]), square(t, names[i]))
			}
		}
	}
	all := "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2 a3 b3 c3 d3 e3 f3 g3 h3 a4 b4 c4 d4 e4 f4 g4 h4 " +
		"a5 b5 c5 d5 e5 f5 g5 h5 a6 b6 c6 d6 e6 f6 g6 h6 a7 b7 c7 d7 e7 f7 g7 h7 a8 b8 c8 d8 e8 f8 g8 h8"
	ranks := "a3 b3 c3 d3 e3 f3 g3 h3 a5 b5 c5 d5 e5 f5 g5 h5"
	colors, boards := "default hall-128-mcp23017 hall-analog", "default hall-128-mcp23017 hall-analog reed-64"
	examineAll(t, []illness{
		{name: "dead", profiles: "default hall-128-mcp23017", plant: fail("h8", sim.CellFault{Kind: sim.Dead}), want: "dead h8", says: "check the sensor"},
		{name: "no supply", profiles: "hall-analog", plant: fail("h8", sim.CellFault{Kind: sim.Dead}), want: "stuck h8", says: "lower end of its range"},
		{name: "reversed", profiles: colors, plant: fail("c3", sim.CellFault{Kind: sim.Reversed}), want: "reversed c3", says: "the other way round than it should be"},
		{name: "stuck north", profiles: colors, plant: fail("a1", sim.CellFault{Kind: sim.StuckNorth}), want: "stuck a1"},
		{name: "stuck south", profiles: colors, plant: fail("e4", sim.CellFault{Kind: sim.StuckSouth}), want: "stuck e4"},
		{name: "both stuck", profiles: colors, plant: fail("e4", sim.CellFault{Kind: sim.BothActive}), want: "stuck e4"},
		{name: "bad joint", profiles: "default hall-128-mcp23017", plant: fail("e4", sim.CellFault{Kind: sim.Flapping, Hz: 1}), want: "flapping e4", says: "bad joint"},
		{name: "weak cell", profiles: "hall-analog", plant: fail("e4", sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.35}), want: "weak_cell e4", says: "every disc is weak"},
		{name: "exchanged", profiles: boards, solder: exchange("d3", "e3"), want: "exchanged d3 e3", says: "hardware.cells"},
		{name: "circle", profiles: boards, solder: exchange("a1", "h8", "c4"), want: "exchanged a1 c4 h8", says: "in a circle"},
		{name: "dead output", profiles: "hall-128-mcp23017", solder: func(w *sim.Wiring) { w.Outputs[square(t, "e4")].South = 15 }, want: "half_dead e4", says: "white up"},
		{
			name: "crossed", profiles: "default", want: "crossed d3; crossed e3", says: "hardware.cells",
			solder: func(w *sim.Wiring) {
				a, b := &w.Outputs[square(t, "d3")], &w.Outputs[square(t, "e3")]
				a.South, b.South = b.South, a.South
			},
		},
		{name: "lost chip", profiles: "default", plant: bank(3, sim.BankNack), want: "bank_lost a4 b4 c4 d4 e4 f4 g4 h4", says: "The expander at 0x23 does not answer"},
		{name: "lost chip", profiles: "hall-128-mcp23017", plant: bank(9, sim.BankNack), want: "bank_lost h8"},
		{name: "frozen chip", profiles: "default", plant: bank(3, sim.BankFrozen), want: "bank_dead a4 b4 c4 d4 e4 f4 g4 h4", says: "The expander at 0x23 answers"},
		{name: "broken row", profiles: "reed-64", plant: bank(2, sim.BankNack), want: "bank_dead a3 b3 c3 d3 e3 f3 g3 h3", says: "Row 2 (GPIO12)"},
		{name: "lost converter", profiles: "hall-analog", plant: bank(0, sim.BankNack), want: "bank_lost " + all, says: "converter at 0x48"},
		{
			name: "addresses exchanged", profiles: "default", want: "exchanged " + ranks, says: "The expander at 0x22 and the expander at 0x24",
			solder: func(w *sim.Wiring) { w.Chips[2].Addr, w.Chips[4].Addr = w.Chips[4].Addr, w.Chips[2].Addr },
		},
		{name: "turned by 90", profiles: boards, solder: func(w *sim.Wiring) { turn(w, 1) }, want: "turned " + all, says: "by 90 degrees"},
		{name: "turned by 180", profiles: boards, solder: func(w *sim.Wiring) { turn(w, 2) }, want: "turned " + all, says: "by 180 degrees"},
		{name: "turned by 270", profiles: boards, solder: func(w *sim.Wiring) { turn(w, 3) }, want: "turned " + all, says: "by 270 degrees"},
		{
			name: "magnets the other way", profiles: colors, want: "all_reversed " + all, says: "north_is: white",
			plant: func(b *sim.Board) {
				for s := range engine.Squares {
					must(t, b.FailCell(s, sim.CellFault{Kind: sim.Reversed}))
				}
			},
		},
		{
			name: "all but one the other way", profiles: "default", says: "the other way round than the others",
			want: "all_reversed " + strings.Replace(all, "c3 ", "", 1) + "; reversed c3",
			plant: func(b *sim.Board) {
				for s := range engine.Squares {
					if s != int(square(t, "c3")) {
						must(t, b.FailCell(s, sim.CellFault{Kind: sim.Reversed}))
					}
				}
			},
		},
		{name: "magnets too weak", profiles: "hall-analog", options: func(o *sim.Options) { o.Magnet = sim.Magnet{Diameter: 5, Thickness: 1, Remanence: 1170} }, want: "weak_discs " + all, says: "stronger magnets"},
		{name: "no magnets", profiles: boards, options: func(o *sim.Options) { o.Magnet = sim.Magnet{Diameter: 1, Thickness: 0.1, Remanence: 1} }, want: "nothing_seen " + all, says: "magnet"},
		{name: "weak disc", profiles: colors, only: "quick", weak: map[int]float64{20: 0.05}, want: "weak_disc e3", says: "its magnet is weak"},
		{name: "weaker disc", profiles: "hall-analog", only: "quick", weak: map[int]float64{20: 0.35}, want: "weak_disc e3"},
		{name: "two weak discs in a row", profiles: "hall-analog", only: "quick", weak: map[int]float64{20: 0.35, 64: 0.35}, want: "weak_disc e3"},
		{name: "too close", profiles: "hall-analog", options: func(o *sim.Options) { o.Pitch, o.Gap = 24, 10 }, want: "crosstalk", says: "weaker magnets"},
		{name: "missing diode", profiles: "reed-64", plant: func(b *sim.Board) { b.Matrix().FailDiode(27, emu.DiodeMissing) }, want: "dead d4", says: "diode"},
		{name: "welded contact", profiles: "reed-64", plant: func(b *sim.Board) { b.Matrix().FailReed(27, emu.ReedWelded) }, want: "stuck d4", says: "always closed"},
		{name: "shorted diode", profiles: "reed-64", only: "single", plant: func(b *sim.Board) { b.Matrix().FailDiode(27, emu.DiodeShorted) }, want: "diode d4", says: "rectangle"},
	})
}

// examineAll walks every sick board in every way.
func examineAll(t *testing.T, list []illness) {
	t.Helper()
	for i := range list {
		c := &list[i]
		for profile := range strings.FieldsSeq(c.profiles) {
			for _, quick := range []bool{false, true} {
				if racing && (!quick || profile != "default") {
					continue // All of it is one goroutine.
				}
				if c.only == "" || (c.only == "quick") == quick {
					c.examine(t, profile, quick)
				}
			}
		}
	}
}

// examine walks a sick board and compares what is said.
func (c *illness) examine(t *testing.T, profile string, quick bool) {
	t.Helper()
	b := newBench(t, setup{profile: profile, seed: 5, quick: quick, solder: c.solder, plant: c.plant, options: c.options})
	b.hand.Hurry()
	b.hand.Weak = c.weak
	v, _ := b.run(t)
	got, text := told(v.Report), ""
	for _, f := range v.Report.Findings {
		text += f.Text + "\n"
	}
	if got != c.want && (c.want != "crosstalk" || !strings.HasPrefix(got, c.want)) {
		t.Errorf("%s, %s, quick %v: %s, want %s\n%s", c.name, profile, quick, got, c.want, v.Report.Text())
	}
	if !strings.Contains(text, c.says) {
		t.Errorf("%s, %s, quick %v: %q does not say %q", c.name, profile, quick, text, c.says)
	}
	bad := 0
	for _, f := range v.Report.Findings {
		if f.Severity == calibrate.Bad {
			bad++
		}
	}
	if v.Report.Well != (bad == 0) {
		t.Errorf("%s, %s, quick %v: well is %v with %s", c.name, profile, quick, v.Report.Well, got)
	}
}
