package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
)

// MaxRecord is the size in bytes of the longest payload.
const MaxRecord = 64 << 10

const (
	// headLen is length and checksum.
	headLen = 8
	// minFrame is the shortest record: the head and an empty JSON object.
	minFrame = headLen + 2
	// stride is the number of records between two marks of the index.
	stride = 64
	// sector is the smallest unit in which a disk loses data.
	sector = 512
)

// checksum returns the CRC-32C of a payload.
func checksum(payload []byte) uint32 {
	return crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli))
}

// frame returns the record of a payload.
func frame(payload []byte) []byte {
	b := make([]byte, headLen, headLen+len(payload))
	binary.LittleEndian.PutUint32(b, uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[4:], checksum(payload))
	return append(b, payload...)
}

// checkPayload refuses what the reader would not take back. JSON holds no zero
// bytes and no prefix of an object is one itself; unfinished records are known
// by that.
func checkPayload(payload []byte) error {
	if len(payload) > MaxRecord {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrPayload, len(payload), MaxRecord)
	}
	if len(payload) == 0 || payload[0] != '{' || !json.Valid(payload) {
		return fmt.Errorf("%w: not a JSON object", ErrPayload)
	}
	return nil
}

// head reads the head of a record; ok is false when no record has this length.
func head(b []byte) (length int, sum uint32, ok bool) {
	n := binary.LittleEndian.Uint32(b)
	return int(min(n, MaxRecord)), binary.LittleEndian.Uint32(b[4:]), n >= minFrame-headLen && n <= MaxRecord
}

// payloadOf returns the payload of the record at the beginning of b, nil when
// there is no whole and correct one.
func payloadOf(b []byte) []byte {
	if len(b) < headLen {
		return nil
	}
	n, sum, ok := head(b)
	if !ok || len(b) < headLen+n {
		return nil
	}
	payload := b[headLen : headLen+n]
	if checksum(payload) != sum {
		return nil
	}
	return payload
}

// verdict is what the bytes behind the last correct record are.
type verdict uint8

const (
	whole   verdict = iota // there are none
	torn                   // the beginning of a record that was never finished
	damaged                // anything else
)

// scanned is what a file holds.
type scanned struct {
	// runs are the correct records, those that follow each other without damage
	// together.
	runs []segment
	// holes are the damaged places before the end, see end for what is there.
	holes []hole
	// count is the number of records, next the number after the last one.
	count, next uint64
	// size is the end of the last correct record, rest the bytes behind it.
	size, rest int64
	// last is the payload of the last correct record.
	last []byte
	end  verdict
}

// hole is a damaged place between records.
type hole struct {
	// from is the number that the first record in it had, if there was one.
	from uint64
	// at and to are where it begins and ends in its file.
	at, to int64
}

// scan reads the records of a file whose first record has a number.
func scan(data []byte, first uint64) scanned {
	s := scanned{next: first}
	for fresh := true; ; {
		payload := payloadOf(data[s.size:])
		if payload == nil {
			at, seq, ok := resume(data, s.size, s.next)
			if !ok {
				break
			}
			s.holes = append(s.holes, hole{from: s.next, at: s.size, to: at})
			s.size, s.next, fresh = at, seq, true
			continue
		}
		if fresh {
			s.runs = append(s.runs, segment{file: first, first: s.next})
			fresh = false
		}
		s.runs[len(s.runs)-1].add(s.size, int64(headLen+len(payload)))
		s.last = payload
		s.size += int64(headLen + len(payload))
		s.count++
		s.next++
	}
	rest := data[s.size:]
	s.rest = int64(len(rest))
	switch {
	case len(rest) == 0:
		s.end = whole
	case unfinished(rest, s.size):
		s.end = torn
	default:
		s.end = damaged
	}
	return s
}

// Records yields the correct records of a file of the journal whose name has the
// number first, with their numbers; what is damaged between them is left out. The
// payloads are parts of data.
func Records(data []byte, first uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for _, run := range scan(data, first).runs {
			at := run.marks[0]
			for seq := run.first; seq < run.end(); seq++ {
				payload := payloadOf(data[at:])
				if !yield(seq, payload) {
					return
				}
				at += int64(headLen + len(payload))
			}
		}
	}
}

// resume looks behind a damaged place that begins at from for the next correct
// record, which says its number itself: next or a later one. The payload of
// another record cannot be taken for one: the length of a record has a zero byte,
// and JSON has none. That, the brace and the number are looked at before the
// checksum is computed, so that the time it takes grows with the length of data
// alone.
func resume(data []byte, from int64, next uint64) (at int64, seq uint64, ok bool) {
	for at := from + 1; at+minFrame <= int64(len(data)); at++ {
		brace := bytes.IndexByte(data[at+headLen:], '{')
		if brace < 0 {
			break
		}
		at += int64(brace)
		n, _, ok := head(data[at:])
		if end := at + headLen + int64(n); !ok || end > int64(len(data)) || data[end-1] != '}' {
			continue
		}
		seq, ok := numberOf(payloadOf(data[at:]))
		if lost := uint64(at-from) / minFrame; ok && seq >= next && seq-next <= lost {
			return at, seq, true
		}
	}
	return 0, 0, false
}

// numberOf returns the number that a payload says it has.
func numberOf(payload []byte) (seq uint64, ok bool) {
	var e struct {
		Seq *uint64 `json:"seq"`
	}
	if payload == nil || json.Unmarshal(payload, &e) != nil || e.Seq == nil {
		return 0, false
	}
	return *e.Seq, true
}

// unfinished reports whether b, which begins at offset, can be what is left of
// one record whose write did not return.
func unfinished(b []byte, offset int64) bool {
	zeros := len(bytes.Trim(b, "\x00")) == 0
	if zeros || len(b) < headLen {
		return true
	}
	n, _, ok := head(b)
	text := bytes.TrimRight(b[headLen:], "\x00")
	if !ok || len(text) >= n || bytes.IndexByte(text, 0) >= 0 || json.Valid(text) {
		return false
	}
	end := offset + headLen + int64(len(text))
	return len(text) == 0 || headLen+len(text) == len(b) || end%sector == 0
}
