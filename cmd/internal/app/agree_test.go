package app

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"reversi-board/configs"
	"reversi-board/display/oled"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// toldClock is what is said of the clocks on the page and over MQTT.
type toldClock struct {
	Black   int64     `json:"black_ms"`
	White   int64     `json:"white_ms"`
	Running string    `json:"running"`
	At      time.Time `json:"at"`
}

// left counts on from what was told, as everybody does who shows it.
func (c toldClock) left(now time.Time) [2]time.Duration {
	left := [2]time.Duration{time.Duration(c.Black) * time.Millisecond, time.Duration(c.White) * time.Millisecond}
	switch c.Running {
	case "black":
		left[engine.Black] -= now.Sub(c.At)
	case "white":
		left[engine.White] -= now.Sub(c.At)
	}
	return left
}

// Scenario 22: page, MQTT and the small display show the same clocks within 200 ms,
// also who opens the page anew or connects again. (The display shows seconds: it
// shows a second within 200 ms after that has begun.)
func TestClocksAgreeEverywhere(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(c *configs.Config) {
		furnished(c)
		c.Game.Clock = "30:00"
	})
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	painter, err := oled.New()
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan toldClock, 16)
	for range 3 {
		<-time.After(700 * time.Millisecond) // the clocks run
		// A reader that is new gets what is retained.
		reader := guest(t, a.link.broker.Addr(), "reversi/v1/reversi-1/clock", func(m paho.Message) {
			var c toldClock
			if json.Unmarshal(m.Payload(), &c) == nil {
				told <- c
			}
		})
		mqtt := <-told
		reader.Disconnect(0)
		answer := httptest.NewRecorder()
		a.page.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/api/v1/state", nil))
		var page struct {
			State struct {
				Clock toldClock `json:"clock"`
			} `json:"state"`
		}
		if err := json.NewDecoder(bytes.NewReader(answer.Body.Bytes())).Decode(&page); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		fromPage, fromMQTT := page.State.Clock.left(now), mqtt.left(now)
		for side := range fromPage {
			if d := (fromPage[side] - fromMQTT[side]).Abs(); d > 200*time.Millisecond || fromPage[side] > 30*time.Minute {
				t.Errorf("side %d has %v on the page, %v over MQTT", side, fromPage[side], fromMQTT[side])
			}
		}
		if mqtt.Running != "black" || page.State.Clock.Running != "black" {
			t.Errorf("running: %q over MQTT, %q on the page", mqtt.Running, page.State.Clock.Running)
		}
		// On a busy computer the picture may be late; it is the same whenever it comes.
		eventually(t, "the display shows it", func() bool {
			left := page.State.Clock.left(time.Now())
			return displayShows(t, a, painter, left) || displayShows(t, a, painter, [2]time.Duration{left[0] + 200*time.Millisecond, left[1]})
		})
	}
}

// displayShows reports whether the small display shows these clocks at the first
// move.
func displayShows(t *testing.T, a *App, painter *oled.Painter, left [2]time.Duration) bool {
	t.Helper()
	s := referee.New(a.match)
	referee.Apply(&s, referee.GameStarted{Match: a.match})
	times := clock.Times{Timed: [2]bool{true, true}, Left: left}
	referee.Apply(&s, referee.ClockAdjusted{Clock: times})
	view := oled.Compose(oled.Input{State: &s, Clocks: oled.Clocks(&s, 0)})
	var want oled.Image
	painter.Render(&view, &want)
	got := a.rig.Sim.OLED().Lit()
	return samePicture(&got, &want)
}
