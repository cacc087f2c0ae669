package engine

import (
	"errors"
	"fmt"
)

// The names of the presets.
const (
	Classic    = "classic"
	Reverse    = "reverse"
	Historic   = "historic"
	WhiteFirst = "white-first"
	Festival   = "festival"
	Custom     = "custom"
)

// VariantNames lists the presets, the default first.
func VariantNames() []string {
	return []string{Classic, Reverse, Historic, WhiteFirst, Festival, Custom}
}

// centre are the four squares on which the game begins.
const centre Bitboard = 1<<27 | 1<<28 | 1<<35 | 1<<36

// Variant returns the rules of a preset:
//
//   - classic: the standard start, Black begins, most discs win.
//   - reverse: the same moves, fewest discs win.
//   - historic: the board is empty; the players put the first four discs in
//     turn on the centre squares, nothing turns; 32 discs each, those four
//     included.
//   - white-first: classic, but White begins.
//   - festival: the moves of classic; either diagonal of the first four discs may be
//     the light one (see OtherDiagonal), and the clock differs.
//   - custom: classic, to be changed with From.
//
// Except for historic every start can be replaced with From.
func Variant(name string) (Rules, error) {
	r := Rules{Name: name, Start: Start()}
	switch name {
	case Classic, Festival, Custom:
	case Reverse:
		r.Goal = Fewest
	case Historic:
		r.Start.Discs = Discs{}
		r.Opening = centre
		r.Stock = Squares / 2
	case WhiteFirst:
		r.Start.Turn = White
	default:
		return Rules{}, fmt.Errorf("unknown variant %.32q: want one of %v", name, VariantNames())
	}
	return r, nil
}

// From returns the rules with another start position. It fails for the historic
// game, which has its own start, and for a position in which nobody can move.
func (r Rules) From(start Position) (Rules, error) {
	switch {
	case r.Opening != 0:
		return Rules{}, fmt.Errorf("the %s game begins on the empty board and takes no other start", r.Name)
	case start.Black&start.White != 0 || start.Turn > White:
		return Rules{}, errors.New("the start is no position")
	case start.Over():
		return Rules{}, errors.New("nobody can move in the start position")
	}
	r.Start = start
	return r, nil
}

// OtherDiagonal returns the rules with the colors of the first four discs exchanged,
// where players may choose which diagonal is light: in the festival game that begins
// with the usual squares. ok is false elsewhere.
func (r Rules) OtherDiagonal() (other Rules, ok bool) {
	usual, exchanged := Start().Discs, Discs{Black: Start().White, White: Start().Black}
	if r.Name != Festival {
		return r, false
	}
	switch r.Start.Discs {
	case usual:
		r.Start.Discs = exchanged
	case exchanged:
		r.Start.Discs = usual
	default:
		return r, false
	}
	return r, true
}

// WithFirst returns the rules with c to begin.
func (r Rules) WithFirst(c Color) Rules {
	r.Start.Turn = c
	return r
}
