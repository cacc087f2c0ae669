package mqtt

import (
	"bytes"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// keep publishes n retained commands of a size, as a program would that does it by
// mistake or for harm.
func keep(t *testing.T, s server, n, size int) {
	t.Helper()
	c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + s.address()).SetClientID("keeper").
		SetUsername("test").SetPassword("test").SetProtocolVersion(4).SetAutoReconnect(false))
	if k := c.Connect(); !k.WaitTimeout(patience) || k.Error() != nil {
		t.Fatal(k.Error())
	}
	defer c.Disconnect(0)
	var tokens []paho.Token
	for i := range n {
		tokens = append(tokens, c.Publish(fmt.Sprintf("%scmd/arbiter/x%c%c%c", base, 'a'+i%26, 'a'+i/26%26, 'a'+i/676), 1, true, make([]byte, size)))
	}
	for _, k := range tokens {
		if !k.WaitTimeout(patience) || k.Error() != nil {
			t.Fatal(k.Error())
		}
	}
}

// However much is retained on the board's command topics, the board is online soon, all
// with one connection, clears it, tells of it, and carries out none of it.
func TestBoardGetsPastRetainedCommands(t *testing.T) {
	foreign(t, func(t *testing.T, s server) {
		keep(t, s, 64, 60_000)
		small := 3000
		if _, isNATS := s.(*spawned); isNATS && strings.HasSuffix(t.Name(), "NATS") {
			small = 300 // it syncs each to the disk
		}
		keep(t, s, small, 300)
		log := new(lockedBuffer)
		o := secret(options(s.address(), newJournal(3)))
		o.Logger = slog.New(slog.NewTextHandler(log, nil))
		begin := time.Now()
		a := start(t, o)
		online(t, a)
		took := time.Since(begin)
		w := watch(t, s.address(), base+"alert/"+alertRetained)
		eventually(t, "the alert is up", func() bool { return w.last(base+"alert/"+alertRetained).payload != "" })
		eventually(t, "all are cleared", func() bool {
			a.box.mu.Lock()
			defer a.box.mu.Unlock()
			return len(a.box.clears) == 0
		})
		t.Logf("online after %v, all cleared after %v", took, time.Since(begin))
		rest := watch(t, s.address(), base+"cmd/#")
		for _, r := range rest.on(base + "cmd/arbiter/xaaa") {
			t.Errorf("still there: %s", r.topic)
		}
		rest.mu.Lock()
		for _, r := range rest.all {
			if strings.Contains(r.topic, "/cmd/") && r.payload != "" {
				t.Errorf("still there: %s", r.topic)
				break
			}
		}
		rest.mu.Unlock()
		if st := a.Status(); st.Connections != 1 || st.Drops != 0 {
			t.Errorf("status %+v", st)
		}
		select {
		case r := <-a.Commands():
			t.Errorf("executed: %+v", r)
		default:
		}
		if n := strings.Count(log.String(), "\n"); n > 10 {
			t.Errorf("%d lines in the log:\n%.3000s", n, log)
		}
	})
}

// A broker that cuts the board off whenever it subscribes to all its commands, because
// it cannot take fast enough what is retained there, does not keep it away: the board
// asks for one topic after another, and takes commands.
func TestBrokerThatCutsTheBoardOffAtSubscribing(t *testing.T) {
	s := newMosquitto(t)
	p := newProxy(t, s.addr)
	p.set(func(p *proxy) {
		p.up = func(f frame) verdictOn {
			if f.kind() == 8 && bytes.Contains(f, []byte(base+"cmd/#")) {
				return cut
			}
			return pass
		}
	})
	topic := base + "cmd/arbiter/new"
	publish(t, s.addr, topic, `{"id":"old","from":"desk-1"}`, true)
	o := secret(options(p.addr, newJournal(3)))
	o.Tuning.BackoffMax = 20 * time.Millisecond
	a := start(t, o)
	online(t, a)
	eventually(t, "what is retained on a topic that it knows is cleared", func() bool { return retained(t, s.addr, topic).payload == "" })
	publish(t, s.addr, base+"cmd/ops/identify", `{"id":"1","from":"desk-1"}`, false)
	publish(t, s.addr, "reversi/v1/_all/cmd/ops/pause", `{"id":"2","from":"desk-1"}`, false)
	for _, name := range []string{"identify", "pause"} {
		select {
		case r := <-a.Commands():
			if r.Name != name {
				t.Errorf("got %s, want %s", r.Name, name)
			}
		case <-time.After(patience):
			t.Fatalf("%s does not arrive", name)
		}
	}
}

// While many events wait they go one after another at a pace that subscribers can
// follow; a game alone is not slowed down.
func TestDrainIsPaced(t *testing.T) {
	b := newFakeBroker(t, politely)
	j := newJournal(drainBurst + 100)
	o := options(b.addr, j)
	o.Tuning.Drain = 5 * time.Millisecond
	begin := time.Now()
	a := start(t, o)
	online(t, a)
	if took := time.Since(begin); took < 90*o.Tuning.Drain || j.Acked() != drainBurst+100 {
		t.Errorf("%d events have gone after %v, want %d in no less than %v", j.Acked(), took, drainBurst+100, 90*o.Tuning.Drain)
	}
	begin = time.Now()
	play(a, j, 20)
	eventually(t, "the moves have gone", func() bool { return j.Acked() == drainBurst+120 })
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("20 moves took %v", took)
	}
}

// A broker that is away for a minute is one line in the log, whatever else goes wrong
// with it, and however often it is tried.
func TestAbsentBrokerIsOneLineAMinute(t *testing.T) {
	p := newProxy(t, freeAddr(t)) // nobody is behind it
	log := new(lockedBuffer)
	o := options(p.addr, newJournal(3))
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	o.Tuning.BackoffMax = 2 * time.Millisecond
	a := start(t, o)
	eventually(t, "it has been tried many times", func() bool { return p.connections() > 30 })
	p.set(func(p *proxy) { p.refuse = true })
	eventually(t, "and more", func() bool { return p.connections() > 60 })
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "not connected") {
		t.Errorf("%d lines:\n%s", n, log)
	}
	if st := a.Status(); st.Problem == "" {
		t.Errorf("status %+v does not say why", st)
	}
}

// A flood of commands for one role neither drops nor delays those for another.
func TestInboxIsFair(t *testing.T) {
	b := newInbox(board)
	for range 3000 {
		b.put(incomingMessage{topic: base + "cmd/player/resign", payload: make([]byte, 7<<10)})
	}
	for _, topic := range []string{base + "cmd/arbiter/pause", base + "availability"} {
		if !b.put(incomingMessage{topic: topic, payload: []byte("x")}) {
			t.Errorf("no room for %s", topic)
		}
	}
	if b.bytes > inboxBytes+2 {
		t.Errorf("%d bytes wait", b.bytes)
	}
	var got []string
	for range 4 {
		m, _ := b.take()
		got = append(got, strings.TrimPrefix(m.topic, base))
	}
	if want := "cmd/player/resign cmd/arbiter/pause availability cmd/player/resign"; strings.Join(got, " ") != want {
		t.Errorf("taken in the order %q, want %s", got, want)
	}
	n := 4
	for m, ok := b.take(); ok; m, ok = b.take() {
		if len(m.payload) != 7<<10 {
			t.Fatal("a message is damaged")
		}
		n++
	}
	if n > inboxSize+2 || b.bytes != 0 || len(b.queues) != 0 {
		t.Errorf("%d messages, then %d bytes and %d queues are left", n, b.bytes, len(b.queues))
	}
}

// What is refused to a flood does not delay the answer to what was carried out.
func TestRefusalsGoLast(t *testing.T) {
	b := newBox()
	b.once(message{"resp/flood", []byte("1")}, true)
	b.clear("cmd/x")
	b.once(message{"resp/desk-1", []byte("2")}, false)
	var got []string
	for {
		m, _, ok := b.nextOnce()
		if !ok {
			break
		}
		got = append(got, m.topic)
		b.sentOnce(m)
	}
	if want := "resp/desk-1 cmd/x resp/flood"; strings.Join(got, " ") != want {
		t.Errorf("sent %q, want %s", got, want)
	}
}

// With the settings for Mosquitto that we ship, a subscriber that is away, or slow, while
// the board sends what has happened in an outage gets all of it afterwards.
func TestSlowSubscriberOfMosquittoMissesNothing(t *testing.T) {
	const n = 12000
	s := newMosquitto(t)
	_, port, _ := strings.Cut(s.addr, ":")
	sub := func(args ...string) string {
		args = append([]string{"-p", port, "-u", "test", "-P", "test", "-c", "-i", "slow", "-q", "1", "-t", base + "event"}, args...)
		out, err := exec.CommandContext(t.Context(), "mosquitto_sub", args...).Output()
		if err != nil {
			t.Fatalf("mosquitto_sub: %v", err)
		}
		return string(out)
	}
	sub("-E") // it only subscribes
	j := newJournal(n)
	a := start(t, secret(options(s.addr, j)))
	eventually(t, "the outbox is empty", func() bool { return a.Status().Outbox == 0 })
	lines := strings.Split(strings.TrimSpace(sub("-C", fmt.Sprint(n), "-W", "20")), "\n")
	for i, line := range lines {
		if !strings.Contains(line, fmt.Sprintf(`"seq":%d,`, i+1)) {
			t.Fatalf("message %d is %s", i+1, line)
		}
	}
	if len(lines) != n {
		t.Errorf("%d events have arrived, want %d", len(lines), n)
	}
}
