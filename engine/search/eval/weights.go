package eval

import (
	"reversi-board/engine"
)

const (
	// Unit is one disc in the scores of this package and of the search.
	Unit = 32
	// Limit bounds every score: an evaluation stays inside a lost or won game
	// of 64 discs.
	Limit = 64*Unit - 1
	// Stages is the number of stages of the game, of stageLength discs each.
	Stages      = 12
	stageLength = 5
	// moves is the number of different counts of legal moves that are told
	// apart.
	moves = 32
)

// StageOf returns the stage of a position with that many empty squares, 0 at
// the start of the game.
func StageOf(empties int) int { return min((60-min(empties, 60))/stageLength, Stages-1) }

// stage holds the weights of one stage.
type stage struct {
	pattern [patterns][]int16
	// own and opp are the worth of having that many moves.
	own, opp [moves]int16
	// tempo is the worth of having the move with a number of empty squares,
	// modulo stageLength.
	tempo [stageLength]int16
}

// Weights is a trained evaluation. It is read-only and may be shared by any
// number of searches.
type Weights struct {
	stages [Stages]stage
}

// newWeights returns weights that are all 0.
func newWeights() *Weights {
	w := new(Weights)
	for i := range w.stages {
		for p, s := range shapes() {
			w.stages[i].pattern[p] = make([]int16, s.size())
		}
	}
	return w
}

// Score estimates the final score for the side to move, in Units of a disc.
func (w *Weights) Score(f *Features, own, opp engine.Bitboard) int {
	empties := 64 - (own | opp).Count()
	s := &w.stages[StageOf(empties)]
	p := &s.pattern
	sum := sum4(p[corner33], f[0]) +
		sum4(p[corner25], f[1]) + sum4(p[corner25], f[2]) +
		sum4(p[edgeX], f[3]) +
		sum4(p[line2], f[4]) + sum4(p[line3], f[5]) + sum4(p[line4], f[6]) +
		int(p[diagonal8][uint16(f[7])]) + int(p[diagonal8][uint16(f[7]>>16)]) +
		sum4(p[diagonal7], f[8]) + sum4(p[diagonal6], f[9]) + sum4(p[diagonal5], f[10]) + sum4(p[diagonal4], f[11]) +
		int(s.own[engine.LegalMoves(own, opp).Count()&(moves-1)]) +
		int(s.opp[engine.LegalMoves(opp, own).Count()&(moves-1)]) +
		int(s.tempo[empties%stageLength])
	return max(-Limit, min(Limit, sum))
}

// sum4 adds the weights of the four indices in one word.
func sum4(weight []int16, word uint64) int {
	return int(weight[uint16(word)]) + int(weight[uint16(word>>16)]) +
		int(weight[uint16(word>>32)]) + int(weight[uint16(word>>48)])
}
