// Package sim is a reversi board on a table that is not there: 64 discs with
// magnets, the sensors and LEDs of any board that can be wired up, hands that
// move discs the way people do, and the faults that real boards have. The real
// drivers run against it through the same buses and pins.
//
// # What it is
//
// [New] builds the board. [Board.I2C] and [Board.SPI] are its buses and
// [Board.INT] its interrupt line. [Board.Place], [Board.Lift], [Board.Turn] and
// [Board.Slide] are hands; each tells when its disc will be at rest.
// [Board.Advance] moves time on, and nothing else does: time is what the caller
// says it is, and a board of the same seed with the same calls behaves the same,
// bit for bit and however coarsely time is advanced.
//
// # What it is not
//
// It knows no rules and no colours. A disc shows a [Face]: which pole it turns
// to the sensor below. It holds no driver and does not decide what a reading
// means. Transfers take no time, and a disc that is pushed does not push others.
//
// # The board
//
// Cell 8*r + c is rank r+1 (from the top), file c (a = 0): e6 is cell 44.
// [Wiring] says how the board was soldered, which need not be what the
// controller's settings say: that is how a builder's mistakes are planted. Unless
// told otherwise row r is the TCA9555 at 0x20+r; port 0 pin c is the north output
// of cell (r,c), port 1 pin c its south output, low when active; 64 APA102 stand
// from a1 to h8.
//
// # The magnets
//
// A disc's own field is summed over the pole faces of its magnet, a
// neighbour's is that of a dipole, whose sign turns beyond 1.4 times the height;
// on the axis the sum is Br/2*((z+L)/hypot(R,z+L) - z/hypot(R,z)). By default
// the magnet is 8 x 2 mm of N35 (Br 1170 mT), 8 mm above the sensor, on squares
// of 40 mm. That gives:
//
//	own field, centred                19.9 mT
//	own field 4 / 8 / 12 mm off       13.4 / 4.1 / 0.4 mT
//	strongest of the other sign       -0.4 mT, 18 mm off
//	orthogonal / diagonal neighbour   -0.12 / -0.05 mT
//	8 neighbours of one colour        -0.65 mT
//	residue on d4, 63 others          -0.96 mT
//
// The residue is what is left at an empty cell of a board of one colour: it has
// the other colour's sign.
//
// # The sensors
//
// They are like the DRV5032DU (SLVSDC7H): unipolar, one output for each pole,
// sampled 20 times a second, each part at its own phase. The operating point is
// 2.5 mT (1.2 to 3.9), the release point 1.8 mT (0.9 at least); of these the
// 3.9 is in the sheet's comparison table, the others are from its table of
// magnetic characteristics and worth checking against the part bought.
// [Options.Spread] chooses how much of that range the parts fill, half of it
// unless set: then no part of the default board releases below 1.35 mT, and the
// residue cannot hold a disc that is no longer there. With the full range and a
// stronger magnet a sensor can show such a ghost, as on a real board.
//
// # Why hands and not readings
//
// Every difficulty of reading a board comes from motion: a disc that bounces, a
// flip that is black, nothing, white or black and white at once, a disc that
// slides over four squares. A script of readings contains only the difficulties
// its author thought of.
//
// All methods are safe for concurrent use.
package sim
