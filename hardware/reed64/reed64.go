package reed64

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"reversi-board/hardware"
)

const (
	// RiseTime is how long a column is given to charge through its pull-up
	// (about 50 kΩ in a Raspberry Pi) when the contact that held it low is not
	// asked any more: five times the time constant of 200 pF of wire.
	RiseTime = 50 * time.Microsecond
	// checkEvery is how many scans share one look with all rows high.
	checkEvery = 64
)

// Stats is what is known of the board. Sets of cells have bit n for cell n.
type Stats struct {
	// Scans counts the complete ones, Failed those in which a line could not be
	// driven or read.
	Scans, Failed uint64
	// LastGood is the time given to the last complete Scan.
	LastGood time.Duration
	// Err is the last failure, nil if there was none.
	Err error
	// Refused are the cells that seem to hold a disc and cannot be believed.
	Refused uint64
	// Shorted are the cells whose diode seems to be shorted or missing, so that
	// others are refused.
	Shorted uint64
	// Held are the cells on columns that are low although no row is.
	Held uint64
}

// Board reads all cells. It is safe for concurrent use, but one scanner is what
// it is meant for.
type Board struct {
	rows Rows
	cols Columns
	wait func(time.Duration)
	// cell is the bit of the cell at each crossing.
	cell [Cells]uint64

	// mu is held during a Scan and guards all that follows.
	mu     sync.Mutex
	tick   uint64
	driven bool // The rows are as the last scan has left them.
	first  int  // The row that the next scan begins with.
	// closed are the contacts that seemed closed when their row was read last,
	// bit Lines*row + column.
	closed uint64
	fresh  [Lines]hardware.Freshness // How old that is,
	known  [Lines]bool               // if it was ever read.
	held   uint64                    // Columns that are low although no row is.
	// refused are those of closed that cannot be believed.
	refused uint64
	ghosts  ghosts
	what    Stats
}

// New returns the board behind the lines, or an error that says what is wrong
// with the wiring. It touches no line; the first Scan does.
func New(rows Rows, cols Columns, c Config) (*Board, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Board{rows: rows, cols: cols, wait: c.Wait, ghosts: newGhosts()}
	if b.wait == nil {
		b.wait = time.Sleep
	}
	for i, cell := range c.Cells {
		b.cell[Lines*cell.Row+cell.Column] = 1 << i
	}
	return b, nil
}

// Scan reads all rows and fills f: North holds the cells with a disc, whichever
// side is up, and North and South both hold those that cannot be believed. Cells
// whose row has not been read for 250 ms and three scans are Lost and frozen at the
// last good read. now is the time since an arbitrary start and must not go back.
//
// It returns an error only if no row could be read, or ctx has ended; f is
// filled even then. In a steady state it allocates nothing.
func (b *Board) Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := ctx.Err()
	n := 0
	if err == nil {
		n, err = b.scan(now)
		b.account(now, err)
	}
	b.fill(now, f)
	if err != nil && n == 0 {
		return fmt.Errorf("scan the board: %w", err)
	}
	return nil
}

// Stats returns what is known of the board. It waits for a Scan that runs.
func (b *Board) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.what
	s.Shorted = b.cells(b.ghosts.bad)
	s.Held = b.cells(b.onHeld())
	return s
}

// account keeps the books after a scan.
func (b *Board) account(now time.Duration, err error) {
	b.tick++
	if err != nil {
		b.what.Failed++
		b.what.Err = err
		// Which rows are low now is not known, nor what has closed meanwhile.
		b.driven = false
		b.ghosts.forget()
		return
	}
	b.what.Scans++
	b.what.LastGood = now
}

// scan reads row after row and returns how many it has read. The first line that
// does not obey ends it: with the wrong rows low the columns mean nothing. The
// next scan then begins behind that row.
func (b *Board) scan(now time.Duration) (n int, err error) {
	begin := b.first
	b.first = 0
	if !b.driven || b.tick%checkEvery == 0 {
		high, err := b.columns(all)
		if err != nil {
			return 0, fmt.Errorf("all rows high: %w", err)
		}
		b.held = ^high & all
		b.driven = true
	}
	for i := range Lines {
		r := (begin + i) % Lines
		levels, err := b.columns(all &^ (1 << r))
		if err != nil {
			b.first = (r + 1) % Lines
			return n, fmt.Errorf("row %d low: %w", r, err)
		}
		b.closed = b.closed&^(all<<(Lines*r)) | ^levels&all<<(Lines*r)
		b.fresh[r].Read(now)
		b.known[r] = true
		n++
	}
	held := b.onHeld()
	b.refused = b.ghosts.look(b.closed&^held) | b.closed&held
	return n, nil
}

// columns returns the levels of the columns with the rows at these levels.
func (b *Board) columns(rows uint64) (uint64, error) {
	if err := b.rows.Out(rows, all); err != nil {
		return 0, fmt.Errorf("drive the rows: %w", err)
	}
	b.wait(RiseTime)
	levels, err := b.cols.Read(all)
	if err != nil {
		return 0, fmt.Errorf("read the columns: %w", err)
	}
	return levels, nil
}

// onHeld returns the crossings on columns that are low although no row is.
func (b *Board) onHeld() uint64 {
	var at uint64
	for r := range Lines {
		at |= b.held << (Lines * r)
	}
	return at
}

// fill makes a frame of what is known at now.
func (b *Board) fill(now time.Duration, f *hardware.Frame) {
	var lost, stale uint64
	for r := range Lines {
		f := &b.fresh[r]
		if f.At() == now && b.known[r] {
			continue
		}
		if f.Missed(); f.Stale(now) || !b.known[r] {
			lost |= all << (Lines * r)
		} else {
			stale |= all << (Lines * r)
		}
	}
	// A scan that broke off may have seen a refused contact open.
	refused := b.cells(b.refused & b.closed)
	*f = hardware.Frame{North: b.cells(b.closed), South: refused, Lost: b.cells(lost), Stale: b.cells(stale)}
	b.what.Refused = refused
}

// cells returns the cells at crossings.
func (b *Board) cells(crossings uint64) uint64 {
	var set uint64
	for ; crossings != 0; crossings &= crossings - 1 {
		set |= b.cell[bits.TrailingZeros64(crossings)]
	}
	return set
}
