package doctor_test

import (
	"strings"
	"testing"

	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/hardware/sim"
)

// profiles are the built-in boards.
func profiles() (names []string) {
	for _, file := range configs.ProfileNames() {
		names = append(names, strings.TrimSuffix(file, ".yaml"))
	}
	return names
}

// A board without a fault passes, whatever it is made of, with somebody at it and
// without.
func TestHealthyBoards(t *testing.T) {
	t.Parallel()
	for _, profile := range profiles() {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			healthy(t, setup{profile: profile, alone: true})
			r := healthy(t, setup{profile: profile})
			if odd := states(r, cell); odd != "" {
				t.Errorf("cells: %s", odd)
			}
			if odd := states(r, light); odd != "" {
				t.Errorf("lights: %s", odd)
			}
		})
	}
}

func healthy(t *testing.T, s setup) *doctor.Report {
	t.Helper()
	s.only = boardOnly + ",config,pi,access,buzzer"
	x := examine(t, s)
	if x.err != nil || !x.report.OK || told(x.report) != "" {
		t.Fatalf("alone %v: %v: %s", s.alone, x.err, told(x.report))
	}
	for _, c := range x.report.Checks {
		if c.Status != doctor.OK && c.Status != doctor.Skip {
			t.Errorf("alone %v: %+v", s.alone, c)
		}
	}
	return x.report
}

// cell returns the worse of the states of a cell.
func cell(q *doctor.Square) doctor.State {
	switch {
	case q.Disc != "":
		return q.Disc
	case q.Black != doctor.Fine:
		return q.Black
	}
	return q.White
}

func light(q *doctor.Square) doctor.State { return q.LED }

// Every kind of lights is tried.
func TestHealthyLights(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{configs.APA102, configs.WS2812, configs.HT16K33, configs.MAX7219} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			lights := func(c *configs.Config) {
				c.Hardware.LEDs.Driver = driver
				for s := range c.Hardware.LEDs.Order { // Serpentine.
					if s/8%2 == 1 {
						c.Hardware.LEDs.Order[s] = s/8*8 + 7 - s%8
					}
				}
			}
			x := examine(t, setup{profile: "reed-64", change: lights, only: "leds"})
			if !x.report.OK || told(x.report) != "" {
				t.Errorf("%s", told(x.report))
			}
			if odd := states(x.report, light); odd != "" {
				t.Errorf("lights: %s", odd)
			}
			x = examine(t, setup{profile: "reed-64", change: lights, only: "leds", broken: "led:c3,led:f6"})
			if got := told(x.report); got != want("led c3 dead", "led f6 dead") {
				t.Errorf("two lights dead: %s", got)
			}
		})
	}
}

// Scenario 6: the self-built board of which nobody knew why it was dead: LED b3 dead, cell c3
// reversed, cell h8 dead. Exactly these three are named, with their causes.
func TestThreeFaults(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", broken: "led:b3,reversed:c3,dead:h8"})
	r := x.report
	if r.OK || told(r) != want("led b3 dead", "cell c3 reversed", "cell h8 dead") {
		t.Fatalf("ok %v: %s", r.OK, told(r))
	}
	explained(t, r)
	if got := states(r, func(q *doctor.Square) doctor.State { return q.Black }); got != "c3 reversed, h8 dead" {
		t.Errorf("black: %s", got)
	}
	if got := states(r, func(q *doctor.Square) doctor.State { return q.White }); got != "c3 reversed, h8 dead" {
		t.Errorf("white: %s", got)
	}
	if got := states(r, light); got != "b3 dead" {
		t.Errorf("lights: %s", got)
	}
	if !strings.HasPrefix(r.Summary.Text, "3 things are wrong") {
		t.Errorf("summary %q", r.Summary.Text)
	}
	// Where to look: h8 is the last cell of the last chip, b3 the 18th light.
	for _, p := range r.Problems() {
		for where, what := range map[string]string{"h8": "P0.7 and P1.7 of 0x27", "c3": "P0.2 and P1.2 of 0x22", "b3": "number 17"} {
			if p.Where == where && !strings.Contains(p.Next, what) {
				t.Errorf("%s: %q does not say %s", where, p.Next, what)
			}
		}
	}
}

// plantedCase is what is broken on a board, and what must be told.
type plantedCase struct{ profile, broken, want string }

// What is planted is named, and nothing else. TestPlantedAnalogFaults is the same
// for boards that take long.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	const digital, mcp, analog, reed = "hall-128", "hall-128-mcp23017", "hall-analog", "reed-64"
	plantAll(t, []plantedCase{
		{digital, "dead:h8", "cell h8 dead"},
		{mcp, "dead:h8", "cell h8 dead"},
		{analog, "dead:h8", "cell h8 low"},
		{reed, "dead:h8", "cell h8 dead"},
		{reed, "diode:b7", "cell b7 dead"},
		{digital, "reversed:c3", "cell c3 reversed"},
		{mcp, "reversed:a8", "cell a8 reversed"},
		{digital, "stuck:a1", "cell a1 stuck_black"},
		{digital, "both:e4", "cell e4 both"},
		{mcp, "both:e4", "cell e4 both"},
		{digital, "flapping:g2", "cell g2 flapping"},
		{mcp, "flapping:g2", "cell g2 flapping"},
		{digital, "exchanged:c3-d3", "cell c3 and d3 exchanged"},
		{mcp, "exchanged:a1-h8", "cell a1 and h8 exchanged"},
		{reed, "exchanged:c3-d3", "cell c3 and d3 exchanged"},
		{reed, "closed:g7", "cell g7 closed"},
		{reed, "shorted:b2", "cell b2 shorted"},
		{digital, "missing:0x23", "chip 0x23 missing"},
		{mcp, "missing:0x24", "chip 0x24 on /dev/i2c-1 missing"},
		{analog, "missing:0x48", "chip 0x48 missing"},
		{digital, "frozen:0x25", "chip 0x25 blind"},
		{mcp, "moved:0x23-0x26", "chip 0x23 on /dev/i2c-1 misplaced"},
		{analog, "moved:0x48-0x4a", "chip 0x48 misplaced"},
		{digital, "noise:0x22", "chip 0x22 unstable"},
		{digital, "sda", "bus /dev/i2c-1 sda_held"},
		{digital, "scl", "bus /dev/i2c-1 scl_held"},
		{digital, "slow", "bus /dev/i2c-1 slow"},
		{digital, "led:a1", "led a1 dead"},
		{digital, "led:h8", "led h8 dead"},
		{digital, "led:f8,led:g8,led:h8", "led f8 chain_ends"},
		{digital, "leds", "led all lights dark"},
		{digital, "button:hint", "button hint stuck"},
		{reed, "button:new_game", "button new_game stuck"},
		{digital, "display", "display 0x3c missing"},
		{
			digital, "dead:a1,reversed:b2,both:c3,stuck:d4,flapping:e5,led:f6,exchanged:g7-h7,missing:0x27,button:hint,display",
			want("cell a1 dead", "cell b2 reversed", "cell c3 both", "cell d4 stuck_black", "cell e5 flapping", "led f6 dead",
				"cell g7 and h7 exchanged", "chip 0x27 missing", "button hint stuck", "display 0x3c missing"),
		},
	})
}

func plantAll(t *testing.T, cases []plantedCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.profile+" "+tc.broken, func(t *testing.T) {
			t.Parallel()
			x := examine(t, setup{profile: tc.profile, broken: tc.broken})
			if x.err != nil || told(x.report) != tc.want {
				t.Errorf("%v: %s, want %s", x.err, told(x.report), tc.want)
			}
			explained(t, x.report)
			if ok := tc.broken == "slow"; x.report.OK != ok {
				t.Errorf("ok is %v", x.report.OK)
			}
		})
	}
}

// Without anybody at the board what shows by itself is named, and what a disc
// could be the cause of is not.
func TestPlantedFaultsAlone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		profile, broken, want string
		ok                    bool
	}{
		{"hall-128", "both:e4", "cell e4 both", false},
		{"hall-128", "flapping:g2", "cell g2 flapping", false},
		{"hall-128", "dead:h8,reversed:c3,exchanged:a1-b1,led:b3", "", true},
		{"hall-128", "missing:0x23", "chip 0x23 missing", false},
		{"hall-128", "sda", "bus /dev/i2c-1 sda_held", false},
		{"hall-128", "button:hint,display", want("button hint stuck", "display 0x3c missing"), false},
		{"hall-analog", "dead:h8,both:a2", want("cell h8 low", "cell a2 high"), false},
		{"hall-128-mcp23017", "missing:0x21", "chip 0x21 on /dev/i2c-1 missing", false},
	} {
		x := examine(t, setup{profile: tc.profile, broken: tc.broken, alone: true})
		if told(x.report) != tc.want || x.report.OK != tc.ok {
			t.Errorf("%s %s: ok %v, %s, want %s", tc.profile, tc.broken, x.report.OK, told(x.report), tc.want)
		}
		explained(t, x.report)
	}
}

// An output that is always active looks like a disc: without anybody at the board
// that is said, and not taken for a fault.
func TestSomethingLies(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", broken: "stuck:b2", alone: true, only: "cells"})
	c := check(t, x.report, "cells")
	if !x.report.OK || c.Status != doctor.Warn || !strings.Contains(c.Found, "b2") || !strings.Contains(c.Next, "stuck") {
		t.Errorf("%+v", c)
	}
	// The start position is what lies there most often.
	x = examine(t, setup{profile: "hall-128", alone: true, only: "cells", plant: func(b *sim.Board) {
		var faces [64]sim.Face
		faces[27], faces[36], faces[28], faces[35] = sim.SouthUp, sim.SouthUp, sim.NorthUp, sim.NorthUp
		b.Set(faces)
	}})
	if c := check(t, x.report, "cells"); c.Status != doctor.OK || !strings.Contains(c.Found, "d4, e4, d5 and e5") {
		t.Errorf("%+v", c)
	}
}
