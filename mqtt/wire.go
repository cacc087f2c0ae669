package mqtt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// wire stands between the client library and the broker. What the library would
// not survive, or would take for granted, ends the connection here: a SUBACK
// with more codes than filters makes it panic in a goroutine of its own, an
// unknown CONNACK code counts as success, and the length of a packet is
// allocated unseen. A PUBLISH that is too large is cut, not refused: it could be
// a retained one that comes again with every connection.
type wire struct {
	net.Conn
	r       *bufio.Reader
	filters atomic.Int64 // of the last SUBSCRIBE
	patient time.Duration

	pending []byte
	greeted bool

	mu  sync.Mutex
	err error
}

// maxBody is how much of a packet is kept, in bytes. It leaves room for the
// longest topic and more payload than a command may have.
const maxBody = 80 << 10

// Packet types of MQTT 3.1.1 section 2.2.1.
const (
	tConnack  = 2
	tPublish  = 3
	tPuback   = 4
	tSuback   = 9
	tPingresp = 13
)

var errBroker = errors.New("the broker does not keep to MQTT 3.1.1")

func newWire(c net.Conn, patient time.Duration) *wire {
	return &wire{Conn: c, r: bufio.NewReader(c), patient: patient}
}

// Write implements net.Conn with a deadline for every write: pings have none
// otherwise.
func (w *wire) Write(p []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(w.patient)); err != nil {
		return 0, err
	}
	return w.Conn.Write(p)
}

// Read implements net.Conn, one checked packet at a time.
func (w *wire) Read(p []byte) (int, error) {
	if len(w.pending) == 0 {
		packet, err := w.next()
		if err != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.err = err
			return 0, err
		}
		w.pending = packet
	}
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

// broken returns why the broker's packets cannot be read any more, nil if that
// is not so or not the broker's fault.
func (w *wire) broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, errBroker) {
		return w.err
	}
	return nil
}

func (w *wire) next() ([]byte, error) {
	head, err := w.r.ReadByte()
	if err != nil {
		return nil, err
	}
	size, err := readLength(w.r)
	if err != nil {
		return nil, err
	}
	if size > maxBody && head>>4 != tPublish {
		return nil, fmt.Errorf("%w: packet of type %d with %d bytes", errBroker, head>>4, size)
	}
	body := make([]byte, min(size, maxBody))
	if _, err := io.ReadFull(w.r, body); err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, w.r, int64(size-len(body))); err != nil {
		return nil, err
	}
	if err := w.check(head, body); err != nil {
		return nil, err
	}
	return append(appendLength([]byte{head}, len(body)), body...), nil
}

func (w *wire) check(head byte, body []byte) error {
	kind := head >> 4
	ok := false
	switch kind {
	case tConnack:
		ok = !w.greeted && len(body) == 2 && body[1] <= 5
	case tPublish:
		ok = validPublish(head, body)
	case tPuback:
		ok = len(body) == 2
	case tSuback:
		ok = len(body) == 2+int(w.filters.Load())
	case tPingresp:
		ok = len(body) == 0
	}
	if !ok || !w.greeted && kind != tConnack {
		return fmt.Errorf("%w: packet of type %d with %d bytes", errBroker, kind, len(body))
	}
	w.greeted = true
	return nil
}

// validPublish checks QoS (at most what was subscribed to), topic and packet id
// of MQTT 3.1.1 section 3.3.
func validPublish(head byte, body []byte) bool {
	qos := head >> 1 & 3
	if len(body) < 2 || qos > 1 {
		return false
	}
	rest := len(body) - 2 - int(body[0])<<8 - int(body[1])
	return rest >= 2*int(qos) && len(body)-rest > 2
}

// readLength reads the remaining length of MQTT 3.1.1 section 2.2.3.
func readLength(r io.ByteReader) (int, error) {
	n := 0
	for shift := 0; shift < 28; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int(b&0x7F) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: malformed length", errBroker)
}

func appendLength(b []byte, n int) []byte {
	for n > 0x7F {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}
