package pixel

import (
	"fmt"

	"reversi-board/hardware"
)

const (
	// Cells is the number of cells and of lights.
	Cells = 64
	// DefaultMilliamps is the cap if none is configured: what the reference
	// board's feed carries.
	DefaultMilliamps = 1500
	// channelMilliamps is drawn by one channel at 255.
	channelMilliamps = 20
	full             = 255
)

// Config describes a strip.
type Config struct {
	// LEDs is the light of each cell (8*rank + file, rank 1 on top), counted
	// from 0 at the end where the data comes in; a permutation of 0 to 63.
	// See RowByRow and Serpentine.
	LEDs [Cells]int
	// Brightness scales every channel linearly: 255 shows colors as they are,
	// 0 shows nothing.
	Brightness uint8
	// MaxMilliamps caps the current of a frame; 0 means DefaultMilliamps.
	MaxMilliamps int
}

// RowByRow returns the order in which every rank is wired from a to h.
func RowByRow() [Cells]int {
	var order [Cells]int
	for i := range order {
		order[i] = i
	}
	return order
}

// Serpentine returns the order in which the strip runs from a1 to h1, back
// from h2 to a2, and so on.
func Serpentine() [Cells]int {
	order := RowByRow()
	for i := range order {
		if i/8%2 == 1 {
			order[i] = i/8*8 + 7 - i%8
		}
	}
	return order
}

// Validate returns an error that says what is wrong with a configuration.
func (c *Config) Validate() error {
	if c.MaxMilliamps < 0 {
		return fmt.Errorf("light strip: a cap of %d mA is not possible, use 0 for %d mA", c.MaxMilliamps, DefaultMilliamps)
	}
	var user [Cells]int // Cell + 1; 0 is free.
	for cell, led := range c.LEDs {
		if led < 0 || led >= Cells {
			return fmt.Errorf("light strip: cell %s has light %d, use 0 to %d", name(cell), led, Cells-1)
		}
		if user[led] != 0 {
			return fmt.Errorf("light strip: cells %s and %s both have light %d, give each its own",
				name(user[led]-1), name(cell), led)
		}
		user[led] = cell + 1
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}

// Mixer makes frames. It is not safe for concurrent use.
type Mixer struct {
	order      [Cells]int
	brightness int
	budget     int // Sum of all channels that the cap allows.
	raw        [3 * Cells]byte
}

// New returns the mixer for a strip, or an error that says what is wrong with
// the configuration.
func New(c Config) (*Mixer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.MaxMilliamps == 0 {
		c.MaxMilliamps = DefaultMilliamps
	}
	return &Mixer{
		order:      c.LEDs,
		brightness: int(c.Brightness),
		budget:     min(c.MaxMilliamps, 3*Cells*channelMilliamps) * full / channelMilliamps,
	}, nil
}

// SetBrightness changes the brightness from the next Mix on: 255 shows colors
// as they are, 0 shows nothing.
func (m *Mixer) SetBrightness(b uint8) { m.brightness = int(b) }

// Mix returns the frame for 64 colors, px[n] for cell n: red, green and blue of
// light 0, then of light 1, and so on. It is valid until the next Mix, and
// costs no allocation.
func (m *Mixer) Mix(px *[Cells]hardware.RGB) []byte {
	sum := 0
	for cell, led := range m.order {
		p := px[cell]
		for ch, v := range [3]uint8{p.R, p.G, p.B} {
			scaled := (int(v)*m.brightness + full - 1) / full
			m.raw[3*led+ch] = byte(scaled)
			sum += scaled
		}
	}
	if sum > m.budget {
		for i, v := range m.raw {
			m.raw[i] = byte(int(v) * m.budget / sum)
		}
	}
	return m.raw[:]
}
