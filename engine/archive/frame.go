package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
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
	count uint64
	// size is the end of the last correct record, rest the bytes behind it.
	size, rest int64
	// marks are the offsets of the records 0, stride, 2*stride …
	marks []int64
	// last is the payload of the last correct record.
	last []byte
	end  verdict
}

// scan reads the records of a file.
func scan(data []byte) scanned {
	var s scanned
	for {
		payload := payloadOf(data[s.size:])
		if payload == nil {
			break
		}
		if s.count%stride == 0 {
			s.marks = append(s.marks, s.size)
		}
		s.last = payload
		s.size += int64(headLen + len(payload))
		s.count++
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
