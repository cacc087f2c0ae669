package memdisk

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"reversi-board/engine/archive"
)

// Disk is a small disk in memory, with the failures of a real one. It may be used
// from any goroutine.
type Disk struct {
	mu    sync.Mutex
	files map[string][]byte
	// broken is what every operation that changes the disk ends with.
	broken error
	// readOnly is true when nothing can be opened for writing either.
	readOnly bool
}

// New returns an empty disk.
func New() *Disk { return &Disk{files: map[string][]byte{}} }

// Clone returns a disk with the same files, and without the failure: what a power
// cut leaves.
func (d *Disk) Clone() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := New()
	for name, b := range d.files {
		c.files[name] = slices.Clone(b)
	}
	return c
}

// Fail makes every operation that changes the disk end with an error; nil mends
// it. After syscall.EROFS nothing can be opened for writing either.
func (d *Disk) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken, d.readOnly = err, errors.Is(err, syscall.EROFS)
}

// Names returns the names of the files, sorted.
func (d *Disk) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.files))
}

// Content returns what a file holds, nil for one that is not there.
func (d *Disk) Content(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.files[name])
}

// Put makes a file hold something, as damage does.
func (d *Disk) Put(name string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = slices.Clone(content)
}

// change performs f unless the disk is broken.
func (d *Disk) change(f func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return d.broken
	}
	f()
	return nil
}

// OpenFile implements archive.FS.
func (d *Disk) OpenFile(name string, flag int, _ fs.FileMode) (archive.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	writing := flag&(os.O_WRONLY|os.O_RDWR) != 0
	if d.readOnly && writing {
		return nil, &fs.PathError{Op: "open", Path: name, Err: d.broken}
	}
	content, ok := d.files[name]
	switch {
	case !ok && filepath.Ext(name) == "" && !writing:
		return &open{disk: d, name: name, folder: true}, nil
	case !ok && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case !ok && d.broken != nil:
		return nil, &fs.PathError{Op: "create", Path: name, Err: d.broken}
	case flag&os.O_TRUNC != 0:
		content = content[:0]
	}
	if writing {
		d.files[name] = content
	}
	return &open{disk: d, name: name}, nil
}

// ReadDir implements archive.FS.
func (d *Disk) ReadDir(name string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var entries []fs.DirEntry
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if filepath.Dir(path) == name {
			entries = append(entries, fs.FileInfoToDirEntry(fileInfo{filepath.Base(path), len(d.files[path])}))
		}
	}
	return entries, nil
}

// Rename implements archive.FS.
func (d *Disk) Rename(from, to string) error {
	return d.change(func() {
		d.files[to] = d.files[from]
		delete(d.files, from)
	})
}

// Remove implements archive.FS.
func (d *Disk) Remove(name string) error {
	return d.change(func() { delete(d.files, name) })
}

// MkdirAll implements archive.FS.
func (d *Disk) MkdirAll(string, fs.FileMode) error { return nil }

// open is an open file, or the folder.
type open struct {
	disk   *Disk
	name   string
	folder bool
}

// ReadAt implements archive.File.
func (o *open) ReadAt(p []byte, off int64) (int, error) {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	b := o.disk.files[o.name]
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements archive.File.
func (o *open) WriteAt(p []byte, off int64) (int, error) {
	err := o.disk.change(func() {
		b := o.disk.files[o.name]
		if need := int(off) + len(p) - len(b); need > 0 {
			b = append(b, make([]byte, need)...)
		}
		copy(b[off:], p)
		o.disk.files[o.name] = b
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Truncate implements archive.File.
func (o *open) Truncate(size int64) error {
	return o.disk.change(func() {
		if b := o.disk.files[o.name]; size < int64(len(b)) {
			o.disk.files[o.name] = b[:size]
		}
	})
}

// Sync implements archive.File.
func (o *open) Sync() error { return o.disk.change(func() {}) }

// Close implements archive.File.
func (o *open) Close() error { return nil }

// fileInfo describes a file of the disk.
type fileInfo struct {
	name string
	size int
}

func (f fileInfo) Name() string       { return f.name }
func (f fileInfo) Size() int64        { return int64(f.size) }
func (f fileInfo) Mode() fs.FileMode  { return 0o600 }
func (f fileInfo) ModTime() time.Time { return time.Time{} }
func (f fileInfo) IsDir() bool        { return false }
func (f fileInfo) Sys() any           { return nil }
