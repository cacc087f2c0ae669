package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reversi-board/engine/archive"
)

// A file of slots holds one text that changes often. It is made once and has two slots,
// which are written in turn, in place: a power cut while one is written leaves the other
// one as it was. Nothing of the folder changes, so nothing else has to be written.
const (
	// slotSize is what is written at a time: the sector of a disk.
	slotSize = 512
	// slotStep is where the second slot begins: pages of a file system are not shared.
	slotStep = 4096
	// slotsSize is the size of the file.
	slotsSize = 2 * slotStep
)

// slots writes such a file. It belongs to one goroutine.
type slots struct {
	fs   archive.FS
	path string
	file archive.File
	// count is the number of the text that was written last.
	count uint64
}

// write stores a text in the slot of the older one.
func (s *slots) write(text string) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	line := sealed(fmt.Sprintf("%d %s", s.count+1, text))
	if len(line) > slotSize {
		return fmt.Errorf("write %s: %d bytes, a slot has %d", s.path, len(line), slotSize)
	}
	b := make([]byte, slotSize)
	copy(b, line)
	s.count++
	_, err := s.file.WriteAt(b, int64(s.count%2)*slotStep)
	if err == nil {
		err = syncData(s.file)
	}
	if err != nil {
		s.close()
	}
	return err
}

// syncData makes the content of a file durable, and not when it was changed.
func syncData(f archive.File) error {
	if d, ok := f.(interface{ SyncData() error }); ok {
		return d.SyncData()
	}
	return f.Sync()
}

// open opens the file, or makes it.
func (s *slots) open() (err error) {
	if s.file, err = s.fs.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	b := make([]byte, slotsSize)
	n, _ := s.file.ReadAt(b, 0) // what is not there is made
	_, s.count, _ = newest(b[:n])
	if n == slotsSize {
		return nil
	}
	_, err = s.file.WriteAt(make([]byte, slotsSize-n), int64(n))
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		err = syncFolder(s.fs, filepath.Dir(s.path))
	}
	if err != nil {
		s.close()
	}
	return err
}

// syncFolder makes the names in a folder durable.
func syncFolder(fs archive.FS, dir string) error {
	f, err := fs.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// close closes the file; the next text opens it again.
func (s *slots) close() {
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}

// newest returns the newest text of a file of slots and its number; ok is false when
// there is none.
func newest(b []byte) (text string, count uint64, ok bool) {
	for at := 0; at+slotSize <= len(b); at += slotStep {
		line, _, _ := strings.Cut(string(b[at:at+slotSize]), "\x00")
		words, whole := unsealed([]byte(line))
		number, rest, _ := strings.Cut(words, " ")
		var n uint64
		if _, err := fmt.Sscanf(number, "%d", &n); whole && err == nil && n > count {
			text, count, ok = rest, n, true
		}
	}
	return text, count, ok
}
