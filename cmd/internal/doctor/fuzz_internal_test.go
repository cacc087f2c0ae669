package doctor

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"reversi-board/engine"
)

// Whatever is typed, it is one of the answers; only squares name squares, and what
// names some is taken for exactly those.
func FuzzReply(f *testing.F) {
	for _, line := range []string{"", "y", "n", "s", "q", "b3 c4", "b3,c4", "h8", "h9", "b3 n", "none", " ", "A1"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := parseReply(line)
		if (r.Said == These) != (r.Squares != 0) || r.Said > Enough {
			t.Errorf("%q: %+v", line, r)
		}
		if r.Said != These {
			return
		}
		for s := range r.Squares.All() {
			if !strings.Contains(strings.ToLower(line), s.String()) {
				t.Errorf("%q: %v", line, s)
			}
		}
		if again, err := engine.ParseSquares(r.Squares.String()); err != nil || again != r.Squares {
			t.Errorf("%q: %v, %v", line, again, err)
		}
	})
}

// What a broker sends is bounded, and what is read of it is what was there.
func FuzzPacket(f *testing.F) {
	for _, packet := range []string{
		"\x20\x02\x00\x00", "\x90\x06\x00\x01\x00\x00\x00\x00", "\x30\x05\x00\x01aok", "\x20\xFF\xFF\xFF\x7F", "\x20", "",
		"\x31\x04\x00\xFFa", "\x30\x80\x80\x01x", "HTTP/1.1 200 OK\r\n",
	} {
		f.Add([]byte(packet))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		kind, body, err := readPacket(bufio.NewReader(bytes.NewReader(sent)))
		if err != nil {
			return
		}
		if kind != sent[0] || len(body) > maxPacket || !bytes.Contains(sent, body) {
			t.Fatalf("% x: %x, %d bytes", sent, kind, len(body))
		}
		topic, payload, ok := message(kind, body)
		if ok && len(topic)+len(payload)+2 != len(body) {
			t.Errorf("% x: %q, %q", sent, topic, payload)
		}
	})
}
