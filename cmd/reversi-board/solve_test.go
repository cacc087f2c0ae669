package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suiteFile is the FFO endgame suite with the score of every move.
const suiteFile = "../../engine/search/testdata/ffo-1-59.obf"

// ffo1 is its first position; g8 wins 18 discs.
const ffo1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"

func TestSolvePosition(t *testing.T) {
	got := call(t.Context(), "solve", "--position", ffo1)
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(lines) != 2 || len(fields) != 7 || fields[1] != "14" || fields[2] != "+18" || fields[6] != "g8" {
		t.Errorf("%q: want 14 empty squares, +18 by g8", got.stdout)
	}
}

func TestSolveFileAsJSON(t *testing.T) {
	got := call(t.Context(), "solve", "--file", suiteFile, "--from", "4", "--to", "6", "--json")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	want := []struct {
		number, score int
		best          string
	}{{4, 0, "h8 a5"}, {5, 32, "g8"}, {6, 14, "h3 a1"}}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d: %q", len(lines), len(want), got.stdout)
	}
	for i, text := range lines {
		var r solved
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		same := len(r.Best) == len(strings.Fields(want[i].best))
		for m := range strings.FieldsSeq(want[i].best) {
			same = same && strings.Contains(strings.Join(r.Best, " "), m)
		}
		if r.Number != want[i].number || r.Score != want[i].score || !same || r.Agrees == nil || !*r.Agrees || r.Nodes == 0 {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
}

func TestSolveReadsStandardInputAndOtherForms(t *testing.T) {
	var stdout, stderr strings.Builder
	input := "# a comment\n\n" + strings.ToLower(ffo1) + ";\n"
	code := dispatch(t.Context(), commands(), []string{"solve", "--file", "-", "--one"}, strings.NewReader(input), &stdout, &stderr)
	if code != 0 || stderr.String() != "" || !strings.Contains(stdout.String(), " +18 ") {
		t.Errorf("exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

func TestSolveForFewestDiscs(t *testing.T) {
	// Black may take h8's row or not: g8 is the only move, and takes nothing
	// else; White is then left without a move.
	const full = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X"
	most := call(t.Context(), "solve", "--position", full)
	fewest := call(t.Context(), "solve", "--position", full, "--goal", "fewest")
	if !strings.Contains(most.stdout, " +64 ") || !strings.Contains(fewest.stdout, " -64 ") {
		t.Errorf("most %q, fewest %q: want +64 and -64", most.stdout, fewest.stdout)
	}
}

func TestSolveSaysWhenTheKnownScoresAreWrong(t *testing.T) {
	got := call(t.Context(), "solve", "--position", ffo1+"; G8:+20; H1:+12")
	if got.code != 1 || !strings.Contains(got.stdout, "CONTRADICTS") ||
		got.stderr != "reversi-board solve: 1 of 1 results contradict the known scores\n" {
		t.Errorf("%+v", got)
	}
}

func TestSolveWrongUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.obf")
	empty := filepath.Join(t.TempDir(), "empty.obf")
	if err := os.WriteFile(empty, []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{nil, 2, "want either --file or --position"},
		{[]string{"--file", suiteFile, "--position", ffo1}, 2, "want either --file or --position"},
		{[]string{"--position", ffo1, "--goal", "some"}, 2, "--goal \"some\": want most or fewest"},
		{[]string{"--position", ffo1, "--memory", "0"}, 2, "--memory 0: want 1 to 1024"},
		{[]string{"--file", suiteFile, "--from", "9", "--to", "8"}, 2, "--from 9 --to 8"},
		{[]string{"--position", "XO X"}, 1, "is no start: want standard, "},
		{[]string{"--position", " ;g8:+2"}, 1, "want 64 squares"},
		{[]string{"--position", ffo1 + "; a9:+2"}, 1, "is not a square"},
		{[]string{"--position", ffo1 + "; a1:+2"}, 1, "a1 is not a legal move"},
		{[]string{"--position", ffo1 + "; g8:many"}, 1, "want a move, a colon and a score"},
		{[]string{"--file", missing}, 1, "missing.obf"},
		{[]string{"--file", empty}, 1, "no positions to solve"},
	} {
		got := call(t.Context(), append([]string{"solve"}, test.args...)...)
		if got.code != test.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%v: %+v, want exit %d and %q", test.args, got, test.code, test.stderr)
		}
	}
}

func TestSolveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := call(ctx, "solve", "--file", suiteFile, "--from", "55", "--to", "55")
	if got.code != 1 || got.stderr != "reversi-board solve: interrupted at position 55\n" {
		t.Errorf("%+v", got)
	}
}

// FuzzSolveLine feeds lines of position files to the parser.
func FuzzSolveLine(f *testing.F) {
	f.Add(ffo1)
	f.Add(ffo1 + "; G8:+18; H1:+12;")
	f.Add(";;;")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseProblem(text)
		if err != nil {
			return
		}
		for m, score := range p.known {
			if !p.position.Legal().Has(m) || score < -64 || score > 64 {
				t.Errorf("%v: %d in %q", m, score, text)
			}
		}
	})
}
