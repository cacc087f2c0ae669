package mqtt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"reversi-board/mqtt/broker"
	"reversi-board/mqtt/brokertest"
)

const (
	board    = "rv-b07"
	base     = "reversi/v1/" + board + "/"
	patience = 20 * time.Second
)

// TestMain checks that the whole package leaves no goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv(childURL) != "" {
		childMain()
		return
	}
	if os.Getenv(natsConfig) != "" {
		natsMain()
		return
	}
	code := m.Run()
	for deadline := time.Now().Add(10 * time.Second); code == 0; time.Sleep(5 * time.Millisecond) {
		left := leftBehind()
		if left == "" {
			break
		}
		if time.Now().After(deadline) {
			fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
			code = 1
		}
	}
	os.Exit(code)
}

// leftBehind returns the stacks of goroutines of this package and of the two
// MQTT libraries, other than TestMain.
func leftBehind() string {
	buf := make([]byte, 1<<20)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	return strings.Join(slices.DeleteFunc(stacks, func(s string) bool {
		ours := strings.Contains(s, "reversi-board/mqtt") || strings.Contains(s, "paho.mqtt") || strings.Contains(s, "mochi-mqtt")
		return !ours || strings.Contains(s, "TestMain")
	}), "\n\n")
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}

// journal is the journal in memory.
type journal struct {
	mu      sync.Mutex
	first   uint64
	events  [][]byte
	acked   uint64
	largest int
	broken  error
	onAck   func(seq uint64)
}

func newJournal(n int) *journal {
	j := &journal{first: 1}
	for range n {
		j.add()
	}
	return j
}

// add appends an event and returns its seq.
func (j *journal) add() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	seq := j.first + uint64(len(j.events))
	j.events = append(j.events, fmt.Appendf(nil, `{"v":1,"jid":"J","seq":%d,"type":"move","data":{"by":"black"},"replay":false}`, seq))
	return seq
}

func (j *journal) JID() string { return "01J0000000000000000000000J" }

func (j *journal) FirstSeq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, e := range slices.Backward(j.events) {
		if e == nil {
			return j.first + uint64(i) + 1
		}
	}
	return j.first
}

func (j *journal) LastSeq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.first + uint64(len(j.events)) - 1
}

func (j *journal) Acked() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.acked
}

func (j *journal) SetAcked(seq uint64) {
	j.mu.Lock()
	j.acked = seq
	f := j.onAck
	j.mu.Unlock()
	if f != nil {
		f(seq)
	}
}

func (j *journal) Read(from uint64, limit int, yield func(uint64, []byte) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.largest = max(j.largest, limit)
	if j.broken != nil {
		return j.broken
	}
	for i := max(from, j.first) - j.first; i < uint64(len(j.events)) && limit > 0; i++ {
		if j.events[i] == nil {
			continue // it is missing
		}
		if err := yield(j.first+i, j.events[i]); err != nil {
			return err
		}
		limit--
	}
	return nil
}

// lose makes an event be missing.
func (j *journal) lose(seq uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events[seq-j.first] = nil
}

// drop forgets the events before seq.
func (j *journal) drop(seq uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = j.events[seq-j.first:]
	j.first = seq
}

// quick are times that make the tests short and change nothing else.
func quick() Tuning {
	return Tuning{
		BackoffMin: 5 * time.Millisecond, BackoffMax: 100 * time.Millisecond, Foreign: 100 * time.Millisecond,
		Token: 5 * time.Second, Replay: time.Millisecond, Drain: time.Nanosecond,
	}
}

func options(addr string, j *journal) Options {
	return Options{
		URL: "mqtt://" + addr, Board: board, Name: "Board 7 (Hall A) #+/é", SW: "1.0", HW: "hall-128", Boot: 3,
		Journal: j, Cursor: j, Stamp: func() Stamp { return Stamp{TS: time.Now(), TSOK: true, Boot: 3} },
		Tuning: quick(),
	}
}

func start(t *testing.T, o Options) *Adapter {
	t.Helper()
	a, err := Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		_ = a.Close(ctx, "shutdown")
		<-a.Done()
	})
	return a
}

// play appends n events and tells the adapter, with a state after each.
func play(a *Adapter, j *journal, n int) {
	for range n {
		seq := j.add()
		a.Notify(seq)
		a.State(stateAt(seq, "playing"), seq)
	}
}

func stateAt(seq uint64, phase string) []byte {
	return fmt.Appendf(nil, `{"v":1,"seq":%d,"phase":%q}`, seq, phase)
}

// freeAddr returns an address on which nobody listens.
func freeAddr(t *testing.T) string { t.Helper(); return brokertest.Address(brokertest.FreePort(t)) }

// server is a real broker that can be stopped and started on one address.
type server interface {
	address() string
	up(t *testing.T)
	down(t *testing.T)
}

// brokers runs a test against every broker that a board may meet: the user's Mosquitto,
// the NATS of a big hall, and the embedded one.
func brokers(t *testing.T, test func(t *testing.T, s server)) {
	t.Helper()
	foreign(t, test)
	t.Run("embedded", func(t *testing.T) { test(t, newEmbedded(t)) })
}

// foreign runs a test against every broker that is not ours, and so keeps what anybody
// tells it to.
func foreign(t *testing.T, test func(t *testing.T, s server)) {
	t.Helper()
	t.Run("Mosquitto", func(t *testing.T) { test(t, newMosquitto(t)) })
	t.Run("NATS", func(t *testing.T) { test(t, newNATS(t)) })
}

type embedded struct {
	addr string
	b    *broker.Broker
}

func newEmbedded(t *testing.T) *embedded {
	t.Helper()
	e := &embedded{addr: freeAddr(t)}
	e.up(t)
	t.Cleanup(func() { e.down(t) })
	return e
}

func (e *embedded) address() string { return e.addr }

func (e *embedded) up(t *testing.T) {
	t.Helper()
	everything := []string{"#"}
	b, err := broker.Start(context.WithoutCancel(t.Context()), broker.Options{
		Listen: e.addr, Guests: true,
		Users: []broker.User{broker.BoardUser(board, "secret"), {Name: "test", Password: "test", Read: everything, Write: everything}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.b = b
}

func (e *embedded) down(*testing.T) { e.b.Close() }

// spawned is a broker in a process of its own.
type spawned struct {
	addr string
	// shipped is the address of the listener as we ship it, where a client's id is its
	// user's name; at addr several clients of one user can be connected.
	shipped string
	command func(ctx context.Context) *exec.Cmd
	cmd     *exec.Cmd
}

// spawn starts a broker until the test ends, and again after every down.
func spawn(t *testing.T, addr string, command func(ctx context.Context) *exec.Cmd) *spawned {
	t.Helper()
	s := &spawned{addr: addr, command: command}
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	return s
}

func (s *spawned) address() string { return s.addr }

func (s *spawned) up(t *testing.T) {
	t.Helper()
	out := new(lockedBuffer)
	s.cmd = s.command(context.WithoutCancel(t.Context()))
	s.cmd.Stdout, s.cmd.Stderr = out, out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Logf("the broker says\n%s", out)
		}
	}()
	eventually(t, "the broker listens", func() bool {
		var d net.Dialer
		c, err := d.DialContext(t.Context(), "tcp", s.addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// down kills it as a power cut would.
func (s *spawned) down(*testing.T) {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// users are all users of the settings for brokers that we ship, the board first.
func users() []string {
	return []string{board, "desk-1", "ops-1", "player-1", "hub", "ha", "viewer"}
}

// passwordOf is the password of a user.
func passwordOf(user string) string {
	if user == board {
		return "secret"
	}
	return user
}

// shipped returns settings for a broker as we ship them, for the board of the tests.
func shipped(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "configs", "brokers", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "reversi-1", board)
}

// newMosquitto starts Mosquitto with the settings that we ship, no storage, and more
// lines of settings.
func newMosquitto(t *testing.T, more ...string) *spawned {
	t.Helper()
	for _, tool := range []string{"mosquitto", "mosquitto_passwd", "mosquitto_sub", "mosquitto_pub"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: apt-get install mosquitto mosquitto-clients", err)
		}
	}
	addr, tools, dir := freeAddr(t), freeAddr(t), t.TempDir()
	passwords, acl := filepath.Join(dir, "passwd"), filepath.Join(dir, "acl")
	for i, name := range append([]string{"test"}, users()...) {
		args := []string{"-b", passwords, name, passwordOf(name)}
		if i == 0 {
			args = append([]string{"-c"}, args...)
		}
		if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", args...).CombinedOutput(); err != nil {
			t.Fatalf("mosquitto_passwd: %v\n%s", err, out)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, port, _ := net.SplitHostPort(addr)
	_, toolPort, _ := net.SplitHostPort(tools)
	write(acl, shipped(t, "mosquitto.acl")+"\nuser test\ntopic readwrite #\n")
	config := filepath.Join(dir, "mosquitto.conf")
	write(config, strings.NewReplacer(
		"listener 1883", "listener "+port+" 127.0.0.1",
		"/etc/mosquitto/reversi.passwd", passwords, "/etc/mosquitto/reversi.acl", acl,
	).Replace(shipped(t, "mosquitto.conf"))+"user root\n"+strings.Join(more, "\n")+"\nlistener "+toolPort+" 127.0.0.1\n")
	s := spawn(t, tools, func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "mosquitto", "-c", config)
	})
	s.shipped = addr
	return s
}

// received is a message as a subscriber sees it.
type received struct {
	topic, payload string
	retained       bool
}

func (r received) field(name string) any {
	var m map[string]any
	_ = json.Unmarshal([]byte(r.payload), &m)
	return m[name]
}

func (r received) seq() uint64 {
	n, _ := r.field("seq").(float64)
	return uint64(n)
}

// watcher is mosquitto_sub: a client that has nothing in common with ours.
type watcher struct {
	mu   sync.Mutex
	all  []received
	stop func()
}

// watch subscribes and returns once the subscription stands.
func watch(t *testing.T, addr, filter string) *watcher {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "mosquitto_sub", "-p", port, "-u", "test", "-P", "test", "-q", "1",
		"-t", filter, "-t", "sync/#", "-F", "%r %t %p")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &watcher{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			parts := strings.SplitN(lines.Text(), " ", 3)
			w.mu.Lock()
			w.all = append(w.all, received{parts[1], parts[2], parts[0] == "1"})
			w.mu.Unlock()
		}
	}()
	w.stop = sync.OnceFunc(func() {
		cancel()
		<-done
		_ = cmd.Wait()
	})
	t.Cleanup(w.stop)
	mark := "sync/" + strconv.FormatInt(time.Now().UnixNano(), 10)
	// NATS may give a subscriber neither the retained nor the live message if it is
	// published while the subscription is made: then another one is needed.
	var asked time.Time
	eventually(t, "mosquitto_sub has subscribed", func() bool {
		if time.Since(asked) > 500*time.Millisecond {
			publish(t, addr, mark, "x", true)
			asked = time.Now()
		}
		return len(w.on(mark)) > 0
	})
	publish(t, addr, mark, "", true)
	return w
}

// on returns the messages on a topic.
func (w *watcher) on(topic string) (out []received) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.all {
		if r.topic == topic {
			out = append(out, r)
		}
	}
	return out
}

func (w *watcher) last(topic string) received {
	all := w.on(topic)
	if len(all) == 0 {
		return received{}
	}
	return all[len(all)-1]
}

// publish is mosquitto_pub with QoS 1.
func publish(t *testing.T, addr, topic, payload string, retain bool) {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	args := []string{"-p", port, "-u", "test", "-P", "test", "-q", "1", "-t", topic}
	if retain {
		args = append(args, "-r")
	}
	if payload == "" {
		args = append(args, "-n")
	} else {
		args = append(args, "-m", payload)
	}
	if out, err := exec.CommandContext(t.Context(), "mosquitto_pub", args...).CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_pub: %v\n%s", err, out)
	}
}

// retained returns what a fresh subscriber finds on a topic, empty for nothing.
func retained(t *testing.T, addr, topic string) received {
	t.Helper()
	w := watch(t, addr, topic)
	defer w.stop()
	return w.last(topic)
}

func secret(o Options) Options {
	o.Username, o.Password = board, "secret"
	return o
}

func online(t *testing.T, a *Adapter) {
	t.Helper()
	eventually(t, "the board is online", func() bool { return a.Status().Online })
}

// frame is an MQTT packet with its header.
type frame []byte

func (f frame) kind() byte { return f[0] >> 4 }

func (f frame) body() []byte {
	i := 1
	for f[i]&0x80 != 0 {
		i++
	}
	return f[i+1:]
}

// publication returns topic, packet id and payload of a PUBLISH.
func (f frame) publication() (topic string, id uint16, payload []byte) {
	b := f.body()
	n := int(binary.BigEndian.Uint16(b))
	topic, b = string(b[2:2+n]), b[2+n:]
	if f[0]&6 != 0 {
		id, b = binary.BigEndian.Uint16(b), b[2:]
	}
	return topic, id, b
}

func readFrame(r *bufio.Reader) (frame, error) {
	head, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	f := frame{head}
	n := 0
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		f = append(f, b)
		n |= int(b&0x7F) << shift
		if b&0x80 == 0 {
			break
		}
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return append(f, body...), nil
}

// verdictOn says what a proxy does with a packet.
type verdictOn int

const (
	pass verdictOn = iota
	swallow
	cut
)

// proxy is a TCP proxy that understands packets.
type proxy struct {
	addr, target string
	mu           sync.Mutex
	up, down     func(f frame) verdictOn // from the board, to the board
	refuse       bool
	conns        map[net.Conn]bool
	accepted     int
	wg           sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), target: target, conns: make(map[net.Conn]bool)}
	p.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.cutAll()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	p.mu.Lock()
	p.accepted++
	refuse := p.refuse
	p.mu.Unlock()
	if refuse {
		return
	}
	s, err := net.Dial("tcp", p.target) //nolint:noctx // a test proxy, closed by cutAll
	if err != nil {
		return
	}
	defer func() { _ = s.Close() }()
	p.mu.Lock()
	p.conns[c], p.conns[s] = true, true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		delete(p.conns, s)
	}()
	var wg sync.WaitGroup
	wg.Go(func() { p.copy(s, c, func() func(frame) verdictOn { return p.up }) })
	wg.Go(func() { p.copy(c, s, func() func(frame) verdictOn { return p.down }) })
	wg.Wait()
}

func (p *proxy) copy(dst, src net.Conn, rule func() func(frame) verdictOn) {
	defer func() {
		_ = dst.Close()
		_ = src.Close()
	}()
	r := bufio.NewReader(src)
	for {
		f, err := readFrame(r)
		if err != nil {
			return
		}
		p.mu.Lock()
		v, judge := pass, rule()
		if judge != nil {
			v = judge(f)
		}
		p.mu.Unlock()
		if v == cut {
			return
		}
		if v == pass {
			if _, err := dst.Write(f); err != nil {
				return
			}
		}
	}
}

// cutAll ends every connection as a pulled cable with a reset would.
func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) set(edit func(p *proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	edit(p)
}

func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// fakeBroker answers by a script and notes everything that it is sent.
type fakeBroker struct {
	addr string
	// answer returns the bytes to send for a packet; nil says nothing.
	answer func(f frame) []byte

	mu    sync.Mutex
	seen  [][]frame // by connection
	open  int
	conns map[net.Conn]bool
}

// politely answers as a broker should.
func politely(f frame) []byte {
	switch f.kind() {
	case 1:
		return []byte{0x20, 2, 0, 0}
	case 8:
		b := f.body()
		n := byte(0)
		for rest := b[2:]; len(rest) > 0; n++ {
			rest = rest[3+binary.BigEndian.Uint16(rest):]
		}
		return append([]byte{0x90, 2 + n, b[0], b[1]}, bytes.Repeat([]byte{1}, int(n))...)
	case 3:
		if _, id, _ := f.publication(); id != 0 {
			return []byte{0x40, 2, byte(id >> 8), byte(id)}
		}
	case 12:
		return []byte{0xD0, 0}
	}
	return nil
}

func newFakeBroker(t *testing.T, answer func(f frame) []byte) *fakeBroker {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeBroker{addr: l.Addr().String(), answer: answer, conns: make(map[net.Conn]bool)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { b.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		b.mu.Lock()
		for c := range b.conns {
			_ = c.Close()
		}
		b.mu.Unlock()
		wg.Wait()
	})
	return b
}

func (b *fakeBroker) serve(c net.Conn) {
	b.mu.Lock()
	n := len(b.seen)
	b.seen = append(b.seen, nil)
	b.open++
	b.conns[c] = true
	b.mu.Unlock()
	defer func() {
		_ = c.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open--
		delete(b.conns, c)
	}()
	r := bufio.NewReader(c)
	for {
		f, err := readFrame(r)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.seen[n] = append(b.seen[n], f)
		out := b.answer(f)
		b.mu.Unlock()
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

// packets returns what the first connection has sent.
func (b *fakeBroker) packets() []frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.seen) == 0 {
		return nil
	}
	return slices.Clone(b.seen[0])
}

// push sends a packet to the open connections.
func (b *fakeBroker) push(f []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		_, _ = c.Write(f)
	}
}

// count returns how many packets of a kind have arrived on all connections.
func (b *fakeBroker) count(kind byte) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, frames := range b.seen {
		for _, f := range frames {
			if f.kind() == kind {
				n++
			}
		}
	}
	return n
}

func (b *fakeBroker) connections() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.seen)
}

// publishFrame puts a PUBLISH with QoS 0 together.
func publishFrame(topic, payload string, retain bool) frame {
	head := byte(0x30)
	if retain {
		head |= 1
	}
	body := binary.BigEndian.AppendUint16(nil, uint16(len(topic)))
	body = append(append(body, topic...), payload...)
	return append(appendLength([]byte{head}, len(body)), body...)
}

var errDisk = errors.New("input/output error")

// lockedBuffer is a bytes.Buffer for many writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what has been written.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// steady returns the number of goroutines once it has stopped changing.
func steady(t *testing.T) int {
	t.Helper()
	n, since := runtime.NumGoroutine(), time.Now()
	eventually(t, "the number of goroutines is steady", func() bool {
		if now := runtime.NumGoroutine(); now != n {
			n, since = now, time.Now()
		}
		return time.Since(since) > 20*time.Millisecond
	})
	return n
}
