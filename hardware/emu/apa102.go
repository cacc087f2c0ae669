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

// LED is what one LED shows: the 5-bit global brightness and three 8-bit
// channels. The zero value is dark.
type LED struct {
	Bright, R, G, B uint8
}

const (
	// startBits is the number of zero bits that announce a new update.
	startBits = 32
	// frameBits is the length of an LED's frame: E0h|brightness, blue, green,
	// red.
	frameBits  = 32
	frameBytes = frameBits / 8

	// spiMaxTx is the buffer of Linux' spidev, the most that one Tx can carry.
	spiMaxTx = 4096
	// spiMaxSpeed is the fastest clock that the chain is asked to follow when
	// neither side limits it. The sheet names no maximum.
	spiMaxSpeed = 30 * physic.MegaHertz
)

// chip is one LED's shift logic. It waits for 32 zeros, takes the 32 bits from
// the next one-bit on for itself, sends zeros on in their place, and passes
// everything else on.
type chip struct {
	led   LED
	shift uint32
	zeros uint8 // zero bits seen in a row, at most startBits
	left  uint8 // bits of the own frame still to come
	// delayed is the bit between the previous chip and this one. Each chip
	// hands data on half a clock late; here every second one holds it for a
	// whole clock, which is the same at the far end: n/2 clocks.
	delayed uint8
}

// step clocks one bit in and returns the bit handed on.
func (c *chip) step(bit uint8) uint8 {
	switch {
	case c.left > 0:
		c.shift = c.shift<<1 | uint32(bit)
		c.left--
		if c.left == 0 {
			c.led = decodeLED(c.shift)
		}
		return 0
	case bit == 0:
		if c.zeros < startBits {
			c.zeros++
		}
		return 0
	case c.zeros == startBits:
		// The measured chips know their frame by its first bit alone and
		// ignore the two that follow; the sheet asks for three ones.
		c.zeros, c.shift, c.left = 0, 1, frameBits-1
		return 0
	default:
		c.zeros = 0
		return 1
	}
}

// decodeLED reads a frame, most significant bit first on the wire.
func decodeLED(w uint32) LED {
	return LED{Bright: uint8(w>>24) & 0x1F, B: uint8(w >> 16), G: uint8(w >> 8), R: uint8(w)}
}

// APA102 is a chain of APA102 LEDs at the end of an SPI port. It is the port
// (spi.PortCloser) and, once connected, the connection (spi.Conn).
//
// Bits shift through the chain as in the real one: an LED shows its colour at
// the end of its own frame, data reaches LED k k/2 clocks late, and what the
// last LEDs did not get before the clock stopped they get with the next
// clocks, whatever those carry. The chain has no chip select and no MISO:
// reads give zeros.
type APA102 struct {
	mu    sync.Mutex
	chips []chip
	// settled says that every chip is between frames, has just seen a one and
	// has a one waiting at its input: the state that a well-formed update
	// starts from and leaves behind.
	settled bool

	frames, bytes uint64
	limit, asked  physic.Frequency
	connected     bool
	closed        bool
	unplugged     bool
	fail          error
}

// NewAPA102 returns a dark chain of n LEDs.
func NewAPA102(n int) *APA102 {
	a := &APA102{chips: make([]chip, max(n, 0)), limit: spiMaxSpeed}
	a.powerCycle()
	return a
}

// powerCycle makes all chips dark and forget what they were doing.
func (a *APA102) powerCycle() {
	for i := range a.chips {
		a.chips[i] = chip{delayed: 1}
	}
	a.settled = true
}

// Unplug takes the chain off its plug, or puts it back, dark: the plug has its
// supply as well. Transfers go on without an error: SPI has no acknowledge.
func (a *APA102) Unplug(off bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unplugged = off
	a.powerCycle()
}

// String implements spi.Port and conn.Conn.
func (a *APA102) String() string { return "emulated APA102 chain" }

// Connect implements spi.Port. The chain samples on the rising edge, most
// significant bit first: modes 0 and 3 with 8 bits per word. A port can be
// connected once.
func (a *APA102) Connect(f physic.Frequency, mode spi.Mode, bits int) (spi.Conn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch m := mode &^ (spi.NoCS | spi.HalfDuplex); {
	case a.closed:
		return nil, fmt.Errorf("connect to emulated APA102 chain: %w", os.ErrClosed)
	case a.connected:
		return nil, errors.New("connect to emulated APA102 chain: already connected; connect once and keep the connection")
	case f < 0:
		return nil, fmt.Errorf("connect to emulated APA102 chain: speed %s is negative", f)
	case m != spi.Mode0 && m != spi.Mode3:
		return nil, fmt.Errorf("connect to emulated APA102 chain: use spi.Mode0 or spi.Mode3, not %s", mode)
	case bits != 8:
		return nil, fmt.Errorf("connect to emulated APA102 chain: use 8 bits per word, not %d", bits)
	}
	a.connected, a.asked = true, f
	return a, nil
}

// LimitSpeed implements spi.PortCloser.
func (a *APA102) LimitSpeed(f physic.Frequency) error {
	if f <= 0 {
		return fmt.Errorf("limit speed of emulated APA102 chain to %s: choose a speed above 0", f)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit = f
	return nil
}

// Speed returns the clock in force: the lower of what the port is limited to
// and what the driver asked for.
func (a *APA102) Speed() physic.Frequency {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.speed()
}

func (a *APA102) speed() physic.Frequency {
	if a.asked == 0 {
		return a.limit
	}
	return min(a.asked, a.limit)
}

// Close implements io.Closer. The LEDs keep what they show.
func (a *APA102) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return fmt.Errorf("close emulated APA102 chain: %w", os.ErrClosed)
	}
	a.closed = true
	return nil
}

// Reopen makes the port usable and connectable again, as opening
// /dev/spidev0.0 once more would. The chain has noticed nothing.
func (a *APA102) Reopen() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed, a.connected, a.asked = false, false, 0
}

// Duplex implements conn.Conn.
func (a *APA102) Duplex() conn.Duplex { return conn.Full }

// MaxTxSize implements conn.Limits: the most bytes that one Tx may carry.
func (a *APA102) MaxTxSize() int { return spiMaxTx }

// Fail makes every Tx return err without a bit going out; nil heals.
func (a *APA102) Fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail = err
}

// Tx implements conn.Conn: it clocks w into the chain. r, when not empty, must
// be as long as w (or w be empty) and is filled with zeros.
func (a *APA102) Tx(w, r []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tx(w, r, 8)
}

// TxPackets implements spi.Conn. KeepCS means nothing to the chain.
func (a *APA102) TxPackets(p []spi.Packet) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range p {
		bits := p[i].BitsPerWord
		if bits == 0 {
			bits = 8
		}
		if err := a.tx(p[i].W, p[i].R, bits); err != nil {
			return err
		}
	}
	return nil
}

func (a *APA102) tx(w, r []byte, bits uint8) error {
	switch {
	case a.closed:
		return fmt.Errorf("write to emulated APA102 chain: %w", os.ErrClosed)
	case !a.connected:
		return errors.New("write to emulated APA102 chain: call Connect first")
	case a.fail != nil:
		return fmt.Errorf("write to emulated APA102 chain: %w", a.fail)
	case bits != 8:
		return fmt.Errorf("write to emulated APA102 chain: use 8 bits per word, not %d", bits)
	case max(len(w), len(r)) > spiMaxTx:
		return fmt.Errorf("write to emulated APA102 chain: %d bytes are more than the %d that fit in one transfer",
			max(len(w), len(r)), spiMaxTx)
	case len(w) > 0 && len(r) > 0 && len(w) != len(r):
		return fmt.Errorf("write to emulated APA102 chain: %d bytes to write but %d to read; give equal lengths", len(w), len(r))
	}
	a.bytes += uint64(max(len(w), len(r)))
	if !a.unplugged && !a.wellFormed(w) {
		for _, v := range w {
			a.shiftByte(v)
		}
		for range len(r) - len(w) { // a read alone clocks zeros out
			a.shiftByte(0)
		}
		a.settled = a.isSettled()
	}
	clear(r)
	return nil
}

// shiftByte clocks eight bits through the whole chain.
func (a *APA102) shiftByte(v byte) {
	for i := 7; i >= 0; i-- {
		bit := v >> i & 1
		for k := range a.chips {
			c := &a.chips[k]
			if k&1 == 1 {
				bit, c.delayed = c.delayed, bit
			}
			before := c.left
			bit = c.step(bit)
			if k == 0 && before == 0 && c.left > 0 {
				a.frames++
			}
		}
	}
}

// isSettled tells whether the chain is in the state described at
// APA102.settled.
func (a *APA102) isSettled() bool {
	for i := range a.chips {
		c := &a.chips[i]
		if c.left != 0 || c.zeros != 0 || i&1 == 1 && c.delayed != 1 {
			return false
		}
	}
	return true
}

// wellFormed takes the short way for the update that drivers send all day and
// tells whether it did: exactly 32 zero bits, a frame for every LED, and ones
// for at least as many clocks as the chain delays. From the settled state that
// gives every LED its own frame and leaves the chain settled, which shiftByte
// would find out bit by bit.
func (a *APA102) wellFormed(w []byte) bool {
	n := len(a.chips)
	ledsEnd := frameBytes + n*frameBytes
	// One clock more than the delay, so that the last chip has seen a one.
	if !a.settled || n == 0 || (len(w)-ledsEnd)*8 <= n/2 {
		return false
	}
	for _, v := range w[:frameBytes] {
		if v != 0 {
			return false
		}
	}
	for i := frameBytes; i < ledsEnd; i += frameBytes {
		if w[i]&0x80 == 0 {
			return false
		}
	}
	for _, v := range w[ledsEnd:] {
		if v != 0xFF {
			return false
		}
	}
	for i := range a.chips {
		f := w[frameBytes*(i+1):]
		a.chips[i].led = LED{Bright: f[0] & 0x1F, B: f[1], G: f[2], R: f[3]}
	}
	a.frames++
	return true
}

// Len returns the number of LEDs.
func (a *APA102) Len() int { return len(a.chips) }

// LEDs returns what every LED shows, the one next to the controller first.
func (a *APA102) LEDs() []LED {
	out := make([]LED, len(a.chips))
	a.CopyLEDs(out)
	return out
}

// CopyLEDs copies what the LEDs show into dst, without allocating, and returns
// how many it copied.
func (a *APA102) CopyLEDs(dst []LED) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := min(len(dst), len(a.chips))
	for i := range n {
		dst[i] = a.chips[i].led
	}
	return n
}

// Frames returns how many updates the first LED has begun to take.
func (a *APA102) Frames() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.frames
}

// Bytes returns how many bytes have been clocked out.
func (a *APA102) Bytes() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// WireTime returns how long the counted bytes take at the clock in force.
func (a *APA102) WireTime() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Duration(a.bytes) * 8 * a.speed().Period()
}

var (
	_ spi.PortCloser = (*APA102)(nil)
	_ spi.Conn       = (*APA102)(nil)
	_ conn.Limits    = (*APA102)(nil)
)
