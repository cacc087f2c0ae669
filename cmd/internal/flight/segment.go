package flight

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reversi-board/engine/referee"
)

// Segment is a file that has been read.
type Segment struct {
	Name   string
	Header Header
	// State is the referee's at the beginning.
	State referee.State
	// Records follow, in the order in which they happened.
	Records []Record
	// Torn says where and how the file ends in the middle, nil if it does not.
	// What stands before is sound.
	Torn error
}

// ReadSegment reads a file. It is an error if the beginning cannot be read; a tear
// behind it is told by the segment.
func ReadSegment(name string, b []byte) (*Segment, error) {
	rest, err := checkMagic(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list, rest := blocks(rest)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w in its header: nothing can be replayed", name, ErrTorn)
	}
	s := &Segment{Name: name}
	if err := json.Unmarshal(list[0], &s.Header); err != nil {
		return nil, fmt.Errorf("%s: %w: its header: %w", name, ErrNoRecording, err)
	}
	if err := s.Header.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	stream, err := unpress(list[1:])
	if err != nil {
		s.Torn = err
	}
	if err := s.readCheckpoint(&stream); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.readRecords(stream); err != nil {
		s.Torn = err
	}
	if s.Torn == nil && len(rest) > 0 {
		s.Torn = fmt.Errorf("the last %d bytes of the file are not whole", len(rest))
	}
	if s.Torn != nil {
		s.Torn = fmt.Errorf("%w after record %d: %w", ErrTorn, len(s.Records), s.Torn)
	}
	return s, nil
}

// checkMagic returns what follows the first line.
func checkMagic(b []byte) (rest []byte, err error) {
	line, rest, found := bytes.Cut(b[:min(len(b), len(magic)+16)], []byte("\n"))
	version, ok := strings.CutPrefix(string(line), magic)
	switch {
	case !ok && strings.HasPrefix(magic, string(line)):
		return nil, fmt.Errorf("%w in its first line: nothing can be replayed", ErrTorn)
	case !ok:
		return nil, ErrNoRecording
	case !found:
		return nil, fmt.Errorf("%w in its first line: nothing can be replayed", ErrTorn)
	case version != strconv.Itoa(Format):
		return nil, fmt.Errorf("%w: it has format %.16q, this program reads %d", ErrVersion, version, Format)
	}
	return b[len(b[:min(len(b), len(magic)+16)])-len(rest):], nil
}

// nextRecord cuts the first record off.
func nextRecord(stream *[]byte) ([]byte, error) {
	n, size := binary.Uvarint(*stream)
	if size <= 0 || n == 0 || n > maxRecord || n > uint64(len(*stream)-size) {
		return nil, errors.New("a record is cut")
	}
	r := (*stream)[size : size+int(n)]
	*stream = (*stream)[size+int(n):]
	return r, nil
}

func (s *Segment) readCheckpoint(stream *[]byte) error {
	r, err := nextRecord(stream)
	if err != nil || kind(r[0]) != checkpointKind {
		return fmt.Errorf("%w in its checkpoint: nothing can be replayed", ErrTorn)
	}
	s.State, err = referee.RestoreSnapshot(r[1:])
	return err
}

func (s *Segment) readRecords(stream []byte) error {
	var frame Frame
	if s.Header.Frame != nil {
		frame = *s.Header.Frame
	}
	for len(stream) > 0 {
		b, err := nextRecord(&stream)
		if err != nil {
			return err
		}
		r, err := readRecord(b, &frame)
		if err != nil {
			return err
		}
		if r.Frame != nil {
			frame = *r.Frame
		}
		s.Records = append(s.Records, r)
	}
	return nil
}
