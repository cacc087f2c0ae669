package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/configs"
	"reversi-board/hardware"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/hardware/hall128"
	"reversi-board/hardware/hallanalog"
	"reversi-board/hardware/ht16k33"
	"reversi-board/hardware/max7219"
	"reversi-board/hardware/oled"
	"reversi-board/hardware/reed64"
	"reversi-board/hardware/sim"
	"reversi-board/hardware/strip"
	"reversi-board/hardware/ws2812"
	"reversi-board/sensing"
)

// Rig is the board: the drivers, on wires that are real or simulated. What
// stands on the wires is the same for both.
type Rig struct {
	// Buses own the I2C buses: none, one or two.
	Buses []*hardware.Bus
	// Matrix reads the cells.
	Matrix Matrix
	// Hall128, Analog and Reed are what Matrix reads, by kind; two of them are
	// nil.
	Hall128 *hall128.Board
	Analog  *hallanalog.Board
	Reed    *reed64.Board
	// Lights show the scene, nil when the board has none.
	Lights Lights
	// OLED is the small display, nil when there is none.
	OLED *oled.Panel
	// Buttons are those that are wired.
	Buttons []button.Button
	// Buzzer is nil when there is none.
	Buzzer *buzzer.Buzzer
	// Sim is the simulated board under the wires, nil on a real one.
	Sim *sim.Board
	// Interrupt waits for the cells to report a change, nil when there is no
	// such line. It is a hint: scans do not wait for it.
	Interrupt func(ctx context.Context) error

	wires wires
	// bits counts what goes over the buses.
	bits atomic.Uint64
	// scans is Matrix, interrupts says that a line tells of changes.
	scans      *watchedMatrix
	interrupts bool
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
	// Interrupt, if not nil, waits for the interrupt line in place of the one that
	// the wires have.
	Interrupt func(ctx context.Context) error
}

// OpenRig opens the wires that the configuration names and puts the drivers on
// them.
func OpenRig(c *configs.Hardware, o RigOptions) (*Rig, error) {
	r := &Rig{Sim: o.Sim}
	err := r.open(c, o)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Rig) open(c *configs.Hardware, o RigOptions) (err error) {
	if c.Simulation.Enabled {
		if r.wires, r.Sim, err = simulated(c, o); err != nil {
			return err
		}
	} else if r.wires, err = soldered(c, o); err != nil {
		return err
	}
	if r.Interrupt = r.wires.interrupt; o.Interrupt != nil {
		r.Interrupt = o.Interrupt
	}
	r.openBuses(o)
	if err := r.openMatrix(c, o); err != nil {
		return fmt.Errorf("wire the cells: %w", err)
	}
	r.scans = &watchedMatrix{matrix: r.Matrix, clock: o.Now, wire: &r.bits}
	r.Matrix, r.interrupts = r.scans, c.Kind == configs.Hall128 && c.Interrupt != ""
	if r.Lights, err = r.openLights(c, o); err != nil {
		return fmt.Errorf("start the LEDs: %w", err)
	}
	if c.OLED.Driver != configs.NoOLED {
		controller := oled.SSD1306
		if c.OLED.Driver == configs.SH1106 {
			controller = oled.SH1106
		}
		if r.OLED, err = oled.New(r.Buses[0], oled.Config{Addr: c.OLED.Address, Controller: controller}); err != nil {
			return fmt.Errorf("start the display: %w", err)
		}
	}
	r.Buttons = r.wires.buttons
	if r.wires.buzzer != nil {
		r.Buzzer = buzzer.New(r.wires.buzzer)
	}
	return nil
}

// openBuses gives every bus its owner. The taps are on the first bus; the rail
// feeds the chips of all, so that a second one can be freed as well.
func (r *Rig) openBuses(o RigOptions) {
	// Two owners may want to switch.
	var switching sync.Mutex
	rail := r.wires.rail
	if rail != nil {
		rail = func(on bool) error {
			switching.Lock()
			defer switching.Unlock()
			return r.wires.rail(on)
		}
	}
	for i, raw := range r.wires.buses {
		b := hardware.BusOptions{Now: o.Now, Sleep: o.Sleep, Inline: o.Inline, Logger: o.Logger}
		taps := &hardware.Taps{}
		if i == 0 && r.wires.taps != nil {
			taps = r.wires.taps
		}
		taps.Rail, taps.Sleep, taps.Now = rail, o.Sleep, o.Now
		if taps.SCL != nil || rail != nil {
			b.Recover = taps.Recover
		}
		r.Buses = append(r.Buses, hardware.NewBus(meter{raw, &r.bits}, b))
	}
}

func (r *Rig) openMatrix(c *configs.Hardware, o RigOptions) (err error) {
	wait := func(d time.Duration) { time.Sleep(d) }
	if o.Sleep != nil {
		wait = func(d time.Duration) { _ = o.Sleep(context.Background(), d) }
	}
	switch c.Kind {
	case configs.Reed64:
		w := reed64.Config{Wait: wait}
		for i, cell := range c.Crossings {
			w.Cells[i] = reed64.Cell(cell)
		}
		r.Reed, err = reed64.New(r.wires.rows, r.wires.columns, w)
		r.Matrix = r.Reed
	case configs.HallAnalog:
		w := hallanalog.Config{Addrs: c.Analog.ADCs, Sleep: wait}
		for i, t := range c.Taps {
			w.Cells[i] = hallanalog.Cell{ADC: t.ADC, AIN: t.Input, Channel: t.Channel}
		}
		r.Analog, err = hallanalog.New(r.Buses[0], r.wires.channel, w)
		r.Matrix = r.Analog
	default:
		r.Hall128, err = hall128.New(expandersOf(c), r.Buses...)
		r.Matrix = r.Hall128
	}
	return err
}

// expandersOf returns the wiring of a Hall-128 board.
func expandersOf(c *configs.Hardware) hall128.Config {
	var w hall128.Config
	kind := map[string]hall128.Kind{
		configs.TCA9555: hall128.TCA9555, configs.PCA9555: hall128.PCA9555, configs.MCP23017: hall128.MCP23017,
	}[c.Expanders.Chip]
	for bus, addresses := range [][]uint16{c.Expanders.Addresses, c.Expanders.Second} {
		for _, a := range addresses {
			w.Chips = append(w.Chips, hall128.Chip{Kind: kind, Bus: bus, Addr: a})
		}
	}
	for i, cell := range c.Cells {
		w.Cells[i] = hall128.Cell(cell)
	}
	return w
}

// openLights returns nil for a board without LEDs.
func (r *Rig) openLights(c *configs.Hardware, o RigOptions) (Lights, error) {
	l := c.LEDs
	config := strip.Config{LEDs: l.Order, Brightness: l.Brightness, MaxMilliamps: l.MaxMilliamps}
	switch l.Driver {
	case configs.APA102:
		s, err := strip.New(r.wires.leds, config)
		if err != nil {
			return nil, err
		}
		return &watchedLights{Lights: ColorLights(s)}, nil
	case configs.WS2812:
		s, err := ws2812.New(r.wires.leds, config)
		if err != nil {
			return nil, err
		}
		return &watchedLights{Lights: ColorLights(s)}, nil
	case configs.HT16K33:
		red, green := ht16k33.Module(l.Order)
		m, err := ht16k33.New(r.Buses[0].At(hardware.PrioLED), ht16k33.Config{
			Addr: l.Address, Red: red, Green: green, Brightness: l.Brightness, Now: o.Now,
		})
		if err != nil {
			return nil, err
		}
		return &watchedLights{Lights: BicolorLights(m), lost: func() uint64 { return m.Stats().Resets }}, nil
	case configs.MAX7219:
		m, err := max7219.New(r.wires.leds, max7219.Config{Dots: max7219.Module(l.Order), Brightness: l.Brightness})
		if err != nil {
			return nil, err
		}
		return &watchedLights{Lights: MonoLights(m)}, nil
	}
	return nil, nil //nolint:nilnil // no LEDs, and no mistake
}

// Eyes returns eyes for this board, never calibrated, that have not seen anything
// yet.
func (r *Rig) Eyes(c *configs.Config) (*Eyes, error) { return r.CalibratedEyes(c, nil) }

// Interrupted tells the board that its interrupt line fell, for the counters.
func (r *Rig) Interrupted() {
	if r.Hall128 != nil {
		r.Hall128.Interrupted()
	}
}

// CheckPins asks pins that may be idle whether they are still there, and opens
// those again that are back.
func (r *Rig) CheckPins() {
	for _, p := range r.wires.pins {
		p.Check()
	}
}

// Close releases the wires. The LEDs keep what they show: darken them before.
func (r *Rig) Close() error {
	var errs []error
	for _, b := range r.Buses {
		errs = append(errs, b.Close())
	}
	if r.Buses == nil {
		for _, raw := range r.wires.buses {
			errs = append(errs, raw.Close())
		}
	}
	for _, closeWire := range r.wires.closers {
		errs = append(errs, closeWire())
	}
	return errors.Join(errs...)
}

// SensingOf returns the sensing times of a configuration.
func SensingOf(c *configs.Config) sensing.Config {
	s := sensing.DefaultConfig()
	s.Debounce, s.Settle = c.Sensing.Debounce, c.Sensing.Settle
	s.NorthIsBlack = c.Hardware.NorthIsBlack
	s.Presence = c.Hardware.Kind == configs.Reed64
	return s
}
