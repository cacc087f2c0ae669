package flight

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"reversi-board/engine/archive"
)

const (
	// Folder is where the recordings are in a data folder.
	Folder = "flight"
	// suffix is how the names of recordings end.
	suffix = ".rec"
	// writeEvery is how long records wait for the disk at most.
	writeEvery = 5 * time.Second
	// segmentSize is how long a segment becomes, about; a new one then begins with
	// the next step. segmentMost is what it cannot exceed: two full buffers more.
	segmentSize = 1 << 20
	segmentMost = segmentSize + 2*room
	// leaveAfter is how long the end of the program waits for the disk.
	leaveAfter = 2 * time.Second
)

// MinMB and MaxMB bound the size of a ring in MB.
const (
	MinMB = 4
	MaxMB = 4096
)

// RecorderOptions say where a recorder writes.
type RecorderOptions struct {
	// Dir is the folder of the segments; it is made if need be.
	Dir string
	// FS is the disk, nil for the operating system's.
	FS archive.FS
	// MaxBytes bounds all segments together.
	MaxBytes int64
	Logger   *slog.Logger
}

// Status is how a recorder is.
type Status struct {
	// Segment is the file being written, empty if none is.
	Segment string `json:"segment"`
	// Written counts bytes since the program started, Lost records.
	Written int64  `json:"written_bytes"`
	Lost    uint64 `json:"lost_records"`
	// Error is why nothing can be written, empty if it can.
	Error string `json:"error,omitempty"`
}

// Recorder brings a tape to the disk. Keep is its goroutine.
type Recorder struct {
	tape  *Tape
	o     RecorderOptions
	flush chan chan struct{}

	mu     sync.Mutex
	status Status

	// The rest belongs to the goroutine that writes.
	press  press
	file   archive.File
	size   int64
	number int
	spare  []byte
	// gap says that records have been lost since the last segment began.
	gap bool
}

// NewRecorder returns a recorder that has not begun yet.
func NewRecorder(t *Tape, o RecorderOptions) *Recorder {
	if o.FS == nil {
		o.FS = archive.OS()
	}
	return &Recorder{tape: t, o: o, flush: make(chan chan struct{}), spare: make([]byte, 0, room)}
}

// Status returns how the recorder is. It may be called from any goroutine.
func (r *Recorder) Status() Status {
	r.mu.Lock()
	s := r.status
	r.mu.Unlock()
	s.Lost = r.tape.Lost()
	return s
}

// Keep writes until ctx ends, and then what is left. It leaves a disk behind that
// hangs.
func (r *Recorder) Keep(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.work(ctx)
	}()
	<-ctx.Done()
	late := time.NewTimer(leaveAfter)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		r.o.Logger.Warn("the disk hangs: the end of the flight recording is lost")
	}
}

// Flush writes what there is now, unless ctx ends before.
func (r *Recorder) Flush(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case r.flush <- done:
	case <-ctx.Done():
		return fmt.Errorf("write the flight recording: %w", ctx.Err())
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("write the flight recording: %w", ctx.Err())
	}
}

func (r *Recorder) work(ctx context.Context) {
	ticks := time.NewTicker(writeEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			r.drain()
		case <-r.tape.wake:
			r.drain()
		case done := <-r.flush:
			r.drain()
			close(done)
		case <-ctx.Done():
			r.drain()
			r.close()
			return
		}
	}
}

// Write brings the tape to the disk at once and closes the segment: for those who
// have no goroutine for it.
func (r *Recorder) Write() error {
	r.drain()
	r.close()
	if text := r.Status().Error; text != "" {
		return errors.New(text)
	}
	return nil
}

// drain writes what is on the tape.
func (r *Recorder) drain() {
	full := r.tape.take(r.spare)
	r.spare = full[:0]
	lost, err := r.write(full)
	well := err == nil && r.file != nil
	r.tape.missed(lost, err != nil, well)
	r.note(err, well)
}

// note keeps how it went, and logs what has changed.
func (r *Recorder) note(err error, well bool) {
	r.mu.Lock()
	before := r.status.Error
	switch {
	case err != nil:
		r.status.Error = err.Error()
	case well:
		r.status.Error = ""
	}
	after := r.status.Error
	r.mu.Unlock()
	switch {
	case r.o.Logger == nil:
	case before == "" && after != "":
		r.o.Logger.Warn("the flight recorder cannot write; the game goes on without it", "error", err)
	case before != "" && after == "":
		r.o.Logger.Info("the flight recorder writes again")
	}
}

// write writes records. It returns how many are lost, and the error if the last
// segment among them could not be written. What follows a failure is lost up to
// the beginning of the next segment.
func (r *Recorder) write(b []byte) (lost uint64, err error) {
	for len(b) > 0 {
		if kindAt(b) == beginKind {
			n := recordLen(b)
			if err = r.begin(b[:n]); err != nil {
				r.discard()
				r.lose()
				lost++
			}
			b = b[n:]
			continue
		}
		n := 0
		for n < len(b) && kindAt(b[n:]) != beginKind {
			n += recordLen(b[n:])
		}
		if r.file == nil {
			lost += count(b[:n])
		} else if err = r.append(b[:n]); err != nil {
			r.lose()
			lost += count(b[:n])
		}
		b = b[n:]
	}
	return lost, err
}

// lose gives the segment up.
func (r *Recorder) lose() {
	r.close()
	r.gap = true
}

// discard removes a file of which not even the beginning could be written: a disk
// that is full for a day would leave thousands.
func (r *Recorder) discard() {
	if r.file == nil {
		return
	}
	name := filepath.Join(r.o.Dir, SegmentName(r.number))
	r.close()
	_ = r.o.FS.Remove(name) // it stays, and is dropped with the others
}

// recordLen returns the length of the first record with its own length.
func recordLen(b []byte) int {
	n, size := binary.Uvarint(b)
	return size + int(n)
}

func kindAt(b []byte) kind {
	_, size := binary.Uvarint(b)
	return kind(b[size])
}

func count(b []byte) (n uint64) {
	for len(b) > 0 {
		b = b[recordLen(b):]
		n++
	}
	return n
}

// begin begins a file with the segment's first record.
func (r *Recorder) begin(b []byte) error {
	r.close()
	header, checkpoint, err := beginning(b)
	if err != nil {
		return err
	}
	if r.gap {
		header = afterGap(header)
	}
	start, err := r.press.begin(header)
	if err != nil {
		return err
	}
	if err := r.create(); err != nil {
		return err
	}
	block, err := r.press.block(checkpoint)
	if err != nil {
		return err
	}
	// In one piece: a file that has a beginning can be replayed.
	if err := r.put(append(start, block...)); err != nil {
		return err
	}
	r.gap = false
	return nil
}

// beginning takes the first record of a segment apart: the header and the record
// of the checkpoint.
func beginning(b []byte) (header, checkpoint []byte, err error) {
	_, size := binary.Uvarint(b)
	f := fields{b: b[size+1:]}
	header = f.text()
	return header, appendText(nil, append([]byte{byte(checkpointKind)}, f.b...)), f.err
}

// afterGap takes back that a segment continues the one before it: the tape could
// not know that its end would not come to the disk.
func afterGap(header []byte) []byte {
	var h Header
	if json.Unmarshal(header, &h) != nil {
		return header
	}
	h.Continues = false
	if text, err := json.Marshal(&h); err == nil {
		return text
	}
	return header
}

// append writes a block of records.
func (r *Recorder) append(records []byte) error {
	block, err := r.press.block(records)
	if err != nil {
		return err
	}
	if err := r.put(block); err != nil {
		return err
	}
	if r.size >= segmentSize {
		r.tape.long()
	}
	return nil
}

// put writes bytes at the end of the file.
func (r *Recorder) put(b []byte) error {
	n, err := r.file.WriteAt(b, r.size)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write the flight recording: %w", err)
	}
	r.size += int64(n)
	r.mu.Lock()
	r.status.Written += int64(n)
	r.mu.Unlock()
	return nil
}

// create makes the next file, and room for it.
func (r *Recorder) create() error {
	if err := r.o.FS.MkdirAll(r.o.Dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the flight recorder: %w", err)
	}
	if err := r.makeRoom(); err != nil {
		return err
	}
	r.number++
	name := SegmentName(r.number)
	file, err := r.o.FS.OpenFile(filepath.Join(r.o.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("begin a flight recording: %w", err)
	}
	r.file, r.size = file, 0
	r.mu.Lock()
	r.status.Segment = name
	r.mu.Unlock()
	return nil
}

// makeRoom drops the oldest segments until there is room for one more.
func (r *Recorder) makeRoom() error {
	entries, err := r.o.FS.ReadDir(r.o.Dir)
	if err != nil {
		return fmt.Errorf("look at the flight recordings: %w", err)
	}
	var all []fs.FileInfo
	total := int64(segmentMost)
	for _, e := range entries {
		n, ok := segmentNumber(e.Name())
		info, err := e.Info()
		if !ok || err != nil {
			continue
		}
		r.number = max(r.number, n)
		all = append(all, info)
		total += info.Size()
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	for _, info := range all {
		if total <= r.o.MaxBytes {
			break
		}
		if err := r.o.FS.Remove(filepath.Join(r.o.Dir, info.Name())); err != nil {
			return fmt.Errorf("drop an old flight recording: %w", err)
		}
		total -= info.Size()
	}
	return nil
}

// close closes the file. What the last write could not do has been said.
func (r *Recorder) close() {
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
	r.mu.Lock()
	r.status.Segment = ""
	r.mu.Unlock()
}

// SegmentName returns the name of the n-th segment.
func SegmentName(n int) string { return fmt.Sprintf("flight-%08d%s", n, suffix) }

// segmentNumber returns which segment a file is.
func segmentNumber(name string) (n int, ok bool) {
	_, err := fmt.Sscanf(name, "flight-%08d"+suffix, &n)
	return n, err == nil && name == SegmentName(n)
}
