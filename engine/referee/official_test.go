package referee_test

import (
	"fmt"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// The profiles of events as the settings have them; that they are these is
// tested there.

func club() referee.Profile {
	p := referee.Home()
	p.Name, p.Commit, p.Flips, p.ClaimAfterEnd = "club", referee.CommitPressIfClock, referee.FlipsStand, true
	p.Takeback, p.Hints, p.Flag = referee.TakebackUntilReply, referee.HintsOff, referee.FlagLoss
	p.FlipLights, p.FlipLightsAfter = referee.LightsAfter, 10*time.Second
	p.Empties = referee.EmptiesToWinner
	return p
}

func woc() referee.Profile {
	p := referee.Home()
	p.Name, p.Commit, p.Flips, p.ClaimAfterEnd = "woc", referee.CommitPress, referee.FlipsStand, true
	p.Improper, p.Takeback = referee.ImproperClaimed, referee.TakebackNever
	p.FlipLights, p.Hints, p.Flag = referee.LightsOff, referee.HintsLocked, referee.FlagGrace
	p.Empties = referee.EmptiesToWinner
	return p
}

func jof() referee.Profile {
	p := woc()
	p.Name, p.FlipsCorrectedByMover, p.Pass, p.Flag = "jof", true, referee.PassByPress, referee.FlagJof
	return p
}

func festival() referee.Profile {
	p := referee.Home()
	p.Name, p.Takeback, p.Flag, p.Empties = "festival", referee.TakebackUntilReply, referee.FlagCount, referee.EmptiesAsTheyLie
	return p
}

// officialTable lays out a game of an event.
func officialTable(t *testing.T, p referee.Profile, timed string) *table {
	t.Helper()
	return variantTable(t, variant(t, "classic"), p, timed)
}

func variantTable(t *testing.T, rules engine.Rules, p referee.Profile, timed string) *table {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	settings, err := clock.Parse(timed)
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, state: referee.New(referee.Match{Rules: rules, Profile: p, Clock: settings})}
	tb.discs = rules.Start.Discs
	tb.look()
	tb.expect("start " + rules.Name)
	return tb
}

// press presses the clock now; the last reading holds.
func (tb *table) press(c engine.Color) {
	tb.t.Helper()
	tb.step(referee.Pressed{At: tb.now, By: c})
}

// wait lets time go by, with the ticks that were asked for.
func (tb *table) wait(d time.Duration) {
	tb.t.Helper()
	until := tb.now + d
	for tb.wake > 0 && tb.wake <= until {
		tb.now = max(tb.now, tb.wake)
		tb.wake = 0
		tb.step(referee.Tick{At: tb.now})
	}
	tb.now = until
}

// made plays whole moves that are pressed, each a second after the last one.
func (tb *table) made(transcript string) {
	tb.t.Helper()
	for ; len(transcript) >= 2; transcript = transcript[2:] {
		by := tb.state.Game.Turn
		tb.play(transcript[:2])
		tb.press(by)
	}
}

// clocks compares what both players have left now, in the form of time.Duration.
func (tb *table) clocks(black, white string) {
	tb.t.Helper()
	got := fmt.Sprint(tb.state.Clock.Remaining(engine.Black, tb.now), " ", tb.state.Clock.Remaining(engine.White, tb.now))
	if want := black + " " + white; got != want {
		tb.t.Fatalf("at %v the clocks have %s left, want %s", tb.now, got, want)
	}
}

// runs says whose clock must run.
func (tb *table) runs(c engine.Color) {
	tb.t.Helper()
	if got := tb.state.Clock.Running; got != c {
		tb.t.Fatalf("at %v the clock of %v runs, want %v", tb.now, got, c)
	}
}

// lit compares what the lights show of the guide.
func (tb *table) lit(want string) {
	tb.t.Helper()
	shown := *tb
	shown.state.Guide = tb.state.Lit()
	shown.guide(want)
}

// record compares the transcript.
func (tb *table) record(want string) {
	tb.t.Helper()
	if got := tb.state.Transcript(); got != want {
		tb.t.Fatalf("the record is %s, want %s", got, want)
	}
}

// revived is the same table after a restart: its events are folded anew. What
// the cells say is gone.
func (tb *table) folded() referee.State {
	s := referee.New(tb.state.Match)
	for _, ev := range tb.all {
		referee.Apply(&s, ev)
	}
	return s
}
