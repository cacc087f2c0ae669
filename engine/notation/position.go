package notation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reversi-board/engine"
)

// ParsePosition reads a position written in one line: the 64 squares a1 … h8
// and the side to move, blanks anywhere (OBF, NBoard, Cassio), the board of a
// GGF file with its leading 8, a line of gpdb (id;squares;side;…), or an Edax
// FEN, which begins with row 8 and writes black as p and white as P. It refuses
// other letters, another number of squares and a missing side; the position
// need not be reachable.
func ParsePosition(text string) (engine.Position, error) {
	if len(text) > maxTag {
		return engine.Position{}, errors.New("a position is not that long")
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if strings.Count(text, "/") == 7 {
		return parseFEN(text)
	}
	if strings.Contains(text, ";") {
		text = gpdbSquares(text)
	}
	if rest, ok := strings.CutPrefix(text, "8"); ok {
		text = rest
	}
	cells := strings.Join(strings.Fields(text), "")
	if len(cells) == engine.Squares {
		return engine.Position{}, errors.New("a position needs the side to move behind its 64 squares")
	}
	if len(cells) != engine.Squares+1 {
		return engine.Position{}, fmt.Errorf("a position is 64 squares and a side to move, got %d characters", len(cells))
	}
	discs, err := engine.ParseDiscs(cells[:engine.Squares])
	if err != nil {
		return engine.Position{}, err
	}
	turn, ok := side(cells[engine.Squares:])
	if !ok {
		return engine.Position{}, fmt.Errorf("%q is not a side: want X (black) or O (white)", cells[engine.Squares:])
	}
	return engine.Position{Discs: discs, Turn: turn}, nil
}

// gpdbSquares returns the squares and the side of a line of gpdb
// (id;squares;side;text;;); the text itself when it is an OBF line with its
// final semicolon.
func gpdbSquares(text string) string {
	fields := strings.Split(text, ";")
	if len(fields) < 3 || len(strings.Join(strings.Fields(fields[0]), "")) > engine.Squares {
		return fields[0]
	}
	return fields[1] + fields[2]
}

// side reads X * b B for black, O o w W for white.
func side(text string) (engine.Color, bool) {
	switch text {
	case "X", "x", "*", "b", "B":
		return engine.Black, true
	case "O", "o", "w", "W":
		return engine.White, true
	}
	return engine.None, false
}

// parseFEN reads an Edax FEN; what follows the side is ignored.
func parseFEN(text string) (engine.Position, error) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return engine.Position{}, errors.New("a FEN needs the side to move behind its rows")
	}
	var p engine.Position
	for i, row := range strings.Split(fields[0], "/") {
		rank, file := 7-i, 0
		for _, c := range []byte(row) {
			if '1' <= c && c <= '8' {
				file += int(c - '0')
				continue
			}
			if file > 7 || c != 'p' && c != 'P' {
				break
			}
			color := engine.Black
			if c == 'P' {
				color = engine.White
			}
			p.Discs = p.With(engine.SquareAt(file, rank), color)
			file++
		}
		if file != 8 || strings.Trim(row, "12345678pP") != "" {
			return engine.Position{}, fmt.Errorf("%.16q is not row %d of a FEN", row, rank+1)
		}
	}
	switch fields[1] {
	case "b":
		p.Turn = engine.Black
	case "w":
		p.Turn = engine.White
	default:
		return engine.Position{}, fmt.Errorf("%.8q is not a side: want b or w", fields[1])
	}
	return p, nil
}

// letter returns X or O.
func letter(c engine.Color) string {
	if c == engine.White {
		return "O"
	}
	return "X"
}

// OBF writes the 64 squares in order, a blank, and the side to move.
func OBF(p engine.Position) string { return p.Text('X', 'O', '-') + " " + letter(p.Turn) }

// Cassio writes the position for Cassio engines: OBF without the blank.
func Cassio(p engine.Position) string { return p.Text('X', 'O', '-') + letter(p.Turn) }

// GGFBoard writes the value of GGF's BO: 8, eight rows, the side to move.
func GGFBoard(p engine.Position) string {
	text := p.Text('*', 'O', '-')
	b := make([]byte, 0, 3+9*8)
	b = append(b, '8')
	for row := range 8 {
		b = append(b, ' ')
		b = append(b, text[8*row:8*row+8]...)
	}
	if p.Turn == engine.White {
		return string(b) + " O"
	}
	return string(b) + " *"
}

// FEN writes the position as Edax does, row 8 first.
func FEN(p engine.Position) string {
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		flush := func() {
			if empty > 0 {
				b.WriteString(strconv.Itoa(empty))
				empty = 0
			}
		}
		for file := range 8 {
			switch p.At(engine.SquareAt(file, rank)) {
			case engine.Black:
				flush()
				b.WriteByte('p')
			case engine.White:
				flush()
				b.WriteByte('P')
			case engine.None:
				empty++
			}
		}
		flush()
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	turn := "b"
	if p.Turn == engine.White {
		turn = "w"
	}
	return b.String() + " " + turn + " - - 0 1"
}

// Board writes the position as a drawing of eight rows with the names of files
// and ranks, and the side to move in a last line.
func Board(p engine.Position) string {
	const files = "  a b c d e f g h\n"
	var b strings.Builder
	b.WriteString(files)
	text := p.Text('X', 'O', '-')
	for row := range 8 {
		fmt.Fprintf(&b, "%d", row+1)
		for file := range 8 {
			b.WriteByte(' ')
			b.WriteByte(text[8*row+file])
		}
		fmt.Fprintf(&b, " %d\n", row+1)
	}
	b.WriteString(files)
	b.WriteString(letter(p.Turn) + " to move\n")
	return b.String()
}

// boardRow reads a row of a drawing: eight cells, with blanks, bars and the
// number of the row around them. ok is false for other lines.
func boardRow(line string) (cells string, ok bool) {
	cells = strings.Trim(line, " \t\r\n|12345678")
	cells = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t|", r) {
			return -1
		}
		return r
	}, cells)
	return cells, len(cells) == 8 && strings.Trim(cells, "Xx*bBOowW-.") == ""
}

// boardSide reads a line that says who is to move: X to move, black, O.
func boardSide(line string) (engine.Color, bool) {
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 {
		return engine.None, false
	}
	words[0] = strings.TrimRight(words[0], ":,.")
	rest := strings.Join(words[1:], " ")
	if rest != "" && rest != "to move" && rest != "moves" && rest != "to play" {
		return engine.None, false
	}
	switch words[0] {
	case "black", "dark":
		return engine.Black, true
	case "white", "light":
		return engine.White, true
	}
	return side(words[0])
}
