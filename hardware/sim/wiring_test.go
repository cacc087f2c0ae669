package sim_test

import (
	"math"
	"testing"
	"time"

	"reversi-board/hardware/sim"
)

// discOn lays one disc and lets every sensor look.
func discOn(b *sim.Board, cell int, face sim.Face) {
	var faces [64]sim.Face
	faces[cell] = face
	b.Set(faces)
	b.Advance(b.RestAt() + 100*time.Millisecond)
}

// An MCP23017 board has seven squares a chip, chips on two buses, and the
// outputs wherever the wiring says. Registers 12h and 13h are the ports
// (DS20001952C, table 3-5).
func TestExpandersOnTwoBuses(t *testing.T) {
	t.Parallel()
	w := sim.Wired(sim.HallDigital)
	w.Chips = nil
	for i := range 10 {
		w.Chips = append(w.Chips, sim.Chip{Kind: sim.MCP23017, Bus: i / 5, Addr: uint16(0x20 + i%5)})
	}
	for c := range w.Outputs {
		w.Outputs[c] = sim.Outputs{Chip: c / 7, North: c % 7, South: 8 + c%7}
	}
	b := sim.New(sim.Options{Wiring: w})
	for cell := range 64 {
		for face, want := range map[sim.Face][2]byte{
			sim.NoDisc: {0xFF, 0xFF}, sim.NorthUp: {0xFF &^ (1 << (cell % 7)), 0xFF}, sim.SouthUp: {0xFF, 0xFF &^ (1 << (cell % 7))},
		} {
			discOn(b, cell, face)
			bus := b.I2C()
			if cell/7 >= 5 {
				bus = b.SecondI2C()
			}
			got := make([]byte, 2)
			if err := bus.Tx(uint16(0x20+cell/7%5), []byte{0x12}, got); err != nil {
				t.Fatal(err)
			}
			// GPA7 and GPB7 are not wired.
			if got[0]&0x7F != want[0]&0x7F || got[1]&0x7F != want[1]&0x7F {
				t.Errorf("cell %d shows %v: ports %08b, want %08b", cell, face, got, want)
			}
		}
	}
}

// A contact closes under either side of a disc, at its crossing.
func TestContacts(t *testing.T) {
	t.Parallel()
	w := sim.Wired(sim.Reed)
	w.Crossings[44], w.Crossings[7] = w.Crossings[7], w.Crossings[44] // e6 and h1 are swapped
	b := sim.New(sim.Options{Wiring: w, Bounce: true})
	for _, c := range []struct{ cell, row, column int }{{0, 0, 0}, {44, 0, 7}, {7, 5, 4}, {63, 7, 7}} {
		for _, face := range []sim.Face{sim.NorthUp, sim.SouthUp} {
			discOn(b, c.cell, face)
			for row := range 8 {
				if err := b.Matrix().Rows().Out(^(uint64(1) << row), 0xFF); err != nil {
					t.Fatal(err)
				}
				got, err := b.Matrix().Columns().Read(0xFF)
				if err != nil {
					t.Fatal(err)
				}
				want := uint64(0xFF)
				if row == c.row {
					want &^= 1 << c.column
				}
				if got != want {
					t.Errorf("cell %d, %v, row %d low: columns %08b, want %08b", c.cell, face, row, got, want)
				}
			}
		}
	}
}

// The voltage at a converter is that of the cell on the selected channel: 1.65 V
// less 7.5 mV for every mT of a north pole, 125 uV a count (hardware.md 3.3). The
// default magnet makes 19.9 mT, so about 1194 counts from 13200.
func TestVoltages(t *testing.T) {
	t.Parallel()
	for _, adcs := range [][]uint16{{0x48}, {0x48, 0x49, 0x4A, 0x4B}} {
		w := sim.Wired(sim.HallAnalog)
		w.ADCs = adcs
		for c := range w.Taps {
			if len(adcs) > 1 {
				w.Taps[c].ADC, w.Taps[c].Input = w.Taps[c].Input, 0
			}
		}
		b := sim.New(sim.Options{Wiring: w, Spread: -1, Misplace: -1})
		bus := b.I2C()
		now := time.Second
		read := func(cell int) int {
			t.Helper()
			at := w.Taps[cell]
			if err := b.Select().Select(at.Channel); err != nil {
				t.Fatal(err)
			}
			now += time.Millisecond
			b.Advance(now)
			config := uint16(0xC3E3 + at.Input*0x1000)
			if err := bus.Tx(adcs[at.ADC], []byte{1, byte(config >> 8), byte(config)}, nil); err != nil {
				t.Fatal(err)
			}
			now += 2 * time.Millisecond
			b.Advance(now)
			got := make([]byte, 2)
			if err := bus.Tx(adcs[at.ADC], []byte{0}, got); err != nil {
				t.Fatal(err)
			}
			return int(got[0])<<8 | int(got[1])
		}
		for _, cell := range []int{0, 7, 8, 44, 63} {
			for face, want := range map[sim.Face]int{sim.NoDisc: 13200, sim.NorthUp: 13200 - 1194, sim.SouthUp: 13200 + 1194} {
				var faces [64]sim.Face
				faces[cell] = face
				b.Set(faces)
				if got := read(cell); math.Abs(float64(got-want)) > 5 {
					t.Errorf("%d converters, cell %d, %v: %d counts, want %d", len(adcs), cell, face, got, want)
				}
				if got := read(cell ^ 2); math.Abs(float64(got-13200)) > 20 {
					t.Errorf("%d converters, beside cell %d, %v: %d counts, want about 13200", len(adcs), cell, face, got)
				}
			}
		}
		if err := b.FailCell(44, sim.CellFault{Kind: sim.Reversed}); err != nil {
			t.Fatal(err)
		}
		var faces [64]sim.Face
		faces[44] = sim.NorthUp
		b.Set(faces)
		if got := read(44); got < 14000 {
			t.Errorf("a reversed sensor under a north pole: %d counts, want more than 14000", got)
		}
		if err := b.FailBank(len(adcs), sim.BankNack); err == nil {
			t.Error("a converter that is not there failed")
		}
		if err := b.FailBank(0, sim.BankNack); err != nil {
			t.Fatal(err)
		}
		if err := bus.Tx(adcs[0], []byte{0}, make([]byte, 2)); err == nil {
			t.Error("a converter that is off the bus answers")
		}
	}
}
