package engine

import (
	"fmt"
	"strings"
)

// Convention says what perft counts where a side cannot move. Tables of counts
// differ in it, from 9 plies below the standard start on. The zero value is A.
type Convention uint8

// The four conventions. In all of them a position that is depth plies away is
// one leaf, whether its side can move or not.
const (
	// ConventionA is that of the usual published tables: a pass is a ply, and a
	// game that ends earlier is one leaf.
	ConventionA Convention = iota
	// ConventionB does not count games that end earlier; a pass is a ply.
	ConventionB
	// ConventionC counts plies in discs: a pass is none. A game that ends
	// earlier is one leaf.
	ConventionC
	// ConventionD counts plies in discs and leaves out games that end earlier:
	// what is left are the ways to place that many discs.
	ConventionD
)

// ParseConvention reads a letter from A to D in any case.
func ParseConvention(text string) (Convention, error) {
	if len(text) == 1 {
		if at := strings.Index("ABCD", strings.ToUpper(text)); at >= 0 {
			return Convention(at), nil
		}
	}
	return 0, fmt.Errorf("%.16q is not a way to count: want A, B, C or D", text)
}

// String returns the letter.
func (c Convention) String() string {
	if c > ConventionD {
		return "?"
	}
	return "ABCD"[c : c+1]
}

// Pass returns how many plies a pass is, 1 or 0.
func (c Convention) Pass() int {
	if c == ConventionA || c == ConventionB {
		return 1
	}
	return 0
}

// Ended returns how many leaves a game is that has ended earlier, 1 or 0.
func (c Convention) Ended() uint64 {
	if c == ConventionA || c == ConventionC {
		return 1
	}
	return 0
}

// Perft counts the leaves of the game tree below p, depth plies down. Every one
// is reached by the moves that lead to it, but for those of the last ply, which
// are counted without being visited.
func (c Convention) Perft(p Position, depth int) uint64 {
	return newCounter(c, nil).perft(p, depth)
}

// Perft counts by the convention of the published tables from the standard
// start, ConventionA.
func Perft(p Position, depth int) uint64 { return ConventionA.Perft(p, depth) }

// counter walks the tree.
type counter struct {
	convention Convention
	// pass and ended are those of the convention.
	pass  int
	ended uint64
	// table holds the counts of depth remember and more.
	table    *PerftTable
	remember int
}

// newCounter returns a counter; the table may be nil.
func newCounter(c Convention, table *PerftTable) *counter {
	k := &counter{convention: c, pass: c.Pass(), ended: c.Ended(), table: table, remember: perftFrom}
	if table == nil {
		k.remember = never
	}
	return k
}

// never is deeper than any count.
const never = 1 << 30

func (k *counter) perft(p Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	own, opp := p.Of(p.Turn), p.Of(p.Turn.Opponent())
	return k.below(own, opp, LegalMoves(own, opp), depth)
}

// below counts below a node whose moves are known, depth being 1 or more.
func (k *counter) below(own, opp, legal Bitboard, depth int) uint64 {
	switch {
	case legal == 0:
		return k.blocked(own, opp, depth)
	case depth == 1:
		return uint64(legal.Count())
	case depth >= k.remember:
		return k.remembered(own, opp, legal, depth)
	default:
		return k.moves(own, opp, legal, depth)
	}
}

// blocked counts below a node whose side cannot move.
func (k *counter) blocked(own, opp Bitboard, depth int) uint64 {
	legal := LegalMoves(opp, own)
	switch {
	case legal == 0:
		return k.ended
	case depth == k.pass:
		return 1
	default:
		return k.below(opp, own, legal, depth-k.pass)
	}
}

// moves counts below all moves of a node, depth being 2 or more.
func (k *counter) moves(own, opp, legal Bitboard, depth int) uint64 {
	var leaves uint64
	for ; legal != 0; legal &= legal - 1 {
		s := legal.First()
		flips := Flips(own, opp, s)
		next, other := opp&^flips, own|flips|s.Bit()
		replies := LegalMoves(next, other)
		if depth == 2 && replies != 0 {
			leaves += uint64(replies.Count())
			continue
		}
		leaves += k.below(next, other, replies, depth-1)
	}
	return leaves
}
