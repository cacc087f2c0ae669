package archive

import "syscall"

// SyncData makes the content of the file durable, and not when it was changed: that
// would be another write each time.
func (f osFile) SyncData() error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.Fdatasync(int(fd)) })
	if err == nil {
		err = failed
	}
	return err
}
