// Package pi opens the real buses and pins of a Raspberry Pi, and is the only
// one that imports periph's host drivers. What it returns is spoken to through
// the same interfaces as the emulators. System says what can be said about the
// computer without them: model, kernel, groups, device files, supply.
//
// It is NOT a driver of anything on those buses.
//
// Nothing in this package has run on real hardware yet. It is written from the
// sources of periph host v3.8.5 and of the Linux kernel, its parsing and its
// messages are tested, the rest is not.
//
// # What it avoids
//
// Only two parts of periph host are linked: sysfs (I²C and SPI through their
// device files) and gpioioctl (pins through the GPIO character device). The
// memory-mapped driver of older models is left out: it differs between models
// and maps /dev/mem when run as root. Never run the controller as root; the
// groups gpio, i2c and spi are all it needs.
//
//   - Initialising gpioioctl closes file descriptor 0 when two names lead to
//     one GPIO chip, as on a Pi 5. Init keeps a duplicate of standard input
//     and puts /dev/null in its place if that happened.
//   - Waiting for an edge takes 0 as "for ever" and -1 as "not at all", against
//     the contract of periph. Input waits in finite steps and looks at its
//     context in between.
//   - Reading a pin that is an output turns it into an input. Output remembers
//     what it wrote and never reads.
//   - GPIO chips change their numbers between kernels, and lines their names.
//     Pins are found by the chip's label, pinctrl-*, and the line's offset,
//     which is the number in "GPIO17".
//   - A held I²C line costs one second per transfer. OpenI2C asks the adapter
//     for 50 ms instead.
//   - sysfs hands the kernel addresses of variables on the goroutine's stack.
//     The I²C bus makes room on the stack first, so that it does not move in
//     between; hardware.Bus keeps all transfers on one goroutine.
package pi
