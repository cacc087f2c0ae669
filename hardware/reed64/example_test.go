package reed64_test

import (
	"context"
	"fmt"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/reed64"
)

// An emulated matrix with one disc on a1. On a real board the lines come from
// hardware/pi.
func Example() {
	m := emu.NewReedMatrix(emu.ReedOptions{})
	m.SetDiscs(1)
	board, err := reed64.New(m.Rows(), m.Columns(), reed64.Reference())
	if err != nil {
		fmt.Println(err)
		return
	}
	var f hardware.Frame
	if err := board.Scan(context.Background(), 0, &f); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("discs %016x lost %016x\n", f.North, f.Lost)
	// Output: discs 0000000000000001 lost 0000000000000000
}
