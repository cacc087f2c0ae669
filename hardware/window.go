package hardware

import (
	"fmt"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

// Window is the bus as the drivers of a board's chips see it: open while a
// request of that board runs, and closed otherwise. A driver keeps the bus that
// it was made with, but the bus given to a request lives as long as the request
// only; the window stands between the two.
//
// It is used by one request at a time.
type Window struct {
	tx   i2c.Bus
	name fmt.Stringer
}

// NewWindow returns a closed window on bus.
func NewWindow(bus *Bus) *Window { return &Window{name: bus} }

// Open lets transfers through to tx, the bus given to a request.
func (w *Window) Open(tx i2c.Bus) { w.tx = tx }

// Close lets nothing through until the next Open.
func (w *Window) Close() { w.tx = nil }

// Tx implements i2c.Bus; it returns ErrOutside while the window is closed.
func (w *Window) Tx(addr uint16, out, in []byte) error {
	if w.tx == nil {
		return ErrOutside
	}
	return w.tx.Tx(addr, out, in)
}

// SetSpeed implements i2c.Bus; the speed is not a chip's business.
func (w *Window) SetSpeed(physic.Frequency) error { return ErrOutside }

// String implements i2c.Bus.
func (w *Window) String() string { return w.name.String() }

// WholeBus reports whether a failed transfer says that nothing on the bus can
// be reached, so that the rest of a scan would only wait for the same again.
func WholeBus(err error) bool { return fatal(Classify(err)) }

var _ i2c.Bus = (*Window)(nil)
