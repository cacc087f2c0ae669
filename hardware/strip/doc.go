// Package strip shows 64 colors on a strip of APA102 (or SK9822) lights, one
// beside each cell of the board, and keeps their current within the supply
// (see package pixel for what becomes of a color and of the current).
//
// It is NOT an animation: what to show and when is decided in display. It
// sends what it is given, linearly, and nothing on its own.
//
// The driver of periph is told to pass colors through: no gamma, no color
// temperature, and the chips' own 5-bit brightness, which flickers at 580 Hz,
// stays at its maximum of 31. What follows the eye belongs to display.
//
// # SK9822
//
// These latch a frame only when the next one begins. Show a frame once more
// if nothing else will be shown soon.
//
// # Lights that lose a frame
//
// Nothing comes back from a strip: lights that were without supply stay dark
// until the next frame. Show a frame again every second even if it has not
// changed.
package strip
