//go:build !race

package soak

import "testing"

// TestManyClumsyHands: games at all events and by all rules. It takes half a minute,
// and ten times that under the race detector, so that it is built without it only.
func TestManyClumsyHands(t *testing.T) {
	report := clumsy(t, Options{Random: 150, Seed: 12, Clumsy: &Clumsy{Profile: All, Variant: All}})
	if n := len(report.Meetings); n != len(Profiles())*len(Variants()) {
		t.Errorf("%d events and rules met, want all %d", n, len(Profiles())*len(Variants()))
	}
	// Nothing that people do is missing.
	for _, kind := range kinds() {
		if c := report.Tally.Counts[kind]; c == nil || c.Made == 0 {
			t.Errorf("nobody %s", kind)
		}
	}
	t.Logf("%.1f games a second\n%v", report.GamesPerSecond, report.Tally)
}

// TestManyClumsyHandsOnOtherBoards: where no faces are seen, and where converters
// measure slowly.
func TestManyClumsyHandsOnOtherBoards(t *testing.T) {
	for name, n := range map[string]int{"reed-64.yaml": 20, "hall-128-mcp23017.yaml": 5, "hall-analog.yaml": 2} {
		t.Run(name, func(t *testing.T) {
			clumsy(t, Options{Random: n, Seed: 13, Config: profile(t, name), Clumsy: &Clumsy{Profile: All, Variant: All}})
		})
	}
}

// TestClumsyGamesThatWereWrong plays games again at which a record was once another
// than the umpire's. What the board did wrong is told, one story each, by the tests of
// the referee; here it is played as the hands play today.
func TestClumsyGamesThatWereWrong(t *testing.T) {
	for seed, indices := range map[uint64][]int{
		1: {2, 33, 53, 55, 73, 82, 107, 166, 261, 290, 316, 351},
		2: {42, 265, 463, 505},
		3: {38, 81, 92, 286, 456, 523, 609},
		5: {26, 254},
		6: {24, 76, 573, 656, 683, 891, 1394}, 7: {1063, 1394, 1694},
		102: {418}, 104: {153, 628}, 201: {720}, 301: {723}, 405: {223}, 701: {2876, 9209, 9358},
	} {
		clumsy(t, Options{Random: 10_000, Indices: indices, Seed: seed, Clumsy: &Clumsy{Profile: All, Variant: All}})
	}
	// The start with the other diagonal light, laid out by mistake, is none at a festival.
	for seed, indices := range map[uint64][]int{901: {111, 113}, 902: {20}} {
		clumsy(t, Options{Random: 150, Indices: indices, Seed: seed, Clumsy: &Clumsy{Profile: "festival", Variant: All}})
	}
	clumsy(t, Options{
		Random: 150, Indices: []int{49}, Seed: 31, Config: profile(t, "reed-64.yaml"), Clumsy: &Clumsy{Profile: All, Variant: All},
	})
}
