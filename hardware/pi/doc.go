// Package pi opens the real buses and pins of a Raspberry Pi, and is the only
// one that imports periph's host drivers. What it returns is spoken to through
// the same interfaces as the emulators. System says what can be said about the
// computer without them: model, kernel, groups, device files, supply.
//
// It is NOT a driver of anything on those buses.
//
// Nothing in this package has run on real hardware yet. It is written from the
// sources of periph host v3.8.5 and of the Linux kernel; what it makes of their
// answers is tested, what it asks them is not.
//
// # Pins
//
// Pins are lines of the GPIO character device (<linux/gpio.h>, version 2), through
// the ioctls of go-gpiocdev. periph's own driver, gpioioctl, can be opened once and
// for ever, keeps only the texts of errors, cannot tell an error from a low level,
// writes to the program's log and may close file descriptor 0; none of it is linked.
// The memory-mapped driver of older models is left out as well: it differs between
// models and maps /dev/mem when run as root. Never run the controller as root; the
// groups gpio, i2c and spi are all it needs.
//
//   - GPIO chips change their numbers between kernels, and lines their names. Pins
//     are found by the chip's label, pinctrl-*, and the line's offset, which is the
//     number in "GPIO17". The doctor finds them in the same way.
//   - An output has its level from the moment it is one.
//   - A wait for an edge ends as soon as its context does.
//
// # Devices that go
//
// Every file is closed at the first error that says that its device has gone (its
// driver unbound, its overlay removed, its adapter pulled), as an open file keeps
// the kernel from bringing an adapter back, and opened again when it is there. See
// hardware.Handle, which the buses are opened with by whoever calls OpenI2C and
// OpenSPI, and which pins have inside.
//
// # Buses
//
//   - A held I²C line costs one second per transfer. OpenI2C asks the adapter
//     for 50 ms instead.
//   - sysfs hands the kernel addresses of variables on the goroutine's stack.
//     The I²C bus makes room on the stack first, so that it does not move in
//     between; hardware.Bus keeps all transfers on one goroutine.
package pi
