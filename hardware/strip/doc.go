// Package strip shows 64 colors on a strip of APA102 (or SK9822) lights, one
// beside each cell of the board, and keeps their current within the supply.
//
// It is NOT an animation: what to show and when is decided in display. It
// sends what it is given, linearly, and nothing on its own.
//
// # What becomes of a color
//
// Each channel is scaled by the brightness (rounded up, so that a dim light
// stays lit), then, only if the sum of all channels would draw more than the
// cap, the whole frame is scaled down (rounded down, so that the cap holds).
// The driver of periph is told to pass colors through: no gamma, no color
// temperature, and the chips' own 5-bit brightness, which flickers at 580 Hz,
// stays at its maximum of 31. What follows the eye belongs to display.
//
// # Current
//
// A channel at 255 draws 20 mA, so a frame draws sum(r+g+b)/255 * 20 mA. The
// idle current of the chips, about 1 mA each, comes on top.
//
// # SK9822
//
// These latch a frame only when the next one begins. Show a frame once more
// if nothing else will be shown soon.
package strip
