package opponent

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

// MaxLevel is the highest level of the built-in player.
const MaxLevel = 10

// BuiltinOptions are the settings of the built-in player.
type BuiltinOptions struct {
	// Level is its strength, 1 to MaxLevel.
	Level int
	// Seed makes its weaker moves repeat.
	Seed uint64
	// Time bounds a move, 0 for the built-in limit.
	Time time.Duration
	// Now is a monotonic clock; without one only the levels' depths end a
	// search.
	Now func() time.Duration
}

// Builtin is the search of this project as a player. It plays every variant.
type Builtin struct {
	level int
	mind  *search.Searcher
}

// NewBuiltin returns the built-in player.
func NewBuiltin(o BuiltinOptions) (*Builtin, error) {
	if o.Level < 1 || o.Level > MaxLevel {
		return nil, fmt.Errorf("level %d: want 1 to %d", o.Level, MaxLevel)
	}
	return &Builtin{
		level: o.Level,
		mind:  search.New(search.Options{Level: o.Level, Seed: o.Seed, Time: o.Time, Now: o.Now}),
	}, nil
}

// Name returns the name with the level.
func (b *Builtin) Name() string { return BuiltinName(b.level) }

// BuiltinName is what the built-in player of a level is called.
func BuiltinName(level int) string { return "reversi-board level " + strconv.Itoa(level) }

// Move searches.
func (b *Builtin) Move(ctx context.Context, q Question) (Answer, error) {
	g, err := q.asked()
	if err != nil {
		return Answer{}, err
	}
	r, err := b.Search(ctx, g, q.Clock)
	if err != nil {
		return Answer{}, err
	}
	s, ok := r.Move.Square()
	if !ok || !g.Legal().Has(s) {
		return Answer{}, &LostError{Engine: b.Name(), Reason: "it chose " + r.Move.String() + ", which is illegal"}
	}
	return Answer{Square: s, Eval: strconv.FormatFloat(r.Score, 'f', 2, 64)}, nil
}

// Search is Move with everything that is known of the move.
func (b *Builtin) Search(ctx context.Context, g engine.Game, c Clock) (search.Result, error) {
	clock := search.Clock{Limit: c.Limit}
	if c.Running() {
		// A flag that has fallen is the referee's business; the answer is to
		// come at once.
		clock.Remaining, clock.Increment = max(c.Left[g.Turn], time.Millisecond), c.Increment
	}
	r, err := b.mind.Best(ctx, g, clock)
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case err != nil:
		return r, fmt.Errorf("look for a move: %w", err)
	}
	return r, nil
}

// NewGame does nothing: what is known about positions stays true.
func (b *Builtin) NewGame(context.Context) error { return nil }

// Close does nothing; the memory goes with the player.
func (b *Builtin) Close() error { return nil }
