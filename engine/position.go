package engine

import "fmt"

// Color is a side of a disc, and the player who owns it.
type Color uint8

// The two sides, and None where there is no disc or no player.
const (
	Black Color = iota
	White
	None
)

// Opponent returns the other side; None stays None.
func (c Color) Opponent() Color {
	if c == None {
		return None
	}
	return c ^ 1
}

// String returns "black", "white" or "none", the words of the MQTT contract.
func (c Color) String() string {
	switch c {
	case Black:
		return "black"
	case White:
		return "white"
	case None:
	}
	return "none"
}

// Discs says what lies on the board: which squares show black and which show
// white. A well-formed value never has a square in both sets.
type Discs struct {
	Black, White Bitboard
}

// Of returns the discs that show c.
func (d Discs) Of(c Color) Bitboard {
	switch c {
	case Black:
		return d.Black
	case White:
		return d.White
	case None:
	}
	return 0
}

// Occupied returns the squares that hold a disc.
func (d Discs) Occupied() Bitboard { return d.Black | d.White }

// Empty returns the squares that hold no disc.
func (d Discs) Empty() Bitboard { return ^(d.Black | d.White) }

// At returns the color that s shows, None where it is empty.
func (d Discs) At(s Square) Color {
	switch {
	case d.Black.Has(s):
		return Black
	case d.White.Has(s):
		return White
	default:
		return None
	}
}

// With returns d after s has been made to show c (None takes the disc away).
func (d Discs) With(s Square, c Color) Discs {
	d.Black &^= s.Bit()
	d.White &^= s.Bit()
	switch c {
	case Black:
		d.Black |= s.Bit()
	case White:
		d.White |= s.Bit()
	case None:
	}
	return d
}

// Diff returns the squares on which d and o show different things.
func (d Discs) Diff(o Discs) Bitboard { return (d.Black ^ o.Black) | (d.White ^ o.White) }

// Text writes the 64 squares a1, b1 … h8 with one byte each.
func (d Discs) Text(black, white, empty byte) string {
	var b [Squares]byte
	for s := range Square(Squares) {
		switch d.At(s) {
		case Black:
			b[s] = black
		case White:
			b[s] = white
		case None:
			b[s] = empty
		}
	}
	return string(b[:])
}

// String writes the 64 squares as -BW, the form of the MQTT contract.
func (d Discs) String() string { return d.Text('B', 'W', '-') }

// ParseDiscs reads 64 squares a1, b1 … h8: B, X or * is black, W or O is white
// (any letter case), - or . is empty.
func ParseDiscs(text string) (Discs, error) {
	if len(text) != Squares {
		return Discs{}, fmt.Errorf("a board has 64 squares, got %d characters", len(text))
	}
	var d Discs
	for i := range Squares {
		bit := Square(i).Bit()
		switch text[i] {
		case 'B', 'b', 'X', 'x', '*':
			d.Black |= bit
		case 'W', 'w', 'O', 'o':
			d.White |= bit
		case '-', '.':
		default:
			return Discs{}, fmt.Errorf("%q on %v: want X, O or -", text[i:i+1], Square(i))
		}
	}
	return d, nil
}

// Position is discs and the side to move.
type Position struct {
	Discs
	Turn Color
}

// Start is the standard start: d4 e5 white, d5 e4 black, Black to move.
func Start() Position {
	return Position{Discs: Discs{Black: 1<<28 | 1<<35, White: 1<<27 | 1<<36}, Turn: Black}
}

// Legal returns the squares on which the side to move outflanks at least one
// disc.
func (p Position) Legal() Bitboard { return LegalMoves(p.Of(p.Turn), p.Of(p.Turn.Opponent())) }

// Flips returns the discs that a disc of the side to move on s outflanks, in
// all eight directions at once; it is empty exactly when the move is illegal.
func (p Position) Flips(s Square) Bitboard {
	return Flips(p.Of(p.Turn), p.Of(p.Turn.Opponent()), s)
}

// After returns the position after the side to move has placed a disc on s and
// turned flips; the other side is then to move (whether it can or not).
func (p Position) After(s Square, flips Bitboard) Position {
	switch p.Turn {
	case Black:
		p.Black |= flips | s.Bit()
		p.White &^= flips
	case White:
		p.White |= flips | s.Bit()
		p.Black &^= flips
	case None:
	}
	p.Turn = p.Turn.Opponent()
	return p
}

// Pass returns the position with the other side to move.
func (p Position) Pass() Position {
	p.Turn = p.Turn.Opponent()
	return p
}

// Over reports whether neither side has a legal move: the board is full, one
// color has vanished, or both are blocked with squares still empty.
func (p Position) Over() bool { return p.Legal() == 0 && p.Pass().Legal() == 0 }
