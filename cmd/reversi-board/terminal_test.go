package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"reversi-board/configs"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// hostile is text that clears a terminal, forges a line, and turns the direction of
// what follows.
const hostile = "Eve\x1b[2J\x9b31m\u009b\r\nforged: line\u202etxet\u2066\u061c\u200e\u2028\x07\x7fend"

// tame fails the test if text has a character that a terminal would obey, or a line
// that came from outside.
func tame(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8: %q", what, text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return plaintext.Hidden(r) && r != '\t' }); i >= 0 {
			t.Errorf("%s has %q raw: %q", what, line[i:min(i+4, len(line))], line)
		}
		// A comment of SGF may have several lines.
		if strings.HasPrefix(line, "forged:") && !strings.HasSuffix(what, "sgf") {
			t.Errorf("%s has a line that came from outside: %q", what, line)
		}
	}
}

// hostileGames are games with hostile texts wherever a format has text.
func hostileGames() map[string]string {
	one := strings.ReplaceAll(hostile, "]", "")
	quoted := strings.NewReplacer(`"`, "", "\r", "", "\n", "").Replace(one)
	j := strings.NewReplacer("\x1b", `\u001b`, "\x9b31m", "", "\u009b", `\u009b`, "\r", `\r`, "\n", `\n`, "\x07", `\u0007`).Replace(hostile)
	return map[string]string{
		"a.ggf": "(;GM[Othello]PC[" + one + "]DT[" + one + "]PB[" + one + "]PW[x" + one + "]RB[" + one + "]TI[" + one + "]TY[8]RE[" + one + "]ZZ[" + one +
			"]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]CO[" + one + "]B[f5]CO[" + one + "]W[d6];)",
		"b.sgf": "(;GM[2]PB[" + one + "]EV[" + one + "]RO[" + one + "]PC[" + one + "]DT[" + one + "]GC[" + one + "]XX[" + one + "];B[f5]C[" + one + "];W[d6])",
		"c.pgn": "[Event \"" + quoted + "\"]\n[Site \"" + quoted + "\"]\n[Date \"" + quoted + "\"]\n[Black \"" + quoted + "\"]\n[X" + strings.ReplaceAll(quoted, " ", "") + "Y \"" + quoted +
			"\"]\n[Result \"" + quoted + "\"]\n\n1. f5 {" + one + "} d6 *\n",
		"d.json": `{"v":1,"black":{"name":"` + j + `","rating":"` + j + `"},"white":{"name":"w` + j + `"},"event":"` + j + `","date":"` + j + `","rules":{"name":"` + j +
			`","board":"---------------------------WB------BW---------------------------","turn":"black","goal":"most"},` +
			`"moves":["f5",{"move":"d6","comment":"` + j + `"}],"tags":[{"name":"` + j + `","value":"` + j + `"}]}`,
		"e.obf":            "---------------------------OX------XO--------------------------- X % " + quoted + "\n",
		hostileFile + ".x": hostile + "\n",
	}
}

// hostileFile is a name that a file can have on every system that the tests run on.
const hostileFile = "f\x1b[2J\nforged: file\u202e"

func TestHostileTextReachesNoTerminal(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	for name, text := range hostileGames() {
		file := inDir(t, dir, name, text)
		got := games(t, "", "import", file, "--data", data, "--verbose")
		tame(t, "import of "+name, got.stdout+got.stderr)
		if name != hostileFile+".x" && got.code != exitOK {
			t.Errorf("import of %q: %+v", name, got)
		}
		for _, args := range [][]string{{"show", "--file", file}, {"convert", file, "--to", "sgf"}, {"list", "--data", file}, {"show", "--file", file + hostile}} {
			got := games(t, "", args...)
			tame(t, strings.Join(args, " "), got.stdout+got.stderr)
		}
	}
	list := games(t, "", "list", "--data", data)
	if strings.Count(list.stdout, "Eve") < 4 {
		t.Errorf("the games are not listed: %+v", list)
	}
	tame(t, "list", list.stdout+list.stderr)
	asJSON := games(t, "", "list", "--data", data, "--json")
	tame(t, "list --json", asJSON.stdout)
	for _, f := range notation.Formats() {
		if !f.Writable() || f == notation.FormatWTHOR {
			continue
		}
		got := games(t, "", "export", "--data", data, "--to", f.String())
		tame(t, "export to "+f.String(), got.stdout+got.stderr)
	}
	for id := range strings.FieldsSeq(list.stdout) {
		if len(id) == 21 && id[0] == 'i' {
			got := games(t, "", "show", id, "--data", data)
			tame(t, "show", got.stdout+got.stderr)
			got = games(t, "", "diagram", id, "--data", data, "--to", "svg")
			tame(t, "diagram", got.stdout+got.stderr)
		}
	}
}

// Whoever types or sends a hostile text for a tournament is told, and it is not kept.
func TestHostileTextIsRefusedByTournaments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := runTournament(t, dir, "", "create", "Open", "--id", "open"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"create", "Open" + hostile}},
		{"", []string{"create", "Two", "--place", hostile}},
		{"", []string{"create", "Two", "--by", hostile}},
		{"", []string{"create", "Two", "--id", hostile}},
		{"", []string{"players", "open", "--add", "Ana\u202e"}},
		{"", []string{"players", "open", "--add", "Ana", "--club", hostile}},
		{"", []string{"pair", "open", "--undo", "--reason", hostile}},
		{"", []string{"lots", "open", "--seed", hostile}},
		{"", []string{"standings", hostile}},
		{"", []string{"import", "open", filepath.Join(dir, hostileFile)}},
		{"name\n\"" + hostile + "\"\n", []string{"import", "open", "-"}},
		{"name,club\nAna,a\u200eb\n", []string{"import", "open", "-"}},
		{hostile + ",name\nx,Ana" + hostile + "\n", []string{"import", "open", "-"}},
		{"", []string{hostile}},
		{"", []string{"players", "--" + hostile}},
	} {
		got := runTournament(t, dir, c.stdin, c.args...)
		if got.code == exitOK || got.stdout != "" {
			t.Errorf("%q: %+v, want it refused", c.args, got)
		}
		tame(t, strings.Join(c.args, " "), got.stderr)
	}
	if got := runTournament(t, dir, "", "players", "open", "--json"); strings.Contains(got.stdout, "Ana") {
		t.Errorf("somebody was added: %s", got.stdout)
	}
}

// Settings with hostile text, and settings in a file with a hostile name, are told of in
// lines of our own.
func TestHostileSettingsAreToldInOwnLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for key, text := range map[string]string{
		"board.name": "board:\n  name: \"Eve\\x1b[2J\\u202e\"\n", "player": "game:\n  players:\n    black: \"a\\u2066b\"\n", "key": "\"x\\x1b[2J\\nforged: y\": 1\n",
	} {
		name := filepath.Join(dir, hostileFile+".yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := configs.Load(name); err == nil {
			t.Errorf("%s was taken", key)
		} else {
			tame(t, key, err.Error())
		}
		var stdout, stderr bytes.Buffer
		code := dispatch(t.Context(), commands(), []string{"run", "--config", name}, strings.NewReader(""), &stdout, &stderr)
		if code == exitOK {
			t.Errorf("%s was run", key)
		}
		tame(t, "run with "+key, stdout.String()+stderr.String())
	}
	for _, args := range [][]string{{"replay", hostileFile}, {"solve", "--file", hostileFile}, {"perft", "--check", hostileFile}, {hostile}, {"run", "--config", hostileFile}, {"help", hostile}} {
		var stdout, stderr bytes.Buffer
		dispatch(t.Context(), commands(), args, strings.NewReader(""), &stdout, &stderr)
		if slices.Contains(args, "run") && stderr.Len() == 0 {
			t.Error("run said nothing")
		}
		tame(t, strings.Join(args, " "), stdout.String()+stderr.String())
	}
}
