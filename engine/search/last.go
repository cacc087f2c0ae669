package search

import "reversi-board/engine"

// infinity is beyond every score in units, and in discs.
const infinity = 32000

// neighbors returns the squares around s.
func neighbors(s engine.Square) engine.Bitboard {
	b := s.Bit()
	row := b | b<<1&^fileA | b>>1&^fileH
	return (row | row<<8 | row>>8) &^ b
}

// tables are what the end of the game looks up.
type tables struct {
	// around are the neighbors of each square: a move beside no opposing disc
	// turns nothing.
	around [engine.Squares]engine.Bitboard
	// quadrant is the bit of the quarter of the board a square lies in.
	quadrant [engine.Squares]uint8
	// odd are the squares of the quarters whose bits are set.
	odd [16]engine.Bitboard
}

func newTables() *tables {
	t := new(tables)
	for s := range engine.Square(engine.Squares) {
		t.around[s] = neighbors(s)
		t.quadrant[s] = 1 << (s.File()/4 + 2*(s.Rank()/4))
		for set := range t.odd {
			if set&int(t.quadrant[s]) != 0 {
				t.odd[set] |= s.Bit()
			}
		}
	}
	return t
}

// parity returns the bits of the quarters with an odd number of empty squares.
func (t *tables) parity(empty engine.Bitboard) uint8 {
	var p uint8
	for ; empty != 0; empty &= empty - 1 {
		p ^= t.quadrant[empty.First()&63]
	}
	return p
}

// final returns the score in discs when neither side can move: the empty
// squares go to the winner.
func final(own, opp engine.Bitboard) int {
	o, p := own.Count(), opp.Count()
	switch {
	case o > p:
		return 64 - 2*p
	case p > o:
		return 2*o - 64
	default:
		return 0
	}
}

// last1 returns the score in discs with one empty square and own to move.
func last1(own engine.Bitboard, s engine.Square) int {
	count := own.Count()
	if n := engine.LastFlips(own, s); n > 0 {
		return 2*(count+n+1) - 64
	}
	if n := engine.LastFlips(^(own | s.Bit()), s); n > 0 {
		return 2*(count-n) - 64
	}
	if count >= 32 {
		count++
	}
	return 2*count - 64
}

// last2 returns the score in discs with two empty squares and own to move.
func (x *solver) last2(own, opp engine.Bitboard, beta int, a, b engine.Square) int {
	x.nodes++
	best := x.last2Moves(own, opp, beta, a, b)
	if best != -infinity {
		return best
	}
	// The other side moves; the score must be at most 1-beta for a cut, which
	// is only an optimization, so it looks at both moves.
	best = x.last2Moves(opp, own, infinity, a, b)
	if best != -infinity {
		return -best
	}
	return x.sign * final(own, opp)
}

// last2Moves tries both squares; -infinity when neither is a move.
func (x *solver) last2Moves(own, opp engine.Bitboard, beta int, a, b engine.Square) int {
	best := -infinity
	if x.t.around[a&63]&opp != 0 {
		if f := engine.Flips(own, opp, a); f != 0 {
			best = -x.sign * last1(opp&^f, b)
			if best >= beta {
				return best
			}
		}
	}
	if x.t.around[b&63]&opp != 0 {
		if f := engine.Flips(own, opp, b); f != 0 {
			best = max(best, -x.sign*last1(opp&^f, a))
		}
	}
	return best
}

// few returns the score in discs with n = 3 or 4 empty squares, fail soft.
func (x *solver) few(own, opp engine.Bitboard, alpha, beta, n int, parity uint8) int {
	x.nodes++
	if best := x.fewMoves(own, opp, alpha, beta, n, parity); best != -infinity {
		return best
	}
	if engine.LegalMoves(opp, own) == 0 {
		return x.sign * final(own, opp)
	}
	return -x.few(opp, own, -beta, -alpha, n, parity)
}

// fewMoves tries all squares; -infinity when none is a move. Those in quarters
// with an odd number of empty squares come first: whoever moves there moves
// last there.
func (x *solver) fewMoves(own, opp engine.Bitboard, alpha, beta, n int, parity uint8) int {
	empty := ^(own | opp)
	best := -infinity
	set := empty & x.t.odd[parity&15]
	for rest := empty &^ set; set|rest != 0; set &= set - 1 {
		if set == 0 {
			set, rest = rest, 0
		}
		s := set.First() & 63
		if x.t.around[s]&opp == 0 {
			continue
		}
		f := engine.Flips(own, opp, s)
		if f == 0 {
			continue
		}
		var score int
		if n == 3 {
			left := empty &^ s.Bit()
			score = -x.last2(opp&^f, own|f|s.Bit(), -max(alpha, best), left.First(), (left & (left - 1)).First())
		} else {
			score = -x.few(opp&^f, own|f|s.Bit(), -beta, -max(alpha, best), n-1, parity^x.t.quadrant[s])
		}
		best = max(best, score)
		if best >= beta {
			break
		}
	}
	return best
}
