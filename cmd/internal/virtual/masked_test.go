package virtual_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// Whole games with one to six cells that fail before or during the game: every
// move gets on record as it was made, or the players are asked where its disc
// lies and the true square is among those named. No game stops, and nothing
// else gets on record.
func TestGamesWithMaskedCells(t *testing.T) {
	asked, plies := 0, 0
	for seed := range uint64(60) {
		b := started(t, seed+1, &memory{})
		g := maskedGame{bench: b, rng: rand.New(rand.NewPCG(seed, 3))} //nolint:gosec // random games, repeatably
		if err := g.play(); err != nil {
			t.Errorf("seed %d, after %s, masked %v: %v; the board says %q", seed,
				b.table.Core.State.Transcript(), b.table.Core.State.Masked, err, display.Sentence(&b.table.Core.State))
		}
		asked, plies = asked+g.asked, plies+g.plies
	}
	t.Logf("%d plies, asked %d times", plies, asked)
	if asked == 0 || asked > plies/50 {
		t.Errorf("asked %d times in %d plies", asked, plies)
	}
}

// maskedGame is a game on a board some of whose cells fail.
type maskedGame struct {
	*bench
	rng          *rand.Rand
	masked       engine.Bitboard
	asked, plies int
}

func (g *maskedGame) play() error {
	failing := 1 + g.rng.IntN(6)
	for {
		state := &g.table.Core.State
		if state.Phase != referee.Playing {
			return nil
		}
		if failing > 0 && g.rng.IntN(8) == 0 {
			if err := g.fail(); err != nil {
				return err
			}
			failing--
		}
		game := state.Game
		// A move that leaves no trace on believed cells has to wait for a better one.
		var choice []engine.Square
		for sq := range game.Legal().All() {
			if (sq.Bit()|game.Flips(sq))&^g.masked != 0 {
				choice = append(choice, sq)
			}
		}
		if len(choice) == 0 {
			return nil
		}
		if err := g.move(&game, choice[g.rng.IntN(len(choice))]); err != nil {
			return err
		}
		g.plies++
	}
}

// fail lets a cell fail for good.
func (g *maskedGame) fail() error {
	sq := engine.Square(g.rng.IntN(engine.Squares))
	if legal := slices.Collect(g.table.Core.State.Game.Legal().All()); g.rng.IntN(2) == 0 {
		sq = legal[g.rng.IntN(len(legal))] // where it hurts
	}
	if g.masked.Has(sq) {
		return nil
	}
	g.masked |= sq.Bit()
	if err := g.sim.FailCell(int(sq), sim.CellFault{Kind: sim.BothActive}); err != nil {
		return err
	}
	if err := g.pass(time.Second); err != nil {
		return err
	}
	return g.expectEvents([]string{fmt.Sprintf("sensor_fault stuck %v", sq)})
}

// move makes a move by hand and wants it on record.
func (g *maskedGame) move(game *engine.Game, sq engine.Square) error {
	flips := game.Flips(sq)
	if err := g.playMove(sq, game.Turn, flips); err != nil {
		return err
	}
	if len(g.events) == 0 || strings.HasPrefix(g.events[0], "illegal_move") {
		if err := g.answer(sq); err != nil {
			return err
		}
	}
	want := []string{fmt.Sprintf("move %v %v flips %v", game.Turn, sq, flips)}
	if len(g.events) > 1 && (strings.HasPrefix(g.events[1], "pass") || strings.HasPrefix(g.events[1], "game_over")) {
		want = append(want, g.events[1])
	}
	return g.expectEvents(want)
}

// answer waits for the question where the disc lies and answers it.
func (g *maskedGame) answer(sq engine.Square) error {
	if err := g.pass(5 * time.Second); err != nil {
		return err
	}
	if !g.table.Asked().Has(sq) {
		return fmt.Errorf("%v is on the board, asked about %q, events %q", sq, g.table.Asked(), g.events)
	}
	g.asked++
	if err := g.table.Confirm(sq); err != nil {
		return err
	}
	if err := g.pass(300 * time.Millisecond); err != nil {
		return err
	}
	g.events = slices.DeleteFunc(g.events, func(e string) bool { return strings.HasPrefix(e, "illegal_move") })
	return nil
}
