package sim

import (
	"sync"
	"time"

	"reversi-board/hardware/emu"
)

// Linear sensors like the DRV5055A4 at 3.3 V (SBAS640, "Magnetic
// Characteristics"): half the supply without a field, 7.5 mV/mT, a south pole
// raises it, and the output keeps 0.2 V from either rail.
const (
	supply      = 3.3
	quiescent   = supply / 2
	sensitivity = 0.0075
	railGap     = 0.2
	// How far parts differ from each other at full Options.Spread.
	quiescentSpread   = 0.06
	sensitivitySpread = 0.15
)

// linear are the sensors, multiplexers and converters of a HallAnalog board.
type linear struct {
	board  *Board
	adcs   []*emu.ADS1115
	mux    *emu.MuxBank
	absent uint8

	null, gain [cells]float64 // of each part, in V and V/mT
	// drift is what is added to null, nil for nothing.
	drift func(cell int, t time.Duration) float64

	// mu guards volts, which converters read during transfers.
	mu    sync.Mutex
	volts [cells]float64
}

func newLinear(b *Board, spread float64, parts *random) *linear {
	l := &linear{board: b}
	for c := range cells {
		l.null[c] = quiescent + spread*quiescentSpread*(2*parts.float()-1)
		l.gain[c] = sensitivity * (1 + spread*sensitivitySpread*(2*parts.float()-1))
		l.volts[c] = l.null[c]
	}
	inputs := map[[2]int]*emu.CD74HC4067{}
	var muxes []*emu.CD74HC4067
	for _, addr := range b.wiring.ADCs {
		adc := emu.NewADS1115(addr, emu.ADS1115Options{Now: b.clock})
		b.buses[0].Attach(adc)
		l.adcs = append(l.adcs, adc)
	}
	for c, t := range &b.wiring.Taps {
		at := [2]int{t.ADC, t.Input}
		m := inputs[at]
		if m == nil {
			m = emu.NewCD74HC4067(emu.MuxOptions{Now: b.clock, Gap: 50 * time.Nanosecond, Settle: time.Microsecond})
			inputs[at] = m
			muxes = append(muxes, m)
			l.adcs[t.ADC].SetInput(t.Input, m.Common)
		}
		m.SetChannel(t.Channel, func(time.Duration) float64 { return l.voltage(c) })
	}
	l.mux = emu.NewMuxBank(muxes...)
	return l
}

// voltage returns the output of a cell's sensor at the last Advance.
func (l *linear) voltage(cell int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.volts[cell]
}

// drive measures the field; linear sensors have no switching points, so what
// digital ones would say does not matter.
func (l *linear) drive(_, _ uint64) {
	b := l.board
	b.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.volts {
		field := b.at(c, b.now)
		if b.noise > 0 {
			field += b.noise * gauss(b.seed, uint64(c), uint64(b.now))
		}
		null := l.null[c]
		if l.drift != nil {
			null += l.drift(c, b.now)
		}
		l.volts[c] = b.faults.volts(c, b.now, null, -l.gain[c]*field)
	}
}

// volts returns a linear sensor's output, null plus what the field adds, as the
// cell's fault leaves it.
func (f *faults) volts(cell int, t time.Duration, null, swing float64) float64 {
	low, high := railGap, supply-railGap
	switch x := f.cell[cell]; x.Kind {
	case Dead:
		return 0
	case StuckNorth:
		return low
	case StuckSouth, BothActive:
		return high
	case Flapping:
		if int64(2*x.Hz*t.Seconds())&1 != 0 {
			swing = 0
		}
	case Reversed:
		swing = -swing
	case Sound, WeakMagnet:
	}
	return min(max(null+swing, low), high)
}

func (l *linear) low() bool { return false }

// fail acts on a converter.
func (l *linear) fail(bank int, how BankFault) bool {
	if bank < 0 || bank >= len(l.adcs) {
		return false
	}
	switch how {
	case BankNack:
		l.absent |= 1 << bank
		l.board.buses[0].Detach(l.adcs[bank].Address())
	case BankReset:
		l.adcs[bank].PowerCycle()
	case BankFrozen:
		l.adcs[bank].Stall(true)
	}
	return true
}

func (l *linear) heal(bank int) bool {
	if bank < 0 || bank >= len(l.adcs) {
		return false
	}
	if l.absent&(1<<bank) != 0 {
		l.board.buses[0].Attach(l.adcs[bank])
	}
	l.absent &^= 1 << bank
	l.adcs[bank].Stall(false)
	return true
}
