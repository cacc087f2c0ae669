package search

import (
	"context"
	"math"
	"time"

	"reversi-board/engine"
)

// SolveOptions are the settings of Solve.
type SolveOptions struct {
	// Goal is what wins.
	Goal engine.Goal
	// AllBest asks for all moves that reach the best score; without it one of
	// them is found.
	AllBest bool
	// Progress, when set, is called after every pass of the search, from the
	// goroutine that called Solve.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	// Move is the best move so far, PassMove when the side to move has none.
	Move engine.Move
	// Score is its value in discs for the side to move.
	Score float64
	// Depth is how many moves were looked ahead; Confidence in percent is how
	// sure the branches are that were cut off, 100 for none.
	Depth, Confidence int
	// Nodes is the number of positions looked at so far.
	Nodes uint64
	// Time is the time taken so far, 0 without a clock.
	Time time.Duration
}

// Solution is a solved position.
type Solution struct {
	// Score is the exact score in discs for the side to move, the empty squares
	// given to the winner. With the goal Fewest it is the negated margin: the
	// higher the better here too.
	Score int
	// Best are the moves that reach it: all of them when they were asked for,
	// else one. It is empty when the side to move has no legal move.
	Best []engine.Square
	// PV is a line of best play as far as the table remembers it.
	PV []engine.Move
	// Nodes is the number of positions looked at, Time what it took (0 without
	// a clock).
	Nodes uint64
	Time  time.Duration
}

// Solve finds the exact score of a position by looking at everything to the
// end of the game. Some 24 empty squares take seconds, each two more about ten
// times as long. When ctx ends first, its error is returned.
func (s *Searcher) Solve(ctx context.Context, position engine.Position, o SolveOptions) (Solution, error) {
	began := s.now()
	s.setGoal(o.Goal)
	finish := s.start(ctx, 0)
	defer finish()
	c, p := s.core, placeOf(position)
	var sol Solution
	if position.Legal() == 0 {
		if position.Over() {
			sol.Score = c.sign * final(p.own, p.opp)
			return sol, nil
		}
		p = p.passed()
	}
	v := solving{s: s, began: began, o: o, p: p, passed: position.Legal() == 0}
	if !v.run() {
		return Solution{}, stopped(ctx)
	}
	sol.Score, sol.Best = v.score/unit, v.best
	sol.PV = c.line(p, v.best[0], p.n+maxPly)
	if v.passed {
		sol.Score, sol.Best = -sol.Score, nil
		sol.PV = append([]engine.Move{engine.PassMove}, sol.PV...)
	}
	sol.Nodes, sol.Time = c.nodes, s.elapsed(began)
	return sol, nil
}

// solving is one run of Solve.
type solving struct {
	s      *Searcher
	began  time.Duration
	o      SolveOptions
	p      place
	passed bool
	list   []rootMove
	score  int
	best   []engine.Square
}

// run solves; false when it has been stopped. Selective searches come before
// the exact one: they cost little, and leave good first moves in the table.
func (v *solving) run() bool {
	c, p := v.s.core, v.p
	v.list = c.rootMoves(p)
	if p.n > solverTo+2 {
		if !v.prepare() {
			return false
		}
	}
	if !v.pass(p.n, exactSel) {
		return false
	}
	v.best = []engine.Square{v.list[0].s}
	if !v.o.AllBest {
		return true
	}
	for i := 1; i < len(v.list); i++ {
		c.begin(p)
		if c.rootMove(p, &v.list[i], 0, p.n, exactSel, v.score-1, v.score) >= v.score {
			v.best = append(v.best, v.list[i].s)
		}
		if c.stop.Load() {
			return false
		}
	}
	return true
}

// prepare searches to growing depths, then to the end with growing confidence.
func (v *solving) prepare() bool {
	v.score = v.list[0].value
	for depth := 2 + v.p.n&1; depth <= min(v.p.n-8, 14); depth += 2 {
		if !v.pass(depth, sel73) {
			return false
		}
	}
	for _, sel := range selections(v.p.n) {
		if !v.pass(v.p.n, sel) {
			return false
		}
	}
	return true
}

// selections returns the selectivities worth a pass before the exact search.
func selections(n int) []int {
	switch {
	case n <= 16:
		return nil
	case n <= 20:
		return []int{sel73}
	case n <= 25:
		return []int{sel73, sel95}
	default:
		return []int{sel73, sel95, sel99}
	}
}

// pass searches once and reports the progress.
func (v *solving) pass(depth, sel int) bool {
	score, ok := v.s.core.search(v.p, v.list, depth, sel, v.score)
	if !ok {
		return false
	}
	v.score = score
	if v.o.Progress != nil {
		p := Progress{
			Move: engine.At(v.list[0].s), Score: discs(score), Depth: depth, Confidence: confidence(sel),
			Nodes: v.s.core.nodes, Time: v.s.elapsed(v.began),
		}
		if v.passed {
			p.Move, p.Score = engine.PassMove, -p.Score
		}
		v.o.Progress(p)
	}
	return true
}

// discs returns units as discs, to a tenth.
func discs(units int) float64 { return math.Round(float64(units)*10/unit) / 10 }
