package archive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// festivalTable is a table of a festival at which so many moves are made.
func festivalTable(t *testing.T, moves string) *eventTable {
	t.Helper()
	rules, err := engine.Variant(engine.Festival)
	if err != nil {
		t.Fatal(err)
	}
	p := referee.Home()
	p.Name, p.Takeback, p.Flag, p.Empties = "festival", referee.TakebackUntilReply, referee.FlagCount, referee.EmptiesAsTheyLie
	m := referee.Match{Rules: rules, Profile: p}
	if m.Clock, err = clock.Parse("game 2:00"); err != nil {
		t.Fatal(err)
	}
	e := &eventTable{t: t, state: referee.New(m), board: rules.Start.Discs}
	e.step(referee.Seen{Discs: e.board})
	for ; moves != ""; moves = moves[2:] {
		sq, err := engine.ParseSquare(moves[:2])
		if err != nil {
			t.Fatal(err)
		}
		e.board = e.state.Game.Place(sq).Discs
		e.now += 3 * time.Second
		e.step(referee.Seen{At: e.now, Discs: e.board})
	}
	return e
}

// stored puts the game into an archive and returns its line and the game.
func (e *eventTable) stored() string {
	e.t.Helper()
	games := openGames(e.t, e.t.TempDir())
	if _, err := games.Put(e.t.Context(), "01JD7Q4E9W0000000000000009", e.records); err != nil {
		e.t.Fatal(err)
	}
	entry, _, err := games.Get(e.t.Context(), "G1")
	if err != nil {
		e.t.Fatal(err)
	}
	return strings.TrimSpace(strings.Join([]string{entry.Winner, count(entry.BlackScore, entry.WhiteScore), entry.End}, " "))
}

func count(black, white int) string { return fmt.Sprintf("%d-%d", black, white) }

// One result, everywhere: that of a festival counts the discs as they lie. A format
// that has another meaning of a score keeps it, and says in a comment what counts:
// in GGF and WTHOR the empty squares are the winner's (formats, rule 8 and sections
// 3, 4).
func TestResultOfAFestivalIsTheSameEverywhere(t *testing.T) {
	e := festivalTable(t, "f5d6c5f6e7f4g5e6e3")
	if r := e.state.Result; r.Black != 13 || r.White != 0 {
		t.Fatalf("%+v", r)
	}
	if got := e.stored(); got != "black 13-0" {
		t.Errorf("the archive has %s", got)
	}
	g := e.game()
	for f, wants := range map[notation.Format][]string{
		notation.FormatPGN:  {`[Result "13-0"]`, "{Empty squares count for nobody: Black 13, White 0} 13-0"},
		notation.FormatGGF:  {"RE[+64.000]", "CO[Empty squares count for nobody: Black 13, White 0]"},
		notation.FormatSGF:  {"RE[B+13]"},
		notation.FormatJSON: {`"black":13,"white":0`, `"empties":"as_they_lie"`, `"with_empties":{"black":64,"white":0}`},
	} {
		text := writes(t, f, g, wants)
		if f == notation.FormatSGF {
			continue // has no word for it
		}
		again := reads(t, f, text)
		if r, err := again.Result(); err != nil || r.Black != 13 || r.White != 0 || len(again.Warnings) > 0 {
			t.Errorf("%v: read as %+v, %v, %q", f, r, err, again.Warnings)
		}
	}
}

// writes returns a game in a format, in which all of some texts must be.
func writes(t *testing.T, f notation.Format, g *notation.Game, wants []string) string {
	t.Helper()
	text, _, err := form(t, f, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if flat := strings.ReplaceAll(text, "\n", " "); !strings.Contains(flat, want) {
			t.Errorf("%v: no %s in %s", f, want, text)
		}
	}
	return text
}

// reads returns the one game in a text.
func reads(t *testing.T, f notation.Format, text string) *notation.Game {
	t.Helper()
	for g, err := range notation.Read(strings.NewReader(text), f, notation.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	t.Fatalf("%v: there is no game in %s", f, text)
	return nil
}

// The time of a game is up with g5 placed and f5 turned, e5 not: what lay there
// counts, 4–4, and not the record, 5–2. Nobody's flag has fallen.
func TestTimeThatIsUpIsNobodysFlagInTheArchive(t *testing.T) {
	e := festivalTable(t, "f5d6c3")
	e.board.White |= 1<<38 | 1<<37 // g5 is placed, f5 turned
	e.board.Black &^= 1 << 37
	e.now += 3 * time.Second
	e.step(referee.Seen{At: e.now, Discs: e.board})
	e.now += 5 * time.Minute
	e.step(referee.Tick{At: e.now})
	if r := e.state.Result; r.Black != 4 || r.White != 4 {
		t.Fatalf("%+v", r)
	}
	if got := e.stored(); got != "draw 4-4 time_up" {
		t.Errorf("the archive has %s", got)
	}
	g := e.game()
	words := "The time of the game was up and the discs were counted as they lay: Black 4, White 4"
	for f, wants := range map[notation.Format][]string{
		notation.FormatPGN:  {`[Result "4-4"]`, words},
		notation.FormatGGF:  {"RE[+0.000]", "CO[" + words + "]"},
		notation.FormatSGF:  {"RE[0]"},
		notation.FormatJSON: {`"end":"time_up"`, `"lay":"` + e.state.Result.Stop.Lay.String()},
	} {
		text := writes(t, f, g, wants)
		if strings.Contains(text, "ran out of time") || strings.Contains(text, ":t]") {
			t.Errorf("%v says whose flag it was: %s", f, text)
		}
		if f == notation.FormatSGF {
			continue
		}
		again := reads(t, f, text)
		if r, err := again.Result(); err != nil || r.Black != 4 || r.White != 4 || again.Recorded.End != notation.EndTimeUp {
			t.Errorf("%v: read as %+v, %v, %v", f, r, err, again.Recorded.End)
		}
	}
}

// In WTHOR the empty squares are the winner's, whatever counts in the game.
func TestWTHORGivesTheEmptySquaresToTheWinner(t *testing.T) {
	for moves, want := range map[string]byte{"f5d6c5f6e7f4g5e6e3": 64, "f5d6c3": 62} {
		e := festivalTable(t, moves)
		e.now += 5 * time.Minute
		e.step(referee.Tick{At: e.now})
		w := notation.NewWTHOR(nil, nil)
		if _, err := w.Add(e.game()); err != nil {
			t.Fatal(err)
		}
		wtb, _, _, err := w.Files(notation.Date{Year: 2026, Month: 3, Day: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := wtb[16+6]; got != want {
			t.Errorf("%s: Black's score is %d, want %d", moves, got, want)
		}
	}
}

// A festival game whose other diagonal was light: the start is in game_started, and
// exports say it as their format can; WTHOR has no other start.
func TestFestivalGameFromTheOtherDiagonal(t *testing.T) {
	start := engine.Start().Discs
	e := festivalTable(t, "")
	e.records = nil
	m := e.state.Match
	e.state = referee.New(m)
	e.board = engine.Discs{Black: start.White, White: start.Black}
	e.step(referee.Seen{Discs: e.board})
	sq, err := engine.ParseSquare("c5")
	if err != nil {
		t.Fatal(err)
	}
	e.board = e.state.Game.Place(sq).Discs
	e.now += 3 * time.Second
	e.step(referee.Seen{At: e.now, Discs: e.board})
	e.order(referee.Resign{Color: engine.White}, "resign")
	g := e.game()
	for f, want := range map[notation.Format]string{
		notation.FormatPGN:  `[FEN "8/8/8/3Pp3/3pP3/8/8/8 b - - 0 1"]`,
		notation.FormatGGF:  "BO[8 -------- -------- -------- ---*O--- ---O*--- -------- -------- -------- *]",
		notation.FormatSGF:  "AB[d4][e5]AW[e4][d5]",
		notation.FormatJSON: `"name":"festival","board":"---------------------------BW------WB---------------------------"`,
	} {
		text, _, err := form(t, f, g)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: no %s in %s, %v", f, want, text, err)
		}
	}
	if _, err := notation.NewWTHOR(nil, nil).Add(g); err == nil || !strings.Contains(err.Error(), "standard start") {
		t.Errorf("WTHOR: %v", err)
	}
}
