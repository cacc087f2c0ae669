package engine_test

import (
	"reversi-board/engine"
)

// board is the second opinion: the rules written down once more over a plain
// array, square by square from the rule text, sharing nothing with the
// bitboards but the order of the squares.
type board struct {
	cells [8][8]byte // [row][file], 'X' black, 'O' white, '-' empty
	turn  byte
}

// readBoard reads 64 cells, a blank and the side to move.
func readBoard(obf string) board {
	var b board
	for i := range 64 {
		b.cells[i/8][i%8] = obf[i]
	}
	b.turn = obf[65]
	return b
}

func (b *board) String() string {
	var text []byte
	for _, row := range b.cells {
		text = append(text, row[:]...)
	}
	return string(append(text, ' ', b.turn))
}

func other(side byte) byte {
	if side == 'X' {
		return 'O'
	}
	return 'X'
}

// turned lists the discs that turn when the side to move puts one on the
// square: in each of the eight directions the unbroken row of opposing discs
// beside it, if a disc of the mover stands at its other end. Nothing is turned
// by a disc put on an occupied square.
func (b *board) turned(row, file int) [][2]int {
	if b.cells[row][file] != '-' {
		return nil
	}
	var all [][2]int
	for dr := -1; dr <= 1; dr++ {
		for df := -1; df <= 1; df++ {
			if dr != 0 || df != 0 {
				all = append(all, b.outflanked(row, file, dr, df)...)
			}
		}
	}
	return all
}

// outflanked walks one direction.
func (b *board) outflanked(row, file, dr, df int) [][2]int {
	var between [][2]int
	for {
		row, file = row+dr, file+df
		if row < 0 || row > 7 || file < 0 || file > 7 {
			return nil
		}
		switch b.cells[row][file] {
		case other(b.turn):
			between = append(between, [2]int{row, file})
		case b.turn:
			return between
		default:
			return nil
		}
	}
}

// moves lists the squares where the side to move turns at least one disc.
func (b *board) moves() [][2]int {
	var all [][2]int
	for row := range 8 {
		for file := range 8 {
			if len(b.turned(row, file)) > 0 {
				all = append(all, [2]int{row, file})
			}
		}
	}
	return all
}

// placed returns the board after the side to move has put a disc on the square.
func (b *board) placed(row, file int) board {
	next := *b
	for _, at := range b.turned(row, file) {
		next.cells[at[0]][at[1]] = b.turn
	}
	next.cells[row][file] = b.turn
	next.turn = other(b.turn)
	return next
}

func (b *board) passed() board {
	next := *b
	next.turn = other(b.turn)
	return next
}

// perft counts like engine.Perft: a pass is a ply, a finished game is a leaf.
func (b *board) perft(depth int) uint64 {
	if depth == 0 {
		return 1
	}
	moves := b.moves()
	if len(moves) == 0 {
		passed := b.passed()
		if len(passed.moves()) == 0 {
			return 1
		}
		return passed.perft(depth - 1)
	}
	var leaves uint64
	for _, at := range moves {
		next := b.placed(at[0], at[1])
		leaves += next.perft(depth - 1)
	}
	return leaves
}

// set returns the squares as a bitboard.
func set(squares [][2]int) engine.Bitboard {
	var all engine.Bitboard
	for _, at := range squares {
		all |= engine.SquareAt(at[1], at[0]).Bit()
	}
	return all
}

// obf writes a position as 64 cells, a blank and the side to move.
func obf(p engine.Position) string {
	side := "X"
	if p.Turn == engine.White {
		side = "O"
	}
	return p.Text('X', 'O', '-') + " " + side
}
