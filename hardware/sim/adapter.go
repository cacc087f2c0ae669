package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
)

// Adapter is what is behind a device file: an I²C adapter or an SPI controller,
// whose driver can be unbound. It behaves as Linux does: every use of a file that
// was open then fails, and the adapter cannot come back while one is still open
// (i2c_del_adapter waits for it).
type Adapter struct {
	// cause is what a transfer over a file of an adapter that has gone ends with.
	cause error

	mu            sync.Mutex
	away          bool
	opens, closes int
}

// Unplug takes the adapter away.
func (a *Adapter) Unplug() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = true
}

// Plug brings it back. That fails as long as a file is open that was opened
// before it went.
func (a *Adapter) Plug() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := a.opens - a.closes; n > 0 && a.away {
		return fmt.Errorf("bring the adapter back: %d old files are open: %w", n, syscall.EBUSY)
	}
	a.away = false
	return nil
}

// Files returns how often a file of the adapter was opened and closed.
func (a *Adapter) Files() (opens, closes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opens, a.closes
}

// open opens a file.
func (a *Adapter) open(name string) (adapterFile, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away {
		return adapterFile{}, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	a.opens++
	return adapterFile{adapter: a, closed: new(bool)}, nil
}

// adapterFile is an open file of an adapter.
type adapterFile struct {
	adapter *Adapter
	closed  *bool
}

// use returns why the file cannot be used, or nil.
func (f adapterFile) use() error {
	f.adapter.mu.Lock()
	defer f.adapter.mu.Unlock()
	switch {
	case *f.closed:
		return fs.ErrClosed
	case f.adapter.away:
		return f.adapter.cause
	}
	return nil
}

// Close implements io.Closer.
func (f adapterFile) Close() error {
	f.adapter.mu.Lock()
	defer f.adapter.mu.Unlock()
	if *f.closed {
		return fs.ErrClosed
	}
	*f.closed = true
	f.adapter.closes++
	return nil
}

// plugIn gives a board its adapters. The errors are those of Linux, flattened to
// text as periph does it.
func (b *Board) plugIn() {
	for i := range b.adapters {
		b.adapters[i].cause = errors.New("sysfs-i2c: no such device")
	}
	b.portAdapter.cause = errors.New("sysfs-spi: Tx() failed: cannot send after transport endpoint shutdown")
}

// I2CAdapter returns what is behind a bus, 0 or 1.
func (b *Board) I2CAdapter(bus int) *Adapter { return &b.adapters[bus] }

// SPIAdapter returns what is behind the port of the LEDs.
func (b *Board) SPIAdapter() *Adapter { return &b.portAdapter }

// OpenI2C opens the device file of a bus, 0 or 1.
func (b *Board) OpenI2C(bus int) (i2c.BusCloser, error) {
	f, err := b.adapters[bus].open(fmt.Sprintf("/dev/i2c-%d", bus+1))
	if err != nil {
		return nil, err
	}
	return &busFile{adapterFile: f, bus: b.open(bus)}, nil
}

// busFile is an open file of a bus.
type busFile struct {
	adapterFile
	bus i2c.BusCloser
}

// Tx implements i2c.Bus.
func (f *busFile) Tx(addr uint16, w, r []byte) error {
	if err := f.use(); err != nil {
		return err
	}
	return f.bus.Tx(addr, w, r)
}

// SetSpeed implements i2c.Bus.
func (f *busFile) SetSpeed(hz physic.Frequency) error { return f.bus.SetSpeed(hz) }

// String implements i2c.Bus.
func (f *busFile) String() string { return f.bus.String() }

// OpenSPI opens the device file of the port with the LEDs, which must be on one.
func (b *Board) OpenSPI() (spi.PortCloser, error) {
	f, err := b.portAdapter.open("/dev/spidev0.0")
	if err != nil {
		return nil, err
	}
	return &portFile{adapterFile: f, PortCloser: b.lights.port()}, nil
}

// portFile is an open file of a port.
type portFile struct {
	adapterFile
	spi.PortCloser
}

// Close implements spi.PortCloser.
func (f *portFile) Close() error { return f.adapterFile.Close() }

// Connect implements spi.Port.
func (f *portFile) Connect(hz physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	if err := f.use(); err != nil {
		return nil, err
	}
	c, err := f.PortCloser.Connect(hz, mode, bits)
	if err != nil {
		return nil, err
	}
	return &connFile{file: f.adapterFile, Conn: c}, nil
}

// MaxTxSize implements conn.Limits.
func (f *portFile) MaxTxSize() int {
	if l, ok := f.PortCloser.(conn.Limits); ok {
		return l.MaxTxSize()
	}
	return 0
}

// connFile is the connection over an open file of a port.
type connFile struct {
	file adapterFile
	spi.Conn
}

// Tx implements conn.Conn.
func (f *connFile) Tx(w, r []byte) error {
	if err := f.file.use(); err != nil {
		return err
	}
	return f.Conn.Tx(w, r)
}
