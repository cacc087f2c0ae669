package strip_test

import (
	"fmt"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/strip"
)

// One light on an emulated chain. On a real board the port comes from
// hardware/pi.
func Example() {
	chain := emu.NewAPA102(strip.Cells)
	s, err := strip.New(chain, strip.Config{LEDs: strip.RowByRow(), Brightness: 128})
	if err != nil {
		fmt.Println(err)
		return
	}
	var px [strip.Cells]hardware.RGB
	px[0] = hardware.RGB{R: 255}
	if err := s.Show(&px); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", chain.LEDs()[0])
	// Output: {Bright:31 R:128 G:0 B:0}
}
