package ws2812

import (
	"fmt"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/nrzled"

	"reversi-board/hardware"
	"reversi-board/hardware/pixel"
)

const (
	// Cells is the number of cells and of lights.
	Cells = pixel.Cells
	// channels are red, green and blue.
	channels = 3
	// speed makes a pulse of four bits last 1.6 µs (WS2812B sheet, "Data
	// transfer time": 1.25 µs ± 600 ns).
	speed = 2500 * physic.KiloHertz
)

// Config describes a strip.
type Config = pixel.Config

// Strip is a strip of lights. It is not safe for concurrent use.
type Strip struct {
	dev *nrzled.Dev
	mix *pixel.Mixer
}

// New connects to port at 2.5 MHz and returns the strip on it, or an error that
// says what is wrong with the configuration or the port. It sends nothing: the
// lights keep what they show until Show or Dark.
func New(port spi.Port, c Config) (*Strip, error) {
	mix, err := pixel.New(c)
	if err != nil {
		return nil, err
	}
	dev, err := nrzled.NewSPI(port, &nrzled.Opts{NumPixels: Cells, Channels: channels, Freq: speed})
	if err != nil {
		return nil, fmt.Errorf("connect the light strip to SPI port %s: %w", port, err)
	}
	return &Strip{dev: dev, mix: mix}, nil
}

// SetBrightness changes the brightness from the next Show on: 255 shows colors
// as they are, 0 shows nothing.
func (s *Strip) SetBrightness(b uint8) { s.mix.SetBrightness(b) }

// Show sends one frame: px[n] is cell n. It blocks for the transfer, about
// 2.5 ms, and allocates nothing.
func (s *Strip) Show(px *[Cells]hardware.RGB) error {
	if _, err := s.dev.Write(s.mix.Mix(px)); err != nil {
		return fmt.Errorf("show a frame on the light strip: %w", err)
	}
	return nil
}

// Dark switches all lights off.
func (s *Strip) Dark() error {
	// The driver's own Halt would flatten the error to text.
	if _, err := s.dev.Write(s.mix.Mix(new([Cells]hardware.RGB))); err != nil {
		return fmt.Errorf("switch the light strip off: %w", err)
	}
	return nil
}
