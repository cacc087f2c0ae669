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
			var want [8]uint64
			want[c.row] = 1 << c.column
			if got := closedContacts(t, b); got != want {
				t.Errorf("cell %d, %v: closed are %08b, want %08b", c.cell, face, got, want)
			}
		}
	}
}

// closedContacts reads the matrix: a mask of columns for each row.
func closedContacts(t *testing.T, b *sim.Board) (closed [8]uint64) {
	t.Helper()
	for row := range closed {
		if err := b.Matrix().Rows().Out(^(uint64(1) << row), 0xFF); err != nil {
			t.Fatal(err)
		}
		got, err := b.Matrix().Columns().Read(0xFF)
		if err != nil {
			t.Fatal(err)
		}
		closed[row] = 0xFF &^ got
	}
	return closed
}

// meter measures cells by hand: it selects a channel, starts a conversion and
// reads it 2 ms later.
type meter struct {
	t   *testing.T
	b   *sim.Board
	w   *sim.Wiring
	now time.Duration
}

func (m *meter) pass(d time.Duration) {
	m.now += d
	m.b.Advance(m.now)
}

func (m *meter) read(cell int) int {
	m.t.Helper()
	at := m.w.Taps[cell]
	if err := m.b.Select().Select(at.Channel); err != nil {
		m.t.Fatal(err)
	}
	m.pass(time.Millisecond)
	// Single shot of AINk against ground, 4.096 V, 860 SPS (hardware.md 4).
	config := uint16(0xC3E3 + at.Input*0x1000)
	if err := m.b.I2C().Tx(m.w.ADCs[at.ADC], []byte{1, byte(config >> 8), byte(config)}, nil); err != nil {
		m.t.Fatal(err)
	}
	m.pass(2 * time.Millisecond)
	got := make([]byte, 2)
	if err := m.b.I2C().Tx(m.w.ADCs[at.ADC], []byte{0}, got); err != nil {
		m.t.Fatal(err)
	}
	return int(got[0])<<8 | int(got[1])
}

// show lays one disc and wants its cell to measure so many counts, and the cell
// two files away to measure nothing.
func (m *meter) show(cell int, face sim.Face, want int) {
	m.t.Helper()
	var faces [64]sim.Face
	faces[cell] = face
	m.b.Set(faces)
	if got := m.read(cell); math.Abs(float64(got-want)) > 5 {
		m.t.Errorf("%d converters, cell %d, %v: %d counts, want %d", len(m.w.ADCs), cell, face, got, want)
	}
	if got := m.read(cell ^ 2); math.Abs(float64(got-13200)) > 20 {
		m.t.Errorf("%d converters, beside cell %d, %v: %d counts, want about 13200", len(m.w.ADCs), cell, face, got)
	}
}

// The voltage at a converter is that of the cell on the selected channel: 1.65 V
// less 7.5 mV for every mT of a north pole, 125 uV a count. The default magnet
// makes 19.9 mT, so about 1194 counts from 13200.
func TestVoltages(t *testing.T) {
	t.Parallel()
	for _, adcs := range [][]uint16{{0x48}, {0x48, 0x49, 0x4A, 0x4B}} {
		m := newMeter(t, adcs)
		for _, cell := range []int{0, 7, 8, 44, 63} {
			m.show(cell, sim.NoDisc, 13200)
			m.show(cell, sim.NorthUp, 13200-1194)
			m.show(cell, sim.SouthUp, 13200+1194)
		}
		if err := m.b.FailCell(44, sim.CellFault{Kind: sim.Reversed}); err != nil {
			t.Fatal(err)
		}
		m.show(44, sim.NorthUp, 13200+1194)
	}
}

func TestConvertersThatAreAway(t *testing.T) {
	t.Parallel()
	m := newMeter(t, []uint16{0x48})
	if err := m.b.FailBank(1, sim.BankNack); err == nil {
		t.Error("a converter that is not there failed")
	}
	if err := m.b.FailBank(0, sim.BankNack); err != nil {
		t.Fatal(err)
	}
	if err := m.b.I2C().Tx(0x48, []byte{0}, make([]byte, 2)); err == nil {
		t.Error("a converter that is off the bus answers")
	}
	if err := m.b.HealBank(0); err != nil {
		t.Fatal(err)
	}
	m.show(3, sim.NorthUp, 13200-1194)
}

func newMeter(t *testing.T, adcs []uint16) *meter {
	w := sim.Wired(sim.HallAnalog)
	w.ADCs = adcs
	for c := range w.Taps {
		if len(adcs) > 1 {
			w.Taps[c].ADC, w.Taps[c].Input = w.Taps[c].Input, 0
		}
	}
	return &meter{t: t, b: sim.New(sim.Options{Wiring: w, Spread: -1, Misplace: -1}), w: w, now: time.Second}
}
