package strip

import (
	"fmt"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/apa102"

	"reversi-board/hardware"
	"reversi-board/hardware/pixel"
)

const (
	// Cells is the number of cells and of lights.
	Cells = pixel.Cells
	// DefaultMilliamps is the cap if none is configured: what the reference
	// board's feed carries.
	DefaultMilliamps = pixel.DefaultMilliamps
	// maxSpeed is slow enough for a long strip behind a level shifter; a frame
	// takes 0.53 ms. The driver alone would ask for 20 MHz.
	maxSpeed = 4 * physic.MegaHertz
	full     = 255
)

// Config describes a strip.
type Config = pixel.Config

// RowByRow returns the order in which every rank is wired from a to h.
func RowByRow() [Cells]int { return pixel.RowByRow() }

// Serpentine returns the order in which the strip runs from a1 to h1, back
// from h2 to a2, and so on.
func Serpentine() [Cells]int { return pixel.Serpentine() }

// Strip is a strip of lights. It is not safe for concurrent use.
type Strip struct {
	dev *apa102.Dev
	mix *pixel.Mixer
}

// New connects to port, at 4 MHz or the port's own limit if that is lower, and
// returns the strip on it, or an error that says what is wrong with the
// configuration or the port. It sends nothing: the lights keep what they show
// until Show or Dark.
func New(port spi.Port, c Config) (*Strip, error) {
	mix, err := pixel.New(c)
	if err != nil {
		return nil, err
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
	return &Strip{dev: dev, mix: mix}, nil
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

// SetBrightness changes the brightness from the next Show on: 255 shows colors
// as they are, 0 shows nothing.
func (s *Strip) SetBrightness(b uint8) { s.mix.SetBrightness(b) }

// Show sends one frame: px[n] is cell n. It blocks for the transfer, about half
// a millisecond, and allocates nothing.
func (s *Strip) Show(px *[Cells]hardware.RGB) error {
	if _, err := s.dev.Write(s.mix.Mix(px)); err != nil {
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
