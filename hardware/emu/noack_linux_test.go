package emu_test

import (
	"errors"
	"syscall"
	"testing"

	"reversi-board/hardware/emu"
)

// TestErrno: a driver finds the errno of Linux in what the bus returns, unless
// it is hidden, as it is behind periph's sysfs bus.
func TestErrno(t *testing.T) {
	bus := emu.NewBus()
	var errno syscall.Errno
	if err := bus.Tx(0x20, []byte{0}, nil); !errors.As(err, &errno) || errno != syscall.EREMOTEIO {
		t.Errorf("%v does not wrap EREMOTEIO", err)
	}
	bus.HideErrno(true)
	if err := bus.Tx(0x20, []byte{0}, nil); errors.As(err, &errno) {
		t.Errorf("%v still wraps an errno", err)
	}
}
