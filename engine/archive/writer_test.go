package archive_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/engine/archive"
)

func start(t testing.TB, d *disk) (*archive.Journal, *archive.Writer) {
	t.Helper()
	j, _ := open(t, archive.Options{Dir: t.TempDir(), FS: d})
	return j, archive.StartWriter(t.Context(), j)
}

// finish closes both.
func finish(t testing.TB, j *archive.Journal, w *archive.Writer) {
	t.Helper()
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	closeJournal(t, j)
}

func send(w *archive.Writer, from, to uint64) {
	for seq := from; seq <= to; seq++ {
		w.Append(seq, payload(seq, "x"))
	}
}

// expect reads the events from to to, each of which must be durable by then.
func expect(t testing.TB, w *archive.Writer, j *archive.Journal, from, to uint64) {
	t.Helper()
	for seq := from; seq <= to; seq++ {
		r, ok := <-w.Durable()
		if !ok || r.Seq != seq || string(r.Payload) != string(payload(seq, "x")) {
			t.Fatalf("got %d %s, want %d", r.Seq, r.Payload, seq)
		}
		if j.LastSeq() < seq {
			t.Fatalf("event %d left before it was durable", seq)
		}
	}
}

// quiet fails when an event is handed on.
func quiet(t testing.TB, w *archive.Writer) {
	t.Helper()
	select {
	case r := <-w.Durable():
		t.Fatalf("event %d left", r.Seq)
	default:
	}
}

func trouble(t testing.TB, w *archive.Writer) error {
	t.Helper()
	select {
	case err := <-w.Trouble():
		return err
	default:
		t.Fatal("no word about the disk")
		return nil
	}
}

func TestWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, w := start(t, newDisk())
		send(w, 1, 50)
		expect(t, w, j, 1, 50)
		send(w, 51, 60)
		synctest.Wait() // nobody reads, the events are stored all the same
		if j.LastSeq() != 60 || w.Waiting() != 0 {
			t.Errorf("stored %d, %d wait", j.LastSeq(), w.Waiting())
		}
		expect(t, w, j, 51, 60)
		finish(t, j, w)
		if _, ok := <-w.Durable(); ok {
			t.Error("an event after the end")
		}
		select {
		case err := <-w.Trouble():
			t.Errorf("trouble without any: %v", err)
		default:
		}
	})
}

// The disk fails for a while: one word of trouble, no event leaves, nothing
// waits; then one word that all is well, and the events in order.
func TestWriterOnAFailingDisk(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
		synctest.Test(t, func(t *testing.T) {
			d := newDisk()
			j, w := start(t, d)
			send(w, 1, 3)
			expect(t, w, j, 1, 3)
			d.setFail(func(int, string) error { return fault })
			send(w, 4, 20)
			time.Sleep(time.Hour) // virtual
			quiet(t, w)
			if err := trouble(t, w); !errors.Is(err, fault) {
				t.Errorf("trouble: %v, want %v", err, fault)
			}
			if w.Waiting() != 17 {
				t.Errorf("%d wait", w.Waiting())
			}
			d.heal()
			time.Sleep(5 * time.Second)
			if err := trouble(t, w); err != nil {
				t.Errorf("healed, but: %v", err)
			}
			expect(t, w, j, 4, 20)
			finish(t, j, w)
		})
	}
}

// A disk that hangs is trouble, too, and still stops nobody.
func TestWriterOnAHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		j, w := start(t, d)
		release := make(chan struct{})
		d.mu.Lock()
		d.block = func() { <-release }
		d.mu.Unlock()
		send(w, 1, 5)
		time.Sleep(2900 * time.Millisecond)
		select {
		case err := <-w.Trouble():
			t.Errorf("too early: %v", err)
		default:
		}
		time.Sleep(200 * time.Millisecond)
		if err := trouble(t, w); !errors.Is(err, archive.ErrSlow) {
			t.Errorf("trouble: %v", err)
		}
		quiet(t, w)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.Close(ctx)
		if err == nil || !strings.Contains(err.Error(), "5 events") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %v", err)
		}
		if err := j.Close(); !errors.Is(err, archive.ErrBusy) {
			t.Errorf("close of the journal: %v", err)
		}
		close(release)
		synctest.Wait()
		closeJournal(t, j)
	})
}

// Close stores what waits, within its time.
func TestWriterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		j, w := start(t, d)
		d.setFail(func(int, string) error { return syscall.ENOSPC })
		send(w, 1, 100)
		synctest.Wait()
		time.AfterFunc(10*time.Second, d.heal)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Close(ctx); err != nil || j.LastSeq() != 100 {
			t.Errorf("close: %v, stored %d", err, j.LastSeq())
		}
		w.Append(101, payload(101, "x"))
		if err := trouble(t, w); !errors.Is(err, archive.ErrClosed) {
			t.Errorf("event after the end: %v", err)
		}
		if w.Waiting() != 0 {
			t.Error("an event was taken after the end")
		}
		closeJournal(t, j)
	})
}

// Events that can never be stored must not hold up the others.
func TestWriterMistakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, w := start(t, newDisk())
		send(w, 1, 2)
		expect(t, w, j, 1, 2)
		for _, c := range []struct {
			seq  uint64
			text string
			want error
		}{{2, "{}", archive.ErrOrder}, {3, "no JSON", archive.ErrPayload}} {
			w.Append(c.seq, []byte(c.text))
			synctest.Wait()
			if err := trouble(t, w); !errors.Is(err, c.want) {
				t.Errorf("event %d %q: %v", c.seq, c.text, err)
			}
		}
		send(w, 4, 6)
		expect(t, w, j, 4, 6)
		if got := contents(t, j); len(got) != 5 || j.FirstSeq() != 4 {
			t.Errorf("%v, first %d", got, j.FirstSeq())
		}
		finish(t, j, w)
	})
}

// A dead disk and 100,000 events: memory is bounded, nobody waits, and when the
// disk is mended all events follow in order.
func TestWriterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		j, w := start(t, d)
		d.setFail(func(int, string) error { return syscall.ENOSPC })
		before := heap()
		send(w, 1, archive.MaxQueue)
		if w.Waiting() != archive.MaxQueue {
			t.Errorf("%d wait", w.Waiting())
		}
		full := heap()
		send(w, archive.MaxQueue+1, archive.MaxQueue+50_000)
		if grown := heap() - full; grown > 1<<20 || full-before > 64<<20 {
			t.Errorf("%d MB for %d events, then %d KB more", (full-before)>>20, archive.MaxQueue, grown>>10)
		}
		if err := trouble(t, w); !errors.Is(err, archive.ErrFull) {
			t.Errorf("trouble: %v", err)
		}
		d.heal()
		expect(t, w, j, 1, archive.MaxQueue)
		// The lost ones are a gap, behind which the journal goes on.
		send(w, archive.MaxQueue+50_001, archive.MaxQueue+50_002)
		expect(t, w, j, archive.MaxQueue+50_001, archive.MaxQueue+50_002)
		if j.FirstSeq() != archive.MaxQueue+50_001 {
			t.Errorf("FirstSeq %d", j.FirstSeq())
		}
		finish(t, j, w)
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// childFolder makes the test binary a program that appends until it is killed.
const childFolder = "REVERSI_ARCHIVE_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		fmt.Fprintln(os.Stderr, child(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child announces each event after it was stored.
func child(dir string) error {
	j, _, err := archive.Open(archive.Options{Dir: dir, MaxFile: 3000})
	if err != nil {
		return err
	}
	w := archive.StartWriter(context.Background(), j)
	tag := fmt.Sprint(j.Boot())
	for seq := j.LastSeq() + 1; ; seq++ {
		w.Append(seq, payload(seq, tag))
		r := <-w.Durable()
		fmt.Printf("%d %s\n", r.Seq, r.Payload)
		j.SetAcked(seq)
	}
}

// kill -9 in the middle of whatever it does: everything that was announced is
// in the journal.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	announced := map[uint64]string{}
	for life := range 30 {
		liveAndDie(t, dir, life%7, announced)
		j, r := open(t, archive.Options{Dir: dir, MaxFile: 3000})
		if len(r.Damaged) > 0 || j.FirstSeq() != 1 || !subset(announced, contents(t, j)) {
			t.Fatalf("life %d: %+v\nannounced %v\nfound %v", life, r, announced, contents(t, j))
		}
		closeJournal(t, j)
	}
	if len(announced) < 60 {
		t.Errorf("only %d events in 30 lives", len(announced))
	}
}

// liveAndDie runs the child until it has announced some events more, kills it,
// and notes what it said until then.
func liveAndDie(t *testing.T, dir string, events int, announced map[uint64]string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env = append(os.Environ(), childFolder+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == events {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		announce(t, announced, lines.Text())
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}

// announce notes a line of the child; the last one may be cut by the kill.
func announce(t *testing.T, announced map[uint64]string, line string) {
	t.Helper()
	number, content, _ := strings.Cut(line, " ")
	var seq uint64
	if _, err := fmt.Sscan(number, &seq); err != nil || !strings.HasSuffix(content, "}") {
		return
	}
	if old, ok := announced[seq]; ok {
		t.Fatalf("number %d announced twice: %s and %s", seq, old, content)
	}
	announced[seq] = content
}
