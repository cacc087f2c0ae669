//go:build !linux

package hardware

import "syscall"

// classifyErrno has nothing to go by: only Linux has an I²C device this
// project opens, and the numbers differ elsewhere. The text decides.
func classifyErrno(syscall.Errno) Class { return Other }

// goneErrno has nothing to go by either.
func goneErrno(error) bool { return false }
