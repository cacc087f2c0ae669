package notation_test

import (
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func TestParseRules(t *testing.T) {
	const (
		standard = "---------------------------WB------BW---------------------------"
		parallel = "---------------------------BB------WW---------------------------"
		inverted = "---------------------------BW------WB---------------------------"
		empty    = "----------------------------------------------------------------"
	)
	tests := []struct {
		variant, start, first string
		board                 string
		turn                  engine.Color
	}{
		{"classic", "", "", standard, engine.Black},
		{"classic", "standard", "white", standard, engine.White},
		{"white-first", "standard", "auto", standard, engine.White},
		{"white-first", "standard", "black", standard, engine.Black},
		{"white-first", "parallel", "auto", parallel, engine.White},
		{"reverse", "Inverted", "auto", inverted, engine.Black},
		{"historic", "", "auto", empty, engine.Black},
		{"historic", "standard", "white", empty, engine.White},
		{"custom", "handicap-1", "auto", "B" + standard[1:], engine.White},
		{"custom", "handicap-1", "black", "B" + standard[1:], engine.Black},
		{"custom", standard + " O", "auto", standard, engine.White},
		// Black's f5 turns e5.
		{"festival", "f5", "auto", "---------------------------WB------BBB--------------------------", engine.White},
	}
	for _, tc := range tests {
		r, err := notation.ParseRules(tc.variant, tc.start, tc.first)
		if err != nil {
			t.Errorf("%s %s %s: %v", tc.variant, tc.start, tc.first, err)
			continue
		}
		if r.Name != tc.variant || r.Start.String() != tc.board || r.Start.Turn != tc.turn {
			t.Errorf("%s %s %s: %s from %v, %v begins; want %s, %v", tc.variant, tc.start, tc.first,
				r.Name, r.Start.Discs, r.Start.Turn, tc.board, tc.turn)
		}
	}
}

func TestRulesThatDoNotGoTogether(t *testing.T) {
	for _, tc := range []struct{ variant, start, first, says string }{
		{"chess", "", "", "unknown variant"},
		{"historic", "parallel", "", "takes no other start"},
		{"custom", "sideways", "", "is no start"},
		{"custom", "", "nobody", "cannot begin"},
		{"custom", strings.Repeat("X", 64) + " X", "", "nobody can move"},
		{"custom", "f5d6c5f6e7f4g5e6e3", "", "nobody can move"}, // White is wiped out
	} {
		if _, err := notation.ParseRules(tc.variant, tc.start, tc.first); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s %s %s: error %v, want one with %q", tc.variant, tc.start, tc.first, err, tc.says)
		}
	}
}

// FuzzParseRules: whatever is asked for, either it is refused or somebody can
// move in it.
func FuzzParseRules(f *testing.F) {
	for _, seed := range [][3]string{
		{"classic", "standard", "auto"},
		{"historic", "", "white"},
		{"custom", "handicap-4", "black"},
		{"custom", "f5d6c3", ""},
		{"custom", strings.Repeat("-", 63) + "X O", "auto"},
		{"white-first", "inverted", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, variant, start, first string) {
		r, err := notation.ParseRules(variant, start, first)
		if err != nil {
			return
		}
		if engine.NewGame(r).Over() || r.Start.Black&r.Start.White != 0 || r.Start.Turn > engine.White {
			t.Errorf("%q %q %q gives a game that nobody can play: %+v", variant, start, first, r)
		}
	})
}
