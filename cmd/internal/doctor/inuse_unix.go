//go:build unix

package doctor

import (
	"errors"
	"os"
	"syscall"
)

// inUse reports whether a running board has the data folder: it keeps the folder
// locked as long as it runs. The lock that is tried here is given back at once.
func inUse(dir string) bool {
	f, err := os.Open(dir) //nolint:gosec // The folder is the user's choice.
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // Nothing was written.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}
