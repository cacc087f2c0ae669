package calibrate_test

import (
	"testing"

	"reversi-board/sensing"
)

// A board without a mistake is good, whatever it is made of and however it is
// walked, and its calibration changes nothing but levels.
func TestGoodBoards(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"default", "hall-128", "hall-128-mcp23017", "hall-analog", "reed-64"} {
		for _, s := range []setup{{}, {quick: true}, {quick: true, discs: 24}, {discs: 20}} {
			s.profile, s.seed = profile, 11
			b := newBench(t, s)
			v, c := b.run(t)
			if !v.Report.Well || told(v.Report) != "" {
				t.Errorf("%s", v.Report.Text())
			}
			want := sensing.Identity(c.Kind, c.Wiring)
			want.Made, want.Levels, want.Measured = c.Made, c.Levels, c.Measured
			if c != want {
				t.Errorf("%+v", c)
			}
		}
	}
}
