package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/search"
	"reversi-board/engine/search/eval"
)

// measureMargins prints how far searches to different depths lie apart: what
// the margins of the selective search (deviation in package search) are fitted
// to. Positions come from quick games.
func measureMargins(ctx context.Context, w *eval.Weights, s settings) error {
	g := gamer{
		maker: &maker{ctx: ctx, s: s}, w: w, e: eval.NewExtractor(),
		random: rand.New(rand.NewPCG(s.seed, 99)), //nolint:gosec // Chance that must repeat.
		s:      search.New(search.Options{Memory: memory, Weights: w}),
	}
	pairs := [][2]int{{1, 0}, {2, 0}, {3, 1}, {4, 0}, {4, 2}, {5, 3}, {6, 2}, {6, 4}, {7, 3}, {8, 4}, {end, 0}, {end, 2}, {end, 4}, {end, 6}}
	var line strings.Builder
	line.WriteString("empties")
	for _, p := range pairs {
		fmt.Fprintf(&line, " %5d-%d", p[0], p[1])
	}
	log.Print(line.String())
	for empties := 54; empties >= 10; empties -= 4 {
		sums := make([]float64, len(pairs))
		for range s.quick {
			v, err := g.depths(g.reach(empties))
			if err != nil {
				return err
			}
			for i, pair := range pairs {
				d := v[pair[0]] - v[pair[1]]
				sums[i] += d * d
			}
		}
		line.Reset()
		fmt.Fprintf(&line, "%7d", empties)
		for _, sum := range sums {
			fmt.Fprintf(&line, " %7.2f", math.Sqrt(sum/float64(s.quick)))
		}
		log.Print(line.String())
	}
	return nil
}

// end stands for a search to the end of the game; it is made from endEmpties
// empty squares on.
const (
	end        = 9
	endEmpties = 18
)

// depths searches a position to every depth.
func (g *gamer) depths(p engine.Position) (v [end + 1]float64, err error) {
	for depth := range v {
		plies := depth
		if depth == end {
			plies = p.Empty().Count()
			if plies > endEmpties {
				break
			}
		}
		if v[depth], err = g.s.Evaluate(g.ctx, p, g.s0(), plies); err != nil {
			return v, err
		}
	}
	return v, nil
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
