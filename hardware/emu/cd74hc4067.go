package emu

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
)

const (
	muxChannels = 16
	muxLines    = 4 // S0 to S3
	// muxMemory is how many selections can be looked back on.
	muxMemory = 8
	muxOff    = -1
)

// MuxOptions are what a multiplexer is wired to.
type MuxOptions struct {
	// Now is the clock; it must not go back. It must be given.
	Now func() time.Duration
	// Channels are the 16 inputs; one that is nil is open.
	Channels [muxChannels]Voltage
	// Gap is for how long no channel is connected after a change (break before
	// make). Settle is the time constant with which the common pin then follows
	// the new channel: (source + switch) resistance times the capacitance of
	// the wire and the input behind it. Both may be 0.
	Gap, Settle time.Duration
}

// CD74HC4067 is an analog multiplexer of 16 channels (Texas Instruments
// SCHS209): S0 to S3 select in binary, and E high switches all channels off.
//
// The common pin has nothing but its capacitance: while no channel, or an open
// one, is connected it keeps the voltage that it had, which is how a broken
// sensor seems to repeat the one before it.
type CD74HC4067 struct {
	mu   sync.Mutex
	opts MuxOptions

	lines uint8 // S0 to S3
	off   bool  // E is high

	past [muxMemory]selection // a ring, newest at last
	last int
}

// selection is one stretch of time with one channel.
type selection struct {
	since   time.Duration
	channel int     // muxOff for none
	from    float64 // the common pin's voltage when it began
}

// NewCD74HC4067 returns a multiplexer with all of its select lines and E low.
// It panics without a clock.
func NewCD74HC4067(o MuxOptions) *CD74HC4067 {
	if o.Now == nil {
		panic("emu: a CD74HC4067 needs a clock")
	}
	m := &CD74HC4067{opts: o}
	long := -time.Hour // everything has settled
	for i := range m.past {
		m.past[i] = selection{since: long}
	}
	return m
}

// SetChannel wires one channel anew; nil is open.
func (m *CD74HC4067) SetChannel(k int, v Voltage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opts.Channels[k] = v
}

// SetLines sets the levels of S0 to S3 (bits 0 to 3).
func (m *CD74HC4067) SetLines(levels uint8) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = levels & (1<<muxLines - 1)
	m.follow()
}

// SetE sets the level of the enable pin: low is on.
func (m *CD74HC4067) SetE(l gpio.Level) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = l == gpio.High
	m.follow()
}

// Channel returns the channel that is connected, and whether one is.
func (m *CD74HC4067) Channel() (channel int, on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int(m.lines), !m.off
}

// Common returns the voltage of the common pin. It is a [Voltage].
func (m *CD74HC4067) Common(at time.Duration) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.voltage(at)
}

// follow notes a new selection.
func (m *CD74HC4067) follow() {
	channel := int(m.lines)
	if m.off {
		channel = muxOff
	}
	if channel == m.past[m.last].channel {
		return
	}
	now := m.opts.Now()
	from := m.voltage(now)
	m.last = (m.last + 1) % muxMemory
	m.past[m.last] = selection{since: now, channel: channel, from: from}
}

// voltage returns the voltage of the common pin.
func (m *CD74HC4067) voltage(at time.Duration) float64 {
	s := &m.past[m.last]
	for i := range muxMemory {
		s = &m.past[(m.last+muxMemory-i)%muxMemory]
		if s.since <= at {
			break
		}
	}
	connected := at - s.since - m.opts.Gap
	if s.channel == muxOff || m.opts.Channels[s.channel] == nil || connected < 0 {
		return s.from
	}
	target := m.opts.Channels[s.channel](at)
	if m.opts.Settle <= 0 {
		return target
	}
	return target + (s.from-target)*math.Exp(-float64(connected)/float64(m.opts.Settle))
}

// MuxBank is several multiplexers on the same four select lines, seen from the
// controller.
type MuxBank struct {
	mu    sync.Mutex
	muxes []*CD74HC4067

	lines  uint8 // levels that the controller drives
	stuck  uint8 // lines that do not follow
	levels uint8 // what those are at instead
	err    error
	left   int
	writes uint64
}

// NewMuxBank joins the select lines of multiplexers. All lines are low.
func NewMuxBank(muxes ...*CD74HC4067) *MuxBank {
	b := &MuxBank{muxes: muxes}
	b.drive()
	return b
}

// Select drives S0 to S3 so that all multiplexers connect the channel (0 to
// 15).
func (b *MuxBank) Select(channel int) error {
	if channel < 0 || channel >= muxChannels {
		return fmt.Errorf("select channel %d of emulated multiplexers: there are %d", channel, muxChannels)
	}
	return b.Out(uint64(channel), 1<<muxLines-1)
}

// Out drives the lines of mask: bit k is the level of Sk.
func (b *MuxBank) Out(levels, mask uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writes++
	if err := spend(b.err, &b.left); err != nil {
		return fmt.Errorf("drive emulated select lines: %w", err)
	}
	if mask >= 1<<muxLines {
		return errors.New("drive emulated select lines: there are only four")
	}
	b.lines = b.lines&^uint8(mask) | uint8(levels&mask)
	b.drive()
	return nil
}

// Writes returns how often the lines have been driven.
func (b *MuxBank) Writes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.writes
}

// Stick makes the lines of mask stay at their bits of levels, as broken or
// shorted wires do, and frees all others.
func (b *MuxBank) Stick(levels, mask uint8) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stuck, b.levels = mask, levels
	b.drive()
}

// FailOuts makes the next n writes of the lines return err and change nothing;
// a negative n means all of them. A nil err heals.
func (b *MuxBank) FailOuts(n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err, b.left = err, n
}

func (b *MuxBank) drive() {
	for _, m := range b.muxes {
		m.SetLines(b.lines&^b.stuck | b.levels&b.stuck)
	}
}

var _ Voltage = (*CD74HC4067)(nil).Common
