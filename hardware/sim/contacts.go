package sim

import (
	"context"
	"sync"

	"periph.io/x/conn/v3/gpio"
)

// Button is a contact between a pin with a pull-up and ground: the pin is low
// while it is pressed.
type Button struct {
	mu    sync.Mutex
	down  bool
	edges chan struct{}
}

// Press closes the contact, or lets it go.
func (b *Button) Press(down bool) {
	b.mu.Lock()
	b.down = down
	b.mu.Unlock()
	select {
	case b.edges <- struct{}{}:
	default:
	}
}

// Read returns the level of the pin; it never fails.
func (b *Button) Read() (gpio.Level, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return gpio.Level(!b.down), nil
}

// Wait returns nil when the contact has moved, or the error of ctx when it ends.
func (b *Button) Wait(ctx context.Context) error {
	select {
	case <-b.edges:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Buzzer is the pin of a buzzer.
type Buzzer struct {
	mu     sync.Mutex
	level  gpio.Level
	sounds int
}

// Set drives the pin.
func (z *Buzzer) Set(l gpio.Level) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if l == gpio.High && z.level == gpio.Low {
		z.sounds++
	}
	z.level = l
	return nil
}

// Sounds returns how often the buzzer has begun to sound, and whether it does.
func (z *Buzzer) Sounds() (begun int, on bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.sounds, z.level == gpio.High
}

// Button returns the button of a name, the same one every time.
func (b *Board) Button(name string) *Button {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.buttons[name] == nil {
		if b.buttons == nil {
			b.buttons = map[string]*Button{}
		}
		b.buttons[name] = &Button{edges: make(chan struct{}, 1)}
	}
	return b.buttons[name]
}

// Buzzer returns the buzzer.
func (b *Board) Buzzer() *Buzzer { return &b.buzzer }
