// Package ads1115 drives the I²C analog-to-digital converter ADS1115 (Texas
// Instruments) for voltages from 0 to 4.096 V on its four inputs, one
// conversion at a time.
//
// It is NOT a general driver: no differential inputs, no other range or rate
// (125 µV per count and 860 conversions a second, the fastest), no continuous
// mode and no comparator.
//
// # Why not periph's ads1x15
//
// That driver sleeps for exactly one period and then takes what the conversion
// register holds. The chip's clock is 10 % off at worst (SBAS444E, 5.5): a slow
// part then returns its previous conversion, which behind a multiplexer is
// another cell. This one asks the chip whether it has finished, and gives an
// error rather than a value if it has not.
//
// # A conversion
//
//	Start    w3      38 clocks   all of the configuration, and the start bit
//	  wait Conversion
//	Result   w1 r2   48 clocks   configuration: finished? still as written?
//	         w1 r2   48 clocks   conversion
//	Again    w1 r2   48 clocks   the same once more, if it is doubted
//
// Waiting is the caller's, so that several converters can work at once.
//
// # Why Start may have to look first
//
// Writing the start bit while a conversion is under way has no effect (SBAS444E,
// 7.4.2.1), but the input selected by the same write reads back. After a
// conversion that took too long, or whose transfers failed, the next start could
// therefore be ignored, and the old conversion, of another input, be taken for
// the new one. So a Dev that has lost sight of a conversion does not start the
// next one before the chip has said that it is idle.
//
// # The canary
//
// Nothing here uses the comparator, but its thresholds hold values with the high
// bit set in Hi_thresh and clear in Lo_thresh, which turns the pin ALERT/RDY into
// "conversion ready" (SBAS444E, 7.3.8). After a power-on reset they hold 7FFFh
// and 8000h: a chip that was reset silently gives itself away. The configuration
// is written with every start and read back with every result.
//
// A Dev is not safe for concurrent use; its owner is the goroutine that scans.
package ads1115
