// Package virtual is a whole board on a virtual clock: the simulated table with
// its emulated chips, the real drivers, sensing, the referee, the journal and
// the LEDs, stepped by one goroutine. An hour of play takes seconds, and the
// same seed gives the same events.
//
// The soak plays thousands of games on it, and the scenario tests tell stories
// on it: testdata/scenarios has one file for each, to be read by somebody who
// knows the game, and testdata/scenarios.txt says which test covers which
// scenario. The failure tests (failure*_test.go) break every part of every kind of
// board in the middle of a game and look at what players then see. It is not the
// running program: it has no goroutine of its own, no
// broker and no page. What it shares with the program is everything that
// decides (see package app).
package virtual
