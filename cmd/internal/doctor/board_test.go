package doctor_test

import (
	"fmt"
	"strings"
	"testing"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// The pins of the reference board are those of its description.
func TestPins(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string][]string{
		"hall-128": {
			"GPIO2 3 SDA", "GPIO3 5 SCL", "GPIO17 11 INT", "GPIO22 15 switch", "GPIO23 16 SCL", "GPIO24 18 SDA",
			"GPIO10 19 data", "GPIO11 23 clock", "GPIO5 29 button clock_black", "GPIO6 31 button clock_white",
			"GPIO13 33 button new_game", "GPIO19 35 button hint", "GPIO26 37 buzzer",
		},
		"reed-64": {
			"GPIO5 29 row 0", "GPIO6 31 row 1", "GPIO12 32 row 2", "GPIO13 33 row 3", "GPIO16 36 row 4", "GPIO19 35 row 5",
			"GPIO20 38 row 6", "GPIO21 40 row 7", "GPIO4 7 column 0", "GPIO17 11 column 1", "GPIO18 12 column 2",
			"GPIO22 15 column 3", "GPIO23 16 column 4", "GPIO24 18 column 5", "GPIO25 22 column 6", "GPIO27 13 column 7",
			"GPIO14 8 button new_game", "GPIO15 10 button hint", "GPIO26 37 buzzer", "GPIO10 19 data", "GPIO11 23 clock",
		},
		"hall-analog": {
			"GPIO5 29 S0", "GPIO6 31 S1", "GPIO13 33 S2", "GPIO19 35 S3", "GPIO12 32 button new_game", "GPIO16 36 button hint",
			"GPIO20 38 button pass", "GPIO26 37 buzzer", "GPIO22 15 switch", "GPIO23 16 SCL", "GPIO24 18 SDA", "GPIO2 3 SDA",
			"GPIO3 5 SCL", "GPIO10 19 data", "GPIO11 23 clock",
		},
	} {
		r := examine(t, setup{profile: profile, only: "config", alone: true}).report
		if len(r.Pins) != len(want) {
			t.Errorf("%s has %d pins, want %d: %+v", profile, len(r.Pins), len(want), r.Pins)
		}
		for _, w := range want {
			found := false
			for _, p := range r.Pins {
				text := fmt.Sprintf("%s %d %s", p.Pin, p.Header, p.Use)
				found = found || strings.HasPrefix(text, w)
				if !strings.HasPrefix(p.Key, "hardware.") {
					t.Errorf("%+v", p)
				}
			}
			if !found {
				t.Errorf("%s: no pin is %q in %+v", profile, w, r.Pins)
			}
		}
	}
}

// What is behind the buses, as the settings have it.
func TestWiring(t *testing.T) {
	t.Parallel()
	r := examine(t, setup{profile: "hall-128", only: "config", alone: true, change: func(c *configs.Config) {
		c.Hardware.Cells[0], c.Hardware.Cells[1] = c.Hardware.Cells[1], c.Hardware.Cells[0]
	}}).report
	if !strings.HasPrefix(r.Wiring[0], "0x20: a1 P0.1 P1.1, b1 P0.0 P1.0, c1 P0.2 P1.2") {
		t.Errorf("%q", r.Wiring[0])
	}
	if want := "0x27: a8 to h8, north P0.0 to P0.7, south P1.0 to P1.7"; r.Wiring[7] != want {
		t.Errorf("%q, want %q", r.Wiring[7], want)
	}
	r = examine(t, setup{profile: "hall-128-mcp23017", only: "config", alone: true}).report
	for i, want := range map[int]string{
		1: "0x21 on /dev/i2c-1: h1 to f2, north GPA0 to GPA6, south GPB0 to GPB6",
		9: "0x24 on /dev/i2c-3: h8, north GPA0, south GPB0",
	} {
		if r.Wiring[i] != want {
			t.Errorf("%q, want %q", r.Wiring[i], want)
		}
	}
	r = examine(t, setup{profile: "hall-analog", only: "config", alone: true}).report
	if !strings.HasPrefix(r.Wiring[3], "AIN3 of 0x48: channels 0 a7, 1 b7") || !strings.HasSuffix(r.Wiring[3], "15 h8") {
		t.Errorf("%q", r.Wiring[3])
	}
}

// Lines that are held are freed as in a game, if they can be, and that is said.
func TestHeldBusIsFreed(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", only: "bus,chips", plant: func(b *sim.Board) { b.Bus().HoldSDA(0x23, 5) }})
	if told(x.report) != "bus /dev/i2c-1 sda_held" || !x.report.OK {
		t.Errorf("%s", told(x.report))
	}
	if p := x.report.Problems(); len(p) == 1 && (p[0].Status != doctor.Warn || !strings.Contains(p[0].Found, "freed")) {
		t.Errorf("%+v", p)
	}
	if c := check(t, x.report, "chips"); c.Status != doctor.OK {
		t.Errorf("%+v", c)
	}
}

// The supply is switched off and on when that is asked for, and not otherwise.
func TestSupply(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", only: "bus,chips,cells", cycle: true})
	if !x.report.OK || told(x.report) != "" || !strings.Contains(check(t, x.report, "bus").Found, "off and on again") {
		t.Errorf("%s: %+v", told(x.report), x.report.Checks)
	}
	for name, plant := range map[string]func(b *sim.Board){
		"the switch fails":        func(b *sim.Board) { b.Bus().FailRail(emu.NoAck()) },
		"a chip is not switched":  func(b *sim.Board) { b.Bus().Unswitched(0x20) },
		"the chips are fed again": func(b *sim.Board) { b.Bus().Unswitched(emu.AnyAddress) },
	} {
		x := examine(t, setup{profile: "hall-128", only: "bus", cycle: true, plant: plant})
		if told(x.report) != "bus hardware.recovery.rail rail" || x.report.OK {
			t.Errorf("%s: %s", name, told(x.report))
		}
		explained(t, x.report)
	}
	x = examine(t, setup{profile: "default", only: "bus", cycle: true})
	if !x.report.OK || !strings.Contains(check(t, x.report, "bus").Found, "no switch") {
		t.Errorf("without a switch: %+v", x.report.Checks)
	}
}

// Chips of another kind than the settings say are one mistake.
func TestChipsOfAnotherKind(t *testing.T) {
	t.Parallel()
	// TCA9555 are soldered, MCP23017 are said to be: and the other way round.
	for _, tc := range []struct{ profile, said, want string }{
		{"hall-128", configs.MCP23017, "TCA9555"},
		{"hall-128-mcp23017", configs.TCA9555, "MCP23017"},
	} {
		c := settings(t, tc.profile)
		b, err := doctor.Simulate(&c.Hardware, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Hardware.Expanders.Chip = tc.said
		for s := range c.Hardware.Cells { // As the settings of the other kind would be.
			c.Hardware.Cells[s].NorthPin %= 7
			c.Hardware.Cells[s].SouthPin = 8 + c.Hardware.Cells[s].NorthPin
			c.Hardware.Cells[s].Chip = min(s/7, c.Hardware.Expanders.Count()-1)
		}
		r, err := doctor.Run(t.Context(), doctor.Options{
			Config: c, DataDir: "/nowhere/at/all", Sim: b.Sim, Clock: b.Clock(), Only: []string{"chips"},
		})
		if tc.said == configs.MCP23017 && err == nil && told(r) == "wires the board unusable" {
			continue // 64 cells do not fit: the driver has refused the settings.
		}
		if err != nil || told(r) != "board hardware.expanders.chip wrong_kind" || !strings.Contains(r.Problems()[0].Found, "behave as "+tc.want) {
			t.Errorf("%s said to be %s: %v, %s: %+v", tc.profile, tc.said, err, told(r), r.Problems())
		}
	}
}

// A chip that nobody has named is worth a word; it is not written to.
func TestUnexpectedChip(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "reed-64", change: func(c *configs.Config) { c.Hardware.OLED.Driver = configs.SSD1306 }, plant: func(b *sim.Board) {
		b.Bus().Attach(emu.NewTCA9555(0x21, emu.TCAOptions{}))
		b.Bus().Record(true)
	}, only: "bus,chips,cells,leds,display"})
	if told(x.report) != "chip 0x21 unexpected" || !x.report.OK {
		t.Errorf("%s", told(x.report))
	}
	for _, tx := range x.bench.Sim.Bus().Transfers() {
		if tx.Addr == 0x21 && len(tx.W) > 0 && len(tx.R) == 0 {
			t.Errorf("it was written to: % x", tx.W)
		}
	}
}

// A display or a module of lights at its other address is found there.
func TestMovedParts(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", broken: "display", plant: func(b *sim.Board) {
		b.Bus().Attach(emu.NewSSD1306(emu.OLEDOptions{Addr: 0x3D}))
	}})
	if told(x.report) != "display 0x3c misplaced; chip 0x3d unexpected" && told(x.report) != "display 0x3c misplaced" {
		t.Errorf("%s", told(x.report))
	}
	module := func(c *configs.Config) { c.Hardware.LEDs.Driver, c.Hardware.LEDs.Address = configs.HT16K33, 0x71 }
	c := settings(t, "hall-128")
	module(c)
	b, err := doctor.Simulate(&c.Hardware, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Hardware.LEDs.Address = 0x70
	r, err := doctor.Run(t.Context(), doctor.Options{
		Config: c, DataDir: "/nowhere/at/all", Sim: b.Sim, Clock: b.Clock(), Hands: b.Person, Only: []string{"bus", "leds"},
	})
	if err != nil || told(r) != "chip 0x70 misplaced" || !strings.Contains(r.Problems()[0].Next, "0x71") {
		t.Errorf("%v: %s: %+v", err, told(r), r.Problems())
	}
}

// A panel with the other controller shows its picture two dots to one side, which
// only eyes can tell.
func TestOtherController(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ soldered, said string }{{configs.SSD1306, configs.SH1106}, {configs.SH1106, configs.SSD1306}} {
		c := settings(t, "hall-128")
		c.Hardware.OLED.Driver = tc.soldered
		b, err := doctor.Simulate(&c.Hardware, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Hardware.OLED.Driver = tc.said
		r, err := doctor.Run(t.Context(), doctor.Options{
			Config: c, DataDir: "/nowhere/at/all", Sim: b.Sim, Clock: b.Clock(), Hands: b.Person, Only: []string{"display"},
		})
		if err != nil || told(r) != "display 0x3c picture" || !strings.Contains(r.Problems()[0].Next, "to "+tc.soldered) {
			t.Errorf("%s for %s: %v: %s: %+v", tc.said, tc.soldered, err, told(r), r.Problems())
		}
	}
}

// A field that is too weak for a digital sensor is one that is not seen, on that
// square alone.
func TestWeakFieldOnDigitalSensor(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", only: "cells", plant: func(b *sim.Board) {
		if err := b.FailCell(27, sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.05}); err != nil {
			t.Fatal(err)
		}
	}})
	if told(x.report) != "cell d4 dead" {
		t.Errorf("%s", told(x.report))
	}
}

// The interrupt line is only a help, so that it is silent is worth a word.
func TestSilentInterrupt(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", only: "cells", plant: func(b *sim.Board) { b.LoseInterrupts(true) }})
	if told(x.report) != "wire GPIO17 silent" || !x.report.OK {
		t.Errorf("%s", told(x.report))
	}
}

// Squares, questions and all the rest can be left out. What is left out is not
// known, and nothing is wrong with it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	leave := func(b *doctor.Bench) doctor.Hands {
		return &scripted{
			Hands: b.Person,
			say:   func(*doctor.Question) doctor.Reply { return doctor.Reply{Said: doctor.Leave} },
			follow: func(v *calibrate.View) doctor.Reply {
				if v.Ask.Squares.Has(9) || v.Ask.Squares.Has(63) {
					return doctor.Reply{Said: doctor.Leave}
				}
				return doctor.Reply{}
			},
		}
	}
	x := examine(t, setup{profile: "hall-128", broken: "dead:h8,dead:a1", hands: leave, only: boardOnly + ",buzzer"})
	if told(x.report) != "cell a1 dead" {
		t.Errorf("%s", told(x.report))
	}
	if got := states(x.report, func(q *doctor.Square) doctor.State { return q.Black }); got != "a1 dead, b2 untested, h8 untested" {
		t.Errorf("%s", got)
	}
	if c := check(t, x.report, "leds"); c.Status != doctor.Skip {
		t.Errorf("%+v", c)
	}
}

// A person who has had enough is asked nothing more, and nothing is held against
// what was not tried.
func TestEnough(t *testing.T) {
	t.Parallel()
	enough := func(during string) func(b *doctor.Bench) doctor.Hands {
		return func(b *doctor.Bench) doctor.Hands {
			return &scripted{
				Hands: b.Person,
				say:   func(*doctor.Question) doctor.Reply { return doctor.Reply{Said: doctor.Enough} },
				follow: func(v *calibrate.View) doctor.Reply {
					if during == "cells" && v.Done >= 20 {
						return doctor.Reply{Said: doctor.Enough}
					}
					return doctor.Reply{}
				},
			}
		}
	}
	for _, tc := range [][2]string{
		{"default", "cells"}, {"hall-128-mcp23017", "cells"}, {"hall-analog", "cells"}, {"reed-64", "cells"}, {"hall-128", "leds"},
	} {
		x := examine(t, setup{profile: tc[0], hands: enough(tc[1])})
		if x.err != nil || told(x.report) != "" || !x.report.OK {
			t.Errorf("enough in %s on %s: %v, %s", tc[1], tc[0], x.err, told(x.report))
		}
	}
}

// A lone chip or a lone wire is named as such, with its squares.
func TestWholeRanks(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "reed-64", only: "cells", plant: func(b *sim.Board) { b.Matrix().BreakRows(1 << 4) }})
	if told(x.report) != "wire row GPIO16 blind" || !strings.Contains(x.report.Problems()[0].Found, "a5 to h5") {
		t.Errorf("%s: %+v", told(x.report), x.report.Problems())
	}
	x = examine(t, setup{profile: "reed-64", only: "cells", plant: func(b *sim.Board) { b.Matrix().BreakColumns(1 << 2) }})
	if told(x.report) != "wire column GPIO18 blind" || !strings.Contains(x.report.Problems()[0].Found, "c1 to c8") {
		t.Errorf("%s: %+v", told(x.report), x.report.Problems())
	}
	// All faces the wrong way round is one mistake, with the setting that mends it.
	x = examine(t, setup{profile: "hall-128", only: "cells", plant: func(b *sim.Board) {
		for s := range engine.Squares {
			if err := b.FailCell(s, sim.CellFault{Kind: sim.Reversed}); err != nil {
				t.Fatal(err)
			}
		}
	}})
	if told(x.report) != "board all cells all_reversed" || !strings.Contains(x.report.Problems()[0].Next, "north_is to white") {
		t.Errorf("%s: %+v", told(x.report), x.report.Problems())
	}
}
