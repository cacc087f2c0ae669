package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// stocked makes a data folder with a journal of one finished game and an archive with
// that game and n imported ones.
func stocked(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir})
	d := journalDiary(t, j)
	d.start(gameOne, "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	games, err := archive.OpenGames(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	syncAll(t, games, j)
	closeJournal(t, j)
	added, err := games.Import(t.Context(), "old.pgn", func(yield func(*notation.Game) bool) {
		for i := range n {
			for game, err := range notation.Read(strings.NewReader(game1977), notation.FormatTranscript, notation.ReadOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				game.Event = plaintext.Clean(fmt.Sprint("game ", i), plaintext.MaxName)
				if !yield(game) {
					return
				}
			}
		}
	})
	if err != nil || added != n {
		t.Fatal(added, err)
	}
	if err := games.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mended mends the archive in a folder, brings it up to date, and returns what was said
// and what it has.
func mended(t *testing.T, dir string) (text string, all []archive.Entry) {
	t.Helper()
	text, err := archive.Mend(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	games, err := archive.OpenGames(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := archive.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	syncAll(t, games, files)
	all = list(t, games, archive.Query{})
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := games.Close(); err != nil {
		t.Fatal(err)
	}
	return text, all
}

// An archive that is nothing but zeros, or no database, is set aside and made anew from
// the journal.
func TestZeroedArchiveIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := stocked(t, 1)
	path := filepath.Join(dir, archive.GamesFile)
	for n, garbage := range [][]byte{make([]byte, 40960), []byte(strings.Repeat("no database ", 1000))} {
		if err := os.WriteFile(path, garbage, 0o600); err != nil {
			t.Fatal(err)
		}
		text, all := mended(t, dir)
		if len(all) != 1 || all[0].ID != gameOne || !strings.Contains(text, "games.db.damaged") || !strings.Contains(text, "0 games and 0 tournaments") {
			t.Errorf("%q, the archive has %+v", text, all)
		}
		aside := path + ".damaged"
		if n > 0 {
			aside += "2"
		}
		if b, err := os.ReadFile(aside); err != nil || !bytes.Equal(b, garbage) {
			t.Errorf("%s: %d bytes, %v", aside, len(b), err)
		}
	}
	if text, all := mended(t, dir); text != "" || len(all) != 1 {
		t.Errorf("there was nothing to mend: %q, %+v", text, all)
	}
}

// A page in the middle is lost: what lies before and behind it is taken over, and said.
func TestArchiveWithALostPageKeepsTheOthers(t *testing.T) {
	t.Parallel()
	const n = 140 // so many that these pages hold games: without its schema nothing could be read
	dir := stocked(t, n)
	path := filepath.Join(dir, archive.GamesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []int{2, 3} { // half and two thirds
		page := len(whole) / 4096 * (part - 1) / part
		b := bytes.Clone(whole)
		clear(b[page*4096 : (page+1)*4096])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		text, all := mended(t, dir)
		if !strings.Contains(text, "games and 0 tournaments could be read") || len(all) < n/2 {
			t.Errorf("page %d of %d: %q, %d games of %d are left", page, len(whole)/4096, text, len(all), n+1)
		}
		if got := ids(all); !strings.Contains(got, gameOne) {
			t.Errorf("page %d: the game of the journal is missing in %s", page, got)
		}
	}
}

// Bytes of the archive rot, one at a time: it opens, lists its games, and has the one of
// the journal.
func TestArchiveWithRottenBytesOpens(t *testing.T) {
	t.Parallel()
	whole := stocked(t, 1)
	b, err := os.ReadFile(filepath.Join(whole, archive.GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(b); at += 1 + len(b)/40 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		rotten := bytes.Clone(b)
		rotten[at] ^= 0x41
		if err := os.WriteFile(filepath.Join(dir, archive.GamesFile), rotten, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, all := mended(t, dir); !strings.Contains(ids(all), gameOne) {
			t.Errorf("byte %d of %d: the archive has %q", at, len(b), ids(all))
		}
	}
}
