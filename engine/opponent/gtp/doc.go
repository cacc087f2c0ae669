// Package gtp speaks the Go Text Protocol, version 2, as programs for Othello
// use it (http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/): Client asks
// programs such as gtp-rhino, Edax and Egaroucid for moves, Server lets other
// programs ask a player of ours.
//
// It starts no program (engine/opponent does) and keeps no rules of its own.
//
// # What programs do with the protocol
//
// They agree about the squares and about little else. gtp-rhino passes by
// itself and takes no pass from others; Egaroucid passes for a side that is
// asked out of turn; Edax repeats its last move when the game is over, and once
// it has seen a command number it adds it to all its answers. The client
// therefore sends no numbers, has one command under way, sends discs only, asks
// only a side that is on turn and can move, and rebuilds the position with
// clear_board whenever moves have been taken back.
package gtp
