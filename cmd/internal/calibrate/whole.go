package calibrate

import (
	"errors"
	"fmt"

	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// Lying is what lies on a whole board: nothing, or a disc on every square.
type Lying uint8

// What Whole asks for, in this order.
const (
	Nothing Lying = iota
	NorthDown
	SouthDown
)

// patience is how many scans Whole reads of one state at most.
const patience = 100

// Whole returns the levels of a board that measures from whole boards: empty,
// full of discs with north at the sensors, full with south. It is for boards that
// are laid in no time, which simulated ones are; what a person would do is a Walk.
//
// lay lays the board and lets pass what sensors need to see it; scan reads it
// once. The levels are those of the wiring's cells.
func Whole(lay func(Lying), scan func() hardware.Frame) (levels [engine.Squares]sensing.Levels, err error) {
	var samples [SouthDown + 1]sensing.Samples
	for i := range samples {
		lay(Lying(i))
		if err := fill(&samples[i], scan); err != nil {
			return levels, err
		}
	}
	var errs []error
	for s := range engine.Square(engine.Squares) {
		l, err := sensing.Calibrate(s, &samples[Nothing], &samples[NorthDown], &samples[SouthDown])
		levels[s] = l
		errs = append(errs, err)
	}
	return levels, errors.Join(errs...)
}

// fill reads until there are enough samples of every square.
func fill(to *sensing.Samples, scan func() hardware.Frame) error {
	for range patience {
		f := scan()
		if !f.Analog {
			return errors.New("this board does not measure: it has no levels")
		}
		to.Add(^engine.Bitboard(f.Lost), &f.Counts)
		if enough(to) {
			return nil
		}
	}
	return fmt.Errorf("not all squares could be read within %d scans: look at the converters", patience)
}

func enough(s *sensing.Samples) bool {
	for sq := range engine.Square(engine.Squares) {
		if s.Count(sq) < sensing.MinSamples {
			return false
		}
	}
	return true
}
