package referee

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Order is what a command asks of the referee. Who may give which order is
// checked before; the referee checks whether this is the time for it.
//
//sumtype:decl
type Order interface{ order() }

// The orders.
type (
	// NewGame ends a running game without a result and prepares Match.
	NewGame struct{ Match Match }
	// Undo takes back the last Plies discs; with 0 a resignation or a declared
	// result, and no disc.
	Undo struct {
		Plies  int
		Reason plaintext.Text
	}
	// Pause stops the clocks; hands are free until Resume.
	Pause struct{ Reason plaintext.Text }
	// Resume lets the game go on.
	Resume struct{ Reason plaintext.Text }
	// Resign gives the game up for Color.
	Resign struct {
		Color  engine.Color
		Reason plaintext.Text
	}
	// Adjudicate declares a result: Winner is None for a draw, Void is for no
	// result at all. Black and White are the official score.
	Adjudicate struct {
		Winner       engine.Color
		Void         bool
		Black, White int
		Reason       plaintext.Text
	}
	// ClockSet gives the players so much main time; less than nothing leaves a
	// clock as it is.
	ClockSet struct {
		Black, White time.Duration
		Reason       plaintext.Text
	}
	// PlayersSet names the players.
	PlayersSet struct {
		Players [2]plaintext.Text
		Reason  plaintext.Text
	}
	// CorrectSquare rules that squares show Black, White or nothing, and who is
	// to move (None: whoever is).
	CorrectSquare struct {
		Black, White, Empty engine.Bitboard
		Turn                engine.Color
		Reason              plaintext.Text
	}
	// Revise rules that the discs from number FromPly on were placed as Moves
	// says, such as "f5d6c3"; passes are implied.
	Revise struct {
		FromPly int
		Moves   string
		Reason  plaintext.Text
	}
	// LetStand rules that what lies on the board counts: a move with wrong flips
	// as it was made, anything else as the position.
	LetStand struct{ Reason plaintext.Text }
	// Claim objects to the last move; By is the mover's opponent, or None for an
	// arbiter.
	Claim struct {
		By     engine.Color
		Reason plaintext.Text
	}
	// PassPressed says that By passes; None is whoever is to move.
	PassPressed struct{ By engine.Color }
	// Look changes nothing; it is how snapshot and identify enter the audit.
	Look struct{}
)

func (NewGame) order()       {}
func (Undo) order()          {}
func (Pause) order()         {}
func (Resume) order()        {}
func (Resign) order()        {}
func (Adjudicate) order()    {}
func (ClockSet) order()      {}
func (PlayersSet) order()    {}
func (CorrectSquare) order() {}
func (Revise) order()        {}
func (LetStand) order()      {}
func (Claim) order()         {}
func (PassPressed) order()   {}
func (Look) order()          {}
