package notation

import (
	"errors"
	"fmt"
	"strings"

	"reversi-board/engine"
)

// xotPlies is the length of an XOT opening.
const xotPlies = 8

// readTranscript reads squares in a row, after a position and a semicolon if
// the game begins elsewhere.
func readTranscript(text string, o ReadOptions) (*Game, error) {
	g := &Game{Rules: o.Rules}
	if head, moves, ok := strings.Cut(text, ";"); ok {
		start, err := ParsePosition(head)
		if err != nil {
			return nil, err
		}
		g.Rules, text = rulesOf(start, o.Rules.Goal), strings.TrimSuffix(strings.TrimSpace(moves), ";")
	} else if head, moves, ok := positionMoves(text); ok {
		start, err := ParsePosition(head)
		if err != nil {
			return nil, err
		}
		g.Rules, text = rulesOf(start, o.Rules.Goal), moves
	}
	line, err := ParseTranscript(g.Rules, text)
	if err != nil {
		return nil, err
	}
	for _, m := range line.Moves {
		g.Plays = append(g.Plays, Play{Move: m})
	}
	for _, w := range line.Warnings {
		g.warn("%s", w)
	}
	return g, nil
}

// positionMoves cuts a line of 64 squares, the side to move, and moves with nothing but
// a blank between them, as in "---…--- X F5D6C3".
func positionMoves(line string) (head, moves string, ok bool) {
	squares, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	turn := ""
	switch len(squares) {
	case engine.Squares:
		turn, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
	case engine.Squares + 1:
		squares, turn = squares[:engine.Squares], squares[engine.Squares:]
	}
	_, isSide := side(turn)
	moves = strings.TrimSpace(rest)
	ok = isSide && moves != "" && moves[0] != ';' && moves[0] != '%' && strings.Trim(squares, "-.XxOo*BbWw") == ""
	return squares + " " + turn, moves, ok
}

// transcript writes squares in a row; passes are implied. A game without moves
// is its start position: an empty line would be nothing.
func (w *writer) transcript() {
	if !w.game.standard() || w.game.Plies() == 0 {
		w.add(OBF(w.game.Rules.Start), ";")
	}
	w.add(Transcript(w.game.Moves()), "\n")
}

// readXOT reads an opening.
func readXOT(text string, o ReadOptions) (*Game, error) {
	g, err := readTranscript(text, ReadOptions{Rules: rulesOf(engine.Start(), o.Rules.Goal)})
	if err != nil {
		return nil, err
	}
	if n := g.Plies(); n != xotPlies {
		return nil, fmt.Errorf("an XOT opening has %d plies, not %d", xotPlies, n)
	}
	return g, nil
}

// xot writes the first eight plies.
func (w *writer) xot() error {
	if !w.game.standard() {
		return errors.New("an XOT opening starts from the standard position")
	}
	text := Transcript(w.game.Moves())
	if len(text) < 2*xotPlies {
		return fmt.Errorf("an XOT opening has %d plies, the game only %d", xotPlies, len(text)/2)
	}
	if len(text) > 2*xotPlies {
		w.lost |= lossLater
	}
	w.add(text[:2*xotPlies], "\n")
	return nil
}

// readOBF reads a position and the values of its moves: " move:score;" fields.
// A percent sign begins a comment.
func readOBF(text string, o ReadOptions) (*Game, error) {
	text, comment, _ := strings.Cut(text, "%")
	head, fields, _ := strings.Cut(text, ";")
	start, err := ParsePosition(head)
	if err != nil {
		var again error
		// The line of another program, whose position is not in the first field.
		if start, again = ParsePosition(text); again != nil {
			return nil, err
		}
		fields = ""
	}
	g := &Game{Rules: rulesOf(start, o.Rules.Goal)}
	g.addComment(&g.Comment, comment)
	for field := range strings.SplitSeq(fields, ";") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		score, err := parseScore(start, field)
		if err != nil {
			return nil, err
		}
		if len(g.Scores) == engine.Squares {
			return nil, errors.New("more values than squares")
		}
		g.Scores = append(g.Scores, score)
	}
	return g, nil
}

// parseScore reads move:score.
func parseScore(start engine.Position, field string) (Score, error) {
	name, value, _ := strings.Cut(field, ":")
	value = strings.TrimSpace(value)
	m, ok := moveWord(strings.TrimSpace(name))
	if !ok {
		return Score{}, fmt.Errorf("%.16q is not move:score", field)
	}
	if s, isDisc := m.Square(); isDisc && !start.Legal().Has(s) {
		return Score{}, fmt.Errorf("a value for %v, which is no legal move", s)
	}
	if _, err := ParseNumber(value); err != nil {
		return Score{}, fmt.Errorf("the value of %v: %w", m, err)
	}
	return Score{Move: m, Text: value}, nil
}

// moveWord reads one move: a square or a spelled pass.
func moveWord(word string) (engine.Move, bool) {
	if isPassWord(word) {
		return engine.PassMove, true
	}
	s, err := engine.ParseSquare(word)
	return engine.At(s), err == nil
}

// isPassWord reports whether word is a spelled pass.
func isPassWord(word string) bool {
	for _, p := range passWords() {
		if strings.EqualFold(word, p) {
			return true
		}
	}
	return false
}

// passWords are the spellings, longer ones before their beginnings.
func passWords() [6]string { return [...]string{"pass", "pas", "pa", "ps", "--", "@@@@"} }

// obf writes the last position, with the values of its moves if it is the one
// that they belong to.
func (w *writer) obf() {
	w.add(OBF(w.final.Position), ";")
	if len(w.game.Plays) == 0 {
		for _, s := range w.game.Scores {
			w.add(" ", s.Move.String(), ":", s.Text, ";")
		}
	} else if len(w.game.Scores) > 0 {
		w.lost |= lossScores
	}
	w.add("\n")
}

// nextBoard collects the rows of a drawing, and the side behind them.
func (s *source) nextBoard() (piece, error) {
	var p piece
	var cells strings.Builder
	for {
		text, number, _, err := s.readLine(maxLine)
		if err != nil {
			if cells.Len() > 0 {
				p.err = errors.New("a drawing needs eight rows, and the side to move behind them")
				return p, nil
			}
			return piece{}, err
		}
		row, isRow := boardRow(text)
		switch full := cells.Len() == engine.Squares; {
		case isRow && full:
			s.hold(text, number)
			p.err = errors.New("the drawing does not say who is to move")
			return p, nil
		case isRow:
			if cells.Len() == 0 {
				p.line = number
			}
			cells.WriteString(row)
		case cells.Len() == 0:
		default:
			if c, ok := boardSide(text); ok && full {
				p.text = cells.String() + letter(c)
				return p, nil
			}
		}
	}
}

// readBoard reads what nextBoard has collected.
func readBoard(text string, o ReadOptions) (*Game, error) {
	start, err := ParsePosition(text)
	if err != nil {
		return nil, err
	}
	return &Game{Rules: rulesOf(start, o.Rules.Goal)}, nil
}
