package soak

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/engine/referee"
)

// stormy returns the options of games in a storm of everything that a board of
// a built-in profile can have.
func stormy(t *testing.T, name string, games int, seed uint64) Options {
	t.Helper()
	c := profile(t, name)
	kinds, err := ParseFaults(allFaults, c)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Config: c, Random: games, Seed: seed, Faults: kinds}
}

// Whole games are right whatever fails meanwhile, and every fault is told of.
// TestStorms plays more of them, without the race detector.
func TestStorm(t *testing.T) {
	for _, name := range []string{"hall-128.yaml", "reed-64.yaml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := stormy(t, name, 1, 4)
			report, outcomes := playAll(t, o)
			if report.Failed() {
				t.Errorf("%+v", report)
			}
			sum := 0
			for kind, n := range report.Faults {
				sum += n
				if !slices.Contains(o.Faults, kind) {
					t.Errorf("a fault %q, which the board cannot have", kind)
				}
			}
			if sum < 8 || !reflect.DeepEqual(outcomes[0].Faults, report.Faults) {
				t.Errorf("%d faults: %+v", sum, report)
			}
		})
	}
}

// The storm is another one with every seed, and the same with the same, whatever
// else is played.
func TestSameSeedSameStorm(t *testing.T) {
	o := stormy(t, "hall-128.yaml", 3, 7)
	o.Workers = 3
	_, together := playAll(t, o)
	o.Workers, o.Indices = 1, []int{1}
	_, alone := playAll(t, o)
	if !reflect.DeepEqual(alone[1], together[1]) {
		t.Errorf("alone: %+v\ntogether: %+v", alone[1], together[1])
	}
	if reflect.DeepEqual(together[0].Faults, together[1].Faults) && together[0].Virtual == together[1].Virtual {
		t.Errorf("two games have the same storm: %+v", together)
	}
}

// The first fault of a kind goes wrong in some way, and the report says so.
func TestStormsThatFailAreNoticed(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   string
		worsen func(f *fault)
		says   string
		stuck  int
	}{
		{
			"a fault that nobody is told of", ledFault,
			func(f *fault) { f.seen, f.reported = false, func(_, _ *app.Health) bool { return false } },
			"nobody was told that the LED", 0,
		},
		{
			"a chip that never comes back", nackFault,
			func(f *fault) { f.ends += 24 * time.Hour },
			"got nothing", 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := stormy(t, "hall-128.yaml", 1, 5)
			o.Faults = []string{c.kind}
			first := true
			o.worsen = func(f *fault) {
				if first {
					first = false
					c.worsen(f)
				}
			}
			report, _ := playAll(t, o)
			if !report.Failed() || report.Stuck != c.stuck || report.Unreported != 1-c.stuck || len(report.Failures) != 1 {
				t.Fatalf("%+v", report)
			}
			if got := report.Failures[0].Difference; !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q", got, c.says)
			}
		})
	}
}

// What a fault may lead to is excused in a storm only, and nothing else is.
func TestExcuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults map[string]int
		event  referee.Event
		want   bool
	}{
		{"a cell fails in a storm", map[string]int{nackFault: 1}, referee.Faulted{}, true},
		{"a cell is back in a storm", map[string]int{nackFault: 1}, referee.Restored{}, true},
		{"a cell fails on a sound board", nil, referee.Faulted{}, false},
		{"a cell shows what is not there", map[string]int{flapFault: 1}, referee.Illegal{}, true},
		{"no cell flaps", map[string]int{nackFault: 1}, referee.Illegal{}, false},
		{"an undo", map[string]int{flapFault: 1}, referee.Undone{}, false},
		{"a move", map[string]int{flapFault: 1}, referee.Moved{}, false},
	} {
		o := Outcome{Faults: c.faults}
		if got := o.excused(c.event); got != c.want {
			t.Errorf("%s: excused %v", c.name, got)
		}
	}
}

func TestParseFaults(t *testing.T) {
	hall, reed := profile(t, "hall-128.yaml"), profile(t, "reed-64.yaml")
	for _, c := range []struct {
		text   string
		config *configs.Config
		want   []string
		says   string
	}{
		{"all", hall, []string{"nack", "brownout", "stuck-bus", "noise", "flapping", "interrupt", "leds", "display"}, ""},
		{"all", profile(t, "hall-analog.yaml"), []string{"nack", "brownout", "stuck-bus", "noise", "flapping", "leds", "converter"}, ""},
		{"all", reed, []string{"nack", "flapping", "leds"}, ""},
		// The built-in board has no interrupt line and no display.
		{"all", nil, []string{"nack", "brownout", "stuck-bus", "noise", "flapping", "leds"}, ""},
		{"leds,nack,leds", hall, []string{"leds", "nack"}, ""},
		{"nack,thunder", hall, nil, "unknown fault thunder: want all, or some of nack,brownout,"},
		{"", hall, nil, "unknown fault"},
		{"brownout", reed, nil, "this board cannot have the fault brownout: want all, or some of nack,flapping,leds"},
	} {
		got, err := ParseFaults(c.text, c.config)
		if !slices.Equal(got, c.want) || (err != nil) != (c.says != "") {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
		if err != nil && !strings.Contains(strings.ReplaceAll(err.Error(), `"`, ""), c.says) {
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
	}
}
