package led

import (
	"time"

	"reversi-board/display"
	"reversi-board/engine"
)

// RenderMono returns which squares are lit at now on lights of one color that
// are only on or off. It reports whether the picture will change by itself, so
// that it must be rendered again soon: at least 25 times a second.
func RenderMono(sc *display.Scene, now time.Duration) (on engine.Bitboard, moves bool) {
	moves = sc.Busy(now)
	for s := range engine.Square(engine.Squares) {
		p := sc.At(s, now)
		if lit(p, now) {
			on |= s.Bit()
		}
		moves = moves || blinks(p)
	}
	return on, moves
}

// RenderBicolor is RenderMono for lights that have red and green; a square in
// both is yellow.
func RenderBicolor(sc *display.Scene, now time.Duration) (red, green engine.Bitboard, moves bool) {
	moves = sc.Busy(now)
	for s := range engine.Square(engine.Squares) {
		p := sc.At(s, now)
		if lit(p, now) {
			r, g := bicolor(p)
			red |= s.Bit() * engine.Bitboard(r)
			green |= s.Bit() * engine.Bitboard(g)
		}
		moves = moves || blinks(p)
	}
	return red, green, moves
}

// lit says whether a pattern is on at now where there is only on and off.
func lit(p display.Pattern, now time.Duration) bool {
	ms := int(max(now, 0) / time.Millisecond)
	switch p {
	case display.Off:
		return false
	case display.Flip, display.OK, display.Pass:
		return true
	case display.Wrong:
		return ms%250 < 125
	case display.PlaceBlack:
		return ms%1000 < 250
	case display.PlaceWhite:
		return ms%1000 < 750
	case display.Fault:
		return ms%1000 < 100 || ms%1000 >= 200 && ms%1000 < 300
	case display.Hint:
		return ms%2000 < 200
	case display.HintBest:
		return ms%2000 < 1000 && ms%2000%400 < 200
	case display.Identify:
		return ms%500 < 250
	case display.Ask:
		return ms%1000 < 500
	default:
		return false
	}
}

// blinks reports whether a pattern is on at some times and off at others.
func blinks(p display.Pattern) bool {
	return changes(p) || p == display.Hint || p == display.HintBest
}

// bicolor returns which of the two colors a pattern has, 1 for yes.
func bicolor(p display.Pattern) (red, green uint8) {
	switch p {
	case display.Off:
		return 0, 0
	case display.Flip, display.OK:
		return 0, 1
	case display.Wrong, display.Fault:
		return 1, 0
	case display.PlaceBlack, display.PlaceWhite, display.Pass, display.Hint, display.HintBest, display.Identify,
		display.Ask:
		return 1, 1
	default:
		return 0, 0
	}
}
