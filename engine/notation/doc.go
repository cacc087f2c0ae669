// Package notation reads and writes the text and file forms of games: the
// transcript string (f5d6c3d3…), the WTHOR database of the French Othello
// Federation, and the table of reference games that tests play.
//
// It is pure: readers take text or an io.Reader, writers return text, nothing
// here opens a file. It does not judge what hands did on a board (that is
// engine/referee) and it is not the published JSON form of events (that is
// engine/record).
//
// # What every reader keeps to
//
// A pass is implied when the side to move is blocked and the square is legal
// for the other side; otherwise an illegal square is refused, naming ply,
// square and side. Colors are never swapped and squares never mirrored to make
// a game fit. A text with a fault yields no moves at all, so that nothing
// before the fault is taken for a game. The result is recomputed from the
// board; a recorded result that disagrees becomes a warning.
//
// Ply n is the n-th disc placed; passes have no number. Readers allocate for
// the bytes that are there, never for a number that a header claims.
package notation
