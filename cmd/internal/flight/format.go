package flight

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

// Format is the version of the files.
const Format = 1

// magic is how every file begins.
const magic = "reversi-board flight recording "

const (
	// blockHead is length and checksum.
	blockHead = 8
	// maxBlock bounds a block, maxRecord a record, maxStream all records of a
	// segment, in bytes.
	maxBlock  = 4 << 20
	maxRecord = 1 << 20
	maxStream = 256 << 20
)

// About says which program recorded which board.
type About struct {
	// Program, Commit and Go are the versions, System is GOOS/GOARCH.
	Program string `json:"program"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	System  string `json:"system"`
	// Board is its id, Kind its kind of hardware.
	Board     string `json:"board"`
	Kind      string `json:"kind"`
	Simulated bool   `json:"simulated"`
	ScanHz    int    `json:"scan_hz"`
	// Sensing are the settings of the pipeline.
	Sensing Sensing `json:"sensing"`
}

// Sensing are the settings of a pipeline as they are written: sensing.Config.
type Sensing struct {
	Debounce     time.Duration   `json:"debounce_ns"`
	Settle       time.Duration   `json:"settle_ns"`
	Wake         time.Duration   `json:"wake_ns"`
	FlapSteps    int             `json:"flap_steps"`
	FlapWindow   time.Duration   `json:"flap_window_ns"`
	Restless     time.Duration   `json:"restless_ns"`
	UnmaskAfter  time.Duration   `json:"unmask_after_ns"`
	NorthIsBlack bool            `json:"north_is_black"`
	Presence     bool            `json:"presence"`
	Dead         engine.Bitboard `json:"dead"`
}

// Frame is what a scan tells the pipeline: the outputs of the cells, those of banks
// that are lost, those whose chip was reset (sensing.Frame), and those that were
// not read this time (Pipeline.Unread).
type Frame struct {
	North  engine.Bitboard `json:"north"`
	South  engine.Bitboard `json:"south"`
	Lost   engine.Bitboard `json:"lost"`
	Reset  engine.Bitboard `json:"reset"`
	Unread engine.Bitboard `json:"unread"`
}

// The reasons for which a segment begins.
const (
	// Started: the program has started, and the pipeline with it.
	Started = "start"
	// GameBegins: the first step of the segment starts a game.
	GameBegins = "game"
	// Long: the segment before was long enough.
	Long = "size"
	// Gap: records before have been lost.
	Gap = "gap"
)

// Header says what a segment begins with, besides the referee's state.
type Header struct {
	Format   int `json:"format"`
	Snapshot int `json:"snapshot"`
	Inputs   int `json:"inputs"`
	// Reason is why the segment begins. Continues says that nothing is missing
	// between the segment before and this one.
	Reason    string `json:"reason"`
	Continues bool   `json:"continues"`
	// Lost counts the records that have been lost since the program started.
	Lost uint64 `json:"lost"`
	// At is the time since the program started, Wall what the wall clock said
	// then; it may be wrong. Boot counts the starts of the program.
	At   time.Duration `json:"mono_ns"`
	Wall time.Time     `json:"wall"`
	Boot int           `json:"boot"`
	// JID names the journal, Seq is its last event, Game the game.
	JID  string `json:"jid"`
	Seq  uint64 `json:"seq"`
	Game string `json:"game"`
	// Frame is what the outputs of the cells are when the segment begins, nil
	// before the first scan.
	Frame *Frame `json:"frame"`
	About About  `json:"about"`
}

// check refuses a segment that this program cannot read.
func (h *Header) check() error {
	for _, v := range []struct {
		what              string
		has, oldest, want int
	}{
		{"format", h.Format, Format, Format},
		{"states of the referee", h.Snapshot, referee.OldestSnapshot, referee.SnapshotVersion},
		{"inputs of the referee", h.Inputs, referee.OldestInput, referee.InputVersion},
	} {
		if v.has < v.oldest || v.has > v.want {
			return fmt.Errorf("%w: its %s is version %d, this program reads version %d: replay it with reversi-board %s",
				ErrVersion, v.what, v.has, v.want, h.About.Program)
		}
	}
	return nil
}

// The mistakes of a recording.
var (
	// ErrVersion says that another version of the program wrote it.
	ErrVersion = errors.New("this recording was made by another version of the program")
	// ErrNoRecording says that a file is none at all.
	ErrNoRecording = errors.New("this is not a flight recording")
	// ErrTorn says that a recording ends in the middle, or is damaged there.
	ErrTorn = errors.New("the recording is torn")
)

// kind is what a record holds.
type kind byte

const (
	checkpointKind kind = 1 + iota
	frameKind
	doubtKind
	renewedKind
	leftKind
	stepKind
	// beginKind begins a segment on a tape; it is never in a file.
	beginKind kind = 255
)

// Event is what a step brought about, in its published form.
type Event struct {
	Stamp record.Stamp
	// NewGame is the id that was drawn for a game that starts with this event,
	// empty otherwise.
	NewGame string
	Payload []byte
}

// Step is an input of the referee and what came of it.
type Step struct {
	Input  referee.Input
	Events []Event
	// Wake is when the referee wanted a Tick, 0 when it did not ask.
	Wake time.Duration
	// Refused is the answer to a command that was not accepted, nil otherwise.
	Refused *referee.Refuse
	// Failed says that an event could not be written.
	Failed bool
}

// Record is one line of a recording. Exactly one of the pointers is set, or
// Left is not 0.
type Record struct {
	At time.Duration
	// Frame is what the outputs of the cells are from now on.
	Frame *Frame
	// Doubt are cells that sensing was told not to believe.
	Doubt *engine.Bitboard
	// Renewed says that sensing has begun anew with these settings.
	Renewed *sensing.Config
	// Left counts frames that were left out before this record.
	Left uint64
	Step *Step
}

// appendTime and the others write the parts of records.
func appendTime(b []byte, t time.Duration) []byte { return binary.AppendVarint(b, int64(t)) }

func appendText[T ~string | ~[]byte](b []byte, s T) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendYes(b []byte, yes bool) []byte {
	if yes {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendSet(b []byte, s engine.Bitboard) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(s))
}

// appendFrame writes what is different in a frame.
func appendFrame(b []byte, at time.Duration, before, f *Frame) []byte {
	b = appendTime(append(b, byte(frameKind)), at)
	mask := len(b)
	b = append(b, 0)
	for i, v := range [...][2]engine.Bitboard{
		{before.North, f.North},
		{before.South, f.South},
		{before.Lost, f.Lost},
		{before.Reset, f.Reset},
		{before.Unread, f.Unread},
	} {
		if v[0] != v[1] {
			b[mask] |= 1 << i
			b = appendSet(b, v[1])
		}
	}
	return b
}

// appendEvent writes an event of a step.
func appendEvent(b []byte, s record.Stamp, newGame string, payload []byte) []byte {
	b = binary.AppendVarint(b, s.TS.Unix())
	b = binary.AppendUvarint(b, uint64(s.TS.Nanosecond()))
	b = appendYes(b, s.TSOK)
	b = binary.AppendVarint(b, int64(s.Boot))
	b = appendTime(b, s.Mono)
	b = appendText(b, newGame)
	return appendText(b, payload)
}

// fields reads the parts of a record.
type fields struct {
	b   []byte
	err error
}

func (f *fields) fail(what string) {
	if f.err == nil {
		f.err = errors.New(what)
	}
	f.b = nil
}

func (f *fields) word() uint64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 {
		f.fail("a number is missing")
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) signed() int64 {
	n, size := binary.Varint(f.b)
	if size <= 0 {
		f.fail("a number is missing")
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) time() time.Duration { return time.Duration(f.signed()) }

func (f *fields) byte() byte {
	if len(f.b) == 0 {
		f.fail("a byte is missing")
		return 0
	}
	c := f.b[0]
	f.b = f.b[1:]
	return c
}

func (f *fields) yes() bool {
	c := f.byte()
	if c > 1 {
		f.fail("a yes or no is neither")
	}
	return c == 1
}

func (f *fields) set() engine.Bitboard {
	if len(f.b) < 8 {
		f.fail("squares are missing")
		return 0
	}
	s := engine.Bitboard(binary.LittleEndian.Uint64(f.b))
	f.b = f.b[8:]
	return s
}

func (f *fields) text() []byte {
	n := f.word()
	if n > uint64(len(f.b)) {
		f.fail("a text is cut")
		return nil
	}
	s := f.b[:n]
	f.b = f.b[n:]
	return s
}

// readRecord reads a record; before is the frame before it.
func readRecord(b []byte, before *Frame) (Record, error) {
	f := fields{b: b}
	k := kind(f.byte())
	var r Record
	switch k {
	case checkpointKind, beginKind:
		f.fail("a second beginning")
	case frameKind:
		r.At = f.time()
		frame := f.frame(*before)
		r.Frame = &frame
	case doubtKind:
		r.At = f.time()
		s := f.set()
		r.Doubt = &s
	case renewedKind:
		r.At = f.time()
		var c Sensing
		if text := f.text(); f.err == nil {
			f.err = json.Unmarshal(text, &c)
		}
		config := sensing.Config(c)
		r.Renewed = &config
	case leftKind:
		r.At = f.time()
		if r.Left = f.word(); r.Left == 0 {
			f.fail("no frames were left out")
		}
	case stepKind:
		r.Step = f.step()
		if f.err == nil {
			r.At = referee.When(r.Step.Input)
		}
	default:
		f.fail(fmt.Sprintf("there is no kind %d", k))
	}
	if f.err == nil && len(f.b) > 0 {
		f.fail("something follows it")
	}
	return r, f.err
}

func (f *fields) frame(v Frame) Frame {
	mask := f.byte()
	if mask == 0 || mask > 31 {
		f.fail("a frame in which nothing has changed")
	}
	for i, p := range []*engine.Bitboard{&v.North, &v.South, &v.Lost, &v.Reset, &v.Unread} {
		if mask>>i&1 != 0 {
			*p = f.set()
		}
	}
	return v
}

func (f *fields) step() *Step {
	s := &Step{}
	if text := f.text(); f.err == nil {
		s.Input, f.err = referee.ReadInput(text)
	}
	s.Failed = f.yes()
	s.Wake = f.time()
	if f.yes() {
		s.Refused = &referee.Refuse{Code: referee.RefusalCode(f.text()), Text: string(f.text())}
	}
	for f.err == nil && len(f.b) > 0 {
		s.Events = append(s.Events, f.event())
	}
	return s
}

func (f *fields) event() Event {
	sec, ns := f.signed(), f.word()
	if ns >= uint64(time.Second) {
		f.fail("more than a second of nanoseconds")
		return Event{}
	}
	var e Event
	e.Stamp.TS = time.Unix(sec, int64(ns)).UTC()
	e.Stamp.TSOK = f.yes()
	e.Stamp.Boot = int(f.signed())
	e.Stamp.Mono = f.time()
	e.NewGame = string(f.text())
	e.Payload = bytes.Clone(f.text())
	return e
}

// checksum returns the CRC-32C of a block.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// appendBlock appends a block.
func appendBlock(b, content []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = binary.LittleEndian.AppendUint32(b, checksum(content))
	return append(b, content...)
}

// blocks returns the contents of the whole and correct blocks at the beginning of
// b; rest is what follows them.
func blocks(b []byte) (list [][]byte, rest []byte) {
	for len(b) >= blockHead {
		n := binary.LittleEndian.Uint32(b)
		if n == 0 || n > maxBlock || uint64(len(b)) < blockHead+uint64(n) {
			break
		}
		content := b[blockHead : blockHead+n]
		if checksum(content) != binary.LittleEndian.Uint32(b[4:]) {
			break
		}
		list = append(list, content)
		b = b[blockHead+n:]
	}
	return list, b
}

// press compresses the records of one segment, block by block.
type press struct {
	out  bytes.Buffer
	flat *flate.Writer
}

// begin begins a segment and returns the beginning of its file. The result is
// valid until the next call.
func (p *press) begin(header []byte) ([]byte, error) {
	p.out.Reset()
	if p.flat == nil {
		flat, err := flate.NewWriter(&p.out, flate.DefaultCompression)
		if err != nil {
			return nil, fmt.Errorf("compress: %w", err)
		}
		p.flat = flat
	}
	p.flat.Reset(&p.out)
	start := fmt.Appendf(nil, "%s%d\n", magic, Format)
	return appendBlock(start, header), nil
}

// block returns a block with records.
func (p *press) block(records []byte) ([]byte, error) {
	p.out.Reset()
	if _, err := p.flat.Write(records); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := p.flat.Flush(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return appendBlock(make([]byte, 0, blockHead+p.out.Len()), p.out.Bytes()), nil
}

// unpress returns what the blocks of records hold. It bounds what a few bytes can
// stand for.
func unpress(list [][]byte) ([]byte, error) {
	readers := make([]io.Reader, 0, len(list))
	for _, b := range list {
		readers = append(readers, bytes.NewReader(b))
	}
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(io.MultiReader(readers...)), maxStream+1))
	switch {
	case len(out) > maxStream:
		return nil, fmt.Errorf("it holds more than %d MB", maxStream>>20)
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		// The stream is flushed and never closed.
		return out, nil
	default:
		return out, fmt.Errorf("decompress: %w", err)
	}
}
