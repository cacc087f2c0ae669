package tournament

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteStandings writes the table as CSV (RFC 4180) with a line of names.
func (e *Event) WriteStandings(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"place", "number", "name", "games", "wins", "draws", "losses", "byes", "points", "discs", "difference", "brightwell",
	}}
	for _, r := range e.Standings() {
		lines = append(lines, []string{
			strconv.Itoa(r.Place), strconv.Itoa(r.Number), text(r.Name), strconv.Itoa(r.Games), strconv.Itoa(r.Wins),
			strconv.Itoa(r.Draws), strconv.Itoa(r.Lost), strconv.Itoa(r.Byes), decimal(r.Points()),
			strconv.Itoa(r.Discs), strconv.Itoa(r.Difference), decimal(r.BrightwellQuotient()),
		})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// WriteGames writes the games as CSV with a line of names, in their order.
func (e *Event) WriteGames(w io.Writer) error {
	names := map[int]string{}
	for _, p := range e.Players {
		names[p.Number] = p.Name
	}
	out := csv.NewWriter(w)
	lines := [][]string{{"round", "table", "black", "black_name", "white", "white_name", "state", "black_discs", "white_discs"}}
	for _, g := range e.Games {
		line := []string{
			strconv.Itoa(g.Round), strconv.Itoa(g.Table), strconv.Itoa(g.Black), text(names[g.Black]), "", "bye",
			string(g.State), "", "",
		}
		if !g.bye() {
			line[4], line[5] = strconv.Itoa(g.White), text(names[g.White])
			if g.State == Played {
				line[7], line[8] = strconv.Itoa(g.BlackDiscs), strconv.Itoa(g.WhiteDiscs)
			}
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the games: %w", err)
	}
	return nil
}

// text keeps a name from being taken for a formula by a spreadsheet.
func text(name string) string {
	if name != "" && strings.ContainsRune("=+-@\t\r", rune(name[0])) {
		return "'" + name
	}
	return name
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
