package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/chromedp"
)

// patient is a board whose health can be changed.
type patient struct {
	mu    sync.Mutex
	now   Health
	asked int
}

// sick is a board with one cell of every class and a chip that does not answer.
func sick() Health {
	h := Health{
		State: "bad", Summary: "5 cells are not believed; look at tca9555 0x27.", Cells: ".nsfgm?" + strings.Repeat(".", 57),
		Tables: []HealthTable{
			{Title: "Scanning", Columns: []string{"What", "Value"}, Rows: []HealthRow{
				{State: "good", Cells: []string{"scans a second", "50.0 of 50"}}, {Cells: []string{"bits on the bus a scan", "384"}},
			}},
			{Title: "Chips", Columns: []string{"Chip", "Cells", "State", "Reads", "Failed", "Set up", "Resets", "Wrong"}, Rows: []HealthRow{
				{State: "good", Cells: []string{"tca9555 0x26", "8", "live", "1000", "0", "1", "0", "0"}},
				{State: "bad", Cells: []string{"tca9555 0x27", "8", "absent", "200", "711", "1", "0", "0"}, Note: "It does not answer: <b>check</b> the solder joints."},
			}},
			{Title: "Computer", Columns: []string{"What", "Value"}, Rows: []HealthRow{{State: "warn", Cells: []string{"clock", "not set from the network"}}}},
		},
	}
	for i := range h.Margins {
		h.Margins[i] = 100
	}
	h.Margins[1], h.Flaps[3] = 40, 19.6
	for _, i := range []int{2, 3, 4, 5, 6} {
		h.Margins[i] = 0
	}
	return h
}

func (p *patient) health() Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return p.now
}

// becomes changes how the board is.
func (p *patient) becomes(change func(h *Health)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next Health // the old one may be on its way to a browser
	b, err := json.Marshal(p.now)
	if err != nil || json.Unmarshal(b, &next) != nil {
		panic("health is no JSON")
	}
	change(&next)
	p.now = next
}

// Without somebody to ask there is no health view, and no way to it.
func TestNoHealthView(t *testing.T) {
	t.Parallel()
	s := plain(t, nil)
	for _, path := range []string{"/health", "/api/v1/health", "/api/v1/health/stream"} {
		if w := ask(s, http.MethodGet, path, "", nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := ask(s, http.MethodGet, "/", "", nil); strings.Contains(w.Body.String(), `href="/health"`) {
		t.Error("the page links to it")
	}
}

// The health view is guarded like the page; all who look at it cost one question
// a second.
func TestHealthIsAskedForOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patient{now: sick()}
		s := plain(t, func(o *Options) { o.Health = p.health })
		for range 20 {
			w := ask(s, http.MethodGet, "/api/v1/health", "", nil)
			var got Health
			if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &got) != nil || got.Cells != p.now.Cells || len(got.Tables) != 3 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Cache-Control") != "no-store" {
				t.Fatalf("headers %v", w.Header())
			}
			time.Sleep(100 * time.Millisecond)
		}
		if p.asked > 3 {
			t.Errorf("asked %d times in two seconds", p.asked)
		}
		w := ask(s, http.MethodGet, "/api/v1/health", "", func(r *http.Request) { r.Host = "evil.example" })
		if w.Code != http.StatusMisdirectedRequest {
			t.Errorf("under a foreign name: %d", w.Code)
		}
	})
}

// An open view is told once a second, and hears from the server also while
// nothing changes; it ends with the server.
func TestHealthStream(t *testing.T) {
	p := &patient{now: sick()}
	bubble(t, func(o *Options) { o.Health = p.health }, func(t *testing.T, _ *Server, w *wire) {
		l := dialTo(t, w, "/api/v1/health/stream", "")
		defer l.close()
		first := l.want("snapshot")
		if !strings.Contains(first.data, `"state":"bad"`) || first.id != "" {
			t.Errorf("%+v", first)
		}
		for range 3 {
			if m, err := l.next(); err != nil || m.comment != "same" {
				t.Fatalf("while nothing changes: %+v %v", m, err)
			}
		}
		begin := time.Now()
		p.becomes(func(h *Health) { h.State = "good" })
		if m := l.want("snapshot"); !strings.Contains(m.data, `"state":"good"`) || time.Since(begin) > 2*time.Second {
			t.Errorf("%v after the change: %+v", time.Since(begin), m)
		}
	})
}

// Too many open views are refused, and the rest goes on.
func TestHealthStreamsAreBounded(t *testing.T) {
	p := &patient{now: sick()}
	bubble(t, func(o *Options) { o.Health = p.health }, func(t *testing.T, s *Server, w *wire) {
		for range maxHealth {
			l := dialTo(t, w, "/api/v1/health/stream", "")
			defer l.close()
			l.want("snapshot")
		}
		if r := ask(s, http.MethodGet, "/api/v1/health/stream", "", nil); r.Code != http.StatusServiceUnavailable {
			t.Errorf("one more: %d", r.Code)
		}
		if r := ask(s, http.MethodGet, "/api/v1/health", "", nil); r.Code != http.StatusOK {
			t.Errorf("the report: %d", r.Code)
		}
	})
}

// The health view in the browser: on every screen, as tables that a screen
// reader understands, live.
func TestHealthViewInTheBrowser(t *testing.T) {
	b := browser(t)
	for name, sc := range screens() {
		t.Run(name, func(t *testing.T) {
			p := &patient{now: sick()}
			s := plain(t, func(o *Options) { o.Health = p.health })
			tab := b.open(t, serve(t, s)+"/health", sc)
			tab.t = t
			tab.fits()
			tab.shoot("health-" + name)
			tab.hasTables()
			tab.hasMap()
			// What changes is changed in place: a reader keeps the place.
			tab.run(chromedp.Evaluate[chromedp.Void](`window.kept = document.querySelector(".chart td")`))
			p.becomes(func(h *Health) {
				h.State, h.Summary, h.Cells = "good", "All 64 cells are good.", strings.Repeat(".", 64)
				h.Tables[0].Rows[0].Cells[1] = "49.9 of 50"
			})
			tab.until(`document.getElementById("summary").textContent === "All 64 cells are good."`)
			tab.until(`document.querySelectorAll('#map td[data-class="."]').length === 64`)
			if !eval[bool](tab, `window.kept.isConnected && window.kept.textContent === "49.9 of 50"`) {
				t.Error("the table has been built anew")
			}
			// A chip more makes another table.
			p.becomes(func(h *Health) {
				h.Tables[1].Rows = append(h.Tables[1].Rows, HealthRow{State: "good", Cells: []string{"tca9555 0x28", "8", "live", "1", "0", "1", "0", "0"}})
			})
			tab.until(`[...document.querySelectorAll(".chart th .name")].some((e) => e.textContent === "tca9555 0x28")`)
			tab.quiet()
		})
	}
}

// hasTables looks at the tables as a screen reader does.
func (p *tab) hasTables() {
	p.t.Helper()
	for expression, want := range map[string]string{
		`[...document.querySelectorAll(".chart caption")].map((c) => c.textContent).join()`:                             "Scanning,Chips,Computer",
		`[...document.querySelectorAll(".chart:nth-of-type(2) thead th")].map((h) => h.scope + " " + h.textContent)[2]`: "col State",
		`document.querySelectorAll(".chart tbody th[scope=row]").length + ""`:                                           "5",
		`document.querySelector('tr[data-state="bad"] th').textContent`:                                                 "✗bad: tca9555 0x27",
		`document.querySelector('tr[data-state="warn"] th').textContent`:                                                "!look at this: clock",
		`document.querySelector("tr.note").textContent`:                                                                 "It does not answer: <b>check</b> the solder joints.",
		`document.getElementById("summary").getAttribute("role")`:                                                       "status",
	} {
		if got := eval[string](p, expression); got != want {
			p.t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
}

// hasMap looks at the map of the cells: every class can be told without color.
func (p *tab) hasMap() {
	p.t.Helper()
	for i, want := range []string{
		"|100|good, margin 100", "≈|40|noisy, margin 40", "■||stuck", "⇅||flapping, 19.6 changes a second", "◌||ghost", "✕||masked", "?||no data",
	} {
		got := eval[string](p, fmt.Sprintf(`[...document.querySelector('[data-square="%c1"]').children].map((e) => e.textContent).join("|")`, 'a'+i))
		if got != want {
			p.t.Errorf("%c1 is %q, want %q", 'a'+i, got, want)
		}
	}
	if got := eval[string](p, `[...document.querySelectorAll("#map th")].map((h) => h.scope[0] + h.textContent).join("")`); got != "cacbcccdcecfcgchr1r2r3r4r5r6r7r8" {
		p.t.Errorf("headers %q", got)
	}
	// Only what there is has a line in the key.
	if n := eval[float64](p, `[...document.querySelectorAll("#classes li")].filter((e) => !e.hidden).length`); n != 7 {
		p.t.Errorf("%v lines in the key", n)
	}
	if eval[float64](p, `parseFloat(getComputedStyle(document.querySelector('[data-square="c1"]')).borderTopWidth)`) < 1.5 {
		p.t.Error("a cell that is not believed has the frame of a good one")
	}
}

// The builder finds the health view from the page, and back.
func TestWayToTheHealthView(t *testing.T) {
	b := browser(t)
	p := &patient{now: sick()}
	tb := newTable(t, func(o *Options) { o.Health = p.health })
	tb.play("f5")
	url := serve(t, tb.server)
	tab := b.open(t, url, laptop())
	tab.run(chromedp.Click(chromedp.CSS(`footer a[href="/health"]`)))
	tab.until(`location.pathname === "/health" && document.body.classList.contains("ready")`)
	tab.run(chromedp.Click(chromedp.CSS(`footer a[href="/"]`)))
	tab.until(`location.pathname === "/" && document.body.classList.contains("ready")`)
	tab.quiet()
}

// A question is asked on the page, and the answer is a command about what the
// visitor looks at.
func TestQuestionIsAsked(t *testing.T) {
	b := browser(t)
	tb := newTable(t, nil)
	tb.play("f5")
	tab := b.open(t, serve(t, tb.server), phone())
	tab.until(`document.getElementById("question").hidden`)
	tb.mu.Lock()
	tb.question = &Question{Text: "Has a disc been placed on f6 or d6?", Squares: []string{"f6", "d6"}}
	tb.publish()
	tb.mu.Unlock()
	tab.until(`!document.getElementById("question").hidden`)
	tab.fits()
	tab.shoot("question-phone")
	if got := eval[string](tab, `document.getElementById("question").innerText.replace(/\s+/g, " ").trim()`); got != "Has a disc been placed on f6 or d6? On f6 On d6" {
		t.Errorf("asked %q", got)
	}
	tb.asked()
	tab.run(chromedp.Click(chromedp.CSS(`#answers button:last-child`)))
	var said []Command
	for deadline := time.Now().Add(10 * time.Second); len(said) == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		said = tb.asked()
	}
	if len(said) != 1 || said[0].Name != "confirm" || string(said[0].Args) != `{"square":"d6"}` || said[0].IfSeq == nil {
		t.Errorf("answered %+v", said)
	}
	tab.quiet()
}
