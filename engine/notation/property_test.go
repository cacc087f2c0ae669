package notation_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// someText draws what a stranger may write into a tag.
func someText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.StringOfN(rapid.RuneFrom([]rune(`abcXYZ 019.:-_/\"'[](){};*?%#,éßπ漢`)), 1, 20, -1),
	)
}

// trimmed is someText as readers keep it.
func trimmed(t *rapid.T, label string) string { return strings.TrimSpace(someText().Draw(t, label)) }

// someNumber draws a number of seconds, or none.
func someNumber() *rapid.Generator[notation.Number] {
	return rapid.SampledFrom([]notation.Number{"", "0.01", "12", "2.7680000000000002", "0"})
}

// someGame draws a game with all that a format may have to hold.
func someGame(t *rapid.T) *notation.Game {
	g := &notation.Game{Rules: someRules(t)}
	for c := range g.Players {
		g.Players[c] = notation.Player{Name: plaintext.Clean(trimmed(t, "name"), plaintext.MaxLine), Rating: plaintext.Clean(trimmed(t, "rating"), plaintext.MaxLine)}
	}
	g.Event, g.Round, g.Place = plaintext.Clean(trimmed(t, "event"), plaintext.MaxLine), plaintext.Clean(trimmed(t, "round"), plaintext.MaxLine), plaintext.Clean(trimmed(t, "place"), plaintext.MaxLine)
	g.Date = notation.ParseDateTime(rapid.SampledFrom([]string{
		"", "2013", "2013-05", "2003.12.15_14:32:54.MST", "2026-02-23", "2000-4-16 11:13 EST", "2026-11-30 23:10:00 UTC", "in 1998", "1996-05,06",
	}).Draw(t, "date"))
	clock := rapid.SampledFrom([]string{"", "5:00", "1200", "25:00/5", "5:00//0", "1:00/0:02/3:00"})
	g.Clocks[0] = plaintext.Clean(clock.Draw(t, "clock"), plaintext.MaxLine)
	if g.Clocks[1] = g.Clocks[0]; rapid.IntRange(0, 9).Draw(t, "two clocks") == 0 {
		g.Clocks[1] = plaintext.Clean(clock.Draw(t, "clock"), plaintext.MaxLine)
	}
	g.Comment = plaintext.CleanComment(trimmed(t, "comment"), plaintext.MaxComment)
	if value := trimmed(t, "tag"); value != "" {
		g.Tags = []notation.Tag{{Name: rapid.SampledFrom([]string{"ZZ", "Profile", "a b", "PB", "TY", "Time"}).Draw(t, "tag"), Value: plaintext.Clean(value, plaintext.MaxLine)}}
	}
	somePlays(t, g)
	final, err := g.Final()
	if err != nil {
		t.Fatal(err)
	}
	if !final.Over() {
		g.Recorded = someEnd(t)
	}
	return g
}

// someRules draws a start; mostly the usual one.
func someRules(t *rapid.T) engine.Rules {
	names := engine.VariantNames()
	names = append(names, "classic", "classic", "custom")
	name := rapid.SampledFrom(names).Draw(t, "rules")
	if name != "custom" {
		r, err := engine.Variant(name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	black := rapid.Uint64().Draw(t, "black")
	white := rapid.Uint64().Draw(t, "white") &^ black
	turn := rapid.SampledFrom([]engine.Color{engine.Black, engine.White}).Draw(t, "turn")
	return engine.Rules{Name: "custom", Start: engine.Position{Discs: engine.Discs{Black: engine.Bitboard(black), White: engine.Bitboard(white)}, Turn: turn}}
}

// somePlays draws the moves.
func somePlays(t *rapid.T, g *notation.Game) {
	at := engine.NewGame(g.Rules)
	notes := rapid.Bool().Draw(t, "notes")
	edits := rapid.IntRange(0, 5).Draw(t, "edits") == 0
	for n := rapid.IntRange(0, 60).Draw(t, "plies"); n > 0 && !at.Over(); n-- {
		if at.MustPass() {
			g.Plays = append(g.Plays, notation.Play{Move: engine.PassMove})
			at = at.Pass()
		}
		legal := slices.Collect(at.Legal().All())
		s := rapid.SampledFrom(legal).Draw(t, "square")
		at = at.Place(s)
		p := notation.Play{Move: engine.At(s)}
		if notes {
			p.Time, p.Left = someNumber().Draw(t, "time"), someNumber().Draw(t, "left")
			p.Eval = rapid.SampledFrom([]string{"", "+2.39", "-64", "100%"}).Draw(t, "eval")
			p.Comment = plaintext.CleanComment(trimmed(t, "comment"), plaintext.MaxComment)
		}
		if edits && rapid.IntRange(0, 5).Draw(t, "edit") == 0 {
			square := engine.Bitboard(1) << rapid.IntRange(0, 63).Draw(t, "edited")
			p.Edit = rapid.SampledFrom([]notation.Edit{{Black: square}, {White: square}, {Empty: square}}).Draw(t, "kind")
			at.White = at.White&^(p.Edit.Black|p.Edit.Empty) | p.Edit.White
			at.Black = at.Black&^(p.Edit.White|p.Edit.Empty) | p.Edit.Black
		}
		g.Plays = append(g.Plays, p)
	}
}

// someEnd draws how a game stopped before its end.
func someEnd(t *rapid.T) notation.Outcome {
	side := rapid.SampledFrom([]engine.Color{engine.Black, engine.White}).Draw(t, "winner")
	return rapid.SampledFrom([]notation.Outcome{
		{Winner: engine.None},
		{Winner: engine.None, End: notation.EndAborted},
		{Winner: engine.None, End: notation.EndAdjourned},
		{Known: true, Winner: side, End: notation.EndResigned},
		{Known: true, Winner: side, End: notation.EndTime},
		{Known: true, Winner: side, End: notation.EndAdjudicated},
		{Known: true, Winner: engine.None, Black: 4, White: 4, Scored: true, Counted: true, End: notation.EndTimeUp},
	}).Draw(t, "end")
}

// differences compares what was read with what was written, and leaves out what
// the writer has said is lost.
func differences(f notation.Format, want, got *notation.Game, lost []notation.Loss) []string {
	var found []string
	check := func(what string, excuses string, a, b any) {
		for excuse := range strings.SplitSeq(excuses, "|") {
			if excuse != "" && slices.ContainsFunc(lost, func(l notation.Loss) bool { return strings.HasPrefix(string(l), excuse) }) {
				return
			}
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			found = append(found, fmt.Sprintf("%v: %s %q, want %q", f, what, fmt.Sprint(b), fmt.Sprint(a)))
		}
	}
	names := func(g *notation.Game) [2]plaintext.Text {
		return [2]plaintext.Text{g.Players[0].Name, g.Players[1].Name}
	}
	ratings := func(g *notation.Game) [2]plaintext.Text {
		return [2]plaintext.Text{g.Players[0].Rating, g.Players[1].Rating}
	}
	const text = "|characters that"
	check("names", "the names"+text, names(want), names(got))
	check("ratings", "the ratings"+text, ratings(want), ratings(got))
	check("event", "the event"+text, want.Event, got.Event)
	check("round", "the round"+text, want.Round, got.Round)
	check("place", "the place"+text, want.Place, got.Place)
	check("date", "the date|the day|what is no day", want.Date, got.Date)
	check("clocks", "the clock", clocksOf(want), clocksOf(got))
	check("comment", "the comments"+text, want.Comment, got.Comment)
	check("tags", "tags"+text, want.Tags, got.Tags)
	check("goal", "that fewest", want.Rules.Goal, got.Rules.Goal)
	check("start", "the start|the moves|how the first", want.Rules.Start, got.Rules.Start)
	check("moves", "the moves|how the first", strings.TrimSuffix(wordsOf(want), " pass"), strings.TrimSuffix(wordsOf(got), " pass"))
	check("end", "why|the moves", want.Recorded.End, got.Recorded.End)
	if want.Recorded.Known {
		check("winner", "why|the moves", want.Recorded.Winner, got.Recorded.Winner)
	}
	for i := range min(len(want.Plays), len(got.Plays)) {
		a, b := want.Plays[i], got.Plays[i]
		check("time", "the time of|how", a.Time, b.Time)
		check("left", "the time left|how", a.Left, b.Left)
		check("eval", "the eval|how", a.Eval, b.Eval)
		check("edit", "the discs that|how", a.Edit, b.Edit)
		check("comment", "the comments|how|the discs that"+text, a.Comment, b.Comment)
	}
	return found
}

// clocksOf compares what clock strings mean.
func clocksOf(g *notation.Game) [2]string {
	var all [2]string
	for i, text := range g.Clocks {
		if c, err := notation.ParseClock(text.String()); err == nil && text != (plaintext.Text{}) {
			all[i] = c.String()
		}
	}
	return all
}

// What is written is read again, whatever the names and comments are; and what
// is not read again was said to be lost.
func TestEveryFormatRoundTrips(t *testing.T) {
	for _, f := range notation.Formats() {
		if !f.Writable() || f == notation.FormatWTHOR {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { roundTrip(t, f, someGame(t)) })
		})
	}
}

// roundTrip writes a game, reads it, and writes it again.
func roundTrip(t *rapid.T, f notation.Format, g *notation.Game) {
	text, lost, err := notation.Append(nil, f, g)
	if err != nil {
		// Too short for an opening, with mistakes, or still without a start.
		if f != notation.FormatXOT && !errorsInEdits(g) && g.Rules.Opening == 0 {
			t.Fatal(err)
		}
		return
	}
	games, errs := readText(f, string(text))
	if len(errs) > 0 || len(games) != 1 {
		t.Fatalf("%d games, %v in\n%s", len(games), errs, text)
	}
	if found := differences(f, g, games[0], lost); len(found) > 0 {
		t.Fatalf("%s\nlost %q\n%s", strings.Join(found, "\n"), lost, text)
	}
	again, _, err := notation.Append(nil, f, games[0])
	if err != nil || !bytes.Equal(again, text) {
		t.Fatalf("written again as\n%s, %v\nwant\n%s", again, err, text)
	}
}

// errorsInEdits reports whether mistakes were left on the board.
func errorsInEdits(g *notation.Game) bool {
	return slices.ContainsFunc(g.Plays, func(p notation.Play) bool { return !p.Edit.None() })
}

func TestWTHORRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var games []*notation.Game
		for range rapid.IntRange(1, 4).Draw(t, "games") {
			g := someGame(t)
			g.Rules, _ = engine.Variant("classic")
			g.Plays = nil
			somePlays(t, g)
			games = append(games, g)
		}
		added, first := wthorFiles(t, games, false)
		if len(added) == 0 {
			return
		}
		read := readWTHOR(t, first)
		for i, g := range read {
			if len(g.Plays) > 0 && g.Plays[0].Move.String() != "f5" {
				t.Fatalf("begins with %v", g.Plays[0].Move)
			}
			a, _ := added[i].Result()
			// The file has no word for a time that was up.
			timeUp := added[i].Recorded.End == notation.EndTimeUp
			if b, _ := g.Result(); !timeUp && a != b || g.Plies() != added[i].Plies() {
				t.Fatalf("%+v, want %+v", b, a)
			}
		}
		if _, again := wthorFiles(t, read, true); again != first {
			t.Fatal("written again it differs")
		}
	})
}

// threeFiles are games, players and tournaments.
type threeFiles struct{ wtb, jou, trn string }

// wthorFiles writes the games that a file takes; all means that it must take
// them all and lose nothing.
func wthorFiles(t *rapid.T, games []*notation.Game, all bool) (added []*notation.Game, files threeFiles) {
	w := notation.NewWTHOR(nil, nil)
	for _, g := range games {
		lost, err := w.Add(g)
		if all && (err != nil || len(lost) > 0) {
			t.Fatal(err, lost)
		}
		if err == nil {
			added = append(added, g)
		}
	}
	wtb, jou, trn, err := w.Files(notation.Date{Year: 2026, Month: 1, Day: 2})
	if err != nil {
		t.Fatal(err)
	}
	return added, threeFiles{string(wtb), string(jou), string(trn)}
}

// readWTHOR reads what wthorFiles writes.
func readWTHOR(t *rapid.T, f threeFiles) []*notation.Game {
	players, errP := notation.ReadNames(strings.NewReader(f.jou), notation.Players)
	tournaments, errT := notation.ReadNames(strings.NewReader(f.trn), notation.Tournaments)
	if err := errors.Join(errP, errT); err != nil {
		t.Fatal(err)
	}
	var games []*notation.Game
	options := notation.ReadOptions{Players: players, Tournaments: tournaments}
	for g, err := range notation.Read(strings.NewReader(f.wtb), notation.FormatWTHOR, options) {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	return games
}

func FuzzRead(f *testing.F) {
	for _, seed := range []struct {
		format notation.Format
		text   string
	}{
		{notation.FormatTranscript, nineMoves},
		{notation.FormatTranscript, notation.OBF(engine.Start()) + ";f5d6"},
		{notation.FormatOBF, notation.OBF(engine.Start()) + "; d3:+2; c4:-1; % x"},
		{notation.FormatGGF, "2 " + nineGGF + nineGGF},
		{notation.FormatSGF, nineSGF},
		{notation.FormatSGF, `(;GM[2]C[a\]b];B[f5]AW[e5](;W[d6]BL[2])(;W[f6]))`},
		{notation.FormatPGN, playOK},
		{notation.FormatWTHOR, string(readFile(f, "WTH_1978.wtb"))},
		{notation.FormatXOT, nineMoves[:16]},
		{notation.FormatBoard, notation.Board(engine.Start())},
		{notation.FormatJSON, `{"v":1,"rules":{"board":"---------------------------WB------BW---------------------------","turn":"black","goal":"most"},"moves":["f5",{"move":"d6","time":"1"}]}`},
		{notation.FormatJSON, `{"v":1,"rules":{"board":"---------------------------WB------BW---------------------------","turn":"black","goal":"most"},"moves":[{"move":"a1","improper":true},{"move":"pass","ruled_to_move":"white","left_on_board":{"empty":["a1"]}},"c5"]}`},
		{notation.FormatNBoard, nineNBoard()},
		{notation.FormatGTP, nineGTP},
	} {
		f.Add(uint8(seed.format), []byte(seed.text))
	}
	f.Fuzz(func(t *testing.T, format uint8, b []byte) {
		_, _ = notation.Sniff(b)
		n := 0
		for g, err := range notation.Read(bytes.NewReader(b), notation.Format(format%12), notation.ReadOptions{}) {
			if n++; (g == nil) == (err == nil) || n > len(b)+1 {
				t.Fatalf("%v and %v, result %d of %d bytes", g, err, n, len(b))
			}
			if g == nil {
				continue
			}
			text, lost, err := notation.Append(nil, notation.FormatJSON, g)
			if err != nil || len(lost) > 0 {
				t.Fatalf("what was read cannot be written: %v, %q", err, lost)
			}
			again := readAll(t, notation.FormatJSON, string(text))
			if second := mustWrite(t, notation.FormatJSON, again[0]); second != string(text) {
				t.Fatalf("%s\nis read and written as\n%s", text, second)
			}
		}
	})
}

func FuzzParsePosition(f *testing.F) {
	f.Add(notation.OBF(engine.Start()))
	f.Add(notation.FEN(engine.Start()))
	f.Add(notation.GGFBoard(engine.Start()))
	f.Add("1;" + strings.Repeat(".", 64) + ";b;;;")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := notation.ParsePosition(text)
		if err != nil {
			return
		}
		for _, again := range []string{notation.OBF(p), notation.FEN(p), notation.GGFBoard(p), notation.Cassio(p)} {
			if q, err := notation.ParsePosition(again); err != nil || q != p {
				t.Fatalf("%q is written as %q and read as %v, %v", text, again, q, err)
			}
		}
	})
}

func FuzzParseClock(f *testing.F) {
	for _, seed := range []string{"23", "23/1/14:00", "1.12:01:23", "10:00,N20/5,N2/1:00,N3", "1:00.005"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := notation.ParseClock(text)
		if err != nil {
			return
		}
		if again, err := notation.ParseClock(c.String()); err != nil || again != c {
			t.Fatalf("%q is %+v, written as %s, read as %+v, %v", text, c, c, again, err)
		}
	})
}
