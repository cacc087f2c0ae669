package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reversi-board/cmd/internal/flight"
)

// unzipped returns the files of a report, recordings without their compression.
func unzipped(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close() //nolint:errcheck // only read
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
		if strings.HasSuffix(f.Name, ".rec") {
			all[f.Name] += spelledOut(t, f.Name, text)
		}
	}
	return all
}

// spelledOut returns everything that is in a recording.
func spelledOut(t *testing.T, name string, b []byte) string {
	t.Helper()
	s, err := flight.ReadSegment(name, b)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v", s.Header, s.State)
	for _, r := range s.Records {
		if r.Step == nil {
			continue
		}
		text += fmt.Sprintf("%+v", *r.Step)
		for _, e := range r.Step.Events {
			text += string(e.Payload)
		}
	}
	return text
}

// The secrets of a board.
const (
	password, userName        = "pw-kestrel-41", "user-harrier"
	arbiterToken, playerToken = "tok-arbiter-osprey-17", "tok-player-merlin-23" //nolint:gosec // made up for this test
)

// secretive is a bench with secrets in all of its settings.
func secretive(t *testing.T, dir string) *bench {
	t.Helper()
	secret := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	b := newBench(t, "{}", quick)
	b.config = writeConfig(t, fmt.Sprintf(`web: {listen: "%s", arbiter_token_file: %q, player_token_file: %q, hosts: [host-buzzard.example]}
mqtt: {embedded: {listen: "%s"}, username: %s, password_file: %q}
opponent: {kind: gtp, command: [/nonexistent/goshawk/gtp-engine, --key, key-sparrowhawk], when_lost: people, side: white}
%s`, address(b.web), secret("arbiter-hobby", arbiterToken), secret("player-hobby", playerToken), address(b.broker), userName,
		secret("pw-hobby", password), quick))
	return b
}

// download asks for something on the page, with a token or without one.
func (p *process) download(path, token string) (code int, body []byte) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	w, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err = io.ReadAll(w.Body)
	if err = errors.Join(err, w.Body.Close()); err != nil {
		p.t.Fatal(err)
	}
	return w.StatusCode, body
}

// A board that plays with secrets in all of its settings is killed in mid-game.
// Its recording is replayed bit for bit as far as it has come to the disk; the
// report, by the page, by the command while it runs and after it has died, holds
// none of the secrets. The name of the opponent's program is none: events have it.
func TestKilledBoardAndItsReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := secretive(t, dir)
	p := b.start()
	until(t, patience, "the game starts", func() bool {
		_, body := p.download("/api/v1/state", arbiterToken)
		return strings.Contains(string(body), `playing`)
	})
	p.typeSecrets()
	for who, token := range map[string]string{"nobody": "", "a player": playerToken, "somebody with a wrong token": arbiterToken + "x"} {
		if code, body := p.download("/api/v1/report", token); code == http.StatusOK || bytes.HasPrefix(body, []byte("PK")) {
			t.Errorf("%s gets a report: %d", who, code)
		}
	}
	live, running, dead := filepath.Join(dir, "live.zip"), filepath.Join(dir, "running.zip"), filepath.Join(dir, "dead.zip")
	code, body := p.download("/api/v1/report", arbiterToken)
	if err := os.WriteFile(live, body, 0o600); err != nil || code != http.StatusOK {
		t.Fatalf("no report for the arbiter: %d %v", code, err)
	}
	b.report(running, "made by the board, which is running")
	p.kill()

	replay := call(t.Context(), "replay", b.dir)
	if replay.code != 0 || !strings.Contains(replay.stdout, "all the same, bit for bit") || !strings.Contains(replay.stdout, "a game of classic begins") {
		t.Errorf("the recording of the killed board: %+v", replay)
	}
	b.report(dead, "the board does not run")
	if again := call(t.Context(), "report", "--config", b.config, "--data", b.dir, "--out", dead); again.code != 1 || !strings.Contains(again.stderr, "file exists") {
		t.Errorf("a report was written over another one: %+v", again)
	}
	for _, file := range []string{live, running, dead} {
		all := unzipped(t, file)
		keepsSecrets(t, file, all, dir)
		alive := file != dead
		for name, want := range map[string]bool{
			"README.txt": true, "about.json": true, "settings.json": true, "journal.jsonl": true, "flight/flight-00000001.rec": true,
			"health.json": alive, "state.json": alive, "log.txt": alive,
		} {
			if (all[name] != "") != want {
				t.Errorf("%s: %s is there: %t, want %t", file, name, !want, want)
			}
		}
	}
	if r := call(t.Context(), "replay", dead); r.code != 0 || !strings.Contains(r.stdout, "bit for bit") {
		t.Errorf("the report cannot be replayed: %+v", r)
	}
}

// anyToken looks like a token of the program; it is of another board.
const anyToken = "K5XWZ2LMOPQRS7TUVYABCDEFGH" //nolint:gosec // made up for this test

// typeSecrets is an arbiter who types secrets wherever there is a field for a text.
func (p *process) typeSecrets() {
	p.t.Helper()
	for i, c := range []struct{ id, name, args string }{
		{playerToken, "players_set", fmt.Sprintf(`{"black": %q, "white": %q}`, arbiterToken, "I am "+anyToken)},
		{"1", "players_set", fmt.Sprintf(`{"black": "Ann", "white": %q}`, password)},
		{anyToken, "pause", fmt.Sprintf(`{"reason": %q}`, "because of "+password)},
		{"2", "resume", fmt.Sprintf(`{"reason": %q}`, anyToken+" and "+playerToken)},
		{"3", "adjudicate", fmt.Sprintf(`{"result": "black", "black": 40, "white": 24, "reason": %q}`, arbiterToken)}, // refused
		{"4", arbiterToken, `{}`},
	} {
		body := fmt.Sprintf(`{"id": %q, "name": %q, "args": %s}`, c.id, c.name, c.args)
		req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/api/v1/command", strings.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+arbiterToken)
		req.Header.Set("Content-Type", "application/json")
		w, err := http.DefaultClient.Do(req)
		if err != nil {
			p.t.Fatal(err)
		}
		text, err := io.ReadAll(w.Body)
		if err = errors.Join(err, w.Body.Close()); err != nil {
			p.t.Fatal(err)
		}
		if ok := strings.Contains(string(text), `"status":"ok"`); ok != (i < 4) {
			p.t.Errorf("%s is answered by %s", body, text)
		}
	}
}

// report saves a report of the bench.
func (b *bench) report(file, how string) {
	b.t.Helper()
	got := call(b.t.Context(), "report", "--config", b.config, "--data", b.dir, "--out", file)
	if got.code != 0 || !strings.Contains(got.stdout, how) {
		b.t.Errorf("%+v, want that it is %s", got, how)
	}
}

// keepsSecrets checks that no file of a report holds one.
func keepsSecrets(t *testing.T, file string, all map[string]string, dir string) {
	t.Helper()
	for entry, content := range all {
		for _, s := range []string{
			password, arbiterToken, playerToken, anyToken, userName, "host-buzzard", "goshawk", "sparrowhawk", "hobby", dir,
		} {
			if strings.Contains(content, s) {
				t.Errorf("%s: %s holds %s", file, entry, s)
			}
		}
	}
}

// Without a data folder there is nothing to report, and nothing is made.
func TestReportWithoutData(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.zip")
	got := call(t.Context(), "report", "--data", filepath.Join(t.TempDir(), "none"), "--out", out)
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "there is no data folder") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a report was made all the same")
	}
}

// A board whose recorder is switched off records nothing, and its report says that
// it holds no recording.
func TestNoRecorder(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, quick+"flight: {enabled: false}\n")
	p := b.start()
	file := filepath.Join(t.TempDir(), "report.zip")
	b.report(file, "made by the board, which is running")
	if code, _ := p.signal(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit status %d", code)
	}
	if _, err := os.Stat(filepath.Join(b.dir, flight.Folder)); err == nil {
		t.Error("there are recordings")
	}
	if text := unzipped(t, file)["README.txt"]; !strings.Contains(text, "Not here: flight recordings: there are none") {
		t.Errorf("README.txt is\n%s", text)
	}
	if got := call(t.Context(), "replay", b.dir); got.code != exitError || !strings.Contains(got.stderr, "there is none in") {
		t.Errorf("%+v", got)
	}
}
