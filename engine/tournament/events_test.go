//go:build !race

package tournament_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// prime is what the oracle reckons with.
const prime = 1<<31 - 1

// pairable is the oracle for whether all of n can be paired: it knows nothing of
// how that is done. The Tutte matrix of a graph is regular if and only if there is
// a perfect matching (W. T. Tutte, 1947), and with random values in it a wrong no
// is as rare as n in prime (L. Lovász, 1979).
func pairable(rng *rand.Rand, n int, fits func(i, j int) bool) bool {
	if n%2 == 1 {
		return false
	}
	m := make([][]int64, n)
	for i := range m {
		m[i] = make([]int64, n)
		for j := range i {
			if fits(i, j) {
				x := rng.Int64N(prime-1) + 1
				m[i][j], m[j][i] = x, prime-x
			}
		}
	}
	for k := range n {
		at := k
		for at < n && m[at][k] == 0 {
			at++
		}
		if at == n {
			return false
		}
		m[k], m[at] = m[at], m[k]
		inverse := power(m[k][k], prime-2)
		for i := k + 1; i < n; i++ {
			eliminate(m[i], m[k], k, inverse)
		}
	}
	return true
}

// eliminate takes a multiple of a row from another one, so that its entry k is zero.
func eliminate(row, by []int64, k int, inverse int64) {
	if row[k] == 0 {
		return
	}
	factor := row[k] * inverse % prime
	for j := k; j < len(row); j++ {
		row[j] = (row[j] + (prime-factor)*by[j]) % prime
	}
}

func power(x, n int64) int64 {
	result := int64(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			result = result * x % prime
		}
		x = x * x % prime
	}
	return result
}

// hallDay is a random event as it goes on.
type hallDay struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	e    *tournament.Event
	// promised is how many rounds can be paired, as it was said after the last time
	// that somebody came, left or wanted a bye.
	promised int

	met  map[[2]int]bool
	byes map[int]bool
	// had are the colors that a player has had, B and W.
	had map[int]string
	// worse is how many rounds had colors that could have been fairer, but for the
	// rounds to come.
	worse int
}

func (d *hallDay) fatalf(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf("event %d, %d players, %d rounds: %s", d.seed, len(d.e.Players), d.e.Rounds, fmt.Sprintf(format, args...))
}

// active are the players who take part in a round.
func (d *hallDay) active(round int) (list []int) {
	for _, p := range d.e.Players {
		if p.Withdrawn == 0 || round < p.Withdrawn {
			list = append(list, p.Number)
		}
	}
	return list
}

// happen lets people come, leave, come back and want byes.
func (d *hallDay) happen(round int) (changed bool) {
	d.e.Byes = nil
	if round > 1 && d.rng.IntN(12) == 0 && len(d.e.Players) < 26 {
		n := len(d.e.Players) + 1
		d.e.Players = append(d.e.Players, tournament.Player{Number: n, Name: plaintext.Const("late"), Rating: d.rng.IntN(2000)})
		changed = true
	}
	if d.rng.IntN(12) == 0 {
		p := &d.e.Players[d.rng.IntN(len(d.e.Players))]
		if p.Withdrawn != 0 {
			p.Withdrawn = 0
		} else if len(d.active(round)) > 3 {
			p.Withdrawn = round
		}
		changed = true
	}
	if d.rng.IntN(8) == 0 {
		list := d.active(round)
		p := list[d.rng.IntN(len(list))]
		if !d.byes[p] && len(list) > 3 {
			d.e.Byes, changed = []int{p}, true
		}
	}
	return changed
}

// legal is the oracle for whether a round can be paired at all, with colors for
// which fits says that they may be.
func (d *hallDay) legal(round int, fits func(a, b int) bool) bool {
	var list []int
	for _, p := range d.active(round) {
		if !slices.Contains(d.e.Byes, p) {
			list = append(list, p)
		}
	}
	if len(list)%2 == 1 {
		list = append(list, tournament.Bye)
	}
	return pairable(d.rng, len(list), func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case a == tournament.Bye:
			return !d.byes[b]
		case b == tournament.Bye:
			return !d.byes[a]
		}
		return !d.met[[2]int{min(a, b), max(a, b)}] && fits(a, b)
	})
}

// round plays a round. It reports false when there is none.
func (d *hallDay) round(round int) bool {
	games, err := d.e.Pair()
	if err != nil {
		if !errors.Is(err, tournament.ErrNoPairing) || d.legal(round, func(int, int) bool { return true }) {
			d.fatalf("round %d: %v", round, err)
		}
		return false
	}
	d.colors(round, games)
	paired := map[int]bool{}
	for _, g := range games {
		for _, p := range []int{g.Black, g.White} {
			if p != tournament.Bye && paired[p] || p == tournament.Bye && d.byes[g.Black] {
				d.fatalf("round %d: player %d twice, or a second bye: %+v", round, p, g)
			}
			paired[p] = true
		}
		pair := [2]int{min(g.Black, g.White), max(g.Black, g.White)}
		switch {
		case g.White == tournament.Bye:
			d.byes[g.Black] = true
		case d.met[pair]:
			d.fatalf("round %d: %v meet twice", round, pair)
		default:
			d.met[pair] = true
			black := d.rng.IntN(65)
			table := g.Table
			g = played(round, g.Black, g.White, black, 64-black)
			g.Table = table
		}
		d.e.Games = append(d.e.Games, g)
	}
	delete(paired, tournament.Bye)
	for _, p := range d.active(round) {
		if !paired[p] {
			d.fatalf("round %d: player %d is not paired", round, p)
		}
		delete(paired, p)
	}
	if len(paired) != 0 {
		d.fatalf("round %d: %v are paired and take no part", round, paired)
	}
	return true
}

// unfairness grades a player's colors: 2 for one color three times more often than
// the other, 1 for the same color three times in a row, else 0.
func unfairness(had string) int {
	switch n := strings.Count(had, "B") - strings.Count(had, "W"); {
	case n > 2 || n < -2:
		return 2
	case strings.HasSuffix(had, "BBB") || strings.HasSuffix(had, "WWW"):
		return 1
	}
	return 0
}

// colors checks that the colors of a round are as fair as they can be. Where it is
// not certain that any round leaves enough others, exceptions are counted.
func (d *hallDay) colors(round int, games []tournament.Game) {
	worst := 0
	before := maps.Clone(d.had)
	for _, g := range games {
		if g.White == tournament.Bye {
			continue
		}
		d.had[g.Black] += "B"
		d.had[g.White] += "W"
		worst = max(worst, unfairness(d.had[g.Black]), unfairness(d.had[g.White]))
	}
	if worst == 0 {
		return
	}
	fairer := func(a, b int) bool {
		return max(unfairness(before[a]+"B"), unfairness(before[b]+"W")) < worst || max(unfairness(before[a]+"W"), unfairness(before[b]+"B")) < worst
	}
	if !d.legal(round, fairer) {
		return
	}
	if d.worse++; d.e.Rounds <= (len(d.active(round))-2)/2 {
		d.fatalf("round %d: the colors could be fairer: %v", round, games)
	}
}

// play plays the event and returns how many rounds there were.
func (d *hallDay) play(changes bool) (rounds int) {
	for round := 1; round <= d.e.Rounds; round++ {
		if changes && d.happen(round) || round == 1 {
			d.promised = d.e.Possible()
			if round == 1 {
				d.e.Rounds = d.promised
			}
		}
		if got := d.e.Possible(); got < d.promised {
			d.fatalf("round %d: %d rounds are possible, and %d were when somebody came or left last", round, got, d.promised)
		}
		if !d.round(round) {
			if round <= d.promised {
				d.fatalf("round %d cannot be paired, and %d rounds were possible", round, d.promised)
			}
			return round - 1
		}
	}
	return d.e.Rounds
}

// 2000 random events of 3 to 24 players and every legal number of rounds: an even
// number of players allows one round less than there are players, an odd number,
// with a bye for everybody, as many. In half of them people come late, leave,
// come back and want byes. What can be paired is, nobody meets anybody twice or has
// two byes, the rounds that were possible are played, and colors are fair.
func TestRandomEventsAreNeverStuck(t *testing.T) {
	t.Parallel()
	played, worse := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 10)) //nolint:gosec // a test
		players := 3 + int(seed/2)%22
		legal := players - 1 + players%2
		rounds := 1 + rng.IntN(legal)
		if seed%4 == 0 {
			rounds = legal
		}
		d := &hallDay{
			t: t, seed: seed, rng: rng, e: event(tournament.Swiss, players, rounds),
			met: map[[2]int]bool{}, byes: map[int]bool{}, had: map[int]string{},
		}
		got := d.play(seed%2 == 1)
		if seed%2 == 0 && got != rounds {
			t.Fatalf("event %d: %d players have played %d rounds, want %d", seed, players, got, rounds)
		}
		played += got
		worse += d.worse
	}
	t.Logf("%d rounds, in %d of them fairer colors were given up for the rounds to come", played, worse)
	if worse > played/200 {
		t.Errorf("in %d of %d rounds colors could have been fairer", worse, played)
	}
}
