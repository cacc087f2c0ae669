package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/spi"

	"reversi-board/configs"
	"reversi-board/hardware"
	"reversi-board/hardware/hall128"
	"reversi-board/hardware/pi"
	"reversi-board/hardware/sim"
	"reversi-board/hardware/strip"
	"reversi-board/sensing"
)

// Rig is the board as far as it differs between a simulated and a real one:
// two opened buses. What stands on them is the same for both.
type Rig struct {
	// Bus owns the I2C bus.
	Bus *hardware.Bus
	// Matrix reads the cells.
	Matrix *hall128.Board
	// Strip shows the LEDs, nil when the board has none.
	Strip *strip.Strip
	// Sim is the simulated board under the buses, nil on a real one.
	Sim *sim.Board
	// Interrupt waits for the cells to report a change, nil when there is no
	// such line. It is a hint: scans do not wait for it.
	Interrupt func(ctx context.Context) error

	ports []func() error
}

// RigOptions are what a rig needs besides the configuration.
type RigOptions struct {
	// Sim, if not nil, is a simulated table that is already there.
	Sim *sim.Board
	Now func() time.Duration
	// Sleep and Inline as in hardware.BusOptions.
	Sleep  func(ctx context.Context, d time.Duration) error
	Inline bool
	Logger *slog.Logger
}

// OpenRig opens the buses that the configuration names and puts the drivers on
// them.
func OpenRig(c *configs.Hardware, o RigOptions) (*Rig, error) {
	r := &Rig{}
	bus, port, err := r.open(c, o)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Bus = hardware.NewBus(bus, hardware.BusOptions{
		Now: o.Now, Sleep: o.Sleep, Inline: o.Inline, Logger: o.Logger,
	})
	if r.Matrix, err = hall128.New(wiringOf(c), r.Bus); err != nil {
		return nil, errors.Join(fmt.Errorf("wire the cells: %w", err), r.Close())
	}
	if port == nil {
		return r, nil
	}
	r.Strip, err = strip.New(port, strip.Config{
		LEDs: c.LEDs.Order, Brightness: c.LEDs.Brightness, MaxMilliamps: c.LEDs.MaxMilliamps,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the LEDs: %w", err), r.Close())
	}
	return r, nil
}

// open opens the I2C bus and, if the board has LEDs, the SPI port.
func (r *Rig) open(c *configs.Hardware, o RigOptions) (i2c.BusCloser, spi.PortCloser, error) {
	if c.Simulation.Enabled {
		if r.Sim = o.Sim; r.Sim == nil {
			s := c.Simulation
			r.Sim = sim.New(sim.Options{
				Seed: s.Seed, Noise: s.Noise, Bounce: s.Bounce, Wiring: Soldered(c),
			})
		}
		return r.Sim.I2C(), r.Sim.SPI(), nil
	}
	bus, warning, err := pi.OpenI2C(c.I2C.Bus)
	if err != nil {
		return nil, nil, fmt.Errorf("open the sensors' bus: %w", err)
	}
	if warning != nil && o.Logger != nil {
		o.Logger.Warn("the sensors' bus works, but a held line will stop it for a second", "why", warning)
	}
	if err := r.openInterrupt(c.Interrupt); err != nil {
		return nil, nil, errors.Join(err, bus.Close())
	}
	if c.LEDs.Driver == configs.NoLEDs {
		return bus, nil, nil
	}
	port, err := pi.OpenSPI(deviceOf(c.LEDs.Port))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the LEDs' port: %w", err), bus.Close())
	}
	r.ports = append(r.ports, port.Close)
	return bus, port, nil
}

// openInterrupt takes the pin of the expanders' common interrupt line.
func (r *Rig) openInterrupt(pin string) error {
	if pin == "" {
		return nil
	}
	if _, err := pi.Init(); err != nil {
		return fmt.Errorf("prepare the pins: %w", err)
	}
	line, err := pi.OpenInput(pin, gpio.PullUp, gpio.FallingEdge)
	if err != nil {
		return fmt.Errorf("open hardware.interrupt: %w", err)
	}
	r.Interrupt = line.Wait
	return nil
}

// deviceOf returns the device of a SPI port named in either way.
func deviceOf(port string) string {
	if number, ok := strings.CutPrefix(port, "SPI"); ok {
		return "/dev/spidev" + number
	}
	return port
}

// Close releases the buses. The LEDs keep what they show: darken them before.
func (r *Rig) Close() error {
	var errs []error
	if r.Bus != nil {
		errs = append(errs, r.Bus.Close())
	}
	for _, closePort := range r.ports {
		errs = append(errs, closePort())
	}
	return errors.Join(errs...)
}

func wiringOf(c *configs.Hardware) hall128.Config {
	kind := hall128.TCA9555
	switch c.Expanders.Chip {
	case configs.PCA9555:
		kind = hall128.PCA9555
	case configs.MCP23017:
		kind = hall128.MCP23017
	}
	var w hall128.Config
	for bus, addrs := range [...][]uint16{c.Expanders.Addresses, c.Expanders.Second} {
		for _, addr := range addrs {
			w.Chips = append(w.Chips, hall128.Chip{Kind: kind, Bus: bus, Addr: addr})
		}
	}
	for i, cell := range c.Cells {
		w.Cells[i] = hall128.Cell{Chip: cell.Chip, NorthPin: cell.NorthPin, SouthPin: cell.SouthPin}
	}
	return w
}

// SensingOf returns the sensing times of a configuration.
func SensingOf(c *configs.Config) sensing.Config {
	s := sensing.DefaultConfig()
	s.Debounce, s.Settle = c.Sensing.Debounce, c.Sensing.Settle
	s.NorthIsBlack = c.Hardware.NorthIsBlack
	return s
}
