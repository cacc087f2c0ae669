package engine

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Square is one of the 64 squares: a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63.
type Square uint8

// Squares is the number of squares, and of cells, on the board.
const Squares = 64

// SquareAt returns the square in the given file (0 = a … 7 = h) and rank
// (0 = rank 1, the top row, … 7 = rank 8).
func SquareAt(file, rank int) Square { return Square(8*rank + file) }

// File returns 0 for file a … 7 for file h.
func (s Square) File() int { return int(s & 7) }

// Rank returns 0 for rank 1 (top) … 7 for rank 8 (bottom).
func (s Square) Rank() int { return int(s >> 3) }

// Bit returns the bitboard that holds only s.
func (s Square) Bit() Bitboard { return 1 << s }

// String returns the square's name in lower case, for example "e6".
func (s Square) String() string {
	if s >= Squares {
		return "??"
	}
	return string([]byte{'a' + byte(s.File()), '1' + byte(s.Rank())})
}

// ParseSquare reads a square name of two characters in any letter case.
func ParseSquare(text string) (Square, error) {
	if len(text) == 2 {
		file, rank := text[0]|0x20, text[1]
		if 'a' <= file && file <= 'h' && '1' <= rank && rank <= '8' {
			return SquareAt(int(file-'a'), int(rank-'1')), nil
		}
	}
	return 0, fmt.Errorf("%.16q is not a square: want a file a–h and a rank 1–8, like e6", text)
}

// Bitboard is a set of squares, bit n for Square n.
type Bitboard uint64

// Has reports whether s is in the set.
func (b Bitboard) Has(s Square) bool { return b>>s&1 != 0 }

// Count returns the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First returns the lowest square of a set that is not empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// All yields the squares of the set in ascending order.
func (b Bitboard) All() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		for ; b != 0; b &= b - 1 {
			if !yield(b.First()) {
				return
			}
		}
	}
}

// Names returns the names of the squares in ascending order.
func (b Bitboard) Names() []string {
	names := make([]string, 0, b.Count())
	for s := range b.All() {
		names = append(names, s.String())
	}
	return names
}

// String returns the names separated by blanks, for messages and tests.
func (b Bitboard) String() string { return strings.Join(b.Names(), " ") }

// ParseSquares reads square names separated by blanks or commas.
func ParseSquares(text string) (Bitboard, error) {
	var set Bitboard
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		s, err := ParseSquare(name)
		if err != nil {
			return 0, err
		}
		set |= s.Bit()
	}
	return set, nil
}
