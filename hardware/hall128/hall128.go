package hall128

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"

	"reversi-board/hardware"
	"reversi-board/hardware/tca9555"
)

const (
	// Stale is the age beyond which a bank's last good read is not believed.
	Stale = 250 * time.Millisecond
	// checkEvery is how many scans share one register check.
	checkEvery = 2
	// initFirst and initMax bound the wait before a chip whose registers do
	// not hold what was written is tried again.
	initFirst = 100 * time.Millisecond
	initMax   = 5 * time.Second
)

// State is what a Board thinks of a bank.
type State uint8

const (
	// Absent means the chip must be initialised before it is read.
	Absent State = iota
	// Proving means initialised, but its reads do not count yet.
	Proving
	// Live means its reads count.
	Live
)

// String returns the state's name for reports.
func (s State) String() string {
	switch s {
	case Absent:
		return "absent"
	case Proving:
		return "proving"
	case Live:
		return "live"
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// BankStats is what is known of one chip.
type BankStats struct {
	Addr  uint16
	Cells uint64 // The cells on this chip, bit n for cell n.
	State State
	// Good and Failed count reads, Inits complete initialisations, Resets
	// registers found lost.
	Good, Failed, Inits, Resets uint64
	// LastGood is the time given to the Scan of the last good read.
	LastGood time.Duration
	// Err is the last failure, or nil.
	Err error
}

// Board reads all cells. It is safe for concurrent use, but one scanner is
// what it is meant for.
type Board struct {
	bus  *hardware.Bus
	park bool

	// mu is held during a Scan and guards all that follows.
	mu    sync.Mutex
	chips [Chips]bank
	win   window
	round func(tx i2c.Bus) error // b.scan, bound once.
	now   time.Duration
	tick  uint64
	first int // The chip that the next scan begins with.
	read  int // Chips that answered in this scan.
	reset uint64
	err   error // First failure of this scan.
}

// bank is one chip and what it last said.
type bank struct {
	dev  *tca9555.Dev
	what BankStats
	// north and south are the cells behind each pin.
	north, south [pins]uint64
	// n and s are the active outputs of the last good read.
	n, s  uint64
	value uint16 // The last read, good or proving.
	known bool   // value and, once live, n and s are set.
	// gone means that the cells are Lost until the bank is live again.
	gone bool
	// suspect asks for a canary with the next read.
	suspect bool
	initAt  time.Duration
	backoff time.Duration
}

// New returns the board behind bus, or an error that says what is wrong with
// the wiring. It sends nothing; the first Scan initialises the chips.
func New(bus *hardware.Bus, c Config) (*Board, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Board{bus: bus, park: c.Park}
	b.round = b.scan
	b.win.name = bus
	for i := range b.chips {
		b.chips[i].dev = tca9555.New(&b.win, c.Addrs[i])
		b.chips[i].what.Addr = c.Addrs[i]
		b.chips[i].gone = true // Nothing is known before the first good read.
	}
	for i, cell := range c.Cells {
		k := &b.chips[cell.Chip]
		k.north[cell.NorthPin] = 1 << i
		k.south[cell.SouthPin] = 1 << i
		k.what.Cells |= 1 << i
	}
	return b, nil
}

// Scan reads all chips in one request of the bus and fills f. now is the time
// since an arbitrary start and must not go back.
//
// It returns an error only if no chip at all could be read, because the bus is
// dead or closed, the board has no power, or ctx ended; f is filled even then.
// Everything less shows in f. In a steady state it allocates nothing.
func (b *Board) Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.read, b.reset, b.err = now, 0, 0, nil
	err := b.bus.Do(ctx, hardware.PrioScan, b.round)
	b.tick++
	*f = hardware.Frame{Reset: b.reset}
	for i := range b.chips {
		k := &b.chips[i]
		if b.lost(k) {
			k.gone = true
			f.Lost |= k.what.Cells
			// A bank on its way back has no good read yet and goes on proving.
			if k.what.State == Live || b.bus.Open(k.what.Addr) {
				k.what.State = Absent
			}
		}
		f.North |= k.n
		f.South |= k.s
	}
	if err == nil && b.read == 0 {
		err = b.err
	}
	if err != nil {
		return fmt.Errorf("scan the board: %w", err)
	}
	return nil
}

// Stats returns what is known of the chips, in the order of Config.Addrs. It
// waits for a Scan that runs.
func (b *Board) Stats() [Chips]BankStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out [Chips]BankStats
	for i := range b.chips {
		out[i] = b.chips[i].what
	}
	return out
}

// lost reports whether a bank's cells are unknown.
func (b *Board) lost(k *bank) bool {
	return k.gone || b.now-k.what.LastGood > Stale || b.bus.Open(k.what.Addr)
}

// scan is the request: every chip once, then those again that did not answer.
func (b *Board) scan(tx i2c.Bus) error {
	b.win.tx = hardware.Once(tx)
	defer func() { b.win.tx = nil }()
	begin, check := b.first, b.due()
	b.first = 0
	var again [Chips]bool
	for i := range Chips {
		at := (begin + i) % Chips
		k := &b.chips[at]
		err := b.visit(k, check, at)
		if err == nil {
			continue
		}
		if wholeBus(err) {
			b.first = (at + 1) % Chips
			return nil
		}
		again[at] = k.what.State == Live && hardware.Classify(err) == hardware.NACK && !b.bus.Open(k.what.Addr)
	}
	for at := range again {
		if !again[at] {
			continue
		}
		if err := b.visit(&b.chips[at], check, at); err != nil && wholeBus(err) {
			return nil
		}
	}
	return nil
}

// wholeBus reports whether a failure is not the chip's own.
func wholeBus(err error) bool {
	switch hardware.Classify(err) {
	case hardware.Timeout, hardware.IO, hardware.ArbLost:
		return true
	case hardware.OK, hardware.NACK, hardware.Unsupported, hardware.Other:
	}
	return false
}

// A check is one register pair of one chip.
type check struct {
	chip int // -1: none in this scan.
	kind checkKind
}

type checkKind uint8

const (
	checkCanary checkKind = iota
	checkConfig
	checkPolarity
)

// due returns this scan's check. Canaries take every second turn; the other
// turns go round configuration and polarity of all chips.
func (b *Board) due() check {
	if b.tick%checkEvery != 0 {
		return check{chip: -1}
	}
	turn := b.tick / checkEvery
	c := check{chip: int(turn / 2 % Chips)}
	switch {
	case turn%2 == 0:
		c.kind = checkCanary
	case turn/2/Chips%2 == 0:
		c.kind = checkConfig
	default:
		c.kind = checkPolarity
	}
	return c
}

// visit does with one chip what its state asks for.
func (b *Board) visit(k *bank, due check, at int) error {
	err := b.talk(k, due, at)
	if err != nil {
		k.what.Failed++
		k.what.Err = err
		k.suspect = true
		if b.err == nil {
			b.err = err
		}
	}
	return err
}

func (b *Board) talk(k *bank, due check, at int) error {
	if k.what.State == Absent {
		if b.now < k.initAt {
			return k.what.Err
		}
		if err := b.initialise(k); err != nil {
			return err
		}
	}
	checking := due.chip == at || k.suspect
	v, err := k.dev.ReadInputs(b.park && !checking)
	if err != nil {
		return err
	}
	if checking {
		kind := due.kind
		if due.chip != at {
			kind = checkCanary
		}
		intact, err := k.inspect(kind)
		if err != nil {
			return err
		}
		if !intact {
			k.what.Resets++
			b.reset |= k.what.Cells
			b.read++
			return b.initialise(k)
		}
		k.suspect = false
	}
	b.read++
	b.accept(k, v)
	return nil
}

// initialise writes all registers and lets the chip prove itself. A chip that
// answers but does not hold its registers is tried again later and later: each
// try is 258 clocks that the others wait for.
func (b *Board) initialise(k *bank) error {
	k.what.State = Absent
	k.known = false
	err := k.dev.Init()
	if errors.Is(err, tca9555.ErrRegister) {
		k.backoff = min(max(2*k.backoff, initFirst), initMax)
		k.initAt = b.now + k.backoff
	}
	if err != nil {
		return err
	}
	k.backoff = 0
	k.suspect = false
	k.what.State = Proving
	k.what.Inits++
	return nil
}

// inspect reads one register pair back.
func (k *bank) inspect(kind checkKind) (intact bool, err error) {
	switch kind {
	case checkCanary:
		return k.dev.Canary()
	case checkConfig:
		return k.dev.Configuration()
	case checkPolarity:
		return k.dev.Polarity()
	}
	return true, nil
}

// accept takes a read into account.
func (b *Board) accept(k *bank, v uint16) {
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
	k.what.LastGood = b.now
	if v != k.value {
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

// errNoScan is returned for transfers outside of a scan; it would be a mistake
// in this package.
var errNoScan = errors.New("a chip of the board was talked to outside of a scan")

// window is the bus as the chips' drivers see it: open during a scan only.
type window struct {
	tx   i2c.Bus
	name fmt.Stringer
}

// Tx implements i2c.Bus.
func (w *window) Tx(addr uint16, out, in []byte) error {
	if w.tx == nil {
		return errNoScan
	}
	return w.tx.Tx(addr, out, in)
}

// SetSpeed implements i2c.Bus.
func (w *window) SetSpeed(physic.Frequency) error { return errNoScan }

// String implements i2c.Bus.
func (w *window) String() string { return w.name.String() }
