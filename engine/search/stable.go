package search

import "reversi-board/engine"

const (
	fileA   engine.Bitboard = 0x0101010101010101
	fileH   engine.Bitboard = 0x8080808080808080
	rank1   engine.Bitboard = 0x00000000000000FF
	rank8   engine.Bitboard = 0xFF00000000000000
	corners engine.Bitboard = 0x8100000000000081
	border                  = fileA | fileH | rank1 | rank8
)

// stable returns discs of own that can never be turned, not always all of them:
// a disc is counted when on each of its four lines the line is full, or the
// disc has the border or a stable disc of own beside it.
func stable(own, opp engine.Bitboard) engine.Bitboard {
	all := own | opp
	rank := fullRanks(all) | fileA | fileH
	file := fullFiles(all) | rank1 | rank8
	left := fullDiagonals(all, 7) | border
	right := fullDiagonals(all, 9) | border
	safe := own & rank & file & left & right
	if safe == 0 {
		safe = own & corners
	}
	for {
		next := own & (rank | safe<<1 | safe>>1) & (file | safe<<8 | safe>>8) &
			(left | safe<<7 | safe>>7) & (right | safe<<9 | safe>>9)
		if next|safe == safe {
			return safe
		}
		safe |= next
	}
}

// fullRanks returns the squares of all ranks without an empty square.
func fullRanks(all engine.Bitboard) engine.Bitboard {
	all &= all >> 4
	all &= all >> 2
	all &= all >> 1
	return all & fileA * 0xFF
}

// fullFiles returns the squares of all files without an empty square.
func fullFiles(all engine.Bitboard) engine.Bitboard {
	all &= all>>32 | all<<32
	all &= all>>16 | all<<48
	all &= all>>8 | all<<56
	return all
}

// fullDiagonals returns the squares of all diagonals in the direction of shift
// (7 or 9) without an empty square.
func fullDiagonals(all engine.Bitboard, shift uint) engine.Bitboard {
	// An empty square spreads along its diagonal both ways: one, two and four
	// steps. Towards file h only the files behind the steps can be reached,
	// towards file a only those before.
	const (
		right1, right2, right4 engine.Bitboard = 0xFEFEFEFEFEFEFEFE, 0xFCFCFCFCFCFCFCFC, 0xF0F0F0F0F0F0F0F0
		left1, left2, left4    engine.Bitboard = 0x7F7F7F7F7F7F7F7F, 0x3F3F3F3F3F3F3F3F, 0x0F0F0F0F0F0F0F0F
	)
	up, down := ^all, ^all
	if shift == 9 {
		up |= up << 9 & right1
		up |= up << 18 & right2
		up |= up << 36 & right4
		down |= down >> 9 & left1
		down |= down >> 18 & left2
		down |= down >> 36 & left4
		return ^(up | down)
	}
	up |= up << 7 & left1
	up |= up << 14 & left2
	up |= up << 28 & left4
	down |= down >> 7 & right1
	down |= down >> 14 & right2
	down |= down >> 28 & right4
	return ^(up | down)
}
