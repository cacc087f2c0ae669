package gtp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/engine/opponent/gtp"
)

// session sends lines to a server and returns its answers, one for each command.
func session(t *testing.T, o gtp.ServerOptions, commands ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := gtp.Serve(t.Context(), strings.NewReader(strings.Join(commands, "\n")+"\n"), &out, o); err != nil {
		t.Fatal(err)
	}
	return answers(out.String())
}

// answers cuts what was written into answers, which end with an empty line.
func answers(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
}

// TestSession goes through the protocol, draft 2.
func TestSession(t *testing.T) {
	steps := []struct{ command, want string }{
		{"protocol_version", "= 2"},
		{"name", "= reversi-board"},
		{"12 version", "=12 test"},
		{"  7   name  # who are you?", "=7 reversi-board"},
		{"na\x01me\r", "= reversi-board"},
		{"known_command play", "= true"},
		{"known_command fly", "= false"},
		{"fly", "? unknown command"},
		{"3", "?3 unknown command"},
		{"4 fly", "?4 unknown command"},
		{"known_command", "? syntax error"},
		{"boardsize 19", "? unacceptable size"},
		{"boardsize x", "? boardsize not an integer"},
		{"boardsize 8", "="},
		{"clear_board", "="},
		{"komi 0.5", "="},
		{"komi x", "? komi not a float"},
		{"undo", "? cannot undo"},
		{"play black a1", "? illegal move"},
		{"play white f5", "? illegal move: it is the turn of black"},
		{"play red f5", "? invalid color"},
		{"play black j9", "? invalid coordinate"},
		{"play black", "? syntax error"},
		{"play black pass", "? illegal move: there is no pass for black"},
		{"PLAY black f5", "? unknown command"},
		{"play B F5", "="},
		{"play w d6", "="},
		{"final_score", "? cannot score"},
		{"time_settings 60 10 5", "="},
		{"time_settings 0 0 0", "="},
		{"time_settings 1 2", "? syntax error"},
		{"time_settings -1 0 0", "? syntax error"},
		{"time_settings 99999999999999999999 0 0", "? syntax error"},
		{"time_left w 12 0", "="},
		{"time_left b 12 0", "="},
		{"time_left pink 12 0", "? invalid color"},
		{"genmove white", "? illegal move: it is the turn of black"},
		{"undo", "="},
		{"play black c4", "? illegal move: it is the turn of white"},
		{"play w d6", "="},
		{"play b c5", "="},
		{"play w f6", "="},
		{"play b e7", "="},
		{"play w f4", "="},
		{"play b g5", "="},
		{"play w e6", "="},
		{"play b e3", "="},
		{"final_score", "= B+64"},
		{"genmove w", "= pass"},
		{"reg_genmove b", "= pass"},
		{"play w a1", "? illegal move: the game is over"},
		{"undo", "="},
		{"final_score", "? cannot score"},
		{"reversi-set_level 3", "="},
		{"reversi-set_level 11", "? level 11: want 1 to 10"},
		{"reversi-set_level much", "? level not an integer"},
		{"quit", "="},
		{"name", ""},
	}
	var commands []string
	for _, s := range steps {
		commands = append(commands, s.command)
	}
	got := session(t, options(), commands...)
	for i, s := range steps {
		switch {
		case s.want == "":
			if len(got) > i {
				t.Errorf("after quit: %q", got[i:])
			}
		case i >= len(got):
			t.Fatalf("%q has no answer", s.command)
		case got[i] != s.want:
			t.Errorf("%q: %q, want %q", s.command, got[i], s.want)
		}
	}
}

// TestEmptyLines: empty lines, comments and control characters have no answer.
func TestEmptyLines(t *testing.T) {
	if got := session(t, options(), "", "# nothing", " \t ", "\x01", "name", ""); len(got) != 1 || got[0] != "= reversi-board" {
		t.Errorf("%q", got)
	}
}

// TestPasses: a forced pass may be sent, or left out by the controller; genmove
// for the blocked side says it, for the other side implies it. Undo takes back
// one command each.
func TestPasses(t *testing.T) {
	// White is blocked after the last disc.
	const moves = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3"
	q := enginetest.Question(t, moves)
	play := []string{"clear_board"}
	turn := engine.Black
	for _, m := range q.Moves {
		if m != engine.PassMove {
			play = append(play, "play "+turn.String()+" "+m.String())
		}
		turn = turn.Opponent()
	}
	g, err := q.Game()
	if err != nil || g.Turn != engine.Black {
		t.Fatal(g.Turn, err)
	}
	next := g.Legal().First().String()
	for name, test := range map[string]struct{ commands, want []string }{
		"said":      {[]string{"play white pass", "play black " + next}, []string{"=", "="}},
		"left out":  {[]string{"play black " + next}, []string{"="}},
		"asked":     {[]string{"genmove white", "play black " + next}, []string{"= pass", "="}},
		"not asked": {[]string{"reg_genmove white", "play black " + next}, []string{"= pass", "="}},
		"taken back": {
			[]string{"play white pass", "play black " + next, "undo", "undo", "play white pass", "play black pass"},
			[]string{"=", "=", "=", "=", "=", "? illegal move: there is no pass for black"},
		},
		"taken back at once": {
			[]string{"play black " + next, "undo", "play white pass"},
			[]string{"=", "=", "="},
		},
		"illegal after a pass": {
			[]string{"play black a1", "play white pass"},
			[]string{"? illegal move", "="},
		},
	} {
		got := session(t, options(), append(slices.Clip(play), test.commands...)...)
		if got := got[len(play):]; strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestSameAsRhino sends the same commands to gtp-rhino and to our server: both
// take and refuse the same, and agree about the score.
func TestSameAsRhino(t *testing.T) {
	commands := []string{
		"protocol_version", "boardsize 8", "boardsize 10", "clear_board", "play black f5", "play black f6", "play white a1",
		"play w d6", "undo", "undo", "undo", "fly", "time_settings 60 0 0", "time_left black 60 0", "final_score",
		"play b f5", "play w d6", "play b c5", "play w f6", "play b e7", "play w f4", "play b g5", "play w e6", "play b e3",
		"final_score", "genmove b", "genmove w", "quit",
	}
	line := rhino(t)
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := answers(string(out)), session(t, options(), commands...)
	if len(theirs) != len(commands) || len(ours) != len(commands) {
		t.Fatalf("%d and %d answers to %d commands", len(theirs), len(ours), len(commands))
	}
	for i, c := range commands {
		same := theirs[i][0] == ours[i][0]
		if theirs[i][0] == '=' {
			same = theirs[i] == ours[i]
		}
		if !same {
			t.Errorf("%q: gtp-rhino says %q, we say %q", c, theirs[i], ours[i])
		}
	}
}

// TestOwnClient lets our client play our server, a whole game.
func TestOwnClient(t *testing.T) {
	x := hire(t, os.Args[0], serveFlag)
	enginetest.WholeGame(t, x)
	if x.Name() != "reversi-board test" {
		t.Errorf("it is called %q", x.Name())
	}
}

// watcher notes the clock of the questions.
type watcher struct {
	opponent.Player
	now   *time.Duration
	took  time.Duration
	asked []opponent.Clock
}

func (w *watcher) Move(ctx context.Context, q opponent.Question) (opponent.Answer, error) {
	w.asked = append(w.asked, q.Clock)
	*w.now += w.took
	return w.Player.Move(ctx, q) //nolint:wrapcheck // a test
}

// TestClock: what the player is told of the time.
func TestClock(t *testing.T) {
	const s = time.Second
	for name, test := range map[string]struct {
		commands []string
		want     []opponent.Clock
	}{
		"none": {[]string{"genmove b"}, []opponent.Clock{{}}},
		// The protocol's way to say that there is no limit.
		"no limit": {[]string{"time_settings 0 1 0", "genmove b"}, []opponent.Clock{{}}},
		"main time": {[]string{"time_settings 60 0 0", "genmove b", "genmove w", "genmove b"}, []opponent.Clock{
			{Main: 60 * s, Left: [2]time.Duration{60 * s, 60 * s}},
			{Main: 60 * s, Left: [2]time.Duration{57 * s, 60 * s}},
			{Main: 60 * s, Left: [2]time.Duration{57 * s, 57 * s}},
		}},
		"time left": {[]string{"time_settings 60 0 0", "time_left b 9 0", "genmove b"}, []opponent.Clock{
			{Main: 60 * s, Left: [2]time.Duration{9 * s, 60 * s}},
		}},
		"byo yomi": {[]string{"time_settings 0 20 4", "genmove b", "genmove w", "genmove b"}, []opponent.Clock{
			{Limit: 5 * s}, {Limit: 5 * s}, {Limit: 17 * s / 3},
		}},
		"both": {[]string{"time_settings 2 20 4", "genmove b", "genmove w", "genmove b"}, []opponent.Clock{
			{Main: 2 * s, Left: [2]time.Duration{2 * s, 2 * s}, Increment: 5 * s},
			{Main: 2 * s, Left: [2]time.Duration{20 * s, 2 * s}, Increment: 5 * s},
			{Limit: 5 * s},
		}},
		"stones left": {[]string{"time_left b 6 3", "genmove b"}, []opponent.Clock{{Limit: 2 * s}}},
	} {
		var now time.Duration
		var w *watcher
		o := options()
		o.Now = func() time.Duration { return now }
		hire := o.Hire
		o.Hire = func(level int) (opponent.Player, error) {
			p, err := hire(level)
			w = &watcher{Player: p, now: &now, took: 3 * s}
			return w, err
		}
		session(t, o, test.commands...)
		if len(w.asked) != len(test.want) {
			t.Errorf("%s: asked %d times", name, len(w.asked))
			continue
		}
		for i, want := range test.want {
			if w.asked[i] != want {
				t.Errorf("%s: question %d has the clock %+v, want %+v", name, i, w.asked[i], want)
			}
		}
	}
}

// TestEndOfServer: the end of the context ends the server although nobody says
// anything, and a reader that fails is reported.
func TestEndOfServer(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	enough := errors.New("enough")
	cancel(enough)
	if err := gtp.Serve(ctx, r, io.Discard, options()); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken")
	r2, w2 := io.Pipe()
	_ = w2.CloseWithError(broken)
	if err := gtp.Serve(t.Context(), r2, io.Discard, options()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// FuzzServer: whatever is sent, every answer is well formed, and the server goes
// on.
func FuzzServer(f *testing.F) {
	f.Add("1 play b f5\nundo\ngenmove w\nshowboard\nquit\n")
	f.Add("time_settings 1 2 3\ntime_left b 3 1\ngenmove b\ngenmove b\nreg_genmove w\n")
	f.Add("clear_board\nkomi 1e400\n\x00\xff\tname\r\n#\n=\n\n12\n")
	f.Add("play b pass\nplay w PASS\nknown_command \xc3\x28\nlist_commands")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := gtp.Serve(t.Context(), strings.NewReader(text), &out, options()); err != nil {
			t.Fatal(err)
		}
		if out.Len() == 0 {
			return
		}
		if !strings.HasSuffix(out.String(), "\n\n") {
			t.Fatalf("the last answer has no end: %q", out.String())
		}
		for _, a := range answers(out.String()) {
			if a == "" || a[0] != '=' && a[0] != '?' {
				t.Errorf("%q is no answer", a)
			}
		}
	})
}
