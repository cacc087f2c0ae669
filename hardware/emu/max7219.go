package emu

import (
	"fmt"

	"periph.io/x/conn/v3/physic"
)

// Registers of the MAX7219 (Maxim 19-4452 rev. 4, table 2): bits 11 to 8 of a
// frame.
const (
	maxNoOp      = 0x0
	maxDigit0    = 0x1 // To 8h: digit 7.
	maxDigit7    = 0x8
	maxDecode    = 0x9
	maxIntensity = 0xA
	maxScanLimit = 0xB
	maxShutdown  = 0xC
	maxTest      = 0xF

	maxRegisters = 16
	maxDigits    = 8
	maxFrameBits = 16
)

// maxFastest is the fastest clock (table "Timing Characteristics": CLK period
// 100 ns).
const maxFastest = 10 * physic.MegaHertz

// MAX7219 is a chain of display drivers behind one chip select, 8 digits of 8
// segments each; in a matrix a digit is a row. Unit 0 is the one next to the
// controller.
//
// Bits shift through 16 bits of every unit, and what a unit holds when the chip
// select rises is its frame, whole or not. Nothing can be read back.
type MAX7219 struct {
	spiEnd
	units []maxUnit
}

// maxUnit is one chip.
type maxUnit struct {
	shift uint16
	reg   [maxRegisters]byte
}

// NewMAX7219 returns a chain of chips that have just been powered up: shut
// down, blank, no decoding, one digit scanned, darkest (page "Initial
// Power-Up"). It panics when there is no unit.
func NewMAX7219(units int) *MAX7219 {
	if units < 1 {
		panic(fmt.Sprintf("emu: a chain of %d MAX7219", units))
	}
	m := &MAX7219{units: make([]maxUnit, units)}
	m.name, m.fastest, m.needsCS = "emulated MAX7219", maxFastest, true
	m.clockIn, m.deselected = m.shiftIn, m.latch
	return m
}

// Units returns the length of the chain.
func (m *MAX7219) Units() int { return len(m.units) }

// PowerCycle takes the supply of all units away and gives it back.
func (m *MAX7219) PowerCycle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.units)
}

// Disturb sets a register of a unit without a frame, as interference does:
// display test (Fh), shutdown (Ch), any other.
func (m *MAX7219) Disturb(unit int, register, value byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units[unit].set(register, value)
}

// Registers returns the registers of a unit by their addresses. No-op, Dh and
// Eh hold nothing.
func (m *MAX7219) Registers(unit int) [maxRegisters]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units[unit].reg
}

func (m *MAX7219) shiftIn(w []byte) {
	for _, v := range w {
		carry := v
		for i := range m.units {
			u := &m.units[i]
			carry, u.shift = byte(u.shift>>8), u.shift<<8|uint16(carry)
		}
	}
}

// latch takes over what the units hold, high byte first on the wire.
func (m *MAX7219) latch() {
	for i := range m.units {
		u := &m.units[i]
		u.set(byte(u.shift>>8), byte(u.shift))
	}
}

// set writes a register; the upper four bits of its address do not count.
func (u *maxUnit) set(register, value byte) {
	switch register &= maxRegisters - 1; register {
	case maxNoOp, 0xD, 0xE:
	default:
		u.reg[register] = value
	}
}

// Lit returns which segments of a unit are lit, a byte for each digit from 0
// on: bit 7 is DP, bits 6 to 0 are A to G (table 6).
func (m *MAX7219) Lit(unit int) [maxDigits]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := &m.units[unit]
	var lit [maxDigits]byte
	switch {
	case u.reg[maxTest]&1 != 0: // Overrides all others, shutdown too.
		for i := range lit {
			lit[i] = 0xFF
		}
	case u.reg[maxShutdown]&1 != 0:
		last := int(u.reg[maxScanLimit] & 7)
		for i, v := range u.reg[maxDigit0 : maxDigit7+1] {
			if i > last {
				break
			}
			if u.reg[maxDecode]>>i&1 != 0 {
				v = codeB(v)
			}
			lit[i] = v
		}
	}
	return lit
}

// Duty returns the brightness of a unit's lit segments in thirty-seconds of
// the full current, 1 to 31 (table 7).
func (m *MAX7219) Duty(unit int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := &m.units[unit]
	if u.reg[maxTest]&1 != 0 {
		return 31
	}
	return 2*int(u.reg[maxIntensity]&0xF) + 1
}

// codeB returns the segments of a character (table 5): 0 to 9, -, E, H, L, P
// and blank. DP is bit 7 as it comes.
func codeB(v byte) byte {
	font := [...]byte{
		0x7E, 0x30, 0x6D, 0x79, 0x33, 0x5B, 0x5F, 0x70, 0x7F, 0x7B, // 0 to 9
		0x01, 0x4F, 0x37, 0x0E, 0x67, 0x00,
	}
	return font[v&0xF] | v&0x80
}
