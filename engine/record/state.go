package record

import (
	"fmt"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// stateJSON is the published snapshot.
type stateJSON struct {
	stampJSON
	Variant string `json:"variant"`
	Profile string `json:"profile"`
	Hints   string `json:"hints"`
	// Empties is to whom the empty squares count in the end, of the game as of the
	// profile.
	Empties    string       `json:"empties"`
	Phase      string       `json:"phase"`
	Step       *string      `json:"step"`
	Turn       string       `json:"turn"`
	Ply        int          `json:"ply"`
	Board      string       `json:"board"`
	Sensed     string       `json:"sensed"`
	BoardFP    string       `json:"board_fp"`
	Irregular  bool         `json:"irregular"`
	Start      startJSON    `json:"start"`
	Legal      squares      `json:"legal"`
	Score      scoreJSON    `json:"score"`
	Last       *lastJSON    `json:"last"`
	Pending    *pendingJSON `json:"pending"`
	Guide      guideJSON    `json:"guide"`
	Transcript string       `json:"transcript"`
	Players    playersJSON  `json:"players"`
	Pairing    string       `json:"pairing,omitempty"`
	Hand       *countJSON   `json:"hand"`
	Result     *resultJSON  `json:"result"`
	Clock      clockJSON    `json:"clock"`
	Problem    problemJSON  `json:"problem"`
	// Halted says that the clocks stand until play goes on, after a power cut or
	// since a finished game was opened again.
	Halted    bool           `json:"halted"`
	Objection *objectionJSON `json:"objection"`
	// Counting says that the time has stopped the game and the discs are being
	// counted.
	Counting *countingJSON `json:"counting"`
	// Record is what was really played, where the transcript does not say it, and
	// for players wherever it may be left to them to find that out.
	Record []lineJSON `json:"record"`
}

// The parts of the snapshot.
type (
	startJSON struct {
		Board string `json:"board"`
		Turn  string `json:"turn"`
	}
	scoreJSON struct {
		Black int `json:"black"`
		White int `json:"white"`
		Empty int `json:"empty"`
	}
	// Missed, extra and improper are written where the move left the rules.
	lastJSON struct {
		Move     string  `json:"move"`
		By       string  `json:"by"`
		Flipped  squares `json:"flipped"`
		Missed   squares `json:"missed,omitempty"`
		Extra    squares `json:"extra,omitempty"`
		Improper string  `json:"improper,omitempty"`
	}
	// lineJSON is a line of an irregular record: a move with the discs that were
	// really turned, a pass, or the position that was set ("set").
	lineJSON struct {
		By       string  `json:"by"`
		Move     string  `json:"move"`
		Flipped  squares `json:"flipped"`
		Missed   squares `json:"missed,omitempty"`
		Extra    squares `json:"extra,omitempty"`
		Improper string  `json:"improper,omitempty"`
		Board    string  `json:"board,omitempty"`
		Turn     string  `json:"turn,omitempty"`
	}
	// objectionJSON is what may be said against the last move: ply placed the
	// disc, by is who may claim, or has.
	objectionJSON struct {
		Ply      int     `json:"ply"`
		By       string  `json:"by"`
		Missed   squares `json:"missed"`
		Extra    squares `json:"extra"`
		Improper *string `json:"improper"`
		Claimed  bool    `json:"claimed"`
	}
	// countingJSON names the squares of which it is not known what counts: their cells
	// cannot be read, or their discs are off the board.
	countingJSON struct {
		Asked squares `json:"asked"`
	}
	pendingJSON struct {
		Move    string  `json:"move"`
		By      string  `json:"by"`
		ToFlip  squares `json:"to_flip"`
		Done    squares `json:"done"`
		Extra   squares `json:"extra"`
		Lifted  squares `json:"lifted"`
		SinceMS int64   `json:"since_ms"`
	}
	guideJSON struct {
		Flip   squares `json:"flip"`
		Place  squares `json:"place"`
		Remove squares `json:"remove"`
	}
	problemJSON struct {
		Active  bool    `json:"active"`
		Code    *string `json:"code"`
		Squares squares `json:"squares"`
		Since   *string `json:"since"`
	}
)

// EncodeState writes the published snapshot of s. Variant, profile and players
// are those of the game to be set up once one is; start, from which transcript
// leads to board, belongs to the game on record: an empty board is that of the
// historic game, whose first four discs turn nothing. Of env it uses the stamp, the
// journal, the sequence number and the game. Pending.to_flip holds all discs
// that the move turns, done those of them that show the mover's color already.
func EncodeState(env Envelope, s *referee.State) ([]byte, error) {
	return EncodeStateWithout(env, s, referee.Withheld{})
}

// EncodeStateWithout writes the snapshot for those who may not know what is
// withheld: the move list, the last move and the record all say what was turned on
// the board, and none of them what should have been.
func EncodeStateWithout(env Envelope, s *referee.State, without referee.Withheld) ([]byte, error) {
	if s.Phase > referee.Over || s.Step > referee.Correcting {
		return nil, fmt.Errorf("encode state: there is no phase %d, step %d", s.Phase, s.Step)
	}
	hints, err := hintsWord(s.Match.Profile.Hints)
	if err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	discs := s.Game.Discs
	w := stateJSON{
		stampJSON: env.head(),
		Variant:   clean(s.Match.Rules.Name), Profile: clean(s.Match.Profile.Name), Hints: hints,
		Phase: s.Phase.String(), Step: orNull(s.Step.String()), Turn: s.Turn().String(), Ply: s.Ply(),
		Board: discs.String(), Sensed: sensed(s), BoardFP: Fingerprint(discs, s.Turn()), Irregular: irregular(s, without),
		Start:   startJSON{s.Game.Rules.Start.String(), s.Game.Rules.Start.Turn.String()},
		Score:   scoreJSON{discs.Black.Count(), discs.White.Count(), discs.Empty().Count()},
		Last:    last(s, without),
		Pending: pending(s.Pending, without),
		Guide: guideJSON{
			Flip: squares((s.Guide.Flip | s.Guide.Turn) &^ without.Guide), Place: squares(s.Guide.Place()), Remove: squares(s.Guide.Remove),
		},
		Transcript: s.Transcript(), Players: encodePlayers(s.Match.Players), Pairing: clean(s.Match.Pairing), Hand: hand(s.Game),
		Clock:   encodeClock(env, &s.Clock),
		Problem: problem(env, s.Problem), Halted: s.Halted, Empties: s.Match.Empties().String(), Objection: objection(s, without), Record: lines(s, without),
	}
	if s.Phase == referee.Playing && !without.Legal && !s.Flags.TimeUp {
		w.Legal = squares(s.Game.Legal())
	}
	if s.Phase == referee.Playing && s.Flags.TimeUp {
		w.Counting = &countingJSON{squares(s.Asked())}
	}
	if s.Ended {
		r, err := encodeResult(s.Result)
		if err != nil {
			return nil, fmt.Errorf("encode state: %w", err)
		}
		w.Result = &r
	}
	return marshal(w)
}

// sensed writes what the cells say now, ? where they say nothing.
func sensed(s *referee.State) string {
	text := []byte(s.Sensed.String())
	for q := range engine.Square(engine.Squares) {
		if !s.SensedOK || s.Unsure().Has(q) {
			text[q] = '?'
		}
	}
	return string(text)
}

// last writes the last disc placed.
func last(s *referee.State, without referee.Withheld) *lastJSON {
	i, ok := s.LastEntry()
	if !ok {
		return nil
	}
	e := known(s, i, without)
	return &lastJSON{
		Move: e.Move.String(), By: e.By.String(), Flipped: squares(e.Flipped),
		Missed: squares(e.Missed), Extra: squares(e.Extra), Improper: e.Improper.String(),
	}
}

// known returns entry i of the record without what is withheld of it.
func known(s *referee.State, i int, without referee.Withheld) referee.Entry {
	e := s.Entries[i]
	if s.Withholds(without, i) {
		e.Missed, e.Extra, e.Improper = 0, 0, referee.NoReason
	}
	return e
}

// irregular reports whether the transcript is known not to lead to the board.
func irregular(s *referee.State, without referee.Withheld) bool {
	for i := range s.Record() {
		if !s.Entries[i].Regular() && !s.Withholds(without, i) {
			return true
		}
	}
	return false
}

// lines writes the record of a game that the rules cannot replay, nil for one that
// they can. While mistakes may be claimed every record is written, so that its form
// does not tell whether there is one.
func lines(s *referee.State, without referee.Withheld) []lineJSON {
	if !without.Claims && !s.Irregular() {
		return nil
	}
	lines := make([]lineJSON, s.Len)
	for i := range s.Record() {
		e := known(s, i, without)
		lines[i] = lineJSON{
			By: e.By.String(), Move: e.Move.String(), Flipped: squares(e.Flipped), Missed: squares(e.Missed), Extra: squares(e.Extra),
			Improper: e.Improper.String(),
		}
		if e.Set {
			after := s.Game.Position
			if i+1 < s.Len {
				after = s.Entries[i+1].Before.Position
			}
			lines[i].Move, lines[i].Board, lines[i].Turn = "set", after.String(), after.Turn.String()
		}
	}
	return lines
}

// objection writes what may be said against the last move, nil for nothing.
func objection(s *referee.State, without referee.Withheld) *objectionJSON {
	o := s.Objection
	if !o.Open || without.Errors {
		return nil
	}
	ply := 0
	for _, e := range s.Entries[:o.Entry+1] {
		if e.Move != engine.PassMove {
			ply++
		}
	}
	e := &s.Entries[o.Entry]
	return &objectionJSON{
		Ply: ply, By: e.By.Opponent().String(), Missed: squares(e.Missed), Extra: squares(e.Extra),
		Improper: orNull(e.Improper.String()), Claimed: o.Claimed,
	}
}

// pending writes the move that is being made.
func pending(p referee.Pending, without referee.Withheld) *pendingJSON {
	if !p.Active {
		return nil
	}
	if without.Flips {
		p.Flips, p.Done, p.Extra = 0, 0, 0
	}
	return &pendingJSON{
		Move: p.Square.String(), By: p.By.String(), ToFlip: squares(p.Flips), Done: squares(p.Done),
		Extra: squares(p.Extra), Lifted: squares(p.Lifted), SinceMS: p.Since.Milliseconds(),
	}
}

// hand writes the discs that the players have left, where each has a stock.
func hand(g engine.Game) *countJSON {
	if g.Rules.Stock == 0 {
		return nil
	}
	return &countJSON{g.Hand(engine.Black), g.Hand(engine.White)}
}

// problem writes what stands in the way of the game; since is put on the wall
// clock by the stamp, which knows both clocks at one moment.
func problem(env Envelope, p referee.Problem) problemJSON {
	if !p.Active() {
		return problemJSON{}
	}
	since := env.wall(p.Since)
	return problemJSON{Active: true, Code: orNull(string(p.Code)), Squares: squares(p.Squares), Since: &since}
}
