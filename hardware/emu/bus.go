package emu

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

// Device is a chip that can sit on a [Bus].
type Device interface {
	// Address returns the 7-bit address that the chip answers to.
	Address() uint16
	// Transfer serves one transfer addressed to the chip: first the bytes of w
	// arrive, then the chip fills r. An error means that the chip did not
	// acknowledge; what it did until then stays done.
	Transfer(w, r []byte) error
}

// readSnooper is a chip that is disturbed when another chip on the same wire
// acknowledges its read address.
type readSnooper interface {
	otherRead()
}

// Transfer is one transfer as the recorder saw it.
type Transfer struct {
	// Addr is the 7-bit address.
	Addr uint16
	// W and R hold copies of the bytes written and read. R is what the caller
	// received; it is empty when the transfer failed.
	W, R []byte
	// Err is the error that the caller received, nil for success.
	Err error
}

// Stats counts what went over the wire.
type Stats struct {
	// Transactions counts the transfers, one for each START .. STOP.
	Transactions uint64
	// Bits counts clocks: 9 for each byte, the address bytes included, and one
	// each for START, repeated START and STOP. A transfer that nobody
	// acknowledged costs 11.
	Bits uint64
	// Failed counts the transfers that ended in an error.
	Failed uint64
	// Disturbed counts what [Noise] did: bits that arrived inverted, and transfers
	// that were not acknowledged because of it.
	Disturbed uint64
}

// addresses is the size of the 7-bit address space.
const addresses = 128

// fault is what a transfer to one address ends with.
type fault struct {
	err  error
	left int // transfers that still fail; negative = until healed
}

// corruption is an error on the wire that no one notices.
type corruption struct {
	mask byte
	left int
}

// Bus is an I²C bus with emulated chips on it. It implements i2c.BusCloser.
//
// A transfer to an address where no chip sits ends like on Linux: with the
// text "sysfs-i2c: remote I/O error". The error wraps [NoAck], or, after
// [Bus.HideErrno], wraps nothing, which is what periph's sysfs bus does.
type Bus struct {
	mu        sync.Mutex
	devices   [addresses]Device
	snoopers  []Device
	stats     Stats
	speed     physic.Frequency
	closed    bool
	hideErrno bool

	faulty    bool // any of those below is in use
	all       fault
	faults    [addresses]fault
	corrupted [addresses]corruption
	trouble

	recording bool
	recorded  []Transfer

	nack     error // wraps the errno
	nackText error // has only its text
}

// NewBus returns an open bus of 400 kHz with the given chips on it. It panics
// when two chips claim one address: that board could not be built either.
func NewBus(devices ...Device) *Bus {
	b := &Bus{
		speed:    400 * physic.KiloHertz,
		nack:     fmt.Errorf("sysfs-i2c: %w", NoAck()),
		nackText: errors.New("sysfs-i2c: " + NoAck().Error()),
	}
	for _, d := range devices {
		b.Attach(d)
	}
	return b
}

// Attach connects a chip. It panics when the address is taken or is no 7-bit
// address.
func (b *Bus) Attach(d Device) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := d.Address()
	if a >= addresses {
		panic(fmt.Sprintf("emu: %#x is not a 7-bit address", a))
	}
	if b.devices[a] != nil {
		panic(fmt.Sprintf("emu: two chips at address %#02x", a))
	}
	b.devices[a] = d
	if _, ok := d.(readSnooper); ok {
		b.snoopers = append(b.snoopers, d)
	}
}

// Detach takes the chip at the address off the bus; it does nothing when none
// is there.
func (b *Bus) Detach(addr uint16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if addr >= addresses {
		return
	}
	gone := b.devices[addr]
	b.devices[addr] = nil
	for i, d := range b.snoopers {
		if d == gone {
			b.snoopers = append(b.snoopers[:i], b.snoopers[i+1:]...)
			return
		}
	}
}

// String implements i2c.Bus.
func (b *Bus) String() string { return "emulated I2C bus" }

// Tx implements i2c.Bus: it writes w, then, after a repeated START, fills r.
// With nothing to write and nothing to read it returns nil and does not touch
// the wire, as periph's Linux bus does.
func (b *Bus) Tx(addr uint16, w, r []byte) error {
	if len(w) == 0 && len(r) == 0 {
		return nil
	}
	b.mu.Lock()
	if d, spend := b.takes(addr, len(w), len(r)); d > 0 {
		b.mu.Unlock()
		spend(d) // Without the lock: others may look at the bus meanwhile.
		b.mu.Lock()
	}
	defer b.mu.Unlock()
	err := b.transfer(addr, w, r)
	if err != nil {
		b.stats.Failed++
	}
	if b.recording {
		t := Transfer{Addr: addr, W: append([]byte(nil), w...), Err: err}
		if err == nil {
			t.R = append([]byte(nil), r...)
		}
		b.recorded = append(b.recorded, t)
	}
	return err
}

// transfer does one transfer; the lock is held and w or r is not empty.
func (b *Bus) transfer(addr uint16, w, r []byte) error {
	if b.closed {
		return fmt.Errorf("sysfs-i2c: %w", os.ErrClosed)
	}
	if addr >= addresses {
		return fmt.Errorf("sysfs-i2c: invalid address %#x", addr)
	}
	b.stats.Transactions++
	if b.faulty {
		if err := b.failure(addr); err != nil {
			b.stats.Bits += wireBits(0, 0)
			return b.linux(err)
		}
	}
	d := b.devices[addr]
	if d == nil {
		b.stats.Bits += wireBits(0, 0)
		return b.linux(NoAck())
	}
	b.stats.Bits += wireBits(len(w), len(r))
	if err := d.Transfer(w, r); err != nil {
		return b.linux(err)
	}
	if len(r) != 0 {
		b.afterRead(d, addr, r)
	}
	return nil
}

// afterRead lets the other chips notice the read, and the wire disturb it.
func (b *Bus) afterRead(d Device, addr uint16, r []byte) {
	for _, s := range b.snoopers {
		if s == d {
			continue
		}
		if s, ok := s.(readSnooper); ok {
			s.otherRead()
		}
	}
	if !b.faulty {
		return
	}
	b.flip(addr, r)
	if b.corrupted[addr].left == 0 {
		return
	}
	b.corrupted[addr].left--
	for i := range r {
		r[i] ^= b.corrupted[addr].mask
	}
}

// wireBits returns the clocks of a transfer of w written and r read bytes;
// with both 0 those of an address that nobody acknowledged.
func wireBits(w, r int) uint64 {
	n := uint64(2) // START, STOP
	if w > 0 || r == 0 {
		n += 9 * uint64(1+w)
	}
	if r > 0 {
		n += 9 * uint64(1+r)
	}
	if w > 0 && r > 0 {
		n++ // repeated START
	}
	return n
}

// failure returns the error that the next transfer to the address ends with,
// nil for none.
func (b *Bus) failure(addr uint16) error {
	for _, f := range []*fault{&b.all, &b.faults[addr]} {
		if f.err == nil || f.left == 0 {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f.err
	}
	return b.lines(addr)
}

// linux returns err as the Linux bus words it.
func (b *Bus) linux(err error) error {
	if errors.Is(err, NoAck()) {
		if b.hideErrno {
			return b.nackText
		}
		return b.nack
	}
	if b.hideErrno {
		return errors.New("sysfs-i2c: " + err.Error())
	}
	return fmt.Errorf("sysfs-i2c: %w", err)
}

// SetSpeed implements i2c.Bus. The speed only matters for [Bus.WireTime].
func (b *Bus) SetSpeed(f physic.Frequency) error {
	if f <= 0 {
		return fmt.Errorf("emulated I2C bus: set speed %s: choose a speed above 0", f)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.speed = f
	return nil
}

// Close implements io.Closer. Transfers fail afterwards, with an error that
// wraps os.ErrClosed; so does a second Close.
func (b *Bus) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fmt.Errorf("close emulated I2C bus: %w", os.ErrClosed)
	}
	b.closed = true
	return nil
}

// Reopen makes a closed bus usable again, as opening /dev/i2c-1 once more
// would. The chips have noticed nothing.
func (b *Bus) Reopen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = false
}

// Stats returns the counters.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// ResetStats sets the counters to zero.
func (b *Bus) ResetStats() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats = Stats{}
}

// WireTime returns how long the counted bits take at the bus speed (400 kHz
// unless set). The time that a kernel needs for each transfer is not in it.
func (b *Bus) WireTime() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Duration(b.stats.Bits) * b.speed.Period()
}

// HideErrno makes errors carry the text of the errno only, so that errors.As
// finds none, as with periph's sysfs bus.
func (b *Bus) HideErrno(hide bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hideErrno = hide
}

// Fail makes every transfer to the address end with err until [Bus.Heal]. Use
// [NoAck] for a chip that does not answer, syscall.ETIMEDOUT for a
// held clock. A nil err heals this address alone.
func (b *Bus) Fail(addr uint16, err error) { b.FailTimes(addr, -1, err) }

// FailTimes makes the next n transfers to the address end with err; a negative
// n means all of them.
func (b *Bus) FailTimes(addr uint16, n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if addr >= addresses {
		return
	}
	b.faults[addr] = fault{err: err, left: n}
	b.faulty = true
}

// FailAll makes every transfer end with err until [Bus.Heal]: the bus is dead.
// A nil err ends only that.
func (b *Bus) FailAll(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = fault{err: err, left: -1}
	b.faulty = true
}

// Corrupt inverts the bits of mask in every byte of the next n successful
// reads from the address. I²C has no check sum: nobody sees an error.
func (b *Bus) Corrupt(addr uint16, n int, mask byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if addr >= addresses {
		return
	}
	b.corrupted[addr] = corruption{mask: mask, left: max(n, 0)}
	b.faulty = true
}

// Heal ends every fault of the bus, those of its lines included. The taps, the
// supply and the timing stay as they are.
func (b *Bus) Heal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = fault{}
	b.faults = [addresses]fault{}
	b.corrupted = [addresses]corruption{}
	b.noise = [addresses]noise{}
	b.stretch, b.holdSDA, b.holdSCL = [addresses]int{}, [addresses]int{}, [addresses]bool{}
	b.shortSDA, b.shortSCL = false, false
	b.railErr, b.tapErr = nil, nil
	b.faulty = b.railOff || b.pullSDA || b.pullSCL
}

// Record starts (or stops) the recorder and forgets what it holds.
func (b *Bus) Record(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recording = on
	b.recorded = nil
}

// Transfers returns what the recorder has seen since it was started.
func (b *Bus) Transfers() []Transfer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Transfer(nil), b.recorded...)
}

var _ i2c.BusCloser = (*Bus)(nil)
