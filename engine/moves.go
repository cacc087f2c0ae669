package engine

// Horizontal and diagonal runs must not wrap from file h to file a. An
// outflanked disc on a border file can only be crossed along that file, so it
// is enough to leave files a and h out of the opponent's discs for the six
// directions that change the file.
const innerFiles Bitboard = 0x7E7E7E7E7E7E7E7E

// LegalMoves returns the empty squares on which a disc of own outflanks at
// least one of opp (Kogge-Stone fill, all eight directions).
func LegalMoves(own, opp Bitboard) Bitboard {
	inner := opp & innerFiles
	return ^(own | opp) & (reach(own, inner, 1) | reach(own, opp, 8) | reach(own, inner, 7) | reach(own, inner, 9))
}

// reach returns the squares just behind an unbroken run of opp that starts
// beside a disc of own, in both senses of the direction that shift steps.
func reach(own, opp Bitboard, shift uint) Bitboard {
	up := opp & (own << shift)
	down := opp & (own >> shift)
	up |= opp & (up << shift)
	down |= opp & (down >> shift)
	upOpp, downOpp := opp&(opp<<shift), opp&(opp>>shift)
	up |= upOpp & (up << (2 * shift))
	down |= downOpp & (down >> (2 * shift))
	up |= upOpp & (up << (2 * shift))
	down |= downOpp & (down >> (2 * shift))
	return up<<shift | down>>shift
}

// Flips returns the discs of opp that a disc of own placed on s outflanks. It
// is empty when s is occupied or the move is illegal. Rows that become bounded
// only because other discs have been turned do not count (no cascade).
func Flips(own, opp Bitboard, s Square) Bitboard {
	disc := s.Bit()
	if (own|opp)&disc != 0 {
		return 0
	}
	inner := opp & innerFiles
	return run(own, inner, disc, 1) | run(own, opp, disc, 8) | run(own, inner, disc, 7) | run(own, inner, disc, 9)
}

// run returns the outflanked discs in both senses of one direction.
func run(own, opp, disc Bitboard, shift uint) Bitboard {
	up := opp & (disc << shift)
	down := opp & (disc >> shift)
	for range 5 {
		up |= opp & (up << shift)
		down |= opp & (down >> shift)
	}
	var flips Bitboard
	if up<<shift&^up&own != 0 {
		flips |= up
	}
	if down>>shift&^down&own != 0 {
		flips |= down
	}
	return flips
}
