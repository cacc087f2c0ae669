package flight_test

import (
	"testing"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/hardware/sim"
)

// sensed runs the frames of a recording through sensing again.
func sensed(t testing.TB, path string) flight.Sensed {
	t.Helper()
	recording, err := flight.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var x flight.Senser
	for i := range recording.Names {
		s, err := recording.Segment(i)
		if err != nil {
			t.Fatal(err)
		}
		x.Sense(s)
	}
	return x.Result()
}

// Sensing comes to the same readings from the recorded frames, on every board.
func TestSensingAgain(t *testing.T) {
	for _, board := range []string{"hall-128.yaml", "hall-analog.yaml", "reed-64.yaml"} {
		t.Run(board, func(t *testing.T) {
			t.Parallel()
			e := newEvening(t, profile(t, board, 3), 3, false)
			dir := t.TempDir()
			e.sit(dir, time.Minute, 6*time.Second)
			if got := sensed(t, dir); got.Readings < 20 || got.Again != got.Readings || len(got.New) > 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Neither cells that fail nor such that are doubted, nor a recording that begins in
// the middle, make a difference; frames that are not what they were do.
func TestSensingAgainWithFailures(t *testing.T) {
	e := newEvening(t, profile(t, "hall-128.yaml", 4), 4, false)
	dir := t.TempDir()
	r := e.recorder(dir, 16<<20)
	e.run(2 * time.Second)
	e.turn(5 * time.Second)
	if err := e.table.Sim.FailCell(63, sim.CellFault{Kind: sim.BothActive}); err != nil {
		t.Fatal(err)
	}
	e.turn(6 * time.Second)
	e.table.Doubt(1)
	e.turn(6 * time.Second)
	if err := e.table.Sim.HealCell(63); err != nil {
		t.Fatal(err)
	}
	e.turn(20 * time.Second)
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	if got := sensed(t, dir); got.Readings < 8 || got.Again != got.Readings || len(got.New) > 0 {
		t.Errorf("%+v", got)
	}
	recording, err := flight.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	last := len(recording.Names) - 1
	s, err := recording.Segment(last)
	if err != nil {
		t.Fatal(err)
	}
	var alone flight.Senser
	alone.Sense(s)
	if got := alone.Result(); got.Again < got.Readings-1 || len(got.New) > 0 {
		t.Errorf("the last segment alone: %+v", got)
	}
	for i := range s.Records {
		if f := s.Records[i].Frame; f != nil {
			f.North, f.South = f.South, f.North
		}
	}
	var wrong flight.Senser
	wrong.Sense(s)
	if got := wrong.Result(); len(got.Lost) == 0 || len(got.New) == 0 {
		t.Errorf("with the magnets reversed: %+v", got)
	}
}
