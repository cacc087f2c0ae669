package mqtt

import (
	"context"
	"fmt"
	"os"
	"time"
)

// childURL makes the test binary behave as a board, to be killed.
const childURL = "REVERSI_TEST_BOARD_ADDRESS"

func childMain() {
	j := newJournal(3)
	a, err := Start(context.Background(), secret(options(os.Getenv(childURL), j)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.Sleep(time.Minute)
	_ = a.Close(context.Background(), "shutdown")
}
