package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"reversi-board/configs"
	"reversi-board/engine"
)

// checkConfig says what board the settings describe. That they are right in
// themselves was found out when they were read.
func checkConfig(_ context.Context, d *doctor, c *Check) {
	what := "a real board"
	if d.h.Simulation.Enabled {
		what = "a simulated board"
	}
	c.foundf("%s: %s, %s%s.", d.o.Source, what, d.h.Kind, partsOf(d.h))
}

// partsOf describes the parts of a board besides its cells.
func partsOf(h *configs.Hardware) string {
	var parts []string
	if h.Kind == configs.Hall128 {
		parts = append(parts, fmt.Sprintf("%d %s", h.Expanders.Count(), h.Expanders.Chip))
	}
	if h.Kind == configs.HallAnalog {
		parts = append(parts, counted(len(h.Analog.ADCs), "ADS1115", "ADS1115"), h.Analog.Sensor)
	}
	if h.LEDs.Driver != configs.NoLEDs {
		parts = append(parts, "lights "+h.LEDs.Driver)
	}
	if h.OLED.Driver != configs.NoOLED {
		parts = append(parts, "display "+h.OLED.Driver)
	}
	if n := len(buttonPins(h)); n > 0 {
		parts = append(parts, counted(n, "button", "buttons"))
	}
	if h.Buzzer != "" {
		parts = append(parts, "a buzzer")
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + list(parts)
}

// headerOf returns the number on the 40-pin header of a pin called GPIO0 to
// GPIO27, 0 for none.
func headerOf(pin string) int {
	var n int
	if _, err := fmt.Sscanf(pin, "GPIO%d", &n); err != nil || n < 0 || n > 27 {
		return 0
	}
	return [...]int{
		27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33,
		8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13,
	}[n]
}

// pinsOf lists the header pins of a board.
func pinsOf(h *configs.Hardware) []Pin {
	pins := []Pin{}
	add := func(pin, use, key string) {
		if pin != "" {
			pins = append(pins, Pin{Pin: pin, Header: headerOf(pin), Use: use, Key: "hardware." + key})
		}
	}
	if onI2C(h) && h.I2C.Bus == "/dev/i2c-1" {
		add("GPIO2", "SDA of "+h.I2C.Bus, "i2c.bus")
		add("GPIO3", "SCL of "+h.I2C.Bus, "i2c.bus")
	}
	switch h.Kind {
	case configs.Hall128:
		add(h.Interrupt, "INT of all expanders", "interrupt")
	case configs.Reed64:
		for i := range h.Matrix.Rows {
			add(h.Matrix.Rows[i], fmt.Sprintf("row %d of the contacts", i), fmt.Sprintf("matrix.rows[%d]", i))
		}
		for i := range h.Matrix.Columns {
			add(h.Matrix.Columns[i], fmt.Sprintf("column %d of the contacts", i), fmt.Sprintf("matrix.columns[%d]", i))
		}
	case configs.HallAnalog:
		for i, pin := range h.Analog.Select {
			add(pin, fmt.Sprintf("S%d of all multiplexers", i), fmt.Sprintf("analog.select[%d]", i))
		}
	}
	add(h.Recovery.SCL, "SCL through a resistor, to free the bus", "recovery.scl")
	add(h.Recovery.SDA, "SDA through a resistor, to free the bus", "recovery.sda")
	add(h.Recovery.Rail, "switch of the chips' supply, high for on", "recovery.rail")
	pins = append(pins, lightPins(h)...)
	for _, b := range buttonPins(h) {
		add(b.pin, "button "+b.name+", to GND", "buttons."+b.name)
	}
	add(h.Buzzer, "buzzer, through a transistor", "buzzer")
	return pins
}

// lightPins lists the pins that lead to the lights.
func lightPins(h *configs.Hardware) (pins []Pin) {
	add := func(pin, use string) {
		pins = append(pins, Pin{Pin: pin, Header: headerOf(pin), Use: use, Key: "hardware.leds.port"})
	}
	if !onSPI(h) {
		return nil
	}
	var data, clock, selects string
	switch spiDevice(h.LEDs.Port) {
	case "/dev/spidev0.0":
		data, clock, selects = "GPIO10", "GPIO11", "GPIO8"
	case "/dev/spidev0.1":
		data, clock, selects = "GPIO10", "GPIO11", "GPIO7"
	case "/dev/spidev1.0":
		data, clock, selects = "GPIO20", "GPIO21", "GPIO18"
	case "/dev/spidev1.1":
		data, clock, selects = "GPIO20", "GPIO21", "GPIO17"
	case "/dev/spidev1.2":
		data, clock, selects = "GPIO20", "GPIO21", "GPIO16"
	default:
		return nil
	}
	switch h.LEDs.Driver {
	case configs.APA102:
		add(data, "data of the first light, through a 74AHCT125")
		add(clock, "clock of the first light, through a 74AHCT125")
	case configs.WS2812:
		add(data, "data of the first light, through a 74AHCT125")
	case configs.MAX7219:
		add(data, "DIN of the module, through a 74AHCT125")
		add(clock, "CLK of the module, through a 74AHCT125")
		add(selects, "CS of the module, through a 74AHCT125")
	}
	return pins
}

// buttonPin is a button with its pin.
type buttonPin struct{ name, pin string }

// buttonPins lists the buttons that a board has.
func buttonPins(h *configs.Hardware) []buttonPin {
	b := h.Buttons
	return slices.DeleteFunc([]buttonPin{
		{"clock_black", b.ClockBlack},
		{"clock_white", b.ClockWhite},
		{"new_game", b.NewGame},
		{"hint", b.Hint},
		{"pass", b.Pass},
		{"undo", b.Undo},
		{"resign", b.Resign},
	}, func(p buttonPin) bool { return p.pin == "" })
}

// onI2C reports whether anything is on the first bus.
func onI2C(h *configs.Hardware) bool {
	return h.Kind != configs.Reed64 || h.LEDs.Driver == configs.HT16K33 || h.OLED.Driver != configs.NoOLED
}

// onSPI reports whether the lights need a SPI port.
func onSPI(h *configs.Hardware) bool {
	return slices.Contains([]string{configs.APA102, configs.WS2812, configs.MAX7219}, h.LEDs.Driver)
}

// spiDevice returns the device file of a SPI port named in either way.
func spiDevice(port string) string {
	if number, ok := strings.CutPrefix(port, "SPI"); ok {
		return "/dev/spidev" + number
	}
	return port
}

// wiringOf describes what is behind the buses, a line for each chip or input.
func wiringOf(h *configs.Hardware) []string {
	lines := []string{}
	switch h.Kind {
	case configs.Hall128:
		for chip := range h.Expanders.Count() {
			lines = append(lines, fmt.Sprintf("%s: %s", chipName(h, chip), cellsOfChip(h, chip)))
		}
	case configs.HallAnalog:
		for adc := range h.Analog.ADCs {
			for input := range 4 {
				if text := cellsOfInput(h, adc, input); text != "" {
					lines = append(lines, fmt.Sprintf("AIN%d of %s: %s", input, chipName(h, adc), text))
				}
			}
		}
	case configs.Reed64:
		for s := range engine.Square(engine.Squares) {
			if x := h.Crossings[s]; x.Row != s.Rank() || x.Column != s.File() {
				lines = append(lines, fmt.Sprintf("%v: row %d, column %d", s, x.Row, x.Column))
			}
		}
	}
	return lines
}

// chipAt returns bus and address of a chip that reads cells.
func chipAt(h *configs.Hardware, chip int) (bus int, addr uint16) {
	if h.Kind == configs.HallAnalog {
		return 0, h.Analog.ADCs[chip]
	}
	if first := len(h.Expanders.Addresses); chip >= first {
		return 1, h.Expanders.Second[chip-first]
	}
	return 0, h.Expanders.Addresses[chip]
}

// busName returns the device of a bus.
func busName(h *configs.Hardware, bus int) string { return [...]string{h.I2C.Bus, h.I2C.Second}[bus] }

// chipName is a chip in sentences: "0x23", with the bus where there are two.
func chipName(h *configs.Hardware, chip int) string {
	bus, addr := chipAt(h, chip)
	return placeName(h, bus, addr)
}

// placeName is an address on a bus: "0x23", or "0x23 on /dev/i2c-1" where there
// are two buses.
func placeName(h *configs.Hardware, bus int, addr uint16) string {
	if h.I2C.Second == "" {
		return fmt.Sprintf("0x%02x", addr)
	}
	return fmt.Sprintf("0x%02x on %s", addr, busName(h, bus))
}

// cellsOfChip describes the cells of an expander: all in a run, or one by one.
func cellsOfChip(h *configs.Hardware, chip int) string {
	var squares []engine.Square
	for s := range engine.Square(engine.Squares) {
		if h.Cells[s].Chip == chip {
			squares = append(squares, s)
		}
	}
	if len(squares) == 0 {
		return "no square"
	}
	pin := func(n int) string { return pinName(h.Expanders.Chip, n) }
	first, last := squares[0], squares[len(squares)-1]
	a, z := h.Cells[first], h.Cells[last]
	for i, s := range squares {
		w := h.Cells[s]
		if int(s-first) == i && w.NorthPin == a.NorthPin+i && w.SouthPin == a.SouthPin+i {
			continue
		}
		var each []string
		for _, s := range squares {
			each = append(each, fmt.Sprintf("%v %s %s", s, pin(h.Cells[s].NorthPin), pin(h.Cells[s].SouthPin)))
		}
		return strings.Join(each, ", ") + " (north, south)"
	}
	if first == last {
		return fmt.Sprintf("%v, north %s, south %s", first, pin(a.NorthPin), pin(a.SouthPin))
	}
	return fmt.Sprintf("%v to %v, north %s to %s, south %s to %s",
		first, last, pin(a.NorthPin), pin(z.NorthPin), pin(a.SouthPin), pin(z.SouthPin))
}

// cellsOfInput describes the cells behind one input of a converter, empty if
// there are none.
func cellsOfInput(h *configs.Hardware, adc, input int) string {
	var at [16]string
	n := 0
	for s := range engine.Square(engine.Squares) {
		if t := h.Taps[s]; t.ADC == adc && t.Input == input {
			at[t.Channel] = s.String()
			n++
		}
	}
	if n == 0 {
		return ""
	}
	var each []string
	for channel, square := range at {
		if square != "" {
			each = append(each, fmt.Sprintf("%d %s", channel, square))
		}
	}
	return "channels " + strings.Join(each, ", ")
}

// pinName returns what an expander's data sheet calls a pin.
func pinName(chip string, pin int) string {
	if chip == configs.MCP23017 {
		return fmt.Sprintf("GP%c%d", 'A'+pin/8, pin%8)
	}
	return fmt.Sprintf("P%d.%d", pin/8, pin%8)
}

// output is one of a digital sensor's outputs.
type output bool

const (
	northOutput output = false
	southOutput output = true
)

// pinOf says where an output of a cell ends: "P0.2 of 0x22".
func pinOf(h *configs.Hardware, s engine.Square, o output) string {
	w := h.Cells[s]
	pin := w.NorthPin
	if o == southOutput {
		pin = w.SouthPin
	}
	return fmt.Sprintf("%s of %s", pinName(h.Expanders.Chip, pin), chipName(h, w.Chip))
}

// wiredTo says where a cell is: for what to look at.
func wiredTo(h *configs.Hardware, s engine.Square) string {
	switch h.Kind {
	case configs.Reed64:
		x := h.Crossings[s]
		return fmt.Sprintf("row %d (%s), column %d (%s)", x.Row, h.Matrix.Rows[x.Row], x.Column, h.Matrix.Columns[x.Column])
	case configs.HallAnalog:
		t := h.Taps[s]
		return fmt.Sprintf("channel %d of the multiplexer at AIN%d of %s", t.Channel, t.Input, chipName(h, t.ADC))
	default:
		w := h.Cells[s]
		return fmt.Sprintf("%s and %s of %s",
			pinName(h.Expanders.Chip, w.NorthPin), pinName(h.Expanders.Chip, w.SouthPin), chipName(h, w.Chip))
	}
}
