// Package notation reads and writes the text and file forms of games. Game
// holds everything that any of them says; Read yields the games of a file in
// any format, Append writes one, and Diagram draws them.
//
//	transcript  f5d6c3d3…, or a position in OBF, a semicolon or a blank, and moves
//	obf         a position in one line, with known values of its moves
//	ggf         the Generic Game Format of game servers
//	sgf         the Smart Game Format, GM[2]
//	pgn         numbered pairs as PlayOK and Edax write them
//	wthor       the database of the French Othello Federation (.WTB, .JOU, .TRN)
//	xot         openings of eight plies
//	board       a drawing of a position in characters
//	json        one object in a line for each game; the only lossless one
//	nboard, gtp logs of what engines were told; read only
//
// It also reads the table of reference games that tests play.
//
// It is pure: readers take text or an io.Reader, writers return text, nothing
// here opens a file or looks at a clock. It does not judge what hands did on a
// board (that is engine/referee) and it is not the published JSON form of
// events (that is engine/record).
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
// the bytes that are there, never for a number that a header claims, and cap
// every text that they keep. Texts come from strangers: what nobody can see in them
// is replaced (engine/plaintext). Lines may end with CR, LF or both, and a file may
// be UTF-16 with a byte order mark.
//
// What formats write differently is kept by its meaning and not as text: a date is a
// DateTime, a margin is counted in thousandths of a disc because of komi, a time is a
// decimal number with all of its digits.
//
// # What every writer keeps to
//
// A game is replayed before it is written, and refused if it is not legal.
// Results are those of the board. What a format cannot hold is left out and
// said, as a list of Loss; nothing is lost in silence. Squares are written in
// lower case and passes wherever the format has a word for them.
package notation
