//go:build !linux

package app

// diskFree returns how much may still be written to the disk of a folder, which
// is not known here.
func diskFree(string) (bytes int64, ok bool) { return 0, false }

// flushDisks does nothing: what must be durable has been synced.
func flushDisks() {}
