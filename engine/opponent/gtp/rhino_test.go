package gtp_test

import (
	"os/exec"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
)

// rhino returns the command line of the real gtp-rhino. Debian installs it where
// games are, which is not in everybody's path.
func rhino(t *testing.T, args ...string) []string {
	t.Helper()
	for _, name := range []string{"gtp-rhino", "/usr/games/gtp-rhino"} {
		if path, err := exec.LookPath(name); err == nil {
			return append([]string{path}, args...)
		}
	}
	t.Fatal("gtp-rhino is missing: apt-get install grhino")
	return nil
}

// TestRhinoPlays plays the real program against itself from the start to the
// end, and after taking moves back.
func TestRhinoPlays(t *testing.T) {
	x := hire(t, rhino(t, "-l", "1")...)
	q := enginetest.Question(t, "")
	for n := 0; !enginetest.Over(t, &q); n++ {
		enginetest.Ask(t, x, &q)
		if n == 20 {
			q.Moves = q.Moves[:11]
		}
	}
	if x.Name() != "GTP GRhino 0.16.1" {
		t.Errorf("it is called %q", x.Name())
	}
}

// TestRhinoPasses: positions after one and after two passes, and a question to
// the side that the program believes to be blocked.
func TestRhinoPasses(t *testing.T) {
	for _, moves := range []string{
		"f5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7",
		"f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3",
	} {
		x := hire(t, rhino(t, "-l", "1", "-b", "0")...)
		for range 2 {
			q := enginetest.Question(t, moves)
			if q.Moves[len(q.Moves)-1] != engine.PassMove {
				t.Fatal("the game does not end with a pass")
			}
			enginetest.Ask(t, x, &q)
			q.Moves = q.Moves[:10]
			enginetest.Ask(t, x, &q)
		}
	}
}

// TestRhinoClock: the program takes the time that it is told.
func TestRhinoClock(t *testing.T) {
	x := hire(t, rhino(t)...)
	q := enginetest.Question(t, "f5d6c3")
	q.Clock = opponent.Clock{Main: time.Minute, Left: [2]time.Duration{20 * time.Second, 20 * time.Second}}
	enginetest.Ask(t, x, &q)
}
