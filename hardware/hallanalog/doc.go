// Package hallanalog reads the board with one linear hall sensor per cell: 64
// voltages, switched by CD74HC4067 multiplexers with 16 channels each onto the
// inputs of one to four ADS1115 converters.
//
// It is NOT sensing: it knows neither what a disc does to a voltage nor which
// cells are occupied. A Frame holds the counts of all cells, says which cells
// cannot be known, and which converters had lost their registers.
//
// # What one Scan does
//
//	16 times     select the channel, wait until the voltages have settled
//	  1 request  for each input in use: start all converters, wait, read them
//	1 request    check the canary of one converter, initialise those that are not
//	             ready; before the channels if none is
//
// Each channel is a request of its own: at 7 ms for one converter and 2.5 ms for
// four, a slice of an OLED or a frame of lights fits between two channels, where
// in one request of 100 ms it would wait for the whole scan.
//
// # What that costs
//
// 9 clocks per byte, one for each START, repeated START and STOP:
//
//	start            w3      38
//	question         w1 r2   48   more than once if the part is slow
//	conversion       w1 r2   48
//	64 cells                 8576  21.4 ms at 400 kHz
//	canary           2x      96    once a scan
//	a change         w1 r2   48    it is read again: I²C has no check sum
//
// A conversion takes 1/860 s + 25 µs, 10 % more with the slowest clock. One
// converter makes all 64 one after the other, about 10 scans a second; four make
// them four at a time, about 24.
//
// # Why a cell never shows another cell's voltage
//
// A converter is asked whether it has finished, and a result counts only if the
// configuration read with it is the one that named its input (package ads1115).
// A channel is selected anew for every scan, all four lines, and nothing is
// converted before they have settled; if selecting fails, the channel is not
// read. What cannot be read keeps its last good value.
//
// An input that is open at the multiplexer has no voltage of its own: it shows
// something between the channel before and the converter's own 0.7 V (SBAS444E,
// 7.3.2). That can only be told from the value, see package sensing.
//
// # Life of a cell
//
//	converter initialised, or cell lost: two reads that agree   --> live
//	no good read for 250 ms and 3 scans, or the converter is
//	not asked any more                                          --> lost
//	the converter had lost its registers                        --> to be proven anew
//
// Only a live cell's reads count; until then it is frozen at the last good read.
// Two reads agree if they differ by less than 256 counts, 32 mV: a bit that was
// read wrongly in the high byte makes at least that, noise does not. Two scans that
// fail cost nothing, however far they are apart.
//
// # Why a scan never waits for a chip that does not answer
//
// A conversion is tried once more when the others of its channel are done; if
// that fails as well, the converter is left out until the next scan. After four
// failures in a row the bus stops asking it and probes it now
// and then. A converter that answers but never finishes is left alone after
// three times, for longer and longer. A line held low ends the scan at the first
// timeout; the next scan begins behind the channel that saw it, and leaves the
// converter that was talked to for last.
package hallanalog
