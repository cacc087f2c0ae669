package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// IsDamaged reports whether an error says that the archive of games is damaged: Mend
// makes it anew.
func IsDamaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xFF == sqlite3.SQLITE_CORRUPT || e.Code()&0xFF == sqlite3.SQLITE_NOTADB) || errors.Is(err, errMalformed)
}

// errMalformed is what a check has found.
var errMalformed = errors.New("database disk image is malformed")

// Mend looks through the archive in a data folder. If it is damaged it is set aside and
// begun anew with what can be read of it; games of the journal come back with the next
// Sync. What was done is said in text, which is empty when nothing had to be. It has to
// be called before the archive is opened, and reads all of it.
func Mend(ctx context.Context, dir string) (text string, err error) {
	path := filepath.Join(dir, GamesFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err := checkDB(ctx, path); !IsDamaged(err) {
		return "", nil // what else is wrong is said when it is opened
	}
	free, err := alone(ctx, dir)
	if err != nil {
		return "", explainDB(path, "mend", err)
	}
	defer func() { err = errors.Join(err, free()) }()
	// Another program may have been faster.
	if err := checkDB(ctx, path); !IsDamaged(err) {
		return "", nil
	}
	aside, err := setDBAside(path)
	if err != nil {
		return "", explainDB(path, "set aside", err)
	}
	games, entered, err := rescue(ctx, dir, aside)
	if err != nil {
		return "", explainDB(path, "begin anew", err)
	}
	return fmt.Sprintf("The archive of games was damaged: it was moved to %s and begun anew. %d games and %d tournaments could be read in it. "+
		"Games of the journal come back by themselves; import others again, and compare the tournaments with your notes.",
		filepath.Base(aside), games, entered), nil
}

// alone waits until no other program mends the archive in a folder, and keeps others
// from it until free is called.
func alone(ctx context.Context, dir string) (free func() error, err error) {
	path := filepath.Join(dir, GamesFile+".mending")
	if err := os.WriteFile(path, nil, filePerm); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for {
		l, err := lock(path)
		if err == nil {
			return func() error { return errors.Join(os.Remove(path), l.Close()) }, nil
		}
		if !errors.Is(err, ErrInUse) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(openPause):
		}
	}
}

// checkDB reads a whole database and says what is wrong with it.
func checkDB(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dbName(path, "busy_timeout(10000)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	var answer string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&answer)
	if err == nil && answer != "ok" {
		err = fmt.Errorf("%w: %s", errMalformed, answer)
	}
	return errors.Join(err, db.Close())
}

// setDBAside renames a database and what belongs to it.
func setDBAside(path string) (aside string, err error) {
	aside = path + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged%d", path, n)
	}
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	if err := os.Rename(path+"-wal", aside+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return aside, nil
}

// rescue begins a database with what can be read of a damaged one.
func rescue(ctx context.Context, dir, aside string) (games, entered int, err error) {
	fresh, _, err := openDB(ctx, dir, "FULL")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	old, err := sql.Open("sqlite", dbName(aside, "busy_timeout(10000)"))
	if err != nil {
		return 0, 0, err
	}
	old.SetMaxOpenConns(1)
	defer old.Close() //nolint:errcheck // it is damaged
	if _, err := fresh.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return 0, 0, err
	}
	names, err := texts(ctx, fresh, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'journals'")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if err := copyTable(ctx, fresh, old, name); err != nil {
			return 0, 0, err
		}
	}
	err = fresh.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM tournaments)").Scan(&games, &entered)
	return games, entered, err
}

// texts returns the only column of a query.
func texts(ctx context.Context, db *sql.DB, query string) (list []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// copyTable copies the rows of a table that can be read, from both ends up to where the
// damage is. Names are those of our own tables.
func copyTable(ctx context.Context, fresh, old *sql.DB, table string) error {
	columns, err := texts(ctx, fresh, "SELECT name FROM pragma_table_info('"+table+"')")
	if err != nil {
		return err
	}
	have, err := texts(ctx, old, "SELECT name FROM pragma_table_info('"+table+"')")
	if err != nil {
		return nil //nolint:nilerr // nothing of the table can be read
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return !slices.Contains(have, c) })
	keys, err := texts(ctx, fresh, "SELECT name FROM pragma_table_info('"+table+"') WHERE pk > 0 ORDER BY pk")
	if err != nil || len(columns) == 0 {
		return err
	}
	tx, err := fresh.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + table + " ORDER BY "
	insert := "INSERT OR IGNORE INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(",?", len(columns)-1) + ")"
	// By rowid the index of the keys is not read, which may be what is damaged; a table
	// may have no rowid.
	for _, order := range []string{"rowid", "rowid DESC", strings.Join(keys, ", "), strings.Join(keys, " DESC, ") + " DESC"} {
		if copyRows(ctx, tx, old, query+order, insert, len(columns)) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// copyRows copies rows until one cannot be read; whole says that all could be. A row
// that is not as a row has to be is left out.
func copyRows(ctx context.Context, tx *sql.Tx, old *sql.DB, query, insert string, columns int) (whole bool) {
	rows, err := old.QueryContext(ctx, query)
	if err != nil {
		return false
	}
	defer rows.Close() //nolint:errcheck // it is damaged
	values, places := make([]any, columns), make([]any, columns)
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if rows.Scan(places...) != nil {
			return false
		}
		_, _ = tx.ExecContext(ctx, insert, values...)
	}
	return rows.Err() == nil
}

// place is where an open database was found.
type place struct {
	path string
	info os.FileInfo
}

// placeOf returns where the archive in a data folder is.
func placeOf(dir string) place {
	path := filepath.Join(dir, GamesFile)
	info, _ := os.Stat(path)
	return place{path, info}
}

// moved reports whether another file, or none, is there now.
func (p place) moved() bool {
	there, err := os.Stat(p.path)
	return err != nil || p.info == nil || !os.SameFile(there, p.info)
}

// Place returns a question: whether the archive in a data folder is another file than
// now, because the folder was removed or the archive was begun anew.
func Place(dir string) (moved func() bool) { return placeOf(dir).moved }
