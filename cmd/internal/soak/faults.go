package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// The kinds of faults.
const (
	// nackFault is a chip that does not answer for a while, on a matrix of contacts
	// lines that cannot be driven or read.
	nackFault = "nack"
	// resetFault is a chip, or all of them, that lose their registers.
	resetFault = "brownout"
	// heldFault is a line of a bus that a chip holds.
	heldFault = "stuck-bus"
	// noiseFault is a wire that flips bits and loses acknowledges for a while.
	noiseFault = "noise"
	// flapFault is a cell with a bad joint.
	flapFault = "flapping"
	// deafFault is an interrupt line that is broken for a while.
	deafFault = "interrupt"
	// ledFault are LEDs that are pulled.
	ledFault = "leds"
	// displayFault is a display that is pulled.
	displayFault = "display"
	// stallFault is a converter that does not finish, or select lines that do not obey.
	stallFault = "converter"
)

// allFaults stands for every kind that a board can have.
const allFaults = "all"

// FaultKinds lists the kinds of faults that a storm can be made of.
func FaultKinds() []string {
	return []string{nackFault, resetFault, heldFault, noiseFault, flapFault, deafFault, ledFault, displayFault, stallFault}
}

// FaultsOf lists the kinds that a board can have.
func FaultsOf(c *configs.Config) []string {
	h := &c.Hardware
	buses := h.Kind != configs.Reed64
	can := map[string]bool{
		nackFault: true, resetFault: buses, heldFault: buses, noiseFault: buses, flapFault: true,
		deafFault:    h.Kind == configs.Hall128 && h.Interrupt != "",
		ledFault:     h.LEDs.Driver != configs.NoLEDs,
		displayFault: h.OLED.Driver != configs.NoOLED,
		stallFault:   h.Kind == configs.HallAnalog,
	}
	return slices.DeleteFunc(FaultKinds(), func(kind string) bool { return !can[kind] })
}

// ParseFaults reads a list of kinds, "nack,brownout", or "all" for those that
// the board can have; c is nil for the built-in settings.
func ParseFaults(text string, c *configs.Config) ([]string, error) {
	if c == nil {
		c = configs.Default()
	}
	can := FaultsOf(c)
	if text == allFaults {
		return can, nil
	}
	var kinds []string
	for kind := range strings.SplitSeq(text, ",") {
		switch {
		case !slices.Contains(FaultKinds(), kind):
			return nil, fmt.Errorf("unknown fault %.32q: want all, or some of %s", kind, strings.Join(FaultKinds(), ","))
		case !slices.Contains(can, kind):
			return nil, fmt.Errorf("this board cannot have the fault %s: want all, or some of %s", kind, strings.Join(can, ","))
		case !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

const (
	// Between the beginnings of two faults there is a short or a long lull; at most
	// maxAtOnce rage together.
	shortLull, longLull = 2 * time.Second, 12 * time.Second
	maxAtOnce           = 3
	// flapFor is how long a cell flaps without being disturbed in that, flapMost how
	// long in all.
	flapFor, flapMost = 8 * time.Second, time.Minute
	// told is how long after its end a fault must have been reported.
	told = 7 * time.Second
)

// fault is one that has been injected.
type fault struct {
	kind string
	// what it is, for people.
	what string
	// cells are those that cannot be read meanwhile, if it is about cells; chip is
	// the number of a chip, -1 for none.
	cells engine.Bitboard
	chip  int
	// ofDisc says that it shows only while a disc lies there.
	ofDisc bool
	began  time.Duration
	ends   time.Duration
	// mend ends it; nil when it has ended.
	mend func() error
	// reported looks whether it has been noticed, by what is known now and what
	// was when it began.
	reported func(before, now *app.Health) bool
	before   app.Health
	// end is what was known when it was mended.
	end app.Health
	// seen says that it has been reported; known, that its chip was lost already,
	// which the board had said: there was nothing to add, and when the chip is
	// believed again the fault is over.
	seen, known bool
}

// storm breaks parts of a board and mends them again while a game is played.
type storm struct {
	t     *virtual.Table
	rnd   *rand.Rand
	kinds []string
	// recovery says what frees a held bus.
	recovery configs.Recovery
	driver   string
	oled     uint16
	// reed and analog tell kinds of boards.
	reed, analog bool

	active []*fault
	next   time.Duration
	// ended says that no more faults are to begin.
	ended bool
	// lastEnd is when a fault ended last.
	lastEnd time.Duration

	// worsen, if not nil, changes a fault that begins.
	worsen func(f *fault)

	// injected counts faults by kind; unreported describes those that nobody was
	// told of.
	injected   map[string]int
	unreported []string
}

func newStorm(worsen func(f *fault), t *virtual.Table, c *configs.Config, kinds []string, rnd *rand.Rand) *storm {
	h := &c.Hardware
	s := &storm{
		t: t, rnd: rnd, kinds: kinds, recovery: h.Recovery, driver: h.LEDs.Driver, oled: h.OLED.Address,
		reed: h.Kind == configs.Reed64, analog: h.Kind == configs.HallAnalog,
		injected: map[string]int{}, worsen: worsen,
	}
	s.t.Sim.Bus().Seed(rnd.Uint64())
	s.t.Sim.SecondBus().Seed(rnd.Uint64())
	s.next = t.Now() + s.between(shortLull, longLull)
	return s
}

func (s *storm) between(low, high time.Duration) time.Duration {
	return low + time.Duration(s.rnd.Int64N(int64(high-low)))
}

// often is true in so many of a hundred cases.
func (s *storm) often(percent int) bool { return s.rnd.IntN(100) < percent }

// step begins and ends the faults that are due.
func (s *storm) step() error {
	now := s.t.Now()
	for i := 0; i < len(s.active); {
		f := s.active[i]
		if f.mend != nil && now >= f.ends {
			f.end = s.t.Health()
			if err := f.mend(); err != nil {
				return err
			}
			f.mend, s.lastEnd = nil, now
		}
		f.watch(s.t)
		if f.mend == nil && (f.seen || now >= f.ends+told) {
			s.close(f)
			s.active = slices.Delete(s.active, i, i+1)
			continue
		}
		i++
	}
	if s.ended || now < s.next {
		return nil
	}
	s.next = now + s.between(shortLull, longLull)
	if s.raging() >= maxAtOnce {
		return nil
	}
	f, err := s.inject(s.kinds[s.rnd.IntN(len(s.kinds))])
	if err != nil || f == nil {
		return err
	}
	if s.worsen != nil {
		s.worsen(f)
	}
	s.injected[f.kind]++
	s.active = append(s.active, f)
	return nil
}

// raging counts the faults that have not been mended.
func (s *storm) raging() (n int) {
	for _, f := range s.active {
		if f.mend != nil {
			n++
		}
	}
	return n
}

// watch notes what only shows for a while.
func (f *fault) watch(t *virtual.Table) {
	state := &t.Core.State
	switch f.kind {
	case flapFault:
		f.seen = f.seen || state.Masked&f.cells == f.cells
		// While its cell is lost nobody can see it flap, nor a sensor that loses the
		// field of a disc while that is in a hand.
		unseen := state.Lost&f.cells != 0 || f.ofDisc && t.Sim.Faces()[f.cells.First()] == sim.NoDisc
		if unseen && f.mend != nil && t.Now() < f.began+flapMost {
			f.ends = max(f.ends, t.Now()+flapFor)
		}
	case nackFault:
		f.seen = f.seen || f.cells != 0 && state.Unsure()&f.cells == f.cells
	}
}

// unasked reports whether nobody has talked to the chip while it failed: one that
// does not answer is asked more and more rarely, and its cells are lost already.
func (f *fault) unasked() bool {
	before, end := &f.before.Chips[f.chip], &f.end.Chips[f.chip]
	return before.State == "absent" && end.Good == before.Good && end.Failed == before.Failed
}

// close looks whether a fault that is over has been reported.
func (s *storm) close(f *fault) {
	if f.seen {
		return
	}
	now := s.t.Health()
	if f.known || f.reported == nil || f.reported(&f.before, &now) {
		return
	}
	s.unreported = append(s.unreported, fmt.Sprintf("%s from %v to %v", f.what, f.began, f.ends))
}

// over reports whether nothing is left to be watched.
func (s *storm) over() bool { return s.ended && len(s.active) == 0 }

// inject breaks something; nil means that it could not be broken just now.
func (s *storm) inject(kind string) (*fault, error) {
	f := &fault{kind: kind, chip: -1, began: s.t.Now(), before: s.t.Health()}
	var err error
	switch kind {
	case nackFault:
		if s.reed {
			s.breakLines(f)
			break
		}
		err = s.silence(f)
	case resetFault:
		s.brownOut(f)
	case heldFault:
		s.hold(f)
	case noiseFault:
		s.disturb(f)
	case flapFault:
		err = s.flap(f)
	case deafFault:
		s.deafen(f)
	case ledFault:
		s.pullLEDs(f)
	case displayFault:
		s.pullDisplay(f)
	case stallFault:
		err = s.stall(f)
	}
	if err != nil || f.mend == nil {
		return nil, err
	}
	if f.chip >= 0 {
		cells := engine.Bitboard(f.before.Chips[f.chip].Cells)
		f.known = cells != 0 && s.t.Core.State.Unsure()&cells == cells
	}
	return f, nil
}

// freeChip draws a chip that nothing is wrong with; ok is false if there is none.
func (s *storm) freeChip(f *fault) (chip int, ok bool) {
	chip = s.rnd.IntN(len(f.before.Chips))
	for _, other := range s.active {
		if other.chip == chip && other.mend != nil {
			return 0, false
		}
	}
	return chip, true
}

// wire returns the bus of a chip.
func (s *storm) wire(c *app.ChipHealth) *emu.Bus {
	if c.Bus == 1 {
		return s.t.Sim.SecondBus()
	}
	return s.t.Sim.Bus()
}

// failures sums up what went wrong in transfers with a chip.
func failures(h *app.Health, c *app.ChipHealth) (n uint64) {
	if c.Bus >= len(h.Buses) {
		return 0
	}
	for _, d := range h.Buses[c.Bus].Devices {
		if d.Addr == c.Addr {
			n += d.Failed() + d.Refused
		}
	}
	return n
}

func (s *storm) silence(f *fault) error {
	chip, ok := s.freeChip(f)
	if !ok {
		return nil
	}
	c := f.before.Chips[chip]
	f.chip, f.what = chip, fmt.Sprintf("chip %d (%s at 0x%02X) does not answer", chip, c.Kind, c.Addr)
	f.ends = f.began + s.between(50*time.Millisecond, 8*time.Second)
	f.mend = func() error { return s.t.Sim.HealBank(chip) }
	if f.ends-f.began > time.Second {
		f.cells = engine.Bitboard(c.Cells)
	}
	f.reported = func(before, now *app.Health) bool {
		return f.cells == 0 && (failures(now, &c) > failures(before, &c) || f.unasked())
	}
	return s.t.Sim.FailBank(chip, sim.BankNack)
}

// breakLines makes the lines of a matrix fail.
func (s *storm) breakLines(f *fault) {
	m := s.t.Sim.Matrix()
	fail, what := m.FailReads, "columns"
	if s.often(50) {
		fail, what = m.FailOuts, "rows"
	}
	f.what = "the " + what + " cannot be reached"
	if slices.ContainsFunc(s.active, func(o *fault) bool { return o.what == f.what && o.mend != nil }) {
		return
	}
	f.ends = f.began + s.between(20*time.Millisecond, 5*time.Second)
	fail(-1, errors.New("input/output error"))
	f.mend = func() error { fail(0, nil); return nil }
	if f.ends-f.began > time.Second {
		f.cells = ^engine.Bitboard(0)
	}
	f.reported = func(before, now *app.Health) bool {
		return f.cells == 0 && now.Contacts.Failed > before.Contacts.Failed
	}
}

func (s *storm) brownOut(f *fault) {
	f.ends = f.began
	f.mend = func() error { return nil }
	chips := f.before.Chips
	if chip, ok := s.freeChip(f); ok && s.often(70) {
		chips = chips[chip : chip+1]
		f.what = fmt.Sprintf("chip %d (%s at 0x%02X) is reset", chip, chips[0].Kind, chips[0].Addr)
		s.wire(&chips[0]).BrownOut(chips[0].Addr)
	} else {
		f.what = "everything on the buses is reset"
		s.t.Sim.Bus().BrownOut()
		s.t.Sim.SecondBus().BrownOut()
	}
	f.reported = func(before, now *app.Health) bool {
		for i := range now.Chips {
			if !slices.ContainsFunc(chips, func(c app.ChipHealth) bool { return c.Addr == now.Chips[i].Addr && c.Bus == now.Chips[i].Bus }) {
				continue
			}
			// One that does not answer is not there to be reset.
			if now.Chips[i].Inits == before.Chips[i].Inits && failures(now, &now.Chips[i]) == failures(before, &now.Chips[i]) {
				return false
			}
		}
		return true
	}
}

// hold lets a chip hold a line. What was wired to free it does, or the chip lets
// go by itself after a while.
func (s *storm) hold(f *fault) {
	chip, ok := s.freeChip(f)
	if !ok {
		return
	}
	c := f.before.Chips[chip]
	w := s.wire(&c)
	f.chip = chip
	switch s.rnd.IntN(3) {
	case 0:
		w.HoldSCL(c.Addr, true)
		f.what = "SCL is held"
	case 1:
		w.HoldSDA(c.Addr, -1)
		f.what = "SDA is held for good"
	default:
		w.HoldSDA(c.Addr, 1+s.rnd.IntN(9))
		f.what = "SDA is held for some clocks"
	}
	f.what += fmt.Sprintf(" by chip %d", chip)
	f.ends = f.began + s.between(time.Second, 6*time.Second)
	began := w.Stats().Transactions
	var met uint64
	f.mend = func() error {
		w.HoldSDA(c.Addr, 0)
		w.HoldSCL(c.Addr, false)
		met = w.Stats().Transactions - began
		return nil
	}
	f.reported = func(before, now *app.Health) bool {
		b, n := &before.Buses[c.Bus], &now.Buses[c.Bus]
		// A bus that nobody wanted to use meanwhile was not held for anybody.
		return n.Deaths > b.Deaths || b.Dead || met < 3
	}
}

func (s *storm) disturb(f *fault) {
	n := emu.Noise{Flips: 1e-4 * float64(1+s.rnd.IntN(10)), Nacks: 1e-3 * float64(s.rnd.IntN(11))}
	f.what = fmt.Sprintf("the wires are noisy (%+v)", n)
	f.ends = f.began + s.between(time.Second, 10*time.Second)
	set := func(n emu.Noise) {
		s.t.Sim.Bus().SetNoise(emu.AnyAddress, n)
		s.t.Sim.SecondBus().SetNoise(emu.AnyAddress, n)
	}
	set(n)
	disturbed := func() uint64 {
		return s.t.Sim.Bus().Stats().Disturbed + s.t.Sim.SecondBus().Stats().Disturbed
	}
	was := disturbed()
	f.mend = func() error { set(emu.Noise{}); return nil }
	f.reported = func(before, now *app.Health) bool {
		// A few bits may have been such that nothing depends on them.
		const few = 30
		return disturbed()-was < few || troubles(now) > troubles(before)
	}
}

// troubles sums up everything that is counted when the wires are bad.
func troubles(h *app.Health) (n uint64) {
	for i := range h.Chips {
		c := &h.Chips[i]
		n += c.Failed + c.Resets + c.Corrupt + c.Slow + failures(h, c)
	}
	return n
}

// flap gives a cell a bad joint. There is one such cell at a time, as the rules
// tell only so much of cells that are not believed.
func (s *storm) flap(f *fault) error {
	if s.t.Core.State.Masked != 0 || slices.ContainsFunc(s.active, func(o *fault) bool { return o.kind == flapFault }) {
		return nil
	}
	cell, hz := s.rnd.IntN(int(engine.Squares)), 1+19*s.rnd.Float64()
	if s.analog {
		// Its sensor loses the field of the disc that lies there, and what is
		// sampled nine times a second shows no more than four flaps in it.
		var lying []int
		for c, face := range s.t.Sim.Faces() {
			if face != sim.NoDisc {
				lying = append(lying, c)
			}
		}
		cell, hz = lying[s.rnd.IntN(len(lying))], 1.5+2.5*s.rnd.Float64()
		f.ofDisc = true
	}
	f.cells = engine.Square(cell).Bit()
	f.what = fmt.Sprintf("cell %v flaps at %.1f Hz", engine.Square(cell), hz)
	f.ends = f.began + s.between(flapFor, 20*time.Second)
	f.mend = func() error { return s.t.Sim.HealCell(cell) }
	f.reported = func(_, _ *app.Health) bool { return false } // It must have been masked.
	return s.t.Sim.FailCell(cell, sim.CellFault{Kind: sim.Flapping, Hz: hz})
}

func (s *storm) deafen(f *fault) {
	if slices.ContainsFunc(s.active, func(o *fault) bool { return o.kind == deafFault }) {
		return
	}
	f.what = "interrupts get lost"
	f.ends = f.began + s.between(3*time.Second, 15*time.Second)
	s.t.Sim.LoseInterrupts(true)
	f.mend = func() error { s.t.Sim.LoseInterrupts(false); return nil }
	f.reported = func(before, _ *app.Health) bool {
		// Whether the last change was missed is known one scan later.
		b, e := before.Interrupts, f.end.Interrupts
		return e.Missed > b.Missed || e.Changes <= b.Changes+1
	}
}

// pullLEDs pulls the LEDs off their plug, or takes their port away, which is the
// only one of the two that a controller can notice where they are on SPI.
func (s *storm) pullLEDs(f *fault) {
	if slices.ContainsFunc(s.active, func(o *fault) bool { return o.kind == ledFault && o.mend != nil }) {
		return
	}
	b := s.t.Sim
	// A strip that shows the same is told so every 5 s.
	f.ends = f.began + s.between(6*time.Second, 12*time.Second)
	gone := errors.New("no such device")
	var fail func(err error)
	var unplug func(off bool)
	switch s.driver {
	case configs.HT16K33:
		m := b.Module()
		f.what = "the LED module is unplugged"
		b.Bus().Detach(m.Address())
		m.PowerCycle()
		f.mend = func() error { b.Bus().Attach(m); return nil }
	case configs.WS2812:
		fail, unplug = b.Chain().Fail, b.Chain().Unplug
	case configs.MAX7219:
		fail, unplug = b.Digits().Fail, b.Digits().Unplug
	default:
		fail, unplug = b.Strip().Fail, b.Strip().Unplug
	}
	f.reported = func(before, now *app.Health) bool { return now.LEDs.Failed > before.LEDs.Failed }
	switch {
	case fail == nil:
	case s.often(50):
		f.what = "the LEDs' port is gone"
		fail(gone)
		f.mend = func() error { fail(nil); return nil }
	default:
		f.what = "the LEDs are unplugged"
		unplug(true)
		f.mend = func() error { unplug(false); return nil }
		f.reported = nil
	}
}

func (s *storm) pullDisplay(f *fault) {
	if slices.ContainsFunc(s.active, func(o *fault) bool { return o.kind == displayFault && o.mend != nil }) {
		return
	}
	b := s.t.Sim
	f.what = "the display is unplugged"
	// It is asked whether it is there every 5 s.
	f.ends = f.began + s.between(6*time.Second, 12*time.Second)
	b.Bus().Detach(s.oled)
	b.OLED().PowerCycle()
	f.mend = func() error { b.Bus().Attach(b.OLED()); return nil }
	f.reported = func(before, now *app.Health) bool { return now.OLED.Failed > before.OLED.Failed }
}

// stall stops a converter, or lets the select lines fail.
func (s *storm) stall(f *fault) error {
	f.ends = f.began + s.between(300*time.Millisecond, 5*time.Second)
	if s.often(50) {
		f.what = "the select lines fail"
		s.t.Sim.Select().FailOuts(-1, errors.New("input/output error"))
		f.mend = func() error { s.t.Sim.Select().FailOuts(0, nil); return nil }
		f.reported = func(before, now *app.Health) bool { return now.Scans.Failed > before.Scans.Failed }
		return nil
	}
	chip, ok := s.freeChip(f)
	if !ok {
		return nil
	}
	c := f.before.Chips[chip]
	f.chip, f.what = chip, fmt.Sprintf("converter %d does not finish", chip)
	f.mend = func() error { return s.t.Sim.HealBank(chip) }
	f.reported = func(before, now *app.Health) bool {
		return now.Chips[chip].Slow > before.Chips[chip].Slow || failures(now, &c) > failures(before, &c) || f.unasked()
	}
	return s.t.Sim.FailBank(chip, sim.BankFrozen)
}
