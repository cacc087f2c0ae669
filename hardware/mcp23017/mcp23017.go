package mcp23017

import (
	"errors"
	"fmt"

	"periph.io/x/conn/v3/i2c"
)

// Register addresses with IOCON.BANK clear (Microchip DS20001952C, table 3-5).
// The registers form pairs, port A first; a transfer goes on over all of them
// (section 3.2.1).
const (
	regIODIR   = 0x00 // 1 = input; FFh after power-on.
	regIPOL    = 0x02 // Polarity inversion; 00h after power-on, as all that follow.
	regGPINTEN = 0x04 // Interrupt on change.
	regDEFVAL  = 0x06 // Compared with an input whose INTCON bit is set.
	regINTCON  = 0x08 // 0 = compare with the last level.
	regIOCON   = 0x0A // The same register at 0Bh.
	regGPPU    = 0x0C // Pull-ups.
	regGPIO    = 0x12 // The levels of the pins.
	regOLAT    = 0x14 // What outputs drive.
	// regIOCONBanked is where IOCON is while its BANK bit is set; GPINTENB is
	// there otherwise (table 3-4).
	regIOCONBanked = 0x05
)

// What the registers hold, port A in the low byte.
const (
	// inputs are the pins that may be inputs: all but GPA7 and GPB7.
	inputs = Inputs
	canary = 0xA55A // 5Ah in port A, A5h in port B.
	// setup is IOCON (register 3-6): MIRROR (40h) and ODR (04h).
	setup = 0x4444
	// driven are the two pins that are outputs.
	driven = 0x8080
	// resting is what they drive, and pulsed what they drive for a moment. A
	// chip that lets go of the bus in the middle of a read leaves ones behind,
	// so the last byte ends with a zero.
	resting = 0x0080
	pulsed  = 0x8000
)

// Inputs has a bit for every pin that can be read: bits 0 to 6 are GPA0 to
// GPA6, bits 8 to 14 GPB0 to GPB6.
const Inputs = 0x7F7F

// Addresses: 0100 A2 A1 A0 (DS20001952C, section 3.3.1).
const (
	// MinAddr is the address with A2, A1 and A0 low.
	MinAddr = 0x20
	// MaxAddr is the address with all three high.
	MaxAddr = 0x27
)

const (
	// Checks is the number of register pairs that Intact can look at.
	Checks = 7
	// CanaryPair is the one of them that holds the canary.
	CanaryPair = 3
)

var (
	// ErrRegister is wrapped by errors that tell of a register that does not
	// hold what was written to it: the chip lost its registers, or is a
	// different one.
	ErrRegister = errors.New("register does not hold what was written to it, check the chip's supply voltage and type")
	// ErrPattern is wrapped by errors that tell of a read in which the chip's
	// own outputs are not as driven: it was reset, it repeats an old answer, or
	// the bus was disturbed.
	ErrPattern = errors.New("the chip's own outputs read wrong, check its supply, the bus, and that pins 7 of both ports are unconnected")
)

// Error is a failed operation on one chip.
type Error struct {
	// Addr is the chip's 7-bit address.
	Addr uint16
	// Register is the first register of the transfer.
	Register byte
	// Op is the verb: "read", "write" or "check".
	Op string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("mcp23017 at 0x%02X: %s register %02Xh: %v", e.Addr, e.Op, e.Register, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Dev is one chip.
type Dev struct {
	bus  i2c.Bus
	addr uint16
	// Buffers of transfers live here because a slice handed to an interface
	// would be allocated anew each time.
	w [1 + 2*Checks]byte
	r [2 * Checks]byte
}

// New returns the chip at addr (MinAddr to MaxAddr). It sends nothing; Init
// does.
func New(bus i2c.Bus, addr uint16) *Dev { return &Dev{bus: bus, addr: addr} }

// Addr returns the chip's address.
func (d *Dev) Addr() uint16 { return d.addr }

// Init writes all registers, none left out whatever the chip held and in
// whatever order its registers were, reads them back, and looks with Pulse
// whether the pins follow. Nothing is read before GPA7 and GPB7 are outputs. It
// takes nine transfers, 579 clocks. The error wraps ErrRegister or ErrPattern if
// the chip answered but is not as it should be.
func (d *Dev) Init() error {
	// If BANK has got set the addresses mean other registers. This clears it;
	// in the usual order it clears GPINTENB, which is written again below.
	d.w[0], d.w[1] = regIOCONBanked, 0
	if err := d.send(2); err != nil {
		return err
	}
	// If SEQOP has got set a longer transfer would not leave its pair.
	if err := d.write(regIOCON, setup); err != nil {
		return err
	}
	d.w[0] = regIODIR
	for i, p := range pairs() {
		d.w[1+2*i], d.w[2+2*i] = byte(p.value), byte(p.value>>8)
	}
	if err := d.send(len(d.w)); err != nil {
		return err
	}
	if err := d.write(regOLAT, resting); err != nil {
		return err
	}
	if err := d.Verify(); err != nil {
		return err
	}
	alive, err := d.Pulse()
	if err == nil && !alive {
		err = d.implausible()
	}
	return err
}

// ReadInputs returns the levels of the pins: bit n is GPAn, bit 8+n is GPBn;
// bits that are not in Inputs are 0. An open pin reads 1 because of its
// pull-up. It takes one transfer of 48 clocks, and ends the chip's interrupt.
// The error wraps ErrPattern if GPA7 or GPB7 is not as driven.
func (d *Dev) ReadInputs() (uint16, error) {
	v, err := d.read(regGPIO)
	if err != nil {
		return 0, err
	}
	if v&driven != resting {
		return 0, d.implausible()
	}
	return v & Inputs, nil
}

func (d *Dev) implausible() error {
	return &Error{Addr: d.addr, Register: regGPIO, Op: "check", Err: ErrPattern}
}

// Pulse drives GPA7 and GPB7 the other way, looks whether they read so, and
// drives them as before. It reports whether what is read still follows what is
// there. It takes three transfers, 124 clocks.
func (d *Dev) Pulse() (alive bool, err error) {
	if err := d.write(regOLAT, pulsed); err != nil {
		return false, err
	}
	v, err := d.read(regGPIO)
	if err != nil {
		return false, err
	}
	return v&driven == pulsed, d.write(regOLAT, resting)
}

// Canary reads the canary and reports whether it is intact; if not, the chip
// was reset and needs Init. It takes one transfer of 48 clocks.
func (d *Dev) Canary() (intact bool, err error) { return d.holds(pair{regDEFVAL, canary}) }

// Intact reports whether a pair of registers holds what Init wrote: n counts
// from 0 (IODIR) to Checks-1 (GPPU) in the order of their addresses. It takes
// one transfer of 48 clocks.
func (d *Dev) Intact(n int) (intact bool, err error) { return d.holds(pairs()[n]) }

// Verify reads all registers back, in two transfers. An error wraps ErrRegister
// if one of them differs from what was written.
func (d *Dev) Verify() error {
	d.w[0] = regIODIR
	if err := d.bus.Tx(d.addr, d.w[:1], d.r[:]); err != nil {
		return &Error{Addr: d.addr, Register: regIODIR, Op: "read", Err: err}
	}
	for i, p := range pairs() {
		if err := d.compare(p, uint16(d.r[2*i])|uint16(d.r[2*i+1])<<8); err != nil {
			return err
		}
	}
	got, err := d.read(regOLAT)
	if err != nil {
		return err
	}
	return d.compare(pair{regOLAT, resting}, got)
}

type pair struct {
	reg   byte
	value uint16
}

// pairs are the registers from 00h on without a gap.
func pairs() [Checks]pair {
	return [...]pair{
		{regIODIR, inputs},
		{regIPOL, 0},
		{regGPINTEN, inputs},
		{regDEFVAL, canary},
		{regINTCON, 0},
		{regIOCON, setup},
		{regGPPU, inputs},
	}
}

func (d *Dev) compare(p pair, got uint16) error {
	if got == p.value {
		return nil
	}
	return &Error{
		Addr: d.addr, Register: p.reg, Op: "check",
		Err: fmt.Errorf("holds %02X %02X, want %02X %02X: %w",
			byte(got), byte(got>>8), byte(p.value), byte(p.value>>8), ErrRegister),
	}
}

func (d *Dev) holds(p pair) (bool, error) {
	got, err := d.read(p.reg)
	return err == nil && got == p.value, err
}

// read reads a register pair (section 3.2.2.2: register address, repeated
// START, bytes).
func (d *Dev) read(reg byte) (uint16, error) {
	d.w[0] = reg
	if err := d.bus.Tx(d.addr, d.w[:1], d.r[:2]); err != nil {
		return 0, &Error{Addr: d.addr, Register: reg, Op: "read", Err: err}
	}
	return uint16(d.r[0]) | uint16(d.r[1])<<8, nil
}

// write writes a register pair.
func (d *Dev) write(reg byte, v uint16) error {
	d.w[0], d.w[1], d.w[2] = reg, byte(v), byte(v>>8)
	return d.send(3)
}

// send writes the first n bytes of the buffer, the first of which is a register
// address (section 3.2.2.1).
func (d *Dev) send(n int) error {
	if err := d.bus.Tx(d.addr, d.w[:n], nil); err != nil {
		return &Error{Addr: d.addr, Register: d.w[0], Op: "write", Err: err}
	}
	return nil
}
