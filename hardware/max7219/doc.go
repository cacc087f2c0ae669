// Package max7219 shows 64 squares in one color on an 8x8 module behind a Maxim
// MAX7219 on an SPI port (Maxim 19-4452, tables 2 to 10).
//
// It is NOT an animation and knows no digits: what to show and when is decided
// in display. It has no cap of current either: a resistor on the module sets
// the current of a segment, and the chip scans one digit at a time.
//
// # Why not periph's max7219
//
// That driver starts a single chip in code-B decode, where a row of lights is
// taken for a digit, only logs errors of the start, and allocates for every
// byte pair. Sending the control registers again would go around it.
//
// # What is sent
//
// Every Show sends everything, 13 words of 16 bits, each with its own chip
// select because that is what latches it:
//
//	0F00  no display test
//	0900  no decoding
//	0B07  all eight digits
//	0A0n  intensity
//	01dd to 08dd  digits 0 to 7
//	0C01  no shutdown
//
// The chip cannot be read. A disturbance can switch it to display test, to
// decoding or off, and a loss of supply switches it off with its registers
// undone; since no word is left out, the next Show ends all of that. Call Show
// again every second even if nothing has changed. Nobody can tell whether a
// module is there at all: look at the lights.
//
// # Wiring
//
// A module has eight digits of eight segments, and which light is where is a
// matter of the module. Module gives the usual one: line r of the squares is
// digit r, with column 0 at DP (bit 7) and column 7 at G (bit 0).
//
// At 5 V the chip wants 3.5 V for a high level: put a 74AHCT125 between.
package max7219
