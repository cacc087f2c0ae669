package broker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"
)

// named are a board, and a user who may read and write everything.
func named() []User {
	return []User{
		BoardUser("rv-b07", "p7"),
		{Name: "all", Password: "p", Read: []string{"#"}, Write: []string{"#"}},
	}
}

// theBoard joins on the connection that only the board has.
func theBoard(t *testing.T, b *Broker) *client {
	t.Helper()
	c, err := b.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	board := &client{t, c}
	board.send(login{id: "rv-b07", user: "rv-b07", password: "p7"}.packet())
	if ack := board.expect(0x20); ack[1] != 0 {
		t.Fatalf("CONNACK of the board: code %d", ack[1])
	}
	return board
}

// publish1 publishes with QoS 1 and reports whether that was acknowledged.
func (c *client) publish1(topic string, payload []byte, retain bool) bool {
	kind := byte(0x32)
	if retain {
		kind |= 1
	}
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	if _, err := c.Write(packet(kind, str(topic), []byte{0, 7}, payload)); err != nil {
		return false
	}
	for {
		k, _, err := c.next()
		if err != nil {
			return false
		}
		if k == 0x40 {
			return true
		}
	}
}

// A command with the retain flag is neither kept nor carried out, nor confirmed: its
// sender is disconnected, the log and the board are told. So nobody can fill the topics
// that a board reads before all others. Taking a retained command away is fine.
func TestRetainedCommandIsRefused(t *testing.T) {
	log, told := new(lockedBuffer), make(chan string, 100)
	b := run(t, Options{
		Guests: true, Users: named(), Logger: slog.New(slog.NewTextHandler(log, nil)),
		OnRetainedCommand: func(topic string) { told <- topic },
	})
	board := theBoard(t, b)
	if code := board.subscribe("reversi/v1/rv-b07/cmd/#", 1); code != 1 {
		t.Fatal(code)
	}
	for i, topic := range []string{"reversi/v1/rv-b07/cmd/arbiter/new", "reversi/v1/_all/cmd/ops/pause", "reversi/v1/rv-b07/cmd/ops/x"} {
		who := login{id: fmt.Sprint("c", i), user: "all", password: "p"}
		if c := join(t, b, who); c.publish1(topic, []byte("{}"), true) {
			t.Errorf("a retained message on %s is confirmed", topic)
		} else {
			c.ended()
		}
		if got := <-told; got != topic {
			t.Errorf("told of %q, want %s", got, topic)
		}
		// A will could do the same later.
		who.will = topic
		c := dial(t, b)
		c.send(who.packet())
		if ack := c.expect(0x20); ack[1] != 5 {
			t.Errorf("a retained will on %s: CONNACK code %d, want 5", topic, ack[1])
		}
		c = join(t, b, login{id: "clearing", user: "all", password: "p"})
		if !c.publish1(topic, nil, true) {
			t.Errorf("%s cannot be cleared", topic)
		}
	}
	fresh := join(t, b, login{id: "fresh", user: "all", password: "p"})
	if code := fresh.subscribe("reversi/v1/+/cmd/#", 0); code != 0 {
		t.Fatal(code)
	}
	fresh.send([]byte{0xC0, 0})
	if kind, body, err := fresh.next(); err != nil || kind != 0xD0 {
		t.Errorf("something is kept: kind %#02x, %q, %v", kind, body, err)
	}
	board.send([]byte{0xC0, 0})
	if kind, body, err := board.next(); err != nil || kind != 0xD0 && len(body) > 45 {
		t.Errorf("the board got kind %#02x, %q, %v", kind, body, err)
	}
	if n := strings.Count(log.String(), "retain flag"); n != 1 {
		t.Errorf("%d lines about three refusals, want 1 in a minute:\n%s", n, log)
	}
}

// What is kept has an end, in number and in bytes, and the board has room all the same.
func TestRetainedMessagesAreBoundedInSum(t *testing.T) {
	b := run(t, Options{Users: named(), MaxRetained: 10, MaxRetainedBytes: 20 << 10})
	kept := func(name string, n, size int) (ok int) {
		c := join(t, b, login{id: name, user: "all", password: "p"})
		for i := range n {
			if !c.publish1(fmt.Sprintf("%s/%d", name, i), make([]byte, size), true) {
				return ok
			}
			ok++
		}
		return ok
	}
	if n := kept("many", 50, 1); n != 10 {
		t.Errorf("%d topics are kept, want 10", n)
	}
	board := theBoard(t, b)
	if !board.publish1("reversi/v1/rv-b07/state", make([]byte, 60<<10), true) {
		t.Error("no room for the board")
	}
	c := join(t, b, login{id: "clearing", user: "all", password: "p"})
	for i := range 10 {
		if !c.publish1(fmt.Sprint("many/", i), nil, true) {
			t.Fatalf("many/%d cannot be cleared", i)
		}
	}
	if n := kept("large", 10, 9<<10); n != 2 {
		t.Errorf("%d messages of 9 KB are kept, want 2 in 20 KB", n)
	}
	// The same topic again takes the place that it has.
	c = join(t, b, login{id: "again", user: "all", password: "p"})
	if !c.publish1("large/0", make([]byte, 9<<10), true) {
		t.Error("a kept message cannot be replaced")
	}
}

// A client has so many subscriptions, and all together so many; one too many is
// refused, what is there is renewed, and the board has its own.
func TestSubscriptionsAreBoundedInSum(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named(), MaxSubscriptions: 10, MaxSubscriptionsEach: 6})
	granted := func(c *client) (n int) {
		for i := range 8 {
			if c.subscribe(fmt.Sprint("reversi/v1/b", i), 0) == 0 {
				n++
			}
		}
		return n
	}
	one := join(t, b, login{id: "one"})
	if n := granted(one); n != 6 {
		t.Errorf("one client has %d subscriptions, want 6", n)
	}
	if n := granted(join(t, b, login{id: "two"})); n != 4 {
		t.Errorf("another one has %d, want the remaining 4", n)
	}
	if code := one.subscribe("reversi/v1/b0", 0); code != 0 {
		t.Error("a subscription cannot be renewed")
	}
	if code := theBoard(t, b).subscribe("reversi/v1/rv-b07/cmd/#", 1); code != 1 {
		t.Errorf("the board is refused with %#02x", code)
	}
	for _, filter := range []string{"reversi/v1/" + strings.Repeat("x", 300), "reversi/v1" + strings.Repeat("/x", 20)} {
		if code := one.subscribe(filter, 0); code != 0x80 {
			t.Errorf("a filter of %d bytes is granted", len(filter))
		}
	}
	// 400 at once are answered one by one.
	var filters []byte
	for i := range 400 {
		filters = append(append(filters, str(fmt.Sprint("reversi/v1/c", i))...), 0)
	}
	three := join(t, b, login{id: "three"})
	three.send(packet(0x82, []byte{0, 9}, filters))
	if codes := three.expect(0x90); len(codes) != 402 || bytes.Count(codes[2:], []byte{0x80}) != 400 {
		t.Errorf("SUBACK %x", codes)
	}
}

// persistent is a CONNECT that asks for a session that is kept.
func persistent(id string) []byte {
	return packet(0x10, str("MQTT"), []byte{4, 0, 0, 60}, str(id))
}

// Nothing is kept for a client that is away, whatever it has asked for: 300 of them,
// each with a subscription, are gone when their connections are.
func TestNoSessionOutlivesItsConnection(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named()})
	for i := range 300 {
		c := dial(t, b)
		c.send(persistent(fmt.Sprint("s", i)))
		if ack := c.expect(0x20); ack[0] != 0 || ack[1] != 0 {
			t.Fatalf("CONNACK %x", ack)
		}
		if code := c.subscribe("reversi/v1/#", 1); code != 1 {
			t.Fatalf("client %d: SUBACK %#02x", i, code)
		}
		_ = c.Close()
		eventually(t, "the client is forgotten", func() bool {
			_, still := b.server.Clients.Get(fmt.Sprint("s", i))
			return !still
		})
	}
	c := dial(t, b)
	c.send(persistent("s0"))
	if ack := c.expect(0x20); ack[0] != 0 || ack[1] != 0 {
		t.Errorf("CONNACK %x, want no session present", ack)
	}
	eventually(t, "no subscription is left", func() bool { return len(b.server.Topics.Subscribers("reversi/v1/a").Subscriptions) == 0 })
}

// Clients that read, or do not even read, and never acknowledge are cut off when too
// much waits for all of them, so that memory has an end.
func TestWhatWaitsForClientsIsBoundedInSum(t *testing.T) {
	const limit = 2 << 20
	b := run(t, Options{Guests: true, Users: named(), MaxQueued: limit, WriteTimeout: time.Hour})
	board := theBoard(t, b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 40 {
		c := join(t, b, login{id: fmt.Sprint("viewer-", i)})
		if code := c.subscribe("reversi/v1/#", 1); code != 1 {
			t.Fatal(code)
		}
	}
	payload := make([]byte, 16<<10)
	for i := range 60 {
		body := append(binary.BigEndian.AppendUint16(nil, uint16(1+i)), payload...)
		board.send(packet(0x32, str("reversi/v1/rv-b07/event"), body))
		board.expect(0x40)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int(after.HeapAlloc) - int(before.HeapAlloc)
	t.Logf("%d bytes wait, the heap has grown by %d", b.listener.queue.bytes.Load(), grown)
	// Each of 40 clients may have its share of 2 MB / 256 besides, and one message.
	if grown > 3*limit {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	b.Close()
	if n := b.listener.queue.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are still counted when all clients have gone", n)
	}
}

// A reader that acknowledges is not cut off, however much it has got in all.
func TestAcknowledgedMessagesDoNotCount(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named(), MaxPending: 64 << 10})
	board, reader := theBoard(t, b), join(t, b, login{id: "reader"})
	if code := reader.subscribe("reversi/v1/#", 1); code != 1 {
		t.Fatal(code)
	}
	for i := range 50 {
		if !board.publish1("reversi/v1/rv-b07/event", make([]byte, 8<<10), false) {
			t.Fatal("the board is cut off")
		}
		body := reader.expect(0x30)
		n := 2 + int(binary.BigEndian.Uint16(body))
		reader.send(packet(0x40, body[n:n+2]))
		if i%3 == 0 {
			reader.alive() // the broker has read the acknowledgements
		}
	}
}

// Connections that say nothing hold no place: the board has its own, and others get in
// while hundreds of them come and go. That is one line in the log.
func TestSilentConnectionsLockNobodyOut(t *testing.T) {
	log := new(lockedBuffer)
	b := run(t, Options{Guests: true, Users: named(), Logger: slog.New(slog.NewTextHandler(log, nil))})
	for range 150 {
		dial(t, b)
	}
	board := theBoard(t, b)
	for i := range 5 {
		c := join(t, b, login{id: fmt.Sprint("late-", i)})
		if code := c.subscribe("reversi/v1/#", 0); code != 0 {
			t.Fatal(code)
		}
		board.publish("reversi/v1/rv-b07/event", "x", false)
		c.message()
	}
	if n := strings.Count(log.String(), "connection refused"); n != 1 {
		t.Errorf("%d lines about refused connections, want 1:\n%.2000s", n, log)
	}
	b.Close()
	if !strings.Contains(log.String(), "times=") {
		t.Errorf("the log does not say how many were refused:\n%s", log)
	}
}

// Clients of one address take only so many places; those who come too late are told
// that the broker is not available, and the board gets in.
func TestPlacesByAddress(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named(), MaxClients: 8})
	for i := range 6 {
		join(t, b, login{id: fmt.Sprint("c", i)})
	}
	c := dial(t, b)
	c.send(login{id: "one-too-many"}.packet())
	if ack := c.expect(0x20); ack[1] != 3 {
		t.Errorf("CONNACK code %d, want 3, server unavailable (section 3.2.2.3)", ack[1])
	}
	c.ended()
	theBoard(t, b).alive()
}

// Wrong passwords are told, and soon not looked at any more, nor is the right one from
// there; the board is not concerned, and after a second the next try counts.
func TestPasswordsCannotBeGuessedFast(t *testing.T) {
	log := new(lockedBuffer)
	b := run(t, Options{Users: named(), Logger: slog.New(slog.NewTextHandler(log, nil))})
	try := func(password string) byte {
		c := dial(t, b)
		defer func() { _ = c.Close() }()
		c.send(login{id: "x", user: "all", password: password}.packet())
		return c.expect(0x20)[1]
	}
	begin, codes := time.Now(), make(map[byte]int)
	for i := range 150 {
		codes[try(fmt.Sprint("guess-", i))]++
	}
	// Ten at once, and one a second afterwards.
	if most := 11 + int(time.Since(begin)/time.Second); codes[5] < 10 || codes[5] > most || codes[0] > 0 {
		t.Errorf("150 wrong passwords are answered %v, want 10 to %d looked at (5) and the others not (3)", codes, most)
	}
	theBoard(t, b).alive()
	for try("p") != 0 {
		time.Sleep(20 * time.Millisecond) // as a client would: not more often than connections are taken
	}
	if took := time.Since(begin); took < 900*time.Millisecond {
		t.Errorf("the right password was taken after %v while the address was to wait", took)
	}
	b.Close()
	for _, text := range []string{"wrong user name or password", "user=all", "too many wrong passwords", "times="} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("the log does not say %q:\n%s", text, log)
		}
	}
	if n := strings.Count(log.String(), "\n"); n > 6 {
		t.Errorf("%d lines in the log", n)
	}
}

// Who has given no wrong password is looked at, whatever all others do, and a device
// with an old password that tries every second or slower does not lock its address.
func TestOneAddressDoesNotLockAnother(t *testing.T) {
	b := budget{cost: guessTime, burst: guessBurst, allCost: allGuessTime, allBurst: allGuessBurst}
	now := time.Unix(1e9, 0)
	address := func(i int) netip.Prefix {
		return addressOf(fmt.Sprintf("10.%d.%d.%d:1234", i>>16, i>>8&255, i&255))
	}
	for i := range 20000 {
		if !b.take(now, address(i)) {
			t.Fatalf("address %d is refused its first try", i)
		}
	}
	if len(b.due) > maxAddresses {
		t.Errorf("%d addresses are remembered", len(b.due))
	}
	if b.take(now, address(19999)) {
		t.Error("a second guess from one of 20000 addresses is judged at once")
	}
	now = now.Add(time.Minute)
	if !b.take(now, address(19999)) {
		t.Error("after a minute it is still refused")
	}
	old := addressOf("192.0.2.1:1")
	for range 3600 {
		if !b.take(now, old) {
			t.Fatal("a device that tries every second locks its address")
		}
		now = now.Add(time.Second)
	}
	if addressOf("127.0.0.1:5") != addressOf("127.9.9.9:6") || addressOf("[::1]:5") != addressOf("127.0.0.1:5") ||
		addressOf("[2001:db8::1]:5") != addressOf("[2001:db8::2]:5") || addressOf("192.0.2.1:1") == addressOf("192.0.2.2:1") {
		t.Error("what counts as one address")
	}
}

// The id of a client that is connected can only be taken over by the same user.
func TestClientIDBelongsToItsUser(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named()})
	c := join(t, b, login{id: "desk-1", user: "all", password: "p"})
	thief := dial(t, b)
	thief.send(login{id: "desk-1"}.packet())
	if ack := thief.expect(0x20); ack[1] != 5 {
		t.Errorf("CONNACK code %d, want 5, not authorized", ack[1])
	}
	thief.ended()
	c.alive()
	join(t, b, login{id: "desk-1", user: "all", password: "p"}).alive()
	c.ended()
}

// A client that speaks another version finds a word about it in the log, as does one
// that does not speak MQTT; many of them do not fill it.
func TestOtherVersionsAreTold(t *testing.T) {
	log := new(lockedBuffer)
	b := run(t, Options{Guests: true, Logger: slog.New(slog.NewTextHandler(log, nil))})
	for range 20 {
		c := dial(t, b)
		c.send(login{id: "five", level: 5}.packet())
		c.ended()
		c = dial(t, b)
		c.send([]byte("GET / HTTP/1.1\r\n\r\n"))
		c.ended()
	}
	for _, text := range []string{"another version of MQTT: set it to version 3.1.1", "version=5", "does not speak MQTT as it is spoken here"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("the log does not say %q:\n%s", text, log)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, log)
	}
}

// flood publishes as fast as the broker takes it, until the end of the test.
func (c *client) flood(topic string) {
	p := packet(0x30, str(topic), make([]byte, 4<<10))
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	for {
		if _, err := c.Write(p); err != nil {
			return
		}
	}
}

// A flood of commands neither throws the board off nor keeps the command of another
// client from it for long.
func TestFloodOfCommandsLeavesTheBoardAndOthers(t *testing.T) {
	b := run(t, Options{Guests: true, Users: named()})
	board := theBoard(t, b)
	if code := board.subscribe("reversi/v1/rv-b07/cmd/#", 0); code != 0 {
		t.Fatal(code)
	}
	for i := range 8 {
		go join(t, b, login{id: fmt.Sprint("flood-", i)}).flood("reversi/v1/rv-b07/cmd/player/resign")
	}
	arbiter := join(t, b, login{id: "arbiter"})
	var slowest time.Duration
	for i := range 10 {
		begin := time.Now()
		arbiter.publish("reversi/v1/rv-b07/cmd/arbiter/pause", fmt.Sprint(i), false)
		for {
			if topic, text := board.message(); strings.HasSuffix(topic, "/arbiter/pause") && text == fmt.Sprint(i) {
				break
			}
		}
		slowest = max(slowest, time.Since(begin))
	}
	t.Logf("the slowest command of the arbiter took %v", slowest)
	if slowest > 2*time.Second {
		t.Errorf("a command of the arbiter took %v beside the flood", slowest)
	}
}

// The board's own connection needs no place in the network.
func TestDialAfterTheEnd(t *testing.T) {
	b := run(t, Options{})
	b.Close()
	if c, err := b.Dial(); err == nil {
		_ = c.Close()
		t.Error("a connection to a broker that has ended")
	}
}
