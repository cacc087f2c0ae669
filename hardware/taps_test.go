package hardware

import (
	"context"
	"errors"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"pgregory.net/rapid"
)

// lines are SCL and SDA with a chip on them that holds SDA until it has seen a
// number of falling edges of SCL.
type lines struct {
	pullSCL, pullSDA bool // By the taps.
	holdSCL          bool
	holdSDA          int // Falling edges to go.
	hangs            bool
	stops, clocks    int
	unpowered        bool
	rail             []bool
	drivenHigh       bool
	broken           error
}

func (l *lines) scl() bool { return !l.pullSCL && (!l.holdSCL || l.unpowered) }

func (l *lines) sda() bool {
	return !l.pullSDA && (l.unpowered || l.holdSDA == 0 && !l.hangs)
}

// move changes what a tap does and notices edges as chips would.
func (l *lines) move(f func()) {
	scl, sda := l.scl(), l.sda()
	f()
	if scl && !l.scl() {
		l.clocks++
		l.holdSDA = max(0, l.holdSDA-1)
	}
	if scl && l.scl() && !sda && l.sda() {
		l.stops++
	}
}

type tap struct {
	l    *lines
	pull *bool
	read func() bool
}

func (p tap) In(gpio.Pull, gpio.Edge) error {
	p.l.move(func() { *p.pull = false })
	return nil
}

func (p tap) Out(v gpio.Level) error {
	if p.l.broken != nil {
		return p.l.broken
	}
	if v == gpio.High {
		p.l.drivenHigh = true
	}
	p.l.move(func() { *p.pull = v == gpio.Low })
	return nil
}

func (p tap) Read() gpio.Level { return gpio.Level(p.read()) }

func (l *lines) taps(c *clock) *Taps {
	return &Taps{
		SCL: tap{l, &l.pullSCL, l.scl},
		SDA: tap{l, &l.pullSDA, l.sda},
		Rail: func(on bool) error {
			l.rail = append(l.rail, on)
			l.unpowered = !on
			if !on {
				l.holdSCL, l.holdSDA, l.hangs = false, 0, false
			}
			return nil
		},
		Sleep: c.sleep,
		Now:   c.now,
	}
}

func TestHeldSDAIsClockedFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, recoveryPulses).Draw(t, "clocks that the chip needs")
		l, c := &lines{holdSDA: n}, &clock{}
		if err := l.taps(c).Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !l.scl() || !l.sda() || len(l.rail) != 0 || l.drivenHigh {
			t.Fatalf("SCL %v SDA %v rail %v driven high %v", l.scl(), l.sda(), l.rail, l.drivenHigh)
		}
		// n pulses, and the STOP lowers SCL once more.
		if n > 0 && (l.stops != 1 || l.clocks != n+1) || n == 0 && l.clocks != 0 {
			t.Fatalf("%d clocks and %d STOPs for a chip that needs %d", l.clocks, l.stops, n)
		}
		if c.t > time.Millisecond {
			t.Fatalf("it took %v", c.t)
		}
	})
}

func TestHangingChipLosesItsPower(t *testing.T) {
	t.Parallel()
	for _, l := range []*lines{{holdSCL: true}, {hangs: true}, {holdSDA: 50}} {
		c, pulses := &clock{}, !l.holdSCL
		if err := l.taps(c).Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(l.rail) != 2 || l.rail[0] || !l.rail[1] || c.t < 500*time.Millisecond || c.t > time.Second {
			t.Errorf("rail %v after %v, want off and on with 500 ms between", l.rail, c.t)
		}
		if (l.clocks > 0) != pulses {
			t.Errorf("%d clocks on a bus that could be clocked: %v", l.clocks, pulses)
		}
	}
}

func TestBusThatCannotBeFreed(t *testing.T) {
	t.Parallel()
	l := &lines{hangs: true}
	taps := l.taps(&clock{})
	taps.Rail = nil
	if err := taps.Recover(t.Context()); !errors.Is(err, ErrHeld) {
		t.Errorf("without a rail switch: %v", err)
	}
	if l.pullSCL || l.pullSDA {
		t.Error("a tap still holds the bus")
	}
	short := &lines{holdSCL: true}
	taps = short.taps(&clock{})
	taps.Rail = func(on bool) error { short.rail = append(short.rail, on); return nil }
	if err := taps.Recover(t.Context()); !errors.Is(err, ErrHeld) {
		t.Errorf("a short: %v", err)
	}
	bad := &lines{hangs: true, broken: errors.New("pin trouble")}
	if err := bad.taps(&clock{}).Recover(t.Context()); !errors.Is(err, bad.broken) || bad.pullSCL || bad.pullSDA {
		t.Errorf("a tap that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := &lines{hangs: true}
	if err := ended.taps(&clock{}).Recover(ctx); !errors.Is(err, context.Canceled) || ended.pullSCL || ended.pullSDA {
		t.Errorf("ended context: %v", err)
	}
}

// Without taps nobody can see whether a line is held: a bus that is dead has its
// supply cycled.
func TestOnlyTheSupplyCanBeSwitched(t *testing.T) {
	t.Parallel()
	l, c := &lines{hangs: true}, &clock{}
	taps := l.taps(c)
	taps.SCL, taps.SDA = nil, nil
	if err := taps.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(l.rail) != 2 || l.rail[0] || !l.rail[1] || !l.sda() || l.clocks != 0 {
		t.Errorf("rail %v, SDA %v, %d clocks", l.rail, l.sda(), l.clocks)
	}
	taps.Rail = nil
	if err := taps.Recover(t.Context()); !errors.Is(err, ErrHeld) {
		t.Errorf("with nothing at all: %v", err)
	}
}

// A bus that is dead for good is probed every 5 s. Its supply is cycled at once,
// then 5 s after that did not help, 10 s, 20 s and so on up to 5 minutes: chips
// on other buses lose theirs each time. The next trouble is a new one.
func TestSupplyIsCycledMoreAndMoreRarely(t *testing.T) {
	t.Parallel()
	for name, wired := range map[string]bool{"with taps": true, "without taps": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testRarer(t, wired)
		})
	}
}

func testRarer(t *testing.T, wired bool) {
	t.Helper()
	l, c := &lines{holdSCL: true}, &clock{} // A short: power does not end it here.
	taps := l.taps(c)
	var cycled []time.Duration
	taps.Rail = func(on bool) error {
		if !on {
			cycled = append(cycled, c.t)
		}
		return nil
	}
	if !wired {
		taps.SCL, taps.SDA = nil, nil
	}
	probe := func(until time.Duration) {
		for ; c.t < until; c.t += 5 * time.Second {
			err := taps.Recover(t.Context())
			if !errors.Is(err, ErrHeld) && (wired || err != nil) {
				t.Fatalf("at %v: %v", c.t, err)
			}
		}
	}
	probe(30 * time.Minute)
	wantRarer(t, cycled)
	// An hour without trouble.
	before := len(cycled)
	c.t += time.Hour
	probe(c.t + 6*time.Second)
	if len(cycled) != before+2 {
		t.Errorf("then %d times in 6 s, want at once and after 5 s", len(cycled)-before)
	}
}

// wantRarer wants the pauses to be 5 s, 10 s, 20 s and so on up to 5 minutes.
func wantRarer(t *testing.T, cycled []time.Duration) {
	t.Helper()
	if len(cycled) < 10 || cycled[0] != 0 {
		t.Fatalf("cycled at %v", cycled)
	}
	for i := 1; i < len(cycled); i++ {
		pause, least := cycled[i]-cycled[i-1], min(5*time.Second<<(i-1), 5*time.Minute)
		// A probe every 5 s, and the time that a cycle takes.
		if pause < least || pause > least+10*time.Second {
			t.Errorf("cycle %d came %v after the one before, want %v", i, pause, least)
		}
	}
}

// A supply that cannot be switched on again at first is not left off: chips
// without it hold no line, and nobody would ask again.
func TestSupplyIsNotLeftOff(t *testing.T) {
	t.Parallel()
	broken := errors.New("switch trouble")
	for fails, want := range map[int]error{1: nil, 4: nil, 5: broken, 6: broken} {
		l, c := &lines{hangs: true}, &clock{}
		taps, left := l.taps(c), fails
		rail := taps.Rail
		taps.Rail = func(on bool) error {
			if on && left > 0 {
				left--
				return broken
			}
			return rail(on)
		}
		if err := taps.Recover(t.Context()); !errors.Is(err, want) {
			t.Errorf("%d failures: %v, want %v", fails, err, want)
		}
		c.t += 6 * time.Second
		if err := taps.Recover(t.Context()); err != nil || l.unpowered {
			t.Errorf("%d failures, then again: %v, off %v", fails, err, l.unpowered)
		}
	}
}
