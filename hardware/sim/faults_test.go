package sim_test

import (
	"errors"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// TestCellFaults: what each fault makes of a cell with nothing, north and south
// on it, as two bits: 1 north output active, 2 south output active.
func TestCellFaults(t *testing.T) {
	for _, c := range []struct {
		name                string
		fault               sim.CellFault
		empty, north, south uint64
	}{
		{"sound", sim.CellFault{}, 0, 1, 2},
		{"dead", sim.CellFault{Kind: sim.Dead}, 0, 0, 0},
		{"stuck north", sim.CellFault{Kind: sim.StuckNorth}, 1, 1, 3},
		{"stuck south", sim.CellFault{Kind: sim.StuckSouth}, 2, 3, 2},
		{"both active", sim.CellFault{Kind: sim.BothActive}, 3, 3, 3},
		{"magnet weak but enough", sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.5}, 0, 1, 2},
		{"magnet too weak", sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.05}, 0, 0, 0},
	} {
		for face, want := range []uint64{c.empty, c.north, c.south} {
			b := sim.New(sim.Options{})
			b.Set([64]sim.Face{e6: sim.Face(face)})
			b.Advance(0)
			if err := b.FailCell(e6, c.fault); err != nil {
				t.Fatal(err)
			}
			b.Advance(look)
			n, s := scan(t, b.I2C())
			if got := n>>e6&1 | s>>e6&1<<1; got != want {
				t.Errorf("%s, %s: %02b, want %02b", c.name, sim.Face(face), got, want)
			}
			if (n|s)&^(1<<e6) != 0 {
				t.Errorf("%s: other cells read %#x", c.name, n|s)
			}
			if err := b.HealCell(e6); err != nil {
				t.Fatal(err)
			}
			b.Advance(2 * look)
			expect(t, c.name+", healed", b, [64]sim.Face{e6: sim.Face(face)})
			if b.Faces() != [64]sim.Face{e6: sim.Face(face)} {
				t.Errorf("%s: the disc itself has changed", c.name)
			}
		}
	}
}

func TestFlapping(t *testing.T) {
	for _, face := range []sim.Face{sim.NoDisc, sim.NorthUp, sim.SouthUp} {
		b := sim.New(sim.Options{})
		b.Set([64]sim.Face{e6: face})
		b.Advance(0)
		if err := b.FailCell(e6, sim.CellFault{Kind: sim.Flapping, Hz: 4}); err != nil {
			t.Fatal(err)
		}
		seen := watchE6(t, b, 2*time.Second-ms)
		if len(seen) != 16 { // 4 Hz for 2 s: 8 periods of two halves
			t.Errorf("%s: %d readings %v, want 16", face, len(seen), seen)
		}
	}
}

func TestBankNack(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Set([64]sim.Face{e6: sim.NorthUp})
	b.Advance(0)
	for range 2 { // twice is no more than once
		if err := b.FailBank(5, sim.BankNack); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.I2C().Tx(0x25, []byte{0}, make([]byte, 2)); !errors.Is(err, emu.NoAck()) {
		t.Errorf("the missing chip: %v", err)
	}
	if err := b.I2C().Tx(0x24, []byte{0}, make([]byte, 2)); err != nil {
		t.Errorf("its neighbour: %v", err)
	}
	if b.INT() != gpio.High {
		t.Error("the missing chip pulls the interrupt line")
	}
	for range 2 {
		if err := b.HealBank(5); err != nil {
			t.Fatal(err)
		}
	}
	if b.INT() != gpio.Low {
		t.Error("the chip that is back does not pull the line")
	}
	expect(t, "healed", b, [64]sim.Face{e6: sim.NorthUp})
}

// TestBankReset: the canary that a driver left in the output latch is gone; the
// inputs still work.
func TestBankReset(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Set([64]sim.Face{e6: sim.NorthUp})
	b.Advance(0)
	if err := b.I2C().Tx(0x25, []byte{2, 0x5A, 0xA5}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.FailBank(5, sim.BankReset); err != nil {
		t.Fatal(err)
	}
	var canary [2]byte
	if err := b.I2C().Tx(0x25, []byte{2}, canary[:]); err != nil || canary != [2]byte{0xFF, 0xFF} {
		t.Errorf("output latch % x, %v, want the power-on values", canary, err)
	}
	expect(t, "after a reset", b, [64]sim.Face{e6: sim.NorthUp})
}

func TestBankFrozen(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Set([64]sim.Face{e6: sim.NorthUp, d4: sim.NorthUp})
	b.Advance(0)
	if err := b.FailBank(5, sim.BankFrozen); err != nil {
		t.Fatal(err)
	}
	b.Set([64]sim.Face{})
	b.Advance(time.Second)
	expect(t, "frozen", b, [64]sim.Face{e6: sim.NorthUp})
	if err := b.HealBank(5); err != nil {
		t.Fatal(err)
	}
	expect(t, "thawed", b, [64]sim.Face{})
}

// TestWeakMagnetMoves: the magnet is weak in the hand, too.
func TestWeakMagnetMoves(t *testing.T) {
	b := sim.New(exact())
	b.Set([64]sim.Face{e6: sim.NorthUp})
	b.Advance(0)
	if err := b.FailCell(e6, sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.1}); err != nil {
		t.Fatal(err)
	}
	if got := b.Field(e6); got > 2 || got < 1.98 { // a tenth of 19.92 mT
		t.Errorf("%.2f mT at rest", got)
	}
	rest := must(t)(b.Turn(0, e6, sim.TurnInPlace, 200*ms))
	b.Advance(0)
	if got := b.Field(e6); got > 2 || got < 1.98 {
		t.Errorf("%.2f mT in the hand", got)
	}
	b.Advance(rest)
	if got := b.Field(e6); got < -2 || got > -1.98 {
		t.Errorf("%.2f mT turned", got)
	}
}
