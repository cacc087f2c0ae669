package virtual_test

import (
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

func TestMoveThroughTheWholeElectricalPath(t *testing.T) {
	tb, err := virtual.New(virtual.Options{Config: configs.Default(), JID: "01J00000000000000000000000"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tb.Close(); err != nil {
			t.Error(err)
		}
	}()
	var events []referee.Event
	tb.OnFact = func(f app.Fact, _ time.Duration) { events = append(events, f.Event) }
	run := func(d time.Duration) {
		if err := tb.Run(d); err != nil {
			t.Fatal(err)
		}
	}
	run(time.Second)
	if len(events) != 1 {
		t.Fatalf("events %v", events)
	}
	rest, err := tb.Sim.Place(tb.Now(), 37, sim.NorthUp)
	if err != nil {
		t.Fatal(err)
	}
	run(2 * time.Second)
	t.Log(rest, tb.LitAt(), tb.LitAt()-rest, tb.Scene().Lights[36])
	if _, err := tb.Sim.Turn(tb.Now(), 36, sim.TurnThroughEmpty, 0); err != nil {
		t.Fatal(err)
	}
	run(3 * time.Second)
	if len(events) != 2 {
		t.Fatalf("events %v", events)
	}
	if m, ok := events[1].(referee.Moved); !ok || m.Square != 37 || m.Flipped != engine.Square(36).Bit() {
		t.Fatalf("event %+v", events[1])
	}
}
