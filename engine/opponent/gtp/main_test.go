package gtp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/gtp"
)

// serveFlag makes the test binary a program that speaks GTP with our server.
const serveFlag = "-serve-gtp"

func TestMain(m *testing.M) {
	enginetest.Main()
	if len(os.Args) > 1 && os.Args[1] == serveFlag {
		if err := gtp.Serve(context.Background(), os.Stdin, os.Stdout, options()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// options are those of a server with the built-in player.
func options() gtp.ServerOptions {
	return gtp.ServerOptions{
		Name: "reversi-board", Version: "test", Level: 1,
		Hire: func(level int) (opponent.Player, error) {
			return opponent.NewBuiltin(opponent.BuiltinOptions{Level: level, Seed: 1})
		},
	}
}
