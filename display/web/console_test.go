package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// officials lets the referee of a court do what the console asks for.
func officials(t *testing.T) func(c Command) referee.Order {
	t.Helper()
	color := map[string]engine.Color{"black": engine.Black, "white": engine.White, "": engine.None, "draw": engine.None, "none": engine.None}
	return func(c Command) referee.Order {
		var a struct {
			Plies   int               `json:"plies"`
			Reason  string            `json:"reason"`
			Color   string            `json:"color"`
			By      string            `json:"by"`
			Turn    string            `json:"turn"`
			Result  string            `json:"result"`
			Black   any               `json:"black"`
			White   any               `json:"white"`
			BlackMS *int64            `json:"black_ms"`
			WhiteMS *int64            `json:"white_ms"`
			Squares map[string]string `json:"squares"`
			FromPly int               `json:"from_ply"`
			Moves   string            `json:"moves"`
		}
		if len(c.Args) > 0 && json.Unmarshal(c.Args, &a) != nil {
			t.Errorf("%s: arguments %s", c.Name, c.Args)
		}
		switch c.Name {
		case "undo":
			return referee.Undo{Plies: a.Plies, Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "pause":
			return referee.Pause{Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "resume":
			return referee.Resume{Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "resign":
			return referee.Resign{Color: color[a.Color], Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "claim":
			return referee.Claim{By: color[a.By], Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "let_stand":
			return referee.LetStand{Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "revise":
			return referee.Revise{FromPly: a.FromPly, Moves: a.Moves, Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "players_set":
			return referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Clean(fmt.Sprint(a.Black), plaintext.MaxLine), plaintext.Clean(fmt.Sprint(a.White), plaintext.MaxLine)}, Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
		case "adjudicate":
			o := referee.Adjudicate{Winner: color[a.Result], Void: a.Result == "none", Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
			if b, ok := a.Black.(float64); ok {
				o.Black = int(b)
			}
			if w, ok := a.White.(float64); ok {
				o.White = int(w)
			}
			return o
		case "clock_set":
			o := referee.ClockSet{Black: -1, White: -1, Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
			if a.BlackMS != nil {
				o.Black = time.Duration(*a.BlackMS) * time.Millisecond
			}
			if a.WhiteMS != nil {
				o.White = time.Duration(*a.WhiteMS) * time.Millisecond
			}
			return o
		case "correct_square":
			o := referee.CorrectSquare{Turn: color[a.Turn], Reason: plaintext.Clean(a.Reason, plaintext.MaxLine)}
			for name, face := range a.Squares {
				*map[string]*engine.Bitboard{"B": &o.Black, "W": &o.White, "-": &o.Empty}[face] |= square(t, name).Bit()
			}
			return o
		}
		return nil
	}
}

// console is a page at which an arbiter has logged in.
type console struct {
	*tab
	c *court
}

// atConsole logs in on the page.
func atConsole(t *testing.T, b chromium, c *court, sc screen) console {
	t.Helper()
	p := b.open(t, c.url(), sc)
	p.t = t
	p.logIn(forArbiter, "Ana", "")
	p.until(`document.getElementById("console").open && document.body.dataset.role === "arbiter"`)
	return console{p, c}
}

// logIn fills in the form.
func (p *tab) logIn(token, name, seat string) {
	p.t.Helper()
	p.run(chromedp.Click(chromedp.ID("account")))
	p.until(`document.getElementById("login").open`)
	p.run(chromedp.SendKeys(chromedp.ID("token"), token), chromedp.SendKeys(chromedp.ID("login-name"), name))
	if seat != "" {
		p.choose("seat", seat)
	}
	p.run(chromedp.Click(`#login-form [type="submit"]`))
}

// open opens the form of a ruling.
func (k console) open(id string) {
	k.t.Helper()
	k.press1("rule-" + id)
	k.until(`!document.getElementById("sheet").hidden`)
}

// press1 clicks a button, wherever it is.
func (k console) press1(id string) {
	k.t.Helper()
	k.until(fmt.Sprintf(`!document.getElementById(%q).disabled && !document.getElementById(%q).hidden`, id, id))
	eval[bool](k.tab, fmt.Sprintf(`(document.getElementById(%q).click(), true)`, id))
}

// set fills in a field.
func (k console) set(id, value string) {
	k.t.Helper()
	eval[bool](k.tab, fmt.Sprintf(`(() => { const f = document.getElementById("f-%s"); f.value = %q;
		for (const e of ["input", "change"]) f.dispatchEvent(new Event(e, { bubbles: true })); return f.value === %q; })()`, id, value, value))
}

// says waits until the console says what will happen.
func (k console) says(words string) {
	k.t.Helper()
	k.press1("sheet-next")
	k.until(fmt.Sprintf(`!document.getElementById("sheet-sure").hidden && document.getElementById("sheet-words").textContent === %q`, words))
	if got := k.c.asked(); len(got) != 0 {
		k.t.Errorf("before it is confirmed %+v was sent", got)
	}
}

// agree confirms, and returns what was sent.
func (k console) agree() Command {
	k.t.Helper()
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet").hidden || !document.getElementById("sheet-error").hidden`)
	if text := eval[string](k.tab, `document.getElementById("sheet-error").hidden ? "" : document.getElementById("sheet-error").textContent`); text != "" {
		k.t.Errorf("refused: %s", text)
	}
	got := k.c.asked()
	if len(got) != 1 {
		k.t.Fatalf("sent %+v", got)
	}
	if got[0].Role != Arbiter || got[0].From != "Ana" || got[0].IfSeq == nil {
		k.t.Errorf("sent %+v", got[0])
	}
	return got[0]
}

// named fails the test if something that can be operated has no name for a screen
// reader.
func (p *tab) named() {
	p.t.Helper()
	call(p, accessibility.Enable, cdp.Empty{})
	tree := call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	for _, n := range tree.Nodes {
		is := axText(n.Role)
		if !n.Ignored && axText(n.Name) == "" && slices.Contains([]string{"button", "combobox", "switch", "textbox", "spinbutton", "listbox", "option", "grid", "timer"}, is) {
			p.t.Errorf("a %s has no name", is)
		}
	}
}

// wants fails the test unless a command has these arguments.
func wants(t *testing.T, c Command, name, args string) {
	t.Helper()
	if c.Name != name || string(c.Args) != args {
		t.Errorf("sent %s %s, want %s %s", c.Name, c.Args, name, args)
	}
}

// Every ruling is filled in, read in words and confirmed; what needs a reason does
// not go without one.
func TestConsoleRules(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "30:00", guarded)
	c.obey = officials(t)
	c.play("f5d6c3d3c4f4")
	k := atConsole(t, b, c, laptop())
	k.shoot("console-open")
	k.named()

	// One step: what can be taken back.
	k.open("pause")
	k.set("reason", "a phone rings")
	wants(t, k.agree(), "pause", `{"reason":"a phone rings"}`)
	k.until(`document.body.dataset.phase === "paused"`)
	k.until(said("The game is stopped: a phone rings."))
	k.open("resume")
	wants(t, k.agree(), "resume", `{}`)
	k.until(`document.body.dataset.phase === "playing"`)
	k.open("names")
	k.set("name-white", "<b>Dana</b>")
	wants(t, k.agree(), "players_set", `{"black":"Aigerim","white":"<b>Dana</b>"}`)
	k.until(`document.querySelector("#player-white .color").textContent === "<b>Dana</b>"`)

	// Two steps, and back to the first one.
	k.open("clock")
	k.named()
	k.set("side", "white")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.includes("reason")`)
	k.set("reason", "late start")
	k.set("time", "two")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.includes("such as 2:00")`)
	k.set("time", "2:00")
	k.says("White gets 2 minutes more: about 32:00.")
	if got := eval[string](k.tab, `document.getElementById("sheet-because").textContent`); got != "Reason: late start" {
		t.Errorf("the reason is shown as %q", got)
	}
	k.shoot("console-two-step")
	k.press1("sheet-back")
	k.until(`document.getElementById("sheet-sure").hidden && document.getElementById("f-reason").value === "late start"`)
	k.set("how", "set")
	k.set("time", "10:00")
	k.says("White has 10 minutes from now on.")
	wants(t, k.agree(), "clock_set", `{"white_ms":600000,"reason":"late start"}`)
	k.until(`document.querySelector("#clock-white .time").textContent === "10:00"`)

	k.open("back")
	k.set("ply", "40")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.startsWith("After move: ")`)
	k.set("ply", "4")
	k.until(`document.getElementById("past-text").textContent === "After move 4"`)
	k.reads("c4", "c4, empty")
	k.set("reason", "the discs were knocked over")
	k.says("2 moves are taken back, down to move 4. The clocks show again what they showed then. The lights lead the discs back.")
	wants(t, k.agree(), "undo", `{"plies":2,"reason":"the discs were knocked over"}`)
	k.until(`document.querySelectorAll(".move").length === 4 && document.getElementById("past").hidden`)

	k.open("resign")
	k.set("color", "white")
	k.says("White gives up. Black wins.")
	wants(t, k.agree(), "resign", `{"color":"white"}`)
	k.until(`document.querySelector("#player-black .person").textContent.includes("wins 60 to 4 by resignation")`)

	k.open("result")
	k.set("result", "draw")
	k.set("black", "40")
	k.set("white", "24")
	k.set("reason", "agreed")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.includes("is not what a draw looks like")`)
	k.set("black", "32")
	k.set("white", "32")
	k.says("A draw, 32 to 32. The game is over.")
	wants(t, k.agree(), "adjudicate", `{"result":"draw","black":32,"white":32,"reason":"agreed"}`)
	k.open("result")
	k.set("result", "none")
	k.set("reason", "fire alarm")
	k.says("The game has no result. The game is over.")
	wants(t, k.agree(), "adjudicate", `{"result":"none","reason":"fire alarm"}`)
	k.until(said("The game is over without a result."))
	k.quiet()
}

// Scenario 19: an edit that is canceled changes nothing, one that is applied is one
// position with both, and the board is then led to it.
func TestPositionIsCorrected(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "5:00", guarded)
	c.obey = officials(t)
	c.play("f5d6")
	k := atConsole(t, b, c, laptop())
	click := func(s string) {
		t.Helper()
		eval[bool](k.tab, `(document.querySelector('[data-square="`+s+`"]').click(), true)`)
	}
	before := c.seq
	k.open("correct")
	k.until(`document.getElementById("board").classList.contains("editing")`)
	click("a1")
	k.reads("a1", "a1, black disc, changed")
	click("f5")
	k.reads("f5", "f5, white disc, changed")
	k.set("turn", "white")
	eval[bool](k.tab, `(document.querySelector('[data-square="f5"]').focus(), true)`)
	k.press(kb.Escape)
	k.until(`document.getElementById("sheet").hidden && !document.getElementById("board").classList.contains("editing")`)
	k.reads("a1", "a1, empty")
	if got := c.asked(); len(got) != 0 || c.seq != before || c.state.Game.Turn != engine.Black {
		t.Errorf("after cancel: %+v, seq %d, was %d", got, c.seq, before)
	}

	k.open("correct")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.startsWith("Nothing has been changed")`)
	click("a1")
	click("a1")
	click("d6")
	click("f5")
	k.set("turn", "white")
	k.set("reason", "a sleeve")
	k.shoot("console-editor")
	k.says("The record says from now on: a1 white, f5 white, d6 empty. White is to move. The lights lead the discs to it.")
	cmd := k.agree()
	wants(t, cmd, "correct_square", `{"squares":{"a1":"W","f5":"W","d6":"-"},"turn":"white","reason":"a sleeve"}`)
	if *cmd.IfSeq != before {
		t.Errorf("it was about seq %d, the board was at %d", *cmd.IfSeq, before)
	}
	k.until(said("The position was set by the arbiter: a sleeve. White to move."))
	k.until(`document.querySelector(".move:last-child .to").textContent === "position set"`)
	// One event, with both; the guide leads to it.
	if c.seq != before+2 || c.state.Game.Turn != engine.White || c.state.Game.At(square(t, "a1")) != engine.White {
		t.Errorf("seq %d after %d, %v to move, %v", c.seq, before, c.state.Game.Turn, c.state.Game.Discs)
	}
	k.until(`document.querySelector('[data-square="a1"]').dataset.mark === "place" && document.querySelector('[data-square="d6"]').dataset.mark === "remove"`)

	// The board moves on while somebody edits: it is said, and nothing happens.
	c.see(c.state.Game.Discs)
	c.asked()
	k.open("correct")
	click("h8")
	k.set("reason", "late")
	c.order("arbiter", "players_set", referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("A"), plaintext.Const("B")}})
	k.until(`document.querySelector("#player-black .color").textContent === "A"`)
	k.press1("sheet-next")
	k.until(`!document.getElementById("sheet-sure").hidden`)
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.startsWith("The board has moved on")`)
	k.reads("h8", "h8, empty")
	k.quiet()
}

// Scenario 56: moves are corrected from one of them on, and every part of the page
// follows.
func TestMovesAreRevised(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "none", guarded)
	c.obey = officials(t)
	c.state.Match.Profile.Commit = referee.CommitSettle
	const game = "f5d6c3d3c4f4f6f3e6e7"
	c.play(game)
	k := atConsole(t, b, c, laptop())
	viewer := b.open(t, c.url(), phone())
	k.open("revise")
	k.set("from", "9")
	k.until(`document.getElementById("f-moves").value === "e6 e7"`)
	k.until(`document.getElementById("past-text").textContent === "After move 8"`)
	k.set("moves", "e6 f7")
	k.set("reason", "seen by the referee")
	k.says("From move 9 on the record says e6 f7. The lights lead the discs to it.")
	wants(t, k.agree(), "revise", `{"from_ply":9,"moves":"e6f7","reason":"seen by the referee"}`)
	for _, p := range []*tab{k.tab, viewer} {
		p.until(said("The record was corrected from move 9 on: seen by the referee."))
		p.until(`document.getElementById("transcript").textContent === "f5d6c3d3c4f4f6f3e6f7"`)
		p.until(`[...document.querySelectorAll(".move .to")].map((e) => e.textContent).join("") === "f5d6c3d3c4f4f6f3e6f7"`)
		p.until(`document.querySelectorAll("#plot .hover").length === 11`) // the graph: the start and ten moves
		p.until(`document.querySelector('[data-square="e7"]').dataset.mark === "remove"`)
		p.quiet()
	}
	// What cannot be is refused with the reason of the board.
	k.open("revise")
	k.set("moves", "a1")
	k.set("reason", "x")
	k.says("From move 10 on the record says a1. The lights lead the discs to it.")
	k.press1("sheet-next")
	k.until(`document.getElementById("sheet-error").textContent.includes("a1") && document.getElementById("sheet-sure").hidden`)
	k.quiet()
}

// Scenario 57: a flip that was forgotten stands; the page says which disc should
// have been turned, and goes on from what lies there.
func TestForgottenFlipIsMarked(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "none", nil)
	url := c.url()
	c.play("f5")
	p := b.open(t, url, laptop())
	d6, c3, d4, d5 := square(t, "d6"), square(t, "c3"), square(t, "d4"), square(t, "d5")
	lies := c.state.Game.With(d6, engine.White)
	c.see(lies)
	p.until(`document.querySelector('[data-square="d5"]').dataset.mark === "flip"`)
	lies = lies.With(c3, engine.Black)
	c.see(lies)
	p.until(`document.querySelector('[data-square="d4"]').dataset.mark === "flip" && document.querySelector('[data-square="d5"]').dataset.mark === ""`)
	p.until(said("Move 2 stands as it was played: d5 not turned."))
	p.reads("d5", "d5, black disc, should have been turned by move 2")
	c.see(lies.With(d4, engine.Black))
	p.until(`[...document.querySelectorAll(".move")].map((m) => m.innerText.replace(/\s+/g, " ").trim()).join("; ") === "1 Black f5 +1; 2 White d6 not turned: d5; 3 Black c3 +1"`)
	p.until(`document.querySelector('[data-square="d5"]').classList.contains("astray")`)
	for i, want := range []string{"4 – 1", "4 – 2", "6 – 1"} {
		if got := eval[string](p, fmt.Sprintf(`document.querySelectorAll(".move")[%d].title`, i)); got != want {
			t.Errorf("after move %d the list says %s, want %s", i+1, got, want)
		}
	}
	if got := c.state.Game.At(d5); got != engine.Black {
		t.Errorf("d5 is %v on record", got)
	}
	for name, sc := range looks() {
		q := b.open(t, url, sc)
		q.fits()
		q.shoot("irregular-" + name)
		q.quiet()
	}
	p.quiet()
}

// A viewer sees no console, and nothing that the lights hide.
func TestViewersSeeNoConsole(t *testing.T) {
	b := browser(t)
	c := newCourt(t, strict(), "30:00", func(o *Options) {
		guarded(o)
		o.Health = sick
	})
	c.change = func(v *View) {
		v.Full = v.State
		v.State = []byte(strings.ReplaceAll(string(v.State), `"hidden":false`, `"hidden":true`))
	}
	url := c.url()
	for name, sc := range looks() {
		p := b.open(t, url, sc)
		p.t = t
		for _, id := range []string{"console", "controls", "hands", "press-black", "press-white", "sheet"} {
			if eval[bool](p, `document.getElementById("`+id+`").checkVisibility()`) {
				t.Errorf("a viewer sees %s", id)
			}
		}
		if eval[bool](p, `[...document.querySelectorAll("[data-arbiter]")].some((e) => e.checkVisibility())`) {
			t.Error("a viewer sees the way to the health view")
		}
		p.until(`document.getElementById("locked").checkVisibility() && document.getElementById("locked").textContent.includes("locked")`)
		p.fits()
		p.shoot("viewer-" + name)
		p.quiet()
	}
	p := b.open(t, url, laptop())
	code := eval[float64](p, `fetch("/api/v1/command", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"pause","id":"1"}' }).then((r) => r.status)`)
	if code != 403 || len(c.asked()) != 0 {
		t.Errorf("a command from a viewer's page is answered %v", code)
	}
	// A wrong token is said, the right one opens the console in every tab.
	p = b.open(t, url, laptop())
	other := b.open(t, url, phone())
	p.logIn("guess-guess", "", "")
	p.until(`document.getElementById("login-error").textContent === "This token is not right."`)
	p.shoot("login-wrong")
	eval[string](p, `document.getElementById("token").value = ""`)
	p.run(chromedp.SendKeys(chromedp.ID("token"), forArbiter), chromedp.Click(`#login-form [type="submit"]`))
	for _, q := range []*tab{p, other} {
		q.until(`document.body.dataset.role === "arbiter" && document.getElementById("console").checkVisibility()`)
	}
	other.fits()
	other.shoot("console-phone")
	if got := eval[string](p, `document.cookie`); got != "" {
		t.Errorf("a script can read the cookie %s", got)
	}
	p.run(chromedp.Click(chromedp.ID("account")))
	for _, q := range []*tab{p, other} {
		q.until(`document.body.dataset.role === "viewer" && !document.getElementById("console").checkVisibility()`)
	}
}

// Players have the clock of their color, may resign, claim, and ask for a move to
// be taken back, which the other one answers.
func TestPlayersAtThePage(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "5:00", guarded)
	c.play("f5")
	c.obey = officials(t)
	url := c.url()
	p := b.open(t, url, phone())
	p.logIn(forPlayer, "", "white")
	p.until(`document.body.dataset.role === "player" && !document.getElementById("press-white").hidden && document.getElementById("press-black").hidden`)
	shown := eval[string](p, `[...document.querySelectorAll("#rulings button")].filter((b) => !b.hidden).map((b) => b.textContent).join(" ")`)
	if shown != "Claim… Resign…" {
		t.Errorf("a player may %s", shown)
	}
	p.run(chromedp.Click(chromedp.ID("undo")))
	eventually(t, "the wish is sent", c.wanted)
	if got := c.asked(); got[0].Name != "undo" || got[0].Role != Player || got[0].Seat != "white" {
		t.Errorf("asked for %+v", got)
	}
	wish := func(by string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.change = func(v *View) { v.Takeback = &Takeback{By: by, Plies: 1} }
		c.publish()
	}
	wish("white")
	p.until(`document.getElementById("takeback").checkVisibility() && document.getElementById("agree").hidden && document.getElementById("decline").textContent === "Never mind"`)
	wish("black")
	p.until(`document.getElementById("takeback-text").textContent === "Black asks to take back the last move." && !document.getElementById("agree").hidden`)
	p.fits()
	p.shoot("takeback-phone")
	p.run(chromedp.Click(chromedp.ID("agree")))
	eventually(t, "the answer is sent", c.wanted)
	if got := c.asked(); got[0].Name != "agree" {
		t.Errorf("answered %+v", got)
	}
	p.quiet()
}

// eventually waits for something that nothing announces.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !is(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 15 s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Any move of the list shows its position, to everybody; the game goes on beside.
func TestPositionsOfThePast(t *testing.T) {
	b := browser(t)
	c := newCourt(t, referee.Home(), "none", nil)
	c.play("f5d6c3d3c4")
	p := b.open(t, c.url(), laptop())
	p.until(`document.querySelectorAll(".move").length === 5`)
	eval[bool](p, `(document.getElementById("moves").focus(), true)`)
	p.press(kb.ArrowUp + kb.ArrowUp)
	p.until(`document.getElementById("past-text").textContent === "After move 4" && document.querySelector('.move[aria-selected="true"] .to').textContent === "d3"`)
	p.until(said("After move 4: 4 to 4."))
	p.reads("d3", "d3, white disc, last move")
	p.reads("c4", "c4, empty")
	c.play("f4")
	p.until(`document.querySelectorAll(".move").length === 6`)
	p.reads("f4", "f4, empty") // still the past
	p.shoot("past")
	p.run(chromedp.Click(chromedp.ID("past-end")))
	p.reads("f4", "f4, white disc, last move")
	// By the rules, for every move of the game.
	want := []string{}
	game := engine.NewGame(c.state.Game.Rules)
	for _, m := range []string{"f5", "d6", "c3", "d3", "c4", "f4"} {
		game = game.Place(square(t, m))
		want = append(want, game.String())
	}
	got := []string{}
	for i := range want {
		eval[bool](p, fmt.Sprintf(`(document.querySelectorAll(".move")[%d].click(), true)`, i))
		got = append(got, eval[string](p, `[...document.querySelectorAll(".cell")].map((c) => { const d = c.querySelector(".disc"); return !d ? "-" : d.classList.contains("is-white") ? "W" : "B"; }).join("")`))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the positions are\n%v, want\n%v", got, want)
	}
	p.quiet()
}
