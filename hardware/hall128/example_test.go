package hall128_test

import (
	"context"
	"fmt"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hall128"
)

// A board of emulated chips with one disc on a1, north pole down. On a real
// board the bus comes from hardware/pi.
func Example() {
	wire := emu.NewBus()
	for addr := uint16(0x20); addr <= 0x27; addr++ {
		chip := emu.NewTCA9555(addr, emu.TCAOptions{})
		if addr == 0x20 {
			chip.SetPins(0xFFFE, 0) // P0.0 low: a1, north.
		}
		wire.Attach(chip)
	}
	bus := hardware.NewBus(wire, hardware.BusOptions{})
	defer func() {
		if err := bus.Close(); err != nil {
			fmt.Println(err)
		}
	}()
	board, err := hall128.New(hall128.Reference(hall128.TCA9555), bus)
	if err != nil {
		fmt.Println(err)
		return
	}
	var f hardware.Frame
	for i := range 3 {
		if err := board.Scan(context.Background(), time.Duration(i)*20*time.Millisecond, &f); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("north %016x lost %016x\n", f.North, f.Lost)
	}
	// Output:
	// north 0000000000000000 lost ffffffffffffffff
	// north 0000000000000001 lost 0000000000000000
	// north 0000000000000001 lost 0000000000000000
}
