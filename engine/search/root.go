package search

import (
	"cmp"
	"slices"

	"reversi-board/engine"
)

// rootMove is a legal move of the position that is searched.
type rootMove struct {
	candidate
	// value is what the search thinks of it, in units: a bound for all but the
	// best.
	value int
	// nodes is what it has cost.
	nodes uint64
}

// rootMoves lists the legal moves of p, sorted by a first look.
func (c *core) rootMoves(p place) []rootMove {
	c.begin(p)
	var list []rootMove
	for s := range engine.LegalMoves(p.own, p.opp).All() {
		m := rootMove{candidate: candidate{flips: engine.Flips(p.own, p.opp, s), s: s}}
		c.down(0, &m.candidate)
		next := p.after(s, m.flips)
		m.value = -c.mid(1, next, min(1, next.n), -infinity, infinity, sel73) - worth(next.own, next.opp)
		list = append(list, m)
	}
	byValue(list)
	return list
}

// byValue sorts the best move to the front and leaves equals in their order.
func byValue(list []rootMove) {
	slices.SortStableFunc(list, func(a, b rootMove) int { return cmp.Compare(b.value, a.value) })
}

// search looks at all moves of p to a depth, in a window around a guess that
// is widened as needed. It returns the score of the best move, which is then
// the first. When the search has been stopped ok is false; then the first move
// is the best one known all the same.
func (c *core) search(p place, list []rootMove, depth, sel, guess int) (score int, ok bool) {
	width := 3 * unit
	if depth >= p.n && sel == exactSel {
		width = 2 * unit
		guess = floorDisc(guess+unit) / 2 * 2 * unit
	}
	low, high := max(guess-width, -eval64-1), min(guess+width, eval64+1)
	for {
		score, ok = c.window(p, list, depth, sel, low, high)
		switch {
		case !ok:
			return score, false
		case score <= low && low > -eval64-1:
			low = max(score-width, -eval64-1)
		case score >= high && high < eval64+1:
			high = min(score+width, eval64+1)
		default:
			return score, true
		}
		width *= 3
	}
}

// window searches all moves in one window (PVS).
func (c *core) window(p place, list []rootMove, depth, sel, alpha, beta int) (score int, ok bool) {
	c.begin(p)
	best := -infinity
	for i := range list {
		m := &list[i]
		before := c.nodes
		value := c.rootMove(p, m, i, depth, sel, max(alpha, best), beta)
		m.nodes = c.nodes - before
		if c.stop.Load() {
			// A move that has already proven better than the old best one is
			// worth keeping.
			toFront(list, best)
			return best, false
		}
		m.value = value
		if i > 0 && value <= max(alpha, best) {
			// Only a bound; the order of such moves is what it was.
			m.value = value - eval64
		}
		best = max(best, value)
		if best >= beta {
			break
		}
	}
	toFront(list, best)
	want := depth
	if depth >= p.n {
		want = p.n
		if sel == exactSel {
			want += exactDepth
		}
	}
	c.hash.store(p.own, p.opp, &result{alpha: alpha, beta: beta, score: best, depth: want, sel: sel, move: list[0].s})
	return best, true
}

// rootMove searches one move.
func (c *core) rootMove(p place, m *rootMove, i, depth, sel, alpha, beta int) int {
	c.down(0, &m.candidate)
	next := p.after(m.s, m.flips)
	if i > 0 && beta-alpha > 1 {
		score := -c.mid(1, next, depth-1, -alpha-1, -alpha, sel)
		if score <= alpha || score >= beta || c.stop.Load() {
			return score
		}
		c.down(0, &m.candidate)
	}
	return -c.mid(1, next, depth-1, -beta, -alpha, sel)
}

// toFront moves the move with a value to the front; the others keep their
// order.
func toFront(list []rootMove, value int) {
	for i := range list {
		if list[i].value == value {
			m := list[i]
			copy(list[1:i+1], list[:i])
			list[0] = m
			return
		}
	}
}

// line returns the best moves in a row that the table knows from p on, at most
// length of them, passes included.
func (c *core) line(p place, first engine.Square, length int) []engine.Move {
	var moves []engine.Move
	for s := first; len(moves) < length; {
		legal := engine.LegalMoves(p.own, p.opp)
		if legal == 0 {
			if engine.LegalMoves(p.opp, p.own) == 0 {
				break
			}
			moves = append(moves, engine.PassMove)
			p = p.passed()
		} else {
			if s >= engine.Squares || !legal.Has(s) {
				break
			}
			moves = append(moves, engine.At(s))
			p = p.after(s, engine.Flips(p.own, p.opp, s))
		}
		s = noMove
		if e := c.hash.find(p.own, p.opp); e != nil {
			s = engine.Square(e.move)
		}
	}
	return moves
}
