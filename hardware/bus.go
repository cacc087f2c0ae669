package hardware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

var (
	// ErrClosed is returned for requests to a closed Bus.
	ErrClosed = errors.New("the I²C bus is closed")
	// ErrOutside is returned when the bus handed to a request is used after
	// the request ended.
	ErrOutside = errors.New("the I²C bus of a request was used outside of it; keep all transfers inside Do")
	// ErrEmpty is returned for a transfer without bytes: periph's Linux bus
	// would report success without touching the wire.
	ErrEmpty = errors.New("an I²C transfer needs at least one byte; probe a chip with a one-byte write or read")
)

// Priority orders requests that wait for a bus; lower values go first.
type Priority uint8

const (
	// PrioScan is the reading of the cells.
	PrioScan Priority = iota
	// PrioLED is a frame of lights.
	PrioLED
	// PrioCanary is a check that a chip still has its registers.
	PrioCanary
	// PrioOLED is a slice of a display page, and any other transfer.
	PrioOLED

	priorities = int(PrioOLED) + 1
)

const (
	// arbRetries is how often a transfer that lost arbitration is repeated at
	// once.
	arbRetries = 3
	// nackRetries is how often a transfer without acknowledge is repeated,
	// after nackDelay.
	nackRetries = 3
	// addresses is the size of the 7-bit address space.
	addresses = 0x80
)

// nackDelay returns how long to wait before the given retry, counted from 0: a
// loose contact needs a moment, a chip that is powering up needs 20 ms.
func nackDelay(retry int) time.Duration {
	return [nackRetries]time.Duration{1 * time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond}[retry]
}

// BusOptions are the surroundings of a Bus. The zero value is fit for use.
type BusOptions struct {
	// Now returns a monotonic time; nil means the real one, from 0 on.
	Now func() time.Duration
	// Sleep waits for d or until ctx ends, and then returns ctx's error; nil
	// means a real timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Logger receives one record when a breaker opens or closes; nil means no
	// log.
	Logger *slog.Logger
	// Recover, if not nil, is called on the owner's goroutine whenever the
	// whole bus is found dead, to free a held line or cycle a power rail; see
	// Taps.
	Recover func(ctx context.Context) error
	// Inline runs every request on its caller's goroutine, one at a time,
	// instead of starting an owner. It is meant for simulations in which
	// everything runs on one virtual clock.
	Inline bool
}

// Bus owns an I²C bus. All transfers go through it, as requests that are
// served one at a time by priority. It is an i2c.BusCloser itself, so drivers
// written for periph run over it unchanged, one request per transfer at
// PrioOLED.
//
// Do, Tx, Stats, Close and the buses returned by At may be used from any
// goroutine. Do must not be called from inside a request: it would wait for
// itself.
type Bus struct {
	raw      i2c.BusCloser
	now      func() time.Duration
	sleep    func(ctx context.Context, d time.Duration) error
	log      *slog.Logger
	recovery func(ctx context.Context) error
	inline   bool

	// full and single are the two views a request gets of the bus.
	full   view
	single view

	// run is held while a request runs. With an owner goroutine nobody
	// contends for it.
	run sync.Mutex
	cur *request // The request that runs; guarded by run.

	// queue guards what callers and the owner share.
	queue   sync.Mutex
	waiting [priorities]fifo
	free    *request
	closed  bool
	abort   context.CancelFunc // Ends the pause of a retry; nil if there is none.
	wake    chan struct{}
	exited  chan struct{}
	closing sync.Once
	result  error // Of closing raw; written before exited is closed.

	// mu guards the counters and breakers, which Stats reads.
	mu         sync.Mutex
	devices    [addresses]*device
	breaker    breaker
	served     [priorities]uint64
	recoveries uint64
	unfreed    uint64
	recoverErr error // Of the last recovery.
}

// device is what is known of one address.
type device struct {
	addr       uint16
	breaker    breaker
	classes    [classes]uint64
	retries    uint64
	failedFast uint64
	last       *Error
}

// request is one call of Do or Tx on its way through the owner. Requests are
// reused, so a steady state allocates nothing.
type request struct {
	ctx  context.Context //nolint:containedctx // It carries its caller's context to the owner's goroutine and dies with the call.
	prio Priority
	f    func(tx i2c.Bus) error
	// One transfer, if f is nil; repeats says that it was tried before.
	addr    uint16
	w, r    []byte
	repeats bool

	abort *Error // Set when the rest of the request must fail at once.
	err   error
	done  chan struct{}
	next  *request
}

// NewBus takes ownership of b and, unless o.Inline is set, starts the
// goroutine that serves it. Close ends it and closes b.
func NewBus(b i2c.BusCloser, o BusOptions) *Bus {
	if o.Now == nil {
		start := time.Now()
		o.Now = func() time.Duration { return time.Since(start) }
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	bus := &Bus{
		raw: b, now: o.Now, sleep: o.Sleep, log: o.Logger, recovery: o.Recover, inline: o.Inline,
		wake:   make(chan struct{}, 1),
		exited: make(chan struct{}),
	}
	bus.full = view{bus: bus, retry: true}
	bus.single = view{bus: bus}
	if !o.Inline {
		go bus.own()
	}
	return bus
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Do runs f as one request and returns its error. The bus that f is given is
// valid only until f returns; transfers on it are retried and refused as the
// package comment says, and fail with *Error.
//
// If ctx ends while the request waits, Do returns ctx's error and f is never
// called. Once f runs Do waits for it, because f uses its caller's memory;
// pauses between retries end early and no further transfer is started.
func (b *Bus) Do(ctx context.Context, prio Priority, f func(tx i2c.Bus) error) error {
	q := b.take()
	q.ctx, q.prio, q.f = ctx, prio, f
	return b.submit(q)
}

// Tx implements i2c.Bus: one transfer at PrioOLED.
func (b *Bus) Tx(addr uint16, w, r []byte) error {
	return b.tx(PrioOLED, addr, w, r)
}

// tx is one transfer. Each try is a request of its own and the bus is free for
// others between them: a scan does not wait for LEDs that do not answer.
func (b *Bus) tx(prio Priority, addr uint16, w, r []byte) error {
	for retry := 0; ; retry++ {
		q := b.take()
		q.ctx, q.prio = context.Background(), prio
		q.addr, q.w, q.r, q.repeats = addr, w, r, retry > 0
		err := b.submit(q)
		if Classify(err) != NACK || retry == nackRetries || b.Open(addr) {
			return err
		}
		if b.sleep(context.Background(), nackDelay(retry)) != nil {
			return err
		}
	}
}

// At returns the bus as drivers see it, with every transfer a request at the
// given priority.
func (b *Bus) At(prio Priority) i2c.Bus { return &portal{bus: b, prio: prio} }

// SetSpeed implements i2c.Bus. On a Raspberry Pi it always fails: the speed is
// set in /boot/firmware/config.txt.
func (b *Bus) SetSpeed(f physic.Frequency) error {
	b.run.Lock()
	defer b.run.Unlock()
	return b.raw.SetSpeed(f)
}

// String returns the name of the bus that is owned.
func (b *Bus) String() string { return b.raw.String() }

// Close refuses further requests, fails those that wait with ErrClosed, waits
// for the one that runs and for the owner's goroutine, and closes the bus. It
// may be called more than once.
func (b *Bus) Close() error {
	b.closing.Do(func() {
		b.queue.Lock()
		b.closed = true
		if b.abort != nil {
			b.abort()
		}
		b.queue.Unlock()
		if b.inline {
			b.run.Lock()
			b.result = b.raw.Close()
			b.run.Unlock()
			close(b.exited)
			return
		}
		b.nudge()
	})
	<-b.exited
	if b.result != nil {
		return fmt.Errorf("close I²C bus %s: %w", b.raw, b.result)
	}
	return nil
}

// submit takes q through the owner and gives it back to the free list.
func (b *Bus) submit(q *request) error {
	defer b.put(q)
	if err := q.ctx.Err(); err != nil {
		return err
	}
	if int(q.prio) >= priorities {
		q.prio = PrioOLED
	}
	if b.inline {
		return b.runInline(q)
	}
	if !b.enqueue(q) {
		return ErrClosed
	}
	select {
	case <-q.done:
	case <-q.ctx.Done():
		if b.withdraw(q) {
			return q.ctx.Err()
		}
		<-q.done
	}
	return q.err
}

func (b *Bus) runInline(q *request) error {
	b.run.Lock()
	defer b.run.Unlock()
	b.queue.Lock()
	closed := b.closed
	b.queue.Unlock()
	if closed {
		return ErrClosed
	}
	return b.perform(q)
}

// own is the goroutine that owns the bus.
func (b *Bus) own() {
	defer close(b.exited)
	for {
		q := b.dequeue()
		if q == nil {
			b.result = b.raw.Close()
			return
		}
		b.run.Lock()
		q.err = b.perform(q)
		b.run.Unlock()
		q.done <- struct{}{}
	}
}

// perform runs one request. The caller holds b.run.
func (b *Bus) perform(q *request) error {
	b.cur = q
	defer func() { b.cur = nil }()
	var err error
	if q.f != nil {
		err = q.f(&b.full)
	} else {
		err = b.transfer(q.addr, q.w, q.r, false)
	}
	b.mu.Lock()
	b.served[q.prio]++
	b.mu.Unlock()
	return err
}

// transfer is one transfer of the running request, with all that surrounds it.
func (b *Bus) transfer(addr uint16, w, r []byte, retry bool) error {
	q := b.cur
	if q == nil {
		return ErrOutside
	}
	if len(w) == 0 && len(r) == 0 {
		return ErrEmpty
	}
	if addr >= addresses {
		return fmt.Errorf("talk to I²C address 0x%X: it is not a 7-bit address", addr)
	}
	d, probe, refusal := b.admit(q, addr)
	if refusal != nil {
		return refusal
	}
	retry = retry && !probe
	var nacks, arbs int
	for {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		err := b.raw.Tx(addr, w, r)
		v := b.judge(d, err, arbs < arbRetries && !probe)
		switch {
		case v.err == nil:
			return nil
		case v.class == ArbLost && !v.final:
			arbs++
		case v.class == NACK && retry && nacks < nackRetries:
			if b.pause(q.ctx, nackDelay(nacks)) != nil {
				return v.err
			}
			nacks++
			b.countRetry(d)
		case fatal(v.class):
			q.abort = v.err
			if v.dead {
				b.runRecovery(q.ctx)
			}
			return v.err
		default:
			return v.err
		}
	}
}

// fatal reports whether a failure concerns the whole bus, so that the rest of
// the request would only wait for the same timeout again.
func fatal(c Class) bool { return c == Timeout || c == IO || c == ArbLost || c == Vanished }

// admit finds the device and asks the breakers.
func (b *Bus) admit(q *request, addr uint16) (d *device, probe bool, refusal error) {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	d = b.devices[addr]
	if d == nil {
		d = &device{addr: addr}
		b.devices[addr] = d
	}
	if q.abort != nil {
		d.failedFast++
		return d, false, q.abort
	}
	busProbe, cause := b.breaker.admit(now)
	if cause != nil {
		d.failedFast++
		return d, false, cause
	}
	devProbe, cause := d.breaker.admit(now)
	if cause != nil {
		d.failedFast++
		return d, false, cause
	}
	if q.repeats {
		d.retries++
	}
	return d, busProbe || devProbe, nil
}

// verdict is what became of one transfer on the wire.
type verdict struct {
	class Class
	err   *Error
	final bool // No retry at once.
	dead  bool // The bus's breaker opened or stayed open.
}

// judge classifies, counts, and moves the breakers.
func (b *Bus) judge(d *device, err error, arbAgain bool) verdict {
	class := Classify(err)
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	d.classes[class]++
	if class == OK {
		b.alive(d)
		return verdict{final: true}
	}
	v := verdict{class: class, err: &Error{Addr: d.addr, Class: class, Err: err}, final: true}
	d.last = v.err
	switch class {
	case ArbLost:
		if arbAgain {
			d.retries++
			v.final = false
			return v
		}
		v.dead = b.ailing(d, now, v.err)
	case NACK:
		// A chip that does not answer proves that the lines move.
		if b.breaker.success() {
			b.log.Info("I²C bus works again", "bus", b.raw.String())
		}
		b.open(d, now, 1+nackRetries, v.err)
	case Timeout, IO, Other:
		v.dead = b.ailing(d, now, v.err)
	case Vanished:
		// No chip is to blame, and neither pulses nor the supply bring it back.
		b.vanished(now, v.err)
	case Unsupported, OK:
	}
	return v
}

// alive notes a transfer that succeeded.
func (b *Bus) alive(d *device) {
	if b.breaker.success() {
		b.log.Info("I²C bus works again", "bus", b.raw.String())
	}
	if d.breaker.success() {
		b.log.Info("chip answers again", "bus", b.raw.String(), "addr", d.addr)
	}
}

// ailing counts a failure against both the address and the bus.
func (b *Bus) ailing(d *device, now time.Duration, cause *Error) (dead bool) {
	b.open(d, now, failLimit, cause)
	was := b.breaker.open
	dead = b.breaker.failure(now, failLimit, cause)
	if dead && !was {
		b.log.Error("I²C bus is dead", "bus", b.raw.String(), "err", cause)
	}
	return dead
}

// vanished notes that the adapter of the bus has gone.
func (b *Bus) vanished(now time.Duration, cause *Error) {
	was := b.breaker.open
	if b.breaker.failure(now, 1, cause); !was {
		b.log.Error("the adapter of the I²C bus has gone", "bus", b.raw.String(), "err", cause)
	}
}

func (b *Bus) open(d *device, now time.Duration, limit int, cause *Error) {
	was := d.breaker.open
	if d.breaker.failure(now, limit, cause) && !was {
		b.log.Error("chip is not asked any more", "bus", b.raw.String(), "err", cause)
	}
}

func (b *Bus) countRetry(d *device) {
	b.mu.Lock()
	d.retries++
	b.mu.Unlock()
}

// pause waits between retries; closing the bus or ending ctx cuts it short.
func (b *Bus) pause(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.queue.Lock()
	if b.closed {
		b.queue.Unlock()
		return ErrClosed
	}
	b.abort = cancel
	b.queue.Unlock()
	err := b.sleep(ctx, d)
	b.queue.Lock()
	b.abort = nil
	b.queue.Unlock()
	return err
}

// runRecovery runs the hook that frees a dead bus.
func (b *Bus) runRecovery(ctx context.Context) {
	if b.recovery == nil {
		return
	}
	b.mu.Lock()
	b.recoveries++
	b.mu.Unlock()
	err := b.recovery(ctx)
	b.mu.Lock()
	b.recoverErr = err
	if err != nil {
		b.unfreed++
	}
	b.mu.Unlock()
	if err != nil {
		b.log.Error("recovery of the I²C bus failed", "bus", b.raw.String(), "err", err)
	}
}

// view is the bus as a running request sees it.
type view struct {
	bus   *Bus
	retry bool
}

// Tx implements i2c.Bus.
func (v *view) Tx(addr uint16, w, r []byte) error { return v.bus.transfer(addr, w, r, v.retry) }

// SetSpeed implements i2c.Bus.
func (v *view) SetSpeed(f physic.Frequency) error { return v.bus.raw.SetSpeed(f) }

// String implements i2c.Bus.
func (v *view) String() string { return v.bus.raw.String() }

// Once returns a view of tx, the bus given to a request, that does not wait
// and repeat when a chip does not acknowledge. A scan uses it: its next round
// is the retry, and the other chips need not wait. The address's breaker still
// opens after as many failures in a row. Any other bus is returned as it is.
func Once(tx i2c.Bus) i2c.Bus {
	if v, ok := tx.(*view); ok {
		return &v.bus.single
	}
	return tx
}

// portal is a Bus at one priority.
type portal struct {
	bus  *Bus
	prio Priority
}

// Tx implements i2c.Bus.
func (p *portal) Tx(addr uint16, w, r []byte) error { return p.bus.tx(p.prio, addr, w, r) }

// SetSpeed implements i2c.Bus.
func (p *portal) SetSpeed(f physic.Frequency) error { return p.bus.SetSpeed(f) }

// String implements i2c.Bus.
func (p *portal) String() string { return p.bus.String() }

var (
	_ i2c.BusCloser = (*Bus)(nil)
	_ i2c.Bus       = (*view)(nil)
	_ i2c.Bus       = (*portal)(nil)
)
