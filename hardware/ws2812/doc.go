// Package ws2812 shows 64 colors on a strip of WS2812 lights ("NeoPixel"), one
// beside each cell of the board, and keeps their current within the supply (see
// package pixel for what becomes of a color and of the current).
//
// It is NOT an animation: what to show and when is decided in display. It
// sends what it is given, linearly, and nothing on its own.
//
// # One wire, made with SPI
//
// These chips have no clock: a 0 is a short pulse, a 1 a long one, and the
// frame is taken over after a pause. The driver of periph (nrzled) draws the
// pulses with the data line of an SPI port at exactly 2.5 MHz, four SPI bits of
// 400 ns for each: 1000 is a 0, 1110 a 1. Colors go out as green, red, blue,
// most significant bit first, with three zero bytes before and after, 774 bytes
// and 2.5 ms in all. The pause, up to 280 µs, is the time until the next frame:
// do not show more than 300 frames a second.
//
// The clock must be exact. On a Raspberry Pi up to 3 it follows the core's: set
// core_freq=250 in /boot/firmware/config.txt. At 5 V the lights want 3.5 V for
// a high level: put a 74AHCT125 between.
//
// # Lights that lose a frame
//
// Nothing comes back from a strip: lights that were without supply stay dark
// until the next frame. Show a frame again every second even if it has not
// changed.
package ws2812
