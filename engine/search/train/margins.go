package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"reversi-board/engine"
	"reversi-board/engine/search"
	"reversi-board/engine/search/eval"
)

// measureMargins prints how far searches to different depths lie apart: what
// the margins of the selective search (deviation in package search) are fitted
// to. Positions come from quick games.
func measureMargins(ctx context.Context, out io.Writer, w *eval.Weights, s settings) error {
	g := gamer{
		maker: &maker{ctx: ctx, s: s}, w: w, e: eval.NewExtractor(),
		random: rand.New(rand.NewPCG(s.seed, 99)), //nolint:gosec // Chance that must repeat.
		s:      search.New(search.Options{Memory: memory, Weights: w}),
	}
	pairs := [][2]int{{1, 0}, {2, 0}, {3, 1}, {4, 0}, {4, 2}, {5, 3}, {6, 2}, {6, 4}, {7, 3}, {8, 4}, {99, 0}, {99, 2}, {99, 4}, {99, 6}}
	fmt.Fprint(out, "empties")
	for _, p := range pairs {
		fmt.Fprintf(out, " %5d-%d", p[0], p[1])
	}
	fmt.Fprintln(out)
	for empties := 54; empties >= 10; empties -= 4 {
		sums := make([]float64, len(pairs))
		for range s.quick {
			p := g.reach(empties)
			var v [100]float64
			for _, depth := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 99} {
				if depth == 99 && empties > 18 {
					continue
				}
				score, err := g.s.Evaluate(ctx, p, s.goal, depth)
				if err != nil {
					return err
				}
				v[depth] = score
			}
			for i, pair := range pairs {
				d := v[pair[0]] - v[pair[1]]
				sums[i] += d * d
			}
		}
		fmt.Fprintf(out, "%7d", empties)
		for _, sum := range sums {
			fmt.Fprintf(out, " %7.2f", math.Sqrt(sum/float64(s.quick)))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// reach plays until a number of empty squares is left and the side to move can
// move.
func (g *gamer) reach(empties int) engine.Position {
	for {
		p := engine.Start()
		chance := 4 + g.random.IntN(10)
		for p.Empty().Count() > empties && !p.Over() {
			switch {
			case p.Legal() == 0:
				p = p.Pass()
			case 60-p.Empty().Count() < chance:
				p = g.random1(p)
			default:
				p = g.quick(p)
			}
		}
		if p.Empty().Count() == empties && p.Legal() != 0 {
			return p
		}
	}
}
