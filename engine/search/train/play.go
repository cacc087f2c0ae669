package main

import (
	"context"
	"log"
	"math/rand/v2"

	"reversi-board/engine"
	"reversi-board/engine/search"
	"reversi-board/engine/search/eval"
)

const (
	// solveEmpties is from how many empty squares on every position of a
	// played game is solved.
	solveEmpties = 12
	// recordEmpties is the same for recorded games.
	recordEmpties = 14
	// labels is how many positions of a played game are searched deeper.
	labels = 8
	// memory is a small table: the searches are short.
	memory = 2 << 20
)

// maker makes samples.
type maker struct {
	ctx context.Context //nolint:containedctx // One run of the program.
	s   settings
}

// fit learns weights and logs the errors.
func (m *maker) fit(title string, samples []eval.Sample) (*eval.Weights, error) {
	log.Printf("%s: %d samples", title, len(samples))
	return eval.Fit(m.ctx, samples, eval.FitOptions{
		Seed: m.s.seed, Epochs: m.s.epochs, Rate: 0.25, Overlap: 2,
		Report: func(e eval.StageError) { log.Print(e) },
	})
}

// exact returns the solved score of a position for the side to move.
func (m *maker) exact(s *search.Searcher, p engine.Position) (float32, error) {
	v, err := s.Evaluate(m.ctx, p, m.s.goal, 60)
	return float32(v), err
}

// of returns a sample of a position with a score for the side to move.
func of(p engine.Position, score float32, held bool) eval.Sample {
	return eval.Sample{Own: p.Of(p.Turn), Opp: p.Of(p.Turn.Opponent()), Score: score, Held: held}
}

// recorded labels recorded positions: with the score that the file proves, and
// after that with what is solved.
func (m *maker) recorded(records []sample) ([]eval.Sample, error) {
	s := search.New(search.Options{Memory: memory, Weights: eval.Zero()})
	all := make([]eval.Sample, 0, len(records))
	// From the end of a game to its beginning, so that a solved score can be
	// handed up.
	var black float32
	known, before := false, 0
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		empties := r.Empty().Count()
		// The end of the game before in the file.
		known = known && empties >= before
		before = empties
		switch {
		case r.valid:
			black = r.score
		case empties <= recordEmpties:
			v, err := m.exact(s, r.Position)
			if err != nil {
				return nil, err
			}
			black, known = v, true
			if r.Turn == engine.White {
				black = -v
			}
		case !known:
			continue
		}
		if empties > 57 {
			continue
		}
		score := black
		if r.Turn == engine.White {
			score = -black
		}
		all = append(all, of(r.Position, score, r.held))
	}
	return all, nil
}

// searched labels recorded positions anew by a search.
func (m *maker) searched(w *eval.Weights, records []sample, depth int) ([]eval.Sample, error) {
	s := search.New(search.Options{Memory: memory, Weights: w})
	var all []eval.Sample
	random := rand.New(rand.NewPCG(m.s.seed, 7)) //nolint:gosec // Chance that must repeat.
	for i := range records {
		if random.IntN(4) != 0 {
			continue
		}
		r := &records[i]
		plies := depth
		if e := r.Empty().Count(); e <= recordEmpties-2 {
			plies = e
		}
		v, err := s.Evaluate(m.ctx, r.Position, m.s.goal, plies)
		if err != nil {
			return nil, err
		}
		all = append(all, of(r.Position, float32(v), r.held))
	}
	return all, nil
}

// played plays games and returns their positions with scores: found by a
// search to a depth, or handed up from the end of the game if depth is 0. Each
// game begins with up to opening random moves.
func (m *maker) played(w *eval.Weights, games, opening, depth int) ([]eval.Sample, error) {
	g := gamer{
		maker: m, w: w, e: eval.NewExtractor(), depth: depth,
		random: rand.New(rand.NewPCG(m.s.seed, uint64(opening*100+depth))), //nolint:gosec // Chance that must repeat.
		s:      search.New(search.Options{Memory: memory, Weights: w}),
	}
	var all []eval.Sample
	for n := range games {
		g.held = n%20 == 0
		samples, err := g.game(opening)
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
		if n%5000 == 0 {
			log.Printf("%d of %d games, %d samples", n, games, len(all))
		}
	}
	return all, nil
}

// gamer plays games.
type gamer struct {
	*maker
	w      *eval.Weights
	e      eval.Extractor
	random *rand.Rand
	s      *search.Searcher
	depth  int
	held   bool
}

// game plays one game and labels its positions.
func (g *gamer) game(opening int) ([]eval.Sample, error) {
	chance := 4 + g.random.IntN(max(opening-4, 1))
	// trail are the positions so far; when the end of the game is handed up,
	// only those since the last random move: its mistake is none of theirs.
	var trail []engine.Position
	var all []eval.Sample
	p := engine.Start()
	for ply := 0; !p.Over(); ply++ {
		switch empties := p.Empty().Count(); {
		case p.Legal() == 0:
			p = p.Pass()
		case empties <= solveEmpties:
			trail = append(trail, p)
			samples, err := g.end(trail)
			if err != nil {
				return nil, err
			}
			all, trail = append(all, samples...), trail[:0]
			p = g.random1(p)
		case ply < chance || g.random.IntN(25) == 0:
			trail = append(trail, p)
			if g.depth == 0 {
				trail = trail[:0]
			}
			p = g.random1(p)
		default:
			trail = append(trail, p)
			p = g.quick(p)
		}
	}
	return all, nil
}

// end labels a trail whose last position can be solved.
func (g *gamer) end(trail []engine.Position) ([]eval.Sample, error) {
	last := trail[len(trail)-1]
	score, err := g.exact(g.s, last)
	if err != nil {
		return nil, err
	}
	all := []eval.Sample{of(last, score, g.held)}
	if g.depth == 0 {
		return append(all, handUp(trail, score, g.held)...), nil
	}
	if len(trail) == 1 {
		return all, nil
	}
	more, err := g.label(trail[:len(trail)-1])
	return append(all, more...), err
}

// handUp gives the score of the last position of a trail to all before it.
func handUp(trail []engine.Position, score float32, held bool) []eval.Sample {
	last := trail[len(trail)-1]
	var all []eval.Sample
	for _, p := range trail[:len(trail)-1] {
		v := score
		if p.Turn != last.Turn {
			v = -score
		}
		all = append(all, of(p, v, held))
	}
	return all
}

// label searches some positions of a trail.
func (g *gamer) label(trail []engine.Position) ([]eval.Sample, error) {
	var all []eval.Sample
	for range labels {
		p := trail[g.random.IntN(len(trail))]
		if p.Empty().Count() > 57 {
			continue
		}
		v, err := g.s.Evaluate(g.ctx, p, g.s0(), g.depth)
		if err != nil {
			return nil, err
		}
		all = append(all, of(p, float32(v), g.held))
	}
	return all, nil
}

// s0 is the goal that is played for.
func (g *gamer) s0() engine.Goal { return g.maker.s.goal }

// random1 plays a random move.
func (g *gamer) random1(p engine.Position) engine.Position {
	legal := p.Legal()
	for range g.random.IntN(legal.Count()) {
		legal &= legal - 1
	}
	s := legal.First()
	return p.After(s, p.Flips(s))
}

// quick plays the move that looks best after one reply, with a little noise.
func (g *gamer) quick(p engine.Position) engine.Position {
	own, opp := p.Of(p.Turn), p.Of(p.Turn.Opponent())
	f := g.e.Of(own, opp)
	best, move := -1e9, engine.Square(0)
	for s := range p.Legal().All() {
		flips := p.Flips(s)
		var next eval.Features
		g.e.Move(&next, &f, s, flips)
		value := -g.reply(&next, opp&^flips, own|flips|s.Bit()) + g.random.NormFloat64()*eval.Unit
		if value > best {
			best, move = value, s
		}
	}
	return p.After(move, p.Flips(move))
}

// reply returns the value of the best reply.
func (g *gamer) reply(f *eval.Features, own, opp engine.Bitboard) float64 {
	legal := engine.LegalMoves(own, opp)
	if legal == 0 {
		return float64(g.w.Score(f, own, opp))
	}
	best := -1e9
	for s := range legal.All() {
		flips := engine.Flips(own, opp, s)
		var next eval.Features
		g.e.Move(&next, f, s, flips)
		best = max(best, -float64(g.w.Score(&next, opp&^flips, own|flips|s.Bit())))
	}
	return best
}
