package referee_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// finished returns a position with so many discs in which nobody can move: a full
// board, discs of one color only, or one empty square with ten discs of a color
// that no line through it meets.
func finished(t *testing.T, black, white int) engine.Discs {
	t.Helper()
	d := discs(t, strings.Repeat("B", black)+strings.Repeat("W", white)+strings.Repeat("-", 64-black-white))
	if min(black, white) == 10 && black+white == 63 {
		few, err := engine.ParseSquares("b1 c1 d1 e1 f1 g1 a2 a3 a4 a5")
		if err != nil {
			t.Fatal(err)
		}
		d = engine.Discs{Black: ^few &^ (1 << 63), White: few}
		if black == 10 {
			d.Black, d.White = d.White, d.Black
		}
	}
	if !(engine.Position{Discs: d}).Over() || d.Black.Count() != black || d.White.Count() != white {
		t.Fatalf("%d-%d: %v", black, white, d)
	}
	return d
}

// Official scores. The games are ended by a ruling about the position. Sources:
// the rules of the game (empty squares to the holder of the majority of discs, in
// reverse too: 53-10 with one empty square is +44, and −44 in reverse), the game
// archives (31-31 with two empty squares is 32-32), the rules of the events (flags).
func TestScores(t *testing.T) {
	graced := func(c engine.Color) func(*referee.State) {
		return func(s *referee.State) { s.Flags.Graced[c] = true }
	}
	playOn := func(c engine.Color) func(*referee.State) {
		return func(s *referee.State) { s.Flags.PlayOn, s.Flags.Fallen = true, c }
	}
	nothing := func(*referee.State) {}
	for _, tc := range []struct {
		variant      string
		black, white int
		empties      referee.Empties
		before       func(*referee.State)
		want         string
	}{
		{"classic", 53, 10, referee.EmptiesToWinner, nothing, "over black 54-10 discs 53-10 no_moves"},
		{"reverse", 53, 10, referee.EmptiesToWinner, nothing, "over white 54-10 discs 53-10 no_moves"},
		{"classic", 10, 53, referee.EmptiesToWinner, nothing, "over white 10-54 discs 10-53 no_moves"},
		{"classic", 53, 10, referee.EmptiesAsTheyLie, nothing, "over black 53-10 discs 53-10 no_moves"},
		{"classic", 33, 31, referee.EmptiesToWinner, nothing, "over black 33-31 discs 33-31 no_moves"},
		{"classic", 31, 33, referee.EmptiesToWinner, nothing, "over white 31-33 discs 31-33 no_moves"},
		{"classic", 32, 32, referee.EmptiesToWinner, nothing, "over none 32-32 discs 32-32 no_moves"},
		{"classic", 64, 0, referee.EmptiesToWinner, nothing, "over black 64-0 discs 64-0 wipeout"},
		{"classic", 0, 13, referee.EmptiesToWinner, nothing, "over white 0-64 discs 0-13 wipeout"},
		{"reverse", 0, 13, referee.EmptiesToWinner, nothing, "over black 0-64 discs 0-13 wipeout"},
		{"classic", 0, 13, referee.EmptiesAsTheyLie, nothing, "over white 0-13 discs 0-13 wipeout"},
		// Two minutes more, once: the best result is then 31-33.
		{"classic", 40, 24, referee.EmptiesToWinner, graced(black), "over white 31-33 discs 40-24 flag"},
		{"classic", 32, 32, referee.EmptiesToWinner, graced(black), "over white 31-33 discs 32-32 flag"},
		{"classic", 21, 43, referee.EmptiesToWinner, graced(black), "over white 21-43 discs 21-43 no_moves"},
		{"classic", 40, 24, referee.EmptiesToWinner, graced(white), "over black 40-24 discs 40-24 no_moves"},
		{"reverse", 24, 40, referee.EmptiesToWinner, graced(black), "over white 33-31 discs 24-40 flag"},
		// Both have had it: the discs decide.
		{"classic", 40, 24, referee.EmptiesToWinner, func(s *referee.State) { s.Flags.Graced = [2]bool{true, true} }, "over black 40-24 discs 40-24 no_moves"},
		// jof: at least 33-31 for the opponent of who has no time left.
		{"classic", 40, 24, referee.EmptiesToWinner, playOn(black), "over white 31-33 discs 40-24 flag"},
		{"classic", 24, 40, referee.EmptiesToWinner, playOn(black), "over white 24-40 discs 24-40 no_moves"},
	} {
		t.Run(fmt.Sprintf("%s %d-%d %v", tc.variant, tc.black, tc.white, tc.empties), func(t *testing.T) {
			p := woc()
			p.Empties = tc.empties
			tb := variantTable(t, variant(t, tc.variant), p, "none")
			tc.before(&tb.state)
			tb.put("w a1") // what lies there is no start
			tb.said = nil
			tb.order(correction(tb.state.Game.Discs, finished(t, tc.black, tc.white), white))
			tb.expect("command arbiter", "set, white to move", tc.want)
		})
	}
}

// Scenario 75: a draw with two squares left that nobody can use.
func TestDrawWithTwoEmptySquares(t *testing.T) {
	p := referee.Home()
	p.Empties = referee.EmptiesToWinner
	tb := officialTable(t, p, "5:00")
	tb.play("f5d6c3d3c4f4f6f3e6e7d7g6g5f7e8h6d2c5c6c8c7b4b5b3g4e3g3a6h4d8b8f8g8b6h5h3f2e2c2c1d1f1e1b2a4a2a3a5a1b1a7h7h2h1g2g1g7b7")
	if last := tb.said[len(tb.said)-1]; last != "over none 32-32 discs 31-31 no_moves" {
		t.Errorf("the last event is %s", last)
	}
	tb.runs(engine.None)
}

// Scenario 74: 13-0 with 51 empty squares, in both goals; the clocks stop.
func TestWipeoutStopsTheClocks(t *testing.T) {
	for name, want := range map[string]string{
		"classic": "over black 13-0 discs 13-0 wipeout",
		"reverse": "over white 13-0 discs 13-0 wipeout",
	} {
		tb := variantTable(t, variant(t, name), referee.Home(), "5:00")
		tb.play("f5d6c5f6e7f4g5e6e3")
		if last := tb.said[len(tb.said)-1]; last != want {
			t.Errorf("%s: the last event is %s", name, last)
		}
		tb.runs(engine.None)
		tb.wait(time.Hour)
		tb.clocks("4m55s", "4m56s")
	}
}

// Scenario 76: a game that is stopped has no result, and its real position.
func TestStoppedGameHasNoScore(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5f6e6f4g5e7e3g6d3c5d6c6f7c4e8d2b5g3c7b4c2a5d7f2c3e2b3b6f3h4h3g4a6a4a3b1c1d1f1c8h6h5e1g1g2g8f8g7d8b8b7a2a8")
	tb.said = nil
	tb.order(referee.NewGame{Match: tb.state.Match})
	tb.expect("command arbiter", "over none 0-0 discs 29-28 aborted")
	if r := tb.state.Result; !r.Void || r.Empties() != 7 {
		t.Errorf("%+v", r)
	}
}

// Resignation: the winner has the empty squares, and wins.
func TestResignationScores(t *testing.T) {
	for _, tc := range []struct {
		variant  string
		position string
		loser    engine.Color
		want     string
	}{
		// Black has 3 of 6 discs: 61 for White.
		{"classic", "f5d6", black, "over white 3-61 discs 3-3 resign"},
		{"classic", "f5d6", white, "over black 61-3 discs 3-3 resign"},
		{"reverse", "f5d6", black, "over white 61-3 discs 3-3 resign"},
	} {
		tb := variantTable(t, variant(t, tc.variant), referee.Home(), "none")
		tb.play(tc.position)
		tb.said = nil
		tb.order(referee.Resign{Color: tc.loser})
		tb.expect("command arbiter", tc.want)
	}
	// Who resigns with most of the discs has lost all the same.
	tb := officialTable(t, referee.Home(), "none")
	tb.put("w a1")
	tb.order(correction(tb.state.Game.Discs, discs(t, strings.Repeat("B", 40)+strings.Repeat("W", 16)+strings.Repeat("-", 8)), black))
	tb.stage(referee.Playing, referee.InProgress, black)
	tb.said = nil
	tb.order(referee.Resign{Color: black})
	tb.expect("command arbiter", "over white 31-33 discs 40-16 resign")
}
