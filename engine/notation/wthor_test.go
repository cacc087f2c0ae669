package notation_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readWTB(t testing.TB, name string) notation.WTB {
	t.Helper()
	file, err := notation.ReadWTB(bytes.NewReader(readFile(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// census is what is known about the games of one year, counted by two other
// programs.
type census struct {
	Made                        string
	Year, Depth, Games          int
	BlackWins, WhiteWins, Draws int
	NoWhite, NoBlack            int // wiped out
	Incomplete                  int
	Plies, MinPlies, MaxPlies   int
	Passes                      int
	BlackScores, Theoretical    int // sums
	Differ                      int // games whose theoretical score is not the score
	WorldChampionship           int // games of tournament 1
	BlackDiscs, WhiteDiscs      int // on the final boards
	PassHistogram               string
	EmptyHistogram              string
	Boards                      string // SHA-256 of all final boards, one line each
}

func censusOf(t *testing.T, file notation.WTB) census {
	t.Helper()
	c := census{
		Made: file.Made.String(), Year: file.Year, Depth: file.Depth, Games: len(file.Games), MinPlies: 60,
	}
	passes, empties := make(map[int]int), make(map[int]int)
	boards := sha256.New()
	for i := range file.Games {
		g := &file.Games[i]
		if g.Err != nil || len(g.Line.Warnings) != 0 {
			t.Errorf("game %d: %v, %q", i, g.Err, g.Line.Warnings)
			continue
		}
		final := g.Line.Final
		c.result(g)
		c.Plies += final.Ply()
		c.MinPlies, c.MaxPlies = min(c.MinPlies, final.Ply()), max(c.MaxPlies, final.Ply())
		n := len(g.Line.Moves) - final.Ply()
		c.Passes += n
		passes[n]++
		empties[final.Empty().Count()]++
		boards.Write([]byte(final.Text('X', 'O', '-') + "\n"))
		if got := notation.Transcript(g.Line.Moves[:1]); got != "f5" {
			t.Errorf("game %d begins with %s: the database holds only f5", i, got)
		}
	}
	c.PassHistogram, c.EmptyHistogram = histogram(passes), histogram(empties)
	c.Boards = hex.EncodeToString(boards.Sum(nil))
	return c
}

// result adds the result of one game.
func (c *census) result(g *notation.WTBGame) {
	final := g.Line.Final
	c.BlackScores += g.BlackScore
	c.Theoretical += g.Theoretical
	c.BlackDiscs += final.Black.Count()
	c.WhiteDiscs += final.White.Count()
	for counter, is := range map[*int]bool{
		&c.Incomplete:        !final.Over(),
		&c.BlackWins:         g.BlackScore > 32,
		&c.WhiteWins:         g.BlackScore < 32,
		&c.Draws:             g.BlackScore == 32,
		&c.NoWhite:           final.White == 0,
		&c.NoBlack:           final.Black == 0,
		&c.Differ:            g.Theoretical != g.BlackScore,
		&c.WorldChampionship: g.Tournament == 1,
	} {
		if is {
			*counter++
		}
	}
}

func histogram(counts map[int]int) string {
	var keys []int
	for n := range counts {
		keys = append(keys, n)
	}
	slices.Sort(keys)
	var items []string
	for _, n := range keys {
		items = append(items, fmt.Sprintf("%d:%d", n, counts[n]))
	}
	return strings.Join(items, " ")
}

func TestWholeYears(t *testing.T) {
	for name, want := range map[string]census{
		"WTH_1978.wtb": {
			"2005-10-08", 1978, 24, 8, 4, 4, 0, 1, 0, 0, 479, 59, 60, 15, 286, 285, 6, 8, 285, 226,
			"0:2 1:2 3:3 4:1",
			"0:7 1:1",
			"d02f18b00206d6264129e9017efbd1d61d376d6162f60813869b8ebef162940a",
		},
		"WTH_2001.wtb": {
			"2015-09-30", 2001, 24, 5575, 2489, 2726, 360, 17, 8, 0, 334019, 9, 60, 5357, 177576, 179652, 4792, 230, 177296, 179023,
			"0:2576 1:1707 2:747 3:299 4:117 5:64 6:29 7:18 8:7 9:4 10:3 11:1 12:1 13:2",
			"0:5358 1:165 2:17 3:11 4:4 5:3 6:1 7:6 9:1 11:2 12:2 14:1 15:1 17:1 18:1 51:1",
			"224bc1d03fc65025610cfa969f91f94e17ed78f5e5249f6a87485a036d75bf65",
		},
		"WTH_2024.wtb": {
			"2026-02-23", 2024, 24, 2891, 1360, 1455, 76, 25, 19, 0, 173010, 36, 60, 4064, 91802, 94071, 2697, 438, 91569, 93005,
			"0:1045 1:847 2:471 3:225 4:132 5:66 6:49 7:31 8:6 9:12 10:4 11:1 12:2",
			"0:2727 1:110 2:16 3:9 4:6 5:1 6:3 7:4 9:2 10:2 11:1 13:2 14:3 15:1 16:1 17:2 24:1",
			"3235eb80f574dcebe1427a16f56541db18352f05194727b777a668443ad8174e",
		},
		"WTH_2007.wtb": {
			"2015-09-30", 2007, 24, 2478, 1215, 1185, 78, 20, 12, 0, 148349, 39, 60, 3346, 80286, 81784, 2330, 424, 80104, 78157,
			"0:907 1:779 2:358 3:195 4:109 5:64 6:23 7:10 8:14 9:8 10:8 11:1 12:1 15:1",
			"0:2338 1:94 2:18 3:5 4:3 5:5 6:5 7:2 8:1 9:1 10:1 12:1 14:1 15:1 16:1 21:1",
			"335846e81f7267e98861630de7cc3054d384aa87fc55719ded8a815f55c0a138",
		},
		"WTH_2013.wtb": {
			"2015-09-30", 2013, 24, 2396, 1107, 1215, 74, 10, 9, 0, 143410, 13, 60, 2858, 76390, 77897, 2240, 372, 76190, 76804,
			"0:960 1:710 2:383 3:167 4:86 5:46 6:20 7:13 8:7 9:2 11:2",
			"0:2289 1:75 2:13 3:2 4:4 5:2 6:1 7:2 13:3 16:1 22:1 26:1 47:2",
			"07105694342d1bfbe8e40f1d8b24351a196e3aefd095b2c7985dda0f20966acb",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := censusOf(t, readWTB(t, name)); got != want {
				t.Errorf("counted\n%+v, want\n%+v", got, want)
			}
		})
	}
}

func TestSingleRecords(t *testing.T) {
	wipeout := readWTB(t, "WTH_2013.wtb").Games[530]
	if f := wipeout.Line.Final; f.Ply() != 13 || f.Black.Count() != 17 || f.White != 0 || wipeout.BlackScore != 64 {
		t.Errorf("2013 game 530: %d plies, %d–%d, recorded %d: want 13 plies, 17–0, 64",
			f.Ply(), f.Black.Count(), f.White.Count(), wipeout.BlackScore)
	}
	passes := readWTB(t, "WTH_1978.wtb").Games[4]
	if f := passes.Line.Final; f.Ply() != 59 || f.Black.Count() != 63 || f.White != 0 || passes.BlackScore != 64 {
		t.Errorf("1978 game 4: %d plies, %d–%d, recorded %d: want 59 plies, 63–0, 64",
			f.Ply(), f.Black.Count(), f.White.Count(), passes.BlackScore)
	}
	if got := passList(passes.Line.Passes(classic(t))); got != "40:O,47:O,48:O,53:O" {
		t.Errorf("1978 game 4: passes %s", got)
	}
}

// years lists the files of games.
func years() []string {
	return []string{"WTH_1978.wtb", "WTH_2001.wtb", "WTH_2007.wtb", "WTH_2013.wtb", "WTH_2024.wtb"}
}

// names reads both name tables.
func names(t testing.TB) (players, tournaments notation.Names) {
	t.Helper()
	players, err := notation.ReadNames(bytes.NewReader(readFile(t, "WTH.JOU")), notation.Players)
	if err != nil {
		t.Fatal(err)
	}
	tournaments, err = notation.ReadNames(bytes.NewReader(readFile(t, "WTH.TRN")), notation.Tournaments)
	if err != nil {
		t.Fatal(err)
	}
	return players, tournaments
}

func TestNameTables(t *testing.T) {
	players, tournaments := names(t)
	if len(players) != 4448 || len(tournaments) != 492 {
		t.Errorf("%d players, %d tournaments: want 4448 and 492", len(players), len(tournaments))
	}
	if players[0] != "???" || tournaments[0] != "Diverses parties" || tournaments[1] != "World Championship" {
		t.Errorf("first names %q, %q, %q", players[0], tournaments[0], tournaments[1])
	}
	if _, err := players.At(4448); err == nil || !strings.Contains(err.Error(), "4447") {
		t.Errorf("player 4448: error %v, want the end of the table in it", err)
	}
	if _, err := players.At(-1); err == nil {
		t.Error("player -1 has a name")
	}
}

func TestNamesAreLatin1(t *testing.T) {
	players, tournaments := names(t)
	foreign, accents := 0, ""
	seen := make(map[string]bool)
	for _, name := range append(slices.Clone(players), tournaments...) {
		if seen[name] || name == "" {
			t.Errorf("%q is there twice, or empty", name)
		}
		seen[name] = true
		letters := strings.Map(func(r rune) rune {
			if r < 0x80 {
				return -1
			}
			return r
		}, name)
		if letters != "" {
			foreign++
			accents += letters
		}
	}
	if foreign != 21 || strings.Trim(accents, "éè") != "" {
		t.Errorf("%d names with letters %q beyond ASCII: want 21, all é or è", foreign, accents)
	}
}

func TestEveryGameHasNames(t *testing.T) {
	players, tournaments := names(t)
	for _, file := range years() {
		for i, g := range readWTB(t, file).Games {
			_, e1 := players.At(g.Black)
			_, e2 := players.At(g.White)
			_, e3 := tournaments.At(g.Tournament)
			if err := errors.Join(e1, e2, e3); err != nil {
				t.Errorf("%s game %d: %v", file, i, err)
			}
		}
	}
}

// The same games came out of the database by another program.
func TestTableGamesAreInTheDatabase(t *testing.T) {
	players, tournaments := names(t)
	found := make(map[string]string)
	for _, file := range years() {
		for _, g := range readWTB(t, file).Games {
			found[notation.Transcript(g.Line.Moves)] = tournaments[g.Tournament] + ": " + players[g.Black] + ", " + players[g.White]
		}
	}
	checked := 0
	for _, g := range tableGames(t) {
		if g.Year != 1978 && g.Year != 2007 && g.Year != 2013 {
			continue
		}
		checked++
		if want := g.Event + ": " + g.Black + ", " + g.White; found[g.Moves] != want {
			t.Errorf("%s: %q, want %q", g.Moves, found[g.Moves], want)
		}
	}
	if checked != 3 {
		t.Errorf("%d games of these years, want 3", checked)
	}
}

// record2001 is the shortest game of the database, nine plies.
const record2001 = "97001f0711054040384035424b2e394123"

// wtb builds a file: the header of 2024 with the given number of games, and
// records from hexadecimal text, padded with zeros.
func wtb(t testing.TB, games uint32, records ...string) []byte {
	t.Helper()
	file, err := hex.DecodeString("141a02174b0b00000000e80708001800")
	if err != nil {
		t.Fatal(err)
	}
	file[4], file[5], file[6], file[7] = byte(games), byte(games>>8), byte(games>>16), byte(games>>24)
	for _, text := range records {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, append(b, make([]byte, 68-len(b))...)...)
	}
	return file
}

func TestHeader(t *testing.T) {
	file, err := notation.ReadWTB(bytes.NewReader(wtb(t, 1, record2001)))
	if err != nil {
		t.Fatal(err)
	}
	if file.Made != (notation.Date{Year: 2026, Month: 2, Day: 23}) || file.Year != 2024 || file.Depth != 24 {
		t.Errorf("made %v, year %d, depth %d", file.Made, file.Year, file.Depth)
	}
	g := file.Games[0]
	if g.Tournament != 0x97 || g.Black != 0x71f || g.White != 0x511 || g.BlackScore != 64 || g.Theoretical != 64 || g.Err != nil {
		t.Errorf("record %+v", g)
	}
	if got := notation.Transcript(g.Line.Moves); got != "f5d6c5f6e7f4g5e6e3" || !g.Line.Final.Over() {
		t.Errorf("moves %s", got)
	}
}

func TestDepthZeroMeans22(t *testing.T) {
	b := wtb(t, 0)
	b[14] = 0
	if file, err := notation.ReadWTB(bytes.NewReader(b)); err != nil || file.Depth != 22 {
		t.Errorf("depth %d, %v", file.Depth, err)
	}
}

func TestWrongFilesAreRefused(t *testing.T) {
	change := func(at int, to byte) []byte {
		b := wtb(t, 1, record2001)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		name string
		file []byte
		says string
	}{
		{"empty", nil, "header"},
		{"half a header", wtb(t, 0)[:8], "header"},
		{"a record missing", wtb(t, 2, record2001), "shorter"},
		{"a byte missing", wtb(t, 1, record2001)[:83], "shorter"},
		{"a byte too many", append(wtb(t, 1, record2001), 0), "longer"},
		{"four billion games", wtb(t, 1<<32-1, record2001), "4294967295 records: more than"},
		{"one game too many", wtb(t, 1<<20+1), "1048577 records: more than"},
		{"10×10", change(12, 10), "size 10"},
		{"problems", change(13, 1), "type 1"},
	} {
		file, err := notation.ReadWTB(bytes.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.says) || len(file.Games) != 0 {
			t.Errorf("%s: %d games, error %v: want %q in it", c.name, len(file.Games), err, c.says)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := notation.ReadWTB(io.MultiReader(bytes.NewReader(wtb(t, 1)), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
}

// A header may claim a million games; memory is taken for the bytes that come.
func TestClaimedSizeTakesNoMemory(t *testing.T) {
	file := wtb(t, 1<<20)
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := notation.ReadWTB(bytes.NewReader(file)); err == nil {
				b.Fatal("a file without games was read as a million games")
			}
		}
	})
	if got := result.AllocedBytesPerOp(); got > 10000 {
		t.Errorf("%d bytes allocated for a file of 16 bytes", got)
	}
}

func TestFaultsStayInTheirRecord(t *testing.T) {
	for _, c := range []struct{ name, record, says string }{
		{"no square 92", "97001f071105404038405c", "ply 3: 92"},
		{"no square 9", "97001f07110540403809", "ply 2: 9"},
		{"file 9", "97001f07110540403813", "ply 2: 19"},
		{"rank 9", "97001f0711054040385b", "ply 2: 91"},
		{"rank 0", "97001f07110540403805", "ply 2: 5"},
		{"illegal", "97001f07110540403838", "ply 2: white cannot play f5"},
		{"after the end mark", "97001f0711054040380040", "ply 2: a move follows"},
		{"after the end of the game", record2001 + "0b", "ply 10: a1 follows"},
		{"score 65", "97001f071105414038", "65"},
		{"theoretical score 65", "97001f071105404138", "65"},
	} {
		file, err := notation.ReadWTB(bytes.NewReader(wtb(t, 3, record2001, c.record, record2001)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		bad := file.Games[1]
		if bad.Err == nil || !strings.Contains(bad.Err.Error(), c.says) || len(bad.Line.Moves) != 0 {
			t.Errorf("%s: %v with %v: want %q in it and no moves", c.name, bad.Err, bad.Line.Moves, c.says)
		}
		if bad.Tournament != 0x97 || bad.Black != 0x71f {
			t.Errorf("%s: the names are lost: %+v", c.name, bad)
		}
		for _, i := range []int{0, 2} {
			if file.Games[i].Err != nil || len(file.Games[i].Line.Moves) != 9 {
				t.Errorf("%s: game %d: %v", c.name, i, file.Games[i].Err)
			}
		}
	}
}

func TestRecordedScoreLosesToTheBoard(t *testing.T) {
	// The nine-ply game with a recorded score of 0, as one program writes it.
	wrong := strings.Replace(record2001, "4040", "0000", 1)
	// And a game that stops after one ply with a score that follows from nothing.
	unfinished := "97001f071105292a38"
	file, err := notation.ReadWTB(bytes.NewReader(wtb(t, 2, wrong, unfinished)))
	if err != nil {
		t.Fatal(err)
	}
	g := file.Games[0]
	if black, _ := g.Line.Final.Score(); black != 64 || len(g.Line.Warnings) != 1 || !strings.Contains(g.Line.Warnings[0], "64") {
		t.Errorf("board %d, warnings %q: want 64 and one warning", black, g.Line.Warnings)
	}
	g = file.Games[1]
	if g.Err != nil || g.Line.Final.Over() || g.BlackScore != 41 || g.Theoretical != 42 || len(g.Line.Warnings) != 0 {
		t.Errorf("unfinished: %+v", g)
	}
}

func TestWrongNameTablesAreRefused(t *testing.T) {
	table := readFile(t, "WTH.TRN")
	if _, err := notation.ReadNames(bytes.NewReader(table), notation.Players); err == nil {
		t.Error("tournaments read as players")
	}
	if _, err := notation.ReadNames(bytes.NewReader(table[:len(table)-1]), notation.Tournaments); err == nil {
		t.Error("a table without its last byte was read")
	}
	if _, err := notation.ReadNames(bytes.NewReader(table), notation.NameKind(7)); err == nil {
		t.Error("a table of an unknown kind was read")
	}
	endless := slices.Clone(table)
	for i := range 26 {
		endless[16+26+i] = 'x'
	}
	if _, err := notation.ReadNames(bytes.NewReader(endless), notation.Tournaments); err == nil || !strings.Contains(err.Error(), "name 1") {
		t.Errorf("a name without end: error %v", err)
	}
}

func FuzzReadWTB(f *testing.F) {
	f.Add(readFile(f, "WTH_1978.wtb"))
	f.Add(wtb(f, 1, record2001))
	f.Add(wtb(f, 1<<20))
	f.Add(wtb(f, 1, "97001f071105404038405c"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := notation.ReadWTB(bytes.NewReader(b))
		if err != nil {
			return
		}
		if len(b) != 16+68*len(file.Games) {
			t.Fatalf("%d bytes read as %d games", len(b), len(file.Games))
		}
		for i := range file.Games {
			g := &file.Games[i]
			if (g.Err == nil) == (g.Line.Final.Rules == engine.Rules{}) {
				t.Fatalf("game %d: %v with %v", i, g.Err, g.Line.Moves)
			}
			if g.Err != nil {
				continue
			}
			if again := parse(t, notation.Transcript(g.Line.Moves)); !slices.Equal(again.Moves, g.Line.Moves) {
				t.Fatalf("game %d: %v reads back as %v", i, g.Line.Moves, again.Moves)
			}
		}
	})
}

func FuzzReadNames(f *testing.F) {
	f.Add(readFile(f, "WTH.TRN")[:16+26*3], true)
	f.Add(append(append([]byte{}, readFile(f, "WTH.JOU")[:8]...), 1, 0, 0, 0, 0, 0, 0, 0), false)
	f.Add([]byte{20, 26, 2, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, false)
	f.Fuzz(func(t *testing.T, b []byte, tournaments bool) {
		kind, size := notation.Players, 20
		if tournaments {
			kind, size = notation.Tournaments, 26
		}
		table, err := notation.ReadNames(bytes.NewReader(b), kind)
		if err != nil {
			return
		}
		if len(b) != 16+size*len(table) {
			t.Fatalf("%d bytes read as %d names", len(b), len(table))
		}
		for i, name := range table {
			if n := len([]rune(name)); n >= size || strings.Contains(name, "\x00") {
				t.Fatalf("name %d: %q", i, name)
			}
		}
	})
}

func BenchmarkReadWTB(b *testing.B) {
	file := readFile(b, "WTH_2007.wtb")
	for b.Loop() {
		if _, err := notation.ReadWTB(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2478*float64(b.N)/b.Elapsed().Seconds(), "games/s")
}
