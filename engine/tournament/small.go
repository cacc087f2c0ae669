package tournament

import "math/bits"

// maxSmall is how many vertices a graph has at most of which all is tried out.
const maxSmall = 10

// smallGraph is a graph of at most maxSmall vertices: bit i*maxSmall+j, i < j, is
// the edge between i and j.
type smallGraph [2]uint64

func (g *smallGraph) put(i, j int, on bool) {
	bit := min(i, j)*maxSmall + max(i, j)
	if on {
		g[bit/64] |= 1 << (bit % 64)
	} else {
		g[bit/64] &^= 1 << (bit % 64)
	}
}

func (g *smallGraph) has(i, j int) bool {
	bit := min(i, j)*maxSmall + max(i, j)
	return g[bit/64]>>(bit%64)&1 != 0
}

// trial finds out whether small graphs have matchings by trying all, and keeps
// what it has found out.
type trial struct {
	n     int
	known map[trialKey]bool
}

type trialKey struct {
	g      smallGraph
	rounds int
}

// reaches reports whether a graph has so many perfect matchings without a common
// edge.
func (t *trial) reaches(g smallGraph, rounds int) bool {
	if rounds == 0 {
		return true
	}
	key := trialKey{g, rounds}
	if ok, known := t.known[key]; known {
		return ok
	}
	// Each matching has another edge of the vertex with the fewest, and their order
	// does not matter: what comes first in its list may be the first, or is of no
	// use.
	rare, fewest := 0, t.n
	for i := range t.n {
		d := 0
		for j := range t.n {
			if i != j && g.has(i, j) {
				d++
			}
		}
		if d < fewest {
			rare, fewest = i, d
		}
	}
	ok := false
	left := g
	for j := 0; j < t.n && !ok && fewest >= rounds; j++ {
		if j == rare || !g.has(rare, j) {
			continue
		}
		ok = t.with(left, left, 1<<rare|1<<j, rare, j, rounds)
		left.put(rare, j, false)
		fewest--
	}
	t.known[key] = ok
	return ok
}

// with takes the edge between i and j out of the graph that is left, pairs the
// vertices that are not paired in every way with the edges of g, and reports
// whether what is left then reaches the other rounds.
func (t *trial) with(g, left smallGraph, paired uint, i, j, rounds int) bool {
	left.put(i, j, false)
	free := bits.TrailingZeros(^paired)
	if free >= t.n {
		return t.reaches(left, rounds-1)
	}
	for k := free + 1; k < t.n; k++ {
		if paired>>k&1 == 0 && g.has(free, k) && t.with(g, left, paired|1<<free|1<<k, free, k, rounds) {
			return true
		}
	}
	return false
}
