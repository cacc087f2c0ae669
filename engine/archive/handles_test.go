package archive_test

import (
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"
	"testing"

	"reversi-board/engine/archive"
)

// crowded is the operating system's disk on a computer that may have run out of file
// handles, and where files can fail to be read.
type crowded struct {
	archive.FS
	full, sick atomic.Bool
	open       atomic.Int64
}

func (c *crowded) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	if c.full.Load() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE}
	}
	f, err := c.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &countedFile{File: f, on: c, sick: c.sick.Load()}, nil
}

// countedFile is a file on it; one that was opened while the disk was sick stays so.
type countedFile struct {
	archive.File
	on   *crowded
	sick bool
}

func (f *countedFile) ReadAt(b []byte, at int64) (int, error) {
	if f.sick {
		return 0, syscall.EIO
	}
	return f.File.ReadAt(b, at)
}

func (f *countedFile) Close() error {
	f.on.open.Add(-1)
	return f.File.Close()
}

// Without file handles what is written is still read, so that events go on to be
// published; nothing is left open when the journal is closed.
func TestReadsWithoutFileHandles(t *testing.T) {
	c := &crowded{FS: archive.OS()}
	j, _ := open(t, archive.Options{Dir: t.TempDir(), FS: c})
	appendAll(t, j, 3, "before")
	if n := len(contents(t, j)); n != 3 {
		t.Fatalf("%d records", n)
	}
	c.full.Store(true)
	appendAll(t, j, 3, "without")
	if n := len(contents(t, j)); n != 6 {
		t.Errorf("%d records without file handles, want 6", n)
	}
	c.full.Store(false)
	closeJournal(t, j)
	if n := c.open.Load(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// However many files are read, only a few stay open; a file that could not be read is
// opened anew, for it may be another disk by now.
func TestFilesStayOpenOnlyWhileTheyCanBeRead(t *testing.T) {
	c := &crowded{FS: archive.OS()}
	j, _ := open(t, archive.Options{Dir: t.TempDir(), FS: c, MaxFile: small})
	appendAll(t, j, 40, "x")
	if n := len(contents(t, j)); n != 40 {
		t.Fatalf("%d records", n)
	}
	before := c.open.Load()
	if n := len(contents(t, j)); n != 40 || c.open.Load() != before || before > 5 {
		t.Errorf("%d records, %d files open, then %d", n, before, c.open.Load())
	}
	c.sick.Store(true)
	if err := j.Read(0, 0, func(uint64, []byte) error { return nil }); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v, want EIO", err)
	}
	c.sick.Store(false)
	if n := len(contents(t, j)); n != 40 {
		t.Errorf("%d records when the disk can be read again", n)
	}
	closeJournal(t, j)
	if n := c.open.Load(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}
