package hardware

import (
	"fmt"
	"math"
	"time"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
)

// PersistentBus is an I²C bus that is opened again after its adapter has gone.
// Hand it to NewBus, whose breaker decides how often it is tried.
type PersistentBus struct {
	*Handle[i2c.BusCloser]
	label string
	// hard counts failures of the controller in a row: an USB adapter that was
	// pulled reports no more than that (i2c-tiny-usb: EIO).
	hard int
}

// NewPersistentBus opens the bus that people call name. now is as for NewHandle.
func NewPersistentBus(name string, now func() time.Duration, open func() (i2c.BusCloser, error)) (*PersistentBus, error) {
	b := &PersistentBus{}
	var err error
	b.Handle, err = NewHandle(name, now, func() (i2c.BusCloser, error) {
		bus, err := open()
		if err == nil {
			b.label = bus.String()
		}
		return bus, err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Tx implements i2c.Bus.
func (b *PersistentBus) Tx(addr uint16, w, r []byte) error {
	bus, err := b.Acquire()
	if err != nil {
		return err
	}
	err = bus.Tx(addr, w, r)
	if Classify(err) != IO {
		b.hard = 0
	} else if b.hard++; b.hard >= failLimit {
		b.hard = 0
		_ = b.shut() // The next transfer finds out whether the adapter is there.
	}
	return b.Release(err)
}

// SetSpeed implements i2c.Bus.
func (b *PersistentBus) SetSpeed(f physic.Frequency) error {
	bus, err := b.Acquire()
	if err != nil {
		return err
	}
	return b.Release(bus.SetSpeed(f))
}

// String implements i2c.Bus: the name of the bus, there or not.
func (b *PersistentBus) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.label
}

// PersistentPort is an SPI port that is opened, and connected as before, again
// after its device has gone.
type PersistentPort struct {
	*Handle[*connectedPort]
	label string
	// limit is what LimitSpeed asked for, and connect what Connect did, if not 0.
	limit   physic.Frequency
	speed   physic.Frequency
	mode    spi.Mode
	bits    int
	maximum int
}

// connectedPort is an open port with its connection, nil before there is one.
type connectedPort struct {
	spi.PortCloser
	conn spi.Conn
}

// NewPersistentPort opens the port that people call name. now is as for NewHandle.
func NewPersistentPort(name string, now func() time.Duration, open func() (spi.PortCloser, error)) (*PersistentPort, error) {
	p := &PersistentPort{}
	var err error
	p.Handle, err = NewHandle(name, now, func() (*connectedPort, error) {
		port, err := open()
		if err != nil {
			return nil, err
		}
		return p.setUp(port)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// setUp does with a port that was just opened what was done with the one before.
func (p *PersistentPort) setUp(port spi.PortCloser) (*connectedPort, error) {
	c := &connectedPort{PortCloser: port}
	p.label, p.maximum = port.String(), math.MaxInt
	if l, ok := port.(conn.Limits); ok {
		p.maximum = l.MaxTxSize()
	}
	err := error(nil)
	if p.limit != 0 {
		err = port.LimitSpeed(p.limit)
	}
	if err == nil && p.speed != 0 {
		c.conn, err = port.Connect(p.speed, p.mode, p.bits)
	}
	if err != nil {
		_ = port.Close() // The error of interest is the first one.
		return nil, err
	}
	return c, nil
}

// LimitSpeed implements spi.PortCloser.
func (p *PersistentPort) LimitSpeed(f physic.Frequency) error {
	c, err := p.Acquire()
	if err != nil {
		return err
	}
	if err = c.LimitSpeed(f); err == nil {
		p.limit = f
	}
	return p.Release(err)
}

// Connect implements spi.Port.
func (p *PersistentPort) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	c, err := p.Acquire()
	if err != nil {
		return nil, err
	}
	if c.conn, err = c.Connect(f, mode, bits); err == nil {
		p.speed, p.mode, p.bits = f, mode, bits
	}
	if err = p.Release(err); err != nil {
		return nil, err
	}
	return (*persistentConn)(p), nil
}

// String implements spi.Port: the name of the port, there or not.
func (p *PersistentPort) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.label
}

// MaxTxSize implements conn.Limits; it is the largest int if the port names no limit.
func (p *PersistentPort) MaxTxSize() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.maximum
}

// persistentConn is the connection of a PersistentPort.
type persistentConn PersistentPort

func (c *persistentConn) port() *PersistentPort { return (*PersistentPort)(c) }

// Tx implements conn.Conn.
func (c *persistentConn) Tx(w, r []byte) error {
	open, err := c.port().Acquire()
	if err != nil {
		return err
	}
	return c.Release(open.conn.Tx(w, r))
}

// TxPackets implements spi.Conn.
func (c *persistentConn) TxPackets(packets []spi.Packet) error {
	open, err := c.port().Acquire()
	if err != nil {
		return err
	}
	return c.Release(open.conn.TxPackets(packets))
}

// Duplex implements conn.Conn.
func (c *persistentConn) Duplex() conn.Duplex {
	open, err := c.port().Acquire()
	if err != nil {
		return conn.DuplexUnknown
	}
	duplex := open.conn.Duplex()
	_ = c.Release(nil)
	return duplex
}

// String implements conn.Conn.
func (c *persistentConn) String() string { return c.port().String() }

var (
	_ i2c.BusCloser  = (*PersistentBus)(nil)
	_ spi.PortCloser = (*PersistentPort)(nil)
	_ spi.Conn       = (*persistentConn)(nil)
	_ fmt.Stringer   = (*persistentConn)(nil)
	_ Device         = (*PersistentBus)(nil)
	_ Device         = (*PersistentPort)(nil)
)
