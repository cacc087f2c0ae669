package mqtt

import (
	"slices"
	"sync"
)

// inbox holds what has come in until it is looked at: a queue for each role, and one
// for everything else. They are emptied in turn, so that a flood for one role delays and
// drops nobody else's commands.
type inbox struct {
	board string
	news  chan struct{}

	mu     sync.Mutex
	queues map[Role][]incomingMessage
	order  []Role // of those that hold something, who waits longest first
	bytes  int
}

// Bounds of what waits for being looked at: messages for a role, and bytes in all.
const (
	inboxSize  = 1024
	inboxBytes = 8 << 20
)

func newInbox(board string) *inbox {
	return &inbox{board: board, news: make(chan struct{}, 1), queues: make(map[Role][]incomingMessage)}
}

// put takes a message, and reports whether there was room. It does not block.
func (b *inbox) put(m incomingMessage) bool {
	var role Role // none
	if o, ok := parseOrder(b.board, m.topic); ok {
		role = o.role
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := b.queues[role]
	// The first of a role finds room whatever the others fill.
	if len(queue) == inboxSize || len(queue) > 0 && b.bytes+len(m.payload) > inboxBytes {
		return false
	}
	m.payload = slices.Clone(m.payload)
	if len(queue) == 0 {
		b.order = append(b.order, role)
	}
	b.queues[role] = append(queue, m)
	b.bytes += len(m.payload)
	select {
	case b.news <- struct{}{}:
	default:
	}
	return true
}

// take removes the next message, of another role than the last one where there is one.
func (b *inbox) take() (m incomingMessage, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.order) == 0 {
		return incomingMessage{}, false
	}
	role := b.order[0]
	b.order = b.order[1:]
	queue := b.queues[role]
	m, queue = queue[0], queue[1:]
	if len(queue) > 0 {
		b.order = append(b.order, role)
		b.queues[role] = queue
	} else {
		delete(b.queues, role)
	}
	b.bytes -= len(m.payload)
	return m, true
}
