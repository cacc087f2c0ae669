package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// gamesCommand works with games in files and in the archive.
func gamesCommand() command {
	c := command{
		name:    "games",
		summary: "Read, write, convert, list and draw games",
		usage:   "games import|export|convert|list|show|diagram [flags] [FILE...]",
		example: program + " games convert --to sgf old.ggf --out new.sgf\n" +
			program + " games list --player inoue\n" +
			program + " games help convert",
	}
	return grouped(c, "games", gamesCommands, gamesOverview)
}

// gamesCommands lists what can be done with games.
func gamesCommands() []command {
	return []command{
		importCommand(), exportCommand(), convertCommand(), listCommand(), showCommand(), diagramCommand(),
	}
}

// gamesOverview is what the help of games has below its own text.
func gamesOverview(list []command) string {
	var b strings.Builder
	b.WriteString("\nWhat can be done:\n")
	for _, c := range list {
		fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.summary)
	}
	b.WriteString("\nFormats to read: " + formatNames(false) + ".\nFormats to write: " + formatNames(true) + ".\n")
	fmt.Fprintf(&b, "Each has --help, with an example: %s games convert --help\n", program)
	return b.String()
}

// formatNames lists the formats, or those that can be written.
func formatNames(writable bool) string {
	var names []string
	for _, f := range notation.Formats() {
		if f.Writable() || !writable {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ", ")
}

// full returns the name of a subcommand in messages.
func (c command) full() command {
	c.name = "games " + c.name
	return c
}

// parseMixed is parse for commands with arguments: flags may stand before,
// between and behind them.
func parseMixed(c command, fs *flag.FlagSet, args []string, stdout, stderr io.Writer) (rest []string, code int, done bool) {
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, printOut(stdout, stderr, c.help(fs)), true
		case err != nil:
			return nil, usageError(stderr, c.name, err.Error()), true
		case fs.NArg() == 0:
			return rest, exitOK, false
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
}

// archiveFlags say where the archive is and which games of it are meant.
type archiveFlags struct {
	dir                     string
	player, event, from, to string
	limit                   int
}

// place adds --data.
func (a *archiveFlags) place(fs *flag.FlagSet) {
	fs.StringVar(&a.dir, "data", "", "the archive is in `DIR`; without it, where the board keeps its games")
}

// choice adds the flags that choose games.
func (a *archiveFlags) choice(fs *flag.FlagSet) {
	fs.StringVar(&a.player, "player", "", "only games of players whose name holds `TEXT`")
	fs.StringVar(&a.event, "event", "", "only games of events whose name holds `TEXT`")
	fs.StringVar(&a.from, "since", "", "only games from `DAY` on: 2026, 2026-02 or 2026-02-23")
	fs.StringVar(&a.to, "until", "", "only games up to `DAY`, that day included")
	fs.IntVar(&a.limit, "limit", 0, "at most `N` games, the latest first; 0 is all")
}

// query returns what to look for.
func (a *archiveFlags) query() (archive.Query, error) {
	q := archive.Query{Player: a.player, Event: a.event, From: a.from, To: a.to, Limit: a.limit}
	for name, day := range map[string]string{"--since": a.from, "--until": a.to} {
		if _, ok := notation.ParseDate(day); day != "" && !ok {
			return q, fmt.Errorf("%s %.20q: want a day like 2026-02-23", name, day)
		}
	}
	if a.limit < 0 {
		return q, fmt.Errorf("--limit %d: want 0 or more", a.limit)
	}
	return q, nil
}

// folder returns the folder of the archive.
func (a *archiveFlags) folder() (string, error) {
	if a.dir != "" {
		return a.dir, nil
	}
	return configs.Default().Data.Path()
}

// open opens the archive. Games that the journal has and the archive has not are
// taken into it first; while the board is running, that is the board's own
// business.
func (a *archiveFlags) open(ctx context.Context, stderr io.Writer) (*archive.Games, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	games, err := archive.OpenGames(ctx, dir)
	if archive.IsDamaged(err) {
		text, failed := archive.Mend(ctx, dir)
		if failed != nil {
			return nil, errors.Join(err, failed)
		}
		complain(stderr, text)
		games, err = archive.OpenGames(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	if err := update(ctx, games, dir, stderr); err != nil {
		return nil, errors.Join(err, games.Close())
	}
	return games, nil
}

// openOld is open for commands that only look: it makes no folder.
func (a *archiveFlags) openOld(ctx context.Context, stderr io.Writer) (*archive.Games, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there are no games in %s: play one, import some, or name another folder with --data", plaintext.EscapeLine(dir))
	}
	return a.open(ctx, stderr)
}

// update brings the archive up to date with a journal that nobody has open.
func update(ctx context.Context, games *archive.Games, dir string, stderr io.Writer) error {
	files, err := archive.OpenFiles(dir)
	if errors.Is(err, archive.ErrInUse) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	report, err := games.Sync(ctx, files)
	if err := errors.Join(err, files.Close()); err != nil {
		return err
	}
	for _, broken := range report.Broken {
		complain(stderr, fmt.Sprintf("%s games: records are missing: %s", program, broken))
	}
	return nil
}
