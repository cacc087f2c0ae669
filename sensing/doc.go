// Package sensing turns frames of raw cell outputs into settled readings of
// the board: decode, debounce, settle, and the judgement which cells cannot be
// believed.
//
// It is pure: the time of every frame arrives with it, nothing blocks, nothing
// is allocated after New, and the same frames at the same times give the same
// output. It is NOT the place where chips are read (hardware) or where discs
// are understood as moves (engine/referee); it knows squares and faces of
// discs, no rules and no wiring.
//
// # From frame to reading
//
//	frame (50 a second)      north and south outputs of 64 cells, banks lost, chips reset
//	  decode                 north&^south = one face, south&^north = the other,
//	                         neither = empty, both = a fault
//	  debounce (60 ms)       a cell takes a new value when it has shown it that long;
//	                         longer than one sample of a 20 Hz hall sensor (50 ms)
//	  settle (200 ms)        no believed cell has changed at all for that long
//	  reading                discs, and the cells that say nothing (lost, masked)
//
// The debounce runs inside the settle time: a disc that comes to rest is read
// 200 ms later, not 260 ms. What the debounce is for: a short excursion (a
// bounce, the shadow of a hand) restarts the settle time but never becomes a
// value, a frozen cell freezes at a value that was real, and a fault is not
// called by one bad scan.
//
// A cell that a scan could not read, and that is not lost yet, shows what it showed
// before ([Pipeline.Unread]). For all of these times it has not been seen to rest
// then: a board that fails for just the settle time settles nothing.
//
// # Boards that know presence only
//
// The cells of a reed matrix tell a disc from an empty square and no face
// (Config.Presence). A reading then says which squares are occupied. There a
// disc is turned by lifting it and putting it back, after which the board looks
// as before; so the discs that have been off their square since the last
// reading are listed (Reading.Lifted), and a reading is given for them alone.
// Off the square means the debounce time at least: a disc that is pushed aside
// for a moment is not lifted, and no hand turns one so fast.
//
// # Boards that measure
//
// Linear sensors give counts instead of outputs. A [Threshold] makes north and
// south of them before anything else here sees them, with levels of its own for
// every cell ([Levels]), and says how much margin each has left.
//
// # Calibration
//
// A [Calibration] is what is known of one board: levels, and where it was built
// otherwise than the settings say. Its [Lens] is applied to a scan before anything
// else here, so that all of the rest knows squares only. It is made by asking for
// discs, square by square, which is not done here; this package keeps its form
// ([Calibration.Encode]) and computes levels ([Calibrate]).
//
// # Cells that say nothing
//
// Unsure is a value. A lost cell (its bank does not answer, or its chip has
// just been found at its power-on defaults) keeps its last debounced value and
// is listed in Reading.Lost at once. A masked cell (stuck, flapping or dead) keeps
// its last debounced value, is listed in Reading.Masked and no longer holds up
// the settling of the others. Nothing may be decided from either.
//
// A dead cell, both of whose outputs stay inactive for ever, looks exactly
// like an empty square here and is NOT found by the pipeline: only the rules
// (a disc that must be there), people or a calibration can tell. What a
// calibration has found (Config.Dead) is masked for ever; what others tell
// ([Pipeline.Doubt]) until the cell shows something else.
//
// # What counts as flapping
//
// Hands change a cell too, so counting alone is not enough. A cell is masked
// when
//
//   - it has gone on changing for 4 s (Config.Restless) without one quiet
//     settle time: fast flapping, from 2.5 Hz up, which would keep the whole
//     board from settling; or
//   - it has come to rest (for the settle time) 9 times within 5 s
//     (Config.FlapSteps, FlapWindow), to and fro between the same two values:
//     slow flapping, from 1 Hz (one full cycle, two rests, a second), where a
//     weak magnet shows one face and nothing in turn; or
//   - its debounced value has gone to and fro between the same two values for 4
//     s, 12 times and more, 0.6 s apart at most: flapping in between; or
//   - its debounced value has changed 60 times within 30 s, in whatever way:
//     irregular flapping.
//
// What people do stays below that. Bounces are no rests. A disc turned through
// empty goes through three values (black, empty, white), and so does turning it
// back: the run of two values breaks. Placing and lifting the same disc three
// times is 6 rests to and fro, turning a disc in place and back three times 6
// as well. A child who slowly taps one disc on one square 5 times within 5 s is
// masked for a minute; nothing that a sensor sees tells that from a weak magnet.
//
// A masked cell that has been steady for a minute (Config.UnmaskAfter) is
// believed again. A cell with both outputs active, which no magnet can do, is
// masked after one debounce time and believed again when it has been sane for
// a second; that time doubles each time it happens, up to a minute, so that a
// bad joint does not fill the record. The same is done for a bank that comes
// and goes.
//
// # How the cells are
//
// [Pipeline.Report] classes every cell and says how often its outputs have
// changed and how much margin it has. Cells with digital outputs do not say how
// far they are from their thresholds, so their margin is how steady they are:
// 100 less 10 for every stray of the last minute. A stray is a change of the
// outputs that went back before it became a value, with no real change within
// 2 s around it: hands bounce discs and brush past sensors, a disc at rest on a
// good cell does nothing. A cell with 5 strays a minute is noisy, and so is one
// whose value has changed 12 times, which is more than a game does. Where
// sensors measure, [Report.Measured] adds the margins of their readings.
package sensing
