// Package mcp23017 drives the 16-bit I²C expander MCP23017 (Microchip) as 14
// inputs.
//
// It is NOT a general driver: its only outputs are the two pins that must not
// be inputs, and they serve the driver itself.
//
// # Why 14 inputs
//
// Pins 7 of both ports (GPA7, GPB7) are outputs only, says the sheet since
// 2022: a level that changes there while the pin is shifted out moves SDA, and
// everybody on the bus sees a START or STOP that nobody sent. After power-on
// they are inputs; Init makes outputs of them before anything is read. They
// must be left unconnected.
//
// # Why not periph's mcp23xxx
//
// That driver remembers what it wrote and leaves out writes that would change
// nothing. A chip that lost its registers in a brown-out therefore never gets
// them back. It reads a pin or a port per transfer, gives Low for a read that
// failed, and knows neither IOCON nor DEFVAL. This one suppresses no write,
// writes every register and reads it back, and reads both ports in one transfer
// of 48 clocks.
//
// # The canary
//
// Inputs are compared with their last level and not with DEFVAL, which has no
// effect then, so it holds 5Ah and A5h. After a power-on reset it holds 00h: a
// chip that was reset silently gives itself away.
//
// # What the two outputs are good for
//
// GPA7 and GPB7 are driven to opposite levels and come with every read of the
// inputs. A read in which they are not as driven is no read: the chip was reset,
// or the wire was disturbed. Pulse exchanges the two levels for a moment. A chip,
// or whatever stands between it and us, that goes on giving an old answer does
// not follow. What cannot be found is a sensor, or a wire to it, that has
// stopped: a pin that does not change looks like a quiet board.
//
// # Interrupts
//
// INTA and INTB are one signal (MIRROR), open drain, low from the first change
// of an input until its port is read, so that several chips can share a line.
// What changes in between is seen in the read and announced no more: inputs must
// be polled as well.
//
// A Dev is not safe for concurrent use; its owner is the goroutine that scans.
package mcp23017
