// Package search finds moves: it solves the end of the game exactly, and looks
// ahead with a trained evaluation before that, for most discs as well as for
// fewest.
//
// A Searcher has four uses. Best is the player of a level from 1 to 10. Solve
// proves the score of a position, and finds all moves that reach it. Rate and
// Evaluate look a fixed number of moves ahead and are meant for hints, analysis
// and training.
//
// It is NOT a judge: what is legal and who has won is decided by package
// engine, which it uses. It plays no openings from a book, and it does not talk
// to other programs. A Searcher belongs to one goroutine; it starts none, reads
// no clock of its own, and ends soon after its context has ended.
//
// # How it works
//
// The middle of the game is negamax with null windows (PVS) and iterative
// deepening. A transposition table of fixed size holds bounds and best moves
// under the whole position, so that no two positions are ever mixed up. Moves
// are tried in the order of the table, then of a shallow search and of the
// replies they leave. Where a result need not be proven, a branch is cut off
// when a shallower search is far enough outside the window (Multi-ProbCut).
//
// The end of the game is solved in steps. From some 12 empty squares on nothing
// is evaluated any more: moves that leave few replies come first, the stable
// discs of one side bound what the other can reach, and positions very near the
// end have a table of their own that fits the processor's cache. With up to six
// empty squares only parity orders the moves (a quarter of the board with an
// odd number of empty squares comes first), and the last disc is only counted,
// not placed. Before a proof come selective searches to the end, which cost
// little and leave good first moves in the table.
//
// # Measured
//
// One thread of an AMD EPYC (Zen 5), processor time, November 2026. Beside it
// stands the time relative to counting the leaves of the start position to depth
// 11 with engine.Perft on the same machine (0.53 s, 400 million leaves a
// second); that ratio says more than seconds, and the benchmark Suite40To45
// measures it again.
//
//	FFO 1 to 39, all best moves     11 s   20 times perft 11
//	FFO 40 to 45, one best move     12 s   24 times perft 11, 223 million positions
//
// Harder ones, one best move, with a table of 512 MB; the machine had other
// work, so these seconds are an upper bound:
//
//	FFO 46 to 49 (24 to 26 empty)   16 s    245 million positions
//	FFO 50 (26 empty)               68 s    793 million positions
//	FFO 51 and 52 (27 empty)        21 s    328 million positions
//	FFO 53 (28 empty)              138 s   2061 million positions
//	FFO 54 (28 empty)              217 s   3053 million positions
//
// and with a table of 1024 MB:
//
//	FFO 55 (29 empty)              735 s  11858 million positions
//	FFO 56 (29 empty)               59 s    737 million positions
//	FFO 57 (30 empty)              111 s   1552 million positions
//
// FFO 58 (30 empty) takes 1036 million positions with 384 MB. How strong the levels
// are is in README.md, as `make strength` has measured it.
package search
