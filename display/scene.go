package display

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// Pattern is what the light of one square means. How it looks is up to the
// display; each pattern must be told from the others without color.
type Pattern uint8

// The patterns.
const (
	Off Pattern = iota
	// Flip: turn this disc.
	Flip
	// Wrong: this square must change otherwise than by the move.
	Wrong
	// PlaceBlack and PlaceWhite: put a disc here, that color up.
	PlaceBlack
	PlaceWhite
	// OK: the move is committed.
	OK
	// Pass: the sweep of a pass goes over this square.
	Pass
	// Fault: this cell cannot be read.
	Fault
	// Hint: a legal square. HintBest: the suggested move.
	Hint
	HintBest
	// Identify: this is the board that was asked for.
	Identify
	// Ask: something is asked about these discs, and answered by leaving them
	// alone or by a button; the words say what.
	Ask
)

// Patterns is the number of patterns.
const Patterns = int(Ask) + 1

// String returns the name of the pattern in small letters.
func (p Pattern) String() string {
	if int(p) >= Patterns {
		return "unknown"
	}
	return [Patterns]string{
		"off", "flip", "wrong", "place_black", "place_white", "ok", "pass",
		"fault", "hint", "hint_best", "identify", "ask",
	}[p]
}

// How long cues last.
const (
	// OKFor is the length of the flash after a committed move.
	OKFor = 300 * time.Millisecond
	// PassFor is the length of a sweep, an eighth of it on each rank.
	PassFor = 800 * time.Millisecond
	// IdentifyFor is how long a board that is asked for blinks.
	IdentifyFor = 3 * time.Second
)

// Cues are what has just happened and is shown for a moment, and what somebody
// has asked to see. All times are on the clock of the referee's inputs.
type Cues struct {
	// OK are the square and the flips of a move committed at OKAt.
	OK   engine.Bitboard
	OKAt time.Duration
	// PassBy passed at PassAt. There is no pass when PassBy is None or PassAt
	// is zero.
	PassBy engine.Color
	PassAt time.Duration
	// IdentifyUntil is when the board stops blinking to be found.
	IdentifyUntil time.Duration
	// Ask are the discs about which something is asked until AskUntil.
	Ask      engine.Bitboard
	AskUntil time.Duration
	// Hints are legal squares to be shown, Best the suggested ones of them.
	// They are not shown where the profile forbids hints.
	Hints, Best engine.Bitboard
	// Now is when the scene is composed; cues that are over by then are left
	// out.
	Now time.Duration
}

// Ends returns when the last of the cues is over, 0 when there was none.
func (c Cues) Ends() time.Duration {
	ends := c.IdentifyUntil
	if c.Ask != 0 {
		ends = max(ends, c.AskUntil)
	}
	if c.OK != 0 {
		ends = max(ends, c.OKAt+OKFor)
	}
	if c.passes() {
		ends = max(ends, c.PassAt+PassFor)
	}
	return ends
}

func (c Cues) passes() bool { return c.PassBy < engine.None && c.PassAt != 0 }

// Scene is one picture for all displays. The zero value is dark.
type Scene struct {
	// Lights is what each square shows once all cues are over.
	Lights [engine.Squares]Pattern
	// OK squares flash before OKUntil.
	OK      engine.Bitboard
	OKUntil time.Duration
	// A sweep began at PassAt on the side of PassBy; none when Passing is
	// false.
	Passing bool
	PassBy  engine.Color
	PassAt  time.Duration
	// All squares show Identify before IdentifyUntil.
	IdentifyUntil time.Duration
	// Ask squares show that before AskUntil.
	Ask      engine.Bitboard
	AskUntil time.Duration
}

// At returns what square s shows at now, cues included.
func (sc *Scene) At(s engine.Square, now time.Duration) Pattern {
	if now < sc.IdentifyUntil {
		return Identify
	}
	switch rest := sc.Lights[s]; {
	case rest != Off && rest != Hint && rest != HintBest:
		return rest
	case now < sc.AskUntil && sc.Ask.Has(s):
		return Ask
	case now < sc.OKUntil && sc.OK.Has(s):
		return OK
	case s.Rank() == sc.sweep(now):
		return Pass
	default:
		return rest
	}
}

// Busy reports whether a cue is still to end at now, so that what At says will
// change by itself.
func (sc *Scene) Busy(now time.Duration) bool {
	return now < sc.IdentifyUntil || now < sc.OKUntil && sc.OK != 0 || now < sc.AskUntil && sc.Ask != 0 ||
		sc.Passing && now < sc.PassAt+PassFor
}

// sweep returns the rank (0 to 7) on which the sweep is, -1 when there is none.
//
// It starts at the player who passes and runs to the one who moves. Black sits
// at the side of rank 8, White at that of rank 1: squares are named as they lie
// in front of Black, with rank 1 on top.
func (sc *Scene) sweep(now time.Duration) int {
	if !sc.Passing || now < sc.PassAt || now >= sc.PassAt+PassFor {
		return -1
	}
	step := int((now - sc.PassAt) / (PassFor / 8))
	if sc.PassBy == engine.Black {
		return 7 - step
	}
	return step
}

// Compose says what the lights show for a state of the game and the cues of the
// moment. It is pure and allocates nothing.
func Compose(s *referee.State, c Cues) Scene {
	var sc Scene
	if c.OK != 0 && c.Now < c.OKAt+OKFor {
		sc.OK, sc.OKUntil = c.OK, c.OKAt+OKFor
	}
	if c.passes() && c.Now < c.PassAt+PassFor {
		sc.Passing, sc.PassBy, sc.PassAt = true, c.PassBy, c.PassAt
	}
	if c.Now < c.IdentifyUntil {
		sc.IdentifyUntil = c.IdentifyUntil
	}
	if c.Ask != 0 && c.Now < c.AskUntil {
		sc.Ask, sc.AskUntil = c.Ask, c.AskUntil
	}
	switch s.Phase {
	case referee.Setup, referee.Playing, referee.Paused:
	case referee.Over:
		// The discs that were counted otherwise than they are on record.
		sc.light(s.Result.Stop.Differ&s.Sensed.Occupied(), Ask)
		return sc
	case referee.Idle:
		return sc
	default:
		return sc
	}
	// From weakest to strongest.
	if s.Phase == referee.Playing && s.Step == referee.ToMove && s.Match.Profile.Hints == referee.HintsOn {
		sc.light(c.Hints, Hint)
		sc.light(c.Best, HintBest)
	}
	if s.Restart.Active {
		sc.light(s.Sensed.Occupied(), Ask)
	}
	sc.light(s.Unsure(), Fault)
	sc.light(s.Asked()&s.Unsure(), Ask)
	g := s.Lit()
	sc.light(g.PlaceBlack, PlaceBlack)
	sc.light(g.PlaceWhite, PlaceWhite)
	sc.light(g.Flip, Flip)
	sc.light(g.Wrong(), Wrong)
	return sc
}

func (sc *Scene) light(squares engine.Bitboard, p Pattern) {
	for s := range squares.All() {
		sc.Lights[s] = p
	}
}
