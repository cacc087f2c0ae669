package calibrate

import (
	"time"

	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// Senses says what the cells of a board tell.
type Senses uint8

// The kinds of cells.
const (
	// Poles: two digital outputs, one for each pole.
	Poles Senses = iota
	// Presence: a disc or none.
	Presence
	// Field: a measured voltage.
	Field
)

// pole is what a cell shows.
type pole uint8

const (
	nothing pole = iota
	north
	south
	// both is what no disc makes.
	both
)

const (
	// seenFrom and seenUntil are the counts between which a cell that measures
	// shows what it did before: 2.5 and 1.7 mT for a DRV5055A4, at 480 counts/mT
	// and V. The neighbors of an empty cell make 1.8 mT at most (8 x 2 mm at
	// 10 mm on squares of 30 mm), the weakest disc that can be calibrated 3.3.
	seenFrom  = 150
	seenUntil = 100
	// loud is how many times the spread of the empty cell a reading must differ
	// from the null.
	loud = 2
)

// sight is what the cells show, scan by scan. All its sets are of cells.
type sight struct {
	senses Senses
	sensor sensing.Sensor
	// null and spread are those of the empty board, for Field.
	null, spread [engine.Squares]int

	// stuckNorth and stuckSouth are outputs that have been active on the empty
	// board and at all times since; blind cells say nothing at all.
	stuckNorth, stuckSouth, blind engine.Bitboard

	// north and south are what the cells show now, without what is stuck. raw is
	// the same with it.
	north, south       engine.Bitboard
	rawNorth, rawSouth engine.Bitboard
	lost               engine.Bitboard
	counts             [engine.Squares]uint16
	// changed is when a cell showed something else than before; scans counts the
	// scans since.
	changed time.Duration
	scans   int
}

// look takes a scan.
func (s *sight) look(now time.Duration, f *hardware.Frame) {
	s.lost, s.counts = engine.Bitboard(f.Lost), f.Counts
	north, south := engine.Bitboard(f.North), engine.Bitboard(f.South)
	if s.senses == Field {
		north, south = s.feel()
	}
	s.rawNorth, s.rawSouth = north, south
	north &^= s.blind | s.stuckNorth
	south &^= s.blind | s.stuckSouth
	s.scans++
	if north != s.north || south != s.south {
		s.north, s.south, s.changed, s.scans = north, south, now, 0
	}
}

// feel turns counts into poles: a DRV5055's voltage falls below its null when the
// north pole is at the marked face.
func (s *sight) feel() (north, south engine.Bitboard) {
	for c := range engine.Square(engine.Squares) {
		away, need := int(s.counts[c])-s.null[c], seenFrom
		if (s.north|s.south)&c.Bit() != 0 {
			need = seenUntil
		}
		need = max(need, loud*s.spread[c])
		switch {
		case s.lost.Has(c):
			north |= s.rawNorth & c.Bit()
			south |= s.rawSouth & c.Bit()
		case away <= -need:
			north |= c.Bit()
		case away >= need:
			south |= c.Bit()
		}
	}
	return north, south
}

// occupied returns the cells that show a disc, or more than that.
func (s *sight) occupied() engine.Bitboard { return s.north | s.south }

// still reports that nothing has changed for so long, and for some scans.
func (s *sight) still(now, d time.Duration) bool {
	return now-s.changed >= d && s.scans >= restScans
}

// unstick believes outputs again that are inactive on a board at rest.
func (s *sight) unstick() {
	if s.senses == Field {
		return
	}
	s.stuckNorth &= s.rawNorth
	s.stuckSouth &= s.rawSouth
}
