package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/gtp"
	"reversi-board/engine/opponent/nboard"
)

// openings are XOT openings: eight plies each, about even.
//
//go:embed openings.txt
var openings string

// maxMatch is the largest number of games that can be asked for.
const maxMatch = 100_000

// matchCommand lets two engines play.
func matchCommand() command {
	c := command{
		name:    "match",
		summary: "Let two engines play a match from even openings, each with both colors",
		usage: "match ENGINE-A ENGINE-B [--games N] [--seed S] [--openings FILE] [--clock C | --time D] [--depth N]\n" +
			"    [--out FILE [--to FORMAT]] [--verbose] [--json]",
		example: program + " match builtin:8 builtin:3\n" +
			program + " match builtin:10 'gtp:gtp-rhino -l 5' --games 40 --out match.ggf\n" +
			program + " match 'nboard:mEdax -nboard' builtin:10 --depth 10 --time 5s",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		f := matchFlags{stderr: stderr}
		f.add(fs)
		names, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		m, err := f.match(names)
		if err != nil {
			return usageError(stderr, c.name, oneLine(err))
		}
		return f.run(ctx, m, stdout, stderr)
	}
	return c
}

// matchFlags are the flags of the command.
type matchFlags struct {
	games, depth      int
	seed              uint64
	openings, out, to string
	clock             string
	time              time.Duration
	json, verbose     bool
	writer            *gameWriter
	stderr            io.Writer
}

func (f *matchFlags) add(fs *flag.FlagSet) {
	fs.IntVar(&f.games, "games", 20, "play `N` games, an even number: every opening is played twice")
	fs.Uint64Var(&f.seed, "seed", 1, "draw the openings, and what weak levels overlook, from `S`; the same seed plays\n"+
		"the same, unless an engine looks at the clock")
	fs.StringVar(&f.openings, "openings", "", "read openings from `FILE`, one a line, instead of those built in (22 of XOT)")
	fs.StringVar(&f.clock, "clock", "", "give each player the time `C`, main/increment: 5:00 or 5:00/3")
	fs.DurationVar(&f.time, "time", 0, "let the built-in player think `D` at most for a move; other programs may take\n"+
		"five seconds longer before they count as silent")
	fs.IntVar(&f.depth, "depth", 8, "tell NBoard engines to look `N` plies ahead, 1 to 60")
	fs.StringVar(&f.out, "out", "", "write the games to `FILE`")
	fs.StringVar(&f.to, "to", "", "write them as `FORMAT`; without it, what the name says, or transcripts\n("+formatNames(true)+")")
	fs.BoolVar(&f.verbose, "verbose", false, "print what the engines say on standard error, and their faults")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
}

// match turns the arguments into a match.
func (f *matchFlags) match(names []string) (*match, error) {
	switch {
	case len(names) != 2:
		return nil, fmt.Errorf("want two engines, got %s", plural(len(names), "argument"))
	case f.games < 2 || f.games > maxMatch || f.games%2 != 0:
		return nil, fmt.Errorf("--games %d: want an even number, 2 to %d", f.games, maxMatch)
	case f.depth < 1 || f.depth > nboard.MaxDepth:
		return nil, fmt.Errorf("--depth %d: want 1 to %d", f.depth, nboard.MaxDepth)
	case f.time < 0 || f.time > 0 && f.clock != "":
		return nil, errors.New("want a positive --time, and not with --clock")
	}
	m := &match{games: f.games, seed: f.seed}
	var err error
	if m.clock, err = f.clocks(); err != nil {
		return nil, err
	}
	for i, name := range names {
		if m.sides[i], err = f.side(name); err != nil {
			return nil, err
		}
	}
	if m.openings, err = f.lines(); err != nil {
		return nil, err
	}
	if f.out != "" || f.to != "" {
		if f.out == "" {
			return nil, errors.New("--to: say with --out where to write")
		}
		if _, ok := notation.FormatOf(f.out); !ok && f.to == "" {
			f.to = notation.FormatTranscript.String()
		}
		f.writer = &gameWriter{out: f.out, to: f.to}
		if err := f.writer.check(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// clocks reads --clock and --time.
func (f *matchFlags) clocks() (opponent.Clock, error) {
	c := opponent.Clock{Limit: f.time}
	if f.clock == "" {
		return c, nil
	}
	read, err := notation.ParseClock(f.clock)
	switch {
	case err != nil:
		return c, fmt.Errorf("--clock: %w", err)
	case strings.Count(f.clock, "/") > 1 || read.Main.Moves != 0 || read.Increment.Moves != 1 || read.Main.Time <= 0:
		return c, fmt.Errorf("--clock %.20q: want main/increment, such as 5:00/3", f.clock)
	}
	c.Main, c.Increment = read.Main.Time, read.Increment.Time
	return c, nil
}

// side reads the name of an engine: builtin:LEVEL, gtp:COMMAND, nboard:COMMAND.
func (f *matchFlags) side(name string) (side, error) {
	kind, rest, _ := strings.Cut(name, ":")
	logger := slog.New(slog.DiscardHandler)
	if f.verbose {
		logger = slog.New(slog.NewTextHandler(f.stderr, nil)).With("command", rest)
	}
	switch kind {
	case "builtin":
		level, err := strconv.Atoi(rest)
		if err != nil || level < 1 || level > opponent.MaxLevel {
			return side{}, fmt.Errorf("%.40q: want builtin:1 to builtin:%d", name, opponent.MaxLevel)
		}
		return f.builtin(level), nil
	case "gtp", "nboard":
		words, err := splitCommand(rest)
		if err != nil {
			return side{}, fmt.Errorf("%.40q: %w", name, err)
		}
		if len(words) == 0 {
			return side{}, fmt.Errorf("%.40q: want the command behind the colon, such as gtp:gtp-rhino", name)
		}
		dial := gtp.Dial
		if kind == "nboard" {
			dial = nboard.Dial(f.depth)
		}
		x := opponent.New(opponent.Options{Command: words, Logger: logger}, dial)
		return side{start: x.Start, hire: func(uint64) (opponent.Player, error) { return x, nil }, close: x.Close}, nil
	}
	return side{}, fmt.Errorf("%.40q is no engine: want builtin:LEVEL, gtp:COMMAND or nboard:COMMAND", name)
}

func (f *matchFlags) builtin(level int) side {
	o := opponent.BuiltinOptions{Level: level, Time: f.time}
	if f.time > 0 || f.clock != "" {
		// Without a clock the search is bound by its depth, and repeats.
		o.Now = stopwatch()
	}
	return side{
		start: func(context.Context) error { return nil },
		hire: func(seed uint64) (opponent.Player, error) {
			o.Seed = seed
			return opponent.NewBuiltin(o) //nolint:wrapcheck // the level has been checked
		},
		close: func() error { return nil },
	}
}

// lines reads the openings.
func (f *matchFlags) lines() ([]notation.Line, error) {
	text, name := openings, "the built-in openings"
	if f.openings != "" {
		b, err := os.ReadFile(f.openings)
		if err != nil {
			return nil, fmt.Errorf("--openings: %w", err)
		}
		text, name = string(b), f.openings
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		return nil, fmt.Errorf("take the rules: %w", err)
	}
	var list []notation.Line
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		opening, err := notation.ParseTranscript(rules, line)
		if err == nil && opening.Final.Over() {
			err = errors.New("the game is over")
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, i+1, err)
		}
		list = append(list, opening)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there are no openings in it", name)
	}
	return list, nil
}

// splitCommand cuts a command line at blanks; what stands between quotes stays
// together.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, r := range text {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// run plays the match, writes the games and prints the report.
func (f *matchFlags) run(ctx context.Context, m *match, stdout, stderr io.Writer) int {
	defer m.close()
	if f.writer != nil {
		if err := f.writer.open(); err != nil {
			return fail(stderr, "match", err)
		}
	}
	terminal := isTerminal(stderr)
	m.done = func(g *matchGame, r *matchReport) error {
		if terminal {
			_, _ = fmt.Fprintf(stderr, "\r%d of %d games: %d won, %d drawn, %d lost ", r.Games, m.games, r.Won, r.Drawn, r.Lost)
		}
		if f.writer != nil {
			return f.writer.write(g.notation(m))
		}
		return nil
	}
	report, err := m.play(ctx)
	if terminal {
		_, _ = fmt.Fprint(stderr, "\r\x1b[K")
	}
	if f.writer != nil {
		// What a format does not hold, such as the number of the game, is in the
		// report.
		err = errors.Join(err, f.writer.close(true))
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("interrupted after %d of %s", report.Games, plural(m.games, "game"))
	}
	if report.Games > 0 {
		if code := f.print(report, stdout, stderr); code != exitOK {
			return code
		}
	}
	if err != nil {
		return fail(stderr, "match", err)
	}
	return exitOK
}

// print prints the report, of a match that was interrupted as well.
func (f *matchFlags) print(r *matchReport, stdout, stderr io.Writer) int {
	text := r.text()
	if f.json {
		object, err := json.Marshal(r)
		if err != nil {
			return fail(stderr, "match", err)
		}
		text = string(object) + "\n"
	}
	return printOut(stdout, stderr, text)
}
