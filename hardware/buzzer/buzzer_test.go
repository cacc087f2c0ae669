package buzzer_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/gpio"
	"pgregory.net/rapid"

	"reversi-board/hardware/buzzer"
)

// pin is an output that writes down when it changes, in milliseconds from its
// making.
type pin struct {
	mu      sync.Mutex
	start   time.Time
	level   gpio.Level
	changes []int
	sets    int
	fails   func(n int) error // Of the n-th Set, from 1.
}

func newPin() *pin { return &pin{start: time.Now()} }

func (p *pin) Set(l gpio.Level) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sets++
	if p.fails != nil {
		if err := p.fails(p.sets); err != nil {
			return err
		}
	}
	if l != p.level {
		p.level = l
		p.changes = append(p.changes, int(time.Since(p.start)/time.Millisecond))
	}
	return nil
}

// heard returns the times of the changes so far, on and off in turn, and
// whether it sounds.
func (p *pin) heard() ([]int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.changes), bool(p.level)
}

// run plays on a pin until the test's end, or until stop is called.
func run(t *testing.T, p *pin) (b *buzzer.Buzzer, stop func() error) {
	t.Helper()
	b = buzzer.New(p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	synctest.Wait()
	return b, func() error {
		cancel()
		return <-ended
	}
}

// The rhythms are written down from the package comment: when the pin goes high
// and low again.
func TestRhythms(t *testing.T) {
	t.Parallel()
	for sound, want := range map[buzzer.Sound][]int{
		buzzer.Silence:  nil,
		buzzer.Click:    {0, 20},
		buzzer.OK:       {0, 60, 120, 180},
		buzzer.Error:    {0, 400, 500, 900},
		buzzer.Flag:     {0, 100, 200, 300, 400, 500, 600, 700, 800, 900},
		buzzer.GameOver: {0, 300, 450, 750, 900, 1800},
		buzzer.Ask:      {0, 60, 120, 180, 240, 640},
		buzzer.Sound(9): nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPin()
			b, stop := run(t, p)
			b.Play(sound)
			time.Sleep(10 * time.Second)
			got, sounding := p.heard()
			if !slices.Equal(got, want) || sounding {
				t.Errorf("%v: %v, sounding %t, want %v", sound, got, sounding, want)
			}
			if n := len(want); n > 0 && sound.Length() != time.Duration(want[n-1])*time.Millisecond {
				t.Errorf("%v takes %v", sound, sound.Length())
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNamesAreDifferent(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for s := range buzzer.Sound(buzzer.Sounds + 1) {
		if name := s.String(); name == "" || seen[name] {
			t.Errorf("sound %d is called %q", s, name)
		}
		seen[s.String()] = true
	}
}

func TestNewSoundReplacesOldOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPin()
		b, stop := run(t, p)
		b.Play(buzzer.GameOver)
		time.Sleep(350 * time.Millisecond) // In its first pause.
		b.Play(buzzer.OK)
		time.Sleep(30 * time.Millisecond) // While it sounds.
		b.Play(buzzer.Silence)
		time.Sleep(time.Minute)
		if got, sounding := p.heard(); !slices.Equal(got, []int{0, 300, 350, 380}) || sounding {
			t.Errorf("heard %v, sounding %t", got, sounding)
		}
		// Of several at once the last one is heard.
		for s := range buzzer.Sound(buzzer.Sounds) {
			b.Play(s)
		}
		b.Play(buzzer.Click)
		time.Sleep(time.Minute)
		if got, _ := p.heard(); !slices.Equal(got[4:], []int{60380, 60400}) {
			t.Errorf("heard %v", got[4:])
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Whatever was played, the pin is low at the end, and sounds for no longer than
// the longest beep at a time.
func TestEndsLow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		type note struct {
			sound buzzer.Sound
			rest  time.Duration
		}
		notes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) note {
			return note{
				buzzer.Sound(rapid.IntRange(0, buzzer.Sounds).Draw(t, "sound")),
				time.Duration(rapid.IntRange(0, 2000).Draw(t, "rest")) * time.Millisecond,
			}
		}), 0, 12).Draw(rt, "notes")
		synctest.Test(t, func(t *testing.T) {
			p := newPin()
			b, stop := run(t, p)
			for _, n := range notes {
				b.Play(n.sound)
				synctest.Wait()
				time.Sleep(n.rest)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			if _, sounding := p.heard(); sounding {
				t.Errorf("%v: the buzzer goes on", notes)
			}
			before, _ := p.heard()
			b.Play(buzzer.Error) // Nobody listens any more, and nobody is blocked.
			time.Sleep(time.Minute)
			if after, _ := p.heard(); len(after) != len(before) {
				t.Error("a sound after the end")
			}
		})
	})
}

// At the start the pin is made low, should somebody have left it high.
func TestPinLeftHigh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPin()
		p.level = gpio.High
		_, stop := run(t, p)
		if _, sounding := p.heard(); sounding {
			t.Error("the buzzer goes on")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

var errPin = errors.New("pin trouble")

// A pin that cannot be set ends the run, after one more try to make it low.
func TestBrokenPin(t *testing.T) {
	t.Parallel()
	for _, broken := range []int{2, 3, 4} {
		synctest.Test(t, func(t *testing.T) {
			p := newPin()
			p.fails = func(n int) error {
				if n == broken {
					return errPin
				}
				return nil
			}
			b := buzzer.New(p)
			ended := make(chan error, 1)
			go func() { ended <- b.Run(t.Context()) }()
			synctest.Wait()
			b.Play(buzzer.OK)
			if err := <-ended; !errors.Is(err, errPin) {
				t.Errorf("set %d fails: %v", broken, err)
			}
			if _, sounding := p.heard(); sounding {
				t.Errorf("set %d fails: the buzzer goes on", broken)
			}
		})
	}
}

func TestPinThatStaysHighIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPin()
		p.fails = func(n int) error {
			if n > 2 {
				return errPin
			}
			return nil
		}
		b, stop := run(t, p)
		b.Play(buzzer.Click)
		synctest.Wait()
		if err := stop(); !errors.Is(err, errPin) {
			t.Errorf("%v", err)
		}
	})
}

func TestPlayAllocatesNothing(t *testing.T) {
	b := buzzer.New(newPin())
	if n := testing.AllocsPerRun(100, func() { b.Play(buzzer.Click) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A sound that is played alone is whole when it is over, however busy the computer
// is; an end of its context leaves the pin low at once.
func TestSoundAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPin()
		if err := buzzer.New(p).Sound(t.Context(), buzzer.OK); err != nil {
			t.Fatal(err)
		}
		if got, on := p.heard(); !slices.Equal(got, []int{0, 60, 120, 180}) || on {
			t.Errorf("heard %v, on %v", got, on)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := buzzer.New(p).Sound(ctx, buzzer.GameOver); err != nil {
			t.Fatal(err)
		}
		if got, on := p.heard(); !slices.Equal(got[4:], []int{180, 190}) || on {
			t.Errorf("heard %v, on %v", got, on)
		}
		p.fails = func(int) error { return errors.New("no such line") }
		if err := buzzer.New(p).Sound(t.Context(), buzzer.OK); err == nil {
			t.Error("a pin that fails is no error")
		}
	})
}
