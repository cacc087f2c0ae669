package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// errEnough ends a reading that has delivered all it was asked for.
var errEnough = errors.New("enough")

// Read yields the records from number from on, oldest first, at most limit of
// them (all of them if limit is 0). It begins with the first one that is still there,
// and leaves out gaps: look at the numbers. A payload belongs to the receiver.
// An error of yield ends the reading and is returned. It sees what was durable
// when it began, and may run beside Append.
func (j *Journal) Read(from uint64, limit int, yield func(seq uint64, payload []byte) error) error {
	segs, _ := j.snapshot()
	return j.readAll(segs, from, limit, yield)
}

// Replay yields all records that can be read, oldest first. Some may be missing
// between them: whoever folds them into a state looks at their numbers.
func (j *Journal) Replay(yield func(seq uint64, payload []byte) error) error {
	return j.Read(0, 0, yield)
}

// FindLast returns the number of the last record that match accepts; ok is false
// when there is none. It reads backwards file by file, so the last game is found
// without reading the whole journal. A payload
// is valid until match returns.
func (j *Journal) FindLast(match func(payload []byte) bool) (seq uint64, ok bool, err error) {
	segs, _ := j.snapshot()
	for i := range slices.Backward(segs) {
		err := j.readAll(segs[i:i+1], 0, 0, func(n uint64, payload []byte) error {
			if match(payload) {
				seq, ok = n, true
			}
			return nil
		})
		if err != nil || ok {
			return seq, ok, err
		}
	}
	return 0, false, nil
}

// readAll reads file after file.
func (j *Journal) readAll(segs []segment, from uint64, limit int, yield func(seq uint64, payload []byte) error) error {
	left := limit
	for _, s := range segs {
		if s.end() <= from {
			continue
		}
		err := j.readSegment(s, from, func(seq uint64, payload []byte) error {
			if err := yield(seq, payload); err != nil {
				return err
			}
			if left--; left == 0 {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSegment reads one file from the mark before from on.
func (j *Journal) readSegment(s segment, from uint64, yield func(seq uint64, payload []byte) error) error {
	f, err := j.readers.take(j.dir, s.name())
	if errors.Is(err, fs.ErrNotExist) && j.deleted(s) {
		return nil
	}
	if err != nil {
		return explain("read", j.dir.path, err)
	}
	mark := uint64(0)
	if from > s.first {
		mark = (from - s.first) / stride
	}
	r := reader{seq: s.first + mark*stride, end: s.end()}
	offset := s.marks[mark]
	r.in = bufio.NewReaderSize(io.NewSectionReader(f, offset, s.size-offset), 32<<10)
	err = r.run(from, yield)
	return errors.Join(err, j.readers.give(f, err != nil && !errors.Is(err, errEnough)))
}

// deleted reports whether a file is gone because nobody needed it any more.
func (j *Journal) deleted(s segment) bool {
	segs, _ := j.snapshot()
	return len(segs) == 0 || segs[0].first > s.first
}

// reader walks over the records of a file.
type reader struct {
	in       *bufio.Reader
	seq, end uint64
}

// run yields the records from number from on.
func (r *reader) run(from uint64, yield func(seq uint64, payload []byte) error) error {
	for ; r.seq < r.end; r.seq++ {
		payload, err := r.record(r.seq < from)
		if err != nil {
			return fmt.Errorf("read record %d: %w", r.seq, err)
		}
		if r.seq < from {
			continue
		}
		if err := yield(r.seq, payload); err != nil {
			return err
		}
	}
	return nil
}

// record reads the next record; one that is only passed over is not returned.
func (r *reader) record(pass bool) ([]byte, error) {
	var b [headLen]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return nil, unreadable(err)
	}
	n, sum, ok := head(b[:])
	if !ok {
		return nil, ErrDamaged
	}
	if pass {
		_, err := r.in.Discard(n)
		return nil, unreadable(err)
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(r.in, payload); err != nil {
		return nil, unreadable(err)
	}
	if checksum(payload) != sum {
		return nil, ErrDamaged
	}
	return payload, nil
}

// unreadable says of a file that ends too early that it is damaged.
func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrDamaged
	}
	return err
}
