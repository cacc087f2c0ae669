package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// valid fails the test unless every message so far is as the contract says, and
// returns how many there were of each channel.
func (s *subscriber) valid(c *contract) map[string]int {
	s.t.Helper()
	list, _ := s.since(0)
	count := make(map[string]int)
	for _, m := range list {
		if len(m.payload) == 0 {
			continue // a topic that is cleared
		}
		count[c.channelOf(m.topic)]++
		if err := c.check(m); err != nil {
			s.t.Errorf("%s: %v\n%s", m.topic, err, m.payload)
		}
	}
	return count
}

// keeps compares what the broker has kept with what it is said to keep, of the
// channels that are counted. The subscriber is one that has just begun.
func (s *subscriber) keeps(c *contract, count map[string]int) {
	s.t.Helper()
	kept := make(map[string]bool)
	for _, o := range c.Operations {
		if name := path.Base(o.Channel.Ref); o.Bindings.MQTT.Retain && count[name] > 0 {
			kept[name] = true
			s.wait(0, patience, name+" is kept", func(m message) bool { return m.retained && c.channelOf(m.topic) == name })
		}
	}
	list, _ := s.since(0)
	for _, m := range list {
		if m.retained && !kept[c.channelOf(m.topic)] {
			s.t.Errorf("%s is kept", m.topic)
		}
	}
}

// topic waits for a message on a topic of the board after the first n.
func (s *subscriber) topic(n int, name string) message {
	s.t.Helper()
	return s.wait(n, patience, name, func(m message) bool {
		return m.topic == "reversi/v1/reversi-1/"+name && len(m.payload) > 0
	})
}

// TestHealthOverMQTT looks at a board from outside, with the embedded broker and
// with another one: how its cells are, what it says of itself, readings on
// demand, and an alert for a cell that flaps. Every message of a game that is
// played meanwhile is as its schema says.
func TestHealthOverMQTT(t *testing.T) {
	t.Run("Mosquitto", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, external, quick)
		newMosquitto(t, b.broker)
		looksAtHealth(t, b)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		looksAtHealth(t, newBench(t, embedded, quick))
	})
}

func looksAtHealth(t *testing.T, b *bench) {
	t.Helper()
	p := b.start()
	w := p.watch()
	w.phase("playing")
	w.until(patience, "the broker lets the board in", func(w *watch) bool { return w.view.Connections["broker"] == "connected" })
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	d := &desk{t: t, port: b.broker, sub: sub}

	// A board that has just started has not looked at its cells for long enough.
	sub.wait(0, patience, "64 good cells", func(m message) bool {
		return strings.HasSuffix(m.topic, "/sensor/health") &&
			decode[struct{ Cells string }](t, m.payload).Cells == strings.Repeat(".", 64)
	})
	if m := subscribe(t, b.broker, "").topic(0, "sensor/health"); !m.retained {
		t.Error("sensor/health is not retained")
	}
	readings(d)
	for _, m := range theFinal(t).plies(t, 4) {
		p.play(w, m)
	}
	flaps(d, p)
	n := sub.count()
	d.ok(d.order("ops/snapshot", request{}))
	if again := sub.topic(n, "sensor/health"); again.retained {
		t.Error("a snapshot came from the broker's store")
	}
	c := readContract(t)
	count := sub.valid(c)
	for _, want := range []string{
		"availability", "meta", "state", "event", "clock", "sensorHealth", "sensorRaw", "diag", "alert", "response", "command",
	} {
		if count[want] == 0 {
			t.Errorf("nothing on %s", want)
		}
	}
	subscribe(t, b.broker, "").keeps(c, count)
}

// readings asks for sensor/raw, and not any more.
func readings(d *desk) {
	d.t.Helper()
	if a := d.order("arbiter/diag", request{}); a.Code != "not_allowed" {
		d.t.Errorf("diag for the arbiter is answered by %+v", a)
	}
	n := d.sub.count()
	d.ok(d.order("ops/diag", request{Args: map[string]any{"raw": true, "seconds": 60}}))
	d.sub.topic(n, "diag")
	first := d.sub.topic(n, "sensor/raw")
	d.sub.wait(n, patience, "two more seconds of readings", func(m message) bool {
		return strings.HasSuffix(m.topic, "/sensor/raw") && m.at.Sub(first.at) > 2*time.Second
	})
	d.ok(d.order("ops/diag", request{Args: map[string]any{"raw": false}}))
	list, _ := d.sub.since(n)
	seen := 0
	for _, m := range list {
		if strings.HasSuffix(m.topic, "/sensor/raw") && m.at.Sub(first.at) <= 2*time.Second {
			seen++
		}
	}
	if seen > 12 { // five a second, and one that was late
		d.t.Errorf("%d readings in two seconds", seen)
	}
	n = d.sub.count()
	d.ok(d.order("ops/identify", request{}))
	list, _ = d.sub.since(n)
	for _, m := range list[min(1, len(list)):] { // one may have been on its way
		if strings.HasSuffix(m.topic, "/sensor/raw") {
			d.t.Error("readings go on")
		}
	}
}

// flaps breaks the sensor of g2 and waits for what follows.
func flaps(d *desk, p *process) {
	d.t.Helper()
	n := d.sub.count()
	begin := time.Now()
	if a, err := p.post("/api/v1/hands", map[string]any{"op": "fail", "square": "g2", "fault": "flapping"}); err != nil || a.Status != "ok" {
		d.t.Fatalf("%+v %v", a, err)
	}
	m := d.sub.topic(n, "alert/sensor_fault")
	alert := decode[struct {
		Text    string
		Squares []string
	}](d.t, m.payload)
	// Masked within 5 s; a busy machine gets another 5.
	if took := m.at.Sub(begin); took > 10*time.Second || !slices.Equal(alert.Squares, []string{"g2"}) || !strings.Contains(alert.Text, "changes to and fro") {
		d.t.Errorf("after %v %s", took, m.payload)
	}
	fault := d.sub.wait(n, patience, "the fault", func(m message) bool {
		return strings.HasSuffix(m.topic, "/event") && readEvent(d.t, m.payload).Type == "sensor_fault"
	})
	if want := fmt.Sprintf(`"kind":%q`, "flapping"); !strings.Contains(string(fault.payload), want) {
		d.t.Errorf("%s, want %s", fault.payload, want)
	}
}

// TestHealthViewOfABoard opens the health view of a running board in a browser
// and breaks a sensor and an expander while somebody looks.
func TestHealthViewOfABoard(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	p := b.start()
	p.watch().phase("playing")
	view := open(chromium(t), t, p.url+"/health")
	classes := func(class string, n int) string {
		return fmt.Sprintf(`document.querySelectorAll('#map td[data-class=%q]').length === %d`, class, n)
	}
	view.until(patience, classes(".", 64))
	view.until(patience, `document.getElementById("charts").innerText.includes("tca9555 0x27")`)
	for _, act := range []map[string]any{
		{"op": "fail", "square": "b6", "fault": "stuck"}, {"op": "fail", "square": "d8", "fault": "bank"},
	} {
		if a, err := p.post("/api/v1/hands", act); err != nil || a.Status != "ok" {
			t.Fatalf("%+v %v", a, err)
		}
	}
	view.until(patience, classes("s", 1)+" && "+classes("?", 8))
	view.until(patience, `[...document.querySelectorAll('tr[data-state="bad"] th .name')].some((e) => e.textContent === "tca9555 0x27")`)
	if a, err := p.post("/api/v1/hands", map[string]any{"op": "heal"}); err != nil || a.Status != "ok" {
		t.Fatalf("%+v %v", a, err)
	}
	view.until(patience, classes(".", 64)+` && !document.querySelector('tr[data-state="bad"]')`)
}
