package archive_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"reversi-board/engine/archive"
)

// disk is a file system in memory that tells what has been synced from what has
// only been written, and that fails on order. It does what Linux does: a sync
// that fails forgets which bytes were still to be written.
type disk struct {
	mu sync.Mutex
	// names is what programs see, durable what survives a crash.
	names, durable map[string]*inode
	// now is the time of changes.
	now time.Time
	// fail is asked before every call, numbered from 0.
	fail  func(call int, op string) error
	calls int
	// block, if set, is called without the lock before every sync.
	block func()
	// mixed says that an unfinished end may hold two different attempts.
	mixed bool
	// syncs and written count.
	syncs   int
	written int64
}

type inode struct {
	data, durable []byte
	// dirty are the ranges that were written and not synced.
	dirty []span
	mtime time.Time
}

type span struct{ from, to int }

func newDisk() *disk {
	return &disk{
		names: map[string]*inode{}, durable: map[string]*inode{},
		now:  time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		fail: func(int, string) error { return nil },
	}
}

// call counts a call and says whether it fails.
func (d *disk) call(op string) error {
	d.calls++
	return d.fail(d.calls-1, op)
}

func (d *disk) setFail(fail func(call int, op string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
	d.calls = 0
}

// heal ends all failures.
func (d *disk) heal() { d.setFail(func(int, string) error { return nil }) }

// crash returns the disk after a power cut. Of the bytes that were not synced
// only the first keep survive (all if negative), with the names if any do.
func (d *disk) crash(keep int) *disk {
	return d.crashTo(func(n *inode) []byte { return n.survivor(keep) }, keep != 0)
}

// crashZeros returns the disk after a power cut that kept the names and the
// lengths of files, but of the bytes that were not synced only those in the
// first sectors; the others are zero.
func (d *disk) crashZeros(sectors int) *disk {
	return d.crashTo(func(n *inode) []byte {
		b := slices.Clone(n.data)
		from := len(n.durable)
		if from < len(b) {
			clear(b[min(len(b), max(from, (from/512+sectors)*512)):])
		}
		return b
	}, true)
}

// crashTo keeps of every file what survivor says; names are those that programs
// saw, or only the synced ones.
func (d *disk) crashTo(survivor func(n *inode) []byte, all bool) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := newDisk()
	c.now = d.now
	names := d.durable
	if all {
		names = d.names
	}
	for name, n := range names {
		c.put(name, survivor(n))
	}
	return c
}

// survivor returns the content after a crash.
func (n *inode) survivor(keep int) []byte {
	if keep < 0 {
		return n.data
	}
	b := slices.Clone(n.durable)
	for _, r := range n.dirty {
		part := n.data[r.from:min(r.to, r.from+keep)]
		keep -= len(part)
		if len(part) == 0 {
			break
		}
		b = append(b, make([]byte, max(0, r.from+len(part)-len(b)))...)
		copy(b[r.from:], part)
	}
	return b
}

// put stores a durable file.
func (d *disk) put(name string, b []byte) {
	n := &inode{data: slices.Clone(b), durable: slices.Clone(b), mtime: d.now}
	d.names[name], d.durable[name] = n, n
}

// clone returns a copy of a disk at rest.
func (d *disk) clone() *disk { return d.crash(-1) }

// read returns the content of a file.
func (d *disk) read(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.names[name]
	if n == nil {
		return nil
	}
	return slices.Clone(n.data)
}

// logs returns the paths of the journal's files.
func (d *disk) logs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var l []string
	for name := range d.names {
		if filepath.Ext(name) == ".log" {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return l
}

func (d *disk) OpenFile(name string, flag int, _ fs.FileMode) (archive.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call("open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if filepath.Ext(name) == "" && filepath.Base(name) != "meta" && filepath.Base(name) != "acked" {
		return &handle{d: d, dir: true}, nil
	}
	n := d.names[name]
	if n == nil && flag&os.O_CREATE == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if n == nil {
		n = &inode{mtime: d.now}
		d.names[name] = n
	}
	if flag&os.O_TRUNC != 0 {
		n.truncate(0)
	}
	return &handle{d: d, n: n}, nil
}

func (d *disk) ReadDir(string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call("readdir"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: "folder", Err: err}
	}
	var l []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		n := d.names[name]
		l = append(l, fs.FileInfoToDirEntry(info{name: filepath.Base(name), size: int64(len(n.data)), mtime: n.mtime}))
	}
	return l, nil
}

func (d *disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call("rename"); err != nil {
		return err
	}
	d.names[to] = d.names[from]
	delete(d.names, from)
	return nil
}

func (d *disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call("remove"); err != nil {
		return err
	}
	delete(d.names, name)
	return nil
}

func (d *disk) MkdirAll(string, fs.FileMode) error { return nil }

// handle is an open file.
type handle struct {
	d      *disk
	n      *inode
	dir    bool
	closed bool
}

func (h *handle) call(op string) error {
	if h.closed {
		return os.ErrClosed
	}
	return h.d.call(op)
}

func (h *handle) ReadAt(b []byte, offset int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.call("read"); err != nil {
		return 0, err
	}
	if offset >= int64(len(h.n.data)) {
		return 0, io.EOF
	}
	n := copy(b, h.n.data[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes half when it fails, as a full disk does.
func (h *handle) WriteAt(b []byte, offset int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	err := h.call("write")
	if errors.Is(err, errShort) {
		err = nil
		b = b[:len(b)/2]
	} else if err != nil {
		b = b[:len(b)/2]
	}
	n, end := h.n, int(offset)+len(b)
	n.data = append(n.data, make([]byte, max(0, end-len(n.data)))...)
	copy(n.data[offset:], b)
	n.dirty = append(n.dirty, span{int(offset), end})
	n.mtime = h.d.now
	h.d.written += int64(len(b))
	return len(b), err
}

// errShort makes WriteAt write less without an error.
var errShort = errors.New("short")

func (n *inode) truncate(size int) {
	n.data = append(n.data[:min(size, len(n.data))], make([]byte, max(0, size-len(n.data)))...)
	kept := n.dirty[:0]
	for _, r := range n.dirty {
		if r.to = min(r.to, size); r.from < r.to {
			kept = append(kept, r)
		}
	}
	n.dirty = kept
}

func (h *handle) Truncate(size int64) error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.call("truncate"); err != nil {
		return err
	}
	h.n.truncate(int(size))
	return nil
}

func (h *handle) Sync() error {
	h.d.mu.Lock()
	block := h.d.block
	h.d.mu.Unlock()
	if block != nil {
		block()
	}
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	err := h.call("sync")
	h.d.syncs++
	if h.dir {
		if err == nil {
			h.d.durable = maps.Clone(h.d.names)
		}
		return err
	}
	n := h.n
	if err == nil {
		n.durable = append(n.durable[:min(len(n.durable), len(n.data))], make([]byte, max(0, len(n.data)-len(n.durable)))...)
		for _, r := range n.dirty {
			copy(n.durable[r.from:r.to], n.data[r.from:r.to])
		}
	}
	n.dirty = n.dirty[:0]
	return err
}

func (h *handle) Close() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	err := h.call("close")
	h.closed = true
	return err
}

// info describes a file.
type info struct {
	name  string
	size  int64
	mtime time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o600 }
func (i info) ModTime() time.Time { return i.mtime }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
