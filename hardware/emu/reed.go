package emu

import (
	"fmt"
	"math/bits"
	"sync"
	"time"
)

// DiodeFault is what is wrong with the diode of a cell.
type DiodeFault uint8

const (
	// DiodeGood conducts from the column to the row (cathode at the row).
	DiodeGood DiodeFault = iota
	// DiodeShorted conducts both ways, like a wire put in its place.
	DiodeShorted
	// DiodeMissing does not conduct at all: not soldered, or burnt.
	DiodeMissing
	// DiodeReversed conducts from the row to the column only.
	DiodeReversed
)

// ReedFault is what is wrong with the reed contact of a cell.
type ReedFault uint8

const (
	// ReedGood closes while a disc lies on the cell.
	ReedGood ReedFault = iota
	// ReedWelded is closed for ever.
	ReedWelded
	// ReedDead is open for ever.
	ReedDead
)

const (
	reedLines = 8
	reedCells = reedLines * reedLines
	allLines  = 1<<reedLines - 1
)

// ReedOptions are what a matrix may need besides its wires.
type ReedOptions struct {
	// Now and Rise make a column rise late: it reads low until Rise after it
	// was let go, because only its pull-up charges the wire. Without Now it
	// rises at once.
	Now  func() time.Duration
	Rise time.Duration
}

// ReedStats counts what a controller asked for: each is one call of the
// kernel.
type ReedStats struct {
	Outs, Reads uint64
}

// ReedMatrix is 64 reed contacts, each with a diode, between eight row wires
// and eight column wires. Cell 8*r + c is between row r and column c; bit n of
// a mask is cell n.
//
// The rows are outputs of the controller, low until they are driven; the
// columns are inputs with pull-ups. A column is low while current can flow from
// it, through closed contacts and whatever diodes let it, to a row that is low.
// Where a diode conducts the wrong way the current takes detours, and contacts
// that are open seem closed: that is followed through the whole matrix. A row
// that is high counts as too weak to stop such a detour (its output has a
// resistor in series, or nothing would be left of it).
//
// Rows and Columns are the controller's two views.
type ReedMatrix struct {
	mu   sync.Mutex
	opts ReedOptions

	discs  uint64
	reeds  [reedCells]ReedFault
	diodes [reedCells]DiodeFault

	rows       uint8 // levels that the controller drives
	cutRows    uint8
	cutColumns uint8

	low   uint8                    // columns that are pulled low at present
	since [reedLines]time.Duration // when a column was let go

	rowsErr, columnsErr   error
	rowsLeft, columnsLeft int // calls that still fail; negative = until healed
	stats                 ReedStats
}

// NewReedMatrix returns a matrix without discs and without faults.
func NewReedMatrix(o ReedOptions) *ReedMatrix {
	m := &ReedMatrix{opts: o}
	for i := range m.since {
		m.since[i] = -o.Rise
	}
	return m
}

// SetDiscs says on which cells a disc lies.
func (m *ReedMatrix) SetDiscs(discs uint64) {
	m.change(func() { m.discs = discs })
}

// Discs returns the cells on which a disc lies.
func (m *ReedMatrix) Discs() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.discs
}

// FailReed gives the contact of a cell a fault; ReedGood repairs it. It panics
// when there is no such cell.
func (m *ReedMatrix) FailReed(cell int, f ReedFault) {
	m.change(func() { m.reeds[cell] = f })
}

// FailDiode gives the diode of a cell a fault; DiodeGood repairs it. It panics
// when there is no such cell.
func (m *ReedMatrix) FailDiode(cell int, f DiodeFault) {
	m.change(func() { m.diodes[cell] = f })
}

// BreakRows cuts the wires of some rows between the controller and their first
// cell (bit k is row k), and mends all others.
func (m *ReedMatrix) BreakRows(rows uint8) {
	m.change(func() { m.cutRows = rows })
}

// BreakColumns cuts the wires of some columns between the controller, where
// the pull-up is, and their first cell (bit k is column k), and mends all
// others.
func (m *ReedMatrix) BreakColumns(columns uint8) {
	m.change(func() { m.cutColumns = columns })
}

// FailReads makes the next n reads of the columns return err; a negative n
// means all of them. A nil err heals.
func (m *ReedMatrix) FailReads(n int, err error) {
	m.change(func() { m.columnsErr, m.columnsLeft = err, n })
}

// FailOuts makes the next n writes of the rows return err, and the rows keep
// their levels; a negative n means all of them. A nil err heals.
func (m *ReedMatrix) FailOuts(n int, err error) {
	m.change(func() { m.rowsErr, m.rowsLeft = err, n })
}

// Heal repairs everything. The discs stay.
func (m *ReedMatrix) Heal() {
	m.change(func() {
		m.reeds, m.diodes = [reedCells]ReedFault{}, [reedCells]DiodeFault{}
		m.cutRows, m.cutColumns = 0, 0
		m.rowsErr, m.columnsErr = nil, nil
	})
}

// Stats returns how often the controller has used its lines.
func (m *ReedMatrix) Stats() ReedStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// RowLevels returns the levels that the controller drives, bit k for row k.
func (m *ReedMatrix) RowLevels() uint8 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows
}

// Rows returns the controller's outputs.
func (m *ReedMatrix) Rows() *ReedRows { return (*ReedRows)(m) }

// Columns returns the controller's inputs.
func (m *ReedMatrix) Columns() *ReedColumns { return (*ReedColumns)(m) }

// ReedRows are the row wires of a [ReedMatrix] as outputs.
type ReedRows ReedMatrix

// Out drives the rows of mask: bit k is the level of row k. Other bits are
// those of lines that are not there and make it fail.
func (r *ReedRows) Out(levels, mask uint64) error {
	m := (*ReedMatrix)(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Outs++
	if err := spend(m.rowsErr, &m.rowsLeft); err != nil {
		return fmt.Errorf("write emulated rows: %w", err)
	}
	if mask > allLines {
		return fmt.Errorf("write emulated rows: mask %#x has more than %d lines", mask, reedLines)
	}
	m.rows = m.rows&^uint8(mask) | uint8(levels&mask)
	m.settle()
	return nil
}

// ReedColumns are the column wires of a [ReedMatrix] as inputs with pull-ups.
type ReedColumns ReedMatrix

// Read returns the levels of the columns in mask: bit k is the level of column
// k; bits outside of mask are 0. Lines that are not there make it fail.
func (c *ReedColumns) Read(mask uint64) (uint64, error) {
	m := (*ReedMatrix)(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Reads++
	if err := spend(m.columnsErr, &m.columnsLeft); err != nil {
		return 0, fmt.Errorf("read emulated columns: %w", err)
	}
	if mask > allLines {
		return 0, fmt.Errorf("read emulated columns: mask %#x has more than %d lines", mask, reedLines)
	}
	return uint64(m.levels()) & mask, nil
}

// change runs f under the lock and lets the wires follow.
func (m *ReedMatrix) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	m.settle()
}

// spend returns err while calls are left that fail.
func spend(err error, left *int) error {
	if err == nil || *left == 0 {
		return nil
	}
	if *left > 0 {
		*left--
	}
	return err
}

// levels returns what the controller sees of the columns.
func (m *ReedMatrix) levels() uint8 {
	low := m.low
	if m.opts.Now != nil {
		now := m.opts.Now()
		for k, at := range m.since {
			if now-at < m.opts.Rise {
				low |= 1 << k
			}
		}
	}
	return ^low
}

// settle finds out which columns are low now, and notes the time at those
// which no longer are.
func (m *ReedMatrix) settle() {
	before := m.low
	m.low = m.reach() &^ m.cutColumns
	if m.opts.Now == nil {
		return
	}
	for rose := before &^ m.low; rose != 0; rose &= rose - 1 {
		m.since[bits.TrailingZeros8(rose)] = m.opts.Now()
	}
}

// reach returns the columns from which current reaches a row that is low: the
// wires that are low are spread over all contacts until nothing is added.
func (m *ReedMatrix) reach() uint8 {
	rows, columns := ^m.rows&^m.cutRows, uint8(0)
	down, up := m.paths()
	for {
		r, c := rows, columns
		for k := range reedLines {
			if rows>>k&1 == 1 {
				columns |= down[k]
			}
			if up[k]&columns != 0 {
				rows |= 1 << k
			}
		}
		if r == rows && c == columns {
			return columns
		}
	}
}

// paths returns for every row which columns it pulls down when it is low, and
// which columns pull it down when they are.
func (m *ReedMatrix) paths() (down, up [reedLines]uint8) {
	for cell := range reedCells {
		closed := m.discs>>cell&1 == 1
		switch m.reeds[cell] {
		case ReedWelded:
			closed = true
		case ReedDead:
			closed = false
		case ReedGood:
		}
		if !closed {
			continue
		}
		row, column := cell/reedLines, uint8(1)<<(cell%reedLines)
		switch m.diodes[cell] {
		case DiodeGood:
			down[row] |= column
		case DiodeShorted:
			down[row] |= column
			up[row] |= column
		case DiodeReversed:
			up[row] |= column
		case DiodeMissing:
		}
	}
	return down, up
}
