package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// outcome is what a user sees of a command.
type outcome struct {
	stdout, stderr string
	code           int
}

// call runs a command line in this process.
func call(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := dispatch(ctx, commands(), args, strings.NewReader(""), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

func TestHelpListsEveryCommand(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help"}} {
		got := call(t.Context(), args...)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%v: exit %d, stderr %q", args, got.code, got.stderr)
		}
		for _, c := range commands() {
			if !strings.Contains(got.stdout, "\n  "+c.name+" ") {
				t.Errorf("%v does not name %s:\n%s", args, c.name, got.stdout)
			}
		}
	}
}

// TestEveryCommandHelpsWithAnExample also runs through what every command
// promises about wrong usage.
func TestEveryCommandHelpsWithAnExample(t *testing.T) {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
		t.Run(c.name, func(t *testing.T) {
			help := call(t.Context(), c.name, "--help")
			if help.code != 0 || help.stderr != "" {
				t.Errorf("--help: exit %d, stderr %q", help.code, help.stderr)
			}
			if !strings.Contains(help.stdout, "\nExample:\n  reversi-board "+c.name) {
				t.Errorf("no example:\n%s", help.stdout)
			}
			if !strings.Contains(help.stdout, "\nUsage: reversi-board "+c.name) {
				t.Errorf("no usage:\n%s", help.stdout)
			}
			if again := call(t.Context(), "help", c.name); again != help {
				t.Errorf("help %s is not %s --help", c.name, c.name)
			}
			checkWrongUsage(t, c.name, "--no-such-flag")
			checkWrongUsage(t, c.name, "surplus")
		})
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(commands()) {
		t.Errorf("two commands have one name: %v", names)
	}
}

// checkWrongUsage fails unless an argument that no command has is refused in
// one line.
func checkWrongUsage(t *testing.T, name, argument string) {
	t.Helper()
	got := call(t.Context(), name, argument)
	if got.code != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
		!strings.HasPrefix(got.stderr, "reversi-board "+name+": ") ||
		!strings.HasSuffix(got.stderr, " (see reversi-board "+name+" --help)\n") {
		t.Errorf("%s: exit %d, stdout %q, stderr %q", argument, got.code, got.stdout, got.stderr)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "reversi-board: no command given (see reversi-board --help)\n"},
		{[]string{"parft"}, "reversi-board: unknown command \"parft\" (see reversi-board --help)\n"},
		{[]string{"help", "parft"}, "reversi-board: unknown command \"parft\" (see reversi-board --help)\n"},
		{[]string{"--version"}, "reversi-board: unknown command \"--version\" (see reversi-board --help)\n"},
		{[]string{"perft", "--depth", "0"}, "reversi-board perft: --depth 0: want 1 to 120 (see reversi-board perft --help)\n"},
		{[]string{"perft", "--depth", "121"}, "reversi-board perft: --depth 121: want 1 to 120 (see reversi-board perft --help)\n"},
		{
			[]string{"perft", "--depth", "x"},
			"reversi-board perft: invalid value \"x\" for flag -depth: parse error (see reversi-board perft --help)\n",
		},
		{
			[]string{"perft", "--start", "diagonal"},
			"reversi-board perft: --start: \"diagonal\" is no start: want standard, parallel, inverted, handicap-1 to handicap-4, " +
				"64 squares and the side to move, or the moves of an opening (see reversi-board perft --help)\n",
		},
		{
			[]string{"perft", "--start", strings.Repeat("?", 64) + " X"},
			"reversi-board perft: --start: read the start position: \"?\" on a1: want X, O or - (see reversi-board perft --help)\n",
		},
		{
			[]string{"perft", "--start", strings.Repeat("-", 64) + " -"},
			"reversi-board perft: --start: read the start position: the side to move is \"-\": want X (black) or O (white) " +
				"(see reversi-board perft --help)\n",
		},
	} {
		want := outcome{stderr: test.want, code: 2}
		if got := call(t.Context(), test.args...); got != want {
			t.Errorf("%v:\n got %+v\nwant %+v", test.args, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	version, commit = "v1.2.3", "0123456789ab"
	t.Cleanup(func() { version, commit = "", "" })
	want := outcome{stdout: "reversi-board v1.2.3, commit 0123456789ab, " + runtime.Version() + "\n"}
	if got := call(t.Context(), "version"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want.stdout = `{"version":"v1.2.3","commit":"0123456789ab","go":"` + runtime.Version() + `"}` + "\n"
	if got := call(t.Context(), "version", "--json"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestVersionWithoutLinkerIsNeverEmpty(t *testing.T) {
	got := call(t.Context(), "version", "--json")
	var b build
	if err := json.Unmarshal([]byte(got.stdout), &b); err != nil {
		t.Fatalf("%v in %q", err, got.stdout)
	}
	if b.Version == "" || b.Commit == "" || b.Go != runtime.Version() {
		t.Errorf("build is %+v", b)
	}
}

// fullDisk is an output that cannot be written to.
type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, args := range [][]string{
		{"--help"},
		{"version"},
		{"version", "--help"},
		{"perft", "--depth", "1"},
		{"perft", "--depth", "1", "--json"},
	} {
		var stderr bytes.Buffer
		code := dispatch(t.Context(), commands(), args, strings.NewReader(""), fullDisk{}, &stderr)
		if want := "reversi-board: write the output: no space left on device\n"; code != 1 || stderr.String() != want {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr.String())
		}
	}
}

// screen is an output that says it is a terminal.
type screen struct{ bytes.Buffer }

func (*screen) Stat() (os.FileInfo, error) { return charDevice{}, nil }

// charDevice is the part of a terminal's file information that is asked for.
type charDevice struct{ fs.FileInfo }

func (charDevice) Mode() fs.FileMode { return fs.ModeDevice | fs.ModeCharDevice }

// leavesColumn finds the lines of the table.
func leavesColumn(table string) []string {
	var leaves []string
	for _, m := range regexp.MustCompile(`(?m)^ +\d+ +(\d+) +\d+\.\d{3}$`).FindAllStringSubmatch(table, -1) {
		leaves = append(leaves, m[1])
	}
	return leaves
}

// TestPerft compares with the published table of
// http://www.aartbik.com/MISC/reversi.html (standard) and, for the others, with
// counts of an independent program.
func TestPerft(t *testing.T) {
	standard := "4 12 56 244 1396 8200 55092 390216 3005288 24571284"
	for _, test := range []struct{ name, start, depth, want string }{
		{"standard", "standard", "10", standard},
		{"standard in squares", strings.Repeat("-", 27) + "OX------XO" + strings.Repeat("-", 27) + " X;", "8", standard[:34]},
		{"parallel", "parallel", "9", "4 14 68 292 1690 9696 64794 450012 3449900"},
		{"white must pass", "XXXXXXXXXXXXXOXXXXOXXXXXXXXOOO-OXXOOOOO--OOOOOO----OOO---------- O", "7", "1 12 37 417 1858 17680 90671"},
		{"black must pass", "--------------------------XXXXX---XXX-X---XXXXXX----X-X------OOO X", "7", "1 3 13 97 745 6509 58855"},
		{"ends two plies on", "OOOXXXXOOOOOOOOOOOOOOXOXOOOOXOXXOOOOXX-XOOOOOXX-OOXXXOXXOOOOOOOO X", "5", "1 2 2 2 2"},
		{"ended at once", "--------------------X------XXX----XXXXX----XXX------X----------- O", "3", "1 1 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := call(t.Context(), "perft", "--start", test.start, "--depth", test.depth)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
			}
			if leaves := strings.Join(leavesColumn(got.stdout), " "); leaves != test.want {
				t.Errorf("leaves are %s, want %s", leaves, test.want)
			}
			if !strings.HasPrefix(got.stdout, "depth               leaves      seconds\n") {
				t.Errorf("no heading:\n%s", got.stdout)
			}
		})
	}
}

func TestPerftJSON(t *testing.T) {
	got := call(t.Context(), "perft", "--depth", "4", "--json")
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 1 {
		t.Fatalf("got %+v", got)
	}
	var result struct {
		Board      string `json:"board"`
		Turn       string `json:"turn"`
		Convention string `json:"convention"`
		Depths     []struct {
			Depth   int      `json:"depth"`
			Leaves  uint64   `json:"leaves"`
			Seconds *float64 `json:"seconds"`
		} `json:"depths"`
	}
	d := json.NewDecoder(strings.NewReader(got.stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&result); err != nil {
		t.Fatal(err)
	}
	if result.Board != strings.Repeat("-", 27)+"WB------BW"+strings.Repeat("-", 27) || result.Turn != "black" || result.Convention != "A" {
		t.Errorf("position is %q %q, convention %q", result.Board, result.Turn, result.Convention)
	}
	want := []uint64{4, 12, 56, 244}
	if len(result.Depths) != len(want) {
		t.Fatalf("%d depths, want %d", len(result.Depths), len(want))
	}
	for i, l := range result.Depths {
		if l.Depth != i+1 || l.Leaves != want[i] || l.Seconds == nil || *l.Seconds < 0 {
			t.Errorf("line %d is %+v", i, l)
		}
	}
}

func TestPerftDrawsProgressOnATerminalOnly(t *testing.T) {
	var stdout bytes.Buffer
	var stderr screen
	if code := dispatch(t.Context(), commands(), []string{"perft", "--depth", "5"}, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d, stderr %q", code, stderr.String())
	}
	if text := stderr.String(); !strings.Contains(text, "\rdepth 5: 100 %") || !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("progress is %q", text)
	}
	if strings.ContainsAny(stdout.String(), "\r\x1b") {
		t.Errorf("the table holds progress: %q", stdout.String())
	}
	if isTerminal(io.Discard) {
		t.Error("an output without a file counts as a terminal")
	}
}

// TestPerftEndsWhenInterrupted would take days if it did not.
func TestPerftEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	// The first line of the table is the sign that the count is under way.
	reader, writer := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int)
	go func() {
		code := dispatch(ctx, commands(), []string{"perft", "--depth", "20"}, strings.NewReader(""), writer, &stderr)
		_ = writer.Close()
		done <- code
	}()
	first := make([]byte, 1)
	if _, err := io.ReadFull(reader, first); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, reader); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	if !regexp.MustCompile(`^reversi-board perft: interrupted at depth \d+\n$`).MatchString(stderr.String()) {
		t.Errorf("stderr is %q", stderr.String())
	}
}
