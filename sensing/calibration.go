package sensing

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
)

// ErrOtherBoard is wrapped by errors about a calibration that was made for
// another board, or for another wiring of this one.
var ErrOtherBoard = errors.New("calibrate this board")

// Calibration is what has been found out about the cells of one board: plain
// data, which nothing but a new calibration changes. Identity returns one that
// changes nothing.
//
// # Cells and squares
//
// A scan numbers the cells as the settings say they are wired. Where the board
// was built otherwise, the cell that lies under a square has another number:
// Turned says by how much the whole board of cells was mounted turned, Cells what
// is exchanged besides. [Calibration.Cell] puts the two together.
type Calibration struct {
	// Made is when, in UTC and whole seconds.
	Made time.Time
	// Kind is the kind of board, for people; Wiring a fingerprint of how the
	// settings say it is wired: 16 hex digits. See For.
	Kind, Wiring string
	// Turned is by how many quarter turns, clockwise and seen from above, the
	// cells are mounted: 0 to 3. With 1 the cell of a1 lies under h1.
	Turned int
	// Cells[s] is the square whose cell lies under square s when the turning has
	// been taken into account; s itself where nothing is exchanged. Each square
	// is there once.
	Cells [engine.Squares]engine.Square
	// Reversed are the squares whose digital sensor takes each pole for the
	// other. On a board that measures Levels say so.
	Reversed engine.Bitboard
	// Masked are the squares whose cell is not to be believed.
	Masked engine.Bitboard
	// Measured says that the board measures and Levels holds something: levels
	// for each square that is not masked.
	Measured bool
	Levels   [engine.Squares]Levels
}

// Identity returns a calibration with which a board is as the settings say.
func Identity(kind, wiring string) Calibration {
	c := Calibration{Kind: kind, Wiring: wiring}
	for s := range engine.Square(engine.Squares) {
		c.Cells[s] = s
	}
	return c
}

// Turn returns where a place of the board is after so many quarter turns
// clockwise: h1 for a1 and one turn.
func Turn(s engine.Square, quarters int) engine.Square {
	for range quarters & 3 {
		s = engine.SquareAt(7-s.Rank(), s.File())
	}
	return s
}

// Cell returns the number in scans of the cell that lies under a square.
func (c *Calibration) Cell(s engine.Square) engine.Square {
	return Turn(c.Cells[s], 4-c.Turned&3)
}

// Validate reports what is wrong with a calibration. Errors about levels wrap
// ErrLevels.
func (c *Calibration) Validate() error {
	switch {
	case c.Turned < 0 || c.Turned > 3:
		return fmt.Errorf("the board is turned by %d quarter turns: want 0 to 3", c.Turned)
	case c.Kind == "" || len(c.Kind) > maxKind:
		return fmt.Errorf("the kind of board has %d characters: want 1 to %d", len(c.Kind), maxKind)
	case !isFingerprint(c.Wiring):
		return fmt.Errorf("%.20q is no fingerprint of a wiring: want 16 hex digits", c.Wiring)
	case c.Measured && c.Reversed != 0:
		return errors.New("reversed squares are listed although there are levels, which say that themselves")
	}
	var used engine.Bitboard
	for s, cell := range c.Cells {
		if cell >= engine.Squares || used.Has(cell) {
			return fmt.Errorf("square %v is given cell %v, which does not exist or is another square's", engine.Square(s), cell)
		}
		used |= cell.Bit()
	}
	for s, l := range c.Levels {
		switch square := engine.Square(s); {
		case !c.Measured && l != Levels{}:
			return fmt.Errorf("square %v has levels on a board that does not measure", square)
		case c.Measured && l == Levels{} && c.Masked.Has(square):
		case c.Measured:
			if err := l.Validate(); err != nil {
				return fmt.Errorf("levels of square %v: %w", square, err)
			}
		}
	}
	return nil
}

// For reports, with an error that wraps ErrOtherBoard, that the calibration was
// made for a board other than that of the settings.
func (c *Calibration) For(kind, wiring string) error {
	switch {
	case c.Kind != kind:
		return fmt.Errorf("the calibration is one of a %s board, the settings say %s: %w", c.Kind, kind, ErrOtherBoard)
	case c.Wiring != wiring:
		return fmt.Errorf("the calibration was made with other settings of the wiring (hardware.cells, addresses, sensor or north_is): %w", ErrOtherBoard)
	}
	return nil
}

// Threshold returns a threshold with the calibrated levels. A masked square
// without levels has those of the data sheet.
func (c *Calibration) Threshold(s Sensor) (*Threshold, error) {
	levels := c.Levels
	for i := range levels {
		if levels[i] == (Levels{}) {
			levels[i] = s.DefaultLevels()
		}
	}
	return NewThreshold(levels, s)
}

// Lens is a calibration prepared for use on every scan.
type Lens struct {
	at       [engine.Squares]engine.Square
	straight bool
	reversed engine.Bitboard
}

// Lens returns what brings scans of this board to its squares.
func (c *Calibration) Lens() Lens {
	l := Lens{straight: true, reversed: c.Reversed}
	for s := range engine.Square(engine.Squares) {
		l.at[s] = c.Cell(s)
		l.straight = l.straight && l.at[s] == s
	}
	return l
}

// Squares returns the squares of cells.
func (l *Lens) Squares(cells engine.Bitboard) (squares engine.Bitboard) {
	if l.straight || cells == 0 {
		return cells
	}
	for s, cell := range l.at {
		squares |= cells >> cell & 1 << s
	}
	return squares
}

// Apply rearranges a scan: what is numbered by cells is then numbered by
// squares, and every pole is the one that it is. Counts may be nil. It allocates
// nothing.
func (l *Lens) Apply(f *Frame, counts *[engine.Squares]uint16) {
	if !l.straight {
		was := *f
		*f = Frame{}
		for s, cell := range l.at {
			f.North |= was.North >> cell & 1 << s
			f.South |= was.South >> cell & 1 << s
			f.Lost |= was.Lost >> cell & 1 << s
			f.Reset |= was.Reset >> cell & 1 << s
		}
		if counts != nil {
			raw := *counts
			for s, cell := range l.at {
				counts[s] = raw[cell]
			}
		}
	}
	swap := (f.North ^ f.South) & l.reversed
	f.North ^= swap
	f.South ^= swap
}
