package notation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// The lossless form: one JSON object in a line for each game.

// jsonVersion is the value of v.
const jsonVersion = 1

type (
	jsonGame struct {
		V        int         `json:"v"`
		Black    jsonPlayer  `json:"black"`
		White    jsonPlayer  `json:"white"`
		Event    string      `json:"event,omitempty"`
		Round    string      `json:"round,omitempty"`
		Place    string      `json:"place,omitempty"`
		Date     string      `json:"date,omitempty"`
		Rules    jsonRules   `json:"rules"`
		Moves    []*jsonPlay `json:"moves"`
		Recorded *jsonResult `json:"recorded,omitempty"`
		// Empties is as_they_lie where empty squares count for nobody. Lay is what lay
		// on the board when the time was up, if that is not the last position.
		Empties string `json:"empties,omitempty"`
		Lay     string `json:"lay,omitempty"`
		// Result is computed when the game is written, and ignored when it is
		// read.
		Result  *jsonScore  `json:"result,omitempty"`
		Comment string      `json:"comment,omitempty"`
		Scores  []jsonValue `json:"scores,omitempty"`
		// Adjusted are where an arbiter has set the clocks.
		Adjusted []jsonAdjusted `json:"clock_adjusted,omitempty"`
		Theory   *jsonTheory    `json:"theory,omitempty"`
		Tags     []jsonTag      `json:"tags,omitempty"`
	}
	jsonPlayer struct {
		Name   string `json:"name,omitempty"`
		Rating string `json:"rating,omitempty"`
		Clock  string `json:"clock,omitempty"`
	}
	jsonRules struct {
		Name    string   `json:"name"`
		Board   string   `json:"board"`
		Turn    string   `json:"turn"`
		Goal    string   `json:"goal"`
		Opening []string `json:"opening,omitempty"`
		Stock   int      `json:"stock,omitempty"`
	}
	// jsonPlay is only a word where nothing was noted.
	jsonPlay  jsonNotes
	jsonNotes struct {
		Move    string    `json:"move"`
		Time    string    `json:"time,omitempty"`
		Left    string    `json:"left,omitempty"`
		Eval    string    `json:"eval,omitempty"`
		Comment string    `json:"comment,omitempty"`
		Edit    *jsonEdit `json:"left_on_board,omitempty"`
		// Improper says that the disc is no move by the rules, Ruled who is to
		// move after a ruling of an arbiter, which is nobody's move.
		Improper bool   `json:"improper,omitempty"`
		Ruled    string `json:"ruled_to_move,omitempty"`
	}
	jsonEdit struct {
		Black []string `json:"black,omitempty"`
		White []string `json:"white,omitempty"`
		Empty []string `json:"empty,omitempty"`
	}
	jsonResult struct {
		Text   string      `json:"text,omitempty"`
		Winner string      `json:"winner,omitempty"`
		Margin json.Number `json:"margin,omitempty"`
		Black  *int        `json:"black,omitempty"`
		White  *int        `json:"white,omitempty"`
		End    string      `json:"end,omitempty"`
	}
	jsonScore struct {
		Winner string `json:"winner"`
		Black  int    `json:"black"`
		White  int    `json:"white"`
		Margin int    `json:"margin"`
		// Discs are the discs as they lie, WithEmpties the count in which the empty
		// squares go to the winner.
		Discs       jsonCount `json:"discs"`
		WithEmpties jsonCount `json:"with_empties"`
	}
	jsonCount struct {
		Black int `json:"black"`
		White int `json:"white"`
	}
	jsonValue struct {
		Move  string `json:"move"`
		Score string `json:"score"`
	}
	jsonAdjusted struct {
		// After counts the moves before it, passes included.
		After  int    `json:"after"`
		Black  string `json:"black,omitempty"`
		White  string `json:"white,omitempty"`
		Reason string `json:"reason,omitempty"`
	}
	jsonTag struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	jsonTheory struct {
		Empties int `json:"empties"`
		Black   int `json:"black"`
	}
)

// jsonAsTheyLie is the word for empty squares that count for nobody.
const jsonAsTheyLie = "as_they_lie"

// MarshalJSON implements json.Marshaler.
func (p *jsonPlay) MarshalJSON() ([]byte, error) {
	if *p == (jsonPlay{Move: p.Move}) {
		return json.Marshal(p.Move)
	}
	return json.Marshal((*jsonNotes)(p))
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *jsonPlay) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.Move)
	}
	return json.Unmarshal(b, (*jsonNotes)(p))
}

// winnerWord writes black, white or draw.
func winnerWord(c engine.Color) string {
	if c == engine.None {
		return "draw"
	}
	return c.String()
}

// json writes the game.
func (w *writer) json() error {
	g := w.game
	j := jsonGame{
		V:     jsonVersion,
		Black: jsonPlayer{g.Players[0].Name.String(), g.Players[0].Rating.String(), g.Clocks[0].String()},
		White: jsonPlayer{g.Players[1].Name.String(), g.Players[1].Rating.String(), g.Clocks[1].String()},
		Event: g.Event.String(), Round: g.Round.String(), Place: g.Place.String(), Date: g.Date.String(),
		Rules: jsonRules{
			Name: g.Rules.Name, Board: g.Rules.Start.String(), Turn: g.Rules.Start.Turn.String(),
			Goal: "most", Opening: g.Rules.Opening.Names(), Stock: g.Rules.Stock,
		},
		Moves:   make([]*jsonPlay, len(g.Plays)),
		Comment: g.Comment.String(),
	}
	if g.Rules.Goal == engine.Fewest {
		j.Rules.Goal = "fewest"
	}
	for i, p := range g.Plays {
		j.Moves[i] = &jsonPlay{
			Move: p.Move.String(), Time: string(p.Time), Left: string(p.Left), Eval: p.Eval, Comment: p.Comment.String(), Improper: p.Improper,
		}
		if p.Ruled {
			j.Moves[i].Ruled = p.Turn.String()
		}
		if e := p.Edit; !e.None() {
			j.Moves[i].Edit = &jsonEdit{e.Black.Names(), e.White.Names(), e.Empty.Names()}
		}
	}
	for _, c := range g.ClockChanges {
		j.Adjusted = append(j.Adjusted, jsonAdjusted{c.After, string(c.Left[0]), string(c.Left[1]), c.Reason.String()})
	}
	for _, t := range g.Tags {
		j.Tags = append(j.Tags, jsonTag{t.Name, t.Value.String()})
	}
	j.Recorded = jsonOutcome(g.Recorded)
	if g.AsTheyLie {
		j.Empties = jsonAsTheyLie
	}
	if g.Lay != (engine.Discs{}) {
		j.Lay = g.Lay.String()
	}
	if g.decided(w.final) {
		r, at := g.official(w.final), g.counted(w.final)
		j.Result = &jsonScore{
			Winner: winnerWord(r.Winner), Black: r.Black, White: r.White, Margin: r.Margin, Discs: jsonCount{at.Black.Count(), at.White.Count()},
		}
		j.Result.WithEmpties.Black, j.Result.WithEmpties.White = at.Score()
	}
	for _, s := range g.Scores {
		j.Scores = append(j.Scores, jsonValue{s.Move.String(), s.Text})
	}
	if g.Theory.Empties > 0 {
		j.Theory = &jsonTheory{g.Theory.Empties, g.Theory.Black}
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	w.add(string(b), "\n")
	return nil
}

// jsonOutcome writes a recorded result, nil when there is none.
func jsonOutcome(o Outcome) *jsonResult {
	r := &jsonResult{Text: o.Text.String(), End: o.End.String()}
	if o.Known {
		r.Winner = winnerWord(o.Winner)
	}
	if o.Counted {
		r.Margin = json.Number(strings.TrimPrefix(strings.TrimSuffix(strings.TrimRight(o.decimal(), "0"), "."), "+"))
	}
	if o.Scored {
		r.Black, r.White = &o.Black, &o.White
	}
	if *r == (jsonResult{}) {
		return nil
	}
	return r
}

// readJSON reads what json writes. The moves are checked like those of every
// other format.
func readJSON(text string, _ ReadOptions) (*Game, error) {
	var j jsonGame
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return nil, fmt.Errorf("not a game in JSON: %w", err)
	}
	if j.V != jsonVersion {
		return nil, fmt.Errorf("v is %d: this program reads version %d", j.V, jsonVersion)
	}
	g := &Game{}
	var err error
	if g.Rules, err = j.Rules.rules(); err != nil {
		return nil, err
	}
	switch j.Empties {
	case "":
	case jsonAsTheyLie:
		g.AsTheyLie = true
	default:
		return nil, fmt.Errorf("empties is %.16q, not %s", j.Empties, jsonAsTheyLie)
	}
	if j.Lay != "" {
		if g.Lay, err = engine.ParseDiscs(j.Lay); err != nil {
			return nil, fmt.Errorf("lay: %w", err)
		}
	}
	g.jsonTags(&j)
	if j.Recorded != nil {
		if g.Recorded, err = j.Recorded.outcome(); err != nil {
			return nil, err
		}
	} else {
		g.Recorded.Winner = engine.None
	}
	if err := g.jsonScores(&j); err != nil {
		return nil, err
	}
	b := begin(g)
	for _, m := range j.Moves {
		if err := b.jsonMove(m); err != nil {
			return nil, err
		}
	}
	if err := g.jsonClocks(j.Adjusted); err != nil {
		return nil, err
	}
	b.finish()
	return g, nil
}

// jsonClocks takes where the clocks were set.
func (g *Game) jsonClocks(list []jsonAdjusted) error {
	if len(list) > maxClockChanges {
		return fmt.Errorf("the clocks were set %d times: want at most %d", len(list), maxClockChanges)
	}
	for _, a := range list {
		if a.After < 0 || a.After > len(g.Plays) {
			return fmt.Errorf("clocks set after move %d of %d", a.After, len(g.Plays))
		}
		c := ClockChange{After: a.After}
		g.setNumber(&c.Left[engine.Black], "clock of black", a.Black)
		g.setNumber(&c.Left[engine.White], "clock of white", a.White)
		g.setTag(&c.Reason, "reason", a.Reason)
		g.ClockChanges = append(g.ClockChanges, c)
	}
	return nil
}

// maxClockChanges bounds how often the clocks of a game were set.
const maxClockChanges = 256

// jsonTags takes the texts.
func (g *Game) jsonTags(j *jsonGame) {
	for _, t := range []struct {
		to          *plaintext.Text
		name, value string
	}{
		{&g.Players[0].Name, "black", j.Black.Name},
		{&g.Players[1].Name, "white", j.White.Name},
		{&g.Players[0].Rating, "rating", j.Black.Rating},
		{&g.Players[1].Rating, "rating", j.White.Rating},
		{&g.Clocks[0], "clock", j.Black.Clock},
		{&g.Clocks[1], "clock", j.White.Clock},
		{&g.Event, "event", j.Event},
		{&g.Round, "round", j.Round},
		{&g.Place, "place", j.Place},
	} {
		g.setTag(t.to, t.name, t.value)
	}
	g.setDate(j.Date)
	g.addComment(&g.Comment, j.Comment)
	for _, t := range j.Tags {
		g.addTag(t.Name, t.Value)
	}
}

// jsonScores takes the values of moves and the theory.
func (g *Game) jsonScores(j *jsonGame) error {
	if len(j.Scores) > engine.Squares {
		return errors.New("more values than squares")
	}
	for _, s := range j.Scores {
		score, err := parseScore(g.Rules.Start, s.Move+":"+s.Score)
		if err != nil {
			return err
		}
		g.Scores = append(g.Scores, score)
	}
	if t := j.Theory; t != nil {
		if t.Empties < 1 || t.Empties > engine.Squares || t.Black < 0 || t.Black > engine.Squares {
			return fmt.Errorf("theory of %d from %d empty squares", t.Black, t.Empties)
		}
		g.Theory = Theory{t.Empties, t.Black}
	}
	return nil
}

// rules reads where and how the game is played.
func (j jsonRules) rules() (engine.Rules, error) {
	discs, err := engine.ParseDiscs(j.Board)
	if err != nil {
		return engine.Rules{}, fmt.Errorf("the start position: %w", err)
	}
	r := engine.Rules{Start: engine.Position{Discs: discs}, Stock: j.Stock}
	name, _ := oneLine(j.Name)
	r.Name = name.String()
	switch j.Turn {
	case "black":
		r.Start.Turn = engine.Black
	case "white":
		r.Start.Turn = engine.White
	default:
		return engine.Rules{}, fmt.Errorf("turn %.16q is not black or white", j.Turn)
	}
	switch j.Goal {
	case "most":
	case "fewest":
		r.Goal = engine.Fewest
	default:
		return engine.Rules{}, fmt.Errorf("goal %.16q is not most or fewest", j.Goal)
	}
	if j.Stock < 0 || j.Stock > engine.Squares {
		return engine.Rules{}, fmt.Errorf("stock %d is not 0 to 64", j.Stock)
	}
	r.Opening, err = squareSet(j.Opening)
	return r, err
}

// squareSet reads names of squares.
func squareSet(names []string) (engine.Bitboard, error) {
	var set engine.Bitboard
	for _, name := range names {
		s, err := engine.ParseSquare(name)
		if err != nil {
			return 0, err
		}
		set |= s.Bit()
	}
	return set, nil
}

// outcome reads a recorded result.
func (j *jsonResult) outcome() (Outcome, error) {
	o := Outcome{Winner: engine.None}
	o.Text, _ = oneLine(j.Text)
	switch j.Winner {
	case "":
	case "black":
		o.Known, o.Winner = true, engine.Black
	case "white":
		o.Known, o.Winner = true, engine.White
	case "draw":
		o.Known = true
	default:
		return o, fmt.Errorf("winner %.16q is not black, white or draw", j.Winner)
	}
	if j.Margin != "" {
		n, ok := thousandths(j.Margin.String())
		if !ok {
			return o, fmt.Errorf("margin %.16q is not -128 to 128 with three decimals", j.Margin)
		}
		o.Counted, o.Margin, o.Fraction = true, n/whole, n%whole
	}
	if j.Black != nil && j.White != nil {
		if o.Black, o.White = *j.Black, *j.White; o.Black < 0 || o.White < 0 || o.Black+o.White > engine.Squares {
			return o, fmt.Errorf("a score of %d to %d is not out of 64", o.Black, o.White)
		}
		o.Scored = true
	}
	for end := EndNone; end <= EndTimeUp; end++ {
		if end.String() == j.End {
			o.End = end
			return o, nil
		}
	}
	return o, fmt.Errorf("end %.16q is not known", j.End)
}

// jsonMove plays a move.
func (b *builder) jsonMove(j *jsonPlay) error {
	if j == nil {
		return errors.New("a move is null")
	}
	m, ok := moveWord(j.Move)
	if !ok {
		return b.wordError(j.Move)
	}
	p := Play{Move: m, Improper: j.Improper}
	switch j.Ruled {
	case "":
	case "black":
		p.Ruled = true
	case "white":
		p.Ruled, p.Turn = true, engine.White
	default:
		return fmt.Errorf("to move after a ruling is %.16q: want black or white", j.Ruled)
	}
	p.setEval(j.Eval)
	b.game.setNumber(&p.Time, "a move's time", j.Time)
	b.game.setNumber(&p.Left, "time left", j.Left)
	b.game.addComment(&p.Comment, j.Comment)
	if e := j.Edit; e != nil {
		var errs [3]error
		p.Edit.Black, errs[0] = squareSet(e.Black)
		p.Edit.White, errs[1] = squareSet(e.White)
		p.Edit.Empty, errs[2] = squareSet(e.Empty)
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		if p.Edit.Black&p.Edit.White|p.Edit.Black&p.Edit.Empty|p.Edit.White&p.Edit.Empty != 0 {
			return errors.New("a square is left on the board in two colors")
		}
	}
	return b.add(p)
}
