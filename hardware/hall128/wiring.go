package hall128

import (
	"errors"
	"fmt"

	"reversi-board/hardware/mcp23017"
	"reversi-board/hardware/tca9555"
)

const (
	// MaxChips is the most expanders a board can have: eight addresses on each
	// of two buses.
	MaxChips = 16
	// MaxBuses is the most buses.
	MaxBuses = 2
	// Cells is the number of cells.
	Cells = 64
	// pins is the number of pins of an expander.
	pins = 16
)

// Kind is a kind of expander.
type Kind uint8

const (
	// TCA9555 has 16 inputs.
	TCA9555 Kind = iota
	// PCA9555 has 16 inputs and an interrupt erratum, which is avoided at 20
	// clocks a chip and scan.
	PCA9555
	// MCP23017 has 14 inputs: its pins 7 and 15 are outputs only.
	MCP23017

	kinds = int(MCP23017) + 1
)

// String returns the chip's name.
func (k Kind) String() string {
	switch k {
	case TCA9555:
		return "TCA9555"
	case PCA9555:
		return "PCA9555"
	case MCP23017:
		return "MCP23017"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// pin returns the name that the chip's data sheet gives to a pin.
func (k Kind) pin(n int) string {
	if k == MCP23017 {
		return fmt.Sprintf("GP%c%d", 'A'+n/8, n%8)
	}
	return fmt.Sprintf("P%d.%d", n/8, n%8)
}

// inputs has a bit for each pin that can be an input.
func (k Kind) inputs() uint16 {
	if k == MCP23017 {
		return mcp23017.Inputs
	}
	return 0xFFFF
}

// Chip is one expander.
type Chip struct {
	Kind Kind
	// Bus is an index of the buses given to New.
	Bus int
	// Addr is the chip's 7-bit address, 0x20 to 0x27, different from all others
	// on its bus.
	Addr uint16
}

// Cell says where the two outputs of one cell's sensor are connected. Pins
// count from 0 (P0.0, GPA0) over 7 and 8 (P1.0, GPB0) to 15 (P1.7, GPB7).
type Cell struct {
	// Chip is an index of Config.Chips.
	Chip int
	// NorthPin carries the output for a north pole at the sensor, SouthPin the
	// one for a south pole; both are active low.
	NorthPin, SouthPin int
}

// Config is the board's wiring: any cell may be on any two pins of any chip.
type Config struct {
	Chips []Chip
	// Cells is the wiring of cell 8*rank + file, rank 1 on top.
	Cells [Cells]Cell
}

// Reference returns the wiring of a reference board.
//
// With TCA9555 or PCA9555, all on one bus: rank r (0 to 7) on the chip at 20h +
// r, north of file c on P0.c, south on P1.c.
//
// With MCP23017, five on each of two buses from 20h on: seven cells in the
// order of their numbers on every chip but the last, which has h8 alone; north
// of a chip's cell n on GPAn, south on GPBn.
func Reference(k Kind) Config {
	chips, perChip, perBus := 8, 8, 8
	if k == MCP23017 {
		chips, perChip, perBus = 10, 7, 5
	}
	var c Config
	for i := range chips {
		c.Chips = append(c.Chips, Chip{Kind: k, Bus: i / perBus, Addr: uint16(0x20 + i%perBus)})
	}
	for i := range c.Cells {
		c.Cells[i] = Cell{Chip: i / perChip, NorthPin: i % perChip, SouthPin: 8 + i%perChip}
	}
	return c
}

// Buses returns how many buses the wiring needs.
func (c *Config) Buses() int {
	n := 1
	for _, chip := range c.Chips {
		n = max(n, chip.Bus+1)
	}
	return n
}

// Validate reports the first mistake in the wiring: a bad or doubled address,
// a chip, bus or pin that does not exist, a pin that cannot be an input, or one
// that two sensor outputs share.
func (c *Config) Validate() error {
	if err := c.validateChips(); err != nil {
		return err
	}
	users := make([][pins]string, len(c.Chips))
	for i, cell := range c.Cells {
		if cell.Chip < 0 || cell.Chip >= len(c.Chips) {
			return fmt.Errorf("wiring of cell %s: chip %d does not exist, use 0 to %d", name(i), cell.Chip, len(c.Chips)-1)
		}
		chip := c.Chips[cell.Chip]
		for _, out := range [...]struct {
			pole string
			pin  int
		}{{"north", cell.NorthPin}, {"south", cell.SouthPin}} {
			if err := chip.Kind.check(out.pin); err != nil {
				return fmt.Errorf("wiring of cell %s: %s pin %d of chip %d %w", name(i), out.pole, out.pin, cell.Chip, err)
			}
			user := &users[cell.Chip][out.pin]
			if *user != "" {
				return fmt.Errorf("wiring: %s and %s of cell %s are both on pin %s of chip %d (%s at 0x%02X), "+
					"give each sensor output a pin of its own",
					*user, out.pole, name(i), chip.Kind.pin(out.pin), cell.Chip, chip.Kind, chip.Addr)
			}
			*user = out.pole + " of cell " + name(i)
		}
	}
	return nil
}

// check says what is wrong with an input on a pin; the text goes on after the
// pin's number.
func (k Kind) check(pin int) error {
	switch {
	case pin < 0 || pin >= pins:
		return fmt.Errorf("does not exist, use 0 (%s) to 15 (%s)", k.pin(0), k.pin(pins-1))
	case k.inputs()>>pin&1 == 0:
		return fmt.Errorf("(%s) cannot be an input: a level that changes on GPA7 or GPB7 of an MCP23017 while it is "+
			"read disturbs the bus, so the chip's makers allow them as outputs only; use 0 to 6 (GPA0 to GPA6) or "+
			"8 to 14 (GPB0 to GPB6)", k.pin(pin))
	}
	return nil
}

func (c *Config) validateChips() error {
	if len(c.Chips) == 0 {
		return errors.New("wiring: there are no chips, name at least one")
	}
	if len(c.Chips) > MaxChips {
		return fmt.Errorf("wiring: %d chips are more than the %d that two buses have addresses for", len(c.Chips), MaxChips)
	}
	for i, chip := range c.Chips {
		if int(chip.Kind) >= kinds {
			return fmt.Errorf("wiring of chip %d: there is no kind %d, use TCA9555, PCA9555 or MCP23017", i, chip.Kind)
		}
		if chip.Bus < 0 || chip.Bus >= MaxBuses {
			return fmt.Errorf("wiring of chip %d: bus %d does not exist, use 0 to %d", i, chip.Bus, MaxBuses-1)
		}
		if chip.Addr < tca9555.MinAddr || chip.Addr > tca9555.MaxAddr { // Those of an MCP23017 too.
			return fmt.Errorf("wiring of chip %d: address 0x%02X is none that the chips can have, use 0x%02X to 0x%02X",
				i, chip.Addr, tca9555.MinAddr, tca9555.MaxAddr)
		}
		for k, other := range c.Chips[:i] {
			if chip.Bus == other.Bus && chip.Addr == other.Addr {
				return fmt.Errorf("wiring: chips %d and %d both have address 0x%02X on bus %d, set their address pins differently",
					k, i, chip.Addr, chip.Bus)
			}
		}
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}
