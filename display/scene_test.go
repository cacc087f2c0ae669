package display_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

const ms = time.Millisecond

// shown lists what is lit at now, as "flip d5 f6 wrong a1".
func shown(sc *display.Scene, now time.Duration) string {
	var sets [display.Patterns]engine.Bitboard
	for s := range engine.Square(engine.Squares) {
		sets[sc.At(s, now)] |= s.Bit()
	}
	text := ""
	for p, set := range sets {
		if p != int(display.Off) && set != 0 {
			text += fmt.Sprintf(" %v %v", display.Pattern(p), set)
		}
	}
	if text == "" {
		return "dark"
	}
	return text[1:]
}

func TestCompose(t *testing.T) {
	t.Parallel()
	set := func(names string) engine.Bitboard { return squares(t, names) }
	guide := referee.Guide{
		Flip: set("d5 f6"), Turn: set("f4"), Remove: set("a1"),
		PlaceBlack: set("c3"), PlaceWhite: set("c4"),
	}
	for _, c := range []struct {
		name, want string
		change     func(*referee.State)
		cues       display.Cues
	}{
		{"nothing to do", "dark", func(*referee.State) {}, display.Cues{}},
		{
			"the guide", "flip d5 f6 wrong a1 f4 place_black c3 place_white c4",
			func(s *referee.State) { s.Guide = guide },
			display.Cues{},
		},
		{
			"the guide in set-up", "flip d5 f6 wrong a1 f4 place_black c3 place_white c4",
			func(s *referee.State) { s.Phase, s.Guide = referee.Setup, guide },
			display.Cues{},
		},
		{
			"cells that cannot be read", "fault g2 a3 b3",
			func(s *referee.State) { s.Lost, s.Masked = set("a3 b3"), set("g2") },
			display.Cues{},
		},
		{
			"the guide wins over a fault", "flip g2 wrong b3 place_black c3 fault a3",
			func(s *referee.State) {
				s.Lost, s.Masked = set("a3 b3 c3"), set("g2")
				s.Guide = referee.Guide{Flip: set("g2"), Remove: set("b3"), PlaceBlack: set("c3")}
			},
			display.Cues{},
		},
		{
			"no game: dark", "dark",
			func(s *referee.State) { s.Phase, s.Lost, s.Guide = referee.Idle, set("a1"), guide },
			display.Cues{},
		},
		{
			"after the game: dark, whatever the hands do", "dark",
			func(s *referee.State) { s.Phase, s.Masked, s.Guide = referee.Over, set("a1"), guide },
			display.Cues{},
		},
		{
			"after the time was up: the discs that the record has otherwise, while they lie", "ask d4",
			func(s *referee.State) {
				s.Phase, s.Ended, s.Result.Stop.Differ = referee.Over, true, set("d4 g5")
				s.Sensed = s.Game.Discs
			},
			display.Cues{},
		},
		{
			"the last move flashes after the game too", "ok e6 f6",
			func(s *referee.State) { s.Phase = referee.Over },
			display.Cues{OK: set("e6 f6"), OKAt: 10 * time.Second, Now: 10 * time.Second},
		},
		{
			"a committed move", "ok d6 e6",
			func(*referee.State) {},
			display.Cues{OK: set("e6 d6"), OKAt: 10 * time.Second, Now: 10*time.Second + 299*ms},
		},
		{
			"a committed move is shown for 300 ms", "dark",
			func(*referee.State) {},
			display.Cues{OK: set("e6 d6"), OKAt: 10 * time.Second, Now: 10*time.Second + 300*ms},
		},
		{
			"errors, flips and faults beat the flash", "flip d6 wrong e6 ok f6 fault g6",
			func(s *referee.State) {
				s.Guide, s.Masked = referee.Guide{Turn: set("e6"), Flip: set("d6")}, set("g6")
			},
			display.Cues{OK: set("d6 e6 f6 g6"), OKAt: 10 * time.Second, Now: 10 * time.Second},
		},
		{
			"the flash beats the sweep, the sweep the hints",
			"ok a8 pass b8 c8 d8 e8 f8 g8 h8 hint a1",
			func(*referee.State) {},
			display.Cues{
				OK: set("a8"), OKAt: 10 * time.Second, PassBy: engine.Black, PassAt: 10 * time.Second,
				Hints: set("a1 b8"), Now: 10 * time.Second,
			},
		},
		{
			"identify beats everything", "identify " + (^engine.Bitboard(0)).String(),
			func(s *referee.State) { s.Phase, s.Guide = referee.Over, guide },
			display.Cues{IdentifyUntil: 13 * time.Second, Now: 12*time.Second + 999*ms},
		},
		{
			"a question", "ask d4 e5",
			func(*referee.State) {},
			display.Cues{Ask: set("d4 e5"), AskUntil: 5 * time.Second, Now: 4999 * ms},
		},
		{
			"the question is over", "dark",
			func(*referee.State) {},
			display.Cues{Ask: set("d4 e5"), AskUntil: 5 * time.Second, Now: 5 * time.Second},
		},
		{
			"what is wrong beats a question", "wrong d4 ask e5",
			func(s *referee.State) { s.Guide.Turn = set("d4") },
			display.Cues{Ask: set("d4 e5"), AskUntil: 5 * time.Second, Now: time.Second},
		},
		{
			"the start lies there in mid-game", "ask d4 e4 d5 e5",
			func(s *referee.State) { s.Step, s.Restart.Active = referee.Correcting, true },
			display.Cues{},
		},
		{
			"after identify the guide returns", "wrong f4",
			func(s *referee.State) { s.Guide.Turn = set("f4") },
			display.Cues{IdentifyUntil: 13 * time.Second, Now: 13 * time.Second},
		},
		{
			"hints", "hint c4 f5 hint_best d3",
			func(*referee.State) {},
			display.Cues{Hints: set("c4 d3 f5"), Best: set("d3")},
		},
		{
			"hints forbidden by the profile", "dark",
			func(s *referee.State) { s.Match.Profile.Hints = referee.HintsLocked },
			display.Cues{Hints: set("c4 d3 f5"), Best: set("d3")},
		},
		{
			"no hints while a move is on its way", "flip d4",
			func(s *referee.State) { s.Step, s.Guide.Flip = referee.InProgress, set("d4") },
			display.Cues{Hints: set("c4 f5")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := started(t)
			c.change(&s)
			sc := display.Compose(&s, c.cues)
			if got := shown(&sc, c.cues.Now); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// A pass runs over the board rank by rank, from the player who passes to the
// one who moves, and ends by itself.
func TestPassSweeps(t *testing.T) {
	t.Parallel()
	s := started(t)
	const at = 7 * time.Second
	for _, by := range []engine.Color{engine.Black, engine.White} {
		sc := display.Compose(&s, display.Cues{PassBy: by, PassAt: at, Now: at})
		for step := range 8 {
			rank := 7 - step // Black sits at rank 8
			if by == engine.White {
				rank = step
			}
			want := "pass " + (engine.Bitboard(0xFF) << (8 * rank)).String()
			for _, within := range []time.Duration{0, 99 * ms} {
				now := at + time.Duration(step)*100*ms + within
				if got := shown(&sc, now); got != want || !sc.Busy(now) {
					t.Errorf("%v passes, %v later: %q, want %q", by, now-at, got, want)
				}
			}
		}
		if got := shown(&sc, at+800*ms); got != "dark" || sc.Busy(at+800*ms) {
			t.Errorf("%v passes, after the sweep: %q", by, got)
		}
	}
}

// A scene is composed once and rendered for as long as nothing happens: its
// cues end by themselves, at the time that Cues.Ends says.
func TestCuesEndByThemselves(t *testing.T) {
	t.Parallel()
	s := started(t)
	rapid.Check(t, func(rt *rapid.T) {
		at := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(1, 5000).Draw(rt, name)) * ms
		}
		c := display.Cues{
			OK: anySet(rt, "ok"), OKAt: at("ok at"), PassBy: anyColor(rt, "pass by"), PassAt: at("pass at"),
			IdentifyUntil: at("identify until"), Now: at("now"),
		}
		sc := display.Compose(&s, c)
		if ends := c.Ends(); shown(&sc, max(c.Now, ends)) != "dark" || sc.Busy(max(c.Now, ends)) {
			rt.Fatalf("%+v: still busy at %v", c, ends)
		}
		for later := c.Now; later < 9*time.Second; later += 97 * ms {
			again := c
			again.Now = later
			fresh := display.Compose(&s, again)
			if a, b := shown(&sc, later), shown(&fresh, later); a != b {
				rt.Fatalf("at %v composed at %v shows %q, composed then %q", later, c.Now, a, b)
			}
		}
	})
}

// The zero value of cues shows nothing.
func TestNoCues(t *testing.T) {
	t.Parallel()
	s := started(t)
	if (display.Cues{}).Ends() != 0 {
		t.Error("no cues end some time")
	}
	for _, c := range []display.Cues{{}, {PassBy: engine.None, PassAt: ms}} {
		if sc := display.Compose(&s, c); shown(&sc, 0) != "dark" || sc.Busy(0) {
			t.Errorf("%+v shows %q", c, shown(&sc, 0))
		}
	}
}

// Any state composes, and a square that must change is never shown as right.
func TestErrorsAreNeverCovered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := anyState(rt)
		c := display.Cues{
			OK: anySet(rt, "ok"), OKAt: ms, PassBy: anyColor(rt, "pass by"), PassAt: ms,
			Hints: anySet(rt, "hints"), Best: anySet(rt, "best"), Now: 2 * ms,
		}
		sc := display.Compose(s, c)
		guided := s.Phase == referee.Setup || s.Phase == referee.Playing || s.Phase == referee.Paused
		for sq := range engine.Square(engine.Squares) {
			p := sc.At(sq, c.Now)
			switch {
			case !guided:
				if p != display.Off && p != display.OK && p != display.Pass {
					rt.Fatalf("%v shows %v without a game", sq, p)
				}
			case s.Lit().Wrong().Has(sq) != (p == display.Wrong):
				rt.Fatalf("%v shows %v, wrong are %v", sq, p, s.Lit().Wrong())
			}
		}
	})
}

func TestComposeAllocatesNothing(t *testing.T) {
	s := started(t)
	s.Guide.Flip, s.Lost = 0xFF00, 0xFF
	lit := 0
	if n := testing.AllocsPerRun(1000, func() {
		sc := display.Compose(&s, display.Cues{OK: 0xFF, OKAt: 1, PassAt: 1, Now: 1})
		for sq := range engine.Square(engine.Squares) {
			if sc.At(sq, 2) != display.Off {
				lit++
			}
		}
	}); n != 0 || lit == 0 {
		t.Errorf("%v allocations, %d lit", n, lit)
	}
}

func BenchmarkCompose(b *testing.B) {
	s := started(b)
	s.Guide.Flip, s.Lost = 0xFF00, 0xFF
	for b.Loop() {
		display.Compose(&s, display.Cues{OK: 0xFF, OKAt: 1, Now: 1})
	}
}

func ExampleSentence() {
	rules, _ := engine.Variant("classic")
	s := referee.New(referee.Match{Rules: rules})
	board := engine.Start().Discs
	referee.Step(&s, referee.Seen{Discs: board}, nil)
	fmt.Println(display.Sentence(&s))

	f5, _ := engine.ParseSquare("f5")
	referee.Step(&s, referee.Seen{At: time.Second, Discs: board.With(f5, engine.Black)}, nil)
	fmt.Println(display.Sentence(&s))
	scene := display.Compose(&s, display.Cues{})
	e5, _ := engine.ParseSquare("e5")
	fmt.Println("e5:", scene.At(e5, time.Second))
	// Output:
	// Black to move.
	// Black placed f5: turn e5.
	// e5: flip
}
