// Package pixel is what strips of RGB lights have in common, whatever chips
// they are made of: which light belongs to which cell, how bright a color
// arrives, and that a frame stays within what the supply can give.
//
// It is NOT a driver: it makes the bytes of a frame, three per light in the
// order of the strip, and sends nothing.
//
// # What becomes of a color
//
// Each channel is scaled by the brightness (rounded up, so that a dim light
// stays lit), then, only if the sum of all channels would draw more than the
// cap, the whole frame is scaled down (rounded down, so that the cap holds).
//
// # Current
//
// A channel at 255 draws 20 mA, so a frame draws sum(r+g+b)/255 * 20 mA. The
// idle current of the chips, about 1 mA each, comes on top. Newer chips draw
// less; the cap then holds all the more.
package pixel
