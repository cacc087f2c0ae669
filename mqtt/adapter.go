package mqtt

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"time"

	"reversi-board/mqtt/ratelog"
)

// Adapter is the board on MQTT. All its methods return at once, except Close.
type Adapter struct {
	o    Options
	url  *url.URL
	base string // reversi/v1/<board>/
	log  *slog.Logger
	gate *gate
	box  *box

	clientID string
	told     *ratelog.Log // what repeats while a fault lasts

	inbox    *inbox
	commands chan Request
	changes  chan struct{}

	leave     chan struct{}
	leaveOnce sync.Once
	stopDial  context.CancelFunc // with leave
	kill      context.CancelFunc // ends everything at once
	done      chan struct{}

	// These belong to the supervisor.
	playback playback
	drain    time.Time // until when the events that went are paid for, see paced
	cuts     int       // connections in a row that ended before "online", see watchCuts
	careful  bool      // subscribe to one topic after another

	mu       sync.Mutex
	status   Status
	last     []byte // the last state
	reason   string
	sessions []string // own sessions, the newest last
}

// Status is what the board's page shows about the connection.
type Status struct {
	// Connected is true from CONNACK on, Online once the broker has taken
	// everything up to "online".
	Connected, Online bool
	Broker            string
	// Session is the id of the connection.
	Session string
	// Outbox is the number of events that wait.
	Outbox uint64
	// Connections counts the successful ones, Drops the messages thrown away.
	Connections, Drops int
	// RTT is the time that the last acknowledgement took.
	RTT time.Duration
	// Problem says why there is no connection, or what the broker refuses.
	Problem string
	// Unreadable says that the journal does not give the events that wait.
	Unreadable bool
}

// incomingMessage is what the library hands over.
type incomingMessage struct {
	topic    string
	payload  []byte
	retained bool
}

// playback is a replay under way: the events still to send again, the next one
// not before at. If the journal has failed to give them, it is tried again at that time.
type playback struct {
	events []record
	at     time.Time
	failed bool
}

// Bounds of what comes in.
const (
	commandQueue = 16
	ownSessions  = 16
	seedWindow   = 20000 // events looked at for commands of earlier runs
)

// Start checks the options and starts the adapter. It need not reach a broker:
// it keeps trying. It ends with Close, or with the context, and then says
// goodbye all the same.
func Start(ctx context.Context, o Options) (*Adapter, error) {
	u, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("start mqtt: %w", err)
	}
	run, kill := context.WithCancel(context.WithoutCancel(ctx))
	dial, stopDial := context.WithCancel(run)
	a := &Adapter{
		o: o, url: u, base: root + o.Board + "/", log: o.Logger, gate: newGate(o.Board, o.Commands), box: newBox(),
		clientID: newClientID(o.Board), told: ratelog.New(o.Logger, ratelog.Interval),
		inbox:    newInbox(o.Board),
		commands: make(chan Request, commandQueue),
		changes:  make(chan struct{}, 1),
		leave:    make(chan struct{}), stopDial: stopDial, kill: kill, done: make(chan struct{}),
	}
	a.status.Broker = u.Host
	a.box.durable = o.Journal.LastSeq()
	// A cursor beyond the end is left over from a journal that was damaged.
	a.box.acked = min(o.Cursor.Acked(), a.box.durable)
	for _, code := range AlertCodes() {
		a.box.set(slotAlert+code, nil, 1) // an earlier run may have left one behind
	}
	var wg sync.WaitGroup
	wg.Go(func() { a.supervise(run, dial) })
	wg.Go(func() { a.intake(run) })
	stop := context.AfterFunc(ctx, func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.o.Tuning.Leave)
		defer cancel()
		_ = a.Close(bounded, "shutdown") // nobody is left to tell
	})
	go func() {
		wg.Wait()
		stop()
		a.told.Close()
		close(a.done)
	}()
	return a, nil
}

// State gives the adapter a new snapshot, which contains everything up to event
// seq. The latest wins. The payload must not be changed afterwards.
func (a *Adapter) State(payload []byte, seq uint64) {
	a.mu.Lock()
	a.last = payload
	a.mu.Unlock()
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	a.box.stateSeq = seq
	a.box.set(slotState, payload, 1)
}

// Notify says that the events up to seq are in the journal for good.
func (a *Adapter) Notify(durable uint64) {
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	a.box.durable = max(a.box.durable, durable)
	a.box.poke()
}

// Topic is a topic whose payload is built elsewhere.
type Topic string

// The retained topics besides state and alerts, and those that are not retained:
// Raw and Hint are about the moment.
const (
	Clock  Topic = "clock"
	Health Topic = "sensor/health"
	Diag   Topic = "diag"
	Image  Topic = "image"
	Raw    Topic = "sensor/raw"
	Hint   Topic = "hint"
)

// Show gives a topic a new payload. The latest wins. A retained one is published
// again with every connection; another one goes once, if there is a connection.
func (a *Adapter) Show(t Topic, payload []byte) {
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	switch t {
	case Clock, Health:
		a.box.set(string(t), payload, 1)
	case Diag, Image:
		a.box.set(string(t), payload, 0)
	case Raw, Hint:
		a.box.pass(string(t), payload)
	}
}

// Alert raises or changes an alert; nil says that it is solved.
func (a *Adapter) Alert(code string, payload []byte) {
	if !validWord(code) {
		a.log.Error("mqtt: alert with a code that cannot be a topic", "code", code)
		return
	}
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	delete(a.box.until, code)
	a.box.set(slotAlert+code, payload, 1)
}

// StorageFailed says whether the disk fails: states then leave although the
// events that they contain have to wait.
func (a *Adapter) StorageFailed(failed bool) {
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	a.box.storageFailed = failed
	a.box.poke()
}

// Commands returns the requests. It is closed when the adapter ends.
func (a *Adapter) Commands() <-chan Request { return a.commands }

// Changes signals that Status has changed in more than numbers.
func (a *Adapter) Changes() <-chan struct{} { return a.changes }

// Status returns how things are.
func (a *Adapter) Status() Status {
	a.mu.Lock()
	s := a.status
	a.mu.Unlock()
	_, s.Outbox = a.box.outbox()
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	s.Drops = a.box.drops
	return s
}

// change edits the status and signals it.
func (a *Adapter) change(edit func(*Status)) {
	a.mu.Lock()
	edit(&a.status)
	a.mu.Unlock()
	select {
	case a.changes <- struct{}{}:
	default:
	}
}

// Done is closed when the adapter has ended.
func (a *Adapter) Done() <-chan struct{} { return a.done }

// Close publishes offline with the reason (shutdown, update or rename), waits
// for its acknowledgement, disconnects, and waits for everything to end. When
// the context ends first, the connection is cut, and the broker publishes the
// will.
func (a *Adapter) Close(ctx context.Context, reason string) error {
	a.leaveOnce.Do(func() {
		a.mu.Lock()
		a.reason = reason
		a.mu.Unlock()
		close(a.leave)
		a.stopDial()
	})
	select {
	case <-a.done:
		a.kill()
		return nil
	case <-ctx.Done():
	}
	a.kill()
	<-a.done
	return fmt.Errorf("leave mqtt: %w", ctx.Err())
}

// intake works on what comes in, so that the library never waits.
func (a *Adapter) intake(ctx context.Context) {
	defer close(a.commands)
	a.seed()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.leave:
			return
		case <-a.inbox.news:
			for m, ok := a.inbox.take(); ok && ctx.Err() == nil && !a.isLeaving(); m, ok = a.inbox.take() {
				a.handle(m)
			}
		}
	}
}

// seed remembers the commands of earlier runs.
func (a *Adapter) seed() {
	last := a.o.Journal.LastSeq()
	if last == 0 {
		return
	}
	// Also those before a gap: a command must not be carried out twice.
	from := max(last, seedWindow+1) - seedWindow
	err := a.o.Journal.Read(from, seedWindow+1, func(seq uint64, payload []byte) error {
		a.gate.seed(payload, seq == last)
		return nil
	})
	if err != nil {
		a.log.Warn("mqtt: commands of earlier runs are not known", "err", err)
	}
}

func (a *Adapter) handle(m incomingMessage) {
	switch m.topic {
	case a.base + "availability":
		a.foreign(m)
	case haStatus:
		if string(m.payload) == "online" && !m.retained {
			a.box.refreshAt(time.Now().Add(a.o.Tuning.Refresh + rand.N(4*a.o.Tuning.Refresh))) //nolint:gosec // jitter needs no secret
		}
	default:
		a.command(m)
	}
}

// foreign looks at availability as somebody else may have written it.
func (a *Adapter) foreign(m incomingMessage) {
	var v struct {
		State   string `json:"state"`
		Session string `json:"session"`
	}
	if m.retained || json.Unmarshal(m.payload, &v) != nil {
		return
	}
	a.mu.Lock()
	current := len(a.sessions) > 0 && a.sessions[len(a.sessions)-1] == v.Session
	own := slices.Contains(a.sessions, v.Session)
	a.mu.Unlock()
	switch {
	case v.State == "offline" && !current:
		a.box.mu.Lock()
		a.box.foreignOffline = true
		a.box.poke()
		a.box.mu.Unlock()
	case v.State == "online" && !own:
		a.raise(alertDuplicate, "error", a.o.Tuning.DuplicateKept,
			fmt.Sprintf("another board is connected as %s: give one of them another id", a.o.Board))
	}
}

// raise opens an alert of the adapter's own for a while.
func (a *Adapter) raise(code, severity string, kept time.Duration, text string) {
	a.told.Warn("mqtt: "+code, "text", text)
	at := a.o.Stamp()
	b := EncodeAlert(at, code, severity, text, nil, at.TS)
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	a.box.until[code] = time.Now().Add(kept)
	a.box.set(slotAlert+code, b, 1)
}

func (a *Adapter) command(m incomingMessage) {
	o, ok := parseOrder(a.o.Board, m.topic)
	if !ok || len(m.payload) == 0 {
		return // an empty one is what clearing a retained command looks like
	}
	v := a.gate.check(time.Now(), incoming{order: o, payload: m.payload, retained: m.retained}, a.view())
	switch {
	case v.clear:
		a.RetainedCommand(m.topic)
	case v.answer != nil:
		a.send(v.from, *v.answer)
	case v.request != nil:
		a.submit(v)
	}
}

// RetainedCommand says that somebody has published a command with the retain flag,
// which has been ignored or refused.
func (a *Adapter) RetainedCommand(topic string) {
	a.raise(alertRetained, "warn", a.o.Tuning.AlertKept,
		fmt.Sprintf("a command was published with the retain flag and has been ignored: %.128s", topic))
}

// submit hands a request to the application, or answers that it is busy.
func (a *Adapter) submit(v verdict) {
	r, memo := *v.request, v.memo
	r.reply = func(p Response) { a.finish(r, memo, p) }
	select {
	case a.commands <- r:
	default:
		r.Reply(Response{Code: CodeBusy, Text: "the board is busy, try again", Seq: a.view().seq})
	}
}

func (a *Adapter) finish(r Request, e *memo, p Response) {
	if p.Code == CodeOK && r.Name == "replay" && !a.replay(r.Replay) {
		p.Code, p.Text = CodeBusy, "too many replays, try again"
	}
	first, repeats, ok := a.gate.finish(e, p)
	if !ok {
		return
	}
	a.send(r.From, first)
	first.Dup = true
	for range min(repeats, maxReplays) {
		a.send(r.From, first)
	}
	if p.Code == CodeOK && r.Name == "snapshot" {
		a.box.again(slotState, string(Clock), string(Health))
	}
}

// replay queues events to be sent again.
func (a *Adapter) replay(r ReplayArgs) bool {
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	if len(a.box.replays) == maxReplays {
		return false
	}
	a.box.replays = append(a.box.replays, r)
	a.box.poke()
	return true
}

// send queues an answer, if there is somebody to tell.
func (a *Adapter) send(to string, out answer) {
	if to == "" {
		return
	}
	refusal := out.Code != nil && (*out.Code == CodeRateLimited || *out.Code == CodeBadPayload)
	a.box.once(message{topic: a.base + "resp/" + to, payload: encode(out)}, refusal)
}

// view is what the gate needs to know.
func (a *Adapter) view() view {
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	var s struct {
		Phase string `json:"phase"`
	}
	_ = json.Unmarshal(last, &s) // no state yet: no game
	a.box.mu.Lock()
	defer a.box.mu.Unlock()
	return view{
		seq: a.box.stateSeq, phase: s.Phase, first: a.o.Journal.FirstSeq(), last: a.box.durable, stamp: a.o.Stamp(),
	}
}
