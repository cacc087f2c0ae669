//go:build unix

package archive

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lock takes the folder for this program. It locks the folder itself, not a
// file in it: that works on a full or read-only disk, leaves nothing behind,
// and the kernel gives it up with the program, however that ends.
func lock(dir string) (io.Closer, error) {
	f, err := os.Open(dir) //nolint:gosec // the folder is the user's choice
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
