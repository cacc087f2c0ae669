package notation_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func TestTranscriptFromAnotherStart(t *testing.T) {
	const parallel = "---------------------------OO------XX--------------------------- X"
	g := one(t, notation.FormatTranscript, parallel+";c3e6\n")
	if g.Rules.Start.White.String() != "d4 e4" || notation.Transcript(g.Moves()) != "c3e6" {
		t.Errorf("%+v", g)
	}
	if text, _ := write(t, notation.FormatTranscript, g); text != parallel+";c3e6\n" {
		t.Errorf("written as %s", text)
	}
	white := one(t, notation.FormatTranscript, "---------------------------OX------XO--------------------------- O; e3f3;")
	if white.Rules.Name != "white-first" || white.Plies() != 2 {
		t.Errorf("%+v", white)
	}
	if _, errs := readText(notation.FormatTranscript, parallel[:64]+";c3"); len(errs) != 1 || !strings.Contains(errs[0].Error(), "side to move") {
		t.Errorf("%v", errs)
	}
}

func TestReportedLinesAsFile(t *testing.T) {
	var text strings.Builder
	good, bad := 0, 0
	for _, l := range reportedLines(t) {
		text.WriteString(l.text + "\r\n")
		if strings.HasPrefix(l.expect, "reject") {
			bad++
		} else {
			good++
		}
	}
	games, errs := readText(notation.FormatTranscript, "\uFEFF# a comment\r\n"+text.String())
	if len(games) != good || len(errs) != bad {
		t.Errorf("%d games, %d faults: want %d and %d", len(games), len(errs), good, bad)
	}
}

func TestXOT(t *testing.T) {
	text := string(readFile(t, "xot-sample.txt"))
	games := readAll(t, notation.FormatXOT, text)
	if len(games) != 22 {
		t.Fatalf("%d openings", len(games))
	}
	var again strings.Builder
	for _, g := range games {
		final, err := g.Final()
		if err != nil || final.Occupied().Count() != 12 || final.Turn != engine.Black || len(g.Plays) != 8 {
			t.Errorf("%v: %v", g.Moves(), err)
		}
		again.WriteString(mustWrite(t, notation.FormatXOT, g))
	}
	if again.String() != text {
		t.Error("the openings are not written as they were read")
	}
	for _, c := range []string{"f5d6c3d3c4f4f6", "f5d6c3d3c4f4f6f3e3"} {
		if _, errs := readText(notation.FormatXOT, c); len(errs) != 1 || !strings.Contains(errs[0].Error(), "8 plies") {
			t.Errorf("%s: %v", c, errs)
		}
	}
	if _, _, err := notation.Append(nil, notation.FormatXOT, one(t, notation.FormatTranscript, "f5d6")); err == nil {
		t.Error("two plies are no opening")
	}
}

func TestOBFOfTheEndgameSuite(t *testing.T) {
	text := string(readFile(t, "ffo-1-59.obf"))
	games := readAll(t, notation.FormatOBF, text)
	if len(games) != 59 {
		t.Fatalf("%d positions", len(games))
	}
	for i, g := range games {
		// Every legal move is there once, best first, and nothing else.
		var seen engine.Bitboard
		last := 65.0
		for _, s := range g.Scores {
			square, _ := s.Move.Square()
			value := notation.Number(s.Text).Float()
			if seen.Has(square) || value > last {
				t.Errorf("position %d: %v %s", i+1, s.Move, s.Text)
			}
			seen |= square.Bit()
			last = value
		}
		if legal := g.Rules.Start.Legal(); seen != legal {
			t.Errorf("position %d: values for %v, legal are %v", i+1, seen, legal)
		}
		again := one(t, notation.FormatOBF, mustWrite(t, notation.FormatOBF, g))
		if again.Rules != g.Rules || !slices.Equal(again.Scores, g.Scores) {
			t.Errorf("position %d is written as %+v", i+1, again)
		}
		if again := one(t, notation.FormatJSON, mustWrite(t, notation.FormatJSON, g)); !slices.Equal(again.Scores, g.Scores) {
			t.Errorf("position %d goes wrong through JSON", i+1)
		}
	}
	g := one(t, notation.FormatOBF, games0(text)+" % remark")
	if g.Comment.String() != "remark" {
		t.Errorf("%+v", g)
	}
}

// games0 returns the first line.
func games0(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(first)
}

func TestPositionsThatAreRefused(t *testing.T) {
	board := strings.Repeat("-", 64)
	for _, c := range []struct{ text, says string }{
		{board, "side to move"},
		{board[1:] + " X", "side to move"},
		{board + "- X", "66 characters"},
		{board + " Z", `"Z" is not a side`},
		{board[1:] + "? X", "want X, O or -"},
		{"", "0 characters"},
		{"8/8/8/8/8/8/8/9 b", "row 1"},
		{"8/8/8/8/8/8/8/pppppppp1 b", "row 1"},
		{"8/8/8/8/8/8/8/ppp b", "row 1"},
		{"8/8/8/8/8/8/8/7k b", "row 1"},
		{"8/8/8/8/8/8/8/8", "side to move"},
		{"8/8/8/8/8/8/8/8 x", "not a side"},
		{strings.Repeat("x", 2000), "not that long"},
	} {
		if p, err := notation.ParsePosition(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.80q: %v, %v, want %q", c.text, p, err, c.says)
		}
	}
	// No disc at all, and 64 of one color, are positions.
	for _, text := range []string{board + " O", strings.Repeat("X", 64) + " X;"} {
		if _, err := notation.ParsePosition(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, c := range []string{"a1:+2;", "d3;", "d3:x;", "d3:1;zz:2;"} {
		text := "---------------------------OX------XO--------------------------- X; " + c
		if _, errs := readText(notation.FormatOBF, text); len(errs) != 1 {
			t.Errorf("%s: %v", c, errs)
		}
	}
}

func TestDrawings(t *testing.T) {
	want := "  a b c d e f g h\n1 - - - - - - - - 1\n2 - - - - - - - - 2\n3 - - - - - - - - 3\n4 - - - O X - - - 4\n" +
		"5 - - - X O - - - 5\n6 - - - - - - - - 6\n7 - - - - - - - - 7\n8 - - - - - - - - 8\n  a b c d e f g h\nX to move\n"
	if got := notation.Board(engine.Start()); got != want {
		t.Errorf("drawn as\n%s", got)
	}
	other := strings.NewReplacer("X to move", "Black", "-", ".", "X", "*", " a b", "|a|b").Replace(want)
	bare := strings.Repeat("........\n", 3) + "...wb...\n...bw...\n" + strings.Repeat("........\n", 3) + "\nwhite to play\n"
	games := readAll(t, notation.FormatBoard, want+"\n"+other+bare)
	if len(games) != 3 || games[0].Rules.Name != "classic" || games[1].Rules.Name != "classic" || games[2].Rules.Name != "white-first" {
		t.Errorf("%d drawings", len(games))
	}
	for _, text := range []string{
		strings.Replace(want, "X to move\n", "", 1), strings.Replace(want, "8 -", "8 ?", 1), want[:90],
	} {
		if games, errs := readText(notation.FormatBoard, text); len(games) > 0 || len(errs) != 1 {
			t.Errorf("%d games, %v in\n%s", len(games), errs, text)
		}
	}
	// A drawing without a side does not swallow the next one.
	games, errs := readText(notation.FormatBoard, strings.Replace(want, "X to move\n", "", 1)+want)
	if len(games) != 1 || len(errs) != 1 {
		t.Errorf("%d games, %v", len(games), errs)
	}
}

func TestSniff(t *testing.T) {
	drawing := notation.Board(engine.Start())
	for _, c := range []struct {
		text string
		want notation.Format
	}{
		{nineGGF, notation.FormatGGF},
		{"\uFEFF\r\n 2 " + nineGGF + nineGGF, notation.FormatGGF},
		{nineSGF, notation.FormatSGF},
		{playOK, notation.FormatPGN},
		{"1. f5 d6 2. c3 d3\n3. c4 f4 5. c5 *", notation.FormatPGN},
		{"1. f5 d6 2. c3 d3\n1. f5 f6", notation.FormatTranscript},
		{"# games\nf5d6\n", notation.FormatTranscript},
		{"+d3-c3+c4", notation.FormatTranscript},
		{notation.OBF(engine.Start()) + ";f5d6", notation.FormatTranscript},
		{string(readFile(t, "ffo-1-59.obf"))[:300], notation.FormatOBF},
		{notation.OBF(engine.Start()), notation.FormatOBF},
		{notation.FEN(engine.Start()), notation.FormatOBF},
		{drawing, notation.FormatBoard},
		{drawing[18:], notation.FormatBoard},
		{`{"v":1}`, notation.FormatJSON},
		{string(readFile(t, "WTH_2024.wtb")[:100]), notation.FormatWTHOR},
		{nineNBoard(), notation.FormatNBoard},
		{"boardsize 8\n" + nineGTP, notation.FormatGTP},
	} {
		if got, err := notation.Sniff([]byte(c.text)); err != nil || got != c.want {
			t.Errorf("%.60q is taken for %v, want %v", c.text, got, c.want)
		}
	}
	for _, text := range []string{"", "  \n", "hello", "\x00\x01\x02", "# only this"} {
		if got, err := notation.Sniff([]byte(text)); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	for _, f := range notation.Formats() {
		if got, err := notation.ParseFormat(strings.ToUpper(f.String())); err != nil || got != f {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	if _, err := notation.ParseFormat("pdf"); err == nil || !strings.Contains(err.Error(), "ggf") {
		t.Errorf("%v", err)
	}
	if f, ok := notation.FormatOf("a/B.GGF"); !ok || f != notation.FormatGGF {
		t.Errorf("%v", f)
	}
	if _, ok := notation.FormatOf("a.txt"); ok {
		t.Error(".txt promises nothing")
	}
}

func TestLogs(t *testing.T) {
	// Two games in one log, with answers of the engine and what it ignores.
	log := "> nboard 2\n< set myname Edax6\n> set game (;GM[Othello]" + ggfStart + ";)\n> ping 1\n< pong 1\n> move F5/2/0.5\n=== d6 -1.00 0.0\n> move d6\n" +
		"set game " + nineGGF + "\nmove PA\nlearn\n"
	games := readAll(t, notation.FormatNBoard, log)
	if len(games) != 2 || notation.Transcript(games[0].Moves()) != "f5d6" || games[0].Plays[0].Time != "0.5" || len(games[1].Plays) != 9 {
		t.Errorf("%d games: %+v", len(games), games)
	}
	games = readAll(t, notation.FormatGTP, "boardsize 8\n1 clear_board\n= \nplay BLACK F5\nplay white d6 # good\ngenmove b\n\nclear_board\nplay b d3\n")
	if len(games) != 2 || notation.Transcript(games[0].Moves()) != "f5d6" || notation.Transcript(games[1].Moves()) != "d3" {
		t.Errorf("%d games: %+v", len(games), games)
	}
	for _, c := range []struct {
		format     notation.Format
		text, says string
	}{
		{notation.FormatGTP, "clear_board\nplay b f5\nplay b d6", "other side"},
		{notation.FormatGTP, "clear_board\nplay red f5", "not black or white"},
		{notation.FormatGTP, "clear_board\nplay b", "a color and a square"},
		{notation.FormatGTP, "clear_board\nplay b f5\nundo", "undo"},
		{notation.FormatGTP, "play b f5", "no game found"},
		{notation.FormatNBoard, "set game f5", "(; … ;)"},
		{notation.FormatNBoard, "set game " + nineGGF + "\nmove a1", "ply 10"},
		{notation.FormatNBoard, "move f5", "no game found"},
	} {
		if _, errs := readText(c.format, c.text); len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.text, errs, c.says)
		}
	}
	for _, f := range []notation.Format{notation.FormatNBoard, notation.FormatGTP, notation.FormatWTHOR, 0} {
		if _, _, err := notation.Append(nil, f, one(t, notation.FormatTranscript, "f5")); err == nil {
			t.Errorf("%v was written by Append", f)
		}
	}
}

func TestLongTextsAreBounded(t *testing.T) {
	long := strings.Repeat("f5d6 ", 400_000)
	for f, text := range map[notation.Format]string{
		notation.FormatTranscript: long + "\nf5d6\n",
		notation.FormatOBF:        long + "\n" + notation.OBF(engine.Start()) + "\n",
		notation.FormatJSON:       long + "\n" + mustWrite(t, notation.FormatJSON, one(t, notation.FormatTranscript, "f5")),
		notation.FormatGGF:        "(;PB[" + long + "];)" + nineGGF,
		notation.FormatSGF:        "(;PB[" + long + "])" + nineSGF,
		notation.FormatPGN:        "[Event \"x\"]\n\n{" + strings.ReplaceAll(long, " ", "\n") + "}\n\n" + playOK,
	} {
		games, errs := readText(f, text)
		if len(games) != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "too long") {
			t.Errorf("%v: %d games, %v", f, len(games), errs)
		}
	}
	g := one(t, notation.FormatGGF, "(;GM[Othello]PB["+strings.Repeat("é", 5000)+"]"+strings.Repeat("ZZ[1]", 100)+ggfStart+";)")
	if n := len([]rune(g.Players[0].Name.String())); n != 512 || len(g.Tags) != 64 || len(g.Warnings) != 2 {
		t.Errorf("%d characters, %d tags, %q", n, len(g.Tags), g.Warnings)
	}
}

func TestReadErrorsEndTheFile(t *testing.T) {
	for _, f := range notation.Formats() {
		r := iotest.ErrReader(bytes.ErrTooLarge)
		n := 0
		for g, err := range notation.Read(r, f, notation.ReadOptions{}) {
			n++
			if g != nil || err == nil || !strings.Contains(err.Error(), "too large") {
				t.Errorf("%v: %v", f, err)
			}
		}
		if n != 1 {
			t.Errorf("%v: %d results of a file that cannot be read", f, n)
		}
	}
}
