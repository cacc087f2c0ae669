package strip_test

import (
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/strip"
)

func TestLightsShowWhatWasSent(t *testing.T) {
	t.Parallel()
	chain := emu.NewAPA102(strip.Cells)
	s, err := strip.New(chain, strip.Config{LEDs: strip.Serpentine(), Brightness: 255, MaxMilliamps: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if chain.Speed() != 4*physic.MegaHertz {
		t.Errorf("the wire runs at %s", chain.Speed())
	}
	var px [strip.Cells]hardware.RGB
	for i := range px {
		px[i] = hardware.RGB{R: uint8(3 * i), G: uint8(255 - i), B: uint8(i ^ 0x2A)}
	}
	if err := s.Show(&px); err != nil {
		t.Fatal(err)
	}
	leds, order := chain.LEDs(), strip.Serpentine()
	for cell, want := range px {
		if got := leds[order[cell]]; got != (emu.LED{Bright: 31, R: want.R, G: want.G, B: want.B}) {
			t.Errorf("cell %d shows %+v, want %+v", cell, got, want)
		}
	}
	if chain.Bytes() != 265 || chain.WireTime() > time.Millisecond {
		t.Errorf("a frame took %d bytes and %v", chain.Bytes(), chain.WireTime())
	}
	if err := s.Dark(); err != nil {
		t.Fatal(err)
	}
	for i, l := range chain.LEDs() {
		if l.R|l.G|l.B != 0 {
			t.Errorf("light %d is still on: %+v", i, l)
		}
	}
}
