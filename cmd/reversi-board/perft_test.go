package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reversi-board/engine"
)

// perftFile holds 323 counts of independent programs, from ten starts and in
// four conventions.
const perftFile = "../../engine/testdata/perft.tsv"

// TestPerftConventions compares with the counts of an independent program. From
// the standard start the conventions part after 8 plies, with the first passes
// and ends.
func TestPerftConventions(t *testing.T) {
	const ends = "OOOXXXXOOOOOOOOOOOOOOXOXOOOOXOXXOOOOXX-XOOOOOXX-OOXXXOXXOOOOOOOO X"
	for _, test := range []struct{ start, depth, convention, hash, want string }{
		{"standard", "10", "B", "0", "390216 3005288 24571056"},
		{"standard", "10", "C", "1", "390216 3005320 24571420"},
		{"standard", "10", "d", "0", "390216 3005320 24571192"},
		{"standard", "11", "D", "4", "3005320 24571192 212260296"},
		{"standard", "11", "A", "16", "3005288 24571284 212258800"},
		{"parallel", "9", "B", "1", "64794 450004 3449892"},
		{ends, "5", "A", "0", "2 2 2"},
		{ends, "5", "B", "1", "2 1 0"},
		{ends, "4", "C", "0", "2 2 2"},
		{ends, "4", "D", "1", "2 0 0"},
		// Behind the first move, of which there are four of a kind.
		{"f5", "8", "A", "0", "13773 97554 751322"},
	} {
		got := call(t.Context(), "perft", "--start", test.start, "--depth", test.depth, "--convention", test.convention, "--hash", test.hash)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("%+v: exit %d, stderr %q", test, got.code, got.stderr)
		}
		leaves := leavesColumn(got.stdout)
		if last := strings.Join(leaves[max(len(leaves)-3, 0):], " "); last != test.want {
			t.Errorf("%+v: %s", test, last)
		}
	}
}

func TestPerftChecksATable(t *testing.T) {
	for _, hash := range []string{"0", "1"} {
		got := call(t.Context(), "perft", "--check", perftFile, "--most", "100000", "--hash", hash)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
		}
		lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
		if len(lines) != 1+230+1 || lines[231] != "230 of 323 rows counted, all agree" {
			t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
		}
		if !strings.HasPrefix(lines[7], "standard     A              7                55092                55092 ") {
			t.Errorf("line 7 is %q", lines[7])
		}
	}
}

// table writes a table of counts and returns its name.
func table(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "perft.tsv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestPerftSaysWhichCountsDiffer(t *testing.T) {
	name := table(t, "#start\ts\tstandard\r\n# a comment\n\ns\tA\t3\t56\tpublished\ns\tB\t4\t245\ns\tC\t1\t4\n")
	got := call(t.Context(), "perft", "--check", name)
	if got.code != 1 || got.stderr != "reversi-board perft: 1 of 3 counts differ from "+name+"\n" ||
		strings.Count(got.stdout, "DIFFERS") != 1 || strings.Count(got.stdout, "\n") != 4 {
		t.Errorf("%+v", got)
	}
	got = call(t.Context(), "perft", "--check", name, "--json")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 1 || len(lines) != 3 {
		t.Fatalf("%+v", got)
	}
	var row checked
	if err := json.Unmarshal([]byte(lines[1]), &row); err != nil {
		t.Fatal(err)
	}
	row.Seconds = 0
	if want := (checked{Start: "s", Convention: "B", Depth: 4, Want: 245, Leaves: 244}); row != want {
		t.Errorf("%+v, want %+v", row, want)
	}
}

func TestPerftCheckWrongUsage(t *testing.T) {
	const start = "#start\ts\tstandard\n"
	for _, test := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"--check", perftFile, "--depth", "8"}, 2, "--check takes start, convention and depth from its file"},
		{[]string{"--check", perftFile, "--convention", "A"}, 2, "--check takes start, convention and depth from its file"},
		{[]string{"--most", "8"}, 2, "--most is for --check"},
		{[]string{"--hash", "-1"}, 2, "--hash -1: want 0 to "},
		{[]string{"--hash", strconv.Itoa(maxHash + 1)}, 2, ": want 0 to "},
		{[]string{"--convention", "E"}, 2, "--convention: \"E\" is not a way to count: want A, B, C or D"},
		{[]string{"--check", filepath.Join(t.TempDir(), "missing")}, 1, "read the table: open "},
		{[]string{"--check", table(t, "")}, 1, "the table has no rows"},
		{[]string{"--check", table(t, "s\tA\t1\t4\n")}, 1, "line 1: the start \"s\" is not defined above"},
		{[]string{"--check", table(t, start+"s\tA\t1\n")}, 1, "line 2: want start, convention, depth and count"},
		{[]string{"--check", table(t, start+"s\tX\t1\t4\n")}, 1, "line 2: convention: \"X\" is not a way to count"},
		{[]string{"--check", table(t, start+"s\tA\t0\t4\n")}, 1, "line 2: depth \"0\": want 1 to 120"},
		{[]string{"--check", table(t, start+"s\tA\t1\t-4\n")}, 1, "line 2: count \"-4\": want a whole number"},
		{[]string{"--check", table(t, "#start\ts\tnowhere\n")}, 1, "line 1: \"nowhere\" is no start"},
	} {
		got := call(t.Context(), append([]string{"perft"}, test.args...)...)
		if got.code != test.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%v: %+v, want exit %d and %q", test.args, got, test.code, test.stderr)
		}
	}
}

// FuzzPerftTable feeds tables of counts to the parser.
func FuzzPerftTable(f *testing.F) {
	f.Add("#start\ts\tstandard\ns\tA\t3\t56\tpublished\n")
	f.Add("#start\ts\t---------------------------OX------XO--------------------------- X\r\ns\td\t120\t18446744073709551615\n")
	f.Add("\n\t\t\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readPerftRows(strings.NewReader(text))
		if err == nil && len(rows) == 0 {
			t.Error("neither rows nor an error")
		}
		for _, r := range rows {
			if r.depth < 1 || r.depth > maxPerft || r.convention > engine.ConventionD || r.position.Black&r.position.White != 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
