package sensing

import (
	"time"

	"reversi-board/engine"
)

// Frame is one scan of the 64 cells, bit n for square n.
type Frame struct {
	// North and South are the cells whose north or south output is active.
	North, South engine.Bitboard
	// Lost are the cells of banks without a recent good scan: North and South
	// say nothing there.
	Lost engine.Bitboard
	// Reset are the cells whose chip was found at its power-on defaults, and
	// was initialized again, since the last frame.
	Reset engine.Bitboard
}

// Config holds the times. A zero time or count stands for the default.
type Config struct {
	// Debounce is how long a cell must show a value before the value is
	// believed (60 ms).
	Debounce time.Duration
	// Settle is how long no believed cell may have changed before a reading is
	// given (200 ms); at least Debounce.
	Settle time.Duration
	// Wake is how long chips may take after the first frame until they answer;
	// the board is not judged before all of them do, or that time and five frames
	// are over (1 s).
	Wake time.Duration
	// FlapSteps rests to and fro within FlapWindow mask a cell (9 in 5 s; at
	// most 60 rests).
	FlapSteps  int
	FlapWindow time.Duration
	// Restless is how long a cell may change without being quiet for the
	// settle time (4 s).
	Restless time.Duration
	// UnmaskAfter is how long a flapping cell must have been steady to be
	// believed again (1 min).
	UnmaskAfter time.Duration
	// NorthIsBlack says which face has its north pole at the sensor: true when
	// the disc shows black. It is true in DefaultConfig; false means that the
	// magnets are the other way round.
	NorthIsBlack bool
	// Presence says that the cells tell discs from empty squares and nothing
	// more: either output means a disc, and no face is known.
	Presence bool
	// Dead squares are masked for ever: a calibration has found that their cells
	// say nothing.
	Dead engine.Bitboard
}

// DefaultConfig returns the times for 20 Hz hall sensors scanned 50 times a
// second.
func DefaultConfig() Config {
	return Config{NorthIsBlack: true}.withDefaults()
}

func (c Config) withDefaults() Config {
	c.Debounce = orDefault(c.Debounce, 60*time.Millisecond)
	c.Settle = max(orDefault(c.Settle, 200*time.Millisecond), c.Debounce)
	c.Wake = orDefault(c.Wake, time.Second)
	c.FlapWindow = orDefault(c.FlapWindow, 5*time.Second)
	c.Restless = orDefault(c.Restless, 4*time.Second)
	c.UnmaskAfter = orDefault(c.UnmaskAfter, time.Minute)
	if c.FlapSteps <= 0 {
		c.FlapSteps = 9
	}
	c.FlapSteps = min(c.FlapSteps, manySteps)
	return c
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// Output is what one frame has brought about.
type Output struct {
	// Settled says that Reading is new: the board is at rest and differs from
	// the last settled reading in discs, lost or masked cells, or discs have
	// been lifted and put back. The first reading after New is always new, and
	// so is the first one after cells have come back.
	Settled bool
	Reading Reading
	// Failed and Back are the cells that have stopped, or begun again, to be
	// believable. Every failure is reported once, and is followed by one Back
	// of the same kind for each of its squares, not necessarily all together.
	Failed, Back Faults
}

// Reading is the board at rest.
type Reading struct {
	// Discs as the cells show them; on lost and masked cells the last value
	// that was believed. Empty on a board that knows presence only.
	Discs engine.Discs
	// Occupied are the squares with a disc, likewise.
	Occupied engine.Bitboard
	// Lifted are, on a board that knows presence only, the discs that have been
	// off their square since the last reading, for the debounce time at least,
	// and lie there again: nothing else tells of a disc turned by a quick hand.
	Lifted engine.Bitboard
	// Lost cells cannot be read for the moment, masked cells are not to be
	// believed. The sets are disjoint: a masked cell whose bank is lost is
	// masked.
	Lost, Masked engine.Bitboard
	// ChangedAt is when a believed cell changed last, BeganAt when the first one did
	// since the board was at rest before.
	ChangedAt, BeganAt time.Duration
}

// Kind is how cells fail, in the words of the published events.
type Kind string

// The kinds of fault that can be seen from here.
const (
	// Stuck: both outputs active, which no magnet can do.
	Stuck Kind = "stuck"
	// Ghost: the same on a board that knows presence only. Its reader says so of
	// cells which may only seem to hold a disc.
	Ghost Kind = "ghost"
	// Flapping: changes faster and longer than hands do.
	Flapping Kind = "flapping"
	// BankLost: the chip of these cells does not answer.
	BankLost Kind = "bank_lost"
	// Reset: the chip of these cells had lost its configuration.
	Reset Kind = "reset"
	// Dead: shows no disc where one must be, as said by a calibration (Config.Dead)
	// or by somebody who knows the rules (Pipeline.Doubt).
	Dead Kind = "dead"
)

// Fault is a set of cells that failed, or came back, in the same way.
type Fault struct {
	Squares engine.Bitboard
	Kind    Kind
}

// Faults is a short list without allocation, at most one entry per kind; Stuck
// and Ghost are never both of one board.
type Faults struct {
	items [5]Fault
	n     int
}

// List returns the entries. The slice is a view into f.
func (f *Faults) List() []Fault { return f.items[:f.n] }

func (f *Faults) add(kind Kind, squares engine.Bitboard) {
	if squares == 0 {
		return
	}
	for i := range f.List() {
		if f.items[i].Kind == kind {
			f.items[i].Squares |= squares
			return
		}
	}
	f.items[f.n] = Fault{Squares: squares, Kind: kind}
	f.n++
}
