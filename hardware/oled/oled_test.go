package oled_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/oled"
)

type picture = [oled.Width]uint64

const ms = time.Millisecond

// owner returns a bus without a goroutine, on which no pause takes time.
func owner(t testing.TB, raw i2c.BusCloser, now func() time.Duration) *hardware.Bus {
	t.Helper()
	bus := hardware.NewBus(raw, hardware.BusOptions{
		Now: now, Inline: true,
		Sleep: func(context.Context, time.Duration) error {
			t.Error("the bus pauses, and a scan would wait for it")
			return nil
		},
	})
	t.Cleanup(func() {
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	})
	return bus
}

func open(t testing.TB, bus *hardware.Bus, c oled.Config) *oled.Panel {
	t.Helper()
	p, err := oled.New(bus, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func standing() time.Duration { return 0 }

// script is a bus that expects transfers to one address, in slices.
type script struct {
	addr uint16
	ops  []i2ctest.IO
	ends []int // How many transfers there are after each Step.
}

// step adds the transfers of one Step.
func (s *script) step(transfers ...[]byte) {
	for _, w := range transfers {
		s.ops = append(s.ops, i2ctest.IO{Addr: s.addr, W: w})
	}
	s.ends = append(s.ends, len(s.ops))
}

// play steps through the script.
func (s *script) play(t *testing.T, c oled.Config, show ...func(p *oled.Panel)) {
	t.Helper()
	wire := &i2ctest.Playback{Ops: s.ops, DontPanic: true}
	p := open(t, owner(t, wire, standing), c)
	for i, end := range s.ends {
		if i < len(show) && show[i] != nil {
			show[i](p)
		}
		more, err := p.Step(t.Context(), 0)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if wire.Count != end {
			t.Fatalf("step %d: %d transfers so far, want %d", i, wire.Count, end)
		}
		// Everything up to the order to light the panel is queued at once.
		if want := i < 9 || i > 10 && i+1 < len(s.ends) && (i+1 >= len(show) || show[i+1] == nil); more != want {
			t.Errorf("step %d: more to send: %t", i, more)
		}
	}
	if more, err := p.Step(t.Context(), 0); more || err != nil {
		t.Errorf("nothing is left to send: %t, %v", more, err)
	}
}

// dark is the initialisation of a panel that stays dark, after table 9-1 and the
// flow chart "software initialization" of the SSD1306's data sheet, in the order
// of periph's driver.
func dark() []byte {
	return []byte{
		0x00,       // Commands.
		0xAE,       // Display off.
		0xD3, 0x00, // No offset.
		0x40,       // Start line 0.
		0xA1, 0xC8, // Segments and rows reversed.
		0xDA, 0x12, // Alternative COM pins, no left/right remap.
		0x81, 0xFF, // Contrast.
		0xA4, 0xA6, // Memory content, not inverse.
		0xD5, 0xF0, // Fastest oscillator, divide ratio 1.
		0x8D, 0x14, // Charge pump on.
		0xD9, 0xF1, // Precharge: 1 and 15 clocks.
		0xDB, 0x40, // VCOMH deselect level.
		0x2E,       // No scrolling.
		0xA8, 0x3F, // 64 rows.
		0x20, 0x00, // Horizontal addressing.
		0x21, 0x00, 0x7F, // Columns 0 to 127.
		0x22, 0x00, 0x07, // Pages 0 to 7.
	}
}

// sh1106Dark is the same after the command table of the SH1106's data sheet, in
// which there are no addressing modes, windows, scrolling or charge pump.
func sh1106Dark() []byte {
	return []byte{
		0x00, 0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0xAD, 0x8B, 0xA1, 0xC8, 0xDA, 0x12,
		0x81, 0xFF, 0xD9, 0x22, 0xDB, 0x35, 0xA4, 0xA6,
	}
}

// data returns a transfer of pixels: n columns with the same byte, but one.
func data(n int, fill byte, at int, one byte) []byte {
	b := append([]byte{0x40}, bytes.Repeat([]byte{fill}, n)...)
	if at >= 0 {
		b[1+at] = one
	}
	return b
}

func (s *script) full(init []byte, shift byte) {
	s.step(init)
	for page := range byte(8) {
		one := data(128, 0, -1, 0)
		if page == 7 {
			one = data(128, 0, 127, 0x80) // The lower right corner.
		}
		if page == 0 {
			one = data(128, 0, 3, 0x01)
		}
		s.step([]byte{0x00, 0xB0 + page, shift, 0x10}, one)
	}
	s.step([]byte{0x00, 0xAF})
	// Are you lit?
	s.ops = append(s.ops, i2ctest.IO{Addr: s.addr, R: []byte{0x03}})
	s.ends = append(s.ends, len(s.ops))
}

func TestFirstPictureOnTheWire(t *testing.T) {
	t.Parallel()
	for _, addr := range []uint16{0, 0x3C, 0x3D} {
		s := &script{addr: max(addr, 0x3C)}
		s.full(dark(), 0)
		s.play(t, oled.Config{Addr: addr}, func(p *oled.Panel) { p.Show(&picture{3: 1, 127: 1 << 63}) })
	}
}

func TestSH1106OnTheWire(t *testing.T) {
	t.Parallel()
	s := &script{addr: 0x3C}
	s.full(sh1106Dark(), 2)
	// Columns 14 to 20 are 16 to 22 of the memory.
	s.step([]byte{0x00, 0xB2, 0x00, 0x11}, []byte{0x40, 0x80, 0, 0, 0, 0, 0, 0x01})
	show := make([]func(*oled.Panel), 12)
	show[0] = func(p *oled.Panel) { p.Show(&picture{3: 1, 127: 1 << 63}) }
	show[11] = func(p *oled.Panel) { p.Show(&picture{3: 1, 127: 1 << 63, 14: 1 << 23, 20: 1 << 16}) }
	s.play(t, oled.Config{Controller: oled.SH1106}, show...)
}

func TestChangesOnTheWire(t *testing.T) {
	t.Parallel()
	s := &script{addr: 0x3C}
	s.full(dark(), 0)
	show := make([]func(*oled.Panel), 13)
	m := picture{3: 1, 127: 1 << 63}
	show[0] = func(p *oled.Panel) { p.Show(&m) }
	// One pixel.
	show[11] = func(p *oled.Panel) {
		m[0x53] = 1 << 29
		p.Show(&m)
	}
	s.step([]byte{0x00, 0xB3, 0x03, 0x15}, []byte{0x40, 0x20})
	// A whole page, and something that lies in two: no more than has changed, at
	// most half a page at a time, and the page after the last one first.
	show[12] = func(p *oled.Panel) {
		for x := range m {
			m[x] |= 0xFF
		}
		m[0x20], m[0x22] = m[0x20]|0x3<<47, m[0x22]|0x3<<47
		p.Show(&m)
	}
	s.step([]byte{0x00, 0xB5, 0x00, 0x12}, []byte{0x40, 0x80, 0, 0x80})
	s.step([]byte{0x00, 0xB6, 0x00, 0x12}, []byte{0x40, 0x01, 0, 0x01})
	s.step([]byte{0x00, 0xB0, 0x00, 0x10}, data(64, 0xFF, -1, 0))
	s.step([]byte{0x00, 0xB0, 0x00, 0x14}, data(64, 0xFF, -1, 0))
	s.play(t, oled.Config{}, show...)
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	bus := owner(t, &i2ctest.Playback{}, standing)
	for _, addr := range []uint16{1, 0x3B, 0x3E, 0x78} {
		if _, err := oled.New(bus, oled.Config{Addr: addr}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("0x%02X", addr)) {
			t.Errorf("address %#x: %v", addr, err)
		}
	}
	if _, err := oled.New(bus, oled.Config{Controller: 2}); err == nil || !strings.Contains(err.Error(), "ssd1306 or sh1106") {
		t.Errorf("controller 2: %v", err)
	}
}

// errNACK is what Linux says when nobody answers, errStuck when a line is held.
var (
	errNACK  = errors.New("sysfs-i2c: remote I/O error")
	errStuck = errors.New("sysfs-i2c: connection timed out")
)

// glass is a panel, after the data sheets of both controllers: the memory and
// what decides about it. It is an I2C bus with nothing else on it.
type glass struct {
	t  testing.TB
	mu sync.Mutex
	// shift is where the panel begins in the memory; the memory is as wide as
	// 132 columns for a controller that knows page addressing only.
	shift     int
	memory    [8][132]byte
	page, col int
	lit, pump bool
	// mute panels always give the same status.
	mute bool
	// fail, if not nil, decides about transfer n, from 1.
	fail func(n int) error
	n    int
	bits int
	// takes, if not nil, is called for the time of a transfer.
	takes func(bits int)
}

func (g *glass) String() string                  { return "glass" }
func (g *glass) SetSpeed(physic.Frequency) error { return nil }
func (g *glass) Close() error                    { return nil }

// plug gives the panel power, and its memory noise.
func (g *glass) plug() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lit, g.pump, g.page, g.col = false, false, 0, 0
	for page := range g.memory {
		for x := range g.memory[page] {
			g.memory[page][x] = byte(31*x + 7*page)
		}
	}
	g.fail = nil
}

func (g *glass) set(fail func(n int) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fail, g.n = fail, 0
}

func (g *glass) Tx(_ uint16, w, r []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
	if g.fail != nil {
		if err := g.fail(g.n); err != nil {
			g.bits += 11
			return err
		}
	}
	bits := 2 + 9*(1+len(w)+len(r))
	g.bits += bits
	if g.takes != nil {
		g.takes(bits)
	}
	switch {
	case len(w) == 0 && len(r) == 1:
		r[0] = 0x03
		if !g.lit || g.mute {
			r[0] = 0x43
		}
	case len(r) != 0 || len(w) < 2:
		g.t.Errorf("%d bytes to a panel, %d from it", len(w), len(r))
	case w[0] == 0x40:
		for _, b := range w[1:] {
			g.memory[g.page][g.col] = b
			g.col = (g.col + 1) % len(g.memory[g.page])
		}
	case w[0] == 0x00:
		g.commands(w[1:])
	default:
		g.t.Errorf("control byte %#x", w[0])
	}
	return nil
}

// commands obeys commands that have to do with what is seen, and skips others
// with their arguments.
func (g *glass) commands(w []byte) {
	for len(w) > 0 {
		c, args := w[0], 0
		switch {
		case c&0xF8 == 0xB0:
			g.page = int(c & 7)
		case c&0xF0 == 0x00:
			g.col = g.col&0xF0 | int(c)
		case c&0xF0 == 0x10:
			g.col = g.col&0x0F | int(c&0x0F)<<4
		case c == 0xAE, c == 0xAF:
			g.lit = c == 0xAF
		case c == 0x8D && g.shift == 0, c == 0xAD && g.shift != 0:
			args = 1
			g.pump = w[1] == 0x14 || w[1] == 0x8B
		case c == 0x20 && g.shift == 0:
			args = 1
		case (c == 0x21 || c == 0x22) && g.shift == 0:
			args = 2
		case c == 0x2E && g.shift == 0:
		case slices.Contains([]byte{0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB, 0x81}, c):
			args = 1
		case slices.Contains([]byte{0xA1, 0xC8, 0xA4, 0xA6, 0x40}, c):
		default:
			g.t.Errorf("command %#x is not known to this controller", c)
		}
		w = w[1+args:]
	}
}

// seen returns the picture on the panel; it is dark when the panel is.
func (g *glass) seen() picture {
	g.mu.Lock()
	defer g.mu.Unlock()
	var m picture
	if !g.lit || !g.pump {
		return m
	}
	for x := range m {
		for page := range g.memory {
			m[x] |= uint64(g.memory[page][g.shift+x]) << (8 * page)
		}
	}
	return m
}

// A panel that has just got its power shows no noise: it is dark until it has
// been drawn.
func TestNoNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []oled.Controller{oled.SSD1306, oled.SH1106} {
		g := &glass{t: t, shift: 2 * int(c)}
		g.plug()
		p := open(t, owner(t, g, standing), oled.Config{Controller: c})
		m := picture{5: 0xF00F, 100: 1}
		p.Show(&m)
		for more := true; more; {
			var err error
			if more, err = p.Step(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if seen := g.seen(); seen != m && seen != (picture{}) {
				t.Fatalf("%v: something else is seen", c)
			}
		}
		if g.seen() != m {
			t.Errorf("%v: the picture is not seen", c)
		}
		if err := p.Off(t.Context()); err != nil || g.seen() != (picture{}) {
			t.Errorf("%v: the panel is still lit, %v", c, err)
		}
		// A step lights it again.
		for more := true; more; {
			more, _ = p.Step(t.Context(), 0)
		}
		if g.seen() != m {
			t.Errorf("%v: the picture is not seen again", c)
		}
	}
}

// table is a panel on a bus, with a clock, a picture and somebody who steps.
type table struct {
	*oled.Panel
	glass *glass
	now   time.Duration
	m     picture
}

func newTable(t testing.TB, c oled.Controller) *table {
	t.Helper()
	b := &table{glass: &glass{t: t, shift: 2 * int(c)}, m: picture{1: 2, 64: ^uint64(0)}}
	b.glass.plug()
	b.Panel = open(t, owner(t, b.glass, func() time.Duration { return b.now }), oled.Config{Controller: c})
	b.Show(&b.m)
	return b
}

// run steps every 20 ms for a while. It returns how many steps failed, how long
// it took until the picture was seen, or -1, and for how long it was not seen
// after that.
func (b *table) run(t testing.TB, d time.Duration) (failed int, seen, gone time.Duration) {
	t.Helper()
	seen = -1
	start, visible := b.now, b.glass.seen() == b.m
	for ; b.now < start+d; b.now += 20 * ms {
		before := b.glass.bits
		if _, err := b.Step(t.Context(), b.now); err != nil {
			failed++
			if !errors.Is(err, errNACK) || !strings.Contains(err.Error(), "0x3C") {
				t.Fatal(err)
			}
		}
		if b.glass.bits != before {
			visible = b.glass.seen() == b.m
		}
		switch {
		case visible && seen < 0:
			seen = b.now - start
		case !visible && seen >= 0:
			gone += 20 * ms
		}
	}
	return failed, seen, gone
}

// What a disturbance has left is gone after five minutes, and meanwhile the
// picture stays.
func TestRefresh(t *testing.T) {
	t.Parallel()
	b := newTable(t, oled.SSD1306)
	b.run(t, time.Minute)
	b.glass.memory[3][17] = 0x55
	_, healed, gone := b.run(t, 11*time.Minute)
	if healed < 3*time.Minute || healed > 4*time.Minute+time.Second || gone != 0 {
		t.Errorf("healed after %v, gone for %v", healed, gone)
	}
	if s := b.Stats(); s.Inits != 3 || s.Failed != 0 || s.Resets != 0 || !s.Present || s.Err != nil {
		t.Errorf("%+v", s)
	}
}

// A dip of the power that the panel answers after is found in five seconds.
func TestBrownOut(t *testing.T) {
	t.Parallel()
	for _, c := range []oled.Controller{oled.SSD1306, oled.SH1106} {
		b := newTable(t, c)
		b.run(t, time.Minute)
		b.glass.plug()
		failed, seen, gone := b.run(t, time.Minute)
		if failed != 0 || seen < 0 || seen > 5300*ms || gone != 0 || b.Stats().Resets != 1 {
			t.Errorf("%v: seen after %v, gone for %v, %d errors, %+v", c, seen, gone, failed, b.Stats())
		}
	}
}

// A panel that always says it is dark is not believed.
func TestPanelThatDoesNotTell(t *testing.T) {
	t.Parallel()
	b := newTable(t, oled.SSD1306)
	b.glass.mute = true
	if failed, seen, gone := b.run(t, 4*time.Minute); failed != 0 || seen < 0 || seen > time.Second || gone != 0 || b.Stats().Resets != 0 {
		t.Errorf("seen after %v, gone for %v, %+v", seen, gone, b.Stats())
	}
	// Nor is it when another panel was there before.
	b = newTable(t, oled.SSD1306)
	b.run(t, time.Minute)
	b.glass.set(func(int) error { return errNACK })
	b.run(t, 10*time.Second)
	b.glass.mute = true
	b.glass.plug()
	if _, seen, gone := b.run(t, 4*time.Minute); seen < 0 || seen > 7*time.Second || gone != 0 || b.Stats().Resets != 0 {
		t.Errorf("seen after %v, gone for %v, %+v", seen, gone, b.Stats())
	}
}

// A panel that works again is as good as new: the next failure costs a moment.
func TestSingleFailure(t *testing.T) {
	t.Parallel()
	b := newTable(t, oled.SSD1306)
	b.glass.set(func(int) error { return errNACK })
	b.run(t, time.Minute)
	b.glass.plug()
	b.run(t, time.Minute)
	b.glass.set(func(n int) error {
		if n == 2 {
			return errNACK
		}
		return nil
	})
	b.m[7]++
	b.Show(&b.m)
	if failed, seen, _ := b.run(t, time.Second); failed != 1 || seen < 0 || seen > 320*ms {
		t.Errorf("%d errors, seen after %v", failed, seen)
	}
}

// A panel that is not there costs a byte every six seconds, and is found once it
// is plugged in.
func TestHotPlug(t *testing.T) {
	t.Parallel()
	b := newTable(t, oled.SSD1306)
	for range 3 {
		b.glass.set(func(int) error { return errNACK })
		// Unplugging is noticed within five seconds even without a change.
		if failed, _, _ := b.run(t, 10*time.Second); failed == 0 || b.Stats().Present || !errors.Is(b.Stats().Err, errNACK) {
			t.Errorf("unplugged: %d errors, %+v", failed, b.Stats())
		}
		b.glass.bits = 0
		failed, _, _ := b.run(t, time.Hour)
		if bits := b.glass.bits; failed < 590 || failed > 620 || bits > 11*620 || bits < 11*590 {
			t.Errorf("in an hour without a panel: %d errors, %d bits on the wire", failed, bits)
		}
		b.glass.plug()
		failed, seen, gone := b.run(t, time.Minute)
		if failed != 0 || seen < 0 || seen > 6300*ms || gone != 0 || !b.Stats().Present {
			t.Errorf("plugged in: %d errors, seen after %v, gone for %v, %+v", failed, seen, gone, b.Stats())
		}
	}
}

// trouble is what TestAnyTrouble may do to a panel.
func (b *table) trouble(t testing.TB) map[string]func(*rapid.T) {
	t.Helper()
	return map[string]func(*rapid.T){
		"": func(*rapid.T) {},
		"change": func(rt *rapid.T) {
			x := rapid.IntRange(0, oled.Width-1).Draw(rt, "x")
			for i := range rapid.IntRange(1, 130).Draw(rt, "columns") {
				b.m[(x+i)%oled.Width] = rapid.Uint64().Draw(rt, "column") << rapid.IntRange(0, 63).Draw(rt, "y")
			}
			b.Show(&b.m)
		},
		"step": func(rt *rapid.T) {
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				b.slice(t, rt)
			}
		},
		"fail": func(rt *rapid.T) {
			at := rapid.IntRange(1, 40).Draw(rt, "at")
			err := rapid.SampledFrom([]error{errNACK, errStuck}).Draw(rt, "error")
			b.glass.set(func(n int) error {
				if n == at {
					return err
				}
				return nil
			})
		},
		"replug": func(*rapid.T) { b.glass.plug() },
		"unplug": func(*rapid.T) { b.glass.set(func(int) error { return errNACK }) },
		"wait": func(rt *rapid.T) {
			b.now += time.Duration(rapid.IntRange(0, 20).Draw(rt, "seconds")) * time.Second
		},
		"cancel": func(rt *rapid.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := b.Step(ctx, b.now); err != nil && !errors.Is(err, context.Canceled) {
				rt.Fatal(err)
			}
		},
	}
}

// slice steps once, and measures it.
func (b *table) slice(t testing.TB, rt *rapid.T) (more bool) {
	t.Helper()
	before := b.glass.bits
	more, _ = b.Step(t.Context(), b.now)
	if sent := b.glass.bits - before; sent > 1219 {
		rt.Fatalf("%d bits in a step", sent)
	}
	b.now += 20 * ms
	return more
}

// Whatever fails and changes, no request is more than a page, and in the end the
// panel shows the picture.
func TestAnyTrouble(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newTable(t, rapid.SampledFrom([]oled.Controller{oled.SSD1306, oled.SH1106}).Draw(rt, "controller"))
		rt.Repeat(b.trouble(t))
		b.glass.set(nil)
		b.now += 10 * time.Minute
		for range 50 {
			b.slice(t, rt)
		}
		if more := b.slice(t, rt); more || b.glass.seen() != b.m {
			rt.Errorf("the picture is not seen; more to send: %t", more)
		}
	})
}

// draw changes the whole picture all the time and steps without a pause.
func draw(ctx context.Context, t *testing.T, p *oled.Panel) {
	t.Helper()
	var m picture
	start := time.Now()
	for i := uint64(1); ctx.Err() == nil; i++ {
		for x := range m {
			m[x] = i * 0x9E3779B97F4A7C15 << (x % 7)
		}
		p.Show(&m)
		if _, err := p.Step(ctx, time.Since(start)); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
}

// A scan waits for one slice at most, however much there is to draw.
func TestScansGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &glass{t: t}
		g.plug()
		g.takes = func(bits int) { time.Sleep(time.Duration(bits) * 2500 * time.Nanosecond) } // 400 kHz.
		bus := hardware.NewBus(g, hardware.BusOptions{})
		p := open(t, bus, oled.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		var drawing sync.WaitGroup
		drawing.Go(func() { draw(ctx, t, p) })
		var worst time.Duration
		for range 500 {
			time.Sleep(7 * ms)
			asked := time.Now()
			if err := bus.Do(ctx, hardware.PrioScan, func(i2c.Bus) error {
				worst = max(worst, time.Since(asked))
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
		cancel()
		drawing.Wait()
		// 1219 bits, section "Slices" of the package comment.
		if worst > 3048*time.Microsecond || worst < time.Millisecond {
			t.Errorf("a scan waited for %v", worst)
		}
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A step that is given up waits for nobody, and the next one goes on.
func TestCancelledStep(t *testing.T) {
	t.Parallel()
	g := &glass{t: t}
	g.plug()
	p := open(t, owner(t, g, standing), oled.Config{})
	m := picture{9: 9}
	p.Show(&m)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for more := true; more; {
		if _, err := p.Step(cancelled, 0); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		var err error
		if more, err = p.Step(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if s := p.Stats(); g.seen() != m || s.Failed != 0 || s.Inits != 1 || s.Slices != 9 {
		t.Errorf("%+v", s)
	}
}

func TestAllocations(t *testing.T) {
	g := &glass{t: t}
	g.plug()
	p := open(t, owner(t, g, standing), oled.Config{})
	var m picture
	step := func() {
		if _, err := p.Step(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		step()
	}
	if n := testing.AllocsPerRun(100, func() {
		p.Show(&m)
		step()
	}); n != 0 {
		t.Errorf("%v allocations in a step with nothing to send", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		m[0]++
		p.Show(&m)
		step()
	}); n > 5 {
		t.Errorf("%v allocations in a slice", n)
	}
}

func BenchmarkIdleStep(b *testing.B) {
	g := &glass{t: b}
	g.plug()
	p := open(b, owner(b, g, standing), oled.Config{})
	for range 10 {
		if _, err := p.Step(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Step(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}
