package nboard_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/nboard"
	"reversi-board/engine/search"
)

// serveFlag makes the test binary a program that speaks NBoard with our server.
const serveFlag = "-serve-nboard"

func TestMain(m *testing.M) {
	enginetest.Main()
	if len(os.Args) > 1 && os.Args[1] == serveFlag {
		if err := nboard.Serve(context.Background(), os.Stdin, os.Stdout, options()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// options are those of a server with the search of this project.
func options() nboard.ServerOptions {
	return nboard.ServerOptions{
		Name: "reversi-board", Depth: 2,
		Mind: func(depth int) nboard.Mind { return search.New(search.Options{Depth: depth, Memory: 1 << 20}) },
	}
}
