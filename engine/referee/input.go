package referee

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
)

// Input is what can happen to the referee. Each one carries its own time, which
// never runs backwards.
//
//sumtype:decl
type Input interface{ input() }

// The inputs.
type (
	// Seen is a settled reading: no cell has changed for the settle time.
	Seen struct {
		At Time
		// Changed is when a cell changed last: what lies on the board lies there
		// since. Zero stands for At.
		Changed Time
		// Began is when the first cell changed since the board was last at rest.
		// Zero stands for Changed.
		Began Time
		Discs engine.Discs
		// Lost and Masked as in State; what Discs says there is ignored.
		Lost, Masked engine.Bitboard
	}
	// Felt is the settled reading of a board that sees no faces. Such a board
	// (State.Presence) takes no notice of Seen, the others take none of Felt.
	Felt struct {
		At Time
		// Changed and Began as in Seen.
		Changed, Began Time
		// Squares hold a disc.
		Squares engine.Bitboard
		// Lifted are the discs that have been off their square since the last
		// reading, and lie there again.
		Lifted engine.Bitboard
		// Lost and Masked as in State; what Squares and Lifted say there is
		// ignored, but for the discs on masked cells, which are published.
		Lost, Masked engine.Bitboard
	}
	// CellsFailed reports sensors that cannot be believed any more.
	CellsFailed struct {
		At      Time
		Squares engine.Bitboard
		Kind    FaultKind
	}
	// CellsBack reports sensors that can be believed again.
	CellsBack struct {
		At      Time
		Squares engine.Bitboard
		Kind    FaultKind
	}
	// PowerOn says that the record was restored from the journal after Gap
	// without power (negative when unknown); the first reading is to come.
	// Seen is what the cells said last before, if SeenOK; otherwise the board
	// is taken to have been as on record.
	//
	// Clock is what the clocks showed when the program last looked, if ClockOK;
	// otherwise they stand as the last event says. The shell keeps it beside
	// what was seen, at every tick: events alone would give a player back the
	// time since the last move.
	PowerOn struct {
		At      Time
		Gap     Time
		Seen    engine.Discs
		SeenOK  bool
		Clock   clock.Times
		ClockOK bool
	}
	// Tick is the answer to Wake. Moving says that the board is not at rest, so that
	// a reading may be on its way.
	Tick struct {
		At     Time
		Moving bool
	}
	// Pressed says that By has pressed the clock. Where moves are committed by a
	// press the time counts from then.
	Pressed struct {
		At Time
		By engine.Color
		// Wait is for how long a reading of what lay on the board at the press
		// may still be on its way: as long as a board takes to settle. Zero says
		// that the last reading holds.
		Wait time.Duration
		// Moving says that the board was not quiet at the press, so that even a
		// finished move may not be what lay there: that is known with a reading
		// still on its way.
		Moving bool
	}
	// WallStepped says that the wall clock was set, by how much.
	WallStepped struct {
		At Time
		By time.Duration
	}
	// Suggested is the move that the opponent, a program, wants to have made on
	// Square. It is ignored unless it is legal now and the opponent is on turn.
	Suggested struct {
		At     Time
		Square engine.Square
	}
	// EngineGone says that the opponent is lost for the rest of the game.
	EngineGone struct {
		At             Time
		Engine, Reason plaintext.Text
	}
	// Command is an order from the page, from MQTT or from a button, whose
	// sender has been found to be who the Audit says.
	Command struct {
		At    Time
		Audit Audit
	}
)

func (Seen) input()        {}
func (Felt) input()        {}
func (CellsFailed) input() {}
func (CellsBack) input()   {}
func (PowerOn) input()     {}
func (Tick) input()        {}
func (Pressed) input()     {}
func (WallStepped) input() {}
func (Suggested) input()   {}
func (EngineGone) input()  {}
func (Command) input()     {}

// Effect is what the shell must do after a step.
//
//sumtype:decl
type Effect interface{ effect() }

// The effects, in the order in which they are to be performed.
type (
	// Announce asks to journal the event, then to tell everybody.
	// Ply and Position are those of the record once the event is true; the
	// position's Turn is None when nobody is to move.
	Announce struct {
		Event    Event
		Ply      int
		Position engine.Position
	}
	// Wake asks for a Tick at that time; the latest one counts.
	Wake struct{ At Time }
	// Refuse answers a Command that was not accepted.
	Refuse struct {
		Code RefusalCode
		Text string
	}
)

func (Announce) effect() {}
func (Wake) effect()     {}
func (Refuse) effect()   {}

// RefusalCode is the machine-readable part of a refusal, as in MQTT responses.
type RefusalCode string

// The refusals of the referee.
const (
	NotAllowed RefusalCode = "not_allowed"
	BadPayload RefusalCode = "bad_payload"
)
