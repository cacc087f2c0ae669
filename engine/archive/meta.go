package archive

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// The names of the small files.
const (
	metaName  = "meta"
	ackedName = "acked"
	// maxSmall bounds them.
	maxSmall = headLen + MaxRecord
	// maxJoins bounds the joins and the holes that are remembered, newest last.
	maxJoins = 64
	// lazy is how many acknowledgements may be forgotten by a crash.
	lazy = 32
)

// meta is the content of the file meta.
type meta struct {
	JID  string `json:"jid"`
	Boot int    `json:"boot"`
	// Joins are the gaps over which the game went on.
	Joins []join `json:"joins,omitempty"`
	// Told are the first numbers of the holes that the user has been told of.
	Told []uint64 `json:"told,omitempty"`
}

// toldFrom reports whether the user has been told of the hole that begins with a
// number.
func (m meta) toldFrom(seq uint64) bool { return slices.Contains(m.Told, seq) }

// join says that the records from First on continue those before End.
type join struct {
	End   uint64 `json:"end"`
	First uint64 `json:"first"`
}

// joined reports whether the record first continues the one before end.
func (m meta) joined(end, first uint64) bool {
	for _, g := range m.Joins {
		if g.End == end && g.First == first {
			return true
		}
	}
	return false
}

// saveMeta stores meta if it has changed.
func (j *Journal) saveMeta() error {
	if !j.unsaved {
		return nil
	}
	b, err := json.Marshal(j.meta)
	if err != nil {
		return fmt.Errorf("write %s: %w", metaName, err)
	}
	if err := j.dir.replace(metaName, frame(b), true); err != nil {
		return err
	}
	j.unsaved = false
	return nil
}

// acked is how far the outbox has come. The file is stored now and then and
// without a sync: what it forgets is sent again, which costs nothing.
type acked struct {
	mu     sync.Mutex
	seq    uint64
	stored uint64
	// saving is held while the file is written.
	saving sync.Mutex
}

// ackedFile is the content of the file acked.
type ackedFile struct {
	JID string `json:"jid"`
	Seq uint64 `json:"seq"`
}

// Acked returns the last number that the outbox has delivered, together with
// all before it.
func (j *Journal) Acked() uint64 {
	j.ack.mu.Lock()
	defer j.ack.mu.Unlock()
	return j.ack.seq
}

// SetAcked notes that every record up to seq has been delivered. It never moves
// back, and never beyond what is durable. It is stored lazily: a crash forgets
// at most 32 acknowledgements.
func (j *Journal) SetAcked(seq uint64) {
	seq = min(seq, j.LastSeq())
	j.ack.mu.Lock()
	j.ack.seq = max(j.ack.seq, seq)
	j.ack.mu.Unlock()
	// A cursor that cannot be stored is tried again with the next one; the
	// trouble itself is reported by Append.
	_ = j.saveAcked(lazy)
}

// saveAcked stores the cursor if it is at least so much ahead of the file, and
// nobody else is at it.
func (j *Journal) saveAcked(ahead uint64) error {
	if !j.ack.saving.TryLock() {
		return nil
	}
	defer j.ack.saving.Unlock()
	seq := j.Acked()
	if seq == j.ack.stored || seq < j.ack.stored+ahead {
		return nil
	}
	b, err := json.Marshal(ackedFile{JID: j.JID(), Seq: seq})
	if err != nil {
		return fmt.Errorf("write %s: %w", ackedName, err)
	}
	if err := j.dir.replace(ackedName, frame(b), false); err != nil {
		return err
	}
	j.ack.stored = seq
	return nil
}

// readSmall reads a file of one record into v; ok is false when it is missing
// or not correct.
func (d folder) readSmall(name string, v any) (ok bool) {
	b, err := d.read(name, maxSmall)
	if err != nil {
		return false
	}
	payload := payloadOf(b)
	return payload != nil && json.Unmarshal(payload, v) == nil
}
