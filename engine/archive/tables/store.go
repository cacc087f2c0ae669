package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// The kinds of mistakes. Both are wrapped by errors that say in one sentence what
// to do.
var (
	// ErrNone means that there is nothing of that name.
	ErrNone = errors.New("not found")
	// ErrRefused means that something cannot be done now.
	ErrRefused = errors.New("not possible")
)

// The bounds of a file.
const (
	maxTournaments = 1000
	maxChanges     = 100_000
)

// Store is the tables in a database. Its methods wait for the disk and for each
// other; nothing that a game waits for may call them.
type Store struct {
	db *sql.DB
	// newID makes the id of a pairing.
	newID func() string
}

// New returns the store in a database in which Schema has been executed, with
// newID to name pairings. The store closes it.
func New(db *sql.DB, newID func() string) *Store { return &Store{db: db, newID: newID} }

// Close closes the database.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close the tournaments: %w", err)
	}
	return nil
}

// Version returns a number that is another one after somebody else has changed
// the file.
func (s *Store) Version(ctx context.Context) (int64, error) {
	var v int64
	if err := s.db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
		return 0, fmt.Errorf("look at the tournaments: %w", err)
	}
	return v, nil
}

// Act says who changes something, when, and why.
type Act struct {
	By plaintext.Text
	At time.Time
	// Reason is needed by corrections.
	Reason plaintext.Text
}

// textf is fmt.Sprintf for what is made of texts, numbers and words of this program.
func textf(format string, args ...any) plaintext.Text {
	return plaintext.Clean(fmt.Sprintf(format, args...), plaintext.MaxLine)
}

// stamp writes the time.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// within runs f in one transaction.
func (s *Store) within(ctx context.Context, what string, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", what, explained(err))
	}
	if err := f(tx); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", what, explained(err)), unlessDone(tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", what, explained(err))
	}
	return nil
}

// explained says what to do about what SQLite says.
func explained(err error) error {
	if strings.Contains(err.Error(), "database is locked") {
		return fmt.Errorf("another program has been writing for ten seconds, try again: %w", err)
	}
	return err
}

func unlessDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// Create adds a tournament and returns it with its id, which is made from the
// name if t has none.
func (s *Store) Create(ctx context.Context, t Tournament, act Act) (Tournament, error) {
	t.Created = stamp(act.At)
	if err := t.check(); err != nil {
		return t, fmt.Errorf("create a tournament: %w", err)
	}
	err := s.within(ctx, "create a tournament", func(tx *sql.Tx) error {
		var count int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM tournaments").Scan(&count); err != nil {
			return err
		}
		if count >= maxTournaments {
			return fmt.Errorf("%w: there are %d tournaments, delete old ones first", ErrRefused, count)
		}
		if err := s.name(ctx, tx, &t); err != nil {
			return err
		}
		rules, err := t.rules()
		if err != nil {
			return err
		}
		goal := "most"
		if rules.Goal != 0 {
			goal = "fewest"
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tournaments
			(id, name, day, place, system, rounds, variant, profile, clock, goal, as_they_lie, breaks, factor, colors, seed, created)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			t.ID, t.Name, t.Day, t.Place, t.System, t.Rounds, t.Variant, t.Profile, t.Clock, goal, t.AsTheyLie,
			joined(t.Breaks), t.Factor, t.Colors, t.Seed, t.Created)
		if err != nil {
			return err
		}
		return note(ctx, tx, t.ID, Change{What: "created", New: t.Name}, act)
	})
	return t, err
}

// name gives a tournament an id that is free.
func (s *Store) name(ctx context.Context, tx *sql.Tx, t *Tournament) error {
	base := t.ID
	if base == "" {
		base = slug(t.Name.String())
	} else if base != slug(base) {
		return fmt.Errorf("the id %.40q: want a-z, 0-9 and dashes, at most %d", base, maxSlug)
	}
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = base + "-" + strconv.Itoa(n)
		}
		var taken bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM tournaments WHERE id = ?)", id).Scan(&taken); err != nil {
			return err
		}
		switch {
		case !taken:
			t.ID = id
			return nil
		case t.ID != "":
			return fmt.Errorf("%w: there is a tournament %s already", ErrRefused, id)
		}
	}
}

// maxSlug bounds an id in characters.
const maxSlug = 32

// slug makes an id of a name.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case b.Len() == maxSlug:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if id := strings.Trim(b.String(), "-"); id != "" {
		return id
	}
	return "tournament"
}

func joined(list []tournament.Break) string {
	words := make([]string, 0, len(list))
	for _, b := range list {
		words = append(words, string(b))
	}
	return strings.Join(words, ",")
}

// note keeps a change.
func note(ctx context.Context, tx *sql.Tx, id string, c Change, act Act) error {
	var count int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM changes WHERE tournament = ?", id).Scan(&count); err != nil {
		return err
	}
	if count >= maxChanges {
		return fmt.Errorf("%w: this tournament has been changed %d times", ErrRefused, count)
	}
	_, err := tx.ExecContext(ctx,
		"INSERT INTO changes (tournament, round, seat, at, by, what, old, new, reason) VALUES (?,?,?,?,?,?,?,?,?)",
		id, c.Round, c.Table, stamp(act.At), act.By, c.What, c.Old, c.New, act.Reason)
	return err
}

// columns are those of a Tournament.
const columns = "id, name, day, place, system, rounds, variant, profile, clock, as_they_lie, breaks, factor, colors, seed, created, " +
	"coalesce((SELECT round FROM tournament_ends WHERE tournament = id), 0)"

// scanner is a row.
type scanner interface{ Scan(to ...any) error }

func scanTournament(row scanner) (t Tournament, err error) {
	var breaks string
	err = row.Scan(&t.ID, &t.Name, &t.Day, &t.Place, &t.System, &t.Rounds, &t.Variant, &t.Profile, &t.Clock,
		&t.AsTheyLie, &breaks, &t.Factor, &t.Colors, &t.Seed, &t.Created, &t.Ended)
	for word := range strings.SplitSeq(breaks, ",") {
		if word != "" {
			t.Breaks = append(t.Breaks, tournament.Break(word))
		}
	}
	return t, err
}

// List returns all tournaments, the latest first.
func (s *Store) List(ctx context.Context) (list []Tournament, err error) {
	err = s.each(ctx, s.db, func(row scanner) error {
		t, err := scanTournament(row)
		list = append(list, t)
		return err
	}, "SELECT "+columns+" FROM tournaments ORDER BY created DESC, rowid DESC")
	if err != nil {
		return nil, fmt.Errorf("list the tournaments: %w", err)
	}
	return list, nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each calls f with every row of a query.
func (s *Store) each(ctx context.Context, q querier, f func(row scanner) error, query string, args ...any) (err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return explained(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Load returns a tournament. The error wraps ErrNone when there is none with that
// id.
func (s *Store) Load(ctx context.Context, id string) (t *Table, err error) {
	// Reading does not wait for writers, nor do they for it.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		t, err = s.load(ctx, tx, id)
		err = errors.Join(err, unlessDone(tx.Rollback()))
	}
	if err != nil {
		return nil, fmt.Errorf("read the tournament %s: %w", strconv.QuoteToASCII(short(id)), err)
	}
	return t, nil
}

func short(id string) string {
	if len(id) > 40 {
		return id[:40] + "…"
	}
	return id
}

func (s *Store) load(ctx context.Context, q querier, id string) (*Table, error) {
	head, err := scanTournament(q.QueryRowContext(ctx, "SELECT "+columns+" FROM tournaments WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: there is no such tournament (the list names them all)", ErrNone)
	}
	if err != nil {
		return nil, err
	}
	t := &Table{Tournament: head}
	return t, errors.Join(s.loadPlayers(ctx, q, t), s.loadPairings(ctx, q, t), s.loadChanges(ctx, q, t))
}

func (s *Store) loadPlayers(ctx context.Context, q querier, t *Table) error {
	err := s.each(ctx, q, func(row scanner) error {
		var p tournament.Player
		err := row.Scan(&p.Number, &p.Name, &p.Club, &p.Rating, &p.Lot, &p.Withdrawn)
		t.Players = append(t.Players, p)
		return err
	}, "SELECT number, name, club, rating, lot, withdrawn FROM tournament_players WHERE tournament = ? ORDER BY number", t.ID)
	if err != nil {
		return err
	}
	return s.each(ctx, q, func(row scanner) error {
		var n int
		err := row.Scan(&n)
		t.Byes = append(t.Byes, n)
		return err
	}, `SELECT b.player FROM tournament_byes b
		JOIN tournament_players p ON p.tournament = b.tournament AND p.number = b.player
		WHERE b.tournament = ?1 AND p.withdrawn = 0
		AND b.round = 1 + (SELECT coalesce(max(round), 0) FROM pairings WHERE tournament = ?1) ORDER BY b.player`, t.ID)
}

func (s *Store) loadPairings(ctx context.Context, q querier, t *Table) error {
	at := map[string]int{}
	err := s.each(ctx, q, func(row scanner) error {
		var p Pairing
		var r nullResult
		err := row.Scan(append([]any{&p.ID, &p.Round, &p.Table, &p.Black, &p.White, &p.ColorsBy}, r.fields()...)...)
		p.Result = r.result()
		at[p.ID] = len(t.Pairings)
		t.Pairings = append(t.Pairings, p)
		return err
	}, `SELECT p.id, p.round, p.seat, p.black, p.white, p.colors_by, `+resultColumns("r")+`
		FROM pairings p LEFT JOIN results r ON r.pairing = p.id WHERE p.tournament = ?
		ORDER BY p.round, p.seat = 0, p.seat, p.black`, t.ID)
	if err != nil {
		return err
	}
	return s.each(ctx, q, func(row scanner) error {
		var id, state string
		var r Result
		err := row.Scan(&id, &state, &r.Board, &r.Game, &r.Winner, &r.BlackDiscs, &r.WhiteDiscs, &r.BlackScore, &r.WhiteScore, &r.Reason, &r.At)
		p := &t.Pairings[at[id]]
		switch {
		case state == running:
			p.Playing = r.Board
		case state == over && p.Result != nil && !p.Result.same(&r) && p.Result.Game != r.Game:
			p.Contradicted = &r
		}
		return err
	}, `SELECT r.pairing, r.state, r.board, r.game, r.winner, r.black_discs, r.white_discs, r.black_score, r.white_score, r.reason, r.at
		FROM reports r JOIN pairings p ON p.id = r.pairing WHERE p.tournament = ? ORDER BY r.game`, t.ID)
}

// resultColumns are those of a Result in the table of a name.
func resultColumns(of string) string {
	names := []string{"winner", "black_discs", "white_discs", "black_score", "white_score", "reason", "note", "game", "board", "entered", "at"}
	for i, n := range names {
		names[i] = of + "." + n
	}
	return strings.Join(names, ", ")
}

// nullResult is a result that need not be there.
type nullResult struct {
	winner, reason, note, game, board, entered, at sql.NullString
	discs                                          [4]sql.NullInt64
}

func (r *nullResult) fields() []any {
	return []any{
		&r.winner, &r.discs[0], &r.discs[1], &r.discs[2], &r.discs[3], &r.reason, &r.note, &r.game, &r.board, &r.entered, &r.at,
	}
}

func (r *nullResult) result() *Result {
	if !r.winner.Valid {
		return nil
	}
	return &Result{
		Winner: r.winner.String, BlackDiscs: int(r.discs[0].Int64), WhiteDiscs: int(r.discs[1].Int64),
		BlackScore: int(r.discs[2].Int64), WhiteScore: int(r.discs[3].Int64), Reason: r.reason.String, Note: textf("%s", r.note.String),
		Game: r.game.String, Board: r.board.String, Entered: r.entered.String, At: r.at.String,
	}
}

func (s *Store) loadChanges(ctx context.Context, q querier, t *Table) error {
	return s.each(ctx, q, func(row scanner) error {
		var c Change
		err := row.Scan(&c.Round, &c.Table, &c.At, &c.By, &c.What, &c.Old, &c.New, &c.Reason)
		t.Changes = append(t.Changes, c)
		return err
	}, "SELECT round, seat, at, by, what, old, new, reason FROM changes WHERE tournament = ? ORDER BY id", t.ID)
}

// OpenPairing is a pairing that has no result yet, with what a board has to know to
// let it be played.
type OpenPairing struct {
	ID, Tournament, Name string
	Round, Table         int
	// Players are the names of Black and White.
	Players                 [2]plaintext.Text
	Variant, Profile, Clock string
	// Playing is the board on which it is being played, empty if it is not.
	Playing string
}

// maxOpen bounds the open pairings that are listed.
const maxOpen = 4096

// OpenPairings returns the pairings of all tournaments that have no result, those
// of the latest tournament first.
func (s *Store) OpenPairings(ctx context.Context) (list []OpenPairing, err error) {
	err = s.each(ctx, s.db, func(row scanner) error {
		var p OpenPairing
		err := row.Scan(&p.ID, &p.Tournament, &p.Name, &p.Round, &p.Table, &p.Players[0], &p.Players[1],
			&p.Variant, &p.Profile, &p.Clock, &p.Playing)
		list = append(list, p)
		return err
	}, `SELECT p.id, t.id, t.name, p.round, p.seat, b.name, w.name, t.variant, t.profile, t.clock,
			coalesce((SELECT max(board) FROM reports WHERE pairing = p.id AND state = 'running'), '')
		FROM pairings p JOIN tournaments t ON t.id = p.tournament
		JOIN tournament_players b ON b.tournament = t.id AND b.number = p.black
		JOIN tournament_players w ON w.tournament = t.id AND w.number = p.white
		WHERE NOT EXISTS (SELECT 1 FROM results WHERE pairing = p.id)
		ORDER BY t.created DESC, t.rowid DESC, p.round, p.seat LIMIT ?`, maxOpen)
	if err != nil {
		return nil, fmt.Errorf("list the open pairings: %w", err)
	}
	return list, nil
}

// change loads a tournament, lets f change it in a transaction, and checks that
// it still is one.
func (s *Store) change(ctx context.Context, what, id string, f func(tx *sql.Tx, t *Table) error) error {
	return s.within(ctx, what, func(tx *sql.Tx) error {
		t, err := s.load(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := f(tx, t); err != nil {
			return err
		}
		if t, err = s.load(ctx, tx, id); err != nil {
			return err
		}
		return t.Event().Validate()
	})
}

// Delete removes a tournament. One with results of games is kept unless
// withResults says that they may go.
func (s *Store) Delete(ctx context.Context, id string, withResults bool) error {
	return s.within(ctx, "delete the tournament", func(tx *sql.Tx) error {
		t, err := s.load(ctx, tx, id)
		if err != nil {
			return err
		}
		for i := range t.Pairings {
			if p := &t.Pairings[i]; (p.Result != nil || p.Playing != "") && !withResults {
				return fmt.Errorf("%w: %s has results, or a game that is being played; say that they may be deleted as well", ErrRefused, t.Name)
			}
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM tournaments WHERE id = ?", id)
		return err
	})
}
