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
	"reversi-board/engine/opening"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/gtp"
	"reversi-board/engine/opponent/nboard"
)

// maxMatch is the largest number of games that can be asked for.
const maxMatch = 100_000

// matchCommand lets two engines play.
func matchCommand() command {
	c := command{
		name:    "match",
		summary: "Let two engines play a match from even openings, each with both colors",
		usage: "match ENGINE-A ENGINE-B [--games N] [--seed S] [--openings FILE] [--clock C | --time D] [--wait D]\n" +
			"    [--depth N] [--out FILE [--to FORMAT]] [--at-least P] [--progress N] [--verbose] [--brief | --json]\n\n" +
			"An engine is builtin:LEVEL (1 to 10), gtp:COMMAND, nboard:COMMAND or random, which plays any legal\n" +
			"move by chance",
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
	games, depth         int
	progress             int
	seed                 uint64
	openings, out, to    string
	clock                string
	time, wait           time.Duration
	engines              [2]string // as they were named
	atLeast              float64
	json, brief, verbose bool
	writer               *gameWriter
	stderr               io.Writer
}

func (f *matchFlags) add(fs *flag.FlagSet) {
	fs.IntVar(&f.games, "games", 20, "play `N` games, an even number: every opening is played twice")
	fs.Uint64Var(&f.seed, "seed", 1, "draw the openings, what weak levels overlook and random moves from `S`; the same\n"+
		"seed plays the same, unless an engine looks at the clock")
	fs.StringVar(&f.openings, "openings", "", "read openings from `FILE`, one a line, instead of the 100 built in (22 of XOT, and\n"+
		"78 made by its rule)")
	fs.StringVar(&f.clock, "clock", "", "give each player the time `C`, main/increment: 5:00 or 5:00/3")
	fs.DurationVar(&f.time, "time", 0, "let the built-in player think `D` at most for a move; other programs may take\n"+
		"five seconds longer before they count as silent, unless --wait says otherwise")
	fs.DurationVar(&f.wait, "wait", 0, "wait `D` for a move of another program before it counts as silent; without it,\n"+
		"as long as --time or --clock says, or a minute")
	fs.IntVar(&f.depth, "depth", 8, "tell NBoard engines to look `N` plies ahead, 1 to 60")
	fs.StringVar(&f.out, "out", "", "write the games to `FILE`")
	fs.StringVar(&f.to, "to", "", "write them as `FORMAT`; without it, what the name says, or transcripts\n("+formatNames(true)+")")
	fs.Float64Var(&f.atLeast, "at-least", 0, "end with status 1 if A scores less than `P` percent")
	fs.IntVar(&f.progress, "progress", 0, "print a line on standard error after every `N` games; without it, a terminal shows\n"+
		"every game in place")
	fs.BoolVar(&f.verbose, "verbose", false, "print what the engines say on standard error, and their faults")
	fs.BoolVar(&f.brief, "brief", false, "print one line, with the engines as they were named")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
}

// match turns the arguments into a match.
func (f *matchFlags) match(names []string) (*match, error) {
	if err := f.check(names); err != nil {
		return nil, err
	}
	f.engines = [2]string(names)
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

// check refuses flags that make no sense.
func (f *matchFlags) check(names []string) error {
	switch {
	case len(names) != 2:
		return fmt.Errorf("want two engines, got %s", plural(len(names), "argument"))
	case f.games < 2 || f.games > maxMatch || f.games%2 != 0:
		return fmt.Errorf("--games %d: want an even number, 2 to %d", f.games, maxMatch)
	case f.depth < 1 || f.depth > nboard.MaxDepth:
		return fmt.Errorf("--depth %d: want 1 to %d", f.depth, nboard.MaxDepth)
	case f.time < 0 || f.time > 0 && f.clock != "":
		return errors.New("want a positive --time, and not with --clock")
	case f.wait < 0 || f.wait > 0 && f.clock != "":
		return errors.New("want a positive --wait, and not with --clock")
	case !(f.atLeast >= 0 && f.atLeast <= 100): // not a number is neither
		return fmt.Errorf("--at-least %g: want a percentage, 0 to 100", f.atLeast)
	case f.progress < 0:
		return fmt.Errorf("--progress %d: want a number of games", f.progress)
	case f.brief && f.json:
		return errors.New("want either --brief or --json")
	}
	return nil
}

// clocks reads --clock.
func (f *matchFlags) clocks() (opponent.Clock, error) {
	var c opponent.Clock
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

// side reads the name of an engine: builtin:LEVEL, gtp:COMMAND, nboard:COMMAND,
// random.
func (f *matchFlags) side(name string) (side, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "random":
		if name != kind {
			return side{}, fmt.Errorf("%.40q: random stands alone", name)
		}
		return randomSide(), nil
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
		if kind == "gtp" {
			return f.external(words, rest, gtp.Dial), nil
		}
		return f.external(words, rest, nboard.Dial(f.depth)), nil
	}
	return side{}, fmt.Errorf("%.40q is no engine: want builtin:LEVEL, gtp:COMMAND, nboard:COMMAND or random", name)
}

// external is the side of another program; text is its command as it was
// written.
func (f *matchFlags) external(words []string, text string, dial func() opponent.Dialect) side {
	logger := slog.New(slog.DiscardHandler)
	if f.verbose {
		logger = slog.New(slog.NewTextHandler(f.stderr, nil)).With("command", text)
	}
	x := opponent.New(opponent.Options{
		Command: words, Logger: logger, Limits: opponent.Limits{Move: f.wait},
	}, dial)
	s := side{start: x.Start, hire: func(uint64) (opponent.Player, error) { return x, nil }, close: x.Close}
	if f.wait == 0 {
		s.limit = f.time
	}
	return s
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
	text, name := strings.Join(opening.Lines(), "\n"), "the built-in openings"
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
		begun, err := notation.ParseTranscript(rules, line)
		if err == nil && begun.Final.Over() {
			err = errors.New("the game is over")
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, i+1, err)
		}
		list = append(list, begun)
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
	show, hide := f.shower(m.games, stderr)
	m.done = func(g *matchGame, r *matchReport) error {
		show(r)
		if f.writer != nil {
			return f.writer.write(g.notation(m))
		}
		return nil
	}
	r, err := m.play(ctx)
	hide()
	if f.writer != nil {
		// What a format does not hold, such as the number of the game, is in the
		// report.
		err = errors.Join(err, f.writer.close(true))
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("interrupted after %d of %s", r.Games, plural(m.games, "game"))
	}
	if r.Games > 0 {
		if code := f.print(r, stdout, stderr); code != exitOK {
			return code
		}
	}
	if err == nil && r.percent() < f.atLeast {
		err = fmt.Errorf("%s as A scored %.1f %%, less than the %g %% asked for", f.engines[0], r.percent(), f.atLeast)
	}
	if err != nil {
		return fail(stderr, "match", err)
	}
	return exitOK
}

// shower returns what shows how a match of so many games goes, and what removes
// it from the terminal in the end.
func (f *matchFlags) shower(games int, stderr io.Writer) (show func(*matchReport), hide func()) {
	standing := func(r *matchReport) string {
		return fmt.Sprintf("%d of %d games: %d won, %d drawn, %d lost", r.Games, games, r.Won, r.Drawn, r.Lost)
	}
	none := func() {}
	switch {
	case f.progress > 0:
		return func(r *matchReport) {
			if r.Games%f.progress == 0 {
				complain(stderr, f.engines[0]+" against "+f.engines[1]+": "+standing(r))
			}
		}, none
	case isTerminal(stderr):
		return func(r *matchReport) { _, _ = fmt.Fprintf(stderr, "\r%s ", standing(r)) },
			func() { _, _ = fmt.Fprint(stderr, "\r\x1b[K") }
	}
	return func(*matchReport) {}, none
}

// bar is what the one line says about --at-least.
func (f *matchFlags) bar(r *matchReport) string {
	switch {
	case f.atLeast == 0:
		return ""
	case r.percent() < f.atLeast:
		return fmt.Sprintf("  MISSED: at least %g %%", f.atLeast)
	}
	return fmt.Sprintf("  (at least %g %%)", f.atLeast)
}

// print prints the report, of a match that was interrupted as well.
func (f *matchFlags) print(r *matchReport, stdout, stderr io.Writer) int {
	text := r.text()
	if f.brief {
		text = r.line(f.engines) + f.bar(r) + "\n"
	}
	if f.json {
		object, err := json.Marshal(r)
		if err != nil {
			return fail(stderr, "match", err)
		}
		text = string(object) + "\n"
	}
	return printOut(stdout, stderr, text)
}
