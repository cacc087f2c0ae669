package pi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"periph.io/x/conn/v3/driver/driverreg"
	"periph.io/x/conn/v3/gpio"
	"periph.io/x/host/v3/gpioioctl"

	"reversi-board/hardware"
)

// edgeStep is how long Input waits at most before it looks at its context.
// Neither 0 nor a negative wait means the same to gpioioctl and to periph's
// contract.
const edgeStep = time.Second

// Init prepares the pins. Call it once, before anything reads standard input,
// which must be read through stdin from then on: preparing the pins may close
// file descriptor 0. stdin is nil if the process was started without standard
// input.
//
// The buses need no Init.
func Init() (stdin *os.File, err error) {
	stdin = keepStdin()
	_, err = driverreg.Init()
	if guard := guardStdin(); guard != nil {
		err = errors.Join(err, guard)
	}
	if err != nil {
		return stdin, fmt.Errorf("prepare the pins: %w", err)
	}
	return stdin, nil
}

// line finds a pin of the header: its number is the offset in the chip whose
// label begins with pinctrl-, whatever the chip's number and the line's name.
func line(name string) (*gpioioctl.GPIOLine, error) {
	n, err := parsePin(name)
	if err != nil {
		return nil, err
	}
	if chip := chipWith(n); chip != nil {
		return chip.ByNumber(n), nil
	}
	return nil, explain(kindGPIO(), name, model(), noChip())
}

// noChip says why there is no GPIO chip: gpioioctl only logs it.
func noChip() error {
	f, err := os.Open("/dev/gpiochip0")
	if err != nil {
		return err
	}
	_ = f.Close() // Opened only to see whether it can be.
	return &fs.PathError{Op: "find", Path: "GPIO chip pinctrl-*", Err: fs.ErrNotExist}
}

// edgePin is what an Input needs of a pin.
type edgePin interface {
	In(pull gpio.Pull, edge gpio.Edge) error
	Read() gpio.Level
	WaitForEdge(timeout time.Duration) bool
}

// Input is a pin that is read and waited for. It must be used by one goroutine
// only: gpioioctl does not lock all of a line's state.
type Input struct {
	name string
	pin  edgePin
}

// OpenInput makes the pin, like "GPIO17", an input with the given pull; edges
// of the given kind can be waited for. gpio.Float leaves the pull that the Pi
// started with, so name one or have a resistor on the board.
func OpenInput(name string, pull gpio.Pull, edge gpio.Edge) (*Input, error) {
	l, err := line(name)
	if err != nil {
		return nil, err
	}
	return newInput(name, l, pull, edge)
}

func newInput(name string, p edgePin, pull gpio.Pull, edge gpio.Edge) (*Input, error) {
	if err := p.In(pull, edge); err != nil {
		return nil, fmt.Errorf("make pin %s an input, is another program using it? %w", name, err)
	}
	return &Input{name: name, pin: p}, nil
}

// Read returns the level now. gpioioctl reports an error as low.
func (i *Input) Read() gpio.Level { return i.pin.Read() }

// Wait blocks until an edge arrives, and then returns nil, or ctx ends, and
// then returns its error, at most a second late. An edge may be missed or seen
// late: it is a hint, the level counts.
func (i *Input) Wait(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		if i.pin.WaitForEdge(edgeStep) {
			return nil
		}
		// A wait that fails at once must not become a busy loop.
		if rest := edgeStep - time.Since(start); rest > edgeStep/2 {
			if err := pause(ctx, rest); err != nil {
				return err
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// outPin is what an Output needs of a pin; there is no Read on purpose.
type outPin interface {
	Out(l gpio.Level) error
}

// Output is a pin that is driven. Like every output of gpioioctl it is low for
// some microseconds when it is opened: wire it so that low is safe.
type Output struct {
	name  string
	pin   outPin
	level gpio.Level
}

// OpenOutput makes the pin an output at the given level.
func OpenOutput(name string, l gpio.Level) (*Output, error) {
	p, err := line(name)
	if err != nil {
		return nil, err
	}
	return newOutput(name, p, l)
}

func newOutput(name string, p outPin, l gpio.Level) (*Output, error) {
	o := &Output{name: name, pin: p}
	return o, o.Set(l)
}

// Set drives the pin.
func (o *Output) Set(l gpio.Level) error {
	if err := o.pin.Out(l); err != nil {
		return fmt.Errorf("set pin %s %s, is another program using it? %w", o.name, l, err)
	}
	o.level = l
	return nil
}

// Level returns what was last set. The pin itself is never read: that would
// turn it into an input.
func (o *Output) Level() gpio.Level { return o.level }

// OpenTap returns the pin as a second pin on a line of the I²C bus, let go, for
// hardware.Taps.
func OpenTap(name string) (hardware.Tap, error) {
	l, err := line(name)
	if err != nil {
		return nil, err
	}
	if err := l.In(gpio.PullNoChange, gpio.NoEdge); err != nil {
		return nil, fmt.Errorf("make pin %s an input, is another program using it? %w", name, err)
	}
	return l, nil
}
