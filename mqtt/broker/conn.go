package broker

import (
	"errors"
	"net"
	"sync"
	"time"
)

var errSlow = errors.New("reader is too slow")

// conn is a client's connection as mochi sees it. Read returns the CONNECT
// packet first, which has been read already. Write never waits for the network:
// it fills a buffer of at most limit bytes, and the pump writes it out under a
// deadline. A full buffer or a missed deadline ends the connection.
type conn struct {
	net.Conn
	limit   int
	patient time.Duration

	head []byte // belongs to the reader

	mu     sync.Mutex
	buf    []byte
	closed bool
	err    error
	wake   chan struct{}
}

func newConn(c net.Conn, limit int, patient time.Duration) *conn {
	return &conn{Conn: c, limit: limit, patient: patient, wake: make(chan struct{}, 1)}
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
	case len(c.buf)+len(p) > c.limit:
		c.err = errSlow
		c.poke()
		// The pump may be waiting for the network.
		return 0, errors.Join(errSlow, c.SetWriteDeadline(time.Now()))
	}
	c.buf = append(c.buf, p...)
	c.poke()
	return len(p), nil
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

// pump writes the buffer out until the connection ends, and then closes it.
func (c *conn) pump() {
	defer func() { _ = c.Conn.Close() }()
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

// take swaps the buffer against the empty one and starts the deadline.
func (c *conn) take(empty []byte) (out []byte, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, true
	}
	out, c.buf = c.buf, empty[:0]
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
