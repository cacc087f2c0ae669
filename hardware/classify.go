package hardware

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Class says what a failed I²C transfer means, and so what to do about it.
type Class uint8

const (
	// OK is a transfer that succeeded.
	OK Class = iota
	// NACK means no chip acknowledged the address or a byte; the bus works.
	NACK
	// Timeout means a line is held low: nothing on this bus can be reached.
	Timeout
	// ArbLost means something else pulled SDA low while we let go of it: a
	// glitch, or a chip that holds the line.
	ArbLost
	// IO means the controller or its driver gave up.
	IO
	// Vanished means that the adapter itself has gone; see Gone.
	Vanished
	// Unsupported means the adapter cannot do this kind of transfer.
	Unsupported
	// Other is everything else, mostly mistakes of the caller.
	Other

	classes = int(Other) + 1
)

// String returns the name of the class for logs and reports.
func (c Class) String() string {
	switch c {
	case OK:
		return "ok"
	case NACK:
		return "nack"
	case Timeout:
		return "timeout"
	case ArbLost:
		return "arbitration lost"
	case IO:
		return "i/o"
	case Vanished:
		return "adapter gone"
	case Unsupported:
		return "unsupported"
	case Other:
		return "other"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Error is a failed I²C transfer.
type Error struct {
	// Addr is the 7-bit address that was talked to.
	Addr uint16
	// Class is what the failure means.
	Class Class
	// Err is what the bus reported.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("talk to I²C address 0x%02X: %s: %v", e.Addr, e.advice(), e.Err)
}

// Unwrap returns what the bus reported.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) advice() string {
	switch e.Class {
	case NACK:
		return "no answer, check the chip's power, address pins and solder joints"
	case Timeout:
		return "SCL or SDA is held low, check the wiring or cycle the power of the chips"
	case ArbLost:
		return "SDA is pulled low by something else, check the wiring"
	case IO:
		return "the bus controller gave up, check cable length, pull-ups and bus speed"
	case Vanished:
		return "the adapter of the bus has gone"
	case Unsupported:
		return "this I²C adapter cannot do such a transfer, use another bus"
	case OK, Other:
	}
	return "transfer failed"
}

// Classify says what err, returned by an I²C transfer, means.
//
// An errno in the chain decides. The Linux bus of periph drops it and keeps
// only the text, so the kernel's messages are recognised too.
func Classify(err error) Class {
	if err == nil {
		return OK
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Class
	}
	if _, ok := errors.AsType[*GoneError](err); ok {
		return Vanished
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		if c := classifyErrno(no); c != Other {
			return c
		}
	}
	if Gone(err) {
		return Vanished
	}
	return classifyText(err.Error())
}

// classifyText knows the strerror texts behind periph's "sysfs-i2c: " prefix.
func classifyText(s string) Class {
	for _, row := range [...]struct {
		text  string
		class Class
	}{
		{"remote I/O error", NACK},                    // EREMOTEIO: i2c-bcm2835, i2c-designware.
		{"no such device or address", NACK},           // ENXIO: i2c-tiny-usb.
		{"connection timed out", Timeout},             // ETIMEDOUT.
		{"resource temporarily unavailable", ArbLost}, // EAGAIN: i2c-designware with SDA held.
		{"input/output error", IO},                    // EIO: stretch limit of i2c-bcm2835.
		{"operation not supported", Unsupported},      // EOPNOTSUPP: read is not the last message.
	} {
		if strings.Contains(s, row.text) {
			return row.class
		}
	}
	return Other
}
