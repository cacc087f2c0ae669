package emu

import (
	"fmt"
	"time"

	"periph.io/x/conn/v3/physic"
)

// Times of the WS2812B's wire. The sheet (Worldsemi, "Data transfer time")
// wants a pulse of 0.4 us for a 0 and 0.8 us for a 1, each within 0.15 us; the
// measured chips (cpldcpu.com, "Understanding the WS2812") only tell short
// from long in the middle between the two, see nothing of a spike, and do not
// mind how long the rest of the bit takes.
const (
	wsSpike     = 62 * time.Nanosecond
	wsThreshold = 600 * time.Nanosecond
	// wsLatch is the longest that any version asks for; older ones take 50 us.
	wsLatch = 280 * time.Microsecond
	// wsGap is the pause between two transfers of a program.
	wsGap = time.Millisecond

	wsLEDBits = 24
)

// RGB is what one LED shows.
type RGB struct {
	R, G, B uint8
}

// WSOptions describe the chain and its wire; the zero value is a modern chain
// on a port that rests low.
type WSOptions struct {
	// Latch is how long the line must be low for the LEDs to show what they
	// got, 0 for 280 us.
	Latch time.Duration
	// Gap is the time between two transfers, 0 for 1 ms, negative for none.
	Gap time.Duration
	// IdleHigh makes the line rest high between transfers, as some
	// controllers leave it.
	IdleHigh bool
}

// WS2812 is a chain of WS2812 LEDs whose data line is the MOSI of an SPI port.
// Neither clock nor chip select reach the chain: all that counts is how long
// the line is high and low.
//
// After a latch every LED takes the first 24 pulses for itself, green, red,
// blue, most significant bit first, and hands on what follows. It shows what it
// got at the next latch; what is left over at the end of the chain is lost. An
// LED that got less than 24 bits goes on showing what it showed (not in the
// sheet).
type WS2812 struct {
	spiEnd
	o     WSOptions
	drift float64 // Real clock over asked clock.

	shown  []RGB
	taken  []RGB // Complete since the last latch, len of it.
	bits   uint32
	nbits  int
	level  bool
	since  time.Duration // How long the line has had its level.
	pulses uint64
	// latches counts latches that changed or confirmed some LED.
	latches uint64
}

// NewWS2812 returns a dark chain of n LEDs.
func NewWS2812(n int, o WSOptions) *WS2812 {
	if o.Latch == 0 {
		o.Latch = wsLatch
	}
	if o.Gap == 0 {
		o.Gap = wsGap
	}
	c := &WS2812{
		o: o, drift: 1, level: o.IdleHigh, since: wsGap,
		shown: make([]RGB, max(n, 0)), taken: make([]RGB, 0, max(n, 0)),
	}
	c.name = "emulated WS2812 chain"
	c.clockIn = c.stream
	return c
}

// Drift makes the port's clock run at the given part of what it was asked for:
// 0.625 is a Raspberry Pi 3 whose core clock has gone down to 250 MHz. It
// panics for a part that is not above 0.
func (c *WS2812) Drift(part float64) {
	if part <= 0 {
		panic(fmt.Sprintf("emu: a clock at %v of its speed", part))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drift = part
}

// PowerCycle takes the LEDs' supply away and gives it back: they are dark.
func (c *WS2812) PowerCycle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.shown)
	c.taken, c.bits, c.nbits = c.taken[:0], 0, 0
}

// stream runs a transfer, and the pause that follows it, over the line.
func (c *WS2812) stream(w []byte) {
	f := c.speed()
	if f == 0 {
		f = physic.MegaHertz // A port that nobody gave a speed.
	}
	bit := time.Duration(float64(f.Period()) / c.drift)
	for _, v := range w {
		for i := 7; i >= 0; i-- {
			c.line(v>>i&1 != 0, bit)
		}
	}
	if c.o.Gap > 0 {
		c.line(c.o.IdleHigh, c.o.Gap)
	}
}

// line holds the line at a level for a while.
func (c *WS2812) line(level bool, d time.Duration) {
	if level == c.level {
		c.since += d
	} else {
		if c.level {
			c.pulse(c.since)
		}
		c.level, c.since = level, d
	}
	if !level && c.since >= c.o.Latch {
		c.latch()
	}
}

// pulse is the end of a high pulse of length d.
func (c *WS2812) pulse(d time.Duration) {
	if d < wsSpike {
		return
	}
	c.pulses++
	c.bits <<= 1
	if d >= wsThreshold {
		c.bits |= 1
	}
	c.nbits++
	if c.nbits < wsLEDBits {
		return
	}
	if len(c.taken) < len(c.shown) {
		c.taken = append(c.taken, RGB{G: uint8(c.bits >> 16), R: uint8(c.bits >> 8), B: uint8(c.bits)})
	}
	c.bits, c.nbits = 0, 0
}

func (c *WS2812) latch() {
	if len(c.taken) > 0 {
		c.latches++
	}
	copy(c.shown, c.taken)
	c.taken, c.bits, c.nbits = c.taken[:0], 0, 0
}

// Len returns the number of LEDs.
func (c *WS2812) Len() int { return len(c.shown) }

// LEDs returns what every LED shows, the one next to the controller first.
func (c *WS2812) LEDs() []RGB {
	out := make([]RGB, len(c.shown))
	c.CopyLEDs(out)
	return out
}

// CopyLEDs copies what the LEDs show into dst, without allocating, and returns
// how many it copied.
func (c *WS2812) CopyLEDs(dst []RGB) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return copy(dst, c.shown)
}

// Pulses returns how many bits the first LED has seen.
func (c *WS2812) Pulses() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pulses
}

// Latches returns how many times LEDs have taken over new data.
func (c *WS2812) Latches() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latches
}
