// Package ht16k33 shows 64 squares in red, green or both on an 8x8 module
// behind a Holtek HT16K33 (datasheet rev. 1.10) on an I²C bus.
//
// It is NOT an animation and knows no fonts: what to show and when is decided
// in display. It has no cap of current either: the chip scans one eighth of the
// lights at a time and feeds them itself.
//
// # Why not periph's ht16k33
//
// That driver sends a frame in eight transfers instead of one burst, switches
// the display on at full brightness before the RAM is written, clears only half
// of it in the end, and reads nothing back.
//
// # What is sent
//
//	start      21h oscillator on, A0h ROW15 is a row, the RAM (00h and 16
//	           bytes), E0h|n brightness, 81h display on without blinking
//	frame      the RAM: one burst of 164 clocks
//	every 1 s  before the frame, the RAM is read back, 174 clocks
//	every 2 s  after the frame, the commands of the start again
//
// # A chip that forgets
//
// After a loss of supply the chip still acknowledges everything and shows
// nothing: its oscillator is off. Of its settings nothing can be read, so they
// are sent again every 2 s; its RAM can, and a RAM that is not the last frame
// says at once that the chip was reset. After any error the next Show starts
// over. For all that to happen, Show must be called again every second, even
// if nothing has changed.
//
// # Wiring
//
// A module has eight COM lines and sixteen ROW lines; each light is one
// crossing, and which is a matter of the module. Module gives the usual one:
// line r of the squares on COM r, green on ROW0 to ROW7, red on ROW8 to ROW15.
//
// The chip wants 4.5 to 5.5 V, and 0.7 of that for a high level: more than the
// 3.3 V of a Raspberry Pi's bus. Use a level shifter.
package ht16k33
