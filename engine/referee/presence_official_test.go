package referee_test

import (
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// feltTable is a table of an event on a board that sees no faces: a flip is a
// disc that is lifted and put back.
type feltTable struct{ *table }

func officialBlindTable(t *testing.T, p referee.Profile, timed string) feltTable {
	t.Helper()
	settings, err := clock.Parse(timed)
	if err != nil {
		t.Fatal(err)
	}
	m := referee.Match{Rules: variant(t, "classic"), Profile: p, Clock: settings}
	b := feltTable{&table{t: t, state: referee.NewPresence(m), discs: m.Rules.Start.Discs}}
	b.feel("", "")
	b.expect("start classic")
	return b
}

// feel puts discs on squares, lifts and puts back others, and lets the board
// settle.
func (b feltTable) feel(placed, lifted string) {
	b.t.Helper()
	squares := func(names string) engine.Bitboard {
		set, err := engine.ParseSquares(names)
		if err != nil {
			b.t.Fatal(err)
		}
		return set
	}
	b.discs.Black |= squares(placed)
	b.now += time.Second
	b.step(referee.Felt{
		At: b.now, Changed: b.now - 200*time.Millisecond, Squares: b.discs.Occupied(), Lifted: squares(lifted),
	})
}

// Clocks and presses are the same on such a board.
func TestPresenceWithClocks(t *testing.T) {
	b := officialBlindTable(t, referee.Home(), "5:00")
	b.feel("f5", "")
	b.feel("", "e5")
	b.expect("black f5: e5")
	b.clocks("4m58.2s", "4m59.8s")
	b.runs(white)
}

// A flip that was not made is seen to be missing when the mover presses, may be
// claimed, and is put right by the same gesture.
func TestPresenceWithClaims(t *testing.T) {
	b := officialBlindTable(t, woc(), "30:00")
	b.feel("f5", "")
	b.press(black)
	b.expect("black f5: ", "flips open at 1, missed e5")
	b.press(white)
	b.expect("flips claimed at 1, missed e5")
	b.lit("flip e5")
	b.feel("", "e5")
	b.expect("flips fixed at 1, missed e5")
	b.runs(white)
	b.feel("d6", "")
	b.feel("", "d5")
	b.press(white)
	b.expect("white d6: d5")
}

// After a power cut the clocks go on with the first disc.
func TestPresenceAfterAPowerCut(t *testing.T) {
	b := officialBlindTable(t, referee.Home(), "5:00")
	b.feel("f5", "e5")
	b.expect("black f5: e5")
	b.state = b.folded()
	b.state.Presence = true
	b.said = nil
	b.step(referee.PowerOn{At: b.now, Gap: time.Minute})
	b.feel("", "")
	b.expect("power ")
	b.runs(engine.None)
	b.feel("d6", "")
	b.expect("resumed by players")
	b.feel("", "d5")
	b.expect("white d6: d5")
}

// Hands are led to a position that was ruled: discs that must show another face
// are lifted and put back.
func TestPresenceWithARuling(t *testing.T) {
	b := officialBlindTable(t, referee.Home(), "none")
	b.feel("f5", "e5")
	b.said = nil
	b.order(referee.CorrectSquare{White: b.sq("f5").Bit(), Black: b.sq("c3").Bit(), Turn: engine.None})
	b.expect("command arbiter", "set, white to move")
	b.guide("turn f5 black c3")
	b.feel("", "f5")
	b.guide("black c3")
	b.feel("c3", "")
	b.guide("")
	b.expect()
	b.stage(referee.Playing, referee.ToMove, white)
}
