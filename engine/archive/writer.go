package archive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// MaxQueue is the number of events that a Writer keeps in memory while the disk
// fails.
const MaxQueue = 100_000

// How a Writer treats a failing disk: first and longest pause between two
// attempts, and how long one may take before that counts as trouble.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
	slowAfter  = 3 * time.Second
	// checkPeriod is how often it is asked, while nothing is written, whether the
	// data folder is still there.
	checkPeriod = time.Second
)

// What a Writer reports besides the errors of the Journal.
var (
	// ErrFull: the disk has failed for so long that events are lost.
	ErrFull = errors.New("too many events wait for the disk, the newest are lost: repair the disk of the data folder")
	// ErrSlow: a write has not returned for seconds.
	ErrSlow = errors.New("the disk of the data folder does not answer")
)

// Record is a stored event.
type Record struct {
	Seq     uint64
	Payload []byte
}

// Writer stores events on a goroutine of its own and hands them on when they are
// durable. Nobody waits for it.
type Writer struct {
	j       *Journal
	out     chan Record
	trouble chan error
	// work wakes the storing, news the delivering goroutine.
	work, news chan struct{}
	// stored is closed when nothing more will be stored, delivered when
	// nothing more will be handed on.
	stored, delivered chan struct{}
	// stop ends storing, mute ends delivering.
	stop, mute context.CancelFunc

	mu sync.Mutex
	// queue are the events that are not handed on yet; the first safe of them
	// are durable.
	queue []Record
	safe  int
	// last is the number of the newest event that was taken.
	last    uint64
	closing bool
	// attempt counts the beginnings and ends of writes.
	attempt int
	// away says that the data folder was not there when it was looked for last.
	away bool
	// current is the trouble that was reported last, nil when there is none.
	current error
}

// StartWriter starts the goroutines that own the writing side of j; they end
// with Close, or at once with ctx. The Journal stays the caller's: close it
// after the Writer.
func StartWriter(ctx context.Context, j *Journal) *Writer {
	w := &Writer{
		j: j, out: make(chan Record), trouble: make(chan error, 1),
		work: make(chan struct{}, 1), news: make(chan struct{}, 1),
		stored: make(chan struct{}), delivered: make(chan struct{}), last: j.LastSeq(),
	}
	ctx, w.mute = context.WithCancel(ctx)
	storing, stop := context.WithCancel(ctx)
	w.stop = stop
	go w.store(storing)
	go w.deliver(ctx)
	return w
}

// Append takes an event and never blocks. Numbers must rise; one that is left
// out is a gap in the journal. The payload belongs to the Writer from now on.
// With MaxQueue events waiting the event is lost, and Trouble says so.
func (w *Writer) Append(seq uint64, payload []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closing:
		w.report(fmt.Errorf("event %d is lost: %w", seq, ErrClosed))
	case seq <= w.last:
		w.report(fmt.Errorf("event %d is lost: %w, the last was %d", seq, ErrOrder, w.last))
	case len(w.queue) >= MaxQueue:
		w.report(ErrFull)
	default:
		w.last = seq
		w.queue = append(w.queue, Record{Seq: seq, Payload: payload})
		signal(w.work)
	}
}

// Durable hands on every event once it is stored, in order. It has to be read:
// events wait in memory for it. It is closed when the Writer ends; events that
// were not read by then are in the journal.
func (w *Writer) Durable() <-chan Record { return w.out }

// Trouble tells when the disk begins to fail, why, and with nil that it works
// again. Only the newest word is kept.
func (w *Writer) Trouble() <-chan error { return w.trouble }

// Waiting returns the number of events that are not durable yet.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue) - w.safe
}

// Close takes no more events, stores those that wait, and ends. When ctx ends
// first the rest is given up, and the error says how many events that are. A
// write that hangs in the kernel cannot be waited for: its goroutine stays until
// the disk answers.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	signal(w.work)
	select {
	case <-w.stored:
	case <-ctx.Done():
	}
	w.stop()
	w.mute()
	<-w.delivered
	if n := w.Waiting(); n > 0 {
		return fmt.Errorf("close the journal: %d events could not be stored: %w", n, errors.Join(ctx.Err(), w.problem()))
	}
	return nil
}

func (w *Writer) problem() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// signal wakes a goroutine that will look for itself.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// report passes on a change between health and trouble. The caller holds mu.
func (w *Writer) report(err error) {
	if err == nil && w.current == nil || err != nil && w.current != nil && err.Error() == w.current.Error() {
		return
	}
	w.current = err
	select {
	case <-w.trouble: //nolint:errcheck // a word that nobody has read yet is out of date
	default:
	}
	w.trouble <- err
}

// store writes event after event.
func (w *Writer) store(ctx context.Context) {
	defer close(w.stored)
	pause := firstPause
	for ctx.Err() == nil {
		record, ok, closing := w.unsaved()
		switch {
		case !ok && closing:
			return
		case !ok:
			idle := time.NewTimer(checkPeriod)
			wait(ctx, w.work, idle.C)
			idle.Stop()
			w.check()
			continue
		}
		if w.write(record) {
			pause = firstPause
			continue
		}
		timer := time.NewTimer(pause)
		wait(ctx, nil, timer.C)
		timer.Stop()
		pause = min(2*pause, maxPause)
	}
}

// check asks whether the data folder is still there, and reports when it is not, or is
// again.
func (w *Writer) check() {
	err := w.j.Check()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || w.away {
		w.report(err)
	}
	w.away = err != nil
}

// wait returns when one of the channels says something.
func wait(ctx context.Context, signal <-chan struct{}, timer <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-signal:
	case <-timer:
	}
}

// unsaved returns the oldest event that is not durable.
func (w *Writer) unsaved() (r Record, ok, closing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.safe == len(w.queue) {
		return Record{}, false, w.closing
	}
	return w.queue[w.safe], true, w.closing
}

// write stores one event; done is false when it is to be tried again.
func (w *Writer) write(r Record) (done bool) {
	number := w.begin()
	slow := time.AfterFunc(slowAfter, func() { w.slow(number) })
	w.j.skip(r.Seq)
	err := w.j.Append(r.Seq, r.Payload)
	slow.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempt++
	w.report(err)
	switch {
	case err == nil:
		w.safe++
		signal(w.news)
	case errors.Is(err, ErrOrder), errors.Is(err, ErrPayload):
		// It will never do; those behind it must not wait for it.
		w.queue = append(w.queue[:w.safe:w.safe], w.queue[w.safe+1:]...)
	default:
		return false
	}
	return true
}

func (w *Writer) begin() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempt++
	return w.attempt
}

// slow reports a write that is still the current one.
func (w *Writer) slow(number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.attempt == number {
		w.report(ErrSlow)
	}
}

// deliver hands on what is durable.
func (w *Writer) deliver(ctx context.Context) {
	defer close(w.delivered)
	defer close(w.out)
	for ctx.Err() == nil {
		record, ok := w.undelivered()
		if !ok {
			wait(ctx, w.news, nil)
			continue
		}
		select {
		case w.out <- record:
			w.handedOn()
		case <-ctx.Done():
		}
	}
}

// undelivered returns the oldest durable event.
func (w *Writer) undelivered() (r Record, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.safe == 0 {
		return Record{}, false
	}
	return w.queue[0], true
}

func (w *Writer) handedOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue[0] = Record{}
	w.queue = w.queue[1:]
	w.safe--
}
