package broker

import (
	"context"
	"log/slog"
)

// quiet passes mochi's log on at a lower level, and without packets: a packet
// can hold a password.
type quiet struct{ next slog.Handler }

// lower maps mochi's levels to ours: it warns of every client that goes away.
func lower(l slog.Level) slog.Level {
	if l >= slog.LevelError {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return q.next.Enabled(ctx, lower(l))
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, lower(r.Level), "mqtt broker: "+r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "pk" && a.Key != "packet" && a.Key != "will" {
			out.AddAttrs(a)
		}
		return true
	})
	return q.next.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(as []slog.Attr) slog.Handler { return quiet{q.next.WithAttrs(as)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.next.WithGroup(name)} }
