package calibrate

import (
	"fmt"
	"strings"

	"reversi-board/engine"
)

// Do is what a person is asked to do.
type Do uint8

// What can be asked.
const (
	// Place: put discs on squares.
	Place Do = iota
	// TurnOver: turn the discs on squares over.
	TurnOver
	// Take: take the discs off squares.
	Take
)

// Ask is one thing that a person is asked to do.
type Ask struct {
	Do Do
	// Squares are where, in any order.
	Squares engine.Bitboard
	// Face is the side that is up afterwards, None after Take and on a board that
	// sees no colors.
	Face engine.Color
	// tidy says that it only makes room for what follows.
	tidy bool
}

// String returns the sentence that asks for it.
func (a Ask) String() string {
	where, one := a.place(), a.Squares.Count() == 1
	side := ""
	if a.Face != engine.None {
		side = fmt.Sprintf(" %v side up", a.Face)
	}
	switch {
	case a.Do == Place && one:
		return fmt.Sprintf("Put the disc on %s%s.", where, comma(side))
	case a.Do == Place:
		return fmt.Sprintf("Put discs on %s%s.", where, comma(side))
	case a.Do == TurnOver && one:
		return fmt.Sprintf("Turn the disc on %s over%s.", where, colon(side))
	case a.Do == TurnOver:
		return fmt.Sprintf("Turn the discs on %s over%s.", where, colon(side))
	case one:
		return fmt.Sprintf("Take the disc off %s.", where)
	}
	return fmt.Sprintf("Take the discs off %s.", where)
}

func comma(text string) string { return before(",", text) }
func colon(text string) string { return before(":", text) }

func before(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}

// place names the squares: a rank, a file, or one after the other.
func (a Ask) place() string {
	s := a.Squares.First()
	switch a.Squares {
	case rankOf(s.Rank()):
		return fmt.Sprintf("rank %d", s.Rank()+1)
	case fileOf(s.File()):
		return fmt.Sprintf("file %c", 'a'+s.File())
	case ^engine.Bitboard(0):
		return "all squares"
	}
	return list(a.Squares.Names())
}

func rankOf(r int) engine.Bitboard { return 0xFF << (8 * r) }
func fileOf(f int) engine.Bitboard { return 0x0101010101010101 << f }

// list joins names as people do: a1, b1 and c1.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// lines is the most a rank holds.
const lines = 8

// plan returns what is asked in a walk.
func plan(o *Options) []Ask {
	switch {
	case o.Senses == Presence:
		return touches(walkOrder())
	case !o.Quick:
		return singles(walkOrder(), engine.Black)
	}
	var asks []Ask
	black, white := engine.Black, engine.White
	// As many ranks at once as there are discs for, each band with the side up
	// first that the discs of the band before it show.
	band := o.Discs / lines
	for first := 0; first < lines; first += band {
		asks = append(asks, bandOf(first, min(first+band, lines), black, white)...)
		black, white = white, black
	}
	return asks
}

// bandOf asks for discs on some ranks, then for their other side, file by file.
func bandOf(first, end int, black, white engine.Color) (asks []Ask) {
	var all engine.Bitboard
	for r := first; r < end; r++ {
		all |= rankOf(r)
		asks = append(asks, Ask{Do: Place, Squares: rankOf(r), Face: black})
	}
	for f := range lines {
		asks = append(asks, Ask{Do: TurnOver, Squares: fileOf(f) & all, Face: white})
	}
	if end < lines {
		asks = append(asks, Ask{Do: Take, Squares: all, Face: engine.None, tidy: true})
	}
	return asks
}

// singles asks for one disc on one square after the other, with both sides up.
func singles(order []engine.Square, first engine.Color) (asks []Ask) {
	for _, s := range order {
		asks = append(asks,
			Ask{Do: Place, Squares: s.Bit(), Face: first},
			Ask{Do: TurnOver, Squares: s.Bit(), Face: first.Opponent()})
		first = first.Opponent()
	}
	return asks
}

// touches asks for one disc on one square after the other, where no sides are
// seen.
func touches(order []engine.Square) (asks []Ask) {
	for _, s := range order {
		asks = append(asks, Ask{Do: Place, Squares: s.Bit(), Face: engine.None})
	}
	return asks
}

// filling asks for discs on all squares but some, one after the other.
//
// A shorted diode shows when a disc is laid in its file while its rank is full and
// the rank of that disc is not: so a rank tests all ranks before it, but for the
// square that is laid last, which is another one on every rank. The last ranks are
// tested by two before them that are laid again.
func filling(without engine.Bitboard) (asks []Ask) {
	lay := func(r, first, step int) {
		for i := range lines {
			if s := engine.SquareAt((first+step*i)&7, r); !without.Has(s) {
				asks = append(asks, Ask{Do: Place, Squares: s.Bit(), Face: engine.None})
			}
		}
	}
	again := func(r, first, step int) {
		if rank := rankOf(r) &^ without; rank != 0 {
			asks = append(asks, Ask{Do: Take, Squares: rank, Face: engine.None, tidy: true})
		}
		lay(r, first, step)
	}
	for r := range lines {
		if r&1 == 0 {
			lay(r, 0, 1)
		} else {
			lay(r, 7, -1)
		}
	}
	again(6, 0, 1)
	again(5, 3, 1)
	return asks
}

// walkOrder is rank by rank, to and fro.
func walkOrder() (order []engine.Square) {
	for r := range lines {
		for i := range lines {
			f := i
			if r&1 == 1 {
				f = lines - 1 - i
			}
			order = append(order, engine.SquareAt(f, r))
		}
	}
	return order
}
