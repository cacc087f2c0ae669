package button

import (
	"context"
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
)

const (
	// DefaultDebounce is longer than the contacts of push buttons bounce, and
	// shorter than anybody presses one.
	DefaultDebounce = 20 * time.Millisecond
	// DefaultHold is how long a press is a long one.
	DefaultHold = time.Second
	// DefaultStuck is how long nobody presses a button.
	DefaultStuck = 30 * time.Second

	// moving, resting and absent are how often a contact is looked at while it
	// moves, while it is down, and while its pin has gone.
	moving  = 2 * time.Millisecond
	resting = 10 * time.Millisecond
	absent  = 100 * time.Millisecond
	// patience is how long an edge is waited for before the level is looked at
	// all the same.
	patience = time.Second
)

// Input is a pin with a contact.
type Input interface {
	// Read returns the level now, or an error if that is not known: the pin has
	// gone.
	Read() (gpio.Level, error)
	// Wait returns nil when the level may have changed, or an error when ctx
	// ends or it cannot wait.
	Wait(ctx context.Context) error
}

// Button is one button.
type Button struct {
	// Name is what its events are called by.
	Name string
	// Input is its pin.
	Input Input
	// ActiveHigh says that the pin is high while the button is down. If not, the
	// contact is between the pin and ground.
	ActiveHigh bool
}

// Kind says what happened.
type Kind uint8

// The kinds of events.
const (
	// Pressed: the button went down.
	Pressed Kind = iota
	// Held: it has been down for Hold; Pressed came before.
	Held
	// Stuck: it has been down for so long that it must be broken.
	Stuck
	// Recovered: it was stuck and has been released.
	Recovered
)

// String returns the kind's name for logs.
func (k Kind) String() string {
	switch k {
	case Pressed:
		return "pressed"
	case Held:
		return "held"
	case Stuck:
		return "stuck"
	case Recovered:
		return "recovered"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Event is something that happened to a button.
type Event struct {
	// Button is its name.
	Button string
	Kind   Kind
	// At is when: for Pressed and Recovered when the contact first moved, which
	// is Debounce or a little more ago. It is on the clock of Options.Now.
	At time.Duration
}

// Options are times; 0 stands for the default.
type Options struct {
	Debounce, Hold, Stuck time.Duration
	// Now returns a monotonic time and may be called from any goroutine; nil
	// means the real one, from 0 on.
	Now func() time.Duration
}

// Watch watches the buttons until ctx ends; buttons without an input are left
// out. Events of one button come in order. Those of different buttons may be a
// debouncing apart from it: their times tell which was first.
//
// Events that nobody takes are waited with, so that no press is lost; give out
// some room. Watch does not close it.
func Watch(ctx context.Context, o Options, out chan<- Event, buttons ...Button) {
	if o.Debounce <= 0 {
		o.Debounce = DefaultDebounce
	}
	if o.Hold <= 0 {
		o.Hold = DefaultHold
	}
	if o.Stuck <= 0 {
		o.Stuck = DefaultStuck
	}
	if o.Now == nil {
		start := time.Now()
		o.Now = func() time.Duration { return time.Since(start) }
	}
	var watches sync.WaitGroup
	for _, b := range buttons {
		if b.Input == nil {
			continue
		}
		w := &watch{
			button: b, now: o.Now, out: out,
			contact: contact{debounce: o.Debounce, hold: o.Hold, stuck: o.Stuck},
		}
		watches.Go(func() { w.keep(ctx) })
	}
	watches.Wait()
}

// watch owns one input.
type watch struct {
	button  Button
	now     func() time.Duration
	out     chan<- Event
	contact contact
	// deaf says that the input cannot wait for edges, gone that it cannot be read.
	deaf, gone bool
}

// keep looks at the contact as often as its state asks for, until ctx ends.
func (w *watch) keep(ctx context.Context) {
	pause := time.NewTimer(moving)
	defer pause.Stop()
	looked := false // Again, since the last edge.
	for {
		if !w.look(ctx) {
			return
		}
		// After an edge for nothing there is a second look before the next wait,
		// so that an input that does nothing but report edges does not keep
		// this goroutine busy.
		if w.contact.quiet() && looked && !w.deaf && !w.gone {
			looked = !w.wait(ctx)
			continue
		}
		looked = true
		pause.Reset(w.pause())
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// pause returns how long to wait before the next look.
func (w *watch) pause() time.Duration {
	switch {
	case w.gone:
		return absent
	case w.contact.moving || w.contact.quiet() && !w.deaf:
		return moving
	default:
		return resting
	}
}

// look steps the contact; it reports whether ctx goes on.
func (w *watch) look(ctx context.Context) bool {
	level, err := w.button.Input.Read()
	if w.gone = err != nil; w.gone {
		w.contact.restart()
		return ctx.Err() == nil
	}
	closed := bool(level) == w.button.ActiveHigh
	e, ok := w.contact.step(w.now(), closed)
	if !ok {
		return ctx.Err() == nil
	}
	e.Button = w.button.Name
	select {
	case w.out <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait waits for an edge, but not for ever; it reports whether there was one.
func (w *watch) wait(ctx context.Context) (edge bool) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := w.button.Input.Wait(soon)
	w.deaf = err != nil && soon.Err() == nil
	return err == nil
}
