package tables

import (
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// Tournament is what is agreed before an event.
type Tournament struct {
	// ID names it on command lines and in addresses: a-z, 0-9 and dashes.
	ID   string         `json:"id"`
	Name plaintext.Text `json:"name"`
	// Day is 2026-11-30, or empty.
	Day    string            `json:"day"`
	Place  plaintext.Text    `json:"place"`
	System tournament.System `json:"system"`
	Rounds int               `json:"rounds"`
	// Ended is the last round if the tournament was ended before all were played.
	Ended int `json:"ended,omitempty"`
	// Variant, Profile and Clock are those of its games; an empty clock is the
	// profile's.
	Variant string `json:"variant"`
	Profile string `json:"profile"`
	Clock   string `json:"clock"`
	// AsTheyLie says that empty squares count for nobody, as the profile does.
	AsTheyLie bool               `json:"as_they_lie"`
	Breaks    []tournament.Break `json:"breaks"`
	Factor    int                `json:"factor"`
	Colors    tournament.Colors  `json:"colors"`
	// Seed is what is drawn with.
	Seed    string `json:"seed"`
	Created string `json:"created"`
}

// rules returns the rules of its games.
func (t *Tournament) rules() (engine.Rules, error) { return engine.Variant(t.Variant) }

// check reports the first thing wrong with a tournament.
func (t *Tournament) check() error {
	if t.Name.IsZero() {
		return fmt.Errorf("a tournament needs a name")
	}
	if len(t.Seed) > tournament.MaxName || len(t.Profile) > tournament.MaxName {
		return fmt.Errorf("seed and profile: want at most %d characters", tournament.MaxName)
	}
	for what, name := range map[string]plaintext.Text{"the name": t.Name, "the place": t.Place} {
		if err := tournament.CheckName(what, name); err != nil {
			return err
		}
	}
	for what, word := range map[string]string{"the seed": t.Seed, "the profile": t.Profile} {
		if _, err := tournament.ParseName(what, word); err != nil {
			return err
		}
	}
	if t.Day != "" {
		if _, err := time.Parse(time.DateOnly, t.Day); err != nil {
			return fmt.Errorf("the day %.20q: want a day like 2026-02-23", t.Day)
		}
	}
	if _, err := t.rules(); err != nil {
		return err
	}
	if t.Clock != "" {
		if _, err := clock.Parse(t.Clock); err != nil {
			return err
		}
	}
	return (&Table{Tournament: *t}).Event().Validate()
}

// Result is what came of a pairing.
type Result struct {
	// Winner is black, white, draw, or none for a game that ended without a
	// result.
	Winner string `json:"winner"`
	// BlackDiscs and WhiteDiscs are the discs as they lay at the end, the scores
	// what counts for the table.
	BlackDiscs int `json:"black_discs"`
	WhiteDiscs int `json:"white_discs"`
	BlackScore int `json:"black_score"`
	WhiteScore int `json:"white_score"`
	// Reason is the word of the journal for how the game ended: no_moves, wipeout,
	// resign, flag or adjudicated; Note what the arbiter said about it.
	Reason string         `json:"reason"`
	Note   plaintext.Text `json:"note,omitzero"`
	// Game and Board are where it was played, if that was on a board.
	Game  string `json:"game,omitempty"`
	Board string `json:"board,omitempty"`
	// Entered is board or hand.
	Entered string `json:"entered"`
	At      string `json:"at"`
}

// The ways in which a result is entered.
const (
	ByBoard = "board"
	ByHand  = "hand"
)

// NoResult is the winner of a game that ended without a result.
const NoResult = "none"

// same reports whether two results say the same of the game.
func (r *Result) same(other *Result) bool {
	return r.Winner == other.Winner && r.BlackDiscs == other.BlackDiscs && r.WhiteDiscs == other.WhiteDiscs &&
		r.BlackScore == other.BlackScore && r.WhiteScore == other.WhiteScore
}

// String writes the result in words.
func (r *Result) String() string {
	if r.Winner == NoResult {
		return "no result"
	}
	text := fmt.Sprintf("%d–%d", r.BlackScore, r.WhiteScore)
	if r.BlackDiscs != r.BlackScore || r.WhiteDiscs != r.WhiteScore {
		text += fmt.Sprintf(" (discs %d–%d)", r.BlackDiscs, r.WhiteDiscs)
	}
	switch r.Winner {
	case "draw":
		text += ", draw"
	default:
		text += ", " + r.Winner + " wins"
	}
	if r.Reason != "" && r.Reason != "no_moves" {
		text += ", by " + r.Reason
	}
	return text
}

// text is String for the list of changes.
func (r *Result) text() plaintext.Text { return textf("%s", r) }

// check reports why a result cannot be.
func (r *Result) check() error {
	for _, pair := range [][2]int{{r.BlackDiscs, r.WhiteDiscs}, {r.BlackScore, r.WhiteScore}} {
		if pair[0] < 0 || pair[1] < 0 || pair[0]+pair[1] > engine.Squares {
			return fmt.Errorf("%d–%d: two players have at most 64 discs together", pair[0], pair[1])
		}
	}
	switch r.Winner {
	case "black", "white", "draw", NoResult:
	default:
		return fmt.Errorf("the winner %.16q: want black, white, draw or none", r.Winner)
	}
	switch r.Reason {
	case "no_moves", "wipeout", "resign", "flag", "adjudicated":
	default:
		return fmt.Errorf("the reason %.16q: want no_moves, wipeout, resign, flag or adjudicated", r.Reason)
	}
	return checkNote("the note", r.Note)
}

// checkNote reports why a text cannot be a reason.
func checkNote(what string, text plaintext.Text) error {
	_, err := plaintext.Parse(what, text.String(), plaintext.MaxReason)
	return err
}

// Pairing is who plays whom.
type Pairing struct {
	// ID names it for boards, a ULID.
	ID    string `json:"id"`
	Round int    `json:"round"`
	// Table counts from 1; a bye has table 0 and the white player 0.
	Table    int                 `json:"table"`
	Black    int                 `json:"black"`
	White    int                 `json:"white"`
	ColorsBy tournament.ColorsBy `json:"colors_by,omitempty"`
	Result   *Result             `json:"result,omitempty"`
	// Playing is the board on which it is being played, empty when it is not.
	Playing string `json:"playing,omitempty"`
	// Contradicted is what a board says of a game of this pairing when that is not
	// the result.
	Contradicted *Result `json:"contradicted,omitempty"`
}

// Bye reports whether Black has no opponent.
func (p *Pairing) Bye() bool { return p.White == tournament.Bye }

// Open reports whether a result is missing.
func (p *Pairing) Open() bool { return !p.Bye() && p.Result == nil }

// Change is something that was changed after it had counted, or drawn.
type Change struct {
	// Round and Table say about which pairing, 0 for none.
	Round int            `json:"round,omitempty"`
	Table int            `json:"table,omitempty"`
	At    string         `json:"at"`
	By    plaintext.Text `json:"by"`
	// What is created, players, player, removed, lots, colors, paired, rematches,
	// by hand, unpaired, bye, no bye, withdrawn, returned, rounds, ended, continued,
	// corrected, reopened or contradicted.
	What string `json:"what"`
	// Old and New are what it was and is, in words.
	Old    plaintext.Text `json:"old,omitzero"`
	New    plaintext.Text `json:"new,omitzero"`
	Reason plaintext.Text `json:"reason,omitzero"`
}

// Table is a whole tournament.
type Table struct {
	Tournament

	Players []tournament.Player
	// Pairings stand in the order of rounds and tables, byes last in their round.
	Pairings []Pairing
	// Byes are the players who have a bye in the round that is paired next.
	Byes []int
	// Changes are everything that was changed, the latest last.
	Changes []Change
}

// Event returns what pairing and standings are computed from.
func (t *Table) Event() *tournament.Event {
	e := &tournament.Event{
		Name: t.Name, System: t.System, Rounds: t.Rounds, Ended: t.Ended, Colors: t.Colors, Breaks: t.Breaks, Factor: t.Factor,
		Seed: t.Seed, Players: t.Players, Byes: t.Byes,
	}
	if rules, err := t.rules(); err == nil {
		e.Goal = rules.Goal
	}
	for i := range t.Pairings {
		e.Games = append(e.Games, t.Pairings[i].game())
	}
	return e
}

// game returns the pairing as it counts.
func (p *Pairing) game() tournament.Game {
	if p.Bye() {
		return tournament.ByeOf(p.Round, p.Black)
	}
	g := tournament.Game{
		Round: p.Round, Table: p.Table, Black: p.Black, White: p.White, State: tournament.Open, Winner: engine.None, ColorsBy: p.ColorsBy,
	}
	switch r := p.Result; {
	case r == nil:
	case r.Winner == NoResult:
		g.State = tournament.Void
	default:
		g.State, g.BlackDiscs, g.WhiteDiscs = tournament.Played, r.BlackScore, r.WhiteScore
		switch r.Winner {
		case "black":
			g.Winner = engine.Black
		case "white":
			g.Winner = engine.White
		}
	}
	return g
}

// LastRound returns the last round that has been paired, 0 for none.
func (t *Table) LastRound() int {
	last := 0
	for i := range t.Pairings {
		last = max(last, t.Pairings[i].Round)
	}
	return last
}

// The states of a tournament.
const (
	Waiting  = "waiting"  // no round has been paired
	Running  = "running"  // games are to be played
	Complete = "complete" // all rounds have been played
)

// Status returns how far the tournament is.
func (t *Table) Status() string {
	last := t.LastRound()
	if last == 0 {
		return Waiting
	}
	for i := range t.Pairings {
		if t.Pairings[i].Open() {
			return Running
		}
	}
	if last < t.Event().TotalRounds() {
		return Running
	}
	return Complete
}

// PlayerName returns what a player is called, "bye" for no player.
func (t *Table) PlayerName(number int) plaintext.Text {
	if number == tournament.Bye {
		return plaintext.Const("bye")
	}
	for _, p := range t.Players {
		if p.Number == number {
			return p.Name
		}
	}
	return textf("player %d", number)
}

// Find returns the pairing at a table of a round; round 0 is the last one.
func (t *Table) Find(round, table int) (*Pairing, error) {
	if round == 0 {
		round = t.LastRound()
	}
	if round == 0 {
		return nil, fmt.Errorf("%w: no round of %s has been paired", ErrNone, t.Name)
	}
	for i := range t.Pairings {
		if p := &t.Pairings[i]; p.Round == round && p.Table == table && !p.Bye() {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no table %d in round %d of %s", ErrNone, table, round, t.Name)
}
