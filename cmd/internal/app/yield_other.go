//go:build !linux

package app

import "log/slog"

// yieldToOthers does nothing here: a thread has no priority of its own.
func yieldToOthers(*slog.Logger) {}
