package main

import (
	"fmt"
	"testing"
)

// presses clicks the button of a game by its words.
func (p *tab) presses(table int, words string) {
	p.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll(".seat:nth-child(%d) button")].find((b) => b.textContent.startsWith(%q))`, table, words)
	p.until(patience, button+` !== undefined`)
	eval[bool](p, `(`+button+`.click(), true)`)
}

// sends submits the open dialog, and waits until it is closed.
func (p *tab) sends(dialog string) {
	p.t.Helper()
	p.click("#" + dialog + " .strong")
	p.until(patience, fmt.Sprintf(`!document.getElementById(%q).open`, dialog))
}

// reads waits until an element has a text.
func (p *tab) reads(selector, want string) {
	p.t.Helper()
	p.until(patience, fmt.Sprintf(`document.querySelector(%q)?.textContent === %q`, selector, want))
}

// An arbiter's evening on the page, from nothing to the table: what is entered by
// hand, what comes from the board, and what another program does.
func TestTournamentOnThePage(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	c := &contest{t: t, b: b, p: b.start(), id: "club-night"}
	c.w = c.p.watch()
	c.w.phase("playing")
	page := open(chromium(t), t, c.p.url+"/tournament")
	page.reads("#how", "There is no tournament yet. Begin one.")
	page.click("#create")
	page.set("begin-name", "Club night")
	page.set("begin-rounds", "2")
	page.set("begin-profile", "home")
	page.click("#begin .strong")
	page.reads("#title", "Club night")

	page.click("#add")
	page.set("join-text", "Ana; Elm; 1500\nBen; Oak; 1400\n<b>Cem</b>; ; 1300\nDora, Jr.; Elm; 1200")
	page.sends("join")
	page.reads("#how", "4 players. No round has been paired yet.")
	eval[bool](page, `(document.querySelector('[aria-label="Edit Ben"]').click(), true)`)
	page.set("edit-rating", "1450")
	page.sends("edit")
	page.reads("#list li:nth-child(2) .detail", "Oak, 1450")
	page.click("#pair")
	page.reads("#how", "Round 1 of 2: 2 games are still open.")
	page.until(patience, `document.querySelector("#pair").disabled`)

	// Table 1 by hand, first wrong; a correction needs a reason.
	page.presses(1, "Result")
	page.set("enter-black", "24")
	page.set("enter-white", "39")
	page.sends("enter")
	page.reads(".seat:nth-child(1) .words", "Entered by hand")
	page.presses(1, "Correct")
	page.set("enter-black", "39")
	page.set("enter-white", "24")
	page.click("#enter .strong")
	if !eval[bool](page, `document.getElementById("enter").open`) {
		t.Error("a correction without a reason was sent")
	}
	page.set("enter-reason", "the wrong way round")
	page.sends("enter")
	page.reads(".seat:nth-child(1) .words",
		"The wrong way round, entered by hand, corrected, it was 24–39, white wins")

	// Table 2 at the board: its result is on the page without a touch.
	page.presses(2, "Play here")
	page.sends("ask")
	c.w.until(patience, "the players sit down", func(w *watch) bool { return w.view.State.Players.Black == "Dora, Jr." })
	c.p.hand(act{Op: "reset"})
	c.w.phase("playing")
	page.reads(".seat:nth-child(2) .words", "Being played on reversi-1")
	c.plays("f5d6c5f6e7f4g5e6e3", 0)
	page.reads(".seat:nth-child(2) .words", "From reversi-1")
	page.reads("#how", "Round 1 of 2 has been played.")
	page.reads("#rows tr:nth-child(2) th", "Dora, Jr.")
	page.reads("#rows tr:nth-child(2) td:nth-child(8)", "1")

	// Another program takes somebody out; the page knows within seconds, and pairs
	// the next round with what is left.
	eval[bool](page, `(document.querySelector('[aria-label="Ana leaves"]').focus(), true)`)
	c.cli("withdraw", c.id, "3", "--reason", "ill")
	page.until(patience, `document.activeElement.ariaLabel === "Ana leaves" && document.querySelector("#rows tr.gone th")?.textContent === "<b>Cem</b> (left before round 2)"`)
	page.click("#pair")
	page.reads("#how", "Round 2 of 2: one game is still open.")
	if got := eval[string](page, `fetch(document.getElementById("csv-standings").href).then((r) => r.text())`); got != c.cli("export", c.id, "standings") {
		t.Errorf("the CSV of the page is %s", got)
	}
	page.quiet()
}
