package referee_test

import (
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// against lays out a classic game in which a side is a program.
func against(t *testing.T, side engine.Color) *table {
	t.Helper()
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	rules := variant(t, "classic")
	tb := &table{t: t, state: referee.New(referee.Match{
		Rules: rules, Profile: profile,
		Opponent: referee.Opponent{Kind: referee.Builtin, Level: 3, Side: side},
	})}
	tb.discs = rules.Start.Discs
	tb.look()
	tb.expect("start classic")
	return tb
}

func (tb *table) suggest(square string) {
	tb.t.Helper()
	tb.now += time.Second
	tb.step(referee.Suggested{At: tb.now, Square: tb.sq(square)})
}

// The opponent's disc is placed by hand where it wants it, and its discs are
// turned as always.
func TestWish(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5")
	tb.expect("black f5: e5")
	tb.stage(referee.Playing, referee.ToMove, engine.White)
	tb.guide("")
	tb.suggest("f6")
	tb.guide("white f6")
	tb.stage(referee.Playing, referee.ToMove, engine.White)
	if tb.state.Problem.Active() {
		t.Errorf("a wish is a problem: %+v", tb.state.Problem)
	}
	tb.put("w f6")
	tb.guide("flip e5")
	tb.put("w e5")
	tb.expect("white f6: e5")
	tb.guide("")
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
	if tb.state.Wish.Active {
		t.Error("the wish is still there after its move")
	}
}

// A disc of the opponent on another square is a mistake, which ends when the
// disc is back in the hand, or the discs that were turned as well.
func TestWishElsewhere(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5")
	tb.suggest("f6")
	tb.expect("black f5: e5")
	tb.put("w d6")
	tb.expect("illegal white d6 other_square")
	tb.guide("remove d6 white f6")
	tb.stage(referee.Playing, referee.Correcting, engine.White)
	tb.put("w d5")
	tb.expect()
	tb.guide("turn d5 remove d6 white f6")
	tb.put("- d6")
	tb.guide("flip d5")
	tb.put("b d5")
	tb.guide("white f6")
	tb.put("w f6 e5")
	tb.expect("white f6: e5")
}

// A whole move to another square does not count either, even if the reply to it
// lies there already.
func TestWishNotCommitted(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5")
	tb.suggest("f6")
	tb.put("w d6 d5")
	tb.expect("black f5: e5", "illegal white d6 other_square")
	tb.guide("turn d5 remove d6 white f6")
	tb.put("b c3")
	tb.stage(referee.Playing, referee.Correcting, engine.White)
	tb.put("b d5")
	tb.put("- d6 c3")
	tb.guide("white f6")
	tb.expect("illegal black c3 flips_pending")
}

// Whoever is faster than the opponent moves for it; if its wish comes before the
// flips are done, the wish counts.
func TestWishLate(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5d6")
	tb.expect("black f5: e5", "white d6: d5")
	tb.play("c3")
	tb.put("w d3")
	tb.expect("black c3: d4")
	tb.guide("flip d4")
	tb.suggest("f4")
	tb.expect("illegal white d3 other_square")
	tb.guide("remove d3 white f4")
	tb.put("- d3")
	tb.put("w f4")
	tb.stage(referee.Playing, referee.InProgress, engine.White)
	tb.suggest("d3")
	tb.expect("illegal white f4 other_square")
}

// A wish that is illegal, for the other side, or about a game of people changes
// nothing.
func TestWishRefused(t *testing.T) {
	t.Parallel()
	for name, side := range map[string]engine.Color{"occupied": engine.White, "not on turn": engine.Black} {
		tb := against(t, side)
		tb.play("f5")
		tb.suggest(map[string]string{"occupied": "e5", "not on turn": "f6"}[name])
		if tb.guide(""); tb.state.Wish.Active {
			t.Errorf("%s: there is a wish", name)
		}
	}
	tb := newTable(t)
	tb.suggest("f5")
	tb.guide("")
}

// A takeback ends the wish; a move taken back to the opponent's turn waits for
// another one.
func TestWishUndone(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5")
	tb.suggest("f6")
	tb.put("- f5")
	tb.put("w e5")
	tb.expect("black f5: e5", "undo 1 to ply 0, black to move")
	tb.guide("")
	if tb.state.Wish.Active {
		t.Error("the wish survived the takeback")
	}
}

// When the opponent is lost that is on record, once, and people go on as they
// like; the next game begins with an opponent again.
func TestEngineGone(t *testing.T) {
	t.Parallel()
	tb := against(t, engine.White)
	tb.play("f5")
	tb.suggest("f6")
	tb.expect("black f5: e5")
	for range 2 {
		tb.step(referee.EngineGone{At: tb.now, Engine: plaintext.Const("Edax"), Reason: plaintext.Const("it was silent for 1m0s")})
	}
	tb.expect("lost Edax: it was silent for 1m0s")
	tb.guide("")
	tb.play("d6")
	tb.expect("white d6: d5")
	tb.play("c3")
	tb.expect("black c3: d4")
	// Another program may stand in.
	tb.suggest("d3")
	tb.guide("white d3")
	if !tb.state.OpponentLost {
		t.Error("the loss is forgotten")
	}
	tb.order(referee.NewGame{Match: tb.state.Match})
	tb.discs = engine.Start().Discs
	tb.look()
	if tb.state.OpponentLost || tb.state.Phase != referee.Playing {
		t.Errorf("lost %v, %v in the next game", tb.state.OpponentLost, tb.state.Phase)
	}
	tb = newTable(t)
	tb.step(referee.EngineGone{At: tb.now, Engine: plaintext.Const("Edax")})
	tb.expect()
}

// The loss is on record: a restart knows it.
func TestEngineLostFolds(t *testing.T) {
	t.Parallel()
	s := referee.New(referee.Match{})
	referee.Apply(&s, referee.GameStarted{Match: referee.Match{Rules: variant(t, "classic")}})
	referee.Apply(&s, referee.EngineLost{Engine: plaintext.Const("x"), Reason: plaintext.Const("y")})
	if !s.OpponentLost {
		t.Error("not lost")
	}
	referee.Apply(&s, referee.GameStarted{Match: referee.Match{Rules: variant(t, "classic")}})
	if s.OpponentLost {
		t.Error("lost in the next game")
	}
}
