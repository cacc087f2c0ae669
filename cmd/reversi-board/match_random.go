package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
)

// chance is a player without any idea: every legal move is as likely as the
// others. A player that loses to it does something badly wrong.
type chance struct{ random *rand.Rand }

// randomSide is the engine "random" of a match.
func randomSide() side {
	return side{
		start: func(context.Context) error { return nil },
		hire: func(seed uint64) (opponent.Player, error) {
			return chance{rand.New(rand.NewPCG(seed, 1))}, nil //nolint:gosec // a match that can be repeated
		},
		close: func() error { return nil },
	}
}

// Name returns what it is called in the report.
func (chance) Name() string { return "random" }

// NewGame does nothing: chance has no memory.
func (chance) NewGame(context.Context) error { return nil }

// Move draws a legal square.
func (c chance) Move(_ context.Context, q opponent.Question) (opponent.Answer, error) {
	g, err := q.Game()
	if err != nil {
		return opponent.Answer{}, fmt.Errorf("draw a move: %w", err)
	}
	legal := g.Legal()
	if legal == 0 {
		return opponent.Answer{}, opponent.ErrNotAsked
	}
	squares := make([]engine.Square, 0, engine.Squares)
	for s := range legal.All() {
		squares = append(squares, s)
	}
	return opponent.Answer{Square: squares[c.random.IntN(len(squares))]}, nil
}

// Close does nothing.
func (chance) Close() error { return nil }
