package notation_test

import (
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// The positions are written out by hand; the parallel one is that of the perft
// table, the opening is the first of the XOT sample.
func TestStarts(t *testing.T) {
	row := func(rows ...string) string {
		return strings.Repeat("-", 24) + strings.Join(rows, "") + strings.Repeat("-", 24)
	}
	tests := []struct {
		text, board string
		turn        engine.Color
	}{
		{"standard", row("---WB---", "---BW---"), engine.Black},
		{"", row("---WB---", "---BW---"), engine.Black},
		{"Parallel", row("---BB---", "---WW---"), engine.Black},
		{"inverted", row("---BW---", "---WB---"), engine.Black},
		{"handicap-1", "B" + row("---WB---", "---BW---")[1:], engine.White},
		{"handicap-4", "B------B" + row("---WB---", "---BW---")[8:56] + "B------B", engine.White},
		{"---------------------------OX------XO--------------------------- O;", row("---WB---", "---BW---"), engine.White},
		{"f5", row("---WB---", "---BBB--"), engine.White},
	}
	for _, tc := range tests {
		p, err := notation.ParseStart(tc.text)
		if err != nil || p.String() != tc.board || p.Turn != tc.turn {
			t.Errorf("%q: %v %v to move, %v; want %s", tc.text, p.Discs, p.Turn, err, tc.board)
		}
	}
	for _, bad := range []string{"nonsense", "f4", "handicap-5", strings.Repeat("-", 64), strings.Repeat("-", 64) + " Z", strings.Repeat("?", 64) + " X"} {
		if p, err := notation.ParseStart(bad); err == nil {
			t.Errorf("%q was read as %v", bad, p)
		}
	}
	xot, err := notation.ParseStart("f5d6c4d3c2b3b4b5")
	if err != nil || xot.Occupied().Count() != 12 || xot.Turn != engine.Black {
		t.Errorf("opening: %v, %v", xot, err)
	}
}
