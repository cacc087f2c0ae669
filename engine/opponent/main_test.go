package opponent_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"reversi-board/engine/opponent/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	code := m.Run()
	// Every program that the tests have started has ended, and was waited for:
	// no zombies.
	var status syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		fmt.Fprintf(os.Stderr, "a child is left: pid %d, %v\n", pid, err)
		code = 1
	}
	os.Exit(code)
}
