package app

import (
	"log/slog"
	"runtime"
	"syscall"
)

// yieldToOthers gives what this goroutine computes from now on the processor
// time that nothing else wants. On Linux a priority belongs to a thread: the
// goroutine keeps its own, which ends with it.
func yieldToOthers(log *slog.Logger) {
	const thisThread, nice = 0, 15
	runtime.LockOSThread()
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, thisThread, nice); err != nil {
		log.Debug("evaluations have the same priority as the rest", "error", err)
	}
}
