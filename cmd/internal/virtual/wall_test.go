package virtual_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// presses is the script of a game of nearly two hours: for each pair of moves the
// milliseconds from the press of the opponent, or from the start, to the player's
// own press. Black's 29 make 59 minutes, White's 58: of an hour each, 1:00 and
// 2:00 are left.
func presses() [29][2]int {
	return [29][2]int{
		{106889, 143461},
		{64377, 155331},
		{187276, 100135},
		{45107, 136449},
		{159001, 36014},
		{117175, 35354},
		{41559, 65665},
		{152010, 163923},
		{36520, 111566},
		{133876, 88071},
		{44473, 144281},
		{49599, 116866},
		{131633, 85093},
		{230508, 187528},
		{57730, 167773},
		{82167, 73563},
		{181500, 141975},
		{260209, 131780},
		{169131, 204253},
		{124792, 174080},
		{267225, 82643},
		{38753, 226006},
		{238278, 47462},
		{98478, 109605},
		{62757, 179816},
		{56254, 54487},
		{103116, 124276},
		{227872, 31131},
		{71735, 161413},
	}
}

// Scenario 24: two hours of play on a board whose wall clock is set again and
// again, by a day in either direction, to 1970, to 2019 and back. Both clocks show
// what the script of the presses says, to 50 ms at every move and in the end; no
// flag falls, nothing is taken for a move, and every step is on record once.
func TestTwoHoursUnderStepsOfTheWallClock(t *testing.T) {
	t.Run("24 Two hours under steps of the wall clock", func(t *testing.T) {
		b, err := newBench(24, &memory{})
		must(t, err)
		must(t, b.profile("woc"))
		b.config.Game.Clock = "1:00:00"
		must(t, b.switchOn())
		t.Cleanup(func() { must(t, b.table.Close()) })
		must(t, b.pass(500*time.Millisecond))
		must(t, b.expectEvents([]string{"game_started classic, black to move"}))
		w := &wallGame{bench: b, began: b.table.Core.State.TurnSince}
		w.left = [2]time.Duration{time.Hour, time.Hour}
		b.table.OnFact = w.fact
		moves, script := movesOf(t, realGame), presses()
		for ply, sq := range moves {
			mustAt(t, fmt.Sprintf("ply %d", ply+1), w.move(ply, sq, time.Duration(script[ply/2][ply%2])*time.Millisecond))
		}
		must(t, b.pass(time.Second))
		if w.left != [2]time.Duration{time.Minute, 2 * time.Minute} {
			t.Fatalf("the script leaves %v", w.left)
		}
		final := b.table.Core.State.Clock.Times(b.now).Left
		if off := [2]time.Duration{final[0] - time.Minute, final[1] - 2*time.Minute}; max(off[0].Abs(), off[1].Abs()) > 50*time.Millisecond {
			t.Errorf("the clocks show %v in the end, want 1:00 and 2:00", final)
		}
		if w.moves != len(moves) || w.steps != w.set || w.over != 1 || w.others != 0 || w.set < 100 {
			t.Errorf("%d moves of %d, %d steps of %d, %d other events", w.moves, len(moves), w.steps, w.set, w.others)
		}
		for _, text := range w.wrong {
			t.Error(text)
		}
		must(t, b.sameAsJournal())
	})
}

// wallGame is a game by the script.
type wallGame struct {
	*bench
	// began is when the turn began, left what both players have by the script.
	began time.Duration
	left  [2]time.Duration
	// set counts the steps of the wall clock that were made, steps, moves, over and
	// others the events.
	set, steps, moves, over, others int
	// zero is the wall clock when the monotonic one was zero, as it was set last.
	zero  time.Time
	wrong []string
}

// step sets the wall clock.
func (w *wallGame) step() {
	now := w.table.Wall()
	w.table.SetWall([]time.Time{
		now.AddDate(0, 0, 1), now.AddDate(0, 0, -1), time.Unix(12, 0), time.Date(2019, 5, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(w.now),
	}[w.set%5])
	w.set++
	w.zero = w.table.Wall().Add(-w.now)
}

// move thinks, makes a move and presses, all as the script says. The wall clock is
// set while somebody thinks, before the disc has settled, while one is turned, just
// before the press, or while the reading after it is on its way.
func (w *wallGame) move(ply int, sq engine.Square, think time.Duration) error {
	state := &w.table.Core.State
	game := state.Game
	press := w.began + think
	w.table.Skip(press - w.now - 5*time.Second)
	w.now = w.table.Now()
	w.clock = w.now
	w.step()
	if err := w.pass(300 * time.Millisecond); err != nil {
		return err
	}
	rest, err := w.sim.Place(w.clock, int(sq), virtual.Face(game.Turn))
	if err != nil {
		return err
	}
	if err := w.pass(rest - w.clock + 40*time.Millisecond); err != nil {
		return err
	}
	if ply%3 == 0 {
		w.step()
	}
	for s := range game.Flips(sq).All() {
		if rest, err = w.sim.Turn(w.clock, int(s), sim.TurnThroughEmpty, 250*time.Millisecond); err != nil {
			return err
		}
		if err := w.pass(rest - w.clock - 150*time.Millisecond); err != nil {
			return err
		}
		if ply%3 == 1 && s == game.Flips(sq).First() {
			w.step()
		}
	}
	if err := w.pass(press - w.clock - 30*time.Millisecond); err != nil {
		return err
	}
	if ply%3 == 2 {
		w.step()
	}
	if err := w.pass(30 * time.Millisecond); err != nil {
		return err
	}
	w.left[game.Turn] -= think
	w.began = press
	// A press comes between two scans.
	_, err = w.table.Do(referee.Pressed{At: press, By: game.Turn, Wait: w.config.Sensing.Settle + 100*time.Millisecond})
	if err == nil && ply%2 == 0 {
		w.step()
	}
	return errors.Join(err, w.pass(2*w.period))
}

// fact looks at every event.
func (w *wallGame) fact(f app.Fact, now time.Duration) {
	env, ev, err := record.DecodeEvent(f.Payload)
	if err != nil {
		w.wrong = append(w.wrong, err.Error())
		return
	}
	switch kind := record.TypeOf(f.Payload); kind {
	case "time_stepped":
		w.steps++
	case "move":
		w.moves++
		move, _ := ev.(referee.Moved)
		for side, left := range move.Clock.Left {
			if off := left - w.left[side]; off.Abs() > 50*time.Millisecond {
				w.wrong = append(w.wrong, fmt.Sprintf("after move %d side %d has %v, the script says %v", w.moves, side, left, w.left[side]))
			}
		}
	case "game_over":
		w.over++
	default:
		w.others++
		w.wrong = append(w.wrong, strings.TrimSpace(eventText(f.Payload)))
	}
	if off := env.TS.Sub(w.zero.Add(now)); !w.zero.IsZero() && off.Abs() > 25*time.Millisecond {
		w.wrong = append(w.wrong, fmt.Sprintf("event %d is stamped %v, %v off", env.Seq, env.TS, off))
	}
}
