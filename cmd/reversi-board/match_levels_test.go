//go:build !race

package main

import (
	"fmt"
	"testing"

	"reversi-board/engine/notation"
	"reversi-board/engine/search"
)

// These tests play hundreds of games; under the race detector, which has nothing
// to find in them, they would take many minutes.

// TestLevelsAreSteps is a small part of make strength, without a clock and so
// always the same: every level beats the one below.
func TestLevelsAreSteps(t *testing.T) {
	t.Parallel()
	for level := 2; level <= 8; level++ {
		a, b := fmt.Sprintf("builtin:%d", level), fmt.Sprintf("builtin:%d", level-1)
		if r := matchJSON(t, a, b, "--games", "40"); r.percent() < 55 {
			t.Errorf("%s scores %.1f %% against %s", a, r.percent(), b)
		}
	}
}

// TestChanceLoses: luck does not beat level 3 or those above.
func TestChanceLoses(t *testing.T) {
	t.Parallel()
	for level, games := range map[int]string{3: "200", 4: "200", 5: "50", 6: "50"} {
		if r := matchJSON(t, fmt.Sprintf("builtin:%d", level), "random", "--games", games); r.Lost+r.Drawn != 0 {
			t.Errorf("level %d: %d lost, %d drawn", level, r.Lost, r.Drawn)
		}
	}
}

// TestOpeningsAreEven looks again, less deep than when they were made, and so
// less strictly.
func TestOpeningsAreEven(t *testing.T) {
	t.Parallel()
	f := matchFlags{}
	list, err := f.lines()
	if err != nil {
		t.Fatal(err)
	}
	s := search.New(search.Options{Depth: 8})
	for _, l := range list {
		r, err := s.Best(t.Context(), l.Final, search.Clock{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Score < -5 || r.Score > 5 {
			t.Errorf("%s: %+.1f discs", notation.Transcript(l.Moves), r.Score)
		}
	}
}
