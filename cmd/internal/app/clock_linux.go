package app

import "syscall"

// clockSynced reports whether the system's wall clock has been set from the
// network. STA_UNSYNC is 0x40 in the kernel's timex.h.
func clockSynced() bool {
	const unsynced = 0x40
	var t syscall.Timex
	_, err := syscall.Adjtimex(&t)
	return err == nil && t.Status&unsynced == 0
}
