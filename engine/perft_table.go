package engine

import (
	"math/bits"
	"sync"
)

// PerftTable remembers how many leaves lie below positions, so that what is
// reached by many lines of play, or is the mirror image of something else, need
// be counted only once. The key of a count is the whole position with depth and
// convention; no count is ever taken for another one, and it is exact with a
// table of any size.
//
// All methods are safe for use by several goroutines at a time.
type PerftTable struct {
	buckets []perftBucket
	// locks guard the buckets; each lock guards every 256th of them.
	locks [256]sync.Mutex
}

// perftBucket holds two positions: the one with the greater count, which is
// expensive to lose, and the latest other one.
type perftBucket [2]perftEntry

// perftEntry is a position, in the smallest of its eight images, and the leaves
// below it: 24 bytes.
type perftEntry struct {
	own, opp Bitboard
	// found is the number of leaves, above the bits of the key.
	found perftKey
}

// perftKey is depth (7 bits) and convention (2 bits) of a count, with room for
// the leaves above. An empty place has the key 0, which is none: depth is never
// 0 there.
type perftKey uint64

const (
	keyBits   = 9
	keyMask   = 1<<keyBits - 1
	maxLeaves = 1<<(64-keyBits) - 1
	// maxKeyDepth is the deepest count that is kept; games are shorter.
	maxKeyDepth = 1<<7 - 1
	// bucketSize is the size of a bucket in bytes.
	bucketSize = 2 * 24
)

// perftFrom is from which depth on counts are kept: a shallower one takes less
// time than the way to memory.
const perftFrom = 3

// NewPerftTable returns an empty table of about that many bytes of memory, at
// least a few kilobytes.
func NewPerftTable(memory int) *PerftTable {
	return &PerftTable{buckets: make([]perftBucket, max(memory/bucketSize, 64))}
}

// Perft counts like [Convention.Perft].
func (t *PerftTable) Perft(c Convention, p Position, depth int) uint64 {
	return newCounter(c, t).perft(p, depth)
}

// Clear empties the table: what is left of other counts takes room from new
// ones.
func (t *PerftTable) Clear() {
	for i := range t.locks {
		t.locks[i].Lock()
	}
	clear(t.buckets)
	for i := range t.locks {
		t.locks[i].Unlock()
	}
}

// remembered is moves with a look into the table before and a note afterwards.
func (k *counter) remembered(own, opp, legal Bitboard, depth int) uint64 {
	if depth > maxKeyDepth {
		return k.moves(own, opp, legal, depth)
	}
	key := perftKey(depth)<<2 | perftKey(k.convention)
	own8, opp8 := smallest(own, opp)
	bucket, lock := k.table.place(own8, opp8)
	lock.Lock()
	leaves, ok := bucket.find(own8, opp8, key)
	lock.Unlock()
	if ok {
		return leaves
	}
	leaves = k.moves(own, opp, legal, depth)
	if leaves <= maxLeaves {
		lock.Lock()
		bucket.store(perftEntry{own8, opp8, perftKey(leaves)<<keyBits | key})
		lock.Unlock()
	}
	return leaves
}

// place returns where a position is kept.
func (t *PerftTable) place(own, opp Bitboard) (*perftBucket, *sync.Mutex) {
	x := uint64(own) * 0x9E3779B97F4A7C15
	x = (bits.RotateLeft64(x, 32) ^ uint64(opp)) * 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xCA5A826395121157
	i, _ := bits.Mul64(x, uint64(len(t.buckets)))
	return &t.buckets[i], &t.locks[i%uint64(len(t.locks))]
}

// find returns the leaves below a position, if it is there.
func (b *perftBucket) find(own, opp Bitboard, key perftKey) (leaves uint64, ok bool) {
	for i := range b {
		e := &b[i]
		if e.own == own && e.opp == opp && e.found&keyMask == key {
			return uint64(e.found >> keyBits), true
		}
	}
	return 0, false
}

// store keeps a count in the first place if it is as great as what is there,
// which then moves to the second place, else in the second place.
func (b *perftBucket) store(e perftEntry) {
	if e.found >= b[0].found {
		b[1], b[0] = b[0], e
		return
	}
	b[1] = e
}

// Canonical returns the one of the eight images of a position (turned and
// mirrored) that stands for all of them: equal for two positions exactly when
// one is an image of the other.
func (p Position) Canonical() Position {
	p.Black, p.White = smallest(p.Black, p.White)
	return p
}

// smallest returns the smallest of the eight images of a position, which is the
// same one for all of them.
func smallest(own, opp Bitboard) (_, _ Bitboard) {
	least, with := own, opp
	for range 2 {
		for range 2 {
			for range 2 {
				if own < least || own == least && opp < with {
					least, with = own, opp
				}
				own, opp = own.upsideDown(), opp.upsideDown()
			}
			own, opp = own.mirrored(), opp.mirrored()
		}
		own, opp = own.transposed(), opp.transposed()
	}
	return least, with
}

// upsideDown exchanges ranks 1 and 8, 2 and 7, and so on.
func (b Bitboard) upsideDown() Bitboard { return Bitboard(bits.ReverseBytes64(uint64(b))) }

// mirrored exchanges files a and h, b and g, and so on.
func (b Bitboard) mirrored() Bitboard {
	const ones, pairs, fours Bitboard = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
	b = b>>1&ones | b&ones<<1
	b = b>>2&pairs | b&pairs<<2
	return b>>4&fours | b&fours<<4
}

// transposed exchanges files and ranks: b1 and a2, and so on. Blocks of four by
// four squares change places beside the diagonal, then smaller ones.
func (b Bitboard) transposed() Bitboard {
	for _, step := range [...]struct {
		mask  Bitboard
		shift uint
	}{{0x00000000F0F0F0F0, 28}, {0x0000CCCC0000CCCC, 14}, {0x00AA00AA00AA00AA, 7}} {
		changed := (b ^ b>>step.shift) & step.mask
		b ^= changed | changed<<step.shift
	}
	return b
}
