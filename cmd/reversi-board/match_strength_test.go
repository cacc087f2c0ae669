package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/enginetest"
)

// TestMatchRandom: a random mover plays whole games by the rules, the same ones
// with the same seed, and others in every pair of games.
func TestMatchRandom(t *testing.T) {
	t.Parallel()
	args := []string{"random", "random", "--games", "100", "--seed"}
	first, again, other := matchJSON(t, append(args, "5")...), matchJSON(t, append(args, "5")...), matchJSON(t, append(args, "6")...)
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, g := range first.All {
		line, err := notation.ParseTranscript(rules, g.Moves)
		if err != nil || !line.Final.Over() || g.Forfeit != "" {
			t.Fatalf("game %d: %v, %+v", i+1, err, g)
		}
		if g.Moves != again.All[i].Moves {
			t.Errorf("game %d: the same seed played another one", i+1)
		}
		if g.Moves == other.All[i].Moves {
			t.Errorf("game %d: another seed played the same", i+1)
		}
		seen[g.Moves] = true
	}
	if first.A != "random" || len(seen) != 100 {
		t.Errorf("%q, %d different games", first.A, len(seen))
	}
}

// TestRandomIsEven: after f5 there are three moves, each as likely as the others;
// in 3000 draws five standard deviations of a third are 130.
func TestRandomIsEven(t *testing.T) {
	t.Parallel()
	p, err := randomSide().hire(1)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	line, err := notation.ParseTranscript(rules, "f5")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for range 3000 {
		a, err := p.Move(t.Context(), opponent.Question{Rules: rules, Moves: line.Moves})
		if err != nil {
			t.Fatal(err)
		}
		counts[a.Square.String()]++
	}
	for _, s := range []string{"d6", "f4", "f6"} {
		if n := counts[s]; n < 1000-130 || n > 1000+130 {
			t.Errorf("%s %d times", s, n)
		}
	}
	if len(counts) != 3 {
		t.Errorf("%v", counts)
	}
}

// TestRandomIsNotAsked: where there is no move, chance has none either.
func TestRandomIsNotAsked(t *testing.T) {
	t.Parallel()
	p, err := randomSide().hire(1)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	// The shortest game: White has lost all discs.
	line, err := notation.ParseTranscript(rules, "f5d6c5f4e3f6g5e6e7")
	if err != nil || !line.Final.Over() {
		t.Fatalf("%v, over: %t", err, line.Final.Over())
	}
	if _, err := p.Move(t.Context(), opponent.Question{Rules: rules, Moves: line.Moves}); !errors.Is(err, opponent.ErrNotAsked) {
		t.Errorf("%v, want ErrNotAsked", err)
	}
	if _, err := p.Move(t.Context(), opponent.Question{Rules: rules, Moves: []engine.Move{engine.At(0)}}); err == nil {
		t.Error("an illegal history was taken")
	}
}

// asked notes the bound of the first question, and then plays a legal move.
type asked struct {
	clockwork
	limit *time.Duration
}

func (a asked) Move(ctx context.Context, q opponent.Question) (opponent.Answer, error) {
	*a.limit = q.Clock.Limit
	return a.clockwork.Move(ctx, q)
}

// TestMatchLimits: --time bounds other programs as well, unless --wait does. The
// built-in player has been told when it was hired, so that it may use all of it.
func TestMatchLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		time, wait time.Duration
		want       time.Duration
	}{
		{"gtp:x", 2 * time.Second, 0, 2 * time.Second},
		{"nboard:x", 2 * time.Second, 0, 2 * time.Second},
		{"gtp:x", 2 * time.Second, 30 * time.Second, 0},
		{"gtp:x", 0, 0, 0},
		{"builtin:10", 2 * time.Second, 0, 0},
		{"random", 2 * time.Second, 0, 0},
	} {
		f := matchFlags{games: 2, depth: 1, seed: 1, time: test.time, wait: test.wait}
		m, err := f.match([]string{test.name, "random"})
		if err != nil {
			t.Fatal(err)
		}
		var now, limit time.Duration
		m.sides[0].start = m.sides[1].start
		m.sides[0].hire = func(uint64) (opponent.Player, error) { return asked{clockwork{&now, 0}, &limit}, nil }
		m.done = func(*matchGame, *matchReport) error { return nil }
		if _, err := m.play(t.Context()); err != nil {
			t.Fatal(err)
		}
		if limit != test.want {
			t.Errorf("%s with --time %v --wait %v: asked with a limit of %v, want %v", test.name, test.time, test.wait, limit, test.want)
		}
	}
}

// TestMatchWait: a program that is silent for longer than --wait forfeits.
func TestMatchWait(t *testing.T) {
	t.Parallel()
	silent := quoted("gtp", enginetest.Command(enginetest.Edax, "silent@1")...)
	r := matchJSON(t, "builtin:1", silent, "--games", "2", "--time", "1h", "--wait", "300ms")
	for _, g := range r.All {
		if g.Forfeit != "B" || !strings.Contains(g.Reason, "it was silent for 300ms") {
			t.Errorf("%+v", g)
		}
	}
}

// TestMatchAtLeast: a bar that is missed is an error, told in one sentence after
// the report.
func TestMatchAtLeast(t *testing.T) {
	t.Parallel()
	got := call(t.Context(), "match", "random", "builtin:5", "--games", "4", "--at-least", "50")
	if got.code != exitError || !strings.Contains(got.stdout, "0 won, 0 drawn, 4 lost: 0.0 %") ||
		got.stderr != "reversi-board match: random as A scored 0.0 %, less than the 50 % asked for\n" {
		t.Errorf("%+v", got)
	}
	got = call(t.Context(), "match", "random", "builtin:5", "--games", "2", "--at-least", "50", "--brief")
	if got.code != exitError || !strings.HasSuffix(got.stdout, " MISSED: at least 50 %\n") {
		t.Errorf("%+v", got)
	}
	got = call(t.Context(), "match", "builtin:5", "random", "--games", "2", "--at-least", "50", "--brief")
	if got.code != exitOK || !strings.HasSuffix(got.stdout, " (at least 50 %)\n") {
		t.Errorf("%+v", got)
	}
	// A bar that is just reached is reached.
	got = call(t.Context(), "match", "builtin:5", "random", "--games", "4", "--at-least", "100")
	if got.code != exitOK || got.stderr != "" {
		t.Errorf("%+v", got)
	}
}

// TestMatchProgress: lines on standard error, also where there is no terminal.
func TestMatchProgress(t *testing.T) {
	t.Parallel()
	got := call(t.Context(), "match", "builtin:5", "random", "--games", "6", "--progress", "4")
	if want := "builtin:5 against random: 4 of 6 games: 4 won, 0 drawn, 0 lost\n"; got.code != exitOK || got.stderr != want {
		t.Errorf("%+v, want %q", got, want)
	}
}

// TestMatchBrief: the one line says what the report says.
func TestMatchBrief(t *testing.T) {
	t.Parallel()
	args := []string{"builtin:2", "builtin:1", "--games", "10"}
	r := matchJSON(t, args...)
	got := call(t.Context(), append([]string{"match", "--brief"}, args...)...)
	want := []string{
		"builtin:2", "builtin:1", "10", "games", fmt.Sprintf("%.1f", r.Points*10), "%",
		fmt.Sprint(r.Won), "won", fmt.Sprint(r.Drawn), "drawn", fmt.Sprint(r.Lost), "lost",
		fmt.Sprintf("%+.2f", *r.Difference), "±", fmt.Sprintf("%.2f", *r.Margin), "discs",
	}
	if got.code != exitOK || !slices.Equal(strings.Fields(got.stdout), want) || strings.Count(got.stdout, "\n") != 1 {
		t.Errorf("%+v, want %q", got, want)
	}
	illegal := quoted("gtp", enginetest.Command(enginetest.Edax, "illegal@1")...)
	got = call(t.Context(), "match", "--brief", "builtin:1", illegal, "--games", "2")
	if !strings.HasSuffix(got.stdout, "forfeits: 0 by A, 2 by B\n") {
		t.Errorf("%+v", got)
	}
}
