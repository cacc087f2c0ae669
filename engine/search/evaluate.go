package search

import (
	"context"

	"reversi-board/engine"
)

// Evaluate returns the score in discs for the side to move, found by looking a
// fixed number of moves ahead without leaving branches out (depth 0: not at
// all). A depth that reaches the end of the game gives the exact score.
func (s *Searcher) Evaluate(ctx context.Context, position engine.Position, goal engine.Goal, depth int) (float64, error) {
	s.setGoal(goal)
	defer s.start(ctx, 0)()
	c, p := s.core, placeOf(position)
	c.begin(p)
	score := c.mid(0, p, max(depth, 0), -infinity, infinity, exactSel)
	if s.stop.Load() {
		return 0, stopped(ctx)
	}
	return float64(score) / unit, nil
}
