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
	switch {
	case e.Ended > 0:
		return e.Ended
	case e.System == RoundRobin:
		n := len(e.Players)
		return max(n-1+n%2, 0)
	}
	return e.Rounds
}

// lastRound returns the last round that has been paired, 0 for none.
func (e *Event) lastRound() int {
	last := 0
	for _, g := range e.Games {
		last = max(last, g.Round)
	}
	return last
}

// NextRound returns the round to be paired next, 0 when all are, or an error
// when a game of the last one is still open.
func (e *Event) NextRound() (int, error) {
	last := e.lastRound()
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
	round, err := e.ready()
	if err != nil {
		return nil, err
	}
	var pairs [][2]int
	switch e.System {
	case RoundRobin:
		pairs = e.circle(round)
	case Swiss, Festival:
		if pairs, err = e.swiss(round); err != nil {
			return nil, err
		}
	case Free:
		return nil, fmt.Errorf("in a free event you say who plays whom: %w", ErrNoPairing)
	}
	return e.games(round, pairs), nil
}

// PairAgain returns the games of the next round where it cannot be paired as it
// should be: with as few games as possible of players who have met, and second
// byes.
func (e *Event) PairAgain() ([]Game, error) {
	round, err := e.ready()
	if err != nil {
		return nil, err
	}
	if e.System != Swiss && e.System != Festival {
		return nil, fmt.Errorf("only Swiss rounds and those of festivals can be paired with rematches: %w", ErrNoPairing)
	}
	d, err := e.draw(round)
	if err != nil {
		return nil, err
	}
	if d.possible(1) > 0 {
		return nil, fmt.Errorf("this round needs no rematch: %w", ErrNoPairing)
	}
	return e.games(round, append(d.again(), d.asked...)), nil
}

// ready returns the round to be paired next, or why there is none.
func (e *Event) ready() (round int, err error) {
	if err := e.Validate(); err != nil {
		return 0, err
	}
	round, err = e.NextRound()
	if err == nil && round == 0 {
		err = fmt.Errorf("all %d rounds have been played: %w", e.TotalRounds(), ErrNoPairing)
	}
	return round, err
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
	// the last one, and row how many games in a row it has been that.
	blacks int
	last   engine.Color
	row    int
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
		black.play(engine.Black)
		white.play(engine.White)
	}
	return past
}

// play adds a game with a color.
func (s *seat) play(color engine.Color) {
	s.blacks = s.balance(color)
	s.row, s.last = s.streak(color), color
}

// balance returns what blacks is after another game with a color.
func (s *seat) balance(color engine.Color) int {
	if color == engine.Black {
		return s.blacks + 1
	}
	return s.blacks - 1
}

// streak returns how many games in a row have that color after another one.
func (s *seat) streak(color engine.Color) int {
	if s.last == color {
		return s.row + 1
	}
	return 1
}

const (
	// maxBlacks is how many games more with one color than with the other a player
	// is given if that can be helped.
	maxBlacks = 2
	// maxStreak is how many games in a row with one color a player is given if that
	// can be helped.
	maxStreak = 2
)

// fairness says how fair the colors of a game are; less is better.
type fairness int

// The grades.
const (
	fair       fairness = iota
	streaky             // a color for the third time in a row
	unbalanced          // a color for the third time more than the other
)

// fairnessOf returns how fair it is that one player has black and the other white.
func fairnessOf(black, white *seat) fairness {
	switch {
	case black.balance(engine.Black) > maxBlacks || white.balance(engine.White) < -maxBlacks:
		return unbalanced
	case black.streak(engine.Black) > maxStreak || white.streak(engine.White) > maxStreak:
		return streaky
	}
	return fair
}

// turned reports whether the first player of a pair gets white. The fairer way is
// taken; if both are as fair, who has had black less often gets it, then who had
// white last; otherwise black goes to the first on odd tables and to the second on
// even ones.
func (e *Event) turned(g Game, past map[int]*seat) bool {
	if e.System == RoundRobin {
		return false // the circle has decided
	}
	a, b := past[g.Black], past[g.White]
	as, turned := fairnessOf(a, b), fairnessOf(b, a)
	switch {
	case as != turned:
		return turned < as
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
