// Package hardware is the ground the board stands on: one goroutine that owns
// an I²C bus and keeps a sick chip from making the others sick, and the two
// words every board driver speaks, Frame (what 64 cells report) and RGB (what
// a light shows). The chips live in the folders below, one package each.
//
// It is NOT a driver of any board and knows nothing of the game: a cell is a
// number, 8*rank + file with rank 1 on top, and bit n of a uint64 belongs to
// cell n. It opens nothing either; hardware/pi does that.
//
// # Why one owner for a bus
//
// A scan of eight chips, a display page and a canary read want the same two
// wires. Callers hand a function to Bus.Do; it runs on the owner's goroutine
// as one request, so a whole scan costs one hop and nobody interleaves with
// it. Waiting requests are served by priority: scan, LEDs, canary, OLED.
//
// # What happens to a transfer
//
//	         +-- breaker of bus or address open --> fail at once, stored cause
//	transfer +-- OK            --> breakers of bus and address close
//	         +-- NACK          --> again after 1, 5, 20 ms, then the address's breaker opens;
//	         |                     the bus serves others meanwhile, unless it is within Do
//	         +-- arbitration   --> again at once, at most 3 times, then as a timeout
//	         +-- timeout, I/O  --> the rest of the request fails at once; three in a row
//	         |                     open the breaker
//	         +-- unsupported   --> reported; trying again would not help
//
// An open breaker lets one transfer through as a probe after 100 ms, and
// doubles that up to 5 s while the probes fail. A chip that answers again may
// have lost its registers: whoever drives it initialises it before believing
// it.
//
// # Why no timers of its own
//
// Now and Sleep are given from outside, and Inline runs requests on the
// caller's goroutine, so hours of play with failing chips can be simulated on
// one virtual clock in seconds.
package hardware
