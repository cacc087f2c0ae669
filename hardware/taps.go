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
	// railTries is how often the supply is tried to be switched on again.
	railTries = 5
	// cycleFirst and cycleMax bound the wait before the supply is cycled again
	// when that was of no use: chips on another bus may have it, too.
	cycleFirst = 5 * time.Second
	cycleMax   = 5 * time.Minute
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
//
// Without taps there is only the supply, and it is cycled whenever the bus is
// found dead. Where that does not help it is done more and more rarely.
type Taps struct {
	// SCL and SDA are both there or both nil.
	SCL, SDA Tap
	// Rail switches the supply of all chips on the bus; nil if there is no
	// switch.
	Rail func(on bool) error
	// Sleep waits; nil means a real timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now returns a monotonic time; nil means the real one.
	Now func() time.Duration

	begun time.Time // Of the real time.
	// askedAt is when Recover was called last. Before notBefore, which is wait
	// after the last cycle, there is no other.
	asked              bool
	askedAt, notBefore time.Duration
	wait               time.Duration
	// last is what the last cycle failed with, if it did.
	last error
	// off says that the supply could not be switched on again.
	off bool
}

// Recover frees the bus. It returns nil if both lines are high in the end, and
// touches nothing if they are high from the start. Both taps are released
// whatever happens, and the rail is on. It is not safe for concurrent use: the
// owner of the bus calls it.
func (t *Taps) Recover(ctx context.Context) error {
	if t.SCL == nil || t.SDA == nil {
		return t.cycle(ctx)
	}
	if err := t.release(); err != nil {
		return err
	}
	if t.free() && !t.off {
		t.wait = 0
		return nil
	}
	if t.SCL.Read() == gpio.High && !t.off {
		if err := errors.Join(t.clock(ctx), t.release()); err != nil {
			return fmt.Errorf("clock the I²C bus free: %w", err)
		}
		if t.free() {
			t.wait = 0
			return nil
		}
	}
	if err := t.cycle(ctx); err != nil {
		return err
	}
	if !t.free() {
		return ErrHeld
	}
	t.wait = 0
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
	if !t.due() {
		return fmt.Errorf("cycle the power of the chips: not again so soon: %w", t.last)
	}
	t.last = ErrHeld // Unless it says something else.
	err := t.Rail(false)
	if err == nil {
		err = t.sleep(ctx, railOff)
	}
	if err = errors.Join(err, t.switchOn(ctx)); err == nil {
		err = t.sleep(ctx, railOn)
	}
	t.notBefore = t.now() + t.wait
	if err != nil {
		t.last = err
		return fmt.Errorf("cycle the power of the chips: %w", err)
	}
	return nil
}

// due reports whether the supply may be cycled, and says how long to wait after
// that. The waits begin anew when the bus has worked meanwhile: a dead one is
// probed, and found dead, more often.
func (t *Taps) due() bool {
	now := t.now()
	if !t.asked || now-t.askedAt > 2*probeMax {
		t.wait = 0
	}
	t.asked, t.askedAt = true, now
	if t.wait > 0 && now < t.notBefore {
		return false
	}
	t.wait = min(max(2*t.wait, cycleFirst), cycleMax)
	return true
}

// switchOn switches the supply on. Chips without supply do not hold the bus: if
// this fails nobody would ask for it again.
func (t *Taps) switchOn(ctx context.Context) (err error) {
	for range railTries {
		if err = t.Rail(true); err == nil {
			t.off = false
			return nil
		}
		if t.sleep(ctx, railOn) != nil {
			break
		}
	}
	t.off = true
	return err
}

func (t *Taps) now() time.Duration {
	if t.Now != nil {
		return t.Now()
	}
	if t.begun.IsZero() {
		t.begun = time.Now()
	}
	return time.Since(t.begun)
}

func (t *Taps) sleep(ctx context.Context, d time.Duration) error {
	if t.Sleep != nil {
		return t.Sleep(ctx, d)
	}
	return sleep(ctx, d)
}
