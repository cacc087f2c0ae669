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

	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
)

// gameWriter writes games in a format to a file or to standard output.
type gameWriter struct {
	stdout io.Writer
	// to and out are the flags.
	to, out string
	format  notation.Format
	buf     *bufio.Writer
	file    *os.File
	wthor   *notation.WTHOR
	scratch []byte
	// lost counts the games of which something was lost, and lostOrder are its
	// names as they came.
	lost      map[notation.Loss]int
	lostOrder []notation.Loss
}

// flags adds the flags that say how games are written.
func (w *gameWriter) flags(fs *flag.FlagSet) {
	fs.StringVar(&w.to, "to", "", "write `FORMAT`; without it, what the name of the output says\n("+formatNames(true)+")")
	fs.StringVar(&w.out, "out", "", "write to `FILE`; without it, or with -, to standard output")
}

// check looks at the flags.
func (w *gameWriter) check() error {
	w.lost = make(map[notation.Loss]int)
	if w.out == "-" {
		w.out = ""
	}
	if w.to == "" {
		f, ok := notation.FormatOf(w.out)
		if !ok {
			return errors.New("say with --to in which format to write")
		}
		w.format = f
	} else {
		var err error
		if w.format, err = notation.ParseFormat(w.to); err != nil {
			return fmt.Errorf("--to: %w", err)
		}
	}
	if !w.format.Writable() {
		return fmt.Errorf("%v can be read and not written", w.format)
	}
	if w.format == notation.FormatWTHOR && w.out == "" {
		return errors.New("a WTHOR file has two tables of names beside it: name it with --out FILE.wtb")
	}
	return nil
}

// open begins the output. A file gets its name when it is complete.
func (w *gameWriter) open() error {
	if w.format == notation.FormatWTHOR {
		w.wthor = notation.NewWTHOR(nil, nil)
		// Its three files are written at the end.
		f, err := os.CreateTemp(filepath.Dir(w.out), filepath.Base(w.out)+".*.new")
		if err != nil {
			return fmt.Errorf("write the games: %w", err)
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if w.out == "" {
		w.buf = bufio.NewWriter(w.stdout)
		return nil
	}
	var err error
	if w.file, err = os.OpenFile(w.out+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644); err != nil { //nolint:gosec // games are made to be passed on
		return fmt.Errorf("write the games: %w", err)
	}
	w.buf = bufio.NewWriter(w.file)
	return nil
}

// failedError is an output that cannot be written any more.
type failedError struct{ err error }

// Error returns what is wrong.
func (e *failedError) Error() string { return fmt.Sprintf("write the games: %v", e.err) }

// Unwrap returns the reason.
func (e *failedError) Unwrap() error { return e.err }

// write writes a game. The error is about the game, or a *failedError.
func (w *gameWriter) write(g *notation.Game) error {
	var lost []notation.Loss
	var err error
	if w.wthor != nil {
		lost, err = w.wthor.Add(g)
	} else {
		w.scratch, lost, err = notation.Append(w.scratch[:0], w.format, g)
	}
	if err != nil {
		return err
	}
	for _, l := range lost {
		if w.lost[l] == 0 {
			w.lostOrder = append(w.lostOrder, l)
		}
		w.lost[l]++
	}
	if w.wthor != nil {
		return nil
	}
	if _, err := w.buf.Write(w.scratch); err != nil {
		return &failedError{err}
	}
	return nil
}

// close ends the output. If ok is false, nothing is left of a file.
func (w *gameWriter) close(ok bool) error {
	if w.wthor != nil {
		if !ok {
			return nil
		}
		return w.closeWTHOR()
	}
	err := w.buf.Flush()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
		if err == nil && ok {
			err = os.Rename(w.out+".new", w.out)
		} else {
			_ = os.Remove(w.out + ".new")
		}
	}
	if err != nil {
		return &failedError{err}
	}
	return nil
}

// end closes the output behind n games. The first error counts: what fails
// behind it only says the same again.
func (w *gameWriter) end(err error, n int) error {
	if closing := w.close(err == nil && n > 0); err == nil {
		return closing
	}
	return err
}

// closeWTHOR writes the file and its tables.
func (w *gameWriter) closeWTHOR() error {
	now := time.Now().UTC()
	wtb, jou, trn, err := w.wthor.Files(notation.Date{Year: now.Year(), Month: int(now.Month()), Day: now.Day()})
	if err != nil {
		return &failedError{err}
	}
	base := strings.TrimSuffix(w.out, filepath.Ext(w.out))
	for _, f := range []struct {
		name    string
		content []byte
	}{{base + ".jou", jou}, {base + ".trn", trn}, {w.out, wtb}} {
		if err := os.WriteFile(f.name, f.content, 0o644); err != nil { //nolint:gosec // games are made to be passed on
			return &failedError{err}
		}
	}
	return nil
}

// report says what the format could not hold.
func (w *gameWriter) report(stderr io.Writer, name string) {
	for _, l := range w.lostOrder {
		complain(stderr, fmt.Sprintf("%s %s: %v does not hold %s (%s)", program, name, w.format, l, plural(w.lost[l], "game")))
	}
}

// convertCommand reads files and writes them in another format.
func convertCommand() command {
	c := command{
		name:    "convert",
		summary: "Write the games of files in another format",
		usage:   "games convert [FILE...] --to FORMAT [--from FORMAT] [--out FILE]",
		example: program + " games convert WTH_2013.wtb --to ggf --out 2013.ggf\n" +
			"echo f5d6c3d3c4 | " + program + " games convert --to pgn",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		r := gameReader{command: c.name, stdin: stdin, stderr: stderr}
		w := gameWriter{stdout: stdout}
		r.flags(fs)
		w.flags(fs)
		names, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		if err := errors.Join(r.check(), w.check()); err != nil {
			return usageError(stderr, c.name, oneLine(err))
		}
		return convert(ctx, &r, &w, names)
	}
	return c
}

// oneLine joins the lines of an error.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// convert reads names with r and writes with w.
func convert(ctx context.Context, r *gameReader, w *gameWriter, names []string) int {
	if err := w.open(); err != nil {
		return fail(r.stderr, r.command, err)
	}
	var failed *failedError
	err := r.each(ctx, names, func(_ string, _ int, g *notation.Game) error {
		err := w.write(g)
		if errors.As(err, &failed) {
			return errStop
		}
		return err
	})
	if failed != nil {
		err = failed
	}
	if err := w.end(err, r.good); err != nil {
		return fail(r.stderr, r.command, err)
	}
	w.report(r.stderr, r.command)
	return r.finish("written")
}

// exportCommand writes games of the archive.
func exportCommand() command {
	c := command{
		name:    "export",
		summary: "Write games of the archive to a file",
		usage:   "games export --to FORMAT [--out FILE] [--data DIR] [--player TEXT] [--event TEXT] [--since DAY] [--until DAY]",
		example: program + " games export --to ggf --out mine.ggf --since 2026-02-01\n" +
			program + " games export --out season.wtb --event 'club evening'",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		var a archiveFlags
		w := gameWriter{stdout: stdout}
		w.flags(fs)
		a.place(fs)
		a.choice(fs)
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		q, err := a.query()
		if err := errors.Join(w.check(), err); err != nil {
			return usageError(stderr, c.name, oneLine(err))
		}
		games, err := a.openOld(ctx, stderr)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		r := gameReader{command: c.name, stdin: stdin, stderr: stderr}
		code := export(ctx, games, q, &r, &w)
		if err := games.Close(); err != nil {
			return fail(stderr, c.name, err)
		}
		return code
	}
	return c
}

// export writes the games that q selects.
func export(ctx context.Context, games *archive.Games, q archive.Query, r *gameReader, w *gameWriter) int {
	list, err := games.List(ctx, q)
	if err != nil {
		return fail(r.stderr, r.command, err)
	}
	if len(list) == 0 {
		return fail(r.stderr, r.command, errors.New("no game in the archive is meant by these flags"))
	}
	if err := w.open(); err != nil {
		return fail(r.stderr, r.command, err)
	}
	var failed error
	// A file of games begins with the earliest.
	for _, e := range slices.Backward(list) {
		_, g, err := games.Get(ctx, e.ID)
		if err == nil {
			err = w.write(g)
		}
		var output *failedError
		if errors.As(err, &output) || ctx.Err() != nil {
			failed = err
			break
		}
		if err != nil {
			r.fault("game "+e.ID, 0, err)
			continue
		}
		r.good++
		r.progress("archive")
	}
	if err := w.end(failed, r.good); err != nil {
		return fail(r.stderr, r.command, err)
	}
	w.report(r.stderr, r.command)
	return r.finish("written")
}

// importCommand takes games of files into the archive.
func importCommand() command {
	c := command{
		name:    "import",
		summary: "Take the games of files into the archive, each only once",
		usage:   "games import [FILE...] [--from FORMAT] [--data DIR]",
		example: program + " games import WTH_2013.wtb friends.ggf\n" +
			"curl https://example.org/games.sgf | " + program + " games import",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		var a archiveFlags
		r := gameReader{command: c.name, stdin: stdin, stderr: stderr}
		r.flags(fs)
		a.place(fs)
		names, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		if err := r.check(); err != nil {
			return usageError(stderr, c.name, err.Error())
		}
		games, err := a.open(ctx, stderr)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		added, err := importFiles(ctx, games, &r, names)
		if err := errors.Join(err, games.Close()); err != nil {
			return fail(stderr, c.name, err)
		}
		return r.finish(fmt.Sprintf("read, %d of them new", added))
	}
	return c
}

// importFiles takes each file as a whole, or not at all.
func importFiles(ctx context.Context, games *archive.Games, r *gameReader, names []string) (int, error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	added := 0
	for _, name := range names {
		source := filepath.Base(name)
		if name == "-" {
			source = "standard input"
		}
		var stopped error
		n, err := games.Import(ctx, source, func(yield func(*notation.Game) bool) {
			stopped = r.each(ctx, []string{name}, func(_ string, _ int, g *notation.Game) error {
				if !yield(g) {
					return errStop
				}
				return nil
			})
		})
		if err := errors.Join(stopped, err); err != nil {
			return added, err
		}
		added += n
	}
	return added, nil
}
