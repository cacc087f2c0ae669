package archive_test

import (
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// What an arbiter has set stands behind the move after which it was set, and times
// have the digits that the journal has: used time cut, remaining time rounded up.
func TestClocksOfAGameAreThoseOfTheJournal(t *testing.T) {
	journal, d := memoryDiary(t)
	settings, err := clock.Parse("5:00")
	if err != nil {
		t.Fatal(err)
	}
	d.game = "G1"
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	d.state = engine.NewGame(rules)
	left := func(black, white time.Duration) clock.Times {
		return clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{black, white}}
	}
	moved := func(square string, think time.Duration, c clock.Times) {
		s, err := engine.ParseSquare(square)
		if err != nil {
			t.Fatal(err)
		}
		by, flips := d.state.Turn, d.state.Flips(s)
		d.state = d.state.Place(s)
		d.event(referee.Moved{By: by, Square: s, Flipped: flips, Think: think, Clock: c})
	}
	d.event(referee.GameStarted{Match: referee.Match{Rules: d.state.Rules, Profile: referee.Home(), Clock: settings}})
	moved("f5", 1348*time.Millisecond+999*time.Microsecond, left(298*time.Second+651*time.Millisecond+time.Microsecond, 300*time.Second))
	moved("d6", 2*time.Second, left(298*time.Second+652*time.Millisecond, 298*time.Second))
	d.event(referee.ClockAdjusted{Clock: left(400*time.Second, 500*time.Second), Reason: plaintext.Const("fire alarm")})
	moved("c3", time.Second, left(399*time.Second, 500*time.Second))
	d.event(referee.GameOver{Result: referee.Result{
		Winner: engine.Black, Black: 64, DiscsBlack: d.state.Black.Count(), DiscsWhite: d.state.White.Count(), Reason: referee.Resigned,
	}, Clock: left(399*time.Second, 480*time.Second)})
	g := openGames(t, t.TempDir())
	if _, err := g.Sync(t.Context(), journal); err != nil {
		t.Fatal(err)
	}
	_, game, err := g.Get(t.Context(), "G1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ used, left notation.Number }{{"1.348", "298.652"}, {"2", "298"}, {"1", "399"}} {
		if p := game.Plays[i]; p.Time != want.used || p.Left != want.left {
			t.Errorf("move %d took %s and left %s, want %s and %s", i+1, p.Time, p.Left, want.used, want.left)
		}
	}
	want := notation.ClockChange{After: 2, Left: [2]notation.Number{"400", "500"}, Reason: plaintext.Const("fire alarm")}
	if len(game.ClockChanges) != 1 || game.ClockChanges[0] != want {
		t.Errorf("the clocks were set %+v, want %+v", game.ClockChanges, want)
	}
	pgn, _, err := notation.Append(nil, notation.FormatPGN, game)
	if text := string(pgn); err != nil || strings.Count(text, "[TimeControl") != 1 || !strings.Contains(text, `[Result "1-0"]`) || !strings.Contains(text, `[Termination "normal"]`) {
		t.Errorf("%v\n%s", err, text)
	}
}
