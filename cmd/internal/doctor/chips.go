package doctor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/configs"
	"reversi-board/engine"
)

// actualChip finds out what a chip is by how it behaves, with reads only:
//
//	TCA9555, PCA9555  the pointer stays in its pair: every other byte is the same
//	MCP23017          the pointer goes on: IOCON is there twice, at 0Ah and 0Bh
//	ADS1115           registers of two bytes, the configuration at 01h
//
// It is empty for something else. PCA9555 and TCA9555 are the same in this, so
// that of the settings is believed.
func (d *doctor) actualChip(ctx context.Context, e chipWanted) string {
	chip := ""
	for range recognizeTries { // Inputs may change while they are read, and wires may be bad.
		err := d.on(ctx, e.bus, func(tx i2c.Bus) error {
			var err error
			if e.chip == ads1115 {
				chip, err = recognizeConverter(tx, e.addr)
			} else {
				chip, err = recognizeExpander(tx, e.addr)
			}
			return err
		})
		if err == nil && chip != "" {
			break
		}
	}
	if chip == configs.TCA9555 && e.chip == configs.PCA9555 {
		return configs.PCA9555
	}
	return chip
}

// recognizeTries is how often a chip is looked at before it is called something
// else.
const recognizeTries = 8

// recognizeExpander reads 12 bytes from 00h on. An MCP23017's inputs are behind
// them: those must not be read before its pins 7 are outputs (package mcp23017).
func recognizeExpander(tx i2c.Bus, addr uint16) (string, error) {
	var r [12]byte
	if err := tx.Tx(addr, []byte{0x00}, r[:]); err != nil {
		return "", err
	}
	pairs := true
	for i := 2; i < len(r); i++ {
		pairs = pairs && r[i] == r[i%2]
	}
	switch {
	case pairs:
		return configs.TCA9555, nil
	case r[0x0A] == r[0x0B] && r[0x0A]&0x81 == 0: // IOCON without BANK; bit 0 reads 0.
		return configs.MCP23017, nil
	}
	return "", nil
}

// recognizeConverter reads what no other chip at these addresses has: thresholds
// that are the same when they are read again, and other than the configuration.
func recognizeConverter(tx i2c.Bus, addr uint16) (string, error) {
	var r [3][2]byte
	for i := range r {
		if err := tx.Tx(addr, []byte{byte(i + 1)}, r[i][:]); err != nil {
			return "", err
		}
	}
	if r[0] == r[1] || r[1] == r[2] {
		return "", nil
	}
	return ads1115, nil
}

// checkChips looks whether the chips that read the cells are what the settings
// say, and whether they keep what is written to them.
func checkChips(ctx context.Context, d *doctor, c *Check) {
	if d.h.Kind == configs.Reed64 {
		c.skip("The contacts of this board are read without chips.")
		return
	}
	var there, wrong []chipWanted
	actual, good := "", 0
	for _, e := range d.expected() {
		if !e.cells || !d.buses[e.bus].has(e.addr) {
			continue
		}
		there = append(there, e)
		if chip := d.actualChip(ctx, e); chip != e.chip {
			wrong = append(wrong, e)
			actual = chip
			continue
		}
		if d.memory(ctx, e, c) {
			good++
		}
	}
	if len(there) == 0 {
		c.skip("None of the chips answers.")
		return
	}
	if good == 1 {
		c.foundf("1 chip behaves as it should.")
	} else {
		c.foundf("%d chips behave as they should.", good)
	}
	if d.h.Expanders.Chip != configs.MCP23017 && d.h.Kind == configs.Hall128 {
		c.Found += " Nothing but its interrupt tells a TCA9555 from a PCA9555: read what is printed on it."
	}
	d.wrongChips(wrong, len(there), actual, c)
	d.openPins(ctx, there, wrong, c)
}

// wrongChips reports chips of another kind: all of them as one mistake.
func (d *doctor) wrongChips(wrong []chipWanted, there int, actual string, c *Check) {
	if len(wrong) == 0 {
		return
	}
	if len(wrong) == there && there > 1 && actual != "" && d.h.Kind == configs.Hall128 {
		c.blame(Problem{
			Part: "board", Where: "hardware.expanders.chip", Cause: "wrong_kind",
			Found: fmt.Sprintf("The expanders behave as %s, the settings say %s.", chipText(actual), chipText(d.h.Expanders.Chip)),
			Next:  "Set hardware.expanders.chip to " + actual + ", and look at the wiring of the squares: it differs.",
		})
		return
	}
	for _, e := range wrong {
		place := placeName(d.h, e.bus, e.addr)
		c.blame(Problem{
			Part: "chip", Where: place, Cause: "wrong_kind",
			Found: fmt.Sprintf("The chip at %s does not behave as a %s.", place, chipText(e.chip)),
			Next:  "Look at what is printed on it, and at its supply.",
		})
	}
}

// probeRegister is a pair of registers that can hold anything without any effect
// on the board, and the one that follows it or, where the pointer stays in its
// pair, itself.
//
//	TCA9555   output, without effect while all pins are inputs
//	MCP23017  DEFVAL, without effect while INTCON is 0
//	ADS1115   Lo_thresh, without effect while the comparator's pin is not connected
func probeRegister(chip string) byte {
	switch chip {
	case configs.MCP23017:
		return 0x06
	default:
		return 0x02
	}
}

// patterns is how many values are tried; a wire that is bad now and then shows.
const patterns = 128

// memory writes patterns and reads them back, and reports whether they were the
// same. What was there before is put back in the end, with all other registers.
func (d *doctor) memory(ctx context.Context, e chipWanted, c *Check) (good bool) {
	if !d.harmless(e) {
		return true
	}
	reg, bad := probeRegister(e.chip), 0
	var first error
	for i := range patterns {
		v := [2]byte{byte(37*i + 0x5A), byte(^(37 * i))}
		err := d.on(ctx, e.bus, func(tx i2c.Bus) error {
			if err := tx.Tx(e.addr, []byte{reg, v[0], v[1]}, nil); err != nil {
				return err
			}
			var r [2]byte
			if err := tx.Tx(e.addr, []byte{reg}, r[:]); err != nil {
				return err
			}
			if !bytes.Equal(r[:], v[:]) {
				bad++
			}
			return nil
		})
		if err != nil {
			bad++
			first = err
		}
	}
	if bad == 0 {
		return true
	}
	place := placeName(d.h, e.bus, e.addr)
	p := Problem{
		Part: "chip", Where: place, Cause: "unstable",
		Found: fmt.Sprintf("%d of %d values did not come back from the %s at %s as they were sent.", bad, patterns, chipText(e.chip), place),
		Next:  "Make the wires shorter or the bus slower, use pull-ups of 1.8k to 2.2k, and put 100 nF at the chip.",
	}
	if first != nil {
		p.Found = strings.TrimSuffix(p.Found, ".") + ": " + brief(first) + "."
	}
	c.blame(p)
	return false
}

// harmless reports whether patterns can be written to a chip without effect: its
// registers were kept, and no pin drives anything.
func (d *doctor) harmless(e chipWanted) bool {
	i := slices.IndexFunc(d.saved, func(s saved) bool { return s.bus == e.bus && s.addr == e.addr })
	if i < 0 {
		return false
	}
	s := &d.saved[i]
	switch e.chip {
	case configs.MCP23017:
		return s.bytes[1][0x08] == 0 && s.bytes[1][0x09] == 0 // INTCON.
	case ads1115:
		return true
	default:
		return s.bytes[2][0] == 0xFF && s.bytes[2][1] == 0xFF // Configuration: all inputs.
	}
}

// openPins finds pins of MCP23017 that are connected to nothing: they read low
// when the chip's own pull-up is taken away, which a sensor's output, idle and
// high, does not. Other chips have pull-ups that cannot be switched.
func (d *doctor) openPins(ctx context.Context, there, wrong []chipWanted, c *Check) {
	if d.h.Expanders.Chip != configs.MCP23017 || d.h.Kind != configs.Hall128 {
		return
	}
	for _, e := range there {
		if slices.Contains(wrong, e) {
			continue
		}
		open, err := d.floating(ctx, e)
		if err != nil {
			continue
		}
		for s := range d.cellsOf(e).All() {
			w := d.h.Cells[s]
			north, south := open>>w.NorthPin&1 == 1, open>>w.SouthPin&1 == 1
			if !north && !south {
				continue
			}
			d.openOutputs(s, north, south, c)
		}
	}
}

// openOutputs reports outputs of a cell that do not reach their pins.
func (d *doctor) openOutputs(s engine.Square, north, south bool, c *Check) {
	var pins []string
	if north {
		pins = append(pins, pinOf(d.h, s, northOutput))
	}
	if south {
		pins = append(pins, pinOf(d.h, s, southOutput))
	}
	c.blame(Problem{
		Part: "cell", Where: s.String(), Cause: "open",
		Found: fmt.Sprintf("%s: nothing is connected to %s.", s, list(pins)),
		Next:  "Look at the joints and the wire between the sensor of " + s.String() + " and its chip.",
	})
	black, white := d.faceOf(northOutput), d.faceOf(southOutput)
	if north {
		d.mark(s, black, Open)
	}
	if south {
		d.mark(s, white, Open)
	}
}

// The registers of an MCP23017 that are needed here (DS20001952C, table 3-5).
const (
	mcpIODIR = 0x00
	mcpGPPU  = 0x0C
	mcpGPIO  = 0x12
	// mcpInputs are the pins that may be inputs.
	mcpInputs = 0x7F7F
)

// settle makes outputs of an MCP23017's pins 7, which must not be read as inputs.
// They are connected to nothing.
func settle(tx i2c.Bus, addr uint16) error {
	return tx.Tx(addr, []byte{mcpIODIR, mcpInputs & 0xFF, mcpInputs >> 8}, nil)
}

// floating returns the pins that read high with the pull-ups on and low without.
func (d *doctor) floating(ctx context.Context, e chipWanted) (pins uint16, err error) {
	read := func(tx i2c.Bus, pull uint16) (uint16, error) {
		if err := tx.Tx(e.addr, []byte{mcpGPPU, byte(pull), byte(pull >> 8)}, nil); err != nil {
			return 0, err
		}
		var r [2]byte
		err := tx.Tx(e.addr, []byte{mcpGPIO}, r[:])
		return uint16(r[0]) | uint16(r[1])<<8, err
	}
	err = d.on(ctx, e.bus, func(tx i2c.Bus) error {
		if err := settle(tx, e.addr); err != nil {
			return err
		}
		without, err := read(tx, 0)
		if err != nil {
			return err
		}
		with, err := read(tx, mcpInputs)
		pins = with &^ without & mcpInputs
		return err
	})
	return pins, err
}
