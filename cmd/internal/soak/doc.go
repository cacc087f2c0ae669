// Package soak plays whole games on a virtual board with clumsy hands, and
// compares what the board put on record with what the hands meant.
//
// The hands place, turn, lift and put back magnets on the simulated table;
// chips, drivers, sensing, referee, journal and LEDs are those of the running
// program. What must come out is said by an oracle that was written from the
// text of the rules alone and shares no code with the engine: a mistake of the
// engine cannot hide behind itself. Games of a file bring their own facts
// besides (passes, final board, score), and these must come out as well.
//
// It is NOT a test of the network, of the page or of several boards, and it
// makes no mistakes of the kind that referees are for: no disc goes to a wrong
// square. So every event beyond the moves, passes and the result is spurious.
//
// # Storms
//
// With Options.Faults parts of the board fail while it is played on, up to three
// at once, every seven seconds on average: chips that do not answer, that lose
// their registers or hold the bus, noise on the wires, cells that flap, lost
// interrupts, LEDs and display unplugged, converters that stall. The hands then
// look at the board: they wait while cells cannot be read, do what the lights ask
// for, and lift and put back a disc that lies right where the board has not seen
// it. All records must still be what the hands meant, all moves must be committed
// in the end, and every fault must have been told of, as an event or in the
// counters of the board's health. Faults of cells may make the board call a move
// illegal that was none; these complaints are counted and excused.
//
// Everything about a game follows from the seed and the game's index. A game
// that fails can be played again alone, with any number of workers.
package soak
