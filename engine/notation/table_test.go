package notation_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// tableGames returns the games of both tables.
func tableGames(t testing.TB) []notation.TableGame {
	t.Helper()
	var all []notation.TableGame
	for name, count := range map[string]int{"woc-games.tsv": 15, "edge-games.tsv": 13} {
		games, err := notation.ReadGameTable(bytes.NewReader(readFile(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if len(games) != count {
			t.Fatalf("%s: %d games, want %d", name, len(games), count)
		}
		all = append(all, games...)
	}
	return all
}

func TestTableGamesReplayToTheirFacts(t *testing.T) {
	for _, g := range tableGames(t) {
		line := parse(t, g.Moves)
		f := line.Final
		black, _ := f.Score()
		if !f.Over() || f.Discs != g.Board || black != g.Score || f.Ply() != g.Plies {
			t.Errorf("%d %s: over %v, %d plies, score %d, board\n%v, want %d plies, score %d\n%v",
				g.Year, g.Event, f.Over(), f.Ply(), black, f.Discs, g.Plies, g.Score, g.Board)
		}
		if f.Black.Count() != g.BlackDiscs || f.White.Count() != g.WhiteDiscs || f.Empty().Count() != g.Empties {
			t.Errorf("%d %s: %d–%d, %d empty", g.Year, g.Event, f.Black.Count(), f.White.Count(), f.Empty().Count())
		}
		if got, want := passList(line.Passes(classic(t))), passList(g.Passes); got != want {
			t.Errorf("%d %s: passes %s, want %s", g.Year, g.Event, got, want)
		}
		if got := notation.Transcript(line.Moves); got != g.Moves {
			t.Errorf("%d %s: written as %s", g.Year, g.Event, got)
		}
	}
}

func TestTableColumns(t *testing.T) {
	games, err := notation.ReadGameTable(bytes.NewReader(readFile(t, "edge-games.tsv")))
	if err != nil {
		t.Fatal(err)
	}
	g := games[7]
	if g.Year != 1990 || g.Event != "Tokyo Open" || g.Black != "Omodera Osamu" || g.White != "Nagumo Natsuhiko" {
		t.Errorf("%d, %q, %q, %q", g.Year, g.Event, g.Black, g.White)
	}
	if len(g.Passes) != 3 || g.Passes[0] != (notation.Pass{Ply: 16, Side: engine.White}) {
		t.Errorf("passes %v", g.Passes)
	}
}

const tableLine = "2001\tEvent\tB\tW\t64\t13\t0\t51\t9\t-\tf5d6c5f6e7f4g5e6e3\t" +
	"--------------------X------XXX----XXXXX----XXX------X-----------"

func TestWrongTablesAreRefused(t *testing.T) {
	if games, err := notation.ReadGameTable(strings.NewReader("# head\n\n" + tableLine + "\r\n")); err != nil || len(games) != 1 {
		t.Fatalf("%v, %v", games, err)
	}
	for text, says := range map[string]string{
		"# head\n2001\tEvent":                                 "line 2: 2 columns",
		strings.Replace(tableLine, "2001", "MMI", 1):          "MMI",
		strings.Replace(tableLine, "\t-\t", "\t1:Z\t", 1):     "X or O",
		strings.Replace(tableLine, "\t-\t", "\tx:X\t", 1):     `"x:X"`,
		strings.Replace(tableLine, "------X---", "?--", 1):    "64 squares",
		tableLine + "\n" + tableLine + "\t":                   "line 2: 13 columns",
		strings.Repeat("x", 100000):                           "read the table",
		strings.Replace(tableLine, "\t64\t", "\t64.0\t", 1):   "64.0",
		strings.Replace(tableLine, "XXXXX---", "XXXYX---", 1): `"Y"`,
	} {
		if games, err := notation.ReadGameTable(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) || games != nil {
			t.Errorf("%.40q: %d games, error %v: want %q in it", text, len(games), err, says)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := notation.ReadGameTable(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
}

func FuzzReadGameTable(f *testing.F) {
	f.Add("#year\n" + tableLine)
	f.Add(strings.Replace(tableLine, "\t-\t", "\t54:O,57:X\t", 1))
	f.Add("\t\t\t\t\t\t\t\t\t\t\t")
	f.Fuzz(func(t *testing.T, text string) {
		games, err := notation.ReadGameTable(strings.NewReader(text))
		if err != nil && games != nil {
			t.Errorf("%d games beside the error %v", len(games), err)
		}
		if len(games) > strings.Count(text, "\n")+1 {
			t.Errorf("%d games in %q", len(games), text)
		}
	})
}
