package notation_test

import (
	"slices"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

func TestSGFAsEdaxWritesIt(t *testing.T) {
	// The first move stands in the root node, every move ends with a semicolon,
	// and the sign of the result is wrong for an odd number of discs.
	text := "(;FF[4]GM[2]SZ[8]PB[A]PW[B]AB[e4][d5]AW[d4][e5]PL[B]RE[W+64]B[f5];W[d6];B[c5];W[f6];B[e7];W[f4];B[g5];W[e6];B[e3];)"
	g := one(t, notation.FormatSGF, text)
	if got := notation.Transcript(g.Moves()); got != nineMoves || g.Rules.Name != "classic" {
		t.Errorf("%s from %s", got, g.Rules.Name)
	}
	if len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "-64") {
		t.Errorf("warnings %q", g.Warnings)
	}
	if text, _ := write(t, notation.FormatSGF, g); text != nineSGF+"\n" {
		t.Errorf("written as %s", text)
	}
}

func TestSGFSpellings(t *testing.T) {
	pass := line(t, "playok-pass")
	for _, word := range []string{"PA", "", "tt", "pass", "--"} {
		var b strings.Builder
		b.WriteString("(;GM[2]")
		turn := engine.Black
		for _, m := range parse(t, pass.text).Moves {
			name, text := "B", strings.ToUpper(m.String())
			if turn == engine.White {
				name = "W"
			}
			if m == engine.PassMove {
				text = word
			}
			b.WriteString("\n;" + name + " [" + text + "]")
			turn = turn.Opponent()
		}
		g := one(t, notation.FormatSGF, b.String()+")")
		if final, err := g.Final(); err != nil || final.Text('X', 'O', '-') != pass.board || len(g.Plays) != 62 {
			t.Errorf("pass as %q: %d plays, %v", word, len(g.Plays), err)
		}
	}
	// Two letters as Go programs write them, a rectangle, properties in any
	// order and the move before the setup.
	g := one(t, notation.FormatSGF, "(;B[fe]AW[d4][e5]PL[B]SZ[8]AB[e4]AB[d5:d5]GM[2];C[x]W[df])")
	if notation.Transcript(g.Moves()) != "f5d6" || g.Rules.Name != "classic" || g.Plays[1].Comment.String() != "x" {
		t.Errorf("%+v", g)
	}
	g = one(t, notation.FormatSGF, "(;GM[2];AB[a1:b2];AW[c3]AE[b2])")
	if s := g.Rules.Start; s.Black.String() != "a1 b1 a2" || s.White.String() != "c3" {
		t.Errorf("%+v", s)
	}
}

func TestSGFText(t *testing.T) {
	g := one(t, notation.FormatSGF, `(;GM[2]PB[a\]b\\c]EV[Open]RO[2]PC[Bern]DT[2001-01-01]GC[one]C[two: (x;y)]XX[1][2]TM[1200]BR[5d];B[f5]BL[1199.5]C[first\
line];W[d6]WL[1180])`)
	if g.Players[0].Name.String() != `a]b\c` || g.Event != plaintext.Const("Open") || g.Round != plaintext.Const("2") || g.Place != plaintext.Const("Bern") || g.Date.String() != "2001-01-01" || g.Players[0].Rating != plaintext.Const("5d") {
		t.Errorf("%+v", g)
	}
	if g.Comment.String() != "one\ntwo: (x;y)" || g.Plays[0].Comment.String() != "firstline" || g.Plays[0].Left != "1199.5" || g.Plays[1].Left != "1180" {
		t.Errorf("%+v", g)
	}
	if want := []notation.Tag{{Name: "XX", Value: plaintext.Const("1, 2")}}; !slices.Equal(g.Tags, want) || g.Clocks != [2]plaintext.Text{plaintext.Const("1200"), plaintext.Const("1200")} {
		t.Errorf("%v, %v", g.Tags, g.Clocks)
	}
	again := one(t, notation.FormatSGF, mustWrite(t, notation.FormatSGF, g))
	if again.Players != g.Players || again.Comment != g.Comment || again.Plays[1] != g.Plays[1] || again.Clocks != g.Clocks {
		t.Errorf("%+v", again)
	}
}

func TestSGFVariations(t *testing.T) {
	g := one(t, notation.FormatSGF, "(;GM[2];B[f5](;W[d6];B[c3](;W[d3])(;W[f4]))(;W[f6]))")
	if notation.Transcript(g.Moves()) != "f5d6c3d3" || len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "variations") {
		t.Errorf("%s, %q", notation.Transcript(g.Moves()), g.Warnings)
	}
	games := readAll(t, notation.FormatSGF, nineSGF+"\r\n\r\n"+nineSGF+"(;GM[2];B[d3])")
	if len(games) != 3 || notation.Transcript(games[2].Moves()) != "d3" {
		t.Errorf("%d games", len(games))
	}
}

func TestSGFHoldsWhatWasLeftWrong(t *testing.T) {
	// f5 should have turned e5, which was left white. Only therefore can White
	// play e3.
	text := "(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[?];B[f5]AW[e5];W[e3]AB[a1]AE[d4])"
	g := one(t, notation.FormatSGF, text)
	final, err := g.Final()
	if err != nil {
		t.Fatal(err)
	}
	if got := final.Text('X', 'O', '-'); got != "X-------------------O-------O------XOX--------------------------" {
		t.Errorf("board %s", got)
	}
	if again, lost := write(t, notation.FormatSGF, g); again != text+"\n" || len(lost) > 0 {
		t.Errorf("written as %s, lost %q", again, lost)
	}
	json := one(t, notation.FormatJSON, mustWrite(t, notation.FormatJSON, g))
	if f, err := json.Final(); err != nil || f.Discs != final.Discs {
		t.Errorf("through JSON: %v, %v", f.Discs, err)
	}
	for _, f := range []notation.Format{notation.FormatTranscript, notation.FormatXOT, notation.FormatGGF, notation.FormatPGN} {
		if b, _, err := notation.Append(nil, f, g); err == nil || b != nil || !strings.Contains(err.Error(), "mistakes") {
			t.Errorf("%v: %s, %v", f, b, err)
		}
	}
	// A mistake without consequence goes into a comment.
	g = one(t, notation.FormatSGF, "(;GM[2];B[f5]AB[a1])")
	ggf, lost := write(t, notation.FormatGGF, g)
	if !strings.Contains(ggf, "B[f5]CO[left on the board: black a1]") || !slices.Contains(lost, "the discs that were left wrong on the board") {
		t.Errorf("%s, %q", ggf, lost)
	}
}

func TestSGFResults(t *testing.T) {
	for _, c := range []struct {
		re, again string
		winner    engine.Color
		end       notation.End
	}{
		{"B+R", "B+R", engine.Black, notation.EndResigned},
		{"W+Time", "W+T", engine.White, notation.EndTime},
		{"W+Resign", "W+R", engine.White, notation.EndResigned},
		{"B+F", "B+F", engine.Black, notation.EndAdjudicated},
		{"Void", "Void", engine.None, notation.EndAborted},
		{"?", "?", engine.None, notation.EndNone},
		{"Draw", "0", engine.None, notation.EndNone},
		{"W+12", "W+12", engine.White, notation.EndNone},
		{"B+", "B+", engine.Black, notation.EndNone},
	} {
		g := one(t, notation.FormatSGF, "(;GM[2]RE["+c.re+"];B[f5])")
		if g.Recorded.Winner != c.winner || g.Recorded.End != c.end {
			t.Errorf("%s: %+v", c.re, g.Recorded)
		}
		if text, _ := write(t, notation.FormatSGF, g); !strings.Contains(text, "RE["+c.again+"]") {
			t.Errorf("%s: written as %s", c.re, text)
		}
	}
	// GGF wants a number for a resignation; the smallest one with the right sign
	// is written, and that is said.
	text, lost := write(t, notation.FormatGGF, one(t, notation.FormatSGF, "(;GM[2]RE[W+R];B[f5])"))
	if !strings.Contains(text, "RE[-2.000:r]") || len(lost) != 1 {
		t.Errorf("%s, %q", text, lost)
	}
}

func TestSGFRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"(;GM[1];B[dd])", "2 (Othello)"},
		{"(;GM[2]SZ[10])", "not 8"},
		{"(;GM[2];B[f5];W[e6])", "ply 2: white turns no disc on e6"},
		{"(;GM[2];B[f5];B[d6])", "ply 2: a move of the other side"},
		{"(;GM[2];B[f5]W[d6])", "two moves"},
		{"(;GM[2];B[z9])", "no part of a move"},
		{"(;GM[2]AB[i1])", "not a square"},
		{"(;GM[2];B[f5", "middle of the game"},
		{"(GM[2])", "before the first node"},
		{"(;=)", "not a property"},
		{"()", ""},
	} {
		games, errs := readText(notation.FormatSGF, c.text)
		if c.says == "" {
			continue
		}
		if len(games) > 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.text, errs, c.says)
		}
	}
}
