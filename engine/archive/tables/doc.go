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
// # Acts and what undoes them
//
// Every act is checked against the state of what it acts on, and undone by
// another one; both stay among the changes. "Going on" means that rounds are to
// come: the tournament was not ended and not all rounds have been paired.
//
//	act            undone by         when
//	Create         Delete            deleting what has results has to be asked for
//	AddPlayers     RemovePlayer      going on; nobody has that name, or AddNamesakes;
//	                                 removed going on, if the player was not paired
//	EditPlayer     the same          always
//	DrawLots       EditPlayer        until lots have decided a color
//	Pair           Unpair            the last round has all results
//	PairAgain      Unpair            it cannot be paired without a rematch
//	PairByHand     Unpair            players take part and are not in that round;
//	                                 nobody has met, or a reason says why again
//	Unpair         Pair              not ended; no game of it has begun or a result;
//	                                 byes of the round are taken back with it
//	SetColors      the same          the game has not begun and has no result
//	Withdraw       Withdraw, back    going on; takes part, or has left
//	Bye            TakeBye           going on; takes part and has had none
//	Declare        Reopen            no result yet; taken back in the last round
//	Correct        the same          there is a result
//	SetRounds      the same          not ended; no less than have been paired, no
//	                                 more than the players allow
//	End            Continue          going on; all games have results
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
