package search

import (
	"sync/atomic"

	"reversi-board/engine"
)

// solver finds exact scores of the end of the game by looking at all of it.
// It evaluates nothing. It is used by one goroutine at a time.
type solver struct {
	t *tables
	// hash is the large table; near is a small one for positions close to the
	// end of the game, so many that the way to the large table in memory would
	// cost more than it saves.
	hash, near *hashTable
	nodes      uint64
	// stop is set from outside to end the search; what is returned then means
	// nothing.
	stop *atomic.Bool
	// tick, when it is set, is called from time to time and may set stop.
	tick  func()
	ticks uint
	// sign is 1 when most discs win and -1 when fewest do.
	sign int
	// lists holds the moves of the positions being looked at, by the number of
	// their empty squares.
	lists [hashedTo + 1][hashedTo]candidate
}

// halted reports whether the search has to end.
func (x *solver) halted() bool {
	x.ticks++
	if x.ticks%256 == 0 && x.tick != nil {
		x.tick()
	}
	return x.stop.Load()
}

// limit returns the most that the side to move can still reach, in discs: what
// the stable discs of one side leave to the other.
func (x *solver) limit(own, opp engine.Bitboard) int {
	if x.sign < 0 {
		own, opp = opp, own
	}
	return 64 - 2*stable(opp, own).Count()
}

// candidate is a move that is to be tried.
type candidate struct {
	flips engine.Bitboard
	score int32
	s     engine.Square
}

const (
	// smallTo is up to how many empty squares neither hash table nor sorting
	// is worth its time.
	smallTo = 6
	// nearTo is up to how many empty squares the small table is used, nearSize
	// its size in bytes.
	nearTo   = 9
	nearSize = 1 << 19
	// hashedTo is up to how many empty squares moves are sorted by the number
	// of replies alone.
	hashedTo = 13
)

// table returns the table for positions with n empty squares.
func (x *solver) table(n int) *hashTable {
	if n <= nearTo {
		return x.near
	}
	return x.hash
}

// forget empties both tables.
func (x *solver) forget() {
	x.hash.clear()
	x.near.clear()
}

// solve returns the score in discs of a position with n empty squares,
// n <= hashedTo: exact between alpha and beta, else a bound (fail soft).
func (x *solver) solve(own, opp engine.Bitboard, alpha, beta, n int) int {
	if n > smallTo {
		return x.hashed(own, opp, alpha, beta, n)
	}
	empty := ^(own | opp)
	switch n {
	case 0:
		return x.sign * final(own, opp)
	case 1:
		return x.sign * last1(own, empty.First())
	case 2:
		return x.last2(own, opp, beta, empty.First(), (empty & (empty - 1)).First())
	case 3, 4:
		return x.few(own, opp, alpha, beta, n, x.t.parity(empty))
	default:
		return x.small(own, opp, alpha, beta, n, x.t.parity(empty))
	}
}

// stableFrom returns from which alpha on it is worth looking whether the
// opponent's stable discs already keep the score down.
func stableFrom(n int) int { return 2*n - 6 }

// small is solve for 5 and 6 empty squares.
func (x *solver) small(own, opp engine.Bitboard, alpha, beta, n int, parity uint8) int {
	x.nodes++
	if alpha >= stableFrom(n) {
		if limit := x.limit(own, opp); limit <= alpha {
			return limit
		}
	}
	legal := engine.LegalMoves(own, opp)
	if legal == 0 {
		if engine.LegalMoves(opp, own) == 0 {
			return x.sign * final(own, opp)
		}
		return -x.small(opp, own, -beta, -alpha, n, parity)
	}
	best := -infinity
	set := legal & x.t.odd[parity&15]
	for rest := legal &^ set; set|rest != 0; set &= set - 1 {
		if set == 0 {
			set, rest = rest, 0
		}
		s := set.First() & 63
		f := engine.Flips(own, opp, s)
		var score int
		if n == 5 {
			score = -x.few(opp&^f, own|f|s.Bit(), -beta, -max(alpha, best), 4, parity^x.t.quadrant[s])
		} else {
			score = -x.small(opp&^f, own|f|s.Bit(), -beta, -max(alpha, best), n-1, parity^x.t.quadrant[s])
		}
		best = max(best, score)
		if best >= beta {
			break
		}
	}
	return best
}

// hashed is solve for more than smallTo empty squares.
func (x *solver) hashed(own, opp engine.Bitboard, alpha, beta, n int) int {
	x.nodes++
	if alpha >= stableFrom(n) {
		if limit := x.limit(own, opp); limit <= alpha {
			return limit
		}
	}
	first, second := engine.Square(noMove), engine.Square(noMove)
	if e := x.table(n).find(own, opp); e != nil {
		if e.depth >= exactDepth {
			lower, upper := int(e.lower), int(e.upper)
			switch {
			case lower >= beta*unit:
				return lower / unit
			case upper <= alpha*unit:
				return upper / unit
			case lower == upper:
				return lower / unit
			}
		}
		first, second = engine.Square(e.move), engine.Square(e.other)
	}
	if x.halted() {
		return alpha
	}
	legal := engine.LegalMoves(own, opp)
	if legal == 0 {
		if engine.LegalMoves(opp, own) == 0 {
			return x.sign * final(own, opp)
		}
		return -x.hashed(opp, own, -beta, -alpha, n)
	}
	list := x.list(own, opp, legal, n, first, second)
	return x.tryAll(own, opp, alpha, beta, n, list)
}

// tryAll searches the moves of a list, the best looking first.
func (x *solver) tryAll(own, opp engine.Bitboard, alpha, beta, n int, list []candidate) int {
	best, move := -infinity, list[0].s
	for i := range list {
		pick(list[i:])
		c := &list[i]
		next, other := opp&^c.flips, own|c.flips|c.s.Bit()
		a := max(alpha, best)
		var score int
		if i > 0 && beta-a > 1 {
			score = -x.solve(next, other, -a-1, -a, n-1)
			if a < score && score < beta {
				score = -x.solve(next, other, -beta, -score, n-1)
			}
		} else {
			score = -x.solve(next, other, -beta, -a, n-1)
		}
		if score > best {
			best, move = score, c.s
			if best >= beta {
				break
			}
		}
	}
	if x.stop.Load() {
		return best
	}
	x.table(n).store(own, opp, &result{
		alpha: alpha * unit, beta: beta * unit, score: best * unit, depth: exactDepth + n, sel: exactSel, move: move,
	})
	return best
}

// pick brings the candidate with the highest score to the front.
func pick(list []candidate) {
	at := 0
	for i := 1; i < len(list); i++ {
		if list[i].score > list[at].score {
			at = i
		}
	}
	if at != 0 {
		list[0], list[at] = list[at], list[0]
	}
}

// list returns the moves with a score each: the moves that the table knows
// first, then those that leave the opponent the fewest replies.
func (x *solver) list(own, opp, legal engine.Bitboard, n int, first, second engine.Square) []candidate {
	odd := x.t.odd[x.t.parity(^(own|opp))&15]
	list := x.lists[n][:0]
	for ; legal != 0; legal &= legal - 1 {
		s := legal.First() & 63
		f := engine.Flips(own, opp, s)
		c := candidate{flips: f, s: s}
		switch s {
		case first:
			c.score = 1 << 20
		case second:
			c.score = 1 << 19
		default:
			c.score = -int32(worth(opp&^f, own|f|s.Bit()))
			if odd.Has(s) {
				c.score += 3
			}
			if corners.Has(s) {
				c.score += 4 * int32(x.sign)
			}
		}
		list = append(list, c)
	}
	return list
}

// worth measures how free a side to move is: its moves, corners counting
// twice.
func worth(own, opp engine.Bitboard) int {
	replies := engine.LegalMoves(own, opp)
	return 8 * (replies.Count() + (replies & corners).Count())
}
