package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/search"
)

// sample are openings of XOT, which other programs have judged.
const sample = "../../notation/testdata/xot-sample.txt"

// made runs the program and returns its lines.
func made(t *testing.T, args ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	return strings.Fields(out.String())
}

func TestOpeningsKeepTheRule(t *testing.T) {
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	list := made(t, "-n", "30", "-depth", "4")
	seen := map[engine.Discs]string{}
	for _, text := range list {
		l, err := notation.ParseTranscript(rules, text)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Moves) != 8 || !strings.HasPrefix(text, "f5") || l.Final.Turn != engine.Black || l.Final.Occupied().Count() != 12 {
			t.Errorf("%s: %d plies, %v to move, %d discs", text, len(l.Moves), l.Final.Turn, l.Final.Occupied().Count())
		}
		if other, ok := seen[l.Final.Discs]; ok {
			t.Errorf("%s and %s lead to the same position", text, other)
		}
		seen[l.Final.Discs] = text
	}
	if len(seen) != 30 {
		t.Errorf("%d openings", len(seen))
	}
}

func TestTheSameSeedMakesTheSameOpenings(t *testing.T) {
	first := made(t, "-n", "5", "-depth", "4")
	if again := made(t, "-n", "5", "-depth", "4"); !slices.Equal(first, again) {
		t.Errorf("%v and %v", first, again)
	}
	if other := made(t, "-n", "5", "-depth", "4", "-seed", "2"); slices.Equal(first, other) {
		t.Error("another seed makes no difference")
	}
}

// TestKnownOpeningsAreSkipped: what is in the file is not made again.
func TestKnownOpeningsAreSkipped(t *testing.T) {
	first := made(t, "-n", "5", "-depth", "4")
	file := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(file, []byte("# known\n\n"+strings.Join(first, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range made(t, "-n", "5", "-depth", "4", file) {
		if slices.Contains(first, text) {
			t.Errorf("%s is made again", text)
		}
	}
}

// TestPicturesAreOnePosition: the four first moves lead to the same position but
// for its direction, and f5d6 to another one than f5f6.
func TestPicturesAreOnePosition(t *testing.T) {
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	picture := func(text string) engine.Position {
		l, err := notation.ParseTranscript(rules, text)
		if err != nil {
			t.Fatal(err)
		}
		return l.Final.Canonical()
	}
	for _, other := range []string{"e6f4", "c4e3", "d3c5"} {
		if picture("f5d6") != picture(other) {
			t.Errorf("f5d6 and %s are not the same", other)
		}
	}
	if picture("f5d6") == picture("f5f6") {
		t.Error("f5d6 and f5f6 are the same")
	}
}

// TestTheJudgeAgreesWithOthers: what XOT's programs found even within two discs
// is about even here, less deep than in earnest.
func TestTheJudgeAgreesWithOthers(t *testing.T) {
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{depth: 8, within: 4, search: search.New(search.Options{Depth: 8})}
	for text := range strings.FieldsSeq(string(b)) {
		l, err := notation.ParseTranscript(rules, text)
		if err != nil {
			t.Fatal(err)
		}
		if even, err := m.even(t.Context(), l.Final); err != nil || !even {
			t.Errorf("%s: even %t, %v", text, even, err)
		}
	}
	// The shortest game: with e7 Black turns the last white discs.
	won, err := notation.ParseTranscript(rules, "f5d6c5f4e3f6g5e6")
	if err != nil {
		t.Fatal(err)
	}
	if even, err := m.even(t.Context(), won.Final); err != nil || even {
		t.Errorf("a game that is won at once: even %t, %v", even, err)
	}
}

func TestWrongUsage(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("f5f5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-n", "0"}, {"-depth", "0"}, {"-within", "0"}, {"-n", "x"}, {"a", "b"}, {bad}, {bad + ".no"},
	} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// TestThereIsAnEnd: more than there are cannot be made.
func TestThereIsAnEnd(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{"-n", "1000000", "-depth", "1", "-within", "0.1"}, &out)
	if err == nil || !strings.Contains(err.Error(), "no more openings") || out.Len() == 0 {
		t.Errorf("%v, after %d bytes", err, out.Len())
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, nil, &bytes.Buffer{}); err == nil {
		t.Error("no error")
	}
}
