package pi

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// What waits for an edge does so in the kernel: here a pipe stands for the file of
// a line. The program ends as soon as it is told to.
func TestKernelWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }() // It is a pipe.
	l := &kernelLines{file: r}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	if err := l.edge(ctx, time.Hour); !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() == nil {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if err := l.edge(ctx, time.Hour); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := l.edge(t.Context(), time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nothing for a millisecond: %v", err)
	}
	if _, err := w.Write(make([]byte, eventSize)); err != nil {
		t.Fatal(err)
	}
	if err := l.edge(t.Context(), time.Hour); err != nil {
		t.Errorf("an edge: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.edge(t.Context(), time.Hour); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
