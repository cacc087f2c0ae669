package mqtt

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"reversi-board/engine/plaintext"
)

// FuzzCommandPayload checks that what is accepted keeps the limits of the
// contract, as judged by encoding/json and regular expressions.
func FuzzCommandPayload(f *testing.F) {
	for _, s := range []string{
		`{"id":"1"}`, `{"id":"1","from":"desk-1","args":{"plies":2},"if_seq":4,"ts":"2024-05-01T12:00:00.000Z","ttl_ms":5}`,
		`{"id":"a","args":{"players":{"black":"Ann"}}}`, `{"id":"\u0000"}`, `[[[[[[[[[[]]]]]]]]]]`, `{"id":"1","id":"2"}`, `{"from":"x"}`, ``,
		`{"id":"1","args":{"from":1,"to":500}}`, `{"id":"1","args": {} }`, `{"id":"\ud800"}`, `{"id":"a\u001b[2J"}`, `{"id":"\u202e"}`,
		`{"id":"1","args":{"raw":true,"seconds":600}}`, `{"id":"1","args":{"raw":null,"seconds":-1}}`,
	} {
		f.Add([]byte(s))
	}
	name := regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?)?$`)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePayload(b)
		if !name.MatchString(p.from) {
			t.Fatalf("%q: from %q", b, p.from)
		}
		if err == nil {
			checkAccepted(t, b, p)
			checkArguments(t, p.args)
		}
	})
}

func checkAccepted(t *testing.T, b []byte, p payload) {
	t.Helper()
	var m map[string]any
	if json.Unmarshal(b, &m) != nil || len(b) > 8192 || !utf8.Valid(b) {
		t.Fatalf("accepted %q", b)
	}
	if m["id"] != p.id || p.id == "" || utf8.RuneCountInString(p.id) > 64 || strings.ContainsFunc(p.id, plaintext.Hidden) {
		t.Fatalf("%q: id %q", b, p.id)
	}
	if depth(m) > 8 {
		t.Fatalf("%q is nested %d deep", b, depth(m))
	}
}

func checkArguments(t *testing.T, args json.RawMessage) {
	t.Helper()
	undo := Request{Name: "undo", RawArgs: args}
	if err := decodeArgs(&undo); err == nil && (undo.Undo.Plies < 1 || undo.Undo.Plies > 64) {
		t.Fatalf("%q: %+v", args, undo.Undo)
	}
	replay := Request{Name: "replay", RawArgs: args}
	if a := &replay.Replay; decodeArgs(&replay) == nil && (a.From < 1 || a.To < a.From || a.To-a.From > 499) {
		t.Fatalf("%q: %+v", args, *a)
	}
	diag := Request{Name: "diag", RawArgs: args}
	if d := &diag.Diag; decodeArgs(&diag) == nil && (d.For < 0 || d.For > 10*time.Minute || d.Raw && !d.Set) {
		t.Fatalf("%q: %+v", args, *d)
	}
	named := Request{Name: "new", RawArgs: args}
	if a := &named.New; decodeArgs(&named) == nil && max(utf8.RuneCountInString(a.Black.String()), utf8.RuneCountInString(a.White.String())) > 64 {
		t.Fatalf("%q: %+v", args, *a)
	}
}

func depth(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			n = max(n, depth(x))
		}
	case []any:
		for _, x := range v {
			n = max(n, depth(x))
		}
	default:
		return 0
	}
	return n + 1
}

// FuzzCommandTopic compares the topic parser with regular expressions.
func FuzzCommandTopic(f *testing.F) {
	for _, s := range []string{"reversi/v1/rv-b07/cmd/arbiter/new", "reversi/v1/_all/cmd/ops/identify", "reversi/v1/rv-b07/cmd/ops/", "a"} {
		f.Add(s)
	}
	own := regexp.MustCompile(`\Areversi/v1/rv-b07/cmd/(arbiter|player|ops|ha|hub)/([a-z_]{1,32})\z`)
	all := regexp.MustCompile(`\Areversi/v1/_all/cmd/(ops)/([a-z_]{1,32})\z`)
	f.Fuzz(func(t *testing.T, topic string) {
		o, ok := parseOrder(board, topic)
		m := own.FindStringSubmatch(topic)
		if m == nil {
			m = all.FindStringSubmatch(topic)
		}
		if ok != (m != nil) {
			t.Fatalf("%q: %t", topic, ok)
		}
		if ok && (string(o.role) != m[1] || o.name != m[2] || o.all != all.MatchString(topic)) {
			t.Fatalf("%q: %+v", topic, o)
		}
	})
}

// FuzzMarkReplay checks that nothing but the member "replay" changes.
func FuzzMarkReplay(f *testing.F) {
	for _, s := range []string{
		`{"seq":1,"replay":false}`, `{"data":{"replay":false},"replay":false,"x":1}`, `{"text":"\"replay\":false"}`, `{}`, ` { } `,
		`{"replay" : null , "a":[{}]}`, `[]`, `{"a":1} x`, `{"a":1`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want map[string]any
		if json.Unmarshal(b, &want) != nil || want == nil || strings.Count(string(b), "replay") > 2 {
			_, _ = markReplay(b)
			return
		}
		out, err := markReplay(b)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		var got map[string]any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%q became %q: %v", b, out, err)
		}
		if got["replay"] != true && bytes.Count(b, []byte(`replay`)) < 2 {
			t.Fatalf("%q became %q", b, out)
		}
		delete(want, "replay")
		delete(got, "replay")
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q", b, out)
		}
	})
}

// script is a connection whose peer has sent data and gone.
type script struct {
	net.Conn
	io.Reader
}

// Read implements io.Reader.
func (s script) Read(p []byte) (int, error) { return s.Reader.Read(p) }

// SetWriteDeadline implements net.Conn.
func (script) SetWriteDeadline(time.Time) error { return nil }

// FuzzBrokerPackets feeds the reader what a broken broker could send. Whatever
// comes through is a sequence of whole packets that the library survives.
func FuzzBrokerPackets(f *testing.F) {
	connack := []byte{0x20, 2, 0, 0}
	f.Add(connack)
	f.Add(append(bytes.Clone(connack), 0x90, 6, 0, 1, 1, 1, 1, 1))
	f.Add(append(bytes.Clone(connack), publishFrame("a/b", "payload", true)...))
	f.Add(append(bytes.Clone(connack), 0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 'a'))
	f.Add([]byte{0x40, 2, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWire(script{Reader: bytes.NewReader(data)}, time.Second)
		w.filters.Store(4)
		out, _ := io.ReadAll(w)
		for i := 0; len(out) > 0; i++ {
			kind, n, used := out[0]>>4, 0, 1
			for shift := 0; ; shift += 7 {
				n |= int(out[used]&0x7F) << shift
				used++
				if out[used-1]&0x80 == 0 {
					break
				}
			}
			if len(out) < used+n || n > maxBody || (i == 0) != (kind == tConnack) {
				t.Fatalf("packet %d of kind %d with %d bytes let through", i, kind, n)
			}
			if kind == tSuback && n != 6 {
				t.Fatalf("SUBACK with %d bytes let through", n)
			}
			out = out[used+n:]
		}
	})
}
