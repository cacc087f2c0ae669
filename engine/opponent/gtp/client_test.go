package gtp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/gtp"
)

// firstLegal returns what the fakes would play.
func firstLegal(t *testing.T, q *opponent.Question) engine.Square {
	t.Helper()
	g, err := q.Game()
	if err != nil || g.Legal() == 0 {
		t.Fatalf("no move in %v: %v", g, err)
	}
	return g.Legal().First()
}

// hire starts a program for one test.
func hire(t *testing.T, command ...string) *opponent.External {
	t.Helper()
	return enginetest.Hire(t, opponent.Options{Command: command}, gtp.Dial)
}

// TestWhatIsSent: only discs are sent, each once; the position is built anew
// when moves were taken back; the time is told when there is a clock.
func TestWhatIsSent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heard")
	x := hire(t, enginetest.Command(enginetest.Edax, "log="+file)...)
	q := enginetest.Question(t, "f5")
	enginetest.Ask(t, x, &q) // d6: White's first legal square
	q.Moves = append(q.Moves, engine.At(firstLegal(t, &q)))
	enginetest.Ask(t, x, &q)
	// Everything is taken back; another game, by the clock.
	q = enginetest.Question(t, "c4")
	q.Clock = opponent.Clock{Main: 90 * time.Second, Left: [2]time.Duration{80 * time.Second, 59900 * time.Millisecond}}
	enginetest.Ask(t, x, &q)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	got := enginetest.Heard(t, file)
	want := []string{
		"name", "list_commands", "version",
		"boardsize 8", "clear_board", "play black f5", "genmove white", "play black c3", "genmove white",
		"boardsize 8", "clear_board", "time_settings 90 0 0", "play black c4", "time_left white 59 0", "genmove white",
		"quit",
	}
	if !slices.Equal(got, want) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
