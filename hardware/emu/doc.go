// Package emu holds emulators of the chips on the board, register by register
// and bit by bit, for everything above the bus to be tried without a board.
//
// # What it is
//
//   - [Bus] is the wire: an i2c.BusCloser over the chips attached to it. It
//     answers like the Linux bus that periph opens (same error texts), counts
//     what a real wire would carry, and fails on request: lines held low,
//     noise, brown-outs, chips that are slow or gone. [Tap] and the bus's Rail
//     are the pins by which a controller frees it.
//   - [TCA9555] is the 16-bit expander with its INT output, and, by an option,
//     the PCA9555 with the erratum of that output.
//   - [MCP23017] is the 16-bit expander with two interrupt outputs and latched
//     events.
//   - [ADS1115] is a converter of four inputs that takes its time, and
//     [CD74HC4067] the multiplexer before it, with the wire that has to settle.
//   - [ReedMatrix] is 64 contacts with diodes between eight rows and eight
//     columns; current goes every way that it finds.
//   - [APA102] is a chain of LEDs behind an SPI port: bits go in, lights come
//     out. So is [WS2812], whose only wire is the port's data line: how long it
//     is high and low is all that counts.
//   - [HT16K33] drives 8 x 16 LEDs from I²C, and says which of them are lit at a
//     time; [MAX7219] drives 8 x 8 from SPI.
//   - [SSD1306] is an OLED panel of 128 x 64 pixels, by an option the one with
//     an SH1106: what it shows is a bitmap or a picture.
//
// # What it is not
//
// It knows no driver, no board and no game: it is written from the datasheets
// alone and imports no package of this project, so that a misreading of a
// datasheet in a driver is not repeated here. What is wired to the pins, and
// which magnet lies where, is package sim's affair. Time on the wire is
// counted, not spent, unless the bus is given a [Timing].
//
// # Why so exact
//
// Drivers fail in the corners: the pointer that stays where the last transfer
// left it, the chip that came back with power-on values, the interrupt that
// goes away by itself. An emulator that only remembers register values has
// none of these corners.
//
// # Sources
//
//   - Texas Instruments SCPS200E (TCA9555), sections 9.3.3, 9.4, 9.5, 9.6.
//   - Texas Instruments SCPS131J (PCA9555), sections 8.4.1 and 8.5.
//   - NXP PCA9555 rev. 8, sections 6.1 and 6.2, table 4.
//   - Microchip DS20001952C (MCP23017), sections 3.2 to 3.6, tables 3-4 and 3-5.
//   - Texas Instruments SBAS444 (ADS1115), sections 7.3, 7.4 and 8, and SCHS209
//     (CD74HC4067).
//   - APA Electronic, APA102 product sheet, and the measurements of the chain's
//     forwarding published at cpldcpu.com ("Understanding the APA102
//     Superled"), where they go beyond the sheet.
//   - Worldsemi, WS2812B data sheet, and the measurements published there
//     ("Understanding the WS2812").
//   - Holtek HT16K33 v1.10, pp. 8 to 31.
//   - Maxim 19-4452 rev. 4 (MAX7219), tables 1 to 10.
//   - Solomon Systech SSD1306 rev. 1.1, sections 8.1.5, 8.7, 9 and 10, p. 62;
//     Sino Wealth SH1106 v2.3 for what differs.
//
// What a sheet leaves open and was chosen here is said at the type.
//
// All types are safe for concurrent use.
package emu
