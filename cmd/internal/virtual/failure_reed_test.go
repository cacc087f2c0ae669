package virtual_test

import (
	"errors"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// Scenario 9: three discs on a matrix with a shorted diode: current takes a detour and the
// fourth corner of the rectangle seems to hold a disc, too. Nothing is ever said
// to lie there, and the cells that cannot be told apart are faults until the
// diode is mended and a disc has been lifted.
func TestFailureGhostOfThreeDiscs(t *testing.T) {
	b, err := newBenchOf(profile(t, "reed-64"), 1, &memory{})
	must(t, err)
	must(t, b.switchOn())
	t.Cleanup(func() { must(t, b.table.Close()) })
	b.sim.Set([engine.Squares]sim.Face{})
	must(t, b.pass(2*time.Second))
	must(t, b.expectEvents(nil))
	b2, g7 := square(t, "b2"), square(t, "g7")
	b.sim.Matrix().FailDiode(int(b2), emu.DiodeShorted)
	for _, sq := range []string{"b2", "b7", "g2"} {
		b.hands(t, "place "+sq+" black")
		must(t, b.pass(time.Second))
	}
	for range 20 {
		must(t, b.pass(500*time.Millisecond))
		if s := &b.table.Core.State; s.Sensed.Occupied()&^s.Unsure()&g7.Bit() != 0 {
			t.Fatalf("a disc is seen on g7: %v", s.Sensed)
		}
	}
	b.stateIs(t, "sensed g7 ?, phase setup")
	tr := b.trouble(t)
	if !tr.failed["ghost"].Has(g7) || len(tr.failed) != 1 || len(tr.others) > 0 {
		t.Errorf("%+v", tr)
	}
	if c := b.table.Health().Contacts; c.Refused&uint64(g7.Bit()) == 0 || c.Shorted == 0 {
		t.Errorf("%+v", c)
	}
	b.sim.Matrix().FailDiode(int(b2), emu.DiodeGood)
	b.hands(t, "lift b7")
	must(t, b.pass(3*time.Second))
	if s := &b.table.Core.State; s.Unsure() != 0 || s.Sensed.Occupied() != b.lying().Occupied() {
		t.Errorf("seen %v, unsure %v", s.Sensed, s.Unsure())
	}
}

func square(t *testing.T, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	must(t, err)
	return s
}

// One diode is shorted in a game: e6 is placed, and d6 seems to be, too. Neither
// is believed, d6 is never taken for a disc, and the move is on record once when
// its disc has been turned, for no other move explains what is seen.
func TestFailureGhostInAGame(t *testing.T) {
	b := rack(t, "reed-64", 2)
	b.sim.Matrix().FailDiode(int(square(t, "e5")), emu.DiodeShorted)
	b.hands(t, "place e6 black")
	must(t, b.pass(b.reaction))
	tr := b.trouble(t)
	pair := square(t, "e6").Bit() | square(t, "d6").Bit()
	if tr.failed["ghost"]&pair != pair || len(tr.others) > 0 {
		t.Fatalf("%+v", tr)
	}
	b.stateIs(t, "sensed e6 ?, sensed d6 ?, ply 0, turn black, problem sensor_fault")
	b.turnOver(t, "e5")
	must(t, b.pass(5*time.Second))
	if tr := b.trouble(t); len(tr.others) != 1 || tr.others[0] != "move black e6 flips e5" {
		t.Errorf("%+v", tr)
	}
	b.stateIs(t, "ply 1, turn white, sensed d6 ?")
}

// Lines that cannot be driven or read: all cells are unknown within 250 ms, the
// move waits, and is on record once when they work again.
func TestFailureReedLines(t *testing.T) {
	for name, fail := range map[string]func(m *emu.ReedMatrix, n int, err error){
		"rows":    (*emu.ReedMatrix).FailOuts,
		"columns": (*emu.ReedMatrix).FailReads,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "reed-64", 3)
			b.half(t)
			fail(b.sim.Matrix(), -1, errors.New("no such line"))
			n := b.scansUntil(t, 27, func(h *app.Health) bool { return h.Scans.Lost == uint64(all) })
			t.Logf("unknown after %d scans", n)
			b.wantTrouble(t, false, map[string]engine.Bitboard{"bank_lost": all})
			b.saysSo(t)
			must(t, b.pass(5*time.Second))
			must(t, b.expectEvents(nil))
			b.stateIs(t, "ply 12, turn black, problem bank_lost")
			if c := b.table.Health().Contacts; c.Failed == 0 || c.Error == "" {
				t.Errorf("%+v", c)
			}
			fail(b.sim.Matrix(), 0, nil)
			must(t, b.pass(time.Second))
			if tr := b.trouble(t); tr.back["bank_lost"] != all || len(tr.others) > 0 {
				t.Errorf("%+v", tr)
			}
			must(t, b.expectLights("FLIP d2 d3"))
			b.whole(t, "d2", "d3")
			b.recordIsTrue(t)
		})
	}
}

// A wire or a diode that is open makes discs disappear for the board: it asks
// for them, and puts nothing on record by itself. Mended, the game goes on.
func TestFailureReedOpen(t *testing.T) {
	for name, c := range map[string]struct{ fail, mend func(m *emu.ReedMatrix) }{
		"a row":   {func(m *emu.ReedMatrix) { m.BreakRows(1 << 4) }, func(m *emu.ReedMatrix) { m.BreakRows(0) }},
		"a diode": {func(m *emu.ReedMatrix) { m.FailDiode(36, emu.DiodeMissing) }, (*emu.ReedMatrix).Heal},
		"a reed":  {func(m *emu.ReedMatrix) { m.FailReed(36, emu.ReedDead) }, (*emu.ReedMatrix).Heal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "reed-64", 4)
			must(t, b.play(opening))
			must(t, b.pass(time.Second))
			c.fail(b.sim.Matrix())
			must(t, b.pass(10*time.Second))
			if lit := sceneLights(&b.scene, b.now); !(lit[lightPlaceBlack] | lit[lightPlaceWhite] | lit[lightFault]).Has(36) {
				t.Errorf("lights %v", lit)
			}
			c.mend(b.sim.Matrix())
			must(t, b.pass(5*time.Second))
			if tr := b.trouble(t); len(tr.others) > 0 {
				t.Errorf("%+v", tr)
			}
			b.stateIs(t, "ply 12, turn black")
			b.playOn(t, 3)
			b.recordIsTrue(t)
		})
	}
}
