package web

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// The dialog offers an opponent, and the one of the settings if there is one;
// what is shown of it while it plays is its disc, a robot hand and no hints.
func playsTheComputer(t *testing.T, b chromium) {
	var mu sync.Mutex
	var asked []Command
	var acts []Act
	hands := handsFunc(func(a Act) error {
		mu.Lock()
		defer mu.Unlock()
		acts = append(acts, a)
		return nil
	})
	server := plain(t, func(o *Options) {
		everyVariant(o)
		o.Hands, o.Simulated, o.Opponent = hands, true, "gtp-rhino"
		o.Command = func(_ context.Context, c Command) Response {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, c)
			return Response{Status: "ok"}
		}
	})
	match := referee.Match{
		Players:  [2]plaintext.Text{plaintext.Const("Aigerim"), plaintext.Const("reversi-board level 3")},
		Opponent: referee.Opponent{Kind: referee.Builtin, Level: 3, Side: engine.White},
	}
	var err error
	if match.Rules, err = engine.Variant("classic"); err != nil {
		t.Fatal(err)
	}
	if match.Profile, err = referee.ProfileNamed("home"); err != nil {
		t.Fatal(err)
	}
	j := &judged{t: t, server: server, state: referee.New(match)}
	publish := func(in referee.Input) {
		t.Helper()
		_ = referee.Step(&j.state, in, nil)
		text, err := record.EncodeState(record.Envelope{JID: "01J", Stamp: record.Stamp{Boot: 1}}, &j.state)
		if err != nil {
			t.Fatal(err)
		}
		server.Publish(View{
			State: text, Sentence: display.Sentence(&j.state), Table: j.state.Sensed.String(),
			Opponent: &Opponent{Kind: "builtin", Level: 3, Side: "white"},
		})
	}
	start := match.Rules.Start
	publish(referee.Seen{Discs: start.Discs})
	url := serve(t, server)
	for _, s := range screens() {
		p := b.open(t, url, s)
		p.t = t
		p.until(`!document.getElementById("robot").hidden && !document.getElementById("hint").disabled`)
		p.fits()
		p.quiet()
	}
	p := b.open(t, url, phone())
	p.t = t
	p.run(chromedp.Click(chromedp.ID("hint")), chromedp.Click(chromedp.ID("robot")))
	p.until(`!document.getElementById("new-game").open`)

	// The opponent's turn: its disc is asked for, and nothing is suggested.
	f5 := square(t, "f5")
	publish(referee.Seen{Discs: start.After(f5, start.Flips(f5)).Discs})
	p.until(`document.getElementById("hint").disabled`)
	p.sentence("White is thinking.")
	publish(referee.Suggested{Square: square(t, "f6")})
	p.sentence("White plays f6: put a white disc there.")
	p.reads("f6", "f6, empty, light: put a disc here")

	p.run(chromedp.Click(chromedp.ID("new")))
	p.until(`document.getElementById("new-game").open`)
	if got := eval[string](p, `["rival", "level", "rival-side", "black", "white"].map((id) => document.getElementById(id).value).join("|")`); got != "builtin|3|white|Aigerim|" {
		t.Errorf("the dialog offers %q, want the opponent that plays", got)
	}
	p.choose("level", "7")
	p.choose("rival-side", "black")
	if !eval[bool](p, `document.getElementById("black").hidden && !document.getElementById("white").hidden`) {
		t.Error("the computer's name is asked for, or the person's is not")
	}
	p.choose("start", "own")
	if bottom := eval[float64](p, `document.querySelector(".answer").getBoundingClientRect().bottom - innerHeight`); bottom > 0 {
		t.Errorf("the buttons of the dialog are %v px below the screen", bottom)
	}
	p.choose("start", "standard")
	p.fits()
	p.shoot("opponent-dialog")
	p.run(chromedp.Click(`#new-form [value="start"]`))
	p.until(`!document.getElementById("new-game").open`)
	p.run(chromedp.Click(chromedp.ID("new")))
	p.until(`document.getElementById("new-game").open`)
	p.choose("rival", "set")
	p.run(chromedp.Click(`#new-form [value="start"]`))
	p.until(`!document.getElementById("new-game").open`)
	p.quiet()

	mu.Lock()
	defer mu.Unlock()
	var got []string
	for _, c := range asked {
		got = append(got, c.Name+" "+string(c.Args))
	}
	want := []string{
		`hint {}`,
		`new {"variant":"classic","profile":"home","opponent":{"kind":"builtin","level":7,"side":"black"},"players":{"black":"Aigerim","white":""}}`,
		`new {"variant":"classic","profile":"home","players":{"black":"Aigerim","white":""}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked for\n%q, want\n%q", got, want)
	}
	if len(acts) != 1 || acts[0].Op != OpRobot || !acts[0].On {
		t.Errorf("the hands were asked for %+v", acts)
	}
}
