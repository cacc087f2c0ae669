package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/chromedp/cdproto/emulation"
)

// fakeTournaments shows what it is given and notes what it is asked for.
type fakeTournaments struct {
	mu   sync.Mutex
	view string
	news chan struct{}
	acts []string
	err  error
}

func (f *fakeTournaments) View(_ context.Context, id string) (json.RawMessage, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.news == nil {
		f.news = make(chan struct{})
	}
	if id == "nowhere" {
		return json.RawMessage(`{"list":[],"sheet":null,"error":"there is no such tournament","board":"rv-test","variants":[],"profiles":[]}`), f.news
	}
	return json.RawMessage(f.view), f.news
}

func (f *fakeTournaments) show(view string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = view
	if f.news != nil {
		close(f.news)
	}
	f.news = make(chan struct{})
}

func (f *fakeTournaments) Do(_ context.Context, by string, a TournamentAct) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acts = append(f.acts, fmt.Sprint(by, " ", a.Do, " ", a.ID, " ", a.Table))
	return f.err
}

func (f *fakeTournaments) Export(_ context.Context, id, what string) ([]byte, error) {
	if id != "open" {
		return nil, errors.New("there is no such tournament")
	}
	return []byte("place,name\r\n1," + what + "\r\n"), nil
}

// asked returns what was asked for.
func (f *fakeTournaments) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.acts)
}

// Everybody may look; only an arbiter may change something.
func TestTournamentRoles(t *testing.T) {
	f := &fakeTournaments{view: `{"list":[]}`}
	s := plain(t, func(o *Options) {
		guarded(o)
		o.Tournaments = f
	})
	const act = `{"do":"pair","id":"open"}`
	arbiter, player := entered(t, s, forArbiter, "Vera", ""), entered(t, s, forPlayer, "Ana", "black")
	for _, c := range []struct {
		who    string
		change func(*http.Request)
		code   int
		may    bool
	}{
		{"viewer", nil, 403, false},
		{"player", with(player), 403, false},
		{"player's token", bearing(forPlayer), 403, false},
		{"wrong token", bearing("not-the-token"), 401, false},
		{"arbiter", with(arbiter), 200, true},
		{"arbiter's token", bearing(forArbiter), 200, true},
	} {
		if w := ask(s, http.MethodPost, "/api/v1/tournament", act, c.change); w.Code != c.code {
			t.Errorf("%s: status %d, want %d", c.who, w.Code, c.code)
		}
		if c.code == http.StatusUnauthorized {
			continue
		}
		w := ask(s, http.MethodGet, "/api/v1/tournament", "", c.change)
		var got tournamentSnapshot
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.May != c.may || !got.Login {
			t.Errorf("%s sees %d %s", c.who, w.Code, w.Body)
		}
	}
	if got := f.asked(); !slices.Equal(got, []string{"Vera pair open 0", "bearer pair open 0"}) {
		t.Errorf("done: %q", got)
	}
	for _, path := range []string{"/tournament", "/api/v1/tournament/open/standings.csv"} {
		if w := ask(s, http.MethodGet, path, "", nil); w.Code != 200 {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// Without tournaments there is no such page, and no link to it.
func TestNoTournaments(t *testing.T) {
	s := plain(t, nil)
	for _, path := range []string{"/tournament", "/api/v1/tournament", "/api/v1/tournament/stream", "/api/v1/tournament/open/players.csv"} {
		if w := ask(s, http.MethodGet, path, "", nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	if w := ask(s, http.MethodGet, "/", "", nil); strings.Contains(w.Body.String(), "/tournament") {
		t.Error("the page links to what is not there")
	}
}

func TestTournamentAnswers(t *testing.T) {
	f := &fakeTournaments{view: `{"list":[]}`}
	s := plain(t, func(o *Options) { o.Tournaments = f })
	if w := ask(s, http.MethodGet, "/", "", nil); !strings.Contains(w.Body.String(), `href="/tournament"`) {
		t.Error("the page does not link to the tournament")
	}
	w := ask(s, http.MethodGet, "/api/v1/tournament/open/results.csv", "", nil)
	if h := w.Header(); w.Code != 200 || h.Get("Content-Type") != "text/csv; charset=utf-8" ||
		h.Get("Content-Disposition") != `attachment; filename="results.csv"` || w.Body.String() != "place,name\r\n1,results\r\n" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	for _, path := range []string{"/api/v1/tournament/open/secrets.csv", "/api/v1/tournament/nowhere/results.csv"} {
		if w := ask(s, http.MethodGet, path, "", nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	for body, code := range map[string]int{
		`{"do":"result","id":"open","round":1,"table":2,"black_discs":40,"white_discs":24}`: 200,
		`{"do":"create","name":"Open"}`:                         200,
		`{"do":"dance","id":"open"}`:                            400,
		`{"do":"pair"}`:                                         400,
		`{"do":"pair","id":"open","x":1}`:                       400,
		`{"do":"pair","id":"` + strings.Repeat("x", 400) + `"}`: 400,
		`{"do":"pair","id":7}`:                                  400,
		`[]`:                                                    400,
		`{"do":"players","text":"` + strings.Repeat("x", 9000) + `"}`: 413,
	} {
		if w := ask(s, http.MethodPost, "/api/v1/tournament", body, nil); w.Code != code {
			t.Errorf("%.60s: status %d, want %d", body, w.Code, code)
		}
	}
	f.err = errors.New("table 2 has a result already")
	w = ask(s, http.MethodPost, "/api/v1/tournament", `{"do":"result","id":"open","table":2}`, nil)
	if r := answerOf(t, w); w.Code != 200 || r.Status != "error" || r.Error != "table 2 has a result already" {
		t.Errorf("%d %+v", w.Code, r)
	}
}

// Who looks gets a new snapshot when there is something new.
func TestTournamentStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeTournaments{view: `{"n":1}`}
		s := plain(t, func(o *Options) { o.Tournaments = f })
		w := newWire()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, w) }()
		e := dialTo(t, w, "/api/v1/tournament/stream?id=open", "")
		if m, _ := e.next(); m.kind != "snapshot" || m.data != `{"may":true,"login":false,"view":{"n":1}}` {
			t.Errorf("%+v", m)
		}
		f.show(`{"n":2}`)
		if m, _ := e.next(); m.data != `{"may":true,"login":false,"view":{"n":2}}` {
			t.Errorf("%+v", m)
		}
		if m, _ := e.next(); m.comment == "" {
			t.Errorf("no sign of life, but %+v", m)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// FuzzDecodeTournament: whatever is sent, nothing panics, and what is accepted is
// known and short.
func FuzzDecodeTournament(f *testing.F) {
	for _, body := range []string{
		`{"do":"pair","id":"open"}`, `{"do":"correct","id":"x","round":1,"table":1,"reason":"so","declared":true,"winner":"none"}`, `{}`, `[`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := decodeTournament(body)
		if err == nil && (a.Do == "" || len([]rune(a.ID)) > maxActText || a.ID == "" && a.Do != TournamentCreate) {
			t.Errorf("accepted: %+v", a)
		}
	})
}

// bigView is a tournament with names that are long, and that try to be more than
// text.
func bigView() string {
	type m = map[string]any
	names := []string{"Ana", `<img src=x onerror="document.title='broken'">`, "Dr. Maximiliane-Theodora von und zu Hohenzollern-Sigmaringen-Lux", "=1+1"}
	var standings, seats []m
	for i, n := range names {
		standings = append(standings, m{
			"place": i + 1, "number": i + 1, "name": n, "club": "Reversi Club of a Town with a Very Long Name", "rating": 1500, "lot": 4 - i,
			"games": 11, "wins": 10, "draws": 0, "losses": 1, "byes": 0, "points": "10½", "discs": 512, "against": 192, "difference": 320, "brightwell": "1024½",
		})
	}
	result := m{"winner": "black", "black_discs": 53, "white_discs": 10, "black_score": 54, "white_score": 10, "reason": "adjudicated", "note": names[1], "entered": "board", "board": "rv-test", "at": ""}
	for i := range 2 {
		seat := m{"id": "x", "table": i + 1, "black": standings[2*i], "white": standings[2*i+1], "bye": false, "result": nil, "playing": ""}
		if i == 1 {
			seat["result"], seat["contradicted"] = result, result
		}
		seats = append(seats, seat)
	}
	seats = append(seats, m{"id": "y", "table": 0, "black": standings[2], "white": nil, "bye": true, "result": nil})
	text := mustJSON(m{
		"list": []m{{"id": "open", "name": "Open", "day": "2026-11-30"}, {"id": "b", "name": names[2], "day": ""}}, "error": "", "board": "rv-test",
		"variants": []string{"classic", "festival"}, "profiles": []string{"home", "club"},
		"sheet": m{
			"id": "open", "name": names[2], "day": "2026-11-30", "place": names[1], "system": "festival", "variant": "festival", "profile": "festival",
			"clock": "game 20:00", "breaks": []string{"discs", "points"}, "factor": 6, "colors": "lots", "status": "running", "round": 2,
			"total_rounds": 5, "fewest": false, "next_refusal": "table 1 of round 2 has not ended: the round cannot be paired",
			"standings": standings, "pairings": []m{{"round": 1, "tables": seats}, {"round": 2, "tables": seats}},
			"changes": []m{{"round": 1, "table": 2, "at": "2026-11-30T10:00:00Z", "by": names[1], "what": "corrected", "old": "54–10", "new": "10–54", "reason": names[1]}},
			"byes":    []m{}, "unpaired": standings[:2], "stuck": true,
			"warning": "after round 2 no round can be paired without a rematch or a second bye: pair by hand, pair with rematches, or end the tournament here",
		},
	})
	return string(text)
}

// The page fits phone, laptop, television and paper, in light and dark, and names
// are text, whatever they hold.
func TestTournamentPageFits(t *testing.T) {
	b := browser(t)
	f := &fakeTournaments{view: bigView()}
	url := serve(t, plain(t, func(o *Options) { o.Tournaments = f }))
	for name, size := range map[string]screen{
		"phone": {Width: 360, Height: 740}, "phone-dark": {Width: 360, Height: 740, Dark: true},
		"laptop": {Width: 1280, Height: 800}, "tv": {Width: 1920, Height: 1080, Dark: true},
	} {
		p := b.open(t, url+"/tournament", size)
		p.until(`document.querySelectorAll(".seat").length === 3`)
		p.fits()
		if got := eval[string](p, `document.querySelector("#rows tr:nth-child(2) th").textContent`); got != `<img src=x onerror="document.title='broken'">` {
			t.Errorf("the name is %q", got)
		}
		if n := eval[int](p, `document.querySelectorAll("img").length`); n != 0 {
			t.Errorf("%d images", n)
		}
		// A dead end has its exits, and what else is in the way is said.
		if got := eval[string](p, `document.getElementById("pair-says").textContent`); !strings.Contains(got, "Not paired in this round: Ana") || !strings.Contains(got, "or end the tournament here.") {
			t.Errorf("beside the button stands %q", got)
		}
		if !eval[bool](p, `document.getElementById("again").checkVisibility() && document.getElementById("match").checkVisibility() && document.getElementById("plan").checkVisibility()`) {
			t.Error("there is no way out")
		}
		p.shoot("tournament-" + name)
		p.quiet()
	}
	paper := b.open(t, url+"/tournament", screen{Width: 794, Height: 1123, Dark: true})
	call(paper, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	paper.until(`getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`)
	if got := eval[string](paper, `getComputedStyle(document.querySelector("#rows td")).color`); got != "rgb(0, 0, 0)" {
		t.Errorf("on paper the table is %s", got)
	}
	if n := eval[int](paper, `[...document.querySelectorAll("button, select, a")].filter((e) => e.checkVisibility()).length`); n != 0 {
		t.Errorf("%d things to press are on paper", n)
	}
	paper.fits()
	paper.shoot("tournament-paper")
	paper.quiet()
	p := b.open(t, url+"/tournament?id=nowhere", screen{Width: 360, Height: 740})
	p.until(`document.getElementById("how").textContent === "There is no such tournament."`)
	p.quiet()
}
