package app

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// stand is a simulated board of a built-in profile on a virtual clock, without
// a referee.
type stand struct {
	t   *testing.T
	now time.Duration
	rig *Rig
}

func newStand(t *testing.T, profile string, change func(c *configs.Config)) *stand {
	t.Helper()
	text, err := configs.Profile(profile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(profile, text)
	if err != nil {
		t.Fatal(err)
	}
	c.Hardware.Simulation = configs.Simulation{Enabled: true, Seed: 1}
	if change != nil {
		change(c)
	}
	s := &stand{t: t, now: time.Hour}
	s.rig, err = OpenRig(&c.Hardware, RigOptions{Now: s.clock, Sleep: s.sleep, Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.rig.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stand) clock() time.Duration { return s.now }

func (s *stand) sleep(ctx context.Context, d time.Duration) error {
	s.now += d
	s.rig.Sim.Advance(s.now)
	return ctx.Err()
}

// scan scans n times, 20 ms apart at least, and shows the scene after each. What
// fails is what is counted.
func (s *stand) scan(n int, scene *display.Scene) {
	s.t.Helper()
	for range n {
		var f hardware.Frame
		s.now += 20 * time.Millisecond
		s.rig.Sim.Advance(s.now)
		_ = s.rig.Matrix.Scan(s.t.Context(), s.now, &f)
		if s.rig.Lights != nil {
			_, _, _ = s.rig.Lights.Show(scene, s.now)
		}
		if s.rig.OLED != nil {
			_, _ = s.rig.OLED.Step(s.t.Context(), s.now)
		}
	}
}

// parts is what a board is made of.
type parts struct {
	chips    int
	kind     string
	devices  []int // on each bus
	oled     bool
	contacts bool
	line     bool
}

// What a board is made of is what is reported, with nothing wrong.
func TestHealthOfSoundBoards(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]parts{
		"hall-128":          {8, "tca9555", []int{9}, true, false, true}, // the display among them
		"hall-128-mcp23017": {10, "mcp23017", []int{5, 5}, false, false, true},
		"hall-analog":       {1, "ads1115", []int{1}, false, false, false},
		"reed-64":           {0, "", nil, false, true, false},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, profile, nil)
			var scene display.Scene
			s.scan(50, &scene)
			h := s.rig.Health()
			if h.Scans.Scans != 50 || h.Scans.Failed != 0 || h.Scans.Lost != 0 || h.Scans.Error != "" {
				t.Errorf("scans %+v", h.Scans)
			}
			soundChips(t, &h, want)
			soundBuses(t, &h, want)
			if (h.OLED != nil) != want.oled || (h.Contacts != nil) != want.contacts || (h.Interrupts != nil) != want.line {
				t.Errorf("parts %+v", h)
			}
			if h.LEDs == nil || *h.LEDs != (PartHealth{Frames: 1}) {
				t.Errorf("LEDs %+v", h.LEDs)
			}
			if want.oled && (h.OLED.Failing || h.OLED.Frames == 0 || h.OLED.Failed != 0) {
				t.Errorf("display %+v", h.OLED)
			}
		})
	}
}

func soundChips(t *testing.T, h *Health, want parts) {
	t.Helper()
	var cells uint64
	for _, c := range h.Chips {
		if c.Kind != want.kind || c.State != "live" || c.Inits != 1 || c.Resets+c.Failed+c.Corrupt+c.Slow != 0 || c.Good < 48 {
			t.Errorf("chip %+v", c)
		}
		if cells&c.Cells != 0 {
			t.Errorf("chip 0x%02X has cells of others", c.Addr)
		}
		cells |= c.Cells
	}
	if len(h.Chips) != want.chips || want.chips > 0 && cells != ^uint64(0) {
		t.Errorf("%d chips with the cells %016x", len(h.Chips), cells)
	}
}

func soundBuses(t *testing.T, h *Health, want parts) {
	t.Helper()
	if len(h.Buses) < len(want.devices) {
		t.Fatalf("%d buses", len(h.Buses))
	}
	for i, n := range want.devices {
		b := h.Buses[i]
		if len(b.Devices) != n || b.Dead || b.Deaths+b.Recoveries+b.Unfreed != 0 || b.Error != "" || b.Name == "" {
			t.Errorf("bus %+v", b)
		}
		for _, d := range b.Devices {
			if d.OK == 0 || d.Failed()+d.Silences+d.Retries+d.Refused != 0 || d.Silent {
				t.Errorf("device %+v", d)
			}
		}
	}
}

// late is a board whose chips answer from the fourth scan on.
type late struct{ scans int }

func (l *late) Scan(_ context.Context, _ time.Duration, f *hardware.Frame) error {
	l.scans++
	*f = hardware.Frame{North: uint64(engine.Start().Black), South: uint64(engine.Start().White)}
	if l.scans < 4 {
		f.Lost = math.MaxUint64
	}
	return nil
}

// Chips that have not had the time to begin are not called silent: a report is
// published once a minute at most, so the first one has to be right.
func TestHealthOfChipsThatBegin(t *testing.T) {
	eyes := NewEyes(&late{}, sensing.DefaultConfig(), nil)
	for scan := 1; scan <= 4; scan++ {
		if _, err := eyes.Look(t.Context(), time.Duration(scan)*50*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		switch c := eyes.Checkup(); {
		case scan < 4 && c.At != 0:
			t.Errorf("scan %d: nothing has answered, and the cells are said to be %s", scan, c.Cells.Classes())
		case scan == 4 && c.Cells.Classes() != strings.Repeat(".", engine.Squares):
			t.Errorf("the cells are %q", c.Cells.Classes())
		}
	}
}

// An expander and the display that do not answer are found in the numbers, and
// the texts stay when it is over.
func TestHealthOfSilentChips(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", nil)
	var scene display.Scene
	s.scan(50, &scene)
	if err := s.rig.Sim.FailBank(3, sim.BankNack); err != nil {
		t.Fatal(err)
	}
	s.rig.Sim.Bus().Detach(0x3C)
	s.scan(300, &scene) // The display is asked every 5 s.
	h := s.rig.Health()
	if h.Scans.Lost != 0xFF<<24 || h.Scans.Failed != 0 || h.Chips[3].State != "absent" || h.Chips[3].Failed == 0 {
		t.Errorf("%+v, %+v", h.Scans, h.Chips[3])
	}
	silentDevices(t, h.Buses[0].Devices)
	if !h.OLED.Failing || h.OLED.Failed == 0 || !strings.Contains(h.OLED.Error, "0x3C") {
		t.Errorf("display %+v", h.OLED)
	}
	if err := s.rig.Sim.HealBank(3); err != nil {
		t.Fatal(err)
	}
	s.rig.Sim.Bus().Attach(s.rig.Sim.OLED())
	s.scan(500, &scene)
	h = s.rig.Health()
	if h.Scans.Lost != 0 || h.Chips[3].State != "live" || h.Chips[3].Inits != 2 || h.Chips[3].Error == "" || h.OLED.Failing {
		t.Errorf("mended: %+v", h)
	}
	if _, err := json.Marshal(h); err != nil {
		t.Error(err)
	}
}

// silentDevices wants 0x23 and 0x3C not to answer, and nothing else.
func silentDevices(t *testing.T, devices []DeviceHealth) {
	t.Helper()
	for _, d := range devices {
		switch d.Addr {
		case 0x23:
			if !d.Silent || d.NACK < 4 || d.Refused == 0 || d.Silences != 1 || !strings.Contains(d.Error, "0x23") {
				t.Errorf("the expander: %+v", d)
			}
		case 0x3C:
			if !d.Silent || d.NACK < 4 {
				t.Errorf("the display: %+v", d)
			}
		default:
			if d.Silent || d.Failed() > 0 {
				t.Errorf("another chip: %+v", d)
			}
		}
	}
}

// A bus that is held, freed or not.
func TestHealthOfABusThatIsHeld(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", nil)
	var scene display.Scene
	s.scan(50, &scene)
	s.rig.Sim.Bus().HoldSDA(0x25, 3) // Three clocks free it.
	s.scan(50, &scene)
	b := s.rig.Health().Buses[0]
	if b.Dead || b.Deaths != 1 || b.Recoveries != 1 || b.Unfreed != 0 || b.Error != "" {
		t.Errorf("freed: %+v", b)
	}
	s.rig.Sim.Bus().Short(false, true) // Nothing does.
	s.scan(50, &scene)
	h := s.rig.Health()
	if b := h.Buses[0]; !b.Dead || b.Deaths != 2 || b.Unfreed == 0 || !strings.Contains(b.Error, "held low") {
		t.Errorf("shorted: %+v", b)
	}
	if h.Scans.Failed == 0 || h.Scans.Lost != ^uint64(0) || h.Scans.Error == "" || h.Scans.Longest < 500 {
		t.Errorf("shorted: %+v", h.Scans)
	}
	s.rig.Sim.Bus().Heal()
	s.scan(300, &scene)
	if h = s.rig.Health(); h.Buses[0].Dead || h.Scans.Lost != 0 {
		t.Errorf("the short is gone: %+v", h)
	}
}

// One interrupt for nothing.
func TestHealthOfTheInterruptLine(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", nil)
	var scene display.Scene
	s.scan(50, &scene)
	before := *s.rig.Health().Interrupts
	s.rig.Interrupted()
	s.scan(2, &scene)
	if got := *s.rig.Health().Interrupts; got.Heard != before.Heard+1 || got.Needless != before.Needless+1 {
		t.Errorf("interrupts %+v, before %+v", got, before)
	}
}

// LEDs that do not take what they are sent, and such that have lost it.
func TestHealthOfLights(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", func(c *configs.Config) {
		c.Hardware.LEDs.Driver, c.Hardware.OLED.Driver = configs.HT16K33, configs.NoOLED
	})
	var scene display.Scene
	s.scan(5, &scene)
	module := s.rig.Sim.Module()
	module.PowerCycle()
	scene.Lights[9] = display.Wrong
	s.scan(100, &scene)
	h := s.rig.Health().LEDs
	if h.Failing || h.Resets != 1 || h.Failed != 0 || h.Frames < 8 {
		t.Errorf("after a reset: %+v", h)
	}
	s.rig.Sim.Bus().Detach(0x70)
	s.scan(100, &scene)
	if h = s.rig.Health().LEDs; !h.Failing || h.Failed == 0 || h.Error == "" {
		t.Errorf("unplugged: %+v", h)
	}
	s.rig.Sim.Bus().Attach(module)
	s.scan(400, &scene)
	if h = s.rig.Health().LEDs; h.Failing || h.Error == "" {
		t.Errorf("plugged in again: %+v", h)
	}
}
