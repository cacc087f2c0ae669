package mqtt

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
	"github.com/oklog/ulid/v2"
)

var (
	errToken = errors.New("the broker does not acknowledge")
	errLost  = errors.New("connection lost")
	// errSubscribing: there is no answer to a subscription.
	errSubscribing = errors.New("subscribe")
)

// session is one connection, with a client of its own.
type session struct {
	id     string
	client paho.Client
	lost   chan error
	tuning Tuning

	mu     sync.Mutex
	conn   *wire
	closed bool

	// The rest belongs to the supervisor.
	live     bool // "online" has been acknowledged
	began    time.Time
	said     time.Time // when availability was last published
	answered time.Time // when a foreign offline was last answered
	events   []record  // read from the journal, not yet acknowledged
	retry    time.Time // when the next event may be tried
	missing  uint64    // the event with which the last reading began
	turn     int       // who was last in nextQueued
	problem  string    // what the broker refuses, though it can do without
	rtt      time.Duration
}

// record is an event of the journal.
type record struct {
	seq     uint64
	payload []byte
}

func newULID() string {
	return ulid.MustNew(ulid.Now(), rand.Reader).String()
}

// filters are what a board subscribes to, all with QoS 1: in one packet, or, if careful,
// one after another and only the topics that it knows. A broker then sends one retained
// command at most at a time.
func (a *Adapter) filters(careful bool) []map[string]byte {
	if !careful {
		return []map[string]byte{{
			a.base + "cmd/#":           1,
			root + everyone + "/cmd/#": 1,
			a.base + "availability":    1,
			haStatus:                   1,
		}}
	}
	topics := []string{a.base + "availability", haStatus}
	for _, role := range slices.Sorted(maps.Keys(a.o.Commands)) {
		for _, name := range a.o.Commands[role] {
			topics = append(topics, a.base+"cmd/"+role+"/"+name)
			if Role(role) == Ops && forAll(name) {
				topics = append(topics, root+everyone+"/cmd/"+role+"/"+name)
			}
		}
	}
	one := make([]map[string]byte, len(topics))
	for i, topic := range topics {
		one[i] = map[string]byte{topic: 1}
	}
	return one
}

func (a *Adapter) availability(s *session, state, reason string) []byte {
	v := availability{V: 1, State: state, Session: s.id, Boot: a.o.Boot}
	if reason != "" {
		v.Reason = &reason
	}
	return encode(v)
}

// connect opens a connection and subscribes. The context ends when the adapter
// is to leave.
func (a *Adapter) connect(ctx context.Context) (*session, error) {
	s := &session{id: newULID(), lost: make(chan error, 1), tuning: a.o.Tuning, retry: a.drain}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.client = paho.NewClient(a.clientOptions(ctx, s))
	if err := s.await(ctx, s.client.Connect(), 2*a.o.Tuning.Connect+time.Second); err != nil {
		s.close()
		return nil, fmt.Errorf("connect: %w", a.explain(err))
	}
	a.mu.Lock()
	a.sessions = append(a.sessions, s.id)
	a.sessions = a.sessions[max(0, len(a.sessions)-ownSessions):]
	a.mu.Unlock()
	s.began = time.Now()
	return s, nil
}

// newClientID returns the client id of a program run: the name of the board and what
// nobody can guess. Whoever connects with the id of a client throws that one off, and
// not every broker lets only its owner do so (NATS does not). It has at most 23
// characters, as many as every broker takes (MQTT 3.1.1 section 3.1.3.1).
func newClientID(board string) string {
	return board[:min(len(board), 10)] + "-" + strings.ToLower(rand.Text()[:12])
}

// explain puts the broker's refusal into words that say what to do.
func (a *Adapter) explain(err error) error {
	switch {
	case errors.Is(err, packets.ErrorRefusedNotAuthorised), errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword):
		return fmt.Errorf("the broker refuses user %q: check its name, password and rights there (%w)", a.o.Username, err)
	case errors.Is(err, packets.ErrorRefusedIDRejected):
		return fmt.Errorf("the broker refuses client id %q (%w)", a.clientID, err)
	}
	return err
}

// clientOptions are chosen so that a token ends without an error only when the
// broker has acknowledged: no reconnection by the library, clean sessions.
func (a *Adapter) clientOptions(dial context.Context, s *session) *paho.ClientOptions {
	t := a.o.Tuning
	o := paho.NewClientOptions().
		AddBroker("tcp://"+a.url.Host).
		SetProtocolVersion(4).
		SetClientID(a.clientID).
		SetUsername(a.o.Username).
		SetPassword(a.o.Password).
		SetCleanSession(true).
		SetAutoReconnect(false).
		SetConnectRetry(false).
		SetResumeSubs(false).
		SetStore(paho.NewMemoryStore()).
		SetOrderMatters(true).
		SetKeepAlive(t.KeepAlive).
		SetPingTimeout(t.Ping).
		SetConnectTimeout(t.Connect).
		SetWriteTimeout(t.Write).
		SetBinaryWill(a.base+"availability", a.availability(s, "offline", ""), 1, true).
		SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { a.receive(m) }).
		SetConnectionLostHandler(func(_ paho.Client, err error) {
			select {
			case s.lost <- err:
			default:
			}
		}).
		SetCustomOpenConnectionFn(func(*url.URL, paho.ClientOptions) (net.Conn, error) {
			return a.open(dial, s)
		})
	return o
}

// open dials the broker. The library's own way would go through proxies named
// in the environment and cannot be interrupted.
func (a *Adapter) open(ctx context.Context, s *session) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, a.o.Tuning.Connect)
	defer cancel()
	c, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	w := newWire(c, a.o.Tuning.Write)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	s.conn = w
	return w, nil
}

// dial opens a connection that carries MQTT packets.
func (a *Adapter) dial(ctx context.Context) (net.Conn, error) {
	if a.o.Dial != nil {
		return a.o.Dial()
	}
	d := net.Dialer{Timeout: a.o.Tuning.Connect, KeepAlive: 15 * time.Second}
	c, err := d.DialContext(ctx, "tcp", a.url.Host)
	if err != nil {
		return nil, err
	}
	if secure, _ := isSecure(a.url); secure {
		tc := tls.Client(c, a.o.TLS)
		if err := tc.HandshakeContext(ctx); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("tls: %w", a.judged(err))
		}
		c = tc
	}
	return c, nil
}

// judged says why a certificate that has expired, or is not good yet, may be good all
// the same: a Pi does not know the time before somebody tells it.
func (a *Adapter) judged(err error) error {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired && !a.o.Stamp().TSOK {
		return fmt.Errorf("the clock of this computer is not set yet, and until then certificates cannot be judged: %w", err)
	}
	return err
}

// receive takes a message from the library. It must not block, nor panic. A retained
// command is only a topic to clear: its payload is never kept, however many there are.
func (a *Adapter) receive(m paho.Message) {
	topic := m.Topic()
	if m.Retained() && a.isCommand(topic) {
		if len(m.Payload()) > 0 {
			a.ignore(topic)
		}
		return
	}
	in := incomingMessage{topic: topic, payload: m.Payload(), retained: m.Retained()}
	if len(in.payload) > maxCommand {
		in.payload = in.payload[: maxCommand+1 : maxCommand+1]
	}
	if !a.inbox.put(in) {
		a.box.dropped()
	}
}

// isCommand reports whether commands to this board, or to all, are published on a topic.
func (a *Adapter) isCommand(topic string) bool {
	return strings.HasPrefix(topic, a.base+"cmd/") || strings.HasPrefix(topic, root+everyone+"/cmd/")
}

// ignore takes a retained command away, if boards may do that: they have no right to
// write to the topics for all.
func (a *Adapter) ignore(topic string) {
	if clearable(topic) && strings.HasPrefix(topic, a.base) {
		a.box.clear(topic)
	}
	a.RetainedCommand(topic)
}

// clearable reports whether a topic can be published to on every broker, and is not
// longer than what anybody needs.
func clearable(topic string) bool {
	for i := range len(topic) {
		if topic[i] <= ' ' || topic[i] == 0x7F {
			return false // NATS disconnects who publishes to such
		}
	}
	return len(topic) <= maxTopic
}

// maxTopic is the length of the longest topic that is cleared, in bytes.
const maxTopic = 256

// subscribe subscribes to everything and looks at every code of the answer: a refusal
// is no error to the library. Without commands or availability the connection is not
// good; without the others it is.
func (a *Adapter) subscribe(ctx context.Context, s *session) error {
	for _, want := range a.filters(a.careful) {
		if err := a.subscribeTo(ctx, s, want); err != nil {
			return err
		}
	}
	a.change(func(st *Status) { st.Connected, st.Session = true, s.id; st.Connections++ })
	return nil
}

// subscribeTo subscribes with one packet.
func (a *Adapter) subscribeTo(ctx context.Context, s *session, want map[string]byte) error {
	s.expect(len(want))
	t := s.client.SubscribeMultiple(want, nil)
	if err := s.await(ctx, t, a.o.Tuning.Token); err != nil {
		return fmt.Errorf("%w: %w", errSubscribing, err)
	}
	st, ok := t.(*paho.SubscribeToken)
	if !ok {
		return errors.New("subscribe: no result")
	}
	granted := st.Result()
	for _, filter := range slices.Sorted(maps.Keys(want)) {
		if code, ok := granted[filter]; ok && code <= 2 {
			continue
		}
		problem := fmt.Sprintf("the broker refuses the subscription to %s: give user %q the right to read it", filter, a.o.Username)
		if filter != haStatus {
			return errors.New(problem)
		}
		a.told.Warn("mqtt: a subscription is refused", "problem", problem)
		s.problem = problem
	}
	return nil
}

// expect says how many filters the next SUBACK answers.
func (s *session) expect(filters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.filters.Store(int64(filters))
	}
}

// publish sends a message and waits for its acknowledgement.
func (s *session) publish(ctx context.Context, topic string, qos byte, retain bool, payload []byte) error {
	begin := time.Now()
	// The library waits up to its write timeout here when the socket is stuck.
	t := s.client.Publish(topic, qos, retain, payload)
	if err := s.await(ctx, t, s.tuning.Token); err != nil {
		return fmt.Errorf("publish %s: %w", topic, err)
	}
	s.rtt = time.Since(begin)
	return nil
}

// await waits for a token, at most limit.
func (s *session) await(ctx context.Context, t paho.Token, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.Done():
		if err := t.Error(); err != nil {
			return errors.Join(err, s.cause())
		}
		return nil
	case err := <-s.lost:
		return fmt.Errorf("%w: %w", errLost, err)
	case <-timer.C:
		return fmt.Errorf("%w within %v", errToken, limit)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cause returns why the connection ended, if it was the broker's doing.
func (s *session) cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return nil
	}
	return s.conn.broken()
}

// close cuts the connection without a DISCONNECT, so that the broker publishes
// the will, and lets the library clean up.
func (s *session) close() {
	s.mu.Lock()
	s.closed = true
	if s.conn != nil {
		_ = s.conn.Close()
	}
	s.mu.Unlock()
	s.client.Disconnect(0)
}
