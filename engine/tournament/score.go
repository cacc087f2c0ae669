package tournament

import (
	"fmt"

	"reversi-board/engine"
)

// Score returns who has won a game that has come to its end with the discs as
// given, and how it counts for the table. The empty squares go to whoever has
// more discs, 32–32 if they are equal, unless asTheyLie says that they count for
// nobody. Where the fewest discs win, the squares go the same way: with 53–10 and
// one empty square the normal game is won by 44, the reverse game lost by 44.
func Score(goal engine.Goal, asTheyLie bool, black, white int) (winner engine.Color, blackScore, whiteScore int, err error) {
	if black < 0 || white < 0 || black+white > engine.Squares {
		return engine.None, 0, 0, fmt.Errorf("%d-%d: %w", black, white, errDiscs)
	}
	winner = WinnerOf(goal, black, white)
	switch {
	case asTheyLie:
		return winner, black, white, nil
	case black == white:
		return winner, engine.Squares / 2, engine.Squares / 2, nil
	case black > white:
		return winner, engine.Squares - white, white, nil
	}
	return winner, black, engine.Squares - black, nil
}

// WinnerOf returns who has won by the discs, None for a draw.
func WinnerOf(goal engine.Goal, black, white int) engine.Color {
	if goal == engine.Fewest {
		black, white = white, black
	}
	switch {
	case black > white:
		return engine.Black
	case white > black:
		return engine.White
	}
	return engine.None
}
