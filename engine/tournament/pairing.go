package tournament

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"reversi-board/engine"
)

// ErrNoPairing is wrapped when a round cannot be paired.
var ErrNoPairing = errors.New("the round cannot be paired")

// TotalRounds returns how many rounds the event has.
func (e *Event) TotalRounds() int {
	if e.System == RoundRobin {
		n := len(e.Players)
		return max(n-1+n%2, 0)
	}
	return e.Rounds
}

// NextRound returns the round to be paired next, 0 when all are, or an error
// when a game of the last one is still open.
func (e *Event) NextRound() (int, error) {
	last := 0
	for _, g := range e.Games {
		last = max(last, g.Round)
	}
	for _, g := range e.Games {
		if g.Round == last && g.State == Open {
			return 0, fmt.Errorf("table %d of round %d has not ended: %w", g.Table, last, ErrNoPairing)
		}
	}
	if last >= e.TotalRounds() {
		return 0, nil
	}
	return last + 1, nil
}

// Pair returns the games of the next round; it does not add them to the event.
// The first tables are those of the players on top.
func (e *Event) Pair() ([]Game, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	round, err := e.NextRound()
	switch {
	case err != nil:
		return nil, err
	case round == 0:
		return nil, fmt.Errorf("all %d rounds have been played: %w", e.TotalRounds(), ErrNoPairing)
	}
	var pairs [][2]int
	switch e.System {
	case RoundRobin:
		pairs = e.circle(round)
	case Swiss, Festival:
		if pairs, err = e.swiss(round); err != nil {
			return nil, err
		}
		for _, number := range e.Byes {
			pairs = append(pairs, [2]int{number, Bye})
		}
	case Free:
		return nil, fmt.Errorf("in a free event you say who plays whom: %w", ErrNoPairing)
	}
	return e.games(round, pairs), nil
}

// games gives the pairs their colors and tables.
func (e *Event) games(round int, pairs [][2]int) []Game {
	past := e.history()
	lots := make(map[int]int, len(e.Players))
	for _, p := range e.Players {
		lots[p.Number] = p.Lot
	}
	list := make([]Game, 0, len(pairs))
	table := 0
	for _, p := range pairs {
		if p[1] == Bye {
			list = append(list, ByeOf(round, p[0]))
			continue
		}
		table++
		g := Game{Round: round, Table: table, Black: p[0], White: p[1], State: Open, Winner: engine.None, ColorsBy: ByBalance}
		turned := e.turned(g, past)
		if e.Colors == Lots {
			turned, g.ColorsBy = e.turnedByLot(g, lots)
		}
		if turned {
			g.Black, g.White = g.White, g.Black
		}
		list = append(list, g)
	}
	return list
}

// ByeOf returns the bye of a player.
func ByeOf(round, player int) Game {
	return Game{Round: round, Black: player, White: Bye, State: Played, Winner: engine.Black, BlackDiscs: byeDiscs}
}

// turnedByLot reports whether the first player of a pair gets white, and what
// has decided it.
func (e *Event) turnedByLot(g Game, lots map[int]int) (bool, ColorsBy) {
	first, second := lots[g.Black], lots[g.White]
	if first != 0 && second != 0 {
		return first > second, ByLot
	}
	low, high := min(g.Black, g.White), max(g.Black, g.White)
	return (Drawn(e.Seed, g.Round, low, high) == low) != (g.Black == low), ByDraw
}

// Drawn returns which of two players the referee draws to have black: whoever
// has the smaller SHA-256 of "seed/round/number". So a draw can be done again by
// everybody who knows the seed.
func Drawn(seed string, round, a, b int) int {
	of := func(n int) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", seed, round, n))
		return string(sum[:])
	}
	if of(b) < of(a) {
		return b
	}
	return a
}

// DrawLots gives every player a lot from 1 on: they stand in the order of the
// SHA-256 of "seed/number". So a draw can be done again by everybody who knows
// the seed.
func DrawLots(players []Player, seed string) []Player {
	list := slices.Clone(players)
	of := func(p Player) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", seed, p.Number))
		return string(sum[:])
	}
	slices.SortFunc(list, func(a, b Player) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a.Number, b.Number)) })
	for i := range list {
		list[i].Lot = i + 1
	}
	slices.SortFunc(list, func(a, b Player) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// seat is what a player has had so far.
type seat struct {
	// blacks are games with black minus games with white; last is the color of
	// the last one.
	blacks int
	last   engine.Color
	byes   int
	met    map[int]bool
}

func (e *Event) history() map[int]*seat {
	past := make(map[int]*seat, len(e.Players))
	for _, p := range e.Players {
		past[p.Number] = &seat{last: engine.None, met: map[int]bool{}}
	}
	for _, g := range e.Games {
		if g.bye() {
			past[g.Black].byes++
			continue
		}
		black, white := past[g.Black], past[g.White]
		black.met[g.White], white.met[g.Black] = true, true
		black.blacks++
		white.blacks--
		black.last, white.last = engine.Black, engine.White
	}
	return past
}

// turned reports whether the first player of a pair gets white: who has had
// black less often gets it, then who had white last; otherwise black goes to the
// first on odd tables and to the second on even ones.
func (e *Event) turned(g Game, past map[int]*seat) bool {
	if e.System == RoundRobin {
		return false // the circle has decided
	}
	a, b := past[g.Black], past[g.White]
	switch {
	case a.blacks != b.blacks:
		return a.blacks > b.blacks
	case a.last != b.last && a.last != engine.None && b.last != engine.None:
		return a.last == engine.Black
	}
	return g.Table%2 == 0
}

// circle pairs a round of everybody against everybody: all but one sit in a
// circle that turns by one seat a round; who is opposite to whom plays. Black
// goes from side to side, so that nobody has one color twice more often than the
// other.
func (e *Event) circle(round int) [][2]int {
	numbers := make([]int, 0, len(e.Players)+1)
	for _, p := range e.Players {
		numbers = append(numbers, p.Number)
	}
	slices.Sort(numbers)
	if len(numbers)%2 == 1 {
		numbers = append(numbers, Bye)
	}
	n := len(numbers)
	if n < 2 {
		return nil
	}
	at := func(i int) int { return numbers[((i%(n-1))+n-1)%(n-1)] }
	var pairs, byes [][2]int
	gone := map[int]bool{}
	for _, p := range e.Players {
		gone[p.Number] = !p.plays(round)
	}
	add := func(black, white int) {
		// Who should meet somebody who has left has a bye.
		if gone[black] {
			black = Bye
		}
		if gone[white] {
			white = Bye
		}
		switch {
		case black == Bye && white == Bye:
		case black == Bye:
			byes = append(byes, [2]int{white, Bye})
		case white == Bye:
			byes = append(byes, [2]int{black, Bye})
		default:
			pairs = append(pairs, [2]int{black, white})
		}
	}
	turn := (round - 1) % (n - 1)
	if turn%2 == 0 {
		add(at(turn), numbers[n-1])
	} else {
		add(numbers[n-1], at(turn))
	}
	for i := 1; i < n/2; i++ {
		a, b := at(turn+i), at(turn-i)
		if i%2 == 1 {
			a, b = b, a
		}
		add(a, b)
	}
	return append(pairs, byes...)
}

// swiss pairs a round of the Swiss system.
func (e *Event) swiss(round int) ([][2]int, error) {
	order, past := e.order(round), e.history()
	if len(order) < 2 {
		return nil, fmt.Errorf("there are fewer than two players: %w", ErrNoPairing)
	}
	for _, number := range e.Byes {
		if s, ok := past[number]; !ok || s.byes > 0 {
			return nil, fmt.Errorf("player %d cannot have a bye: %w", number, ErrNoPairing)
		}
	}
	if len(order)%2 == 0 {
		pairs, ok := e.match(order, past, round)
		if !ok {
			return nil, fmt.Errorf("everybody has met everybody who is left, at least among some: %w", ErrNoPairing)
		}
		return pairs, nil
	}
	// The bye goes to the last one who has not had one, if the others can then be
	// paired.
	for i, number := range slices.Backward(order) {
		if past[number].byes > 0 {
			continue
		}
		rest := slices.Delete(slices.Clone(order), i, i+1)
		if pairs, ok := e.match(rest, past, round); ok {
			return append(pairs, [2]int{number, Bye}), nil
		}
	}
	return nil, fmt.Errorf("nobody is left who may have a bye: %w", ErrNoPairing)
}

// order returns who plays, the first one first: by rating in the first round,
// by the table later.
func (e *Event) order(round int) []int {
	rows := e.Standings()
	slices.SortStableFunc(rows, func(a, b Row) int {
		if round == 1 {
			return cmp.Or(cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Number, b.Number))
		}
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Number, b.Number))
	})
	var order []int
	for _, r := range rows {
		if r.plays(round) && !slices.Contains(e.Byes, r.Number) {
			order = append(order, r.Number)
		}
	}
	return order
}

// maxBlacks is how many games more with one color than with the other a player
// is given if that can be helped.
const maxBlacks = 2

// match pairs an even number of players so that nobody meets an opponent again,
// from the top: everybody gets the nearest opponent that leaves one to all
// others. Two who both have had one color too often are not paired, unless
// nothing else is left.
func (e *Event) match(order []int, past map[int]*seat, round int) ([][2]int, bool) {
	if round == 1 {
		half := len(order) / 2
		pairs := make([][2]int, half)
		for i := range pairs {
			pairs[i] = [2]int{order[i], order[half+i]}
		}
		return pairs, true
	}
	unmet := func(i, j int) bool { return !past[order[i]].met[order[j]] }
	even := func(i, j int) bool {
		a, b := past[order[i]].blacks, past[order[j]].blacks
		return unmet(i, j) && (a < maxBlacks || b < maxBlacks) && (a > -maxBlacks || b > -maxBlacks)
	}
	var pairs [][2]int
	ok := false
	if e.Colors == Balanced {
		pairs, ok = matchFromTop(len(order), even)
	}
	if !ok {
		pairs, ok = matchFromTop(len(order), unmet)
	}
	for i, p := range pairs {
		pairs[i] = [2]int{order[p[0]], order[p[1]]}
	}
	return pairs, ok
}
