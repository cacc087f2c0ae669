package notation

import (
	"errors"
	"fmt"
	"strings"

	"reversi-board/engine"
)

// ErrNoStart says what ParseStart takes; it is within the error about a text that is
// none of it.
var ErrNoStart = errors.New("want standard, parallel, inverted, handicap-1 to handicap-4, " +
	"64 squares and the side to move, or the moves of an opening")

// ParseStart reads a start position:
//
//   - standard, parallel (d4 e4 black, d5 e5 white) or inverted (the standard
//     start with the colors exchanged);
//   - handicap-1 to handicap-4: the standard start with black discs on that many
//     corners, in the order a1, h8, h1, a8, and White to move, as the stronger
//     player gives them;
//   - 64 squares and the side to move (OBF), such as "--…OX…XO… X";
//   - the moves of an opening from the standard start, such as an XOT line
//     "f5d6c4d3c2b3b4b5": the game begins behind them.
//
// Black begins unless the text says otherwise.
func ParseStart(text string) (engine.Position, error) {
	text = strings.TrimSpace(text)
	if p, ok := namedStart(strings.ToLower(text)); ok {
		return p, nil
	}
	if len(text) >= engine.Squares {
		return parsePosition(text)
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		return engine.Position{}, err
	}
	line, err := ParseTranscript(rules, text)
	if err != nil || len(line.Moves) == 0 {
		return engine.Position{}, fmt.Errorf("%.40q is no start: %w", text, ErrNoStart)
	}
	return line.Final.Position, nil
}

func namedStart(name string) (p engine.Position, ok bool) {
	p = engine.Start()
	switch name {
	case "", "standard":
	case "parallel":
		p.Discs = engine.Discs{Black: 1<<27 | 1<<28, White: 1<<35 | 1<<36}
	case "inverted":
		p.Black, p.White = p.White, p.Black
	case "handicap-1", "handicap-2", "handicap-3", "handicap-4":
		corners := [...]engine.Square{0, 63, 7, 56}
		for _, s := range corners[:name[len(name)-1]-'0'] {
			p.Black |= s.Bit()
		}
		p.Turn = engine.White
	default:
		return p, false
	}
	return p, true
}

// parsePosition reads 64 squares and the side to move.
func parsePosition(text string) (engine.Position, error) {
	discs, err := engine.ParseDiscs(text[:engine.Squares])
	if err != nil {
		return engine.Position{}, fmt.Errorf("read the start position: %w", err)
	}
	p := engine.Position{Discs: discs}
	switch side := strings.ToUpper(strings.Trim(text[engine.Squares:], " ;")); side {
	case "X", "B", "*":
		p.Turn = engine.Black
	case "O", "W":
		p.Turn = engine.White
	default:
		return engine.Position{}, fmt.Errorf("read the start position: the side to move is %.10q: want X (black) or O (white)", side)
	}
	return p, nil
}
