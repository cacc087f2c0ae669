// Package referee follows a game on a real board: it compares what the sensors
// say with the position on record and works out what the hands did, what they
// must still do, and what is thereby true about the game.
//
// It is a pure function: Step takes the State and one Input and returns the
// Effects; the same inputs always give the same events. It is not a clock, a
// sensor, a display or a journal: time arrives inside the inputs, readings
// arrive settled, and effects are performed by the shell around it. It starts
// no goroutine, does no I/O and keeps nothing outside of State.
//
// # States
//
//	            first reading            board = start
//	   Idle ──────────────────▶ Setup ──────────────────▶ Playing ─┐ pass
//	                            ▲   ▲    GameStarted      │     ▲   │
//	          board swept clean │   │                     │     └───┘
//	                            │   └── NewGame order ────┤
//	                          Over ◀──────────────────────┘ nobody can move
//	                                        GameOver
//
//	while Playing:
//
//	             disc placed, legal            all flips done
//	   ToMove ─────────────────────▶ InProgress ──────────────▶ Moved, ToMove
//	    │  ▲                          │      ▲
//	    │  │ restored                 │ extra│ restored
//	    ▼  │                          ▼      │
//	   Correcting ◀────────────────── Correcting
//	             Illegal (once a mistake)
//
//	   ToMove ── last disc lifted ──▶ InProgress ── flips turned back ──▶ Undone, ToMove
//
// # Positions, not gestures
//
// A disc may be seen to go from black to white between two scans or by way of
// an empty square; several may be off the board; two hands may turn two at
// once. None of that matters here. Every settled reading is explained from
// scratch by judge as one of: nothing changed, discs lifted, a move on its way,
// a move done, a takeback on its way, a takeback done, or something wrong; the
// newly occupied square names the move. What the hands must still do (Guide)
// follows from the explanation.
//
// # The empty board as a start
//
// The historic game begins on the empty board, and the first discs go on the
// free squares of the centre; the guide shows them. The empty board starts such
// a game only when it was asked for, by the settings or by an order. After the
// end of a game it is what tidying up leaves behind, and the next game begins
// with its first disc. Swept in mid-game the board also equals positions of the
// opening; once the opening is over these are no takeback. Within it a takeback is
// nothing but the last discs lifted, so it counts when they have been off the board
// for as long as it takes to ask for missing discs, or when the last one has been
// put on another free square.
//
// # Cells that say nothing
//
// A lost cell (its bank does not answer) is frozen at its last value and no
// move that touches it is committed. A masked cell (known to be broken) matches
// anything: its disc follows from the rules, and a move placed on it is named
// by the discs that it turned.
//
// # Why events are folded
//
// Step never changes the record itself: it makes an Event and hands it to
// Apply. A restart that applies the journal's events therefore arrives at the
// same record by construction.
package referee
