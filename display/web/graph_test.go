package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// evaluate publishes evaluations, one after every ply; "?" is not known.
func (tb *table) evaluate(values ...any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.evals = make([]*int, len(values))
	for i, v := range values {
		if n, ok := v.(int); ok {
			tb.evals[i] = &n
		}
	}
	tb.publish()
}

// columns are what is drawn of the discs, as ply:difference.
const columns = `[...document.querySelectorAll("#plot .columns")].flatMap((e) => e.getAttribute("d").split("M").filter(Boolean)
	.map((d) => /^([\d.]+) 0v(-?\d+)/.exec(d)).map((m) => Math.floor(m[1]) + ":" + -m[2])).sort((a, b) => parseInt(a) - parseInt(b)).join(" ")`

func text(id string) string { return fmt.Sprintf(`document.getElementById(%q).textContent`, id) }

func is(expression, want string) string { return fmt.Sprintf(`(%s) === %q`, expression, want) }

// After f5f6e6f4 the discs are 4-1, 3-3, 5-2 and 3-5 (counted by hand on a
// board).
func drawsTheCourse(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("")
	p := show(tb, phone())
	p.until(`document.getElementById("graph").hidden && !document.getElementById("evaluate").hidden`)
	tb.play("f5f6e6f4")
	p.until(is(text("lead"), "White +2"))
	if got, want := eval[string](p, columns), "1:3 3:3 4:-2"; got != want {
		t.Errorf("columns %q, want %q", got, want)
	}
	for what, expression := range map[string]string{
		"Difference in discs after each of 4 moves: White +2 now. Black was ahead most after move 1, by 3. White was ahead most after move 4, by 2.": `document.getElementById("plot").getAttribute("aria-label")`,
		"img":                `document.getElementById("plot").getAttribute("role")`,
		"4. f4: White +2":    `document.querySelectorAll("#plot title")[4].textContent`,
		"Black +8/White +8":  text("top") + ` + "/" + ` + text("bottom"),
		"0 -8.64 61 17.28":   `document.getElementById("plot").getAttribute("viewBox")`,
		"M4.5 2h0":           `document.querySelector("#plot .dot:not(.rim)").getAttribute("d")`,
		"none/true/true":     `[document.querySelector("#plot .line").getAttribute("d") || "none", document.getElementById("expected-row").hidden, document.getElementById("bar").hidden].join("/")`,
		"the moves above it": `document.getElementById("moves").getBoundingClientRect().bottom <= document.getElementById("plot").getBoundingClientRect().top ? "the moves above it" : "elsewhere"`,
	} {
		if got := eval[string](p, expression); got != what {
			t.Errorf("%q, want %q", got, what)
		}
	}
	p.run(chromedp.Click(chromedp.ID("undo")))
	p.until(is(text("lead"), "Black +3"))
	p.fits()
	p.quiet()
}

// blackShare is how much of the bar is Black's, 0 to 1.
const blackShare = `parseFloat(getComputedStyle(document.querySelector("#bar i"), "::before").height) / document.querySelector("#bar i").getBoundingClientRect().height`

func showsEvaluations(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("f5d6c3d3")
	p := show(tb, screen{Width: 360, Height: 740, Calm: true})
	p.until(`document.getElementById("evaluate").getAttribute("aria-checked") === "false" && document.getElementById("bar").hidden`)
	p.run(chromedp.Click(chromedp.ID("evaluate")))
	p.until(`document.getElementById("evaluate").getAttribute("aria-checked") === "true"`)
	tb.evaluate("?", "?", "?", "?", "?")
	p.until(is(text("expected"), "thinking…") + ` && document.getElementById("bar").hidden`)
	tb.evaluate(0, -1, 2, "?", -6)
	p.until(is(text("expected"), "White +6"))
	line := eval[string](p, `document.querySelector("#plot .line").getAttribute("d").replaceAll("-0h", "0h")`)
	if want := "M0.5 0h0L1.5 1h0L2.5 -2h0M4.5 6h0"; line != want {
		t.Errorf("the line is %q, want %q", line, want)
	}
	for want, expression := range map[string]string{
		"-6/White is ahead by 6 discs": `["aria-valuenow", "aria-valuetext"].map((a) => document.getElementById("bar").getAttribute(a)).join("/")`,
		"+6/":                          text("bar-white") + ` + "/" + ` + text("bar-black"),
		"4. d3: even, expected in the end White +6": `document.querySelectorAll("#plot title")[4].textContent`,
		"meter/Evaluation":                          `document.getElementById("bar").getAttribute("role") + "/" + document.getElementById("bar").getAttribute("aria-label")`,
	} {
		if got := eval[string](p, expression); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := eval[float64](p, blackShare); got < 0.3 || got > 0.45 {
		t.Errorf("Black's share of the bar is %v when White is better by 6", got)
	}
	// While the next position is looked at the bar stays.
	tb.play("c4")
	p.until(is(text("expected"), "thinking…") + ` && !document.getElementById("bar").hidden`)
	tb.evaluate(0, -1, 2, 3, -6, 64)
	p.until(is(text("bar-black"), "+64"))
	if got := eval[float64](p, blackShare); got < 0.97 || got > 1 {
		t.Errorf("Black's share of the bar is %v when White is lost", got)
	}
	p.fits()
	p.shoot("evaluation-phone")
	p.run(chromedp.Click(chromedp.ID("evaluate")))
	p.until(`document.getElementById("bar").hidden && document.getElementById("expected-row").hidden`)
	want := []string{`evaluate {"on":true}`, `evaluate {"on":false}`}
	var got []string
	for _, c := range tb.asked() {
		got = append(got, c.Name+" "+string(c.Args))
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	p.quiet()
}

// The board would not send them; the page does not trust it with that.
func showsNoEvaluations(t *testing.T, show func(*table, screen) *tab) {
	for _, hints := range []string{"locked", "off"} {
		tb := newTable(t, nil)
		tb.hints, tb.evaluating = hints, true
		tb.play("f5d6c3")
		tb.evaluate(0, -1, 2, -6)
		p := show(tb, phone())
		p.until(is(text("lead"), "Black +3"))
		if !eval[bool](p, `["bar", "evaluate", "expected-row", "hint"].every((id) => document.getElementById(id).hidden) && !document.querySelector("#plot .line").getAttribute("d")`) {
			t.Errorf("%s: evaluations are shown while the game is on", hints)
		}
		tb.finish()
		tb.mu.Lock()
		plies := len(tb.before)
		tb.mu.Unlock()
		values := make([]any, plies+1)
		for i := range values {
			values[i] = 8
		}
		tb.evaluate(values...)
		p.until(is(text("bar-black"), "+8") + ` && !document.getElementById("expected-row").hidden && document.querySelector("#plot .line").getAttribute("d")`)
		if !eval[bool](p, `document.getElementById("evaluate").hidden && !document.getElementById("bar").hidden`) {
			t.Errorf("%s: after the game the bar is missing, or the switch is there", hints)
		}
		p.quiet()
	}
}

func TestViewCarriesEvaluations(t *testing.T) {
	s := plain(t, nil)
	type sent struct {
		Evals      json.RawMessage `json:"evals"`
		Evaluating bool            `json:"evaluating"`
	}
	read := func() (v sent) {
		t.Helper()
		if err := json.Unmarshal(ask(s, http.MethodGet, "/api/v1/state", "", nil).Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := read(); string(v.Evals) != "null" || v.Evaluating {
		t.Errorf("nothing published: %s, %v", v.Evals, v.Evaluating)
	}
	minus, zero := -3, 0
	s.Publish(View{Evals: []*int{&zero, nil, &minus}, Evaluating: true})
	if v := read(); string(v.Evals) != "[0,null,-3]" || !v.Evaluating {
		t.Errorf("got %s, %v", v.Evals, v.Evaluating)
	}
	s.Publish(View{})
	if v := read(); string(v.Evals) != "null" {
		t.Errorf("the newest view has none: %s", v.Evals)
	}
	w := ask(s, http.MethodPost, "/api/v1/command", `{"name":"evaluate","args":{"on":true},"id":"1"}`, nil)
	if r := answerOf(t, w); r.Status != "ok" || !strings.Contains(r.Name, "evaluate") {
		t.Errorf("%+v", r)
	}
}
