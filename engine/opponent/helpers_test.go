package opponent_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	return enginetest.Hire(t, opponent.Options{
		Command: enginetest.Command(kind, faults...), Limits: l, Logger: slog.New(slog.DiscardHandler),
	}, dial)
}

func logFile(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "heard") }
