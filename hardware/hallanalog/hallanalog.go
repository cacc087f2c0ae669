package hallanalog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/hardware"
	"reversi-board/hardware/ads1115"
)

const (
	// agree is how far two reads of a cell that proves itself may differ, and how
	// far one may be from the last without being read again.
	agree = 255
	// slowLimit is how many conversions in a row may fail to finish before a
	// converter is left alone.
	slowLimit = 3
	// initFirst and initMax bound the wait before a converter that answers but
	// does not work is tried again.
	initFirst = 100 * time.Millisecond
	initMax   = 5 * time.Second
	// tries is how often a conversion is made in one scan: once more if the
	// converter did not answer.
	tries = 2
)

// State is what a Board thinks of a converter.
type State uint8

const (
	// Absent means the converter must be initialised before it is used.
	Absent State = iota
	// Proving means initialised, but there are cells whose reads do not count
	// yet.
	Proving
	// Live means that the reads of all cells count.
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

// ADCStats is what is known of one converter.
type ADCStats struct {
	Addr  uint16
	Cells uint64 // The cells behind this converter, bit n for cell n.
	State State
	// Good counts conversions, Failed everything that failed, Slow the
	// conversions among them that did not finish in time, Inits complete
	// initialisations, Resets registers found lost, Unequal results that were
	// contradicted by another look right after them.
	Good, Failed, Slow, Inits, Resets, Unequal uint64
	// LastGood is the time given to the Scan of the last good conversion.
	LastGood time.Duration
	// Err is the last failure, or nil.
	Err error
}

// row is the cell that each converter converts in one step of a channel, or
// none.
type row [MaxADCs]int8

const none = -1

// Board reads all cells. It is safe for concurrent use, but one scanner is what
// it is meant for.
type Board struct {
	bus    *hardware.Bus
	sel    Selector
	settle time.Duration
	sleep  func(d time.Duration)
	// plan is what to convert at each channel, step by step.
	plan  [Channels][]row
	cells [Cells]Cell

	// mu is held during a Scan and guards all that follows.
	mu   sync.Mutex
	adcs []adc
	win  *hardware.Window
	// upkeepRequest and channelRequest are b.upkeep and b.convert, bound once.
	upkeepRequest, channelRequest func(tx i2c.Bus) error

	now     time.Duration
	tick    uint64
	channel int  // The one that is selected.
	first   int  // The one that the next scan begins with.
	blamed  bool // It is the turn of the converters that are blamed.
	aborted bool // The whole bus failed in this scan.
	read    int  // Conversions in this scan.
	reset   uint64
	err     error // First failure of this scan.

	// counts are the last reads that counted, fresh says how old they are. unsure
	// cells were read in this scan, and the read does not count yet.
	counts [Cells]uint16
	fresh  [Cells]hardware.Freshness
	unsure uint64
	// live cells' reads count. once cells are not live and have been read since
	// they last were, with what is in candidate. gone cells are Lost until they
	// are live again.
	live, once, gone uint64
	candidate        [Cells]uint16
}

// adc is one converter.
type adc struct {
	dev   *ads1115.Dev
	what  ADCStats
	ready bool // Initialised.
	// suspect asks for a look at the canary in this scan.
	suspect bool
	// hung means that the bus died in this scan while this converter was talked
	// to, blamed that it did so in the scan before: then the others come first.
	hung, blamed bool
	// resting means that it did not answer twice and is left out for the rest of
	// this scan.
	resting bool
	slow    int // Conversions in a row that did not finish.
	initAt  time.Duration
	backoff time.Duration
}

// New returns the board behind bus and sel, or an error that says what is wrong
// with the wiring. It sends nothing; the first Scan initialises the converters.
func New(bus *hardware.Bus, sel Selector, c Config) (*Board, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Board{
		bus: bus, sel: sel, settle: max(c.Settle, MinSettle), sleep: c.Sleep,
		cells: c.Cells,
		adcs:  make([]adc, len(c.Addrs)),
		win:   hardware.NewWindow(bus),
		gone:  ^uint64(0), // Nothing is known before the first good reads.
	}
	if b.sleep == nil {
		b.sleep = time.Sleep
	}
	b.upkeepRequest, b.channelRequest = b.upkeep, b.convert
	for i, addr := range c.Addrs {
		b.adcs[i].dev = ads1115.New(b.win, addr)
		b.adcs[i].what.Addr = addr
	}
	for i, cell := range c.Cells {
		b.adcs[cell.ADC].what.Cells |= 1 << i
		b.schedule(i, cell)
	}
	return b, nil
}

// schedule puts a cell into the first step of its channel in which its
// converter has nothing else to do.
func (b *Board) schedule(i int, cell Cell) {
	steps := &b.plan[cell.Channel]
	for k := range *steps {
		if (*steps)[k][cell.ADC] == none {
			(*steps)[k][cell.ADC] = int8(i)
			return
		}
	}
	r := row{none, none, none, none}
	r[cell.ADC] = int8(i)
	*steps = append(*steps, r)
}

// Scan reads all cells and fills f, with Analog set. now is the time since an
// arbitrary start and must not go back; it stands for all cells, although the
// last one is read up to 0.1 s later than the first.
//
// It returns an error only if no cell at all could be read, because the bus is
// dead or closed, the board has no power, the select lines fail, or ctx ended; f
// is filled even then. Everything less shows in f. In a steady state it
// allocates nothing.
func (b *Board) Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.aborted, b.read, b.reset, b.unsure, b.err = now, false, 0, 0, 0, nil
	err := b.scan(ctx)
	b.tick++
	b.age()
	*f = hardware.Frame{Analog: true, Counts: b.counts, Lost: b.gone, Stale: b.stale(), Reset: b.reset}
	if err == nil && b.read == 0 {
		err = b.err
	}
	if err != nil {
		return fmt.Errorf("scan the board: %w", err)
	}
	return nil
}

// Stats returns what is known of the converters, in the order of Config.Addrs.
// It waits for a Scan that runs.
func (b *Board) Stats() []ADCStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]ADCStats, len(b.adcs))
	for i := range b.adcs {
		a := &b.adcs[i]
		out[i] = a.what
		switch {
		case !a.ready:
			out[i].State = Absent
		case a.what.Cells&^b.live != 0:
			out[i].State = Proving
		default:
			out[i].State = Live
		}
	}
	return out
}

// scan converts what can be converted, then looks after the converters; the
// other way round if there is nothing to convert yet.
func (b *Board) scan(ctx context.Context) error {
	ready := false
	for i := range b.adcs {
		a := &b.adcs[i]
		a.hung, a.blamed, a.resting = false, a.hung, false
		ready = ready || a.ready
	}
	if !ready {
		if err := b.bus.Do(ctx, hardware.PrioScan, b.upkeepRequest); err != nil || b.aborted {
			return err
		}
		return b.sweep(ctx)
	}
	if err := b.sweep(ctx); err != nil || b.aborted {
		return err
	}
	return b.bus.Do(ctx, hardware.PrioScan, b.upkeepRequest)
}

// upkeep is the request that initialises converters and checks canaries.
func (b *Board) upkeep(tx i2c.Bus) error {
	b.win.Open(hardware.Once(tx))
	defer b.win.Close()
	due := int(b.tick % uint64(len(b.adcs)))
	for _, blamed := range [...]bool{false, true} {
		for i := range b.adcs {
			a := &b.adcs[i]
			if a.blamed != blamed || b.aborted {
				continue
			}
			if err := b.prepare(a, i == due); err != nil {
				b.fail(a, err)
			}
		}
	}
	return nil
}

// prepare makes a converter ready, or looks whether it still is.
func (b *Board) prepare(a *adc, due bool) error {
	if !a.ready {
		if b.now < a.initAt {
			b.note(a.what.Err)
			return nil
		}
		return b.initialise(a)
	}
	if !due && !a.suspect {
		return nil
	}
	intact, err := a.dev.Canary()
	if err != nil {
		return err
	}
	a.suspect = false
	if intact {
		return nil
	}
	return b.revive(a)
}

// revive initialises a converter that has lost its registers.
func (b *Board) revive(a *adc) error {
	a.what.Resets++
	b.reset |= a.what.Cells
	return b.initialise(a)
}

// initialise writes all registers and lets the cells prove themselves.
func (b *Board) initialise(a *adc) error {
	a.ready = false
	b.live &^= a.what.Cells
	b.once &^= a.what.Cells
	if err := a.dev.Init(); err != nil {
		if errors.Is(err, ads1115.ErrRegister) {
			b.postpone(a)
		}
		return err
	}
	a.ready, a.suspect, a.slow = true, false, 0
	a.what.Inits++
	return nil
}

// postpone leaves a converter that answers but does not work alone, longer each
// time: every try costs time that the others wait for.
func (b *Board) postpone(a *adc) {
	a.ready = false
	a.backoff = min(max(2*a.backoff, initFirst), initMax)
	a.initAt = b.now + a.backoff
}

// sweep goes through the channels, a second time for converters that are
// blamed: one that kills the bus must not keep the others from being read.
func (b *Board) sweep(ctx context.Context) error {
	var from int
	from, b.first = b.first, 0
	for _, b.blamed = range [...]bool{false, true} {
		for i := range Channels {
			if b.aborted {
				return nil
			}
			b.channel = (from + i) % Channels
			if err := b.visit(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// visit selects the channel and converts it, if it has something to convert.
func (b *Board) visit(ctx context.Context) error {
	if !b.wanted() {
		return nil
	}
	if err := b.sel.Select(b.channel); err != nil {
		b.note(fmt.Errorf("select channel %d of the multiplexers: %w", b.channel, err))
		return nil // The other channels may still be selected; Scan reports it if none can.
	}
	b.sleep(b.settle)
	return b.bus.Do(ctx, hardware.PrioScan, b.channelRequest)
}

// wanted reports whether a converter whose turn it is has a cell at the channel.
func (b *Board) wanted() bool {
	for _, r := range b.plan[b.channel] {
		for i := range b.adcs {
			if r[i] != none && b.turn(&b.adcs[i]) {
				return true
			}
		}
	}
	return false
}

// turn reports whether a converter can be used now.
func (b *Board) turn(a *adc) bool {
	return a.ready && !a.resting && a.blamed == b.blamed && !b.aborted
}

// convert is the request for the channel that is selected.
func (b *Board) convert(tx i2c.Bus) error {
	b.win.Open(hardware.Once(tx))
	defer b.win.Close()
	for _, r := range b.plan[b.channel] {
		for range tries {
			r = b.step(r)
		}
		for i := range b.adcs {
			b.adcs[i].resting = b.adcs[i].resting || r[i] != none
		}
		if b.aborted {
			b.first = (b.channel + 1) % Channels
			return nil
		}
	}
	return nil
}

// step makes the conversions of a row at the same time and returns those that
// are worth another try.
func (b *Board) step(r row) (again row) {
	again = row{none, none, none, none}
	var started row
	busy := false
	for i := range b.adcs {
		a := &b.adcs[i]
		started[i] = none
		if r[i] == none || !b.turn(a) {
			continue
		}
		if err := a.dev.Start(b.cells[r[i]].AIN); err != nil {
			if b.fail(a, err) {
				again[i] = r[i]
			}
			continue
		}
		started[i], busy = r[i], true
	}
	if !busy || b.aborted {
		return again
	}
	b.sleep(ads1115.Conversion)
	for i := range b.adcs {
		a := &b.adcs[i]
		if started[i] == none || b.aborted {
			continue
		}
		v, err := b.result(a, int(started[i]))
		if err == nil {
			b.accept(a, int(started[i]), v)
		} else if b.fail(a, err) {
			again[i] = r[i]
		}
	}
	return again
}

// result reads a conversion. One that differs from the last is read again, as I²C
// has no check sum: two equal reads count, or what two of three say of each bit.
func (b *Board) result(a *adc, cell int) (int16, error) {
	v, err := a.dev.Result()
	if err != nil || b.live>>cell&1 == 0 || apart(toCount(v), b.counts[cell]) <= agree {
		return v, err
	}
	second, err := a.dev.Again()
	if err != nil || second == v {
		return v, err
	}
	a.what.Unequal++
	third, err := a.dev.Again()
	return v&second | v&third | second&third, err
}

// toCount returns a result as a count: ground may read a little below 0.
func toCount(v int16) uint16 { return uint16(max(v, 0)) }

// fail takes a failure into account and reports whether trying again at once
// makes sense.
func (b *Board) fail(a *adc, err error) (again bool) {
	a.what.Failed++
	a.what.Err = err
	a.suspect = true
	b.note(err)
	switch {
	case hardware.WholeBus(err):
		a.hung, b.aborted = true, true
		return false
	case b.bus.Open(a.what.Addr):
		a.ready = false
		return false
	case errors.Is(err, ads1115.ErrSlow):
		a.what.Slow++
		a.slow++
		if a.slow >= slowLimit {
			b.postpone(a)
		}
		return false
	case errors.Is(err, ads1115.ErrRegister):
		if !a.ready {
			return false // It was just initialised in vain.
		}
		if err := b.revive(a); err != nil {
			return b.fail(a, err)
		}
		return true
	}
	return a.ready && hardware.Classify(err) == hardware.NACK
}

// note keeps the first failure of a scan.
func (b *Board) note(err error) {
	if b.err == nil {
		b.err = err
	}
}

// accept takes a conversion into account.
func (b *Board) accept(a *adc, cell int, v int16) {
	b.read++
	a.slow, a.backoff = 0, 0
	a.what.Good++
	a.what.LastGood = b.now
	bit := uint64(1) << cell
	count := toCount(v)
	if b.live&bit == 0 {
		if b.once&bit == 0 || apart(count, b.candidate[cell]) > agree {
			b.once |= bit
			b.candidate[cell] = count
			b.unsure |= bit
			return
		}
		b.once &^= bit
		b.live |= bit
		b.gone &^= bit
	}
	b.counts[cell] = count
	b.fresh[cell].Read(b.now)
}

func apart(a, b uint16) uint16 { return max(a, b) - min(a, b) }

// stale returns the cells that were not read in this scan, and are not too old.
func (b *Board) stale() (cells uint64) {
	for i := range b.fresh {
		if b.fresh[i].At() != b.now {
			cells |= 1 << i
		}
	}
	return cells &^ b.gone
}

// age finds the cells that have become too old, and the converters that are not
// asked any more.
func (b *Board) age() {
	lost := b.gone
	for i := range b.fresh {
		f := &b.fresh[i]
		switch {
		case f.At() == b.now:
		case b.unsure>>i&1 == 1:
			f.Unsure()
		default:
			f.Missed()
		}
		if f.Stale(b.now) {
			lost |= 1 << i
		}
	}
	for i := range b.adcs {
		if b.bus.Open(b.adcs[i].what.Addr) {
			lost |= b.adcs[i].what.Cells
			b.adcs[i].ready = false
		}
	}
	b.live &^= lost &^ b.gone
	b.gone = lost
}
