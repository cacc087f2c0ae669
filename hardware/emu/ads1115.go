package emu

import (
	"fmt"
	"math"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
)

// Voltage is what a point of the circuit carries, in volts against GND, at a
// moment that is not in the future. It may be asked about moments that lie a
// little back, and must not call the chip that asks.
type Voltage func(at time.Duration) float64

// Pointer register values (SBAS444 table 8-1).
const (
	adsConversion = iota
	adsConfig
	adsLoThresh
	adsHiThresh
)

// Fields of the Config register (SBAS444 table 8-3).
const (
	adsOS        = 1 << 15 // written: start; read: idle
	adsMuxShift  = 12
	adsPGAShift  = 9
	adsSingle    = 1 << 8
	adsRateShift = 5
	adsWindow    = 1 << 4
	adsActiveHi  = 1 << 3
	adsLatching  = 1 << 2
	adsQueue     = 3
	adsThree     = 7 // mask of the three fields of three bits

	// adsReset is the register after power-on, with the OS bit of an idle chip.
	adsReset = 0x8583
)

const (
	adsFirstAddress = 0x48
	adsLastAddress  = 0x4B
	// adsWake is what a single conversion takes on top (SBAS444 section 7.4.2.1).
	adsWake = 25 * time.Microsecond
	// adsPulse is the length of the conversion-ready pulse in continuous mode
	// (SBAS444 section 7.3.8).
	adsPulse = 8 * time.Microsecond
	// adsPoints is how many moments of a conversion are averaged.
	adsPoints = 4
)

// ADS1115Options are what the chip is wired to.
type ADS1115Options struct {
	// Now is the clock that conversions take their time from. It must not go
	// back. It must be given.
	Now func() time.Duration
	// Inputs are AIN0 to AIN3; one that is nil is at GND.
	Inputs [4]Voltage
}

// ADS1115 is a 16-bit converter with four inputs after Texas Instruments
// SBAS444. It works in the time of a clock that is handed in: a conversion is
// done when the clock says so, and until then the Conversion register holds the
// value before.
//
// A result is the mean of the input over the conversion, without noise.
//
// # What the sheet leaves open
//
// A conversion keeps the settings that it began with, whatever is written
// meanwhile. OS written while one runs is ignored, in continuous mode too: the
// last of the continuous conversions ends and nothing follows. A write of
// fewer than two data bytes changes nothing, bytes after the second are
// ignored, and a read of more than two goes on with FFh.
type ADS1115 struct {
	mu     sync.Mutex
	addr   uint16
	now    func() time.Duration
	inputs [4]Voltage

	pointer byte
	config  uint16 // without OS
	lo, hi  int16
	result  int16

	busy    bool
	running uint16 // config of the conversion that runs
	begun   time.Duration
	ends    time.Duration
	done    time.Duration // when the last conversion ended
	count   uint64

	beyond   int // conversions in a row beyond the thresholds
	asserted bool

	pace    float64 // 1 is the sheet's typical rate; more is slower
	stalled bool
}

// NewADS1115 returns a chip that has just been powered up. It panics when the
// address is not one of 0x48 to 0x4B (SBAS444 table 7-2), or without a clock.
func NewADS1115(addr uint16, o ADS1115Options) *ADS1115 {
	if addr < adsFirstAddress || addr > adsLastAddress {
		panic(fmt.Sprintf("emu: an ADS1115 cannot have address %#02x", addr))
	}
	if o.Now == nil {
		panic("emu: an ADS1115 needs a clock")
	}
	a := &ADS1115{addr: addr, now: o.Now, inputs: o.Inputs, pace: 1}
	a.reset()
	return a
}

// Address implements [Device].
func (a *ADS1115) Address() uint16 { return a.addr }

// PowerCycle takes the supply away and gives it back: every register has its
// power-on value again, and no conversion runs.
func (a *ADS1115) PowerCycle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reset()
}

func (a *ADS1115) reset() {
	a.pointer, a.config, a.result = 0, adsReset&^adsOS, 0
	a.lo, a.hi = math.MinInt16, math.MaxInt16 // 8000h, 7FFFh
	a.busy, a.beyond, a.asserted = false, 0, false
	a.done = -adsPulse
}

// SetInput wires one input (AIN0 to AIN3) anew; nil is GND.
func (a *ADS1115) SetInput(k int, v Voltage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	a.inputs[k] = v
}

// SetPace makes conversions take pace times as long as the sheet says, from the
// next one on. Real parts lie between 0.9 and 1.1 (SBAS444 section 6.5: data
// rate variation). It panics when pace is not above 0.
func (a *ADS1115) SetPace(pace float64) {
	if !(pace > 0) {
		panic(fmt.Sprintf("emu: an ADS1115 cannot work at pace %v", pace))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	a.pace = pace
}

// Stall stops the conversion that runs, and those that are started: they never
// end. Stall(false) lets the one that runs start over.
func (a *ADS1115) Stall(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	a.stalled = on
	if a.busy && !on {
		a.start(a.now(), a.running, adsWake)
	}
}

// Conversions returns how many conversions have been completed.
func (a *ADS1115) Conversions() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	return a.count
}

// Registers returns what a reader would get from the four registers, in the
// order of the pointer, without the effects of reading.
func (a *ADS1115) Registers() [4]uint16 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	return [4]uint16{a.peek(adsConversion), a.peek(adsConfig), a.peek(adsLoThresh), a.peek(adsHiThresh)}
}

// RDY returns the level of the open-drain ALERT/RDY pin, a pull-up assumed. As
// conversion-ready pin (Hi_thresh negative, Lo_thresh not) it is active while a
// single-shot chip is idle, and for 8 µs after each conversion of a continuous
// one; else it is the comparator.
func (a *ADS1115) RDY() gpio.Level {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	if a.config&adsQueue == adsQueue {
		return gpio.High
	}
	active := a.asserted
	if a.ready() {
		active = !a.busy
		if a.config&adsSingle == 0 {
			active = a.now()-a.done < adsPulse
		}
	}
	return gpio.Level(active == (a.config&adsActiveHi != 0))
}

// ready tells whether the pin says when a conversion is done.
func (a *ADS1115) ready() bool { return a.hi < 0 && a.lo >= 0 }

// Transfer implements [Device]. The chip acknowledges everything.
func (a *ADS1115) Transfer(w, r []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	if len(w) > 0 {
		a.pointer = w[0] & 3
	}
	if len(w) > 2 {
		a.write(uint16(w[1])<<8 | uint16(w[2]))
	}
	if len(r) == 0 {
		return nil
	}
	v := a.peek(a.pointer)
	if a.pointer == adsConversion {
		a.asserted = a.asserted && a.config&adsLatching == 0
	}
	for i := range r {
		switch i {
		case 0:
			r[i] = byte(v >> 8)
		case 1:
			r[i] = byte(v)
		default:
			r[i] = 0xFF
		}
	}
	return nil
}

// peek returns the value of a register.
func (a *ADS1115) peek(reg byte) uint16 {
	switch reg {
	case adsConversion:
		return uint16(a.result)
	case adsLoThresh:
		return uint16(a.lo)
	case adsHiThresh:
		return uint16(a.hi)
	default:
		if a.busy {
			return a.config
		}
		return a.config | adsOS
	}
}

// write sets the register under the pointer; the Conversion register ignores
// it.
func (a *ADS1115) write(v uint16) {
	switch a.pointer {
	case adsLoThresh:
		a.lo = int16(v)
	case adsHiThresh:
		a.hi = int16(v)
	case adsConfig:
		a.config = v &^ adsOS
		if a.config&adsQueue == adsQueue {
			a.beyond, a.asserted = 0, false
		}
		if !a.busy && (v&adsOS != 0 || v&adsSingle == 0) {
			a.start(a.now(), a.config, adsWake)
		}
	}
}

// start begins a conversion at a moment.
func (a *ADS1115) start(at time.Duration, config uint16, wake time.Duration) {
	rate := [8]time.Duration{8, 16, 32, 64, 128, 250, 475, 860}[config>>adsRateShift&adsThree]
	a.busy, a.running = true, config
	a.begun = at + wake
	a.ends = a.begun + time.Duration(a.pace*float64(time.Second/rate))
}

// catchUp does what the chip has done since it was last looked at.
func (a *ADS1115) catchUp() {
	now := a.now()
	for a.busy && !a.stalled && a.ends <= now {
		a.finish()
	}
}

// finish ends the conversion that runs; in continuous mode the next one
// follows.
func (a *ADS1115) finish() {
	a.result = a.sample()
	a.busy, a.done = false, a.ends
	a.count++
	a.compare()
	if a.config&adsSingle == 0 {
		a.start(a.ends, a.config, 0)
	}
}

// sample returns the code of the input over the conversion that runs.
func (a *ADS1115) sample() int16 {
	sum := 0.0
	step := (a.ends - a.begun) / adsPoints
	for at := a.begun + step/2; at < a.ends; at += step {
		sum += a.input(at)
	}
	// SBAS444 table 8-3: full scale of the amplifier, in volts.
	scale := [8]float64{6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256}[a.running>>adsPGAShift&adsThree]
	code := math.RoundToEven(sum / adsPoints / scale * (1 << 15))
	return int16(min(max(code, math.MinInt16), math.MaxInt16))
}

// input returns the voltage that the multiplexer selects.
func (a *ADS1115) input(at time.Duration) float64 {
	const gnd = 4
	// SBAS444 table 8-3: positive and negative input.
	pair := [8][2]int{{0, 1}, {0, 3}, {1, 3}, {2, 3}, {0, gnd}, {1, gnd}, {2, gnd}, {3, gnd}}[a.running>>adsMuxShift&adsThree]
	v := 0.0
	if in := a.inputs[pair[0]]; in != nil {
		v = in(at)
	}
	if pair[1] != gnd && a.inputs[pair[1]] != nil {
		v -= a.inputs[pair[1]](at)
	}
	return v
}

// compare lets the comparator look at a new result (SBAS444 section 7.3.7).
func (a *ADS1115) compare() {
	if a.config&adsQueue == adsQueue {
		return
	}
	window := a.config&adsWindow != 0
	if a.result > a.hi || window && a.result < a.lo {
		a.beyond++
	} else {
		a.beyond = 0
	}
	need := [3]int{1, 2, 4}[a.config&adsQueue]
	inside := a.result < a.lo
	if window {
		inside = a.beyond == 0
	}
	switch {
	case a.beyond >= need:
		a.asserted = true
	case inside && a.config&adsLatching == 0:
		a.asserted = false
	}
}

var _ Device = (*ADS1115)(nil)
