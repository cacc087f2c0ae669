package app

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"reversi-board/engine/archive"
)

// scribe keeps small files up to date without anybody waiting for the disk: the
// newest content wins, one that is in the file already is not written again, and one
// that could not be written is dropped. What is kept in this way is convenient to have
// after a restart, and not part of the record.
type scribe struct {
	fs    archive.FS
	dir   string
	fresh chan struct{}

	mu sync.Mutex
	// todo are the contents to be written, have those that were written last.
	todo, have map[string]string
	// lost says that the files are not there any more.
	lost bool

	// The rest belongs to keep. often are the files of put's contents that change
	// often, by name.
	often map[string]*slots
}

// newScribe returns the scribe of a folder, on a disk that is nil for the operating
// system's. The files named are written often.
func newScribe(disk archive.FS, dir string, often ...string) *scribe {
	if disk == nil {
		disk = archive.OS()
	}
	s := &scribe{
		fs: disk, dir: dir, fresh: make(chan struct{}, 1),
		todo: make(map[string]string), have: make(map[string]string), often: make(map[string]*slots),
	}
	for _, name := range often {
		s.often[name] = &slots{fs: disk, path: filepath.Join(dir, name)}
	}
	return s
}

// put asks for a file to have a content; it never waits.
func (s *scribe) put(name, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have, ok := s.have[name]; ok && have == content {
		return
	}
	s.todo[name], s.have[name] = content, content
	nudge(s.fresh)
}

// forget makes everything be written again, because the folder is another one; it
// never waits.
func (s *scribe) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.todo, s.have)
	s.lost = true
	nudge(s.fresh)
}

// keep writes until ctx ends, and then what is left.
func (s *scribe) keep(ctx context.Context) {
	defer func() {
		for _, f := range s.often {
			f.close()
		}
	}()
	for {
		select {
		case <-s.fresh:
			s.write()
		case <-ctx.Done():
			s.write()
			return
		}
	}
}

func (s *scribe) write() {
	s.mu.Lock()
	todo, lost := s.todo, s.lost
	s.todo, s.lost = make(map[string]string), false
	s.mu.Unlock()
	for _, f := range s.often {
		if lost {
			f.close()
		}
	}
	for name, content := range todo {
		if s.store(name, content) == nil {
			continue
		}
		s.mu.Lock()
		if s.have[name] == content {
			delete(s.have, name) // the same content is new the next time
		}
		s.mu.Unlock()
	}
}

// store writes a content.
func (s *scribe) store(name, content string) error {
	if f, ok := s.often[name]; ok {
		return f.write(content)
	}
	path := filepath.Join(s.dir, name)
	if err := writeSynced(s.fs, path+unfinished, content); err != nil {
		return err
	}
	return s.fs.Rename(path+unfinished, path)
}

// sealed is a line of a small file with its checksum, so that what a bad disk makes
// of it is believed by nobody.
func sealed(text string) string { return fmt.Sprintf("%s %08x\n", text, sum(text)) }

// unsealed returns the text of a sealed line; ok is false when it is not as it was
// written.
func unsealed(line []byte) (text string, ok bool) {
	const seal = len(" 01234567\n")
	if len(line) < seal {
		return "", false
	}
	text = string(line[:len(line)-seal])
	return text, sealed(text) == string(line)
}

func sum(text string) uint32 {
	return crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
}

// writeSynced writes a file that is whole after a power cut.
func writeSynced(disk archive.FS, path, content string) error {
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), 0)
	return errors.Join(err, f.Sync(), f.Close())
}
