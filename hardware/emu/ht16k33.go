package emu

import (
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
)

// Commands of the HT16K33 (Holtek HT16K33 v1.10, "Command Summary", pp. 30-31);
// the high nibble selects, the low one carries data.
const (
	htRAM        = 0x00 // Display data address pointer, data follows.
	htSystem     = 0x20 // Bit 0: oscillator.
	htKeys       = 0x40 // Key data address pointer, read only.
	htFlag       = 0x60 // INT flag address pointer, read only.
	htDisplay    = 0x80 // Bits 2-1: blink; bit 0: display.
	htRowInt     = 0xA0 // Bit 0: INT instead of the last ROW; bit 1: active high.
	htDimming    = 0xE0 // Bits 3-0: duty (n+1)/16.
	htSelectMask = 0xF0

	htRAMSize  = 16
	htKeyBytes = 6
	htKeyScans = 3
	htComs     = 8
	// htKeyMask are the 13 keys of a key scan line.
	htKeyMask = 0x1FFF
	// htFirstAddress is 1110 A2 A1 A0 with all three open.
	htFirstAddress = 0x70
)

// HTOptions choose the package.
type HTOptions struct {
	// Pins is 28 (the default, 0), 24 or 20: the packages have 16, 12 and 8
	// ROW outputs, and 3, 2 and no address pins.
	Pins int
}

// HT16K33 is a driver of 8 x 16 LEDs with a key scan. LED (n, k) is on COMn and
// ROWk; it is bit k of element n wherever LEDs are meant.
//
// In standby, which is also the state after power-on, the chip acknowledges
// everything and takes nothing but the command that starts its oscillator.
// Power-on does not clear the display RAM (v1.10, "Power-on Reset", p. 8): what
// is in there is noise, and shows if the display is switched on before the RAM
// is written.
//
// Not in the sheet and chosen here: bytes that follow a command without data
// are ignored; a read takes the RAM in standby too.
type HT16K33 struct {
	mu   sync.Mutex
	addr uint16
	rows int

	ram     [htRAMSize]byte
	pointer byte // As the last command set it: 0x0n, 0x4n or 0x60.
	noise   uint64

	oscillator, display bool
	blink               uint8 // 0 to 3.
	interrupt           bool  // The last ROW pin is INT.
	activeHigh          bool
	dimming             uint8 // 0 to 15.

	down  [htKeyScans]uint16 // Keys held down.
	keys  [htKeyScans]uint16 // Keys to be reported.
	alert bool               // INT flag.
}

// NewHT16K33 returns a chip that has just been powered up. It panics when the
// package does not exist or cannot have the address: 70h to 77h with 28 pins,
// to 73h with 24, 70h with 20.
func NewHT16K33(addr uint16, o HTOptions) *HT16K33 {
	var addresses uint16
	h := &HT16K33{addr: addr, noise: uint64(addr)}
	switch o.Pins {
	case 0, 28:
		h.rows, addresses = 16, 8
	case 24:
		h.rows, addresses = 12, 4
	case 20:
		h.rows, addresses = 8, 1
	default:
		panic(fmt.Sprintf("emu: there is no HT16K33 with %d pins", o.Pins))
	}
	if addr < htFirstAddress || addr >= htFirstAddress+addresses {
		panic(fmt.Sprintf("emu: an HT16K33 of this package cannot have address %#02x", addr))
	}
	h.reset()
	h.scramble()
	return h
}

// Address implements [Device].
func (h *HT16K33) Address() uint16 { return h.addr }

// PowerCycle takes the supply away for long and gives it back: registers have
// their power-on values, the RAM holds noise.
func (h *HT16K33) PowerCycle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reset()
	h.scramble()
}

// BrownOut is a dip of the supply that resets the registers while the RAM
// survives it. Reading the RAM back does not find it.
func (h *HT16K33) BrownOut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reset()
}

// Disturb inverts the bits of mask at a RAM address, as a disturbance does that
// resets nothing.
func (h *HT16K33) Disturb(addr int, mask byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ram[addr&(htRAMSize-1)] ^= mask
}

func (h *HT16K33) reset() {
	h.pointer = htRAM
	h.oscillator, h.display, h.blink = false, false, 0
	h.interrupt, h.activeHigh, h.alert = false, false, false
	h.dimming = 15 // 16/16 duty.
	h.keys = [htKeyScans]uint16{}
}

// scramble fills the RAM with what a static RAM may hold after power-on. It is
// the same in every run.
func (h *HT16K33) scramble() {
	for i := range h.ram {
		h.ram[i] = powerOnNoise(&h.noise)
	}
}

// powerOnNoise returns the next byte of a fixed sequence (Knuth's 64-bit
// linear congruential generator).
func powerOnNoise(state *uint64) byte {
	*state = *state*6364136223846793005 + 1442695040888963407
	return byte(*state >> 56)
}

// Transfer implements [Device]. The chip acknowledges everything.
func (h *HT16K33) Transfer(w, r []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(w) > 0 {
		h.command(w[0], w[1:])
	}
	for i := range r {
		r[i] = h.read()
	}
	return nil
}

func (h *HT16K33) command(c byte, data []byte) {
	low := c &^ htSelectMask
	if c&htSelectMask == htSystem {
		h.oscillator = c&1 != 0
		if !h.oscillator {
			h.keys, h.alert = [htKeyScans]uint16{}, false
		}
		return
	}
	if !h.oscillator {
		// The address pointers are part of reading, which goes on.
		if s := c & htSelectMask; s == htRAM || s == htKeys || s == htFlag {
			h.pointer = c
		}
		return
	}
	switch c & htSelectMask {
	case htRAM:
		h.pointer = c
		for _, v := range data {
			h.ram[h.pointer] = v
			h.pointer = (h.pointer + 1) % htRAMSize
		}
	case htKeys, htFlag:
		h.pointer = c // Data is ignored: read only.
	case htDisplay:
		h.display, h.blink = low&1 != 0, low>>1&3
	case htRowInt:
		h.interrupt, h.activeHigh = low&1 != 0, low&2 != 0
	case htDimming:
		h.dimming = low
	}
}

// read returns the byte at the pointer and moves it on.
func (h *HT16K33) read() byte {
	switch h.pointer & htSelectMask {
	case htRAM:
		v := h.ram[h.pointer]
		h.pointer = (h.pointer + 1) % htRAMSize
		return v
	case htKeys:
		return h.readKeys()
	case htFlag:
		if h.alert {
			return 0xFF
		}
	}
	return 0
}

// readKeys reads the key RAM: 40h, 42h and 44h are keys 1 to 8 of the three
// lines, 41h, 43h and 45h keys 9 to 13. Having read the last byte clears the
// RAM and the INT flag (v1.10, p. 21).
func (h *HT16K33) readKeys() byte {
	at := h.pointer &^ htSelectMask
	if at >= htKeyBytes {
		h.pointer = htKeys
		return 0
	}
	v := byte(h.keys[at/2] >> (8 * (at % 2)))
	h.pointer++
	if at == htKeyBytes-1 {
		h.pointer = htKeys
		h.keys, h.alert = [htKeyScans]uint16{}, false
	}
	return v
}

// SetKeys sets which keys are held down: bit k of element s is key k+1 on line
// KSs. The chip scans them at once. A key is reported once, however long it is
// held.
func (h *HT16K33) SetKeys(down [htKeyScans]uint16) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range down {
		pressed := down[s] &^ h.down[s] & htKeyMask
		if h.oscillator && pressed != 0 {
			h.keys[s] |= pressed
			h.alert = true
		}
		h.down[s] = down[s] & htKeyMask
	}
}

// INT returns the level of the last ROW pin as an interrupt output: the idle
// level while it is a ROW driver.
func (h *HT16K33) INT() gpio.Level {
	h.mu.Lock()
	defer h.mu.Unlock()
	return gpio.Level(h.activeHigh == (h.interrupt && h.alert))
}

// Lit returns which LEDs are lit at the time t: none in standby, with the
// display off, or in the dark half of a blink. The chip's blink divider runs
// freely; here its first light half begins at t = 0.
func (h *HT16K33) Lit(t time.Duration) [htComs]uint16 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lit [htComs]uint16
	if !h.shining(t) {
		return lit
	}
	for n := range lit {
		lit[n] = (uint16(h.ram[2*n]) | uint16(h.ram[2*n+1])<<8) & h.connected()
	}
	return lit
}

func (h *HT16K33) shining(t time.Duration) bool {
	if !h.oscillator || !h.display {
		return false
	}
	if h.blink == 0 {
		return true
	}
	half := 125 * time.Millisecond << h.blink // 2, 1 and 0.5 Hz.
	return t/half%2 == 0
}

// connected returns the ROW pins that drive LEDs.
func (h *HT16K33) connected() uint16 {
	rows := uint16(1<<h.rows - 1)
	if h.interrupt {
		rows &^= 1 << (h.rows - 1)
	}
	return rows
}

// Duty returns the brightness in sixteenths, 1 to 16.
func (h *HT16K33) Duty() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int(h.dimming) + 1
}

// RAM returns the display RAM.
func (h *HT16K33) RAM() [htRAMSize]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ram
}

var _ Device = (*HT16K33)(nil)
