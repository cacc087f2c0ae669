package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// screens are a laptop and a phone, by day and by night.
func screens() map[string]screen {
	return map[string]screen{
		"laptop": {Width: 1280, Height: 800}, "laptop-dark": {Width: 1280, Height: 800, Dark: true},
		"phone": {Width: 360, Height: 740}, "phone-dark": {Width: 360, Height: 740, Dark: true},
	}
}

// choose picks an option as a visitor does.
func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.run(chromedp.SetValue(chromedp.ID(id), value))
	if !eval[bool](p, `document.getElementById("`+id+`").value === "`+value+`"`) {
		p.t.Fatalf("%s cannot be %q", id, value)
	}
	eval[bool](p, `document.getElementById("`+id+`").dispatchEvent(new Event("change", { bubbles: true }))`)
}

// The dialog offers every game, and says no more than the board knows.
func offersEveryGame(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	p := show(tb, phone())
	last := func() string {
		t.Helper()
		p.until(`!document.getElementById("new-game").open`)
		commands := tb.asked()
		if len(commands) != 1 {
			t.Fatalf("commands: %+v", commands)
		}
		return string(commands[0].Args)
	}
	open := func() {
		t.Helper()
		p.run(chromedp.Click(chromedp.ID("new")))
		p.until(`document.getElementById("new-game").open`)
	}
	start := func() { p.run(chromedp.Click(`#new-form [value="start"]`)) }
	open()
	names := eval[string](p, `[...document.querySelectorAll("#variant option")].map((o) => o.text).join(", ")`)
	if want := "Classic, Reverse, Historic, White begins, Festival, Own start"; names != want {
		t.Errorf("the games are %s, want %s", names, want)
	}
	for _, c := range []struct{ variant, says string }{
		{"reverse", "fewest discs win"}, {"historic", "32 discs each"}, {"festival", "Classic"},
	} {
		p.choose("variant", c.variant)
		if got := eval[string](p, `document.getElementById("variant-says").textContent`); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q says nothing of %q", c.variant, got, c.says)
		}
		if hidden := eval[bool](p, `document.getElementById("start-row").hidden`); hidden != (c.variant == "historic") {
			t.Errorf("%s: the start is hidden: %v", c.variant, hidden)
		}
	}
	p.choose("variant", "historic")
	p.choose("first", "white")
	p.fits()
	start()
	if got, want := last(), `{"variant":"historic","first":"white","profile":"home","opponent":{"kind":"none"},"players":{"black":"","white":""}}`; got != want {
		t.Errorf("historic: %s, want %s", got, want)
	}
	open()
	p.choose("variant", "custom")
	p.choose("start", "handicap-3")
	start()
	if got, want := last(), `{"variant":"custom","start":"handicap-3","profile":"home","opponent":{"kind":"none"},"players":{"black":"","white":""}}`; got != want {
		t.Errorf("handicap: %s, want %s", got, want)
	}
	open()
	p.choose("start", "xot")
	start()
	if got, want := last(), `{"variant":"classic","start":"xot","profile":"home","opponent":{"kind":"none"},"players":{"black":"","white":""}}`; got != want {
		t.Errorf("by lot: %s, want %s", got, want)
	}
	open()
	p.choose("variant", "custom")
	p.choose("start", "own")
	p.run(chromedp.SendKeys(chromedp.ID("own"), "f5f1"))
	tb.mu.Lock()
	tb.refuseCommand = `"f5f1" is no start`
	tb.mu.Unlock()
	start()
	// The reason stands in the dialog, which stays.
	p.until(`document.getElementById("new-error").textContent === '"f5f1" is no start' && document.getElementById("new-game").open`)
	tb.mu.Lock()
	tb.refuseCommand = ""
	tb.mu.Unlock()
	tb.asked()
	p.run(chromedp.SendKeys(chromedp.ID("own"), kb.Backspace+kb.Backspace+"d6"))
	start()
	if got, want := last(), `{"variant":"custom","start":"f5d6","profile":"home","opponent":{"kind":"none"},"players":{"black":"","white":""}}`; got != want {
		t.Errorf("opening: %s, want %s", got, want)
	}
	p.quiet()
}

func everyVariant(o *Options) {
	o.Variants, o.Profiles = engine.VariantNames(), referee.ProfileNames()
}

// referees begins a game on a page.
func referees(t *testing.T, variant, start, first string) *judged {
	t.Helper()
	rules, err := notation.ParseRules(variant, start, first)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	j := &judged{t: t, server: plain(t, everyVariant), state: referee.New(referee.Match{Rules: rules, Profile: profile})}
	j.see(rules.Start.Discs)
	if j.state.Phase != referee.Playing {
		t.Fatalf("phase %v on the start position", j.state.Phase)
	}
	return j
}

// place puts discs of the players in turn and lets the referee look.
func (j *judged) place(names ...string) {
	j.t.Helper()
	for _, name := range names {
		j.see(j.state.Game.Place(square(j.t, name)).Discs)
	}
	var px [engine.Squares]RGB
	for s := range j.state.Guide.PlaceBlack.All() {
		px[s] = RGB{255, 190, 110}
	}
	for s := range j.state.Guide.PlaceWhite.All() {
		px[s] = RGB{200, 220, 255}
	}
	j.server.LEDs(px)
}

func showsTheHistoricGame(t *testing.T, b chromium) {
	j := referees(t, "historic", "", "")
	j.place("d4", "e5")
	url := serve(t, j.server)
	for name, s := range screens() {
		p := b.open(t, url, s)
		p.t = t
		p.sentence("Black puts one of the first four discs on e4 or d5.")
		p.until(`document.getElementById("rule").innerText === "Historic, discs left: Black 31, White 31"`)
		p.reads("e4", "e4, empty, light: put a disc here")
		p.fits()
		p.shoot("historic-" + name)
		p.run(chromedp.Click(chromedp.ID("new")))
		p.until(`document.getElementById("new-game").open`)
		if got := eval[string](p, `document.getElementById("variant").value`); got != "historic" {
			t.Errorf("the dialog offers %s", got)
		}
		p.choose("variant", "custom")
		p.choose("start", "own")
		p.shoot("dialog-" + name)
		if bottom := eval[float64](p, `document.querySelector(".answer").getBoundingClientRect().bottom - innerHeight`); bottom > 0 {
			t.Errorf("%s: the buttons of the dialog are %v px below the screen", name, bottom)
		}
		p.fits()
		p.quiet()
	}
	p := b.open(t, url, phone())
	p.t = t
	j.place("e4")
	p.until(said("Black e4, 2 to 1."))
	j.see(j.state.Game.With(square(t, "a1"), engine.White))
	p.until(said("A1 is not possible: the first four discs go in the middle."))
	j.place("d5")
	p.until(`document.querySelectorAll(".move").length === 4`)
	p.sentence("Black to move.")
	p.quiet()
}

func showsTheReverseGame(t *testing.T, b chromium) {
	j := referees(t, "reverse", "parallel", "")
	url := serve(t, j.server)
	p := b.open(t, url, phone())
	p.t = t
	p.until(`document.getElementById("rule").innerText === "Reverse: fewest discs win"`)
	// The transcript starts from where the game did.
	j.place("d6")
	p.until(`[...document.querySelectorAll(".move")].map((m) => m.title).join() === "4 – 1"`)
	p.run(chromedp.Click(chromedp.ID("new")))
	p.until(`document.getElementById("new-game").open`)
	if got := eval[string](p, `["variant", "start", "first"].map((id) => document.getElementById(id).value).join(" ")`); got != "reverse parallel auto" {
		t.Errorf("the dialog offers %s, want the game that is on", got)
	}
	p.quiet()
}
