package app

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/referee"
)

// What an order may ask of the opponent: none or the built-in one; what is run
// on this computer is not chosen by the network.
func TestOpponentOrder(t *testing.T) {
	rhino := referee.Opponent{Kind: referee.GTP, Level: 6, Side: engine.Black}
	for _, tc := range []struct {
		set  referee.Opponent
		args string
		want referee.Opponent
		err  string
	}{
		{args: `{}`},
		{set: rhino, args: `{}`, want: rhino},
		{set: rhino, args: `{"opponent":null}`, want: rhino},
		{set: rhino, args: `{"opponent":{"kind":"none"}}`},
		{args: `{"opponent":{"kind":"builtin"}}`, want: referee.Opponent{Kind: referee.Builtin, Level: 4, Side: engine.White}},
		{set: rhino, args: `{"opponent":{"kind":"builtin"}}`, want: referee.Opponent{Kind: referee.Builtin, Level: 6, Side: engine.Black}},
		{args: `{"opponent":{"kind":"builtin","level":10,"side":"black"}}`, want: referee.Opponent{Kind: referee.Builtin, Level: 10}},
		{args: `{"opponent":{"kind":"gtp"}}`, err: "cannot be asked for"},
		{args: `{"opponent":{"kind":"gtp","command":["rm"]}}`, err: "unknown field"},
		{args: `{"opponent":{"kind":"builtin","command":["rm"]}}`, err: "unknown field"},
		{args: `{"opponent":{}}`, err: "want none or builtin"},
		{args: `{"opponent":{"kind":"builtin","level":0}}`, err: "level: 0"},
		{args: `{"opponent":{"kind":"builtin","level":11}}`, err: "level: 11"},
		{args: `{"opponent":{"kind":"builtin","side":"red"}}`, err: "neither black nor white"},
		// Other programs know one game only.
		{set: rhino, args: `{"variant":"reverse"}`, err: "cannot play this game"},
		{set: rhino, args: `{"start":"parallel"}`, err: "cannot play this game"},
		{set: rhino, args: `{"variant":"reverse","opponent":{"kind":"none"}}`},
	} {
		match := matchOf(t, "")
		match.Opponent = tc.set
		order, err := orderOf("new", json.RawMessage(tc.args), match)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %q", tc.args, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.args, err)
			continue
		}
		if got := order.(referee.NewGame).Match.Opponent; got != tc.want { //nolint:forcetypeassert // what new is
			t.Errorf("%s: %+v, want %+v", tc.args, got, tc.want)
		}
	}
}

// positionAfter asks about the start, or about one move later.
func positionAfter(t *testing.T, game string, moves ...engine.Move) question {
	t.Helper()
	match := matchOf(t, "")
	q := question{Question: opponent.Question{Rules: match.Rules, Moves: moves}}
	g, err := q.Game()
	if err != nil {
		t.Fatal(err)
	}
	q.moment = moment{game, len(moves), g.Position, referee.Opponent{Kind: referee.Builtin, Level: 1}}
	return q
}

// The newest question is answered, once; one that was taken back is not.
func TestDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(configs.Default().Opponent, slog.New(slog.DiscardHandler), func() time.Duration { return 0 })
		go d.keep(t.Context())
		silent := func(what string) {
			t.Helper()
			synctest.Wait()
			select {
			case v := <-d.answers:
				t.Errorf("%s is answered: %+v", what, v)
			default:
			}
		}
		first := positionAfter(t, "a")
		d.ask(first)
		synctest.Wait()
		v := <-d.answers
		if v.moment != first.moment || v.err != nil || !engine.Start().Legal().Has(v.square) {
			t.Errorf("%+v", v)
		}
		d.ask(first)
		silent("the same question")
		d.withdraw()
		d.withdraw()
		silent("no question")
		// Before the desk has looked at one question there is another.
		d.ask(positionAfter(t, "b"))
		second := positionAfter(t, "b", engine.At(37))
		d.ask(second)
		synctest.Wait()
		for v := (<-d.answers); v.moment != second.moment; v = <-d.answers {
			if v.game != "b" {
				t.Errorf("%+v", v)
			}
		}
		silent("nothing")
		// A program that the settings do not name is lost at once.
		other := positionAfter(t, "c")
		other.who.Kind = referee.GTP
		d.ask(other)
		if v := <-d.answers; v.err == nil || !strings.Contains(v.err.Error(), "settings") {
			t.Errorf("%+v", v)
		}
	})
}

// What the visitor asks of the hands shows on the page at once, though no disc
// has moved.
func TestSwitchesOfTheHandsShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := run(t, t.TempDir(), nil)
		time.Sleep(time.Second)
		for _, c := range []struct {
			act  web.Act
			want string
		}{
			{web.Act{Op: web.OpAutoFlip, On: true}, "flips true, robot false, broken []"},
			{web.Act{Op: web.OpRobot, On: true}, "flips true, robot true, broken []"},
			{web.Act{Op: web.OpAutoFlip}, "flips false, robot true, broken []"},
			{web.Act{Op: web.OpFail, HasSquare: true, Fault: "dead"}, "flips false, robot true, broken [a1]"},
			{web.Act{Op: web.OpHeal}, "flips false, robot true, broken []"},
		} {
			if err := b.app.hands.Do(t.Context(), c.act); err != nil {
				t.Fatal(err)
			}
			p := b.page()
			if got := fmt.Sprintf("flips %v, robot %v, broken %v", p.AutoFlip, p.Robot, p.Failed); got != c.want {
				t.Errorf("after %s the page shows %s, want %s", c.act.Op, got, c.want)
			}
		}
	})
}

// The robot makes a move that is waited for when it is switched on.
func TestRobotTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := run(t, t.TempDir(), nil)
		time.Sleep(time.Second)
		seq := b.page().State.Seq
		r := b.app.pageCommand(t.Context(), web.Command{
			Name: "new", ID: "1", IfSeq: &seq, Args: json.RawMessage(`{"opponent":{"kind":"builtin","level":1,"side":"black"}}`),
		})
		if r.Status != "ok" {
			t.Fatalf("%+v", r)
		}
		time.Sleep(time.Minute)
		if p := b.page(); !strings.HasPrefix(p.Sentence, "Black plays ") {
			t.Fatalf("the computer does not begin: %q", p.Sentence)
		}
		if err := b.app.hands.Do(t.Context(), web.Act{Op: web.OpRobot, On: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if p := b.page(); len(p.State.Transcript) != 2 || p.Sentence != "White to move." {
			t.Errorf("the robot has played %q, and the page says %q", p.State.Transcript, p.Sentence)
		}
	})
}

// A program that is not there is told of at the start, with where it was looked for,
// and not at its first move.
func TestMissingOpponentIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		c := configs.Default()
		c.Opponent.Kind, c.Opponent.Command = referee.GTP, []string{"no-such-player"}
		if there {
			c.Opponent.Command = []string{"gtp-rhino"}
		}
		a := newApp(Options{Config: c, Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
		if err := a.openJournal(t.TempDir()); err != nil {
			t.Fatal(err)
		}
		open := a.computerProblems()
		if err := a.closeJournal(); err != nil {
			t.Error(err)
		}
		told := slices.ContainsFunc(open, func(al alert) bool {
			return al.code == "engine_lost" && strings.Contains(al.text, "no-such-player") && strings.Contains(al.text, "/usr/games")
		})
		if told == there {
			t.Errorf("%v: alerts %+v", c.Opponent.Command, open)
		}
	}
}
