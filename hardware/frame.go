package hardware

// Frame is what one scan of a board with 64 cells reports. Bit n is cell n =
// 8*rank + file, rank 1 on top.
//
// North and South say which sensor outputs are active: the disc lies with its
// magnet's north or south pole at the sensor. Both at once is physically
// impossible and means a fault; sensing decides what to make of it.
type Frame struct {
	North uint64
	South uint64
	// Lost are cells of banks without a good read for 250 ms and three scans (see
	// Freshness), or that the bus no longer asks. Their North and South bits are frozen at the last good
	// read: unknown, not empty.
	Lost uint64
	// Stale are other cells that this scan has not read: they show what they
	// showed before. Nobody knows what they have shown since.
	Stale uint64
	// Reset are cells whose chip was found to have lost its registers and was
	// initialised again since the last frame.
	Reset uint64
	// Analog says that the board measures instead of deciding: Counts is filled,
	// North and South stay empty.
	Analog bool
	// Counts are the converter's raw counts of each cell, 0 to 32767. They say
	// something where Lost does not: elsewhere they are frozen at the last good
	// read, or 0 before the first.
	Counts [64]uint16
}

// RGB is the color of one light; each channel is linear, 0 (off) to 255.
type RGB struct {
	R, G, B uint8
}
