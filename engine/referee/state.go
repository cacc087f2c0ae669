package referee

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
)

// Time is monotonic time since the program started. The referee never asks a
// clock: every input says when it happened.
type Time = time.Duration

// Phase is what the table is doing.
type Phase uint8

// The phases, in the order of a session at the table.
const (
	// Idle: no game, and nothing has been read from the board yet.
	Idle Phase = iota
	// Setup: a game is to begin; the guide shows what differs from its start.
	Setup
	// Playing: a game is on.
	Playing
	// Paused: the game is stopped; hands are not judged.
	Paused
	// Over: the record is closed; hands are free.
	Over
)

// String returns the word of the MQTT contract.
func (p Phase) String() string {
	return [...]string{"idle", "setup", "playing", "paused", "over"}[p]
}

// Stage is what the player to move is doing while the phase is Playing.
type Stage uint8

// The stages of a move; NoStep outside of a game.
const (
	NoStep Stage = iota
	// ToMove: the board equals the record, or discs are off it for a moment.
	ToMove
	// InProgress: a disc has been placed, or a move is being taken back; the
	// guide shows the discs still to turn.
	InProgress
	// Correcting: the board cannot be explained by moves of the player to
	// move; the guide shows how to put it right.
	Correcting
)

// String returns the word of the MQTT contract, empty for NoStep.
func (s Stage) String() string {
	return [...]string{"", "to_move", "in_progress", "correcting"}[s]
}

// Reason says why what the hands did is not a move.
type Reason uint8

// The reasons of illegal_move events.
const (
	NoReason Reason = iota
	// Occupied: the square named by a command already holds a disc.
	Occupied
	// NoFlip: a disc of the player to move outflanks nothing there.
	NoFlip
	// WrongColor: a legal square, but the disc shows the other color.
	WrongColor
	// OutOfTurn: the opponent's disc on a square that only the opponent could use.
	OutOfTurn
	// SecondDisc: more than one new disc.
	SecondDisc
	// ExtraFlip: a disc was turned that was not outflanked.
	ExtraFlip
	// FlipsPending: the opponent placed a disc while flips were still to do.
	FlipsPending
	// PassNotAllowed: a pass was claimed while a legal move exists.
	PassNotAllowed
	// NotRunning: no game is running.
	NotRunning
	// OtherSquare: a disc of the player who is a program, on another square
	// than the program chose.
	OtherSquare
	// OffCenter: in the opening of the historic game, a disc of the player to move
	// does not lie in the center.
	OffCenter
	// DiscMissing: the clock was pressed while a disc was off the board.
	DiscMissing
)

// lastReason is the last of the reasons.
const lastReason = DiscMissing

// String returns the word of the MQTT contract.
func (r Reason) String() string {
	return [...]string{
		"", "occupied", "no_flip", "wrong_color", "out_of_turn", "second_disc",
		"extra_flip", "flips_pending", "pass_not_allowed", "not_running", "other_square",
		"off_center", "disc_missing",
	}[r]
}

// Code names an open problem, as in the topics of MQTT alerts.
type Code string

// The problems that the referee itself can see on the board.
const (
	NoProblem       Code = ""
	SensorFault     Code = "sensor_fault"
	BankLost        Code = "bank_lost"
	Power           Code = "power"
	IllegalPosition Code = "illegal_position"
	FlipsNotDone    Code = "flips_pending"
	TurnWrong       Code = "out_of_turn"
	Orientation     Code = "orientation"
)

// Problem is what stands in the way of the game now.
type Problem struct {
	Code Code
	// Reason refines IllegalPosition.
	Reason Reason
	// Squares the problem lies on.
	Squares engine.Bitboard
	// Since is when it was first seen.
	Since Time
}

// Active reports whether there is a problem.
func (p Problem) Active() bool { return p.Code != NoProblem }

// Pending is a move whose disc lies on the board and that is not committed yet.
type Pending struct {
	// Active says whether there is one.
	Active bool
	// Square holds the new disc, By is its owner.
	Square engine.Square
	By     engine.Color
	// Flips are all discs outflanked; Done of them show the mover's color,
	// Lifted of them are off the board.
	Flips, Done, Lifted engine.Bitboard
	// Extra are squares that changed although the move does not change them.
	Extra engine.Bitboard
	// Since is when the disc was first seen.
	Since Time
}

// Open returns the discs that do not show the mover's color yet.
func (p Pending) Open() engine.Bitboard { return p.Flips &^ p.Done }

// Guide is what the hands must still change on the board. The sets are
// disjoint.
type Guide struct {
	// Flip: discs to turn, as a part of the move or of a takeback.
	Flip engine.Bitboard
	// Turn: discs that were turned, or placed, with the wrong side up, and
	// must be turned over.
	Turn engine.Bitboard
	// Remove: discs to take off the board.
	Remove engine.Bitboard
	// PlaceBlack and PlaceWhite: squares where a disc is missing. In the
	// opening of the historic game they are the squares of which the player to
	// move takes one.
	PlaceBlack, PlaceWhite engine.Bitboard
}

// with returns the guide that also asks for discs of a color.
func (g Guide) with(squares engine.Bitboard, c engine.Color) Guide {
	switch c {
	case engine.Black:
		g.PlaceBlack |= squares
	case engine.White:
		g.PlaceWhite |= squares
	case engine.None:
	}
	return g
}

// Wrong returns the squares that must change otherwise than by the move.
func (g Guide) Wrong() engine.Bitboard { return g.Turn | g.Remove }

// Place returns the squares where a disc is missing.
func (g Guide) Place() engine.Bitboard { return g.PlaceBlack | g.PlaceWhite }

// Entry is one line of the record: a move, a pass, or a position that was set.
type Entry struct {
	By   engine.Color
	Move engine.Move
	// Flipped, Missed, Extra and Improper as in Moved.
	Flipped, Missed, Extra engine.Bitboard
	Improper               Reason
	// Set says that this is a ruling about the position, and nobody's move: Move
	// is PassMove and By is None.
	Set bool
	// Before is the game before it.
	Before engine.Game
	// Think is what the mover took.
	Think Time
	// Clock is what both players had left when this turn began, Flags what had
	// become of their flags.
	Clock clock.Times
	Flags Flags
	// Earned is what the mover's clock got for the move: an increment, or a new
	// period of byo-yomi.
	Earned time.Duration
}

// Pass reports whether the entry is a pass.
func (e Entry) Pass() bool { return e.Move == engine.PassMove && !e.Set }

// Regular reports whether the rules lead from Before to what follows.
func (e Entry) Regular() bool { return e.Missed|e.Extra == 0 && e.Improper == NoReason && !e.Set }

// MaxEntries bounds a record. A game has 60 discs, or 64 in the historic one, and
// never two passes in a row; what is more is room for rulings.
const MaxEntries = 192

// Result is how a game ended.
type Result struct {
	// Result is Black, White, or None for a draw; Void when there is none.
	Winner engine.Color
	Void   bool
	// Black and White are the score that counts; Counts says which one it is.
	Black, White int
	Counts       Counts
	// Discs are the discs as they lie.
	DiscsBlack, DiscsWhite int
	// Reason is why the game is over.
	Reason EndReason
	// Stop says how the discs of a game were counted that the time has stopped; it is
	// the zero value for every other one.
	Stop Stop
}

// Stop is the count of a game that was stopped because its time was up. The record
// says nothing of a move that lay there unfinished, so that both counts are kept.
type Stop struct {
	// By is what was counted: CountedBoard, or CountedRecord.
	By StopCount
	// Lay are the discs as they lay when the time was up, Differ the squares on which
	// the record has something else.
	Lay    engine.Discs
	Differ engine.Bitboard
	// RecordBlack and RecordWhite are the discs on record.
	RecordBlack, RecordWhite int
}

// StopCount is what was counted when the time was up.
type StopCount uint8

// The ways to count.
const (
	// NotStopped: the time has not stopped the game.
	NotStopped StopCount = iota
	// CountedBoard: the discs as they lay.
	CountedBoard
	// CountedRecord: the discs on record, since the board sees no colors.
	CountedRecord
)

// String returns the word of the journal and of MQTT, empty for NotStopped.
func (c StopCount) String() string { return word(int(c), "", "board", "record") }

// EndReason says why a game is over.
type EndReason string

// The ways a game can end.
const (
	NoMoves     EndReason = "no_moves"
	Wipeout     EndReason = "wipeout"
	Resigned    EndReason = "resign"
	FlagFell    EndReason = "flag"
	Adjudicated EndReason = "adjudicated"
	Aborted     EndReason = "aborted"
)

// Empties returns the number of squares that hold no disc.
func (r Result) Empties() int { return engine.Squares - r.DiscsBlack - r.DiscsWhite }

// WithEmpties returns the count in which the empty squares go to whoever holds the
// majority of the discs, 32–32 if nobody does. Where the fewest discs win they go
// the same way.
func (r Result) WithEmpties() (black, white int) {
	switch black, white = r.DiscsBlack, r.DiscsWhite; {
	case black > white:
		return engine.Squares - white, white
	case white > black:
		return black, engine.Squares - black
	default:
		return engine.Squares / 2, engine.Squares / 2
	}
}

// Counts says what the score of a result is.
type Counts uint8

// The kinds of score.
const (
	// CountsAwarded: neither count of the discs, but what a flag, a resignation or an
	// arbiter gives the players; nothing where there is no result.
	CountsAwarded Counts = iota
	// CountsDiscs: the discs as they lie.
	CountsDiscs
	// CountsWithEmpties: the discs and the empty squares, see Result.WithEmpties.
	CountsWithEmpties
)

// String returns the word of the journal and of MQTT.
func (c Counts) String() string { return word(int(c), "awarded", "discs", "with_empties") }

// Declared reports whether something else than the discs at the end of the game
// has decided it: a resignation, a flag, or an arbiter.
func (r Result) Declared() bool {
	return r.Reason == Resigned || r.Reason == FlagFell || r.Reason == Adjudicated
}

// Match is what is agreed before a game: its rules, how it is officiated, and
// who plays.
type Match struct {
	Rules   engine.Rules
	Profile Profile
	// Clock is how the game is timed.
	Clock clock.Settings
	// Players are the names of Black and White, at most 64 characters each.
	Players [2]plaintext.Text
	// Opponent says which of them is a program.
	Opponent Opponent
	// Pairing is the id of the pairing of a tournament that the game belongs to,
	// empty for none. It is on record with the game and means nothing to the
	// referee.
	Pairing string
}

// Empties returns to whom the empty squares count at the end: the profile says so,
// but in the historic game they count for nobody, in every profile.
func (m *Match) Empties() Empties {
	if m.Rules.Opening != 0 {
		return EmptiesAsTheyLie
	}
	return m.Profile.Empties
}

// Opponent is a player that is a program. Its moves are made by hand at the
// board. The zero value is nobody: both players are people.
type Opponent struct {
	Kind OpponentKind
	// Level is the strength of the built-in player, 1 to 10; other programs
	// may take no notice of it.
	Level int
	// Side is the color of its discs.
	Side engine.Color
}

// Plays reports whether the opponent has the discs of c.
func (o Opponent) Plays(c engine.Color) bool { return o.Kind != NoOpponent && o.Side == c }

// OpponentKind says what kind of program it is.
type OpponentKind string

// The kinds of opponent: none, the built-in player, and programs that speak a
// protocol.
const (
	NoOpponent OpponentKind = ""
	Builtin    OpponentKind = "builtin"
	GTP        OpponentKind = "gtp"
	NBoard     OpponentKind = "nboard"
)

// Wish is the move that the opponent wants to have made.
type Wish struct {
	Active bool
	Square engine.Square
}

// Flags are the flags that have fallen in the game so far.
type Flags struct {
	// Graced says who has had two minutes more.
	Graced [2]bool
	// PlayOn says that the opponent of Fallen plays on for both sides while the
	// clocks stand.
	PlayOn bool
	Fallen engine.Color
	// TimeUp says that the time has stopped the game and the discs are being counted:
	// what lies there and can be read is known, what cannot is asked for.
	TimeUp bool
}

// Objection is what may be said against the last move: wrong flips, or that it
// was no move at all.
type Objection struct {
	// Open says that the opponent of the mover may still claim.
	Open bool
	// Claimed says that he has, and that the flips are being put right. An
	// improper move that is claimed is taken back at once.
	Claimed bool
	// Entry is the move's place in the record.
	Entry int
}

// State is everything the referee knows. It is a plain value: copy it to keep
// it. Only Step, Restore and New change one.
type State struct {
	Phase Phase
	Step  Stage
	// Presence says that the board tells discs from empty squares and sees no
	// faces. It is a property of the board, set before the first input: see
	// NewPresence.
	Presence bool
	// Lag is for how long a reading of what lies on the board may be on its way, a
	// property of the board as well. Where a quiet board ends a move, word of a
	// flag waits so long: the move may have lain there before it fell.
	Lag Time
	// Match is what is being played, or will be once the board is set up.
	Match Match
	// Game is the position of record.
	Game engine.Game
	// Entries[:Len] is the record.
	Entries [MaxEntries]Entry
	Len     int
	// Sensed is what the cells said last; SensedOK is false before the first
	// reading. Lost cells cannot be read for the moment (their bank does not
	// answer); Masked cells are not to be believed at all. With Presence the
	// colors are what the discs must show if the hands have done what they were
	// asked to.
	Sensed       engine.Discs
	SensedOK     bool
	Lost, Masked engine.Bitboard
	Pending      Pending
	Guide        Guide
	// Dark are squares of the guide that the lights do not show: the profile may
	// leave it to the players to find the flips of a move.
	Dark    engine.Bitboard
	Problem Problem
	// Clock is both clocks. It does nothing in a game without any.
	Clock clock.Clock
	// Halted says that the clocks stand since a power cut, or since a finished
	// game was opened again: they go on with the next disc, press or Resume.
	Halted bool
	// Restart asks whether another game is to begin.
	Restart Restart
	// Flags are flags that have fallen and did not end the game.
	Flags Flags
	// Objection is what may be said against the last move.
	Objection Objection
	// Result is valid while Ended: from the end of a game until the next one
	// starts.
	Result Result
	Ended  bool
	// TurnSince is when the player to move came on turn.
	TurnSince Time
	// Wish is the opponent's move while it is to be made at the board. It is
	// not on record.
	Wish Wish
	// OpponentLost says that the opponent is gone for the rest of the game:
	// people move its discs as they like, unless another program stands in.
	OpponentLost bool

	memory memory
}

// Record returns the entries of the game so far, oldest first. The slice is a
// view: it is valid until the next Step.
func (s *State) Record() []Entry { return s.Entries[:s.Len] }

// Ply returns the number of discs placed since the start.
func (s *State) Ply() int { return s.Game.Ply() }

// Turn returns whose turn it is, None outside of a running game.
func (s *State) Turn() engine.Color {
	if s.Phase == Playing || s.Phase == Paused {
		return s.Game.Turn
	}
	return engine.None
}

// Last returns the last disc placed; ok is false before the first, and after a
// position was set until the next one: a ruling may have taken any disc away.
func (s *State) Last() (e Entry, ok bool) {
	i, ok := s.LastEntry()
	if !ok {
		return Entry{}, false
	}
	return s.Entries[i], true
}

// LastEntry returns the place of Last in the record.
func (s *State) LastEntry() (i int, ok bool) {
	for i := s.Len - 1; i >= 0 && !s.Entries[i].Set; i-- {
		if s.Entries[i].Move != engine.PassMove {
			return i, true
		}
	}
	return 0, false
}

// Irregular reports whether replaying the transcript by the rules would go
// astray: a mistake stands, or a position was set.
func (s *State) Irregular() bool {
	for i := range s.Record() {
		if !s.Entries[i].Regular() {
			return true
		}
	}
	return false
}

// Ruled reports whether hands are led to a position that they have not made: by
// an undo that was ordered, or by a ruling.
func (s *State) Ruled() bool {
	return s.memory.restoring == restoringUndo || s.memory.restoring == restoringSet
}

// Lit returns what the lights show of the guide.
func (s *State) Lit() Guide {
	g := s.Guide
	g.Flip &^= s.Dark
	g.Turn &^= s.Dark
	return g
}

// Unsure returns the cells that say nothing.
func (s *State) Unsure() engine.Bitboard { return s.Lost | s.Masked }

// Transcript returns the moves played without passes, such as "f5d6c3".
func (s *State) Transcript() string {
	b := make([]byte, 0, 2*engine.Squares)
	for _, e := range s.Record() {
		if e.Move != engine.PassMove {
			b = append(b, e.Move.String()...)
		}
	}
	return string(b)
}
