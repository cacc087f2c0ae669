package opponent_test

import (
	"context"
	"errors"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
)

// TestBuiltinPlaysEverything: the built-in player plays whole games of every
// variant.
func TestBuiltinPlaysEverything(t *testing.T) {
	for _, name := range engine.VariantNames() {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Variant(name)
			if err != nil {
				t.Fatal(err)
			}
			builtinGame(t, r)
		})
	}
}

func builtinGame(t *testing.T, r engine.Rules) {
	t.Helper()
	b, err := opponent.NewBuiltin(opponent.BuiltinOptions{Level: 2, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	q := opponent.Question{Rules: r}
	for g := engine.NewGame(r); !g.Over(); {
		a, err := b.Move(t.Context(), q)
		if g.MustPass() {
			if !errors.Is(err, opponent.ErrNotAsked) {
				t.Fatalf("asked a blocked side: %v", err)
			}
			g = g.Pass()
			q.Moves = append(q.Moves, engine.PassMove)
			continue
		}
		if err != nil || !g.Legal().Has(a.Square) {
			t.Fatalf("after %v: %v, %v", q.Moves, a.Square, err)
		}
		g = g.Place(a.Square)
		q.Moves = append(q.Moves, engine.At(a.Square))
	}
}

// TestBuiltinCancel: a question that is withdrawn has no answer.
func TestBuiltinCancel(t *testing.T) {
	b, err := opponent.NewBuiltin(opponent.BuiltinOptions{Level: opponent.MaxLevel})
	if err != nil {
		t.Fatal(err)
	}
	withdrawn := errors.New("taken back")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(withdrawn)
	if a, err := b.Move(ctx, enginetest.Question(t, "f5d6")); !errors.Is(err, withdrawn) {
		t.Errorf("%v, %v", a, err)
	}
}

// TestBuiltinLevels: a level that does not exist is refused.
func TestBuiltinLevels(t *testing.T) {
	for _, level := range []int{-1, 0, opponent.MaxLevel + 1} {
		if _, err := opponent.NewBuiltin(opponent.BuiltinOptions{Level: level}); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
}

// TestIllegalHistory: a history that the rules do not allow is refused before
// anybody is asked.
func TestIllegalHistory(t *testing.T) {
	q := enginetest.Question(t, "f5")
	q.Moves = append(q.Moves, engine.At(0))
	b, err := opponent.NewBuiltin(opponent.BuiltinOptions{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Move(t.Context(), q); err == nil {
		t.Error("an illegal history is taken")
	}
}
