package app

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
)

// scribe keeps small files up to date without anybody waiting for the disk: the
// newest content wins, and a content that could not be written is dropped. What
// is kept in this way is convenient to have after a restart, and not part of
// the record.
type scribe struct {
	dir   string
	fresh chan struct{}

	mu   sync.Mutex
	todo map[string]string
}

func newScribe(dir string) *scribe {
	return &scribe{dir: dir, fresh: make(chan struct{}, 1), todo: make(map[string]string)}
}

// put asks for a file to have a content; it never waits.
func (s *scribe) put(name, content string) {
	s.mu.Lock()
	s.todo[name] = content
	s.mu.Unlock()
	nudge(s.fresh)
}

// keep writes until ctx ends, and then what is left.
func (s *scribe) keep(ctx context.Context) {
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
	todo := s.todo
	s.todo = make(map[string]string)
	s.mu.Unlock()
	for name, content := range todo {
		path := filepath.Join(s.dir, name)
		if writeSynced(path+".new", content) == nil {
			_ = os.Rename(path+".new", path)
		}
	}
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
func writeSynced(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // a name of ours in the data folder
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Sync(), f.Close())
}
