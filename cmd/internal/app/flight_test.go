package app_test

import (
	"context"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// still is a board on which one cell changes now and then.
type still struct{ scans int }

func (s *still) Scan(_ context.Context, _ time.Duration, f *hardware.Frame) error {
	s.scans++
	*f = hardware.Frame{North: uint64(engine.Start().Black), South: uint64(engine.Start().White)}
	if s.scans/10%2 == 1 {
		f.North |= 1
	}
	return nil
}

// Neither a scan nor a reading that changes nothing allocates anything because it
// is recorded.
func TestRecordingCostsNoMemory(t *testing.T) {
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	core := app.NewCore(app.CoreOptions{
		Match: referee.Match{Rules: rules, Profile: referee.Home()}, JID: "01J00000000000000000000000",
		Stamp:   func() record.Stamp { return record.Stamp{} },
		NewGame: func() string { return "01J00000000000000000000001" },
	})
	eyes := app.NewEyes(&still{}, sensing.DefaultConfig(), nil)
	now := time.Duration(0)
	look := func() {
		now += 20 * time.Millisecond
		if _, err := eyes.Look(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	var in referee.Input
	step := func() {
		if _, err := core.Step(in); err != nil {
			t.Fatal(err)
		}
	}
	measure := func() (scan, reading float64) {
		for range 100 {
			look()
		}
		in = referee.Seen{At: now, Discs: rules.Start.Discs}
		step()
		return testing.AllocsPerRun(500, look), testing.AllocsPerRun(500, step)
	}
	scan, reading := measure()
	tape := flight.NewTape(flight.TapeOptions{Wall: func() time.Time { return time.Time{} }})
	app.Record(tape, core, eyes, now)
	recordedScan, recordedReading := measure()
	if recordedScan > scan || recordedReading > reading || reading != 0 {
		t.Errorf("a scan allocates %v times, recorded %v; a reading %v, recorded %v", scan, recordedScan, reading, recordedReading)
	}
	if tape.Lost() != 0 {
		t.Errorf("%d records were lost", tape.Lost())
	}
}
