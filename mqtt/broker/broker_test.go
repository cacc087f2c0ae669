package broker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The packets of this file are put together by hand from the MQTT 3.1.1
// specification: the broker is judged by what is on the wire.

const patience = 10 * time.Second

func str(s string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...)
}

func packet(kind byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	n := len(body)
	out := []byte{kind}
	for {
		b := byte(n & 0x7F)
		if n >>= 7; n > 0 {
			out = append(out, b|0x80)
			continue
		}
		return append(append(out, b), body...)
	}
}

type login struct {
	id, user, password string
	will               string
	level              byte
}

func (l login) packet() []byte {
	level, flags := l.level, byte(2)
	if level == 0 {
		level = 4
	}
	rest := str(l.id)
	if level == 5 {
		rest = append([]byte{0}, rest...)
	}
	if l.will != "" {
		flags |= 4 | 1<<3 | 1<<5
		rest = append(append(rest, str(l.will)...), str(`{"v":1}`)...)
	}
	if l.user != "" {
		flags |= 0x80
		rest = append(rest, str(l.user)...)
	}
	if l.password != "" {
		flags |= 0x40
		rest = append(rest, str(l.password)...)
	}
	return packet(0x10, str("MQTT"), []byte{level, flags, 0, 60}, rest)
}

type client struct {
	t *testing.T
	net.Conn
}

func dial(t *testing.T, b *Broker) *client {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &client{t, c}
}

func (c *client) send(b []byte) {
	c.t.Helper()
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	if _, err := c.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next packet, or an error when the broker hangs up.
func (c *client) next() (kind byte, body []byte, err error) {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	one := make([]byte, 1)
	if _, err := io.ReadFull(c, one); err != nil {
		return 0, nil, err
	}
	kind = one[0]
	var n, shift int
	for {
		if _, err := io.ReadFull(c, one); err != nil {
			return 0, nil, err
		}
		n |= int(one[0]&0x7F) << shift
		shift += 7
		if one[0]&0x80 == 0 {
			break
		}
	}
	body = make([]byte, n)
	_, err = io.ReadFull(c, body)
	return kind, body, err
}

// expect reads packets until one of the kind and returns its body.
func (c *client) expect(kind byte) []byte {
	c.t.Helper()
	for {
		k, body, err := c.next()
		if err != nil {
			c.t.Fatalf("waiting for a packet of kind %#02x: %v", kind, err)
		}
		if k&0xF0 == kind {
			return body
		}
	}
}

// ended reports that the broker closes the connection, whatever it says before.
func (c *client) ended() {
	c.t.Helper()
	for {
		_, _, err := c.next()
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			c.t.Fatal("the broker keeps the connection open")
		}
		if err != nil {
			return
		}
	}
}

// alive checks that the broker still answers.
func (c *client) alive() {
	c.t.Helper()
	c.send([]byte{0xC0, 0})
	c.expect(0xD0)
}

func join(t *testing.T, b *Broker, l login) *client {
	t.Helper()
	c := dial(t, b)
	c.send(l.packet())
	if ack := c.expect(0x20); ack[1] != 0 {
		t.Fatalf("CONNACK of %q: code %d", l.id, ack[1])
	}
	return c
}

func (c *client) subscribe(filter string, qos byte) byte {
	c.t.Helper()
	c.send(packet(0x82, []byte{0, 9}, str(filter), []byte{qos}))
	return c.expect(0x90)[2]
}

func (c *client) publish(topic, payload string, retain bool) {
	c.t.Helper()
	kind := byte(0x30)
	if retain {
		kind |= 1
	}
	c.send(packet(kind, str(topic), []byte(payload)))
}

// message returns topic and payload of the next PUBLISH with QoS 0.
func (c *client) message() (topic, payload string) {
	c.t.Helper()
	body := c.expect(0x30)
	n := binary.BigEndian.Uint16(body)
	return string(body[2 : 2+n]), string(body[2+n:])
}

func run(t *testing.T, o Options) *Broker {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	b, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func TestFilterCoverage(t *testing.T) {
	// Section 4.7 of the specification: its own examples first.
	tests := []struct {
		grant, filter string
		want          bool
	}{
		{"sport/tennis/player1/#", "sport/tennis/player1", true},
		{"sport/tennis/player1/#", "sport/tennis/player1/ranking", true},
		{"sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true},
		{"sport/tennis/+", "sport/tennis/player1", true},
		{"sport/tennis/+", "sport/tennis/player1/ranking", false},
		{"sport/+", "sport", false},
		{"sport/+", "sport/", true},
		{"+/+", "/finance", true},
		{"/+", "/finance", true},
		{"+", "/finance", false},
		{"#", "$SYS/broker/uptime", false},
		{"+/monitor/Clients", "$SYS/monitor/Clients", false},
		{"$SYS/#", "$SYS/broker/uptime", true},
		{"$SYS/monitor/+", "$SYS/monitor/Clients", true},
		{"#", "#", true},
		{"#", "$SYS/#", false},
		{"a/b", "a/b/c", false},
		{"a/b/c", "a/b", false},
		{"reversi/v1/#", "reversi/v1/#", true},
		{"reversi/v1/#", "reversi/v1/+/state", true},
		{"reversi/v1/#", "reversi/#", false},
		{"reversi/v1/#", "reversi/+", false},
		{"reversi/v1/#", "#", false},
		{"reversi/v1/+/state", "reversi/v1/rv-b07/state", true},
		{"reversi/v1/+/state", "reversi/v1/+/state", true},
		{"reversi/v1/+/state", "reversi/v1/#", false},
		{"reversi/v1/+/state", "reversi/v1/rv-b07/state/x", false},
		{"reversi/v1/+", "reversi/v1/#", false},
		{"a/#", "A/b", false},
		{"a/b", "$share/g/a/b", false},
		{"", "a", false},
		{"a", "", false},
	}
	for _, tt := range tests {
		if got := covers(tt.grant, tt.filter); got != tt.want {
			t.Errorf("covers(%q, %q) = %t, want %t", tt.grant, tt.filter, got, tt.want)
		}
	}
}

// matches is the rule of section 4.7 by recursion over the levels, for topics
// only, and independent of covers.
func matches(filter, topic []string) bool {
	switch {
	case len(filter) == 0:
		return len(topic) == 0
	case filter[0] == "#":
		return true
	case len(topic) == 0:
		return false
	case filter[0] == "+" || filter[0] == topic[0]:
		return matches(filter[1:], topic[1:]) || len(topic) == 1 && len(filter) == 2 && filter[1] == "#"
	}
	return false
}

func match(filter, topic string) bool {
	if strings.HasPrefix(topic, "$") && (strings.HasPrefix(filter, "+") || strings.HasPrefix(filter, "#")) {
		return false
	}
	return matches(strings.Split(filter, "/"), strings.Split(topic, "/"))
}

// FuzzFilterCoverage compares covers with the independent matcher: on a topic
// the two must agree, and a filter that is covered must not match any topic
// that the grant does not match. The topics tried are the filter with its
// wildcards filled in.
func FuzzFilterCoverage(f *testing.F) {
	for _, s := range [][3]string{
		{"reversi/v1/+/cmd/#", "reversi/v1/rv-b07/cmd/arbiter/new", "x"},
		{"a/#", "a", "b"},
		{"#", "$SYS/x", ""},
		{"+/+", "/", "/"},
		{"a/+/c", "a/+/#", "c"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, grant, filter, fill string) {
		if !validGrant(grant) || !validGrant(filter) || strings.ContainsAny(fill, "+#\x00") {
			return
		}
		got := covers(grant, filter)
		if !strings.ContainsAny(filter, "+#") {
			if want := match(grant, filter); got != want {
				t.Fatalf("covers(%q, %q) = %t, an independent matcher says %t", grant, filter, got, want)
			}
			return
		}
		one, _, _ := strings.Cut(fill, "/")
		topics := []string{
			strings.NewReplacer("+", one, "#", fill).Replace(filter),
			strings.NewReplacer("+", "+x", "#", "x/y/z").Replace(filter),
			strings.TrimSuffix(strings.ReplaceAll(filter, "+", one), "/#"),
		}
		for _, topic := range topics {
			if got && topic != "" && match(filter, topic) && !match(grant, topic) {
				t.Fatalf("covers(%q, %q), but only the filter matches %q", grant, filter, topic)
			}
		}
	})
}

func TestGuestReadsTheBoardAndGivesCommands(t *testing.T) {
	b := run(t, Options{Guests: true, Users: []User{BoardUser("rv-b07", "secret")}})
	board := join(t, b, login{id: "rv-b07", user: "rv-b07", password: "secret", will: "reversi/v1/rv-b07/availability"})
	if code := board.subscribe("reversi/v1/rv-b07/cmd/#", 1); code != 1 {
		t.Fatalf("board's SUBACK: %#02x", code)
	}
	g := join(t, b, login{id: "somebody"})
	if code := g.subscribe("reversi/v1/#", 0); code != 0 {
		t.Fatalf("guest's SUBACK: %#02x", code)
	}
	board.publish("reversi/v1/rv-b07/state", "{}", true)
	if topic, payload := g.message(); topic != "reversi/v1/rv-b07/state" || payload != "{}" {
		t.Fatalf("guest got %q on %q", payload, topic)
	}
	for _, role := range []string{"arbiter", "player", "ops", "hub"} {
		topic := "reversi/v1/rv-b07/cmd/" + role + "/identify"
		g.publish(topic, `{"id":"1"}`, false)
		if got, _ := board.message(); got != topic {
			t.Fatalf("board got %q, want %q", got, topic)
		}
	}
}

// A guest may not do what the package comment does not say; a user may not do
// what its grants do not say. What is published all the same reaches nobody.
func TestNoRuleMeansNo(t *testing.T) {
	b := run(t, Options{Guests: true, Users: []User{
		BoardUser("rv-b07", "p7"), BoardUser("rv-b08", "p8"),
		{Name: "nobody", Password: "p"},
		{Name: "all", Password: "p", Read: []string{"#", "$SYS/#"}},
	}})
	watcher := join(t, b, login{id: "watch", user: "all", password: "p"})
	if code := watcher.subscribe("#", 0); code != 0 {
		t.Fatalf("SUBACK of #: %#02x", code)
	}
	forbidden := []string{"#", "$SYS/#", "+/#", "reversi/+", "reversi/#", "homeassistant/#", "$share/g/reversi/v1/#", "reversi-pub/v1/#"}
	tests := []struct {
		login
		read, write []string
	}{
		{login{id: "guest"}, forbidden, []string{
			"reversi/v1/rv-b07/state", "reversi/v1/rv-b07/event", "reversi/v1/rv-b07/cmd/ha/new", "a", "reversi/v1/rv-b07/cmd",
		}},
		{login{id: "nobody", user: "nobody", password: "p"}, append(slices.Clone(forbidden), "reversi/v1/rv-b07/state/x", "reversi/v1/#"), []string{
			"reversi/v1/rv-b07/state", "reversi/v1/rv-b07/cmd/arbiter/new", "a",
		}},
		{login{id: "rv-b08", user: "rv-b08", password: "p8"}, append(slices.Clone(forbidden), "reversi/v1/rv-b07/cmd/#"), []string{
			"reversi/v1/rv-b07/state", "reversi/v1/rv-b07/cmd/arbiter/new", "reversi/v1/rv-b08/state/x", "reversi/v1/rv-b08",
		}},
	}
	for _, tt := range tests {
		c := join(t, b, tt.login)
		for _, f := range tt.read {
			if code := c.subscribe(f, 0); code != 0x80 {
				t.Errorf("%s subscribes to %s: SUBACK %#02x, want 0x80", tt.id, f, code)
			}
		}
		for _, topic := range tt.write {
			c.publish(topic, "forged", true)
		}
		c.alive()
	}
	watcher.send(packet(0xC0))
	if kind, body, err := watcher.next(); err != nil || kind != 0xD0 {
		t.Errorf("a forbidden message was delivered: kind %#02x, %q, %v", kind, body, err)
	}
}

func TestRefusedConnections(t *testing.T) {
	b := run(t, Options{Guests: true, Users: []User{BoardUser("rv-b07", "p7"), BoardUser("rv-b08", "p8")}})
	closed := run(t, Options{Users: []User{BoardUser("rv-b07", "p7")}})
	tests := []struct {
		name string
		*Broker
		login
	}{
		{"wrong password", b, login{id: "rv-b07", user: "rv-b07", password: "p8"}},
		{"no password", b, login{id: "rv-b07", user: "rv-b07"}},
		{"unknown user", b, login{id: "x", user: "x", password: "p7"}},
		{"password without a user", b, login{id: "x", password: "p7"}},
		{"guest with the id of a board", b, login{id: "rv-b07"}},
		{"board with the id of another board", b, login{id: "rv-b07", user: "rv-b08", password: "p8"}},
		{"will on another board's command", b, login{id: "rv-b07", user: "rv-b07", password: "p7", will: "reversi/v1/rv-b08/cmd/arbiter/new"}},
		{"will with a wildcard", b, login{id: "rv-b07", user: "rv-b07", password: "p7", will: "reversi/v1/rv-b07/alert/+"}},
		{"guest with a will on a state", b, login{id: "x", will: "reversi/v1/rv-b07/state"}},
		{"guest where guests are not welcome", closed, login{id: "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, tt.Broker)
			c.send(tt.packet())
			if ack := c.expect(0x20); ack[1] != 5 {
				t.Errorf("CONNACK code %d, want 5, not authorized (section 3.2.2.3)", ack[1])
			}
			c.ended()
		})
	}
}

// brokenSubscribe is a SUBSCRIBE of MQTT 5 that ends before the options of its
// only filter: packet id 1, no properties, filter "a", nothing.
func brokenSubscribe() []byte { return []byte{0x82, 6, 0, 1, 0, 0, 1, 'a'} }

func TestVersionFiveIsRefused(t *testing.T) {
	b := run(t, Options{Guests: true})
	other := join(t, b, login{id: "other"})
	c := dial(t, b)
	c.send(append(login{id: "five", level: 5}.packet(), brokenSubscribe()...))
	if ack := c.expect(0x20); ack[1] != 0x84 {
		t.Errorf("CONNACK reason %#02x, want 0x84, unsupported protocol version", ack[1])
	}
	c.ended()
	for _, level := range []byte{3, 6, 0x84} {
		c := dial(t, b)
		c.send(login{id: "x", level: level}.packet())
		c.expect(0x20)
		c.ended()
	}
	other.alive()
}

// The decoder really panics on these bytes. Without the version check in front
// of it, the recover around each connection must hold.
func TestPanicEndsOneConnection(t *testing.T) {
	log := new(lockedBuffer)
	b, err := start(t.Context(), Options{
		Listen: "127.0.0.1:0", Guests: true, Logger: slog.New(slog.NewTextHandler(log, nil)),
	}, func(byte) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	other := join(t, b, login{id: "other"})
	if code := other.subscribe("reversi/v1/#", 0); code != 0 {
		t.Fatal(code)
	}
	for range 3 {
		c := dial(t, b)
		c.send(login{id: "five", level: 5}.packet())
		c.expect(0x20)
		c.send(brokenSubscribe())
		c.ended()
	}
	other.alive()
	// Otherwise the bytes do not reach the decoder, and this test shows nothing.
	eventually(t, "three panics are in the log", func() bool {
		return strings.Count(log.String(), "connection ended by a panic") == 3
	})
	eventually(t, "the client that caused the panic is forgotten", func() bool {
		_, still := b.server.Clients.Get("five")
		return !still
	})
}

func TestSilentConnectionIsClosed(t *testing.T) {
	b := run(t, Options{Guests: true, ConnectTimeout: 50 * time.Millisecond})
	for name, bytes := range map[string][]byte{
		"nothing": nil, "half a header": {0x10}, "half a connect": login{id: "abc"}.packet()[:9],
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, b)
			if len(bytes) > 0 {
				c.send(bytes)
			}
			begin := time.Now()
			c.ended()
			if d := time.Since(begin); d > 5*time.Second {
				t.Errorf("closed after %v", d)
			}
		})
	}
}

func TestNumberOfConnectionsIsLimited(t *testing.T) {
	b := run(t, Options{Guests: true, MaxClients: 3})
	var in []*client
	for i := range 3 {
		in = append(in, join(t, b, login{id: fmt.Sprint("c", i)}))
	}
	for range 5 {
		c := dial(t, b)
		_, _ = c.Write(login{id: "late"}.packet())
		c.ended()
	}
	for _, c := range in {
		c.alive()
	}
	// A place that becomes free can be taken.
	_ = in[0].Close()
	eventually(t, "a new client gets in", func() bool {
		c := dial(t, b)
		_, _ = c.Write(login{id: "next"}.packet())
		kind, body, err := c.next()
		return err == nil && kind == 0x20 && body[1] == 0
	})
}

func TestOversizedPacketEndsTheConnection(t *testing.T) {
	b := run(t, Options{Guests: true})
	c := join(t, b, login{id: "big"})
	_, _ = c.Write(packet(0x30, str("reversi/v1/x/cmd/ops/identify"), make([]byte, 70<<10)))
	c.ended()
	big := dial(t, b)
	_, _ = big.Write([]byte{0x10, 0xFF, 0xFF, 0xFF, 0x7F})
	big.ended()
}

// A reader that stops reading is cut off, by the deadline or by the amount that
// waits for it, and until then the publishers do not notice it.
func TestStalledReaderStallsNobody(t *testing.T) {
	for name, o := range map[string]Options{
		"deadline": {WriteTimeout: 300 * time.Millisecond, MaxPending: 1 << 30},
		"amount":   {WriteTimeout: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			o.Guests, o.Users = true, []User{BoardUser("rv-b07", "p")}
			b := run(t, o)
			stalled := join(t, b, login{id: "stalled"})
			if tcp, ok := stalled.Conn.(*net.TCPConn); ok {
				_ = tcp.SetReadBuffer(4096)
			}
			if code := stalled.subscribe("reversi/v1/#", 1); code != 1 {
				t.Fatal(code)
			}
			board := join(t, b, login{id: "rv-b07", user: "rv-b07", password: "p"})
			payload := bytes.Repeat([]byte("x"), 32<<10)
			var times []time.Duration
			for i := range 400 {
				begin := time.Now()
				board.send(packet(0x32, str("reversi/v1/rv-b07/event"), []byte{byte(i >> 8), byte(i) | 1}, payload))
				board.expect(0x40)
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			p99 := times[len(times)*99/100]
			t.Logf("PUBACK with a stalled reader: median %v, p99 %v, worst %v", times[len(times)/2], p99, times[len(times)-1])
			if p99 > 100*time.Millisecond {
				t.Errorf("p99 of the PUBACK is %v, want at most 100 ms", p99)
			}
			eventually(t, "the stalled reader is cut off", func() bool {
				_, still := b.server.Clients.Get("stalled")
				return !still
			})
		})
	}
}

func TestRetainedMessagesOutliveADay(t *testing.T) {
	// Observable only in the settings: mochi deletes after the interval if it
	// is above zero.
	if got := capabilities().MaximumMessageExpiryInterval; got != 0 {
		t.Errorf("retained messages expire after %d s", got)
	}
}

func TestRefusedOptions(t *testing.T) {
	user := []User{{Name: "u", Password: "p"}}
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Listen: "127.0.0.1"}, "host:port"},
		{Options{Listen: "0.0.0.0:0"}, "set a user and a password"},
		{Options{Listen: ":0"}, "set a user and a password"},
		{Options{Listen: "[::]:0"}, "set a user and a password"},
		{Options{Listen: "192.0.2.1:1883"}, "set a user and a password"},
		{Options{Listen: "0.0.0.0:0", Users: user, Guests: true}, "only allowed on 127.0.0.1"},
		{Options{Listen: "127.0.0.1:0", Users: []User{{Name: "u"}}}, "must not be empty"},
		{Options{Listen: "127.0.0.1:0", Users: append(slices.Clone(user), user...)}, "twice"},
		{Options{Listen: "127.0.0.1:0", Users: []User{{Name: "u", Password: "p", Read: []string{"a/#/b"}}}}, "not a topic filter"},
	} {
		b, err := Start(t.Context(), tt.o)
		if err == nil {
			b.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want one with %q", tt.o, err, tt.want)
		}
	}
	b, err := Start(t.Context(), Options{Listen: "0.0.0.0:0", Users: user})
	if err != nil {
		t.Fatalf("with a user, every address is fine: %v", err)
	}
	b.Close()
}

func TestPortInUseIsExplained(t *testing.T) {
	b := run(t, Options{})
	if _, err := Start(t.Context(), Options{Listen: b.Addr()}); err == nil || !strings.Contains(err.Error(), "another broker") {
		t.Errorf("error %v", err)
	}
}

// No password reaches the log, not even one sent where it does not belong.
func TestLogHoldsNoPassword(t *testing.T) {
	log := new(lockedBuffer)
	b := run(t, Options{
		Guests: true, Users: []User{BoardUser("rv-b07", "hunter2hunter2")},
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	in := login{id: "rv-b07", user: "rv-b07", password: "hunter2hunter2"}
	c := join(t, b, in)
	c.send(in.packet()) // a second CONNECT is an error that mochi logs
	c.ended()
	bad := dial(t, b)
	bad.send(login{id: "y", user: "y", password: "hunter2hunter2"}.packet())
	bad.ended()
	b.Close()
	text := log.String()
	if !strings.Contains(text, "second connect") {
		t.Errorf("the second CONNECT is not in the log, and this test shows nothing:\n%s", text)
	}
	for _, form := range []string{"hunter2", "104 117 110 116 101 114 50"} {
		if strings.Contains(text, form) {
			t.Errorf("the log holds the password as %q", form)
		}
	}
}

// The tools that a newcomer has.
func TestMosquittoClients(t *testing.T) {
	for _, tool := range []string{"mosquitto_sub", "mosquitto_pub"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: apt-get install mosquitto-clients", err)
		}
	}
	b := run(t, Options{Guests: true, Users: []User{BoardUser("rv-b07", "p")}})
	_, port, _ := net.SplitHostPort(b.Addr())
	board := join(t, b, login{id: "rv-b07", user: "rv-b07", password: "p"})
	if code := board.subscribe("reversi/v1/rv-b07/cmd/#", 1); code != 1 {
		t.Fatal(code)
	}
	board.publish("reversi/v1/rv-b07/state", `{"v":1}`, true)
	board.alive()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "mosquitto_sub", "-p", port, "-t", "reversi/v1/#", "-C", "1", "-v").CombinedOutput()
	if err != nil || string(out) != "reversi/v1/rv-b07/state {\"v\":1}\n" {
		t.Errorf("mosquitto_sub: %q, %v", out, err)
	}
	out, err = exec.CommandContext(ctx, "mosquitto_pub", "-p", port, "-q", "1", "-t", "reversi/v1/rv-b07/cmd/ops/identify", "-m", `{"id":"1"}`).CombinedOutput()
	if err != nil {
		t.Errorf("mosquitto_pub: %q, %v", out, err)
	}
	if body := board.expect(0x30); !bytes.Contains(body, []byte("cmd/ops/identify")) {
		t.Errorf("board got %q", body)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		b, err := Start(ctx, Options{Listen: "127.0.0.1:0", Guests: true})
		if err != nil {
			t.Fatal(err)
		}
		c := join(t, b, login{id: "c"})
		quiet := dial(t, b)
		cancel()
		b.Close()
		c.ended()
		quiet.ended()
	}
	eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// FuzzConnection throws bytes at the broker after a proper CONNECT, and as a
// first packet. Whatever they are, the others stay connected.
func FuzzConnection(f *testing.F) {
	f.Add(brokenSubscribe(), true)
	f.Add([]byte{0x30, 0}, true)
	f.Add([]byte{0x82, 2, 0, 1}, true)
	f.Add(login{id: "a", level: 5}.packet(), false)
	f.Add(login{id: "a", will: "x"}.packet(), true)
	b, err := Start(f.Context(), Options{Listen: "127.0.0.1:0", Guests: true, ConnectTimeout: 20 * time.Millisecond})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(b.Close)
	b.listener.arrivals.mu.Lock()
	b.listener.arrivals.cost = 0 // this one connects as fast as it can
	b.listener.arrivals.mu.Unlock()
	f.Fuzz(func(t *testing.T, data []byte, connected bool) {
		var c *client
		if connected {
			c = join(t, b, login{id: "fuzz"})
		} else {
			c = dial(t, b)
		}
		_, _ = c.Write(data)
		_ = c.Close()
		join(t, b, login{id: "witness"}).alive()
	})
}

// Clients that leave while the broker closes must not hold it up. (mochi's own
// way of closing a listener takes a read lock twice, and hangs for ever when a
// client leaves in between.)
func TestCloseWhileClientsLeave(t *testing.T) {
	for i := range 60 {
		b, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Guests: true})
		if err != nil {
			t.Fatal(err)
		}
		var in []*client
		for n := range 40 {
			in = append(in, join(t, b, login{id: fmt.Sprint("c", n)}))
		}
		go func() {
			for _, c := range in {
				_ = c.Close()
			}
		}()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			b.Close()
		}()
		select {
		case <-closed:
		case <-time.After(patience):
			t.Fatalf("round %d: the broker does not close", i)
		}
	}
}
