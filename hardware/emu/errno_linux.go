package emu

import "syscall"

// What Linux says besides [NoAck] when a transfer fails.

// timedOut: a line is held low, or the controller stopped waiting.
func timedOut() error { return syscall.ETIMEDOUT }

// lostArbitration: SDA is low although the controller lets go of it.
func lostArbitration() error { return syscall.EAGAIN }

// ioError: the controller gave up.
func ioError() error { return syscall.EIO }

// noDevice: nobody acknowledged, in the words of i2c-tiny-usb.
func noDevice() error { return syscall.ENXIO }
