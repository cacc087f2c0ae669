package search

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/search/eval"
)

// DefaultMemory is the size of the transposition table in bytes when nothing
// else is asked for. With weights and tables a Searcher stays below 64 MiB.
const DefaultMemory = 48 << 20

// Options are the settings of a Searcher; the zero value plays as well as it
// can, in two seconds a move if there is a clock.
type Options struct {
	// Level is the strength from 1 (a child can win) to 10; 0 means 10.
	Level int
	// Time is how long a move may take at level 10; 0 means two seconds. Lower
	// levels look a fixed number of moves ahead and take less.
	Time time.Duration
	// Now is a monotonic clock. Without one no search ends by itself before it
	// has reached its depth.
	Now func() time.Duration
	// Seed makes the mistakes of the levels below 10 repeat: the same seed
	// gives the same move in the same position.
	Seed uint64
	// Memory is the size of the transposition table in bytes; 0 means
	// DefaultMemory at level 10 and what the level needs below.
	Memory int
	// Depth ends the search at that many moves ahead, 0 for the level's own.
	Depth int
	// Weights replace the built-in evaluation of the goal that is searched.
	Weights *eval.Weights
}

// Searcher finds moves. It keeps its table from one call to the next, and is
// used by one goroutine at a time.
type Searcher struct {
	o    Options
	core *core
	stop atomic.Bool
	goal engine.Goal
	// limit is how long the search may take, 0 for as long as it likes.
	limit time.Duration
}

// New returns a searcher.
func New(o Options) *Searcher {
	if o.Level <= 0 || o.Level > maxLevel {
		o.Level = maxLevel
	}
	if o.Memory <= 0 {
		o.Memory = skillOf(o.Level).memory
	}
	if o.Time <= 0 {
		o.Time = defaultTime
	}
	s := &Searcher{o: o}
	s.core = &core{
		solver:  solver{t: newTables(), hash: newHashTable(o.Memory), near: newHashTable(nearSize), stop: &s.stop, sign: 1},
		extract: eval.NewExtractor(),
		margins: newMargins(),
		weights: o.Weights,
	}
	s.setGoal(engine.Most)
	return s
}

// defaultTime is how long a move takes at the strongest level.
const defaultTime = 2 * time.Second

// setGoal prepares for a goal. Scores of the other one are forgotten.
func (s *Searcher) setGoal(g engine.Goal) {
	if s.goal != g {
		s.core.forget()
	}
	s.goal = g
	s.core.sign = 1
	if g == engine.Fewest {
		s.core.sign = -1
	}
	if s.o.Weights == nil {
		s.core.weights = eval.Default(g)
	}
}

// start arms the stop by ctx and by a time limit (0 for none), and returns what
// has to be called in the end: a stop that comes late would end the next search.
func (s *Searcher) start(ctx context.Context, limit time.Duration) (finish func()) {
	s.stop.Store(false)
	s.core.nodes, s.core.ticks, s.core.tick = 0, 0, nil
	s.core.hash.next()
	s.core.near.next()
	s.limit = limit
	if s.o.Now != nil && limit > 0 {
		end := s.o.Now() + limit
		s.core.tick = func() {
			if s.o.Now() >= end {
				s.stop.Store(true)
			}
		}
	}
	if ctx.Err() != nil {
		s.stop.Store(true)
	}
	done := make(chan struct{})
	off := context.AfterFunc(ctx, func() {
		s.stop.Store(true)
		close(done)
	})
	return func() {
		if !off() {
			<-done
		}
	}
}

// elapsed returns the time since a reading of the clock.
func (s *Searcher) elapsed(began time.Duration) time.Duration { return s.now() - began }

// now reads the clock, 0 if there is none.
func (s *Searcher) now() time.Duration {
	if s.o.Now == nil {
		return 0
	}
	return s.o.Now()
}

// ErrNoMove is the error of a search when the side to move has no legal move:
// it passes, or the game is over.
var ErrNoMove = errors.New("no legal move")

// placeOf returns a position as the search sees it.
func placeOf(p engine.Position) place {
	own, opp := p.Of(p.Turn), p.Of(p.Turn.Opponent())
	return place{own, opp, p.Empty().Count()}
}

// stopped is the error of a search that has been ended by ctx.
func stopped(ctx context.Context) error { return fmt.Errorf("search: %w", context.Cause(ctx)) }
