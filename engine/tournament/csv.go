package tournament

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// MaxCSV bounds a file of players in bytes.
const MaxCSV = 1 << 20

// playerColumns are the columns of a file of players.
func playerColumns() []string {
	return []string{"number", "name", "club", "rating", "lot"}
}

// ReadPlayers reads players from CSV. The first line names the columns, in any
// order and letter case: name, and if there are any number, club, rating and
// lot; others are passed over. Cells are separated by commas, semicolons or tabs,
// the first of them that the first line holds. Players without a number get the
// next free ones, from 1 on, except those that taken has. The first mistake is
// reported with its line, and then there are no players.
func ReadPlayers(r io.Reader, taken map[int]bool) ([]Player, error) {
	text, err := io.ReadAll(io.LimitReader(plaintext.NewReader(r), MaxCSV+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the players: %w", err)
	case len(text) > MaxCSV:
		return nil, errors.New("read the players: the file is larger than 1 MB")
	}
	if !utf8.Valid(text) {
		return nil, errors.New("read the players: the file is not UTF-8 text: save it as CSV UTF-8")
	}
	lines := csv.NewReader(bytes.NewReader(text))
	lines.FieldsPerRecord, lines.TrimLeadingSpace = -1, true
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if i := bytes.IndexAny(first, ",;\t"); i >= 0 {
		lines.Comma = rune(first[i])
	}
	head, err := lines.Read()
	if err != nil {
		return nil, fmt.Errorf("read the players: %w", unlessEmpty(err))
	}
	at, err := columnsOf(head)
	if err != nil {
		return nil, err
	}
	return readLines(lines, at, taken)
}

func unlessEmpty(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	}
	return err
}

// columnsOf returns where each column is.
func columnsOf(head []string) (map[string]int, error) {
	at := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(playerColumns(), name) {
			continue
		}
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("read the players: line 1: there are two columns %q", name)
		}
		at[name] = i
	}
	if _, ok := at["name"]; !ok {
		return nil, fmt.Errorf("read the players: line 1 has to name the columns, one of them name: want some of %s",
			strings.Join(playerColumns(), ", "))
	}
	return at, nil
}

func readLines(lines *csv.Reader, at map[string]int, taken map[int]bool) ([]Player, error) {
	var list []Player
	used := map[int]bool{}
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the players: %w", err)
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			continue
		}
		number, _ := lines.FieldPos(0)
		p, err := playerOf(cells, at)
		switch {
		case err != nil:
		case len(list) == MaxPlayers:
			err = fmt.Errorf("too many players: want at most %d", MaxPlayers)
		case p.Number != 0 && (used[p.Number] || taken[p.Number]):
			err = fmt.Errorf("the number %d is given to two players", p.Number)
		}
		if err != nil {
			return nil, fmt.Errorf("read the players: line %d: %w", number, err)
		}
		used[p.Number] = true
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, errors.New("read the players: there are none in the file")
	}
	next := 1
	for i := range list {
		if list[i].Number != 0 {
			continue
		}
		for used[next] || taken[next] {
			next++
		}
		list[i].Number, used[next] = next, true
	}
	return list, nil
}

// playerOf reads a line.
func playerOf(cells []string, at map[string]int) (Player, error) {
	cell := func(name string) string {
		i, ok := at[name]
		if !ok || i >= len(cells) {
			return ""
		}
		return strings.TrimSpace(untext(strings.TrimSpace(cells[i])))
	}
	var p Player
	var err error
	if p.Name, err = ParseName("the name", cell("name")); err != nil {
		return p, err
	}
	if p.Club, err = ParseName("the club", cell("club")); err != nil {
		return p, err
	}
	for _, c := range []struct {
		name string
		to   *int
		max  int
	}{{"number", &p.Number, MaxNumber}, {"rating", &p.Rating, MaxRating}, {"lot", &p.Lot, MaxNumber}} {
		text := cell(c.name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > c.max {
			return p, fmt.Errorf("%s %.20q: want a number from 0 to %d", c.name, text, c.max)
		}
		*c.to = n
	}
	checked := p
	checked.Number = max(p.Number, 1)
	if p.Name.IsZero() {
		return p, errors.New("there is no name")
	}
	return p, checked.Check()
}

// WritePlayers writes the players as CSV, as ReadPlayers reads them.
func (e *Event) WritePlayers(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{append(playerColumns(), "withdrawn")}
	for _, p := range e.Players {
		lines = append(lines, []string{
			strconv.Itoa(p.Number), text(p.Name), text(p.Club), strconv.Itoa(p.Rating), unlessZero(p.Lot), unlessZero(p.Withdrawn),
		})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the players: %w", err)
	}
	return nil
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// WriteStandings writes the table as CSV (RFC 4180) with a line of names.
func (e *Event) WriteStandings(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"place", "number", "name", "club", "games", "wins", "draws", "losses", "byes", "points",
		"discs", "against", "difference", "brightwell",
	}}
	for _, r := range e.Standings() {
		lines = append(lines, []string{
			strconv.Itoa(r.Place), strconv.Itoa(r.Number), text(r.Name), text(r.Club), strconv.Itoa(r.Games), strconv.Itoa(r.Wins),
			strconv.Itoa(r.Draws), strconv.Itoa(r.Lost), strconv.Itoa(r.Byes), decimal(r.Points()),
			strconv.Itoa(r.Discs), strconv.Itoa(r.Against), strconv.Itoa(r.Difference), decimal(r.BrightwellQuotient()),
		})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// WriteGames writes the games as CSV with a line of names, in their order. The
// discs are those that count for the table.
func (e *Event) WriteGames(w io.Writer) error {
	names := map[int]plaintext.Text{}
	for _, p := range e.Players {
		names[p.Number] = p.Name
	}
	out := csv.NewWriter(w)
	lines := [][]string{{"round", "table", "black", "black_name", "white", "white_name", "state", "black_discs", "white_discs", "winner"}}
	for _, g := range e.Games {
		line := []string{
			strconv.Itoa(g.Round), strconv.Itoa(g.Table), strconv.Itoa(g.Black), text(names[g.Black]), "", "bye",
			string(g.State), "", "", "",
		}
		if !g.bye() {
			line[4], line[5] = strconv.Itoa(g.White), text(names[g.White])
			if g.State == Played {
				line[7], line[8], line[9] = strconv.Itoa(g.BlackDiscs), strconv.Itoa(g.WhiteDiscs), winnerWord(g)
			}
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the games: %w", err)
	}
	return nil
}

func winnerWord(g Game) string {
	if g.Winner == engine.None {
		return "draw"
	}
	return g.Winner.String()
}

// formula are the characters with which a spreadsheet takes a text for a formula.
const formula = "=+-@\t\r"

// text keeps a name from being taken for a formula by a spreadsheet.
func text(of plaintext.Text) string {
	name := of.String()
	if name != "" && strings.ContainsRune(formula, rune(name[0])) {
		return "'" + name
	}
	return name
}

// untext undoes text.
func untext(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune(formula, rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
