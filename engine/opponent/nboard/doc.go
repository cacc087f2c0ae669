// Package nboard speaks the NBoard protocol, version 2, between the program of
// that name and engines for Othello: Client asks engines such as Edax and NTest
// for moves, Server lets other programs ask a player of ours.
//
// It starts no program (engine/opponent does) and keeps no rules of its own.
//
// # What engines do with the protocol
//
// Edax complains on standard error that it wants version 1 and then speaks
// version 2; NTest mixes a banner and self tests with its answers. Moves come as
// "d6 -1.00 0.0" or as "D6/-0.54/0.00". When the game is over Edax answers --,
// NTest PA, and neither is a pass. A search that is interrupted still ends with
// a move, before the pong. So the client takes a line only if it knows its first
// word, sends the whole game before every question, throws away everything
// before the pong of its own ping, and never asks a side that cannot move.
package nboard
