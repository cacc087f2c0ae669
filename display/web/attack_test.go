package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// coming makes a request come from an address.
func coming(from string, more func(*http.Request)) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = from
		if more != nil {
			more(r)
		}
	}
}

// While an address is locked no token from it is looked at, whatever the way in: the
// right one does not get in either. Who is logged in already, everybody elsewhere,
// and a browser from which somebody has logged in before notice nothing.
func TestLockedAddressIsNotListenedTo(t *testing.T) {
	const there = "10.0.0.9:5000"
	s := plain(t, guarded)
	in := ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+forArbiter+`"}`, coming(there, nil)).Result().Cookies()
	if len(in) != 2 {
		t.Fatalf("%d cookies", len(in))
	}
	judged := 0
	for range 3000 {
		if ask(s, http.MethodGet, "/api/v1/state", "", coming(there, bearing("guess-guess"))).Code == http.StatusUnauthorized {
			judged++
		}
	}
	if judged != 5 {
		t.Errorf("%d wrong tokens were judged, want 5", judged)
	}
	login := `{"token":"` + forArbiter + `"}`
	for _, c := range []struct {
		what, method, path, body string
		change                   func(*http.Request)
		want                     int
	}{
		{"the right bearer token", "GET", "/api/v1/state", "", coming(there, bearing(forArbiter)), 429},
		{"the right token in the form", "POST", "/api/v1/login", login, coming(there, nil), 429},
		{"a player's bearer token", "GET", "/api/v1/stream", "", coming(there, bearing(forPlayer)), 429},
		{"an order with it", "POST", "/api/v1/command", `{"name":"new","id":"1"}`, coming(there, bearing(forArbiter)), 429},
		{"somebody who only looks", "GET", "/api/v1/state", "", coming(there, nil), 200},
		{"who is logged in", "POST", "/api/v1/command", `{"name":"new","id":"1"}`, coming(there, with(in[0])), 200},
		{"a browser that is known", "POST", "/api/v1/login", login, coming(there, with(in[1])), 200},
		{"one that says so falsely", "POST", "/api/v1/login", login, coming(there, saying(in[1].Name, "x")), 429},
		{"another address", "POST", "/api/v1/login", login, coming("10.0.0.10:5000", nil), 200},
	} {
		if w := ask(s, c.method, c.path, c.body, c.change); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.what, w.Code, c.want)
		}
	}
}

// Wrong tries of many addresses lock none but these; a proxy says for whom it asks,
// and is believed where it runs on this computer or is named in the settings.
func TestLocksShutOutNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plain(t, func(o *Options) {
			guarded(o)
			o.Proxies = proxies(t, "192.0.2.80")
		})
		try := func(from, forwarded, token string) int { return tries(s, from, forwarded, token) }
		for i := range 500 {
			try(fmt.Sprintf("10.2.%d.%d:1", i/250, i%250), "", "guess-guess")
		}
		if code := try("10.3.0.1:1", "", forArbiter); code != 200 {
			t.Errorf("after 500 addresses with one wrong try each a fresh one gets %d", code)
		}
		for _, proxy := range []string{"127.0.0.1:9", "192.0.2.80:9"} {
			for range 100 { // a wrong try every five seconds
				try(proxy, "203.0.113.5", "guess-guess")
				time.Sleep(5 * time.Second)
			}
			if code := try(proxy, "203.0.113.6", forArbiter); code != 200 {
				t.Errorf("an arbiter behind %s gets %d", proxy, code)
			}
		}
	})
}

// tries sends a token to the form of the login, from an address and through a proxy that says
// for whom it asks, if it says so.
func tries(s *Server, from, forwarded, token string) (status int) {
	return ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+token+`"}`, coming(from, func(r *http.Request) {
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
	})).Code
}

// A lie about where one comes from is no way around a lock.
func TestForwardedAddressesAreNotBelievedFromAnybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plain(t, guarded)
		try := func(from, forwarded, token string) int { return tries(s, from, forwarded, token) }
		// What somebody says who is no proxy is not believed.
		for i := range 6 {
			try("203.0.113.9:9", fmt.Sprintf("198.51.100.%d", i), "guess-guess")
		}
		if code := try("203.0.113.9:9", "198.51.100.99", forArbiter); code != 429 {
			t.Errorf("with a made-up X-Forwarded-For: %d", code)
		}
		// Nor what a visitor of a proxy says: the proxy adds the last address.
		for i := range 6 {
			try("127.0.0.1:9", fmt.Sprintf("198.51.100.%d, 203.0.113.77", i), "guess-guess")
		}
		if code := try("127.0.0.1:9", "198.51.100.98, 203.0.113.77", forArbiter); code != 429 {
			t.Errorf("with a made-up first address: %d", code)
		}
	})
}

// A locked address stays locked however many others try, and a right one that is new
// gets in.
func TestLockedAddressIsNotForgotten(t *testing.T) {
	s := plain(t, guarded)
	try := func(from, token string) int {
		return ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+token+`"}`, coming(from, nil)).Code
	}
	for range 6 {
		try("10.0.0.9:1", "guess-guess")
	}
	for i := range 2000 {
		try(fmt.Sprintf("10.4.%d.%d:1", i/250, i%250), "guess-guess")
	}
	if code := try("10.0.0.9:1", forArbiter); code != 429 {
		t.Errorf("the locked address gets %d after 2000 others", code)
	}
	if code := try("10.5.0.1:1", forArbiter); code != 200 {
		t.Errorf("a fresh address gets %d", code)
	}
}

// Guests who have taken every stream that there is for them leave those who are
// logged in theirs: on the page of the game and on that of a tournament.
func TestGuestsLeaveTheLoggedInTheirStreams(t *testing.T) {
	v := visitor{role: Arbiter, session: &session{}}
	var view sight
	for range 512 {
		if view.enter(visitor{role: Viewer}, 512) == nil {
			t.Fatal("there is no room for a guest")
		}
	}
	if view.enter(visitor{role: Viewer}, 512) != nil {
		t.Error("there is room for ever")
	}
	leave := view.enter(v, 512)
	if leave == nil {
		t.Fatal("guests have taken the arbiter's place")
	}
	leave()
	for range maxOfSession {
		if view.enter(v, 512) == nil {
			t.Fatal("a place is not given back")
		}
	}
	if view.enter(v, 512) != nil {
		t.Error("there is room for ever for who is logged in")
	}
	// Nor has one arbiter, or a player with however many streams, taken another's.
	other := visitor{role: Arbiter, session: &session{}}
	for range 1000 {
		view.enter(visitor{role: Player, session: &session{}}, 512)
		view.enter(visitor{role: Player, name: bearer}, 512)
	}
	for name, who := range map[string]visitor{"another arbiter": other, "an arbiter's token": {role: Arbiter, name: bearer}} {
		if view.enter(who, 512) == nil {
			t.Errorf("players and an arbiter have taken the place of %s", name)
		}
	}
	// On the wire: two guests at most, and then an arbiter.
	bubble(t, func(o *Options) { guarded(o); o.MaxStreams = 2 }, func(t *testing.T, s *Server, w *wire) {
		arbiter := entered(t, s, forArbiter, "", "")
		for range 2 {
			l := dial(t, w, "")
			defer l.close()
			l.want("snapshot")
		}
		if r := ask(s, http.MethodGet, "/api/v1/stream", "", nil); r.Code != http.StatusServiceUnavailable {
			t.Errorf("a third guest gets %d", r.Code)
		}
		l := connect(t, w)
		defer func() { _ = l.Close() }() // before the server ends
		go func() {
			_, _ = fmt.Fprintf(l, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nCookie: %s=%s\r\n\r\n", arbiter.Name, arbiter.Value)
		}()
		if status, err := bufio.NewReader(l).ReadString('\n'); err != nil || !strings.Contains(status, " 200 ") {
			t.Errorf("the arbiter gets %q, %v", status, err)
		}
	})
}

// What players ask for costs an arbiter no order, and two players none of each
// other's.
func TestOrdersAreCountedBySession(t *testing.T) {
	s := plain(t, guarded)
	arbiter, black, white := entered(t, s, forArbiter, "", ""), entered(t, s, forPlayer, "", "black"), entered(t, s, forPlayer, "", "white")
	limited := 0
	for range 500 {
		if ask(s, http.MethodPost, "/api/v1/command", `{"name":"agree","id":"1"}`, with(black)).Code == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited < 400 {
		t.Errorf("only %d of 500 orders of one player were refused", limited)
	}
	for range 10 {
		for who, c := range map[string]*http.Cookie{"the arbiter": arbiter, "the other player": white} {
			name := "agree"
			if c == arbiter {
				name = "pause"
			}
			if w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"`+name+`","id":"1"}`, with(c)); w.Code != http.StatusOK {
				t.Fatalf("%s gets %d", who, w.Code)
			}
		}
	}
}

// connect opens a connection to a server on a wire.
func connect(t *testing.T, w *wire) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	w.conns <- theirs
	return ours
}

// A request that does not come whole ends after a time: refused or not, with a body or
// without.
func TestConnectionsHaveDeadlines(t *testing.T) {
	for name, request := range map[string]string{
		"a body that is announced and never comes": "GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
		"a refused POST without its body":          "POST /api/v1/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
		"a login without its body":                 "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"half a head":                              "GET /api/v1/time HTTP/1.1\r\nHost: local",
		"nothing":                                  "",
	} {
		bubble(t, guarded, func(t *testing.T, _ *Server, w *wire) {
			c := connect(t, w)
			began := time.Now()
			go func() { _, _ = io.WriteString(c, request) }() // it may be cut off
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(began); took > 2*askTimeout+time.Second {
				t.Errorf("%s: the connection is open for %v", name, took)
			}
		})
	}
}

// An answer that nobody reads ends after a time.
func TestAnswersHaveDeadlines(t *testing.T) {
	bubble(t, nil, func(t *testing.T, _ *Server, w *wire) {
		c := connect(t, w)
		began := time.Now()
		for { // requests one after the other, no answer of which is read
			if _, err := io.WriteString(c, "GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				break
			}
		}
		if took := time.Since(began); took > 3*askTimeout {
			t.Errorf("answers that nobody reads keep a connection open for %v", took)
		}
	})
}

// A stream outlives the deadlines of requests and answers.
func TestStreamsOutliveDeadlines(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		time.Sleep(time.Second)
		for range 4 {
			for range 4 {
				l.want("") // a beat every 15 s
			}
		}
		s.Publish(View{Sentence: "Still here."})
		if m := l.want("view"); !strings.Contains(m.data, "Still here.") {
			t.Errorf("after four minutes the stream says %+v", m)
		}
	})
}

// numbered is a connection from an address of our choice.
type numbered struct {
	net.Conn
	from net.Addr
}

func (n numbered) RemoteAddr() net.Addr { return n.from }

// from opens a connection from an address, sends a request if there is one, and returns
// the first line of the answer.
func (w *wire) from(t *testing.T, from, request string) (status string) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	at, err := net.ResolveTCPAddr("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	w.conns <- numbered{theirs, at}
	if request == "" {
		return ""
	}
	_ = ours.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := io.WriteString(ours, request); err != nil {
		return err.Error()
	}
	line, err := bufio.NewReader(ours).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return line
}

// However many connections there are, there is an end to them, in all and of one
// address; and somebody who is logged in always gets in.
func TestConnectionsAreBounded(t *testing.T) {
	bubble(t, func(o *Options) { guarded(o) }, func(t *testing.T, s *Server, w *wire) {
		arbiter := entered(t, s, forArbiter, "", "")
		come := func(from, request string) string { return w.from(t, from, request) }
		look := "GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n"
		// One address does not get more than its share.
		refused := 0
		for range 2 * maxFromOne {
			if !strings.Contains(come("10.0.0.1:1", look), " 200 ") {
				refused++
			}
		}
		if refused != maxFromOne {
			t.Errorf("%d of %d connections of one address were refused, want %d", refused, 2*maxFromOne, maxFromOne)
		}
		// Many addresses, that ask or are silent.
		for i := range 2000 {
			request := look
			if i%2 == 0 {
				request = ""
			}
			come(fmt.Sprintf("10.1.%d.%d:1", i/250, i%250), request)
		}
		s.connections.mu.Lock()
		open := len(s.connections.open)
		s.connections.mu.Unlock()
		if open > maxConnections {
			t.Errorf("%d connections are open", open)
		}
		playersAreBounded(t, s, w)
		order := fmt.Sprintf("GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\nCookie: %s=%s\r\n\r\n", arbiter.Name, arbiter.Value)
		for i := range 20 {
			if got := come(fmt.Sprintf("10.9.0.%d:1", i), order); !strings.Contains(got, " 200 ") {
				t.Errorf("an arbiter gets %q", got)
			}
			come(fmt.Sprintf("10.8.0.%d:1", i), "")
		}
	})
}

// playersAreBounded wants an end to the connections of a player's token.
func playersAreBounded(t *testing.T, s *Server, w *wire) {
	t.Helper()
	for i := range 2 * maxOfRole {
		w.from(t, fmt.Sprintf("10.6.0.%d:1", i%250), "GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+forPlayer+"\r\n\r\n")
	}
	s.connections.mu.Lock()
	players := s.connections.ranked[player].Len()
	s.connections.mu.Unlock()
	if players > maxOfRole {
		t.Errorf("%d connections of players are open", players)
	}
}
