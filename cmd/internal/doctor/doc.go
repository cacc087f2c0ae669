// Package doctor examines a board and everything around it, and says what is
// wrong and what to do about it: for whoever has just soldered one, and for the
// day on which one that worked does not.
//
// # What it is
//
// [Run] makes the checks, one after the other, and returns a [Report]. Each check
// is one small unit ([Check]): a name, what was found, a status, what to do next,
// and the problems one by one, down to the square, the pin, the joint. A [Printer]
// writes the report for people; its JSON form is for programs.
//
//	config       the settings, and the map of pins that follows from them
//	pi           model, kernel, user
//	access       device files, groups
//	bus          lines held low, who answers, speed, supply
//	chips        what each chip is, by how it behaves; whether it keeps values
//	cells        all 64, by themselves and with a disc
//	leds         all 64, by eight pictures in which each light has its own number
//	display      a frame
//	buttons      stuck ones, then one after the other
//	buzzer       two beeps
//	power        low voltage, heat
//	clock        whether somebody keeps it right
//	storage      room, rights, and how long a record takes to be safe
//	broker       the address of the embedded one, or a login elsewhere
//	page         the address of the page
//	calibration  whether it is one of this board
//
// What a disc on a square does is found out by a [calibrate.Walk], of which
// nothing is stored.
//
// It is NOT a part of a running board, and looks at none: while one has the board
// the checks that need wires say so and end. The running board has a health of its
// own.
//
// # Statuses
//
//	ok    it was looked at, and is as it should be
//	warn  the board works, but this is worth a look
//	fail  something is wrong
//	skip  it was not looked at; why is said
//
// The report is OK when no check failed. A warning is nothing wrong, and what was
// skipped is not known to be.
//
// # One fault, one problem
//
// A chip that does not answer takes eight squares with it; they are unknown, and
// the chip is the problem. A dead bus is one problem, not one for every chip. What
// concerns the whole board (all faces exchanged, all lights in another order) is
// said once. So the number of problems is the number of things to mend.
//
// # The JSON form
//
// It is that of [Report], version 1, with all keys in small letters. Statuses,
// states of squares and names of checks are those of this package. A problem has
// "part", "where" and "cause" as words for programs:
//
//	cell         dead, reversed, exchanged, stuck_black, stuck_white, both, flapping,
//	             unsteady, blind_black, blind_white, crossed, shared, weak, sticky,
//	             sticks, crosstalk, open, low, high, too_far, noisy, closed, shorted,
//	             column_held, unbelievable
//	led          dead, stuck, elsewhere, suspect, chain_ends, dark, color, unreachable
//	chip         missing, misplaced, unexpected, wrong_kind, unstable, blind
//	bus          held, sda_held, scl_held, adapter, adapter_gone, empty, slow, fast, rail
//	wire         blind, silent
//	board        all_reversed, turned, weak_discs, nothing_seen, wrong_kind, led_order,
//	             unreadable, slow_scan
//	display      missing, misplaced, unstable, picture
//	button       stuck, flapping, dead, exchanged
//	buzzer       pin, silent
//	pi, device, wires, power, storage, broker, page, calibration: see the sources
//
// # Nothing is left behind
//
// Registers are read before anything is written, and put back in the end, after an
// interruption as well. Lights, display and buzzer are off, and the data folder is
// there only if it was there before. What is read to find out who is on a bus is
// one byte each. No pin is driven that a sensor drives.
//
// # Without a board
//
// [Simulate] builds the board of any settings, with any mistakes of a builder, and
// puts a person at it, who follows the lights, looks, listens and answers. It all
// happens in virtual time, so that the five minutes of a person take a moment.
package doctor
