package nboard_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/nboard"
)

// hire starts a fake for one test.
func hire(t *testing.T, kind string, faults ...string) *opponent.External {
	t.Helper()
	return enginetest.Hire(t, opponent.Options{Command: enginetest.Command(kind, faults...)}, nboard.Dial(12))
}

// TestWhatIsSent compares every byte with the protocol: the depth before the
// game, the game before go, the trailing pass in the game.
func TestWhatIsSent(t *testing.T) {
	const board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
	file := filepath.Join(t.TempDir(), "heard")
	x := hire(t, enginetest.NTest, "log="+file)
	q := enginetest.Question(t, "f5d6")
	if _, err := x.Move(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	q = enginetest.Question(t, "f5")
	q.Clock = opponent.Clock{Main: time.Minute, Increment: time.Second, Left: [2]time.Duration{time.Minute, 31500 * time.Millisecond}}
	if _, err := x.Move(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	got := enginetest.Heard(t, file)
	want := []string{
		"nboard 2", "set depth 12", "ping 1",
		"set game (;GM[Othello]PC[reversi-board]PB[Black]PW[White]TI[15:00//0]TY[8]RE[?]" + board + "B[f5]W[d6];)", "ping 2", "go",
		"set game (;GM[Othello]PC[reversi-board]PB[Black]PW[White]TB[1:00/1/0]TW[31/1/0]TY[8]RE[?]" + board + "B[f5];)", "ping 3", "go",
		"quit",
	}
	if !slices.Equal(got, want) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPassIsSent: a pass at the end of the game is part of what the program is
// told, in the letters of the protocol.
func TestPassIsSent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heard")
	x := hire(t, enginetest.EdaxNBoard, "log="+file)
	q := enginetest.Question(t, "f5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7")
	if _, err := x.Move(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	b := strings.Join(enginetest.Heard(t, file), "\n")
	if !strings.Contains(b, "B[a2]W[b7]B[PA];)") && !strings.Contains(b, "W[a2]B[b7]") {
		t.Errorf("told %s", b)
	}
	if !strings.Contains(b, "[PA];)") {
		t.Errorf("the trailing pass is missing in %s", b)
	}
}

// TestEval: the value that comes with a move is kept if it is one.
func TestEval(t *testing.T) {
	for kind, want := range map[string]string{enginetest.EdaxNBoard: "-1.00", enginetest.NTest: "-0.54"} {
		x := hire(t, kind)
		a, err := x.Move(t.Context(), enginetest.Question(t, "f5"))
		if err != nil || a.Eval != want {
			t.Errorf("%s: %+v, %v, want the value %s", kind, a, err, want)
		}
	}
}

// TestName: what the program calls itself is its name.
func TestName(t *testing.T) {
	x := hire(t, enginetest.EdaxNBoard, "name=Edax")
	if err := x.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x.Name() != "Edax12" {
		t.Errorf("it is called %q, want Edax12", x.Name())
	}
}
