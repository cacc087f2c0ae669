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
	// sigma is indexed by empty squares, depth and shallower depth.
	sigma [61][61][33]float32
}

// deviation models the error in discs of a search to depth d as a forecast of
// the search to depth D, with that many empty squares. The numbers are fitted
// by engine/search/train.
func deviation(empties, depth, shallow int) float64 {
	const a, b, c, d = 1.9, 0.09, -0.16, 0.004
	x := a + b*float64(depth) + c*float64(shallow) + d*float64(60-empties)
	return max(0.7, x)
}

func newMargins() *margins {
	m := new(margins)
	for e := range m.sigma {
		for d := range m.sigma[e] {
			for s := range m.sigma[e][d] {
				m.sigma[e][d][s] = float32(deviation(e, d, s) * unit)
			}
		}
	}
	return m
}

// probe decides a node with the window (alpha, alpha+1) by shallower searches,
// if it can.
func (c *core) probe(ply int, p place, depth, alpha, sel int) (score int, ok bool) {
	shallow := shallower(depth)
	t := deviations(sel)
	margin := int(math.Ceil(t * float64(c.margins.sigma[p.n][min(depth, 60)][min(shallow, 32)])))
	static := c.score(ply, p)
	beta := alpha + 1
	slack := int(t * float64(c.margins.sigma[p.n][min(shallow, 60)][0]))
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
