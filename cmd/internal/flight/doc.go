// Package flight is the flight recorder: it keeps everything that the referee was
// told, the scans that made the readings, and the events that came out, so that
// any game can be run again on another computer and must give the same events, bit
// for bit. That is how a strange move is looked into afterwards.
//
// It is NOT the record of the game. The journal (engine/archive) is: it is durable
// before anybody is told, and nothing is read back from here. The recorder may
// lose the last seconds before a power cut, and after a kill -9 what had not been
// handed to the system yet, five seconds at most; while a disk hangs or is full it
// loses what does not fit into its memory, counts that, and goes on behind it.
// Nothing on the game's path waits for it.
//
// # Parts
//
//	Tape      what is remembered and not written yet; the loop and the scanner
//	          write on it, without waiting and without allocating
//	Recorder  the goroutine that owns the files: a ring of segments in a folder
//	Segment   one file, read again
//	Replay    runs a segment through a core and compares
//
// # Segments
//
// A recording is a row of files, flight-00000001.rec and on. Each begins with a
// checkpoint, the whole state of the referee (referee.AppendSnapshot), and can be
// replayed without the others, so the oldest are dropped when the ring is full. A
// segment begins with the program, with each game, after about a megabyte, and
// after a gap.
//
//	"reversi-board flight recording 1\n"
//	block   the header: JSON, to be read by people as well
//	block   records, compressed
//	block   …
//
// A block is length (uint32, little endian), CRC-32C (Castagnoli, uint32, little
// endian) and bytes. The bytes of all blocks after the header are one DEFLATE
// stream that is flushed at the end of each block: what stands before a tear can
// be read, and small blocks compress as well as large ones. In the stream stands
// one record after the other: length (uvarint), kind (a byte), body.
//
//	checkpoint  the snapshot; the first record, and the only one of its kind
//	frame       what a scan tells sensing: the outputs of the cells after the thresholds,
//	            and what was not read; when it changes
//	doubt       cells that sensing was told not to believe
//	renewed     sensing has begun anew, with other settings
//	left        so many frames were left out
//	step        an input of the referee; then stamp, new game id and payload of each
//	            event that came out; when the referee wants to be woken; whether
//	            it refused
//
// Frames show what the hands did and are for people and for sensing; the referee
// is run again from the inputs. A cell that flaps for hours does not fill the
// disk: frames that come faster than ten a second for minutes are left out.
//
// # Why not the journal and its inputs in one file
//
// The journal is small, durable and for ever; the recording is large, lazy and
// bounded. They fail differently on purpose: a full disk stops the recorder long
// before anybody notices in the game.
package flight
