package sensing

import (
	"fmt"

	"reversi-board/engine"
)

// CountFault says why a reading cannot come from a sensor and a disc.
type CountFault uint8

const (
	// CountGood is a reading that can.
	CountGood CountFault = iota
	// CountLow is a reading at the lower end of the sensor's range or below: a
	// short, no supply, or a magnet that is far too strong.
	CountLow
	// CountHigh is a reading at the upper end or above.
	CountHigh
	// CountTooFar is a reading much further from the null than a disc makes: an
	// open input, a magnet without its disc, or levels of another sensor.
	CountTooFar
)

// String returns what is wrong and what to look at.
func (f CountFault) String() string {
	switch f {
	case CountGood:
		return "good"
	case CountLow:
		return "reads the lower end of its range: check its supply and for a short to ground"
	case CountHigh:
		return "reads the upper end of its range: check for a short to the supply"
	case CountTooFar:
		return "reads more than a disc makes: check its output wire, or calibrate"
	}
	return fmt.Sprintf("CountFault(%d)", uint8(f))
}

// Margin is how far the weakest reading was from where it would have been
// misread, in percent of full scale. Below 0 it was in the range in which only
// what was there before decides.
type Margin struct {
	Percent int
	// Known says that there was a reading: one that was at rest for 5 s.
	Known bool
}

// CellHealth is what is known of one sensor.
type CellHealth struct {
	// Levels are the ones that were given.
	Levels Levels
	// Count is the last reading, and Fault what is wrong with it.
	Count uint16
	Fault CountFault
	// Drift is how far the tracked null is from the calibrated one, in counts, and
	// DriftLimit how far it may go.
	Drift, DriftLimit int
	// North and South are how far the weakest disc was above the threshold at
	// which it appears, Empty how far the strongest reading of the empty square was
	// below the one at which a disc goes; since the start or the last
	// ResetMargins.
	North, South, Empty Margin
}

// Drifted reports whether the null has gone as far as it may: the sensor has to
// be calibrated, or is failing.
func (h *CellHealth) Drifted() bool { return abs(h.Drift) >= h.DriftLimit }

// Weakest returns the smallest margin that is known.
func (h *CellHealth) Weakest() Margin {
	var out Margin
	for _, m := range [...]Margin{h.North, h.South, h.Empty} {
		if m.Known && (!out.Known || m.Percent < out.Percent) {
			out = m
		}
	}
	return out
}

// Health returns what is known of one square's sensor.
func (t *Threshold) Health(s engine.Square) CellHealth {
	g := &t.cells[s]
	return CellHealth{
		Levels:     g.levels,
		Count:      g.count,
		Fault:      g.fault,
		Drift:      int((g.null+fixed/2)/fixed) - int(g.levels.Null),
		DriftLimit: int(g.bound / fixed),
		North:      g.margins[north],
		South:      g.margins[south],
		Empty:      g.margins[empty],
	}
}

// ResetMargins forgets the weakest readings, after a magnet or a sensor was
// changed.
func (t *Threshold) ResetMargins() {
	for i := range t.cells {
		t.cells[i].margins = [both]Margin{}
	}
}
