package app

import (
	"fmt"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// Core is the referee with its book-keeping: it numbers the events of every
// step and writes them in their published form. It does no I/O; its caller
// journals the events and tells the world.
type Core struct {
	// State is the referee's; read it between two steps only.
	State referee.State
	// Trouble is what stands in the way besides what the referee can see on the
	// board. The published state names it when the referee sees nothing.
	Trouble referee.Problem
	// Held says that the position is not known: nobody is led to the one of State, and
	// Trouble comes before what the referee sees.
	Held bool
	// Tape, if not nil, keeps what the core is told and what comes of it.
	Tape *flight.Tape

	jid     string
	seq     uint64
	game    string
	stamp   func() record.Stamp
	newGame func() string
	effects []referee.Effect
	outcome Outcome
	// dead are the cells that the journal calls dead.
	dead engine.Bitboard
	// restored is how the journal was folded.
	restored restoring
	// shown is what Shown returns while Held.
	shown referee.State
	o     CoreOptions
}

// CoreOptions are what a Core cannot find out by itself.
type CoreOptions struct {
	// Match is what is played when the start position is laid out.
	Match referee.Match
	// Presence says that the board sees discs but not their colors.
	Presence bool
	// Lag is for how long a reading of what lies on the board may be on its way,
	// see Lag.
	Lag time.Duration
	// JID names the journal.
	JID string
	// Stamp returns the time stamp of an event made now.
	Stamp func() record.Stamp
	// NewGame returns the id of a game that starts now.
	NewGame func() string
}

// Lag returns for how long a reading of what lies on a board may be on its way:
// until it has been quiet for long enough, and what sensors that look 20 times a
// second and scans add to that.
func Lag(c *configs.Config) time.Duration {
	const sensor = 50 * time.Millisecond
	return c.Sensing.Settle + sensor + 2*c.Sensing.Period()
}

// NewCore returns a core at which nothing has happened yet.
func NewCore(o CoreOptions) *Core {
	c := &Core{jid: o.JID, stamp: o.Stamp, newGame: o.NewGame, o: o}
	c.State = c.fresh()
	return c
}

// fresh returns the state of a table at which nothing has happened yet.
func (c *Core) fresh() referee.State {
	s := referee.New(c.o.Match)
	if c.o.Presence {
		s = referee.NewPresence(c.o.Match)
	}
	s.Lag = c.o.Lag
	return s
}

// Fact is an event with its number and its published forms: Payload is all of it,
// Public what players may know.
type Fact struct {
	Seq             uint64
	Event           referee.Event
	Payload, Public []byte
}

// Outcome is what one step amounts to. It is valid until the next step.
type Outcome struct {
	// Facts are to be journaled, then announced, in this order.
	Facts []Fact
	// Wake is when the referee wants a Tick; 0 means that it has not asked.
	Wake time.Duration
	// Refused answers a command that was not accepted, nil otherwise.
	Refused *referee.Refuse
}

// Replay makes a journaled event true again and returns when it was. Records
// come in order of seq, from the beginning of a game on; some may be missing.
func (c *Core) Replay(payload []byte) (record.Stamp, error) {
	env, ev, err := record.DecodeEvent(payload)
	if err != nil {
		return record.Stamp{}, fmt.Errorf("replay the record after %d: %w", c.seq, err)
	}
	gap := env.Seq > c.seq+1
	if _, starts := ev.(referee.GameStarted); starts {
		referee.Apply(&c.State, ev)
		c.restored = restoring{last: env}
	} else {
		if env.Game != "" && env.Game != c.game && gap {
			c.State = c.fresh()
			referee.Apply(&c.State, referee.GameStarted{Match: c.o.Match, At: env.Mono})
			c.restored = restoring{headless: true}
		}
		c.restored.take(&c.State, env, ev, gap)
	}
	c.seq, c.game = env.Seq, env.Game
	if f, ok := ev.(referee.Faulted); ok && f.Kind == referee.Dead {
		c.dead |= f.Squares
	}
	if r, ok := ev.(referee.Restored); ok && r.Kind == referee.Dead {
		c.dead &^= r.Squares
	}
	return env.Stamp, nil
}

// Settle ends a replay. A game that is over and of which neither the rules nor the
// position are known is nothing that a board could show.
func (c *Core) Settle() {
	if c.restored.headless && c.restored.unsure && !c.Unsure() {
		c.State = c.fresh()
	}
}

// Unsure reports that a game is running whose position is not known, because records
// of it are missing: what State shows is an older one.
func (c *Core) Unsure() bool {
	p := c.State.Phase
	return c.restored.unsure && (p == referee.Playing || p == referee.Paused)
}

// Lies reports whether discs are those of the last record, with a player to move:
// then the position that was not known is known again.
func (c *Core) Lies(d engine.Discs) (turn engine.Color, ok bool) {
	for _, turn := range [...]engine.Color{engine.Black, engine.White} {
		if record.Fingerprint(d, turn) == c.restored.last.FP {
			return turn, true
		}
	}
	return engine.None, false
}

// Dead returns the cells that were dead at the end of the journal that has been
// replayed: they are to be doubted from the start, or their discs would seem to
// have been taken away while the program was not running.
func (c *Core) Dead() engine.Bitboard { return c.dead }

// Continue numbers the next event after seq: numbers that were lost to damage
// are never used again.
func (c *Core) Continue(seq uint64) { c.seq = max(c.seq, seq) }

// Step feeds the referee.
func (c *Core) Step(in referee.Input) (*Outcome, error) {
	if c.Tape == nil {
		return c.step(in)
	}
	c.Tape.Before(c.place(), &c.State, in)
	out, err := c.step(in)
	c.Tape.After(c.outcome.Wake, c.outcome.Refused, err != nil)
	return out, err
}

// place is where the next event stands.
func (c *Core) place() flight.Place { return flight.Place{JID: c.jid, Seq: c.seq, Game: c.game} }

func (c *Core) step(in referee.Input) (*Outcome, error) {
	c.effects = referee.Step(&c.State, in, c.effects[:0])
	out := &c.outcome
	out.Facts, out.Wake, out.Refused = out.Facts[:0], 0, nil
	for _, eff := range c.effects {
		switch eff := eff.(type) {
		case referee.Announce:
			fact, err := c.fact(eff)
			if err != nil {
				return nil, err
			}
			out.Facts = append(out.Facts, fact)
		case referee.Wake:
			out.Wake = eff.At
		case referee.Refuse:
			out.Refused = &eff
		}
	}
	return out, nil
}

// fact gives an event the next number and its published form.
func (c *Core) fact(a referee.Announce) (Fact, error) {
	drawn := ""
	if _, ok := a.Event.(referee.GameStarted); ok {
		drawn = c.newGame()
		c.game = drawn
	}
	env := record.Envelope{
		Stamp: c.stamp(), JID: c.jid, Seq: c.seq + 1, Game: c.game, Ply: a.Ply,
		FP: record.Fingerprint(a.Position.Discs, a.Position.Turn),
	}
	payload, err := record.EncodeEvent(env, a.Event)
	if err != nil {
		return Fact{}, fmt.Errorf("encode event %d: %w", env.Seq, err)
	}
	public, err := record.EncodeEventFor(env, a.Event, &c.State.Match.Profile, payload)
	if err != nil {
		return Fact{}, fmt.Errorf("encode event %d for players: %w", env.Seq, err)
	}
	if c.Tape != nil {
		c.Tape.Announced(a.Event, env.Stamp, drawn, payload)
	}
	c.seq = env.Seq
	return Fact{Seq: env.Seq, Event: a.Event, Payload: payload, Public: public}, nil
}

// Seq returns the number of the last event.
func (c *Core) Seq() uint64 { return c.seq }

// Envelope returns what surrounds a payload made now.
func (c *Core) Envelope() record.Envelope {
	return record.Envelope{
		Stamp: c.stamp(), JID: c.jid, Seq: c.seq, Game: c.game, Ply: c.State.Ply(),
		FP: record.Fingerprint(c.State.Game.Discs, c.State.Turn()),
	}
}

// Published returns the state payload of MQTT and of the page.
func (c *Core) Published() ([]byte, error) { return c.published(referee.Withheld{}) }

// published returns the state payload without what is withheld.
func (c *Core) published(without referee.Withheld) ([]byte, error) {
	s := c.Shown()
	if !s.Problem.Active() && c.Trouble.Active() {
		troubled := *s
		troubled.Problem = c.Trouble
		s = &troubled
	}
	return record.EncodeStateWithout(c.Envelope(), s, without)
}

// Shown returns the state as people are to see it. It is valid until the next step.
func (c *Core) Shown() *referee.State {
	if !c.Held {
		return &c.State
	}
	c.shown = c.State
	c.shown.Problem, c.shown.Guide, c.shown.Pending = c.Trouble, referee.Guide{}, referee.Pending{}
	return &c.shown
}

// Public returns the state payload as players may know it at a time, nil if they may
// know all of it.
func (c *Core) Public(at time.Duration) ([]byte, error) {
	without := c.State.Withheld(at)
	if without == (referee.Withheld{}) {
		return nil, nil
	}
	return c.published(without)
}
