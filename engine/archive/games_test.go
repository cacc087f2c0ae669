package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	events "reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// Games as they were played, from a table of championship games: 1977 was a
// draw of nothing, black won 34–30; 1978 ended 63–0 with a square empty, which
// counts 64.
const (
	game1977 = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1"
	game1978 = "f5f6e6f4e3c5c4d3f3e2f2d2c3d6d1b5c1c2b3e1f1a3a6b4a4b6a2g3a5b2h3h2h1g1g2b1h4g4a1h5g5b7a7a8b8c8c6h6g6c7d7d8g7f7f8g8e7e8h8"
	nine     = "f5d6c5f6e7f4g5e6e3"
)

// diary writes events as the board does.
type diary struct {
	t     testing.TB
	jid   string
	put   func(seq uint64, payload []byte)
	seq   uint64
	game  string
	state engine.Game
	past  []engine.Game
	at    time.Time
	tsOK  bool
}

// journalDiary writes into a journal.
func journalDiary(t testing.TB, j *archive.Journal) *diary {
	d := &diary{t: t, jid: j.JID(), seq: j.LastSeq(), at: time.Date(2026, 2, 23, 20, 0, 0, 0, time.UTC), tsOK: true}
	d.put = func(seq uint64, payload []byte) {
		if err := j.Append(seq, payload); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *diary) event(ev referee.Event) {
	d.t.Helper()
	d.seq++
	turn := d.state.Turn
	if d.state.Over() {
		turn = engine.None
	}
	b, err := events.EncodeEvent(events.Envelope{
		Stamp: events.Stamp{TS: d.at, TSOK: d.tsOK, Boot: 1}, JID: d.jid, Seq: d.seq, Game: d.game,
		Ply: d.state.Ply(), FP: events.Fingerprint(d.state.Discs, turn),
	}, ev)
	if err != nil {
		d.t.Fatal(err)
	}
	d.put(d.seq, b)
}

func (d *diary) start(id, variant, black, white string) {
	d.t.Helper()
	rules, err := engine.Variant(variant)
	if err != nil {
		d.t.Fatal(err)
	}
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		d.t.Fatal(err)
	}
	d.game, d.state, d.past = id, engine.NewGame(rules), nil
	d.event(referee.GameStarted{Match: referee.Match{Rules: rules, Profile: profile, Players: [2]plaintext.Text{plaintext.Clean(black, plaintext.MaxLine), plaintext.Clean(white, plaintext.MaxLine)}}})
}

// play places the discs of a transcript; every move takes 1.5 s.
func (d *diary) play(moves string) {
	d.t.Helper()
	for ; moves != ""; moves = moves[2:] {
		s, err := engine.ParseSquare(moves[:2])
		if err != nil {
			d.t.Fatal(err)
		}
		if d.state.MustPass() {
			by := d.state.Turn
			d.state = d.state.Pass()
			d.event(referee.Passed{By: by})
		}
		by, flips := d.state.Turn, d.state.Flips(s)
		d.past = append(d.past, d.state)
		d.state = d.state.Place(s)
		d.event(referee.Moved{By: by, Square: s, Flipped: flips, Think: 1500 * time.Millisecond})
	}
}

func (d *diary) undo(plies int) {
	d.t.Helper()
	n := len(d.past) - plies
	d.state, d.past = d.past[n], d.past[:n]
	d.event(referee.Undone{Plies: plies, ToPly: n, By: d.state.Turn})
}

func (d *diary) over(reason referee.EndReason) {
	d.t.Helper()
	r := referee.Result{
		Winner:     d.state.Rules.Winner(d.state.Discs),
		DiscsBlack: d.state.Black.Count(), DiscsWhite: d.state.White.Count(), Reason: reason,
	}
	r.Counts = referee.CountsWithEmpties
	if r.Black, r.White = d.state.Score(); reason == referee.Aborted {
		r.Void, r.Winner, r.Black, r.White = true, engine.None, 0, 0
		r.Counts = referee.CountsAwarded
	}
	d.event(referee.GameOver{Result: r})
}

func openGames(t testing.TB, dir string) *archive.Games {
	t.Helper()
	g, err := archive.OpenGames(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func list(t testing.TB, g *archive.Games, q archive.Query) []archive.Entry {
	t.Helper()
	all, err := g.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func ids(all []archive.Entry) string {
	var names []string
	for _, e := range all {
		names = append(names, e.ID)
	}
	return strings.Join(names, " ")
}

func syncAll(t testing.TB, g *archive.Games, j archive.Source) archive.SyncReport {
	t.Helper()
	r, err := g.Sync(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFinishedGamesEnterTheArchive(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir, MaxFile: 4000})
	defer closeJournal(t, j)
	d := journalDiary(t, j)
	d.start("G1", "classic", "Inoue Hiroshi", "Heiberg Thomas")
	d.play(game1977)
	d.over(referee.NoMoves)
	d.at = d.at.AddDate(0, 0, 1)
	d.start("G2", "classic", "Maruoka Hidenori", "Jacobs Carol")
	d.event(referee.Faulted{Squares: 1, Kind: referee.Flapping})
	d.play(game1978)
	d.over(referee.Wipeout)
	d.start("G3", "reverse", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	d.start("G4", "classic", "A", "B")
	d.play("f5d6")

	g := openGames(t, dir)
	if r := syncAll(t, g, j); r.Stored != 3 || len(r.Broken) != 0 {
		t.Errorf("%+v", r)
	}
	want := []archive.Entry{
		{ID: "G3", Day: "2026-02-24", Black: plaintext.Const("A"), White: plaintext.Const("B"), Variant: "reverse", Plies: 9, Finished: true, BlackScore: 64, Winner: "white"},
		{ID: "G2", Day: "2026-02-24", Black: plaintext.Const("Maruoka Hidenori"), White: plaintext.Const("Jacobs Carol"), Variant: "classic", Plies: 59, Finished: true, BlackScore: 64, Winner: "black"},
		{ID: "G1", Day: "2026-02-23", Black: plaintext.Const("Inoue Hiroshi"), White: plaintext.Const("Heiberg Thomas"), Variant: "classic", Plies: 60, Finished: true, BlackScore: 34, WhiteScore: 30, Winner: "black"},
	}
	for i := range want {
		want[i].Source = plaintext.Const(archive.FromJournal)
	}
	if got := list(t, g, archive.Query{}); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	e, game, err := g.Get(t.Context(), "G2")
	if err != nil || e != want[1] {
		t.Fatalf("%+v, %v", e, err)
	}
	if got := notation.Transcript(game.Moves()); got != game1978 || len(game.Plays) != 63 {
		t.Errorf("%d plays: %s", len(game.Plays), got)
	}
	if game.Date.String() != "2026-02-24 20:00:00 UTC" || game.Plays[0].Time != "1.5" || game.Recorded.Margin != 64 {
		t.Errorf("%q, %q, %+v", game.Date, game.Plays[0].Time, game.Recorded)
	}
	if _, reverse, err := g.Get(t.Context(), "G3"); err != nil || reverse.Recorded.Margin != -64 || len(reverse.Warnings) > 0 {
		t.Errorf("reverse: %+v, %v", reverse, err)
	}
}

func TestSyncIsIdempotentAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir})
	defer closeJournal(t, j)
	d := journalDiary(t, j)
	g := openGames(t, dir)
	if r := syncAll(t, g, j); r.Stored != 0 {
		t.Errorf("an empty journal: %+v", r)
	}
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	before := syncAll(t, g, j)
	first := list(t, g, archive.Query{})
	again := syncAll(t, g, j)
	if before.Stored != 1 || again.Stored != 1 || !slices.Equal(first, list(t, g, archive.Query{})) {
		t.Errorf("%+v, %+v: %+v", before, again, list(t, g, archive.Query{}))
	}
	// The end is taken back: there is no finished game until it ends again.
	d.undo(2)
	if r := syncAll(t, g, j); r.Removed != 1 || len(list(t, g, archive.Query{})) != 0 {
		t.Errorf("taken back: %+v, %v", r, list(t, g, archive.Query{}))
	}
	d.play("e6e3")
	d.over(referee.Wipeout)
	d.start("G2", "classic", "A", "B")
	if syncAll(t, g, j); ids(list(t, g, archive.Query{})) != "G1" {
		t.Errorf("ended again: %v", list(t, g, archive.Query{}))
	}
	d.play("f5f6")
	d.over(referee.Aborted)
	d.start("G3", "classic", "A", "B")
	d.over(referee.Aborted)
	syncAll(t, g, j)
	all := list(t, g, archive.Query{})
	if ids(all) != "G2 G1" || all[0].End != "aborted" || all[0].Finished || all[0].Winner != "" {
		t.Errorf("aborted: %+v", all)
	}
}

func TestArchiveIsRebuiltFromTheFiles(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir, MaxFile: 3000})
	d := journalDiary(t, j)
	for i := range 5 {
		d.start(fmt.Sprintf("G%d", i), "classic", "A", "B")
		d.play(game1977)
		d.over(referee.NoMoves)
	}
	old := openGames(t, t.TempDir())
	syncAll(t, old, j)
	if _, err := archive.OpenFiles(dir); !errors.Is(err, archive.ErrInUse) {
		t.Errorf("%v: want in use", err)
	}
	closeJournal(t, j)
	before := folderContent(t, dir)
	f, err := archive.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	rebuilt := openGames(t, t.TempDir())
	syncAll(t, rebuilt, f)
	syncAll(t, rebuilt, f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := list(t, rebuilt, archive.Query{}), list(t, old, archive.Query{}); len(got) != 5 || !slices.Equal(got, want) {
		t.Errorf("rebuilt %v, was %v", ids(got), ids(want))
	}
	if after := folderContent(t, dir); after != before {
		t.Errorf("reading has changed the folder:\n%s\n%s", before, after)
	}
	if _, err := archive.OpenFiles(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: want that there is none", err)
	}
}

// folderContent lists names and sizes.
func folderContent(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %d %v\n", e.Name(), info.Size(), info.ModTime())
	}
	return b.String()
}

// memory is a journal in memory that can lose records.
type memory struct{ records map[uint64][]byte }

func (memory) JID() string { return "01JD7Q4E9W0000000000000009" }

func (m memory) Read(from uint64, _ int, yield func(seq uint64, payload []byte) error) error {
	var all []uint64
	for seq := range m.records {
		if seq >= from {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	for _, seq := range all {
		if err := yield(seq, m.records[seq]); err != nil {
			return err
		}
	}
	return nil
}

func memoryDiary(t testing.TB) (memory, *diary) {
	m := memory{records: map[uint64][]byte{}}
	d := &diary{t: t, jid: m.JID()}
	d.put = func(seq uint64, payload []byte) { m.records[seq] = payload }
	return m, d
}

func TestNothingIsMadeUpWhereRecordsAreMissing(t *testing.T) {
	m, d := memoryDiary(t)
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	end := d.seq
	d.start("G2", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	for lost := uint64(1); lost < end; lost++ {
		kept := m.records[lost]
		delete(m.records, lost)
		g := openGames(t, t.TempDir())
		r := syncAll(t, g, m)
		if got := ids(list(t, g, archive.Query{})); got != "G2" {
			t.Errorf("without record %d: %s, %+v", lost, got, r)
		}
		if lost > 1 && (len(r.Broken) != 1 || !strings.Contains(r.Broken[0], "G1")) {
			t.Errorf("without record %d: %q", lost, r.Broken)
		}
		m.records[lost] = kept
	}
	// Without a wall clock there is no day.
	g := openGames(t, t.TempDir())
	syncAll(t, g, m)
	if all := list(t, g, archive.Query{}); len(all) != 2 || all[0].Day != "" {
		t.Errorf("%+v", all)
	}
}

func TestPutTakesTheRecordsOfOneGame(t *testing.T) {
	m, d := memoryDiary(t)
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	var records [][]byte
	for seq := uint64(1); seq <= d.seq; seq++ {
		records = append(records, m.records[seq])
	}
	g := openGames(t, t.TempDir())
	for range 2 {
		if r, err := g.Put(t.Context(), m.JID(), records); err != nil || r.Stored != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if all := list(t, g, archive.Query{}); ids(all) != "G1" {
		t.Errorf("%+v", all)
	}
}

func TestFollow(t *testing.T) {
	m, d := memoryDiary(t)
	g := openGames(t, t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	news, reports, done := make(chan struct{}), make(chan archive.SyncReport), make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Follow(ctx, m, news, func(r archive.SyncReport, err error) {
			if err != nil {
				t.Error(err)
			}
			reports <- r
		})
	}()
	if r := <-reports; r.Stored != 0 {
		t.Errorf("%+v", r)
	}
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	news <- struct{}{}
	if r := <-reports; r.Stored != 1 {
		t.Errorf("%+v", r)
	}
	stop()
	<-done
}

// twoGames yields two games of other servers, each time the same.
func twoGames(t testing.TB) func(yield func(*notation.Game) bool) {
	return func(yield func(*notation.Game) bool) {
		const board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
		text := "(;GM[Othello]PC[x]DT[2003.12.15_14:32:54.MST]PB[Saio1200]PW[100% Bot]TY[8]RE[?]" + board + "B[d3];)" +
			"(;GM[Othello]DT[1999]PB[100x Bot]PW[B]TY[8]RE[-64:r]" + board + "B[d3];)"
		i := 0
		for game, err := range notation.Read(strings.NewReader(text), notation.FormatGGF, notation.ReadOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			game.Event = plaintext.Clean(fmt.Sprintf("Open %d", i), plaintext.MaxLine)
			i++
			if !yield(game) {
				return
			}
		}
	}
}

func TestImportAndQueries(t *testing.T) {
	dir := t.TempDir()
	g := openGames(t, dir)
	games := twoGames(t)
	for _, want := range []int{2, 0} {
		if n, err := g.Import(t.Context(), "a.ggf", games); err != nil || n != want {
			t.Errorf("%d added, %v: want %d", n, err, want)
		}
	}
	for _, c := range []struct {
		q    archive.Query
		want string
	}{
		{archive.Query{}, "Saio1200 100x Bot"},
		{archive.Query{Player: "saio"}, "Saio1200"},
		{archive.Query{Player: "0% b"}, "Saio1200"},
		{archive.Query{Player: "_"}, ""},
		{archive.Query{Event: "open 1"}, "100x Bot"},
		{archive.Query{From: "2000"}, "Saio1200"},
		{archive.Query{To: "1999"}, "100x Bot"},
		{archive.Query{From: "2003-12", To: "2003-12"}, "Saio1200"},
		{archive.Query{From: "2003-12-16"}, ""},
		{archive.Query{Source: "a.ggf", Limit: 1}, "Saio1200"},
		{archive.Query{Limit: 1, Offset: 1}, "100x Bot"},
		{archive.Query{Source: archive.FromJournal}, ""},
	} {
		var names []string
		for _, e := range list(t, g, c.q) {
			names = append(names, e.Black.String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	resigned := list(t, g, archive.Query{To: "1999"})[0]
	if resigned.Winner != "white" || resigned.End != "resigned" || resigned.Finished {
		t.Errorf("%+v", resigned)
	}
	if e, _, err := g.Get(t.Context(), resigned.ID[:8]); err != nil || e != resigned {
		t.Errorf("by the beginning of its id: %+v, %v", e, err)
	}
	for _, id := range []string{"", "i", "nothing", "%"} {
		if _, _, err := g.Get(t.Context(), id); !errors.Is(err, archive.ErrNoGame) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := g.Import(t.Context(), archive.FromJournal, games); err == nil {
		t.Error("an import may not pass for a game of this board")
	}
	// A journal with a game of its own leaves the imported ones alone.
	m, d := memoryDiary(t)
	d.start("G1", "classic", "A", "B")
	syncAll(t, g, m)
	if n := len(list(t, g, archive.Query{})); n != 2 {
		t.Errorf("%d games", n)
	}
	info, err := os.Stat(filepath.Join(dir, archive.GamesFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want that only the owner can read it", info.Mode(), err)
	}
}

func TestDamagedArchiveSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, archive.GamesFile), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := archive.OpenGames(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v", err)
	}
}

func TestArchivePathMayHoldAnything(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c=d#e%41é")
	g := openGames(t, dir)
	if n := len(list(t, g, archive.Query{})); n != 0 {
		t.Errorf("%d games", n)
	}
	if _, err := os.Stat(filepath.Join(dir, archive.GamesFile)); err != nil {
		t.Error(err)
	}
}

// Whatever happens at the table, the archive holds exactly what a replay of the
// whole journal gives, however often it was synced on the way.
func TestSyncInStepsEqualsSyncAtOnce(t *testing.T) {
	steps := openGames(t, t.TempDir())
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m, d := memoryDiary(t)
		d.tsOK = true
		prefix := fmt.Sprintf("R%d-", run)
		jid := fmt.Sprintf("01JD7Q4E9W%016d", run)
		source := named{m, jid}
		games := 0
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			d.random(rt, prefix, &games)
			if rapid.Bool().Draw(rt, "sync") {
				syncAll(t, steps, source)
			}
		}
		syncAll(t, steps, source)
		once := openGames(t, t.TempDir())
		syncAll(t, once, source)
		want := list(t, once, archive.Query{})
		var got []archive.Entry
		for _, e := range list(t, steps, archive.Query{}) {
			if strings.HasPrefix(e.ID, prefix) {
				got = append(got, e)
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("in steps %+v\nat once %+v", got, want)
		}
	})
}

// named is a journal with another name.
type named struct {
	memory
	jid string
}

func (n named) JID() string { return n.jid }

// random lets something happen.
func (d *diary) random(rt *rapid.T, prefix string, games *int) {
	switch what := rapid.IntRange(0, 4).Draw(rt, "what"); {
	case d.game == "" || what == 0:
		*games++
		d.start(fmt.Sprintf("%s%d", prefix, *games), "classic", "A", "B")
	case what == 1 && len(d.past) > 0:
		d.undo(rapid.IntRange(1, len(d.past)).Draw(rt, "plies"))
	case what == 2 && !d.state.Over():
		d.over(referee.Aborted)
		d.game = "" // a new one follows
	default:
		rest := nine[2*len(d.past):]
		n := rapid.IntRange(0, len(rest)/2).Draw(rt, "discs")
		if d.play(rest[:2*n]); d.state.Over() {
			d.over(referee.Wipeout)
		}
	}
}

func TestFilesReadFromTheMiddle(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, archive.Options{Dir: dir, MaxFile: small})
	appendAll(t, j, 40, "x")
	jid := j.JID()
	closeJournal(t, j)
	// A record that was not finished, behind the last one.
	last, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil || len(last) < 3 {
		t.Fatalf("%d files, %v", len(last), err)
	}
	end, err := os.OpenFile(last[len(last)-1], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = end.WriteString("\x40\x00\x00\x00\x01\x02")
	if err := errors.Join(err, end.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := archive.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	if f.JID() != jid {
		t.Errorf("journal %s, want %s", f.JID(), jid)
	}
	for _, c := range []struct {
		from        uint64
		limit       int
		first, last uint64
	}{{0, 0, 1, 40}, {17, 0, 17, 40}, {17, 5, 17, 21}, {40, 0, 40, 40}, {41, 0, 0, 0}} {
		var got []uint64
		err := f.Read(c.from, c.limit, func(seq uint64, b []byte) error {
			if !strings.Contains(string(b), fmt.Sprintf(`"seq":%d,`, seq)) {
				t.Errorf("record %d is %s", seq, b)
			}
			got = append(got, seq)
			return nil
		})
		var want []uint64
		for seq := c.first; seq > 0 && seq <= c.last; seq++ {
			want = append(want, seq)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("from %d, %d of them: %v, %v", c.from, c.limit, got, err)
		}
	}
	stop := errors.New("stop")
	if err := f.Read(0, 0, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// Whatever lies in a journal, folding it does not fail, and what is stored can
// be read.
func FuzzGameOf(f *testing.F) {
	m, d := memoryDiary(f)
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	d.undo(2)
	d.play("e6e3")
	d.over(referee.Wipeout)
	all := func(change func(seq uint64, text string) string) []byte {
		var lines []string
		for seq := uint64(1); seq <= d.seq; seq++ {
			lines = append(lines, change(seq, string(m.records[seq])))
		}
		return []byte(strings.Join(lines, "\n"))
	}
	f.Add(all(func(_ uint64, text string) string { return text }))
	f.Add(all(func(seq uint64, text string) string {
		if seq == 5 {
			return "{"
		}
		return text
	}))
	f.Add(all(func(_ uint64, text string) string { return strings.ReplaceAll(text, "black", "white") }))
	f.Add(all(func(_ uint64, text string) string { return strings.ReplaceAll(text, `"plies":2`, `"plies":20`) }))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, g, err := archive.GameOf("J", bytes.Split(text, []byte("\n")))
		if err != nil {
			return
		}
		line, _, err := notation.Append(nil, notation.FormatJSON, g)
		if err != nil {
			t.Fatal(err)
		}
		for again, err := range notation.Read(bytes.NewReader(line), notation.FormatJSON, notation.ReadOptions{}) {
			if err != nil || again.Plies() != e.Plies || again.Players != g.Players {
				t.Fatalf("%+v, %v\n%s", e, err, line)
			}
		}
	})
}

func TestGameOf(t *testing.T) {
	m, d := memoryDiary(t)
	d.start("G1", "classic", "A", "B")
	d.play(nine)
	d.over(referee.Wipeout)
	var records [][]byte
	for seq := uint64(1); seq <= d.seq; seq++ {
		records = append(records, m.records[seq])
	}
	e, g, err := archive.GameOf("J", records)
	if err != nil || e.ID != "G1" || e.BlackScore != 64 || notation.Transcript(g.Moves()) != nine {
		t.Errorf("%+v, %v", e, err)
	}
	for _, part := range [][][]byte{nil, records[:1], records[:10]} {
		if _, _, err := archive.GameOf("J", part); !errors.Is(err, archive.ErrNoEnd) {
			t.Errorf("%d records: %v", len(part), err)
		}
	}
	for _, wrong := range [][][]byte{records[1:], append(records[:1:1], records...), {[]byte("{}")}, append(records[:3:3], records[4:]...)} {
		if _, _, err := archive.GameOf("J", wrong); err == nil || errors.Is(err, archive.ErrNoEnd) {
			t.Errorf("%d records: %v", len(wrong), err)
		}
	}
}
