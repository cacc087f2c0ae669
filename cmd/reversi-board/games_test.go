package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// wthorFiles is where the recorded games are.
const wthorFiles = "../../engine/notation/testdata/"

// games runs reversi-board games with a standard input.
func games(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := dispatch(t.Context(), commands(), append([]string{"games"}, args...), strings.NewReader(stdin), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

// inDir returns a name in a folder of the test.
func inDir(t *testing.T, dir, name, content string) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if content != "" {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func TestGamesSubcommandsHelp(t *testing.T) {
	for _, c := range gamesCommands() {
		help := games(t, "", c.name, "--help")
		if help.code != exitOK || help.stderr != "" || !strings.Contains(help.stdout, "\nExample:\n  reversi-board games "+c.name) ||
			!strings.Contains(help.stdout, "\nUsage: reversi-board games "+c.name) {
			t.Errorf("%s: %+v", c.name, help)
		}
		if again := games(t, "", "help", c.name); again != help {
			t.Errorf("help %s is not %s --help", c.name, c.name)
		}
		wrong := games(t, "", c.name, "--no-such-flag")
		if wrong.code != exitUsage || !strings.HasPrefix(wrong.stderr, "reversi-board games "+c.name+": ") || strings.Count(wrong.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.name, wrong)
		}
		if overview := games(t, "", "help"); !strings.Contains(overview.stdout, "\n  "+c.name+" ") {
			t.Errorf("the overview does not name %s", c.name)
		}
	}
}

func TestConvertPipe(t *testing.T) {
	got := games(t, "f5d6c5f6e7f4g5e6e3\n", "convert", "--to", "sgf")
	want := "(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[B+64];B[f5];W[d6];B[c5];W[f6];B[e7];W[f4];B[g5];W[e6];B[e3])\n"
	if got.code != exitOK || got.stdout != want || got.stderr != "reversi-board games convert: 1 game written\n" {
		t.Errorf("%+v", got)
	}
	back := games(t, want, "convert", "-", "--to", "transcript", "--from", "sgf")
	if back.stdout != "f5d6c5f6e7f4g5e6e3\n" || back.code != exitOK {
		t.Errorf("%+v", back)
	}
}

// A dash is standard output, not a file of that name.
func TestConvertToDash(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("game.txt", []byte("f5d6c3"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t.Context(), "games", "convert", "--to", "transcript", "--out", "-", "game.txt")
	if got.stdout != "f5d6c3\n" || got.code != 0 {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("a file named - was written")
	}
}

func TestConvertGoesOnBehindBadGames(t *testing.T) {
	dir := t.TempDir()
	bad := inDir(t, dir, "bad.txt", "f5d6\nf5e6\nf5f6\n")
	out := filepath.Join(dir, "out.pgn")
	got := games(t, "", "convert", bad, filepath.Join(dir, "missing.ggf"), "--out", out)
	want := "reversi-board games convert: " + bad + ": game 2 (line 2): ply 2: white turns no disc on e6\n" +
		"reversi-board games convert: " + filepath.Join(dir, "missing.ggf") + ": no such file or directory\n" +
		"reversi-board games convert: 2 games written, 2 failed\n"
	if got.code != exitError || got.stderr != want || got.stdout != "" {
		t.Errorf("%+v\nwant %s", got, want)
	}
	text, err := os.ReadFile(out)
	if err != nil || strings.Count(string(text), "[Event ") != 2 {
		t.Errorf("%s, %v", text, err)
	}
	// If no game is left, there is no file, not an empty one.
	none := filepath.Join(dir, "none.pgn")
	if got := games(t, "a1\n", "convert", "--from", "transcript", "--out", none); got.code != exitError {
		t.Errorf("%+v", got)
	}
	if entries, err := filepath.Glob(none + "*"); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
	// A game that the format refuses is named like one that cannot be read.
	got = games(t, "f5d6\nf5d6c3d3c4f4f6f3\n", "convert", "--from", "transcript", "--to", "xot")
	if got.code != exitError || got.stdout != "f5d6c3d3c4f4f6f3\n" || !strings.Contains(got.stderr, "standard input: game 1: cannot write xot: ") {
		t.Errorf("%+v", got)
	}
}

func TestConvertYearThroughFormats(t *testing.T) {
	dir := t.TempDir()
	original := wthorFiles + "WTH_1978.wtb"
	last := original
	for _, name := range []string{"a.ggf", "a.sgf", "a.pgn", "a.jsonl"} {
		next := filepath.Join(dir, name)
		if got := games(t, "", "convert", last, "--out", next); got.code != exitOK {
			t.Fatalf("%s: %+v", name, got)
		}
		last = next
	}
	out := filepath.Join(dir, "a.wtb")
	if got := games(t, "", "convert", last, "--out", out); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	before := games(t, "", "convert", original, "--to", "transcript")
	after := games(t, "", "convert", out, "--to", "transcript")
	if before.stdout != after.stdout || strings.Count(after.stdout, "\n") != 8 {
		t.Errorf("the moves have changed:\n%s\n%s", before.stdout, after.stdout)
	}
	// The tables of names lie beside the new file.
	show := games(t, "", "show", "--file", out, "--game", "5")
	if !strings.Contains(show.stdout, "Black    Maruoka Hidenori\n") || !strings.Contains(show.stdout, "Result   64-0\n") {
		t.Errorf("%+v", show)
	}
	if got := games(t, "", "convert", original, "--to", "ggf"); !strings.Contains(got.stderr, "ggf does not hold the event (8 games)") {
		t.Errorf("the loss is not named: %s", got.stderr)
	}
}

func TestConvertWrongUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"convert", "say with --to"},
		{"convert --to pdf", "unknown format"},
		{"convert --to gtp", "can be read and not written"},
		{"convert --to wthor", "--out FILE.wtb"},
		{"convert --to ggf --from pdf", "unknown format"},
		{"convert --to ggf --variant x", "unknown variant"},
		{"list --since yesterday", "want a day"},
		{"list --limit -1", "--limit -1"},
		{"list surplus", "unexpected argument"},
		{"show", "name one game"},
		{"show --file x y", "unexpected argument"},
		{"show --file x --game 0", "counted from 1"},
		{"diagram --position x", "svg or png"},
		{"diagram --position x --to svg", "--position: "},
		{"diagram --to svg", "name one game"},
		{"diagram --to png --size 5 --position x", "--size 5"},
		{"drop", "there is no games"},
		{"", "say what to do"},
	} {
		got := games(t, "", strings.Fields(c.args)...)
		if got.code != exitUsage || got.stdout != "" || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}

// brokenPipe fails like a reader that has gone away.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestConvertToBrokenPipe(t *testing.T) {
	var stderr bytes.Buffer
	args := []string{"games", "convert", wthorFiles + "WTH_2013.wtb", "--to", "json"}
	code := dispatch(t.Context(), commands(), args, strings.NewReader(""), brokenPipe{}, &stderr)
	if code != exitError || !strings.Contains(stderr.String(), "broken pipe") || strings.Count(stderr.String(), "write the games") != 1 {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	stderr.Reset()
	out := filepath.Join(t.TempDir(), "x.json")
	code = dispatch(ctx, commands(), append(args, "--out", out), strings.NewReader(""), brokenPipe{}, &stderr)
	if _, err := os.Stat(out); code != exitError || !strings.Contains(stderr.String(), "interrupted") || err == nil {
		t.Errorf("exit %d, %s, %v", code, stderr.String(), err)
	}
}

// playOne writes a finished game into a journal.
func playOne(t *testing.T, dir string) {
	t.Helper()
	j, _, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	game := engine.NewGame(rules)
	put := func(ev referee.Event) {
		b, err := record.EncodeEvent(record.Envelope{
			JID: j.JID(), Seq: j.LastSeq() + 1, Game: "01KBGAME000000000000000001", Ply: game.Ply(),
			FP: record.Fingerprint(game.Discs, game.Turn),
		}, ev)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(j.LastSeq()+1, b); err != nil {
			t.Fatal(err)
		}
	}
	put(referee.GameStarted{Match: referee.Match{Rules: rules, Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Bo")}}})
	for name := range strings.FieldsSeq("f5 d6 c5 f6 e7 f4 g5 e6 e3") {
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		by, flips := game.Turn, game.Flips(s)
		game = game.Place(s)
		put(referee.Moved{By: by, Square: s, Flipped: flips})
	}
	put(referee.GameOver{Result: referee.Result{Black: 64, DiscsBlack: 13, Reason: referee.Wipeout}})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestArchiveCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if got := games(t, "", "list", "--data", dir); got.code != exitError || !strings.Contains(got.stderr, "there are no games in") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking at nothing has made a folder")
	}
	playOne(t, dir)
	got := games(t, "", "list", "--data", dir)
	if got.code != exitOK || !strings.Contains(got.stdout, "01KBGAME000000000000000001") || !strings.Contains(got.stdout, "64-0") || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"8 games read, 8 of them new\n", "8 games read, 0 of them new\n"} {
		if got := games(t, "", "import", wthorFiles+"WTH_1978.wtb", "--data", dir); got.code != exitOK || !strings.HasSuffix(got.stderr, want) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	importAndExport(t, dir)
}

// importAndExport goes on with an archive of one played and eight imported
// games.
func importAndExport(t *testing.T, dir string) {
	t.Helper()
	got := games(t, "f5d6\nf5e6\n", "import", "--data", dir)
	if got.code != exitError || !strings.HasSuffix(got.stderr, ": 1 game read, 1 of them new, 1 failed\n") {
		t.Errorf("%+v", got)
	}
	var list []archive.Entry
	got = games(t, "", "list", "--data", dir, "--json", "--player", "maruoka", "--since", "1978", "--until", "1978")
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil || len(list) != 6 || list[0].Event != plaintext.Const("World Championship") {
		t.Errorf("%+v, %v", got, err)
	}
	if got := games(t, "", "list", "--data", dir, "--json", "--player", "nobody"); got.stdout != "[]\n" {
		t.Errorf("%+v", got)
	}
	show := games(t, "", "show", "01KBGAME", "--data", dir, "--ply", "1")
	if show.code != exitOK || !strings.Contains(show.stdout, "Moves    f5d6c5f6e7f4g5e6e3\n") || !strings.Contains(show.stdout, "4 - - - O X - - - 4\n") || !strings.Contains(show.stdout, "O to move\n") {
		t.Errorf("%+v", show)
	}
	if got := games(t, "", "show", "nothing", "--data", dir); got.code != exitError || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	got = games(t, "", "export", "--data", dir, "--player", "ann", "--to", "transcript")
	if got.code != exitOK || got.stdout != "f5d6c5f6e7f4g5e6e3\n" {
		t.Errorf("%+v", got)
	}
	if got := games(t, "", "export", "--data", dir, "--player", "nobody", "--to", "ggf"); got.code != exitError {
		t.Errorf("%+v", got)
	}
	lossless := games(t, "", "export", "--data", dir, "--since", "1978", "--until", "1978", "--to", "json")
	again := games(t, lossless.stdout, "import", "--data", dir)
	if !strings.HasSuffix(again.stderr, "8 games read, 0 of them new\n") {
		t.Errorf("%+v", again)
	}
}

func TestDiagramCommand(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.png")
	got := games(t, "", "diagram", "--file", wthorFiles+"WTH_1978.wtb", "--game", "2", "--size", "200", "--out", out)
	if got.code != exitOK || got.stdout != "" || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(f)
	if err := errors.Join(err, f.Close()); err != nil || config.Width != 200 || config.Height != 200 {
		t.Errorf("%+v, %v", config, err)
	}
	position := games(t, "", "diagram", "--position", strings.Repeat("-", 27)+"OX------XO"+strings.Repeat("-", 27)+" X", "--to", "svg")
	start := games(t, "f5d6", "diagram", "--file", "-", "--ply", "0", "--to", "svg")
	if position.code != exitOK || position.stdout != start.stdout || !strings.HasPrefix(start.stdout, "<svg ") {
		t.Errorf("%+v\n%+v", position, start)
	}
	for _, args := range []string{
		"diagram --file " + wthorFiles + "WTH_1978.wtb --game 9 --to svg",
		"diagram --file - --to svg",
		"diagram --file " + filepath.Join(dir, "none") + " --to svg",
	} {
		if got := games(t, "", strings.Fields(args)...); got.code != exitError || got.stdout != "" {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := games(t, "f5d6", "diagram", "--file", "-", "--ply", "3", "--to", "svg"); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
}
