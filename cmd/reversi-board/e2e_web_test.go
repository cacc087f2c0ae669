package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reversi-board/display/web/browsertest"
)

// view is what the page is told.
type view struct {
	State       state             `json:"state"`
	Sentence    string            `json:"sentence"`
	Table       string            `json:"table"`
	Connections map[string]string `json:"connections"`
	Moves       []struct {
		Move  string `json:"move"`
		Black int    `json:"black"`
		White int    `json:"white"`
	} `json:"moves"`
	Alerts []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"alerts"`
}

// state is the state payload as far as the tests look at it.
type state struct {
	Seq        uint64   `json:"seq"`
	Boot       int      `json:"boot"`
	Phase      string   `json:"phase"`
	Step       string   `json:"step"`
	Turn       string   `json:"turn"`
	Ply        int      `json:"ply"`
	Board      string   `json:"board"`
	Sensed     string   `json:"sensed"`
	FP         string   `json:"board_fp"`
	Legal      []string `json:"legal"`
	Transcript string   `json:"transcript"`
	Guide      struct {
		Flip   []string `json:"flip"`
		Place  []string `json:"place"`
		Remove []string `json:"remove"`
	} `json:"guide"`
	Result *struct {
		Result string `json:"result"`
		Black  int    `json:"black"`
		White  int    `json:"white"`
		Reason string `json:"reason"`
	} `json:"result"`
	Problem struct {
		Active  bool     `json:"active"`
		Code    string   `json:"code"`
		Squares []string `json:"squares"`
	} `json:"problem"`
	Players struct {
		Black string `json:"black"`
		White string `json:"white"`
	} `json:"players"`
}

// watch reads the page's stream.
type watch struct {
	t *testing.T

	mu     sync.Mutex
	news   chan struct{}
	view   view
	events []event
	leds   [64][3]byte
	frames int // pictures of the LEDs
	ended  bool
}

// watch opens the stream and waits for the first view.
func (p *process) watch() *watch {
	p.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(p.t.Context()))
	w := &watch{t: p.t, news: make(chan struct{})}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/v1/stream", http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.cookie != "" {
		req.Header.Set("Cookie", p.cookie)
	}
	client := &http.Client{Transport: &http.Transport{}}
	res, err := client.Do(req) //nolint:bodyclose // the goroutine that reads closes it
	if err != nil {
		stop()
		p.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.read(res)
	}()
	p.t.Cleanup(func() {
		stop()
		<-done
		client.CloseIdleConnections()
	})
	// The page answers before the board has looked for the first time.
	w.until(patience, "a first state", func(w *watch) bool { return w.view.State.Phase != "" })
	return w
}

// read takes messages until the stream ends.
func (w *watch) read(res *http.Response) {
	kind, data := "", ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			kind = value
		case name == "data":
			data = value
		case name == "" && data != "":
			// The empty line: what a board that is killed had begun to say has none.
			w.take(kind, []byte(data))
			data = ""
		}
	}
	_ = res.Body.Close() // the stream is over either way
	w.mu.Lock()
	w.ended = true
	w.changed()
	w.mu.Unlock()
}

// changed tells those who wait; the caller holds mu.
func (w *watch) changed() {
	close(w.news)
	w.news = make(chan struct{})
}

func (w *watch) take(kind string, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	switch kind {
	case "snapshot":
		var s struct {
			View view   `json:"view"`
			LEDs string `json:"leds"`
		}
		err = json.Unmarshal(data, &s)
		w.view = s.View
		w.light([]byte(s.LEDs))
	case "view":
		w.view = view{}
		err = json.Unmarshal(data, &w.view)
	case "event":
		e := event{raw: data}
		err = json.Unmarshal(data, &e)
		w.events = append(w.events, e)
	case "leds":
		w.light(data)
	}
	if err != nil {
		w.t.Errorf("%v in the stream: %.200s", err, data)
	}
	w.changed()
}

func (w *watch) light(text []byte) {
	var raw [192]byte
	if n, err := base64.StdEncoding.Decode(raw[:], text); err != nil || n != len(raw) {
		w.t.Errorf("LEDs %q: %v", text, err)
	}
	for i := range w.leds {
		w.leds[i] = [3]byte(raw[3*i:])
	}
	w.frames++
}

// until waits for something to be seen on the stream. The condition is called
// with the lock held.
func (w *watch) until(limit time.Duration, what string, is func(w *watch) bool) {
	w.t.Helper()
	end := time.After(limit)
	for {
		w.mu.Lock()
		good, ended, news := is(w), w.ended, w.news
		w.mu.Unlock()
		if good {
			return
		}
		if ended {
			w.t.Fatalf("%s: the stream ended before", what)
		}
		select {
		case <-news:
		case <-end:
			v := w.look()
			w.t.Fatalf("%s: not on the page within %v; it says %q, seq %d, phase %s, step %s, moves %s, guide %+v\ntable  %s\nsensed %s\nrecord %s",
				what, limit, v.Sentence, v.State.Seq, v.State.Phase, v.State.Step, v.State.Transcript, v.State.Guide, v.Table, v.State.Sensed, v.State.Board)
		}
	}
}

// look returns the newest view.
func (w *watch) look() view {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.view
}

// announced returns the events so far.
func (w *watch) announced() []event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// phase waits for a phase.
func (w *watch) phase(want string) {
	w.t.Helper()
	w.until(patience, "phase "+want, func(w *watch) bool { return w.view.State.Phase == want })
}

// act is the body of a request to the hands.
type act struct {
	Op     string `json:"op"`
	Square string `json:"square,omitempty"`
	Color  string `json:"color,omitempty"`
}

// post sends a JSON request and returns the answer.
func (p *process) post(path string, body any) (reply answer, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return reply, err
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+path, bytes.NewReader(text))
	if err != nil {
		return reply, err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.cookie != "" {
		req.Header.Set("Cookie", p.cookie)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply, err
	}
	for _, c := range res.Cookies() {
		if !strings.HasSuffix(c.Name, "-known") {
			p.cookie = c.Name + "=" + c.Value
		}
	}
	err = json.NewDecoder(res.Body).Decode(&reply)
	_ = res.Body.Close() // it has been read
	return reply, err
}

// hand does one act and fails the test if it is refused.
func (p *process) hand(a act) {
	p.t.Helper()
	reply, err := p.post("/api/v1/hands", a)
	if err != nil || reply.Status != "ok" {
		p.t.Fatalf("%+v: %+v %v", a, reply, err)
	}
}

// play places a disc, turns what it outflanks, and waits until the move, and
// passes after it, are on the page.
func (p *process) play(w *watch, m ply) {
	p.t.Helper()
	p.hand(act{Op: "place", Square: m.square, Color: m.by.String()})
	for _, s := range m.flips {
		p.hand(act{Op: "turn", Square: s})
	}
	w.until(patience, fmt.Sprintf("line %d, %s by %v", m.lines, m.square, m.by), func(w *watch) bool {
		return len(w.view.Moves) == m.lines
	})
}

// chromium starts a browser.
func chromium(t *testing.T) *browsertest.Browser {
	t.Helper()
	return browsertest.Start(t)
}

// tab is a page in the browser.
type tab struct {
	*browsertest.Tab
	t *testing.T
}

// open shows a page of the board.
func open(browser *browsertest.Browser, t *testing.T, url string) *tab {
	t.Helper()
	p := &tab{browser.Open(t, url, browsertest.Screen{Width: 1280, Height: 800}), t}
	t.Cleanup(p.quiet)
	return p
}

// reload opens the page anew.
func (p *tab) reload() { p.t.Helper(); p.Reload() }

// quiet fails the test if the browser complained, and lets it complain from now
// on: about a program that has been stopped, for example.
func (p *tab) quiet() {
	p.t.Helper()
	p.Quiet()
	p.Ignore()
}

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) { p.t.Helper(); p.Run(actions...) }

// eval returns the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	return browsertest.Eval[T](p.Tab, expression)
}

// until waits for a condition in the page and returns how long that took there.
func (p *tab) until(limit time.Duration, condition string) time.Duration {
	p.t.Helper()
	return p.Until(limit, condition)
}

// lines is a condition: the move list has n lines.
func lines(n int) string { return fmt.Sprintf(`document.querySelectorAll(".move").length === %d`, n) }

// atLeast is a condition: the move list has n lines or more.
func atLeast(n int) string {
	return fmt.Sprintf(`document.querySelectorAll(".move").length >= %d`, n)
}

func (p *tab) click(selector string) { p.t.Helper(); p.Click(selector) }

func cell(square string) string { return fmt.Sprintf("[data-square=%q]", square) }

// lit returns the squares whose light asks for their disc to be turned, sorted
// as in the program.
const lit = `[...document.querySelectorAll('.cell.lit[data-mark="flip"]')].map((c) => c.dataset.square).join(" ")`

// playByMouse clicks the empty square, then every disc that the lights ask to
// turn, and waits for the move in the list.
func (p *tab) playByMouse(m ply) {
	p.t.Helper()
	p.moveByMouse(m)
	p.until(patience, lines(m.lines))
}

// moveByMouse is playByMouse when others go on at once: their moves may be in
// the list as well.
func (p *tab) moveByMouse(m ply) {
	p.t.Helper()
	p.click(cell(m.square))
	p.until(patience, fmt.Sprintf(`%s === %q`, lit, strings.Join(m.flips, " ")))
	for s := range strings.FieldsSeq(eval[string](p, lit)) {
		p.click(cell(s))
	}
	p.until(patience, atLeast(m.lines))
}
