package app

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reversi-board/cmd/internal/memdisk"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// writer plays at a table without a board and keeps the events.
type writer struct {
	t     *testing.T
	core  *Core
	discs engine.Discs
	now   time.Duration
	all   [][]byte
	// after is called after every step.
	after func(*writer)
}

// step feeds the referee; every input comes a second after the last one.
func (w *writer) step(in func(at time.Duration) referee.Input) {
	w.t.Helper()
	w.now += time.Second
	out, err := w.core.Step(in(w.now))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range out.Facts {
		w.all = append(w.all, slices.Clone(f.Payload))
	}
	w.after(w)
}

// see lets a color lie on squares, "-" for none, and the board be read.
func (w *writer) see(color byte, squares ...string) {
	w.t.Helper()
	for _, name := range squares {
		sq, err := engine.ParseSquare(name)
		if err != nil {
			w.t.Fatal(err)
		}
		w.discs = w.discs.With(sq, map[byte]engine.Color{'b': engine.Black, 'w': engine.White, '-': engine.None}[color])
	}
	w.step(func(at time.Duration) referee.Input { return referee.Seen{At: at, Discs: w.discs} })
}

func (w *writer) press(c engine.Color) {
	w.t.Helper()
	w.step(func(at time.Duration) referee.Input { return referee.Pressed{At: at, By: c} })
}

func (w *writer) order(name string, o referee.Order) {
	w.t.Helper()
	w.step(func(at time.Duration) referee.Input {
		return referee.Command{At: at, Audit: referee.Audit{Role: "arbiter", Name: name, ID: plaintext.Clean("t"+w.now.String(), plaintext.MaxLine), From: plaintext.Const("desk"), Order: o}}
	})
	// Hands make the board as it was ruled.
	w.discs = w.core.State.Game.Discs
	w.see('-')
}

// eventful is a journal with every type of event: a game with clocks, mistakes that
// are claimed and that stand, and rulings, and a second one against a program.
func eventful(t *testing.T) [][]byte {
	t.Helper()
	return play(t, func(*writer) {})
}

// clubMatch is a game with clocks at a club.
func clubMatch(t *testing.T) referee.Match {
	t.Helper()
	officials, err := configs.Event("club")
	if err != nil {
		t.Fatal(err)
	}
	match, err := configs.Default().Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	match.Profile = officials
	if match.Clock, err = clock.Parse("10:00/5"); err != nil {
		t.Fatal(err)
	}
	return match
}

// play makes the events of eventful.
func play(t *testing.T, after func(*writer)) [][]byte {
	t.Helper()
	match := clubMatch(t)
	w := &writer{t: t, discs: match.Rules.Start.Discs, after: after}
	games := 0
	w.core = NewCore(CoreOptions{
		Match: match, JID: journalID,
		Stamp: func() record.Stamp {
			return record.Stamp{TS: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(w.now), TSOK: true, Boot: 3, Mono: w.now}
		},
		NewGame: func() string { games++; return "01J0000000000000000000000" + string(rune('0'+games)) },
	})
	w.see('-')
	w.see('b', "f5", "e5")
	w.press(engine.Black)
	w.see('w', "a1") // no move
	w.see('-', "a1")
	w.see('w', "d6") // d5 is forgotten,
	w.press(engine.White)
	w.press(engine.Black) // claimed,
	w.see('w', "d5")      // and put right
	w.see('b', "c3")      // d4 is forgotten,
	w.press(engine.Black)
	w.see('w', "d3") // and stands with the reply
	w.press(engine.White)
	w.order("pause", referee.Pause{Reason: plaintext.Const("tea")})
	w.order("resume", referee.Resume{})
	w.order("clock_set", referee.ClockSet{Black: 4 * time.Minute, White: -1, Reason: plaintext.Const("a late start")})
	w.order("players_set", referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ōkawa \"B\""), plaintext.Const("Brightwell")}})
	w.order("undo", referee.Undo{Plies: 2})
	w.order("revise", referee.Revise{FromPly: 2, Moves: "f6e6", Reason: plaintext.Const("written down wrong")})
	w.step(func(at time.Duration) referee.Input { return referee.WallStepped{At: at, By: -24 * time.Hour} })
	w.step(func(at time.Duration) referee.Input {
		return referee.CellsFailed{At: at, Squares: 1 << 9, Kind: referee.Flapping}
	})
	w.step(func(at time.Duration) referee.Input {
		return referee.CellsBack{At: at, Squares: 1 << 9, Kind: referee.Flapping}
	})
	w.step(func(at time.Duration) referee.Input { return referee.PowerOn{At: at, Gap: time.Minute} })
	w.see('-')
	w.order("resume", referee.Resume{})
	// Black has no move: the position of an imported board.
	blocked, err := engine.ParseDiscs("WWWBBBBWWWWWWWWWWWWWWBWBWWWWBWBBWWWWBB-BWWWWWBB-WWBBBWBBWWWWWWWW")
	if err != nil {
		t.Fatal(err)
	}
	w.order("correct_square", referee.CorrectSquare{
		Black: blocked.Black, White: blocked.White, Empty: blocked.Empty(), Turn: engine.Black, Reason: plaintext.Const("the board was pushed"),
	})
	w.order("adjudicate", referee.Adjudicate{Winner: engine.White, Black: 20, White: 44, Reason: plaintext.Const("nobody can win any more")})
	second := match
	second.Clock, second.Opponent = clock.Same(clock.Control{Main: 20 * time.Second}), referee.Opponent{Kind: referee.Builtin, Level: 3, Side: engine.White}
	w.discs = match.Rules.Start.Discs
	w.step(func(at time.Duration) referee.Input {
		return referee.Command{At: at, Audit: referee.Audit{Role: "arbiter", Name: "new", ID: plaintext.Const("n"), Order: referee.NewGame{Match: second}}}
	})
	w.see('-')
	w.step(func(at time.Duration) referee.Input {
		return referee.EngineGone{At: at, Engine: plaintext.Const("builtin"), Reason: plaintext.Const("it was silent")}
	})
	w.see('b', "d3", "d4")
	w.press(engine.Black)
	w.now += time.Minute
	w.step(func(at time.Duration) referee.Input { return referee.Tick{At: at} })
	return w.all
}

const journalID = "01J00000000000000000000000"

// everyType are the types of events of the contract.
func everyType() []string {
	return strings.Fields(`game_started move pass flip_error undo revise illegal_move position_set clock_flag clock_adjusted
		paused resumed game_over sensor_fault sensor_restored power_restored time_stepped engine_lost command`)
}

// fold makes events true one after the other, from the last beginning of a game on,
// and returns the state as it is published, but for the stamp.
func fold(t *testing.T, events [][]byte) []byte {
	t.Helper()
	match, err := configs.Default().Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	core := NewCore(CoreOptions{Match: match, JID: journalID, Stamp: func() record.Stamp { return record.Stamp{} }})
	begin := 0
	for i, p := range events {
		if record.TypeOf(p) == "game_started" {
			begin = i
		}
	}
	for _, p := range events[begin:] {
		if _, err := core.Replay(p); err != nil {
			t.Fatal(err)
		}
	}
	return publishedAs(t, core)
}

func publishedAs(t *testing.T, core *Core) []byte {
	t.Helper()
	p, err := record.EncodeState(record.Envelope{JID: journalID, Seq: core.Seq(), Game: core.game}, &core.State)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// defaults returns the settings of a program that is started thousands of times: to
// read them takes longer than the start.
var defaults = sync.OnceValue(configs.Default) //nolint:gochecknoglobals // a cache of the tests

// start opens the journal on a disk as the program does, and returns what it has
// again.
func start(t *testing.T, dir string, d *memdisk.Disk) (a *App, state []byte) {
	t.Helper()
	a = newApp(Options{Config: defaults(), Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	a.disk = d
	if err := a.openJournal(dir); err != nil {
		t.Fatal(err)
	}
	return a, publishedAs(t, a.core)
}

// stored writes events to a fresh journal and returns its disk, the name of its only
// file of records, and where each record ends.
func storedOn(t *testing.T, dir string, events [][]byte) (d *memdisk.Disk, name string, ends []int) {
	t.Helper()
	d = memdisk.New()
	j, _, err := archive.Open(archive.Options{Dir: dir, FS: d})
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for i, p := range events {
		if err := j.Append(uint64(i+1), p); err != nil {
			t.Fatal(err)
		}
		end += 8 + len(p)
		ends = append(ends, end)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range d.Names() {
		if strings.HasPrefix(filepath.Base(n), "journal-") {
			name = n
		}
	}
	return d, name, ends
}

// Scenario 39 and J3, a part of the bytes; see TestEventfulJournalCutAtEveryByte.
func TestEventfulJournalCut(t *testing.T) {
	t.Parallel()
	cutEventful(t, 101)
}

// cutEventful cuts a journal with everything in it at every so many bytes, and at
// the borders of all records. The program starts, has every record before the tear
// and the state that follows from them, and goes on with the next number.
func cutEventful(t *testing.T, every int) {
	t.Helper()
	events, dir := eventful(t), t.TempDir()
	checkEventful(t, events)
	whole, name, ends := storedOn(t, dir, events)
	content := whole.Content(name)
	states := make([][]byte, len(events)+1)
	for n := range states {
		states[n] = fold(t, events[:n])
	}
	kept := 0
	for n := range len(content) + 1 {
		for kept < len(ends) && ends[kept] <= n {
			kept++
		}
		border := kept < len(ends) && ends[kept]-n < 2 || kept > 0 && n-ends[kept-1] < 2
		if !border && n%every != 0 {
			continue
		}
		torn := whole.Clone()
		torn.Put(name, content[:n])
		a, state := start(t, dir, torn)
		if !bytes.Equal(state, states[kept]) || a.core.Seq() != uint64(kept) || a.journal.LastSeq() != uint64(kept) {
			t.Fatalf("cut after %d of %d bytes, in record %d: event %d of %d, state\n%s\nwant\n%s",
				n, len(content), kept+1, a.core.Seq(), a.journal.LastSeq(), state, states[kept])
		}
		if _, err := a.core.Step(referee.WallStepped{At: time.Second, By: time.Hour}); err != nil || a.core.Seq() != uint64(kept)+1 {
			t.Fatalf("cut after %d bytes: the next event is number %d: %v", n, a.core.Seq(), err)
		}
		if err := a.closeJournal(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkEventful makes sure that nothing is missing in the journal.
func checkEventful(t *testing.T, events [][]byte) {
	t.Helper()
	seen := map[string]int{}
	for _, p := range events {
		seen[record.TypeOf(p)]++
	}
	for _, kind := range everyType() {
		if seen[kind] == 0 {
			t.Errorf("the journal has no %s: %v", kind, seen)
		}
	}
	if seen["game_started"] != 2 || seen["flip_error"] < 4 {
		t.Errorf("the journal has %v", seen)
	}
}

// Bytes of a journal with every type of event rot, one at a time. That costs the
// record in which it is: the user is told which one, no number is used again, and the
// game is the last one, in the position in which it was, or it is said that this is
// not known.
func TestEventfulJournalWithRottenBytes(t *testing.T) {
	t.Parallel()
	const every = 31
	events, dir := eventful(t), t.TempDir()
	whole, name, ends := storedOn(t, dir, events)
	content := whole.Content(name)
	intact, endless := startedWith(t, events), startedWith(t, events[:len(events)-1])
	rng := rand.New(rand.NewPCG(39, 1)) //nolint:gosec // which bytes rot, repeatably
	for at := 0; at < len(content); at += 1 + rng.IntN(2*every-1) {
		rotten := whole.Clone()
		b := slices.Clone(content)
		b[at] ^= 1 << rng.IntN(8)
		rotten.Put(name, b)
		lost := slices.IndexFunc(ends, func(end int) bool { return end > at })
		a, _ := start(t, dir, rotten)
		if a.core.Seq() < uint64(len(events)) {
			t.Fatalf("byte %d of record %d: event %d would be told anew", at, lost+1, a.core.Seq()+1)
		}
		if len(a.holes) != 1 || a.holes[0].From != uint64(lost+1) {
			t.Fatalf("byte %d of record %d: told are %v", at, lost+1, a.holes)
		}
		want := intact
		if lost == len(events)-1 {
			want = endless
		}
		if a.core.State.Game != want.State.Game && !a.core.restored.unsure || a.core.game != want.game {
			t.Fatalf("byte %d of record %d: the game is %s %v, want %s %v", at, lost+1,
				a.core.game, a.core.State.Game.Discs, want.game, want.State.Game.Discs)
		}
		if err := a.closeJournal(); err != nil {
			t.Fatal(err)
		}
	}
}

// startedWith returns what a program has that starts with events.
func startedWith(t *testing.T, events [][]byte) *Core {
	t.Helper()
	dir := t.TempDir()
	d, _, _ := storedOn(t, dir, events)
	a, _ := start(t, dir, d)
	if err := a.closeJournal(); err != nil {
		t.Fatal(err)
	}
	return a.core
}

// J6: after every event the state that is published is the one that follows from
// the journal, but for the stamp and what the cells say now.
func TestStateFollowsFromTheJournal(t *testing.T) {
	t.Parallel()
	compared := 0
	replayed := NewCore(CoreOptions{Match: clubMatch(t), JID: journalID, Stamp: func() record.Stamp { return record.Stamp{} }})
	told := 0
	play(t, func(w *writer) {
		if told == len(w.all) {
			return // what has changed is no event, and the state of none
		}
		for ; told < len(w.all); told++ {
			if _, err := replayed.Replay(w.all[told]); err != nil {
				t.Fatal(err)
			}
		}
		env := record.Envelope{Stamp: record.Stamp{Mono: w.now}, JID: journalID, Seq: uint64(told), Game: w.core.game}
		live, again := lasting(t, env, &w.core.State), lasting(t, env, &replayed.State)
		if !maps.EqualFunc(live, again, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			for name := range live {
				if !bytes.Equal(live[name], again[name]) {
					t.Errorf("after event %d (%s) %s is %s, the journal says %s", told, record.TypeOf(w.all[told-1]), name, live[name], again[name])
				}
			}
		}
		was, is := &w.core.State.Clock, &replayed.State.Clock
		if was.Times(w.now) != is.Times(w.now) || was.Running != is.Running {
			t.Errorf("after event %d the clocks are %+v, the journal says %+v", told, was, is)
		}
		compared++
	})
	if compared < 25 {
		t.Errorf("compared %d times", compared)
	}
}

// lasting returns what of a published state follows from the journal.
func lasting(t *testing.T, env record.Envelope, s *referee.State) map[string]json.RawMessage {
	t.Helper()
	p, err := record.EncodeState(env, s)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(p, &m); err != nil {
		t.Fatal(err)
	}
	// How far a move has come is what the cells say. The clocks are compared as such:
	// there are two ways to say what one shows that runs.
	for _, now := range []string{"sensed", "pending", "guide", "problem", "step", "clock"} {
		delete(m, now)
	}
	return m
}
