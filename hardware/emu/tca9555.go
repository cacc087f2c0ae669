package emu

import (
	"fmt"
	"sync"

	"periph.io/x/conn/v3/gpio"
)

// Command bytes of the chip (SCPS200E table 4; PCA9555 rev. 8 table 4). Only
// the low three bits of the byte count.
const (
	regInput0 = iota
	regInput1
	regOutput0
	regOutput1
	regPolarity0
	regPolarity1
	regConfig0
	regConfig1

	tcaRegisters = 8
	commandMask  = tcaRegisters - 1
)

// Addresses of the chip: 0100 A2 A1 A0 (SCPS200E section 9.5.3).
const (
	tcaFirstAddress = 0x20
	tcaLastAddress  = 0x27
)

// TCAOptions chooses between the members of the family.
type TCAOptions struct {
	// PCA9555 gives the chip the INT erratum of SCPS131J section 8.4.1.1.
	PCA9555 bool
}

// TCA9555 is a 16-bit I/O expander. Pin n of port p is bit 8*p+n of every
// 16-bit value here; a 1 is a high level.
//
// The two registers of a pair (input, output, polarity inversion,
// configuration) follow one another in turn while bytes flow, in both
// directions; the pointer never leaves the pair and stays where it is after a
// STOP (SCPS200E section 9.5.2.1).
//
// A pin that is an input and that nobody drives reads 1: the chip has 100 kΩ
// pull-ups. A pin that is an output reads the level that it drives.
type TCA9555 struct {
	mu      sync.Mutex
	addr    uint16
	erratum bool

	pointer byte // register that the next byte goes to or comes from
	command byte // last command byte, as written

	output, polarity, config uint16

	levels   uint16 // what the circuit around drives
	undriven uint16 // pins that it leaves open
	seen     uint16 // pin levels when their port was last read: the INT reference
}

// NewTCA9555 returns a chip that has just been powered up, with open pins. It
// panics when the address is not one of 0x20 to 0x27, which are all that the
// chip's three address pins can select.
func NewTCA9555(addr uint16, o TCAOptions) *TCA9555 {
	if addr < tcaFirstAddress || addr > tcaLastAddress {
		panic(fmt.Sprintf("emu: a TCA9555 cannot have address %#02x", addr))
	}
	t := &TCA9555{addr: addr, erratum: o.PCA9555, undriven: 0xFFFF}
	t.reset()
	return t
}

// Address implements [Device].
func (t *TCA9555) Address() uint16 { return t.addr }

// PowerCycle takes the supply away and gives it back: every register has its
// power-on value again (SCPS200E section 9.4.1 and the defaults in 9.6.1). The
// circuit around the pins stays.
func (t *TCA9555) PowerCycle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reset()
}

func (t *TCA9555) reset() {
	t.pointer, t.command = 0, 0
	t.output, t.polarity, t.config = 0xFFFF, 0, 0xFFFF
	t.seen = t.pins()
}

// SetPins sets what the circuit around the chip drives: the levels, and a mask
// of pins that are left open and so follow the pull-ups.
func (t *TCA9555) SetPins(levels, undriven uint16) {
	t.mu.Lock()
	t.levels, t.undriven = levels, undriven
	t.mu.Unlock()
}

// Pins returns the levels on the 16 pins.
func (t *TCA9555) Pins() uint16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pins()
}

// pins returns the levels on the pins: the output latch where the pin is an
// output, else what is driven from outside or the pull-up.
func (t *TCA9555) pins() uint16 {
	return t.output&^t.config | (t.levels|t.undriven)&t.config
}

// INT returns the level of the open-drain interrupt output, a pull-up assumed:
// low while an input differs from its level when its port was last read
// (SCPS200E section 9.3.3). Outputs cannot cause it. A pin that becomes an
// input may, when its level is not the one last read: the sheet warns of it.
func (t *TCA9555) INT() gpio.Level {
	t.mu.Lock()
	defer t.mu.Unlock()
	return gpio.Level((t.pins()^t.seen)&t.config == 0)
}

// Registers returns what a reader would get from the eight registers, in the
// order of the command bytes, without the effects of reading.
func (t *TCA9555) Registers() [8]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var r [tcaRegisters]byte
	for i := range r {
		r[i] = t.peek(byte(i))
	}
	return r
}

// Pointer returns the register that a bare read would start at.
func (t *TCA9555) Pointer() byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pointer
}

// Transfer implements [Device]. The chip acknowledges everything.
func (t *TCA9555) Transfer(w, r []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(w) > 0 {
		t.command = w[0]
		t.pointer = w[0] & commandMask
		for _, v := range w[1:] {
			t.write(t.pointer, v)
			t.pointer ^= 1
		}
	}
	for i := range r {
		r[i] = t.peek(t.pointer)
		t.noteRead(t.pointer)
		t.pointer ^= 1
	}
	return nil
}

// peek returns the value of a register.
func (t *TCA9555) peek(reg byte) byte {
	var v uint16
	switch reg &^ 1 {
	case regInput0:
		v = t.pins() ^ t.polarity
	case regOutput0:
		v = t.output
	case regPolarity0:
		v = t.polarity
	default: // regConfig0
		v = t.config
	}
	return byte(v >> (8 * (reg & 1)))
}

// noteRead refreshes the interrupt reference of a port whose input register
// has been read. The other port keeps its own.
func (t *TCA9555) noteRead(reg byte) {
	if reg > regInput1 {
		return
	}
	port := uint16(0xFF) << (8 * reg)
	t.seen = t.seen&^port | t.pins()&port
}

// write sets a register; the input registers ignore it (SCPS200E section
// 9.6.1: writes have no effect).
func (t *TCA9555) write(reg, v byte) {
	shift := 8 * (reg & 1)
	set := func(r *uint16) { *r = *r&^(0xFF<<shift) | uint16(v)<<shift }
	switch reg &^ 1 {
	case regOutput0:
		set(&t.output)
	case regPolarity0:
		set(&t.polarity)
	case regConfig0:
		set(&t.config)
	}
}

// otherRead is the PCA9555's erratum (SCPS131J section 8.4.1.1): when its last
// command byte was 00h and any other chip acknowledges a read, the interrupt is
// released as if the inputs had been read.
func (t *TCA9555) otherRead() {
	if !t.erratum {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.command == regInput0 {
		t.seen = t.pins()
	}
}

var _ Device = (*TCA9555)(nil)
