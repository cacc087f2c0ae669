package hallanalog

import (
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware/ads1115"
)

const (
	// MaxADCs is how many converters fit on a bus.
	MaxADCs = ads1115.MaxAddr - ads1115.MinAddr + 1
	// Inputs is the number of inputs of a converter.
	Inputs = ads1115.Inputs
	// Channels is the number of channels of a multiplexer.
	Channels = 16
	// Cells is the number of cells.
	Cells = 64
	// MinSettle is how long a channel needs at least from its selection on. The
	// switch turns on in less than 1 µs (SCHS209D, switching characteristics);
	// its resistance, 200 ohms at 3.3 V, loads 10 nF at the converter's input to
	// a 16th bit in 25 µs.
	MinSettle = 50 * time.Microsecond
)

// Cell says where the voltage of one cell's sensor is.
type Cell struct {
	// ADC is an index of Config.Addrs.
	ADC int
	// AIN is the converter's input, 0 to 3, that the cell's multiplexer feeds.
	AIN int
	// Channel is the multiplexer's channel, 0 to 15.
	Channel int
}

// Config is the board's wiring.
type Config struct {
	// Addrs are the 7-bit addresses of the converters, one to four, all
	// different.
	Addrs []uint16
	// Cells is the wiring of cell 8*rank + file, rank 1 on top.
	Cells [Cells]Cell
	// Settle is how long to wait after a channel was selected, at least
	// MinSettle; 0 means MinSettle.
	Settle time.Duration
	// Sleep waits, for times of microseconds; nil means time.Sleep.
	Sleep func(d time.Duration)
}

// Single returns the wiring of the reference board with one converter at 48h:
// multiplexer k carries ranks 2k and 2k+1 (counted from 0) on channels 0 to 7
// and 8 to 15, by file, and feeds AIN k.
func Single() Config {
	c := Config{Addrs: []uint16{ads1115.MinAddr}}
	for i := range c.Cells {
		mux, channel := tap(i)
		c.Cells[i] = Cell{AIN: mux, Channel: channel}
	}
	return c
}

// Quad returns the wiring of the reference board with four converters at 48h to
// 4Bh: multiplexer k carries the same cells as in Single and feeds AIN0 of
// converter k.
func Quad() Config {
	c := Config{Addrs: []uint16{ads1115.MinAddr, ads1115.MinAddr + 1, ads1115.MinAddr + 2, ads1115.MinAddr + 3}}
	for i := range c.Cells {
		mux, channel := tap(i)
		c.Cells[i] = Cell{ADC: mux, Channel: channel}
	}
	return c
}

// tap returns the multiplexer of the reference boards that carries a cell, and
// its channel there.
func tap(cell int) (mux, channel int) {
	rank, file := cell/8, cell%8
	return rank / 2, rank%2*8 + file
}

// Validate reports the first mistake in the wiring: a bad or doubled address, a
// converter without cells, a place that does not exist or that two cells share,
// or too short a wait.
func (c *Config) Validate() error {
	if err := c.validateAddrs(); err != nil {
		return err
	}
	if c.Settle != 0 && c.Settle < MinSettle {
		return fmt.Errorf("wiring: %v are too short for a channel to settle, use %v or more", c.Settle, MinSettle)
	}
	var users [MaxADCs][Inputs][Channels]string
	var used [MaxADCs]bool
	for i, cell := range c.Cells {
		if err := c.validateCell(cell); err != nil {
			return fmt.Errorf("wiring of cell %s: %w", name(i), err)
		}
		user := &users[cell.ADC][cell.AIN][cell.Channel]
		if *user != "" {
			return fmt.Errorf("wiring: cells %s and %s are both on channel %d of AIN%d of converter %d (address 0x%02X), "+
				"give each cell a place of its own", *user, name(i), cell.Channel, cell.AIN, cell.ADC, c.Addrs[cell.ADC])
		}
		*user = name(i)
		used[cell.ADC] = true
	}
	for i, a := range c.Addrs {
		if !used[i] {
			return fmt.Errorf("wiring: no cell is on converter %d (address 0x%02X), leave out its address", i, a)
		}
	}
	return nil
}

func (c *Config) validateAddrs() error {
	if len(c.Addrs) < 1 || len(c.Addrs) > MaxADCs {
		return fmt.Errorf("wiring: there are %d converters, use 1 to %d", len(c.Addrs), MaxADCs)
	}
	for i, a := range c.Addrs {
		if a < ads1115.MinAddr || a > ads1115.MaxAddr {
			return fmt.Errorf("wiring of converter %d: address 0x%02X is none of an ADS1115, use 0x%02X to 0x%02X",
				i, a, ads1115.MinAddr, ads1115.MaxAddr)
		}
		for k, other := range c.Addrs[:i] {
			if a == other {
				return fmt.Errorf("wiring: converters %d and %d both have address 0x%02X, connect their ADDR pins differently", k, i, a)
			}
		}
	}
	return nil
}

func (c *Config) validateCell(cell Cell) error {
	switch {
	case cell.ADC < 0 || cell.ADC >= len(c.Addrs):
		return fmt.Errorf("converter %d does not exist, use 0 to %d", cell.ADC, len(c.Addrs)-1)
	case cell.AIN < 0 || cell.AIN >= Inputs:
		return fmt.Errorf("AIN%d does not exist, use 0 to %d", cell.AIN, Inputs-1)
	case cell.Channel < 0 || cell.Channel >= Channels:
		return fmt.Errorf("channel %d does not exist, use 0 to %d", cell.Channel, Channels-1)
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}

// Selector switches all multiplexers to a channel, 0 to 15. It returns when the
// lines are driven; the board waits for the voltages.
type Selector interface {
	Select(channel int) error
}

// Line is one of the select lines.
type Line interface {
	Set(l gpio.Level) error
}

// Lines is a Selector made of four pins, S0 to S3 of all multiplexers.
type Lines [4]Line

// errLine is returned for a Lines that is not complete.
var errLine = errors.New("there is no pin for it, name all four")

// Select drives all four lines, whatever they were: a level that was disturbed
// is put right by the next scan. They change one after the other, so other
// channels are connected for some microseconds, which the board's wait covers.
func (l *Lines) Select(channel int) error {
	for i, line := range l {
		var err error
		if line == nil {
			err = errLine
		} else {
			err = line.Set(channel>>i&1 != 0)
		}
		if err != nil {
			return fmt.Errorf("drive S%d: %w", i, err)
		}
	}
	return nil
}

var _ Selector = (*Lines)(nil)
