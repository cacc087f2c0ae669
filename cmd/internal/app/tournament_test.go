package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine/archive"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/engine/tournament"
)

// openHall returns the tournaments of a board that does not run.
func openHall(t *testing.T) *hall {
	t.Helper()
	a := newApp(Options{Config: configs.Default(), Out: io.Discard, Logger: slog.New(slog.DiscardHandler)})
	a.dir, a.match = t.TempDir(), matchOf(t, "")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() { a.hall.keep(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
	eventually(t, "the tournaments are open", func() bool { _, err := a.hall.get(); return err == nil })
	return a.hall
}

// does asks for something that must be done.
func (h *hall) does(t *testing.T, a web.TournamentAct) {
	t.Helper()
	if a.ID == "" {
		a.ID = "open"
	}
	if err := h.Do(t.Context(), "Vera", a); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
}

// sees returns what the page shows.
func (h *hall) sees(t *testing.T) (v hallView) {
	t.Helper()
	text, _ := h.View(t.Context(), "open")
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const fourPlayers = "name,rating\nAna,1400\nBen,1300\nCem,1200\nDora,1100\n"

// A pairing brings its players, rules, profile and clocks, for an arbiter alone;
// no opponent that is a program sits down.
func TestPairingOfNewGame(t *testing.T) {
	h := openHall(t)
	a := h.app
	a.match.Opponent = referee.Opponent{Kind: referee.Builtin, Level: 3}
	h.does(t, web.TournamentAct{
		Do: web.TournamentCreate, Name: "Open", System: "swiss", Rounds: 2, Variant: "reverse", Profile: "woc", Clock: "25:00",
	})
	h.does(t, web.TournamentAct{Do: web.TournamentPlayers, Text: fourPlayers})
	h.does(t, web.TournamentAct{Do: web.TournamentPair})
	id := h.sees(t).Sheet.Rounds[0].Seats[0].ID
	args, err := json.Marshal(map[string]string{"pairing": id})
	if err != nil {
		t.Fatal(err)
	}
	match, rest, err := a.paired("arbiter", "new", args)
	if err != nil {
		t.Fatal(err)
	}
	order, err := orderOf("new", rest, match)
	if err != nil {
		t.Fatal(err)
	}
	got := order.(referee.NewGame).Match //nolint:forcetypeassert // what new is
	if got.Pairing != id || got.Players != [2]plaintext.Text{plaintext.Const("Ana"), plaintext.Const("Cem")} || got.Rules.Name != "reverse" || got.Profile.Name != "woc" ||
		got.Clock.String() != "25:00" || got.Opponent != (referee.Opponent{}) {
		t.Errorf("%+v, %v", got, got.Clock)
	}
	for _, c := range []struct{ role, args, says string }{
		{"ha", string(args), "only an arbiter"},
		{"player", string(args), "only an arbiter"},
		{"arbiter", `{"pairing":"` + id + `","variant":"classic"}`, "name nothing else"},
		{"arbiter", `{"pairing":"01JZ0000000000000000000000"}`, "not known here"},
		{"arbiter", `{"pairing":null}`, "missing"},
		{"arbiter", `{"pairing":7}`, "name nothing else"},
	} {
		if _, _, err := a.paired(c.role, "new", json.RawMessage(c.args)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %s: %v, want one that speaks of %q", c.role, c.args, err, c.says)
		}
	}
	// Orders without a pairing are as ever.
	match, rest, err = a.paired("ha", "new", json.RawMessage(`{"variant":"classic"}`))
	if err != nil || string(rest) != `{"variant":"classic"}` || match.Pairing != "" || match.Opponent != a.match.Opponent {
		t.Errorf("%+v, %s, %v", match, rest, err)
	}
	// A pairing with a result is not played again.
	h.does(t, web.TournamentAct{Do: web.TournamentResult, Round: 1, Table: 1, BlackDiscs: 40, WhiteDiscs: 24})
	if _, _, err := a.paired("arbiter", "new", args); err == nil {
		t.Error("a pairing with a result was started")
	}
}

// A game that is being played at another board is not started here, and a profile
// that this board does not know is said.
func TestPairingThatCannotBePlayedHere(t *testing.T) {
	h := openHall(t)
	seat := tables.OpenPairing{ID: "x", Variant: "classic", Profile: "home"}
	for name, c := range map[string]struct {
		change func(p *tables.OpenPairing)
		says   string
	}{
		"here":      {func(p *tables.OpenPairing) { p.Playing = h.app.config.Board.ID }, ""},
		"elsewhere": {func(p *tables.OpenPairing) { p.Playing = "rv-b02" }, "being played on rv-b02"},
		"profile":   {func(p *tables.OpenPairing) { p.Profile = "of-mars" }, "cannot be played here"},
		"variant":   {func(p *tables.OpenPairing) { p.Variant = "chess" }, "cannot be played here"},
		"clock":     {func(p *tables.OpenPairing) { p.Clock = "soon" }, "cannot be played here"},
	} {
		p := seat
		c.change(&p)
		h.waiting.Store(&map[string]seating{"x": h.seat(p)})
		_, err := h.open("x")
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// An arbiter's evening on the page: everything that can be asked for, once, and
// what is refused says so in a sentence.
func TestActsOfThePage(t *testing.T) {
	h := openHall(t)
	h.does(t, web.TournamentAct{Do: web.TournamentCreate, Name: "Open", System: "festival", Rounds: 2})
	s := h.sees(t).Sheet
	if s.Variant != "festival" || s.Profile != "festival" || !s.AsTheyLie || s.Colors != tournament.Lots || s.Seed == "" {
		t.Errorf("a festival is %+v", s.Tournament)
	}
	h.does(t, web.TournamentAct{Do: web.TournamentPlayers, Text: fourPlayers + "Eve,1000\n"})
	h.does(t, web.TournamentAct{Do: web.TournamentPlayers, Text: "name\nZoe\n"})
	h.does(t, web.TournamentAct{Do: web.TournamentRemove, Player: 6})
	h.does(t, web.TournamentAct{Do: web.TournamentEdit, Player: 1, Name: "Ana Lima", Club: "Elm", Rating: 1450})
	h.does(t, web.TournamentAct{Do: web.TournamentLots, Seed: "1881"})
	h.does(t, web.TournamentAct{Do: web.TournamentWithdraw, Player: 4, Reason: "ill"})
	h.does(t, web.TournamentAct{Do: web.TournamentReturn, Player: 4})
	h.does(t, web.TournamentAct{Do: web.TournamentBye, Player: 5})
	h.does(t, web.TournamentAct{Do: web.TournamentPair})
	h.does(t, web.TournamentAct{Do: web.TournamentUnpair, Reason: "a mistake"})
	h.does(t, web.TournamentAct{Do: web.TournamentPair})
	seat := h.sees(t).Sheet.Rounds[0].Seats[0]
	h.does(t, web.TournamentAct{Do: web.TournamentColors, Round: 1, Table: 1, Black: seat.White.Number, By: "agreement"})
	h.does(t, web.TournamentAct{Do: web.TournamentColors, Round: 1, Table: 2, By: "draw"})
	h.does(t, web.TournamentAct{Do: web.TournamentResult, Round: 1, Table: 1, BlackDiscs: 20, WhiteDiscs: 18, Ending: "flag"})
	h.does(t, web.TournamentAct{Do: web.TournamentCorrect, Round: 1, Table: 1, BlackDiscs: 21, WhiteDiscs: 18, Ending: "flag", Reason: "counted again"})
	s = h.sees(t).Sheet
	if got := s.Rounds[0].Seats[0]; got.Black.Number != seat.White.Number || got.Result.String() != "21–18, black wins, by flag" {
		t.Errorf("%+v, %v", got, got.Result)
	}
	whats := make([]string, 0, len(s.Changes))
	for _, c := range s.Changes {
		whats = append(whats, c.What)
		if c.By != plaintext.Const("Vera") {
			t.Errorf("%+v was not done by Vera", c)
		}
	}
	want := []string{"created", "players", "players", "removed", "player", "lots", "withdrawn", "returned", "bye", "paired", "unpaired", "paired", "colors", "colors", "corrected"}
	if !slices.Equal(whats, want) {
		t.Errorf("changes %v, want %v", whats, want)
	}
	for _, bad := range []web.TournamentAct{
		{Do: "dance", ID: "open"},
		{Do: web.TournamentPair, ID: "nowhere"},
		{Do: web.TournamentPair, ID: "open"},
		{Do: web.TournamentMatch, ID: "open", Black: 1, White: 2},
		{Do: web.TournamentPlayers, ID: "open", Text: "no columns"},
		{Do: web.TournamentCreate, Name: "Second", Profile: "of-mars"},
		{Do: web.TournamentStart, ID: "open", Round: 9, Table: 1},
		{Do: web.TournamentRemove, ID: "open", Player: 1},
		{Do: web.TournamentEdit, ID: "open", Player: 9, Name: "X"},
		{Do: web.TournamentEdit, ID: "open", Player: 1},
	} {
		if err := h.Do(t.Context(), "Vera", bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one line", bad, err)
		}
	}
}

// What takes something back, and the ways out of a dead end, on the page.
func TestUndoingActsOfThePage(t *testing.T) {
	h := openHall(t)
	h.does(t, web.TournamentAct{Do: web.TournamentCreate, Name: "Open", System: "swiss", Rounds: 5})
	h.does(t, web.TournamentAct{Do: web.TournamentPlayers, Text: "name\nAna\nBen\n"})
	twice := web.TournamentAct{Do: web.TournamentPlayers, ID: "open", Text: "name\nana\nCem\n"}
	if err := h.Do(t.Context(), "Vera", twice); err == nil || !strings.Contains(err.Error(), "same name") || len(h.sees(t).Sheet.Standings) != 2 {
		t.Errorf("the same name twice: %v", err)
	}
	twice.Namesakes = true
	h.does(t, twice)
	h.does(t, web.TournamentAct{Do: web.TournamentRemove, Player: 3})
	h.does(t, web.TournamentAct{Do: web.TournamentRemove, Player: 4})
	if err := h.Do(t.Context(), "Vera", web.TournamentAct{Do: web.TournamentPair, ID: "open"}); err == nil || !strings.Contains(err.Error(), "2 players can play 1 round at most, not 5") {
		t.Errorf("five rounds of two players: %v", err)
	}
	h.does(t, web.TournamentAct{Do: web.TournamentRounds, Rounds: 2})
	h.does(t, web.TournamentAct{Do: web.TournamentMatch, Black: 1, White: 2, Next: true})
	h.does(t, web.TournamentAct{Do: web.TournamentResult, Table: 1, BlackDiscs: 40, WhiteDiscs: 24})
	h.does(t, web.TournamentAct{Do: web.TournamentReopen, Table: 1, Reason: "the wrong way round"})
	h.does(t, web.TournamentAct{Do: web.TournamentResult, Table: 1, BlackDiscs: 24, WhiteDiscs: 40})
	if s := h.sees(t).Sheet; !s.Stuck || s.Warning == "" || s.Status != tables.Running {
		t.Errorf("%v %q %s", s.Stuck, s.Warning, s.Status)
	}
	h.does(t, web.TournamentAct{Do: web.TournamentEnd, Reason: "they have met"})
	if s := h.sees(t).Sheet; s.Status != tables.Complete || s.Ended != 1 {
		t.Errorf("%s, ended %d", s.Status, s.Ended)
	}
	h.does(t, web.TournamentAct{Do: web.TournamentContinue, Reason: "once more"})
	h.does(t, web.TournamentAct{Do: web.TournamentBye, Player: 1})
	h.does(t, web.TournamentAct{Do: web.TournamentNoBye, Player: 1})
	h.does(t, web.TournamentAct{Do: web.TournamentAgain, Reason: "once more"})
	s := h.sees(t).Sheet
	if s.Round != 2 || len(s.Rounds[1].Seats) != 1 || s.Rounds[1].Seats[0].White == nil {
		t.Errorf("round %d, %+v", s.Round, s.Rounds)
	}
}

// Whoever looks hears of what somebody else does, also of another program.
func TestNewsOfTournaments(t *testing.T) {
	h := openHall(t)
	other, err := archive.OpenTables(t.Context(), h.app.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // what was written has been synced
	_, news := h.View(t.Context(), "")
	made, err := NewTournament(TournamentSettings{Name: "Elsewhere"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Create(t.Context(), made, tables.Act{By: plaintext.Const("command line")}); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case <-news:
		case <-time.After(10 * time.Second):
			t.Fatal("nobody was told")
		}
		var v hallView
		var text json.RawMessage
		text, news = h.View(t.Context(), "")
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		if v.Sheet != nil && v.Sheet.Name == plaintext.Const("Elsewhere") {
			return
		}
	}
}
