package lights_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/display/led"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/ht16k33"
	"reversi-board/hardware/max7219"
	"reversi-board/hardware/pixel"
	"reversi-board/hardware/strip"
	"reversi-board/hardware/ws2812"
)

// uncapped is more than all lights of a strip can draw.
const uncapped = 4000

// light is what an eye sees of one LED.
type light struct{ r, g, b int }

func (l light) lit() bool { return l != light{} }

// module is one kind of LED from the scene to the light.
type module struct {
	// show draws a scene as it looks at a moment and sends it.
	show func(sc *display.Scene, now time.Duration) error
	dark func() error
	// look returns the lights of the cells.
	look func(now time.Duration) [engine.Squares]light
	// fail makes transfers end with an error, nil heals.
	fail func(err error)
	// reset takes the supply away and gives it back.
	reset func()
	// read says what a light means from four seconds of it, sampled every 20 ms.
	read func(series []light) string
	// strip says that the current of the lights is capped.
	strip bool
}

// modules are all kinds of LEDs, by name.
func modules() map[string]func(t rapid.TB, milliamps int) *module {
	return map[string]func(t rapid.TB, milliamps int) *module{
		"apa102": newAPA102, "ws2812": newWS2812, "ht16k33": newHT16K33, "max7219": newMAX7219,
	}
}

// order is the wiring: cell n is beside LED order[n]. Neither it nor its parts
// are symmetrical, so that nothing can be mixed up unseen.
func order() (o [engine.Squares]int) {
	for i := range o {
		o[i] = (29*i + 11) % engine.Squares
	}
	return o
}

// colors is what renders for strips.
type colors struct {
	px   [engine.Squares]led.RGB
	wire [engine.Squares]hardware.RGB
	send func(px *[engine.Squares]hardware.RGB) error
}

func (c *colors) show(sc *display.Scene, now time.Duration) error {
	led.Render(sc, now, &c.px)
	for i, p := range c.px {
		c.wire[i] = hardware.RGB(p)
	}
	return c.send(&c.wire)
}

func newAPA102(t rapid.TB, milliamps int) *module {
	t.Helper()
	chain := emu.NewAPA102(engine.Squares)
	s, err := strip.New(chain, strip.Config{LEDs: order(), Brightness: 255, MaxMilliamps: milliamps})
	if err != nil {
		t.Fatal(err)
	}
	c := &colors{send: s.Show}
	return &module{
		show: c.show, dark: s.Dark, read: inColor, strip: true, fail: chain.Fail,
		look: func(time.Duration) (out [engine.Squares]light) {
			var leds [engine.Squares]emu.LED
			chain.CopyLEDs(leds[:])
			for cell, n := range order() {
				l := leds[n]
				out[cell] = light{int(l.R) * int(l.Bright) / 31, int(l.G) * int(l.Bright) / 31, int(l.B) * int(l.Bright) / 31}
			}
			return out
		},
		// The chips of a chain come up dark.
		reset: func() {
			var off [engine.Squares]hardware.RGB
			if err := s.Show(&off); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func newWS2812(t rapid.TB, milliamps int) *module {
	t.Helper()
	chain := emu.NewWS2812(engine.Squares, emu.WSOptions{})
	s, err := ws2812.New(chain, ws2812.Config{LEDs: order(), Brightness: 255, MaxMilliamps: milliamps})
	if err != nil {
		t.Fatal(err)
	}
	c := &colors{send: s.Show}
	return &module{
		show: c.show, dark: s.Dark, read: inColor, strip: true, fail: chain.Fail, reset: chain.PowerCycle,
		look: func(time.Duration) (out [engine.Squares]light) {
			var leds [engine.Squares]emu.RGB
			chain.CopyLEDs(leds[:])
			for cell, n := range order() {
				out[cell] = light{int(leds[n].R), int(leds[n].G), int(leds[n].B)}
			}
			return out
		},
	}
}

func newHT16K33(t rapid.TB, _ int) *module {
	t.Helper()
	chip := emu.NewHT16K33(ht16k33.DefaultAddr, emu.HTOptions{})
	bus := emu.NewBus(chip)
	var clock time.Duration
	c := ht16k33.Config{Brightness: 255, Now: func() time.Duration { return clock }}
	c.Red, c.Green = ht16k33.Module(order())
	m, err := ht16k33.New(bus, c)
	if err != nil {
		t.Fatal(err)
	}
	return &module{
		show: func(sc *display.Scene, now time.Duration) error {
			clock = now
			red, green, _ := led.RenderBicolor(sc, now)
			return m.Show(uint64(red), uint64(green))
		},
		dark: m.Dark, read: inTwoColors, fail: bus.FailAll, reset: chip.PowerCycle,
		look: func(now time.Duration) (out [engine.Squares]light) {
			lit, duty := chip.Lit(now), chip.Duty()
			for cell, n := range order() {
				row := lit[n/8] >> (n % 8)
				out[cell] = light{r: int(row>>8&1) * duty, g: int(row&1) * duty}
			}
			return out
		},
	}
}

func newMAX7219(t rapid.TB, _ int) *module {
	t.Helper()
	chip := emu.NewMAX7219(1)
	m, err := max7219.New(chip, max7219.Config{Dots: max7219.Module(order()), Brightness: 255})
	if err != nil {
		t.Fatal(err)
	}
	return &module{
		show: func(sc *display.Scene, now time.Duration) error {
			on, _ := led.RenderMono(sc, now)
			return m.Show(uint64(on))
		},
		dark: m.Dark, read: inOneColor, fail: chip.Fail, reset: chip.PowerCycle,
		look: func(time.Duration) (out [engine.Squares]light) {
			lit, duty := chip.Lit(0), chip.Duty(0)
			for cell, n := range order() {
				out[cell] = light{r: int(lit[n/8]>>(7-n%8)&1) * duty}
			}
			return out
		},
	}
}

// each runs a test for every kind of LED.
func each(t *testing.T, f func(t *testing.T, open func(t rapid.TB) *module)) {
	t.Helper()
	for name, open := range modules() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, func(t rapid.TB) *module { return open(t, uncapped) })
		})
	}
}

// The kinds agree on what a strip is.
func TestModulesAreComplete(t *testing.T) {
	t.Parallel()
	if len(modules()) != 4 || pixel.Cells != engine.Squares {
		t.Errorf("%d modules of %d cells", len(modules()), pixel.Cells)
	}
	seen := map[int]bool{}
	for _, n := range order() {
		seen[n] = true
	}
	if len(seen) != engine.Squares {
		t.Fatal(errors.New("the wiring is no permutation"))
	}
}
