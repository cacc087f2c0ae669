package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent/enginetest"
	"reversi-board/mqtt/brokertest"
)

// asProgram, when set in the environment, makes the test binary be the program:
// so the tests need no second build, and with -race the program has the race
// detector in it as well.
const asProgram = "REVERSI_BOARD_TEST_IS_PROGRAM"

// patience is for what must happen but has no limit of its own; it is long
// because test machines are busy.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	enginetest.Main()
	if os.Getenv(asProgram) != "" {
		if err := confined(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitError)
		}
		main()
	}
	// The games wait for hands, not for the processor.
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitError)
	}
	os.Exit(m.Run())
}

// tool returns the path of a program that a test needs.
func tool(t *testing.T, name, install string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed: apt-get install %s", name, install)
	}
	return path
}

// buffer collects what a process writes.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// until waits for a condition that nothing announces; it fails the test when
// the limit has passed.
func until(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	end := time.After(limit)
	for !is() {
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

func freePort(t *testing.T) int { t.Helper(); return brokertest.FreePort(t) }

func address(port int) string { return brokertest.Address(port) }

// bench is a data folder and a configuration: what stays when the program is
// not running.
type bench struct {
	t      *testing.T
	dir    string
	config string
	web    int
	broker int
	scheme string // of the page
}

// The broker of a bench.
const (
	external = "{embedded: {enabled: false}, broker: \"mqtt://127.0.0.1:%d\"}"
	embedded = "{embedded: {listen: \"127.0.0.1:%d\"}}"
)

// quick makes hands and referee as fast as the sensors allow; without it the
// times are those of the built-in settings.
const quick = "sensing: {scan_hz: 100, debounce: 20ms, settle: 100ms}\nhardware: {simulation: {bounce: false}}\n"

// newBench reserves ports and writes a configuration.
func newBench(t *testing.T, mqtt, more string) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "data"), web: freePort(t), broker: freePort(t), scheme: "http"}
	t.Cleanup(func() { checkRecorded(t, b.dir) }) // once its programs have ended
	if strings.Contains(mqtt, "%d") {
		mqtt = fmt.Sprintf(mqtt, b.broker)
	}
	b.config = writeConfig(t, fmt.Sprintf("web: {listen: \"%s\"}\nmqtt: %s\n%s", address(b.web), mqtt, more))
	return b
}

// set changes the settings of a bench: is stands in place of was.
func (b *bench) set(was, is string) {
	b.t.Helper()
	text, err := os.ReadFile(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	b.config = writeConfig(b.t, strings.Replace(string(text), was, is, 1))
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "board.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// process is a running reversi-board.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	url            string
	cookie         string      // of a login, empty for none
	first          chan string // the first line of stdout
	stdout, stderr *buffer
	ended          chan struct{}
	// started is when the process was made.
	started time.Time
}

// launch starts the program with a command line and does not wait for anything.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		t: t, first: make(chan string, 1), stdout: new(buffer), stderr: new(buffer), ended: make(chan struct{}),
	}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), self, args...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "XDG_STATE_HOME=/dev/null/nowhere",
		"GORACE=atexit_sleep_ms=50") // else the race detector makes every end a second longer
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			select {
			case p.first <- lines.Text():
			default:
			}
			_, _ = p.stdout.Write([]byte(lines.Text() + "\n"))
		}
		_ = p.cmd.Wait() // the tests look at the state of the process
	}()
	t.Cleanup(func() {
		p.kill()
		checkLog(t, p.stderr.String())
	})
	return p
}

// checkLog fails the test if the program's log tells of a mistake in it.
func checkLog(t *testing.T, log string) {
	t.Helper()
	for _, bad := range []string{"DATA RACE", "panic", "the referee's event was lost", "write the state"} {
		if strings.Contains(log, bad) {
			t.Errorf("the program said %q:\n%s", bad, log)
			return
		}
	}
	if t.Failed() && log != "" {
		t.Logf("the program's log:\n%s", log)
	}
}

// start runs the board of a bench and waits for its address.
func (b *bench) start() *process {
	b.t.Helper()
	p := launch(b.t, "run", "--config", b.config, "--data", b.dir)
	select {
	case line := <-p.first:
		if want := b.scheme + "://" + address(b.web) + "/"; line != want {
			b.t.Fatalf("the first line is %q, want %q", line, want)
		}
		p.url = strings.TrimSuffix(line, "/")
	case <-p.ended:
		b.t.Fatalf("the program did not start:\n%s", p.stderr)
	case <-time.After(patience):
		b.t.Fatalf("no address within %v:\n%s", patience, p.stderr)
	}
	return p
}

// kill ends the program as a power cut does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// signal sends a signal and returns the exit status and how long the program
// took to end.
func (p *process) signal(sig syscall.Signal) (code int, took time.Duration) {
	p.t.Helper()
	begin := time.Now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
	return p.wait(), time.Since(begin)
}

// wait returns the exit status.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("the program does not end:\n%s", p.stderr)
	}
	return p.cmd.ProcessState.ExitCode()
}

// reference is a recorded game of the table.
type reference struct{ notation.TableGame }

// theFinal is the final of the World Championship of 1996.
func theFinal(t *testing.T) reference {
	t.Helper()
	f, err := os.Open("../../engine/notation/testdata/woc-games.tsv")
	if err != nil {
		t.Fatal(err)
	}
	games, err := notation.ReadGameTable(f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if g.Year != 1996 {
			continue
		}
		return reference{g}
	}
	t.Fatal("the final of 1996 is not in the table")
	return reference{}
}

func classic(t *testing.T) engine.Rules {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// ply is one disc of a game: who places it where, what it turns, and how many
// lines (moves and passes) the record has afterwards.
type ply struct {
	square string
	by     engine.Color
	flips  []string
	lines  int
}

// plies lists the first n discs of the game.
func (r reference) plies(t *testing.T, n int) []ply {
	t.Helper()
	return pliesOf(t, r.Moves)[:n]
}

// pliesOf lists the discs of a transcript.
func pliesOf(t *testing.T, moves string) []ply {
	t.Helper()
	line, err := notation.ParseTranscript(classic(t), moves)
	if err != nil {
		t.Fatal(err)
	}
	var list []ply
	g := engine.NewGame(classic(t))
	for i, m := range line.Moves {
		s, ok := m.Square()
		if !ok {
			// Nobody touches the board for a pass.
			list[len(list)-1].lines++
			g = g.Pass()
			continue
		}
		list = append(list, ply{square: s.String(), by: g.Turn, flips: g.Flips(s).Names(), lines: i + 1})
		g = g.Place(s)
	}
	return list
}

// decode reads JSON of the program.
func decode[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}
