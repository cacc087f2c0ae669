package app

import (
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// checkupPeriod is how often the eyes note how the cells are: five times a
// second is the most that anybody is told.
const checkupPeriod = 200 * time.Millisecond

// Checkup is how the cells are at one moment.
type Checkup struct {
	// At is when; it is zero until the chips have begun.
	At    time.Duration
	Cells sensing.Report
	// Counts are what a board that measures has read, and on other boards which
	// outputs are active: 1 north, 2 south, 3 both. Where Lost is set they mean
	// nothing.
	Counts [engine.Squares]uint16
	Lost   engine.Bitboard
	// Analog says that the board measures.
	Analog bool
}

// Checkup returns how the cells were lately. It may be called from any
// goroutine.
func (e *Eyes) Checkup() Checkup {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.checkup
}

// Doubt says that these cells are dead, see sensing.Pipeline.Doubt. It may be
// called from any goroutine; it counts from the next look on.
func (e *Eyes) Doubt(squares engine.Bitboard) { e.doubts.Or(uint64(squares)) }

// note notes how the cells are after a frame.
func (e *Eyes) note(now time.Duration, f *sensing.Frame) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &e.checkup
	if !e.pipeline.Awake() || c.At > 0 && now-c.At < checkupPeriod {
		return
	}
	c.At, c.Lost, c.Analog = max(now, 1), f.Lost, e.frame.Analog
	e.pipeline.Report(&c.Cells)
	if e.frame.Analog {
		c.Counts = e.frame.Counts
	} else {
		for s := range engine.Square(engine.Squares) {
			c.Counts[s] = uint16(f.North>>s&1) | uint16(f.South>>s&1)<<1
		}
	}
	if e.frame.Analog && e.threshold != nil {
		c.Cells.Measured(e.threshold)
	}
}
