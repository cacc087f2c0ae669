package hardware

import (
	"errors"
	"syscall"
)

// classifyErrno follows Documentation/i2c/fault-codes of the Linux kernel and
// what i2c-bcm2835, i2c-designware and i2c-tiny-usb return in practice.
func classifyErrno(no syscall.Errno) Class {
	switch no { //nolint:exhaustive // syscall.Errno has over a hundred values; the rest is Other.
	case syscall.EREMOTEIO, syscall.ENXIO:
		return NACK
	case syscall.ETIMEDOUT:
		return Timeout
	case syscall.EAGAIN:
		return ArbLost
	case syscall.EIO:
		return IO
	case syscall.ENODEV, syscall.ESHUTDOWN, syscall.EBADF:
		return Vanished
	case syscall.EOPNOTSUPP:
		return Unsupported
	}
	return Other
}

// goneErrno reports whether an errno says that the device behind an open file has
// gone: i2c-dev and gpiolib return ENODEV, spidev ESHUTDOWN.
func goneErrno(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ESHUTDOWN) || errors.Is(err, syscall.EBADF)
}
