// Command openings makes openings for matches by the rule of XOT: eight plies
// from the standard start, the first of them f5, so that Black is to move among
// twelve discs; no pass; no position twice, not even turned or mirrored; and
// about even, as the search of this project judges it. It is no part of XOT,
// whose own list was judged by other programs.
//
//	go run ./engine/search/openings -n 78 FILE
//
// FILE holds openings that there are already, one a line. The same seed makes
// the same openings, until the search or its weights change.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/search"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		log.Printf("openings: %v", err)
		os.Exit(1) //nolint:gocritic // Nothing is left to be cleaned up.
	}
}

const (
	// plies is the length of an opening.
	plies = 8
	// quick is the depth that sorts out most of what is not even.
	quick = 6
)

// maker makes openings.
type maker struct {
	rules engine.Rules
	// depth is how many moves ahead a position is judged, within how many discs
	// it may be from even.
	depth  int
	within float64
	random *rand.Rand
	search *search.Searcher
	// known are the positions that cannot be taken any more, each as
	// its canonical image.
	known map[engine.Position]bool
}

// run writes the openings, one a line, as they are found.
func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("openings", flag.ContinueOnError)
	n := fs.Int("n", 10, "make `N` openings")
	seed := fs.Uint64("seed", 1, "draw them from `SEED`")
	depth := fs.Int("depth", 16, "judge them by looking `D` moves ahead")
	within := fs.Float64("within", 2, "take what is even within `DISCS`")
	if err := fs.Parse(args); err != nil {
		return fmt.Errorf("read the command line: %w", err)
	}
	if *n < 1 || *depth < 1 || *within <= 0 || fs.NArg() > 1 {
		return errors.New("want a positive -n, -depth and -within, and one file at most")
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		return fmt.Errorf("take the rules: %w", err)
	}
	m := &maker{
		rules: rules, depth: *depth, within: *within,
		random: rand.New(rand.NewPCG(*seed, 0)), //nolint:gosec // Chance that must repeat.
		search: search.New(search.Options{Depth: *depth}),
		known:  map[engine.Position]bool{},
	}
	if fs.NArg() == 1 {
		if err := m.skip(fs.Arg(0)); err != nil {
			return err
		}
	}
	for range *n {
		text, err := m.next(ctx)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return fmt.Errorf("write an opening: %w", err)
		}
	}
	return nil
}

// skip marks the positions of a file as known.
func (m *maker) skip(name string) error {
	f, err := os.Open(name) //nolint:gosec // Named by the user.
	if err != nil {
		return fmt.Errorf("read the openings: %w", err)
	}
	defer func() { _ = f.Close() }() // It has only been read.
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		line, err := notation.ParseTranscript(m.rules, text)
		if err != nil {
			return fmt.Errorf("read the opening %.20q: %w", text, err)
		}
		m.known[line.Final.Canonical()] = true
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the openings: %w", err)
	}
	return nil
}

// next makes an opening that is not known yet.
func (m *maker) next(ctx context.Context) (string, error) {
	const tries = 100_000 // There are some ten thousand openings.
	for range tries {
		g, moves, ok := m.draw()
		if !ok || m.known[g.Canonical()] {
			continue
		}
		m.known[g.Canonical()] = true
		even, err := m.even(ctx, g)
		if err != nil {
			return "", err
		}
		if even {
			return notation.Transcript(moves), nil
		}
	}
	return "", errors.New("there are no more openings: ask for fewer, or widen -within")
}

// draw makes random moves; ok is false when a side cannot move.
func (m *maker) draw() (g engine.Game, moves []engine.Move, ok bool) {
	const first = engine.Square(8*4 + 5) // f5
	g = engine.NewGame(m.rules)
	for len(moves) < plies {
		legal := slices.Collect(g.Legal().All())
		if len(moves) == 0 {
			legal = []engine.Square{first}
		}
		if len(legal) == 0 {
			return g, nil, false
		}
		s := legal[m.random.IntN(len(legal))]
		g, moves = g.Place(s), append(moves, engine.At(s))
	}
	return g, moves, g.Legal() != 0
}

// even judges a position, first quickly, then in earnest.
func (m *maker) even(ctx context.Context, g engine.Game) (bool, error) {
	if m.depth > quick {
		score, err := m.search.Evaluate(ctx, g.Position, g.Rules.Goal, quick)
		if err != nil {
			return false, fmt.Errorf("judge a position: %w", err)
		}
		if math.Abs(score) > 3*m.within {
			return false, nil
		}
	}
	r, err := m.search.Best(ctx, g, search.Clock{})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("judge a position: %w", err)
	}
	return math.Abs(r.Score) <= m.within, nil
}
