package flight_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"reversi-board/engine/archive"
)

// moody is the operating system's disk in a bad mood: it can be full, or hang.
type moody struct {
	archive.FS

	mu sync.Mutex
	// left is how many bytes still fit, negative for as many as anybody likes.
	left int
	// hangs, if not nil, is what every write waits for; waiting is told of each.
	hangs   chan struct{}
	waiting chan struct{}
	// written counts bytes, writes calls.
	written int64
	writes  int
}

func newMoody() *moody {
	return &moody{FS: archive.OS(), left: -1, waiting: make(chan struct{}, 100)}
}

// room says how many bytes still fit.
func (m *moody) room(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = n
}

// hang makes writes wait from now on; the result lets them go.
func (m *moody) hang() (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := make(chan struct{})
	m.hangs = c
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.hangs = nil
		close(c)
	}
}

func (m *moody) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	f, err := m.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &moodyFile{File: f, disk: m}, nil
}

type moodyFile struct {
	archive.File
	disk *moody
}

func (f *moodyFile) WriteAt(b []byte, at int64) (int, error) {
	m := f.disk
	m.mu.Lock()
	hangs := m.hangs
	m.mu.Unlock()
	if hangs != nil {
		m.waiting <- struct{}{}
		<-hangs
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	fits := len(b)
	if m.left >= 0 {
		fits = min(fits, m.left)
		m.left -= fits
	}
	n, err := f.File.WriteAt(b[:fits], at)
	m.written += int64(n)
	if err == nil && fits < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

// files lists the recordings of a folder, the oldest first.
func files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names, err
}
