// Package ratelog writes log lines about what repeats: the first at once, and then at
// most one in a while, which says how often it has happened since.
package ratelog

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Interval is the usual time between two lines about the same thing.
const Interval = time.Minute

// Log is a log that does not repeat itself. What it tells apart are the messages, so
// they must be constants: attributes that differ do not make another line.
type Log struct {
	log   *slog.Logger
	every time.Duration

	mu     sync.Mutex
	recent map[string]*repeated
	closed bool
}

// repeated is a message that was written less than the interval ago.
type repeated struct {
	level slog.Level
	times int // since the last line
	attrs []any
	timer *time.Timer
}

// New returns a Log that writes to log.
func New(log *slog.Logger, every time.Duration) *Log {
	return &Log{log: log, every: every, recent: make(map[string]*repeated)}
}

// Warn writes a warning, or counts it.
func (l *Log) Warn(message string, attrs ...any) { l.Log(slog.LevelWarn, message, attrs...) }

// Info writes an information, or counts it.
func (l *Log) Info(message string, attrs ...any) { l.Log(slog.LevelInfo, message, attrs...) }

// Error writes an error, or counts it.
func (l *Log) Error(message string, attrs ...any) { l.Log(slog.LevelError, message, attrs...) }

// Log writes a line, or counts it for the next one.
func (l *Log) Log(level slog.Level, message string, attrs ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if r, again := l.recent[message]; again {
		r.times++
		r.attrs = attrs
		return
	}
	l.log.Log(context.Background(), level, message, attrs...)
	l.recent[message] = &repeated{level: level, timer: time.AfterFunc(l.every, func() { l.summarize(message) })}
}

// summarize writes what has been counted about a message, or forgets it.
func (l *Log) summarize(message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.recent[message]
	if r == nil || l.closed {
		return
	}
	if r.times == 0 {
		delete(l.recent, message)
		return
	}
	l.write(message, r)
	r.timer.Reset(l.every)
}

// write writes a line about what has been counted; the caller holds the lock.
func (l *Log) write(message string, r *repeated) {
	l.log.Log(context.Background(), r.level, message, append([]any{"times", r.times}, r.attrs...)...)
	r.times = 0
}

// Close writes what has been counted. Nothing is written afterwards.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for message, r := range l.recent {
		r.timer.Stop()
		if r.times > 0 {
			l.write(message, r)
		}
	}
}
