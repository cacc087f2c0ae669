package display_test

import (
	"testing"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// official is a table of an event whose board a test changes.
type official struct {
	t     *testing.T
	state referee.State
	board engine.Discs
	now   time.Duration
}

func officialTable(t *testing.T, timed string, change func(p *referee.Profile)) *official {
	t.Helper()
	m := started(t).Match
	change(&m.Profile)
	var err error
	if m.Clock, err = clock.Parse(timed); err != nil {
		t.Fatal(err)
	}
	o := &official{t: t, state: referee.New(m), board: m.Rules.Start.Discs}
	o.lay(engine.None, "")
	return o
}

// tournament makes a profile one in which the board helps nobody.
func tournament(p *referee.Profile) {
	p.Commit, p.Flips, p.Improper, p.ClaimAfterEnd = referee.CommitPress, referee.FlipsStand, referee.ImproperClaimed, true
	p.FlipLights, p.Hints, p.Takeback, p.Flag = referee.LightsOff, referee.HintsLocked, referee.TakebackNever, referee.FlagGrace
}

func (o *official) step(in referee.Input) { referee.Step(&o.state, in, nil) }

// lay makes squares show a color and reads the board a second later.
func (o *official) lay(c engine.Color, names string) {
	o.t.Helper()
	for s := range squares(o.t, names).All() {
		o.board = o.board.With(s, c)
	}
	o.now += time.Second
	o.step(referee.Seen{At: o.now, Discs: o.board})
}

func (o *official) press(c engine.Color) { o.step(referee.Pressed{At: o.now, By: c}) }

func (o *official) order(order referee.Order) {
	o.step(referee.Command{At: o.now, Audit: referee.Audit{Role: "arbiter", Order: order}})
}

// says compares the sentence and the lights.
func (o *official) says(want, lights string) {
	o.t.Helper()
	if got := display.Sentence(&o.state); got != want {
		o.t.Errorf("got  %q\nwant %q", got, want)
	}
	sc := display.Compose(&o.state, display.Cues{Now: o.now, PassBy: engine.None})
	if got := shown(&sc, o.now); got != lights {
		o.t.Errorf("%s the lights show %q, want %q", want, got, lights)
	}
}

// At a tournament the board says no more than everybody sees, until somebody
// objects.
func TestTournamentIsToldNothing(t *testing.T) {
	t.Parallel()
	o := officialTable(t, "30:00", tournament)
	const placed = "Black placed f5 and ends the move with the clock."
	o.says("Black to move.", "dark")
	o.lay(engine.Black, "f5") // its flip is missing
	o.says(placed, "dark")
	o.lay(engine.Black, "e5")
	o.says(placed, "dark")
	o.press(engine.Black)
	o.lay(engine.White, "a1") // no move at all
	o.says("White placed a1 and ends the move with the clock.", "dark")
	o.lay(engine.None, "a1")
	o.lay(engine.White, "d6")
	o.press(engine.White)
	o.says("Black to move.", "dark")
	o.press(engine.Black)
	o.says("Black objects to White's move d6: turn d5.", "flip d5")
	o.lay(engine.White, "d5")
	o.says("Black to move.", "dark")
}

// The lights of a club come after a while.
func TestClubHelpsAfterAWhile(t *testing.T) {
	t.Parallel()
	o := officialTable(t, "5:00", func(p *referee.Profile) {
		p.Commit, p.Flips = referee.CommitPressIfClock, referee.FlipsStand
		p.FlipLights, p.FlipLightsAfter = referee.LightsAfter, 10*time.Second
	})
	o.lay(engine.Black, "f5")
	o.says("Black placed f5 and ends the move with the clock.", "dark")
	o.now += 10 * time.Second
	o.step(referee.Tick{At: o.now})
	o.says("Black placed f5: turn e5.", "flip e5")
	o.lay(engine.Black, "e5")
	o.says("Black placed f5; its discs are turned: Black presses the clock.", "dark")
}

func TestMoverCorrectsByPress(t *testing.T) {
	t.Parallel()
	o := officialTable(t, "5:00", func(p *referee.Profile) {
		tournament(p)
		p.FlipsCorrectedByMover = true
	})
	o.lay(engine.Black, "f5")
	o.press(engine.Black)
	o.press(engine.White)
	o.says("White objects to Black's move f5: turn e5.", "flip e5")
	o.lay(engine.Black, "e5")
	o.says("The discs are right: Black presses the clock.", "dark")
}

func TestPassIsSaid(t *testing.T) {
	t.Parallel()
	o := officialTable(t, "5:00", func(p *referee.Profile) { p.Pass = referee.PassByPress })
	for moves := "f5d6c7d7c6b5d8c8a4e8c3e7f8g8b8a8"; moves != ""; moves = moves[2:] {
		o.board = o.state.Game.Place(square(t, moves[:2])).Discs
		o.lay(engine.None, "")
	}
	o.says("Black has no move: Black says pass and presses the clock.", "dark")
	o.press(engine.Black)
	o.says("Black must pass: White moves again.", "dark")
}

func TestTimesThatAreUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule referee.FlagRule
		want string
	}{
		{referee.FlagNone, "Black to move. Black's time is up."},
		{referee.FlagLoss, "The game is over. Black 0, White 64: White wins on time."},
		{referee.FlagGrace, "Black to move."},
		{referee.FlagJof, "Black's time is up. White may play on for both sides, and ends the game with the clock; Black to move."},
		{referee.FlagCount, "The time is up and the discs are counted. Black 2, White 2: it is a draw."},
	} {
		o := officialTable(t, "0:10", func(p *referee.Profile) { p.Flag = tc.rule })
		o.now += 20 * time.Second
		o.step(referee.Tick{At: o.now})
		o.says(tc.want, "dark")
	}
}

func TestRulingsAreSaid(t *testing.T) {
	t.Parallel()
	o := officialTable(t, "5:00", func(*referee.Profile) {})
	o.lay(engine.Black, "f5 e5")
	o.order(referee.Pause{})
	o.says("The game is paused.", "dark")
	o.order(referee.CorrectSquare{Black: squares(t, "c3"), White: squares(t, "f5"), Turn: engine.None})
	o.says("The game is paused. To go on, turn f5, then put a black disc on c3.", "wrong f5 place_black c3")
	o.lay(engine.White, "f5")
	o.order(referee.Resume{})
	o.says("To go on, put a black disc on c3.", "place_black c3")
	o.lay(engine.Black, "c3")
	o.says("White to move.", "dark")
	o.order(referee.Resign{Color: engine.Black})
	o.says("The game is over. Black 4, White 60: White wins, Black has resigned.", "dark")
	o.order(referee.Adjudicate{Winner: engine.Black, Black: 40, White: 24})
	o.says("The game is over. Black 40, White 24: Black wins, as the arbiter has decided.", "dark")
	o.order(referee.Undo{Plies: 1})
	o.says("To go on, take c3 and f5 off, then turn e5. The clocks stand until play goes on.", "flip e5 wrong c3 f5")
}
