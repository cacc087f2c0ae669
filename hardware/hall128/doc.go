// Package hall128 reads the board with two hall outputs per cell: 64 sensors,
// each with one output for a magnet's north pole and one for its south pole,
// active low, on the 128 pins of eight TCA9555 or PCA9555 expanders.
//
// It is NOT sensing: it debounces nothing and knows no colors. A Frame says
// which outputs are active now, which cells cannot be known, and which chips
// had lost their registers.
//
// # What one Scan costs on the wire
//
// 9 clocks per byte, one for each START, repeated START and STOP:
//
//	inputs of a chip        w1 r2   48
//	parking its pointer     w1      20   PCA9555 only, see package tca9555
//	a check of one register w1 r2   48   instead of the parking
//	8 chips                         384  without parking
//	8 chips, parked                 544  1.36 ms at 400 kHz
//
// Every second scan checks one register pair of one chip, 48 or 28 clocks
// more. Every second of these checks is a canary, so at 50 scans a second a
// chip that was reset is found within 0.64 s; configuration and polarity of
// every chip are read back within 1.28 s.
//
// # Life of a bank
//
//	all registers written and read back         absent         --> proving
//	two equal reads in a row                    proving        --> live
//	a register was lost, all are written again  live, proving  --> proving
//	not asked any more                          live, proving  --> absent
//	no good read for 250 ms                     live           --> absent
//
// Only a live bank's reads count; until then its cells are frozen at the last
// good read. They are Lost from the moment that is 250 ms old or the chip is
// not asked any more, until the bank is live again. A reset that is found in
// time therefore loses nothing, and is reported as Reset only.
//
// # Why a scan never waits for a chip that does not answer
//
// Its first retry comes after the other chips, the next ones are the next
// scans. After four failures in a row the bus stops asking it and probes it
// now and then. A line held low ends the scan at the first timeout, and the
// next scan begins behind the chip that saw it.
//
// # INT
//
// The interrupt line of the expanders is a hint to scan earlier and is not
// looked at here: a lost edge costs nothing when the board is scanned anyway.
package hall128
