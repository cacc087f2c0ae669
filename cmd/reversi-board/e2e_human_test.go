package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reversi-board/engine"
	"reversi-board/engine/archive"
)

// byHand is how many moves of the computer the person of the test makes for it,
// before a robot does.
const byHand = 6

// A whole game of a person against the computer, all of it in the browser: the
// person chooses the opponent and the color, is the computer's hands at first,
// led by the lights, and then lets the robot make its moves, and needs no lights
// for one's own. Page, journal and archive tell the same.
func TestPersonAgainstTheComputer(t *testing.T) {
	t.Parallel()
	b := newBench(t, noBroker, quick)
	p := b.start()
	v := visitor{t: t, page: open(chromium(t), t, p.url)}
	v.begins("5", "Black", "Dana")
	begin := time.Now()
	moves := 0 // of the computer, as far as the person has made them
	for v.waits(); v.turn != "over"; v.waits() {
		switch {
		case v.turn == "White":
			v.plays()
		case moves < byHand:
			v.isItsHands()
			moves++
		default:
			v.page.click("#robot")
			v.robot = true
		}
	}
	t.Logf("%d discs in %v", len(v.transcript())/2, time.Since(begin).Round(time.Second))
	seen := v.reads()
	v.page.quiet()
	if code, _ := p.signal(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if onDisk := toldByJournal(t, b.dir); onDisk != seen {
		t.Errorf("the page shows\n%+v, the journal tells\n%+v", seen, onDisk)
	}
	if kept := toldByArchive(t, b.dir); kept != seen {
		t.Errorf("the page shows\n%+v, the archive tells\n%+v", seen, kept)
	}
	if byRules := toldByRules(t, seen.transcript); seen.score != byRules {
		t.Errorf("the page shows %s, by the rules it is %s", seen.score, byRules)
	}
}

// visitor is a person at the page, who plays White.
type visitor struct {
	t    *testing.T
	page *tab
	// robot says that a robot makes the computer's moves.
	robot bool
	// turn is whose turn it was when the visitor looked last: Black, White or
	// over.
	turn string
}

// begins chooses the computer as opponent, as a person with a mouse and a
// keyboard does.
func (v *visitor) begins(level, side, name string) {
	v.t.Helper()
	v.page.until(patience, `document.body.dataset.phase === "playing"`)
	v.page.click("#new")
	v.page.until(patience, `document.getElementById("new-game").open`)
	v.page.pick("rival", "The computer")
	v.page.pick("level", level)
	v.page.pick("rival-side", side)
	v.page.click("#white")
	v.page.run(chromedp.KeyEvent(name))
	v.page.click(`#new-form [value="start"]`)
	v.page.until(patience, `!document.getElementById("new-game").open`)
	v.page.until(patience, fmt.Sprintf(`document.body.dataset.phase === "playing" && %s === "reversi-board level %s" && %s === %q`,
		textOf("#player-black .color"), level, textOf("#player-white .color"), name))
}

// pick opens a list and types the name of a choice.
func (p *tab) pick(id, choice string) {
	p.t.Helper()
	p.run(chromedp.Focus(chromedp.ID(id)), chromedp.KeyEvent(choice))
	p.until(patience, fmt.Sprintf(`((list) => list === document.activeElement && list.selectedOptions[0].textContent.startsWith(%q))(document.getElementById(%q))`, choice, id))
}

func textOf(selector string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent`, selector)
}

// wished are the squares where a disc is to be put. Their lights pulse: between
// two looks they may have gone dark.
const wished = `[...document.querySelectorAll('.cell[data-mark="place"]')].map((c) => c.dataset.square).join(" ")`

// waits looks at the page until there is something to do: a move of one's own,
// or one of the computer unless a robot makes those, or nothing any more.
func (v *visitor) waits() {
	v.t.Helper()
	const over = `document.body.dataset.phase === "over"`
	white := textOf("#sentence") + ` === "White to move."`
	black := "false"
	if !v.robot {
		black = `document.querySelector('.cell.lit[data-mark="place"]') !== null`
	}
	v.page.until(patience, fmt.Sprintf("%s || %s || %s", over, white, black))
	v.turn = eval[string](v.page, fmt.Sprintf(`%s ? "over" : %s ? "White" : "Black"`, over, white))
}

// isItsHands puts the computer's disc where its light is, and turns the discs
// that light up then.
func (v *visitor) isItsHands() {
	v.t.Helper()
	before := v.transcript()
	square := eval[string](v.page, wished)
	if says, want := eval[string](v.page, textOf("#sentence")), fmt.Sprintf("Black plays %s: put a black disc there.", square); says != want {
		v.t.Fatalf("after %s the light is on %q, and the board says %q", before, square, says)
	}
	v.page.moveByMouse(lastOf(v.t, before+square))
}

// plays makes the move that turns the fewest discs.
func (v *visitor) plays() {
	v.t.Helper()
	before := v.transcript()
	g := after(v.t, before)
	if g.Turn != engine.White {
		v.t.Fatalf("after %s the page says that it is White's turn", before)
	}
	best := g.Legal().First()
	for s := range g.Legal().All() {
		if g.Flips(s).Count() < g.Flips(best).Count() {
			best = s
		}
	}
	m := lastOf(v.t, before+best.String())
	if !v.robot {
		v.page.moveByMouse(m)
		return
	}
	v.page.click(cell(m.square))
	for _, s := range m.flips {
		v.page.click(cell(s))
	}
	v.page.until(patience, atLeast(m.lines))
}

func (v *visitor) transcript() string { return eval[string](v.page, textOf("#transcript")) }

// told is what somebody tells of the game.
type told struct {
	black, white string // the players
	transcript   string
	score        string // such as 40-24, the discs as they lie
	winner       string
}

// reads returns what the page shows at the end.
func (v *visitor) reads() told {
	v.t.Helper()
	w := told{
		black: eval[string](v.page, textOf("#player-black .color")), white: eval[string](v.page, textOf("#player-white .color")),
		transcript: v.transcript(), winner: "draw",
	}
	for _, color := range []string{"black", "white"} {
		if eval[bool](v.page, fmt.Sprintf(`document.getElementById("player-%s").classList.contains("won")`, color)) {
			w.winner = color
		}
	}
	var black, white int
	says := eval[string](v.page, textOf("#sentence"))
	if _, err := fmt.Sscanf(says, "The game is over. Black %d, White %d: ", &black, &white); err != nil {
		v.t.Fatalf("%v in %q", err, says)
	}
	w.score = fmt.Sprintf("%d-%d", black, white)
	return w
}

// toldByJournal reads the last game of the journal, in which nothing may have
// been refused.
func toldByJournal(t *testing.T, dir string) (w told) {
	t.Helper()
	events := openJournal(t, dir)
	checkNumbers(t, events)
	for _, e := range events {
		if !slices.Contains([]string{"command", "game_started", "game_over", "move", "pass"}, e.Type) {
			t.Errorf("an event that did not happen: %s", e.raw)
		}
		if e.Type == "game_started" {
			players := decode[struct{ Players struct{ Black, White string } }](t, e.Data).Players
			w.black, w.white = players.Black, players.White
		}
	}
	g := fold(t, events)
	over := decode[struct {
		Result       string
		Black, White int
	}](t, g.over)
	w.transcript, w.winner, w.score = g.transcript, over.Result, fmt.Sprintf("%d-%d", over.Black, over.White)
	return w
}

// toldByArchive asks the program for the game that has a disc in it.
func toldByArchive(t *testing.T, dir string) (w told) {
	t.Helper()
	list := games(t, "", "list", "--data", dir, "--json")
	for _, e := range decode[[]archive.Entry](t, []byte(list.stdout)) {
		if e.Plies == 0 {
			continue
		}
		moves := games(t, "", "export", "--data", dir, "--to", "transcript")
		return told{
			black: e.Black.String(), white: e.White.String(), transcript: strings.TrimSpace(moves.stdout),
			score: fmt.Sprintf("%d-%d", e.BlackScore, e.WhiteScore), winner: e.Winner,
		}
	}
	t.Errorf("the archive has no game: %+v", list)
	return w
}

// toldByRules is the score of a game that is over.
func toldByRules(t *testing.T, transcript string) string {
	t.Helper()
	g := after(t, transcript)
	if !g.Over() {
		t.Errorf("%s is not over", transcript)
	}
	// At home the discs count as they lie.
	return fmt.Sprintf("%d-%d", g.Black.Count(), g.White.Count())
}

// after returns the game after a transcript; whoever cannot move has passed.
func after(t *testing.T, transcript string) engine.Game {
	t.Helper()
	g := engine.NewGame(classic(t))
	for ; transcript != ""; transcript = transcript[2:] {
		s, err := engine.ParseSquare(transcript[:2])
		if err != nil {
			t.Fatal(err)
		}
		g = g.Place(s)
		if g.MustPass() {
			g = g.Pass()
		}
	}
	return g
}

// lastOf returns the last disc of a transcript.
func lastOf(t *testing.T, transcript string) ply {
	t.Helper()
	all := pliesOf(t, transcript)
	return all[len(all)-1]
}
