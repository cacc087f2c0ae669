package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/engine/archive"
	hall "reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// tournamentCommand keeps the table of tournaments.
func tournamentCommand() command {
	c := command{
		name:    "tournament",
		summary: "Keep the table of a tournament: players, rounds, results",
		usage:   "tournament WHAT [flags] [TOURNAMENT] [ARGUMENT...]",
		example: program + " tournament create \"Club evening\" --rounds 5\n" +
			program + " tournament import club-evening players.csv\n" +
			program + " tournament pair club-evening\n" +
			program + " tournament result club-evening 1 40-24\n" +
			program + " tournament standings club-evening",
	}
	return grouped(c, "tournaments", tournamentCommands, tournamentOverview)
}

// tournamentOverview is what the help of tournament has below its own text.
func tournamentOverview(list []command) string {
	var b strings.Builder
	b.WriteString("\nWhat can be done:\n")
	for _, c := range list {
		fmt.Fprintf(&b, "  %-9s  %s\n", c.name, c.summary)
	}
	fmt.Fprintf(&b, "Each has --help, with an example: %s tournament pair --help\n", program)
	b.WriteString("The board may be running meanwhile; its page shows the same at /tournament.\n")
	return b.String()
}

// using is one use of a tournament command.
type using struct {
	ctx    context.Context //nolint:containedctx // it is one use of a command, and ends with it
	stdin  io.Reader
	stderr io.Writer
	store  *hall.Store
	// args are the arguments without flags.
	args []string
	act  hall.Act
	// text is what is printed, value what is printed with --json.
	text  strings.Builder
	value any
}

// id returns the tournament that is meant.
func (c *using) id() string { return c.args[0] }

// say adds a line for people.
func (c *using) say(format string, args ...any) { fmt.Fprintf(&c.text, format+"\n", args...) }

// sheet loads the tournament and makes it what is printed with --json.
func (c *using) sheet() (*hall.Sheet, error) {
	t, err := c.store.Load(c.ctx, c.id())
	if err != nil {
		return nil, err
	}
	s := t.Sheet()
	c.value = s
	return s, nil
}

// tell says a sentence about the tournament, and when not all rounds can be paired
// any more, unless err says that nothing was done.
func (c *using) tell(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	c.say(format, args...)
	s, err := c.sheet()
	if err == nil {
		c.warn(s)
	}
	return err
}

// warn says when not all rounds can be paired any more.
func (c *using) warn(s *hall.Sheet) {
	if s.Round > 0 && s.Warning != "" {
		c.say("note: %s", s.Warning)
	}
}

// errUsage is wrapped by mistakes in the command line.
var errUsage = errors.New("wrong usage")

// misused returns a mistake in the command line.
func misused(format string, args ...any) error {
	return fmt.Errorf(format+"%w", append(args, errUsage)...)
}

// verb is a tournament command.
type verb struct {
	command

	// least and most bound the number of arguments.
	least, most int
	// flags adds its own flags and returns what to do.
	flags func(fs *flag.FlagSet) func(c *using) error
	// changes says that it changes something, so that somebody is named for it.
	changes bool
}

// complete makes a command of a verb.
func (v verb) complete() command {
	c := v.command
	c.usage = "tournament " + c.usage
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		full := c
		full.name = "tournament " + c.name
		fs := newFlags(full)
		var place archiveFlags
		place.place(fs)
		asJSON := fs.Bool("json", false, "print JSON")
		one := &using{ctx: ctx, stdin: stdin, stderr: stderr, act: hall.Act{By: plaintext.Const("command line"), At: time.Now()}}
		if v.changes {
			textVar(fs, &one.act.By, "by", plaintext.MaxName, "`WHO` does it; it is kept with the change")
			textVar(fs, &one.act.Reason, "reason", plaintext.MaxReason, "why; `TEXT` is kept with the change")
		}
		do := v.flags(fs)
		rest, code, done := parseMixed(full, fs, args, stdout, stderr)
		if done {
			return code
		}
		if len(rest) < v.least || len(rest) > v.most {
			return usageError(stderr, full.name, "want: "+c.usage)
		}
		one.args = rest
		err := place.withTables(one, do)
		switch {
		case errors.Is(err, errUsage):
			return usageError(stderr, full.name, strings.TrimSuffix(err.Error(), errUsage.Error()))
		case err != nil:
			return fail(stderr, full.name, err)
		case *asJSON:
			text, err := json.MarshalIndent(one.value, "", " ")
			if err != nil {
				return fail(stderr, full.name, err)
			}
			return printOut(stdout, stderr, string(text)+"\n")
		}
		return printOut(stdout, stderr, one.text.String())
	}
	return c
}

// withTables opens the tournaments for one use. Results of games that the journal
// has and the tables have not enter first; while the board is running, that is
// the board's own business.
func (a *archiveFlags) withTables(c *using, do func(c *using) error) error {
	games, err := a.open(c.ctx, c.stderr)
	if err != nil {
		return err
	}
	if err := games.Close(); err != nil {
		return err
	}
	dir, err := a.folder()
	if err != nil {
		return err
	}
	if c.store, err = archive.OpenTables(c.ctx, dir); err != nil {
		return err
	}
	return errors.Join(do(c), c.store.Close())
}

// tournamentCommands lists what can be done with tournaments.
func tournamentCommands() []command {
	verbs := []verb{
		createVerb(), playersVerb(), importVerb(), lotsVerb(), pairVerb(), colorsVerb(), startVerb(), resultVerb(), correctVerb(),
		withdrawVerb(), byeVerb(), planVerb(), endVerb(), standingsVerb(), roundsVerb(), changesVerb(), exportVerb(), printVerb(), listVerb(), deleteVerb(),
	}
	list := make([]command, 0, len(verbs))
	for _, v := range verbs {
		list = append(list, v.complete())
	}
	return list
}

func createVerb() verb {
	return verb{
		command: command{
			name: "create", summary: "Begin a tournament",
			usage: "create NAME [--system SYSTEM] [--rounds N] [--profile NAME] [--variant NAME] [--clock TEXT] [--breaks LIST] [flags]",
			example: program + " tournament create \"Club evening\" --rounds 5 --day 2026-11-30\n" +
				program + " tournament create \"School festival\" --system festival --rounds 4\n" +
				program + " tournament create \"Final\" --system round-robin --profile woc --breaks head-to-head,brightwell,discs",
		},
		least: 1, most: 1, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			var s app.TournamentSettings
			id := fs.String("id", "", "name the tournament `ID` in commands; without it, made from its name")
			fs.StringVar(&s.System, "system", string(tournament.Swiss), "`SYSTEM`: swiss, round-robin, festival or free")
			fs.IntVar(&s.Rounds, "rounds", 5, "play `N` rounds; round-robin needs no number")
			fs.StringVar(&s.Day, "day", "", "it is on `DAY`, like 2026-11-30")
			fs.StringVar(&s.Place, "place", "", "it is at `PLACE`")
			fs.StringVar(&s.Variant, "variant", "", "its games have the rules `NAME`; without it classic, or festival")
			fs.StringVar(&s.Profile, "profile", "", "its games are officiated as `NAME` says; without it club, or festival")
			fs.StringVar(&s.Clock, "clock", "", "its games are timed so, like 25:00; without it as the profile says")
			fs.StringVar(&s.Breaks, "breaks", "", "`LIST` orders the table after the points: discs, difference, brightwell,\nhead-to-head; what stands before points counts more than they do")
			fs.StringVar(&s.Colors, "colors", "", "`HOW` colors are decided: balanced, or lots")
			fs.IntVar(&s.Factor, "factor", tournament.DefaultFactor, "the factor of the Brightwell quotient is `N`")
			fs.StringVar(&s.Seed, "seed", "", "draw with `TEXT`; without it, with what nobody could know before")
			return func(c *using) error {
				s.Name = c.args[0]
				t, err := app.NewTournament(s, nil)
				if err != nil {
					return err
				}
				t.ID = *id
				if t, err = c.store.Create(c.ctx, t, c.act); err != nil {
					return err
				}
				c.args = []string{t.ID}
				return c.tell(nil, "%s: in commands it is called %s", t.Name, t.ID)
			}
		},
	}
}

func playersVerb() verb {
	return verb{
		command: command{
			name: "players", summary: "List, add, change or remove players",
			usage: "players TOURNAMENT [--add NAME [--namesake] | --change NUMBER | --remove NUMBER] [--name NAME] [--club NAME] [--rating N] [--lot N]",
			example: program + " tournament players club-evening\n" +
				program + " tournament players club-evening --add \"Ana Lima\" --club Elm --rating 1540\n" +
				program + " tournament players club-evening --change 7 --rating 1600",
		},
		least: 1, most: 1, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			var add plaintext.Text
			textVar(fs, &add, "add", plaintext.MaxName, "add a player called `NAME`")
			change := fs.Int("change", 0, "change the player with `NUMBER`")
			remove := fs.Int("remove", 0, "remove the player with `NUMBER`, who has not been paired yet")
			namesake := fs.Bool("namesake", false, "add the player also if somebody of the same name takes part")
			var p tournament.Player
			textVar(fs, &p.Name, "name", plaintext.MaxName, "the player is called `NAME`")
			textVar(fs, &p.Club, "club", plaintext.MaxName, "the player's club is `NAME`")
			fs.IntVar(&p.Rating, "rating", 0, "the player's rating is `N`")
			fs.IntVar(&p.Lot, "lot", 0, "the player has drawn the lot `N`")
			return func(c *using) error {
				given := map[string]bool{}
				fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
				switch {
				case given["add"] && given["change"] || given["add"] && given["remove"] || given["change"] && given["remove"]:
					return misused("--add, --change and --remove: want one of them")
				case given["remove"]:
					return c.tell(c.store.RemovePlayer(c.ctx, c.id(), *remove, c.act), "player %d was removed", *remove)
				case given["add"]:
					p.Name = add
					return c.addPlayer(p, *namesake)
				case given["change"]:
					p.Number = *change
					return c.changePlayer(p, given)
				}
				s, err := c.sheet()
				if err == nil {
					c.text.WriteString(playersText(s))
				}
				return err
			}
		},
	}
}

func (c *using) addPlayer(p tournament.Player, namesake bool) error {
	t, err := c.store.Load(c.ctx, c.id())
	if err != nil {
		return err
	}
	taken := t.NextNumbers()
	p.Number = 1
	for taken[p.Number] {
		p.Number++
	}
	add := c.store.AddPlayers
	if namesake {
		add = c.store.AddNamesakes
	}
	err = add(c.ctx, c.id(), []tournament.Player{p}, c.act)
	return c.tell(unlessNamed(err, "--namesake"), "%s is player %d", p.Name, p.Number)
}

// unlessNamed says with which flag a player is added all the same.
func unlessNamed(err error, flag string) error {
	if errors.Is(err, hall.ErrNamesake) {
		return fmt.Errorf("%w: if they are somebody else, add them with %s", err, flag)
	}
	return err
}

func (c *using) changePlayer(p tournament.Player, given map[string]bool) error {
	t, err := c.store.Load(c.ctx, c.id())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(t.Players, func(q tournament.Player) bool { return q.Number == p.Number })
	if i < 0 {
		return fmt.Errorf("%s has no player %d", t.Name, p.Number)
	}
	old := t.Players[i]
	if !given["name"] {
		p.Name = old.Name
	}
	if !given["club"] {
		p.Club = old.Club
	}
	if !given["rating"] {
		p.Rating = old.Rating
	}
	if !given["lot"] {
		p.Lot = old.Lot
	}
	return c.tell(c.store.EditPlayer(c.ctx, c.id(), p, c.act), "player %d, %s, was changed", p.Number, p.Name)
}

func importVerb() verb {
	return verb{
		command: command{
			name: "import", summary: "Add the players of a CSV file",
			usage: "import TOURNAMENT FILE [--namesakes]",
			example: program + " tournament import club-evening players.csv\n" +
				"printf 'name,club,rating\\nAna Lima,Elm,1540\\n' | " + program + " tournament import club-evening -",
		},
		least: 2, most: 2, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			namesakes := fs.Bool("namesakes", false, "add also players whose names others have")
			return func(c *using) error {
				in := c.stdin
				if c.args[1] != "-" {
					f, err := os.Open(filepath.Clean(c.args[1]))
					if err != nil {
						return err
					}
					defer f.Close() //nolint:errcheck // nothing was written
					in = f
				}
				if err := app.ImportPlayers(c.ctx, c.store, c.id(), in, *namesakes, c.act); err != nil {
					return unlessNamed(err, "--namesakes")
				}
				s, err := c.sheet()
				if err == nil {
					c.say("%s now has %s", s.Name, counted(len(s.Standings), "player", "players"))
				}
				return err
			}
		},
	}
}

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func lotsVerb() verb {
	return verb{
		command: command{
			name: "lots", summary: "Draw lots for all players",
			usage:   "lots TOURNAMENT [--seed TEXT]",
			example: program + " tournament lots school-festival\n" + program + " tournament lots school-festival --seed 1881",
		},
		least: 1, most: 1, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			seed := fs.String("seed", "", "draw with `TEXT`, so that everybody can check it; without it, with what nobody\ncould know before")
			return func(c *using) error {
				if *seed == "" {
					*seed = app.NewSeed()
				}
				if err := c.store.DrawLots(c.ctx, c.id(), *seed, c.act); err != nil {
					return err
				}
				s, err := c.sheet()
				if err == nil {
					c.say("drawn with the seed %s", *seed)
					c.text.WriteString(playersText(s))
				}
				return err
			}
		},
	}
}

func pairVerb() verb {
	return verb{
		command: command{
			name: "pair", summary: "Pair the next round, or take the last one back",
			usage: "pair TOURNAMENT [BLACK-WHITE...] [--next] [--rematch --reason TEXT] [--undo --reason TEXT]",
			example: program + " tournament pair club-evening\n" +
				program + " tournament pair open-day 3-7 5-bye\n" +
				program + " tournament pair club-evening 3-7 5-2 --next --reason \"nobody else is left\"\n" +
				program + " tournament pair club-evening --undo --reason \"Eve has come after all\"",
		},
		least: 1, most: 1 + tournament.MaxPlayers, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			var p pairing
			fs.BoolVar(&p.next, "next", false, "begin the next round with the pairs that are named; without it they are added\nto the last one. Players who have met need a --reason, but in a free event")
			fs.BoolVar(&p.rematch, "rematch", false, "pair a round that cannot be paired otherwise with as few rematches and second\nbyes as there can be")
			fs.BoolVar(&p.undo, "undo", false, "take the last round back, with its byes; none of its games may have begun")
			return p.do
		},
	}
}

// pairing is what is asked of pair.
type pairing struct{ next, rematch, undo bool }

func (p *pairing) do(c *using) error {
	var round int
	var err error
	named := len(c.args) > 1 || p.next
	switch {
	case p.undo && (named || p.rematch) || p.rematch && named:
		return misused("pairs that are named, --rematch and --undo: want one of them")
	case p.undo:
		round, err = c.store.Unpair(c.ctx, c.id(), c.act)
		return c.tell(err, "the pairing of round %d was taken back", round)
	case p.rematch:
		round, err = c.store.PairAgain(c.ctx, c.id(), c.act)
	case named:
		var pairs [][2]int
		if pairs, err = pairsOf(c.args[1:]); err != nil {
			return err
		}
		round, err = c.store.PairByHand(c.ctx, c.id(), pairs, p.next, c.act)
	default:
		round, err = c.store.Pair(c.ctx, c.id(), c.act)
	}
	if err != nil {
		return err
	}
	s, err := c.sheet()
	if err == nil {
		c.text.WriteString(roundText(s, round))
		c.warn(s)
	}
	return err
}

// pairsOf reads 3-7 and 5-bye.
func pairsOf(words []string) ([][2]int, error) {
	var pairs [][2]int
	for _, w := range words {
		black, white, ok := strings.Cut(w, "-")
		a, err := strconv.Atoi(black)
		b := tournament.Bye
		if white != "bye" && err == nil {
			b, err = strconv.Atoi(white)
		}
		if !ok || err != nil || a < 1 || b < 0 || white == "0" {
			return nil, misused("%.20q: want the numbers of Black and White, like 3-7, or 5-bye", w)
		}
		pairs = append(pairs, [2]int{a, b})
	}
	return pairs, nil
}

// roundFlag says which round is meant.
func roundFlag(fs *flag.FlagSet) *int {
	return fs.Int("round", 0, "in round `N`; without it, the last one that was paired")
}

// numberOf reads the number of a table or a player, as what says.
func numberOf(what, word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, misused("%.20q: want the number of a %s", word, what)
	}
	return n, nil
}

func colorsVerb() verb {
	return verb{
		command: command{
			name: "colors", summary: "Say or draw who has black",
			usage: "colors TOURNAMENT TABLE (--black NUMBER | --draw [--seed TEXT]) [--round N]",
			example: program + " tournament colors school-festival 2 --black 7\n" +
				program + " tournament colors school-festival 2 --draw",
		},
		least: 2, most: 2, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			black := fs.Int("black", 0, "the players agree that `NUMBER` has black")
			draw := fs.Bool("draw", false, "the referee draws")
			seed := fs.String("seed", "", "draw with `TEXT`; without it, with what nobody could know before")
			round := roundFlag(fs)
			return func(c *using) error {
				table, err := numberOf("table", c.args[1])
				if err != nil {
					return err
				}
				by := tournament.ByAgreement
				switch {
				case *draw == (*black != 0):
					return misused("say --black NUMBER or --draw")
				case *draw:
					by = tournament.ByDraw
					if *seed == "" {
						*seed = app.NewSeed()
					}
				}
				if err := c.store.SetColors(c.ctx, c.id(), *round, table, *black, by, *seed, c.act); err != nil {
					return err
				}
				t, err := c.store.Load(c.ctx, c.id())
				if err != nil {
					return err
				}
				p, err := t.Find(*round, table)
				if err != nil {
					return err
				}
				return c.tell(nil, "%s has black against %s, by %s", t.PlayerName(p.Black), t.PlayerName(p.White), p.ColorsBy)
			}
		},
	}
}

// resultFlags say what came of a game.
type resultFlags struct {
	round                 *int
	ending, score, winner string
}

func (r *resultFlags) add(fs *flag.FlagSet) {
	r.round = roundFlag(fs)
	fs.StringVar(&r.ending, "ending", "no_moves", "the game ended by `WHAT`: no_moves, wipeout, resign, flag or adjudicated")
	fs.StringVar(&r.score, "score", "", "it counts `B-W` for the table, whatever the discs say")
	fs.StringVar(&r.winner, "winner", "", "`WHO` has won: black, white, draw, or none for no result; without it, who has\nthe better score")
}

// entry reads the arguments.
func (r *resultFlags) entry(args []string) (e hall.Entry, err error) {
	if e.Table, err = numberOf("table", args[1]); err != nil {
		return e, err
	}
	e.Round, e.Reason, e.Winner = *r.round, r.ending, r.winner
	if e.BlackDiscs, e.WhiteDiscs, err = discsOf(args[2]); err != nil {
		return e, err
	}
	switch {
	case r.score == "" && r.winner == "":
		return e, nil
	case r.winner == hall.NoResult:
	case r.score == "" || r.winner == "":
		return e, misused("--score and --winner go together")
	default:
		if e.BlackScore, e.WhiteScore, err = discsOf(r.score); err != nil {
			return e, err
		}
	}
	e.Declared = true
	return e, nil
}

// discsOf reads 40-24.
func discsOf(text string) (black, white int, err error) {
	b, w, ok := strings.Cut(text, "-")
	black, err1 := strconv.Atoi(b)
	white, err2 := strconv.Atoi(w)
	if !ok || err1 != nil || err2 != nil {
		return 0, 0, misused("%.20q: want the discs of Black and White, like 40-24", text)
	}
	return black, white, nil
}

func resultVerb() verb {
	return verb{
		command: command{
			name: "result", summary: "Enter the result of a game, or take one back",
			usage: "result TOURNAMENT TABLE BLACK-WHITE [--round N] [--ending WHAT --score B-W --winner WHO]\n" +
				"  " + program + " tournament result TOURNAMENT TABLE --undo --reason TEXT",
			example: program + " tournament result club-evening 1 40-24\n" +
				program + " tournament result club-evening 2 20-18 --ending flag --score 31-33 --winner white\n" +
				program + " tournament result club-evening 2 --undo --reason \"it was table 3\"",
		},
		least: 2, most: 3, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			var r resultFlags
			r.add(fs)
			undo := fs.Bool("undo", false, "take the result back, in the last round")
			return func(c *using) error {
				if *undo != (len(c.args) == 2) {
					return misused("want the discs of Black and White, like 40-24, or --undo")
				}
				if *undo {
					return c.reopen(*r.round)
				}
				return c.enter(r, c.store.Declare)
			}
		},
	}
}

// reopen takes the result of a table back.
func (c *using) reopen(round int) error {
	table, err := numberOf("table", c.args[1])
	if err != nil {
		return err
	}
	p, err := c.store.Reopen(c.ctx, c.id(), round, table, c.act)
	return c.tell(err, "the result of table %d of round %d was taken back", p.Table, p.Round)
}

func correctVerb() verb {
	return verb{
		command: command{
			name: "correct", summary: "Correct a result, with a reason; the old one is kept",
			usage:   "correct TOURNAMENT TABLE BLACK-WHITE --reason TEXT [--round N] [--ending WHAT --score B-W --winner WHO]",
			example: program + " tournament correct club-evening 1 24-40 --round 2 --reason \"written the wrong way round\"",
		},
		least: 3, most: 3, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			var r resultFlags
			r.add(fs)
			return func(c *using) error { return c.enter(r, c.store.Correct) }
		},
	}
}

// enter enters a result with one of the store's methods.
func (c *using) enter(r resultFlags, with func(ctx context.Context, id string, e hall.Entry, act hall.Act) (hall.Pairing, error)) error {
	e, err := r.entry(c.args)
	if err != nil {
		return err
	}
	p, err := with(c.ctx, c.id(), e, c.act)
	if err != nil {
		return err
	}
	t, err := c.store.Load(c.ctx, c.id())
	if err != nil {
		return err
	}
	return c.tell(nil, "round %d, table %d: %s – %s: %v", p.Round, p.Table, t.PlayerName(p.Black), t.PlayerName(p.White), p.Result)
}

func withdrawVerb() verb {
	return verb{
		command: command{
			name: "withdraw", summary: "Take a player out of the rounds to come, or back in",
			usage:   "withdraw TOURNAMENT NUMBER [--return]",
			example: program + " tournament withdraw club-evening 7 --reason ill\n" + program + " tournament withdraw club-evening 7 --return",
		},
		least: 2, most: 2, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			back := fs.Bool("return", false, "the player takes part again")
			return func(c *using) error {
				n, err := numberOf("player", c.args[1])
				if err != nil {
					return err
				}
				err = c.store.Withdraw(c.ctx, c.id(), n, *back, c.act)
				if *back {
					return c.tell(err, "player %d takes part again", n)
				}
				return c.tell(err, "player %d is not paired any more", n)
			}
		},
	}
}

func byeVerb() verb {
	return verb{
		command: command{
			name: "bye", summary: "Give a player a bye in the next round, or take it back",
			usage:   "bye TOURNAMENT NUMBER [--undo]",
			example: program + " tournament bye club-evening 7\n" + program + " tournament bye club-evening 7 --undo",
		},
		least: 2, most: 2, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			undo := fs.Bool("undo", false, "take the bye back; the round may not have been paired")
			return func(c *using) error {
				n, err := numberOf("player", c.args[1])
				if err != nil {
					return err
				}
				if *undo {
					round, err := c.store.TakeBye(c.ctx, c.id(), n, c.act)
					return c.tell(err, "player %d has no bye in round %d", n, round)
				}
				round, err := c.store.Bye(c.ctx, c.id(), n, c.act)
				return c.tell(err, "player %d has a bye in round %d", n, round)
			}
		},
	}
}

func planVerb() verb {
	return verb{
		command: command{
			name: "plan", summary: "Change how many rounds are played",
			usage:   "plan TOURNAMENT ROUNDS [--reason TEXT]",
			example: program + " tournament plan club-evening 4 --reason \"it has become late\"",
		},
		least: 2, most: 2, changes: true,
		flags: func(*flag.FlagSet) func(c *using) error {
			return func(c *using) error {
				n, err := strconv.Atoi(c.args[1])
				if err != nil {
					return misused("%.20q: want a number of rounds", c.args[1])
				}
				return c.tell(c.store.SetRounds(c.ctx, c.id(), n, c.act), "%d rounds are planned", n)
			}
		},
	}
}

func endVerb() verb {
	return verb{
		command: command{
			name: "end", summary: "End a tournament here, or continue it",
			usage: "end TOURNAMENT --reason TEXT [--undo]",
			example: program + " tournament end club-evening --reason \"everybody has met everybody\"\n" +
				program + " tournament end club-evening --undo --reason \"there is time for another round\"",
		},
		least: 1, most: 1, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			undo := fs.Bool("undo", false, "continue a tournament that was ended")
			return func(c *using) error {
				if *undo {
					return c.tell(c.store.Continue(c.ctx, c.id(), c.act), "the tournament goes on")
				}
				round, err := c.store.End(c.ctx, c.id(), c.act)
				return c.tell(err, "the tournament has ended after round %d", round)
			}
		},
	}
}
