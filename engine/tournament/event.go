package tournament

import (
	"errors"
	"fmt"
	"slices"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// System is how players are paired.
type System string

// The systems. A festival is paired as a Swiss event is; what differs is how
// colors are decided and what the table is ordered by. In a free event people
// say who plays whom.
const (
	Swiss      System = "swiss"
	RoundRobin System = "round-robin"
	Festival   System = "festival"
	Free       System = "free"
)

// Systems lists the systems.
func Systems() []System { return []System{Swiss, RoundRobin, Festival, Free} }

// Break is a way to tell players with the same points apart.
type Break string

// The tie-breaks. Points are no tie-break but may be named among them: what
// stands before them counts more. Where they are not named they come first.
const (
	Points     Break = "points"
	Discs      Break = "discs"
	Difference Break = "difference"
	Brightwell Break = "brightwell"
	HeadToHead Break = "head-to-head"
)

// Breaks lists them.
func Breaks() []Break { return []Break{Points, Discs, Difference, Brightwell, HeadToHead} }

// Colors is how it is decided who has the black discs.
type Colors string

// The ways. With Balanced nobody has one color much oftener than the other. With
// Lots the players agree; if they do not, it is who has the lower lot; if that
// does not tell, the referee draws (children's festival, rule sheet D). What the
// players agree on is said later, by Game.ColorsBy.
const (
	Balanced Colors = "balanced"
	Lots     Colors = "lots"
)

// ColorsBy is what has decided who has the black discs in a game.
type ColorsBy string

// What may have decided.
const (
	ByBalance   ColorsBy = "balance"
	ByAgreement ColorsBy = "agreement"
	ByLot       ColorsBy = "lot"
	ByDraw      ColorsBy = "draw"
	ByHand      ColorsBy = "hand"
)

// Bye is the opponent of a player who has none in a round.
const Bye = 0

// The bounds of an event.
const (
	// MaxPlayers is how many take part at most.
	MaxPlayers = 512
	// MaxRounds is how many rounds there are at most.
	MaxRounds = 64
	// MaxNumber bounds the numbers and lots of players, MaxRating their ratings.
	MaxNumber = 9999
	MaxRating = 9999
	// MaxName bounds names in characters, as everywhere on the board.
	MaxName = plaintext.MaxName
)

const (
	// byeDiscs is what a bye and a game without a result count as.
	byeDiscs = 32
	// DefaultFactor is the Brightwell factor with points of 1, ½ and 0.
	DefaultFactor = 6
)

// Player takes part in an event.
type Player struct {
	// Number is the player's number, from 1 on, different from all others.
	Number int
	Name   plaintext.Text
	Club   plaintext.Text
	// Lot is the number that the player has drawn, from 1 on, 0 for none.
	Lot int
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
	// ColorsBy is what has decided who has black; it may be empty.
	ColorsBy ColorsBy
	// Winner is None for a draw; it and the discs, as they count for the table,
	// are those of a game that is Played.
	Winner                 engine.Color
	BlackDiscs, WhiteDiscs int
}

// bye reports whether the game is a bye.
func (g Game) bye() bool { return g.White == Bye }

// Event is a tournament.
type Event struct {
	Name   plaintext.Text
	System System
	// Rounds is how many rounds are played. Round robin ignores it.
	Rounds int
	// Ended is the last round if the event was ended before all were played, else
	// 0.
	Ended  int
	Colors Colors
	// Goal is what wins the games.
	Goal engine.Goal
	// Seed is what the referee draws with, see Drawn.
	Seed string
	// Byes are the numbers of players who have a bye in the round that is paired
	// next, because they asked for it.
	Byes []int
	// Breaks tell players with the same points apart, the first one first.
	Breaks []Break
	// Factor is the Brightwell factor.
	Factor  int
	Players []Player
	Games   []Game
}

// DefaultBreaks are the tie-breaks of a system unless others are chosen. In a
// festival the discs of both players go into the table and order it.
func DefaultBreaks(s System) []Break {
	switch s {
	case RoundRobin:
		return []Break{HeadToHead, Discs}
	case Festival:
		return []Break{Discs, Points}
	case Free:
		return []Break{Discs}
	case Swiss:
	}
	return []Break{Brightwell, Discs}
}

// Validate reports the first thing wrong with an event.
func (e *Event) Validate() error {
	if err := e.validateSettings(); err != nil {
		return err
	}
	known := map[int]bool{}
	lots := map[int]bool{}
	for _, p := range e.Players {
		err := p.Check()
		switch {
		case err != nil:
			return err
		case known[p.Number]:
			return fmt.Errorf("the number %d is given to two players", p.Number)
		case p.Lot != 0 && lots[p.Lot]:
			return fmt.Errorf("the lot %d is given to two players", p.Lot)
		}
		known[p.Number], lots[p.Lot] = true, true
	}
	return e.validateGames(known)
}

func (e *Event) validateGames(known map[int]bool) error {
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

// Check reports the first thing wrong with a player.
func (p Player) Check() error {
	switch {
	case p.Number < 1 || p.Number > MaxNumber:
		return fmt.Errorf("player %.64q has the number %d: want 1 to %d", p.Name, p.Number, MaxNumber)
	case p.Name.IsZero():
		return fmt.Errorf("player %d has no name", p.Number)
	case p.Lot < 0 || p.Lot > MaxNumber:
		return fmt.Errorf("player %.64q has the lot %d: want 1 to %d, or 0 for none", p.Name, p.Lot, MaxNumber)
	case p.Rating < 0 || p.Rating > MaxRating:
		return fmt.Errorf("player %.64q has the rating %d: want 0 to %d", p.Name, p.Rating, MaxRating)
	}
	return errors.Join(CheckName("the name", p.Name), CheckName("the club", p.Club))
}

// CheckName reports a name of more than MaxName characters.
func CheckName(what string, name plaintext.Text) error {
	_, err := ParseName(what, name.String())
	return err
}

// ParseName reads a name of at most MaxName characters.
func ParseName(what, text string) (plaintext.Text, error) {
	name, err := plaintext.Parse(what, text, MaxName)
	if err != nil {
		return name, err //nolint:wrapcheck // it says what is wrong with what
	}
	return name, nil
}

func (e *Event) validateSettings() error {
	switch {
	case !slices.Contains(Systems(), e.System):
		return fmt.Errorf("unknown system %.32q: want one of %v", e.System, Systems())
	case e.Colors != Balanced && e.Colors != Lots:
		return fmt.Errorf("unknown way to decide colors %.32q: want %s or %s", e.Colors, Balanced, Lots)
	case e.System != RoundRobin && (e.Rounds < 1 || e.Rounds > MaxRounds):
		return fmt.Errorf("%d rounds: want 1 to %d", e.Rounds, MaxRounds)
	case e.Ended < 0 || e.Ended > MaxRounds:
		return fmt.Errorf("the event was ended after round %d: want 1 to %d", e.Ended, MaxRounds)
	case len(e.Players) > MaxPlayers:
		return fmt.Errorf("%d players: want at most %d", len(e.Players), MaxPlayers)
	case e.TotalRounds() > MaxRounds:
		return fmt.Errorf("%d players are too many for everybody to meet everybody: want at most %d", len(e.Players), MaxRounds)
	case e.Factor < 0 || e.Factor > engine.Squares:
		return fmt.Errorf("the Brightwell factor %d: want 0 to %d", e.Factor, engine.Squares)
	}
	return CheckBreaks(e.Breaks)
}

// CheckBreaks reports a tie-break that does not exist or is named twice.
func CheckBreaks(list []Break) error {
	for i, b := range list {
		if !slices.Contains(Breaks(), b) {
			return fmt.Errorf("unknown tie-break %.32q: want some of %v", b, Breaks())
		}
		if slices.Contains(list[:i], b) {
			return fmt.Errorf("the tie-break %s is named twice", b)
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
	case g.Winner > engine.None:
		return fmt.Errorf("the winner %d is no color", g.Winner)
	case g.BlackDiscs < 0 || g.WhiteDiscs < 0 || g.BlackDiscs+g.WhiteDiscs > engine.Squares:
		return errDiscs
	}
	return nil
}
