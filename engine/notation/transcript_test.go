package notation_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func classic(t testing.TB) engine.Rules {
	t.Helper()
	r, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parse reads a transcript that must be right.
func parse(t testing.TB, text string) notation.Line {
	t.Helper()
	line, err := notation.ParseTranscript(classic(t), text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return line
}

// passList writes passes as the tables do.
func passList(passes []notation.Pass) string {
	if len(passes) == 0 {
		return "-"
	}
	var items []string
	for _, p := range passes {
		side := "X"
		if p.Side == engine.White {
			side = "O"
		}
		items = append(items, strconv.Itoa(p.Ply)+":"+side)
	}
	return strings.Join(items, ",")
}

// reported is one line of testdata/bug-lines.tsv: a text that was reported as
// read wrongly by some program.
type reported struct {
	id, text, expect, plies, passes, board string
}

func reportedLines(t testing.TB) []reported {
	t.Helper()
	text, err := os.ReadFile("testdata/bug-lines.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var lines []reported
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if f[1] == "moves" {
			lines = append(lines, reported{f[0], f[2], f[3], f[4], f[5], f[12]})
		}
	}
	if len(lines) != 24 {
		t.Fatalf("%d reported move lines, want 24", len(lines))
	}
	return lines
}

func TestReportedLines(t *testing.T) {
	for _, want := range reportedLines(t) {
		t.Run(want.id, func(t *testing.T) {
			if ply, rejected := strings.CutPrefix(want.expect, "reject@"); rejected {
				refused(t, want.text, ply)
				return
			}
			line := parse(t, want.text)
			for _, c := range []struct{ what, got, want string }{
				{"plies", strconv.Itoa(line.Final.Ply()), want.plies},
				{"passes", passList(line.Passes(classic(t))), want.passes},
				{"board", line.Final.Text('X', 'O', '-'), want.board},
				{"warnings", strings.Join(line.Warnings, "; "), ""},
			} {
				if c.got != c.want {
					t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
				}
			}
		})
	}
}

// refused checks that a text is refused at a ply and leaves nothing behind.
func refused(t *testing.T, text, ply string) {
	t.Helper()
	line, err := notation.ParseTranscript(classic(t), text)
	fault, ok := errors.AsType[*notation.MoveError](err)
	if !ok || strconv.Itoa(fault.Ply) != ply {
		t.Fatalf("error %v, want a refusal at ply %s", err, ply)
	}
	if len(line.Moves) != 0 || line.Final.Ply() != 0 {
		t.Errorf("%v was imported before the fault", line.Moves)
	}
}

func TestRefusalSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		text   string
		ply    int
		side   engine.Color
		square string // "" = not about a square
		reason notation.Reason
		offset int
		says   string
	}{
		{"a1", 1, engine.Black, "a1", notation.ReasonIllegal, 0, "ply 1: black turns no disc on a1"},
		{"f5e6", 2, engine.White, "e6", notation.ReasonIllegal, 2, "ply 2: white turns no disc on e6"},
		{"f5f5", 2, engine.White, "f5", notation.ReasonOccupied, 2, "a disc lies there"},
		{"f5pad6", 2, engine.White, "", notation.ReasonFalsePass, 2, "white may not pass"},
		{"f5 PASS", 2, engine.White, "", notation.ReasonFalsePass, 3, "white may not pass"},
		{"f5d6c", 3, engine.Black, "", notation.ReasonHalfSquare, 4, `"c" at byte 4 is half a square`},
		{"f5d6c d3", 3, engine.Black, "", notation.ReasonHalfSquare, 4, `"c" at byte 4`},
		{"f5d6c5f6e7f4g5e6e3a1", 10, engine.White, "a1", notation.ReasonOver, 18, "over after ply 9"},
		{"F€5", 1, engine.Black, "", notation.ReasonForeign, 1, `"€" at byte 1`},
		{"f5\xff6", 2, engine.White, "", notation.ReasonForeign, 2, `"\xff" at byte 2`},
		{"f5i6", 2, engine.White, "", notation.ReasonForeign, 2, `"i" at byte 2`},
		{"f5d9", 2, engine.White, "", notation.ReasonForeign, 3, `"9" at byte 3`},
		{"f5;d6", 2, engine.White, "", notation.ReasonForeign, 2, `";" at byte 2`},
		{"f5++d6", 2, engine.White, "", notation.ReasonForeign, 2, `"+" at byte 2`},
		{"f5 - d6", 2, engine.White, "", notation.ReasonForeign, 3, `"-" at byte 3`},
		{"1. f5 2d6", 2, engine.White, "", notation.ReasonForeign, 6, `"2" at byte 6`},
		{"1234. f5", 1, engine.Black, "", notation.ReasonForeign, 0, `"1" at byte 0`},
		{"f5: x 1", 2, engine.White, "", notation.ReasonForeign, 2, `":" at byte 2`},
		{"f5: -65 1", 2, engine.White, "", notation.ReasonForeign, 2, `":" at byte 2`},
		{"f5\uFEFFd6", 2, engine.White, "", notation.ReasonForeign, 2, "at byte 2"},
		{"f5\x00", 2, engine.White, "", notation.ReasonForeign, 2, `"\x00" at byte 2`},
	} {
		line, err := notation.ParseTranscript(classic(t), c.text)
		fault, ok := errors.AsType[*notation.MoveError](err)
		if !ok {
			t.Errorf("%q: error %v, want a refusal", c.text, err)
			continue
		}
		square := ""
		if fault.Square < engine.Squares {
			square = fault.Square.String()
		}
		if fault.Ply != c.ply || fault.Side != c.side || square != c.square || fault.Reason != c.reason || fault.Offset != c.offset {
			t.Errorf("%q: %+v, want ply %d, %v, square %q, %v, offset %d",
				c.text, *fault, c.ply, c.side, c.square, c.reason, c.offset)
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v: want %q in it", c.text, err, c.says)
		}
		if len(line.Moves) != 0 {
			t.Errorf("%q: moves %v beside the error", c.text, line.Moves)
		}
	}
}

func TestEverySpellingReadsTheSame(t *testing.T) {
	const want = "f5d6c3d3"
	for _, text := range []string{
		"f5d6c3d3", "F5D6C3D3", " f5 d6\tc3\r\nd3 ", "1. f5 d6 2. c3 d3", "1.f5d6 2.c3d3", "f5,d6, c3,d3",
		"+f5-d6+c3-d3", "\uFEFFf5d6c3d3", "f5d6c3d3: +02 10", "f5 d6 c3 d3 : -04 3\n",
	} {
		if got := notation.Transcript(parse(t, text).Moves); got != want {
			t.Errorf("%q reads as %s", text, got)
		}
	}
}

// edax50 is a reported game after which Black must pass.
const edax50 = "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7"

func TestEverySpellingOfAPass(t *testing.T) {
	for _, pass := range []string{"pa", "PA", "pas", "pass", "Pass", "PS", "--", "@@@@", " -- ", ",pass,"} {
		line := parse(t, edax50+pass)
		if n := len(line.Moves); n != 35 || line.Moves[n-1] != engine.PassMove || line.Final.Turn != engine.White {
			t.Errorf("%q: %d moves, %v to move: want the pass and white", pass, n, line.Final.Turn)
		}
	}
}

func TestPassAfterTheEndIsLeftOut(t *testing.T) {
	line := parse(t, "f5d6c5f6e7f4g5e6e3 pass, pa")
	if len(line.Moves) != 9 || len(line.Warnings) != 1 || !strings.Contains(line.Warnings[0], "pass after the end") {
		t.Errorf("%d moves, warnings %q: want 9 and one warning", len(line.Moves), line.Warnings)
	}
}

func TestRecordedResultLosesToTheBoard(t *testing.T) {
	const game = "f5d6c5f6e7f4g5e6e3" // 13–0, which counts 64–0
	for tail, warned := range map[string]bool{
		": +64 1": false, ": 13 1": false, ": -64 1": true, ": +12 1": true,
	} {
		line := parse(t, game+tail)
		if (len(line.Warnings) == 1) != warned || line.Final.Ply() != 9 {
			t.Errorf("%q: warnings %q, want one: %v", tail, line.Warnings, warned)
		}
	}
	if line := parse(t, "f5: -04 10"); len(line.Warnings) != 0 {
		t.Errorf("an unfinished game has no result, warnings %q", line.Warnings)
	}
}

func TestFourOrientationsOfOneGame(t *testing.T) {
	for _, text := range []string{"f5d6c5f6e7f4g5e6e3", "e6f4e3f6g5d6e7f5c5", "c4e3f4c3d2c5b4d3d6", "d3c5d6c3b4e3d2c4f4"} {
		line := parse(t, text)
		if black, white := line.Final.Score(); !line.Final.Over() || line.Final.Ply() != 9 || black != 64 || white != 0 {
			t.Errorf("%s: %d plies, %d–%d", text, line.Final.Ply(), black, white)
		}
		if got := notation.Transcript(line.Moves); got != text {
			t.Errorf("%s is written as %s: squares are never mirrored", text, got)
		}
	}
}

func TestEmptyTranscriptIsTheStart(t *testing.T) {
	for _, text := range []string{"", " \n", "\uFEFF"} {
		if line := parse(t, text); len(line.Moves) != 0 || line.Final.Position != engine.Start() {
			t.Errorf("%q: %v", text, line.Moves)
		}
	}
}

func TestOtherRules(t *testing.T) {
	whiteFirst, err := engine.Variant("white-first")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := notation.ParseTranscript(whiteFirst, "e3"); err != nil || line.Final.Turn != engine.Black {
		t.Errorf("white begins on e3: %v, %v to move", err, line.Final.Turn)
	}
	if _, err := notation.ParseTranscript(whiteFirst, "f5"); err == nil {
		t.Error("white begins on f5, where it turns nothing")
	}
	historic := engine.Rules{Opening: 1<<27 | 1<<28 | 1<<35 | 1<<36, Stock: 32}
	line, err := notation.ParseTranscript(historic, "d4 d5 e4 e5 d6")
	if err != nil {
		t.Fatal(err)
	}
	// The parallel start; then black's d6 turns d5.
	if got := line.Final.Text('X', 'O', '-'); got != "---------------------------XX------XO------X--------------------" {
		t.Errorf("historic game: %s", got)
	}
	_, err = notation.ParseTranscript(historic, "d4 f5")
	if fault, ok := errors.AsType[*notation.MoveError](err); !ok || fault.Ply != 2 {
		t.Errorf("f5 in the opening: %v, want a refusal at ply 2", err)
	}
}

// anyGame plays a random number of random moves and returns them with passes.
func anyGame(t *rapid.T) (moves []engine.Move, final engine.Game) {
	g := engine.NewGame(engine.Rules{Start: engine.Start()})
	for range rapid.IntRange(0, 60).Draw(t, "plies") {
		if g.Over() {
			break
		}
		if g.MustPass() {
			moves, g = append(moves, engine.PassMove), g.Pass()
		}
		s := rapid.SampledFrom(slices.Collect(g.Legal().All())).Draw(t, "square")
		moves, g = append(moves, engine.At(s)), g.Place(s)
	}
	return moves, g
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves, final := anyGame(t)
		text := notation.Transcript(moves)
		if len(text) != 2*final.Ply() || text != strings.ToLower(text) {
			t.Fatalf("%v is written as %q", moves, text)
		}
		line, err := notation.ParseTranscript(engine.Rules{Start: engine.Start()}, text)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(line.Moves, moves) || line.Final != final {
			t.Fatalf("%q reads as %v, want %v", text, line.Moves, moves)
		}
	})
}

func TestDecoratedTextReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves, final := anyGame(t)
		var text strings.Builder
		for i, m := range moves {
			blanks := []string{" ", ", ", "\n", "  " + strconv.Itoa(i/2+1) + ". "}
			text.WriteString(rapid.SampledFrom(blanks).Draw(t, "blank"))
			s, ok := m.Square()
			switch {
			case ok:
				text.WriteString(rapid.SampledFrom([]string{"", "+", "-"}).Draw(t, "sign"))
				text.WriteString(rapid.SampledFrom([]string{s.String(), strings.ToUpper(s.String())}).Draw(t, "case"))
			default:
				text.WriteString(rapid.SampledFrom([]string{"", "pa", "PASS", "ps", "--", "@@@@"}).Draw(t, "pass"))
			}
		}
		line, err := notation.ParseTranscript(engine.Rules{Start: engine.Start()}, text.String())
		if err != nil {
			t.Fatalf("%q: %v", text.String(), err)
		}
		if !slices.Equal(line.Moves, moves) || line.Final != final {
			t.Fatalf("%q reads as %v, want %v", text.String(), line.Moves, moves)
		}
	})
}

func FuzzParseTranscript(f *testing.F) {
	for _, line := range reportedLines(f) {
		f.Add(line.text)
	}
	for _, seed := range []string{"", "1. f5 d6 2. c3", edax50 + "pa", "f5--", ": -04 10", "\uFEFFf5", "f5d6c5f6e7f4g5e6e3pass", "+-f5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, err := notation.ParseTranscript(classic(t), text)
		if err != nil {
			fault, ok := errors.AsType[*notation.MoveError](err)
			if !ok || fault.Ply < 1 || fault.Ply > 61 || fault.Offset > len(text) || len(line.Moves) != 0 {
				t.Fatalf("%q: %v with %v", text, err, line.Moves)
			}
			return
		}
		written := notation.Transcript(line.Moves)
		again, err := notation.ParseTranscript(classic(t), written)
		if err != nil || again.Final.Discs != line.Final.Discs || notation.Transcript(again.Moves) != written {
			t.Fatalf("%q is written as %q and reads as %v, %v", text, written, again.Moves, err)
		}
	})
}
