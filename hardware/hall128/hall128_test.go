package hall128

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"periph.io/x/conn/v3/i2c/i2ctest"
	"pgregory.net/rapid"

	"reversi-board/hardware"
)

func TestWiringMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		kind  Kind
		spoil func(c *Config)
		want  []string
	}{
		{"two cells on one pin", TCA9555, func(c *Config) { c.Cells[36].NorthPin = 3 }, []string{"d5", "e5", "P0.3", "chip 4", "0x24", "north", "TCA9555"}},
		{"both outputs on one pin", PCA9555, func(c *Config) { c.Cells[0].SouthPin = 0 }, []string{"north of cell a1", "south of cell a1", "P0.0"}},
		{"no such chip", TCA9555, func(c *Config) { c.Cells[63].Chip = 8 }, []string{"h8", "chip 8"}},
		{"negative chip", TCA9555, func(c *Config) { c.Cells[7].Chip = -1 }, []string{"h1", "chip -1"}},
		{"no such pin", TCA9555, func(c *Config) { c.Cells[8].SouthPin = 16 }, []string{"a2", "south pin 16", "P1.7"}},
		{"no such pin of an MCP23017", MCP23017, func(c *Config) { c.Cells[8].SouthPin = -1 }, []string{"a2", "south pin -1", "GPA0", "GPB7"}},
		{"an output for an input", MCP23017, func(c *Config) { c.Cells[10].NorthPin = 7 }, []string{"c2", "north pin 7", "GPA7", "chip 1", "outputs only", "disturbs the bus"}},
		{"the other one", MCP23017, func(c *Config) { c.Cells[63].SouthPin = 15 }, []string{"h8", "south pin 15", "GPB7", "chip 9", "GPB0 to GPB6"}},
		{"two cells on one pin of an MCP23017", MCP23017, func(c *Config) { c.Cells[9].SouthPin = 8 }, []string{"h1", "b2", "GPB0", "chip 1", "MCP23017 at 0x21"}},
		{"foreign address", TCA9555, func(c *Config) { c.Chips[2].Addr = 0x3C }, []string{"chip 2", "0x3C", "0x27"}},
		{"doubled address", TCA9555, func(c *Config) { c.Chips[7].Addr = 0x20 }, []string{"chips 0 and 7", "0x20", "bus 0"}},
		{"doubled address of two kinds", MCP23017, func(c *Config) { c.Chips[9] = Chip{Kind: TCA9555, Bus: 1, Addr: 0x20} }, []string{"chips 5 and 9", "0x20", "bus 1"}},
		{"no such bus", MCP23017, func(c *Config) { c.Chips[3].Bus = 2 }, []string{"chip 3", "bus 2"}},
		{"no such kind", TCA9555, func(c *Config) { c.Chips[3].Kind = 9 }, []string{"chip 3", "kind 9"}},
		{"no chips", TCA9555, func(c *Config) { c.Chips = nil }, []string{"no chips"}},
		{"too many chips", TCA9555, func(c *Config) { c.Chips = make([]Chip, 17) }, []string{"17 chips", "16"}},
		{"a bus that is not there", MCP23017, func(*Config) {}, []string{"2 buses", "only 1"}},
	} {
		c := Reference(tc.kind)
		tc.spoil(&c)
		_, err := New(c, nil)
		if err == nil {
			t.Errorf("%s: accepted", tc.name)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not mention %q", tc.name, err, want)
			}
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind                Kind
		chips, buses, onOne int
	}{{TCA9555, 8, 1, 8}, {PCA9555, 8, 1, 8}, {MCP23017, 10, 2, 7}} {
		c := Reference(tc.kind)
		if err := c.Validate(); err != nil {
			t.Errorf("%v: %v", tc.kind, err)
		}
		if len(c.Chips) != tc.chips || c.Buses() != tc.buses {
			t.Errorf("%v: %d chips on %d buses", tc.kind, len(c.Chips), c.Buses())
		}
		var cells [MaxChips]int
		for _, cell := range c.Cells {
			cells[cell.Chip]++
		}
		if slices.Max(cells[:]) != tc.onOne {
			t.Errorf("%v: cells on each chip %v", tc.kind, cells)
		}
	}
	// By hand: e6 is cell 44, the chip of rank 6 or the seventh with 7 a chip.
	if got, want := Reference(TCA9555).Cells[44], (Cell{Chip: 5, NorthPin: 4, SouthPin: 12}); got != want {
		t.Errorf("e6 is on %+v, want %+v", got, want)
	}
	if got, want := Reference(MCP23017).Cells[44], (Cell{Chip: 6, NorthPin: 2, SouthPin: 10}); got != want {
		t.Errorf("e6 is on %+v, want %+v", got, want)
	}
	if got, want := Reference(MCP23017).Chips[6], (Chip{Kind: MCP23017, Bus: 1, Addr: 0x21}); got != want {
		t.Errorf("chip 6 is %+v, want %+v", got, want)
	}
	if got := []string{TCA9555.String(), PCA9555.String(), MCP23017.String()}; !slices.Equal(got, []string{"TCA9555", "PCA9555", "MCP23017"}) {
		t.Errorf("names %v", got)
	}
}

// anyWiring draws a wiring: chips of any kinds on one or two buses, and each
// cell on any two free pins of one chip.
func anyWiring(t *rapid.T) Config {
	var c Config
	buses := rapid.IntRange(1, MaxBuses).Draw(t, "buses")
	addrs := rapid.Permutation([]uint16{0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27}).Draw(t, "addresses")
	var free [][]int
	for room := 0; room < Cells; {
		i := len(c.Chips)
		k := Kind(rapid.IntRange(0, kinds-1).Draw(t, "kind"))
		bus := i % buses
		if i/buses >= len(addrs) { // Full: begin again with bigger chips.
			c.Chips, free, room = nil, nil, 0
			buses = MaxBuses
			continue
		}
		c.Chips = append(c.Chips, Chip{Kind: k, Bus: bus, Addr: addrs[i/buses]})
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).Draw(t, "pins")
		order = slices.DeleteFunc(order, func(p int) bool { return k.inputs()>>p&1 == 0 })
		free = append(free, order)
		room += len(order) / 2
	}
	var places []int
	for i := range free {
		for range len(free[i]) / 2 {
			places = append(places, i)
		}
	}
	places = rapid.Permutation(places).Draw(t, "places")
	for i := range c.Cells {
		chip := places[i]
		f := free[chip]
		c.Cells[i] = Cell{Chip: chip, NorthPin: f[0], SouthPin: f[1]}
		free[chip] = f[2:]
	}
	return c
}

// Any assignment of sensors to pins that can be inputs is fine as long as no
// pin has two.
func TestAnyCellOnAnyPins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyWiring(t)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		// One more on a pin that is taken is always found.
		a, b := rapid.IntRange(0, 63).Draw(t, "a"), rapid.IntRange(0, 63).Draw(t, "b")
		if a == b {
			return
		}
		c.Cells[a].Chip, c.Cells[a].NorthPin = c.Cells[b].Chip, c.Cells[b].SouthPin
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name(a)) {
			t.Fatalf("cells %s and %s share a pin: %v", name(a), name(b), err)
		}
	})
}

// FuzzConfig: whatever a configuration says, it is refused with a text or the
// board can be made.
func FuzzConfig(f *testing.F) {
	f.Add(uint8(2), 0, uint16(0x20), 3, 7, 8)
	f.Add(uint8(0), 1, uint16(0x27), 0, 15, 0)
	f.Fuzz(func(t *testing.T, kind uint8, bus int, addr uint16, chip, north, south int) {
		c := Reference(MCP23017)
		c.Chips[4] = Chip{Kind: Kind(kind), Bus: bus, Addr: addr}
		c.Cells[30] = Cell{Chip: chip, NorthPin: north, SouthPin: south}
		buses := []*hardware.Bus{
			hardware.NewBus(&i2ctest.Playback{}, hardware.BusOptions{Inline: true}),
			hardware.NewBus(&i2ctest.Playback{}, hardware.BusOptions{Inline: true}),
		}
		b, err := New(c, buses...)
		if (err == nil) != (c.Validate() == nil) {
			t.Fatalf("Validate: %v, New: %v", c.Validate(), err)
		}
		if err != nil {
			if err.Error() == "" || b != nil {
				t.Fatal("an error without a text, or with a board")
			}
			return
		}
		var cells uint64
		for _, k := range b.Stats().Banks {
			if cells&k.Cells != 0 {
				t.Fatal("a cell is on two chips")
			}
			cells |= k.Cells
		}
		if cells != ^uint64(0) {
			t.Fatalf("cells %x are wired", cells)
		}
	})
}

// transfers of one chip, written down from the data sheet's tables.
func start(addr uint16) []i2ctest.IO {
	return []i2ctest.IO{
		{Addr: addr, W: []byte{0x02, 0x5A, 0xA5}},
		{Addr: addr, W: []byte{0x04, 0x00, 0x00}},
		{Addr: addr, W: []byte{0x06, 0xFF, 0xFF}},
		{Addr: addr, W: []byte{0x06}, R: []byte{0xFF, 0xFF}},
		{Addr: addr, W: []byte{0x04}, R: []byte{0x00, 0x00}},
		{Addr: addr, W: []byte{0x02}, R: []byte{0x5A, 0xA5}},
	}
}

func inputs(addr uint16, p0, p1 byte) i2ctest.IO {
	return i2ctest.IO{Addr: addr, W: []byte{0x00}, R: []byte{p0, p1}}
}

func park(addr uint16) i2ctest.IO { return i2ctest.IO{Addr: addr, W: []byte{0x02}} }

func canary(addr uint16, p0, p1 byte) i2ctest.IO {
	return i2ctest.IO{Addr: addr, W: []byte{0x02}, R: []byte{p0, p1}}
}

// after is what follows the inputs: one check a scan, canaries of the chips in
// turn and in the fourth scan a configuration. The other chips are parked; a
// check parks as well.
func after(scan, addr uint16) i2ctest.IO {
	switch {
	case scan < 3 && addr == 0x20+scan:
		return canary(addr, 0x5A, 0xA5)
	case scan == 3 && addr == 0x20:
		return i2ctest.IO{Addr: addr, W: []byte{0x06}, R: []byte{0xFF, 0xFF}}
	}
	return park(addr)
}

func TestTransfersOfTheFirstScans(t *testing.T) {
	t.Parallel()
	// The start position, north up for black: d4 and e5 white (south), e4 and
	// d5 black (north). d is bit 3, e is bit 4; P0 north, P1 south, low is
	// active.
	levels := func(addr uint16) (p0, p1 byte) {
		switch addr {
		case 0x23:
			return 0xEF, 0xF7
		case 0x24:
			return 0xF7, 0xEF
		}
		return 0xFF, 0xFF
	}
	var ops []i2ctest.IO
	for scan := range uint16(4) {
		for a := uint16(0x20); a <= 0x27; a++ {
			if scan == 0 { // Everything is written first.
				ops = append(ops, start(a)...)
			}
			p0, p1 := levels(a)
			if scan == 1 { // Before it counts: the canary, and once more the same.
				ops = append(ops, inputs(a, p0, p1), canary(a, 0x5A, 0xA5), inputs(a, p0, p1), park(a))
				continue
			}
			ops = append(ops, inputs(a, p0, p1), after(scan, a))
		}
	}
	raw := &i2ctest.Playback{Ops: ops, DontPanic: true}
	bus := hardware.NewBus(raw, hardware.BusOptions{Inline: true})
	b, err := New(Reference(PCA9555), bus)
	if err != nil {
		t.Fatal(err)
	}
	var f hardware.Frame
	for i := range 4 {
		if err := b.Scan(t.Context(), time.Duration(i)*20*time.Millisecond, &f); err != nil {
			t.Fatal(err)
		}
		want := hardware.Frame{North: 1<<28 | 1<<35, South: 1<<27 | 1<<36}
		if i == 0 {
			want = hardware.Frame{Lost: ^uint64(0)} // One read proves nothing.
		}
		if f != want {
			t.Errorf("scan %d: %+v, want %+v", i, f, want)
		}
	}
	if err := bus.Close(); err != nil {
		t.Error(err) // Playback reports transfers that were not made.
	}
}

// Every part of every chip is checked in turn: canaries within 11 scans (0.22 s
// at 50 Hz) on a bus of eight chips, within 7 on one of five; the rest within
// 1.28 and 2.8 s.
func TestChecksGoRound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind           Kind
		parts          int
		canary, others int
	}{{TCA9555, 3, 11, 64}, {PCA9555, 3, 11, 64}, {MCP23017, 8, 7, 140}} {
		b, err := New(Reference(tc.kind), make([]*hardware.Bus, MaxBuses)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range b.lines {
			last, gap := map[check]int{}, map[check]int{}
			for turn := range 2000 {
				l.turn = uint64(turn)
				c := l.due()
				gap[c] = max(gap[c], turn-last[c])
				last[c] = turn
			}
			if len(gap) != tc.parts*len(l.chips) {
				t.Fatalf("%v: %d of %d checks are ever made", tc.kind, len(gap), tc.parts*len(l.chips))
			}
			for c, g := range gap {
				if limit := map[bool]int{true: tc.canary, false: tc.others}[c.part == 0]; g > limit {
					t.Errorf("%v, chip %d, part %d: %d scans apart, want at most %d", tc.kind, c.chip, c.part, g, limit)
				}
			}
		}
	}
}

func TestReferenceUsesEveryPinOnce(t *testing.T) {
	t.Parallel()
	b, err := New(Reference(TCA9555), nil)
	if err != nil {
		t.Fatal(err)
	}
	var north, south uint64
	for i := range b.chips {
		for p := range pins {
			north += b.chips[i].north[p]
			south += b.chips[i].south[p]
		}
		if bits.OnesCount64(b.chips[i].what.Cells) != 8 {
			t.Errorf("chip %d has cells %x", i, b.chips[i].what.Cells)
		}
	}
	if north != ^uint64(0) || south != ^uint64(0) {
		t.Errorf("north %x south %x", north, south)
	}
}
