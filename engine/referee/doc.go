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
//	   Idle ──────────────────▶ Setup ──────────────────▶ Playing ─┐ Passed
//	                            ▲   ▲    GameStarted      │ │   ▲  │
//	          board swept clean │   │                     │ │   └──┘
//	                            │   └──── NewGame ────────┤ │
//	                          Over ◀──────────────────────┘ │ GamePaused
//	                           │ ▲       GameOver           ▼
//	                           │ └─────────────────────── Paused
//	                           │                            │ GameResumed
//	                           └──────▶ Playing ◀───────────┘
//	              opened again by an arbiter, or a claim
//
//	while Playing:
//
//	             disc placed, legal            all flips done, or pressed
//	   ToMove ─────────────────────▶ InProgress ──────────────▶ Moved, ToMove
//	    │  ▲                          │      ▲                    │
//	    │  │ restored                 │ extra│ restored           │ wrong flips, or no move
//	    ▼  │                          ▼      │                    ▼
//	   Correcting ◀────────────────── Correcting             FlipError open
//	             Illegal (once a mistake)                         │
//	                                              claimed ┌───────┤ reply or pass
//	                                                      ▼       ▼
//	                                          Correcting, or     FlipError
//	                                          Undone (no move)   stands
//	                                                      │
//	                                       discs right    ▼
//	                                              FlipError fixed
//
//	   ToMove ── last disc lifted ──▶ InProgress ── flips turned back ──▶ Undone, ToMove
//	   any of them ── PositionSet, Revised ──▶ InProgress (guide there) ──▶ ToMove
//
// A start that is laid out after Over is the next game at once, without the board
// having been swept. One that still lies there because nobody has touched a disc is
// none: an empty table would play for ever.
//
// # What ends a move
//
// The profile of the event says it (Profile.Commit): a quiet board on which all
// flips are done, or the press of the clock. A press counts from its own time,
// even if what lay on the board is known only when it has settled; what would be
// refused waits for that reading, and so does everything when the board was not
// quiet at the press (Pressed.Moving); a disc in a hand is waited for as long as it
// takes to ask for missing discs. A press beside something that has been taken away
// since is neither a pass nor a claim. The opponent's next disc ends a finished move too: who
// forgets to press has his clock run until the reply. Two things do not depend on
// the profile. A disc out of turn is never committed, because the record would
// lose the turn of the other side; and a false pass is refused by every one,
// because a pass is forced and never chosen, so that there is none that could
// count until it is claimed.
//
// # Mistakes that stand
//
// Where the profile says so (Profile.Flips, Profile.Improper), a move counts with
// the flips that were really made, or a disc that is no move at all, and the
// opponent may object until his next disc lies there (Objection). Where nobody
// presses, that disc is also what commits the move before it. The position of
// record is always the real one: legal moves, passes, the end and the score
// follow from it, and every entry says what was missed and what was too much. A
// pass that is announced by itself is nobody's reply; one that is pressed is. Discs
// that were seen to be turned before the reply lay there are the mover's work. The
// mover may put his flips right himself before the reply; that is done in the
// opponent's turn. What is claimed is put right on the mover's clock, without what the
// unfinished move had earned (an increment, or a new period of byo-yomi), and the
// opponent's turn begins after it. A game that was given up, or that the time or an
// arbiter has ended, cannot be opened by a claim.
//
// # Clocks
//
// The clock of the player on turn runs from the start of the game, also while the
// moves of a program are made by hand. Every event carries what both players have
// left once it is true, and every entry what they had when that turn began: a
// takeback and an undo give that back, with the flags as they were then. After a
// power cut, and when a finished game is opened again, the clocks stand (Halted)
// until the player on turn places a disc, somebody presses, or an order resumes
// the game: nobody loses time to an empty table. Flags fall at the exact time,
// whenever the referee hears of it; a move that lay there, or was pressed, before
// that counts. Where a quiet board ends a move, word of a flag therefore waits for as
// long as a reading may be on its way (State.Lag). When the opponent now plays on for
// both sides, a finished move that lies there unpressed counts at once.
//
// # Rulings
//
// Orders of an arbiter are events like all others, and nothing is erased: a
// position that was set is an entry of its own kind, an undo goes back behind it,
// hands do not. A ruling leads the hands to its position before anything else is
// judged.
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
// Something wrong is announced once (Illegal), with one of its squares; again when
// another square joins it, when it is wrong for another reason, or when it was right
// in between. Discs that have been picked up are a takeback of as few plies as explain
// what has changed. One of them that a later disc had turned may be in a hand that
// turns it back; it has been taken back as well if it stays away for as long as it
// takes to ask for missing discs.
//
// # Another game in the middle of one
//
// Where a game counts for nothing (takebacks are free), players may sweep the
// board and set up the start: they are asked whether they want another game
// (Restart), and answer by leaving the discs alone, or with a press. Without the
// board having been empty, the same discs are a takeback of all moves. After a
// power cut the start is the same wish, but those who laid it out have not been
// asked: it waits until somebody touches a disc or presses. At an event only an
// order of the arbiter ends a game like that.
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
