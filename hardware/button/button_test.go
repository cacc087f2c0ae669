package button_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/gpio"
	"pgregory.net/rapid"

	"reversi-board/hardware/button"
)

const ms = time.Millisecond

// contact is an emulated push button between a pin with a pull-up and ground.
// It moves at given times after its making.
type contact struct {
	start time.Time
	moves []time.Duration // Ascending; closed after the first, open after the second.
	// wait is how its Wait works.
	wait  waiting
	reads atomic.Int64
	// goneFrom and goneTo are when the pin has gone.
	goneFrom, goneTo time.Duration
}

// waiting is a way of an input to wait for edges.
type waiting int

const (
	// prompt returns with an edge, and when the context ends.
	prompt waiting = iota
	// slow returns with an edge, or when the context has ended and a second is
	// over: that is what some drivers of pins allow.
	slow
	// lossy never sees an edge.
	lossy
	// nervous always sees one.
	nervous
	// broken always fails.
	broken
)

func newContact(moves ...time.Duration) *contact { return &contact{start: time.Now(), moves: moves} }

func (c *contact) Read() (gpio.Level, error) {
	c.reads.Add(1)
	now := time.Since(c.start)
	if now >= c.goneFrom && now < c.goneTo {
		return gpio.Low, errors.New("no such device")
	}
	n, _ := slices.BinarySearchFunc(c.moves, now, func(m, now time.Duration) int {
		if m <= now {
			return -1
		}
		return 1
	})
	return gpio.Level(n%2 == 0), nil
}

func (c *contact) Wait(ctx context.Context) error {
	switch c.wait {
	case broken:
		return errors.New("this pin has no edges")
	case nervous:
		return ctx.Err()
	case lossy:
		<-ctx.Done()
		return ctx.Err()
	case slow:
		for ctx.Err() == nil {
			short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			seen := c.edge(short)
			cancel()
			if seen {
				return nil
			}
		}
		return ctx.Err()
	case prompt:
	}
	if c.edge(ctx) {
		return nil
	}
	return ctx.Err()
}

// edge waits for the next move.
func (c *contact) edge(ctx context.Context) bool {
	for _, m := range c.moves {
		if left := m - time.Since(c.start); left > 0 {
			select {
			case <-time.After(left):
				return true
			case <-ctx.Done():
				return false
			}
		}
	}
	<-ctx.Done()
	return false
}

// watch collects the events of the first while of some buttons. It returns once
// everything that was started has ended.
func watch(t *testing.T, while time.Duration, o button.Options, buttons ...button.Button) []button.Event {
	t.Helper()
	out := make(chan button.Event, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), while)
	defer cancel()
	button.Watch(ctx, o, out, buttons...)
	close(out)
	var all []button.Event
	for e := range out {
		all = append(all, e)
	}
	return all
}

func one(c *contact) button.Button { return button.Button{Name: "hint", Input: c} }

func equal(t *testing.T, got []button.Event, want ...button.Event) {
	t.Helper()
	for i := range want {
		if want[i].Button == "" {
			want[i].Button = "hint"
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// within checks that event i is of that kind and came at most late after at.
func within(t *testing.T, got []button.Event, i int, kind button.Kind, at, late time.Duration) {
	t.Helper()
	if i >= len(got) || got[i].Kind != kind || got[i].At < at || got[i].At > at+late {
		t.Errorf("event %d of %v: want %v between %v and %v", i, got, kind, at, at+late)
	}
}

func TestCleanPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		equal(
			t,
			watch(t, 10*time.Second, button.Options{}, one(newContact(500*ms, 700*ms, 2001*ms, 2100*ms))),
			button.Event{Kind: button.Pressed, At: 500 * ms}, button.Event{Kind: button.Pressed, At: 2001 * ms},
		)
	})
}

// A press counts from the first touch, however the contact bounces; no bounce
// is a press of its own.
func TestBouncingPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newContact(
			500*ms, 501*ms, 503*ms, 504*ms, 508*ms, 509*ms, 512*ms, // Closed at last.
			700*ms, 702*ms, 704*ms, 707*ms, 715*ms, // Open at last.
		)
		equal(t, watch(t, 10*time.Second, button.Options{}, one(c)), button.Event{Kind: button.Pressed, At: 500 * ms})
	})
}

// A pin whose chip goes reads low, which is what a button that is down reads: no
// press comes of it, nor a long one of a press that the outage cut off, and the
// button works again afterwards.
func TestPinThatGoesIsNoPress(t *testing.T) {
	t.Parallel()
	for _, how := range []waiting{prompt, broken, nervous} {
		synctest.Test(t, func(t *testing.T) {
			c := newContact(8000*ms, 8200*ms)
			c.wait, c.goneFrom, c.goneTo = how, 500*ms, 5500*ms
			got := watch(t, 12*time.Second, button.Options{}, one(c))
			if len(got) != 1 {
				t.Fatalf("wait %v: %v, want one press", how, got)
			}
			within(t, got, 0, button.Pressed, 8000*ms, 20*ms)
		})
		synctest.Test(t, func(t *testing.T) {
			c := newContact(400*ms, 9000*ms)
			c.wait, c.goneFrom, c.goneTo = how, 600*ms, 5500*ms
			got := watch(t, 12*time.Second, button.Options{}, one(c))
			if len(got) != 1 {
				t.Fatalf("wait %v: %v, want one press, and no long one", how, got)
			}
			within(t, got, 0, button.Pressed, 400*ms, 20*ms)
			if n := c.reads.Load(); n > 5000 {
				t.Errorf("wait %v: looked at %d times", how, n)
			}
		})
	}
}

// A spark is no press, and no release either.
func TestSparks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newContact(500*ms, 505*ms, 2000*ms, 2010*ms, 2015*ms, 2020*ms, 3000*ms, 3500*ms, 3510*ms, 5000*ms)
		equal(
			t, watch(t, 10*time.Second, button.Options{Hold: 1800 * ms}, one(c)),
			button.Event{Kind: button.Pressed, At: 3000 * ms}, button.Event{Kind: button.Held, At: 4800 * ms},
		)
	})
}

// What is reported comes a debouncing late, not later.
func TestPressIsReportedSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(chan button.Event)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		start := time.Now()
		c := newContact(5*time.Second, 5003*ms, 5006*ms, 6*time.Second)
		c.wait = slow
		go func() {
			defer close(done)
			button.Watch(ctx, button.Options{}, out, one(c))
		}()
		e := <-out
		if late := time.Since(start); e.At != 5*time.Second || late > 5030*ms {
			t.Errorf("%v is reported after %v", e, late)
		}
		cancel()
		<-done
	})
}

func TestLongPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := watch(t, 20*time.Second, button.Options{}, one(newContact(time.Second, 1980*ms, 5*time.Second, 15*time.Second)))
		if len(got) != 3 {
			t.Fatalf("%v", got)
		}
		within(t, got, 0, button.Pressed, time.Second, 0)
		within(t, got, 1, button.Pressed, 5*time.Second, 0)
		within(t, got, 2, button.Held, 6*time.Second, 12*ms)
	})
}

func TestStuckButton(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// It bounces, is stuck for an hour, and works again.
		c := newContact(time.Second, 1002*ms, 1004*ms, time.Hour, time.Hour+2*ms, time.Hour+3*ms, time.Hour+time.Second, time.Hour+1100*ms)
		got := watch(t, 2*time.Hour, button.Options{}, one(c))
		if len(got) != 5 {
			t.Fatalf("%v", got)
		}
		within(t, got, 0, button.Pressed, time.Second, 0)
		within(t, got, 1, button.Held, 2*time.Second, 12*ms)
		within(t, got, 2, button.Stuck, 31*time.Second, 12*ms)
		within(t, got, 3, button.Recovered, time.Hour, 0)
		within(t, got, 4, button.Pressed, time.Hour+time.Second, 0)
		if reads := c.reads.Load(); reads > 30000 {
			t.Errorf("a button that is stuck or open was looked at %d times in two hours", reads)
		}
	})
}

// A button that is down at the start is no press, but may be stuck.
func TestDownAtTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := watch(t, 10*time.Second, button.Options{}, one(newContact(0, 5*time.Second, 6*time.Second, 6100*ms)))
		equal(t, got, button.Event{Kind: button.Pressed, At: 6 * time.Second})
		got = watch(t, time.Minute, button.Options{}, one(newContact(0, 40*time.Second, 50*time.Second, 50100*ms)))
		if len(got) != 3 {
			t.Fatalf("%v", got)
		}
		within(t, got, 0, button.Stuck, 30*time.Second, 12*ms)
		within(t, got, 1, button.Recovered, 40*time.Second, 0)
		within(t, got, 2, button.Pressed, 50*time.Second, 0)
	})
}

// A contact that never rests is as broken as one that is stuck.
func TestContactThatNeverRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var moves []time.Duration
		for at := time.Second; at < 61*time.Second; at += 10 * ms {
			moves = append(moves, at)
		}
		moves = append(moves, 70*time.Second, 70100*ms)
		got := watch(t, 80*time.Second, button.Options{}, one(newContact(moves...)))
		if len(got) != 3 {
			t.Fatalf("%v", got)
		}
		within(t, got, 0, button.Stuck, 31*time.Second, 12*ms)
		within(t, got, 1, button.Recovered, time.Second, time.Minute)
		within(t, got, 2, button.Pressed, 70*time.Second, 0)
	})
}

// One that comes to rest closed is stuck until it is released.
func TestContactThatRestsAtLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var moves []time.Duration
		for at := time.Second; at <= 61*time.Second; at += 10 * ms {
			moves = append(moves, at) // The last one closes it.
		}
		got := watch(t, 10*time.Minute, button.Options{}, one(newContact(append(moves, 5*time.Minute)...)))
		if len(got) != 2 {
			t.Fatalf("%v", got)
		}
		within(t, got, 0, button.Stuck, 31*time.Second, 12*ms)
		within(t, got, 1, button.Recovered, 5*time.Minute, 0)
	})
}

// However an input waits, a press that lasts is found; only its time is less
// exact.
func TestEdgesAreHints(t *testing.T) {
	t.Parallel()
	for wait, late := range map[waiting]time.Duration{
		prompt: 0, slow: 0, lossy: 1010 * ms, nervous: 2 * ms, broken: 10 * ms,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newContact(10*time.Second, 14*time.Second, 25*time.Second, 28*time.Second)
			c.wait = wait
			start := time.Now()
			got := watch(t, 40*time.Second, button.Options{Hold: time.Minute}, one(c))
			if len(got) != 2 {
				t.Fatalf("input %d: %v", wait, got)
			}
			within(t, got, 0, button.Pressed, 10*time.Second, late)
			within(t, got, 1, button.Pressed, 25*time.Second, late)
			if over := time.Since(start) - 40*time.Second; over > time.Second {
				t.Errorf("input %d: the watch ended %v late", wait, over)
			}
			// A thousand looks a second at most.
			if reads := c.reads.Load(); reads > 40100 {
				t.Errorf("input %d was looked at %d times in 40 s", wait, reads)
			}
		})
	}
}

// Both players' buttons, one that is high when it is down, and one that is not
// there.
func TestSeveralButtons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		black, white := newContact(time.Second, 1100*ms), newContact(1005*ms, 1200*ms)
		high := newContact(0, 2*time.Second, 2100*ms)
		got := watch(
			t, 5*time.Second, button.Options{},
			button.Button{Name: "black", Input: black}, button.Button{Name: "absent"},
			button.Button{Name: "white", Input: white}, button.Button{Name: "high", Input: high, ActiveHigh: true},
		)
		slices.SortStableFunc(got, func(a, b button.Event) int { return int(a.At - b.At) })
		equal(
			t, got,
			button.Event{Button: "black", Kind: button.Pressed, At: time.Second},
			button.Event{Button: "white", Kind: button.Pressed, At: 1005 * ms},
			button.Event{Button: "high", Kind: button.Pressed, At: 2 * time.Second},
		)
	})
}

// A listener who is late loses nothing.
func TestLateListener(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(chan button.Event)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			button.Watch(ctx, button.Options{}, out, one(newContact(time.Second, 1100*ms, 50*time.Second, 50100*ms)))
		}()
		time.Sleep(20 * time.Second)
		if e := <-out; e.At != time.Second {
			t.Errorf("%v", e)
		}
		if e := <-out; e.At != 50*time.Second {
			t.Errorf("%v", e)
		}
		// One that has gone does not keep the watch from ending.
		time.Sleep(time.Second)
		cancel()
		<-done
	})
}

func TestOwnClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		o := button.Options{Now: func() time.Duration { return time.Hour + time.Since(start) }}
		equal(
			t, watch(t, 5*time.Second, o, one(newContact(time.Second, 1100*ms))),
			button.Event{Kind: button.Pressed, At: time.Hour + time.Second},
		)
	})
}

// press is what a hand means: the button is down from one time to another.
type press struct{ down, up time.Duration }

// hands are presses and what a contact makes of them.
type hands struct {
	t       *rapid.T
	at      time.Duration
	presses []press
	moves   []time.Duration
}

func (h *hands) draw(what string, from, to int) time.Duration {
	return time.Duration(rapid.IntRange(from, to).Draw(h.t, what)) * ms
}

// move changes the contact for good, after up to three pairs of bounces.
func (h *hands) move() {
	h.moves = append(h.moves, h.at)
	for i := range 2 * rapid.IntRange(0, 3).Draw(h.t, "bounces") {
		h.moves = append(h.moves, h.at+time.Duration(i+1)*ms)
	}
}

// rest leaves the contact alone but for a spark, if there is time for one.
func (h *hands) rest(d time.Duration) {
	if d > 120*ms && rapid.Bool().Draw(h.t, "spark") {
		h.moves = append(h.moves, h.at+50*ms, h.at+50*ms+h.draw("sparks for", 1, 8))
	}
	h.at += d
}

// play makes up to six presses; none has about the length of a long one.
func (h *hands) play() {
	lengths := []time.Duration{40 * ms, 90 * ms, 200 * ms, 500 * ms, 2500 * ms}
	for range rapid.IntRange(0, 6).Draw(h.t, "presses") {
		h.rest(h.draw("open for", 40, 1500))
		p := press{down: h.at}
		h.move()
		h.rest(rapid.SampledFrom(lengths).Draw(h.t, "down for"))
		p.up = h.at
		h.move()
		h.presses = append(h.presses, p)
	}
}

// Hands press as they like, contacts bounce for up to 6 ms, and sparks of up to
// 8 ms come in between: what is reported is what the hands did.
func TestHandsAndBounces(t *testing.T) {
	t.Parallel()
	const hold, stuck = 300 * ms, 2 * time.Second
	rapid.Check(t, func(rt *rapid.T) {
		h := &hands{t: rt, at: 50 * ms}
		h.play()
		wait := rapid.SampledFrom([]waiting{prompt, slow, nervous}).Draw(rt, "wait")
		late := time.Duration(0)
		if wait == nervous {
			late = 8 * ms // It is looked at every 2 ms, and may hide in its bounces.
		}
		synctest.Test(t, func(t *testing.T) {
			c := newContact(h.moves...)
			c.wait = wait
			got := watch(t, h.at+time.Second, button.Options{Hold: hold, Stuck: stuck}, one(c))
			i := 0
			for _, p := range h.presses {
				within(t, got, i, button.Pressed, p.down, late)
				i++
				if p.up-p.down >= hold {
					within(t, got, i, button.Held, p.down+hold, 80*ms)
					i++
				}
				if p.up-p.down >= stuck {
					within(t, got, i, button.Stuck, p.down+stuck, 80*ms)
					within(t, got, i+1, button.Recovered, p.up, late)
					i += 2
				}
			}
			if i != len(got) {
				t.Errorf("%d events, want %d: %v\n%v", len(got), i, got, h.moves)
			}
		})
		if t.Failed() {
			rt.FailNow()
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for k := range button.Recovered + 2 {
		seen[k.String()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%v", seen)
	}
}
