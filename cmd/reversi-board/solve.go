package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/search"
)

// solveCommand finds exact scores.
func solveCommand() command {
	c := command{
		name:    "solve",
		summary: "Solve positions exactly: score and best moves of the side to move",
		usage:   "solve (--file FILE [--from N] [--to N] | --position POSITION) [--one] [--goal GOAL] [--memory MB] [--json]",
		example: program + " solve --position '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'\n" +
			program + " solve --file ffo-1-59.obf --from 40 --to 45",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		var f solveFlags
		fs.StringVar(&f.file, "file", "", "solve the positions in `FILE` (- is standard input), one a line: 64 squares a1 to h8\n"+
			"(X black, O white, - empty), a blank, X or O to move, and perhaps the known scores as\n"+
			"\"; g8:+18; h1:+12\", with which the result is then compared (OBF)")
		fs.StringVar(&f.position, "position", "", "solve `POSITION`, written as a line of a file")
		fs.IntVar(&f.from, "from", 1, "with --file, begin with position `N`, counted from 1")
		fs.IntVar(&f.to, "to", 0, "with --file, end with position `N`; 0 is the last one")
		fs.BoolVar(&f.one, "one", false, "find one best move instead of all that are equally good, which is quicker")
		fs.StringVar(&f.goal, "goal", "most", "`GOAL` is what wins: most or fewest discs")
		fs.IntVar(&f.memory, "memory", search.DefaultMemory>>20, "give the table `MB` megabytes, 1 to 1024")
		fs.BoolVar(&f.json, "json", false, "print one JSON object a position")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		if err := f.check(); err != nil {
			return usageError(stderr, c.name, err.Error())
		}
		problems, err := f.read(stdin)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		return f.solve(ctx, problems, stdout, stderr)
	}
	return c
}

// solveFlags are the flags of the command.
type solveFlags struct {
	file, position string
	from, to       int
	one            bool
	goal           string
	memory         int
	json           bool
}

// check refuses flags that make no sense.
func (f *solveFlags) check() error {
	switch {
	case (f.file == "") == (f.position == ""):
		return errors.New("want either --file or --position")
	case f.goal != "most" && f.goal != "fewest":
		return fmt.Errorf("--goal %.20q: want most or fewest", f.goal)
	case f.memory < 1 || f.memory > 1024:
		return fmt.Errorf("--memory %d: want 1 to 1024", f.memory)
	case f.from < 1 || f.to < 0 || f.to != 0 && f.to < f.from:
		return fmt.Errorf("--from %d --to %d: want positions counted from 1, in order", f.from, f.to)
	}
	return nil
}

// problem is a position that is to be solved.
type problem struct {
	number   int
	position engine.Position
	// known are the scores of moves that the line tells.
	known map[engine.Square]int
}

// read returns the positions that are asked for.
func (f *solveFlags) read(stdin io.Reader) ([]problem, error) {
	if f.position != "" {
		p, err := parseProblem(f.position)
		p.number = 1
		return []problem{p}, err
	}
	in := stdin
	if f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return nil, fmt.Errorf("read the positions: %w", err)
		}
		defer func() { _ = file.Close() }() // It was only read.
		in = file
	}
	var all []problem
	lines := bufio.NewScanner(plaintext.NewReader(in))
	for number, line := 0, 1; lines.Scan(); line++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		number++
		p, err := parseProblem(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		p.number = number
		if number >= f.from && (f.to == 0 || number <= f.to) {
			all = append(all, p)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the positions: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New("no positions to solve")
	}
	return all, nil
}

// parseProblem reads a line of an OBF file.
func parseProblem(text string) (problem, error) {
	position, rest, _ := strings.Cut(text, ";")
	p := problem{known: make(map[engine.Square]int)}
	if strings.TrimSpace(position) == "" {
		return p, errors.New("want 64 squares, a blank and the side to move")
	}
	var err error
	if p.position, err = notation.ParseStart(position); err != nil {
		return p, err
	}
	for field := range strings.SplitSeq(rest, ";") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		move, score, _ := strings.Cut(field, ":")
		s, err := engine.ParseSquare(strings.TrimSpace(move))
		if err != nil {
			return p, fmt.Errorf("known score %.20q: %w", field, err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(score))
		if err != nil || n < -64 || n > 64 {
			return p, fmt.Errorf("known score %.20q: want a move, a colon and a score, like g8:+18", field)
		}
		if !p.position.Legal().Has(s) {
			return p, fmt.Errorf("known score %.20q: %v is not a legal move", field, s)
		}
		p.known[s] = n
	}
	return p, nil
}

// solved is a result as it is printed.
type solved struct {
	Number int      `json:"number"`
	Board  string   `json:"board"`
	Turn   string   `json:"turn"`
	Empty  int      `json:"empties"`
	Score  int      `json:"score"`
	Best   []string `json:"best"`
	PV     []string `json:"pv"`
	Nodes  uint64   `json:"nodes"`
	// Seconds is wall-clock time.
	Seconds float64 `json:"seconds"`
	// Agrees says whether the known scores say the same; it is left out where
	// nothing is known.
	Agrees *bool `json:"agrees,omitempty"`
}

// solve solves one position after the other. A result that contradicts the
// known scores is a failure.
func (f *solveFlags) solve(ctx context.Context, problems []problem, stdout, stderr io.Writer) int {
	began := time.Now()
	s := search.New(search.Options{Memory: f.memory << 20, Now: func() time.Duration { return time.Since(began) }})
	if !f.json {
		head := fmt.Sprintf("%4s %7s %5s %12s %9s %8s  %s\n", "#", "empties", "score", "nodes", "seconds", "Mnodes/s", "best moves")
		if code := printOut(stdout, stderr, head); code != exitOK {
			return code
		}
	}
	var total solved
	wrong := 0
	for i := range problems {
		r, err := f.solveOne(ctx, s, &problems[i], stderr)
		if err != nil {
			return fail(stderr, "solve", err)
		}
		if r.Agrees != nil && !*r.Agrees {
			wrong++
		}
		total.Nodes, total.Seconds = total.Nodes+r.Nodes, total.Seconds+r.Seconds
		text, err := f.text(&r)
		if err != nil {
			return fail(stderr, "solve", err)
		}
		if code := printOut(stdout, stderr, text); code != exitOK {
			return code
		}
	}
	if len(problems) > 1 && !f.json {
		sum := fmt.Sprintf("%d positions, %d nodes, %.3f s, %.1f Mnodes/s\n",
			len(problems), total.Nodes, total.Seconds, rate(total.Nodes, total.Seconds))
		if code := printOut(stdout, stderr, sum); code != exitOK {
			return code
		}
	}
	if wrong > 0 {
		return fail(stderr, "solve", fmt.Errorf("%d of %d results contradict the known scores", wrong, len(problems)))
	}
	return exitOK
}

// solveOne solves one position and compares it with what is known.
func (f *solveFlags) solveOne(ctx context.Context, s *search.Searcher, p *problem, stderr io.Writer) (solved, error) {
	o := search.SolveOptions{AllBest: !f.one}
	if f.goal == "fewest" {
		o.Goal = engine.Fewest
	}
	if isTerminal(stderr) {
		o.Progress = func(at search.Progress) {
			_, _ = fmt.Fprintf(stderr, "\r\x1b[K%d: depth %d@%d%%, %v %+.1f, %d Mnodes, %.0f s",
				p.number, at.Depth, at.Confidence, at.Move, at.Score, at.Nodes/1e6, at.Time.Seconds())
		}
		defer func() { _, _ = fmt.Fprint(stderr, "\r\x1b[K") }()
	}
	solution, err := s.Solve(ctx, p.position, o)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted at position %d", p.number)
		}
		return solved{}, err
	}
	r := solved{
		Number: p.number, Board: p.position.String(), Turn: p.position.Turn.String(), Empty: p.position.Empty().Count(),
		Score: solution.Score, Best: []string{}, PV: []string{}, Nodes: solution.Nodes, Seconds: solution.Time.Seconds(),
	}
	for _, m := range solution.Best {
		r.Best = append(r.Best, m.String())
	}
	for _, m := range solution.PV {
		r.PV = append(r.PV, m.String())
	}
	if len(p.known) > 0 {
		agrees := p.agrees(&solution, !f.one)
		r.Agrees = &agrees
	}
	return r, nil
}

// agrees reports whether a solution says what is known: the best known score,
// by moves that are known to reach it (by all of them, if all were asked for).
func (p *problem) agrees(s *search.Solution, all bool) bool {
	best, count := -65, 0
	for _, score := range p.known {
		switch {
		case score > best:
			best, count = score, 1
		case score == best:
			count++
		}
	}
	for _, m := range s.Best {
		if score, ok := p.known[m]; !ok || score != best {
			return false
		}
	}
	return s.Score == best && (!all || len(s.Best) == count)
}

// rate returns millions a second.
func rate(n uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds / 1e6
}

// text returns a result for people, or as JSON.
func (f *solveFlags) text(r *solved) (string, error) {
	if f.json {
		object, err := json.Marshal(r)
		if err != nil {
			return "", fmt.Errorf("write the result: %w", err)
		}
		return string(object) + "\n", nil
	}
	note := ""
	if r.Agrees != nil && !*r.Agrees {
		note = "  CONTRADICTS the known scores"
	}
	moves := strings.Join(r.Best, " ")
	if moves == "" {
		moves = "none"
	}
	return fmt.Sprintf("%4d %7d %+5d %12d %9.3f %8.1f  %s%s\n",
		r.Number, r.Empty, r.Score, r.Nodes, r.Seconds, rate(r.Nodes, r.Seconds), moves, note), nil
}
