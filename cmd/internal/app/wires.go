package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/spi"

	"reversi-board/configs"
	"reversi-board/hardware"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hallanalog"
	"reversi-board/hardware/pi"
	"reversi-board/hardware/reed64"
	"reversi-board/hardware/sim"
)

// wires are what leads from the controller to the board. What a board does not
// have is nil.
type wires struct {
	buses   []i2c.BusCloser
	leds    spi.PortCloser
	rows    reed64.Rows
	columns reed64.Columns
	channel hallanalog.Selector
	// taps free the first bus, rail switches the supply of the chips on all.
	taps    *hardware.Taps
	rail    func(on bool) error
	buttons []button.Button
	buzzer  buzzer.Output
	// interrupt waits for the line to fall.
	interrupt func(ctx context.Context) error
	// closers give back everything but the buses.
	closers []func() error
	// devices are the device files that are opened again after they have gone.
	devices []hardware.Device
	// pins are those of them that may be idle for so long that they have to be
	// asked whether they are still there.
	pins []pinned
}

// The names of the buttons, as in the settings.
const (
	ClockBlack = "clock_black"
	ClockWhite = "clock_white"
	NewGame    = "new_game"
	Hint       = "hint"
	Pass       = "pass"
	Undo       = "undo"
	Resign     = "resign"
)

// namedPin is a header pin with what it is for.
type namedPin struct{ name, pin string }

// buttonsOf lists the buttons that a board has.
func buttonsOf(c *configs.Hardware) []namedPin {
	b := c.Buttons
	return slices.DeleteFunc([]namedPin{
		{ClockBlack, b.ClockBlack},
		{ClockWhite, b.ClockWhite},
		{NewGame, b.NewGame},
		{Hint, b.Hint},
		{Pass, b.Pass},
		{Undo, b.Undo},
		{Resign, b.Resign},
	}, func(n namedPin) bool { return n.pin == "" })
}

// usesI2C reports whether anything is on the first bus.
func usesI2C(c *configs.Hardware) bool {
	return c.Kind != configs.Reed64 || c.LEDs.Driver == configs.HT16K33 || c.OLED.Driver != configs.NoOLED
}

// onSPI reports whether the LEDs need an SPI port.
func onSPI(driver string) bool {
	return driver == configs.APA102 || driver == configs.WS2812 || driver == configs.MAX7219
}

// simulated returns the wires of a simulated board: the one that is given, or a
// new one that has been built as the settings say.
func simulated(c *configs.Hardware, o RigOptions) (w wires, board *sim.Board, err error) {
	board = o.Sim
	if board == nil {
		s := c.Simulation
		board = sim.New(sim.Options{
			Seed: s.Seed, Noise: s.Noise, Bounce: s.Bounce, Wiring: Soldered(c), Now: o.Now,
		})
	}
	for i, device := range []string{c.I2C.Bus, c.I2C.Second} {
		if device == "" && i > 0 {
			continue
		}
		if err := w.openBus(device, o.Now, func() (i2c.BusCloser, error) { return board.OpenI2C(i) }); err != nil {
			return w, board, err
		}
	}
	if onSPI(c.LEDs.Driver) {
		if err := w.openPort(deviceOf(c.LEDs.Port), o.Now, board.OpenSPI); err != nil {
			return w, board, err
		}
	}
	switch c.Kind {
	case configs.Reed64:
		w.rows, w.columns = board.Matrix().Rows(), board.Matrix().Columns()
	case configs.HallAnalog:
		w.channel = board.Select()
	}
	if c.Recovery.SCL != "" && c.Recovery.SDA != "" {
		scl, sda := board.Bus().Taps()
		w.taps = &hardware.Taps{SCL: scl, SDA: sda}
	}
	if c.Recovery.Rail != "" {
		rail := emu.RailOptions{Now: o.Now, Discharge: 100 * time.Millisecond}
		first, second := board.Bus().Rail(rail), board.SecondBus().Rail(rail)
		w.rail = func(on bool) error { return errors.Join(first(on), second(on)) }
	}
	for _, b := range buttonsOf(c) {
		w.buttons = append(w.buttons, button.Button{Name: b.name, Input: board.Button(b.name)})
	}
	if c.Buzzer != "" {
		w.buzzer = board.Buzzer()
	}
	return w, board, nil
}

// openBus opens an I²C bus that is opened again after its adapter has gone.
func (w *wires) openBus(device string, now func() time.Duration, open func() (i2c.BusCloser, error)) error {
	bus, err := hardware.NewPersistentBus(device, now, open)
	if err != nil {
		return err
	}
	w.buses, w.devices = append(w.buses, bus), append(w.devices, bus)
	return nil
}

// openPort opens the LEDs' port in the same way.
func (w *wires) openPort(device string, now func() time.Duration, open func() (spi.PortCloser, error)) error {
	port, err := hardware.NewPersistentPort(device, now, open)
	if err != nil {
		return err
	}
	w.leds, w.devices, w.closers = port, append(w.devices, port), append(w.closers, port.Close)
	return nil
}

// soldered opens the wires of a real board.
func soldered(c *configs.Hardware, o RigOptions) (w wires, err error) {
	defer func() {
		if err != nil {
			for _, b := range w.buses {
				err = errors.Join(err, b.Close())
			}
			for _, closeWire := range w.closers {
				err = errors.Join(err, closeWire())
			}
			w = wires{}
		}
	}()
	// The rail first: without it no chip answers.
	if err := w.openRecovery(c); err != nil {
		return w, err
	}
	if err := w.openBuses(c, o); err != nil {
		return w, err
	}
	if err := w.openCells(c); err != nil {
		return w, err
	}
	if onSPI(c.LEDs.Driver) {
		device := deviceOf(c.LEDs.Port)
		if err := w.openPort(device, o.Now, func() (spi.PortCloser, error) { return pi.OpenSPI(device) }); err != nil {
			return w, fmt.Errorf("open the LEDs' port: %w", err)
		}
	}
	return w, w.openRest(c)
}

func (w *wires) openBuses(c *configs.Hardware, o RigOptions) error {
	if !usesI2C(c) {
		return nil
	}
	for i, device := range []string{c.I2C.Bus, c.I2C.Second} {
		if device == "" {
			continue
		}
		err := w.openBus(device, o.Now, func() (i2c.BusCloser, error) {
			bus, warning, err := pi.OpenI2C(device)
			if err == nil && warning != nil && o.Logger != nil {
				o.Logger.Warn("the bus works, but a held line will stop it for a second", "bus", device, "why", warning)
			}
			return bus, err
		})
		if err != nil {
			return fmt.Errorf("open %s: %w", [...]string{"hardware.i2c.bus", "hardware.i2c.second_bus"}[i], err)
		}
	}
	return nil
}

// pinned is a pin, or some, whose chip may go.
type pinned interface {
	hardware.Device
	Check()
	Close() error
}

// keep notes pins that have been opened.
func (w *wires) keep(p pinned) {
	w.devices, w.pins, w.closers = append(w.devices, p), append(w.pins, p), append(w.closers, p.Close)
}

// openCells opens what the cells need besides a bus.
func (w *wires) openCells(c *configs.Hardware) error {
	switch c.Kind {
	case configs.Reed64:
		rows, err := pi.OpenOutputs(c.Matrix.Rows[:])
		if err != nil {
			return fmt.Errorf("open hardware.matrix.rows: %w", err)
		}
		w.rows = rows
		w.keep(rows)
		columns, err := pi.OpenInputs(c.Matrix.Columns[:])
		if err != nil {
			return fmt.Errorf("open hardware.matrix.columns: %w", err)
		}
		w.columns = columns
		w.keep(columns)
	case configs.HallAnalog:
		var lines hallanalog.Lines
		for i, pin := range c.Analog.Select {
			out, err := pi.OpenOutput(pin, gpio.Low)
			if err != nil {
				return fmt.Errorf("open hardware.analog.select: %w", err)
			}
			lines[i] = out
			w.keep(out)
		}
		w.channel = &lines
	case configs.Hall128:
		if c.Interrupt == "" {
			return nil
		}
		line, err := pi.OpenInput(c.Interrupt, gpio.PullUp, gpio.FallingEdge)
		if err != nil {
			return fmt.Errorf("open hardware.interrupt: %w", err)
		}
		w.interrupt = line.Wait
		w.keep(line)
	}
	return nil
}

// openRecovery switches the supply on and takes the taps.
func (w *wires) openRecovery(c *configs.Hardware) error {
	r := c.Recovery
	if r.Rail != "" {
		rail, err := pi.OpenOutput(r.Rail, gpio.High)
		if err != nil {
			return fmt.Errorf("open hardware.recovery.rail: %w", err)
		}
		w.rail = func(on bool) error { return rail.Set(gpio.Level(on)) }
		w.keep(rail)
	}
	if r.SCL == "" || r.SDA == "" || !usesI2C(c) {
		return nil
	}
	scl, err := pi.OpenTap(r.SCL)
	if err != nil {
		return fmt.Errorf("open hardware.recovery.scl: %w", err)
	}
	w.keep(scl)
	sda, err := pi.OpenTap(r.SDA)
	if err != nil {
		return fmt.Errorf("open hardware.recovery.sda: %w", err)
	}
	w.keep(sda)
	w.taps = &hardware.Taps{SCL: scl, SDA: sda}
	return nil
}

// openRest opens the buttons and the buzzer.
func (w *wires) openRest(c *configs.Hardware) error {
	for _, b := range buttonsOf(c) {
		in, err := pi.OpenInput(b.pin, gpio.PullUp, gpio.BothEdges)
		if err != nil {
			return fmt.Errorf("open hardware.buttons.%s: %w", b.name, err)
		}
		w.buttons = append(w.buttons, button.Button{Name: b.name, Input: in})
		w.keep(in)
	}
	if c.Buzzer != "" {
		out, err := pi.OpenOutput(c.Buzzer, gpio.Low)
		if err != nil {
			return fmt.Errorf("open hardware.buzzer: %w", err)
		}
		w.buzzer = out
		w.keep(out)
	}
	return nil
}

// deviceOf returns the device of a SPI port named in either way.
func deviceOf(port string) string {
	if number, ok := strings.CutPrefix(port, "SPI"); ok {
		return "/dev/spidev" + number
	}
	return port
}
