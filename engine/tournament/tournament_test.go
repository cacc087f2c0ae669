package tournament_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// event returns an event with so many players, rated 1000 for number 1 and less
// for the others.
func event(system tournament.System, players, rounds int) *tournament.Event {
	e := &tournament.Event{
		Name: plaintext.Const("Open"), System: system, Rounds: rounds, Colors: tournament.Balanced,
		Breaks: []tournament.Break{tournament.Brightwell, tournament.Discs}, Factor: tournament.DefaultFactor,
	}
	for n := range players {
		e.Players = append(e.Players, tournament.Player{Number: n + 1, Name: plaintext.Clean(fmt.Sprint("P", n+1), plaintext.MaxLine), Rating: 1000 - n})
	}
	return e
}

// played returns a game with a result by the discs.
func played(round, black, white, blackDiscs, whiteDiscs int) tournament.Game {
	g := tournament.Game{
		Round: round, Table: 1, Black: black, White: white, State: tournament.Played,
		Winner: engine.None, BlackDiscs: blackDiscs, WhiteDiscs: whiteDiscs,
	}
	switch {
	case blackDiscs > whiteDiscs:
		g.Winner = engine.Black
	case blackDiscs < whiteDiscs:
		g.Winner = engine.White
	}
	return g
}

func row(t *testing.T, e *tournament.Event, number int) *tournament.Row {
	t.Helper()
	for _, r := range e.Standings() {
		if r.Number == number {
			return &r
		}
	}
	t.Fatalf("player %d is not in the table", number)
	return nil
}

// order returns the numbers of the players in the table, and their places.
func order(e *tournament.Event) (numbers, places []int) {
	for _, r := range e.Standings() {
		numbers, places = append(numbers, r.Number), append(places, r.Place)
	}
	return numbers, places
}

// The Brightwell quotient is own discs plus c times the points of all opponents:
// 66+3c, 70+2c and 24+1c. Which is the highest depends on c.
func TestBrightwellQuotient(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 9, 3)
	e.Games = []tournament.Game{
		// Player 1 loses three games with 22 discs each to players of one point.
		played(1, 1, 4, 22, 42), played(2, 5, 1, 42, 22), played(3, 1, 6, 22, 42),
		// Player 2 has 70 discs from two games against one point each: a draw makes
		// half of it, another draw elsewhere the other half.
		played(1, 2, 7, 32, 32), played(2, 8, 2, 26, 38), played(2, 7, 9, 32, 32), played(3, 8, 9, 40, 24),
		// Player 3 has 24 discs from one game against player 7, who has one point.
	}
	for factor, want := range map[int][2]float64{6: {66 + 3*6, 70 + 2*6}, 3: {66 + 3*3, 70 + 2*3}, 0: {66, 70}} {
		e.Factor = factor
		one, two := row(t, e, 1).BrightwellQuotient(), row(t, e, 2).BrightwellQuotient()
		if one != want[0] || two != want[1] {
			t.Errorf("with c = %d the quotients are %v and %v, want %v", factor, one, two, want)
		}
	}
	e.Factor = 6
	e.Games = append(e.Games, played(3, 3, 5, 24, 40))
	// Player 5 has two points now, so player 1's opponents have four.
	if got := row(t, e, 3).BrightwellQuotient(); got != 24+2*6 {
		t.Errorf("the quotient of player 3 is %v, want %d", got, 24+2*6)
	}
	if got := row(t, e, 1).BrightwellQuotient(); got != 66+4*6 {
		t.Errorf("the quotient of player 1 is %v, want %d", got, 66+4*6)
	}
}

// A bye, a game without a result and a game against somebody who has withdrawn
// count 32 and c times the own points (https://othello.dk/book/index.php/BQ).
func TestQuotientWithoutOpponent(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 5, 4)
	e.Players[3].Withdrawn = 3
	e.Games = []tournament.Game{
		played(1, 1, 2, 40, 24),
		{Round: 2, Black: 1, White: tournament.Bye, State: tournament.Played, Winner: engine.Black, BlackDiscs: 32},
		played(3, 4, 1, 44, 20),
		{Round: 4, Table: 1, Black: 1, White: 3, State: tournament.Void, Winner: engine.None},
	}
	// Two points. 40 discs against player 2, who has none; three times 32 + 6*2.
	if got := row(t, e, 1); got.BrightwellQuotient() != 40+3*(32+12) || got.Points() != 2 {
		t.Errorf("the quotient is %v with %v points, want %d with 2", got.BrightwellQuotient(), got.Points(), 40+3*(32+12))
	}
	if got := row(t, e, 1); got.Games != 2 || got.Wins != 1 || got.Lost != 1 || got.Byes != 1 || got.Discs != 40+32+20+32 {
		t.Errorf("the row is %+v", *got)
	}
}

func TestTieBreaks(t *testing.T) {
	t.Parallel()
	// 1 beats 2, 2 beats 3, 3 beats 1: a point each.
	cycle := []tournament.Game{played(1, 1, 2, 33, 31), played(2, 2, 3, 60, 4), played(3, 3, 1, 40, 24)}
	for _, c := range []struct {
		name    string
		breaks  []tournament.Break
		games   []tournament.Game
		players int
		numbers []int
		places  []int
	}{
		// Discs: 1 has 57, 2 has 91, 3 has 44.
		{"discs", []tournament.Break{tournament.Discs}, cycle, 3, []int{2, 1, 3}, []int{1, 2, 3}},
		// Difference: 1 has 2-16, 2 has -2+56, 3 has -56+16.
		{"difference", []tournament.Break{tournament.Difference}, cycle, 3, []int{2, 1, 3}, []int{1, 2, 3}},
		{"head-to-head of a cycle says nothing", []tournament.Break{tournament.HeadToHead}, cycle, 3, []int{1, 2, 3}, []int{1, 1, 1}},
		{
			"head-to-head of two",
			[]tournament.Break{tournament.HeadToHead},
			[]tournament.Game{played(1, 1, 2, 20, 44), played(2, 1, 3, 64, 0), played(3, 2, 4, 0, 64)},
			4,
			// 1 and 2 have a point each, and 2 has won their game; 4 has a point as well,
			// but has not met 1: nothing is told.
			[]int{1, 2, 4, 3},
			[]int{1, 1, 1, 4},
		},
		{
			"head-to-head, then discs",
			[]tournament.Break{tournament.HeadToHead, tournament.Discs},
			[]tournament.Game{played(1, 1, 2, 31, 33), played(2, 1, 3, 64, 0), played(2, 3, 2, 64, 0)},
			3,
			[]int{1, 3, 2},
			[]int{1, 2, 3},
		},
		{"a draw", nil, []tournament.Game{played(1, 1, 2, 32, 32)}, 2, []int{1, 2}, []int{1, 1}},
	} {
		e := event(tournament.RoundRobin, c.players, 0)
		e.Breaks, e.Games = c.breaks, c.games
		if numbers, places := order(e); !slices.Equal(numbers, c.numbers) || !slices.Equal(places, c.places) {
			t.Errorf("%s: %v on places %v, want %v on %v", c.name, numbers, places, c.numbers, c.places)
		}
	}
}

// The first round of the Swiss system: top half against bottom half by rating,
// colors in turn; an odd one out has a bye.
func TestFirstRound(t *testing.T) {
	t.Parallel()
	games, err := event(tournament.Swiss, 8, 3).Pair()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range games {
		got = append(got, fmt.Sprintf("%d: %d-%d", g.Table, g.Black, g.White))
	}
	if want := []string{"1: 1-5", "2: 6-2", "3: 3-7", "4: 8-4"}; !slices.Equal(got, want) {
		t.Errorf("the first round is %v, want %v", got, want)
	}
	games, err = event(tournament.Swiss, 5, 3).Pair()
	if err != nil {
		t.Fatal(err)
	}
	if last := games[len(games)-1]; last.Black != 5 || last.White != tournament.Bye || last.State != tournament.Played || len(games) != 3 {
		t.Errorf("the bye is %+v", last)
	}
}

// In a festival who has the lower lot begins with the black discs; without lots
// the referee draws.
func TestLots(t *testing.T) {
	t.Parallel()
	e := event(tournament.Festival, 6, 3)
	e.Colors, e.Seed = tournament.Lots, "1881"
	lots := map[int]int{}
	for i := range e.Players {
		e.Players[i].Lot = 60 - 7*i
		lots[i+1] = 60 - 7*i
	}
	games, err := e.Pair()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if lots[g.Black] > lots[g.White] || g.ColorsBy != tournament.ByLot {
			t.Errorf("lot %d has white against lot %d, by %s", lots[g.White], lots[g.Black], g.ColorsBy)
		}
	}
	for i := range e.Players {
		e.Players[i].Lot = 0
	}
	if games, err = e.Pair(); err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if g.ColorsBy != tournament.ByDraw || tournament.Drawn("1881", 1, g.White, g.Black) != g.Black {
			t.Errorf("%d-%d is not what was drawn", g.Black, g.White)
		}
	}
}

// Anybody can draw the same: printf 1881/N | sha256sum for N from 1 to 4 begins
// with 6126, cee3, b1c2, 4f44.
func TestDrawLots(t *testing.T) {
	t.Parallel()
	var got []int
	for _, p := range tournament.DrawLots(event(tournament.Festival, 4, 1).Players, "1881") {
		got = append(got, p.Lot)
	}
	if want := []int{2, 4, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("the lots are %v, want %v", got, want)
	}
}

func TestOpenGamesStopTheNextRound(t *testing.T) {
	t.Parallel()
	e := event(tournament.Swiss, 4, 2)
	games, err := e.Pair()
	if err != nil {
		t.Fatal(err)
	}
	e.Games = games
	if _, err := e.Pair(); !errors.Is(err, tournament.ErrNoPairing) {
		t.Errorf("a round was paired while games are open: %v", err)
	}
	// Two players who have met cannot meet again.
	two := event(tournament.Swiss, 2, 2)
	two.Games = []tournament.Game{played(1, 1, 2, 64, 0)}
	if _, err := two.Pair(); !errors.Is(err, tournament.ErrNoPairing) {
		t.Errorf("two players were paired again: %v", err)
	}
}

// playRounds plays an event to its end with any results.
func playRounds(t *rapid.T, e *tournament.Event) {
	for {
		round, err := e.NextRound()
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			return
		}
		games, err := e.Pair()
		if err != nil {
			t.Fatalf("round %d of %d with %d players: %v", round, e.TotalRounds(), len(e.Players), err)
		}
		for _, g := range games {
			if g.State == tournament.Open {
				black := rapid.IntRange(0, 64).Draw(t, "black discs")
				table := g.Table
				g = played(round, g.Black, g.White, black, 64-black)
				g.Table = table
			}
			e.Games = append(e.Games, g)
		}
	}
}

// checkRounds fails unless everybody is paired once a round, nobody meets an
// opponent twice and nobody has two byes.
func checkRounds(t *rapid.T, e *tournament.Event) (blacks map[int]int) {
	met, byes, blacks := map[[2]int]bool{}, map[int]int{}, map[int]int{}
	perRound := map[int]map[int]bool{}
	for _, g := range e.Games {
		if perRound[g.Round] == nil {
			perRound[g.Round] = map[int]bool{}
		}
		for _, p := range []int{g.Black, g.White} {
			if p != tournament.Bye && perRound[g.Round][p] {
				t.Fatalf("player %d is paired twice in round %d", p, g.Round)
			}
			perRound[g.Round][p] = true
		}
		if g.White == tournament.Bye {
			if byes[g.Black]++; byes[g.Black] > 1 {
				t.Fatalf("player %d has two byes", g.Black)
			}
			continue
		}
		pair := [2]int{min(g.Black, g.White), max(g.Black, g.White)}
		if met[pair] {
			t.Fatalf("%v meet twice", pair)
		}
		met[pair] = true
		blacks[g.Black]++
		blacks[g.White]--
	}
	for round, paired := range perRound {
		delete(paired, tournament.Bye)
		if len(paired) != len(e.Players) {
			t.Fatalf("in round %d %d of %d players are paired", round, len(paired), len(e.Players))
		}
	}
	return blacks
}

func TestSwissProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 24).Draw(t, "players")
		e := event(tournament.Swiss, players, rapid.IntRange(1, players-1+players%2).Draw(t, "rounds"))
		playRounds(t, e)
		checkRounds(t, e)
		for _, r := range e.Standings() {
			if r.Wins+r.Draws+r.Lost+r.Byes != e.Rounds {
				t.Fatalf("a row does not add up: %+v", r)
			}
		}
	})
}

// Everybody meets everybody once, and nobody has one color two games more than
// the other.
func TestRoundRobinProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 17).Draw(t, "players")
		e := event(tournament.RoundRobin, players, 0)
		playRounds(t, e)
		games := 0
		for _, g := range e.Games {
			if g.White != tournament.Bye {
				games++
			}
		}
		for p, d := range checkRounds(t, e) {
			if d < -1 || d > 1 {
				t.Fatalf("player %d of %d has black %+d times more than white", p, players, d)
			}
		}
		if want := players * (players - 1) / 2; games != want {
			t.Fatalf("%d games, want %d", games, want)
		}
	})
}

func TestMistakesInAnEvent(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(e *tournament.Event){
		"system":       func(e *tournament.Event) { e.System = "knockout" },
		"colors":       func(e *tournament.Event) { e.Colors = "" },
		"rounds":       func(e *tournament.Event) { e.Rounds = 0 },
		"tie-break":    func(e *tournament.Event) { e.Breaks = []tournament.Break{"luck"} },
		"number twice": func(e *tournament.Event) { e.Players[1].Number = 1 },
		"number":       func(e *tournament.Event) { e.Players[0].Number = 0 },
		"no name":      func(e *tournament.Event) { e.Players[2].Name = plaintext.Const("") },
		"stranger":     func(e *tournament.Event) { e.Games = []tournament.Game{played(1, 1, 9, 32, 32)} },
		"oneself":      func(e *tournament.Event) { e.Games = []tournament.Game{played(1, 1, 1, 32, 32)} },
		"65 discs":     func(e *tournament.Event) { e.Games = []tournament.Game{played(1, 1, 2, 33, 32)} },
		"twice a round": func(e *tournament.Event) {
			e.Games = []tournament.Game{played(1, 1, 2, 32, 32), played(1, 3, 1, 32, 32)}
		},
	} {
		e := event(tournament.Swiss, 4, 3)
		spoil(e)
		if err := e.Validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := e.Pair(); err == nil {
			t.Errorf("%s: paired", name)
		}
	}
}
