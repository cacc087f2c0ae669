//go:build !race

package soak

import "testing"

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
