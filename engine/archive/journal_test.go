package archive_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine/archive"
)

// payload makes the content of a record; the same number with another tag is
// another content.
func payload(seq uint64, tag string) []byte {
	return fmt.Appendf(nil, `{"v":1,"jid":"01JD7Q4E9W0000000000000001","boot":3,"seq":%d,"tag":%q}`, seq, tag)
}

// small makes files of a few records.
const small = 400

func open(t testing.TB, o archive.Options) (*archive.Journal, archive.Recovery) {
	t.Helper()
	j, r, err := archive.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return j, r
}

func closeJournal(t testing.TB, j *archive.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func appendAll(t testing.TB, j *archive.Journal, n int, tag string) {
	t.Helper()
	for range n {
		seq := j.LastSeq() + 1
		if err := j.Append(seq, payload(seq, tag)); err != nil {
			t.Fatal(err)
		}
	}
}

// contents reads everything with Read.
func contents(t testing.TB, j *archive.Journal) map[uint64]string {
	t.Helper()
	got := map[uint64]string{}
	last := uint64(0)
	err := j.Read(0, 0, func(seq uint64, b []byte) error {
		if seq <= last {
			t.Fatalf("record %d after %d", seq, last)
		}
		last = seq
		got[seq] = string(b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	j, r := open(t, archive.Options{Dir: dir, MaxFile: small})
	if !r.New || r.Text != "" || j.LastSeq() != 0 || j.FirstSeq() != 1 || j.Boot() != 1 || len(j.JID()) != 26 {
		t.Errorf("new: %+v, %d–%d, boot %d, %q", r, j.FirstSeq(), j.LastSeq(), j.Boot(), j.JID())
	}
	appendAll(t, j, 20, "x")
	j.SetAcked(7)
	jid := j.JID()
	closeJournal(t, j)
	closeJournal(t, j)
	if err := j.Append(21, payload(21, "x")); !errors.Is(err, archive.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}

	j, r = open(t, archive.Options{Dir: dir, MaxFile: small})
	defer closeJournal(t, j)
	if r.New || r.Text != "" || r.Records != 20 || j.LastSeq() != 20 || j.FirstSeq() != 1 || j.Boot() != 2 || j.JID() != jid || j.Acked() != 7 {
		t.Errorf("again: %+v, %d–%d, boot %d, %q, acked %d", r, j.FirstSeq(), j.LastSeq(), j.Boot(), j.JID(), j.Acked())
	}
	for from := range uint64(22) {
		for limit := range 21 {
			checkRead(t, j, from, limit, 20)
		}
	}
	stop := errors.New("stop")
	if err := j.Read(5, 0, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of yield: %v", err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil || len(logs) < 4 || filepath.Base(logs[0]) != "journal-00000000000000000001.log" {
		t.Errorf("files: %v %v", logs, err)
	}
}

// checkRead reads from a journal of the records 1 to last.
func checkRead(t *testing.T, j *archive.Journal, from uint64, limit int, last uint64) {
	t.Helper()
	var got, want []uint64
	err := j.Read(from, limit, func(seq uint64, b []byte) error {
		got = append(got, seq)
		if string(b) != string(payload(seq, "x")) {
			t.Errorf("record %d: %s", seq, b)
		}
		return nil
	})
	for seq := max(1, from); seq <= last && (limit == 0 || len(want) < limit); seq++ {
		want = append(want, seq)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Read(%d, %d): %v, %v, want %v", from, limit, got, err, want)
	}
}

// The bytes are those that the package comment promises, found with nothing of
// this package.
func TestLayout(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir})
	appendAll(t, j, 2, "x")
	closeJournal(t, j)
	var want []byte
	for _, p := range [][]byte{payload(1, "x"), payload(2, "x")} {
		want = binary.LittleEndian.AppendUint32(want, uint32(len(p)))
		want = binary.LittleEndian.AppendUint32(want, crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)))
		want = append(want, p...)
	}
	got, err := os.ReadFile(filepath.Join(dir, "journal-00000000000000000001.log"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// The index must lead to the right record in long files, too.
func TestReadFromTheMiddle(t *testing.T) {
	j, _ := open(t, archive.Options{Dir: t.TempDir(), FS: newDisk(), MaxFile: 20000})
	defer closeJournal(t, j)
	appendAll(t, j, 1000, "x")
	for from := uint64(1); from <= 1000; from += 7 {
		err := j.Read(from, 1, func(seq uint64, b []byte) error {
			if seq != from || !bytes.Equal(b, payload(seq, "x")) {
				return fmt.Errorf("got record %d: %s", seq, b)
			}
			return nil
		})
		if err != nil {
			t.Errorf("Read(%d): %v", from, err)
		}
	}
	for _, last := range []uint64{1, 64, 65, 500, 1000} {
		seq, ok, err := j.FindLast(func(b []byte) bool { return bytes.Contains(b, fmt.Appendf(nil, `"seq":%d,`, last)) })
		if err != nil || !ok || seq != last {
			t.Errorf("FindLast %d: %d %v %v", last, seq, ok, err)
		}
	}
	if seq, ok, err := j.FindLast(func([]byte) bool { return false }); ok || err != nil {
		t.Errorf("FindLast nothing: %d %v", seq, err)
	}
}

func TestAppendRefuses(t *testing.T) {
	j, _ := open(t, archive.Options{Dir: t.TempDir()})
	defer closeJournal(t, j)
	appendAll(t, j, 1, "x")
	for _, seq := range []uint64{0, 1, 3} {
		if err := j.Append(seq, payload(seq, "y")); !errors.Is(err, archive.ErrOrder) {
			t.Errorf("number %d: %v", seq, err)
		}
	}
	for _, text := range []string{"", "null", "[1]", "{", `{"a":"` + strings.Repeat("x", archive.MaxRecord) + `"}`} {
		if err := j.Append(2, []byte(text)); !errors.Is(err, archive.ErrPayload) {
			t.Errorf("payload %.20q: %v", text, err)
		}
	}
	appendAll(t, j, 1, "x")
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir})
	_, _, err := archive.Open(archive.Options{Dir: dir})
	if !errors.Is(err, archive.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second program: %v", err)
	}
	closeJournal(t, j)
	j, _ = open(t, archive.Options{Dir: dir})
	closeJournal(t, j)
}

// The user must learn which folder it is and what to do.
func TestUnreadableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := archive.Open(archive.Options{Dir: file}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file as folder: %v", err)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		op     string
		err    error
		advice string
	}{
		{"readdir", syscall.EACCES, "may not use the data folder"},
		{"readdir", syscall.EIO, "replace the card"},
		{"open", syscall.EACCES, "may not use the data folder"},
	} {
		d := newDisk()
		d.put(filepath.Join(dir, "journal-00000000000000000001.log"), record(payload(1, "x")))
		d.setFail(func(_ int, op string) error {
			if op == c.op {
				return c.err
			}
			return nil
		})
		_, _, err := archive.Open(archive.Options{Dir: dir, FS: d})
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), c.advice) || !errors.Is(err, c.err) {
			t.Errorf("%s %v: %v", c.op, c.err, err)
		}
	}
}

// record is the independent writer of TestLayout.
func record(p []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(p)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, p...)
}

// A full or read-only disk does not stop a start; the first Append says it, and
// everything follows once the disk is mended.
func TestStartOnAFullDisk(t *testing.T) {
	for advice, fault := range map[string]error{"free some space": syscall.ENOSPC, "is read-only": syscall.EROFS} {
		dir := t.TempDir()
		d := newDisk()
		j, _ := open(t, archive.Options{Dir: dir, FS: d})
		appendAll(t, j, 3, "x")
		closeJournal(t, j)
		d.setFail(func(_ int, op string) error {
			switch op {
			case "write", "truncate", "rename", "sync":
				return fault
			default:
				return nil
			}
		})
		j, _ = open(t, archive.Options{Dir: dir, FS: d})
		if len(contents(t, j)) != 3 || j.Boot() != 2 {
			t.Errorf("%v: %v, boot %d", fault, contents(t, j), j.Boot())
		}
		err := j.Append(4, payload(4, "y"))
		if err == nil || !errors.Is(err, fault) || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), dir) {
			t.Errorf("append: %v", err)
		}
		if j.LastSeq() != 3 {
			t.Errorf("claimed %d", j.LastSeq())
		}
		d.heal()
		appendAll(t, j, 1, "y")
		closeJournal(t, j)
		j, _ = open(t, archive.Options{Dir: dir, FS: d})
		if j.LastSeq() != 4 || j.Boot() != 3 {
			t.Errorf("after the repair: %d, boot %d", j.LastSeq(), j.Boot())
		}
		closeJournal(t, j)
	}
}

// total is the number of records of example; the last file holds three.
const total = 15

// example makes a disk with several files; every record in it was announced.
func example(t testing.TB, dir string) (d *disk, original map[uint64]string) {
	t.Helper()
	d = newDisk()
	j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
	appendAll(t, j, total, "original")
	original = contents(t, j)
	closeJournal(t, j)
	if len(d.logs()) < 3 {
		t.Fatalf("files: %v", d.logs())
	}
	return d, original
}

// layout returns where the records of a file end, and the number of its first.
func layout(b []byte, name string) (first uint64, ends []int) {
	if _, err := fmt.Sscanf(filepath.Base(name), "journal-%d.log", &first); err != nil {
		panic(err)
	}
	for at := 0; at < len(b); {
		at += 8 + int(binary.LittleEndian.Uint32(b[at:]))
		ends = append(ends, at)
	}
	return first, ends
}

// The power goes at any moment: whatever prefix of a file is left, the journal
// starts, keeps every record before the cut and all other files, and goes on.
func TestCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	whole, original := example(t, dir)
	logs := whole.logs()
	for i, name := range logs {
		for cut := range whole.read(name) {
			cutAt(t, dir, whole.clone(), original, name, cut, i == len(logs)-1)
		}
	}
}

func cutAt(t *testing.T, dir string, d *disk, original map[uint64]string, name string, cut int, newest bool) {
	t.Helper()
	content := d.read(name)
	first, ends := layout(content, name)
	d.put(name, content[:cut])
	j, r, err := archive.Open(archive.Options{Dir: dir, FS: d, MaxFile: small})
	if err != nil {
		t.Fatalf("%s cut at %d: %v", name, cut, err)
	}
	kept := before(original, first, ends, cut)
	checkKept(t, j, kept)
	next := j.LastSeq() + 1
	unfinished := cut > 0 && !slices.Contains(ends, cut)
	switch {
	case !newest && next != total+1:
		t.Errorf("%s cut at %d: goes on with %d after newer files", name, cut, next)
	case newest && next != uint64(len(kept)+1):
		t.Errorf("cut at %d: goes on with %d, want %d", cut, next, len(kept)+1)
	case newest && unfinished != (r.Truncated > 0 && strings.Contains(r.Text, "unfinished")):
		t.Errorf("cut at %d: %+v", cut, r)
	}
	goOn(t, j, dir, d, kept)
}

// before returns the records of other files, and those of the file of first that
// end at or before the offset at.
func before(original map[uint64]string, first uint64, ends []int, at int) map[uint64]string {
	kept := maps.Clone(original)
	for i, end := range ends {
		if end > at {
			delete(kept, first+uint64(i))
		}
	}
	return kept
}

func checkKept(t testing.TB, j *archive.Journal, kept map[uint64]string) {
	t.Helper()
	if got := contents(t, j); fmt.Sprint(got) != fmt.Sprint(kept) {
		t.Fatalf("\n got %v\nwant %v", got, kept)
	}
}

// goOn appends, restarts, and finds everything without a word.
func goOn(t testing.TB, j *archive.Journal, dir string, d *disk, kept map[uint64]string) {
	t.Helper()
	for range 6 {
		seq := j.LastSeq() + 1
		if _, ok := kept[seq]; ok {
			t.Fatalf("number %d is used again", seq)
		}
		kept[seq] = string(payload(seq, "later"))
		if err := j.Append(seq, []byte(kept[seq])); err != nil {
			t.Fatal(err)
		}
	}
	checkKept(t, j, kept)
	closeJournal(t, j)
	j, r := open(t, archive.Options{Dir: dir, FS: d.crash(0), MaxFile: small})
	if r.Text != "" {
		t.Fatalf("second start: %+v", r)
	}
	checkKept(t, j, kept)
	closeJournal(t, j)
}

// Any byte may rot. That costs the record in which it is, and no other; the
// damaged bytes are set aside, the user is told which records are missing, and no
// number that may have been announced is ever used again.
func TestFlipEveryByte(t *testing.T) {
	dir := t.TempDir()
	whole, original := example(t, dir)
	for _, name := range whole.logs() {
		content := whole.read(name)
		first, ends := layout(content, name)
		for at := range content {
			for _, to := range []byte{content[at] ^ 0xFF, content[at] ^ 1, 0, ' '} {
				if to != content[at] {
					flip(t, dir, whole.clone(), original, name, at, to, first, ends)
				}
			}
		}
	}
}

func flip(t *testing.T, dir string, d *disk, original map[uint64]string, name string, at int, to byte, first uint64, ends []int) {
	t.Helper()
	content := d.read(name)
	content[at] = to
	d.put(name, content)
	j, r, err := archive.Open(archive.Options{Dir: dir, FS: d, MaxFile: small})
	if err != nil {
		t.Fatalf("%s byte %d: %v", name, at, err)
	}
	kept := maps.Clone(original)
	n := slices.IndexFunc(ends, func(end int) bool { return end > at })
	lost := first + uint64(n)
	delete(kept, lost)
	checkKept(t, j, kept)
	if len(r.Damaged) != 1 || !strings.Contains(r.Text, r.Damaged[0]) {
		t.Fatalf("%s byte %d to %#x: %+v", name, at, to, r)
	}
	begin := 0
	if n > 0 {
		begin = ends[n-1]
	}
	if aside := d.read(r.Damaged[0]); !bytes.Equal(aside, content[begin:ends[n]]) {
		t.Fatalf("%s byte %d: set aside were %q", name, at, aside)
	}
	if j.LastSeq() < total {
		t.Fatalf("%s byte %d to %#x: record %d would get a second content", name, at, to, j.LastSeq()+1)
	}
	if len(r.Holes) != 1 || r.Holes[0].From != lost || r.Holes[0].To != lost && lost != total || !slices.Equal(r.Holes[0].Files, r.Damaged) {
		t.Fatalf("%s byte %d to %#x: record %d is lost, told is %+v", name, at, to, lost, r.Holes)
	}
	if j.FirstSeq() <= lost {
		t.Fatalf("%s byte %d: FirstSeq %d before the gap", name, at, j.FirstSeq())
	}
	goOn(t, j, dir, d, kept)
}

// What the user is told of missing records is told at every start, until they
// delete the file with the damaged bytes.
func TestHolesAreToldUntilTheirFileIsDeleted(t *testing.T) {
	dir := t.TempDir()
	for _, last := range []bool{false, true} {
		d, _ := example(t, dir)
		logs := d.logs()
		name := logs[1]
		if last {
			name = logs[len(logs)-1]
		}
		b := d.read(name)
		at := 20
		if last {
			at = len(b) - 5
		}
		b[at] ^= 1
		d.put(name, b)
		var told []archive.Hole
		for restart := range 3 {
			j, r := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
			if len(r.Holes) != 1 || len(r.Holes[0].Files) != 1 || restart > 0 && fmt.Sprint(r.Holes) != fmt.Sprint(told) {
				t.Fatalf("start %d: told is %+v, was %+v", restart, r.Holes, told)
			}
			told = r.Holes
			appendAll(t, j, 2, "later")
			closeJournal(t, j)
		}
		delete(d.names, told[0].Files[0])
		j, r := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
		if len(r.Holes) != 0 || d.read(told[0].Files[0]) != nil {
			t.Errorf("deleted, and told is %+v", r.Holes)
		}
		closeJournal(t, j)
	}
}

// Replay yields everything; FirstSeq lies behind the last gap, so that a receiver
// that asks for what is missing is told that it is gone.
func TestReplayAndGaps(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		d, _ := example(t, dir)
		name := d.logs()[i]
		b := d.read(name)
		first, ends := layout(b, name)
		b[len(b)-1] ^= 1
		d.put(name, b)
		j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
		lost := first + uint64(len(ends)) - 1
		var want []uint64
		for seq := uint64(1); seq <= total; seq++ {
			if seq != lost {
				want = append(want, seq)
			}
		}
		if got := replayed(t, j); !slices.Equal(got, want) || j.FirstSeq() != lost+1 {
			t.Errorf("damage in file %d, record %d lost: replay %v, FirstSeq %d", i, lost, got, j.FirstSeq())
		}
		closeJournal(t, j)
	}
	d, _ := example(t, dir)
	name := d.logs()[len(d.logs())-1]
	b := d.read(name)
	b[len(b)-1] ^= 1
	d.put(name, b)
	for restart := range 3 {
		j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
		got := replayed(t, j)
		if len(got) != total-1+restart || got[total-2] != total-1 || got[len(got)-1] > j.LastSeq() || restart > 0 && got[total-1] != j.FirstSeq() {
			t.Errorf("restart %d: replay %v, %d–%d", restart, got, j.FirstSeq(), j.LastSeq())
		}
		if restart == 0 && j.FirstSeq() != j.LastSeq()+1 {
			t.Errorf("nothing can be re-sent yet, FirstSeq %d, LastSeq %d", j.FirstSeq(), j.LastSeq())
		}
		appendAll(t, j, 1, "later")
		closeJournal(t, j)
	}
}

func replayed(t testing.TB, j *archive.Journal) []uint64 {
	t.Helper()
	var got []uint64
	if err := j.Replay(func(seq uint64, _ []byte) error { got = append(got, seq); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

// Numbers that the outbox has delivered are never used again, even when their
// records are gone without a trace.
func TestAckedBeyondTheEnd(t *testing.T) {
	dir := t.TempDir()
	d, _ := example(t, dir)
	j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
	j.SetAcked(100)
	if j.Acked() != total {
		t.Errorf("acked %d", j.Acked())
	}
	j.SetAcked(5)
	if j.Acked() != total {
		t.Errorf("moved back to %d", j.Acked())
	}
	closeJournal(t, j)
	name := d.logs()[len(d.logs())-1]
	_, ends := layout(d.read(name), name)
	for _, cut := range []int{0, 3} {
		end := 0
		if len(ends) > 1 {
			end = ends[len(ends)-2]
		}
		c := d.clone()
		c.put(name, d.read(name)[:end+cut])
		j, r := open(t, archive.Options{Dir: dir, FS: c, MaxFile: small})
		if j.LastSeq() != total || j.Acked() != total || !strings.Contains(r.Text, "may have been announced") {
			t.Errorf("LastSeq %d, acked %d, %+v", j.LastSeq(), j.Acked(), r)
		}
		kept := contents(t, j)
		goOn(t, j, dir, c, kept)
	}
}

// The small files may be lost, empty (a known fate of files after a power cut)
// or rotten.
func TestSmallFilesLost(t *testing.T) {
	dir := t.TempDir()
	whole, original := example(t, dir)
	meta, acked := filepath.Join(dir, "meta"), filepath.Join(dir, "acked")
	for _, content := range [][]byte{nil, {}, []byte("{}"), record([]byte(`{"jid":"x"}`)), make([]byte, 500)} {
		d := whole.clone()
		for _, name := range []string{meta, acked} {
			d.put(name, content)
			if content == nil {
				delete(d.names, name)
			}
		}
		j, r := open(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
		if j.JID() != "01JD7Q4E9W0000000000000001" || j.Boot() != 4 || j.LastSeq() != total || j.Acked() != 0 || r.Text == "" {
			t.Errorf("%q: %s, boot %d, %d, acked %d, %+v", content, j.JID(), j.Boot(), j.LastSeq(), j.Acked(), r)
		}
		goOn(t, j, dir, d, maps.Clone(original))
	}
}

// A folder from which the records were taken away is a new journal: its numbers
// begin anew, so its name must be another one.
func TestRecordsTakenAway(t *testing.T) {
	dir := t.TempDir()
	d, _ := example(t, dir)
	j, _ := open(t, archive.Options{Dir: dir, FS: d})
	jid := j.JID()
	j.SetAcked(total)
	closeJournal(t, j)
	for _, name := range d.logs() {
		delete(d.names, name)
	}
	j, r := open(t, archive.Options{Dir: dir, FS: d})
	defer closeJournal(t, j)
	if !r.New || j.JID() == jid || j.LastSeq() != 0 || j.Acked() != 0 || j.Boot() != 3 {
		t.Errorf("%+v %s %d, acked %d, boot %d", r, j.JID(), j.LastSeq(), j.Acked(), j.Boot())
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	d := newDisk()
	j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: 100, KeepBytes: 400, KeepDays: 30})
	day := func() {
		d.mu.Lock()
		d.now = d.now.Add(24 * time.Hour)
		d.mu.Unlock()
	}
	for range 60 { // one file each day, not acknowledged
		appendAll(t, j, 1, "x")
		day()
	}
	if n := len(d.logs()); n != 60 || j.FirstSeq() != 1 {
		t.Errorf("%d files, first %d: deleted without acknowledgement", n, j.FirstSeq())
	}
	j.SetAcked(10)
	appendAll(t, j, 1, "x")
	if j.FirstSeq() != 11 {
		t.Errorf("first %d, acknowledged 10", j.FirstSeq())
	}
	j.SetAcked(61)
	day()
	appendAll(t, j, 1, "x")
	// Record n was written on day n-1, the last one on day 61.
	if j.FirstSeq() != 32 {
		t.Errorf("first %d, want 32: it is exactly 30 days older than the newest", j.FirstSeq())
	}
	if got := contents(t, j); uint64(len(got)) != 62-j.FirstSeq()+1 {
		t.Errorf("%d records", len(got))
	}
	closeJournal(t, j)
	// The size alone keeps files as well.
	j, _ = open(t, archive.Options{Dir: dir, FS: d, MaxFile: 100, KeepBytes: 1 << 20, KeepDays: 30})
	first := j.FirstSeq()
	d.now = d.now.Add(1000 * 24 * time.Hour)
	j.SetAcked(62)
	appendAll(t, j, 1, "x")
	if j.FirstSeq() != first {
		t.Errorf("first %d, was %d: deleted among the newest bytes", j.FirstSeq(), first)
	}
	closeJournal(t, j)
}

// Every call to the disk fails once, or from then on for a while. Whatever
// happens, nothing is claimed that is not durable, and a number has one content.
func TestEveryFault(t *testing.T) {
	dir := t.TempDir()
	calls := script(t, dir, newDisk())
	if calls < 60 {
		t.Fatalf("the script makes only %d calls", calls)
	}
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, errShort} {
		for _, length := range []int{1, 2, 3, 5, 9} {
			for at := range calls {
				d := newDisk()
				d.setFail(func(call int, _ string) error {
					if call >= at && call < at+length {
						return fault
					}
					return nil
				})
				script(t, dir, d)
				if t.Failed() {
					t.Fatalf("%v in calls %d–%d", fault, at, at+length-1)
				}
			}
		}
	}
}

// script opens twice, appends and acknowledges, again and again until it
// succeeds, and crashes in the end. It returns the number of calls.
func script(t *testing.T, dir string, d *disk) (calls int) {
	t.Helper()
	claimed, unreadable := map[uint64]string{}, false
	for session := range 2 {
		j, r := openAtLast(t, archive.Options{Dir: dir, FS: d, MaxFile: small})
		if len(r.Damaged) == 0 {
			checkClaimed(t, j, claimed)
		}
		unreadable = unreadable || len(r.Damaged) > 0
		for range 7 {
			appendAtLast(t, j, claimed, fmt.Sprint(session))
		}
		_ = j.Close() // may be the one that fails
		after := d.crash(0)
		after.fail, after.calls = d.fail, d.calls
		d = after
	}
	calls = d.calls
	for _, keep := range []int{0, 1, 9, 100, -1} {
		j, r := open(t, archive.Options{Dir: dir, FS: d.crash(keep), MaxFile: small})
		if len(r.Damaged) > 0 || j.FirstSeq() != 1 && !unreadable {
			t.Errorf("%+v, first %d", r, j.FirstSeq())
		}
		checkClaimed(t, j, claimed)
		appendAll(t, j, 1, "z")
		closeJournal(t, j)
	}
	return calls
}

func openAtLast(t *testing.T, o archive.Options) (*archive.Journal, archive.Recovery) {
	t.Helper()
	j, r, err := archive.Open(o)
	for try := 0; err != nil && try < 20; try++ {
		j, r, err = archive.Open(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j, r
}

// appendAtLast repeats an append until it succeeds, and acknowledges it.
func appendAtLast(t *testing.T, j *archive.Journal, claimed map[uint64]string, tag string) {
	t.Helper()
	seq := j.LastSeq() + 1
	content := payload(seq, tag)
	if _, ok := claimed[seq]; ok {
		t.Fatalf("number %d is used again", seq)
	}
	err := j.Append(seq, content)
	for try := 0; err != nil && try < 20; try++ {
		if _, ok := contentsIfReadable(j)[seq]; ok || j.LastSeq() != seq-1 {
			t.Errorf("a failed append was claimed: %d", j.LastSeq())
		}
		err = j.Append(seq, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	claimed[seq] = string(content)
	j.SetAcked(seq)
}

func contentsIfReadable(j *archive.Journal) map[uint64]string {
	got := map[uint64]string{}
	if j.Read(0, 0, func(seq uint64, b []byte) error { got[seq] = string(b); return nil }) != nil {
		return nil
	}
	return got
}

func checkClaimed(t testing.TB, j *archive.Journal, claimed map[uint64]string) {
	t.Helper()
	got := contentsIfReadable(j)
	if got == nil {
		return // the reading itself hit the fault
	}
	for seq, p := range claimed {
		if got[seq] != p {
			t.Errorf("record %d: %q, claimed was %q", seq, got[seq], p)
		}
	}
}

// Random lives: appends, faults, power cuts that keep any part of what was not
// synced, restarts.
func TestRandomCrashes(t *testing.T) {
	base, n := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		n++ // a failed check leaves its folder locked
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			r.Fatal(err)
		}
		d, claimed := newDisk(), map[uint64]string{}
		for range rapid.IntRange(1, 6).Draw(r, "lives") {
			d = live(r, dir, d, claimed)
		}
	})
}

// live is one run of the program and the power cut that ends it.
func live(r *rapid.T, dir string, d *disk, claimed map[uint64]string) *disk {
	j, rec, err := archive.Open(archive.Options{Dir: dir, FS: d, MaxFile: int64(rapid.IntRange(1, 1000).Draw(r, "size"))})
	if err != nil {
		r.Fatal(err)
	}
	if len(rec.Damaged) > 0 && !d.mixed {
		r.Fatalf("%+v", rec)
	}
	if got := contentsIfReadable(j); !subset(claimed, got) {
		r.Fatalf("claimed %v, found %v", claimed, got)
	}
	faults := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 5).Draw(r, "faults")
	d.setFail(func(call int, _ string) error {
		if slices.Contains(faults, call) {
			return syscall.EIO
		}
		return nil
	})
	changing := rapid.Bool().Draw(r, "changing")
	var p []byte
	for range rapid.IntRange(0, 12).Draw(r, "events") {
		seq := j.LastSeq() + 1
		if changing || p == nil {
			p = payload(seq, strings.Repeat("x", rapid.IntRange(0, 700).Draw(r, "length")))
		}
		if j.Append(seq, p) != nil {
			continue
		}
		if _, ok := claimed[seq]; ok {
			r.Fatalf("number %d twice", seq)
		}
		claimed[seq], p = string(p), nil
	}
	if rapid.Bool().Draw(r, "healed") {
		d.heal()
	}
	after := d.crash(rapid.IntRange(-1, 900).Draw(r, "keep"))
	if rapid.Bool().Draw(r, "zeros") {
		after = d.crashZeros(rapid.IntRange(0, 2).Draw(r, "sectors"))
	}
	// Parts of two attempts with different contents may look like damage, which
	// costs numbers and nothing else. The Writer repeats the same content.
	after.mixed = changing
	_ = j.Close() // gives the lock free, as the end of a program does
	return after
}

func subset(part, all map[uint64]string) bool {
	for k, v := range part {
		if all[k] != v {
			return false
		}
	}
	return true
}

// Readers and a writer at the same time, on a real disk, over many files.
func TestReadWhileAppending(t *testing.T) {
	j, _ := open(t, archive.Options{Dir: t.TempDir(), MaxFile: 2000})
	defer closeJournal(t, j)
	const total = 300
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for next := uint64(1); next <= total; {
				err := j.Read(next, 10, func(seq uint64, b []byte) error {
					if seq != next || !bytes.Equal(b, payload(seq, "x")) {
						return fmt.Errorf("record %d: %d %s", next, seq, b)
					}
					next++
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				j.SetAcked(next - 1)
				if j.FirstSeq() != 1 {
					t.Errorf("FirstSeq %d", j.FirstSeq())
				}
			}
		})
	}
	appendAll(t, j, total, "x")
	wg.Wait()
}

// A record that rots while the program runs is an error for the reader, never a
// wrong content.
func TestRotWhileRunning(t *testing.T) {
	dir := t.TempDir()
	d := newDisk()
	j, _ := open(t, archive.Options{Dir: dir, FS: d})
	defer closeJournal(t, j)
	appendAll(t, j, 3, "x")
	name := d.logs()[0]
	good := d.read(name)
	for at := range good {
		d.names[name].data[at] ^= 0x40
		err := j.Read(0, 0, func(seq uint64, b []byte) error {
			if !bytes.Equal(b, payload(seq, "x")) {
				t.Errorf("byte %d: record %d: %s", at, seq, b)
			}
			return nil
		})
		if !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("byte %d: %v", at, err)
		}
		d.names[name].data[at] ^= 0x40
	}
	d.names[name].data = good[:len(good)-1]
	if err := j.Read(0, 0, func(uint64, []byte) error { return nil }); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("shorter: %v", err)
	}
	d.names[name].data = good
	delete(d.names, name)
	if err := j.Read(0, 0, func(uint64, []byte) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
	d.names[name] = &inode{data: good}
}

// One sync for each event, and nothing written but the record.
func TestCostOfAnEvent(t *testing.T) {
	d := newDisk()
	j, _ := open(t, archive.Options{Dir: t.TempDir(), FS: d})
	defer closeJournal(t, j)
	appendAll(t, j, 1, "x")
	syncs, written := d.syncs, d.written
	appendAll(t, j, 1000, "x")
	want := int64(0)
	for seq := uint64(2); seq <= 1001; seq++ {
		want += int64(8 + len(payload(seq, "x")))
	}
	if d.syncs-syncs != 1000 || d.written-written != want {
		t.Errorf("%d syncs, %d bytes, want 1000 and %d", d.syncs-syncs, d.written-written, want)
	}
}

// Whatever lies in the folder, opening does not panic, reads exactly the correct
// records of each file, and goes on from there.
func FuzzOpen(f *testing.F) {
	one := record(payload(1, "x"))
	f.Add([]byte{}, []byte{})
	f.Add(one, record(payload(2, "x")))
	f.Add(one[:20], []byte{0, 0, 0})
	f.Add(append(one, make([]byte, 600)...), one)
	f.Add(append(append(slices.Clip(one), "damage that is long enough"...), record(payload(3, "x"))...), record(payload(3, "x")))
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 0, '{'}, []byte{2, 0, 0, 0, 1, 2, 3, 4, '{', '}'})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		dir, d := t.TempDir(), newDisk()
		want := map[uint64]string{}
		for i, content := range [][]byte{a, b} {
			first := uint64(1 + 100000*i)
			d.put(filepath.Join(dir, fmt.Sprintf("journal-%020d.log", first)), content)
			maps.Copy(want, naive(content, first))
		}
		j, _, err := archive.Open(archive.Options{Dir: dir, FS: d})
		if err != nil {
			t.Fatal(err)
		}
		if got := contents(t, j); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("\n got %v\nwant %v", got, want)
		}
		replayed(t, j)
		goOn(t, j, dir, d, want)
	})
}

// naive reads the correct records of a file: those at its beginning, and behind
// damage every one that says its number, if so many fit into the damaged bytes.
func naive(b []byte, first uint64) map[uint64]string {
	found, next, damaged := map[uint64]string{}, first, 0
	for len(b) >= 8 {
		n := binary.LittleEndian.Uint32(b)
		ok := n >= 2 && n <= archive.MaxRecord && uint64(len(b)) >= 8+uint64(n) && bytes.Equal(record(b[8:8+n]), b[:8+n])
		seq := next
		if ok && damaged > 0 {
			var e struct {
				Seq *uint64 `json:"seq"`
			}
			ok = b[8] == '{' && b[7+n] == '}' && json.Unmarshal(b[8:8+n], &e) == nil && e.Seq != nil
			if ok {
				seq = *e.Seq
				ok = seq >= next && seq-next <= uint64(damaged/10)
			}
		}
		if !ok {
			b, damaged = b[1:], damaged+1
			continue
		}
		found[seq] = string(b[8 : 8+n])
		b, next, damaged = b[8+n:], seq+1, 0
	}
	return found
}

func BenchmarkAppend(b *testing.B) {
	for name, o := range map[string]archive.Options{"disk": {Dir: b.TempDir()}, "memory": {Dir: b.TempDir(), FS: newDisk()}} {
		b.Run(name, func(b *testing.B) {
			j, _ := open(b, o)
			defer closeJournal(b, j)
			bytes := 0
			for b.Loop() {
				seq := j.LastSeq() + 1
				p := payload(seq, strings.Repeat("x", 250))
				if err := j.Append(seq, p); err != nil {
					b.Fatal(err)
				}
				bytes += 8 + len(p)
			}
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes/event")
			if d, ok := o.FS.(*disk); ok {
				b.ReportMetric(float64(d.syncs)/float64(b.N), "fsyncs/event")
			}
		})
	}
}

// The disk fails, or the power, at any moment of mending a damaged file: no byte
// and no record before the damage is lost, and no number is used again.
func TestFaultsWhileMending(t *testing.T) {
	dir := t.TempDir()
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO, errShort} {
		for at := range 40 {
			for _, length := range []int{1, 2, 1000} {
				for _, keep := range []int{0, 7, -1} {
					mend(t, dir, fault, at, at+length, keep)
				}
			}
		}
	}
}

// mend lets the calls from at to end of the start after a damage fail, and the
// power in its end.
func mend(t *testing.T, dir string, fault error, at, end, keep int) {
	t.Helper()
	d, original := example(t, dir)
	name := d.logs()[len(d.logs())-1]
	content := d.read(name)
	first, ends := layout(content, name)
	content[len(content)-5] ^= 1
	d.put(name, content)
	d.setFail(func(call int, _ string) error {
		if call >= at && call < end {
			return fault
		}
		return nil
	})
	j, _, err := archive.Open(archive.Options{Dir: dir, FS: d, MaxFile: small})
	after := d.crash(keep)
	if err == nil {
		_ = j.Close()
	}
	j, _ = open(t, archive.Options{Dir: dir, FS: after, MaxFile: small})
	kept := maps.Clone(original)
	delete(kept, first+uint64(len(ends)-1))
	checkKept(t, j, kept)
	aside := after.read(fmt.Sprintf("%s.%d.damaged", name, ends[len(ends)-2]))
	if !bytes.Equal(append(after.read(name), aside...), content) {
		t.Fatalf("call %d: bytes are lost: %q and %q", at, after.read(name), aside)
	}
	if j.LastSeq() < total {
		t.Fatalf("calls %d–%d, keep %d: record %d would get a second content", at, end, keep, j.LastSeq()+1)
	}
	goOn(t, j, dir, after, kept)
}

// The end of a file must not come back: an append that failed may have left a
// whole record there, and the next one goes into another file.
func TestLeftoverBeforeANewFile(t *testing.T) {
	dir, d := t.TempDir(), newDisk()
	j, _ := open(t, archive.Options{Dir: dir, FS: d, MaxFile: 300})
	appendAll(t, j, 2, "x")
	d.setFail(func(_ int, op string) error {
		if op == "sync" || op == "truncate" {
			return syscall.EIO
		}
		return nil
	})
	if j.Append(3, payload(3, "never announced")) == nil {
		t.Fatal("the fault did not strike")
	}
	d.heal()
	want := payload(3, strings.Repeat("y", 200))
	if err := j.Append(3, want); err != nil {
		t.Fatal(err)
	}
	closeJournal(t, j)
	for _, keep := range []int{0, -1} {
		j, _ = open(t, archive.Options{Dir: dir, FS: d.crash(keep), MaxFile: 300})
		if got := contents(t, j); got[3] != string(want) || len(got) != 3 {
			t.Errorf("%v", got)
		}
		closeJournal(t, j)
	}
}

// What a write that did not return can leave behind, and what it cannot.
func TestTornOrDamaged(t *testing.T) {
	one, two := record(payload(1, "x")), record(payload(2, strings.Repeat("y", 1200)))
	zeros := func(n int) []byte { return make([]byte, n) }
	sectors := func(n int) int { return n*512 - len(one) } // bytes of two up to that border
	for name, c := range map[string]struct {
		tail []byte
		torn bool
	}{
		"part of the head":              {two[:5], true},
		"the head":                      {two[:8], true},
		"half":                          {two[:600], true},
		"all but one byte":              {two[:len(two)-1], true},
		"zeros only":                    {zeros(3000), true},
		"head, then zeros":              {append(two[:8:8], zeros(900)...), true},
		"zeros from a sector on":        {append(two[:sectors(2):sectors(2)], zeros(len(two)-sectors(2))...), true},
		"zeros beyond the record":       {append(two[:sectors(2):sectors(2)], zeros(4096)...), true},
		"zeros from within a sector on": {append(two[:600:600], zeros(len(two)-600)...), false},
		"last byte zero":                {append(two[:len(two)-1:len(two)-1], 0), false},
		"a hole":                        {append(append(two[:600:600], zeros(100)...), two[700:]...), false},
		"another record behind it":      {append(two[:600:600], one...), false},
		"no length":                     {append([]byte{255, 255, 255, 255}, two[4:]...), false},
		"wrong sum":                     {append(append(two[:4:4], 1, 2, 3, 4), two[8:]...), false},
		"length too long":               {append([]byte{two[0], two[1] + 1, 0, 0}, two[4:]...), false},
		"length too long, two records":  {append(append([]byte{two[0], two[1] + 1, 0, 0}, two[4:]...), one...), false},
		"length too short":              {append([]byte{two[0], two[1] - 1, 0, 0}, two[4:]...), false},
	} {
		dir, d := t.TempDir(), newDisk()
		path := filepath.Join(dir, "journal-00000000000000000001.log")
		d.put(path, append(slices.Clip(one), c.tail...))
		j, r := open(t, archive.Options{Dir: dir, FS: d})
		if (j.LastSeq() == 1) != c.torn || (r.Truncated == int64(len(c.tail))) != c.torn || (len(r.Damaged) == 0) != c.torn {
			t.Errorf("%s: goes on behind %d, %+v", name, j.LastSeq(), r)
		}
		goOn(t, j, dir, d, map[uint64]string{1: string(payload(1, "x"))})
	}
}
