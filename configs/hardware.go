package configs

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
)

// The kinds of board, for Hardware.Kind.
const (
	// Hall128 has two digital hall outputs a cell, read by port expanders.
	Hall128 = "hall-128"
	// Reed64 has one reed contact a cell in a matrix: it sees discs, not colors.
	Reed64 = "reed-64"
	// HallAnalog has one linear hall sensor a cell behind multiplexers.
	HallAnalog = "hall-analog"
)

// The expander chips, for Expanders.Chip.
const (
	TCA9555  = "tca9555"
	PCA9555  = "pca9555"
	MCP23017 = "mcp23017"
)

// The LED drivers, for LEDs.Driver.
const (
	// APA102 is a strip of RGB LEDs on SPI; SK9822 is the same to us.
	APA102 = "apa102"
	// WS2812 is a strip of RGB LEDs whose signal SPI imitates.
	WS2812 = "ws2812"
	// HT16K33 is a red and green 8x8 module on I2C.
	HT16K33 = "ht16k33"
	// MAX7219 is an 8x8 module of one color on SPI.
	MAX7219 = "max7219"
	NoLEDs  = "none"
)

// The displays, for OLED.Driver.
const (
	SSD1306 = "ssd1306"
	SH1106  = "sh1106"
	NoOLED  = "none"
)

// The linear sensors, for Analog.Sensor.
const (
	DRV5055A4 = "drv5055a4"
	SS49E     = "ss49e"
)

// Hardware is what the board is made of.
type Hardware struct {
	// Kind is Hall128, Reed64 or HallAnalog.
	Kind string
	I2C  I2C
	// Expanders read the cells of Hall128.
	Expanders Expanders
	// Cells is the wiring of each cell of Hall128; cell n is square n, a1 = 0,
	// h8 = 63.
	Cells [engine.Squares]Wiring
	// Matrix are the lines of Reed64, Crossings where its cells are.
	Matrix    Matrix
	Crossings [engine.Squares]Crossing
	// Analog are the converters of HallAnalog, Taps where its cells are.
	Analog Analog
	Taps   [engine.Squares]Tap
	// NorthIsBlack says that black is up when a magnet's north pole faces the
	// sensor.
	NorthIsBlack bool
	// Interrupt is the pin of the shared interrupt line, such as "GPIO17", and
	// empty when there is none.
	Interrupt string
	Recovery  Recovery
	LEDs      LEDs
	Buttons   Buttons
	// Buzzer is the pin of an active buzzer, empty when there is none.
	Buzzer string
	OLED   OLED
	// Simulation says whether the chips are real.
	Simulation Simulation
}

// I2C are the buses of the sensors.
type I2C struct {
	// Bus is the device, such as /dev/i2c-1; Second is another one, or empty.
	Bus, Second string
	// Hertz is the clock that the system has been told to use.
	Hertz int
}

// Expanders are the port expanders of Hall128.
type Expanders struct {
	// Chip is TCA9555, PCA9555 or MCP23017.
	Chip string
	// Addresses on the first bus and Second on the second one, each list
	// without doubles, 0x20 to 0x27. Chips are numbered from 0 through both.
	Addresses, Second []uint16
}

// Count returns the number of chips.
func (e Expanders) Count() int { return len(e.Addresses) + len(e.Second) }

// Park reports whether the chips' register pointer must be moved away from
// register 0 after a read (PCA9555: interrupt erratum, TI SCPS131J 8.4.1.1).
func (e Expanders) Park() bool { return e.Chip == PCA9555 }

// Wiring is where the two outputs of one cell's sensor end.
type Wiring struct {
	// Chip is the number of the expander.
	Chip int
	// NorthPin and SouthPin are the expander's pins: 0–7 is P0.0–P0.7 (GPA),
	// 8–15 is P1.0–P1.7 (GPB).
	NorthPin, SouthPin int
}

// Matrix are the lines of Reed64: header pins such as "GPIO5".
type Matrix struct {
	Rows, Columns [8]string
}

// Crossing is where a cell's contact is, 0 to 7 each.
type Crossing struct {
	Row, Column int
}

// Analog are the converters of HallAnalog.
type Analog struct {
	// Sensor is DRV5055A4 or SS49E.
	Sensor string
	// ADCs are one to four addresses, 0x48 to 0x4b.
	ADCs []uint16
	// Select are the header pins of S0 to S3 of all multiplexers.
	Select [4]string
}

// Tap is where a cell's voltage is: an input (0 to 3) of a converter, at a
// channel (0 to 15) of the multiplexer before it.
type Tap struct {
	ADC, Input, Channel int
}

// Recovery are the pins that free a stuck bus, empty where there are none: SCL
// and SDA, which are both there or both empty, reach the lines of the first bus,
// Rail switches the supply of the chips on all buses.
type Recovery struct {
	SCL, SDA, Rail string
}

// LEDs are the lights beside the squares.
type LEDs struct {
	// Driver is APA102, WS2812, HT16K33, MAX7219 or NoLEDs.
	Driver string
	// Port is the SPI port, such as SPI0.0 or /dev/spidev0.0.
	Port string
	// Address is the I2C address, for HT16K33.
	Address uint16
	// Order holds for each cell the index of its LED: along a strip, or 8 times
	// the row plus the column of an 8x8 module. It is a permutation of 0 to 63.
	Order [engine.Squares]int
	// Brightness is 1 to 255.
	Brightness uint8
	// MaxMilliamps caps the current of all LEDs of a strip together.
	MaxMilliamps int
}

// Buttons are header pins, empty where there is no button.
type Buttons struct {
	ClockBlack, ClockWhite, NewGame, Hint, Pass, Undo, Resign string
}

// OLED is the small display.
type OLED struct {
	// Driver is SSD1306, SH1106 or NoOLED.
	Driver string
	// Address is its I2C address, 0x3c or 0x3d.
	Address uint16
}

// Simulation is whether and how the board is simulated.
type Simulation struct {
	// Enabled says that the chips are emulated.
	Enabled bool
	Seed    uint64
	// Noise is the standard deviation of the field at each sensor in mT.
	Noise float64
	// Bounce says that discs bounce when put down.
	Bounce bool
}

// fields are the keys of the hardware section.
func (h *Hardware) fields(l *loader) []field {
	return []field{
		l.word("kind", []string{Hall128, Reed64, HallAnalog}, &h.Kind),
		l.section(
			"i2c",
			text(l, "bus", "an I2C device, such as /dev/i2c-1", &h.I2C.Bus, accept(i2cDevice)),
			text(l, "second_bus", "an I2C device, such as /dev/i2c-3, or none", &h.I2C.Second, orNone(i2cDevice)),
			l.frequency("speed", &h.I2C.Hertz),
		),
		l.section(
			"expanders",
			l.word("chip", []string{TCA9555, PCA9555, MCP23017}, &h.Expanders.Chip),
			l.addresses("addresses", &h.Expanders.Addresses, 1, 8, 0x20, 0x27),
			l.addresses("second_addresses", &h.Expanders.Second, 0, 8, 0x20, 0x27),
		),
		l.section(
			"matrix",
			l.pins("rows", h.Matrix.Rows[:]),
			l.pins("columns", h.Matrix.Columns[:]),
		),
		l.section(
			"analog",
			l.word("sensor", []string{DRV5055A4, SS49E}, &h.Analog.Sensor),
			l.addresses("adcs", &h.Analog.ADCs, 1, 4, 0x48, 0x4b),
			l.pins("select", h.Analog.Select[:]),
		),
		l.cells("cells"),
		text(l, "north_is", "black or white", &h.NorthIsBlack, func(s string) (bool, bool) {
			return s == "black", s == "black" || s == "white"
		}),
		l.pin("interrupt", &h.Interrupt),
		l.section(
			"recovery",
			l.pin("scl", &h.Recovery.SCL),
			l.pin("sda", &h.Recovery.SDA),
			l.pin("rail", &h.Recovery.Rail),
		),
		l.section(
			"leds",
			l.ledDriver("driver", &h.LEDs.Driver),
			text(l, "port", "an SPI port, SPI0.0 or /dev/spidev0.0", &h.LEDs.Port, accept(spiPort)),
			hex(l, "address", &h.LEDs.Address, 0x70, 0x77),
			l.order("order", &h.LEDs.Order),
			number(l, "brightness", &h.LEDs.Brightness, 1, 255),
			number(l, "max_milliamps", &h.LEDs.MaxMilliamps, 100, 4000),
		),
		l.section(
			"buttons",
			l.pin("clock_black", &h.Buttons.ClockBlack),
			l.pin("clock_white", &h.Buttons.ClockWhite),
			l.pin("new_game", &h.Buttons.NewGame),
			l.pin("hint", &h.Buttons.Hint),
			l.pin("pass", &h.Buttons.Pass),
			l.pin("undo", &h.Buttons.Undo),
			l.pin("resign", &h.Buttons.Resign),
		),
		l.pin("buzzer", &h.Buzzer),
		l.section(
			"oled",
			l.word("driver", []string{SSD1306, SH1106, NoOLED}, &h.OLED.Driver),
			hex(l, "address", &h.OLED.Address, 0x3c, 0x3d),
		),
		l.section(
			"simulation",
			l.yes("enabled", &h.Simulation.Enabled),
			number(l, "seed", &h.Simulation.Seed, 0, 1<<32-1),
			l.decimal("noise", &h.Simulation.Noise, 0, 5),
			l.yes("bounce", &h.Simulation.Bounce),
		),
	}
}

// ledDriver reads the kind of LEDs. The ways to drive a WS2812 strip that harm
// other parts of the computer are refused with the one that does not.
func (l *loader) ledDriver(key string, dst *string) field {
	known := l.word(key, []string{APA102, WS2812, HT16K33, MAX7219, NoLEDs}, dst)
	harmful := []string{"pwm", "pcm", "dma", "ws281x", "rpi_ws281x", "rpi-ws281x"}
	return field{key, func(path string, n *yaml.Node) {
		if !slices.Contains(harmful, strings.ToLower(n.Value)) {
			known.read(path, n)
			return
		}
		l.add(n.Line, path, shown(n.Value)+": LEDs driven by PWM, PCM or DMA disturb the sound and can damage the "+
			"memory card, and no DMA channel is allowed: want ws2812, with the strip on the data line of hardware.leds.port (SPI0.0)")
	}}
}

func i2cDevice(s string) bool { return smallNumber(s, "/dev/i2c-", 255) }

// headerPin reports whether s is a pin that may be used: GPIO0 and GPIO1 are
// kept for the identification of add-on boards.
func headerPin(s string) bool {
	return smallNumber(s, "GPIO", 27) && s != "GPIO0" && s != "GPIO1"
}

// orNone makes a parser out of a check; "none" becomes the empty text.
func orNone(check func(string) bool) func(string) (string, bool) {
	return func(s string) (string, bool) {
		if s == "none" {
			return "", true
		}
		return s, check(s)
	}
}

// pin reads a header pin that may be absent.
func (l *loader) pin(key string, dst *string) field {
	return text(l, key, "a header pin, GPIO2 to GPIO27, or none", dst, orNone(headerPin))
}

// use is a header pin with the key that claims it.
type use struct{ pin, path string }

// uses lists the header pins of a board of this kind.
func (h *Hardware) uses() []use {
	list := []use{
		{h.Buttons.ClockBlack, "hardware.buttons.clock_black"},
		{h.Buttons.ClockWhite, "hardware.buttons.clock_white"},
		{h.Buttons.NewGame, "hardware.buttons.new_game"},
		{h.Buttons.Hint, "hardware.buttons.hint"},
		{h.Buttons.Pass, "hardware.buttons.pass"},
		{h.Buttons.Undo, "hardware.buttons.undo"},
		{h.Buttons.Resign, "hardware.buttons.resign"},
		{h.Buzzer, "hardware.buzzer"},
	}
	if h.usesI2C() {
		list = append(list,
			use{h.Recovery.SCL, "hardware.recovery.scl"},
			use{h.Recovery.SDA, "hardware.recovery.sda"},
			use{h.Recovery.Rail, "hardware.recovery.rail"})
	}
	switch h.Kind {
	case Hall128:
		list = append(list, use{h.Interrupt, "hardware.interrupt"})
	case Reed64:
		for i := range h.Matrix.Rows {
			list = append(list, use{h.Matrix.Rows[i], index("hardware.matrix.rows", i)},
				use{h.Matrix.Columns[i], index("hardware.matrix.columns", i)})
		}
	case HallAnalog:
		for i, pin := range h.Analog.Select {
			list = append(list, use{pin, index("hardware.analog.select", i)})
		}
	}
	return slices.DeleteFunc(list, func(u use) bool { return u.pin == "" })
}

// usesI2C reports whether anything is on an I2C bus.
func (h *Hardware) usesI2C() bool {
	return h.Kind != Reed64 || h.LEDs.Driver == HT16K33 || h.OLED.Driver != NoOLED
}

// busPins lists the header pins of the buses that this board uses, with the
// key that needs them.
func (h *Hardware) busPins() []use {
	var list []use
	if h.I2C.Bus == "/dev/i2c-1" && h.usesI2C() {
		list = append(list, use{"GPIO2", "hardware.i2c.bus"}, use{"GPIO3", "hardware.i2c.bus"})
	}
	onSPI := h.LEDs.Driver == APA102 || h.LEDs.Driver == WS2812 || h.LEDs.Driver == MAX7219
	if onSPI && (strings.HasPrefix(h.LEDs.Port, "SPI0") || strings.HasPrefix(h.LEDs.Port, "/dev/spidev0")) {
		list = append(list, use{"GPIO10", "hardware.leds.port"}, use{"GPIO11", "hardware.leds.port"})
	}
	return list
}
