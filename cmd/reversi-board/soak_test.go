package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/cmd/internal/soak"
)

// tables holds recorded games.
const tables = "../../engine/notation/testdata/"

func TestSoakTellsThatAllIsWell(t *testing.T) {
	got := call(t.Context(), "soak", "--games", "3", "--seed", "5", "--variant", "reverse")
	if got.code != 0 || got.stderr != "" ||
		!strings.HasPrefix(got.stdout, "every record is what the hands meant\n  played           3 games, ") ||
		!strings.Contains(got.stdout, "\n  spurious events  0\n") {
		t.Errorf("%+v", got)
	}
}

// A folder of recordings that cannot be written is told before the first game, also
// where only failed games would be written.
func TestSoakChecksItsOutputFirst(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t.Context(), "soak", "--games", "1", "--record-failed", "--record", filepath.Join(file, "recordings"))
	if got.code != exitError || !strings.Contains(got.stderr, "the folder of the recordings") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

// TestSoakWithFaults: the report counts the faults by kind, and the command line
// that plays a game again has them, too.
func TestSoakWithFaults(t *testing.T) {
	got := call(t.Context(), "soak", "--games", "2", "--seed", "3", "--config", "hall-128.yaml", "--faults", "nack,leds")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{
		"every record is what the hands meant\n", "\n  faults           ", ": nack ", ", leds ",
		"\n  not reported     0 of them\n", "\n  complaints       0, about discs that a bad cell showed\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in\n%s", want, got.stdout)
		}
	}
	if strings.Contains(got.stdout, "brownout") {
		t.Errorf("a fault that was not asked for:\n%s", got.stdout)
	}
	f := soakFlags{games: 50, seed: 9, variant: "classic", config: "hall-128.yaml", faults: "all"}
	if line, want := f.again(41), "reversi-board soak --seed 9 --only 41 --config hall-128.yaml --faults all --games 50 --variant classic"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
	got = call(t.Context(), "soak", "--json", "--games", "1", "--seed", "3", "--faults", "nack")
	var r struct {
		Faults     map[string]int `json:"faults"`
		Unreported *int           `json:"unreported_faults"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || r.Faults["nack"] == 0 || len(r.Faults) != 1 || r.Unreported == nil || *r.Unreported != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSoakWithClumsyHands: the report counts the mistakes by kind and the games by
// event, and the command line that plays a game again makes the same ones.
func TestSoakWithClumsyHands(t *testing.T) {
	got := call(t.Context(), "soak", "--games", "2", "--seed", "3", "--clumsy", "--profile", "festival", "--variant", "reverse")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{
		"every record is what the hands meant\n  played           2 games, ", "\n  wrong records    0\n", "\n  stuck games      0\n",
		"\n  what the hands did                     made  refused    stood   healed\n", "\n  turns too many discs ",
		"\n  festival reverse                          2\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in\n%s", want, got.stdout)
		}
	}
	f := soakFlags{games: 50, seed: 9, clumsy: true, profile: "all"}
	if line, want := f.again(41), "reversi-board soak --seed 9 --only 41 --games 50 --clumsy --profile all"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// TestSoakJSON also knows the games: the first one has 60 discs and two passes,
// the one 15 games later is the wipe-out after 9 discs of the other table.
func TestSoakJSON(t *testing.T) {
	got := call(t.Context(), "soak", "--json", "--every", "15",
		"--real", tables+"woc-games.tsv", "--real", tables+"edge-games.tsv")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]float64{
		"games": 2, "moves": 69, "passes": 2, "spurious": 0, "missing": 0, "wrong_records": 0, "stuck": 0,
	} {
		if r[member] != want {
			t.Errorf("%s is %v, want %v", member, r[member], want)
		}
	}
	for _, member := range []string{"flips", "worst_latency_ms", "virtual_seconds", "games_per_second"} {
		if n, ok := r[member].(float64); !ok || n <= 0 {
			t.Errorf("%s is %v", member, r[member])
		}
	}
	if list, ok := r["failures"].([]any); !ok || len(list) != 0 {
		t.Errorf("failures are %v, want an empty list", r["failures"])
	}
}

// TestSoakFails: a table that claims another score than the board gives makes
// the command fail, and the report says how to see it again.
func TestSoakFails(t *testing.T) {
	text, err := os.ReadFile(tables + "edge-games.tsv")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "games.tsv")
	changed := strings.Replace(string(text), "\t64\t15\t0\t49\t11\t", "\t63\t15\t0\t49\t11\t", 1)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t.Context(), "soak", "--seed", "2", "--real", file, "--only", "1")
	want := "game 1 (games.tsv #1): the file says that Black's score is 63, the board 64\n" +
		"  again: reversi-board soak --seed 2 --only 1 --real " + file + "\n"
	if got.code != 1 || !strings.HasPrefix(got.stdout, "FAILED\n") || !strings.HasSuffix(got.stdout, want) ||
		!strings.Contains(got.stdout, "wrong records    1\n") {
		t.Errorf("%+v", got)
	}
	if got := call(t.Context(), "soak", "--real", file, "--only", "0"); got.code != 0 {
		t.Errorf("another game: %+v", got)
	}
}

func TestSoakWrongUsage(t *testing.T) {
	see := " (see reversi-board soak --help)\n"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--games", "0"}, 2, "reversi-board soak: --games 0: want 1 to 1000000" + see},
		{[]string{"--every", "0"}, 2, "reversi-board soak: --every 0: want 1 or more" + see},
		{[]string{"--games", "5", "--only", "5"}, 2, "reversi-board soak: --only 5: the games are 0 to 4" + see},
		{
			[]string{"--start", "sideways"},
			2, `reversi-board soak: --start "sideways": want one of standard, parallel, inverted, handicap-1, handicap-2, handicap-3, handicap-4` + see,
		},
		{
			[]string{"--variant", "historic", "--start", "parallel"},
			2, "reversi-board soak: --start: the historic game begins on the empty board and takes no other start" + see,
		},
		{
			[]string{"--variant", "chess"},
			2, `reversi-board soak: --variant: unknown variant "chess": want one of [classic reverse historic white-first festival custom]` + see,
		},
		{
			[]string{"--faults", "thunder"},
			2, `reversi-board soak: --faults: unknown fault "thunder": want all, or some of nack,brownout,stuck-bus,noise,flapping,interrupt,leds,display,converter` + see,
		},
		{
			[]string{"--config", "reed-64.yaml", "--faults", "nack,brownout"},
			2, "reversi-board soak: --faults: this board cannot have the fault brownout: want all, or some of nack,flapping,leds" + see,
		},
		{[]string{"--profile", "home"}, 2, "reversi-board soak: --profile goes with --clumsy" + see},
		{
			[]string{"--clumsy", "--profile", "wimbledon"},
			2, `reversi-board soak: --profile "wimbledon": want one of home, club, woc, jof, festival, all` + see,
		},
		{
			[]string{"--clumsy", "--variant", "chess"},
			2, `reversi-board soak: --variant "chess": want one of classic, reverse, historic, white-first, festival, custom, all` + see,
		},
		{
			[]string{"--clumsy", "--faults", "all"},
			2, "reversi-board soak: --faults does not go with --clumsy: people make the mistakes, not the board" + see,
		},
		{[]string{"--clumsy", "--games", "5", "--only", "5"}, 2, "reversi-board soak: --only 5: the games are 0 to 4" + see},
		{[]string{"--real", ""}, 2, `reversi-board soak: invalid value "" for flag -real: no file named` + see},
		{
			[]string{"--real", "missing.wtb"},
			1, "reversi-board soak: read games: open missing.wtb: no such file or directory\n",
		},
		{
			[]string{"--real", "soak.go"},
			1, "reversi-board soak: read games of soak.go: want a WTHOR file (.wtb) or a table (.tsv)\n",
		},
	} {
		got := call(t.Context(), append([]string{"soak"}, c.args...)...)
		if want := (outcome{stderr: c.want, code: c.code}); got != want {
			t.Errorf("%v:\n got %+v\nwant %+v", c.args, got, want)
		}
	}
}

func TestSoakIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := call(ctx, "soak", "--games", "1000")
	if want := (outcome{stderr: "reversi-board soak: interrupted after 0 of 1000 games\n", code: 1}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestSoakDrawsProgressOnATerminal(t *testing.T) {
	var stdout, stderr screen
	code := dispatch(t.Context(), commands(), []string{"soak", "--games", "2"}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || !strings.Contains(stderr.String(), "\r2 of 2 games, 0 failed, ") ||
		!strings.HasSuffix(stderr.String(), "\r\x1b[K") {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

func TestSoakOutputThatCannotBeWritten(t *testing.T) {
	var stderr screen
	code := dispatch(t.Context(), commands(), []string{"soak", "--games", "1"}, strings.NewReader(""), fullDisk{}, &stderr)
	if code != 1 || !strings.HasSuffix(stderr.String(), "reversi-board: write the output: no space left on device\n") {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// TestSoakCommandLineForRandomGames is what a user copies to see a game again.
func TestSoakCommandLineForRandomGames(t *testing.T) {
	f := soakFlags{games: 50, seed: 9, variant: "white-first"}
	text := f.text(&soak.Report{
		Games: 50, Stuck: 1,
		Failures: []soak.Failure{{Game: 41, Source: "random white-first", Seed: 9, Difference: "stuck"}},
	})
	want := "game 41 (random white-first): stuck\n" +
		"  again: reversi-board soak --seed 9 --only 41 --games 50 --variant white-first\n"
	if !strings.HasPrefix(text, "FAILED\n") || !strings.HasSuffix(text, want) {
		t.Errorf("%s", text)
	}
}
