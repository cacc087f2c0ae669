package hall128

import (
	"math/bits"
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
		spoil func(c *Config)
		want  []string
	}{
		{"two cells on one pin", func(c *Config) { c.Cells[36].NorthPin = 3 }, []string{"d5", "e5", "P0.3", "chip 4", "0x24", "north"}},
		{"both outputs on one pin", func(c *Config) { c.Cells[0].SouthPin = 0 }, []string{"north of cell a1", "south of cell a1", "P0.0"}},
		{"no such chip", func(c *Config) { c.Cells[63].Chip = 8 }, []string{"h8", "chip 8"}},
		{"negative chip", func(c *Config) { c.Cells[7].Chip = -1 }, []string{"h1", "chip -1"}},
		{"no such pin", func(c *Config) { c.Cells[8].SouthPin = 16 }, []string{"a2", "south pin 16", "P1.7"}},
		{"foreign address", func(c *Config) { c.Addrs[2] = 0x3C }, []string{"chip 2", "0x3C"}},
		{"doubled address", func(c *Config) { c.Addrs[7] = 0x20 }, []string{"chips 0 and 7", "0x20"}},
	} {
		c := Reference()
		tc.spoil(&c)
		_, err := New(nil, c)
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
	c := Reference()
	if err := c.Validate(); err != nil {
		t.Errorf("the reference board: %v", err)
	}
}

// Any assignment of sensors to pins is fine as long as no pin has two.
func TestAnyPermutationOfPinsIsAWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Reference()
		for chip := range Chips {
			order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).Draw(t, "pins")
			for i := range 8 {
				cell := &c.Cells[8*chip+i]
				cell.NorthPin, cell.SouthPin = order[2*i], order[2*i+1]
			}
		}
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
	for a := uint16(0x20); a <= 0x27; a++ { // First scan: everything is written, then read.
		p0, p1 := levels(a)
		ops = append(ops, start(a)...)
		ops = append(ops, inputs(a, p0, p1))
		if a == 0x20 {
			ops = append(ops, canary(a, 0x5A, 0xA5)) // Parks as well.
			continue
		}
		ops = append(ops, park(a))
	}
	for a := uint16(0x20); a <= 0x27; a++ { // Second scan: inputs and parking.
		p0, p1 := levels(a)
		ops = append(ops, inputs(a, p0, p1), park(a))
	}
	for a := uint16(0x20); a <= 0x27; a++ { // Third scan: one configuration is checked.
		p0, p1 := levels(a)
		ops = append(ops, inputs(a, p0, p1))
		if a == 0x20 {
			ops = append(ops, i2ctest.IO{Addr: a, W: []byte{0x06}, R: []byte{0xFF, 0xFF}})
			continue
		}
		ops = append(ops, park(a))
	}
	raw := &i2ctest.Playback{Ops: ops, DontPanic: true}
	bus := hardware.NewBus(raw, hardware.BusOptions{Inline: true})
	b, err := New(bus, Reference())
	if err != nil {
		t.Fatal(err)
	}
	var f hardware.Frame
	for i := range 3 {
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

// Every register of every chip is checked in turn, canaries within 32 scans
// (0.64 s at 50 Hz), the rest within 64.
func TestChecksGoRound(t *testing.T) {
	t.Parallel()
	b := &Board{}
	type key struct {
		chip int
		kind checkKind
	}
	last := map[key]int{}
	gap := map[key]int{}
	for tick := range 1000 {
		b.tick = uint64(tick)
		c := b.due()
		if c.chip < 0 {
			continue
		}
		k := key(c)
		gap[k] = max(gap[k], tick-last[k])
		last[k] = tick
	}
	if len(gap) != 24 {
		t.Fatalf("%d of 24 checks are ever made", len(gap))
	}
	for k, g := range gap {
		if limit := map[checkKind]int{checkCanary: 32, checkConfig: 64, checkPolarity: 64}[k.kind]; g > limit {
			t.Errorf("chip %d check %d: %d scans apart, want at most %d", k.chip, k.kind, g, limit)
		}
	}
}

func TestReferenceUsesEveryPinOnce(t *testing.T) {
	t.Parallel()
	b, err := New(hardware.NewBus(&i2ctest.Playback{}, hardware.BusOptions{Inline: true}), Reference())
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
