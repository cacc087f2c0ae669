package ratelog_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/mqtt/ratelog"
)

// buffer holds what the timers write, too.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns what has been written since the last time.
func (b *buffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// A thousand repetitions are one line at once and one a minute with their number; what
// has stopped is told again at once when it comes back.
func TestOneLineAMinuteWithACount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		l := ratelog.New(slog.New(slog.NewTextHandler(&out, nil)), time.Minute)
		lines := func() []string {
			synctest.Wait()
			return strings.Split(strings.TrimSpace(out.take()), "\n")
		}
		for i := range 1000 {
			l.Warn("refused", "remote", i)
		}
		l.Info("something else")
		if got := lines(); len(got) != 2 || !strings.Contains(got[0], "level=WARN msg=refused remote=0") {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(time.Minute)
		if got := lines(); len(got) != 1 || !strings.Contains(got[0], "msg=refused times=999 remote=999") {
			t.Errorf("after a minute: %q", got)
		}
		time.Sleep(2 * time.Minute)
		if got := lines(); len(got) != 1 || got[0] != "" {
			t.Errorf("when nothing happens: %q", got)
		}
		l.Warn("refused")
		if got := lines(); len(got) != 1 || !strings.Contains(got[0], "msg=refused") {
			t.Errorf("when it comes back: %q", got)
		}
		l.Warn("refused")
		l.Close()
		l.Close()
		l.Warn("refused")
		if got := lines(); len(got) != 1 || !strings.Contains(got[0], "times=1") {
			t.Errorf("at the end: %q", got)
		}
	})
}
