package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// listCommand lists the archive.
func listCommand() command {
	c := command{
		name:    "list",
		summary: "List games of the archive, the latest first",
		usage:   "games list [--data DIR] [--player TEXT] [--event TEXT] [--since DAY] [--until DAY] [--limit N] [--json]",
		example: program + " games list --player inoue --since 2026-02\n" +
			program + " games list --json",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		var a archiveFlags
		a.place(fs)
		a.choice(fs)
		asJSON := fs.Bool("json", false, "print one JSON array")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		q, err := a.query()
		if err != nil {
			return usageError(stderr, c.name, err.Error())
		}
		games, err := a.openOld(ctx, stderr)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		list, err := games.List(ctx, q)
		if err := errors.Join(err, games.Close()); err != nil {
			return fail(stderr, c.name, err)
		}
		if !*asJSON {
			return printOut(stdout, stderr, listTable(list))
		}
		if list == nil {
			list = []archive.Entry{}
		}
		text, err := json.Marshal(list)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		return printOut(stdout, stderr, string(text)+"\n")
	}
	return c
}

// listTable is what a person reads.
func listTable(list []archive.Entry) string {
	if len(list) == 0 {
		return "no games\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s %-10s %-24s %-24s %-7s %s\n", "id", "day", "black", "white", "score", "event")
	for _, e := range list {
		score := e.End
		if e.Finished {
			score = fmt.Sprintf("%d-%d", e.BlackScore, e.WhiteScore)
		} else if score == "" {
			score = "open"
		}
		line := fmt.Sprintf("%-26s %-10s %-24s %-24s %-7s %s", e.ID, e.Day, cut(e.Black.String()), cut(e.White.String()), score, e.Event)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// cut makes a name fit its column.
func cut(name string) string {
	const column = 24
	if r := []rune(name); len(r) > column {
		return string(r[:column-1]) + "…"
	}
	return name
}

// chosenGame is a game that a command line names: by its id in the archive, or
// by a file and its number there.
type chosenGame struct {
	archive archiveFlags
	reader  gameReader
	file    string
	number  int
}

// flags adds the flags.
func (g *chosenGame) flags(fs *flag.FlagSet) {
	g.archive.place(fs)
	fs.StringVar(&g.file, "file", "", "take the game from `FILE`, - for standard input, and not from the archive")
	fs.IntVar(&g.number, "game", 1, "take game `N` of the file")
	g.reader.flags(fs)
}

// get returns the game; args are what is left of the command line.
func (g *chosenGame) get(ctx context.Context, args []string) (*notation.Game, error) {
	switch {
	case g.file == "" && len(args) != 1:
		return nil, &wrongFlagError{"name one game: an id of games list, or --file FILE"}
	case g.file != "" && len(args) > 0:
		return nil, &wrongFlagError{fmt.Sprintf("unexpected argument %.40q", args[0])}
	case g.number < 1:
		return nil, &wrongFlagError{fmt.Sprintf("--game %d: games are counted from 1", g.number)}
	case g.file == "":
		return g.fromArchive(ctx, args[0])
	}
	if err := g.reader.check(); err != nil {
		return nil, &wrongFlagError{err.Error()}
	}
	return g.fromFile(ctx)
}

func (g *chosenGame) fromArchive(ctx context.Context, id string) (*notation.Game, error) {
	games, err := g.archive.openOld(ctx, g.reader.stderr)
	if err != nil {
		return nil, err
	}
	_, game, err := games.Get(ctx, id)
	return game, errors.Join(err, games.Close())
}

// fromFile reads up to the game that is wanted.
func (g *chosenGame) fromFile(ctx context.Context) (*notation.Game, error) {
	var chosen *notation.Game
	read := 0
	err := g.reader.each(ctx, []string{g.file}, func(_ string, n int, game *notation.Game) error {
		if read = n; n < g.number {
			return nil
		}
		if n == g.number {
			chosen = game
		}
		return errStop
	})
	if err == nil && chosen == nil {
		err = fmt.Errorf("%s: game %d cannot be shown: it could not be read, or there are only %d", plaintext.EscapeLine(g.file), g.number, read)
	}
	return chosen, err
}

// showCommand prints a game.
func showCommand() command {
	c := command{
		name:    "show",
		summary: "Print a game: who, what, the moves and the board",
		usage:   "games show (ID [--data DIR] | --file FILE [--game N]) [--ply N] [--json]",
		example: program + " games show 01JD7Q4E9W\n" +
			program + " games show --file WTH_2001.wtb --game 1389 --ply 5",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		g := chosenGame{reader: gameReader{command: c.name, stdin: stdin, stderr: stderr}}
		g.flags(fs)
		ply := fs.Int("ply", -1, "draw the board after ply `N`, 0 for the start; without it, the last one")
		asJSON := fs.Bool("json", false, "print the game as one JSON object, as --to json does")
		rest, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		game, err := g.get(ctx, rest)
		if err == nil {
			var text string
			if text, err = showGame(game, *ply, *asJSON); err == nil {
				return printOut(stdout, stderr, text)
			}
		}
		return failOrUsage(stderr, c.name, err)
	}
	return c
}

// failOrUsage prints an error that may be about the command line.
func failOrUsage(stderr io.Writer, name string, err error) int {
	if wrong, ok := errors.AsType[*wrongFlagError](err); ok {
		return usageError(stderr, name, wrong.text)
	}
	return fail(stderr, name, err)
}

// showGame returns what show prints.
func showGame(g *notation.Game, ply int, asJSON bool) (string, error) {
	if asJSON {
		b, _, err := notation.Append(nil, notation.FormatJSON, g)
		return string(b), err
	}
	at, err := positionAt(g, ply)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"Black", g.Players[engine.Black].Name.String()},
		{"White", g.Players[engine.White].Name.String()},
		{"Event", g.Event.String()},
		{"Round", g.Round.String()},
		{"Place", g.Place.String()},
		{"Date", g.Date.String()},
		{"Rules", g.Rules.Name},
		{"Result", resultText(g)},
		{"Comment", g.Comment.String()},
		{"Moves", notation.Transcript(g.Moves())},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-8s %s\n", line[0], strings.ReplaceAll(line[1], "\n", "\n         "))
		}
	}
	for _, w := range g.Warnings {
		fmt.Fprintf(&b, "%-8s %s\n", "Note", w)
	}
	fmt.Fprintf(&b, "\n%s", notation.Board(at.Position))
	return b.String(), nil
}

// resultText says how the game ended.
func resultText(g *notation.Game) string {
	r, err := g.Result()
	switch {
	case err == nil:
		return fmt.Sprintf("%d-%d", r.Black, r.White)
	case g.Recorded.Known && g.Recorded.End != notation.EndNone:
		return fmt.Sprintf("won by %v, %v%s", g.Recorded.Winner, g.Recorded.End, scoreText(g.Recorded))
	case g.Recorded.End != notation.EndNone:
		return g.Recorded.End.String()
	default:
		return "not finished"
	}
}

// scoreText writes a recorded score, empty when there is none.
func scoreText(o notation.Outcome) string {
	if !o.Scored {
		return ""
	}
	return fmt.Sprintf(", %d-%d", o.Black, o.White)
}

// positionAt returns the game after a ply, or at its end if ply is negative.
func positionAt(g *notation.Game, ply int) (engine.Game, error) {
	if n := g.Plies(); ply > n {
		return engine.Game{}, &wrongFlagError{fmt.Sprintf("--ply %d: the game has %d", ply, n)}
	}
	if ply < 0 {
		return g.Final()
	}
	part := *g
	n := 0
	for i, p := range g.Plays {
		if n == ply && p.Move != engine.PassMove {
			part.Plays = g.Plays[:i]
			break
		}
		if p.Move != engine.PassMove {
			n++
		}
	}
	return part.Final()
}

// diagramCommand draws a game or a position.
func diagramCommand() command {
	c := command{
		name:    "diagram",
		summary: "Draw a game with numbered discs, or one of its positions, as SVG or PNG",
		usage:   "games diagram (ID [--data DIR] | --file FILE [--game N] | --position TEXT) [--ply N] --out FILE.svg|FILE.png",
		example: program + " games diagram 01JD7Q4E9W --out game.svg\n" +
			program + " games diagram --file old.ggf --game 3 --ply 20 --size 400 --out ply20.png\n" +
			program + " games diagram --position '---------------------------OX------XO--------------------------- X' --out start.png",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		c := c.full()
		fs := newFlags(c)
		d := diagram{game: chosenGame{reader: gameReader{command: c.name, stdin: stdin, stderr: stderr}}, stdout: stdout}
		d.game.flags(fs)
		fs.StringVar(&d.position, "position", "", "draw the position `TEXT`: 64 squares a1 to h8 and the side to move,\nor an Edax FEN")
		fs.IntVar(&d.ply, "ply", -1, "draw the board after ply `N`, 0 for the start; without it, the whole game\nwith the number of each disc")
		fs.IntVar(&d.size, "size", 400, "a PNG has `N` pixels on each side")
		fs.StringVar(&d.out, "out", "", "write to `FILE`.svg or FILE.png; without it, to standard output")
		fs.StringVar(&d.to, "to", "", "draw `svg` or png; without it, what the name of the output says")
		rest, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		if err := d.run(ctx, rest); err != nil {
			return failOrUsage(stderr, c.name, err)
		}
		return exitOK
	}
	return c
}

// diagram is one run of the command.
type diagram struct {
	game              chosenGame
	stdout            io.Writer
	position, out, to string
	ply, size         int
}

func (d *diagram) run(ctx context.Context, args []string) error {
	kind := strings.ToLower(d.to)
	if kind == "" {
		kind = strings.TrimPrefix(strings.ToLower(filepath.Ext(d.out)), ".")
	}
	if kind != "svg" && kind != "png" {
		return &wrongFlagError{"say svg or png, with --to or by the name of the output"}
	}
	if d.size < notation.MinPNG || d.size > notation.MaxPNG {
		return &wrongFlagError{fmt.Sprintf("--size %d: want %d to %d", d.size, notation.MinPNG, notation.MaxPNG)}
	}
	drawing, err := d.draw(ctx, args)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if kind == "svg" {
		b.WriteString(drawing.SVG())
	} else if err := drawing.PNG(&b, d.size); err != nil {
		return err
	}
	if d.out == "" || d.out == "-" {
		if _, err := d.stdout.Write(b.Bytes()); err != nil {
			return fmt.Errorf("write the drawing: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(d.out, b.Bytes(), 0o644); err != nil { //nolint:gosec // drawings are made to be passed on
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}

// draw returns the drawing that is asked for.
func (d *diagram) draw(ctx context.Context, args []string) (notation.Diagram, error) {
	if d.position != "" {
		if len(args) > 0 || d.game.file != "" {
			return notation.Diagram{}, &wrongFlagError{"name a position or a game, not both"}
		}
		p, err := notation.ParsePosition(d.position)
		if err != nil {
			return notation.Diagram{}, &wrongFlagError{"--position: " + err.Error()}
		}
		return notation.PositionDiagram(p), nil
	}
	g, err := d.game.get(ctx, args)
	if err != nil {
		return notation.Diagram{}, err
	}
	if d.ply < 0 && len(g.Plays) > 0 {
		return notation.GameDiagram(g)
	}
	at, err := positionAt(g, d.ply)
	return notation.PositionDiagram(at.Position), err
}
