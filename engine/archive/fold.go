package archive

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// Source is where Sync reads events: a Journal, or the Files of one that nobody
// has open.
type Source interface {
	JID() string
	Read(from uint64, limit int, yield func(seq uint64, payload []byte) error) error
}

// SyncReport says what Sync has found.
type SyncReport struct {
	// Stored are finished games that were written, Removed those whose end was
	// taken back.
	Stored, Removed int
	// Broken says of games that could not be computed why, one line each.
	Broken []string
}

// Sync brings the archive up to date with a journal: finished games that are not
// in it, or have changed, are computed from their events. It reads on from the
// last game that it has seen, and may be repeated at any time. Games that the
// journal has forgotten, or of which it has lost records, stay in the archive as
// they are.
func (g *Games) Sync(ctx context.Context, j Source) (SyncReport, error) {
	var r SyncReport
	err := g.within(ctx, "write", func(tx *sql.Tx) error {
		var err error
		r, err = g.sync(ctx, tx, j)
		return err
	})
	if err != nil {
		return SyncReport{}, err
	}
	return r, nil
}

func (g *Games) sync(ctx context.Context, tx *sql.Tx, j Source) (SyncReport, error) {
	s := syncing{tx: tx, jid: j.JID()}
	var from uint64
	err := tx.QueryRowContext(ctx, "SELECT next FROM journals WHERE jid = ?", s.jid).Scan(&from)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s.report, g.explain("read", err)
	}
	s.next, s.last = from, max(from, 1)-1
	err = j.Read(from, 0, func(seq uint64, payload []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return s.add(ctx, seq, payload)
	})
	if err != nil {
		return s.report, fmt.Errorf("read the journal for the archive: %w", err)
	}
	if err := s.flush(ctx); err != nil {
		return s.report, g.explain("write", err)
	}
	_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO journals (jid, next) VALUES (?, ?)", s.jid, s.next)
	if err != nil {
		return s.report, g.explain("write", err)
	}
	return s.report, nil
}

// Put computes one game from its records in the journal, the first of which is
// its game_started, and stores it if it has ended, else removes it.
func (g *Games) Put(ctx context.Context, jid string, records [][]byte) (SyncReport, error) {
	s := syncing{jid: jid}
	err := g.within(ctx, "write", func(tx *sql.Tx) error {
		s.tx = tx
		for i, payload := range records {
			if err := s.add(ctx, uint64(i), payload); err != nil {
				return g.explain("write", err)
			}
		}
		if err := s.flush(ctx); err != nil {
			return g.explain("write", err)
		}
		return nil
	})
	return s.report, err
}

// NameBoard says from which board a journal is, for the results in the tournament
// tables.
func (g *Games) NameBoard(ctx context.Context, jid, board string) error {
	return g.within(ctx, "write to", func(tx *sql.Tx) error {
		if err := tables.NameBoard(ctx, tx, jid, board); err != nil {
			return g.explain("write to", err)
		}
		return nil
	})
}

// ErrNoEnd means that a game has not ended.
var ErrNoEnd = errors.New("the game has no end")

// GameOf computes a game from its records in the journal named jid, as Sync does,
// and stores nothing. The error wraps ErrNoEnd when there is nothing to store
// yet.
func GameOf(jid string, records [][]byte) (Entry, *notation.Game, error) {
	var f *folding
	for i, payload := range records {
		env, ev, err := record.DecodeEvent(payload)
		start, starts := ev.(referee.GameStarted)
		switch {
		case errors.Is(err, record.ErrUnknownType):
		case err != nil:
			return Entry{}, nil, fmt.Errorf("compute a game: record %d: %w", i+1, err)
		case starts != (f == nil):
			return Entry{}, nil, fmt.Errorf("compute a game: record %d: want one game_started, at the beginning", i+1)
		case starts:
			f = newFolding(jid, uint64(i), env, start)
		default:
			f.apply(env, ev)
		}
	}
	switch {
	case f != nil && f.broken != "":
		return Entry{}, nil, fmt.Errorf("compute game %s: %s", f.id, f.broken)
	case f == nil || !f.ended():
		return Entry{}, nil, fmt.Errorf("compute a game: %w", ErrNoEnd)
	}
	g := f.toGame()
	e, _, err := entryOf(f.id, FromJournal, g)
	return e, g, err
}

// Follow keeps the archive up to date until ctx ends: at once, and after each
// news, which whoever owns the journal gives without waiting when a game may
// have ended. It is to run in a goroutine of its own. Errors are reported and
// tried again with the next news, except that it ends with ErrMoved when the file is
// not there any more, and with an error that IsDamaged knows: then the archive has to
// be opened again, or mended first.
func (g *Games) Follow(ctx context.Context, j Source, news <-chan struct{}, report func(SyncReport, error)) error {
	for {
		if g.place.moved() {
			return g.explain("write", ErrMoved)
		}
		r, err := g.Sync(ctx, j)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // who ends it has asked for that
		}
		report(r, err)
		if IsDamaged(err) {
			return err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil
		}
	}
}

// syncing folds events into games.
type syncing struct {
	tx     *sql.Tx
	jid    string
	report SyncReport
	// next is where the next Sync is to begin, last the record that was read last.
	next, last uint64
	game       *folding
}

// folding is the game that is being folded.
type folding struct {
	id    string
	begun record.Envelope
	// last is the envelope of the last event that counts, why what an arbiter has
	// said about the record last.
	last  record.Envelope
	why   plaintext.Text
	state referee.State
	// left is what both players had after each entry of the record, adjusted where an
	// arbiter has set the clocks.
	left     [referee.MaxEntries]clock.Times
	adjusted []notation.ClockChange
	// broken says why the events do not make a game.
	broken string
	// missing says which records are missing in the game or behind it, and may have
	// been of it; empty when none are.
	missing string
	// reopened says that the game had ended before, and that its end was taken back.
	reopened bool
}

// add takes the next event.
func (s *syncing) add(ctx context.Context, seq uint64, payload []byte) error {
	gap := seq != s.last+1
	if s.game != nil && s.game.missing == "" && gap {
		s.game.missing = fmt.Sprintf("records %d to %d are missing", s.last+1, seq-1)
	}
	s.last = seq
	env, ev, err := record.DecodeEvent(payload)
	if errors.Is(err, record.ErrUnknownType) {
		return nil // something that a later program knows about the table
	}
	if err != nil {
		// The other games do not suffer from it.
		if s.game != nil {
			s.game.fail(err.Error())
		}
		return nil
	}
	if start, ok := ev.(referee.GameStarted); ok {
		if err := s.flush(ctx); err != nil {
			return err
		}
		s.next = seq
		s.game = newFolding(s.jid, seq, env, start)
		return nil
	}
	if s.game != nil && env.Game != "" && env.Game != s.game.begun.Game {
		// The beginning of another game is missing.
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	if s.game == nil {
		if gap && env.Game != "" {
			s.report.Broken = append(s.report.Broken, fmt.Sprintf("game %s: its beginning is missing", env.Game))
		}
		s.next = seq + 1
		return nil
	}
	s.game.apply(env, ev)
	return nil
}

// newFolding begins a game.
func newFolding(jid string, seq uint64, env record.Envelope, start referee.GameStarted) *folding {
	f := &folding{id: env.Game, begun: env, last: env}
	if f.id == "" {
		f.id = jid + "-" + strconv.FormatUint(seq, 10)
	}
	referee.Apply(&f.state, start)
	f.check(env)
	return f
}

// fail says that the game cannot be computed, for the first reason.
func (f *folding) fail(why string) {
	if f.broken == "" {
		f.broken = why
	}
}

// apply folds an event, after a look at what Apply takes for granted.
func (f *folding) apply(env record.Envelope, ev referee.Event) {
	if f.broken != "" {
		return
	}
	switch ev := ev.(type) {
	case referee.Moved, referee.Passed, referee.Undone, referee.FlipError,
		referee.GameOver, referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed:
	case referee.Revised:
		f.why = ev.Reason
	case referee.PositionSet:
		f.why = ev.Reason
	case referee.Commanded:
		f.told(ev)
		return
	case referee.GameStarted, referee.Illegal, referee.Faulted, referee.Restored, referee.PowerRestored,
		referee.TimeStepped, referee.EngineLost:
		return // facts about the table, not about this game
	}
	if wrong := record.Misfit(&f.state, ev); wrong != "" {
		f.fail(fmt.Sprintf("record %d: %s", env.Seq, wrong))
		return
	}
	ended := f.state.Ended
	referee.Apply(&f.state, ev)
	f.reopened = f.reopened || ended && !f.state.Ended
	f.clocks(ev)
	f.last = env
	f.check(env)
}

// clocks keeps what an event says about them.
func (f *folding) clocks(ev referee.Event) {
	kept := f.state.Len
	switch ev := ev.(type) {
	case referee.Moved:
		f.left[f.state.Len-1] = ev.Clock
	case referee.Revised:
		kept = max(0, f.state.Len-ev.Len)
		for i, p := range ev.Line[:f.state.Len-kept] {
			f.left[kept+i] = p.Clock
		}
	case referee.ClockAdjusted:
		change := notation.ClockChange{After: f.state.Len, Reason: ev.Reason}
		for c := range engine.None {
			if ev.Clock.Timed[c] {
				change.Left[c] = remaining(ev.Clock.Left[c])
			}
		}
		f.adjusted = append(f.adjusted, change)
	case referee.GameStarted, referee.Passed, referee.FlipError, referee.Undone, referee.PositionSet, referee.Illegal,
		referee.ClockFlag, referee.GamePaused, referee.GameResumed, referee.GameOver, referee.Faulted, referee.Restored,
		referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
	// What was taken back takes the rulings between its moves with it.
	f.adjusted = slices.DeleteFunc(f.adjusted, func(c notation.ClockChange) bool { return c.After > kept })
}

// told takes what a command says about the game besides the events that follow
// from it.
func (f *folding) told(ev referee.Commanded) {
	switch o := ev.Audit.Order.(type) {
	case referee.Adjudicate:
		f.why = o.Reason
	case referee.PlayersSet:
		// Whose points they are in a tournament only an arbiter may say.
		if f.state.Match.Pairing == "" || ev.Audit.Role == "arbiter" {
			referee.Apply(&f.state, ev)
		}
	case referee.NewGame, referee.Undo, referee.Pause, referee.Resume, referee.Resign, referee.ClockSet, referee.CorrectSquare,
		referee.Revise, referee.LetStand, referee.Claim, referee.PassPressed, referee.Look:
	}
}

// ended reports whether there is something to store.
func (f *folding) ended() bool { return f.state.Ended && f.state.Len > 0 }

// check compares the position with the one that the event was written with: a
// record that is missing between two events does not go unseen.
func (f *folding) check(env record.Envelope) {
	if !env.Shows(&f.state) {
		f.fail(fmt.Sprintf("record %d: the events before it lead to another position", env.Seq))
	}
}

// flush stores the game that has been folded, or removes it if it has no end.
func (s *syncing) flush(ctx context.Context) error {
	f := s.game
	s.game = nil
	switch {
	case f == nil:
		return nil
	case f.broken != "":
		s.report.Broken = append(s.report.Broken, "game "+f.id+": "+f.broken)
		return nil
	}
	if keep, err := s.keep(ctx, f); keep || err != nil {
		return err
	}
	if err := s.enter(ctx, f); err != nil {
		return err
	}
	if !f.ended() {
		result, err := s.tx.ExecContext(ctx, "DELETE FROM games WHERE id = ? AND source = ?", f.id, FromJournal)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		s.report.Removed += int(n)
		return err
	}
	e, text, err := entryOf(f.id, FromJournal, f.toGame())
	if err != nil {
		s.report.Broken = append(s.report.Broken, "game "+f.id+": "+err.Error())
		return nil //nolint:nilerr // reported with its game
	}
	s.report.Stored++
	return store(ctx, s.tx, e, text)
}

// keep reports whether the archive and the tournament tables stay as they are: a
// game that is stored is not changed by what is left of it when records are missing,
// and is only removed when the journal says that its end was taken back.
func (s *syncing) keep(ctx context.Context, f *folding) (bool, error) {
	if f.missing == "" && (f.ended() || f.reopened) {
		return false, nil
	}
	var stored bool
	err := s.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM games WHERE id = ? AND source = ?)", f.id, FromJournal).Scan(&stored)
	if !f.ended() && (stored || f.missing != "") {
		f.fail("its end is missing")
		s.report.Broken = append(s.report.Broken, strings.TrimSuffix("game "+f.id+": "+f.broken+", "+f.missing, ", "))
		return true, err
	}
	return stored, err
}

// enter tells the tournament tables about a game that belongs to a pairing. What
// cannot be a result is reported; the archive goes on without it.
func (s *syncing) enter(ctx context.Context, f *folding) error {
	if f.state.Match.Pairing == "" {
		return nil
	}
	r := tables.Report{Pairing: f.state.Match.Pairing, Game: f.id, JID: s.jid, Why: f.why, Players: f.state.Match.Players}
	if f.last.TSOK {
		r.At = f.last.TS
	}
	if f.state.Ended {
		over := f.state.Result
		r.Aborted = over.Void && over.Reason == referee.Aborted
		r.Over = !r.Aborted
		r.Result = tables.Result{
			Winner: winner(over.Winner), BlackDiscs: over.DiscsBlack, WhiteDiscs: over.DiscsWhite,
			BlackScore: over.Black, WhiteScore: over.White, Reason: string(over.Reason),
		}
		if over.Void {
			r.Result.Winner = tables.NoResult
		}
		if over.Reason == referee.Adjudicated {
			r.Result.Note = f.why
		}
	}
	err := tables.Record(ctx, s.tx, r)
	if errors.Is(err, tables.ErrRefused) {
		s.report.Broken = append(s.report.Broken, "the tournament table: game "+f.id+": "+err.Error())
		return nil
	}
	return err
}

// toGame writes down what the events say, and nothing else.
func (f *folding) toGame() *notation.Game {
	m := f.state.Match
	r := &f.state.Result
	g := &notation.Game{Rules: m.Rules, Recorded: outcome(*r, m.Rules.Goal)}
	switch r.Counts {
	case referee.CountsDiscs:
		g.AsTheyLie = true
	case referee.CountsWithEmpties:
	case referee.CountsAwarded:
		g.AsTheyLie = m.Empties() == referee.EmptiesAsTheyLie
	}
	if r.Stop.By == referee.CountedBoard && r.Stop.Differ != 0 {
		g.Lay = r.Stop.Lay
	}
	for c, name := range m.Players {
		g.Players[c].Name = name
		g.Clocks[c] = plaintext.Clean(clockText(m, engine.Color(c)), plaintext.MaxLine)
	}
	if f.begun.TSOK {
		g.Date = notation.DateTimeOf(f.begun.TS)
	}
	if m.Profile.Name != "" {
		g.Tags = []notation.Tag{{Name: "Profile", Value: plaintext.Clean(m.Profile.Name, plaintext.MaxName)}}
	}
	if m.Clock.On() {
		g.Tags = append(g.Tags, notation.Tag{Name: "TimeControl", Value: plaintext.Clean(m.Clock.String(), plaintext.MaxName)})
	}
	for i := range f.state.Len {
		g.Plays = append(g.Plays, f.play(i))
	}
	g.ClockChanges = f.adjusted
	return g
}

// play writes down an entry of the record: what the rules make of it, and where
// the board differed from that.
func (f *folding) play(i int) notation.Play {
	e := &f.state.Entries[i]
	after := f.state.Game
	if i+1 < f.state.Len {
		after = f.state.Entries[i+1].Before
	}
	p := notation.Play{Move: e.Move, Ruled: e.Set, Improper: e.Improper != referee.NoReason}
	byRules := e.Before
	sq, isDisc := e.Move.Square()
	switch {
	case e.Set:
		p.Turn = after.Turn
	case !isDisc:
		return p
	case p.Improper:
		byRules.Position = byRules.After(sq, 0)
	default:
		byRules = byRules.Place(sq)
	}
	if isDisc {
		p.Time = thought(e.Think)
	}
	if left := f.left[i]; isDisc && left.Timed[e.By] {
		p.Left = remaining(left.Left[e.By])
	}
	differ := byRules.Diff(after.Discs)
	p.Edit = notation.Edit{Black: differ & after.Black, White: differ & after.White, Empty: differ & after.Empty()}
	return p
}

// clockText writes a player's time as game servers do, empty when they have no
// word for it: periods, and one clock for both. The profile says what follows
// when it is over.
func clockText(m referee.Match, c engine.Color) string {
	control := m.Clock.Sides[c]
	if m.Clock.Shared || control.Mode() != clock.Sudden && control.Mode() != clock.Fischer {
		return ""
	}
	text := notation.Clock{Main: notation.Period{Time: control.Main}, Increment: notation.Period{Time: control.Increment, Moves: 1}}
	if m.Profile.Flag == referee.FlagGrace {
		text.Extension.Time = 2 * time.Minute
	}
	return text.String()
}

// thought writes a time that was used as the journal does, cut to milliseconds.
func thought(d time.Duration) notation.Number { return notation.Seconds(d.Truncate(time.Millisecond)) }

// remaining writes what is left on a clock as the journal does, rounded up to
// milliseconds: zero means that the flag is down.
func remaining(d time.Duration) notation.Number {
	return notation.Seconds((d + time.Millisecond - 1).Truncate(time.Millisecond))
}

// outcome returns the result that was announced.
func outcome(r referee.Result, goal engine.Goal) notation.Outcome {
	o := notation.Outcome{Winner: engine.None}
	if !r.Void {
		o.Known, o.Winner = true, r.Winner
		o.Black, o.White, o.Scored = r.Black, r.White, true
	}
	if o.Margin, o.Counted = r.Black-r.White, o.Known; goal == engine.Fewest {
		o.Margin = -o.Margin
	}
	switch r.Reason {
	case referee.NoMoves, referee.Wipeout:
	case referee.Aborted:
		o.End = notation.EndAborted
	case referee.Resigned:
		o.End = notation.EndResigned
	case referee.FlagFell:
		if o.End = notation.EndTime; r.Counts == referee.CountsDiscs {
			o.End = notation.EndTimeUp
		}
	case referee.Adjudicated:
		o.End = notation.EndAdjudicated
	}
	return o
}

// Files are the files of a journal that no program has open. They are only
// read: nothing is mended, and the start is not counted.
type Files struct {
	dir   folder
	jid   string
	files []found
	close func() error
}

// OpenFiles takes the journal in a folder for reading. The error wraps ErrInUse
// while a program has it open, and fs.ErrNotExist when there is none.
func OpenFiles(dir string) (*Files, error) {
	l, err := lock(dir)
	if err != nil {
		return nil, explain("read", dir, err)
	}
	f := &Files{dir: folder{osFS{}, dir}, close: l.Close}
	load := loader{Journal: &Journal{o: Options{Dir: dir, FS: osFS{}}, dir: f.dir}}
	if f.files, err = load.list(); err != nil {
		return nil, errors.Join(explain("read", dir, err), l.Close())
	}
	var stored meta
	if f.dir.readSmall(metaName, &stored) {
		f.jid = stored.JID
	}
	if len(f.files) == 0 {
		return nil, errors.Join(explain("read", dir, os.ErrNotExist), l.Close())
	}
	if !validJID(f.jid) {
		f.jid = f.newestJID()
	}
	return f, nil
}

// newestJID returns the name of the journal that its last record has, empty when that
// cannot be read.
func (f *Files) newestJID() (jid string) {
	last := f.files[len(f.files)-1]
	data, err := f.load(last.name)
	if err != nil {
		return ""
	}
	for _, payload := range Records(data, last.first) {
		var e struct {
			JID string `json:"jid"`
		}
		if json.Unmarshal(payload, &e) == nil && validJID(e.JID) {
			jid = e.JID
		}
	}
	return jid
}

// JID returns the name of the journal, empty when it could not be read.
func (f *Files) JID() string { return f.jid }

// Close gives the folder free.
func (f *Files) Close() error { return f.close() }

// Read yields the records from number from on, as Journal.Read does. Files are synced first: an event that
// may still get lost must not be taken for one that has happened.
func (f *Files) Read(from uint64, limit int, yield func(seq uint64, payload []byte) error) error {
	left := limit
	for i, file := range f.files {
		if i+1 < len(f.files) && f.files[i+1].first <= from {
			continue
		}
		data, err := f.load(file.name)
		if err != nil {
			return explain("read", f.dir.path, err)
		}
		for seq, payload := range Records(data, file.first) {
			if seq < from {
				continue
			}
			if err := yield(seq, payload); err != nil {
				return err
			}
			if left--; left == 0 {
				return nil
			}
		}
	}
	return nil
}

// load reads a whole file that is on the disk for good.
func (f *Files) load(name string) ([]byte, error) {
	file, err := os.Open(filepath.Join(f.dir.path, name)) //nolint:gosec // a name that list has found
	if err != nil {
		return nil, err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	return f.dir.read(name, maxOpen)
}
