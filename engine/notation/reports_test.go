package notation_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// The files in testdata/reports were made after public reports and real files.

// report reads all games of a file in the format that it is found to have.
func report(t *testing.T, name string) []*notation.Game {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "reports", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := notation.Sniff(b)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return readAll(t, f, string(b))
}

// has fails the test unless text holds all parts.
func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %q, want %q in it", what, text, part)
		}
	}
}

func TestDatesTakeTheFormOfEachFormat(t *testing.T) {
	for _, c := range []struct{ file, sgf, pgn, ggf, json string }{
		{
			"date-own-game.json", "DT[2026-11-30]TIME[23:10:00 UTC]",
			"[Date \"2026.11.30\"]\n|[UTCDate \"2026.11.30\"]\n[UTCTime \"23:10:00\"]\n",
			"DT[2026.11.30_23:10:00.UTC]", `"date":"2026-11-30 23:10:00 UTC"`,
		},
		{
			"date-ggs.ggf", "DT[2003-12-15]TIME[13:24:03 MST]",
			"[Date \"2003.12.15\"]\n|[Time \"13:24:03\"]\n[TimeZone \"MST\"]\n",
			"DT[2003.12.15_13:24:03.MST]", `"date":"2003-12-15 13:24:03 MST"`,
		},
		{
			"date-edax.pgn", "DT[2026-03-07]TIME[09:05:03]", "[Date \"2026.03.07\"]\n|[Time \"09:05:03\"]\n",
			"DT[2026.03.07_09:05:03]", `"date":"2026-03-07 09:05:03"`,
		},
	} {
		g := report(t, c.file)[0]
		for f, want := range map[notation.Format]string{
			notation.FormatSGF: c.sgf, notation.FormatPGN: c.pgn, notation.FormatGGF: c.ggf, notation.FormatJSON: c.json,
		} {
			text, lost := write(t, f, g)
			has(t, c.file+" as "+f.String(), text, strings.Split(want, "|")...)
			if strings.Contains(strings.Join(losses(lost), " "), "date") {
				t.Errorf("%s as %v loses %q", c.file, f, lost)
			}
			if again := one(t, f, text); again.Date != g.Date {
				t.Errorf("%s as %v is read back with the date %q, want %q", c.file, f, again.Date, g.Date)
			}
		}
	}
}

// losses returns the texts.
func losses(list []notation.Loss) []string {
	var texts []string
	for _, l := range list {
		texts = append(texts, string(l))
	}
	return texts
}

func TestPartialDates(t *testing.T) {
	for text, want := range map[string]struct{ sgf, pgn string }{
		"2026":              {"DT[2026]", `[Date "2026.??.??"]`},
		"2026-03":           {"DT[2026-03]", `[Date "2026.03.??"]`},
		"2026.03.??":        {"DT[2026-03]", `[Date "2026.03.??"]`},
		"2026.3.7":          {"DT[2026-03-07]", `[Date "2026.03.07"]`},
		"2000-4-16 11:13":   {"DT[2000-04-16]TIME[11:13]", `[Date "2000.04.16"]`},
		"945277754":         {"DT[1999-12-15]TIME[17:09:14 UTC]", `[Date "1999.12.15"]`}, // date -u -d @945277754
		"2014-02-21 20:52Z": {"DT[2014-02-21]TIME[20:52 UTC]", `[UTCTime "20:52"]`},
		"1996-05,06":        {"DT[1996-05,06]", `[Date "1996.05.??"]`},
		"last Tuesday":      {"SZ[8]PL", `[Date "????.??.??"]`},
		"2026-13-45":        {"DT[2026]", `[Date "2026.??.??"]`},
	} {
		g := one(t, notation.FormatTranscript, "f5d6")
		g.Date = notation.ParseDateTime(text)
		sgf, _ := write(t, notation.FormatSGF, g)
		pgn, _ := write(t, notation.FormatPGN, g)
		has(t, text+" in SGF", strings.ReplaceAll(sgf, "AB[e4][d5]AW[d4][e5]", ""), want.sgf)
		has(t, text+" in PGN", pgn, want.pgn)
		if again := notation.ParseDateTime(g.Date.String()); again != g.Date {
			t.Errorf("%q is written as %q, which is read as %+v, want %+v", text, g.Date, again, g.Date)
		}
	}
}

// A line may end with CR, with LF or with both, in every text format.
func TestLinesEndWithCRToo(t *testing.T) {
	if games := report(t, "cr-transcripts.txt"); len(games) != 2 || wordsOf(games[0]) != "f5 d6 c3 d3 c4" || wordsOf(games[1]) != "f5 f6 e6" {
		t.Errorf("%d games", len(games))
	}
	g := one(t, notation.FormatTranscript, "f5d6c3d3c4")
	g.Comment = plaintext.ConstComment("one\ntwo")
	for _, f := range notation.Formats() {
		if !f.Writable() || f == notation.FormatWTHOR || f == notation.FormatXOT {
			continue
		}
		text, _ := write(t, f, g)
		want := readAll(t, f, text+text)
		for _, end := range []string{"\r", "\r\n"} {
			got := readAll(t, f, strings.ReplaceAll(text+text, "\n", end))
			if len(got) != len(want) || len(got) != 2 {
				t.Errorf("%v with lines that end with %q: %d games, want %d", f, end, len(got), len(want))
				continue
			}
			if wordsOf(got[1]) != wordsOf(want[1]) || got[1].Comment != want[1].Comment {
				t.Errorf("%v with lines that end with %q: %q, %q", f, end, wordsOf(got[1]), got[1].Comment)
			}
		}
	}
}

func TestUTF16IsReadOrNamed(t *testing.T) {
	if games := report(t, "u16.txt"); len(games) != 1 || wordsOf(games[0]) != "f5 d6 c3 d3 c4" {
		t.Errorf("%d games", len(games))
	}
	_, err := notation.Sniff([]byte("f\x005\x00d\x006\x00"))
	if err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16 without a byte order mark: %v", err)
	}
}

func TestPositionAndMovesInOneLine(t *testing.T) {
	games := report(t, "board-moves.txt")
	if len(games) != 1 || wordsOf(games[0]) != "f5 d6 c3" {
		t.Fatalf("%d games", len(games))
	}
	standard := "---------------------------OX------XO--------------------------- X"
	for _, line := range []string{standard + " f5 d6 c3", strings.ReplaceAll(standard, " ", "") + " F5D6C3", standard + ";f5d6c3"} {
		if g := one(t, notation.FormatTranscript, line); wordsOf(g) != "f5 d6 c3" {
			t.Errorf("%q: %s", line, wordsOf(g))
		}
	}
}

// Where nobody can say which format a file has, the message names what is wrong.
func TestUnknownFormatNamesTheCause(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "empty",
		" \r\n":                             "empty",
		"# only\n# comments\n":              "nothing but comments",
		"\x00\x01\x02binary":                "not text",
		"\n\nhello\n":                       `line 3 is in no format that is known: ply 1: "e" at byte 1`,
		strings.Repeat("-", 63) + " X f5":   "line 1 is in no format that is known: a position is 64 squares",
		strings.Repeat("-", 64) + " Q f5":   "line 1 is in no format that is known: a position is 64 squares",
		"<!DOCTYPE html>\n<title>x</title>": `"<"`,
	} {
		if f, err := notation.Sniff([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, f, err, want)
		}
	}
}

// A komi of -0.5 is subtracted from the 8 discs by which Black is ahead.
func TestKomiIsKeptExactly(t *testing.T) {
	g := report(t, "komi.ggf")[0]
	if len(g.Warnings) > 0 {
		t.Errorf("warnings: %q", g.Warnings)
	}
	if r, err := g.Result(); err != nil || r.Margin != 8 {
		t.Fatalf("the board says %+v, %v", r, err)
	}
	for f, want := range map[notation.Format]string{
		notation.FormatGGF: "KM[-0.500]|RE[+8.500]", notation.FormatSGF: "KM[-0.500]|RE[B+8.5]", notation.FormatJSON: `"margin":8.5`,
	} {
		text, lost := write(t, f, g)
		has(t, f.String(), text, strings.Split(want, "|")...)
		if strings.Contains(strings.Join(losses(lost), " "), "fraction") {
			t.Errorf("%v loses %q", f, lost)
		}
		if again := one(t, f, text); again.Recorded.Margin != 8 || again.Recorded.Fraction != 500 || len(again.Warnings) > 0 {
			t.Errorf("%v is read back as %+v, %q", f, again.Recorded, again.Warnings)
		}
	}
	pgn, lost := write(t, notation.FormatPGN, g)
	has(t, "pgn", pgn, `[KM "-0.500"]`)
	has(t, "the losses of PGN", strings.Join(losses(lost), " "), "the fraction of a disc")
}

func TestResultsAreNotRounded(t *testing.T) {
	const game = "(;GM[Othello]TY[8]RE[%]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5];)"
	for text, want := range map[string]string{
		"-0.5": "RE[-0.500]", "+8.125": "RE[+8.125]", "12": "RE[+12.000]", "-2.000:r": "RE[-2.000:r]", "+0.250:t": "RE[+0.250:t]",
		"+1.23456": "RE[+1.235]",
	} {
		g := one(t, notation.FormatGGF, strings.Replace(game, "%", text, 1))
		got, _ := write(t, notation.FormatGGF, g)
		has(t, text, got, want)
		if rounded := text == "+1.23456"; rounded != (len(g.Warnings) == 1) {
			t.Errorf("%s: warnings %q", text, g.Warnings)
		}
	}
}

// The digits of a clock are those of its milliseconds.
func TestClocksInExportsAreExact(t *testing.T) {
	for d, want := range map[time.Duration]notation.Number{
		1348 * time.Millisecond: "1.348", 0: "0", 90 * time.Second: "90", 1196033 * time.Millisecond: "1196.033", 5: "0.000000005",
	} {
		if got := notation.Seconds(d); got != want {
			t.Errorf("%v is written as %s, want %s", d, got, want)
		}
	}
	g := one(t, notation.FormatTranscript, "f5d6")
	clock := notation.Clock{Main: notation.Period{Time: 1348 * time.Millisecond}, Increment: notation.Period{Time: 2033 * time.Millisecond, Moves: 1}, Extension: notation.Period{Time: 2 * time.Minute}}
	text := plaintext.Clean(clock.String(), 64)
	g.Clocks = [2]plaintext.Text{text, text}
	sgf, _ := write(t, notation.FormatSGF, g)
	pgn, _ := write(t, notation.FormatPGN, g)
	has(t, "SGF", sgf, "TM[1.348]")
	has(t, "PGN", pgn, `[TimeControl "1.348+2.033"]`)
}

func TestClockChangesAreKept(t *testing.T) {
	g := one(t, notation.FormatTranscript, "f5d6c3")
	g.ClockChanges = []notation.ClockChange{{After: 2, Left: [2]notation.Number{"300", "420.5"}, Reason: plaintext.Const("the clock was broken")}}
	const words = "clocks set: black 300 s, white 420.5 s (the clock was broken)"
	for f, want := range map[notation.Format]string{
		notation.FormatSGF: ";W[d6]C[" + words + "];B[c3]", notation.FormatPGN: "d6 {" + words + "}", notation.FormatGGF: "W[d6]CO[" + words + "]B[c3]",
		notation.FormatJSON: `"clock_adjusted":[{"after":2,"black":"300","white":"420.5","reason":"the clock was broken"}]`,
	} {
		text, lost := write(t, f, g)
		has(t, f.String(), strings.Join(strings.Fields(text), " "), want)
		if len(lost) > 0 {
			t.Errorf("%v loses %q", f, lost)
		}
	}
	text, _ := write(t, notation.FormatJSON, g)
	if again := one(t, notation.FormatJSON, text); len(again.ClockChanges) != 1 || again.ClockChanges[0] != g.ClockChanges[0] {
		t.Errorf("JSON is read back as %+v", again.ClockChanges)
	}
	if _, lost := write(t, notation.FormatTranscript, g); len(lost) != 1 {
		t.Errorf("a transcript loses %q", lost)
	}
}

// The tags of a game that ended early are those of the PGN standard, each once.
func TestPGNOfAnEarlyEnd(t *testing.T) {
	for end, want := range map[notation.End][2]string{
		notation.EndResigned: {`[Result "0-1"]`, `[Termination "normal"]`}, notation.EndTime: {`[Result "0-1"]`, `[Termination "time forfeit"]`},
		notation.EndAdjudicated: {`[Result "0-1"]`, `[Termination "adjudication"]`},
	} {
		g := one(t, notation.FormatTranscript, "f5d6")
		g.Recorded = notation.Outcome{Known: true, Winner: 1, End: end}
		text := plaintext.Const("25:00")
		g.Clocks = [2]plaintext.Text{text, text}
		g.Tags = []notation.Tag{{Name: "TimeControl", Value: text}}
		pgn, lost := write(t, notation.FormatPGN, g)
		has(t, end.String(), pgn, want[0], want[1], `[TimeControl "1500"]`)
		if strings.Count(pgn, "[TimeControl") != 1 || strings.Contains(pgn, "*") || !strings.HasSuffix(pgn, " 0-1\n\n") || len(lost) > 0 {
			t.Errorf("%v: lost %q\n%s", end, lost, pgn)
		}
		again := one(t, notation.FormatPGN, pgn)
		if o := again.Recorded; o.End != end || !o.Known || o.Winner != 1 {
			t.Errorf("%v is read back as %+v", end, o)
		}
	}
}

// FuzzParseDateTime: a date is written so that it is read back, in every form that can
// hold it, and its forms are those of the formats.
func FuzzParseDateTime(f *testing.F) {
	for _, text := range []string{
		"2003.12.15_12:33:18.MST", "2000-4-16 11:13 EST", "2014.10.19", "2026.03.??", "1996-05,06", "945277754", "9.5.3", "2026-11-30 23:10:00 UTC",
		"????.??.??", "2026-02-30T23:59:60Z", "1999.12.31_24:00:00",
	} {
		f.Add(text)
	}
	day := regexp.MustCompile(`^\d{4}(-\d{2}(-\d{2})?)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		d := notation.ParseDateTime(text)
		if again := notation.ParseDateTime(d.String()); again != d {
			t.Fatalf("%q is %+v, written as %q, which is %+v", text, d, d, again)
		}
		g := one(t, notation.FormatTranscript, "f5d6")
		g.Date = d
		for _, format := range []notation.Format{notation.FormatJSON, notation.FormatSGF, notation.FormatPGN, notation.FormatGGF} {
			out, lost := write(t, format, g)
			again := one(t, format, out)
			if again.Date != d && !strings.Contains(strings.Join(losses(lost), " "), "date") && !strings.Contains(strings.Join(losses(lost), " "), "characters") {
				t.Fatalf("%q as %v: %q, want %q, lost %q:\n%s", text, format, again.Date, d, lost, out)
			}
		}
		if d.Year != 0 {
			sgf, _ := write(t, notation.FormatSGF, g)
			if _, value, _ := strings.Cut(sgf, "DT["); !day.MatchString(strings.Split(value, "]")[0]) && !strings.Contains(value, ",") {
				t.Fatalf("%q in SGF: %s", text, sgf)
			}
		}
	})
}
