package oled_test

import (
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display/oled"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

func squares(t testing.TB, names string) engine.Bitboard {
	t.Helper()
	set, err := engine.ParseSquares(names)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func square(t testing.TB, name string) engine.Square {
	t.Helper()
	return squares(t, name).First()
}

// started returns a game of a variant of which the discs lie as on record.
func started(t testing.TB, variant string) referee.State {
	t.Helper()
	rules, err := engine.Variant(variant)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	s := referee.New(referee.Match{Rules: rules, Profile: profile})
	s.Phase, s.Step, s.SensedOK = referee.Playing, referee.ToMove, true
	s.Sensed = s.Game.Discs
	return s
}

// midgame returns a classic game with 17 black and 12 white discs.
func midgame(t testing.TB) referee.State {
	t.Helper()
	s := started(t, "classic")
	s.Game.Black = squares(t, "c3 d3 e3 f3 c4 d4 e4 f4 g4 c5 d5 e5 f5 c6 d6 d7 e7")
	s.Game.White = squares(t, "b2 c2 d2 e2 f2 g3 g5 h5 e6 f6 f7 f8")
	s.Sensed = s.Game.Discs
	return s
}

func painter(t testing.TB) *oled.Painter {
	t.Helper()
	p, err := oled.New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clocks returns a pair of clocks.
func clocks(black, white time.Duration) *[2]oled.Clock {
	return &[2]oled.Clock{{Left: black}, {Left: white}}
}

// situation is a state of the game, and the words it must give. A middle that
// shows words, not players, is written behind the headline.
type situation struct {
	name       string
	head, foot string
	variant    string // classic if empty
	clocks     *[2]oled.Clock
	change     func(s *referee.State)
}

// situations are written by hand, each line at most sixteen letters. Those with
// a picture in testdata are marked there by their name.
func situations(t testing.TB) []situation {
	t.Helper()
	set := func(names string) engine.Bitboard { return squares(t, names) }
	mistake := func(code referee.Code, reason referee.Reason, where string, g referee.Guide) func(*referee.State) {
		return func(s *referee.State) {
			s.Step, s.Guide = referee.Correcting, g
			s.Problem = referee.Problem{Code: code, Reason: reason, Squares: set(where)}
		}
	}
	pending := func(names string, change func(*referee.State)) func(*referee.State) {
		return func(s *referee.State) {
			s.Step = referee.InProgress
			s.Pending = referee.Pending{Active: true, Square: square(t, "g6"), By: engine.White, Flips: set(names)}
			s.Game.Turn = engine.White
			s.Guide.Flip = s.Pending.Flips
			change(s)
		}
	}
	setup := func(g referee.Guide) func(*referee.State) {
		return func(s *referee.State) { s.Phase, s.Step, s.Guide = referee.Setup, referee.NoStep, g }
	}
	over := func(r referee.Result) func(*referee.State) {
		return func(s *referee.State) { s.Phase, s.Step, s.Ended, s.Result = referee.Over, referee.NoStep, true, r }
	}
	pass := func(s *referee.State) {
		s.Game.Turn = engine.White
		referee.Apply(s, referee.Passed{By: engine.White})
	}
	idle := func(*referee.State) {}
	illegal := referee.IllegalPosition
	return []situation{
		{"unread", "One moment|The board has|not been read.", "", "", nil, func(s *referee.State) { s.Phase, s.SensedOK = referee.Idle, false }},
		{"set-up unread", "One moment|The board has|not been read.", "", "", nil, func(s *referee.State) {
			s.Phase, s.SensedOK = referee.Setup, false
		}},
		{"setup", "Set up the board|take off a1 +11|put black d5 e4", "put white d4 e5", "", nil, setup(referee.Guide{
			Remove: set("a1 b2 c3 h8 h7 h6 h5 h4 h3 h2 g1 g2"), PlaceBlack: set("e4 d5"), PlaceWhite: set("d4 e5"),
		})},
		{"set-up of all things", "Set up the board|take off a1|turn d4", "put black d5", "", nil, setup(referee.Guide{
			Remove: set("a1"), Turn: set("d4"), PlaceBlack: set("d5"), PlaceWhite: set("e5"),
		})},
		{"set-up without a rank", "Set up the board||", "no data rank 5", "", nil, func(s *referee.State) {
			setup(referee.Guide{})(s)
			s.Lost = 0xFF << 32
		}},
		{"ready", "Ready to begin", "", "", clocks(30*time.Minute, 30*time.Minute), setup(referee.Guide{})},
		{"swapped", "Colors swapped|Turn the board a|quarter, or turn", "the four discs", "", nil, func(s *referee.State) {
			setup(referee.Guide{Turn: set("d4 e4 d5 e5")})(s)
			s.Problem.Code = referee.Orientation
		}},
		{"swapped with many discs", "Colors swapped|Turn over|all the discs", "", "", nil, func(s *referee.State) {
			setup(referee.Guide{Turn: set("d4 e4 d5 e5 a1")})(s)
			s.Match.Rules.Start.Black |= set("a1")
			s.Problem.Code = referee.Orientation
		}},
		{"next-game", "Next game:|Black begins|on d4 d5 e4 e5", "", "historic", nil, setup(referee.Guide{PlaceBlack: set("d4 e4 d5 e5")})},

		{"start", "Black to move", "", "", nil, idle},
		{"long-clocks", "Black to move", "", "", clocks(time.Hour+29*time.Minute+30*time.Second, 48*time.Minute+36*time.Second), idle},
		{"opening", "Black to move", "on d4 d5 e4 e5", "historic", nil, func(s *referee.State) { s.Guide.PlaceBlack = set("d4 e4 d5 e5") }},
		{"a disc in the air", "Black to move", "", "", nil, func(s *referee.State) { s.Guide.PlaceBlack = set("d5") }},
		{"pass", "White must pass", "Black to move", "", nil, pass},
		{"all discs used", "White: no disc", "Black to move", "historic", nil, func(s *referee.State) {
			s.Game.Placed = [2]uint8{30, 32}
			pass(s)
		}},
		{"thinks", "White thinks", "", "", nil, func(s *referee.State) {
			s.Game.Turn = engine.White
			s.Match.Opponent = referee.Opponent{Kind: referee.Builtin, Side: engine.White}
		}},
		{"wish", "White plays f6", "put white f6", "", nil, func(s *referee.State) {
			s.Game.Turn = engine.White
			s.Match.Opponent = referee.Opponent{Kind: referee.Builtin, Side: engine.White}
			s.Wish = referee.Wish{Active: true, Square: square(t, "f6")}
			s.Guide.PlaceWhite = set("f6")
		}},
		{"time-up", "White: time up", "", "", &[2]oled.Clock{{Left: 9 * time.Second}, {Left: -time.Second, Flag: true}}, idle},

		{"new-game", "A new game?", "Leave the discs", "", nil, func(s *referee.State) {
			s.Step, s.Restart = referee.Correcting, referee.Restart{Active: true, At: time.Minute}
		}},
		{"new game without power", "A new game?", "Lift a disc", "", nil, func(s *referee.State) {
			s.Step, s.Restart = referee.Correcting, referee.Restart{Active: true}
		}},

		{"placed", "White placed g6", "turn d4 e5 f5 +2", "", nil, pending("d4 e5 f6 f5 g5", idle)},
		{"four to turn", "White placed g6", "turn d4 e5 f5 f6", "", nil, pending("d4 e5 f6 f5", idle)},
		{"all turned", "White placed g6", "", "", nil, pending("d4", func(s *referee.State) {
			s.Pending.Done, s.Guide.Flip = set("d4"), 0
		})},
		{"turned, one in the air", "White placed g6", "put back d4", "", nil, pending("d4 e5", func(s *referee.State) {
			s.Pending.Done, s.Pending.Lifted, s.Guide.Flip = set("e5"), set("d4"), 0
		})},
		{"placed, a disc hidden", "White placed g6", "no data d4", "", nil, pending("d4", func(s *referee.State) {
			s.Lost, s.Guide.Flip = set("d4"), 0
		})},
		{"taken back", "Taken back", "turn d4 e5", "", nil, func(s *referee.State) {
			s.Step, s.Guide.Flip = referee.InProgress, set("d4 e5")
		}},

		{
			"mistake", "a8 flips nothing", "take off a8", "", clocks(14*time.Minute+59*time.Second, 8*time.Second+300*time.Millisecond),
			mistake(illegal, referee.NoFlip, "a8", referee.Guide{Remove: set("a8")}),
		},
		{"beside the centre", "Begin in centre", "take off a1", "historic", nil, mistake(illegal, referee.OffCenter, "a1", referee.Guide{Remove: set("a1")})},
		{"wrong color", "Wrong color f5", "turn f5", "", nil, mistake(illegal, referee.WrongColor, "f5", referee.Guide{Turn: set("f5")})},
		{"out of turn", "f5 out of turn", "take off f5", "", nil, mistake(referee.TurnWrong, referee.OutOfTurn, "f5", referee.Guide{Remove: set("f5")})},
		{"too early", "f5 is too early", "take off f5", "", nil, mistake(referee.FlipsNotDone, referee.FlipsPending, "f5", referee.Guide{Remove: set("f5"), Flip: set("d4")})},
		{"second disc", "Only one disc", "take off f5 f6", "", nil, mistake(illegal, referee.SecondDisc, "f5 f6", referee.Guide{Remove: set("f5 f6")})},
		{"extra flip", "Not outflanked", "turn d4 e5", "", nil, mistake(illegal, referee.ExtraFlip, "d4", referee.Guide{Turn: set("d4"), Flip: set("e5")})},
		{"another square", "White plays f6", "take off d3", "", nil, func(s *referee.State) {
			mistake(illegal, referee.OtherSquare, "d3", referee.Guide{Remove: set("d3"), PlaceWhite: set("f6")})(s)
			s.Game.Turn, s.Wish = engine.White, referee.Wish{Active: true, Square: square(t, "f6")}
		}},
		{"a disc is missing", "A disc is gone", "put black d5", "", nil, mistake(illegal, referee.NoReason, "d5", referee.Guide{PlaceBlack: set("d5")})},
		{"discs are missing", "Discs are gone", "put white d4 e5", "", nil, mistake(illegal, referee.NoReason, "d4 e5", referee.Guide{PlaceWhite: set("d4 e5")})},
		{"something else", "Put board right", "turn d4", "", nil, mistake(illegal, referee.NoReason, "d4", referee.Guide{Turn: set("d4")})},
		{"power", "Power was off", "turn d4", "", nil, mistake(referee.Power, referee.NoReason, "d4", referee.Guide{Turn: set("d4")})},

		{"lost cells", "Black to move", "no data a1 b1 +3", "", nil, func(s *referee.State) { s.Lost = set("a1 b1 c1 d1 e1") }},
		{"masked cell", "Black to move", "ignored g2", "", nil, func(s *referee.State) { s.Masked = set("g2") }},
		{"paused", "Paused", "no data rank 3", "", clocks(7*time.Minute, 9900*time.Millisecond), func(s *referee.State) {
			s.Phase, s.Lost = referee.Paused, 0xFF<<16
		}},
		{"board lost", "Paused", "no data at all", "", nil, func(s *referee.State) { s.Phase, s.Lost = referee.Paused, ^engine.Bitboard(0) }},

		{"white-wins", "White wins", "Game over", "", nil, over(referee.Result{Winner: engine.White, Black: 17, White: 47, DiscsBlack: 17, DiscsWhite: 47})},
		{"empties", "White wins", "Empties included", "", nil, over(referee.Result{Winner: engine.White, Black: 20, White: 44, Counts: referee.CountsWithEmpties, DiscsBlack: 20, DiscsWhite: 30})},
		{"discs as they lie", "White wins", "As the discs lie", "", nil, over(referee.Result{Winner: engine.White, Black: 20, White: 30, Counts: referee.CountsDiscs, DiscsBlack: 20, DiscsWhite: 30})},
		{"wipe-out", "Black wins", "No other is left", "", nil, over(referee.Result{Winner: engine.Black, Black: 64, DiscsBlack: 13})},
		{"draw", "Draw", "Game over", "", nil, over(referee.Result{Winner: engine.None, Black: 32, White: 32, DiscsBlack: 32, DiscsWhite: 32})},
		{"reverse", "Black wins", "Fewer discs win", "", nil, func(s *referee.State) {
			over(referee.Result{Winner: engine.Black, Black: 20, White: 44, DiscsBlack: 20, DiscsWhite: 44})(s)
			s.Game.Rules.Goal = engine.Fewest
		}},
		{"stopped", "Game stopped", "No result", "", nil, over(referee.Result{Void: true})},
		{"resigned", "White wins", "By resignation", "", nil, over(referee.Result{Winner: engine.White, Black: 3, White: 61, DiscsBlack: 3, DiscsWhite: 3, Reason: referee.Resigned})},
		{"lost on time", "White wins", "On time", "", nil, over(referee.Result{Winner: engine.White, White: 64, DiscsBlack: 30, DiscsWhite: 20, Reason: referee.FlagFell})},
		{"counted", "Black wins", "The time is up", "", nil, over(referee.Result{Winner: engine.Black, Black: 30, White: 20, Counts: referee.CountsDiscs, DiscsBlack: 30, DiscsWhite: 20, Reason: referee.FlagFell})},
		{"counted as they lay", "Black wins", "As the discs lay", "", nil, over(referee.Result{Winner: engine.Black, Black: 30, White: 20, Counts: referee.CountsDiscs, DiscsBlack: 30, DiscsWhite: 20, Reason: referee.FlagFell, Stop: referee.Stop{By: referee.CountedBoard, Differ: 1}})},
		{"hands off", "The time is up", "Hands off", "", nil, func(s *referee.State) { s.Flags.TimeUp = true }},
		{"put back", "The time is up", "put black e5", "", nil, func(s *referee.State) {
			s.Flags.TimeUp, s.Guide = true, referee.Guide{PlaceBlack: set("e5")}
		}},
		{"adjudicated in the reverse game", "Draw", "By the arbiter", "", nil, func(s *referee.State) {
			over(referee.Result{Winner: engine.None, Black: 32, White: 32, DiscsBlack: 30, DiscsWhite: 20, Reason: referee.Adjudicated})(s)
			s.Game.Rules.Goal = engine.Fewest
		}},

		// Where the lights help nobody, neither do the words.
		{"a move at a tournament", "White placed g6", "", "", nil, pending("f6", func(s *referee.State) {
			s.Match.Profile.FlipLights, s.Match.Profile.Commit = referee.LightsOff, referee.CommitPress
		})},
		{"a move whose lights come later", "White placed g6", "", "", nil, pending("f6", func(s *referee.State) { s.Dark = set("f6") })},
		{"a disc that is no move", "White placed g6", "", "", nil, pending("", func(*referee.State) {})},
		{"a finished move to be pressed", "White placed g6", "Press the clock", "", nil, pending("f6", func(s *referee.State) {
			s.Match.Profile.Commit = referee.CommitPress
			s.Pending.Done, s.Guide.Flip = s.Pending.Flips, 0
		})},
		{"a claim", "Black objects", "turn d5", "", nil, func(s *referee.State) {
			s.Objection = referee.Objection{Open: true, Claimed: true}
			s.Entries[0], s.Len, s.Guide.Flip = referee.Entry{By: engine.White}, 1, set("d5")
		}},
		{"a claim that has been put right", "White has", "to press", "", nil, func(s *referee.State) {
			s.Objection = referee.Objection{Open: true, Claimed: true}
			s.Entries[0], s.Len = referee.Entry{By: engine.White}, 1
		}},
		{"a pass to be pressed", "White must pass", "Press the clock", "", nil, func(s *referee.State) {
			s.Match.Profile.Pass = referee.PassByPress
			s.Game.Discs = engine.Discs{Black: set("a1"), White: set("b1")} // White has no move, Black takes c1
			s.Game.Turn = engine.White
		}},
		{"playing on for both sides", "Black: time up", "White goes on", "", nil, func(s *referee.State) {
			s.Flags = referee.Flags{PlayOn: true, Fallen: engine.Black}
		}},
		{"clocks that stand", "Black to move", "Clocks stand", "", nil, func(s *referee.State) { s.Halted = true }},
		{"paused with a ruling", "Paused", "turn d5", "", nil, func(s *referee.State) { s.Phase, s.Guide.Turn = referee.Paused, set("d5") }},
		{"over for no reason", "Game over", "", "", nil, func(s *referee.State) { s.Phase = referee.Over }},
	}
}

func (c *situation) view(t testing.TB) oled.View {
	t.Helper()
	s := midgame(t)
	switch {
	case c.variant != "":
		s = started(t, c.variant)
	case c.name == "start":
		s = started(t, "classic")
	}
	c.change(&s)
	return oled.Compose(oled.Input{State: &s, Clocks: c.clocks})
}

// What the display shows of a game's clocks: in byo-yomi the main time, then the
// rest of the period.
func TestClocksOfAGame(t *testing.T) {
	t.Parallel()
	s := started(t, "classic")
	if got := oled.Clocks(&s, time.Second); got != nil {
		t.Errorf("a game without clocks has %v", got)
	}
	settings, err := clock.Parse("black 0:05, white 0:02+2x0:10")
	if err != nil {
		t.Fatal(err)
	}
	m := s.Match
	m.Clock = settings
	referee.Apply(&s, referee.GameStarted{Match: m})
	for _, c := range []struct {
		now  time.Duration
		want [2]oled.Clock
	}{
		{0, [2]oled.Clock{{Left: 5 * time.Second}, {Left: 2 * time.Second}}},
		{4940 * time.Millisecond, [2]oled.Clock{{Left: 60 * time.Millisecond}, {Left: 2 * time.Second}}},
		{5 * time.Second, [2]oled.Clock{{Flag: false}, {Left: 2 * time.Second}}},
	} {
		got := oled.Clocks(&s, c.now)
		if got == nil || *got != c.want {
			t.Errorf("at %v: %v, want %v", c.now, got, c.want)
		}
	}
	times := s.Clock.Times(4 * time.Second)
	times.Left[engine.White] = 15 * time.Second // in the first of two periods
	referee.Apply(&s, referee.ClockAdjusted{Clock: times, At: 4 * time.Second})
	if got := oled.Clocks(&s, 4*time.Second); got[engine.White].Left != 5*time.Second {
		t.Errorf("in byo-yomi %v", got)
	}
	times.Left = [2]time.Duration{}
	referee.Apply(&s, referee.ClockFlag{Color: engine.Black, Clock: times, At: 5 * time.Second})
	if got := oled.Clocks(&s, 5*time.Second); !got[engine.Black].Flag {
		t.Errorf("after the flag %v", got)
	}
}

// What is said for a moment stands in place of everything else, and nothing of it is
// cut off.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := started(t, "classic")
	all := []oled.Note{oled.GivesUp(engine.Black), oled.GivesUp(engine.White)}
	for _, command := range []string{"hint", "pass", "new", "undo", "resign", "anything else"} {
		all = append(all, oled.Refused(command))
	}
	for _, n := range all {
		v := oled.Compose(oled.Input{State: &s, Note: n, Clocks: clocks(time.Minute, time.Minute)})
		if v.Head.String() != n.Head || v.Foot.String() != n.Foot || n.Head == "" || !v.Board || !v.Timed {
			t.Errorf("%+v is shown as %q, %q", n, v.Head.String(), v.Foot.String())
		}
	}
	if got := oled.GivesUp(engine.White); got.Head != "White gives up?" || got.Foot != "Yes: press again" {
		t.Errorf("%+v", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range situations(t) {
		v := c.view(t)
		head := v.Head.String()
		if !v.Board {
			head += "|" + v.More[0].String() + "|" + v.More[1].String()
		}
		if head != c.head || v.Foot.String() != c.foot {
			t.Errorf("%s:\ngot  %q, %q\nwant %q, %q", c.name, head, v.Foot.String(), c.head, c.foot)
		}
	}
}

// art writes a picture as text: a block stands for two pixels, one above the
// other.
func art(m *oled.Image) string {
	var b strings.Builder
	for y := 0; y < oled.Height; y += 2 {
		for x := range oled.Width {
			switch upper, lower := m.Lit(x, y), m.Lit(x, y+1); {
			case upper && lower:
				b.WriteRune('█')
			case upper:
				b.WriteRune('▀')
			case lower:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestPictures compares pictures with those in testdata, which people have
// looked at. UPDATE_GOLDEN=1 writes them anew.
func TestPictures(t *testing.T) {
	t.Parallel()
	p := painter(t)
	checked := 0
	for _, c := range situations(t) {
		file := filepath.Join("testdata", c.name+".txt")
		want, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		checked++
		v := c.view(t)
		var m oled.Image
		p.Render(&v, &m)
		got := art(&m)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
	if files, err := filepath.Glob("testdata/*.txt"); err != nil || len(files) != checked || checked < 12 {
		t.Errorf("%d pictures checked of %d: %v", checked, len(files), err)
	}
}

// What counts is the position of record, not what the hands do meanwhile.
func TestScoreAndMark(t *testing.T) {
	t.Parallel()
	s := midgame(t)
	s.Sensed = s.Sensed.With(square(t, "a1"), engine.Black)
	v := oled.Compose(oled.Input{State: &s})
	if v.Score != [2]int{17, 12} || v.Mark != engine.Black || v.Timed {
		t.Errorf("%+v", v)
	}
	s.Game.Turn = engine.White
	if v := oled.Compose(oled.Input{State: &s, Clocks: clocks(time.Minute, time.Second)}); v.Mark != engine.White ||
		!v.Timed || v.Clocks != *clocks(time.Minute, time.Second) {
		t.Errorf("%+v", v)
	}
	s.Phase, s.Ended = referee.Over, true
	s.Result = referee.Result{Winner: engine.None, Black: 32, White: 32, DiscsBlack: 30, DiscsWhite: 30}
	if v := oled.Compose(oled.Input{State: &s, Clocks: clocks(1, 1)}); v.Score != [2]int{32, 32} || v.Mark != engine.None || v.Timed {
		t.Errorf("%+v", v)
	}
	s.Game.Rules.Goal = engine.Fewest
	if v := oled.Compose(oled.Input{State: &s}); v.Score != [2]int{32, 32} {
		t.Errorf("where fewer discs win another score counts: %+v", v)
	}
	s.Phase, s.Guide = referee.Setup, referee.Guide{}
	if v := oled.Compose(oled.Input{State: &s}); v.Score != [2]int{2, 2} || v.Mark != engine.Black {
		t.Errorf("before the next game: %+v", v)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	const s, ms = time.Second, time.Millisecond
	for left, want := range map[time.Duration]string{
		-5 * s:                    "0.1", // and no flag on record
		0:                         "0.1",
		1:                         "0.1",
		100 * ms:                  "0.1",
		101 * ms:                  "0.2",
		9900 * ms:                 "9.9",
		9901 * ms:                 "0:10",
		10 * s:                    "0:10",
		10*s + 1:                  "0:11",
		59*s + 1:                  "1:00",
		61 * s:                    "1:01",
		12*time.Minute + 7*s:      "12:07",
		59*time.Minute + 59*s:     "59:59",
		59*time.Minute + 59*s + 1: "1h00",
		time.Hour:                 "1h00",
		time.Hour + s:             "1h01",
		2*time.Hour - s:           "2h00",
		9*time.Hour + 59*60*s:     "9h59",
		1000 * time.Hour:          "9h59",
	} {
		if got := (oled.Clock{Left: left}).String(); got != want {
			t.Errorf("%v left: %q, want %q", left, got, want)
		}
	}
	if got := (oled.Clock{Flag: true}).String(); got != "0:00" {
		t.Errorf("with a flag: %q", got)
	}
	if got := (oled.Clock{None: true}).String(); got != "" {
		t.Errorf("without a clock: %q", got)
	}
}

// A clock that runs shows the same for exactly as long as Next says.
func TestNextTimeShown(t *testing.T) {
	t.Parallel()
	const s, ms = time.Second, time.Millisecond
	for left, want := range map[time.Duration]time.Duration{
		40 * ms:            40 * ms,
		100 * ms:           100 * ms,
		9900 * ms:          100 * ms,
		9950 * ms:          50 * ms,
		10 * s:             100 * ms,
		10*s + 20*ms:       20 * ms,
		300 * s:            s,
		299*s + 300*ms:     300 * ms,
		time.Hour:          s,
		time.Hour + 90*s:   30 * s,
		time.Hour + 60*s:   60 * s,
		time.Hour - s + ms: ms,
	} {
		if got, ok := (oled.Clock{Left: left}).Next(); !ok || got != want {
			t.Errorf("%v left: %v, %t, want %v", left, got, ok, want)
		}
	}
	for _, c := range []oled.Clock{{}, {Flag: true}, {None: true}, {Left: -s}} {
		if d, ok := c.Next(); ok {
			t.Errorf("%+v changes in %v", c, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := oled.Clock{Left: time.Duration(rapid.Int64Range(1, int64(9*time.Hour)).Draw(t, "left"))}
		d, ok := c.Next()
		same, other := oled.Clock{Left: c.Left - d + 1}, oled.Clock{Left: c.Left - d}
		if !ok || d <= 0 || same.String() != c.String() || other.Left > 0 && other.String() == c.String() {
			t.Errorf("%v: %s for %v, %v, then %s and %s", c.Left, c, d, ok, same, other)
		}
	})
}

// A clock that runs down never shows more time than before, and shows that it
// is up only when it is.
func TestClockRunsDown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		left := time.Duration(rapid.Int64Range(-int64(time.Minute), int64(11*time.Hour)).Draw(t, "left"))
		step := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "step"))
		before, after := (oled.Clock{Left: left}).String(), (oled.Clock{Left: left - step}).String()
		if shown(t, after) > shown(t, before) {
			t.Errorf("%v: %s, then %v: %s", left, before, left-step, after)
		}
		if shown(t, after) == 0 {
			t.Errorf("%v without a flag: %s", left-step, after)
		}
	})
}

// shown reads a clock as people do.
func shown(t *rapid.T, text string) time.Duration {
	for sign, units := range map[string][2]time.Duration{
		"h": {time.Hour, time.Minute}, ":": {time.Minute, time.Second}, ".": {time.Second, time.Second / 10},
	} {
		big, small, ok := strings.Cut(text, sign)
		if !ok {
			continue
		}
		a, errA := strconv.Atoi(big)
		b, errB := strconv.Atoi(small)
		if errA != nil || errB != nil || sign != "." && len(small) != 2 {
			t.Fatalf("%q is no time", text)
		}
		return time.Duration(a)*units[0] + time.Duration(b)*units[1]
	}
	t.Fatalf("%q is no time", text)
	return 0
}

// The squares of a list that is too long are counted, none is cut.
func TestListsOfSquares(t *testing.T) {
	t.Parallel()
	s := midgame(t)
	rapid.Check(t, func(t *rapid.T) {
		set := engine.Bitboard(rapid.Uint64Range(1, 1<<64-1).Draw(t, "squares") &
			rapid.Uint64().Draw(t, "fewer") & rapid.Uint64().Draw(t, "fewer still"))
		s := s
		s.Step, s.Guide.Turn = referee.Correcting, set
		s.Problem = referee.Problem{Code: referee.Power, Squares: set}
		v := oled.Compose(oled.Input{State: &s})
		foot := v.Foot.String()
		if set == 0 {
			if foot != "" {
				t.Errorf("nothing to turn: %q", foot)
			}
			return
		}
		words := strings.Fields(foot)
		rest := 0
		var named engine.Bitboard
		for _, w := range words[1:] {
			if n, ok := strings.CutPrefix(w, "+"); ok {
				rest, _ = strconv.Atoi(n)
				continue
			}
			at, err := engine.ParseSquare(w)
			if err != nil || named.Has(at) {
				t.Fatalf("%q: %s", foot, w)
			}
			named |= at.Bit()
		}
		if words[0] != "turn" || named&^set != 0 || named.Count()+rest != set.Count() {
			t.Errorf("%q for %v", foot, set)
		}
		if rest > 0 && len(foot)+3 < oled.Letters-len(" +") {
			t.Errorf("%q has room for more of %v", foot, set)
		}
	})
}

// Whatever the state holds there is a headline, of whole words, and a picture.
func TestAnyState(t *testing.T) {
	t.Parallel()
	p := painter(t)
	word := regexp.MustCompile(`^([A-Za-z][a-z]+[:,.]?|[Aa]|[a-h][1-8]|\+?[0-9]+)$`)
	codes := []referee.Code{
		referee.NoProblem, referee.SensorFault, referee.BankLost, referee.Power, referee.IllegalPosition,
		referee.FlipsNotDone, referee.TurnWrong, referee.Orientation, "storage",
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := started(t, rapid.SampledFrom(engine.VariantNames()).Draw(rt, "variant"))
		set := func(name string) engine.Bitboard {
			return engine.Bitboard(rapid.Uint64().Draw(rt, name) & rapid.Uint64().Draw(rt, name+" of these"))
		}
		yes := func(name string) bool { return rapid.Bool().Draw(rt, name) }
		color := rapid.Map(rapid.IntRange(0, 3), func(c int) engine.Color { return engine.Color(c) })
		s.Phase = referee.Phase(rapid.IntRange(0, 6).Draw(rt, "phase"))
		s.Step = referee.Stage(rapid.IntRange(0, 4).Draw(rt, "step"))
		s.SensedOK, s.Ended = yes("read"), yes("ended")
		s.Guide = referee.Guide{Flip: set("flip"), Turn: set("turn"), Remove: set("remove"), PlaceBlack: set("black"), PlaceWhite: set("white")}
		if yes("no guide") {
			s.Guide = referee.Guide{}
		}
		s.Problem = referee.Problem{
			Code:   rapid.SampledFrom(codes).Draw(rt, "code"),
			Reason: referee.Reason(rapid.IntRange(0, 12).Draw(rt, "reason")), Squares: set("problem"),
		}
		s.Pending = referee.Pending{
			Active: yes("pending"), Square: engine.Square(rapid.IntRange(0, 63).Draw(rt, "placed")), By: color.Draw(rt, "by"),
			Flips: set("flips"), Done: set("done"), Lifted: set("lifted"), Extra: set("extra"),
		}
		s.Lost, s.Masked = set("lost"), set("masked")
		s.Game.Turn = color.Draw(rt, "turn")
		s.Result = referee.Result{
			Void: yes("void"), Winner: color.Draw(rt, "winner"), Black: rapid.IntRange(0, 64).Draw(rt, "score"),
			DiscsBlack: rapid.IntRange(0, 64).Draw(rt, "discs"),
		}
		in := oled.Input{State: &s}
		if yes("clocks") {
			in.Clocks = clocks(time.Duration(rapid.Int64().Draw(rt, "left")), time.Second)
			in.Clocks[1].Flag = yes("flag")
		}
		v := oled.Compose(in)
		if v.Head.String() == "" {
			rt.Errorf("no headline: %+v", v)
		}
		for _, l := range []oled.Line{v.Head, v.More[0], v.More[1], v.Foot} {
			for w := range strings.FieldsSeq(l.String()) {
				if !word.MatchString(w) {
					rt.Errorf("%q is not made of words", l.String())
				}
			}
		}
		var m oled.Image
		p.Render(&v, &m)
		if m == (oled.Image{}) {
			rt.Error("the picture is dark")
		}
	})
}

// extent returns how many rows of a part of a picture hold lit pixels.
func extent(m *oled.Image, x0, x1, y0, y1 int) int {
	var rows uint64
	for x := x0; x < x1; x++ {
		rows |= m[x]
	}
	rows &= 1<<y1 - 1<<y0
	return 64 - bits.LeadingZeros64(rows) - bits.TrailingZeros64(rows)
}

// Seen from 50 cm a pixel of 0.17 mm covers 1.17 minutes of arc. The least for a
// letter on a screen is 16 (ISO 9241-303), which the numbers must reach on the
// smallest panel and the words on the next size, of 0.23 mm a pixel.
func TestLegible(t *testing.T) {
	t.Parallel()
	const small, large = 0.17 / 500 * 3438, 0.23 / 500 * 3438 // minutes of arc
	p := painter(t)
	s := midgame(t)
	s.Game.Turn = engine.None
	check := func(what string, rows int, minutes float64) {
		t.Helper()
		if got := float64(rows) * minutes; got < 15.5 {
			t.Errorf("%s: %d rows, %.1f minutes of arc", what, rows, got)
		}
	}
	var m oled.Image
	v := oled.Compose(oled.Input{State: &s})
	p.Render(&v, &m)
	check("score", extent(&m, 32, 64, 16, 48), small)
	check("the N of Nobody", extent(&m, 0, 8, 0, 16), large)
	v = oled.Compose(oled.Input{State: &s, Clocks: clocks(1717*time.Second, 4444*time.Second)})
	p.Render(&v, &m)
	check("clock", extent(&m, 0, 64, 16, 36), small)
}

// No digit may be taken for another one: any two differ in 30 pixels or more.
func TestDigitsDiffer(t *testing.T) {
	t.Parallel()
	p := painter(t)
	var pictures [10]oled.Image
	for _, score := range []bool{true, false} {
		for d := range pictures {
			v := oled.View{Board: true, Mark: engine.None, Score: [2]int{d, d}, Timed: !score}
			v.Clocks[0].Left = time.Duration(d)*time.Minute + 20*time.Second
			p.Render(&v, &pictures[d])
		}
		band := uint64(0x0000FFFFFFFF0000)
		if !score {
			band = 0x0000000FFFFF0000 // without the small score
		}
		for a, one := range pictures {
			for b, other := range pictures[:a] {
				differ := 0
				for x := range oled.Width / 2 {
					differ += bits.OnesCount64((one[x] ^ other[x]) & band)
				}
				if differ < 30 {
					t.Errorf("%d and %d differ in %d pixels", a, b, differ)
				}
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	p := painter(t)
	all := situations(t)
	states := make([]referee.State, len(all))
	for i, c := range all {
		states[i] = midgame(t)
		c.change(&states[i])
	}
	var m oled.Image
	if n := testing.AllocsPerRun(20, func() {
		for i := range states {
			v := oled.Compose(oled.Input{State: &states[i], Clocks: all[i].clocks})
			p.Render(&v, &m)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPicture(b *testing.B) {
	p := painter(b)
	s := midgame(b)
	var m oled.Image
	b.ReportAllocs()
	for b.Loop() {
		v := oled.Compose(oled.Input{State: &s, Clocks: clocks(17*time.Minute, 9*time.Second)})
		p.Render(&v, &m)
	}
}
