package web

import (
	"encoding/json"
	"fmt"

	"reversi-board/engine"
)

// Played is one line of the move list.
type Played struct {
	// Ply counts discs; a pass has the ply of the disc before it.
	Ply int `json:"ply"`
	// By is black or white, Move a square or "pass".
	By   string `json:"by"`
	Move string `json:"move"`
	// Flipped is how many discs were turned, Black and White what then lay on
	// the board.
	Flipped int `json:"flipped"`
	Black   int `json:"black"`
	White   int `json:"white"`
}

// moves replays the transcript of a state, which leaves passes out, so that
// the page can list every move with its score at once after a takeback, a
// reload or a gap. A transcript that does not follow the rules is listed as
// far as it does.
func moves(state []byte) []Played {
	var s struct {
		Start      startJSON `json:"start"`
		Transcript string    `json:"transcript"`
		Turn       string    `json:"turn"`
	}
	if json.Unmarshal(state, &s) != nil {
		return []Played{}
	}
	rules, err := s.Start.rules()
	if err != nil {
		return []Played{}
	}
	game := engine.NewGame(rules)
	list := make([]Played, 0, len(s.Transcript)/2+4)
	pass := func() {
		list = append(list, line(game, game.Turn, engine.PassMove, 0))
		game = game.Pass()
	}
	for text := s.Transcript; len(text) >= 2; text = text[2:] {
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
		by, flips := game.Turn, game.Flips(square).Count()
		game = game.Place(square)
		list = append(list, line(game, by, engine.At(square), flips))
	}
	// The newest pass is no longer on turn.
	if game.MustPass() && s.Turn == game.Turn.Opponent().String() {
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

func line(g engine.Game, by engine.Color, m engine.Move, flipped int) Played {
	return Played{
		Ply: g.Ply(), By: by.String(), Move: m.String(), Flipped: flipped,
		Black: g.Black.Count(), White: g.White.Count(),
	}
}
