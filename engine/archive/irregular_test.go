package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	events "reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// eventTable is a table of an event whose journal is kept.
type eventTable struct {
	t       *testing.T
	state   referee.State
	board   engine.Discs
	now     time.Duration
	records [][]byte
}

func newEventTable(t *testing.T, timed string) *eventTable {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	p := referee.Home()
	p.Name, p.Commit, p.Flips, p.Improper = "woc", referee.CommitPress, referee.FlipsStand, referee.ImproperClaimed
	m := referee.Match{Rules: rules, Profile: p, Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")}}
	if m.Clock, err = clock.Parse(timed); err != nil {
		t.Fatal(err)
	}
	e := &eventTable{t: t, state: referee.New(m), board: rules.Start.Discs}
	e.step(referee.Seen{Discs: e.board})
	return e
}

func (e *eventTable) step(in referee.Input) {
	e.t.Helper()
	for _, eff := range referee.Step(&e.state, in, nil) {
		a, ok := eff.(referee.Announce)
		if !ok {
			continue
		}
		b, err := events.EncodeEvent(events.Envelope{
			Stamp: events.Stamp{TS: time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC), TSOK: true, Boot: 1, Mono: e.now},
			JID:   "01JD7Q4E9W0000000000000009", Seq: uint64(len(e.records) + 1), Game: "G1", Ply: a.Ply,
			FP: events.Fingerprint(a.Position.Discs, a.Position.Turn),
		}, a.Event)
		if err != nil {
			e.t.Fatal(err)
		}
		e.records = append(e.records, b)
	}
}

// lay makes squares show a color, three seconds later, and presses.
func (e *eventTable) lay(c engine.Color, names string) {
	e.t.Helper()
	set, err := engine.ParseSquares(names)
	if err != nil {
		e.t.Fatal(err)
	}
	for s := range set.All() {
		e.board = e.board.With(s, c)
	}
	e.now += 3 * time.Second
	by := e.state.Game.Turn
	e.step(referee.Seen{At: e.now, Discs: e.board})
	e.step(referee.Pressed{At: e.now, By: by})
}

func (e *eventTable) order(o referee.Order, name string) {
	e.t.Helper()
	e.now += time.Second
	e.step(referee.Command{At: e.now, Audit: referee.Audit{Role: "arbiter", Name: name, Order: o}})
}

// game computes the game from the journal.
func (e *eventTable) game() *notation.Game {
	e.t.Helper()
	_, g, err := archive.GameOf("01JD7Q4E9W0000000000000009", e.records)
	if err != nil {
		e.t.Fatal(err)
	}
	return g
}

// forms writes a game in a format.
func form(t *testing.T, f notation.Format, g *notation.Game) (string, []notation.Loss, error) {
	t.Helper()
	text, lost, err := notation.Append(nil, f, g)
	return string(text), lost, err
}

// A game in which wrong flips stand: the archive and JSON keep it as it was, SGF
// keeps the board, and what needs the rules to replay refuses it with the reason.
func TestGameWithWrongFlips(t *testing.T) {
	e := newEventTable(t, "black 5:00, white 30:00/10")
	e.lay(engine.Black, "f5 e5")
	e.lay(engine.White, "d6")    // forgets d5
	e.lay(engine.Black, "c3 d4") // it stands
	e.lay(engine.White, "d3 d4 d5")
	e.order(referee.Resign{Color: engine.Black}, "resign")
	lying := e.state.Game.Discs

	g := e.game()
	final, err := g.Final()
	if err != nil || final.Discs != lying || final.Turn != engine.Black {
		t.Fatalf("%v: the game ends with %v, %v to move; on the board lies %v", err, final.Discs, final.Turn, lying)
	}
	d5, err := engine.ParseSquare("d5")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := g.Plays[1].Edit, (notation.Edit{Black: d5.Bit()}); got != want {
		t.Errorf("White's move has the edit %+v, want %+v", got, want)
	}
	// Scenarios 23 and 25: both clocks, and times of every move.
	if g.Clocks != [2]plaintext.Text{plaintext.Const("5:00//0"), plaintext.Const("30:00/10/0")} {
		t.Errorf("clocks %q", g.Clocks)
	}
	if times := [4]notation.Number{g.Plays[0].Time, g.Plays[1].Time, g.Plays[0].Left, g.Plays[1].Left}; times != [4]notation.Number{"3", "3", "297", "1807"} {
		t.Errorf("times %q", times)
	}
	text, lost, err := form(t, notation.FormatJSON, g)
	if err != nil || len(lost) > 0 {
		t.Fatalf("JSON loses %v, %v", lost, err)
	}
	sameAgain(t, text, notation.FormatJSON, lying)
	text, _, err = form(t, notation.FormatSGF, g)
	if err != nil {
		t.Fatal(err)
	}
	sameAgain(t, text, notation.FormatSGF, lying)
	text, lost, err = form(t, notation.FormatOBF, g)
	if err != nil || !strings.HasPrefix(text, lying.Text('X', 'O', '-')) || len(lost) == 0 {
		t.Errorf("OBF: %q, loses %v, %v", text, lost, err)
	}
	for _, f := range []notation.Format{notation.FormatTranscript, notation.FormatXOT} {
		if _, _, err := form(t, f, g); err == nil || !strings.Contains(err.Error(), "mistakes were left standing") {
			t.Errorf("%v: %v", f, err)
		}
	}
	// Scenario 57: no WTHOR.
	if _, _, err := form(t, notation.FormatWTHOR, g); err == nil {
		t.Error("WTHOR takes it")
	}
	// GGF has no word for it: it is refused, or the comment says so.
	if text, lost, err := form(t, notation.FormatGGF, g); err == nil && (len(lost) == 0 || !strings.Contains(text, "left on the board")) {
		t.Errorf("GGF says nothing: %q, %v", text, lost)
	}
}

// sameAgain reads a game back and compares where it ends.
func sameAgain(t *testing.T, text string, f notation.Format, want engine.Discs) *notation.Game {
	t.Helper()
	for g, err := range notation.Read(strings.NewReader(text), f, notation.ReadOptions{}) {
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		final, err := g.Final()
		if err != nil || final.Discs != want {
			t.Fatalf("%v: read again it ends with %v, want %v\n%s", err, final.Discs, want, text)
		}
		return g
	}
	t.Fatal("no game")
	return nil
}

// A disc that is no move, and a ruling: only JSON can hold them, and it holds them
// whole.
func TestGameWithRulings(t *testing.T) {
	e := newEventTable(t, "none")
	e.order(referee.CorrectSquare{Turn: engine.White, Reason: plaintext.Const("White begins")}, "correct_square")
	e.lay(engine.White, "a1")       // no move, and nobody objects
	e.lay(engine.Black, "f5 e5")    // it stands
	e.lay(engine.White, "f6")       // the wrong side up would be black; this is white and forgets e5
	e.lay(engine.Black, "d6 h8 d5") // two discs: refused
	e.lay(engine.None, "d6 h8")
	e.order(referee.CorrectSquare{Black: 1 << 63, Empty: 1, Turn: engine.Black, Reason: plaintext.Const("look")}, "correct_square")
	e.board = e.state.Game.Discs
	e.lay(engine.Black, "")
	e.order(referee.Adjudicate{Winner: engine.White, Black: 20, White: 44, Reason: plaintext.Const("forfeit")}, "adjudicate")
	lying := e.state.Game

	g := e.game()
	text, lost, err := form(t, notation.FormatJSON, g)
	if err != nil || len(lost) > 0 {
		t.Fatalf("JSON loses %v, %v", lost, err)
	}
	again := sameAgain(t, text, notation.FormatJSON, lying.Discs)
	if fmt.Sprintf("%+v", again.Plays) != fmt.Sprintf("%+v", g.Plays) {
		t.Errorf("read again\n%+v\nwritten\n%+v", again.Plays, g.Plays)
	}
	if final, err := again.Final(); err != nil || final.Turn != engine.Black {
		t.Errorf("%v: %v is to move", err, final.Turn)
	}
	if !slices.ContainsFunc(g.Plays, func(p notation.Play) bool { return p.Improper }) || !g.Plays[0].Ruled {
		t.Errorf("%+v", g.Plays)
	}
	for _, f := range []notation.Format{notation.FormatTranscript, notation.FormatSGF, notation.FormatGGF, notation.FormatPGN, notation.FormatXOT} {
		_, _, err := form(t, f, g)
		var refused *notation.WriteError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "only JSON can hold that") {
			t.Errorf("%v: %v", f, err)
		}
	}
	if g.Recorded.End != notation.EndAdjudicated || g.Recorded.Winner != engine.White || g.Recorded.Margin != -24 {
		t.Errorf("%+v", g.Recorded)
	}
	// The archive keeps it.
	games := openGames(t, t.TempDir())
	if r, err := games.Put(t.Context(), "01JD7Q4E9W0000000000000009", e.records); err != nil || r.Stored != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	entry, stored, err := games.Get(t.Context(), "G1")
	if err != nil || entry.Winner != "white" || entry.End != "adjudicated" {
		t.Errorf("%+v, %v", entry, err)
	}
	if kept, _, err := form(t, notation.FormatJSON, stored); err != nil || kept != text {
		t.Errorf("%v: the archive has\n%s, want\n%s", err, kept, text)
	}
}

// A revision and an undo leave a game as any other.
func TestRevisedGameIsRegular(t *testing.T) {
	e := newEventTable(t, "none")
	e.lay(engine.Black, "f5 e5")
	e.lay(engine.White, "d6 d5")
	e.order(referee.Revise{FromPly: 2, Moves: "f6", Reason: plaintext.Const("the sheet says f6")}, "revise")
	e.order(referee.Resign{Color: engine.White}, "resign")
	text, _, err := form(t, notation.FormatTranscript, e.game())
	if err != nil || !strings.Contains(text, "f5f6") {
		t.Errorf("%q, %v", text, err)
	}
}

// A record that is missing between rulings does not go unseen.
func TestMissingRulingIsSeen(t *testing.T) {
	e := newEventTable(t, "none")
	e.lay(engine.Black, "f5 e5")
	e.order(referee.CorrectSquare{Black: 1, Turn: engine.White}, "correct_square")
	e.board = e.state.Game.Discs
	e.lay(engine.White, "d6 d5")
	e.order(referee.Resign{Color: engine.White}, "resign")
	for i, r := range e.records {
		if !bytes.Contains(r, []byte(`"type":"position_set"`)) {
			continue
		}
		_, _, err := archive.GameOf("01JD7Q4E9W0000000000000009", slices.Delete(slices.Clone(e.records), i, i+1))
		if err == nil || !strings.Contains(err.Error(), "another position") {
			t.Errorf("without the ruling: %v", err)
		}
		return
	}
	t.Error("there was no ruling")
}

// An arbiter gives a game that was played to its end to the other side: the archive
// has the score that was declared, and the discs as they lie.
func TestDeclaredScoreOfAFinishedGame(t *testing.T) {
	e := newEventTable(t, "none")
	for _, name := range []string{"f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3"} {
		sq, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		e.board = e.state.Game.Place(sq).Discs
		e.lay(engine.None, "")
	}
	if !e.state.Ended || e.state.Result.Black != 13 {
		t.Fatalf("%+v", e.state.Result)
	}
	e.order(referee.Adjudicate{Winner: engine.White, Black: 31, White: 33, Reason: plaintext.Const("the flag")}, "adjudicate")
	games := openGames(t, t.TempDir())
	if _, err := games.Put(t.Context(), "01JD7Q4E9W0000000000000009", e.records); err != nil {
		t.Fatal(err)
	}
	entry, stored, err := games.Get(t.Context(), "G1")
	if err != nil || entry.Winner != "white" || entry.BlackScore != 31 || entry.WhiteScore != 33 || !entry.Finished {
		t.Errorf("%+v, %v", entry, err)
	}
	if final, err := stored.Final(); err != nil || final.Black.Count() != 13 || final.White.Count() != 0 {
		t.Errorf("%v, %v", final.Discs, err)
	}
}
