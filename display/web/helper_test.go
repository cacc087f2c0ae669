package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"reversi-board/engine"
)

func square(t *testing.T, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain returns a server without hands that accepts every command.
func plain(t *testing.T, change func(o *Options)) *Server {
	t.Helper()
	o := Options{
		Board: "rv-test", Name: "Test board",
		Command: func(context.Context, Command) Response { return Response{Status: "ok", Seq: 7} },
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends one request to h as the page would.
func ask(h http.Handler, method, path, body string, change func(r *http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Host = "localhost:8080"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// answerOf reads the body of an answer to a POST.
func answerOf(t *testing.T, w *httptest.ResponseRecorder) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		t.Fatalf("the answer is not JSON: %v in %q", err, w.Body)
	}
	return r
}

// wire is a listener in memory: its connections have no buffers, so a reader
// that does not read is noticed at once, and time in a synctest bubble moves on
// while everybody waits.
type wire struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newWire() *wire { return &wire{conns: make(chan net.Conn), done: make(chan struct{})} }

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire", Net: "memory"} }

// got is one SSE message as a reader sees it.
type got struct {
	kind, id, data string
	comment        string
}

// ear is one open stream.
type ear struct {
	t *testing.T
	// last is the id that was read last.
	last string
	conn net.Conn
	r    *bufio.Reader
}

// dial opens a stream over w; lastID may be empty.
func dial(t *testing.T, w *wire, lastID string) *ear {
	t.Helper()
	return dialTo(t, w, "/api/v1/stream", lastID)
}

// dialTo opens the stream of a path.
func dialTo(t *testing.T, w *wire, path, lastID string) *ear {
	t.Helper()
	return dialWith(t, w, path, "", lastID)
}

// dialWith opens the stream of a path with lines of headers, each with its end.
func dialWith(t *testing.T, w *wire, path, headers, lastID string) *ear {
	t.Helper()
	near, far := net.Pipe()
	select {
	case w.conns <- far:
	case <-w.done:
		t.Fatal("the server is closed")
	}
	request := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers
	if lastID != "" {
		request += "Last-Event-ID: " + lastID + "\r\n"
	}
	if _, err := io.WriteString(near, request+"\r\n"); err != nil {
		t.Fatal(err)
	}
	l := &ear{t: t, conn: near, r: bufio.NewReader(near)}
	res, err := http.ReadResponse(l.r, nil) //nolint:bodyclose // a stream ends with its connection
	if err != nil {
		t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("status %d, %s", res.StatusCode, kind)
	}
	l.r = bufio.NewReader(res.Body)
	return l
}

func (l *ear) close() { _ = l.conn.Close() }

// next reads one message or comment; err is how the stream ended.
func (l *ear) next() (m got, err error) {
	for {
		text, err := l.r.ReadString('\n')
		if err != nil {
			return m, err
		}
		text = strings.TrimSuffix(text, "\n")
		field, value, _ := strings.Cut(text, ": ")
		switch {
		case text == "" && m != (got{}):
			return m, nil
		case text == "":
		case field == "":
			m.comment = value
		case field == "event":
			m.kind = value
		case field == "id":
			m.id, l.last = value, value
		case field == "data":
			m.data = value
		}
	}
}

// want reads messages until one of the given kind.
func (l *ear) want(kind string) got {
	l.t.Helper()
	for {
		m, err := l.next()
		if err != nil {
			l.t.Fatalf("the stream ended before a %s: %v", kind, err)
		}
		if m.kind == kind {
			return m
		}
	}
}

// drain reads until the stream ends.
func (l *ear) drain() (all []got) {
	for {
		m, err := l.next()
		if err != nil {
			return all
		}
		all = append(all, m)
	}
}

// fact is the smallest event that has a sequence number.
func fact(t *testing.T, seq uint64) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{"v": 1, "seq": seq, "type": "pass"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func seqOf(t *testing.T, m got) uint64 {
	t.Helper()
	var e struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal([]byte(m.data), &e); err != nil {
		t.Fatalf("%v in %q", err, m.data)
	}
	return e.Seq
}

// proxies reads addresses.
func proxies(t *testing.T, texts ...string) (list []netip.Addr) {
	t.Helper()
	for _, text := range texts {
		at, err := netip.ParseAddr(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, at)
	}
	return list
}
