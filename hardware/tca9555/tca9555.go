package tca9555

import (
	"errors"
	"fmt"

	"periph.io/x/conn/v3/i2c"
)

// Command bytes: NXP PCA9555 rev. 8, section 6.2.1, table 4; TI SCPS200E,
// section 9.5.4, table 3; TI SCPS131J, section 8.5.2.2. The registers form
// pairs; the second byte of a transfer goes to the other one of the pair (TI
// SCPS200E, section 9.5.2.1).
const (
	regInput    = 0x00 // Input port 0; 01h is port 1. Read only.
	regOutput   = 0x02 // Output port 0; 03h is port 1. FFh after power-on.
	regPolarity = 0x04 // Polarity inversion port 0; 05h is port 1. 00h after power-on.
	regConfig   = 0x06 // Configuration port 0; 07h is port 1. 1 = input; FFh after power-on.
)

// What the registers hold, port 0 in the low byte.
const (
	canary      = 0xA55A // 5Ah in port 0, A5h in port 1.
	notInverted = 0x0000
	allInputs   = 0xFFFF
)

// Addresses: 0100 A2 A1 A0 (NXP PCA9555 rev. 8, section 6.1).
const (
	// MinAddr is the address with A2, A1 and A0 low.
	MinAddr = 0x20
	// MaxAddr is the address with all three high.
	MaxAddr = 0x27
)

// ErrRegister is wrapped by errors that tell of a register that does not hold
// what was written to it: the chip lost its registers, or is a different one.
var ErrRegister = errors.New("register does not hold what was written to it, check the chip's supply voltage and type")

// Error is a failed operation on one chip.
type Error struct {
	// Addr is the chip's 7-bit address.
	Addr uint16
	// Register is the first command byte of the transfer.
	Register byte
	// Op is the verb: "read", "write" or "check".
	Op string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("tca9555 at 0x%02X: %s register %02Xh: %v", e.Addr, e.Op, e.Register, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Dev is one chip.
type Dev struct {
	bus  i2c.Bus
	addr uint16
	// Buffers of transfers live here because a slice handed to an interface
	// would be allocated anew each time.
	w [3]byte
	r [2]byte
}

// New returns the chip at addr (MinAddr to MaxAddr). It sends nothing; Init
// does.
func New(bus i2c.Bus, addr uint16) *Dev { return &Dev{bus: bus, addr: addr} }

// Addr returns the chip's address.
func (d *Dev) Addr() uint16 { return d.addr }

// Init writes all registers, none left out whatever the chip held, and reads
// them back. Inputs are configured last, when nothing else can go wrong with
// them. It takes six transfers, 258 clocks.
func (d *Dev) Init() error {
	for _, pair := range registers() {
		if err := d.write(pair.reg, pair.value); err != nil {
			return err
		}
	}
	return d.Verify()
}

// ReadInputs returns the levels of the 16 pins: bit 0 is P0.0, bit 8 is P1.0;
// an open pin reads 1 because of its pull-up. It takes one transfer of 48
// clocks; with park another of 20 clocks moves the register pointer away from
// 00h (see the package comment). An error of parking is an error of the read.
func (d *Dev) ReadInputs(park bool) (uint16, error) {
	v, err := d.read(regInput)
	if err != nil {
		return 0, err
	}
	if park {
		return v, d.Park()
	}
	return v, nil
}

// Park moves the register pointer to 02h.
func (d *Dev) Park() error {
	d.w[0] = regOutput
	if err := d.bus.Tx(d.addr, d.w[:1], nil); err != nil {
		return &Error{Addr: d.addr, Register: regOutput, Op: "write", Err: err}
	}
	return nil
}

// Canary reads the canary and reports whether it is intact; if not, the chip
// was reset and needs Init. It takes one transfer of 48 clocks and leaves the
// pointer parked.
func (d *Dev) Canary() (intact bool, err error) { return d.holds(regOutput, canary) }

// Polarity reports whether the polarity registers hold what Init wrote. One
// transfer of 48 clocks; the pointer is left away from 00h.
func (d *Dev) Polarity() (intact bool, err error) { return d.holds(regPolarity, notInverted) }

// Configuration reports whether the configuration registers hold what Init
// wrote. One transfer of 48 clocks; the pointer is left away from 00h.
func (d *Dev) Configuration() (intact bool, err error) { return d.holds(regConfig, allInputs) }

// Verify reads all registers back. An error wraps ErrRegister if one of them
// differs from what Init wrote. Three transfers; the pointer is left parked.
func (d *Dev) Verify() error {
	pairs := registers()
	for i := range pairs {
		pair := pairs[len(pairs)-1-i]
		got, err := d.read(pair.reg)
		if err != nil {
			return err
		}
		if got != pair.value {
			return &Error{
				Addr: d.addr, Register: pair.reg, Op: "check",
				Err: fmt.Errorf("holds %02X %02X, want %02X %02X: %w",
					byte(got), byte(got>>8), byte(pair.value), byte(pair.value>>8), ErrRegister),
			}
		}
	}
	return nil
}

type pair struct {
	reg   byte
	value uint16
}

func registers() [3]pair {
	return [...]pair{{regOutput, canary}, {regPolarity, notInverted}, {regConfig, allInputs}}
}

func (d *Dev) holds(reg byte, want uint16) (bool, error) {
	got, err := d.read(reg)
	return err == nil && got == want, err
}

// read reads a register pair (TI SCPS200E, section 9.5.2.1.2: command byte,
// repeated START, two bytes).
func (d *Dev) read(reg byte) (uint16, error) {
	d.w[0] = reg
	if err := d.bus.Tx(d.addr, d.w[:1], d.r[:]); err != nil {
		return 0, &Error{Addr: d.addr, Register: reg, Op: "read", Err: err}
	}
	return uint16(d.r[0]) | uint16(d.r[1])<<8, nil
}

// write writes a register pair (TI SCPS200E, section 9.5.2.1.1: command byte,
// two bytes).
func (d *Dev) write(reg byte, v uint16) error {
	d.w = [3]byte{reg, byte(v), byte(v >> 8)}
	if err := d.bus.Tx(d.addr, d.w[:], nil); err != nil {
		return &Error{Addr: d.addr, Register: reg, Op: "write", Err: err}
	}
	return nil
}
