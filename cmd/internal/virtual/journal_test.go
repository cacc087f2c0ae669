package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/cmd/internal/memdisk"
	"reversi-board/engine/archive"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// Scenario 39: the journal is cut at every byte. The program starts with every
// whole record before the tear, goes on with the next number, and what it adds
// is there at the start after that.
func TestJournalCutAtEveryByte(t *testing.T) {
	t.Run("39 The journal is cut at every byte", func(t *testing.T) {
		d, dir := memdisk.New(), t.TempDir()
		j, _, err := archive.Open(archive.Options{Dir: dir, FS: d})
		must(t, err)
		b := started(t, 1, j)
		must(t, b.play("f5d6c3"))
		must(t, b.switchOff())
		must(t, j.Close())
		name, payloads := onlyFile(t, d), wholeRecords(t, j)
		whole := d.Content(name)
		if len(payloads) != 4 {
			t.Fatalf("the journal has %d records, want 4", len(payloads))
		}
		for n := range len(whole) + 1 {
			torn := d.Clone()
			torn.Put(name, whole[:n])
			if err := b.resumeFrom(torn, dir, n, payloads); err != nil {
				t.Fatalf("cut after %d of %d bytes: %v", n, len(whole), err)
			}
		}
	})
}

// onlyFile returns the name of the journal's only file of records.
func onlyFile(t *testing.T, d *memdisk.Disk) string {
	t.Helper()
	var found []string
	for _, name := range d.Names() {
		if strings.HasPrefix(filepath.Base(name), "journal-") {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		t.Fatalf("files of records: %v", found)
	}
	return found[0]
}

func wholeRecords(t *testing.T, h journal) [][]byte {
	t.Helper()
	var all [][]byte
	must(t, h.Replay(func(_ uint64, p []byte) error {
		all = append(all, p)
		return nil
	}))
	return all
}

// frameHead is the length and the checksum before each record.
const frameHead = 8

// resumeFrom starts a program at the same table from a journal whose first n
// bytes are left.
func (b *bench) resumeFrom(d *memdisk.Disk, dir string, n int, payloads [][]byte) error {
	kept := 0
	for end := 0; kept < len(payloads); kept++ {
		if end += frameHead + len(payloads[kept]); end > n {
			break
		}
	}
	j, recovery, err := archive.Open(archive.Options{Dir: dir, FS: d})
	if err != nil {
		return err
	}
	b.journal, b.events = j, nil
	if err := b.switchOn(); err != nil {
		return errors.Join(err, j.Close())
	}
	err = b.checkResumed(kept, payloads, recovery)
	if n%16 == 0 {
		// Long enough for the first reading, which is an event of its own.
		err = errors.Join(err, b.checkGoesOn(kept))
	}
	return errors.Join(err, b.switchOff(), j.Close())
}

// checkResumed compares what is left with what was written.
func (b *bench) checkResumed(kept int, payloads [][]byte, recovery archive.Recovery) error {
	transcript := "f5d6c3"[:2*max(0, kept-1)]
	s := &b.table.Core.State
	want := referee.Playing
	if kept == 0 {
		want = referee.Idle
	}
	if s.Phase != want || s.Transcript() != transcript || b.table.Core.Seq() != uint64(kept) {
		return fmt.Errorf("the game is %v %q at event %d, want %v %q at %d", s.Phase, s.Transcript(), b.table.Core.Seq(), want, transcript, kept)
	}
	if recovery.Records != uint64(kept) || (recovery.Truncated > 0) != (recovery.Text != "") || len(recovery.Damaged) > 0 {
		return fmt.Errorf("recovery says %+v, want %d records", recovery, kept)
	}
	i := 0
	return b.journal.Replay(func(seq uint64, p []byte) error {
		if seq != uint64(i+1) || string(p) != string(payloads[i]) {
			return fmt.Errorf("record %d has changed", seq)
		}
		i++
		return nil
	})
}

// checkGoesOn lets the board see the discs, which is the next event once there
// was a game.
func (b *bench) checkGoesOn(kept int) error {
	if err := b.pass(500 * time.Millisecond); err != nil {
		return err
	}
	if kept == 0 {
		return b.expectEvents(nil)
	}
	seq, last := uint64(0), []byte(nil)
	err := b.journal.Replay(func(n uint64, p []byte) error {
		seq, last = n, p
		return nil
	})
	// The discs of the plies that were torn off are on the table. What looks like
	// the next move made without power is one.
	if err != nil || seq <= uint64(kept) || len(b.events) == 0 || !strings.HasPrefix(b.events[0], "power_restored") {
		return fmt.Errorf("after record %d came record %d (%s), events %v: %w", kept, seq, last, b.events, err)
	}
	return nil
}

// queue is a journal that hands events to the goroutine that owns the disk, as
// the running program does.
type queue struct {
	writer  *archive.Writer
	records [][]byte
}

func (q *queue) Append(seq uint64, payload []byte) error {
	q.records = append(q.records, payload)
	q.writer.Append(seq, payload)
	return nil
}

func (q *queue) LastSeq() uint64                                     { return 0 }
func (q *queue) Replay(func(seq uint64, payload []byte) error) error { return nil }

// Scenario 40: from ply 20 on the disk fails. The game and the LEDs go on, the
// trouble is told, nothing is announced that is not stored, and after the repair
// the events follow in order. (Alert and state are the program's: they are
// tested where it is.)
func TestDiskFailsFromPly20(t *testing.T) {
	for _, broken := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
		t.Run("40 "+broken.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testBrokenDisk(t, broken) })
		})
	}
}

func testBrokenDisk(t *testing.T, broken error) {
	d := memdisk.New()
	j, _, err := archive.Open(archive.Options{Dir: t.TempDir(), FS: d})
	must(t, err)
	q := &queue{writer: archive.StartWriter(t.Context(), j)}
	b := started(t, 1, q)
	const before = 2 * 20
	must(t, b.play(realGame[:before]))
	announced := durable(q.writer)
	if len(announced) != len(q.records) || len(announced) < 21 {
		t.Fatalf("%d events are durable, %d happened", len(announced), len(q.records))
	}
	select {
	case err := <-q.writer.Trouble():
		t.Fatalf("trouble before there is any: %v", err)
	default:
	}

	d.Fail(broken)
	// Every move of the rest of the game is lit, committed and flashed in time.
	must(t, b.play(realGame[before:]))
	must(t, b.expectEvents([]string{"game_over draw 31-31 discs 31-31 empties 2 no_moves"}))
	synctest.Wait()
	if err := <-q.writer.Trouble(); !errors.Is(err, broken) {
		t.Fatalf("the trouble is %v, want %v", err, broken)
	}
	time.Sleep(time.Minute)
	if late := durable(q.writer); len(late) != 0 {
		t.Fatalf("%d events were announced although they are not stored", len(late))
	}

	d.Fail(nil)
	time.Sleep(10 * time.Second)
	announced = append(announced, durable(q.writer)...)
	if err := <-q.writer.Trouble(); err != nil {
		t.Fatalf("after the repair the trouble is %v", err)
	}
	if len(announced) != len(q.records) {
		t.Fatalf("%d of %d events followed after the repair", len(announced), len(q.records))
	}
	for i, r := range announced {
		env, _, err := record.DecodeEvent(r.Payload)
		must(t, err)
		if r.Seq != uint64(i+1) || env.Seq != r.Seq || string(r.Payload) != string(q.records[i]) {
			t.Fatalf("event %d came as number %d", i+1, r.Seq)
		}
	}
	stored := wholeRecords(t, j)
	if !slices.EqualFunc(stored, q.records, slices.Equal[[]byte]) {
		t.Fatalf("the journal holds %d events, %d happened", len(stored), len(q.records))
	}
	must(t, q.writer.Close(context.WithoutCancel(t.Context())))
	must(t, j.Close())
}

// durable takes what the writer has to announce.
func durable(w *archive.Writer) []archive.Record {
	var all []archive.Record
	for {
		synctest.Wait()
		select {
		case r := <-w.Durable():
			all = append(all, r)
		default:
			return all
		}
	}
}
