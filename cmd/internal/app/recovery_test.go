package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/hardware/emu"
)

// heldBus is a way to hold a bus on a board that is wired in some way.
type heldBus struct {
	name     string
	profile  string
	recovery configs.Recovery
	trouble  func(s *stand)
	// freed says that it is freed, cycled that the chips lose their supply.
	freed, cycled bool
}

// What frees a held bus depends on what was wired, and on nothing else. A bus
// that is freed has all its chips back within two seconds, with all registers;
// one that is not comes back when the fault is mended.
func TestWhatFreesAHeldBus(t *testing.T) {
	t.Parallel()
	const none = ""
	all := configs.Recovery{SCL: "GPIO23", SDA: "GPIO24", Rail: "GPIO22"}
	taps := configs.Recovery{SCL: "GPIO23", SDA: "GPIO24", Rail: none}
	rail := configs.Recovery{SCL: none, SDA: none, Rail: "GPIO22"}
	nothing := configs.Recovery{}
	confused := func(s *stand) { s.rig.Sim.Bus().HoldSDA(0x22, 7) }
	hangs := func(s *stand) { s.rig.Sim.Bus().HoldSDA(0x22, -1) }
	holdsClock := func(s *stand) { s.rig.Sim.Bus().HoldSCL(0x22, true) }
	short := func(s *stand) { s.rig.Sim.Bus().Short(true, false) }
	secondHangs := func(s *stand) { s.rig.Sim.SecondBus().HoldSDA(0x22, -1) }
	for _, c := range []heldBus{
		{"everything, SDA for 7 clocks", "hall-128", all, confused, true, false},
		{"everything, SDA for ever", "hall-128", all, hangs, true, true},
		{"everything, SCL", "hall-128", all, holdsClock, true, true},
		{"everything, a short", "hall-128", all, short, false, true},
		{"taps, SDA for 7 clocks", "hall-128", taps, confused, true, false},
		{"taps, SDA for ever", "hall-128", taps, hangs, false, false},
		{"taps, SCL", "hall-128", taps, holdsClock, false, false},
		{"the switch, SDA for 7 clocks", "hall-128", rail, confused, true, true},
		{"the switch, SDA for ever", "hall-128", rail, hangs, true, true},
		{"the switch, SCL", "hall-128", rail, holdsClock, true, true},
		{"the switch, a short", "hall-128", rail, short, false, true},
		{"nothing, SDA for 7 clocks", "hall-128", nothing, confused, false, false},
		{"second bus, everything", "hall-128-mcp23017", all, secondHangs, true, true},
		{"second bus, taps of the first", "hall-128-mcp23017", taps, secondHangs, false, false},
		{"converter", "hall-analog", all, func(s *stand) { s.rig.Sim.Bus().HoldSDA(0x48, -1) }, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t)
		})
	}
}

func (c *heldBus) test(t *testing.T) {
	t.Helper()
	s := newStand(t, c.profile, func(x *configs.Config) { x.Hardware.Recovery = c.recovery })
	for _, wire := range []*emu.Bus{s.rig.Sim.Bus(), s.rig.Sim.SecondBus()} {
		wire.SetTiming(s.timing())
	}
	var scene display.Scene
	s.scan(60, &scene)
	c.trouble(s)
	s.scan(100, &scene)
	if got := s.rig.Health(); (got.Scans.Lost == 0) != c.freed || cycled(&got) != c.cycled {
		t.Fatalf("lost %016x, the supply was off %v, want freed %v and %v: %+v",
			got.Scans.Lost, cycled(&got), c.freed, c.cycled, got)
	}
	s.rig.Sim.Bus().Heal()
	s.rig.Sim.SecondBus().Heal()
	s.scan(400, &scene)
	got := s.rig.Health()
	for _, chip := range got.Chips {
		if inits := map[bool]uint64{true: 2, false: 1}[c.cycled && c.freed]; chip.State != "live" || chip.Inits < inits {
			t.Errorf("in the end %+v", chip)
		}
	}
	for _, wire := range []*emu.Bus{s.rig.Sim.Bus(), s.rig.Sim.SecondBus()} {
		if n := wire.TapStats().DrivenHigh; n != 0 {
			t.Errorf("a line was driven high %d times", n)
		}
	}
}

// timing lets a held line take the time that it takes on Linux.
func (s *stand) timing() emu.Timing {
	return emu.Timing{
		Spend:   func(d time.Duration) { s.now += d },
		Timeout: 50 * time.Millisecond,
	}
}

// cycled reports whether the supply has been off, which takes half a second.
func cycled(h *Health) bool { return h.Scans.Longest >= 500 }

// A supply that cannot be switched is said so, and the game waits for the
// repair.
func TestSupplyThatCannotBeSwitched(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", nil)
	var scene display.Scene
	s.scan(60, &scene)
	s.rig.Sim.Bus().HoldSCL(0x22, true)
	s.rig.Sim.Bus().FailRail(errors.New("no permission"))
	s.scan(100, &scene)
	h := s.rig.Health()
	if b := h.Buses[0]; !b.Dead || b.Unfreed == 0 || !strings.Contains(b.Error, "no permission") {
		t.Errorf("%+v", b)
	}
	s.rig.Sim.Bus().Heal()
	s.scan(400, &scene)
	if h = s.rig.Health(); h.Buses[0].Dead || h.Scans.Lost != 0 {
		t.Errorf("mended: %+v", h)
	}
}
