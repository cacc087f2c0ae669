package emu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"periph.io/x/conn/v3/gpio"
)

// Controller says in whose words the bus reports a failed transfer: drivers of
// the kernel return different errors for the same trouble.
//
//	                         BCM2835      TinyUSB    DesignWare
//	no acknowledge           EREMOTEIO    ENXIO      EREMOTEIO
//	SDA held low             ETIMEDOUT    EIO        EAGAIN
//	SCL held low             ETIMEDOUT    EIO        ETIMEDOUT
//	clock stretched too far  EIO          also EIO   ETIMEDOUT
type Controller uint8

const (
	// BCM2835 is that of the Raspberry Pi up to 4 (i2c-bcm2835).
	BCM2835 Controller = iota
	// DesignWare is that of the Raspberry Pi 5 (i2c-designware).
	DesignWare
	// TinyUSB is a USB adapter (i2c-tiny-usb).
	TinyUSB
)

// AnyAddress stands for all addresses where one is asked for.
const AnyAddress = 0xFFFF

// Noise is what a bad wire does by chance.
type Noise struct {
	// Flips is the probability, 0 to 1, for each bit read to arrive inverted.
	// Nobody notices: I²C has no check sum.
	Flips float64
	// Nacks is the probability, 0 to 1, for a transfer not to be acknowledged.
	Nacks float64
}

// Timing makes transfers take time, which they do not by themselves.
type Timing struct {
	// Spend lets time go by. It is called before each transfer that takes any,
	// without a lock, by whoever does the transfer.
	Spend func(d time.Duration)
	// Wire makes each transfer take the time of its bits at the bus speed.
	Wire bool
	// Timeout is what a transfer takes while a line is held low. Linux waits
	// for 1 s unless told otherwise.
	Timeout time.Duration
}

// RailOptions describe the switch of the chips' supply.
type RailOptions struct {
	// Now and Discharge make a short interruption useless: chips that were
	// without supply for less than Discharge have not noticed. Without Now each
	// interruption resets them.
	Now       func() time.Duration
	Discharge time.Duration
}

// forever is a number of pulses that never ends.
const forever = -1

// noise is Noise at work.
type noise struct {
	Noise
	next int // bits that are still read right
}

// trouble is what is wrong with the lines of a bus, and where its lines go
// besides to the chips. The bus's lock guards it.
type trouble struct {
	controller Controller
	rng        *rand.Rand

	noise   [addresses]noise
	delay   [addresses]time.Duration
	stretch [addresses]int

	holdSDA            [addresses]int // clocks until it lets go; forever for a chip that hangs
	holdSCL            [addresses]bool
	shortSDA, shortSCL bool

	timing Timing

	rail       RailOptions
	railOff    bool
	railSince  time.Duration
	railErr    error
	unswitched [addresses]bool

	pullSDA, pullSCL bool // by the taps
	tapErr           error
	tapped           TapStats
}

// each calls f for an address, or for all of them if it is AnyAddress.
func each(addr uint16, f func(a uint16)) {
	if addr < addresses {
		f(addr)
	}
	if addr != AnyAddress {
		return
	}
	for a := range uint16(addresses) {
		f(a)
	}
}

// SetController chooses the words of errors; BCM2835 is what a new bus has.
func (b *Bus) SetController(c Controller) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.controller = c
	cause := NoAck()
	if c == TinyUSB {
		cause = noDevice()
	}
	b.nack = fmt.Errorf("sysfs-i2c: %w", cause)
	b.nackText = fmt.Errorf("sysfs-i2c: %s", cause.Error())
}

// Seed starts the chance behind [Bus.SetNoise] over; the same seed gives the
// same trouble. A new bus has seed 0.
func (b *Bus) Seed(seed uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rng = rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // Chance that must repeat, not a secret.
}

// SetNoise makes transfers to an address, or to [AnyAddress], go wrong by
// chance from now on; the zero Noise ends that.
func (b *Bus) SetNoise(addr uint16, n Noise) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faulty = true
	each(addr, func(a uint16) {
		b.noise[a] = noise{Noise: n, next: b.gap(n.Flips)}
	})
}

// SetTiming makes transfers take time.
func (b *Bus) SetTiming(t Timing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timing = t
}

// Slow makes every transfer with a chip, or with all ([AnyAddress]), take d
// longer, if the bus has a [Timing] to spend it.
func (b *Bus) Slow(addr uint16, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	each(addr, func(a uint16) { b.delay[a] = d })
}

// Stretch makes a chip stretch the clock for longer than the controller waits,
// in the next n transfers; a negative n means all of them.
func (b *Bus) Stretch(addr uint16, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faulty = true
	each(addr, func(a uint16) { b.stretch[a] = n })
}

// HoldSDA makes a chip hold SDA low, as one does that lost count of the clocks:
// until it has seen the given number of clocks, which only the taps can send.
// With a negative number no clock helps. A chip that loses its supply lets go
// in any case; 0 lets go at once.
func (b *Bus) HoldSDA(addr uint16, clocks int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faulty = true
	each(addr, func(a uint16) { b.holdSDA[a] = max(clocks, forever) })
}

// HoldSCL makes a chip hold SCL low, or let go of it. Nobody can clock then;
// only the supply ends it.
func (b *Bus) HoldSCL(addr uint16, hold bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faulty = true
	each(addr, func(a uint16) { b.holdSCL[a] = hold })
}

// Short connects lines to GND: neither clocks nor the supply free them, only
// another Short or [Bus.Heal].
func (b *Bus) Short(scl, sda bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faulty = true
	b.shortSCL, b.shortSDA = scl, sda
}

// BrownOut resets chips to their power-on state without anybody noticing: those
// at the addresses, or all of them. Chips that cannot be reset (they have no
// PowerCycle) are left alone.
func (b *Bus) BrownOut(addrs ...uint16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(addrs) == 0 {
		addrs = []uint16{AnyAddress}
	}
	for _, addr := range addrs {
		each(addr, b.powerCycle)
	}
}

// powerCycle resets one chip; it lets go of the lines.
func (b *Bus) powerCycle(addr uint16) {
	b.holdSDA[addr], b.holdSCL[addr] = 0, false
	if d, ok := b.devices[addr].(interface{ PowerCycle() }); ok {
		d.PowerCycle()
	}
}

// Unswitched takes chips off the switched supply: [Bus.Rail] does not reach
// them.
func (b *Bus) Unswitched(addrs ...uint16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, addr := range addrs {
		each(addr, func(a uint16) { b.unswitched[a] = true })
	}
}

// Rail returns the switch of the chips' supply, which is on. While it is off
// they do not answer and hold no line; when it comes on again they are reset.
func (b *Bus) Rail(o RailOptions) func(on bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rail = o
	return b.switchRail
}

// FailRail makes the switch return err and do nothing; nil heals.
func (b *Bus) FailRail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.railErr = err
}

func (b *Bus) switchRail(on bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.railErr != nil {
		return fmt.Errorf("switch emulated supply: %w", b.railErr)
	}
	now := time.Duration(0)
	if b.rail.Now != nil {
		now = b.rail.Now()
	}
	switch {
	case !on && !b.railOff:
		b.faulty = true
		b.railOff, b.railSince = true, now
	case on && b.railOff:
		b.railOff = false
		if b.rail.Now == nil || now-b.railSince >= b.rail.Discharge {
			b.resetSwitched()
		}
	}
	return nil
}

func (b *Bus) resetSwitched() {
	for a := range uint16(addresses) {
		if !b.unswitched[a] {
			b.powerCycle(a)
		}
	}
}

// powered tells whether the chip at an address has its supply.
func (b *Bus) powered(addr uint16) bool { return !b.railOff || b.unswitched[addr] }

// sda and scl return the levels of the lines, true for high.
func (b *Bus) sda() bool {
	if b.pullSDA || b.shortSDA {
		return false
	}
	for a, left := range b.holdSDA {
		if left != 0 && b.powered(uint16(a)) {
			return false
		}
	}
	return true
}

func (b *Bus) scl() bool {
	if b.pullSCL || b.shortSCL {
		return false
	}
	for a, hold := range b.holdSCL {
		if hold && b.powered(uint16(a)) {
			return false
		}
	}
	return true
}

// lines returns what a transfer to the address ends with because of the state
// of the lines, nil for nothing.
func (b *Bus) lines(addr uint16) error {
	switch {
	case !b.scl():
		return b.words(timedOut(), timedOut())
	case !b.sda():
		return b.words(timedOut(), lostArbitration())
	case !b.powered(addr):
		return NoAck()
	case b.stretch[addr] != 0:
		if b.stretch[addr] > 0 {
			b.stretch[addr]--
		}
		return b.words(ioError(), timedOut())
	case b.noise[addr].Nacks > 0 && b.chance().Float64() < b.noise[addr].Nacks:
		b.stats.Disturbed++
		return NoAck()
	default:
		return nil
	}
}

// words chooses between the errors of the two controllers of the Pi; the USB
// adapter knows only one.
func (b *Bus) words(bcm, designware error) error {
	switch b.controller {
	case DesignWare:
		return designware
	case TinyUSB:
		return ioError()
	case BCM2835:
	}
	return bcm
}

// flip inverts bits of what was read, by chance.
func (b *Bus) flip(addr uint16, r []byte) {
	n := &b.noise[addr]
	if n.Flips <= 0 {
		return
	}
	for n.next < 8*len(r) {
		r[n.next/8] ^= 0x80 >> (n.next % 8)
		b.stats.Disturbed++
		n.next += 1 + b.gap(n.Flips)
	}
	n.next -= 8 * len(r)
}

// gap draws how many bits arrive right before one does not.
func (b *Bus) gap(p float64) int {
	switch {
	case p <= 0:
		return math.MaxInt32
	case p >= 1:
		return 0
	}
	return int(min(math.Log(1-b.chance().Float64())/math.Log1p(-p), math.MaxInt32))
}

func (b *Bus) chance() *rand.Rand {
	if b.rng == nil {
		b.rng = rand.New(rand.NewPCG(0, 0)) //nolint:gosec // Chance that must repeat, not a secret.
	}
	return b.rng
}

// takes returns how long the next transfer will take, and what spends it.
func (b *Bus) takes(addr uint16, w, r int) (time.Duration, func(time.Duration)) {
	if b.timing.Spend == nil || b.closed || addr >= addresses {
		return 0, nil
	}
	d := b.delay[addr]
	switch {
	case b.faulty && (!b.scl() || !b.sda()):
		d += b.timing.Timeout
	case b.timing.Wire && b.devices[addr] == nil:
		d += time.Duration(wireBits(0, 0)) * b.speed.Period()
	case b.timing.Wire:
		d += time.Duration(wireBits(w, r)) * b.speed.Period()
	}
	return d, b.timing.Spend
}

// TapStats is what the taps have done to the lines.
type TapStats struct {
	// Clocks counts falling edges of SCL, Starts and Stops edges of SDA while
	// SCL was high.
	Clocks, Starts, Stops int
	// DrivenHigh counts how often a tap was made to drive a line high, which
	// works against any chip that holds it: it must never happen.
	DrivenHigh int
}

// Tap is a second pin of the controller on a line of the bus, behind a
// resistor. It is released at first.
type Tap struct {
	bus *Bus
	scl bool
}

// Taps returns the taps on SCL and SDA.
func (b *Bus) Taps() (scl, sda *Tap) { return &Tap{bus: b, scl: true}, &Tap{bus: b} }

// TapStats returns what the taps have done so far.
func (b *Bus) TapStats() TapStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tapped
}

// FailTaps makes both taps return err and change nothing; nil heals.
func (b *Bus) FailTaps(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tapErr = err
}

// In lets go of the line. The line's own pull-up counts, not the pin's.
func (t *Tap) In(gpio.Pull, gpio.Edge) error { return t.set(false, false) }

// Out pulls the line low. High counts as letting go of it here, and is noted in
// [TapStats].
func (t *Tap) Out(l gpio.Level) error { return t.set(l == gpio.Low, l == gpio.High) }

// Read returns the level of the line.
func (t *Tap) Read() gpio.Level {
	t.bus.mu.Lock()
	defer t.bus.mu.Unlock()
	if t.scl {
		return gpio.Level(t.bus.scl())
	}
	return gpio.Level(t.bus.sda())
}

func (t *Tap) set(pull, high bool) error {
	b := t.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tapErr != nil {
		return fmt.Errorf("drive emulated tap: %w", b.tapErr)
	}
	if high {
		b.tapped.DrivenHigh++
	}
	b.faulty = true
	scl, sda := b.scl(), b.sda()
	if t.scl {
		b.pullSCL = pull
	} else {
		b.pullSDA = pull
	}
	switch {
	case scl && !b.scl():
		b.clocked()
	case scl && sda && !b.sda():
		b.tapped.Starts++
	case scl && !sda && b.sda():
		b.tapped.Stops++
	}
	return nil
}

// clocked lets the chips see a falling edge of SCL.
func (b *Bus) clocked() {
	b.tapped.Clocks++
	for a, left := range b.holdSDA {
		if left > 0 && b.powered(uint16(a)) {
			b.holdSDA[a]--
		}
	}
}
