package tournament

import (
	"errors"
	"fmt"

	"reversi-board/engine"
)

// System is how players are paired.
type System string

// The systems.
const (
	Swiss      System = "swiss"
	RoundRobin System = "round-robin"
)

// Break is a way to tell players with the same points apart.
type Break string

// The tie-breaks.
const (
	Discs      Break = "discs"
	Difference Break = "difference"
	Brightwell Break = "brightwell"
	HeadToHead Break = "head-to-head"
)

// Colors is how it is decided who has the black discs.
type Colors string

// The ways. With Balanced nobody has one color much oftener than the other; with
// Lots it is who has the lower number (children's festival, rule sheet D).
const (
	Balanced Colors = "balanced"
	Lots     Colors = "lots"
)

// Bye is the opponent of a player who has none in a round.
const Bye = 0

// The bounds of an event.
const (
	// MaxPlayers is how many take part at most.
	MaxPlayers = 1000
	// MaxRounds is how many rounds there are at most.
	MaxRounds = 100
)

const (
	// byeDiscs is what a bye and a game without a result count as.
	byeDiscs = 32
	// DefaultFactor is the Brightwell factor with points of 1, ½ and 0.
	DefaultFactor = 6
)

// Player takes part in an event.
type Player struct {
	// Number is the player's number or lot, from 1 on, different from all others.
	Number int
	Name   string
	// Rating orders the players before the first round; 0 if there is none.
	Rating int
	// Withdrawn is the first round in which the player is not paired any more, 0
	// for never.
	Withdrawn int
}

// plays reports whether the player is paired in a round.
func (p Player) plays(round int) bool { return p.Withdrawn == 0 || round < p.Withdrawn }

// State is how far a game is.
type State string

// The states of a game. Void is a game that ended without a result.
const (
	Open   State = "open"
	Played State = "played"
	Void   State = "void"
)

// Game is a pairing and what came of it.
type Game struct {
	// Round and Table count from 1; a bye has table 0.
	Round, Table int
	// Black and White are the numbers of the players; White is Bye if Black has
	// no opponent, and that game is Played from the start.
	Black, White int
	State        State
	// Winner is None for a draw; it and the discs, as they count for the table,
	// are those of a game that is Played.
	Winner                 engine.Color
	BlackDiscs, WhiteDiscs int
}

// bye reports whether the game is a bye.
func (g Game) bye() bool { return g.White == Bye }

// Event is a tournament.
type Event struct {
	Name   string
	System System
	// Rounds is how many rounds are played. Round robin ignores it.
	Rounds int
	Colors Colors
	// Breaks tell players with the same points apart, the first one first.
	Breaks []Break
	// Factor is the Brightwell factor.
	Factor  int
	Players []Player
	Games   []Game
}

// Validate reports the first thing wrong with an event.
func (e *Event) Validate() error {
	if err := e.validateSettings(); err != nil {
		return err
	}
	known := map[int]bool{}
	for _, p := range e.Players {
		switch {
		case p.Number < 1:
			return fmt.Errorf("player %q has the number %d: want numbers from 1 on", p.Name, p.Number)
		case known[p.Number]:
			return fmt.Errorf("the number %d is given to two players", p.Number)
		case p.Name == "":
			return fmt.Errorf("player %d has no name", p.Number)
		}
		known[p.Number] = true
	}
	busy := map[[2]int]bool{}
	for _, g := range e.Games {
		if err := g.validate(known); err != nil {
			return fmt.Errorf("round %d, table %d: %w", g.Round, g.Table, err)
		}
		for _, p := range []int{g.Black, g.White} {
			if p != Bye && busy[[2]int{g.Round, p}] {
				return fmt.Errorf("player %d is paired twice in round %d", p, g.Round)
			}
			busy[[2]int{g.Round, p}] = true
		}
	}
	return nil
}

func (e *Event) validateSettings() error {
	switch {
	case e.System != Swiss && e.System != RoundRobin:
		return fmt.Errorf("unknown system %.32q: want %s or %s", e.System, Swiss, RoundRobin)
	case e.Colors != Balanced && e.Colors != Lots:
		return fmt.Errorf("unknown way to decide colors %.32q: want %s or %s", e.Colors, Balanced, Lots)
	case e.System == Swiss && (e.Rounds < 1 || e.Rounds > MaxRounds):
		return fmt.Errorf("%d rounds: want 1 to %d", e.Rounds, MaxRounds)
	case len(e.Players) > MaxPlayers:
		return fmt.Errorf("%d players: want at most %d", len(e.Players), MaxPlayers)
	}
	for _, b := range e.Breaks {
		switch b {
		case Discs, Difference, Brightwell, HeadToHead:
		default:
			return fmt.Errorf("unknown tie-break %.32q: want %s, %s, %s or %s", b, Discs, Difference, Brightwell, HeadToHead)
		}
	}
	return nil
}

var errDiscs = errors.New("two players have at most 64 discs together")

func (g Game) validate(known map[int]bool) error {
	switch {
	case g.Round < 1:
		return errors.New("rounds count from 1")
	case !known[g.Black] || g.White != Bye && !known[g.White]:
		return fmt.Errorf("there are no players %d and %d", g.Black, g.White)
	case g.Black == g.White:
		return fmt.Errorf("player %d is paired with nobody else", g.Black)
	case g.State != Open && g.State != Played && g.State != Void:
		return fmt.Errorf("unknown state %.32q", g.State)
	case g.BlackDiscs < 0 || g.WhiteDiscs < 0 || g.BlackDiscs+g.WhiteDiscs > engine.Squares:
		return errDiscs
	}
	return nil
}
