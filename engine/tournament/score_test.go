package tournament_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/tournament"
)

// Counting at the end: empty squares go to whoever has more discs, 32–32 if
// nobody has; where the fewest win, they go the same way.
func TestScore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goal         engine.Goal
		asTheyLie    bool
		discs, score [2]int
		winner       engine.Color
		// margin is what Black wins by, as the goal sees it.
		margin int
	}{
		{engine.Most, false, [2]int{33, 31}, [2]int{33, 31}, engine.Black, 2},
		{engine.Most, false, [2]int{31, 33}, [2]int{31, 33}, engine.White, -2},
		{engine.Most, false, [2]int{0, 64}, [2]int{0, 64}, engine.White, -64},
		{engine.Most, false, [2]int{13, 0}, [2]int{64, 0}, engine.Black, 64},
		{engine.Most, false, [2]int{53, 10}, [2]int{54, 10}, engine.Black, 44},
		{engine.Fewest, false, [2]int{53, 10}, [2]int{54, 10}, engine.White, -44},
		{engine.Most, false, [2]int{31, 31}, [2]int{32, 32}, engine.None, 0},
		{engine.Fewest, false, [2]int{31, 31}, [2]int{32, 32}, engine.None, 0},
		{engine.Most, true, [2]int{53, 10}, [2]int{53, 10}, engine.Black, 43},
		{engine.Most, true, [2]int{31, 31}, [2]int{31, 31}, engine.None, 0},
	} {
		winner, black, white, err := tournament.Score(c.goal, c.asTheyLie, c.discs[0], c.discs[1])
		margin := black - white
		if c.goal == engine.Fewest {
			margin = -margin
		}
		if err != nil || winner != c.winner || [2]int{black, white} != c.score || margin != c.margin {
			t.Errorf("%v: %v %d-%d by %d, %v", c, winner, black, white, margin, err)
		}
	}
	for _, bad := range [][2]int{{-1, 3}, {33, 32}, {3, -1}} {
		if _, _, _, err := tournament.Score(engine.Most, false, bad[0], bad[1]); err == nil {
			t.Errorf("%v was counted", bad)
		}
	}
}

// Where the fewest discs win, the table turns with it.
func TestReverseTable(t *testing.T) {
	t.Parallel()
	e := event(tournament.RoundRobin, 3, 0)
	e.Goal, e.Breaks, e.Factor = engine.Fewest, []tournament.Break{tournament.Difference}, 6
	win := func(g tournament.Game, c engine.Color) tournament.Game { g.Winner = c; return g }
	// A point each: 1 wins 10-54, 2 wins 30-34, 3 wins 20-44.
	e.Games = []tournament.Game{
		win(played(1, 1, 2, 10, 54), engine.Black), win(played(2, 2, 3, 30, 34), engine.Black), win(played(3, 3, 1, 20, 44), engine.Black),
	}
	// Better by: 1 by 44-24, 2 by -44+4, 3 by -4+24.
	if numbers, _ := order(e); !slices.Equal(numbers, []int{1, 3, 2}) && !slices.Equal(numbers, []int{3, 1, 2}) {
		t.Errorf("the order is %v", numbers)
	}
	if got := row(t, e, 1); got.Difference != -20 || got.Discs != 54 || got.BrightwellQuotient() != 54+20+12 {
		t.Errorf("the row is %+v", *got)
	}
}

// In a festival the discs order the table, and points only tell equals apart.
func TestFestivalTable(t *testing.T) {
	t.Parallel()
	e := event(tournament.Festival, 4, 2)
	e.Colors, e.Breaks = tournament.Lots, tournament.DefaultBreaks(tournament.Festival)
	// Discs as they lie, with empty squares. 1 wins narrowly twice, 2 loses once by a
	// disc and wins 60-2 once.
	e.Games = []tournament.Game{
		played(1, 1, 2, 20, 19), played(1, 3, 4, 30, 30), played(2, 1, 3, 21, 20), played(2, 2, 4, 60, 2),
	}
	// Discs: 1 has 41, 2 has 79, 3 has 50, 4 has 32.
	if numbers, places := order(e); !slices.Equal(numbers, []int{2, 3, 1, 4}) || !slices.Equal(places, []int{1, 2, 3, 4}) {
		t.Errorf("%v on %v", numbers, places)
	}
	if got := row(t, e, 2); got.Discs != 79 || got.Against != 22 || got.Points() != 1 {
		t.Errorf("the row is %+v", *got)
	}
}

// What the table adds up to: a point for each game and bye, and as many discs for
// somebody as against somebody.
func TestTableAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(4, 16).Draw(t, "players")
		e := event(tournament.Swiss, players, rapid.IntRange(1, (players-1)/2).Draw(t, "rounds"))
		e.Breaks = rapid.SampledFrom([][]tournament.Break{
			nil, {tournament.Discs}, {tournament.HeadToHead, tournament.Brightwell}, {tournament.Difference, tournament.Points},
		}).Draw(t, "breaks")
		playRounds(t, e)
		halves, difference, seen := 0, 0, map[int]bool{}
		rows := e.Standings()
		for i, r := range rows {
			halves += r.Halves
			difference += r.Difference
			if seen[r.Number] || r.Discs-r.Against != r.Difference || r.Place > i+1 || i > 0 && r.Place < rows[i-1].Place {
				t.Fatalf("row %d is %+v", i, r)
			}
			seen[r.Number] = true
		}
		if halves != 2*len(e.Games) || difference != 0 || len(rows) != players {
			t.Fatalf("%d half points and a difference of %d in %d games of %d players", halves, difference, len(e.Games), len(rows))
		}
	})
}

// Colors are balanced: nobody has one color more than twice oftener, as long as
// the rounds are as few as in real events.
func TestSwissColors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(8, 30).Draw(t, "players")
		e := event(tournament.Swiss, players, rapid.IntRange(1, players/3).Draw(t, "rounds"))
		playRounds(t, e)
		for p, d := range checkRounds(t, e) {
			if d < -2 || d > 2 {
				t.Fatalf("player %d of %d has black %+d times more than white", p, players, d)
			}
		}
	})
}

// A hall: 511 players, 11 rounds. Every round is found, in moments: trying
// pairings out would take for ever.
func TestHall(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, tournament.MaxPlayers-1, 11)
	for round := 1; round <= e.Rounds; round++ {
		games, err := e.Pair()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, g := range games {
			if g.State == tournament.Open {
				black := (g.Black*37 + g.White*11 + round*5) % 65
				g = played(round, g.Black, g.White, black, 64-black)
			}
			e.Games = append(e.Games, g)
		}
	}
}

// Who leaves a round robin gives a bye to everybody who should have met them.
func TestRoundRobinWithdrawn(t *testing.T) {
	t.Parallel()
	e := event(tournament.RoundRobin, 4, 0)
	e.Players[3].Withdrawn = 2
	games := 0
	for range 3 {
		list, err := e.Pair()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range list {
			if g.Round > 1 && (g.Black == 4 || g.White == 4) {
				t.Errorf("round %d: player 4 is paired: %+v", g.Round, g)
			}
			if g.White != tournament.Bye {
				games++
				g = played(g.Round, g.Black, g.White, 40, 24)
			}
			e.Games = append(e.Games, g)
		}
	}
	if games != 4 {
		t.Errorf("%d games, want 2 in the first round and 1 in each later one", games)
	}
}

// Everybody meets everybody in the order of the Berger tables: of 4 players 1-4
// 2-3, 4-3 1-2, 2-4 3-1 (FIDE Handbook, C.05, Annex 1).
func TestBerger(t *testing.T) {
	t.Parallel()
	met := func(e *tournament.Event) (rounds []string) {
		for round := 1; round <= e.TotalRounds(); round++ {
			games, err := e.Pair()
			if err != nil {
				t.Fatal(err)
			}
			var pairs []string
			for _, g := range games {
				pairs = append(pairs, fmt.Sprintf("%d-%d", min(g.Black, g.White), max(g.Black, g.White)))
				e.Games = append(e.Games, played(round, g.Black, g.White, 32, 32))
			}
			slices.Sort(pairs)
			rounds = append(rounds, fmt.Sprint(pairs))
		}
		slices.Sort(rounds)
		return rounds
	}
	got := met(event(tournament.RoundRobin, 4, 0))
	if want := []string{"[1-2 3-4]", "[1-3 2-4]", "[1-4 2-3]"}; !slices.Equal(got, want) {
		t.Errorf("rounds of 4: %v, want %v", got, want)
	}
	// 6 players: 1-6 2-5 3-4, 6-4 5-3 1-2, 2-6 3-1 4-5, 6-5 1-4 2-3, 3-6 4-2 5-1.
	got = met(event(tournament.RoundRobin, 6, 0))
	want := []string{"[1-2 3-5 4-6]", "[1-3 2-6 4-5]", "[1-4 2-3 5-6]", "[1-5 2-4 3-6]", "[1-6 2-5 3-4]"}
	if !slices.Equal(got, want) {
		t.Errorf("rounds of 6: %v, want %v", got, want)
	}
}
