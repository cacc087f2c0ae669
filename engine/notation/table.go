package notation

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// TableGame is one line of a table of reference games: the moves with the facts
// that a replay must find. The facts are as written; nothing is computed here.
type TableGame struct {
	Year                int
	Event, Black, White string
	// Score is Black's recorded score, empty squares to the winner.
	Score int
	// BlackDiscs, WhiteDiscs and Empties are counted on the final board.
	BlackDiscs, WhiteDiscs, Empties int
	// Plies is the number of discs placed.
	Plies int
	// Passes in order.
	Passes []Pass
	// Moves is a transcript from the standard start, passes implied.
	Moves string
	// Board is the final board.
	Board engine.Discs
}

// Pass is a forced pass: Side passes before the disc number Ply is placed.
type Pass struct {
	Ply  int
	Side engine.Color
}

// Passes lists the passes of the line, played by rules.
func (l *Line) Passes(rules engine.Rules) []Pass {
	var passes []Pass
	g := engine.NewGame(rules)
	for _, m := range l.Moves {
		s, ok := m.Square()
		if ok {
			g = g.Place(s)
			continue
		}
		passes = append(passes, Pass{Ply: g.Ply() + 1, Side: g.Turn})
		g = g.Pass()
	}
	return passes
}

const tableColumns = 12

// ReadGameTable reads tab-separated lines of twelve columns: year, event, black,
// white, recorded score of Black, black discs, white discs, empty squares,
// plies, passes ("54:O,57:O", side X or O before the ply, "-" for none), moves,
// final board. Lines that begin with # are comments.
func ReadGameTable(r io.Reader) ([]TableGame, error) {
	var games []TableGame
	lines := bufio.NewScanner(plaintext.NewReader(r))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		game, err := tableGame(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		games = append(games, game)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the table: %w", err)
	}
	return games, nil
}

// tableGame reads the columns of one line.
func tableGame(f []string) (TableGame, error) {
	if len(f) != tableColumns {
		return TableGame{}, fmt.Errorf("%d columns: want %d", len(f), tableColumns)
	}
	g := TableGame{Event: f[1], Black: f[2], White: f[3], Moves: f[10]}
	var errs []error
	for _, number := range []struct {
		to   *int
		text string
	}{
		{&g.Year, f[0]},
		{&g.Score, f[4]},
		{&g.BlackDiscs, f[5]},
		{&g.WhiteDiscs, f[6]},
		{&g.Empties, f[7]},
		{&g.Plies, f[8]},
	} {
		var err error
		*number.to, err = strconv.Atoi(number.text)
		errs = append(errs, err)
	}
	var err error
	g.Passes, err = tablePasses(f[9])
	errs = append(errs, err)
	g.Board, err = engine.ParseDiscs(f[11])
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return TableGame{}, err
	}
	return g, nil
}

// tablePasses reads "54:O,57:O" or "-".
func tablePasses(text string) ([]Pass, error) {
	if text == "-" {
		return nil, nil
	}
	var passes []Pass
	for item := range strings.SplitSeq(text, ",") {
		ply, side, _ := strings.Cut(item, ":")
		n, err := strconv.Atoi(ply)
		if err != nil {
			return nil, fmt.Errorf("pass %.16q: %w", item, err)
		}
		pass := Pass{Ply: n}
		switch side {
		case "X":
			pass.Side = engine.Black
		case "O":
			pass.Side = engine.White
		default:
			return nil, fmt.Errorf("pass %.16q: want X or O after the colon", item)
		}
		passes = append(passes, pass)
	}
	return passes, nil
}
