//go:build !race

package calibrate_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is wrong with a board of whatever kind, and however it is walked: just
// that is named. And whatever can be corrected is: every square that has not been
// left out reads what lies on it.
func TestRandomDefects(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlanting(rt)
		b := newBench(rt, p.setup)
		b.hand.Hurry()
		v, c := b.run(rt)
		if got, want := strings.Join(heard(v.Report), "\n"), strings.Join(p.want, "\n"); got != want {
			rt.Fatalf("%s quick %v discs %d turned %d, seed %d\n%s\nwant\n%s\n%s", p.profile, p.quick, p.discs, p.turned, p.seed, got, want, v.Report.Text())
		}
		p.readsRight(rt, b, &c)
	})
}
