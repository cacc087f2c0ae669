package notation_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

func TestFederationFilesAreWrittenAsTheyAre(t *testing.T) {
	for _, name := range years() {
		file := readWTB(t, name)
		b, err := file.AppendTo([]byte("before"))
		if err != nil || !bytes.Equal(b, append([]byte("before"), readFile(t, name)...)) {
			t.Errorf("%s is not written as it was read: %v", name, err)
		}
	}
	players, tournaments := names(t)
	for _, c := range []struct {
		file string
		kind notation.NameKind
		list notation.Names
		made notation.Date
	}{
		{"WTH.JOU", notation.Players, players, notation.Date{Year: 2026, Month: 2, Day: 16}},
		{"WTH.TRN", notation.Tournaments, tournaments, notation.Date{Year: 2026, Month: 2, Day: 19}},
	} {
		b, err := c.list.AppendTo(nil, c.kind, c.made)
		if err != nil || !bytes.Equal(b, readFile(t, c.file)) {
			t.Errorf("%s is not written as it was read: %v", c.file, err)
		}
	}
}

// readYear reads a file of games with its names.
func readYear(t testing.TB, file []byte) []*notation.Game {
	t.Helper()
	players, tournaments := names(t)
	var games []*notation.Game
	options := notation.ReadOptions{Players: players, Tournaments: tournaments}
	for g, err := range notation.Read(bytes.NewReader(file), notation.FormatWTHOR, options) {
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Warnings) > 0 {
			t.Fatalf("%+v: %q", g.Players, g.Warnings)
		}
		games = append(games, g)
	}
	return games
}

func TestGamesGoThroughMemoryUnchanged(t *testing.T) {
	players, tournaments := names(t)
	for _, name := range years() {
		original := readFile(t, name)
		file := readWTB(t, name)
		w := notation.NewWTHOR(players, tournaments)
		for _, g := range readYear(t, original) {
			lost, err := w.Add(g)
			if err != nil || len(lost) > 0 {
				t.Fatalf("%s: %v, lost %q", name, err, lost)
			}
		}
		wtb, jou, trn, err := w.Files(file.Made)
		if err != nil || !bytes.Equal(wtb, original) {
			t.Errorf("%s differs after reading and writing: %v", name, err)
		}
		if !bytes.Equal(jou[4:], readFile(t, "WTH.JOU")[4:]) || !bytes.Equal(trn[4:], readFile(t, "WTH.TRN")[4:]) {
			t.Errorf("%s: the tables of names have changed", name)
		}
	}
}

func TestNamesGoThroughTheTables(t *testing.T) {
	games := readYear(t, readFile(t, "WTH_1978.wtb"))
	games[0].Players[0].Name = plaintext.Const("Ångström Zoë")
	w := notation.NewWTHOR(nil, nil)
	for _, g := range games {
		if _, err := w.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	_, jou, trn, err := w.Files(notation.Date{Year: 2026, Month: 3, Day: 1})
	if err != nil {
		t.Fatal(err)
	}
	players, errP := notation.ReadNames(bytes.NewReader(jou), notation.Players)
	tournaments, errT := notation.ReadNames(bytes.NewReader(trn), notation.Tournaments)
	if err := errors.Join(errP, errT); err != nil {
		t.Fatal(err)
	}
	if players[0] != "???" || players[1] != "Ångström Zoë" || len(tournaments) != 2 || !bytes.Contains(jou, []byte("\xc5ngstr\xf6m Zo\xeb\x00")) {
		t.Errorf("%q, %q", players, tournaments)
	}
}

func TestWhatWTHORCannotHold(t *testing.T) {
	const sgfStart = "(;GM[2]AB[d4][e5]AW[e4][d5]PL[B]RE[B+2])"
	for _, c := range []struct {
		what, says string
		format     notation.Format
		text       string
	}{
		{"unfinished without a score", "no score", notation.FormatTranscript, "f5d6"},
		{"another start", "standard start", notation.FormatSGF, sgfStart},
		{"fewest discs", "most discs", notation.FormatGGF, strings.Replace(nineGGF, "TY[8]", "TY[8a]", 1)},
		{"discs left wrong", "mistakes", notation.FormatSGF, "(;GM[2]RE[B+2];B[f5]AW[e4])"},
		{"half a disc", "score out of 64", notation.FormatSGF, "(;GM[2]RE[B+3];B[f5])"},
	} {
		w := notation.NewWTHOR(nil, nil)
		_, err := w.Add(one(t, c.format, c.text))
		var refused *notation.WriteError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || w.Games() != 0 {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	// A score that was recorded when the game stopped is all that is kept.
	w := notation.NewWTHOR(nil, nil)
	g := one(t, notation.FormatSGF, "(;GM[2]PB[Ελένη]PW[A name of more than nineteen letters]DT[2013-05-04]RE[W+10];B[f5])")
	lost, err := w.Add(g)
	if err != nil || len(lost) != 2 {
		t.Errorf("%v, lost %q", err, lost)
	}
	wtb, jou, _, err := w.Files(notation.Date{})
	if err != nil || wtb[16+6] != 27 || wtb[10] != 0xdd || !strings.Contains(string(jou), "?????\x00") || !strings.Contains(string(jou), "A name of more than\x00") {
		t.Errorf("%v: score %d, year %x, names %q", err, wtb[16+6], wtb[10:12], jou[16:])
	}
}

func TestEdaxNoMoveIsAnErrorOfItsRecord(t *testing.T) {
	// One program writes 92 where nothing was played.
	_, errs := readText(notation.FormatWTHOR, string(wtb(t, 2, record2001, "97001f07110540404038405c")))
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "game 2: ") {
		t.Errorf("%v", errs)
	}
	// Numbers behind the tables are an error of theirs.
	players, tournaments := names(t)
	options := notation.ReadOptions{Players: players[:100], Tournaments: tournaments}
	for _, err := range notation.Read(bytes.NewReader(wtb(t, 1, record2001)), notation.FormatWTHOR, options) {
		if err == nil || !strings.Contains(err.Error(), "player: name 1823") {
			t.Errorf("%v", err)
		}
	}
}

// Every game of five years is written in every format that holds its moves, and
// read from there.
func TestRecordedGamesInEveryFormat(t *testing.T) {
	for i, name := range years() {
		games := readYear(t, readFile(t, name))
		for _, f := range []notation.Format{
			notation.FormatTranscript, notation.FormatGGF, notation.FormatSGF, notation.FormatPGN, notation.FormatJSON,
		} {
			var text []byte
			var written []*notation.Game
			for n, g := range games {
				if i > 0 && n%10 != int(f) {
					continue // a tenth of the long files, another one for each format
				}
				var err error
				if text, _, err = notation.Append(text, f, g); err != nil {
					t.Fatal(err)
				}
				written = append(written, g)
			}
			sameGames(t, f, written, readAll(t, f, string(text)))
		}
	}
}

// sameGames compares moves, passes and results.
func sameGames(t *testing.T, f notation.Format, want, got []*notation.Game) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%v: %d games, want %d", f, len(got), len(want))
	}
	for n, g := range got {
		a, errA := g.Result()
		b, errB := want[n].Result()
		if errA != nil || errB != nil || a != b || len(g.Warnings) > 0 {
			t.Fatalf("%v: game %d: %+v, %v, %q", f, n+1, a, errA, g.Warnings)
		}
		if a, b := wordsOf(g), wordsOf(want[n]); a != b {
			t.Fatalf("%v: game %d: %s, want %s", f, n+1, a, b)
		}
		if f != notation.FormatTranscript && g.Players != want[n].Players {
			t.Fatalf("%v: game %d: %+v", f, n+1, g.Players)
		}
	}
}

// wordsOf writes all moves, passes included.
func wordsOf(g *notation.Game) string {
	var words []string
	for _, p := range g.Plays {
		words = append(words, p.Move.String())
	}
	return strings.Join(words, " ")
}

func TestNumbersThatDoNotFit(t *testing.T) {
	good := readWTB(t, "WTH_1978.wtb")
	for what, change := range map[string]func(*notation.WTB){
		"year":        func(f *notation.WTB) { f.Year = 70000 },
		"depth":       func(f *notation.WTB) { f.Depth = 61 },
		"index":       func(f *notation.WTB) { f.Games[1].Black = 65536 },
		"score":       func(f *notation.WTB) { f.Games[1].BlackScore = 65 },
		"bad record":  func(f *notation.WTB) { f.Games[1].Err = errors.New("x") },
		"many plies":  func(f *notation.WTB) { f.Games[1].Line.Moves = make([]engine.Move, 61) },
		"made":        func(f *notation.WTB) { f.Made.Month = 256 },
		"theoretical": func(f *notation.WTB) { f.Games[1].Theoretical = -1 },
	} {
		f := good
		f.Games = append([]notation.WTBGame(nil), good.Games...)
		change(&f)
		if b, err := f.AppendTo(nil); err == nil || b != nil {
			t.Errorf("%s was written", what)
		}
	}
	if _, err := (notation.Names{"ж"}).AppendTo(nil, notation.Players, notation.Date{}); err == nil {
		t.Error("a name outside of Latin-1 was written")
	}
}
