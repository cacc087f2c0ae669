package emu

import (
	"sync"

	"periph.io/x/conn/v3/gpio"
)

// InterruptLine is a wire to which the open-drain interrupt outputs of several
// chips are connected, with a pull-up: it is low while one of them is.
type InterruptLine struct {
	sources []func() gpio.Level

	mu    sync.Mutex
	lost  bool
	stuck bool
}

// NewInterruptLine joins interrupt outputs, such as the INT method of a
// [TCA9555].
func NewInterruptLine(sources ...func() gpio.Level) *InterruptLine {
	return &InterruptLine{sources: sources}
}

// Level returns the level that the controller sees.
func (l *InterruptLine) Level() gpio.Level {
	l.mu.Lock()
	lost, stuck := l.lost, l.stuck
	l.mu.Unlock()
	if lost || stuck {
		return gpio.Level(!stuck)
	}
	for _, level := range l.sources {
		if level() == gpio.Low {
			return gpio.Low
		}
	}
	return gpio.High
}

// Lose cuts the wire at the controller, which then sees its pull-up.
func (l *InterruptLine) Lose(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = on
}

// Stick shorts the wire to GND at the controller; it is stronger than a cut.
func (l *InterruptLine) Stick(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stuck = on
}
