package max7219

import (
	"fmt"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
)

// Registers (Maxim 19-4452, table 2).
const (
	regDigit0    = 0x01 // Digits 0 to 7 are 01h to 08h.
	regDecode    = 0x09 // Table 4: 00h is no decoding.
	regIntensity = 0x0A // Table 7: 00h to 0Fh.
	regScanLimit = 0x0B // Table 8: 07h is all digits.
	regShutdown  = 0x0C // Table 3: 00h is shutdown, 01h normal operation.
	regTest      = 0x0F // Table 10: 00h is normal operation.
)

const (
	// Cells is the number of cells and of lights.
	Cells = 64

	digits   = 8
	segments = 8
	// maxSpeed is a tenth of what the chip can follow (Timing Characteristics:
	// 10 MHz): modules hang on long wires.
	maxSpeed = physic.MegaHertz
)

// Dot is one light of a module: bit Segment (0 is G, 6 is A, 7 is DP) of digit
// Digit (0 to 7).
type Dot struct {
	Digit, Segment uint8
}

// Module returns the light of the usual module for each cell: order[n] is 8
// times the line plus the column at which cell n lies on the module.
func Module(order [Cells]int) (dots [Cells]Dot) {
	for cell, n := range order {
		dots[cell] = Dot{Digit: uint8(n / 8), Segment: uint8(7 - n%8)}
	}
	return dots
}

// Config describes a module.
type Config struct {
	// Dots are the lights of the cells (8*rank + file, rank 1 on top). No light
	// may belong to two.
	Dots [Cells]Dot
	// Brightness is 0 (nothing) to 255 (the most); the chip has 16 steps.
	Brightness uint8
}

// Error is a failed write to a register.
type Error struct {
	// Port is the name of the SPI connection.
	Port string
	// Register is the register's address.
	Register byte
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("max7219 on %s: write register %02Xh: %v", e.Port, e.Register, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Matrix is one module. It is not safe for concurrent use.
type Matrix struct {
	conn       spi.Conn
	dots       [Cells]Dot
	brightness uint8
	rows       [digits]byte
	word       [2]byte // Here because a slice handed to an interface would be allocated anew.
}

// New connects to port, at 1 MHz or the port's own limit if that is lower, and
// returns the module on it, or an error that says what is wrong with the
// configuration or the port. It sends nothing: the lights keep what they show
// until Show or Dark.
func New(port spi.Port, c Config) (*Matrix, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	// The chip reads DIN at the rising edge of CLK.
	conn, err := port.Connect(maxSpeed, spi.Mode0, 8)
	if err != nil {
		return nil, fmt.Errorf("connect the light module to SPI port %s: %w", port, err)
	}
	return &Matrix{conn: conn, dots: c.Dots, brightness: c.Brightness}, nil
}

func (c *Config) validate() error {
	var user [digits][segments]string
	for cell, d := range c.Dots {
		if d.Digit >= digits || d.Segment >= segments {
			return fmt.Errorf("max7219: %s is at digit %d bit %d, the chip has digits 0 to %d with bits 0 to %d",
				name(cell), d.Digit, d.Segment, digits-1, segments-1)
		}
		if other := user[d.Digit][d.Segment]; other != "" {
			return fmt.Errorf("max7219: %s and %s are both at digit %d bit %d, give each its own light",
				other, name(cell), d.Digit, d.Segment)
		}
		user[d.Digit][d.Segment] = name(cell)
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}

// SetBrightness changes the brightness from the next Show on: 0 shows nothing,
// 255 the most that the module can give.
func (m *Matrix) SetBrightness(b uint8) { m.brightness = b }

// Show lights some cells (bit n is cell n) and no others. It sends everything
// that the chip needs, and allocates nothing.
func (m *Matrix) Show(on uint64) error {
	m.rows = [digits]byte{}
	for cell, d := range m.dots {
		if m.brightness != 0 {
			m.rows[d.Digit] |= byte(on>>cell&1) << d.Segment
		}
	}
	for _, w := range [...][2]byte{
		{regTest, 0}, {regDecode, 0}, {regScanLimit, digits - 1}, {regIntensity, m.brightness >> 4},
	} {
		if err := m.write(w[0], w[1]); err != nil {
			return err
		}
	}
	if err := m.send(); err != nil {
		return err
	}
	return m.write(regShutdown, 1)
}

// Dark switches all lights off and the chip to standby. The next Show wakes it.
func (m *Matrix) Dark() error {
	m.rows = [digits]byte{}
	if err := m.write(regTest, 0); err != nil {
		return err
	}
	if err := m.send(); err != nil {
		return err
	}
	return m.write(regShutdown, 0)
}

// send writes the digits.
func (m *Matrix) send() error {
	for i, v := range m.rows {
		if err := m.write(regDigit0+byte(i), v); err != nil {
			return err
		}
	}
	return nil
}

func (m *Matrix) write(reg, v byte) error {
	m.word = [2]byte{reg, v}
	if err := m.conn.Tx(m.word[:], nil); err != nil {
		return &Error{Port: m.conn.String(), Register: reg, Err: err}
	}
	return nil
}
