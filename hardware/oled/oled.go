package oled

import (
	"context"
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/devices/v3/ssd1306"

	"reversi-board/hardware"
)

// The size of a picture in pixels.
const (
	Width  = 128
	Height = 64
)

// The address of a panel as it is sold, and the one to which a resistor moves
// it.
const (
	DefaultAddr = 0x3C
	OtherAddr   = 0x3D
)

const (
	pages = Height / 8
	// sliceWidth is how many columns of a page are sent at a time.
	sliceWidth = Width / 2

	// refresh is how often everything is sent anew.
	refresh = 5 * time.Minute
	// checkEvery is how often the panel is asked whether it is lit.
	checkEvery = 5 * time.Second
	// retryFirst and retryMax bound the wait before a panel that failed is
	// tried again. The longest is longer than the bus's own, so that the bus
	// never refuses a try for having come a moment too early.
	retryFirst = 100 * time.Millisecond
	retryMax   = 6 * time.Second
)

// Controller is the chip on the panel.
type Controller uint8

// The controllers.
const (
	SSD1306 Controller = iota
	SH1106
)

// String returns the controller's name.
func (c Controller) String() string {
	switch c {
	case SSD1306:
		return "ssd1306"
	case SH1106:
		return "sh1106"
	}
	return fmt.Sprintf("Controller(%d)", uint8(c))
}

// Config describes a panel.
type Config struct {
	// Addr is DefaultAddr or OtherAddr; 0 stands for DefaultAddr.
	Addr       uint16
	Controller Controller
}

// Stats is what is known of a panel. Counters only grow.
type Stats struct {
	// Present says that the last transfer succeeded.
	Present bool
	// Inits counts initialisations that the panel took, Slices parts of pictures
	// that it took, Resets how often it was found dark, Failed requests that
	// failed.
	Inits, Slices, Resets, Failed uint64
	// Err is the last failure, or nil.
	Err error
}

// Panel is a panel. It is not safe for concurrent use, except for Stats: one
// goroutine shows and steps.
type Panel struct {
	bus  *hardware.Bus
	addr uint16

	// want is what is to be shown, column by column, bit y for row y.
	want [Width]uint64
	// told is what dev has been told to show, page by page, and is in the queue
	// or on the panel.
	told  [pages * Width]byte
	dev   *ssd1306.Dev // Nil while the panel is absent.
	queue queue
	page  int // Where the search for the next slice begins.

	begunAt time.Duration // When dev was made.
	begun   bool          // The initialisation is still in the queue.
	retryAt time.Duration
	backoff time.Duration

	checkAt time.Duration
	status  [1]byte
	// honest says that this panel, after it had been lit, said that it is. What
	// others say is not believed.
	honest bool

	// slice and ask are requests of the bus, bound once.
	slice, ask func(tx i2c.Bus) error

	mu   sync.Mutex // Guards what.
	what Stats
}

// New returns the panel on a bus. It sends nothing; the first Step initialises
// the panel.
func New(bus *hardware.Bus, c Config) (*Panel, error) {
	if c.Addr == 0 {
		c.Addr = DefaultAddr
	}
	if c.Addr != DefaultAddr && c.Addr != OtherAddr {
		return nil, fmt.Errorf("display: no panel has address 0x%02X, use 0x%02X or 0x%02X", c.Addr, DefaultAddr, OtherAddr)
	}
	if c.Controller > SH1106 {
		return nil, fmt.Errorf("display: %v is not known, use %v or %v", c.Controller, SSD1306, SH1106)
	}
	p := &Panel{bus: bus, addr: c.Addr, queue: queue{controller: c.Controller}}
	p.slice = func(tx i2c.Bus) error { return p.queue.send(hardware.Once(tx), p.addr) }
	p.ask = func(tx i2c.Bus) error { return hardware.Once(tx).Tx(p.addr, nil, p.status[:]) }
	return p, nil
}

// Show sets the picture: bit y of element x is the pixel in column x and row y,
// counted from the upper left. It sends nothing; the next Steps do.
func (p *Panel) Show(m *[Width]uint64) { p.want = *m }

// Step sends the next slice, if there is one: call it once for every scan of the
// cells. It reports whether there is more to send. now is the time since an
// arbitrary start and must not go back.
//
// It returns an error when the panel has failed or is still not there, not more
// often than it is tried; go on calling it. When ctx ends while it waits for the
// bus it returns ctx's error, and nothing is lost.
//
// A step with nothing to send costs a comparison and allocates nothing. A slice
// costs five small allocations in periph's driver.
func (p *Panel) Step(ctx context.Context, now time.Duration) (more bool, err error) {
	if p.dev == nil && now < p.retryAt {
		return false, nil
	}
	if p.dev != nil && p.queue.empty() && now >= p.checkAt {
		return p.check(ctx, now)
	}
	if err := p.fill(now); err != nil {
		return false, p.fail(now, err)
	}
	if p.queue.empty() {
		return false, nil
	}
	if err := p.bus.Do(ctx, hardware.PrioOLED, p.slice); err != nil {
		return p.failUnless(ctx, now, err)
	}
	p.count()
	if !p.queue.empty() {
		return true, nil
	}
	_, more = p.next()
	return more, nil
}

// fill queues what is due, if nothing is queued.
func (p *Panel) fill(now time.Duration) error {
	switch {
	case p.dev == nil:
		return p.begin(now, true)
	case !p.queue.empty():
		return nil
	case now-p.begunAt >= refresh:
		return p.begin(now, false)
	}
	if at, ok := p.next(); ok {
		return p.tell(at)
	}
	return nil
}

// check asks the panel whether it is lit. One that is dark has lost its
// registers, and with them everything else.
func (p *Panel) check(ctx context.Context, now time.Duration) (more bool, err error) {
	if err := p.bus.Do(ctx, hardware.PrioOLED, p.ask); err != nil {
		return p.failUnless(ctx, now, err)
	}
	p.checkAt = now + checkEvery
	dark := p.status[0]&statusDark != 0
	switch {
	case !dark:
		p.honest = true
	case p.honest:
		p.note(func(s *Stats) { s.Resets++ })
		p.dev = nil
		return true, nil
	}
	_, more = p.next()
	return more, nil
}

// failUnless gives the panel up after a request that failed, unless that was
// because ctx ended.
func (p *Panel) failUnless(ctx context.Context, now time.Duration, err error) (more bool, _ error) {
	if ctx.Err() != nil {
		return true, fmt.Errorf("draw on the display: %w", err)
	}
	return false, p.fail(now, err)
}

// Off makes the panel dark, as long as no Step follows.
func (p *Panel) Off(ctx context.Context) error {
	if p.dev == nil {
		return nil
	}
	p.dev = nil
	p.queue.clear()
	err := p.bus.Do(ctx, hardware.PrioOLED, func(tx i2c.Bus) error {
		return hardware.Once(tx).Tx(p.addr, []byte{controlCommands, displayOff}, nil)
	})
	if err != nil {
		return fmt.Errorf("darken the display at 0x%02X: %w", p.addr, err)
	}
	return nil
}

// Stats returns what is known of the panel. It may be called from any goroutine.
func (p *Panel) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.what
}

// note changes what is known.
func (p *Panel) note(change func(s *Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.what)
}

// begin makes a new driver and queues all that a panel needs which may just have
// been plugged in, or, if it is not cold, shows something already.
func (p *Panel) begin(now time.Duration, cold bool) error {
	p.queue.clear()
	p.queue.dark = cold
	p.honest = p.honest && !cold
	opts := ssd1306.DefaultOpts
	dev, err := ssd1306.NewI2C(&p.queue, &opts)
	if err != nil {
		return err
	}
	p.dev, p.begunAt, p.checkAt, p.begun = dev, now, now, true
	for page := range pages {
		p.load(page, 0, Width)
	}
	if _, err := dev.Write(p.told[:]); err != nil {
		return err
	}
	if cold {
		return p.queue.Tx(p.addr, []byte{controlCommands, displayOn}, nil)
	}
	return nil
}

// load makes told what is wanted in some columns of a page.
func (p *Panel) load(page, from, to int) {
	for x := from; x < to; x++ {
		p.told[page*Width+x] = p.wanted(page, x)
	}
}

// wanted returns the eight pixels of a page and column, bit 0 on top: SSD1306
// figure 8-14.
func (p *Panel) wanted(page, x int) byte { return byte(p.want[x] >> (8 * page)) }

// part is some columns of a page.
type part struct{ page, from, to int }

// next returns a part of the picture that the panel does not show; ok is false
// when there is none. The pages take turns.
func (p *Panel) next() (at part, ok bool) {
	for i := range pages {
		page := (p.page + i) % pages
		for x := range Width {
			if p.told[page*Width+x] != p.wanted(page, x) {
				return part{page, x, min(x+sliceWidth, Width)}, true
			}
		}
	}
	return part{}, false
}

// tell queues a part of the picture. periph's driver finds by itself that no
// more than that has changed.
func (p *Panel) tell(at part) error {
	p.load(at.page, at.from, at.to)
	p.page = (at.page + 1) % pages
	_, err := p.dev.Write(p.told[:])
	return err
}

// count notes that a request succeeded.
func (p *Panel) count() {
	begun := p.begun
	p.begun = false
	p.note(func(s *Stats) {
		s.Present = true
		if begun {
			s.Inits++
		} else {
			s.Slices++
		}
	})
	if p.queue.empty() {
		p.backoff = 0
	}
}

// fail gives the panel up until it is tried again.
func (p *Panel) fail(now time.Duration, err error) error {
	p.dev = nil
	p.queue.clear()
	p.backoff = min(max(2*p.backoff, retryFirst), retryMax)
	p.retryAt = now + p.backoff
	err = fmt.Errorf("draw on the display at 0x%02X: %w", p.addr, err)
	p.note(func(s *Stats) {
		s.Present = false
		s.Failed++
		s.Err = err
	})
	return err
}
