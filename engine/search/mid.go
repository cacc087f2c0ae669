package search

import (
	"reversi-board/engine"
	"reversi-board/engine/search/eval"
)

const (
	// unit is one disc in all scores but those of the solver.
	unit = eval.Unit
	// eval64 is a game won with all 64 discs.
	eval64 = 64 * unit
	// maxPly bounds the depth of any line of play: 60 discs and as many
	// passes, and the root.
	maxPly = 128
	// maxMoves bounds the number of legal moves.
	maxMoves = 40
	// solverTo is up to how many empty squares a search to the end is left to
	// the solver, which evaluates nothing.
	solverTo = 11
)

// place is a position as the search sees it: the discs of the side to move,
// those of the other side, and the number of empty squares.
type place struct {
	own, opp engine.Bitboard
	n        int
}

// after returns the place after a move.
func (p place) after(s engine.Square, flips engine.Bitboard) place {
	return place{p.opp &^ flips, p.own | flips | s.Bit(), p.n - 1}
}

// passed returns the place after a pass.
func (p place) passed() place { return place{p.opp, p.own, p.n} }

// frame is what the search keeps for one ply.
type frame struct {
	features eval.Features
	list     [maxMoves]candidate
}

// core is the search itself: negamax with null windows (PVS) over the
// evaluation, the table and the solver.
type core struct {
	solver
	extract eval.Extractor
	weights *eval.Weights
	margins *margins
	stack   [maxPly + 2]frame
}

// score evaluates the position of a ply.
func (c *core) score(ply int, p place) int {
	return c.weights.Score(&c.stack[ply].features, p.own, p.opp)
}

// begin makes p the position of the root, ply 0.
func (c *core) begin(p place) { c.stack[0].features = c.extract.Of(p.own, p.opp) }

// down makes the position after a move that of the next ply.
func (c *core) down(ply int, m *candidate) {
	c.extract.Move(&c.stack[ply+1].features, &c.stack[ply].features, m.s, m.flips)
}

// toEnd searches a place to the end of the game with the solver.
func (c *core) toEnd(p place, alpha, beta int) int {
	low, high := floorDisc(alpha), -floorDisc(-beta)
	if high <= low {
		high = low + 1
	}
	return unit * c.solve(p.own, p.opp, low, high, p.n)
}

// floorDisc returns the largest number of whole discs that is not more than
// that many units.
func floorDisc(units int) int {
	d := units / unit
	if d*unit > units {
		d--
	}
	return d
}

// mid returns the score in units of the place of a ply, depth plies deep:
// exact between alpha and beta, else a bound (fail soft). With depth >= the
// number of empty squares it goes to the end of the game.
func (c *core) mid(ply int, p place, depth, alpha, beta, sel int) int {
	if depth >= p.n {
		if p.n <= solverTo {
			return c.toEnd(p, alpha, beta)
		}
		depth = p.n
	}
	if depth <= 0 {
		c.nodes++
		return c.score(ply, p)
	}
	legal := engine.LegalMoves(p.own, p.opp)
	if legal == 0 {
		return c.blocked(ply, p, depth, alpha, beta, sel)
	}
	if depth == 1 {
		return c.lastPly(ply, p, legal, beta)
	}
	c.nodes++
	r := result{alpha: alpha, beta: beta, depth: depth, sel: sel}
	if depth == p.n && sel == exactSel {
		r.depth += exactDepth
	}
	first, second, ok := c.recall(p, &r)
	if ok {
		return r.score
	}
	if c.halted() {
		return alpha
	}
	if sel != exactSel && beta-alpha == 1 && depth >= 3 {
		if score, ok := c.probe(ply, p, depth, alpha, sel); ok {
			return score
		}
	}
	list := c.order(ply, p, legal, depth, first, second)
	if depth == p.n && depth > solverTo+1 && c.known(p, list, &r) {
		return r.score
	}
	c.tryMoves(ply, p, list, depth, &r)
	if !c.stop.Load() {
		c.hash.store(p.own, p.opp, &r)
	}
	return r.score
}

// recall looks whether stable discs or the table already decide what r asks
// for; if so, ok is true and the score is in r. Else it returns the moves that
// the table knows.
func (c *core) recall(p place, r *result) (first, second engine.Square, ok bool) {
	if r.depth >= p.n && r.alpha >= stableFrom(p.n)*unit {
		if r.score = c.limit(p.own, p.opp) * unit; r.score <= r.alpha {
			return noMove, noMove, true
		}
	}
	e := c.hash.find(p.own, p.opp)
	if e == nil {
		return noMove, noMove, false
	}
	if int(e.depth) >= r.depth && int(e.sel&selMask) >= r.sel {
		r.score, ok = e.decides(r.alpha, r.beta)
	}
	return engine.Square(e.move), engine.Square(e.other), ok
}

// decides reports whether the bounds of an entry are all that the window asks
// for.
func (e *entry) decides(alpha, beta int) (score int, ok bool) {
	lower, upper := int(e.lower), int(e.upper)
	switch {
	case lower >= beta, lower == upper:
		return lower, true
	case upper <= alpha:
		return upper, true
	default:
		return 0, false
	}
}

// blocked searches a place in which the side to move cannot.
func (c *core) blocked(ply int, p place, depth, alpha, beta, sel int) int {
	if engine.LegalMoves(p.opp, p.own) == 0 {
		c.nodes++
		return c.sign * final(p.own, p.opp) * unit
	}
	c.extract.Pass(&c.stack[ply+1].features, &c.stack[ply].features)
	return -c.mid(ply+1, p.passed(), depth, -beta, -alpha, sel)
}

// lastPly evaluates the moves of a place; no order is needed.
func (c *core) lastPly(ply int, p place, legal engine.Bitboard, beta int) int {
	best := -infinity
	for ; legal != 0 && best < beta; legal &= legal - 1 {
		s := legal.First()
		m := candidate{flips: engine.Flips(p.own, p.opp, s), s: s}
		next := p.after(s, m.flips)
		if next.own == 0 {
			c.nodes++
			best = max(best, c.sign*eval64)
			continue
		}
		c.down(ply, &m)
		c.nodes++
		best = max(best, -c.score(ply+1, next))
	}
	return best
}

// known looks whether the table already knows a move that is good enough for
// what r asks; if so, the score is in r.
func (c *core) known(p place, list []candidate, r *result) bool {
	for i := range list {
		next := p.after(list[i].s, list[i].flips)
		e := c.hash.find(next.own, next.opp)
		if e != nil && int(e.depth) >= r.depth-1 && int(e.sel&selMask) >= r.sel && -int(e.upper) >= r.beta {
			r.score = -int(e.upper)
			return true
		}
	}
	return false
}

// tryMoves searches the moves of a list in their order and puts what it finds
// into r.
func (c *core) tryMoves(ply int, p place, list []candidate, depth int, r *result) {
	r.score, r.move = -infinity, list[0].s
	for i := range list {
		pick(list[i:])
		m := &list[i]
		next := p.after(m.s, m.flips)
		c.down(ply, m)
		a := max(r.alpha, r.score)
		var score int
		if i > 0 && r.beta-a > 1 {
			score = -c.mid(ply+1, next, depth-1, -a-1, -a, r.sel)
			if a < score && score < r.beta {
				score = -c.mid(ply+1, next, depth-1, -r.beta, -a, r.sel)
			}
		} else {
			score = -c.mid(ply+1, next, depth-1, -r.beta, -a, r.sel)
		}
		if score > r.score {
			r.score, r.move = score, m.s
			if score >= r.beta {
				return
			}
		}
		if c.stop.Load() {
			return
		}
	}
}

// order returns the moves of a ply, each with a score that says how early it
// is to be tried: those that the table knows first, then by what a shallow
// search thinks of them and by the replies they leave.
func (c *core) order(ply int, p place, legal engine.Bitboard, depth int, first, second engine.Square) []candidate {
	list := c.stack[ply].list[:0]
	look, mobility := sortDepth(depth, p.n), int32(1)
	if depth == p.n {
		mobility = sortMobility
	}
	for ; legal != 0; legal &= legal - 1 {
		s := legal.First()
		m := candidate{flips: engine.Flips(p.own, p.opp, s), s: s}
		next := p.after(s, m.flips)
		switch {
		case next.own == 0:
			m.score = 1 << 22 * int32(c.sign)
		case s == first:
			m.score = 1 << 21
		case s == second:
			m.score = 1 << 20
		case look < 0:
			m.score = -int32(worth(next.own, next.opp))
		default:
			c.down(ply, &m)
			m.score = -int32(c.mid(ply+1, next, look, -infinity, infinity, sel73)) -
				int32(worth(next.own, next.opp))*mobility
		}
		list = append(list, m)
	}
	return list
}

// sortMobility is how much more than before the middle of the game a reply of
// the opponent counts where the end is searched: with few replies a branch is
// short, and every branch goes to the end.
const sortMobility = 8

// sortDepth returns how deep to look at moves only to sort them; negative when
// counting replies is enough.
func sortDepth(depth, n int) int {
	switch {
	case depth <= 2:
		return -1
	case depth <= 7:
		return 0
	case depth == n && n <= 18:
		return 0
	case depth <= 12, depth == n && n <= 21:
		return 1
	case depth == n && n <= 24:
		return 2
	default:
		return 3
	}
}
