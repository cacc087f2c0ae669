package app

import (
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/opponent"
)

// What a program is told of the clocks: 6 s for each of its moves to come are kept
// for the hands that make them, as long as half is left for thinking.
func TestTimeToThink(t *testing.T) {
	const s = time.Second
	settings := func(text string) clock.Settings {
		c, err := clock.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tc := range []struct {
		name, clock   string
		used          [2]time.Duration
		empties       int
		limit         time.Duration
		main          time.Duration
		black, white  time.Duration
		increment, at time.Duration
	}{
		{name: "no clock", clock: "none", empties: 60, limit: 2 * s},
		{name: "no clock of its own", clock: "black 5:00, white none", empties: 60, limit: 2 * s},
		// 60 empties are 30 moves of White, 180 s, which is more than half.
		{name: "five minutes", clock: "5:00", empties: 60, limit: 2 * s, at: 2 * s, main: 300 * s, black: 300 * s, white: 150 * s},
		// 3 moves need 18 s of 30.
		{name: "at the end", clock: "5:00", used: [2]time.Duration{10 * s, 270 * s}, empties: 6, main: 300 * s, black: 290 * s, white: 15 * s},
		{name: "hardly anything", clock: "5:00", used: [2]time.Duration{0, 298 * s}, empties: 20, main: 300 * s, black: 300 * s, white: s},
		// The hands live on the increment.
		{name: "increment", clock: "3:00/8", empties: 60, main: 180 * s, black: 180 * s, white: 180 * s, increment: 8 * s},
		// All moves are made on the one clock: 10 of them.
		{name: "one clock", clock: "game 20:00", used: [2]time.Duration{1000 * s, 0}, empties: 10, main: 1200 * s, black: 200 * s, white: 140 * s},
		// In the main time what the periods give counts too: 60 + 3 x 30 - 60 s.
		{name: "before the periods", clock: "1:00+3x0:30", empties: 20, main: 60 * s, black: 150 * s, white: 90 * s},
		{name: "in a period", clock: "1:00+3x0:30", used: [2]time.Duration{0, 65 * s}, empties: 20, at: 19 * s},
		{name: "in a period, with a bound", clock: "1:00+3x0:30", used: [2]time.Duration{0, 65 * s}, empties: 20, limit: 2 * s, at: 2 * s},
	} {
		c := clock.New(settings(tc.clock))
		now := time.Hour
		for _, color := range []engine.Color{engine.Black, engine.White} {
			c.Start(color, now)
			now += tc.used[color]
			c.Stop(now)
		}
		got := thinkingTime(&c, engine.White, tc.empties, tc.limit, now)
		want := opponent.Clock{Main: tc.main, Increment: tc.increment, Left: [2]time.Duration{tc.black, tc.white}, Limit: tc.at}
		if got != want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, want)
		}
	}
}
