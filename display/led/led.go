package led

import (
	"time"

	"reversi-board/display"
	"reversi-board/engine"
)

// RGB is the color of one LED, 0 (dark) to 255 each.
type RGB struct{ R, G, B uint8 }

// Render writes to px, one color a square, how the scene looks at now. It
// reports whether the picture will change by itself, so that it must be
// rendered again soon: at least 25 times a second.
func Render(sc *display.Scene, now time.Duration, px *[engine.Squares]RGB) (moves bool) {
	moves = sc.Busy(now)
	for s := range engine.Square(engine.Squares) {
		p := sc.At(s, now)
		px[s] = light(p, now)
		moves = moves || changes(p)
	}
	return moves
}

// changes reports whether a pattern looks different at different times.
func changes(p display.Pattern) bool {
	switch p {
	case display.Wrong, display.PlaceBlack, display.PlaceWhite, display.Fault, display.Identify, display.Ask:
		return true
	case display.Off, display.Flip, display.OK, display.Pass, display.Hint, display.HintBest:
		return false
	default:
		return false
	}
}

// light returns the color of a pattern at now.
func light(p display.Pattern, now time.Duration) RGB {
	ms := int(max(now, 0) / time.Millisecond)
	switch p {
	case display.Off:
		return RGB{}
	case display.Flip:
		return RGB{0x56, 0xB4, 0xE9}
	case display.Wrong:
		return RGB{0xD5, 0x5E, 0x00}.when(ms%250 < 125)
	case display.PlaceBlack:
		return RGB{0xFF, 0xB4, 0x6B}.scale(even(swell(ms)))
	case display.PlaceWhite:
		return RGB{0xCF, 0xE4, 0xFF}.scale(even(full - swell(ms)))
	case display.OK:
		return RGB{0x00, 0x9E, 0x73}
	case display.Pass:
		return RGB{0xF0, 0xE4, 0x42}
	case display.Fault:
		// On for 100 ms twice, 100 ms apart, then dark for the rest.
		ms %= 1000
		return RGB{0xCC, 0x79, 0xA7}.when(ms < 100 || ms >= 200 && ms < 300)
	case display.Hint:
		return RGB{0xF0, 0xE4, 0x42}.scale(full / 12)
	case display.HintBest:
		return RGB{0xF0, 0xE4, 0x42}.scale(full / 4)
	case display.Identify:
		return RGB{0x60, 0x60, 0x60}.when(ms%500 < 250)
	case display.Ask:
		return RGB{0xF0, 0xE4, 0x42}.scale(full / 2).when(ms%1000 < 500)
	default:
		return RGB{}
	}
}

// full is the scale of brightness.
const full = 240

// swell is a slow pulse of 1 Hz: nothing for half of the second, then up to full
// at three quarters of it and down again.
func swell(ms int) int {
	away := max(750-ms%1000, ms%1000-750)
	return full * max(250-away, 0) / 250
}

// even makes a steady rise look steady to the eye, which takes half of the light
// for much more than half as bright.
func even(brightness int) int { return brightness * brightness / full }

func (c RGB) scale(by int) RGB {
	return RGB{scale(c.R, by), scale(c.G, by), scale(c.B, by)}
}

func scale(v uint8, by int) uint8 { return uint8(int(v) * by / full) }

func (c RGB) when(on bool) RGB {
	if on {
		return c
	}
	return RGB{}
}
