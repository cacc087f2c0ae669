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
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"reversi-board/engine"
)

// laptop and phone are where most visitors come from.
func laptop() screen { return screen{Width: 1280, Height: 800} }
func phone() screen  { return screen{Width: 360, Height: 740} }

// said is a condition: the announcements so far hold a text.
func said(text string) string {
	return fmt.Sprintf(`document.getElementById("say").textContent.includes(%q)`, text)
}

// reads waits until a screen reader would say want of a square.
func (p *tab) reads(square, want string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector('[data-square=%q]').getAttribute("aria-label") === %q`, square, want))
}

// press presses keys one after the other.
func (p *tab) press(keys string, o ...chromedp.KeyOption) {
	p.t.Helper()
	p.run(chromedp.KeyEvent(keys, o...))
}

// space presses the space bar as a keyboard does. (KeyEvent makes a character
// event that has nothing to do with the key, and which scrolls the page.)
func (p *tab) space() {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{
		input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeChar, input.DispatchKeyEventTypeKeyUp,
	} {
		e := input.DispatchKeyEventParams{Type: kind, Key: " ", Code: "Space", WindowsVirtualKeyCode: 32}
		if kind == input.DispatchKeyEventTypeChar {
			e.Text = " "
		}
		call(p, input.DispatchKeyEvent, e)
	}
}

// sentence waits until the page says what is going on.
func (p *tab) sentence(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.getElementById("sentence").textContent === %q`, text))
}

func TestBrowser(t *testing.T) {
	b := browser(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, show func(tb *table, s screen) *tab)
	}{
		{"shows the state", showsState},
		{"plays by keyboard alone", playsByKeyboard},
		{"plays by mouse", playsByMouse},
		{"says what happens", saysWhatHappens},
		{"has a grid for screen readers", hasGrid},
		{"shows names as text", showsNamesAsText},
		{"follows a takeback", followsTakeback},
		{"gives commands", givesCommands},
		{"offers every game", offersEveryGame},
		{"names nobody", namesNobody},
		{"shows dim lights", showsDimLights},
		{"draws the course of the game", drawsTheCourse},
		{"shows evaluations", showsEvaluations},
		{"shows no evaluations where they are locked", showsNoEvaluations},
		{"has no hands on a real board", hasNoHands},
		{"does not blink where motion is not wanted", doesNotBlink},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(t, func(tb *table, s screen) *tab {
				return b.open(t, serve(t, tb.server), s)
			})
		})
	}
	t.Run("lives in ten tabs", func(t *testing.T) { livesInTenTabs(t, b) })
	t.Run("understands the referee", func(t *testing.T) { showsTheReferee(t, b) })
	t.Run("shows the historic game", func(t *testing.T) { showsTheHistoricGame(t, b) })
	t.Run("plays the computer", func(t *testing.T) { playsTheComputer(t, b) })
	t.Run("shows the reverse game", func(t *testing.T) { showsTheReverseGame(t, b) })
	t.Run("waits for the board", func(t *testing.T) {
		s := plain(t, nil) // nothing has been published yet
		p := b.open(t, serve(t, s), phone())
		p.sentence("Waiting for the board.")
		p.reads("e4", "e4, empty")
		p.fits()
		p.quiet()
	})
	t.Run("works in a local network", func(t *testing.T) { worksInTheNetwork(t, b) })
	t.Run("tells when it is stale and comes back", func(t *testing.T) { tellsStale(t, b) })
}

func showsState(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.players = [2]string{"Aigerim", ""}
	tb.play("f5d6c3")
	p := show(tb, phone())
	for _, c := range []struct{ what, expression, want string }{
		{"sentence", `document.getElementById("sentence").textContent`, "White to move."},
		{"black", `document.getElementById("player-black").innerText.replace(/\s+/g, " ").trim()`, "Aigerim Black 5"},
		{"white", `document.getElementById("player-white").innerText.replace(/\s+/g, " ").trim()`, "White to move 2"},
		{"moves", `[...document.querySelectorAll(".move")].map((m) => m.innerText.replace(/\s+/g, "")).join(" ")`, "1Blackf5+1 2Whited6+1 3Blackc3+1"},
		{"transcript", `document.getElementById("transcript").textContent`, "f5d6c3"},
		{"link", `document.getElementById("link-text").textContent`, "Live"},
		{"last move", `document.querySelector(".cell.last").dataset.square`, "c3"},
		{"files", `document.querySelector(".files").innerText.replace(/\s+/g, "")`, "abcdefgh"},
	} {
		if got := eval[string](p, c.expression); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	// Rank 1 is on top, file a on the left.
	if !eval[bool](p, `(() => { const at = (s) => document.querySelector('[data-square="' + s + '"]').getBoundingClientRect();
		return at("a1").top < at("a8").top && at("a1").left < at("h1").left && at("a1").top === at("h1").top; })()`) {
		t.Error("the board is the wrong way round")
	}
	for square, want := range map[string]string{"c3": "c3, black disc, last move", "d4": "d4, black disc", "d6": "d6, white disc", "a1": "a1, empty"} {
		p.reads(square, want)
	}
	// The table is shown, not the record: a disc is turned, its light is on.
	if err := tb.Do(t.Context(), Act{Op: OpPlace, Square: square(t, "d3"), Color: engine.White}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('[data-square="d4"]').dataset.led === "#56b4e9"`)
	p.reads("d4", "d4, black disc, light: turn this disc")
	p.fits()
	p.quiet()
}

func playsByKeyboard(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("")
	p := show(tb, laptop())
	tb.did()
	p.press(kb.Tab) // the board is the first stop
	if got := eval[string](p, `document.activeElement.dataset.square`); got != "d4" {
		t.Fatalf("the focus is on %q, want d4", got)
	}
	step := func(keys, want string) {
		t.Helper()
		p.press(keys)
		if got := eval[string](p, `document.activeElement.dataset.square`); got != want {
			t.Errorf("after %q the focus is on %s, want %s", keys, got, want)
		}
	}
	step(kb.ArrowDown, "d5")
	step(kb.ArrowRight, "e5")
	step(kb.ArrowRight, "f5")
	p.press(kb.Enter)
	p.sentence("Still to turn: e5.")
	step(kb.ArrowLeft, "e5")
	p.reads("e5", "e5, white disc, light: turn this disc")
	p.press("t")
	p.sentence("White to move.")
	p.until(said("Black f5, 1 flipped, 4 to 1."))
	step("d6", "d6")
	p.press("p")
	p.sentence("Still to turn: d5.")
	step(kb.ArrowUp, "d5")
	p.space()
	p.sentence("Black to move.")
	p.until(said("White d6, 1 flipped, 3 to 3."))
	step(kb.Home, "a5")
	step(kb.End, "h5")
	step(kb.ArrowRight, "h5") // there is nothing beyond
	p.press(kb.Enter, chromedp.KeyModifiers(kb.ModifierShift))
	p.sentence("h5 does not belong there: take it away.")
	p.press("l")
	p.sentence("Black to move.")
	step("d6", "d6")
	p.press("s") // take the disc along
	step("a1", "a1")
	p.press(kb.Enter)
	p.until(`document.querySelector('[data-square="a1"] .disc.is-white') && !document.querySelector('[data-square="d6"] .disc')`)
	p.press("s")
	step("d6", "d6")
	p.press(kb.Enter)
	p.sentence("Black to move.")
	if y := eval[float64](p, "scrollY"); y != 0 {
		t.Errorf("the keys have scrolled the page by %v", y)
	}
	var did []string
	for _, a := range tb.did() {
		text := a.Op + " " + a.Square.String()
		if a.Color != engine.None {
			text += " " + a.Color.String()
		}
		if a.Op == OpSlide {
			text += " " + a.To.String()
		}
		did = append(did, text)
	}
	want := []string{
		"place f5 black", "turn e5", "place d6 white", "turn d5", "place h5 white", "lift h5", "slide d6 a1", "slide a1 d6",
	}
	if !slices.Equal(did, want) {
		t.Errorf("the hands did %q, want %q", did, want)
	}
	p.shoot("keyboard")
	p.quiet()
}

// mouse moves the pointer over a page and watches what the hands then do.
type mouse struct {
	*tab
	table *table
}

// center returns the middle of an element.
func (m mouse) center(selector string) (x, y float64) {
	m.t.Helper()
	at := eval[[]float64](m.tab, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	return at[0], at[1]
}

func (m mouse) click(selector string, o ...chromedp.MouseOption) {
	m.t.Helper()
	x, y := m.center(selector)
	m.run(chromedp.MouseClickXY(x, y, o...))
}

func (m mouse) drag(from, to string) {
	m.t.Helper()
	x1, y1 := m.center(from)
	x2, y2 := m.center(to)
	m.run(chromedp.DragAndDropXY(x1, y1, x2, y2, 6))
}

// did fails the test unless the hands did just this.
func (m mouse) did(what string, want Act) {
	m.t.Helper()
	for range 500 {
		acts := m.table.did()
		if len(acts) == 0 {
			m.until("true") // one turn around the browser
			continue
		}
		if len(acts) != 1 || acts[0] != want {
			m.t.Errorf("%s did %+v, want %+v", what, acts, want)
		}
		return
	}
	m.t.Errorf("%s did nothing, want %+v", what, want)
}

// on is the selector of a square.
func on(square string) string { return fmt.Sprintf(`[data-square=%q]`, square) }

func playsByMouse(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("")
	p := mouse{show(tb, laptop()), tb}
	sq := func(name string) engine.Square { return square(t, name) }
	p.click(on("f5"))
	p.did("a click on an empty square", Act{Op: OpPlace, Square: sq("f5"), HasSquare: true, Color: engine.Black})
	p.sentence("Still to turn: e5.")
	p.click(on("e5"))
	p.did("a click on a disc", Act{Op: OpTurn, Square: sq("e5"), HasSquare: true, Color: engine.None})
	p.sentence("White to move.")
	p.click(on("a8"), chromedp.ButtonModifiers(kb.ModifierShift))
	p.did("a click with Shift", Act{Op: OpPlace, Square: sq("a8"), HasSquare: true, Color: engine.Black})
	p.until(`document.querySelector('[data-square="a8"] .disc')`)
	p.drag(on("a8"), on("d6"))
	p.did("a drag over the board", Act{Op: OpSlide, Square: sq("a8"), HasSquare: true, To: sq("d6"), Color: engine.None})
	p.until(`document.querySelector('[data-square="d6"] .disc')`)
	p.drag(on("d6"), "#name")
	p.did("a drag off the board", Act{Op: OpLift, Square: sq("d6"), HasSquare: true, Color: engine.None})
	p.drag(`.pile[data-color="white"]`, on("d6"))
	p.did("a drag from the white pile", Act{Op: OpPlace, Square: sq("d6"), HasSquare: true, Color: engine.White})
	p.click("#wrong")
	p.click(on("h1"))
	p.did("a click with the switch on", Act{Op: OpPlace, Square: sq("h1"), HasSquare: true, Color: engine.Black})
	for id, want := range map[string]Act{
		"#autoflip": {Op: OpAutoFlip, On: true, Color: engine.None},
		"#sleeve":   {Op: OpSleeve, Color: engine.None},
		"#sweep":    {Op: OpSweep, Color: engine.None},
		"#reset":    {Op: OpReset, Color: engine.None},
	} {
		p.click(id)
		p.did(id, want)
	}
	p.until(`document.getElementById("autoflip").getAttribute("aria-checked") === "true"`)
	p.click("#fail")
	p.click(on("g7"))
	p.did("breaking a sensor", Act{Op: OpFail, Square: sq("g7"), HasSquare: true, Fault: "dead", Color: engine.None})
	p.until(`document.querySelector('[data-square="g7"]').classList.contains("failed")`)
	p.reads("g7", "g7, empty, light: this square cannot be read, sensor broken")
	p.click("#heal")
	p.did("mending", Act{Op: OpHeal, Color: engine.None})
	tb.mu.Lock()
	tb.refuse = "There is no disc left in the box."
	tb.mu.Unlock()
	p.click(on("a1"))
	p.until(`document.getElementById("notice").textContent === "There is no disc left in the box."`)
	p.quiet()
}

func saysWhatHappens(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	p := show(tb, phone())
	if live := eval[string](p, `document.getElementById("say").getAttribute("aria-live")`); live != "polite" {
		t.Errorf("aria-live is %q", live)
	}
	tb.play("f5d6c3")
	p.until(said("A new game begins. Black to move."))
	p.until(said("Black f5, 1 flipped, 4 to 1."))
	p.until(said("White d6, 1 flipped, 3 to 3."))
	p.until(said("Black c3, 1 flipped, 5 to 2."))
	p.until(said("White to move."))
	tb.mu.Lock()
	for _, e := range []struct {
		kind string
		data map[string]any
	}{
		{"illegal_move", map[string]any{"by": "white", "move": "a1", "reason": "no_flip"}},
		{"pass", map[string]any{"by": "black"}},
		{"sensor_fault", map[string]any{"squares": []string{"g2"}, "kind": "flapping"}},
		{"game_over", map[string]any{"result": "draw", "black": 32, "white": 32}},
		{"game_over", map[string]any{"result": "white", "black": 30, "white": 34}},
		{"clock_flag", map[string]any{"color": "none", "effect": "count"}},
		{"game_over", map[string]any{
			"result": "draw", "black": 4, "white": 4, "counts": "discs", "discs": map[string]any{"black": 4, "white": 4}, "reason": "flag",
			"time_up": map[string]any{"differ": []string{"f5", "g5"}, "record": map[string]any{"black": 5, "white": 2}},
		}},
	} {
		tb.event(e.kind, e.data)
	}
	tb.mu.Unlock()
	p.until(said("A1 is not possible: it would turn nothing."))
	p.until(said("Black must pass."))
	p.until(said("The sensor of g2 cannot be read."))
	p.until(said("Game over. 32 all. Draw."))
	p.until(said("Game over. Black 30, White 34. White wins."))
	// Where one clock runs for the game the flag is nobody's.
	p.until(said("The time is up."))
	p.until(said("The time is up and the discs are counted. 4 all. Draw. They count as they lay; the record has Black 5, White 2."))
	p.quiet()
}

func hasGrid(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("f5")
	p := show(tb, laptop())
	call(p, accessibility.Enable, cdp.Empty{})
	tree := call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	role := make(map[accessibility.NodeID]string)
	for _, n := range tree.Nodes {
		role[n.NodeID] = axText(n.Role)
	}
	rows, cells, names := 0, 0, []string{}
	for _, n := range tree.Nodes {
		name, parent := axText(n.Name), role[n.ParentID]
		switch is := role[n.NodeID]; {
		case n.Ignored:
		case is == "row" && parent == "grid":
			rows++
		case is == "gridcell" && parent == "row":
			cells++
			names = append(names, name)
		case name == "" && slices.Contains([]string{"button", "combobox", "switch", "textbox", "listbox", "grid", "dialog"}, is):
			t.Errorf("a %s has no name", is)
		}
	}
	if rows != 8 || cells != 64 {
		t.Errorf("%d rows and %d cells, want 8 and 64", rows, cells)
	}
	if len(names) == 64 && (!strings.HasPrefix(names[0], "a1, ") || !strings.HasPrefix(names[63], "h8, ")) {
		t.Errorf("the cells run from %q to %q", names[0], names[63])
	}
	if !slices.Contains(names, "f5, black disc, last move") {
		t.Errorf("no name for f5 in %q", names)
	}
	if n := eval[int](p, `document.querySelectorAll('#board [tabindex="0"]').length`); n != 1 {
		t.Errorf("%d squares are tab stops, want one", n)
	}
}

// axText returns a value of the accessibility tree that is a text.
func axText(v *accessibility.Value) string {
	var s string
	if v == nil || json.Unmarshal([]byte(v.Value), &s) != nil {
		return ""
	}
	return s
}

// Scenario 64: a script in a name stays text.
func showsNamesAsText(t *testing.T, show func(*table, screen) *tab) {
	const evil = `<img src=x onerror=alert(1)>`
	tb := newTable(t, func(o *Options) { o.Name = evil })
	tb.players = [2]string{evil, `"><script>alert(2)</script>`}
	tb.alerts = []Alert{{Code: "power", Severity: `x" onclick="alert(3)`, Text: evil, Squares: []string{evil}}}
	tb.play("f5")
	p := show(tb, phone())
	if got := eval[string](p, `document.querySelector("#player-black .color").textContent`); got != evil {
		t.Errorf("the name is shown as %q", got)
	}
	if got := eval[string](p, `document.getElementById("name").textContent`); got != evil {
		t.Errorf("the board is called %q", got)
	}
	if n := eval[int](p, `document.querySelectorAll("img, [onerror], [onclick], body script").length`); n != 0 {
		t.Errorf("%d elements came out of names", n)
	}
	p.fits()
	p.quiet() // no report of the policy
}

// Scenario 13: three plies are taken back while a page is open.
func followsTakeback(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("f5d6c3d3c4")
	p := show(tb, laptop())
	p.until(`document.querySelectorAll(".move").length === 5`)
	eval[bool](p, `(window.stays = true, new MutationObserver(() => {
		if (document.querySelectorAll(".move").length === 2) window.back ??= Date.now();
	}).observe(document.getElementById("moves"), { childList: true }), true)`)
	begin := time.Now()
	tb.mu.Lock()
	tb.undo(3)
	tb.publish()
	tb.mu.Unlock()
	p.until(`document.querySelectorAll(".move").length === 2`)
	if took := eval[float64](p, `window.stays ? window.back : 0`) - float64(begin.UnixMilli()); took > 1000 || took < 0 {
		t.Errorf("shown after %v ms, want within a second and without a reload", took)
	}
	p.until(said("3 moves taken back."))
	p.reads("c3", "c3, empty")
	p.quiet()
}

func givesCommands(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("f5")
	p := show(tb, laptop())
	click := func(id string) {
		t.Helper()
		p.run(chromedp.Click(chromedp.ID(id)))
	}
	click("undo")
	p.until(`document.querySelectorAll(".move").length === 0 && document.getElementById("undo").disabled`)
	click("identify")
	click("new")
	p.until(`document.getElementById("new-game").open`)
	p.shoot("dialog")
	p.run(chromedp.SetValue(chromedp.ID("variant"), "reverse"), chromedp.SendKeys(chromedp.ID("black"), "Aigerim"))
	p.press(kb.Enter)
	p.until(`!document.getElementById("new-game").open && document.querySelector("#player-black .color").textContent === "Aigerim"`)
	click("new")
	p.press(kb.Escape)
	p.until(`!document.getElementById("new-game").open`)
	commands := tb.asked()
	if len(commands) != 3 {
		t.Fatalf("commands: %+v", commands)
	}
	if c := commands[0]; c.Name != "undo" || string(c.Args) != `{"plies":1}` || c.IfSeq == nil || *c.IfSeq != 2 {
		t.Errorf("undo: %+v %s", c, c.Args)
	}
	if c := commands[1]; c.Name != "identify" || c.IfSeq != nil {
		t.Errorf("identify: %+v", c)
	}
	if c := commands[2]; c.Name != "new" || string(c.Args) != `{"variant":"reverse","profile":"home","opponent":{"kind":"none"},"players":{"black":"Aigerim","white":""}}` || c.IfSeq == nil {
		t.Errorf("new: %+v %s", c, c.Args)
	}
	if commands[0].ID == commands[1].ID || len(commands[0].ID) != 24 {
		t.Errorf("ids: %q %q", commands[0].ID, commands[1].ID)
	}
	p.quiet()
}

func hasNoHands(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, func(o *Options) { o.Hands, o.Simulated = nil, false })
	tb.play("f5")
	p := show(tb, phone())
	if eval[bool](p, `document.getElementById("hands").offsetParent !== null`) {
		t.Error("a real board shows the hand panel")
	}
	p.press(kb.Tab)
	p.press(kb.ArrowDown + kb.Enter + "t")
	if got := eval[string](p, `document.activeElement.dataset.square + document.getElementById("board").getAttribute("aria-readonly")`); got != "d5true" {
		t.Errorf("got %q, want a board to walk on and not to change", got)
	}
	p.quiet()
}

func doesNotBlink(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.play("")
	p := show(tb, screen{Width: 800, Height: 600, Calm: true})
	var lit, dark [64]RGB
	lit[9] = RGB{0xD5, 0x5E, 0x00}
	tb.server.LEDs(lit)
	p.until(`document.querySelector('[data-square="b2"]').dataset.led === "#d55e00"`)
	eval[string](p, `(() => {
		globalThis.seen = [];
		const b2 = document.querySelector('[data-square="b2"]');
		new MutationObserver(() => seen.push(b2.dataset.led)).observe(b2, { attributes: true, attributeFilter: ["data-led"] });
		return "";
	})()`)
	for range 6 { // WRONG blinks four times a second
		tb.server.LEDs(dark)
		time.Sleep(125 * time.Millisecond)
		tb.server.LEDs(lit)
		time.Sleep(125 * time.Millisecond)
	}
	if got := eval[string](p, `seen.join(" ")`); strings.Contains(got, "#000000") {
		t.Errorf("the light was shown as %s, want it steady", got)
	}
	tb.server.LEDs(dark)
	p.until(`document.querySelector('[data-square="b2"]').dataset.led === "#000000"`)
	p.quiet()
}

// Scenario 63: ten tabs share one stream, and when its tab closes another one
// goes on without a missed ply.
func livesInTenTabs(t *testing.T, b chromium) {
	tb := newTable(t, nil)
	tb.play("f5")
	url := serve(t, tb.server)
	first := b.open(t, url, phone())
	tabs := []*tab{}
	for range 9 {
		tabs = append(tabs, b.open(t, url, phone()))
	}
	// Tabs that begin to lead at the same time agree within seconds.
	settles(t, tb.server, 1, "ten tabs")
	tb.play("d6")
	for _, p := range append(tabs, first) {
		p.until(said("White d6, 1 flipped, 3 to 3."))
	}
	first.quiet()
	first.Close()
	tb.play("c3")
	tb.play("d3")
	for _, p := range tabs {
		p.until(said("Black c3, 1 flipped, 5 to 2."))
		p.until(said("White d3, 1 flipped, 4 to 4."))
		p.until(`document.getElementById("link").dataset.state === "live"`)
		if n := strings.Count(eval[string](p, `document.getElementById("say").textContent`), "Black c3, "); n != 1 {
			t.Errorf("the move was said %d times", n)
		}
		p.quiet()
	}
	settles(t, tb.server, 1, "after the first tab was closed")
}

// A page never pretends: silence is stale, no server is offline, and a server
// that was started anew is shown as it is now.
func tellsStale(t *testing.T, b chromium) {
	quick := func(o *Options) { o.Stale, o.Heartbeat = 1500*time.Millisecond, time.Hour }
	tb := newTable(t, quick)
	tb.play("f5")
	url, stop := serveUntil(t, tb.server, "127.0.0.1:0")
	p := b.open(t, url, laptop())
	p.until(`document.getElementById("link").dataset.state === "stale"`)
	if got := eval[string](p, `document.getElementById("link-text").textContent`); !strings.HasPrefix(got, "Stale") {
		t.Errorf("says %q", got)
	}
	p.until(`document.getElementById("link").dataset.state === "live"`)
	stop()
	p.until(`document.getElementById("link").dataset.state === "offline"`)
	p.shoot("offline")
	p.reads("f5", "f5, black disc, last move")
	again := newTable(t, quick)
	again.play("f5d6c3")
	_, stop = serveUntil(t, again.server, strings.TrimPrefix(url, "http://"))
	p.until(`document.querySelectorAll(".move").length === 3`)
	p.until(`document.getElementById("link").dataset.state === "live"`)
	stop()
}

// Over plain http browsers take away what they call powerful: locks, the
// clipboard, Sec-Fetch headers. The page works all the same.
func worksInTheNetwork(t *testing.T, b chromium) {
	tb := newTable(t, func(o *Options) { o.Hosts = []string{"board.test"} })
	tb.play("f5")
	url := strings.Replace(serve(t, tb.server), "127.0.0.1", "board.test", 1)
	p := b.open(t, url, phone())
	if eval[bool](p, "isSecureContext") {
		t.Fatal("the browser trusts this name, the test shows nothing")
	}
	second := b.open(t, url, laptop())
	tb.play("d6")
	for _, p := range []*tab{p, second} {
		p.until(said("White d6, 1 flipped, 3 to 3."))
	}
	second.run(chromedp.Click(chromedp.ID("identify")), chromedp.Click(chromedp.ID("copy")))
	second.until(`document.getElementById("copy").textContent !== "Copy"`)
	m := mouse{second, tb}
	m.click(on("c3"))
	m.did("a click", Act{Op: OpPlace, Square: square(t, "c3"), HasSquare: true, Color: engine.Black})
	if c := tb.asked(); len(c) != 1 || c[0].Name != "identify" {
		t.Errorf("commands: %+v", c)
	}
	p.quiet()
	second.quiet()
}
