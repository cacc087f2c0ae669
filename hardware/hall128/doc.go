// Package hall128 reads the board with two hall outputs per cell: 64 sensors,
// each with one output for a magnet's north pole and one for its south pole,
// active low, on pins of TCA9555, PCA9555 or MCP23017 expanders, up to 16 of
// them on one or two buses. Which cell is on which pins is data, see Config.
//
// It is NOT sensing: it debounces nothing and knows no colors. A Frame says
// which outputs are active now, which cells cannot be known, and which chips
// had lost their registers.
//
// # What one Scan costs on the wire
//
// 9 clocks per byte, one for each START, repeated START and STOP:
//
//	inputs of a chip         w1 r2       48   the least that trusts no pointer
//	parking its pointer      w1          20   PCA9555 only, see package tca9555
//	a check of registers     w1 r2       48   one a scan and bus; parks as well
//	a pulse, one check of 28 w3 w1r2 w3 124   MCP23017 only, see package mcp23017
//	a change                 w1 r2       48   per chip: it is read again
//
//	 8 TCA9555               384 + 48  = 432   1.08 ms at 400 kHz
//	 8 PCA9555               544 + 28  = 572   1.43 ms
//	10 MCP23017 on two buses 480 + 101 = 581   0.73 ms each, one after the other
//
// Three of four checks are canaries, which tell of a reset: every chip's within
// 11 scans (0.22 s at 50 a second) on a bus of eight, 7 on one of five. The
// fourth goes round all other registers: within 64 scans (1.28 s) on a bus of
// eight TCA9555, 140 (2.8 s) on one of five MCP23017.
//
// # What fails, how soon it is found, what the frame says
//
// Scans are those of a reference board. Frozen: cells are as they were. The
// tests named TestFailure... show each of them.
//
//	a line held low, a dead bus   1   the scan ends at the first timeout, cells frozen;
//	                                  Lost with the third failure in a row
//	a chip does not answer        1   asked again in the same scan, cells frozen;
//	                                  Lost with the fourth failure in a row
//	a chip was reset         7, 11    nothing at first: it reads on as before; then Reset
//	another register changed 64, 140  what the register does to the reads; then Reset
//	a corrupt read                1   nothing: a change is read twice, or 2 of 3 count
//	a chip answers nonsense  24, 20   what it says until its canary is looked at, if few
//	                                  pins change; Lost 250 ms later
//	many pins jump                1   nothing until the canary is seen and they stay
//	north and south at once       1   both, as it is; sensing knows what to make of it
//	an interrupt is lost          1   nothing: the board is scanned anyway; Stats counts it
//	inputs frozen, MCP23017     140   frozen; Lost 250 ms later
//	inputs frozen, TCA9555        -   frozen: nothing on the bus tells it from a quiet board
//	a sensor or its wire is dead  -   as it reads; sensing and the game find it
//
// # Life of a bank
//
//	all registers written and read back         absent         --> proving
//	two equal reads in a row, the canary, and
//	a third read                                proving        --> live
//	a register was lost, all are written again  live, proving  --> proving
//	not asked any more                          live, proving  --> absent
//	no good read for 250 ms and 3 scans         live           --> absent
//
// Only a live bank's reads count; until then its cells are frozen at the last
// good read. They are Lost from the moment that is 250 ms and three scans old or
// the chip is not asked any more, until the bank is live again. Only scans without
// an answer count: a chip that answers and proves itself, or is contradicted while
// a hand moves over it, has 20 scans. A reset that is found in time therefore loses
// nothing, and is reported as Reset only. After a failure
// of the whole bus every chip on it must show its canary: whatever ended the
// failure may have been the supply.
//
// # Why a scan never waits for a chip that does not answer
//
// Its first retry comes after the other chips, the next ones are the next
// scans. After four failures in a row the bus stops asking it and probes it
// now and then. A line held low ends the scan of that bus at the first timeout,
// and the next one begins behind the chip that saw it.
//
// # Why buses are scanned one after the other
//
// Two at once would save 0.7 ms of a scan's 20. What a second bus must not do
// is cost the first one when it dies: a bus that was dead in the last scan is
// scanned last, so the cells of the other are read when the frame says, and a
// timeout only delays the next scan.
//
// # INT
//
// The interrupt line of the expanders is a hint to scan earlier and is not
// looked at here: a lost edge costs nothing when the board is scanned anyway.
// Whoever listens to it may tell the board (Interrupted), which counts the
// changes that nobody told of.
package hall128
