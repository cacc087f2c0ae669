package engine_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"reversi-board/engine"
)

// readTable reads the tab-separated lines of a file, comment lines included.
func readTable(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return rows
}

// position reads 64 cells, a blank and the side to move.
func position(t testing.TB, obf string) engine.Position {
	t.Helper()
	cells, side, _ := strings.Cut(obf, " ")
	d, err := engine.ParseDiscs(cells)
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Position{Discs: d}
	switch side {
	case "X":
		p.Turn = engine.Black
	case "O":
		p.Turn = engine.White
	default:
		t.Fatalf("side to move %q in %q", side, obf)
	}
	return p
}

// squares reads names separated by blanks.
func squares(t testing.TB, names string) engine.Bitboard {
	t.Helper()
	b, err := engine.ParseSquares(names)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// itoa is strconv.Itoa under a name short enough for tables.
func itoa(n int) string { return strconv.Itoa(n) }

// dash writes an empty text as the tables do.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// letter names a side as the tables do.
func letter(c engine.Color) string {
	if c == engine.White {
		return "O"
	}
	return "X"
}
