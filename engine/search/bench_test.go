package search_test

import (
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

// BenchmarkSolve solves a position with 16 empty squares again and again, with
// an empty table each time.
func BenchmarkSolve(b *testing.B) {
	p := suite(b)[15]
	var nodes uint64
	for b.Loop() {
		s := search.New(search.Options{Memory: 4 << 20})
		got, err := s.Solve(b.Context(), p.position, search.SolveOptions{})
		if err != nil {
			b.Fatal(err)
		}
		nodes += got.Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
}

// BenchmarkSuite40To45 solves problems 40 to 45 one after the other on one
// thread. "x-perft" is how many times as long that takes as counting the start
// position to depth 11, which has just been done on the same machine: a measure
// of the search that the speed of the machine has no part in.
func BenchmarkSuite40To45(b *testing.B) {
	var perft float64
	b.Run("perft11", func(b *testing.B) {
		for b.Loop() {
			if engine.Perft(engine.Start(), 11) != 212258800 {
				b.Fatal("wrong count")
			}
		}
		perft = b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(212.2588/perft, "Mleaves/s")
	})
	b.Run("solve", func(b *testing.B) {
		problems := suite(b)[39:45]
		var nodes uint64
		for b.Loop() {
			s := search.New(search.Options{})
			for _, p := range problems {
				got, err := s.Solve(b.Context(), p.position, search.SolveOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if score, _ := p.best(); got.Score != score {
					b.Fatalf("problem %d: %d, want %d", p.number, got.Score, score)
				}
				nodes += got.Nodes
			}
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/perft, "x-perft")
	})
}

// BenchmarkBest searches twelve moves ahead from a position of the middle of
// the game, with an empty table each time.
func BenchmarkBest(b *testing.B) {
	g := engine.NewGame(variant(b, "classic"))
	for _, name := range []string{"f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7"} {
		s, err := engine.ParseSquare(name)
		if err != nil || !g.Legal().Has(s) {
			b.Fatalf("%s is not legal: %v", name, err)
		}
		g = g.Place(s)
	}
	var nodes uint64
	for b.Loop() {
		nodes += best(b, search.New(search.Options{Memory: 16 << 20, Depth: 12}), g).Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}
