package hallanalog

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/physic"
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
		{"two cells in one place", func(c *Config) { c.Cells[36].Channel = 3 }, []string{"d5", "e5", "channel 3", "AIN2", "converter 0", "0x48"}},
		{"no such converter", func(c *Config) { c.Cells[63].ADC = 1 }, []string{"h8", "converter 1", "0 to 0"}},
		{"negative converter", func(c *Config) { c.Cells[0].ADC = -1 }, []string{"a1", "converter -1"}},
		{"no such input", func(c *Config) { c.Cells[7].AIN = 4 }, []string{"h1", "AIN4"}},
		{"negative input", func(c *Config) { c.Cells[7].AIN = -1 }, []string{"h1", "AIN-1"}},
		{"no such channel", func(c *Config) { c.Cells[8].Channel = 16 }, []string{"a2", "channel 16"}},
		{"negative channel", func(c *Config) { c.Cells[8].Channel = -1 }, []string{"a2", "channel -1"}},
		{"foreign address", func(c *Config) { c.Addrs[0] = 0x20 }, []string{"converter 0", "0x20", "0x48", "0x4B"}},
		{"doubled address", func(c *Config) { c.Addrs = []uint16{0x49, 0x49} }, []string{"converters 0 and 1", "0x49"}},
		{"no converter", func(c *Config) { c.Addrs = nil }, []string{"0 converters"}},
		{"five converters", func(c *Config) { c.Addrs = make([]uint16, 5) }, []string{"5 converters"}},
		{"converter without cells", func(c *Config) { c.Addrs = []uint16{0x48, 0x4A} }, []string{"converter 1", "0x4A", "no cell"}},
		{"short settling", func(c *Config) { c.Settle = 49 * time.Microsecond }, []string{"49µs", "50µs"}},
	} {
		c := Single()
		tc.spoil(&c)
		_, err := New(nil, nil, c)
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
	for name, c := range map[string]Config{"single": Single(), "quad": Quad()} {
		if err := c.Validate(); err != nil {
			t.Errorf("the reference board, %s: %v", name, err)
		}
	}
}

// Any distribution of cells over places is fine as long as no place has two.
func TestAnyDistributionIsAWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyWiring(t)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		a, b := rapid.IntRange(0, 63).Draw(t, "a"), rapid.IntRange(0, 63).Draw(t, "b")
		if a == b {
			return
		}
		c.Cells[a] = c.Cells[b]
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name(a)) {
			t.Fatalf("cells %s and %s share a place: %v", name(a), name(b), err)
		}
	})
}

// anyWiring puts every cell somewhere, and uses every converter.
func anyWiring(t *rapid.T) Config {
	addrs := rapid.Permutation([]uint16{0x48, 0x49, 0x4A, 0x4B}).Draw(t, "addresses")
	c := Config{Addrs: addrs[:rapid.IntRange(1, 4).Draw(t, "converters")]}
	var places [Inputs * Channels]int
	for i := range places {
		places[i] = i
	}
	order := rapid.Permutation(places[:]).Draw(t, "places")
	for i := range c.Cells {
		adc := i
		if i >= len(c.Addrs) {
			adc = rapid.IntRange(0, len(c.Addrs)-1).Draw(t, "converter")
		}
		c.Cells[i] = Cell{ADC: adc, AIN: order[i] / Channels, Channel: order[i] % Channels}
	}
	return c
}

// stage is the board's whole surroundings: it expects events in their order,
// one a line, and answers reads as written there.
type stage struct {
	t      *testing.T
	script []string
}

func (s *stage) next(got string) string {
	s.t.Helper()
	if len(s.script) == 0 {
		s.t.Fatalf("%q after the end", got)
	}
	want, answer, _ := strings.Cut(s.script[0], " -> ")
	if got != want {
		s.t.Fatalf("%q, want %q", got, want)
	}
	s.script = s.script[1:]
	return answer
}

func (s *stage) Select(channel int) error {
	s.next(fmt.Sprintf("select %d", channel))
	return nil
}

func (s *stage) sleep(d time.Duration) { s.next(fmt.Sprintf("wait %v", d)) }

func (s *stage) String() string                  { return "stage" }
func (s *stage) SetSpeed(physic.Frequency) error { return nil }
func (s *stage) Close() error                    { return nil }

func (s *stage) Tx(addr uint16, w, r []byte) error {
	answer := s.next(fmt.Sprintf("%02X: % X", addr, w))
	var v []byte
	if _, err := fmt.Sscanf(strings.ReplaceAll(answer, " ", ""), "%x", &v); err != nil && len(r) > 0 {
		s.t.Fatal(err)
	}
	if copy(r, v) != len(r) {
		s.t.Fatalf("%d bytes read, the script has %X", len(r), v)
	}
	return nil
}

// The transfers of initialisation and canary, from the data sheet's tables.
func begins(addr int) []string {
	return []string{
		fmt.Sprintf("%02X: 02 5A A5", addr),
		fmt.Sprintf("%02X: 03 A5 5A", addr),
		fmt.Sprintf("%02X: 01 43 E0", addr),
		fmt.Sprintf("%02X: 02 -> 5A A5", addr),
		fmt.Sprintf("%02X: 03 -> A5 5A", addr),
		fmt.Sprintf("%02X: 01 -> C3 E0", addr),
	}
}

func canary(addr int) []string {
	return []string{
		fmt.Sprintf("%02X: 03 -> A5 5A", addr),
		fmt.Sprintf("%02X: 02 -> 5A A5", addr),
	}
}

// run scans until the script is at its end; the last frame must show the counts
// of all cells.
func run(t *testing.T, c Config, script []string, scans int, want func(cell int) uint16) {
	t.Helper()
	s := &stage{t: t, script: script}
	c.Sleep = s.sleep
	bus := hardware.NewBus(s, hardware.BusOptions{Inline: true})
	b, err := New(bus, s, c)
	if err != nil {
		t.Fatal(err)
	}
	var f hardware.Frame
	for i := range scans {
		if err := b.Scan(t.Context(), time.Duration(i)*105*time.Millisecond, &f); err != nil {
			t.Fatal(err)
		}
		lost := ^uint64(0)
		if i > 0 {
			lost = 0 // One read proves nothing, two that agree do.
		}
		if !f.Analog || f.Lost != lost || f.North|f.South|f.Reset != 0 {
			t.Errorf("scan %d: analog %v lost %x north %x south %x reset %x", i, f.Analog, f.Lost, f.North, f.South, f.Reset)
		}
	}
	if len(s.script) > 0 {
		t.Errorf("never came to %q", s.script[0])
	}
	for cell, got := range f.Counts {
		if got != want(cell) {
			t.Errorf("cell %d shows %d, want %d", cell, got, want(cell))
		}
	}
}

func TestTransfersOfOneConverter(t *testing.T) {
	t.Parallel()
	// Cell n shows 13000 + n in the second scan, a little less in the first.
	scan := func(less int) (script []string) {
		for channel := range 16 {
			script = append(script, fmt.Sprintf("select %d", channel), "wait 50µs")
			for k, high := range []string{"C3", "D3", "E3", "F3"} {
				rank, file := 2*k+channel>>3, channel&7
				script = append(
					script,
					"48: 01 "+high+" E0",
					"wait 1.18779ms", // 1/860 s + 25 µs.
					"48: 01 -> "+high+" E0",
					fmt.Sprintf("48: 00 -> %04X", 13000+8*rank+file-less),
				)
			}
		}
		return script
	}
	script := begins(0x48)
	script = append(script, scan(3)...)
	script = append(script, scan(0)...)
	script = append(script, canary(0x48)...)
	run(t, Single(), script, 2, func(cell int) uint16 { return 13000 + uint16(cell) })
}

func TestTransfersOfFourConverters(t *testing.T) {
	t.Parallel()
	scan := func() (script []string) {
		for channel := range 16 {
			script = append(script, fmt.Sprintf("select %d", channel), "wait 50µs")
			for k := range 4 { // All start before the first is waited for.
				script = append(script, fmt.Sprintf("%02X: 01 C3 E0", 0x48+k))
			}
			script = append(script, "wait 1.18779ms")
			for k := range 4 {
				rank, file := 2*k+channel>>3, channel&7
				script = append(
					script,
					fmt.Sprintf("%02X: 01 -> C3 E0", 0x48+k),
					fmt.Sprintf("%02X: 00 -> %04X", 0x48+k, 13000+8*rank+file),
				)
			}
		}
		return script
	}
	var script []string
	for k := range 4 {
		script = append(script, begins(0x48+k)...)
	}
	script = append(script, scan()...)
	for k := range 4 { // The canaries take turns.
		script = append(script, scan()...)
		script = append(script, canary(0x48+(k+1)%4)...)
	}
	run(t, Quad(), script, 5, func(cell int) uint16 { return 13000 + uint16(cell) })
}

// Ground may read a few counts below 0.
func TestBelowGroundIsZero(t *testing.T) {
	t.Parallel()
	scan := func() (script []string) {
		for channel := range 16 {
			script = append(script, fmt.Sprintf("select %d", channel), "wait 80µs")
			for k := range 4 {
				script = append(script, fmt.Sprintf("48: 01 %02X E0", 0xC3+0x10*k), "wait 1.18779ms",
					fmt.Sprintf("48: 01 -> %02X E0", 0xC3+0x10*k), "48: 00 -> FF FD")
			}
		}
		return script
	}
	script := begins(0x48)
	script = append(script, scan()...)
	script = append(script, scan()...)
	script = append(script, canary(0x48)...)
	c := Single()
	c.Settle = 80 * time.Microsecond
	run(t, c, script, 2, func(int) uint16 { return 0 })
}

// pins records what is driven.
type pins struct {
	level [4]gpio.Level
	drawn bytes.Buffer
}

type pin struct {
	of *pins
	n  int
}

func (p pin) Set(l gpio.Level) error {
	p.of.level[p.n] = l
	fmt.Fprintf(&p.of.drawn, "%d", p.n)
	return nil
}

type brokenPin struct{ err error }

func (p brokenPin) Set(gpio.Level) error { return p.err }

// CD74HC4067, truth table: S0 is the lowest bit of the channel.
func TestLines(t *testing.T) {
	t.Parallel()
	var p pins
	l := &Lines{pin{&p, 0}, pin{&p, 1}, pin{&p, 2}, pin{&p, 3}}
	for channel := range 16 {
		p.drawn.Reset()
		if err := l.Select(channel); err != nil {
			t.Fatal(err)
		}
		want := [4]gpio.Level{channel&1 != 0, channel&2 != 0, channel&4 != 0, channel&8 != 0}
		if p.level != want || p.drawn.String() != "0123" {
			t.Errorf("channel %d: levels %v, lines driven %s", channel, p.level, &p.drawn)
		}
	}
	broken := errors.New("no such pin")
	l[2] = brokenPin{broken}
	if err := l.Select(3); !errors.Is(err, broken) || !strings.Contains(err.Error(), "S2") {
		t.Errorf("%v", err)
	}
	l[1] = nil
	if err := l.Select(3); err == nil || !strings.Contains(err.Error(), "S1") {
		t.Errorf("%v", err)
	}
}
