package tournament

import "slices"

// future is what may still be played: the vertices are the players who take
// part, and Bye when their number is odd, and an edge joins two who may be paired.
// So k more rounds can be paired when the graph has k perfect matchings without a
// common edge.
type future struct {
	// players are the numbers of the vertices; the last one is Bye if odd.
	players []int
	odd     bool
	edge    [][]bool
}

// n returns the number of vertices.
func (f *future) n() int { return len(f.players) }

// degrees returns the least number of partners of a player, and how many may
// still have a bye.
func (f *future) degrees() (least, byes int) {
	people := f.n()
	if f.odd {
		people--
	}
	least = people
	for i := range people {
		d := 0
		for j := range people {
			if f.edge[i][j] {
				d++
			}
		}
		least = min(least, d)
		if f.odd && f.edge[i][people] {
			byes++
		}
	}
	return least, byes
}

// most bounds from above how many rounds can be paired: everybody needs another
// partner in each.
func (f *future) most() int {
	if f.n() < 2 {
		return 0
	}
	last := f.n() - 1
	most := last
	for i := range f.n() {
		d := 0
		for j := range f.n() {
			if f.edge[i][j] {
				d++
			}
		}
		most = min(most, d)
	}
	return most
}

// sure reports whether so many rounds can be paired whatever is chosen in each of
// them. A graph of n vertices, n even, in which everyone has n/2 partners has a
// perfect matching (G. A. Dirac, Some theorems on abstract graphs, 1952), and each
// round takes one partner from everybody. With an odd number any bye that is
// allowed may be given: it takes one more partner from those who are left.
func (f *future) sure(rounds int) bool {
	least, byes := f.degrees()
	if f.odd {
		return byes >= rounds && least >= (f.n()-2)/2+rounds
	}
	return least >= f.n()/2+rounds-1
}

// without returns the future after a round. It holds pairs of numbers of players;
// pairs that are not in the graph are passed over.
func (f *future) without(pairs [][2]int) *future {
	at := make(map[int]int, f.n())
	for i, p := range f.players {
		at[p] = i
	}
	after := &future{players: f.players, odd: f.odd, edge: make([][]bool, f.n())}
	for i := range f.edge {
		after.edge[i] = append([]bool(nil), f.edge[i]...)
	}
	for _, p := range pairs {
		i, okA := at[p[0]]
		j, okB := at[p[1]]
		if okA && okB {
			after.edge[i][j], after.edge[j][i] = false, false
		}
	}
	return after
}

// small returns the graph for trying all.
func (f *future) small() (g smallGraph) {
	for i := range f.n() {
		for j := range i {
			g.put(i, j, f.edge[i][j])
		}
	}
	return g
}

// effort bounds a search, so that a small computer answers in time. It is counted
// in vertices squared, for each matching, and not in seconds: the same event
// always gets the same answer.
type effort int

// spend reports whether there is enough left for a matching of n vertices.
func (e *effort) spend(n int) bool {
	*e -= effort(n * n)
	return *e >= 0
}

// The bounds of searches. For 24 players over 23 rounds a search that finds
// something has mostly found it after a hundredth of them.
const (
	// enough is for the question whether a number of rounds can be paired at all.
	enough effort = 4_000_000
	// polish is for finding the best one of the rounds that leave enough others.
	polish effort = 1_000_000
	// attempts is how often rounds are tried to be paired after one certain round.
	attempts = 3
	// retries is how often an attempt exchanges one.
	retries = 40
)

// outlook answers what can be paired later.
type outlook struct {
	*future

	trial *trial
}

// newOutlook returns the outlook of a graph.
func newOutlook(f *future) *outlook {
	return &outlook{future: f, trial: &trial{n: f.n(), known: map[trialKey]bool{}}}
}

// reaches reports whether so many rounds can be paired, as after does.
func (o *outlook) reaches(rounds int, e *effort) bool { return o.after(nil, rounds, e) }

// after reports whether so many rounds can be paired after a round of these pairs.
// False may also mean that the search was given up; it is the truth where at most
// maxSmall vertices are left.
func (o *outlook) after(pairs [][2]int, rounds int, e *effort) bool {
	f := o.without(pairs)
	switch {
	case rounds <= 0:
		return true
	case f.most() < rounds:
		return false
	case f.sure(rounds):
		return true
	case f.n() <= maxSmall:
		return o.trial.reaches(f.small(), rounds)
	}
	return newSearch(f).run(rounds, e)
}

// first returns one of so many rounds that can be paired, after which it is found
// best that the others can be.
func (o *outlook) first(rounds int) [][2]int {
	s := newSearch(o.future)
	e := enough
	if !s.run(rounds, &e) {
		s.restart()
		s.m.random(&s.dice, s.order)
		return s.named(s.m.pairs())
	}
	e = enough
	i := max(slices.IndexFunc(s.taken, func(pairs [][2]int) bool { return o.after(s.named(pairs), rounds-1, &e) }), 0)
	return s.named(s.taken[i])
}

// search takes matchings out of a graph, one after the other, in random orders
// that are always the same.
type search struct {
	f     *future
	dice  dice
	order []int
	m     *matching
	// taken are the matchings that have been taken out.
	taken [][][2]int
}

func newSearch(f *future) *search {
	s := &search{f: f, dice: dice(f.n()), order: make([]int, f.n())}
	for i := range s.order {
		s.order[i] = i
	}
	s.m = newMatching(f.n(), func(i, j int) bool { return f.edge[i][j] })
	return s
}

// dice are numbers that look random and are always the same: SplitMix64 (G. Steele
// and others, Fast splittable pseudorandom number generators, 2014).
type dice uint64

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n)) // n is positive, and what is less than n is an int
}

// shuffle puts a list into another order.
func (d *dice) shuffle(list []int) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// run makes some attempts.
func (s *search) run(rounds int, e *effort) bool {
	for range attempts {
		if found, done := s.attempt(rounds, e); found || done {
			return found
		}
	}
	return false
}

// named returns pairs of vertices as pairs of numbers.
func (s *search) named(pairs [][2]int) [][2]int {
	list := make([][2]int, 0, len(pairs))
	for _, p := range pairs {
		list = append(list, [2]int{s.f.players[p[0]], s.f.players[p[1]]})
	}
	return list
}

// attempt looks for matchings once. Where it gets stuck, one of them is exchanged
// for another, and again. done says that another attempt is of
// no use.
func (s *search) attempt(rounds int, e *effort) (found, done bool) {
	n := s.f.n()
	s.restart()
	for failures := 0; len(s.taken) < rounds; {
		if !e.spend(n) {
			return false, true
		}
		if s.m.random(&s.dice, s.order) {
			s.taken = append(s.taken, s.m.pairs())
			s.put(len(s.taken)-1, false)
			continue
		}
		if len(s.taken) == 0 || failures == retries {
			// If there is not even one, there is none.
			return false, len(s.taken) == 0
		}
		// What has been taken out at random is put back, and next something else of
		// it is taken out.
		failures++
		i := s.dice.below(len(s.taken))
		s.put(i, true)
		s.taken = slices.Delete(s.taken, i, i+1)
	}
	return true, true
}

// restart puts all edges back.
func (s *search) restart() {
	for i := range s.m.edge {
		copy(s.m.edge[i], s.f.edge[i])
	}
	s.taken = s.taken[:0]
}

// put takes the edges of a matching out of the graph, or puts them back.
func (s *search) put(i int, there bool) {
	for _, p := range s.taken[i] {
		s.m.edge[p[0]][p[1]], s.m.edge[p[1]][p[0]] = there, there
	}
}
