//go:build unix

package opponent

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group, so that all its
// helpers can be ended with it, and so that an interrupt typed at the terminal
// does not reach it before us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and what it has started. That they are gone
// already is no mistake.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
