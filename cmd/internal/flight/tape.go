package flight

import (
	"encoding/binary"
	"encoding/json"
	"sync"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

const (
	// room is how many bytes of records wait for the disk at most: minutes of a
	// game. There are two buffers of that size.
	room = 256 << 10
	// retryAfter is how long a disk is left alone that could not be written; each
	// time twice as long, up to retryMost.
	retryAfter = 10 * time.Second
	retryMost  = 10 * time.Minute
	// frameRate is how many frames a second may come in the long run, frameBurst
	// how many at once.
	frameRate  = 10
	frameBurst = 3000
)

// TapeOptions say what a tape begins with.
type TapeOptions struct {
	About About
	// Boot counts the starts of the program.
	Boot int
	// Wall returns the wall clock.
	Wall func() time.Time
	// Whole says that everything goes into one segment, whatever its length: for
	// a game that is played at once in virtual time.
	Whole bool
}

// Place is where a core stands between two steps.
type Place struct {
	JID  string
	Seq  uint64
	Game string
}

// Tape is what has happened and is not on the disk yet. The loop calls Start once
// and then Before, Announced and After for every step; the scanner calls Frame,
// Doubted and Renewed. None of them waits for anything but for each other, and
// none allocates but where a segment begins.
type Tape struct {
	o TapeOptions
	// wake is told that there is much to write, or that a game has ended.
	wake chan struct{}

	mu sync.Mutex
	// buf are the records, each behind its length.
	buf  []byte
	room int
	// open says that the segment is whole so far, so that a step may follow. want
	// is why another one is to begin with the next step, empty if none is.
	open bool
	want string
	// failed says that the disk could not be written, retryAt when to try again,
	// and pause how long that was put off.
	failed         bool
	retryAt, pause time.Duration
	lost           uint64
	// now is the frame of the last scan, if seen; base the one that was recorded
	// last.
	now, base Frame
	seen      bool
	// tokens frames may come, refilled at tokensAt; left were left out.
	tokens   float64
	tokensAt time.Duration
	left     uint64

	// The rest belongs to the loop: the input and the events of the step that is
	// being made, the record that is made of them, and the state before it, which
	// stood at place, if fresh.
	input, events, step []byte
	snap                []byte
	place               Place
	at                  time.Duration
	fresh               bool
	// begins and ends say that the step starts and ends a game; bad that it
	// cannot be recorded.
	begins, ends, bad bool

	// The rest belongs to the scanner.
	last  Frame
	any   bool
	frame []byte
}

// NewTape returns a tape on which nothing is yet.
func NewTape(o TapeOptions) *Tape {
	t := &Tape{
		o: o, wake: make(chan struct{}, 1), want: Started, room: room, tokens: frameBurst,
		step: make([]byte, 0, 8<<10), frame: make([]byte, 0, 64),
	}
	if o.Whole {
		t.room = maxStream
	} else {
		t.buf = make([]byte, 0, room)
	}
	return t
}

// Lost returns how many records have been lost so far.
func (t *Tape) Lost() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// Sense says with which settings the pipeline begins, before Start.
func (t *Tape) Sense(c *sensing.Config) { t.o.About.Sensing = Sensing(*c) }

// Start begins the first segment, before the first scan.
func (t *Tape) Start(at time.Duration, place Place, s *referee.State) {
	t.at, t.place = at, place
	t.snap = referee.AppendSnapshot(t.snap[:0], s)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(Started)
}

// Before notes the input of a step that is about to be made on s, which stands at
// place.
func (t *Tape) Before(place Place, s *referee.State, in referee.Input) {
	t.at, t.place, t.fresh = referee.When(in), place, false
	t.begins, t.ends = false, false
	t.events = t.events[:0]
	t.mu.Lock()
	why := t.due()
	t.mu.Unlock()
	// A game may begin with this step: then a segment begins before it.
	mayBegin := s.Phase != referee.Playing && s.Phase != referee.Paused && !t.o.Whole
	if why != "" || mayBegin {
		t.snap, t.fresh = referee.AppendSnapshot(t.snap[:0], s), true
	}
	if why != "" {
		t.mu.Lock()
		t.begin(why)
		t.mu.Unlock()
	}
	var err error
	t.input, err = referee.AppendInput(t.input[:0], in)
	t.bad = err != nil
}

// Announced notes an event of the step; newGame is the id that was drawn for it,
// if one was.
func (t *Tape) Announced(ev referee.Event, s record.Stamp, newGame string, payload []byte) {
	switch ev.(type) {
	case referee.GameStarted:
		t.begins = true
	case referee.GameOver:
		t.ends = true
	case referee.Moved, referee.Passed, referee.FlipError, referee.Undone, referee.Revised, referee.PositionSet, referee.Illegal,
		referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed, referee.Faulted, referee.Restored,
		referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
	t.events = appendEvent(t.events, s, newGame, payload)
}

// After ends the step: when the referee wants to be woken, whether it refused, and
// whether an event could not be written.
func (t *Tape) After(wake time.Duration, refused *referee.Refuse, failed bool) {
	b := appendText(append(t.step[:0], byte(stepKind)), t.input)
	b = appendTime(appendYes(b, failed), wake)
	if b = appendYes(b, refused != nil); refused != nil {
		b = appendText(appendText(b, refused.Code), refused.Text)
	}
	t.step = append(b, t.events...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begins && t.fresh && t.open && t.want == "" {
		t.begin(GameBegins)
	}
	switch {
	case !t.open:
		t.lost++
	case t.bad:
		t.tear()
	case t.put(t.step) && t.ends:
		t.nudge()
	}
}

// Frame notes a scan, if the outputs of the cells have changed.
func (t *Tape) Frame(now time.Duration, f *Frame) {
	if t.any && *f == t.last {
		return
	}
	t.last, t.any = *f, true
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now, t.seen = *f, true
	switch {
	case !t.open:
		t.lost++
	case !t.afford(now) || t.want == Long:
		t.left++
	case t.base != *f:
		t.noteLeft(now)
		if t.frame = appendFrame(t.frame[:0], now, &t.base, f); t.open && t.put(t.frame) {
			t.base = *f
		}
	}
}

// afford reports whether one more frame may come.
func (t *Tape) afford(now time.Duration) bool {
	if t.o.Whole {
		return true
	}
	t.tokens = min(frameBurst, t.tokens+frameRate*max(0, now-t.tokensAt).Seconds())
	t.tokensAt = now
	if t.tokens < 1 {
		return false
	}
	t.tokens--
	return true
}

// noteLeft says how many frames were left out.
func (t *Tape) noteLeft(now time.Duration) {
	if t.left == 0 {
		return
	}
	t.frame = appendTime(append(t.frame[:0], byte(leftKind)), now)
	t.frame = binary.AppendUvarint(t.frame, t.left)
	if t.put(t.frame) {
		t.left = 0
	}
}

// Doubted notes cells that sensing is told not to believe from the next frame on.
func (t *Tape) Doubted(now time.Duration, squares engine.Bitboard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(appendSet(appendTime([]byte{byte(doubtKind)}, now), squares))
}

// Renewed notes that sensing begins anew with the next frame.
func (t *Tape) Renewed(now time.Duration, c *sensing.Config) {
	settings := Sensing(*c)
	text, err := json.Marshal(&settings)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.o.About.Sensing = settings
	if err == nil {
		t.note(appendText(appendTime([]byte{byte(renewedKind)}, now), text))
	}
}

// note puts a record on the tape if it can follow.
func (t *Tape) note(r []byte) {
	if t.open {
		t.put(r)
	} else {
		t.lost++
	}
}

// put puts a record on the tape. If there is no room the segment is torn.
func (t *Tape) put(r []byte) bool {
	if len(t.buf)+len(r)+binary.MaxVarintLen32 > t.room || len(r) > maxRecord {
		t.tear()
		return false
	}
	t.buf = appendText(t.buf, r)
	if len(t.buf) > t.room/2 {
		t.nudge()
	}
	return true
}

// tear gives the segment up because of a record that is lost.
func (t *Tape) tear() {
	t.open = false
	t.lost++
	if t.want != Started {
		t.want = Gap
	}
}

// due returns why a segment is to begin with the step at t.at, empty if none is.
func (t *Tape) due() string {
	if t.failed {
		t.pause = min(max(2*t.pause, retryAfter), retryMost)
		t.failed, t.retryAt = false, t.at+t.pause
	}
	if t.want == Gap && (t.at < t.retryAt || len(t.buf) > t.room/4) {
		return ""
	}
	return t.want
}

// begin begins a segment with the state in t.snap.
func (t *Tape) begin(why string) {
	h := Header{
		Format: Format, Snapshot: referee.SnapshotVersion, Inputs: referee.InputVersion,
		Reason: why, Continues: t.open, Lost: t.lost,
		At: t.at, Wall: t.o.Wall().UTC(), Boot: t.o.Boot, JID: t.place.JID, Seq: t.place.Seq, Game: t.place.Game, About: t.o.About,
	}
	if t.seen {
		frame := t.now
		h.Frame = &frame
	}
	text, err := json.Marshal(&h)
	if err != nil {
		t.tear()
		return
	}
	t.open, t.want, t.base = true, "", t.now
	r := appendText([]byte{byte(beginKind)}, text)
	t.put(append(r, t.snap...))
	t.nudge()
}

// take returns what is on the tape, and goes on in another buffer.
func (t *Tape) take(spare []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	full := t.buf
	t.buf = spare[:0]
	return full
}

// missed says how many records did not come to the disk, whether the segment that
// is open is among them, and whether the disk is well.
func (t *Tape) missed(lost uint64, broken, well bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost += lost
	if broken {
		t.open, t.failed, t.want = false, true, Gap
	} else if well {
		t.pause = 0
	}
}

// long says that the segment is long enough.
func (t *Tape) long() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.want == "" && !t.o.Whole {
		t.want = Long
	}
}

func (t *Tape) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
