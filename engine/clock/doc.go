// Package clock computes what game clocks show: sudden death, increment (also
// called Fischer), byo-yomi, a different control for each side, and one clock
// for the whole game.
//
// It is pure arithmetic on monotonic time: the time is told to every method that
// needs it, nothing ticks, and a step of the wall clock changes nothing. It is
// NOT a rule: what happens when a flag falls, and who may stop a clock, is the
// referee's business (engine/referee).
//
// # Terms
//
// A control is main time, plus what a move earns. The flag is up while there is
// time; it falls at exactly zero and stays down. Times are never negative. What
// is shown is rounded up, so that a clock shows zero only once its flag is down.
//
//	sudden death   main time, and then the flag
//	increment      every finished move adds a fixed time, used or not
//	byo-yomi       after the main time a number of periods; a move made within
//	               one leaves it whole, one that takes longer uses it up
package clock
