package strip

import (
	"fmt"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/apa102"

	"reversi-board/hardware"
)

const (
	// Cells is the number of cells and of lights.
	Cells = 64
	// DefaultMilliamps is the cap if none is configured: what the reference
	// board's feed carries.
	DefaultMilliamps = 1500
	// maxSpeed is slow enough for a long strip behind a level shifter; a frame
	// takes 0.53 ms. The driver alone would ask for 20 MHz.
	maxSpeed = 4 * physic.MegaHertz
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

// Strip is a strip of lights. It is not safe for concurrent use.
type Strip struct {
	dev        *apa102.Dev
	order      [Cells]int
	brightness int
	budget     int // Sum of all channels that the cap allows.
	raw        [3 * Cells]byte
}

// New connects to port, at 4 MHz or the port's own limit if that is lower, and
// returns the strip on it, or an error that says what is wrong with the
// configuration or the port. It sends nothing: the lights keep what they show
// until Show or Dark.
func New(port spi.Port, c Config) (*Strip, error) {
	if err := validate(&c); err != nil {
		return nil, err
	}
	if c.MaxMilliamps == 0 {
		c.MaxMilliamps = DefaultMilliamps
	}
	dev, err := apa102.New(slow{port}, &apa102.Opts{
		NumPixels:        Cells,
		Intensity:        full,
		Temperature:      apa102.NeutralTemp,
		DisableGlobalPWM: true,
	})
	if err != nil {
		return nil, fmt.Errorf("connect the light strip to SPI port %s: %w", port, err)
	}
	return &Strip{
		dev:        dev,
		order:      c.LEDs,
		brightness: int(c.Brightness),
		budget:     min(c.MaxMilliamps, 3*Cells*channelMilliamps) * full / channelMilliamps,
	}, nil
}

func validate(c *Config) error {
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

// slow is a port whose connections run at maxSpeed at most, whatever the
// driver asks for.
type slow struct {
	spi.Port
}

// Connect implements spi.Port.
func (p slow) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	return p.Port.Connect(min(f, maxSpeed), mode, bits)
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}

// SetBrightness changes the brightness from the next Show on: 255 shows colors
// as they are, 0 shows nothing.
func (s *Strip) SetBrightness(b uint8) { s.brightness = int(b) }

// Show sends one frame: px[n] is cell n. It blocks for the transfer, about half
// a millisecond, and allocates nothing.
func (s *Strip) Show(px *[Cells]hardware.RGB) error {
	sum := 0
	for cell, led := range s.order {
		p := px[cell]
		for ch, v := range [3]uint8{p.R, p.G, p.B} {
			scaled := (int(v)*s.brightness + full - 1) / full
			s.raw[3*led+ch] = byte(scaled)
			sum += scaled
		}
	}
	if sum > s.budget {
		for i, v := range s.raw {
			s.raw[i] = byte(int(v) * s.budget / sum)
		}
	}
	if _, err := s.dev.Write(s.raw[:]); err != nil {
		return fmt.Errorf("show a frame on the light strip: %w", err)
	}
	return nil
}

// Dark switches all lights off.
func (s *Strip) Dark() error {
	if err := s.dev.Halt(); err != nil {
		return fmt.Errorf("switch the light strip off: %w", err)
	}
	return nil
}
