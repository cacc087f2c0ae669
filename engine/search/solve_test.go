package search_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

func TestSolveAgreesWithPlainMinimax(t *testing.T) {
	for _, name := range []string{"classic", "reverse"} {
		t.Run(name, func(t *testing.T) {
			rules := variant(t, name)
			s := small(search.Options{})
			rapid.Check(t, func(rt *rapid.T) {
				g := drawGame(rt, rules, rapid.IntRange(0, 7).Draw(rt, "empties"))
				got, err := s.Solve(t.Context(), g.Position, search.SolveOptions{Goal: rules.Goal, AllBest: true})
				if err != nil {
					rt.Fatal(err)
				}
				if score, best := minimax(g), bestMoves(g); got.Score != score || squares(got.Best) != best {
					rt.Fatalf("%d by %v, want %d by %v: %v", got.Score, squares(got.Best), score, best, g.Position)
				}
			})
		})
	}
}

// Selective searches come before the exact one from some empty squares on, and
// the table and the sorting by evaluation are at work there; the scores of the
// solver alone, below, have been compared with plain minimax above.
func TestSolveAgreesWithTheScoresOfAllMoves(t *testing.T) {
	s := search.New(search.Options{Memory: 8 << 20})
	for _, p := range suite(t)[:20] {
		for m, want := range p.scores {
			got, err := s.Solve(t.Context(), p.position.After(m, p.position.Flips(m)), search.SolveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if -got.Score != want {
				t.Errorf("problem %d, %v: %d, want %d", p.number, m, -got.Score, want)
			}
		}
	}
}

// play follows a line and returns the game at its end.
func play(t *testing.T, p engine.Position, line []engine.Move) engine.Position {
	t.Helper()
	for _, move := range line {
		s, ok := move.Square()
		if !ok {
			if p.Legal() != 0 {
				t.Fatalf("pass with a legal move in %v", line)
			}
			p = p.Pass()
			continue
		}
		if !p.Legal().Has(s) {
			t.Fatalf("%v is not legal in %v", move, line)
		}
		p = p.After(s, p.Flips(s))
	}
	return p
}

func TestSolveReportsProgressAndALegalLine(t *testing.T) {
	p := suite(t)[22]
	var last search.Progress
	count := 0
	got, err := search.New(search.Options{}).Solve(t.Context(), p.position, search.SolveOptions{Progress: func(at search.Progress) {
		if at.Nodes < last.Nodes {
			t.Errorf("nodes fell from %d to %d", last.Nodes, at.Nodes)
		}
		last = at
		count++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if best, moves := p.best(); got.Score != best || !moves.Has(got.Best[0]) {
		t.Errorf("%d by %v, want %d by %v", got.Score, got.Best, best, moves)
	}
	if count < 3 || last.Depth != 18 || last.Confidence != 100 || last.Score != float64(got.Score) {
		t.Errorf("%d reports, the last %+v", count, last)
	}
	if len(got.PV) == 0 || got.PV[0] != engine.At(got.Best[0]) {
		t.Errorf("line %v does not begin with %v", got.PV, got.Best)
	}
	play(t, p.position, got.PV)
}

func TestSolveWhenTheSideToMoveCannot(t *testing.T) {
	for _, test := range []struct {
		name, position string
		score          int
		pv             string
	}{
		{"over, a wipe-out with empty squares", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX-- O", -64, ""},
		{"over, a draw", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO X", 0, ""},
	} {
		got, err := small(search.Options{}).Solve(t.Context(), position(t, test.position), search.SolveOptions{AllBest: true})
		if err != nil || got.Score != test.score || len(got.Best) != 0 {
			t.Errorf("%s: %+v, %v: want the score %d and no move", test.name, got, err, test.score)
		}
	}
	// White has to pass: h8 is Black's move, which takes g8 and wins all.
	p := position(t, "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- O")
	got, err := small(search.Options{}).Solve(t.Context(), p, search.SolveOptions{})
	if err != nil || got.Score != -64 || len(got.Best) != 0 {
		t.Errorf("pass: %+v, %v: want -64 and no move", got, err)
	}
	if len(got.PV) != 2 || got.PV[0] != engine.PassMove || got.PV[1].String() != "h8" {
		t.Errorf("pass: line %v, want pass, h8", got.PV)
	}
}

// patience is how long an end may take after its context has ended.
const patience = 100 * time.Millisecond

func TestSolveEndsSoonAfterItsContext(t *testing.T) {
	p := suite(t)[54] // 29 empty squares: it would take minutes.
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		s := small(search.Options{})
		first := true
		_, err := s.Solve(ctx, p.position, search.SolveOptions{Progress: func(search.Progress) {
			if first {
				close(begun)
			}
			first = false
		}})
		ended <- err
	}()
	<-begun
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	case <-time.After(patience):
		t.Errorf("still searching %v after the end of the context, then: %v", patience, <-ended)
	}
}

func TestNothingIsDoneWhenTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := small(search.Options{Level: 5})
	if _, err := s.Solve(ctx, suite(t)[0].position, search.SolveOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("solve: %v", err)
	}
	if _, err := s.Best(ctx, engine.NewGame(variant(t, "classic")), search.Clock{}); !errors.Is(err, context.Canceled) {
		t.Errorf("best: %v", err)
	}
	if _, err := s.Evaluate(ctx, engine.Start(), engine.Most, 8); !errors.Is(err, context.Canceled) {
		t.Errorf("evaluate: %v", err)
	}
	if _, err := s.Rate(ctx, engine.Start(), engine.Most, 8); !errors.Is(err, context.Canceled) {
		t.Errorf("rate: %v", err)
	}
}
