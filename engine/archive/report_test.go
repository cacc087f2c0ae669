package archive_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/engine/tournament"
)

// hall is a tournament of two players, and a board at which its game is played.
type hall struct {
	t      *testing.T
	dir    string
	games  *archive.Games
	tables *tables.Store
	id     string
	j      *archive.Journal
	d      *diary
	// players sit at the board, Ana and Ben if nobody is named.
	players [2]plaintext.Text
}

func newHall(t *testing.T, variant string) *hall {
	t.Helper()
	h := &hall{t: t, dir: t.TempDir()}
	h.games = openGames(t, h.dir)
	var err error
	if h.tables, err = archive.OpenTables(t.Context(), h.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.tables.Close() })
	made, err := h.tables.Create(t.Context(), tables.Tournament{
		Name: plaintext.Const("Open"), System: tournament.Free, Rounds: 2, Variant: variant, Profile: "home",
		Breaks: tournament.DefaultBreaks(tournament.Free), Factor: 6, Colors: tournament.Balanced,
	}, tables.Act{})
	if err != nil {
		t.Fatal(err)
	}
	h.id = made.ID
	err = h.tables.AddPlayers(t.Context(), h.id, []tournament.Player{{Number: 1, Name: plaintext.Const("Ana")}, {Number: 2, Name: plaintext.Const("Ben")}}, tables.Act{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.tables.PairByHand(t.Context(), h.id, [][2]int{{1, 2}}, false, tables.Act{}); err != nil {
		t.Fatal(err)
	}
	if h.j, _, err = archive.Open(archive.Options{Dir: filepath.Join(h.dir, "journal")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.j.Close() })
	if err := h.tables.NameBoard(t.Context(), h.j.JID(), "rv-b07"); err != nil {
		t.Fatal(err)
	}
	h.d = journalDiary(t, h.j)
	return h
}

// pairing returns the pairing as it is now.
func (h *hall) pairing() tables.Pairing {
	h.t.Helper()
	return h.table().Pairings[0]
}

func (h *hall) table() *tables.Table {
	h.t.Helper()
	table, err := h.tables.Load(h.t.Context(), h.id)
	if err != nil {
		h.t.Fatal(err)
	}
	return table
}

// start begins a game of the pairing on the board.
func (h *hall) start(id, variant string) {
	h.t.Helper()
	rules, err := engine.Variant(variant)
	if err != nil {
		h.t.Fatal(err)
	}
	h.d.game, h.d.state, h.d.past = id, engine.NewGame(rules), nil
	if h.players == [2]plaintext.Text{} {
		h.players = [2]plaintext.Text{plaintext.Const("Ana"), plaintext.Const("Ben")}
	}
	h.d.event(referee.GameStarted{Match: referee.Match{
		Rules: rules, Profile: referee.Home(), Players: h.players, Pairing: h.pairing().ID,
	}})
}

// seats names the players at the board anew.
func (h *hall) seats(role, black, white string) {
	h.d.event(referee.Commanded{Audit: referee.Audit{
		Role: role, Name: "players_set", ID: plaintext.Const("9"), Order: referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Clean(black, plaintext.MaxLine), plaintext.Clean(white, plaintext.MaxLine)}},
	}})
}

// wins fails the test unless the pairing was won like that.
func (h *hall) wins(name, result string) {
	h.t.Helper()
	h.sync()
	table := h.table()
	p := table.Pairings[0]
	black, white := table.PlayerName(p.Black).String(), table.PlayerName(p.White).String()
	if p.Result == nil || p.Result.String() != result || map[string]string{"black": black, "white": white}[p.Result.Winner] != name {
		h.t.Errorf("%s–%s: %v, want that %s wins %s", black, white, p.Result, name, result)
	}
	if got := table.Event().Standings()[0].Name.String(); got != name {
		h.t.Errorf("%s is first, want %s", got, name)
	}
}

// sync copies what there is, as often as it likes: the table must not notice.
func (h *hall) sync() {
	h.t.Helper()
	for range 3 {
		r, err := h.games.Sync(h.t.Context(), h.j)
		if err != nil || len(r.Broken) > 0 {
			h.t.Fatalf("%+v, %v", r, err)
		}
	}
}

// changes are what was changed after the pairing.
func (h *hall) changes() []string {
	h.t.Helper()
	var list []string
	for _, c := range h.table().Changes[3:] {
		list = append(list, fmt.Sprintf("%s: %s %s -> %s (%s)", c.By, c.What, c.Old, c.New, c.Reason))
	}
	return list
}

// ulids of games.
const (
	gameOne = "01JZ000000000000000000AAAA"
	gameTwo = "01JZ000000000000000000BBBB"
)

// A game that belongs to a pairing is seen while it is played, and its result
// enters by itself, once.
func TestResultEntersByItself(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	h.sync()
	if p := h.pairing(); p.Playing != "rv-b07" || p.Result != nil {
		t.Errorf("while it is played the pairing is %+v", p)
	}
	h.d.play(nine)
	h.d.over(referee.Wipeout)
	h.sync()
	p := h.pairing()
	want := tables.Result{
		Winner: "black", BlackDiscs: 13, BlackScore: 64, Reason: "wipeout", Game: gameOne, Board: "rv-b07",
		Entered: tables.ByBoard, At: "2026-02-23T20:00:00Z",
	}
	if p.Result == nil || *p.Result != want || p.Playing != "" || len(h.changes()) != 0 {
		t.Errorf("%+v, %q, %q", p.Result, p.Playing, h.changes())
	}
	// The next game at the board is none of the tournament's.
	h.d.start(gameTwo, "classic", "Ana", "Ben")
	h.d.play("f5d6")
	h.d.over(referee.Resigned)
	h.sync()
	if got := h.pairing(); *got.Result != want {
		t.Errorf("%+v", got.Result)
	}
}

// An archive that is deleted without the tournaments is made anew; a journal that
// nobody has open is read like one that is.
func TestResultEntersAfterTheCrash(t *testing.T) {
	h := newHall(t, "reverse")
	h.start(gameOne, "reverse")
	h.d.play(nine)
	h.d.over(referee.Wipeout)
	if err := h.j.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := archive.OpenFiles(filepath.Join(h.dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close() //nolint:errcheck // nothing was written
	if _, err := h.games.Sync(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if p := h.pairing(); p.Result == nil || p.Result.Winner != "white" || p.Result.BlackScore != 64 || p.Result.Board != "rv-b07" {
		t.Errorf("where the fewest discs win: %+v", p.Result)
	}
}

// An aborted game does not count: the pairing is played again.
func TestAbortedDoesNotCount(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	h.d.play("f5d6c3")
	h.d.over(referee.Aborted)
	h.sync()
	if p := h.pairing(); p.Result != nil || p.Playing != "" {
		t.Errorf("%+v", p)
	}
	h.start(gameTwo, "classic")
	h.d.play(game1977)
	h.d.over(referee.NoMoves)
	h.sync()
	if p := h.pairing(); p.Result == nil || p.Result.Game != gameTwo || p.Result.BlackScore != 34 || p.Result.WhiteScore != 30 {
		t.Errorf("%+v", p.Result)
	}
	if got := h.changes(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// Opened again, a game has no result; revised, it has another one, with the
// reason that the arbiter gave; and what was is kept.
func TestReopenedAndRevised(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	h.d.play(nine)
	h.d.over(referee.Wipeout)
	h.sync()
	h.d.undo(1)
	h.sync()
	if p := h.pairing(); p.Result != nil || p.Playing != "rv-b07" {
		t.Errorf("opened again: %+v", p)
	}
	h.d.event(referee.Commanded{Audit: referee.Audit{Role: "arbiter", Name: "adjudicate", ID: plaintext.Const("7"), Order: referee.Adjudicate{
		Winner: engine.Black, Black: 40, White: 24, Reason: plaintext.Const("both had to leave"),
	}}})
	h.d.event(referee.GameOver{Result: referee.Result{
		Winner: engine.Black, Black: 40, White: 24, DiscsBlack: 11, DiscsWhite: 1, Reason: referee.Adjudicated,
	}})
	h.sync()
	if p := h.pairing(); p.Result == nil || p.Result.BlackScore != 40 || p.Result.Note != plaintext.Const("both had to leave") {
		t.Errorf("declared: %+v", p.Result)
	}
	// Declared anew without opening it again first.
	h.d.event(referee.Commanded{Audit: referee.Audit{Role: "arbiter", Name: "adjudicate", ID: plaintext.Const("8"), Order: referee.Adjudicate{
		Winner: engine.None, Black: 32, White: 32, Reason: plaintext.Const("they agreed on a draw"),
	}}})
	h.d.event(referee.GameOver{Result: referee.Result{
		Winner: engine.None, Black: 32, White: 32, DiscsBlack: 11, DiscsWhite: 1, Reason: referee.Adjudicated,
	}})
	h.sync()
	if p := h.pairing(); p.Result == nil || p.Result.Winner != "draw" {
		t.Errorf("declared anew: %+v", p.Result)
	}
	want := []string{
		"board rv-b07: reopened 64–0 (discs 13–0), black wins, by wipeout ->  (the game was opened again on the board)",
		"board rv-b07: corrected 40–24 (discs 11–1), black wins, by adjudicated -> 32–32 (discs 11–1), draw, by adjudicated (they agreed on a draw)",
	}
	if got := h.changes(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// What an arbiter has corrected by hand is not overwritten because the board says
// once more what it has said before.
func TestCorrectionsByHandStay(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	h.d.play(game1977)
	h.d.over(referee.NoMoves)
	h.sync()
	act := tables.Act{By: plaintext.Const("arbiter"), At: time.Date(2026, 2, 23, 21, 0, 0, 0, time.UTC), Reason: plaintext.Const("the mover was named wrongly")}
	if _, err := h.tables.Correct(t.Context(), h.id, tables.Entry{Table: 1, BlackDiscs: 30, WhiteDiscs: 34}, act); err != nil {
		t.Fatal(err)
	}
	h.sync()
	if p := h.pairing(); p.Result.BlackScore != 30 || p.Result.Entered != tables.ByHand || p.Result.Game != gameOne {
		t.Errorf("%+v", p.Result)
	}
}

// A result that was entered by hand while the game was played stays; what the
// board says is shown beside it.
func TestContradiction(t *testing.T) {
	h := newHall(t, "classic")
	h.start(gameOne, "classic")
	if _, err := h.tables.Declare(t.Context(), h.id, tables.Entry{Table: 1, BlackDiscs: 33, WhiteDiscs: 31}, tables.Act{By: plaintext.Const("arbiter")}); err != nil {
		t.Fatal(err)
	}
	h.d.play(game1977)
	h.d.over(referee.NoMoves)
	h.sync()
	p := h.pairing()
	if p.Result.BlackScore != 33 || p.Contradicted == nil || p.Contradicted.BlackScore != 34 || p.Contradicted.Board != "rv-b07" {
		t.Errorf("%+v, %+v", p.Result, p.Contradicted)
	}
	// Once it is corrected to what the board says there is nothing to show.
	act := tables.Act{By: plaintext.Const("arbiter"), Reason: plaintext.Const("miscounted")}
	if _, err := h.tables.Correct(t.Context(), h.id, tables.Entry{Table: 1, BlackDiscs: 34, WhiteDiscs: 30}, act); err != nil {
		t.Fatal(err)
	}
	if p := h.pairing(); p.Contradicted != nil || p.Result.BlackScore != 34 {
		t.Errorf("%+v, %+v", p.Result, p.Contradicted)
	}
}

// The same result by hand and from the board is one result, and it says from
// which game it is.
func TestSameResultTwice(t *testing.T) {
	h := newHall(t, "classic")
	if _, err := h.tables.Declare(t.Context(), h.id, tables.Entry{Table: 1, BlackDiscs: 34, WhiteDiscs: 30}, tables.Act{By: plaintext.Const("arbiter")}); err != nil {
		t.Fatal(err)
	}
	h.start(gameOne, "classic")
	h.d.play(game1977)
	h.d.over(referee.NoMoves)
	h.sync()
	if p := h.pairing(); p.Result.Game != gameOne || p.Result.Entered != tables.ByHand || p.Contradicted != nil || len(h.changes()) != 0 {
		t.Errorf("%+v, %+v, %q", p.Result, p.Contradicted, h.changes())
	}
}

// The points are those of the players, whatever colors were decided on: what is
// played at the board counts.
func TestColorsAsTheyWerePlayed(t *testing.T) {
	t.Run("other colors", func(t *testing.T) {
		h := newHall(t, "classic")
		h.players = [2]plaintext.Text{plaintext.Const("Ben"), plaintext.Const("Ana")}
		h.start(gameOne, "classic")
		h.sync()
		if p := h.pairing(); p.Black != 2 || p.White != 1 || p.Playing == "" {
			t.Errorf("%+v", p)
		}
		h.d.play(nine)
		h.d.over(referee.Wipeout)
		h.wins("Ben", "64–0 (discs 13–0), black wins, by wipeout")
		if got := h.changes(); len(got) != 1 || !strings.Contains(got[0], "colors Ana has black -> Ben has black") {
			t.Errorf("%q", got)
		}
	})
	t.Run("seated anew in the game", func(t *testing.T) {
		h := newHall(t, "classic")
		h.start(gameOne, "classic")
		h.sync()
		h.d.play(nine)
		h.seats("arbiter", "Ben", "Ana")
		h.d.over(referee.Wipeout)
		h.wins("Ben", "64–0 (discs 13–0), black wins, by wipeout")
	})
	t.Run("seated anew after the game", func(t *testing.T) {
		h := newHall(t, "classic")
		h.start(gameOne, "classic")
		h.d.play(nine)
		h.d.over(referee.Wipeout)
		h.wins("Ana", "64–0 (discs 13–0), black wins, by wipeout")
		h.seats("arbiter", "Ben", "Ana")
		h.wins("Ben", "0–64 (discs 0–13), white wins, by wipeout")
	})
	t.Run("entered by hand before", func(t *testing.T) {
		h := newHall(t, "classic")
		entry := tables.Entry{Table: 1, BlackDiscs: 30, WhiteDiscs: 34} // Ben wins
		if _, err := h.tables.Declare(t.Context(), h.id, entry, tables.Act{By: plaintext.Const("arbiter")}); err != nil {
			t.Fatal(err)
		}
		h.players = [2]plaintext.Text{plaintext.Const("Ben"), plaintext.Const("Ana")}
		h.start(gameOne, "classic")
		h.d.play(game1977) // 34-30
		h.d.over(referee.NoMoves)
		h.wins("Ben", "30–34, white wins")
		if p := h.pairing(); p.Contradicted != nil || p.Result.Game != gameOne {
			t.Errorf("%+v", p)
		}
	})
	t.Run("seated anew by somebody who is no arbiter", func(t *testing.T) {
		h := newHall(t, "classic")
		h.start(gameOne, "classic")
		h.seats("ops", "Ben", "Ana")
		h.d.play(nine)
		h.d.over(referee.Wipeout)
		h.wins("Ana", "64–0 (discs 13–0), black wins, by wipeout")
	})
	// A name that was only put right changes nothing.
	t.Run("another spelling", func(t *testing.T) {
		h := newHall(t, "classic")
		h.players = [2]plaintext.Text{plaintext.Const("Ana L."), plaintext.Const("Ben")}
		h.start(gameOne, "classic")
		h.d.play(nine)
		h.d.over(referee.Wipeout)
		h.wins("Ana", "64–0 (discs 13–0), black wins, by wipeout")
	})
}

// A hall: games come from several boards, by their records, and every result says
// from which.
func TestResultsOfSeveralBoards(t *testing.T) {
	h := newHall(t, "classic")
	for board := range 3 {
		jid := "01JZ00000000000000000000J" + string(rune('0'+board))
		if err := h.games.NameBoard(t.Context(), jid, "rv-b0"+string(rune('1'+board))); err != nil {
			t.Fatal(err)
		}
		if board > 0 {
			h.joinedBy(2*board+1, 2*board+2)
		}
		records := h.playedElsewhere(board, jid)
		for range 2 { // At least once is how messages are delivered.
			if r, err := h.games.Put(t.Context(), jid, records); err != nil || len(r.Broken) > 0 {
				t.Fatalf("%+v, %v", r, err)
			}
		}
	}
	for i, p := range h.table().Pairings {
		if p.Result == nil || p.Result.Board != "rv-b0"+string(rune('1'+i)) || p.Result.BlackScore != 64 {
			t.Errorf("%+v", p.Result)
		}
	}
}

// joinedBy adds two players who meet each other.
func (h *hall) joinedBy(black, white int) {
	h.t.Helper()
	pair := [][2]int{{black, white}}
	if _, err := h.tables.PairByHand(h.t.Context(), h.id, pair, false, tables.Act{}); err == nil {
		h.t.Fatal("players who are not there were paired")
	}
	list := []tournament.Player{{Number: black, Name: plaintext.Const("P")}, {Number: white, Name: plaintext.Const("Q")}}
	if err := h.tables.AddNamesakes(h.t.Context(), h.id, list, tables.Act{}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.tables.PairByHand(h.t.Context(), h.id, pair, false, tables.Act{}); err != nil {
		h.t.Fatal(err)
	}
}

// playedElsewhere returns the records of a game of a pairing at another board.
func (h *hall) playedElsewhere(pairing int, jid string) (records [][]byte) {
	h.t.Helper()
	d := &diary{t: h.t, jid: jid, at: time.Date(2026, 2, 23, 20, 0, 0, 0, time.UTC), tsOK: true}
	d.put = func(_ uint64, payload []byte) { records = append(records, payload) }
	d.game, d.state = gameOne[:25]+string(rune('0'+pairing)), engine.NewGame(engine.Rules{Start: engine.Start(), Name: "classic"})
	d.event(referee.GameStarted{Match: referee.Match{
		Rules: d.state.Rules, Profile: referee.Home(), Players: [2]plaintext.Text{plaintext.Const("P"), plaintext.Const("Q")}, Pairing: h.table().Pairings[pairing].ID,
	}})
	d.play(nine)
	d.over(referee.Wipeout)
	return records
}

// An archive of the version before has games and no tournaments: it gets them,
// and keeps its games.
func TestArchiveOfVersionOne(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, archive.GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `
		CREATE TABLE games (id TEXT PRIMARY KEY, source TEXT NOT NULL, day TEXT NOT NULL, black TEXT NOT NULL, white TEXT NOT NULL,
			event TEXT NOT NULL, variant TEXT NOT NULL, plies INTEGER NOT NULL, finished INTEGER NOT NULL, black_score INTEGER NOT NULL,
			white_score INTEGER NOT NULL, winner TEXT NOT NULL, ending TEXT NOT NULL, game TEXT NOT NULL) STRICT;
		CREATE INDEX games_day ON games (day, id);
		CREATE TABLE journals (jid TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT, WITHOUT ROWID;
		INSERT INTO games VALUES ('x', 'old.ggf', '2025', 'Ana', 'Ben', '', 'classic', 9, 1, 64, 0, 'black', '', '{}');
		PRAGMA user_version = 1;`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	list, err := openGames(t, dir).List(t.Context(), archive.Query{})
	if err != nil || len(list) != 1 || list[0].Black != plaintext.Const("Ana") {
		t.Errorf("%+v, %v", list, err)
	}
	s, err := archive.OpenTables(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A file of a program that is newer than this one is left alone.
func TestArchiveOfTheFuture(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, archive.GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 3")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.OpenTables(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "use the newer program") {
		t.Errorf("%v", err)
	}
}

// The names of players who are named in a game of no tournament are those of the
// archive.
func TestArchiveKnowsWhoSatDown(t *testing.T) {
	h := newHall(t, "classic")
	h.d.start(gameOne, "classic", "Black", "White")
	h.d.play("f5")
	h.seats("ops", "Ana", "Ben")
	h.d.play(nine[2:])
	h.d.over(referee.Wipeout)
	h.sync()
	e, _, err := h.games.Get(t.Context(), gameOne)
	if err != nil || e.Black != plaintext.Const("Ana") || e.White != plaintext.Const("Ben") {
		t.Errorf("%+v, %v", e, err)
	}
}
