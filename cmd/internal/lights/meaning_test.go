package lights_test

import (
	"fmt"

	"reversi-board/display"
)

// step is the distance of samples in milliseconds, samples how many make four
// seconds.
const (
	step    = 20
	samples = 4000 / step
)

// rhythm counts how often a light comes on and how long it is lit, in
// milliseconds.
func rhythm(series []light) (starts, lit int) {
	before := false
	for _, l := range series {
		if l.lit() {
			lit += step
			if !before {
				starts++
			}
		}
		before = l.lit()
	}
	return starts, lit
}

// inOneColor reads a light by its rhythm alone, after the table of patterns
// without brightness. Series that begin in the middle of a blink have one start
// more or less; a lit time is right within what that and the sampling cost.
func inOneColor(series []light) string {
	starts, lit := rhythm(series)
	for _, row := range [...]struct {
		pattern     display.Pattern
		starts, lit int
	}{
		{display.Off, 0, 0},
		{display.Flip, 1, 4000},
		{display.Wrong, 16, 2000},
		{display.PlaceBlack, 4, 1000},
		{display.PlaceWhite, 4, 3000},
		{display.Fault, 8, 800},
		{display.Hint, 2, 400},
		{display.HintBest, 6, 1200},
		{display.Ask, 4, 2000},
	} {
		blinks := row.pattern != display.Off && row.pattern != display.Flip
		extra := 0
		if blinks {
			extra = 1
		}
		if starts < row.starts || starts > row.starts+extra {
			continue
		}
		// Each blink is seen up to one sample longer or shorter.
		if slack := step * row.starts * extra; lit >= row.lit-slack && lit <= row.lit+slack {
			return row.pattern.String()
		}
	}
	return fmt.Sprintf("%d times %d ms", starts, lit)
}

// inTwoColors reads a light by its rhythm; the color must then be the one of the
// table.
func inTwoColors(series []light) string {
	meaning := inOneColor(series)
	want := map[string]string{
		"flip": "green", "wrong": "red", "fault": "red", "place_black": "yellow",
		"place_white": "yellow", "hint": "yellow", "hint_best": "yellow", "ask": "yellow",
	}[meaning]
	for _, l := range series {
		color := ""
		switch {
		case l.r > 0 && l.g > 0:
			color = "yellow"
		case l.r > 0:
			color = "red"
		case l.g > 0:
			color = "green"
		}
		if color != "" && color != want {
			return meaning + " in " + color
		}
	}
	return meaning
}

// inColor reads a light by its hue and its rhythm, after the table of patterns.
func inColor(series []light) string {
	var peak light
	for _, l := range series {
		if l.r+l.g+l.b > peak.r+peak.g+peak.b {
			peak = l
		}
	}
	starts, lit := rhythm(series)
	steady := lit == step*len(series)
	switch hue := hueOf(peak); {
	case lit == 0:
		return "off"
	case hue == "blue" && steady:
		return "flip"
	case hue == "vermilion" && starts >= 16 && starts <= 17:
		return "wrong"
	case hue == "purple" && starts >= 8 && starts <= 9:
		return "fault"
	case hue == "warm" && starts >= 4 && starts <= 5 && lit < 2100:
		return "place_black"
	case hue == "cold" && lit > 3000:
		return "place_white"
	case hue == "yellow" && steady && peak.r <= 0xF0/10:
		return "hint"
	case hue == "yellow" && steady && peak.r > 0xF0/10 && peak.r < 0xF0/3:
		return "hint_best"
	case hue == "yellow" && starts >= 4 && starts <= 5 && lit > 1900 && lit < 2100:
		return "ask"
	default:
		return fmt.Sprintf("%s %d times %d ms", hue, starts, lit)
	}
}

// hueOf names the color of the table that is nearest, whatever the brightness.
func hueOf(l light) string {
	best, distance := "", 1<<30
	for name, want := range map[string]light{
		"blue": {0x56, 0xB4, 0xE9}, "vermilion": {0xD5, 0x5E, 0x00}, "purple": {0xCC, 0x79, 0xA7},
		"green": {0x00, 0x9E, 0x73}, "yellow": {0xF0, 0xE4, 0x42}, "grey": {0x60, 0x60, 0x60},
		"warm": {0xFF, 0xB4, 0x6B}, "cold": {0xCF, 0xE4, 0xFF},
	} {
		if d := apart(l, want); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// apart compares two colors whatever their brightness.
func apart(a, b light) int {
	const full = 1000
	part := func(v int, l light) int { return full * v / max(1, l.r, l.g, l.b) }
	sum := 0
	for _, d := range [...]int{part(a.r, a) - part(b.r, b), part(a.g, a) - part(b.g, b), part(a.b, a) - part(b.b, b)} {
		sum += d * d
	}
	return sum
}
