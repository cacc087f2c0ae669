package eval

import (
	"math/bits"
	"sync"

	"reversi-board/engine"
)

// Patterns, each a set of squares whose contents together are worth a learned
// number of discs. A pattern lies on the board in two, four or eight ways that
// are reflections of each other and share their weights.
const (
	corner33 = iota // 3x3 squares in a corner
	corner25        // 2x5 squares in a corner, along either border
	edgeX           // a border with the two X squares beside its corners
	line2           // rank 2 and the like
	line3           // rank 3 and the like
	line4           // rank 4 and the like
	diagonal8
	diagonal7
	diagonal6
	diagonal5
	diagonal4
	patterns
)

const (
	// words is the length of Features.
	words = 12
	// lanes is the number of indices in one word.
	lanes = 4
)

// Features holds, for every pattern in every place, the index of its contents:
// a number in base 3 with a digit 0 for a disc of the side to move, 1 for an
// empty square and 2 for a disc of the other side. Four indices of 16 bits lie
// in each word.
//
// Every square adds its digit times a constant to each index, so a move is a
// handful of additions of whole words: no lane ever overflows in the sum,
// whatever happens in between.
type Features [words]uint64

// shape says where a pattern lies.
type shape struct {
	// squares are those of the first place; the first counts most.
	squares []engine.Square
	// places are the board's symmetries that give all places.
	places []symmetry
	// word is the word of Features that holds the first four places.
	word int
}

// symmetry maps the board onto itself: bit 0 mirrors the files, bit 1 the
// ranks, bit 2 exchanges files and ranks (after the mirrors).
type symmetry uint8

// apply returns where s goes.
func (m symmetry) apply(s engine.Square) engine.Square {
	file, rank := s.File(), s.Rank()
	if m&1 != 0 {
		file = 7 - file
	}
	if m&2 != 0 {
		rank = 7 - rank
	}
	if m&4 != 0 {
		file, rank = rank, file
	}
	return engine.SquareAt(file, rank)
}

// shapes returns the patterns in the order of the constants.
func shapes() [patterns]shape {
	corners := []symmetry{0, 1, 2, 3}
	borders := []symmetry{0, 2, 4, 6}
	all := []symmetry{0, 1, 2, 3, 4, 5, 6, 7}
	rank := func(n int) []engine.Square {
		var line []engine.Square
		for file := range 8 {
			line = append(line, engine.SquareAt(file, n))
		}
		return line
	}
	block := func(files, ranks int) []engine.Square {
		var squares []engine.Square
		for r := range ranks {
			for f := range files {
				squares = append(squares, engine.SquareAt(f, r))
			}
		}
		return squares
	}
	diagonal := func(length int) []engine.Square {
		var line []engine.Square
		for n := range length {
			line = append(line, engine.SquareAt(8-length+n, n))
		}
		return line
	}
	return [patterns]shape{
		corner33:  {block(3, 3), corners, 0},
		corner25:  {block(5, 2), all, 1},
		edgeX:     {append(rank(0), engine.SquareAt(1, 1), engine.SquareAt(6, 1)), borders, 3},
		line2:     {rank(1), borders, 4},
		line3:     {rank(2), borders, 5},
		line4:     {rank(3), borders, 6},
		diagonal8: {diagonal(8), []symmetry{0, 1}, 7},
		diagonal7: {diagonal(7), corners, 8},
		diagonal6: {diagonal(6), corners, 9},
		diagonal5: {diagonal(5), corners, 10},
		diagonal4: {diagonal(4), corners, 11},
	}
}

// size returns the number of contents of a pattern.
func (s *shape) size() int { return pow3(len(s.squares)) }

// twin returns, for every contents of the pattern, the contents seen in the
// mirror that maps the pattern onto itself; without such a mirror each is its
// own twin. The two are worth the same.
func (s *shape) twin() []int {
	n := len(s.squares)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for _, m := range []symmetry{1, 2, 7, 4} {
		if to, ok := s.onto(m); ok {
			order = to
			break
		}
	}
	twins := make([]int, s.size())
	for index := range twins {
		rest, mirrored := index, 0
		for i := n - 1; i >= 0; i-- {
			mirrored += rest % 3 * pow3(n-1-order[i])
			rest /= 3
		}
		twins[index] = mirrored
	}
	return twins
}

// onto returns where m takes each square of the pattern, as positions in the
// list; ok is false when one leaves the pattern.
func (s *shape) onto(m symmetry) (to []int, ok bool) {
	for _, square := range s.squares {
		found := -1
		for i, other := range s.squares {
			if m.apply(square) == other {
				found = i
			}
		}
		if found < 0 {
			return nil, false
		}
		to = append(to, found)
	}
	return to, true
}

func pow3(n int) int {
	p := 1
	for range n {
		p *= 3
	}
	return p
}

// steps says how squares move the indices.
type steps struct {
	// square is what one digit of a square adds to every index.
	square [engine.Squares]Features
	// all is the sum of all squares: the empty board. Twice that is the board
	// full of discs of the other side.
	all, full Features
}

// table is computed once for the process.
//
//nolint:gochecknoglobals // Read-only after it has been computed.
var table = sync.OnceValue(func() *steps {
	var t steps
	for _, s := range shapes() {
		for place, m := range s.places {
			word, lane := s.word+place/lanes, place%lanes
			for i, square := range s.squares {
				t.square[m.apply(square)][word] += uint64(pow3(len(s.squares)-1-i)) << (16 * lane)
			}
		}
	}
	for _, step := range t.square {
		for w := range t.all {
			t.all[w] += step[w]
			t.full[w] += 2 * step[w]
		}
	}
	return &t
})

// Extractor computes features. The zero value is not ready, take one from
// NewExtractor.
type Extractor struct{ t *steps }

// NewExtractor returns an extractor; all share their tables.
func NewExtractor() Extractor { return Extractor{table()} }

// Of returns the features of a position with own to move.
func (e Extractor) Of(own, opp engine.Bitboard) Features {
	f := e.t.all
	for b := uint64(own); b != 0; b &= b - 1 {
		step := &e.t.square[bits.TrailingZeros64(b)&63]
		for w := range f {
			f[w] -= step[w]
		}
	}
	for b := uint64(opp); b != 0; b &= b - 1 {
		step := &e.t.square[bits.TrailingZeros64(b)&63]
		for w := range f {
			f[w] += step[w]
		}
	}
	return f
}

// Move writes to next the features after the side to move has placed a disc on
// s and turned flips, seen from the other side.
func (e Extractor) Move(next, f *Features, s engine.Square, flips engine.Bitboard) {
	full, step := &e.t.full, &e.t.square[s&63]
	for w := range next {
		next[w] = full[w] - f[w] + step[w]
	}
	for b := uint64(flips); b != 0; b &= b - 1 {
		step := &e.t.square[bits.TrailingZeros64(b)&63]
		for w := range next {
			next[w] += 2 * step[w]
		}
	}
}

// Pass writes to next the features seen from the other side.
func (e Extractor) Pass(next, f *Features) {
	for w := range next {
		next[w] = e.t.full[w] - f[w]
	}
}
