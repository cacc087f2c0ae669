package web

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// ringSize is how many events a reader may have missed.
	ringSize = 1024
	// batchSize is how many of them are written at once, so that the deadline
	// of a write means a reader that stands still and not a long history.
	batchSize = 64
)

// hub holds the newest of everything and wakes the readers. Its lock is held
// for a few instructions only, never while something is encoded or written:
// that is what makes Publish, Event and LEDs safe to call from the game.
type hub struct {
	epoch string
	card  card
	log   *slog.Logger
	// now is the clock of the stamps.
	now func() time.Duration

	mu      sync.Mutex
	ring    [ringSize]note // message n is at n % ringSize
	last    uint64         // number of the newest message, 0 before the first
	seq     uint64         // sequence number of the newest message
	view    *view
	leds    *leds
	readers map[*reader]struct{}
}

// note is an event as everybody may know it, nil for not at all, and all of it.
type note struct{ public, full []byte }

// reader is one open stream.
type reader struct {
	wake chan struct{} // holds at most one token
	// you is whose stream it is, kind what its ids say of that.
	you  you
	kind string
	// ended is closed when it must end; nil for never.
	ended <-chan struct{}

	// The rest is guarded by the hub's lock.
	next     uint64 // the message to send next
	snapshot bool   // send a snapshot instead
	view     bool   // a newer view is there
	leds     bool   // newer LEDs are there
}

// batch is what a reader gets in one write.
type batch struct {
	snapshot bool
	last     uint64 // the number of the newest message the reader then has
	events   []note
	view     *view
	leds     *leds
}

func (b *batch) empty() bool {
	return !b.snapshot && len(b.events) == 0 && b.view == nil && b.leds == nil
}

// view and leds are encoded when the first reader wants them, on that reader's
// goroutine, and once for all readers.
type view struct {
	View
	public, full sheet
}

// sheet is a view as some of the readers get it.
type sheet struct {
	once sync.Once
	text []byte
	etag string
}

type leds struct {
	px   [64]RGB
	once sync.Once
	text string
}

// card is what never changes about a board.
type card struct {
	Board     string   `json:"board"`
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Simulated bool     `json:"simulated"`
	Hands     bool     `json:"hands"`
	Variants  []string `json:"variants"`
	Profiles  []string `json:"profiles"`
	// Clocks are how games are timed under each profile.
	Clocks   map[string]string `json:"clocks"`
	Opponent string            `json:"opponent"`
	// Health and Calibrate say that there are such views.
	Health    bool `json:"health"`
	Calibrate bool `json:"calibrate"`
}

func cardOf(o Options) card {
	return card{
		Board: o.Board, Name: o.Name, Version: o.Version,
		Simulated: o.Simulated, Hands: o.Hands != nil,
		Variants: o.Variants, Profiles: o.Profiles, Clocks: o.Clocks, Opponent: o.Opponent,
		Health: o.Health != nil, Calibrate: o.Calibrate != nil,
	}
}

func newEpoch() string {
	var b [6]byte
	// rand.Read never fails: it ends the program if the system has no
	// randomness.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func newHub(epoch string, c card, log *slog.Logger, now func() time.Duration) *hub {
	return &hub{
		epoch: epoch, card: c, log: log, now: now,
		view: &view{}, leds: &leds{},
		readers: make(map[*reader]struct{}),
	}
}

func (h *hub) publish(v View) {
	next := &view{View: v}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.view = next
	for r := range h.readers {
		r.view = true
		r.nudge()
	}
}

func (h *hub) lights(px [64]RGB) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leds.px == px {
		return
	}
	h.leds = &leds{px: px}
	for r := range h.readers {
		r.leds = true
		r.nudge()
	}
}

func (h *hub) event(seq uint64, public, payload []byte) {
	var n note
	for _, part := range []struct {
		from []byte
		to   *[]byte
	}{{public, &n.public}, {payload, &n.full}} {
		line := part.from
		if bytes.ContainsAny(line, "\n\r") {
			// A line break would end the message in the middle.
			var flat bytes.Buffer
			if err := json.Compact(&flat, line); err != nil {
				h.log.Error("an event that is not JSON was not shown on the page", "seq", seq, "error", err)
				return
			}
			line = flat.Bytes()
		}
		*part.to = line
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last > 0 && seq <= h.seq {
		return
	}
	h.seq = seq
	h.last++
	h.ring[h.last%ringSize] = n
	for r := range h.readers {
		r.nudge()
	}
}

// nudge tells the stream's goroutine to look; a token that is there already
// says the same.
func (r *reader) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// join adds a reader that has seen the message lastID names. The ids of its stream
// hold kind: what was seen by somebody else does not count.
func (h *hub) join(lastID string, whose you, kind string) *reader {
	r := &reader{wake: make(chan struct{}, 1), you: whose, kind: kind}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n, known := h.resume(lastID, kind); known {
		r.next, r.view, r.leds = n+1, true, true
	} else {
		r.snapshot = true
	}
	h.readers[r] = struct{}{}
	r.nudge()
	return r
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
}

// resume reads an id that this hub has written.
func (h *hub) resume(id, kind string) (n uint64, known bool) {
	rest, found := strings.CutPrefix(id, h.epoch+kind+"-")
	if !found {
		return 0, false
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	if err != nil || n > h.last || h.last-n > ringSize {
		return 0, false
	}
	return n, true
}

func (h *hub) id(kind string, n uint64) string {
	return h.epoch + kind + "-" + strconv.FormatUint(n, 10)
}

// take returns what r has not seen yet, nothing if it has seen all. With wait
// the view and the LEDs are left for a later batch.
func (h *hub) take(r *reader, wait bool) (b batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.snapshot || h.last-(r.next-1) > ringSize {
		b = batch{snapshot: true, last: h.last, view: h.view, leds: h.leds}
		r.next, r.snapshot, r.view, r.leds = h.last+1, false, false, false
		return b
	}
	for r.next <= h.last && len(b.events) < batchSize {
		b.events = append(b.events, h.ring[r.next%ringSize])
		r.next++
	}
	b.last = r.next - 1
	if r.next <= h.last {
		// The view must not run ahead of the events it is the result of.
		r.nudge()
		return b
	}
	if wait {
		return b
	}
	if r.view {
		b.view, r.view = h.view, false
	}
	if r.leds {
		b.leds, r.leds = h.leds, false
	}
	return b
}

// newest returns the view that is on show.
func (h *hub) newest() *view {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.view
}

// write appends the messages of b to out, as r may see them.
func (h *hub) write(out *bytes.Buffer, b batch, r *reader) {
	if b.snapshot {
		out.Write(message("snapshot", h.id(r.kind, b.last), h.snapshot(b, r)))
		return
	}
	first := b.last - uint64(len(b.events)) + 1
	for i, e := range b.events {
		line := e.public
		if r.you.Full {
			line = e.full
		}
		if line != nil {
			out.Write(message("event", h.id(r.kind, first+uint64(i)), line))
		}
	}
	if b.view != nil {
		text, _ := b.view.json(r.you.Full)
		out.Write(message("view", "", h.timed(text)))
	}
	if b.leds != nil {
		out.Write(message("leds", "", []byte(b.leds.base64())))
	}
}

func (h *hub) snapshot(b batch, r *reader) []byte {
	text, _ := b.view.json(r.you.Full)
	return mustJSON(struct {
		V     int             `json:"v"`
		Epoch string          `json:"epoch"`
		Card  card            `json:"card"`
		You   you             `json:"you"`
		View  json.RawMessage `json:"view"`
		LEDs  string          `json:"leds"`
	}{1, h.epoch, h.card, r.you, h.timed(text), b.leds.base64()})
}

// timed adds to a view what the board's clock says as it leaves: a view may have
// lain there for long.
func (h *hub) timed(text []byte) []byte {
	out := make([]byte, 0, len(text)+24)
	out = append(out, `{"now_ms":`...)
	out = strconv.AppendInt(out, h.now().Milliseconds(), 10)
	out = append(out, ',')
	return append(out, text[1:]...)
}

// message is one SSE message; data holds no line break.
func message(kind, id string, data []byte) []byte {
	b := make([]byte, 0, len(data)+len(kind)+len(id)+24)
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), kind...), '\n')
	b = append(append(b, "data: "...), data...)
	return append(b, "\n\n"...)
}

// json returns the view as the page gets it, all of it or what players may know,
// and its ETag.
func (v *view) json(full bool) (text []byte, etag string) {
	to, state := &v.public, json.RawMessage(v.State)
	if full && v.Full != nil {
		to, state = &v.full, json.RawMessage(v.Full)
	}
	to.once.Do(func() {
		if !json.Valid(state) {
			state = json.RawMessage("null")
		}
		to.text = mustJSON(struct {
			V           int               `json:"v"`
			State       json.RawMessage   `json:"state"`
			Moves       []Played          `json:"moves"`
			Sentence    string            `json:"sentence"`
			Table       string            `json:"table"`
			Start       string            `json:"start"`
			First       string            `json:"first"`
			Connections map[string]string `json:"connections"`
			Alerts      []Alert           `json:"alerts"`
			AutoFlip    bool              `json:"auto_flip"`
			Robot       bool              `json:"robot"`
			Opponent    *Opponent         `json:"opponent"`
			Failed      []string          `json:"failed"`
			Evals       []*int            `json:"evals"`
			Evaluating  bool              `json:"evaluating"`
			Question    *Question         `json:"question"`
			Timing      *Timing           `json:"timing"`
			Press       bool              `json:"press"`
			Claims      bool              `json:"claims"`
			Takeback    *Takeback         `json:"takeback"`
		}{
			1, state, moves(state), v.Sentence, v.Table, v.Start, v.First, v.Connections, v.Alerts,
			v.AutoFlip, v.Robot, v.Opponent, v.Failed, v.Evals, v.Evaluating, v.Question,
			v.Timing, v.Press, v.Claims, v.Takeback,
		})
		sum := sha256.Sum256(to.text)
		to.etag = `"` + hex.EncodeToString(sum[:12]) + `"`
	})
	return to.text, to.etag
}

func (l *leds) base64() string {
	l.once.Do(func() {
		raw := make([]byte, 0, 3*len(l.px))
		for _, c := range l.px {
			raw = append(raw, c.R, c.G, c.B)
		}
		l.text = base64.StdEncoding.EncodeToString(raw)
	})
	return l.text
}

// mustJSON encodes values of this package's own types, which always can be:
// their raw members have been found valid.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
