package app

import (
	"fmt"
	"time"

	"reversi-board/display"
	"reversi-board/display/led"
	"reversi-board/engine"
	"reversi-board/hardware"
)

const (
	// framePeriod is how often a scene that moves is rendered: a blink of 4 Hz
	// gets six pictures, a slow pulse looks smooth.
	framePeriod = 40 * time.Millisecond
	// refreshPeriod is how often a module is told again what it shows, and
	// stripPeriod how often a strip is: they may have been without power for a
	// moment, and cannot be asked.
	refreshPeriod = time.Second
	stripPeriod   = 5 * time.Second
)

// Lights bring a scene onto LEDs. They are used by one goroutine, the one that
// owns them.
type Lights interface {
	// Show renders the scene as it looks at now and sends it if the LEDs do not
	// show that already. It says whether anything was sent, and after what time
	// it wants to be called again at the latest, 0 for not at all.
	Show(scene *display.Scene, now time.Duration) (sent bool, again time.Duration, err error)
	// Dark turns all LEDs off.
	Dark() error
	// SetBrightness changes the brightness, 0 to 255, from the next Show on, which
	// sends the scene again.
	SetBrightness(b uint8)
	// Shown returns what was sent last, as colors.
	Shown() [engine.Squares]hardware.RGB
}

// picture is what one kind of LEDs can show.
type picture interface {
	comparable
	colors() [engine.Squares]hardware.RGB
}

// lamps are Lights with pictures of one kind.
type lamps[P picture] struct {
	render func(scene *display.Scene, now time.Duration, next *P) (moves bool)
	send   func(p *P) error
	dark   func() error
	bright func(b uint8)
	// refresh is how often the same picture is sent again, 0 for never.
	refresh time.Duration

	next, wire P
	// shown says that wire is what the LEDs show, since sentAt.
	shown  bool
	sentAt time.Duration
}

// Show implements Lights.
func (l *lamps[P]) Show(scene *display.Scene, now time.Duration) (sent bool, again time.Duration, err error) {
	again = l.refresh
	if l.render(scene, now, &l.next) {
		again = framePeriod
	}
	stale := l.refresh > 0 && now-l.sentAt >= l.refresh
	if l.shown && !stale && l.next == l.wire {
		return false, again, nil
	}
	changed := !l.shown || l.next != l.wire
	l.wire = l.next
	if err := l.send(&l.wire); err != nil {
		l.shown = false
		return false, again, fmt.Errorf("show the LEDs: %w", err)
	}
	l.shown, l.sentAt = true, now
	return changed, again, nil
}

// Dark implements Lights.
func (l *lamps[P]) Dark() error {
	l.shown = false
	var off P
	l.wire = off
	if err := l.dark(); err != nil {
		return fmt.Errorf("turn the LEDs off: %w", err)
	}
	return nil
}

// SetBrightness implements Lights.
func (l *lamps[P]) SetBrightness(b uint8) {
	l.shown = false
	l.bright(b)
}

// Shown implements Lights.
func (l *lamps[P]) Shown() [engine.Squares]hardware.RGB { return l.wire.colors() }

// colorPicture is for strips.
type colorPicture [engine.Squares]hardware.RGB

func (p colorPicture) colors() [engine.Squares]hardware.RGB { return p }

// colorStrip shows 64 colors, one a cell.
type colorStrip interface {
	Show(px *[engine.Squares]hardware.RGB) error
	Dark() error
	SetBrightness(b uint8)
}

// ColorLights returns the lights of a strip of RGB LEDs.
func ColorLights(s colorStrip) Lights {
	var px [engine.Squares]led.RGB
	return &lamps[colorPicture]{
		render: func(scene *display.Scene, now time.Duration, next *colorPicture) bool {
			moves := led.Render(scene, now, &px)
			for i, c := range px {
				next[i] = hardware.RGB(c)
			}
			return moves
		},
		send:    func(p *colorPicture) error { return s.Show((*[engine.Squares]hardware.RGB)(p)) },
		dark:    s.Dark,
		bright:  s.SetBrightness,
		refresh: stripPeriod,
	}
}

// bicolorPicture is for modules in red and green.
type bicolorPicture struct{ red, green engine.Bitboard }

func (p bicolorPicture) colors() (px [engine.Squares]hardware.RGB) {
	for s := range p.red.All() {
		px[s].R = 255
	}
	for s := range p.green.All() {
		px[s].G = 255
	}
	return px
}

// bicolorModule lights cells in red, green, or both.
type bicolorModule interface {
	Show(red, green uint64) error
	Dark() error
	SetBrightness(b uint8)
}

// BicolorLights returns the lights of a module in red and green.
func BicolorLights(m bicolorModule) Lights {
	return &lamps[bicolorPicture]{
		render: func(scene *display.Scene, now time.Duration, next *bicolorPicture) (moves bool) {
			next.red, next.green, moves = led.RenderBicolor(scene, now)
			return moves
		},
		send:    func(p *bicolorPicture) error { return m.Show(uint64(p.red), uint64(p.green)) },
		dark:    m.Dark,
		bright:  m.SetBrightness,
		refresh: refreshPeriod,
	}
}

// monoPicture is for modules of one color.
type monoPicture struct{ on engine.Bitboard }

func (p monoPicture) colors() (px [engine.Squares]hardware.RGB) {
	for s := range p.on.All() {
		px[s].R = 255
	}
	return px
}

// monoModule lights cells.
type monoModule interface {
	Show(on uint64) error
	Dark() error
	SetBrightness(b uint8)
}

// MonoLights returns the lights of a module of one color.
func MonoLights(m monoModule) Lights {
	return &lamps[monoPicture]{
		render: func(scene *display.Scene, now time.Duration, next *monoPicture) (moves bool) {
			next.on, moves = led.RenderMono(scene, now)
			return moves
		},
		send:    func(p *monoPicture) error { return m.Show(uint64(p.on)) },
		dark:    m.Dark,
		bright:  m.SetBrightness,
		refresh: refreshPeriod,
	}
}
