package soak_test

import (
	"os"
	"path/filepath"
	"testing"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/cmd/internal/soak"
	"reversi-board/configs"
	"reversi-board/engine"
)

// boardOf returns the settings of a built-in board.
func boardOf(t *testing.T, name string) *configs.Config {
	t.Helper()
	text, err := configs.Profile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Replaying any recording of the soak gives identical events: on every kind of
// board, in every variant, while parts of the board fail, and with people who make
// mistakes.
func TestRecordingsReplayToIdenticalEvents(t *testing.T) {
	type games struct {
		name string
		o    soak.Options
	}
	all := []games{
		{"clumsy", soak.Options{Random: 6, Seed: 11, Clumsy: &soak.Clumsy{Profile: soak.All, Variant: soak.All}}},
		{"storm", soak.Options{Random: 2, Seed: 12, Config: boardOf(t, "hall-128.yaml"), Faults: soak.FaultsOf(boardOf(t, "hall-128.yaml"))}},
	}
	for i, board := range []string{"hall-128.yaml", "hall-128-mcp23017.yaml", "hall-analog.yaml", "reed-64.yaml"} {
		variants := engine.VariantNames()
		all = append(all, games{board, soak.Options{Random: 1, Seed: 13, Config: boardOf(t, board), Variant: variants[i%len(variants)]}})
	}
	for _, g := range all {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			g.o.Record.Dir = filepath.Join(t.TempDir(), "recordings")
			if _, err := soak.Run(t.Context(), g.o); err != nil {
				t.Fatal(err)
			}
			for i := range g.o.Random {
				replayGame(t, g.o.Record.FileOf(i))
			}
		})
	}
}

// replayGame replays a recording, which must hold a game.
func replayGame(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flight.ReadSegment(file, b)
	if err != nil || s.Torn != nil {
		t.Fatal(err, s)
	}
	events := 0
	_, err = flight.Replay(s, app.Again(s), func(r *flight.Ran) error {
		if r.Difference != "" {
			t.Errorf("%s, record %d: %s", file, r.Number, r.Difference)
		}
		if r.Record.Step != nil {
			events += len(r.Record.Step.Events)
		}
		return nil
	})
	if err != nil || events < 4 {
		t.Errorf("%s: %d events, %v", file, events, err)
	}
}

// Only the recordings of failed games are kept if nothing else is wanted: of sound
// ones none.
func TestRecordingsOfFailedGames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	report, err := soak.Run(t.Context(), soak.Options{Random: 1, Seed: 3, Record: soak.Recording{Dir: dir, Failed: true}})
	if err != nil || report.Failed() {
		t.Fatal(report, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a sound game was recorded: %v", err)
	}
}
