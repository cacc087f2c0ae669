package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	hall "reversi-board/engine/archive/tables"
)

// looking is a verb that only looks.
func looking(name, summary, usage, example string, show func(s *hall.Sheet, b *strings.Builder) error) verb {
	return verb{
		command: command{name: name, summary: summary, usage: usage, example: program + " tournament " + example},
		least:   1, most: 1,
		flags: func(*flag.FlagSet) func(c *using) error {
			return func(c *using) error {
				s, err := c.sheet()
				if err != nil {
					return err
				}
				return show(s, &c.text)
			}
		},
	}
}

func standingsVerb() verb {
	return looking("standings", "Print the table", "standings TOURNAMENT", "standings club-evening",
		func(s *hall.Sheet, b *strings.Builder) error {
			b.WriteString(standingsText(s))
			return nil
		})
}

func changesVerb() verb {
	return looking("changes", "Print everything that was changed or drawn", "changes TOURNAMENT", "changes club-evening",
		func(s *hall.Sheet, b *strings.Builder) error {
			for _, c := range s.Changes {
				b.WriteString(changeText(c))
			}
			return nil
		})
}

func roundsVerb() verb {
	return verb{
		command: command{
			name: "rounds", summary: "Print pairings and results",
			usage:   "rounds TOURNAMENT [--round N]",
			example: program + " tournament rounds club-evening --round 2",
		},
		least: 1, most: 1,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			round := fs.Int("round", 0, "only round `N`")
			return func(c *using) error {
				s, err := c.sheet()
				if err != nil {
					return err
				}
				if *round < 0 || *round > s.Round {
					return fmt.Errorf("%d rounds have been paired, there is no round %d", s.Round, *round)
				}
				if s.Round == 0 {
					c.say("no round has been paired yet")
				}
				for _, r := range s.Rounds {
					if *round == 0 || r.Round == *round {
						c.text.WriteString(roundText(s, r.Round))
					}
				}
				return nil
			}
		},
	}
}

func listVerb() verb {
	return verb{
		command: command{
			name: "list", summary: "List the tournaments, the latest first", usage: "list",
			example: program + " tournament list --json",
		},
		flags: func(*flag.FlagSet) func(c *using) error {
			return func(c *using) error {
				list, err := c.store.List(c.ctx)
				if err != nil {
					return err
				}
				if list == nil {
					list = []hall.Tournament{}
					c.say("there are no tournaments yet: %s tournament create NAME", program)
				}
				c.value = list
				for _, t := range list {
					c.say("%s  %s  %s", padded(t.ID, 28), padded(t.Day, 10), shorten(t.Name.String(), 38))
				}
				return nil
			}
		},
	}
}

func deleteVerb() verb {
	return verb{
		command: command{
			name: "delete", summary: "Delete a tournament",
			usage:   "delete TOURNAMENT [--with-results]",
			example: program + " tournament delete club-evening",
		},
		least: 1, most: 1,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			all := fs.Bool("with-results", false, "also if games have been played; they cannot be brought back")
			return func(c *using) error {
				if err := c.store.Delete(c.ctx, c.id(), *all); err != nil {
					if errors.Is(err, hall.ErrRefused) {
						return fmt.Errorf("%w: --with-results", err)
					}
					return err
				}
				c.value = map[string]string{"deleted": c.id()}
				c.say("%s was deleted", c.id())
				return nil
			}
		},
	}
}

// output writes to a file that gets its name when it is complete, or to standard
// output.
func (c *using) output(name string, write func(w io.Writer) error) error {
	if name == "" || name == "-" {
		return write(&c.text)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	err := os.WriteFile(name+".new", text.Bytes(), 0o600)
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		_ = os.Remove(name + ".new") // what is half written is of no use
		return err
	}
	c.say("written to %s", name)
	c.value = map[string]string{"file": name}
	return nil
}

func exportVerb() verb {
	return verb{
		command: command{
			name: "export", summary: "Write players, results or standings as CSV",
			usage:   "export TOURNAMENT players|results|standings [--out FILE]",
			example: program + " tournament export club-evening standings --out standings.csv",
		},
		least: 2, most: 2,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			out := fs.String("out", "", "write to `FILE`; without it, or with -, to standard output")
			return func(c *using) error {
				t, err := c.store.Load(c.ctx, c.id())
				if err != nil {
					return err
				}
				c.value = t.Sheet()
				return c.output(*out, func(w io.Writer) error { return app.ExportTournament(w, t, c.args[1]) })
			}
		},
	}
}

func printVerb() verb {
	return verb{
		command: command{
			name: "print", summary: "Write a page for paper (HTML, A4)",
			usage:   "print TOURNAMENT --out FILE",
			example: program + " tournament print club-evening --out table.html",
		},
		least: 1, most: 1,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			out := fs.String("out", "", "write to `FILE`; without it, or with -, to standard output")
			return func(c *using) error {
				s, err := c.sheet()
				if err != nil {
					return err
				}
				return c.output(*out, s.Print)
			}
		},
	}
}

func startVerb() verb {
	return verb{
		command: command{
			name: "start", summary: "Start the game of a pairing at a running board",
			usage: "start TOURNAMENT TABLE [--round N] [--page URL]",
			example: program + " tournament start club-evening 1\n" +
				"REVERSI_BOARD_TOKEN=… " + program + " tournament start club-evening 1 --page http://board-2:8080",
		},
		least: 2, most: 2, changes: true,
		flags: func(fs *flag.FlagSet) func(c *using) error {
			page := fs.String("page", "http://"+configs.Default().Web.Listen, "the page of the board is at `URL`;\n"+tokenVariable+" in the environment holds the arbiter's token, if it needs one")
			round := roundFlag(fs)
			return func(c *using) error {
				table, err := numberOf("table", c.args[1])
				if err != nil {
					return err
				}
				s, err := c.sheet()
				if err != nil {
					return err
				}
				if *round == 0 {
					*round = s.Round
				}
				if err := c.order(*page, map[string]any{"do": "start", "id": c.id(), "round": *round, "table": table}); err != nil {
					return err
				}
				return c.tell(nil, "round %d, table %d: lay out the start position at the board", *round, table)
			}
		},
	}
}

// tokenVariable is where the token of an arbiter is looked for; on the command
// line everybody on the computer could read it.
const tokenVariable = "REVERSI_BOARD_TOKEN"

// startTimeout is how long a board may take to answer.
const startTimeout = 15 * time.Second

// order posts an act to the page of a board.
func (c *using) order(page string, what map[string]any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(c.ctx, http.MethodPost, strings.TrimSuffix(page, "/")+"/api/v1/tournament", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the board: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token := os.Getenv(tokenVariable); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Timeout: startTimeout}
	w, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("ask the board (is it running? name its page with --page): %w", err)
	}
	defer w.Body.Close() //nolint:errcheck // it has been read
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(w.Body, 1<<16)).Decode(&answer); err != nil {
		return fmt.Errorf("ask the board: it answers %s, and nothing that can be read", w.Status)
	}
	if answer.Status != "ok" {
		return fmt.Errorf("the board refuses: %s", answer.Error)
	}
	return nil
}

// shorten shortens a text to so many characters.
func shorten(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// padded makes a text exactly so many characters long.
func padded(text string, width int) string {
	text = shorten(text, width)
	return text + strings.Repeat(" ", width-utf8.RuneCountInString(text))
}

// right is padded with the blanks in front.
func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// number is right of a number.
func number(n, width int) string { return right(strconv.Itoa(n), width) }

// heading says how far a tournament is.
func heading(s *hall.Sheet) string {
	where := strings.Join(slices.DeleteFunc([]string{s.Name.String(), s.Day, s.Place.String()}, func(text string) bool { return text == "" }), ", ")
	how := fmt.Sprintf("%s, round %d of %d, %s", hall.SystemName(s.System), s.Round, s.TotalRounds, s.Status)
	return shorten(where, 79) + "\n" + how + "\n"
}

// standingsText prints the table in 80 columns.
func standingsText(s *hall.Sheet) string {
	var b strings.Builder
	b.WriteString(heading(s))
	fmt.Fprintf(&b, "ordered by %s\n\n", s.Order())
	fmt.Fprintf(&b, "  #   No  %s  Games  +  =  -  Points    Discs  Brightwell\n", padded("Name", 22))
	for _, l := range s.Standings {
		fmt.Fprintf(&b, "%s %s  %s  %s %s %s %s  %s  %s  %s\n", number(l.Place, 3), number(l.Number, 4), padded(l.Name.String(), 22),
			number(l.Played(), 5), number(l.Won(), 2), number(l.Draws, 2), number(l.Losses, 2), right(l.Points, 6),
			right(fmt.Sprintf("%d:%d", l.Discs, l.Against), 9), right(l.Brightwell, 8))
	}
	if len(s.Standings) == 0 {
		b.WriteString("there are no players yet\n")
	}
	return b.String()
}

// playersText prints the players in 80 columns.
func playersText(s *hall.Sheet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  No  %s  %s  Rating   Lot\n", padded("Name", 30), padded("Club", 20))
	byNumber := map[int]hall.Line{}
	most := 0
	for _, l := range s.Standings {
		byNumber[l.Number] = l
		most = max(most, l.Number)
	}
	for n := 1; n <= most; n++ {
		l, ok := byNumber[n]
		if !ok {
			continue
		}
		left := ""
		if l.Withdrawn != 0 {
			left = fmt.Sprintf("  left, %d", l.Withdrawn)
		}
		lot := ""
		if l.Lot != 0 {
			lot = strconv.Itoa(l.Lot)
		}
		line := fmt.Sprintf("%s  %s  %s  %s  %s%s", number(n, 4), padded(l.Name.String(), 30), padded(l.Club.String(), 20), number(l.Rating, 6), right(lot, 4), left)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// roundText prints a round in 80 columns.
func roundText(s *hall.Sheet, round int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Round %d\n", round)
	for _, r := range s.Rounds {
		if r.Round != round {
			continue
		}
		for i := range r.Seats {
			t := &r.Seats[i]
			if t.Bye {
				fmt.Fprintf(&b, "  -  %s  bye\n", padded(t.Black.Name.String(), 20))
				continue
			}
			line := fmt.Sprintf("%s  %s  %s  %s", number(t.Table, 3), padded(t.Black.Name.String(), 20), padded(t.White.Name.String(), 20), t.State())
			b.WriteString(wrapped(line, 79, 49))
		}
	}
	return b.String()
}

// wrapped breaks a line between words; what follows stands further in.
func wrapped(line string, width, indent int) string {
	var b strings.Builder
	for utf8.RuneCountInString(line) > width {
		runes := []rune(line)
		at := width
		for at > indent && runes[at] != ' ' {
			at--
		}
		if at <= indent {
			at = width
		}
		b.WriteString(strings.TrimRight(string(runes[:at]), " ") + "\n")
		line = strings.Repeat(" ", indent) + strings.TrimLeft(string(runes[at:]), " ")
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// changeText prints a change in 80 columns.
func changeText(c hall.Change) string {
	line := c.At
	if line == "" {
		line = "time not known"
	}
	line = padded(line, 22)
	if c.Round != 0 {
		line += fmt.Sprintf("round %d", c.Round)
		if c.Table != 0 {
			line += fmt.Sprintf(", table %d", c.Table)
		}
		line += ": "
	}
	line += c.What
	if !c.Old.IsZero() {
		line += ": " + c.Old.String()
	}
	switch {
	case !c.New.IsZero() && !c.Old.IsZero():
		line += " -> " + c.New.String()
	case !c.New.IsZero():
		line += ": " + c.New.String()
	}
	if !c.Reason.IsZero() {
		line += " (" + c.Reason.String() + ")"
	}
	return wrapped(line+", by "+c.By.String(), 79, 4)
}
