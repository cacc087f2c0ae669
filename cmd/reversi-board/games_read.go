package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// gameReader reads the games of files one after the other. Games that cannot be
// read are reported and passed over.
type gameReader struct {
	// command is named in messages.
	command string
	stdin   io.Reader
	stderr  io.Writer
	verbose bool
	// from, names and variant are the flags.
	from, names, variant string
	format               notation.Format
	rules                engine.Rules
	// good and bad count games; files that cannot be read are bad as well.
	good, bad int
	// warned counts games with warnings.
	warned int
	// drawn is when progress was drawn last.
	drawn time.Time
	shown bool
}

// flags adds the flags that say how files are read.
func (r *gameReader) flags(fs *flag.FlagSet) {
	fs.StringVar(&r.from, "from", "", "the files are in `FORMAT`; without it, it is found out\n("+formatNames(false)+")")
	fs.StringVar(&r.names, "names", "", "the name tables of WTHOR files (.JOU, .TRN) are in `DIR`;\nwithout it, beside them")
	fs.StringVar(&r.variant, "variant", "classic", "the `RULES` of formats that do not name theirs")
	fs.BoolVar(&r.verbose, "verbose", false, "print what was noticed in games that could be read")
}

// check looks at the flags.
func (r *gameReader) check() error {
	var err error
	if r.from != "" {
		if r.format, err = notation.ParseFormat(r.from); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	if r.rules, err = engine.Variant(r.variant); err != nil {
		return fmt.Errorf("--variant: %w", err)
	}
	return nil
}

// errStop ends the reading without an error.
var errStop = errors.New("stop")

// each calls f with every game of the files, - or none is standard input. An
// error of f is about that game and counts it as bad; errStop ends the reading.
// What each returns is that ctx has ended.
func (r *gameReader) each(ctx context.Context, files []string, f func(file string, n int, g *notation.Game) error) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		err := r.file(ctx, name, f)
		r.wipe()
		switch {
		case errors.Is(err, errStop):
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted after %d games", r.good)
		case err != nil:
			r.fault(name, 0, err)
		}
	}
	return nil
}

// file reads one file.
func (r *gameReader) file(ctx context.Context, name string, f func(string, int, *notation.Game) error) error {
	in := r.stdin
	if name != "-" {
		file, err := os.Open(filepath.Clean(name)) //nolint:gosec // the file that the user has named
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // nothing was written
		in = file
	}
	buffered := bufio.NewReaderSize(in, 64<<10)
	format, err := r.formatOf(name, buffered)
	if err != nil {
		return err
	}
	options := notation.ReadOptions{Rules: r.rules}
	if format == notation.FormatWTHOR {
		if options.Players, options.Tournaments, err = r.tables(name); err != nil {
			return err
		}
	}
	n := 0
	for g, err := range notation.Read(buffered, format, options) {
		n++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var one *notation.GameError
		switch {
		case errors.As(err, &one):
			r.fault(name, 0, err)
			continue
		case err != nil:
			return fmt.Errorf("as %v: %w", format, err)
		}
		r.warnings(name, n, g)
		switch err := f(name, n, g); {
		case errors.Is(err, errStop):
			r.good++
			return err
		case err != nil:
			r.fault(name, n, err)
		default:
			r.good++
		}
		r.progress(name)
	}
	return nil
}

// formatOf returns the format of a file: what the user says, what the name says,
// or what it looks like.
func (r *gameReader) formatOf(name string, in *bufio.Reader) (notation.Format, error) {
	if r.format != 0 {
		return r.format, nil
	}
	if f, ok := notation.FormatOf(name); ok {
		return f, nil
	}
	head, err := in.Peek(notation.SniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	f, err := notation.Sniff(head)
	if err != nil {
		return 0, fmt.Errorf("the format could not be found out (or name it with --from): %w", err)
	}
	return f, nil
}

// tables reads the name tables that belong to a WTHOR file: those of the same
// name, or the only ones there. Without them names are numbers.
func (r *gameReader) tables(name string) (players, tournaments notation.Names, err error) {
	dir := r.names
	if dir == "" {
		dir = filepath.Dir(name)
	}
	if name == "-" && r.names == "" {
		return nil, nil, nil
	}
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if players, err = readTable(dir, base, ".jou", notation.Players); err != nil {
		return nil, nil, err
	}
	tournaments, err = readTable(dir, base, ".trn", notation.Tournaments)
	return players, tournaments, err
}

// readTable reads the table of names in a folder that fits best.
func readTable(dir, base, ext string, kind notation.NameKind) (notation.Names, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ext) {
			found = append(found, e.Name())
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		rank := func(name string) int {
			if strings.EqualFold(strings.TrimSuffix(name, filepath.Ext(name)), base) {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	if len(found) == 0 {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(dir, found[0])) //nolint:gosec // a file of the folder that the user has named
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	names, err := notation.ReadNames(f, kind)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", found[0], err)
	}
	return names, nil
}

// fault reports a game that could not be used; n is 0 when err names it, or when
// it is about the whole file.
func (r *gameReader) fault(name string, n int, err error) {
	r.bad++
	r.wipe()
	if name == "-" {
		name = "standard input"
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	where := plaintext.EscapeLine(name)
	if n > 0 {
		where = fmt.Sprintf("%s: game %d", where, n)
	}
	complain(r.stderr, fmt.Sprintf("%s %s: %s: %s", program, r.command, where, errorText(err)))
}

// warnings reports what was noticed in a game.
func (r *gameReader) warnings(name string, n int, g *notation.Game) {
	if len(g.Warnings) == 0 {
		return
	}
	r.warned++
	if !r.verbose {
		return
	}
	r.wipe()
	for _, w := range g.Warnings {
		complain(r.stderr, fmt.Sprintf("%s: game %d: %s", plaintext.EscapeLine(name), n, w))
	}
}

// progress draws how many games have been read, a few times in a second.
func (r *gameReader) progress(name string) {
	if r.good%64 != 0 || !isTerminal(r.stderr) {
		return
	}
	if now := time.Now(); now.Sub(r.drawn) > 200*time.Millisecond {
		r.drawn, r.shown = now, true
		_, _ = fmt.Fprintf(r.stderr, "\r%s: %d games\x1b[K", plaintext.EscapeLine(filepath.Base(name)), r.good)
	}
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// wipe takes the progress away.
func (r *gameReader) wipe() {
	if r.shown {
		r.shown = false
		_, _ = fmt.Fprint(r.stderr, "\r\x1b[K")
	}
}

// finish says how it went and returns the exit status.
func (r *gameReader) finish(done string) int {
	r.wipe()
	line := fmt.Sprintf("%s %s: %s %s", program, r.command, plural(r.good, "game"), done)
	if r.warned > 0 && !r.verbose {
		line += fmt.Sprintf(", %d with warnings (--verbose prints them)", r.warned)
	}
	if r.bad > 0 {
		complain(r.stderr, fmt.Sprintf("%s, %d failed", line, r.bad))
		return exitError
	}
	complain(r.stderr, line)
	return exitOK
}
