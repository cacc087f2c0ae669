package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

const (
	// maxPerft is the longest game: 60 discs, and never two passes in a row.
	maxPerft = 120
	// splitDepth is how many plies are walked before the tree is cut into
	// jobs: three plies are 56 jobs from the start, enough for every core to
	// be busy and for an interrupt to be heard.
	splitDepth = 3
	// splitMerged is the same with a table, when equal jobs are done once: five
	// plies are 322 jobs from the start, each of which can take some seconds.
	splitMerged = 5
	// maxHash is the largest table in megabytes.
	maxHash = min(1<<16, math.MaxInt>>20)
)

// perftFlags are the flags of the command.
type perftFlags struct {
	depth      int
	start      string
	convention string
	hash       int
	check      string
	most       uint64
	json       bool
}

// perftCommand counts the leaves of the game tree.
func perftCommand() command {
	c := command{
		name:    "perft",
		summary: "Count the positions reached by every line of play, the usual test of the rules",
		usage: "perft [--depth N] [--start START] [--convention LETTER] [--hash MB] [--json]\n" +
			"       " + program + " perft --check FILE [--most COUNT] [--hash MB] [--json]",
		example: program + " perft --depth 9\n" +
			program + " perft --depth 13 --convention D --hash 512\n" +
			program + " perft --depth 6 --start '---------------------------OX------XO--------------------------- X'\n" +
			program + " perft --check engine/testdata/perft.tsv --most 2000000000 --hash 64",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		var f perftFlags
		fs.IntVar(&f.depth, "depth", 8, "count `N` plies deep, 1 to 120")
		fs.StringVar(&f.start, "start", "standard", "begin at `START`: standard, parallel, inverted, handicap-1 to handicap-4, the moves\n"+
			"of an opening, or 64 squares a1 to h8 (X black, O white, - empty), a blank, and\nX or O to move")
		fs.StringVar(&f.convention, "convention", "A", "count by the convention `LETTER`: in A and B a pass is a ply, in C and D it is none;\n"+
			"in A and C a game that ends earlier is one leaf, in B and D it is none")
		fs.IntVar(&f.hash, "hash", 0, "remember counts in `MB` megabytes, so that mirror images and positions reached by\n"+
			"many lines are counted once; 0 visits every one")
		fs.StringVar(&f.check, "check", "", "count every row of the table `FILE` and compare; its lines are start, convention,\n"+
			"depth and count with tabs between, each start defined before by a line #start, its\nname and its position")
		fs.Uint64Var(&f.most, "most", math.MaxUint64, "with --check, leave out the rows that count more than `COUNT`")
		fs.BoolVar(&f.json, "json", false, "print one JSON object, with --check one a row")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		p, err := f.prepare(fs)
		if err != nil {
			return usageError(stderr, c.name, err.Error())
		}
		p.stderr, p.terminal = stderr, isTerminal(stderr)
		switch {
		case f.check != "":
			return p.checkFile(ctx, &f, stdout)
		case f.json:
			return p.printJSON(ctx, stdout)
		default:
			return p.printTable(ctx, stdout)
		}
	}
	return c
}

// prepare checks the flags.
func (f *perftFlags) prepare(fs *flag.FlagSet) (p perft, err error) {
	given := make(map[string]bool)
	fs.Visit(func(flag *flag.Flag) { given[flag.Name] = true })
	switch {
	case f.check != "" && (given["depth"] || given["start"] || given["convention"]):
		return p, errors.New("--check takes start, convention and depth from its file")
	case f.check == "" && given["most"]:
		return p, errors.New("--most is for --check")
	case f.depth < 1 || f.depth > maxPerft:
		return p, fmt.Errorf("--depth %d: want 1 to %d", f.depth, maxPerft)
	case f.hash < 0 || f.hash > maxHash:
		return p, fmt.Errorf("--hash %d: want 0 to %d", f.hash, maxHash)
	}
	p.depth = f.depth
	if p.convention, err = engine.ParseConvention(f.convention); err != nil {
		return p, fmt.Errorf("--convention: %w", err)
	}
	if p.position, err = notation.ParseStart(f.start); err != nil {
		return p, fmt.Errorf("--start: %w", err)
	}
	if f.hash > 0 {
		p.table = engine.NewPerftTable(f.hash << 20)
	}
	return p, nil
}

// perft is one run of the command.
type perft struct {
	position   engine.Position
	convention engine.Convention
	depth      int
	// table is nil when everything is to be visited.
	table *engine.PerftTable
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
		Board      string `json:"board"`
		Turn       string `json:"turn"`
		Convention string `json:"convention"`
		Depths     []line `json:"depths"`
	}{Board: p.position.String(), Turn: p.position.Turn.String(), Convention: p.convention.String()}
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
	jobs, leaves := []job{{p.position, 1}}, uint64(0)
	split := splitDepth
	if p.table != nil {
		split = splitMerged
	}
	rest := depth
	for ; rest > max(depth-split, 0); rest-- {
		next, ended := p.plyOn(jobs)
		jobs, leaves = next, leaves+ended
	}
	below, err := p.countBelow(ctx, jobs, rest, depth)
	if err != nil {
		return line{}, err
	}
	return line{Depth: depth, Leaves: leaves + below, Seconds: time.Since(began).Seconds()}, nil
}

// job is a position whose leaves count so many times.
type job struct {
	position engine.Position
	times    uint64
}

// plyOn returns the jobs that lie one ply further on, and the leaves that games
// are which have ended. With a table, jobs that come to the same are put
// together; without one everything is visited.
func (p perft) plyOn(jobs []job) (next []job, leaves uint64) {
	known := make(map[engine.Position]int)
	add := func(position engine.Position, times uint64) {
		if p.table != nil {
			position = position.Canonical()
			if at, ok := known[position]; ok {
				next[at].times += times
				return
			}
			known[position] = len(next)
		}
		next = append(next, job{position, times})
	}
	for _, j := range jobs {
		at := j.position
		if at.Legal() == 0 {
			if at.Over() {
				leaves += j.times * p.convention.Ended()
				continue
			}
			at = at.Pass()
			if p.convention.Pass() == 1 {
				add(at, j.times)
				continue
			}
		}
		for s := range at.Legal().All() {
			add(at.After(s, at.Flips(s)), j.times)
		}
	}
	return next, leaves
}

// countBelow counts the leaves that lie rest plies below jobs, with one worker
// per core. All have ended when it returns. depth is for messages.
func (p perft) countBelow(ctx context.Context, jobs []job, rest, depth int) (uint64, error) {
	var next, total atomic.Uint64
	finished := make(chan struct{}, len(jobs))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < uint64(len(jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				n, err := p.countTree(ctx, jobs[i].position, rest)
				if err != nil {
					return
				}
				total.Add(n * jobs[i].times)
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
		p.progress(depth, done, len(jobs))
	}
	p.clear()
	if done < len(jobs) {
		return 0, fmt.Errorf("interrupted at depth %d", depth)
	}
	return total.Load(), nil
}

// sliceDepth is how deep the engine counts without looking at the context: some
// hundredths of a second.
const sliceDepth = 7

// countTree counts the leaves of one position and ends with ctx.
func (p perft) countTree(ctx context.Context, position engine.Position, depth int) (uint64, error) {
	if depth <= sliceDepth {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("count: %w", err)
		}
		if p.table != nil {
			return p.table.Perft(p.convention, position, depth), nil
		}
		return p.convention.Perft(position, depth), nil
	}
	next, leaves := p.plyOn([]job{{position, 1}})
	for _, n := range next {
		below, err := p.countTree(ctx, n.position, depth-1)
		if err != nil {
			return 0, err
		}
		leaves += n.times * below
	}
	return leaves, nil
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
