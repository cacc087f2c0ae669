package app

import (
	"path/filepath"
	"runtime"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/configs"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// openFlight starts the recording, before anything is read from the board. It
// cannot fail: a recorder that cannot write says so in the log and in its status,
// and the game goes on without it.
func (a *App) openFlight(version string) {
	if !a.config.Flight.Enabled {
		return
	}
	tape := flight.NewTape(flight.TapeOptions{
		About: AboutFlight(a.config, version), Boot: a.boot,
		Wall: func() time.Time { wall, _ := a.wall.Look(); return wall },
	})
	a.recorder = flight.NewRecorder(tape, flight.RecorderOptions{
		Dir: filepath.Join(a.dir, flight.Folder), FS: a.disk, MaxBytes: int64(a.config.Flight.MaxMB) << 20, Logger: a.log,
	})
	Record(tape, a.core, a.eyes, a.now())
}

// AboutFlight says which program records which board.
func AboutFlight(c *configs.Config, version string) flight.About {
	return flight.About{
		Program: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Board: c.Board.ID, Kind: c.Hardware.Kind, Simulated: c.Hardware.Simulation.Enabled, ScanHz: c.Sensing.ScanHz,
	}
}

// Record puts on the tape from now on what the eyes see and what the core is told.
// Neither may be in use.
func Record(t *flight.Tape, c *Core, e *Eyes, now time.Duration) {
	c.Tape, e.tape = t, t
	t.Sense(&e.config)
	t.Start(now, c.place(), &c.State)
}

// again is a core that is fed from a recording.
type again struct {
	core *Core
	// events are those that were recorded of the step that is made, of which n
	// have been asked for.
	events []flight.Event
	n      int
	made   flight.Made
}

// Again returns a core at the beginning of a segment.
func Again(s *flight.Segment) flight.Machine {
	g := &again{}
	g.core = &Core{
		State: s.State, jid: s.Header.JID, seq: s.Header.Seq, game: s.Header.Game, stamp: g.stamp, newGame: g.newGame,
	}
	return g
}

// event returns what was recorded of the event that is made.
func (g *again) event() (e flight.Event) {
	if g.n < len(g.events) {
		e = g.events[g.n]
	}
	return e
}

func (g *again) newGame() string { return g.event().NewGame }

// stamp is asked for once for each event.
func (g *again) stamp() record.Stamp {
	e := g.event()
	g.n++
	return e.Stamp
}

// State implements flight.Machine.
func (g *again) State() *referee.State { return &g.core.State }

// Step implements flight.Machine.
func (g *again) Step(in referee.Input, events []flight.Event) flight.Made {
	g.events, g.n = events, 0
	_, err := g.core.Step(in)
	out := &g.core.outcome
	g.made = flight.Made{Wake: out.Wake, Refused: out.Refused, Failed: err != nil, Payloads: g.made.Payloads[:0]}
	for _, f := range out.Facts {
		g.made.Payloads = append(g.made.Payloads, f.Payload)
	}
	return g.made
}
