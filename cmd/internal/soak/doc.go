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
// Everything about a game follows from the seed and the game's index. A game
// that fails can be played again alone, with any number of workers.
package soak
