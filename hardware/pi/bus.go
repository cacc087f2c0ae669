package pi

import (
	"errors"
	"fmt"
	"os"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/host/v3/sysfs"
)

// timeoutTicks is the adapter timeout, in units of 10 ms. The longest transfer
// of this project, a display page, takes 12 ms at 100 kHz.
const timeoutTicks = 5

// OpenI2C opens an I²C bus by its device file, like DefaultI2C, and asks the
// adapter to give up a held line after 50 ms instead of 1 s. warning, if not
// nil, says that the adapter refused that; the bus works all the same.
//
// Hand the bus to hardware.NewBus: one goroutine must own it.
func OpenI2C(path string) (bus i2c.BusCloser, warning, err error) {
	n, err := parseI2C(path)
	if err != nil {
		return nil, nil, err
	}
	// A file of our own, for two reasons: its error is not flattened to text,
	// and periph offers no way to set the timeout. The timeout belongs to the
	// adapter, so it holds for periph's file too.
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // parseI2C let only /dev/i2c-N through.
	if err != nil {
		return nil, nil, explain(kindI2C(), path, model(), err)
	}
	if err := setI2CTimeout(f, timeoutTicks); err != nil {
		warning = fmt.Errorf("set the timeout of %s to %d ms, a held line will cost 1 s per transfer: %w",
			path, 10*timeoutTicks, err)
	}
	if err := f.Close(); err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	b, err := sysfs.NewI2C(n)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &i2cBus{b}, warning, nil
}

// i2cBus is periph's bus with a stack that stays where it is.
type i2cBus struct {
	i2c.BusCloser
}

// Tx implements i2c.Bus.
func (b *i2cBus) Tx(addr uint16, w, r []byte) error {
	headroom(len(w))
	return b.BusCloser.Tx(addr, w, r)
}

// headroom makes the stack large enough for what periph is about to call.
// periph keeps addresses on the stack as plain numbers, which the runtime does
// not correct when it moves the stack to enlarge it.
//
//go:noinline
func headroom(n int) byte {
	var room [4096]byte
	room[n%len(room)] = byte(n)
	return room[(n+1)%len(room)]
}

// OpenSPI opens a SPI port by its device file, like DefaultSPI.
func OpenSPI(path string) (spi.PortCloser, error) {
	n, cs, err := parseSPI(path)
	if err != nil {
		return nil, err
	}
	// Opened once by ourselves, because periph flattens the error to text.
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // parseSPI let only /dev/spidevN.M through.
	if err != nil {
		return nil, explain(kindSPI(), path, model(), err)
	}
	p, err := sysfs.NewSPI(n, cs)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &spiPort{p}, nil
}

// spiPort hides periph's limit of a transfer, which is 0 as long as periph's
// driver has not read it from the system: spidev takes 4096 bytes, and the longest
// frame of this project has 774.
type spiPort struct {
	spi.PortCloser
}
