package broker

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"

	"reversi-board/mqtt/ratelog"
)

// Limits of the listener.
const (
	// mqtt311 is the protocol level of MQTT 3.1.1 (section 3.1.2.2).
	mqtt311 = 4
	// maxConnect is the largest CONNECT accepted, in bytes after the fixed header.
	maxConnect = 16 << 10
	listenerID = "tcp"
	// maxWaiting connections have not said who they are, maxWaitingEach of one address.
	maxWaiting     = 32
	maxWaitingEach = 16
	// arrivalTime is how long an address must save for a new connection, up to
	// arrivalBurst; guessTime is that for a wrong password, and allGuessTime for one
	// from any of the addresses that have guessed wrong before.
	arrivalTime   = 10 * time.Millisecond
	arrivalBurst  = 5 * time.Second
	guessTime     = time.Second
	guessBurst    = 10 * time.Second
	allGuessTime  = 100 * time.Millisecond
	allGuessBurst = 10 * time.Second
	// packetTime is that for a packet, where clients other than the board send too
	// many: 500 a second, and allPacketShare times as many of all of them.
	packetTime     = 2 * time.Millisecond
	packetBurst    = time.Second
	allPacketShare = 4
	allPacketBurst = 250 * time.Millisecond
	// maxWait bounds how long one packet waits, and with it the end of the broker.
	maxWait = 2 * time.Second
	// writesPending is how many packets may wait for mochi to encode them for a client;
	// it drops what is too much, so that this is a second of what all clients may send.
	writesPending = 2048
	// boardPending is how many bytes may wait for the board.
	boardPending = 4 << 20
	// maxPayload is the largest message of a client other than the board, in bytes:
	// twice that of a command that the board would read.
	maxPayload = 16 << 10
	// maxTopic is the longest topic or filter, in bytes, and maxLevels its most levels.
	maxTopic  = 256
	maxLevels = 16
)

var errProtocol = errors.New("not an MQTT 3.1.1 CONNECT")

// listener accepts connections for mochi: it implements listeners.Listener. The board
// has a connection of its own that does not come through the network, so nobody
// can take its place.
type listener struct {
	ln     net.Listener
	log    *slog.Logger
	told   *ratelog.Log
	server *mochi.Server
	o      Options
	// admit says which protocol levels may reach the decoder.
	admit func(level byte) bool
	turns *turns
	queue queue
	// guesses limits wrong passwords, arrivals new connections.
	guesses, arrivals budget

	mu    sync.Mutex
	conns map[*conn]struct{}
	// waiting are the connections that have not said who they are, the oldest first.
	waiting   []*conn
	seated    int // the others, without the board's own
	closed    bool
	wg        sync.WaitGroup
	establish listeners.EstablishFn
	serving   chan struct{} // closed when establish is known
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
	l.establish = establish
	close(l.serving)
	for {
		c, err := l.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of files, most likely: somebody has to go first.
			l.told.Warn("mqtt broker: accept failed", "err", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		l.start(c)
	}
}

// start runs a connection, unless there are too many or the end has come.
func (l *listener) start(nc net.Conn) {
	c := newConn(nc, &l.o, &l.queue)
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		_ = nc.Close()
		return
	case !l.arrivals.take(now, c.from):
		l.refuse(c, "its address connects too often")
		return
	}
	l.makeRoom(c)
	l.waiting = append(l.waiting, c)
	l.conns[c] = struct{}{}
	l.wg.Go(func() { l.serve(c) })
}

// refuse closes a connection and tells of it.
func (l *listener) refuse(c *conn, why string) {
	_ = c.Conn.Close()
	l.told.Warn("mqtt broker: connection refused", "remote", c.RemoteAddr().String(), "why", why)
}

// makeRoom ends the oldest of the connections that have not said who they are, where
// there are too many of them: of the same address, or else of all. Whoever connects in
// earnest says so at once, and those that only hold a place lose it. The caller
// holds the lock.
func (l *listener) makeRoom(c *conn) {
	same := 0
	for _, w := range l.waiting {
		if w.from == c.from {
			same++
		}
	}
	var victim *conn
	switch {
	case same >= maxWaitingEach:
		victim = l.waiting[slices.IndexFunc(l.waiting, func(w *conn) bool { return w.from == c.from })]
	case len(l.waiting) >= maxWaiting:
		victim = l.waiting[0]
	default:
		return
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(w *conn) bool { return w == victim })
	l.refuse(victim, "too many connections that do not say who they are")
}

// seat gives a connection that has said who it is one of the places, and reports
// whether there was one. A board needs none.
func (l *listener) seat(c *conn, board bool) bool {
	if c == nil {
		return true
	}
	if board {
		c.serveBoard()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *conn) bool { return w == c })
	if board {
		return true
	}
	same := 0
	for other := range l.conns {
		if other.seated && other.from == c.from {
			same++
		}
	}
	var why string
	switch {
	case l.seated >= l.o.MaxClients:
		why = "all places are taken"
	case same >= l.o.MaxPerAddress:
		why = "its address has as many as one may have"
	default:
		c.seated = true
		l.seated++
		return true
	}
	c.unavailable()
	l.told.Warn("mqtt broker: connection refused", "remote", c.RemoteAddr().String(), "why", why)
	return false
}

// leave gives the place of a connection back.
func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *conn) bool { return w == c })
	delete(l.conns, c)
	if c.seated {
		l.seated--
	}
}

// mayTry reports whether a password that comes from there is looked at.
func (l *listener) mayTry(c *conn) bool {
	if c == nil || c.private || l.guesses.take(time.Now(), c.from) {
		return true
	}
	c.unavailable()
	l.told.Warn("mqtt broker: too many wrong passwords, the next ones from there have to wait", "remote", c.RemoteAddr().String())
	return false
}

// right notes that the password was right.
func (l *listener) right(c *conn) {
	if c != nil && !c.private {
		l.guesses.giveBack(c.from)
	}
}

// awaitBoards returns when the boards have read most of what waits for them.
func (l *listener) awaitBoards() {
	l.mu.Lock()
	var boards []*conn
	for c := range l.conns {
		if c.isBoard() {
			boards = append(boards, c)
		}
	}
	l.mu.Unlock()
	for _, c := range boards {
		c.await(boardPending / 4)
	}
}

// dial opens the board's own connection.
func (l *listener) dial() (net.Conn, error) {
	near, far := net.Pipe()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	c := newConn(far, &l.o, &l.queue)
	c.private = true
	l.conns[c] = struct{}{}
	l.wg.Go(func() { l.serve(c) })
	return near, nil
}

// serve is the whole life of a connection.
func (l *listener) serve(c *conn) {
	var pump sync.WaitGroup
	pump.Go(c.pump)
	defer func() {
		_ = c.Close()
		pump.Wait()
		l.leave(c)
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
		<-l.serving
		err = l.establish(listenerID, c)
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
	if errors.Is(err, errProtocol) {
		l.told.Info("mqtt broker: a client does not speak MQTT as it is spoken here: connect without TLS, WebSocket or HTTP",
			"remote", c.RemoteAddr().String(), "err", err)
	}
	if err != nil {
		return fmt.Errorf("read connect: %w", err)
	}
	if !l.admit(level) {
		l.told.Warn("mqtt broker: a client speaks another version of MQTT: set it to version 3.1.1, which is the only one here",
			"remote", c.RemoteAddr().String(), "version", versionName(level))
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

// versionName returns the version of MQTT that a protocol level stands for (MQTT 3.1.1
// and MQTT 5, section 3.1.2.2).
func versionName(level byte) string {
	switch level {
	case 3:
		return "3.1"
	case mqtt311:
		return "3.1.1"
	case 5:
		return "5"
	}
	return fmt.Sprintf("unknown (level %d)", level)
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
