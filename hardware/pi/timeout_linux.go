package pi

import (
	"os"
	"syscall"
)

// ioctlI2CTimeout is I2C_TIMEOUT of <linux/i2c-dev.h>: the adapter's timeout in
// units of 10 ms.
const ioctlI2CTimeout = 0x0702

func setI2CTimeout(f *os.File, ticks uintptr) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var no syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, no = syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlI2CTimeout, ticks)
	}); err != nil {
		return err
	}
	if no != 0 {
		return no
	}
	return nil
}
