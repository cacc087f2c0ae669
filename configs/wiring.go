package configs

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
)

// hex reads a small number such as a bus address.
func hex(l *loader, key string, dst *uint16, low, high int64) field {
	return field{key, func(path string, n *yaml.Node) {
		if a, ok := l.integer(path, n, low, high, "0x%02x"); ok {
			*dst = uint16(a)
		}
	}}
}

// addresses reads a list of bus addresses.
func (l *loader) addresses(key string, dst *[]uint16, least, most int, low, high int64) field {
	want := fmt.Sprintf("a list of %d to %d addresses from 0x%02x to 0x%02x", least, most, low, high)
	return field{key, func(path string, n *yaml.Node) {
		items, ok := l.list(path, n, least, most, want)
		if !ok {
			return
		}
		found := make([]uint16, len(items))
		for i, item := range items {
			a, ok := l.integer(index(path, i), item, low, high, "0x%02x")
			if !ok {
				continue
			}
			found[i] = uint16(a)
			if j := slices.Index(found[:i], found[i]); j >= 0 {
				l.add(item.Line, index(path, i), fmt.Sprintf(
					"chips %d and %d both have address 0x%02x: want different ones", j, i, a))
			}
		}
		*dst = found
	}}
}

// pins reads a list of header pins, as many as dst has places.
func (l *loader) pins(key string, dst []string) field {
	want := fmt.Sprintf("a list of %d header pins, GPIO2 to GPIO27", len(dst))
	return field{key, func(path string, n *yaml.Node) {
		items, ok := l.list(path, n, len(dst), len(dst), want)
		if !ok {
			return
		}
		for i, item := range items {
			text(l, "", "a header pin, GPIO2 to GPIO27", &dst[i], accept(headerPin)).read(index(path, i), item)
		}
	}}
}

// wire is the wiring of one square as a file gives it: the keys of one kind of
// board, the others are missing.
type wire struct {
	chip, north, south  int
	row, column         int
	adc, input, channel int
}

// missing is the value of a key that is not there.
const missing = -1

// Examples of a square's wiring, by kind of board.
const (
	exampleHall128    = "{chip: 5, north: P0.4, south: P1.4}"
	exampleReed64     = "{row: 5, column: 4}"
	exampleHallAnalog = "{adc: 0, input: 2, channel: 12}"
)

// example shows what a square's wiring looks like.
func example(kind string) string {
	switch kind {
	case Reed64:
		return exampleReed64
	case HallAnalog:
		return exampleHallAnalog
	default:
		return exampleHall128
	}
}

// cells reads the squares that are wired differently.
func (l *loader) cells(key string) field {
	return field{key, func(path string, n *yaml.Node) {
		const want = "squares with their wiring, such as e6: " + exampleHall128
		if !l.plain(path, n) || isNull(n) {
			return
		}
		if n.Kind != yaml.MappingNode {
			l.add(n.Line, path, what(n)+": want "+want)
			return
		}
		l.entries(path, n, func(key, value *yaml.Node) {
			full := join(path, printable(key.Value))
			s, err := engine.ParseSquare(key.Value)
			if err != nil || s.String() != key.Value {
				l.add(key.Line, full, "not a square: want a1 to h8 in small letters")
				return
			}
			l.cell(full, value, s)
		})
	}}
}

// cell reads the wiring of one square. All keys of its kind are needed: half of
// a wiring taken from the default is never what was soldered.
func (l *loader) cell(path string, n *yaml.Node, s engine.Square) {
	w := wire{missing, missing, missing, missing, missing, missing, missing, missing}
	l.object(path, n, []field{
		number(l, "chip", &w.chip, 0, 15),
		l.expanderPin("north", &w.north),
		l.expanderPin("south", &w.south),
		number(l, "row", &w.row, 0, 7),
		number(l, "column", &w.column, 0, 7),
		number(l, "adc", &w.adc, 0, 3),
		number(l, "input", &w.input, 0, 3),
		number(l, "channel", &w.channel, 0, 15),
	})
	if !l.bad(path) {
		l.wired[s] = w
	}
}

// has reports whether a wiring holds exactly the keys of a kind of board.
func (w wire) has(kind string) bool {
	count := func(values ...int) (n int) {
		for _, v := range values {
			if v != missing {
				n++
			}
		}
		return n
	}
	hall, reed, analog := count(w.chip, w.north, w.south), count(w.row, w.column), count(w.adc, w.input, w.channel)
	switch kind {
	case Reed64:
		return hall == 0 && reed == 2 && analog == 0
	case HallAnalog:
		return hall == 0 && reed == 0 && analog == 3
	default:
		return hall == 3 && reed == 0 && analog == 0
	}
}

// expanderPin reads an expander's pin, P0.0 to P1.7 or, as on an MCP23017, GPA0
// to GPB7.
func (l *loader) expanderPin(key string, dst *int) field {
	const want = "a pin of the expander, P0.0 to P1.7 or GPA0 to GPB7"
	return text(l, key, want, dst, func(s string) (int, bool) {
		for pin := range expanderPins {
			if s == pinName(TCA9555, pin) || s == pinName(MCP23017, pin) {
				return pin, true
			}
		}
		return 0, false
	})
}

// expanderPins is the number of pins of an expander.
const expanderPins = 16

// pinName returns a pin's name on a chip.
func pinName(chip string, pin int) string {
	if chip == MCP23017 {
		return fmt.Sprintf("GP%c%d", 'A'+pin/8, pin%8)
	}
	return fmt.Sprintf("P%d.%d", pin/8, pin%8)
}

// defaultWiring is where a square of Hall128 is: with 16 inputs a chip, chip r
// reads rank r+1, its port 0 the north outputs of files a to h, its port 1 the
// south outputs. An MCP23017 has 14 inputs: seven squares a chip, in the order
// of the squares.
func defaultWiring(chip string, s engine.Square) Wiring {
	if chip == MCP23017 {
		const each = 7
		return Wiring{Chip: int(s) / each, NorthPin: int(s) % each, SouthPin: 8 + int(s)%each}
	}
	return Wiring{Chip: s.Rank(), NorthPin: s.File(), SouthPin: 8 + s.File()}
}

// defaultTap is where a square of HallAnalog is: multiplexer k carries ranks
// 2k+1 and 2k+2, and its output goes to input k of the only converter, or to
// input 0 of converter k.
func defaultTap(adcs int, s engine.Square) Tap {
	t := Tap{Input: s.Rank() / 2, Channel: s.Rank()%2*8 + s.File()}
	if adcs > 1 {
		t.ADC, t.Input = t.Input, 0
	}
	return t
}

// wire fills in where every square is.
func (l *loader) wire(h *Hardware) {
	for s := range engine.Square(engine.Squares) {
		h.Cells[s] = defaultWiring(h.Expanders.Chip, s)
		h.Crossings[s] = Crossing{Row: s.Rank(), Column: s.File()}
		h.Taps[s] = defaultTap(len(h.Analog.ADCs), s)
		w, own := l.wired[s]
		if !own {
			continue
		}
		if !w.has(h.Kind) {
			l.blame(fmt.Sprintf("this is not the wiring of a square of a %s board: want all of %s and nothing else",
				h.Kind, example(h.Kind)), "hardware.cells."+s.String())
			continue
		}
		switch h.Kind {
		case Hall128:
			h.Cells[s] = Wiring{Chip: w.chip, NorthPin: w.north, SouthPin: w.south}
		case Reed64:
			h.Crossings[s] = Crossing{Row: w.row, Column: w.column}
		case HallAnalog:
			h.Taps[s] = Tap{ADC: w.adc, Input: w.input, Channel: w.channel}
		}
	}
}

// checkHardware wires the squares and finds what cannot be wired like that.
func (l *loader) checkHardware(h *Hardware) {
	l.wire(h)
	switch h.Kind {
	case Hall128:
		l.checkExpanders(h)
	case Reed64:
		l.checkCrossings(h)
	case HallAnalog:
		l.checkTaps(h)
	}
	if r := h.Recovery; (r.SCL == "") != (r.SDA == "") {
		l.blame("a held bus is clocked free with both lines: name the pins of hardware.recovery.scl and "+
			"hardware.recovery.sda, or none for both", "hardware.recovery.scl", "hardware.recovery.sda")
	}
	l.checkHeader(h)
}

// checkExpanders finds chips that are not there and pins that cannot be used.
func (l *loader) checkExpanders(h *Hardware) {
	if len(h.Expanders.Second) > 0 && h.I2C.Second == "" {
		l.blame("there are chips on a second bus, but no second bus: set hardware.i2c.second_bus",
			"hardware.expanders.second_addresses", "hardware.i2c.second_bus")
	}
	outputs := claims{l: l, kind: Hall128, name: func(place int) string {
		return fmt.Sprintf("pin %s of chip %d", pinName(h.Expanders.Chip, place%expanderPins), place/expanderPins)
	}}
	for i, w := range h.Cells {
		s := engine.Square(i)
		if w.Chip >= h.Expanders.Count() {
			l.blame(fmt.Sprintf("%v is wired to chip %d, and there are %d (the first one is chip 0): list all of them",
				s, w.Chip, h.Expanders.Count()), "hardware.expanders.addresses", "hardware.expanders.second_addresses",
				"hardware.expanders.chip", "hardware.cells."+s.String())
			return
		}
		for k, pin := range [...]int{w.NorthPin, w.SouthPin} {
			side := [...]string{"north", "south"}[k]
			if h.Expanders.Chip == MCP23017 && pin%8 == 7 {
				l.blame(fmt.Sprintf("%s of an MCP23017 is an output only (data sheet revision D of 2022): "+
					"want GPA0 to GPA6 or GPB0 to GPB6", pinName(MCP23017, pin)), "hardware.cells."+s.String()+"."+side)
			}
			outputs.take(w.Chip*expanderPins+pin, s, side)
		}
	}
}

// checkCrossings finds two squares at one crossing.
func (l *loader) checkCrossings(h *Hardware) {
	crossings := claims{l: l, kind: Reed64, name: func(place int) string {
		return fmt.Sprintf("the crossing of row %d and column %d", place/8, place%8)
	}}
	for i, c := range h.Crossings {
		crossings.take(c.Row*8+c.Column, engine.Square(i), "")
	}
}

// checkTaps finds converters that are not there and two squares at one input.
func (l *loader) checkTaps(h *Hardware) {
	taps := claims{l: l, kind: HallAnalog, name: func(place int) string {
		return fmt.Sprintf("channel %d of input %d of converter %d", place%16, place/16%4, place/64)
	}}
	for i, t := range h.Taps {
		s := engine.Square(i)
		if t.ADC >= len(h.Analog.ADCs) {
			l.blame(fmt.Sprintf("%v is wired to converter %d, and there are %d (the first one is number 0)",
				s, t.ADC, len(h.Analog.ADCs)), "hardware.analog.adcs", "hardware.cells."+s.String())
			return
		}
		taps.take(t.ADC*64+t.Input*16+t.Channel, s, "")
	}
}

// claim is a square's claim to a place; side is empty where a square needs one
// place only.
type claim struct {
	square engine.Square
	side   string
	user   bool
}

// String names the claim for messages.
func (c claim) String() string {
	name := c.square.String()
	if c.side != "" {
		name += " " + c.side
	}
	if !c.user {
		name += " (default wiring)"
	}
	return name
}

// path is the key that makes the claim.
func (c claim) path() string {
	if c.side == "" {
		return "hardware.cells." + c.square.String()
	}
	return "hardware.cells." + c.square.String() + "." + c.side
}

// claims finds places that two squares are wired to.
type claims struct {
	l     *loader
	kind  string
	name  func(place int) string
	owner map[int]claim
}

func (c *claims) take(place int, s engine.Square, side string) {
	if c.l.bad("hardware.cells." + s.String()) {
		return
	}
	_, user := c.l.wired[s]
	this := claim{s, side, user}
	first, taken := c.owner[place]
	if !taken {
		if c.owner == nil {
			c.owner = map[int]claim{}
		}
		c.owner[place] = this
		return
	}
	// What the user has written is named, not the default it runs into.
	where := this
	if !user && first.user {
		where = first
	}
	text := "%s is wired to %v and to %v: every pin can have one output only"
	if c.kind != Hall128 {
		text = "%s is wired to %v and to %v: want a place of its own for every square"
	}
	c.l.blame(fmt.Sprintf(text, c.name(place), first, this), where.path())
}

// checkHeader finds header pins that are used twice.
func (l *loader) checkHeader(h *Hardware) {
	owner := map[string]string{}
	for _, u := range h.busPins() {
		owner[u.pin] = u.path
	}
	for _, u := range h.uses() {
		first, taken := owner[u.pin]
		if !taken {
			owner[u.pin] = u.path
			continue
		}
		l.blame(fmt.Sprintf("%s is wanted by %s and by %s: every pin of the header can have one use", u.pin, first, u.path), u.path, first)
	}
}
