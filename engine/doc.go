// Package engine is the game's vocabulary and its rules: squares, discs,
// positions, legal moves, flips, passes, the end and the score, for every
// variant the board can play.
//
// It is pure: it does no I/O, keeps no global state, knows no clock, and every
// function is safe to call from any goroutine. It knows nothing of sensors,
// hands or officials: what players do to the discs is judged in
// engine/referee, text and file forms are in engine/notation.
//
// Squares are numbered as they lie on the board seen from Black's seat with
// rank 1 on top: a1 is bit 0, h1 is bit 7, a8 is bit 56, h8 is bit 63.
//
// # Why a Game beside a Position
//
// A Position (discs and the side to move) decides everything in most variants,
// and search and perft need nothing else. The historic game also counts the
// discs each player has left and begins with four placements that turn
// nothing. Game carries these few extra words, so that referee, displays and
// exports ask one type whatever is played.
package engine
