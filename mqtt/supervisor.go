package mqtt

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// job is one publish and what follows from its acknowledgement.
type job struct {
	topic   string
	qos     byte
	retain  bool
	payload []byte
	done    func()
}

// readAhead is how many events are read from the journal at once.
const readAhead = 64

// supervise keeps a connection as long as the adapter lives.
// Connections are opened under dial, which ends when the adapter is to leave.
func (a *Adapter) supervise(ctx, dial context.Context) {
	limit := a.o.Tuning.BackoffMin
	for {
		lasted, live, err := a.session(ctx, dial)
		a.change(func(st *Status) {
			st.Connected, st.Online = false, false
			if err != nil {
				st.Problem = err.Error()
			}
		})
		if a.isLeaving() || ctx.Err() != nil {
			return
		}
		a.told.Info("mqtt: not connected", "broker", a.url.Host, "err", err)
		a.watchCuts(live, err)
		if lasted >= a.o.Tuning.BackoffReset {
			limit = a.o.Tuning.BackoffMin
		}
		// Full jitter: a hall of boards must not storm a broker that comes back.
		if !a.pause(ctx, rand.N(limit)) { //nolint:gosec // jitter needs no secret
			return
		}
		limit = min(2*limit, a.o.Tuning.BackoffMax)
	}
}

func (a *Adapter) isLeaving() bool {
	select {
	case <-a.leave:
		return true
	default:
		return false
	}
}

// pause waits and reports whether to go on.
func (a *Adapter) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.leave:
	case <-ctx.Done():
	}
	return false
}

// session is one connection from dialing to the end; it returns how long it
// lasted.
func (a *Adapter) session(ctx, dial context.Context) (lasted time.Duration, live bool, err error) {
	if a.isLeaving() {
		return 0, false, nil
	}
	s, err := a.connect(dial)
	if err != nil {
		return 0, false, err
	}
	defer s.close()
	if err = a.subscribe(dial, s); err == nil {
		err = a.serve(ctx, s)
	}
	return time.Since(s.began), s.live, err
}

// watchCuts counts the connections that end while the board subscribes or soon after,
// before it is online. A broker that cuts off who does not read fast enough does so
// when too many commands are retained, and would do so for ever: they can only be
// cleared once they are known. After three in a row the board asks for one topic after
// another, which no broker can make too much.
func (a *Adapter) watchCuts(live bool, err error) {
	switch {
	case live:
		a.cuts = 0
	case errors.Is(err, errLost) || errors.Is(err, errSubscribing):
		a.cuts++
	}
	if a.cuts >= 3 && !a.careful {
		a.careful = true
		a.log.Warn("mqtt: the broker ends the connection when the board subscribes to all its commands; " +
			"now it subscribes to one after another: delete what is retained below " + a.base + "cmd")
	}
}

// serve publishes until something goes wrong or the adapter leaves.
func (a *Adapter) serve(ctx context.Context, s *session) error {
	if err := s.publish(ctx, a.base+"meta", 1, true, a.meta()); err != nil {
		return err
	}
	if len(a.o.Discovery) > 0 || a.o.Withdraw {
		// An empty payload takes the whole device away.
		if err := s.publish(ctx, a.discoveryTopic(), 1, true, a.o.Discovery); err != nil {
			return err
		}
	}
	a.box.again() // a wiped broker knows nothing
	for !a.isLeaving() {
		j, wait := a.next(s, time.Now())
		if j == nil {
			if err := a.idle(ctx, s, wait); err != nil {
				return err
			}
			continue
		}
		if err := s.publish(ctx, j.topic, j.qos, j.retain, j.payload); err != nil {
			return err
		}
		j.done()
		a.mu.Lock()
		a.status.RTT = s.rtt
		a.mu.Unlock()
	}
	return a.goodbye(ctx, s)
}

// goodbye publishes offline, waits for the acknowledgement, and disconnects,
// which keeps the broker from publishing the will.
func (a *Adapter) goodbye(ctx context.Context, s *session) error {
	a.mu.Lock()
	reason := a.reason
	a.mu.Unlock()
	if err := s.publish(ctx, a.base+"availability", 1, true, a.availability(s, "offline", reason)); err != nil {
		return err
	}
	s.client.Disconnect(500)
	return nil
}

// idle waits for something to do.
func (a *Adapter) idle(ctx context.Context, s *session, wait time.Duration) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-a.box.wake:
	case <-t.C:
	case <-a.leave:
	case err := <-s.lost:
		return errors.Join(errLost, err)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// next chooses what to publish; without a job it says how long to wait unless
// something happens.
func (a *Adapter) next(s *session, now time.Time) (*job, time.Duration) {
	wake := s.began.Add(a.o.Tuning.DrainLimit)
	if s.live {
		var due bool
		if due, wake = a.availabilityDue(s, now); due {
			return a.sayOnline(s, now), 0
		}
		if j := a.refresh(s, now); j != nil {
			return j, 0
		}
	}
	if at := a.box.deadline(now); !at.IsZero() && at.Before(wake) {
		wake = at
	}
	late := !s.live && now.Sub(s.began) >= a.o.Tuning.DrainLimit
	if !late {
		if j := a.nextQueued(s, now); j != nil {
			return j, 0
		}
	}
	_, waiting := a.box.outbox()
	if !s.live && !late && waiting > 0 {
		// Only the journal can be in the way.
		return nil, max(0, min(s.retry.Sub(now), wake.Sub(now)))
	}
	if j := a.nextRetained(); j != nil {
		return j, 0
	}
	if !s.live {
		return a.sayOnline(s, now), 0
	}
	j, at := a.nextReplay(now)
	if !at.IsZero() && at.Before(wake) {
		wake = at
	}
	if waiting > 0 && s.retry.Before(wake) {
		wake = s.retry
	}
	return j, max(0, wake.Sub(now))
}

// nextQueued takes answers, events and, once online, retained topics in turn, so
// that none starves.
func (a *Adapter) nextQueued(s *session, now time.Time) *job {
	sources := [...]func() *job{a.nextOnce, func() *job { return a.nextEvent(s, now) }, func() *job {
		if !s.live {
			return nil
		}
		return a.nextRetained()
	}}
	for range sources {
		s.turn = (s.turn + 1) % len(sources)
		if j := sources[s.turn](); j != nil {
			return j
		}
	}
	return nil
}

func (a *Adapter) nextOnce() *job {
	m, clearing, ok := a.box.nextOnce()
	if !ok {
		return nil
	}
	return &job{m.topic, 1, clearing, m.payload, func() { a.box.sentOnce(m) }}
}

// nextEvent returns the event after the last one acknowledged.
func (a *Adapter) nextEvent(s *session, now time.Time) *job {
	next, waiting := a.box.outbox()
	if waiting == 0 || now.Before(s.retry) {
		return nil
	}
	for len(s.events) > 0 && s.events[0].seq < next {
		s.events = s.events[1:]
	}
	if len(s.events) == 0 {
		var err error
		s.events, err = a.read(next, int(min(waiting, readAhead)))
		a.readable(err == nil || len(s.events) > 0) // what could be read goes
		if err == nil && len(s.events) == 0 && s.missing == next {
			// Looked for twice: these records are lost, and the journal tells of it.
			a.box.ack(next + waiting - 1)
			return nil
		}
		if s.missing = next; err != nil {
			s.missing = 0
		}
	}
	if len(s.events) == 0 {
		s.retry = now.Add(time.Second)
		return nil
	}
	e := s.events[0]
	return &job{a.base + "event", 1, false, e.payload, func() {
		a.box.ack(e.seq)
		a.o.Cursor.SetAcked(e.seq)
		s.retry = a.paced(time.Now())
	}}
}

// drainBurst is how many events may go one after another without a pause.
const drainBurst = 50

// paced returns when the event after the one just acknowledged may go, the zero time
// for at once. Subscribers get what the broker queues for them, and brokers drop what
// is too much.
func (a *Adapter) paced(now time.Time) time.Time {
	if earliest := now.Add(-drainBurst * a.o.Tuning.Drain); a.drain.Before(earliest) {
		a.drain = earliest
	}
	a.drain = a.drain.Add(a.o.Tuning.Drain)
	if a.drain.After(now) {
		return a.drain
	}
	return time.Time{}
}

// readable notes whether the journal gives the events that wait, and tells who looks
// at the status when that changes.
func (a *Adapter) readable(ok bool) {
	a.box.readable(ok)
	a.mu.Lock()
	same := a.status.Unreadable == !ok
	a.mu.Unlock()
	if !same {
		a.change(func(st *Status) { st.Unreadable = !ok })
	}
}

// read returns events of the journal. What is missing in it is left out: also the
// events before a gap are sent.
func (a *Adapter) read(from uint64, limit int) (out []record, err error) {
	err = a.o.Journal.Read(from, limit, func(seq uint64, payload []byte) error {
		out = append(out, record{seq, append([]byte(nil), payload...)})
		return nil
	})
	if err != nil {
		a.told.Error("mqtt: read the journal", "from", from, "err", err)
	}
	return out, err //nolint:wrapcheck // it is told here, and is only looked at for being one
}

func (a *Adapter) nextRetained() *job {
	name, slot, ok := a.box.nextSlot()
	if !ok {
		return nil
	}
	return &job{a.base + name, slot.qos, !slot.passing, slot.payload, func() { a.box.stored(name, slot.version) }}
}

// nextReplay returns an event to send again, or when the next one may go.
func (a *Adapter) nextReplay(now time.Time) (*job, time.Time) {
	p := &a.playback
	if len(p.events) == 0 {
		if now.Before(p.at) && p.failed {
			return nil, p.at
		}
		r, ok := a.box.nextReplay()
		if !ok {
			return nil, time.Time{}
		}
		var err error
		p.events, err = a.read(r.From, int(r.To-r.From)+1)
		if p.failed = err != nil && len(p.events) == 0; p.failed {
			// It was promised: the journal is tried again.
			p.at = now.Add(time.Second)
			return nil, p.at
		}
		a.box.tookReplay()
		p.events = slices.DeleteFunc(p.events, func(e record) bool { return e.seq > r.To })
		if len(p.events) == 0 {
			return nil, now
		}
	}
	if now.Before(p.at) {
		return nil, p.at
	}
	e := p.events[0]
	payload, err := markReplay(e.payload)
	if err != nil {
		payload = e.payload
	}
	return &job{a.base + "event", 1, false, payload, func() {
		p.events = p.events[1:]
		p.at = time.Now().Add(a.o.Tuning.Replay)
	}}, time.Time{}
}

// availabilityDue reports whether to repeat "online", or when.
func (a *Adapter) availabilityDue(s *session, now time.Time) (bool, time.Time) {
	at := s.said.Add(a.o.Tuning.Heartbeat)
	a.box.mu.Lock()
	foreign := a.box.foreignOffline
	a.box.mu.Unlock()
	if foreign {
		if soon := s.answered.Add(a.o.Tuning.Foreign); soon.Before(at) {
			at = soon
		}
	}
	return !now.Before(at), at
}

func (a *Adapter) sayOnline(s *session, now time.Time) *job {
	a.box.mu.Lock()
	foreign := a.box.foreignOffline
	a.box.foreignOffline = false
	a.box.mu.Unlock()
	return &job{a.base + "availability", 1, true, a.availability(s, "online", ""), func() {
		s.said = now
		if foreign {
			s.answered = now
		}
		if !s.live {
			s.live = true
			a.told.Info("mqtt: online", "broker", a.url.Host)
			a.change(func(st *Status) { st.Online, st.Problem = true, s.problem })
		}
	}}
}

func (a *Adapter) discoveryTopic() string { return "homeassistant/device/" + a.o.Board + "/config" }

// refresh publishes everything again when Home Assistant has started: first
// what describes the device, then the retained topics and availability.
func (a *Adapter) refresh(s *session, now time.Time) *job {
	if !a.box.refreshDue(now) {
		return nil
	}
	a.box.again()
	s.said = time.Time{}
	if len(a.o.Discovery) == 0 {
		return nil
	}
	return &job{a.discoveryTopic(), 1, true, a.o.Discovery, func() {}}
}

// meta is built anew for every connection: the journal has grown.
func (a *Adapter) meta() []byte {
	j := a.o.Journal
	return encode(meta{
		V: 1, Board: a.o.Board, Name: a.o.Name, SW: a.o.SW, HW: a.o.HW, Schema: a.o.Schema,
		JID: j.JID(), FirstSeq: j.FirstSeq(), LastSeq: j.LastSeq(),
		Commands: a.o.Commands, Caps: a.o.Caps, HeartbeatS: int(a.o.Tuning.Heartbeat / time.Second),
	})
}
