// Package tca9555 drives the 16-bit I²C input expanders TCA9555 (Texas
// Instruments) and PCA9555 (NXP, Texas Instruments) as 16 inputs.
//
// It is NOT a general driver: it knows no outputs and no polarity, only 16
// pins that are read, because that is what a board of sensors needs.
//
// # Why not periph's tca95xx
//
// That driver remembers what it wrote and leaves out writes that would change
// nothing. A chip that lost its registers in a brown-out therefore never gets
// them back. It also reads eight pins per transfer and hides read errors of
// single pins. This one suppresses no write, writes every register it relies
// on and reads it back, and reads both ports in one transfer of 48 clocks.
//
// # The canary
//
// The output registers have no effect on pins that are inputs, so they hold
// 5Ah and A5h. After a power-on reset they hold FFh: a chip that was reset
// silently gives itself away.
//
// # Parking the pointer
//
// Erratum of the PCA9555 (TI SCPS131J, 8.4.1.1): while the last command byte
// is 00h, INT is wrongly released as soon as any other target on the bus
// acknowledges a read. Writing command byte 02h after an input read avoids it.
// The TCA9555 does not need that (TI SCPS200E, 9.3.3).
//
// A Dev is not safe for concurrent use; its owner is the goroutine that scans.
package tca9555
