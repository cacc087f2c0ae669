package virtual_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// move are the squares of the move that half leaves unfinished.
const move = engine.Bitboard(1<<3 | 1<<11 | 1<<19) // d1 d2 d3

// chipsOf returns the cells of each chip of a board.
func chipsOf(b *bench) (cells []engine.Bitboard) {
	for _, c := range b.table.Health().Chips {
		cells = append(cells, engine.Bitboard(c.Cells))
	}
	return cells
}

// Scenario 27: a chip does not answer for five seconds in the middle of a move. Within a
// scan that takes a retry, and four failures in a row, its cells are unknown; the
// move waits for them if it has to, and only then; back, the chip is initialised
// and the move is on record once.
func TestFailureChipThatDoesNotAnswer(t *testing.T) {
	for name := range boards() {
		n := len(chipsOf(rack(t, name, 1)))
		for chip := range n {
			t.Run(fmt.Sprintf("%s, chip %d", name, chip), func(t *testing.T) {
				t.Parallel()
				testSilentChip(t, name, chip)
			})
		}
	}
}

func testSilentChip(t *testing.T, name string, chip int) {
	t.Helper()
	b := rack(t, name, uint64(chip+1))
	b.half(t)
	cells := chipsOf(b)[chip]
	before := b.table.Health()
	must(t, b.sim.FailBank(chip, sim.BankNack))
	scans := b.scansUntil(t, 4, func(h *app.Health) bool { return h.Scans.Lost == uint64(cells) })
	t.Logf("unknown after %d scans", scans)
	b.wantTrouble(t, false, map[string]engine.Bitboard{"bank_lost": cells})
	must(t, b.pass(b.reaction)) // the reading that says so
	must(t, b.expectLights("FLIP d2 d3, FAULT "+(cells&^(1<<11|1<<19)).String()))
	b.turnOver(t, "d2")
	b.turnOver(t, "d3")
	must(t, b.pass(5*time.Second-b.reaction))
	done := []string{"move black d1 flips d2 d3"}
	now, later, state := done, []string(nil), "ply 13, turn white, problem bank_lost"
	if cells&move != 0 {
		now, later, state = nil, done, "ply 12, turn black, problem bank_lost"
	}
	must(t, b.expectEvents(now))
	b.stateIs(t, state)
	b.saysSo(t)
	must(t, b.sim.HealBank(chip))
	must(t, b.pass(7*time.Second))
	tr := b.trouble(t)
	if tr.back["bank_lost"] != cells || len(tr.failed) > 0 || !slices.Equal(tr.others, later) {
		t.Errorf("when it answers again: %+v, want %q", tr, later)
	}
	after := b.table.Health()
	if c := after.Chips[chip]; c.State != "live" || c.Inits != before.Chips[chip].Inits+1 || c.Failed < 4 {
		t.Errorf("the chip: %+v", c)
	}
	b.flashes = nil
	b.playOn(t, 3)
	b.recordIsTrue(t)
}

// One of the two buses of a board dies: its cells are unknown, the others play.
// A supply that is switched in vain costs them a moment each time, more and more
// rarely.
func TestFailureOneBusOfTwo(t *testing.T) {
	for dead := range 2 {
		for _, wired := range []bool{true, false} {
			t.Run(fmt.Sprintf("bus %d, freed by anything: %v", dead, wired), func(t *testing.T) {
				t.Parallel()
				testOneBusOfTwo(t, dead, wired)
			})
		}
	}
}

func testOneBusOfTwo(t *testing.T, dead int, wired bool) {
	t.Helper()
	b := rack(t, "hall-128-mcp23017", uint64(dead+1), func(b *bench) {
		if !wired {
			without(b)
		}
	})
	h := b.table.Health()
	gone, left := cellsOf(&h, dead), cellsOf(&h, 1-dead)
	if gone|left != all || gone&left != 0 {
		t.Fatalf("%v and %v", gone, left)
	}
	wire := []*emu.Bus{b.sim.Bus(), b.sim.SecondBus()}[dead]
	wire.Short(true, false)
	must(t, b.pass(3*time.Second))
	tr := b.trouble(t)
	if tr.failed["bank_lost"]&gone != gone || tr.back["bank_lost"]&gone != 0 || len(tr.others) > 0 {
		t.Fatalf("%+v", tr)
	}
	played := b.playOnLive(t, left, 3)
	b.waitForLost(t, gone)
	if h = b.table.Health(); engine.Bitboard(h.Scans.Lost)&left != 0 || h.Buses[1-dead].Dead {
		t.Errorf("the other bus suffers: %+v", h)
	}
	wire.Heal()
	must(t, b.pass(7*time.Second))
	b.stateIs(t, fmt.Sprintf("ply %d, problem none", played+1))
	b.events, b.flashes = nil, nil
	b.playOn(t, 3)
	b.recordIsTrue(t)
}

// playOnLive plays moves that only touch cells which can be read, at most n of
// them.
func (b *bench) playOnLive(t *testing.T, live engine.Bitboard, n int) (played int) {
	t.Helper()
	for range n {
		game := b.table.Core.State.Game
		sq, ok := chooseMove(&game, func(touched engine.Bitboard) bool { return touched&^live == 0 })
		if !ok {
			break
		}
		ply := game.Ply()
		must(t, b.playMove(sq, game.Turn, game.Flips(sq)))
		// The supply may just have been switched.
		for range 8 {
			if b.table.Core.State.Ply() > ply {
				break
			}
			must(t, b.pass(500*time.Millisecond))
		}
		if b.table.Core.State.Ply() != ply+1 {
			t.Fatalf("%v waits although all its cells can be read: %q", sq, b.events)
		}
		played++
	}
	if played == 0 {
		t.Fatal("nothing could be played")
	}
	tr := b.trouble(t)
	if len(tr.others) != played {
		t.Fatalf("%d moves, events %q", played, tr.others)
	}
	return played
}

// waitForLost makes a move that touches cells which cannot be read, and wants
// the board to wait.
func (b *bench) waitForLost(t *testing.T, gone engine.Bitboard) {
	t.Helper()
	game := b.table.Core.State.Game
	sq, ok := chooseMove(&game, func(touched engine.Bitboard) bool { return touched&gone != 0 })
	if !ok {
		t.Fatal("no move touches the cells of the bus")
	}
	must(t, b.playMove(sq, game.Turn, game.Flips(sq)))
	must(t, b.pass(5*time.Second))
	if tr := b.trouble(t); len(tr.others) > 0 {
		t.Fatalf("%v is on record, nobody can have seen it: %q", sq, tr.others)
	}
}

// chooseMove returns the first legal move whose squares are as wanted.
func chooseMove(game *engine.Game, want func(touched engine.Bitboard) bool) (engine.Square, bool) {
	for sq := range game.Legal().All() {
		if want(game.Flips(sq) | sq.Bit()) {
			return sq, true
		}
	}
	return 0, false
}

// A chip, or all of them, silently fall back to what they are after power-on: at
// rest, in the middle of a move, while a disc is in a hand. It is found within a
// second, all registers are written again, and what the hands do meanwhile is
// understood: nothing is put on record that did not happen.
func TestFailureBrownOut(t *testing.T) {
	for name := range boards() {
		chips := chipsOf(rack(t, name, 1))
		for which := -1; which < len(chips); which++ {
			t.Run(fmt.Sprintf("%s, chip %d", name, which), func(t *testing.T) {
				t.Parallel()
				testBrownOut(t, name, which)
			})
		}
	}
}

func testBrownOut(t *testing.T, name string, which int) {
	t.Helper()
	b := rack(t, name, uint64(which+2))
	must(t, b.pass(time.Duration(b.rng.Int64N(int64(time.Second)))))
	b.brownOut(t, "at rest", which, 1)
	b.half(t)
	b.brownOut(t, "flips to do", which, 2)
	must(t, b.expectLights("FLIP d2 d3"))
	b.hands(t, "lift d2")
	b.brownOut(t, "a disc in a hand", which, 3)
	b.hands(t, "place d2 black")
	b.whole(t, "d3")
	b.recordIsTrue(t)
}

// brownOut resets a chip, or all of them if it is -1, for the given time in this
// game, and wants that to be found within a second.
func (b *bench) brownOut(t *testing.T, what string, which int, times uint64) {
	t.Helper()
	var cells engine.Bitboard
	for i, of := range chipsOf(b) {
		if which < 0 || which == i {
			must(t, b.sim.FailBank(i, sim.BankReset))
			cells |= of
		}
	}
	must(t, b.pass(time.Second))
	b.wantTrouble(t, true, map[string]engine.Bitboard{"reset": cells})
	for _, c := range b.table.Health().Chips {
		if engine.Bitboard(c.Cells)&cells != 0 && (c.Resets != times || c.Inits != times+1 || c.State != "live") {
			t.Errorf("%s: chip %+v", what, c)
		}
	}
}

// A long wire flips bits and loses acknowledges, for as long as the game takes.
// Moves are on record as they were made.
func TestFailureNoisyWire(t *testing.T) {
	for name := range boards() {
		for _, noise := range []emu.Noise{{Flips: 1e-4, Nacks: 1e-3}, {Flips: 1e-3, Nacks: 0.01}} {
			t.Run(fmt.Sprintf("%s, %+v", name, noise), func(t *testing.T) {
				t.Parallel()
				b := rack(t, name, 5)
				must(t, b.play(opening))
				b.sim.Bus().Seed(5)
				b.sim.SecondBus().Seed(6)
				b.sim.Bus().SetNoise(emu.AnyAddress, noise)
				b.sim.SecondBus().SetNoise(emu.AnyAddress, noise)
				b.playNoisily(t, 20)
				var corrupt, nacks uint64
				h := b.table.Health()
				for _, c := range h.Chips {
					corrupt += c.Corrupt + c.Resets
				}
				for _, bus := range h.Buses {
					for _, d := range bus.Devices {
						nacks += d.NACK
					}
				}
				t.Logf("%d reads and registers were corrupt, %d acknowledges lost", corrupt, nacks)
				if corrupt+nacks == 0 {
					t.Error("the noise was not noticed")
				}
				b.recordIsTrue(t)
			})
		}
	}
}

// playNoisily plays legal moves and waits for each of them, while cells may come
// and go. Nothing but the moves may be on record.
func (b *bench) playNoisily(t *testing.T, moves int) {
	t.Helper()
	for range moves {
		must(t, b.pass(time.Second))
		game := b.table.Core.State.Game
		sq, ok := chooseMove(&game, func(engine.Bitboard) bool { return true })
		if !ok {
			return
		}
		must(t, b.playMove(sq, game.Turn, game.Flips(sq)))
		for range 20 {
			if b.table.Core.State.Ply() > game.Ply() {
				break
			}
			must(t, b.pass(500*time.Millisecond))
		}
		want := canonical(fmt.Sprintf("move %v %v flips %v", game.Turn, sq, game.Flips(sq)))
		if tr := b.trouble(t); len(tr.others) == 0 || tr.others[0] != want || len(tr.others) > 2 {
			t.Fatalf("events %q and %v, want %q", tr.others, tr.failed, want)
		}
	}
}

// Inputs that are frozen cannot be told from a quiet board: the game waits for
// what it does not see, and goes on when it does. (An MCP23017 that freezes
// itself is found by its own outputs, see package hall128.)
func TestFailureFrozenInputs(t *testing.T) {
	for _, name := range []string{"hall-128", "hall-128-mcp23017"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, name, 6)
			b.half(t)
			chip := 0
			for i, cells := range chipsOf(b) {
				if cells.Has(19) { // d3
					chip = i
				}
			}
			must(t, b.sim.FailBank(chip, sim.BankFrozen))
			b.turnOver(t, "d2")
			b.turnOver(t, "d3")
			must(t, b.pass(30*time.Second))
			must(t, b.expectEvents(nil))
			// Its own chip still sees d2 where that is another one.
			if lit := sceneLights(&b.scene, b.now); !lit[lightFlip].Has(19) {
				t.Errorf("lights %v", lit)
			}
			must(t, b.sim.HealBank(chip))
			must(t, b.pass(b.reaction))
			must(t, b.expectEvents([]string{"move black d1 flips d2 d3"}))
			b.flashes = nil
			b.playOn(t, 3)
			b.recordIsTrue(t)
		})
	}
}

// A dead interrupt line costs nothing but the hint: moves are seen in the next
// scan, and every change counts as missed. With the line, none does.
func TestFailureLostInterrupts(t *testing.T) {
	b := rack(t, "hall-128", 7)
	must(t, b.play("f5f6e6f4"))
	h := b.table.Health()
	if i := h.Interrupts; i.Missed != 0 || i.Changes < 10 || i.Heard < i.Changes {
		t.Errorf("with the line: %+v", i)
	}
	b.sim.LoseInterrupts(true)
	before := *h.Interrupts
	must(t, b.play("e3d6g4d3"))
	must(t, b.pass(time.Second))
	h = b.table.Health()
	if i := h.Interrupts; i.Changes == before.Changes || i.Missed != i.Changes-before.Changes || i.Heard != before.Heard {
		t.Errorf("without: %+v, before %+v", i, before)
	}
	b.recordIsTrue(t)
}
