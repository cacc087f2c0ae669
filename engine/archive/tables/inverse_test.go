package tables_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

// deed is an act and what undoes it. Both may be refused; the act is only undone
// when it was not.
type deed struct {
	name     string
	do, undo func() error
	// takesByes says that byes of the next round are lost on the way.
	takesByes bool
}

// deeds returns every act of the package comment, for a player and a table, in the
// state before it.
func deeds(t *testing.T, s *tables.Store, before *tables.Table, number, table int) []deed {
	id, ctx, so := before.ID, t.Context(), act("so")
	player := tournament.Player{Number: number, Name: plaintext.Const("nobody")}
	for _, p := range before.Players {
		if p.Number == number {
			player = p
		}
	}
	entry := tables.Entry{Table: table, BlackDiscs: 40, WhiteDiscs: 24}
	old := entry
	black := 0
	if p, err := before.Find(0, table); err == nil {
		black = p.Black
		if p.Result != nil {
			old.BlackDiscs, old.WhiteDiscs = p.Result.BlackDiscs, p.Result.WhiteDiscs
		}
	}
	other := 0
	if p, err := before.Find(0, table); err == nil {
		other = p.White
	}
	unpair := func() error { _, err := s.Unpair(ctx, id, so); return err }
	withdraw := func(back bool) func() error {
		return func() error { return s.Withdraw(ctx, id, number, back, so) }
	}
	correct := func(e tables.Entry) func() error {
		return func() error { _, err := s.Correct(ctx, id, e, so); return err }
	}
	colors := func(number int) func() error {
		return func() error { return s.SetColors(ctx, id, 0, table, number, tournament.ByHand, "", so) }
	}
	bye := func() error { _, err := s.Bye(ctx, id, number, so); return err }
	takeBye := func() error { _, err := s.TakeBye(ctx, id, number, so); return err }
	end := func() error { _, err := s.End(ctx, id, so); return err }
	goOn := func() error { return s.Continue(ctx, id, so) }
	renamed := player
	renamed.Name, renamed.Rating = plaintext.Const("Zoe"), 7
	fresh := tournament.Player{Number: 99, Name: plaintext.Const("Yan")}
	return []deed{
		{"add", func() error { return s.AddPlayers(ctx, id, []tournament.Player{fresh}, so) }, func() error { return s.RemovePlayer(ctx, id, 99, so) }, false},
		{"remove", func() error { return s.RemovePlayer(ctx, id, number, so) }, func() error { return s.AddNamesakes(ctx, id, []tournament.Player{player}, so) }, true},
		{"edit", func() error { return s.EditPlayer(ctx, id, renamed, so) }, func() error { return s.EditPlayer(ctx, id, player, so) }, false},
		{"pair", func() error { _, err := s.Pair(ctx, id, so); return err }, unpair, true},
		{"pair with rematches", func() error { _, err := s.PairAgain(ctx, id, so); return err }, unpair, true},
		{"pair by hand", func() error { _, err := s.PairByHand(ctx, id, [][2]int{{number, number%3 + 1}}, true, so); return err }, unpair, true},
		{"withdraw", withdraw(false), withdraw(true), false},
		{"bye", bye, takeBye, false},
		{"take the bye back", takeBye, bye, false},
		{"result", func() error { _, err := s.Declare(ctx, id, entry, so); return err }, func() error { _, err := s.Reopen(ctx, id, 0, table, so); return err }, false},
		{"take the result back", func() error { _, err := s.Reopen(ctx, id, 0, table, so); return err }, func() error { _, err := s.Declare(ctx, id, old, so); return err }, false},
		{"correct", correct(entry), correct(old), false},
		{"colors", colors(other), colors(black), false},
		{"rounds", func() error { return s.SetRounds(ctx, id, 2, so) }, func() error { return s.SetRounds(ctx, id, before.Rounds, so) }, false},
		{"end", end, goOn, false},
		{"continue", goOn, end, false},
	}
}

// seen is a tournament without what stays of acts that were undone: the changes,
// the ids of pairings, and who has decided colors and entered results.
func seen(t *testing.T, s *tables.Store, id string, byes bool) *tables.Table {
	t.Helper()
	table := load(t, s, id)
	table.Changes = nil
	if !byes {
		table.Byes = nil
	}
	for i := range table.Pairings {
		p := &table.Pairings[i]
		p.ID, p.ColorsBy = "", ""
		if p.Result != nil {
			p.Result.Note = plaintext.Text{}
		}
	}
	return table
}

// Whatever has happened: an act that is done can be undone, and then everything is
// as before. What is refused changes nothing.
func TestEveryActCanBeUndone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	undone := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		of := clubEvening(tournament.Swiss)
		of.Rounds = rapid.IntRange(1, 4).Draw(r, "rounds")
		made, err := s.Create(t.Context(), of, act(""))
		must(t, err)
		must(t, s.AddPlayers(t.Context(), made.ID, players(rapid.IntRange(2, 5).Draw(r, "players")), act("")))
		for range rapid.IntRange(1, 9).Draw(r, "acts") {
			doAndUndo(t, r, s, made.ID, undone)
		}
		must(t, s.Delete(t.Context(), made.ID, true))
	})
	t.Log(undone)
}

// doAndUndo does something to a tournament, and takes it back or leaves it.
func doAndUndo(t *testing.T, r *rapid.T, s *tables.Store, id string, undone map[string]int) {
	t.Helper()
	now := load(t, s, id)
	list := deeds(t, s, now, rapid.IntRange(1, 5).Draw(r, "number"), rapid.IntRange(1, 2).Draw(r, "table"))
	d := rapid.SampledFrom(list).Draw(r, "act")
	if d.name == "rounds" && now.Event().Possible() < now.Rounds {
		return // more are planned than could be planned now
	}
	if d.name == "remove" && slices.ContainsFunc(now.Players, func(p tournament.Player) bool { return p.Withdrawn != 0 }) {
		return // who is added again has not left
	}
	before := seen(t, s, id, !d.takesByes)
	if err := d.do(); err != nil {
		if strings.Contains(err.Error(), "\n") || !reflect.DeepEqual(seen(t, s, id, !d.takesByes), before) {
			r.Fatalf("%s: %v, want one line, and nothing changed", d.name, err)
		}
		return
	}
	if rapid.Bool().Draw(r, "leave it") {
		return
	}
	if err := d.undo(); err != nil {
		r.Fatalf("%s cannot be undone: %v", d.name, err)
	}
	if after := seen(t, s, id, !d.takesByes); !reflect.DeepEqual(after, before) {
		r.Fatalf("%s was undone, and the tournament is\n%+v\nafter\n%+v", d.name, after, before)
	}
	undone[d.name]++
}

// over plays a tournament of four players to its end and returns the table.
func over(t *testing.T, s *tables.Store) string {
	t.Helper()
	id := begin(t, s, clubEvening(tournament.Swiss), 4)
	for round := 1; round <= 3; round++ {
		next(t, s, id, round)
		declares(t, s, id, [2]int{40, 24}, [2]int{30, 34})
	}
	return id
}

// When all rounds have been paired, or the tournament was ended, nothing that is
// about rounds to come is done, and the table stays as it is.
func TestActsAfterTheLastRoundAreRefused(t *testing.T) {
	s := open(t, t.TempDir())
	complete := over(t, s)
	ended := begin(t, s, clubEvening(tournament.Swiss), 4)
	next(t, s, ended, 1)
	declares(t, s, ended, [2]int{40, 24}, [2]int{30, 34})
	if _, err := s.End(t.Context(), ended, act("")); err == nil {
		t.Error("ended without a reason")
	}
	_, err := s.End(t.Context(), ended, act("it has become late"))
	must(t, err)
	for _, id := range []string{complete, ended} {
		before := load(t, s, id)
		if before.Status() != tables.Complete {
			t.Errorf("%s is %s", id, before.Status())
		}
		for name, do := range map[string]func() error{
			"withdraw": func() error { return s.Withdraw(t.Context(), id, 1, false, act("so")) },
			"bye":      func() error { _, err := s.Bye(t.Context(), id, 1, act("so")); return err },
			"add": func() error {
				return s.AddPlayers(t.Context(), id, []tournament.Player{{Number: 9, Name: plaintext.Const("Zoe")}}, act("so"))
			},
			"pair":    func() error { _, err := s.Pair(t.Context(), id, act("so")); return err },
			"by hand": func() error { _, err := s.PairByHand(t.Context(), id, [][2]int{{1, 2}}, true, act("so")); return err },
			"again":   func() error { _, err := s.PairAgain(t.Context(), id, act("so")); return err },
			"unpair":  func() error { _, err := s.Unpair(t.Context(), id, act("so")); return err },
			"end":     func() error { _, err := s.End(t.Context(), id, act("so")); return err },
		} {
			if err := do(); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: %v", before.Status(), name, err)
			}
		}
		if !reflect.DeepEqual(load(t, s, id), before) {
			t.Errorf("%s has changed", id)
		}
	}
	must(t, s.Continue(t.Context(), ended, act("there is time")))
	next(t, s, ended, 2)
}

// A bye can be taken back, is given to nobody who has left, and to nobody twice.
func TestByesAreCheckedAndTakenBack(t *testing.T) {
	s := open(t, t.TempDir())
	id := begin(t, s, clubEvening(tournament.Swiss), 6)
	must(t, s.Withdraw(t.Context(), id, 6, false, act("ill")))
	_, err := s.Bye(t.Context(), id, 6, act(""))
	refused(t, "a bye for somebody who has left", err)
	_, err = s.TakeBye(t.Context(), id, 5, act(""))
	refused(t, "a bye taken back that was not given", err)
	_, err = s.Bye(t.Context(), id, 5, act(""))
	must(t, err)
	_, err = s.Bye(t.Context(), id, 5, act(""))
	refused(t, "the same bye twice", err)
	must(t, s.Withdraw(t.Context(), id, 5, false, act("ill")))
	if byes := load(t, s, id).Byes; len(byes) != 0 {
		t.Errorf("%v have byes and have left", byes)
	}
	must(t, s.Withdraw(t.Context(), id, 5, true, act("well")))
	_, err = s.TakeBye(t.Context(), id, 5, act(""))
	must(t, err)
	next(t, s, id, 1)
	if got := pairs(load(t, s, id), 1); got != "1-3 4-2 5-0" {
		t.Errorf("round 1 is %s", got)
	}
	must(t, s.Withdraw(t.Context(), id, 2, false, act("has to go")))
	_, err = s.Unpair(t.Context(), id, act("2 has gone"))
	must(t, err)
	next(t, s, id, 1)
	if got := pairs(load(t, s, id), 1); strings.Contains(got, "2") {
		t.Errorf("2 had left before round 1 was paired anew: %s", got)
	}
}

// Where no round can be paired any more there are three ways out: rematches, pairs
// by hand, or the end.
func TestWaysOutOfADeadEnd(t *testing.T) {
	s := open(t, t.TempDir())
	of := clubEvening(tournament.Swiss)
	id := begin(t, s, of, 4)
	next(t, s, id, 1)
	declares(t, s, id, [2]int{40, 24}, [2]int{40, 24})
	// 1-3 and 4-2 have met. 3 and 4 leave: 1 and 2 can play once.
	must(t, s.Withdraw(t.Context(), id, 3, false, act("ill")))
	must(t, s.Withdraw(t.Context(), id, 4, false, act("ill")))
	sheet := load(t, s, id).Sheet()
	if sheet.Possible != 2 || !strings.Contains(sheet.Warning, "2 of 3") || sheet.Stuck || sheet.NextRefusal != "" {
		t.Errorf("%d %q %v %q", sheet.Possible, sheet.Warning, sheet.Stuck, sheet.NextRefusal)
	}
	_, err := s.PairAgain(t.Context(), id, act("so"))
	refused(t, "rematches that nobody needs", err)
	next(t, s, id, 2)
	declares(t, s, id, [2]int{40, 24})
	sheet = load(t, s, id).Sheet()
	if sheet.Possible != 2 || !sheet.Stuck || !strings.Contains(sheet.Warning, "end the tournament here") {
		t.Errorf("%d %q %v", sheet.Possible, sheet.Warning, sheet.Stuck)
	}
	refused(t, "more rounds than the players allow", s.SetRounds(t.Context(), id, 4, act("so")))
	_, err = s.Pair(t.Context(), id, act(""))
	refused(t, "a third round", err)
	_, err = s.PairByHand(t.Context(), id, [][2]int{{1, 2}}, true, act(""))
	refused(t, "a rematch without a reason", err)
	_, err = s.PairByHand(t.Context(), id, [][2]int{{1, 3}}, true, act("so"))
	refused(t, "a game of somebody who has left", err)
	round, err := s.PairByHand(t.Context(), id, [][2]int{{2, 1}}, true, act("they want to"))
	if err != nil || round != 3 || pairs(load(t, s, id), 3) != "2-1" {
		t.Errorf("%d, %v", round, err)
	}
	_, err = s.Unpair(t.Context(), id, act("another way"))
	must(t, err)
	round, err = s.PairAgain(t.Context(), id, act("they want to"))
	if err != nil || round != 3 || len(pairs(load(t, s, id), 3)) != 3 {
		t.Errorf("%d, %v", round, err)
	}
	_, err = s.Unpair(t.Context(), id, act("another way"))
	must(t, err)
	if round, err = s.End(t.Context(), id, act("nobody is left")); err != nil || round != 2 || load(t, s, id).Status() != tables.Complete {
		t.Errorf("%d, %v", round, err)
	}
}

// A list of players that is added twice is told by its names, and adds nobody.
func TestSameNamesAreTold(t *testing.T) {
	s := open(t, t.TempDir())
	id := begin(t, s, clubEvening(tournament.Swiss), 8)
	var again []tournament.Player
	for _, p := range players(8) {
		p.Number += 8
		p.Name = plaintext.Clean(strings.ToUpper(p.Name.String()), plaintext.MaxName)
		again = append(again, p)
	}
	err := s.AddPlayers(t.Context(), id, again, act(""))
	refused(t, "the same list twice", err)
	if !errors.Is(err, tables.ErrNamesake) || !strings.Contains(err.Error(), "ANA") || !strings.Contains(err.Error(), "and 3 others") {
		t.Error(err)
	}
	if n := len(load(t, s, id).Players); n != 8 {
		t.Errorf("%d players", n)
	}
	must(t, s.AddNamesakes(t.Context(), id, again[:1], act("")))
	if got := fmt.Sprint(load(t, s, id).Players[8].Name); got != "ANA" {
		t.Errorf("%s", got)
	}
}
