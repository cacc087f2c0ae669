package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/configs"
	"reversi-board/engine"
)

// mistake is a fault that can be drawn, and what must be told about it.
type mistake struct {
	kind string
	// on are the profiles on which it can be.
	on []string
	// told returns the problem, given square or other name.
	told func(profile, where string) string
}

func mistakes() []mistake {
	const digital, mcp, analog, reed = "hall-128", "hall-128-mcp23017", "hall-analog", "reed-64"
	cell := func(cause string) func(string, string) string {
		return func(_, where string) string { return "cell " + where + " " + cause }
	}
	return []mistake{
		{"dead", []string{digital, mcp, analog, reed}, func(profile, where string) string {
			if profile == analog {
				return "cell " + where + " low"
			}
			return "cell " + where + " dead"
		}},
		{"reversed", []string{digital, mcp, analog}, cell("reversed")},
		{"stuck", []string{digital, mcp, analog}, func(profile, where string) string {
			if profile == analog {
				return "cell " + where + " low"
			}
			return "cell " + where + " stuck_black"
		}},
		{"both", []string{digital, mcp, analog}, func(profile, where string) string {
			if profile == analog {
				return "cell " + where + " high"
			}
			return "cell " + where + " both"
		}},
		{"flapping", []string{digital, mcp}, cell("flapping")},
		{"weak", []string{analog}, cell("weak")},
		{"closed", []string{reed}, cell("closed")},
		{"diode", []string{reed}, cell("dead")},
		{"shorted", []string{reed}, cell("shorted")},
		{"led", []string{digital, mcp, analog, reed}, func(_, where string) string { return "led " + where + " dead" }},
	}
}

// Whatever is broken by chance is named, and nothing else is.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	runs := few()
	rapid.Check(t, func(t *rapid.T) {
		if !runs() {
			return
		}
		// The board that measures takes ten times as long as the others.
		profile := "hall-analog"
		if rapid.IntRange(0, 15).Draw(t, "common") > 0 {
			profile = rapid.SampledFrom([]string{"hall-128", "hall-128-mcp23017", "reed-64"}).Draw(t, "profile")
		}
		broken, expect := draw(t, profile)
		x := examine(t, setup{
			profile: profile, broken: strings.Join(broken, ","),
			change: func(c *configs.Config) { c.Hardware.Simulation.Seed = rapid.Uint64Range(0, 1<<32-1).Draw(t, "seed") },
		})
		if x.err != nil || told(x.report) != want(expect...) {
			t.Errorf("%s %v: %v: %s, want %s", profile, broken, x.err, told(x.report), want(expect...))
		}
		if x.report.OK != (len(expect) == 0) {
			t.Errorf("ok is %v", x.report.OK)
		}
		explained(t, x.report)
	})
}

// few lets all runs of a property go on, but under the race detector only some: a
// board on a virtual clock has one goroutine, and there is nothing to be found.
func few() (goOn func() bool) {
	n := 0
	return func() bool {
		n++
		return !raceDetector || n <= 3
	}
}

// draw draws faults of a board, and what must be told about them.
func draw(t *rapid.T, profile string) (broken, expect []string) {
	possible := slices.DeleteFunc(mistakes(), func(m mistake) bool { return !slices.Contains(m.on, profile) })
	matrix := false
	for _, s := range rapid.SliceOfNDistinct(rapid.IntRange(0, 63), 0, 5, rapid.ID).Draw(t, "squares") {
		m := rapid.SampledFrom(possible).Draw(t, "mistake")
		// Two bad diodes, or one beside a contact that never opens, can hide each
		// other; two lights at the end of a chain are the end of it.
		is := m.kind == "closed" || m.kind == "shorted"
		if is && matrix || m.kind == "led" && s >= 62 {
			continue
		}
		matrix = matrix || is
		name := engine.Square(s).String()
		broken = append(broken, m.kind+":"+name)
		expect = append(expect, m.told(profile, name))
	}
	return broken, expect
}

// Two squares anywhere that have each other's wires are named as a pair, and a
// chip anywhere that does not answer takes its squares with it, without each of
// them being blamed.
func TestRandomWiring(t *testing.T) {
	t.Parallel()
	runs := few()
	rapid.Check(t, func(t *rapid.T) {
		if !runs() {
			return
		}
		profile := rapid.SampledFrom([]string{"hall-128", "hall-128-mcp23017", "reed-64"}).Draw(t, "profile")
		pair := rapid.SliceOfNDistinct(rapid.IntRange(0, 63), 2, 2, rapid.ID).Draw(t, "pair")
		slices.Sort(pair)
		a, b := engine.Square(pair[0]), engine.Square(pair[1])
		broken := fmt.Sprintf("exchanged:%v-%v", a, b)
		expect := []string{fmt.Sprintf("cell %v and %v exchanged", a, b)}
		if profile == "hall-128" {
			chip := rapid.IntRange(0, 7).Draw(t, "chip")
			if chip != a.Rank() && chip != b.Rank() {
				broken += fmt.Sprintf(",missing:0x%02x", 0x20+chip)
				expect = append(expect, fmt.Sprintf("chip 0x%02x missing", 0x20+chip))
			}
		}
		x := examine(t, setup{profile: profile, broken: broken, only: "bus,chips,cells"})
		if x.err != nil || told(x.report) != want(expect...) {
			t.Errorf("%s %s: %v: %s, want %s", profile, broken, x.err, told(x.report), want(expect...))
		}
	})
}
