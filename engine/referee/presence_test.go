package referee_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

func TestPresenceStories(t *testing.T) {
	t.Parallel()
	// After these White's g6 turns e4 and f5, and Black's c5 then turns d5.
	const two = "f5d6c3d3c4"
	for _, s := range []story{
		{"a move, its disc turned by a slow hand", "", []scene{
			{"black f5", "flip e5", ""},
			{"none e5", "flip e5", ""},
			{"black e5", "", "black f5: e5"},
		}},
		{"a move, its disc turned by a quick hand", "", []scene{
			{"black f5", "flip e5", ""},
			{"turn e5", "", "black f5: e5"},
		}},
		{"all in one reading", "", []scene{{"black f5, turn e5", "", "black f5: e5"}}},
		{"lifted before the disc is placed, put back after it", "", []scene{
			{"none e5", "", ""},
			{"black f5", "flip e5", ""},
			{"black e5", "", "black f5: e5"},
		}},
		{"turned one after the other, in any order", two, []scene{
			{"white g6", "flip e4 f5", ""},
			{"turn f5", "flip e4", ""},
			{"none e4", "flip e4", ""},
			{"white e4", "", "white g6: e4 f5"},
		}},
		{"two discs turned with two hands", two, []scene{
			{"white g6", "flip e4 f5", ""},
			{"none e4 f5", "flip e4 f5", ""},
			{"white e4 f5", "", "white g6: e4 f5"},
		}},
		{"two hands, one slower", two, []scene{
			{"white g6", "flip e4 f5", ""},
			{"none e4, turn f5", "flip e4", ""},
			{"white e4", "", "white g6: e4 f5"},
		}},
		{"one forgotten: the light stays, and the opponent comes too early", two, []scene{
			{"white g6, turn e4", "flip f5", ""},
			{"black c5", "flip f5 remove c5", "illegal black c5 flips_pending"},
			{"none c5", "flip f5", ""},
			{"turn f5", "", "white g6: e4 f5"},
		}},
		{"one forgotten, and turned beside the opponent's disc", two, []scene{
			{"white g6, turn e4, rest, black c5", "flip f5 remove c5", "illegal black c5 flips_pending"},
			{"turn f5", "flip d5", "white g6: e4 f5"},
			{"turn d5", "", "black c5: d5"},
		}},
		{"a nudged disc is no flip", "f5d6", []scene{
			{"nudge e4", "", ""},
			{"none d4", "", ""},
			{"white d4", "", ""},
			{"nudge d6 f5 d5", "", ""},
		}},
		{"a disc nudged while flips are open", two, []scene{
			{"white g6", "flip e4 f5", ""},
			{"nudge c3, turn f5, nudge g6", "flip e4", ""},
			{"nudge f5", "flip e4", ""}, // it has been turned already
			{"turn e4", "", "white g6: e4 f5"},
		}},
		{"discs missing are asked for after a while, with the face that they had", "f5", []scene{
			{"none d4", "", ""},
			{"wait", "white d4", ""},
			{"white d4", "", ""},
		}},
		{"a flip in the hand is asked for with the mover's face", "", []scene{
			{"black f5, none e5", "flip e5", ""},
			{"wait", "black e5", ""},
			{"black e5", "", "black f5: e5"},
		}},
		{"a disc that outflanks nothing", "", []scene{
			{"black a1", "remove a1", "illegal black a1 no_flip"},
			{"nudge a1", "remove a1", ""},
			{"none a1", "", ""},
			{"black f5, turn e5", "", "black f5: e5"},
		}},
		{"two discs at once", "", []scene{
			{"black f5 c4", "remove c4 f5", "illegal black c4 second_disc"},
			{"none c4", "flip e5", ""},
			{"turn e5", "", "black f5: e5"},
		}},
		{"a second disc of the same player", "", []scene{
			{"black f5", "flip e5", ""},
			{"black c4", "flip e5 remove c4", "illegal black c4 second_disc"},
			{"none c4", "flip e5", ""},
			{"turn e5", "", "black f5: e5"},
		}},
		{"two quick players: the first move is done", "", []scene{
			{"black f5, turn e5, white d6", "flip d5", "black f5: e5"},
			{"turn d5", "", "white d6: d5"},
		}},
		{"two quick players: both moves are done", "", []scene{
			{"black f5, turn e5, white d6, turn d5", "", "black f5: e5; white d6: d5"},
		}},
		{"two quick players turn the same disc", "", []scene{
			{"black f5, turn e5, white f6, turn e5", "", "black f5: e5; white f6: e5"},
		}},
		{"a move taken back before its flips", "", []scene{
			{"black f5", "flip e5", ""},
			{"none f5", "", ""},
			{"black c4", "flip d4", ""},
			{"turn d4", "", "black c4: d4"},
		}},
		{"a move taken back with a flip done", two, []scene{
			{"white g6, turn f5", "flip e4", ""},
			{"none g6", "flip f5", ""},
			{"turn f5", "", ""},
			{"white g6", "flip e4 f5", ""},
		}},
		{"a move changed to another square, with a flip done", two, []scene{
			{"white g6, turn f5", "flip e4", ""},
			{"none g6, white b3", "flip c3 c4 turn f5", "illegal white f5 extra_flip"},
			{"turn f5", "flip c3 c4", ""},
			{"turn c3 c4", "", "white b3: c3 c4"},
		}},
		{"takeback", "f5d6", []scene{
			{"none d6", "flip d5", ""},
			{"none d5", "flip d5", ""},
			{"black d5", "", "undo 1 to ply 1, white to move"},
			{"white d6, turn d5", "", "white d6: d5"},
		}},
		{"takeback by a quick hand", "f5d6", []scene{
			{"none d6, turn d5", "", "undo 1 to ply 1, white to move"},
		}},
		{"the last disc lifted and put back", "f5d6", []scene{
			{"none d6", "flip d5", ""},
			{"white d6", "", ""},
			{"nudge d6", "", ""},
		}},
		{"takeback of two moves", "f5d6", []scene{
			{"none d6", "flip d5", ""},
			{"none f5", "flip d5 e5", ""},
			{"turn e5", "flip d5", ""},
			{"turn d5", "", "undo 2 to ply 0, black to move"},
		}},
		{"takeback begun and left", two + "g6", []scene{
			{"none g6", "flip e4 f5", ""},
			{"turn e4", "flip f5", ""},
			{"white g6", "turn e4", "illegal black e4 extra_flip"},
			{"turn e4", "", ""},
		}},
		{"the last disc adjusted while the next move is on its way", "f5d6", []scene{
			{"black c5", "flip d5", ""},
			{"none d6", "flip d5", ""},
			{"white d6, turn d5", "", "black c5: d5"},
		}},
		{"a disc that has been turned is taken up again: it is not to be turned", two, []scene{
			{"white g6, turn e4", "flip f5", ""},
			{"none e4", "flip f5", ""},
			{"wait", "flip f5 white e4", ""},
			{"white e4, turn f5", "", "white g6: e4 f5"},
		}},
		{"the same on the way back", two + "g6", []scene{
			{"none g6, turn e4", "flip f5", ""},
			{"none e4", "flip f5", ""},
			{"black e4, turn f5", "", "undo 1 to ply 5, white to move"},
		}},
		// Black's f3 turns e3, which is the last disc, and e4, which that one had
		// turned.
		{"turned back after a withdrawal: no takeback of the move before", "d3e3", []scene{
			{"black f3, turn e4", "flip e3", ""},
			{"none f3", "flip e4", ""},
			{"none e3 e4", "flip e4", ""},
			{"white e4", "flip e4", ""}, // now it might be one
			{"white e3", "", ""},
		}},
		// White's c5 turns d4, and Black's c3 turns it back; White's c3 would turn
		// d3, with no c5 after it.
		{"two quick players, in the only order", "d3e3f5", []scene{
			{"white c5, black c3, turn d4, turn d4", "", "white c5: d4; black c3: d4"},
		}},
		{"two discs, and nothing was turned", "d3e3f5", []scene{
			{"white c5, black c3", "remove c3 c5", "illegal white c3 second_disc"},
		}},
		{"two discs, and something else was lifted as well", "d3e3f5", []scene{
			{"white c5, black c3, turn d4, turn d4, nudge e4", "remove c3 c5", "illegal white c3 second_disc"},
		}},
		{"the opponent too early, where the mover could go too", "d3e3f5", []scene{
			{"white c5", "flip d4", ""},
			{"black c3", "flip d4 remove c3", "illegal black c3 flips_pending"},
			{"none c3, turn d4", "", "white c5: d4"},
		}},
		// White's c5 turns d5 and then Black's d6 turns it back; White's d6 would
		// also turn d3 and d4.
		{"two quick players, one order fits", "d3e3f4g5e2d2f3", []scene{
			{"white c5, black d6, turn d5, turn d5", "", "white c5: d5; black d6: d5"},
		}},
		// Black's d2 turns d3 and e3, then White's c3 turns d3 and d4; the other way
		// round it is the same three discs.
		{"two quick players, either order fits", "d3e3f5e6f3e2f4c4", []scene{
			{"black d2, white c3, turn d3 e3, turn d3 d4", "remove d2 c3", "illegal black d2 second_disc"},
		}},
		{"a takeback whose disc goes to another square at once", "f5d6", []scene{
			{"none d6, white f6", "flip d5", ""},
			{"turn d5", "flip e5", "undo 1 to ply 1, white to move"},
			{"turn e5", "", "white f6: e5"},
		}},
		{"the same to a square that is no move", "f5d6", []scene{
			{"none d6, white a1", "flip d5 remove a1", ""},
			{"none a1, white d6", "", ""},
		}},
		{"the same with another disc", "f5d6", []scene{
			{"none d6, white f4 f6", "flip d5 remove f4 f6", ""},
			{"none f4", "flip d5", ""},
		}},
		{"the last disc is turned by the next move, and lifted first", "f5d6", []scene{
			{"none d6", "flip d5", ""},
			{"black c7", "flip d6", ""},
			{"black d6", "", "black c7: d6"},
		}},
		{"the last disc is adjusted while the next one is placed", "f5d6", []scene{
			{"none d6, black c5", "flip d5 remove c5", ""},
			{"white d6", "flip d5", ""},
			{"turn d5", "", "black c5: d5"},
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := classicBlind(t)
			s.run(t, b)
			if b.state.Guide == (referee.Guide{}) {
				b.agree()
			}
		})
	}
}

func TestPresenceSetUp(t *testing.T) {
	t.Parallel()
	b := emptyBlindTable(t, variant(t, "classic"))
	story{steps: []scene{
		{"rest", "black e4 d5 white d4 e5", ""},
		{"white d4", "black e4 d5 white e5", ""},
		{"black d5 a1", "remove a1 black e4 white e5", ""},
		{"none a1", "black e4 white e5", ""},
		{"white e5", "black e4", ""},
		{"black e4", "", "start classic"},
	}}.run(t, b)
	b.agree()
	b.stage(referee.Playing, referee.ToMove, engine.Black)
}

// Colors that lie wrong cannot be seen: the start is believed to be right, and no
// turned board is suspected.
func TestPresenceSetUpSuspectsNothing(t *testing.T) {
	t.Parallel()
	b := emptyBlindTable(t, variant(t, "classic"))
	b.hands("black d4 e5, white d5 e4")
	b.expect("start classic")
	if b.state.Problem.Active() || b.state.Sensed != b.state.Game.Discs {
		t.Errorf("problem %+v, believed %v", b.state.Problem, b.state.Sensed)
	}
}

func TestPresencePassAndEnd(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8") // Black passes after it
	if got := b.said[len(b.said)-1]; got != "black passes" {
		t.Fatalf("last event %q, want a pass", got)
	}
	b.stage(referee.Playing, referee.ToMove, engine.White)
	b.agree()
	b.said = nil
	b.hands("none a8")
	for f := range b.state.Entries[15].Flipped.All() {
		b.lift(f, b.discs.At(f).Opponent())
	}
	b.rest()
	b.expect("undo 1 to ply 15, white to move") // the pass goes with it

	b = classicBlind(t)
	b.play("f5d6c5f6e7f4g5e6e3")
	if got, want := b.said[len(b.said)-1], "over black 13-0 discs 13-0 wipeout"; got != want {
		t.Fatalf("last event %q, want %q", got, want)
	}
}

// Sweeping the discs off, the centre last, adds nothing to the record, although
// for a moment the board looks like a start.
func TestPresenceSweepingAfterTheEnd(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6c5f6e7f4g5e6e3")
	b.said = nil
	centre := engine.Start().Occupied()
	for s := range (b.discs.Occupied() &^ centre).All() {
		b.hands("none " + s.String())
	}
	b.stage(referee.Over, referee.NoStep, engine.None)
	b.step(referee.Tick{At: b.wake - 1})
	for s := range centre.All() {
		b.hands("none " + s.String())
	}
	b.stage(referee.Setup, referee.NoStep, engine.None)
	b.guide("black e4 d5 white d4 e5")
	b.expect()
	if !b.state.Ended {
		t.Error("the result is gone")
	}
	b.hands("white d4 e5, black d5 e4")
	b.expect("start classic")
}

// Left alone, the four discs in the centre are the next game.
func TestPresenceNextGameFromTheCentre(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6c5f6e7f4g5e6e3")
	b.said = nil
	for s := range (b.discs.Occupied() &^ engine.Start().Occupied()).All() {
		b.lift(s, engine.None)
	}
	b.hands("turn d4 e5")
	b.expect()
	if want := b.now + 3*time.Second; b.wake != want {
		t.Fatalf("wakes at %v, want %v", b.wake, want)
	}
	b.hands("nudge e4") // somebody is still at work
	b.step(referee.Tick{At: b.wake - 1})
	b.expect()
	b.step(referee.Tick{At: b.wake})
	b.expect("start classic")
	b.agree()
	b.play("f5")
	b.expect("black f5: e5")
}

func TestPresenceUndoByOrder(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6")
	b.said = nil
	b.order(referee.Undo{Plies: 1})
	b.guide("flip d5 remove d6")
	b.expect("command arbiter", "undo 1 to ply 1, white to move")
	b.hands("nudge e4")
	b.guide("flip d5 remove d6")
	b.hands("turn d5")
	b.guide("remove d6")
	b.hands("none d5")
	b.guide("remove d6")
	b.hands("black d5")
	b.guide("remove d6")
	b.hands("none d6")
	b.guide("")
	b.agree()
	b.play("d6")
	b.expect("white d6: d5")

	b.order(referee.Undo{Plies: 2})
	b.guide("flip d5 e5 remove f5 d6")
	b.said = nil
	b.hands("none d6 f5, turn d5 e5")
	b.expect()
	b.guide("")
	b.agree()
}

func TestPresencePowerCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, before, while, changed, guide string
		code                                referee.Code
		// remembered: what was seen last has been kept.
		remembered bool
	}{
		{"nothing touched", "", "", "", "", referee.NoProblem, true},
		{"nothing touched, nothing remembered", "", "", "", "", referee.NoProblem, false},
		{"a disc placed meanwhile", "", "black c5", "c5", "flip d5", referee.NoProblem, true},
		{"in mid-flip", "white g6, turn e4", "", "", "flip f5", referee.NoProblem, true},
		{"in mid-flip, nothing remembered: the flips are asked for again", "white g6, turn e4", "", "g6", "flip e4 f5", referee.NoProblem, false},
		{"a disc taken away", "", "none e5", "e5", "black e5", referee.Power, true},
		{"a stray disc", "", "white a1", "a1", "remove a1", referee.Power, true},
		{"the last disc taken away", "", "none c4", "c4", "black c4", referee.Power, true},
		{"a disc turned cannot be seen", "", "turn e5", "", "", referee.NoProblem, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := classicBlind(t)
			b.play("f5d6c3d3")
			if tc.name == "a disc placed meanwhile" {
				// Black to move, c5 turns d5.
				b.play("")
			} else {
				b.play("c4")
			}
			if tc.before != "" {
				b.hands(tc.before)
			}
			seen := b.state.Sensed
			b.revive()
			b.said = nil
			b.step(referee.PowerOn{At: b.now, Gap: time.Minute, Seen: seen, SeenOK: tc.remembered})
			if tc.while == "" {
				b.rest()
			} else {
				b.hands(tc.while)
			}
			b.expect("power " + tc.changed)
			b.guide(tc.guide)
			if b.state.Problem.Code != tc.code {
				t.Errorf("problem %q, want %q", b.state.Problem.Code, tc.code)
			}
			if tc.code != referee.Power {
				return
			}
			b.discs = b.state.Game.Discs
			b.rest()
			b.guide("")
			b.expect()
		})
	}
}

// An order to take back whose hands come after a power cut: the discs that were
// turned are still turned, whether what was seen is remembered or not.
func TestPresencePowerCutAfterUndoByOrder(t *testing.T) {
	t.Parallel()
	for _, remembered := range []bool{true, false} {
		b := classicBlind(t)
		b.play("f5d6")
		seen := b.state.Sensed
		b.revive()
		referee.Apply(&b.state, referee.Commanded{Audit: referee.Audit{Role: "arbiter", Order: referee.Undo{Plies: 1}}})
		referee.Apply(&b.state, referee.Undone{Plies: 1, ToPly: 1, By: engine.White})
		b.step(referee.PowerOn{At: b.now, Gap: time.Minute, Seen: seen, SeenOK: remembered})
		b.rest()
		b.guide("flip d5 remove d6")
		b.hands("none d6")
		b.hands("turn d5")
		b.guide("")
		b.agree()
	}
}

// An order to take back that was carried out before the game went on: after a
// restart the discs are as on record.
func TestPresenceRecordWithAnOrder(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5")
	b.revive()
	referee.Apply(&b.state, referee.Moved{By: engine.White, Square: b.sq("d6"), Flipped: b.sq("d5").Bit()})
	referee.Apply(&b.state, referee.Commanded{Audit: referee.Audit{Role: "arbiter", Order: referee.Undo{Plies: 1}}})
	referee.Apply(&b.state, referee.Undone{Plies: 1, ToPly: 1, By: engine.White})
	referee.Apply(&b.state, referee.Moved{By: engine.White, Square: b.sq("f6"), Flipped: b.sq("e5").Bit()})
	b.discs = b.state.Game.Discs
	b.said = nil
	b.step(referee.PowerOn{At: b.now, Gap: time.Minute})
	b.rest()
	b.expect("power ")
	b.guide("")
	b.agree()
}

func TestPresenceHistoric(t *testing.T) {
	t.Parallel()
	for _, s := range []story{
		{"the opening", "", []scene{
			{"black d4", "white e4 d5 e5", "black d4: "},
			{"white e5", "black e4 d5", "white e5: "},
			{"black e4", "white d5", "black e4: "},
			{"white d5", "", "white d5: "},
			{"black d6", "flip d5", ""},
			{"turn d5", "", "black d6: d5"},
		}},
		{"beside the centre", "", []scene{
			{"black d3", "remove d3", "illegal black d3 off_center"},
			{"none d3", "black d4 e4 d5 e5", ""},
		}},
		{"two at once: nobody can tell whose disc is whose", "", []scene{
			{"black d4, white e5", "remove d4 e5", "illegal black d4 second_disc"},
			{"none e5", "white e4 d5 e5", "black d4: "},
		}},
		{"a disc nudged", "d4e5", []scene{{"nudge d4", "black e4 d5", ""}}},
		{"taken back after a while", "d4e5", []scene{
			{"none e5", "black e4 d5", ""},
			{"wait", "white e4 d5 e5", "undo 1 to ply 1, white to move"},
		}},
		{"moved on to another square", "d4e5", []scene{
			{"none e5, white d5", "black e4 e5", "undo 1 to ply 1, white to move; white d5: "},
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := blindTable(t, variant(t, "historic"))
			s.run(t, b)
			b.agree()
		})
	}
}

func TestPresenceTidyingUpStartsNoHistoricGame(t *testing.T) {
	t.Parallel()
	b := blindTable(t, variant(t, "historic"))
	rnd := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // a game that can be repeated, not a secret
	for b.state.Phase == referee.Playing {
		list := slices.Collect(b.state.Game.Legal().All())
		b.move(list[rnd.IntN(len(list))])
	}
	b.said = nil
	story{steps: []scene{
		{"none", "black d4 e4 d5 e5", ""},
		{"black d4, white e5", "remove d4 e5", ""},
		{"none e5", "white e4 d5 e5", "start historic; black d4: "},
	}}.run(t, b.swept())
}

// swept takes everything off.
func (b *blind) swept() *blind {
	for s := range b.discs.Occupied().All() {
		b.lift(s, engine.None)
	}
	return b
}

func TestPresenceOtherVariants(t *testing.T) {
	t.Parallel()
	b := blindTable(t, variant(t, "reverse"))
	b.play("f5d6c5f6e7f4g5e6e3")
	if got, want := b.said[len(b.said)-1], "over white 13-0 discs 13-0 wipeout"; got != want {
		t.Errorf("last event %q, want %q", got, want)
	}
	rules := handicap(t)
	b = emptyBlindTable(t, rules)
	b.rest()
	b.guide("black a1 e4 d5 h8 white d4 e5")
	b.discs = rules.Start.Discs
	b.rest()
	b.expect("start custom")
	b.stage(referee.Playing, referee.ToMove, engine.White)
	b = blindTable(t, variant(t, "white-first"))
	b.hands("white d6, turn d5")
	b.expect("start white-first", "white d6: d5")
}

func TestPresenceLostBank(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.hands("black f5")
	rank5 := engine.Bitboard(0xFF) << 32
	b.step(referee.CellsFailed{At: b.now, Squares: rank5, Kind: referee.LostBank})
	b.lost = rank5
	b.hands("turn e5") // nobody can see it
	b.expect("fault bank_lost a5 b5 c5 d5 e5 f5 g5 h5")
	b.guide("flip e5")
	b.lost = 0
	b.step(referee.CellsBack{At: b.now, Squares: rank5, Kind: referee.LostBank})
	b.rest()
	b.expect("restored bank_lost a5 b5 c5 d5 e5 f5 g5 h5")
	b.guide("flip e5") // so it is asked for again
	b.hands("nudge e5")
	b.expect("black f5: e5")
}

// A flip on a cell that is not believed follows from the others, a move on one
// from the discs that were lifted.
func TestPresenceMaskedCells(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		story
		masked string
	}{
		{story{"a flip", "f5d6c3d3c4", []scene{
			{"white g6", "flip e4 f5", ""},
			{"turn e4 f5", "", "white g6: e4 f5"},
		}}, "e4"},
		{story{"a move", "", []scene{
			{"black f5, turn e5", "", "black f5: e5"},
			{"white d6, turn d5", "", "white d6: d5"},
		}}, "f5 d6"},
		{story{"a move, its discs turned one after the other", "f5d6c3d3c4", []scene{
			{"white g6, turn f5", "", ""},
			{"turn e4", "", "white g6: e4 f5"},
		}}, "g6"},
		{story{"two moves explain it: nothing is taken for one", "f5d6c3d3c4", []scene{
			{"white g6, turn e4", "", ""},
			{"turn f5", "", ""},
		}}, "g6 g5"},
		{story{"discs nudged while a disc lies wrong", "f5d6c3d3c4", []scene{
			{"white a1", "remove a1", "illegal white a1 no_flip"},
			{"nudge e4 f5", "remove a1", ""},
			{"none a1", "", ""},
		}}, "g6"},
		{story{"a nudged disc that no move turns", "f5d6c3d3c4", []scene{
			{"nudge d4", "", ""},
		}}, "g6"},
		{story{"a disc that is seen explains what was lifted", "f5d6c3d3c4", []scene{
			{"white f3, nudge f5", "flip e4", ""},
			{"turn e4", "", "white f3: e4"},
			{"black c5, turn d5", "", "black c5: d5"},
		}}, "g6"},
		// White's f6 would turn e5 back.
		{story{"what one move has turned is no sign of the next", "", []scene{
			{"black f5, turn e5", "", "black f5: e5"},
		}}, "f6"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := classicBlind(t)
			b.play(s.before)
			b.said = nil
			s.before = ""
			mask, err := engine.ParseSquares(s.masked)
			if err != nil {
				t.Fatal(err)
			}
			b.mask = mask
			s.run(t, b)
		})
	}
}

// As long as other cells cannot be read, the disc may lie there too.
func TestPresenceMaskedMoveWaitsForLostCells(t *testing.T) {
	t.Parallel()
	b := classicBlind(t)
	b.play("f5d6c3d3c4")
	b.said = nil
	b.mask, b.lost = b.sq("g6").Bit(), b.sq("g5").Bit()
	b.hands("white g6, turn e4 f5")
	b.expect()
	b.lost = 0
	b.hands("turn e4 f5, turn e4 f5")
	b.expect("white g6: e4 f5")
}

func TestPresenceMaskedCellOfTheCentre(t *testing.T) {
	t.Parallel()
	b := blindTable(t, variant(t, "historic"))
	b.mask = b.sq("e5").Bit()
	b.hands("black d4")
	b.hands("white d5")
	b.hands("black e4")
	b.said = nil
	b.hands("white e5") // not seen
	b.expect()
	reply := b.state.Game.Place(b.sq("e5")).Legal().First()
	b.hands("black " + reply.String())
	b.expect("white e5: ")
}

// The opponent is a program: its disc goes where it wants it.
func TestPresenceWish(t *testing.T) {
	t.Parallel()
	b := emptyBlindTable(t, variant(t, "classic"))
	b.state.Match.Opponent = referee.Opponent{Kind: referee.Builtin, Level: 3, Side: engine.White}
	b.discs = b.state.Match.Rules.Start.Discs
	b.rest()
	b.play("f5")
	b.said = nil
	b.suggest("f6")
	b.guide("white f6")
	b.hands("white d6, turn d5")
	b.guide("remove d6 white f6")
	b.expect("illegal white d6 other_square")
	b.hands("none d6, turn d5")
	b.hands("white f6, turn e5")
	b.expect("white f6: e5")
	b.agree()
}

func TestReadingsOfTheOtherKindOfBoard(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	before := tb.state
	tb.step(referee.Felt{At: time.Hour, Squares: 1})
	if tb.state != before || len(tb.said) != 0 {
		t.Error("a board that sees faces took a reading without them")
	}
	b := classicBlind(t)
	before = b.state
	b.step(referee.Seen{At: time.Hour, Discs: engine.Discs{Black: 1}})
	if b.state != before || len(b.said) != 0 {
		t.Error("a board that sees no faces took a reading with them")
	}
}

func TestPresenceReadingDoesNotAllocate(t *testing.T) {
	b := classicBlind(t)
	b.play("f5d6c3d3c4")
	rested := b.state
	b.hands("white g6")
	moving := b.state
	lie := b.discs.Occupied()
	for _, c := range []struct {
		name string
		from referee.State
		in   referee.Felt
	}{
		{"nothing", rested, referee.Felt{Squares: lie &^ b.sq("g6").Bit()}},
		{"a disc nudged", rested, referee.Felt{Squares: lie &^ b.sq("g6").Bit(), Lifted: b.sq("d4").Bit()}},
		{"a disc placed", rested, referee.Felt{Squares: lie}},
		{"a flip done", moving, referee.Felt{Squares: lie, Lifted: b.sq("e4").Bit()}},
		{"withdrawn", moving, referee.Felt{Squares: lie &^ b.sq("g6").Bit(), Lifted: b.sq("e4").Bit()}},
	} {
		out := make([]referee.Effect, 0, 8)
		in := referee.Input(c.in)
		state := c.from
		if n := testing.AllocsPerRun(1000, func() {
			state = c.from
			out = referee.Step(&state, in, out[:0])
		}); n != 0 || len(out) != 0 {
			t.Errorf("%s: %v allocations, effects %v", c.name, n, out)
		}
	}
}
