package gtp_test

import (
	"os"
	"testing"

	"reversi-board/engine/opponent/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	os.Exit(m.Run())
}
