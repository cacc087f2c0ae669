package mqtt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The order of the contract: subscribe, meta, outbox, state and the other
// retained topics, alerts, online last.
func TestSequenceAfterConnect(t *testing.T) {
	ready := make(chan struct{})
	b := newFakeBroker(t, func(f frame) []byte {
		if f.kind() == 1 {
			<-ready
		}
		return politely(f)
	})
	j := newJournal(3)
	j.acked = 1
	o := options(b.addr, j)
	o.Password = "secret"
	a, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	a.Alert("led", []byte(`{"code":"led"}`))
	a.Show(Health, []byte(`{"cells":""}`))
	a.Show(Clock, []byte(`{"mode":"none"}`))
	a.State(stateAt(3, "idle"), 3)
	close(ready)
	online(t, a)
	var topics []string
	var last frame
	for i, f := range b.packets() {
		switch {
		case i == 0:
			checkConnect(t, f)
		case i == 1 && f.kind() != 8:
			t.Errorf("second packet of kind %d, want SUBSCRIBE", f.kind())
		case f.kind() == 3:
			topic, _, payload := f.publication()
			if len(payload) == 0 {
				continue // alerts of an earlier run being cleared
			}
			wantRetain := topic != base+"event"
			if f[0]&1 == 1 != wantRetain || f[0]&6 != 2 {
				t.Errorf("%s: first byte %#02x", topic, f[0])
			}
			topics = append(topics, strings.TrimPrefix(topic, base))
			last = f
		}
	}
	want := []string{"meta", "event", "event", "state", "clock", "sensor/health", "alert/led", "availability"}
	if i := slices.Index(topics, "availability"); i < 0 || !slices.Equal(topics[:i+1], want) {
		t.Errorf("published %v, want %v", topics, want)
	}
	var av map[string]any
	if _, _, p := last.publication(); json.Unmarshal(p, &av) != nil || av["state"] != "online" || av["boot"] != 3.0 || av["reason"] != nil || av["session"] != a.Status().Session {
		t.Errorf("availability %v", av)
	}
	if err := a.Close(t.Context(), "update"); err != nil {
		t.Fatal(err)
	}
	checkGoodbye(t, b)
}

// checkGoodbye: the last words are offline with the reason, and DISCONNECT.
func checkGoodbye(t *testing.T, b *fakeBroker) {
	t.Helper()
	eventually(t, "the broker has read DISCONNECT", func() bool { all := b.packets(); return all[len(all)-1].kind() == 14 })
	all := b.packets()
	topic, _, p := all[len(all)-2].publication()
	if topic != base+"availability" || !bytes.Contains(p, []byte(`"state":"offline"`)) || !bytes.Contains(p, []byte(`"reason":"update"`)) {
		t.Errorf("goodbye on %s: %s", topic, p)
	}
}

// checkConnect checks the options in the bytes of CONNECT (section 3.1).
func checkConnect(t *testing.T, f frame) {
	t.Helper()
	b := f.body()
	if !bytes.HasPrefix(b, []byte("\x00\x04MQTT\x04")) {
		t.Errorf("CONNECT %q: not MQTT 3.1.1", b)
	}
	// User name, password, will retained with QoS 1, clean session.
	if b[7] != 0x80|0x40|0x20|0x08|0x04|0x02 {
		t.Errorf("connect flags %#02x", b[7])
	}
	if b[8] != 0 || b[9] != 10 {
		t.Errorf("keep alive %d %d, want 10 s", b[8], b[9])
	}
	// The id begins with that of the board and goes on with what nobody can guess.
	id := b[12 : 12+binary.BigEndian.Uint16(b[10:])]
	if !bytes.HasPrefix(id, []byte(board+"-")) || len(id) < len(board)+13 || len(id) > 23 ||
		!bytes.HasPrefix(b[12+len(id):], []byte("\x00\x1e"+base+"availability")) {
		t.Errorf("CONNECT %q: want client id and will topic", b)
	}
	if !bytes.Contains(b, []byte(`"state":"offline"`)) || !bytes.HasSuffix(b, []byte("\x00\x06"+board+"\x00\x06secret")) {
		t.Errorf("CONNECT %q: want will, user name and password", b)
	}
}

func TestMetaTellsWhatThereIs(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(30)
	j.drop(10)
	j.acked = 30
	a := start(t, secret(options(s.addr, j)))
	online(t, a)
	m := retained(t, s.addr, base+"meta")
	for field, want := range map[string]any{
		"v": 1.0, "board": board, "name": "Board 7 (Hall A) #+/é", "sw": "1.0", "hw": "hall-128",
		"jid": j.JID(), "first_seq": 10.0, "last_seq": 30.0, "heartbeat_s": 60.0,
	} {
		if got := m.field(field); got != want {
			t.Errorf("meta.%s = %v, want %v", field, got, want)
		}
	}
	commands, _ := m.field("commands").(map[string]any)
	if fmt.Sprint(commands["player"]) != "[undo agree decline resign claim pass press hint]" {
		t.Errorf("meta.commands = %v", commands)
	}
}

// Nothing that happens before the first connection is lost.
func TestBoardStartsBeforeTheBroker(t *testing.T) {
	brokers(t, func(t *testing.T, s server) {
		w := watch(t, s.address(), "reversi/v1/#")
		p := newProxy(t, s.address())
		p.set(func(p *proxy) { p.refuse = true })
		j := newJournal(0)
		a := start(t, secret(options(p.addr, j)))
		play(a, j, 10)
		eventually(t, "some attempts have failed", func() bool { return p.connections() > 3 })
		if st := a.Status(); st.Connected || st.Outbox != 10 || st.Problem == "" {
			t.Errorf("status without a broker: %+v", st)
		}
		p.set(func(p *proxy) { p.refuse = false })
		eventually(t, "online arrives", func() bool { return w.last(base+"availability").field("state") == "online" })
		w.mu.Lock()
		defer w.mu.Unlock()
		var order []string
		for _, r := range w.all {
			if r.topic == base+"event" || r.topic == base+"state" || r.topic == base+"availability" {
				order = append(order, fmt.Sprint(strings.TrimPrefix(r.topic, base), r.seq()))
			}
		}
		want := []string{"event1", "event2", "event3", "event4", "event5", "event6", "event7", "event8", "event9", "event10", "state10", "availability0"}
		if !slices.Equal(order, want) {
			t.Errorf("arrived %v, want %v", order, want)
		}
	})
}

// hub is a consumer as the contract describes it: it keeps the last seq and
// drops what it has.
type hub struct {
	last    uint64
	repeats int
	gaps    int
}

func (h *hub) take(r received) {
	seq := r.seq()
	switch {
	case seq <= h.last:
		h.repeats++
	case seq == h.last+1:
		h.last = seq
	default:
		h.gaps++
	}
}

// cutter cuts a connection instead of passing every third PUBACK of an event on,
// and knows which events have been acknowledged to the board.
type cutter struct {
	limit    int
	inFlight map[uint16]uint64
	done, n  int

	mu   sync.Mutex
	told map[uint64]bool
}

func (c *cutter) up(f frame) verdictOn {
	if f.kind() != 3 {
		return pass
	}
	topic, id, payload := f.publication()
	delete(c.inFlight, id)
	if topic == base+"event" {
		c.inFlight[id] = received{payload: string(payload)}.seq()
	}
	return pass
}

func (c *cutter) down(f frame) verdictOn {
	if f.kind() != 4 {
		return pass
	}
	seq := c.inFlight[uint16(f.body()[0])<<8|uint16(f.body()[1])]
	if seq == 0 {
		return pass
	}
	if c.n++; c.n%3 == 0 && c.done < c.limit {
		c.done++
		return cut
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[seq] = true
	return pass
}

func (c *cutter) wasTold(seq uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told[seq]
}

// A hundred connections die just before a PUBACK arrives. The broker has the
// event, the board does not know it: it sends it again, and its cursor never
// says more than the broker has told it.
func TestCutsBeforePuback(t *testing.T) {
	const cuts = 100
	brokers(t, func(t *testing.T, s server) {
		w := watch(t, s.address(), base+"event")
		p := newProxy(t, s.address())
		j := newJournal(0)
		c := &cutter{limit: cuts, told: make(map[uint64]bool), inFlight: make(map[uint16]uint64)}
		p.up, p.down = c.up, c.down
		j.onAck = func(seq uint64) {
			if !c.wasTold(seq) {
				t.Errorf("the cursor says %d, the broker has not acknowledged it", seq)
			}
		}
		o := secret(options(p.addr, j))
		o.Tuning.BackoffMax = 5 * time.Millisecond
		a := start(t, o)
		const events = 250
		for range events {
			play(a, j, 1)
		}
		// A hundred connections take as long as the machine is busy: what counts is that
		// it goes on.
		for some := uint64(10); some <= events; some += 10 {
			eventually(t, fmt.Sprintf("%d events are acknowledged", some), func() bool { return j.Acked() >= some })
		}
		eventually(t, "everything has arrived", func() bool { return w.last(base+"event").seq() == events })
		h := &hub{}
		for _, r := range w.on(base + "event") {
			h.take(r)
		}
		if h.last != events || h.gaps > 0 {
			t.Errorf("consumer is at %d of %d with %d gaps", h.last, events, h.gaps)
		}
		if c.done != cuts || h.repeats < cuts/2 {
			t.Errorf("%d cuts, %d repeats: this test shows nothing", c.done, h.repeats)
		}
		t.Logf("%d cuts, %d connections, %d repeats, %d gaps", c.done, a.Status().Connections, h.repeats, h.gaps)
		online(t, a)
		if r := retained(t, s.address(), base+"state"); r.seq() != events {
			t.Errorf("retained state is at %d, the last event is %d", r.seq(), events)
		}
	})
}

// A silent hole: the network swallows everything for a while.
func TestSilentHole(t *testing.T) {
	s := newMosquitto(t)
	w := watch(t, s.addr, base+"event")
	p := newProxy(t, s.addr)
	j := newJournal(0)
	o := secret(options(p.addr, j))
	o.Tuning.Token = 300 * time.Millisecond
	a := start(t, o)
	online(t, a)
	hole := func(frame) verdictOn { return swallow }
	p.set(func(p *proxy) { p.up, p.down = hole, hole })
	for range 50 {
		play(a, j, 1)
	}
	before := p.connections()
	eventually(t, "the connection is given up", func() bool { return p.connections() > before })
	p.set(func(p *proxy) { p.up, p.down = nil, nil })
	p.cutAll()
	eventually(t, "everything has arrived", func() bool { return w.last(base+"event").seq() == 50 })
	h := &hub{}
	for _, r := range w.on(base + "event") {
		h.take(r)
	}
	if h.last != 50 || h.gaps > 0 {
		t.Errorf("consumer is at %d with %d gaps", h.last, h.gaps)
	}
	online(t, a)
	eventually(t, "the state has arrived", func() bool { return retained(t, s.addr, base+"state").seq() == 50 })
}

// The broker dies ten times, without storage, and each time comes back with
// nothing: everything is there again, and commands work.
func TestBrokerRestartedTenTimes(t *testing.T) {
	brokers(t, func(t *testing.T, s server) {
		j := newJournal(0)
		a := start(t, secret(options(s.address(), j)))
		var answered sync.WaitGroup
		answered.Go(func() {
			for r := range a.Commands() {
				r.Reply(Response{Seq: j.LastSeq()})
			}
		})
		a.Alert("led", []byte(`{"code":"led"}`))
		var slowest time.Duration
		for i := range 10 {
			s.down(t)
			eventually(t, "the board notices", func() bool { return !a.Status().Online })
			play(a, j, 3)
			s.up(t)
			begin := time.Now()
			online(t, a)
			slowest = max(slowest, time.Since(begin))
			w := watch(t, s.address(), "reversi/v1/#")
			for topic, want := range map[string]string{"availability": `"state":"online"`, "meta": `"board"`, "state": fmt.Sprintf(`"seq":%d`, j.LastSeq()), "alert/led": "led"} {
				if r := w.last(base + topic); !r.retained || !strings.Contains(r.payload, want) {
					t.Errorf("restart %d: %s is %+v, want %s", i, topic, r, want)
				}
			}
			publish(t, s.address(), base+"cmd/ops/identify", fmt.Sprintf(`{"id":"%d","from":"desk-1"}`, i), false)
			eventually(t, "identify is answered", func() bool {
				r := w.last(base + "resp/desk-1")
				return r.field("status") == "ok" && r.field("id") == fmt.Sprint(i)
			})
			w.stop()
		}
		if j.Acked() != 30 {
			t.Errorf("acknowledged %d of 30", j.Acked())
		}
		t.Logf("online at most %v after the broker's return", slowest)
		_ = a.Close(t.Context(), "shutdown")
		answered.Wait()
	})
}

// What a consumer misses while it is away, it gets by asking; the answer says
// that these are repeats.
func TestReplay(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(700)
	j.acked = 700
	o := secret(options(s.addr, j))
	o.Tuning.Replay = 2 * time.Millisecond
	a := start(t, o)
	go func() {
		for r := range a.Commands() {
			r.Reply(Response{Seq: j.LastSeq()})
		}
	}()
	online(t, a)
	w := watch(t, s.addr, "reversi/v1/#")
	publish(t, s.addr, base+"cmd/hub/replay", `{"id":"1","from":"hub","args":{"from":101,"to":600}}`, false)
	eventually(t, "the last one arrives", func() bool { return w.last(base+"event").seq() == 600 })
	got := w.on(base + "event")
	for i, r := range got {
		if r.seq() != uint64(101+i) || r.field("replay") != true || r.field("data") == nil {
			t.Fatalf("event %d of the replay: %s", i, r.payload)
		}
	}
	if len(got) != 500 {
		t.Errorf("%d events", len(got))
	}
	if r := w.on(base + "resp/hub"); len(r) != 1 || r[0].field("status") != "ok" || r[0].field("code") != nil {
		t.Errorf("answers %v", r)
	}
	if j.Acked() != 700 {
		t.Errorf("a replay moved the cursor to %d", j.Acked())
	}
	// A live event does not wait for a replay.
	publish(t, s.addr, base+"cmd/hub/replay", `{"id":"2","from":"hub","args":{"from":201,"to":700}}`, false)
	eventually(t, "the replay has begun", func() bool { return len(w.on(base+"event")) > 500 })
	play(a, j, 1)
	index := func(seq uint64) int {
		return slices.IndexFunc(w.on(base+"event"), func(r received) bool { return r.seq() == seq })
	}
	eventually(t, "the live event and the end of the replay arrive", func() bool { return index(701) >= 0 && index(700) >= 0 })
	if index(701) > index(700) {
		t.Error("the live event came after the replay")
	}
	if live := w.on(base + "event")[index(701)]; live.field("replay") != false {
		t.Errorf("live event %s", live.payload)
	}
}

// 50 per second is what a replay may take.
func TestReplayIsPaced(t *testing.T) {
	b := newFakeBroker(t, politely)
	j := newJournal(20)
	j.acked = 20
	o := options(b.addr, j)
	o.Tuning.Replay = 20 * time.Millisecond
	a := start(t, o)
	online(t, a)
	if !a.replay(ReplayArgs{1, 20}) {
		t.Fatal("no room for a replay")
	}
	begin := time.Now()
	eventually(t, "all are sent again", func() bool {
		n := 0
		for _, f := range b.packets() {
			if f.kind() == 3 {
				if topic, _, _ := f.publication(); topic == base+"event" {
					n++
				}
			}
		}
		return n == 20
	})
	if d := time.Since(begin); d < 19*20*time.Millisecond {
		t.Errorf("20 events in %v", d)
	}
}

// Retained availability is right after a death, a clean stop, and a reconnect,
// for somebody who asks afterwards.
func TestAvailability(t *testing.T) {
	brokers(t, func(t *testing.T, s server) {
		state := func() (string, any) {
			r := retained(t, s.address(), base+"availability")
			word, _ := r.field("state").(string)
			return word, r.field("reason")
		}
		board := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this very test binary
		board.Env = append(os.Environ(), childURL+"="+s.address())
		board.Stderr = os.Stderr
		if err := board.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the board is online", func() bool { st, _ := state(); return st == "online" })
		begin := time.Now()
		_ = board.Process.Kill()
		_ = board.Wait()
		eventually(t, "offline after kill -9", func() bool { st, _ := state(); return st == "offline" })
		t.Logf("offline %v after kill -9", time.Since(begin))

		o := secret(options(s.address(), newJournal(0)))
		a, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		online(t, a)
		// NATS acknowledges a retained message a moment before others are given it.
		eventually(t, "online after the restart", func() bool { st, _ := state(); return st == "online" })
		if err := a.Close(t.Context(), "shutdown"); err != nil {
			t.Fatal(err)
		}
		left := func() bool { st, reason := state(); return st == "offline" && reason == "shutdown" }
		eventually(t, "offline after a clean stop", left)

		ctx, cancel := context.WithCancel(t.Context())
		a, err = Start(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		online(t, a)
		cancel()
		<-a.Done()
		eventually(t, "offline after the context ended", left)
		_ = a.Close(context.Background(), "again") //nolint:usetesting // must not block either
	})
}

// The late will of a dead predecessor, or a stranger, says offline: the board
// is online again at once, but not in a duel.
func TestForeignAvailability(t *testing.T) {
	s := newMosquitto(t)
	o := secret(options(s.addr, newJournal(0)))
	o.Tuning.Foreign = 500 * time.Millisecond
	o.Tuning.DuplicateKept = 300 * time.Millisecond
	a := start(t, o)
	online(t, a)
	w := watch(t, s.addr, "reversi/v1/#")
	said := func() int {
		return len(slices.DeleteFunc(w.on(base+"availability"), func(r received) bool { return r.field("session") != a.Status().Session }))
	}
	n := said()
	begin := time.Now()
	publish(t, s.addr, base+"availability", `{"v":1,"state":"offline","session":"01OLD","boot":2,"reason":null}`, true)
	eventually(t, "online again", func() bool { return said() == n+1 })
	if d := time.Since(begin); d > 400*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
	for range 5 {
		publish(t, s.addr, base+"availability", `{"v":1,"state":"offline","session":"01OLD"}`, true)
	}
	eventually(t, "online again", func() bool { return said() == n+2 })
	if d := time.Since(begin); d < 500*time.Millisecond {
		t.Errorf("answered twice within %v", d)
	}
	if r := w.on(base + "alert/" + alertDuplicate); len(r) != 0 {
		t.Errorf("an offline is no second board: %v", r)
	}
	publish(t, s.addr, base+"availability", `{"v":1,"state":"online","session":"01OTHER"}`, false)
	eventually(t, "the alert is up", func() bool { return w.last(base+"alert/"+alertDuplicate).field("code") == alertDuplicate })
	eventually(t, "the alert goes away", func() bool { return w.last(base+"alert/"+alertDuplicate).payload == "" })
}

func TestAvailabilityIsRepeated(t *testing.T) {
	b := newFakeBroker(t, politely)
	o := options(b.addr, newJournal(0))
	o.Tuning.Heartbeat = 50 * time.Millisecond
	start(t, o)
	eventually(t, "online is published five times", func() bool {
		n := 0
		for _, f := range b.packets() {
			if f.kind() == 3 {
				if topic, _, p := f.publication(); topic == base+"availability" && bytes.Contains(p, []byte("online")) {
					n++
				}
			}
		}
		return n >= 5
	})
}

// Home Assistant has started: everything is published again, once.
func TestHomeAssistantStarts(t *testing.T) {
	s := newMosquitto(t)
	o := secret(options(s.addr, newJournal(0)))
	o.Discovery = []byte(`{"o":{"name":"x"}}`)
	o.Tuning.Refresh = 20 * time.Millisecond
	a := start(t, o)
	a.State(stateAt(0, "idle"), 0)
	online(t, a)
	w := watch(t, s.addr, "#")
	n := len(w.on(base + "state"))
	publish(t, s.addr, haStatus, "online", false)
	for _, topic := range []string{base + "state", base + "availability", "homeassistant/device/" + board + "/config"} {
		eventually(t, topic+" again", func() bool { return len(w.on(topic)) == n+1 })
	}
}

// A broker that answers pings and never acknowledges: every token has a limit,
// the connection is replaced, without a DISCONNECT so that the will is sent,
// and nobody who uses the adapter notices.
func TestBrokerThatNeverAcknowledges(t *testing.T) {
	b := newFakeBroker(t, func(f frame) []byte {
		if f.kind() == 3 {
			return nil
		}
		return politely(f)
	})
	j := newJournal(5)
	o := options(b.addr, j)
	o.Tuning.Token = 50 * time.Millisecond
	a := start(t, o)
	begin := time.Now()
	var slowest time.Duration
	for b.connections() < 12 {
		if time.Since(begin) > patience {
			t.Fatal("the connection is not replaced")
		}
		call := time.Now()
		play(a, j, 1)
		a.Alert("led", []byte("{}"))
		a.StorageFailed(false)
		a.Status()
		slowest = max(slowest, time.Since(call))
		time.Sleep(time.Millisecond)
	}
	if n := b.count(14); n > 0 {
		t.Errorf("DISCONNECT was sent %d times: the broker will not publish the will", n)
	}
	if j.Acked() != 0 {
		t.Errorf("the cursor moved to %d", j.Acked())
	}
	if slowest > 50*time.Millisecond {
		t.Errorf("a call took %v", slowest)
	}
	eventually(t, "old connections are closed", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.open <= 1
	})
	if p := a.Status().Problem; !strings.Contains(p, "does not acknowledge") {
		t.Errorf("problem %q", p)
	}
}

// Whatever a broker answers, the process lives, the connection is tried again
// with a pause, and the user can read why.
func TestBrokersThatMisbehave(t *testing.T) {
	suback := func(codes ...byte) func(frame) []byte {
		return func(f frame) []byte {
			if f.kind() == 8 {
				return append([]byte{0x90, byte(2 + len(codes)), f.body()[0], f.body()[1]}, codes...)
			}
			return politely(f)
		}
	}
	connack := func(b ...byte) func(frame) []byte { return func(frame) []byte { return b } }
	for _, tt := range []struct {
		name    string
		answer  func(frame) []byte
		problem string
	}{
		{"CONNACK 5", connack(0x20, 2, 0, 5), `refuses user "rv-b07"`},
		{"CONNACK 4", connack(0x20, 2, 0, 4), `refuses user "rv-b07"`},
		{"CONNACK 2", connack(0x20, 2, 0, 2), `refuses client id "rv-b07-`},
		{"CONNACK 1", connack(0x20, 2, 0, 1), "connect"},
		{"CONNACK 9", connack(0x20, 2, 0, 9), "MQTT 3.1.1"},
		{"all SUBACK codes 0x80", suback(0x80, 0x80, 0x80, 0x80), "give user \"rv-b07\" the right"},
		{"too many SUBACK codes", suback(1, 1, 1, 1, 1, 1), "MQTT 3.1.1"},
		{"too few SUBACK codes", suback(1), "MQTT 3.1.1"},
		{"no SUBACK code", suback(), "MQTT 3.1.1"},
		{"not MQTT", func(frame) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }, "connect"},
		{"an endless packet", connack(0x20, 0xFF, 0xFF, 0xFF, 0x7F), "connect"},
		{"a broken PUBLISH", func(f frame) []byte {
			if f.kind() == 3 {
				return []byte{0x32, 3, 0, 9, 'a'}
			}
			return politely(f)
		}, "MQTT 3.1.1"},
		{"PUBLISH with QoS 2", func(f frame) []byte {
			if f.kind() == 3 {
				return []byte{0x34, 5, 0, 1, 'a', 0, 1}
			}
			return politely(f)
		}, "MQTT 3.1.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newFakeBroker(t, tt.answer)
			o := options(b.addr, newJournal(3))
			o.Password = "secret"
			o.Tuning.Connect = 200 * time.Millisecond
			a := start(t, o)
			eventually(t, "several attempts", func() bool { return b.connections() >= 3 })
			if p := a.Status().Problem; !strings.Contains(p, tt.problem) {
				t.Errorf("problem %q, want %q in it", p, tt.problem)
			}
			if a.Status().Online {
				t.Error("the board believes to be online")
			}
		})
	}
}

// Home Assistant's status is worth a warning, not the connection.
func TestRefusedHomeAssistantStatusIsNoError(t *testing.T) {
	b := newFakeBroker(t, func(f frame) []byte {
		if f.kind() != 8 {
			return politely(f)
		}
		out := politely(f)
		rest := f.body()[2:]
		for i := 4; len(rest) > 0; i++ {
			n := int(rest[0])<<8 | int(rest[1])
			if string(rest[2:2+n]) == haStatus {
				out[i] = 0x80
			}
			rest = rest[3+n:]
		}
		return out
	})
	a := start(t, options(b.addr, newJournal(3)))
	online(t, a)
	if st := a.Status(); !strings.Contains(st.Problem, haStatus) {
		t.Errorf("status %+v", st)
	}
}

// 1000 commands in a second while the executor sleeps: the connection holds,
// every command is answered, and the executor gets no more than it is allowed.
func TestCommandFlood(t *testing.T) {
	brokers(t, func(t *testing.T, s server) {
		j := newJournal(0)
		a := start(t, secret(options(s.address(), j)))
		online(t, a)
		w := watch(t, s.address(), base+"resp/#")
		session := a.Status().Session
		release := make(chan struct{})
		executed := 0
		var executor sync.WaitGroup
		executor.Go(func() {
			<-release
			for r := range a.Commands() {
				executed++
				r.Reply(Response{Seq: 1})
			}
		})
		var lines strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&lines, "{\"id\":\"%d\",\"from\":\"desk-1\"}\n", i)
		}
		begin := time.Now()
		flood(t, s.address(), base+"cmd/ops/identify", lines.String())
		sent := time.Since(begin)
		eventually(t, "the excess is answered while the executor sleeps", func() bool { return len(w.on(base+"resp/desk-1")) >= 900 })
		close(release)
		eventually(t, "every command is answered", func() bool { return len(w.on(base+"resp/desk-1")) == 1000 })
		took := time.Since(begin)
		codes := make(map[string]int)
		ids := make(map[any]bool)
		for _, r := range w.on(base + "resp/desk-1") {
			code, _ := r.field("code").(string)
			codes[code]++
			ids[r.field("id")] = true
		}
		if len(ids) != 1000 || codes[""]+codes["rate_limited"]+codes["busy"] != 1000 {
			t.Errorf("%d ids, codes %v", len(ids), codes)
		}
		if limit := burst + rate*(1+int(took/time.Second)); codes[""] > limit || codes[""] < burst {
			t.Errorf("%d executed, want %d to %d", codes[""], burst, limit)
		}
		if st := a.Status(); st.Session != session || st.Drops != 0 {
			t.Errorf("status %+v, session before %s", st, session)
		}
		t.Logf("sent in %v, all answered after %v: %v", sent, took, codes)
		_ = a.Close(t.Context(), "shutdown")
		executor.Wait()
		if executed != codes[""] {
			t.Errorf("%d executed, %d answered ok", executed, codes[""])
		}
	})
}

// flood publishes lines as messages with QoS 1.
func flood(t *testing.T, addr, topic, lines string) {
	t.Helper()
	_, port, _ := strings.Cut(addr, ":")
	cmd := exec.CommandContext(t.Context(), "mosquitto_pub", "-p", port, "-u", "test", "-P", "test", "-q", "1", "-t", topic, "-l")
	cmd.Stdin = strings.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_pub: %v\n%s", err, out)
	}
}

// An executor that takes nothing gets at most what fits its queue; the rest is
// told that the board is busy, and may try again.
func TestBusyExecutor(t *testing.T) {
	b := newFakeBroker(t, politely)
	a := start(t, options(b.addr, newJournal(0)))
	online(t, a)
	for _, role := range []string{"ops", "hub", "arbiter"} {
		for i := range 10 {
			b.push(publishFrame(base+"cmd/"+role+"/identify", fmt.Sprintf(`{"id":"%d","from":"x"}`, i), false))
		}
	}
	eventually(t, "the rest is answered with busy", func() bool {
		n := 0
		for _, f := range b.packets() {
			if f.kind() == 3 && bytes.Contains(f, []byte(`"code":"busy"`)) {
				n++
			}
		}
		return n == 30-commandQueue
	})
}

// A command with the retain flag comes again with every connection. It is never
// executed, the topic is cleared, and somebody is told.
func TestRetainedCommand(t *testing.T) {
	foreign(t, func(t *testing.T, s server) {
		topic := base + "cmd/arbiter/new"
		publish(t, s.address(), topic, `{"id":"1","from":"desk-1"}`, true)
		j := newJournal(3)
		o := secret(options(s.address(), j))
		o.Tuning.AlertKept = 300 * time.Millisecond
		w := watch(t, s.address(), "reversi/v1/#")
		a := start(t, o)
		online(t, a)
		var r received
		eventually(t, "the alert is up", func() bool {
			i := slices.IndexFunc(w.on(base+"alert/"+alertRetained), func(r received) bool { return r.payload != "" })
			if i >= 0 {
				r = w.on(base + "alert/" + alertRetained)[i]
			}
			return i >= 0
		})
		for field, want := range map[string]any{"v": 1.0, "severity": "warn", "ts_ok": true, "boot": 3.0} {
			if r.field(field) != want {
				t.Errorf("alert.%s = %v", field, r.field(field))
			}
		}
		if !strings.Contains(r.payload, topic) {
			t.Errorf("alert %s does not name the topic", r.payload)
		}
		if r := retained(t, s.address(), topic); r.payload != "" {
			t.Errorf("the topic still holds %+v", r)
		}
		select {
		case r := <-a.Commands():
			t.Errorf("executed: %+v", r)
		default:
		}
		if r := w.on(base + "resp/desk-1"); len(r) > 0 {
			t.Errorf("answered: %v", r)
		}
		eventually(t, "the alert goes away", func() bool { return w.last(base+"alert/"+alertRetained).payload == "" })
	})
}

// A retained command larger than any packet we would take must not throw the
// board off again and again.
func TestHugeRetainedCommand(t *testing.T) {
	s := newMosquitto(t)
	topic := base + "cmd/arbiter/new"
	big := t.TempDir() + "/big"
	if err := os.WriteFile(big, bytes.Repeat([]byte("x"), 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(s.addr, ":")
	if out, err := exec.CommandContext(t.Context(), "mosquitto_pub", "-p", port, "-u", "test", "-P", "test", "-r", "-t", topic, "-f", big).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a := start(t, secret(options(s.addr, newJournal(0))))
	online(t, a)
	eventually(t, "the topic is cleared", func() bool { return retained(t, s.addr, topic).payload == "" })
	if st := a.Status(); st.Connections != 1 {
		t.Errorf("status %+v", st)
	}
}

// Alerts left behind by an earlier run are cleared, open ones stay.
func TestAlertsOfAnEarlierRun(t *testing.T) {
	s := newMosquitto(t)
	publish(t, s.addr, base+"alert/storage", `{"code":"storage"}`, true)
	publish(t, s.addr, base+"alert/led", `{"code":"led","old":true}`, true)
	o := secret(options(s.addr, newJournal(0)))
	a := start(t, o)
	a.Alert("led", []byte(`{"code":"led"}`))
	online(t, a)
	w := watch(t, s.addr, base+"alert/#")
	eventually(t, "the open alert is there", func() bool { return w.last(base+"alert/led").payload == `{"code":"led"}` })
	if r := w.on(base + "alert/storage"); len(r) > 0 {
		t.Errorf("still there: %v", r)
	}
	a.Alert("led", nil)
	eventually(t, "the solved alert is gone", func() bool { return w.last(base+"alert/led").payload == "" })
	a.Alert("not a code", []byte("{}"))
	eventually(t, "nothing is kept for alerts that are no more", func() bool {
		a.box.mu.Lock()
		defer a.box.mu.Unlock()
		return len(a.box.slots) == 0
	})
}

// While the disk fails, events wait and states do not.
func TestStorageFailed(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(2)
	a := start(t, secret(options(s.addr, j)))
	a.State(stateAt(2, "playing"), 2)
	online(t, a)
	w := watch(t, s.addr, "reversi/v1/#")
	// Event 3 is not durable: neither it nor the state after it may leave.
	a.State(stateAt(3, "playing"), 3)
	a.Alert("storage", []byte(`{"code":"storage"}`))
	eventually(t, "the alert arrives", func() bool { return len(w.on(base+"alert/storage")) > 0 })
	if got := w.last(base + "state").seq(); got != 2 {
		t.Errorf("state %d left before its event", got)
	}
	a.StorageFailed(true)
	eventually(t, "the state leaves", func() bool { return w.last(base+"state").seq() == 3 })
	if len(w.on(base+"event")) > 0 {
		t.Error("an event left that is not durable")
	}
	a.StorageFailed(false)
	j.add()
	a.Notify(3)
	eventually(t, "the event leaves", func() bool { return w.last(base+"event").seq() == 3 })
}

// A journal that cannot be read delays events, and not even the state.
func TestUnreadableJournal(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(2)
	j.broken = errDisk
	o := secret(options(s.addr, j))
	o.Tuning.DrainLimit = 50 * time.Millisecond
	a := start(t, o)
	a.State(stateAt(2, "playing"), 2)
	online(t, a)
	eventually(t, "the state leaves", func() bool { return retained(t, s.addr, base+"state").seq() == 2 })
	if j.Acked() != 0 {
		t.Errorf("acknowledged %d", j.Acked())
	}
	if st := a.Status(); !st.Unreadable {
		t.Errorf("status %+v does not say that the journal cannot be read", st)
	}
	j.mu.Lock()
	j.broken = nil
	j.mu.Unlock()
	eventually(t, "the events leave", func() bool { return j.Acked() == 2 })
	eventually(t, "the status is good again", func() bool { return !a.Status().Unreadable })
}

// Nobody waits for records that were lost at the end of the journal, and they do not
// look like a journal that cannot be read.
func TestLostRecordsAreNotWaitedFor(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(3)
	for seq := range uint64(3) {
		j.lose(1 + seq)
	}
	o := secret(options(s.addr, j))
	a := start(t, o)
	a.State(stateAt(3, "playing"), 3)
	online(t, a)
	eventually(t, "nothing waits", func() bool { return a.Status().Outbox == 0 })
	if a.Status().Unreadable {
		t.Error("the journal is called unreadable")
	}
	play(a, j, 1)
	eventually(t, "the next event leaves", func() bool { return j.Acked() == 4 })
}

// A replay that was promised comes, also when the journal cannot be read at first.
func TestReplayWaitsForTheJournal(t *testing.T) {
	s := newMosquitto(t)
	j := newJournal(5)
	j.acked = 5
	a := start(t, secret(options(s.addr, j)))
	go func() {
		for r := range a.Commands() {
			r.Reply(Response{Seq: j.LastSeq()})
		}
	}()
	online(t, a)
	w := watch(t, s.addr, "reversi/v1/#")
	j.mu.Lock()
	j.broken = errDisk
	j.mu.Unlock()
	publish(t, s.addr, base+"cmd/hub/replay", `{"id":"1","from":"hub","args":{"from":2,"to":4}}`, false)
	eventually(t, "the command is answered", func() bool { return len(w.on(base+"resp/hub")) == 1 })
	j.mu.Lock()
	j.broken = nil
	j.mu.Unlock()
	eventually(t, "the events arrive", func() bool { return len(w.on(base+"event")) == 3 })
	for i, r := range w.on(base + "event") {
		if r.seq() != uint64(2+i) || r.field("replay") != true {
			t.Errorf("event %d of the replay: %s", i, r.payload)
		}
	}
}

// A hundred thousand events that wait are read a few at a time, and a cursor
// beyond the end of a damaged journal does not hide new events.
func TestOutboxIsBounded(t *testing.T) {
	b := newFakeBroker(t, politely)
	j := newJournal(100_000)
	o := options(b.addr, j)
	o.Tuning.DrainLimit = 100 * time.Millisecond
	a := start(t, o)
	online(t, a)
	if a.Status().Outbox == 0 {
		t.Error("the outbox is empty already: this test shows nothing")
	}
	j.mu.Lock()
	if j.largest > 20_001 {
		t.Errorf("read %d events at once", j.largest)
	}
	j.mu.Unlock()

	j = newJournal(5)
	j.acked = 900
	a = start(t, options(b.addr, j))
	play(a, j, 1)
	eventually(t, "event 6 leaves", func() bool { return j.Acked() == 6 })
}

// If the journal has lost its oldest records, the rest is sent all the same.
func TestJournalBeginsLater(t *testing.T) {
	b := newFakeBroker(t, politely)
	j := newJournal(20)
	j.drop(11)
	a := start(t, options(b.addr, j))
	online(t, a)
	if j.Acked() != 20 {
		t.Errorf("acknowledged %d", j.Acked())
	}
}

// An event in the middle is missing in the journal: those before it are sent as well.
func TestEventsBeforeAGapAreSent(t *testing.T) {
	b := newFakeBroker(t, politely)
	j := newJournal(20)
	j.lose(11)
	var sent []uint64
	j.onAck = func(seq uint64) { sent = append(sent, seq) }
	a := start(t, options(b.addr, j))
	online(t, a)
	want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	if !slices.Equal(sent, want) {
		t.Errorf("sent were %v", sent)
	}
}

// Many connections leave nothing behind.
func TestManyReconnects(t *testing.T) {
	e := newEmbedded(t)
	p := newProxy(t, e.addr)
	j := newJournal(0)
	o := secret(options(p.addr, j))
	o.Tuning.BackoffMin, o.Tuning.BackoffMax = time.Millisecond, time.Millisecond
	a := start(t, o)
	online(t, a)
	goroutines := steady(t)
	const n = 200
	for range n {
		was := a.Status().Connections
		p.cutAll()
		eventually(t, "connected again", func() bool { s := a.Status(); return s.Online && s.Connections > was })
	}
	eventually(t, "as many goroutines as before", func() bool { return steady(t) <= goroutines })
	t.Logf("%d reconnections, %d goroutines before and after", a.Status().Connections-1, goroutines)
}

// A secret stays out of logs, status and topics.
func TestNoSecretLeaks(t *testing.T) {
	log := new(lockedBuffer)
	b := newFakeBroker(t, func(frame) []byte { return []byte{0x20, 2, 0, 5} })
	o := options(b.addr, newJournal(0))
	o.Password = "hunter2hunter2"
	o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a := start(t, o)
	eventually(t, "some refusals", func() bool { return b.connections() > 3 })
	if text := log.String() + a.Status().Problem + string(a.meta()); strings.Contains(text, "hunter2") {
		t.Error(text)
	}
	_, err := Start(t.Context(), Options{Board: board, URL: "mqtt://" + board + ":hunter2@127.0.0.1:1883"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

func TestRefusedOptions(t *testing.T) {
	j := newJournal(0)
	good := options("127.0.0.1:1883", j)
	for _, tt := range []struct {
		edit func(o *Options)
		want string
	}{
		{func(o *Options) { o.Board = "Board 7" }, "[a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?"},
		{func(o *Options) { o.URL = "mqtt://127.0.0.1" }, "port"},
		{func(o *Options) { o.URL = "127.0.0.1:1883" }, "broker URL"},
		{func(o *Options) { o.URL = "http://127.0.0.1:1883" }, "scheme"},
		{func(o *Options) { o.URL = "mqtt://u:p@127.0.0.1:1883" }, "own settings"},
		{func(o *Options) { o.URL = "mqtt://[::1" }, "cannot be read"},
		{func(o *Options) { o.Journal = nil }, "Journal"},
	} {
		o := good
		tt.edit(&o)
		if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}
}

// The adapter leaves in time whatever the broker does.
func TestCloseIsBounded(t *testing.T) {
	for name, answer := range map[string]func(frame) []byte{
		"never CONNACK": func(frame) []byte { return nil },
		"never PUBACK": func(f frame) []byte {
			if f.kind() == 3 {
				return nil
			}
			return politely(f)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBroker(t, answer)
			a, err := Start(t.Context(), options(b.addr, newJournal(1)))
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "something is sent", func() bool { return len(b.packets()) > 0 })
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			begin := time.Now()
			_ = a.Close(ctx, "shutdown")
			if d := time.Since(begin); d > 3*time.Second {
				t.Errorf("closing took %v", d)
			}
		})
	}
}
