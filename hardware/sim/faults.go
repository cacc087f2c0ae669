package sim

import (
	"fmt"
	"time"
)

// CellFaultKind says what is wrong with a cell.
type CellFaultKind uint8

const (
	// Sound is a cell without a fault.
	Sound CellFaultKind = iota
	// Dead is a sensor without supply, or a broken one: no output is ever active.
	Dead
	// StuckNorth is a north output that is always active; the south one works.
	StuckNorth
	// StuckSouth is a south output that is always active; the north one works.
	StuckSouth
	// BothActive is both outputs always active, which no magnet can do.
	BothActive
	// Flapping is a bad joint that inverts an output in every second half period of
	// CellFault.Hz: the one of the disc on the cell, the north one of an empty
	// cell.
	Flapping
	// Reversed is a sensor mounted upside down: it takes each pole for the other.
	Reversed
	// WeakMagnet is a disc on the cell with only CellFault.Scale of its field.
	WeakMagnet
)

// CellFault is a fault of one cell.
type CellFault struct {
	Kind CellFaultKind
	// Hz is how often a flapping output changes there and back in a second.
	Hz float64
	// Scale is what is left of a weak magnet's field, 0 to 1.
	Scale float64
}

// BankFault says what is wrong with a chip that reads cells.
type BankFault uint8

const (
	// BankNack is a chip that does not answer on the bus and pulls no interrupt.
	BankNack BankFault = iota
	// BankReset is a brown-out: the registers have their power-on values. It
	// happens once; the chip then works.
	BankReset
	// BankFrozen is a chip whose inputs stay as they are while it answers as ever.
	BankFrozen
)

// faults is what is wrong with the board.
type faults struct {
	cell                       [cells]CellFault
	dead, north, south, flappy uint64 // cells with such an output, both for stuck
	reversed                   uint64
	lostINT                    bool
}

// outputs returns the sensors' outputs as the faults leave them at time t.
func (f *faults) outputs(north, south uint64, t time.Duration) (n, s uint64) {
	swap := (north ^ south) & f.reversed
	north, south = north^swap, south^swap
	north = north&^f.dead | f.north
	south = south&^f.dead | f.south
	if f.flappy == 0 {
		return north, south
	}
	for c := range f.cell {
		bit := uint64(1) << c
		if f.flappy&bit == 0 || int64(2*f.cell[c].Hz*t.Seconds())&1 == 0 {
			continue
		}
		if south&bit != 0 {
			south ^= bit
		} else {
			north ^= bit
		}
	}
	return north, south
}

// FailCell gives a cell a fault, in place of the one it has. The fault acts at
// once, a weak magnet's at the next look of the sensor.
func (b *Board) FailCell(cell int, f CellFault) error {
	if cell < 0 || cell >= cells {
		return fmt.Errorf("fail cell %d: %w", cell, errNoCell)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setFault(cell, f)
	b.drive()
	return nil
}

// HealCell takes a cell's fault away; it does nothing to a sound cell.
func (b *Board) HealCell(cell int) error { return b.FailCell(cell, CellFault{}) }

func (b *Board) setFault(cell int, f CellFault) {
	bit := uint64(1) << cell
	x := &b.faults
	x.dead, x.north, x.south, x.flappy = x.dead&^bit, x.north&^bit, x.south&^bit, x.flappy&^bit
	x.reversed &^= bit
	x.cell[cell] = f
	strength := 1.0
	switch f.Kind {
	case Sound:
	case Dead:
		x.dead |= bit
	case StuckNorth:
		x.north |= bit
	case StuckSouth:
		x.south |= bit
	case BothActive:
		x.north, x.south = x.north|bit, x.south|bit
	case Flapping:
		x.flappy |= bit
	case Reversed:
		x.reversed |= bit
	case WeakMagnet:
		strength = f.Scale
	}
	if b.strength[cell] != strength {
		b.strength[cell] = strength
		b.changed()
	}
}

// FailBank gives an expander a fault, by its number in Wiring.Chips; on the
// default board chip n reads rank n+1. On a HallAnalog board it is a converter.
// On a Reed board, which has no chips, every fault breaks the wire of a row.
func (b *Board) FailBank(bank int, how BankFault) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.sensors.fail(bank, how) {
		return fmt.Errorf("fail bank %d: there is no such bank", bank)
	}
	return nil
}

// HealBank takes all faults of an expander away. A chip that did not answer has
// kept its registers.
func (b *Board) HealBank(bank int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.sensors.heal(bank) {
		return fmt.Errorf("heal bank %d: there is no such bank", bank)
	}
	b.drive()
	return nil
}

// Drift adds f, in volts, to what the linear sensors of a HallAnalog board give
// without a field, as temperature and age do; nil ends that. On another board it
// does nothing.
func (b *Board) Drift(f func(cell int, t time.Duration) float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := b.sensors.(*linear); ok {
		l.drift = f
	}
}

// LoseInterrupts cuts the interrupt line, which then stays high, or mends it.
func (b *Board) LoseInterrupts(lost bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.lostINT = lost
}
