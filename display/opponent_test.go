package display_test

import (
	"testing"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// What is said about a player that is a program, and what the lights show of its
// move: the pulse of a disc to be placed, in its color.
func TestOpponent(t *testing.T) {
	t.Parallel()
	s := started(t)
	s.Match.Opponent = referee.Opponent{Kind: referee.Builtin, Level: 3, Side: engine.Black}
	say := func(want string) {
		t.Helper()
		if got := display.Sentence(&s); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	say("Black is thinking.")
	s.OpponentLost = true
	say("Black to move.")
	s.OpponentLost = false
	see := func(discs engine.Discs) {
		for range referee.Step(&s, referee.Seen{Discs: discs}, nil) {
		}
	}
	see(s.Game.Discs)
	_ = referee.Step(&s, referee.Suggested{Square: square(t, "f5")}, nil)
	say("Black plays f5: put a black disc there.")
	if sc := display.Compose(&s, display.Cues{}); sc.Lights[square(t, "f5")] != display.PlaceBlack {
		t.Errorf("the light of f5 is %v", sc.Lights[square(t, "f5")])
	}
	see(s.Game.With(square(t, "d3"), engine.Black))
	say("Black plays f5: take d3 off, then put a black disc on f5.")
	see(s.Game.With(square(t, "f5"), engine.Black))
	say("Black placed f5: turn e5.")
}
