package sim

import "reversi-board/hardware/emu"

// Kind says how the cells are sensed.
type Kind uint8

const (
	// HallDigital is a sensor with two outputs a cell behind port expanders.
	HallDigital Kind = iota
	// Reed is a contact a cell in a matrix with diodes.
	Reed
	// HallAnalog is a linear sensor a cell behind multiplexers and converters.
	HallAnalog
)

// ChipKind is a kind of port expander.
type ChipKind uint8

const (
	// TCA9555 has 16 inputs.
	TCA9555 ChipKind = iota
	// PCA9555 is a TCA9555 whose interrupt has an erratum.
	PCA9555
	// MCP23017 has 14 inputs and two outputs, GPA7 and GPB7.
	MCP23017
)

// Chip is a port expander: on bus 0 or 1, at a 7-bit address.
type Chip struct {
	Kind ChipKind
	Bus  int
	Addr uint16
}

// Outputs is where the outputs of a cell's digital sensor end: a number in
// Wiring.Chips and two pins, 0 to 7 for port 0 or A, 8 to 15 for port 1 or B.
type Outputs struct {
	Chip, North, South int
}

// Crossing is where a cell's contact is, 0 to 7 each.
type Crossing struct {
	Row, Column int
}

// Tap is where the voltage of a cell's linear sensor is: a number in
// Wiring.ADCs, an input (0 to 3) of that converter, and a channel (0 to 15) of
// the multiplexer before it.
type Tap struct {
	ADC, Input, Channel int
}

// LightKind is a kind of LEDs.
type LightKind uint8

const (
	// APA102 is a strip of RGB LEDs on SPI.
	APA102 LightKind = iota
	// WS2812 is a strip of RGB LEDs with one wire, on SPI's data line.
	WS2812
	// HT16K33 is a red and green 8x8 module on bus 0.
	HT16K33
	// MAX7219 is a red 8x8 module on SPI.
	MAX7219
	// Dark is a board without LEDs.
	Dark
)

// Wiring is how a board has been soldered. Take one from Wired and change it.
type Wiring struct {
	Kind Kind
	// Chips and Outputs are read for HallDigital.
	Chips   []Chip
	Outputs [cells]Outputs
	// Crossings is read for Reed.
	Crossings [cells]Crossing
	// ADCs are addresses on bus 0; they and Taps are read for HallAnalog.
	ADCs []uint16
	Taps [cells]Tap
	// Lights are the LEDs, at LightAddr for a HT16K33. LED[c] is the number of
	// the LED at cell c: along the strip, or 8 times the row plus the column.
	Lights    LightKind
	LightAddr uint16
	LED       [cells]int
	// OLED is the address of a SSD1306 on bus 0, 0 when there is none; SH1106
	// says that it is that chip instead.
	OLED   uint16
	SH1106 bool
}

// Wired returns the reference wiring of a kind of board (package hall128, reed64
// and hallanalog describe it from the other side): rank r+1 on the TCA9555 at
// 0x20+r with the north outputs on port 0 and the south ones on port 1; rank on
// row and file on column; multiplexer k with ranks 2k+1 and 2k+2 on input k of
// one ADS1115 at 0x48. APA102 from a1 to h8, no OLED.
func Wired(k Kind) *Wiring {
	w := &Wiring{Kind: k, ADCs: []uint16{0x48}, LightAddr: 0x70}
	for r := range rows {
		w.Chips = append(w.Chips, Chip{Addr: uint16(firstAddress + r)})
	}
	for c := range cells {
		w.Outputs[c] = Outputs{Chip: c / rows, North: c % rows, South: 8 + c%rows}
		w.Crossings[c] = Crossing{Row: c / rows, Column: c % rows}
		w.Taps[c] = Tap{Input: c / 16, Channel: c % 16}
		w.LED[c] = c
	}
	return w
}

// buses is the number of I²C buses a board can have.
const buses = 2

// sensors are what turns magnets into something on wires.
type sensors interface {
	// drive puts the outputs of the cells on the wires.
	drive(north, south uint64)
	// low tells whether the interrupt line is pulled.
	low() bool
	// fail and heal act on one chip or bank; ok is false if there is no such one.
	fail(bank int, how BankFault) (ok bool)
	heal(bank int) (ok bool)
}

// expanders are the chips of a HallDigital board.
type expanders struct {
	wiring *Wiring
	buses  *[buses]*emu.Bus
	chips  []expander
	// absent and frozen have a bit for each chip.
	absent, frozen uint16
	levels         []uint16 // on each chip's pins
	north, south   uint64
	driven         bool
}

// expander is the side of a chip that looks at the board.
type expander interface {
	emu.Device
	SetPins(levels, undriven uint16)
	PowerCycle()
}

func newExpanders(w *Wiring, on *[buses]*emu.Bus) *expanders {
	e := &expanders{wiring: w, buses: on, levels: make([]uint16, len(w.Chips))}
	for _, c := range w.Chips {
		var x expander
		if c.Kind == MCP23017 {
			x = emu.NewMCP23017(c.Addr)
		} else {
			x = emu.NewTCA9555(c.Addr, emu.TCAOptions{PCA9555: c.Kind == PCA9555})
		}
		on[c.Bus].Attach(x)
		e.chips = append(e.chips, x)
		x.SetPins(0xFFFF, 0)
	}
	return e
}

func (e *expanders) drive(north, south uint64) {
	if e.driven && north == e.north && south == e.south {
		return
	}
	e.north, e.south, e.driven = north, south, true
	var active [16]uint16
	for c, o := range &e.wiring.Outputs {
		active[o.Chip] |= uint16(north>>c&1)<<o.North | uint16(south>>c&1)<<o.South
	}
	for i, x := range e.chips {
		// Active outputs are low.
		if levels := ^active[i]; e.frozen&(1<<i) == 0 && levels != e.levels[i] {
			e.levels[i] = levels
			x.SetPins(levels, 0)
		}
	}
}

func (e *expanders) low() bool {
	for i, x := range e.chips {
		if e.absent&(1<<i) != 0 {
			continue
		}
		switch x := x.(type) {
		case *emu.TCA9555:
			if !bool(x.INT()) {
				return true
			}
		case *emu.MCP23017:
			if !bool(x.INTA()) {
				return true
			}
		}
	}
	return false
}

func (e *expanders) fail(bank int, how BankFault) bool {
	if bank < 0 || bank >= len(e.chips) {
		return false
	}
	bit := uint16(1) << bank
	switch how {
	case BankNack:
		e.absent |= bit
		e.bus(bank).Detach(e.chips[bank].Address())
	case BankReset:
		e.chips[bank].PowerCycle()
	case BankFrozen:
		e.frozen |= bit
	}
	return true
}

func (e *expanders) heal(bank int) bool {
	if bank < 0 || bank >= len(e.chips) {
		return false
	}
	bit := uint16(1) << bank
	if e.absent&bit != 0 {
		e.bus(bank).Attach(e.chips[bank])
	}
	e.absent &^= bit
	e.frozen &^= bit
	e.driven = false
	return true
}

func (e *expanders) bus(bank int) *emu.Bus { return e.buses[e.wiring.Chips[bank].Bus] }

// contacts are the matrix of a Reed board.
type contacts struct {
	wiring *Wiring
	matrix *emu.ReedMatrix
}

// drive closes the contacts; which pole it is makes no difference to a reed.
func (r *contacts) drive(north, south uint64) {
	var closed uint64
	for c, at := range &r.wiring.Crossings {
		closed |= (north | south) >> c & 1 << (8*at.Row + at.Column)
	}
	r.matrix.SetDiscs(closed)
}

func (r *contacts) low() bool { return false }

// fail breaks the wire of a row; whatever the fault, a matrix has no chips.
func (r *contacts) fail(bank int, _ BankFault) bool {
	if bank < 0 || bank >= rows {
		return false
	}
	r.matrix.BreakRows(1 << bank)
	return true
}

func (r *contacts) heal(bank int) bool {
	if bank < 0 || bank >= rows {
		return false
	}
	r.matrix.BreakRows(0)
	return true
}
