package tournament

// matchFromTop pairs all of n vertices, an even number: the first one with the
// nearest that leaves a partner to all others, then the first one that is left,
// and so on. fits reports whether two may be paired. ok is false when not all
// can be paired.
//
// Whether a choice leaves partners to all others is not tried out: a pairing of
// all is held, and a choice that differs from it is right when the two who have
// lost their partners by it can be joined by an augmenting path. So hundreds of
// players take moments, however the past has been.
func matchFromTop(n int, fits func(i, j int) bool) (pairs [][2]int, ok bool) {
	return newMatching(n, fits).fromTop()
}

// fromTop is matchFromTop.
func (m *matching) fromTop() (pairs [][2]int, ok bool) {
	if !m.all() {
		return nil, false
	}
	m.improve(func() bool { return true })
	return m.pairs(), true
}

// improve makes of a pairing of all the first one from the top in the same way,
// if may says so of the pairing of all that comes of a choice.
func (m *matching) improve(may func() bool) {
	before := make([]int, m.n)
	for i := range m.n {
		if m.done[i] {
			continue
		}
		for j := i + 1; j < m.n; j++ {
			if m.done[j] || !m.edge[i][j] {
				continue
			}
			same := m.mate[i] == j
			copy(before, m.mate)
			if !m.choose(i, j) {
				continue
			}
			if same || may() {
				break
			}
			m.done[i], m.done[j] = false, false
			copy(m.mate, before)
		}
	}
}

// matching is a matching of a graph, grown by augmenting paths with blossoms
// (J. Edmonds, Paths, trees, and flowers, 1965).
type matching struct {
	n    int
	edge [][]bool
	// mate is whom a vertex is paired with, -1 for nobody; done takes it out of
	// the graph.
	mate []int
	done []bool
	// base is the base of the blossom that a vertex is in, parent leads from an
	// odd vertex towards the root of the tree, used are the even vertices.
	base, parent []int
	used         []bool
}

func newMatching(n int, fits func(i, j int) bool) *matching {
	m := &matching{
		n: n, edge: make([][]bool, n), mate: make([]int, n), done: make([]bool, n),
		base: make([]int, n), parent: make([]int, n), used: make([]bool, n),
	}
	for i := range n {
		m.mate[i] = -1
		m.edge[i] = make([]bool, n)
		for j := range i {
			m.edge[i][j] = fits(j, i)
			m.edge[j][i] = m.edge[i][j]
		}
	}
	return m
}

// all pairs every vertex if that can be done.
func (m *matching) all() bool {
	for i := range m.n {
		for j := i + 1; j < m.n && m.mate[i] < 0; j++ {
			if m.edge[i][j] && m.mate[j] < 0 {
				m.mate[i], m.mate[j] = j, i
			}
		}
	}
	for i := range m.n {
		if m.mate[i] < 0 && !m.augment(i) {
			return false
		}
	}
	return true
}

// random pairs every vertex if that can be done, in any way. It shuffles order,
// the vertices.
func (m *matching) random(d *dice, order []int) bool {
	d.shuffle(order)
	for i := range m.mate {
		m.mate[i] = -1
	}
	for _, i := range order {
		for _, j := range order {
			if m.mate[i] >= 0 {
				break
			}
			if m.edge[i][j] && m.mate[j] < 0 {
				m.mate[i], m.mate[j] = j, i
			}
		}
	}
	for i := range m.mate {
		if m.mate[i] < 0 && !m.augment(i) {
			return false
		}
	}
	return true
}

// pairs returns who is paired with whom.
func (m *matching) pairs() [][2]int {
	list := make([][2]int, 0, m.n/2)
	for i, j := range m.mate {
		if i < j {
			list = append(list, [2]int{i, j})
		}
	}
	return list
}

// choose pairs i with j for good, if all others can still be paired.
func (m *matching) choose(i, j int) bool {
	a, b := m.mate[i], m.mate[j]
	m.done[i], m.done[j] = true, true
	if a == j {
		return true
	}
	m.mate[i], m.mate[j], m.mate[a], m.mate[b] = j, i, -1, -1
	if m.augment(a) {
		return true
	}
	m.done[i], m.done[j] = false, false
	m.mate[i], m.mate[j], m.mate[a], m.mate[b] = a, b, i, j
	return false
}

// augment pairs a vertex that has no partner, and changes the partners of others
// for it. It changes nothing when that cannot be done.
func (m *matching) augment(root int) bool {
	for i := range m.n {
		m.base[i], m.parent[i], m.used[i] = i, -1, false
	}
	m.used[root] = true
	queue := []int{root}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for to := range m.n {
			if m.done[to] || !m.edge[v][to] || m.base[v] == m.base[to] || m.mate[v] == to {
				continue
			}
			switch {
			case to == root || m.mate[to] >= 0 && m.parent[m.mate[to]] >= 0:
				queue = m.contract(v, to, queue)
			case m.parent[to] < 0:
				m.parent[to] = v
				if m.mate[to] < 0 {
					m.flip(to)
					return true
				}
				m.used[m.mate[to]] = true
				queue = append(queue, m.mate[to])
			}
		}
	}
	return false
}

// flip exchanges the pairs along the path that ends at v.
func (m *matching) flip(v int) {
	for v >= 0 {
		before := m.parent[v]
		next := m.mate[before]
		m.mate[v], m.mate[before] = before, v
		v = next
	}
}

// contract makes one vertex of the blossom that the edge between a and b closes.
func (m *matching) contract(a, b int, queue []int) []int {
	root := m.meet(a, b)
	inside := make([]bool, m.n)
	m.mark(inside, a, root, b)
	m.mark(inside, b, root, a)
	for i := range m.n {
		if !inside[m.base[i]] {
			continue
		}
		m.base[i] = root
		if !m.used[i] {
			m.used[i] = true
			queue = append(queue, i)
		}
	}
	return queue
}

// meet returns the base at which the ways of two even vertices to the root come
// together.
func (m *matching) meet(a, b int) int {
	seen := make([]bool, m.n)
	for {
		a = m.base[a]
		seen[a] = true
		if m.mate[a] < 0 {
			break
		}
		a = m.parent[m.mate[a]]
	}
	for {
		b = m.base[b]
		if seen[b] {
			return b
		}
		b = m.parent[m.mate[b]]
	}
}

// mark notes what is on the way from v to the base of a blossom.
func (m *matching) mark(inside []bool, v, base, child int) {
	for m.base[v] != base {
		inside[m.base[v]], inside[m.base[m.mate[v]]] = true, true
		m.parent[v] = child
		child = m.mate[v]
		v = m.parent[m.mate[v]]
	}
}
