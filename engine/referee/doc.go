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
// A start that lies on the board after Over is the next game at once, without
// the board having been swept.
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
// # Boards that see no faces
//
// A reed matrix tells a disc from an empty square and nothing more; it is a
// property of the board, known at the start (State.Presence). Its readings (Felt)
// say where discs lie, and which of them were lifted and put back. Before they
// are judged like all others, the faces are added:
//
//   - A disc on record keeps its face, on the board and in a hand, until it is
//     put back where the guide wants it turned: then it has been turned. Which
//     guide counts is that of the reading itself, so that a disc may be placed
//     and the others turned at once.
//   - A disc on a square that is empty on record is the mover's. It is the
//     opponent's if it can be the reply to a move that lies there too, and that
//     of the move before if the last disc on record has been taken up and could
//     have been put there: a takeback whose disc goes elsewhere at once.
//   - While a game is set up every disc shows what is wanted on its square.
//   - After a power cut the faces are those seen last, or those of the record.
//
// What cannot be seen: a disc with the wrong color up, a disc that was turned
// without having been asked for, one that was asked for and put back unturned,
// and whose disc it is that lies on a new square. Sensed then shows what ought to
// lie there. Two things are different, because they would happen by themselves:
// after the end of a game the discs of a start are the next game only when they
// have lain there, untouched, for as long as it takes to ask for missing discs,
// since a board that is swept passes through that position; and a withdrawn move
// is turned back before a takeback of the move before it is thought of.
//
// # Cells that say nothing
//
// A lost cell (its bank does not answer) is frozen at its last value and no
// move that touches it is committed. A masked cell (known to be broken) matches
// anything: its disc follows from the rules, and a move placed on it is named
// by the discs that it turned; where no faces are seen, by those that were
// lifted, unless two such moves could explain them.
//
// # Why events are folded
//
// Step never changes the record itself: it makes an Event and hands it to
// Apply. A restart that applies the journal's events therefore arrives at the
// same record by construction.
package referee
