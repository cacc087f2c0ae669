package enginetest

import (
	"os"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
)

// Hire returns a program that is closed at the end of the test.
func Hire(tb testing.TB, o opponent.Options, dial func() opponent.Dialect) *opponent.External {
	tb.Helper()
	x := opponent.New(o, dial)
	tb.Cleanup(func() {
		if err := x.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return x
}

// Question returns a classic game after the moves of a transcript, and after the
// pass that is due then.
func Question(tb testing.TB, moves string) opponent.Question {
	tb.Helper()
	r, err := engine.Variant(engine.Classic)
	if err != nil {
		tb.Fatal(err)
	}
	line, err := notation.ParseTranscript(r, moves)
	if err != nil {
		tb.Fatal(err)
	}
	q := opponent.Question{Rules: r, Moves: line.Moves}
	if line.Final.MustPass() {
		q.Moves = append(q.Moves, engine.PassMove)
	}
	return q
}

// Ask asks for a move, which must be one, and adds it to the game, with the pass
// that is due then.
func Ask(tb testing.TB, x opponent.Player, q *opponent.Question) {
	tb.Helper()
	g, err := q.Game()
	if err != nil {
		tb.Fatal(err)
	}
	a, err := x.Move(tb.Context(), *q)
	if err != nil {
		tb.Fatalf("after %d moves: %v", len(q.Moves), err)
	}
	if !g.Legal().Has(a.Square) {
		tb.Fatalf("after %d moves: %v is no move", len(q.Moves), a.Square)
	}
	q.Moves = append(q.Moves, engine.At(a.Square))
	if g = g.Place(a.Square); g.MustPass() {
		q.Moves = append(q.Moves, engine.PassMove)
	}
}

// WholeGame lets a program play both sides to the end, and returns the game.
func WholeGame(tb testing.TB, x opponent.Player) opponent.Question {
	tb.Helper()
	q := Question(tb, "")
	for !Over(tb, &q) {
		Ask(tb, x, &q)
	}
	return q
}

// Over reports whether the game has ended.
func Over(tb testing.TB, q *opponent.Question) bool {
	tb.Helper()
	g, err := q.Game()
	if err != nil {
		tb.Fatal(err)
	}
	return g.Over()
}

// Heard returns the lines that a fake with log=file has been told.
func Heard(tb testing.TB, file string) []string {
	tb.Helper()
	b, err := os.ReadFile(file) //nolint:gosec // a file of the test
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}
