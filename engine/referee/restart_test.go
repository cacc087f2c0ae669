package referee_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// swept takes all discs off, one after the other, in some order.
func (tb *table) swept() {
	for s := range tb.discs.Occupied().All() {
		tb.put("- " + s.String())
	}
}

// setUp lays out the classic start, disc by disc.
func (tb *table) setUp() {
	tb.put("w d4")
	tb.put("w e5")
	tb.put("b d5")
	tb.put("b e4")
}

// asks wants the question whether another game is to begin.
func (tb *table) asks(want bool) {
	tb.t.Helper()
	if got := tb.state.Restart.Active; got != want {
		tb.t.Fatalf("asks whether another game is to begin: %t, want %t", got, want)
	}
}

// A board that is swept in the middle of a game, and on which the start is laid
// out, is the next game once that has been left alone; the record of the other one
// ends without a result.
func TestSettingUpInMidGameBeginsAnew(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6c3d3")
	tb.said = nil
	tb.swept()
	tb.asks(false)
	tb.setUp()
	tb.asks(true)
	tb.guide("")
	tb.expect()
	if want := tb.now + referee.RestartAfter; tb.wake != want {
		t.Fatalf("asked to be woken at %v, want %v", tb.wake, want)
	}
	tb.step(referee.Tick{At: tb.wake - 1})
	tb.expect()
	tb.now = tb.wake
	tb.step(referee.Tick{At: tb.wake})
	tb.expect("over none 0-0 discs 4-4 aborted", "start classic")
	tb.asks(false)
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
	tb.play("d3")
	tb.expect("black d3: d4")
}

// Whoever moves a disc takes the question back, and the game goes on when the
// discs lie as they did.
func TestSettingUpInMidGameIsTakenBack(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6c3")
	record := tb.discs
	tb.said = nil
	tb.swept()
	tb.setUp()
	tb.asks(true)
	tb.put("b f5")
	tb.asks(false)
	tb.discs = record
	tb.look()
	tb.stage(referee.Playing, referee.ToMove, engine.White)
	tb.step(referee.Tick{At: tb.now + time.Hour})
	tb.expect()
	// The board has not been empty since: this is a takeback of everything.
	tb.discs = engine.Start().Discs
	tb.look()
	tb.asks(false)
	tb.expect("undo 3 to ply 0, black to move")
}

// A press says so at once, whoever presses.
func TestPressConfirmsTheNextGame(t *testing.T) {
	for _, by := range []engine.Color{black, white} {
		tb := newTable(t)
		tb.play("f5d6c3")
		tb.swept()
		tb.setUp()
		tb.said = nil
		tb.step(referee.Pressed{At: tb.now, By: by})
		tb.expect("over none 0-0 discs 5-2 aborted", "start classic")
	}
}

// Where a game counts, only an arbiter gives it up.
func TestSettingUpInMidGameIsNoWishAtAnEvent(t *testing.T) {
	for _, p := range []referee.Profile{club(), woc(), jof()} {
		tb := officialTable(t, p, "5:00")
		tb.play("f5")
		tb.step(referee.Pressed{At: tb.now, By: black})
		tb.said = nil
		tb.swept()
		tb.setUp()
		tb.asks(false)
		tb.now += time.Minute
		tb.step(referee.Tick{At: tb.now})
		tb.look()
		tb.asks(false)
		for _, said := range tb.said {
			if said == "start classic" {
				t.Errorf("%s: %q", p.Name, tb.said)
			}
		}
	}
}

// Nor does one begin instead of a game that a tournament waits for.
func TestSettingUpInMidGameIsNoWishInATournament(t *testing.T) {
	tb := newTable(t)
	m := tb.state.Match
	m.Pairing = "round 1, table 2"
	tb.order(referee.NewGame{Match: m})
	tb.look()
	tb.play("f5d6c3")
	tb.swept()
	tb.setUp()
	tb.asks(false)
	if tb.state.MayRestart() {
		t.Error("the players may give it up")
	}
}

// After a power cut the start on the board is a wish too, but nobody has been
// asked yet: it waits until somebody touches a disc, or presses.
func TestSettingUpWithoutPowerBeginsAnew(t *testing.T) {
	for _, confirm := range []string{"touch", "press", "restore"} {
		t.Run(confirm, func(t *testing.T) {
			tb := newTable(t)
			tb.play("f5d6c3")
			record := tb.discs
			tb.revive(referee.PowerOn{Gap: time.Minute})
			tb.discs = engine.Start().Discs
			tb.look()
			tb.expect("power c3 d4 d5 e5 f5 d6")
			tb.asks(true)
			tb.step(referee.Tick{At: tb.now + time.Hour})
			tb.look()
			tb.expect()
			tb.asks(true)
			switch confirm {
			case "press":
				tb.step(referee.Pressed{At: tb.now, By: white})
			case "touch":
				tb.put("- d4")
				tb.asks(false)
				tb.put("w d4")
				tb.step(referee.Tick{At: tb.wake - 1})
				tb.expect()
				tb.step(referee.Tick{At: tb.wake})
			case "restore":
				tb.discs = record
				tb.look()
				tb.asks(false)
				tb.stage(referee.Playing, referee.ToMove, engine.White)
				tb.expect()
				return
			}
			tb.expect("over none 0-0 discs 5-2 aborted", "start classic")
		})
	}
}

// A cell that says nothing does not stand in the way; one that cannot be read for
// the moment does.
func TestSettingUpInMidGameWithSickCells(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.mask = tb.sq("e5").Bit()
	tb.swept()
	tb.put("w d4")
	tb.put("b d5")
	tb.put("b e4")
	tb.asks(true)
	tb.mask, tb.lost = 0, tb.sq("a1").Bit()
	tb.put("w e5")
	tb.asks(false)
}

// A board that sees no faces takes the four discs for the start when it has been
// empty before.
func TestPresenceSettingUpInMidGame(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6c3d3")
	b.said = nil
	b.swept().rest()
	b.hands("white d4 e5, black d5 e4")

	b.asks(true)
	b.expect()
	b.step(referee.Tick{At: b.wake})
	b.expect("over none 0-0 discs 4-4 aborted", "start classic")
	if b.state.Sensed != engine.Start().Discs {
		t.Errorf("the discs are taken to show %v", b.state.Sensed)
	}
}

// Whatever hands do in a game, no other game begins unless the board has been
// empty and the start has then been left alone.
func TestNoGameBeginsByAccident(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(t)
		tb.play("f5d6c3d3c4f4")
		record := tb.discs
		tb.said = nil
		for range rapid.IntRange(1, 40).Draw(rt, "readings") {
			tb.discs = anyHands(rt, record)
			tb.look()
			if tb.state.Restart.Active && tb.discs != engine.Start().Discs {
				rt.Fatalf("%v is taken for the start", tb.discs)
			}
			// Before the time is over another disc is touched.
			tb.step(referee.Tick{At: tb.now + 500*time.Millisecond})
			tb.put("w a1")
			tb.put("- a1")
		}
		if slices.Contains(tb.said, "start classic") {
			rt.Fatalf("another game has begun: %q", tb.said)
		}
	})
}

// anyHands returns what hands may make of a board: the record, the start, nothing,
// or parts of both.
func anyHands(t *rapid.T, record engine.Discs) engine.Discs {
	start := engine.Start().Discs
	switch rapid.IntRange(0, 4).Draw(t, "hands") {
	case 0:
		return start
	case 1:
		return engine.Discs{}
	case 2:
		return record
	default:
		keep := engine.Bitboard(rapid.Uint64().Draw(t, "keep"))
		black := record.Black | start.Black
		return engine.Discs{Black: black & keep, White: (record.White | start.White) &^ black & keep}
	}
}

// afterCustom is a table at which a game with corners of Black's has been resigned,
// and which has been swept since.
func afterCustom(t *testing.T) *table {
	t.Helper()
	tb := newTable(t)
	m := tb.state.Match
	start := engine.Start()
	start.Black |= tb.sq("a1").Bit() | tb.sq("h8").Bit()
	rules, err := engine.Variant(engine.Custom)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rules, err = rules.From(start); err != nil {
		t.Fatal(err)
	}
	tb.order(referee.NewGame{Match: m})
	tb.put("b a1")
	tb.put("b h8")
	tb.play("f5d6")
	tb.order(referee.Resign{Color: black})
	tb.swept()
	tb.said = nil
	return tb
}

// After a game from another start the four discs of the usual one are asked about,
// for they may also be the first ones of that other start.
func TestUsualStartAfterACustomGame(t *testing.T) {
	for _, answer := range []string{"touch", "press", "go on"} {
		t.Run(answer, func(t *testing.T) {
			tb := afterCustom(t)
			tb.asks(false)
			tb.setUp()
			tb.asks(true)
			tb.step(referee.Tick{At: tb.now + time.Hour})
			tb.look()
			tb.asks(true)
			tb.expect()
			switch answer {
			case "touch":
				tb.put("- e4")
				tb.asks(false)
				tb.put("b e4")
				tb.asks(true)
				tb.step(referee.Tick{At: tb.wake - 1})
				tb.expect()
				tb.step(referee.Tick{At: tb.wake})
				tb.expect("start classic")
			case "press":
				tb.step(referee.Pressed{At: tb.now, By: white})
				tb.expect("start classic")
			case "go on":
				tb.put("b a1")
				tb.asks(false)
				tb.put("b h8")
				tb.expect("start custom")
				return
			}
			tb.asks(false)
			tb.stage(referee.Playing, referee.ToMove, black)
			tb.play("d3")
			tb.expect("black d3: d4")
		})
	}
}

// The start that somebody has asked for is not asked about.
func TestUsualStartIsNotOfferedForAnOrderedGame(t *testing.T) {
	tb := afterCustom(t)
	tb.order(referee.NewGame{Match: tb.state.Match})
	tb.setUp()
	tb.asks(false)
	tb.put("b a1")
	tb.put("b h8")
	tb.expect("command arbiter", "start custom")
}
