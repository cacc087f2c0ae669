package referee_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// Scenario 38: after a power cut both clocks show what they showed last, and
// stand until play goes on.
func TestClocksAfterAPowerCut(t *testing.T) {
	checkpoint := clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{4*time.Minute + 30*time.Second, 4*time.Minute + 58*time.Second}}
	for _, tc := range []struct {
		name         string
		on           referee.PowerOn
		black, white string
	}{
		{"as journaled", referee.PowerOn{Gap: time.Minute}, "4m59s", "4m59s"},
		{"as seen last", referee.PowerOn{Gap: time.Minute, Clock: checkpoint, ClockOK: true}, "4m30s", "4m58s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, how := range []string{"a disc", "a press", "the arbiter"} {
				tb := officialTable(t, referee.Home(), "5:00")
				tb.play("f5d6")
				tb.revive(tc.on)
				tb.look()
				tb.expect("power ")
				tb.wait(time.Hour)
				tb.clocks(tc.black, tc.white)
				tb.runs(engine.None)
				if folded := tb.folded(); folded.Clock.Times(0) != tb.state.Clock.Times(tb.now) || !folded.Halted {
					t.Error("the journal does not have these clocks")
				}
				switch how {
				case "a disc":
					tb.look()
					tb.put("b c3")
					tb.expect("resumed by players")
				case "a press":
					tb.press(black)
					tb.expect("resumed by players")
				case "the arbiter":
					tb.now -= time.Second
					tb.order(referee.Resume{})
					tb.expect("command arbiter", "resumed by arbiter")
				}
				tb.runs(black)
				tb.clocks(tc.black, tc.white)
			}
		})
	}
}

// Whoever goes on with a press goes on: with the move that lay there when the
// power failed, whether its flips are right or not.
func TestPressAfterAPowerCut(t *testing.T) {
	for flips, want := range map[string][]string{
		"b f5 e5": {"power ", "resumed by players", "black f5: e5"},
		"b f5":    {"power ", "resumed by players", "black f5: ", "flips open at 1, missed e5"},
	} {
		tb := officialTable(t, woc(), "30:00")
		tb.put(flips)
		tb.revive(referee.PowerOn{Gap: time.Minute, Seen: tb.discs, SeenOK: true})
		tb.look()
		tb.wait(time.Hour)
		tb.press(black)
		tb.expect(want...)
		tb.runs(white)
		tb.clocks("30m0s", "30m0s")
	}
}

// In mid-flip the clock stands too, until the hands go on.
func TestPowerCutInMidFlipWithClocks(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5")
	tb.put("w d6")
	tb.revive(referee.PowerOn{Gap: time.Minute, Seen: tb.discs, SeenOK: true})
	tb.look()
	tb.expect("power ")
	tb.guide("flip d5")
	tb.wait(time.Minute)
	tb.runs(engine.None)
	tb.put("w d5")
	tb.expect("resumed by players", "white d6: d5")
	tb.runs(black)
	tb.clocks("4m59s", "5m0s")
}

// A board that was changed while the power was off comes first: nothing is judged
// before it is right, and the clocks stand.
func TestPowerCutWithAChangedBoardAndClocks(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.revive(referee.PowerOn{Gap: -1})
	tb.put("- e5")
	tb.expect("power e5")
	tb.lit("black e5")
	tb.put("b e5")
	tb.guide("")
	tb.runs(engine.None)
	tb.put("b c3")
	tb.put("b d4")
	tb.expect("resumed by players", "black c3: d4")
}

// A paused game is paused after a power cut.
func TestPowerCutInAPause(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.order(referee.Pause{})
	tb.revive(referee.PowerOn{Gap: time.Minute})
	tb.put("w h8")
	tb.expect("power h8")
	tb.stage(referee.Paused, referee.NoStep, black)
	tb.guide("remove h8")
	tb.press(black)
	tb.put("- h8")
	tb.guide("")
	tb.expect()
	tb.order(referee.Resume{})
	tb.expect("command arbiter", "resumed by arbiter")
	tb.runs(black)
	tb.clocks("4m58s", "4m59s") // it was paused a second after White's move
}

// A claim that is being put right is still one.
func TestPowerCutInAClaim(t *testing.T) {
	tb := officialTable(t, woc(), "30:00")
	tb.made("f5")
	tb.put("w d6")
	tb.press(white)
	tb.press(black)
	tb.revive(referee.PowerOn{Gap: time.Minute})
	tb.look()
	tb.expect("power ")
	tb.lit("flip d5")
	tb.put("w d5")
	tb.expect("flips fixed at 2, missed d5")
	tb.put("b c3")
	tb.expect("resumed by players")
	tb.runs(black)
}

// A flag that has fallen has fallen; who plays on for both sides still does.
func TestPowerCutAfterAFlag(t *testing.T) {
	tb := officialTable(t, jof(), "0:05")
	tb.wait(10 * time.Second)
	tb.revive(referee.PowerOn{Gap: time.Minute})
	tb.look()
	tb.play("f5")
	tb.press(white)
	tb.expect("power ", "resumed by players", "black f5: e5", "over white 31-33 discs 4-1 flag")
}

// After the end there is nothing to resume.
func TestPowerCutAfterTheEnd(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.order(referee.Resign{Color: black})
	tb.revive(referee.PowerOn{Gap: time.Minute})
	tb.look()
	tb.expect()
	tb.stage(referee.Over, referee.NoStep, engine.None)
	tb.runs(engine.None)
}

// Hands are on their way to a position that was ruled when the power fails.
func TestPowerCutAfterARuling(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	to := discs(t, "OOOXXXXOOOOOOOOOOOOOOXOXOOOOXOXXOOOOXX-XOOOOOXX-OOXXXOXXOOOOOOOO")
	tb.order(correction(tb.state.Game.Discs, to, black)) // Black must pass
	tb.revive(referee.PowerOn{Gap: time.Minute, Seen: tb.discs, SeenOK: true})
	tb.look()
	tb.expect("power ")
	if g := tb.state.Lit(); g.Turn|g.Place() != tb.discs.Diff(to) {
		t.Errorf("the guide is %+v", g)
	}
	tb.discs = to
	tb.look()
	tb.guide("")
	tb.expect()
}

// event is a table at which anything happens.
type official struct {
	*table
	r *rapid.T
}

// onRecord is what a restart must have again.
type onRecord struct {
	phase     referee.Phase
	game      engine.Game
	turn      engine.Color
	times     clock.Times
	running   engine.Color
	halted    bool
	flags     referee.Flags
	objection referee.Objection
	ended     bool
	result    referee.Result
	match     referee.Match
}

func recordOf(s *referee.State, now time.Duration) onRecord {
	o := onRecord{
		phase: s.Phase, game: s.Game, turn: s.Turn(), times: s.Clock.Times(now), running: s.Clock.Running, halted: s.Halted,
		flags: s.Flags, objection: s.Objection, ended: s.Ended, result: s.Result, match: s.Match,
	}
	if !s.Ended {
		o.result = referee.Result{}
	}
	return o
}

// agree compares the record with a fold of the journal.
func (o *official) agree(did string) {
	folded := o.folded()
	live, again := recordOf(&o.state, o.now), recordOf(&folded, o.now)
	if live.phase == referee.Setup || live.phase == referee.Idle || again.phase == referee.Setup {
		return // a new game is being set up; it has no record yet
	}
	if live != again || !slices.Equal(o.state.Record(), folded.Record()) {
		o.r.Fatalf("after %s at %v\n live %+v\nagain %+v\nevents %q", did, o.now, live, again, o.said)
	}
	for c := range engine.None {
		if live.times.Left[c] < 0 {
			o.r.Fatalf("after %s %v has %v left", did, c, live.times.Left[c])
		}
	}
}

// hand does something with the discs: a move that is right or wrong, a takeback,
// or what the guide says.
func (o *official) hand() string {
	g := o.state.Game
	squares := slices.Collect((g.Legal() & g.Empty()).All())
	kind := rapid.IntRange(0, 9).Draw(o.r, "hand")
	switch {
	case kind <= 4 && len(squares) > 0: // a move
		sq := rapid.SampledFrom(squares).Draw(o.r, "square")
		o.discs = g.Place(sq).Discs
		return "a move to " + sq.String()
	case kind == 5 && len(squares) > 0: // with mistakes
		sq := rapid.SampledFrom(squares).Draw(o.r, "square")
		wrong := engine.Bitboard(rapid.Uint64().Draw(o.r, "wrong")) & engine.Bitboard(rapid.Uint64().Draw(o.r, "and")) & engine.Bitboard(rapid.Uint64().Draw(o.r, "and")) & g.Occupied()
		o.discs = g.After(sq, g.Flips(sq)).Discs
		for s := range wrong.All() {
			o.discs = o.discs.With(s, o.discs.At(s).Opponent())
		}
		return fmt.Sprintf("a move to %v with %v turned", sq, wrong)
	case kind == 6: // any square
		sq := engine.Square(rapid.IntRange(0, 63).Draw(o.r, "any"))
		o.discs = o.discs.With(sq, engine.Color(rapid.IntRange(0, 2).Draw(o.r, "face")))
		return "a disc on " + sq.String()
	case kind == 7 && o.state.Len > 0: // a takeback
		o.discs = o.state.Entries[rapid.IntRange(max(0, o.state.Len-3), o.state.Len-1).Draw(o.r, "back")].Before.Discs
		return "a takeback"
	default:
		o.discs = g.Discs
		if o.state.Objection.Claimed {
			guide := o.state.Guide
			for s := range (guide.Flip | guide.Turn).All() {
				o.discs = o.discs.With(s, g.At(s).Opponent())
			}
		}
		return "what the guide says"
	}
}

// command gives an order.
func (o *official) command() string {
	g := o.state.Game
	side := func() engine.Color { return engine.Color(rapid.IntRange(0, 1).Draw(o.r, "side")) }
	var order referee.Order
	switch rapid.IntRange(0, 11).Draw(o.r, "order") {
	case 0:
		order = referee.Undo{Plies: rapid.IntRange(1, 3).Draw(o.r, "plies")}
	case 1:
		order = referee.Pause{}
	case 2, 3:
		order = referee.Resume{}
	case 4:
		order = referee.Resign{Color: side()}
	case 5:
		order = referee.ClockSet{Black: time.Duration(rapid.IntRange(-1, 60).Draw(o.r, "black")) * time.Second, White: -1}
	case 6:
		sq := engine.Square(rapid.IntRange(0, 63).Draw(o.r, "square")).Bit()
		order = referee.CorrectSquare{Black: sq, Turn: side()}
		if rapid.Bool().Draw(o.r, "white") {
			order = referee.CorrectSquare{White: sq, Turn: engine.None}
		}
	case 7:
		order = referee.LetStand{}
	case 8:
		order = referee.Claim{By: engine.Color(rapid.IntRange(0, 2).Draw(o.r, "by"))}
	case 9:
		order = referee.PassPressed{By: engine.None}
	case 10:
		from := rapid.IntRange(1, o.state.Ply()+1).Draw(o.r, "from")
		at := g
		if n := entryOf(&o.state, from); n >= 0 {
			at = o.state.Entries[n].Before
		}
		moves := ""
		for range rapid.IntRange(0, 3).Draw(o.r, "moves") {
			if at.MustPass() {
				at = at.Pass()
			}
			squares := slices.Collect(at.Legal().All())
			if len(squares) == 0 {
				break
			}
			sq := rapid.SampledFrom(squares).Draw(o.r, "moved")
			moves += sq.String()
			at = at.Place(sq)
		}
		order = referee.Revise{FromPly: from, Moves: moves}
	default:
		order = referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}}
	}
	o.order(order)
	return fmt.Sprintf("%T %+v", order, order)
}

// Whatever hands, clocks and arbiters do, the journal replays to the same record,
// no clock is negative, and nothing asks to be woken for ever.
func TestJournalReplaysToTheSameRecord(t *testing.T) {
	profiles := []referee.Profile{referee.Home(), club(), woc(), jof(), festival()}
	timed := []string{"none", "1:00", "0:30/2", "0:10+2x0:05", "black 0:30, white none", "game 1:00"}
	variants := []string{"classic", "reverse", "white-first"}
	rapid.Check(t, func(r *rapid.T) {
		p := rapid.SampledFrom(profiles).Draw(r, "profile")
		rules := variant(t, rapid.SampledFrom(variants).Draw(r, "variant"))
		o := &official{variantTable(t, rules, p, rapid.SampledFrom(timed).Draw(r, "clock")), r}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			var did string
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0, 1, 2, 3:
				did = o.hand()
				o.look()
			case 4, 5, 6:
				did = "a press"
				o.press(o.state.Game.Turn)
			case 7:
				did = o.command()
			case 8:
				by := engine.Color(rapid.IntRange(0, 1).Draw(r, "presser"))
				did = fmt.Sprintf("a press of %v before the board is quiet", by)
				o.step(referee.Pressed{At: o.now, By: by, Wait: 300 * time.Millisecond})
			default:
				did = "a while"
				o.wait(time.Duration(rapid.IntRange(0, 20000).Draw(r, "ms")) * time.Millisecond)
			}
			o.agree(did)
		}
		for ticks := 0; o.wake > 0; ticks++ {
			if ticks == 20 {
				r.Fatalf("it asks to be woken for ever: at %v for %v", o.now, o.wake)
			}
			o.now, o.wake = max(o.now, o.wake), 0
			o.step(referee.Tick{At: o.now})
		}
	})
}
