package engine

// Perft counts the leaves of the game tree below p, depth plies down. A pass is
// a ply of its own, and a game that ends earlier is one leaf (the convention of
// the published tables from the standard start).
func Perft(p Position, depth int) uint64 {
	own, opp := p.Of(p.Turn), p.Of(p.Turn.Opponent())
	if depth <= 0 {
		return 1
	}
	return perft(own, opp, LegalMoves(own, opp), depth)
}

// perft counts below a node whose moves are known, depth being 1 or more. The
// leaves of the last ply are counted without being visited.
func perft(own, opp, legal Bitboard, depth int) uint64 {
	if legal == 0 {
		legal = LegalMoves(opp, own)
		if legal == 0 || depth == 1 {
			return 1
		}
		return perft(opp, own, legal, depth-1)
	}
	if depth == 1 {
		return uint64(legal.Count())
	}
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
		leaves += perft(next, other, replies, depth-1)
	}
	return leaves
}
