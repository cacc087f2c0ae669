package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := plain(t, nil)
	for _, path := range []string{"/", "/api/v1/state", "/nothing", "/assets/0/main.js"} {
		h := ask(s, http.MethodGet, path, "", nil).Header()
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy %q lacks %s", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "data:") || strings.Contains(csp, "*") {
			t.Errorf("%s: the policy is weak: %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

func TestForeignNamesAreRefused(t *testing.T) {
	s := plain(t, func(o *Options) { o.Hosts = []string{"Board.local", "192.168.7.9"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "LOCALHOST:1": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "[::1]": 200,
		"board.local": 200, "BOARD.LOCAL:80": 200, "board.local.": 200, "192.168.7.9:8080": 200,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.168.7.10": 421, "": 421,
	} {
		w := ask(s, http.MethodGet, "/", "", func(r *http.Request) { r.Host = host })
		if w.Code != want {
			t.Errorf("Host %q: status %d, want %d", host, w.Code, want)
		}
		if want == 421 && !strings.Contains(w.Body.String(), "does not answer to the name") {
			t.Errorf("Host %q: the text is %q", host, w.Body)
		}
	}
}

func TestOtherSitesCannotCommand(t *testing.T) {
	called := false
	s := plain(t, func(o *Options) {
		o.Command = func(context.Context, Command) Response { called = true; return Response{Status: "ok"} }
	})
	for _, c := range []struct {
		name   string
		change func(h http.Header)
		want   int
	}{
		{"another site", func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"another port", func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") }, 403},
		{"an old browser on another site", func(h http.Header) { h.Set("Origin", "http://evil.example") }, 403},
		{"a form", func(h http.Header) { h.Set("Content-Type", "text/plain") }, 415},
		{"a form without a type", func(h http.Header) { h.Del("Content-Type") }, 415},
		{"the page", func(h http.Header) { h.Set("Sec-Fetch-Site", "same-origin") }, 200},
		{"an old browser on the page", func(h http.Header) { h.Set("Origin", "http://localhost:8080") }, 200},
		{"a program", func(http.Header) {}, 200},
	} {
		called = false
		w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"identify","id":"1"}`, func(r *http.Request) { c.change(r.Header) })
		if w.Code != c.want || called != (c.want == 200) {
			t.Errorf("%s: status %d, carried out %v", c.name, w.Code, called)
		}
	}
}

func TestMethods(t *testing.T) {
	s := plain(t, func(o *Options) { o.Hands = handsFunc(func(Act) error { return nil }) })
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/api/v1/command", 405},
		{http.MethodPut, "/api/v1/command", 405},
		{http.MethodGet, "/api/v1/hands", 405},
		{http.MethodDelete, "/api/v1/state", 405},
		{http.MethodPost, "/", 405},
		{http.MethodHead, "/", 200},
		{http.MethodGet, "/api", 404},
		{http.MethodGet, "/api/v1/state", 200},
		{http.MethodGet, "/index.html", 404},
		{http.MethodGet, "/assets/", 404},
	} {
		if w := ask(s, c.method, c.path, "{}", nil); w.Code != c.want {
			t.Errorf("%s %s: status %d, want %d", c.method, c.path, w.Code, c.want)
		}
	}
}

type handsFunc func(a Act) error

func (f handsFunc) Do(_ context.Context, a Act) error { return f(a) }

func TestCommandsArrive(t *testing.T) {
	var seen Command
	res := Response{Status: "ok", Seq: 43}
	s := plain(t, func(o *Options) {
		o.Command = func(_ context.Context, c Command) Response { seen = c; return res }
	})
	w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"undo","args":{"plies":3},"id":"abc","if_seq":42}`, nil)
	if w.Code != 200 || seen.Name != "undo" || string(seen.Args) != `{"plies":3}` || seen.ID != "abc" || seen.IfSeq == nil || *seen.IfSeq != 42 {
		t.Errorf("status %d, got %+v", w.Code, seen)
	}
	if a := answerOf(t, w); a != (reply{ID: "abc", Name: "undo", Status: "ok", Seq: 43}) {
		t.Errorf("answered %+v", a)
	}
	res = Response{Status: "error", Code: "stale_seq", Error: "Something has happened since.", Seq: 44}
	w = ask(s, http.MethodPost, "/api/v1/command", `{"name":"snapshot","args":null,"id":"abd"}`, nil)
	if a := answerOf(t, w); w.Code != 200 || a.Code != "stale_seq" || a.Error != res.Error || seen.Args != nil || seen.IfSeq != nil {
		t.Errorf("status %d, answered %+v, got %+v", w.Code, a, seen)
	}
}

func TestBadCommandsAreRefused(t *testing.T) {
	s := plain(t, func(o *Options) {
		o.Command = func(_ context.Context, c Command) Response {
			t.Errorf("carried out %+v", c)
			return Response{Status: "ok"}
		}
	})
	for body, want := range map[string]int{
		``: 400, `null`: 400, `[]`: 400, `"undo"`: 400, `{`: 400, `{"name":"undo"}`: 400, `{"name":"undo","id":""}`: 400,
		`{"name":"undo","id":"1","role":"arbiter"}`: 400, `{"name":"undo","id":"1"}{}`: 400, `{"name":"undo","id":"1"} x`: 400,
		`{"name":"undo","id":1}`: 400, `{"name":"format_disk","id":"1"}`: 400, `{"name":"undo","id":"1","args":[1]}`: 400,
		`{"name":"undo","id":"1","if_seq":-1}`:                       400,
		`{"name":"undo","id":"` + strings.Repeat("x", 65) + `"}`:     400,
		"{\"name\":\"undo\",\"id\":\"\xff\"}":                        400,
		`{"name":"undo","id":"` + strings.Repeat("x", maxBody) + `"`: 413,
	} {
		s.orders[Arbiter] = newLimits()
		w := ask(s, http.MethodPost, "/api/v1/command", body, nil)
		code := "bad_payload"
		if strings.Contains(body, "format_disk") {
			code = "unknown" // as on MQTT
		}
		if a := answerOf(t, w); w.Code != want || a.Status != "error" || a.Code != code || a.Error == "" {
			t.Errorf("%.60q: status %d, answered %+v, want %d", body, w.Code, a, want)
		}
	}
}

func TestHandsArrive(t *testing.T) {
	var seen Act
	var fails error
	s := plain(t, func(o *Options) { o.Hands = handsFunc(func(a Act) error { seen = a; return fails }) })
	e6, f4 := square(t, "e6"), square(t, "f4")
	for body, want := range map[string]Act{
		`{"op":"place","square":"e6","color":"white"}`: {Op: OpPlace, Square: e6, HasSquare: true, Color: engine.White},
		`{"op":"place","square":"e6","color":"black"}`: {Op: OpPlace, Square: e6, HasSquare: true, Color: engine.Black},
		`{"op":"turn","square":"E6"}`:                  {Op: OpTurn, Square: e6, HasSquare: true, Color: engine.None},
		`{"op":"lift","square":"e6"}`:                  {Op: OpLift, Square: e6, HasSquare: true, Color: engine.None},
		`{"op":"slide","square":"e6","to":"f4"}`:       {Op: OpSlide, Square: e6, HasSquare: true, To: f4, Color: engine.None},
		`{"op":"sleeve"}`:                              {Op: OpSleeve, Color: engine.None},
		`{"op":"sleeve","squares":["e6","f4"]}`:        {Op: OpSleeve, Squares: e6.Bit() | f4.Bit(), Color: engine.None},
		`{"op":"fail","square":"e6","fault":"bank"}`:   {Op: OpFail, Square: e6, HasSquare: true, Fault: "bank", Color: engine.None},
		`{"op":"heal","square":"e6"}`:                  {Op: OpHeal, Square: e6, HasSquare: true, Color: engine.None},
		`{"op":"heal"}`:                                {Op: OpHeal, Color: engine.None},
		`{"op":"autoflip","on":true}`:                  {Op: OpAutoFlip, On: true, Color: engine.None},
		`{"op":"autoflip","on":false}`:                 {Op: OpAutoFlip, Color: engine.None},
		`{"op":"reset"}`:                               {Op: OpReset, Color: engine.None},
		"\n {\"op\":\"sweep\"}\n":                      {Op: OpSweep, Color: engine.None},
	} {
		seen = Act{}
		w := ask(s, http.MethodPost, "/api/v1/hands", body, nil)
		if a := answerOf(t, w); w.Code != 200 || a.Status != "ok" || seen != want {
			t.Errorf("%s: status %d, answered %+v, did %+v, want %+v", body, w.Code, a, seen, want)
		}
	}
	fails = errors.New("there is no disc on e6 to turn")
	w := ask(s, http.MethodPost, "/api/v1/hands", `{"op":"turn","square":"e6"}`, nil)
	if a := answerOf(t, w); w.Code != 200 || a.Status != "error" || a.Error != fails.Error() {
		t.Errorf("status %d, answered %+v", w.Code, a)
	}
}

func TestBadActsAreRefused(t *testing.T) {
	s := plain(t, func(o *Options) {
		o.Hands = handsFunc(func(a Act) error { t.Errorf("did %+v", a); return nil })
	})
	for _, body := range []string{
		``, `{}`, `{"op":"burn"}`, `{"op":"place","square":"e6"}`, `{"op":"place","color":"white"}`, `{"op":"place","square":"e9","color":"white"}`,
		`{"op":"place","square":"e6","color":"red"}`, `{"op":"turn"}`, `{"op":"turn","square":"e6","to":"e7"}`, `{"op":"slide","square":"e6"}`,
		`{"op":"slide","square":"e6","to":"i1"}`, `{"op":"fail","square":"e6"}`, `{"op":"fail","square":"e6","fault":"melted"}`, `{"op":"autoflip"}`,
		`{"op":"reset","square":"e6"}`, `{"op":"sleeve","squares":["e6","z0"]}`, `{"op":"turn","squares":["e6"]}`, `{"op":"turn","square":"e6","x":1}`, `[]`,
	} {
		s.orders[Arbiter] = newLimits()
		w := ask(s, http.MethodPost, "/api/v1/hands", body, nil)
		if a := answerOf(t, w); w.Code != 400 || a.Code != "bad_payload" || a.Error == "" {
			t.Errorf("%q: status %d, answered %+v", body, w.Code, a)
		}
	}
}

func TestRealBoardHasNoHands(t *testing.T) {
	s := plain(t, nil)
	if w := ask(s, http.MethodPost, "/api/v1/hands", `{"op":"reset"}`, nil); w.Code != 404 {
		t.Errorf("status %d, want 404", w.Code)
	}
}

func TestCommandsAreLimited(t *testing.T) {
	s := plain(t, nil)
	limited := 0
	for range 40 {
		w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"identify","id":"1"}`, nil)
		if w.Code == 429 {
			limited++
			if a := answerOf(t, w); a.Code != "rate_limited" || w.Header().Get("Retry-After") == "" {
				t.Errorf("answered %+v", a)
			}
		}
	}
	// Ten at once are allowed; on a slow machine a few more come in time.
	if limited < 15 || limited > 30 {
		t.Errorf("%d of 40 commands at once were refused, want about 30", limited)
	}
}

func TestStateHasAnETag(t *testing.T) {
	s := plain(t, nil)
	s.Publish(View{State: []byte(`{"v":1,"seq":9,"variant":"classic","transcript":"f5d6","turn":"black"}`), Sentence: "Black to move."})
	first := ask(s, http.MethodGet, "/api/v1/state", "", nil)
	etag := first.Header().Get("ETag")
	if first.Code != 200 || etag == "" || !strings.Contains(first.Body.String(), `"seq":9`) {
		t.Fatalf("status %d, ETag %q, body %s", first.Code, etag, first.Body)
	}
	again := func(tag string) int {
		return ask(s, http.MethodGet, "/api/v1/state", "", func(r *http.Request) { r.Header.Set("If-None-Match", tag) }).Code
	}
	if again(etag) != 304 || again(`"other", W/`+etag) != 304 || again(`"other"`) != 200 {
		t.Error("the ETag does not work")
	}
	s.Publish(View{State: []byte(`{"v":1,"seq":10}`)})
	if again(etag) != 200 {
		t.Error("a new state has the old ETag")
	}
	s.Publish(View{State: []byte(`broken`), Sentence: "Still here."})
	if w := ask(s, http.MethodGet, "/api/v1/state", "", nil); !strings.Contains(w.Body.String(), `"state":null`) || !strings.Contains(w.Body.String(), "Still here.") {
		t.Errorf("with a broken state: %s", w.Body)
	}
}

func TestPageLoadsOnlyItsOwnParts(t *testing.T) {
	s := plain(t, func(o *Options) { o.Name = `<script>alert(1)</script>` })
	w := ask(s, http.MethodGet, "/", "", nil)
	page := w.Body.String()
	if w.Code != 200 || strings.Contains(page, "<script>alert") || strings.Contains(page, "style=") || strings.Contains(page, "http://") || strings.Contains(page, "https://") {
		t.Errorf("status %d, page:\n%s", w.Code, page)
	}
	links := regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 5 {
		t.Fatalf("links: %v", links)
	}
	for _, l := range links {
		part := ask(s, http.MethodGet, l[1], "", nil)
		if part.Code != 200 || !strings.Contains(part.Header().Get("Cache-Control"), "immutable") || part.Header().Get("Content-Type") == "" {
			t.Errorf("%s: status %d, headers %v", l[1], part.Code, part.Header())
		}
		if strings.Contains(part.Body.String(), "innerHTML") || strings.Contains(part.Body.String(), "://") && !strings.Contains(l[1], ".svg") {
			t.Errorf("%s writes markup or names another place", l[1])
		}
		zipped := ask(s, http.MethodGet, l[1], "", func(r *http.Request) { r.Header.Set("Accept-Encoding", "br, gzip") })
		if got := unzip(t, zipped); !bytes.Equal(got, part.Body.Bytes()) {
			t.Errorf("%s differs when compressed", l[1])
		}
	}
	old := regexp.MustCompile(`/assets/[0-9a-f]+/`).ReplaceAllString(links[0][1], "/assets/0123456789abcdef/")
	if w := ask(s, http.MethodGet, old, "", nil); w.Code != 404 || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("a part of another build: status %d", w.Code)
	}
}

func unzip(t *testing.T, w *httptest.ResponseRecorder) []byte {
	t.Helper()
	if w.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("not compressed: %v", w.Header())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPageIsSmall(t *testing.T) {
	f, err := load(Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	sum := len(f.pages[indexPage].zipped)
	for name, part := range f.parts {
		// Other pages have parts of their own.
		if kind, _, _ := strings.Cut(name, "."); kind == "tournament" || kind == "calibrate" || kind == "health" {
			continue
		}
		t.Logf("%-11s %6d plain %6d zipped", name, len(part.plain), len(part.zipped))
		sum += len(part.zipped)
	}
	t.Logf("index.html  %6d plain %6d zipped; together %d zipped", len(f.pages[indexPage].plain), len(f.pages[indexPage].zipped), sum)
	if sum > 56<<10 {
		t.Errorf("the page weighs %d bytes compressed, more than 56 KB", sum)
	}
}

func TestNewWantsACommandHandler(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a server that cannot carry out commands was made")
	}
}

// from writes a state whose game on record began with these discs.
func from(board, first, transcript, turn string) string {
	return fmt.Sprintf(`{"start":{"board":%q,"turn":%q},"transcript":%q,"turn":%q}`, board, first, transcript, turn)
}

// The expected lines were worked out by hand on a board.
func TestMovesHaveScores(t *testing.T) {
	type l struct {
		ply          int
		by, move     string
		flipped      int
		black, white int
	}
	const (
		standard = "---------------------------WB------BW---------------------------"
		parallel = "---------------------------BB------WW---------------------------"
		bare     = "----------------------------------------------------------------"
	)
	for _, c := range []struct {
		name, state string
		want        []l
	}{
		{"nothing", ``, []l{}},
		{"no game", from(standard, "black", "", "black"), []l{}},
		{"no start", `{"variant":"classic","transcript":"f5","turn":"white"}`, []l{}},
		{
			"two moves", from(standard, "black", "f5d6", "black"),
			[]l{{1, "black", "f5", 1, 4, 1}, {2, "white", "d6", 1, 3, 3}},
		},
		{
			"white begins", from(standard, "white", "e3", "black"),
			[]l{{1, "white", "e3", 1, 1, 4}},
		},
		{
			"the rest is not by the rules", from(standard, "black", "f5a1", "black"),
			[]l{{1, "black", "f5", 1, 4, 1}},
		},
		{
			"another start", from(parallel, "black", "d6", "white"),
			[]l{{1, "black", "d6", 1, 4, 1}},
		},
		{
			"a pass at the start", from(bare[:56]+"WB------", "black", "", "white"),
			[]l{{0, "black", "pass", 0, 1, 1}},
		},
		{
			"the empty board", from(bare, "white", "d4e5d5e4c4", "black"),
			[]l{{1, "white", "d4", 0, 0, 1}, {2, "black", "e5", 0, 1, 1}, {3, "white", "d5", 0, 1, 2}, {4, "black", "e4", 0, 2, 2}},
		},
	} {
		got := []l{}
		for _, m := range moves([]byte(c.state)) {
			got = append(got, l{m.Ply, m.By, m.Move, m.Flipped, m.Black, m.White})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// playSome makes moves by chance and lists them with the passes between them.
func playSome(t *rapid.T, game engine.Game) (after engine.Game, script string, lines []string) {
	lines = []string{}
	for range rapid.IntRange(0, 60).Draw(t, "plies") {
		if game.Over() {
			break
		}
		s := rapid.SampledFrom(slices.Collect(game.Legal().All())).Draw(t, "move")
		lines = append(lines, game.Turn.String()+" "+s.String())
		script += s.String()
		game = game.Place(s)
		if game.MustPass() {
			lines = append(lines, game.Turn.String()+" pass")
			game = game.Pass()
		}
	}
	return game, script, lines
}

// Whatever is played, every pass is listed where it happened, the newest one
// as soon as the other side is on turn.
func TestMovesListPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		variant := rapid.SampledFrom(engine.VariantNames()).Draw(t, "variant")
		rules, err := engine.Variant(variant)
		if err != nil {
			t.Fatal(err)
		}
		game, script, want := playSome(t, engine.NewGame(rules))
		state := from(rules.Start.String(), rules.Start.Turn.String(), script, game.Turn.String())
		got := []string{}
		for i, m := range moves([]byte(state)) {
			got = append(got, m.By+" "+m.Move)
			// Four discs lie at the start, but for the historic game, in which
			// the first four that are placed turn nothing.
			start, quiet := 4, m.Move == "pass"
			if variant == engine.Historic {
				start, quiet = 0, quiet || m.Ply <= 4
			}
			if m.Black+m.White != m.Ply+start || quiet != (m.Flipped == 0) {
				t.Fatalf("line %d does not add up: %+v", i, m)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}

// The start of a game of 2000 in which Black passed before ply 17.
func TestMovesListAForcedPass(t *testing.T) {
	const script = "f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8"
	list := moves([]byte(`{"start":{"board":"` + engine.Start().String() + `","turn":"black"},` +
		`"transcript":"` + script + `","turn":"white"}`))
	if len(list) != 17 || list[16].By != "black" || list[16].Move != "pass" || list[16].Ply != 16 {
		t.Errorf("the list ends with %+v, want Black's pass after ply 16", list[max(0, len(list)-2):])
	}
}

// FuzzDecodeCommand and FuzzDecodeAct: whatever is sent, nothing panics, and
// what is accepted is complete.
func FuzzDecodeCommand(f *testing.F) {
	for _, seed := range []string{
		`{"name":"new","args":{"variant":"classic","players":{"black":"A","white":"B"}},"id":"0123","if_seq":12}`,
		`{"name":"undo","args":{"plies":1},"id":"x"}`, `{"name":"identify","id":"é","args":null}`, `{"name":"identify","id":"\u202e"}`, `{"name":"identify","id":"a\u001b"}`, `{"name":"undo","id":"1","args":[]}`, `{}`, `nul`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := decodeCommand(body)
		if err != nil {
			return
		}
		// Which names there are, and for whom, is asked afterwards.
		if c.Name == "" || c.ID == "" || len([]rune(c.ID)) > 64 || strings.ContainsFunc(c.ID, plaintext.Hidden) {
			t.Errorf("accepted %+v", c)
		}
		if c.Args != nil && (!json.Valid(c.Args) || c.Args[0] != '{') {
			t.Errorf("accepted the arguments %q", c.Args)
		}
	})
}

func FuzzDecodeAct(f *testing.F) {
	for _, seed := range []string{
		`{"op":"place","square":"e6","color":"white"}`, `{"op":"slide","square":"e6","to":"f4"}`, `{"op":"sleeve","squares":["a1","h8"]}`,
		`{"op":"fail","square":"e6","fault":"bank"}`, `{"op":"autoflip","on":true}`, `{"op":"heal"}`, `{"op":"reset"}`, `{"op":"turn","square":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := decodeAct(body)
		if err != nil {
			return
		}
		if a.Square >= engine.Squares || a.To >= engine.Squares {
			t.Errorf("accepted %+v", a)
		}
		if need, known := needsOf(a.Op); !known || need.square && !a.HasSquare || need.color == (a.Color == engine.None) || need.fault == (a.Fault == "") {
			t.Errorf("accepted %+v", a)
		}
	})
}
