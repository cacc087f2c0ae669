package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// desktop is a board without hardware, page and network: the loop's own calls,
// made by the test.
type desktop struct {
	t   *testing.T
	app *App
}

// newDesktop begins a game with the given rule about suggestions.
func newDesktop(t *testing.T, rules engine.Rules, hints referee.Hints) *desktop {
	t.Helper()
	a := newApp(Options{Config: configs.Default(), Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	if err := a.openJournal(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.closeJournal(); err != nil {
			t.Error(err)
		}
	})
	a.wake = stoppedTimer()
	a.analyst.now = nil // only the depth ends a search
	match := a.match
	match.Rules, match.Profile.Hints = rules, hints
	d := &desktop{t, a}
	a.step(referee.Command{At: a.now(), Audit: referee.Audit{Role: "arbiter", Name: "new", Order: referee.NewGame{Match: match}}})
	d.see(rules.Start.Discs)
	if a.core.State.Phase != referee.Playing {
		t.Fatalf("the game has not begun: %v", a.core.State.Phase)
	}
	return d
}

// see shows the referee what lies on the table.
func (d *desktop) see(discs engine.Discs) { d.app.step(referee.Seen{At: d.app.now(), Discs: discs}) }

// play makes moves.
func (d *desktop) play(moves string) {
	d.t.Helper()
	for ; moves != ""; moves = moves[2:] {
		s, err := engine.ParseSquare(moves[:2])
		if err != nil {
			d.t.Fatal(err)
		}
		g := d.app.core.State.Game
		d.see(g.Place(s).Discs)
		if !d.app.core.State.Game.Occupied().Has(s) {
			d.t.Fatalf("%v was not played on\n%v", s, g)
		}
	}
}

// ask gives a command as the page does.
func (d *desktop) ask(name, args string) web.Response {
	seq := d.app.core.Seq()
	return d.app.pageOrder(order{
		role: "arbiter", from: "page",
		command: web.Command{Name: name, Args: json.RawMessage(args), ID: fmt.Sprint(time.Now()), IfSeq: &seq},
	})
}

// think lets the analyst work until it has nothing to do.
func (d *desktop) think() {
	d.t.Helper()
	ctx, stop := context.WithCancel(d.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.app.analyst.keep(ctx)
	}()
	for d.app.analyze(); d.app.analyst.asking; d.app.analyze() {
		d.app.analystSays(<-d.app.analyst.answers)
	}
	stop()
	<-ended
}

// shows returns the evaluations on the page, "?" for those that are not known.
func (d *desktop) shows() string {
	var words []string
	for _, e := range d.app.view(nil).Evals {
		if e == nil {
			words = append(words, "?")
		} else {
			words = append(words, fmt.Sprint(*e))
		}
	}
	return strings.Join(words, " ")
}

func startFrom(t *testing.T, start string) engine.Rules {
	t.Helper()
	rules, err := notation.ParseRules("custom", start, "")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// head and tail are a game of the world championship of 1977 (Inoue against
// Heiberg, 34 to 30), cut before its last twelve discs.
const (
	head = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7c2a4h8a2b7"
	tail = "f1b3b1b2h7a7a8a1g1g2h2h1"
	// wipeout is the shortest game there is: White has no disc left.
	wipeout = "f5d6c5f6e7f4g5e6e3"
)

// afterHead are the rules of a game that begins after head.
func afterHead(t *testing.T) engine.Rules {
	t.Helper()
	rules := configuredRules(t)
	g := engine.NewGame(rules)
	for _, s := range movesOf(t, head) {
		g = g.Place(s)
	}
	rules.Name, rules.Start = "custom", g.Position
	return rules
}

// The scores are those of the test suite FFO, number 1, with either color to
// move.
func TestEvaluationsAreTheScores(t *testing.T) {
	const ffo1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- "
	swapped := strings.NewReplacer("X", "O", "O", "X").Replace(ffo1)
	for start, want := range map[string]string{ffo1 + "X": "18", swapped + "O": "-18"} {
		d := newDesktop(t, startFrom(t, start), referee.HintsOn)
		if r := d.ask("evaluate", `{"on":true}`); r.Status != "ok" {
			t.Fatal(r)
		}
		d.think()
		if got := d.shows(); got != want {
			t.Errorf("%s: %s, want %s", start, got, want)
		}
	}
}

// The last disc of a game is no choice: its score is known one ply before, for
// most discs as for fewest.
func TestEvaluationsMeetTheResult(t *testing.T) {
	for _, goal := range []engine.Goal{engine.Most, engine.Fewest} {
		rules := afterHead(t)
		rules.Goal = goal
		d := newDesktop(t, rules, referee.HintsLocked)
		d.play(tail)
		if d.app.core.State.Phase != referee.Over {
			t.Fatal("the game is not over")
		}
		d.think()
		got := strings.Fields(d.shows())
		if len(got) != 13 || strings.Join(got[11:], " ") != "4 4" || slices.Contains(got, "?") {
			t.Errorf("goal %v: %v, want 13 that end with 4 4", goal, got)
		}
	}
}

func TestNoEvaluationsUnlessAllowedAndAsked(t *testing.T) {
	for _, tc := range []struct {
		hints referee.Hints
		says  string
	}{
		{referee.HintsOff, "off until the game is over"},
		{referee.HintsLocked, "locked for this event"},
	} {
		d := newDesktop(t, configuredRules(t), tc.hints)
		d.app.analyst.depth = 3 // sees the wipeout, and little else
		d.play(wipeout[:16])
		r := d.ask("evaluate", `{"on":true}`)
		if r.Code != string(referee.NotAllowed) || !strings.Contains(r.Error, tc.says) {
			t.Errorf("%v: answered %+v", tc.hints, r)
		}
		if r := d.ask("evaluate", `{"on":false}`); r.Status != "ok" {
			t.Errorf("%v: turning off is refused: %+v", tc.hints, r)
		}
		// Not even if the wish had been noted.
		d.app.analyst.wanted = d.app.core.game
		if d.app.analyze(); d.app.analyst.asking || d.app.view(nil).Evals != nil || d.app.view(nil).Evaluating {
			t.Errorf("%v: the running game is evaluated", tc.hints)
		}
		d.play(wipeout[16:])
		d.think()
		if got := d.shows(); !strings.HasSuffix(got, " 64 64") {
			t.Errorf("%v: after the game: %s, want it to end with 64", tc.hints, got)
		}
		// A move is taken back: the game goes on.
		if r := d.ask("undo", `{"plies":1}`); r.Status != "ok" {
			t.Fatal(r)
		}
		if d.app.analyze(); d.app.analyst.asking || d.app.view(nil).Evals != nil {
			t.Errorf("%v: evaluations are shown after a takeback", tc.hints)
		}
	}
}

func TestEvaluationsAreAskedForEveryGame(t *testing.T) {
	d := newDesktop(t, afterHead(t), referee.HintsOn)
	d.play(tail[:8])
	if d.app.analyze(); d.app.analyst.asking || d.app.view(nil).Evals != nil {
		t.Error("evaluated, and nobody has asked")
	}
	for _, args := range []string{``, `{}`, `{"on":1}`, `{"on":true,"off":true}`} {
		if r := d.ask("evaluate", args); r.Code != string(referee.BadPayload) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if r := d.ask("evaluate", `{"on":true}`); r.Status != "ok" {
		t.Fatal(r)
	}
	if !d.app.view(nil).Evaluating || d.shows() != "? ? ? ? ?" {
		t.Errorf("at first: %s", d.shows())
	}
	d.think()
	if got := d.shows(); strings.Contains(got, "?") {
		t.Errorf("later: %s", got)
	}
	d.play(tail[8:10])
	if got := d.shows(); !strings.HasSuffix(got, " ?") {
		t.Errorf("after another move: %s", got)
	}
	if r := d.ask("evaluate", `{"on":false}`); r.Status != "ok" || d.app.view(nil).Evals != nil {
		t.Errorf("turned off: %+v", r)
	}
	if r := d.ask("evaluate", `{"on":true}`); r.Status != "ok" {
		t.Fatal(r)
	}
	d.ask("new", `{"variant":"classic"}`)
	d.see(engine.Start().Discs)
	if d.app.core.State.Phase != referee.Playing || d.app.view(nil).Evals != nil || d.app.view(nil).Evaluating {
		t.Error("the next game begins with evaluations")
	}
}

// A search is dropped for a newer question, and by the end of the program: without
// a clock the first one would take minutes.
func TestEvaluationIsCanceled(t *testing.T) {
	n := newAnalyst(slog.New(slog.DiscardHandler), nil)
	n.depth, n.urgent = 40, true
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.keep(ctx)
	}()
	endless := engine.NewGame(configuredRules(t))
	over := endless
	for _, s := range movesOf(t, wipeout) {
		over = over.Place(s)
	}
	underWay := func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.stop != nil
	}
	n.ask(endless)
	eventually(t, "the first position is looked at", underWay)
	n.ask(over)
	if f := <-n.answers; f.of != over || !f.known || f.margin != 64 {
		t.Errorf("the answer is %+v", f)
	}
	n.ask(endless)
	eventually(t, "the first position is looked at again", underWay)
	n.withdraw()
	eventually(t, "it is no longer looked at", func() bool { return !underWay() })
	n.ask(endless)
	eventually(t, "it is looked at to the end", underWay)
	stop()
	<-ended
	if len(n.answers) != 0 {
		t.Error("a question that was taken back has been answered")
	}
}

// The opponent has the processor for itself.
func TestEvaluationWaitsForTheOpponent(t *testing.T) {
	d := newDesktop(t, configuredRules(t), referee.HintsOn)
	d.ask("evaluate", `{"on":true}`)
	if d.app.analyze(); !d.app.analyst.asking {
		t.Error("nothing is evaluated")
	}
	d.app.core.State.Match.Opponent = referee.Opponent{Kind: referee.Builtin, Level: 3, Side: engine.Black}
	if d.app.analyze(); d.app.analyst.asking {
		t.Error("an evaluation goes on while the opponent thinks")
	}
	d.app.core.State.Wish.Active = true
	if d.app.analyze(); !d.app.analyst.asking {
		t.Error("nothing is evaluated while hands make the opponent's move")
	}
}
