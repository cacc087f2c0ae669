package engine_test

import (
	"strings"
	"testing"

	"reversi-board/engine"
)

func TestSquareNames(t *testing.T) {
	// Rank 1 is the top row: a1 is bit 0, h8 is bit 63.
	for _, c := range []struct {
		name             string
		bit, file, row   int
		bitboard         engine.Bitboard
		otherLetterCases string
	}{
		{"a1", 0, 0, 0, 1, "A1"},
		{"h1", 7, 7, 0, 1 << 7, "H1"},
		{"a2", 8, 0, 1, 1 << 8, "A2"},
		{"e6", 44, 4, 5, 1 << 44, "E6"},
		{"a8", 56, 0, 7, 1 << 56, "A8"},
		{"h8", 63, 7, 7, 1 << 63, "H8"},
	} {
		for _, name := range []string{c.name, c.otherLetterCases} {
			s, err := engine.ParseSquare(name)
			if err != nil {
				t.Fatal(err)
			}
			if int(s) != c.bit || s.File() != c.file || s.Rank() != c.row || s.Bit() != c.bitboard || s.String() != c.name {
				t.Errorf("%s: bit %d, file %d, rank %d, %v", name, s, s.File(), s.Rank(), s)
			}
		}
		if got := engine.SquareAt(c.file, c.row); int(got) != c.bit {
			t.Errorf("SquareAt(%d, %d) = %d, want %d", c.file, c.row, got, c.bit)
		}
	}
	if got := engine.Square(engine.Squares).String(); got != "??" {
		t.Errorf("a square off the board is called %q", got)
	}
}

func TestWrongSquareIsNamed(t *testing.T) {
	for _, text := range []string{"", "a", "a0", "a9", "i1", "e66", "6e", "é", " e6", "`1", "@1"} {
		if s, err := engine.ParseSquare(text); err == nil {
			t.Errorf("%q reads as %v", text, s)
		}
	}
	_, err := engine.ParseSquare(strings.Repeat("x", 1000))
	if err == nil || len(err.Error()) > 100 {
		t.Errorf("error %v: want a short one", err)
	}
}

func TestBitboard(t *testing.T) {
	b, err := engine.ParseSquares("h8, a1 E6")
	if err != nil {
		t.Fatal(err)
	}
	if b != 1|1<<44|1<<63 || b.Count() != 3 || b.First() != 0 || b.String() != "a1 e6 h8" {
		t.Errorf("%#x, %d squares, first %v, %q", uint64(b), b.Count(), b.First(), b)
	}
	e6, e7 := engine.SquareAt(4, 5), engine.SquareAt(4, 6)
	if !b.Has(e6) || b.Has(e7) {
		t.Errorf("has e6 %v, has e7 %v", b.Has(e6), b.Has(e7))
	}
	for s := range b.All() {
		if s == e6 {
			break // the iteration may be left early
		}
		if s != 0 {
			t.Errorf("%v comes before e6", s)
		}
	}
	if _, err := engine.ParseSquares("e6 e9"); err == nil || !strings.Contains(err.Error(), "e9") {
		t.Errorf("error %v: want the wrong name", err)
	}
	if none := engine.Bitboard(0); none.String() != "" || len(none.Names()) != 0 {
		t.Errorf("the empty set is %q", none)
	}
}

func TestDiscs(t *testing.T) {
	d := engine.Start().Discs
	d4, d3 := engine.SquareAt(3, 3), engine.SquareAt(3, 2)
	if d.At(d4) != engine.White || d.At(d3) != engine.None || d.At(engine.SquareAt(4, 3)) != engine.Black {
		t.Errorf("d4 %v, d3 %v, e4 %v", d.At(d4), d.At(d3), d.At(engine.SquareAt(4, 3)))
	}
	turned := d.With(d4, engine.Black)
	if turned.At(d4) != engine.Black || turned.White.Has(d4) || d.Diff(turned) != d4.Bit() {
		t.Errorf("d4 turned: %v, differs on %v", turned, d.Diff(turned))
	}
	lifted := turned.With(d4, engine.None)
	if lifted.At(d4) != engine.None || lifted.Occupied().Count() != 3 || lifted.Empty().Count() != 61 {
		t.Errorf("d4 lifted: %v", lifted)
	}
	if lifted.With(d4, engine.White) != d {
		t.Errorf("put back: %v", lifted.With(d4, engine.White))
	}
	if d.Of(engine.Black).String() != "e4 d5" || d.Of(engine.White).String() != "d4 e5" || d.Of(engine.None) != 0 {
		t.Errorf("black %v, white %v", d.Of(engine.Black), d.Of(engine.White))
	}
	if got := d.String(); got != "---------------------------WB------BW---------------------------" {
		t.Errorf("start reads %s", got)
	}
}

func TestColors(t *testing.T) {
	for _, c := range []struct {
		color, opponent engine.Color
		name            string
	}{
		{engine.Black, engine.White, "black"},
		{engine.White, engine.Black, "white"},
		{engine.None, engine.None, "none"},
	} {
		if c.color.String() != c.name || c.color.Opponent() != c.opponent {
			t.Errorf("%v: %q, opponent %v", c.color, c.color.String(), c.color.Opponent())
		}
	}
	// Nobody is to move: nothing is legal and nothing is placed.
	p := engine.Position{Discs: engine.Start().Discs, Turn: engine.None}
	if p.Legal() != 0 || p.After(0, 0) != p || p.Pass() != p {
		t.Errorf("without a side to move: legal %v, after %v", p.Legal(), p.After(0, 0))
	}
}

func FuzzParseSquare(f *testing.F) {
	for _, seed := range []string{"e6", "H8", "a0", "i1", "", "e66", "@1", "\xff1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := engine.ParseSquare(text)
		if err == nil && s.String() != strings.ToLower(text) {
			t.Errorf("%q reads as %v", text, s)
		}
		legal := len(text) == 2 && strings.Contains("abcdefghABCDEFGH", text[:1]) && strings.Contains("12345678", text[1:])
		if legal != (err == nil) {
			t.Errorf("%q: error %v", text, err)
		}
	})
}

func FuzzParseSquares(f *testing.F) {
	for _, seed := range []string{"", "e6", "a1, h8", "e6 d3 e6", ",", "e6,,d3", "e9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := engine.ParseSquares(text)
		if err != nil {
			return
		}
		if again, err := engine.ParseSquares(set.String()); err != nil || again != set {
			t.Errorf("%q reads as %v and back as %v, %v", text, set, again, err)
		}
	})
}

func FuzzParseDiscs(f *testing.F) {
	f.Add(strings.Repeat("-", 64))
	f.Add(strings.Repeat("XO.-BWxo*bw-", 6)[:64])
	f.Add(strings.Repeat("X", 63))
	f.Add(strings.Repeat("X", 63) + "?")
	f.Add(strings.Repeat("é", 32))
	f.Fuzz(func(t *testing.T, text string) {
		d, err := engine.ParseDiscs(text)
		if err != nil {
			return
		}
		if d.Black&d.White != 0 {
			t.Errorf("%q: both colors on %v", text, d.Black&d.White)
		}
		want := strings.NewReplacer("X", "B", "*", "B", "O", "W", ".", "-").Replace(strings.ToUpper(text))
		if d.String() != want {
			t.Errorf("%q reads as %s", text, d)
		}
	})
}

func TestWrongBoardIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("-", 63):                                 "63",
		strings.Repeat("-", 65):                                 "65",
		strings.Repeat("-", 44) + "?" + strings.Repeat("-", 19): `"?" on e6`,
		strings.Repeat("-", 62) + "é":                           `"\xc3" on g8`,
	} {
		if _, err := engine.ParseDiscs(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %s in it", err, want)
		}
	}
}
