package nboard_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/nboard"
	"reversi-board/engine/search"
)

const (
	// nine is a game that is over after nine discs; Black wins 64–0.
	nine = `(;GM[Othello]PC[test]PB[A]PW[B]TI[25:00]TY[8]RE[+64.000]BO[8 -------- -------- -------- ---O*--- ---*O--- ` +
		`-------- -------- -------- *]B[f5]W[d6]B[c5]W[f6]B[e7]W[f4]B[g5]W[e6]B[e3];)`
	// standard is the start without a move, in the letters that NBoard writes.
	standard = `(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TI[15:00]TY[8]` +
		`BO[8 ---------------------------O*------*O--------------------------- *];)`
)

// session sends lines and returns what the server wrote until it ended.
func session(t *testing.T, o nboard.ServerOptions, commands ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := nboard.Serve(t.Context(), strings.NewReader(strings.Join(commands, "\n")+"\n"), &out, o); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// only returns the lines that begin with a word.
func only(lines []string, word string) []string {
	var got []string
	for _, l := range lines {
		if l == word || strings.HasPrefix(l, word+" ") {
			got = append(got, l)
		}
	}
	return got
}

// TestSession is a conversation as NBoard begins it.
func TestSession(t *testing.T) {
	got := session(t, options(), "nboard 2", "set depth 3", "set game "+standard, "move F5/0.00/1.2", "ping 7", "go")
	if n := only(got, "set"); len(n) != 1 || n[0] != "set myname reversi-board3" {
		t.Errorf("the name: %q", n)
	}
	if p := only(got, "pong"); len(p) != 1 || p[0] != "pong 7" {
		t.Errorf("the pong: %q", p)
	}
	moves := only(got, "===")
	if len(moves) != 1 || !regexp.MustCompile(`^=== (D6|F4|F6)/-?\d+\.\d\d/\d+\.\d\d$`).MatchString(moves[0]) {
		t.Errorf("the move: %q, want a reply to f5", moves)
	}
}

// TestPassAndEnd: a side that cannot move passes; the passes at the end of a
// game count.
func TestPassAndEnd(t *testing.T) {
	game := func(plays string) string { return strings.Replace(standard, ";)", plays+";)", 1) }
	// Black has to pass after the last disc of this game.
	q := enginetest.Question(t, "f5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7")
	plays, turn := "", engine.Black
	for _, m := range q.Moves[:len(q.Moves)-1] {
		name := map[engine.Color]string{engine.Black: "B", engine.White: "W"}[turn]
		word := strings.ToUpper(m.String())
		if m == engine.PassMove {
			word = "PA"
		}
		plays += name + "[" + word + "]"
		turn = turn.Opponent()
	}
	if got := only(session(t, options(), "set game "+game(plays), "go"), "==="); len(got) != 1 || got[0] != "=== PA" {
		t.Errorf("blocked: %q", got)
	}
	g, err := q.Game()
	if err != nil {
		t.Fatal(err)
	}
	for name, commands := range map[string][]string{
		"in the game": {"set game " + game(plays+"B[PA]"), "go"},
		"as a move":   {"set game " + game(plays), "move PA", "go"},
		"pass":        {"set game " + game(plays), "move pass//1", "go"},
	} {
		got := only(session(t, options(), commands...), "===")
		if len(got) != 1 {
			t.Fatalf("%s: %q", name, got)
		}
		word, _, _ := strings.Cut(strings.TrimPrefix(got[0], "=== "), "/")
		if s, err := engine.ParseSquare(word); err != nil || !g.Legal().Has(s) {
			t.Errorf("%s: %q is no move of White", name, got[0])
		}
	}
	if got := only(session(t, options(), "set game "+nine, "go"), "==="); len(got) != 1 || got[0] != "=== PA" {
		t.Errorf("at the end: %q", got)
	}
}

// TestHint: the best moves, deeper and deeper.
func TestHint(t *testing.T) {
	got := only(session(t, options(), "set depth 3", "set game "+standard, "move f5", "hint 2"), "search")
	if len(got) != 6 {
		t.Fatalf("%q, want two moves at depths 1 to 3", got)
	}
	for i, line := range got {
		if !regexp.MustCompile(`^search (D6|F4|F6) -?\d+\.\d\d 0 ` + string("123"[i/2]) + `$`).MatchString(line) {
			t.Errorf("%q", line)
		}
	}
}

// TestAnalyze: one value for every position, passes counted, the end of the game
// for the side to move.
func TestAnalyze(t *testing.T) {
	got := only(session(t, options(), "set game "+nine, "analyze"), "analysis")
	if len(got) != 10 || !strings.HasPrefix(got[0], "analysis 0 ") || got[9] != "analysis 9 -64.00" {
		t.Errorf("%q", got)
	}
}

// TestUnknown: what is not known is ignored; what cannot be played is said in a
// status line and changes nothing.
func TestUnknown(t *testing.T) {
	got := session(t, options(), "", "fly", "set", "set contempt 5", "set sail", "move A1", "move --", "set game (;GM[Go];)",
		"hint x", "set depth many", "learn", "ping", "go now")
	if only(got, "learned") == nil || only(got, "pong") == nil {
		t.Errorf("%q", got)
	}
	moves := only(got, "===")
	if len(moves) != 1 || !regexp.MustCompile(`^=== (D3|C4|F5|E6)/`).MatchString(moves[0]) {
		t.Errorf("%q, want a first move", moves)
	}
}

// TestFixedLevel: a strength chosen by whoever started the server stays.
func TestFixedLevel(t *testing.T) {
	o := options()
	o.Fixed, o.Name = true, "reversi-board level 3"
	if got := session(t, o, "set depth 20"); got[0] != "set myname reversi-board level 3" {
		t.Errorf("%q", got)
	}
}

// thinker says when it begins to think, and thinks until it is interrupted.
type thinker struct{ began chan struct{} }

func (m thinker) Best(ctx context.Context, _ engine.Game, _ search.Clock) (search.Result, error) {
	m.began <- struct{}{}
	<-ctx.Done()
	// A search that is interrupted has a move to show all the same.
	return search.Result{Move: engine.At(37)}, nil
}

func (m thinker) Rate(ctx context.Context, _ engine.Position, _ engine.Goal, _ int) ([]search.Rated, error) {
	m.began <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestPingInterrupts: ping ends a search, and nothing of it comes after the
// pong, nor before.
func TestPingInterrupts(t *testing.T) {
	for _, command := range []string{"go", "hint 3", "analyze"} {
		t.Run(command, func(t *testing.T) { interrupts(t, command) })
	}
}

func interrupts(t *testing.T, command string) {
	t.Helper()
	in, commands := io.Pipe()
	answers, out := io.Pipe()
	m := thinker{began: make(chan struct{})}
	o := options()
	o.Mind = func(int) nboard.Mind { return m }
	served := make(chan error, 1)
	go func() {
		served <- nboard.Serve(t.Context(), in, out, o)
		_ = out.Close()
	}()
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(answers); s.Scan(); {
			lines <- s.Text()
		}
	}()
	// A search that is interrupted, and one in the middle of which all ends.
	for _, what := range []string{command, "ping 5", "go", "quit"} {
		if _, err := io.WriteString(commands, what+"\n"); err != nil {
			t.Fatal(err)
		}
		if what == command || what == "go" {
			<-m.began
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	pongs := 0
	for line := range lines {
		if strings.HasPrefix(line, "===") {
			t.Errorf("a move of a search that was interrupted: %q", line)
		}
		if line == "pong 5" {
			pongs++
		}
	}
	if pongs != 1 {
		t.Errorf("%d pongs", pongs)
	}
}

// TestEndOfServer: the end of the context ends the server although nobody says
// anything; readers and writers that fail are reported.
func TestEndOfServer(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	enough := errors.New("enough")
	cancel(enough)
	if err := nboard.Serve(ctx, r, io.Discard, options()); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken")
	r2, w2 := io.Pipe()
	_ = w2.CloseWithError(broken)
	if err := nboard.Serve(t.Context(), r2, io.Discard, options()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	r3, w3 := io.Pipe()
	_ = r3.CloseWithError(broken)
	if err := nboard.Serve(t.Context(), strings.NewReader("ping 1\n"), w3, options()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestOwnClient lets our client play our server, a whole game.
func TestOwnClient(t *testing.T) {
	x := enginetest.Hire(t, opponent.Options{Command: []string{os.Args[0], serveFlag}}, nboard.Dial(1))
	enginetest.WholeGame(t, x)
	if x.Name() != "reversi-board1" {
		t.Errorf("it is called %q", x.Name())
	}
}

// FuzzServer: whatever is sent, every line that comes back begins with a word of
// the protocol.
func FuzzServer(f *testing.F) {
	f.Add("nboard 2\nset depth 1\nset game " + nine + "\nping 1\ngo\nhint 3\nquit\n")
	f.Add("set game " + standard + "\nmove F5//2\nmove pa\ngo\nanalyze\n")
	f.Add("set depth 99999999999999999999\nset game (;\nmove \xff/\nlearn\nping \x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		o := options()
		o.Fixed, o.Depth = true, 1
		if err := nboard.Serve(t.Context(), strings.NewReader(text), &out, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case "pong", "status", "set", "===", "search", "analysis", "learned", "nodestats":
			default:
				t.Errorf("%q does not belong to the protocol", line)
			}
		}
	})
}
