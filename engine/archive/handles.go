package archive

import (
	"errors"
	"os"
	"slices"
	"sync"
)

// keptOpen is how many files stay open for the next reading. Whoever publishes events
// reads the newest file all the time, and must be able to when the computer has no
// file handles left.
const keptOpen = 2

// handles are the files that are open for reading.
type handles struct {
	mu     sync.Mutex
	files  []*handle // the one used last at the end
	closed bool
}

// handle is a file that is open for reading.
type handle struct {
	File
	name  string
	users int
	// stale: it is closed when nobody uses it any more.
	stale bool
}

// take returns a file, opened now or before. It has to be given back.
func (h *handles) take(dir folder, name string) (*handle, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.IndexFunc(h.files, func(f *handle) bool { return f.name == name }); i >= 0 {
		f := h.files[i]
		h.files = append(slices.Delete(h.files, i, i+1), f)
		f.users++
		return f, nil
	}
	opened, err := dir.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	f := &handle{File: opened, name: name, users: 1, stale: h.closed}
	if h.closed {
		return f, nil
	}
	if len(h.files) == keptOpen {
		_ = h.drop(0) // it was only read
	}
	h.files = append(h.files, f)
	return f, nil
}

// drop forgets a file; the caller holds the lock.
func (h *handles) drop(i int) error {
	f := h.files[i]
	h.files = slices.Delete(h.files, i, i+1)
	f.stale = true
	if f.users == 0 {
		return f.Close()
	}
	return nil
}

// give gives a file back. One that could not be read is opened anew the next time.
func (h *handles) give(f *handle, failed bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.users--
	if i := slices.Index(h.files, f); failed && i >= 0 {
		return h.drop(i)
	}
	if f.stale && f.users == 0 {
		return f.Close()
	}
	return nil
}

// forget closes a file that is to be deleted.
func (h *handles) forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.IndexFunc(h.files, func(f *handle) bool { return f.name == name }); i >= 0 {
		_ = h.drop(i) // it was only read
	}
}

// close closes all files; those in use when they are given back.
func (h *handles) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	var err error
	for len(h.files) > 0 {
		err = errors.Join(err, h.drop(0))
	}
	return err
}
