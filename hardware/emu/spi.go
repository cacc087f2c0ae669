package emu

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
)

// spiEnd is what every chip behind an SPI port here has in common: the port
// that is opened, connected once and closed, the counters and the faults of
// the wire. It is the port (spi.PortCloser) and, once connected, the
// connection (spi.Conn). Nothing comes back from these chips: reads give
// zeros, and a chip that is not there is not noticed.
type spiEnd struct {
	mu   sync.Mutex
	name string // "emulated MAX7219"
	// fastest is the fastest clock the chip follows, 0 for no limit.
	fastest physic.Frequency
	// needsCS says that the chip does nothing without its chip select.
	needsCS bool
	// clockIn takes the bytes of one transfer, most significant bit first, and
	// deselected is called when the chip select rises after it. The lock is
	// held in both.
	clockIn    func(w []byte)
	deselected func()

	limit, asked     physic.Frequency
	connected        bool
	closed           bool
	unplugged        bool
	fail             error
	disturbed        corruption
	bytes, transfers uint64
}

// String implements spi.Port and conn.Conn.
func (s *spiEnd) String() string { return s.name }

// Connect implements spi.Port. Data is sampled on the rising edge, most
// significant bit first: modes 0 and 3 with 8 bits per word. A port can be
// connected once.
func (s *spiEnd) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := mode &^ (spi.NoCS | spi.HalfDuplex); {
	case s.closed:
		return nil, fmt.Errorf("connect to %s: %w", s.name, os.ErrClosed)
	case s.connected:
		return nil, fmt.Errorf("connect to %s: already connected; connect once and keep the connection", s.name)
	case f < 0:
		return nil, fmt.Errorf("connect to %s: speed %s is negative", s.name, f)
	case m != spi.Mode0 && m != spi.Mode3:
		return nil, fmt.Errorf("connect to %s: use spi.Mode0 or spi.Mode3, not %s", s.name, mode)
	case s.needsCS && mode&spi.NoCS != 0:
		return nil, fmt.Errorf("connect to %s: it needs the chip select, do not use spi.NoCS", s.name)
	case bits != 8:
		return nil, fmt.Errorf("connect to %s: use 8 bits per word, not %d", s.name, bits)
	}
	s.connected, s.asked = true, f
	return s, nil
}

// LimitSpeed implements spi.PortCloser.
func (s *spiEnd) LimitSpeed(f physic.Frequency) error {
	if f <= 0 {
		return fmt.Errorf("limit speed of %s to %s: choose a speed above 0", s.name, f)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = f
	return nil
}

// Speed returns the clock in force: the lower of what the port is limited to
// and what the driver asked for.
func (s *spiEnd) Speed() physic.Frequency {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speed()
}

func (s *spiEnd) speed() physic.Frequency {
	switch {
	case s.asked == 0:
		return s.limit
	case s.limit == 0:
		return s.asked
	}
	return min(s.asked, s.limit)
}

// Close implements io.Closer. The lights keep what they show.
func (s *spiEnd) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("close %s: %w", s.name, os.ErrClosed)
	}
	s.closed = true
	return nil
}

// Reopen makes the port usable and connectable again, as opening
// /dev/spidev0.0 once more would. The chip has noticed nothing.
func (s *spiEnd) Reopen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.connected, s.asked = false, false, 0
}

// Duplex implements conn.Conn.
func (s *spiEnd) Duplex() conn.Duplex { return conn.Full }

// MaxTxSize implements conn.Limits: the most bytes that one Tx may carry.
func (s *spiEnd) MaxTxSize() int { return spiMaxTx }

// Fail makes every Tx return err without a bit going out; nil heals.
func (s *spiEnd) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// Unplug takes the chip off the wire, or puts it back. Transfers go on without
// an error: SPI has no acknowledge.
func (s *spiEnd) Unplug(off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unplugged = off
}

// Corrupt inverts the bits of mask in every byte of the next n transfers, as a
// disturbed wire does. Nobody sees an error.
func (s *spiEnd) Corrupt(n int, mask byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturbed = corruption{mask: mask, left: max(n, 0)}
}

// Bytes returns how many bytes have been clocked out.
func (s *spiEnd) Bytes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Transfers returns how many transfers the bytes came in.
func (s *spiEnd) Transfers() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transfers
}

// WireTime returns how long the counted bytes take at the clock in force, 0 if
// that is unknown.
func (s *spiEnd) WireTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.speed()
	if f == 0 {
		return 0
	}
	return time.Duration(s.bytes) * 8 * f.Period()
}

// Tx implements conn.Conn: it clocks w out and ends with the chip select
// rising. r, when not empty, must be as long as w (or w be empty) and is filled
// with zeros.
func (s *spiEnd) Tx(w, r []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(w, r, 8); err != nil {
		return err
	}
	s.clock(w, r)
	s.deselect()
	return nil
}

// TxPackets implements spi.Conn. The chip select rises after every packet
// without KeepCS, and after the last one.
func (s *spiEnd) TxPackets(p []spi.Packet) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range p {
		bits := p[i].BitsPerWord
		if bits == 0 {
			bits = 8
		}
		if err := s.check(p[i].W, p[i].R, bits); err != nil {
			return err
		}
		s.clock(p[i].W, p[i].R)
		if !p[i].KeepCS || i == len(p)-1 {
			s.deselect()
		}
	}
	return nil
}

// check returns what the port says of a transfer before it begins.
func (s *spiEnd) check(w, r []byte, bits uint8) error {
	switch {
	case s.closed:
		return fmt.Errorf("write to %s: %w", s.name, os.ErrClosed)
	case !s.connected:
		return errors.New("write to " + s.name + ": call Connect first")
	case s.fail != nil:
		return fmt.Errorf("write to %s: %w", s.name, s.fail)
	case bits != 8:
		return fmt.Errorf("write to %s: use 8 bits per word, not %d", s.name, bits)
	case max(len(w), len(r)) > spiMaxTx:
		return fmt.Errorf("write to %s: %d bytes are more than the %d that fit in one transfer",
			s.name, max(len(w), len(r)), spiMaxTx)
	case len(w) > 0 && len(r) > 0 && len(w) != len(r):
		return fmt.Errorf("write to %s: %d bytes to write but %d to read; give equal lengths", s.name, len(w), len(r))
	case s.fastest != 0 && s.speed() > s.fastest:
		return fmt.Errorf("write to %s: it follows a clock of at most %s, this one has %s; limit the port's speed",
			s.name, s.fastest, s.speed())
	}
	return nil
}

// clock puts the bytes of a transfer on the wire; a read alone clocks zeros
// out.
func (s *spiEnd) clock(w, r []byte) {
	s.bytes += uint64(max(len(w), len(r)))
	s.transfers++
	if len(w) == 0 {
		w = make([]byte, len(r))
	}
	if s.disturbed.left > 0 {
		s.disturbed.left--
		w = append([]byte(nil), w...)
		for i := range w {
			w[i] ^= s.disturbed.mask
		}
	}
	if !s.unplugged {
		s.clockIn(w)
	}
	clear(r)
}

func (s *spiEnd) deselect() {
	if s.deselected != nil && !s.unplugged {
		s.deselected()
	}
}

var (
	_ spi.PortCloser = (*spiEnd)(nil)
	_ spi.Conn       = (*spiEnd)(nil)
	_ conn.Limits    = (*spiEnd)(nil)
)
