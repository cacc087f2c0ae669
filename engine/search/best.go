package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reversi-board/engine"
)

// Clock is the time of the side to move; the zero value is a game without a
// clock.
type Clock struct {
	// Remaining is the time left for the rest of the game, 0 for no limit.
	Remaining time.Duration
	// Increment is added after every move.
	Increment time.Duration
	// Limit bounds this move, 0 for no bound.
	Limit time.Duration
}

// Result is a move with what is known of it.
type Result struct {
	// Move is the move to make, PassMove when there is no other.
	Move engine.Move
	// Score is its value in discs for the side that makes it: the expected
	// margin, the empty squares given to the winner. With the goal Fewest it is
	// the negated margin.
	Score float64
	// Depth is how many moves were looked ahead.
	Depth int
	// Exact says that the score is proven.
	Exact bool
	// PV is the expected line of play, Move first.
	PV []engine.Move
	// Nodes is the number of positions looked at, Time what it took (0 without
	// a clock).
	Nodes uint64
	Time  time.Duration
}

// Best returns the move of the searcher's level. When ctx ends before even a
// first look has been taken, its error is returned; later the best move found
// so far is. The error is ErrNoMove when the game is over.
//
// The stock of discs of the historic game is looked at in the last moves only,
// where it matters.
func (s *Searcher) Best(ctx context.Context, g engine.Game, clock Clock) (Result, error) {
	began := s.now()
	s.setGoal(g.Rules.Goal)
	finish := s.start(ctx, s.budget(clock, g.Empty().Count()))
	defer finish()
	if s.stop.Load() {
		return Result{}, stopped(ctx)
	}
	var r Result
	var err error
	switch legal := g.Legal(); {
	case legal == 0 && g.Over():
		return r, ErrNoMove
	case legal == 0:
		r = Result{Move: engine.PassMove, PV: []engine.Move{engine.PassMove}}
	case g.Rules.Opening&g.Empty() != 0:
		r, err = s.bestOpening(ctx, g)
	case g.Rules.Stock > 0 && g.Empty().Count() <= stockTo:
		r = s.bestStock(g)
	case s.o.Level < maxLevel:
		r, err = s.bestOfLevel(ctx, g.Position)
	default:
		r = s.strongest(placeOf(g.Position))
	}
	if err != nil {
		return Result{}, err
	}
	r.Nodes, r.Time = s.core.nodes, s.elapsed(began)
	return r, nil
}

// budget returns how long a move may take.
func (s *Searcher) budget(clock Clock, empties int) time.Duration {
	limit := s.o.Time
	if clock.Remaining > 0 {
		// The moves that are still to be made, fewer for those that will be
		// solved in no time; and never so much that a flag might fall.
		own := max(empties/2-3, 2)
		limit = min(limit, clock.Remaining/time.Duration(own)+clock.Increment*3/4, clock.Remaining/4)
	}
	if clock.Limit > 0 {
		limit = min(limit, clock.Limit)
	}
	return limit
}

// Rate returns all legal moves, the best first, each with its score found by
// looking depth moves ahead (the move itself is the first of them).
func (s *Searcher) Rate(ctx context.Context, p engine.Position, goal engine.Goal, depth int) ([]Rated, error) {
	s.setGoal(goal)
	defer s.start(ctx, 0)()
	rated := s.rate(placeOf(p), max(depth, 1), exactSel)
	if s.stop.Load() {
		return nil, stopped(ctx)
	}
	slices.SortStableFunc(rated, func(a, b Rated) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		default:
			return 0
		}
	})
	return rated, nil
}

// rate scores every move with an open window.
func (s *Searcher) rate(p place, depth, sel int) []Rated {
	c := s.core
	var rated []Rated
	for m := range engine.LegalMoves(p.own, p.opp).All() {
		c.begin(p)
		move := candidate{flips: engine.Flips(p.own, p.opp, m), s: m}
		c.down(0, &move)
		score := -c.mid(1, p.after(m, move.flips), depth-1, -infinity, infinity, sel)
		rated = append(rated, Rated{engine.At(m), float64(score) / unit})
	}
	return rated
}

// bestOfLevel plays like a person of that strength.
func (s *Searcher) bestOfLevel(ctx context.Context, position engine.Position) (Result, error) {
	k, p := skillOf(s.o.Level), placeOf(position)
	depth := k.depth
	if s.o.Depth > 0 {
		depth = s.o.Depth
	}
	// What the table remembers from other positions must not change a move.
	s.core.forget()
	exact := p.n <= k.exact
	sel := k.sel
	if exact {
		depth, sel = p.n, exactSel
	}
	if k.noise == 0 && k.blind == 0 {
		r := s.deepen(p, depth, exact, sel)
		if s.stop.Load() && r.Depth == 0 {
			return r, stopped(ctx)
		}
		return r, nil
	}
	rated := s.rate(p, depth, sel)
	if s.stop.Load() {
		if ctx.Err() != nil {
			return Result{}, stopped(ctx)
		}
		// Out of time: what one look shows has to do.
		s.stop.Store(false)
		s.core.tick = nil
		depth, exact = 1, false
		rated = s.rate(p, depth, sel)
	}
	at := choose(k, s.o.Seed, p, rated, exact)
	move, _ := rated[at].Move.Square()
	return Result{
		Move: rated[at].Move, Score: discs(int(rated[at].Score * unit)), Depth: depth, Exact: exact,
		PV: s.core.line(p, move, max(depth, 1)),
	}, nil
}

// strongest searches as deep as the time allows.
func (s *Searcher) strongest(p place) Result {
	k := skillOf(maxLevel)
	depth, exact := k.depth, p.n <= k.exact
	if s.o.Now != nil {
		depth, exact = p.n, true
	}
	if s.o.Depth > 0 {
		depth, exact = s.o.Depth, s.o.Depth >= p.n
	}
	return s.deepen(p, depth, exact, k.sel)
}

// pass is one search: how deep, and how sure.
type pass struct{ depth, sel int }

// endFrom is from how many empty squares on the search goes from a middling
// depth to the end of the game at once, growing surer and surer.
const endFrom = 24

// passes returns the searches that lead to a depth, or to a proven score.
func passes(n, depth int, exact bool, sel int) []pass {
	var all []pass
	last := min(depth, n)
	if exact {
		last = min(last, max(n-8, 1))
		if n <= endFrom {
			last = min(last, 12)
		}
	}
	for d := 1; d <= last; d++ {
		all = append(all, pass{d, sel})
	}
	if !exact {
		return all
	}
	if n > solverTo+3 {
		for _, surer := range []int{sel73, sel87, sel95, sel99} {
			if surer == sel73 || n > 18 {
				all = append(all, pass{n, surer})
			}
		}
	}
	return append(all, pass{n, exactSel})
}

// deepen searches deeper and deeper until the depth, the proof or the end of
// the time has been reached.
func (s *Searcher) deepen(p place, depth int, exact bool, sel int) Result {
	c := s.core
	began := s.now()
	list := c.rootMoves(p)
	r := Result{Move: engine.At(list[0].s), Score: discs(list[0].value)}
	guess := list[0].value
	if s.stop.Load() {
		r.PV = []engine.Move{r.Move}
		return r
	}
	for _, next := range passes(p.n, depth, exact, sel) {
		if s.o.Level == maxLevel && s.late(began) {
			break
		}
		score, ok := c.search(p, list, next.depth, next.sel, guess)
		r.Move = engine.At(list[0].s)
		if !ok {
			break
		}
		guess = score
		r.Score, r.Depth = discs(score), next.depth
		r.Exact = next.depth >= p.n && next.sel == exactSel
	}
	first, _ := r.Move.Square()
	r.PV = c.line(p, first, max(r.Depth, 1))
	return r
}

// late reports whether so much of the time is gone that one more search would
// hardly end in time.
func (s *Searcher) late(began time.Duration) bool {
	return s.o.Now != nil && s.limit > 0 && s.now()-began > s.limit*6/10
}

// errNoOpening cannot happen: the caller has looked.
var errNoOpening = errors.New("no square is left for the opening")

// openingDepth is how deep the positions are looked at that can come out of an
// opening in which discs are placed without turning any.
const openingDepth = 4

// bestOpening plays the first placements of the historic game: all ways to go
// on with them are compared.
func (s *Searcher) bestOpening(ctx context.Context, g engine.Game) (Result, error) {
	best := Result{Score: -infinity}
	for m := range g.Legal().All() {
		score := -s.openingScore(g.Place(m))
		if score > best.Score {
			best = Result{Move: engine.At(m), Score: score, Depth: openingDepth, PV: []engine.Move{engine.At(m)}}
		}
	}
	switch {
	case s.stop.Load():
		return Result{}, stopped(ctx)
	case best.Score == -infinity:
		return Result{}, fmt.Errorf("choose a placement: %w", errNoOpening)
	}
	best.Score = discs(int(best.Score * unit))
	return best, nil
}

// openingScore returns the score for the side to move.
func (s *Searcher) openingScore(g engine.Game) float64 {
	if g.Rules.Opening&g.Empty() == 0 {
		p := placeOf(g.Position)
		s.core.begin(p)
		return float64(s.core.mid(0, p, openingDepth, -infinity, infinity, exactSel)) / unit
	}
	best := -float64(infinity)
	for m := range g.Legal().All() {
		best = max(best, -s.openingScore(g.Place(m)))
	}
	return best
}

// stockTo is from how many empty squares on the discs in the players' hands are
// counted.
const stockTo = 8

// bestStock solves the last moves of a game in which the players' discs are
// counted.
func (s *Searcher) bestStock(g engine.Game) Result {
	r := Result{Score: -infinity, Depth: g.Empty().Count(), Exact: true}
	for m := range g.Legal().All() {
		score := -s.stockScore(g.Place(m), -64, -max(-64, int(r.Score)))
		if float64(score) > r.Score {
			r.Move, r.Score = engine.At(m), float64(score)
		}
	}
	r.PV = []engine.Move{r.Move}
	return r
}

// stockScore is plain alpha-beta over the game as the rules have it.
func (s *Searcher) stockScore(g engine.Game, alpha, beta int) int {
	s.core.nodes++
	legal := g.Legal()
	if legal == 0 {
		if g.Over() {
			own, opp := g.Of(g.Turn), g.Of(g.Turn.Opponent())
			return s.core.sign * final(own, opp)
		}
		return -s.stockScore(g.Pass(), -beta, -alpha)
	}
	for m := range legal.All() {
		alpha = max(alpha, -s.stockScore(g.Place(m), -beta, -alpha))
		if alpha >= beta {
			break
		}
	}
	return alpha
}
