package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// Game is a game of a file: its discs, and what the file says must come out.
type Game struct {
	// Name is the file and the index of the game in it, from 0.
	Name string
	// Discs are the squares in the order in which discs were placed on them.
	Discs []engine.Square

	facts facts
}

// facts are what a file knows about its game. They were computed by others.
type facts struct {
	// score is Black's official score, -1 when the file does not say or the
	// game was not finished.
	score int
	// table says that the rest is known.
	table  bool
	passes []notation.Pass
	board  engine.Discs
}

// Load reads the games of a WTHOR file (.wtb) or of a table of games (.tsv).
func Load(path string) ([]Game, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read games: %w", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	name := filepath.Base(path)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".wtb":
		file, err := notation.ReadWTB(f)
		if err != nil {
			return nil, fmt.Errorf("read games of %s: %w", name, err)
		}
		return wthorGames(name, file.Games)
	case ".tsv":
		table, err := notation.ReadGameTable(f)
		if err != nil {
			return nil, fmt.Errorf("read games of %s: %w", name, err)
		}
		return tableGames(name, table)
	default:
		return nil, fmt.Errorf("read games of %s: want a WTHOR file (.wtb) or a table (.tsv)", name)
	}
}

func wthorGames(name string, records []notation.WTBGame) ([]Game, error) {
	games := make([]Game, len(records))
	for i, r := range records {
		if r.Err != nil {
			return nil, fmt.Errorf("game %d of %s: %w", i, name, r.Err)
		}
		g := Game{Name: fmt.Sprintf("%s #%d", name, i), facts: facts{score: r.BlackScore}}
		for _, m := range r.Line.Moves {
			if s, ok := m.Square(); ok {
				g.Discs = append(g.Discs, s)
			}
		}
		games[i] = g
	}
	return games, nil
}

func tableGames(name string, lines []notation.TableGame) ([]Game, error) {
	games := make([]Game, len(lines))
	for i, l := range lines {
		g := Game{
			Name:  fmt.Sprintf("%s #%d", name, i),
			facts: facts{score: l.Score, table: true, passes: l.Passes, board: l.Board},
		}
		for pair := range slices.Chunk([]byte(l.Moves), 2) {
			s, err := engine.ParseSquare(string(pair))
			if err != nil {
				return nil, fmt.Errorf("game %d of %s: %w", i, name, err)
			}
			g.Discs = append(g.Discs, s)
		}
		games[i] = g
	}
	return games, nil
}
