package referee_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// table is a referee with a board that a test changes by hand. Every change is
// a settled reading, one second after the last one.
type table struct {
	t     *testing.T
	state referee.State
	discs engine.Discs
	lost  engine.Bitboard
	mask  engine.Bitboard
	now   time.Duration
	said  []string
	wake  time.Duration
	// all are the events so far, as a journal would have them.
	all []referee.Event
}

func newTable(t *testing.T) *table {
	t.Helper()
	tb := tableOf(t, variant(t, "classic"))
	tb.expect("start classic")
	return tb
}

func variant(t *testing.T, name string) engine.Rules {
	t.Helper()
	rules, err := engine.Variant(name)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// tableOf lays out the start of a game.
func tableOf(t *testing.T, rules engine.Rules) *table {
	t.Helper()
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, state: referee.New(referee.Match{Rules: rules, Profile: profile})}
	tb.discs = rules.Start.Discs
	tb.look()
	return tb
}

func (tb *table) step(in referee.Input) {
	tb.t.Helper()
	for _, eff := range stepTwice(tb.t, &tb.state, in) {
		switch eff := eff.(type) {
		case referee.Announce:
			tb.said = append(tb.said, describe(eff.Event))
			tb.all = append(tb.all, eff.Event)
		case referee.Wake:
			tb.wake = eff.At
		case referee.Refuse:
			tb.said = append(tb.said, "refused "+string(eff.Code))
		}
	}
}

func (tb *table) look() {
	tb.now += time.Second
	tb.step(referee.Seen{At: tb.now, Discs: tb.discs, Lost: tb.lost, Masked: tb.mask})
}

func (tb *table) sq(name string) engine.Square {
	tb.t.Helper()
	s, err := engine.ParseSquare(name)
	if err != nil {
		tb.t.Fatal(err)
	}
	return s
}

// put makes squares show a color and lets the board settle: "b e6" or "- d6 d5".
func (tb *table) put(change string) {
	tb.t.Helper()
	tb.lay(change)
	tb.look()
}

// lay does the same without a reading.
func (tb *table) lay(change string) {
	tb.t.Helper()
	words := strings.Fields(change)
	color := map[string]engine.Color{"b": engine.Black, "w": engine.White, "-": engine.None}[words[0]]
	for _, name := range words[1:] {
		tb.discs = tb.discs.With(tb.sq(name), color)
	}
}

// play makes whole moves, each in one reading.
func (tb *table) play(transcript string) {
	tb.t.Helper()
	for len(transcript) >= 2 {
		s := tb.sq(transcript[:2])
		g := tb.state.Game
		tb.discs = g.Place(s).Discs
		tb.look()
		transcript = transcript[2:]
	}
}

func (tb *table) order(o referee.Order) {
	tb.now += time.Second
	tb.step(referee.Command{At: tb.now, Audit: referee.Audit{Role: "arbiter", Order: o}})
}

// expect compares the events since the last call.
func (tb *table) expect(events ...string) {
	tb.t.Helper()
	if !slices.Equal(tb.said, events) {
		tb.t.Fatalf("events %q, want %q", tb.said, events)
	}
	tb.said = nil
}

// guide compares the guide, written as "flip d5 turn f4 remove a1 black c3 white d3".
func (tb *table) guide(want string) {
	tb.t.Helper()
	g := tb.state.Guide
	var parts []string
	for _, p := range []struct {
		name string
		set  engine.Bitboard
	}{{"flip", g.Flip}, {"turn", g.Turn}, {"remove", g.Remove}, {"black", g.PlaceBlack}, {"white", g.PlaceWhite}} {
		if p.set != 0 {
			parts = append(parts, p.name+" "+p.set.String())
		}
	}
	if got := strings.Join(parts, " "); got != want {
		tb.t.Fatalf("guide %q, want %q", got, want)
	}
}

func (tb *table) stage(phase referee.Phase, stage referee.Stage, turn engine.Color) {
	tb.t.Helper()
	if tb.state.Phase != phase || tb.state.Step != stage || tb.state.Turn() != turn {
		tb.t.Fatalf("%v %v %v to move, want %v %v %v", tb.state.Phase, tb.state.Step, tb.state.Turn(), phase, stage, turn)
	}
}

// describeRuling describes what arbiters and clocks do.
func describeRuling(ev any) string {
	switch ev := ev.(type) {
	case referee.FlipError:
		text := fmt.Sprintf("flips %v at %d", ev.Status, ev.Ply)
		if ev.Claimed {
			text = fmt.Sprintf("flips claimed at %d", ev.Ply)
		}
		if ev.Missed != 0 {
			text += fmt.Sprintf(", missed %v", ev.Missed)
		}
		if ev.Extra != 0 {
			text += fmt.Sprintf(", extra %v", ev.Extra)
		}
		return text
	case referee.Revised:
		return fmt.Sprintf("revised from %d, %d lines", ev.FromPly, ev.Len)
	case referee.PositionSet:
		return fmt.Sprintf("set, %v to move", ev.Turn)
	case referee.ClockFlag:
		return fmt.Sprintf("flag of %v: %v", ev.Color, ev.Effect)
	case referee.ClockAdjusted:
		return "clocks set"
	case referee.GamePaused:
		return "paused by " + ev.By
	case referee.GameResumed:
		return "resumed by " + ev.By
	case referee.TimeStepped:
		return fmt.Sprintf("wall clock stepped by %v", ev.By)
	default:
		return fmt.Sprintf("%T", ev)
	}
}

func describe(ev referee.Event) string {
	switch ev := ev.(type) {
	case referee.GameStarted:
		return "start " + ev.Match.Rules.Name
	case referee.Moved:
		if ev.Improper != referee.NoReason {
			return fmt.Sprintf("%v %v (%v): %v", ev.By, ev.Square, ev.Improper, ev.Flipped)
		}
		return fmt.Sprintf("%v %v: %v", ev.By, ev.Square, ev.Flipped)
	case referee.Passed:
		return fmt.Sprintf("%v passes", ev.By)
	case referee.Undone:
		return fmt.Sprintf("undo %d to ply %d, %v to move", ev.Plies, ev.ToPly, ev.By)
	case referee.Illegal:
		return fmt.Sprintf("illegal %v %v %v", ev.By, ev.Square, ev.Reason)
	case referee.GameOver:
		r := ev.Result
		return fmt.Sprintf("over %v %d-%d discs %d-%d %s", r.Winner, r.Black, r.White, r.DiscsBlack, r.DiscsWhite, r.Reason)
	case referee.Faulted:
		return fmt.Sprintf("fault %s %v", ev.Kind, ev.Squares)
	case referee.Restored:
		return fmt.Sprintf("restored %s %v", ev.Kind, ev.Squares)
	case referee.PowerRestored:
		return fmt.Sprintf("power %v", ev.Changed)
	case referee.EngineLost:
		return fmt.Sprintf("lost %s: %s", ev.Engine, ev.Reason)
	case referee.Commanded:
		return "command " + ev.Audit.Role
	case referee.FlipError, referee.Revised, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.TimeStepped:
		return describeRuling(ev)
	default:
		return fmt.Sprintf("%T", ev)
	}
}

// The start position is symmetric under a half turn: f5 turns e5.
func TestMoveIsCommittedWhenItsFlipsAreDone(t *testing.T) {
	tb := newTable(t)
	tb.put("b f5")
	tb.guide("flip e5")
	tb.stage(referee.Playing, referee.InProgress, engine.Black)
	tb.expect()
	tb.put("- e5") // the disc is turned by way of the hand
	tb.guide("flip e5")
	tb.expect()
	tb.put("b e5")
	tb.guide("")
	tb.stage(referee.Playing, referee.ToMove, engine.White)
	tb.expect("black f5: e5")
}

func TestLiftedDiscsThatComeBackAreNoEvent(t *testing.T) {
	tb := newTable(t)
	tb.put("- d4 e4")
	tb.guide("")
	tb.put("w d4")
	tb.put("b e4")
	tb.expect()
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
}

func TestMissingDiscsAreAskedForAfterAWhile(t *testing.T) {
	tb := newTable(t)
	tb.put("- d4")
	if want := tb.now + 3*time.Second; tb.wake != want {
		t.Fatalf("asked to be woken at %v, want %v", tb.wake, want)
	}
	tb.step(referee.Tick{At: tb.wake - 1})
	tb.guide("")
	tb.step(referee.Tick{At: tb.wake})
	tb.guide("white d4")
	tb.put("w d4")
	tb.guide("")
	tb.expect()
}

func TestMissingFlipIsAskedForInTheMoversColor(t *testing.T) {
	tb := newTable(t)
	tb.put("b f5")
	tb.put("- e5")
	tb.step(referee.Tick{At: tb.wake})
	tb.guide("black e5")
	tb.put("b e5")
	tb.expect("black f5: e5")
}

func TestMistakesAreNamedOnceAndHealByRestoring(t *testing.T) {
	tests := []struct {
		name, before, change, guide, event, heal string
		code                                     referee.Code
	}{
		{"a disc that outflanks nothing", "", "b a1", "remove a1", "illegal black a1 no_flip", "- a1", referee.IllegalPosition},
		{"the wrong color at the start", "", "w f4", "remove f4", "illegal black f4 wrong_color", "- f4", referee.IllegalPosition},
		{"the wrong color on a legal square", "", "w f5", "turn f5", "illegal black f5 wrong_color", "- f5", referee.IllegalPosition},
		{"the opponent out of turn", "f5", "b d3", "remove d3", "illegal black d3 out_of_turn", "- d3", referee.TurnWrong},
		{"a disc turned without a move", "", "b d4", "turn d4", "illegal black d4 extra_flip", "w d4", referee.IllegalPosition},
		{"two discs at once", "", "b f5 c4", "remove c4 f5", "illegal black c4 second_disc", "- f5 c4", referee.IllegalPosition},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tb := newTable(t)
			tb.play(tc.before)
			tb.said = nil
			turn := tb.state.Turn()
			tb.put(tc.change)
			tb.guide(tc.guide)
			tb.stage(referee.Playing, referee.Correcting, turn)
			if tb.state.Problem.Code != tc.code {
				t.Errorf("problem %q, want %q", tb.state.Problem.Code, tc.code)
			}
			tb.look() // still there: no second event
			tb.expect(tc.event)
			tb.put(tc.heal)
			tb.guide("")
			tb.stage(referee.Playing, referee.ToMove, turn)
			if tb.state.Problem.Active() {
				t.Errorf("problem %+v is still open", tb.state.Problem)
			}
			tb.expect()
			tb.put(tc.change)
			tb.expect(tc.event) // a second time is a second mistake
		})
	}
}

func TestExtraFlipDoesNotHideTheMove(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6") // White's d6 has turned d5... Black may now play c5, c6, c7
	tb.said = nil
	g := tb.state.Game
	move := g.Legal().First()
	flips := g.Flips(move)
	extra := (g.Of(engine.White) &^ flips).First()
	tb.discs = tb.discs.With(move, engine.Black).With(extra, engine.Black)
	tb.look()
	tb.guide(fmt.Sprintf("flip %v turn %v", flips, extra))
	tb.expect(fmt.Sprintf("illegal black %v extra_flip", extra))
	tb.discs = tb.discs.With(extra, engine.White)
	tb.look()
	tb.guide(fmt.Sprintf("flip %v", flips))
	for f := range flips.All() {
		tb.discs = tb.discs.With(f, engine.Black)
	}
	tb.look()
	tb.expect(fmt.Sprintf("black %v: %v", move, flips))
}

func TestTheOpponentMustWaitForTheFlips(t *testing.T) {
	tb := newTable(t)
	tb.put("b f5")
	tb.put("w d6")
	tb.guide("flip e5 remove d6")
	if !tb.state.Pending.Active || tb.state.Pending.Square != tb.sq("f5") {
		t.Fatalf("the move on its way is lost: %+v", tb.state.Pending)
	}
	tb.expect("illegal white d6 flips_pending")
	tb.put("- d6")
	tb.put("b e5")
	tb.expect("black f5: e5")
}

// White's f6 would turn e5 back at once, so the board looks as after two whole
// moves; but Black's e5 was seen to be still undone.
func TestReplyThatHidesAnUnfinishedMoveMustWait(t *testing.T) {
	tb := newTable(t)
	tb.put("b f5")
	tb.put("w f6")
	tb.guide("flip e5 remove f6")
	tb.expect("illegal white f6 flips_pending")
}

func TestQuickPlayersNeedNotWaitForTheBoardToSettle(t *testing.T) {
	tb := newTable(t)
	tb.discs = tb.discs.With(tb.sq("f5"), engine.Black).With(tb.sq("e5"), engine.Black)
	tb.put("w f6")
	tb.expect("black f5: e5")
	tb.guide("flip e5")
	tb.put("w e5")
	tb.expect("white f6: e5")
}

// TestTwoMovesInOneReading plays whole games two moves at a time: the reply has
// turned discs of the first move again, in some pairs the placed one itself.
func TestTwoMovesInOneReading(t *testing.T) {
	for _, moves := range []string{
		"f5f6",
		// Two games of World Championships, 1977 and 1978; the second has four
		// passes.
		"f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1",
		"f5f6e6f4e3c5c4d3f3e2f2d2c3d6d1b5c1c2b3e1f1a3a6b4a4b6a2g3a5b2h3h2h1g1g2b1h4g4a1h5g5b7a7a8b8c8c6h6g6c7d7d8g7f7f8g8e7e8h8",
	} {
		tb := newTable(t)
		line, err := notation.ParseTranscript(tb.state.Match.Rules, moves)
		if err != nil {
			t.Fatal(err)
		}
		g, placed := tb.state.Game, 0
		for _, m := range line.Moves {
			if sq, ok := m.Square(); ok {
				g = g.Place(sq)
				if placed++; placed%2 == 0 {
					tb.discs = g.Discs
					tb.look()
				}
			} else {
				g = g.Pass()
			}
		}
		tb.discs = g.Discs
		tb.look()
		if got := tb.state.Transcript(); got != moves {
			t.Errorf("transcript %s, want %s", got, moves)
		}
		for _, said := range tb.said {
			if strings.HasPrefix(said, "illegal") {
				t.Errorf("%s: %s", moves, said)
			}
		}
	}
}

func TestWithdrawnMoveIsGuidedBack(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6c3d3c4f4") // Black to move
	tb.said = nil
	g := tb.state.Game
	var move engine.Square
	for s := range g.Legal().All() {
		if g.Flips(s).Count() >= 2 {
			move = s
		}
	}
	flips := g.Flips(move)
	first := flips.First()
	tb.discs = tb.discs.With(move, engine.Black).With(first, engine.Black)
	tb.look()
	tb.discs = tb.discs.With(move, engine.None)
	tb.look()
	tb.guide("flip " + first.String())
	tb.stage(referee.Playing, referee.InProgress, engine.Black)
	tb.expect()
	tb.discs = tb.discs.With(first, engine.White)
	tb.look()
	tb.guide("")
	tb.expect()
}

func TestTakeback(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.said = nil
	tb.put("- d6")
	tb.guide("flip d5")
	tb.stage(referee.Playing, referee.InProgress, engine.Black)
	tb.put("b d5")
	tb.guide("")
	tb.expect("undo 1 to ply 1, white to move")
	tb.stage(referee.Playing, referee.ToMove, engine.White)
	tb.play("d6")
	tb.expect("white d6: d5")
	tb.discs = engine.Start().Discs // both moves at once
	tb.look()
	tb.expect("undo 2 to ply 0, black to move")
}

func TestUndoneByOrderTheBoardIsGuidedBack(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.said = nil
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", "undo 1 to ply 1, white to move")
	tb.guide("flip d5 remove d6")
	tb.look() // the board still equals the move that was undone: it must not come back
	tb.expect()
	tb.put("- d6")
	tb.guide("flip d5")
	tb.put("b d5")
	tb.guide("")
	tb.expect()
	tb.play("d6")
	tb.expect("white d6: d5")
	for _, plies := range []int{0, -1, 3, 1 << 40} {
		tb.order(referee.Undo{Plies: plies})
		tb.expect("refused not_allowed")
	}
}

func TestUndoRestoresTheMoverAcrossPasses(t *testing.T) {
	// Black passes before plies 17 and 20.
	tb := newTable(t)
	tb.play("f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8")
	if tb.said[len(tb.said)-1] != "black passes" {
		t.Fatalf("events %q, want a pass at the end", tb.said)
	}
	tb.play("b7")
	tb.said = nil
	tb.order(referee.Undo{Plies: 1})
	tb.stage(referee.Playing, referee.InProgress, engine.White)
	if n := tb.state.Len; tb.state.Entries[n-1].Move != engine.PassMove {
		t.Fatal("Black's pass before ply 17 is gone")
	}
	tb.discs = tb.state.Game.Discs
	tb.look()
	tb.order(referee.Undo{Plies: 1})
	if n := tb.state.Len; tb.state.Entries[n-1].Move == engine.PassMove {
		t.Fatal("the pass that followed ply 16 is still there")
	}
	tb.stage(referee.Playing, referee.InProgress, engine.White)
}

func TestEndOfTheGameFreesTheHands(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6c5f6e7f4g5e6e3") // the 9-ply wipe-out, 13-0
	if got, want := tb.said[len(tb.said)-1], "over black 13-0 discs 13-0 wipeout"; got != want {
		t.Fatalf("last event %q, want %q", got, want)
	}
	tb.said = nil
	for s := range tb.discs.Occupied().All() {
		if tb.state.Phase != referee.Over {
			t.Fatalf("phase %v while the board is being swept", tb.state.Phase)
		}
		tb.put("- " + s.String())
	}
	tb.stage(referee.Setup, referee.NoStep, engine.None)
	tb.guide("black e4 d5 white d4 e5")
	tb.expect()
	tb.put("w d4 e5")
	tb.guide("black e4 d5")
	tb.put("b e4 d5")
	tb.expect("start classic")
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
	if tb.state.Ply() != 0 || tb.state.Len != 0 {
		t.Fatal("the new game begins with an old record")
	}
}

func TestSetupNamesExactlyTheDifferingSquares(t *testing.T) {
	rules, _ := engine.Variant("classic")
	profile, _ := referee.ProfileNamed("home")
	tb := &table{t: t, state: referee.New(referee.Match{Rules: rules, Profile: profile})}
	tb.stage(referee.Idle, referee.NoStep, engine.None)
	tb.put("b d4 e5 d5 e4")
	tb.guide("turn d4 e5")
	tb.put("w d5 e4")
	tb.guide("turn d4 e4 d5 e5")
	if tb.state.Problem.Code != referee.Orientation {
		t.Fatalf("problem %q, want orientation", tb.state.Problem.Code)
	}
	tb.put("w d4 e5")
	tb.put("b d5 a1")
	tb.guide("turn e4 remove a1")
	tb.put("- a1")
	tb.expect()
	tb.put("b e4")
	tb.expect("start classic")
}

func TestNewGameEndsTheRunningOne(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.said = nil
	rules, _ := engine.Variant("white-first")
	tb.order(referee.NewGame{Match: referee.Match{Rules: rules, Profile: tb.state.Match.Profile}})
	tb.expect("command arbiter", "over none 0-0 discs 3-3 aborted")
	tb.stage(referee.Setup, referee.NoStep, engine.None)
	tb.discs = engine.Start().Discs
	tb.look()
	tb.expect("start white-first")
	tb.stage(referee.Playing, referee.ToMove, engine.White)
}

func TestUnsureCellsHoldBackTheirMoves(t *testing.T) {
	tb := newTable(t)
	tb.put("b f5")
	rank5 := engine.Bitboard(0xFF) << 32
	tb.step(referee.CellsFailed{At: tb.now, Squares: rank5, Kind: referee.LostBank})
	tb.expect("fault bank_lost a5 b5 c5 d5 e5 f5 g5 h5")
	tb.lost = rank5
	tb.discs = tb.discs.With(tb.sq("e5"), engine.Black) // turned, but nobody can see it
	tb.discs.Black &^= rank5
	tb.discs.White &^= rank5
	tb.look()
	if tb.state.Problem.Code != referee.BankLost {
		t.Fatalf("problem %q, want bank_lost", tb.state.Problem.Code)
	}
	if !tb.state.Pending.Active {
		t.Fatal("the move on its way was dropped")
	}
	tb.expect()
	tb.lost = 0
	tb.step(referee.CellsBack{At: tb.now, Squares: rank5, Kind: referee.LostBank})
	tb.put("b d5 e5 f5")
	tb.expect("restored bank_lost a5 b5 c5 d5 e5 f5 g5 h5", "black f5: e5")
}

func TestMaskedCellFollowsFromTheRules(t *testing.T) {
	tb := newTable(t)
	tb.mask = tb.sq("f5").Bit() | tb.sq("d6").Bit()
	tb.put("b e5") // f5 was placed on a cell that shows nothing
	tb.expect("black f5: e5")
	tb.put("w d5") // d6 likewise
	tb.expect("white d6: d5")
}

func TestPowerCut(t *testing.T) {
	tests := []struct {
		name, change, changed, guide string
		code                         referee.Code
	}{
		{"nothing touched", "", "", "", referee.NoProblem},
		{"in mid-flip", "b c5", "c5", "flip d5", referee.NoProblem},
		{"a disc taken away", "- e5", "e5", "black e5", referee.Power},
		{"a disc turned", "w e5", "e5", "turn e5", referee.Power},
		{"a stray disc", "w a1", "a1", "remove a1", referee.Power},
		// Each of these would be a move or a takeback if it were seen to be made.
		{"a disc pushed to a legal square", "- e4, b c5", "e4 c5", "remove c5 black e4", referee.Power},
		{"the last disc taken away", "- d6", "d6", "white d6", referee.Power},
		{"the last move taken back", "- d6, b d5", "d5 d6", "turn d5 white d6", referee.Power},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tb := newTable(t)
			tb.play("f5d6")
			revived := referee.New(tb.state.Match)
			referee.Apply(&revived, referee.GameStarted{Match: tb.state.Match})
			for _, e := range tb.state.Record() {
				s, _ := e.Move.Square()
				referee.Apply(&revived, referee.Moved{By: e.By, Square: s, Flipped: e.Flipped})
			}
			tb.state, tb.said, tb.now = revived, nil, 0
			tb.step(referee.PowerOn{Gap: time.Minute})
			if tc.change != "" {
				for part := range strings.SplitSeq(tc.change, ", ") {
					tb.lay(part)
				}
			}
			tb.look()
			tb.expect("power " + tc.changed)
			tb.guide(tc.guide)
			if tb.state.Problem.Code != tc.code {
				t.Errorf("problem %q, want %q", tb.state.Problem.Code, tc.code)
			}
			start := engine.NewGame(tb.state.Match.Rules)
			if tb.state.Game != start.Place(tb.sq("f5")).Place(tb.sq("d6")) {
				t.Error("the record is not the one before the cut")
			}
			if tc.code == referee.Power {
				tb.discs = tb.state.Game.Discs
				tb.look()
				tb.guide("")
				tb.expect()
			}
		})
	}
}

// What lay on the board when the power went has not changed meanwhile, record
// or not.
func TestPowerCutInMidFlipWithTheBoardRemembered(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	tb.put("b c5")
	before := tb.discs
	for _, tc := range []struct{ change, changed, guide string }{
		{"", "", "flip d5"},
		{"b d5", "d5", ""},
		{"- c5", "c5", ""},
		{"w h8", "h8", "remove c5 h8"},
	} {
		revived := *tb
		revived.state.Pending, revived.state.SensedOK, revived.said = referee.Pending{}, false, nil
		revived.step(referee.PowerOn{Gap: time.Minute, Seen: before, SeenOK: true})
		if tc.change == "" {
			revived.look()
		} else {
			revived.put(tc.change)
		}
		if len(revived.said) == 0 || revived.said[0] != "power "+tc.changed {
			t.Errorf("%q: events %q, want power %s first", tc.change, revived.said, tc.changed)
		}
		revived.guide(tc.guide)
	}
}

// A power cut between an order and the hands that carry it out does not make
// the move that was undone come back.
func TestPowerCutAfterUndoByOrder(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6")
	start := engine.NewGame(tb.state.Match.Rules)
	revived := referee.New(tb.state.Match)
	referee.Apply(&revived, referee.GameStarted{Match: tb.state.Match})
	for _, e := range tb.state.Record() {
		s, _ := e.Move.Square()
		referee.Apply(&revived, referee.Moved{By: e.By, Square: s, Flipped: e.Flipped})
	}
	referee.Apply(&revived, referee.Commanded{Audit: referee.Audit{Role: "arbiter", Order: referee.Undo{Plies: 1}}})
	referee.Apply(&revived, referee.Undone{Plies: 1, ToPly: 1, By: engine.White})
	tb.state, tb.said = revived, nil
	tb.step(referee.PowerOn{Gap: time.Minute, Seen: tb.discs, SeenOK: true})
	tb.look()
	tb.expect("power ")
	tb.guide("flip d5 remove d6")
	if tb.state.Game != start.Place(tb.sq("f5")) {
		t.Error("the undone move is on record")
	}
	tb.put("- d6")
	tb.put("b d5")
	tb.guide("")
	tb.play("d6")
	tb.expect("white d6: d5")
}

func TestSteadyReadingDoesNotAllocate(t *testing.T) {
	for _, tb := range []*table{newTable(t), officialTable(t, club(), "5:00"), officialTable(t, woc(), "30:00/5")} {
		tb.put("b f5")
		out := make([]referee.Effect, 0, 8)
		in := referee.Seen{At: tb.now, Discs: tb.discs}
		if n := testing.AllocsPerRun(1000, func() { out = referee.Step(&tb.state, in, out[:0]) }); n != 0 {
			t.Errorf("%s: a steady reading allocates %v times", tb.state.Match.Profile.Name, n)
		}
	}
}
