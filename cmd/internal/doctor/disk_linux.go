package doctor

import "syscall"

// freeBytes returns how much this user may still write to the disk of a folder.
func freeBytes(dir string) (free uint64, known bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || s.Bsize <= 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
