package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrMoved says that the open files are not those of the data folder any more: it was
// removed, renamed, or another disk is mounted there.
var ErrMoved = errors.New("the data folder was removed or replaced while the program was running")

// maxTail bounds the newest records that are kept in memory, in bytes: a game with all
// its events is far below it.
const maxTail = 1 << 20

// tail are the newest records, to be written again when the folder is gone.
type tail struct {
	records []Record
	size    int
}

// add takes a record that will not be changed.
func (t *tail) add(seq uint64, payload []byte) {
	t.records = append(t.records, Record{Seq: seq, Payload: payload})
	t.size += len(payload)
	for t.size > maxTail && len(t.records) > 1 {
		t.size -= len(t.records[0].Payload)
		t.records[0] = Record{}
		t.records = t.records[1:]
	}
}

// named is a file that knows whether it is still found under its name. What a test
// writes to need not be one.
type named interface {
	// Named returns nil if it is.
	Named() error
}

// Check asks whether what is written still goes into the data folder, and if not makes
// folder and journal anew with the records that are in memory; the error says why that
// is not possible. It returns ErrMoved when it has done so: what was in the folder
// before is lost, see Holes. It does not wait for an Append.
func (j *Journal) Check() error {
	if !j.writing.TryLock() {
		return nil
	}
	defer j.writing.Unlock()
	if j.closed {
		return nil
	}
	return j.check()
}

func (j *Journal) check() error {
	lost := j.away()
	if lost == nil {
		return nil
	}
	if err := j.renew(); err != nil {
		return explain("write", j.dir.path, errors.Join(lost, err))
	}
	return lost
}

// away returns why the open files are not those of the folder, nil if they are.
func (j *Journal) away() error {
	if there, err := os.Stat(j.dir.path); err != nil || !os.SameFile(there, j.home) {
		return ErrMoved
	}
	if f, ok := j.file.(named); ok && f.Named() != nil {
		return ErrMoved
	}
	if j.file != nil || j.cur.count == 0 {
		return nil
	}
	f, err := j.dir.open(j.cur.name(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMoved
	}
	if err == nil {
		_ = f.Close()
	}
	return nil
}

// renew makes the journal anew in the folder: with what lies there, if that is an older
// state of it, and with the records that are in memory.
func (j *Journal) renew() error {
	n := &Journal{o: j.o, dir: j.dir}
	if err := n.o.FS.MkdirAll(n.o.Dir, dirPerm); err != nil {
		return err
	}
	// The lock on the folder as it was keeps nobody out any more.
	if err := n.settle(j); err != nil {
		if n.lock != nil && n.lock != j.lock {
			err = errors.Join(err, n.lock.Close())
		}
		return err
	}
	j.shut()
	if n.lock != j.lock {
		_ = j.lock.Close()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lock, j.home, j.file, j.cur, j.leftover, j.unsaved = n.lock, n.home, n.file, n.cur, n.leftover, n.unsaved
	j.segs, j.meta, j.holes = n.segs, n.meta, n.holes
	j.ack.mu.Lock()
	defer j.ack.mu.Unlock()
	j.ack.stored = 0
	return nil
}

// settle takes the folder and writes what old has in memory.
func (j *Journal) settle(old *Journal) error {
	var err error
	if j.home, err = os.Stat(j.dir.path); err != nil {
		return err
	}
	if j.lock = old.lock; !os.SameFile(j.home, old.home) {
		if j.lock, err = lock(j.dir.path); err != nil {
			return err
		}
	}
	another := fmt.Errorf("another journal is in %s: move it away", j.dir.path)
	var there meta
	if j.dir.readSmall(metaName, &there) && there.JID != old.meta.JID {
		return another
	}
	r, err := j.load()
	if err != nil {
		return err
	}
	if !r.New && j.meta.JID != old.meta.JID || j.next > old.next {
		return another
	}
	j.meta.JID, j.meta.Boot, j.unsaved = old.meta.JID, old.meta.Boot, true
	for _, record := range old.tail.records {
		if record.Seq < j.next {
			continue
		}
		j.leave(record.Seq)
		if err := j.append(record.Seq, record.Payload); err != nil {
			return err
		}
	}
	j.leave(old.next)
	j.holes = nil
	for i, s := range j.segs {
		from := uint64(1)
		if i > 0 {
			from = j.segs[i-1].end()
		}
		if from < s.first {
			j.holes = append(j.holes, Hole{From: from, To: s.first - 1})
		}
	}
	return nil
}

// Holes returns the records that are missing and that the user is to be told of.
func (j *Journal) Holes() []Hole {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.holes
}
