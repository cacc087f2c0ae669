package app

import (
	"fmt"
	"time"

	"reversi-board/display"
	"reversi-board/display/led"
	"reversi-board/engine"
	"reversi-board/hardware"
)

// LEDStrip shows 64 colors, one a cell, on LEDs.
type LEDStrip interface {
	Show(px *[engine.Squares]hardware.RGB) error
	Dark() error
}

// Lamps bring a scene onto the LEDs. They are used by one goroutine, the one
// that owns the LEDs' bus.
type Lamps struct {
	strip LEDStrip
	next  [engine.Squares]led.RGB
	wire  [engine.Squares]hardware.RGB
	// shown says that wire is what the LEDs show.
	shown bool
}

// NewLamps returns lamps whose LEDs show nobody knows what.
func NewLamps(s LEDStrip) *Lamps { return &Lamps{strip: s} }

// Show renders the scene as it looks at now and sends it if the LEDs do not
// show that already. It reports whether anything was sent, and whether the
// scene moves, so that it must be shown again soon.
func (l *Lamps) Show(scene *display.Scene, now time.Duration) (sent, moves bool, err error) {
	moves = led.Render(scene, now, &l.next)
	changed := !l.shown
	for i, px := range l.next {
		c := hardware.RGB{R: px.R, G: px.G, B: px.B}
		if l.wire[i] != c {
			l.wire[i], changed = c, true
		}
	}
	if !changed {
		return false, moves, nil
	}
	if err := l.strip.Show(&l.wire); err != nil {
		l.shown = false
		return false, moves, fmt.Errorf("show the LEDs: %w", err)
	}
	l.shown = true
	return true, moves, nil
}

// Dark turns all LEDs off.
func (l *Lamps) Dark() error {
	l.shown = false
	if err := l.strip.Dark(); err != nil {
		return fmt.Errorf("turn the LEDs off: %w", err)
	}
	return nil
}
