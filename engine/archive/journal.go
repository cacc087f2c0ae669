package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// What the journal refuses.
var (
	// ErrInUse: another program holds the folder.
	ErrInUse = errors.New("another program is using the folder")
	// ErrOrder: the number is not the one after the last.
	ErrOrder = errors.New("wrong sequence number")
	// ErrPayload: the payload is too long or no JSON object.
	ErrPayload = errors.New("wrong payload")
	// ErrClosed: the journal has been closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrBusy: somebody is appending.
	ErrBusy = errors.New("a record is still being written")
	// ErrDamaged: a record was correct when the journal was opened and cannot
	// be read any more. The records behind it may still be.
	ErrDamaged = errors.New("a record of the journal has become unreadable")
)

// Options say where and how the journal is kept. Only Dir is required.
type Options struct {
	// Dir is the folder; it is made if it is missing.
	Dir string
	// FS replaces the operating system in tests of its failures.
	FS FS
	// MaxFile is the size in bytes at which a new file begins, 4 MB by default.
	MaxFile int64
	// KeepBytes and KeepDays say what is never deleted: 64 MB and 30 days by
	// default.
	KeepBytes int64
	KeepDays  int
}

// Journal is an open journal. Its methods may be called from any goroutine;
// readers never wait for a writer that waits for the disk.
type Journal struct {
	o    Options
	dir  folder
	lock io.Closer
	// home is the folder when it was opened.
	home os.FileInfo

	readers handles

	// mu guards what readers see.
	mu sync.RWMutex
	// jid, boot and joins are in meta.
	meta meta
	// segs are the records, oldest first: one segment for each file that has any,
	// several where it is damaged in between.
	segs []segment
	// next is the number of the next record.
	next uint64
	// holes are what the user is to be told of.
	holes []Hole

	// writing is held by whoever writes; it guards the rest.
	writing sync.Mutex
	// file is the open end of cur, nil when it has to be opened (again).
	file File
	// cur is the file that is written; it has no record yet when it is new.
	cur segment
	// leftover says that there may be bytes behind the last record of cur.
	leftover bool
	// unsaved says that meta must be stored before anything else is.
	unsaved bool
	closed  bool
	// tail are the newest records.
	tail tail

	ack acked
}

// segment is a file, or a part of one between damaged places.
type segment struct {
	// file is the number in the file's name, first that of the first record.
	file, first, count uint64
	// size is the end of the last record in the file.
	size int64
	// marks are the offsets of the records 0, stride, 2*stride ….
	marks []int64
}

// add adds a record that begins at an offset.
func (s *segment) add(at, length int64) {
	if s.count%stride == 0 {
		s.marks = append(s.marks, at)
	}
	s.count++
	s.size = at + length
}

// end returns the number after the last record.
func (s *segment) end() uint64 { return s.first + s.count }

func (s *segment) name() string { return fileName(s.file) }

// fileName returns the name of the file that begins with a number.
func fileName(first uint64) string { return fmt.Sprintf("journal-%020d.log", first) }

// JID returns the name of the journal, a ULID. It changes only when the journal
// begins anew with number 1.
func (j *Journal) JID() string {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.meta.JID
}

// Boot returns how many programs have opened the journal, this one included.
func (j *Journal) Boot() int {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.meta.Boot
}

// LastSeq returns the last number that has been used: that of the last durable
// record, or of a damaged one that may have been announced. The next record is
// LastSeq+1.
func (j *Journal) LastSeq() uint64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.next - 1
}

// FirstSeq returns the lowest number from which on every record up to LastSeq
// can be read; LastSeq+1 when there is none.
func (j *Journal) FirstSeq() uint64 {
	segs, next := j.snapshot()
	for _, s := range slices.Backward(segs) {
		if s.end() != next {
			break
		}
		next = s.first
	}
	return next
}

// snapshot returns the files and the next number at one moment.
func (j *Journal) snapshot() ([]segment, uint64) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return slices.Clone(j.segs), j.next
}

// Append stores a record and returns when it is durable. After an error nothing
// is claimed, and the same number is to be used again; errors that wrap
// ErrOrder, ErrPayload or ErrClosed will not go away by themselves.
func (j *Journal) Append(seq uint64, payload []byte) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.closed {
		return fmt.Errorf("append record %d: %w", seq, ErrClosed)
	}
	if seq != j.next {
		return fmt.Errorf("append record %d: %w, want %d", seq, ErrOrder, j.next)
	}
	if err := checkPayload(payload); err != nil {
		return fmt.Errorf("append record %d: %w", seq, err)
	}
	if err := j.check(); err != nil {
		return err
	}
	return j.append(seq, payload)
}

// append stores a record that can be stored.
func (j *Journal) append(seq uint64, payload []byte) error {
	if err := j.saveMeta(); err != nil {
		return explain("write", j.dir.path, err)
	}
	record := frame(payload)
	if j.cur.count > 0 && (j.cur.size+int64(len(record)) > j.o.MaxFile || j.cur.end() != seq) {
		if err := j.begin(seq); err != nil {
			j.rollBack()
			return explain("write", j.dir.path, err)
		}
	}
	if err := j.write(record); err != nil {
		j.rollBack()
		return explain("write", j.dir.path, err)
	}
	j.tail.add(seq, record[headLen:])
	j.commit(int64(len(record)))
	if j.cur.count == 1 {
		j.retain()
	}
	return nil
}

// begin turns to a new file, which write makes. The old one must end with its
// last record, and for good: its leftovers could be a record of the same number.
func (j *Journal) begin(first uint64) error {
	if j.leftover {
		if err := j.reopen(); err != nil {
			return err
		}
		if err := j.file.Sync(); err != nil {
			return err
		}
	}
	j.shut()
	j.cur, j.leftover = segment{file: first, first: first}, false
	return nil
}

// shut closes the current file. Everything in it that counts has been synced, so
// an error of Close says nothing.
func (j *Journal) shut() {
	if j.file != nil {
		_ = j.file.Close()
		j.file = nil
	}
}

// write brings a record to the disk.
func (j *Journal) write(record []byte) error {
	if err := j.reopen(); err != nil {
		return err
	}
	if err := writeAt(j.file, record, j.cur.size); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	if j.cur.count == 0 {
		return j.dir.sync()
	}
	return nil
}

// reopen opens the current file, if it is not open, and cuts off what an
// earlier failure, or an earlier program, has left behind the last record.
func (j *Journal) reopen() error {
	if j.file != nil {
		return nil
	}
	flag := os.O_RDWR
	if j.cur.count == 0 {
		flag |= os.O_CREATE
	}
	f, err := j.dir.open(j.cur.name(), flag)
	if err != nil {
		return err
	}
	if err := f.Truncate(j.cur.size); err != nil {
		return errors.Join(err, f.Close())
	}
	j.file = f
	return nil
}

// rollBack takes back what a failed write may have left. If that fails as well,
// it is done by the next reopen, or by the next program.
func (j *Journal) rollBack() {
	j.leftover = true
	if j.file != nil {
		_ = j.file.Truncate(j.cur.size)
	}
	j.shut()
}

// commit shows a durable record to readers.
func (j *Journal) commit(length int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cur.add(j.cur.size, length)
	j.leftover = false
	j.next++
	if j.cur.count == 1 {
		j.segs = append(j.segs, j.cur)
	} else {
		j.segs[len(j.segs)-1] = j.cur
	}
}

// skip leaves out the numbers up to seq, because their events are lost.
func (j *Journal) skip(seq uint64) {
	j.writing.Lock()
	defer j.writing.Unlock()
	if !j.closed {
		j.leave(seq)
	}
}

// leave goes on with a number.
func (j *Journal) leave(seq uint64) {
	if seq <= j.next {
		return
	}
	if j.cur.count == 0 {
		j.shut()
		j.cur.file, j.cur.first = seq, seq
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = seq
}

// Close stores the acknowledged number and gives the folder free. Records need
// no closing: they are durable. It does not wait for an Append that hangs: then
// it returns ErrBusy, and the end of the program gives the folder free.
func (j *Journal) Close() error {
	if !j.writing.TryLock() {
		return fmt.Errorf("close the journal in %s: %w", j.dir.path, ErrBusy)
	}
	defer j.writing.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	j.shut()
	err := errors.Join(j.saveAcked(0), j.readers.close())
	if err != nil {
		err = explain("close", j.dir.path, err)
	}
	return errors.Join(err, j.lock.Close())
}
