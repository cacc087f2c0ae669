package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reversi-board/mqtt"
)

// home is what Home Assistant makes of the messages of a board, by the program
// testdata/homeassistant.py.
type home struct {
	Device struct {
		Identifiers []string `json:"identifiers"`
		Name        string   `json:"name"`
	} `json:"device"`
	Available string                            `json:"available"`
	Entities  map[string]homeEntity             `json:"entities"`
	Made      []struct{ Topic, Payload string } `json:"made"`
	Warnings  []string                          `json:"warnings"`
}

type homeEntity struct {
	// State is nil for unknown.
	State      *string                    `json:"state"`
	Attributes map[string]json.RawMessage `json:"attributes"`
	Fired      []struct {
		Type string `json:"type"`
		JID  string `json:"jid"`
		Seq  uint64 `json:"seq"`
		TS   string `json:"ts"`
		Ply  int    `json:"ply"`
		By   string `json:"by"`
		Move string `json:"move"`
		// Result, Black, White and Reason are of a game that is over, Color and Effect
		// of a flag that has fallen.
		Result, Reason, Color, Effect string
		Black, White                  int
	} `json:"fired"`
}

// state returns the state of an entity, "unknown" without one.
func (h *home) state(t *testing.T, id string) string {
	t.Helper()
	e, ok := h.Entities[id]
	switch {
	case !ok:
		t.Fatalf("Home Assistant has no %s", id)
	case e.State == nil:
		return "unknown"
	}
	return *e.State
}

// restartOfHome, as a topic, is no message: Home Assistant starts anew.
const restartOfHome = "restart"

// atHome lets Home Assistant look at messages, and press buttons after them. It
// fails the test if there is anything that Home Assistant would refuse, or complain
// of.
func atHome(t *testing.T, messages []message, presses ...string) *home {
	t.Helper()
	var input bytes.Buffer
	lines := json.NewEncoder(&input)
	for _, m := range messages {
		if m.topic == restartOfHome {
			input.WriteString(`{"restart": true}` + "\n")
			continue
		}
		if err := lines.Encode(map[string]any{"topic": m.topic, "payload": string(m.payload), "retained": m.retained}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range presses {
		if err := lines.Encode(map[string]string{"press": id}); err != nil {
			t.Fatal(err)
		}
	}
	// Debian's, which has Debian's Jinja.
	cmd := exec.CommandContext(t.Context(), tool(t, "/usr/bin/python3", "python3-jinja2"), "testdata/homeassistant.py")
	cmd.Stdin = &input
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("homeassistant.py (it needs python3-jinja2): %v\n%s", err, &complaint)
	}
	h := decode[home](t, out)
	if len(h.Warnings) > 0 {
		t.Errorf("Home Assistant warns: %q", h.Warnings)
	}
	return &h
}

// TestHomeAssistant: a board that is told to appears in Home Assistant by itself,
// shows there what is on record, fires an event for each of the board's, and obeys
// the buttons.
func TestHomeAssistant(t *testing.T) {
	t.Parallel()
	b := newBench(t, withHome, quick+"board: {id: rv-b07, name: 'Board \"7\" {{ 7 * 7 }}'}\ngame: {clock: \"5:00\"}\n")
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "", "homeassistant/#")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub.availability(0, patience, "online")
	for _, m := range theFinal(t).plies(t, 5) {
		p.play(w, m)
	}
	w.until(patience, "the disk", func(w *watch) bool { return w.view.State.Seq == uint64(len(recordsOnDisk(t, b.dir))) })
	shown := w.look().State
	sub.wait(0, patience, "the newest state", func(m message) bool {
		return strings.HasSuffix(m.topic, "/state") && decode[struct{ Seq uint64 }](t, m.payload).Seq == shown.Seq
	})
	all, _ := sub.since(0)
	h := atHome(t, all, "identify", "pause", "resume", "undo", "new")
	if !slices.Equal(h.Device.Identifiers, []string{"rv-b07"}) || h.Device.Name != `Board "7" {{ 7 * 7 }}` || h.Available != "online" {
		t.Errorf("the device is %+v, %s", h.Device, h.Available)
	}
	var transcript string
	if err := json.Unmarshal(h.Entities["last_move"].Attributes["transcript"], &transcript); err != nil || transcript != shown.Transcript {
		t.Errorf("the transcript is %q, %v, want %q", transcript, err, shown.Transcript)
	}
	for id, want := range map[string]string{
		"phase": "playing", "turn": "white", "problem": "OFF", "last_move": shown.Transcript[len(shown.Transcript)-2:],
		"outbox": "0",
	} {
		if got := h.state(t, id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	// In the home profile a clock only shows: White's runs, Black's stands.
	if black, white := h.state(t, "clock_black"), h.state(t, "clock_white"); len(black) != 3 || len(white) != 3 {
		t.Errorf("the clocks show %s and %s seconds, want less than 300", black, white)
	}
	if at, err := time.Parse(time.RFC3339Nano, h.state(t, "flag_at")); err != nil || time.Until(at) < 4*time.Minute || time.Until(at) > 5*time.Minute {
		t.Errorf("the flag falls at %v, %v", at, err)
	}
	checkFired(t, h, recordsOnDisk(t, b.dir))
	obeysHome(t, b, sub, h)
	gapIsNoNews(t, b, sub)
	restarts(t, b, sub)
}

// ofBoard is a message of rv-b07 below its topic.
func ofBoard(name, payload string) message {
	return message{topic: "reversi/v1/rv-b07/" + name, payload: []byte(payload)}
}

// numbered is an event as it is published, as far as Home Assistant looks at it.
func numbered(jid string, seq int) message {
	return ofBoard("event", fmt.Sprintf(`{"v":1,"ts":"2026-12-01T10:00:%02d.123Z","jid":%q,"seq":%d,"ply":%d,"type":"move",`+
		`"data":{"by":"black","move":"f5"},"replay":false}`, seq, jid, seq, seq))
}

// TestHomeAssistantFiresEachEventOnce: what happened while the board had no broker
// fires when it comes, although that is before the board says "online"; what comes
// twice, as after a kill -9, fires once, also when one of the two sides or both have
// started anew; a new journal begins again at 1.
func TestHomeAssistantFiresEachEventOnce(t *testing.T) {
	t.Parallel()
	device := message{topic: deviceTopic, payload: mqtt.Device{Board: "rv-b07", Name: "Board 7"}.Discovery()}
	online, offline := ofBoard("availability", `{"state":"online"}`), ofBoard("availability", `{"state":"offline"}`)
	restart := message{topic: restartOfHome}
	events := func(jid string, from, to int) (list []message) {
		for seq := from; seq <= to; seq++ {
			list = append(list, numbered(jid, seq))
		}
		return list
	}
	for _, c := range []struct {
		name     string
		messages [][]message
		want     string
	}{
		{"one after another", [][]message{{device, online}, events("A", 1, 3)}, "A1 A2 A3"},
		{"after an outage", [][]message{{device, online}, events("A", 1, 1), {offline}, events("A", 2, 4), {online}}, "A1 A2 A3 A4"},
		{"before the first online", [][]message{{device}, events("A", 1, 3), {online}}, "A1 A2 A3"},
		{"sent again after kill -9", [][]message{{device, online}, events("A", 1, 3), {offline, device}, events("A", 2, 4), {online}}, "A1 A2 A3 A4"},
		{"the same at once", [][]message{{device, online}, events("A", 1, 1), events("A", 1, 1), events("A", 2, 2)}, "A1 A2"},
		{"a new journal", [][]message{{device, online}, events("A", 1, 3), {offline, device}, events("B", 1, 2), {online}}, "A1 A2 A3 B1 B2"},
		{"Home Assistant starts anew", [][]message{{device, online}, events("A", 1, 3), {restart, device, online}, events("A", 2, 4)}, "A1 A2 A3 A4"},
		{"both start anew", [][]message{{device, online}, events("A", 1, 3), {offline, restart, device}, events("A", 1, 4), {online}}, "A1 A2 A3 A4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range atHome(t, slices.Concat(c.messages...)).Entities["event"].Fired {
				got = append(got, fmt.Sprint(f.JID, f.Seq))
				if want := fmt.Sprintf("2026-12-01T10:00:%02d.123Z", f.Seq); f.TS != want {
					t.Errorf("the time is %q, want %s", f.TS, want)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("fired %q, want %q", got, c.want)
			}
		})
	}
}

// TestHomeAssistantHearsResults: the end of a game and the fall of a flag say what
// came of it.
func TestHomeAssistantHearsResults(t *testing.T) {
	t.Parallel()
	h := atHome(t, []message{
		{topic: deviceTopic, payload: mqtt.Device{Board: "rv-b07", Name: "Board 7"}.Discovery()},
		ofBoard("event", `{"v":1,"ts":"2026-12-01T10:00:01.123Z","jid":"A","seq":1,"ply":20,"type":"clock_flag",`+
			`"data":{"color":"white","clock":{"black_ms":1500,"white_ms":0},"effect":"loses"},"replay":false}`),
		ofBoard("event", `{"v":1,"ts":"2026-12-01T10:00:01.124Z","jid":"A","seq":2,"ply":20,"type":"game_over",`+
			`"data":{"result":"black","black":64,"white":0,"discs":{"black":14,"white":10},"empties":40,"reason":"flag"},"replay":false}`),
	})
	fired := h.Entities["event"].Fired
	if len(fired) != 2 {
		t.Fatalf("fired %+v", fired)
	}
	if f := fired[0]; f.Color != "white" || f.Effect != "loses" {
		t.Errorf("the flag is %+v", f)
	}
	if f := fired[1]; f.Result != "black" || f.Black != 64 || f.White != 0 || f.Reason != "flag" {
		t.Errorf("the result is %+v", f)
	}
}

// TestHomeAssistantForgetsWhatIsSwitchedOff: the picture is switched off, and neither
// the entity nor the retained picture is left.
func TestHomeAssistantForgetsWhatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, strings.Replace(withHome, "home_assistant: true", "home_assistant: true, image: true", 1), quick+"board: {id: rv-b07}\n")
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "", "homeassistant/#")
	picture := func(m message) bool { return m.topic == "reversi/v1/rv-b07/image" }
	p := b.start()
	sub.availability(0, patience, "online")
	sub.wait(0, patience, "a picture", picture)
	all, _ := sub.since(0)
	if _, there := atHome(t, all).Entities["image"]; !there {
		t.Fatal("Home Assistant has no picture")
	}
	p.signal(syscall.SIGTERM)
	n := sub.count()
	b.set(", image: true", "")
	b.start()
	sub.availability(n, patience, "online")
	all, _ = sub.since(0)
	h := atHome(t, all)
	if _, there := h.Entities["image"]; there || len(h.Entities) < 10 {
		t.Errorf("the picture is switched off, and Home Assistant has %d entities with image %t", len(h.Entities), there)
	}
	fresh := subscribe(t, b.broker, "", "homeassistant/#")
	fresh.availability(0, patience, "online")
	fresh.wait(0, patience, "the device", func(m message) bool { return m.topic == deviceTopic })
	if all, _ = fresh.since(0); slices.ContainsFunc(all, picture) {
		t.Error("the broker keeps the picture")
	}
}

// TestHomeAssistantAfterAKill: a board that is killed in mid-game sends again what it
// has not noted as sent; each event of its record fires once.
func TestHomeAssistantAfterAKill(t *testing.T) {
	t.Parallel()
	b := newBench(t, withHome, quick+"board: {id: rv-b07}\n")
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "", "homeassistant/#")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub.availability(0, patience, "online")
	moves := theFinal(t).plies(t, 3)
	for _, m := range moves {
		p.play(w, m)
	}
	sub.wait(0, patience, "the last move", func(m message) bool {
		return strings.HasSuffix(m.topic, "/event") && readEvent(t, m.payload).Ply == len(moves)
	})
	p.kill()
	sub.availability(0, patience, "offline")
	n := sub.count()
	b.start().watch().phase("playing")
	sub.availability(n, patience, "online")
	all, _ := sub.since(0)
	onDisk := recordsOnDisk(t, b.dir)
	checkFired(t, atHome(t, all), onDisk)
	came := 0
	for _, m := range all {
		if strings.HasSuffix(m.topic, "/event") {
			came++
		}
	}
	if came <= len(onDisk) {
		t.Errorf("%d events came, %d are on record: none was sent again, and the test shows nothing", came, len(onDisk))
	}
}

// withHome is the broker of a bench with Home Assistant.
const withHome = "{embedded: {enabled: false}, broker: \"mqtt://127.0.0.1:%d\", home_assistant: true}"

// checkFired compares what Home Assistant fires with what is on record.
func checkFired(t *testing.T, h *home, events []event) {
	t.Helper()
	fired := h.Entities["event"].Fired
	if len(fired) != len(events) {
		t.Fatalf("%d events are fired, %d are on record", len(fired), len(events))
	}
	for i, e := range events {
		var data struct {
			Move string `json:"move"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if f := fired[i]; f.Type != e.Type || f.Seq != e.Seq || f.Ply != e.Ply || f.Move != data.Move {
			t.Errorf("fired %+v for %s", f, e.raw)
		}
	}
}

// obeysHome publishes what the buttons have made: all but a new game in the middle
// of another are obeyed.
func obeysHome(t *testing.T, b *bench, sub *subscriber, h *home) {
	t.Helper()
	for i, name := range []string{"identify", "pause", "resume", "undo", "new"} {
		made := h.Made[i]
		if made.Topic != "reversi/v1/rv-b07/cmd/ha/"+name {
			t.Errorf("%s is sent to %s", name, made.Topic)
		}
		n := sub.count()
		publish(t, b.broker, made.Topic, []byte(made.Payload))
		m := sub.wait(n, patience, "an answer to "+made.Payload, func(m message) bool { return strings.HasSuffix(m.topic, "/resp/ha") })
		a := decode[answer](t, m.payload)
		if refused := name == "new"; a.Name != name || refused != (a.Code == "not_allowed") || refused != (a.Status == "error") {
			t.Errorf("%s is answered by %s", made.Payload, m.payload)
		}
	}
}

// gapIsNoNews: events that are sent again fire nothing, and somebody new gets none
// at all.
func gapIsNoNews(t *testing.T, b *bench, sub *subscriber) {
	t.Helper()
	last := len(recordsOnDisk(t, b.dir)) + 1 // the command itself is on record
	n := sub.count()
	publish(t, b.broker, "reversi/v1/rv-b07/cmd/hub/replay", []byte(`{"id":"gap","from":"hub","args":{"from":1,"to":3}}`))
	for _, seq := range []uint64{1, 2, 3, uint64(last)} {
		sub.wait(n, patience, "an event again, or the command", func(m message) bool {
			return strings.HasSuffix(m.topic, "/event") && decode[struct{ Seq uint64 }](t, m.payload).Seq == seq
		})
	}
	all, _ := sub.since(0)
	if fired := atHome(t, all).Entities["event"].Fired; len(fired) != last {
		t.Errorf("%d events are fired, %d are on record", len(fired), last)
	}
	fresh := subscribe(t, b.broker, "", "homeassistant/#")
	fresh.availability(0, patience, "online")
	fresh.wait(0, patience, "the device", func(m message) bool { return m.retained && m.topic == deviceTopic })
	all, _ = fresh.since(0)
	if slices.ContainsFunc(all, func(m message) bool { return strings.HasSuffix(m.topic, "/event") }) {
		t.Error("somebody new gets an event")
	}
}

const deviceTopic = "homeassistant/device/rv-b07/config"

// restarts: Home Assistant says three times in a moment that it is there. The board
// tells of itself again within six seconds, and not more often than it was asked.
func restarts(t *testing.T, b *bench, sub *subscriber) {
	t.Helper()
	n := sub.count()
	begin := time.Now()
	for range 3 {
		publish(t, b.broker, "homeassistant/status", []byte("online"))
	}
	device := sub.wait(n, patience, "the device again", func(m message) bool { return m.topic == deviceTopic })
	online := sub.availability(n, patience, "online")
	for _, suffix := range []string{"/state", "/clock"} {
		sub.wait(n, patience, suffix+" again", func(m message) bool { return strings.HasSuffix(m.topic, suffix) && !m.retained })
	}
	if took := device.at.Sub(begin); took < time.Second || took > patience {
		t.Errorf("the device comes again after %v, want 1 to 6 s", took)
	}
	if device.retained || online.retained {
		t.Error("the broker's store is no answer")
	}
	all, _ := sub.since(n)
	times := 0
	for _, m := range all {
		if m.topic == deviceTopic {
			times++
		}
	}
	if times > 3 {
		t.Errorf("three notices are answered %d times", times)
	}
}

// TestHomeAssistantWithoutAClock: what there is not is unknown, and no reason to
// complain.
func TestHomeAssistantWithoutAClock(t *testing.T) {
	t.Parallel()
	b := newBench(t, withHome, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "", "homeassistant/#")
	b.start().watch().phase("playing")
	sub.availability(0, patience, "online")
	all, _ := sub.since(0)
	h := atHome(t, all)
	for _, id := range []string{"clock_black", "clock_white", "flag_at"} {
		if got := h.state(t, id); got != "unknown" {
			t.Errorf("%s is %s without a clock", id, got)
		}
	}
	if got := h.state(t, "last_move"); got != "none" {
		t.Errorf("before the first move, the last one is %s", got)
	}
}

// TestBoardLeavesHomeAssistant: a board that is not to be in Home Assistant any more
// takes itself away, once; one that never was says nothing there.
func TestBoardLeavesHomeAssistant(t *testing.T) {
	t.Parallel()
	b := newBench(t, withHome, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "", "homeassistant/#")
	// runs lets the board run until it is online, and returns what it has said to
	// Home Assistant.
	runs := func() (said [][]byte) {
		n := sub.count()
		p := b.start()
		sub.availability(n, patience, "online")
		all, _ := sub.since(n)
		for _, m := range all {
			if m.topic == "homeassistant/device/reversi-1/config" {
				said = append(said, m.payload)
			}
		}
		p.signal(syscall.SIGTERM)
		return said
	}
	if said := runs(); len(said) != 1 || len(said[0]) == 0 {
		t.Errorf("told to introduce itself, the board says %q", said)
	}
	b.set("home_assistant: true", "home_assistant: false")
	if said := runs(); len(said) != 1 || len(said[0]) != 0 {
		t.Errorf("told to leave, the board says %q", said)
	}
	if said := runs(); len(said) != 0 {
		t.Errorf("the board has left, and says %q", said)
	}
	silent := newBench(t, external, quick)
	newMosquitto(t, silent.broker)
	sub = subscribe(t, silent.broker, "", "homeassistant/#")
	silent.start()
	sub.availability(0, patience, "online")
	all, _ := sub.since(0)
	if slices.ContainsFunc(all, func(m message) bool { return strings.HasPrefix(m.topic, "homeassistant/") }) {
		t.Error("a board tells Home Assistant of itself unasked")
	}
}
