package referee_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

func discs(t *testing.T, text string) engine.Discs {
	t.Helper()
	d, err := engine.ParseDiscs(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// correction is the order that makes of one position another.
func correction(from, to engine.Discs, turn engine.Color) referee.CorrectSquare {
	differ := from.Diff(to)
	return referee.CorrectSquare{
		Black: differ & to.Black, White: differ & to.White, Empty: differ & to.Empty(), Turn: turn, Reason: plaintext.Const("ruled"),
	}
}

// Scenario 19: a disc and the side to move; the guide leads the hands there, and
// what lies there meanwhile is no move.
func TestCorrectedSquare(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.said = nil
	tb.order(referee.CorrectSquare{White: tb.sq("f5").Bit(), Black: tb.sq("c3").Bit(), Turn: white, Reason: plaintext.Const("a disc was knocked over")})
	tb.expect("command arbiter", "set, white to move")
	set, ok := tb.all[len(tb.all)-1].(referee.PositionSet)
	if !ok || set.Reason != plaintext.Const("a disc was knocked over") || set.Discs != tb.state.Game.Discs {
		t.Errorf("%+v", set)
	}
	tb.guide("turn f5 black c3")
	tb.lit("turn f5 black c3")
	tb.stage(referee.Playing, referee.InProgress, white)
	tb.runs(white)
	tb.put("w f5")
	tb.guide("black c3")
	tb.put("b c3")
	tb.guide("")
	tb.expect()
	tb.stage(referee.Playing, referee.ToMove, white)
	if tb.state.Ply() != 2 || !tb.state.Irregular() {
		t.Errorf("ply %d, irregular %t", tb.state.Ply(), tb.state.Irregular())
	}
	// Taking back a move takes the ruling about what followed with it.
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", "undo 1 to ply 1, white to move")
	if tb.state.Irregular() {
		t.Error("the record is irregular before the ruling")
	}
}

// Hands do not take a ruling back.
func TestHandsTakeNoRulingBack(t *testing.T) {
	tb := officialTable(t, referee.Home(), "none")
	tb.play("f5d6")
	tb.order(referee.CorrectSquare{Turn: white})
	tb.said = nil
	tb.put("- d6")
	tb.put("b d5")
	for _, said := range tb.said {
		if strings.HasPrefix(said, "undo") {
			t.Error(said)
		}
	}
}

// Scenario 73: a position in which Black has no move is no end of the game.
func TestSetPositionWithAPass(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	to := discs(t, "OOOXXXXOOOOOOOOOOOOOOXOXOOOOXOXXOOOOXX-XOOOOOXX-OOXXXOXXOOOOOOOO")
	tb.order(correction(tb.state.Game.Discs, to, black))
	tb.expect("command arbiter", "set, black to move", "black passes")
	tb.stage(referee.Playing, referee.InProgress, white)
	if legal := tb.state.Game.Legal().String(); legal != "g5 h6" {
		t.Errorf("legal are %s", legal)
	}
	tb.runs(white)
	tb.discs = to
	tb.look()
	tb.expect()
	tb.stage(referee.Playing, referee.ToMove, white)
}

// A position in which nobody can move ends the game.
func TestSetPositionThatIsOver(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5")
	tb.said = nil
	tb.order(referee.CorrectSquare{Black: tb.sq("d4").Bit(), Turn: engine.None})
	tb.expect("command arbiter", "set, white to move", "over black 5-0 discs 5-0 wipeout")
	// And one that is open again goes on, with the clocks standing until then.
	tb.order(referee.CorrectSquare{White: tb.sq("d4").Bit(), Turn: engine.None})
	tb.expect("command arbiter", "set, white to move")
	tb.runs(engine.None)
	tb.clocks("4m59s", "4m59s")
	tb.look()
	tb.put("w f4 e4")
	tb.expect("resumed by players", "white f4: e4")
}

func TestSetPositionIsRefused(t *testing.T) {
	tb := officialTable(t, referee.Home(), "none")
	tb.order(referee.CorrectSquare{Black: 1, White: 1})
	tb.expect("refused bad_payload")
	tb.order(referee.CorrectSquare{Turn: 3})
	tb.expect("refused bad_payload")
	for range referee.MaxEntries {
		tb.order(referee.CorrectSquare{Turn: white})
	}
	if last := tb.said[len(tb.said)-1]; last != "refused not_allowed" {
		t.Errorf("after %d rulings: %s", tb.state.Len, last)
	}
	// What is left is enough to play the game to its end.
	tb.order(referee.CorrectSquare{Turn: black})
	if rest := referee.MaxEntries - tb.state.Len; rest < 2*60 {
		t.Errorf("%d lines of the record are left", rest)
	}
	other := referee.New(tb.state.Match)
	out := referee.Step(&other, referee.Command{Audit: referee.Audit{Role: "arbiter", Order: referee.CorrectSquare{Turn: white}}}, nil)
	if len(out) != 1 {
		t.Fatalf("%v", out)
	}
	if r, ok := out[0].(referee.Refuse); !ok || r.Code != referee.NotAllowed {
		t.Errorf("before a game: %+v", out[0])
	}
}

// Scenario 56: ply 20 is corrected when ply 26 lies on the board; the rest stays.
func TestRevise(t *testing.T) {
	const played = "f5d6c3d3c4f4f6f3e6e7d7g6g5f7e8h6d2c5c6c8c7b4b5b3g4e3"
	tb := officialTable(t, referee.Home(), "10:00/1")
	tb.play(played)
	tb.said = nil
	before := tb.state
	lying := tb.discs
	// Another square for disc 20, and the moves that were played after it.
	moves := otherLine(t, before.Entries[entryOf(&before, 20)].Before, played[38:40], played[40:])
	tb.order(referee.Revise{FromPly: 20, Moves: moves, Reason: plaintext.Const("look at the sheet")})
	tb.expect("command arbiter", fmt.Sprintf("revised from 20, %d lines", len(moves)/2))
	if got, want := tb.state.Transcript(), played[:38]+moves; got != want {
		t.Fatalf("the record is %s, want %s", got, want)
	}
	if tb.state.Irregular() {
		t.Error("a revised record is irregular")
	}
	final := replay(t, tb.state.Match.Rules, played[:38]+moves)
	if tb.state.Game != final {
		t.Error("the position is not the one that the rules say")
	}
	if tb.state.Clock.Times(tb.now) != before.Clock.Times(tb.now) {
		t.Error("the clocks have changed")
	}
	differ := lying.Diff(final.Discs)
	if g := tb.state.Guide; g.Turn|g.Remove|g.Place() != differ {
		t.Errorf("the guide shows %v, different are %v", g.Turn|g.Remove|g.Place(), differ)
	}
	tb.discs = final.Discs
	tb.look()
	tb.guide("")
	tb.expect()
	// What was thought about the moves before the correction is kept.
	if !slices.EqualFunc(before.Entries[:19], tb.state.Entries[:19], func(a, b referee.Entry) bool { return a == b }) {
		t.Error("entries before the correction have changed")
	}
	// The fold of the journal is the same record.
	if folded := tb.folded(); !slices.Equal(folded.Record(), tb.state.Record()) || folded.Game != tb.state.Game {
		t.Error("the journal replays to another record")
	}
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", fmt.Sprintf("undo 1 to ply %d, %v to move", 18+len(moves)/2, final.Turn.Opponent()))
}

func entryOf(s *referee.State, ply int) int {
	for i, e := range s.Record() {
		if e.Move != engine.PassMove {
			ply--
		}
		if ply == 0 {
			return i
		}
	}
	return -1
}

// otherLine finds another square for a move with which the moves after it are
// legal too, as many as possible.
func otherLine(t *testing.T, g engine.Game, was, after string) string {
	t.Helper()
	best := ""
	for s := range g.Legal().All() {
		if s.String() == was {
			continue
		}
		next, line := g.Place(s), s.String()
		for rest := after; len(rest) >= 2; rest = rest[2:] {
			sq, err := engine.ParseSquare(rest[:2])
			if err != nil || !next.Legal().Has(sq) {
				break
			}
			next, line = next.Place(sq), line+rest[:2]
		}
		if len(line) > len(best) {
			best = line
		}
	}
	if len(best) < 4 {
		t.Fatal("there is no other line")
	}
	return best
}

func replay(t *testing.T, rules engine.Rules, moves string) engine.Game {
	t.Helper()
	line, err := notation.ParseTranscript(rules, moves)
	if err != nil {
		t.Fatal(err)
	}
	return line.Final
}

func TestReviseIsRefused(t *testing.T) {
	tb := officialTable(t, referee.Home(), "none")
	tb.play("f5d6")
	tb.said = nil
	for _, o := range []referee.Revise{
		{FromPly: 0, Moves: "f5"},
		{FromPly: 4, Moves: "c3"},
		{FromPly: -1},
		{FromPly: 2, Moves: "a1"},
		{FromPly: 2, Moves: "d6d6"},
		{FromPly: 2, Moves: "d"},
		{FromPly: 2, Moves: strings.Repeat("d6", 100)},
	} {
		tb.order(o)
		tb.expect("refused bad_payload")
	}
	tb.record("f5d6")
	// One disc more than there is, and one less, are revisions too.
	tb.order(referee.Revise{FromPly: 3, Moves: "c3"})
	tb.record("f5d6c3")
	tb.order(referee.Revise{FromPly: 3})
	tb.record("f5d6")
}

// What lies on the board is ruled to count.
func TestLetStand(t *testing.T) {
	t.Run("wrong flips as a move", func(t *testing.T) {
		tb := officialTable(t, referee.Home(), "5:00")
		tb.play("f5")
		tb.put("w d6 e5")
		tb.said = nil
		tb.order(referee.LetStand{Reason: plaintext.Const("too late to correct")})
		tb.expect("command arbiter", "white d6: e5", "flips stands at 2, missed d5, extra e5")
		tb.record("f5d6")
		tb.runs(black)
		if tb.state.Game.Discs != tb.discs || !tb.state.Irregular() {
			t.Error("the record is not what lies on the board")
		}
	})
	t.Run("anything else as the position", func(t *testing.T) {
		tb := officialTable(t, referee.Home(), "5:00")
		tb.play("f5")
		tb.put("w a1 h8")
		tb.said = nil
		tb.order(referee.LetStand{})
		tb.expect("command arbiter", "set, white to move")
		tb.guide("")
		if tb.state.Game.Discs != tb.discs {
			t.Error("the record is not what lies on the board")
		}
	})
	t.Run("a board that was changed while the power was off", func(t *testing.T) {
		tb := officialTable(t, referee.Home(), "5:00")
		tb.play("f5d6")
		tb.revive(referee.PowerOn{Gap: time.Minute})
		tb.put("b a1")
		tb.expect("power a1")
		tb.order(referee.LetStand{})
		tb.expect("command arbiter", "set, black to move")
		tb.stage(referee.Playing, referee.ToMove, black)
		tb.runs(engine.None)
		tb.order(referee.Resume{})
		tb.expect("command arbiter", "resumed by arbiter")
		tb.runs(black)
	})
	t.Run("a mistake that could still be claimed", func(t *testing.T) {
		tb := officialTable(t, woc(), "30:00")
		tb.made("f5")
		tb.put("w d6")
		tb.press(white)
		tb.press(black)
		tb.said = nil
		tb.put("- d5") // White has begun to put it right
		tb.order(referee.LetStand{})
		tb.expect("command arbiter", "flips stands at 2, missed d5")
		tb.guide("black d5")
		tb.runs(black)
		tb.put("b d5")
		tb.expect()
		tb.made("c3")
		tb.expect("black c3: d4")
	})
	t.Run("not with cells that say nothing", func(t *testing.T) {
		tb := officialTable(t, referee.Home(), "none")
		tb.lost = 1
		tb.put("w h8")
		tb.said = nil
		tb.order(referee.LetStand{})
		tb.expect("refused not_allowed")
	})
}

// revive restarts the program: the events are folded anew, the cells are read
// again.
func (tb *table) revive(on referee.PowerOn) {
	tb.state = tb.folded()
	tb.said, tb.wake, tb.now = nil, 0, 0
	tb.step(on)
}

func TestResign(t *testing.T) {
	for _, paused := range []bool{false, true} {
		tb := officialTable(t, referee.Home(), "5:00")
		tb.play("f5d6")
		if paused {
			tb.order(referee.Pause{})
		}
		tb.said = nil
		tb.order(referee.Resign{Color: black})
		tb.expect("command arbiter", "over white 3-61 discs 3-3 resign")
		tb.stage(referee.Over, referee.NoStep, engine.None)
		tb.runs(engine.None)
		tb.order(referee.Resign{Color: white})
		tb.expect("refused not_allowed")
		tb.order(referee.Resign{Color: engine.None})
		tb.expect("refused bad_payload")
	}
}

func TestAdjudicate(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.said = nil
	for _, o := range []referee.Adjudicate{
		{Winner: black, Black: 20, White: 44},
		{Winner: engine.None, Black: 33, White: 31},
		{Winner: white, Black: 30, White: 40},
		{Winner: 3, Black: 40, White: 24},
		{Winner: black, Black: -1, White: -2},
	} {
		tb.order(o)
		tb.expect("refused bad_payload")
	}
	tb.order(referee.Adjudicate{Winner: black, Black: 40, White: 24, Reason: plaintext.Const("White has left")})
	tb.expect("command arbiter", "over black 40-24 discs 3-3 adjudicated")
	// An arbiter may think better of it; a player may not.
	tb.order(referee.Adjudicate{Winner: engine.None, Black: 32, White: 32})
	tb.expect("command arbiter", "over none 32-32 discs 3-3 adjudicated")
	tb.step(referee.Command{At: tb.now, Audit: referee.Audit{Role: "player", Order: referee.Adjudicate{Winner: black, Black: 64}}})
	tb.expect("refused not_allowed")
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", "undo 1 to ply 1, white to move")
	tb.order(referee.Adjudicate{Winner: black, Void: true, Black: 9})
	tb.expect("command arbiter", "over none 0-0 discs 4-1 adjudicated")
	if !tb.state.Result.Void {
		t.Error("there is a result")
	}
	// Fewest discs win.
	tb = variantTable(t, variant(t, "reverse"), referee.Home(), "none")
	tb.order(referee.Adjudicate{Winner: black, Black: 40, White: 24})
	tb.expect("refused bad_payload")
	tb.order(referee.Adjudicate{Winner: black, Black: 24, White: 40})
	tb.expect("command arbiter", "over black 24-40 discs 2-2 adjudicated")
}

func TestClockSet(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5")
	tb.said = nil
	tb.order(referee.ClockSet{Black: -1, White: 7 * time.Minute, Reason: plaintext.Const("noise")})
	tb.expect("command arbiter", "clocks set")
	tb.clocks("4m59s", "7m0s")
	tb.runs(white)
	tb.order(referee.Pause{})
	tb.order(referee.ClockSet{Black: time.Second, White: -1})
	tb.expect("command arbiter", "paused by arbiter", "command arbiter", "clocks set")
	tb.runs(engine.None)
	for _, o := range []referee.ClockSet{{Black: -1, White: -1}, {Black: 101 * time.Hour}} {
		tb.order(o)
		tb.expect("refused bad_payload")
	}
	tb = officialTable(t, referee.Home(), "none")
	tb.order(referee.ClockSet{Black: time.Minute})
	tb.expect("refused not_allowed")
}

// A game that was lost on time goes on when an arbiter gives time back.
func TestTimeGivenBackAfterTheEnd(t *testing.T) {
	tb := officialTable(t, club(), "0:10")
	tb.made("f5")
	tb.wait(time.Minute)
	tb.expect("black f5: e5", "flag of white: loss", "over black 64-0 discs 4-1 flag")
	tb.order(referee.ClockSet{Black: -1, White: time.Minute, Reason: plaintext.Const("it was a fire alarm")})
	tb.expect("command arbiter", "clocks set")
	tb.stage(referee.Playing, referee.ToMove, white)
	tb.runs(engine.None)
	tb.clocks("9s", "1m0s")
	tb.put("w d6 d5")
	tb.expect("resumed by players")
	tb.press(white)
	tb.expect("white d6: d5")
	tb.order(referee.Resign{Color: black})
	tb.order(referee.ClockSet{Black: time.Minute, White: -1})
	if last := tb.said[len(tb.said)-1]; last != "refused not_allowed" {
		t.Errorf("after a resignation: %s", last)
	}
}

// The clocks of the next game are shown while it is being set up.
func TestClocksOfTheNextGame(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	m := tb.state.Match
	m.Clock = clock.Same(clock.Control{Main: time.Minute})
	tb.order(referee.NewGame{Match: m})
	tb.stage(referee.Setup, referee.NoStep, engine.None)
	tb.clocks("1m0s", "1m0s")
	tb.runs(engine.None)
	m.Clock = clock.Settings{}
	tb.order(referee.NewGame{Match: m})
	tb.clocks("0s", "0s")
}

func TestPlayersSet(t *testing.T) {
	tb := officialTable(t, referee.Home(), "none")
	tb.order(referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}})
	tb.expect("command arbiter")
	if tb.state.Match.Players != [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")} || tb.folded().Match.Players != tb.state.Match.Players {
		t.Errorf("%q", tb.state.Match.Players)
	}
}

// An arbiter goes back to a ply while the game is paused, and it stays so.
func TestUndoWhilePaused(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6c3")
	tb.order(referee.Pause{})
	tb.said = nil
	tb.order(referee.Undo{Plies: 2})
	tb.expect("command arbiter", "undo 2 to ply 1, white to move")
	tb.stage(referee.Paused, referee.NoStep, white)
	tb.lit("flip d4 d5 remove c3 d6")
	tb.put("- c3 d6")
	tb.lit("flip d4 d5")
	tb.lay("w d4")
	tb.put("b d5")
	tb.lit("")
	tb.runs(engine.None)
	tb.clocks("4m59s", "5m0s")
	tb.order(referee.Resume{})
	tb.runs(white)
	tb.stage(referee.Playing, referee.ToMove, white)
}

// Scenario 21: the mover is to move again; a pass before the move stays, one after
// it goes too; at the start there is nothing to take back.
func TestUndoAcrossPasses(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8b7")
	tb.said = nil
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", "undo 1 to ply 16, white to move")
	if last := tb.state.Entries[tb.state.Len-1]; !last.Pass() || last.By != black {
		t.Errorf("the record ends with %+v", last)
	}
	tb.discs = tb.state.Game.Discs
	tb.look()
	tb.order(referee.Undo{Plies: 1})
	tb.expect("command arbiter", "undo 1 to ply 15, white to move")
	if last := tb.state.Entries[tb.state.Len-1]; last.Pass() {
		t.Errorf("the record ends with %+v", last)
	}
	tb = officialTable(t, referee.Home(), "5:00")
	tb.order(referee.Undo{Plies: 1})
	tb.expect("refused not_allowed")
}

// Flags that have fallen since are up again after an undo.
func TestUndoRestoresTheFlags(t *testing.T) {
	tb := officialTable(t, woc(), "0:05")
	tb.made("f5")
	tb.wait(20 * time.Second)
	tb.made("d6")
	tb.expect("black f5: e5", "flag of white: grace", "white d6: d5")
	if !tb.state.Flags.Graced[white] {
		t.Fatal("White has had no grace")
	}
	tb.order(referee.Undo{Plies: 1})
	if tb.state.Flags.Graced[white] {
		t.Error("White's flag is down")
	}
	tb.clocks("4s", "5s")
}

// A running game gives way to a new one with other clocks.
func TestNewGameWithClocks(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	m := tb.state.Match
	m.Clock = clock.Same(clock.Control{Main: time.Minute})
	m.Profile = club()
	tb.order(referee.NewGame{Match: m})
	tb.expect("command arbiter", "over none 0-0 discs 2-2 aborted", "start classic")
	tb.clocks("1m0s", "1m0s")
	tb.runs(black)
}

// A resignation alone is taken back with an undo of no moves: record, position and
// clocks are those at the moment of it.
func TestUndoOfAResignationAlone(t *testing.T) {
	tb := officialTable(t, referee.Home(), "5:00")
	tb.play("f5d6")
	tb.wait(3 * time.Second)
	tb.said = nil
	tb.order(referee.Undo{Plies: 0})
	tb.expect("refused not_allowed")
	before := tb.state
	tb.order(referee.Resign{Color: black})
	if !tb.state.Ended || tb.state.Phase != referee.Over {
		t.Fatal("the resignation did not end the game")
	}
	left := tb.state.Clock.Times(tb.now)
	tb.wait(10 * time.Second)
	tb.put("- d6") // hands are free
	tb.said = nil
	tb.order(referee.Undo{Plies: 0, Reason: plaintext.Const("it was the wrong button")})
	tb.expect("command arbiter", "undo 0 to ply 2, black to move")
	if s := &tb.state; s.Ended || s.Game != before.Game || s.Len != before.Len || s.Transcript() != "f5d6" || s.Turn() != black {
		t.Errorf("the game stands at %q, %v to move, ended %v", s.Transcript(), s.Turn(), s.Ended)
	}
	tb.put("w d6")
	tb.stage(referee.Playing, referee.ToMove, black)
	if now := tb.state.Clock.Times(tb.now); now != left || !tb.state.Halted {
		t.Errorf("the clocks show %v, and %v when Black resigned", now, left)
	}
	tb.said = nil
	tb.play("c3")
	if got := tb.state.Transcript(); got != "f5d6c3" {
		t.Errorf("play went on to %q", got)
	}
	// Where nobody can move, and where a flag has fallen, that is no way back.
	for name, change := range map[string]func(*referee.State){
		"flag": func(s *referee.State) { s.Result.Reason = referee.FlagFell },
		"full": func(s *referee.State) { s.Game.Discs = engine.Discs{Black: ^engine.Bitboard(0)} },
	} {
		s := tb.state
		referee.Apply(&s, referee.GameOver{Result: referee.Result{Winner: engine.White, Reason: referee.Resigned}})
		change(&s)
		effects := referee.Step(&s, referee.Command{At: tb.now, Audit: referee.Audit{Role: "arbiter", Order: referee.Undo{}}}, nil)
		if refused, ok := effects[len(effects)-1].(referee.Refuse); !ok || refused.Text == "" {
			t.Errorf("%s: got %v", name, effects)
		}
	}
}
