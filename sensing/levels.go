package sensing

import (
	"errors"
	"fmt"
	"math"

	"reversi-board/engine"
)

const (
	// CountsPerVolt is what a converter of an analog board makes of a volt: 125 µV
	// a count (ADS1115, SBAS444E, 7.3.3, range ±4.096 V).
	CountsPerVolt = 8000
	// MinFullScale is the least a disc must change a cell's counts: 25 mV. Ten
	// percent of it, the hysteresis, are 20 counts, several times what sensor and
	// converter make of noise.
	MinFullScale = 200
)

// Levels are what one cell's sensor shows, in counts: Null without a disc, North
// and South with a disc at rest that has that pole at the sensor. The difference
// to Null is the full scale of a face.
//
// North and South lie on different sides of Null. With a DRV5055 or SS49E whose
// marked side faces the disc South is the higher one; a sensor that was soldered
// the other way round has it below, which is just as good.
type Levels struct {
	Null, North, South uint16
	// Uncalibrated says that the levels are computed from a data sheet and not
	// measured.
	Uncalibrated bool
}

// ErrLevels is wrapped by errors about levels that cannot be used.
var ErrLevels = errors.New("calibrate the square again")

// Validate reports why the levels cannot tell the faces apart; the error wraps
// ErrLevels.
func (l Levels) Validate() error {
	north, south := int(l.North)-int(l.Null), int(l.South)-int(l.Null)
	switch {
	case l.Null > math.MaxInt16 || l.North > math.MaxInt16 || l.South > math.MaxInt16:
		return fmt.Errorf("a level is above %d counts, which no converter gives: %w", math.MaxInt16, ErrLevels)
	case abs(north) < MinFullScale:
		return fmt.Errorf("a disc with north at the sensor changes %d counts only, at least %d are needed: %w", abs(north), MinFullScale, ErrLevels)
	case abs(south) < MinFullScale:
		return fmt.Errorf("a disc with south at the sensor changes %d counts only, at least %d are needed: %w", abs(south), MinFullScale, ErrLevels)
	case (north < 0) == (south < 0):
		return fmt.Errorf("both faces of a disc change the counts in the same direction, %+d and %+d: %w", north, south, ErrLevels)
	}
	return nil
}

// Reversed reports whether the sensor lies the other way round than the data
// sheet's drawing: north raises its voltage.
func (l Levels) Reversed() bool { return l.North > l.Null }

// Sensor is a type of linear hall sensor, as its data sheet describes it at the
// board's supply of 3.3 V.
type Sensor struct {
	// Name is the type.
	Name string
	// Sensitivity is the change of the output in volts per millitesla; south
	// raises it.
	Sensitivity float64
	// Null is the output in volts without a field, NullError how far a part may be
	// away from it.
	Null, NullError float64
	// Low and High bound the range in volts in which the output follows the
	// field; outside it says nothing.
	Low, High float64
}

// DRV5055A4 returns the sensor of the reference board: half the supply without a
// field (SBAS640B, section 1), 7.5 mV/mT and a linear range from 0.2 V to 0.2 V
// below the supply at 3.3 V (section 6.6; not checked against a printed copy),
// which is ±176 mT. NullError, ±60 mV, is not checked either.
func DRV5055A4() Sensor {
	return Sensor{Name: "DRV5055A4", Sensitivity: 7.5e-3, Null: 1.65, NullError: 0.060, Low: 0.2, High: 3.1}
}

// SS49E returns the cheap sensor: half the supply without a field and 1.4 mV per
// gauss at 5 V (Honeywell 005850), scaled to 3.3 V, for which the sheet gives no
// figures: 9.24 mV/mT. NullError is ±0.25 V at 5 V, scaled. Low and High are as
// for the DRV5055.
//
// At its worst this sensor's null is further off than a weak disc moves it: an
// uncalibrated board needs strong magnets (see WeakestDisc).
func SS49E() Sensor {
	return Sensor{Name: "SS49E", Sensitivity: 9.24e-3, Null: 1.65, NullError: 0.165, Low: 0.2, High: 3.1}
}

// DefaultLevels returns levels for a board that was never calibrated, marked as
// such.
//
// They assume a full scale of which NullError is just the share at which a face
// is let go again (20 %): any part within its tolerance then reads empty when it
// is empty. That is 300 mV or 2400 counts for a DRV5055A4, what a disc makes
// that brings 40 mT to it. Stronger discs are seen as well, up to 2.5 times that,
// weaker ones down to WeakestDisc.
func (s Sensor) DefaultLevels() Levels {
	full := s.NullError * 100 / offPercent
	return Levels{
		Null:         toCounts(s.Null),
		North:        toCounts(s.Null - full),
		South:        toCounts(s.Null + full),
		Uncalibrated: true,
	}
}

// WeakestDisc returns the field in millitesla that a disc must bring to a sensor
// of an uncalibrated board to be seen whatever the part: the threshold (30 % of
// full scale) and the null error against it (20 %). 20 mT for a DRV5055A4, which
// a magnet of 8 x 2 mm makes just below 8 mm; 45 mT for a SS49E, at 5.4 mm.
func (s Sensor) WeakestDisc() float64 {
	return s.NullError * (onPercent + offPercent) / offPercent / s.Sensitivity
}

// Counts returns what the sensor is read as in a field, in millitesla with south
// positive, as long as its output follows.
func (s Sensor) Counts(field float64) uint16 {
	return toCounts(min(max(s.Null+field*s.Sensitivity, s.Low), s.High))
}

// Range returns the counts between which the sensor's output follows the field.
func (s Sensor) Range() (low, high uint16) { return toCounts(s.Low), toCounts(s.High) }

// Field returns how many millitesla a difference of counts is.
func (s Sensor) Field(counts int) float64 {
	return float64(counts) / (CountsPerVolt * s.Sensitivity)
}

func toCounts(volts float64) uint16 {
	return uint16(min(max(math.Round(volts*CountsPerVolt), 0), math.MaxInt16))
}

// AllLevels returns the same levels for every square.
func AllLevels(l Levels) (out [engine.Squares]Levels) {
	for i := range out {
		out[i] = l
	}
	return out
}

func abs[T int | int64](n T) T { return max(n, -n) }
