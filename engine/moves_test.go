package engine_test

import (
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
)

// drawDiscs puts anything anywhere, positions that no game reaches included:
// rows of every length in every direction.
func drawDiscs(t *rapid.T) (own, opp engine.Bitboard) {
	occupied := rapid.Uint64().Draw(t, "occupied") | rapid.Uint64().Draw(t, "more")
	mine := rapid.Uint64().Draw(t, "own") & rapid.Uint64().Draw(t, "fewer")
	return engine.Bitboard(occupied & mine), engine.Bitboard(occupied &^ mine)
}

func TestMovesAndFlipsOnAnyBoard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own, opp := drawDiscs(t)
		b := readBoard(obf(engine.Position{Discs: engine.Discs{Black: own, White: opp}}))
		if got, want := engine.LegalMoves(own, opp), set(b.moves()); got != want {
			t.Fatalf("moves %v, want %v: %s", got, want, &b)
		}
		for s := range engine.Square(engine.Squares) {
			if got, want := engine.Flips(own, opp, s), set(b.turned(s.Rank(), s.File())); got != want {
				t.Fatalf("%v turns %v, want %v: %s", s, got, want, &b)
			}
		}
	})
}

func TestLastFlipsCountsWhatTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := engine.Square(rapid.IntRange(0, 63).Draw(t, "square"))
		own := engine.Bitboard(rapid.Uint64().Draw(t, "own")) &^ s.Bit()
		opp := ^own &^ s.Bit()
		b := readBoard(obf(engine.Position{Discs: engine.Discs{Black: own, White: opp}}))
		if got, want := engine.LastFlips(own, s), len(b.turned(s.Rank(), s.File())); got != want {
			t.Fatalf("%v turns %d, want %d: %s", s, got, want, &b)
		}
	})
}
