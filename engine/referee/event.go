package referee

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
)

// Event is a fact about the game, in the order in which it became true. Events
// are journaled before anybody is told; Apply folds them back into a State.
//
// The Clock of an event is what both players have left once it is true, so that
// a restart goes on with the clocks without counting anything again. At is the
// time that counts: a move that was pressed happened at the press.
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
	// Moved says that a move is committed.
	Moved struct {
		By     engine.Color
		Square engine.Square
		// Flipped are the discs that were really turned over, Missed those of
		// the rules' that were not, Extra those that should not have been (a
		// subset of Flipped).
		Flipped, Missed, Extra engine.Bitboard
		// Improper says why this is no move by the rules: NoReason for one that
		// is, NoFlip, OffCenter, or WrongColor when the disc shows the opponent's side.
		Improper Reason
		Clock    clock.Times
		// Think is the time since the mover came on turn.
		Think Time
		At    Time
	}
	// Passed says that the player on turn has no legal move.
	Passed struct {
		By    engine.Color
		Clock clock.Times
		At    Time
	}
	// FlipError says what became of flips that were wrong when the move that
	// placed disc number Ply was committed. Claimed says that the opponent has
	// objected: the mover's clock runs until the discs are right.
	FlipError struct {
		Ply           int
		Missed, Extra engine.Bitboard
		Status        FlipStatus
		Claimed       bool
		Clock         clock.Times
		At            Time
	}
	// Undone says that the last Plies discs were taken back, with the passes
	// that followed each of them; none of them says that only a declared end of
	// the game was. By is who is to move now. Claimed says that
	// it was an improper move to which the opponent has objected.
	Undone struct {
		Plies, ToPly int
		By           engine.Color
		Claimed      bool
		Clock        clock.Times
		At           Time
	}
	// Revised says that the record from disc number FromPly on is another one:
	// Line[:Len] takes its place.
	Revised struct {
		FromPly int
		Line    [MaxRevised]Ply
		Len     int
		Reason  plaintext.Text
		Clock   clock.Times
		At      Time
	}
	// PositionSet says that the arbiter has ruled what lies on the board and
	// who is to move.
	PositionSet struct {
		Discs  engine.Discs
		Turn   engine.Color
		Reason plaintext.Text
		Clock  clock.Times
		At     Time
	}
	// Illegal says that the hands did what the rules do not allow, seen in a
	// settled reading. The record is unchanged. Square is where to look; it is
	// the number of PassMove for a pass.
	Illegal struct {
		By     engine.Color
		Square engine.Square
		Reason Reason
	}
	// ClockFlag says that a flag has fallen, and what that means.
	ClockFlag struct {
		Color  engine.Color
		Effect FlagRule
		Clock  clock.Times
		At     Time
	}
	// ClockAdjusted says that an arbiter has set the clocks.
	ClockAdjusted struct {
		Clock  clock.Times
		Reason plaintext.Text
		At     Time
	}
	// GamePaused says that the clocks were stopped, by whom (a role), and why.
	GamePaused struct {
		By     string
		Reason plaintext.Text
		Clock  clock.Times
		At     Time
	}
	// GameResumed says that they go on. By is a role, or "players" who go on
	// after a power cut.
	GameResumed struct {
		By     string
		Reason plaintext.Text
		Clock  clock.Times
		At     Time
	}
	// GameOver closes the record.
	GameOver struct {
		Result Result
		Clock  clock.Times
		At     Time
	}
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
	// The clocks stand until play goes on.
	PowerRestored struct {
		Changed engine.Bitboard
		// Gap is how long it was away, negative when unknown.
		Gap   Time
		Clock clock.Times
		At    Time
	}
	// TimeStepped says that the wall clock was set. No time of the game follows
	// it.
	TimeStepped struct{ By time.Duration }
	// EngineLost says that the opponent, a program, is gone for the rest of the
	// game, and why: a sentence about it, such as "it was silent for 10s".
	EngineLost struct{ Engine, Reason plaintext.Text }
	// Commanded is the audit of an accepted command.
	Commanded struct{ Audit Audit }
)

func (GameStarted) event()   {}
func (Moved) event()         {}
func (Passed) event()        {}
func (FlipError) event()     {}
func (Undone) event()        {}
func (Revised) event()       {}
func (PositionSet) event()   {}
func (Illegal) event()       {}
func (ClockFlag) event()     {}
func (ClockAdjusted) event() {}
func (GamePaused) event()    {}
func (GameResumed) event()   {}
func (GameOver) event()      {}
func (Faulted) event()       {}
func (Restored) event()      {}
func (PowerRestored) event() {}
func (TimeStepped) event()   {}
func (EngineLost) event()    {}
func (Commanded) event()     {}

// FlipStatus is what became of wrong flips.
type FlipStatus uint8

// The fates of wrong flips.
const (
	// FlipsOpen: they may still be put right.
	FlipsOpen FlipStatus = iota
	// FlipsFixed: they were put right.
	FlipsFixed
	// FlipsLeft: they stand for good.
	FlipsLeft
)

// String returns the word of the MQTT contract.
func (f FlipStatus) String() string { return word(int(f), "open", "fixed", "stands") }

// Ply is a move or a pass of a revised record.
type Ply struct {
	By      engine.Color
	Move    engine.Move
	Flipped engine.Bitboard
	// Clock is what both players had left after it, Think what the mover took,
	// as far as this is known.
	Clock clock.Times
	Think Time
}

// MaxRevised bounds the moves and passes of a revision.
const MaxRevised = 2 * engine.Squares

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
	Role, Name string
	// ID and From are what the sender calls the command and itself.
	ID, From plaintext.Text
	Order    Order
}
