// Package display turns the state of the game into what people see and hear:
// one scene for everything that has lights, and one sentence for everything
// that has words. The packages below it show them; none of them decides what to
// show.
//
// It is pure: no clock, no I/O, no goroutine. It is NOT a judge: what is wrong
// and what is to be done is in the referee's Guide and Problem, and is only
// translated here. It is not the place of colors either (led, and the page's
// style sheet): a Pattern is a meaning.
//
// # What wins on a square
//
// From strongest to weakest:
//
//	Identify    somebody wants to know which board this is
//	Wrong       guide: this square must change otherwise
//	Flip, PlaceBlack, PlaceWhite
//	            guide: what the move still needs
//	Fault       this cell cannot be read
//	Ask         a question to the players, such as whether one gives up
//	OK          the move that has just been committed, for 300 ms
//	Pass        the sweep of a pass, for 800 ms
//	HintBest, Hint
//	            a suggested move, the legal squares
//
// So an error is never covered by a celebration, and a cell that cannot be read
// still says what has to be done on it. While no game is on or being set up
// (idle, over) the board is dark but for cues: hands are free then.
//
// # Cues
//
// A cue is a moment, not a state: the flash of a committed move, the sweep of a
// pass, the blinking of identify. Cues carry the time at which they began, so
// that a scene, once composed, can be rendered at any later time and ends its
// cues by itself.
package display
