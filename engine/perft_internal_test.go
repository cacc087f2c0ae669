package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// The eight images have one smallest in common, or the table would count most
// things eight times. The exchanges are compared square by square.
func TestSmallestImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		own, opp := Bitboard(a&b), Bitboard(a&^b)
		least, with := smallest(own, opp)
		found := false
		for way := range 8 {
			o, p := moved(own, way), moved(opp, way)
			found = found || o == least && p == with
			if o < least || o == least && p < with {
				t.Fatalf("image %d of %x %x is smaller than %x %x", way, own, opp, least, with)
			}
			if l, w := smallest(o, p); l != least || w != with {
				t.Fatalf("image %d of %x %x: %x %x, want %x %x", way, own, opp, l, w, least, with)
			}
		}
		if !found {
			t.Fatalf("%x %x is no image of %x %x", least, with, own, opp)
		}
	})
}

// moved exchanges files (bit 0 of way), ranks (bit 1), and files with ranks
// (bit 2).
func moved(b Bitboard, way int) Bitboard {
	var all Bitboard
	for s := range b.All() {
		file, rank := s.File(), s.Rank()
		if way&1 != 0 {
			file = 7 - file
		}
		if way&2 != 0 {
			rank = 7 - rank
		}
		if way&4 != 0 {
			file, rank = rank, file
		}
		all |= SquareAt(file, rank).Bit()
	}
	return all
}

// What is expensive to count stays, what is cheap makes room.
func TestPerftBucketKeepsTheGreaterCount(t *testing.T) {
	var b perftBucket
	key := func(depth int) perftKey { return perftKey(depth) << 2 }
	for i, leaves := range []perftKey{5000, 100, 90, 6000} {
		b.store(perftEntry{Bitboard(i), 0, leaves<<keyBits | key(5)})
	}
	for i, want := range []uint64{5000, 0, 0, 6000} {
		if got, ok := b.find(Bitboard(i), 0, key(5)); got != want || ok != (want != 0) {
			t.Errorf("position %d: %d, %v, want %d", i, got, ok, want)
		}
	}
	for _, other := range []perftEntry{{3, 0, key(4)}, {3, 0, key(5) | 1}, {3, 1, key(5)}, {2, 0, key(5)}} {
		if _, ok := b.find(other.own, other.opp, other.found); ok {
			t.Errorf("%+v is found, and was never stored", other)
		}
	}
}
