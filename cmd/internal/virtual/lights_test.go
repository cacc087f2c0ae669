package virtual_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/strip"
)

// The names by which stories call what a light means.
const (
	lightFlip       = "FLIP"
	lightWrong      = "WRONG"
	lightPlaceBlack = "PLACE-BLACK"
	lightPlaceWhite = "PLACE-WHITE"
	lightFault      = "FAULT"
	lightOK         = "OK"
	lightPass       = "PASS"
	lightIdentify   = "IDENTIFY"
	lightAsk        = "ASK"
)

// nameOf returns the story's word for a pattern of the scene.
func nameOf(p display.Pattern) string {
	return strings.ReplaceAll(strings.ToUpper(p.String()), "_", "-")
}

// lights are the squares by the meaning of their light.
type lights map[string]engine.Bitboard

func (l lights) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if l[name] != 0 {
			parts = append(parts, name+" "+l[name].String())
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// sceneLights reads the scene at one moment.
func sceneLights(sc *display.Scene, now time.Duration) lights {
	l := lights{}
	for s := range engine.Square(engine.Squares) {
		if p := sc.At(s, now); p != display.Off {
			l[nameOf(p)] |= s.Bit()
		}
	}
	return l
}

// shadow is a second strip of emulated LEDs. What a scene will look like in the
// next second is sent to it over its own wire, so that a story can look at a
// whole blink without time going by at the table.
type shadow struct {
	chain *emu.APA102
	lamps app.Lights
}

func newShadow(c *configs.Config) (*shadow, error) {
	chain := emu.NewAPA102(engine.Squares)
	s, err := strip.New(chain, strip.Config{
		LEDs: c.Hardware.LEDs.Order, Brightness: c.Hardware.LEDs.Brightness, MaxMilliamps: c.Hardware.LEDs.MaxMilliamps,
	})
	if err != nil {
		return nil, err
	}
	return &shadow{chain: chain, lamps: app.ColorLights(s)}, nil
}

// frame returns the LEDs, decoded from the bytes of the wire, at one moment.
func (sh *shadow) frame(sc *display.Scene, now time.Duration) ([engine.Squares]emu.LED, error) {
	var leds [engine.Squares]emu.LED
	if _, _, err := sh.lamps.Show(sc, now); err != nil {
		return leds, err
	}
	sh.chain.CopyLEDs(leds[:])
	return leds, nil
}

// wireLights reads what the LEDs mean from their light alone: how often they
// come on in a second, and of which color they are.
func (sh *shadow) wireLights(sc *display.Scene, now time.Duration) (lights, error) {
	const frames, apart = 100, 10 * time.Millisecond // one second, the slowest period
	var seen [engine.Squares][frames]emu.LED
	for i := range frames {
		leds, err := sh.frame(sc, now+time.Duration(i)*apart)
		if err != nil {
			return nil, err
		}
		for s, led := range leds {
			seen[s][i] = led
		}
	}
	l := lights{}
	for s := range engine.Square(engine.Squares) {
		m := meaning(seen[s][:])
		if m == "" || m == lightPass && !isLit(seen[s][0]) {
			continue // dark, or the sweep has not come there yet
		}
		l[m] |= s.Bit()
	}
	return l, nil
}

// meaning reads one second of an LED by the table of patterns: FLIP is steady
// sky blue; WRONG vermilion, 4 times a second; PLACE one pulse a second, warm
// for a black disc and cold for a white one; FAULT reddish purple, twice in a
// second; OK a flash of bluish green; PASS of yellow; IDENTIFY white and all at
// once.
func meaning(second []emu.LED) string {
	var peak emu.LED
	rises, lit := 0, 0
	for i, led := range second {
		before := second[(i+len(second)-1)%len(second)]
		if isLit(led) {
			lit++
			if !isLit(before) {
				rises++
			}
		}
		if brightness(led) > brightness(peak) {
			peak = led
		}
	}
	hue := hueOf(peak)
	switch {
	case lit == 0:
		return ""
	case hue == "blue" && lit == len(second):
		return lightFlip
	case hue == "vermilion" && rises == 4:
		return lightWrong
	case hue == "purple" && rises == 2:
		return lightFault
	case hue == "warm" && rises == 1 && lit < len(second):
		return lightPlaceBlack
	case hue == "cold" && rises == 1 && lit < len(second):
		return lightPlaceWhite
	case hue == "green" && lit < len(second)/2:
		return lightOK
	case hue == "yellow" && lit < len(second)/4:
		return lightPass
	case hue == "yellow" && lit == len(second)/2:
		return lightAsk
	case hue == "white":
		return lightIdentify
	default:
		return fmt.Sprintf("%s %d times %d%%", hue, rises, lit)
	}
}

func isLit(l emu.LED) bool { return brightness(l) > 0 }

func brightness(l emu.LED) int { return int(l.Bright) * (int(l.R) + int(l.G) + int(l.B)) }

// hueOf names the color that is nearest to those which the patterns have.
func hueOf(l emu.LED) string {
	best, distance := "", 1<<30
	for name, want := range map[string][3]int{
		"blue": {0x56, 0xB4, 0xE9}, "vermilion": {0xD5, 0x5E, 0x00}, "purple": {0xCC, 0x79, 0xA7},
		"green": {0x00, 0x9E, 0x73}, "yellow": {0xF0, 0xE4, 0x42}, "white": {0x80, 0x80, 0x80},
		"warm": {0xFF, 0xB4, 0x6B}, "cold": {0xCF, 0xE4, 0xFF},
	} {
		if d := apart([3]int{int(l.R), int(l.G), int(l.B)}, want); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// apart compares two colors whatever their brightness.
func apart(a, b [3]int) int {
	const full = 1000
	sum := 0
	for i := range a {
		d := full*a[i]/max(1, max(a[0], a[1], a[2])) - full*b[i]/max(1, max(b[0], b[1], b[2]))
		sum += d * d
	}
	return sum
}
