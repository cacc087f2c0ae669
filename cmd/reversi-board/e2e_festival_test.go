package main

import (
	"strings"
	"testing"
	"time"

	hall "reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
)

// A children's festival whose referee works over MQTT: lots are drawn, the lower
// one has black, one clock runs for the whole game, and when it is over the discs
// count as they lie, for both.
func TestFestivalOverMQTT(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	c := &contest{t: t, b: b, p: b.start(), id: "festival"}
	c.w = c.p.watch()
	c.w.phase("playing")
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	d := &desk{t: t, port: b.broker, sub: sub}
	c.cli("create", "Festival", "--system", "festival", "--rounds", "1", "--clock", "game 0:06")
	c.cli("players", c.id, "--add", "Aigerim")
	c.cli("players", c.id, "--add", "Baurzhan")
	// printf 1881/1 | sha256sum begins with 6126, of 1881/2 with cee3.
	c.cli("lots", c.id, "--seed", "1881")
	c.cli("pair", c.id)
	seat := c.seat(1, 1)
	if seat.Black.Name != plaintext.Const("Aigerim") || seat.Black.Lot != 1 || seat.White.Lot != 2 || seat.ColorsBy != "lot" {
		t.Errorf("the colors are %+v", seat)
	}
	pairing := map[string]string{"pairing": seat.ID}
	until(t, 10*time.Second, "the board knows the pairing", func() bool {
		a := d.order("arbiter/new", request{IfSeq: new(c.w.look().State.Seq), Args: pairing})
		return a.Status == "ok"
	})
	if a := d.order("ha/new", request{Args: pairing}); a.Code != "not_allowed" {
		t.Errorf("somebody who is no arbiter is answered by %+v", a)
	}
	c.p.hand(act{Op: "reset"})
	c.w.phase("playing")
	c.plays("f5", 0)
	c.gets(1, 1, "4–1, black wins, by flag")
	rows := c.sheet().Standings
	if rows[0].Name != seat.Black.Name || rows[0].Discs != 4 || rows[0].Against != 1 || rows[1].Discs != 1 || rows[1].Against != 4 {
		t.Errorf("the table is %+v", rows)
	}
	if s := c.sheet(); s.Status != hall.Complete {
		t.Errorf("the tournament is %s", s.Status)
	}
	// Whoever listens knows which pairing it was.
	sub.wait(0, patience, "the game of the pairing", func(m message) bool {
		return strings.HasSuffix(m.topic, "/event") && strings.Contains(string(m.payload), `"type":"game_started"`) &&
			strings.Contains(string(m.payload), `"pairing":"`+seat.ID+`"`)
	})
	sub.wait(0, patience, "the state of the pairing", func(m message) bool {
		return strings.HasSuffix(m.topic, "/state") && strings.Contains(string(m.payload), `"pairing":"`+seat.ID+`"`)
	})
	sub.valid(readContract(t))
}
