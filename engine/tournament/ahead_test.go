package tournament_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine/tournament"
)

// add pairs a round and gives its games the results, in the order of the tables.
func add(t *testing.T, e *tournament.Event, black ...int) {
	t.Helper()
	games, err := e.Pair()
	if err != nil {
		t.Fatalf("round %d: %v", len(e.Games)/3+1, err)
	}
	for i, g := range games {
		if g.White != tournament.Bye {
			table := g.Table
			g = played(g.Round, g.Black, g.White, black[i%len(black)], 64-black[i%len(black)])
			g.Table = table
		}
		e.Games = append(e.Games, g)
	}
}

// An event of six players over five rounds, reported from a club: after the third
// round everybody had met everybody who was left, among three and three.
func TestSixPlayersFiveRounds(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 6, 5)
	for i := range e.Players {
		e.Players[i].Rating = 0
	}
	for _, results := range [][]int{{20, 34, 40}, {20, 34, 40}, {30, 40, 30}, {20, 34, 40}, {33, 33, 33}} {
		add(t, e, results...)
	}
	if round, err := e.NextRound(); round != 0 || err != nil {
		t.Errorf("after five rounds: %d, %v", round, err)
	}
}

// Three players can play three rounds, each with a bye; a fourth would need a
// game for the second time.
func TestMoreRoundsThanPlayersAllow(t *testing.T) {
	t.Parallel()
	for players := 2; players <= 13; players++ {
		want := players - 1 + players%2
		for _, rounds := range []int{1, want, want + 1, 64} {
			e := event(tournament.Swiss, players, rounds)
			if got := e.Possible(); got != min(rounds, want) {
				t.Errorf("%d players: %d of %d rounds are possible, want %d", players, got, rounds, want)
			}
			_, err := e.Pair()
			if (err == nil) != (rounds <= want) || err != nil && (!errors.Is(err, tournament.ErrNoPairing) || !strings.Contains(err.Error(), "change the number of rounds")) {
				t.Errorf("%d players, %d rounds: %v", players, rounds, err)
			}
		}
	}
}

// completes is the oracle for whether so many rounds can be paired: it tries
// everything, one pair after the other.
func completes(players []int, met map[[2]int]bool, rounds int) bool {
	if rounds == 0 {
		return true
	}
	var pair func(left []int) bool
	pair = func(left []int) bool {
		if len(left) == 0 {
			return completes(players, met, rounds-1)
		}
		for k, other := range left[1:] {
			key := [2]int{min(left[0], other), max(left[0], other)}
			if met[key] {
				continue
			}
			met[key] = true
			rest := append(slices.Clone(left[1:k+1]), left[k+2:]...)
			ok := pair(rest)
			delete(met, key)
			if ok {
				return true
			}
		}
		return false
	}
	return pair(players)
}

// shuffledRounds plays rounds by chance and returns who has met.
func shuffledRounds(rng *rand.Rand, e *tournament.Event, vertices []int, rounds int) map[[2]int]bool {
	met := map[[2]int]bool{}
	for round := range rounds {
		rng.Shuffle(len(vertices), func(i, j int) { vertices[i], vertices[j] = vertices[j], vertices[i] })
		for i := 0; i < len(vertices); i += 2 {
			g := played(round+1, max(vertices[i], vertices[i+1]), min(vertices[i], vertices[i+1]), 40, 24)
			if g.White == tournament.Bye {
				g = tournament.ByeOf(round+1, g.Black)
			}
			e.Games = append(e.Games, g)
			met[[2]int{g.White, g.Black}] = true
		}
	}
	return met
}

// Whatever has been played by two to six players, be it paired by hand: what is
// possible is what trying everything finds, and the next round leaves it possible.
func TestPossibleIsWhatTryingEverythingFinds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 5)) //nolint:gosec // a test
	for range 400 {
		players := 2 + rng.IntN(5)
		before := 1 + rng.IntN(3)
		e := event(tournament.Swiss, players, before+1+rng.IntN(5))
		vertices := make([]int, 0, players+1)
		for n := range players {
			vertices = append(vertices, n+1)
		}
		if players%2 == 1 {
			vertices = append(vertices, tournament.Bye)
		}
		met := shuffledRounds(rng, e, vertices, before)
		want := before
		for want < e.Rounds && completes(vertices, met, want+1-before) {
			want++
		}
		if got := e.Possible(); got != want {
			t.Fatalf("%d players, after %v: %d rounds are possible, want %d", players, e.Games, got, want)
		}
		games, err := e.Pair()
		if (err == nil) != (want > before) {
			t.Fatalf("%d players, after %v: %v, and %d rounds are possible", players, e.Games, err, want)
		}
		for _, g := range games {
			met[[2]int{min(g.Black, g.White), max(g.Black, g.White)}] = true
		}
		if err == nil && !completes(vertices, met, want-before-1) {
			t.Fatalf("%d players, after %v: %v leaves less than %d rounds", players, e.Games, games, want)
		}
	}
}

// Who leaves after the last round, or when no round comes any more because the
// event was ended, has played all: the table stays as it is.
func TestLeavingAfterTheLastRound(t *testing.T) {
	t.Parallel()
	for _, ended := range []int{0, 3} {
		e := event(tournament.Swiss, 6, 3)
		if ended != 0 {
			e.Rounds, e.Ended = 5, ended
		}
		for range 3 {
			add(t, e, 40, 30, 20)
		}
		want, _ := order(e)
		quotient := row(t, e, want[1]).BrightwellQuotient()
		e.Players[want[0]-1].Withdrawn = 4
		if got, _ := order(e); !slices.Equal(got, want) || row(t, e, want[1]).BrightwellQuotient() != quotient {
			t.Errorf("the table is %v, and was %v before %d left", got, want, want[0])
		}
	}
}

// Who asked for a bye and has left gets none.
func TestByeOfSomebodyWhoHasLeft(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 6, 3)
	e.Byes = []int{6}
	e.Players[5].Withdrawn = 1
	if games, err := e.Pair(); !errors.Is(err, tournament.ErrNoPairing) {
		t.Errorf("%v, %v", games, err)
	}
}

// A color for the third time in a row is given only if it cannot be helped, though
// it would be nobody's third more than the other.
func TestNoColorThreeTimesInARow(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 4, 4)
	// 1 has had white, black, black and 2 the same: whoever gets black, it is the
	// third time. 3 has had black, white, white.
	e.Players = append(e.Players, event(tournament.Swiss, 16, 1).Players[4:]...)
	for round, games := range [][][2]int{{{5, 1}, {6, 2}, {3, 7}, {4, 8}}, {{1, 9}, {2, 10}, {11, 3}, {12, 4}}, {{1, 13}, {2, 14}, {15, 3}, {16, 4}}} {
		for _, g := range games {
			e.Games = append(e.Games, played(round+1, g[0], g[1], 32, 32))
		}
	}
	for i := range e.Players {
		if n := e.Players[i].Number; n > 4 {
			e.Players[i].Withdrawn = 4
		}
	}
	games, err := e.Pair()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if g.Black < 3 {
			t.Errorf("%d has black for the third time in a row, against %d", g.Black, g.White)
		}
	}
	if len(games) != 2 {
		t.Errorf("%v", games)
	}
}
