package search_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

// best is the move of a searcher, which must be legal.
func best(t testing.TB, s *search.Searcher, g engine.Game) search.Result {
	t.Helper()
	r, err := s.Best(context.Background(), g, search.Clock{}) //nolint:usetesting // Also called by benchmarks and matches.
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := r.Move.Square(); !ok && !g.MustPass() || ok && !g.Legal().Has(m) {
		t.Fatalf("%v is not legal: %v", r.Move, g.Position)
	}
	if len(r.PV) == 0 || r.PV[0] != r.Move {
		t.Fatalf("line %v does not begin with %v", r.PV, r.Move)
	}
	return r
}

// next plays a move or a pass.
func next(g engine.Game, m engine.Move) engine.Game {
	if s, ok := m.Square(); ok {
		return g.Place(s)
	}
	return g.Pass()
}

// match lets two searchers play both sides of random openings and returns the
// score of the first one in points: 2 for a win, 1 for a draw.
func match(t testing.TB, rules engine.Rules, a, b search.Options, openings int) (points int) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12)) //nolint:gosec // Chance that must repeat.
	for n := range openings {
		opening := randomGame(r, rules, 54)
		for _, first := range []engine.Color{engine.Black, engine.White} {
			a.Seed, b.Seed = uint64(n), uint64(n)
			players := [2]*search.Searcher{search.New(a), search.New(b)}
			if first == engine.White {
				players[0], players[1] = players[1], players[0]
			}
			g := opening
			for !g.Over() {
				g = next(g, best(t, players[g.Turn], g).Move)
			}
			if winner := rules.Winner(g.Discs); winner == first {
				points += 2
			} else if winner == engine.None {
				points++
			}
		}
	}
	return points
}

func TestEveryFewLevelsAreClearlyStronger(t *testing.T) {
	for name, pairs := range map[string][][2]int{
		"classic": {{3, 1}, {5, 3}, {7, 5}, {8, 6}},
		"reverse": {{3, 1}, {6, 3}},
	} {
		rules := variant(t, name)
		for _, pair := range pairs {
			const openings = 6
			got := match(t, rules, search.Options{Level: pair[0]}, search.Options{Level: pair[1]}, openings)
			t.Logf("%s: level %d against %d: %d of %d points", name, pair[0], pair[1], got, 4*openings)
			if got < 4*openings*6/10 {
				t.Errorf("%s: level %d has only %d of %d points against level %d", name, pair[0], got, 4*openings, pair[1])
			}
		}
	}
}

func TestLevelOneCanBeBeatenByTakingCornersAndLittleElse(t *testing.T) {
	// A child's plan: a corner if there is one, else anything but the squares
	// beside a corner, else anything.
	child := func(r *rand.Rand, g engine.Game) engine.Move {
		const corner engine.Bitboard = 0x8100000000000081
		const beside engine.Bitboard = 0x42C300000000C342
		legal := g.Legal()
		switch {
		case legal == 0:
			return engine.PassMove
		case legal&corner != 0:
			legal &= corner
		case legal&^beside != 0:
			legal &^= beside
		}
		for range r.IntN(legal.Count()) {
			legal &= legal - 1
		}
		return engine.At(legal.First())
	}
	r := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // Chance that must repeat.
	won := 0
	const games = 30
	for n := range games {
		s := search.New(search.Options{Level: 1, Seed: uint64(n)})
		g := engine.NewGame(variant(t, "classic"))
		for !g.Over() {
			move := child(r, g)
			if g.Turn == engine.White {
				move = best(t, s, g).Move
			}
			g = next(g, move)
		}
		if g.Rules.Winner(g.Discs) == engine.Black {
			won++
		}
	}
	t.Logf("the child has won %d of %d games", won, games)
	if won < games/3 {
		t.Errorf("the child has won only %d of %d games", won, games)
	}
}

func TestLevelsRepeatBySeedWhateverWasSearchedBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Chance that must repeat.
	for level := 1; level <= 9; level++ {
		fresh := search.Options{Level: level, Seed: 7}
		used := search.New(fresh)
		for range 5 {
			g := randomGame(r, variant(t, "classic"), 10+r.IntN(40))
			a, b := best(t, search.New(fresh), g), best(t, used, g)
			if a.Move != b.Move || a.Score != b.Score {
				t.Errorf("level %d: %v %v and then %v %v: %v", level, a.Move, a.Score, b.Move, b.Score, g.Position)
			}
		}
	}
}

func TestLowLevelsVaryWithTheSeed(t *testing.T) {
	for level := 1; level <= 5; level++ {
		seen := make(map[engine.Move]bool)
		g := randomGame(rand.New(rand.NewPCG(3, 4)), variant(t, "classic"), 40) //nolint:gosec // Chance that must repeat.
		for seed := range uint64(40) {
			seen[best(t, small(search.Options{Level: level, Seed: seed}), g).Move] = true
		}
		if len(seen) < 2 {
			t.Errorf("level %d plays %v with every seed", level, seen)
		}
	}
}

func TestExactResultsAreExact(t *testing.T) {
	for _, name := range []string{"classic", "reverse"} {
		rules := variant(t, name)
		s := small(search.Options{Level: 8})
		rapid.Check(t, func(rt *rapid.T) {
			g := drawGame(rt, rules, rapid.IntRange(1, 7).Draw(rt, "empties"))
			if g.Legal() == 0 || g.Empty().Count() > 7 {
				return
			}
			r := best(t, s, g)
			m, _ := r.Move.Square()
			if want := minimax(g); !r.Exact || r.Score != float64(want) || -minimax(g.Place(m)) != want {
				rt.Fatalf("%s: %+v, want the score %d: %v", name, r, want, g.Position)
			}
		})
	}
}

func TestPassAndEnd(t *testing.T) {
	rules := variant(t, "classic")
	rules.Start = position(t, "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- O")
	g := engine.NewGame(rules)
	s := small(search.Options{Level: 3})
	if r := best(t, s, g); r.Move != engine.PassMove {
		t.Errorf("%v, want a pass", r.Move)
	}
	g = g.Pass()
	if r := best(t, s, g); r.Move.String() != "h8" {
		t.Errorf("%v, want h8", r.Move)
	}
	_, err := s.Best(t.Context(), g.Place(63), search.Clock{})
	if !errors.Is(err, search.ErrNoMove) {
		t.Errorf("after the end: %v", err)
	}
}

// hand is a clock that a search moves on by reading it.
type hand struct {
	now, step time.Duration
}

func (h *hand) read() time.Duration {
	h.now += h.step
	return h.now
}

func TestTheStrongestLevelKeepsItsTime(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(8, 9)), variant(t, "classic"), 44) //nolint:gosec // Chance that must repeat.
	for _, test := range []struct {
		name  string
		o     search.Options
		clock search.Clock
		most  time.Duration
	}{
		{"two seconds a move", search.Options{}, search.Clock{}, 2 * time.Second},
		{"asked for less", search.Options{Time: 300 * time.Millisecond}, search.Clock{}, 300 * time.Millisecond},
		{"much left", search.Options{}, search.Clock{Remaining: time.Hour}, 2 * time.Second},
		{"little left", search.Options{}, search.Clock{Remaining: 4 * time.Second}, time.Second},
		{"a bound for the move", search.Options{}, search.Clock{Limit: 500 * time.Millisecond}, 500 * time.Millisecond},
		{"much left and a bound", search.Options{}, search.Clock{Remaining: time.Hour, Limit: 300 * time.Millisecond}, 300 * time.Millisecond},
		{"a bound that is no use", search.Options{}, search.Clock{Remaining: 4 * time.Second, Limit: 3 * time.Second}, time.Second},
		{"hardly any left", search.Options{}, search.Clock{Remaining: 40 * time.Millisecond}, 10 * time.Millisecond},
	} {
		// The clock is looked at every few hundred positions.
		h := &hand{step: time.Millisecond}
		test.o.Now, test.o.Memory = h.read, 1<<20
		r, err := search.New(test.o).Best(t.Context(), g, test.clock)
		if err != nil {
			t.Fatal(err)
		}
		if h.now > test.most+10*time.Millisecond || r.Time > h.now || r.Depth == 0 && test.most > 100*time.Millisecond {
			t.Errorf("%s: %v by the clock, %+v: want at most %v", test.name, h.now, r, test.most)
		}
	}
}

func TestWeakLevelsHaveAMoveWhenTheTimeIsUp(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(8, 9)), variant(t, "classic"), 44) //nolint:gosec // Chance that must repeat.
	for level := 1; level <= 9; level++ {
		h := &hand{step: time.Millisecond}
		r, err := search.New(search.Options{Level: level, Now: h.read}).Best(t.Context(), g, search.Clock{Remaining: 4 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := r.Move.Square(); !ok || !g.Legal().Has(m) {
			t.Errorf("level %d: %+v", level, r)
		}
	}
}

func TestAStoppedSearchStillHasAMove(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(8, 9)), variant(t, "classic"), 40) //nolint:gosec // Chance that must repeat.
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	s := small(search.Options{Time: time.Hour, Now: func() time.Duration {
		if reads++; reads == 200 {
			cancel()
		}
		return 0
	}})
	r, err := s.Best(ctx, g, search.Clock{})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := r.Move.Square(); !ok || !g.Legal().Has(m) || r.Exact {
		t.Errorf("%+v", r)
	}
}

func TestMemoryStaysBelow64MB(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := search.New(search.Options{})
	if _, err := s.Solve(t.Context(), suite(t)[12].position, search.SolveOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluate(t.Context(), engine.Start(), engine.Fewest, 4); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	runtime.KeepAlive(s)
}

// historic is the game that begins with four free placements and gives each
// player 32 discs.
func historic() engine.Rules {
	return engine.Rules{
		Name: "historic", Start: engine.Position{Turn: engine.Black},
		Opening: 1<<27 | 1<<28 | 1<<35 | 1<<36, Stock: 32,
	}
}

func TestHistoricGamesArePlayedToTheirEnd(t *testing.T) {
	for seed := range uint64(4) {
		s := search.New(search.Options{Level: 2 + int(seed), Seed: seed})
		g := engine.NewGame(historic())
		for !g.Over() {
			g = next(g, best(t, s, g).Move)
		}
		if g.Ply() < 9 {
			t.Errorf("seed %d: over after %d plies", seed, g.Ply())
		}
	}
}

func TestTheLastDiscsAreCounted(t *testing.T) {
	s := small(search.Options{Level: 8})
	r := rand.New(rand.NewPCG(21, 22)) //nolint:gosec // Chance that must repeat.
	differ := 0
	for range 60 {
		g := randomGame(r, historic(), 3+r.IntN(4))
		got := best(t, s, g)
		if want := minimax(g); got.Score != float64(want) || !got.Exact {
			t.Errorf("%v with %d and %d discs left: %+v, want %d", g.Position, g.Hand(engine.Black), g.Hand(engine.White), got, want)
		}
		free := g
		free.Rules.Stock, free.Rules.Opening = 0, 0
		if minimax(free) != minimax(g) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("in no position did the discs left matter")
	}
}

func TestRateSortsAllMoves(t *testing.T) {
	p := suite(t)[0]
	rated, err := small(search.Options{}).Rate(t.Context(), p.position, engine.Most, 14)
	if err != nil {
		t.Fatal(err)
	}
	if len(rated) != len(p.scores) {
		t.Fatalf("%d moves, want %d", len(rated), len(p.scores))
	}
	for i, r := range rated {
		m, _ := r.Move.Square()
		if r.Score != float64(p.scores[m]) || i > 0 && r.Score > rated[i-1].Score {
			t.Errorf("%v: %v, want %d in falling order", m, r.Score, p.scores[m])
		}
	}
}
