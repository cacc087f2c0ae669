package referee

import (
	"reversi-board/engine"
	"reversi-board/engine/clock"
)

// memory is what Step must remember between two readings and nobody else
// needs to see.
type memory struct {
	// seenAt is when the last reading settled, changed since when the board lay
	// as it says.
	seenAt, changed Time
	// missing says that discs have been off the board for so long that the
	// guide asks for them; waiting that this is waited for.
	missing, waiting bool
	// wake is the Tick that was asked for last, zero when it has come.
	wake Time
	// press is one that is still to be judged.
	press press
	// turnClock and turnFlags are what the turn began with.
	turnClock clock.Times
	turnFlags Flags
	// thought is what the mover had thought when the game was paused.
	thought Time
	// turned are the discs that the last reading saw turned beside the move in
	// progress.
	turned engine.Bitboard
	// withdrawn are the flips of a move whose disc was picked up again.
	withdrawn engine.Bitboard
	// reported are the wrong squares that an Illegal event has named, for
	// reason; cleared when the board is right again.
	reported engine.Bitboard
	reason   Reason
	// restoring says why no move is judged until the board equals the record.
	restoring restoring
	// ordered says that the next Undone is the work of an order, not of hands.
	ordered bool
	// undone are the discs that an Undo order left to be turned back.
	undone engine.Bitboard
	// resumed says that the program has come back in mid-game and the first
	// reading is still to come. The board was left as before says, for gap.
	resumed bool
	before  engine.Discs
	gap     Time
	// faces are the faces of the discs that are on record on a board that does
	// not see them, lying or in a hand, and of those that have been placed
	// since. Where it says nothing they are as on record.
	faces engine.Discs
	// back are the discs that the reading of this step found put back, used
	// those of them that have thereby been turned under the present record,
	// spent those that have under any, and fresh the discs that have come with it.
	// They are empty between two steps.
	back, used, spent, fresh engine.Bitboard
	// handled are the discs that were lifted and put back since the record has
	// changed without having been asked to.
	handled engine.Bitboard
	// swept says that the board was cleared after the end of a game. The next
	// game, if it begins on the empty board, then waits for its first disc:
	// tidying up is no wish to play.
	swept bool
	// inherited says that the game to be set up has the start of the game before,
	// which nobody has asked for; usual that the players have been asked whether
	// they mean the usual start instead, which they have laid out.
	inherited, usual bool
	// off are the discs that have been off the board since it was last as on
	// record; cleared says that all have been, at the same time.
	off     engine.Bitboard
	cleared bool
	// untouched says that no disc has been moved since the game ended: what lies
	// there is how it ended, and no wish for another one.
	untouched bool
	// count is the count of a game that the time has stopped, under way.
	count counting
	// next is played after a finished game, if prepared says so; otherwise the
	// same match again.
	next     Match
	prepared bool
}

// restoring is a reason to wait for the board to equal the record.
type restoring uint8

const (
	restoringNothing restoring = iota
	restoringUndo
	restoringSet
	restoringPower
)

// press is a press of the clock that waits for a reading of what lay on the
// board.
type press struct {
	active bool
	by     engine.Color
	at     Time
	// until is when the last reading is taken to be the one.
	until Time
	// moving says that the board was not quiet at the press.
	moving bool
}
