package referee_test

import (
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// Scenario 57: White forgets d5, and Black's next disc makes it stand. The game
// goes on from the real discs.
func TestForgottenFlipStandsWithTheReply(t *testing.T) {
	p := club()
	p.FlipLights, p.FlipLightsAfter = referee.LightsAlways, 0
	tb := officialTable(t, p, "none")
	tb.play("f5")
	tb.said = nil
	tb.put("w d6")
	tb.lit("flip d5")
	tb.expect()
	tb.put("b c3")
	tb.expect("white d6: ", "flips stands at 2, missed d5")
	tb.lit("flip d4")
	if !tb.state.Irregular() {
		t.Error("the record is not irregular")
	}
	tb.put("b d4")
	tb.expect("black c3: d4")
	tb.record("f5d6c3")
	// By the rules d5 would be white: the legal moves are those of the board.
	g := tb.state.Game
	if g.Discs != tb.discs || g.At(tb.sq("d5")) != black || g.Turn != white {
		t.Errorf("the position of record is %v", g.Discs)
	}
}

// A disc turned too many stands likewise; the reply may turn it back.
func TestExtraFlipStandsWithTheReply(t *testing.T) {
	p := club()
	p.FlipLights, p.FlipLightsAfter = referee.LightsAlways, 0
	tb := officialTable(t, p, "none")
	tb.play("f5")
	tb.said = nil
	tb.put("w d6 d5 f5") // f5 was not outflanked
	tb.lit("turn f5")
	tb.expect()
	// From the real discs Black's g5 would be nothing, but d7 turns d6.
	tb.put("b d7")
	tb.expect("illegal black d7 flips_pending")
	tb.put("- d7")
	// White's f5 is outflanked by Black's g5, as e5 lies behind it.
	tb.put("b g5")
	tb.expect("white d6: d5 f5", "flips stands at 2, extra f5")
	tb.lit("flip f5")
	tb.put("b f5")
	tb.expect("black g5: f5")
}

// Two hands: the last flip of the move is done in the same reading in which the
// reply lies there, which has turned another one back already.
func TestReplyTurnsBackWhatWasTurned(t *testing.T) {
	p := club()
	tb := officialTable(t, p, "none")
	tb.play("f5f6e6f4e3c5c4")
	if tb.state.Game.Turn != white {
		t.Fatal("White is to move")
	}
	g := tb.state.Game
	// A move of White that turns two discs or more, and a reply to it with one
	// of them forgotten that turns another one back.
	move, forgotten, reply := forgetful(t, g)
	flips := g.Flips(move)
	tb.said = nil
	tb.discs = g.After(move, flips&^forgotten.Bit()).Discs
	tb.look()
	tb.expect()
	left := g.After(move, flips&^forgotten.Bit())
	tb.discs = left.After(reply, left.Flips(reply)).Discs
	tb.look()
	if len(tb.said) != 3 || tb.said[1] != "flips stands at 8, missed "+forgotten.String() {
		t.Errorf("events %q", tb.said)
	}
	if tb.state.Game.Discs != tb.discs {
		t.Error("the record is not what lies on the board")
	}
}

// forgetful finds a move, one of its flips, and a reply to the move without this
// flip that turns another flip back.
func forgetful(t *testing.T, g engine.Game) (move, forgotten, reply engine.Square) {
	t.Helper()
	for m := range g.Legal().All() {
		flips := g.Flips(m)
		for f := range flips.All() {
			next := g.After(m, flips&^f.Bit())
			for r := range next.Legal().All() {
				if turned := next.Flips(r); turned&flips&^f.Bit() != 0 && flips.Count() > 1 {
					return m, f, r
				}
			}
		}
	}
	t.Fatal("there is no such move")
	return 0, 0, 0
}

// With a clock the press commits, and the opponent may claim until he replies.
func TestClaimedFlips(t *testing.T) {
	for _, how := range []string{"by the clock", "by order", "by the arbiter"} {
		t.Run(how, func(t *testing.T) {
			tb := officialTable(t, woc(), "30:00")
			tb.made("f5") // the game began at 1 s
			tb.put("w d6")
			tb.press(white)
			tb.expect("black f5: e5", "white d6: ", "flips open at 2, missed d5")
			tb.runs(black)
			tb.guide("") // nobody says anything
			tb.stage(referee.Playing, referee.ToMove, black)
			tb.wait(2 * time.Second)
			switch how {
			case "by the clock":
				tb.press(black)
				tb.expect("flips claimed at 2, missed d5")
			case "by order":
				tb.now -= time.Second
				tb.order(referee.Claim{By: white})
				tb.expect("refused not_allowed")
				tb.now -= time.Second
				tb.order(referee.Claim{By: black})
				tb.expect("command arbiter", "flips claimed at 2, missed d5")
			case "by the arbiter":
				tb.now -= time.Second
				tb.order(referee.Claim{By: engine.None})
				tb.expect("command arbiter", "flips claimed at 2, missed d5")
			}
			tb.runs(white)
			tb.lit("flip d5") // now there is help
			tb.stage(referee.Playing, referee.Correcting, black)
			tb.wait(4 * time.Second)
			tb.clocks("29m57s", "29m55s")
			tb.put("w d5")
			tb.expect("flips fixed at 2, missed d5")
			tb.runs(black)
			tb.clocks("29m57s", "29m54s")
			tb.guide("")
			if tb.state.Irregular() {
				t.Error("the record is irregular")
			}
			tb.press(white) // he is used to pressing
			tb.expect()
			tb.made("c3")
			tb.expect("black c3: d4")
		})
	}
}

// Without a claim they stand with the next disc, whatever is said then.
func TestUnclaimedFlipsStand(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.put("w d6")
	tb.press(white)
	tb.said = nil
	tb.put("b c3")
	tb.expect("flips stands at 2, missed d5")
	tb.order(referee.Claim{By: black})
	tb.expect("refused not_allowed")
	tb.put("b d4")
	tb.press(black)
	tb.expect("black c3: d4")
	if !tb.state.Irregular() || tb.state.Game.Discs != tb.discs {
		t.Error("the record is not what lies on the board")
	}
}

// Who sees his own mistake before the reply may put it right.
func TestMoverMendsUnasked(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.put("w d6 e4")
	tb.press(white)
	tb.expect("black f5: e5", "white d6: e4", "flips open at 2, missed d5, extra e4")
	tb.put("- d5")
	tb.expect()
	tb.put("w d5")
	tb.expect()
	tb.put("b e4")
	tb.expect("flips fixed at 2, missed d5, extra e4")
	tb.runs(black)
	if e := tb.state.Entries[1]; !e.Regular() || e.Flipped != tb.sq("d5").Bit() {
		t.Errorf("the record says %+v", e)
	}
}

// jof: the mover corrects on his own time and presses again.
func TestMoverPressesAfterTheCorrection(t *testing.T) {
	tb := officialTable(t, jof(), "30:00")
	tb.made("f5")
	tb.put("w d6")
	tb.press(white)
	tb.press(black)
	tb.expect("black f5: e5", "white d6: ", "flips open at 2, missed d5", "flips claimed at 2, missed d5")
	tb.press(white) // not yet
	tb.expect("illegal white d5 flips_pending")
	tb.put("w d5")
	tb.wait(5 * time.Second)
	tb.expect()
	tb.runs(white)
	tb.press(white)
	tb.expect("flips fixed at 2, missed d5")
	tb.runs(black)
	tb.clocks("29m59s", "29m53s")
}

// Cells that cannot be read hold the correction back, not the clock.
func TestCorrectionOnALostBank(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.put("w d6")
	tb.press(white)
	tb.press(black)
	tb.said = nil
	tb.lost = engine.Bitboard(0xFF) << 32
	tb.put("w d5")
	tb.expect()
	tb.runs(white)
	tb.lost = 0
	tb.look()
	tb.expect("flips fixed at 2, missed d5")
}

// After a careless move the opponent may have to pass on the real board; the reply
// is then the mover's own next disc.
func TestCarelessMoveAndAPass(t *testing.T) {
	const game = "f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8b7a7a6b6c5"
	for n := 0; n < len(game); n += 2 {
		tb := officialTable(t, club(), "none")
		tb.play(game[:n])
		sq, forgotten, reply, ok := carelessPass(tb.state.Game)
		if !ok {
			continue
		}
		by, other := tb.state.Game.Turn, tb.state.Game.Turn.Opponent()
		tb.said = nil
		tb.discs = tb.state.Game.After(sq, tb.state.Game.Flips(sq)&^forgotten.Bit()).Discs
		tb.look()
		tb.expect()
		tb.discs = tb.discs.With(reply, by)
		tb.look()
		if len(tb.said) != 3 || tb.said[2] != other.String()+" passes" || tb.state.Pending.Square != reply {
			t.Fatalf("after %s, %v without %v and %v: events %q, %v is on its way", game[:n], sq, forgotten, reply, tb.said, tb.state.Pending.Square)
		}
		return
	}
	t.Fatal("there is no such move in the game")
}

// carelessPass finds a move with a forgotten flip after which the other side has
// no move, and the mover's next disc.
func carelessPass(g engine.Game) (sq, forgotten, reply engine.Square, ok bool) {
	for sq := range g.Legal().All() {
		for f := range g.Flips(sq).All() {
			left := g
			left.Position = g.After(sq, g.Flips(sq)&^f.Bit())
			if left.MustPass() {
				return sq, f, left.Pass().Legal().First(), true
			}
		}
	}
	return 0, 0, 0, false
}

// The increment for a move that was not finished is earned once.
func TestIncrementOfAClaimedMove(t *testing.T) {
	tb := officialTable(t, woc(), "5:00/10")
	tb.put("b f5") // 1 s
	tb.press(black)
	tb.clocks("5m9s", "5m0s")
	tb.press(white)
	tb.clocks("4m59s", "5m0s")
	tb.put("b e5") // 1 s
	tb.expect("black f5: ", "flips open at 1, missed e5", "flips claimed at 1, missed e5", "flips fixed at 1, missed e5")
	tb.clocks("5m8s", "5m0s")
}

// Other squares that are touched while a mistake is put right are shown.
func TestOnlyTheMistakeIsPutRight(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.put("w d6")
	tb.press(white)
	tb.press(black)
	tb.said = nil
	tb.put("b c3 d4")
	tb.guide("flip d5 turn d4 remove c3")
	tb.expect()
	tb.put("- c3 d6")
	tb.put("w d4 d5")
	tb.wait(3 * time.Second)
	tb.guide("white d6")
	tb.put("w d6")
	tb.expect("flips fixed at 2, missed d5")
}

// A disc that is no move counts once it is pressed; it can be claimed until the
// reply.
func TestImproperMoves(t *testing.T) {
	tests := []struct {
		name, change string
		pressed      []string
		claimed      []string
		guide        string
	}{
		{
			"a square that flips nothing", "w a1",
			[]string{"white a1 (no_flip): ", "flips open at 2"},
			[]string{"illegal white a1 no_flip", "undo 1 to ply 1, white to move"},
			"remove a1",
		},
		{
			"the wrong side up", "b d6",
			[]string{"white d6 (wrong_color): ", "flips open at 2, missed d5"},
			[]string{"illegal white d6 wrong_color", "undo 1 to ply 1, white to move"},
			"remove d6",
		},
		{
			"with a disc turned", "w a1 d5",
			[]string{"white a1 (no_flip): d5", "flips open at 2, extra d5"},
			[]string{"illegal white a1 no_flip", "undo 1 to ply 1, white to move"},
			"flip d5 remove a1",
		},
	}
	for _, tc := range tests {
		t.Run(tc.name+", claimed", func(t *testing.T) {
			tb := officialTable(t, woc(), "5:00/10")
			tb.made("f5")
			tb.said = nil
			tb.put(tc.change)
			tb.expect() // the board is no official
			tb.guide("")
			tb.lit("")
			tb.press(white)
			tb.expect(tc.pressed...)
			tb.clocks("5m9s", "5m9s")
			if !tb.state.Irregular() || tb.state.Game.Discs != tb.discs {
				t.Error("the record is not what lies on the board")
			}
			tb.wait(3 * time.Second)
			tb.press(black)
			tb.expect(tc.claimed...)
			tb.guide(tc.guide)
			tb.runs(white)
			tb.clocks("5m6s", "4m59s") // what the move had earned is gone
			tb.discs = tb.state.Game.Discs
			tb.look()
			tb.guide("")
			tb.made("d6")
			tb.expect("white d6: d5")
			tb.clocks("5m6s", "5m7s")
		})
		t.Run(tc.name+", unclaimed", func(t *testing.T) {
			tb := officialTable(t, jof(), "30:00")
			tb.made("f5")
			tb.put(tc.change)
			tb.press(white)
			tb.said = nil
			g := tb.state.Game
			reply := g.Legal().First()
			tb.discs = g.After(reply, g.Flips(reply)).Discs
			tb.look()
			tb.press(black)
			if want := "flips stands" + strings.TrimPrefix(tc.pressed[1], "flips open"); tb.said[0] != want {
				t.Errorf("events %q, want %s first", tb.said, want)
			}
			tb.order(referee.Claim{By: black})
			if tb.state.Game.Discs != tb.discs || tb.state.Ply() != 3 {
				t.Error("the game does not go on from the discs on the board")
			}
		})
	}
}

// A disc out of turn is never committed: the press of a player is about his own
// move, and whose clock stands has none.
func TestOutOfTurnIsNeverCommitted(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.said = nil
	tb.put("b d3") // Black again
	tb.press(black)
	tb.press(white)
	tb.expect("illegal black d3 out_of_turn")
	tb.guide("remove d3")
	tb.record("f5")
	tb.put("- d3")
	tb.made("d6")
	tb.expect("white d6: d5")
}

// More than one disc is no move, and nothing that could count until it is claimed.
func TestTwoDiscsCannotBePressed(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.put("b f5 e5 a1")
	tb.press(black)
	tb.expect("illegal black a1 second_disc")
	tb.record("")
}

// fullBoard is a game of the World Championship of 1978; after its last disc one
// square is left that nobody can use.
const fullBoard = "f5f6e6f4e3c5c4d3f3e2f2d2c3d6d1b5c1c2b3e1f1a3a6b4a4b6a2g3a5b2h3h2h1g1g2b1h4g4a1h5g5b7a7a8b8c8c6h6g6c7d7d8g7f7f8g8e7e8h8"

// carelessEnd plays it with a flip of the last move forgotten, which is returned
// with the game before the move.
func carelessEnd(tb *table) (before engine.Game, forgotten engine.Square) {
	tb.t.Helper()
	tb.made(fullBoard[:len(fullBoard)-2])
	tb.said = nil
	before = tb.state.Game
	flips := before.Flips(tb.sq("h8"))
	forgotten = flips.First()
	tb.discs = before.After(tb.sq("h8"), flips&^forgotten.Bit()).Discs
	tb.look()
	tb.press(before.Turn)
	return before, forgotten
}

// The last move may be claimed when the game is over, and the result follows.
func TestClaimAfterTheEnd(t *testing.T) {
	right := officialTable(t, woc(), "30:00")
	right.made(fullBoard)
	result := right.said[len(right.said)-1]

	tb := officialTable(t, woc(), "30:00")
	before, f := carelessEnd(tb)
	if n := len(tb.said); n != 3 || tb.said[1] != "flips open at 59, missed "+f.String() || tb.state.Phase != referee.Over || tb.said[2] == result {
		t.Fatalf("events %q", tb.said)
	}
	tb.wait(time.Hour)
	tb.said = nil
	tb.press(before.Turn) // nobody claims his own mistakes
	tb.expect()
	tb.press(before.Turn.Opponent())
	tb.expect("flips claimed at 59, missed " + f.String())
	tb.lit("flip " + f.String())
	tb.runs(engine.None) // whatever the clocks show
	tb.discs = before.Place(tb.sq("h8")).Discs
	tb.look()
	tb.expect("flips fixed at 59, missed "+f.String(), result)
	tb.press(before.Turn.Opponent())
	tb.expect()
}

func TestNoClaimAfterTheEnd(t *testing.T) {
	p := woc()
	p.ClaimAfterEnd = false
	tb := officialTable(t, p, "30:00")
	before, f := carelessEnd(tb)
	if n := len(tb.said); n != 4 || tb.said[2] != "flips stands at 59, missed "+f.String() {
		t.Fatalf("events %q", tb.said)
	}
	tb.said = nil
	tb.press(before.Turn.Opponent())
	tb.order(referee.Claim{By: before.Turn.Opponent()})
	tb.expect("refused not_allowed")
}

// Hands that sweep the board claim nothing; the next game has no old mistakes.
func TestSweepingEndsTheClaim(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	before, _ := carelessEnd(tb)
	tb.said = nil
	for s := range tb.discs.Occupied().All() {
		tb.put("- " + s.String())
	}
	tb.press(before.Turn.Opponent())
	tb.expect()
	tb.discs = engine.Start().Discs
	tb.look()
	tb.expect("start classic")
	tb.order(referee.Claim{})
	tb.expect("refused not_allowed")
}

// The lights of a move, by profile. White's d6 lies there, d5 is still to turn,
// f5 was turned wrongly.
func TestFlipLights(t *testing.T) {
	with := func(f referee.FlipLights) referee.Profile {
		p := club()
		p.FlipLights, p.FlipLightsAfter = f, 0
		if f == referee.LightsAfter {
			p.FlipLightsAfter = 10 * time.Second
		}
		return p
	}
	for _, tc := range []struct {
		profile      referee.Profile
		first, later string
	}{
		{with(referee.LightsAlways), "flip d5 turn f5", "flip d5 turn f5"},
		{with(referee.LightsAfter), "", "flip d5 turn f5"},
		{with(referee.LightsErrorsOnly), "turn f5", "turn f5"},
		{with(referee.LightsOff), "", ""},
	} {
		t.Run(tc.profile.FlipLights.String(), func(t *testing.T) {
			tb := officialTable(t, tc.profile, "none")
			tb.play("f5")
			tb.put("w d6 f5")
			tb.guide("flip d5 turn f5") // what there is to do is no secret of the referee
			tb.lit(tc.first)
			tb.wait(9 * time.Second)
			tb.lit(tc.first)
			tb.wait(time.Second)
			tb.lit(tc.later)
			// What is no flip of the move is always shown.
			tb.put("w a8")
			tb.lit(strings.TrimSpace(tc.later + " remove a8"))
		})
	}
}
