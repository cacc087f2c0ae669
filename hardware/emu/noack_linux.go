package emu

import "syscall"

// NoAck returns what Linux says of an address that nobody acknowledged:
// syscall.EREMOTEIO. Give it to [Bus.Fail], or return it from a [Device].
func NoAck() error { return syscall.EREMOTEIO }
