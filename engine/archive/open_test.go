package archive_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"reversi-board/engine/archive"
)

// Another program is making the archive: whoever opens it meanwhile waits, although
// SQLite does not wait to change a file's journal.
func TestArchiveThatIsBeingMadeIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, err := sql.Open("sqlite", filepath.Join(dir, archive.GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // Nothing of it is needed.
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() {
		_, err := other.ExecContext(t.Context(), "ROLLBACK")
		ended <- err
	})
	games, err := archive.OpenGames(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := games.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
