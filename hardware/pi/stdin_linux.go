package pi

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// keepStdin returns a duplicate of standard input, or nil if there is none.
func keepStdin() *os.File {
	fd, err := syscall.Dup(0)
	if err != nil {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "stdin")
}

// guardStdin opens /dev/null as file descriptor 0 if that is closed. The next
// file opened would get the number otherwise, and gpioioctl takes 0 as "no
// file". A foreign file that already has it is left alone.
func guardStdin() error {
	var st syscall.Stat_t
	if err := syscall.Fstat(0, &st); !errors.Is(err, syscall.EBADF) {
		return nil
	}
	fd, err := syscall.Open(os.DevNull, syscall.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s in place of standard input: %w", os.DevNull, err)
	}
	if fd != 0 {
		return syscall.Close(fd)
	}
	return nil
}
