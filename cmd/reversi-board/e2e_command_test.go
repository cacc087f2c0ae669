package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
)

// answer is a response on MQTT.
type answer struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Code   string `json:"code"`
	Error  string `json:"error"`
	Seq    uint64 `json:"seq"`
	Dup    bool   `json:"dup"`
}

// desk gives commands over MQTT and waits for their answers.
type desk struct {
	t    *testing.T
	port int
	sub  *subscriber
	ids  int
}

// request is a command; nil members are left out.
type request struct {
	ID    string  `json:"id"`
	From  string  `json:"from"`
	Args  any     `json:"args,omitempty"`
	IfSeq *uint64 `json:"if_seq,omitempty"`
}

// order publishes a command and returns its answer. A request without an id
// gets one.
func (d *desk) order(topic string, r request) answer {
	d.t.Helper()
	if r.ID == "" {
		d.ids++
		r.ID = fmt.Sprintf("id-%d", d.ids)
	}
	r.From = "desk-1"
	text, err := json.Marshal(r)
	if err != nil {
		d.t.Fatal(err)
	}
	n := d.sub.count()
	publish(d.t, d.port, "reversi/v1/reversi-1/cmd/"+topic, text)
	m := d.sub.wait(n, patience, "an answer to "+string(text), func(m message) bool {
		return strings.HasSuffix(m.topic, "/resp/desk-1")
	})
	a := decode[answer](d.t, m.payload)
	if m.retained || a.ID != r.ID {
		d.t.Errorf("%s is answered by %s, retained %v", text, m.payload, m.retained)
	}
	return a
}

// ok fails the test unless a command was carried out.
func (d *desk) ok(a answer) {
	d.t.Helper()
	if a.Status != "ok" || a.Code != "" {
		d.t.Fatalf("%s was refused: %s %s", a.Name, a.Code, a.Error)
	}
}

// TestCommandsOverMQTT gives one board every command there is.
func TestCommandsOverMQTT(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	d := &desk{t: t, port: b.broker, sub: sub}
	plies := theFinal(t).plies(t, 6)
	for _, m := range plies {
		p.play(w, m)
	}
	looks(d, w)
	w.until(patience, "the audit", func(w *watch) bool { return w.view.State.Seq == uint64(len(recordsOnDisk(t, b.dir))) })
	takesBack(d, w)
	newRobot(p, w, 1).run(func(v view) bool { return v.Table == v.State.Board && v.State.Sensed == v.State.Board })
	p.play(w, plies[4])
	beginsAnew(d, p, w)
	if a := d.order("arbiter/dance", request{}); a.Code != "unknown" {
		t.Errorf("a command that does not exist is answered by %+v", a)
	}
	checkAudit(t, recordsOnDisk(t, b.dir))
}

// looks gives the commands that change nothing.
func looks(d *desk, w *watch) {
	d.t.Helper()
	// Identify: all 64 lights are lit, and dark again, in turn.
	d.ok(d.order("ops/identify", request{}))
	all := func(lit bool) func(w *watch) bool {
		return func(w *watch) bool {
			return !slices.ContainsFunc(w.leds[:], func(c [3]byte) bool { return (c != [3]byte{}) != lit })
		}
	}
	for range 3 {
		w.until(3*time.Second, "all lights lit", all(true))
		w.until(3*time.Second, "all lights dark", all(false))
	}
	// Snapshot: the state comes again.
	n := d.sub.count()
	d.ok(d.order("hub/snapshot", request{}))
	d.sub.wait(n, patience, "the state again", func(m message) bool { return strings.HasSuffix(m.topic, "/state") && !m.retained })
	// Hint: a move is suggested, by a light among those of the legal moves.
	if a := d.order("ops/hint", request{}); a.Code != "not_allowed" {
		d.t.Errorf("a hint to ops is answered by %+v", a)
	}
	d.ok(d.order("player/hint", request{}))
	w.says("Black to move. Try ")
	w.until(patience, "the lights of the hint", func(w *watch) bool {
		var lit []string
		for s := range engine.Square(engine.Squares) {
			if w.leds[s] != [3]byte{} {
				lit = append(lit, s.String())
			}
		}
		return len(lit) > 0 && slices.Equal(lit, w.view.State.Legal)
	})
}

// takesBack undoes two plies, after trying what must be refused.
func takesBack(d *desk, w *watch) {
	d.t.Helper()
	before := w.look().State
	now := before.Seq
	if a := d.order("arbiter/undo", request{IfSeq: new(now - 1), Args: map[string]int{"plies": 1}}); a.Code != "stale_seq" || a.Seq != now {
		d.t.Errorf("an undo of an old state is answered by %+v, want stale_seq and seq %d", a, now)
	}
	if a := d.order("arbiter/undo", request{Args: map[string]int{"plies": 1}}); a.Code != "bad_payload" {
		d.t.Errorf("an undo without if_seq is answered by %+v", a)
	}
	if a := d.order("arbiter/undo", request{IfSeq: new(now), Args: map[string]int{"plies": 60}}); a.Code != "not_allowed" {
		d.t.Errorf("an undo of too much is answered by %+v", a)
	}
	undo := request{ID: "the-undo", IfSeq: new(now), Args: map[string]int{"plies": 2}}
	first := d.order("arbiter/undo", undo)
	d.ok(first)
	// One event for the audit, one for the undo.
	if first.Dup || first.Seq != now+2 {
		d.t.Errorf("the undo is answered by %+v, want seq %d", first, now+2)
	}
	if again := d.order("arbiter/undo", undo); !again.Dup || again.Seq != first.Seq || again.Status != "ok" {
		d.t.Errorf("the same undo again is answered by %+v, want %+v with dup", again, first)
	}
	want := before.Transcript[:len(before.Transcript)-4]
	w.until(patience, "the undo", func(w *watch) bool { return w.view.State.Transcript == want })
}

// beginsAnew starts a new game in the middle of one, after trying what must be
// refused.
func beginsAnew(d *desk, p *process, w *watch) {
	d.t.Helper()
	args := map[string]any{"players": map[string]string{"black": "Aigerim", "white": "Baurzhan"}}
	if a := d.order("arbiter/new", request{Args: args}); a.Code != "bad_payload" {
		d.t.Errorf("a new game without if_seq while one runs is answered by %+v", a)
	}
	if a := d.order("player/new", request{Args: args}); a.Code != "not_allowed" {
		d.t.Errorf("a player's new game is answered by %+v", a)
	}
	d.ok(d.order("arbiter/new", request{IfSeq: new(w.look().State.Seq), Args: args}))
	w.phase("setup")
	p.hand(act{Op: "reset"})
	w.phase("playing")
	if v := w.look(); v.State.Players.Black != "Aigerim" || v.State.Players.White != "Baurzhan" || v.State.Ply != 0 {
		d.t.Errorf("the new game: %+v", v.State)
	}
}

// checkAudit looks for the accepted commands, and no others, on record.
func checkAudit(t *testing.T, events []event) {
	t.Helper()
	checkNumbers(t, events)
	var accepted []string
	for _, e := range events {
		if e.Type == "command" {
			c := decode[struct{ Role, Name string }](t, e.Data)
			accepted = append(accepted, c.Role+"/"+c.Name)
		}
	}
	if got := strings.Join(accepted, " "); got != "ops/identify hub/snapshot player/hint arbiter/undo arbiter/new" {
		t.Errorf("commands on record: %s", got)
	}
	over := events[len(events)-2]
	if res := decode[struct{ Result, Reason string }](t, over.Data); over.Type != "game_over" || res.Result != "none" || res.Reason != "aborted" {
		t.Errorf("the old game ended by %s", over.raw)
	}
}

// The first answer to a command is given again after a restart.
func TestDuplicateAfterRestart(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub.availability(0, patience, "online")
	d := &desk{t: t, port: b.broker, sub: sub}
	plies := theFinal(t).plies(t, 2)
	for _, m := range plies {
		p.play(w, m)
	}
	undo := request{ID: "once", IfSeq: new(w.look().State.Seq), Args: map[string]int{"plies": 1}}
	d.ok(d.order("arbiter/undo", undo))
	p.kill()
	n := sub.count()
	p = b.start()
	sub.availability(n, patience, "online")
	if a := d.order("arbiter/undo", undo); !a.Dup || a.Status != "ok" {
		t.Errorf("after a restart the same undo is answered by %+v, want the first answer with dup", a)
	}
	if got := p.watch().look().State.Transcript; got != plies[0].square {
		t.Errorf("the game is %q, want %s", got, plies[0].square)
	}
}

// Two visitors see the same; a reload shows the whole game; a takeback by MQTT
// is on the pages at once; the board is cleared by the page's button.
func TestVisitors(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "")
	p := b.start()
	sub.availability(0, patience, "online")
	w := p.watch()
	w.phase("playing")
	browser := chromium(t)
	one, two := open(browser, t, p.url), open(browser, t, p.url)
	picture := func(page *tab) string {
		return eval[string](page, `[...document.querySelectorAll(".cell")].map((c) => c.getAttribute("aria-label")).join("; ") + " | " +
			[...document.querySelectorAll(".move")].map((m) => m.innerText.replace(/\s+/g, "")).join(" ") + " | " + document.getElementById("sentence").textContent`)
	}
	// White loses all discs: black 13-0 after nine plies.
	const wipeout = "f5d6c5f6e7f4g5e6e3"
	plies := pliesOf(t, wipeout)
	for _, m := range plies[:8] {
		p.play(w, m)
		one.until(time.Second, lines(m.lines))
		two.until(time.Second, lines(m.lines))
	}
	if a, b := picture(one), picture(two); a != b {
		t.Errorf("two visitors see\n%s\nand\n%s", a, b)
	}
	seen := picture(two)
	two.reload()
	two.until(patience, lines(8))
	if again := picture(two); again != seen {
		t.Errorf("after a reload the page shows\n%s\nbefore it was\n%s", again, seen)
	}
	// A mark in the page tells whether it is loaded anew.
	eval[bool](one, `globalThis.stays = true`)
	d := &desk{t: t, port: b.broker, sub: sub}
	begin := time.Now()
	d.ok(d.order("arbiter/undo", request{IfSeq: new(w.look().State.Seq), Args: map[string]int{"plies": 3}}))
	one.until(time.Second, lines(5))
	two.until(time.Second, lines(5))
	t.Logf("the takeback was on both pages %v after mosquitto_pub was started", time.Since(begin).Round(time.Millisecond))
	if !eval[bool](one, `globalThis.stays === true`) {
		t.Error("the page was loaded anew")
	}
	newRobot(p, w, 1).run(func(v view) bool { return v.Table == v.State.Board && v.State.Sensed == v.State.Board })
	for _, m := range plies[5:] {
		p.play(w, m)
	}
	for _, page := range []*tab{one, two} {
		page.until(patience, `document.body.dataset.phase === "over"`)
		if got := eval[string](page, `document.getElementById("sentence").textContent`); !strings.Contains(got, "Black 13, White 0") {
			t.Errorf("the page says %q, want 13-0", got)
		}
	}
	record := recordsOnDisk(t, b.dir)
	one.click("#sweep")
	for _, page := range []*tab{one, two} {
		page.until(patience, `document.body.dataset.phase === "setup"`)
		page.until(patience, `/^put black discs on d5 and e4, white on d4 and e5/i.test(document.getElementById("sentence").textContent)`)
	}
	if after := recordsOnDisk(t, b.dir); len(after) != len(record) {
		t.Errorf("clearing the board is on record: %s", after[len(after)-1].raw)
	}
}
