// Package search finds moves: it solves the end of the game exactly, and looks
// ahead with a trained evaluation before that.
//
// It is negamax with null windows (PVS), iterative deepening, a transposition
// table of fixed size, and Multi-ProbCut where a search does not have to be
// exact. A Searcher belongs to one goroutine; it starts none, reads no clock of
// its own, and ends soon after its context has ended.
//
// It is NOT a judge: what is legal and who has won is decided by package
// engine, which it uses. It plays no openings from a book, and it does not talk
// to other programs.
package search
