package hall128

import (
	"fmt"

	"reversi-board/hardware/tca9555"
)

const (
	// Chips is the number of expanders.
	Chips = 8
	// Cells is the number of cells.
	Cells = 64
	// pins is the number of pins of an expander.
	pins = 16
)

// Cell says where the two outputs of one cell's sensor are connected. Pins
// count from 0 (P0.0) over 7 (P0.7) and 8 (P1.0) to 15 (P1.7).
type Cell struct {
	// Chip is an index of Config.Addrs.
	Chip int
	// NorthPin carries the output for a north pole at the sensor, SouthPin the
	// one for a south pole; both are active low.
	NorthPin, SouthPin int
}

// Config is the board's wiring.
type Config struct {
	// Addrs are the expanders' 7-bit addresses, all different.
	Addrs [Chips]uint16
	// Cells is the wiring of cell 8*rank + file, rank 1 on top.
	Cells [Cells]Cell
	// Park avoids the interrupt erratum of the PCA9555 at 160 clocks a scan.
	// The TCA9555 does not need it.
	Park bool
}

// Reference returns the wiring of the reference board: rank r (0 to 7) on the
// chip at 20h + r, north of file c on P0.c, south on P1.c, parking on, since
// it does no harm to a TCA9555.
func Reference() Config {
	var c Config
	for i := range c.Addrs {
		c.Addrs[i] = tca9555.MinAddr + uint16(i)
	}
	for i := range c.Cells {
		c.Cells[i] = Cell{Chip: i / 8, NorthPin: i % 8, SouthPin: 8 + i%8}
	}
	c.Park = true
	return c
}

// Validate reports the first mistake in the wiring: a bad or doubled address,
// a chip or pin that does not exist, or a pin that two sensor outputs share.
func (c *Config) Validate() error {
	if err := c.validateAddrs(); err != nil {
		return err
	}
	var users [Chips][pins]string
	for i, cell := range c.Cells {
		if cell.Chip < 0 || cell.Chip >= Chips {
			return fmt.Errorf("wiring of cell %s: chip %d does not exist, use 0 to %d", name(i), cell.Chip, Chips-1)
		}
		for _, out := range [...]struct {
			pole string
			pin  int
		}{{"north", cell.NorthPin}, {"south", cell.SouthPin}} {
			if out.pin < 0 || out.pin >= pins {
				return fmt.Errorf("wiring of cell %s: %s pin %d does not exist, use 0 (P0.0) to %d (P1.7)",
					name(i), out.pole, out.pin, pins-1)
			}
			user := &users[cell.Chip][out.pin]
			if *user != "" {
				return fmt.Errorf("wiring: %s and %s of cell %s are both on pin P%d.%d of chip %d (address 0x%02X), "+
					"give each sensor output a pin of its own",
					*user, out.pole, name(i), out.pin/8, out.pin%8, cell.Chip, c.Addrs[cell.Chip])
			}
			*user = out.pole + " of cell " + name(i)
		}
	}
	return nil
}

func (c *Config) validateAddrs() error {
	for i, a := range c.Addrs {
		if a < tca9555.MinAddr || a > tca9555.MaxAddr {
			return fmt.Errorf("wiring of chip %d: address 0x%02X is none of a TCA9555, use 0x%02X to 0x%02X",
				i, a, tca9555.MinAddr, tca9555.MaxAddr)
		}
		for k, other := range c.Addrs[:i] {
			if a == other {
				return fmt.Errorf("wiring: chips %d and %d both have address 0x%02X, set their address pins differently", k, i, a)
			}
		}
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}
