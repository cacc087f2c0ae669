package ht16k33

import (
	"fmt"
	"time"

	"periph.io/x/conn/v3/i2c"
)

// Commands (Holtek HT16K33 rev. 1.10, "Command Summary").
const (
	cmdRAM       = 0x00 // Display data address pointer; data follow.
	cmdStandby   = 0x20 // System setup: oscillator off.
	cmdRun       = 0x21 // System setup: oscillator on.
	cmdDark      = 0x80 // Display setup: off.
	cmdLit       = 0x81 // Display setup: on, no blinking.
	cmdRowOutput = 0xA0 // ROW/INT set: ROW15 is a row driver.
	cmdDimming   = 0xE0 // Dimming set: | n for (n+1)/16.
)

const (
	// Cells is the number of cells; each has a red and a green light.
	Cells = 64
	// DefaultAddr is the address without solder bridges.
	DefaultAddr = 0x70
	// MaxAddr is the last of the eight addresses that A0 to A2 choose.
	MaxAddr = 0x77

	coms     = 8
	rows     = 16
	ramBytes = coms * rows / 8

	checkEvery = time.Second
	setupEvery = 2 * time.Second
)

// Dot is one light of a module: the crossing of COM Com (0 to 7) and ROW Row (0
// to 15).
type Dot struct {
	Com, Row uint8
}

// Module returns the lights of the usual module for each cell: order[n] is 8
// times the line plus the column at which cell n lies on the module.
func Module(order [Cells]int) (red, green [Cells]Dot) {
	for cell, n := range order {
		green[cell] = Dot{Com: uint8(n / 8), Row: uint8(n % 8)}
		red[cell] = Dot{Com: uint8(n / 8), Row: uint8(8 + n%8)}
	}
	return red, green
}

// Config describes a module.
type Config struct {
	// Addr is the chip's 7-bit address, DefaultAddr to MaxAddr; 0 means
	// DefaultAddr.
	Addr uint16
	// Red and Green are the lights of each cell (8*rank + file, rank 1 on top).
	// No light may belong to two.
	Red, Green [Cells]Dot
	// Brightness is 0 (nothing) to 255 (the most); the chip has 16 steps.
	Brightness uint8
	// Now is a monotonic time; nil means the real one.
	Now func() time.Duration
}

// Error is a failed operation on the chip.
type Error struct {
	// Addr is the chip's 7-bit address.
	Addr uint16
	// Command is the first byte of the transfer.
	Command byte
	// Op is the verb: "write" or "read".
	Op string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("ht16k33 at 0x%02X: %s command %02Xh: %v", e.Addr, e.Op, e.Command, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Stats counts what became of the chip.
type Stats struct {
	// Starts counts complete initialisations, Resets those that were needed
	// because the RAM was found to have lost its frame.
	Starts, Resets uint64
}

// Matrix is one module. It is not safe for concurrent use.
type Matrix struct {
	bus        i2c.Bus
	addr       uint16
	red, green [Cells]Dot
	now        func() time.Duration
	brightness uint8

	running        bool // The chip was started and nothing went wrong since.
	checked, setUp time.Duration
	stats          Stats
	// Buffers of transfers live here because a slice handed to an interface
	// would be allocated anew each time.
	frame [1 + ramBytes]byte
	shown [ramBytes]byte
	back  [ramBytes]byte
	cmd   [1]byte
}

// New returns the module on bus, or an error that says what is wrong with the
// configuration. It sends nothing; the first Show starts the chip.
func New(bus i2c.Bus, c Config) (*Matrix, error) {
	if c.Addr == 0 {
		c.Addr = DefaultAddr
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Now == nil {
		start := time.Now()
		c.Now = func() time.Duration { return time.Since(start) }
	}
	return &Matrix{
		bus: bus, addr: c.Addr, red: c.Red, green: c.Green,
		now: c.Now, brightness: c.Brightness,
	}, nil
}

func (c *Config) validate() error {
	if c.Addr < DefaultAddr || c.Addr > MaxAddr {
		return fmt.Errorf("ht16k33: address 0x%02X is not possible, use 0x%02X to 0x%02X", c.Addr, DefaultAddr, MaxAddr)
	}
	var user [coms][rows]string
	for color, dots := range [...][Cells]Dot{c.Red, c.Green} {
		for cell, d := range dots {
			who := [...]string{"red", "green"}[color] + " of " + name(cell)
			if d.Com >= coms || d.Row >= rows {
				return fmt.Errorf("ht16k33: %s is at COM%d ROW%d, the chip has COM0 to COM%d and ROW0 to ROW%d",
					who, d.Com, d.Row, coms-1, rows-1)
			}
			if other := user[d.Com][d.Row]; other != "" {
				return fmt.Errorf("ht16k33: %s and %s are both at COM%d ROW%d, give each its own light",
					other, who, d.Com, d.Row)
			}
			user[d.Com][d.Row] = who
		}
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}

// SetBrightness changes the brightness from the next Show on: 0 shows nothing,
// 255 the most that the chip can give.
func (m *Matrix) SetBrightness(b uint8) {
	if b != m.brightness {
		m.brightness = b
		m.setUp -= setupEvery // The next Show sends it.
	}
}

// Stats returns the counters.
func (m *Matrix) Stats() Stats { return m.stats }

// Show lights the red lights of some cells and the green ones of others (bit n
// is cell n); a cell in both is yellow. Once it has returned nil the chip shows
// that, whatever had happened to it. It allocates nothing.
func (m *Matrix) Show(red, green uint64) error {
	m.compose(red, green)
	err := m.show(m.now())
	m.running = err == nil
	return err
}

func (m *Matrix) compose(red, green uint64) {
	m.frame = [1 + ramBytes]byte{cmdRAM}
	if m.brightness == 0 {
		return
	}
	for cell := range Cells {
		m.light(red>>cell&1, m.red[cell])
		m.light(green>>cell&1, m.green[cell])
	}
}

// light sets one light of the frame. Byte 2c of the RAM is ROW0 to ROW7 of COM
// c, byte 2c+1 is ROW8 to ROW15.
func (m *Matrix) light(on uint64, d Dot) {
	m.frame[1+2*d.Com+d.Row/8] |= byte(on) << (d.Row % 8)
}

func (m *Matrix) show(now time.Duration) error {
	if m.running && now-m.checked >= checkEvery {
		lost, err := m.lost()
		if err != nil {
			return err
		}
		if lost {
			m.running = false
			m.stats.Resets++
		}
		m.checked = now
	}
	if !m.running {
		return m.start(now)
	}
	if err := m.send(); err != nil {
		return err
	}
	if now-m.setUp < setupEvery {
		return nil
	}
	m.setUp = now
	return m.commands(cmdRun, cmdRowOutput, m.dimming(), cmdLit)
}

// start brings the chip up, whatever it did before: nothing is lit before the
// RAM holds the frame and the brightness is set.
func (m *Matrix) start(now time.Duration) error {
	if err := m.commands(cmdRun, cmdRowOutput); err != nil {
		return err
	}
	if err := m.send(); err != nil {
		return err
	}
	if err := m.commands(m.dimming(), cmdLit); err != nil {
		return err
	}
	m.checked, m.setUp = now, now
	m.stats.Starts++
	return nil
}

func (m *Matrix) dimming() byte { return cmdDimming | m.brightness>>4 }

// Dark switches all lights off and the chip to standby. The next Show starts it
// again.
func (m *Matrix) Dark() error {
	m.running = false
	m.frame = [1 + ramBytes]byte{cmdRAM}
	if err := m.send(); err != nil {
		return err
	}
	return m.commands(cmdDark, cmdStandby)
}

// send writes the frame.
func (m *Matrix) send() error {
	if err := m.bus.Tx(m.addr, m.frame[:], nil); err != nil {
		return &Error{Addr: m.addr, Command: cmdRAM, Op: "write", Err: err}
	}
	copy(m.shown[:], m.frame[1:])
	return nil
}

// lost reports whether the RAM no longer holds the last frame.
func (m *Matrix) lost() (bool, error) {
	m.cmd[0] = cmdRAM
	if err := m.bus.Tx(m.addr, m.cmd[:], m.back[:]); err != nil {
		return false, &Error{Addr: m.addr, Command: cmdRAM, Op: "read", Err: err}
	}
	return m.back != m.shown, nil
}

// commands writes single-byte commands, one transfer each.
func (m *Matrix) commands(list ...byte) error {
	for _, c := range list {
		m.cmd[0] = c
		if err := m.bus.Tx(m.addr, m.cmd[:], nil); err != nil {
			return &Error{Addr: m.addr, Command: c, Op: "write", Err: err}
		}
	}
	return nil
}
