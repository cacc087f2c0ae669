package engine

// Perft counts the leaves of the game tree below p, depth plies down. A pass is
// a ply of its own, and a game that ends earlier is one leaf (the convention of
// the published tables from the standard start).
func Perft(p Position, depth int) uint64 {
	own, opp := p.Of(p.Turn), p.Of(p.Turn.Opponent())
	return perft(own, opp, depth)
}

func perft(own, opp Bitboard, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	legal := LegalMoves(own, opp)
	if legal == 0 {
		if LegalMoves(opp, own) == 0 {
			return 1
		}
		return perft(opp, own, depth-1)
	}
	if depth == 1 {
		return uint64(legal.Count())
	}
	var leaves uint64
	for ; legal != 0; legal &= legal - 1 {
		s := legal.First()
		flips := Flips(own, opp, s)
		leaves += perft(opp&^flips, own|flips|s.Bit(), depth-1)
	}
	return leaves
}
