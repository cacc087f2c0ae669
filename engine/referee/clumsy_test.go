package referee_test

import (
	"fmt"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// What clumsy hands have found, one story each.

// Two moves are taken back at once, and the later one had turned the disc of the
// earlier one: taken up, it may also be a disc that is still to be turned. It has
// been taken back when it stays away.
func TestTakebackOfAMoveWhoseDiscWasTurnedSince(t *testing.T) {
	tb := newTable(t)
	tb.play("e6d6c6") // d6 turns d5, c6 turns both back
	tb.said = nil
	tb.put("- c6 d6")
	tb.expect()
	tb.guide("flip d5 d6")
	tb.wait(2 * time.Second)
	tb.expect()
	tb.wait(2 * time.Second)
	tb.expect("undo 2 to ply 1, white to move")
	tb.guide("")
	tb.stage(referee.Playing, referee.ToMove, white)
}

// Only the later one is taken back: d6 was in a hand for a moment.
func TestTakebackThatTurnsADiscInTheAir(t *testing.T) {
	tb := newTable(t)
	tb.play("e6d6c6")
	tb.said = nil
	tb.put("- c6 d6")
	tb.put("w d6")
	tb.guide("flip d5")
	tb.put("w d5")
	tb.expect("undo 1 to ply 2, black to move")
}

// A finished move lies there unpressed when the mover's flag falls, and the
// opponent now plays on for both sides: nobody will press any more.
func TestUnpressedMoveWhenTheFlagFalls(t *testing.T) {
	tb := officialTable(t, jof(), "0:05")
	tb.put("b f5 e5")
	tb.expect()
	tb.wait(10 * time.Second)
	tb.expect("flag of black: jof", "black f5: e5")
	tb.stage(referee.Playing, referee.ToMove, white)
	tb.clocks("0s", "5s")
}

// A period of byo-yomi that was begun anew for a move is not given for one that is
// claimed.
func TestClaimTakesThePeriodBack(t *testing.T) {
	tb := officialTable(t, woc(), "0:00+2x0:15")
	tb.wait(4 * time.Second)
	tb.put("b f5") // five seconds
	tb.press(black)
	tb.expect("black f5: ", "flips open at 1, missed e5")
	tb.clocks("30s", "30s")
	tb.wait(time.Second)
	tb.press(white)
	tb.expect("flips claimed at 1, missed e5")
	tb.runs(black)
	tb.clocks("25s", "29s")
	tb.wait(time.Second)
	tb.clocks("24s", "29s")
	tb.put("b e5")
	tb.expect("flips fixed at 1, missed e5")
	tb.clocks("30s", "29s")
}

// A move that lay there before the flag fell counts, although the board had not
// been quiet for long enough to say so.
func TestMoveThatIsSeenAfterTheFlag(t *testing.T) {
	for _, c := range []struct {
		name    string
		changed time.Duration
		want    []string
		white   string
	}{
		{"it lay there before", 5900 * time.Millisecond, []string{"black f5: e5"}, "4.8s"},
		{"it came later", 6050 * time.Millisecond, []string{"flag of black: loss", "over white 0-64 discs 2-2 flag"}, "5s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := club()
			p.Commit = referee.CommitSettle
			tb := officialTable(t, p, "0:05") // the game began at 1 s
			tb.state.Lag = 300 * time.Millisecond
			tb.put("b f5")
			tb.lay("b e5")
			tb.wait(4100 * time.Millisecond)
			tb.expect()
			tb.step(referee.Seen{At: tb.now, Changed: c.changed, Discs: tb.discs})
			tb.expect(c.want...)
			tb.clocks(map[bool]string{true: "100ms", false: "0s"}[len(c.want) == 1], c.white)
			tb.wait(time.Second)
			tb.expect()
		})
	}
}

// With nothing on its way the flag is told of when it can be known.
func TestFlagIsToldOfWhenNoReadingCanComeAnyMore(t *testing.T) {
	p := club()
	p.Commit = referee.CommitSettle
	tb := officialTable(t, p, "0:05")
	tb.state.Lag = 300 * time.Millisecond
	tb.look()
	tb.wait(4200 * time.Millisecond)
	tb.expect()
	tb.wait(100 * time.Millisecond)
	tb.expect("flag of black: loss", "over white 0-64 discs 2-2 flag")
	over, ok := tb.all[len(tb.all)-1].(referee.GameOver)
	if !ok || over.At != 6*time.Second {
		t.Errorf("the game ended at %v, its flag fell at 6s", over.At)
	}
}

// The flag falls in the moment in which the last reading of the move is judged.
func TestUnpressedMoveReadAfterTheFlag(t *testing.T) {
	tb := officialTable(t, jof(), "0:05")
	tb.put("b f5")
	tb.lay("b e5")
	tb.now = 6100 * time.Millisecond // the flag fell at 6 s
	tb.step(referee.Seen{At: tb.now, Changed: 5900 * time.Millisecond, Discs: tb.discs})
	tb.expect("flag of black: jof", "black f5: e5")
}

// A wrong disc lies there, its player presses and takes it away at once: that was
// no pass.
func TestPressBesideAMistakeIsNoFalsePass(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("b a1")
	tb.expect("illegal black a1 no_flip")
	tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond})
	tb.lay("- a1")
	tb.now += 250 * time.Millisecond
	tb.step(referee.Seen{At: tb.now, Changed: tb.now - 200*time.Millisecond, Discs: tb.discs})
	tb.wait(time.Second)
	tb.expect()
}

// A disc too many is turned last, and the press comes before the board has been
// quiet: what lay there at the press counts, not what was seen last.
func TestPressOnABoardThatIsNotQuiet(t *testing.T) {
	for _, moving := range []bool{true, false} {
		tb := officialTable(t, woc(), "5:00")
		tb.put("b f5 e5")
		tb.lay("w d5") // it turns while he presses
		tb.now += time.Second
		tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond, Moving: moving})
		if !moving {
			// A quiet board need not be waited for.
			tb.expect("black f5: e5")
			continue
		}
		tb.expect()
		changed := tb.now - 20*time.Millisecond
		tb.now += 200 * time.Millisecond
		tb.step(referee.Seen{At: tb.now, Changed: changed, Discs: tb.discs})
		tb.expect("black f5: d5 e5", "flips open at 1, extra d5")
		tb.clocks("4m58s", "4m59.8s")
	}
}

// It only looked like that: no other reading comes.
func TestPressOnABoardThatComesToRestAsItWas(t *testing.T) {
	tb := officialTable(t, woc(), "5:00")
	tb.put("b f5 e5")
	tb.now += time.Second
	tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond, Moving: true})
	tb.expect()
	tb.wait(400 * time.Millisecond)
	tb.expect("black f5: e5")
	tb.clocks("4m58s", "4m59.6s")
}

// He takes the wrong disc away: that is no claim either.
func TestPressBesideAMistakeIsNoClaim(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("b f5")
	tb.press(black)
	tb.expect("black f5: ", "flips open at 1, missed e5")
	tb.put("w a1")
	tb.expect("illegal white a1 no_flip")
	tb.step(referee.Pressed{At: tb.now, By: white, Wait: 300 * time.Millisecond})
	tb.lay("- a1")
	tb.now += 250 * time.Millisecond
	tb.step(referee.Seen{At: tb.now, Changed: tb.now - 200*time.Millisecond, Discs: tb.discs})
	tb.wait(time.Second)
	tb.expect()
	tb.press(white)
	tb.expect("flips claimed at 1, missed e5")
}

// The mover puts his flips right of his own accord, in the opponent's time. The
// opponent's turn has begun before, and a takeback goes back to there.
func TestTakebackOfTheReplyToFlipsThatWereMended(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("b f5") // at 2 s, a second of Black's
	tb.press(black)
	tb.wait(3 * time.Second)
	tb.put("b e5") // White has thought for four seconds
	tb.expect("black f5: ", "flips open at 1, missed e5", "flips fixed at 1, missed e5")
	tb.clocks("4m59s", "4m56s")
	tb.put("w d6 d5")
	tb.press(white)
	moved, ok := tb.all[len(tb.all)-1].(referee.Moved)
	if !ok || moved.Think != 5*time.Second {
		t.Errorf("White has thought for %v, want 5s", moved.Think)
	}
	tb.put("- d6")
	tb.put("b d5")
	tb.expect("white d6: d5", "undo 1 to ply 1, white to move")
	tb.clocks("4m59s", "5m0s")
}

// After a claim the turn of the opponent begins when the flips are right.
func TestThinkingBeginsWhenClaimedFlipsAreRight(t *testing.T) {
	tb := officialTable(t, woc(), "5:00")
	tb.put("b f5")
	tb.press(black)
	tb.press(white)
	tb.wait(9 * time.Second)
	tb.put("b e5")
	tb.put("w d6 d5")
	tb.press(white)
	moved, ok := tb.all[len(tb.all)-1].(referee.Moved)
	if !ok || moved.Think != time.Second {
		t.Errorf("White has thought for %v, want 1s", moved.Think)
	}
}

// A quick opponent has replied, and turned some of his discs, before the board was
// quiet: these are not the mover's mistakes.
func TestQuickReplyWithSomeFlipsIsNoMistakeOfTheMover(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.said = nil
	g := tb.state.Game
	c3 := tb.sq("c3")
	after := g.Place(c3)
	// White's reply to c3 that turns most; one of its discs is turned already.
	var reply engine.Square
	for s := range after.Legal().All() {
		if after.Flips(s).Count() > after.Flips(reply).Count() || after.Flips(reply) == 0 {
			reply = s
		}
	}
	one := (after.Flips(reply) &^ g.Flips(c3)).First()
	if after.Flips(reply).Count() < 2 {
		t.Fatalf("%v turns %v only", reply, after.Flips(reply))
	}
	tb.discs = after.After(reply, one.Bit()).Discs
	tb.look()
	tb.expect("black c3: " + g.Flips(c3).String())
	tb.discs = after.Place(reply).Discs
	tb.look()
	tb.expect("white " + reply.String() + ": " + after.Flips(reply).String())
}

// The mover turns one of his own discs over by mistake, which the reply would turn as
// well. It was seen before the reply lay there, so that it is his mistake.
func TestOwnDiscTurnedThatTheReplyWouldTurn(t *testing.T) {
	tb := officialTable(t, club(), "none")
	tb.play("f5d6")
	tb.said = nil
	g := tb.state.Game
	move, own, reply := careless(t, &g)
	after := g.Place(move)
	// One flip of the reply is done already, and it is this one.
	tb.discs = after.With(own, white)
	tb.look()
	tb.expect()
	tb.discs = tb.discs.With(reply, white)
	tb.look()
	tb.expect(fmt.Sprintf("black %v: %v", move, g.Flips(move)|own.Bit()), fmt.Sprintf("flips stands at 3, extra %v", own))
}

// careless finds a move, another disc of the mover that it does not turn, and a
// reply that is legal with that disc turned over and without, and would turn it.
func careless(t *testing.T, g *engine.Game) (move, own, reply engine.Square) {
	t.Helper()
	for m := range g.Legal().All() {
		next := g.Place(m)
		for o := range (g.Of(g.Turn) &^ g.Flips(m)).All() {
			turned := next
			turned.Discs = turned.With(o, g.Turn.Opponent())
			for r := range (next.Legal() & turned.Legal()).All() {
				if next.Flips(r).Has(o) {
					return m, o, r
				}
			}
		}
	}
	t.Fatal("there is no such move")
	return 0, 0, 0
}

// A game that was given up, or that the time has ended, cannot be opened by a claim.
func TestNothingIsClaimedWhenAGameWasGivenUp(t *testing.T) {
	for _, how := range []string{"resigned", "flag"} {
		t.Run(how, func(t *testing.T) {
			tb := officialTable(t, club(), "0:30")
			tb.put("b f5")
			tb.press(black)
			tb.expect("black f5: ", "flips open at 1, missed e5")
			if how == "resigned" {
				tb.order(referee.Resign{Color: white})
				tb.expect("command arbiter", "over black 62-2 discs 3-2 resign")
			} else {
				tb.wait(40 * time.Second)
				tb.expect("flag of white: loss", "over black 64-0 discs 3-2 flag")
			}
			tb.press(white)
			tb.expect()
			tb.order(referee.Claim{By: white})
			tb.expect("refused not_allowed")
		})
	}
}

// The flag falls before anybody has moved: the start still lies there, but nobody has
// set it up for another game. Without that an empty table would play for ever.
func TestStartThatWasNeverTouchedIsNoOtherGame(t *testing.T) {
	t.Run("faces are seen", func(t *testing.T) {
		tb := officialTable(t, festival(), "game 0:20")
		tb.wait(30 * time.Second)
		tb.expect("flag of none: count", "over none 2-2 discs 2-2 flag")
		tb.wait(time.Minute)
		tb.look()
		tb.expect()
		tb.put("- d4") // now somebody has
		tb.put("w d4")
		tb.expect("start classic")
	})
	t.Run("faces are not seen", func(t *testing.T) {
		m := referee.Match{Rules: variant(t, "classic"), Profile: festival()}
		var err error
		if m.Clock, err = clock.Parse("game 0:20"); err != nil {
			t.Fatal(err)
		}
		tb := &table{t: t, state: referee.NewPresence(m), now: time.Second}
		lie := m.Rules.Start.Occupied()
		feel := func(squares, lifted engine.Bitboard) {
			tb.now += time.Second
			tb.step(referee.Felt{At: tb.now, Squares: squares, Lifted: lifted})
		}
		feel(lie, 0)
		tb.wait(30 * time.Second)
		tb.expect("start classic", "flag of none: count", "over none 2-2 discs 2-2 flag")
		tb.wait(time.Minute)
		tb.expect()
		feel(lie, tb.sq("d4").Bit())
		tb.wait(4 * time.Second)
		tb.expect("start classic")
	})
}

// Nor does a press, where nobody has to press, make the board forget that flag.
func TestPressBeforeAFlagIsToldOf(t *testing.T) {
	tb := officialTable(t, festival(), "0:05")
	tb.state.Lag = 300 * time.Millisecond
	tb.put("b f5")
	tb.wait(4100 * time.Millisecond) // the flag fell 100 ms ago
	tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond})
	tb.expect()
	tb.wait(time.Second)
	if len(tb.said) < 2 || tb.said[0] != "flag of black: count" {
		t.Errorf("events %q", tb.said)
	}
}

// The flag falls of a player who should have passed with a press: the opponent now
// plays on for both sides, and nobody presses any more.
func TestPassThatWasNotPressedWhenTheFlagFalls(t *testing.T) {
	tb := officialTable(t, jof(), "0:30")
	tb.made("f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8") // Black cannot move
	tb.said = nil
	if !tb.state.PassDue() {
		t.Fatal("Black need not say that he passes")
	}
	tb.wait(40 * time.Second)
	tb.expect("flag of black: jof", "black passes")
	tb.stage(referee.Playing, referee.ToMove, white)
}
