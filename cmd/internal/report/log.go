package report

import (
	"bytes"
	"log/slog"
	"sync"
)

const (
	// logLines is how many lines of the log are kept, logLine how long one may be.
	logLines = 500
	logLine  = 1000
)

// Log keeps the last lines that were logged, in memory. It is safe for use by any
// number of goroutines.
type Log struct {
	mu    sync.Mutex
	lines [logLines]string
	n     int
}

// Write keeps a line; a handler of slog writes one at a time.
func (l *Log) Write(b []byte) (int, error) {
	line := b
	for len(line) > 0 && line[len(line)-1] == '\n' {
		line = line[:len(line)-1]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[l.n%logLines] = string(cut(line))
	l.n++
	return len(b), nil
}

// cut returns the beginning of a line that is too long, up to a blank: half a secret
// would not be recognized any more.
func cut(line []byte) []byte {
	if len(line) <= logLine {
		return line
	}
	return line[:max(0, bytes.LastIndexByte(line[:logLine], ' '))]
}

// Lines returns what is kept, the oldest first.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	for i := max(0, l.n-logLines); i < l.n; i++ {
		list = append(list, l.lines[i%logLines])
	}
	return list
}

// Handler returns a handler that logs to next and keeps the lines as well.
func (l *Log) Handler(next slog.Handler) slog.Handler {
	return slog.NewMultiHandler(next, slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
