package engine

//go:generate go run ./gen

// Horizontal and diagonal runs must not wrap from file h to file a. An
// outflanked disc on a border file can only be crossed along that file, so it
// is enough to leave files a and h out of the opponent's discs for the six
// directions that change the file.
const innerFiles Bitboard = 0x7E7E7E7E7E7E7E7E

// LegalMoves returns the empty squares on which a disc of own outflanks at
// least one of opp.
//
// All squares and directions are worked on at once. Along a rank towards file h
// the carry of an addition runs through a row of discs by itself. In the other
// directions the rows are followed by parallel prefix: two steps one by one,
// then two at a time.
//
// The four axes are written out one after the other because that keeps
// everything in registers: as calls they cost a third more time.
func LegalMoves(own, opp Bitboard) Bitboard {
	inner := opp & innerFiles

	// Rank.
	all := inner + own<<1&inner
	down := inner & (own >> 1)
	down |= inner & (down >> 1)
	pairs := inner & (inner >> 1)
	down |= pairs & (down >> 2)
	down |= pairs & (down >> 2)
	all |= down >> 1

	// File.
	up := opp & (own << 8)
	down = opp & (own >> 8)
	up |= opp & (up << 8)
	down |= opp & (down >> 8)
	pairs = opp & (opp << 8)
	up |= pairs & (up << 16)
	up |= pairs & (up << 16)
	pairs >>= 8
	down |= pairs & (down >> 16)
	down |= pairs & (down >> 16)
	all |= up<<8 | down>>8

	// Diagonal that falls to the left.
	up = inner & (own << 7)
	down = inner & (own >> 7)
	up |= inner & (up << 7)
	down |= inner & (down >> 7)
	pairs = inner & (inner << 7)
	up |= pairs & (up << 14)
	up |= pairs & (up << 14)
	pairs >>= 7
	down |= pairs & (down >> 14)
	down |= pairs & (down >> 14)
	all |= up<<7 | down>>7

	// Diagonal that falls to the right.
	up = inner & (own << 9)
	down = inner & (own >> 9)
	up |= inner & (up << 9)
	down |= inner & (down >> 9)
	pairs = inner & (inner << 9)
	up |= pairs & (up << 18)
	up |= pairs & (up << 18)
	pairs >>= 9
	down |= pairs & (down >> 18)
	down |= pairs & (down >> 18)
	all |= up<<9 | down>>9

	return all &^ (own | opp)
}

const (
	// fileA is the file whose shifts are the other files. A product with it
	// adds up all ranks in the highest one, and repeats the lowest in all.
	fileA Bitboard = 0x0101010101010101
	// laid turns file a, multiplied, into rank 8 in the same order.
	laid Bitboard = 0x0102040810204080
	// stood turns rank 1, multiplied, into file a in the same order.
	stood Bitboard = 0x0002040810204081
)

// Flips returns the discs of opp that a disc of own placed on s outflanks. It
// is empty when s is occupied or the move is illegal. Rows that become bounded
// only because other discs have been turned do not count (no cascade).
//
// Each of the four lines through s is brought into eight bits by a product.
// There a first table tells which squares would have to be own for the row
// beside s to be outflanked, and a second one what lies between.
func Flips(own, opp Bitboard, s Square) Bitboard {
	s &= Squares - 1
	if (own|opp)>>s&1 != 0 {
		return 0
	}
	file, rank := s&7, s>>3
	first := &ends[file]
	inside := &between[file]

	// Rank.
	flips := Bitboard(inside[first[opp>>((s&^7)+1)&63]&uint8(own>>(s&^7))]) << (s &^ 7)

	// File.
	o := (opp >> file & fileA) * laid >> 57 & 63
	p := (own >> file & fileA) * laid >> 56
	turned := Bitboard(between[rank][ends[rank][o]&uint8(p)])
	flips |= turned * stood & fileA << file

	// Diagonals: their squares all lie on different files.
	line := diagonals[s][0]
	o = (opp & line) * fileA >> 57 & 63
	p = (own & line) * fileA >> 56
	flips |= Bitboard(inside[first[o]&uint8(p)]) * fileA & line

	line = diagonals[s][1]
	o = (opp & line) * fileA >> 57 & 63
	p = (own & line) * fileA >> 56
	flips |= Bitboard(inside[first[o]&uint8(p)]) * fileA & line
	return flips
}

// LastFlips returns how many discs turn when own places a disc on s, the only
// empty square: there every row that another disc of own ends is a whole row of
// the opponent's discs.
func LastFlips(own Bitboard, s Square) int {
	s &= Squares - 1
	file, rank := s&7, s>>3
	inside := &enclosed[file]
	flips := inside[uint8(own>>(s&^7))] + enclosed[rank][(own>>file&fileA)*laid>>56] +
		inside[(own&diagonals[s][0])*fileA>>56] + inside[(own&diagonals[s][1])*fileA>>56]
	return int(flips)
}
