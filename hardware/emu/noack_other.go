//go:build !linux

package emu

// notAcknowledged stands in for Linux' EREMOTEIO on systems that lack it.
type notAcknowledged struct{}

// Error returns the text that Linux gives to the errno.
func (notAcknowledged) Error() string { return "remote I/O error" }

// NoAck returns an error with the text that Linux has for an address that
// nobody acknowledged. Give it to [Bus.Fail], or return it from a [Device].
func NoAck() error { return notAcknowledged{} }
