package buzzer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
)

// Output drives the pin; high sounds.
type Output interface {
	Set(l gpio.Level) error
}

// Sound is a rhythm.
type Sound uint8

// The sounds. Silence ends one that is going on.
const (
	Silence Sound = iota
	Click
	OK
	Error
	Flag
	GameOver
	Ask
)

// Sounds is the number of sounds.
const Sounds = int(Ask) + 1

// String returns the sound's name for logs.
func (s Sound) String() string {
	if int(s) >= Sounds {
		return fmt.Sprintf("Sound(%d)", uint8(s))
	}
	return [Sounds]string{"silence", "click", "ok", "error", "flag", "game over", "ask"}[s]
}

// rhythm is milliseconds, sounding and silent in turn; 0 is the end.
type rhythm [10]uint16

func (s Sound) rhythm() rhythm {
	if int(s) >= Sounds {
		return rhythm{}
	}
	return [Sounds]rhythm{
		Silence:  {},
		Click:    {20},
		OK:       {60, 60, 60},
		Error:    {400, 100, 400},
		Flag:     {100, 100, 100, 100, 100, 100, 100, 100, 100},
		GameOver: {300, 150, 300, 150, 900},
		Ask:      {60, 60, 60, 60, 400},
	}[s]
}

// Length returns how long the sound takes.
func (s Sound) Length() time.Duration {
	var sum time.Duration
	for _, ms := range s.rhythm() {
		sum += time.Duration(ms) * time.Millisecond
	}
	return sum
}

// Buzzer plays sounds. Play may be called from any goroutine at any time.
type Buzzer struct {
	out   Output
	fresh chan struct{}

	mu   sync.Mutex
	next Sound
}

// New returns a buzzer on a pin. It is silent until Run is called.
func New(out Output) *Buzzer { return &Buzzer{out: out, fresh: make(chan struct{}, 1)} }

// Play starts a sound, in place of one that is going on or has not begun. It
// never waits. A sound that is not known is silence.
func (b *Buzzer) Play(s Sound) {
	b.mu.Lock()
	b.next = s
	b.mu.Unlock()
	select {
	case b.fresh <- struct{}{}:
	default:
	}
}

// Run owns the pin until ctx ends, and then returns nil, or the pin cannot be
// set, and then returns the reason. It leaves the pin low; if that fails the
// error says so.
func (b *Buzzer) Run(ctx context.Context) (err error) {
	defer func() {
		if low := b.out.Set(gpio.Low); low != nil {
			err = errors.Join(err, fmt.Errorf("silence the buzzer, take its plug out if it goes on: %w", low))
		}
	}()
	if err := b.out.Set(gpio.Low); err != nil {
		return fmt.Errorf("silence the buzzer: %w", err)
	}
	next := time.NewTimer(time.Hour)
	next.Stop()
	defer next.Stop()
	var now rhythm
	at := len(now) // Which part of now is on.
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.fresh:
			now, at = b.take().rhythm(), 0
		case <-next.C:
			at++
		}
		sounding := at < len(now) && now[at] != 0
		if err := b.out.Set(gpio.Level(sounding && at%2 == 0)); err != nil {
			return fmt.Errorf("sound the buzzer: %w", err)
		}
		if sounding {
			next.Reset(time.Duration(now[at]) * time.Millisecond)
		} else {
			at = len(now)
			next.Stop()
		}
	}
}

// Sound plays one sound to its end and leaves the pin low. It is for whoever has
// the buzzer alone: it owns the pin as Run does, and must not be called beside it.
func (b *Buzzer) Sound(ctx context.Context, s Sound) error {
	next := time.NewTimer(time.Hour)
	defer next.Stop()
	for i, ms := range s.rhythm() {
		if ms == 0 || ctx.Err() != nil {
			break
		}
		if err := b.out.Set(gpio.Level(i%2 == 0)); err != nil {
			return fmt.Errorf("sound the buzzer: %w", err)
		}
		next.Reset(time.Duration(ms) * time.Millisecond)
		select {
		case <-next.C:
		case <-ctx.Done():
		}
	}
	if err := b.out.Set(gpio.Low); err != nil {
		return fmt.Errorf("silence the buzzer: %w", err)
	}
	return nil
}

func (b *Buzzer) take() Sound {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}
