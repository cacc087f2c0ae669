//go:build !race

package search_test

import (
	"testing"

	"reversi-board/engine/search"
)

// The whole routine part of the suite. It takes some ten seconds of one core,
// and ten times as long under the race detector, which has nothing to find
// here: a search is one goroutine.
func TestSuite1To39(t *testing.T) {
	s := search.New(search.Options{})
	for _, p := range suite(t)[:39] {
		got, err := s.Solve(t.Context(), p.position, search.SolveOptions{AllBest: true})
		if err != nil {
			t.Fatal(err)
		}
		score, moves := p.best()
		if got.Score != score || squares(got.Best) != moves {
			t.Errorf("problem %d: %+d by %v, want %+d by %v", p.number, got.Score, squares(got.Best), score, moves)
		}
	}
}
