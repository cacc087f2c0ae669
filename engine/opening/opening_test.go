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
	seen := map[engine.Position]string{}
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
		position := l.Final.Canonical()
		if other, ok := seen[position]; ok {
			t.Errorf("%s leads to the position of %s", text, other)
		}
		seen[position] = text
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
