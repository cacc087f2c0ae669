package broker

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

var errSlow = errors.New("reader is too slow")

// conn is a client's connection as mochi sees it. Read returns the CONNECT
// packet first, which has been read already. Write never waits for the network:
// it fills a buffer of at most limit bytes, and the pump writes it out under a
// deadline. A full buffer or a missed deadline ends the connection.
type conn struct {
	net.Conn
	queue   *queue
	limit   int
	patient time.Duration
	from    netip.Prefix
	// private: the connection of the board itself, within the process.
	private bool
	seated  bool // it has one of the places; guarded by the listener
	sent    pace // what the client sends

	head []byte // belongs to the reader

	mu      sync.Mutex
	buf     []byte
	writing int // bytes that the pump is writing out
	board   bool
	closed  bool
	over    bool // nothing more is written out
	err     error
	wake    chan struct{}
	drained sync.Cond
	// owed are the sizes of the messages that the client has not acknowledged.
	owed      map[uint16]int
	owedBytes int
}

// queue counts what waits for all clients together.
type queue struct {
	limit int
	fair  int // what each may have even when the limit is reached
	bytes atomic.Int64
}

// packetOverhead is what a message that is kept costs besides its topic and payload,
// in bytes: mochi's copy of the packet.
const packetOverhead = 700

func newConn(c net.Conn, o *Options, q *queue) *conn {
	n := &conn{
		Conn: c, queue: q, limit: o.MaxPending, patient: o.WriteTimeout, from: addressOf(c.RemoteAddr().String()),
		wake: make(chan struct{}, 1), owed: make(map[uint16]int),
	}
	n.drained.L = &n.mu
	return n
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.head) > 0 {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn; it does not block.
func (c *conn) Write(p []byte) (int, error) {
	// mochi says goodbye with a DISCONNECT, which a server must not send in
	// MQTT 3.1.1 (section 3.14).
	if len(p) > 0 && p[0] == 0xE0 {
		return len(p), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, c.err
	case c.closed:
		return 0, net.ErrClosed
	case len(c.buf)+len(p) > c.limit || c.greedy(len(c.buf)+c.writing+c.owedBytes+len(p)):
		c.err = errSlow
		c.poke()
		// The pump may be waiting for the network.
		return 0, errors.Join(errSlow, c.SetWriteDeadline(time.Now()))
	}
	c.buf = append(c.buf, p...)
	c.queue.bytes.Add(int64(len(p)))
	c.poke()
	return len(p), nil
}

// greedy reports whether too much waits for all clients, and more than its share for
// this one: n bytes.
func (c *conn) greedy(n int) bool {
	return !c.board && n > c.queue.fair && c.queue.bytes.Load() > int64(c.queue.limit)
}

func (c *conn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// SetDeadline implements net.Conn for the reading half only: the writing half
// has its own deadline.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// Close implements net.Conn. What has been written is still sent, for at most
// a second; the reader is released at once.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.poke()
	now := time.Now()
	return errors.Join(c.SetReadDeadline(now), c.SetWriteDeadline(now.Add(min(c.patient, time.Second))))
}

// unavailable ends a connection that may try again later, with code 3 of MQTT 3.1.1
// section 3.2.2.3: server unavailable.
func (c *conn) unavailable() {
	_, _ = c.Write([]byte{0x20, 2, 0, 3})
	_ = c.Close()
}

// pump writes the buffer out until the connection ends, and then closes it.
func (c *conn) pump() {
	defer c.finish()
	var out []byte
	for range c.wake {
		for {
			var closed bool
			out, closed = c.take(out)
			if len(out) == 0 {
				if closed {
					return
				}
				break
			}
			if _, err := c.Conn.Write(out); err != nil {
				c.fail(err)
				return
			}
		}
	}
}

// finish closes the connection and counts out what still waits.
func (c *conn) finish() {
	_ = c.Conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.bytes.Add(-int64(len(c.buf) + c.writing + c.owedBytes))
	c.buf, c.writing, c.owed, c.owedBytes = nil, 0, nil, 0
	c.closed, c.over = true, true
	c.drained.Broadcast()
}

// keptBuffer is the largest buffer that is kept for the next time, in bytes.
const keptBuffer = 16 << 10

// take swaps the buffer against the empty one and starts the deadline.
func (c *conn) take(empty []byte) (out []byte, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.bytes.Add(-int64(c.writing))
	c.writing = 0
	if c.err != nil {
		return nil, true
	}
	if cap(empty) > keptBuffer {
		empty = nil
	}
	out, c.buf = c.buf, empty[:0]
	c.writing = len(out)
	c.drained.Broadcast()
	if !c.closed && len(out) > 0 {
		_ = c.SetWriteDeadline(time.Now().Add(c.patient))
	}
	return out, c.closed
}

func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// await returns when less than n bytes wait to be written out, or nothing is written
// out any more, which the deadline of the pump sees to.
func (c *conn) await(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.buf) >= n && !c.over {
		c.drained.Wait()
	}
}

// serveBoard makes the connection that of a board: limits are not for it.
func (c *conn) serveBoard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.board = true
	c.limit = max(c.limit, boardPending)
}

func (c *conn) isBoard() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.board
}

// owe notes a message that is kept until the client acknowledges it, and reports
// whether the client has not too many of them.
func (c *conn) owe(id uint16, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return true
	}
	c.queue.bytes.Add(int64(n - c.owed[id]))
	c.owedBytes += n - c.owed[id]
	c.owed[id] = n
	return c.mayOwe()
}

// mayOwe reports whether what is owed is not too much; the caller holds the lock.
func (c *conn) mayOwe() bool {
	return c.board || c.owedBytes <= c.limit && !c.greedy(c.owedBytes)
}

// recount replaces what is owed.
func (c *conn) recount(sizes map[uint16]int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return true
	}
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	c.queue.bytes.Add(int64(sum - c.owedBytes))
	c.owed, c.owedBytes = sizes, sum
	return c.mayOwe()
}

// settle notes that a message is not kept any more.
func (c *conn) settle(id uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.owed[id]
	delete(c.owed, id)
	c.owedBytes -= n
	c.queue.bytes.Add(-int64(n))
}
