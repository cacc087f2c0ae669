package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/mqtt"
)

// browser is a visitor of the page.
type browser struct {
	t       *testing.T
	address string
	cookie  string
}

// post sends a JSON request and returns the status and the answer.
func (b *browser) post(path, body string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, "http://"+b.address+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if all := res.Cookies(); len(all) > 0 {
		b.cookie = all[0].Name + "=" + all[0].Value // that of the session
	}
	return res.StatusCode, string(text)
}

// secretFile writes a token that only its owner may read.
func secretFile(t *testing.T, token string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// recorded returns the data of the events of a type in the journal of a board.
func recorded(t *testing.T, a *App, kind string) (found []string) {
	t.Helper()
	err := a.journal.Replay(func(_ uint64, payload []byte) error {
		var e struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		if e.Type == kind {
			found = append(found, string(e.Data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A running board with a token: who has not logged in gives no orders, who has does,
// and the record says who it was.
func TestBoardWithAToken(t *testing.T) {
	t.Parallel()
	a, address, _ := launch(t, nil, func(c *configs.Config) {
		c.Web.ArbiterTokenFile = secretFile(t, "correct horse battery")
		c.Web.PlayerTokenFile = secretFile(t, "staple of iron")
	})
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	const stop = `{"name":"pause","id":"1","args":{"reason":"<i>fire</i>"}}`
	viewer := &browser{t: t, address: address}
	if code, text := viewer.post("/api/v1/command", stop); code != 403 {
		t.Errorf("a viewer is answered %d %s", code, text)
	}
	if code, text := viewer.post("/api/v1/login", `{"token":"correct horse batterx","name":"Eve"}`); code != 401 {
		t.Errorf("a wrong token is answered %d %s", code, text)
	}
	player := &browser{t: t, address: address}
	if code, text := player.post("/api/v1/login", `{"token":"staple of iron","seat":"black"}`); code != 200 {
		t.Fatalf("a player is answered %d %s", code, text)
	}
	if code, _ := player.post("/api/v1/command", stop); code != 403 {
		t.Errorf("a player who stops the game is answered %d", code)
	}
	if code, text := player.post("/api/v1/command", fmt.Sprintf(`{"name":"resign","id":"2","args":{"color":"white"},"if_seq":%d}`, shown(t, a).State.Seq)); code != 200 || !strings.Contains(text, "not_allowed") {
		t.Errorf("a player who gives up for the other one is answered %d %s", code, text)
	}
	if got := recorded(t, a, "command"); len(got) != 0 {
		t.Errorf("on record are %q", got)
	}
	arbiter := &browser{t: t, address: address}
	if code, text := arbiter.post("/api/v1/login", `{"token":"correct horse battery","name":"Ana O'Hara"}`); code != 200 {
		t.Fatalf("the arbiter is answered %d %s", code, text)
	}
	if code, text := arbiter.post("/api/v1/command", stop); code != 200 || !strings.Contains(text, `"status":"ok"`) {
		t.Fatalf("the arbiter who stops the game is answered %d %s", code, text)
	}
	if got := shown(t, a).State.Phase; got != "paused" {
		t.Errorf("the game is %s", got)
	}
	// A ruling must say what it is about.
	if code, text := arbiter.post("/api/v1/command", `{"name":"resign","id":"3","args":{"color":"white"}}`); code != 200 || !strings.Contains(text, "if_seq") {
		t.Errorf("a ruling without if_seq is answered %d %s", code, text)
	}
	if code, text := arbiter.post("/api/v1/command", `{"name":"resign","id":"4","args":{"color":"white"},"if_seq":1}`); code != 200 || !strings.Contains(text, "stale_seq") {
		t.Errorf("a ruling about the past is answered %d %s", code, text)
	}
	var audit struct {
		Role string `json:"role"`
		Name string `json:"name"`
		ID   string `json:"id"`
		From string `json:"from"`
	}
	got := recorded(t, a, "command")
	if len(got) != 1 || json.Unmarshal([]byte(got[0]), &audit) != nil || audit.Role != "arbiter" || audit.Name != "pause" || audit.From != "Ana O'Hara" || audit.ID != "1" {
		t.Errorf("on record is %q", got)
	}
}

// Who has the answer to a command finds on the page what it has done: while the board
// is about to answer, the page shows it already.
func TestPageShowsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	for i, stage := range []struct{ command, phase string }{{"pause", "paused"}, {"resume", "playing"}} {
		// The board cannot go on before somebody takes the answer.
		answer := make(chan web.Response)
		take := sync.OnceValue(func() web.Response { return <-answer })
		a.orders <- order{role: string(web.Arbiter), from: "page", at: a.now(), answer: answer, command: web.Command{
			Name: stage.command, ID: strconv.Itoa(i), Args: json.RawMessage("{}"),
		}}
		t.Cleanup(func() { take() })
		eventually(t, "the page shows that the game is "+stage.phase, func() bool { return shown(t, a).State.Phase == stage.phase })
		if r := take(); r.Status != "ok" {
			t.Errorf("%s is answered with %+v", stage.command, r)
		}
	}
}

// The page's table of commands is that of MQTT, and a few of its own.
func TestCommandsOfThePage(t *testing.T) {
	t.Parallel()
	table := mqtt.DefaultCommands()
	page := pageCommands()
	for role, of := range map[web.Role]mqtt.Role{web.Player: mqtt.Player, web.Arbiter: mqtt.Arbiter} {
		for _, name := range table[string(of)] {
			if !slices.Contains(page[role], name) {
				t.Errorf("%s may not %s on the page", role, name)
			}
		}
	}
	if len(page[web.Viewer]) != 0 {
		t.Errorf("viewers may %v", page[web.Viewer])
	}
}

// comesIn is a board that has looked for its tokens.
func comesIn(dir, listen string) (*App, error) {
	c := configs.Default()
	c.Web.Listen = listen
	a := newApp(Options{Config: c, Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	a.dir = dir
	var err error
	a.entered, err = a.entrance()
	return a, err
}

// greeting is what a board prints at its start.
func greeting(t *testing.T, a *App) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", a.config.Web.Listen)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	var out bytes.Buffer
	if err := a.greet(&out, ln); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A token that others can read is none.
func TestTokenThatOthersCanRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, tokenFile), []byte("correct horse battery"), 0o644); err != nil { //nolint:gosec // that is the mistake
		t.Fatal(err)
	}
	if _, err := comesIn(dir, "0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("it is answered with %v", err)
	}
}

// On the network the board makes its own token, once, and tells it once.
func TestTokenIsMade(t *testing.T) {
	dir := t.TempDir()
	start := func(listen string) (*App, error) { return comesIn(dir, listen) }
	at := func(a *App) string { return greeting(t, a) }
	t.Setenv("JOURNAL_STREAM", "")
	home, err := start("127.0.0.1:0")
	if err != nil || home.entered.access != nil {
		t.Fatalf("on loopback %+v, %v", home.entered, err)
	}
	if out := at(home); strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "http://127.0.0.1:") {
		t.Errorf("on loopback it prints %q", out)
	}
	open, err := start("0.0.0.0:0")
	if err != nil || open.entered.access == nil {
		t.Fatalf("on the network %+v, %v", open.entered, err)
	}
	file := filepath.Join(dir, "arbiter-token")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token's file: %v %v", info, err)
	}
	text, err := os.ReadFile(file)
	token := strings.TrimSpace(string(text))
	if err != nil || len(token) < 20 || open.entered.access.Arbiter != token {
		t.Fatalf("the token is %q, %v", token, err)
	}
	out := at(open)
	first, rest, _ := strings.Cut(out, "\n")
	if strings.Contains(first, "0.0.0.0") || !strings.HasPrefix(first, "http://") || !strings.Contains(rest, file) || !strings.Contains(rest, token) {
		t.Errorf("it prints %q", out)
	}
	t.Setenv("JOURNAL_STREAM", "8:1")
	if out := at(open); strings.Contains(out, token) || !strings.Contains(out, file) {
		t.Errorf("a service prints %q", out)
	}
	t.Setenv("JOURNAL_STREAM", "")
	again, err := start("0.0.0.0:0")
	if err != nil || again.entered.access.Arbiter != token {
		t.Fatalf("the second time %+v, %v", again.entered, err)
	}
	if out := at(again); strings.Contains(out, token) || !strings.Contains(out, file) {
		t.Errorf("the second time it prints %q", out)
	}
}

// underRules begins a game under a profile, with a clock.
func underRules(t *testing.T, profile, timed string) *desktop {
	t.Helper()
	c := configs.Default()
	p, err := configs.Event(profile)
	if err != nil {
		t.Fatal(err)
	}
	c.Game.Profile, c.Game.Officials, c.Game.Clock = profile, p, timed
	a := newApp(Options{Config: c, Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	if err := a.openJournal(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.closeJournal(); err != nil {
			t.Error(err)
		}
	})
	a.wake, a.rig, a.eyes = stoppedTimer(), &Rig{}, &Eyes{}
	d := &desktop{t, a}
	d.see(a.match.Rules.Start.Discs)
	if a.core.State.Phase != referee.Playing {
		t.Fatalf("the game has not begun: %v", a.core.State.Phase)
	}
	return d
}

// asks sends a command as somebody at the page.
func (d *desktop) asks(role web.Role, seat, name, args string) (code string) {
	d.t.Helper()
	seq := d.app.core.Seq()
	r := d.app.pageOrder(order{
		role: string(role), from: string(role) + seat, at: d.app.now(),
		command: web.Command{Name: name, ID: rand.Text(), Args: json.RawMessage(args), IfSeq: &seq, Role: role, Seat: seat},
	})
	return r.Code
}

// Clocks are pressed on the page, by whom they belong to.
func TestPressOnThePage(t *testing.T) {
	t.Parallel()
	d := underRules(t, "woc", "30:00")
	d.app.config.Sensing.Settle, d.app.config.Sensing.ScanHz = time.Microsecond, 1000000
	a := d.app
	d.see(a.core.State.Game.Place(square(t, "f5")).Discs)
	if a.core.State.Ply() != 0 {
		t.Fatal("the move is done before anybody has pressed")
	}
	if code := d.asks(web.Player, "white", "press", `{"color":"black"}`); code != "not_allowed" {
		t.Errorf("White's player presses Black's clock: %q", code)
	}
	if code := d.asks(web.Player, "black", "press", `{"color":"red"}`); code != "bad_payload" {
		t.Errorf("nobody's clock: %q", code)
	}
	if code := d.asks(web.Player, "black", "press", `{"color":"black"}`); code != "" || a.core.State.Ply() != 1 || a.core.State.Clock.Running != engine.White {
		t.Errorf("Black presses: %q, ply %d, %v runs", code, a.core.State.Ply(), a.core.State.Clock.Running)
	}
	// The same over MQTT.
	d.see(a.core.State.Game.Place(square(t, "d6")).Discs)
	a.mqttOrder(mqtt.Request{Role: mqtt.Player, Name: "press", ID: "1", RawArgs: []byte(`{"color":"white"}`)})
	if a.core.State.Ply() != 2 {
		t.Errorf("White presses over MQTT: ply %d", a.core.State.Ply())
	}
	home := underRules(t, "home", "5:00")
	if code := home.asks(web.Arbiter, "", "press", `{"color":"black"}`); code != "not_allowed" {
		t.Errorf("where moves end by themselves a press is answered %q", code)
	}
}

// A player takes moves back only if the other one agrees, in half a minute, and
// where the rules let players do so.
func TestTakebackIsAgreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := underRules(t, "home", "none")
		a := d.app
		ply := func(want int, when string) {
			t.Helper()
			if got := a.core.State.Ply(); got != want {
				t.Fatalf("%s: ply %d, want %d", when, got, want)
			}
		}
		d.moves("f5", "d6")
		if code := d.asks(web.Player, "white", "undo", `{"plies":1}`); code != "" {
			t.Fatalf("asking is answered %q", code)
		}
		ply(2, "before the answer")
		if v := a.takebackView(); v == nil || *v != (web.Takeback{By: "white", Plies: 1}) {
			t.Errorf("the page shows %+v", v)
		}
		if code := d.asks(web.Player, "white", "agree", ``); code != "not_allowed" {
			t.Errorf("White agrees to its own wish: %q", code)
		}
		if code := d.asks(web.Player, "black", "agree", ``); code != "" {
			t.Errorf("Black agrees: %q", code)
		}
		ply(1, "agreed")
		d.see(a.core.State.Game.Discs) // the hands have followed
		if code := d.asks(web.Player, "black", "agree", ``); code != "not_allowed" {
			t.Errorf("agreeing twice: %q", code)
		}
		strict := underRules(t, "woc", "none")
		if code := strict.asks(web.Player, "white", "undo", `{"plies":1}`); code != "not_allowed" {
			t.Errorf("at a championship: %q", code)
		}
	})
}

// A wish is void when it is declined, after half a minute, and when a move has been
// made since.
func TestTakebackIsVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := underRules(t, "home", "none")
		d.moves("f5")
		for _, c := range []struct {
			name string
			then func()
		}{
			{"declined", func() { d.asks(web.Player, "white", "decline", ``) }},
			{"too late", func() { time.Sleep(takebackTime) }},
			{"overtaken", func() { d.moves("d6") }},
		} {
			if code := d.asks(web.Player, "black", "undo", `{"plies":1}`); code != "" {
				t.Fatalf("%s: asking is answered %q", c.name, code)
			}
			if code := d.asks(web.Player, "white", "undo", `{"plies":1}`); code != "not_allowed" {
				t.Errorf("%s: a second wish is answered %q", c.name, code)
			}
			c.then()
			ply := d.app.core.State.Ply()
			if code := d.asks(web.Player, "white", "agree", ``); code != "not_allowed" || d.app.core.State.Ply() != ply {
				t.Errorf("%s: agreeing then is answered %q, ply %d", c.name, code, d.app.core.State.Ply())
			}
		}
		if code := d.asks(web.Arbiter, "", "undo", `{"plies":1}`); code != "" || d.app.core.State.Ply() != 1 {
			t.Errorf("an arbiter needs nobody: %q, ply %d", code, d.app.core.State.Ply())
		}
	})
}

// Over MQTT the answer to who asks is that of the other player, at the page or with a
// client of its own.
func TestTakebackOverMQTT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := underRules(t, "home", "none")
		a := d.app
		d.moves("f5", "d6")
		asked := func(from, name string) {
			t.Helper()
			seq := a.core.Seq()
			a.mqttOrder(mqtt.Request{Role: mqtt.Player, Name: name, ID: rand.Text(), From: from, IfSeq: &seq, RawArgs: []byte(`{}`)})
		}
		answer := ""
		wish := func() {
			t.Helper()
			answer = "none"
			asked("white", "undo")
			a.wish.reply = func(code, _ string) { answer = "code " + code }
		}
		wish()
		asked("white", "agree")
		if a.core.State.Ply() != 2 || answer != "none" {
			t.Errorf("who asks has agreed: ply %d, answered %s", a.core.State.Ply(), answer)
		}
		asked("black", "agree")
		if a.core.State.Ply() != 1 || answer != "code " {
			t.Errorf("the other one has agreed: ply %d, answered %s", a.core.State.Ply(), answer)
		}
		d.see(a.core.State.Game.Discs)
		for name, then := range map[string]func(){
			"declined on the page": func() { d.asks(web.Player, "black", "decline", ``) },
			"too late":             func() { time.Sleep(takebackTime); a.takebackView() },
		} {
			wish()
			if then(); a.core.State.Ply() != 1 || answer != "code not_allowed" {
				t.Errorf("%s: ply %d, answered %s", name, a.core.State.Ply(), answer)
			}
		}
		wish()
		if d.asks(web.Player, "black", "agree", ``); a.core.State.Ply() != 0 || answer != "code " {
			t.Errorf("agreed on the page: ply %d, answered %s", a.core.State.Ply(), answer)
		}
	})
}

// moves makes moves by the rules.
func (d *desktop) moves(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.see(d.app.core.State.Game.Place(square(d.t, name)).Discs)
	}
}

// visible is what the page is told, for players and for an arbiter.
func (d *desktop) visible() (public, full map[string]any) {
	d.t.Helper()
	text, err := d.app.core.Published()
	if err != nil {
		d.t.Fatal(err)
	}
	hidden, err := d.app.core.Public(d.app.now())
	if err != nil {
		d.t.Fatal(err)
	}
	if hidden == nil {
		hidden = text
	}
	if json.Unmarshal(hidden, &public) != nil || json.Unmarshal(text, &full) != nil {
		d.t.Fatal("the state is no JSON")
	}
	return public, full
}

// Where the lights are off the page tells players neither what a move turns, nor
// which squares are legal, nor what is wrong with the last move while it may be
// claimed; and afterwards all of it.
func TestPageHidesWhatTheLightsHide(t *testing.T) {
	t.Parallel()
	d := underRules(t, "woc", "30:00")
	a := d.app
	has := func(m map[string]any, texts ...string) bool {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(text, []byte(s)) })
	}
	public, full := d.visible()
	if has(public, `"legal":["`) || !has(full, `"legal":["`) {
		t.Errorf("legal squares: %v, all %v", public["legal"], full["legal"])
	}
	start := a.core.State.Game
	d.see(start.With(square(t, "f5"), engine.Black))
	public, full = d.visible()
	if has(public, `"e5"`) || !has(full, `"e5"`) {
		t.Errorf("while f5 lies there and e5 is to be turned players are told %v %v", public["guide"], public["pending"])
	}
	d.see(start.Place(square(t, "f5")).Discs)
	public, _ = d.visible()
	if has(public, `"e5"`) {
		t.Errorf("when e5 has been turned players are told %v", public["pending"])
	}
	a.step(referee.Pressed{At: a.now(), By: engine.Black})
	// White forgets d5 and presses.
	d.see(a.core.State.Game.With(square(t, "d6"), engine.White))
	a.step(referee.Pressed{At: a.now(), By: engine.White})
	if !a.core.State.Objection.Open {
		t.Fatal("nothing can be claimed")
	}
	public, full = d.visible()
	if has(public, `"d5"`, `"missed"`, `"irregular":true`) || public["objection"] != nil || !has(full, `"missed":["d5"]`) {
		t.Errorf("while d5 may be claimed players are told %v", public)
	}
	d.redactsEvents("d5")
	// The reply makes it stand: everybody may know.
	d.see(a.core.State.Game.With(square(t, "c3"), engine.Black))
	public, _ = d.visible()
	if a.core.State.Objection.Open || !has(public, `"missed":["d5"]`) || !has(public, `"irregular":true`) {
		t.Errorf("after the reply players are told %v", public["record"])
	}
	// With the lights always on there is nothing to hide.
	home := underRules(t, "home", "none")
	home.see(home.app.core.State.Game.With(square(t, "f5"), engine.Black))
	if public, _ := home.visible(); !has(public, `"e5"`) || !has(public, `"legal":["`) {
		t.Errorf("at home players are told %v", public)
	}
}

// publicView is what the page serves to everybody.
type publicView struct {
	State struct {
		Board     string `json:"board"`
		Irregular bool   `json:"irregular"`
		Ply       int    `json:"ply"`
		Last      *struct {
			Flipped []string `json:"flipped"`
		} `json:"last"`
		Start struct {
			Board string `json:"board"`
		} `json:"start"`
	} `json:"state"`
	Moves []web.Played `json:"moves"`
}

// served is what the page serves to somebody who is not logged in.
func (d *desktop) served() (v publicView) {
	d.t.Helper()
	page, err := web.New(web.Options{
		Command: d.app.pageCommand, Access: &web.Access{Arbiter: strings.Repeat("a", 26), Player: strings.Repeat("p", 26)},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	state, err := d.app.core.Published()
	if err != nil {
		d.t.Fatal(err)
	}
	page.Publish(d.app.view(state))
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/api/v1/state", http.NoBody)
	r.Host = "localhost"
	page.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		d.t.Fatalf("the page serves %s: %v", w.Body, err)
	}
	return v
}

// consistent fails the test unless the move list leads to the board that is served
// with it, line by line.
func (v *publicView) consistent(t *testing.T, when string) {
	t.Helper()
	discs, err := engine.ParseDiscs(v.State.Start.Board)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range v.Moves {
		turned, err := engine.ParseSquares(strings.Join(m.Turned, " "))
		if err != nil {
			t.Fatal(err)
		}
		shows := engine.Black
		if m.By == "white" {
			shows = engine.White
		}
		discs = engine.Discs{
			Black: discs.Black&^turned | discs.White&turned, White: discs.White&^turned | discs.Black&turned,
		}.With(square(t, m.Move), shows)
		if m.Black != discs.Black.Count() || m.White != discs.White.Count() {
			t.Errorf("%s: the move list says %d:%d after %s, and %d:%d lay there", when, m.Black, m.White, m.Move, discs.Black.Count(), discs.White.Count())
		}
	}
	if len(v.Moves) != v.State.Ply || discs.String() != v.State.Board {
		t.Errorf("%s: the move list leads to\n%s, on the board lies\n%s", when, discs, v.State.Board)
	}
	if n := len(v.Moves); n > 0 && !slices.Equal(v.Moves[n-1].Turned, v.State.Last.Flipped) {
		t.Errorf("%s: the move list says that %v were turned, the last move that %v were", when, v.Moves[n-1].Turned, v.State.Last.Flipped)
	}
}

// Whatever is forgotten or turned too much: the move list that anybody can read says
// what was turned on the board, and not what the rules would have turned, before and
// after it may be known.
func TestMoveListOfViewersSaysWhatWasTurned(t *testing.T) {
	t.Parallel()
	d := underRules(t, "woc", "30:00")
	a := d.app
	check := func(when string) publicView {
		t.Helper()
		v := d.served()
		v.consistent(t, when)
		return v
	}
	press := func(by engine.Color) { a.step(referee.Pressed{At: a.now(), By: by}) }
	// Black turns nothing.
	d.see(a.core.State.Game.With(square(t, "f5"), engine.Black))
	check("while the disc lies there")
	press(engine.Black)
	v := check("while the missing flip may be claimed")
	if v.State.Irregular || len(v.Moves) != 1 || v.Moves[0].Missed != nil || v.Moves[0].Black != 3 || v.Moves[0].White != 2 {
		t.Errorf("while the missing flip may be claimed everybody reads %+v", v)
	}
	// White turns e4, and d5 as well, which f4 does not outflank.
	d.see(a.core.State.Game.With(square(t, "f4"), engine.White).With(square(t, "e4"), engine.White).With(square(t, "d5"), engine.White))
	press(engine.White)
	v = check("after two moves")
	if len(v.Moves) != 2 || !slices.Equal(v.Moves[0].Missed, []string{"e5"}) || !v.State.Irregular {
		t.Errorf("once the first mistake stands everybody reads %+v", v)
	}
}

// redactsEvents fails the test unless the events so far keep a square from players,
// and say everything else.
func (d *desktop) redactsEvents(secret string) {
	d.t.Helper()
	for i, f := range d.app.waiting {
		got := f.Public
		_, moved := f.Event.(referee.Moved)
		_, wrong := f.Event.(referee.FlipError)
		switch {
		case wrong && (bytes.Contains(got, []byte("flip")) || !bytes.Contains(got, fmt.Appendf(nil, `"seq":%d`, f.Seq))), moved && bytes.Contains(got, []byte(`"`+secret+`"`)):
			d.t.Errorf("event %d: players are told %s", i, got)
		case moved && !bytes.Contains(got, []byte(`"move":"`)), !moved && !wrong && !bytes.Equal(got, f.Payload):
			d.t.Errorf("event %d: players are told %s of %s", i, got, f.Payload)
		}
	}
}

// At a club flips are told when the lights show them, and not before.
func TestPageWaitsWithTheLights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := underRules(t, "club", "none")
		a := d.app
		d.see(a.core.State.Game.With(square(t, "f5"), engine.Black))
		told := func() string {
			public, _ := d.visible()
			return fmt.Sprint(public["guide"], public["pending"])
		}
		if got := told(); strings.Contains(got, "e5") {
			t.Errorf("at once players are told %s", got)
		}
		time.Sleep(10 * time.Second)
		a.step(referee.Tick{At: a.now()})
		if got := told(); !strings.Contains(got, "e5") {
			t.Errorf("after ten seconds players are told %s", got)
		}
	})
}

// square reads a name.
func square(t *testing.T, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Who gives no role is at home.
func TestPageAtHome(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	if r := a.pageCommand(context.WithoutCancel(t.Context()), web.Command{Name: "pause", ID: "1"}); r.Status != "ok" {
		t.Fatalf("answered %+v", r)
	}
	if got := recorded(t, a, "command"); len(got) != 1 || !strings.Contains(got[0], `"role":"arbiter"`) || !strings.Contains(got[0], `"from":"page"`) {
		t.Errorf("on record is %q", got)
	}
}

// An order that must name the state that it is about is refused at both doors without:
// over MQTT and on the page by the same table.
func TestBothDoorsAskForTheState(t *testing.T) {
	t.Parallel()
	d := underRules(t, "home", "5:00")
	d.moves("f5", "d6")
	table := mqtt.DefaultCommands()
	for _, role := range []mqtt.Role{mqtt.Player, mqtt.Arbiter} {
		for _, name := range table[string(role)] {
			before := d.app.core.Seq()
			code, text := d.app.obeyPage(order{
				role: string(role), from: "somebody", at: d.app.now(), command: web.Command{Name: name, ID: rand.Text(), Role: web.Role(role)},
			})
			if asks := text == mqtt.NoSeq; asks != mqtt.NeedsSeq(name, role, true) || asks && (code != "bad_payload" || d.app.core.Seq() != before) {
				t.Errorf("%s of %s: %s %q, %d events", name, role, code, text, d.app.core.Seq()-before)
			}
			if d.app.core.State.Phase != referee.Playing {
				d.asks(web.Arbiter, "", "resume", `{}`)
			}
		}
	}
	for _, name := range []string{"new", "undo", "resign", "confirm"} {
		if !mqtt.NeedsSeq(name, mqtt.Arbiter, true) {
			t.Errorf("%s needs no state", name)
		}
	}
}

// What MQTT refuses by its form or because the state is old, the page refuses too.
func TestBothDoorsRefuseTheSameForms(t *testing.T) {
	t.Parallel()
	d := underRules(t, "home", "none")
	d.moves("f5")
	a := d.app
	deep := strings.Repeat(`{"x":`, 8) + `1` + strings.Repeat(`}`, 8)
	old := a.core.Seq() - 1
	for _, c := range []struct {
		name, args string
		seq        *uint64
		want       string
	}{
		{"press", `{"color":"black"}`, &old, "stale_seq"},
		{"agree", `{}`, &old, "stale_seq"},
		{"identify", `{}`, &old, "stale_seq"},
		{"pause", `{"reason":"a\u0000b"}`, nil, "bad_payload"},
		{"identify", deep, nil, "bad_payload"},
		{"identify", `{}`, nil, ""},
	} {
		r := a.pageOrder(order{role: "arbiter", from: "page", at: a.now(), command: web.Command{
			Name: c.name, ID: rand.Text(), Args: json.RawMessage(c.args), IfSeq: c.seq, Role: web.Arbiter,
		}})
		if r.Code != c.want {
			t.Errorf("%s %s: code %q (%s), want %q", c.name, c.args, r.Code, r.Error, c.want)
		}
	}
	if s := &a.core.State; s.Ply() != 1 || s.Phase != referee.Playing {
		t.Errorf("a refused command has changed the game: ply %d, %v", s.Ply(), s.Phase)
	}
}
