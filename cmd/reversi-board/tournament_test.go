package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	hall "reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
)

func TestTournamentSubcommandsHelp(t *testing.T) {
	t.Parallel()
	for _, c := range tournamentCommands() {
		help := runTournament(t, "", "", c.name, "--help")
		if help.code != exitOK || help.stderr != "" || !strings.Contains(help.stdout, "\nExample:\n") ||
			!strings.Contains(help.stdout, "reversi-board tournament "+c.name) ||
			!strings.Contains(help.stdout, "\nUsage: reversi-board tournament "+c.name) {
			t.Errorf("%s: %+v", c.name, help)
		}
		if again := runTournament(t, "", "", "help", c.name); again != help {
			t.Errorf("help %s is not %s --help", c.name, c.name)
		}
		wrong := runTournament(t, "", "", c.name, "--no-such-flag")
		if wrong.code != exitUsage || !strings.HasPrefix(wrong.stderr, "reversi-board tournament "+c.name+": ") || strings.Count(wrong.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.name, wrong)
		}
		if overview := runTournament(t, "", "", "help"); !strings.Contains(overview.stdout, "\n  "+c.name+" ") {
			t.Errorf("the overview does not name %s", c.name)
		}
	}
}

// narrow fails the test if a line does not fit a terminal of 80 columns.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > 80 || strings.TrimRight(line, " ") != line {
			t.Errorf("%d characters: %q", n, line)
		}
	}
}

// An evening on the command line, with names that are long, and that a
// spreadsheet would take for formulas.
func TestTournamentEvening(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		got := runTournament(t, dir, "name;club;rating\nAna Lima;Elm;1540\nBen;Oak;1500\n'=Cem;Elm;1480\n"+
			strings.Repeat("Dora", 16)+";"+strings.Repeat("Club", 16)+";1300\n", args...)
		if got.code != exitOK || got.stderr != "" {
			t.Fatalf("%v: %+v", args, got)
		}
		// What machines read may be wider, and so may a sentence.
		if what := args[0]; what != "export" && what != "result" && what != "correct" && !slices.Contains(args, "--json") {
			narrow(t, got.stdout)
		}
		return got.stdout
	}
	if got := run("list"); !strings.Contains(got, "there are no tournaments yet") {
		t.Errorf("%s", got)
	}
	run("create", "Club evening", "--rounds", "2", "--day", "2026-11-30", "--place", strings.Repeat("Street", 10))
	if got := run("import", "club-evening", "-"); got != "Club evening now has 4 players\n" {
		t.Errorf("%s", got)
	}
	run("pair", "club-evening")
	if got := run("result", "club-evening", "1", "40-22"); got != "round 1, table 1: Ana Lima – =Cem: 42–22 (discs 40–22), black wins\n" {
		t.Errorf("%s", got)
	}
	run("result", "club-evening", "2", "20-18", "--ending", "flag", "--score", "31-33", "--winner", "white")
	if got := run("standings", "club-evening"); !strings.Contains(got, "\n  1    1  Ana Lima                    1  1  0  0       1      42:22        42\n") {
		t.Errorf("%s", got)
	}
	run("correct", "club-evening", "1", "22-40", "--reason", strings.Repeat("the wrong way round ", 8)+"so")
	for _, what := range []string{"rounds", "players", "changes"} {
		run(what, "club-evening")
	}
	if got := run("rounds", "club-evening", "--round", "1"); !strings.Contains(got, "22–42 (discs 22–40), white") {
		t.Errorf("%s", got)
	}
	var s hall.Sheet
	if err := json.Unmarshal([]byte(run("standings", "club-evening", "--json")), &s); err != nil || len(s.Standings) != 4 || s.Standings[0].Name != plaintext.Const("Ben") && s.Standings[0].Name != plaintext.Const("=Cem") {
		t.Errorf("%v, %+v", err, s)
	}
	// What is exported can be imported again; a formula is none.
	players := run("export", "club-evening", "players")
	if !strings.Contains(players, "\n3,'=Cem,Elm,1480,,\n") {
		t.Errorf("%s", players)
	}
	run("create", "Again", "--system", "free")
	if got := runTournament(t, dir, players, "import", "again", "-"); got.code != exitOK {
		t.Errorf("%+v", got)
	}
	if got := run("export", "again", "players"); got != players {
		t.Errorf("%s", got)
	}
	run("pair", "again", "1-2", "3-bye")
	run("pair", "again", "2-3", "--next")
	if got := run("list"); !strings.Contains(got, "club-evening") || !strings.Contains(got, "again") {
		t.Errorf("%s", got)
	}
}

// A page for paper needs nothing but itself, and names are text in it.
func TestTournamentPrint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "table.html")
	for _, args := range [][]string{
		{"create", "Open <script>alert(1)</script>", "--rounds", "1"},
		{"players", "open-script-alert-1-script", "--add", "<img src=x>"},
		{"players", "open-script-alert-1-script", "--add", "Ben & Co"},
		{"pair", "open-script-alert-1-script"},
		{"result", "open-script-alert-1-script", "1", "31-31"},
		{"print", "open-script-alert-1-script", "--out", file},
	} {
		if got := runTournament(t, dir, "", args...); got.code != exitOK {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"&lt;img src=x&gt;", "Ben &amp; Co", "32–32 (discs 31–31), draw", "@page { size: A4", "<caption>Round 1</caption>", "½"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, bad := range []string{"<script", "<img", "http:", "https:"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
}

// The same file twice adds nobody, and says whose names there are already.
func TestTournamentImportTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const list = "name,club\nAna Lima,Elm\nBen,Oak\n"
	if got := runTournament(t, dir, "", "create", "Open"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{nil, exitOK, "now has 2 players"},
		{nil, exitError, "Ana Lima, Ben: if they are somebody else, add them with --namesakes"},
		{[]string{"--namesakes"}, exitOK, "now has 4 players"},
	} {
		got := runTournament(t, dir, list, append([]string{"import", "open", "-"}, c.flags...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: %+v, want %q", c.flags, got, c.want)
		}
	}
}

// Mistakes get one line that says what to do, and change nothing.
func TestTournamentMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{{"create", "Open", "--rounds", "1"}, {"players", "open", "--add", "Ana"}, {"players", "open", "--add", "Ben"}, {"pair", "open"}} {
		if got := runTournament(t, dir, "", args...); got.code != exitOK {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	before := runTournament(t, dir, "", "standings", "open", "--json")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"dance", exitUsage, "there is no tournament \"dance\""},
		{"create", exitUsage, "want: tournament create NAME"},
		{"create X --system knockout", exitError, "unknown system"},
		{"create X --profile of-mars", exitError, "unknown profile"},
		{"create X --day yesterday", exitError, "want a day like"},
		{"create X --breaks luck", exitError, "unknown tie-break"},
		{"create X --rounds 65", exitError, "want 1 to 64"},
		{"create X --id open", exitError, "there is a tournament open already"},
		{"players open --add A --change 1", exitUsage, "want one of them"},
		{"players open --change 9", exitError, "no player 9"},
		{"players open --remove 1", exitError, "withdraw the player instead"},
		{"players open --remove 1 --change 1", exitUsage, "want one of them"},
		{"import open /nowhere.csv", exitError, "no such file"},
		{"pair open", exitError, "table 1 of round 1 has not ended"},
		{"pair open 1-2", exitError, "have met in round 1: give a reason"},
		{"pair open 1:2", exitUsage, "want the numbers of Black and White"},
		{"pair open --undo", exitError, "a reason is missing"},
		{"result open 1 40-25", exitError, "at most 64 discs"},
		{"result open 1 forty", exitUsage, "want the discs of Black and White"},
		{"result open x 40-24", exitUsage, "want the number of a table"},
		{"result open 2 40-24", exitError, "there is no table 2 in round 1"},
		{"result open 1 40-24 --winner white", exitUsage, "go together"},
		{"result open 1 40-24 --score 33-31 --winner white", exitError, "is not what the winner white has"},
		{"result open 1 40-24 --ending luck", exitError, "want no_moves"},
		{"correct open 1 40-24 --reason so", exitError, "has no result yet"},
		{"colors open 1", exitUsage, "say --black NUMBER or --draw"},
		{"colors open 1 --black 7", exitError, "is not at table 1"},
		{"withdraw open 7", exitError, "has no player 7"},
		{"withdraw open 1 --return", exitError, "has not been withdrawn"},
		{"bye open x", exitUsage, "want the number of a player"},
		{"pair open 1-2 --undo --reason so", exitUsage, "want one of them"},
		{"result open 1", exitUsage, "or --undo"},
		{"result open 1 --undo --reason so", exitError, "has no result"},
		{"bye open 1 --undo", exitError, "has no bye in round 2"},
		{"plan open many", exitUsage, "want a number of rounds"},
		{"plan open 3 --reason so", exitError, "these players can play 1 in all"},
		{"end open --reason so", exitError, "all rounds have been paired"},
		{"end open --undo --reason so", exitError, "was not ended"},
		{"rounds open --round 2", exitError, "there is no round 2"},
		{"export open secrets", exitError, "want players, results or standings"},
		{"standings nowhere", exitError, "there is no such tournament"},
		{"start open 1 --page http://127.0.0.1:1", exitError, "is it running?"},
		{"lots open --by \x1b[31m", exitUsage, "cannot be shown"},
	} {
		got := runTournament(t, dir, "", strings.Split(c.args, " ")...)
		if got.code != c.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, c.says) {
			t.Errorf("%s: %+v, want %d and a line about %q", c.args, got, c.code, c.says)
		}
	}
	if after := runTournament(t, dir, "", "standings", "open", "--json"); after != before {
		t.Errorf("something has changed:\n%s\n%s", before.stdout, after.stdout)
	}
}
