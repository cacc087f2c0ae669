package opponent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
)

// Player is a player that is not a person.
type Player interface {
	// Name is how the player is called; programs say it once they have been
	// started.
	Name() string
	// NewGame says that another game begins. A player that was lost gets
	// another chance.
	NewGame(ctx context.Context) error
	// Move returns what the side to move should play. The error is ErrNotAsked
	// when it has no legal move, an *UnsupportedError when the player cannot
	// play this game, a *LostError when the player is gone, and that of ctx
	// when it has ended first; then the player can be asked again.
	Move(ctx context.Context, q Question) (Answer, error)
	// Close ends the player and waits for it.
	Close() error
}

// Question is a game in which the side to move is to choose a square.
type Question struct {
	Rules engine.Rules
	// Moves are those since the start, forced passes included.
	Moves []engine.Move
	Clock Clock
}

// Clock is the time that there is. The zero value is no clock.
type Clock struct {
	// Main and Increment are the settings of the game.
	Main, Increment time.Duration
	// Left is what Black and White have now; it counts if Main or Increment
	// does.
	Left [2]time.Duration
	// Limit bounds this move, 0 for no bound.
	Limit time.Duration
}

// Running reports whether the game is played by the clock.
func (c Clock) Running() bool { return c.Main > 0 || c.Increment > 0 }

// Answer is what a player chose.
type Answer struct {
	Square engine.Square
	// Eval is the value for the mover in discs as the player wrote it; empty
	// when it did not.
	Eval string
}

// ErrNotAsked is the error of a question about a position in which the side to
// move has no legal move: it passes, or the game is over.
var ErrNotAsked = errors.New("the side to move has no legal move, so there is nothing to ask")

// Game replays the question's moves.
func (q *Question) Game() (engine.Game, error) {
	g := engine.NewGame(q.Rules)
	for i, m := range q.Moves {
		s, disc := m.Square()
		switch {
		case disc && g.Legal().Has(s):
			g = g.Place(s)
		case m == engine.PassMove && g.MustPass():
			g = g.Pass()
		default:
			return g, fmt.Errorf("replay the game: move %d (%v) is not legal for %v", i+1, m, g.Turn)
		}
	}
	return g, nil
}

// asked replays the game and makes sure that there is something to ask.
func (q *Question) asked() (engine.Game, error) {
	g, err := q.Game()
	if err == nil && g.Legal() == 0 {
		err = ErrNotAsked
	}
	return g, err
}

// LostError says that a player is gone for the rest of the game.
type LostError struct {
	// Engine is its name, Reason what it did, such as "it was silent for 10s".
	Engine, Reason string
}

// Error says who was lost and why.
func (e *LostError) Error() string {
	return fmt.Sprintf("the engine %s was lost: %s", e.Engine, e.Reason)
}

// UnsupportedError says that a player cannot play these rules.
type UnsupportedError struct{ Engine, Reason string }

// Error says which player cannot play what.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the engine %s cannot play this game: %s", e.Engine, e.Reason)
}
