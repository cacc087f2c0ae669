package search

import (
	"math/bits"

	"reversi-board/engine"
)

// noMove stands in a table entry where no best move is known.
const noMove = 64

// entry is what is known of one position: 24 bytes. The whole position is the
// key, so no two positions are ever taken for each other.
type entry struct {
	own, opp engine.Bitboard
	// lower and upper bound the score in units.
	lower, upper int16
	// depth is how deep the bounds look; an exact endgame is exactDepth and
	// the number of empty squares.
	depth uint8
	// sel is how sure the bounds are (selectivity), in the low three bits, and
	// the age of the search in the others.
	sel uint8
	// move is the best move, other the second best; noMove when unknown.
	move, other uint8
}

// exactDepth is added to the number of empty squares for a proven score.
const exactDepth = 64

const (
	selBits = 3
	selMask = 1<<selBits - 1
)

// hashTable is the transposition table: buckets of two entries, of which the
// first keeps the deeper search and the second the later one.
type hashTable struct {
	entries []entry
	shift   uint
	age     uint8
}

// entrySize is the size of an entry in bytes.
const entrySize = 24

// newHashTable returns a table of at most that many bytes, at least 1024
// entries.
func newHashTable(size int) *hashTable {
	log := max(10, bits.Len(uint(max(size, 1)/entrySize))-1)
	return &hashTable{entries: make([]entry, 1<<log), shift: uint(64 - log + 1)}
}

// clear forgets everything.
func (h *hashTable) clear() { clear(h.entries) }

// next begins a new search: what older ones have left is replaced first.
func (h *hashTable) next() { h.age += 1 << selBits }

// bucket returns the two places of a position.
func (h *hashTable) bucket(own, opp engine.Bitboard) *[2]entry {
	x := uint64(own) * 0x9E3779B97F4A7C15
	x = (bits.RotateLeft64(x, 32) ^ uint64(opp)) * 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xCA5A826395121157
	i := x >> (h.shift & 63) << 1
	return (*[2]entry)(h.entries[i : i+2])
}

// find returns the entry of a position, nil when there is none.
func (h *hashTable) find(own, opp engine.Bitboard) *entry {
	b := h.bucket(own, opp)
	if b[0].own == own && b[0].opp == opp {
		return &b[0]
	}
	if b[1].own == own && b[1].opp == opp {
		return &b[1]
	}
	return nil
}

// result is what a search has found out about a position.
type result struct {
	alpha, beta, score int
	depth              int
	sel                int
	move               engine.Square
}

// store keeps a result.
func (h *hashTable) store(own, opp engine.Bitboard, r *result) {
	b := h.bucket(own, opp)
	e := &b[1]
	switch {
	case b[0].own == own && b[0].opp == opp:
		e = &b[0]
	case b[1].own == own && b[1].opp == opp:
	case b[0].sel&^selMask != h.age || int(b[0].depth) <= r.depth:
		// What is pushed out of the first place may still be useful.
		b[1] = b[0]
		e = &b[0]
	}
	if e.own == own && e.opp == opp {
		h.update(e, r)
		return
	}
	*e = entry{
		own: own, opp: opp, lower: -infinity, upper: infinity,
		depth: uint8(r.depth), sel: uint8(r.sel) | h.age, move: noMove, other: noMove,
	}
	e.bound(r)
}

// update brings a result together with what was known of the position.
func (h *hashTable) update(e *entry, r *result) {
	sel := int(e.sel & selMask)
	switch {
	case int(e.depth) == r.depth && sel == r.sel:
	case int(e.depth) > r.depth || int(e.depth) == r.depth && sel > r.sel:
		// More was known before. It happens when the bounds did not help.
		return
	default:
		e.lower, e.upper = -infinity, infinity
		e.depth = uint8(r.depth)
	}
	e.sel = uint8(r.sel) | h.age
	e.bound(r)
}

// bound narrows the bounds by a result and notes its move.
func (e *entry) bound(r *result) {
	if r.score < r.beta {
		e.upper = min(e.upper, int16(r.score))
	}
	if r.score > r.alpha {
		e.lower = max(e.lower, int16(r.score))
	}
	if r.score > r.alpha || e.move == noMove {
		if e.move != uint8(r.move) {
			e.other, e.move = e.move, uint8(r.move)
		}
	}
}
