package broker

import (
	"sync"
	"sync/atomic"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// turns lets only one connection at a time change or read the retained
// messages: mochi reads them for a new subscription without the lock under which
// it writes them (TopicsIndex.scanMessages and RetainMessage in v2.7.9).
type turns struct {
	mu     sync.Mutex
	holder atomic.Pointer[conn]
}

// take waits for the turn of c. Whoever has it already goes on.
func (t *turns) take(c *conn) {
	if c == nil || t.holder.Load() == c {
		return
	}
	t.mu.Lock()
	t.holder.Store(c)
}

// give ends the turn of c, if it is c's.
func (t *turns) give(c *conn) {
	if c != nil && t.holder.CompareAndSwap(c, nil) {
		t.mu.Unlock()
	}
}

// connOf returns the connection of a client, nil for a client without one.
func connOf(cl *mochi.Client) *conn {
	c, _ := cl.Net.Conn.(*conn)
	return c
}

// OnPacketProcessed implements mochi.Hook. It is not called for packets that are
// refused unread; their connection ends, and its turn with it.
func (h *hook) OnPacketProcessed(cl *mochi.Client, _ packets.Packet, _ error) {
	h.turns.give(connOf(cl))
}

// OnWill implements mochi.Hook: a will may be retained, too.
func (h *hook) OnWill(cl *mochi.Client, will mochi.Will) (mochi.Will, error) {
	h.turns.take(connOf(cl))
	if u, _ := h.user(cl); !u.Board && will.Retain && !h.retained.fits(will.TopicName, len(will.Payload)) {
		will.Retain = false
	}
	return will, nil
}

// OnWillSent implements mochi.Hook.
func (h *hook) OnWillSent(cl *mochi.Client, _ packets.Packet) {
	h.turns.give(connOf(cl))
}
