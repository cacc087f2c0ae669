package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/referee"
)

// opening are the first moves of a game.
const opening = "f5d6c3d3c4f4"

// service is somebody on the network who treats connections as serve says, until
// the test ends.
func service(t *testing.T, serve func(ctx context.Context, c net.Conn)) (address string) {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			work.Go(func() {
				serve(ctx, c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		stop()
		_ = ln.Close()
		work.Wait()
	})
	return ln.Addr().String()
}

// neverAcknowledges is a broker that lets everybody in, answers pings, and
// never says that it has taken a message.
func neverAcknowledges(_ context.Context, c net.Conn) {
	for {
		p, err := packets.ReadPacket(c)
		if err != nil {
			return
		}
		var answer packets.ControlPacket
		switch p := p.(type) {
		case *packets.ConnectPacket:
			answer = packets.NewControlPacket(packets.Connack)
		case *packets.SubscribePacket:
			ack := &packets.SubackPacket{FixedHeader: packets.FixedHeader{MessageType: packets.Suback}, MessageID: p.MessageID}
			ack.ReturnCodes = slices.Repeat([]byte{1}, len(p.Topics))
			answer = ack
		case *packets.PingreqPacket:
			answer = packets.NewControlPacket(packets.Pingresp)
		default:
			continue
		}
		if answer.Write(c) != nil {
			return
		}
	}
}

// launch starts a program in real time, as configured by change.
func launch(t *testing.T, disk archive.FS, change func(c *configs.Config)) (a *App, address string, stop func() error) {
	t.Helper()
	c := configs.Default()
	c.Web.Listen, c.MQTT.Embedded.Listen = "127.0.0.1:0", "127.0.0.1:0"
	c.Hardware.Simulation.Bounce = false
	change(c)
	said, out := io.Pipe()
	o := Options{Config: c, Out: out, Logger: slog.New(slog.DiscardHandler)}
	a = newApp(o)
	hurried(a)
	a.disk = disk
	if err := a.openJournal(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() {
		err := errors.Join(a.run(ctx, o), a.closeJournal())
		_ = out.CloseWithError(io.EOF) // nobody waits for the address any more
		ended <- err
	}()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("the board did not start: %v %v", err, stop())
	}
	return a, strings.TrimSuffix(strings.TrimPrefix(line, "http://"), "/\n"), stop
}

// eventually waits for a condition that nothing announces.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	end := time.After(30 * time.Second)
	for !is() {
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// shown returns what the page shows.
func shown(t *testing.T, a *App) (seen seenOnPage) {
	t.Helper()
	answer := httptest.NewRecorder()
	a.page.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/api/v1/state", nil))
	if err := json.Unmarshal(answer.Body.Bytes(), &seen); err != nil {
		t.Fatalf("read the page's state: %v\n%s", err, answer.Body)
	}
	return seen
}

// playOpening makes the moves of opening by hand.
func playOpening(t *testing.T, a *App) {
	t.Helper()
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	game := engine.NewGame(configuredRules(t))
	for i, sq := range movesOf(t, opening) {
		if err := a.hands.Do(t.Context(), web.Act{Op: web.OpPlace, Square: sq, Color: game.Turn}); err != nil {
			t.Fatal(err)
		}
		for s := range game.Flips(sq).All() {
			if err := a.hands.Do(t.Context(), web.Act{Op: web.OpTurn, Square: s}); err != nil {
				t.Fatal(err)
			}
		}
		game = game.Place(sq)
		want := opening[:2*(i+1)]
		eventually(t, "the page shows "+want, func() bool { return shown(t, a).State.Transcript == want })
	}
}

// askWhile asks the loop over and over, as fast as it answers, until done is
// closed, and returns how long each answer took.
func askWhile(t *testing.T, a *App, done <-chan struct{}) (took []time.Duration) {
	t.Helper()
	never := uint64(1) << 40 // so that nothing is carried out
	for i := 0; ; i++ {
		select {
		case <-done:
			slices.Sort(took)
			return took
		default:
		}
		begin := time.Now()
		r := a.pageCommand(t.Context(), web.Command{Name: "identify", ID: fmt.Sprint(i), IfSeq: &never})
		took = append(took, time.Since(begin))
		if r.Code != "stale_seq" {
			t.Errorf("asked for something impossible, the loop answers %+v", r)
		}
	}
}

// A broker that does not behave, and visitors who do not read, do not delay the
// loop: it goes on answering while a game is played, and the program ends soon.
func TestNobodyOnTheNetworkDelaysTheLoop(t *testing.T) {
	mute := func(ctx context.Context, _ net.Conn) { <-ctx.Done() }
	swallows := func(_ context.Context, c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	hangsUp := func(context.Context, net.Conn) {}
	for _, c := range []struct {
		name   string
		broker func(ctx context.Context, c net.Conn)
		slow   int // visitors who do not read
	}{
		{"no broker", nil, 0},
		{"a broker that reads nothing and says nothing", mute, 0},
		{"a broker that reads and says nothing", swallows, 0},
		{"a broker that hangs up", hangsUp, 0},
		{"a broker that never acknowledges", neverAcknowledges, 0},
		{"visitors who do not read", nil, 50},
		{"all of it", neverAcknowledges, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, address, stop := launch(t, nil, func(conf *configs.Config) {
				conf.MQTT.Embedded.Enabled = false
				if c.broker != nil {
					conf.MQTT.Broker = "mqtt://" + service(t, c.broker)
				}
			})
			for range c.slow {
				visit(t, address, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
			}
			played := make(chan struct{})
			asked := make(chan []time.Duration, 1)
			go func() { asked <- askWhile(t, a, played) }()
			func() {
				defer close(played)
				playOpening(t, a)
			}()
			took := <-asked
			p99, slowest := took[len(took)*99/100], took[len(took)-1]
			t.Logf("%d answers, p99 %v, slowest %v", len(took), p99, slowest)
			// The page's answers have to come within 200 ms; a broker is waited
			// for 5 to 10 s.
			if p99 > 200*time.Millisecond || slowest > 2*time.Second {
				t.Errorf("p99 %v, slowest %v", p99, slowest)
			}
			checkStopsSoon(t, stop)
		})
	}
}

// visit opens a connection, sends a request and reads nothing.
func visit(t *testing.T, address, request string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(1); err != nil { //nolint:forcetypeassert // we have asked for tcp
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
}

// checkStopsSoon ends the program and fails the test if that takes more than
// the 5 s that a user waits before the plug is pulled.
func checkStopsSoon(t *testing.T, stop func() error) {
	t.Helper()
	begin := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the program ended after %v", took)
	}
}

// Whatever the network does to the goodbye, the program ends soon.
func TestStopsSoonWhenEverythingHangs(t *testing.T) {
	t.Parallel()
	a, address, stop := launch(t, nil, func(conf *configs.Config) {
		conf.MQTT.Embedded.Enabled = false
		conf.MQTT.Broker = "mqtt://" + service(t, neverAcknowledges)
	})
	eventually(t, "the broker lets the board in", func() bool { return a.link.adapter.Status().Connected })
	visit(t, address, "POST /api/v1/hands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	checkStopsSoon(t, stop)
}

// The LEDs light the way of a move when the program is told to end: they are
// dark when it has.
func TestLEDsAreDarkAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := run(t, t.TempDir(), nil)
		f5 := movesOf(t, opening)[0]
		if _, err := b.app.rig.Sim.Place(b.app.now(), int(f5), b.app.hands.face(engine.Black)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if litCells(b.app.rig.Sim) == 0 {
			t.Fatal("no light asks for the flips of f5")
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if lit := litCells(b.app.rig.Sim); lit != 0 {
			t.Errorf("%v is lit after the end", lit)
		}
	})
}

// slowDisk is a disk on which a sync takes as long as hold says.
type slowDisk struct {
	brittleDisk
	hold atomic.Int64 // nanoseconds
}

func (d *slowDisk) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	f, err := d.brittleDisk.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return slowFile{f, d}, nil
}

// slowFile is a file on it.
type slowFile struct {
	archive.File
	disk *slowDisk
}

func (f slowFile) Sync() error {
	time.Sleep(time.Duration(f.disk.hold.Load()))
	return f.File.Sync()
}

// Nobody is told that a command was carried out before that would survive a
// power cut.
func TestAnswersWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &slowDisk{}
		b, _ := run(t, t.TempDir(), disk)
		b.move(movesOf(t, opening)[0])
		disk.hold.Store(int64(500 * time.Millisecond))
		seq := b.page().State.Seq
		begin := time.Now()
		r := b.app.pageCommand(t.Context(), web.Command{Name: "undo", ID: "1", IfSeq: &seq})
		// The audit and the undo are two events with a sync each.
		if took := time.Since(begin); r.Status != "ok" || took != time.Second {
			t.Errorf("answered %+v after %v, want ok after both syncs, 1 s", r, took)
		}
		seq = b.page().State.Seq
		begin = time.Now()
		if r := b.app.pageCommand(t.Context(), web.Command{Name: "undo", ID: "2", IfSeq: &seq}); r.Status != "error" || time.Since(begin) != 0 {
			t.Errorf("a refusal is answered %+v after %v, want at once", r, time.Since(begin))
		}
	})
}

// While the disk fails MQTT still gets the newest state, and no event; after
// the repair the events come in order.
func TestStateOnMQTTWhileTheDiskFails(t *testing.T) {
	t.Parallel()
	disk := &brittleDisk{}
	a, _, _ := launch(t, disk, func(*configs.Config) {})
	eventually(t, "the game begins", func() bool { return shown(t, a).State.Phase == "playing" })
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	consumer := consume(t, a.link.broker.Addr())
	eventually(t, "the state arrives", func() bool { return consumer.state().Phase == "playing" })
	before := shown(t, a).State.Seq
	disk.fail(syscall.EIO)
	playOpening(t, a)
	eventually(t, "the state arrives without events", func() bool {
		s := consumer.state()
		return s.Transcript == opening && s.Problem.Code == storageTrouble
	})
	if got := consumer.numbers(); len(got) > 0 && got[len(got)-1] > before {
		t.Errorf("events %v were announced, the journal ends with %d", got, before)
	}
	disk.mend()
	last := before + uint64(len(opening)/2)
	eventually(t, "the events follow", func() bool {
		got := consumer.numbers()
		return len(got) > 0 && got[len(got)-1] == last && !consumer.state().Problem.Active
	})
	var want []uint64
	for n := before + 1; n <= last; n++ {
		want = append(want, n)
	}
	if got := consumer.numbers(); !slices.Equal(got, want) {
		t.Errorf("events came as %v, want %v", got, want)
	}
}

// consumer reads state and events.
type consumer struct {
	mu     sync.Mutex
	newest seenOnPage
	events []uint64
}

// consume connects to a broker as a guest.
func consume(t *testing.T, address string) *consumer {
	t.Helper()
	c := &consumer{}
	guest(t, address, "reversi/v1/reversi-1/+", c.take)
	return c
}

// guest connects to a broker and hands on what comes under a topic.
func guest(t *testing.T, address, topic string, take func(m paho.Message)) paho.Client {
	t.Helper()
	o := paho.NewClientOptions().AddBroker("tcp://" + address).SetProtocolVersion(4).SetClientID("consumer").SetAutoReconnect(false)
	client := paho.NewClient(o)
	carriedOut(t, client.Connect())
	t.Cleanup(func() { client.Disconnect(0) })
	carriedOut(t, client.Subscribe(topic, 1, func(_ paho.Client, m paho.Message) { take(m) }))
	return client
}

// carriedOut waits until the broker has done what it was asked for.
func carriedOut(t *testing.T, token paho.Token) {
	t.Helper()
	if !token.WaitTimeout(10*time.Second) || token.Error() != nil {
		t.Fatalf("the broker does not do it: %v", token.Error())
	}
}

func (c *consumer) take(m paho.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case strings.HasSuffix(m.Topic(), "/state"):
		c.newest = seenOnPage{}
		_ = json.Unmarshal(m.Payload(), &c.newest.State) // a broken one is not the state that is waited for
	case strings.HasSuffix(m.Topic(), "/event"):
		var e struct {
			Seq uint64 `json:"seq"`
		}
		_ = json.Unmarshal(m.Payload(), &e) // a broken one has number 0, which is not expected
		c.events = append(c.events, e.Seq)
	}
}

// state returns the newest state.
func (c *consumer) state() (s seenState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest.State
}

// numbers returns the numbers of the events as they came.
func (c *consumer) numbers() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.events)
}

// player asks for moves over MQTT.
type player struct {
	t       *testing.T
	client  paho.Client
	answers chan []byte
	asked   int
}

func newPlayer(t *testing.T, address string) *player {
	t.Helper()
	p := &player{t: t, answers: make(chan []byte, 8)}
	p.client = guest(t, address, "reversi/v1/reversi-1/resp/me", func(m paho.Message) { p.answers <- m.Payload() })
	return p
}

// hint asks for a move to be suggested and returns why it was refused, empty
// when it was not.
func (p *player) hint(role string) (code, text string) {
	p.t.Helper()
	p.asked++
	request := fmt.Sprintf(`{"id":"%d","from":"me"}`, p.asked)
	carriedOut(p.t, p.client.Publish("reversi/v1/reversi-1/cmd/"+role+"/hint", 1, false, request))
	var answer struct {
		Code  string `json:"code"`
		Error string `json:"error"`
	}
	select {
	case got := <-p.answers:
		if err := json.Unmarshal(got, &answer); err != nil {
			p.t.Fatalf("%v in the answer %s", err, got)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatal("no answer within 30 s")
	}
	return answer.Code, answer.Error
}

// beginWith begins a game with a rule about suggestions on a running board.
func beginWith(t *testing.T, a *App, hints referee.Hints) {
	t.Helper()
	match := matchOf(t, "")
	match.Profile.Hints = hints
	a.inputs <- referee.Command{At: a.now(), Audit: referee.Audit{Role: "arbiter", Name: "new", Order: referee.NewGame{Match: match}}}
	eventually(t, "the game begins", func() bool {
		s := shown(t, a).State
		return s.Phase == "playing" && s.Hints == hints.String()
	})
}

// A move is suggested over MQTT as it is on the page, to those who may play.
func TestHintOverMQTT(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	p := newPlayer(t, a.link.broker.Addr())
	for _, role := range []string{"player", "arbiter"} {
		beginWith(t, a, referee.HintsOff) // nothing is left of the last suggestion
		beginWith(t, a, referee.HintsOn)
		if code, text := p.hint(role); code != "" {
			t.Errorf("%s is answered %s: %s", role, code, text)
		}
		eventually(t, "a move is suggested", func() bool {
			return strings.HasPrefix(shown(t, a).Sentence, "Black to move. Try ")
		})
		// Where Black may begin.
		const d3c4f5e6 engine.Bitboard = 1<<19 | 1<<26 | 1<<37 | 1<<44
		eventually(t, "its lights", func() bool { return litCells(a.rig.Sim) == d3c4f5e6 })
	}
	// Guests may not speak for Home Assistant at all.
	for _, role := range []string{"ops", "hub"} {
		if code, text := p.hint(role); code != "not_allowed" || text != "not for this role" {
			t.Errorf("%s is answered %s: %s", role, code, text)
		}
	}
}

// What stands against a suggestion does so over MQTT as on the page.
func TestHintRefused(t *testing.T) {
	t.Parallel()
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	eventually(t, "the board is online", func() bool { return a.link.adapter.Status().Online })
	p := newPlayer(t, a.link.broker.Addr())
	refused := func(says string) {
		t.Helper()
		for _, role := range []string{"player", "arbiter"} {
			if code, text := p.hint(role); code != "not_allowed" || text != says {
				t.Errorf("%s is answered %q: %q, want not_allowed: %s", role, code, text, says)
			}
		}
		if r := a.pageCommand(t.Context(), web.Command{Name: "hint", ID: says}); r.Code != "not_allowed" || r.Error != says {
			t.Errorf("the page is answered %+v, want not_allowed: %s", r, says)
		}
		if said := shown(t, a).Sentence; strings.Contains(said, "Try") {
			t.Errorf("refused because %s, and yet: %s", says, said)
		}
	}
	beginWith(t, a, referee.HintsLocked)
	refused("suggestions are locked for this event")
	beginWith(t, a, referee.HintsOff)
	refused("suggestions are off")
	beginWith(t, a, referee.HintsOn)
	f5 := movesOf(t, opening)[0]
	if err := a.hands.Do(t.Context(), web.Act{Op: web.OpPlace, Square: f5, Color: engine.Black}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the disc is seen", func() bool { return !strings.Contains(shown(t, a).Sentence, "to move") })
	refused("finish what lies on the board first")
}
