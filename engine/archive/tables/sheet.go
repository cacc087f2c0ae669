package tables

import (
	"fmt"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// Sheet is a tournament as it is shown, on the page, on paper and with --json:
// what is computed is in it as well.
type Sheet struct {
	Tournament

	// Status is waiting, running or complete.
	Status string `json:"status"`
	// Round is the last round that has been paired, TotalRounds how many there are.
	Round       int `json:"round"`
	TotalRounds int `json:"total_rounds"`
	// Possible is how many of the rounds can be paired with the players who take
	// part now, Warning says so when those are fewer than planned.
	Possible int    `json:"possible_rounds"`
	Warning  string `json:"warning"`
	// Stuck says that the next round cannot be paired without a rematch or a second
	// bye, though nothing else is in its way.
	Stuck bool `json:"stuck"`
	// Fewest says that the fewest discs win.
	Fewest bool `json:"fewest"`
	// NextRefusal says why the next round cannot be paired, empty if it can.
	NextRefusal string   `json:"next_refusal"`
	Standings   []Line   `json:"standings"`
	Rounds      []Round  `json:"pairings"`
	Changes     []Change `json:"changes"`
	// Byes are those who have a bye in the next round, Unpaired those who take part
	// and have nobody to play with in the last one, because it was paired by hand.
	Byes     []PlayerName `json:"byes"`
	Unpaired []PlayerName `json:"unpaired"`
}

// Line is a row of the table.
type Line struct {
	Place int `json:"place"`
	PlayerName

	Club   plaintext.Text `json:"club,omitzero"`
	Rating int            `json:"rating,omitempty"`
	// Withdrawn is the first round in which the player is not paired any more, 0
	// for never.
	Withdrawn int    `json:"withdrawn,omitempty"`
	Games     int    `json:"games"`
	Wins      int    `json:"wins"`
	Draws     int    `json:"draws"`
	Losses    int    `json:"losses"`
	Byes      int    `json:"byes"`
	Points    string `json:"points"`
	// Discs are own discs, Against the opponents'.
	Discs      int    `json:"discs"`
	Against    int    `json:"against"`
	Difference int    `json:"difference"`
	Brightwell string `json:"brightwell"`
}

// Played returns the games, byes included, Won the won ones, which byes are.
func (l Line) Played() int { return l.Games + l.Byes }

// Won returns the games that count as won.
func (l Line) Won() int { return l.Wins + l.Byes }

// PlayerName is a player as shown in pairings.
type PlayerName struct {
	Number int            `json:"number"`
	Name   plaintext.Text `json:"name"`
	Lot    int            `json:"lot,omitempty"`
}

// Round is a round.
type Round struct {
	Round int    `json:"round"`
	Seats []Seat `json:"tables"`
}

// Seat is a pairing.
type Seat struct {
	ID    string      `json:"id"`
	Table int         `json:"table"`
	Black PlayerName  `json:"black"`
	White *PlayerName `json:"white"`
	// Bye says that Black has no opponent.
	Bye          bool                `json:"bye"`
	ColorsBy     tournament.ColorsBy `json:"colors_by,omitempty"`
	Result       *Result             `json:"result"`
	Playing      string              `json:"playing,omitempty"`
	Contradicted *Result             `json:"contradicted,omitempty"`
}

// Sheet computes what is shown.
func (t *Table) Sheet() *Sheet {
	e := t.Event()
	s := &Sheet{
		Tournament: t.Tournament, Status: t.Status(), Round: t.LastRound(), TotalRounds: e.TotalRounds(),
		Fewest: e.Goal == engine.Fewest, Standings: []Line{}, Rounds: []Round{}, Changes: t.Changes, Byes: []PlayerName{}, Unpaired: []PlayerName{},
		Possible: e.Possible(),
	}
	if s.Changes == nil {
		s.Changes = []Change{}
	}
	if _, err := e.Pair(); err != nil && (t.System != tournament.Free || t.Ended != 0) {
		s.NextRefusal = err.Error()
	}
	names := map[int]PlayerName{}
	for _, r := range e.Standings() {
		name := PlayerName{r.Number, r.Name, r.Lot}
		names[r.Number] = name
		s.Standings = append(s.Standings, Line{
			Place: r.Place, PlayerName: name, Club: r.Club, Rating: r.Rating, Withdrawn: r.Withdrawn,
			Games: r.Games, Wins: r.Wins, Draws: r.Draws, Losses: r.Lost, Byes: r.Byes, Points: halves(r.Halves),
			Discs: r.Discs, Against: r.Against, Difference: r.Difference, Brightwell: halves(r.Quotient),
		})
	}
	for _, n := range t.Byes {
		s.Byes = append(s.Byes, names[n])
	}
	for _, n := range t.unpaired() {
		s.Unpaired = append(s.Unpaired, names[n])
	}
	s.Warning, s.Stuck = t.outlook(s.Possible)
	for i := range t.Pairings {
		p := &t.Pairings[i]
		if len(s.Rounds) == 0 || s.Rounds[len(s.Rounds)-1].Round != p.Round {
			s.Rounds = append(s.Rounds, Round{Round: p.Round})
		}
		seat := Seat{
			ID: p.ID, Table: p.Table, Black: names[p.Black], Bye: p.Bye(), ColorsBy: p.ColorsBy,
			Result: p.Result, Playing: p.Playing, Contradicted: p.Contradicted,
		}
		if !p.Bye() {
			white := names[p.White]
			seat.White = &white
		}
		last := &s.Rounds[len(s.Rounds)-1]
		last.Seats = append(last.Seats, seat)
	}
	return s
}

// outlook says when not all rounds can be paired, and whether already the next one
// cannot.
func (t *Table) outlook(possible int) (warning string, stuck bool) {
	last, total := t.LastRound(), t.Event().TotalRounds()
	switch {
	case possible >= total:
		return "", false
	case possible > last:
		return fmt.Sprintf("only %d of %d rounds can be paired with the players who take part now", possible, total), false
	}
	for i := range t.Pairings {
		if p := &t.Pairings[i]; p.Round == last && p.Open() {
			stuck = true
		}
	}
	return fmt.Sprintf("after round %d no round can be paired without a rematch or a second bye: "+
		"pair by hand, pair with rematches, or end the tournament here", last), !stuck
}

// unpaired returns who takes part in the last round of a Swiss event or a festival
// and is in none of its pairings.
func (t *Table) unpaired() (list []int) {
	last := t.LastRound()
	if last == 0 || t.System != tournament.Swiss && t.System != tournament.Festival {
		return nil
	}
	paired := map[int]bool{}
	byHand := false
	for i := range t.Pairings {
		if p := &t.Pairings[i]; p.Round == last {
			paired[p.Black], paired[p.White] = true, true
			byHand = byHand || p.ColorsBy == tournament.ByHand
		}
	}
	for _, p := range t.Players {
		if byHand && !paired[p.Number] && (p.Withdrawn == 0 || last < p.Withdrawn) {
			list = append(list, p.Number)
		}
	}
	return list
}

// halves writes a number of halves: 2½.
func halves(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	text := strconv.Itoa(n / 2)
	switch {
	case n%2 == 0:
		return sign + text
	case n == 1:
		return sign + "½"
	}
	return sign + text + "½"
}

// SystemName returns what people call a system.
func SystemName(s tournament.System) string {
	switch s {
	case tournament.Swiss:
		return "Swiss"
	case tournament.RoundRobin:
		return "Everybody meets everybody"
	case tournament.Festival:
		return "Festival"
	case tournament.Free:
		return "Free"
	}
	return string(s)
}

// Order says in words what orders the table.
func (s *Sheet) Order() string {
	order := make([]string, 0, len(s.Breaks)+1)
	points := false
	for _, b := range s.Breaks {
		points = points || b == tournament.Points
	}
	if !points {
		order = append(order, "points")
	}
	for _, b := range s.Breaks {
		word := map[tournament.Break]string{
			tournament.Points: "points", tournament.Discs: "discs", tournament.Difference: "disc difference",
			tournament.Brightwell: fmt.Sprintf("Brightwell quotient (c = %d)", s.Factor), tournament.HeadToHead: "games between equals",
		}[b]
		order = append(order, word)
	}
	return strings.Join(order, ", then ")
}

// Notable are the changes that somebody may ask about later: all but those of
// the list of players, and that rounds were paired.
func (s *Sheet) Notable() []Change {
	var list []Change
	for _, c := range s.Changes {
		switch c.What {
		case "created", "players", "player", "removed", "paired":
		default:
			list = append(list, c)
		}
	}
	return list
}

// State says in words what is the matter with a pairing.
func (s Seat) State() string {
	switch {
	case s.Bye:
		return "bye"
	case s.Result != nil && s.Contradicted != nil:
		return s.Result.String() + "; the board says " + s.Contradicted.String()
	case s.Result != nil:
		return s.Result.String()
	case s.Playing != "":
		return "being played on " + s.Playing
	}
	return "to be played"
}
