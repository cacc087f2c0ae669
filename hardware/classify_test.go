package hardware

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// The errno values are those that i2c-bcm2835, i2c-designware and i2c-tiny-usb
// return; the texts are what periph's bus makes of them.
func TestClassify(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want Class
	}{
		{nil, OK},
		{syscall.EREMOTEIO, NACK},
		{fmt.Errorf("tx: %w", syscall.ENXIO), NACK},
		{fmt.Errorf("a: %w", fmt.Errorf("b: %w", syscall.ETIMEDOUT)), Timeout},
		{syscall.EAGAIN, ArbLost},
		{syscall.EIO, IO},
		{syscall.ENODEV, Vanished},
		{fmt.Errorf("tx: %w", syscall.ESHUTDOWN), Vanished},
		{syscall.EBADF, Vanished},
		{syscall.EOPNOTSUPP, Unsupported},
		{syscall.EINVAL, Other},
		{fmt.Errorf("close: %w", fs.ErrClosed), Vanished},
		{fmt.Errorf("open: %w", &GoneError{Device: "/dev/i2c-1", Err: syscall.ENXIO}), Vanished},
		{errors.New("sysfs-i2c: remote I/O error"), NACK},
		{errors.New("sysfs-i2c: no such device or address"), NACK},
		{errors.New("sysfs-i2c: connection timed out"), Timeout},
		{errors.New("sysfs-i2c: resource temporarily unavailable"), ArbLost},
		{errors.New("sysfs-i2c: input/output error"), IO},
		{errors.New("sysfs-i2c: no such device"), Vanished},
		{errors.New("sysfs-spi: Tx() failed: cannot send after transport endpoint shutdown"), Vanished},
		{errors.New("sysfs-i2c: operation not supported"), Unsupported},
		{errors.New("sysfs-i2c: invalid address"), Other},
		{fmt.Errorf("read: %w", &Error{Addr: 0x20, Class: ArbLost, Err: errors.New("x")}), ArbLost},
	} {
		if got := Classify(tc.err); got != tc.want {
			t.Errorf("Classify(%v) = %v, want %v", tc.err, got, tc.want)
		}
	}
}

func TestErrorTellsWhatToDo(t *testing.T) {
	t.Parallel()
	err := error(&Error{Addr: 0x23, Class: NACK, Err: syscall.EREMOTEIO})
	for _, want := range []string{"0x23", "solder", "remote I/O error"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not mention %q", err, want)
		}
	}
	if !errors.Is(err, syscall.EREMOTEIO) {
		t.Error("the errno is not in the chain")
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"", "sysfs-i2c: remote I/O error", "no such device", "no such device or address", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Classify(errors.New(s))
		if c == OK || int(c) >= classes {
			t.Fatalf("an error with text %q is classified %v", s, c)
		}
		if wrapped := Classify(fmt.Errorf("sysfs-i2c: %v", errors.New(s))); c != Other && wrapped == Other { //nolint:errorlint // periph flattens errors in this way.
			t.Fatalf("text %q is %v alone, but unknown with a prefix", s, c)
		}
	})
}
