// Package tables keeps tournaments in the SQLite file of the archive of games:
// who takes part, who plays whom, what came of it, and everything that was ever
// changed about that.
//
// It stores and does not judge: pairing and standings are computed by
// engine/tournament from what Load returns. It does not know the board that it
// runs on: every result says from which board it came, so that a hall with many
// boards can keep its table in the same way. It is NOT for displays (it waits for
// the disk), and it never looks at a clock: who changes something says when.
//
// # What is promised
//
//   - Every method is one transaction, synced before it returns. Whenever the
//     power fails, the table is that before or after it.
//   - What is refused has changed nothing.
//   - Results are never erased. A correction needs a reason and keeps the old
//     values in Changes.
//   - Several programs may work on the same file at the same time; a writer
//     waits ten seconds for another one.
//   - There are at most 512 players and 64 rounds in a tournament, 1000
//     tournaments, and 100 000 changes in each.
//
// # Where results come from
//
// By hand with Declare and Correct, or from a board: the game_started event of a
// game may name a pairing, and whoever copies games into the archive calls Record
// for such a game in the same transaction. What a board says of a game is kept by
// the id of the game, so that it counts once, however often it is told:
//
//	the pairing has no result     the game's becomes it
//	the result is of this game    and the game has another one now: corrected
//	the result is another's       kept, and the contradiction is noted
//	the game was opened again     the result is taken back until it ends again
//	the game was aborted          it does not count, the pairing stays open
//
// A result that an arbiter has declared on the board counts as declared; one that
// he declares to be none is a game without a result.
package tables
