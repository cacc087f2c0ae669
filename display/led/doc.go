// Package led renders a scene as 64 lights at one moment: in full color
// (Render), in red and green (RenderBicolor) or in one color that is only on or
// off (RenderMono).
//
// It is a pure function of the scene and the time, in whole numbers, without
// allocation. It is NOT a driver: bytes, currents and brightness belong to the
// strip that the colors are sent to.
//
// # Patterns
//
// Every meaning has a pattern in time as well as a color, so that nobody needs
// to see colors. The colors of Render are those of the Okabe–Ito set, which stay
// apart for color-blind eyes.
//
//	Flip         steady                                          sky blue        #56B4E9
//	PlaceBlack   slow pulse, 1 Hz: mostly dark, swells up        warm white      #FFB46B
//	PlaceWhite   slow pulse, 1 Hz: mostly light, ebbs away       cold white      #CFE4FF
//	Wrong        fast blink, 4 Hz                                vermilion       #D55E00
//	OK           one flash, 300 ms                               bluish green    #009E73
//	Pass         a sweep, one rank at a time, 100 ms each        yellow          #F0E442
//	Hint         dim, steady                                     yellow, 1/12
//	HintBest     brighter, steady                                yellow, 1/4
//	Fault        double blink once a second                      reddish purple  #CC79A7
//	Identify     all squares blink, 2 Hz                         grey            #606060
//	Ask          even blink, 1 Hz                                yellow, 1/2
//
// # Patterns without brightness
//
// Lights that are only on or off cannot be dim or swell. RenderMono and
// RenderBicolor keep the same meanings, each with a rhythm of its own, so that
// one color is enough to tell them all; red and green come on top. Times are in
// milliseconds.
//
//	Flip         steady                                   green
//	PlaceBlack   short blink, 1 Hz: lit 250, dark 750     yellow
//	PlaceWhite   long blink, 1 Hz: lit 750, dark 250      yellow
//	Wrong        fast blink, 4 Hz: lit 125, dark 125      red
//	OK           one flash of 300                         green
//	Pass         a sweep, one rank at a time, 100 each    yellow
//	Hint         a wink of 200 every 2 s                  yellow
//	HintBest     three winks of 200 within every 2 s      yellow
//	Fault        double blink once a second: 100 twice    red
//	Identify     all squares blink, 2 Hz: 250, 250        yellow
//	Ask          even blink, 1 Hz: lit 500, dark 500      yellow
//
// Over four seconds no two of them agree, and how often a light comes on and for
// how long names the pattern: Hint and OK, the closest, differ in that a flash
// comes once and a wink again.
//
// All lights of a pattern keep time with each other: it follows from the time
// alone.
package led
