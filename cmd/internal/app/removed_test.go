package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/engine/archive"
)

// The data folder is removed in the middle of a game: within a second page and state say
// so, the game goes on, and all of its moves are in the folder that is made anew.
func TestDataFolderIsRemovedInTheGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		b, stop := run(t, dir, nil)
		b.play(movesOf(t, "f5d6c3"))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		// A file where the folder was: it cannot be made anew.
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if seen := b.page(); !seen.sayStorage() {
			t.Fatalf("a second after the folder was removed: %+v", seen)
		}
		durable := b.announced()
		b.play(movesOf(t, "f5d6c3d3c4")[3:])
		if seen := b.page(); !seen.sayStorage() || b.announced() != durable {
			t.Fatalf("moves without a folder: %+v, event %d was announced", seen, b.announced())
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		seen := b.page()
		if !seen.well() || b.announced() != seen.State.Seq {
			t.Errorf("after the repair: %+v, event %d was announced", seen, b.announced())
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		checkStored(t, dir, "f5d6c3d3c4", seen.State.Seq)
	})
}

// announced is the number of the last event that is durable, while the loop has nothing
// to do.
func (b *board) announced() uint64 {
	synctest.Wait()
	durable := b.app.durable
	// As in state: the loop writes only after this.
	nudge(b.app.touched)
	synctest.Wait()
	return durable
}

// Only the file that is written is removed, and nobody moves: it is noticed within a
// second, told, and mended.
func TestJournalIsRemovedWhileNobodyMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, stop := run(t, dir, nil)
		b.play(movesOf(t, "f5d6c3"))
		files, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
		if err != nil || len(files) != 1 || os.Remove(files[0]) != nil {
			t.Fatal(files, err)
		}
		told := 0
		for range 40 {
			time.Sleep(100 * time.Millisecond)
			if seen := b.page(); seen.sayStorage() {
				told++
			}
		}
		seen := b.page()
		if told < 5 || !seen.well() {
			t.Errorf("it was told %d times, then %+v", told, seen)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		checkStored(t, dir, "f5d6c3", seen.State.Seq)
		if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), `"move":"c3"`) {
			t.Errorf("the file has %d bytes: %v", len(text), err)
		}
	})
}

// games.db is nothing but zeros at the start: it is set aside and made anew from the
// journal, and the page says so.
func TestZeroedArchiveIsMadeAnewByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, archive.GamesFile)
		if err := os.WriteFile(path, make([]byte, 20480), 0o600); err != nil {
			t.Fatal(err)
		}
		b, _ := run(t, dir, nil)
		if seen := b.page(); len(seen.Alerts) != 1 || seen.Alerts[0].Severity != "warn" || !strings.Contains(seen.Alerts[0].Text, "games.db.damaged") {
			t.Errorf("the page does not say what was mended: %+v", seen.Alerts)
		}
		// And once more while the program runs.
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the archive is not made again: %v", err)
		}
		if _, err := b.app.hall.get(); err != nil {
			t.Errorf("there are no tournaments: %v", err)
		}
	})
}
