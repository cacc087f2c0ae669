package notation_test

import (
	"slices"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

const ggfStart = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"

// ggfMoves writes a transcript as GGF moves with explicit passes.
func ggfMoves(t testing.TB, moves string) string {
	t.Helper()
	var b strings.Builder
	turn := engine.Black
	for _, m := range parse(t, moves).Moves {
		name := "B"
		if turn == engine.White {
			name = "W"
		}
		b.WriteString(name + "[" + m.String() + "]")
		turn = turn.Opponent()
	}
	return b.String()
}

// line returns a reported line.
func line(t testing.TB, id string) reported {
	t.Helper()
	for _, l := range reportedLines(t) {
		if l.id == id {
			return l
		}
	}
	t.Fatalf("no line %s", id)
	return reported{}
}

func TestGGFOfAServer(t *testing.T) {
	// The game of the server's archive: a count before it, evaluations left
	// out, times, a pass as a word.
	saio := line(t, "saio-5")
	text := "1 (;GM[Othello]PC[GGS/os]DT[2003.12.15_14:32:54.MST]PB[Saio1200]PW[Saio3000]RB[2199.2]RW[2199.47]" +
		"TI[15:00//02:00]TY[8]RE[+0.000]" + ggfStart + strings.Replace(ggfMoves(t, saio.text), "B[d3]", "B[d3//0.01]", 1) + ";)\n"
	g := one(t, notation.FormatGGF, text)
	if got := notation.Transcript(g.Moves()); got != saio.text {
		t.Errorf("moves %s", got)
	}
	if n := len(g.Plays); n != 61 || g.Plays[59].Move != engine.PassMove || g.Plays[0].Time != "0.01" || g.Plays[0].Eval != "" {
		t.Errorf("%d plays, %v, %+v", n, g.Plays[59].Move, g.Plays[0])
	}
	r, err := g.Result()
	if err != nil || r.Margin != 0 || r.Winner != engine.None || len(g.Warnings) > 0 {
		t.Errorf("%+v, %v, %q", r, err, g.Warnings)
	}
	want := [2]notation.Player{{Name: plaintext.Const("Saio1200"), Rating: plaintext.Const("2199.2")}, {Name: plaintext.Const("Saio3000"), Rating: plaintext.Const("2199.47")}}
	if g.Players != want || g.Place != plaintext.Const("GGS/os") || g.Date.String() != "2003-12-15 14:32:54 MST" || g.Clocks[1] != plaintext.Const("15:00//02:00") {
		t.Errorf("%+v", g)
	}
}

func TestGGFMoveForms(t *testing.T) {
	g := one(t, notation.FormatGGF, "(;GM[othello]"+ggfStart+"B[F5]W[d6//0.01]B[c3/2.39/0.01]W[D3/-1.5/2.7680000000000002]B[c4/]W[f4//];)")
	var got []string
	for _, p := range g.Plays {
		got = append(got, p.Move.String()+"|"+p.Eval+"|"+string(p.Time))
	}
	want := []string{"f5||", "d6||0.01", "c3|2.39|0.01", "d3|-1.5|2.7680000000000002", "c4||", "f4||"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	text, _ := write(t, notation.FormatGGF, g)
	if !strings.Contains(text, "B[f5]W[d6//0.01]B[c3/2.39/0.01]W[d3/-1.5/2.7680000000000002]B[c4]W[f4];)") {
		t.Errorf("written as %s", text)
	}
}

func TestGGFTrailingPassCounts(t *testing.T) {
	edax := line(t, "edax-50")
	for _, pass := range []string{"B[PA//3.107]", "B[pass]", "B[ps]", "B[--]"} {
		g := one(t, notation.FormatGGF, "(;GM[Othello]"+ggfStart+ggfMoves(t, edax.text)+pass+";)")
		final, err := g.Final()
		if err != nil || final.Turn != engine.White || g.Plays[34].Move != engine.PassMove || g.Plies() != 34 {
			t.Errorf("%s: %v to move after %d plays, %v", pass, final.Turn, len(g.Plays), err)
		}
	}
	text, _ := write(t, notation.FormatGGF, one(t, notation.FormatGGF, "(;"+ggfStart+ggfMoves(t, edax.text)+"B[pa];)"))
	if !strings.HasSuffix(text, "B[pass];)\n") {
		t.Errorf("the pass is lost: %s", text)
	}
}

func TestGGFPassesMayBeLeftOut(t *testing.T) {
	want := line(t, "saio-5")
	text := strings.NewReplacer("W[pass]", "").Replace(ggfMoves(t, want.text))
	g := one(t, notation.FormatGGF, "(;GM[Othello]"+ggfStart+text+";)")
	if len(g.Plays) != 61 || notation.Transcript(g.Moves()) != want.text {
		t.Errorf("%d plays", len(g.Plays))
	}
}

func TestGGFSeveralGames(t *testing.T) {
	game := "(;GM[Othello]PB[A;)]" + ggfStart + "B[f5];)"
	for _, c := range []struct {
		text  string
		games int
		notes int
	}{
		{"2 " + game + game + "\n1 " + game, 3, 0},
		{game + game, 2, 0},
		{"\uFEFF" + game + "\r\n\r\n" + game + "\r\n", 2, 0},
		{"2 " + game + "\n1 " + game, 2, 1},
	} {
		games := readAll(t, notation.FormatGGF, c.text)
		notes := 0
		for _, g := range games {
			notes += len(g.Warnings)
			if g.Players[0].Name != plaintext.Const("A;)") {
				t.Errorf("name %q", g.Players[0].Name)
			}
		}
		if len(games) != c.games || notes != c.notes {
			t.Errorf("%d games, %d warnings in %.20q", len(games), notes, c.text)
		}
	}
}

func TestGGFResults(t *testing.T) {
	for _, c := range []struct {
		re     string
		known  bool
		winner engine.Color
		margin int
		end    notation.End
		again  string
	}{
		{"+2.000", true, engine.Black, 2, notation.EndNone, "+2.000"},
		{"-10", true, engine.White, -10, notation.EndNone, "-10.000"},
		{"0", true, engine.None, 0, notation.EndNone, "+0.000"},
		{"+64.00:r", true, engine.Black, 64, notation.EndResigned, "+64.000:r"},
		{"-2:t", true, engine.White, -2, notation.EndTime, "-2.000:t"},
		{"4:s", true, engine.Black, 4, notation.EndAgreed, "+4.000:s"},
		{"?:l", false, engine.None, 0, notation.EndAdjourned, "?:l"},
		{"?", false, engine.None, 0, notation.EndNone, "?"},
		{"adjourned", false, engine.None, 0, notation.EndNone, "?"},
		{"NaN", false, engine.None, 0, notation.EndNone, "?"},
		{"1e9", false, engine.None, 0, notation.EndNone, "?"},
	} {
		// Somebody can still move: the record is a note and nothing is derived.
		g := one(t, notation.FormatGGF, "(;GM[Othello]RE["+c.re+"]"+ggfStart+"B[f5];)")
		o := g.Recorded
		if o.Known != c.known || o.End != c.end || o.Text.String() != c.re || c.known && (o.Winner != c.winner || o.Margin != c.margin) {
			t.Errorf("%s: %+v", c.re, o)
		}
		if _, err := g.Result(); err == nil || len(g.Warnings) > 0 {
			t.Errorf("%s: a result of an unfinished game, %q", c.re, g.Warnings)
		}
		if text, _ := write(t, notation.FormatGGF, g); !strings.Contains(text, "RE["+c.again+"]") {
			t.Errorf("%s: written as %s", c.re, text)
		}
	}
	// The board is right, and the writer says what the board says.
	g := one(t, notation.FormatGGF, strings.Replace(nineGGF, "+64", "-64", 1))
	if len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "-64") {
		t.Errorf("warnings %q", g.Warnings)
	}
	if text, _ := write(t, notation.FormatGGF, g); !strings.Contains(text, "RE[+64.000]") {
		t.Error(text)
	}
	// The discs as they lie are no contradiction.
	if g := one(t, notation.FormatGGF, strings.Replace(nineGGF, "+64", "+13", 1)); len(g.Warnings) > 0 {
		t.Errorf("warnings %q", g.Warnings)
	}
}

func TestAntiGameNegatesTheMargin(t *testing.T) {
	// 53–10 with one empty square is +44, and −44 where fewest discs win; here
	// 13–0 gives +64 and −64.
	g := one(t, notation.FormatGGF, strings.NewReplacer("TY[8]", "TY[8a]", "+64", "-64").Replace(nineGGF))
	r, err := g.Result()
	if err != nil || r.Margin != -64 || r.Winner != engine.White || r.Black != 64 || len(g.Warnings) > 0 || g.Rules.Name != "reverse" {
		t.Errorf("%+v, %v, %q, %s", r, err, g.Warnings, g.Rules.Name)
	}
	if text, _ := write(t, notation.FormatGGF, g); !strings.Contains(text, "TY[8a]RE[-64.000]") {
		t.Error(text)
	}
}

func TestGGFTypes(t *testing.T) {
	for kind, ok := range map[string]bool{
		"8": true, "8a": true, "s8r18": true, "8b": true, "8wk": true, "8r20": true,
		"10": false, "88": false, "6": false, "14a": false, "s10r18": false,
	} {
		games, errs := readText(notation.FormatGGF, "(;GM[Othello]TY["+kind+"]"+ggfStart+"B[f5];)")
		if (len(errs) == 0) != ok {
			t.Errorf("%s: %v", kind, errs)
			continue
		}
		if !ok {
			continue
		}
		if text, _ := write(t, notation.FormatGGF, games[0]); !strings.Contains(text, "TY["+kind+"]") {
			t.Errorf("%s written as %s", kind, text)
		}
	}
}

func TestGGFStartPositions(t *testing.T) {
	// A random start with White to move, blanks anywhere.
	text := "(;GM[Othello]TY[8r18]BO[8 -- ------ --------\n-------- ---O*--- --*****- -------- -------- -------- O]W[d6]B[c3];)"
	games, errs := readText(notation.FormatGGF, text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	g := games[0]
	if g.Rules.Start.Turn != engine.White || g.Rules.Start.Black.String() != "e4 c5 d5 e5 f5 g5" || g.Rules.Name != "custom" {
		t.Errorf("%+v", g.Rules)
	}
	again := one(t, notation.FormatGGF, mustWrite(t, notation.FormatGGF, g))
	if again.Rules != g.Rules || wordsOf(again) != wordsOf(g) {
		t.Errorf("%+v", again)
	}
	white := one(t, notation.FormatGGF, "(;GM[Othello]"+strings.Replace(ggfStart, " *]", " O]", 1)+"W[e3];)")
	if white.Rules.Name != "white-first" {
		t.Errorf("%s", white.Rules.Name)
	}
}

func mustWrite(t testing.TB, f notation.Format, g *notation.Game) string {
	t.Helper()
	text, _ := write(t, f, g)
	return text
}

func TestGGFKeepsWhatItDoesNotKnow(t *testing.T) {
	g := one(t, notation.FormatGGF, "(;GM[Othello]PB[\xe9t\xe9]KM[2.5]ZZ[x y]CO[about the game]"+ggfStart+"B[f5]CO[about the move]W[d6];)")
	if g.Players[0].Name != plaintext.Const("été") || g.Comment.String() != "about the game" || g.Plays[0].Comment.String() != "about the move" {
		t.Errorf("%+v", g)
	}
	if want := []notation.Tag{{Name: "KM", Value: plaintext.Const("2.5")}, {Name: "ZZ", Value: plaintext.Const("x y")}}; !slices.Equal(g.Tags, want) {
		t.Errorf("%v", g.Tags)
	}
	again := one(t, notation.FormatGGF, mustWrite(t, notation.FormatGGF, g))
	if !slices.Equal(again.Tags, g.Tags) || again.Comment != g.Comment || again.Plays[0].Comment != g.Plays[0].Comment {
		t.Errorf("%+v", again)
	}
}

func TestGGFRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"(;GM[Othello]" + ggfStart + "B[f5]W[e6];)", "ply 2: white turns no disc on e6"},
		{"(;GM[Othello]" + ggfStart + "B[f5]B[d6];)", "ply 2: a move of the other side"},
		{"(;GM[Othello]" + ggfStart + "B[f5]W[pass];)", "ply 2: white may not pass"},
		{"(;GM[Othello]" + ggfStart + "B[f9];)", `ply 1: "f9" is no part of a move`},
		{"(;GM[Othello]" + ggfStart + "B[f];)", `ply 1: "f" is half a square`},
		{"(;GM[Amazons]" + ggfStart + ";)", "Amazons"},
		{"(;GM[Othello]BO[10 ---- *];)", "8×8"},
		{"(;GM[Othello]BO[8 -------- *];)", "64 squares"},
		{"(;GM[Othello]" + ggfStart + "B f5;)", "not a tag"},
		{"(;GM[Othello", "middle of the game"},
		{"nothing here", "no game found"},
		{"", "no game found"},
		{strings.Replace(nineGGF, ";)", "W[a1];)", 1), "the game was over after ply 9"},
	} {
		games, errs := readText(notation.FormatGGF, c.text)
		if len(games) > 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%.60s: %v, want %q", c.text, errs, c.says)
		}
	}
	// A pass after the end is left out, with a warning.
	g := one(t, notation.FormatGGF, strings.Replace(nineGGF, ";)", "W[PA];)", 1))
	if len(g.Plays) != 9 || len(g.Warnings) != 1 {
		t.Errorf("%d plays, %q", len(g.Plays), g.Warnings)
	}
	// A game behind a bad one is read.
	games, errs := readText(notation.FormatGGF, "(;GM[Othello]"+ggfStart+"B[a1];)\n"+nineGGF)
	if len(games) != 1 || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "game 1 (line 1): ") {
		t.Errorf("%v", errs)
	}
}

func TestClockStrings(t *testing.T) {
	// The table of the specification, with seconds for main, increment and
	// extension.
	for text, want := range map[string][3]float64{
		"23": {23, 0, 120}, "23/1/14:00": {23, 1, 840}, "23//0": {23, 0, 0}, "05:00//02:00": {300, 0, 120},
		"23/1:00": {23, 60, 120}, "1.12:01:23": {129683, 0, 120}, "1:00.005": {60.005, 0, 120}, "15:00//02:00": {900, 0, 120},
	} {
		c, err := notation.ParseClock(text)
		got := [3]float64{c.Main.Time.Seconds(), c.Increment.Time.Seconds(), c.Extension.Time.Seconds()}
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := notation.ParseClock(c.String()); err != nil || again != c {
			t.Errorf("%s is written as %s and read as %+v", text, c, again)
		}
	}
	for text, want := range map[string]string{
		"300//2:00": "5:00", "300//0": "5:00//0", "60//60": "1:00//1:00", "43283": "12:01:23", "60.005": "1:00.005", "1.12:01:23": "1.12:01:23", "0": "0",
	} {
		if c, err := notation.ParseClock(text); err != nil || c.String() != want {
			t.Errorf("%s is written as %s, want %s (%v)", text, c, want, err)
		}
	}
	full, err := notation.ParseClock("10:00,N20/5,N2/1:00,N3")
	if err != nil || full.Main.Moves != 20 || !full.Main.Alternative || full.Increment.Moves != 2 || full.Extension.Moves != 3 || full.String() != "10:00,N20/5,N2/1:00,N3" {
		t.Errorf("%+v, %v", full, err)
	}
	for _, text := range []string{"x", "1:2:3:4", "-5", "5//-1", "1/2/3/4", "5,x", "5,-1", "1e3", "99999999999999", "1:x", "1.5:3.5:1", "."} {
		if c, err := notation.ParseClock(text); err == nil {
			t.Errorf("%q is read as %s", text, c)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]notation.Date{
		"2003.12.15_12:33:18.MST": {Year: 2003, Month: 12, Day: 15}, "2000-4-16 11:13 EST": {Year: 2000, Month: 4, Day: 16},
		"2014-02-21 20:52:27 GMT": {Year: 2014, Month: 2, Day: 21}, "945277754": {Year: 1999, Month: 12, Day: 15},
		"2014.10.19": {Year: 2014, Month: 10, Day: 19}, "2013": {Year: 2013}, "2013.??.??": {Year: 2013}, "2013-05": {Year: 2013, Month: 5},
	} {
		if d, ok := notation.ParseDate(text); !ok || d != want {
			t.Errorf("%s: %v %v", text, d, ok)
		}
	}
	for _, text := range []string{"", "?", "yesterday", "12", "????.??.??"} {
		if d, ok := notation.ParseDate(text); ok {
			t.Errorf("%q: %v", text, d)
		}
	}
}
