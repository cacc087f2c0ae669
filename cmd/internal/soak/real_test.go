//go:build !race

package soak

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"
)

// TestRealGames plays the games of real people: every record, every pass and
// every final count must come out as the files have it, through magnets, chips,
// drivers, sensing, referee and journal. Under the race detector this would
// take half an hour, so it is built without it only.
func TestRealGames(t *testing.T) {
	for _, c := range []struct {
		file string
		// every is which games are played, games how many these are.
		every, games int
		// passes, discs on the final boards (Black's and White's), and the
		// SHA-256 of these boards, each as 64 characters XO- and a line end;
		// known for whole files, computed by two other programs.
		passes, dark, light int
		sum                 string
	}{
		{file: "woc-games.tsv", every: 1, games: 15},
		{file: "edge-games.tsv", every: 1, games: 13},
		{
			file: "WTH_1978.wtb", every: 1, games: 8, passes: 15, dark: 285, light: 226,
			sum: "d02f18b00206d6264129e9017efbd1d61d376d6162f60813869b8ebef162940a",
		},
		{file: "WTH_2007.wtb", every: 10, games: 248},
		{file: "WTH_2013.wtb", every: 10, games: 240},
	} {
		t.Run(c.file, func(t *testing.T) {
			list, err := Load(filepath.Join(games, c.file))
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Games: list, Seed: 1}
			for i := 0; i < len(list); i += c.every {
				o.Indices = append(o.Indices, i)
			}
			report, outcomes := playAll(t, o)
			t.Logf("%d games, worst latency %d ms, %.1f games/s", report.Games, report.WorstLatency, report.GamesPerSecond)
			if report.Failed() || report.Games != c.games {
				t.Errorf("%d games, want %d: %+v", report.Games, c.games, report)
			}
			if c.sum == "" {
				return
			}
			dark, light, sum := final(outcomes)
			if sum != c.sum || dark != c.dark || light != c.light || report.Passes != c.passes {
				t.Errorf("%d passes, discs %d and %d, boards %s", report.Passes, dark, light, sum)
			}
		})
	}
}

// TestRealGamesOnEveryBoard plays real games through the electrical path of the
// other boards: ten MCP23017 on two buses, a matrix of contacts, and linear
// sensors behind multiplexers, which are slow.
func TestRealGamesOnEveryBoard(t *testing.T) {
	for name, every := range map[string]int{"hall-128-mcp23017.yaml": 1, "reed-64.yaml": 1, "hall-analog.yaml": 4} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"woc-games.tsv", "edge-games.tsv"} {
				list, err := Load(filepath.Join(games, file))
				if err != nil {
					t.Fatal(err)
				}
				o := Options{Config: profile(t, name), Games: list, Seed: 1}
				for i := 0; i < len(list); i += every {
					o.Indices = append(o.Indices, i)
				}
				report, _ := playAll(t, o)
				t.Logf("%s: %d games, worst latency %d ms, %.1f games/s", file, report.Games, report.WorstLatency, report.GamesPerSecond)
				if report.Failed() || report.Games != len(o.Indices) {
					t.Errorf("%s: %+v", file, report)
				}
			}
		})
	}
}

// final sums the final boards up.
func final(outcomes []Outcome) (dark, light int, sum string) {
	boards := sha256.New()
	for _, out := range outcomes {
		boards.Write([]byte(out.Board.Text('X', 'O', '-') + "\n"))
		dark += out.Board.Black.Count()
		light += out.Board.White.Count()
	}
	return dark, light, hex.EncodeToString(boards.Sum(nil))
}
