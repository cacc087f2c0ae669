package mqtt

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// box is what waits to be sent. Everybody fills it without waiting; only the
// supervisor empties it. Retained topics are slots: the latest wins.
type box struct {
	mu    sync.Mutex
	wake  chan struct{}
	slots map[string]*slot
	// stateSeq is the seq of the last state; phase what it says.
	stateSeq uint64
	// durable is the last event that may be sent, acked the last acknowledged.
	durable, acked uint64
	storageFailed  bool
	unreadable     bool // events wait that the journal does not give
	replies        []message
	refusals       []message // answers that anybody can ask for without an end
	clears         []string
	clearing       map[string]bool // what is in clears
	replays        []ReplayArgs
	foreignOffline bool
	until          map[string]time.Time // when own alerts are over
	refresh        time.Time            // when to publish everything again, zero for never
	drops          int
}

// slot is a retained topic. An empty payload deletes it on the broker.
type slot struct {
	payload []byte
	qos     byte
	version int
	sent    bool
	// passing: the topic is not retained, and what it says goes once.
	passing bool
}

// message is something to publish once.
type message struct {
	topic   string
	payload []byte
}

// Bounds of what waits.
const (
	maxReplies = 2048
	maxClears  = 8192 // topics of at most 256 bytes
	maxReplays = 8
)

func newBox() *box {
	return &box{
		wake: make(chan struct{}, 1), slots: make(map[string]*slot), until: make(map[string]time.Time),
		clearing: make(map[string]bool),
	}
}

// poke wakes the supervisor.
func (b *box) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// set gives a slot a new payload; the caller holds the lock.
func (b *box) set(name string, payload []byte, qos byte) {
	s := b.slots[name]
	if s == nil {
		s = &slot{}
		b.slots[name] = s
	}
	s.payload, s.qos, s.sent = payload, qos, false
	s.version++
	b.poke()
}

// pass gives a topic that is not retained a payload to send once; the caller
// holds the lock.
func (b *box) pass(name string, payload []byte) {
	b.set(name, payload, 0)
	b.slots[name].passing = true
}

// again marks slots as not sent; all of them without names. What is about the
// moment does not wait for another connection.
func (b *box) again(names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, s := range b.slots {
		switch {
		case s.passing && len(names) == 0:
			delete(b.slots, name)
		case !s.passing && (len(names) == 0 || slices.Contains(names, name)):
			s.sent = false
		}
	}
	b.poke()
}

// stored notes that version of a slot has reached the broker.
func (b *box) stored(name string, version int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.slots[name]
	if s == nil || s.version != version {
		return
	}
	s.sent = true
	if len(s.payload) == 0 || s.passing {
		delete(b.slots, name)
	}
}

// nextSlot returns a slot to send: the state if it may go, then the others.
func (b *box) nextSlot() (name string, s slot, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if st := b.slots[slotState]; st != nil && !st.sent && b.stateMayGo() {
		return slotState, *st, true
	}
	for n, s := range b.slots {
		if n != slotState && !s.sent && (!ok || before(n, name)) {
			name, ok = n, true
		}
	}
	if !ok {
		return "", slot{}, false
	}
	return name, *b.slots[name], true
}

// before puts alerts behind the other slots.
func before(a, b string) bool {
	x, y := strings.HasPrefix(a, slotAlert), strings.HasPrefix(b, slotAlert)
	if x != y {
		return y
	}
	return a < b
}

// stateMayGo: the outbox is empty and has held every event that the state knows,
// or the disk fails and events have to wait for it.
func (b *box) stateMayGo() bool {
	return b.storageFailed || b.unreadable || b.acked >= b.durable && b.acked >= b.stateSeq
}

// outbox returns the next event to send, and how many wait.
func (b *box) outbox() (next, waiting uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.acked + 1, b.durable - min(b.acked, b.durable)
}

func (b *box) ack(seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acked = max(b.acked, seq)
}

// readable notes whether the journal gives the events that wait.
func (b *box) readable(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unreadable = !ok
}

// once queues a message that is not retained; the oldest makes room. Refusals go when
// nothing else waits: a flood that is refused must not delay what is carried out.
func (b *box) once(m message, refusal bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := &b.replies
	if refusal {
		queue = &b.refusals
	}
	if len(*queue) == maxReplies {
		*queue = slices.Delete(*queue, 0, 1)
		b.drops++
	}
	*queue = append(*queue, m)
	b.poke()
}

// clear queues an empty retained publish.
func (b *box) clear(topic string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.clears) < maxClears && !b.clearing[topic] {
		b.clears = append(b.clears, topic)
		b.clearing[topic] = true
	}
	b.poke()
}

// nextOnce returns the oldest message, or topic to clear, without removing it.
func (b *box) nextOnce() (m message, clearing, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case len(b.replies) > 0:
		return b.replies[0], false, true
	case len(b.clears) > 0:
		return message{topic: b.clears[0]}, true, true
	case len(b.refusals) > 0:
		return b.refusals[0], false, true
	}
	return message{}, false, false
}

// sentOnce removes what nextOnce returned.
func (b *box) sentOnce(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(m.payload) == 0 {
		if len(b.clears) > 0 && b.clears[0] == m.topic {
			b.clears = b.clears[1:]
			delete(b.clearing, m.topic)
		}
		return
	}
	for _, queue := range []*[]message{&b.replies, &b.refusals} {
		if len(*queue) > 0 && &(*queue)[0].payload[0] == &m.payload[0] {
			*queue = slices.Delete(*queue, 0, 1)
			return
		}
	}
}

// dropped counts a message that found no room.
func (b *box) dropped() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drops++
}

// deadline ends own alerts whose time is over, and returns when the next one,
// or a refresh, is due.
func (b *box) deadline(now time.Time) (next time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next = b.refresh
	for code, at := range b.until {
		switch {
		case !at.After(now):
			delete(b.until, code)
			b.set(slotAlert+code, nil, 1)
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	return next
}

// nextReplay returns the oldest replay wanted.
func (b *box) nextReplay() (r ReplayArgs, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.replays) == 0 {
		return ReplayArgs{}, false
	}
	return b.replays[0], true
}

// tookReplay removes what nextReplay returned.
func (b *box) tookReplay() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replays = slices.Delete(b.replays, 0, 1)
}

// Names of slots: topics below the board's.
const (
	slotState = "state"
	slotAlert = "alert/"
)

// refreshAt asks for everything to be published again at that time.
func (b *box) refreshAt(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refresh.IsZero() {
		b.refresh = at
	}
	b.poke()
}

// refreshDue reports, once, that the time has come.
func (b *box) refreshDue(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refresh.IsZero() || now.Before(b.refresh) {
		return false
	}
	b.refresh = time.Time{}
	return true
}
