package plaintext

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// NewReader returns the text of a file as UTF-8 without a byte order mark, with a
// line feed at the end of each line. Lines may end with CR, LF or both, and text that
// begins with the byte order mark of UTF-16 may be that, in either byte order. Bytes
// that are not UTF-8 stay as they are.
func NewReader(r io.Reader) io.Reader { return &reader{in: bufio.NewReader(r)} }

// reader is a file that is being read.
type reader struct {
	in    *bufio.Reader
	begun bool
	// order is that of UTF-16, nil for UTF-8.
	order binary.ByteOrder
	// left is what did not fit, after whether the last character was a CR.
	left  []byte
	after bool
	err   error
}

// begin looks for a byte order mark.
func (r *reader) begin() {
	r.begun = true
	mark, _ := r.in.Peek(3)
	switch {
	case len(mark) == 3 && string(mark) == "\xef\xbb\xbf":
		_, r.err = r.in.Discard(3)
	case len(mark) >= 2 && string(mark[:2]) == "\xff\xfe":
		r.order = binary.LittleEndian
	case len(mark) >= 2 && string(mark[:2]) == "\xfe\xff":
		r.order = binary.BigEndian
	}
	if r.order != nil {
		_, r.err = r.in.Discard(2)
	}
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (n int, err error) {
	if !r.begun {
		r.begin()
	}
	for n < len(p) {
		if len(r.left) > 0 {
			copied := copy(p[n:], r.left)
			n, r.left = n+copied, r.left[copied:]
			continue
		}
		if r.err != nil || n > 0 && r.in.Buffered() < 4 {
			break
		}
		if r.err = r.next(); r.err != nil {
			break
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, r.err
	}
	return n, nil
}

// next puts the next character into left.
func (r *reader) next() error {
	if r.order == nil {
		c, err := r.in.ReadByte()
		if err != nil {
			return err //nolint:wrapcheck // io.EOF has to stay what it is
		}
		r.put(rune(c), c)
		return nil
	}
	u, err := r.unit()
	if err != nil {
		return err
	}
	c := rune(u)
	if utf16.IsSurrogate(c) {
		second, err := r.in.Peek(2)
		if c = utf8.RuneError; err == nil {
			if c = utf16.DecodeRune(rune(u), rune(r.order.Uint16(second))); c != utf8.RuneError {
				_, _ = r.in.Discard(2)
			}
		}
	}
	r.put(c, utf8.AppendRune(nil, c)...)
	return nil
}

// unit reads two bytes; half a unit at the end is U+FFFD.
func (r *reader) unit() (uint16, error) {
	var two [2]byte
	_, err := io.ReadFull(r.in, two[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return utf8.RuneError, nil
	}
	return r.order.Uint16(two[:]), err //nolint:wrapcheck // io.EOF has to stay what it is
}

// put adds the bytes of a character; every end of a line is a line feed.
func (r *reader) put(c rune, bytes ...byte) {
	before := r.after
	switch r.after = c == '\r'; {
	case c == '\r':
		r.left = append(r.left[:0], '\n')
	case c == '\n' && before:
		r.left = r.left[:0]
	default:
		r.left = append(r.left[:0], bytes...)
	}
}
