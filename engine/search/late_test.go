package search_test

import (
	"context"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

// A search that was called off before it began does not stop the next one.
func TestCanceledSearchEndsWhole(t *testing.T) {
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		const depth = 8
		s := search.New(search.Options{Depth: depth, Memory: 1 << 20})
		if _, err := s.Best(over, engine.NewGame(rules), search.Clock{}); err == nil {
			t.Fatal("a search that was called off has an answer")
		}
		if r, err := s.Best(t.Context(), engine.NewGame(rules), search.Clock{}); err != nil || r.Depth < depth {
			t.Fatalf("the next search looked %d moves ahead, want %d: %v", r.Depth, depth, err)
		}
	}
}
