package search

import (
	"math"
	"math/rand/v2"

	"reversi-board/engine"
)

// maxLevel is the strongest level.
const maxLevel = 10

// skill is how a level plays. Mistakes are made the way people make them: by a
// short horizon, by taking many discs, by not seeing inconspicuous moves, and
// by misjudging what is complicated.
type skill struct {
	// depth is how many moves are looked ahead.
	depth int
	// exact is from how many empty squares on the game is played out in mind.
	exact int
	// greed is the weight of the discs a move gains at once, 0 to 1; the rest
	// is the weight of what the search finds.
	greed float64
	// noise is the standard deviation in discs of the judgement of a move in a
	// position with eight moves; it grows with their number.
	noise float64
	// blind is the chance to overlook a move that turns only one disc and lies
	// off the border; others are seen better.
	blind float64
	// sel says which branches a search leaves out.
	sel int
	// memory is the size of the table in bytes.
	memory int
}

// skillOf returns how a level plays; the last one is bound by time, not by
// depth, if there is a clock.
//
// Level 1 is for a child, and level 2 may still lose to luck. From level 3 on
// nobody wins against the player by chance, not once in some thousand games:
// what is overlooked, a short horizon and a careless end of the game do lose
// such games, misjudging does hardly. So these levels see all moves, look three
// moves ahead at least, and count the end.
func skillOf(level int) skill {
	const kb, mb = 1 << 10, 1 << 20
	switch level {
	case 1:
		return skill{depth: 1, exact: 0, greed: 0.9, noise: 4, blind: 0.4, sel: exactSel, memory: 64 * kb}
	case 2:
		return skill{depth: 1, exact: 3, greed: 0.2, noise: 3.5, blind: 0.2, sel: exactSel, memory: 64 * kb}
	case 3:
		return skill{depth: 3, exact: 9, noise: 3, sel: exactSel, memory: 256 * kb}
	case 4:
		return skill{depth: 4, exact: 10, noise: 2.7, sel: exactSel, memory: 256 * kb}
	case 5:
		return skill{depth: 4, exact: 10, noise: 1.6, sel: exactSel, memory: 256 * kb}
	case 6:
		return skill{depth: 5, exact: 11, noise: 1.2, sel: exactSel, memory: 512 * kb}
	case 7:
		return skill{depth: 5, exact: 12, noise: 0.4, sel: exactSel, memory: mb}
	case 8:
		return skill{depth: 6, exact: 13, sel: exactSel, memory: 4 * mb}
	case 9:
		return skill{depth: 9, exact: 16, sel: sel87, memory: 16 * mb}
	default:
		return skill{depth: 12, exact: 18, sel: sel73, memory: DefaultMemory}
	}
}

// Rated is a legal move with what it is worth.
type Rated struct {
	Move engine.Move
	// Score is the value in discs for the side that makes the move.
	Score float64
}

// choose picks the move that a player of a skill would choose among rated ones;
// exact says that the ratings are proven. The same seed chooses the same move
// in the same position.
func choose(k skill, seed uint64, p place, rated []Rated, exact bool) int {
	mix := uint64(p.own)*0x9E3779B97F4A7C15 ^ uint64(p.opp)*0xC2B2AE3D27D4EB4F
	random := rand.New(rand.NewPCG(seed, mix)) //nolint:gosec // Chance that must repeat.
	noise := k.noise * math.Sqrt(float64(len(rated))/8)
	if exact {
		noise /= 2
	}
	best, at := math.Inf(-1), 0
	for i, r := range rated {
		s, _ := r.Move.Square()
		gain := engine.Flips(p.own, p.opp, s).Count()
		// Both are drawn for every move, so that one move's luck does not
		// depend on another's.
		value := (1-k.greed)*r.Score + k.greed*2*float64(gain) + random.NormFloat64()*noise
		seen := random.Float64() >= k.blind*hidden(s, gain)
		if !seen {
			value -= 64
		}
		if value > best {
			best, at = value, i
		}
	}
	return at
}

// hidden returns how inconspicuous a move is, from 0 to 1.
func hidden(s engine.Square, gain int) float64 {
	switch {
	case corners.Has(s):
		return 0.1
	case border.Has(s):
		return 0.5
	default:
		return 1 / float64(max(gain, 1))
	}
}
