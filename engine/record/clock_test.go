package record_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// timedState is a game of five minutes each in which Black's clock runs since
// 1.25 s before the stamp.
func timedState(t *testing.T, timed string) referee.State {
	t.Helper()
	m := homeMatch(t, "classic")
	var err error
	if m.Clock, err = clock.Parse(timed); err != nil {
		t.Fatal(err)
	}
	s := referee.New(m)
	referee.Apply(&s, referee.GameStarted{Match: m, At: envelope().Mono - 1250*time.Millisecond})
	return s
}

// clockOf returns the clock of the published state, which is that of the topic.
func clockOf(t *testing.T, s referee.State) string {
	t.Helper()
	b, err := record.EncodeState(envelope(), &s)
	if err != nil {
		t.Fatal(err)
	}
	loadSchema(t, "state").check(t, b)
	var state struct {
		Clock json.RawMessage `json:"clock"`
	}
	if err := json.Unmarshal(b, &state); err != nil {
		t.Fatal(err)
	}
	topic, err := record.EncodeClock(envelope(), &s)
	if err != nil {
		t.Fatal(err)
	}
	head := `{"v":1,"ts":"2026-03-01T18:04:05.678Z","ts_ok":true,"boot":7,"mono_ms":61250,`
	if want := head + strings.TrimPrefix(string(state.Clock), "{"); string(topic) != want {
		t.Errorf("the topic has\n%s, want\n%s", topic, want)
	}
	return string(state.Clock)
}

// The stamp is 18:04:05.678: Black's clock was started at 18:04:04.428.
func TestClockForms(t *testing.T) {
	at := envelope().Mono
	for _, tc := range []struct {
		name, timed string
		do          func(s *referee.State)
		want        string
	}{
		{"none", "none", func(*referee.State) {}, `{"mode":"none","black_ms":null,"white_ms":null,"running":"none","at":null,"flag_at":null,"flagged":"none"}`},
		{
			"running", "5:00", func(*referee.State) {},
			`{"mode":"sudden","black_ms":300000,"white_ms":300000,"running":"black","at":"2026-03-01T18:04:04.428Z",` +
				`"flag_at":"2026-03-01T18:09:04.428Z","flagged":"none"}`,
		},
		{
			"paused", "5:00/3", func(s *referee.State) {
				referee.Apply(s, referee.GamePaused{Clock: s.Clock.Times(at), At: at})
			},
			`{"mode":"fischer","black_ms":298750,"white_ms":300000,"running":"none","at":"2026-03-01T18:04:05.678Z","flag_at":null,"flagged":"none"}`,
		},
		{
			"each his own", "black none, white 10:00+3x0:30", func(*referee.State) {},
			`{"mode":"byoyomi","black_ms":null,"white_ms":690000,"white_periods":3,"running":"black","at":"2026-03-01T18:04:04.428Z","flag_at":null,"flagged":"none"}`,
		},
		{
			// Scenario 26: less than a millisecond is not shown as nothing.
			"the last moment", "5:00", func(s *referee.State) {
				left := clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{60*time.Millisecond + 1, 1}}
				referee.Apply(s, referee.ClockAdjusted{Clock: left, At: at})
			},
			`{"mode":"sudden","black_ms":61,"white_ms":1,"black_ns":60000001,"white_ns":1,"running":"black","at":"2026-03-01T18:04:05.678Z",` +
				`"flag_at":"2026-03-01T18:04:05.738Z","flagged":"none"}`,
		},
		{
			"flagged", "5:00", func(s *referee.State) {
				left := clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{0, time.Second}}
				referee.Apply(s, referee.ClockFlag{Color: engine.Black, Effect: referee.FlagNone, Clock: left, At: at})
			},
			`{"mode":"sudden","black_ms":0,"white_ms":1000,"running":"black","at":"2026-03-01T18:04:05.678Z","flag_at":null,"flagged":"black"}`,
		},
		{
			"one clock, on White's turn", "game 20:00", func(s *referee.State) {
				left := clock.Times{Timed: [2]bool{true, true}}
				referee.Apply(s, referee.Moved{By: engine.Black, Square: 37, Flipped: 1 << 36, Clock: left, At: at})
			},
			`{"mode":"sudden","black_ms":0,"white_ms":0,"running":"white","at":"2026-03-01T18:04:05.678Z","flag_at":null,"flagged":"both"}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := timedState(t, tc.timed)
			tc.do(&s)
			if got := clockOf(t, s); got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
		})
	}
}

// White forgot d5 and pressed; Black may say so.
func TestStateWithAnObjection(t *testing.T) {
	s := timedState(t, "5:00")
	d5 := set(t, "d5")
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: set(t, "f5").First(), Flipped: set(t, "e5")})
	referee.Apply(&s, referee.Moved{By: engine.White, Square: set(t, "d6").First(), Missed: d5})
	referee.Apply(&s, referee.FlipError{Ply: 2, Missed: d5, Status: referee.FlipsOpen})
	check := func(wants ...string) {
		t.Helper()
		b, err := record.EncodeState(envelope(), &s)
		if err != nil {
			t.Fatal(err)
		}
		loadSchema(t, "state").check(t, b)
		for _, want := range wants {
			if !strings.Contains(string(b), want) {
				t.Errorf("no %s in\n%s", want, b)
			}
		}
	}
	check(`"irregular":true`, `"last":{"move":"d6","by":"white","flipped":[],"missed":["d5"]}`,
		`"halted":false,"objection":{"ply":2,"by":"black","missed":["d5"],"extra":[],"improper":null,"claimed":false}`)
	referee.Apply(&s, referee.FlipError{Ply: 2, Missed: d5, Status: referee.FlipsOpen, Claimed: true})
	check(`"claimed":true`, `"running":"white"`)
	referee.Apply(&s, referee.FlipError{Ply: 2, Missed: d5, Status: referee.FlipsFixed})
	check(`"irregular":false`, `"objection":null`, `"last":{"move":"d6","by":"white","flipped":["d5"]}`)
	referee.Apply(&s, referee.PowerRestored{Gap: -1})
	check(`"halted":true`, `"running":"none"`)
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: 0, Improper: referee.NoFlip})
	check(`"last":{"move":"a1","by":"black","flipped":[],"improper":"no_flip"}`)
	referee.Apply(&s, referee.PositionSet{Discs: engine.Start().Discs, Turn: engine.White})
	check(`"record":[{"by":"black","move":"f5","flipped":["e5"]},{"by":"white","move":"d6","flipped":["d5"]},` +
		`{"by":"black","move":"a1","flipped":[],"improper":"no_flip"},` +
		`{"by":"none","move":"set","flipped":[],"board":"` + startBoard + `","turn":"white"}]`)
}

// hands play at a table of an event: what they do is written, read again and
// folded at a second one.
type hands struct {
	t            *testing.T
	live, folded referee.State
	now          time.Duration
	board        engine.Discs
	events       int
}

func (h *hands) step(in referee.Input) {
	h.t.Helper()
	for _, eff := range referee.Step(&h.live, in, nil) {
		a, ok := eff.(referee.Announce)
		if !ok {
			continue
		}
		env := envelope()
		env.Mono, env.Ply = h.now, a.Ply
		b, err := record.EncodeEvent(env, a.Event)
		if err != nil {
			h.t.Fatal(err)
		}
		loadSchema(h.t, "event").check(h.t, b)
		_, back, err := record.DecodeEvent(b)
		if err != nil {
			h.t.Fatal(err)
		}
		referee.Apply(&h.folded, back)
		h.events++
	}
	h.compare()
}

// compare compares the published states, but for what the cells say now.
func (h *hands) compare() {
	h.t.Helper()
	var states [2]map[string]any
	for i, s := range []*referee.State{&h.live, &h.folded} {
		env := envelope()
		env.Mono = h.now
		b, err := record.EncodeState(env, s)
		if err != nil {
			h.t.Fatal(err)
		}
		loadSchema(h.t, "state").check(h.t, b)
		if err := json.Unmarshal(b, &states[i]); err != nil {
			h.t.Fatal(err)
		}
		for _, now := range []string{"sensed", "pending", "guide", "problem", "step"} {
			delete(states[i], now)
		}
	}
	live, err := json.Marshal(states[0])
	if err != nil {
		h.t.Fatal(err)
	}
	folded, err := json.Marshal(states[1])
	if err != nil {
		h.t.Fatal(err)
	}
	if string(live) != string(folded) {
		h.t.Fatalf("after %d events\n live %s\nagain %s", h.events, live, folded)
	}
}

// lay makes squares show a color, a second and some nanoseconds later.
func (h *hands) lay(c engine.Color, squares string) {
	h.t.Helper()
	for s := range set(h.t, squares).All() {
		h.board = h.board.With(s, c)
	}
	h.now += time.Second + 7
	h.step(referee.Seen{At: h.now, Changed: h.now - 300*time.Millisecond - 1, Discs: h.board})
}

func (h *hands) press(c engine.Color) {
	h.t.Helper()
	h.now += 123456789
	h.step(referee.Pressed{At: h.now, By: c})
}

func (h *hands) order(name string, o referee.Order) {
	h.t.Helper()
	h.now += time.Second
	h.step(referee.Command{At: h.now, Audit: referee.Audit{Role: "arbiter", Name: name, Order: o}})
}

// Replaying the journal gives the same state, whatever officials have done: a
// forgotten flip that is claimed, an improper move, one that stands, rulings, a
// pause, a flag, and a power cut.
func TestOfficialGameReplaysToTheSameState(t *testing.T) {
	m := homeMatch(t, "classic")
	p := &m.Profile
	p.Name, p.Commit, p.Flips, p.Improper, p.ClaimAfterEnd = "woc", referee.CommitPress, referee.FlipsStand, referee.ImproperClaimed, true
	p.Flag, p.FlipLights = referee.FlagGrace, referee.LightsOff
	m.Clock = clock.Settings{Sides: [2]clock.Control{
		{Main: 5*time.Minute + 1, Increment: 3 * time.Second}, {Main: time.Minute, Periods: 3, Period: 30 * time.Second},
	}}
	h := &hands{t: t, live: referee.New(m), folded: referee.New(homeMatch(t, "classic")), board: engine.Start().Discs}
	h.step(referee.Seen{At: h.now, Discs: h.board})
	black, white := engine.Black, engine.White
	h.lay(black, "f5")
	h.press(black) // without its flip
	h.press(white) // claimed
	h.lay(black, "e5")
	h.lay(white, "a1")
	h.press(white) // no move
	h.press(black) // claimed
	h.lay(engine.None, "a1")
	h.lay(white, "d6 d5")
	h.press(white)
	h.lay(black, "c3")
	h.press(black)
	h.lay(white, "b3 c3") // it stands
	h.press(white)
	h.order("pause", referee.Pause{Reason: plaintext.Const("a disc fell")})
	h.order("correct_square", referee.CorrectSquare{Black: set(t, "h8"), Turn: white, Reason: plaintext.Const("there")})
	h.lay(black, "h8")
	h.order("resume", referee.Resume{})
	h.order("clock_set", referee.ClockSet{Black: -1, White: time.Second})
	h.now += 10 * time.Minute
	h.step(referee.Tick{At: h.now})
	h.order("revise", referee.Revise{FromPly: 3, Moves: "c3d3", Reason: plaintext.Const("as on the sheet")})
	h.order("players_set", referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}})
	h.order("undo", referee.Undo{Plies: 1})
	h.order("let_stand", referee.LetStand{})
	h.step(referee.PowerOn{At: h.now, Gap: time.Minute})
	h.lay(white, "a8")
	h.order("adjudicate", referee.Adjudicate{Winner: engine.None, Black: 32, White: 32})
	if h.events < 30 {
		t.Errorf("only %d events", h.events)
	}
}
