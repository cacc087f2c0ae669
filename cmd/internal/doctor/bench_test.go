package doctor_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// fataler is what a test and a property test have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// boardOnly are the checks that look at the board, and at nothing around it.
const boardOnly = "bus,chips,cells,leds,display,buttons"

// settings returns a built-in profile as the settings of a simulated board.
func settings(t fataler, profile string) *configs.Config {
	t.Helper()
	text, err := configs.Profile(profile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(profile+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	c.Hardware.Simulation.Enabled = true
	return c
}

// setup is an examination of a simulated board.
type setup struct {
	profile string
	// change changes the settings, broken the board after them.
	change func(c *configs.Config)
	broken string
	// plant breaks what broken has no words for.
	plant func(b *sim.Board)
	only  string
	// alone says that nobody is at the board.
	alone bool
	// hands stand in for the simulated person.
	hands func(b *doctor.Bench) doctor.Hands
	ctx   context.Context //nolint:containedctx // A test says with what it wants to interrupt.
	cycle bool
	// slow says that the person is as quick as people are.
	slow bool
}

// examined is what came of it.
type examined struct {
	report *doctor.Report
	err    error
	bench  *doctor.Bench
}

// examine examines a board and looks whether it was left as it was found.
func examine(t fataler, s setup) examined {
	t.Helper()
	c := settings(t, s.profile)
	if s.change != nil {
		s.change(c)
	}
	var faults []doctor.Fault
	var err error
	if s.broken != "" {
		if faults, err = doctor.ParseFaults(s.broken); err != nil {
			t.Fatal(err)
		}
	}
	b, err := doctor.Simulate(&c.Hardware, faults)
	if err != nil {
		t.Fatal(err)
	}
	if s.plant != nil {
		s.plant(b.Sim)
	}
	if !s.slow {
		b.Hurry()
	}
	used(b.Sim)
	before := registers(b.Sim, c.Hardware.Expanders.Chip)
	clock := b.Clock()
	clock.Wait = patient(t, clock)
	o := doctor.Options{
		Config: c, Source: s.profile + ".yaml", DataDir: "/nowhere/at/all", Sim: b.Sim, Clock: clock, CycleRail: s.cycle,
	}
	if s.only == "" {
		s.only = boardOnly
	}
	if o.Only, err = doctor.ParseOnly(s.only); err != nil {
		t.Fatal(err)
	}
	switch {
	case s.alone:
	case s.hands != nil:
		o.Hands = s.hands(b)
	default:
		o.Hands = b.Person
	}
	if s.ctx == nil {
		s.ctx = context.Background()
	}
	r, err := doctor.Run(s.ctx, o)
	left(t, b.Sim, c.Hardware.Expanders.Chip, before, r)
	return examined{r, err, b}
}

// patient waits on a virtual clock, but not for ever: an examination that does not
// end is a test that fails, and none that hangs.
func patient(t fataler, c doctor.Clock) func(ctx context.Context, d time.Duration) error {
	const most = 6 * time.Hour
	return func(ctx context.Context, d time.Duration) error {
		if c.Now() > most {
			t.Fatalf("the examination has not ended after %v at the board", most)
		}
		return c.Wait(ctx, d)
	}
}

// used leaves registers of the chips as another program may have left them.
func used(b *sim.Board) {
	for n := range 8 {
		if c := b.Chip(n); c != nil {
			_ = c.Transfer([]byte{0x02, byte(n), 0xC0}, nil)
			_ = c.Transfer([]byte{0x04, 0x01, byte(n)}, nil)
		}
	}
}

// registers reads what the chips that read cells hold and can be written.
func registers(b *sim.Board, chip string) map[[2]uint16][]byte {
	all := map[[2]uint16][]byte{}
	var expander [][2]byte
	for reg := range byte(3) { // A TCA9555 stays in its pair.
		expander = append(expander, [2]byte{2 + 2*reg, 2})
	}
	if chip == configs.MCP23017 {
		expander = [][2]byte{{0x00, 14}, {0x14, 2}}
	}
	converter := [][2]byte{{0x01, 2}, {0x02, 2}, {0x03, 2}}
	for bus, wire := range []*emu.Bus{b.Bus(), b.SecondBus()} {
		for _, kind := range []struct {
			first, last uint16
			regs        [][2]byte
		}{{0x20, 0x27, expander}, {0x48, 0x4B, converter}} {
			for addr := kind.first; addr <= kind.last; addr++ {
				for _, reg := range kind.regs {
					r := make([]byte, reg[1])
					if wire.Tx(addr, reg[:1], r) == nil {
						at := [2]uint16{uint16(bus), addr}
						all[at] = append(all[at], r...)
					}
				}
			}
		}
	}
	return all
}

// left looks whether anything was left that was not there before.
func left(t fataler, b *sim.Board, chip string, before map[[2]uint16][]byte, r *doctor.Report) {
	t.Helper()
	for s, l := range b.Seen() {
		if l != (sim.Light{}) {
			t.Errorf("the light of %v was left on: %v", engine.Square(s), l)
		}
	}
	if p := b.OLED(); p != nil && p.Setup().On {
		t.Errorf("the display was left on")
	}
	if _, on := b.Buzzer().Sounds(); on {
		t.Errorf("the buzzer was left on")
	}
	if len(r.Left) > 0 {
		t.Errorf("left: %q", r.Left)
	}
	b.I2C()
	b.SecondI2C()
	b.Bus().SetNoise(emu.AnyAddress, emu.Noise{})
	after := registers(b, chip)
	for at, was := range before {
		if now := after[at]; now != nil && !slices.Equal(now, was) {
			t.Errorf("registers at 0x%02x of bus %d were % x, are % x", at[1], at[0], was, now)
		}
	}
}

// told lists the problems as "part where cause", in alphabetical order.
func told(r *doctor.Report) string {
	var all []string
	for _, p := range r.Problems() {
		all = append(all, p.Part+" "+p.Where+" "+p.Cause)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// want puts what must be told into the same order.
func want(problems ...string) string {
	slices.Sort(problems)
	return strings.Join(problems, "; ")
}

// explained looks whether every problem says what was seen and what to do, in a
// sentence each, and names its place.
func explained(t fataler, r *doctor.Report) {
	t.Helper()
	for _, p := range r.Problems() {
		for _, text := range []string{p.Found, p.Next} {
			if len(text) < 10 || !strings.HasSuffix(text, ".") || strings.ToUpper(text[:1]) != text[:1] && text[1] > '9' {
				t.Errorf("%s %s %s: %q is no sentence", p.Part, p.Where, p.Cause, text)
			}
		}
		if p.Where == "" || p.Status != doctor.Fail && p.Status != doctor.Warn {
			t.Errorf("%+v", p)
		}
	}
}

// check returns one of the checks of a report.
func check(t fataler, r *doctor.Report, name string) *doctor.Check {
	t.Helper()
	for i := range r.Checks {
		if r.Checks[i].Name == name {
			return &r.Checks[i]
		}
	}
	t.Fatalf("there is no check %s in the report", name)
	return nil
}

// states lists the squares of one map that are not as they should be, as
// "a1 dead".
func states(r *doctor.Report, at func(q *doctor.Square) doctor.State) string {
	var odd []string
	for i := range r.Squares {
		if q := &r.Squares[i]; at(q) != doctor.Fine {
			odd = append(odd, q.Square+" "+string(at(q)))
		}
	}
	return strings.Join(odd, ", ")
}

// scripted is a person who gives prepared answers to questions, and follows a
// walk as another person does.
type scripted struct {
	doctor.Hands
	// say returns the answer to a question, Nothing to leave it to the other.
	say func(q *doctor.Question) doctor.Reply
	// follow returns the answer to a walk.
	follow func(v *calibrate.View) doctor.Reply
}

func (s *scripted) Answer(now time.Duration, q *doctor.Question) doctor.Reply {
	if s.say != nil {
		if r := s.say(q); r.Said != doctor.Nothing {
			return r
		}
	}
	return s.Hands.Answer(now, q)
}

func (s *scripted) Follow(now time.Duration, v *calibrate.View) doctor.Reply {
	if s.follow != nil {
		if r := s.follow(v); r.Said != doctor.Nothing {
			return r
		}
	}
	return s.Hands.Follow(now, v)
}

var _ fataler = (*testing.T)(nil)
