// Package led renders a scene as the colors of 64 LEDs at one moment.
//
// It is a pure function of the scene and the time, in whole numbers, without
// allocation. It is NOT a driver: bytes, currents and brightness belong to the
// strip that the colors are sent to.
//
// # Patterns
//
// Every meaning has a pattern in time as well as a color, so that nobody needs
// to see colors. The colors are those of the Okabe–Ito set, which stay apart
// for color-blind eyes.
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
//
// All lights of a pattern keep time with each other: it follows from the time
// alone.
package led
