package search

import "math"

// Selectivities: how sure a search is that a branch it has cut off does not
// matter. A branch is cut when a shallower search is outside the window by so
// many standard deviations of its error (Multi-ProbCut).
const (
	sel73    = 0
	sel87    = 1
	sel95    = 2
	sel98    = 3
	sel99    = 4
	exactSel = 7
)

// deviations returns the number of standard deviations of a selectivity.
func deviations(sel int) float64 {
	switch sel {
	case sel73:
		return 1.1
	case sel87:
		return 1.5
	case sel95:
		return 2.0
	case sel98:
		return 2.35
	default:
		return 2.6
	}
}

// confidence returns a selectivity in percent.
func confidence(sel int) int {
	switch sel {
	case sel73:
		return 73
	case sel87:
		return 87
	case sel95:
		return 95
	case sel98:
		return 98
	case sel99:
		return 99
	default:
		return 100
	}
}

// shallower returns how deep to look in order to foretell a search of a depth.
// Both are odd or both even: evaluations swing with the side that moves last.
func shallower(depth int) int { return depth/4*2 + depth&1 }

// margins holds the standard deviations in units.
type margins struct {
	// sigma is indexed by depth and shallower depth.
	sigma [61][33]float32
}

// deviation models the error in discs of a search to a shallow depth as a
// forecast of a deeper one: it grows with the gap between them, and is larger
// when the shallow one sees next to nothing. The numbers are fitted by eye to
// what engine/search/train measures (flag -margins).
func deviation(depth, shallow int) float64 {
	gap := float64(depth - shallow)
	return (1.7 + 0.25*gap) * (1 + 0.6*math.Exp(-float64(shallow)/2))
}

func newMargins() *margins {
	m := new(margins)
	for depth := range m.sigma {
		for shallow := range min(depth, len(m.sigma[depth])) {
			m.sigma[depth][shallow] = float32(deviation(depth, shallow) * unit)
		}
	}
	return m
}

// probe decides a node with the window (alpha, alpha+1) by shallower searches,
// if it can.
func (c *core) probe(ply int, p place, depth, alpha, sel int) (score int, ok bool) {
	shallow := shallower(depth)
	t := deviations(sel)
	margin := int(math.Ceil(t * float64(c.margins.sigma[min(depth, 60)][min(shallow, 32)])))
	static := c.score(ply, p)
	beta := alpha + 1
	slack := int(t * float64(c.margins.sigma[min(shallow, 60)][0]))
	if high := beta + margin; static >= beta-slack && high < eval64 {
		if c.mid(ply, p, shallow, high-1, high, sel) >= high {
			return beta, true
		}
	}
	if low := alpha - margin; static <= alpha+slack && low > -eval64 {
		if c.mid(ply, p, shallow, low, low+1, sel) <= low {
			return alpha, true
		}
	}
	return 0, false
}
