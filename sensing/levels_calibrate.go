package sensing

import (
	"fmt"

	"reversi-board/engine"
)

const (
	// MinSamples is how many readings of each kind a calibration needs: ten,
	// which is a second of a board with one converter.
	MinSamples = 10
	// MaxSpread is how far the readings of one kind may lie apart, in counts:
	// 8 mV, or 1 mT for a DRV5055A4. Noise is far below it; a disc that moves or a
	// bad joint is above.
	MaxSpread = 64
)

// Samples are readings of squares in one state: empty, or with one face up. The
// zero value holds none.
type Samples struct {
	squares [engine.Squares]sample
}

type sample struct {
	n, sum    uint64
	low, high uint16
}

// Add takes one reading of the given squares.
func (s *Samples) Add(squares engine.Bitboard, counts *[engine.Squares]uint16) {
	for sq := range squares.All() {
		p, c := &s.squares[sq], counts[sq]
		if p.n == 0 {
			p.low, p.high = c, c
		}
		p.n++
		p.sum += uint64(c)
		p.low, p.high = min(p.low, c), max(p.high, c)
	}
}

// Forget drops the readings of the given squares.
func (s *Samples) Forget(squares engine.Bitboard) {
	for sq := range squares.All() {
		s.squares[sq] = sample{}
	}
}

// Count returns how many readings of a square there are.
func (s *Samples) Count(sq engine.Square) int { return int(s.squares[sq].n) }

// Take takes over the readings of one square of other: what a cell has shown
// becomes what a square shows.
func (s *Samples) Take(to engine.Square, other *Samples, from engine.Square) {
	s.squares[to] = other.squares[from]
}

// Mean returns the mean of a square's readings, rounded, 0 without readings.
func (s *Samples) Mean(sq engine.Square) uint16 {
	p := &s.squares[sq]
	if p.n == 0 {
		return 0
	}
	return uint16((p.sum + p.n/2) / p.n)
}

// Spread returns how far the readings of a square lie apart, in counts.
func (s *Samples) Spread(sq engine.Square) int {
	return int(s.squares[sq].high - s.squares[sq].low)
}

// level returns the mean of a square's readings, or why there is none.
func (s *Samples) level(sq engine.Square, what string) (uint16, error) {
	p := &s.squares[sq]
	switch {
	case p.n < MinSamples:
		return 0, fmt.Errorf("there are %d readings of %s, at least %d are needed: %w", p.n, what, MinSamples, ErrLevels)
	case p.high-p.low > MaxSpread:
		return 0, fmt.Errorf("readings of %s lie %d counts apart, at most %d are a square at rest: "+
			"leave it alone, check the solder joints, and %w", what, p.high-p.low, MaxSpread, ErrLevels)
	}
	return s.Mean(sq), nil
}

// Calibrate returns the levels of a square from its readings empty and with
// either pole at the sensor, or an error, which wraps ErrLevels, that says what is
// wrong with them.
func Calibrate(sq engine.Square, empty, north, south *Samples) (Levels, error) {
	var l Levels
	var err error
	for _, part := range [...]struct {
		from  *Samples
		what  string
		level *uint16
	}{
		{empty, "the empty square", &l.Null},
		{north, "the disc with north at the sensor", &l.North},
		{south, "the disc with south at the sensor", &l.South},
	} {
		if *part.level, err = part.from.level(sq, part.what); err != nil {
			return Levels{}, fmt.Errorf("square %s: %w", sq, err)
		}
	}
	if err := l.Validate(); err != nil {
		return Levels{}, fmt.Errorf("square %s: %w", sq, err)
	}
	return l, nil
}
