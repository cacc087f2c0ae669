package hall128

import (
	"math/bits"
	"time"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/hardware"
)

const (
	// registerEvery is how many checks, one a scan, share one that is no canary.
	registerEvery = 4
	// initFirst and initMax bound the wait before a chip whose registers do
	// not hold what was written is tried again.
	initFirst = 100 * time.Millisecond
	initMax   = 5 * time.Second
	// jump is how many pins of a chip change at once before the change is taken
	// for a disturbance until the chip has shown its canary. A hand turns one
	// disc: two pins.
	jump = 3
	// looks is how often a part of a chip must be found changed.
	looks = 3
	// implausibleLimit is how many implausible reads in a row mean that the
	// chip, and not the wire, is to blame.
	implausibleLimit = 2
)

// line is one bus and the chips on it.
type line struct {
	bus   *hardware.Bus
	win   *hardware.Window
	chips []*bank
	round func(tx i2c.Bus) error // l.scan, bound once.

	// What follows is of the scan that runs.
	now     time.Duration
	turn    uint64
	read    int    // Chips that answered.
	changed bool   // A live chip reads other than before.
	reset   uint64 // Cells of chips that were initialised again.
	err     error  // First failure.

	first int  // The chip that the next scan begins with.
	dead  bool // The last scan ended because of the bus.
}

// bank is one chip and what it last said.
type bank struct {
	dev  expander
	what BankStats
	// north and south are the cells behind each pin.
	north, south [pins]uint64
	// n and s are the active outputs of the last good read.
	n, s  uint64
	value uint16 // The last read, good or proving.
	known bool   // value and, once live, n and s are set.
	// fresh says how old the last read that counts is. answered says that the chip
	// answered in this scan, whether or not that counts.
	fresh    hardware.Freshness
	answered bool
	// gone means that the cells are Lost until the bank is live again.
	gone bool
	// suspect asks for a canary with the next read.
	suspect bool
	// owes means that a loss of registers was found and is to be reported when
	// they are written again.
	owes bool
	// odd counts implausible reads in a row.
	odd     int
	initAt  time.Duration
	backoff time.Duration
}

// scan is the request: every chip once, then those again that did not answer.
func (l *line) scan(tx i2c.Bus) error {
	l.win.Open(hardware.Once(tx))
	defer l.win.Close()
	begin, check := l.first, l.due()
	l.first, l.dead = 0, false
	for _, k := range l.chips {
		k.answered = false
	}
	var again [MaxChips]bool
	for i := range l.chips {
		at := (begin + i) % len(l.chips)
		k := l.chips[at]
		err := l.visit(k, check, at)
		if err == nil {
			continue
		}
		if hardware.WholeBus(err) {
			l.die(at)
			return nil
		}
		again[at] = k.what.State == Live && !l.bus.Open(k.what.Addr) &&
			(hardware.Classify(err) == hardware.NACK || implausible(err))
	}
	for at, k := range l.chips {
		if !again[at] {
			continue
		}
		if err := l.visit(k, check, at); err != nil && hardware.WholeBus(err) {
			l.die(at)
			return nil
		}
	}
	return nil
}

// die ends a scan at a failure of the whole bus. Whatever freed it in the end,
// pulses or the supply, may have cost the chips their registers.
func (l *line) die(at int) {
	l.dead = true
	l.first = (at + 1) % len(l.chips)
	for _, k := range l.chips {
		k.suspect = true
	}
}

// A check is one part of one chip.
type check struct {
	chip int
	part int
}

// due returns this scan's check. Three of four are canaries; the fourth goes
// round all other parts of all chips.
func (l *line) due() check {
	n := uint64(len(l.chips))
	others := l.turn / registerEvery
	if l.turn%registerEvery != registerEvery-1 {
		return check{chip: int((l.turn - others) % n)}
	}
	chip := int(others % n)
	parts := uint64(l.chips[chip].dev.Checks() - 1)
	return check{chip: chip, part: 1 + int(others/n%parts)}
}

// visit does with one chip what its state asks for.
func (l *line) visit(k *bank, due check, at int) error {
	err := l.talk(k, due, at)
	if err != nil {
		k.what.Failed++
		k.what.Err = err
		k.suspect = true
		if l.err == nil {
			l.err = err
		}
	}
	return err
}

func (l *line) talk(k *bank, due check, at int) error {
	if k.what.State == Absent {
		if l.now < k.initAt {
			return k.what.Err
		}
		if err := l.initialise(k); err != nil {
			return err
		}
	}
	v, err := k.sample()
	if implausible(err) {
		return l.question(k, err)
	}
	if err != nil {
		return err
	}
	k.odd = 0
	doubtful := k.doubtful(v)
	switch {
	case doubtful || k.suspect:
		err = l.inspect(k, 0)
	case due.chip == at:
		err = l.inspect(k, due.part)
	default:
		err = k.dev.Leave()
	}
	if err != nil {
		return err
	}
	l.read++
	k.answered = true
	if k.what.State == Absent {
		return nil
	}
	if doubtful && k.known { // It has not just been initialised.
		if same, err := k.still(v); err != nil || !same {
			return err
		}
	}
	l.accept(k, v)
	return nil
}

// sample reads the inputs. A live chip that reads other than before is read
// again, as I²C has no check sum: two equal reads count, or what two of three
// say of each pin.
func (k *bank) sample() (uint16, error) {
	v, err := k.dev.ReadInputs()
	if err != nil || k.what.State != Live || v == k.value {
		return v, err
	}
	second, err := k.dev.ReadInputs()
	if err != nil || second == v {
		return v, err
	}
	k.what.Unequal++
	third, err := k.dev.ReadInputs()
	return v&second | v&third | second&third, err
}

// doubtful reports whether a read would change so much that the chip must show
// its canary first and then read the same again: many pins at once, or a bank
// that goes live.
func (k *bank) doubtful(v uint16) bool {
	if k.what.State == Live {
		return bits.OnesCount16(v^k.value) >= jump
	}
	return k.known && v == k.value
}

// still reports whether the inputs still read v, after the canary.
func (k *bank) still(v uint16) (bool, error) {
	again, err := k.dev.ReadInputs()
	if err != nil {
		return false, err
	}
	if again != v {
		k.what.Unequal++
	}
	return again == v, k.dev.Leave()
}

// question finds out whose fault an implausible read is. A chip that still has
// its canary may have been disturbed once, not again and again.
func (l *line) question(k *bank, cause error) error {
	k.what.Implausible++
	k.odd++
	intact, err := k.check(0)
	switch {
	case err != nil:
		return err
	case intact && k.odd < implausibleLimit:
		return cause
	case !intact:
		k.what.Canaries++
	}
	return l.repair(k)
}

// inspect checks a part of a chip, and initialises the chip if it is not as it
// was left.
func (l *line) inspect(k *bank, part int) error {
	intact, err := k.check(part)
	if err != nil {
		return err
	}
	if intact {
		k.suspect = false
		return nil
	}
	if part == 0 {
		k.what.Canaries++
	}
	return l.repair(k)
}

// check looks at a part of the chip, and twice more before it finds fault with
// it: a look may have been disturbed on its way.
func (k *bank) check(part int) (intact bool, err error) {
	for range looks {
		if intact, err = k.dev.Check(part); err != nil || intact {
			return intact, err
		}
		k.what.Unequal++
	}
	k.what.Unequal -= looks // They agreed.
	return false, nil
}

// repair initialises a chip that was found changed. Its reads count again when
// it has proved itself.
func (l *line) repair(k *bank) error {
	k.what.Resets++
	k.owes = true
	return l.initialise(k)
}

// initialise writes all registers and lets the chip prove itself. A chip that
// answers but does not hold its registers is tried again later and later: each
// try is some hundred clocks that the others wait for.
func (l *line) initialise(k *bank) error {
	k.what.State = Absent
	k.known = false
	err := k.dev.Init()
	if hopeless(err) {
		k.backoff = min(max(2*k.backoff, initFirst), initMax)
		k.initAt = l.now + k.backoff
	}
	if err != nil {
		return err
	}
	k.backoff, k.odd = 0, 0
	k.suspect = false
	k.what.State = Proving
	k.what.Inits++
	if k.owes {
		k.owes = false
		l.reset |= k.what.Cells
	}
	return nil
}

// accept takes a read into account.
func (l *line) accept(k *bank, v uint16) {
	k.what.Good++
	if k.what.State == Proving {
		if !k.known || v != k.value {
			k.known, k.value = true, v
			return
		}
		k.what.State = Live
		k.gone = false
		k.show(v)
	}
	k.what.LastGood = l.now
	k.fresh.Read(l.now)
	if v != k.value {
		l.changed = true
		k.value = v
		k.show(v)
	}
}

// show turns pin levels into cells; the outputs are active low.
func (k *bank) show(v uint16) {
	k.n, k.s = 0, 0
	for p := range pins {
		if v>>p&1 == 0 {
			k.n |= k.north[p]
			k.s |= k.south[p]
		}
	}
}

// lost reports whether a bank's cells are unknown.
func (l *line) lost(k *bank) bool {
	return k.gone || k.fresh.Stale(l.now) || l.bus.Open(k.what.Addr)
}

// age notes what became of a bank in this scan.
func (l *line) age(k *bank) {
	switch {
	case k.what.LastGood == l.now:
	case k.answered:
		k.fresh.Unsure()
	default:
		k.fresh.Missed()
	}
}

// report adds the line's cells to a frame and lets go of banks that are lost.
func (l *line) report(f *hardware.Frame) {
	f.Reset |= l.reset
	for _, k := range l.chips {
		l.age(k)
		if l.lost(k) {
			k.gone, k.owes = true, false
			f.Lost |= k.what.Cells
			// A bank on its way back has no good read yet and goes on proving.
			if k.what.State == Live || l.bus.Open(k.what.Addr) {
				k.what.State = Absent
			}
		} else if k.what.LastGood != l.now {
			f.Stale |= k.what.Cells
		}
		f.North |= k.n
		f.South |= k.s
	}
}
