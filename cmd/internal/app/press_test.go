package app

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// buttoned is a board with every button that there is.
func buttoned(profile string) func(c *configs.Config) {
	return func(c *configs.Config) {
		furnished(c)
		c.Hardware.Buttons = configs.Buttons{
			ClockBlack: "GPIO5", ClockWhite: "GPIO6", NewGame: "GPIO13", Hint: "GPIO19", Pass: "GPIO12", Undo: "GPIO16", Resign: "GPIO20",
		}
		officials, err := configs.Event(profile)
		if err != nil {
			panic(err) // the name of a built-in profile
		}
		c.Game.Profile, c.Game.Officials = profile, officials
	}
}

// heldFor holds a button, and lets nothing else happen before it is released.
func heldFor(b *sim.Board, name string, d time.Duration) {
	b.Button(name).Press(true)
	time.Sleep(d)
	b.Button(name).Press(false)
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

// short is how long a finger is on a button.
const short = 150 * time.Millisecond

// blinking returns the squares that are lit at any time of the coming second.
func blinking(b *sim.Board) (lit engine.Bitboard) {
	for range 20 {
		lit |= litCells(b)
		time.Sleep(50 * time.Millisecond)
	}
	return lit
}

// eventsOf lists the types of the events of a journal, with what makes some of
// them tell more.
func eventsOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, e := range journalOf(t, dir) {
		text := e.Type
		for _, more := range []string{e.Data.Reason, e.Data.Role, e.Data.Name, e.Data.From} {
			if more != "" {
				text += " " + more
			}
		}
		all = append(all, text)
	}
	return all
}

// Giving up takes two steps: the button is held until the board asks, on the LEDs,
// on the page, on the display and with a sound, and is then pressed again. Nothing
// else gives a game up.
func TestResignByButton(t *testing.T) {
	for _, c := range []givingUp{
		{ClockBlack, 3200 * time.Millisecond, engine.Black, "Black gives up?"},
		{ClockWhite, 3200 * time.Millisecond, engine.White, "White gives up?"},
		{Resign, 1200 * time.Millisecond, engine.Black, "Black gives up?"},
	} {
		t.Run(c.button, func(t *testing.T) { synctest.Test(t, c.test) })
	}
}

// At home no move is ended with a press: a child that plays with the clock buttons
// hears a short tone, and nothing is on record.
func TestStrayClockButtonAtHomeIsNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, stop := runWith(t, dir, nil, buttoned("home"))
		table := b.app.rig.Sim
		for _, name := range []string{ClockBlack, ClockWhite, ClockBlack} {
			before, _ := table.Buzzer().Sounds()
			heldFor(table, name, short)
			time.Sleep(2 * time.Second)
			if n, _ := table.Buzzer().Sounds(); n != before+1 {
				t.Errorf("%s: %d tones, want 1", name, n-before)
			}
			if s := b.page().Sentence; s != "Black to move." {
				t.Errorf("%s: %q", name, s)
			}
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if got := eventsOf(t, dir); !slices.Equal(got, []string{"game_started"}) {
			t.Errorf("on record are %q", got)
		}
	})
}

// givingUp is a button, how long it is held, and who gives up at the first move.
type givingUp struct {
	button string
	hold   time.Duration
	who    engine.Color
	asked  string
}

func (c givingUp) test(t *testing.T) {
	dir := t.TempDir()
	b, stop := runWith(t, dir, nil, buttoned("home"))
	table := b.app.rig.Sim
	playing := func(what string) {
		t.Helper()
		if s := b.page(); s.State.Phase != "playing" || strings.Contains(s.Sentence, "gives up") {
			t.Fatalf("%s: %v, %q", what, s.State.Phase, s.Sentence)
		}
	}
	heldFor(table, c.button, short)
	heldFor(table, c.button, short)
	playing("pressed twice")
	heldFor(table, c.button, c.hold-500*time.Millisecond)
	playing("not held for long enough")
	c.checkQuestion(t, b)
	time.Sleep(5 * time.Second)
	playing("no answer")
	if lit := blinking(table); lit != 0 {
		t.Errorf("after the question %v is lit", lit)
	}
	heldFor(table, c.button, short)
	playing("pressed too late")
	heldFor(table, c.button, c.hold)
	heldFor(table, Hint, short)
	playing("another button says no")
	heldFor(table, c.button, short)
	playing("pressed after that")
	heldFor(table, c.button, c.hold)
	heldFor(table, c.button, short)
	if s := b.page(); s.State.Phase != "over" || !strings.Contains(s.Sentence, c.who.String()[1:]+" has resigned") {
		t.Errorf("said yes: %v, %q", s.State.Phase, s.Sentence)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	want := []string{"game_started", "command player hint button", "command player resign button", "game_over resign"}
	// Where no move is ended with a press, a press of the clock is no event.
	if got := eventsOf(t, dir); !slices.Equal(got, want) {
		t.Errorf("on record are %q, want %q", got, want)
	}
}

// checkQuestion holds the button: the board asks on everything that it has.
func (c givingUp) checkQuestion(t *testing.T, b *board) {
	t.Helper()
	table := b.app.rig.Sim
	before := pixels(table.OLED().Lit())
	sounds, _ := table.Buzzer().Sounds()
	heldFor(table, c.button, c.hold)
	if s := b.page().Sentence; !strings.HasPrefix(s, c.asked) || pixels(table.OLED().Lit()) == before {
		t.Fatalf("held, and asked is %q", s)
	}
	if n, _ := table.Buzzer().Sounds(); n < sounds+3 {
		t.Errorf("the question makes %d sounds, want 3", n-sounds)
	}
	if lit := blinking(table); lit != engine.Start().Of(c.who) {
		t.Errorf("asked about %v, want the discs of %v", lit, c.who)
	}
}

// What a button may do is what a player may do under the rules of the event: at a
// tournament it shows no move, takes none back and ends no game for another one.
// It says why not, for a moment.
func TestButtonsAtAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, stop := runWith(t, dir, nil, buttoned("woc"))
		table := b.app.rig.Sim
		game := b.page().State.Game
		for _, c := range []struct {
			button string
			hold   time.Duration
			says   string
		}{
			{Hint, short, "Not now: suggestions are locked for this event."},
			{NewGame, 1200 * time.Millisecond, "Not now: the rules of this event let only an arbiter end a game for another one."},
			{Undo, 1200 * time.Millisecond, "Not now: the rules of this event let no button take a move back."},
			{Pass, short, "Not now: there is a move: a pass is forced, never chosen."},
		} {
			before := pixels(table.OLED().Lit())
			heldFor(table, c.button, c.hold)
			if s := b.page(); s.Sentence != c.says || s.State.Game != game || s.State.Phase != "playing" {
				t.Errorf("%s: %q in game %s, want %q", c.button, s.Sentence, s.State.Game, c.says)
			}
			if pixels(table.OLED().Lit()) == before {
				t.Errorf("%s: the display says nothing", c.button)
			}
			time.Sleep(5 * time.Second)
			if s := b.page().Sentence; s != "Black to move." {
				t.Errorf("%s: later it says %q", c.button, s)
			}
		}
		heldFor(table, NewGame, short)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		want := []string{"game_started", "illegal_move pass_not_allowed"}
		if got := eventsOf(t, dir); !slices.Equal(got, want) {
			t.Errorf("on record are %q, want %q", got, want)
		}
	})
}

// At home the undo button takes a move back when it is held, and against a program
// the program's reply with it; the hands are guided.
func TestUndoByButton(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, buttoned("home"))
		b.play(movesOf(t, "f5d6c3"))
		table := b.app.rig.Sim
		heldFor(table, Undo, short)
		if s := b.page().State; s.Transcript != "f5d6c3" {
			t.Errorf("a short press has taken a move back: %q", s.Transcript)
		}
		heldFor(table, Undo, 1200*time.Millisecond)
		if s := b.page(); s.State.Transcript != "f5d6" || s.Sentence != "To go on, take c3 off, then turn d4." {
			t.Errorf("%q: %q", s.State.Transcript, s.Sentence)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, func(c *configs.Config) {
			buttoned("home")(c)
			c.Opponent.Kind, c.Opponent.Level, c.Opponent.Side = "builtin", 1, engine.White
		})
		b.play(movesOf(t, "f5"))
		time.Sleep(10 * time.Second)
		wish := b.state().Wish
		if !wish.Active {
			t.Fatal("the program does not answer")
		}
		b.play([]engine.Square{wish.Square})
		heldFor(b.app.rig.Sim, Undo, 1200*time.Millisecond)
		if s := b.page(); s.State.Transcript != "" {
			t.Errorf("after the reply of the program was taken back: %q", s.State.Transcript)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// The start that is set up in mid-game, and a press of the new-game button, are
// another game, with the rules of the one that is given up.
func TestNewGameButtonConfirmsTheSetUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, stop := runWith(t, dir, nil, buttoned("home"))
		b.play(movesOf(t, "f5d6"))
		game := b.page().State.Game
		for s := range b.app.hands.discs().Occupied().All() {
			if _, err := b.app.rig.Sim.Lift(b.app.now(), int(s)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		b.app.hands.lay(engine.Start().Discs)
		time.Sleep(time.Second)
		if s := b.page(); s.State.Game != game || !strings.HasPrefix(s.Sentence, "A new game?") {
			t.Errorf("set up: %q", s.Sentence)
		}
		if lit := blinking(b.app.rig.Sim); lit != engine.Start().Occupied() {
			t.Errorf("the question lights %v", lit)
		}
		heldFor(b.app.rig.Sim, NewGame, short)
		if s := b.page(); s.State.Game == game || s.State.Phase != "playing" || s.Sentence != "Black to move." {
			t.Errorf("confirmed: %+v %q", s.State, s.Sentence)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// asker gives orders as whoever it likes, one after the other.
type asker struct {
	*board
	asked int
}

func (a *asker) ask(role, name, args string) web.Response {
	a.t.Helper()
	seq := a.page().State.Seq
	a.asked++
	o := order{role: role, from: "test", at: a.app.now(), answer: make(chan web.Response, 1), command: web.Command{
		Name: name, Args: []byte(args), ID: strconv.Itoa(a.asked), IfSeq: &seq,
	}}
	a.app.orders <- o
	return <-o.answer
}

// obeyed gives an order that must be.
func (a *asker) obeyed(role, name, args string) {
	a.t.Helper()
	if r := a.ask(role, name, args); r.Status != "ok" {
		a.t.Fatalf("%s as %s: %+v", name, role, r)
	}
}

// Where an event keeps suggestions away, nobody but an arbiter gets them by
// beginning a game under other rules.
func TestHintsStayLockedForTheEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, buttoned("woc"))
		a := &asker{board: b}
		for _, role := range []string{"player", "ha"} {
			if r := a.ask(role, "new", `{"profile":"home"}`); r.Code != "not_allowed" {
				t.Errorf("%s in a game: %+v", role, r)
			}
			a.obeyed("arbiter", "adjudicate", `{"result":"draw","black":32,"white":32,"reason":"test"}`)
			r := a.ask(role, "new", `{"profile":"home"}`)
			if r.Code != "not_allowed" || !strings.Contains(r.Error, "suggestions are locked for this event: only an arbiter") {
				t.Errorf("%s after a game: %+v", role, r)
			}
			a.obeyed(role, "new", `{}`) // another game of the event
			if s := b.page().State; s.Hints != "locked" {
				t.Errorf("suggestions are %s", s.Hints)
			}
		}
		a.obeyed("arbiter", "new", `{"profile":"home"}`)
		if s := b.page().State; s.Hints != "on" {
			t.Errorf("the arbiter's game has suggestions %s", s.Hints)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}
