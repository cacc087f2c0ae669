package hall128

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/hardware"
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

// Stats is what is known of a board. Counters only grow.
type Stats struct {
	// Scans counts calls of Scan.
	Scans uint64
	// Changes counts scans that found some cell other than before,
	// Unannounced those of them that no Interrupted told of: interrupts that
	// got lost, if there is an interrupt line.
	Changes, Unannounced uint64
	// Announced counts scans that an Interrupted came before, Needless those of
	// them that found nothing: something that was over too soon, or noise on the
	// line.
	Announced, Needless uint64
	// Banks are the chips in the order of Config.Chips.
	Banks []BankStats
}

// BankStats is what is known of one chip.
type BankStats struct {
	Chip
	Cells uint64 // The cells on this chip, bit n for cell n.
	State State
	// Good and Failed count visits, Inits complete initialisations.
	Good, Failed, Inits uint64
	// Resets counts how often the chip was found changed, Canaries how often
	// the canary told, which means that it had been reset.
	Resets, Canaries uint64
	// Unequal counts reads that were contradicted by another right after them,
	// Implausible those that no sound chip can have given.
	Unequal, Implausible uint64
	// LastGood is the time given to the Scan of the last good read.
	LastGood time.Duration
	// Err is the last failure, or nil.
	Err error
}

// Board reads all cells. It is safe for concurrent use, but one scanner is
// what it is meant for.
type Board struct {
	// told is set by Interrupted until the next Scan.
	told atomic.Bool

	// mu is held during a Scan and guards all that follows.
	mu     sync.Mutex
	lines  []*line
	chips  []bank // In the order of Config.Chips; the lines point into it.
	scans  uint64
	change struct {
		found, unannounced  uint64
		announced, needless uint64
		// open means that the last scan found a change that nobody told of yet.
		open bool
	}
}

// New returns the board with the given wiring, or an error that says what is
// wrong with it. Chip.Bus counts the buses. It sends nothing; the first Scan
// initialises the chips.
func New(c Config, buses ...*hardware.Bus) (*Board, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if n := c.Buses(); n > len(buses) {
		return nil, fmt.Errorf("wiring: the chips are on %d buses, of which only %d are there; open the others too", n, len(buses))
	}
	b := &Board{chips: make([]bank, len(c.Chips))}
	for _, bus := range buses[:c.Buses()] {
		l := &line{bus: bus, win: hardware.NewWindow(bus)}
		l.round = l.scan
		b.lines = append(b.lines, l)
	}
	for i, chip := range c.Chips {
		l, k := b.lines[chip.Bus], &b.chips[i]
		k.dev = newExpander(l.win, chip)
		k.what.Chip = chip
		k.gone = true // Nothing is known before the first good read.
		l.chips = append(l.chips, k)
	}
	for i, cell := range c.Cells {
		k := &b.chips[cell.Chip]
		k.north[cell.NorthPin] = 1 << i
		k.south[cell.SouthPin] = 1 << i
		k.what.Cells |= 1 << i
	}
	return b, nil
}

// Scan reads all chips, in one request for each bus, and fills f. now is the
// time since an arbitrary start and must not go back.
//
// It returns an error only if no chip at all could be read, because the buses
// are dead or closed, the board has no power, or ctx ended; f is filled even
// then. Everything less shows in f. In a steady state it allocates nothing.
func (b *Board) Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.told.Swap(false)
	failed := b.scanLines(ctx, now)
	b.scans++
	*f = hardware.Frame{}
	read, changed := 0, false
	for _, l := range b.lines {
		l.report(f)
		read += l.read
		changed = changed || l.changed
	}
	b.note(told, changed)
	if read > 0 || failed == nil {
		return nil
	}
	return fmt.Errorf("scan the board: %w", failed)
}

// scanLines scans bus after bus, and those that were dead last: they may take
// their time to say so again, and what is read of the others is to be as old as
// now says. It returns the first failure.
func (b *Board) scanLines(ctx context.Context, now time.Duration) error {
	var failed error
	var done [MaxBuses]bool
	for pass := range MaxBuses {
		for i, l := range b.lines {
			if done[i] || pass == 0 && l.dead {
				continue
			}
			done[i] = true
			if err := b.scanLine(ctx, now, l); failed == nil {
				failed = err
			}
		}
	}
	return failed
}

func (b *Board) scanLine(ctx context.Context, now time.Duration, l *line) error {
	l.now, l.turn = now, b.scans
	l.read, l.changed, l.reset, l.err = 0, false, 0, nil
	if len(l.chips) == 0 {
		return nil
	}
	if err := l.bus.Do(ctx, hardware.PrioScan, l.round); err != nil {
		return err
	}
	return l.err
}

// note counts a change that no interrupt told of: neither before the scan that
// found it nor before the next one, since the scan may have been faster than
// the word of it.
func (b *Board) note(told, changed bool) {
	c := &b.change
	if c.open && !told {
		c.unannounced++
	}
	if changed {
		c.found++
	}
	if told {
		c.announced++
	}
	if told && !changed && !c.open {
		c.needless++
	}
	c.open = changed && !told
}

// Interrupted tells the board that the chips' interrupt line fell. It only
// counts: the line is a hint to scan at once, and whoever listens to it does.
// It never waits.
func (b *Board) Interrupted() { b.told.Store(true) }

// Stats returns what is known of the board. It waits for a Scan that runs.
func (b *Board) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Stats{
		Scans: b.scans, Changes: b.change.found, Unannounced: b.change.unannounced,
		Announced: b.change.announced, Needless: b.change.needless,
		Banks: make([]BankStats, len(b.chips)),
	}
	for i := range b.chips {
		s.Banks[i] = b.chips[i].what
	}
	return s
}
