package virtual_test

import (
	"errors"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// plug is something around the board that can be pulled.
type plug struct {
	driver string
	pull   func(s *sim.Board)
	push   func(s *sim.Board)
	// noticed says that the controller can tell.
	noticed bool
}

// plugs are the kinds of LEDs, pulled off their plug or gone with their port.
func plugs() map[string]plug {
	gone := errors.New("no such device")
	return map[string]plug{
		"apa102": {
			configs.APA102,
			func(s *sim.Board) { s.Strip().Unplug(true) }, func(s *sim.Board) { s.Strip().Unplug(false) }, false,
		},
		"apa102, its port": {
			configs.APA102,
			func(s *sim.Board) { s.Strip().Fail(gone) }, func(s *sim.Board) { s.Strip().Fail(nil) }, true,
		},
		"ws2812": {
			configs.WS2812,
			func(s *sim.Board) { s.Chain().Unplug(true); s.Chain().PowerCycle() },
			func(s *sim.Board) { s.Chain().Unplug(false) }, false,
		},
		"max7219": {
			configs.MAX7219,
			func(s *sim.Board) { s.Digits().Unplug(true); s.Digits().PowerCycle() },
			func(s *sim.Board) { s.Digits().Unplug(false) }, false,
		},
		"ht16k33": {
			configs.HT16K33,
			func(s *sim.Board) { s.Bus().Detach(0x70); s.Module().PowerCycle() },
			func(s *sim.Board) { s.Bus().Attach(s.Module()) }, true,
		},
	}
}

// Scenario 32: the LEDs are pulled at every ply of a game: scans, moves and the record go on
// as if nothing were, and a controller that can tell says so. Put back, they
// show what they must within six seconds, without a restart.
func TestFailureLightsPulled(t *testing.T) {
	for name, p := range plugs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "hall-128", 1, func(b *bench) {
				b.config.Hardware.LEDs.Driver = p.driver
				b.shadow = nil // It does not know that they are pulled.
			})
			for range 12 {
				p.pull(b.sim)
				b.playOn(t, 1)
				b.wantLEDs(t, p.noticed)
				p.push(b.sim)
				must(t, b.pass(6*time.Second))
				b.wantLEDs(t, false)
				b.wantSeen(t)
			}
			// A light to see, pulled and put back under it.
			sq, _ := chooseMove(&b.table.Core.State.Game, func(engine.Bitboard) bool { return true })
			flips := b.table.Core.State.Game.Flips(sq)
			rest, err := b.sim.Place(b.clock, int(sq), virtualFace(b.table.Core.State.Game.Turn))
			must(t, err)
			must(t, b.untilRest(rest+b.reaction))
			b.wantSeen(t)
			p.pull(b.sim)
			must(t, b.pass(3*time.Second))
			if seen := b.litCells(); seen != 0 && p.driver != configs.APA102 {
				t.Errorf("pulled, they show %v", seen)
			}
			p.push(b.sim)
			must(t, b.pass(6*time.Second))
			b.wantSeen(t)
			if seen := b.litCells(); seen != flips {
				t.Errorf("put back, they show %v, want %v", seen, flips)
			}
			if h := b.table.Health(); h.Scans.Failed > 0 || h.Scans.Longest > 1 {
				t.Errorf("scans suffered: %+v", h.Scans)
			}
			b.events = nil
		})
	}
}

// wantLEDs wants the controller to say that the LEDs fail, or that they do not.
func (b *bench) wantLEDs(t *testing.T, failing bool) {
	t.Helper()
	h := b.table.Health().LEDs
	if h.Failing != failing || (b.table.LEDs() != nil) != failing {
		t.Fatalf("LEDs %+v, %v; failing should be %v", h, b.table.LEDs(), failing)
	}
}

// litCells returns the cells at which an eye sees light.
func (b *bench) litCells() (lit engine.Bitboard) {
	for s, l := range b.sim.Seen() {
		if l != (sim.Light{}) {
			lit |= engine.Square(s).Bit()
		}
	}
	return lit
}

// wantSeen wants steady lights to be seen, and no light where the scene has none.
func (b *bench) wantSeen(t *testing.T) {
	t.Helper()
	var steady, dark engine.Bitboard
	for s := range engine.Square(engine.Squares) {
		if p := b.scene.At(s, b.now); p == display.Flip {
			steady |= s.Bit()
		} else if p == display.Off {
			dark |= s.Bit()
		}
	}
	if lit := b.litCells(); lit&steady != steady || lit&dark != 0 {
		t.Errorf("an eye sees %v, want %v and not %v", lit, steady, dark)
	}
}

// A supply that is cycled to free the bus resets the display and a module of
// LEDs on it as well; both come back with what they must show.
func TestFailureSupplyAndTheRestOfTheBus(t *testing.T) {
	b := rack(t, "hall-128", 2, func(b *bench) {
		b.config.Hardware.LEDs.Driver = configs.HT16K33
		b.shadow = nil
	})
	b.half(t)
	must(t, b.pass(3*time.Second)) // The display is drawn, part by part.
	screen, seen := b.sim.OLED().Lit(), b.litCells()
	if screen == (emu.Screen{}) || seen == 0 {
		t.Fatal("nothing is shown")
	}
	b.sim.Bus().HoldSCL(0x24, true)
	b.scansUntil(t, 3, func(h *app.Health) bool { return h.Buses[0].Deaths == 1 })
	if b.sim.OLED().Lit() != (emu.Screen{}) || b.litCells() != 0 {
		t.Error("they have not lost their supply")
	}
	must(t, b.pass(15*time.Second))
	if b.sim.OLED().Lit() != screen || b.litCells() != seen {
		t.Errorf("lights %v, want %v; the screen is as before: %v", b.litCells(), seen, b.sim.OLED().Lit() == screen)
	}
	h := b.table.Health()
	if h.LEDs.Failing || h.OLED.Failing || h.Buses[0].Dead || h.Scans.Lost != 0 {
		t.Errorf("%+v", h)
	}
	b.trouble(t)
	b.whole(t, "d2", "d3")
	b.recordIsTrue(t)
}

// Scenario 32: the display is unplugged at any ply and plugged in again: nothing else
// notices, and it shows what the others say within seven seconds.
func TestFailureDisplayPulled(t *testing.T) {
	b := rack(t, "hall-128", 3)
	before := b.table.Health()
	for range 6 {
		b.sim.Bus().Detach(0x3C)
		b.sim.OLED().PowerCycle()
		b.playOn(t, 1)
		must(t, b.pass(6*time.Second))
		if h := b.table.Health().OLED; !h.Failing || h.Error == "" {
			t.Errorf("unplugged: %+v", h)
		}
		if b.sim.OLED().Lit() != (emu.Screen{}) {
			t.Error("it shows something without supply")
		}
		b.sim.Bus().Attach(b.sim.OLED())
		must(t, b.pass(8*time.Second))
		if h := b.table.Health().OLED; h.Failing || b.sim.OLED().Lit() == (emu.Screen{}) {
			t.Errorf("plugged in again: %+v", h)
		}
	}
	h := b.table.Health()
	if h.Scans.Failed != 0 || h.Scans.Longest > before.Scans.Longest+1 {
		t.Errorf("scans suffered: %+v, before %+v", h.Scans, before.Scans)
	}
	b.recordIsTrue(t)
}
