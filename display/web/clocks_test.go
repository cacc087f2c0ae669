package web

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// part is the address of one of the page's modules.
const part = `document.querySelector('script[type="module"]').src.replace("main.js", %q)`

// showsOnClock reads a clock of the page, in seconds.
func (p *tab) showsOnClock(id string) float64 {
	p.t.Helper()
	text := eval[string](p, `document.querySelector("#clock-`+id+` .time").textContent`)
	sum := 0.0
	for n := range strings.SplitSeq(text, ":") {
		var v float64
		if _, err := fmt.Sscanf(n, "%g", &v); err != nil {
			p.t.Fatalf("the clock shows %q", text)
		}
		sum = sum*60 + v
	}
	return sum
}

// agrees fails the test unless a clock of the page is within a second of the
// board's own; it rounds up.
func (p *tab) agrees(c *court, when, id string, side engine.Color) {
	p.t.Helper()
	before := c.left(side)
	shown := p.showsOnClock(id)
	after := c.left(side)
	if shown > math.Ceil(before.Seconds()+1) || shown < after.Seconds()-1 {
		p.t.Errorf("%s: %s's clock shows %.1f s, the board says %v", when, id, shown, after)
	}
}

// Scenarios 22 and 65: whenever a page is opened, and whatever it has slept
// through, its clocks are right within a second.
func TestClocksOfALatePage(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "5:00", nil)
	url, stop := serveUntil(t, c.server, "127.0.0.1:0")
	c.skip(20 * time.Second)
	c.play("f5")
	c.skip(30 * time.Second)
	p := b.open(t, url, laptop())
	p.until(`document.querySelector("#clock-white .time").textContent !== ""`)
	p.agrees(c, "30 s after a move", "white", engine.White)
	p.agrees(c, "30 s after a move", "black", engine.Black)
	if shown := p.showsOnClock("white"); shown > 271 {
		t.Errorf("White's clock shows %v s 30 s after Black's move, as if it had just begun", shown)
	}
	// A second tab is told by the first one, which may have been told long ago.
	c.skip(40 * time.Second)
	late := b.open(t, url, phone())
	late.until(`document.querySelector("#clock-white .time").textContent.startsWith("3:4")`)
	late.agrees(c, "in a second tab", "white", engine.White)
	// The computer sleeps: no script runs, and the page's clock may stand.
	c.skip(time.Minute)
	eval[bool](p, `document.dispatchEvent(new Event("visibilitychange"))`)
	p.until(`document.querySelector("#clock-white .time").textContent.startsWith("2:4")`)
	p.agrees(c, "after a sleep", "white", engine.White)
	// The program is started anew: its time begins again.
	p.quiet()
	late.quiet()
	stop()
	p.until(`document.getElementById("link").dataset.state === "offline"`)
	p.until(`document.querySelector("#clock-white .marks").textContent.startsWith("? not live")`)
	c.mu.Lock()
	left := c.state.Clock.Times(c.now())
	c.boot, c.begun, c.skipped = 2, time.Now(), 0
	c.state.Clock.Restore(left, engine.White, c.now())
	c.host(nil)
	c.publish()
	c.mu.Unlock()
	_, stop = serveUntil(t, c.server, strings.TrimPrefix(url, "http://"))
	t.Cleanup(stop)
	p.until(`document.getElementById("link").dataset.state === "live"`)
	p.until(`document.querySelector("#clock-white .time").textContent.startsWith("2:")`)
	p.agrees(c, "after a new start", "white", engine.White)
	c.play("d6")
	p.until(`document.getElementById("clock-black").classList.contains("runs")`)
	p.agrees(c, "after another move", "black", engine.Black)
	p.agrees(c, "after another move", "white", engine.White)
}

// Scenario 26: the page rounds as all clocks of the board do, and shows zero only
// once a flag has fallen.
func TestClockTextOfThePage(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "5:00", nil)
	p := b.open(t, c.url(), phone())
	ms := []int64{
		1, 5, 60, 99, 100, 101, 999, 1000, 1001, 9899, 9900, 9901, 9999, 10000, 10001, 59999, 60000, 60001, 3599001, 3600000, 3600001,
	}
	rnd := rapid.Int64Range(1, 3*3600*1000)
	for i := range 200 {
		ms = append(ms, rnd.Example(i))
	}
	list, err := json.Marshal(ms)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[[]string](p, fmt.Sprintf(`import(`+part+`).then((m) => %s.map((ms) => m.clockText(ms, false)))`, "clock.js", list))
	for i, d := range ms {
		if want := clock.Text(time.Duration(d) * time.Millisecond); got[i] != want {
			t.Errorf("%d ms is shown as %s, want %s", d, got[i], want)
		}
	}
	if got := eval[string](p, fmt.Sprintf(`import(`+part+`).then((m) => m.clockText(0, false) + " " + m.clockText(0, true))`, "clock.js")); got != "0.1 0:00" {
		t.Errorf("no time, with the flag up and down, is shown as %s, want 0.1 0:00", got)
	}
}

// A message that was long on its way makes no clock wrong, a sleep does not, and a
// new start of the board is another time.
func TestBoardTimeOfThePage(t *testing.T) {
	b := browser(t)
	c := newCourt(t, atClub(), "5:00", nil)
	p := b.open(t, c.url(), phone())
	off := eval[[]float64](p, fmt.Sprintf(`import(`+part+`).then((m) => {
		const t = new m.BoardTime();
		const off = () => Math.round(t.now() - performance.now());
		const page = performance.now();
		const out = [];
		t.hear(undefined, "a"); t.hear(page + 5000, "a"); out.push(off());
		t.hear(page - 600000); out.push(off());
		t.hear(page + 65000); out.push(off());
		t.hear(page + 100, "b"); out.push(off());
		return out;
	})`, "clock.js"))
	for i, want := range []float64{5000, 5000, 65000, 100} {
		if math.Abs(off[i]-want) > 200 {
			t.Errorf("after message %d the board is %v ms ahead, want %v", i+1, off[i], want)
		}
	}
}

// What a clock does is told by words and signs, and not by color alone.
func TestClocksSayWhatTheyDo(t *testing.T) {
	b := browser(t)
	for _, k := range []struct {
		name, timed, id string
		profile         referee.Profile
		make            func(c *court)
		marks, label    string
		class           string
	}{
		{"runs", "5:00", "black", atClub(), func(*court) {}, "▶ runs", "s, it runs", "runs"},
		{"short of time", "5:00", "black", atClub(), func(c *court) { c.skip(4*time.Minute + 45*time.Second) }, "▶ runs · short of time", "short of time", "low"},
		{"flag", "5:00", "black", atClub(), func(c *court) {
			c.skip(6 * time.Minute)
			c.step(referee.Tick{At: c.now()})
		}, "⚑ flag", "Black's clock: the flag has fallen", "down"},
		{"increment", "5:00/3", "black", atClub(), func(*court) {}, "▶ runs · +3 s a move", "s, it runs", "runs"},
		{"period", "0:10+3x0:30", "black", strict(), func(c *court) { c.skip(15 * time.Second) }, "▶ runs · period, 3 × 0:30 left", "3 periods left", "runs"},
		{"second period", "0:10+3x0:30", "black", strict(), func(c *court) { c.skip(45 * time.Second) }, "▶ runs · period, 2 × 0:30 left", "2 periods left", "runs"},
		{"main time before periods", "1:00+3x0:30", "black", strict(), func(*court) {}, "▶ runs · 3 × 0:30 left", "3 periods left", "runs"},
		{"one for the game", "game 20:00", "shared", referee.Home(), func(*court) {}, "▶ runs", "The clock of the game: ", "runs"},
		{"stopped", "5:00", "black", atClub(), func(c *court) { c.order("arbiter", "pause", referee.Pause{}) }, "❚❚ stopped", "Black's clock: 5 minutes", "clock"},
	} {
		t.Run(k.name, func(t *testing.T) {
			c := newCourt(t, k.profile, k.timed, nil)
			k.make(c)
			url := c.url()
			for name, sc := range looks() {
				p := b.open(t, url, sc)
				p.t = t
				p.until(fmt.Sprintf(`document.querySelector("#clock-%s .marks").textContent === %q`, k.id, k.marks))
				p.until(fmt.Sprintf(`document.getElementById("clock-%s").getAttribute("aria-label").includes(%q)`, k.id, k.label))
				p.until(fmt.Sprintf(`document.getElementById("clock-%s").classList.contains(%q)`, k.id, k.class))
				p.fits()
				p.shoot("clock-" + strings.ReplaceAll(k.name, " ", "-") + "-" + name)
				p.quiet()
			}
		})
	}
}

// looks are the screens on which a page is looked at: all of them by people, who
// want pictures, and one by the test.
func looks() map[string]screen {
	if os.Getenv("REVERSI_SHOTS") != "" {
		return screens()
	}
	return map[string]screen{"phone": phone()}
}

// Players press the page's clocks where moves are ended with a press: with a click,
// or with the space bar.
func TestClocksArePressed(t *testing.T) {
	b := browser(t)
	c := newCourt(t, strict(), "30:00", nil)
	c.obey = func(cmd Command) referee.Order {
		var args struct {
			Color string `json:"color"`
		}
		if json.Unmarshal(cmd.Args, &args) != nil {
			t.Errorf("arguments %s", cmd.Args)
		}
		by := engine.Black
		if args.Color == "white" {
			by = engine.White
		}
		c.press(by)
		return nil
	}
	p := b.open(t, c.url(), laptop())
	c.see(c.state.Game.Place(square(t, "f5")).Discs)
	p.until(`!document.getElementById("press-black").hidden`)
	p.shoot("press")
	p.run(chromedp.Click(chromedp.ID("press-black")))
	p.until(`document.querySelectorAll(".move").length === 1 && document.getElementById("clock-white").classList.contains("runs")`)
	c.see(c.state.Game.Place(square(t, "d6")).Discs)
	p.space() // the button that was clicked does not keep the focus
	p.until(`document.querySelectorAll(".move").length === 2 && document.getElementById("clock-black").classList.contains("runs")`)
	said := c.asked()
	for i, want := range []string{`{"color":"black"}`, `{"color":"white"}`} {
		if got := said[i]; got.Name != "press" || string(got.Args) != want || got.IfSeq != nil {
			t.Errorf("press %d: %+v %s, want %s", i+1, got, got.Args, want)
		}
	}
	// Where moves end by themselves there is nothing to press.
	home := newCourt(t, referee.Home(), "5:00", nil)
	q := b.open(t, home.url(), phone())
	q.until(`!document.getElementById("clock-black").hidden && document.getElementById("press-black").hidden`)
	q.space()
	if got := home.asked(); len(got) != 0 {
		t.Errorf("the space bar sent %+v", got)
	}
	p.quiet()
}

// The dialog offers profiles and clocks, those of the rules by themselves.
func TestNewGameWithAClock(t *testing.T) {
	b := browser(t)
	c := newCourt(t, referee.Home(), "none", nil)
	p := b.open(t, c.url(), phone())
	start := func(set func()) string {
		t.Helper()
		p.run(chromedp.Click(chromedp.ID("new")))
		p.until(`document.getElementById("new-game").open`)
		set()
		p.fits()
		p.run(chromedp.Click(`#new-form [value="start"]`))
		p.until(`!document.getElementById("new-game").open`)
		said := c.asked()
		if len(said) != 1 || said[0].Name != "new" {
			t.Fatalf("commands %+v", said)
		}
		var args struct {
			Profile string  `json:"profile"`
			Clock   *string `json:"clock"`
		}
		if err := json.Unmarshal(said[0].Args, &args); err != nil {
			t.Fatal(err)
		}
		if args.Clock == nil {
			return args.Profile
		}
		return args.Profile + ", " + *args.Clock
	}
	typed := func(id, text string) { p.run(chromedp.SetValue(chromedp.ID(id), text)) }
	for _, k := range []struct {
		want string
		set  func()
	}{
		{"home", func() {}},
		{"woc", func() {
			p.choose("profile", "woc")
			p.until(`document.querySelector('#clock [value="auto"]').textContent === "As the rules say: 30 minutes each"`)
		}},
		{"club, 25:00", func() { p.choose("profile", "club"); p.choose("clock", "25:00") }},
		{"home, 10:00+3x0:30", func() { p.choose("clock", "10:00+3x0:30"); p.shoot("new-game-clock") }},
		{"home, black 5:00, white 30:00/10", func() {
			p.choose("clock", "sides")
			typed("clock-for-black", "5:00")
			typed("clock-for-white", "30:00/10")
		}},
		{"home, 7:30/2", func() { p.choose("clock", "own"); typed("clock-own", "7:30/2") }},
		{"festival, none", func() { p.choose("profile", "festival"); p.choose("clock", "none") }},
	} {
		if got := start(k.set); got != k.want {
			t.Errorf("asked for %q, want %q", got, k.want)
		}
	}
	p.quiet()
}
