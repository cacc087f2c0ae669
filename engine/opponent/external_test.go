package opponent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/gtp"
)

// The two games of which it is known that programs got their passes wrong.
//
//nolint:gosec // Moves; some of them look like a password.
const (
	// blackPassed ends with a pass of Black: an engine that drops the trailing
	// pass answers for the wrong side.
	blackPassed = "f5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7"
	// whiteBlocked ends with a disc after which White has no move.
	whiteBlocked = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3"
)

// TestWholeGames lets every imitated program play both sides of a game to its
// end, with a new question for every disc. All fakes play the first legal
// square, so the game is the same whoever is asked.
func TestWholeGames(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) { wholeGame(t, hire(t, opponent.Limits{}, kind, "chatter")) })
	}
}

func wholeGame(t *testing.T, x opponent.Player) {
	t.Helper()
	q := enginetest.WholeGame(t, x)
	g := engine.NewGame(q.Rules)
	for i, m := range q.Moves {
		want := engine.PassMove
		if g.Legal() != 0 {
			want = engine.At(g.Legal().First())
		}
		if m != want {
			t.Fatalf("move %d is %v, want %v", i+1, m, want)
		}
		if s, disc := m.Square(); disc {
			g = g.Place(s)
		} else {
			g = g.Pass()
		}
	}
	if len(q.Moves) < 50 {
		t.Errorf("the game has only %d moves", len(q.Moves))
	}
}

// TestTrailingPass: the last move before the question is a pass, and the answer
// has to be for the side after it.
func TestTrailingPass(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			q := enginetest.Question(t, blackPassed)
			g, err := q.Game()
			if err != nil {
				t.Fatal(err)
			}
			if g.Turn != engine.White || g.Legal().Count() != 13 {
				t.Fatalf("%v has %d moves, want White with 13", g.Turn, g.Legal().Count())
			}
			x := hire(t, opponent.Limits{}, kind)
			a, err := x.Move(t.Context(), q)
			if err != nil || !g.Legal().Has(a.Square) {
				t.Fatalf("%v, %v", a, err)
			}
		})
	}
}

// TestBlockedSideIsNotAsked: a side without a move is not asked, nor is anybody
// after the end.
func TestBlockedSideIsNotAsked(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) { blockedSide(t, kind) })
	}
}

func blockedSide(t *testing.T, kind string) {
	t.Helper()
	t.Parallel()
	file := logFile(t)
	x := hire(t, opponent.Limits{}, kind, "log="+file)
	q := enginetest.Question(t, whiteBlocked)
	if last := q.Moves[len(q.Moves)-1]; last != engine.PassMove {
		t.Fatalf("the last move is %v, want White's pass", last)
	}
	blocked := q
	blocked.Moves = q.Moves[:len(q.Moves)-1]
	for _, none := range []opponent.Question{blocked, enginetest.Question(t, "f5d6c5f6e7f4g5e6e3")} {
		if _, err := x.Move(t.Context(), none); !errors.Is(err, opponent.ErrNotAsked) {
			t.Fatalf("asked a side that cannot move: %v", err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatalf("the program was told %q", enginetest.Heard(t, file))
	}
	g, err := q.Game()
	if err != nil || g.Turn != engine.Black || g.Legal().Count() != 12 {
		t.Fatalf("%v with %d moves (%v), want Black with 12", g.Turn, g.Legal().Count(), err)
	}
	if _, err := x.Move(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

// TestFaults: a program that misbehaves is started once more, and a second time
// it is lost with the reason.
func TestFaults(t *testing.T) {
	tests := []struct {
		fault, reason string
		kinds         []string
	}{
		{"die@1", "illegal instruction", kinds()},
		{"silent@1", "it was silent for 300ms", kinds()},
		{"late@1", "it was silent for 300ms", kinds()},
		{"illegal@1", "which is illegal for white", kinds()},
		{"other@1", "which is illegal for white", kinds()},
		{"pass@1", "it passed although it can move", kinds()},
		{"garbage@1", "where a move was due", kinds()},
		{"resign@1", "it resigned", []string{enginetest.Rhino, enginetest.Edax}},
		{"flood@1", "it writes without end", []string{enginetest.EdaxNBoard, enginetest.Edax}},
		{"long@1", "it was silent for", []string{enginetest.EdaxNBoard, enginetest.Edax}},
	}
	for _, test := range tests {
		for _, kind := range test.kinds {
			t.Run(test.fault+" "+kind, func(t *testing.T) { faulty(t, kind, test.fault, test.reason) })
		}
	}
}

func faulty(t *testing.T, kind, fault, reason string) {
	t.Helper()
	t.Parallel()
	l := limits()
	if strings.HasPrefix(fault, "flood") {
		l.Move = 20 * time.Second
	}
	x := hire(t, l, kind, fault, "name=Villain")
	_, err := x.Move(t.Context(), enginetest.Question(t, "f5"))
	var lost *opponent.LostError
	if !errors.As(err, &lost) {
		t.Fatalf("%v, want a *LostError", err)
	}
	if !strings.Contains(lost.Reason, reason) {
		t.Errorf("the reason is %q, want %q in it", lost.Reason, reason)
	}
	if !strings.HasPrefix(lost.Engine, "Villain") {
		t.Errorf("lost %q, want Villain", lost.Engine)
	}
	// It stays lost for this game.
	if _, err := x.Move(t.Context(), enginetest.Question(t, "f5")); !errors.As(err, &lost) {
		t.Errorf("asked again: %v", err)
	}
}

// TestSecondStart: one fault in a game is forgiven, in every dialect, and the
// new program is told the whole game.
func TestSecondStart(t *testing.T) {
	for _, kind := range kinds() {
		for _, fault := range []string{"die@2", "silent@2", "illegal@2", "mute"} {
			t.Run(kind+" "+fault, func(t *testing.T) { forgiven(t, kind, fault) })
		}
	}
}

func forgiven(t *testing.T, kind, fault string) {
	t.Helper()
	t.Parallel()
	l := limits()
	if fault == "mute" {
		// Both starts have to fit: that of the program that says nothing, and
		// that of the other one on a busy machine.
		l.Start = time.Second
	}
	x := hire(t, l, kind, fault, "once="+filepath.Join(t.TempDir(), "once"))
	q := enginetest.Question(t, "f5")
	for range 4 {
		a, err := x.Move(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Moves = append(q.Moves, engine.At(a.Square))
	}
	if _, err := q.Game(); err != nil {
		t.Fatal(err)
	}
}

// TestNewGameForgives: what was lost in one game is asked again in the next.
func TestNewGameForgives(t *testing.T) {
	x := hire(t, limits(), enginetest.Edax, "die@2")
	q := enginetest.Question(t, "f5")
	a, err := x.Move(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Moves = append(q.Moves, engine.At(a.Square))
	// The second question is the second of the first program and the first of
	// the other; the third is lost.
	var lost *opponent.LostError
	for want := range 2 {
		_, err = x.Move(t.Context(), q)
		if errors.As(err, &lost) != (want == 1) {
			t.Fatalf("question %d: %v", want+2, err)
		}
	}
	if err := x.NewGame(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Move(t.Context(), enginetest.Question(t, "f5d6")); err != nil {
		t.Fatalf("in the next game: %v", err)
	}
}

// TestWrongCommand: a program that is not there is lost with a sentence that
// names the reason, and before any game.
func TestWrongCommand(t *testing.T) {
	for _, command := range [][]string{nil, {"/nowhere/at-all"}, {t.TempDir()}} {
		x := opponent.New(opponent.Options{Command: command}, gtp.Dial)
		err := x.Start(t.Context())
		var lost *opponent.LostError
		if !errors.As(err, &lost) {
			t.Fatalf("%q: %v", command, err)
		}
		if !strings.Contains(lost.Reason, "cannot be started") && !strings.Contains(lost.Reason, "no command") {
			t.Errorf("%q: the reason is %q", command, lost.Reason)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHelpers: what a program has started goes with it, even if it holds the
// pipes open.
func TestHelpers(t *testing.T) {
	for _, fault := range []string{"", "die@1"} {
		t.Run(fault, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			x := hire(t, limits(), enginetest.Edax, "helper="+file, fault)
			_, err := x.Move(t.Context(), enginetest.Question(t, "f5"))
			if (err != nil) != (fault != "") {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			pid, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			waitGone(t, string(pid))
		})
	}
}

// waitGone waits until a process that is not our child has ended; as a zombie
// it is its parent's business.
func waitGone(t *testing.T, pid string) {
	t.Helper()
	deadline, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-deadline.Done():
			t.Fatalf("process %s still runs", pid)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestCancel: a question that is withdrawn returns at once, is no fault, and the
// next answer is not the old one.
func TestCancel(t *testing.T) {
	for _, kind := range kinds() {
		for _, fault := range []string{"late@1", "silent@1"} {
			t.Run(kind+" "+fault, func(t *testing.T) { withdrawn(t, kind, fault) })
		}
	}
}

func withdrawn(t *testing.T, kind, fault string) {
	t.Helper()
	t.Parallel()
	l := limits()
	l.Answer, l.Move = 500*time.Millisecond, time.Minute
	if fault == "late@1" {
		l.Answer = 20 * time.Second
	}
	x := hire(t, l, kind, fault, "once="+filepath.Join(t.TempDir(), "once"), "name=Slow")
	if err := x.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	takenBack := errors.New("taken back")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, takenBack)
	defer cancel()
	if _, err := x.Move(ctx, enginetest.Question(t, "f5")); !errors.Is(err, takenBack) {
		t.Fatalf("%v, want the cause of the cancellation", err)
	}
	q := enginetest.Question(t, "f5f6e6")
	g, err := q.Game()
	if err != nil {
		t.Fatal(err)
	}
	a, err := x.Move(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Square != g.Legal().First() {
		t.Errorf("%v, want %v", a.Square, g.Legal().First())
	}
}

// TestDeaf: a program that reads nothing does not hold us up with a full pipe.
func TestDeaf(t *testing.T) {
	for _, kind := range []string{enginetest.Edax, enginetest.EdaxNBoard} {
		l := limits()
		l.Start = 200 * time.Millisecond
		x := hire(t, l, kind, "deaf")
		var lost *opponent.LostError
		if err := x.Start(t.Context()); !errors.As(err, &lost) || !strings.Contains(lost.Reason, "silent for 200ms") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestClock: the deadline follows the clock when there is one.
func TestClock(t *testing.T) {
	l := limits()
	l.Move = time.Millisecond
	x := hire(t, l, enginetest.Rhino, "late@1")
	q := enginetest.Question(t, "f5")
	q.Clock = opponent.Clock{Main: time.Minute, Left: [2]time.Duration{time.Minute, time.Minute}}
	if _, err := x.Move(t.Context(), q); err != nil {
		t.Errorf("with a minute on the clock: %v", err)
	}
}

// TestUnsupported: what cannot be said in a protocol is refused, and the program
// is not to blame.
func TestUnsupported(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) { unsupported(t, kind) })
	}
}

func unsupported(t *testing.T, kind string) {
	t.Helper()
	t.Parallel()
	x := hire(t, limits(), kind)
	for _, variant := range []string{engine.Reverse, engine.WhiteFirst, engine.Historic} {
		r, err := engine.Variant(variant)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Move(t.Context(), opponent.Question{Rules: r})
		var unsupported *opponent.UnsupportedError
		able := strings.HasPrefix(kind, "nboard-") && variant == engine.WhiteFirst
		if errors.As(err, &unsupported) == able {
			t.Errorf("%s: %v", variant, err)
		}
	}
	if _, err := x.Move(t.Context(), enginetest.Question(t, "f5")); err != nil {
		t.Errorf("classic: %v", err)
	}
}
