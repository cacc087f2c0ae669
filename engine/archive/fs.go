package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FS is the part of the operating system that the journal uses; paths are those
// of package os.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Rename(from, to string) error
	Remove(name string) error
	MkdirAll(name string, perm fs.FileMode) error
}

// File is an open file. Sync must also work for a folder.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	io.Closer
}

// OS returns the operating system's.
func OS() FS { return osFS{} }

// osFS is the real one.
type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm) //nolint:gosec // names are made by this package inside the folder it was given
	if err != nil {
		return nil, err // not a *os.File that is nil inside the interface
	}
	return osFile{f}, nil
}

// osFile is a file that knows whether it still has its name.
type osFile struct{ *os.File }

// Named returns an error if another file, or none, is found under the name with which
// the file was opened.
func (f osFile) Named() error {
	there, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if own, err := f.Stat(); err != nil || !os.SameFile(there, own) {
		return fs.ErrNotExist
	}
	return nil
}

func (osFS) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (osFS) Rename(from, to string) error                 { return os.Rename(from, to) }
func (osFS) Remove(name string) error                     { return os.Remove(name) }
func (osFS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// The permissions of what the journal makes: names of players are personal.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// folder is the journal's folder in an FS.
type folder struct {
	fs   FS
	path string
}

func (d folder) open(name string, flag int) (File, error) {
	return d.fs.OpenFile(filepath.Join(d.path, name), flag, filePerm)
}

// sync makes the names in the folder durable.
func (d folder) sync() error {
	f, err := d.fs.OpenFile(d.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// read returns up to limit bytes of a file. On an error of the medium it returns
// what could be read before it, together with the error.
func (d folder) read(name string, limit int64) (b []byte, err error) {
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	b, err = io.ReadAll(io.NewSectionReader(f, 0, limit))
	return b, errors.Join(err, f.Close())
}

// replace writes a small file so that after a crash either the old or the new
// one is there. Durable also makes sure that it is the new one.
func (d folder) replace(name string, content []byte, durable bool) error {
	temp := name + ".new"
	if err := d.create(temp, content, durable); err != nil {
		return err
	}
	if err := d.fs.Rename(filepath.Join(d.path, temp), filepath.Join(d.path, name)); err != nil {
		return err
	}
	if durable {
		return d.sync()
	}
	return nil
}

// create writes a whole file.
func (d folder) create(name string, content []byte, durable bool) error {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	err = writeAt(f, content, 0)
	if err == nil && durable {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeAt writes all of b.
func writeAt(f File, b []byte, offset int64) error {
	n, err := f.WriteAt(b, offset)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// explain says what failed and what the user can do about it.
func explain(verb, path string, err error) error {
	advice := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = ": the disk is full, free some space"
	case errors.Is(err, syscall.EROFS):
		advice = ": the disk is read-only, make it writable or choose another data folder"
	case errors.Is(err, fs.ErrPermission):
		advice = ": this user may not use the data folder, correct its owner or choose another one"
	case errors.Is(err, syscall.EIO):
		advice = ": the disk reports an error, save the data folder and replace the card"
	case errors.Is(err, fs.ErrNotExist):
		advice = ": the data folder has lost a file, check that its disk is mounted"
	}
	return fmt.Errorf("%s the journal in %s%s: %w", verb, path, advice, err)
}
