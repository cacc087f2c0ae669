//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"golang.org/x/sys/unix"
)

// The race detector is left out: it makes a program of 50 MB one of 500, and what is
// looked at here are memory and times.

// mqttPacket is a packet of MQTT 3.1.1 (section 2.2).
func mqttPacket(kind byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	n := len(body)
	out := []byte{kind}
	for ; n > 0x7F; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(append(out, byte(n)), body...)
}

func mqttText(s string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...)
}

// mqttConnect is a CONNECT; persistent asks for a session that is kept.
func mqttConnect(id, user, password string, persistent bool) []byte {
	flags := byte(0xC0)
	if !persistent {
		flags |= 2
	}
	return mqttPacket(0x10, mqttText("MQTT"), []byte{4, flags, 0, 60}, mqttText(id), mqttText(user), mqttText(password))
}

// attacker attacks a broker with one connection after another, or many at once.
type attacker struct {
	address  string
	password string
	mu       sync.Mutex
	conns    []net.Conn
}

// dial opens a connection that reads whatever comes and throws it away, if it reads.
func (a *attacker) dial(reads bool) net.Conn {
	c, err := net.DialTimeout("tcp", a.address, 5*time.Second) //nolint:noctx // it is closed at the end of the attack
	if err != nil {
		return nil
	}
	a.mu.Lock()
	a.conns = append(a.conns, c)
	a.mu.Unlock()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if reads {
		go func() { _, _ = io.Copy(io.Discard, c) }()
	}
	return c
}

// login opens a connection as the user who knows the password.
func (a *attacker) login(id string, persistent, reads bool) net.Conn {
	c := a.dial(reads)
	if c != nil {
		_, _ = c.Write(mqttConnect(id, "hall-1", a.password, persistent))
	}
	return c
}

func (a *attacker) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.conns {
		_ = c.Close()
	}
	a.conns = nil
}

// send logs in and sends something, as often as told or until the broker hangs up.
func (a *attacker) send(id string, reads bool, times int, packet []byte) {
	c := a.login(id, false, reads)
	for range times {
		if c == nil {
			return
		}
		if _, err := c.Write(packet); err != nil {
			return
		}
	}
}

func (a *attacker) retainLarge() {
	for i := range 100 {
		topic := fmt.Sprint("reversi/v1/reversi-1/cmd/arbiter/x", i)
		a.send(fmt.Sprint("keeper-", i), true, 1, mqttPacket(0x31, mqttText(topic), make([]byte, 60_000)))
	}
}

func (a *attacker) retainMany() {
	for i := range 100 {
		var all []byte
		for n := range 100 {
			topic := fmt.Sprintf("reversi/v1/b%d-%d/cmd/arbiter/new", i, n)
			all = append(all, mqttPacket(0x31, mqttText(topic), make([]byte, 1000))...)
		}
		a.send(fmt.Sprint("many-", i), true, 1, all)
	}
}

func (a *attacker) subscribe() {
	for i := range 25 {
		var all []byte
		for n := range 4 {
			var filters []byte
			for k := range 500 {
				filters = append(append(filters, mqttText(fmt.Sprintf("reversi/v1/%d/%d/%d/#", i, n, k))...), 1)
			}
			all = append(all, mqttPacket(0x82, []byte{0, byte(n + 1)}, filters)...)
		}
		a.send(fmt.Sprint("subscriber-", i), true, 1, all)
	}
}

// everything is a subscription to all topics with QoS 1.
func everything() []byte {
	return mqttPacket(0x82, []byte{0, 1}, mqttText("reversi/v1/#"), []byte{1})
}

func (a *attacker) leaveSessions() {
	for i := range 300 {
		if c := a.login(fmt.Sprint("gone-", i), true, false); c != nil {
			_, _ = c.Write(everything())
			_, _ = io.ReadFull(c, make([]byte, 4+5)) // CONNACK and SUBACK
			_ = c.Close()
		}
	}
	a.send("sender", true, 300, mqttPacket(0x30, mqttText(commandTopic), make([]byte, 15_000)))
}

func (a *attacker) acknowledgeNothing() {
	for i := range 30 {
		a.send(fmt.Sprint("deaf-", i), i%2 == 0, 1, everything())
	}
	a.send("speaker", true, 400, mqttPacket(0x32, mqttText(commandTopic), []byte{0, 1}, make([]byte, 15_000)))
}

func (a *attacker) sayNothing() {
	for range 500 {
		a.dial(false)
	}
}

func (a *attacker) flood() {
	var all sync.WaitGroup
	p := bytes.Repeat(mqttPacket(0x30, mqttText(commandTopic), []byte(`{"id":"x","from":"me"}`)), 100)
	for i := range 8 {
		all.Go(func() { a.send(fmt.Sprint("flood-", i), true, 1000, p) })
	}
	time.AfterFunc(2*time.Second, a.end)
	all.Wait()
}

func (a *attacker) guess() {
	for i := range 1000 {
		if c := a.dial(true); c != nil {
			_, _ = c.Write(mqttConnect(fmt.Sprint("guess-", i), "hall-1", fmt.Sprint("guess-", i), false))
		}
	}
}

const commandTopic = "reversi/v1/reversi-1/cmd/player/resign"

// mqttAttack is what was tried against the embedded broker, bounded in number and time.
type mqttAttack struct {
	name string
	run  func(a *attacker)
}

func mqttAttacks() []mqttAttack {
	return []mqttAttack{
		{"64 and more retained commands of 60 kB", (*attacker).retainLarge},
		{"10,000 retained commands", (*attacker).retainMany},
		{"50,000 subscriptions", (*attacker).subscribe},
		{"300 sessions of clients that leave, and messages for them", (*attacker).leaveSessions},
		{"readers that acknowledge nothing, or do not even read", (*attacker).acknowledgeNothing},
		{"500 silent connections", (*attacker).sayNothing},
		{"a flood of commands", (*attacker).flood},
		{"1,000 guessed passwords", (*attacker).guess},
	}
}

// mqttArbiter is a client that was there before the attack: it gives orders and hears
// of events.
type mqttArbiter struct {
	t       *testing.T
	client  paho.Client
	answers chan []byte
	lost    chan error
	n       int
}

func newMQTTArbiter(t *testing.T, address, password string) *mqttArbiter {
	t.Helper()
	a := &mqttArbiter{t: t, answers: make(chan []byte, 1000), lost: make(chan error, 1)}
	o := paho.NewClientOptions().AddBroker("tcp://" + address).SetClientID("desk").SetProtocolVersion(4).SetAutoReconnect(false).
		SetConnectionLostHandler(func(_ paho.Client, err error) { a.lost <- err })
	if password != "" {
		o.SetUsername("hall-1").SetPassword(password)
	}
	a.client = paho.NewClient(o)
	for _, k := range []func() paho.Token{
		a.client.Connect,
		func() paho.Token {
			return a.client.Subscribe("reversi/v1/reversi-1/resp/desk", 1, func(_ paho.Client, m paho.Message) { a.answers <- m.Payload() })
		},
	} {
		if token := k(); !token.WaitTimeout(patience) || token.Error() != nil {
			t.Fatal(token.Error())
		}
	}
	t.Cleanup(func() { a.client.Disconnect(0) })
	return a
}

// order gives an order and returns how long the answer took.
func (a *mqttArbiter) order(name string) time.Duration {
	a.t.Helper()
	a.n++
	begin := time.Now()
	a.client.Publish("reversi/v1/reversi-1/cmd/arbiter/"+name, 1, false, fmt.Sprintf(`{"id":"%d","from":"desk"}`, a.n))
	for {
		select {
		case text := <-a.answers:
			if strings.Contains(string(text), fmt.Sprintf(`"id":"%d"`, a.n)) {
				if !strings.Contains(string(text), `"status":"ok"`) {
					a.t.Errorf("the arbiter is answered %s", text)
				}
				return time.Since(begin)
			}
		case err := <-a.lost:
			a.t.Fatalf("the arbiter is thrown off: %v", err)
		case <-time.After(patience):
			a.t.Fatalf("the arbiter is not answered within %v", patience)
		}
	}
}

// figure reads a figure of a process, such as VmHWM in kB.
func (p *process) figure(name string) int {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
	if err != nil {
		p.t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+)`).FindSubmatch(text)
	if m == nil {
		p.t.Fatalf("no %s in %s", name, text)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// limitsOf returns MemoryMax in bytes and TasksMax of the unit of the Debian package.
func limitsOf(t *testing.T) (memory, tasks int) {
	t.Helper()
	f, err := os.Open(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "MemoryMax=%dM", &memory); err == nil {
			memory <<= 20
		}
		_, _ = fmt.Sscanf(lines.Text(), "TasksMax=%d", &tasks) // most lines are others
	}
	if memory == 0 || tasks == 0 {
		t.Fatalf("the unit says MemoryMax %d, TasksMax %d", memory, tasks)
	}
	return memory, tasks
}

// times are how long something took each time.
type times []time.Duration

func (l times) String() string {
	s := slices.Sorted(slices.Values(l))
	return fmt.Sprintf("median %v, longest %v", s[len(s)/2].Round(time.Millisecond), s[len(s)-1].Round(time.Millisecond))
}

// checkTimes fails the test if something takes much longer beside an attack than
// without. What the attackers themselves take from the processor is not ours.
func checkTimes(t *testing.T, what string, quiet, beside times) {
	t.Helper()
	t.Logf("%s: %v, without attack %v", what, beside, quiet)
	longest := slices.Max(quiet)
	if s := slices.Sorted(slices.Values(beside)); s[len(s)/2] > longest+500*time.Millisecond || s[len(s)-1] > longest+5*time.Second {
		t.Errorf("%s takes too long: %v, without attack %v", what, beside, quiet)
	}
}

// Whatever clients do to the embedded broker, within the limits of the unit: the board
// stays connected, moves take no longer, an arbiter's orders from the page and over MQTT
// are carried out, memory has an end, and the log stays short.
func TestGameGoesOnWhileTheEmbeddedBrokerIsAttacked(t *testing.T) {
	memory, tasks := limitsOf(t)
	const password = "kT3m-Jw8q-Zp5r" //nolint:gosec // of this test alone
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, strings.TrimSuffix(embedded, "}")+fmt.Sprintf(", username: hall-1, password_file: %q}", file), quick)
	t.Setenv(underUnit, unitFile)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	w.until(patience, "the board is connected", func(w *watch) bool { return w.view.Connections["broker"] == "connected" })
	desk := newMQTTArbiter(t, address(b.broker), password)
	plies := theFinal(t).plies(t, 60)
	measure := func(n int) (moves, page, orders times) {
		for range n {
			begin := time.Now()
			p.play(w, plies[0])
			moves, plies = append(moves, time.Since(begin)), plies[1:]
			begin = time.Now()
			if r := p.order("identify", nil); r.Status != "ok" {
				t.Errorf("an order from the page is answered %+v", r)
			}
			page = append(page, time.Since(begin))
			orders = append(orders, desk.order("identify"))
		}
		return moves, page, orders
	}
	quietMoves, quietPage, quietOrders := measure(6)
	lines := strings.Count(p.stderr.String(), "\n")
	for _, attack := range mqttAttacks() {
		t.Run(attack.name, func(t *testing.T) {
			a := &attacker{address: address(b.broker), password: password}
			defer a.end()
			var running sync.WaitGroup
			running.Go(func() { attack.run(a) })
			moves, page, orders := measure(5)
			running.Wait()
			checkTimes(t, "a move", quietMoves, moves)
			checkTimes(t, "an order from the page", quietPage, page)
			checkTimes(t, "an order over MQTT", quietOrders, orders)
			if state := w.look().Connections["broker"]; state != "connected" {
				t.Errorf("the board's connection is %q", state)
			}
			peak, threads := p.figure("VmHWM")<<10, p.figure("Threads")
			t.Logf("the most memory so far %d MB of %d, %d threads of %d", peak>>20, memory>>20, threads, tasks)
			if peak > memory/2 || threads > tasks/2 {
				t.Errorf("%d MB and %d threads, the unit allows %d and %d", peak>>20, threads, memory>>20, tasks)
			}
		})
	}
	if n := strings.Count(p.stderr.String(), "\n") - lines; n > 20 {
		t.Errorf("the attacks have made %d lines in the log:\n%s", n, p.stderr)
	}
	for _, said := range []string{"retain flag", "too many subscriptions", "connection refused", "wrong user name or password"} {
		if !strings.Contains(p.stderr.String(), said) {
			t.Errorf("the log does not say %q:\n%s", said, p.stderr)
		}
	}
}

// Without file handles what happens is still published: the journal's file is open, and
// the board is connected. Nobody new can connect, and that is a line in the log.
func TestEventsGoOutWithoutFileHandles(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, quick)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	desk := newMQTTArbiter(t, address(b.broker), "")
	events := make(chan []byte, 1000)
	k := desk.client.Subscribe("reversi/v1/reversi-1/event", 1, func(_ paho.Client, m paho.Message) { events <- m.Payload() })
	if !k.WaitTimeout(patience) || k.Error() != nil {
		t.Fatal(k.Error())
	}
	hears := func(kind string) {
		t.Helper()
		for {
			select {
			case text := <-events:
				if decode[event](t, text).Type == kind {
					return
				}
			case <-time.After(patience):
				t.Fatalf("%s is not published; the page says %+v, the log\n%s", kind, w.look().Connections, p.stderr)
			}
		}
	}
	desk.order("pause")
	hears("paused")
	var before unix.Rlimit
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 4096}, &before); err != nil {
		t.Fatal(err)
	}
	for range 4 { // ten orders may come at once
		desk.order("resume")
		hears("resumed")
		desk.order("pause")
		hears("paused")
	}
	if strings.Contains(p.stderr.String(), "read the journal") {
		t.Errorf("the log says\n%s", p.stderr)
	}
	if said := w.look().Connections; said["journal"] != "ok" || said["broker"] != "connected" {
		t.Errorf("the page says %+v", said)
	}
	before.Max = 4096
	before.Cur = min(before.Cur, before.Max)
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &before, nil); err != nil {
		t.Fatal(err)
	}
}
