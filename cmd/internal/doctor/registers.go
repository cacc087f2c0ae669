package doctor

import (
	"bytes"
	"context"
	"errors"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/configs"
)

// block is a run of registers that can be read and written as one: the number of
// the first, and how many bytes follow it.
type block struct {
	reg   byte
	bytes int
}

// writableBlocks are the registers of a chip, in the order in which they are put
// back: what pins drive comes before what makes them drive.
//
//	TCA9555   NXP PCA9555 rev. 8, table 4: output, polarity, configuration
//	MCP23017  DS20001952C, table 3-5: OLAT, then IODIR to GPPU
//	ADS1115   SBAS444E, section 8: Lo_thresh, Hi_thresh, config
func writableBlocks(chip string) []block {
	switch chip {
	case configs.MCP23017:
		return []block{{0x14, 2}, {0x00, 14}}
	case ads1115:
		return []block{{0x02, 2}, {0x03, 2}, {0x01, 2}}
	default:
		return []block{{0x02, 2}, {0x04, 2}, {0x06, 2}}
	}
}

// ads1115 is the only converter; it has no name in the settings.
const ads1115 = "ads1115"

// adsConfig and adsStart: in the configuration of an ADS1115 the highest bit reads
// 1 while nothing is converted, and starts a conversion when it is written
// (SBAS444E, section 8, config register).
const (
	adsConfig = 0x01
	adsStart  = 0x80
)

// saved are the registers of a chip as they were before anything was done to it.
type saved struct {
	bus    int
	addr   uint16
	chip   string
	blocks []block
	bytes  [][]byte
}

// keepRegisters reads the registers of all chips that will be written to.
func (d *doctor) keepRegisters(ctx context.Context) {
	for _, e := range d.expected() {
		if !e.cells || !d.buses[e.bus].has(e.addr) {
			continue
		}
		s := saved{bus: e.bus, addr: e.addr, chip: d.actualChip(ctx, e), blocks: writableBlocks(e.chip)}
		if s.chip == "" {
			continue // Nobody knows what it is, so nothing is written to it.
		}
		s.blocks = writableBlocks(s.chip)
		err := d.on(ctx, e.bus, func(tx i2c.Bus) error {
			for _, b := range s.blocks {
				r, err := readTwice(tx, e.addr, b)
				if err != nil {
					return err
				}
				s.bytes = append(s.bytes, r)
			}
			return nil
		})
		if err == nil {
			d.saved = append(d.saved, s)
		}
	}
}

// readTwice reads a block until two reads in a row agree: what is put back in the
// end must not be something that the wire made up.
func readTwice(tx i2c.Bus, addr uint16, b block) ([]byte, error) {
	var last []byte
	for range putBackTries {
		r := make([]byte, b.bytes)
		if err := tx.Tx(addr, []byte{b.reg}, r); err != nil {
			return nil, err
		}
		if bytes.Equal(r, last) {
			return r, nil
		}
		last = r
	}
	return nil, errKept
}

// errKept is returned when a register does not take its old value.
var errKept = errors.New("a register does not hold what was written to it")

// putBackTries is how often registers are put back on a bus that is disturbed.
const putBackTries = 5

// putBack writes the registers as they were and looks whether they are.
func (s *saved) putBack(ctx context.Context, d *doctor) (err error) {
	for range putBackTries {
		if err = s.write(ctx, d); err == nil {
			break
		}
	}
	return err
}

func (s *saved) write(ctx context.Context, d *doctor) error {
	return d.on(ctx, s.bus, func(tx i2c.Bus) error {
		for i, b := range s.blocks {
			w := append([]byte{b.reg}, s.bytes[i]...)
			if s.chip == ads1115 && b.reg == adsConfig {
				w[1] &^= adsStart
			}
			if err := tx.Tx(s.addr, w, nil); err != nil {
				return err
			}
		}
		for i, b := range s.blocks {
			r := make([]byte, b.bytes)
			if err := tx.Tx(s.addr, []byte{b.reg}, r); err != nil {
				return err
			}
			if !bytes.Equal(r, s.bytes[i]) {
				return errKept
			}
		}
		return nil
	})
}
