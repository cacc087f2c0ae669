package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// refused runs a command line that cannot work and fails the test unless the
// program says so in one line that holds all of want.
func refused(t *testing.T, code int, args []string, want ...string) {
	t.Helper()
	p := launch(t, args...)
	if got := p.wait(); got != code {
		t.Errorf("exit status %d, want %d", got, code)
	}
	if out := p.stdout.String(); out != "" {
		t.Errorf("stdout: %q", out)
	}
	log := p.stderr.String()
	if strings.Count(log, "\n") != 1 || !strings.HasPrefix(log, "reversi-board") {
		t.Errorf("stderr is not one line of the program:\n%s", log)
	}
	for _, w := range want {
		if !strings.Contains(log, w) {
			t.Errorf("stderr does not name %q:\n%s", w, log)
		}
	}
}

func TestRefusesBadSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, config string
		want         []string
	}{
		{"unknown key", "board:\n  id: rv-b07\n  colour: green\n", []string{":3: board.colour"}},
		{"wrong value", "sensing:\n  settle: 5\n", []string{":2: sensing.settle"}},
		{"two cells on one pin", "hardware:\n  kind: hall-128\n  cells:\n    e6: {chip: 5, north: P0.5, south: P1.4}\n", []string{"hardware.cells.e6", "P0.5", "chip 5", "f6"}},
		{"a name in the id", "board: {id: Board 7}\n", []string{":1: board.id", "Board 7"}},
		{"not YAML", "web: [\n", []string{"board.yaml"}},
		{"no such token", "web: {listen: \"0.0.0.0:8064\", arbiter_token_file: /nowhere/token}\n", []string{"web.arbiter_token_file", "/nowhere/token"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			refused(t, exitError, []string{"run", "--config", writeConfig(t, c.config), "--data", dir}, append(c.want, "board.yaml")...)
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Error("a data folder was made all the same")
			}
		})
	}
	t.Run("no such file", func(t *testing.T) {
		t.Parallel()
		refused(t, exitError, []string{"run", "--config", filepath.Join(t.TempDir(), "none.yaml")}, "none.yaml")
	})
	t.Run("unknown flag", func(t *testing.T) {
		t.Parallel()
		refused(t, exitUsage, []string{"run", "--port", "1"}, "-port", "--help")
	})
}

func TestRefusesWhatIsInUse(t *testing.T) {
	t.Parallel()
	t.Run("port of the page", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, embedded, "")
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address(b.web))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ln.Close() })
		refused(t, exitError, []string{"run", "--config", b.config, "--data", b.dir}, address(b.web), "web.listen")
	})
	t.Run("data folder", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, embedded, quick)
		p := b.start()
		w := p.watch()
		w.phase("playing")
		other := newBench(t, embedded, quick)
		refused(t, exitError, []string{"run", "--config", other.config, "--data", b.dir}, b.dir, "another")
		p.play(w, theFinal(t).plies(t, 1)[0])
	})
	t.Run("data folder below a file", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, embedded, "")
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, exitError, []string{"run", "--config", b.config, "--data", filepath.Join(file, "data")}, file)
		refused(t, exitError, []string{"run", "--config", b.config, "--data", file}, file)
		if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
			t.Errorf("the file holds %q now, %v", text, err)
		}
	})
}

// played makes a data folder with a game of eight plies in it.
func played(t *testing.T) (*bench, []event) {
	t.Helper()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	for _, m := range theFinal(t).plies(t, 8) {
		p.play(w, m)
	}
	p.kill()
	return b, recordsOnDisk(t, b.dir)
}

// onlyJournal returns the one journal file of a data folder.
func onlyJournal(t *testing.T, dir string) (name string, content []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journal files: %v, %v", files, err)
	}
	content, err = os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return files[0], content
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A journal that ends in the middle of a record: the program says what it cut
// off and goes on with everything before.
func TestMendsTornJournal(t *testing.T) {
	t.Parallel()
	b, before := played(t)
	name, content := onlyJournal(t, b.dir)
	const torn = 5
	write(t, name, content[:len(content)-torn])
	p := b.start()
	w := p.watch()
	want := fold(t, before[:len(before)-1]).transcript
	if got := w.look().State.Transcript; got != want {
		t.Errorf("the game is %s, want %s", got, want)
	}
	if log := p.stderr.String(); !strings.Contains(log, "mended") || !strings.Contains(log, "bytes") {
		t.Errorf("the log does not say what was cut off:\n%s", log)
	}
	// The last disc lies on the board with its flips: it is a move once more.
	w.until(patience, "the game goes on", func(w *watch) bool { return w.view.State.Transcript == fold(t, before).transcript })
	after := recordsOnDisk(t, b.dir)
	checkNumbers(t, after)
	for i := range before[:len(before)-1] {
		if string(after[i].raw) != string(before[i].raw) {
			t.Errorf("record %d has changed from\n%s to\n%s", i+1, before[i].raw, after[i].raw)
		}
	}
}

// A journal with a wrong byte in the middle: the program starts, sets the damage
// aside, tells which records are lost, goes on in the position of the last record,
// and never uses a number again.
func TestSetsDamagedJournalAside(t *testing.T) {
	t.Parallel()
	b, before := played(t)
	name, content := onlyJournal(t, b.dir)
	content[len(content)/2] ^= 0x40
	write(t, name, content)
	p := b.start()
	w := p.watch()
	if log := p.stderr.String(); !strings.Contains(log, "mended") || !strings.Contains(log, "damaged") {
		t.Errorf("the log does not say what was set aside:\n%s", log)
	}
	aside, err := filepath.Glob(filepath.Join(b.dir, "*.damaged"))
	if err != nil || len(aside) == 0 {
		t.Errorf("nothing was set aside: %v", err)
	}
	if got, want := w.look().State.Transcript, fold(t, before).transcript; got != want {
		t.Errorf("the game that goes on is %s, want %s", got, want)
	}
	if alerts := w.look().Alerts; len(alerts) != 1 || alerts[0].Code != "storage" || !strings.Contains(alerts[0].Text, "are lost") {
		t.Errorf("the page does not say what is lost: %+v", alerts)
	}
	newRobot(p, w, 1).run(func(v view) bool { return v.State.Seq > before[len(before)-1].Seq+2 })
	w.until(patience, "events with new numbers", func(w *watch) bool { return len(w.events) > 0 })
	for _, e := range w.announced() {
		if e.Seq <= before[len(before)-1].Seq {
			t.Errorf("number %d is used again: %s", e.Seq, e.raw)
		}
	}
}

// The file with the simulated discs is the user's: garbage in it is not
// overwritten.
func TestRefusesGarbageOnTheTable(t *testing.T) {
	t.Parallel()
	for name, garbage := range map[string]string{"words": "discs\n", "too short": "BW", "nothing": "", "long": strings.Repeat("B", 1<<20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, embedded, "")
			p := b.start()
			p.watch().phase("playing")
			p.kill()
			layTable(t, b.dir, garbage)
			refused(t, exitError, []string{"run", "--config", b.config, "--data", b.dir}, "simulated-table.txt")
			if text, err := os.ReadFile(filepath.Join(b.dir, "simulated-table.txt")); err != nil || string(text) != garbage {
				t.Errorf("the file holds %.40q now, %v", text, err)
			}
		})
	}
}

// Messages that are no commands are answered, if that can be, and change
// nothing.
func TestGarbageOnCommandTopics(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	plies := theFinal(t).plies(t, 4)
	p.play(w, plies[0])
	before := w.look().State
	base := "reversi/v1/reversi-1/cmd/"
	for _, g := range []struct{ topic, payload string }{
		{"arbiter/new", "garbage"},
		{"arbiter/new", "\xff\xfe"},
		{"arbiter/new", `{"id":"`},
		{"arbiter/new", `[1,2,3]`},
		{"arbiter/new", strings.Repeat("[", 5000)},
		{"arbiter/new", strings.Repeat("x", 20000)},
		{"arbiter/undo", `{}`},
		{"arbiter", `{"id":"1","from":"desk"}`},
		{"arbiter/new/more", `{"id":"1","from":"desk"}`},
		{"nobody/new", `{"id":"1","from":"desk"}`},
	} {
		publish(t, b.broker, base+g.topic, []byte(g.payload))
	}
	// A second role has tokens left.
	for i, payload := range []string{
		`{"id":"a","from":"desk","args":{"plies":"three"}}`,
		`{"id":"b","from":"desk","args":7}`,
		`{"id":"c","from":"desk","args":{"plies":1e99},"if_seq":1}`,
	} {
		n := sub.count()
		publish(t, b.broker, base+"player/undo", []byte(payload))
		m := sub.wait(n, patience, "an answer to "+payload, func(m message) bool { return strings.HasSuffix(m.topic, "/resp/desk") })
		r := decode[struct{ ID, Status, Code string }](t, m.payload)
		if r.ID != string(rune('a'+i)) || r.Status != "error" || r.Code != "bad_payload" {
			t.Errorf("%s is answered by %s", payload, m.payload)
		}
	}
	after := w.look().State
	if after.Seq != before.Seq || after.Transcript != before.Transcript {
		t.Errorf("the game has changed from %d %s to %d %s", before.Seq, before.Transcript, after.Seq, after.Transcript)
	}
	for _, m := range plies[1:] {
		p.play(w, m)
	}
	if n := strings.Count(p.stderr.String(), "\n"); n > 40 {
		t.Errorf("%d lines in the log:\n%s", n, p.stderr)
	}
}

// A second interrupt is for those who cannot wait; the first is enough even
// when a client of the page does not let go.
func TestStopsWithOpenConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, quick)
	p := b.start()
	p.watch()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, port := range []int{b.web, b.web, b.broker} {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address(port))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if port == b.web {
			if _, err := c.Write([]byte("POST /api/v1/hands HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{")); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin := time.Now()
	checkCloses(t, p)
	t.Logf("stopped in %v", time.Since(begin).Round(time.Millisecond))
}
