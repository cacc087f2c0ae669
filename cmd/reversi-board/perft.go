package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/engine"
)

const (
	// maxPerft is the longest game: 60 discs, and never two passes in a row.
	maxPerft = 120
	// splitDepth is how many plies are walked before the tree is cut into
	// jobs: three plies are 56 jobs from the start, enough for every core to
	// be busy and for an interrupt to be heard.
	splitDepth = 3
)

// perftCommand counts the leaves of the game tree.
func perftCommand() command {
	c := command{
		name:    "perft",
		summary: "Count the positions reached by every line of play, the usual test of the rules",
		usage:   "perft [--depth N] [--start POSITION] [--json]",
		example: program + " perft --depth 9\n" +
			program + " perft --depth 6 --start '---------------------------OX------XO--------------------------- X'",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		depth := fs.Int("depth", 8, "count `N` plies deep, 1 to 120; a pass is a ply,\na game that has ended is one leaf")
		start := fs.String("start", "standard", "begin at `POSITION`: standard, parallel, or 64 squares a1 to h8\n"+
			"(X black, O white, - empty), a blank, and X or O to move")
		asJSON := fs.Bool("json", false, "print one JSON object")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		if *depth < 1 || *depth > maxPerft {
			return usageError(stderr, c.name, fmt.Sprintf("--depth %d: want 1 to %d", *depth, maxPerft))
		}
		position, err := parseStart(*start)
		if err != nil {
			return usageError(stderr, c.name, "--start: "+err.Error())
		}
		p := perft{position: position, depth: *depth, terminal: isTerminal(stderr), stderr: stderr}
		if *asJSON {
			return p.printJSON(ctx, stdout)
		}
		return p.printTable(ctx, stdout)
	}
	return c
}

// parseStart reads a position for the flag --start.
func parseStart(text string) (engine.Position, error) {
	switch text {
	case "standard":
		return engine.Start(), nil
	case "parallel":
		// d4 e4 black, d5 e5 white.
		return parseStart(strings.Repeat("-", 27) + "XX------OO" + strings.Repeat("-", 27) + " X")
	}
	board, side, ok := strings.Cut(strings.TrimSpace(strings.TrimSuffix(text, ";")), " ")
	if !ok {
		return engine.Position{}, errors.New("want standard, parallel, or 64 squares, a blank and the side to move")
	}
	discs, err := engine.ParseDiscs(board)
	if err != nil {
		return engine.Position{}, err
	}
	p := engine.Position{Discs: discs}
	switch strings.ToUpper(strings.TrimSpace(side)) {
	case "X", "B", "*":
		p.Turn = engine.Black
	case "O", "W":
		p.Turn = engine.White
	default:
		return engine.Position{}, fmt.Errorf("%.10q is not a side: want X (black) or O (white)", side)
	}
	return p, nil
}

// perft is one run of the command.
type perft struct {
	position engine.Position
	depth    int
	// terminal says that progress may be drawn on stderr.
	terminal bool
	stderr   io.Writer
}

// line is the count of one depth.
type line struct {
	Depth   int     `json:"depth"`
	Leaves  uint64  `json:"leaves"`
	Seconds float64 `json:"seconds"`
}

// printTable prints every depth as soon as it has been counted.
func (p perft) printTable(ctx context.Context, stdout io.Writer) int {
	if code := printOut(stdout, p.stderr, fmt.Sprintf("%5s %20s %12s\n", "depth", "leaves", "seconds")); code != exitOK {
		return code
	}
	for depth := 1; depth <= p.depth; depth++ {
		l, err := p.count(ctx, depth)
		if err != nil {
			return fail(p.stderr, "perft", err)
		}
		if code := printOut(stdout, p.stderr, fmt.Sprintf("%5d %20d %12.3f\n", l.Depth, l.Leaves, l.Seconds)); code != exitOK {
			return code
		}
	}
	return exitOK
}

// printJSON prints all depths at the end.
func (p perft) printJSON(ctx context.Context, stdout io.Writer) int {
	result := struct {
		Board  string `json:"board"`
		Turn   string `json:"turn"`
		Depths []line `json:"depths"`
	}{Board: p.position.String(), Turn: p.position.Turn.String()}
	for depth := 1; depth <= p.depth; depth++ {
		l, err := p.count(ctx, depth)
		if err != nil {
			return fail(p.stderr, "perft", err)
		}
		result.Depths = append(result.Depths, l)
	}
	object, err := json.Marshal(result)
	if err != nil {
		return fail(p.stderr, "perft", err)
	}
	return printOut(stdout, p.stderr, string(object)+"\n")
}

// count counts the leaves at one depth on all cores.
func (p perft) count(ctx context.Context, depth int) (line, error) {
	began := time.Now()
	roots, leaves := split(p.position, min(splitDepth, depth))
	if rest := depth - splitDepth; rest > 0 {
		below, err := p.countBelow(ctx, roots, rest)
		if err != nil {
			return line{}, err
		}
		leaves += below
	} else {
		leaves += uint64(len(roots))
	}
	if err := ctx.Err(); err != nil {
		return line{}, fmt.Errorf("interrupted at depth %d", depth)
	}
	return line{Depth: depth, Leaves: leaves, Seconds: time.Since(began).Seconds()}, nil
}

// countBelow counts the leaves below roots with one worker per core. All have
// ended when it returns.
func (p perft) countBelow(ctx context.Context, roots []engine.Position, depth int) (uint64, error) {
	var next, total atomic.Uint64
	finished := make(chan struct{}, len(roots))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(roots)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < uint64(len(roots)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				n, err := countTree(ctx, roots[i], depth)
				if err != nil {
					return
				}
				total.Add(n)
				finished <- struct{}{}
			}
		})
	}
	go func() {
		workers.Wait()
		close(finished)
	}()
	done := 0
	for range finished {
		done++
		p.progress(depth+splitDepth, done, len(roots))
	}
	p.clear()
	if done < len(roots) {
		return 0, fmt.Errorf("interrupted at depth %d", depth+splitDepth)
	}
	return total.Load(), nil
}

// sliceDepth is how deep the engine counts without looking at the context: some
// hundredths of a second.
const sliceDepth = 7

// countTree is engine.Perft that ends with ctx.
func countTree(ctx context.Context, position engine.Position, depth int) (uint64, error) {
	if depth <= sliceDepth {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("count: %w", err)
		}
		return engine.Perft(position, depth), nil
	}
	next, leaves := split(position, 1)
	for _, n := range next {
		below, err := countTree(ctx, n, depth-1)
		if err != nil {
			return 0, err
		}
		leaves += below
	}
	return leaves, nil
}

// split returns the positions that lie depth plies below position, and the
// number of games that have ended on the way.
func split(position engine.Position, depth int) (below []engine.Position, ended uint64) {
	legal := position.Legal()
	switch {
	case depth == 0:
		return []engine.Position{position}, 0
	case legal == 0 && position.Over():
		return nil, 1
	case legal == 0:
		return split(position.Pass(), depth-1)
	}
	for s := range legal.All() {
		deeper, over := split(position.After(s, position.Flips(s)), depth-1)
		below, ended = append(below, deeper...), ended+over
	}
	return below, ended
}

// progress draws how far a depth has come.
func (p perft) progress(depth, done, all int) {
	if p.terminal {
		_, _ = fmt.Fprintf(p.stderr, "\rdepth %d: %d %%", depth, 100*done/all)
	}
}

// clear wipes the progress away, so that the table is left alone.
func (p perft) clear() {
	if p.terminal {
		_, _ = fmt.Fprint(p.stderr, "\r\x1b[K")
	}
}
