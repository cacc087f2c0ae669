package search_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/search"
)

// problem is a line of the FFO endgame suite: a position with the exact score
// of every legal move.
type problem struct {
	number   int
	position engine.Position
	scores   map[engine.Square]int
}

// best returns the best score and the moves that reach it.
func (p *problem) best() (score int, moves engine.Bitboard) {
	score = -65
	for m, s := range p.scores {
		if s > score {
			score, moves = s, 0
		}
		if s == score {
			moves |= m.Bit()
		}
	}
	return score, moves
}

// suite reads testdata/ffo-1-59.obf. Positions by M. Tastet, scores by Edax.
func suite(t testing.TB) []problem {
	t.Helper()
	text, err := os.ReadFile("testdata/ffo-1-59.obf")
	if err != nil {
		t.Fatal(err)
	}
	var all []problem
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		p := problem{number: len(all) + 1, position: position(t, strings.TrimSpace(fields[0])), scores: make(map[engine.Square]int)}
		for _, field := range fields[1:] {
			if field = strings.TrimSpace(field); field == "" {
				continue
			}
			move, score, _ := strings.Cut(field, ":")
			s, err := engine.ParseSquare(move)
			if err != nil {
				t.Fatal(err)
			}
			n, err := strconv.Atoi(score)
			if err != nil {
				t.Fatal(err)
			}
			p.scores[s] = n
		}
		if len(p.scores) != p.position.Legal().Count() {
			t.Fatalf("problem %d: %d scores", p.number, len(p.scores))
		}
		all = append(all, p)
	}
	if len(all) != 59 {
		t.Fatalf("%d problems, want 59", len(all))
	}
	return all
}

// position reads 64 cells, a blank and the side to move.
func position(t testing.TB, text string) engine.Position {
	t.Helper()
	cells, side, _ := strings.Cut(text, " ")
	d, err := engine.ParseDiscs(cells)
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Position{Discs: d}
	if side == "O" {
		p.Turn = engine.White
	}
	return p
}

// small is a searcher with a small table.
func small(o search.Options) *search.Searcher {
	if o.Memory == 0 {
		o.Memory = 1 << 20
	}
	return search.New(o)
}

// squares collects moves.
func squares(list []engine.Square) engine.Bitboard {
	var all engine.Bitboard
	for _, s := range list {
		all |= s.Bit()
	}
	return all
}

// drawGame plays random moves from the start until that many squares are empty
// or the game is over. Passes are made, so the side to move may have to pass
// only when the game ends there.
func drawGame(t *rapid.T, rules engine.Rules, empties int) engine.Game {
	g := engine.NewGame(rules)
	for g.Empty().Count() > empties && !g.Over() {
		legal := g.Legal()
		if legal == 0 {
			g = g.Pass()
			continue
		}
		for range rapid.IntRange(0, legal.Count()-1).Draw(t, "move") {
			legal &= legal - 1
		}
		g = g.Place(legal.First())
	}
	return g
}

// randomGame is drawGame with an ordinary source of chance.
func randomGame(r *rand.Rand, rules engine.Rules, empties int) engine.Game {
	for {
		g := engine.NewGame(rules)
		for g.Empty().Count() > empties && !g.Over() {
			legal := g.Legal()
			if legal == 0 {
				g = g.Pass()
				continue
			}
			for range r.IntN(legal.Count()) {
				legal &= legal - 1
			}
			g = g.Place(legal.First())
		}
		if g.Legal() != 0 {
			return g
		}
	}
}

// minimax is the second opinion: the score for the side to move by looking at
// every line of play with the methods of Game, nothing left out.
func minimax(g engine.Game) int {
	if g.Over() {
		return outcome(g)
	}
	legal := g.Legal()
	if legal == 0 {
		return -minimax(g.Pass())
	}
	best := -65
	for m := range legal.All() {
		best = max(best, -minimax(g.Place(m)))
	}
	return best
}

// bestMoves are the moves whose minimax score is the best.
func bestMoves(g engine.Game) engine.Bitboard {
	var best engine.Bitboard
	score := minimax(g)
	for m := range g.Legal().All() {
		if -minimax(g.Place(m)) == score {
			best |= m.Bit()
		}
	}
	return best
}

// outcome is the final score for the side to move: the official count, the
// opposite when fewest discs win.
func outcome(g engine.Game) int {
	black, white := g.Score()
	score := black - white
	if g.Turn == engine.White {
		score = -score
	}
	if g.Rules.Goal == engine.Fewest {
		score = -score
	}
	return score
}

// variant returns a preset.
func variant(t testing.TB, name string) engine.Rules {
	t.Helper()
	r, err := engine.Variant(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
