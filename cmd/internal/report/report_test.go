package report_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/cmd/internal/report"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// plant gives every text of the settings a value that nobody else has, and returns
// these by their path.
func plant(v reflect.Value, path string, planted map[string]string) {
	switch v.Kind() { //nolint:exhaustive // nothing else holds a text
	case reflect.String:
		planted[path] = fmt.Sprintf("planted%dsecret", len(planted))
		v.SetString(planted[path])
	case reflect.Struct:
		if name, ok := reflect.TypeAssert[*plaintext.Text](v.Addr()); ok {
			planted[path] = fmt.Sprintf("planted%dsecret", len(planted))
			*name = plaintext.Clean(planted[path], plaintext.MaxName)
			return
		}
		for i := range v.NumField() {
			plant(v.Field(i), path+"."+v.Type().Field(i).Name, planted)
		}
	case reflect.Array:
		for i := range v.Len() {
			plant(v.Index(i), fmt.Sprintf("%s[%d]", path, i), planted)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		}
		for i := range v.Len() {
			plant(v.Index(i), fmt.Sprintf("%s[%d]", path, i), planted)
		}
	}
}

// unzip returns the files of a report.
func unzip(t *testing.T, b []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
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
	}
	return all
}

func made(t *testing.T, o report.Options) map[string]string {
	t.Helper()
	var buf bytes.Buffer
	o.Made = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if o.System == nil {
		o.System = fstest.MapFS{
			"etc/os-release":            {Data: []byte("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n")},
			"proc/sys/kernel/osrelease": {Data: []byte("6.12.47+rpt-rpi-v8\n")},
			"proc/device-tree/model":    {Data: []byte("Raspberry Pi 4 Model B Rev 1.4\x00")},
		}
	}
	if err := report.Write(&buf, o); err != nil {
		t.Fatal(err)
	}
	return unzip(t, buf.Bytes())
}

// Whatever stands in the settings, no word of it comes into a report; and where the
// log or an alert repeats it, it is struck out.
func TestNoSecretOfTheSettings(t *testing.T) {
	c := configs.Default()
	planted := map[string]string{}
	plant(reflect.ValueOf(c).Elem(), "Config", planted)
	if len(planted) < 40 {
		t.Fatalf("only %d texts were planted", len(planted))
	}
	c.MQTT.Broker = "mqtt://ann:" + planted["Config.MQTT.Broker"] + "@example.org:1883"
	planted["the password"], planted["a token"] = "hunter2 \"quoted\" <x>", "tok-tok-tok-tok"
	var lines []string
	state := map[string]string{}
	for path, secret := range planted {
		switch {
		case path == "Config.Board.ID", path == "Config.Board.Name", strings.HasPrefix(path, "Config.Game.Players"),
			strings.HasPrefix(path, "Config.Hardware"):
			continue // no secrets, and they do not stand in the report by themselves
		case path == "Config.MQTT.Broker":
			secret = c.MQTT.Broker
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Error("it failed", "error", "cannot use "+secret+" there")
		lines = append(lines, log.String())
		state[path] = "alert: " + secret
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	all := made(t, report.Options{
		Dir: t.TempDir(), Config: c, Version: "v1", Secrets: []string{planted["the password"], planted["a token"]},
		Live: &report.Live{State: text, Health: json.RawMessage(`{"cells":"..."}`), Log: lines}, Why: planted["a token"],
	})
	for name, content := range all {
		for path, secret := range planted {
			if strings.Contains(content, secret) {
				t.Errorf("%s holds %s", name, path)
			}
		}
		if strings.Contains(content, "hunter2") {
			t.Errorf("%s holds the password", name)
		}
	}
	if n := strings.Count(all["log.txt"], "(removed)"); n < 10 {
		t.Errorf("only %d secrets were struck out of the log:\n%s", n, all["log.txt"])
	}
	if strings.Contains(all["settings.json"], "example.org") || !strings.Contains(all["settings.json"], "mqtt://(set)") {
		t.Errorf("the settings are\n%s", all["settings.json"])
	}
}

// What is in a report, and that a report of a board that was never started says so.
func TestWhatIsInAReport(t *testing.T) {
	dir := t.TempDir()
	j, _, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= 3; seq++ {
		if err := j.Append(seq, fmt.Appendf(nil, `{"v":1,"seq":%d}`, seq)); err != nil {
			t.Fatal(err)
		}
	}
	jid := j.JID()
	if err := os.Mkdir(filepath.Join(dir, "flight"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"flight/flight-00000001.rec": recording(t, "Ann"), "flight/flight-00000002.rec": recording(t, "Ben"), "flight/notes.txt": "not this",
		"arbiter-token": "not this either", "games.db": "nor this",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// While the journal is open, as it is while the board runs.
	all := made(t, report.Options{
		Dir: dir, Config: configs.Default(), Version: "v1.2", Commit: "abc", Go: "go1.26",
		Live: &report.Live{Health: json.RawMessage(`{"cells":"ok"}`), State: json.RawMessage(`{"phase":"setup"}`), Log: []string{"one", "two"}},
	})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	expectFiles(t, all)
	for _, want := range []string{`"v1.2"`, `"abc"`, `"go1.26"`, "trixie", "6.12.47", "Raspberry Pi 4", jid, `"running": true`} {
		if !strings.Contains(all["about.json"], want) {
			t.Errorf("about.json lacks %s:\n%s", want, all["about.json"])
		}
	}

	none := made(t, report.Options{Dir: t.TempDir(), Config: configs.Default(), Why: "the board does not run"})
	for _, want := range []string{"does not run", "Not here: flight recordings: there are none", "Not here: journal"} {
		if !strings.Contains(none["README.txt"], want) {
			t.Errorf("README.txt lacks %q:\n%s", want, none["README.txt"])
		}
	}
}

// expectFiles checks that there is everything, and nothing else, and that it is
// explained.
func expectFiles(t *testing.T, all map[string]string) {
	t.Helper()
	for name, want := range map[string]string{
		"log.txt":       "one\ntwo\n",
		"journal.jsonl": `{"v":1,"seq":1}` + "\n" + `{"v":1,"seq":2}` + "\n" + `{"v":1,"seq":3}` + "\n",
	} {
		if all[name] != want {
			t.Errorf("%s is %q, want %q", name, all[name], want)
		}
	}
	if len(all) != 9 {
		t.Errorf("%d files, want 9", len(all))
	}
	for name := range all {
		if name != "README.txt" && !strings.Contains(all["README.txt"], strings.SplitAfter(name, "/")[0]) {
			t.Errorf("README.txt does not explain %s", name)
		}
	}
}

// Of a long journal there is the end, whole lines of it, and a torn end does not
// matter.
func TestEndOfTheJournal(t *testing.T) {
	dir := t.TempDir()
	j, _, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat("x", 40_000)
	for seq := uint64(1); seq <= 130; seq++ {
		if err := j.Append(seq, fmt.Appendf(nil, `{"seq":%d,"pad":"%s"}`, seq, pad)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	f, err := os.OpenFile(files[len(files)-1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\x40\x00\x00\x00torn"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(made(t, report.Options{Dir: dir, Config: configs.Default()})["journal.jsonl"], "\n"), "\n")
	if n := len(lines); n < 45 || n > 53 {
		t.Errorf("%d lines of 40 kB, want about 2 MB", n)
	}
	for i, line := range lines {
		if want := fmt.Sprintf(`{"seq":%d,`, 130-len(lines)+1+i); !strings.HasPrefix(line, want) || !json.Valid([]byte(line)) {
			t.Fatalf("line %d begins %.20q, want %q", i, line, want)
		}
	}
}

func TestLogKeepsTheLastLines(t *testing.T) {
	var log report.Log
	var next bytes.Buffer
	logger := slog.New(log.Handler(slog.NewTextHandler(&next, nil)))
	for i := range 1200 {
		logger.Info("line", "n", i)
	}
	logger.Debug("never mind")
	logger.Info(strings.Repeat("long ", 1000))
	lines := log.Lines()
	if len(lines) != 500 || !strings.Contains(lines[498], "n=1199") || !strings.Contains(lines[0], "n=701") {
		t.Errorf("%d lines, the first is %q", len(lines), lines[0])
	}
	if n := len(lines[499]); n > 1000 || n < 900 {
		t.Errorf("a line of %d bytes is kept", n)
	}
	if n := strings.Count(next.String(), "\n"); n != 1201 {
		t.Errorf("%d lines were logged, want 1201", n)
	}
}

// recording is a segment in which somebody has this name.
func recording(t *testing.T, name string) string {
	t.Helper()
	rules, err := engine.Variant(engine.Classic)
	if err != nil {
		t.Fatal(err)
	}
	state := referee.New(referee.Match{Rules: rules, Profile: referee.Home(), Players: [2]plaintext.Text{plaintext.Clean(name, 64), {}}})
	tape := flight.NewTape(flight.TapeOptions{Whole: true, Wall: func() time.Time { return time.Unix(1790000000, 0) }})
	tape.Start(time.Second, flight.Place{}, &state)
	var b bytes.Buffer
	if err := flight.Save(tape, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A token that somebody has typed in the place of a name is in no file of a report,
// the recordings included; nor is where the broker is, in whatever form.
func TestNoTypedSecretAndNoAddressOfTheBroker(t *testing.T) {
	const token, host, number, user = "TOKENTYPEDASANAME", "broker.example.org", "203.0.113.7", "ann-at-the-broker"
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "flight"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flight", "flight-00000001.rec"), []byte(recording(t, token)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := configs.Default()
	c.MQTT.Embedded.Enabled, c.MQTT.Broker = false, "mqtts://"+user+"@"+host+":8883"
	says := []string{
		"dial tcp: lookup " + host + " on 192.168.1.1:53: no such host", "dial tcp " + number + ":8883: connect: connection refused",
		"dial tcp [2001:db8::7]:8883: i/o timeout", user + " is not authorized", "a page at 127.0.0.1:8064, 12:34:56",
	}
	view, err := json.Marshal(says)
	if err != nil {
		t.Fatal(err)
	}
	all := made(t, report.Options{
		Dir: dir, Config: c, Secrets: []string{token},
		Live: &report.Live{State: view, Health: view, Log: says},
	})
	for name, content := range all {
		for _, secret := range []string{token, host, number, user, "192.168.1.1", "2001:db8"} {
			if strings.Contains(content, secret) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
	}
	s, err := flight.ReadSegment("1", []byte(all["flight/flight-00000001.rec"]))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.State.Match.Players[0].String(); got != strings.Repeat("x", len(token)) {
		t.Errorf("the name in the recording is %q", got)
	}
	if !strings.Contains(all["log.txt"], "127.0.0.1:8064, 12:34:56") {
		t.Errorf("the log is %q", all["log.txt"])
	}
}

// What looks like a token is in no file, although these settings know nothing of it: it
// may be that of another board. Nor is half a secret, where a line of the log was cut,
// or a name from the certificate of another computer.
func TestNoTokenAndNoHalfSecret(t *testing.T) {
	const token, secret = "K5XWZ2LMOPQRS7TUVYABCDEFGH", "a-secret-that-is-cut" //nolint:gosec // of this test alone
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "flight"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flight", "flight-00000001.rec"), []byte(recording(t, "I am "+token)), 0o600); err != nil {
		t.Fatal(err)
	}
	var log report.Log
	logger := slog.New(log.Handler(slog.DiscardHandler))
	for n := 900; n < 1000; n++ {
		logger.Info(strings.Repeat("x", n) + " " + secret)
	}
	logger.Info("tls: x509: certificate is valid for house.example, garden.example, not broker.example")
	logger.Info("somebody is called " + token)
	const harmless = `"BBBBBBBBWWWWWWWWBBBBBBBBWWWWWWWW F5D6C3D3C4F4F6F3E6E7D7C5B4 01M8QT64XYYRG7GPMSDZSEH3HX"`
	all := made(t, report.Options{
		Dir: dir, Config: configs.Default(), Secrets: []string{secret},
		Live: &report.Live{State: json.RawMessage(harmless), Health: json.RawMessage(`"` + token + `"`), Log: log.Lines()},
	})
	for name, content := range all {
		for _, text := range []string{token, "a-s", "house", "garden"} {
			if strings.Contains(content, text) {
				t.Errorf("%s holds %s", name, text)
			}
		}
	}
	if !strings.Contains(all["state.json"], harmless) {
		t.Errorf("boards, moves and ids became %s", all["state.json"])
	}
	s, err := flight.ReadSegment("1", []byte(all["flight/flight-00000001.rec"]))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.State.Match.Players[0].String(), "I am "+strings.Repeat("x", len(token)); got != want {
		t.Errorf("the name in the recording is %q, want %q", got, want)
	}
}
