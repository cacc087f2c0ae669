package ws2812_test

import (
	"errors"
	"testing"

	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/pixel"
	"reversi-board/hardware/ws2812"
)

func open(t rapid.TB) (*ws2812.Strip, *emu.WS2812) {
	t.Helper()
	chain := emu.NewWS2812(ws2812.Cells, emu.WSOptions{})
	s, err := ws2812.New(chain, ws2812.Config{LEDs: pixel.Serpentine(), Brightness: 255, MaxMilliamps: 4000})
	if err != nil {
		t.Fatal(err)
	}
	return s, chain
}

// picture is 64 colors, each its own.
func picture() (px [ws2812.Cells]hardware.RGB) {
	for i := range px {
		px[i] = hardware.RGB{R: uint8(3 * i), G: uint8(255 - i), B: uint8(i ^ 0x2A)}
	}
	return px
}

// shows compares the lights with what was sent.
func shows(t *testing.T, what string, chain *emu.WS2812, px *[ws2812.Cells]hardware.RGB) {
	t.Helper()
	leds, order := chain.LEDs(), pixel.Serpentine()
	for cell, want := range px {
		if got := leds[order[cell]]; got != emu.RGB(want) {
			t.Errorf("%s: cell %d shows %+v, want %+v", what, cell, got, want)
		}
	}
}

func TestLightsShowWhatWasSent(t *testing.T) {
	t.Parallel()
	s, chain := open(t)
	px, dark := picture(), [ws2812.Cells]hardware.RGB{}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	if chain.Speed() != 2500*physic.KiloHertz || chain.Bytes() != 774 {
		t.Errorf("%d bytes at %s", chain.Bytes(), chain.Speed())
	}
	shows(t, "frame", chain, &px)
	if err := s.Dark(); err != nil {
		t.Fatal(err)
	}
	shows(t, "dark", chain, &dark)
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	shows(t, "after dark", chain, &px)
	chain.PowerCycle()
	shows(t, "after a loss of supply", chain, &dark)
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	shows(t, "the next frame", chain, &px)
}

// The pulses stay within what the lights take while the core's clock is 5 %
// off; at 250 of 400 MHz, as an idle Raspberry Pi 3 may have it, they do not.
func TestClockOfTheCore(t *testing.T) {
	t.Parallel()
	px := picture()
	for _, c := range []struct {
		drift float64
		good  bool
	}{{1, true}, {1.05, true}, {0.95, true}, {0.625, false}} {
		s, chain := open(t)
		chain.Drift(c.drift)
		if err := s.Show(&px); err != nil {
			t.Fatal(err)
		}
		order, wrong := pixel.Serpentine(), 0
		for cell, led := range order {
			if chain.LEDs()[led] != emu.RGB(px[cell]) {
				wrong++
			}
		}
		if (wrong == 0) != c.good {
			t.Errorf("clock at %v: %d lights are wrong", c.drift, wrong)
		}
	}
}

func TestPortThatFails(t *testing.T) {
	t.Parallel()
	s, chain := open(t)
	px := picture()
	trouble := errors.New("port trouble")
	chain.Fail(trouble)
	if err := s.Show(&px); !errors.Is(err, trouble) {
		t.Errorf("Show: %v", err)
	}
	if err := s.Dark(); !errors.Is(err, trouble) {
		t.Errorf("Dark: %v", err)
	}
	chain.Fail(nil)
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	shows(t, "afterwards", chain, &px)
}
