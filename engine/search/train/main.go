// Command train makes the weights of package eval from recorded games and from
// games that the search plays against itself. How the built-in weights were
// made is told in the comment of package eval.
//
//	go run ./engine/search/train -goal most -out most.weights FILE.wtb...
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/search/eval"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Printf("train: %v", err)
		os.Exit(1) //nolint:gocritic // Nothing is left to be cleaned up.
	}
}

// settings are the command line.
type settings struct {
	goal engine.Goal
	out  string
	// margins is a file of weights; with it nothing is trained.
	margins string
	seed    uint64
	quick   int
	slow    int
	depth   int
	epochs  int
	files   []string
}

// run makes the weights in four rounds, each with what the one before has
// learned.
func run(ctx context.Context, args []string) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	if s.margins != "" {
		return measureFile(ctx, s)
	}
	var records []sample
	for _, name := range s.files {
		games, err := read(name)
		if err != nil {
			return err
		}
		records = append(records, games...)
	}
	m := maker{ctx: ctx, s: s}
	weights, samples, err := m.ends(records)
	if err != nil {
		return err
	}
	return m.deeper(weights, solved(samples), records)
}

// measureFile measures the margins of the weights in a file.
func measureFile(ctx context.Context, s settings) error {
	data, err := os.ReadFile(s.margins)
	if err != nil {
		return fmt.Errorf("read the weights: %w", err)
	}
	w, err := eval.Read(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return measureMargins(ctx, w, s)
}

// ends learns from how games end.
func (m *maker) ends(records []sample) (*eval.Weights, []eval.Sample, error) {
	// First what the recorded games tell, or games of random moves.
	var samples []eval.Sample
	var err error
	if len(records) > 0 {
		samples, err = m.recorded(records)
	} else {
		samples, err = m.played(eval.Zero(), m.s.quick, 60, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	weights, err := m.fit("round 1", samples)
	if err != nil {
		return nil, nil, err
	}
	// Then the ends of quick games, more varied than people's.
	more, err := m.played(weights, m.s.quick, 24, 0)
	if err != nil {
		return nil, nil, err
	}
	samples = append(samples, more...)
	weights, err = m.fit("round 2", samples)
	return weights, samples, err
}

// deeper learns from deeper searches.
func (m *maker) deeper(weights *eval.Weights, ends []eval.Sample, records []sample) error {
	// What a deeper search finds in positions of quick games, twice: it errs less
	// than their ends, and the less the better its weights are.
	for n, games := range []int{m.s.slow, m.s.slow / 2} {
		depth := m.s.depth + 2*n
		more, err := m.played(weights, games, 30, depth)
		if err != nil {
			return err
		}
		again, err := m.searched(weights, records, depth)
		if err != nil {
			return err
		}
		samples := slices.Concat(ends, more, again)
		if weights, err = m.fit(fmt.Sprintf("round %d", 3+n), samples); err != nil {
			return err
		}
		if err := save(m.s.out, weights); err != nil {
			return err
		}
	}
	return nil
}

// solved returns the samples whose score is proven.
func solved(samples []eval.Sample) []eval.Sample {
	var ends []eval.Sample
	for i := range samples {
		if 64-(samples[i].Own|samples[i].Opp).Count() <= solveEmpties {
			ends = append(ends, samples[i])
		}
	}
	return ends
}

// save writes the weights to a file.
func save(name string, weights *eval.Weights) error {
	var b bytes.Buffer
	if err := weights.Write(&b); err != nil {
		return err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the weights: %w", err)
	}
	log.Printf("%s: %d bytes", name, b.Len())
	return nil
}

// parse reads the command line.
func parse(args []string) (settings, error) {
	s := settings{}
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	goal := fs.String("goal", "most", "what wins: `most` or fewest discs")
	fs.StringVar(&s.out, "out", "", "write the weights to `FILE`")
	fs.StringVar(&s.margins, "margins", "", "train nothing, but measure with the weights in `FILE` how far\nsearches to different depths lie apart, in -quick positions")
	fs.Uint64Var(&s.seed, "seed", 1, "draw games from `SEED`")
	fs.IntVar(&s.quick, "quick", 120_000, "play `N` games in the second round")
	fs.IntVar(&s.slow, "slow", 50_000, "play `N` games in the third round, half of that in the fourth")
	fs.IntVar(&s.depth, "depth", 4, "look `N` moves ahead in the third round, two more in the fourth")
	fs.IntVar(&s.epochs, "epochs", 16, "see every sample `N` times")
	if err := fs.Parse(args); err != nil {
		return s, fmt.Errorf("read the command line: %w", err)
	}
	s.files = fs.Args()
	switch *goal {
	case "most":
	case "fewest":
		s.goal = engine.Fewest
	default:
		return s, fmt.Errorf("-goal %q: want most or fewest", *goal)
	}
	if s.out == "" && s.margins == "" {
		return s, fmt.Errorf("-out is missing: name the file for the weights")
	}
	return s, nil
}

// sample is a position of a recorded game, and what came of it.
type sample struct {
	engine.Position
	// score is for Black, valid says that it can be trusted.
	score float32
	valid bool
	// held says that the whole game is held back.
	held bool
}

// theoryEmpties is for how many empty squares a file of recorded games gives
// the exact score.
const theoryEmpties = 24

// read returns the positions of a WTHOR file.
func read(name string) ([]sample, error) {
	data, err := os.ReadFile(name) //nolint:gosec // The user names the file.
	if err != nil {
		return nil, fmt.Errorf("read games: %w", err)
	}
	file, err := notation.ReadWTB(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var all []sample
	for n := range file.Games {
		game := &file.Games[n]
		p := engine.Start()
		for _, move := range game.Line.Moves {
			s, ok := move.Square()
			if !ok {
				p = p.Pass()
				continue
			}
			all = append(all, sample{
				Position: p, score: 2*float32(game.Theoretical) - 64,
				valid: p.Empty().Count() >= theoryEmpties, held: n%20 == 0,
			})
			p = p.After(s, p.Flips(s))
		}
	}
	return all, nil
}
