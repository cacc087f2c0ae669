package referee

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine/clock"
)

// Profile is how an event is officiated: what officials do about time, mistakes,
// takebacks and hints. It is data: the profiles of federations are files of the
// settings, and each names its source. The zero value is not usable; Home is the
// one that needs no file.
//
// Touch-move is in none of them: a magnet cannot tell a hand that touches from
// one that does not.
type Profile struct {
	// Name as in the configuration and on MQTT. Source says whose rules these
	// are.
	Name, Source string
	// Commit says what ends a move.
	Commit Commit
	// Flips says what happens when not exactly the outflanked discs were turned.
	Flips Flips
	// FlipsCorrectedByMover says that after a claim the mover alone puts his
	// flips right and ends that with a press of his clock. Otherwise the clocks
	// go on by themselves once the discs are right.
	FlipsCorrectedByMover bool
	// ClaimAfterEnd says that a mistake of the last move may still be claimed
	// when the game is over, whatever the clocks show.
	ClaimAfterEnd bool
	// Improper says what happens when a disc is pressed that is no move.
	Improper Improper
	// Takeback says who may take a move back with the discs.
	Takeback Takeback
	// FlipLights says which discs of a move the lights show; with LightsAfter
	// they show the flips when the disc has lain there for FlipLightsAfter.
	FlipLights      FlipLights
	FlipLightsAfter time.Duration
	// Hints says whether suggestions may be shown.
	Hints Hints
	// Pass says how a player passes who has no move.
	Pass Passing
	// Clock is how games are timed unless a match says otherwise.
	Clock clock.Settings
	// Flag says what a fallen flag means.
	Flag FlagRule
	// Empties says to whom the empty squares count at the end.
	Empties Empties
	// MissingAfter is how long a disc may be off the board before the guide
	// asks for it.
	MissingAfter time.Duration
}

// Home is the profile of two people who play for fun: moves are committed when
// the flips are done and the board is quiet, mistakes must be put right, moves
// can be taken back with the discs, and the discs count as they lie.
func Home() Profile {
	return Profile{Name: HomeName, Empties: EmptiesAsTheyLie, MissingAfter: DefaultMissingAfter}
}

// HomeName is the name of Home.
const HomeName = "home"

// DefaultMissingAfter is how long a disc may be off the board unless a profile
// says otherwise: longer than a hand needs to turn it.
const DefaultMissingAfter = 3 * time.Second

// Bounds of the times of a profile. Hands hold discs for a while; and what is
// not asked for within ten minutes is not asked for.
const (
	minMissingAfter = 500 * time.Millisecond
	maxAfter        = 10 * time.Minute
)

// Check reports what in a profile does not go together, nil if all does.
func (p Profile) Check() error {
	var errs []error
	claims := p.Flips == FlipsStand || p.Improper == ImproperClaimed
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{p.Name == "", "a profile needs a name"},
		{p.FlipsCorrectedByMover && p.Flips != FlipsStand, "flips_corrected_by_mover is about claims: it needs flips: stands"},
		{p.ClaimAfterEnd && !claims, "claim_after_end needs flips: stands or illegal: claim"},
		{
			p.Improper == ImproperClaimed && p.Commit == CommitSettle,
			"illegal: claim needs commit: press, since only a press tells a move from a hand that rests",
		},
		{
			p.MissingAfter < minMissingAfter || p.MissingAfter > maxAfter,
			fmt.Sprintf("missing_after must be from %v to %v", minMissingAfter, maxAfter),
		},
		{
			p.FlipLights == LightsAfter && (p.FlipLightsAfter <= 0 || p.FlipLightsAfter > maxAfter),
			fmt.Sprintf("flip_lights: after must be up to %v", maxAfter),
		},
		{p.FlipLights != LightsAfter && p.FlipLightsAfter != 0, "only flip_lights: after has a time"},
	} {
		if c.wrong {
			errs = append(errs, errors.New(c.text))
		}
	}
	return errors.Join(errs...)
}

// Commit is what ends a move.
type Commit uint8

// The ways to end a move.
const (
	// CommitSettle: the flips are done and the board is quiet.
	CommitSettle Commit = iota
	// CommitPress: the mover presses, whether a clock runs or not. A program
	// never presses; its moves are ended as with CommitSettle.
	CommitPress
	// CommitPressIfClock is CommitPress in games with clocks, else CommitSettle.
	CommitPressIfClock
)

// String returns the word of the settings and of the journal.
func (c Commit) String() string {
	return word(int(c), "settle", "press", "press_if_clock")
}

// Flips is what happens to flips that are wrong, missing or too many.
type Flips uint8

// The rules for flips.
const (
	// FlipsMustBeRight: nothing is committed before they are.
	FlipsMustBeRight Flips = iota
	// FlipsStand: they may be claimed until the opponent has replied; what is
	// wrong then stands.
	FlipsStand
)

// String returns the word of the settings and of the journal.
func (f Flips) String() string { return word(int(f), "must_correct", "stands") }

// Improper is what happens to a disc that is no move.
type Improper uint8

// The rules for discs on a square that flips nothing, or with the wrong side up.
const (
	// ImproperRefused: it must be taken off at once.
	ImproperRefused Improper = iota
	// ImproperClaimed: once it is pressed it counts, unless the opponent claims
	// it before he replies.
	ImproperClaimed
)

// String returns the word of the settings and of the journal.
func (i Improper) String() string { return word(int(i), "refuse", "claim") }

// Takeback is when a move may be taken back on the board itself.
type Takeback uint8

// The takeback rules.
const (
	TakebackFree Takeback = iota
	// TakebackNever: only the arbiter takes moves back.
	TakebackNever
	// TakebackUntilReply: the last move only.
	TakebackUntilReply
)

// String returns the word of the settings and of the journal.
func (t Takeback) String() string { return word(int(t), "free", "never", "until_reply") }

// FlipLights is what the lights show of a move that is being made.
type FlipLights uint8

// The rules for the lights.
const (
	// LightsAlways: the discs to turn, and those that were turned wrongly.
	LightsAlways FlipLights = iota
	// LightsAfter: the same, once the disc has lain there for a while.
	LightsAfter
	// LightsErrorsOnly: those that were turned wrongly.
	LightsErrorsOnly
	// LightsOff: nothing.
	LightsOff
)

// String returns the word of the settings and of the journal.
func (f FlipLights) String() string {
	return word(int(f), "always", "after", "errors_only", "off")
}

// Hints says whether legal squares and suggestions may be shown.
type Hints uint8

// The hint rules.
const (
	HintsOn Hints = iota
	HintsOff
	// HintsLocked: off for the whole event, and shown as locked.
	HintsLocked
)

// String returns the word of the MQTT contract.
func (h Hints) String() string { return word(int(h), "on", "off", "locked") }

// Passing is how a player passes.
type Passing uint8

// The ways to pass. A pass is forced, never chosen: only the moment differs.
const (
	// PassAuto: it is announced and the clock moves over by itself.
	PassAuto Passing = iota
	// PassByPress: the player says so with a press.
	PassByPress
)

// String returns the word of the settings and of the journal.
func (p Passing) String() string { return word(int(p), "auto", "press") }

// FlagRule is what a fallen flag means.
type FlagRule uint8

// The rules for flags.
const (
	// FlagNone: it is shown, and the game goes on.
	FlagNone FlagRule = iota
	// FlagLoss: 0–64.
	FlagLoss
	// FlagGrace: two minutes more, once; the best result is then 31–33, and a
	// second flag is 0–64.
	FlagGrace
	// FlagJof: the opponent has at least 33–31 and may play on for both sides
	// while the clocks stand.
	FlagJof
	// FlagCount: the game stops and the discs are counted as they lie.
	FlagCount
)

// String returns the word of the settings, of the journal and of MQTT.
func (f FlagRule) String() string { return word(int(f), "none", "loss", "grace", "jof", "count") }

// Empties is to whom empty squares count at the end.
type Empties uint8

// The rules for empty squares.
const (
	// EmptiesToWinner: to the winner, 32–32 if equal.
	EmptiesToWinner Empties = iota
	// EmptiesAsTheyLie: to nobody.
	EmptiesAsTheyLie
)

// String returns the word of the settings and of the journal.
func (e Empties) String() string { return word(int(e), "winner", "as_they_lie") }

// word picks a word by number; a number without one has an empty word.
func word(n int, words ...string) string {
	if n < 0 || n >= len(words) {
		return ""
	}
	return words[n]
}

// ProfileNames lists the profiles that need no file.
func ProfileNames() []string { return []string{HomeName} }

// ProfileNamed returns a profile that needs no file.
func ProfileNamed(name string) (Profile, error) {
	if name != HomeName {
		return Profile{}, fmt.Errorf("unknown profile %.32q: want one of %v", name, ProfileNames())
	}
	return Home(), nil
}
