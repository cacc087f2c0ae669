package notation_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// nineMoves is the shortest wipe-out, 13–0 on the board and 64–0 as a result.
const nineMoves = "f5d6c5f6e7f4g5e6e3"

// nineBoard is its final board.
const nineBoard = "--------------------X------XXX----XXXXX----XXX------X-----------"

const nineGGF = "(;GM[Othello]PC[test]DT[2001.01.01_00:00:00.GMT]PB[A]PW[B]TI[25:00]TY[8]RE[+64.000]" +
	"BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]" +
	"B[f5]W[d6]B[c5]W[f6]B[e7]W[f4]B[g5]W[e6]B[e3];)"

const nineSGF = "(;FF[4]GM[2]SZ[8]PB[A]PW[B]AB[e4][d5]AW[d4][e5]PL[B]RE[B+64];B[f5];W[d6];B[c5];W[f6];B[e7];W[f4];B[g5];W[e6];B[e3])"

const ninePGN = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[Black \"A\"]\n[White \"B\"]\n[Result \"64-0\"]\n\n" +
	"1. f5 d6 2. c5 f6 3. e7 f4 4. g5 e6 5. e3 64-0\n"

const nineGTP = "clear_board\nplay b f5\nplay w d6\nplay b c5\nplay w f6\nplay b e7\nplay w f4\nplay b g5\nplay w e6\nplay b e3\n"

func nineNBoard() string {
	start := nineGGF[:strings.Index(nineGGF, "B[f5]")] + ";)"
	text := "nboard 2\nset depth 6\nset game " + start + "\nping 1\n"
	for _, m := range []string{"F5", "D6", "C5/2.39/0.01", "F6", "E7", "F4", "G5", "E6", "E3"} {
		text += "move " + m + "\n"
	}
	return text
}

// readAll reads a text that must be right.
func readAll(t testing.TB, f notation.Format, text string) []*notation.Game {
	t.Helper()
	games, errs := readText(f, text)
	if len(errs) > 0 {
		t.Fatalf("%v: %v in\n%.2000s", f, errs, text)
	}
	return games
}

// readText reads a text and returns games and errors.
func readText(f notation.Format, text string) (games []*notation.Game, errs []error) {
	for g, err := range notation.Read(strings.NewReader(text), f, notation.ReadOptions{}) {
		if err != nil {
			errs = append(errs, err)
		} else {
			games = append(games, g)
		}
	}
	return games, errs
}

// one reads a text with one game.
func one(t testing.TB, f notation.Format, text string) *notation.Game {
	t.Helper()
	games := readAll(t, f, text)
	if len(games) != 1 {
		t.Fatalf("%v: %d games in\n%s", f, len(games), text)
	}
	return games[0]
}

// write writes a game that must be right.
func write(t testing.TB, f notation.Format, g *notation.Game) (string, []notation.Loss) {
	t.Helper()
	b, lost, err := notation.Append(nil, f, g)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), lost
}

func TestOneGameInEveryFormat(t *testing.T) {
	for _, c := range []struct {
		format notation.Format
		text   string
	}{
		{notation.FormatTranscript, nineMoves},
		{notation.FormatTranscript, "1. F5 d6 2. c5 f6 3. e7 f4 4. g5 e6 5. e3"},
		{notation.FormatGGF, nineGGF},
		{notation.FormatGGF, "1 " + nineGGF},
		{notation.FormatSGF, nineSGF},
		{notation.FormatPGN, ninePGN},
		{notation.FormatNBoard, "set game " + nineGGF},
		{notation.FormatNBoard, nineNBoard()},
		{notation.FormatGTP, nineGTP},
		{notation.FormatWTHOR, string(wtb(t, 1, record2001))},
	} {
		t.Run(c.format.String(), func(t *testing.T) {
			g := one(t, c.format, c.text)
			if got := notation.Transcript(g.Moves()); got != nineMoves {
				t.Errorf("moves %s, want %s", got, nineMoves)
			}
			final, err := g.Final()
			if err != nil || final.Text('X', 'O', '-') != nineBoard {
				t.Errorf("board %s, %v", final.Text('X', 'O', '-'), err)
			}
			r, err := g.Result()
			if err != nil || r != (notation.Result{Winner: engine.Black, Black: 64, White: 0, Margin: 64}) {
				t.Errorf("result %+v, %v: want 64-0", r, err)
			}
			if len(g.Warnings) > 0 {
				t.Errorf("warnings %q", g.Warnings)
			}
			if f, err := notation.Sniff([]byte(c.text)); err != nil || f != c.format {
				t.Errorf("taken for %v", f)
			}
		})
	}
}

func TestOneGameWrittenInEveryFormat(t *testing.T) {
	ggf := one(t, notation.FormatGGF, nineGGF)
	bare := one(t, notation.FormatSGF, nineSGF)
	for _, c := range []struct {
		format notation.Format
		game   *notation.Game
		want   string
	}{
		{notation.FormatTranscript, ggf, nineMoves + "\n"},
		{notation.FormatGGF, ggf, nineGGF + "\n"},
		{notation.FormatSGF, bare, nineSGF + "\n"},
		{notation.FormatPGN, bare, ninePGN + "\n"},
		{notation.FormatOBF, ggf, nineBoard + " O;\n"},
		{notation.FormatXOT, ggf, nineMoves[:16] + "\n"},
	} {
		if got, _ := write(t, c.format, c.game); got != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.format, got, c.want)
		}
	}
	w := notation.NewWTHOR(nil, nil)
	if _, err := w.Add(bare); err != nil {
		t.Fatal(err)
	}
	file, players, tournaments, err := w.Files(notation.Date{Year: 2026, Month: 2, Day: 23})
	if err != nil {
		t.Fatal(err)
	}
	// Everything behind the indices and the theoretical score is as in the
	// federation's file.
	if want := wtb(t, 1, record2001)[22:]; !bytes.Equal(file[22:], want) {
		t.Errorf("record %x, want %x", file[22:], want)
	}
	if got, want := file[:16], "\x14\x1a\x02\x17\x01\x00\x00\x00\x00\x00\x00\x00\x08\x00\x18\x00"; string(got) != want {
		t.Errorf("header %x, want %x", got, want)
	}
	if len(players) != 16+3*20 || len(tournaments) != 16+2*26 || string(players[36:38]) != "A\x00" {
		t.Errorf("tables %q, %q", players, tournaments)
	}
}

func TestOnePositionInEveryFormat(t *testing.T) {
	g := one(t, notation.FormatTranscript, nineMoves)
	final, err := g.Final()
	if err != nil {
		t.Fatal(err)
	}
	rows := nineBoard[:8]
	for i := 8; i < 64; i += 8 {
		rows += " " + nineBoard[i:i+8]
	}
	for what, text := range map[string]string{
		"OBF":         nineBoard + " O",
		"Edax FEN":    "8/4p3/3ppp2/2ppppp1/3ppp2/4p3/8/8 w - - 0 1",
		"Cassio":      nineBoard + "O",
		"GGF":         "8 " + strings.ReplaceAll(rows, "X", "*") + " O",
		"NBoard log":  "8" + strings.ReplaceAll(nineBoard, "X", "*") + "O",
		"gpdb":        "id-7;" + strings.NewReplacer("X", "b", "-", ".").Replace(nineBoard) + ";w;text;;",
		"with blanks": strings.Join(strings.Split(nineBoard, ""), " ") + "  o",
	} {
		p, err := notation.ParsePosition(text)
		if err != nil || p != final.Position {
			t.Errorf("%s: %v, %v", what, p, err)
		}
	}
	for _, c := range []struct{ what, got, want string }{
		{"OBF", notation.OBF(final.Position), nineBoard + " O"},
		{"FEN", notation.FEN(final.Position), "8/4p3/3ppp2/2ppppp1/3ppp2/4p3/8/8 w - - 0 1"},
		{"Cassio", notation.Cassio(final.Position), nineBoard + "O"},
		{"GGF", notation.GGFBoard(final.Position), "8 " + strings.ReplaceAll(rows, "X", "*") + " O"},
		{"start FEN", notation.FEN(engine.Start()), "8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
}

func TestFirstMovesTurnToF5(t *testing.T) {
	want := wtb(t, 1, record2001)[24:]
	for _, moves := range []string{nineMoves, "e6f4e3f6g5d6e7f5c5", "c4e3f4c3d2c5b4d3d6", "d3c5d6c3b4e3d2c4f4"} {
		w := notation.NewWTHOR(nil, nil)
		if _, err := w.Add(one(t, notation.FormatTranscript, moves)); err != nil {
			t.Fatal(err)
		}
		file, _, _, err := w.Files(notation.Date{})
		if err != nil || !bytes.Equal(file[24:], want) {
			t.Errorf("%s: %x, %v", moves, file[24:], err)
		}
	}
}

func TestErrorsNameGameAndPly(t *testing.T) {
	_, errs := readText(notation.FormatTranscript, "f5d6\n\nf5e6\nf5f6\n")
	if len(errs) != 1 {
		t.Fatal(errs)
	}
	var fault *notation.GameError
	var move *notation.MoveError
	if !errors.As(errs[0], &fault) || !errors.As(errs[0], &move) || fault.Game != 2 || fault.Line != 3 || move.Ply != 2 {
		t.Errorf("%v", errs[0])
	}
	if want := "game 2 (line 3): ply 2: white turns no disc on e6"; errs[0].Error() != want {
		t.Errorf("%q, want %q", errs[0], want)
	}
}
