package opening_test

import (
	"os"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opening"
)

// TestLines: the openings are what XOT promises: eight plies, the first f5, Black
// to move among twelve discs, and no position twice, however it is turned. The
// first of them are XOT's own.
func TestLines(t *testing.T) {
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("testdata/xot-sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	xot := strings.Fields(string(sample))
	lines := opening.Lines()
	if len(lines) != 100 || len(xot) != 22 {
		t.Fatalf("%d openings, want 100; %d of XOT, want 22", len(lines), len(xot))
	}
	seen := map[string]string{}
	for i, text := range lines {
		l, err := notation.ParseTranscript(rules, text)
		if err != nil {
			t.Errorf("opening %d: %v", i+1, err)
			continue
		}
		if i < len(xot) && text != xot[i] {
			t.Errorf("opening %d is %s, want XOT's %s", i+1, text, xot[i])
		}
		if l.Final.Ply() != 8 || len(l.Moves) != 8 || !strings.HasPrefix(text, "f5") ||
			l.Final.Turn != engine.Black || l.Final.Occupied().Count() != 12 {
			t.Errorf("%s: %d plies, %v to move, %d discs", text, l.Final.Ply(), l.Final.Turn, l.Final.Occupied().Count())
		}
		for _, p := range pictures(l.Final.Discs) {
			if other, ok := seen[p]; ok {
				t.Errorf("%s leads to the position of %s", text, other)
			}
		}
		seen[l.Final.String()] = text
	}
}

// TestDraw: chance decides, and can decide for each of them.
func TestDraw(t *testing.T) {
	lines := opening.Lines()
	for i, want := range lines {
		got := opening.Draw(func(n int) int {
			if n != len(lines) {
				t.Fatalf("one of %d, want one of %d", n, len(lines))
			}
			return i
		})
		if got != want {
			t.Errorf("number %d is %s, want %s", i, got, want)
		}
	}
}

// pictures returns a position turned and mirrored, as texts.
func pictures(d engine.Discs) []string {
	var all []string
	for n := range 8 {
		var p engine.Discs
		for s := range d.Occupied().All() {
			file, rank := s.File(), s.Rank()
			if n&1 != 0 {
				file = 7 - file
			}
			if n&2 != 0 {
				rank = 7 - rank
			}
			if n&4 != 0 {
				file, rank = rank, file
			}
			p = p.With(engine.SquareAt(file, rank), d.At(s))
		}
		all = append(all, p.String())
	}
	return all
}
