// Package calibrate finds out what the 64 cells of a board really do: it asks a
// person for discs, square by square or rank by rank, watches what the cells say,
// and ends with a calibration and a report that names what is wrong and what to do
// about it.
//
// # What it is
//
// A [Walk] is the procedure: a pure state machine that is given scans, answers and
// the time, and says what to light and to say ([View]). It reads no clock and owns
// no bus, lights nothing and stores nothing; whoever drives it does: the command
// with a terminal and buttons, a running board with its page, a test with
// simulated hands ([Hand]). [Plant] makes the mistakes of builders on a simulated
// board. [Whole] computes levels from whole boards that a simulator lays in no time.
//
// It is NOT the doctor: buses, chips, LEDs and supplies are not examined, only
// what a disc on a square does.
//
// # The procedure
//
//	clear -> measure -> walk -> clear again -> check -> decide -> stored, or not
//
// The empty board is measured first: nulls and noise, outputs that are stuck. Then
// the walk asks for discs. In a walk of single squares one disc goes from square
// to square and is turned over on each, so that every cell sees both poles of the
// same magnet and its neighbors are empty: the best measurement of a cell. In a
// quick walk all discs are used: they are laid rank by rank in any order, then
// turned over file by file. That takes as many movements, but two hands make them
// without waiting, and since every cell answers in one round of ranks and in one of
// files, one that answers for another square is found all the same. Squares that
// looked odd are looked at once more, one by one, before anything is said about
// them: a disc laid on the wrong square or wrong side up is no defect.
//
// A board that sees no colors is walked once, with discs that stay where they were
// laid, since a shorted diode shows only where discs fill rectangles.
//
// Nothing is stored before the end is confirmed. What software can put right
// (exchanged cells, reversed poles, a board mounted turned, cells to be left out)
// is part of the calibration if that is agreed to.
package calibrate
