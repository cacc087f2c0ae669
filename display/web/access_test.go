package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/engine/plaintext"
)

// The tokens of the tests.
const (
	forArbiter = "correct-horse-battery"
	forPlayer  = "tr0ub4dor-and-3"
)

// guarded asks for tokens.
func guarded(o *Options) { o.Access = &Access{Arbiter: forArbiter, Player: forPlayer} }

// entered logs in and returns the cookie.
func entered(t *testing.T, s *Server, token, name, seat string) *http.Cookie {
	t.Helper()
	body, err := json.Marshal(loginBody{token, name, seat})
	if err != nil {
		t.Fatal(err)
	}
	w := ask(s, http.MethodPost, "/api/v1/login", string(body), nil)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusOK || len(cookies) != 2 || cookies[0].Name != s.cookie {
		t.Fatalf("login: %d %s, %d cookies", w.Code, w.Body, len(cookies))
	}
	return cookies[0]
}

// with sends a cookie along.
func with(c *http.Cookie) func(*http.Request) { return func(r *http.Request) { r.AddCookie(c) } }

// saying sends a cookie along that need not be one of ours.
func saying(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Add("Cookie", name+"="+value) }
}

// bearing sends a token along.
func bearing(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// Everybody may look; who may do what is the same table for the page as for MQTT.
func TestRoles(t *testing.T) {
	var said []Command
	s := plain(t, func(o *Options) {
		guarded(o)
		o.Hands = handsFunc(func(Act) error { return nil })
		o.Health = sick
		o.Commands = map[Role][]string{Player: {"undo", "press"}, Arbiter: {"undo", "press", "new", "clock_set"}}
		o.Command = func(_ context.Context, c Command) Response {
			said = append(said, c)
			return Response{Status: "ok"}
		}
	})
	arbiter, white := entered(t, s, forArbiter, "Ana <b>", ""), entered(t, s, forPlayer, "", "white")
	as := map[string]func(*http.Request){
		"viewer": nil, "player": with(white), "arbiter": with(arbiter), "bearer": bearing(forArbiter), "player's bearer": bearing(forPlayer),
		"a made-up cookie": saying(s.cookie, "x"),
	}
	for _, c := range []struct {
		who, method, path, body string
		want                    int
		from                    string
	}{
		{"viewer", "GET", "/", "", 200, ""},
		{"viewer", "GET", "/api/v1/state", "", 200, ""},
		{"viewer", "POST", "/api/v1/command", `{"name":"undo","id":"1"}`, 403, ""},
		{"viewer", "POST", "/api/v1/hands", `{"op":"reset"}`, 403, ""},
		{"viewer", "GET", "/health", "", 403, ""},
		{"viewer", "GET", "/api/v1/health", "", 403, ""},
		{"a made-up cookie", "POST", "/api/v1/command", `{"name":"undo","id":"1"}`, 403, ""},
		{"player", "POST", "/api/v1/command", `{"name":"undo","id":"1"}`, 200, "player (player) white"},
		{"player", "POST", "/api/v1/command", `{"name":"new","id":"1"}`, 403, ""},
		{"player", "POST", "/api/v1/hands", `{"op":"reset"}`, 200, ""},
		{"player", "GET", "/health", "", 403, ""},
		{"player's bearer", "POST", "/api/v1/command", `{"name":"clock_set","id":"1"}`, 403, ""},
		{"arbiter", "POST", "/api/v1/command", `{"name":"clock_set","id":"1"}`, 200, "arbiter (Ana <b>) "},
		{"arbiter", "POST", "/api/v1/command", `{"name":"format","id":"1"}`, 400, ""},
		{"arbiter", "GET", "/health", "", 200, ""},
		{"bearer", "POST", "/api/v1/command", `{"name":"new","id":"1"}`, 200, "arbiter (bearer) "},
	} {
		said = nil
		w := ask(s, c.method, c.path, c.body, as[c.who])
		if w.Code != c.want || (len(said) == 1) != (c.from != "") {
			t.Errorf("%s: %s %s %s: %d, carried out %+v; want %d", c.who, c.method, c.path, c.body, w.Code, said, c.want)
			continue
		}
		if c.from != "" {
			if got := fmt.Sprintf("%s (%s) %s", said[0].Role, said[0].From, said[0].Seat); got != c.from {
				t.Errorf("%s: carried out as %q, want %q", c.who, got, c.from)
			}
		}
	}
}

// Without tokens the page is that of a board at home.
func TestHomeHasNoLogin(t *testing.T) {
	var said Command
	s := plain(t, func(o *Options) {
		o.Command = func(_ context.Context, c Command) Response { said = c; return Response{Status: "ok"} }
	})
	if w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"adjudicate","id":"1"}`, nil); w.Code != 200 || said.Role != Arbiter || said.From != "page" {
		t.Errorf("%d, as %+v", w.Code, said)
	}
	if w := ask(s, http.MethodPost, "/api/v1/login", `{"token":"whatever"}`, nil); w.Code != http.StatusNotFound {
		t.Errorf("login: %d", w.Code)
	}
}

// No script can read the cookie, no other site sends it, and where the connection
// is encrypted it travels on no other.
func TestCookie(t *testing.T) {
	s := plain(t, guarded)
	c := entered(t, s, forArbiter, "", "")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.MaxAge != 12*3600 || len(c.Value) < 40 {
		t.Errorf("the cookie is %+v", c)
	}
	if other := entered(t, s, forArbiter, "", ""); other.Value == c.Value {
		t.Error("two logins have one cookie")
	}
	w := ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+forArbiter+`"}`, func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") })
	if cookies := w.Result().Cookies(); len(cookies) != 2 || !cookies[0].Secure || !cookies[1].Secure {
		t.Errorf("behind a proxy that encrypts the cookies are %+v", cookies)
	}
	if w := ask(s, http.MethodPost, "/api/v1/logout", `{}`, with(c)); w.Code != 200 || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout: %d %v", w.Code, w.Header())
	}
	if w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"new","id":"1"}`, with(c)); w.Code != http.StatusForbidden {
		t.Errorf("after the logout: %d", w.Code)
	}
}

// Other sites can neither log in nor use a login.
func TestOtherSitesCannotUseALogin(t *testing.T) {
	s := plain(t, guarded)
	c := entered(t, s, forArbiter, "", "")
	for _, path := range []string{"/api/v1/login", "/api/v1/logout", "/api/v1/command"} {
		for name, change := range map[string]func(h http.Header){
			"another site": func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
			"another port": func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") },
			"old browser":  func(h http.Header) { h.Set("Origin", "http://evil.example") },
		} {
			w := ask(s, http.MethodPost, path, `{"name":"new","id":"1","token":"`+forArbiter+`"}`, func(r *http.Request) {
				r.AddCookie(c)
				change(r.Header)
			})
			if w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%s, %s: %d %v", path, name, w.Code, w.Header())
			}
		}
	}
	// A form of another site cannot say that it sends JSON.
	w := ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+forArbiter+`"}`, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	if w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("a form: %d", w.Code)
	}
	if w := ask(s, http.MethodGet, "/api/v1/login", "", nil); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", w.Code)
	}
}

// Guessing is slow: a few attempts at once, then one in five seconds; who has the
// token gets in from elsewhere meanwhile.
func TestGuessingIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plain(t, guarded)
		try := func(from, token string) int {
			return ask(s, http.MethodPost, "/api/v1/login", `{"token":"`+token+`"}`, func(r *http.Request) { r.RemoteAddr = from }).Code
		}
		got := []int{}
		for range 7 {
			got = append(got, try("10.0.0.9:5000", "guess-guess"))
		}
		if want := []int{401, 401, 401, 401, 401, 429, 429}; !slices.Equal(got, want) {
			t.Errorf("seven guesses are answered %v, want %v", got, want)
		}
		if code := try("10.0.0.9:5001", forArbiter); code != 429 {
			t.Errorf("the right one after them: %d, so guessing goes on", code)
		}
		if code := try("10.0.0.10:5000", forArbiter); code != 200 {
			t.Errorf("from elsewhere: %d", code)
		}
		time.Sleep(6 * time.Second)
		if code := try("10.0.0.9:5000", forArbiter); code != 200 {
			t.Errorf("six seconds later: %d", code)
		}
		// A token that is sent with every request cannot be guessed faster.
		s = plain(t, guarded)
		got = got[:0]
		for range 6 {
			got = append(got, ask(s, http.MethodGet, "/api/v1/state", "", bearing("guess-guess")).Code)
		}
		if want := []int{401, 401, 401, 401, 401, 429}; !slices.Equal(got, want) {
			t.Errorf("six guesses are answered %v, want %v", got, want)
		}
		if code := ask(s, http.MethodGet, "/api/v1/state", "", bearing(forArbiter)).Code; code != 429 {
			t.Errorf("the right one after them: %d, so guessing goes on", code)
		}
		// Those of an IPv6 network count together, and the memory of all is bounded.
		for i := range 5000 {
			try(fmt.Sprintf("[2001:db8:0:1::%x]:1", i), "guess-guess")
			try(fmt.Sprintf("10.1.%d.%d:1", i/250, i%250), "guess-guess")
		}
		if n := len(s.door.from); n > maxAddresses {
			t.Errorf("%d addresses are remembered", n)
		}
	})
}

// A login ends after twelve hours, and there are not arbitrarily many.
func TestLoginsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plain(t, guarded)
		enter := func() *http.Cookie {
			time.Sleep(10 * time.Second) // slowly enough for the door
			return entered(t, s, forArbiter, "", "")
		}
		may := func(c *http.Cookie) bool {
			return ask(s, http.MethodPost, "/api/v1/command", `{"name":"new","id":"1"}`, with(c)).Code == 200
		}
		first := enter()
		player := entered(t, s, forPlayer, "", "")
		all := []*http.Cookie{first}
		for range maxSessions {
			all = append(all, enter())
		}
		if may(first) {
			t.Error("the oldest login is still there")
		}
		for _, c := range all[1:] {
			if time.Sleep(time.Second); !may(c) {
				t.Fatal("a newer login is gone")
			}
		}
		if w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"undo","id":"1"}`, with(player)); w.Code != 200 {
			t.Errorf("arbiters have put a player out: %d", w.Code)
		}
		time.Sleep(12 * time.Hour)
		if may(all[len(all)-1]) {
			t.Error("a login lasts for more than twelve hours")
		}
		if n := len(s.sessions.known); n > 2*maxSessions {
			t.Errorf("%d logins are kept", n)
		}
	})
}

// No token is in a log or in an answer.
func TestTokensAreSecret(t *testing.T) {
	var log bytes.Buffer
	s := plain(t, func(o *Options) {
		guarded(o)
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	answers := ""
	for _, body := range []string{
		`{"token":"` + forArbiter + `x"}`, `{"token":"` + forArbiter + `","seat":"red"}`, `{"token":"` + forArbiter + `","x":1}`,
		`{"token":"` + forArbiter + `","name":"` + strings.Repeat("n", 41) + `"}`, `{"token":"` + forArbiter + `"`,
	} {
		w := ask(s, http.MethodPost, "/api/v1/login", body, nil)
		if w.Code == 200 {
			t.Errorf("%s is accepted", body)
		}
		answers += w.Body.String()
	}
	c := entered(t, s, forArbiter, "", "")
	for _, path := range []string{"/", "/api/v1/state", "/api/v1/time"} {
		answers += ask(s, http.MethodGet, path, "", with(c)).Body.String()
	}
	if all := log.String() + answers; strings.Contains(all, forArbiter) || strings.Contains(all, c.Value) {
		t.Errorf("a token or a cookie is in %s", all)
	}
	if !strings.Contains(log.String(), "wrong token") {
		t.Error("a wrong token is not in the log")
	}
}

// Tokens that protect nothing stop the start.
func TestTokensThatProtectNothing(t *testing.T) {
	for _, a := range []Access{{}, {Player: forPlayer}, {Arbiter: "short"}, {Arbiter: forArbiter, Player: "short"}, {Arbiter: forArbiter, Player: forArbiter}} {
		o := Options{Board: "b", Command: func(context.Context, Command) Response { return Response{} }, Access: &a}
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}

// What the lights hide is on the stream of an arbiter who has logged in, and on
// nobody else's; who logs out sees it no more.
func TestSecretsOfTheStream(t *testing.T) {
	bubble(t, guarded, func(t *testing.T, s *Server, w *wire) {
		s.Publish(View{State: []byte(`{"guide":"public"}`), Full: []byte(`{"guide":"secret"}`)})
		c := entered(t, s, forArbiter, "Ana", "")
		viewer := dial(t, w, "")
		arbiter := dialWith(t, w, "/api/v1/stream", "Cookie: "+c.Name+"="+c.Value+"\r\n", "")
		defer viewer.close()
		defer arbiter.close()
		mine, theirs := arbiter.want("snapshot"), viewer.want("snapshot")
		if !strings.Contains(mine.data, "secret") || !strings.Contains(mine.data, `"you":{"role":"arbiter","name":"Ana","seat":"","login":true,"full":true}`) {
			t.Errorf("the arbiter gets %s", mine.data)
		}
		if strings.Contains(theirs.data, "secret") || !strings.Contains(theirs.data, `"role":"viewer"`) {
			t.Errorf("a viewer gets %s", theirs.data)
		}
		s.Veiled(1, nil, []byte(`{"seq":1,"type":"flip_error"}`))
		s.Veiled(2, []byte(`{"seq":2,"type":"move"}`), []byte(`{"seq":2,"type":"move","missed":["d5"]}`))
		if m := arbiter.want("event"); seqOf(t, m) != 1 {
			t.Errorf("the arbiter gets %+v", m)
		}
		if m := arbiter.want("event"); !strings.Contains(m.data, "d5") {
			t.Errorf("the arbiter gets %+v", m)
		}
		seen := viewer.want("event")
		if seqOf(t, seen) != 2 || strings.Contains(seen.data, "d5") {
			t.Errorf("a viewer gets %+v", seen)
		}
		if r := ask(s, http.MethodPost, "/api/v1/logout", "{}", with(c)); r.Code != 200 {
			t.Fatal(r.Code)
		}
		if rest := arbiter.drain(); strings.Contains(fmt.Sprint(rest), "secret") {
			t.Errorf("after the logout the stream went on with %+v", rest)
		}
	})
}

// The other views of an arbiter end with the login, too.
func TestStreamsEndWithTheLogin(t *testing.T) {
	for _, path := range []string{"/api/v1/health/stream", "/api/v1/calibration/stream"} {
		bubble(t, func(o *Options) {
			guarded(o)
			o.Health, o.Calibrate = func() Health { return Health{} }, &fakeCalibrator{}
		}, func(t *testing.T, s *Server, w *wire) {
			c := entered(t, s, forArbiter, "Ana", "")
			arbiter := dialWith(t, w, path, "Cookie: "+c.Name+"="+c.Value+"\r\n", "")
			defer arbiter.close()
			arbiter.want("snapshot")
			if r := ask(s, http.MethodPost, "/api/v1/logout", "{}", with(c)); r.Code != 200 {
				t.Fatal(r.Code)
			}
			if rest := arbiter.drain(); len(rest) != 0 {
				t.Errorf("%s goes on after the logout: %+v", path, rest)
			}
		})
	}
}

// The state is read by the same rules.
func TestSecretsOfTheState(t *testing.T) {
	s := plain(t, guarded)
	s.Publish(View{State: []byte(`{"guide":"public"}`), Full: []byte(`{"guide":"secret"}`)})
	c := entered(t, s, forArbiter, "", "")
	for value, secret := range map[string]bool{"": false, "x": false, c.Value: true} {
		w := ask(s, http.MethodGet, "/api/v1/state", "", saying(c.Name, value))
		if strings.Contains(w.Body.String(), "secret") != secret || !strings.Contains(w.Header().Get("Vary"), "Cookie") {
			t.Errorf("with the cookie %q it is %s, %v", value, w.Body, w.Header())
		}
	}
}

// What an arbiter has seen counts for nobody else.
func TestIDsOfTheStream(t *testing.T) {
	bubble(t, guarded, func(t *testing.T, s *Server, w *wire) {
		s.Publish(View{State: []byte(`{}`), Full: []byte(`{"guide":"secret"}`)})
		c := entered(t, s, forArbiter, "", "")
		arbiter := dialWith(t, w, "/api/v1/stream", "Cookie: "+c.Name+"="+c.Value+"\r\n", "")
		defer arbiter.close()
		arbiter.want("snapshot")
		again := dialWith(t, w, "/api/v1/stream", "", arbiter.last)
		defer again.close()
		if m := again.want("snapshot"); strings.Contains(m.data, "secret") {
			t.Errorf("with the id of the arbiter's stream a viewer gets %s", m.data)
		}
	})
}

// The stream of a login ends with it.
func TestStreamEndsWithTheLogin(t *testing.T) {
	bubble(t, guarded, func(t *testing.T, s *Server, w *wire) {
		c := entered(t, s, forArbiter, "", "")
		l := dialWith(t, w, "/api/v1/stream", "Cookie: "+c.Name+"="+c.Value+"\r\n", "")
		defer l.close()
		l.want("snapshot")
		begin := time.Now()
		l.drain()
		if took := time.Since(begin); took > sessionTime+time.Minute || took < sessionTime-time.Minute {
			t.Errorf("the stream lasted %v, want twelve hours", took)
		}
	})
}

// FuzzLogin: whatever is sent, nobody gets in who does not know a token, and no
// name is longer than it may be.
func FuzzLogin(f *testing.F) {
	f.Add([]byte(`{"token":"correct-horse-battery","name":"Ana","seat":"white"}`))
	f.Add([]byte(`{"token":"` + forPlayer + `","name":"\u0000"}`))
	f.Add([]byte(`{"token":null}`))
	f.Add([]byte(`{"token":"` + forPlayer + `","name":"a\u202eb"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		in, err := decodeLogin(body)
		if err != nil {
			return
		}
		if n := len([]rune(in.Name)); n > maxVisitor || strings.ContainsFunc(in.Name, plaintext.Hidden) {
			t.Fatalf("the name is %q", in.Name)
		}
		a := Access{Arbiter: forArbiter, Player: forPlayer}
		if role := a.roleOf(in.Token); (role == Arbiter) != (in.Token == forArbiter) || (role == Player) != (in.Token == forPlayer) {
			t.Fatalf("%q is %s", in.Token, role)
		}
	})
}

// FuzzCommandAsViewer: nothing that is sent without a login is carried out.
func FuzzCommandAsViewer(f *testing.F) {
	f.Add([]byte(`{"name":"new","id":"1"}`), "session", "Bearer x")
	f.Fuzz(func(t *testing.T, body []byte, cookie, bearer string) {
		s, err := New(Options{Board: "b", Access: &Access{Arbiter: forArbiter}, Command: func(_ context.Context, c Command) Response {
			t.Fatalf("carried out %+v", c)
			return Response{}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/command", bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		saying(s.cookie, cookie)(r)
		if bearer != "Bearer "+forArbiter {
			r.Header.Set("Authorization", bearer)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code == http.StatusOK {
			t.Fatalf("%s is answered %s", body, w.Body)
		}
	})
}
