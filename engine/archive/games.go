package archive

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"modernc.org/sqlite" // the driver, too
	sqlite3 "modernc.org/sqlite/lib"

	"reversi-board/engine"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// GamesFile is the name of the archive of games in the data folder.
const GamesFile = "games.db"

// FromJournal is the source of games that were played on this board.
const FromJournal = "journal"

// gamesVersion is the version of the tables: 1 had games alone, 2 has tournaments.
const gamesVersion = 2

// ErrNoGame means that there is no game with that id.
var ErrNoGame = errors.New("there is no such game in the archive")

// Games is the archive of finished games, an SQLite file. It is an index and
// not a record: what it says of a game of this board is computed from the
// journal by Sync, in the same way every time, and can be computed again.
// Imported games are kept beside them and never mixed with them. Its methods
// wait for the disk and for each other; nothing that a game waits for may call
// them.
type Games struct {
	db    *sql.DB
	path  string
	place place
}

// Entry is a line of the archive.
type Entry struct {
	// ID names the game: the ULID of the journal, or i and a hash of what was
	// imported.
	ID string `json:"id"`
	// Source is FromJournal or the name of the file that was imported.
	Source plaintext.Text `json:"source"`
	// Day is 2026-02-23, 2026-02 or 2026 as far as it is known.
	Day   string         `json:"day"`
	Black plaintext.Text `json:"black"`
	White plaintext.Text `json:"white"`
	Event plaintext.Text `json:"event"`
	// Variant is the name of the rules.
	Variant string `json:"variant"`
	// Plies is the number of discs placed.
	Plies int `json:"plies"`
	// Finished says that neither side could move; the score is valid then.
	Finished   bool `json:"finished"`
	BlackScore int  `json:"black_score"`
	WhiteScore int  `json:"white_score"`
	// Winner is black, white, draw, or empty when nobody knows. When End says that
	// something else than the board has decided who that is, the score is the one that
	// was declared; the discs are those of the game.
	Winner string `json:"winner"`
	// End is why the game stopped early.
	End string `json:"end,omitempty"`
}

// Query selects games. Empty fields select all.
type Query struct {
	// Player and Event are parts of names, in any letter case (of ASCII).
	Player, Event string
	// From and To are the first and the last day, as in Entry.Day; a year alone
	// means all of it.
	From, To string
	// Source is FromJournal or the name of a file.
	Source string
	// Limit is the largest number of games, all if it is 0; Offset skips some.
	Limit, Offset int
}

// OpenGames opens the archive in a data folder, or begins one. Only the folder's
// owner can read it: names of players are personal.
func OpenGames(ctx context.Context, dir string) (*Games, error) {
	// Everything of the games can be computed again, so one sync for each
	// checkpoint is enough: the card is written as little as possible.
	db, path, err := openDB(ctx, dir, "NORMAL")
	if err != nil {
		return nil, err
	}
	return &Games{db: db, path: path, place: placeOf(dir)}, nil
}

// OpenTables opens the tournaments in the archive of a data folder, or begins
// one. What is entered by hand cannot be computed again: every change is synced.
func OpenTables(ctx context.Context, dir string) (*tables.Store, error) {
	db, _, err := openDB(ctx, dir, "FULL")
	if err != nil {
		return nil, err
	}
	return tables.New(db, func() string { return ulid.Make().String() }), nil
}

// openDB opens the database in a data folder and makes its tables.
func openDB(ctx context.Context, dir, sync string) (db *sql.DB, path string, err error) {
	path = filepath.Join(dir, GamesFile)
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, path, explainDB(path, "open", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm) //nolint:gosec // the folder is the user's choice
	if err != nil {
		return nil, path, explainDB(path, "open", err)
	}
	if err := f.Close(); err != nil {
		return nil, path, explainDB(path, "open", err)
	}
	name := dbName(path, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous("+sync+")", "foreign_keys(ON)")
	if db, err = sql.Open("sqlite", name); err != nil {
		return nil, path, explainDB(path, "open", err)
	}
	db.SetMaxOpenConns(1)
	if err := prepareInTurn(ctx, db); err != nil {
		return nil, path, errors.Join(explainDB(path, "open", err), db.Close())
	}
	return db, path, nil
}

// dbName returns the name of a database with settings for the driver.
func dbName(path string, pragmas ...string) string {
	settings := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + settings.Encode()
}

// prepareInTurn prepares the database when others have done so. busy_timeout does
// not wait for them: the change to WAL, and what a crash has left, are locked by
// other means.
func prepareInTurn(ctx context.Context, db *sql.DB) error {
	waiting, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for {
		err := prepare(ctx, db)
		if !busy(err) {
			return err
		}
		select {
		case <-waiting.Done():
			return err
		case <-time.After(openPause):
		}
	}
}

// openTimeout is how long others are waited for who have the archive, openPause the
// time between two attempts.
const (
	openTimeout = 10 * time.Second
	openPause   = 20 * time.Millisecond
)

// busy reports that another program, or another part of this one, has the archive.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xFF == sqlite3.SQLITE_BUSY
}

// explain says what failed and what the user can do about it.
func (g *Games) explain(verb string, err error) error { return explainDB(g.path, verb, err) }

func explainDB(path, verb string, err error) error {
	advice := ""
	if text := err.Error(); strings.Contains(text, "malformed") || strings.Contains(text, "not a database") {
		advice = ": the file is damaged, move it away; games of the journal come back by themselves, imported ones by importing them again, " +
			"tournaments from a copy of the file"
	}
	return fmt.Errorf("%s the archive %s%s: %w", verb, path, advice, err)
}

// prepare makes the tables, those of version 2 in a file of version 1 as well.
func prepare(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case version == gamesVersion:
		return nil
	case version > gamesVersion:
		return fmt.Errorf("it has version %d, this program knows %d: use the newer program", version, gamesVersion)
	}
	// Two programs may come here at the same time; the later one finds all there.
	_, err := db.ExecContext(ctx, `
		BEGIN IMMEDIATE;
		CREATE TABLE IF NOT EXISTS games (
			id TEXT PRIMARY KEY, source TEXT NOT NULL, day TEXT NOT NULL,
			black TEXT NOT NULL, white TEXT NOT NULL, event TEXT NOT NULL, variant TEXT NOT NULL,
			plies INTEGER NOT NULL, finished INTEGER NOT NULL,
			black_score INTEGER NOT NULL, white_score INTEGER NOT NULL,
			winner TEXT NOT NULL, ending TEXT NOT NULL,
			game TEXT NOT NULL
		) STRICT;
		CREATE INDEX IF NOT EXISTS games_day ON games (day, id);
		CREATE TABLE IF NOT EXISTS journals (jid TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT, WITHOUT ROWID;
		`+tables.Schema+`
		PRAGMA user_version = 2;
		COMMIT;`)
	return err
}

// Close closes the archive.
func (g *Games) Close() error {
	if err := g.db.Close(); err != nil {
		return g.explain("close", err)
	}
	return nil
}

// columns are those of an Entry, in the order of its fields.
const columns = "id, source, day, black, white, event, variant, plies, finished, black_score, white_score, winner, ending"

// fields returns where to put the columns.
func (e *Entry) fields() []any {
	return []any{
		&e.ID, &e.Source, &e.Day, &e.Black, &e.White, &e.Event, &e.Variant, &e.Plies, &e.Finished,
		&e.BlackScore, &e.WhiteScore, &e.Winner, &e.End,
	}
}

// List returns the games that q selects, the latest day first.
func (g *Games) List(ctx context.Context, q Query) (list []Entry, err error) {
	where, args := q.where()
	limit := q.Limit
	if limit <= 0 {
		limit = -1
	}
	rows, err := g.db.QueryContext(ctx,
		"SELECT "+columns+" FROM games WHERE "+where+" ORDER BY day DESC, id DESC LIMIT ? OFFSET ?", //nolint:gosec // where holds no text of the user
		append(args, limit, q.Offset)...)
	if err != nil {
		return nil, g.explain("search", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Entry
		if err := rows.Scan(e.fields()...); err != nil {
			return nil, g.explain("search", err)
		}
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		return nil, g.explain("search", err)
	}
	return list, nil
}

// where returns the condition and its arguments.
func (q Query) where() (text string, args []any) {
	conditions := []string{"1"}
	add := func(on bool, condition string, values ...any) {
		if on {
			conditions = append(conditions, condition)
			args = append(args, values...)
		}
	}
	player, event := like(q.Player), like(q.Event)
	add(q.Player != "", `(black LIKE ? ESCAPE '\' OR white LIKE ? ESCAPE '\')`, player, player)
	add(q.Event != "", `event LIKE ? ESCAPE '\'`, event)
	add(q.From != "", "day >= ?", q.From)
	// 2026-02 as the last day takes in all days that begin so.
	add(q.To != "", "day < ? AND day <> ''", q.To+"~")
	add(q.Source != "", "source = ?", q.Source)
	return strings.Join(conditions, " AND "), args
}

// like returns the pattern of texts that hold part.
func like(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(part) + "%"
}

// Get returns the game with an id, or with the only id that begins so. The
// error wraps ErrNoGame when there is none.
func (g *Games) Get(ctx context.Context, id string) (Entry, *notation.Game, error) {
	entries, texts, err := g.find(ctx, id)
	switch {
	case err != nil:
		return Entry{}, nil, g.explain("read", err)
	case len(entries) == 0:
		return Entry{}, nil, fmt.Errorf("%.40q: %w", id, ErrNoGame)
	case len(entries) > 1 && entries[0].ID != id:
		return Entry{}, nil, fmt.Errorf("%.40q: %w: several begin so, give more of the id", id, ErrNoGame)
	}
	for game, err := range notation.Read(strings.NewReader(texts[0]), notation.FormatJSON, notation.ReadOptions{}) {
		if err != nil {
			return Entry{}, nil, g.explain("read game "+id+" of", err)
		}
		return entries[0], game, nil
	}
	return Entry{}, nil, g.explain("read game "+id+" of", ErrNoGame)
}

// find returns the first two games whose id begins so, the exact one first.
func (g *Games) find(ctx context.Context, id string) (entries []Entry, texts []string, err error) {
	if id == "" {
		return nil, nil, nil
	}
	rows, err := g.db.QueryContext(ctx,
		"SELECT "+columns+", game FROM games WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", id, id+"~")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Entry
		var text string
		if err := rows.Scan(append(e.fields(), &text)...); err != nil {
			return nil, nil, err
		}
		entries, texts = append(entries, e), append(texts, text)
	}
	return entries, texts, rows.Err()
}

// entryOf returns the line of a game and its lossless text.
func entryOf(id, source string, game *notation.Game) (Entry, string, error) {
	text, _, err := notation.Append(nil, notation.FormatJSON, game)
	if err != nil {
		return Entry{}, "", err
	}
	e := Entry{
		ID: id, Source: plaintext.Clean(source, plaintext.MaxReason),
		Black: game.Players[engine.Black].Name, White: game.Players[engine.White].Name,
		Event: game.Event, Variant: game.Rules.Name, Plies: game.Plies(), End: game.Recorded.End.String(),
	}
	if d := game.Date.Date; d.Year != 0 {
		e.Day = day(d)
	}
	switch r, err := game.Result(); {
	case err == nil:
		e.Finished, e.BlackScore, e.WhiteScore, e.Winner = true, r.Black, r.White, winner(r.Winner)
		if final, err := game.Final(); err == nil && game.Overruled(final) {
			e.Winner = winner(game.Recorded.Winner)
			if black, white, ok := declared(game); ok {
				e.BlackScore, e.WhiteScore = black, white
			}
		}
	case game.Recorded.Known && game.Recorded.End != notation.EndNone:
		e.Winner = winner(game.Recorded.Winner)
	}
	return e, string(text), nil
}

// declared returns the official score as it was declared, if it was recorded, or the
// recorded margin is one of scores that share all squares.
func declared(game *notation.Game) (black, white int, ok bool) {
	if o := &game.Recorded; o.Scored {
		return o.Black, o.White, true
	}
	margin := game.Recorded.Margin
	if game.Rules.Goal == engine.Fewest {
		margin = -margin
	}
	sum := engine.Squares + margin
	return sum / 2, engine.Squares - sum/2, game.Recorded.Counted && sum%2 == 0
}

// day writes a day as far as it is known.
func day(d notation.Date) string {
	switch {
	case d.Month == 0:
		return fmt.Sprintf("%04d", d.Year)
	case d.Day == 0:
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	default:
		return d.String()
	}
}

// winner writes black, white or draw.
func winner(c engine.Color) string {
	if c == engine.None {
		return "draw"
	}
	return c.String()
}

// store writes a game, in place of an older version of it.
func store(ctx context.Context, tx *sql.Tx, e Entry, text string) error {
	_, err := tx.ExecContext(ctx,
		"INSERT OR REPLACE INTO games ("+columns+", game) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		e.ID, e.Source, e.Day, e.Black, e.White, e.Event, e.Variant, e.Plies, e.Finished,
		e.BlackScore, e.WhiteScore, e.Winner, e.End, text)
	return err
}

// within runs f in one transaction.
func (g *Games) within(ctx context.Context, verb string, f func(tx *sql.Tx) error) error {
	tx, err := g.db.BeginTx(ctx, nil)
	if err != nil {
		return g.explain(verb, err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return g.explain(verb, err)
	}
	return nil
}

// Import takes games of a file into the archive, all of them or none. The same
// game is never taken twice: added counts the new ones.
func (g *Games) Import(ctx context.Context, source string, games func(yield func(*notation.Game) bool)) (added int, err error) {
	if source == FromJournal {
		return 0, fmt.Errorf("import games: the name %q is kept for games of this board", source)
	}
	err = g.within(ctx, "write", func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx,
			"INSERT OR IGNORE INTO games ("+columns+", game) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
		if err != nil {
			return g.explain("write", err)
		}
		defer func() { _ = insert.Close() }()
		for game := range games {
			isNew, err := g.importOne(ctx, insert, source, game)
			if err != nil {
				return err
			}
			if isNew {
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

// importOne stores a game under a hash of everything that it says.
func (g *Games) importOne(ctx context.Context, insert *sql.Stmt, source string, game *notation.Game) (bool, error) {
	e, text, err := entryOf("", source, game)
	if err != nil {
		return false, fmt.Errorf("import a game of %s: %w", source, err)
	}
	sum := sha256.Sum256([]byte(text))
	e.ID = "i" + hex.EncodeToString(sum[:10])
	result, err := insert.ExecContext(ctx, e.ID, e.Source, e.Day, e.Black, e.White, e.Event, e.Variant, e.Plies,
		e.Finished, e.BlackScore, e.WhiteScore, e.Winner, e.End, text)
	if err != nil {
		return false, g.explain("write", err)
	}
	n, err := result.RowsAffected()
	return n == 1, err
}
