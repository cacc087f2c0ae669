package clock_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
)

const (
	black  = engine.Black
	white  = engine.White
	ms     = time.Millisecond
	sec    = time.Second
	minute = time.Minute
)

func want(t *testing.T, c *clock.Clock, now clock.Time, b, w time.Duration) {
	t.Helper()
	if gotB, gotW := c.Remaining(black, now), c.Remaining(white, now); gotB != b || gotW != w {
		t.Errorf("at %v: Black %v, White %v, want %v and %v", now, gotB, gotW, b, w)
	}
}

func TestSuddenDeath(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: 5 * minute}))
	want(t, &c, 0, 5*minute, 5*minute)
	c.Start(black, 10*sec)
	want(t, &c, 40*sec, 4*minute+30*sec, 5*minute)
	c.Press(black, 70*sec)
	want(t, &c, 80*sec, 4*minute, 4*minute+50*sec)
	c.Stop(80 * sec)
	want(t, &c, time.Hour, 4*minute, 4*minute+50*sec)
	c.Start(white, time.Hour)
	at, ok := c.FlagAt()
	if !ok || at != time.Hour+4*minute+50*sec {
		t.Errorf("White's flag will fall at %v, %t", at, ok)
	}
	if c.Advance(at-1) || c.Flagged(white) {
		t.Error("the flag fell a nanosecond too early")
	}
	if !c.Advance(at) || !c.Flagged(white) || c.Flagged(black) {
		t.Error("the flag did not fall when the time was over")
	}
	if c.Advance(at + sec) {
		t.Error("a flag fell twice")
	}
	want(t, &c, at+minute, 4*minute, 0)
	if _, ok := c.FlagAt(); ok {
		t.Error("a flag that is down can fall")
	}
}

// FIDE Laws of Chess, guidelines III on "Fischer mode": the increment is added
// after each move, used or not, so time can grow.
func TestIncrement(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: minute, Increment: 5 * sec}))
	c.Start(black, 0)
	c.Press(black, 2*sec)
	want(t, &c, 2*sec, minute+3*sec, minute)
	c.Press(white, 12*sec)
	want(t, &c, 12*sec, minute+3*sec, 55*sec)
	c.Advance(5 * minute)
	c.Press(black, 5*minute)
	if c.Remaining(black, 5*minute) != 0 {
		t.Error("a move after the flag earned time")
	}
}

// Japanese byo-yomi: main time, then periods; a move within one leaves it whole.
func TestByoyomi(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: 10 * sec, Periods: 3, Period: 30 * sec}))
	want(t, &c, 0, 100*sec, 100*sec)
	c.Start(black, 0)
	if left, n := c.Shown(black, 4*sec); left != 6*sec || n != 3 {
		t.Errorf("in the main time %v and %d periods are shown", left, n)
	}
	// 25 s of the first period are used; the move gives them back.
	c.Press(black, 35*sec)
	want(t, &c, 35*sec, 90*sec, 100*sec)
	c.Press(white, 36*sec) // main time of White: 9 s left
	want(t, &c, 36*sec, 90*sec, 99*sec)
	// 40 s are more than one period: two are left, the second is whole again.
	c.Press(black, 76*sec)
	if left, n := c.Shown(black, 76*sec); left != 30*sec || n != 2 {
		t.Errorf("after a period was used up: %v and %d periods", left, n)
	}
	c.Press(white, 77*sec)
	if at, ok := c.FlagAt(); !ok || at != 137*sec {
		t.Errorf("Black's flag falls at %v, %t, want 137 s", at, ok)
	}
	if !c.Advance(137 * sec) {
		t.Error("the flag did not fall after the last period")
	}
	if left, n := c.Shown(black, 137*sec); left != 0 || n != 0 {
		t.Errorf("a fallen flag shows %v, %d", left, n)
	}
}

// A different control for each side: 5:00 against 30:00 + 10 s.
func TestEachSideItsOwn(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Settings{Sides: [2]clock.Control{{Main: 5 * minute}, {Main: 30 * minute, Increment: 10 * sec}}})
	c.Start(black, 0)
	c.Press(black, minute)
	c.Press(white, 2*minute)
	want(t, &c, 2*minute, 4*minute, 29*minute+10*sec)
}

// One clock for the whole game runs whoever is to move.
func TestSharedClock(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Settings{Sides: [2]clock.Control{{Main: 20 * minute}}, Shared: true})
	c.Start(black, 0)
	c.Press(black, minute)
	c.Press(white, 3*minute)
	want(t, &c, 3*minute, 17*minute, 17*minute)
	if at, ok := c.FlagAt(); !ok || at != 20*minute {
		t.Errorf("the flag falls at %v, %t", at, ok)
	}
	c.Advance(20 * minute)
	if !c.Flagged(black) || !c.Flagged(white) {
		t.Error("the flag is that of both")
	}
}

func TestNoClock(t *testing.T) {
	t.Parallel()
	var c clock.Clock
	c.Start(black, sec)
	c.Press(black, 2*sec)
	c.Set(white, minute, 3*sec)
	if _, ok := c.FlagAt(); ok || c.On() || c.Advance(time.Hour) || c.Remaining(black, time.Hour) != 0 {
		t.Error("a game without clocks has one")
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: minute}))
	c.Start(black, 0)
	c.Advance(2 * minute)
	c.Set(black, 2*minute, 2*minute)
	if c.Flagged(black) {
		t.Error("the flag stays down although there is time")
	}
	want(t, &c, 2*minute+30*sec, 90*sec, minute)
	c.Set(white, -sec, 3*minute)
	if !c.Flagged(white) {
		t.Error("a clock without time has its flag up")
	}
}

// Shown rounded up: zero only without any time (lichess-org/lila#17851).
func TestText(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		-sec: "0:00", 0: "0:00", 1: "0.1", 5 * ms: "0.1", 60 * ms: "0.1", 100 * ms: "0.1", 101 * ms: "0.2",
		9*sec + 801*ms: "9.9", 9*sec + 900*ms: "9.9", 9*sec + 901*ms: "0:10", 10 * sec: "0:10",
		10*sec + 1: "0:11", 59*sec + 1: "1:00", 5 * minute: "5:00", 59*minute + 59*sec + 1: "1:00:00",
		2*time.Hour + 3*minute + 4*sec: "2:03:04",
	} {
		if got := clock.Text(left); got != want {
			t.Errorf("%v shows %q, want %q", left, got, want)
		}
	}
}

// drawControl draws one side's control.
func drawControl(t *rapid.T, name string) clock.Control {
	c := clock.Control{Main: time.Duration(rapid.IntRange(0, 100).Draw(t, name+" main")) * sec}
	switch rapid.IntRange(0, 2).Draw(t, name+" kind") {
	case 1:
		c.Increment = time.Duration(rapid.IntRange(1, 9).Draw(t, name+" increment")) * sec
	case 2:
		c.Periods, c.Period = rapid.IntRange(1, 3).Draw(t, name+" periods"), 10*sec
	}
	return c
}

// Whatever is pressed when: times are never negative, a side with a clock has
// time just as long as its flag is up, and how often one looks makes no
// difference.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clock.Settings{
			Sides:  [2]clock.Control{drawControl(t, "black"), drawControl(t, "white")},
			Shared: rapid.Bool().Draw(t, "shared"),
		}
		seldom := clock.New(s)
		often := seldom
		now := clock.Time(0)
		for range rapid.IntRange(1, 30).Draw(t, "actions") {
			next := now + time.Duration(rapid.IntRange(0, 20_000).Draw(t, "wait"))*ms
			for at := now; at < next; at += 777 * ms {
				often.Advance(at)
			}
			now = next
			act := drawAction(t)
			act(&seldom, now)
			act(&often, now)
			for _, side := range []engine.Color{black, white} {
				a, b := seldom.Remaining(side, now), often.Remaining(side, now)
				if a != b || a < 0 || a > 0 && seldom.Flagged(side) {
					t.Fatalf("at %v %v has %v when asked seldom, %v when asked often, flag down %t",
						now, side, a, b, seldom.Flagged(side))
				}
			}
		}
	})
}

// drawAction draws what somebody does to a clock, perhaps nothing.
func drawAction(t *rapid.T) func(*clock.Clock, clock.Time) {
	by := engine.Color(rapid.IntRange(0, 1).Draw(t, "by"))
	switch rapid.IntRange(0, 3).Draw(t, "action") {
	case 0:
		return func(c *clock.Clock, now clock.Time) { c.Press(by, now) }
	case 1:
		return func(c *clock.Clock, now clock.Time) { c.Start(by, now) }
	case 2:
		return func(c *clock.Clock, now clock.Time) { c.Stop(now) }
	default:
		return func(*clock.Clock, clock.Time) {}
	}
}

// A side without a clock beside one with a clock never loses on time.
func TestOnlyOneSideHasAClock(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Settings{Sides: [2]clock.Control{white: {Main: minute}}})
	c.Start(black, 0)
	if _, ok := c.FlagAt(); ok || c.Advance(time.Hour) || c.Flagged(black) {
		t.Error("the side without a clock lost on time")
	}
	c.Press(black, time.Hour)
	if at, ok := c.FlagAt(); !ok || at != time.Hour+minute {
		t.Errorf("the other flag falls at %v, %t", at, ok)
	}
}

// 2 hours of a game with a press every 3 s to 40 s, against a sum kept by hand.
func TestTwoHours(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: 3 * time.Hour}))
	c.Start(black, 0)
	var used [2]time.Duration
	now, turn := clock.Time(0), black
	for i := 0; now < 2*time.Hour; i++ {
		took := time.Duration(3_000+i*7919%37_000) * ms
		now += took
		used[turn] += took
		c.Press(turn, now)
		turn = turn.Opponent()
	}
	want(t, &c, now, 3*time.Hour-used[black], 3*time.Hour-used[white])
}

func ExampleClock() {
	c := clock.New(clock.Same(clock.Control{Main: 5 * time.Minute, Increment: 3 * time.Second}))
	c.Start(engine.Black, 0)
	c.Press(engine.Black, 12*time.Second) // 12 s for the first move, 3 s back
	left := c.Remaining(engine.Black, 20*time.Second)
	fmt.Println(clock.Text(left))
	// Output: 4:51
}
