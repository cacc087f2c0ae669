package referee_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// blind is a referee whose board sees discs and no faces. The test knows the
// faces of the discs on the table; the referee is told where discs lie, and
// which of them were lifted and put back.
type blind struct {
	*table
	// before are the squares with a disc in the last reading, off those that
	// have been without one since.
	before, off engine.Bitboard
	// trail is what the readings were and what followed from them.
	trail []string
}

// blindTable is a board with the discs of the start lying on it.
func blindTable(t *testing.T, rules engine.Rules) *blind {
	t.Helper()
	b := emptyBlindTable(t, rules)
	b.discs = rules.Start.Discs
	b.rest()
	return b
}

func emptyBlindTable(t *testing.T, rules engine.Rules) *blind {
	t.Helper()
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	return &blind{table: &table{
		t: t, state: referee.NewPresence(referee.Match{Rules: rules, Profile: profile}),
	}}
}

// classicBlind is a classic game that has begun.
func classicBlind(t *testing.T) *blind {
	t.Helper()
	b := blindTable(t, variant(t, "classic"))
	b.expect("start classic")
	return b
}

// rest gives a settled reading, a second after the last one.
func (b *blind) rest() {
	b.now += time.Second
	lie, was, said := b.discs.Occupied(), b.before, len(b.said)
	lifted := b.off & was & lie
	b.step(referee.Felt{At: b.now, Squares: lie, Lifted: lifted, Lost: b.lost, Masked: b.mask})
	b.before, b.off = lie, 0
	b.trail = append(b.trail, fmt.Sprintf("placed [%v] gone [%v] back [%v] guide %+v said %q",
		lie&^was, was&^lie, lifted, b.state.Guide, b.said[said:]))
}

// hands do things and then rest. Things are divided by commas:
//
//	black e6 d6     black discs are put down there, white, or none: taken off
//	turn e5 d5      discs are lifted, turned and put back
//	nudge e5        they are lifted and put back as they were
//	rest            the board settles
func (b *blind) hands(things string) {
	b.t.Helper()
	for thing := range strings.SplitSeq(things, ",") {
		b.do(strings.Fields(thing))
	}
	b.rest()
}

func (b *blind) do(words []string) {
	b.t.Helper()
	if words[0] == "rest" {
		b.rest()
		return
	}
	for _, name := range words[1:] {
		sq := b.sq(name)
		switch words[0] {
		case "black":
			b.lift(sq, engine.Black)
		case "white":
			b.lift(sq, engine.White)
		case "none":
			b.lift(sq, engine.None)
		case "turn":
			b.lift(sq, b.discs.At(sq).Opponent())
		case "nudge":
			b.lift(sq, b.discs.At(sq))
		default:
			b.t.Fatalf("hands cannot %q", words[0])
		}
	}
}

// lift takes what lies on a square off and makes it show a color.
func (b *blind) lift(sq engine.Square, c engine.Color) {
	b.off |= sq.Bit()
	b.discs = b.discs.With(sq, c)
}

// play makes whole moves, each in one reading.
func (b *blind) play(transcript string) {
	b.t.Helper()
	for len(transcript) >= 2 {
		b.move(b.sq(transcript[:2]))
		transcript = transcript[2:]
	}
}

func (b *blind) move(sq engine.Square) {
	b.t.Helper()
	g := b.state.Game
	b.lift(sq, g.Turn)
	for f := range g.Flips(sq).All() {
		b.lift(f, g.Turn)
	}
	b.rest()
}

// agree checks that the referee believes what lies on the table.
func (b *blind) agree() {
	b.t.Helper()
	if b.state.Sensed != b.discs {
		b.t.Fatalf("believed\n%v, on the table\n%v", b.state.Sensed, b.discs)
	}
}

// A story is what hands do, what the lights then ask for, and the events.
type story struct {
	name string
	// before is played first.
	before string
	steps  []scene
}

type scene struct{ hands, guide, events string }

func (s story) run(t *testing.T, b *blind) {
	t.Helper()
	b.play(s.before)
	b.said = nil
	for _, sc := range s.steps {
		switch sc.hands {
		case "wait":
			b.now = max(b.now, b.wake)
			b.step(referee.Tick{At: b.wake})
		default:
			b.hands(sc.hands)
		}
		if got := strings.Join(b.said, "; "); got != sc.events {
			t.Fatalf("after %q: events %q, want %q", sc.hands, got, sc.events)
		}
		b.said = nil
		b.guideAfter(sc.hands, sc.guide)
	}
}

func (b *blind) guideAfter(hands, want string) {
	b.t.Helper()
	b.t.Logf("after %q", hands)
	b.guide(want)
}

// revive makes the record of b true again from its events, as a restart does.
func (b *blind) revive() {
	b.t.Helper()
	s := referee.NewPresence(b.state.Match)
	referee.Apply(&s, referee.GameStarted{Match: b.state.Match})
	for _, e := range b.state.Record() {
		if sq, ok := e.Move.Square(); ok {
			referee.Apply(&s, referee.Moved{By: e.By, Square: sq, Flipped: e.Flipped})
		} else {
			referee.Apply(&s, referee.Passed{By: e.By})
		}
	}
	if s.Game != b.state.Game || s.Len != b.state.Len {
		b.t.Fatalf("the record replays to %v, want %v", s.Game, b.state.Game)
	}
	b.state, b.off = s, 0
}
