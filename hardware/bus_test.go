package hardware

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"
)

// wire is a bus whose answers a test decides, and that remembers when it was
// asked.
type wire struct {
	mu     sync.Mutex
	answer func(addr uint16) error
	now    func() time.Duration
	calls  []call
	closed int
}

type call struct {
	addr uint16
	at   time.Duration
}

func (w *wire) Tx(addr uint16, _, _ []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var at time.Duration
	if w.now != nil {
		at = w.now()
	}
	w.calls = append(w.calls, call{addr, at})
	if w.answer == nil {
		return nil
	}
	return w.answer(addr)
}

func (w *wire) SetSpeed(physic.Frequency) error { return nil }

func (w *wire) String() string { return "wire" }

func (w *wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed++
	return nil
}

// reset forgets the calls so far and returns their times.
func (w *wire) reset() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var at []time.Duration
	for _, c := range w.calls {
		at = append(at, c.at)
	}
	w.calls = nil
	return at
}

func (w *wire) set(answer func(addr uint16) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = answer
}

func always(err error) func(uint16) error { return func(uint16) error { return err } }

// flat is an error as periph's Linux bus returns it: text only.
func flat(no syscall.Errno) error { return fmt.Errorf("sysfs-i2c: %v", no) } //nolint:errorlint // That is the point.

// clock is virtual time without goroutines.
type clock struct {
	t time.Duration
}

func (c *clock) now() time.Duration { return c.t }

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.t += d
	return nil
}

// inline returns a bus on virtual time without an owner goroutine.
func inline(t *testing.T, w *wire, recovery func(context.Context) error) (*Bus, *clock) {
	t.Helper()
	c := &clock{}
	w.now = c.now
	b := NewBus(w, BusOptions{Now: c.now, Sleep: c.sleep, Inline: true, Recover: recovery})
	t.Cleanup(func() { mustClose(t, b) })
	return b, c
}

func mustClose(t *testing.T, b *Bus) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func ms(at ...int) []time.Duration {
	out := make([]time.Duration, 0, len(at))
	for _, v := range at {
		out = append(out, time.Duration(v)*time.Millisecond)
	}
	return out
}

func TestNACKIsRetriedThenProbedEverMoreRarely(t *testing.T) {
	t.Parallel()
	w := &wire{answer: always(flat(syscall.EREMOTEIO))}
	b, c := inline(t, w, nil)
	err := b.Tx(0x23, []byte{0}, nil)
	if Classify(err) != NACK {
		t.Fatalf("error %v, want a NACK", err)
	}
	if got, want := w.reset(), ms(0, 1, 6, 26); !slices.Equal(got, want) {
		t.Fatalf("asked at %v, want %v (at once, then after 1, 5 and 20 ms)", got, want)
	}
	if !b.Open(0x23) || b.Open(0x24) {
		t.Fatal("the breaker of 0x23, and only that one, should be open")
	}
	// From now on somebody asks every millisecond for 20 s.
	for c.t < 20*time.Second {
		c.t += time.Millisecond
		if again := b.Tx(0x23, []byte{0}, nil); Classify(again) != NACK {
			t.Fatalf("at %v: %v, want the stored cause", c.t, again)
		}
	}
	want := ms(126, 326, 726, 1526, 3126, 6326, 11326, 16326)
	if got := w.reset(); !slices.Equal(got, want) {
		t.Fatalf("probed at %v, want %v", got, want)
	}
	d, ok := b.Stats().Device(0x23)
	if !ok || d.Count(NACK) != 12 || d.Retries != 3 || d.Opens != 1 || d.FailedFast == 0 {
		t.Fatalf("counters %+v", d)
	}
	// The chip returns: the next probe closes the breaker at once.
	w.set(nil)
	c.t = 22 * time.Second
	for range 3 {
		if err := b.Tx(0x23, []byte{0}, nil); err != nil {
			t.Fatalf("after its return: %v", err)
		}
	}
	if len(w.reset()) != 3 || b.Open(0x23) {
		t.Fatal("the chip is back but is not asked every time")
	}
}

func TestOneDeadChipDoesNotConcernTheOthers(t *testing.T) {
	t.Parallel()
	w := &wire{answer: func(addr uint16) error {
		if addr == 0x22 {
			return flat(syscall.EREMOTEIO)
		}
		return nil
	}}
	b, c := inline(t, w, nil)
	scan := func(tx i2c.Bus) error {
		for a := uint16(0x20); a < 0x28; a++ {
			if err := Once(tx).Tx(a, []byte{0}, nil); (err != nil) != (a == 0x22) {
				t.Errorf("chip 0x%02X: %v", a, err)
			}
		}
		return nil
	}
	for range 10 {
		if err := b.Do(t.Context(), PrioScan, scan); err != nil {
			t.Fatal(err)
		}
		if c.t%(20*time.Millisecond) != 0 {
			t.Fatalf("a scan slept: the clock shows %v", c.t)
		}
		c.t += 20 * time.Millisecond
	}
	d, _ := b.Stats().Device(0x22)
	// Four failures in a row open the breaker at 60 ms; one probe falls at
	// 160 ms.
	if d.Count(NACK) != 5 || !d.Open {
		t.Fatalf("the dead chip was asked %d times, want 5; open %v", d.Count(NACK), d.Open)
	}
}

func TestTimeoutAbortsTheRequestAndOpensTheBus(t *testing.T) {
	t.Parallel()
	var recovered []time.Duration
	w := &wire{answer: always(flat(syscall.ETIMEDOUT))}
	var c *clock
	b, c := inline(t, w, func(context.Context) error {
		recovered = append(recovered, c.t)
		return nil
	})
	scan := func(tx i2c.Bus) error {
		for a := uint16(0x20); a < 0x28; a++ {
			if err := tx.Tx(a, []byte{0}, nil); Classify(err) != Timeout {
				t.Errorf("chip 0x%02X: %v, want the timeout", a, err)
			}
		}
		return nil
	}
	for i := range 3 {
		if err := b.Do(t.Context(), PrioScan, scan); err != nil {
			t.Fatal(err)
		}
		if n := len(w.reset()); n != 1 {
			t.Fatalf("scan %d put %d transfers on the wire, want 1: each costs the adapter's timeout", i, n)
		}
		c.t += 20 * time.Millisecond
	}
	if s := b.Stats(); !s.Open || s.Cause == nil || s.Recoveries != 1 {
		t.Fatalf("after three timeouts in a row: %+v", s)
	}
	for c.t < time.Second {
		if err := b.Tx(0x3C, []byte{0}, nil); Classify(err) != Timeout {
			t.Fatalf("at %v: %v", c.t, err)
		}
		c.t += time.Millisecond
	}
	// Opened at 40 ms; probes after 100, 200 and 400 ms.
	if got, want := w.reset(), ms(140, 340, 740); !slices.Equal(got, want) {
		t.Fatalf("probed at %v, want %v", got, want)
	}
	if want := ms(40, 140, 340, 740); !slices.Equal(recovered, want) {
		t.Fatalf("recovery ran at %v, want %v", recovered, want)
	}
	// A chip that does not answer proves that the lines are free again.
	w.set(always(flat(syscall.EREMOTEIO)))
	c.t = 5 * time.Second
	_ = b.Tx(0x3D, []byte{0}, nil)
	if b.Stats().Open {
		t.Fatal("a NACK was seen, yet the bus is held to be dead")
	}
}

func TestArbitrationLost(t *testing.T) {
	t.Parallel()
	fails := 3
	w := &wire{answer: func(uint16) error {
		if fails > 0 {
			fails--
			return flat(syscall.EAGAIN)
		}
		return nil
	}}
	b, c := inline(t, w, nil)
	if err := b.Tx(0x20, []byte{0}, nil); err != nil {
		t.Fatalf("three losses then success: %v", err)
	}
	if len(w.reset()) != 4 || c.t != 0 {
		t.Fatal("want four transfers without a pause")
	}
	fails = 100
	if err := b.Tx(0x20, []byte{0}, nil); Classify(err) != ArbLost {
		t.Fatalf("got %v", err)
	}
	if n := len(w.reset()); n != 4 {
		t.Fatalf("%d transfers, want one and three retries", n)
	}
}

func TestUnsupportedIsReportedOnce(t *testing.T) {
	t.Parallel()
	w := &wire{answer: always(syscall.EOPNOTSUPP)}
	b, _ := inline(t, w, nil)
	for range 5 {
		if err := b.Tx(0x20, []byte{0}, nil); Classify(err) != Unsupported {
			t.Fatalf("got %v", err)
		}
	}
	if n := len(w.reset()); n != 5 || b.Open(0x20) {
		t.Fatalf("%d transfers, open %v; want 5 and no breaker", n, b.Open(0x20))
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	w := &wire{}
	b, _ := inline(t, w, nil)
	if err := b.Tx(0x20, nil, nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty transfer: %v", err)
	}
	if err := b.Tx(0x80, []byte{0}, nil); err == nil {
		t.Error("address 0x80 was accepted")
	}
	var leaked i2c.Bus
	if err := b.Do(t.Context(), PrioScan, func(tx i2c.Bus) error { leaked = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := leaked.Tx(0x20, []byte{0}, nil); !errors.Is(err, ErrOutside) {
		t.Errorf("transfer after the request: %v", err)
	}
	if len(w.reset()) != 0 {
		t.Error("something reached the wire")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Do(ctx, PrioScan, func(i2c.Bus) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestOwnerServesByPriority(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		prios := rapid.SliceOfN(rapid.IntRange(0, priorities-1), 0, 20).Draw(rt, "priorities")
		synctest.Test(t, func(t *testing.T) {
			b := NewBus(&wire{}, BusOptions{})
			gate := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := b.Do(t.Context(), PrioOLED, func(i2c.Bus) error { <-gate; return nil }); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			var got []int
			for i, p := range prios {
				wg.Go(func() {
					if err := b.Do(t.Context(), Priority(p), func(i2c.Bus) error { got = append(got, 100*p+i); return nil }); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			close(gate)
			wg.Wait()
			mustClose(t, b)
			if !slices.IsSorted(got) || len(got) != len(prios) {
				t.Errorf("priorities %v were served as %v", prios, got)
			}
		})
	})
}

func TestWaitingRequestCanBeCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBus(&wire{}, BusOptions{})
		defer mustClose(t, b)
		gate := make(chan struct{})
		go func() { _ = b.Do(t.Context(), PrioOLED, func(i2c.Bus) error { <-gate; return nil }) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := b.Do(ctx, PrioScan, func(i2c.Bus) error { t.Error("a canceled request ran"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		close(gate)
		// The queue is still in order.
		if err := b.Do(t.Context(), PrioOLED, func(i2c.Bus) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestRunningRequestEndsItsPausesWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: always(syscall.EREMOTEIO)}
		b := NewBus(w, BusOptions{})
		defer mustClose(t, b)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := b.Do(ctx, PrioScan, func(tx i2c.Bus) error { return tx.Tx(0x20, []byte{0}, nil) })
		if err == nil || time.Since(start) != 10*time.Millisecond {
			t.Errorf("ended after %v with %v, want after 10 ms", time.Since(start), err)
		}
		if n := len(w.reset()); n != 3 {
			t.Errorf("%d transfers, want those at 0, 1 and 6 ms", n)
		}
	})
}

// A chip that does not answer keeps its own caller waiting and nobody else: a
// scan is served between two tries.
func TestRetriesLeaveTheBusToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: func(addr uint16) error {
			if addr == 0x70 {
				return flat(syscall.EREMOTEIO)
			}
			return nil
		}}
		b := NewBus(w, BusOptions{})
		defer mustClose(t, b)
		start := time.Now()
		lights := make(chan time.Duration, 1)
		go func() {
			if err := b.At(PrioLED).Tx(0x70, []byte{0}, nil); Classify(err) != NACK {
				t.Errorf("lights: %v", err)
			}
			lights <- time.Since(start)
		}()
		for _, at := range ms(2, 10, 25) {
			time.Sleep(at - time.Since(start))
			if err := b.Do(t.Context(), PrioScan, func(tx i2c.Bus) error { return tx.Tx(0x20, []byte{0}, nil) }); err != nil {
				t.Error(err)
			}
			if d := time.Since(start); d != at {
				t.Errorf("a scan that began at %v ended at %v", at, d)
			}
		}
		if d := <-lights; d != 26*time.Millisecond {
			t.Errorf("the lights were given up after %v, want after 26 ms", d)
		}
	})
}

func TestCloseWaitsAndRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: always(syscall.EREMOTEIO)}
		b := NewBus(w, BusOptions{})
		running, waiting := make(chan error, 1), make(chan error, 1)
		go func() {
			running <- b.Do(t.Context(), PrioScan, func(tx i2c.Bus) error { return tx.Tx(0x20, []byte{0}, nil) })
		}()
		synctest.Wait()
		go func() {
			waiting <- b.Do(t.Context(), PrioScan, func(i2c.Bus) error { t.Error("ran after Close"); return nil })
		}()
		synctest.Wait()
		start := time.Now()
		mustClose(t, b)
		mustClose(t, b)
		if d := time.Since(start); d != 0 {
			t.Errorf("Close took %v although the running request only paused", d)
		}
		if first, second := <-running, <-waiting; Classify(first) != NACK || !errors.Is(second, ErrClosed) {
			t.Errorf("running request: %v, waiting request: %v", first, second)
		}
		if err := b.Tx(0x20, []byte{0}, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if w.closed != 1 {
			t.Errorf("the bus was closed %d times", w.closed)
		}
		// synctest fails if the owner's goroutine is still there.
	})
}

func TestInlineCloseRefuses(t *testing.T) {
	t.Parallel()
	w := &wire{}
	b, _ := inline(t, w, nil)
	mustClose(t, b)
	if err := b.Tx(0x20, []byte{0}, nil); !errors.Is(err, ErrClosed) || w.closed != 1 {
		t.Errorf("after Close: %v, closed %d times", err, w.closed)
	}
}

// counter is a bus that allocates nothing.
type counter struct {
	n int
}

func (c *counter) Tx(uint16, []byte, []byte) error { c.n++; return nil }
func (c *counter) SetSpeed(physic.Frequency) error { return nil }
func (c *counter) String() string                  { return "counter" }
func (c *counter) Close() error                    { return nil }

func TestRequestsAllocateNothing(t *testing.T) {
	for _, mode := range []bool{false, true} {
		b := NewBus(&counter{}, BusOptions{Inline: mode})
		buf := make([]byte, 2)
		f := func(tx i2c.Bus) error { return tx.Tx(0x20, buf[:1], buf) }
		ctx := t.Context()
		if n := testing.AllocsPerRun(1000, func() {
			if err := b.Do(ctx, PrioScan, f); err != nil {
				t.Fatal(err)
			}
			if err := b.Tx(0x20, buf, nil); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("inline %v: %v allocations per two requests, want none", mode, n)
		}
		mustClose(t, b)
	}
}

func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	c := &counter{}
	b := NewBus(c, BusOptions{})
	var wg sync.WaitGroup
	for p := range priorities {
		wg.Go(func() {
			tx := b.At(Priority(p))
			for range 500 {
				if err := tx.Tx(0x20+uint16(p), []byte{0}, nil); err != nil {
					t.Error(err)
				}
				b.Stats()
			}
		})
	}
	wg.Wait()
	mustClose(t, b)
	if c.n != 500*priorities {
		t.Errorf("%d transfers, want %d", c.n, 500*priorities)
	}
	s := b.Stats()
	for p := range priorities {
		if s.Requests[p] != 500 || s.Devices[p].Count(OK) != 500 {
			t.Errorf("priority %d: %d requests, %d transfers", p, s.Requests[p], s.Devices[p].Count(OK))
		}
	}
}

func BenchmarkDo(b *testing.B) {
	for name, mode := range map[string]bool{"owner": false, "inline": true} {
		b.Run(name, func(b *testing.B) {
			bus := NewBus(&counter{}, BusOptions{Inline: mode})
			buf := make([]byte, 2)
			f := func(tx i2c.Bus) error { return tx.Tx(0x20, buf[:1], buf) }
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if err := bus.Do(ctx, PrioScan, f); err != nil {
					b.Fatal(err)
				}
			}
			if err := bus.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
