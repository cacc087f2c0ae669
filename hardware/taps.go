package hardware

import (
	"context"
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/gpio"
)

const (
	// recoveryPulses is how many clocks a chip needs at most to give SDA back:
	// eight bits and an acknowledge (NXP UM10204, section 3.1.16).
	recoveryPulses = 9
	// halfClock is half a clock of a 100 kHz bus.
	halfClock = 5 * time.Microsecond
	// railOff is how long the chips' supply stays off: their power-on reset
	// needs the voltage well down.
	railOff = 500 * time.Millisecond
	// railOn is how long the chips get to start.
	railOn = 20 * time.Millisecond
)

// ErrHeld is wrapped when a line of the bus stays low whatever is tried.
var ErrHeld = errors.New("a line of the I²C bus is held low, check the wiring for a short or switch the board off and on")

// Tap is a second pin on a line of the bus, behind a resistor. An input lets
// the line go; an output is only ever low, as on any open-drain bus.
type Tap interface {
	In(pull gpio.Pull, edge gpio.Edge) error
	Out(l gpio.Level) error
	Read() gpio.Level
}

// Taps frees a bus that a chip holds. Its Recover is meant for BusOptions.
//
// A chip that lost count of the clocks holds SDA until it has seen the rest of
// its byte: up to nine pulses and a STOP free it. Neither can be sent while SCL
// is held, nor help a chip that hangs; then the supply of all chips is cycled,
// and all have to be initialised again.
type Taps struct {
	SCL, SDA Tap
	// Rail switches the supply of all chips on the bus; nil if there is no
	// switch.
	Rail func(on bool) error
	// Sleep waits; nil means a real timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Recover frees the bus. It returns nil if both lines are high in the end, and
// touches nothing if they are high from the start. Both taps are released
// whatever happens, and the rail is on.
func (t *Taps) Recover(ctx context.Context) error {
	if err := t.release(); err != nil {
		return err
	}
	if t.free() {
		return nil
	}
	if t.SCL.Read() == gpio.High {
		if err := errors.Join(t.clock(ctx), t.release()); err != nil {
			return fmt.Errorf("clock the I²C bus free: %w", err)
		}
		if t.free() {
			return nil
		}
	}
	if err := t.cycle(ctx); err != nil {
		return err
	}
	if !t.free() {
		return ErrHeld
	}
	return nil
}

func (t *Taps) free() bool { return t.SCL.Read() == gpio.High && t.SDA.Read() == gpio.High }

func (t *Taps) release() error {
	if err := errors.Join(float(t.SCL), float(t.SDA)); err != nil {
		return fmt.Errorf("let go of the I²C bus: %w", err)
	}
	return nil
}

// float lets a line go; its pull-up is on the board.
func float(tap Tap) error { return tap.In(gpio.PullNoChange, gpio.NoEdge) }

// clock sends pulses until SDA is high, then a STOP.
func (t *Taps) clock(ctx context.Context) error {
	for range recoveryPulses {
		if err := t.step(ctx, t.SCL, true); err != nil {
			return err
		}
		if err := t.step(ctx, t.SCL, false); err != nil {
			return err
		}
		if t.SDA.Read() == gpio.High {
			break
		}
	}
	// STOP: SDA rises while SCL is high.
	for _, s := range [...]struct {
		tap  Tap
		pull bool
	}{{t.SCL, true}, {t.SDA, true}, {t.SCL, false}, {t.SDA, false}} {
		if err := t.step(ctx, s.tap, s.pull); err != nil {
			return err
		}
	}
	return nil
}

// step pulls a line low or lets it go, and waits half a clock.
func (t *Taps) step(ctx context.Context, tap Tap, pull bool) error {
	var err error
	if pull {
		err = tap.Out(gpio.Low)
	} else {
		err = float(tap)
	}
	if err != nil {
		return err
	}
	return t.sleep(ctx, halfClock)
}

// cycle takes the supply from all chips for a while. It is on again whatever
// happens.
func (t *Taps) cycle(ctx context.Context) error {
	if t.Rail == nil {
		return fmt.Errorf("cycle the power of the chips: there is no rail switch: %w", ErrHeld)
	}
	err := t.Rail(false)
	if err == nil {
		err = t.sleep(ctx, railOff)
	}
	if err = errors.Join(err, t.Rail(true)); err == nil {
		err = t.sleep(ctx, railOn)
	}
	if err != nil {
		return fmt.Errorf("cycle the power of the chips: %w", err)
	}
	return nil
}

func (t *Taps) sleep(ctx context.Context, d time.Duration) error {
	if t.Sleep != nil {
		return t.Sleep(ctx, d)
	}
	return sleep(ctx, d)
}
