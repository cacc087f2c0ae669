package app

import (
	"io/fs"
	"slices"
	"sync"
	"time"

	"reversi-board/engine/archive"
)

// stopwatch is a disk of which is known how long it takes to make things
// durable.
type stopwatch struct {
	archive.FS

	mu sync.Mutex
	// took are the last syncs, in a ring.
	took [256]time.Duration
	n    int
}

// watchDisk returns a stopwatch on a disk, nil for the operating system's.
func watchDisk(disk archive.FS) *stopwatch {
	if disk == nil {
		disk = archive.OS()
	}
	return &stopwatch{FS: disk}
}

// OpenFile implements archive.FS.
func (w *stopwatch) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	f, err := w.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return timedFile{f, w}, nil
}

// timedFile is a file on it.
type timedFile struct {
	archive.File
	watch *stopwatch
}

// Sync implements archive.File.
func (f timedFile) Sync() error {
	begin := time.Now()
	err := f.File.Sync()
	f.watch.note(time.Since(begin))
	return err
}

// Named returns nil if the file still has its name, as far as that is known.
func (f timedFile) Named() error {
	if n, ok := f.File.(interface{ Named() error }); ok {
		return n.Named()
	}
	return nil
}

func (w *stopwatch) note(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took[w.n%len(w.took)] = took
	w.n++
}

// p99 returns how long all but one in a hundred of the last syncs took at most;
// ok is false when there were none.
func (w *stopwatch) p99() (d time.Duration, ok bool) {
	w.mu.Lock()
	n := min(w.n, len(w.took))
	last := slices.Clone(w.took[:n])
	w.mu.Unlock()
	if n == 0 {
		return 0, false
	}
	slices.Sort(last)
	return last[(n*99+99)/100-1], true
}
