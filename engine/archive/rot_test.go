package archive_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine/archive"
	"reversi-board/engine/referee"
)

// A record of a finished game rots, whichever it is: the archive has the game as it
// was, its tournament result stays, and the user is told when something of it cannot
// be read any more.
func TestRottenRecordTakesNoGameOutOfTheArchive(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	h.d.play(nine)
	h.d.over(referee.Wipeout)
	h.sync()
	name := filepath.Join(h.dir, "journal", "journal-00000000000000000001.log")
	if err := h.j.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, ends := layout(content, name)
	for lost := range slices.Backward(ends) { // the first one lets the archive forget where it has been
		begin := 0
		if lost > 0 {
			begin = ends[lost-1]
		}
		rotten := []byte(string(content))
		rotten[(begin+ends[lost])/2] ^= 4
		report, again := syncRotten(t, h, filepath.Base(name), rotten)
		if got := list(t, h.games, archive.Query{}); len(got) != 1 || got[0].ID != gameOne || got[0].BlackScore != 64 {
			t.Errorf("record %d: the archive has %+v", lost+1, got)
		}
		if p := h.pairing(); p.Result == nil || p.Result.Winner != "black" || len(h.changes()) != 0 {
			t.Errorf("record %d: the result is %+v, changed were %q", lost+1, p.Result, h.changes())
		}
		for i, r := range []archive.SyncReport{report, again} {
			if r.Removed != 0 || len(r.Broken) != 1 && (lost > 0 || i == 0) || len(r.Broken) > 0 && !strings.Contains(r.Broken[0], gameOne) {
				t.Errorf("record %d: told is %+v", lost+1, r)
			}
		}
	}
}

// syncRotten lets the archive read a journal with such a file, as "games list" does and
// as the program does.
func syncRotten(t *testing.T, h *hall, name string, rotten []byte) (report, again archive.SyncReport) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), rotten, 0o600); err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile(filepath.Join(h.dir, "journal", "meta"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "meta"), meta, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := archive.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	report = syncAll(t, h.games, files)
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	j, _ := open(t, archive.Options{Dir: dir})
	again = syncAll(t, h.games, j)
	closeJournal(t, j)
	return report, again
}
