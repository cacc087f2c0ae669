package flight_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// profile returns the settings of a built-in board, simulated with noise and with
// hands from which discs bounce.
func profile(t testing.TB, name string, seed uint64) *configs.Config {
	t.Helper()
	text, err := configs.Profile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	c.Hardware.Simulation = configs.Simulation{Enabled: true, Noise: 0.1, Bounce: true, Seed: seed}
	return c
}

// evening is a board that is played on by chance.
type evening struct {
	t        testing.TB
	table    *virtual.Table
	tape     *flight.Tape
	rnd      *rand.Rand
	payloads [][]byte
	// orders says that an arbiter joins in.
	orders bool
}

// newEvening lays out a board that is recorded.
func newEvening(t testing.TB, c *configs.Config, seed uint64, whole bool) *evening {
	t.Helper()
	table, err := virtual.New(virtual.Options{Config: c, JID: "01J00000000000000000000000"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	e := &evening{t: t, table: table, rnd: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // play that can be repeated, not a secret
	e.tape = flight.NewTape(flight.TapeOptions{
		About: app.AboutFlight(c, "test"), Boot: 1, Whole: whole,
		Wall: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(table.Now()) },
	})
	table.Record(e.tape)
	table.OnFact = func(f app.Fact, _ time.Duration) { e.payloads = append(e.payloads, f.Payload) }
	return e
}

func (e *evening) run(d time.Duration) {
	e.t.Helper()
	if err := e.table.Run(d); err != nil {
		e.t.Fatal(err)
	}
}

func (e *evening) must(_ time.Duration, err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// chance is true so many times in a hundred.
func (e *evening) chance(percent int) bool { return e.rnd.IntN(100) < percent }

func (e *evening) face(c engine.Color) sim.Face {
	if c == engine.Black {
		return sim.NorthUp
	}
	return sim.SouthUp
}

// turn makes one turn at the table, takes about that long, and reports whether
// the game goes on.
func (e *evening) turn(takes time.Duration) bool {
	e.t.Helper()
	s := &e.table.Core.State
	if s.Phase != referee.Playing || s.Game.Legal() == 0 {
		return false
	}
	until := e.table.Now() + takes
	legal := s.Game.Legal()
	sq := engine.Square(0)
	n := e.rnd.IntN(legal.Count())
	for q := range legal.All() {
		if sq = q; n == 0 {
			break
		}
		n--
	}
	flips, mover := s.Game.Flips(sq), s.Game.Turn
	if e.chance(20) {
		// A disc is lifted while somebody thinks, and put back.
		e.must(e.table.Sim.Turn(e.table.Now(), int(s.Game.Occupied().First()), sim.TurnThroughEmpty, time.Second))
		e.run(2 * time.Second)
		e.must(e.table.Sim.Turn(e.table.Now(), int(s.Game.Occupied().First()), sim.TurnInPlace, 0))
		e.run(2 * time.Second)
	}
	e.must(e.table.Sim.Place(e.table.Now(), int(sq), e.face(mover)))
	e.run(700 * time.Millisecond)
	for q := range flips.All() {
		style := sim.TurnInPlace
		if e.chance(50) {
			style = sim.TurnThroughEmpty
		}
		e.must(e.table.Sim.Turn(e.table.Now(), int(q), style, 0))
		if e.chance(70) {
			e.run(600 * time.Millisecond)
		}
	}
	e.run(3 * time.Second)
	if e.orders && e.chance(30) {
		e.order()
	}
	if left := until - e.table.Now(); left > 0 {
		e.run(left)
	}
	return true
}

// order gives an order that leaves the discs as they are.
func (e *evening) order() {
	orders := []referee.Order{
		referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}},
		referee.Pause{Reason: plaintext.Const("tea")},
		referee.Resume{},
		referee.Undo{Plies: 0},
		referee.Look{},
		referee.ClockSet{Black: time.Minute, White: -1, Reason: plaintext.Const("late")},
		referee.Claim{By: engine.None},
	}
	for range 3 {
		o := orders[e.rnd.IntN(len(orders))]
		if _, err := e.table.Do(referee.Command{At: e.table.Now(), Audit: referee.Audit{Role: "arbiter", Name: "x", ID: plaintext.Const("1"), Order: o}}); err != nil {
			e.t.Fatal(err)
		}
	}
	if e.table.Core.State.Phase == referee.Paused {
		if _, err := e.table.Do(referee.Command{At: e.table.Now(), Audit: referee.Audit{Role: "arbiter", Order: referee.Resume{}}}); err != nil {
			e.t.Fatal(err)
		}
	}
}

// sit plays for a while, so long a turn, and writes the recording into a folder as
// a running board does.
func (e *evening) sit(dir string, long, turn time.Duration) {
	e.t.Helper()
	r := e.recorder(dir, 16<<20)
	e.run(2 * time.Second)
	for last := time.Duration(0); e.table.Now() < long; {
		if !e.turn(turn) {
			e.run(5 * time.Second)
		}
		if e.table.Now()-last > 5*time.Second {
			last = e.table.Now()
			flight.Drain(r)
		}
	}
	if err := r.Write(); err != nil {
		e.t.Fatal(err)
	}
}

// recorder writes the tape into a folder.
func (e *evening) recorder(dir string, most int64) *flight.Recorder {
	return flight.NewRecorder(e.tape, flight.RecorderOptions{Dir: dir, MaxBytes: most})
}

// replayed runs a recording again and returns its events. Everything must be as
// it was, from the first segment to the last.
func replayed(t testing.TB, path string) (payloads [][]byte, records int) {
	t.Helper()
	recording, err := flight.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var before referee.State
	for i := range recording.Names {
		s, err := recording.Segment(i)
		if err != nil {
			t.Fatal(err)
		}
		if s.Torn != nil {
			t.Fatal(s.Torn)
		}
		if s.Header.Continues && i > 0 && s.State != before {
			t.Fatalf("%s does not begin where %s ends", s.Name, recording.Names[i-1])
		}
		records += len(s.Records)
		payloads = append(payloads, steps(t, s)...)
		before = stateAfter(t, s)
	}
	return payloads, records
}

// steps runs what can be read of a file and returns its events; nothing may differ.
func steps(t testing.TB, s *flight.Segment) (events [][]byte) {
	t.Helper()
	_, err := flight.Replay(s, app.Again(s), func(r *flight.Ran) error {
		if r.Difference != "" {
			t.Errorf("%s, record %d, %+v: %s", s.Name, r.Number, r.Record.Step.Input, r.Difference)
		}
		if r.Record.Step != nil {
			for _, e := range r.Record.Step.Events {
				events = append(events, e.Payload)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// stateAfter returns where a segment ends.
func stateAfter(t testing.TB, s *flight.Segment) referee.State {
	t.Helper()
	m := app.Again(s)
	if _, err := flight.Replay(s, m, func(*flight.Ran) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return *m.State()
}

// sizeOf returns the size of all recordings in a folder.
func sizeOf(t testing.TB, dir string) (total int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	return total
}
