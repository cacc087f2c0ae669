package web

import (
	"testing"

	"reversi-board/engine"
)

func square(t *testing.T, name string) engine.Square {
	t.Helper()
	s, err := engine.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
