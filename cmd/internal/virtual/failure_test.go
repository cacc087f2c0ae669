package virtual_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// The failure tests break a part of a whole board in the middle of a game and
// look at what players see: how soon the trouble is found, what the LEDs, the
// events and the sentence say, that the game waits only where it must, that
// nothing is put on record that did not happen, and that the board plays on when
// the part works again. What the drivers do is tested beside them.

// opening is played before parts fail; black's d1 then turns d2 and d3.
const opening = "f5f6e6f4e3d6g4d3c3d2c4f3"

// profile returns the settings of a built-in profile for a simulated board.
func profile(t *testing.T, name string) *configs.Config {
	t.Helper()
	text, err := configs.Profile(name + ".yaml")
	must(t, err)
	c, err := configs.Parse(name, text)
	must(t, err)
	return c
}

// rack returns a bench at a board of a built-in profile, at which the first game
// has begun.
func rack(t *testing.T, name string, seed uint64, change ...func(b *bench)) *bench {
	t.Helper()
	b, err := newBenchOf(profile(t, name), seed, &memory{})
	must(t, err)
	for _, f := range change {
		f(b)
	}
	must(t, b.switchOn())
	must(t, b.pass(2*time.Second))
	must(t, b.expectEvents([]string{"game_started classic, black to move"}))
	t.Cleanup(func() { must(t, b.table.Close()) })
	return b
}

// without takes away what frees a held bus.
func without(b *bench) { b.config.Hardware.Recovery = configs.Recovery{} }

// hands lets a hand work, like a line of a story.
func (b *bench) hands(t *testing.T, line string) {
	t.Helper()
	rest, err := b.hand(line, b.clock)
	must(t, err)
	must(t, b.untilRest(rest))
}

// turnOver turns a disc as this board needs it.
func (b *bench) turnOver(t *testing.T, sq string) {
	t.Helper()
	if b.blind {
		sq += " through empty in 600ms"
	}
	b.hands(t, "turn "+sq)
}

// half plays the opening, places black's d1 and waits for the lights of its
// flips.
func (b *bench) half(t *testing.T) {
	t.Helper()
	must(t, b.play(opening))
	must(t, b.pass(time.Second))
	b.hands(t, "place d1 black")
	must(t, b.pass(b.reaction))
	must(t, b.expectLights("FLIP d2 d3"))
	must(t, b.expectEvents(nil))
}

// whole finishes that move and wants it on record once, and the game to go on.
func (b *bench) whole(t *testing.T, open ...string) {
	t.Helper()
	for _, sq := range open {
		b.turnOver(t, sq)
	}
	must(t, b.pass(b.reaction))
	must(t, b.expectEvents([]string{"move black d1 flips d2 d3"}))
	b.flashes = nil
	b.playOn(t, 4)
}

// playOn plays some moves more, any legal ones.
func (b *bench) playOn(t *testing.T, moves int) {
	t.Helper()
	for range moves {
		must(t, b.pass(time.Second))
		state := &b.table.Core.State
		legal := slices.Collect(state.Game.Legal().All())
		if len(legal) == 0 {
			return
		}
		sq, mover := legal[b.rng.IntN(len(legal))], state.Game.Turn
		flips := state.Game.Flips(sq)
		must(t, b.playMove(sq, mover, flips))
		want := canonical(fmt.Sprintf("move %v %v flips %v", mover, sq, flips))
		if len(b.events) == 0 || b.events[0] != want {
			t.Fatalf("events %q, want %q; the board says %q", b.events, want, display.Sentence(state))
		}
		b.events, b.flashes = nil, nil
	}
}

// scansUntil scans until done, no more often than most, and returns how often that
// was.
func (b *bench) scansUntil(t *testing.T, most int, done func(h *app.Health) bool) int {
	t.Helper()
	for n := 1; ; n++ {
		must(t, b.scan())
		b.clock = max(b.clock, b.now)
		h := b.table.Health()
		if done(&h) {
			return n
		}
		if n == most {
			t.Fatalf("not after %d scans: %+v", n, h)
		}
	}
}

// trouble is what events said of cells, by kind, and all other events.
type trouble struct {
	failed, back map[string]engine.Bitboard
	others       []string
}

// trouble takes the events since the last check.
func (b *bench) trouble(t *testing.T) trouble {
	t.Helper()
	tr := trouble{failed: map[string]engine.Bitboard{}, back: map[string]engine.Bitboard{}}
	for _, e := range b.events {
		kind, rest, _ := strings.Cut(e, " ")
		how, names, _ := strings.Cut(rest, " ")
		set, err := engine.ParseSquares(names)
		switch {
		case kind == "sensor_fault" && err == nil:
			tr.failed[how] |= set
		case kind == "sensor_restored" && err == nil:
			tr.back[how] |= set
		default:
			tr.others = append(tr.others, e)
		}
	}
	b.events = nil
	return tr
}

// wantTrouble wants exactly these cells to have failed, and all of them to be
// back, or none.
func (b *bench) wantTrouble(t *testing.T, back bool, want map[string]engine.Bitboard) {
	t.Helper()
	got := b.trouble(t)
	if len(got.others) > 0 || !maps.Equal(got.failed, want) {
		t.Fatalf("failed %v, want %v; other events %q", got.failed, want, got.others)
	}
	if back && !maps.Equal(got.back, want) || !back && len(got.back) > 0 {
		t.Fatalf("came back %v of %v", got.back, want)
	}
}

// saysSo wants the sentence to say that something cannot be read.
func (b *bench) saysSo(t *testing.T) {
	t.Helper()
	if got := display.Sentence(&b.table.Core.State); !strings.Contains(got, "cannot be read") {
		t.Errorf("the board says %q", got)
	}
}

// stateIs wants members of the published state.
func (b *bench) stateIs(t *testing.T, text string) {
	t.Helper()
	must(t, b.expectState(text))
}

// cellsOf returns the squares that the chips of a bus read.
func cellsOf(h *app.Health, bus int) (set engine.Bitboard) {
	for _, c := range h.Chips {
		if c.Bus == bus {
			set |= engine.Bitboard(c.Cells)
		}
	}
	return set
}

// all are all squares.
const all = ^engine.Bitboard(0)

// The two looks at the same thing agree: faces that lie and the record.
func (b *bench) recordIsTrue(t *testing.T) {
	t.Helper()
	must(t, b.sameAsJournal())
	for s, f := range b.sim.Faces() {
		if c := b.table.Core.State.Game.At(engine.Square(s)); virtualFace(c) != f {
			t.Errorf("%v: on record is %v, there lies %v", engine.Square(s), c, f)
		}
	}
}

func virtualFace(c engine.Color) sim.Face {
	return map[engine.Color]sim.Face{engine.Black: sim.NorthUp, engine.White: sim.SouthUp}[c]
}
