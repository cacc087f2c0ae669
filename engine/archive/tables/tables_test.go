package tables_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine/archive"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// childFolder, when set, makes the test binary work on the tournament in a folder
// until it is killed.
const childFolder = "REVERSI_BOARD_TABLES_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		fmt.Fprintln(os.Stderr, child(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func open(t *testing.T, dir string) *tables.Store {
	t.Helper()
	s, err := archive.OpenTables(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// act is an act of the arbiter in the test.
func act(reason string) tables.Act {
	return tables.Act{By: plaintext.Const("arbiter"), At: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
}

func clubEvening(system tournament.System) tables.Tournament {
	return tables.Tournament{
		Name: plaintext.Const("Club evening"), Day: "2026-11-30", Place: plaintext.Const("Elm Street"), System: system, Rounds: 3,
		Variant: "classic", Profile: "club", Breaks: tournament.DefaultBreaks(system),
		Factor: tournament.DefaultFactor, Colors: tournament.Balanced, Seed: "1",
	}
}

// players returns so many players, Ana first.
func players(n int) []tournament.Player {
	names := []string{"Ana", "Ben", "Cem", "Dora", "Eve", "Finn", "Gül", "Hao"}
	list := make([]tournament.Player, n)
	for i := range list {
		list[i] = tournament.Player{Number: i + 1, Name: plaintext.Clean(names[i%len(names)]+strings.Repeat("x", i/len(names)), plaintext.MaxLine), Rating: 1000 - i}
	}
	return list
}

// begin makes a tournament with players.
func begin(t *testing.T, s *tables.Store, of tables.Tournament, n int) string {
	t.Helper()
	made, err := s.Create(t.Context(), of, act(""))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddPlayers(t.Context(), made.ID, players(n), act("")); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func load(t *testing.T, s *tables.Store, id string) *tables.Table {
	t.Helper()
	table, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// must fails the test when something cannot be done.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused fails the test unless something was refused in one line.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v, want that it is refused in one line", what, err)
	}
}

// declares enters results of the last round, in the order of its tables.
func declares(t *testing.T, s *tables.Store, id string, discs ...[2]int) {
	t.Helper()
	for i, d := range discs {
		_, err := s.Declare(t.Context(), id, tables.Entry{Table: i + 1, BlackDiscs: d[0], WhiteDiscs: d[1]}, act(""))
		must(t, err)
	}
}

// next pairs a round, which has to be that number.
func next(t *testing.T, s *tables.Store, id string, round int) {
	t.Helper()
	got, err := s.Pair(t.Context(), id, act(""))
	if err != nil || got != round {
		t.Fatalf("round %d: %d, %v", round, got, err)
	}
}

// An evening by hand: everything that was said is there after the file has been
// opened again, and corrections keep what they correct.
func TestEveningByHand(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := begin(t, s, clubEvening(tournament.RoundRobin), 4)
	if id != "club-evening" {
		t.Errorf("the id is %q", id)
	}
	for round := 1; round <= 3; round++ {
		next(t, s, id, round)
		if _, err := s.Pair(t.Context(), id, act("")); !errors.Is(err, tournament.ErrNoPairing) {
			t.Errorf("round %d was paired while games are open: %v", round+1, err)
		}
		declares(t, s, id, [2]int{40, 20}, [2]int{40, 20})
	}
	_, err := s.Pair(t.Context(), id, act(""))
	refused(t, "a fourth round of four players", err)
	// Table 1 of round 3 was 20-40 in truth.
	before := load(t, s, id)
	wrong := tables.Entry{Round: 3, Table: 1, BlackDiscs: 20, WhiteDiscs: 40}
	_, err = s.Correct(t.Context(), id, wrong, act(""))
	refused(t, "a correction without a reason", err)
	if !reflect.DeepEqual(load(t, s, id), before) {
		t.Error("a refused correction has changed something")
	}
	_, err = s.Correct(t.Context(), id, wrong, act("written down the wrong way round"))
	must(t, err)
	must(t, s.Close())
	table := load(t, open(t, dir), id)
	if table.Status() != tables.Complete || len(table.Pairings) != 6 {
		t.Errorf("%s with %d pairings", table.Status(), len(table.Pairings))
	}
	last := table.Changes[len(table.Changes)-1]
	if last.What != "corrected" || last.Old != plaintext.Const("44–20 (discs 40–20), black wins") || last.New != plaintext.Const("20–44 (discs 20–40), white wins") ||
		last.Reason != plaintext.Const("written down the wrong way round") || last.By != plaintext.Const("arbiter") || last.Round != 3 || last.Table != 1 {
		t.Errorf("the change is %+v", last)
	}
}

// The results of every kind, as an arbiter enters them.
func TestEntries(t *testing.T) {
	s := open(t, t.TempDir())
	for _, c := range []struct {
		variant string
		asThey  bool
		entry   tables.Entry
		want    string // empty if it is refused
	}{
		{"classic", false, tables.Entry{BlackDiscs: 33, WhiteDiscs: 31}, "33–31, black wins"},
		{"classic", false, tables.Entry{BlackDiscs: 31, WhiteDiscs: 33}, "31–33, white wins"},
		{"classic", false, tables.Entry{BlackDiscs: 0, WhiteDiscs: 64}, "0–64, white wins"},
		{"classic", false, tables.Entry{BlackDiscs: 53, WhiteDiscs: 10}, "54–10 (discs 53–10), black wins"},
		{"reverse", false, tables.Entry{BlackDiscs: 53, WhiteDiscs: 10}, "54–10 (discs 53–10), white wins"},
		{"classic", false, tables.Entry{BlackDiscs: 31, WhiteDiscs: 31}, "32–32 (discs 31–31), draw"},
		{"festival", true, tables.Entry{BlackDiscs: 31, WhiteDiscs: 31}, "31–31, draw"},
		{"festival", true, tables.Entry{BlackDiscs: 24, WhiteDiscs: 20, Reason: "flag"}, "24–20, black wins, by flag"},
		{
			"classic", false,
			tables.Entry{BlackDiscs: 40, WhiteDiscs: 20, Reason: "flag", Declared: true, Winner: "white", WhiteScore: 64},
			"0–64 (discs 40–20), white wins, by flag",
		},
		{"classic", false, tables.Entry{BlackDiscs: 9, WhiteDiscs: 9, Reason: "adjudicated", Declared: true, Winner: "none"}, "no result"},
		{"classic", false, tables.Entry{BlackDiscs: 40, WhiteDiscs: 20, Declared: true, Winner: "white", BlackScore: 40, WhiteScore: 24}, ""},
		{"classic", false, tables.Entry{BlackDiscs: 40, WhiteDiscs: 25}, ""},
		{"classic", false, tables.Entry{BlackDiscs: -1, WhiteDiscs: 25}, ""},
		{"classic", false, tables.Entry{BlackDiscs: 40, WhiteDiscs: 20, Reason: "luck"}, ""},
		{"classic", false, tables.Entry{Round: 7, BlackDiscs: 40, WhiteDiscs: 20}, ""},
	} {
		of := clubEvening(tournament.Swiss)
		of.Variant, of.AsTheyLie, of.Rounds = c.variant, c.asThey, 1
		id := begin(t, s, of, 2)
		if _, err := s.Pair(t.Context(), id, act("")); err != nil {
			t.Fatal(err)
		}
		before := load(t, s, id)
		c.entry.Table = 1
		p, err := s.Declare(t.Context(), id, c.entry, act(""))
		if c.want == "" {
			if err == nil || strings.Contains(err.Error(), "\n") || !reflect.DeepEqual(load(t, s, id), before) {
				t.Errorf("%+v: %v, want one line, and nothing changed", c.entry, err)
			}
			continue
		}
		if err != nil || p.Result.String() != c.want || load(t, s, id).Pairings[0].Result.String() != c.want {
			t.Errorf("%+v: %v, %v, want %s", c.entry, p.Result, err, c.want)
		}
		if _, err := s.Declare(t.Context(), id, c.entry, act("")); !errors.Is(err, tables.ErrRefused) {
			t.Errorf("%+v: entered twice: %v", c.entry, err)
		}
	}
}

// A festival: lots are drawn with a seed, the lower one has black, the players
// may agree, the referee may draw, and the discs order the table.
func TestFestivalEvent(t *testing.T) {
	s := open(t, t.TempDir())
	of := clubEvening(tournament.Festival)
	of.Variant, of.Profile, of.Colors, of.AsTheyLie, of.Rounds = "festival", "festival", tournament.Lots, true, 1
	id := begin(t, s, of, 4)
	must(t, s.DrawLots(t.Context(), id, "1881", act("")))
	lots := map[int]int{}
	for _, p := range load(t, s, id).Players {
		lots[p.Number] = p.Lot
	}
	next(t, s, id, 1)
	if err := s.DrawLots(t.Context(), id, "1882", act("")); !errors.Is(err, tables.ErrRefused) {
		t.Errorf("lots that have decided were drawn anew: %v", err)
	}
	table := load(t, s, id)
	for _, p := range table.Pairings {
		if p.ColorsBy != tournament.ByLot || lots[p.Black] > lots[p.White] {
			t.Errorf("%+v with the lots %v", p, lots)
		}
	}
	one, err := table.Find(1, 1)
	must(t, err)
	must(t, s.SetColors(t.Context(), id, 1, 1, one.White, tournament.ByAgreement, "", act("")))
	again, err := load(t, s, id).Find(1, 1)
	if err != nil || again.Black != one.White || again.White != one.Black || again.ColorsBy != tournament.ByAgreement || again.ID != one.ID {
		t.Errorf("%+v, %v", again, err)
	}
	must(t, s.SetColors(t.Context(), id, 1, 2, 0, tournament.ByDraw, "7", act("")))
	two, err := load(t, s, id).Find(1, 2)
	if err != nil || two.Black != tournament.Drawn("7", 1, min(two.Black, two.White), max(two.Black, two.White)) {
		t.Errorf("%+v, %v", two, err)
	}
	declares(t, s, id, [2]int{20, 19}, [2]int{30, 31})
	rows := load(t, s, id).Event().Standings()
	if rows[0].Discs != 31 || rows[1].Discs != 30 || rows[2].Discs != 20 || rows[3].Discs != 19 || rows[0].Against != 30 {
		t.Errorf("the table is %+v", rows)
	}
	if err := s.SetColors(t.Context(), id, 1, 1, one.Black, tournament.ByAgreement, "", act("")); !errors.Is(err, tables.ErrRefused) {
		t.Errorf("colors were changed after the game: %v", err)
	}
}

// Players leave and come back, ask for byes, and rounds are taken back.
func TestRoundsOfSwiss(t *testing.T) {
	s := open(t, t.TempDir())
	of := clubEvening(tournament.Swiss)
	id := begin(t, s, of, 6)
	if round, err := s.Bye(t.Context(), id, 6, act("")); err != nil || round != 1 {
		t.Fatalf("%d, %v", round, err)
	}
	next(t, s, id, 1)
	// 6 asked for a bye, and of the five who are left 5 has one.
	if got := pairs(load(t, s, id), 1); got != "1-3 4-2 5-0 6-0" {
		t.Errorf("round 1 is %s", got)
	}
	_, err := s.Unpair(t.Context(), id, act(""))
	refused(t, "a round taken back without a reason", err)
	if round, err := s.Unpair(t.Context(), id, act("Eve has come after all")); err != nil || round != 1 {
		t.Errorf("%d, %v", round, err)
	}
	if byes := load(t, s, id).Byes; len(byes) != 0 {
		t.Errorf("the round was taken back, and %v still have byes in it", byes)
	}
	if round, err := s.Bye(t.Context(), id, 6, act("")); err != nil || round != 1 {
		t.Fatalf("%d, %v", round, err)
	}
	next(t, s, id, 1)
	declares(t, s, id, [2]int{40, 24}, [2]int{40, 24})
	if _, err := s.Unpair(t.Context(), id, act("too late")); !errors.Is(err, tables.ErrRefused) {
		t.Errorf("a round with results was taken back: %v", err)
	}
	if _, err := s.Bye(t.Context(), id, 6, act("")); !errors.Is(err, tables.ErrRefused) {
		t.Errorf("a second bye: %v", err)
	}
	must(t, s.Withdraw(t.Context(), id, 1, false, act("ill")))
	next(t, s, id, 2)
	for _, p := range load(t, s, id).Pairings {
		if p.Round == 2 && (p.Black == 1 || p.White == 1) {
			t.Errorf("player 1 has left and is paired: %+v", p)
		}
	}
	must(t, s.Withdraw(t.Context(), id, 1, true, act("well again")))
}

// pairs writes a round in short.
func pairs(table *tables.Table, round int) string {
	var list []string
	for _, p := range table.Pairings {
		if p.Round == round {
			list = append(list, fmt.Sprintf("%d-%d", p.Black, p.White))
		}
	}
	return strings.Join(list, " ")
}

func TestFreeEvent(t *testing.T) {
	s := open(t, t.TempDir())
	id := begin(t, s, clubEvening(tournament.Free), 4)
	if _, err := s.Pair(t.Context(), id, act("")); err == nil {
		t.Error("a free event was paired")
	}
	for _, bad := range [][][2]int{{}, {{1, 1}}, {{1, 9}}, {{1, 2}, {2, 3}}} {
		if _, err := s.PairByHand(t.Context(), id, bad, false, act("")); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if got := len(load(t, s, id).Pairings); got != 0 {
		t.Errorf("%d pairings are left of what was refused", got)
	}
	for _, step := range []struct {
		pairs [][2]int
		next  bool
		round int
	}{{[][2]int{{2, 1}}, false, 1}, {[][2]int{{3, 0}}, false, 1}, {[][2]int{{1, 3}, {4, 2}}, true, 2}} {
		round, err := s.PairByHand(t.Context(), id, step.pairs, step.next, act(""))
		if err != nil || round != step.round {
			t.Fatalf("%v: %d, %v", step, round, err)
		}
	}
	if one, two := pairs(load(t, s, id), 1), pairs(load(t, s, id), 2); one != "2-1 3-0" || two != "1-3 4-2" {
		t.Errorf("%s / %s", one, two)
	}
}

func TestWhatIsNoTournament(t *testing.T) {
	s := open(t, t.TempDir())
	for name, spoil := range map[string]func(*tables.Tournament){
		"no name":    func(to *tables.Tournament) { to.Name = plaintext.Const("") },
		"long name":  func(to *tables.Tournament) { to.Name = plaintext.Clean(strings.Repeat("x", 65), plaintext.MaxLine) },
		"day":        func(to *tables.Tournament) { to.Day = "yesterday" },
		"system":     func(to *tables.Tournament) { to.System = "knockout" },
		"rounds":     func(to *tables.Tournament) { to.Rounds = 65 },
		"variant":    func(to *tables.Tournament) { to.Variant = "chess" },
		"clock":      func(to *tables.Tournament) { to.Clock = "soon" },
		"tie-break":  func(to *tables.Tournament) { to.Breaks = []tournament.Break{"luck"} },
		"id":         func(to *tables.Tournament) { to.ID = "../x" },
		"colors":     func(to *tables.Tournament) { to.Colors = "red" },
		"factor":     func(to *tables.Tournament) { to.Factor = -1 },
		"tie-breaks": func(to *tables.Tournament) { to.Breaks = []tournament.Break{"discs", "discs"} },
	} {
		of := clubEvening(tournament.Swiss)
		spoil(&of)
		if _, err := s.Create(t.Context(), of, act("")); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line", name, err)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := s.Load(t.Context(), "nowhere"); !errors.Is(err, tables.ErrNone) {
		t.Errorf("%v", err)
	}
	duel := clubEvening(tournament.Swiss)
	duel.Rounds = 1
	a, b := begin(t, s, duel, 2), begin(t, s, duel, 2)
	if a == b {
		t.Errorf("two tournaments are called %s", a)
	}
	if _, err := s.Pair(t.Context(), a, act("")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Declare(t.Context(), a, tables.Entry{Table: 1, BlackDiscs: 40}, act("")); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), a, false); !errors.Is(err, tables.ErrRefused) {
		t.Errorf("a tournament with results was deleted: %v", err)
	}
	if err := errors.Join(s.Delete(t.Context(), a, true), s.Delete(t.Context(), b, false)); err != nil {
		t.Error(err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// Whatever is asked for in whatever order: the tournament stays one, what is
// refused changes nothing, and rounds are as Swiss rounds must be.
func TestAnyActs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	rapid.Check(t, func(r *rapid.T) {
		of := clubEvening(tournament.Swiss)
		made, err := s.Create(t.Context(), of, act(""))
		if err != nil {
			r.Fatal(err)
		}
		id := made.ID
		if err := s.AddPlayers(t.Context(), id, players(rapid.IntRange(0, 7).Draw(r, "players")), act("")); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 10).Draw(r, "acts") {
			anyAct(t, r, s, id)
		}
		if err := s.Delete(t.Context(), id, true); err != nil {
			r.Fatal(err)
		}
	})
}

// anyAct does anything, and looks at what has come of it.
func anyAct(t *testing.T, r *rapid.T, s *tables.Store, id string) {
	before := load(t, s, id)
	number := rapid.IntRange(0, 8).Draw(r, "number")
	entry := tables.Entry{
		Table:      rapid.IntRange(0, 4).Draw(r, "table"),
		BlackDiscs: rapid.IntRange(0, 40).Draw(r, "black"), WhiteDiscs: rapid.IntRange(0, 40).Draw(r, "white"),
	}
	var err error
	switch rapid.IntRange(0, 8).Draw(r, "act") {
	case 0, 1:
		_, err = s.Pair(t.Context(), id, act(""))
	case 2, 3, 4:
		_, err = s.Declare(t.Context(), id, entry, act(""))
	case 5:
		_, err = s.Correct(t.Context(), id, entry, act("so"))
	case 6:
		err = s.Withdraw(t.Context(), id, number, rapid.Bool().Draw(r, "back"), act(""))
	case 7:
		_, err = s.Bye(t.Context(), id, number, act(""))
	case 8:
		_, err = s.Unpair(t.Context(), id, act("so"))
	}
	after := load(t, s, id)
	if err != nil && !reflect.DeepEqual(before, after) {
		r.Fatalf("%v, but something has changed", err)
	}
	if err := after.Event().Validate(); err != nil {
		r.Fatal(err)
	}
	if len(after.Changes) < len(before.Changes) {
		r.Fatal("changes were erased")
	}
}

// Two programs at the same file wait for each other, and nothing is lost.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	id := begin(t, open(t, dir), clubEvening(tournament.Free), 2)
	var all sync.WaitGroup
	for program := range 2 {
		s := open(t, dir)
		all.Go(func() {
			for n := range 20 {
				p := tournament.Player{Number: 100*(program+1) + n, Name: plaintext.Clean(fmt.Sprint("P", program, "-", n), plaintext.MaxLine)}
				if err := s.AddNamesakes(t.Context(), id, []tournament.Player{p}, act("")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := len(load(t, open(t, dir), id).Players); got != 42 {
		t.Errorf("%d players, want 42", got)
	}
}

// child plays a free event: it pairs, enters a result, says so, and goes on.
func child(dir string) error {
	ctx, none := context.Background(), ""
	s, err := archive.OpenTables(ctx, dir)
	if err != nil {
		return err
	}
	list, err := s.List(ctx)
	if err != nil || len(list) != 1 {
		return fmt.Errorf("the list is %v: %w", list, err)
	}
	id := list[0].ID
	for n := 1; ; n++ {
		table, err := s.Load(ctx, id)
		if err != nil {
			return err
		}
		next := len(table.Pairings) + 1
		p := []tournament.Player{{Number: 2*next - 1, Name: plaintext.Const("A")}, {Number: 2 * next, Name: plaintext.Const("B")}}
		if err := s.AddNamesakes(ctx, id, p, act(none)); err != nil {
			return err
		}
		if _, err := s.PairByHand(ctx, id, [][2]int{{2*next - 1, 2 * next}}, false, act(none)); err != nil {
			return err
		}
		if _, err := s.Declare(ctx, id, tables.Entry{Table: next, BlackDiscs: next % 65}, act(none)); err != nil {
			return err
		}
		fmt.Println(next)
	}
}

// killed runs a child until it has said so many numbers, and returns the last one
// that it has said before it died.
func killed(t *testing.T, dir string, kill int) (said int) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childFolder+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == kill {
			must(t, c.Process.Kill())
		}
		said, err = strconv.Atoi(lines.Text())
		must(t, err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	return said
}

// mend makes up for the rest of what a child was doing, which is there as a whole
// or not at all, so that the next one can go on.
func mend(t *testing.T, s *tables.Store, table *tables.Table) {
	t.Helper()
	players, games := len(table.Players), len(table.Pairings)
	if players != 2*games && players != 2*games+2 {
		t.Fatalf("%d players of %d games", players, games)
	}
	if players > 2*games {
		_, err := s.PairByHand(t.Context(), table.ID, [][2]int{{players - 1, players}}, false, act(""))
		must(t, err)
		games++
	}
	if p, err := load(t, s, table.ID).Find(1, games); err == nil && p.Result == nil {
		_, err := s.Declare(t.Context(), table.ID, tables.Entry{Table: games, BlackDiscs: games % 65}, act(""))
		must(t, err)
	}
}

// A program that is killed at any moment leaves a table with everything that it
// has said to be stored, and nothing by halves.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	made, err := s.Create(t.Context(), clubEvening(tournament.Free), act(""))
	must(t, err)
	for kill := 1; kill <= 5; kill++ {
		said := killed(t, dir, kill)
		table := load(t, s, made.ID)
		must(t, table.Event().Validate())
		for n := 1; n <= said; n++ {
			p, err := table.Find(1, n)
			if err != nil || p.Result == nil || p.Result.BlackDiscs != n%65 {
				t.Fatalf("after kill %d result %d is lost: %+v, %v", kill, n, p, err)
			}
		}
		mend(t, s, table)
	}
}
