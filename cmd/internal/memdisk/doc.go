// Package memdisk is a disk in memory for tests of what stores things: it can be
// copied at any moment, as a power cut leaves it, changed byte by byte, and broken
// like a real one (full, failing, read-only). It implements archive.FS.
//
// It is NOT a file system: folders need not be made, a name without an extension
// that is no file is taken for one, and everything that was written is durable.
package memdisk
