//go:build !race

package soak

import (
	"fmt"
	"testing"
)

// TestStorms plays games on every board while everything fails that can, the
// built-in board too, where nothing frees a held bus: 0 wrong records, 0 stuck
// games, and every fault is told of. More of them: soak --faults all.
func TestStorms(t *testing.T) {
	for name, games := range map[string]int{
		"default.yaml": 8, "hall-128.yaml": 12, "hall-128-mcp23017.yaml": 8, "reed-64.yaml": 5, "hall-analog.yaml": 2,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := stormy(t, name, games, 2)
			report, _ := playAll(t, o)
			t.Logf("%d games, faults %v, worst latency %d ms", report.Games, report.Faults, report.WorstLatency)
			if report.Failed() || report.Games != games || report.Measured == 0 {
				t.Errorf("%+v", report)
			}
			for _, kind := range o.Faults {
				if report.Faults[kind] == 0 {
					t.Errorf("no fault %s in %d games", kind, games)
				}
			}
		})
	}
}

// Games of storms in which something was wrong once, of the board or of who
// judged it: they stay right.
func TestStormsThatWereWrong(t *testing.T) {
	for _, c := range []struct {
		profile string
		seed    uint64
		game    int
		// was is what was wrong.
		was string
	}{
		{"hall-128.yaml", 1, 914, "a cell came back while the lights were waited for: their time was measured all the same"},
		{"reed-64.yaml", 3, 334, "a cell that flaps was believed because it could not be read for as long as the board has to be quiet"},
		{"reed-64.yaml", 5, 76, "a disc turned on a cell that was not believed was taken for unturned when it was again"},
		{"reed-64.yaml", 5, 475, "a disc lifted for the move was turned again for a reply that a flapping cell had shown before"},
		{"reed-64.yaml", 5, 890, "a disc lifted before the move was taken for a sign of a reply on a cell that was not believed"},
		{"hall-analog.yaml", 2, 22, "a converter that was not asked failed once more: nobody could be told"},
		{"hall-analog.yaml", 2, 373, "a sensor flapped only for as long as its disc was not in a hand"},
		{"hall-analog.yaml", 2, 399, "a converter that was not asked did not finish once more"},
		{"hall-analog.yaml", 1, 230, "the converter failed, and was still away, while a disc was carried: likewise"},
	} {
		t.Run(fmt.Sprintf("%s, game %d", c.profile, c.game), func(t *testing.T) {
			t.Parallel()
			o := stormy(t, c.profile, c.game+1, c.seed)
			o.Indices = []int{c.game}
			if report, _ := playAll(t, o); report.Failed() || report.Games != 1 {
				t.Errorf("once %s; now: %+v", c.was, report)
			}
		})
	}
}
