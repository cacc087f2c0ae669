package notation

import (
	"fmt"

	"reversi-board/engine"
)

// Line is a sequence of moves that has been checked against the rules.
type Line struct {
	// Moves in order, the forced passes between them included. A pass that is
	// due after the last move is not part of it.
	Moves []engine.Move
	// Final is the game after the last move.
	Final engine.Game
	// Warnings says what was read but does not count, one sentence each: a pass
	// after the end, a recorded result that the board contradicts.
	Warnings []string
}

// Reason says why a move was refused.
type Reason uint8

// The reasons.
const (
	// ReasonIllegal is a square on which the side to move turns nothing, while
	// no pass is due or the other side could not play there either.
	ReasonIllegal Reason = iota + 1
	// ReasonOccupied is a square that holds a disc.
	ReasonOccupied
	// ReasonOver is a square after the end of the game.
	ReasonOver
	// ReasonFalsePass is a pass of a side that can move.
	ReasonFalsePass
	// ReasonHalfSquare is a file letter without its rank.
	ReasonHalfSquare
	// ReasonForeign is a character that belongs to no move.
	ReasonForeign
	// ReasonTurn is a move of the side that is not to move.
	ReasonTurn
)

// String returns the reason in words.
func (r Reason) String() string {
	switch r {
	case ReasonIllegal:
		return "no legal move"
	case ReasonOccupied:
		return "square occupied"
	case ReasonOver:
		return "game over"
	case ReasonFalsePass:
		return "false pass"
	case ReasonHalfSquare:
		return "half a square"
	case ReasonForeign:
		return "foreign character"
	case ReasonTurn:
		return "out of turn"
	}
	return "unknown reason"
}

// MoveError is the refusal of one move of a game.
type MoveError struct {
	// Ply is the number of the disc that would have been placed, from 1.
	Ply int
	// Square is the refused one, engine.Squares where the fault is not about a
	// square.
	Square engine.Square
	// Side is the side to move.
	Side engine.Color
	// Reason says what is wrong.
	Reason Reason
	// Text is the faulty piece of text, at most a few bytes; empty when the
	// move did not come from a text.
	Text string
	// Offset is the byte offset of Text, negative where the text of a game is
	// cut into words first.
	Offset int
}

// Error says what is wrong with which move.
func (e *MoveError) Error() string {
	switch e.Reason {
	case ReasonIllegal:
		return fmt.Sprintf("ply %d: %v turns no disc on %v", e.Ply, e.Side, e.Square)
	case ReasonOccupied:
		return fmt.Sprintf("ply %d: %v cannot play %v, a disc lies there", e.Ply, e.Side, e.Square)
	case ReasonOver:
		return fmt.Sprintf("ply %d: %v follows, but the game was over after ply %d", e.Ply, e.Square, e.Ply-1)
	case ReasonFalsePass:
		return fmt.Sprintf("ply %d: %v may not pass, it can move", e.Ply, e.Side)
	case ReasonTurn:
		return fmt.Sprintf("ply %d: a move of the other side, but %v is to move", e.Ply, e.Side)
	case ReasonHalfSquare:
		return fmt.Sprintf("ply %d: %q%s is half a square", e.Ply, e.Text, e.where())
	case ReasonForeign:
		return fmt.Sprintf("ply %d: %q%s is no part of a move", e.Ply, e.Text, e.where())
	}
	return fmt.Sprintf("ply %d: %v", e.Ply, e.Reason)
}

// place adds a disc on s, after the pass that it implies. It returns 0, or why
// the move is refused; the line is then unchanged.
func (l *Line) place(s engine.Square) Reason {
	g := l.Final
	passed := false
	if !g.Legal().Has(s) && g.MustPass() {
		g, passed = g.Pass(), true
	}
	if !g.Legal().Has(s) {
		switch {
		case l.Final.Over():
			return ReasonOver
		case g.Occupied().Has(s):
			return ReasonOccupied
		default:
			return ReasonIllegal
		}
	}
	if passed {
		l.Moves = append(l.Moves, engine.PassMove)
	}
	l.Moves = append(l.Moves, engine.At(s))
	l.Final = g.Place(s)
	return 0
}

// pass adds an explicit pass. After the end of a game it is dropped with a
// warning: some programs write one.
func (l *Line) pass() Reason {
	switch {
	case l.Final.Over():
		l.warn("a pass after the end of the game was left out")
		return 0
	case !l.Final.MustPass():
		return ReasonFalsePass
	default:
		l.Moves = append(l.Moves, engine.PassMove)
		l.Final = l.Final.Pass()
		return 0
	}
}

// warn adds a warning; the same one only once in a row.
func (l *Line) warn(text string) {
	if n := len(l.Warnings); n == 0 || l.Warnings[n-1] != text {
		l.Warnings = append(l.Warnings, text)
	}
}

// refusal describes why the next move is refused.
func (l *Line) refusal(reason Reason, s engine.Square) *MoveError {
	return &MoveError{Ply: l.Final.Ply() + 1, Square: s, Side: l.Final.Turn, Reason: reason}
}

// where names the place of Text.
func (e *MoveError) where() string {
	if e.Offset < 0 {
		return ""
	}
	return fmt.Sprintf(" at byte %d", e.Offset)
}
