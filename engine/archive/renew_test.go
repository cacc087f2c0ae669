package archive_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"reversi-board/engine/archive"
)

// The data folder goes while the journal is open, in whatever way: it is noticed before
// the next record, also when none is written, and the records of the game are written
// anew.
func TestFolderThatGoesWhileTheJournalIsOpen(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"renamed":  func(dir string) error { return os.Rename(dir, dir+"-old") },
		"emptied":  func(dir string) error { return os.Remove(filepath.Join(dir, "journal-00000000000000000001.log")) },
		"replaced": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(dir+"-copy"))) },
	} {
		for _, fresh := range []bool{false, true} {
			t.Run(fmt.Sprint(name, fresh), func(t *testing.T) {
				t.Parallel()
				folderGoes(t, away, fresh)
			})
		}
	}
}

// folderGoes takes the folder of an open journal away; fresh says that nothing has been
// written since the start.
func folderGoes(t *testing.T, away func(dir string) error, fresh bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	j, _ := open(t, archive.Options{Dir: dir})
	appendAll(t, j, 3, "x")
	if err := os.CopyFS(dir+"-copy", os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, 3, "x")
	if fresh { // nothing has been written since the start
		closeJournal(t, j)
		j, _ = open(t, archive.Options{Dir: dir})
	}
	if err := j.Check(); err != nil {
		t.Fatal(err)
	}
	jid := j.JID()
	if err := away(dir); err != nil {
		t.Fatal(err)
	}
	if fresh {
		if err := j.Check(); !errors.Is(err, archive.ErrMoved) {
			t.Errorf("nothing was noticed: %v", err)
		}
	} else if err := j.Append(7, payload(7, "x")); !errors.Is(err, archive.ErrMoved) {
		t.Errorf("nothing was noticed: %v", err)
	}
	if err := j.Check(); err != nil {
		t.Errorf("it is not made anew: %v", err)
	}
	appendAll(t, j, 2, "x")
	checkAll(t, j, jid, 8)
	closeJournal(t, j)
	j, r := open(t, archive.Options{Dir: dir})
	if r.Text != "" || len(r.Holes) != 0 {
		t.Errorf("%+v", r)
	}
	checkAll(t, j, jid, 8)
	closeJournal(t, j)
}

// checkAll wants the records 1 to last in the journal jid.
func checkAll(t *testing.T, j *archive.Journal, jid string, last uint64) {
	t.Helper()
	want := map[uint64]string{}
	for seq := uint64(1); seq <= last; seq++ {
		want[seq] = string(payload(seq, "x"))
	}
	checkKept(t, j, want)
	if j.JID() != jid || j.LastSeq() != last || j.FirstSeq() != 1 {
		t.Errorf("the journal is %s %d-%d, want %s", j.JID(), j.FirstSeq(), j.LastSeq(), jid)
	}
}

// While the folder cannot be made again nothing is said to be stored, and another
// journal that has been put in its place is left alone.
func TestFolderThatCannotBeMadeAgain(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, other := filepath.Join(base, "data"), filepath.Join(base, "other")
	j, _ := open(t, archive.Options{Dir: other})
	appendAll(t, j, 9, "other")
	closeJournal(t, j)
	j, _ = open(t, archive.Options{Dir: dir})
	appendAll(t, j, 3, "x")
	jid := j.JID()
	for _, away := range []func() error{
		func() error { return os.WriteFile(dir, nil, 0o600) },
		func() error { return errors.Join(os.Remove(dir), os.Rename(other, dir)) },
	} {
		_ = os.RemoveAll(dir + "-gone")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := away(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := j.Append(4, payload(4, "x")); err == nil || j.LastSeq() != 3 {
				t.Fatalf("%v, the last is %d", err, j.LastSeq())
			}
		}
	}
	if got, err := filepath.Glob(filepath.Join(dir, "*.log")); err != nil || len(got) != 1 {
		t.Errorf("the other journal has the files %q now: %v", got, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_ = j.Check()
	appendAll(t, j, 1, "x")
	checkAll(t, j, jid, 4)
	closeJournal(t, j)
}
