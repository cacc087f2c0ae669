package virtual_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/virtual"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/hardware/sim"
)

// realGame is a whole game of 58 moves with an end, won by nobody.
const realGame = "f5d6c3d3c4f4f6f3e6e7d7g6g5f7e8h6d2c5c6c8c7b4b5b3g4e3g3a6h4d8b8f8g8b6h5h3f2e2c2c1d1f1e1b2a4a2a3a5a1b1a7h7h2h1g2g1g7b7"

// Scenario 38: the power fails at every ply, at rest and in the middle of the
// flips; in half of the cases a disc is moved while it is off. The program
// starts anew from the journal, at the same table; with even seeds it knows also
// what the cells said last.
func TestPowerCutAtEveryPly(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4} {
		t.Run(fmt.Sprintf("38 Power cut at every ply, seed %d", seed), func(t *testing.T) {
			t.Parallel()
			b := started(t, seed, &memory{})
			b.remembers = seed%2 == 0
			for ply, m := range movesOf(t, realGame) {
				where := fmt.Sprintf("before ply %d", ply+1)
				mustAt(t, where, b.cutAtRest(ply%2 == int(seed%2)))
				where = fmt.Sprintf("in the flips of ply %d", ply+1)
				mustAt(t, where, b.cutInFlips(m, ply/2%2 == int(seed%2)))
			}
			must(t, b.expectEvents([]string{"game_over draw 31-31 discs 31-31 empties 2 no_moves"}))
			must(t, b.sameAsJournal())
		})
	}
}

// Scenario 38, the clocks: they show what they showed when the power failed, if the
// program knows it, otherwise what the last event says; and they stand until
// somebody plays on.
func TestPowerCutKeepsTheClocks(t *testing.T) {
	for _, remembers := range []bool{true, false} {
		b, err := newBench(1, &memory{})
		must(t, err)
		b.config.Game.Clock = "20:00/5"
		must(t, b.switchOn())
		t.Cleanup(func() { must(t, b.table.Close()) })
		must(t, b.pass(500*time.Millisecond))
		must(t, b.expectEvents([]string{"game_started classic, black to move"}))
		b.remembers = remembers
		for ply, m := range movesOf(t, realGame)[:20] {
			where := fmt.Sprintf("before ply %d", ply+1)
			state := &b.table.Core.State
			want := state.Clock.Times(state.Clock.At) // as of the last event
			must(t, b.pass(time.Second))
			mustAt(t, where, b.blackout(false, 0))
			if remembers {
				want = b.times
			}
			state = &b.table.Core.State
			if got := state.Clock.Times(b.now); got != want || state.Clock.Running != engine.None {
				t.Fatalf("%s: the clocks show %+v, %v's runs, want %+v", where, got, state.Clock.Running, want)
			}
			must(t, b.pass(10*time.Second))
			mustAt(t, where, b.expectEvents([]string{"power_restored changed"}))
			game := state.Game
			mustAt(t, where, b.playMove(m, game.Turn, game.Flips(m)))
			mustAt(t, where, b.expectEvents([]string{
				"resumed players", canonical(fmt.Sprintf("move %v %v flips %v", game.Turn, m, game.Flips(m))),
			}))
			if got := state.Clock.Running; got != game.Turn.Opponent() {
				t.Fatalf("%s: %v's clock runs", where, got)
			}
		}
		must(t, b.sameAsJournal())
	}
}

func mustAt(t *testing.T, where string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
}

// movesOf returns the squares of a game without passes.
func movesOf(t *testing.T, transcript string) []engine.Square {
	t.Helper()
	rules, err := engine.Variant("classic")
	must(t, err)
	line, err := notation.ParseTranscript(rules, transcript)
	must(t, err)
	var squares []engine.Square
	for _, m := range line.Moves {
		if sq, ok := m.Square(); ok {
			squares = append(squares, sq)
		}
	}
	return squares
}

// blackout takes the power away for some seconds, in which a disc that is not in
// keep may be moved, and gives it back.
func (b *bench) blackout(move bool, keep engine.Bitboard) error {
	b.events, b.flashes = nil, nil
	if err := b.switchOff(); err != nil {
		return err
	}
	if err := b.pass(time.Second); err != nil {
		return err
	}
	if move {
		if err := b.moveAnyDisc(keep); err != nil {
			return err
		}
	}
	if err := b.pass(3 * time.Second); err != nil {
		return err
	}
	if err := b.switchOn(); err != nil {
		return err
	}
	return b.pass(500 * time.Millisecond)
}

// moveAnyDisc lifts a disc, turns one, or pushes one to an empty square.
func (b *bench) moveAnyDisc(keep engine.Bitboard) error {
	d := b.lying()
	from := b.pick(d.Occupied() &^ keep)
	var err error
	switch to := b.pick(d.Empty() &^ keep); b.rng.IntN(3) {
	case 0:
		_, err = b.sim.Lift(b.clock, int(from))
	case 1:
		_, err = b.sim.Turn(b.clock, int(from), sim.TurnThroughEmpty, 0)
	default:
		_, err = b.sim.Slide(b.clock, int(from), int(to), sim.SlideOptions{})
	}
	return err
}

// pick returns any square of a set that is not empty.
func (b *bench) pick(set engine.Bitboard) engine.Square {
	for range b.rng.IntN(set.Count()) {
		set &= set - 1
	}
	return set.First()
}

// record says where a game stands.
func (b *bench) record() string {
	s := &b.table.Core.State
	return fmt.Sprint(s.Phase, " ", s.Turn(), " ", s.Ply(), " ", s.Transcript(), " ", s.Game.Discs)
}

// cutAtRest cuts the power while nobody is at the board.
func (b *bench) cutAtRest(move bool) error {
	before := b.record()
	if err := b.blackout(move, 0); err != nil {
		return err
	}
	if after := b.record(); after != before {
		return fmt.Errorf("the record was %s, is %s", before, after)
	}
	if !move {
		if err := b.expectEvents([]string{"power_restored changed"}); err != nil {
			return err
		}
		return b.expectLights("none")
	}
	if err := b.expectPutRight(); err != nil {
		return err
	}
	return b.putRight()
}

// cutInFlips plays a move, in the flips of which the power is cut.
func (b *bench) cutInFlips(sq engine.Square, move bool) error {
	game := b.table.Core.State.Game
	flips := game.Flips(sq)
	before := b.record()
	rest, err := b.sim.Place(b.clock, int(sq), virtual.Face(game.Turn))
	if err != nil {
		return err
	}
	if err := b.untilRest(rest + time.Duration(b.rng.IntN(2))*b.reaction); err != nil {
		return err
	}
	if err := b.turnSome(flips); err != nil {
		return err
	}
	if err := b.blackout(move, flips|sq.Bit()); err != nil {
		return err
	}
	if !move {
		return b.goOn(sq, game, before)
	}
	if after := b.record(); after != before {
		return fmt.Errorf("the record was %s, is %s", before, after)
	}
	if err := b.expectPutRight(); err != nil {
		return err
	}
	if err := b.putRight(); err != nil {
		return err
	}
	return b.play(sq.String())
}

// turnSome turns some of the flips, and is not done when it returns.
func (b *bench) turnSome(flips engine.Bitboard) error {
	for s := range flips.All() {
		if b.rng.IntN(2) == 0 {
			continue
		}
		if _, err := b.sim.Turn(b.clock, int(s), sim.TurnThroughEmpty, 0); err != nil {
			return err
		}
	}
	return b.pass(time.Duration(b.rng.IntN(400)) * time.Millisecond)
}

// goOn finishes a move after a power cut in which nobody has touched the board.
func (b *bench) goOn(sq engine.Square, game engine.Game, before string) error {
	flips := game.Flips(sq)
	want := []string{"power_restored changed " + b.changedWithoutPower(game.Discs).String()}
	done := canonical(fmt.Sprintf("move %v %v flips %v", game.Turn, sq, flips))
	open := flips &^ b.lying().Of(game.Turn)
	if open == 0 {
		return errors.Join(b.endsWith(append(want, done), game.Place(sq)), b.flashedOnce(flips|sq.Bit()))
	}
	if after := b.record(); after != before {
		return fmt.Errorf("the record was %s, is %s", before, after)
	}
	if err := b.expectEvents(want); err != nil {
		return err
	}
	if err := b.expectLights("FLIP " + open.String()); err != nil {
		return err
	}
	if err := b.follow(); err != nil {
		return err
	}
	return errors.Join(b.endsWith([]string{done}, game.Place(sq)), b.flashedOnce(flips|sq.Bit()))
}

// changedWithoutPower returns the squares that differ from what the cells said
// last, or, if the program does not know that, from the record.
func (b *bench) changedWithoutPower(record engine.Discs) engine.Bitboard {
	if b.remembers {
		record = b.seen
	}
	return record.Diff(b.lying())
}

// endsWith wants these events, and after them what the rules ask for.
func (b *bench) endsWith(want []string, game engine.Game) error {
	if game.MustPass() {
		want = append(want, "pass "+game.Turn.String())
	}
	if game.Over() {
		if n := len(b.events); n > 0 && strings.HasPrefix(b.events[n-1], "game_over") {
			defer func(over string) { b.events = []string{over} }(b.events[n-1])
			b.events = b.events[:n-1]
		}
	}
	return b.expectEvents(want)
}

// expectPutRight wants the event to name exactly the squares that have changed,
// and the LEDs to show what must change on each that differs from the record.
func (b *bench) expectPutRight() error {
	game, lying := &b.table.Core.State.Game, b.lying()
	gone := game.Occupied() &^ lying.Occupied()
	wrong := game.Diff(lying) &^ gone
	changed := b.changedWithoutPower(game.Discs)
	if err := b.expectEvents([]string{"power_restored changed " + changed.String()}); err != nil {
		return err
	}
	if text := display.Sentence(&b.table.Core.State); !strings.Contains(text, "The power was off") {
		return fmt.Errorf("the board says %q", text)
	}
	return b.expectLights(lights{
		lightWrong: wrong, lightPlaceBlack: gone & game.Black, lightPlaceWhite: gone & game.White,
	}.String())
}

// putRight does what the LEDs say until the board is as on record.
func (b *bench) putRight() error {
	if err := b.follow(); err != nil {
		return err
	}
	if got, want := b.lying(), b.table.Core.State.Game.Discs; got != want {
		return fmt.Errorf("the LEDs led to %v, the record is %v", got, want)
	}
	if err := b.expectEvents(nil); err != nil {
		return err
	}
	return b.expectLights("none")
}

var _ virtual.History = (*archive.Journal)(nil)
