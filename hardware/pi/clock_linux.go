package pi

import "syscall"

// ClockSynced reports whether the system's wall clock has been set from the
// network or from a battery-backed clock and is kept right: a Raspberry Pi
// before the 5 has no clock of its own, and begins where it was switched off.
func ClockSynced() bool {
	// STA_UNSYNC of <linux/timex.h>.
	const unsynced = 0x40
	var t syscall.Timex
	_, err := syscall.Adjtimex(&t)
	return err == nil && t.Status&unsynced == 0
}
