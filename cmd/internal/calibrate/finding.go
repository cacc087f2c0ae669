package calibrate

import (
	"encoding/json"

	"reversi-board/engine"
)

// Kind is what is wrong, in one word for programs.
type Kind string

// What can be wrong.
const (
	// BankLost: a chip does not answer. BankDead: it answers, but none of its
	// cells sees a disc.
	BankLost Kind = "bank_lost"
	BankDead Kind = "bank_dead"
	// Dead: no disc is seen. Half: only one side of a disc is.
	Dead Kind = "dead"
	Half Kind = "half_dead"
	// Stuck: an output that is always active, or a reading at an end of its range.
	Stuck Kind = "stuck"
	// Flapping: not steady on the empty board.
	Flapping Kind = "flapping"
	// Unsteady: not steady with a disc at rest.
	Unsteady Kind = "unsteady"
	// Reversed: each pole is taken for the other. AllReversed: everywhere.
	Reversed    Kind = "reversed"
	AllReversed Kind = "all_reversed"
	// Exchanged: squares have each other's cells. Turned: the whole board has been
	// mounted turned.
	Exchanged Kind = "exchanged"
	Turned    Kind = "turned"
	// Crossed: the two sides of a disc are seen by different cells.
	Crossed Kind = "crossed"
	// Shared: the cell that responds belongs to another square, too.
	Shared Kind = "shared"
	// WeakCell: every disc is weak there. WeakDisc: a disc that was weak.
	// WeakDiscs: all discs are weak everywhere.
	WeakCell  Kind = "weak_cell"
	WeakDisc  Kind = "weak_disc"
	WeakDiscs Kind = "weak_discs"
	// OddDisc: a disc that was seen wrong side up where another was not.
	OddDisc Kind = "odd_disc"
	// Crosstalk: the neighbors' discs are felt.
	Crosstalk Kind = "crosstalk"
	// Sticky: a disc was still seen after it was taken.
	Sticky Kind = "sticky"
	// Diode: a shorted diode lets cells seem closed that are not.
	Diode Kind = "diode"
	// Untested: what the walk has left out.
	Untested Kind = "untested"
	// NoDisc: no cell has seen any disc.
	NoDisc Kind = "nothing_seen"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	// Note: something to know.
	Note Severity = "note"
	// Corrected: the calibration puts it right, if that is agreed to.
	Corrected Severity = "corrected"
	// Bad: something to be repaired.
	Bad Severity = "bad"
)

// Finding is one thing that is wrong.
type Finding struct {
	Kind     Kind
	Severity Severity
	Squares  engine.Bitboard
	// Text says what it is and what to do about it, in sentences.
	Text string
}

// MarshalJSON names the squares.
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind     Kind     `json:"kind"`
		Severity Severity `json:"severity"`
		Squares  []string `json:"squares"`
		Text     string   `json:"text"`
	}{f.Kind, f.Severity, f.Squares.Names(), f.Text})
}

// words returns the finding's kind for a map of the board, short.
func (k Kind) words() string {
	switch k {
	case BankLost:
		return "chip lost"
	case BankDead:
		return "chip dead"
	case Half:
		return "one side only"
	case AllReversed:
		return "reversed"
	case WeakCell, WeakDiscs:
		return "weak"
	case WeakDisc, OddDisc, Untested:
		return "good"
	case NoDisc:
		return "no disc"
	case Dead, Stuck, Flapping, Unsteady, Reversed, Exchanged, Turned, Crossed, Shared, Crosstalk, Sticky, Diode:
		return string(k)
	}
	return string(k)
}
