package opponent_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/gtp"
	"reversi-board/engine/opponent/nboard"
)

// kinds are all programs that are imitated.
func kinds() []string {
	return []string{
		enginetest.Rhino, enginetest.Edax, enginetest.Egaroucid, enginetest.EdaxNBoard, enginetest.NTest,
	}
}

// limits are short, for programs that are silent on purpose; starting the test
// binary again takes some time on a busy machine.
func limits() opponent.Limits {
	return opponent.Limits{Start: 20 * time.Second, Answer: 20 * time.Second, Move: 300 * time.Millisecond}
}

// hire starts a fake engine for one test. That nothing of it is left is checked
// when all tests have ended, by TestMain.
func hire(t *testing.T, l opponent.Limits, kind string, faults ...string) *opponent.External {
	t.Helper()
	dial := gtp.Dial
	if strings.HasPrefix(kind, "nboard-") {
		dial = nboard.Dial(6)
	}
	x := opponent.New(opponent.Options{
		Command: enginetest.Command(kind, faults...), Limits: l, Logger: slog.New(slog.DiscardHandler),
	}, dial)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return x
}

// question returns a game after the moves of a transcript, and after the passes
// that are due then.
func question(t *testing.T, moves string) opponent.Question {
	t.Helper()
	r, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	line, err := notation.ParseTranscript(r, moves)
	if err != nil {
		t.Fatal(err)
	}
	q := opponent.Question{Rules: r, Moves: line.Moves}
	if line.Final.MustPass() {
		q.Moves = append(q.Moves, engine.PassMove)
	}
	return q
}

// heard returns what a fake with log=file has been told.
func heard(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func logFile(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "heard") }
