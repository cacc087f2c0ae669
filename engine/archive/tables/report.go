package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// The states of a game that a board tells of.
const (
	running = "running"
	over    = "over"
	aborted = "aborted"
)

// Report is what the journal of a board says of the game of a pairing.
type Report struct {
	// Pairing is the id of the pairing, Game the id of the game, JID names the
	// journal.
	Pairing, Game, JID string
	// Players are the names of Black and White at the board.
	Players [2]plaintext.Text
	// Over says that the game has ended, Aborted that it was broken off and does
	// not count.
	Over, Aborted bool
	// Result says what came of it, if it is over. Game, Board, Entered and At are
	// filled in.
	Result Result
	// Why is why it has another result than before, if an arbiter has said so.
	Why plaintext.Text
	// At is when the last event was, zero if the clock of the board was wrong.
	At time.Time
}

// NameBoard says from which board a journal is.
func (s *Store) NameBoard(ctx context.Context, jid, board string) error {
	return s.within(ctx, "name the board", func(tx *sql.Tx) error { return NameBoard(ctx, tx, jid, board) })
}

// NameBoard says in a transaction from which board a journal is.
func NameBoard(ctx context.Context, tx *sql.Tx, jid, board string) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO boards (jid, board) VALUES (?, ?)", jid, board)
	return err
}

// Record takes what a board says of a game into the tables, in the transaction
// in which the game goes into the archive. It may be told the same any number of
// times. Pairings that are not known are passed over.
func Record(ctx context.Context, tx *sql.Tx, r Report) error {
	w := recording{tx: tx, report: r}
	known, err := w.find(ctx)
	if err != nil || !known {
		return err
	}
	if err := w.exchange(ctx); err != nil {
		return err
	}
	w.now = w.report.Result
	w.now.Game, w.now.Board, w.now.Entered, w.now.At = r.Game, w.board, ByBoard, stamp(r.At)
	state := running
	switch {
	case r.Aborted:
		state, w.now.Winner = aborted, NoResult
	case r.Over:
		state = over
		if err := w.now.check(); err != nil {
			return fmt.Errorf("%w as a result: %w", ErrRefused, err)
		}
	default:
		w.now.Winner = NoResult
	}
	if w.told && w.state == state && (state != over || w.before.same(&w.now)) {
		return nil
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO reports
		(game, pairing, board, state, winner, black_discs, white_discs, black_score, white_score, reason, at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
		r.Game, r.Pairing, w.board, state, w.now.Winner, w.now.BlackDiscs, w.now.WhiteDiscs, w.now.BlackScore, w.now.WhiteScore,
		w.now.Reason, w.now.At)
	if err != nil {
		return err
	}
	if state == over {
		return w.ended(ctx)
	}
	return w.reopened(ctx)
}

// recording is a report on its way into the tables.
type recording struct {
	tx     *sql.Tx
	report Report
	// now is what the report says, before what it said last if it was told.
	now, before Result
	told        bool
	state       string
	board       string
	// result is the result of the pairing, nil for none.
	result       *Result
	id           string
	round, table int
	// names are those of Black and White of the pairing.
	names [2]plaintext.Text
}

// find looks up what is known about the pairing and the game.
func (w *recording) find(ctx context.Context) (known bool, err error) {
	var r nullResult
	err = w.tx.QueryRowContext(ctx, `SELECT p.tournament, p.round, p.seat, b.name, w.name, `+resultColumns("r")+`
		FROM pairings p
		JOIN tournament_players b ON b.tournament = p.tournament AND b.number = p.black
		JOIN tournament_players w ON w.tournament = p.tournament AND w.number = p.white
		LEFT JOIN results r ON r.pairing = p.id WHERE p.id = ?`, w.report.Pairing).
		Scan(append([]any{&w.id, &w.round, &w.table, &w.names[0], &w.names[1]}, r.fields()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.result = r.result()
	w.board = w.report.JID
	err = w.tx.QueryRowContext(ctx, "SELECT board FROM boards WHERE jid = ?", w.report.JID).Scan(&w.board)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	err = w.tx.QueryRowContext(ctx,
		"SELECT state, winner, black_discs, white_discs, black_score, white_score FROM reports WHERE game = ?", w.report.Game).
		Scan(&w.state, &w.before.Winner, &w.before.BlackDiscs, &w.before.WhiteDiscs, &w.before.BlackScore, &w.before.WhiteScore)
	w.told = err == nil
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return true, err
}

// exchange gives the players of the pairing the colors that they have at the
// board, where those are the other ones: what was played counts, also if somebody
// has decided about colors meanwhile, or has found out at the board who sits where.
// If there is a result already, the report is turned round instead.
func (w *recording) exchange(ctx context.Context) error {
	at, said := w.report.Players, w.names
	if at[0] == at[1] || at != [2]plaintext.Text{said[1], said[0]} {
		return nil
	}
	if w.result != nil {
		// The result that there is means the colors of the pairing.
		r := &w.report.Result
		r.BlackDiscs, r.WhiteDiscs = r.WhiteDiscs, r.BlackDiscs
		r.BlackScore, r.WhiteScore = r.WhiteScore, r.BlackScore
		switch r.Winner {
		case "black":
			r.Winner = "white"
		case "white":
			r.Winner = "black"
		}
		return nil
	}
	_, err := w.tx.ExecContext(ctx, "UPDATE pairings SET black = white, white = black, colors_by = ? WHERE id = ?",
		tournament.ByHand, w.report.Pairing)
	if err != nil {
		return err
	}
	return w.change(ctx, "colors", textf("%s has black", said[0]), textf("%s has black", at[0]), plaintext.Const("so they play at the board"))
}

// act is in whose name a board changes something.
func (w *recording) act(why plaintext.Text) Act {
	if !w.report.Why.IsZero() {
		why = w.report.Why
	}
	return Act{By: textf("board %s", w.board), At: w.report.At, Reason: why}
}

// change notes a change of the pairing.
func (w *recording) change(ctx context.Context, what string, was, is, why plaintext.Text) error {
	return note(ctx, w.tx, w.id, Change{Round: w.round, Table: w.table, What: what, Old: was, New: is}, w.act(why))
}

// ended makes the result of the game that of the pairing.
func (w *recording) ended(ctx context.Context) error {
	old := w.result
	switch {
	case old == nil:
		return put(ctx, w.tx, w.report.Pairing, &w.now)
	case old.same(&w.now) && (old.Game == "" || old.Game == w.now.Game):
		// It was entered by hand before the board said the same.
		kept := *old
		kept.Game, kept.Board = w.now.Game, w.now.Board
		return put(ctx, w.tx, w.report.Pairing, &kept)
	case old.Game == w.now.Game:
		if err := w.change(ctx, "corrected", old.text(), w.now.text(), plaintext.Const("the game was corrected on the board")); err != nil {
			return err
		}
		return put(ctx, w.tx, w.report.Pairing, &w.now)
	case old.same(&w.now):
		return nil
	}
	return w.change(ctx, "contradicted", old.text(), w.now.text(), plaintext.Const("the board says something else; the result was not changed"))
}

// reopened takes the result of a game back that has not ended after all.
func (w *recording) reopened(ctx context.Context) error {
	if w.result == nil || w.result.Game != w.report.Game || w.result.Entered != ByBoard {
		return nil
	}
	if err := w.change(ctx, "reopened", w.result.text(), plaintext.Text{}, plaintext.Const("the game was opened again on the board")); err != nil {
		return err
	}
	_, err := w.tx.ExecContext(ctx, "DELETE FROM results WHERE pairing = ?", w.report.Pairing)
	return err
}
