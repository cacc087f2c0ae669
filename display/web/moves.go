package web

import (
	"encoding/json"
	"fmt"

	"reversi-board/engine"
)

// Played is one line of the move list.
type Played struct {
	// Ply counts discs; a pass and a position that was set have the ply of the
	// disc before them.
	Ply int `json:"ply"`
	// By is black or white, or empty for a position that was set. Move is a square,
	// "pass" or "set".
	By   string `json:"by"`
	Move string `json:"move"`
	// Flipped is how many discs were turned, Turned which; Black and White what
	// then lay on the board.
	Flipped int      `json:"flipped"`
	Turned  []string `json:"turned"`
	Black   int      `json:"black"`
	White   int      `json:"white"`
	// What left the rules: discs that were not turned, those that should not have
	// been, and why it is no move at all.
	Missed   []string `json:"missed,omitempty"`
	Extra    []string `json:"extra,omitempty"`
	Improper string   `json:"improper,omitempty"`
	// Board is a position that was set, 64 of -BW.
	Board string `json:"board,omitempty"`
}

// moves lists what was played, so that the page can show every move with its
// score at once after a takeback, a reload or a gap: from the record where the
// state has one, since the rules do not lead there, or else from the transcript,
// which leaves passes out. One that does not follow the rules is listed as far as
// it does.
func moves(state []byte) []Played {
	var s struct {
		Start      startJSON   `json:"start"`
		Transcript string      `json:"transcript"`
		Turn       string      `json:"turn"`
		Record     []entryJSON `json:"record"`
	}
	if json.Unmarshal(state, &s) != nil {
		return []Played{}
	}
	if len(s.Record) > 0 {
		return recorded(s.Start, s.Record)
	}
	return replayed(s.Start, s.Transcript, s.Turn)
}

// entryJSON is a line of the record of a state.
type entryJSON struct {
	By       string   `json:"by"`
	Move     string   `json:"move"`
	Flipped  []string `json:"flipped"`
	Missed   []string `json:"missed"`
	Extra    []string `json:"extra"`
	Improper string   `json:"improper"`
	Board    string   `json:"board"`
}

// wrongColor is why a disc with the opponent's side up is no move.
const wrongColor = "wrong_color"

// recorded lists a record as far as it can be read.
func recorded(start startJSON, record []entryJSON) []Played {
	discs, err := engine.ParseDiscs(start.Board)
	if err != nil {
		return []Played{}
	}
	list, ply := make([]Played, 0, len(record)), 0
	for _, e := range record {
		p := Played{
			By: e.By, Move: e.Move, Flipped: len(e.Flipped), Turned: e.Flipped,
			Missed: e.Missed, Extra: e.Extra, Improper: e.Improper,
		}
		switch square, err := engine.ParseSquare(e.Move); {
		case e.Move == "set":
			if discs, err = discsOf(e.Board); err != nil {
				return list
			}
			p.By, p.Board = "", discs.String()
		case err == nil:
			turned, err := squaresOf(e.Flipped)
			if err != nil {
				return list
			}
			shows := engine.Black
			if (e.By == engine.White.String()) != (e.Improper == wrongColor) {
				shows = engine.White
			}
			discs = engine.Discs{
				Black: discs.Black&^turned | discs.White&turned, White: discs.White&^turned | discs.Black&turned,
			}.With(square, shows)
			ply++
		case e.Move != engine.PassMove.String():
			return list
		}
		p.Ply, p.Black, p.White = ply, discs.Black.Count(), discs.White.Count()
		list = append(list, p)
	}
	return list
}

// discsOf reads the 64 squares of a position; who is to move may follow.
func discsOf(text string) (engine.Discs, error) {
	if len(text) > engine.Squares {
		text = text[:engine.Squares]
	}
	d, err := engine.ParseDiscs(text)
	if err != nil {
		return d, fmt.Errorf("read position: %w", err)
	}
	return d, nil
}

// replayed lists a transcript by the rules.
func replayed(start startJSON, transcript, turn string) []Played {
	rules, err := start.rules()
	if err != nil {
		return []Played{}
	}
	game := engine.NewGame(rules)
	list := make([]Played, 0, len(transcript)/2+4)
	pass := func() {
		list = append(list, line(game, game.Turn, engine.PassMove, 0))
		game = game.Pass()
	}
	for text := transcript; len(text) >= 2; text = text[2:] {
		square, err := engine.ParseSquare(text[:2])
		if err != nil {
			return list
		}
		if game.MustPass() {
			pass()
		}
		if !game.Legal().Has(square) {
			return list
		}
		by, flips := game.Turn, game.Flips(square)
		game = game.Place(square)
		list = append(list, line(game, by, engine.At(square), flips))
	}
	// The newest pass is no longer on turn.
	if game.MustPass() && turn == game.Turn.Opponent().String() {
		pass()
	}
	return list
}

// startJSON is where the game on record began.
type startJSON struct {
	Board string `json:"board"`
	Turn  string `json:"turn"`
}

// rules returns what a transcript from that start needs: only the historic game
// begins on the empty board.
func (s startJSON) rules() (engine.Rules, error) {
	discs, err := engine.ParseDiscs(s.Board)
	if err != nil {
		return engine.Rules{}, fmt.Errorf("read start: %w", err)
	}
	name := engine.Custom
	if discs.Occupied() == 0 {
		name = engine.Historic
	}
	rules, err := engine.Variant(name)
	if err != nil {
		return engine.Rules{}, err
	}
	rules.Start = engine.Position{Discs: discs, Turn: engine.Black}
	if s.Turn == engine.White.String() {
		rules.Start.Turn = engine.White
	}
	return rules, nil
}

func line(g engine.Game, by engine.Color, m engine.Move, flipped engine.Bitboard) Played {
	return Played{
		Ply: g.Ply(), By: by.String(), Move: m.String(), Flipped: flipped.Count(), Turned: flipped.Names(),
		Black: g.Black.Count(), White: g.White.Count(),
	}
}
