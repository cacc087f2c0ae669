package clock_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want clock.Settings
		form string
	}{
		{"none", clock.Settings{}, "none"},
		{"5:00", clock.Same(clock.Control{Main: 5 * minute}), "5:00"},
		{" 0:30 ", clock.Same(clock.Control{Main: 30 * sec}), "0:30"},
		{"5:00/3", clock.Same(clock.Control{Main: 5 * minute, Increment: 3 * sec}), "5:00/3"},
		{"5:00/0:03", clock.Same(clock.Control{Main: 5 * minute, Increment: 3 * sec}), "5:00/3"},
		{"5:00/1:30", clock.Same(clock.Control{Main: 5 * minute, Increment: 90 * sec}), "5:00/1:30"},
		{"5:00/0", clock.Same(clock.Control{Main: 5 * minute}), "5:00"},
		{"10:00+3x0:30", clock.Same(clock.Control{Main: 10 * minute, Periods: 3, Period: 30 * sec}), "10:00+3x0:30"},
		{"0:00+1x30", clock.Same(clock.Control{Periods: 1, Period: 30 * sec}), "0:00+1x0:30"},
		{"1:30:00", clock.Same(clock.Control{Main: 90 * minute}), "1:30:00"},
		{"90:00", clock.Same(clock.Control{Main: 90 * minute}), "1:30:00"},
		{
			"black 5:00, white 30:00/10",
			clock.Settings{Sides: [2]clock.Control{{Main: 5 * minute}, {Main: 30 * minute, Increment: 10 * sec}}},
			"black 5:00, white 30:00/10",
		},
		{
			"black none,white 1:00",
			clock.Settings{Sides: [2]clock.Control{{}, {Main: minute}}},
			"black none, white 1:00",
		},
		{"black 5:00, white 5:00", clock.Same(clock.Control{Main: 5 * minute}), "5:00"},
		{"black none, white none", clock.Settings{}, "none"},
		{"game 20:00", clock.Settings{Sides: [2]clock.Control{{Main: 20 * minute}}, Shared: true}, "game 20:00"},
	} {
		got, err := clock.Parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.text, got, err, c.want)
		}
		if form := got.String(); form != c.form {
			t.Errorf("%q is written %q, want %q", c.text, form, c.form)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "5", "5:0", "5:60", "5:00:", ":30", "-5:00", "+5:00", "5:00/", "5:00/x", "5:00/-3", "0:00", "0:00/5",
		"5:00+3", "5:00+0x0:30", "5:00+3x0:00", "5:00+3x", "5:00+101x0:30", "5:00/3+3x0:30", "5:00+3x0:30/3",
		"100:00:01", "5:00/1:00:01", "1:00:00:00", "game", "game none", "game 0:00", "game", "Black 5:00, white 5:00",
		"black 5:00", "black 5:00, black 5:00", "white 5:00, black 5:00", "black 5:00 white 5:00", "black 5:00,", "5:00, 5:00",
		"5.00", "5:00 /3", "٣:٠٠", strings.Repeat("5", 200), "1e3:00",
	} {
		if s, err := clock.Parse(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		} else if !strings.Contains(err.Error(), "5:00/3") {
			t.Errorf("%q: the message %q has no example", text, err)
		}
	}
}

// settings draws what Parse can say.
func settings() *rapid.Generator[clock.Settings] {
	control := func(t *rapid.T, name string) clock.Control {
		seconds := func(low, high int, what string) time.Duration {
			return time.Duration(rapid.IntRange(low, high).Draw(t, name+what)) * sec
		}
		switch rapid.IntRange(0, 3).Draw(t, name) {
		case 0:
			return clock.Control{}
		case 1:
			return clock.Control{Main: seconds(1, 360000, "main")}
		case 2:
			return clock.Control{Main: seconds(1, 360000, "main"), Increment: seconds(1, 3600, "increment")}
		default:
			return clock.Control{
				Main:    seconds(0, 360000, "main"),
				Periods: rapid.IntRange(1, 100).Draw(t, name+"periods"), Period: seconds(1, 3600, "period"),
			}
		}
	}
	return rapid.Custom(func(t *rapid.T) clock.Settings {
		s := clock.Settings{Sides: [2]clock.Control{control(t, "black"), control(t, "white")}}
		if rapid.IntRange(0, 3).Draw(t, "shared") == 0 && s.Sides[0] != (clock.Control{}) {
			s = clock.Settings{Sides: [2]clock.Control{s.Sides[0]}, Shared: true}
		}
		return s
	})
}

func TestSettingsAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := settings().Draw(r, "settings")
		back, err := clock.Parse(s.String())
		if err != nil || back != s {
			r.Fatalf("%q is read as %+v, %v, want %+v", s.String(), back, err, s)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"none", "5:00", "5:00/3", "10:00+3x0:30", "black 5:00, white 30:00/10", "game 20:00", "black none, white 0:01", "1:00:00/0:59",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := clock.Parse(text)
		if err != nil {
			return
		}
		back, err := clock.Parse(s.String())
		if err != nil || back != s {
			t.Fatalf("%q is %+v, written %q, read as %+v, %v", text, s, s.String(), back, err)
		}
	})
}

// What an event says of the clocks is enough to go on with them, to the
// nanosecond, after a restart on another monotonic clock.
func TestRestore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := clock.New(settings().Draw(r, "settings"))
		now := clock.Time(0)
		turn := engine.Black
		c.Start(turn, now)
		for range rapid.IntRange(0, 20).Draw(r, "moves") {
			now += time.Duration(rapid.Int64Range(0, int64(20*minute)).Draw(r, "think"))
			c.Press(turn, now)
			turn = turn.Opponent()
		}
		now += time.Duration(rapid.Int64Range(0, int64(minute)).Draw(r, "more"))
		times := c.Times(now)
		again := clock.New(c.Settings)
		again.Restore(times, turn, 7*sec)
		if got := again.Times(7 * sec); got != times {
			r.Fatalf("%v: restored %+v, want %+v", c.Settings, got, times)
		}
		// Both go on alike.
		later := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(r, "later"))
		c.Press(turn, now+later)
		again.Press(turn, 7*sec+later)
		if got, want := again.Times(7*sec+later), c.Times(now+later); got != want || again.Down != c.Down {
			r.Fatalf("%v: %v after %+v the restored clocks show %+v, the others %+v", c.Settings, later, times, got, want)
		}
	})
}

func TestTimesOfAGameWithoutClocks(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Settings{})
	if got := c.Times(minute); got != (clock.Times{}) {
		t.Errorf("%+v", got)
	}
	c.Restore(clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{sec, sec}}, engine.Black, 0)
	if c.Running != engine.None || c.Times(0) != (clock.Times{}) {
		t.Errorf("a game without clocks has got some: %+v", c)
	}
}
