package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/plaintext"
)

// side is one of the two engines of a match.
type side struct {
	// start finds out before the match whether the engine can play at all.
	start func(context.Context) error
	// hire returns the player of a pair of games; seed makes a weak level
	// repeat.
	hire  func(seed uint64) (opponent.Player, error)
	close func() error
	// limit bounds a move, 0 for no bound but the clock. The built-in player
	// needs none here: it has been told when it was hired.
	limit time.Duration
}

// match is a match of two sides: the first is called A, the second B.
type match struct {
	sides    [2]side
	games    int
	seed     uint64
	openings []notation.Line
	clock    opponent.Clock
	// done is called after every game.
	done func(*matchGame, *matchReport) error
	// now is a monotonic clock.
	now func() time.Duration
	// drawn is the order of the openings.
	drawn []int
}

// matchGame is a game of a match.
type matchGame struct {
	// Number counts from 1; two games with the same opening follow each other.
	Number  int    `json:"game"`
	Opening string `json:"opening"`
	// ABlack says that A has the black discs.
	ABlack bool   `json:"a_is_black"`
	Moves  string `json:"moves"`
	// Black and White are the official score, when the game was played out.
	Black int `json:"black"`
	White int `json:"white"`
	// Points are A's: 1, ½ or 0.
	Points float64 `json:"points"`
	// Forfeit is who lost by what it did: "A" or "B", with the reason.
	Forfeit string `json:"forfeit,omitempty"`
	Reason  string `json:"reason,omitempty"`

	line  notation.Line
	plays []notation.Play
	final engine.Game
	names [2]string
}

// close ends the engines.
func (m *match) close() {
	for _, s := range m.sides {
		_ = s.close() // its process is gone in any case
	}
}

// play plays all games. The report is of those that were played, whatever
// happens.
func (m *match) play(ctx context.Context) (*matchReport, error) {
	if m.now == nil {
		m.now = stopwatch()
	}
	r := &matchReport{Seed: m.seed}
	for i, s := range m.sides {
		if err := s.start(ctx); err != nil {
			return r, fmt.Errorf("start %c: %w", 'A'+i, err)
		}
	}
	random := rand.New(rand.NewPCG(m.seed, 0)) //nolint:gosec // a match that can be repeated
	m.drawn = random.Perm(len(m.openings))
	for pair := range m.games / 2 {
		var players [2]opponent.Player
		for i, s := range m.sides {
			var err error
			if players[i], err = s.hire(m.seed + uint64(pair)*2 + uint64(i)); err != nil {
				return r, err
			}
		}
		for turned := range 2 {
			g, err := m.game(ctx, pair, turned == 0, players)
			if err != nil {
				return r, err
			}
			r.add(g)
			r.Openings = min(len(m.openings), pair+1)
			if err := m.done(g, r); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// game plays one game.
func (m *match) game(ctx context.Context, pair int, aBlack bool, players [2]opponent.Player) (*matchGame, error) {
	opening := m.openings[m.drawn[pair%len(m.drawn)]]
	g := &matchGame{
		Number: 2*pair + 1, Opening: notation.Transcript(opening.Moves), ABlack: aBlack,
		line: opening, final: opening.Final,
	}
	if !aBlack {
		g.Number++
	}
	for _, mv := range opening.Moves {
		g.plays = append(g.plays, notation.Play{Move: mv})
	}
	for _, p := range players {
		if err := p.NewGame(ctx); err != nil {
			return nil, fmt.Errorf("begin a game: %w", err)
		}
	}
	left := [2]time.Duration{m.clock.Main, m.clock.Main}
	for !g.final.Over() && g.Forfeit == "" {
		if g.final.MustPass() {
			g.add(notation.Play{Move: engine.PassMove})
			continue
		}
		if err := m.move(ctx, g, players, &left); err != nil {
			return nil, err
		}
	}
	for i, p := range players {
		g.names[i] = p.Name()
	}
	g.settle()
	return g, nil
}

// owner returns 0 or 1, the side of a color.
func (g *matchGame) owner(c engine.Color) int {
	if (c == engine.Black) == g.ABlack {
		return 0
	}
	return 1
}

// move asks the side to move. What an engine does wrong is a forfeit; an error
// ends the match.
func (m *match) move(ctx context.Context, g *matchGame, players [2]opponent.Player, left *[2]time.Duration) error {
	turn := g.final.Turn
	who := g.owner(turn)
	clock := m.clock
	clock.Left, clock.Limit = *left, m.sides[who].limit
	began := m.now()
	answer, err := players[who].Move(ctx, opponent.Question{
		Rules: g.final.Rules, Moves: movesOf(g.plays), Clock: clock,
	})
	took := m.now() - began
	var lost *opponent.LostError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("wait for a move: %w", context.Cause(ctx))
	case errors.As(err, &lost):
		g.forfeit(who, lost.Reason)
		return nil
	case err != nil:
		return err //nolint:wrapcheck // the sentence for the user
	}
	play := notation.Play{Move: engine.At(answer.Square), Eval: answer.Eval}
	if m.clock.Running() {
		if left[turn] -= took; left[turn] < 0 {
			g.forfeit(who, "its time ran out")
			return nil
		}
		left[turn] += m.clock.Increment
		play.Time = notation.Number(fmt.Sprintf("%.2f", took.Seconds()))
	}
	g.add(play)
	return nil
}

func movesOf(plays []notation.Play) []engine.Move {
	moves := make([]engine.Move, len(plays))
	for i, p := range plays {
		moves[i] = p.Move
	}
	return moves
}

// add plays a move that is legal.
func (g *matchGame) add(p notation.Play) {
	g.plays = append(g.plays, p)
	if s, disc := p.Move.Square(); disc {
		g.final = g.final.Place(s)
	} else {
		g.final = g.final.Pass()
	}
}

// forfeit ends the game: who has lost it by what it did.
func (g *matchGame) forfeit(who int, reason string) {
	g.Forfeit, g.Reason = string(rune('A'+who)), reason
	g.Points = float64(who)
}

// settle counts.
func (g *matchGame) settle() {
	g.Moves = notation.Transcript(movesOf(g.plays))
	if g.Forfeit != "" {
		return
	}
	g.Black, g.White = g.final.Score()
	switch d := g.difference(); {
	case d > 0:
		g.Points = 1
	case d == 0:
		g.Points = 0.5
	}
}

// difference is A's discs minus B's.
func (g *matchGame) difference() int {
	if g.ABlack {
		return g.Black - g.White
	}
	return g.White - g.Black
}

// notation returns the game for files.
func (g *matchGame) notation(m *match) *notation.Game {
	n := &notation.Game{
		Rules: g.final.Rules, Plays: g.plays, Event: plaintext.Const("reversi-board match"), Round: plaintext.Clean(strconv.Itoa(g.Number), plaintext.MaxName),
	}
	for i, name := range g.names {
		c := engine.Black
		if (i == 0) != g.ABlack {
			c = engine.White
		}
		n.Players[c].Name = plaintext.Clean(name, plaintext.MaxName)
		if g.Forfeit == string(rune('A'+i)) {
			n.Recorded = notation.Outcome{Known: true, Winner: c.Opponent(), End: notation.EndAdjudicated}
			n.Comment = plaintext.CleanComment(name+" lost the game: "+g.Reason, plaintext.MaxComment)
		}
	}
	if m.clock.Running() {
		clock := notation.Clock{
			Main:      notation.Period{Time: m.clock.Main},
			Increment: notation.Period{Time: m.clock.Increment, Moves: 1},
		}
		text := plaintext.Clean(clock.String(), plaintext.MaxLine)
		n.Clocks = [2]plaintext.Text{text, text}
	}
	return n
}
