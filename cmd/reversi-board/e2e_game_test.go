package main

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reversi-board/engine"
)

// checkFinal fails the test unless the events tell the whole recorded game.
func checkFinal(t *testing.T, where string, want reference, events []event) {
	t.Helper()
	checkNumbers(t, events)
	g := fold(t, events)
	if g.transcript != want.Moves {
		t.Errorf("%s tells the moves %s, want %s", where, g.transcript, want.Moves)
	}
	var passes []string
	for _, p := range want.Passes {
		passes = append(passes, fmt.Sprintf("%d:%v", p.Ply, p.Side))
	}
	if !slices.Equal(g.passes, passes) {
		t.Errorf("%s tells the passes %v, want %v", where, g.passes, passes)
	}
	over := decode[struct {
		Result, Reason string
		Black, White   int
		Discs          struct{ Black, White int }
		WithEmpties    struct{ Black, White int } `json:"with_empties"`
		Empties        int
	}](t, g.over)
	if over.Result != "black" || over.WithEmpties.Black != want.Score || over.WithEmpties.White != engine.Squares-want.Score ||
		over.Black != want.BlackDiscs || over.White != want.WhiteDiscs || // at home the discs count as they lie

		over.Discs.Black != want.BlackDiscs || over.Discs.White != want.WhiteDiscs || over.Empties != want.Empties {
		t.Errorf("%s tells the result %+v, want %d-%d", where, over, want.Score, engine.Squares-want.Score)
	}
	for _, e := range events {
		switch e.Type {
		case "game_started", "move", "pass", "game_over":
		default:
			t.Errorf("%s tells of something that did not happen: %s", where, e.raw)
		}
	}
}

// checkPage fails the test unless the page shows the end of the recorded game.
func checkPage(t *testing.T, p *tab, want reference) {
	t.Helper()
	p.until(patience, `document.body.dataset.phase === "over"`)
	for _, c := range []struct{ what, expression, want string }{
		{"black", `document.querySelector("#player-black .count").textContent`, fmt.Sprint(want.BlackDiscs)},
		{"white", `document.querySelector("#player-white .count").textContent`, fmt.Sprint(want.WhiteDiscs)},
		{"transcript", `document.getElementById("transcript").textContent`, want.Moves},
		{"passes", `[...document.querySelectorAll(".move")].map((m, i, all) => m.classList.contains("pass") ? all[i + 1].querySelector(".ply").textContent : "").join(" ").trim().replace(/ +/g, " ")`, "58 59"},
		{"discs", `[...document.querySelectorAll(".cell")].map((c) => { const d = c.querySelector(".disc"); return !d ? "-" : d.classList.contains("is-white") ? "W" : "B"; }).join("")`, want.Board.String()},
	} {
		if got := eval[string](p, c.expression); got != c.want {
			t.Errorf("%s on the page: %q, want %q", c.what, got, c.want)
		}
	}
	if got := eval[string](p, `document.getElementById("sentence").textContent`); !strings.Contains(got, "51") || !strings.Contains(got, "13") {
		t.Errorf("the page says %q, want the result 51-13", got)
	}
}

// The whole way: a person with a mouse plays a recorded game on the simulated
// board, through the page, the sensors and the referee; MQTT, page and journal
// tell the same.
func TestGameByMouse(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, "")
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "")
	p := b.start()
	page := open(chromium(t), t, p.url)
	page.until(patience, `document.body.dataset.phase === "playing"`)
	want := theFinal(t)
	begin := time.Now()
	for _, m := range want.plies(t, want.Plies) {
		page.playByMouse(m)
	}
	t.Logf("%d discs in %v", want.Plies, time.Since(begin).Round(time.Second))
	checkPage(t, page, want)
	sub.wait(0, patience, "game_over", func(m message) bool {
		return strings.HasSuffix(m.topic, "/event") && strings.Contains(string(m.payload), `"type":"game_over"`)
	})
	checkFinal(t, "MQTT", want, sub.events())
	page.quiet()
	if code, _ := p.signal(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d", code)
	}
	onDisk := openJournal(t, b.dir)
	checkFinal(t, "the journal", want, onDisk)
	for i, e := range sub.events() {
		if string(e.raw) != string(onDisk[i].raw) {
			t.Errorf("event %d differs between MQTT and journal:\n%s\n%s", e.Seq, e.raw, onDisk[i].raw)
		}
	}
}

// The same with the broker in the program, and shorter.
func TestOpeningByMouseWithEmbeddedBroker(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, "")
	p := b.start()
	sub := subscribe(t, b.broker, "")
	page := open(chromium(t), t, p.url)
	page.until(patience, `document.body.dataset.phase === "playing"`)
	want := theFinal(t)
	plies := want.plies(t, 10)
	for _, m := range plies {
		page.playByMouse(m)
	}
	sub.wait(0, patience, "ply 10", func(m message) bool {
		return strings.HasSuffix(m.topic, "/state") && decode[state](t, m.payload).Ply == len(plies)
	})
	if got := fold(t, sub.events()).transcript; got != want.Moves[:2*len(plies)] {
		t.Errorf("MQTT tells %s, want %s", got, want.Moves[:2*len(plies)])
	}
	if got := eval[string](page, `document.getElementById("transcript").textContent`); got != want.Moves[:2*len(plies)] {
		t.Errorf("the page shows %s", got)
	}
}

// The broker dies in mid-game and comes back 20 moves later: the game and the
// page do not notice, the consumer misses nothing.
func TestGameGoesOnWithoutBroker(t *testing.T) {
	t.Parallel()
	const from, to = 20, 40
	b := newBench(t, external, quick)
	server := newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "consumer")
	p := b.start()
	w := p.watch()
	page := open(chromium(t), t, p.url)
	w.phase("playing")
	want := theFinal(t)
	var slowest time.Duration
	for i, m := range want.plies(t, want.Plies) {
		switch i {
		case from:
			// What the broker has acknowledged but not yet passed on dies with
			// it: let it finish.
			seq := w.look().State.Seq
			sub.wait(0, patience, "the state before the cut", func(m message) bool {
				return strings.HasSuffix(m.topic, "/state") && decode[state](t, m.payload).Seq == seq
			})
			server.saved()
			server.kill()
		case to:
			before := sub.count()
			server.start()
			sub.availability(before, 35*time.Second, "online")
		}
		p.play(w, m)
		took := page.until(2*time.Second, lines(m.lines))
		if from <= i && i < to {
			slowest = max(slowest, took)
			if got := w.look().Connections["broker"]; i > from+2 && got == "connected" {
				t.Errorf("ply %d: the page says that the broker is connected", i+1)
			}
		}
	}
	t.Logf("without a broker the page was at most %v behind the stream", slowest)
	checkPage(t, page, want)
	last := w.look().State.Seq
	sub.wait(0, patience, "the last state", func(m message) bool {
		return strings.HasSuffix(m.topic, "/state") && decode[state](t, m.payload).Seq == last
	})
	checkFinal(t, "MQTT", want, sub.events())
	fresh := subscribe(t, b.broker, "")
	fresh.availability(0, patience, "online")
	retained := fresh.wait(0, patience, "the retained state", func(m message) bool { return strings.HasSuffix(m.topic, "/state") })
	if got := decode[state](t, retained.payload); !retained.retained || got.Seq != last || got.Phase != "over" || got.Transcript != want.Moves {
		t.Errorf("retained state: %s, want seq %d", retained.payload, last)
	}
	everything, _ := sub.since(0)
	for _, m := range everything {
		if strings.HasSuffix(m.topic, "/event") && m.retained {
			t.Errorf("a retained event: %s", m.payload)
		}
	}
}

// Bytes that break other brokers do not stop the game.
func TestGameSurvivesBrokenClients(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, quick)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	want := theFinal(t)
	// SUBSCRIBE of MQTT 5 that ends before the options of its only filter.
	truncated := []byte{0x82, 6, 0, 1, 0, 0, 1, 'a'}
	connect := func(level byte) []byte {
		return []byte{0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', level, 2, 0, 10, 0, 1, 'x'}
	}
	attacks := map[string][]byte{
		"a truncated SUBSCRIBE of version 5":            truncated,
		"it after a CONNECT of version 5":               slices.Concat([]byte{0x10, 14, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 10, 0, 0, 1, 'x'}, truncated),
		"it after a CONNECT of version 4":               slices.Concat(connect(4), truncated),
		"garbage":                                       []byte(strings.Repeat("\xff\x00\x10garbage", 1000)),
		"a request of another protocol":                 []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"a packet that claims to be as long as can be":  {0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1},
		"a length that never ends":                      {0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a CONNECT that is followed by garbage forever": slices.Concat(connect(4), []byte(strings.Repeat("\x00", 1<<16))),
	}
	plies := want.plies(t, len(attacks))
	next := 0
	for name, bytes := range attacks {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address(b.broker))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// The broker may hang up in the middle.
		_, _ = c.Write(bytes)
		p.play(w, plies[next])
		next++
		_ = c.Close()
	}
	seq := w.look().State.Seq
	sub.wait(0, patience, "the last state", func(m message) bool {
		return strings.HasSuffix(m.topic, "/state") && decode[state](t, m.payload).Seq == seq
	})
	if got := fold(t, sub.events()).transcript; got != want.Moves[:2*len(plies)] {
		t.Errorf("MQTT tells %s, want %s", got, want.Moves[:2*len(plies)])
	}
	select {
	case <-p.ended:
		t.Error("the program has ended")
	default:
	}
	if n := strings.Count(p.stderr.String(), "\n"); n > 100 {
		t.Errorf("%d lines in the log:\n%s", n, p.stderr)
	}
}
