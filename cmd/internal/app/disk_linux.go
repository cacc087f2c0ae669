package app

import "syscall"

// diskFree returns how many bytes an ordinary user may still write to the disk
// of a folder.
func diskFree(dir string) (bytes int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(min(s.Bavail, 1<<40)) * int64(s.Bsize), true //nolint:unconvert // the types differ between processors
}

// flushDisks has everything written that waits for it.
func flushDisks() { syscall.Sync() }
