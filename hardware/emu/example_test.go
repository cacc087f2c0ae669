package emu_test

import (
	"fmt"

	"reversi-board/hardware/emu"
)

// A chip is put on a bus, its pins are driven, and both ports are read.
func ExampleBus() {
	chip := emu.NewTCA9555(0x25, emu.TCAOptions{})
	bus := emu.NewBus(chip)
	chip.SetPins(0xFFEF, 0) // P0.4 low, nothing left open
	fmt.Println("interrupt line:", chip.INT())

	var ports [2]byte
	if err := bus.Tx(0x25, []byte{0x00}, ports[:]); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("port 0 %08b, port 1 %08b, %d bits on the wire\n", ports[0], ports[1], bus.Stats().Bits)
	fmt.Println("interrupt line:", chip.INT())
	fmt.Println(bus.Tx(0x26, []byte{0x00}, ports[:]))
	// Output:
	// interrupt line: Low
	// port 0 11101111, port 1 11111111, 48 bits on the wire
	// interrupt line: High
	// sysfs-i2c: remote I/O error
}
