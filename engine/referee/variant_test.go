package referee_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

func historic(t *testing.T) *table {
	t.Helper()
	tb := tableOf(t, variant(t, "historic"))
	tb.expect("start historic")
	return tb
}

func TestHistoricOpening(t *testing.T) {
	tb := historic(t)
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
	tb.guide("black d4 e4 d5 e5")
	tb.put("b d4")
	tb.expect("black d4: ")
	tb.guide("white e4 d5 e5")
	tb.put("w e4") // both the diagonal and the parallel start can arise
	tb.put("b d5")
	tb.guide("white e5")
	tb.put("w e5")
	tb.guide("")
	tb.expect("white e4: ", "black d5: ", "white e5: ")
	tb.stage(referee.Playing, referee.ToMove, engine.Black)
	// Black on the d file, White on the e file: every square of the f file next
	// to White outflanks along its rank.
	tb.put("b f4")
	tb.guide("flip e4")
	tb.put("b e4")
	tb.expect("black f4: e4")
	if b, w := tb.state.Game.Hand(engine.Black), tb.state.Game.Hand(engine.White); b != 29 || w != 30 {
		t.Errorf("hands %d and %d, want 29 and 30", b, w)
	}
}

func TestWhoBeginsTheHistoricGameIsAgreed(t *testing.T) {
	tb := tableOf(t, variant(t, "historic").WithFirst(engine.White))
	tb.guide("white d4 e4 d5 e5")
	tb.put("w e5")
	tb.expect("start historic", "white e5: ")
}

func TestMistakesInTheOpening(t *testing.T) {
	tests := []struct{ name, before, change, guide, event, heal, after string }{
		{"the wrong color up", "", "w d4", "turn d4", "illegal black d4 wrong_color", "- d4", "black d4 e4 d5 e5"},
		{"off the center has a reason of its own", "", "b d3", "remove d3", "illegal black d3 off_center", "- d3", "black d4 e4 d5 e5"},
		{"beside the centre and wrong", "", "w d3", "remove d3", "illegal black d3 wrong_color", "- d3", "black d4 e4 d5 e5"},
		{"two at once", "", "b d4 e5", "remove d4 e5", "illegal black d4 second_disc", "- d4 e5", "black d4 e4 d5 e5"},
		{"a disc turned", "d4", "w d4", "turn d4", "illegal white d4 extra_flip", "b d4", "white e4 d5 e5"},
		{"out of turn", "d4", "b e4", "turn e4", "illegal white e4 wrong_color", "- e4", "white e4 d5 e5"},
		{"the fifth turns something", "d4e4d5e5", "b c4", "remove c4", "illegal black c4 no_flip", "- c4", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tb := historic(t)
			tb.play(tc.before)
			tb.said = nil
			tb.put(tc.change)
			tb.guide(tc.guide)
			tb.expect(tc.event)
			tb.put(tc.heal)
			tb.guide(tc.after)
			tb.expect()
			if tb.state.Problem.Active() {
				t.Errorf("problem %+v is still open", tb.state.Problem)
			}
		})
	}
}

func TestADiscOfTheOpeningTurnedInTheHandIsAMove(t *testing.T) {
	tb := historic(t)
	tb.put("w e5")
	tb.expect("illegal black e5 wrong_color")
	tb.put("b e5")
	tb.expect("black e5: ")
}

func TestTakebackInTheOpening(t *testing.T) {
	tb := historic(t)
	tb.play("d4e5")
	tb.said = nil
	tb.put("- e5") // lifted for a moment
	tb.put("w e5")
	tb.expect()
	tb.put("- e5")
	tb.step(referee.Tick{At: tb.wake - 1})
	tb.expect()
	tb.step(referee.Tick{At: tb.wake})
	tb.expect("undo 1 to ply 1, white to move")
	tb.guide("white e4 d5 e5")
	tb.put("- d4")
	tb.put("b e5")
	tb.expect("undo 1 to ply 0, black to move", "black e5: ")
	tb.put("- e5")
	tb.step(referee.Tick{At: tb.wake})
	tb.play("d4e4d5e5")
	tb.play("f4") // from here on the discs of the opening stay
	tb.said = nil
	tb.put("w e4")
	tb.put("- f4")
	tb.expect("illegal white e4 extra_flip", "undo 1 to ply 4, black to move")
	tb.put("- e5")
	tb.put("- d4 e4 d5")
	tb.step(referee.Tick{At: tb.wake})
	tb.expect("undo 4 to ply 0, black to move")
	tb.guide("black d4 e4 d5 e5")
}

func TestADiscMovedOnInTheOpening(t *testing.T) {
	tb := historic(t)
	tb.play("d4")
	tb.said = nil
	tb.lay("- d4")
	tb.put("b e4") // slid on before the board has settled without it
	tb.expect("undo 1 to ply 0, black to move", "black e4: ")
	tb.lay("- e4")
	tb.put("b f4")
	tb.expect("illegal white f4 wrong_color")
}

func TestUndoByOrderInTheOpening(t *testing.T) {
	tb := historic(t)
	tb.play("d4e4")
	tb.said = nil
	tb.order(referee.Undo{Plies: 2})
	tb.guide("remove d4 e4")
	tb.look()
	tb.expect("command arbiter", "undo 2 to ply 0, black to move")
	tb.put("- d4 e4")
	tb.guide("black d4 e4 d5 e5")
	tb.expect()
}

// Sweeping the discs off in mid-game passes through every position of the
// opening; none of them is a takeback.
func TestSweepingInMidGameIsNoTakeback(t *testing.T) {
	tb := historic(t)
	tb.play("d4e5d5e4")
	tb.play(tb.state.Game.Legal().First().String())
	tb.said = nil
	five := tb.state.Game
	for _, keep := range []string{"d4 e5 d5", "d4 e5", "d4", ""} {
		tb.discs = engine.Discs{}
		for name := range strings.FieldsSeq(keep) {
			before := tb.state.Entries[4].Before
			tb.discs = tb.discs.With(tb.sq(name), before.At(tb.sq(name)))
		}
		tb.look()
		if tb.state.Game != five {
			t.Fatalf("with %q left the record is at ply %d", keep, tb.state.Ply())
		}
	}
	for _, said := range tb.said {
		if strings.HasPrefix(said, "undo") {
			t.Errorf("sweeping: %s", said)
		}
	}
	tb.discs = five.Discs
	tb.said = nil
	tb.look()
	tb.expect()
	tb.guide("")
}

func TestTidyingUpStartsNoHistoricGame(t *testing.T) {
	end := func() *table {
		tb := historic(t)
		rnd := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // a game that can be repeated, not a secret
		for tb.state.Phase == referee.Playing {
			list := slices.Collect(tb.state.Game.Legal().All())
			tb.play(list[rnd.IntN(len(list))].String())
		}
		tb.said = nil
		return tb
	}
	tb := end()
	for s := range tb.discs.Occupied().All() {
		tb.put("- " + s.String())
	}
	tb.look()
	tb.expect()
	tb.stage(referee.Setup, referee.NoStep, engine.None)
	if !tb.state.Ended {
		t.Error("the result is gone")
	}
	tb.guide("black d4 e4 d5 e5")
	tb.put("w d4") // neither this nor that begins a game
	tb.guide("remove d4")
	tb.put("- d4")
	tb.put("b a1")
	tb.guide("remove a1")
	tb.put("- a1")
	tb.expect()
	tb.put("b d5")
	tb.expect("start historic", "black d5: ")
	tb.guide("white d4 e4 e5")

	tb = end()
	tb.discs = engine.Discs{}
	tb.look()
	tb.lay("b d5")
	tb.put("w e5") // quick players
	tb.expect("start historic", "black d5: ", "white e5: ")

	tb = end()
	tb.discs = engine.Discs{}
	tb.look()
	tb.order(referee.NewGame{Match: tb.state.Match}) // who asks for a game gets it
	tb.expect("command arbiter", "start historic")
}

func TestTheEmptyBoardStartsTheGameThatWasAskedFor(t *testing.T) {
	tb := newTable(t)
	tb.play("f5")
	tb.said = nil
	match := tb.state.Match
	match.Rules = variant(t, "historic")
	tb.order(referee.NewGame{Match: match})
	tb.guide("remove d4 e4 d5 e5 f5")
	tb.put("- d4 e4 d5 e5 f5")
	tb.expect("command arbiter", "over none 0-0 discs 4-1 aborted", "start historic")
	tb.guide("black d4 e4 d5 e5")
}

// The settings were changed between two sessions: the result stays that of the
// game on record, the next game is the new one.
func TestTheMatchThatFollows(t *testing.T) {
	tb := newTable(t)
	tb.play("f5d6c5f6e7f4g5e6e3")
	next := tb.state.Match
	next.Rules, next.Players = variant(t, "historic"), [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Bob")}
	referee.Prepare(&tb.state, next)
	tb.look()
	if tb.state.Match.Rules.Name != "classic" {
		t.Fatalf("the finished game is called %s", tb.state.Match.Rules.Name)
	}
	tb.discs = engine.Discs{}
	tb.look()
	tb.said = nil
	tb.put("b d4")
	tb.expect("start historic", "black d4: ")
	if tb.state.Match != next {
		t.Errorf("the next match is %+v", tb.state.Match)
	}
	referee.Prepare(&tb.state, referee.Match{}) // a running game is not touched
	tb.put("w e4")
	tb.expect("white e4: ")
}

func TestMaskedCellOfTheCentre(t *testing.T) {
	tb := historic(t)
	tb.mask = tb.sq("e5").Bit()
	tb.look()
	tb.put("b d4")
	tb.put("w d5")
	tb.put("b e4")
	tb.said = nil
	// White's e5 cannot be seen; Black's reply says that it is there.
	rules := tb.state.Game.Place(tb.sq("e5"))
	reply := rules.Legal().First()
	tb.put("b " + reply.String())
	tb.expect("white e5: ")
	tb.guide("flip " + rules.Flips(reply).String())
}

// Thirty-two discs each: a player without discs passes while the other goes on.
func TestPassForWantOfDiscs(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // games that can be repeated, not a secret
		m := newModel('b')
		found := false
		for !m.over() && !found {
			mover, list := m.turn, m.legal(m.turn)
			m.place(list[rnd.IntN(len(list))])
			found = m.turn == mover && m.left[m.other()] == 0
		}
		if m.over() {
			continue
		}
		out := m.other()
		// What out could do with one more disc.
		m.left[out] = 1
		could := len(m.legal(out))
		m.left[out] = 0
		if could == 0 {
			continue
		}
		tb := historic(t)
		tb.play(m.transcript())
		by := map[byte]engine.Color{'b': engine.Black, 'w': engine.White}[out]
		if got, want := tb.said[len(tb.said)-1], by.String()+" passes"; got != want {
			t.Fatalf("seed %d: last event %q, want %q", seed, got, want)
		}
		tb.stage(referee.Playing, referee.ToMove, by.Opponent())
		for !m.over() {
			list := m.legal(m.turn)
			name := list[rnd.IntN(len(list))]
			m.place(name)
			tb.play(name)
		}
		if tb.state.Phase != referee.Over || tb.state.Game.Discs != m.discs() {
			t.Fatalf("seed %d: %v with %v, want over with %v", seed, tb.state.Phase, tb.state.Game.Discs, m.discs())
		}
		return
	}
	t.Fatal("no game of 2000 has such a pass")
}

// Whole games with takebacks and mistakes, against the model.
func TestHistoricGamesFollowTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := rapid.SampledFrom([]byte{'b', 'w'}).Draw(rt, "first")
		tb := tableOf(t, variant(t, "historic").WithFirst(map[byte]engine.Color{'b': engine.Black, 'w': engine.White}[first]))
		m := newModel(first)
		for !m.over() {
			switch n := rapid.IntRange(0, 11).Draw(rt, "act"); {
			case n == 0 && len(m.moves) > 0:
				m = replayed(first, m.moves[:len(m.moves)-1])
				tb.discs = m.discs()
				tb.look()
				tb.step(referee.Tick{At: tb.now + 3*time.Second})
			case n == 1:
				// The opponent's color on some square, and off again.
				list := m.legal(m.turn)
				name := list[rapid.IntRange(0, len(list)-1).Draw(rt, "wrong")]
				tb.put(string(m.other()) + " " + name)
				tb.put("- " + name)
			default:
				list := m.legal(m.turn)
				name := list[rapid.IntRange(0, len(list)-1).Draw(rt, "move")]
				mover := m.turn
				flips := m.place(name)
				tb.put(string(mover) + " " + name)
				for _, f := range flips {
					tb.put(string(mover) + " " + f)
				}
			}
			check(rt, tb, m)
		}
		if tb.state.Phase != referee.Over {
			rt.Fatalf("phase %v at the end of %s", tb.state.Phase, m.transcript())
		}
	})
}

func check(rt *rapid.T, tb *table, m *model) {
	s := &tb.state
	if s.Transcript() != m.transcript() || s.Game.Discs != m.discs() ||
		s.Game.Hand(engine.Black) != m.left['b'] || s.Game.Hand(engine.White) != m.left['w'] {
		rt.Fatalf("record %s %v, hands %d %d; want %s %v %v", s.Transcript(), s.Game.Discs,
			s.Game.Hand(engine.Black), s.Game.Hand(engine.White), m.transcript(), m.discs(), m.left)
	}
	if m.over() {
		return
	}
	turn := map[byte]engine.Color{'b': engine.Black, 'w': engine.White}[m.turn]
	if s.Turn() != turn {
		rt.Fatalf("after %s %v is to move, want %v", m.transcript(), s.Turn(), turn)
	}
	var want referee.Guide
	if free := m.opening(); len(free) > 0 {
		for _, name := range free {
			sq, _ := engine.ParseSquare(name)
			if turn == engine.Black {
				want.PlaceBlack |= sq.Bit()
			} else {
				want.PlaceWhite |= sq.Bit()
			}
		}
	}
	if s.Guide != want {
		rt.Fatalf("after %s the guide is %+v, want %+v", m.transcript(), s.Guide, want)
	}
}

func TestReverseHasTheOppositeWinner(t *testing.T) {
	tb := tableOf(t, variant(t, "reverse"))
	tb.play("f5d6c5f6e7f4g5e6e3") // 13 black discs, no white one
	if got, want := tb.said[len(tb.said)-1], "over white 13-0 discs 13-0 wipeout"; got != want {
		t.Fatalf("last event %q, want %q", got, want)
	}
}

func TestOtherStarts(t *testing.T) {
	tests := []struct {
		start, guide string
		events       []string
		turn         engine.Color
	}{
		{"parallel", "black d4 e4 white d5 e5", []string{"start custom"}, engine.Black},
		{"inverted", "black d4 e5 white e4 d5", []string{"start custom"}, engine.Black},
		{"handicap-2", "black a1 e4 d5 h8 white d4 e5", []string{"start custom"}, engine.White},
		{"f5f6", "black e4 d5 f5 white d4 e5 f6", nil, engine.Black},
		// Black outflanks nothing, White does.
		{strings.Repeat("-", 56) + "OX------ X", "black b8 white a8", []string{"start custom", "black passes"}, engine.White},
	}
	for _, tc := range tests {
		t.Run(tc.start, func(t *testing.T) {
			start, err := notation.ParseStart(tc.start)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := variant(t, "custom").From(start)
			if err != nil {
				t.Fatal(err)
			}
			tb := &table{t: t, state: referee.New(referee.Match{Rules: rules, Profile: referee.Profile{Name: "home", MissingAfter: time.Second}})}
			tb.look()
			if tc.events != nil {
				tb.guide(tc.guide)
			}
			tb.discs = start.Discs
			tb.look()
			if tc.events == nil {
				tc.events = []string{"start custom"}
			}
			tb.expect(tc.events...)
			tb.stage(referee.Playing, referee.ToMove, tc.turn)
			if tb.state.Ply() != 0 {
				t.Errorf("ply %d at the start", tb.state.Ply())
			}
		})
	}
}

func TestTheFirstPassCannotBeUndone(t *testing.T) {
	start, err := notation.ParseStart(strings.Repeat("-", 56) + "OX------ X")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := variant(t, "custom").From(start)
	if err != nil {
		t.Fatal(err)
	}
	tb := tableOf(t, rules)
	tb.order(referee.Undo{Plies: 1})
	tb.expect("start custom", "black passes", "refused not_allowed")
	tb.play("c8")
	if got := fmt.Sprint(tb.said); !strings.Contains(got, "white c8: b8") || !strings.Contains(got, "over white") {
		t.Errorf("events %s", got)
	}
}

// The sheet of the festival allows either diagonal to be the light one: the game
// begins as it is set up, and its start is on record. Elsewhere swapped colors are a
// question about the orientation.
func TestFestivalTakesEitherDiagonal(t *testing.T) {
	start := engine.Start().Discs
	swapped := engine.Discs{Black: start.White, White: start.Black}
	tb := setUp(t, engine.Festival, swapped)
	tb.expect("start festival")
	if tb.state.Game.Rules.Start.Discs != swapped || tb.state.Match.Rules.Start.Turn != black {
		t.Errorf("the start is %v", tb.state.Game.Rules.Start)
	}
	if f := tb.folded(); f.Game != tb.state.Game {
		t.Errorf("on record it is %v", f.Game)
	}
	tb.play("c5") // turns d5
	tb.expect("black c5: d5")
	// The next game may have the other one.
	tb.order(referee.Resign{Color: white})
	tb.said = nil
	tb.put("- d4 e4 d5 e5 c5")
	tb.discs = start
	tb.look()
	tb.expect("start festival")
	if tb.state.Game.Rules.Start.Discs != start {
		t.Errorf("the next start is %v", tb.state.Game.Rules.Start)
	}
}

func TestSwappedColorsAreAQuestionInOtherGames(t *testing.T) {
	start := engine.Start().Discs
	for _, name := range []string{engine.Classic, engine.Reverse, engine.WhiteFirst, engine.Custom} {
		tb := setUp(t, name, engine.Discs{Black: start.White, White: start.Black})
		if tb.state.Phase != referee.Setup || tb.state.Problem.Code != referee.Orientation {
			t.Errorf("%s: %v, %+v", name, tb.state.Phase, tb.state.Problem)
		}
	}
}

// setUp lays discs out, one of them first, for a game that is to begin.
func setUp(t *testing.T, name string, discs engine.Discs) *table {
	t.Helper()
	tb := &table{t: t, state: referee.New(referee.Match{Rules: variant(t, name), Profile: festival()}), now: time.Second}
	tb.put("w d5") // tells nothing yet
	tb.discs = discs
	tb.look()
	return tb
}

// While the discs are laid out the lights show what is missing of the diagonal that
// was begun.
func TestFestivalGuidesToTheDiagonalThatWasBegun(t *testing.T) {
	tb := &table{t: t, state: referee.New(referee.Match{Rules: variant(t, engine.Festival), Profile: festival()}), now: time.Second}
	tb.put("w d5 e4")
	tb.put("b d4")
	tb.guide("black e5")
}
