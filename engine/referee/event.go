package referee

import "reversi-board/engine"

// Event is a fact about the game, in the order in which it became true. Events
// are journaled before anybody is told; Apply folds them back into a State.
//
//sumtype:decl
type Event interface{ event() }

// The events.
type (
	// GameStarted says that the start position lies on the board and the game begins.
	GameStarted struct {
		Match Match
		At    Time
	}
	// Moved says that a move is committed, its flips done.
	Moved struct {
		By      engine.Color
		Square  engine.Square
		Flipped engine.Bitboard
		// Think is the time since the mover came on turn.
		Think Time
		At    Time
	}
	// Passed says that the player on turn has no legal move.
	Passed struct {
		By engine.Color
		At Time
	}
	// Undone says that the last Plies discs were taken back, with the passes
	// that followed each of them. By is who is to move now.
	Undone struct {
		Plies, ToPly int
		By           engine.Color
		At           Time
	}
	// Illegal says that the hands did what the rules do not allow, seen in a
	// settled reading. The record is unchanged. Square is where to look.
	Illegal struct {
		By     engine.Color
		Square engine.Square
		Reason Reason
	}
	// GameOver closes the record.
	GameOver struct{ Result Result }
	// Faulted says that cells cannot be believed any more.
	Faulted struct {
		Squares engine.Bitboard
		Kind    FaultKind
	}
	// Restored says that they can be believed again.
	Restored struct {
		Squares engine.Bitboard
		Kind    FaultKind
	}
	// PowerRestored says that the program has come back in mid-game; Changed
	// are the squares that do not look as they did when they were last seen.
	PowerRestored struct {
		Changed engine.Bitboard
		// Gap is how long it was away, negative when unknown.
		Gap Time
	}
	// EngineLost says that the opponent, a program, is gone for the rest of the
	// game, and why: a sentence about it, such as "it was silent for 10s".
	EngineLost struct{ Engine, Reason string }
	// Commanded is the audit of an accepted command.
	Commanded struct{ Audit Audit }
)

func (GameStarted) event()   {}
func (Moved) event()         {}
func (Passed) event()        {}
func (Undone) event()        {}
func (Illegal) event()       {}
func (GameOver) event()      {}
func (Faulted) event()       {}
func (Restored) event()      {}
func (PowerRestored) event() {}
func (EngineLost) event()    {}
func (Commanded) event()     {}

// FaultKind is how a cell fails.
type FaultKind string

// The kinds of fault.
const (
	Stuck    FaultKind = "stuck"
	Flapping FaultKind = "flapping"
	Ghost    FaultKind = "ghost"
	Dead     FaultKind = "dead"
	LostBank FaultKind = "bank_lost"
	Reset    FaultKind = "reset"
	Drift    FaultKind = "drift"
)

// Audit says who gave a command and which.
type Audit struct {
	Role, Name, ID, From string
	Order                Order
}

// Order is what a command asks of the referee.
//
//sumtype:decl
type Order interface{ order() }

// The orders.
type (
	// NewGame ends a running game without a result and prepares Match.
	NewGame struct{ Match Match }
	// Undo takes back the last Plies discs.
	Undo struct{ Plies int }
	// Look changes nothing; it is how snapshot and identify enter the audit.
	Look struct{}
)

func (NewGame) order() {}
func (Undo) order()    {}
func (Look) order()    {}
