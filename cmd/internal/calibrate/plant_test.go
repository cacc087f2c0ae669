package calibrate_test

import (
	"testing"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

func square(t fataler, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Defects planted by hand, and what must be said about them.
func TestPlantedDefects(t *testing.T) {
	t.Parallel()
	fail := func(at string, f sim.CellFault) func(b *sim.Board) {
		return func(b *sim.Board) { must(t, b.FailCell(int(square(t, at)), f)) }
	}
	exchange := func(a, b string) func(w *sim.Wiring) {
		return func(w *sim.Wiring) { calibrate.Exchange(w, square(t, a), square(t, b)) }
	}
	for _, c := range []struct {
		name     string
		profiles []string
		solder   func(w *sim.Wiring)
		plant    func(b *sim.Board)
		want     string
	}{
		{"dead", []string{"default", "hall-128-mcp23017"}, nil, fail("h8", sim.CellFault{Kind: sim.Dead}), "dead h8"},
		{"dead analog", []string{"hall-analog"}, nil, fail("h8", sim.CellFault{Kind: sim.Dead}), "stuck h8"},
		{"reversed", []string{"default", "hall-analog"}, nil, fail("c3", sim.CellFault{Kind: sim.Reversed}), "reversed c3"},
		{"stuck", []string{"default", "hall-analog"}, nil, fail("a1", sim.CellFault{Kind: sim.StuckNorth}), "stuck a1"},
		{"stuck south", []string{"default", "hall-analog"}, nil, fail("e4", sim.CellFault{Kind: sim.StuckSouth}), "stuck e4"},
		{"both", []string{"default", "hall-analog"}, nil, fail("e4", sim.CellFault{Kind: sim.BothActive}), "stuck e4"},
		{"flapping", []string{"default"}, nil, fail("e4", sim.CellFault{Kind: sim.Flapping, Hz: 3}), "flapping e4"},
		{"weak", []string{"hall-analog"}, nil, fail("e4", sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.35}), "weak_cell e4"},
		{"exchanged", []string{"default", "hall-128-mcp23017", "hall-analog", "reed-64"}, exchange("d3", "e3"), nil, "exchanged d3 e3"},
		{"far exchanged", []string{"default", "hall-analog", "reed-64"}, exchange("a1", "h8"), nil, "exchanged a1 h8"},
		{"lost chip", []string{"default"}, nil, func(b *sim.Board) { must(t, b.FailBank(3, sim.BankNack)) }, "bank_lost a4 b4 c4 d4 e4 f4 g4 h4"},
		{"frozen chip", []string{"default"}, nil, func(b *sim.Board) { must(t, b.FailBank(3, sim.BankFrozen)) }, "bank_dead a4 b4 c4 d4 e4 f4 g4 h4"},
	} {
		for _, profile := range c.profiles {
			for _, quick := range []bool{false, true} {
				b := newBench(t, setup{profile: profile, seed: 5, quick: quick, solder: c.solder, plant: c.plant})
				v, cal := b.run(t)
				t.Logf("%s %s quick %v: %v, %s", c.name, profile, quick, b.now, told(v.Report))
				if told(v.Report) != c.want {
					t.Errorf("%s %s quick %v: %s, want %s\n%s", c.name, profile, quick, told(v.Report), c.want, v.Report.Text())
				}
				_ = cal
			}
		}
	}
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
