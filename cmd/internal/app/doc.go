// Package app is the shell around the pure core: it builds everything from the
// configuration, runs the one loop that feeds the referee, and performs the
// referee's effects. It holds no rule of the game and knows no chip.
//
// # Who owns what
//
//	scanner   the I2C bus: scans, debounces, sends readings to the loop
//	the loop  the referee's State, the cues, the open alerts; nobody else
//	          reads or writes them
//	writer    the journal (engine/archive)
//	hall      the tournaments (engine/archive/tables); the loop only reads which
//	          pairings may be started
//	analyst   what the positions of the game are worth, for the page alone; on
//	          a thread of the lowest priority
//	painter   the picture of the board on MQTT
//	recorder  the flight recordings (cmd/internal/flight); the loop and the scanner
//	          only leave word in its memory
//	lamps     the SPI bus: renders the latest scene, animates it
//	mqtt, web their sockets; both are fed by calls that never block
//
// Each of these is a goroutine, except that mqtt and web have several.
//
// # What the loop waits for
//
// Readings, journaled events, commands and timers; never for a network, a disk,
// a broker or a browser. An event leaves the loop twice: first to the journal's
// writer, and when it is durable back through the loop to MQTT, to the page and
// to the cues on the LEDs. The guide on the LEDs does not wait: it describes
// discs, not the record.
//
// # What the soak shares
//
// Core, Eyes and Lamps work without any goroutine, on whatever time they are
// given. The soak and the scenario tests drive them on a virtual clock; run
// wraps them in goroutines. Below the I2C and SPI buses only the simulated and
// the real board differ.
package app
