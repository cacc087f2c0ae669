//go:build !linux

package emu

// linuxText stands in for an errno of Linux on systems that word it otherwise.
type linuxText string

// Error returns the text that Linux gives to the errno.
func (t linuxText) Error() string { return string(t) }

func timedOut() error        { return linuxText("connection timed out") }
func lostArbitration() error { return linuxText("resource temporarily unavailable") }
func ioError() error         { return linuxText("input/output error") }
func noDevice() error        { return linuxText("no such device or address") }
