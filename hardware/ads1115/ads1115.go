package ads1115

import (
	"errors"
	"fmt"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// Registers: SBAS444E, section 8, address pointer register. All hold 16 bits,
// high byte first.
const (
	regConversion = 0x00 // Last conversion, two's complement. Read only; 0000h after power-on.
	regConfig     = 0x01 // 8583h after power-on.
	regLow        = 0x02 // Lo_thresh; 8000h after power-on.
	regHigh       = 0x03 // Hi_thresh; 7FFFh after power-on.
)

// The configuration register: SBAS444E, section 8, config register.
const (
	osBit = 1 << 15 // Written: start. Read: 1 = no conversion under way.
	// muxAIN0 measures AIN0 against ground; the other inputs follow.
	muxAIN0  = 0b100 << 12
	muxShift = 12
	pga4096  = 0b001 << 9 // ±4.096 V, 125 µV per count.
	single   = 1 << 8     // One conversion, then power down.
	rate860  = 0b111 << 5 // 860 conversions a second.
	// One conversion pulls ALERT/RDY; 11 would leave the pin off.
	queueOne = 0b00

	settings = muxAIN0 | pga4096 | single | rate860 | queueOne
)

// The canary. Only the highest bits matter to the chip (SBAS444E, 7.3.8); the
// others are chosen so that no bit is as it is after power-on by accident, nor
// the same in both registers.
const (
	highCanary = 0xA55A
	lowCanary  = 0x5AA5
)

// Addresses: SBAS444E, section 7.5.1.1.
const (
	// MinAddr is the address with ADDR at GND; at VDD, SDA and SCL it is one,
	// two and three more.
	MinAddr = 0x48
	// MaxAddr is the address with ADDR at SCL.
	MaxAddr = 0x4B
	// Inputs is the number of inputs, AIN0 to AIN3.
	Inputs = 4
)

const (
	// PerVolt is how many counts a volt makes: 1 / 125 µV (SBAS444E, 7.3.3).
	PerVolt = 8000

	period = time.Second / 860
	// powerUp is how long a powered-down chip takes to start (SBAS444E, 7.4.2.1).
	powerUp = 25 * time.Microsecond
	// Conversion is how long a typical part takes from Start on; one with a slow
	// clock takes 10 % longer (SBAS444E, 5.5, data rate variation).
	Conversion = period + powerUp
	// Deadline is how long a conversion may take before it counts as failed,
	// almost twice the slowest part's.
	Deadline = 2 * period
	// pollTime is how long reading the configuration takes at least: 48 clocks at
	// 400 kHz, the fastest a bus without high-speed mode is (SBAS444E, 7.5.1.3).
	pollTime = 48 * time.Second / 400_000

	// looks is how often a register must be found other than it was left: I²C has
	// no check sum, and a look may have been disturbed on its way.
	looks = 3
)

var (
	// ErrRegister is wrapped by errors that tell of a register that does not
	// hold what was written to it: the chip lost its registers, or is a
	// different one.
	ErrRegister = errors.New("register does not hold what was written to it, check the chip's supply voltage and type")
	// ErrSlow is wrapped by errors that tell of a conversion that was not
	// finished in time.
	ErrSlow = errors.New("conversion takes too long, check the chip's supply voltage and type")
)

// Error is a failed operation on one chip.
type Error struct {
	// Addr is the chip's 7-bit address.
	Addr uint16
	// Register is the register that the transfer pointed at.
	Register byte
	// Op is the verb: "read", "write", "check" or "finish".
	Op string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("ads1115 at 0x%02X: %s register %02Xh: %v", e.Addr, e.Op, e.Register, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Dev is one chip.
type Dev struct {
	bus  i2c.Bus
	addr uint16
	// config is what was last written to the configuration register.
	config uint16
	// running means that a conversion may be under way.
	running bool
	// Buffers of transfers live here because a slice handed to an interface
	// would be allocated anew each time.
	w [3]byte
	r [2]byte
}

// New returns the chip at addr (MinAddr to MaxAddr). It sends nothing; Init
// does.
func New(bus i2c.Bus, addr uint16) *Dev { return &Dev{bus: bus, addr: addr, config: settings} }

// Addr returns the chip's address.
func (d *Dev) Addr() uint16 { return d.addr }

// Init writes all registers, none left out whatever the chip held, and reads
// them back. It starts no conversion. It takes six transfers, 258 clocks.
func (d *Dev) Init() error {
	d.running = true // Whoever used the chip before may have started one.
	d.config = settings
	for _, reg := range registers() {
		if err := d.write(reg.addr, reg.value); err != nil {
			return err
		}
	}
	return d.Verify()
}

// Verify reads all writable registers back. An error wraps ErrRegister if one
// of them differs from what was written last. Three transfers, 144 clocks.
func (d *Dev) Verify() error {
	for _, reg := range registers() {
		if reg.addr == regConfig {
			if _, err := d.finished(true); err != nil {
				return err
			}
			continue
		}
		got, err := d.read(reg.addr)
		if err != nil {
			return err
		}
		if got != reg.value {
			return d.differs(reg.addr, got, reg.value)
		}
	}
	return nil
}

// Canary reads the thresholds and reports whether they are intact; if not, which
// it finds three times, the chip was reset and needs Init. Two transfers, 96
// clocks.
func (d *Dev) Canary() (intact bool, err error) {
	for range looks {
		high, err := d.read(regHigh)
		if err != nil {
			return false, err
		}
		low, err := d.read(regLow)
		if err != nil || high == highCanary && low == lowCanary {
			return err == nil, err
		}
	}
	return false, nil
}

// Start begins a conversion of AIN0 to AIN3, given as 0 to 3; any other number
// is taken modulo 4. It writes the whole configuration, 38 clocks. If the last
// conversion was not seen to end, it is waited for first, 48 clocks for every
// question, and the error wraps ErrSlow if it does not end until Deadline.
func (d *Dev) Start(input int) error {
	if d.running {
		// Only the status counts: it is not known whether the last write arrived.
		if err := d.await(0, false); err != nil {
			return fmt.Errorf("before the next conversion: %w", err)
		}
	}
	d.config = settings + uint16(input&(Inputs-1))<<muxShift
	d.running = true
	return d.write(regConfig, d.config|osBit)
}

// Result returns the conversion that Start began, in counts of 125 µV: 0 to
// 32767, and a few below 0 at ground (SBAS444E, 7.3.2). Let Conversion pass
// since Start first; an unfinished conversion is asked for again until Deadline
// has passed. It takes two transfers, 96 clocks, and 48 for every further
// question.
//
// The error wraps ErrSlow if the conversion did not finish, ErrRegister if the
// configuration, looked at three times, is not the one written by Start. The
// value is never that of another conversion.
func (d *Dev) Result() (int16, error) {
	if err := d.await(Conversion, true); err != nil {
		return 0, err
	}
	return d.Again()
}

// Again returns the last result once more: I²C has no check sum, and what is
// read twice the same was read right. It stands until the next conversion ends.
// One transfer, 48 clocks.
func (d *Dev) Again() (int16, error) {
	v, err := d.read(regConversion)
	return int16(v), err
}

// await asks until no conversion is under way, for the rest of Deadline of which
// some has passed. With strict it is an error if anything else in the
// configuration is not as written.
//
// Nobody looks at a clock here: what has passed at least is counted, which can
// only make the chip's time longer.
func (d *Dev) await(passed time.Duration, strict bool) error {
	for ; ; passed += pollTime {
		done, err := d.finished(strict)
		if err != nil || done {
			return err
		}
		if passed >= Deadline {
			return &Error{Addr: d.addr, Register: regConfig, Op: "finish", Err: ErrSlow}
		}
	}
}

// finished reads the configuration and reports whether no conversion is under
// way.
func (d *Dev) finished(strict bool) (bool, error) {
	var got uint16
	for range looks {
		var err error
		if got, err = d.read(regConfig); err != nil {
			return false, err
		}
		if !strict || (got^d.config)&^osBit == 0 {
			d.running = got&osBit == 0
			return !d.running, nil
		}
	}
	return false, d.differs(regConfig, got&^osBit, d.config&^osBit)
}

type register struct {
	addr  byte
	value uint16
}

// registers returns what Init writes, in that order.
func registers() [3]register {
	return [...]register{{regLow, lowCanary}, {regHigh, highCanary}, {regConfig, settings}}
}

func (d *Dev) differs(reg byte, got, want uint16) error {
	return &Error{
		Addr: d.addr, Register: reg, Op: "check",
		Err: fmt.Errorf("holds %04Xh, want %04Xh: %w", got, want, ErrRegister),
	}
}

// read reads a register (SBAS444E, 7.5: pointer, repeated START, two bytes).
func (d *Dev) read(reg byte) (uint16, error) {
	d.w[0] = reg
	if err := d.bus.Tx(d.addr, d.w[:1], d.r[:]); err != nil {
		return 0, &Error{Addr: d.addr, Register: reg, Op: "read", Err: err}
	}
	return uint16(d.r[0])<<8 | uint16(d.r[1]), nil
}

// write writes a register (SBAS444E, 7.5: pointer, two bytes).
func (d *Dev) write(reg byte, v uint16) error {
	d.w = [3]byte{reg, byte(v >> 8), byte(v)}
	if err := d.bus.Tx(d.addr, d.w[:], nil); err != nil {
		return &Error{Addr: d.addr, Register: reg, Op: "write", Err: err}
	}
	return nil
}
