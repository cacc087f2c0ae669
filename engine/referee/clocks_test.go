package referee_test

import (
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

const (
	black = engine.Black
	white = engine.White
)

// The clock of the player on turn runs from the start of the game. Where moves
// are committed by a quiet board, the time of a move ends when its discs lay as
// they must, not when the board has been quiet for long enough.
func TestClocksOfSettledMoves(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.runs(black)
	tb.clocks("5m0s", "5m0s")
	tb.put("b f5")
	tb.clocks("4m59s", "5m0s") // the mover's clock runs until the commit
	tb.runs(black)
	tb.lay("b e5")
	tb.now += time.Second
	tb.step(referee.Seen{At: tb.now, Changed: tb.now - 200*time.Millisecond, Discs: tb.discs})
	tb.expect("black f5: e5")
	tb.runs(white)
	tb.clocks("4m58.2s", "4m59.8s")
	moved, ok := tb.all[len(tb.all)-1].(referee.Moved)
	if !ok || moved.Think != 1800*time.Millisecond || moved.Clock.Left != [2]time.Duration{4*time.Minute + 58200*time.Millisecond, 5 * time.Minute} {
		t.Errorf("%+v", moved)
	}
}

// Scenario 25: each side by its own rule.
func TestEachSideHasItsOwnClock(t *testing.T) {
	tb := officialTable(t, referee.Home(), "black 5:00, white 30:00/10")
	tb.play("f5d6c3") // a second each
	tb.clocks("4m58s", "30m9s")
}

// One clock for the whole game runs whoever is to move.
func TestOneClockForTheGame(t *testing.T) {
	tb := officialTable(t, festival(), "game 20:00")
	tb.play("f5d6c3")
	tb.clocks("19m57s", "19m57s")
}

// Scenario 20, the clocks: a pass moves the clock over and earns nothing.
func TestPassMovesTheClockWithoutIncrement(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00/3")
	tb.play("f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8")
	if last := tb.said[len(tb.said)-1]; last != "black passes" {
		t.Fatalf("the last event is %s", last)
	}
	// Eight moves of a second each, three seconds for every one.
	tb.clocks("5m16s", "5m16s")
	tb.runs(white)
	passed, ok := tb.all[len(tb.all)-1].(referee.Passed)
	if !ok || passed.Clock.Left != [2]time.Duration{5*time.Minute + 16*time.Second, 5*time.Minute + 16*time.Second} {
		t.Errorf("%+v", passed)
	}
}

// Scenario 11: a takeback gives both clocks back as at the start of that turn.
func TestTakebackRestoresBothClocks(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00/3")
	tb.play("f5")
	tb.wait(19 * time.Second)
	tb.play("d6") // White has thought for 20 s
	tb.clocks("5m2s", "4m43s")
	tb.wait(9 * time.Second)
	tb.put("- d6") // Black's clock runs meanwhile
	tb.clocks("4m52s", "4m43s")
	tb.put("b d5")
	tb.expect("black f5: e5", "white d6: d5", "undo 1 to ply 1, white to move")
	tb.clocks("5m2s", "5m0s")
	tb.runs(white)
	tb.wait(time.Second)
	tb.clocks("5m2s", "4m59s")
}

// Scenario 11, woc: there is no takeback, the disc is missing.
func TestNoTakebackAtTheWOC(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5d6")
	tb.said = nil
	tb.put("- d6")
	tb.wait(3 * time.Second)
	tb.guide("white d6")
	tb.stage(referee.Playing, referee.Correcting, black)
	tb.put("b d5")
	tb.wait(3 * time.Second)
	tb.lit("turn d5 white d6")
	tb.stage(referee.Playing, referee.Correcting, black)
	tb.record("f5d6")
	for _, said := range tb.said {
		if said == "undo 1 to ply 1, white to move" {
			t.Error(said)
		}
	}
}

func TestTakebackUntilTheReply(t *testing.T) {
	p := referee.Home()
	p.Takeback = referee.TakebackUntilReply
	tb := officialTable(t, p, "none")
	tb.play("f5d6")
	tb.discs = engine.Start().Discs // both moves at once
	tb.look()
	tb.record("f5d6")
	tb.discs = engine.NewGame(variant(t, "classic")).Place(tb.sq("f5")).Discs
	tb.look()
	tb.record("f5")
}

// A press commits the move; the time counts from the press.
func TestPressCommits(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5")
	tb.put("b e5")
	tb.expect() // nobody has pressed
	tb.stage(referee.Playing, referee.InProgress, black)
	tb.wait(2 * time.Second)
	tb.press(black)
	tb.expect("black f5: e5")
	tb.clocks("29m56s", "30m0s")
	tb.runs(white)
	tb.press(black) // the clock that stands is no button
	tb.expect()
	tb.runs(white)
}

// Who presses before the board has been quiet has pressed all the same.
func TestPressWaitsForTheReading(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5")
	pressed := tb.now + 400*time.Millisecond
	tb.step(referee.Pressed{At: pressed, By: black, Wait: 300 * time.Millisecond})
	tb.expect()
	if want := pressed + 300*time.Millisecond; tb.wake != want {
		t.Fatalf("asked to be woken at %v, want %v", tb.wake, want)
	}
	tb.lay("b e5")
	tb.step(referee.Seen{At: pressed + 200*time.Millisecond, Changed: pressed - 10*time.Millisecond, Discs: tb.discs})
	tb.now = pressed + time.Second
	tb.expect("black f5: e5")
	tb.clocks("29m58.6s", "29m59s")
}

// When no reading comes, the last one was what lay there.
func TestPressWithoutAnotherReading(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5") // without its flip
	tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond})
	tb.expect()
	tb.wait(300 * time.Millisecond)
	tb.expect("black f5: ", "flips open at 1, missed e5")
	tb.clocks("29m59s", "29m59.7s")
}

// The flag cannot fall while a press is being judged.
func TestPressBeforeTheFlag(t *testing.T) {
	p := club()
	tb := officialTable(t, p, "0:05")
	tb.put("b f5")
	pressed := tb.now + 3990*time.Millisecond // 10 ms are left
	tb.step(referee.Pressed{At: pressed, By: black, Wait: 300 * time.Millisecond})
	tb.lay("b e5")
	tb.step(referee.Tick{At: pressed + 100*time.Millisecond})
	tb.expect()
	tb.step(referee.Seen{At: pressed + 200*time.Millisecond, Discs: tb.discs})
	tb.now = pressed + 200*time.Millisecond
	tb.expect("black f5: e5")
	tb.clocks("10ms", "4.8s")
}

// With a disc in the hand nothing is committed.
func TestPressWithADiscInTheHand(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.lay("b f5")
	tb.put("- e5")
	tb.press(black)
	tb.expect()
	tb.put("b e5")
	tb.expect("black f5: e5")
	tb.clocks("29m59s", "29m59s")

	tb.lay("w d6")
	tb.put("- d5")
	tb.press(white)
	tb.wait(3 * time.Second)
	tb.expect("illegal white d6 flips_pending")
	tb.guide("white d5")
	tb.runs(white)
}

// With unsure cells nothing is committed: the press is judged when they say
// something again.
func TestPressWithALostBank(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5")
	rank5 := engine.Bitboard(0xFF) << 32
	tb.lost = rank5
	tb.put("b e5") // nobody can see it
	tb.press(black)
	tb.wait(20 * time.Second)
	tb.expect()
	tb.lost = 0
	tb.look()
	tb.expect("black f5: e5")
	tb.clocks("29m58s", "29m39s")
}

// Scenario 68: a press with nothing played, though there are moves.
func TestFalsePass(t *testing.T) {
	for _, p := range []referee.Profile{referee.Home(), club(), woc(), jof()} {
		t.Run(p.Name, func(t *testing.T) {
			tb := officialTable(t, p, "5:00")
			tb.wait(time.Second)
			tb.press(black)
			if p.Name == "home" {
				tb.expect() // no move is ended with a press there
			} else {
				tb.expect("illegal black ?? pass_not_allowed")
			}
			tb.wait(time.Second)
			tb.clocks("4m58s", "5m0s")
			tb.stage(referee.Playing, referee.ToMove, black)
			tb.guide("")
			tb.order(referee.PassPressed{By: black})
			tb.expect("illegal black ?? pass_not_allowed", "refused not_allowed")
			tb.runs(black)
			tb.order(referee.PassPressed{By: white})
			tb.expect("refused not_allowed")
		})
	}
}

// A press in the middle of something else says what is still to be done, where moves
// are ended with a press.
func TestPressOnTheWayBack(t *testing.T) {
	for _, p := range []referee.Profile{referee.Home(), club()} {
		tb := officialTable(t, p, "5:00")
		tb.put("b f5")
		tb.put("b e5")
		tb.press(black)
		tb.put("w d6")
		tb.put("w d5")
		tb.press(white)
		tb.said = nil
		tb.put("- d6") // White takes the move back
		tb.press(black)
		if p.Name == "home" {
			tb.expect()
		} else {
			tb.expect("illegal black d5 flips_pending")
		}
		tb.put("b d5")
		tb.expect("undo 1 to ply 1, white to move")
	}
}

// A press beside a disc that is off the board is refused for that, and not for flips.
func TestPressWhileADiscIsMissing(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("- d5")
	tb.wait(4 * time.Second)
	tb.press(black)
	tb.expect("illegal black d5 disc_missing")
}

// A press is no longer one when the reading shows a takeback.
func TestPressAndTakeback(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.said = nil
	tb.step(referee.Pressed{At: tb.now, By: black, Wait: 300 * time.Millisecond})
	tb.lay("- d6")
	tb.put("b d5")
	tb.wait(time.Second)
	tb.expect("undo 1 to ply 1, white to move")
	tb.runs(white)
}

// What must be right is not pressed wrong.
func TestPressOfWrongFlipsIsRefused(t *testing.T) {
	p := referee.Home()
	p.Commit = referee.CommitPress
	tb := officialTable(t, p, "5:00")
	tb.put("b f5")
	tb.press(black)
	tb.expect("illegal black f5 flips_pending")
	tb.runs(black)
	tb.put("b e5 d4")
	tb.expect("illegal black d4 extra_flip")
	tb.press(black)
	tb.expect()
	tb.put("w d4")
	tb.press(black)
	tb.expect("black f5: e5")
	tb.runs(white)
	tb.clocks("4m57s", "5m0s")
}

// A player who forgets to press has pressed when the reply lies there.
func TestReplyPressesForTheMover(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5 e5")
	tb.expect()
	tb.put("w d6")
	tb.expect("black f5: e5")
	tb.clocks("29m58s", "30m0s")
	tb.runs(white)
	tb.put("w d5")
	tb.press(white)
	tb.expect("white d6: d5")
}

// While the mover has not pressed, his flips are not finished: the opponent has
// to wait also where wrong flips stand.
func TestReplyBeforeThePressHasToWait(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("b f5")
	tb.put("w d6")
	tb.expect("illegal white d6 flips_pending")
	tb.runs(black)
	tb.put("- d6")
	tb.put("b e5")
	tb.press(black)
	tb.expect("black f5: e5")
}

// A program does not press.
func TestProgramsMoveIsNotPressed(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	m := tb.state.Match
	m.Opponent = referee.Opponent{Kind: referee.Builtin, Level: 1, Side: white}
	tb.order(referee.NewGame{Match: m})
	tb.discs = engine.Start().Discs
	tb.look()
	tb.said = nil
	tb.made("f5")
	tb.step(referee.Suggested{At: tb.now, Square: tb.sq("d6")})
	tb.play("d6")
	tb.expect("black f5: e5", "white d6: d5")
	tb.runs(black)
}

// jof: who has to pass says so with a press.
func TestPassByPress(t *testing.T) {
	const blocked = "f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8"
	tests := []struct {
		name string
		do   func(tb *table)
		want []string
	}{
		{"by the clock", func(tb *table) { tb.press(black) }, []string{"black passes"}},
		{"by the button", func(tb *table) { tb.order(referee.PassPressed{By: engine.None}) }, []string{"command arbiter", "black passes"}},
		{"by the reply", func(tb *table) {
			tb.discs = tb.state.Game.Pass().Place(tb.sq("b7")).Discs
			tb.look()
		}, []string{"black passes"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tb := officialTable(t, jof(), "30:00")
			tb.made(blocked)
			tb.said = nil
			tb.stage(referee.Playing, referee.ToMove, black)
			tb.runs(black)
			tc.do(tb)
			tb.expect(tc.want...)
			tb.runs(white)
		})
	}
}

// The rules for flags. Black has five seconds and thinks for a minute.
func TestFlags(t *testing.T) {
	tests := []struct {
		name         string
		profile      referee.Profile
		rule         referee.FlagRule
		timed        string
		events       []string
		black, white string
		running      engine.Color
		phase        referee.Phase
	}{
		{"none", referee.Home(), referee.FlagNone, "0:05", []string{"flag of black: none"}, "0s", "5s", black, referee.Playing},
		{
			"loss", club(), referee.FlagLoss, "0:05",
			[]string{"flag of black: loss", "over white 0-64 discs 2-2 flag"},
			"0s", "5s", engine.None, referee.Over,
		},
		{"grace", woc(), referee.FlagGrace, "0:05", []string{"flag of black: grace"}, "1m5s", "5s", black, referee.Playing},
		{"jof", jof(), referee.FlagJof, "0:05", []string{"flag of black: jof"}, "0s", "5s", engine.None, referee.Playing},
		{
			"count", festival(), referee.FlagCount, "game 0:05",
			[]string{"flag of none: count", "over none 2-2 discs 2-2 flag"},
			"0s", "0s", engine.None, referee.Over,
		},
		{
			"byo-yomi", club(), referee.FlagLoss, "0:03+1x0:02",
			[]string{"flag of black: loss", "over white 0-64 discs 2-2 flag"},
			"0s", "5s", engine.None, referee.Over,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tb := officialTable(t, tc.profile, tc.timed)
			begun := tb.now
			if tc.profile.Flag != tc.rule {
				t.Fatal("not the rule that the profile has")
			}
			if tb.wake != begun+5*time.Second {
				t.Fatalf("asked to be woken at %v, want 5 s after %v", tb.wake, begun)
			}
			tb.wait(time.Minute)
			tb.expect(tc.events...)
			tb.now = begun + time.Minute
			tb.clocks(tc.black, tc.white)
			tb.runs(tc.running)
			if tb.state.Phase != tc.phase {
				t.Errorf("phase %v, want %v", tb.state.Phase, tc.phase)
			}
			flag, ok := tb.all[1].(referee.ClockFlag)
			if !ok || flag.At != begun+5*time.Second {
				t.Errorf("%+v, want the flag exactly 5 s after the start", tb.all[1])
			}
			tb.wait(time.Hour)
			if tc.name != "grace" {
				tb.expect() // one flag
			}
		})
	}
}

// Scenario 26: 60 ms and 5 ms are time; the flag falls at zero, once.
func TestLastMilliseconds(t *testing.T) {
	tb := officialTable(t, club(), "1:00")
	begun := tb.now
	tb.order(referee.ClockSet{Black: 61 * time.Second, White: 5 * time.Millisecond})
	tb.now = begun + 61*time.Second - 60*time.Millisecond + time.Second
	tb.clocks("60ms", "5ms")
	tb.step(referee.Tick{At: tb.now})
	tb.step(referee.Tick{At: tb.now + 60*time.Millisecond - 1})
	tb.expect("command arbiter", "clocks set")
	tb.step(referee.Tick{At: tb.now + 60*time.Millisecond})
	tb.expect("flag of black: loss", "over white 0-64 discs 2-2 flag")
	tb.clocks("0s", "5ms")
	tb.step(referee.Tick{At: tb.now + time.Hour})
	tb.expect()
}

// A second flag loses.
func TestGraceIsGivenOnce(t *testing.T) {
	tb := officialTable(t, woc(), "0:05")
	tb.wait(2*time.Minute + 4*time.Second)
	tb.expect("flag of black: grace")
	tb.wait(time.Second)
	tb.expect("flag of black: loss", "over white 0-64 discs 2-2 flag")
}

// jof: the opponent plays on for both sides while the clocks stand, and says with
// a press when he has seen enough.
func TestPlayingOnForBothSides(t *testing.T) {
	tb := officialTable(t, jof(), "0:05")
	tb.wait(10 * time.Second)
	tb.expect("flag of black: jof")
	tb.play("f5d6c3") // committed by a quiet board
	tb.expect("black f5: e5", "white d6: d5", "black c3: d4")
	tb.clocks("0s", "5s")
	tb.press(black)
	tb.expect()
	tb.press(white)
	tb.expect("over white 31-33 discs 5-2 flag")
}

// Who is given time after his flag has fallen plays on himself.
func TestTimeGivenAfterTheFlag(t *testing.T) {
	tb := officialTable(t, jof(), "0:05")
	tb.wait(10 * time.Second)
	tb.order(referee.ClockSet{Black: time.Minute, White: -1, Reason: plaintext.Const("the clock was broken")})
	tb.expect("flag of black: jof", "command arbiter", "clocks set")
	tb.runs(black)
	tb.clocks("1m0s", "5s")
}

// A move that lay there before the flag fell counts.
func TestMoveBeforeTheFlag(t *testing.T) {
	p := referee.Home()
	p.Flag = referee.FlagLoss
	tb := officialTable(t, p, "0:05")
	begun := tb.now
	tb.put("b f5")
	tb.lay("b e5")
	tb.step(referee.Seen{At: begun + 5100*time.Millisecond, Changed: begun + 4900*time.Millisecond, Discs: tb.discs})
	tb.now = begun + 5100*time.Millisecond
	tb.expect("black f5: e5")
	tb.clocks("100ms", "4.8s")
	tb.lay("w d6 d5")
	tb.step(referee.Seen{At: begun + 11*time.Second, Changed: begun + 10800*time.Millisecond, Discs: tb.discs})
	tb.expect("flag of white: loss", "over black 64-0 discs 4-1 flag")
}

// Scenarios 22 and 24: the wall clock has nothing to do with it.
func TestWallClockStepsChangeNothing(t *testing.T) {
	tb := officialTable(t, club(), "5:00")
	tb.put("b f5")
	for _, by := range []time.Duration{24 * time.Hour, -48 * time.Hour} {
		tb.step(referee.WallStepped{At: tb.now, By: by})
	}
	tb.expect("wall clock stepped by 24h0m0s", "wall clock stepped by -48h0m0s")
	tb.put("b e5")
	tb.press(black)
	tb.expect("black f5: e5")
	tb.clocks("4m58s", "5m0s")
}

// A pause stops both clocks and what the mover has thought; hands are free.
func TestPause(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.put("b f5")
	tb.order(referee.Pause{Reason: plaintext.Const("fire alarm")})
	tb.expect("command arbiter", "paused by arbiter")
	tb.stage(referee.Paused, referee.NoStep, black)
	tb.guide("")
	tb.runs(engine.None)
	tb.put("- f5 e5 d4")
	tb.put("w a1 b2")
	tb.wait(time.Hour)
	tb.expect()
	tb.press(black)
	tb.order(referee.Pause{})
	tb.expect("refused not_allowed")
	tb.lay("- a1 b2")
	tb.lay("b f5")
	tb.put("w d4 e5")
	tb.order(referee.Resume{})
	tb.expect("command arbiter", "resumed by arbiter")
	tb.guide("flip e5")
	tb.runs(black)
	tb.clocks("4m58s", "5m0s")
	tb.put("b e5")
	tb.expect("black f5: e5")
	tb.clocks("4m57s", "5m0s")
	moved, ok := tb.all[len(tb.all)-1].(referee.Moved)
	if !ok || moved.Think != 3*time.Second {
		t.Errorf("%+v, want 3 s of thought", moved)
	}
	tb.order(referee.Resume{})
	tb.expect("refused not_allowed")
}

// Nothing that is waited for keeps asking to be woken.
func TestTicksEnd(t *testing.T) {
	for _, p := range []referee.Profile{referee.Home(), club(), woc(), jof()} {
		tb := officialTable(t, p, "0:30")
		tb.put("b f5")
		tb.step(referee.Pressed{At: tb.now, By: black, Wait: 100 * time.Millisecond})
		tb.put("- d4")
		ticks := 0
		for ; tb.wake > 0 && ticks < 50; ticks++ {
			tb.now, tb.wake = max(tb.now, tb.wake), 0
			tb.step(referee.Tick{At: tb.now})
		}
		if ticks == 0 || ticks > 8 {
			t.Errorf("%s: %d ticks", p.Name, ticks)
		}
	}
}
