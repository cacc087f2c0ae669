package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
)

// quoted writes a command line as an argument of match.
func quoted(kind string, words ...string) string {
	return kind + ":'" + strings.Join(words, "' '") + "'"
}

// rhino is the real gtp-rhino as an engine of a match.
func rhino(t *testing.T, args ...string) string {
	t.Helper()
	for _, name := range []string{"gtp-rhino", "/usr/games/gtp-rhino"} {
		if path, err := exec.LookPath(name); err == nil {
			return quoted("gtp", append([]string{path}, args...)...)
		}
	}
	t.Fatal("gtp-rhino is missing: apt-get install grhino")
	return ""
}

// matchJSON runs a match and reads its report.
func matchJSON(t *testing.T, args ...string) matchReport {
	t.Helper()
	got := call(t.Context(), append([]string{"match", "--json"}, args...)...)
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	var r matchReport
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMatchCounts plays a match with the real gtp-rhino and counts again, from
// the moves alone, what the report says.
func TestMatchCounts(t *testing.T) {
	t.Parallel()
	r := matchJSON(t, "builtin:3", rhino(t, "-l", "1"), "--games", "6", "--seed", "9")
	if r.A != "reversi-board level 3" || r.B != "GTP GRhino 0.16.1" || r.Games != 6 || len(r.All) != 6 || r.Openings != 3 {
		t.Fatalf("%+v", r)
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	points, sum := 0.0, 0
	for i, g := range r.All {
		line, err := notation.ParseTranscript(rules, g.Moves)
		if err != nil || !line.Final.Over() || !strings.HasPrefix(g.Moves, g.Opening) || len(g.Opening) != 16 {
			t.Fatalf("game %d: %v, %q", i+1, err, g.Moves)
		}
		if g.Number != i+1 || g.ABlack != (i%2 == 0) || g.Opening != r.All[i&^1].Opening {
			t.Errorf("game %d: %+v: the colors do not alternate over an opening", i+1, g)
		}
		black, white := line.Final.Score()
		if black != g.Black || white != g.White {
			t.Errorf("game %d: %d–%d, want %d–%d", i+1, g.Black, g.White, black, white)
		}
		d := black - white
		if !g.ABlack {
			d = -d
		}
		sum += d
		points += []float64{0, 0.5, 1}[1+sign(d)]
	}
	if r.Points != points || float64(r.Won)+float64(r.Drawn)/2 != points || r.Won+r.Drawn+r.Lost != 6 {
		t.Errorf("points %v of %d, %d, %d; want %v", r.Points, r.Won, r.Drawn, r.Lost, points)
	}
	if r.Difference == nil || math.Abs(*r.Difference-float64(sum)/6) > 1e-9 || r.Margin == nil || *r.Margin <= 0 {
		t.Errorf("difference %v ± %v, want %v", r.Difference, r.Margin, float64(sum)/6)
	}
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// TestMatchRepeats: the same seed gives the same match, another one another.
func TestMatchRepeats(t *testing.T) {
	t.Parallel()
	args := []string{"builtin:2", quoted("nboard", enginetest.Command(enginetest.NTest)...), "--games", "4", "--seed"}
	first, again, other := matchJSON(t, append(args, "5")...), matchJSON(t, append(args, "5")...), matchJSON(t, append(args, "6")...)
	moves := func(r matchReport) (all []string) {
		for _, g := range r.All {
			all = append(all, g.Moves)
		}
		return all
	}
	if !slices.Equal(moves(first), moves(again)) {
		t.Error("the same seed played other games")
	}
	if slices.Equal(moves(first), moves(other)) {
		t.Error("another seed played the same games")
	}
}

// TestMatchForfeits: an engine that misbehaves loses the game with a reason; the
// next game is played.
func TestMatchForfeits(t *testing.T) {
	t.Parallel()
	for fault, reason := range map[string]string{
		"illegal@2": "illegal", "die@2": "exit status 3", "pass@2": "passed although it can move",
	} {
		matchForfeits(t, "gtp", enginetest.Edax, fault, reason)
		matchForfeits(t, "nboard", enginetest.EdaxNBoard, fault, reason)
	}
	got := call(t.Context(), "match", quoted("gtp", enginetest.Command(enginetest.Edax, "illegal@2", "name=Villain")...), "builtin:1", "--games", "2")
	if got.code != exitOK || !strings.Contains(got.stdout, "forfeits         2 by A, 0 by B") ||
		!strings.Contains(got.stdout, "A forfeits: it played ") {
		t.Errorf("%+v", got)
	}
}

func matchForfeits(t *testing.T, kind, fake, fault, reason string) {
	t.Helper()
	villain := quoted(kind, enginetest.Command(fake, fault)...)
	out := filepath.Join(t.TempDir(), "games.ggf")
	r := matchJSON(t, "builtin:1", villain, "--games", "2", "--out", out)
	if r.ForfeitsB != 2 || r.ForfeitsA != 0 || r.Won != 2 || r.Difference != nil {
		t.Fatalf("%s %s: %+v", kind, fault, r)
	}
	for _, g := range r.All {
		if g.Forfeit != "B" || !strings.Contains(g.Reason, reason) {
			t.Errorf("%s %s: %+v, want %q", kind, fault, g, reason)
		}
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(b), "(;GM[Othello]") != 2 || !strings.Contains(string(b), "lost the game") {
		t.Errorf("%s %s: the file says\n%s", kind, fault, b)
	}
}

// TestMatchFiles writes the games in the formats and reads them again.
func TestMatchFiles(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]notation.Format{
		"a.ggf": notation.FormatGGF, "a.sgf": notation.FormatSGF, "a.txt": notation.FormatTranscript,
		"a.pgn": notation.FormatPGN, "a.jsonl": notation.FormatJSON,
	} {
		out := filepath.Join(t.TempDir(), name)
		r := matchJSON(t, "builtin:1", "builtin:2", "--games", "4", "--out", out)
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for g, err := range notation.Read(f, format, notation.ReadOptions{}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n < 4 && notation.Transcript(g.Moves()) != r.All[n].Moves {
				t.Errorf("%s: game %d differs", name, n+1)
			}
			n++
		}
		if n != 4 {
			t.Errorf("%s: %d games", name, n)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// clockwork plays the first legal square and lets time pass.
type clockwork struct {
	now  *time.Duration
	took time.Duration
}

func (clockwork) Name() string                  { return "clockwork" }
func (clockwork) NewGame(context.Context) error { return nil }
func (clockwork) Close() error                  { return nil }

func (c clockwork) Move(_ context.Context, q opponent.Question) (opponent.Answer, error) {
	*c.now += c.took
	g, err := q.Game()
	return opponent.Answer{Square: g.Legal().First()}, err //nolint:wrapcheck // a test
}

// TestMatchClock: whoever needs more time than there is loses; the increment
// comes after every move.
func TestMatchClock(t *testing.T) {
	t.Parallel()
	for clock, late := range map[string]bool{"20": true, "20/2": true, "20/3": false, "5:00": false} {
		f := matchFlags{games: 2, depth: 1, seed: 1, clock: clock}
		m, err := f.match([]string{"builtin:1", "builtin:1"})
		if err != nil {
			t.Fatal(err)
		}
		var now time.Duration
		m.now = func() time.Duration { return now }
		m.sides[0].hire = func(uint64) (opponent.Player, error) { return clockwork{&now, 3 * time.Second}, nil }
		m.sides[1].hire = func(uint64) (opponent.Player, error) { return clockwork{&now, 0}, nil }
		m.done = func(*matchGame, *matchReport) error { return nil }
		r, err := m.play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 2}[late]; r.ForfeitsA != want || r.ForfeitsB != 0 {
			t.Errorf("%s: %d and %d forfeits, want %d and none", clock, r.ForfeitsA, r.ForfeitsB, want)
		}
		if late && r.All[0].Reason != "its time ran out" {
			t.Errorf("%s: %+v", clock, r.All[0])
		}
	}
}

// TestMatchWrongUsage: one line, status 2, no engine started.
func TestMatchWrongUsage(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("# openings\nf5d6\nf5f5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "want two engines"},
		{[]string{"builtin:1"}, "want two engines"},
		{[]string{"builtin:0", "builtin:1"}, "want builtin:1 to builtin:10"},
		{[]string{"builtin", "builtin:1"}, "want builtin:1 to builtin:10"},
		{[]string{"uci:x", "builtin:1"}, "is no engine"},
		{[]string{"gtp:", "builtin:1"}, "want the command"},
		{[]string{"gtp:'x", "builtin:1"}, "is not closed"},
		{[]string{"builtin:1", "builtin:1", "--games", "3"}, "an even number"},
		{[]string{"builtin:1", "builtin:1", "--depth", "0"}, "--depth 0"},
		{[]string{"builtin:1", "builtin:1", "--clock", "soon"}, "--clock"},
		{[]string{"builtin:1", "builtin:1", "--clock", "5:00", "--time", "1s"}, "not with --clock"},
		{[]string{"builtin:1", "builtin:1", "--time", "-1s"}, "positive --time"},
		{[]string{"builtin:1", "builtin:1", "--wait", "-1s"}, "positive --wait"},
		{[]string{"builtin:1", "builtin:1", "--clock", "5:00", "--wait", "1s"}, "not with --clock"},
		{[]string{"builtin:1", "builtin:1", "--at-least", "101"}, "--at-least 101"},
		{[]string{"builtin:1", "builtin:1", "--at-least", "NaN"}, "--at-least NaN"},
		{[]string{"builtin:1", "builtin:1", "--progress", "-1"}, "--progress -1"},
		{[]string{"builtin:1", "builtin:1", "--brief", "--json"}, "either --brief or --json"},
		{[]string{"builtin:1", "random:7"}, "random stands alone"},
		{[]string{"builtin:1", "builtin:1", "--openings", bad}, "line 3"},
		{[]string{"builtin:1", "builtin:1", "--openings", bad + ".no"}, "--openings"},
		{[]string{"builtin:1", "builtin:1", "--to", "ggf"}, "--out"},
		{[]string{"builtin:1", "builtin:1", "--out", "x", "--to", "gtp"}, "not written"},
	} {
		got := call(t.Context(), append([]string{"match"}, test.args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, test.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %+v, want %q", test.args, got, test.want)
		}
	}
	got := call(t.Context(), "match", "gtp:/nowhere/at-all", "builtin:1")
	if got.code != exitError || !strings.Contains(got.stderr, "start A") || !strings.Contains(got.stderr, "cannot be started") {
		t.Errorf("a program that is not there: %+v", got)
	}
}

// TestMatchInterrupt: what has been played is reported and kept.
func TestMatchInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := matchFlags{games: 100, depth: 1, seed: 1}
	m, err := f.match([]string{"builtin:1", "builtin:1"})
	if err != nil {
		t.Fatal(err)
	}
	m.done = func(_ *matchGame, r *matchReport) error {
		if r.Games == 3 {
			cancel()
		}
		return nil
	}
	r, err := m.play(ctx)
	if err == nil || r.Games != 3 {
		t.Errorf("%d games, %v", r.Games, err)
	}
}

// TestConfidence compares with numbers worked out by hand, and the quantiles
// with a printed table.
func TestConfidence(t *testing.T) {
	// Mean 5, standard deviation √(32/7), n 8: 2.365 · 2.13809 / √8.
	mean, margin, ok := confidence([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	if !ok || mean != 5 || math.Abs(margin-1.7878) > 0.001 {
		t.Errorf("%v ± %v, want 5 ± 1.788", mean, margin)
	}
	if _, _, ok := confidence([]float64{1}); ok {
		t.Error("one value has an interval")
	}
	for degrees, want := range map[int]float64{1: 12.706, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980} {
		if got := student(degrees); math.Abs(got-want) > 0.0006 {
			t.Errorf("t(%d) = %v, want %v", degrees, got, want)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         nil,
		"  gtp-rhino   -l 5 ":      {"gtp-rhino", "-l", "5"},
		`'/a b/c' "d 'e" f'g h'""`: {"/a b/c", "d 'e", "fg h"},
		`a '' b`:                   {"a", "", "b"},
	} {
		if got, err := splitCommand(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}
