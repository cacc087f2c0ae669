package tournament

import (
	"cmp"
	"fmt"
	"slices"
)

// swiss pairs a round of the Swiss system.
func (e *Event) swiss(round int) ([][2]int, error) {
	d, err := e.draw(round)
	if err != nil {
		return nil, err
	}
	promised := e.TotalRounds() - round + 1
	possible := d.possible(promised)
	switch {
	case possible == 0:
		return nil, d.refusal()
	case round == 1 && possible < promised:
		return nil, fmt.Errorf("%d players can play %s, not %d: change the number of rounds, or add players: %w",
			len(d.later.players)-d.later.extra(), roundsAtMost(possible), promised, ErrNoPairing)
	}
	return append(d.choose(possible), d.asked...), nil
}

func roundsAtMost(n int) string {
	if n == 1 {
		return "1 round at most"
	}
	return fmt.Sprintf("%d rounds at most", n)
}

// Possible returns how many rounds there can be in all, of those that the event
// has: those that have been paired, and those that can be paired after them with
// the players who are in it now. Until there are two players, it is all of them.
// With more than ten players a search may be given up; then it may be too low.
func (e *Event) Possible() int {
	total := e.TotalRounds()
	last := e.lastRound()
	if e.System != Swiss && e.System != Festival || last >= total || last == 0 && len(e.Players) < 2 {
		return total
	}
	d, err := e.draw(last + 1)
	if err != nil {
		return last
	}
	return last + d.possible(total-last)
}

// draw is how a round of the Swiss system is paired: what may be done in it, and
// what is wanted.
type draw struct {
	event *Event
	round int
	past  map[int]*seat
	// order are the players to be paired, the first one first; asked are the byes
	// of players who wanted them.
	order []int
	asked [][2]int
	// later is what can be played in this round and the ones after it, if nobody
	// has asked for a bye.
	later *outlook
}

func (e *Event) draw(round int) (*draw, error) {
	d := &draw{event: e, round: round, past: e.history(), order: e.order(round)}
	var players []int
	for _, p := range e.Players {
		if p.plays(round) {
			players = append(players, p.Number)
		}
	}
	slices.Sort(players)
	for _, number := range e.Byes {
		switch {
		case !slices.Contains(players, number):
			return nil, fmt.Errorf("player %d has a bye and takes no part: %w", number, ErrNoPairing)
		case d.past[number].byes > 0:
			return nil, fmt.Errorf("player %d has had a bye already: %w", number, ErrNoPairing)
		}
		d.asked = append(d.asked, [2]int{number, Bye})
	}
	if len(d.order) < 2 {
		return nil, fmt.Errorf("there are fewer than two players: %w", ErrNoPairing)
	}
	f := &future{players: players, odd: len(players)%2 == 1}
	if f.odd {
		f.players = append(f.players, Bye)
	}
	f.edge = make([][]bool, f.n())
	for i, a := range f.players {
		f.edge[i] = make([]bool, f.n())
		for j, b := range f.players {
			f.edge[i][j] = i != j && d.unmet(a, b)
		}
	}
	d.later = newOutlook(f)
	return d, nil
}

// extra returns 1 if Bye is one of the vertices.
func (f *future) extra() int {
	if f.odd {
		return 1
	}
	return 0
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

// unmet reports whether two may be paired, one of whom may be Bye.
func (d *draw) unmet(a, b int) bool {
	switch {
	case a == Bye:
		return d.past[b].byes == 0
	case b == Bye:
		return d.past[a].byes == 0
	}
	return !d.past[a].met[b]
}

// refusal says why the round cannot be paired.
func (d *draw) refusal() error {
	if len(d.order)%2 == 1 && !slices.ContainsFunc(d.order, func(p int) bool { return d.unmet(p, Bye) }) {
		return fmt.Errorf("everybody has had a bye: %w", ErrNoPairing)
	}
	return fmt.Errorf("everybody has met everybody who is left, at least among some: %w", ErrNoPairing)
}

// possible returns how many rounds can be paired of those that are left, this one
// included.
func (d *draw) possible(promised int) int {
	for rounds := min(promised, d.later.most()); rounds > 1; rounds-- {
		if d.allows(rounds) {
			return rounds
		}
	}
	if promised > 0 && d.allows(1) {
		return 1
	}
	return 0
}

// allows reports whether so many rounds can be paired, this one included.
func (d *draw) allows(rounds int) bool {
	e := enough
	// It is asked as it was when the round before was paired, so that it gets the
	// same answer.
	if rounds > 1 && len(d.asked) == 0 && d.later.reaches(rounds, &e) {
		return true
	}
	_, ok := d.any(d.whole(), rounds, &e)
	return ok
}

// field is who is paired with whom in this round, and what of it may be.
type field struct {
	// players are in the order in which they choose.
	players []int
	fits    func(a, b int) bool
	// byes are given whatever is chosen.
	byes [][2]int
}

// whole returns the field of everybody, with Bye as the last one if the number is
// odd.
func (d *draw) whole() field {
	f := field{players: slices.Clone(d.order), fits: d.unmet, byes: d.asked}
	if len(f.players)%2 == 1 {
		f.players = append(f.players, Bye)
	}
	return f
}

// matching returns the field as a graph.
func (f field) matching() *matching {
	return newMatching(len(f.players), func(i, j int) bool { return f.fits(f.players[i], f.players[j]) })
}

// named returns pairs of places as pairs of numbers, without the byes that are
// given anyway.
func (f field) named(pairs [][2]int) [][2]int {
	list := make([][2]int, 0, len(pairs))
	for _, p := range pairs {
		list = append(list, [2]int{f.players[p[0]], f.players[p[1]]})
	}
	return list
}

// any returns a round after which the others of so many can be paired.
func (d *draw) any(f field, rounds int, e *effort) (m *matching, ok bool) {
	m = f.matching()
	order := make([]int, m.n)
	for i := range order {
		order[i] = i
	}
	if m.n <= maxSmall {
		return m, d.first(f, m, rounds, 0, e)
	}
	random := dice(m.n)
	for e.spend(m.n) {
		if !m.random(&random, order) {
			return m, false
		}
		if d.leaves(f, m, rounds, e) {
			return m, true
		}
	}
	return m, false
}

// leaves reports whether the other rounds of so many can be paired after m.
func (d *draw) leaves(f field, m *matching, rounds int, e *effort) bool {
	return d.later.after(append(f.named(m.pairs()), f.byes...), rounds-1, e)
}

// first tries all rounds from the top and stops at the first one after which the
// others can be paired. It is for small fields.
func (d *draw) first(f field, m *matching, rounds, paired int, e *effort) bool {
	if paired == 0 {
		for i := range m.mate {
			m.mate[i] = -1
		}
	}
	i := slices.Index(m.mate, -1)
	if i < 0 {
		return d.leaves(f, m, rounds, e)
	}
	for j := i + 1; j < m.n; j++ {
		if !m.edge[i][j] || m.mate[j] >= 0 {
			continue
		}
		m.mate[i], m.mate[j] = j, i
		if d.first(f, m, rounds, paired+1, e) {
			return true
		}
		m.mate[i], m.mate[j] = -1, -1
	}
	return false
}

// choose pairs the round so that the others of so many can be paired, which is
// known to be possible. Fair colors count first, then that the bye goes to the last
// one of the table who has not had one, then that everybody from the top gets the
// nearest opponent.
func (d *draw) choose(rounds int) [][2]int {
	e := polish
	if d.round == 1 {
		if pairs, ok := d.halves(rounds, &e); ok {
			return pairs
		}
	}
	grades := []fairness{fair, streaky, unbalanced}
	if d.event.Colors == Lots {
		grades = grades[2:]
	}
	for _, worst := range grades {
		e = polish
		for _, f := range d.fields(worst) {
			if m, ok := d.best(f, rounds, &e); ok {
				return append(f.named(m.pairs()), f.byes[len(d.asked):]...)
			}
		}
	}
	e = enough
	f := d.whole()
	m, ok := d.any(f, rounds, &e)
	if ok || len(d.asked) > 0 {
		return f.named(m.pairs())
	}
	return d.later.first(rounds)
}

// again pairs the round with as few rematches and second byes as there can be: as
// many as possible are paired as they should be, and who is left over is paired
// with who is left over.
func (d *draw) again() [][2]int {
	f := d.whole()
	m := f.matching()
	for i := range m.n {
		if m.mate[i] < 0 {
			m.augment(i)
		}
	}
	first := -1
	for i := range m.n {
		switch {
		case m.mate[i] >= 0:
		case first < 0:
			first = i
		default:
			m.mate[i], m.mate[first] = first, i
			first = -1
		}
	}
	return f.named(m.pairs())
}

// fields returns what may be done with colors of so much fairness: one field, or
// one for each player who may have the bye, the last one first.
func (d *draw) fields(worst fairness) []field {
	fits := func(a, b int) bool {
		s, t := d.past[a], d.past[b]
		return d.unmet(a, b) && (worst == unbalanced || min(fairnessOf(s, t), fairnessOf(t, s)) <= worst)
	}
	if len(d.order)%2 == 0 {
		return []field{{d.order, fits, d.asked}}
	}
	var list []field
	for i, number := range slices.Backward(d.order) {
		if d.unmet(number, Bye) {
			byes := append(slices.Clone(d.asked), [2]int{number, Bye})
			list = append(list, field{slices.Delete(slices.Clone(d.order), i, i+1), fits, byes})
		}
	}
	return list
}

// halves pairs the top half with the bottom half, the first with the first.
func (d *draw) halves(rounds int, e *effort) ([][2]int, bool) {
	for _, f := range d.fields(unbalanced) {
		half := len(f.players) / 2
		pairs := make([][2]int, 0, half+len(f.byes))
		for i := range half {
			pairs = append(pairs, [2]int{f.players[i], f.players[half+i]})
		}
		if d.later.after(append(slices.Clone(pairs), f.byes...), rounds-1, e) {
			return append(pairs, f.byes[len(d.asked):]...), true
		}
	}
	return nil, false
}

// best pairs a field from the top: everybody gets the nearest opponent with whom
// the others of so many rounds can be paired.
func (d *draw) best(f field, rounds int, e *effort) (*matching, bool) {
	m := f.matching()
	if m.n <= maxSmall {
		return m, d.first(f, m, rounds, 0, e)
	}
	pairs, ok := m.fromTop()
	if !ok {
		return nil, false
	}
	if d.later.after(append(f.named(pairs), f.byes...), rounds-1, e) {
		return m, true
	}
	m, ok = d.any(f, rounds, e)
	if !ok {
		return nil, false
	}
	m.improve(func() bool { return d.leaves(f, m, rounds, e) })
	return m, true
}
