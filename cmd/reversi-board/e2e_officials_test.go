package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fetch reads JSON from the page's server.
func (p *process) fetch(path string, v any) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.cookie != "" {
		req.Header.Set("Cookie", p.cookie)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	err = json.NewDecoder(res.Body).Decode(v)
	_ = res.Body.Close() // it has been read
	if err != nil {
		p.t.Fatal(err)
	}
}

// timed is what the state says of the clocks.
type timed struct {
	TS     time.Time `json:"ts"`
	MonoMS int64     `json:"mono_ms"`
	Clock  struct {
		BlackMS int64     `json:"black_ms"`
		WhiteMS int64     `json:"white_ms"`
		Running string    `json:"running"`
		At      time.Time `json:"at"`
	} `json:"clock"`
	Guide struct {
		Flip []string `json:"flip"`
	} `json:"guide"`
	Pending *struct {
		ToFlip []string `json:"to_flip"`
	} `json:"pending"`
	Legal []string `json:"legal"`
	Phase string   `json:"phase"`
}

// left is what White's clock must show now, in seconds, counted from what the
// board says.
func (p *process) left() float64 {
	p.t.Helper()
	var v struct {
		State timed `json:"state"`
	}
	var now struct {
		MS int64 `json:"now_ms"`
	}
	p.fetch("/api/v1/state", &v)
	p.fetch("/api/v1/time", &now)
	s := v.State
	if s.Clock.Running != "white" {
		p.t.Fatalf("the clock of %s runs", s.Clock.Running)
	}
	touched := s.MonoMS - s.TS.Sub(s.Clock.At).Milliseconds()
	return float64(s.Clock.WhiteMS-(now.MS-touched)) / 1000
}

// clock reads White's clock on the page, in seconds.
func (p *tab) clock() float64 {
	p.t.Helper()
	var minutes, seconds int
	text := eval[string](p, `document.querySelector("#clock-white .time").textContent`)
	if _, err := fmt.Sscanf(text, "%d:%d", &minutes, &seconds); err != nil {
		p.t.Fatalf("the clock shows %q", text)
	}
	return float64(60*minutes + seconds)
}

// set fills in a field of the page.
func (p *tab) set(id, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = %q;
		for (const e of ["input", "change"]) f.dispatchEvent(new Event(e, { bubbles: true })); return true; })()`, id, value))
}

// push clicks a button wherever it is.
func (p *tab) push(id string) {
	p.t.Helper()
	p.until(patience, fmt.Sprintf(`document.getElementById(%q).checkVisibility() && !document.getElementById(%q).disabled`, id, id))
	eval[bool](p, fmt.Sprintf(`(document.getElementById(%q).click(), true)`, id))
}

// A game at a club, begun with a clock in the dialog and played with the page's
// clocks: what the lights hide is hidden, and the clocks are right whenever the page
// is opened.
func TestClubGameOnThePage(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	p := b.start()
	p.watch().phase("playing")
	tab := open(chromium(t), t, p.url)
	tab.push("new")
	tab.until(patience, `document.getElementById("new-game").open`)
	tab.set("profile", "club")
	tab.set("clock", "5:00")
	eval[bool](tab, `(document.querySelector('#new-form [value="start"]').click(), true)`)
	tab.until(patience, `document.getElementById("clock-black").classList.contains("runs") && !document.getElementById("new-game").open`)
	tab.click(cell("f5"))
	tab.until(patience, `document.getElementById("sentence").textContent.includes("f5")`)
	var v struct {
		State timed `json:"state"`
	}
	p.fetch("/api/v1/state", &v)
	if s := v.State; s.Pending == nil || len(s.Pending.ToFlip)+len(s.Guide.Flip)+len(s.Legal) != 0 {
		t.Errorf("before the lights show e5 the page says pending %+v, guide %v, legal %v", s.Pending, s.Guide, s.Legal)
	}
	tab.click(cell("e5"))
	tab.until(patience, `!document.querySelector('[data-square="e5"] .disc').classList.contains("is-white")`)
	tab.push("press-black")
	tab.until(patience, lines(1))
	tab.until(patience, `document.getElementById("clock-white").classList.contains("runs")`)
	for _, when := range []string{"after the press", "after a reload"} {
		if before, shown, after := p.left(), tab.clock(), p.left(); shown > math.Ceil(before+1) || shown < after-1 {
			t.Errorf("%s White's clock shows %v s, the board says %.1f to %.1f", when, shown, before, after)
		}
		tab.reload()
		tab.until(patience, `document.querySelector("#clock-white .time").textContent.startsWith("4:")`)
	}
	if left := p.left(); math.Abs(left-295) > 30 {
		t.Errorf("White has %v s of 300 left", left)
	}
}

// guard gives the page of a bench arbiterToken, and more settings.
func (b *bench) guard(more string) {
	b.t.Helper()
	secret := filepath.Join(b.t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte(arbiterToken+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.set("web: {", fmt.Sprintf("web: {%sarbiter_token_file: %q, ", more, secret))
}

// login sends the form of the page by which arbiters log in.
func (p *tab) login(name string) {
	p.t.Helper()
	p.push("account")
	p.set("token", arbiterToken)
	p.set("login-name", name)
	eval[bool](p, `(document.querySelector('#login-form [type="submit"]').click(), true)`)
}

// A board with a token: the console works for who has logged in, and the record says
// who ruled.
func TestArbiterLogsIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	b.guard("")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	if reply, err := p.post("/api/v1/hands", act{Op: "sweep"}); err != nil || reply.Status == "ok" {
		t.Errorf("a viewer sweeps the board: %+v, %v", reply, err)
	}
	tab := open(chromium(t), t, p.url)
	tab.until(patience, `document.body.dataset.role === "viewer" && !document.getElementById("console").checkVisibility()`)
	tab.login("Ana <b>")
	tab.until(patience, `document.getElementById("console").open && document.getElementById("who-am-i").textContent === "Arbiter: Ana <b>" && !document.getElementById("login").open`)
	tab.click(cell("f5"))
	tab.click(cell("e5"))
	tab.until(patience, lines(1))
	tab.push("rule-result")
	tab.set("f-result", "black")
	tab.set("f-black", "40")
	tab.set("f-white", "24")
	tab.set("f-reason", "agreed <i>")
	tab.push("sheet-next")
	tab.until(patience, `document.getElementById("sheet-words").textContent === "Black wins, 40 to 24. The game is over."`)
	tab.push("sheet-next")
	tab.until(patience, `document.body.dataset.phase === "over" && document.querySelector("#player-black .person").textContent.includes("wins 40 to 24 by decision")`)
	tab.quiet()
	p.kill()
	records := recordsOnDisk(t, b.dir)
	said := slices.IndexFunc(records, func(e event) bool { return e.Type == "command" })
	if said < 0 {
		t.Fatal("no command is on record")
	}
	var audit struct {
		Role string `json:"role"`
		Name string `json:"name"`
		From string `json:"from"`
		Args struct {
			Reason string `json:"reason"`
		} `json:"args"`
	}
	if err := json.Unmarshal(records[said].Data, &audit); err != nil || audit.Role != "arbiter" || audit.Name != "adjudicate" || audit.From != "Ana <b>" || audit.Args.Reason != "agreed <i>" {
		t.Errorf("on record is %s, %v", records[said].Data, err)
	}
	if log := p.stderr.String() + p.stdout.String(); strings.Contains(log, "correct horse") {
		t.Errorf("the token is in what the program says:\n%s", log)
	}
}

// Who is not logged in sees a game a minute later; until then the page's server says
// nothing of it. Who has the token sees it at once.
func TestViewersAreLate(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	b.guard("delay: 60s, ")
	p := b.start()
	read := func(token string) string {
		_, body := p.download("/api/v1/state", token)
		return string(body)
	}
	until(t, patience, "the arbiter sees the game", func() bool { return strings.Contains(read(arbiterToken), `"phase":"playing"`) })
	if got := read(""); !strings.Contains(got, `"state":null`) || !strings.Contains(got, "shown later") {
		t.Errorf("a viewer sees %s", got)
	}
}
