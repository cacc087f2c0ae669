package broker

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
)

// Limits of the listener.
const (
	// mqtt311 is the protocol level of MQTT 3.1.1 (section 3.1.2.2).
	mqtt311 = 4
	// maxConnect is the largest CONNECT accepted, in bytes after the fixed header.
	maxConnect = 16 << 10
	listenerID = "tcp"
)

var errProtocol = errors.New("not an MQTT 3.1.1 CONNECT")

// listener accepts connections for mochi: it implements listeners.Listener.
type listener struct {
	ln     net.Listener
	log    *slog.Logger
	server *mochi.Server
	o      Options
	// admit says which protocol levels may reach the decoder.
	admit func(level byte) bool
	turns *turns

	mu     sync.Mutex
	conns  map[*conn]struct{}
	closed bool
	wg     sync.WaitGroup
}

// ID implements listeners.Listener.
func (l *listener) ID() string { return listenerID }

// Address implements listeners.Listener.
func (l *listener) Address() string { return l.ln.Addr().String() }

// Protocol implements listeners.Listener.
func (l *listener) Protocol() string { return "tcp" }

// Init implements listeners.Listener.
func (l *listener) Init(*slog.Logger) error { return nil }

// Serve implements listeners.Listener: it returns when the listener is closed.
func (l *listener) Serve(establish listeners.EstablishFn) {
	for {
		c, err := l.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of files, most likely: somebody has to go first.
			l.log.Warn("mqtt broker: accept failed", "err", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		l.start(c, establish)
	}
}

// start runs a connection, unless there are too many or the end has come.
func (l *listener) start(nc net.Conn, establish listeners.EstablishFn) {
	c := newConn(nc, l.o.MaxPending, l.o.WriteTimeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.conns) >= l.o.MaxClients {
		_ = nc.Close()
		l.log.Warn("mqtt broker: connection refused", "remote", nc.RemoteAddr().String(), "open", len(l.conns))
		return
	}
	l.conns[c] = struct{}{}
	l.wg.Go(func() { l.serve(c, establish) })
}

// serve is the whole life of a connection.
func (l *listener) serve(c *conn, establish listeners.EstablishFn) {
	var pump sync.WaitGroup
	pump.Go(c.pump)
	defer func() {
		_ = c.Close()
		pump.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, c)
	}()
	defer func() {
		if r := recover(); r != nil {
			l.log.Error("mqtt broker: connection ended by a panic", "remote", c.RemoteAddr().String(),
				"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			l.evict(c)
		}
	}()
	// A turn must not outlive its connection, whatever ended that.
	defer l.turns.give(c)
	err := l.handshake(c)
	if err == nil {
		err = establish(listenerID, c)
	}
	if err != nil {
		l.log.Debug("mqtt broker: connection ended", "remote", c.RemoteAddr().String(), "err", err)
	}
}

// handshake reads the CONNECT packet within the time allowed and refuses other
// protocol levels before the decoder sees them.
func (l *listener) handshake(c *conn) error {
	if err := c.SetReadDeadline(time.Now().Add(l.o.ConnectTimeout)); err != nil {
		return fmt.Errorf("set deadline: %w", err)
	}
	raw, level, err := readConnect(c.Conn)
	if err != nil {
		return fmt.Errorf("read connect: %w", err)
	}
	if !l.admit(level) {
		// MQTT 5 section 3.2.2.2: 0x84, unsupported protocol version; and
		// MQTT 3.1.1 section 3.2.2.3: 1, unacceptable protocol version.
		refusal := []byte{0x20, 2, 0, 1}
		if level >= 5 {
			refusal = []byte{0x20, 3, 0, 0x84, 0}
		}
		_, _ = c.Write(refusal)
		return fmt.Errorf("protocol level %d: %w", level, errProtocol)
	}
	c.head = raw
	return nil
}

// readConnect reads one CONNECT packet (MQTT 3.1.1 section 3.1), and not a byte
// more, and returns its bytes and its protocol level.
func readConnect(r io.Reader) (raw []byte, level byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return nil, 0, err
	}
	if head[0] != 0x10 {
		return nil, 0, fmt.Errorf("first byte %#02x: %w", head[0], errProtocol)
	}
	// The remaining length has one to four bytes of seven bits, lowest first
	// (section 2.2.3).
	n, size := 2, int(head[1]&0x7F)
	for ; head[n-1]&0x80 != 0; n++ {
		if n == len(head) {
			return nil, 0, fmt.Errorf("length: %w", errProtocol)
		}
		if _, err := io.ReadFull(r, head[n:n+1]); err != nil {
			return nil, 0, err
		}
		size |= int(head[n]&0x7F) << (7 * (n - 1))
	}
	if size > maxConnect {
		return nil, 0, fmt.Errorf("%d bytes: %w", size, errProtocol)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, 0, err
	}
	// Protocol name, two bytes of length before it, and the level.
	if size < 2 {
		return nil, 0, fmt.Errorf("no protocol name: %w", errProtocol)
	}
	at := 2 + int(body[0])<<8 + int(body[1])
	if at >= size {
		return nil, 0, fmt.Errorf("no protocol level: %w", errProtocol)
	}
	return append(head[:n], body...), body[at], nil
}

// evict forgets the client of a connection that ended in a panic: mochi had no
// chance to do so.
func (l *listener) evict(c *conn) {
	for _, cl := range l.server.Clients.GetAll() {
		if cl.Net.Conn == net.Conn(c) {
			l.server.UnsubscribeClient(cl)
			l.server.Clients.Delete(cl.ID)
		}
	}
}

// Close implements listeners.Listener: it ends every connection and waits for
// all of them. The function it is given is not used: it finds the clients
// through mochi's GetByListener, which takes a read lock twice, and so hangs
// for ever when a client leaves in between.
func (l *listener) Close(listeners.CloseFn) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	_ = l.ln.Close()
	for c := range l.conns {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.wg.Wait()
}
